/* Capturing launches: REFCL_CAPTURE=PATTERN writes each to a file; %p is the process id, %n the launch's
 * number.  See memmodel/capture.h. */
#ifndef RT_CAPTURE_H
#define RT_CAPTURE_H

#include "ref-runtime/launch.h"

/* The launch is about to start: its arguments are bound.  Executor thread. */
void rt_capture(const struct rt_command *command, const struct rt_kernel_command *k);

#endif
