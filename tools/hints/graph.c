/* Builds the happens-before graph of commands and host calls, finds the completions on which the host relies,
 * and searches for paths. */
#include "tools/hints/graph.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "tools/layer/launch.h"

#include <string.h>

enum { MOST_NODES = 1 << 22, NO_GROUP = 0 };
enum { USE_HOST_PTR = 1 << 3 }; /* CL_MEM_USE_HOST_PTR */
#define MANY "limit reached: 4194304 events of commands"

static void give_up(struct hints_graph *g, const char *why)
{
    g->why = g->why ? g->why : why;
}

static void no_memory(struct hints_graph *g)
{
    give_up(g, "out of memory");
}

/* ---- records ------------------------------------------------------------------------------------- */

static struct hints_command *command_of(struct hints_graph *g, uint32_t id)
{
    if (id >= MOST_NODES)
        give_up(g, MANY);
    while (!g->why && g->command_count <= id)
        if (!mm_add(&g->commands, &g->command_count))
            no_memory(g);
    return g->why ? NULL : &g->commands[id];
}

static void take_command(struct hints_graph *g, const struct mm_command *record)
{
    struct hints_command *command = command_of(g, record->id);
    if (!command)
        return;
    command->queue = record->queue;
    command->barrier = strstr(record->kind, "Barrier");
    command->joins = command->barrier || strstr(record->kind, "Marker");
    command->extension = strstr(record->kind, "KHR") || strstr(record->kind, "INTEL");
    if (strstr(record->kind, "NativeKernel"))
        give_up(g, "what native kernels use is not known");
}

/* Notes memory that the host may access between commands: its own, mapped and shared memory.  Packets of
 * pipes are not recorded as accesses. */
static void take_allocation(struct hints_graph *g, const struct mm_allocation *a)
{
    bool buffer = a->origin == MM_ORIGIN_BUFFER || a->origin == MM_ORIGIN_SUB_BUFFER;
    if (a->region == MM_PIPE)
        give_up(g, "the order of packets in pipes is not known");
    if ((!buffer || (a->flags & USE_HOST_PTR)) && !mm_map_put(&g->visible, a->id, 1))
        no_memory(g);
}

/* Maps the source to its call site, the first source with the same place and call: with call stacks there are
 * several. */
static void take_source(struct hints_graph *g, const struct mm_source *s)
{
    uint64_t hash = mm_fnv1a(MM_FNV1A, s->file, strlen(s->file) + 1);
    hash = mm_fnv1a(hash, s->function, strlen(s->function) + 1);
    hash = mm_fnv1a(hash, s->opcode, strlen(s->opcode) + 1);
    uint64_t first = mm_map_get(&g->sites, hash);
    bool waits = strcmp(s->opcode, "clFinish") == 0 || strcmp(s->opcode, "clWaitForEvents") == 0;
    if (!first && !mm_map_put(&g->sites, hash, first = s->id))
        no_memory(g);
    if (!mm_map_put(&g->site_of, s->id, first) || (waits && !mm_map_put(&g->waits, first, 1)))
        no_memory(g);
}

/* ---- edges --------------------------------------------------------------------------------------- */

static uint32_t node_of(const struct hints_graph *g, mm_event_id was)
{
    size_t i;
    mm_partition(i, g->node_count, g->nodes[i].was < was);
    return i < g->node_count && g->nodes[i].was == was ? (uint32_t)i : UINT32_MAX;
}

static uint32_t group_of(struct hints_graph *g, enum hints_kind kind, uint32_t site, uint32_t producer,
                         uint32_t node)
{
    const uint32_t key[] = {kind, site, producer};
    uint64_t hash = mm_fnv1a(MM_FNV1A, key, sizeof key), index = mm_map_get(&g->group_index, hash);
    if (!site || (kind == HINTS_LIST && !producer))
        return NO_GROUP; /* the call site is unknown */
    struct hints_group *group = index ? &g->groups[index - 1] : mm_add(&g->groups, &g->group_count);
    if (!index) {
        index = g->group_count;
        if (!group || !mm_map_put(&g->group_index, hash, index)) {
            no_memory(g);
            return NO_GROUP;
        }
        *group = (struct hints_group){.kind = kind, .site = site, .producer = producer, .last = UINT32_MAX};
    }
    group->calls += group->last != node;
    group->last = node;
    return (uint32_t)index;
}

static const struct hints_command *command_at(const struct hints_graph *g, const struct hints_node *node)
{
    uint64_t id = node->agent >> 32;
    return id && id < g->command_count ? &g->commands[id] : NULL;
}

/* The group of the edge from FROM into TO, the latest node. */
static uint32_t classify_edge(struct hints_graph *g, const struct hints_node *from,
                              const struct hints_node *to, enum mm_edge_kind kind)
{
    const struct hints_command *first = command_at(g, from), *second = command_at(g, to);
    uint32_t node = (uint32_t)(g->node_count - 1);
    if (kind == MM_EDGE_API_WAIT || kind == MM_EDGE_FINISH)
        return mm_map_get(&g->waits, to->site) ? group_of(g, HINTS_HOST, to->site, 0, node) : NO_GROUP;
    if (!second || second->extension || kind == MM_EDGE_ENQUEUE || kind == MM_EDGE_COMPLETE)
        return NO_GROUP;
    if (!second->joins)
        return kind == MM_EDGE_WAIT && first && !first->extension
                   ? group_of(g, HINTS_LIST, second->site, first->site, node)
                   : NO_GROUP;
    uint32_t group = group_of(g, HINTS_BARRIER, second->site, 0, node);
    if (group && kind == MM_EDGE_WAIT && !first) /* for a user event */
        g->groups[group - 1].needed = true;
    return group; /* FROM may be a clFinish, which represents the commands before it */
}

static void take_edge(struct hints_graph *g, const struct mm_edge *edge)
{
    if (edge->kind == MM_EDGE_RF || edge->kind == MM_EDGE_CO)
        give_up(g, "the trace is not of the layer");
    else if (edge->kind != MM_EDGE_QUERY && edge->kind != MM_EDGE_AMBIGUOUS && edge->to == g->next &&
             !mm_append(&g->pending, &g->pending_count, edge))
        no_memory(g);
}

static void add_edge(struct hints_graph *g, const struct mm_edge *given)
{
    struct hints_node *to = &g->nodes[g->node_count - 1];
    uint32_t from = node_of(g, given->from), command = (uint32_t)(to->agent >> 32);
    if (from == UINT32_MAX) {
        give_up(g, "the trace is not of the layer");
        return;
    }
    const struct hints_node *source = &g->nodes[from];
    if (given->kind == MM_EDGE_ENQUEUE)
        g->commands[command].site = source->site;
    if (given->kind == MM_EDGE_WAIT)
        g->commands[command].has_list = true;
    struct hints_edge edge = {from, classify_edge(g, source, to, given->kind), (uint8_t)given->kind};
    if (!mm_append(&g->edges, &g->edge_count, &edge))
        no_memory(g);
    to->edge_count++;
}

/* ---- events -------------------------------------------------------------------------------------- */

/* Depth-first search backwards: calls FUNCTION for NODE and all nodes that happen before it and were not
 * visited by an earlier search of the same kind (FOR_HOST).  False: out of memory. */
static bool search_back(struct hints_graph *g, uint32_t node, bool for_host,
                        void (*function)(struct hints_graph *g, const struct hints_node *node, uint32_t use),
                        uint32_t use)
{
    uint32_t *stack = NULL, next = node;
    size_t count = 0;
    bool good = mm_append(&stack, &count, &next);
    while (good && count) {
        struct hints_node *at = &g->nodes[stack[--count]];
        bool *seen = for_host ? &at->host_knows : &at->followed;
        if (*seen)
            continue;
        *seen = true;
        function(g, at, use);
        next = at->previous - 1;
        if (at->previous)
            good = mm_append(&stack, &count, &next);
        for (uint32_t i = 0; i < at->edge_count && good; i++)
            good = mm_append(&stack, &count, &g->edges[at->first_edge + i].from);
    }
    mm_free(stack);
    return good;
}

/* For search_back(): the edges into NODE are needed. */
static void keep_edges(struct hints_graph *g, const struct hints_node *node, uint32_t use)
{
    (void)use;
    for (uint32_t i = 0; i < node->edge_count; i++) {
        uint32_t group = g->edges[node->first_edge + i].group;
        if (group)
            g->groups[group - 1].needed = true;
    }
}

/* A callback may rely on every edge before it. */
static void note_host(struct hints_graph *g, const struct mm_event *e)
{
    if (e->agent.command || (e->kind != MM_API_CALL && e->kind != MM_CALLBACK))
        return;
    if (e->kind == MM_CALLBACK && !mm_map_put(&g->callbacks, e->agent.index, 1))
        no_memory(g);
    if (mm_map_get(&g->callbacks, e->agent.index) &&
        !search_back(g, (uint32_t)g->node_count - 1, false, keep_edges, 0))
        no_memory(g);
}

static void add_node(struct hints_graph *g, const struct mm_event *e, mm_event_id id)
{
    struct hints_node *node = g->node_count < MOST_NODES ? mm_add(&g->nodes, &g->node_count) : NULL;
    if (!node) {
        give_up(g, MANY);
        return;
    }
    uint64_t agent = (uint64_t)e->agent.command << 32 | e->agent.index;
    *node = (struct hints_node){.agent = agent,
                                .was = id,
                                .previous = (uint32_t)mm_map_get(&g->last_of_agent, agent),
                                .first_edge = (uint32_t)g->edge_count,
                                .site = (uint32_t)mm_map_get(&g->site_of, e->source),
                                .kind = e->kind};
    if (!mm_map_put(&g->last_of_agent, agent, g->node_count))
        no_memory(g);
    if (e->kind == MM_COMMAND_START)
        g->commands[e->agent.command].start = (uint32_t)g->node_count;
    for (size_t i = 0; i < g->pending_count; i++)
        add_edge(g, &g->pending[i]);
    note_host(g, e);
}

static enum mm_class graph_event(struct hints_graph *g, const struct mm_event *e)
{
    mm_event_id id = g->next++;
    struct hints_command *command = g->why ? NULL : command_of(g, e->agent.command);
    if (!command)
        return MM_LIMIT;
    if (mm_is_access(e) || e->kind == MM_MAP || e->kind == MM_UNMAP)
        command->visible |=
            e->kind == MM_MAP || e->kind == MM_UNMAP || mm_map_get(&g->visible, e->allocation);
    if (!mm_is_access(e))
        add_node(g, e, id);
    g->pending_count = 0;
    return g->why ? MM_LIMIT : MM_OK;
}

static enum mm_class graph_events(void *context, const struct mm_event *events, size_t count)
{
    enum mm_class c = MM_OK;
    for (size_t i = 0; i < count && c == MM_OK; i++)
        c = graph_event(context, &events[i]);
    return c;
}

static enum mm_class graph_record(void *context, const struct mm_record *record)
{
    struct hints_graph *g = context;
    switch (record->type) {
    case MM_RECORD_EVENT:
        return graph_event(g, &record->event);
    case MM_RECORD_EDGE:
        take_edge(g, &record->edge);
        break;
    case MM_RECORD_COMMAND:
        take_command(g, &record->command);
        break;
    case MM_RECORD_ALLOCATION:
        take_allocation(g, &record->allocation);
        break;
    case MM_RECORD_SOURCE:
        take_source(g, &record->source);
        break;
    case MM_RECORD_TEXT:
        g->profiled |= strcmp(record->text.file, LY_PROFILED) == 0;
        break;
    default:
        break;
    }
    return g->why ? MM_LIMIT : MM_OK;
}

void hints_graph_sink(struct hints_graph *g, struct mm_sink *sink)
{
    *sink = (struct mm_sink){.context = g, .record = graph_record, .events = graph_events};
}

void hints_graph_clear(struct hints_graph *g)
{
    struct mm_map *maps[] = {&g->sites,         &g->site_of,     &g->waits,    &g->visible,
                             &g->last_of_agent, &g->group_index, &g->callbacks};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        mm_map_clear(maps[i]);
    mm_free(g->nodes);
    mm_free(g->edges);
    mm_free(g->groups);
    mm_free(g->commands);
    mm_free(g->uses);
    mm_free(g->pending);
}

/* ---- completions on which the host relies ---------------------------------------------------------- */

static void add_use(struct hints_graph *g, uint32_t node, uint32_t command)
{
    struct hints_use use = {node, command};
    if (!mm_append(&g->uses, &g->use_count, &use))
        no_memory(g);
}

/* For search_back(): the host at node USE relies on the completion of a command. */
static void use_command(struct hints_graph *g, const struct hints_node *node, uint32_t use)
{
    const struct hints_command *command = command_at(g, node);
    bool used = command && (command->visible || g->profiled); /* the host may query its times */
    if (used && node->kind == MM_EVENT_COMPLETE)
        add_use(g, use, (uint32_t)(node->agent >> 32));
}

/* The host may access the memory of a command as soon as it is ordered after the command, since its accesses
 * are not observed; and every command must be complete before the program ends. */
bool hints_graph_finish(struct hints_graph *g)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < g->node_count && !g->why; i++) {
        const struct hints_node *node = &g->nodes[i];
        if (node->kind != MM_API_CALL || node->agent >> 32 || mm_map_get(&g->callbacks, node->agent))
            continue;
        last = i;
        if (!search_back(g, i, true, use_command, i))
            no_memory(g);
    }
    for (uint32_t i = 0; last != UINT32_MAX && i < g->node_count; i++)
        if (g->nodes[i].host_knows && g->nodes[i].kind == MM_EVENT_COMPLETE && g->nodes[i].agent >> 32)
            add_use(g, last, (uint32_t)(g->nodes[i].agent >> 32));
    return !g->why;
}

/* ---- the graph without the removed groups ---------------------------------------------------------- */

static bool is_removed(const struct hints_graph *g, const struct hints_edge *edge)
{
    return edge->group && g->groups[edge->group - 1].removed;
}

static bool joins_queue(uint8_t kind)
{
    return kind == MM_EDGE_FINISH || kind == MM_EDGE_MARKER || kind == MM_EDGE_BARRIER;
}

/* Whether NODE waits for all earlier commands of its queue. */
static bool waits_for_all(const struct hints_graph *g, const struct hints_node *node)
{
    const struct hints_command *command = command_at(g, node);
    return command ? command->joins && !command->has_list : node->kind == MM_API_CALL;
}

/* The waiting node of the removed barrier, marker or clFinish whose completion is FROM; NULL: FROM is no such
 * completion. */
static struct hints_node *removed_join(const struct hints_graph *g, uint32_t from)
{
    const struct hints_command *command = command_at(g, &g->nodes[from]);
    if (command && (!command->joins || !command->start))
        return NULL;
    struct hints_node *node = &g->nodes[command ? command->start - 1 : from];
    for (uint32_t i = 0; i < node->edge_count; i++)
        if (is_removed(g, &g->edges[node->first_edge + i]))
            return node;
    return NULL;
}

/* IN is an edge into a removed join, and an edge of kind OUT leads from the join to a target.  Returns
 * whether the queue orders the target after the source of IN without the join, too.  WHOLE_QUEUE: the target
 * waits for all earlier commands of the queue. */
static bool is_ordered_without_join(const struct hints_graph *g, const struct hints_edge *in, uint8_t out,
                                    bool whole_queue)
{
    /* The target waits for each command of the queue that the join waited for. */
    if (whole_queue && joins_queue(out))
        return joins_queue(in->kind) || in->kind == MM_EDGE_IN_ORDER;
    /* The predecessor of the join in the in-order queue becomes that of the target. */
    if (out == MM_EDGE_IN_ORDER)
        return in->kind == MM_EDGE_IN_ORDER;
    /* The barrier before the join becomes the latest one before the target. */
    const struct hints_command *source = command_at(g, &g->nodes[in->from]);
    return out == MM_EDGE_BARRIER && in->kind == MM_EDGE_BARRIER && source && source->barrier;
}

/* Calls FUNCTION for the edges that replace one of kind OUT from the removed join at FROM; from another
 * removed join in its place these, too, are replaced.  Joins with STAMP were visited.  WHOLE_QUEUE: see
 * is_ordered_without_join().  False: out of memory. */
static bool bypass_joins(const struct hints_graph *g, uint32_t from, uint8_t out, bool whole_queue,
                         uint32_t stamp, hints_edge_function *function, void *context)
{
    uint32_t *stack = NULL;
    size_t count = 0;
    bool good = !removed_join(g, from) || mm_append(&stack, &count, &from);
    while (good && count) {
        struct hints_node *node = removed_join(g, stack[--count]);
        bool done = !node || node->stamp == stamp;
        if (node)
            node->stamp = stamp;
        for (uint32_t i = 0; !done && i < node->edge_count && good; i++) {
            const struct hints_edge *edge = &g->edges[node->first_edge + i];
            if (!is_ordered_without_join(g, edge, out, whole_queue))
                continue;
            function(context, edge->from, edge->kind);
            good = mm_append(&stack, &count, &edge->from);
        }
    }
    mm_free(stack);
    return good;
}

bool hints_graph_edges(struct hints_graph *g, uint32_t node, hints_edge_function *function, void *context)
{
    const struct hints_node *to = &g->nodes[node];
    bool whole_queue = waits_for_all(g, to), removed = removed_join(g, node), good = true;
    uint32_t shared = ++g->stamp; /* edges that are replaced alike visit each join once */
    for (uint32_t i = 0; i < to->edge_count && good; i++) {
        const struct hints_edge *edge = &g->edges[to->first_edge + i];
        if (is_removed(g, edge))
            continue;
        function(context, edge->from, edge->kind);
        uint32_t stamp = whole_queue && joins_queue(edge->kind) ? shared : ++g->stamp;
        if (!removed)
            good = bypass_joins(g, edge->from, edge->kind, whole_queue, stamp, function, context);
    }
    return good;
}

/* ---- paths --------------------------------------------------------------------------------------- */

/* An edge of a path from NODE to SUCCESSOR. */
struct step {
    uint32_t node, successor;
    uint32_t edge; /* 1 + index of the removed edge; 0: the edge is not removed */
    bool visited;
};
struct steps {
    struct step *items;
    size_t count;
};

struct search {
    struct steps near, far; /* FAR: paths with one more removed edge */
    uint32_t at;
    bool good; /* false: out of memory */
};

static void add_near(void *context, uint32_t from, uint8_t kind)
{
    struct search *s = context;
    struct step step = {.node = from, .successor = s->at};
    (void)kind;
    s->good &= mm_append(&s->near.items, &s->near.count, &step);
}

/* Extends the search to the predecessors of AT. */
static void extend_search(struct hints_graph *g, struct search *s, uint32_t at)
{
    const struct hints_node *node = &g->nodes[at];
    s->at = at;
    if (node->previous)
        add_near(s, node->previous - 1, 0);
    s->good &= hints_graph_edges(g, at, add_near, s);
    for (uint32_t i = 0; i < node->edge_count && s->good; i++) {
        struct step step = {
            .node = g->edges[node->first_edge + i].from, .successor = at, .edge = 1 + node->first_edge + i};
        if (is_removed(g, &g->edges[step.edge - 1]))
            s->good = mm_append(&s->far.items, &s->far.count, &step);
    }
}

/* A 0-1 breadth-first search backwards from NODE by the number of removed edges.  Returns the first node of
 * COMMAND, UINT32_MAX: there is no path.  TAKEN, an element for each node, receives the step from each
 * visited node. */
static uint32_t find_path(struct hints_graph *g, uint32_t node, uint32_t command, struct step *taken)
{
    struct search s = {.good = true};
    struct step step = {.node = node, .successor = UINT32_MAX};
    uint32_t found = UINT32_MAX;
    s.good = mm_append(&s.near.items, &s.near.count, &step);
    while (s.good && s.near.count && found == UINT32_MAX) {
        step = s.near.items[--s.near.count];
        if (!taken[step.node].visited) {
            taken[step.node] = step;
            taken[step.node].visited = true;
            found = g->nodes[step.node].agent >> 32 == command ? step.node : UINT32_MAX;
            extend_search(g, &s, step.node);
        }
        if (!s.near.count) {
            struct steps swap = s.near;
            s.near = s.far;
            s.far = swap;
        }
    }
    mm_free(s.near.items);
    mm_free(s.far.items);
    return found;
}

int hints_graph_restore(struct hints_graph *g, uint32_t node, uint32_t command)
{
    struct step *taken = mm_alloc_zero(g->node_count, sizeof *taken);
    uint32_t at = taken ? find_path(g, node, command, taken) : UINT32_MAX;
    int count = at == UINT32_MAX ? -1 : 0;
    for (; count >= 0 && at != node; at = taken[at].successor) {
        const struct hints_edge *edge = taken[at].edge ? &g->edges[taken[at].edge - 1] : NULL;
        if (edge)
            g->groups[edge->group - 1].removed = false;
        count += edge != NULL;
    }
    mm_free(taken);
    return count;
}
