/* Race freedom, absence of barrier divergence and bounds of a kernel for all launch sizes and inputs, by
 * reduction to two arbitrary work-items (docs/prove.md). */
#ifndef TOOLS_PROVE_PROVE_H
#define TOOLS_PROVE_PROVE_H

#include "memmodel/memmodel.h"

struct ex;

/* OPEN: Z3 has a candidate counterexample.  NOT_ASKED: bounds of an object whose size is not stated. */
enum prove_answer { PROVE_UNKNOWN, PROVE_PROVED, PROVE_OPEN, PROVE_NOT_ASKED };
enum prove_property { PROVE_RACE, PROVE_DIVERGENCE, PROVE_BOUNDS, PROVE_PROPERTIES };

struct prove_options {
    uint32_t local[3], global[3]; /* 0: any size */
    const char *const *requirements;
    size_t requirement_count;
    const char *const *arguments; /* of the command line, for the sizes of buffers and values of scalars */
    size_t argument_count;
    unsigned effort, budget; /* resource limits of Z3, in its units: for each query, for all of a kernel */
};

enum { PROVE_TEXT = 512, PROVE_ARGUMENTS = 64, PROVE_ASSUMPTIONS = 24, PROVE_LAUNCHES = 12 };
/* The value of an argument in a launch that may show a violation. */
struct prove_argument {
    const char *name;
    bool known, is_size; /* VALUE: elements of the buffer, or bytes of local memory */
    bool is_local;
    uint64_t value;
};
struct prove_launch { /* from Z3's model */
    uint32_t global[3], local[3];
    struct prove_argument arguments[PROVE_ARGUMENTS];
    size_t argument_count;
};
enum { PROVE_UNSIZED_GLOBAL = 1, PROVE_UNSIZED_LOCAL = 2 };
struct prove_verdict {
    /* OPEN: the two work-items have a candidate counterexample. */
    enum prove_answer answers[PROVE_PROPERTIES];
    char reasons[PROVE_PROPERTIES][PROVE_TEXT]; /* why a property is not proved, with the source line */
    char assumptions[PROVE_ASSUMPTIONS][PROVE_TEXT];
    size_t assumption_count;
    unsigned dimensions;
    uint32_t local[3];  /* that the kernel requires, 0: any */
    size_t kept, tried; /* invariants */
    unsigned unsized;   /* objects that are accessed whose size is not known: PROVE_UNSIZED_* */
    bool has_atomics;
    struct prove_launch launches[PROVE_LAUNCHES];
    size_t launch_count;
};

/* Decides about the kernel of EX, which ex_read made; EX->config.kernel names it.  Returns MM_OK or
 * MM_INVALID (bad input, with the rule). An instruction that is not supported makes all answers unknown, with
 * its line as reason. */
enum mm_class prove_kernel(struct ex *ex, const struct prove_options *options, struct prove_verdict *verdict,
                           struct mm_error *err);

#endif
