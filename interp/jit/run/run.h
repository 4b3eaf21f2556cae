/* Inside jit: a launch of a compiled kernel. */
#ifndef INTERP_JIT_RUN_RUN_H
#define INTERP_JIT_RUN_RUN_H

#include "interp/jit/run/callout.h"
#include "interp/jit/run/compile.h"
#include <stdatomic.h>

/* Consecutive work-groups, which one thread takes first: its caches may have their data from the launch
 * before. */
struct in_jit_part {
    _Alignas(64) atomic_uint_fast64_t next;
    uint64_t end;
};
enum { IN_JIT_PARTS = 8 };

struct in_jit_run {
    struct in_jit_kernel *kernel;
    struct in_run *launch;
    struct in_module *module;
    uint8_t few_arguments[256], *arguments; /* where they do not fit: separately allocated */
    uint64_t group_count[3], groups, local_bytes;
    uint32_t local_size[3];
    atomic_uint_fast64_t next; /* work-group, in linear order; of launches that are not in parts */
    struct in_jit_part *parts;
    unsigned part_count;
    unsigned cores;      /* threads that may execute work-groups */
    atomic_uint threads; /* that do */
    double alone;        /* nanoseconds of a work-group in one thread alone; 0: not measured (pace.c) */
    void (*help)(void *run, unsigned thread); /* what further threads call */
    bool offered;                             /* to them */
    atomic_bool out_of_memory, faulted;
    struct in_jit_fault fault;                /* the first, once faulted */
    struct in_jit_run *following, **link;     /* in the list of launches */
    struct in_fiber_thread *turns;            /* fibers.c */
    struct in_instrumented_run *instrumented; /* instrument/launch.c; NULL: the launch is not instrumented */
    _Alignas(16) struct in_jit_frame frame;   /* without its SHADOW where the launch is not instrumented */
};
/* Whether compiled code executes LAUNCH, or why not; run/create.c. */
enum in_jit_begin in_jit_run_create(struct in_run *launch, struct in_jit_run **out, char *why,
                                    size_t why_size);
void in_jit_run_destroy(struct in_jit_run *run);
/* Compiles the code for LAUNCH, which may come later, in the background. */
void in_jit_run_prepare(const struct in_run *launch);

/* The callout frame for a thread of RUN, NULL also where the kernel needs none: then *FITS.  When it is
 * released, its error becomes the launch's. */
struct in_jit_callout *in_jit_callout_acquire(struct in_jit_run *run, bool *fits);
void in_jit_callout_release(struct in_jit_run *run, struct in_jit_callout *outside);

/* Adds RUN to the list of launches; removes it. */
void in_jit_launch_enter(struct in_jit_run *run);
void in_jit_launch_leave(struct in_jit_run *run);
/* STOP: stops all launches, and each one that is entered later; else launches run again. */
void in_jit_stop_launches(bool stop);
/* Stops the launches that have STOP, which is set. */
void in_jit_stop_some(const _Atomic uint32_t *stop);

/* Compiled code of RUN stopped at a fault. */
void in_jit_faulted(struct in_jit_run *run, const struct in_jit_fault *fault);
/* Whether the launch is to stop. */
static inline bool in_jit_stops(const struct in_jit_run *run)
{
    return run->frame.budget < 0 || atomic_load_explicit(&run->faulted, memory_order_relaxed) ||
           atomic_load_explicit(&run->frame.stop, memory_order_relaxed) != 0;
}

#endif
