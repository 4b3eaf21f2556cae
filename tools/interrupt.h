/* SIGINT, SIGTERM and SIGHUP of a command that ends with a partial report. */
#ifndef TOOLS_INTERRUPT_H
#define TOOLS_INTERRUPT_H

#include <signal.h>
#include <sys/types.h>

/* The first of these signals is noted; a later one ends the process, which is the command's, at once.  In a
 * process that it forks, each is noted. */
void tool_interrupt_catch(void);
/* Signals that arrive are passed on to PROCESS, unless a terminal sent them, which they reach by themselves.
 * 0: none is. */
void tool_interrupt_forward(pid_t process);
/* The signal that was noted, 0: none. */
extern volatile sig_atomic_t tool_interrupted;
/* CODE; or, where a signal was noted, after "refcl: interrupted: " and MEANING on stderr, the exit code that
 * shells give it: EXIT_INTERRUPTED for SIGINT. */
int tool_interrupt_end(int code, const char *meaning);
/* Runs ARGV to its end, with signals passed on; its wait status.  If ARGV cannot be run it is that of a
 * process that exits with FAILED. */
int tool_interrupt_run(char **argv, int failed);
/* While OpenCL C is compiled the helper process must not see the signals: they are noted after it. */
void tool_interrupt_hold(sigset_t *before);
void tool_interrupt_release(const sigset_t *before);

#endif
