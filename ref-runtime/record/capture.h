/* Capturing launches: REFCL_CAPTURE=PATTERN writes each to a file; %p is the process id, %n the launch's
 * number.  See memmodel/trace/capture.h. */
#ifndef REF_RUNTIME_RECORD_CAPTURE_H
#define REF_RUNTIME_RECORD_CAPTURE_H

#include "ref-runtime/enqueue/launch.h"

/* The launch is about to start: its arguments are bound.  Executor thread. */
void rt_capture(const struct rt_command *command, const struct rt_kernel_command *k);
/* The same for a launch whose accesses go into the trace, with REFCL_TRACE_LAUNCHES: file PROCESS-COMMAND.cap
 * of that folder.  Only the first launches of a kernel, while they are not large. */
void rt_capture_recorded(const struct rt_command *command, const struct rt_kernel_command *k);

#endif
