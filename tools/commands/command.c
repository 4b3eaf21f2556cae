/* refcl explore -- COMMAND: whether the order of commands that a program asks for admits a race, in any
 * schedule. */
#include "interp/replay/expand.h"
#include "memmodel/base/clock.h"
#include "memmodel/base/escape.h"
#include "tools/commands/record.h"
#include "tools/commands/replay.h"
#include "tools/session/session.h"
#include "tools/tool.h"
#include "tools/verdict_text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PAIRS = 32, FEW_ACCESSES = 48 }; /* search is fast with up to 64 accesses in a program */

struct decision {
    struct explore *e;
    struct hc_record *record;
    struct ck_detector *other; /* reads a racy schedule that is not the recorded one */
    bool loose, recorded;      /* RECORDED: the next schedule is the recorded one */
    uint32_t schedules, queries, races, recorded_races;
    uint32_t racy[2]; /* the parts of the first race */
    double time_ms;
    int failed;
};

/* ---- engines ------------------------------------------------------------------------------------ */

static int ask_engine(struct decision *d, struct ck_program *program, bool z3, struct ck_verdict *v)
{
    unsigned timeout_ms = d->e->options.timeout_ms;
    int failed = explore_ask(d->e, program, z3, d->e->engines || z3 ? timeout_ms : timeout_ms / 3, v);
    d->time_ms += v->time_ms;
    d->queries++;
    return failed;
}

/* Asks the requested engines; with auto, Z3 if search has no answer. */
static int ask_engines(struct decision *d, struct ck_program *program, struct ck_verdict *v)
{
    struct ck_verdict z3 = {0};
    unsigned engines = d->e->engines;
    int failed = engines == ENGINE_Z3 ? 0 : ask_engine(d, program, false, v);
    bool second = !failed && ((engines & ENGINE_Z3) || (engines == ENGINE_AUTO && v->race == CK_UNKNOWN));
    if (second)
        failed = ask_engine(d, program, true, &z3);
    if (!failed && second && v->race && z3.race && v->race != z3.race)
        failed = tool_error(EXIT_TOOL, "search and Z3 disagree");
    if (!failed && second && v->race == CK_UNKNOWN) {
        struct ck_verdict open = *v;
        *v = z3;
        z3 = open;
    }
    ck_verdict_clear(&z3);
    return failed;
}

/* ---- one schedule ------------------------------------------------------------------------------- */

static uint32_t last_point(const struct hc_record *record, uint32_t part)
{
    const struct hc_part *p = &record->parts[part];
    const struct hc_command *c = p->command == HC_NONE ? NULL : &record->commands[p->command];
    return !c ? p->node : c->complete != HC_NONE ? c->complete : c->end;
}

/* Orders one of PARTS before the other.  False: it cannot be done. */
static bool add_order(struct decision *d, struct hc_schedule *schedule, uint32_t parts[2])
{
    const struct hc_record *record = d->record;
    for (int i = 0; i < 2; i++) {
        uint32_t before = parts[i], after = parts[1 - i];
        struct hc_edge edge = {last_point(record, before), record->parts[after].node, MM_EDGE_WAIT};
        uint32_t *order = mm_alloc((record->node_count + 1) * sizeof *order);
        bool possible = order && hc_schedule_add(schedule, &edge) && hc_linearize(record, schedule, order);
        mm_free(order);
        if (possible)
            return true;
        schedule->count--;
    }
    return false;
}

static void note_race(struct decision *d, const struct hc_schedule *schedule, const uint32_t parts[2])
{
    if (hc_may_synchronize(d->record, schedule, parts[0], parts[1]) ||
        hc_may_synchronize(d->record, schedule, parts[1], parts[0])) {
        hc_limit(d->record, "explore.atomics",
                 "synchronization by atomic operations between commands or host threads is not explored "
                 "(refcl run --predict)");
    } else if (d->loose || (!d->recorded && !d->record->instrumented)) {
        hc_limit(
            d->record, "explore.host",
            d->record->instrumented
                ? "the order of host threads at locks and the like is the recorded one; without it there is a race"
                : "synchronization of host threads is not recorded, and without it there is a race: build with "
                  "refcl host-cc");
    } else {
        if (!d->races++)
            memcpy(d->racy, parts, sizeof d->racy);
        d->recorded_races += d->recorded;
    }
}

/* Looks for a race of CELLS.  If synchronization by atomic operations may exclude a race, its parts are
 * ordered and the search for another race continues.  False: there is a race, or some answer is missing. */
static bool find_races(struct decision *d, struct hc_schedule *schedule, const struct hc_cell *cells,
                       uint32_t count)
{
    for (int i = 0; i < MAX_PAIRS && count; i++) {
        struct ck_verdict v = {0};
        uint32_t parts[2];
        struct ck_program *program = hc_program(d->record, schedule, cells, count);
        if (!program) {
            hc_limit(d->record, "explore.program", "the program could not be built");
            return false;
        }
        d->failed = ask_engines(d, program, &v);
        bool race = !d->failed && v.race == CK_YES, shown = race && hc_program_race(d->record, &v, parts);
        if (!d->failed && v.race == CK_UNKNOWN)
            hc_limit(d->record, v.limit.cls ? v.limit.rule : "explore.engine",
                     v.limit.cls ? v.limit.message : "the engines have no answer");
        bool open = d->failed || v.race == CK_UNKNOWN;
        ck_verdict_clear(&v);
        ck_program_destroy(program);
        if (shown)
            note_race(d, schedule, parts);
        else if (race)
            hc_limit(d->record, "explore.engine", "the engine shows no execution of a race");
        if (!shown || open)
            return !open && !race;
        if (d->races || d->loose || !add_order(d, schedule, parts))
            return false;
    }
    return true;
}

static bool is_atomic(const struct hc_cell *cell)
{
    for (uint32_t i = 0; i < cell->count; i++)
        if (cell->members[i].kind & HC_ATOMICS)
            return true;
    return false;
}

/* Queries cells without atomic operations, several in each query: a program of these has one execution. */
static bool explore_plain(struct decision *d, struct hc_schedule *schedule)
{
    struct hc_record *record = d->record;
    struct hc_cell *plain = mm_alloc((record->cell_count + 1) * sizeof *plain);
    uint32_t count = 0, accesses = 0;
    bool complete = plain != NULL;
    for (uint32_t i = 0; complete && i < record->cell_count; i++) {
        const struct hc_cell *cell = &record->cells[i];
        if (is_atomic(cell))
            continue;
        if (count && accesses + cell->count > FEW_ACCESSES) {
            complete = find_races(d, schedule, plain, count);
            count = accesses = 0;
        }
        plain[count++] = *cell;
        accesses += cell->count;
    }
    complete = complete && find_races(d, schedule, plain, count);
    mm_free(plain);
    return complete;
}

/* Queries each pair of parts in a cell with atomic operations. */
static void explore_cells(struct decision *d, struct hc_schedule *schedule)
{
    struct hc_record *record = d->record;
    bool complete = explore_plain(d, schedule);
    for (uint32_t i = 0; complete && i < record->cell_count; i++) {
        const struct hc_cell *cell = &record->cells[i];
        for (uint32_t a = 0; is_atomic(cell) && complete && a < cell->count; a++)
            for (uint32_t b = a + 1; complete && b < cell->count; b++) {
                struct hc_member two[2] = {cell->members[a], cell->members[b]};
                struct hc_cell pair = *cell;
                pair.members = two;
                pair.count = 2;
                if (two[0].part != two[1].part && (two[0].kind | two[1].kind) & HC_WRITES)
                    complete = find_races(d, schedule, &pair, 1);
            }
    }
}

/* True if LIMIT ends the exploration of further schedules: it is not the limit of one schedule. */
static bool is_final(const struct mm_error *limit)
{
    return limit->cls != MM_OK &&
           (strncmp(limit->rule, "explore.", 8) != 0 || strcmp(limit->rule, "explore.host") == 0);
}

static bool explore_schedule(void *context, const struct hc_schedule *schedule)
{
    struct decision *d = context;
    struct hc_schedule copy = {0};
    d->schedules++;
    for (uint32_t i = 0; i < schedule->count; i++)
        if (!hc_schedule_add(&copy, &schedule->edges[i]))
            return false;
    explore_cells(d, &copy);
    mm_free(copy.edges);
    if (d->races && !d->recorded && !d->failed)
        hc_replay(d->record, schedule, d->other);
    d->recorded = false;
    return !d->races && !d->failed && !is_final(&d->record->limit);
}

/* ---- results ------------------------------------------------------------------------------------ */

struct result {
    const char *name;
    enum ck_answer race;
    const struct ck_detector *shown; /* the detector whose findings are printed, NULL: none */
    bool other;                      /* the findings are from another schedule than the recorded one */
};

static void print_result(const struct decision *d, const struct result *r)
{
    const struct hc_record *record = d->record;
    FILE *text = d->e->text;
    mm_print(
        text,
        "%s: race %s, for the recorded footprints (%u of %u commands, %u queues, %u schedules, %.1f ms)\n",
        r->name, verdict_race_name(r->race), record->kept, record->given, record->queue_count, d->schedules,
        d->time_ms);
    if (r->shown) {
        const struct ck_report_options options = {.observation = CK_OBSERVED};
        if (r->other)
            mm_print(text, "    in another schedule than the recorded one:\n");
        ck_report_text(r->shown, &options, text);
    }
    if (record->limit.cls && r->race != CK_YES)
        mm_print(text, "    limit: %s\n", record->limit.message);
}

static cJSON *findings_json(const struct result *r)
{
    char *text = NULL;
    size_t size = 0;
    const struct ck_report_options options = {.observation = CK_OBSERVED};
    FILE *out = r->shown ? open_memstream(&text, &size) : NULL;
    if (out) {
        ck_report_json(r->shown, &options, out);
        fclose(out);
    }
    cJSON *report = text ? cJSON_Parse(text) : NULL;
    cJSON *findings = report ? cJSON_DetachItemFromObject(report, "findings") : NULL;
    cJSON_Delete(report);
    free(text);
    return findings ? findings : cJSON_CreateArray();
}

static void add_result(const struct decision *d, const struct result *r)
{
    static const char *const engines[] = {"auto", "search", "z3", "both"};
    const struct hc_record *record = d->record;
    cJSON *json = d->e->tests ? cJSON_CreateObject() : NULL;
    if (!json)
        return;
    cJSON_AddStringToObject(json, "file", r->name);
    cJSON_AddStringToObject(json, "engine", engines[d->e->engines]);
    cJSON_AddStringToObject(json, "race", verdict_race_name(r->race));
    cJSON_AddNumberToObject(json, "commands", record->kept);
    cJSON_AddNumberToObject(json, "recorded_commands", record->given);
    cJSON_AddNumberToObject(json, "queues", record->queue_count);
    cJSON_AddNumberToObject(json, "schedules", d->schedules);
    cJSON_AddBoolToObject(json, "other_schedule", r->other);
    cJSON_AddNumberToObject(json, "time_ms", d->time_ms);
    cJSON_AddItemToObject(json, "findings", findings_json(r));
    if (record->limit.cls && r->race != CK_YES)
        cJSON_AddStringToObject(json, "limit", record->limit.message);
    cJSON_AddItemToArray(d->e->tests, json);
}

/* ---- deciding ----------------------------------------------------------------------------------- */

struct commands_work {
    struct explore *e;
    const char *name, *path; /* of the program; of its trace */
    const char *limit;       /* why the run does not show everything, NULL: it does */
    bool failed;             /* the program ended with an error, or refcl run has findings */
};

static int read_record(const struct commands_work *w, struct hc_record *record,
                       struct ck_detector *detectors[2])
{
    struct mm_error err = {0};
    struct mm_sink sink;
    bool complete = false;
    for (int i = 0; i < 2; i++)
        ck_detector_sink(detectors[i], &record->forward[i]);
    hc_record_sink(record, &sink);
    int fd = open(w->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tool_error(EXIT_USAGE, "cannot read '%s': %s", w->path, strerror(errno));
    enum mm_class r = in_expand_file(fd, w->path, &sink, &complete, &err);
    close(fd);
    if (r != MM_OK && r != MM_LIMIT)
        return tool_report(&err);
    if (r == MM_LIMIT)
        hc_limit(record, err.rule, err.message);
    if (!complete)
        hc_limit(record, "explore.trace", "the trace is incomplete");
    if (w->limit)
        hc_limit(record, "explore.observed", w->limit);
    hc_record_end(record, w->e->commands);
    hc_footprint_cells(record);
    return 0;
}

static int decide_record(struct decision *d, const struct ck_detector *detector,
                         const struct commands_work *w)
{
    struct mm_error limit = {0};
    size_t faults = ck_detector_fault_count(detector);
    d->recorded = true;
    if (w->failed && !faults)
        hc_limit(d->record, "explore.failed",
                 "the program failed, or has findings that are no races: see refcl run");
    hc_schedules(d->record, false, explore_schedule, d);
    uint32_t strict = d->schedules;
    if (!d->failed && !d->races && !faults && d->record->limit.cls == MM_OK &&
        hc_has_observed_order(d->record)) {
        d->loose = true;
        hc_schedules(d->record, true, explore_schedule, d);
        d->schedules = strict;
    }
    if (d->failed)
        return d->failed;
    if (d->recorded_races && !faults && d->e->text)
        return tool_error(EXIT_TOOL,
                          "the engine finds a race in the recorded schedule, and the detector none");
    if (ck_detector_status(detector, &limit) != MM_OK)
        hc_limit(d->record, limit.rule, limit.message);
    struct result r = {.name = w->name, .other = d->races && !faults};
    r.shown = faults ? detector : r.other ? d->other : NULL;
    r.race = faults || d->races ? CK_YES : d->record->limit.cls ? CK_UNKNOWN : CK_NO;
    print_result(d, &r);
    add_result(d, &r);
    return r.race == CK_YES ? EXIT_FINDINGS : r.race == CK_NO ? EXIT_CLEAN : EXIT_UNKNOWN;
}

static int commands_work(void *context)
{
    const struct commands_work *w = context;
    const struct ck_detector_options options = {.races = true};
    struct hc_record record = {0};
    struct ck_detector *detectors[2] = {ck_detector_create(&options), ck_detector_create(&options)};
    struct decision d = {.e = w->e, .record = &record, .other = detectors[1]};
    w->e->options.explain = true; /* verdicts show the race that they find */
    unsigned engines = w->e->engines == (ENGINE_SEARCH | ENGINE_Z3) ? 2 : 1;
    /* nine tenths of the guard's limit */
    w->e->until_ms = mm_clock_ms(CLOCK_MONOTONIC) + (uint64_t)w->e->options.timeout_ms * engines * 9 / 10;
    int code = detectors[0] && detectors[1] ? read_record(w, &record, detectors)
                                            : tool_error(EXIT_TOOL, "out of memory");
    if (!code)
        code = decide_record(&d, detectors[0], w);
    for (int i = 0; i < 2; i++)
        if (detectors[i])
            ck_detector_destroy(detectors[i]);
    hc_record_clear(&record);
    return code;
}

/* Reports that every answer is unknown, with the limit that was reached. */
static int report_limit(struct explore *e, const struct commands_work *w, enum guard_end end)
{
    struct hc_record none = {0};
    guard_explain(&e->guard, end, &none.limit);
    if (end == GUARD_BROKEN)
        return tool_report(&none.limit);
    struct decision d = {.e = e, .record = &none};
    struct result r = {.name = w->name};
    print_result(&d, &r);
    add_result(&d, &r);
    return EXIT_UNKNOWN;
}

static int decide_trace(struct explore *e, struct commands_work *w)
{
    int code = EXIT_TOOL;
    enum guard_end end = guard_run(&e->guard, commands_work, w, e->tests, &code);
    return end == GUARD_DONE ? code : report_limit(e, w, end);
}

/* ---- the program -------------------------------------------------------------------------------- */

/* Runs ARGV, with its trace in the file PATH. */
static int run_program(struct commands_work *w, char **argv, const char *path)
{
    char others[PATH_MAX + 8];
    const struct session session = {
        .check.races = true, .check.memory = true, .report.trace = path, .report.quiet = true};
    int code = session_run(&session, argv);
    snprintf(others, sizeof others, "%s.2", path);
    if (access(path, R_OK) != 0)
        return code == EXIT_USAGE || code > EXIT_UNKNOWN
                   ? code
                   : tool_error(EXIT_USAGE, "'%s' uses no OpenCL", argv[0]);
    w->failed = code == EXIT_FINDINGS;
    if (code == EXIT_UNKNOWN)
        w->limit = "refcl run does not observe all that the program does";
    if (access(others, R_OK) == 0)
        w->limit = "several processes use OpenCL: one of them is explored";
    return code == EXIT_UNKNOWN || code <= EXIT_FINDINGS ? 0 : code;
}

int commands_explore(struct explore *e, char **argv, const char *file)
{
    char folder[PATH_MAX] = "", path[PATH_MAX];
    struct commands_work w = {.e = e, .name = file ? file : argv[0], .path = file ? file : path};
    int code = file ? 0 : tool_make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%.4000s/trace", folder);
    if (!code && !file)
        code = run_program(&w, argv, path);
    if (code == EXIT_INTERRUPTED)
        report_limit(e, &w, GUARD_INTERRUPTED);
    if (!code)
        code = decide_trace(e, &w);
    if (*folder)
        tool_remove_folder(folder);
    return code;
}
