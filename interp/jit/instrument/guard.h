/* REFCL_GUARD: compiled code that touches memory that is nobody's ends, and the process goes on. */
#ifndef INTERP_JIT_GUARD_H
#define INTERP_JIT_GUARD_H

#include "interp/jit/jit.h"
#include <signal.h>
#include <ucontext.h>

/* One thread's way out of compiled code. */
struct in_guard {
    ucontext_t *home; /* goes on there after a fault; NULL: no compiled code is being executed */
    bool faulted;
    struct in_jit_fault fault;
    struct in_guard *outer;
    stack_t old_stack;
    sigset_t old_mask;
    void *stack; /* for the handler, where the thread had none */
};
/* Around compiled code in this thread.  False: out of memory. */
bool in_guard_enter(struct in_guard *guard);
void in_guard_leave(struct in_guard *guard);
/* Calls WORK(ARGUMENT) on a stack of its own.  False: out of memory; GUARD says whether it came to its end.
 */
bool in_guard_call(struct in_guard *guard, void (*work)(void *), void *argument);

#endif
