/* Descriptions of events, and the listing of a graph, as text. */
#include "memmodel/base/escape.h"
#include "memmodel/graph/graph.h"

#include <inttypes.h>
#include <stdarg.h>

static const char *or_else(const char *s, const char *other)
{
    return s && *s ? s : other;
}

void mm_describe_agent(const struct mm_graph *graph, struct mm_agent agent, char *buf, size_t size)
{
    const struct mm_command *c = mm_graph_command(graph, agent.command);
    if (!agent.command && agent.index != MM_INDEX_RUNTIME) {
        snprintf(buf, size, "host thread %" PRIu32, agent.index);
    } else if (!agent.command) {
        snprintf(buf, size, "the runtime");
    } else if (agent.index == MM_INDEX_RUNTIME) {
        const char *name = c ? or_else(c->kernel, or_else(c->kind, "command")) : "command";
        snprintf(buf, size, "%s#%" PRIu32, name, agent.command);
    } else if (c) {
        uint64_t global[3], group[3], local[3];
        mm_agent_coordinates(c, agent, global, group, local);
        snprintf(buf, size, "work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ") of %s#%" PRIu32, global[0],
                 global[1], global[2], or_else(c->kernel, "kernel"), agent.command);
    } else {
        snprintf(buf, size, "work-item %" PRIu32 " of command %" PRIu32, agent.index, agent.command);
    }
}

void mm_describe_event_agent(const struct mm_graph *graph, const struct mm_event *e, char *buf, size_t size)
{
    char agent[160];
    mm_describe_agent(graph, e->agent, agent, sizeof agent);
    if (mm_is_copy(e))
        snprintf(buf, size, "asynchronous copy %" PRIu32 " of the work-group of %s", e->instance, agent);
    else
        snprintf(buf, size, "%s", agent);
}

/* The argument through which a command's agent most likely reached OFFSET: the one bound nearest below. */
static const struct mm_argument *argument_of(const struct mm_graph *graph, const struct mm_event *event)
{
    const struct mm_argument *best = NULL;
    for (size_t i = 0; i < graph->argument_count; i++) {
        const struct mm_argument *a = graph->arguments[i];
        if (a->command == event->agent.command && a->allocation == event->allocation &&
            a->offset <= event->offset && (!best || a->offset > best->offset))
            best = a;
    }
    return best;
}

void mm_describe_location(const struct mm_graph *graph, const struct mm_event *event, char *buf, size_t size)
{
    const struct mm_argument *argument = argument_of(graph, event);
    const struct mm_allocation *a = mm_graph_allocation(graph, event->allocation);
    if (argument) {
        uint64_t element = argument->element_size ? argument->element_size : 1,
                 at = event->offset - argument->offset;
        int n;
        if (*argument->name)
            n = snprintf(buf, size, "argument '%s'[%" PRIu64 "]", argument->name, at / element);
        else
            n = snprintf(buf, size, "argument %" PRIu32 "[%" PRIu64 "]", argument->index, at / element);
        if (at % element && n > 0 && (size_t)n < size)
            snprintf(buf + n, size - (size_t)n, " byte %" PRIu64, at % element);
    } else if (a) {
        snprintf(buf, size, "%s %s byte %" PRIu64, mm_region_name((enum mm_region)a->region),
                 or_else(a->name, "memory"), event->offset);
    } else {
        snprintf(buf, size, "allocation %" PRIu32 " byte %" PRIu64, event->allocation, event->offset);
    }
}

void mm_describe_source(const struct mm_graph *graph, uint32_t source, char *buf, size_t size)
{
    const struct mm_source *s = mm_graph_source(graph, source);
    if (!s)
        snprintf(buf, size, "%s", "");
    else if (*s->file && s->column)
        snprintf(buf, size, "%s:%" PRIu32 ":%" PRIu32, s->file, s->line, s->column);
    else if (*s->file && *s->opcode) /* a place in a host program */
        snprintf(buf, size, "%s, %s:%" PRIu32, s->opcode, s->file, s->line);
    else if (*s->file)
        snprintf(buf, size, "%s:%" PRIu32, s->file, s->line);
    else
        snprintf(buf, size, "%s%s%s", s->function, *s->function && *s->opcode ? " " : "", s->opcode);
}

struct text { /* a buffer that text is appended to, truncated if full */
    char *at;
    size_t left;
};
static void text_put(struct text *t, const char *format, ...) MM_PRINTF(2, 3);
static void text_put(struct text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->at, t->left, format, arguments);
    va_end(arguments);
    size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left ? t->left - 1 : 0;
    t->at += used;
    t->left -= used;
}

static void put_synchronization(struct text *t, const struct mm_event *e)
{
    if (e->order)
        text_put(t, " %s", mm_order_name((enum mm_order)e->order));
    if (e->scope)
        text_put(t, " scope %s", mm_scope_name((enum mm_scope)e->scope));
    if (e->effective_scope && e->effective_scope != e->scope)
        text_put(t, " (in effect %s)", mm_scope_name((enum mm_scope)e->effective_scope));
    if (e->fence_flags)
        text_put(t, " flags%s%s%s", e->fence_flags & MM_FENCE_GLOBAL ? " global" : "",
                 e->fence_flags & MM_FENCE_LOCAL ? " local" : "",
                 e->fence_flags & MM_FENCE_IMAGE ? " image" : "");
    if (mm_is_copy(e) || e->kind == MM_COPY_START || e->kind == MM_COPY_WAIT)
        text_put(t, " copy %" PRIu32, e->instance);
    else if (e->site || e->instance)
        text_put(t, " site %" PRIu32 " instance %" PRIu32, e->site, e->instance);
}

void mm_describe_event(const struct mm_graph *graph, const struct mm_event *e, char *buf, size_t size)
{
    struct text t = {buf, size};
    text_put(&t, "%s%s", e->attributes & MM_ATOMIC ? "atomic " : "", mm_kind_name((enum mm_kind)e->kind));
    if (e->allocation) {
        char location[160];
        mm_describe_location(graph, e, location, sizeof location);
        text_put(&t, " %" PRIu32 " byte%s of %s%s", e->size, e->size == 1 ? "" : "s", location,
                 mm_is_through_image(e) ? " through an image" : "");
    }
    if (e->allocation && !(e->attributes & MM_NO_VALUE)) {
        if (mm_reads(e))
            text_put(&t, " reads 0x%" PRIx64, e->value_read);
        if (mm_event_writes(e))
            text_put(&t, " writes 0x%" PRIx64, e->value_written);
    }
    put_synchronization(&t, e);
}

static void dump_edges(const struct mm_graph *graph, FILE *out)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct mm_edge *e = &graph->edges[i];
        mm_print(out, "edge %" PRIu64 " -> %" PRIu64 " %s\n", e->from, e->to,
                 mm_edge_name((enum mm_edge_kind)e->kind));
    }
    for (size_t i = 0; i < graph->finding_count; i++) {
        const struct mm_finding *f = graph->findings[i];
        char agent[160], place[200];
        mm_describe_agent(graph, f->agent, agent, sizeof agent);
        mm_describe_source(graph, f->source, place, sizeof place);
        mm_print(out, "finding %s [%s] %s%s%s: %s\n", f->kind, f->clause, agent, *place ? " at " : "", place,
                 f->message);
    }
}

void mm_dump_text(const struct mm_graph *graph, FILE *out)
{
    for (size_t i = 0; i < graph->event_count; i++) {
        const struct mm_event *e = &graph->events[i];
        char agent[240], place[200], what[400];
        mm_describe_event_agent(graph, e, agent, sizeof agent);
        mm_describe_source(graph, e->source, place, sizeof place);
        mm_describe_event(graph, e, what, sizeof what);
        mm_print(out, "%zu %s: %s%s%s\n", i, agent, what, *place ? " at " : "", place);
    }
    dump_edges(graph, out);
}
