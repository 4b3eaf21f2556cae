#include "interp/signal.h"

#include <stdbool.h>
#include <stddef.h>

/* defined by tools/preload, NULL if that is not loaded */
extern int refcl_sigaction(int number, const struct sigaction *action, struct sigaction *previous)
    __attribute__((weak));

int in_sigaction(int number, const struct sigaction *action, struct sigaction *previous)
{
    return (refcl_sigaction ? refcl_sigaction : sigaction)(number, action, previous);
}

void in_signal_pass_on(const struct sigaction *to, int number, siginfo_t *info, void *context)
{
    bool sent = info->si_code <= 0; /* by a process; else by a fault, which occurs again */
    bool none = !(to->sa_flags & SA_SIGINFO) && (to->sa_handler == SIG_DFL || to->sa_handler == SIG_IGN);
    if (none && sent && to->sa_handler == SIG_IGN)
        return;
    if (none) {
        in_sigaction(number, to, NULL);
        if (sent)
            raise(number);
        return;
    }
    sigset_t mask = to->sa_mask; /* until the handler that called returns */
    if (!(to->sa_flags & SA_NODEFER))
        sigaddset(&mask, number);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    if (to->sa_flags & SA_SIGINFO)
        to->sa_sigaction(number, info, context);
    else
        to->sa_handler(number);
}
