/* What the enqueue files share: the checks that every call begins with. */
#ifndef RT_ENQUEUE_H
#define RT_ENQUEUE_H

#include "ref-runtime/memory.h"

/* Queue and wait list, as every enqueue call checks them: *QUEUE is set on CL_SUCCESS. */
cl_int rt_enqueue_begin(cl_command_queue handle, cl_uint count, const cl_event *list,
                        struct rt_queue **queue);
/* A buffer for a command of QUEUE: it exists, is of the same context, and is aligned for the device. */
cl_int rt_enqueue_buffer(const struct rt_queue *queue, cl_mem handle, struct rt_mem **mem);
/* The bytes of MEM on COMMAND's device, up to date; NULL: no memory. */
unsigned char *rt_enqueue_bytes(const struct rt_command *command, struct rt_mem *mem, size_t offset,
                                size_t size);
/* After writing there. */
bool rt_enqueue_written(const struct rt_command *command, struct rt_mem *mem, size_t offset, size_t size);
/* Records the access, whose bytes are DATA. */
void rt_enqueue_record(const struct rt_command *command, enum mm_kind kind, struct rt_mem *mem, size_t offset,
                       size_t size, const void *data);

#endif
