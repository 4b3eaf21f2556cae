/* The execution of a predicted race: an order of events, each reading what it read, in which nothing orders
 * the two accesses; the detector looks at it once more. */
#include "checker/predict.h"

#include <string.h>

enum { STEPS = 50000, ORDERS = 200 };

struct order {
    const struct ck_predictor *p;
    const struct ck_predict_window *w;
    const struct ck_predict_pair *pair;
    bool *kept;
    uint32_t *at;                               /* per work-item: how far it is */
    uint8_t *memory;                            /* 8 bytes per place */
    uint32_t *events;                           /* the order so far */
    uint32_t count, total, steps, orders, last; /* LAST: the item of the later access, which goes first */
};

static bool may_leave(const struct order *o, const struct ck_predict_event *exit)
{
    for (uint32_t i = 0; i < o->w->item_count; i++) {
        const struct ck_predict_item *item = &o->w->items[i];
        if (item->group != o->w->items[exit->item].group)
            continue;
        for (uint32_t k = o->at[i]; k < o->pair->cut[i]; k++) {
            const struct mm_event *e = &o->w->events[item->events[k]].event;
            if (o->kept[item->events[k]] && e->kind == MM_BARRIER_ENTRY &&
                e->instance == exit->event.instance && e->effective_scope == exit->event.effective_scope)
                return false;
        }
    }
    return true;
}

static uint8_t *memory_of(const struct order *o, const struct ck_predict_event *e)
{
    return o->memory + (size_t)8 * e->place + (e->event.offset - o->w->places[e->place].from);
}

static bool may_go(const struct order *o, uint32_t index)
{
    const struct ck_predict_event *e = &o->w->events[index];
    if (e->event.kind == MM_BARRIER_EXIT)
        return may_leave(o, e);
    if (e->place == UINT32_MAX || e->event.kind == MM_WRITE)
        return true;
    return memcmp(memory_of(o, e), &e->event.value_read, e->event.size) == 0;
}

static void feed(const struct mm_sink *sink, const struct order *o, uint32_t index)
{
    struct mm_record record = {.type = MM_RECORD_EVENT, .event = o->w->events[index].event};
    sink->record(sink->context, &record);
}

/* The detector finds the race in this order. */
static bool confirmed(const struct order *o)
{
    struct ck_detector *d = ck_detector_create(&(struct ck_detector_options){.races = true});
    struct mm_sink sink;
    bool is = false;
    if (!d)
        return false;
    ck_detector_sink(d, &sink);
    struct mm_record record = {.type = MM_RECORD_COMMAND, .command = o->w->command};
    sink.record(sink.context, &record);
    for (uint32_t i = 0; i < o->p->allocation_count; i++) {
        record = (struct mm_record){.type = MM_RECORD_ALLOCATION, .allocation = o->p->allocations[i]};
        if (record.allocation.id)
            sink.record(sink.context, &record);
    }
    for (uint32_t i = 0; i < o->count; i++)
        feed(&sink, o, o->events[i]);
    feed(&sink, o, o->pair->b);
    feed(&sink, o, o->pair->a);
    for (size_t i = 0; i < ck_detector_finding_count(d) && !is; i++) {
        const struct ck_finding *f = ck_detector_finding(d, i);
        is = f->access_count == 2 && f->allocation &&
             f->allocation->id == o->w->events[o->pair->a].event.allocation;
    }
    ck_detector_destroy(d);
    return is;
}

static bool walk(struct order *o);

static bool take(struct order *o, uint32_t item)
{
    uint32_t index = o->w->items[item].events[o->at[item]];
    const struct ck_predict_event *e = &o->w->events[index];
    uint8_t before[8];
    bool writes = e->place != UINT32_MAX && e->event.kind != MM_READ;
    if (index == o->pair->a || index == o->pair->b || !may_go(o, index))
        return false;
    if (writes) {
        memcpy(before, memory_of(o, e), e->event.size);
        memcpy(memory_of(o, e), &e->event.value_written, e->event.size);
    }
    o->events[o->count++] = index;
    o->at[item]++;
    if (walk(o))
        return true;
    o->at[item]--;
    o->count--;
    if (writes)
        memcpy(memory_of(o, e), before, e->event.size);
    return false;
}

/* Skips what is left out. */
static bool next_of(struct order *o, uint32_t item)
{
    while (o->at[item] < o->pair->cut[item] && !o->kept[o->w->items[item].events[o->at[item]]])
        o->at[item]++;
    return o->at[item] < o->pair->cut[item];
}

static bool walk(struct order *o)
{
    if (o->count + 2 == o->total)
        return o->orders++ < ORDERS && confirmed(o);
    if (o->steps++ >= STEPS || o->orders >= ORDERS)
        return false;
    for (uint32_t i = 0; i < o->w->item_count; i++) {
        uint32_t item = (o->last + i) % o->w->item_count, was = o->at[item];
        if (next_of(o, item) && take(o, item))
            return true;
        o->at[item] = was;
    }
    return false;
}

uint32_t ck_predict_order(const struct ck_predictor *p, const struct ck_predict_window *w,
                          const struct ck_predict_pair *pair, uint32_t *order)
{
    struct order o = {.p = p, .w = w, .pair = pair, .events = order, .last = w->events[pair->b].item};
    bool found = false;
    o.kept = mm_alloc(w->count + 1);
    o.at = mm_alloc_zero(w->item_count + 1, sizeof *o.at);
    o.memory = mm_alloc_zero(w->place_count + 1, 8);
    if (o.kept && o.at && o.memory) {
        o.total = ck_predict_select(w, pair, o.kept);
        for (uint32_t i = 0; i < w->place_count; i++)
            if (w->places[i].to - w->places[i].from <= 8)
                ck_predict_initial(w, i, o.memory + (size_t)8 * i);
        found = o.total >= 2 && o.total <= p->options.events && walk(&o);
    }
    mm_free(o.kept);
    mm_free(o.at);
    mm_free(o.memory);
    if (!found)
        return 0;
    order[o.count] = pair->b;
    order[o.count + 1] = pair->a;
    return o.count + 2;
}
