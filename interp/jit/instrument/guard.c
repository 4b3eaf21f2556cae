/* REFCL_GUARD: a page fault in compiled code ends the launch; the process continues.
 *
 * Buffers, SVM and local memory lie between guard pages (mm_guarded_alloc); private memory is on a separate
 * stack between guard pages.  The signal handler switches to the context from which compiled code was
 * entered.  Faults in other code go to the previously installed handler. */
#include "interp/jit/instrument/guard.h"
#include "interp/signal.h"

#include <pthread.h>

enum { STACK = 8 << 20, HANDLER_STACK = 64 << 10 };

static __thread struct in_guard *current __attribute__((tls_model("initial-exec")));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const int signals[] = {SIGSEGV, SIGBUS};
static struct sigaction previous[2];

/* ---- faults ------------------------------------------------------------------------------ */

/* Whether the page fault was a write: 1 or 0; -1: unknown on this machine. */
static int fault_is_write(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return -1;
#endif
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    struct in_guard *g = current;
    if (!g || !g->home) {
        in_signal_pass_on(&previous[number == SIGBUS], number, info, context);
        return;
    }
    const ucontext_t *home = g->home;
    g->home = NULL;
    g->faulted = true;
    /* The processor reports no address for non-canonical addresses. */
    g->fault.address = info->si_code == SI_KERNEL ? UINT64_MAX : (uint64_t)(uintptr_t)info->si_addr;
    g->fault.writes = fault_is_write(context);
    setcontext(home);
}

/* A handler installed later becomes the previous handler. */
static void install_handler(void)
{
    struct sigaction now,
        action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    pthread_mutex_lock(&lock);
    for (int k = 0; k < 2; k++) {
        if (in_sigaction(signals[k], NULL, &now) != 0 ||
            ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault))
            continue;
        previous[k] = now;
        in_sigaction(signals[k], &action, NULL);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- around compiled code ---------------------------------------------------------------- */

bool in_guard_enter(struct in_guard *g)
{
    install_handler();
    *g = (struct in_guard){.outer = current};
    sigaltstack(NULL, &g->old_stack);
    if (g->old_stack.ss_flags & SS_DISABLE) {
        g->stack = mm_alloc(HANDLER_STACK);
        stack_t stack = {.ss_sp = g->stack, .ss_size = HANDLER_STACK};
        if (!g->stack || sigaltstack(&stack, NULL) != 0) {
            mm_free(g->stack);
            return false;
        }
    }
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &faults, &g->old_mask); /* the runtime's threads block all signals */
    current = g;
    return true;
}

void in_guard_leave(struct in_guard *g)
{
    current = g->outer;
    pthread_sigmask(SIG_SETMASK, &g->old_mask, NULL);
    if (g->stack)
        sigaltstack(&g->old_stack, NULL);
    mm_free(g->stack);
}

struct call {
    void (*work)(void *);
    void *argument;
};

static void call_main(unsigned high, unsigned low)
{
    const struct call *call = (const struct call *)((uintptr_t)high << 32 | low);
    call->work(call->argument);
}

bool in_guard_call(struct in_guard *g, void (*work)(void *), void *argument)
{
    struct call call = {work, argument};
    uintptr_t at = (uintptr_t)&call;
    ucontext_t home, there;
    unsigned char *stack = mm_guarded_alloc(STACK, 4096);
    bool made = stack && in_guard_enter(g);
    if (made && getcontext(&there) == 0) {
        there.uc_stack.ss_sp = stack;
        there.uc_stack.ss_size = STACK;
        there.uc_link = &home;
        makecontext(&there, (void (*)(void))call_main, 2, (unsigned)(at >> 32), (unsigned)at);
        g->home = &home;
        swapcontext(&home, &there);
        g->home = NULL;
    }
    if (made)
        in_guard_leave(g);
    mm_guarded_free(stack);
    return made;
}
