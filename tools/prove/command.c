/* refcl explore --prove: the proof of a kernel, candidate counterexamples executed, answers as text and
 * JSON. */
#include "tools/prove/command.h"
#include "memmodel/base/escape.h"
#include "tools/prove/confirm.h"

#include <limits.h>
#include <string.h>

/* Z3's resource units: about ten millions are a second. */
enum { EFFORT = 20000000, UNITS_PER_MS = 10000 };
struct result {
    struct prove_verdict verdict;
    bool refuted[PROVE_PROPERTIES];
    char commands[PROVE_PROPERTIES][CONFIRM_TEXT], findings[PROVE_PROPERTIES][PROVE_TEXT];
};
static const char *const property_names[] = {"race", "divergence", "bounds"};

static const char *answer_name(const struct result *r, int property)
{
    static const char *const names[] = {[PROVE_UNKNOWN] = "unknown",
                                        [PROVE_PROVED] = "proved",
                                        [PROVE_OPEN] = "unknown",
                                        [PROVE_NOT_ASKED] = "not asked"};
    return r->refuted[property] ? "refuted" : names[r->verdict.answers[property]];
}

static bool is_undecided(const struct result *r)
{
    bool undecided = false;
    for (int i = 0; i < PROVE_PROPERTIES; i++) {
        enum prove_answer a = r->verdict.answers[i];
        undecided |= (a == PROVE_OPEN || a == PROVE_UNKNOWN) && !r->refuted[i];
    }
    return undecided;
}

static void try_launch(struct result *r, const struct confirm *confirm, const struct prove_launch *launch)
{
    static struct confirm_shown shown;
    if (!is_undecided(r) || !confirm_launch(confirm, launch, &shown))
        return;
    for (int i = 0; i < PROVE_PROPERTIES; i++) {
        bool counts = *shown.findings[i] && !r->refuted[i] && r->verdict.answers[i] != PROVE_NOT_ASKED;
        if (!counts)
            continue;
        r->refuted[i] = true;
        memcpy(r->commands[i], shown.command, sizeof shown.command);
        memcpy(r->findings[i], shown.findings[i], sizeof shown.findings[i]);
    }
}

/* Launches that need no model: of refcl's choice, of groups that are larger than arrays of a fixed size often
 * are, and of groups that exceed the rows of such arrays alone; for search small ones. */
static void try_other_launches(struct result *r, const struct confirm *c)
{
    enum { MOST_LOCAL = 256, GROUPS = 2, SIZES = 3 };
    static const uint32_t executed[SIZES][3] = {{16, 16, 16}, {64, 64, 64}, {8, 2, 2}},
                          searched[SIZES][3] = {{1, 1, 1}, {2, 2, 2}, {2, 1, 1}};
    const uint32_t(*sizes)[3] = c->vulkan ? searched : executed;
    unsigned dimensions = r->verdict.dimensions ? r->verdict.dimensions : 1;
    if (!c->vulkan)
        try_launch(r, c, NULL);
    for (size_t i = 0; i < SIZES; i++) {
        struct prove_launch launch = {.global = {1, 1, 1}, .local = {1, 1, 1}};
        uint64_t all = 1;
        for (unsigned d = 0; d < dimensions; d++) {
            launch.local[d] = r->verdict.local[d] ? r->verdict.local[d] : sizes[i][d];
            launch.global[d] = GROUPS * launch.local[d];
            all *= launch.local[d];
        }
        if (all <= MOST_LOCAL)
            try_launch(r, c, &launch);
    }
}

/* Executes launches of Z3's models, then others, unless these may violate what the options require; all of
 * them within the limit, of CPU time. */
static void confirm_result(struct explore *e, struct result *r, bool vulkan, const char *path)
{
    const struct confirm c = {.path = path,
                              .kernel = e->kernel,
                              .build_options = e->build.options,
                              .arguments = e->args.items,
                              .argument_count = e->args.count,
                              .vulkan = vulkan,
                              .unsized = r->verdict.unsized,
                              .until_ms =
                                  e->options.timeout_ms ? confirm_cpu_ms() + e->options.timeout_ms : 0};
    for (size_t i = 0; i < r->verdict.launch_count; i++)
        try_launch(r, &c, &r->verdict.launches[i]);
    if (!e->requirements.count && !e->has_global && !e->has_local)
        try_other_launches(r, &c);
}

/* ---- results --------------------------------------------------------------------------------------- */

static int exit_code(const struct result *r)
{
    int code = EXIT_CLEAN;
    for (int i = 0; i < PROVE_PROPERTIES; i++) {
        if (r->refuted[i])
            return EXIT_FINDINGS;
        if (r->verdict.answers[i] != PROVE_PROVED && r->verdict.answers[i] != PROVE_NOT_ASKED)
            code = EXIT_UNKNOWN;
    }
    return code;
}

static void print_result(const struct explore *e, const struct result *r, const char *path)
{
    const struct prove_verdict *v = &r->verdict;
    mm_print(e->text, "%s: all launches: race %s, divergence %s, bounds %s (%zu of %zu invariants kept)\n",
             path, answer_name(r, PROVE_RACE), answer_name(r, PROVE_DIVERGENCE), answer_name(r, PROVE_BOUNDS),
             v->kept, v->tried);
    for (int i = 0; i < PROVE_PROPERTIES; i++) {
        if (*v->reasons[i])
            mm_print(e->text, "    %s: %s\n", property_names[i], v->reasons[i]);
        if (r->refuted[i])
            mm_print(e->text, "    %s refuted by: %s%s\n", property_names[i], r->commands[i],
                     v->answers[i] == PROVE_PROVED
                         ? " (contradicts a proof: the launch violates an assumption, or refcl has a bug)"
                         : "");
        if (r->refuted[i])
            mm_print(e->text, "        finds: %s\n", r->findings[i]);
    }
    for (size_t i = 0; i < v->assumption_count; i++)
        mm_print(e->text, "    assumes: %s\n", v->assumptions[i]);
}

static void add_json(struct explore *e, const struct result *r, const char *path)
{
    const struct prove_verdict *v = &r->verdict;
    cJSON *json = e->tests ? cJSON_CreateObject() : NULL;
    if (!json)
        return;
    cJSON_AddStringToObject(json, "file", path);
    cJSON_AddStringToObject(json, "engine", "prove");
    for (int i = 0; i < PROVE_PROPERTIES; i++) {
        cJSON *property = cJSON_AddObjectToObject(json, property_names[i]);
        cJSON_AddStringToObject(property, "answer", answer_name(r, i));
        if (*v->reasons[i])
            cJSON_AddStringToObject(property, "reason", v->reasons[i]);
        if (r->refuted[i])
            cJSON_AddStringToObject(property, "launch", r->commands[i]);
        if (r->refuted[i])
            cJSON_AddStringToObject(property, "finding", r->findings[i]);
        if (r->refuted[i] && v->answers[i] == PROVE_PROVED)
            cJSON_AddTrueToObject(property, "contradicts_proof");
    }
    cJSON *assumptions = cJSON_AddArrayToObject(json, "assumptions");
    for (size_t i = 0; i < v->assumption_count; i++)
        cJSON_AddItemToArray(assumptions, cJSON_CreateString(v->assumptions[i]));
    cJSON_AddNumberToObject(json, "invariants_tried", (double)v->tried);
    cJSON_AddNumberToObject(json, "invariants_kept", (double)v->kept);
    cJSON_AddNumberToObject(json, "dimensions", v->dimensions);
    cJSON_AddItemToArray(e->tests, json);
}

static unsigned resource_budget(const struct explore *e)
{
    unsigned ms = e->options.timeout_ms;
    return ms && ms < UINT_MAX / UNITS_PER_MS ? ms * UNITS_PER_MS : UINT_MAX;
}

int prove_file(struct explore *e, struct ex *ex, const char *path)
{
    static struct result r;
    struct mm_error err = {0};
    struct prove_options options = {.requirements = e->requirements.items,
                                    .requirement_count = e->requirements.count,
                                    .arguments = e->args.items,
                                    .argument_count = e->args.count,
                                    .effort = EFFORT,
                                    .budget = resource_budget(e)};
    if (e->has_global)
        memcpy(options.global, e->launch.global, sizeof options.global);
    if (e->has_local)
        memcpy(options.local, e->launch.local, sizeof options.local);
    r = (struct result){.refuted = {false}};
    ex->config.kernel = e->kernel;
    if (prove_kernel(ex, &options, &r.verdict, &err) != MM_OK)
        return tool_report(&err);
    if (is_undecided(&r))
        confirm_result(e, &r, ex->module.vulkan, path);
    print_result(e, &r, path);
    add_json(e, &r, path);
    return exit_code(&r);
}

int prove_give_up(struct explore *e, const char *path, const char *why)
{
    static struct result r;
    r = (struct result){.refuted = {false}};
    for (int i = 0; i < PROVE_PROPERTIES; i++) {
        r.verdict.answers[i] = PROVE_UNKNOWN;
        snprintf(r.verdict.reasons[i], sizeof r.verdict.reasons[i], "%s", why);
    }
    print_result(e, &r, path);
    add_json(e, &r, path);
    return exit_code(&r);
}
