/* A cache of unwound call stacks.
 *
 * Unwinding takes microseconds in each call of the API.  The cache has the addresses of all return addresses
 * of a stack, from the layer's frame outwards: if every slot still contains the same return address, the
 * stack is the same.  A stale match needs two frames of variable size (alloca) whose changes cancel out; its
 * only effect is a wrong line in a report's call stack. */
#include "memmodel/base/hash.h"
#include "tools/layer/layer.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <unwind.h>

enum { STACKS = 1 << 11 };

/* Functions of libgcc, which the C library's backtrace() loads. */
static _Unwind_Reason_Code (*unwind)(_Unwind_Trace_Fn, void *);
static __typeof__(_Unwind_GetIP) *address_of;
static __typeof__(_Unwind_GetCFA) *stack_pointer_of;

void ly_stack_initialize(void)
{
    void *frame;
    backtrace(&frame, 1); /* the first call loads the library */
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *functions[] = {library ? dlsym(library, "_Unwind_GetIP") : NULL,
                         library ? dlsym(library, "_Unwind_GetCFA") : NULL,
                         library ? dlsym(library, "_Unwind_Backtrace") : NULL};
    memcpy(&address_of, &functions[0], sizeof address_of);
    memcpy(&stack_pointer_of, &functions[1], sizeof stack_pointer_of);
    if (address_of && stack_pointer_of)
        memcpy(&unwind, &functions[2], sizeof unwind);
}

/* A return address, and the stack slot that contains it. */
struct slot {
    const void *const *at;
    const void *value;
};
static struct stack {
    const void *frame; /* of the layer */
    const char *call;
    struct slot *slots;
    uint32_t count, source;
} stacks[STACKS]; /* by hash; a collision replaces the older one */

static struct stack *stack_at(const void *frame, const char *call, const void *place)
{
    uint64_t key = (uintptr_t)frame * UINT64_C(0xff51afd7ed558ccd) ^ (uintptr_t)call ^ (uintptr_t)place;
    return &stacks[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % STACKS];
}

static bool is_same(const struct stack *stack, const void *frame, const char *call)
{
    if (!stack->slots || stack->frame != frame || stack->call != call)
        return false;
    for (uint32_t i = 0; i < stack->count; i++)
        if (*stack->slots[i].at != stack->slots[i].value)
            return false;
    return true;
}

struct walk {
    const void *frame; /* frames inside of it are skipped */
    struct slot slots[LY_DEEPEST];
    void *frames[LY_DEEPEST];
    int count;
    bool found_all; /* every return address was found in its slot */
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    const void *const *at = (const void *const *)(uintptr_t)stack_pointer_of(context) - 1;
    const void *value = (const void *)(uintptr_t)address_of(context);
    if ((const void *)at < walk->frame)
        return _URC_NO_REASON;
    if (walk->count == LY_DEEPEST || !value)
        return _URC_END_OF_STACK;
    walk->found_all = walk->found_all && *at == value; /* as on x86-64 */
    walk->slots[walk->count] = (struct slot){at, value};
    walk->frames[walk->count++] = (void *)(uintptr_t)value;
    return _URC_NO_REASON;
}

static void keep_stack(struct stack *stack, const struct walk *walk, const char *call, uint32_t source)
{
    size_t size = (size_t)walk->count * sizeof *stack->slots;
    struct slot *slots = mm_alloc(size);
    if (!slots)
        return;
    memcpy(slots, walk->slots, size);
    mm_free(stack->slots);
    *stack = (struct stack){walk->frame, call, slots, (uint32_t)walk->count, source};
}

__attribute__((noinline)) uint32_t ly_stack_source(const char *call, const void *place,
                                                   ly_stack_function *source_of)
{
    const void *frame = __builtin_frame_address(0);
    struct stack *stack = stack_at(frame, call, place);
    if (is_same(stack, frame, call))
        return stack->source;
    struct walk walk = {.frame = frame, .found_all = unwind != NULL};
    if (unwind)
        unwind(visit_frame, &walk);
    else
        walk.count = backtrace(walk.frames, LY_DEEPEST);
    uint32_t source = source_of(call, place, walk.frames, walk.count);
    if (walk.found_all && walk.count)
        keep_stack(stack, &walk, call, source);
    return source;
}
