/* Switching between stacks.  A switch is a call: the compiler saves what a callee may change, so that only
 * the registers that a callee preserves remain.  The floating-point environment is the same on all stacks of
 * a thread. */
#include "interp/jit/run/stack_switch.h"
#include "memmodel/memmodel.h"
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HAS_PLAIN 1
#else
#define HAS_PLAIN 0
#endif

/* A return to another stack is a fault where the processor keeps a shadow stack. */
static bool has_shadow_stack(void)
{
    unsigned long pointer = 0;
#if HAS_PLAIN
    __asm__("rdsspq %0" : "+r"(pointer)); /* changes nothing without a shadow stack */
#endif
    return pointer != 0;
}

bool in_stack_can_switch_plain(void)
{
    return HAS_PLAIN && !mm_guard_on() && !has_shadow_stack();
}

#if HAS_PLAIN
/* in_stack_swap(save, resume): pushes the preserved registers, stores the stack pointer to *SAVE, and returns
 * to the caller that did the same on the stack RESUME.  in_stack_begin: the first return of a new stack,
 * which finds function and argument in preserved registers. */
void in_stack_swap(void **save, void *resume);
void in_stack_begin(void);
__asm__(".pushsection .text\n"
        ".hidden in_stack_swap\n.globl in_stack_swap\n.type in_stack_swap, @function\n"
        "in_stack_swap:\n"
        "  endbr64\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size in_stack_swap, .-in_stack_swap\n"
        ".hidden in_stack_begin\n.globl in_stack_begin\n.type in_stack_begin, @function\n"
        "in_stack_begin:\n"
        "  endbr64\n"
        "  movq %r12, %rdi\n"
        "  call *%r13\n"
        "  ud2\n"
        ".size in_stack_begin, .-in_stack_begin\n"
        ".popsection\n");

static void prepare_plain(struct in_stack_context *context, void *stack, size_t size, void (*body)(void *),
                          void *argument)
{
    enum {
        R15,
        R14,
        R13,
        R12,
        RBX,
        RBP,
        RETURN,
        WORDS = 9
    }; /* from the lowest address on; a call aligns the stack to 16 */
    uintptr_t end = ((uintptr_t)stack + size) & ~(uintptr_t)63;
    uint64_t *words = (uint64_t *)end - WORDS;
    memset(words, 0, WORDS * sizeof *words);
    words[R13] = (uint64_t)(uintptr_t)body;
    words[R12] = (uint64_t)(uintptr_t)argument;
    words[RETURN] = (uint64_t)(uintptr_t)in_stack_begin;
    context->pointer = words;
}
#else
static void prepare_plain(struct in_stack_context *context, void *stack, size_t size, void (*body)(void *),
                          void *argument)
{
    (void)context, (void)stack, (void)size, (void)body, (void)argument;
}
static void in_stack_swap(void **save, void *resume)
{
    (void)save, (void)resume;
}
#endif

struct first_call {
    void (*body)(void *);
    void *argument;
};

/* makecontext passes words of 32 bits. */
static void begin_saved(unsigned high, unsigned low)
{
    const struct first_call *at = (const struct first_call *)((uintptr_t)high << 32 | low);
    at->body(at->argument);
}

bool in_stack_make_home(struct in_stack_context *context, bool plain)
{
    *context = (struct in_stack_context){.saved = plain ? NULL : mm_alloc_zero(1, sizeof(ucontext_t))};
    return plain || context->saved;
}

bool in_stack_prepare(struct in_stack_context *context, bool plain, void *stack, size_t size,
                      void (*body)(void *), void *argument)
{
    if (!in_stack_make_home(context, plain))
        return false;
    if (plain) {
        prepare_plain(context, stack, size, body, argument);
        return true;
    }
    /* The call's description is at the stack's end, above what the stack uses. */
    struct first_call *call = (struct first_call *)((unsigned char *)stack + size - 64);
    *call = (struct first_call){body, argument};
    if (getcontext(context->saved) != 0) {
        in_stack_forget(context);
        return false;
    }
    context->saved->uc_stack.ss_sp = stack;
    context->saved->uc_stack.ss_size = size - 64;
    uintptr_t at = (uintptr_t)call;
    makecontext(context->saved, (void (*)(void))begin_saved, 2, (unsigned)(at >> 32), (unsigned)at);
    return true;
}

void in_stack_switch(struct in_stack_context *from, struct in_stack_context *to)
{
    if (to->saved)
        swapcontext(from->saved, to->saved);
    else
        in_stack_swap(&from->pointer, to->pointer);
}

void in_stack_forget(struct in_stack_context *context)
{
    mm_free(context->saved);
    context->saved = NULL;
}
