/* The JIT's interface to the rest of interp: librefcl-jit.so exports in_jit_interface and nothing else.
 *
 * The JIT takes launches that are neither recorded nor checked and gives the same results as the interpreter;
 * what it does not cover it declines, and the interpreter executes. */
#ifndef INTERP_JIT_JIT_H
#define INTERP_JIT_JIT_H

#include "interp/exec/exec.h"
#include "interp/jit/instrument/shadow.h"

/* The launch as compiled code reads it; the emitters know the offsets of the fields. */
struct in_jit_frame {
    uint64_t global_size[3], global_offset[3], num_groups[3], local_size[3];
    uint64_t group_size[3]; /* of what compiled code takes as a work-group */
    uint64_t first_item;    /* code for any local size: work-items before it are not executed */
    uint64_t work_dim, sub_group_size, enqueued_sub_groups;
    uint8_t *program;        /* variables of the module on this device */
    uint8_t *arguments;      /* at the offsets of struct in_jit_kernel's layout */
    int64_t budget;          /* instructions left, where they are counted: below 0 the launch stops */
    _Atomic uint32_t stop;   /* not 0: the launch stops, where they are not */
    struct in_shadow shadow; /* of instrumented launches */
};

/* Changes with the structures that both sides see. */
#define IN_JIT_VERSION                                                                                       \
    (uint32_t)(2002 + sizeof(struct in_launch) + 3 * sizeof(struct in_jit_frame) +                           \
               5 * sizeof(struct in_argument) + 7 * sizeof(struct in_module) + 11 * sizeof(struct in_ty) +   \
               13 * sizeof(struct in_id) + 17 * sizeof(struct in_code) + 19 * sizeof(struct in_kernel) +     \
               23 * sizeof(struct in_instance) + 29 * sizeof(struct in_run))

struct in_jit_run;
/* An access to a guard page, with REFCL_GUARD=1. */
struct in_jit_fault {
    uint64_t address;
    int writes;                 /* -1: not known */
    uint64_t local, local_size; /* the work-group's local memory */
};
enum in_jit_begin {
    IN_JIT_BEGINS,
    IN_JIT_DECLINES, /* the interpreter must do it */
    IN_JIT_NOT_HERE  /* not from that work-group on, but from a later one */
};
/* How a step of a launch ended. */
enum in_jit_end {
    IN_JIT_OVER,
    IN_JIT_WAITS,         /* for something outside of it */
    IN_JIT_OUT_OF_MEMORY, /* the launch is over */
    IN_JIT_STEP_LIMIT,    /* over */
    IN_JIT_FAULT,         /* over */
    IN_JIT_STOPPED,       /* by in_jit_api.stop_all, permanently */
    IN_JIT_UNEXPECTED,    /* instrumented: to be begun again, with code that expects less of pointers */
    IN_JIT_DEOPTIMIZED    /* instrumented: the interpreter re-executes it from the beginning */
};
struct in_jit_api {
    uint32_t version; /* IN_JIT_VERSION */
    /* For the work-groups from launch->next_group on; with launch->one, for that work-group alone, from
     * work-item launch->first_item on; with launch->part, unless they may wait for the work-items before.
     * Where it declines WHY says the reason. */
    enum in_jit_begin (*create)(struct in_run *launch, struct in_jit_run **run, char *why, size_t why_size);
    void (*prepare)(const struct in_run *launch); /* compiles it in the background */
    /* What functions of the interpreter find wrong ends the launch, and counts as its findings. */
    enum in_jit_end (*step)(struct in_jit_run *run, struct in_jit_fault *fault);
    void (*destroy)(struct in_jit_run *run);
    void (*forget)(void *native);                        /* in_code.native */
    void (*stop_launches)(const _Atomic uint32_t *stop); /* those with it in struct in_launch */
    void (*stop_all)(void); /* launches under way, and all later ones: the process ends */
    /* Before that, and before LLVM's static destructors run: compilation has stopped. */
    void (*stop_compiling)(void);
    uint64_t (*own_threads)(void); /* as mm_own_threads() counts them */
};
/* native.c, in the JIT's own copy of interp, which may be the last to need a module. */
void in_native_use(const struct in_jit_api *api);
#define IN_JIT_SYMBOL "in_jit_interface"
typedef const struct in_jit_api *(*in_jit_interface_fn)(void);

#endif
