/* A schedule as the record of an execution, from which the detector reports its races (README.md#reports). */
#include "tools/commands/replay.h"
#include "memmodel/base/array.h"

bool hc_schedule_add(struct hc_schedule *schedule, const struct hc_edge *edge)
{
    return mm_append(&schedule->edges, &schedule->count, edge);
}

struct replay {
    struct hc_record *record;
    const struct hc_schedule *schedule;
    struct mm_sink to;
    mm_event_id next, *ids; /* IDS: by node */
};

static void send_event(struct replay *r, const struct mm_event *e)
{
    r->to.events(r->to.context, e, 1);
    r->next++;
}

/* Memory orders of atomic operations are omitted: the race does not depend on them. */
static void send_access(struct replay *r, const struct hc_cell *cell, const struct hc_member *m, bool writes,
                        bool atomic)
{
    const struct hc_record *record = r->record;
    const struct hc_interval *at = &record->intervals[m->interval];
    const struct hc_part *part = &record->parts[m->part];
    struct mm_event e = at->sample;
    uint64_t size = cell->to - cell->from;
    e.kind = writes ? MM_WRITE : MM_READ;
    e.order = atomic ? MM_RELAXED : MM_ORDER_NONE;
    e.attributes = (uint8_t)(MM_NO_VALUE | (atomic ? MM_ATOMIC : 0));
    e.semantics = 0;
    e.allocation = record->allocations[cell->root].id;
    e.offset = cell->from;
    e.size = size < e.size ? (uint32_t)size : e.size;
    if (part->command != HC_NONE && (at->several || e.agent.command != record->commands[part->command].id))
        e.agent = (struct mm_agent){record->commands[part->command].id, MM_INDEX_RUNTIME};
    send_event(r, &e);
}

static void send_accesses(struct replay *r, uint32_t part)
{
    const struct hc_record *record = r->record;
    for (uint32_t c = 0; c < record->cell_count; c++)
        for (uint32_t i = 0; i < record->cells[c].count; i++) {
            const struct hc_member *m = &record->cells[c].members[i];
            if (m->part == part && m->kind & (HC_READ | HC_WRITE))
                send_access(r, &record->cells[c], m, m->kind & HC_WRITE, false);
            if (m->part == part && m->kind & HC_ATOMICS)
                send_access(r, &record->cells[c], m, m->kind & HC_ATOMIC_WRITE, true);
        }
}

static void send_point(struct replay *r, uint32_t node)
{
    struct mm_event e = r->record->nodes[node].event;
    for (uint32_t i = 0; i < r->schedule->count; i++) {
        const struct hc_edge *edge = &r->schedule->edges[i];
        struct mm_record record = {.type = MM_RECORD_EDGE, .edge = {.to = r->next, .kind = edge->kind}};
        record.edge.from = r->ids[edge->from];
        if (edge->to == node && r->record->nodes[edge->from].part == HC_NONE)
            r->to.record(r->to.context, &record);
    }
    r->ids[node] = r->next;
    e.semantics = 0;
    send_event(r, &e);
}

void hc_replay(struct hc_record *record, const struct hc_schedule *schedule, struct ck_detector *detector)
{
    struct replay r = {.record = record, .schedule = schedule};
    uint32_t *order = mm_alloc((record->node_count + 1) * sizeof *order);
    r.ids = mm_alloc_zero(record->node_count + 1, sizeof *r.ids);
    uint32_t count = order && r.ids ? hc_linearize(record, schedule, order) : 0;
    ck_detector_sink(detector, &r.to);
    for (uint32_t i = 0; i < count; i++) {
        const struct hc_node *node = &record->nodes[order[i]];
        if (node->part != HC_NONE) {
            send_accesses(&r, node->part);
            continue;
        }
        send_point(&r, order[i]);
        if (node->event.kind == MM_COMMAND_START)
            send_accesses(&r, record->commands[node->owner].part);
    }
    mm_free(order);
    mm_free(r.ids);
}
