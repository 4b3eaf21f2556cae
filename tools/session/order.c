/* Replays a trace with additional order between commands.
 *
 * Events of delayed commands, and all events ordered after them, are held back until the commands they wait
 * for are complete; the others keep the order of the trace.  Events are renumbered in the new order. */
#include "tools/session/order.h"

#include "memmodel/base/array.h"

#include <string.h>

enum { MOST_HELD = 1 << 20, MOST_LISTED = 4 * MOST_HELD, MOST_EDGES = 64 };

struct numbered {        /* an event that edges may start from */
    mm_event_id was, is; /* recorded id, new id: MM_NO_EVENT while the event is held back */
};
struct held {
    struct mm_event event;
    mm_event_id was;
    struct mm_edge *edges;
    size_t edge_count;
};
struct orderer {
    const struct session_order *order;
    const struct mm_sink *to;
    mm_event_id in, out;
    struct numbered *numbers;
    size_t number_count;
    struct held *held;
    size_t held_count;
    uint64_t *waiting; /* keys of the commands and host threads that are held back */
    size_t waiting_count;
    mm_event_id complete[SESSION_ORDERS]; /* by order: new id of the completion of its first command */
    bool enqueued[SESSION_ORDERS];
    struct mm_edge edges[MOST_EDGES]; /* edges that end in the next event */
    size_t edge_count;
    enum mm_class result;
};

/* ---- numbers ------------------------------------------------------------------------------------- */

static struct numbered *number_of(struct orderer *o, mm_event_id was)
{
    size_t i;
    mm_partition(i, o->number_count, o->numbers[i].was < was);
    return i < o->number_count && o->numbers[i].was == was ? &o->numbers[i] : NULL;
}

static void give_number(struct orderer *o, mm_event_id was)
{
    struct numbered number = {was, MM_NO_EVENT};
    if (o->number_count == MOST_LISTED || !mm_append(&o->numbers, &o->number_count, &number))
        o->result = MM_LIMIT;
}

/* ---- delayed agents ------------------------------------------------------------------------------- */

/* Identifies the agent of E for delays: a command as a whole, or one host thread. */
static uint64_t key_of(const struct mm_event *e)
{
    return e->agent.command ? (uint64_t)e->agent.command << 32 : e->agent.index;
}

static bool is_waiting(const struct orderer *o, uint64_t key)
{
    for (size_t i = 0; i < o->waiting_count; i++)
        if (o->waiting[i] == key)
            return true;
    return false;
}

/* True if event E begins the second command of order I. */
static bool event_begins(const struct orderer *o, size_t i, const struct mm_event *e)
{
    const struct ck_order *order = &o->order->orders[i];
    if (order->second)
        return e->kind == MM_COMMAND_START && e->agent.command == order->second;
    return mm_is_access(e) && !e->agent.command && e->agent.index == order->host && o->enqueued[i] &&
           e->source == order->source && e->allocation == order->allocation;
}

static bool has_to_wait(struct orderer *o, const struct mm_event *e, const struct mm_edge *edges,
                        size_t count)
{
    bool waits = is_waiting(o, key_of(e));
    for (size_t i = 0; i < count && !waits; i++) {
        const struct numbered *from = number_of(o, edges[i].from);
        waits = from && from->is == MM_NO_EVENT;
    }
    for (size_t i = 0; i < o->order->count && !waits; i++)
        waits = o->complete[i] == MM_NO_EVENT && event_begins(o, i, e);
    return waits;
}

static void wait_too(struct orderer *o, uint64_t key)
{
    if (is_waiting(o, key))
        return;
    if (o->waiting_count == MOST_LISTED || !mm_append(&o->waiting, &o->waiting_count, &key))
        o->result = MM_LIMIT;
}

/* Holds back an event until its command may continue; fails for atomics, which might read other values
 * then. */
static void hold_event(struct orderer *o, const struct mm_event *e, mm_event_id was,
                       const struct mm_edge *edges, size_t count)
{
    struct mm_edge *copy = count ? mm_alloc(count * sizeof *copy) : NULL;
    struct held held = {*e, was, copy, count};
    bool possible = o->held_count < MOST_HELD && (copy || !count) && !(e->attributes & MM_ATOMIC);
    if (possible && count)
        memcpy(copy, edges, count * sizeof *copy);
    if (!possible || !mm_append(&o->held, &o->held_count, &held)) {
        mm_free(copy);
        o->result = MM_LIMIT;
        return;
    }
    wait_too(o, key_of(e));
}

/* ---- passing on ---------------------------------------------------------------------------------- */

static void pass_edge(struct orderer *o, mm_event_id from, uint32_t kind)
{
    struct mm_record record = {.type = MM_RECORD_EDGE, .edge = {.from = from, .to = o->out, .kind = kind}};
    o->to->record(o->to->context, &record);
}

static bool event_completes(struct orderer *o, const struct mm_event *e)
{
    bool any = false;
    for (size_t i = 0; i < o->order->count; i++) {
        if (e->kind != MM_EVENT_COMPLETE || e->agent.command != o->order->orders[i].first)
            continue;
        o->complete[i] = o->out;
        any = true;
    }
    return any;
}

/* Emits an event; true if held events may continue now. */
static bool pass_event(struct orderer *o, const struct mm_event *e, mm_event_id was,
                       const struct mm_edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct numbered *from = number_of(o, edges[i].from);
        pass_edge(o, from ? from->is : edges[i].from, edges[i].kind);
    }
    for (size_t i = 0; i < o->order->count; i++)
        if (event_begins(o, i, e))
            pass_edge(o, o->complete[i], o->order->orders[i].second ? MM_EDGE_WAIT : MM_EDGE_API_WAIT);
    struct numbered *number = mm_is_access(e) ? NULL : number_of(o, was);
    if (number)
        number->is = o->out;
    bool frees = event_completes(o, e);
    o->to->events(o->to->context, e, 1);
    o->out++;
    return frees;
}

/* Emits the held events of agents that no longer need to wait. */
static void release_waiting(struct orderer *o)
{
    bool again = true;
    while (again && o->result == MM_OK) {
        struct held *list = o->held;
        size_t count = o->held_count;
        again = false;
        o->held = NULL;
        o->held_count = o->waiting_count = 0;
        for (size_t i = 0; i < count; i++) {
            struct held *h = &list[i];
            if (o->result == MM_OK && has_to_wait(o, &h->event, h->edges, h->edge_count))
                hold_event(o, &h->event, h->was, h->edges, h->edge_count);
            else if (o->result == MM_OK)
                again |= pass_event(o, &h->event, h->was, h->edges, h->edge_count);
            mm_free(h->edges);
        }
        mm_free(list);
    }
}

/* ---- the trace ----------------------------------------------------------------------------------- */

static enum mm_class one_event(struct orderer *o, const struct mm_event *e)
{
    mm_event_id was = o->in++;
    if (!mm_is_access(e))
        give_number(o, was);
    if (o->result == MM_OK && has_to_wait(o, e, o->edges, o->edge_count))
        hold_event(o, e, was, o->edges, o->edge_count);
    else if (o->result == MM_OK && pass_event(o, e, was, o->edges, o->edge_count))
        release_waiting(o);
    o->edge_count = 0;
    return o->result;
}

static enum mm_class take_edge(struct orderer *o, const struct mm_edge *edge)
{
    bool value = edge->kind == MM_EDGE_RF || edge->kind == MM_EDGE_CO;
    if (value || o->edge_count == MOST_EDGES)
        return o->result = MM_LIMIT;
    if (edge->to == o->in)
        o->edges[o->edge_count++] = *edge;
    return MM_OK;
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    struct orderer *o = context;
    if (record->type == MM_RECORD_EVENT)
        return one_event(o, &record->event);
    if (record->type == MM_RECORD_EDGE)
        return take_edge(o, &record->edge);
    for (size_t i = 0; record->type == MM_RECORD_COMMAND && i < o->order->count; i++)
        o->enqueued[i] |= record->command.id == o->order->orders[i].first;
    return o->to->record(o->to->context, record);
}

static enum mm_class order_take_events(void *context, const struct mm_event *events, size_t count)
{
    struct orderer *o = context;
    for (size_t i = 0; i < count && o->result == MM_OK; i++)
        one_event(o, &events[i]);
    return o->result;
}

enum mm_class session_order_read(const struct session_trace *trace, const struct session_order *order,
                                 const struct mm_sink *sink)
{
    struct orderer o = {.order = order, .to = sink};
    struct mm_sink in = {.context = &o, .record = take_record, .events = order_take_events};
    bool complete = false;
    for (size_t i = 0; i < SESSION_ORDERS; i++)
        o.complete[i] = MM_NO_EVENT;
    enum mm_class read = session_trace_read(trace, &in, &complete);
    if (o.result == MM_OK && read != MM_OK)
        o.result = MM_LIMIT;
    if (o.result == MM_OK && o.held_count)
        o.result = complete ? MM_UNDEFINED : MM_LIMIT;
    for (size_t i = 0; i < o.held_count; i++)
        mm_free(o.held[i].edges);
    mm_free(o.held);
    mm_free(o.numbers);
    mm_free(o.waiting);
    return o.result;
}
