/* The kernel environment and the executor. */
#ifndef RT_ENVIRONMENT_H
#define RT_ENVIRONMENT_H

#include "ref-runtime/sched/command.h"

/* Executor thread: findings from now on are COMMAND's; NULL: nobody's. */
void rt_environment_enter(struct rt_command *command);
/* Whether findings stay off standard error: as asked, or because whoever listens to the recording reports. */
bool rt_quiet(void);

#endif
