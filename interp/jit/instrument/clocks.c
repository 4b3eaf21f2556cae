/* Clocks of instrumented launches: sets of segments, and what atomic objects know of them.
 * docs/instrumentation.md#synchronization-by-atomics */
#include "interp/jit/instrument/clocks.h"
#include "interp/sched/sched.h"
#include "memmodel/base/array.h"
#include "memmodel/base/memory.h"
#include <string.h>

enum {
    SLICE = IN_SPIN_SLICE - 1, /* after one more the interpreter would execute another work-item */
    MAX_SPANS = 256,
    MAX_LOCATIONS = 1 << 16
};

struct span {
    uint32_t from, to; /* tags, both included */
};
/* Spans are in increasing order, with gaps between them. */
struct clock {
    struct span *spans;
    uint32_t count, capacity;
};
/* An atomic object that was released.  Its release sequences carry CLOCK, and segments FROM to TO of the last
 * releasing work-item. */
struct location {
    uint64_t address, version; /* 0: no release sequence */
    uint32_t from, to;
    struct clock clock;
};
struct in_clocks {
    struct clock now; /* what happens before the work-item's next access, beside its own segments */
    uint64_t version; /* of NOW: a different one for each work-item and contents */
    /* NOW and its own segments at the work-item's last release fence, FROM 0: none; what its next acquire
     * fence acquires */
    struct clock fenced, readable;
    struct span fenced_own;
    uint64_t versions;
    uint32_t last, end;                 /* segments: the greatest in use, and the end of all */
    struct location *locations, *found; /* hash table; the last one found */
    uint32_t count, capacity;
};

struct in_clocks *in_clocks_create(uint32_t base, uint32_t count)
{
    struct in_clocks *c = mm_alloc_zero(1, sizeof *c);
    if (c) {
        c->last = base;
        c->end = base + count;
    }
    return c;
}

void in_clocks_destroy(struct in_clocks *c)
{
    if (!c)
        return;
    for (uint32_t k = 0; k < c->capacity; k++)
        mm_free(c->locations[k].clock.spans);
    mm_free(c->locations);
    mm_free(c->now.spans);
    mm_free(c->fenced.spans);
    mm_free(c->readable.spans);
    mm_free(c);
}

uint32_t in_clocks_last(const struct in_clocks *c)
{
    return c->last;
}

/* The interpreter decides: all work-items leave their loops at the next iteration. */
static void clock_give_up(struct in_shadow *shadow)
{
    shadow->deoptimized = 1;
    shadow->slice = -1;
}

static uint32_t next_segment(struct in_shadow *shadow)
{
    struct in_clocks *c = shadow->clocks;
    if (c->last + 1 < c->end)
        c->last++;
    else
        clock_give_up(shadow);
    return c->last;
}

/* ---- clocks ------------------------------------------------------------------------------ */

static bool clock_copy(struct clock *to, const struct clock *from)
{
    if (!mm_reserve(&to->spans, &to->capacity, from->count))
        return false;
    if (from->count > 0)
        memcpy(to->spans, from->spans, from->count * sizeof *to->spans);
    to->count = from->count;
    return true;
}

/* The first span that does not end before TAG. */
static uint32_t clock_find(const struct clock *c, uint32_t tag)
{
    uint32_t i;
    mm_partition(i, c->count, c->spans[i].to < tag);
    return i;
}

/* Replaces spans [AT, END) by SPAN. */
static void clock_replace(struct clock *c, uint32_t at, uint32_t end, struct span span)
{
    memmove(c->spans + at + 1, c->spans + end, (c->count - end) * sizeof span);
    c->spans[at] = span;
    c->count = c->count + 1 - (end - at);
}

/* Adds S to the clock, without the first span if there are too many: a clock may know less than what happened
 * before.  False: out of memory.  CHANGED: whether it was not all in it. */
static bool clock_add(struct clock *c, struct span s, bool *changed)
{
    uint32_t at = clock_find(c, s.from - 1), end = at;
    if (at < c->count && c->spans[at].from <= s.from && c->spans[at].to >= s.to)
        return true;
    for (; end < c->count && c->spans[end].from <= s.to + 1; end++) {
        s.from = c->spans[end].from < s.from ? c->spans[end].from : s.from;
        s.to = c->spans[end].to > s.to ? c->spans[end].to : s.to;
    }
    if (!mm_reserve(&c->spans, &c->capacity, c->count + 1))
        return false;
    clock_replace(c, at, end, s);
    if (c->count > MAX_SPANS)
        memmove(c->spans, c->spans + 1, --c->count * sizeof s);
    *changed = true;
    return true;
}

static bool clock_join(struct clock *to, const struct clock *from, bool *changed)
{
    for (uint32_t k = 0; k < from->count; k++)
        if (!clock_add(to, from->spans[k], changed))
            return false;
    return true;
}

/* ---- atomic objects ---------------------------------------------------------------------- */

/* The entry of ADDRESS, or the free one where it would be. */
static struct location *probe_location(const struct in_clocks *c, uint64_t address)
{
    uint64_t at = (address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (c->capacity - 1);
    while (c->locations[at].address != 0 && c->locations[at].address != address)
        at = (at + 1) & (c->capacity - 1);
    return &c->locations[at];
}

static struct location *find_location(struct in_clocks *c, uint64_t address)
{
    if (c->found && c->found->address == address)
        return c->found;
    if (c->count == 0)
        return NULL;
    struct location *l = probe_location(c, address);
    if (l->address == 0)
        return NULL;
    c->found = l;
    return l;
}

static bool grow_table(struct in_clocks *c)
{
    struct in_clocks old = *c;
    uint32_t capacity = old.capacity == 0 ? 64 : 2 * old.capacity;
    struct location *locations = mm_alloc_zero(capacity, sizeof *locations);
    if (!locations)
        return false;
    c->locations = locations;
    c->capacity = capacity;
    c->found = NULL;
    for (uint32_t k = 0; k < old.capacity; k++)
        if (old.locations[k].address != 0)
            *probe_location(c, old.locations[k].address) = old.locations[k];
    mm_free(old.locations);
    return true;
}

/* NULL: no room. */
static struct location *add_location(struct in_clocks *c, uint64_t address)
{
    struct location *l = find_location(c, address);
    if (l)
        return l;
    if (c->count >= MAX_LOCATIONS || (2 * c->count >= c->capacity && !grow_table(c)))
        return NULL;
    l = probe_location(c, address);
    l->address = address;
    c->count++;
    c->found = l;
    return l;
}

/* The spans remain allocated for the next release. */
static void end_sequences(struct location *l)
{
    l->version = 0;
    l->clock.count = 0;
}

/* ---- what compiled code calls ------------------------------------------------------------ */

uint32_t in_clock_begin(struct in_shadow *shadow, uint32_t length)
{
    struct in_clocks *c = shadow->clocks;
    if (shadow->slice >= 0)
        shadow->slice = SLICE - (int32_t)(length < SLICE ? length : SLICE);
    c->now.count = c->readable.count = 0;
    c->fenced_own.from = 0;
    c->version = ++c->versions;
    /* A last segment without accesses was in no release either. */
    return shadow->last_used == c->last ? next_segment(shadow) : c->last;
}

static bool acquire_location(struct in_clocks *c, const struct location *l)
{
    bool changed = false;
    if (!l || l->version == 0 || l->version == c->version)
        return true;
    if (!clock_join(&c->now, &l->clock, &changed) ||
        !clock_add(&c->now, (struct span){l->from, l->to}, &changed))
        return false;
    if (changed)
        c->version = ++c->versions;
    return true;
}

/* A store, or a read-modify-write after it acquired: the releaser knows all that the object knew. */
static bool replace_sequences(struct in_clocks *c, struct location *l, struct span own)
{
    if (l->version != c->version) {
        if (!clock_copy(&l->clock, &c->now))
            return false;
        l->from = own.from;
        l->version = c->version;
    }
    l->to = own.to;
    return true;
}

/* FROM and OWN: what the release sequence that begins carries, beside those that L has. */
static bool join_sequences(struct in_clocks *c, struct location *l, const struct clock *from, struct span own)
{
    bool changed = false;
    struct span before = {l->from, l->to};
    l->from = own.from;
    l->to = own.to;
    l->version = ++c->versions;
    return clock_join(&l->clock, from, &changed) && clock_add(&l->clock, before, &changed);
}

static bool release_location(struct in_clocks *c, uint64_t address, struct span own, uint32_t how)
{
    struct location *l = add_location(c, address);
    if (!l)
        return false;
    bool knows_all =
        (how & (IN_SYNC_ACQUIRES | IN_SYNC_STORES)) || l->version == 0 || l->version == c->version;
    return knows_all ? replace_sequences(c, l, own) : join_sequences(c, l, &c->now, own);
}

/* A write that does not release, after a release fence: it heads the sequence of the fence. */
static bool publish_fence(struct in_clocks *c, uint64_t address, uint32_t how)
{
    struct location *l = add_location(c, address);
    if (!l)
        return false;
    if (!(how & IN_SYNC_STORES) && l->version != 0)
        return join_sequences(c, l, &c->fenced, c->fenced_own);
    l->from = c->fenced_own.from;
    l->to = c->fenced_own.to;
    l->version = ++c->versions;
    return clock_copy(&l->clock, &c->fenced);
}

/* A later acquire fence acquires what L carries. */
static bool read_location(struct in_clocks *c, const struct location *l)
{
    bool changed = false;
    return !l || l->version == 0 || l->version == c->version ||
           (clock_join(&c->readable, &l->clock, &changed) &&
            clock_add(&c->readable, (struct span){l->from, l->to}, &changed));
}

uint32_t in_clock_synchronize(struct in_shadow *shadow, uint64_t address, uint32_t first, uint32_t current,
                              uint32_t how)
{
    struct in_clocks *c = shadow->clocks;
    struct location *l = find_location(c, address);
    bool reads = how & (IN_SYNC_ACQUIRES | IN_SYNC_READS);
    if (reads && !(how & IN_SYNC_ACQUIRES ? acquire_location(c, l) : read_location(c, l)))
        clock_give_up(shadow);
    if (how & IN_SYNC_RELEASES) {
        if (!release_location(c, address, (struct span){first, current}, how))
            clock_give_up(shadow);
        return next_segment(shadow);
    }
    if ((how & IN_SYNC_WRITES) && c->fenced_own.from != 0) {
        if (!publish_fence(c, address, how))
            clock_give_up(shadow);
    } else if ((how & IN_SYNC_STORES) && l) {
        end_sequences(l);
    }
    return current;
}

uint32_t in_clock_fence(struct in_shadow *shadow, uint32_t first, uint32_t current, uint32_t how)
{
    struct in_clocks *c = shadow->clocks;
    bool changed = false;
    if ((how & IN_SYNC_ACQUIRES) && !clock_join(&c->now, &c->readable, &changed))
        clock_give_up(shadow);
    if (changed)
        c->version = ++c->versions;
    if (!(how & IN_SYNC_RELEASES))
        return current;
    if (!clock_copy(&c->fenced, &c->now))
        clock_give_up(shadow);
    c->fenced_own = (struct span){first, current};
    return next_segment(shadow);
}

uint32_t in_clock_covers(const struct in_shadow *shadow, uint32_t tag)
{
    const struct clock *now = &shadow->clocks->now;
    uint32_t at = clock_find(now, tag);
    return at < now->count && now->spans[at].from <= tag;
}
