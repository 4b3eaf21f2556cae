/* Event graphs: an execution in memory, and the geometry of launches. */
#include "memmodel/graph/graph.h"

#include "memmodel/base/array.h"

#include <string.h>

/* ---- filling ------------------------------------------------------------------------------ */

struct mm_graph *mm_graph_create(void)
{
    struct mm_graph *graph = mm_alloc_zero(1, sizeof *graph);
    if (graph && !(graph->arena = mm_arena_create())) {
        mm_free(graph);
        return NULL;
    }
    return graph;
}

void mm_graph_destroy(struct mm_graph *graph)
{
    if (!graph)
        return;
    mm_arena_destroy(graph->arena);
    mm_free(graph->events);
    mm_free(graph->edges);
    mm_free(graph->findings);
    mm_free(graph->arguments);
    mm_map_clear(&graph->sources);
    mm_map_clear(&graph->allocations);
    mm_map_clear(&graph->commands);
    mm_free(graph);
}

static enum mm_class add_events(void *context, const struct mm_event *events, size_t count)
{
    struct mm_graph *graph = context;
    if (count > graph->max_events - graph->event_count ||
        !mm_reserve(&graph->events, &graph->event_capacity, graph->event_count + count))
        return MM_LIMIT;
    memcpy(graph->events + graph->event_count, events, count * sizeof *events);
    graph->event_count += count;
    return MM_OK;
}

static enum mm_class add_edge(struct mm_graph *graph, const struct mm_edge *edge)
{
    struct mm_edge *added = mm_add(&graph->edges, &graph->edge_count);
    if (!added)
        return MM_LIMIT;
    *added = *edge;
    return MM_OK;
}

static void *copy_record(struct mm_graph *graph, const void *record, size_t size)
{
    void *p = mm_arena_alloc(graph->arena, size);
    return p ? memcpy(p, record, size) : NULL;
}

/* Replaces a string by a copy that lives as long as the graph. */
static bool copy_string(struct mm_graph *graph, const char **s)
{
    *s = mm_arena_strdup(graph->arena, *s ? *s : "");
    return *s != NULL;
}

/* Enters a record under its id; id 0 means none. */
static bool put_record(struct mm_map *map, uint32_t id, const void *record)
{
    return id && mm_map_put(map, id, (uintptr_t)record);
}

static bool add_allocation(struct mm_graph *graph, const struct mm_allocation *record)
{
    struct mm_allocation *a = copy_record(graph, record, sizeof *record);
    return a && copy_string(graph, &a->name) && copy_string(graph, &a->layout) &&
           put_record(&graph->allocations, a->id, a);
}

static bool add_source(struct mm_graph *graph, const struct mm_source *record)
{
    struct mm_source *s = copy_record(graph, record, sizeof *record);
    return s && copy_string(graph, &s->file) && copy_string(graph, &s->function) &&
           copy_string(graph, &s->opcode) && put_record(&graph->sources, s->id, s);
}

static bool add_command(struct mm_graph *graph, const struct mm_command *record)
{
    struct mm_command *c = copy_record(graph, record, sizeof *record);
    return c && copy_string(graph, &c->kind) && copy_string(graph, &c->kernel) &&
           put_record(&graph->commands, c->id, c);
}

static bool add_argument(struct mm_graph *graph, const struct mm_argument *record)
{
    struct mm_argument *a = copy_record(graph, record, sizeof *record);
    const struct mm_argument **place = NULL;
    if (a && copy_string(graph, &a->name) && copy_string(graph, &a->type_name) &&
        copy_string(graph, &a->layout))
        place = mm_add(&graph->arguments, &graph->argument_count);
    if (place)
        *place = a;
    return place != NULL;
}

static bool add_finding(struct mm_graph *graph, const struct mm_finding *record)
{
    struct mm_finding *f = copy_record(graph, record, sizeof *record);
    const struct mm_finding **place = NULL;
    if (f && copy_string(graph, &f->kind) && copy_string(graph, &f->clause) &&
        copy_string(graph, &f->message))
        place = mm_add(&graph->findings, &graph->finding_count);
    if (place)
        *place = f;
    return place != NULL;
}

static enum mm_class add_record(void *context, const struct mm_record *record)
{
    struct mm_graph *graph = context;
    bool ok = true;
    switch (record->type) {
    case MM_RECORD_EVENT:
        return add_events(graph, &record->event, 1);
    case MM_RECORD_EDGE:
        return add_edge(graph, &record->edge);
    case MM_RECORD_ALLOCATION:
        ok = add_allocation(graph, &record->allocation);
        break;
    case MM_RECORD_SOURCE:
        ok = add_source(graph, &record->source);
        break;
    case MM_RECORD_COMMAND:
        ok = add_command(graph, &record->command);
        break;
    case MM_RECORD_ARGUMENT:
        ok = add_argument(graph, &record->argument);
        break;
    case MM_RECORD_TEXT: /* the graph refers to source locations only */
        break;
    case MM_RECORD_FINDING:
        ok = add_finding(graph, &record->finding);
        break;
    case MM_RECORD_CONTENT:
    case MM_RECORD_PROGRAM:
    case MM_RECORD_TERM: /* only prediction uses terms */
    case MM_RECORD_RETIRED:
        break;
    case MM_RECORD_REPLAY: /* its events are missing */
        return MM_INVALID;
    }
    return ok ? MM_OK : MM_LIMIT;
}

void mm_graph_sink(struct mm_graph *graph, size_t max_events, struct mm_sink *sink)
{
    graph->max_events = max_events;
    *sink = (struct mm_sink){.context = graph, .record = add_record, .events = add_events};
}

/* ---- looking -------------------------------------------------------------------------------- */

const struct mm_source *mm_graph_source(const struct mm_graph *graph, uint32_t id)
{
    return mm_map_pointer(&graph->sources, id);
}

const struct mm_allocation *mm_graph_allocation(const struct mm_graph *graph, uint32_t id)
{
    return mm_map_pointer(&graph->allocations, id);
}

const struct mm_command *mm_graph_command(const struct mm_graph *graph, uint32_t id)
{
    return mm_map_pointer(&graph->commands, id);
}

bool mm_event_writes(const struct mm_event *event)
{
    return event->kind == MM_INIT || event->kind == MM_WRITE || event->kind == MM_RMW;
}

/* Local and private memory has an instance per work-group or work-item: an event of another one is no
 * write to the same place. */
static bool same_instance(const struct mm_graph *graph, const struct mm_event *a, const struct mm_event *b)
{
    const struct mm_allocation *allocation = mm_graph_allocation(graph, a->allocation);
    if (!allocation || (allocation->region != MM_LOCAL && allocation->region != MM_PRIVATE))
        return true;
    if (a->agent.command != b->agent.command)
        return false;
    if (allocation->region == MM_PRIVATE)
        return a->agent.index == b->agent.index;
    const struct mm_command *command = mm_graph_command(graph, a->agent.command);
    uint64_t group[2][3], scratch[3];
    if (!command)
        return true;
    mm_agent_coordinates(command, a->agent, scratch, group[0], scratch);
    mm_agent_coordinates(command, b->agent, scratch, group[1], scratch);
    return memcmp(group[0], group[1], sizeof group[0]) == 0;
}

mm_event_id mm_graph_last_write(const struct mm_graph *graph, mm_event_id read, uint32_t byte)
{
    const struct mm_event *r = &graph->events[read];
    uint64_t at = r->offset + byte;
    for (mm_event_id i = read; i-- > 0;) {
        const struct mm_event *w = &graph->events[i];
        if (w->allocation == r->allocation && mm_event_writes(w) && at >= w->offset &&
            at - w->offset < w->size && same_instance(graph, r, w))
            return i;
    }
    return MM_NO_EVENT;
}

/* ---- geometry ------------------------------------------------------------------------------- */

static uint64_t group_count(const struct mm_command *command, unsigned d)
{
    uint64_t local = command->local_size[d], global = command->global_size[d];
    if (d >= command->dimensions || !local || !global)
        return 1;
    return global / local + (global % local != 0);
}

/* Non-uniform launches: work-groups at the upper edge are smaller, and the local linear id counts within
 * the group's actual size; the index still reserves the enqueued size for each group, so that the index alone
 * determines the group [CL 3.2.1]. */
void mm_agent_coordinates(const struct mm_command *command, struct mm_agent agent, uint64_t global_id[3],
                          uint64_t group_id[3], uint64_t local_id[3])
{
    uint64_t per_group = 1;
    for (unsigned d = 0; d < command->dimensions && d < 3; d++)
        if (command->local_size[d] && __builtin_mul_overflow(per_group, command->local_size[d], &per_group))
            per_group = UINT64_MAX; /* of a damaged trace */
    uint64_t group = agent.index / per_group, linear = agent.index % per_group;
    for (unsigned d = 0; d < 3; d++) {
        bool used = d < command->dimensions;
        uint64_t count = group_count(command, d),
                 local = used && command->local_size[d] ? command->local_size[d] : 1;
        uint64_t offset = used ? command->global_offset[d] : 0, global = used ? command->global_size[d] : 1;
        group_id[d] = group % count;
        group /= count;
        uint64_t first = group_id[d] * local;
        uint64_t actual = first < global && global - first < local ? global - first : local;
        local_id[d] = linear % actual;
        linear /= actual;
        global_id[d] = offset + first + local_id[d];
    }
}
