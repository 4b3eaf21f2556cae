/* The kernel environment and the executor. */
#ifndef REF_RUNTIME_SCHED_ENVIRONMENT_H
#define REF_RUNTIME_SCHED_ENVIRONMENT_H

#include "ref-runtime/sched/command.h"

/* Executor thread: attributes findings from now on to COMMAND; NULL: to no command. */
void rt_environment_enter(struct rt_command *command);
/* Whether findings stay off standard error: on request, or because the reader of the recording reports
 * them. */
bool rt_findings_are_quiet(void);

#endif
