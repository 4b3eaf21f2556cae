/* Removes all waits of a trace, and restores those that order the races that the detector then finds, until
 * there are none. */
#include "tools/hints/hints.h"
#include "tools/footprint/footprint.h"
#include "tools/hints/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_JUDGEMENTS = 64 };
/* An artificial allocation with a byte for each command: the command writes it at its end, and the host reads
 * it where it relies on the command's completion, so that a missing order is a race. */
#define COMPLETIONS UINT32_C(0x80000000)

/* ---- a trace without the removed waits ------------------------------------------------------------ */

struct rewriter {
    struct hints_graph *g;
    struct mm_sink to;
    uint32_t node; /* the next one */
    size_t use;    /* the next one */
    mm_event_id out;
    enum mm_class result;
};

static void pass_event(struct rewriter *r, const struct mm_event *e)
{
    enum mm_class c = r->to.events(r->to.context, e, 1);
    r->result = c ? c : r->result;
    r->out++;
}

static void pass_edge(void *context, uint32_t from, uint8_t kind)
{
    struct rewriter *r = context;
    struct mm_record record = {.type = MM_RECORD_EDGE,
                               .edge = {.from = r->g->nodes[from].is, .to = r->out, .kind = kind}};
    r->to.record(r->to.context, &record);
}

static uint32_t site_of(const struct rewriter *r, uint32_t command)
{
    return command < r->g->command_count ? r->g->commands[command].site : 0;
}

/* Atomics become plain accesses: they do not race, but their order determines the values that they read.
 * Possible accesses become accesses. */
static void pass_access(struct rewriter *r, const struct mm_event *e)
{
    struct mm_event plain = *e;
    plain.kind = e->kind == MM_READ ? MM_READ : MM_WRITE;
    plain.order = plain.scope = plain.effective_scope = 0;
    plain.attributes = MM_NO_VALUE;
    plain.source = e->agent.command ? site_of(r, e->agent.command) : e->source;
    pass_event(r, &plain);
}

static void pass_completion(struct rewriter *r, enum mm_kind kind, struct mm_agent agent, uint32_t command,
                            uint32_t source)
{
    struct mm_event e = {.kind = (uint8_t)kind,
                         .agent = agent,
                         .allocation = COMPLETIONS,
                         .offset = command,
                         .size = 1,
                         .source = source,
                         .attributes = MM_NO_VALUE};
    pass_event(r, &e);
}

static void pass_node(struct rewriter *r, const struct mm_event *e)
{
    struct hints_graph *g = r->g;
    uint32_t at = r->node++;
    struct hints_node *node = at < g->node_count ? &g->nodes[at] : NULL;
    if (!node || node->kind != e->kind || !hints_graph_edges(g, at, pass_edge, r)) {
        r->result = MM_LIMIT;
        return;
    }
    if (e->kind == MM_COMMAND_END)
        pass_completion(r, MM_WRITE, e->agent, e->agent.command, site_of(r, e->agent.command));
    struct mm_event copy = *e;
    copy.source = node->site;
    node->is = r->out;
    pass_event(r, &copy);
    for (; r->use < g->use_count && g->uses[r->use].node == at; r->use++)
        pass_completion(r, MM_READ, e->agent, g->uses[r->use].command, node->site);
}

static enum mm_class rewrite_events(void *context, const struct mm_event *events, size_t count)
{
    struct rewriter *r = context;
    for (size_t i = 0; i < count && r->result == MM_OK; i++)
        if (events[i].kind == MM_READ || events[i].kind == MM_WRITE || events[i].kind == MM_RMW)
            pass_access(r, &events[i]);
        else
            pass_node(r, &events[i]);
    return r->result;
}

static enum mm_class rewrite_record(void *context, const struct mm_record *record)
{
    struct rewriter *r = context;
    if (record->type == MM_RECORD_EVENT)
        return rewrite_events(r, &record->event, 1);
    if (record->type == MM_RECORD_ALLOCATION || record->type == MM_RECORD_COMMAND)
        r->to.record(r->to.context, record);
    return r->result;
}

static bool read_trace(int fd, const struct mm_sink *sink, bool *prints)
{
    return lseek(fd, 0, SEEK_SET) == 0 && footprint_read_possible(fd, sink, prints);
}

/* Runs a detector on the trace without the removed waits; NULL: the result is unknown. */
static struct ck_detector *judge_without_waits(struct hints_graph *g, int fd)
{
    struct ck_detector *d = ck_detector_create(&(struct ck_detector_options){.races = true});
    struct rewriter r = {.g = g};
    const struct mm_sink sink = {.context = &r, .record = rewrite_record, .events = rewrite_events};
    const struct mm_record completions = {.type = MM_RECORD_ALLOCATION,
                                          .allocation = {.id = COMPLETIONS,
                                                         .region = MM_GLOBAL,
                                                         .origin = MM_ORIGIN_BUFFER,
                                                         .device = -1,
                                                         .size = g->command_count + 1,
                                                         .name = "completions"}};
    if (!d)
        return NULL;
    ck_detector_sink(d, &r.to);
    r.to.record(r.to.context, &completions);
    bool known = read_trace(fd, &sink, NULL) && r.result == MM_OK && ck_detector_status(d, NULL) == MM_OK;
    if (!known)
        ck_detector_destroy(d);
    return known ? d : NULL;
}

/* ---- races without the removed waits --------------------------------------------------------------- */

static bool is_race(const struct ck_finding *f)
{
    return f->access_count == 2;
}

static size_t count_races(const struct ck_detector *d)
{
    size_t count = 0;
    for (size_t i = 0; i < ck_detector_finding_count(d); i++)
        count += is_race(ck_detector_finding(d, i));
    return count;
}

/* The node that an access begins at: the start of its command, or the host's last call before it. */
static uint32_t begin_of(const struct hints_graph *g, const struct ck_access *access)
{
    uint32_t command = access->agent.command;
    if (command)
        return command < g->command_count ? g->commands[command].start - 1 : UINT32_MAX;
    for (size_t i = g->node_count; i-- > 0;)
        if (g->nodes[i].agent == access->agent.index && g->nodes[i].is <= access->id)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Restores waits that order the races of D, the later races first: their order often implies that of earlier
 * ones.  False: nothing was restored, or no wait orders some race. */
static bool restore_waits(struct hints_graph *g, const struct ck_detector *d)
{
    int all = 0, count = 0;
    for (size_t i = ck_detector_finding_count(d); i-- > 0 && count >= 0;) {
        const struct ck_finding *f = ck_detector_finding(d, i);
        if (!is_race(f))
            continue;
        uint32_t node = begin_of(g, &f->accesses[0]), command = f->accesses[1].agent.command;
        count = node != UINT32_MAX && command ? hints_graph_restore(g, node, command) : -1;
        all += count;
    }
    return count >= 0 && all > 0;
}

static const char *remove_waits(struct hints_graph *g, int fd)
{
    for (unsigned i = 0; i < MOST_JUDGEMENTS; i++) {
        struct ck_detector *d = judge_without_waits(g, fd);
        bool races = d && count_races(d), restored = races && i && restore_waits(g, d), known = d != NULL;
        ck_detector_destroy(d);
        if (!known)
            return "limit reached: memory";
        if (i && !races)
            return NULL;
        if (!i && races)
            return "a race cannot be excluded";
        if (i && !restored)
            return "a race has another cause";
        for (size_t k = 0; !i && k < g->group_count; k++)
            g->groups[k].removed = !g->groups[k].needed && (!g->profiled || g->groups[k].kind == HINTS_LIST);
    }
    return "limit reached: 64 judgements";
}

/* ---- findings -------------------------------------------------------------------------------------- */

static void put_call(struct ck_detector *d, uint32_t id, char *text, size_t size)
{
    struct mm_source source;
    ck_detector_source(d, id, &source);
    snprintf(text, size, "%.60s", source.opcode ? source.opcode : "");
    if (source.line && source.file && *source.file)
        snprintf(text + strlen(text), size - strlen(text), " at %.200s:%" PRIu32, source.file, source.line);
}

/* The clause for the order that CALL creates. */
static const char *clause_of(enum hints_kind kind, const char *call)
{
    return kind == HINTS_LIST                     ? "CL 3.3.6 H2"
           : strstr(call, "Marker")               ? "CL 3.3.6 H6"
           : strstr(call, "Barrier")              ? "CL 3.3.6 H7"
           : strcmp(call, "clWaitForEvents") == 0 ? "CL 3.3.6 H4"
                                                  : "CL 3.3.6 H8";
}

static void add_hint(struct ck_detector *d, const struct hints_group *group)
{
    char message[700], call[300], producer[300], calls[40] = "";
    put_call(d, group->site, call, sizeof call);
    *strchrnul(call, ' ') = 0;
    if (group->calls > 1)
        snprintf(calls, sizeof calls, ", in all %" PRIu32 " calls", group->calls);
    if (group->kind == HINTS_LIST) {
        put_call(d, group->producer, producer, sizeof producer);
        snprintf(message, sizeof message,
                 "the event of %s is needless in this wait list%s: what it alone orders does not conflict",
                 producer, calls);
    } else {
        snprintf(message, sizeof message, "this %s is needless%s: what it alone orders does not conflict%s",
                 call, calls, group->kind == HINTS_HOST ? "; clFlush is enough for commands to start" : "");
    }
    struct mm_sink sink;
    struct mm_record record = {.type = MM_RECORD_FINDING,
                               .finding = {.kind = CK_NEEDLESS_WAIT,
                                           .clause = clause_of(group->kind, call),
                                           .message = message,
                                           .source = group->site}};
    ck_detector_sink(d, &sink);
    sink.record(sink.context, &record);
}

const char *hints_add(struct ck_detector *detector, int fd)
{
    struct hints_graph g = {0};
    struct mm_sink sink;
    bool prints = false;
    if (count_races(detector))
        return "there are races";
    hints_graph_sink(&g, &sink);
    bool known = fd >= 0 && read_trace(fd, &sink, &prints);
    const char *why = g.why                     ? g.why
                      : !known                  ? "not all that commands touch is known"
                      : prints                  ? "kernels print, in the order of their commands"
                      : !hints_graph_finish(&g) ? g.why
                      : g.group_count           ? remove_waits(&g, fd)
                                                : NULL;
    for (size_t i = 0; !why && i < g.group_count; i++)
        if (g.groups[i].removed)
            add_hint(detector, &g.groups[i]);
    hints_graph_clear(&g);
    return why;
}
