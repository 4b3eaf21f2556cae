/* The kernel environment and the executor. */
#ifndef RT_ENVIRONMENT_H
#define RT_ENVIRONMENT_H

#include "ref-runtime/sched/command.h"

/* Executor thread: attributes findings from now on to COMMAND; NULL: to no command. */
void rt_environment_enter(struct rt_command *command);
/* Whether findings stay off standard error: on request, or because the reader of the recording reports them. */
bool rt_findings_are_quiet(void);

#endif
