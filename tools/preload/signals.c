/* librefcl-signals: functions of the C library that set signal handlers, interposed.
 *
 * refcl's guard pages need the handler of SIGSEGV.  From the time that refcl has taken a signal, the
 * application's actions are kept here: refcl's handler stays installed, and signals that are not refcl's
 * are passed on to the application's action, whenever that was set.  The application sees only its own
 * actions. */
#include "interp/signal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

int refcl_sigaction(int number, const struct sigaction *action, struct sigaction *previous);

enum { SIGNALS = 65 };
static struct sigaction of_application[SIGNALS];
static atomic_bool is_taken[SIGNALS];

/* ---- the C library's functions --------------------------------------------------------------- */

typedef int action_function(int, const struct sigaction *, struct sigaction *);
typedef sighandler_t handler_function(int, sighandler_t);
static action_function *next_sigaction;

static void find_next(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

__attribute__((constructor)) static void find_sigaction(void)
{
    if (!next_sigaction)
        find_next("sigaction", &next_sigaction);
}

static int set_action(int number, const struct sigaction *action, struct sigaction *previous)
{
    find_sigaction(); /* constructors of other libraries may be called first */
    return next_sigaction(number, action, previous);
}

/* ---- the lock: a handler may call these functions -------------------------------------------- */

static atomic_flag lock = ATOMIC_FLAG_INIT;

static sigset_t lock_actions(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    return before;
}

static void unlock_actions(const sigset_t *before)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A child of fork() has the lock free. */
static sigset_t before_fork;

static void lock_for_fork(void)
{
    before_fork = lock_actions();
}

static void unlock_after_fork(void)
{
    unlock_actions(&before_fork);
}

__attribute__((constructor)) static void handle_fork(void)
{
    pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

/* ---- refcl's handlers ------------------------------------------------------------------------ */

static void pass_to_application(int number, siginfo_t *info, void *context)
{
    sigset_t before = lock_actions();
    struct sigaction action = of_application[number];
    if (action.sa_flags & (int)SA_RESETHAND)
        of_application[number] = (struct sigaction){.sa_handler = SIG_DFL};
    unlock_actions(&before);
    in_signal_pass_on(&action, number, info, context);
}

/* sigaction() for refcl itself.  The previous action passes on to the application's. */
EXPORT int refcl_sigaction(int number, const struct sigaction *action, struct sigaction *previous)
{
    struct sigaction was;
    sigset_t before = lock_actions();
    int code = set_action(number, action, &was);
    if (code == 0 && !is_taken[number]) {
        if (action)
            of_application[number] = was;
        is_taken[number] = action != NULL;
        was = (struct sigaction){.sa_sigaction = pass_to_application, .sa_flags = SA_SIGINFO | SA_NODEFER};
    }
    unlock_actions(&before);
    if (code == 0 && previous)
        *previous = was;
    return code;
}

/* ---- the application's handlers -------------------------------------------------------------- */

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *previous)
{
    if (number <= 0 || number >= SIGNALS)
        return set_action(number, action, previous);
    struct sigaction set = action ? *action : (struct sigaction){0}, was;
    int code = 0;
    sigset_t before = lock_actions();
    if (is_taken[number]) {
        was = of_application[number];
        if (action)
            of_application[number] = set;
    } else {
        code = set_action(number, action ? &set : NULL, &was);
    }
    unlock_actions(&before);
    if (code == 0 && previous)
        *previous = was;
    return code;
}

/* FLAGS: of the action that the function NAME sets. */
static sighandler_t set_handler(const char *name, int flags, int number, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, was;
    handler_function *next;
    if (number > 0 && number < SIGNALS && is_taken[number] && handler != SIG_ERR)
        return sigaction(number, &action, &was) == 0 ? was.sa_handler : SIG_ERR;
    find_next(name, &next);
    return next(number, handler);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    return set_handler("signal", SA_RESTART, number, handler);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return set_handler("sysv_signal", (int)SA_RESETHAND | SA_NODEFER, number, handler);
}

EXPORT int __sigaction(int, const struct sigaction *, struct sigaction *)
    __attribute__((alias("sigaction"), nothrow, leaf));
EXPORT sighandler_t bsd_signal(int, sighandler_t) __attribute__((alias("signal"), nothrow, leaf));
EXPORT sighandler_t ssignal(int, sighandler_t) __attribute__((alias("signal"), nothrow, leaf));
EXPORT sighandler_t __sysv_signal(int, sighandler_t) __attribute__((alias("sysv_signal"), nothrow, leaf));
