/* Injected faults of commands: see interp/fault.def. */
#ifndef REF_RUNTIME_CHECK_FAULT_H
#define REF_RUNTIME_CHECK_FAULT_H

#include "interp/fault.h"
#include "ref-runtime/enqueue/launch.h"

/* Whether a command that enters the queue ignores EVENT of its wait list. */
bool rt_fault_forgets(const struct rt_event *event);
/* Whether a blocking call for EVENT does not block. */
bool rt_fault_returns_early(const struct rt_event *event);
/* Called before a command starts: delays it if a fault ends waits early, so that the fault has an effect. */
void rt_fault_delay(struct rt_command *command);
/* Called when a kernel with bound arguments starts, and when it has ended. */
void rt_fault_kernel_start(struct rt_kernel_command *kernel);
void rt_fault_kernel_end(struct rt_kernel_command *kernel);
/* The number of bytes, of SIZE, that a partial transfer moves. */
size_t rt_fault_partial(size_t size);
/* SVM at POINTER was mapped: its contents are kept; it is unmapped: it gets them back, as if the host had
 * written nothing. */
void rt_fault_svm_map(const void *pointer, size_t size);
void rt_fault_svm_unmap(const void *pointer);

#endif
