/* A child process whose descendants do not outlive refcl, even where refcl is killed.
 *
 * A parent-death signal reaches only a direct child.  Between refcl and the child therefore is a supervisor:
 * a process that adopts the child's orphaned descendants (PR_SET_CHILD_SUBREAPER), and kills all of them when
 * the connection to refcl closes.  It keeps the child's process id in use until refcl has waited for it. */
#ifndef TOOLS_SUPERVISOR_H
#define TOOLS_SUPERVISOR_H

#include <stdbool.h>
#include <sys/types.h>

struct supervised {
    pid_t pid, supervisor; /* PID: of the child; -1: it was not started */
    int link;              /* readable once the child has ended */
};
/* Removes DEBUGINFOD_URLS from the environment; children of supervised_fork() have it.  elfutils would ask
 * these servers for debug information that no local file has, and wait for minutes if one does not answer.
 * To be called before there are threads. */
void supervised_hide_servers(void);
/* Like fork(): 0 in the child, else its process id, or -1 with errno set. */
pid_t supervised_fork(struct supervised *child);
bool supervised_has_ended(const struct supervised *child);
/* Waits until the child has ended; its wait status.  Remaining descendants continue unsupervised. */
int supervised_wait(struct supervised *child);

#endif
