/* Host threads, commands, and the edges between them [CL 3.3.6 H1-H14].
 *
 * Every event that is neither an access nor a fence nor a barrier keeps a snapshot of its agent's clocks,
 * from which a recorded edge can start. */
#include "checker/race/agents.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ck_race_edge(struct ck_detector *d, const struct mm_edge *edge)
{
    bool value = edge->kind == MM_EDGE_RF || edge->kind == MM_EDGE_CO;
    if (value && d->options.weak) {
        ck_weak_edge(d, edge);
        return;
    }
    if (value) {
        ck_detector_stop(d, "values do not flow in record order");
        return;
    }
    if (edge->to != d->next_event)
        return;
    if (edge->kind == MM_EDGE_AMBIGUOUS && d->options.least_order)
        return;
    if (edge->kind == MM_EDGE_QUERY && !mm_revision_event_queries(d->options.revision))
        return;
    if (!ck_budget_reserve(&d->budget, &d->edges.list, &d->edges.capacity, d->edges.count + 1,
                           sizeof *d->edges.list))
        return;
    d->edges.list[d->edges.count++] = *edge;
}

/* Records the call that enqueued the command, for reports. */
static void note_call(struct ck_detector *d, const struct mm_event *event, const struct ck_snapshot *from)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    if (!command)
        return;
    command->call = from->source;
    command->caller = from->agent.index;
}

const struct ck_command *ck_command_parent(const struct ck_detector *d, const struct ck_command *command)
{
    return command->enqueuer ? mm_map_pointer(&d->maps.commands, command->enqueuer->agent.command) : NULL;
}

/* True if the clocks of all regions are the same object, as is usual: commands order all regions alike. */
static bool is_one(struct ck_clock *const clock[CK_REGIONS])
{
    return clock[CK_REGION_GLOBAL] == clock[CK_REGION_IMAGE];
}

static void join_shared(struct ck_detector *d, struct ck_item *item, struct ck_clock *const clock[CK_REGIONS])
{
    bool one = is_one(item->clock) && is_one(clock);
    ck_clock_join(&d->clocks, &item->clock[CK_REGION_GLOBAL], clock[CK_REGION_GLOBAL]);
    if (one)
        ck_clock_set(&d->clocks, &item->clock[CK_REGION_IMAGE], item->clock[CK_REGION_GLOBAL]);
    else
        ck_clock_join(&d->clocks, &item->clock[CK_REGION_IMAGE], clock[CK_REGION_IMAGE]);
}

/* A command enqueued by a work-item happens after what happened before the start of its parent.  Of the
 * work-item's accesses before the call only those to fine-grained SVM happen before the command;
 * cell_inherit() in access.c handles them per cell [CL 3.3.6 H1]. */
static void join_parent(struct ck_detector *d, const struct mm_event *event, struct ck_snapshot *from,
                        struct ck_item *item)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    const struct ck_command *parent = mm_map_pointer(&d->maps.commands, from->agent.command);
    from->enqueues = true;
    if (command) {
        command->enqueuer = from;
        command->call = from->source;
    }
    if (parent)
        join_shared(d, item, parent->start);
}

void ck_race_edges(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_item *item = ck_item_of(d, event->agent);
    for (size_t i = 0; item && i < d->edges.count; i++) {
        struct ck_snapshot *from = mm_map_pointer(&d->maps.snapshots, d->edges.list[i].from);
        if (!from) {
            ck_detector_stop(d, "an edge starts at an event without a clock snapshot");
            break;
        }
        if (d->edges.list[i].kind == MM_EDGE_ENQUEUE && from->agent.command) {
            join_parent(d, event, from, item);
            continue;
        }
        if (d->edges.list[i].kind == MM_EDGE_ENQUEUE)
            note_call(d, event, from);
        if (d->edges.list[i].kind == MM_EDGE_PARENT_GROUP)
            ck_group_join(d, from->agent, item);
        join_shared(d, item, from->clock);
    }
    d->edges.count = 0;
}

static void drop_snapshot(struct ck_detector *d, struct ck_snapshot *snapshot)
{
    for (int s = 0; s < CK_REGIONS; s++)
        ck_clock_drop(&d->clocks, snapshot->clock[s]);
    ck_pool_give(&d->snapshots, snapshot);
}

static void snapshot_clock(struct ck_detector *d, struct ck_snapshot *snapshot, enum ck_region region,
                           uint64_t agent, const struct ck_item *item)
{
    snapshot->clock[region] = ck_clock_ref(item->clock[region]);
    ck_clock_raise(&d->clocks, &snapshot->clock[region], agent, agent, item->time[region]);
}

static void keep_snapshot(struct ck_detector *d, const struct mm_event *event, mm_event_id id,
                          struct ck_item *item)
{
    uint64_t agent = ck_agent_key(event->agent);
    bool one = is_one(item->clock) && item->time[CK_REGION_GLOBAL] == item->time[CK_REGION_IMAGE];
    struct ck_snapshot *snapshot = ck_pool_take(&d->snapshots, &d->budget, sizeof *snapshot);
    if (!snapshot)
        return;
    *snapshot = (struct ck_snapshot){.agent = event->agent,
                                     .source = event->source,
                                     .completes = event->kind == MM_EVENT_COMPLETE && event->agent.command};
    snapshot_clock(d, snapshot, CK_REGION_GLOBAL, agent, item);
    if (one)
        snapshot->clock[CK_REGION_IMAGE] = ck_clock_ref(snapshot->clock[CK_REGION_GLOBAL]);
    else
        snapshot_clock(d, snapshot, CK_REGION_IMAGE, agent, item);
    item->time[CK_REGION_GLOBAL]++;
    item->time[CK_REGION_IMAGE]++;
    if (!ck_map_put(&d->maps.snapshots, &d->budget, id, snapshot))
        drop_snapshot(d, snapshot);
}

/* Actions of the runtime for a command before its work-items run, such as a migration, happen before them
 * even where they are recorded after the start. */
static void command_start(struct ck_detector *d, struct ck_command *command, const struct mm_event *event,
                          struct ck_item *item)
{
    uint64_t agent = ck_agent_key(event->agent);
    for (int s = 0; s < CK_REGIONS; s++) {
        bool one = s == CK_REGION_IMAGE && is_one(item->clock);
        ck_clock_set(&d->clocks, &command->start[s], one ? command->start[CK_REGION_GLOBAL] : item->clock[s]);
        if (s != CK_REGION_LOCAL && !one)
            ck_clock_raise(&d->clocks, &command->start[s], agent, agent, CK_ALWAYS);
    }
}

/* Notes launches that were not recorded.  The message of the limit counts all of them so far; its rule is
 * checker.replayed only while all can be re-executed. */
static void note_unrecorded(struct ck_detector *d, const struct mm_event *event)
{
    char launches[40] = "launches";
    bool counted = strcmp(d->limit.rule, "checker.unrecorded") == 0,
         replayed = (event->semantics & MM_REPLAYED) && !counted;
    if (d->limit.cls != MM_OK && !counted && strcmp(d->limit.rule, "checker.replayed") != 0)
        return;
    d->unrecorded += event->size;
    if (d->unrecorded)
        snprintf(launches, sizeof launches, "%" PRIu64 " launch%s", d->unrecorded,
                 d->unrecorded > 1 ? "es" : "");
    mm_fail(
        &d->limit, MM_LIMIT, replayed ? "checker.replayed" : "checker.unrecorded",
        "accesses of %s on an earlier queue were not recorded, and a later queue or thread is not ordered "
        "after them: set REFCL_ENGINE=interp to record them",
        launches);
}

void ck_race_command(struct ck_detector *d, const struct mm_event *event, mm_event_id id)
{
    struct ck_item *item = ck_item_of(d, event->agent);
    struct ck_command *command = ck_command_of(d, event->agent.command);
    if (!item || !command)
        return;
    if (event->kind == MM_API_CALL && (event->semantics & MM_UNRECORDED))
        note_unrecorded(d, event);
    if (event->kind == MM_COMMAND_START)
        command_start(d, command, event, item);
    if (event->kind == MM_MAP || event->kind == MM_UNMAP)
        ck_race_map(d, event, item);
    if (event->kind == MM_COMMAND_END && item == &command->runtime)
        ck_command_end(d, command, item);
    keep_snapshot(d, event, id, item);
    if (event->kind == MM_EVENT_COMPLETE && event->agent.command)
        ck_command_complete(d, command);
    if (event->kind == MM_ALLOC) {
        struct ck_memory *memory = mm_map_pointer(&d->maps.memory, event->allocation);
        if (memory)
            memory->created = event->source;
    }
    if (event->kind == MM_FREE && event->allocation) {
        struct ck_memory *memory = mm_map_pointer(&d->maps.memory, event->allocation);
        if (!memory)
            return;
        memory->freed = true;
        ck_mappings_free(d, memory);
        ck_space_clear(d, &memory->space);
        ck_space_clear(d, &memory->whole);
        ck_space_clear(d, &memory->view);
    }
}

/* If ID is the completion of a command, the clocks of the command are freed, too: it has no later events.
 * Those of a command that another one enqueued stay: a reason of a race names what enqueued it. */
void ck_detector_retire(struct ck_detector *d, mm_event_id id)
{
    struct ck_snapshot *snapshot = mm_map_pointer(&d->maps.snapshots, id);
    if (!snapshot || snapshot->enqueues ||
        (snapshot->agent.command && snapshot->agent.index != MM_INDEX_RUNTIME))
        return;
    struct ck_command *command =
        snapshot->completes ? mm_map_pointer(&d->maps.commands, snapshot->agent.command) : NULL;
    mm_map_remove(&d->maps.snapshots, id, (uintptr_t)snapshot);
    drop_snapshot(d, snapshot);
    if (command && !command->enqueuer)
        ck_command_release(d, command);
}

void ck_snapshots_free(struct ck_detector *d)
{
    for (size_t i = 0; i < d->maps.snapshots.capacity; i++)
        if (mm_map_at(&d->maps.snapshots, i))
            drop_snapshot(d, mm_map_at(&d->maps.snapshots, i));
    ck_map_clear(&d->maps.snapshots, &d->budget);
    ck_pool_clear(&d->snapshots, &d->budget, sizeof(struct ck_snapshot));
    ck_budget_free(&d->budget, d->edges.list, d->edges.capacity * sizeof *d->edges.list);
    d->edges.list = NULL;
}
