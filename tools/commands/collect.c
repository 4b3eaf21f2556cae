/* Commands, host threads and their order from the records of a trace (README.md#record). */
#include "memmodel/base/array.h"
#include "tools/commands/record.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NODES = 1 << 20, MAX_THREADS = 1 << 16 };

void hc_limit(struct hc_record *record, const char *rule, const char *message)
{
    if (record->limit.cls == MM_OK)
        mm_fail(&record->limit, MM_LIMIT, rule, "%s", message);
}

static bool out_of_memory(struct hc_record *record, bool failed)
{
    if (failed)
        hc_limit(record, "memory", "out of memory");
    return failed;
}

/* ---- nodes -------------------------------------------------------------------------------------- */

static uint32_t add_node(struct hc_record *record, const struct mm_event *e, bool of_command, uint32_t owner)
{
    struct hc_node node = {.event = *e, .owner = owner, .of_command = of_command, .part = HC_NONE};
    if (record->node_count == MAX_NODES)
        hc_limit(record, "explore.points", "limit reached: 1048576 points of commands and host threads");
    else if (!out_of_memory(record, !mm_append(&record->nodes, &record->node_count, &node)))
        return record->node_count - 1;
    return HC_NONE;
}

static uint32_t add_part(struct hc_record *record, uint32_t command, uint32_t node)
{
    struct hc_part part = {.command = command, .node = node};
    return out_of_memory(record, !mm_append(&record->parts, &record->part_count, &part))
               ? HC_NONE
               : record->part_count - 1;
}

/* The part of a host thread that holds its accesses since its last point. */
static uint32_t host_part(struct hc_record *record, const struct mm_event *e)
{
    uint32_t thread = e->agent.index;
    while (record->reading.open_count <= thread)
        if (out_of_memory(record, !mm_add(&record->reading.open, &record->reading.open_count)))
            return HC_NONE;
    if (!record->reading.open[thread]) {
        uint32_t node = add_node(record, e, false, thread);
        if (node == HC_NONE)
            return HC_NONE;
        record->nodes[node].part = add_part(record, HC_NONE, node);
        record->reading.open[thread] = node + 1;
    }
    return record->nodes[record->reading.open[thread] - 1].part;
}

static void end_part(struct hc_record *record, uint32_t thread)
{
    if (thread < record->reading.open_count)
        record->reading.open[thread] = 0;
}

static struct hc_command *command_at(struct hc_record *record, uint32_t id)
{
    uint64_t index = mm_map_get(&record->reading.command_of, id);
    return index ? &record->commands[index - 1] : NULL;
}

/* The command of the host that COMMAND descends from: it completes after its descendants, and is recorded
 * before them. */
static struct hc_command *root_command(struct hc_record *record, uint32_t id)
{
    struct hc_command *command = command_at(record, id), *parent;
    while (command && command->parent && (parent = command_at(record, command->parent)) && parent < command)
        command = parent;
    return command && !command->parent ? command : NULL;
}

/* ---- events ------------------------------------------------------------------------------------- */

static void note_order(struct hc_record *record, uint32_t part, const struct mm_event *e)
{
    bool atomic = (e->attributes & MM_ATOMIC) || e->kind == MM_FENCE;
    if (part == HC_NONE || !atomic)
        return;
    record->parts[part].acquires |= mm_acquires((enum mm_order)e->order) && e->kind != MM_WRITE;
    record->parts[part].releases |= mm_releases((enum mm_order)e->order) && e->kind != MM_READ;
}

static void take_access(struct hc_record *record, const struct mm_event *e)
{
    struct hc_command *command = e->agent.command ? root_command(record, e->agent.command) : NULL;
    if (e->agent.command && !command)
        return;
    uint32_t part = command ? command->part : host_part(record, e);
    note_order(record, part, e);
    if (part != HC_NONE && e->kind != MM_FENCE && !(e->semantics & MM_TRANSFER))
        hc_footprint_add(record, part, e);
}

static void take_edges(struct hc_record *record, uint32_t node)
{
    for (uint32_t i = 0; i < record->reading.pending_count; i++) {
        const struct mm_edge *from = &record->reading.pending[i];
        uint64_t index = mm_map_get(&record->reading.node_of, from->from);
        struct hc_edge edge = {.from = (uint32_t)index - 1, .to = node, .kind = from->kind};
        if (index)
            out_of_memory(record, !mm_append(&record->edges, &record->edge_count, &edge));
    }
}

static void place_command(struct hc_record *record, struct hc_command *command, uint32_t node)
{
    switch (record->nodes[node].event.kind) {
    case MM_COMMAND_START:
        command->start = record->parts[command->part].node = node;
        for (uint32_t i = record->edge_count; i > 0 && record->edges[i - 1].to == node; i--) {
            uint32_t kind = record->edges[i - 1].kind;
            if (kind == MM_EDGE_ENQUEUE)
                command->call = record->edges[i - 1].from;
            command->in_order |= kind == MM_EDGE_IN_ORDER;
            command->has_list |= kind == MM_EDGE_WAIT;
        }
        break;
    case MM_COMMAND_END:
        command->end = node;
        break;
    default:
        command->complete = node;
    }
}

static bool is_point(const struct mm_event *e)
{
    switch (e->kind) {
    case MM_API_CALL:
    case MM_CALLBACK:
    case MM_EVENT_COMPLETE:
    case MM_COMMAND_START:
    case MM_COMMAND_END:
        return true;
    default:
        return false;
    }
}

static void take_point(struct hc_record *record, const struct mm_event *e)
{
    struct hc_command *command = e->agent.command ? command_at(record, e->agent.command) : NULL;
    if (e->agent.command && (!command || command->parent || e->agent.index != MM_INDEX_RUNTIME))
        return;
    record->instrumented |= e->kind == MM_API_CALL && (e->semantics & MM_INSTRUMENTED);
    if (!command)
        end_part(record, e->agent.index);
    uint32_t owner = command ? (uint32_t)(command - record->commands) : e->agent.index;
    uint32_t node = add_node(record, e, command != NULL, owner);
    if (node == HC_NONE ||
        out_of_memory(record, !mm_map_put(&record->reading.node_of, record->reading.next_event, node + 1)))
        return;
    if (!command && e->agent.index >= record->thread_count)
        record->thread_count = e->agent.index + 1;
    take_edges(record, node);
    if (command)
        place_command(record, command, node);
}

/* Adds the host's access to mapped coarse-grained SVM, which the runtime maps without recording an access. */
static void take_map(struct hc_record *record, const struct mm_event *e)
{
    uint64_t index = mm_map_get(&record->reading.allocation_of, e->allocation);
    struct mm_event access = *e;
    if (!index || record->allocations[index - 1].origin != MM_ORIGIN_COARSE_SVM ||
        !(e->semantics & (MM_MAP_READ | MM_MAP_WRITE)))
        return;
    access.kind = e->semantics & MM_MAP_WRITE ? MM_WRITE : MM_READ;
    access.semantics = 0;
    access.attributes = MM_NO_VALUE;
    take_access(record, &access);
}

static void take_event(struct hc_record *record, const struct mm_event *e)
{
    if (!e->agent.command && e->agent.index >= MAX_THREADS)
        hc_limit(record, "explore.threads", "limit reached: 65536 host threads");
    else if (mm_is_access(e) || e->kind == MM_FENCE)
        take_access(record, e);
    else if (e->kind == MM_MAP || e->kind == MM_UNMAP)
        take_map(record, e);
    else if (is_point(e))
        take_point(record, e);
    record->reading.pending_count = 0;
    record->reading.next_event++;
}

/* ---- other records ------------------------------------------------------------------------------ */

static bool is_named(const char *kind, const char *word)
{
    return strstr(kind, word) != NULL;
}

/* The accesses to memory of the host that a call of KIND makes through its pointer. */
static uint8_t transfer_of(const char *kind)
{
    return is_named(kind, "clEnqueueRead")        ? HC_WRITE
           : is_named(kind, "clEnqueueWrite")     ? HC_READ
           : is_named(kind, "clEnqueueSVMMemcpy") ? HC_READ | HC_WRITE
                                                  : 0;
}

static void take_command(struct hc_record *record, const struct mm_command *info)
{
    struct hc_command command = {.id = info->id,
                                 .parent = info->parent,
                                 .queue = info->queue,
                                 .device = info->device,
                                 .marker = is_named(info->kind, "Marker"),
                                 .barrier = is_named(info->kind, "Barrier") ||
                                            is_named(info->kind, "clEnqueueWaitForEvents"),
                                 .transfer = transfer_of(info->kind),
                                 .semaphore = is_named(info->kind, "Semaphore"),
                                 .call = HC_NONE,
                                 .start = HC_NONE,
                                 .end = HC_NONE,
                                 .complete = HC_NONE};
    if (command_at(record, info->id))
        return;
    command.part = info->parent ? HC_NONE : add_part(record, record->command_count, HC_NONE);
    if (!out_of_memory(record, !mm_append(&record->commands, &record->command_count, &command)))
        mm_map_put(&record->reading.command_of, info->id, record->command_count);
}

/* Notes an allocation.  Memory is identified by the first allocation that it is a copy or a part of. */
static void take_allocation(struct hc_record *record, const struct mm_allocation *info)
{
    struct mm_allocation copy = *info;
    copy.name = mm_arena_strdup(record->arena, info->name ? info->name : "");
    if (out_of_memory(record, !mm_append(&record->allocations, &record->allocation_count, &copy)))
        return;
    mm_map_put(&record->reading.allocation_of, info->id, record->allocation_count);
}

static enum mm_class take_events(void *context, const struct mm_event *events, size_t count)
{
    struct hc_record *record = context;
    if (record->forward[0].events)
        record->forward[0].events(record->forward[0].context, events, count);
    for (size_t i = 0; i < count; i++)
        take_event(record, &events[i]);
    return MM_OK;
}

static enum mm_class collect_record(void *context, const struct mm_record *r)
{
    struct hc_record *record = context;
    if (r->type == MM_RECORD_EVENT)
        return take_events(context, &r->event, 1);
    for (int i = 0; i < 2; i++)
        if (record->forward[i].record &&
            (i == 0 || (r->type != MM_RECORD_EDGE && r->type != MM_RECORD_FINDING)))
            record->forward[i].record(record->forward[i].context, r);
    if (r->type == MM_RECORD_EDGE && r->edge.to == record->reading.next_event)
        out_of_memory(record, !mm_append(&record->reading.pending, &record->reading.pending_count, &r->edge));
    else if (r->type == MM_RECORD_COMMAND)
        take_command(record, &r->command);
    else if (r->type == MM_RECORD_ALLOCATION)
        take_allocation(record, &r->allocation);
    return MM_OK;
}

void hc_record_sink(struct hc_record *record, struct mm_sink *sink)
{
    record->arena = mm_arena_create();
    *sink = (struct mm_sink){.context = record, .record = collect_record, .events = take_events};
}

/* ---- the commands that take part ---------------------------------------------------------------- */

/* The first call of the commands from FIRST on. */
static uint32_t first_call(const struct hc_record *record, uint32_t first)
{
    uint32_t from = UINT32_MAX;
    for (uint32_t i = first; i < record->command_count; i++) {
        const struct hc_command *command = &record->commands[i];
        if (!command->parent && command->start != HC_NONE && command->call < from)
            from = command->call;
    }
    return from;
}

/* True if a command before *FIRST is ordered after an included command, or after an included point of a host
 * thread: *FIRST is then that command. */
static bool include_earlier(const struct hc_record *record, uint32_t *first)
{
    uint32_t from_call = first_call(record, *first);
    for (uint32_t i = 0; i < record->edge_count; i++) {
        const struct hc_edge *edge = &record->edges[i];
        const struct hc_node *from = &record->nodes[edge->from], *to = &record->nodes[edge->to];
        bool follows = from->of_command ? from->owner >= *first : edge->from >= from_call;
        if (to->of_command && to->owner < *first && follows) {
            *first = to->owner;
            return true;
        }
    }
    return false;
}

/* Memory of the host that a command uses, as HC_READ and HC_WRITE: what its call says. */
static uint8_t host_use(const struct hc_record *record, const struct hc_command *command, bool *recorded)
{
    uint8_t kinds = record->parts[command->part].kinds, uses = command->transfer;
    *recorded = (kinds & HC_READ) && (kinds & HC_WRITE);
    if (uses == (HC_READ | HC_WRITE)) /* a copy between two ranges of SVM or of memory of the host */
        return *recorded ? 0 : uses & (uint8_t)~kinds;
    return uses;
}

/* Sets a limit if commands that are not in one in-order queue may conflict in memory of the host: the runtime
 * does not record such memory if instrumented host threads may pass it on by malloc() and free(). */
static void check_host_memory(struct hc_record *record)
{
    const struct hc_command *user = NULL;
    uint8_t uses = 0;
    bool missing = false, apart = false;
    for (uint32_t i = 0; i < record->command_count; i++) {
        const struct hc_command *command = &record->commands[i];
        bool recorded = true;
        uint8_t use = 0;
        if (!command->parent && command->start != HC_NONE)
            use = host_use(record, command, &recorded);
        if (!use)
            continue;
        missing |= !recorded;
        uses |= use;
        apart |= user && (user->queue != command->queue || !command->in_order);
        user = command;
    }
    if (missing && apart && uses & HC_WRITE)
        hc_limit(record, "explore.observed",
                 "memory of the host that commands read or write is not recorded with several host threads");
}

/* Sets a limit if several host threads use one semaphore: it pairs signals and waits in the order of calls,
 * which may differ. */
static void check_semaphores(struct hc_record *record)
{
    uint32_t count = 0, owner = HC_NONE;
    bool several = false;
    for (uint32_t i = 0; i < record->command_count; i++) {
        const struct hc_command *command = &record->commands[i];
        if (!command->semaphore || command->call == HC_NONE)
            continue;
        uint32_t caller = record->nodes[command->call].owner;
        several |= count++ > 0 && caller != owner;
        owner = caller;
    }
    if (several && count > 2)
        hc_limit(record, "explore.semaphores",
                 "several host threads signal or wait for semaphores: their pairs are the recorded ones");
}

/* The two readings of the text have different schedules [ambiguities D34, D44]. */
static void check_ambiguity(struct hc_record *record)
{
    for (uint32_t i = 0; i < record->edge_count; i++)
        if (record->edges[i].kind == MM_EDGE_AMBIGUOUS)
            hc_limit(
                record, "explore.ambiguous",
                "a command buffer of several queues ran: the specification both states and denies an order of commands");
}

void hc_record_end(struct hc_record *record, uint32_t commands)
{
    uint32_t first = record->command_count;
    for (uint32_t i = record->command_count; i-- > 0;) {
        const struct hc_command *command = &record->commands[i];
        if (command->parent || command->start == HC_NONE)
            continue;
        if (record->kept < commands || !commands) {
            first = i;
            record->kept++;
        }
    }
    while (include_earlier(record, &first))
        continue;
    record->kept = 0;
    uint32_t all = 0;
    for (uint32_t i = 0; i < record->command_count; i++) {
        const struct hc_command *command = &record->commands[i];
        bool counts = !command->parent && command->start != HC_NONE;
        all += counts;
        if (!command->parent && command->complete == HC_NONE)
            hc_limit(record, "explore.started", "a command had not completed when the program ended");
        record->kept += counts && i >= first;
    }
    uint32_t from = first_call(record, first);
    for (uint32_t i = 0; i < record->node_count; i++) {
        struct hc_node *node = &record->nodes[i];
        node->dropped = node->of_command ? node->owner < first : all > record->kept && i < from;
    }
    check_host_memory(record);
    check_semaphores(record);
    check_ambiguity(record);
    record->given = all;
    if (all > record->kept)
        hc_limit(record, "explore.commands", "earlier commands were not explored (raise --commands)");
}

void hc_record_clear(struct hc_record *record)
{
    mm_free(record->nodes);
    mm_free(record->edges);
    mm_free(record->commands);
    mm_free(record->parts);
    mm_free(record->intervals);
    mm_free(record->allocations);
    mm_free(record->reading.pending);
    mm_free(record->reading.open);
    mm_map_clear(&record->reading.node_of);
    mm_map_clear(&record->reading.command_of);
    mm_map_clear(&record->reading.root_of);
    mm_map_clear(&record->reading.allocation_of);
    mm_arena_destroy(record->arena);
}
