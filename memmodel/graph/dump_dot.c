/* A graph for Graphviz: one cluster per agent and asynchronous copy, program order downwards, recorded edges
 * and reads-from. */
#include "memmodel/base/escape.h"
#include "memmodel/graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Above this number of events reads-from edges are omitted: they take quadratic time and are unreadable. */
enum { READS_FROM_MAX = 4000 };

void mm_dump_dot_text(FILE *out, const char *s)
{
    char *shown = NULL; /* as on a terminal; then as a label of Graphviz */
    size_t size = 0;
    FILE *text = open_memstream(&shown, &size);
    if (!text)
        return;
    mm_put_terminal(s, strlen(s), text);
    if (fclose(text) == 0)
        for (const char *p = shown; *p; p++)
            fprintf(out, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    free(shown);
}

struct order { /* events sorted by agent, then by number */
    struct mm_agent agent;
    uint32_t copy; /* of the agent's work-group, 0: the agent itself */
    size_t event;
};

static bool same_agent(const struct order *a, const struct order *b)
{
    return a->agent.command == b->agent.command && a->agent.index == b->agent.index && a->copy == b->copy;
}

static int by_agent(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    if (a->agent.command != b->agent.command)
        return a->agent.command < b->agent.command ? -1 : 1;
    if (a->agent.index != b->agent.index)
        return a->agent.index < b->agent.index ? -1 : 1;
    if (a->copy != b->copy)
        return a->copy < b->copy ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

static void put_node(const struct mm_graph *graph, size_t i, FILE *out)
{
    char what[400], place[200];
    mm_describe_event(graph, &graph->events[i], what, sizeof what);
    mm_describe_source(graph, graph->events[i].source, place, sizeof place);
    fprintf(out, "    e%zu [label=\"%zu: ", i, i);
    mm_dump_dot_text(out, what);
    fprintf(out, "%s", *place ? "\\n" : "");
    mm_dump_dot_text(out, place);
    fprintf(out, "\"];\n");
}

static void put_clusters(const struct mm_graph *graph, const struct order *order, FILE *out)
{
    for (size_t i = 0; i < graph->event_count; i++) {
        const struct mm_event *e = &graph->events[order[i].event];
        bool first = i == 0 || !same_agent(&order[i - 1], &order[i]);
        bool last = i + 1 == graph->event_count || !same_agent(&order[i + 1], &order[i]);
        if (first) {
            char agent[240];
            mm_describe_event_agent(graph, e, agent, sizeof agent);
            fprintf(out, "  subgraph cluster_%zu {\n    label=\"", i);
            mm_dump_dot_text(out, agent);
            fprintf(out, "\";\n");
        }
        put_node(graph, order[i].event, out);
        if (!first)
            fprintf(out, "    e%zu -> e%zu [label=\"po\", weight=10];\n", order[i - 1].event, order[i].event);
        if (last)
            fprintf(out, "  }\n");
    }
}

static void put_reads_from(const struct mm_graph *graph, FILE *out)
{
    for (size_t i = 0; i < graph->event_count && graph->event_count <= READS_FROM_MAX; i++) {
        const struct mm_event *e = &graph->events[i];
        mm_event_id seen = MM_NO_EVENT;
        for (uint32_t byte = 0; mm_reads(e) && byte < e->size && byte < 16; byte++) {
            mm_event_id w = mm_graph_last_write(graph, i, byte);
            if (w != MM_NO_EVENT && w != seen)
                fprintf(out, "  e%" PRIu64 " -> e%zu [label=\"rf\", color=red, constraint=false];\n", w, i);
            seen = w;
        }
    }
}

void mm_dump_dot(const struct mm_graph *graph, FILE *out)
{
    fprintf(out, "digraph execution {\n  node [shape=box, fontname=monospace, fontsize=10];\n");
    struct order *order = mm_alloc_zero(graph->event_count + 1, sizeof *order);
    for (size_t i = 0; order && i < graph->event_count; i++) {
        const struct mm_event *e = &graph->events[i];
        order[i] = (struct order){e->agent, mm_is_copy(e) ? e->instance : 0, i};
    }
    if (order) {
        qsort(order, graph->event_count, sizeof *order, by_agent);
        put_clusters(graph, order, out);
    }
    mm_free(order);
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct mm_edge *e = &graph->edges[i];
        fprintf(out, "  e%" PRIu64 " -> e%" PRIu64 " [label=\"%s\", color=blue];\n", e->from, e->to,
                mm_edge_name((enum mm_edge_kind)e->kind));
    }
    put_reads_from(graph, out);
    fprintf(out, "}\n");
}
