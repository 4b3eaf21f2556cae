/* Applies a proposed change of the program to recorded events, so that a fix is checked before it is
 * reported. */
#include "checker/race/words.h"

/* The weakest memory order that is at least A and at least B. */
static uint8_t join_orders(uint8_t a, uint8_t b)
{
    if (a == b || b == MM_ORDER_NONE || b == MM_RELAXED)
        return a;
    if (a == MM_ORDER_NONE || a == MM_RELAXED)
        return b;
    if (a == MM_SEQ_CST || b == MM_SEQ_CST)
        return MM_SEQ_CST;
    return MM_ACQ_REL;
}

static bool is_barrier(const struct mm_event *event)
{
    return event->kind == MM_BARRIER_ENTRY || event->kind == MM_BARRIER_EXIT;
}

void ck_change_apply(const struct ck_change *change, struct mm_event *event)
{
    for (int i = 0; i < 2; i++) {
        if (!event->source || event->source != change->source[i])
            continue;
        event->fence_flags |= change->fence_flags;
        event->order = join_orders(event->order, change->order[i]);
        if (change->scope)
            event->scope = change->scope;
        if (change->scope && !is_barrier(event)) /* a barrier's effective scope is its execution scope */
            event->effective_scope = change->scope;
        if (change->atomic) {
            event->attributes |= MM_ATOMIC;
            event->order = MM_RELAXED;
        }
    }
}

enum { KINDS = 5 };

static uint32_t kind_of(const struct mm_event *event)
{
    bool atomic = event->attributes & MM_ATOMIC;
    return event->kind == MM_RMW ? 4 : (event->kind == MM_WRITE ? 1u : 0u) + (atomic ? 2u : 0u);
}

uint32_t ck_pair_bit(const struct mm_event *a, const struct mm_event *b)
{
    uint32_t x = kind_of(a), y = kind_of(b);
    return 1u << (x > y ? x * KINDS + y : y * KINDS + x);
}

size_t ck_words_pairs(uint32_t pairs, const char *names[][2], size_t max)
{
    static const char *const words[KINDS] = {"read", "write", "atomic-read", "atomic-write", "atomic-rmw"};
    size_t count = 0;
    for (uint32_t x = 0; x < KINDS; x++) {
        for (uint32_t y = 0; y <= x; y++) {
            if (!(pairs >> (x * KINDS + y) & 1) || count == max)
                continue;
            names[count][0] = words[y];
            names[count++][1] = words[x];
        }
    }
    return count;
}
