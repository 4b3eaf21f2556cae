/* The campaign: starts a child process that runs the tests, reads its messages, updates results.json, and
 * restarts the child after a crash or a hang. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct record {
    const cJSON *test;
    bool selected, finished;
    const char *status; /* "pending", "running", "done", "skipped", "failed", "crashed", "timeout" */
    char *reason;
    uint64_t instances, discarded, batches;
    double ms;
    struct lt_histogram states;
    struct lt_slices slices;
};
struct campaign {
    const struct lt_options *options;
    cJSON *plan, *device;
    struct record *records;
    const cJSON **tests; /* by number */
    unsigned count;
    uint64_t seed;
    struct lt_identity identity;
    struct lt_writer writer;
    pid_t child;
    int pipe;
    char *line;
    size_t used, capacity;
    double start, begun, heard; /* begun: the current test */
    double saved, cost;         /* cost: seconds that saving took */
    const struct lt_backend *backend;
    bool lost;     /* the child ended, as its device was lost */
    int current;   /* test that the child works on, -1 = none */
    bool building; /* the child compiles several tests together */
    bool alone;    /* no longer: a child died of it */
    bool ended, broken;
    char *broken_reason;
};

/* ---- results.json
 * ------------------------------------------------------------------------------------------- */

static void copy_item(cJSON *to, const cJSON *from, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(from, key);
    if (item)
        cJSON_AddItemToObject(to, key, cJSON_Duplicate(item, true));
}

static cJSON *record_json(const struct record *r)
{
    cJSON *json = cJSON_CreateObject(), *item;
    copy_item(json, r->test, "name");
    copy_item(json, r->test, "file");
    copy_item(json, r->test, "source");
    copy_item(json, r->test, "mapping");
    cJSON_AddStringToObject(json, "status", r->status);
    if (r->reason)
        cJSON_AddStringToObject(json, "reason", r->reason);
    cJSON_AddNumberToObject(json, "instances", (double)r->instances);
    cJSON_AddNumberToObject(json, "discarded", (double)r->discarded);
    cJSON_AddNumberToObject(json, "batches", (double)r->batches);
    cJSON_AddNumberToObject(json, "time_ms", r->ms);
    cJSON *observed = cJSON_AddArrayToObject(json, "observed");
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(r->test, "observed"))
    {
        const cJSON *name = cJSON_GetObjectItem(item, "name");
        cJSON_AddItemToArray(observed, cJSON_CreateString(cJSON_IsString(name) ? name->valuestring : ""));
    }
    cJSON_AddItemToObject(json, "states", lt_histogram_json(&r->states));
    cJSON_AddItemToObject(json, "slices", lt_slices_json(&r->slices, &r->states));
    return json;
}

static bool save(struct campaign *c)
{
    double start = lt_seconds();
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", "refcl-litmus-results");
    cJSON_AddNumberToObject(json, "version", LT_RESULTS_VERSION);
    cJSON_AddItemToObject(json, "seed", lt_value_json((int64_t)c->seed));
    lt_identity_add(&c->identity, json);
    if (c->device)
        cJSON_AddItemToObject(json, "device", cJSON_Duplicate(c->device, true));
    cJSON *tests = cJSON_AddArrayToObject(json, "tests");
    for (unsigned i = 0; i < c->count; i++)
        if (c->records[i].selected)
            cJSON_AddItemToArray(tests, record_json(&c->records[i]));
    bool ok = lt_save_json(json, c->options->results_path);
    cJSON_Delete(json);
    c->saved = lt_seconds();
    c->cost = c->saved - start;
    return ok;
}

/* Saves unless it has just done so: results of many tests are large, and saving must stay cheap.  What a kill
 * loses is run again under the same seed. */
static void save_soon(struct campaign *c)
{
    if (lt_seconds() - c->saved >= 10 * c->cost)
        save(c);
}

static const char *status_text(const char *status)
{
    static const char *const names[] = {"pending", "running", "done",   "skipped",
                                        "failed",  "crashed", "timeout"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], status) == 0)
            return names[i];
    return "pending";
}

uint64_t lt_wanted(const struct lt_options *options, const cJSON *test)
{
    if (options->probe)
        return 1;
    if (options->iterations)
        return options->iterations;
    if (options->confidence > 0)
        return (uint64_t)(3 / options->confidence) + 1;
    return (uint64_t)lt_json_value(cJSON_GetObjectItem(test, "iterations"));
}

static const cJSON *find_result(const cJSON *results, const cJSON *test)
{
    const cJSON *item, *source = cJSON_GetObjectItem(test, "source");
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(results, "tests"))
    {
        const cJSON *other = cJSON_GetObjectItem(item, "source");
        if (cJSON_IsString(source) && cJSON_IsString(other) &&
            strcmp(source->valuestring, other->valuestring) == 0)
            return item;
    }
    return NULL;
}

/* Resumes from the results of an earlier run of the same plan: finished tests are kept, others continue.  False:
 * the file exists but has no results, so it must not be overwritten. */
static bool resume(struct campaign *c)
{
    if (access(c->options->results_path, F_OK) != 0)
        return true;
    cJSON *results = lt_load_results(c->options->results_path);
    if (!results || !lt_identity_resume(&c->identity, results, c->options->results_path)) {
        cJSON_Delete(results);
        return false;
    }
    if (!c->options->has_seed)
        c->seed = (uint64_t)lt_json_value(cJSON_GetObjectItem(results, "seed"));
    for (unsigned i = 0; i < c->count; i++) {
        struct record *r = &c->records[i];
        const cJSON *old = find_result(results, r->test);
        const cJSON *status = cJSON_GetObjectItem(old, "status"),
                    *reason = cJSON_GetObjectItem(old, "reason");
        if (!old || !cJSON_IsString(status))
            continue;
        r->status = status_text(status->valuestring);
        r->reason = cJSON_IsString(reason) ? strdup(reason->valuestring) : NULL;
        r->instances = (uint64_t)lt_json_value(cJSON_GetObjectItem(old, "instances"));
        r->discarded = (uint64_t)lt_json_value(cJSON_GetObjectItem(old, "discarded"));
        r->batches = (uint64_t)lt_json_value(cJSON_GetObjectItem(old, "batches"));
        const cJSON *ms = cJSON_GetObjectItem(old, "time_ms");
        r->ms = cJSON_IsNumber(ms) ? ms->valuedouble : 0;
        lt_histogram_load(&r->states, cJSON_GetObjectItem(old, "states"));
        lt_slices_load(&r->slices, cJSON_GetObjectItem(old, "slices"), &r->states);
        bool open =
            strcmp(r->status, "running") == 0 || strcmp(r->status, "pending") == 0 ||
            (strcmp(r->status, "done") == 0 && r->instances + r->discarded < lt_wanted(c->options, r->test));
        r->finished = !open;
    }
    cJSON_Delete(results);
    return true;
}

/* ---- the child
 * --------------------------------------------------------------------------------------------- */

void lt_report(FILE *report, unsigned test, const char *event, const char *reason, cJSON *extra)
{
    cJSON *json = extra ? extra : cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "test", test);
    cJSON_AddStringToObject(json, "event", event);
    if (reason)
        cJSON_AddStringToObject(json, "reason", reason);
    char *text = cJSON_PrintUnformatted(json);
    if (text)
        fprintf(report, "%s\n", text);
    fflush(report);
    free(text);
    cJSON_Delete(json);
}

/* The deadline of test I: each test gets an equal part of the remaining time.  0: no budget, -1: spent. */
static double share(const struct campaign *c, unsigned i)
{
    unsigned left = 0;
    for (; i < c->count; i++)
        left += c->records[i].selected && !c->records[i].finished;
    if (c->options->budget_s <= 0 || !left)
        return 0;
    double time = lt_seconds(), end = c->start + c->options->budget_s;
    return time >= end ? -1 : time + (end - time) / left;
}

/* Tests that are built with test FROM: itself and the next ones. */
static void choose_next(const struct campaign *c, unsigned from, struct lt_job *job)
{
    unsigned most = c->alone ? 1 : LT_PROGRAM_TESTS;
    for (unsigned i = from; i < c->count && job->next_count < most; i++)
        if (c->records[i].selected && !c->records[i].finished)
            job->next[job->next_count++] = i;
}

static void child_main(const struct campaign *c, FILE *report)
{
    struct lt_device device;
    struct lt_programs programs = {0};
    const char *reason = c->backend->open(&device, c->options);
    device.backend = c->backend;
    if (reason) {
        lt_report(report, 0, "no-device", reason, NULL);
        return;
    }
    struct lt_tuning tuning;
    bool tuned = lt_tuning_load(&tuning, &device, c->options, &reason);
    if (reason) {
        lt_report(report, 0, "no-device", reason, NULL);
        return;
    }
    cJSON *extra = cJSON_CreateObject();
    cJSON_AddItemToObject(extra, "device", c->backend->describe(&device));
    lt_report(report, 0, "device", NULL, extra);
    for (unsigned i = 0; i < c->count; i++) {
        const struct record *r = &c->records[i];
        double deadline = share(c, i);
        if (!r->selected || r->finished)
            continue;
        if (deadline < 0)
            break;
        struct lt_job job = {.options = c->options,
                             .device = &device,
                             .plan = c->plan,
                             .test = r->test,
                             .index = i,
                             .done = r->instances + r->discarded,
                             .batches = r->batches,
                             .seed = c->seed,
                             .deadline = deadline,
                             .report = report,
                             .programs = &programs,
                             .tuning = tuned ? &tuning : NULL,
                             .tests = c->tests};
        choose_next(c, i, &job);
        lt_report(report, i, "start", NULL, NULL);
        lt_run_test(&job);
        if (device.lost) {
            lt_report(report, 0, "lost", NULL, NULL);
            return;
        }
    }
    if (programs.program)
        clReleaseProgram(programs.program);
    c->backend->close(&device);
    lt_report(report, 0, "end", NULL, NULL);
}

static bool start_child(struct campaign *c)
{
    int fds[2];
    if (pipe(fds) != 0)
        return false;
    fflush(NULL);
    pid_t parent = getpid();
    c->child = fork();
    if (c->child == 0) {
        /* The child must die with its parent; the parent may have died before prctl(), which getppid() shows. */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
            _exit(1);
        close(fds[0]);
        close(c->writer.fd); /* only the parent holds the lock */
        FILE *report = fdopen(fds[1], "w");
        if (report)
            child_main(c, report);
        _exit(report ? 0 : 1);
    }
    close(fds[1]);
    c->pipe = fds[0];
    c->used = 0;
    c->current = -1;
    c->heard = lt_seconds();
    return c->child > 0;
}

/* ---- listening
 * ----------------------------------------------------------------------------------------------- */

static void record_finish(struct campaign *c, struct record *r, const char *status, const char *reason)
{
    r->status = status;
    r->finished = true;
    if (reason) {
        free(r->reason);
        r->reason = strdup(reason);
    }
    const cJSON *item = cJSON_GetObjectItem(r->test, "name");
    char name[256];
    snprintf(name, sizeof name, "%s", cJSON_IsString(item) ? item->valuestring : "?");
    if (r->reason)
        lt_shown(r->reason);
    if (!c->options->quiet)
        printf("%-32s %-8s %10" PRIu64 " instances %4zu states %12.0f /s%s%s\n", lt_shown(name), status,
               r->instances, r->states.used, r->ms > 0 ? (double)r->instances / r->ms * 1e3 : 0.0,
               r->reason ? "  " : "", r->reason ? r->reason : "");
    fflush(stdout);
}

static void add_batch(struct record *r, const cJSON *message)
{
    const cJSON *ms = cJSON_GetObjectItem(message, "ms"), *states = cJSON_GetObjectItem(message, "states");
    struct lt_histogram batch = {.values = r->states.values};
    uint64_t instances = (uint64_t)lt_json_value(cJSON_GetObjectItem(message, "instances"));
    r->instances += instances;
    r->discarded += (uint64_t)lt_json_value(cJSON_GetObjectItem(message, "discarded"));
    r->batches++;
    r->ms += cJSON_IsNumber(ms) ? ms->valuedouble : 0;
    lt_histogram_load(&r->states, states);
    if (lt_histogram_load(&batch, states))
        lt_slices_add(&r->slices, instances, &batch);
    lt_histogram_clear(&batch);
}

static void handle_message(struct campaign *c, const char *line)
{
    cJSON *message = cJSON_Parse(line);
    const cJSON *event = cJSON_GetObjectItem(message, "event"),
                *reason = cJSON_GetObjectItem(message, "reason");
    unsigned index = (unsigned)lt_json_value(cJSON_GetObjectItem(message, "test"));
    const char *text = cJSON_IsString(reason) ? reason->valuestring : NULL;
    if (cJSON_IsString(event) && index < c->count) {
        struct record *r = &c->records[index];
        const char *name = event->valuestring;
        if (strcmp(name, "device") == 0) {
            cJSON_Delete(c->device);
            c->device = cJSON_DetachItemFromObject(message, "device");
        } else if (strcmp(name, "no-device") == 0) {
            c->broken = true;
            c->broken_reason = text ? strdup(text) : NULL;
        } else if (strcmp(name, "start") == 0) {
            c->current = (int)index;
            c->begun = lt_seconds();
            r->status = "running";
        } else if (strcmp(name, "batch") == 0) {
            add_batch(r, message);
            save_soon(c);
        } else if (strcmp(name, "alive") == 0) {
            c->current = (int)index; /* its batch is running */
        } else if (strcmp(name, "building") == 0 || strcmp(name, "built") == 0) {
            c->building = strcmp(name, "building") == 0;
        } else if (strcmp(name, "lost") == 0) {
            c->lost = true;
        } else if (strcmp(name, "end") == 0) {
            c->ended = true;
        } else {
            record_finish(c, r, status_text(name), text);
            c->current = -1;
            save_soon(c);
        }
    }
    cJSON_Delete(message);
}

/* Reads the available messages; false at the end of the pipe. */
static bool read_lines(struct campaign *c)
{
    if (c->capacity - c->used < 4096) {
        char *more = realloc(c->line, 2 * c->capacity + 65536);
        if (!more)
            return false;
        c->line = more;
        c->capacity = 2 * c->capacity + 65536;
    }
    ssize_t n = read(c->pipe, c->line + c->used, c->capacity - c->used - 1);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    c->heard = lt_seconds();
    c->used += (size_t)n;
    size_t from = 0;
    for (size_t i = 0; i < c->used; i++)
        if (c->line[i] == '\n') {
            c->line[i] = '\0';
            handle_message(c, c->line + from);
            from = i + 1;
        }
    memmove(c->line, c->line + from, c->used - from);
    c->used -= from;
    return true;
}

/* A process that waits for a hanging device may survive SIGKILL; it is abandoned after SECONDS. */
static void wait_for(pid_t child, int *status, double seconds)
{
    double end = lt_seconds() + seconds;
    const struct timespec pause = {.tv_nsec = 10000000};
    for (;;) {
        pid_t got = waitpid(child, status, WNOHANG);
        if (got == child || (got < 0 && errno != EINTR) || lt_seconds() > end)
            return;
        nanosleep(&pause, NULL);
    }
}

/* The child died or hangs: its current test failed. */
static void bury_child(struct campaign *c, bool timeout)
{
    int status = 0;
    char reason[128] = "";
    bool silent = lt_seconds() >= c->heard + c->options->timeout_s;
    if (timeout)
        kill(c->child, SIGKILL);
    wait_for(c->child, &status, timeout ? 15 : 3600);
    close(c->pipe);
    if (c->ended || c->broken || c->lost)
        return;
    if (c->building) { /* several tests together: building each alone shows which one fails */
        c->building = false;
        c->alone = true;
        return;
    }
    if (timeout && silent)
        snprintf(reason, sizeof reason, "no sign of life for %u s", c->options->timeout_s);
    else if (timeout)
        snprintf(reason, sizeof reason, "limit reached: %u s (raise with --timeout)", c->options->limit_s);
    else if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "the driver died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(reason, sizeof reason, "the driver ended the process with code %d", WEXITSTATUS(status));
    if (c->current >= 0) {
        record_finish(c, &c->records[c->current], timeout ? "timeout" : "crashed", reason);
        save(c);
    } else {
        c->broken = true;
        c->broken_reason = strdup(reason);
    }
}

/* The time at which the child is killed: it reported nothing for too long, or its test exceeds its limit. */
static double child_deadline(const struct campaign *c)
{
    double silent = c->heard + c->options->timeout_s, over = c->begun + c->options->limit_s;
    return c->options->limit_s && c->current >= 0 && over < silent ? over : silent;
}

static void listen_to_child(struct campaign *c)
{
    bool timeout = false;
    for (;;) {
        struct pollfd p = {.fd = c->pipe, .events = POLLIN};
        double left = child_deadline(c) - lt_seconds();
        int ready = left > 0 ? poll(&p, 1, (int)(left * 1e3) + 1) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0) {
            timeout = true;
            break;
        }
        if (!read_lines(c))
            break;
    }
    bury_child(c, timeout);
}

/* ---- start and end
 * ------------------------------------------------------------------------------------------- */

static bool is_named(const struct lt_options *o, const cJSON *test)
{
    const cJSON *name = cJSON_GetObjectItem(test, "name");
    if (!o->only || !cJSON_IsString(name))
        return true;
    return o->exact ? strcmp(name->valuestring, o->only) == 0 : strstr(name->valuestring, o->only) != NULL;
}

/* Plans are untrusted input; numbers beyond 2^53 are strings. */
static bool has_iterations(const cJSON *test)
{
    const cJSON *item = cJSON_GetObjectItem(test, "iterations");
    if (cJSON_IsNumber(item))
        return item->valuedouble >= 1 && item->valuedouble <= 1e18;
    int64_t value = cJSON_IsString(item) ? lt_json_value(item) : item ? 0 : 1;
    return value >= 1 && value <= INT64_C(1000000000000000000);
}

static bool load_plan(struct campaign *c)
{
    unsigned named = 0;
    c->plan = lt_load_plan(c->options->plan_path);
    if (!c->plan)
        return false;
    const cJSON *interface = cJSON_GetObjectItem(c->plan, "interface");
    bool vulkan = cJSON_IsString(interface) && strcmp(interface->valuestring, "vulkan") == 0;
    c->backend = vulkan ? &lt_vulkan : &lt_opencl;
    if (c->options->vulkan && !vulkan) {
        fprintf(stderr, "%s: the plan is for OpenCL: make one with refcl litmus plan --vulkan\n",
                c->options->plan_path);
        return false;
    }
    const cJSON *tests = cJSON_GetObjectItem(c->plan, "tests"), *t;
    c->seed = c->options->has_seed ? c->options->seed
                                   : (uint64_t)lt_json_value(cJSON_GetObjectItem(c->plan, "seed"));
    c->count = (unsigned)cJSON_GetArraySize(tests);
    c->records = calloc(c->count + 1, sizeof *c->records);
    c->tests = calloc(c->count + 1, sizeof(cJSON *));
    if (!c->records || !c->tests)
        return false;
    const struct lt_options *o = c->options;
    bool plan_decides = !o->iterations && !o->probe && o->confidence <= 0 && o->budget_s <= 0;
    unsigned i = 0;
    cJSON_ArrayForEach(t, tests)
    {
        struct record *r = &c->records[i];
        r->test = c->tests[i] = t;
        if (!has_iterations(t)) {
            fprintf(stderr, "%s: test %u: 'iterations' is not an integer from 1 to 10^18\n",
                    c->options->plan_path, i + 1);
            return false;
        }
        r->status = "pending";
        r->states.values = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItem(t, "observed"));
        r->selected = i % c->options->shard_count == c->options->shard && is_named(c->options, t);
        named += is_named(c->options, t);
        if (r->selected && plan_decides &&
            !lt_iterations_allowed(c->options->plan_path, lt_wanted(c->options, t)))
            return false;
        if (r->states.values > LT_MAX_VALUES)
            r->selected = false;
        i++;
    }
    if (!named && c->options->only)
        fprintf(stderr, "%s: no test of it is called '%s'\n", c->options->plan_path, c->options->only);
    else if (!named)
        fprintf(stderr, "%s: no tests in it\n", c->options->plan_path);
    return named > 0;
}

static bool work_left(const struct campaign *c)
{
    if (c->options->budget_s > 0 && lt_seconds() >= c->start + c->options->budget_s)
        return false;
    for (unsigned i = 0; i < c->count; i++)
        if (c->records[i].selected && !c->records[i].finished)
            return true;
    return false;
}

static int summary(const struct campaign *c)
{
    unsigned done = 0, skipped = 0, bad = 0, pending = 0;
    uint64_t instances = 0;
    double ms = 0;
    for (unsigned i = 0; i < c->count; i++) {
        const struct record *r = &c->records[i];
        if (!r->selected)
            continue;
        done += strcmp(r->status, "done") == 0;
        skipped += strcmp(r->status, "skipped") == 0;
        pending += strcmp(r->status, "pending") == 0;
        bad += strcmp(r->status, "done") != 0 && strcmp(r->status, "skipped") != 0 &&
               strcmp(r->status, "pending") != 0;
        instances += r->instances;
        ms += r->ms;
    }
    if (c->broken)
        fprintf(stderr, "refcl-litmus-run: %s\n",
                c->broken_reason ? c->broken_reason : "the device cannot be used");
    if (c->options->silent)
        return c->broken ? 2 : bad ? 1 : 0;
    if (pending && !c->broken)
        printf("%u tests were not reached within the budget\n", pending);
    printf("%u run, %u skipped, %u failed; %" PRIu64 " instances, %.0f /s\n", done, skipped, bad, instances,
           ms > 0 ? (double)instances / ms * 1e3 : 0.0);
    return c->broken ? 2 : bad ? 1 : 0;
}

static bool campaign_begin(struct campaign *c)
{
    lt_identity_new(&c->identity, c->plan, c->options);
    return !c->options->resume || resume(c);
}

int lt_campaign(const struct lt_options *options)
{
    struct campaign c = {.options = options, .current = -1, .start = lt_seconds()};
    int code = 2;
    c.writer.fd = -1;
    if (load_plan(&c) && lt_writer_lock(&c.writer, options->results_path) && campaign_begin(&c)) {
        bool saved = save(&c);
        while (saved && work_left(&c) && !c.broken) {
            c.ended = c.lost = false;
            if (!start_child(&c))
                break;
            listen_to_child(&c);
        }
        saved = saved && save(&c);
        code = saved ? summary(&c) : 2;
    }
    for (unsigned i = 0; i < c.count && c.records; i++) {
        lt_histogram_clear(&c.records[i].states);
        free(c.records[i].reason);
    }
    free(c.records);
    free(c.tests);
    free(c.line);
    free(c.broken_reason);
    lt_writer_unlock(&c.writer);
    cJSON_Delete(c.identity.parts);
    cJSON_Delete(c.device);
    cJSON_Delete(c.plan);
    return code;
}
