/* Switching between stacks: what a fiber and its thread's scheduler are resumed by. */
#ifndef INTERP_JIT_RUN_STACK_SWITCH_H
#define INTERP_JIT_RUN_STACK_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

/* Where an interrupted stack resumes: a stack pointer, or where there is no code for that, a ucontext_t. */
struct in_stack_context {
    void *pointer;
    ucontext_t *saved;
};
/* swapcontext makes a system call for the signal mask, which costs twenty times the switch.  PLAIN: contexts
 * without signal mask, where the processor is supported and neither a sanitizer has to be informed of stacks
 * nor a fault resumes a context (guard.h). */
bool in_stack_can_switch_plain(void);
/* A context that begins in BODY(ARGUMENT), which never returns, on STACK of SIZE bytes.  False: out of
 * memory. */
bool in_stack_prepare(struct in_stack_context *context, bool plain, void *stack, size_t size,
                      void (*body)(void *), void *argument);
/* For the scheduler's side: nothing to resume yet. */
bool in_stack_make_home(struct in_stack_context *context, bool plain);
/* Saves the caller in FROM, until a switch to FROM, and resumes TO. */
void in_stack_switch(struct in_stack_context *from, struct in_stack_context *to);
void in_stack_forget(struct in_stack_context *context);

#endif
