/* Schedules of the host threads: the orders of the calls that concern each queue (README.md#schedules). */
#include "memmodel/base/array.h"
#include "tools/commands/record.h"

#include <string.h>

enum { MAX_SCHEDULES = 4096, MAX_CALLS = 4096 };

/* ---- graph -------------------------------------------------------------------------------------- */

struct graph { /* successors of each node */
    uint32_t *first, *to;
    bool ok;
};

/* NEXT[node]: the next node of the same host thread or command, HC_NONE: none. */
static void find_next(const struct hc_record *record, uint32_t *next)
{
    uint32_t threads = record->thread_count + 1;
    uint32_t *last = mm_alloc((threads + record->command_count) * sizeof *last);
    for (uint32_t i = 0; last && i < threads + record->command_count; i++)
        last[i] = HC_NONE;
    for (uint32_t i = 0; i < record->node_count; i++) {
        const struct hc_node *node = &record->nodes[i];
        uint32_t slot = node->of_command                     ? threads + node->owner
                        : node->owner < record->thread_count ? node->owner
                                                             : record->thread_count;
        next[i] = HC_NONE;
        if (!last || node->dropped)
            continue;
        if (last[slot] != HC_NONE)
            next[last[slot]] = i;
        last[slot] = i;
    }
    mm_free(last);
}

static struct graph make_graph(const struct hc_record *record, const struct hc_schedule *schedule)
{
    uint32_t n = record->node_count, *next = mm_alloc((n + 1) * sizeof *next);
    struct graph g = {.first = mm_alloc_zero(n + 2, sizeof *g.first),
                      .to = mm_alloc_zero((size_t)n + schedule->count + 1, sizeof *g.to)};
    g.ok = next && g.first && g.to;
    if (g.ok) {
        find_next(record, next);
        for (uint32_t i = 0; i < n; i++)
            g.first[i + 1] += next[i] != HC_NONE;
        for (uint32_t i = 0; i < schedule->count; i++)
            g.first[schedule->edges[i].from + 1]++;
        for (uint32_t i = 0; i < n; i++)
            g.first[i + 1] += g.first[i];
        for (uint32_t i = 0; i < schedule->count; i++)
            g.to[g.first[schedule->edges[i].from]++] = schedule->edges[i].to;
        for (uint32_t i = 0; i < n; i++)
            if (next[i] != HC_NONE)
                g.to[g.first[i]++] = next[i];
        memmove(g.first + 1, g.first, n * sizeof *g.first);
        g.first[0] = 0;
    }
    mm_free(next);
    return g;
}

static void free_graph(struct graph *g)
{
    mm_free(g->first);
    mm_free(g->to);
}

/* Marks in REACHED what is reached from the COUNT nodes of WORK, which has room for all nodes. */
static void mark_reached(const struct graph *g, uint32_t *work, uint32_t count, bool *reached)
{
    while (count) {
        uint32_t node = work[--count];
        for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++)
            if (!reached[g->to[i]]) {
                reached[g->to[i]] = true;
                work[count++] = g->to[i];
            }
    }
}

uint32_t hc_linearize(const struct hc_record *record, const struct hc_schedule *schedule, uint32_t *order)
{
    struct graph g = make_graph(record, schedule);
    uint32_t n = record->node_count, count = 0, kept = 0, *in = mm_alloc_zero(n + 1, sizeof *in);
    bool *done = mm_alloc_zero(n + 1, sizeof *done);
    for (uint32_t i = 0; g.ok && in && i < g.first[n]; i++)
        in[g.to[i]]++;
    for (uint32_t i = 0; i < n; i++)
        kept += !record->nodes[i].dropped;
    for (uint32_t i = 0; g.ok && in && done && i < n;) {
        if (record->nodes[i].dropped || done[i] || in[i]) {
            i++;
            continue;
        }
        done[i] = true;
        order[count++] = i;
        uint32_t least = i + 1;
        for (uint32_t k = g.first[i]; k < g.first[i + 1]; k++)
            if (--in[g.to[k]] == 0 && g.to[k] < least)
                least = g.to[k];
        i = least;
    }
    free_graph(&g);
    mm_free(in);
    mm_free(done);
    return count == kept ? count : 0;
}

/* ---- synchronization by atomic operations ------------------------------------------------------- */

static uint32_t last_node(const struct hc_record *record, uint32_t part)
{
    const struct hc_part *p = &record->parts[part];
    uint32_t end = p->command == HC_NONE ? HC_NONE : record->commands[p->command].end;
    return end == HC_NONE ? p->node : end;
}

/* Adds edges from each part that may release to those that may acquire from it. */
static void add_synchronization(struct hc_record *record, const struct hc_cell *cell, struct hc_edge **edges,
                                uint32_t *count)
{
    for (uint32_t i = 0; i < cell->count; i++)
        for (uint32_t k = 0; k < cell->count; k++) {
            const struct hc_member *w = &cell->members[i], *r = &cell->members[k];
            if (w->part == r->part || !(w->kind & HC_ATOMIC_WRITE) || !(r->kind & HC_ATOMIC_READ) ||
                !record->parts[w->part].releases || !record->parts[r->part].acquires)
                continue;
            struct hc_edge edge = {record->parts[w->part].node, last_node(record, r->part), MM_EDGE_HOST};
            if (!mm_append(edges, count, &edge))
                hc_limit(record, "memory", "out of memory");
        }
}

bool hc_may_synchronize(struct hc_record *record, const struct hc_schedule *schedule, uint32_t a, uint32_t b)
{
    struct hc_schedule all = {0};
    bool found = true;
    for (uint32_t i = 0; i < schedule->count; i++)
        if (!mm_append(&all.edges, &all.count, &schedule->edges[i]))
            return true;
    for (uint32_t i = 0; i < record->cell_count; i++)
        add_synchronization(record, &record->cells[i], &all.edges, &all.count);
    struct graph g = make_graph(record, &all);
    bool *reached = mm_alloc_zero(record->node_count + 1, sizeof *reached);
    uint32_t *work = mm_alloc((record->node_count + 1) * sizeof *work);
    if (g.ok && reached && work) {
        work[0] = record->parts[a].node;
        mark_reached(&g, work, 1, reached);
        found = reached[last_node(record, b)];
    }
    free_graph(&g);
    mm_free(reached);
    mm_free(work);
    mm_free(all.edges);
    return found;
}

/* ---- queues ------------------------------------------------------------------------------------- */

static struct hc_queue *queue_at(struct hc_record *record, uint32_t id)
{
    for (uint32_t i = 0; i < record->queue_count; i++)
        if (record->queues[i].id == id)
            return &record->queues[i];
    struct hc_queue *queue = mm_arena_add(record->arena, &record->queues, &record->queue_count);
    if (!queue)
        hc_limit(record, "memory", "out of memory");
    else
        queue->id = id;
    return queue;
}

static void add_call(struct hc_record *record, uint32_t id, uint32_t node, uint32_t command)
{
    struct hc_queue *queue = queue_at(record, id);
    struct hc_call call = {node, command};
    if (!queue || (queue->count && queue->calls[queue->count - 1].node == node))
        return;
    queue->shared |= queue->count && record->nodes[queue->calls[0].node].owner != record->nodes[node].owner;
    if (!mm_arena_append(record->arena, &queue->calls, &queue->count, &call))
        hc_limit(record, "memory", "out of memory");
}

/* Finds the calls that concern each queue. */
static void find_queues(struct hc_record *record)
{
    uint32_t *enqueues = mm_alloc((record->node_count + 1) * sizeof *enqueues),
             *finishes = mm_alloc((record->node_count + 1) * sizeof *finishes);
    for (uint32_t i = 0; enqueues && finishes && i < record->node_count; i++)
        enqueues[i] = finishes[i] = HC_NONE;
    for (uint32_t i = 0; enqueues && i < record->command_count; i++)
        if (record->commands[i].call != HC_NONE && !record->commands[i].parent)
            enqueues[record->commands[i].call] = i;
    for (uint32_t i = 0; finishes && i < record->edge_count; i++)
        if (record->edges[i].kind == MM_EDGE_FINISH && record->nodes[record->edges[i].from].of_command)
            finishes[record->edges[i].to] = record->nodes[record->edges[i].from].owner;
    for (uint32_t i = 0; enqueues && finishes && i < record->node_count; i++) {
        uint32_t command = enqueues[i] != HC_NONE ? enqueues[i] : finishes[i];
        if (command != HC_NONE && !record->nodes[i].dropped)
            add_call(record, record->commands[command].queue, i, enqueues[i]);
    }
    for (uint32_t i = 0; i < record->command_count; i++)
        if (record->commands[i].in_order && record->commands[i].call != HC_NONE)
            queue_at(record, record->commands[i].queue)->in_order = true;
    mm_free(enqueues);
    mm_free(finishes);
}

/* ---- edges -------------------------------------------------------------------------------------- */

/* An edge between calls of two host threads, which may come from the observed order of their lock
 * acquisitions: another schedule may reverse it. */
static bool is_observed_order(const struct hc_record *record, const struct hc_edge *edge)
{
    const struct hc_node *from = &record->nodes[edge->from], *to = &record->nodes[edge->to];
    return edge->kind == MM_EDGE_HOST && !from->dropped && !to->dropped && !from->of_command &&
           !to->of_command && to->event.kind == MM_API_CALL && from->owner != to->owner;
}

bool hc_has_observed_order(const struct hc_record *record)
{
    for (uint32_t i = 0; i < record->edge_count; i++)
        if (is_observed_order(record, &record->edges[i]))
            return true;
    return false;
}

/* True if the order of the calls of one queue determines the edge. */
static bool is_of_queue(const struct hc_record *record, const struct hc_edge *edge)
{
    const struct hc_node *from = &record->nodes[edge->from], *to = &record->nodes[edge->to];
    const struct hc_command *commands = record->commands;
    if (from->of_command && to->of_command && commands[from->owner].queue != commands[to->owner].queue)
        return false; /* before a run of a command buffer in several queues */
    bool kind = edge->kind == MM_EDGE_IN_ORDER || edge->kind == MM_EDGE_MARKER ||
                edge->kind == MM_EDGE_BARRIER || edge->kind == MM_EDGE_FINISH;
    return kind && (!to->of_command || commands[to->owner].call != HC_NONE);
}

struct scheduler {
    struct hc_record *record;
    struct hc_schedule base, full; /* edges of all schedules; those of the current one */
    bool loose, stopped;
    uint32_t schedules, calls; /* CALLS: of shared queues */
    uint32_t *shared;          /* the nodes of these calls */
    bool *before;              /* CALLS x CALLS: the first comes before the second in every schedule */
    bool *used;
    struct hc_call **orders; /* by queue */
    hc_schedule_function *function;
    void *context;
};

static void put_edge(struct scheduler *s, struct hc_schedule *schedule, uint32_t from, uint32_t to,
                     uint32_t kind)
{
    struct hc_edge edge = {from, to, kind};
    if (from == HC_NONE || to == HC_NONE || s->record->nodes[from].dropped || s->record->nodes[to].dropped)
        return;
    if (!mm_append(&schedule->edges, &schedule->count, &edge)) {
        hc_limit(s->record, "memory", "out of memory");
        s->stopped = true;
    }
}

static bool takes_all(const struct hc_command *command)
{
    return (command->marker || command->barrier) && !command->has_list;
}

/* Adds the edges that follow from the order of the COUNT CALLS of a queue [CL 3.3.6 H5 to H8]: for
 * in-order queues the edges between neighbors, for others those from and to markers, barriers and
 * clFinish. */
static void queue_edges(struct scheduler *s, struct hc_schedule *schedule, bool in_order,
                        const struct hc_call *calls, uint32_t count)
{
    const struct hc_command *all = s->record->commands;
    /* OPEN: calls before it are ordered before the last barrier */
    uint32_t last = HC_NONE, barrier = HC_NONE, open = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct hc_command *c = calls[i].command == HC_NONE ? NULL : &all[calls[i].command];
        uint32_t to = c ? c->start : calls[i].node;
        uint32_t kind = !c          ? MM_EDGE_FINISH
                        : in_order  ? MM_EDGE_IN_ORDER
                        : c->marker ? MM_EDGE_MARKER
                                    : MM_EDGE_BARRIER;
        if (in_order && last != HC_NONE)
            put_edge(s, schedule, all[last].complete, to, kind);
        if (!in_order && c && barrier != HC_NONE)
            put_edge(s, schedule, all[barrier].complete, to, MM_EDGE_BARRIER);
        for (uint32_t k = open; !in_order && (!c || takes_all(c)) && k < i; k++)
            if (calls[k].command != HC_NONE)
                put_edge(s, schedule, all[calls[k].command].complete, to, kind);
        last = c ? calls[i].command : last;
        barrier = c && c->barrier ? calls[i].command : barrier;
        open = c && c->barrier && takes_all(c) ? i : open;
    }
}

static void base_edges(struct scheduler *s)
{
    const struct hc_record *record = s->record;
    for (uint32_t i = 0; i < record->edge_count; i++) {
        const struct hc_edge *edge = &record->edges[i];
        if (edge->kind != MM_EDGE_QUERY && !is_of_queue(record, edge) &&
            !(s->loose && is_observed_order(record, edge)))
            put_edge(s, &s->base, edge->from, edge->to, edge->kind);
    }
    for (uint32_t i = 0; i < record->queue_count; i++)
        if (!record->queues[i].shared)
            queue_edges(s, &s->base, record->queues[i].in_order, record->queues[i].calls,
                        record->queues[i].count);
}

/* ---- enumeration -------------------------------------------------------------------------------- */

/* True if A and B commute: two neighbors in an out-of-order queue, or two calls of clFinish, imply no
 * edge. */
static bool calls_commute(const struct hc_record *record, const struct hc_queue *queue,
                          const struct hc_call *a, const struct hc_call *b)
{
    const struct hc_command *x = a->command == HC_NONE ? NULL : &record->commands[a->command],
                            *y = b->command == HC_NONE ? NULL : &record->commands[b->command];
    if (!x || !y)
        return !x && !y;
    return !queue->in_order && !x->barrier && !y->barrier && !takes_all(x) && !takes_all(y);
}

/* Adds the order of those CALLS that do not commute.  What follows a call of clFinish may have begun before
 * it returns. */
static void call_edges(struct scheduler *s, struct hc_schedule *schedule, const struct hc_queue *queue,
                       const struct hc_call *calls)
{
    for (uint32_t i = 0; i < queue->count; i++)
        for (uint32_t k = i + 1; calls[i].command != HC_NONE && k < queue->count; k++)
            if (!calls_commute(s->record, queue, &calls[i], &calls[k]))
                put_edge(s, schedule, calls[i].node, calls[k].node, MM_EDGE_HOST);
}

/* Whether host threads can make their calls in the order of all queues. */
static bool is_possible(struct scheduler *s)
{
    const struct hc_record *record = s->record;
    struct hc_schedule all = {0};
    for (uint32_t i = 0; i < s->full.count; i++)
        put_edge(s, &all, s->full.edges[i].from, s->full.edges[i].to, s->full.edges[i].kind);
    for (uint32_t q = 0; q < record->queue_count; q++)
        if (record->queues[q].shared)
            call_edges(s, &all, &record->queues[q], s->orders[q]);
    uint32_t *order = mm_alloc((record->node_count + 1) * sizeof *order);
    bool possible = order && !s->stopped && hc_linearize(record, &all, order);
    if (!order)
        hc_limit(s->record, "memory", "out of memory");
    mm_free(order);
    mm_free(all.edges);
    return possible;
}

static void emit_schedule(struct scheduler *s)
{
    const struct hc_record *record = s->record;
    if (s->schedules++ == MAX_SCHEDULES) {
        hc_limit(s->record, "explore.schedules", "limit reached: 4096 orders of calls of host threads");
        s->stopped = true;
        return;
    }
    s->full.count = 0;
    for (uint32_t i = 0; i < s->base.count; i++)
        put_edge(s, &s->full, s->base.edges[i].from, s->base.edges[i].to, s->base.edges[i].kind);
    for (uint32_t q = 0; q < record->queue_count; q++)
        if (record->queues[q].shared)
            queue_edges(s, &s->full, record->queues[q].in_order, s->orders[q], record->queues[q].count);
    if (is_possible(s) && !s->stopped)
        s->stopped = !s->function(s->context, &s->full);
}

static bool is_enabled(const struct scheduler *s, uint32_t call, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (!s->used[i] && i != call && s->before[i * s->calls + call])
            return false;
    return !s->used[call];
}

/* Enumerates the orders of queue Q from position AT on, and of the queues after it; FIRST: index of its first
 * call among the shared ones.  Of orders that differ in an exchange of neighbors that commute, the least is
 * chosen. */
static void permute_calls(struct scheduler *s, uint32_t q, uint32_t at, uint32_t first, uint32_t before)
{
    const struct hc_record *record = s->record;
    if (q == record->queue_count) {
        emit_schedule(s);
        return;
    }
    const struct hc_queue *queue = &record->queues[q];
    if (!queue->shared || at == queue->count) {
        permute_calls(s, q + 1, 0, first + (queue->shared ? queue->count : 0), HC_NONE);
        return;
    }
    for (uint32_t i = 0; i < queue->count && !s->stopped; i++) {
        bool exchanged = before != HC_NONE && before > i &&
                         !s->before[(first + before) * s->calls + first + i] &&
                         calls_commute(record, queue, &queue->calls[before], &queue->calls[i]);
        if (exchanged || !is_enabled(s, first + i, first, queue->count))
            continue;
        s->used[first + i] = true;
        s->orders[q][at] = queue->calls[i];
        permute_calls(s, q, at + 1, first, i);
        s->used[first + i] = false;
    }
}

/* Which of the calls of shared queues come before which in every schedule. */
static bool find_before(struct scheduler *s)
{
    const struct hc_record *record = s->record;
    for (uint32_t q = 0; q < record->queue_count; q++)
        for (uint32_t i = 0; record->queues[q].shared && i < record->queues[q].count; i++)
            if (!mm_append(&s->shared, &s->calls, &record->queues[q].calls[i].node))
                return false;
    if (s->calls > MAX_CALLS) {
        hc_limit(s->record, "explore.schedules",
                 "limit reached: 4096 calls for queues that host threads share");
        return false;
    }
    struct graph g = make_graph(record, &s->base);
    uint32_t *work = mm_alloc((record->node_count + 1) * sizeof *work);
    bool *reached = mm_alloc_zero(record->node_count + 1, sizeof *reached);
    s->before = mm_alloc_zero((size_t)s->calls * s->calls + 1, sizeof *s->before);
    s->used = mm_alloc_zero(s->calls + 1, sizeof *s->used);
    bool ok = g.ok && work && reached && s->before && s->used;
    for (uint32_t i = 0; ok && i < s->calls; i++) {
        memset(reached, 0, record->node_count);
        work[0] = s->shared[i];
        mark_reached(&g, work, 1, reached);
        for (uint32_t k = 0; k < s->calls; k++)
            s->before[i * s->calls + k] = reached[s->shared[k]];
    }
    free_graph(&g);
    mm_free(work);
    mm_free(reached);
    return ok;
}

void hc_schedules(struct hc_record *record, bool loose, hc_schedule_function *function, void *context)
{
    struct scheduler s = {.record = record, .loose = loose, .function = function, .context = context};
    if (!record->queue_count)
        find_queues(record);
    base_edges(&s);
    s.orders = mm_arena_alloc(record->arena, (record->queue_count + 1) * sizeof *s.orders);
    bool ok = s.orders && !s.stopped;
    for (uint32_t q = 0; ok && q < record->queue_count; q++) {
        s.orders[q] = mm_arena_alloc(record->arena, (record->queues[q].count + 1) * sizeof *s.orders[q]);
        ok = s.orders[q] != NULL;
    }
    if (ok && find_before(&s))
        permute_calls(&s, 0, 0, 0, HC_NONE);
    else
        hc_limit(record, "memory", "out of memory");
    mm_free(s.base.edges);
    mm_free(s.full.edges);
    mm_free(s.shared);
    mm_free(s.before);
    mm_free(s.used);
}
