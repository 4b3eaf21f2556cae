/* librefcl-host: signal handlers of the program, interposed.  A handler may interrupt its thread while
 * that holds a lock of the recorder, of this library or of malloc(), so nothing that a handler does is
 * recorded: its accesses are counted as not checked. */
#include "tools/hostlib/hostlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum { SIGNALS = 65 };
typedef void handler_function(int, siginfo_t *, void *);
static _Atomic(handler_function *) functions[SIGNALS]; /* of the program */
static atomic_bool takes_information[SIGNALS];
static bool locked;

__thread unsigned host_handlers;

/* The handler of all signals.  A handler of one parameter ignores the others, which are in registers. */
static void run_handler(int number, siginfo_t *info, void *context)
{
    handler_function *function = atomic_load(&functions[number]);
    host_handlers++;
    function(number, info, context);
    host_handlers--;
}

static bool is_function(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN && action->sa_handler != SIG_ERR;
}

static void remember_action(int number, const struct sigaction *action)
{
    atomic_store(&functions[number], action->sa_sigaction);
    atomic_store(&takes_information[number], (action->sa_flags & SA_SIGINFO) != 0);
}

/* ACTION, the kernel's, with the program's handler in place of run_handler(). */
static struct sigaction as_set(const struct sigaction *action, const struct sigaction *own)
{
    struct sigaction set = *action;
    if (action->sa_sigaction != run_handler)
        return set;
    set.sa_sigaction = own->sa_sigaction;
    set.sa_flags = (action->sa_flags & ~SA_SIGINFO) | own->sa_flags;
    return set;
}

static int set_action(int number, const struct sigaction *action, struct sigaction *previous)
{
    int (*next)(int, const struct sigaction *, struct sigaction *);
    struct sigaction set = {0}, was, own = {0};
    sigset_t all, before;
    host_find_next("sigaction", NULL, &next);
    if (number <= 0 || number >= SIGNALS)
        return next(number, action, previous);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler may call this */
    host_lock(&locked);
    own.sa_sigaction = atomic_load(&functions[number]);
    own.sa_flags = atomic_load(&takes_information[number]) ? SA_SIGINFO : 0;
    bool wraps = action && is_function(action);
    if (action)
        set = *action;
    if (wraps) {
        remember_action(number, action);
        set.sa_sigaction = run_handler;
        set.sa_flags |= SA_SIGINFO;
    }
    int code = next(number, action ? &set : NULL, &was);
    if (code && wraps)
        remember_action(number, &own);
    host_unlock(&locked);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!code && previous)
        *previous = as_set(&was, &own);
    return code;
}

static void unlock_in_child(void)
{
    host_unlock(&locked);
}

__attribute__((constructor)) static void unlock_in_children(void)
{
    pthread_atfork(NULL, NULL, unlock_in_child);
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *previous)
{
    return set_action(number, action, previous);
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, was;
    sigemptyset(&action.sa_mask);
    if (!(flags & SA_NODEFER) && number > 0 && number < SIGNALS)
        sigaddset(&action.sa_mask, number);
    return set_action(number, &action, &was) ? SIG_ERR : was.sa_handler;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    return set_handler(number, handler, SA_RESTART);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return set_handler(number, handler, (int)SA_RESETHAND | SA_NODEFER);
}

EXPORT int __sigaction(int, const struct sigaction *, struct sigaction *)
    __attribute__((alias("sigaction"), nothrow, leaf));
EXPORT sighandler_t bsd_signal(int, sighandler_t) __attribute__((alias("signal"), nothrow, leaf));
EXPORT sighandler_t ssignal(int, sighandler_t) __attribute__((alias("signal"), nothrow, leaf));
EXPORT sighandler_t __sysv_signal(int, sighandler_t) __attribute__((alias("sysv_signal"), nothrow, leaf));

/* ---- handlers that end by a jump ------------------------------------------------------------------- */

/* The target of a jump is unknown: it is assumed to leave all handlers of the thread.  <setjmp.h> renames
 * these functions, so it is not included. */
#define JUMP(name)                                                                                           \
    EXPORT _Noreturn void name(void *environment, int value);                                                \
    EXPORT _Noreturn void name(void *environment, int value)                                                 \
    {                                                                                                        \
        void (*next)(void *, int);                                                                           \
        host_find_next(#name, NULL, &next);                                                                  \
        host_handlers = 0;                                                                                   \
        next(environment, value);                                                                            \
        __builtin_unreachable();                                                                             \
    }
JUMP(siglongjmp)
JUMP(longjmp)
JUMP(_longjmp)
JUMP(__longjmp_chk)
