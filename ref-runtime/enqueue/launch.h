/* Kernels in queues: what launches by the host and by kernels share. */
#ifndef REF_RUNTIME_ENQUEUE_LAUNCH_H
#define REF_RUNTIME_ENQUEUE_LAUNCH_H

#include "ref-runtime/sched/command.h"

/* The payload of a kernel's command. */
struct rt_kernel_command {
    struct rt_launch *launch;
    bool launch_is_shared; /* it belongs to the command buffer that holds this command */
    uint32_t dimensions;
    uint64_t global_size[3], global_offset[3];
    uint32_t local_size[3];
    struct in_argument *arguments;
    struct in_image *images; /* of the arguments, one each; NULL: none is an image */
    struct in_run *run;
    bool instrumented; /* it may be instrumented instead of recorded (instrument.c) */
    bool replays;      /* it is instrumented, and the trace gets a record for its re-execution (replay.c) */
    void *block;       /* enqueued by a kernel: the block literal, argument 0 */
    struct in_object block_object;
};
extern const struct rt_operation rt_kernel_operation;
/* Sizes as clEnqueueNDRangeKernel checks them; k->launch is set. */
cl_int rt_kernel_check_sizes(cl_uint dimensions, const size_t *offset, const size_t *global,
                             const size_t *local, struct rt_kernel_command *k);
/* Whether the device supports the arguments: kinds of SVM, pointers to it, origins of sub-buffers, sizes and
 * formats of images. */
cl_int rt_launch_check_arguments(const struct rt_launch *launch);
/* A call that executes a kernel with its arguments as they are now. */
struct rt_kernel_call {
    struct rt_queue *queue;
    cl_command_type type;
    const char *name; /* of the call */
    struct rt_kernel *kernel;
    bool partial; /* some arguments may be unset */
    cl_uint dimensions;
    const size_t *const *sizes; /* global offset, global and local size, each of DIMENSIONS numbers or NULL */
};
/* Makes the command of CALL, checked but not submitted. */
cl_int rt_kernel_command(const struct rt_kernel_call *call, struct rt_command **made);
/* Puts the sizes into the record of COMMAND. */
void rt_kernel_describe(struct rt_command *command);

/* ---- device-side enqueue (enqueue/device.c), on the executor thread ---- */

/* Environment callbacks, for the kernel of the command PARENT. */
/* Opens the gates of GROUP, or RT_ALL_GROUPS, of PARENT's kernel, which has ended. */
void rt_device_open_gates(struct rt_command *parent, uint64_t group);
int rt_device_enqueue(struct rt_command *parent, const struct in_enqueue *enqueue, void **event);
int rt_device_marker(struct rt_command *parent, void *queue, void *const *list, uint32_t count, void **event);
void *rt_device_default_queue(const struct rt_command *parent);
void *rt_device_user_event(const struct rt_command *parent);
void rt_device_set_user_event(void *event, int status);
void rt_device_capture(const struct rt_command *parent, void *event, void *value);

#endif
