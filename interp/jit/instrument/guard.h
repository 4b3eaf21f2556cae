/* REFCL_GUARD: a page fault in compiled code ends the launch; the process continues. */
#ifndef INTERP_JIT_INSTRUMENT_GUARD_H
#define INTERP_JIT_INSTRUMENT_GUARD_H

#include "interp/jit/jit.h"
#include <signal.h>
#include <ucontext.h>

/* Where a thread resumes after a fault in compiled code. */
struct in_guard {
    ucontext_t *home; /* resumed after a fault; NULL: the thread executes no compiled code */
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
/* Calls WORK(ARGUMENT) on a separate stack.  False: out of memory.  GUARD->faulted: the call ended with a
 * fault. */
bool in_guard_call(struct in_guard *guard, void (*work)(void *), void *argument);

#endif
