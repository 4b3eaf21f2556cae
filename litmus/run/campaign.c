/* The campaign: the plan, results.json, and child processes that run the tests, one after the other until all
 * have run (child.c). */
#include "campaign.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- results.json ------------------------------------------------------------------------------- */

static void copy_item(cJSON *to, const cJSON *from, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(from, key);
    if (item)
        cJSON_AddItemToObject(to, key, cJSON_Duplicate(item, true));
}

static cJSON *record_json(const struct lt_record *r)
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

bool lt_campaign_save(struct lt_campaign_state *c, bool soon)
{
    if (soon && lt_seconds() - c->saved < 10 * c->cost)
        return true;
    double start = lt_seconds();
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", "refcl-litmus-results");
    cJSON_AddNumberToObject(json, "version", LT_RESULTS_VERSION);
    cJSON_AddItemToObject(json, "seed", lt_value_json((int64_t)c->seed));
    lt_identity_add(&c->identity, json);
    if (*c->options->settings)
        cJSON_AddStringToObject(json, "settings", c->options->settings);
    if (c->device)
        cJSON_AddItemToObject(json, "device", cJSON_Duplicate(c->device, true));
    cJSON *tests = cJSON_AddArrayToObject(json, "tests");
    for (unsigned i = 0; i < c->count; i++)
        if (c->records[i].selected)
            cJSON_AddItemToArray(tests, record_json(&c->records[i]));
    bool ok = lt_save_json(json, c->options->files.results);
    cJSON_Delete(json);
    c->saved = lt_seconds();
    c->cost = c->saved - start;
    return ok;
}

const char *lt_status_text(const char *status)
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
    if (options->amount.probe)
        return 1;
    if (options->amount.iterations)
        return options->amount.iterations;
    if (options->amount.confidence > 0)
        return (uint64_t)(3 / options->amount.confidence) + 1;
    return (uint64_t)lt_json_value(cJSON_GetObjectItem(test, "iterations"));
}

/* Resumes from the results of an earlier run of the same plan: finished tests are kept, others continue.
 * False: the file exists but has no results, so it must not be overwritten. */
static bool resume_campaign(struct lt_campaign_state *c)
{
    if (access(c->options->files.results, F_OK) != 0)
        return true;
    cJSON *results = lt_load_results(c->options->files.results);
    if (!results || !lt_identity_resume(&c->identity, results, c->options->files.results)) {
        cJSON_Delete(results);
        return false;
    }
    if (!c->options->has_seed)
        c->seed = (uint64_t)lt_json_value(cJSON_GetObjectItem(results, "seed"));
    for (unsigned i = 0; i < c->count; i++) {
        struct lt_record *r = &c->records[i];
        const cJSON *old = lt_find_test(cJSON_GetObjectItem(results, "tests"), r->test);
        const cJSON *status = cJSON_GetObjectItem(old, "status"),
                    *reason = cJSON_GetObjectItem(old, "reason");
        if (!old || !cJSON_IsString(status))
            continue;
        r->status = lt_status_text(status->valuestring);
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

/* Deselects the tests that --unseen excludes; false, after a message: its file cannot be read. */
static bool drop_seen(struct lt_campaign_state *c)
{
    cJSON *results = c->options->files.seen ? lt_load_results(c->options->files.seen) : NULL;
    for (unsigned i = 0; results && i < c->count; i++) {
        const cJSON *old = lt_find_test(cJSON_GetObjectItem(results, "tests"), c->records[i].test);
        if (lt_shows_target(cJSON_GetObjectItem(old, "states"),
                            cJSON_GetObjectItem(c->records[i].test, "target")))
            c->records[i].selected = false;
    }
    cJSON_Delete(results);
    return results || !c->options->files.seen;
}

/* ---- start and end ------------------------------------------------------------------------------ */

static bool is_named(const struct lt_options *o, const cJSON *test)
{
    const cJSON *name = cJSON_GetObjectItem(test, "name");
    if (!o->tests.only || !cJSON_IsString(name))
        return true;
    return o->tests.exact ? strcmp(name->valuestring, o->tests.only) == 0
                          : strstr(name->valuestring, o->tests.only) != NULL;
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

/* The plan's name in messages: refcl passes one that has none. */
static const char *plan_name(const struct lt_campaign_state *c)
{
    const char *path = c->options->files.plan;
    return strncmp(path, "/proc/self/fd/", 14) == 0 ? "the plan" : path;
}

/* Makes the record of TEST, with number I in the plan; false, after a message: the test cannot be run as it
 * says. */
static bool load_test(struct lt_campaign_state *c, unsigned i, const cJSON *test)
{
    const struct lt_options *o = c->options;
    struct lt_record *r = &c->records[i];
    bool plan_decides =
        !o->amount.iterations && !o->amount.probe && o->amount.confidence <= 0 && o->amount.budget_s <= 0;
    r->test = c->tests[i] = test;
    if (!has_iterations(test)) {
        fprintf(stderr, "%s: test %u: 'iterations' is not an integer from 1 to 10^18\n", plan_name(c), i + 1);
        return false;
    }
    r->status = "pending";
    r->states.values = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItem(test, "observed"));
    if (r->states.values > LT_MAX_VALUES) /* the child reports such a test as failed */
        r->states.values = 0;
    r->selected = i % o->tests.shard_count == o->tests.shard && is_named(o, test);
    return !r->selected || !plan_decides || lt_iterations_allowed(plan_name(c), lt_wanted(o, test));
}

static bool load_plan(struct lt_campaign_state *c)
{
    unsigned named = 0;
    c->plan = lt_load_plan(c->options->files.plan);
    if (!c->plan)
        return false;
    const cJSON *interface = cJSON_GetObjectItem(c->plan, "interface");
    bool vulkan = cJSON_IsString(interface) && strcmp(interface->valuestring, "vulkan") == 0;
    c->backend = vulkan ? &lt_vulkan : &lt_opencl;
    if (c->options->device.vulkan && !vulkan) {
        fprintf(stderr, "%s: the plan is for OpenCL: make one with refcl litmus plan --vulkan\n",
                plan_name(c));
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
    unsigned i = 0;
    cJSON_ArrayForEach(t, tests)
    {
        if (!load_test(c, i++, t))
            return false;
        named += is_named(c->options, t);
    }
    if (!named && c->options->tests.only)
        fprintf(stderr, "%s: no test of it is called '%s'\n", plan_name(c), c->options->tests.only);
    else if (!named)
        fprintf(stderr, "%s: no tests in it\n", plan_name(c));
    return named > 0;
}

static bool work_left(const struct lt_campaign_state *c)
{
    if (lt_interrupted)
        return false;
    if (c->options->amount.budget_s > 0 && lt_seconds() >= c->start + c->options->amount.budget_s)
        return false;
    for (unsigned i = 0; i < c->count; i++)
        if (c->records[i].selected && !c->records[i].finished)
            return true;
    return false;
}

static int print_summary(const struct lt_campaign_state *c)
{
    unsigned done = 0, skipped = 0, bad = 0, pending = 0;
    uint64_t instances = 0;
    double ms = 0;
    for (unsigned i = 0; i < c->count; i++) {
        const struct lt_record *r = &c->records[i];
        if (!r->selected)
            continue;
        done += strcmp(r->status, "done") == 0;
        skipped += strcmp(r->status, "skipped") == 0;
        bool open =
            strcmp(r->status, "pending") == 0 || (lt_interrupted && strcmp(r->status, "running") == 0);
        pending += open;
        bad += !open && strcmp(r->status, "done") != 0 && strcmp(r->status, "skipped") != 0;
        instances += r->instances;
        ms += r->ms;
    }
    if (c->broken)
        fprintf(stderr, "refcl-litmus-run: %s\n",
                c->broken_reason ? c->broken_reason : "the device cannot be used");
    if (lt_interrupted && !c->options->silent)
        fprintf(stderr, "refcl-litmus-run: interrupted; --resume continues where the results end\n");
    if (c->options->silent)
        return c->broken ? 2 : bad ? 1 : 0;
    if (lt_interrupted)
        printf("tests that were not finished: %u\n", pending);
    else if (pending && !c->broken)
        printf("%u tests were not reached within the budget\n", pending);
    printf("%u run, %u skipped, %u failed; %" PRIu64 " instances, %.0f /s\n", done, skipped, bad, instances,
           ms > 0 ? (double)instances / ms * 1e3 : 0.0);
    return c->broken ? 2 : bad ? 1 : 0;
}

/* Whether the results would replace the file INPUT, which may be NULL. */
static bool is_replaced(const struct lt_options *options, const char *input)
{
    struct stat in, out;
    bool same = input && stat(input, &in) == 0 && stat(options->files.results, &out) == 0 &&
                S_ISREG(out.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
    if (same)
        fprintf(stderr,
                "refcl-litmus-run: the results would overwrite '%s', which is read: name another --output\n",
                input);
    return same;
}

static bool campaign_begin(struct lt_campaign_state *c)
{
    lt_identity_new(&c->identity, c->plan, c->options);
    if (!drop_seen(c))
        return false;
    return !c->options->files.resume || resume_campaign(c);
}

int lt_campaign(const struct lt_options *options)
{
    struct lt_campaign_state c = {.options = options, .current = -1, .start = lt_seconds()};
    int code = 2;
    c.writer.fd = -1;
    bool replaces = is_replaced(options, options->files.plan) || is_replaced(options, options->files.seen);
    if (!replaces && load_plan(&c) && lt_writer_lock(&c.writer, options->files.results) &&
        campaign_begin(&c)) {
        lt_signals_catch(); /* before, there is nothing to save */
        bool saved = lt_campaign_save(&c, false);
        while (saved && work_left(&c) && !c.broken) {
            c.ended = c.lost = false;
            if (!lt_child_start(&c))
                break;
            lt_child_listen(&c);
        }
        saved = saved && lt_campaign_save(&c, false);
        code = saved ? print_summary(&c) : 2;
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
