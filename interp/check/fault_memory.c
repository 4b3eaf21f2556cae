/* Seeded faults of atomic memory: non-atomic read-modify-writes, stale values, lost stores. Launches do not
 * overlap, so one static state is enough. */
#include "interp/check/fault_memory.h"

#include <string.h>

enum { PLACES = 4096 };
static struct place {
    const uint8_t *memory;
    uint64_t older; /* the value that the last write replaced */
    uint32_t agent; /* the last writer */
    uint32_t reads;
    bool stored; /* the last write was a store */
} places[PLACES];
static struct {
    uint8_t *memory;
    uint64_t value;
    uint32_t size, agent;
} late; /* the delayed write of a split read-modify-write; NULL: none */
static uint32_t stores;

static void store_sized(uint8_t *memory, uint32_t size, uint64_t value)
{
    memcpy(memory, &value, size);
}

static void write_late(void)
{
    if (late.memory)
        store_sized(late.memory, late.size, late.value);
    late.memory = NULL;
}

void in_fault_atomic_next(const struct in_item *item)
{
    if (!item || item->agent == late.agent)
        write_late();
    if (!item)
        memset(places, 0, sizeof places);
}

static struct place *fault_place_of(const uint8_t *memory)
{
    struct place *p = &places[((uintptr_t)memory >> 2) % PLACES];
    if (p->memory != memory)
        *p = (struct place){.memory = memory};
    return p;
}

static void store_torn(const struct in_item *item, const struct in_atomic *a, uint8_t *memory, uint64_t old,
                       uint64_t written)
{
    store_sized(memory, a->size, old);
    write_late();
    late.memory = memory;
    late.value = written;
    late.size = a->size;
    late.agent = item->agent;
}

/* Every second load since the last write returns the value that the write replaced. */
static uint64_t stale_value(struct place *p, uint64_t old)
{
    return p->agent != 0 && ++p->reads % 2 == 0 ? p->older : old;
}

static bool store_goes(struct place *p, uint32_t agent)
{
    if (IN_FAULTY(MO_REVERSED))
        return !(p->stored && p->agent == agent);
    return !IN_FAULTY(STORE_LOST) || ++stores % 3 != 0;
}

uint64_t in_fault_atomic_done(const struct in_item *item, const struct in_atomic *a, uint8_t *memory,
                              uint64_t old, uint64_t written, bool wrote, uint64_t comparator)
{
    bool store = a->opcode == SpvOpAtomicStore || a->opcode == SpvOpAtomicFlagClear;
    bool compare = a->opcode == SpvOpAtomicCompareExchange || a->opcode == SpvOpAtomicCompareExchangeWeak;
    uint32_t agent = item->agent + 1; /* 0: no agent */
    struct place *p = fault_place_of(memory);
    if (IN_FAULTY(CAS_LIES) && compare && !wrote)
        return comparator;
    if (IN_FAULTY(COHERENCE_STALE) && a->opcode == SpvOpAtomicLoad)
        return stale_value(p, old);
    if (wrote && store && !store_goes(p, agent)) {
        store_sized(memory, a->size, old);
        return old;
    }
    if (wrote && !store && IN_FAULTY(RMW_SPLIT))
        store_torn(item, a, memory, old, written);
    if (wrote)
        *p = (struct place){memory, old, agent, 0, store};
    return old;
}
