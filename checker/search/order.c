/* Coherence orders that the model forbids in every execution: the model is evaluated on the events of one
 * read-modify-write, the write that it reads and one more write, or on two writes of a thread, and the answer
 * is cached for the whole search.  docs/search.md#partial-executions */
#include "checker/search/step.h"

#include <string.h>

/* MAX_EVENTS: of an extract, which has three writes at most, and their reads.  SLOTS: of a cache; a new
 * answer replaces the one in its slot. */
enum { MAX_EVENTS = 8, SLOTS = 1 << 14 };

/* ---- answers of the model ------------------------------------------------------------------------- */

/* A cached answer, which replaces an older one whose key has the same hash. */
struct sx_answer {
    struct sx_key key;
    bool allowed;
};

bool *sx_cache_find(struct sx *sx, struct sx_cache *cache, const struct sx_key *key, bool *known)
{
    uint64_t hash = 0;
    struct sx_answer **at;

    *known = false;
    if (!cache->slots)
        cache->slots = mm_arena_alloc(sx->arena, SLOTS * sizeof(struct sx_answer *));
    if (!cache->slots)
        return NULL;
    for (uint32_t i = 0; i < key->count; i++)
        hash = (hash ^ key->parts[i]) * 0x9E3779B97F4A7C15U + (hash >> 31);
    at = &cache->slots[(hash >> 20) % SLOTS];
    if (!*at)
        *at = mm_arena_alloc(sx->arena, sizeof **at);
    if (!*at)
        return NULL;
    *known = (*at)->key.count == key->count &&
             memcmp((*at)->key.parts, key->parts, key->count * sizeof *key->parts) == 0;
    if (!*known)
        (*at)->key = *key;
    return &(*at)->allowed;
}

/* ---- the model on a few events --------------------------------------------------------------------- */

/* Events of the execution so far, those of a thread in program order. */
struct extract {
    uint64_t events[MAX_EVENTS];
    uint32_t count;
};

static void extract_add_event(struct extract *e, uint64_t packed)
{
    uint32_t at = e->count;

    for (uint32_t i = 0; i < e->count; i++) {
        if (e->events[i] == packed)
            return;
    }
    for (; at > 0 && e->events[at - 1] > packed; at--)
        e->events[at] = e->events[at - 1];
    e->events[at] = packed;
    e->count++;
}

/* A write, with the read that belongs to it. */
static void extract_add_write(const struct stepper *s, struct extract *e, uint64_t write)
{
    if (write == SX_INITIAL)
        return;
    if (sx_packed(s, write)->rmw_write)
        extract_add_event(e, write - 1);
    extract_add_event(e, write);
}

static uint32_t extract_index_of(const struct extract *e, uint64_t packed)
{
    uint32_t i = 0;

    while (i < e->count && e->events[i] != packed)
        i++;
    return i;
}

/* Fills KEY with what the answer depends on. */
static void order_key(const struct stepper *s, const struct extract *e, const uint64_t *order, uint32_t count,
                      uint64_t reads, struct sx_key *key)
{
    key->count = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        const struct sx_event *event = sx_packed(s, e->events[i]);

        key->parts[key->count++] = e->events[i] >> 32;
        key->parts[key->count++] = (uint64_t)(event->instr - s->walkers[e->events[i] >> 32].thread->instrs);
        key->parts[key->count++] =
            (uint64_t)event->location << 16 | (uint64_t)event->order << 8 | event->kind;
    }
    for (uint32_t i = 0; i < count; i++)
        key->parts[key->count++] = extract_index_of(e, order[i]);
    key->parts[key->count++] = extract_index_of(e, reads);
}

static uint32_t graph_index_of(const struct sx_exec *x, const struct extract *e,
                               const struct sx_event *copies, uint64_t packed, uint32_t location)
{
    return packed == SX_INITIAL ? x->init_of[location]
                                : sx_graph_index(x, &copies[extract_index_of(e, packed)]);
}

/* Evaluates the model: may the writes have ORDER where the read READS, if any, reads from SOURCE? */
static bool model_allows_order(struct stepper *s, const struct extract *e, const uint64_t *order,
                               uint32_t count, uint64_t reads, uint64_t source)
{
    struct sx *sx = s->sx;
    struct sx_exec *x = sx->exec;
    struct sx_event copies[MAX_EVENTS];
    struct sx_trace traces[MAX_EVENTS];
    uint32_t threads = 0, location = sx_packed(s, order[count - 1])->location;

    for (uint32_t t = 0; t < s->thread_count; t++)
        s->chosen[t] = NULL;
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t t = (uint32_t)(e->events[i] >> 32);

        copies[i] = *sx_packed(s, e->events[i]);
        if (!s->chosen[t]) {
            traces[threads] = (struct sx_trace){.events = &copies[i]};
            s->chosen[t] = &traces[threads++];
        }
        traces[threads - 1].event_count++;
    }
    if (!sx_begin_events(sx, s->chosen) || mm_cat_eval_begin(sx->open_eval, &x->all, sx->err))
        return true;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t w = graph_index_of(x, e, copies, order[k], location);

        for (uint32_t i = 0; i < k; i++) {
            uint32_t before = graph_index_of(x, e, copies, order[i], location);

            sx_fix_co(x, before, w);
        }
    }
    if (reads != SX_INITIAL) {
        uint32_t r = graph_index_of(x, e, copies, reads, location),
                 w = graph_index_of(x, e, copies, source, location);

        sx_fix_rf(x, w, r);
    }
    return !sx_is_forbidden(x, sx->open_eval);
}

/* The same from the cache; the first write of ORDER may be the initial one. */
static bool is_order_allowed(struct stepper *s, const uint64_t *order, uint32_t count, uint64_t reads,
                             uint64_t source)
{
    struct extract e = {0};
    struct sx_key key;
    bool known, *answer;

    for (uint32_t i = 0; i < count; i++) {
        if (order[i] != SX_INITIAL && sx_packed(s, order[i])->access)
            return true; /* the halves of a read-modify-write in pieces are not adjacent */
        extract_add_write(s, &e, order[i]);
    }
    order_key(s, &e, order, count, reads, &key);
    answer = sx_cache_find(s->sx, &s->caches.orders, &key, &known);
    if (!answer)
        return model_allows_order(s, &e, order, count, reads, source);
    if (!known)
        *answer = model_allows_order(s, &e, order, count, reads, source);
    return *answer;
}

/* The position of WRITE in the order of all writes, plus 1; 0: initial. */
static uint32_t order_position_of(const struct stepper *s, uint64_t write)
{
    uint32_t i = 0;

    while (i < s->order_count && s->order[i] != write)
        i++;
    return write == SX_INITIAL ? 0 : i + 1;
}

/* Whether the coherence order permits the read-modify-write at position AT; of the writes between it and the
 * write that it read, only ONLY is checked (UINT64_MAX: all). */
static bool may_rmw_stand(struct stepper *s, uint32_t at, uint64_t only)
{
    uint64_t write = s->order[at], source = *sx_source(s, (uint32_t)(write >> 32), (uint32_t)write - 1);
    uint32_t l = sx_packed(s, write)->location, after;

    if (source == STEP_GUESSED || source == write)
        return true;
    after = order_position_of(s, source);
    if (after > at)
        return is_order_allowed(s, (const uint64_t[]){write, source}, 2, write - 1, source);
    for (uint32_t i = after; i < at; i++) {
        if (sx_packed(s, s->order[i])->location == l && (only == UINT64_MAX || s->order[i] == only) &&
            !is_order_allowed(s, (const uint64_t[]){source, s->order[i], write}, 3, write - 1, source))
            return false;
    }
    return true;
}

bool sx_may_be_placed(struct stepper *s, uint32_t at)
{
    uint64_t write = s->order[at];
    const struct sx_event *e = sx_packed(s, write);

    if (e->access || s->sx->features.tracks_dependencies || s->sx->explains)
        return true;
    if (e->rmw_write && !may_rmw_stand(s, at, UINT64_MAX))
        return false;
    for (uint32_t i = at + 1; i < s->order_count; i++) {
        const struct sx_event *other = sx_packed(s, s->order[i]);

        if (other->location != e->location || other->access)
            continue;
        if (other->rmw_write && !may_rmw_stand(s, i, write))
            return false;
        if (s->order[i] >> 32 == write >> 32 &&
            !is_order_allowed(s, (const uint64_t[]){write, s->order[i]}, 2, SX_INITIAL, SX_INITIAL))
            return false;
    }
    return true;
}
