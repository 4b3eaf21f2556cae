/* Tuning: selects the knobs that show most of the outcomes that the tests ask about, by successive halving:
 * many settings run for a short time, the better half of them twice as long, and so on; settings that show
 * nothing are dropped at once where others show something.  Each try is a small campaign, so that a driver
 * may crash or hang. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHORTEST 0.5 /* seconds of a try */
enum { CANDIDATES = 16, MOST_TESTS = 8 };

struct candidate {
    struct lt_tuning knobs;
    double score; /* mean logarithm of target outcomes a second, and one; over all its tries, by their time */
    double time;  /* of all tries, in seconds */
    double seen;  /* target outcomes */
};

/* ---- files --------------------------------------------------------------------------------------- */

/* "PLATFORM, DEVICE, DRIVER.json" without characters that file names cannot have, in the user's folder of
 * settings. */
static bool default_path(const char *platform, const char *name, const char *driver, char *path, size_t size)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char base[600];
    if (!folder && !home)
        return false;
    int n = snprintf(path, size, "%s%s/refcl/tunings/", folder ? folder : home, folder ? "" : "/.config");
    snprintf(base, sizeof base, "%s, %s, %s", platform, name, driver);
    for (char *p = base; *p; p++)
        if (*p == '/' || (unsigned char)*p < ' ')
            *p = '_';
    return n > 0 && (size_t)n < size &&
           snprintf(path + n, size - (size_t)n, "%s.json", base) < (int)(size - (size_t)n);
}

static bool read_tuning(const cJSON *json, struct lt_tuning *tuning)
{
    const cJSON *format = cJSON_GetObjectItem(json, "format"), *knobs = cJSON_GetObjectItem(json, "knobs");
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "refcl-litmus-tuning") != 0 || !knobs)
        return false;
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++) {
        const cJSON *item = cJSON_GetObjectItem(knobs, lt_knobs[k].name);
        bool fits = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 1 << 20;
        if (item && (!fits || !*lt_knobs[k].cpu))
            return false;
        tuning->set[k] = item != NULL;
        tuning->values[k] = item ? (uint32_t)item->valuedouble : 0;
    }
    return true;
}

bool lt_tuning_load(struct lt_tuning *tuning, const struct lt_device *device,
                    const struct lt_options *options, const char **error)
{
    char path[1400];
    *error = NULL;
    *tuning = (struct lt_tuning){0};
    if (options->files.tuning && strcmp(options->files.tuning, "none") == 0)
        return false;
    if (!options->files.tuning &&
        !default_path(device->platform, device->name, device->driver, path, sizeof path))
        return false;
    if (!options->files.tuning && access(path, R_OK) != 0)
        return false;
    bool read;
    cJSON *json = lt_read_json(options->files.tuning ? options->files.tuning : path, &read);
    bool ok = json && read_tuning(json, tuning);
    if (!ok)
        *error = read ? "the tuning is not a file that --tune wrote" : "the tuning cannot be read";
    cJSON_Delete(json);
    return ok;
}

static cJSON *knobs_json(const struct lt_tuning *tuning)
{
    cJSON *json = cJSON_CreateObject();
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++)
        if (tuning->set[k])
            cJSON_AddNumberToObject(json, lt_knobs[k].name, tuning->values[k]);
    return json;
}

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0777);
            *p = '/';
        }
}

static bool save_tuning(const struct candidate *best, const cJSON *device, const char *where)
{
    char path[1400];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", "refcl-litmus-tuning");
    cJSON_AddNumberToObject(json, "version", 1);
    cJSON_AddItemToObject(json, "device", cJSON_Duplicate(device, true));
    cJSON_AddNumberToObject(json, "score", best->score);
    cJSON_AddItemToObject(json, "knobs", knobs_json(&best->knobs));
    bool ok = where != NULL;
    if (!where && default_path(lt_json_text(device, "platform"), lt_json_text(device, "name"),
                               lt_json_text(device, "driver"), path, sizeof path)) {
        make_folders(path);
        where = path;
        ok = true;
    }
    ok = ok && lt_save_json(json, where);
    if (ok)
        printf("%s\n", where);
    cJSON_Delete(json);
    return ok;
}

/* ---- one try ------------------------------------------------------------------------------------- */

/* Logarithm of base 2, linear between powers, which suffices for comparisons. */
static double binary_logarithm(double x)
{
    double n = 0;
    for (; x >= 2; x /= 2)
        n++;
    return n + x - 1;
}

/* The score of one try, whose RESULTS show some of the targets in PLAN; adds how many they are to SEEN. */
static double score_try(const cJSON *plan, const cJSON *results, double *seen)
{
    const cJSON *result, *test, *state;
    unsigned count = 0;
    double score = 0;
    cJSON_ArrayForEach(result, cJSON_GetObjectItem(results, "tests"))
    {
        const cJSON *target = NULL, *ms = cJSON_GetObjectItem(result, "time_ms");
        cJSON_ArrayForEach(test, cJSON_GetObjectItem(plan, "tests"))
        {
            if (strcmp(lt_json_text(test, "source"), lt_json_text(result, "source")) == 0)
                target = cJSON_GetObjectItem(test, "target");
        }
        if (!target || !cJSON_IsNumber(ms))
            continue;
        double times = 0;
        cJSON_ArrayForEach(state, cJSON_GetObjectItem(result, "states"))
        {
            if (lt_is_target(state, target))
                times += (double)lt_json_value(cJSON_GetObjectItem(state, "count"));
        }
        *seen += times;
        score += binary_logarithm(1 + times / (ms->valuedouble > 1 ? ms->valuedouble : 1) * 1e3);
        count++;
    }
    return count ? score / count : 0;
}

/* SECONDS 0: one batch of every test, however long that takes, which counts for nothing; else as many
 * instances as OPTIONS say, or for that long.  False: nothing can be tuned here. */
static bool run_candidate(const struct lt_options *options, const cJSON *plan, struct candidate *c,
                          double seconds, const char *path, cJSON **results)
{
    struct lt_options o = *options;
    o.files.results = path;
    o.files.tuning = "none";
    o.amount.budget_s = options->amount.iterations ? 0 : seconds;
    o.amount.probe = seconds <= 0;
    o.quiet = o.silent = true;
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++)
        if (c->knobs.set[k]) {
            o.knobs.given[k] = true;
            o.knobs.values[k] = c->knobs.values[k];
        }
    if (lt_campaign(&o) > 1 || lt_interrupted)
        return false;
    cJSON *shown = lt_load_results(path);
    if (seconds > 0) {
        double score = score_try(plan, shown, &c->seen);
        c->score = (c->score * c->time + score * seconds) / (c->time + seconds);
        c->time += seconds;
    }
    if (results)
        *results = shown;
    else
        cJSON_Delete(shown);
    return true;
}

static bool has_target(const cJSON *test)
{
    return cJSON_GetArraySize(cJSON_GetObjectItem(test, "target")) > 0;
}

/* 2: the first try of TEST showed the outcome that it asks about, 1: it ran and asks, 0: neither. */
static int test_usefulness(const cJSON *test, const cJSON *results)
{
    const cJSON *result, *state, *target = cJSON_GetObjectItem(test, "target");
    int useful = 0;
    cJSON_ArrayForEach(result, cJSON_GetObjectItem(results, "tests"))
    {
        if (strcmp(lt_json_text(test, "source"), lt_json_text(result, "source")) != 0 ||
            strcmp(lt_json_text(result, "status"), "done") != 0)
            continue;
        useful = has_target(test);
        cJSON_ArrayForEach(state, cJSON_GetObjectItem(result, "states"))
        {
            if (lt_is_target(state, target))
                useful = 2;
        }
    }
    return useful;
}

/* Takes COUNT of the tests in FROM, from all over the plan, into TO. */
static void spread_tests(cJSON *from, int count, cJSON *to)
{
    int size = cJSON_GetArraySize(from);
    count = count < size ? count : size;
    for (int i = 0, taken = 0; taken < count; i++)
        if ((i + 1) * count / size > taken) {
            cJSON_AddItemToArray(to, cJSON_DetachItemFromArray(from, i - taken));
            taken++;
        }
}

/* Up to MOST_TESTS tests of PLAN that ran and ask about an outcome, those first that showed it in one batch:
 * a separate plan. */
static cJSON *reduce_plan(const cJSON *plan, const cJSON *results)
{
    cJSON *reduced = cJSON_Duplicate(plan, true), *tests = cJSON_DetachItemFromObject(reduced, "tests");
    cJSON *chosen = cJSON_AddArrayToObject(reduced, "tests");
    cJSON *ranks[3] = {cJSON_CreateArray(), cJSON_CreateArray(), cJSON_CreateArray()};
    while (cJSON_GetArraySize(tests) > 0) {
        cJSON *test = cJSON_DetachItemFromArray(tests, 0);
        cJSON_AddItemToArray(ranks[test_usefulness(test, results)], test);
    }
    spread_tests(ranks[2], MOST_TESTS, chosen);
    spread_tests(ranks[1], MOST_TESTS - cJSON_GetArraySize(chosen), chosen);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        cJSON_Delete(ranks[i]);
    cJSON_Delete(tests);
    if (cJSON_GetArraySize(chosen) > 0)
        return reduced;
    cJSON_Delete(reduced);
    return NULL;
}

/* ---- halving ------------------------------------------------------------------------------------- */

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->score > y->score ? -1 : x->score < y->score;
}

/* The first is the plainest: the first choice of each knob. */
static void choose_settings(const struct lt_options *o, bool gpu, struct candidate *candidates)
{
    uint64_t random = o->seed;
    for (unsigned i = 0; i < CANDIDATES; i++)
        for (unsigned k = 0; k < LT_KNOB_COUNT; k++) {
            uint64_t r = lt_random(&random);
            candidates[i].knobs.set[k] = *lt_knobs[k].cpu && !o->knobs.given[k];
            candidates[i].knobs.values[k] =
                *lt_knobs[k].cpu ? lt_knob_choice(&lt_knobs[k], gpu, i ? r : 0) : 0;
        }
}

static unsigned keep_better_half(struct candidate *candidates, unsigned count)
{
    qsort(candidates, count, sizeof *candidates, compare_candidates);
    unsigned left = count / 2, showing = 0;
    while (showing < count && candidates[showing].seen > 0)
        showing++;
    return showing > 0 && showing < left ? showing : left;
}

static bool halve_candidates(const struct lt_options *o, double overhead, const cJSON *plan,
                             struct candidate *candidates, const char *path)
{
    double total = o->amount.budget_s > 0 ? o->amount.budget_s : 60, start = lt_seconds();
    unsigned count = CANDIDATES;
    while (count > 1) {
        unsigned rounds = 1;
        while (1u << rounds < count)
            rounds++;
        double slice = (total - (lt_seconds() - start)) / rounds / count - overhead;
        slice = slice > SHORTEST ? slice : SHORTEST;
        for (unsigned i = 0; i < count; i++)
            if (!run_candidate(o, plan, &candidates[i], slice + overhead, path, NULL))
                return false;
        unsigned left = keep_better_half(candidates, count);
        char amount[40];
        if (o->amount.iterations)
            snprintf(amount, sizeof amount, "%" PRIu64 " instances", o->amount.iterations);
        else
            snprintf(amount, sizeof amount, "%.2f s", slice);
        if (!o->quiet)
            printf("%u settings, %s each: best score %.2f; %u stay\n", count, amount, candidates[0].score,
                   left);
        fflush(stdout);
        count = left;
    }
    return true;
}

/* The first try determines the device and the tests that it can run. */
static cJSON *first_try(const struct lt_options *o, const cJSON *plan, struct candidate *candidates,
                        const char *path, cJSON **device)
{
    struct candidate first = {.score = 0};
    cJSON *results = NULL;
    if (!run_candidate(o, plan, &first, 0, path, &results))
        return NULL;
    *device = cJSON_DetachItemFromObject(results, "device");
    choose_settings(o,
                    o->device.kind ? strcmp(o->device.kind, "gpu") == 0
                                   : lt_json_value(cJSON_GetObjectItem(*device, "gpu")) != 0,
                    candidates);
    cJSON *reduced = reduce_plan(plan, results);
    cJSON_Delete(results);
    if (!reduced)
        fprintf(stderr,
                "refcl-litmus-run: no test of the plan that asks about an outcome runs on the device\n");
    return reduced;
}

/* A setting that showed nothing is not saved: random knobs are better than any single such setting. */
static int save_setting(const struct candidate *best, const cJSON *device, const char *where)
{
    if (best->seen <= 0) {
        fprintf(stderr,
                "refcl-litmus-run: no setting showed an outcome that the tests ask about; nothing is saved, "
                "and runs continue to choose settings at random\n");
        return 1;
    }
    return save_tuning(best, device, where) ? 0 : 2;
}

static int tune_plan(const struct lt_options *options, const cJSON *plan, const char *plan_path,
                     const char *path)
{
    static struct candidate candidates[CANDIDATES];
    struct lt_options o = *options;
    cJSON *device = NULL, *reduced = first_try(options, plan, candidates, path, &device);
    int code = 2;
    o.files.plan = plan_path;
    o.files.resume = false;
    bool ready = reduced && lt_save_json(reduced, plan_path);
    /* the time of a try with hardly any instances: opening the device, building */
    double overhead = -lt_seconds();
    ready = ready && run_candidate(&o, reduced, &candidates[0], 0, path, NULL);
    overhead += lt_seconds();
    if (ready && halve_candidates(&o, overhead, reduced, candidates, path))
        code = save_setting(&candidates[0], device, options->files.results);
    cJSON_Delete(reduced);
    cJSON_Delete(device);
    return code;
}

int lt_tune(const struct lt_options *options)
{
    char folder[1000], plan_path[1024], results_path[1024];
    int code = 2;
    cJSON *plan = lt_load_plan(options->files.plan);
    lt_signals_catch();
    if (plan && !lt_temporary_folder(folder, sizeof folder)) {
        fprintf(stderr, "refcl-litmus-run: no folder for temporary files: %s\n", strerror(errno));
    } else if (plan) {
        snprintf(plan_path, sizeof plan_path, "%s/plan.json", folder);
        snprintf(results_path, sizeof results_path, "%s/results.json", folder);
        code = tune_plan(options, plan, plan_path, results_path);
        unlink(plan_path);
        unlink(results_path);
        rmdir(folder);
    }
    if (lt_interrupted)
        fprintf(stderr, "refcl-litmus-run: interrupted; no setting is saved\n");
    cJSON_Delete(plan);
    return code;
}
