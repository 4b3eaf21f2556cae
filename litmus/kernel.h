/* A test as a kernel: what the OpenCL emitter and the Vulkan emitter (vulkan/) give to the plan. */
#ifndef LITMUS_KERNEL_H
#define LITMUS_KERNEL_H

#include "litmus/parse/ast.h"

/* A kernel for a test, with its interface to the runner. */
struct lt_kernel {
    const char *reason;    /* why the test cannot run as one kernel launch; NULL if it can */
    char *source;          /* free with free() */
    uint32_t group_count;  /* work-groups that take part in one instance */
    uint32_t member_count; /* work-items of one work-group that take part, at most */
    uint32_t columns;      /* values that an instance stores */
    bool wide;             /* they have 8 bytes, not 4 */
    bool sub_groups;       /* the last columns are the sub-groups of the threads */

    /* what it needs of the device */
    uint32_t orders, scopes; /* bit sets by enum mm_order and enum mm_scope */
    bool uses_long;
    bool generic; /* pointers to the generic address space */
    bool legacy;  /* no atomics or fences but those of OpenCL 1.2 */
    bool waits;   /* a loop: its work-groups must run at the same time */

    /* Vulkan */
    bool pointers;             /* locations in buffers are accessed through their addresses */
    uint32_t family_count;     /* queue families */
    uint32_t family_groups[2]; /* work-groups in each of them */

    /* The device counts a state whose values are in a range by its number, in which each value less LOW has
     * BITS bits. */
    int32_t low;
    uint32_t bits; /* 0: it counts none */
    uint32_t bins; /* counters, one for each number */
};
/* Fills KERNEL with the kernel of TEST, which is changed; PROGRAM is the lowered test. */
enum mm_class lt_emit_kernel(struct lt_test *test, const struct ck_program *program, struct lt_kernel *kernel,
                             struct mm_error *err);
/* Chooses the expected range of values; others are counted one by one. */
void lt_kernel_range(struct lt_kernel *kernel, const struct ck_program *program);
/* Whether observed term I of PROGRAM is stored by the kernel (registers, local memory). */
bool lt_observed_stored(const struct ck_program *program, uint32_t i);
/* Name of an observed term as herd prints it: "1:r0", "x", "x[2]". */
void lt_observed_name(const struct ck_program *program, uint32_t i, char *buf, size_t size);

#endif
