/* Internal: modules and the evaluation of work-items. */
#ifndef TOOLS_FOOTPRINT_EVALUATE_H
#define TOOLS_FOOTPRINT_EVALUATE_H

#include "interp/spirv.h"
#include "tools/layer/launch.h"

/* Bytes that a launch touches for certain, relative to an argument's pointer or a variable. */
struct fp_access {
    uint32_t base; /* index of the argument; FP_VARIABLE + index of a module-scope variable */
    uint32_t word; /* of the instruction */
    uint64_t offset, size;
    uint32_t line, column;
    uint8_t kind, attributes, order, scope; /* as in struct mm_event */
    bool after_sync; /* the work-item may have synchronized with another agent before */
};
enum { FP_VARIABLE = 1 << 20 };

struct fp_launch { /* evaluated */
    struct fp_launch *next;
    size_t size;
    void *bytes; /* without the numbers and offsets of memory objects: accesses do not depend on them */
    struct fp_access *accesses;
    size_t count;
    bool has_children; /* it may enqueue kernels */
    /* Sets of fp_argument_bit(): arguments through which the launch may read and write more than ACCESSES. */
    uint64_t may_read, may_write;
    /* It may access what no argument leads to: SVM through pointers in memory, program-scope variables. */
    bool may_touch_others;
};
struct fp_blocks {
    bool known; /* computed */
    uint32_t count, *labels;
};
struct fp_module {
    struct fp_module *next;
    size_t size;
    void *bytes;                  /* of the program's record */
    struct in_module *module;     /* NULL: it cannot be analyzed */
    struct in_inst *instructions; /* decoded once: a work-item executes them often */
    uint32_t *numbers;            /* by word: index of the instruction there */
    const struct in_ty **types;   /* of results, by id */
    uint32_t *post_dominators;    /* by id of a block: 1 + fp_post_dominator() of it; 0: not computed yet */
    struct fp_blocks *repeated;   /* by id of a block: fp_repeated_blocks() of it */
    bool has_atomics;             /* that read */
    bool prints;
    struct fp_launch *launches;
    uint32_t number; /* of the program */
};

/* The module of a program's record; kept for the life of the process.  Safe from any thread. */
struct fp_module *fp_module_find(const void *bytes, size_t size);
/* The lock that fp_evaluate() and the use of its result need. */
void fp_lock(void);
void fp_unlock(void);
/* Evaluates the launch that BYTES, a record of the layer, describe.  The result is valid until fp_unlock();
 * NULL: nothing is known. */
const struct fp_launch *fp_evaluate(struct fp_module *module, const void *bytes, size_t size);

/* ---- values -------------------------------------------------------------------------------------- */

enum fp_kind { FP_UNKNOWN, FP_INT, FP_POINTER, FP_PARTS };
struct fp_value {
    uint8_t kind;
    uint8_t count;   /* PARTS */
    uint32_t object; /* POINTER */
    uint64_t n;      /* INT; POINTER: offset */
    struct fp_value *parts;
};
/* The result of an integer operation on WIDTH bits; false: it is not evaluated. */
bool fp_arithmetic(uint32_t opcode, uint32_t width, uint64_t a, uint64_t b, uint64_t *result);
uint64_t fp_extend(uint64_t n, uint32_t width); /* with its sign */

/* The immediate post-dominator of BLOCK in FUNCTION: the word of its label; 0: the function's end. */
uint32_t fp_post_dominator(const struct fp_module *module, const struct in_function *function,
                           uint32_t block);

/* The blocks that may be executed between the branch at the end of BLOCK and its post-dominator, if BLOCK is
 * one of them: a loop repeats what they compute; else none.  NULL: out of memory. */
const struct fp_blocks *fp_repeated_blocks(const struct fp_module *module, const struct in_function *function,
                                           uint32_t block);

/* Arguments through which a kernel may access memory in any execution, as sets of fp_argument_bit(). */
struct fp_uses {
    uint64_t reads, writes;
    uint64_t unevaluated; /* through instructions that evaluate.c leaves out */
    uint64_t *from;       /* by id: arguments that a pointer may come from; the caller frees it */
};
/* The last bits: program-scope variables, and what no argument leads to. */
uint64_t fp_argument_bit(uint32_t index);
#define FP_OTHERS (UINT64_C(3) << 62)
/* False: out of memory. */
bool fp_uses_find(const struct fp_module *module, const struct in_function *kernel, struct fp_uses *uses);

/* Whether FUNCTION, or one that it calls, has an instruction OPCODE. */
bool fp_reaches(const struct in_module *module, const struct in_function *function, uint32_t opcode);

#endif
