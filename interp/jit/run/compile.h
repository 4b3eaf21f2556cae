/* Inside jit: kernels as native code. */
#ifndef INTERP_JIT_RUN_COMPILE_H
#define INTERP_JIT_RUN_COMPILE_H

#include "interp/jit/emit/emit.h"
#include "interp/jit/instrument/shadow.h"
#include <llvm-c/LLJIT.h>
#include <stdatomic.h>

typedef void (*in_jit_row_fn)(const struct in_jit_frame *frame, uint8_t *local, uint8_t *context, uint32_t g0,
                              uint32_t g1, uint32_t g2, uint32_t groups);
typedef void (*in_jit_edge_fn)(const struct in_jit_frame *frame, uint8_t *local, uint8_t *context,
                               uint32_t g0, uint32_t g1, uint32_t g2, uint32_t s0, uint32_t s1, uint32_t s2);

/* Properties of a kernel that its compilation has determined; kept with the code. */
struct in_jit_shape {
    uint64_t context_bytes;
    uint32_t group_size[3]; /* of what ROW and EDGES take as a work-group, unless that is any */
    uint8_t waits, waits_if_aliased, flat;
    uint8_t shares; /* atomics that threads may contend for */
    uint8_t barriers;
    uint8_t assumes_disjoint; /* the order of accesses: different arguments lead to different memory */
    struct in_shadow_plan shadow_plan;
};
/* A kernel for one local size. */
struct in_jit_kernel {
    struct in_jit_kernel *next;
    struct in_jit_options options;
    bool edge, covered;
    /* Of IN_JIT_ANY_SIZE: instructions executed since a size was last specialized for. */
    _Atomic uint64_t work;
    bool kept;               /* its code comes from the cache on disk */
    _Atomic double group_ns; /* of a work-group in the latest launch; 0: none was measured */
    _Atomic double alone_ns; /* in the latest launch in one thread, if threads may contend */
    atomic_uint contended;   /* this number of the next launches stay in one thread */
    struct in_jit_shape shape;
    char why[160];
    struct in_jit_layout layout;
    struct in_jit_calls calls;
    in_jit_row_fn row; /* NULL: for any size, by EDGES alone */
    in_jit_edge_fn edges;
    /* Whether the code is for launches with this frame; NULL: for all (instrument/launch_ranges.hpp). */
    uint32_t (*holds)(const struct in_jit_frame *frame);
    in_jit_edge_fn turns; /* where work-items wait for one another: instead of both, fibers.h */
    LLVMOrcLLJITRef jit;
};
/* OPTIONS for any local size. */
struct in_jit_options in_jit_any_size(const struct in_jit_options *options);
/* Makes OPTIONS those of code for any local size, or for any formats of images, where that is expected to
 * take less time, for a launch that executes about WORK instructions. */
void in_jit_choose_variant(const struct in_kernel *kernel, struct in_jit_options *options, bool edge,
                           double work);
/* The kernel compiled for OPTIONS, from the cache in its in_code; NULL when out of memory or the process
 * ends. Any thread. */
struct in_jit_kernel *in_jit_compile(struct in_module *module, struct in_kernel *kernel,
                                     const struct in_jit_options *options, bool edge);
void in_jit_forget(void *native);
/* Stops compilation, of kernels that are being compiled too; or permits it again. */
void in_jit_stop_compiling(bool stop);

/* load.c: K's functions from OBJECT, which it takes; false: K's why. */
bool in_jit_load(struct in_jit_kernel *k, LLVMMemoryBufferRef object);
void in_jit_unload(struct in_jit_kernel *k);

#endif
