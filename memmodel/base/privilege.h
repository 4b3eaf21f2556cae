/* Environment variables in a process that may run with more rights than its caller has. */
#ifndef MEMMODEL_BASE_PRIVILEGE_H
#define MEMMODEL_BASE_PRIVILEGE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True in a program that got rights at its start (set-user-id, set-group-id, file capabilities): its caller
 * controls the environment and must not control what files it reads, writes or executes. */
bool mm_is_privileged(void);
/* getenv, but NULL in a privileged program.  Libraries that applications load read all variables through it;
 * tools/lint.sh checks that. */
const char *mm_getenv(const char *name);

#ifdef __cplusplus
}
#endif

#endif
