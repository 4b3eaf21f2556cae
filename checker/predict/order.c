/* The interleaving of a predicted race: a sequentially consistent order of the query's events, found by
 * backtracking, in which the detector reports the race (docs/prediction.md#interleavings). */
#include "checker/predict/predict.h"

#include <string.h>

/* Of the search for an interleaving; interleavings that the model judges. */
enum { STEPS = 50000, ORDERS = 200 };

struct order {
    const struct ck_predictor *p;
    const struct ck_predict_window *w;
    struct ck_predict_pair *pair;
    bool *kept;
    uint32_t *at;     /* per agent: its next event */
    uint8_t *memory;  /* 8 bytes per place */
    mm_event_id *ids; /* per event: its number in the new order */
    uint32_t *events; /* the order so far: COUNT of TOTAL events */
    uint32_t count, total;
    uint32_t steps, orders; /* steps and complete orders tried so far */
    uint32_t last;          /* the item of the later access, scheduled first */
    uint32_t tail;          /* 2: the two accesses end the order; 0: their agents continue */
};

/* True if ITEM has a further event in the cut; skips events that are not relevant to the query. */
static bool has_next(struct order *o, uint32_t item)
{
    while (o->at[item] < o->pair->cut[item] && !o->kept[o->w->items[item].events[o->at[item]]])
        o->at[item]++;
    return o->at[item] < o->pair->cut[item];
}

static bool barrier_is_complete(const struct order *o, const struct ck_predict_event *exit)
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

static bool has_happened(const struct order *o, uint32_t event)
{
    return o->at[o->w->events[event].item] > ck_predict_position(o->w, event);
}

/* True if the events that the fixed order has before event INDEX have happened. */
static bool predecessors_happened(struct order *o, uint32_t index)
{
    const struct ck_predict_event *e = &o->w->events[index];
    const struct ck_predict_slot *slot = &o->w->slots[o->w->items[e->item].slot];
    uint32_t first, n = ck_predict_edges(o->w, index, &first);
    for (uint32_t k = 0; k < n; k++)
        if (!has_happened(o, o->w->edges[first + k].from))
            return false;
    if (slot->start != CK_NO_EVENT && e->event.agent.index != MM_INDEX_RUNTIME &&
        !has_happened(o, slot->start))
        return false;
    for (uint32_t i = slot->first_item;
         e->event.kind == MM_COMMAND_END && i < slot->first_item + slot->item_count; i++)
        if (i != e->item && has_next(o, i))
            return false;
    return true;
}

/* The value of term ID of E's agent; OTHERWISE if it is opaque. */
static uint64_t term_value(const struct order *o, const struct ck_predict_event *e, uint32_t id,
                           uint64_t otherwise)
{
    uint32_t command = e->event.agent.command;
    bool opaque = ck_predict_term(o->p, command, id)->opaque;
    return opaque ? otherwise : ck_predict_value(o->p, command, id, o->pair->read);
}

/* True if all agents that take part in the group function E have arrived. */
static bool group_has_arrived(struct order *o, const struct ck_predict_event *e)
{
    for (uint32_t i = 0; i < o->w->item_count; i++) {
        const struct ck_predict_item *item = &o->w->items[i];
        for (uint32_t k = o->at[i]; item->slot == o->w->items[e->item].slot && k < o->pair->cut[i]; k++) {
            const struct mm_event *other = &o->w->events[item->events[k]].event;
            if (other->kind == CK_PREDICT_CONDITION && other->instance == e->event.instance &&
                has_next(o, i) && o->at[i] < k)
                return false;
        }
    }
    return true;
}

static bool condition_holds(const struct order *o, const struct ck_predict_event *e)
{
    uint64_t was = e->event.value_read, is = term_value(o, e, e->read, was);
    return e->keeps ? is == was : !is == !was;
}

static uint64_t memory_value(const struct order *o, const struct ck_predict_event *e)
{
    uint64_t value = 0;
    memcpy(&value, memory_of(o, e), e->event.size);
    return value;
}

static bool read_is_allowed(const struct order *o, uint32_t index)
{
    const struct ck_predict_event *e = &o->w->events[index];
    uint64_t value = memory_value(o, e), was = e->event.value_read;
    if (o->pair->free[index] == CK_PREDICT_FIXED && value != was)
        return false;
    return e->update != MM_UPDATE_COMPARE ||
           (value == term_value(o, e, e->compared, e->event.kind == MM_RMW ? was : ~value)) ==
               (e->event.kind == MM_RMW);
}

/* The value that E writes. */
static uint64_t written_value(const struct order *o, uint32_t index)
{
    const struct ck_predict_event *e = &o->w->events[index];
    const struct mm_event *was = &e->event;
    uint64_t old = o->pair->read[index], with = term_value(o, e, e->written, was->value_written);
    unsigned size = was->size;
    bool opaque = ck_predict_term(o->p, was->agent.command, e->written)->opaque;
    int64_t x = ck_sign_extend(old, size), y = ck_sign_extend(with, size);
    switch (e->update) {
    case MM_UPDATE_ADD:
        return opaque ? old + was->value_written - was->value_read : old + with;
    case MM_UPDATE_SUB:
        return opaque ? old + was->value_written - was->value_read : old - with;
    case MM_UPDATE_AND:
        return opaque ? with : old & with;
    case MM_UPDATE_OR:
        return opaque ? with : old | with;
    case MM_UPDATE_XOR:
        return opaque ? with : old ^ with;
    case MM_UPDATE_SMIN:
        return opaque || y < x ? with : old;
    case MM_UPDATE_SMAX:
        return opaque || y > x ? with : old;
    case MM_UPDATE_UMIN:
        return opaque || with < old ? with : old;
    case MM_UPDATE_UMAX:
        return opaque || with > old ? with : old;
    default:
        return with;
    }
}

static bool is_enabled(struct order *o, uint32_t index)
{
    const struct ck_predict_event *e = &o->w->events[index];
    if (!predecessors_happened(o, index))
        return false;
    if (e->event.kind == MM_BARRIER_EXIT)
        return barrier_is_complete(o, e);
    if (e->event.kind == CK_PREDICT_CONDITION)
        return e->event.instance ? group_has_arrived(o, e) : condition_holds(o, e);
    return e->place == CK_PREDICT_NO_PLACE || e->event.kind == MM_WRITE || read_is_allowed(o, index);
}

static void detector_feed(const struct mm_sink *sink, const struct order *o, uint32_t index, mm_event_id id)
{
    uint32_t first, n = ck_predict_edges(o->w, index, &first);
    struct mm_record record = {.type = MM_RECORD_EDGE};
    o->ids[index] = id;
    for (uint32_t k = 0; k < n; k++) {
        record.edge =
            (struct mm_edge){.from = o->ids[o->w->edges[first + k].from], .to = id, .kind = MM_EDGE_WAIT};
        sink->record(sink->context, &record);
    }
    record = (struct mm_record){.type = MM_RECORD_EVENT, .event = o->w->events[index].event};
    sink->record(sink->context, &record);
}

/* True if the detector reports the race in this order. */
static bool is_confirmed(const struct order *o)
{
    struct ck_detector *d = ck_detector_create(&(struct ck_detector_options){.races = true});
    struct mm_sink sink;
    bool is = false;
    if (!d)
        return false;
    ck_detector_sink(d, &sink);
    struct mm_record record = {.type = MM_RECORD_COMMAND};
    for (uint32_t i = 0; i < o->p->command_count; i++) {
        record.command = o->p->commands[i];
        if (record.command.id)
            sink.record(sink.context, &record);
    }
    for (uint32_t i = 0; i < o->p->allocation_count; i++) {
        record = (struct mm_record){.type = MM_RECORD_ALLOCATION, .allocation = o->p->allocations[i].info};
        if (record.allocation.id)
            sink.record(sink.context, &record);
    }
    mm_event_id id = 0;
    for (uint32_t i = 0; i < o->count; i++)
        if (o->w->events[o->events[i]].event.kind != CK_PREDICT_CONDITION)
            detector_feed(&sink, o, o->events[i], id++);
    for (uint32_t k = 0; k < o->tail; k++)
        detector_feed(&sink, o, k ? o->pair->a : o->pair->b, id++);
    for (size_t i = 0; i < ck_detector_finding_count(d) && !is; i++) {
        const struct ck_finding *f = ck_detector_finding(d, i);
        is = f->access_count == 2 && f->allocation &&
             f->allocation->id == o->w->events[o->pair->a].event.allocation;
    }
    ck_detector_destroy(d);
    return is;
}

static bool extend_order(struct order *o);

static void perform_access(struct order *o, uint32_t index)
{
    const struct ck_predict_event *e = &o->w->events[index];
    if (e->place == CK_PREDICT_NO_PLACE)
        return;
    if (mm_reads(&e->event))
        o->pair->read[index] = memory_value(o, e);
    if (mm_writes(&e->event)) {
        o->pair->written[index] = written_value(o, index);
        memcpy(memory_of(o, e), &o->pair->written[index], e->event.size);
    }
}

/* Steps over the next conditions of ITEM; false if one is violated. */
static bool pass_conditions(struct order *o, uint32_t item)
{
    while (has_next(o, item)) {
        uint32_t index = o->w->items[item].events[o->at[item]];
        const struct ck_predict_event *e = &o->w->events[index];
        if (e->event.kind != CK_PREDICT_CONDITION || e->event.instance)
            return true;
        if (!condition_holds(o, e))
            return false;
        o->events[o->count++] = index;
        o->at[item]++;
    }
    return true;
}

static bool step_item(struct order *o, uint32_t item)
{
    uint32_t index = o->w->items[item].events[o->at[item]];
    const struct ck_predict_event *e = &o->w->events[index];
    uint8_t before[8];
    uint32_t count = o->count, at = o->at[item];
    bool writes = e->place != CK_PREDICT_NO_PLACE && e->event.kind != MM_READ;
    bool racing = o->tail && (index == o->pair->a || index == o->pair->b);
    if (racing || !is_enabled(o, index))
        return false;
    if (writes)
        memcpy(before, memory_of(o, e), e->event.size);
    perform_access(o, index);
    o->events[o->count++] = index;
    o->at[item]++;
    if (pass_conditions(o, item) && extend_order(o))
        return true;
    o->at[item] = at;
    o->count = count;
    if (writes)
        memcpy(memory_of(o, e), before, e->event.size);
    return false;
}

/* An item whose next event is an enabled command event, which disables no other: no alternative is tried. */
static uint32_t enabled_command_event(struct order *o)
{
    for (uint32_t i = 0; i < o->w->item_count; i++)
        if (has_next(o, i) && ck_predict_is_point(&o->w->events[o->w->items[i].events[o->at[i]]].event) &&
            predecessors_happened(o, o->w->items[i].events[o->at[i]]))
            return i;
    return CK_PREDICT_NO_ITEM;
}

static bool extend_order(struct order *o)
{
    uint32_t point = enabled_command_event(o);
    if (point != CK_PREDICT_NO_ITEM)
        return step_item(o, point);
    if (o->count + o->tail == o->total)
        return o->orders++ < ORDERS && is_confirmed(o);
    if (o->steps++ >= STEPS || o->orders >= ORDERS)
        return false;
    for (uint32_t i = 0; i < o->w->item_count; i++) {
        uint32_t item = (o->last + i) % o->w->item_count, was = o->at[item];
        if (has_next(o, item) && step_item(o, item))
            return true;
        o->at[item] = was;
    }
    return false;
}

/* Adds the command events and conditions within the cut. */
static uint32_t add_command_events(const struct order *o)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->w->item_count; i++)
        for (uint32_t k = 0; k < o->pair->cut[i]; k++) {
            uint32_t index = o->w->items[i].events[k];
            const struct mm_event *e = &o->w->events[index].event;
            bool point = ck_predict_is_point(e) || e->kind == CK_PREDICT_CONDITION;
            o->kept[index] |= point;
            count += point;
        }
    return count;
}

uint32_t ck_predict_order(const struct ck_predictor *p, const struct ck_predict_window *w,
                          struct ck_predict_pair *pair, uint32_t *order)
{
    struct order o = {.p = p,
                      .w = w,
                      .pair = pair,
                      .events = order,
                      .last = w->events[pair->b].item,
                      .tail = pair->beyond ? 0 : 2};
    bool found = false;
    o.kept = mm_alloc(w->count + 1);
    o.at = mm_alloc_zero(w->item_count + 1, sizeof *o.at);
    o.ids = mm_alloc_zero(w->count + 1, sizeof *o.ids);
    o.memory = mm_alloc_zero(w->place_count + 1, 8);
    if (o.kept && o.at && o.ids && o.memory) {
        o.total = ck_predict_select(p, w, pair, o.kept);
        bool few = o.total >= 2 && o.total <= p->options.events;
        o.total += add_command_events(&o);
        for (uint32_t i = 0; i < w->place_count; i++)
            if (w->places[i].to - w->places[i].from <= 8)
                ck_predict_initial(w, i, o.memory + (size_t)8 * i);
        found = few && extend_order(&o);
    }
    for (uint32_t k = 0; found && k < o.tail; k++) {
        order[o.count + k] = k ? pair->a : pair->b;
        perform_access(&o, order[o.count + k]);
    }
    mm_free(o.kept);
    mm_free(o.at);
    mm_free(o.ids);
    mm_free(o.memory);
    return found ? o.count + o.tail : 0;
}
