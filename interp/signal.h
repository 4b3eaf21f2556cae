/* Handlers of faults, beside those of the application. */
#ifndef INTERP_SIGNAL_H
#define INTERP_SIGNAL_H

#include <signal.h>

/* sigaction() for refcl's own handlers: the library of tools/preload, which `refcl run` loads, stores the
 * application's handlers and does not install them; this call bypasses it.  PREVIOUS is only valid for
 * passing signals on to it. */
int in_sigaction(int number, const struct sigaction *action, struct sigaction *previous);
/* Handles a signal by the action TO, as the kernel does where TO is installed. */
void in_signal_pass_on(const struct sigaction *to, int number, siginfo_t *info, void *context);

#endif
