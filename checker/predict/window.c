/* Windows of a recorded execution: agents, shared memory, recorded reads-from, and the fixed order of
 * commands and host synchronization, which every predicted execution keeps [CL 3.3.6 H1-H14]. */
#include "checker/predict/predict.h"
#include "checker/race/race.h"
#include "memmodel/base/array.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CLOCKS = 1 << 22 }; /* limit of the vector clocks of a window, in components */

void ck_predict_clear(struct ck_predict_window *w)
{
    for (uint32_t i = 0; w->items && i < w->item_count; i++)
        mm_free(w->items[i].events);
    mm_free(w->items);
    mm_free(w->slots);
    mm_free(w->places);
    mm_free(w->clocks);
    w->items = NULL;
    w->slots = NULL;
    w->places = NULL;
    w->clocks = NULL;
    w->item_count = w->slot_count = w->place_count = w->clock_count = w->count = w->edge_count = 0;
    w->atomics = false;
    w->atomic_agent = (struct mm_agent){.command = CK_PREDICT_NO_COMMAND};
}

bool ck_predict_is_local(const struct ck_predictor *p, uint32_t allocation)
{
    return allocation < p->allocation_count && p->allocations[allocation].info.region == MM_LOCAL;
}

uint32_t ck_predict_group_size(const struct ck_predictor *p, uint32_t command)
{
    uint32_t size = 1;
    for (int i = 0; command < p->command_count && i < 3; i++)
        size *= p->commands[command].local_size[i] ? p->commands[command].local_size[i] : 1;
    return size;
}

/* ---- agents ------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* True if A and B are in one slot: one host thread, or a command with all its work-items. */
static bool same_slot(struct mm_agent a, struct mm_agent b)
{
    return a.command == b.command && (a.command || a.index == b.index);
}

static void describe_items(const struct ck_predictor *p, struct ck_predict_window *w, const uint64_t *keys)
{
    uint32_t group = 0;
    for (uint32_t i = 0; i < w->item_count; i++) {
        struct ck_predict_item *item = &w->items[i];
        struct ck_predict_item *last = i ? item - 1 : NULL;
        item->agent = (struct mm_agent){(uint32_t)(keys[i] >> 32), (uint32_t)keys[i]};
        const struct mm_command *c = item->agent.command < p->command_count && item->agent.command
                                         ? &p->commands[item->agent.command]
                                         : NULL;
        uint32_t size = ck_predict_group_size(p, item->agent.command), sub = c ? c->sub_group_size : 0;
        bool work_item = item->agent.command && item->agent.index != MM_INDEX_RUNTIME;
        bool apart = !last || !same_slot(last->agent, item->agent);
        w->slot_count += apart;
        group += apart || !work_item || last->agent.index / size != item->agent.index / size;
        item->slot = w->slot_count - 1;
        item->group = group;
        item->sub_group = work_item ? item->agent.index % size / (sub ? sub : size) : 0;
    }
}

/* Numbers the agents and gives each its events. */
static bool make_items(const struct ck_predictor *p, struct ck_predict_window *w)
{
    uint64_t *keys = mm_alloc((w->count + 1) * sizeof *keys);
    uint32_t n = 0;
    if (!keys)
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        keys[i] = ck_agent_key(w->events[i].event.agent);
    qsort(keys, w->count, sizeof *keys, by_number);
    for (uint32_t i = 0; i < w->count; i++)
        if (n == 0 || keys[n - 1] != keys[i])
            keys[n++] = keys[i];
    w->items = mm_alloc_zero(n + 1, sizeof *w->items);
    w->item_count = w->items ? n : 0;
    describe_items(p, w, keys);
    for (uint32_t i = 0; i < w->count && w->items; i++) {
        uint64_t key = ck_agent_key(w->events[i].event.agent);
        uint64_t *at = bsearch(&key, keys, n, sizeof *keys, by_number);
        w->events[i].item = (uint32_t)(at - keys);
        w->items[w->events[i].item].count++;
    }
    mm_free(keys);
    for (uint32_t i = 0; i < w->item_count; i++) {
        w->items[i].events = mm_alloc((w->items[i].count + 1) * sizeof(uint32_t));
        w->items[i].count = 0;
        if (!w->items[i].events)
            return false;
    }
    for (uint32_t i = 0; i < w->count && w->items; i++) {
        struct ck_predict_item *item = &w->items[w->events[i].item];
        item->events[item->count++] = i;
    }
    return w->items != NULL;
}

static bool make_slots(struct ck_predict_window *w)
{
    w->slots = mm_alloc_zero(w->slot_count + 1, sizeof *w->slots);
    for (uint32_t i = 0; w->slots && i < w->item_count; i++) {
        struct ck_predict_slot *slot = &w->slots[w->items[i].slot];
        if (slot->item_count++ == 0)
            *slot = (struct ck_predict_slot){i, 1, CK_NO_EVENT};
        for (uint32_t k = 0; k < w->items[i].count && w->items[i].agent.index == MM_INDEX_RUNTIME; k++)
            if (w->events[w->items[i].events[k]].event.kind == MM_COMMAND_START)
                slot->start = w->items[i].events[k];
    }
    return w->slots != NULL;
}

uint32_t ck_predict_position(const struct ck_predict_window *w, uint32_t event)
{
    const struct ck_predict_item *item = &w->items[w->events[event].item];
    uint32_t i;
    mm_partition(i, item->count, item->events[i] < event);
    return i;
}

/* ---- places ------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct ck_predict_place *x = a, *y = b;
    if (x->allocation != y->allocation)
        return x->allocation < y->allocation ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static struct ck_predict_place access_place(const struct ck_predictor *p, const struct ck_predict_window *w,
                                            const struct ck_predict_event *e)
{
    uint32_t group = ck_predict_is_local(p, e->event.allocation) ? w->items[e->item].group : 0;
    return (struct ck_predict_place){
        e->event.allocation, group, e->event.offset, e->event.offset + e->event.size, false, false};
}

static uint32_t find_place(const struct ck_predict_window *w, const struct ck_predict_place *wanted)
{
    uint32_t low = 0, high = w->place_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct ck_predict_place *x = &w->places[middle];
        if (by_place(x, wanted) > 0)
            high = middle;
        else if (x->allocation == wanted->allocation && x->group == wanted->group && wanted->from < x->to)
            return middle;
        else
            low = middle + 1;
    }
    return CK_PREDICT_NO_PLACE;
}

/* A byte is known if its first access reads it, or if the contents before that access are known. */
static bool mark_unknown(struct ck_predict_window *w)
{
    uint64_t *touched = mm_alloc_zero(w->place_count + 1, sizeof *touched);
    for (uint32_t i = 0; touched && i < w->count; i++) {
        const struct ck_predict_event *e = &w->events[i];
        if (e->place == CK_PREDICT_NO_PLACE)
            continue;
        struct ck_predict_place *place = &w->places[e->place];
        uint64_t from = e->event.offset - place->from, to = from + e->event.size;
        uint64_t mask = to <= 64 ? UINT64_MAX >> (64 - (to - from)) << from : 0;
        bool reads = mm_reads(&e->event) && !(e->event.attributes & MM_NO_VALUE);
        place->unknown |= to > 64 || (mask & ~touched[e->place] && !e->known && !reads);
        touched[e->place] |= mask;
    }
    mm_free(touched);
    return touched != NULL;
}

/* Marks the places that two agents access, one of them writing. */
static bool mark_shared(struct ck_predict_window *w)
{
    uint32_t *owner = mm_alloc((w->place_count + 1) * sizeof *owner);
    for (uint32_t i = 0; owner && i < w->place_count; i++)
        owner[i] = CK_PREDICT_NO_ITEM;
    for (int pass = 0; owner && pass < 2; pass++)
        for (uint32_t i = 0; i < w->count; i++) {
            const struct ck_predict_event *e = &w->events[i];
            if (e->place == CK_PREDICT_NO_PLACE)
                continue;
            if (pass == 0 && mm_writes(&e->event))
                owner[e->place] = e->item;
            else if (pass == 1 && owner[e->place] != CK_PREDICT_NO_ITEM && owner[e->place] != e->item)
                w->places[e->place].shared = true;
        }
    mm_free(owner);
    return owner != NULL;
}

/* Merges overlapping accesses into places. */
static bool make_places(const struct ck_predictor *p, struct ck_predict_window *w)
{
    struct ck_predict_place *all = mm_alloc_zero(w->count + 1, sizeof *all);
    uint32_t n = 0, kept = 0;
    if (!all)
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        if (mm_is_access(&w->events[i].event))
            all[n++] = access_place(p, w, &w->events[i]);
    qsort(all, n, sizeof *all, by_place);
    for (uint32_t i = 0; i < n; i++) {
        struct ck_predict_place *last = kept ? &all[kept - 1] : NULL;
        if (last && last->allocation == all[i].allocation && last->group == all[i].group &&
            all[i].from < last->to)
            last->to = all[i].to > last->to ? all[i].to : last->to;
        else
            all[kept++] = all[i];
    }
    w->places = all;
    w->place_count = kept;
    for (uint32_t i = 0; i < w->count; i++) {
        struct ck_predict_place at = access_place(p, w, &w->events[i]);
        w->events[i].place = mm_is_access(&w->events[i].event) ? find_place(w, &at) : CK_PREDICT_NO_PLACE;
    }
    return mark_shared(w) && mark_unknown(w);
}

/* A later read reveals the value of an unrecorded write. */
static void infer_written_value(struct ck_predict_window *w, const struct ck_predict_event *read)
{
    struct mm_event *write = read->writer != CK_NO_EVENT ? &w->events[read->writer].event : NULL;
    if (!write || write->kind != MM_WRITE || !(write->attributes & MM_NO_VALUE) ||
        read->event.attributes & MM_NO_VALUE || write->offset != read->event.offset ||
        write->size != read->event.size)
        return;
    write->value_written = read->event.value_read;
    write->attributes &= (uint8_t)~MM_NO_VALUE;
}

/* Recorded reads-from: the last write in record order. */
static bool make_writers(struct ck_predict_window *w)
{
    uint32_t *last = mm_alloc((w->place_count + 1) * sizeof *last);
    for (uint32_t i = 0; last && i < w->place_count; i++)
        last[i] = CK_NO_EVENT;
    for (uint32_t i = 0; last && i < w->count; i++) {
        struct ck_predict_event *e = &w->events[i];
        e->writer = CK_NO_EVENT;
        if (e->place == CK_PREDICT_NO_PLACE)
            continue;
        if (e->event.kind != MM_WRITE) {
            e->writer = last[e->place];
            infer_written_value(w, e);
        }
        if (mm_writes(&e->event))
            last[e->place] = i;
    }
    mm_free(last);
    return last != NULL;
}

/* ---- the fixed order ---------------------------------------------------------------------------- */

uint32_t ck_predict_edges(const struct ck_predict_window *w, uint32_t event, uint32_t *first)
{
    uint32_t i, n = 0;
    mm_partition(i, w->edge_count, w->edges[i].to < event);
    *first = i;
    while (i + n < w->edge_count && w->edges[i + n].to == event)
        n++;
    return n;
}

static void join_clock(const struct ck_predict_window *w, uint32_t *clock, uint32_t from)
{
    const uint32_t *other = &w->clocks[(size_t)w->events[from].clock * w->slot_count];
    for (uint32_t s = 0; s < w->slot_count; s++)
        clock[s] = other[s] > clock[s] ? other[s] : clock[s];
    uint32_t *own = &clock[w->items[w->events[from].item].slot];
    *own = from + 1 > *own ? from + 1 : *own;
}

/* Vector clocks over slots, updated at the targets of edges.  A child command is ordered after all recorded
 * events of its parent's work-items: an over-approximation, which predicts no false race. */
static bool make_clocks(struct ck_predict_window *w)
{
    uint32_t targets = 1, *current = mm_alloc_zero(w->slot_count + 1, sizeof *current);
    for (uint32_t i = 0; i < w->edge_count; i++)
        targets += i == 0 || w->edges[i].to != w->edges[i - 1].to;
    if ((uint64_t)targets * w->slot_count <= MOST_CLOCKS)
        w->clocks = mm_alloc_zero((size_t)targets * w->slot_count + 1, sizeof *w->clocks);
    w->clock_count = 1; /* the first is empty */
    for (uint32_t i = 0; i < w->count && w->clocks && current; i++) {
        uint32_t slot = w->items[w->events[i].item].slot, first;
        uint32_t n = ck_predict_edges(w, i, &first);
        if (n) {
            uint32_t *clock = &w->clocks[(size_t)w->clock_count * w->slot_count];
            memcpy(clock, &w->clocks[(size_t)current[slot] * w->slot_count], w->slot_count * sizeof *clock);
            for (uint32_t k = 0; k < n; k++)
                join_clock(w, clock, w->edges[first + k].from);
            current[slot] = w->clock_count++;
        }
        w->events[i].clock = current[slot];
    }
    mm_free(current);
    return current && w->clocks;
}

bool ck_predict_ordered(const struct ck_predict_window *w, uint32_t earlier, uint32_t later)
{
    uint32_t slot = w->items[w->events[earlier].item].slot;
    return slot != w->items[w->events[later].item].slot &&
           w->clocks[(size_t)w->events[later].clock * w->slot_count + slot] > earlier;
}

bool ck_predict_prepare(const struct ck_predictor *p, struct ck_predict_window *w)
{
    return make_items(p, w) && make_slots(w) && make_places(p, w) && make_writers(w) && make_clocks(w);
}
