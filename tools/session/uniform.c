/* Marks races between writes of the same value.  The detector keeps no values, so the launch is repeated with
 * values recorded.  A race is not marked if two different values are written to one byte at the racing source
 * locations within one command, even if the writes are ordered.  For `refcl run`, every launch that had the
 * race must be captured, and commands must not race with one another, since that could change what a launch
 * reads; otherwise the race is not marked. */
#include "memmodel/base/hash.h"
#include "memmodel/base/map.h"
#include "tools/session/barrier.h"
#include "tools/session/launch.h"
#include "tools/session/process.h"
#include "tools/tool.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>

enum { SECONDS = 20 };

/* Collects writes at the locations of a finding, not by source ids, which differ between launches. */
struct scan {
    const struct ck_finding *finding;
    struct mm_map sources; /* ids of the sources at these locations */
    struct mm_map
        values; /* 1 + the value of each byte in each command: by its offset and a hash of the rest, ORIGIN */
    uint32_t command, allocation;
    uint64_t origin; /* of COMMAND and ALLOCATION */
    bool differs;
};

static bool is_write_race(const struct ck_finding *f)
{
    const struct mm_event *a = &f->accesses[0].event, *b = &f->accesses[1].event;
    return f->access_count == 2 && strcmp(f->kind, "data-race") == 0 && a->kind == MM_WRITE &&
           b->kind == MM_WRITE && !((a->attributes | b->attributes) & MM_ATOMIC) && !mm_is_copy(a) &&
           !mm_is_copy(b) && (f->pairs & (f->pairs - 1)) == 0 && f->accesses[0].command &&
           f->accesses[1].command && f->commands != CK_ACROSS_COMMANDS &&
           f->accesses[0].agent.index != MM_INDEX_RUNTIME && f->accesses[1].agent.index != MM_INDEX_RUNTIME;
}

static void take_write(struct scan *s, const struct mm_event *e)
{
    if (s->command != e->agent.command || s->allocation != e->allocation) {
        const uint32_t place[2] = {s->command = e->agent.command, s->allocation = e->allocation};
        s->origin = mm_fnv1a(MM_FNV1A, place, sizeof place);
    }
    s->differs |= (e->attributes & MM_NO_VALUE) || e->size > sizeof e->value_written;
    for (uint32_t i = 0; i < e->size && !s->differs; i++) {
        const uint64_t key = s->origin + e->offset + i, known = mm_map_get(&s->values, key),
                       byte = (e->value_written >> 8 * i & 0xff) + 1;
        s->differs = known ? known != byte : !mm_map_put(&s->values, key, byte);
    }
}

static enum mm_class take_events(void *context, const struct mm_event *events, size_t count)
{
    struct scan *s = context;
    for (size_t i = 0; i < count && !s->differs; i++)
        if (events[i].kind == MM_WRITE && mm_map_get(&s->sources, events[i].source))
            take_write(s, &events[i]);
    return s->differs ? MM_LIMIT : MM_OK;
}

/* True if A and B are one place in the source, whatever function they were compiled into. */
static bool is_at(const struct mm_source *a, const struct mm_source *b)
{
    return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

static void take_source(struct scan *s, const struct mm_source *source)
{
    const struct ck_access *accesses = s->finding->accesses;
    if (is_at(source, &accesses[0].source) || is_at(source, &accesses[1].source))
        s->differs |= !mm_map_put(&s->sources, source->id, 1);
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    struct scan *s = context;
    if (record->type == MM_RECORD_EVENT)
        return take_events(s, &record->event, 1);
    if (record->type == MM_RECORD_SOURCE)
        take_source(s, &record->source);
    return s->differs ? MM_LIMIT : MM_OK;
}

static bool is_uniform(const struct session_trace *trace, const struct ck_finding *f)
{
    bool complete = false;
    struct scan s = {.finding = f};
    struct mm_sink sink = {.context = &s, .record = take_record, .events = take_events};
    bool good =
        session_trace_read(trace, &sink, &complete) == MM_OK && complete && !s.differs && s.values.count > 0;
    mm_map_clear(&s.sources);
    mm_map_clear(&s.values);
    return good;
}

static bool same_place(const struct mm_source *a, const struct mm_source *b)
{
    return a->line && a->line == b->line && a->column == b->column && a->function && b->function &&
           strcmp(a->function, b->function) == 0;
}

static bool same_places(const struct ck_finding *a, const struct ck_finding *b)
{
    const struct mm_source *x[2] = {&a->accesses[0].source, &a->accesses[1].source},
                           *y[2] = {&b->accesses[0].source, &b->accesses[1].source};
    return (same_place(x[0], y[0]) && same_place(x[1], y[1])) ||
           (same_place(x[0], y[1]) && same_place(x[1], y[0]));
}

/* The result of the repeated launches for a finding. */
struct vote {
    uint32_t uniform; /* number of commands in which all racing writes stored the same value */
    bool differs;
};
struct judge {
    const struct session *session; /* records values */
    struct ck_detector *detector;
    struct session_patience patience;
    struct vote *votes; /* one for each finding */
};

/* Judges finding I by the repeated launch AGAIN, which has all commands of the session (ALL) or one of them.
 * All races at the source locations of the finding are judged, whatever memory they are on. */
static void judge_finding(struct judge *j, size_t i, const struct ck_detector *again,
                          const struct session_trace *trace, bool all)
{
    const struct ck_finding *f = ck_detector_finding(j->detector, i);
    bool uniform = false;
    if (!is_write_race(f))
        return;
    for (size_t k = 0; k < ck_detector_finding_count(again) && !j->votes[i].differs; k++) {
        const struct ck_finding *g = ck_detector_finding(again, k);
        if (!same_places(f, g))
            continue;
        uniform = is_write_race(g) && is_uniform(trace, g);
        j->votes[i].differs = !uniform;
    }
    j->votes[i].uniform += !uniform ? 0 : all ? f->commands : 1;
}

static void judge_launch(struct judge *j, struct session_launch *launch, bool all)
{
    struct session_processes processes;
    const struct ck_detector *again =
        session_launch_run(launch, launch->text, j->session, &j->patience, &processes);
    struct session_trace trace = {.fd = -1};
    if (again)
        trace = session_process_trace(processes.first);
    for (size_t i = 0; trace.fd >= 0 && i < ck_detector_finding_count(j->detector); i++)
        judge_finding(j, i, again, &trace, all);
    session_processes_close(&processes);
    session_launch_close(launch);
}

/* Whether a launch may decide about a finding that is not decided yet. */
static bool has_candidate_in(const struct judge *j, const char *capture)
{
    bool any = false;
    for (size_t i = 0; i < ck_detector_finding_count(j->detector) && !any; i++) {
        const struct ck_finding *f = ck_detector_finding(j->detector, i);
        any = is_write_race(f) && !j->votes[i].differs &&
              captured_is_of(capture, f->accesses[0].command->kernel);
    }
    return any;
}

static void judge_captured(struct judge *j)
{
    char path[PATH_MAX + 300];
    struct session_launch launch;
    DIR *folder = opendir(j->session->command.launches);
    for (struct dirent *e; folder && !j->patience.is_out && (e = readdir(folder));) {
        if (!tool_has_suffix(e->d_name, ".cap"))
            continue;
        snprintf(path, sizeof path, "%s/%s", j->session->command.launches, e->d_name);
        if (has_candidate_in(j, path) && session_launch_open_captured(&launch, path))
            judge_launch(j, &launch, false);
    }
    if (folder)
        closedir(folder);
}

static void judge_all(struct judge *j, char **argv)
{
    struct session_launch launch;
    if (j->session->command.source ? session_launch_open(&launch, argv)
                                   : j->session->command.capture &&
                                         session_launch_open_captured(&launch, j->session->command.capture))
        judge_launch(j, &launch, true);
    else if (j->session->command.launches && !ck_detector_races_across(j->detector))
        judge_captured(j);
    for (size_t i = 0; i < ck_detector_finding_count(j->detector); i++) {
        const struct ck_finding *f = ck_detector_finding(j->detector, i);
        if (is_write_race(f) && j->votes[i].uniform >= f->commands && !j->votes[i].differs)
            ck_detector_mark_uniform(j->detector, i);
    }
}

void session_mark_uniform(const struct session *session, struct ck_detector *detector, char **argv)
{
    struct session with_values = *session;
    size_t count = ck_detector_finding_count(detector);
    struct judge j = {.session = &with_values, .detector = detector, .patience = {.seconds = SECONDS}};
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= is_write_race(ck_detector_finding(detector, i));
    with_values.report.values = true;
    j.votes = any ? mm_alloc_zero(count, sizeof *j.votes) : NULL;
    if (j.votes)
        judge_all(&j, argv);
    mm_free(j.votes);
}
