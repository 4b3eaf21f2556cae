/* Handles of recorded kernel commands, and their updates [cl_khr_command_buffer_mutable_dispatch 0.9.5]. */
#ifndef REF_RUNTIME_ENQUEUE_MUTABLE_H
#define REF_RUNTIME_ENQUEUE_MUTABLE_H

#include "ref-runtime/enqueue/command_buffer.h"

/* What the registry names cl_mutable_dispatch_config_khr; older headers have an older structure of that
 * name. */
struct rt_mutable_config {
    cl_mutable_command_khr command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const struct rt_mutable_arg {
        cl_uint index;
        size_t size;
        const void *value;
    } * arg_list, *arg_svm_list;
    const struct rt_mutable_exec_info {
        cl_uint name;
        size_t size;
        const void *value;
    } * exec_info_list;
    const size_t *global_work_offset, *global_work_size, *local_work_size;
};

struct rt_kernel;
/* Before a kernel is recorded: checks PROPERTIES, and makes the handle of S if WANTED. */
cl_int rt_mutable_begin(struct rt_submission *s, const cl_properties *properties, const size_t *local,
                        cl_kernel kernel, bool wanted);
/* Afterwards: ERROR, or the handle. */
cl_int rt_mutable_end(const struct rt_submission *s, cl_int error, cl_uint dimensions,
                      const size_t *const sizes[3], cl_mutable_command_khr *handle);
/* COMMAND is number INDEX of BUFFER. */
void rt_mutable_place(struct rt_mutable *command, struct rt_command_buffer *buffer, size_t index);

#endif
