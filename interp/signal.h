/* Handlers of faults, beside those of the application. */
#ifndef INTERP_SIGNAL_H
#define INTERP_SIGNAL_H

#include <signal.h>

/* sigaction() for refcl's own handlers: under `refcl run` the library of tools/preload keeps the application's handlers
 * apart from them, and this reaches the kernel's.  The previous action may be passed on to, and to nothing else. */
int in_sigaction(int number, const struct sigaction *action, struct sigaction *previous);
/* Handles a signal by the action TO, as the kernel does where TO is installed. */
void in_signal_pass_on(const struct sigaction *to, int number, siginfo_t *info, void *context);

#endif
