/* refcl explore: every execution of a small kernel launch, by a memory model. */
#include "tools/commands.h"
#include "tools/compile_cl.h"
#include "tools/replay.h"
#include "tools/verdict_json.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_KERNEL,
    OPT_GLOBAL,
    OPT_LOCAL,
    OPT_SUB_GROUP,
    OPT_ARG,
    OPT_INPUT,
    OPT_ASSERT,
    OPT_FILTER,
    OPT_MODEL,
    OPT_SWITCH,
    OPT_ENGINE,
    OPT_BOUND,
    OPT_PROGRESS,
    OPT_TIMEOUT,
    OPT_BUILD,
    OPT_JSON,
    OPT_STATES,
    OPT_EXPLAIN,
    OPT_WITNESSES
};
static const struct tool_option options[] = {
    {"kernel", 'k', "NAME", "REFCL_KERNEL", "kernel to explore (default: the only one)"},
    {"global", 'g', "N[,N[,N]]", "REFCL_GLOBAL", "global size (default: the file's @Config line, or 1)"},
    {"local", 'l', "N[,N[,N]]", "REFCL_LOCAL", "work-group size (default: the global size)"},
    {"subgroup", 0, "N", "REFCL_SUBGROUP", "work-items per sub-group (default: the work-group size)"},
    {"arg", 'a', "SPEC", NULL,
     "the next argument: buf:N[:zero|iota|fill=V|any], local:BYTES, {1, 2, ...} or a value"},
    {"input", 0, "NAME=VALUES", NULL, "initial values of a variable or argument, as in @Input lines"},
    {"assert", 0, "EXPR", NULL,
     "condition on the final state: [forall|exists|~exists] (out[0] == 1 and ...); may be repeated"},
    {"filter", 0, "EXPR", NULL, "consider only executions with such a final state"},
    {"model", 'm', "FILE.cat", "REFCL_MODEL", "memory model (default opencl.cat, or vulkan.cat)"},
    {"switch", 's', "NAME=VALUE", NULL, "select a variant of the model; may be repeated"},
    {"engine", 'e', "NAME", "REFCL_CHECK_ENGINE",
     "search, z3, both, or auto: search, and Z3 for what that leaves open (default auto)"},
    {"bound", 'b', "K", "REFCL_BOUND", "how often the body of a loop may run (default 4)"},
    {"progress", 0, "MODEL", "REFCL_PROGRESS",
     "forward progress: fair, hsa, obe, lobe, unfair; or by scope: wg=obe,sg=hsa,wi=fair"},
    {"timeout", 't', "S", "REFCL_TIMEOUT", "seconds for each file and engine (default 60)"},
    {"build-options", 0, "TEXT", "REFCL_BUILD_OPTIONS", "options for OpenCL C (default -cl-std=CL3.0)"},
    {"json", 'j', "OUT", "REFCL_JSON", "write the verdicts as JSON, - for stdout"},
    {"states", 0, NULL, "REFCL_STATES", "list the final states"},
    {"explain", 0, NULL, "REFCL_EXPLAIN", "show a witness, or what forbids the outcome"},
    {"witnesses", 0, NULL, "REFCL_WITNESSES",
     "an execution for each final state and each finding, replayed by the interpreter (search)"},
    TOOL_OPTION_END};

enum { MAX_TEXTS = 64, ENGINE_AUTO = 0, ENGINE_SEARCH = 1, ENGINE_Z3 = 2 };

struct texts {
    const char *items[MAX_TEXTS + 1];
    size_t count;
};
struct explore {
    struct ex_launch launch;
    bool has_global, has_local;
    struct texts args, inputs, asserts, filters, switches;
    const char *kernel, *model, *json, *build_options;
    unsigned engines;
    struct ck_options options;
    bool states, explain;
    FILE *text;
    cJSON *tests;
    const char *model_name;
};

/* ---- options ------------------------------------------------------------------------------------ */

static int add_text(struct texts *texts, const char *option, const char *value)
{
    if (texts->count == MAX_TEXTS)
        return tool_error(EXIT_USAGE, "--%s: more than %d", option, MAX_TEXTS);
    texts->items[texts->count++] = value;
    return 0;
}

static int set_sizes(const char *option, const char *value, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long n = strtoul(value, &end, 10);
        if (end == value || n == 0 || n > 65536 || (*end && *end != ','))
            return tool_error(EXIT_USAGE, "--%s: '%s' is not N[,N[,N]]", option, value);
        out[i] = (uint32_t)n;
        if (!*end)
            return 0;
        value = end + 1;
    }
    return tool_error(EXIT_USAGE, "--%s: more than three dimensions", option);
}

static int set_engine(struct explore *e, const char *value)
{
    e->engines = strcmp(value, "search") == 0 ? ENGINE_SEARCH
                 : strcmp(value, "z3") == 0   ? ENGINE_Z3
                 : strcmp(value, "both") == 0 ? ENGINE_SEARCH | ENGINE_Z3
                                              : ENGINE_AUTO;
    return e->engines || strcmp(value, "auto") == 0
               ? 0
               : tool_error(EXIT_USAGE, "--engine: '%s' is not search, z3, both or auto", value);
}

static bool starts(const char **text, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(*text, word, n) != 0)
        return false;
    *text += n;
    return true;
}

static bool read_kind(const char **text, enum ck_progress_kind *kind)
{
    static const struct {
        const char *name;
        enum ck_progress_kind kind;
    } kinds[] = {{"unfair", CK_UNFAIR}, {"fair", CK_FAIR}, {"hsaobe", CK_LOBE}, {"hsa_obe", CK_LOBE},
                 {"hsa", CK_HSA},       {"lobe", CK_LOBE}, {"obe", CK_OBE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (starts(text, kinds[i].name)) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

/* "obe" for all scopes, "wg=obe,wi=hsa", or run together as "qfObeSgHsa": what is named by a scope is how the
 * members of that scope progress. */
static int set_progress(struct ck_progress *p, const char *value)
{
    const char *at = value;
    enum ck_progress_kind kind;
    *p = (struct ck_progress){CK_FAIR, CK_FAIR, CK_FAIR};
    if (read_kind(&at, &kind)) {
        starts(&at, "uniform");
        *p = (struct ck_progress){kind, kind, kind};
        return *at ? tool_error(EXIT_USAGE, "--progress: '%s'", value) : 0;
    }
    while (*at) {
        enum ck_progress_kind *target = starts(&at, "qf") || starts(&at, "dv") ? &p->work_groups
                                        : starts(&at, "wg")                    ? &p->sub_groups
                                        : starts(&at, "sg")                    ? &p->work_items
                                                                               : NULL;
        at += *at == '=';
        if (!target || !read_kind(&at, target))
            return tool_error(EXIT_USAGE, "--progress: '%s' is not a model like obe or qf=obe,sg=hsa", value);
        at += *at == ',';
    }
    return 0;
}

static int set_number(const char *option, const char *value, uint64_t max, unsigned scale, unsigned *out)
{
    uint64_t n = 0;
    int code = tool_number(option, value, max, &n);
    *out = (unsigned)n * scale;
    return code;
}

static int handle(void *context, size_t index, const char *value)
{
    struct explore *e = context;
    switch (index) {
    case OPT_KERNEL:
        e->kernel = value;
        return 0;
    case OPT_GLOBAL:
        e->has_global = true;
        return set_sizes("global", value, e->launch.global);
    case OPT_LOCAL:
        e->has_local = true;
        return set_sizes("local", value, e->launch.local);
    case OPT_SUB_GROUP:
        return set_number("subgroup", value, 65536, 1, &e->launch.sub_group);
    case OPT_ARG:
        return add_text(&e->args, "arg", value);
    case OPT_INPUT:
        return add_text(&e->inputs, "input", value);
    case OPT_ASSERT:
        return add_text(&e->asserts, "assert", value);
    case OPT_FILTER:
        return add_text(&e->filters, "filter", value);
    case OPT_MODEL:
        e->model = value;
        return 0;
    case OPT_SWITCH:
        return add_text(&e->switches, "switch", value);
    case OPT_ENGINE:
        return set_engine(e, value);
    case OPT_BOUND:
        return set_number("bound", value, 1000, 1, &e->options.unroll);
    case OPT_PROGRESS:
        return set_progress(&e->options.progress, value);
    case OPT_TIMEOUT:
        return set_number("timeout", value, 86400, 1000, &e->options.timeout_ms);
    case OPT_BUILD:
        e->build_options = value;
        return 0;
    case OPT_JSON:
        e->json = value;
        return 0;
    case OPT_STATES:
        e->states = true;
        return 0;
    case OPT_WITNESSES:
        e->options.executions = true;
        return 0;
    default:
        e->explain = e->options.explain = true;
        return 0;
    }
}

/* ---- reading ------------------------------------------------------------------------------------ */

static int read_file(const char *path, char **data, size_t *size)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t capacity = 0;
    *data = NULL;
    *size = 0;
    if (!f)
        return tool_error(EXIT_USAGE, "cannot read '%s'", path);
    for (;;) {
        if (*size + 65536 > capacity) {
            capacity = capacity * 2 + 65536;
            char *bigger = mm_realloc(*data, capacity);
            if (!bigger)
                break;
            *data = bigger;
        }
        size_t n = fread(*data + *size, 1, capacity - *size, f);
        if (n == 0)
            break;
        *size += n;
    }
    bool failed = ferror(f) || !*data;
    if (f != stdin)
        fclose(f);
    return failed ? tool_error(EXIT_USAGE, "cannot read '%s'", path) : 0;
}

/* OpenCL C becomes SPIR-V first. */
static int compile(const struct explore *e, const char *path, char **data, size_t *size)
{
    struct rt_binary binary = {0};
    struct mm_error err = {0};
    enum mm_class r = tool_compile_cl(path, *data, *size,
                                      e->build_options ? e->build_options : "-cl-std=CL3.0", &binary, &err);
    mm_free(*data);
    *data = binary.data;
    *size = binary.size;
    return r == MM_OK ? 0 : tool_report(&err);
}

static void shape(const struct explore *e, struct ex *ex)
{
    if (e->has_global)
        memcpy(ex->launch.global, e->launch.global, sizeof ex->launch.global);
    if (e->has_local)
        memcpy(ex->launch.local, e->launch.local, sizeof ex->launch.local);
    else if (e->has_global)
        memcpy(ex->launch.local, ex->launch.global, sizeof ex->launch.local);
    if (e->launch.sub_group)
        ex->launch.sub_group = e->launch.sub_group;
    else if (e->has_global || e->has_local)
        ex->launch.sub_group = ex->launch.local[0] * ex->launch.local[1] * ex->launch.local[2];
}

static enum mm_class prepare(const struct explore *e, struct ex *ex, struct ck_program **program,
                             struct mm_error *err)
{
    shape(e, ex);
    ex->kernel = e->kernel;
    ex->arguments = e->args.items;
    ex->argument_count = (uint32_t)e->args.count;
    enum mm_class r = MM_OK;
    for (size_t i = 0; i < e->inputs.count && !r; i++)
        r = ex_add_line(ex, EX_INPUT, e->inputs.items[i], err);
    for (size_t i = 0; i < e->asserts.count && !r; i++)
        r = ex_add_line(ex, EX_OUTPUT, e->asserts.items[i], err);
    for (size_t i = 0; i < e->filters.count && !r; i++)
        r = ex_add_line(ex, EX_FILTER, e->filters.items[i], err);
    return r ? r : ex_lower(ex, program, err);
}

/* ---- deciding ----------------------------------------------------------------------------------- */

static const char *termination_name(enum ck_answer answer)
{
    return answer == CK_YES ? "always" : answer == CK_NO ? "not-always" : "unknown";
}

static int worse(int a, int b)
{
    static const int rank[] = {
        [EXIT_CLEAN] = 0, [EXIT_UNKNOWN] = 1, [EXIT_FINDINGS] = 2, [EXIT_USAGE] = 3, [EXIT_TOOL] = 4};
    return rank[a] >= rank[b] ? a : b;
}

static void print_verdict(const struct explore *e, const struct ck_program *program,
                          const struct ck_verdict *v, const char *file, const char *engine)
{
    fprintf(e->text,
            "%s: condition %s, race %s, divergence %s, termination %s, %zu state%s%s (%s, %.1f ms)\n", file,
            verdict_condition_name(v->condition), verdict_race_name(v->race),
            verdict_race_name(v->divergence), termination_name(v->termination), v->state_count,
            v->state_count == 1 ? "" : "s", v->states_complete ? "" : " or more", engine, v->time_ms);
    for (size_t i = 0; i < v->flag_count; i++)
        fprintf(e->text, "    found: %s\n", v->flags[i]);
    if (v->limit.cls)
        fprintf(e->text, "    limit: %s\n", v->limit.message);
    if (e->states)
        verdict_print_states(program, v, e->text);
    if (e->explain)
        verdict_print_explanation(program, v, e->text);
}

static int exit_code(const struct ck_verdict *v)
{
    if (v->condition == CK_NO || v->race == CK_YES || v->divergence == CK_YES || v->termination == CK_NO)
        return EXIT_FINDINGS;
    for (size_t i = 0; i < v->flag_count; i++)
        return EXIT_FINDINGS;
    return !v->condition || !v->race ? EXIT_UNKNOWN : EXIT_CLEAN;
}

/* Each execution that was kept must come out of the interpreter, too. */
static int replay(const struct explore *e, struct ex *ex, const struct ck_verdict *v, cJSON *json)
{
    cJSON *array = e->options.executions && json ? cJSON_AddArrayToObject(json, "witnesses") : NULL;
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < v->shown_count; i++) {
        static const char *const results[] = {"replayed", "NOT replayed", "of undefined values"};
        char what[REPLAY_TEXT], why[REPLAY_TEXT] = "";
        enum replay_result result = replay_execution(ex, &v->shown[i], why);
        replay_describe(ex->program, &v->shown[i], what);
        fprintf(e->text, "    witness %s (%zu events):%s%s%s%s\n", results[result], v->shown[i].count,
                *what == ' ' ? "" : " ", what, *why ? "; " : "", why);
        if (array)
            cJSON_AddItemToArray(array, replay_json(ex->program, &v->shown[i], result == REPLAY_SAME, why));
        code = result == REPLAY_DIFFERS ? EXIT_TOOL : code;
    }
    return code;
}

static cJSON *to_json(const struct ck_program *program, const struct ck_verdict *v, const char *file,
                      const char *engine)
{
    cJSON *json = verdict_to_json(program, v, file);
    cJSON_AddStringToObject(json, "divergence", verdict_race_name(v->divergence));
    cJSON_AddStringToObject(json, "termination", termination_name(v->termination));
    cJSON_AddStringToObject(json, "engine", engine);
    return json;
}

/* What either engine knows. */
static int contradict(const struct ck_verdict *a, const struct ck_verdict *b)
{
    if ((a->condition && b->condition && a->condition != b->condition) ||
        (a->race && b->race && a->race != b->race))
        return tool_error(EXIT_TOOL, "search and Z3 disagree");
    return 0;
}

static bool has_let(const struct mm_cat_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->let_count; i++)
        if (strcmp(model->lets[i].name, name) == 0)
            return true;
    return false;
}

/* The value that stays in memory in the end: coherence orders only what the model makes it order, for plain
 * writes it is happens-before (location order in Vulkan) that tells [CL 3.3.4; Vulkan location-ordered]. */
static int with_final_order(const struct explore *e, const char *path, bool z3, struct mm_cat_model **cat)
{
    static const struct {
        const char *let, *order;
    } orders[] = {
        {"locord", "locord"}, {"location-ordered", "location-ordered"}, {"ghb", "(ghb | lhb)"}, {"hb", "hb"}};
    char line[200], *text;
    size_t size, k = 0;
    struct mm_error err = {0};
    int code = read_file(path, &text, &size);
    while (k < sizeof orders / sizeof *orders && !has_let(*cat, orders[k].let))
        k++;
    const char *order = k < sizeof orders / sizeof *orders ? orders[k].order : "po";
    /* search looks at the order itself; for Z3 coherence has to follow it */
    int n = snprintf(line, sizeof line,
                     z3 ? "\nacyclic (co | ((W * W) & loc & (po | %s))) as final-order\n"
                        : "\nflag ~empty ((W * W) & loc & (po | %s)) as final-order\n",
                     order);
    char *longer = code ? NULL : mm_realloc(text, size + (size_t)n + 1);
    mm_cat_destroy(*cat);
    *cat = NULL;
    if (!longer) {
        mm_free(text);
        return code ? code : tool_error(EXIT_TOOL, "out of memory");
    }
    memcpy(longer + size, line, (size_t)n + 1);
    if (mm_cat_parse(longer, path, e->switches.items, cat, &err) != MM_OK)
        code = tool_report(&err);
    mm_free(longer);
    return code;
}

static int load_model(const struct explore *e, bool vulkan, bool z3, struct mm_cat_model **cat)
{
    char path[PATH_MAX];
    struct mm_error err = {0};
    int code = tool_find_model(e->model ? e->model : vulkan ? "vulkan.cat" : "opencl.cat", path);
    if (code)
        return code;
    if (mm_cat_load(path, e->switches.items, cat, &err) != MM_OK)
        return tool_report(&err);
    return with_final_order(e, path, z3, cat);
}

static int ask(const struct explore *e, const struct ck_program *program, bool z3, unsigned timeout_ms,
               struct ck_verdict *v)
{
    struct mm_cat_model *cat = NULL;
    struct mm_error err = {0};
    struct ck_options limits = e->options;
    int failed = load_model(e, program->vulkan, z3, &cat);
    if (failed)
        return failed;
    limits.timeout_ms = timeout_ms;
    if (z3)
        limits.bound = limits.unroll; /* Z3 counts the ways back */
    enum mm_class r = z3 ? ck_z3(program, cat, &limits, v, &err) : ck_search(program, cat, &limits, v, &err);
    mm_cat_destroy(cat);
    return r == MM_OK ? 0 : tool_report(&err);
}

static int present(const struct explore *e, struct ex *ex, const struct ck_verdict *v, const char *file,
                   const char *engine)
{
    print_verdict(e, ex->program, v, file, engine);
    cJSON *json = e->tests ? to_json(ex->program, v, file, engine) : NULL;
    int code = worse(exit_code(v), replay(e, ex, v, json));
    if (json)
        cJSON_AddItemToArray(e->tests, json);
    return code;
}

/* What V leaves open; that more rounds of loops would tell more is no question for the other engine. */
static bool is_open(const struct ck_verdict *v)
{
    bool bound = v->limit.cls && strcmp(v->limit.rule, "search.bound") == 0;
    return !bound && (!v->condition || !v->race || !v->divergence || !v->termination);
}

/* Answers that V leaves open are taken from Z3. */
static void complete(struct ck_verdict *v, const struct ck_verdict *z3)
{
    v->condition = v->condition ? v->condition : z3->condition;
    v->race = v->race ? v->race : z3->race;
    v->divergence = v->divergence ? v->divergence : z3->divergence;
    v->termination = v->termination ? v->termination : z3->termination;
    v->time_ms += z3->time_ms;
    if (!v->states_complete && z3->states_complete) {
        v->states = z3->states;
        v->state_count = z3->state_count;
        v->states_complete = true;
    }
    if (z3->flag_count > v->flag_count) {
        v->flags = z3->flags;
        v->flag_count = z3->flag_count;
    }
    if (!is_open(v))
        v->limit.cls = MM_OK;
}

/* Search, for a part of the time, and Z3 where that leaves something open. */
static int decide_auto(const struct explore *e, struct ex *ex, const char *file)
{
    struct ck_verdict v = {0}, z3 = {0};
    unsigned first = e->options.timeout_ms / 3;
    int code = ask(e, ex->program, false, first ? first : e->options.timeout_ms, &v);
    bool both = !code && is_open(&v);
    if (both)
        code = ask(e, ex->program, true, e->options.timeout_ms - first, &z3);
    if (!code && both) {
        code = contradict(&v, &z3);
        complete(&v, &z3);
    }
    if (!code)
        code = present(e, ex, &v, file, both ? "both" : "search");
    ck_verdict_clear(&v);
    ck_verdict_clear(&z3);
    return code;
}

static int decide(const struct explore *e, struct ex *ex, const char *file)
{
    struct ck_verdict v[2] = {0};
    int code = 0, failed = 0;
    if (e->engines == ENGINE_AUTO)
        return decide_auto(e, ex, file);
    for (int i = 0; i < 2 && !failed && code != EXIT_TOOL; i++) {
        if (!(e->engines & (i ? ENGINE_Z3 : ENGINE_SEARCH)))
            continue;
        failed = ask(e, ex->program, i == 1, e->options.timeout_ms, &v[i]);
        code = worse(code, failed ? failed : present(e, ex, &v[i], file, i ? "z3" : "search"));
    }
    if (e->engines == (ENGINE_SEARCH | ENGINE_Z3))
        code = worse(code, contradict(&v[0], &v[1]));
    ck_verdict_clear(&v[0]);
    ck_verdict_clear(&v[1]);
    return code;
}

static int explore_file(struct explore *e, const char *path)
{
    char *data;
    size_t size;
    struct ex *ex = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    int code = read_file(path, &data, &size);
    if (!code && (tool_has_suffix(path, ".cl") || tool_has_suffix(path, ".clcpp")))
        code = compile(e, path, &data, &size);
    if (!code && (ex_read(data, size, path, &ex, &err) != MM_OK || prepare(e, ex, &program, &err) != MM_OK))
        code = tool_report(&err);
    if (!code)
        code = decide(e, ex, path);
    if (!program && e->tests) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "file", path);
        cJSON_AddStringToObject(json, "error", err.message);
        cJSON_AddItemToArray(e->tests, json);
    }
    ex_destroy(ex);
    mm_free(data);
    return code;
}

static int run(int argc, char **argv)
{
    struct explore e = {.engines = ENGINE_AUTO, .options = {.timeout_ms = 60000, .unroll = 4}};
    int code = 0;
    int first = tool_options(&cmd_explore, argc, argv, false, handle, &e, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no kernel given");
    FILE *out = e.json ? tool_open_output(e.json) : NULL;
    if (e.json && !out)
        return EXIT_USAGE;
    e.text = out == stdout ? fopen("/dev/null", "w") : stdout;
    if (!e.text)
        return tool_error(EXIT_TOOL, "cannot open /dev/null");
    cJSON *root = e.json ? verdict_json_root(e.model ? e.model : "") : NULL;
    e.tests = root ? cJSON_AddArrayToObject(root, "tests") : NULL;
    for (int i = first; i < argc; i++)
        code = worse(code, explore_file(&e, argv[i]));
    if (root)
        code = worse(code, json_write(root, out, e.json));
    if (e.text != stdout)
        fclose(e.text);
    return code;
}

const struct tool_command cmd_explore = {"explore", "FILE.cl|.spv|.spvasm...",
                                         "every execution of a small kernel launch", options, run};
