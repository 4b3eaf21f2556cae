/* A graph as JSON: every event with its numbers and its description. */
#include "memmodel/graph/graph.h"

#include <inttypes.h>

/* Bytes that are not printable ASCII are written as escapes, so that malformed UTF-8 stays readable. */
static void put_string(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_pair(FILE *out, const char *key, const char *value)
{
    fprintf(out, ", \"%s\": ", key);
    put_string(out, value);
}

static void put_access(const struct mm_graph *graph, const struct mm_event *e, FILE *out)
{
    char location[200];
    mm_describe_location(graph, e, location, sizeof location);
    put_pair(out, "location", location);
    fprintf(out, ", \"allocation\": %" PRIu32 ", \"offset\": %" PRIu64 ", \"size\": %" PRIu32, e->allocation,
            e->offset, e->size);
    fprintf(out, ", \"atomic\": %s", e->attributes & MM_ATOMIC ? "true" : "false");
    if (mm_reads(e) && !(e->attributes & MM_NO_VALUE))
        fprintf(out, ", \"value_read\": \"0x%" PRIx64 "\"", e->value_read);
    if (mm_event_writes(e) && !(e->attributes & MM_NO_VALUE))
        fprintf(out, ", \"value_written\": \"0x%" PRIx64 "\"", e->value_written);
}

static void put_event(const struct mm_graph *graph, size_t i, FILE *out)
{
    const struct mm_event *e = &graph->events[i];
    const struct mm_source *source = mm_graph_source(graph, e->source);
    char agent[240];
    mm_describe_event_agent(graph, e, agent, sizeof agent);
    fprintf(out, "{\"id\": %zu, \"command\": %" PRIu32 ", \"index\": %" PRIu32, i, e->agent.command,
            e->agent.index);
    put_pair(out, "kind", mm_kind_name((enum mm_kind)e->kind));
    put_pair(out, "agent", agent);
    if (e->allocation)
        put_access(graph, e, out);
    if (e->order)
        put_pair(out, "order", mm_order_name((enum mm_order)e->order));
    if (e->scope)
        put_pair(out, "scope", mm_scope_name((enum mm_scope)e->scope));
    if (e->effective_scope)
        put_pair(out, "effective_scope", mm_scope_name((enum mm_scope)e->effective_scope));
    if (e->fence_flags)
        fprintf(out, ", \"fence_flags\": %u", e->fence_flags);
    if (e->site)
        fprintf(out, ", \"site\": %" PRIu32 ", \"instance\": %" PRIu32, e->site, e->instance);
    if (mm_is_copy(e) || e->kind == MM_COPY_START || e->kind == MM_COPY_WAIT)
        fprintf(out, ", \"copy\": %" PRIu32, e->instance);
    if (source) {
        put_pair(out, "file", source->file);
        fprintf(out, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32, source->line, source->column);
    }
    fprintf(out, "}");
}

static void put_edges(const struct mm_graph *graph, FILE *out)
{
    fprintf(out, "\"edges\": [");
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct mm_edge *e = &graph->edges[i];
        fprintf(out, "%s\n  {\"from\": %" PRIu64 ", \"to\": %" PRIu64 ", \"kind\": \"%s\"}", i ? "," : "",
                e->from, e->to, mm_edge_name((enum mm_edge_kind)e->kind));
    }
    fprintf(out, "],\n");
}

static void put_findings(const struct mm_graph *graph, FILE *out)
{
    fprintf(out, "\"findings\": [");
    for (size_t i = 0; i < graph->finding_count; i++) {
        const struct mm_finding *f = graph->findings[i];
        char agent[200];
        mm_describe_agent(graph, f->agent, agent, sizeof agent);
        fprintf(out, "%s\n  {\"source\": %" PRIu32, i ? "," : "", f->source);
        put_pair(out, "kind", f->kind);
        put_pair(out, "clause", f->clause);
        put_pair(out, "agent", agent);
        put_pair(out, "message", f->message);
        fprintf(out, "}");
    }
    fprintf(out, "]\n");
}

void mm_dump_json(const struct mm_graph *graph, FILE *out)
{
    fprintf(out, "{\"format\": \"refcl-graph\", \"version\": 1,\n\"events\": [");
    for (size_t i = 0; i < graph->event_count; i++) {
        fprintf(out, "%s\n  ", i ? "," : "");
        put_event(graph, i, out);
    }
    fprintf(out, "],\n");
    put_edges(graph, out);
    put_findings(graph, out);
    fprintf(out, "}\n");
}
