/* The data of the HTML page: findings, and the events around each. */
#include "tools/session/html.h"
#include "memmodel/base/array.h"
#include "memmodel/base/escape.h"
#include "tools/page.h"
#include "tools/session/events.h"
#include "tools/tool.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SHOWN = 12, GRAPH_EVENTS = 1 << 20 };

/* ---- data ------------------------------------------------------------------------------------ */

/* The element type of a kernel argument; the trace itself has the types of local memory. */
struct element {
    uint32_t allocation, command;
    struct mm_scalar scalar; /* .size 0: a composite type */
    uint64_t offset;         /* of the pointer in the allocation */
    char *name, *layout;     /* owned */
};

/* Names, sources and types, from the records other than events. */
struct names {
    struct mm_graph *graph;
    struct mm_sink graph_sink;
    struct element *elements;
    size_t element_count;
};

static void add_element(struct names *names, const struct mm_argument *argument)
{
    struct element element = {argument->allocation,
                              argument->command,
                              mm_scalar_named(argument->type_name),
                              argument->offset,
                              NULL,
                              NULL},
                   *place;
    bool composite = argument->layout && *argument->layout;
    if (!element.allocation || !(element.scalar.size || composite) ||
        !(place = mm_add(&names->elements, &names->element_count)))
        return;
    *place = element;
    place->name = composite ? strdup(argument->name ? argument->name : "") : NULL;
    place->layout = composite ? strdup(argument->layout) : NULL;
}

static enum mm_class take_names(void *context, const struct mm_record *record)
{
    struct names *names = context;
    if (record->type == MM_RECORD_EVENT || record->type == MM_RECORD_EDGE)
        return MM_OK;
    if (record->type == MM_RECORD_ARGUMENT)
        add_element(names, &record->argument);
    return names->graph_sink.record(names->graph_sink.context, record);
}

static bool read_names(const struct session_trace *trace, struct names *names)
{
    bool complete;
    *names = (struct names){.graph = mm_graph_create()};
    if (!names->graph)
        return false;
    mm_graph_sink(names->graph, GRAPH_EVENTS, &names->graph_sink);
    struct mm_sink sink = {.context = names, .record = take_names, .events = mm_skip_events};
    session_trace_read(trace, &sink, &complete);
    return true;
}

static void clear_names(struct names *names)
{
    mm_graph_destroy(names->graph);
    for (size_t i = 0; i < names->element_count; i++) {
        free(names->elements[i].name);
        free(names->elements[i].layout);
    }
    mm_free(names->elements);
}

/* The scalar type of A's elements by the arguments bound to A; unknown without arguments, or if arguments
 * differ. Copy commands, which have no arguments, use the types of kernels. */
static struct mm_scalar scalar_of(const struct names *names, const struct mm_allocation *a)
{
    struct mm_scalar found = a->element;
    for (size_t i = 0; i < names->element_count; i++) {
        struct element e = names->elements[i];
        if (e.allocation != a->id || !e.scalar.size)
            continue;
        if (found.size && (found.size != e.scalar.size || found.kind != e.scalar.kind))
            return (struct mm_scalar){0};
        found = e.scalar;
    }
    return found;
}

/* Writes the designator of the place in A, a variable or an argument of composite type, to TEXT; "" for
 * other types. */
static struct mm_scalar name_place(const struct names *names, const struct mm_allocation *a,
                                   const struct mm_event *e, char *text, size_t size)
{
    struct mm_designator found = mm_layout_find(a->layout, e->offset, e->size);
    const char *name = a->name;
    for (size_t i = 0; i < names->element_count && !*found.text; i++) {
        const struct element *of = &names->elements[i];
        if (of->allocation != a->id || of->command != e->agent.command || !of->layout ||
            e->offset < of->offset)
            continue;
        found = mm_layout_find(of->layout, e->offset - of->offset, e->size);
        name = of->name;
    }
    snprintf(text, size, "%s%s", *found.text && name ? name : "", found.text);
    return found.scalar;
}

static void add_text(cJSON *object, const char *key, const char *s)
{
    cJSON_AddStringToObject(object, key, s ? s : "");
}

static void add_agent(cJSON *object, const struct mm_graph *names, const struct mm_event *e)
{
    const struct mm_agent agent = e->agent;
    const struct mm_command *c = mm_graph_command(names, agent.command);
    char text[200];
    uint64_t global[3] = {0}, group[3] = {0}, local[3] = {0};
    if (!agent.command) {
        snprintf(text, sizeof text, "host thread %" PRIu32, agent.index);
    } else if (agent.index == MM_INDEX_RUNTIME || !c) {
        snprintf(text, sizeof text, "command %" PRIu32 " %s", agent.command,
                 !c                          ? ""
                 : c->kernel && c->kernel[0] ? c->kernel
                                             : c->kind);
    } else if (mm_is_copy(e)) {
        mm_agent_coordinates(c, agent, global, group, local);
        snprintf(text, sizeof text,
                 "asynchronous copy %" PRIu32 " of group (%" PRIu64 ",%" PRIu64 ",%" PRIu64
                 ") of %s, command %" PRIu32,
                 e->instance, group[0], group[1], group[2], c->kernel ? c->kernel : "", agent.command);
    } else {
        mm_agent_coordinates(c, agent, global, group, local);
        snprintf(text, sizeof text,
                 "work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ") group (%" PRIu64 ",%" PRIu64 ",%" PRIu64
                 ") of %s, command %" PRIu32,
                 global[0], global[1], global[2], group[0], group[1], group[2], c->kernel ? c->kernel : "",
                 agent.command);
    }
    add_text(object, "agent", text);
}

static void add_value(cJSON *object, const char *key, uint64_t bits, uint32_t size, struct mm_scalar scalar)
{
    char text[MM_SCALAR_TEXT];
    mm_scalar_text(scalar, bits, size, text);
    add_text(object, key, text);
}

static void add_memory(cJSON *object, const struct names *names, const struct mm_event *e)
{
    const struct mm_allocation *a = e->allocation ? mm_graph_allocation(names->graph, e->allocation) : NULL;
    char text[200];
    if (!a)
        return;
    snprintf(text, sizeof text, "%s%s%s, byte %" PRIu64 ", %" PRIu32 " bytes",
             mm_region_name((enum mm_region)a->region), a->name && a->name[0] ? " " : "",
             a->name ? a->name : "", e->offset, e->size);
    add_text(object, "memory", text);
    add_text(object, "object", a->name);
    cJSON_AddNumberToObject(object, "offset", (double)e->offset);
    cJSON_AddNumberToObject(object, "bytes", e->size);
    struct mm_scalar named = name_place(names, a, e, text, sizeof text),
                     scalar = named.size ? named : scalar_of(names, a);
    if (*text)
        add_text(object, "place", text);
    if (e->attributes & MM_NO_VALUE)
        return;
    add_value(object, "value", e->kind == MM_WRITE ? e->value_written : e->value_read, e->size, scalar);
    if (e->kind == MM_RMW)
        add_value(object, "written", e->value_written, e->size, scalar);
}

static cJSON *event_json(const struct names *names, const struct picked_event *p)
{
    const struct mm_event *e = &p->event;
    cJSON *object = cJSON_CreateObject();
    const struct mm_source *source = e->source ? mm_graph_source(names->graph, e->source) : NULL;
    cJSON_AddNumberToObject(object, "id", (double)p->id);
    add_text(object, "kind", mm_kind_name((enum mm_kind)e->kind));
    add_agent(object, names->graph, e);
    add_memory(object, names, e);
    if (e->attributes & MM_ATOMIC || e->kind == MM_FENCE)
        add_text(object, "order", mm_order_name((enum mm_order)e->order));
    if (e->scope)
        add_text(object, "scope", mm_scope_name((enum mm_scope)e->scope));
    cJSON_AddBoolToObject(object, "atomic", e->attributes & MM_ATOMIC);
    if (e->fence_flags)
        cJSON_AddNumberToObject(object, "fences", e->fence_flags);
    if (e->site)
        cJSON_AddNumberToObject(object, "instance", (double)e->site * 1000000 + e->instance);
    if (p->access)
        cJSON_AddNumberToObject(object, "access", p->access);
    if (p->read_from != MM_NO_EVENT)
        cJSON_AddNumberToObject(object, "from", (double)p->read_from);
    if (source) {
        add_text(object, "file", source->file);
        cJSON_AddNumberToObject(object, "line", source->line);
        cJSON_AddNumberToObject(object, "column", source->column);
        add_text(object, "what", source->opcode);
    }
    return object;
}

static cJSON *graph_json(const struct names *names, const struct picked *picked)
{
    cJSON *graph = cJSON_CreateObject(), *events = cJSON_AddArrayToObject(graph, "events"),
          *edges = cJSON_AddArrayToObject(graph, "edges");
    for (size_t i = 0; i < picked->event_count; i++)
        cJSON_AddItemToArray(events, event_json(names, &picked->events[i]));
    for (size_t i = 0; i < picked->edge_count; i++) {
        cJSON *edge = cJSON_CreateObject();
        cJSON_AddNumberToObject(edge, "from", (double)picked->edges[i].from);
        cJSON_AddNumberToObject(edge, "to", (double)picked->edges[i].to);
        add_text(edge, "kind", mm_edge_name((enum mm_edge_kind)picked->edges[i].kind));
        cJSON_AddItemToArray(edges, edge);
    }
    return graph;
}

static void add_texts(cJSON *root, const struct ck_detector *detector)
{
    cJSON *texts = cJSON_AddObjectToObject(root, "texts");
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++) {
        const struct ck_finding *f = ck_detector_finding(detector, i);
        for (size_t k = 0; k < f->access_count; k++) {
            const char *file = f->accesses[k].source.file;
            const char *text =
                file && *file ? ck_detector_text(f->detector ? f->detector : detector, file) : NULL;
            if (text && !cJSON_GetObjectItemCaseSensitive(texts, file))
                add_text(texts, file, text);
        }
    }
}

/* Line NUMBER of the text file NAME without surrounding blanks, to be freed by the caller; NULL if there is
 * none. */
static char *line_of(const char *name, uint32_t number)
{
    FILE *in = fopen(name, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length = -1;
    for (uint32_t i = 0; in && i < number && (length = getline(&line, &size, in)) >= 0; i++)
        ;
    if (in)
        fclose(in);
    if (length < 0) {
        free(line);
        return NULL;
    }
    while (length > 0 && strchr(" \t\r\n", line[length - 1]))
        line[--length] = '\0';
    memmove(line, line + strspn(line, " \t"), (size_t)length + 1 - strspn(line, " \t"));
    return line;
}

/* True for names of C, C++ and Python programs: a trace may name any file, and the page must not disclose
 * others. */
static bool is_program_text(const char *name)
{
    static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".py"};
    struct stat status;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (tool_has_suffix(name, suffixes[i]))
            return stat(name, &status) == 0 && S_ISREG(status.st_mode);
    return false;
}

/* Adds the lines of the host that enqueue racing commands, by "FILE:LINE". */
static void add_calls(cJSON *root, const struct ck_detector *detector)
{
    cJSON *calls = cJSON_AddObjectToObject(root, "calls");
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++) {
        const struct ck_finding *f = ck_detector_finding(detector, i);
        for (size_t k = 0; k < f->access_count; k++) {
            const struct mm_source *call = f->accesses[k].call;
            char place[PATH_MAX + 16];
            if (!call || !call->line || !is_program_text(call->file))
                continue;
            snprintf(place, sizeof place, "%s:%" PRIu32, call->file, call->line);
            char *line =
                cJSON_GetObjectItemCaseSensitive(calls, place) ? NULL : line_of(call->file, call->line);
            if (line)
                add_text(calls, place, line);
            free(line);
        }
    }
}

static cJSON *report_json(const struct ck_detector *detector, const struct ck_report_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    enum mm_class cls = ck_report_json(detector, options, out);
    fclose(out);
    cJSON *report = cls == MM_OK ? cJSON_Parse(text) : NULL;
    free(text);
    return report;
}

/* The trace that FINDING was made from. */
static struct session_trace trace_of(const struct session_processes *processes,
                                     const struct ck_finding *finding)
{
    struct session_process *p = processes->first;
    while (finding->detector && p && p->detector != finding->detector)
        p = p->next;
    return p ? session_process_trace(p) : (struct session_trace){.fd = -1};
}

static cJSON *finding_graph(const struct session_processes *processes, const struct ck_finding *finding)
{
    struct picked picked;
    struct session_trace trace = trace_of(processes, finding);
    struct names names = {0};
    bool ok = trace.fd >= 0 && read_names(&trace, &names) && pick_events(&trace, finding, &picked);
    cJSON *graph = ok ? graph_json(&names, &picked) : cJSON_CreateNull();
    if (ok)
        picked_clear(&picked);
    clear_names(&names);
    return graph;
}

static cJSON *page_json(const struct ck_detector *detector, const struct session_processes *processes,
                        const struct ck_report_options *options)
{
    cJSON *root = cJSON_CreateObject(), *report = report_json(detector, options);
    cJSON_AddItemToObject(root, "report", report);
    add_texts(root, detector);
    add_calls(root, detector);
    cJSON *graphs = cJSON_AddArrayToObject(root, "graphs");
    size_t count = ck_detector_finding_count(detector);
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        const struct ck_finding *finding = ck_detector_finding(detector, i);
        cJSON_AddItemToArray(graphs, finding_graph(processes, finding));
    }
    return root;
}

int session_html(const struct ck_detector *detector, const struct session_processes *processes,
                 const struct ck_report_options *options, const char *name)
{
    return tool_write_page(page_json(detector, processes, options), name);
}
