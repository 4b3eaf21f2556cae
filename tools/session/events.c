/* The events of a trace that explain a finding: the last ones of its agents, synchronization, commands. One
 * pass up to the later access keeps a window of the last events of each category, so that memory does not
 * depend on the length of the execution. */
#include "tools/session/events.h"

#include <stdlib.h>
#include <string.h>

enum { OWN = 24, SYNC = 24, COMMANDS = 40, EDGES = 400, WRITES = 1 << 16 };

struct window {
    struct picked_event events[COMMANDS];
    size_t size, count; /* COUNT: number of events ever entered */
};
struct last_write { /* of a written location, by hash; a newer location may evict an older one */
    uint64_t key;
    mm_event_id id;
};
struct picker {
    const struct ck_finding *finding;
    mm_event_id next, end;
    struct window own[2], sync, commands;
    struct picked_event earlier; /* the latest event that can be the earlier access */
    bool has_earlier;
    struct picked_edge edges[EDGES];
    size_t edge_count;
    struct last_write *writes;
};

static void put_event(struct window *w, const struct picked_event *e)
{
    w->events[w->count++ % w->size] = *e;
}

static bool same_agent(struct mm_agent a, struct mm_agent b)
{
    return a.command == b.command && a.index == b.index;
}

static struct last_write *slot_of(const struct picker *p, const struct mm_event *e, uint64_t *key)
{
    *key = ((uint64_t)e->allocation << 40 ^ e->offset) * 0x9e3779b97f4a7c15u | 1;
    return &p->writes[(*key >> 40) % WRITES];
}

/* The last write to the location of E.  Only the first byte is looked up: accesses that overlap in part have
 * no single source. */
static mm_event_id follow_value(struct picker *p, const struct mm_event *e)
{
    uint64_t key;
    struct last_write *slot = slot_of(p, e, &key);
    mm_event_id from = e->kind != MM_WRITE && slot->key == key ? slot->id : MM_NO_EVENT;
    if (e->kind != MM_READ)
        *slot = (struct last_write){key, p->next};
    return from;
}

static bool is_earlier_access(const struct picker *p, const struct mm_event *e)
{
    const struct ck_finding *f = p->finding;
    if (f->access_count < 2)
        return false;
    const struct ck_access *a = &f->accesses[1];
    return same_agent(e->agent, a->agent) && e->source == a->event.source && e->kind == a->event.kind &&
           e->allocation == a->event.allocation && e->offset <= f->offset + f->size &&
           f->offset < e->offset + e->size;
}

static void one_event(struct picker *p, const struct mm_event *e)
{
    struct picked_event picked = {.id = p->next, .event = *e, .read_from = MM_NO_EVENT};
    if (mm_is_access(e))
        picked.read_from = follow_value(p, e);
    bool own = false;
    for (size_t i = 0; i < p->finding->access_count && !own; i++) {
        own = same_agent(e->agent, p->finding->accesses[i].agent);
        if (own)
            put_event(&p->own[i], &picked);
    }
    if (is_earlier_access(p, e)) {
        p->earlier = picked;
        p->has_earlier = true;
    }
    if (!own && mm_is_access(e) && (e->attributes & MM_ATOMIC))
        put_event(&p->sync, &picked);
    else if (!own && (e->kind == MM_API_CALL || e->kind == MM_COMMAND_START || e->kind == MM_COMMAND_END ||
                      e->kind == MM_EVENT_COMPLETE || e->kind == MM_CALLBACK || e->kind == MM_MAP ||
                      e->kind == MM_UNMAP || e->kind == MM_DEVICE_ENQUEUE))
        put_event(&p->commands, &picked);
}

static enum mm_class take_events(void *context, const struct mm_event *events, size_t count)
{
    struct picker *p = context;
    for (size_t i = 0; i < count; i++, p->next++) {
        if (p->next > p->end)
            return MM_LIMIT;
        one_event(p, &events[i]);
    }
    return MM_OK;
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    struct picker *p = context;
    if (record->type == MM_RECORD_EVENT)
        return take_events(p, &record->event, 1);
    if (record->type == MM_RECORD_EDGE)
        p->edges[p->edge_count++ % EDGES] =
            (struct picked_edge){record->edge.from, record->edge.to, record->edge.kind};
    return MM_OK;
}

/* ---- from windows to a list ------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct picked_event *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void add_window(struct picked *picked, const struct window *w)
{
    for (size_t i = 0; i < w->size && i < w->count; i++)
        picked->events[picked->event_count++] = w->events[i];
}

static bool is_picked(const struct picked *picked, mm_event_id id)
{
    struct picked_event key = {.id = id};
    return bsearch(&key, picked->events, picked->event_count, sizeof key, by_id) != NULL;
}

static void sort_events(struct picked *picked, const struct picker *p)
{
    size_t kept = 0;
    qsort(picked->events, picked->event_count, sizeof *picked->events, by_id);
    for (size_t i = 0; i < picked->event_count; i++) {
        struct picked_event *e = &picked->events[i];
        if (kept && picked->events[kept - 1].id == e->id)
            continue;
        e->access = e->id == p->finding->accesses[0].id        ? 1
                    : p->has_earlier && e->id == p->earlier.id ? 2
                                                               : 0;
        picked->events[kept++] = *e;
    }
    picked->event_count = kept;
    for (size_t i = 0; i < kept; i++)
        if (!is_picked(picked, picked->events[i].read_from))
            picked->events[i].read_from = MM_NO_EVENT;
}

static bool collect_events(const struct picker *p, struct picked *picked)
{
    picked->events = mm_alloc_zero(2 * OWN + SYNC + COMMANDS + 1, sizeof *picked->events);
    picked->edges = mm_alloc_zero(EDGES, sizeof *picked->edges);
    if (!picked->events || !picked->edges)
        return false;
    add_window(picked, &p->own[0]);
    add_window(picked, &p->own[1]);
    add_window(picked, &p->sync);
    add_window(picked, &p->commands);
    if (p->has_earlier)
        picked->events[picked->event_count++] = p->earlier;
    sort_events(picked, p);
    for (size_t i = 0; i < p->edge_count && i < EDGES; i++)
        if (is_picked(picked, p->edges[i].from) && is_picked(picked, p->edges[i].to))
            picked->edges[picked->edge_count++] = p->edges[i];
    return true;
}

bool pick_events(const struct session_trace *trace, const struct ck_finding *finding, struct picked *picked)
{
    bool complete, ok = false;
    memset(picked, 0, sizeof *picked);
    if (!finding->access_count)
        return false;
    struct picker *p = mm_alloc_zero(1, sizeof *p);
    if (p && (p->writes = mm_alloc_zero(WRITES, sizeof *p->writes))) {
        struct mm_sink sink = {.context = p, .record = take_record, .events = take_events};
        p->finding = finding;
        p->end = finding->accesses[0].id;
        p->own[0].size = p->own[1].size = OWN;
        p->sync.size = SYNC;
        p->commands.size = COMMANDS;
        session_trace_read(trace, &sink, &complete);
        ok = collect_events(p, picked);
    }
    if (p)
        mm_free(p->writes);
    mm_free(p);
    return ok;
}

void picked_clear(struct picked *picked)
{
    mm_free(picked->events);
    mm_free(picked->edges);
    memset(picked, 0, sizeof *picked);
}
