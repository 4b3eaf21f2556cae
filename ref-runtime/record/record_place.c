/* The call sites of API calls: the innermost return address outside of the runtime and the loader. */
#include "memmodel/trace/host.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/sched/command.h"

#include <execinfo.h>
#include <string.h>
#include <unwind.h>

enum { FRAMES = 24, PLACES = 1024, STACKS = 16 };

static struct mm_mutex lock = MM_MUTEX;
static struct {
    const char *call;
    const void *place;
    uint32_t source;
} places[PLACES]; /* open addressing; what does not fit has no source */

/* A cache of unwound stacks for each thread, as each unwound frame costs some 100 ns: the slots that contain
 * the return addresses, from rt_call_source()'s to the innermost one in the application.  If all contain the
 * same addresses, the stack is the same, as frames of the runtime and of the loader have constant sizes. */
struct stack {
    const void *frame; /* of rt_call_source() */
    const char *call;
    uint32_t source;
    int count; /* 0: unused */
    struct slot {
        const void *const *at;
        const void *address;
    } slots[FRAMES];
};
static _Thread_local struct stack stacks[STACKS];

static bool is_unwound(const struct stack *stack, const void *frame, const char *call)
{
    bool is_same = stack->count > 0 && stack->frame == frame && stack->call == call;
    for (int i = 0; is_same && i < stack->count; i++)
        is_same = *stack->slots[i].at == stack->slots[i].address;
    return is_same;
}

struct walk {
    struct stack *stack;
    const void *place; /* in the application, NULL: not reached */
    bool has_slots;    /* return addresses are where they are on x86-64, below the caller's frame */
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    struct stack *stack = walk->stack;
    const void *const *at = (const void *const *)(uintptr_t)_Unwind_GetCFA(context) - 1;
    const void *address = (const void *)(uintptr_t)_Unwind_GetIP(context);
    if ((const void *)at < stack->frame)
        return _URC_NO_REASON;
    if (stack->count == FRAMES || !address)
        return _URC_END_OF_STACK;
    walk->has_slots = walk->has_slots && *at == address;
    stack->slots[stack->count++] = (struct slot){at, address};
    walk->place = mm_is_application(address, NULL) ? address : NULL;
    return walk->place ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static bool is_library(const void *place)
{
    const void *begin;
    const char *module = mm_module_of(place, &begin), *slash = module ? strrchr(module, '/') : NULL;
    return slash && strncmp(slash, "/libc.", 6) == 0;
}

const void *rt_fault_place(const void *code)
{
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES), i = 0;
    while (i < count && frames[i] != code)
        i++;
    bool called = false; /* from there; frames further out are return addresses */
    while (i + 1 < count && is_library(frames[i])) {
        called = true;
        i++;
    }
    return called ? frames[i] : (const char *)code + 1;
}

uint32_t rt_host_source(const char *call, const void *place)
{
    return mm_record_host_source(rt_recorder(), call, place, 0);
}

static uint32_t source_of(const char *call, const void *place)
{
    size_t slot = ((uintptr_t)place ^ (uintptr_t)call) * UINT64_C(0x9e3779b97f4a7c15) % PLACES;
    uint32_t source = 0;
    mm_mutex_lock(&lock);
    for (size_t tries = 0; tries < PLACES && !source; tries++, slot = (slot + 1) % PLACES) {
        if (!places[slot].call) {
            places[slot].call = call;
            places[slot].place = place;
            places[slot].source = rt_host_source(call, place);
        }
        if (places[slot].place == place && strcmp(places[slot].call, call) == 0)
            source = places[slot].source;
    }
    mm_mutex_unlock(&lock);
    return source;
}

__attribute__((noinline)) uint32_t rt_call_source(const char *call)
{
    const void *frame = __builtin_frame_address(0);
    uint64_t key = (uintptr_t)frame ^ (uintptr_t)call;
    struct stack *stack = &stacks[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % STACKS];
    if (is_unwound(stack, frame, call))
        return stack->source;
    stack->frame = frame;
    stack->call = call;
    stack->count = 0;
    struct walk walk = {stack, NULL, true};
    _Unwind_Backtrace(visit_frame, &walk);
    stack->source = source_of(call, walk.place);
    stack->count = walk.place && walk.has_slots ? stack->count : 0;
    return stack->source;
}
