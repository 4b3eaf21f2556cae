/* Internal to expand*.c: the filter between a trace and its consumer. */
#ifndef INTERP_REPLAY_EXPAND_INTERNAL_H
#define INTERP_REPLAY_EXPAND_INTERNAL_H

#include "interp/exec/exec.h"
#include "interp/replay/replay.h"
#include "memmodel/base/input.h"

/* Renumbering: ids that re-executed launches add shift all later ids of the trace. */
struct in_shift {
    uint64_t seen; /* largest id in the trace so far; for events: their number */
    uint64_t out;  /* the same for the output */
    struct in_shift_step {
        uint64_t from, add; /* to ids FROM and above */
    } * steps;
    size_t count;
};
uint64_t in_shift_id(const struct in_shift *shift, uint64_t id);

/* Contents of an allocation of the trace. */
struct in_mirror {
    struct in_mirror *next;
    uint32_t id;             /* in the trace */
    uint64_t size, known;    /* size in bytes, and length of the prefix with recorded contents */
    uint8_t *bytes;          /* NULL: none yet */
    uint64_t address;        /* of SVM that may hold pointers to SVM; 0: any */
    bool fixed;              /* BYTES are there */
    struct in_object object; /* of SVM; its id is that of the output */
};
enum { IN_MIRROR_CHAINS = 1024 };

struct in_expanded_program {
    struct in_expanded_program *next;
    uint32_t id;
    struct in_module *module;
    struct in_instance *instance;
};

struct in_expander {
    const struct mm_sink *to;
    struct mm_recorder *recorder; /* writes to TO */
    enum mm_class stopped;        /* result of TO, or class of ERROR */
    struct mm_error error;        /* not OK with STOPPED OK: a re-execution differed */
    struct in_shift events, sources, allocations;
    struct in_mirror *mirrors[IN_MIRROR_CHAINS];
    uint64_t mirrored, most; /* total bytes of mirrors, and their limit */
    const char *file; /* of a file: its name and size, which limit memory and instructions; else NULL */
    uint64_t file_size, steps; /* STEPS: instructions executed so far */
    struct in_expanded_program *programs;
    struct in_finding finding; /* of the current launch */
    bool found, follows;       /* FOLLOWS: it may follow pointers into SVM */
};

/* expand_memory.c */
struct in_mirror *in_mirror_find(const struct in_expander *e, uint32_t id);
enum mm_class in_mirror_create(struct in_expander *e, const struct mm_allocation *allocation);
void in_mirror_free(struct in_expander *e, uint32_t id);
void in_mirrors_destroy(struct in_expander *e);
/* The SVM that ADDRESS is in, NULL if it is in none. */
const struct in_object *in_mirror_find_svm(struct in_expander *e, uint64_t address);
/* Whether all SVM with contents is at its addresses. */
bool in_mirrors_are_fixed(const struct in_expander *e);
enum mm_class in_mirror_content(struct in_expander *e, const struct mm_content *content);
/* expand.c: of a file, whether AMOUNT is within the limit; fills e->error if not. */
enum mm_class in_expand_check(struct in_expander *e, enum mm_input limit, uint64_t amount);
/* expand_launch.c */
enum mm_class in_expand_no_memory(struct in_expander *e); /* fills e->error */
enum mm_class in_expand_program(struct in_expander *e, const struct mm_program *program);
enum mm_class in_expand_launch(struct in_expander *e, const struct mm_replay *replay);
/* The variable in global memory of a program whose id in the trace is ALLOCATION, NULL if there is none. */
const struct in_object *in_expand_find_variable(const struct in_expander *e, uint32_t allocation);
void in_expand_programs_destroy(struct in_expander *e);

#endif
