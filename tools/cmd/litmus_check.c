/* refcl litmus check: decides litmus tests under a memory model. */
#include "memmodel/base/escape.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/litmus_files.h"
#include "tools/cmd/litmus_shown.h"
#include "tools/guard.h"
#include "tools/interrupt.h"
#include "tools/page.h"
#include "tools/verdict_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum engine { ENGINE_SEARCH, ENGINE_Z3, ENGINE_BOTH };
static const char *const engine_names[] = {"search", "z3", "both"};

struct check {
    const char *model;
    struct tool_texts switches;
    enum engine engine;
    struct ck_options options;
    struct guard guard; /* of each test */
    const char *json, *html;
    struct litmus_shown shown;
    FILE *text; /* the table; /dev/null when the JSON is written to stdout */
    bool states, explain, verify;
    struct mm_cat_model *cat;
    cJSON *tests;
    struct outcome *outcome; /* shared with the processes that decide */
};
struct outcome {
    bool unknown, wrong;
    bool begun, cut; /* the current test: it was begun, and interrupted */
    int code;        /* of the tests that ended */
    size_t next;     /* number of the current test */
    size_t decided;  /* tests that ended, and were not interrupted */
    size_t written;  /* witnesses */
};

static const struct tool_option options[] = {
    {"model", 'm', "FILE.cat", "REFCL_MODEL", "memory model (default opencl.cat)",
     TOOL_TO(struct check, model)},
    {"switch", 's', "NAME=VALUE", NULL, "select a variant of the model; may be repeated",
     TOOL_TO(struct check, switches)},
    {"engine", 'e', "NAME", "REFCL_CHECK_ENGINE", "search, z3 or both (default search)",
     TOOL_CHOICE(struct check, engine, "search z3 both")},
    {"bound", 'b', "K", "REFCL_BOUND", "loop unroll bound (default 2)",
     TOOL_NUMBER(struct check, options.bound, 0, 1000)},
    {"timeout", 't', "S", "REFCL_TIMEOUT",
     "limit of CPU and wall-clock seconds for each test and engine (default 60, 0 = no limit)",
     TOOL_SECONDS(struct check, options.timeout_ms)},
    {"memory-limit", 0, "MIB", "REFCL_MEMORY_LIMIT",
     "memory limit for each test, in MiB (default 2048, 0 = no limit)",
     TOOL_NUMBER(struct check, guard.mebibytes, 0, 1 << 22)},
    {"json", 'j', "OUT", "REFCL_JSON", "write the verdicts as JSON, - for stdout",
     TOOL_TO(struct check, json)},
    {"html", 0, "OUT", "REFCL_HTML", "write an HTML page of these executions, to be stepped through",
     TOOL_TO(struct check, html)},
    {"states", 0, NULL, "REFCL_STATES", "list the allowed final states", TOOL_TO(struct check, states)},
    {"explain", 0, NULL, "REFCL_EXPLAIN", "print a witness, or the axioms that forbid the outcome",
     TOOL_TO(struct check, explain)},
    {"verify", 0, NULL, "REFCL_VERIFY", "compare with the Expect, States, Race and Usage lines of the tests",
     TOOL_TO(struct check, verify)},
    {"witnesses", 0, NULL, "REFCL_WITNESSES",
     "print a witness for each allowed final state and each flag: events and relations",
     TOOL_TO(struct check, shown.text)},
    {"witness", 'w', "FOLDER", "REFCL_WITNESS",
     "write each such execution as a Graphviz graph to a file in FOLDER",
     TOOL_TO(struct check, shown.folder)},
    TOOL_OPTION_END};

/* Two verdicts contradict each other if both are decided. */
static const char *find_contradiction(const struct ck_program *program, const struct ck_verdict *a,
                                      const struct ck_verdict *b)
{
    if (a->condition && b->condition && a->condition != b->condition)
        return "condition";
    if (a->race && b->race && a->race != b->race)
        return "race";
    if (a->usage && b->usage && a->usage != b->usage)
        return "usage";
    if (!a->states_complete || !b->states_complete)
        return NULL;
    if (a->state_count != b->state_count)
        return "number of allowed states";
    for (size_t i = 0; i < a->state_count; i++)
        if (memcmp(a->states[i].values, b->states[i].values, program->observed_count * sizeof(uint64_t)) != 0)
            return "allowed states";
    return NULL;
}

/* Compares the property NAME of the test's comment with GOT, the verdict's WHAT; prints a difference. */
static bool is_expected(const struct lt_test *test, const char *name, const char *what, const char *got,
                        const char *file, FILE *out)
{
    const char *expected = lt_test_property(test, name);
    bool good = !expected || strcmp(expected, got) == 0;
    if (!good)
        mm_print(out, "%s: expected %s %s, got %s\n", file, what, expected, got);
    return good;
}

/* Compares with the expectations in the test's comment; prints the differences. */
static bool as_expected(const struct lt_test *test, const struct ck_verdict *verdict, const char *file,
                        FILE *out)
{
    bool good =
        is_expected(test, "Expect", "condition", verdict_condition_name(verdict->condition), file, out);
    good &= is_expected(test, "Race", "race", verdict_race_name(verdict->race), file, out);
    good &= is_expected(test, "Usage", "usage", verdict_race_name(verdict->usage), file, out);
    const char *states = lt_test_property(test, "States");
    if (states && (!verdict->states_complete || strtoull(states, NULL, 10) != verdict->state_count)) {
        mm_print(out, "%s: expected %s states, got %zu\n", file, states, verdict->state_count);
        good = false;
    }
    return good;
}

static void print_verdict(const struct check *check, const struct ck_program *program,
                          const struct ck_verdict *verdict, const char *file, const char *engine)
{
    const char *usage = verdict->usage == CK_NO ? "" : verdict_race_name(verdict->usage);
    mm_print(check->text, "%-40s condition %-7s race %-7s %s%s%sstates %3zu%s  %.1f ms%s%s\n", file,
             verdict_condition_name(verdict->condition), verdict_race_name(verdict->race),
             *usage ? "usage " : "", usage, *usage ? " " : "", verdict->state_count,
             verdict->states_complete ? "" : "+", verdict->time_ms, engine ? "  " : "", engine ? engine : "");
    if (verdict->limit.cls)
        mm_print(check->text, "    unknown: %s\n", verdict->limit.message);
    if (check->states)
        verdict_print_states(program, verdict, check->text);
    if (check->explain)
        verdict_print_explanation(program, verdict, check->text);
}

/* Asks ENGINE, and files its answers in the outcome. */
static int ask_engine(struct check *check, const struct lt_test *test, const struct ck_program *program,
                      const char *file, enum engine engine, struct ck_verdict *verdict, struct mm_error *err)
{
    if ((engine == ENGINE_Z3 ? ck_z3 : ck_search)(program, check->cat, &check->options, verdict, err) !=
        MM_OK)
        return tool_report(err);
    guard_name_limit(&check->guard, &verdict->limit);
    print_verdict(check, program, verdict, file, check->engine == ENGINE_BOTH ? engine_names[engine] : NULL);
    const char *expect = check->verify ? lt_test_property(test, "Expect") : NULL;
    if (!expect || strcmp(expect, "unknown") != 0) /* else it is what the test says */
        check->outcome->unknown |= !verdict->condition || !verdict->race || !verdict->usage;
    bool cut = verdict->limit.cls && strcmp(verdict->limit.rule, CK_INTERRUPTED) == 0;
    check->outcome->cut |= cut;
    if (check->verify && !cut && !as_expected(test, verdict, file, check->text))
        check->outcome->wrong = true;
    return 0;
}

/* The verdict as JSON; NULL: none was asked for. */
static cJSON *to_json(const struct check *check, const struct ck_program *program,
                      const struct ck_verdict *verdict, const char *file)
{
    cJSON *json = check->tests ? verdict_to_json(program, verdict, file) : NULL;
    if (json)
        cJSON_AddStringToObject(json, "engine", engine_names[check->engine]);
    return json;
}

/* Prints what would remove the races of VERDICT, if --explain asks for it, and adds it to JSON. */
static int add_advice(struct check *check, const struct ck_program *program, const struct ck_verdict *verdict,
                      cJSON *json, struct mm_error *err)
{
    struct ck_advice advice = {0};
    if (!check->explain || verdict->race != CK_YES)
        return 0;
    if (ck_advise(program, check->cat, &check->options, &advice, err) != MM_OK)
        return tool_report(err);
    verdict_print_advice(program, &advice, check->text);
    if (json)
        cJSON_AddItemToObject(json, "advice", verdict_advice_json(program, &advice));
    return 0;
}

/* Asks the engines that were chosen; the first one's answers are shown. */
static int decide_test(struct check *check, const struct lt_test *test, const struct ck_program *program,
                       const char *file, struct mm_error *err)
{
    struct ck_verdict verdicts[2] = {0}, *first = &verdicts[check->engine == ENGINE_Z3];
    int code = 0;
    for (enum engine engine = ENGINE_SEARCH; engine <= ENGINE_Z3 && !code; engine++)
        if (check->engine == engine || check->engine == ENGINE_BOTH)
            code = ask_engine(check, test, program, file, engine, &verdicts[engine], err);
    cJSON *json = code ? NULL : to_json(check, program, first, file);
    if (!code)
        code = add_advice(check, program, first, json, err);
    if (code) {
        cJSON_Delete(json);
        json = NULL;
    }
    cJSON_AddItemToArray(check->tests, json);
    if (!code && check->options.executions)
        code = litmus_show(&check->shown, program, first, file, json, check->text);
    const char *differs = !code && check->engine == ENGINE_BOTH
                              ? find_contradiction(program, &verdicts[0], &verdicts[1])
                              : NULL;
    if (differs) {
        mm_fail_at(err, MM_BUG, "check.engines", file, 0, 0,
                   "search and Z3 disagree on the %s: please report this", differs);
        code = tool_report(err);
    }
    ck_verdict_clear(&verdicts[0]);
    ck_verdict_clear(&verdicts[1]);
    return code;
}

static int check_file(struct check *check, const char *file)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    int code = 0;
    if (lt_parse_file(file, &test, &err) != MM_OK || lt_lower(test, &program, &err) != MM_OK)
        code = tool_report(&err);
    else
        code = decide_test(check, test, program, file, &err);
    if (err.cls && check->tests) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "file", file);
        cJSON_AddStringToObject(json, "error", err.message);
        cJSON_AddItemToArray(check->tests, json);
    }
    ck_program_destroy(program);
    lt_test_destroy(test);
    return code;
}

struct files_work {
    struct check *check;
    const struct litmus_files *files;
};

/* Decides tests from the current one on.  A process decides many of them with the search: most take less time
 * than starting it. */
static int files_work(void *context)
{
    struct files_work *w = context;
    struct outcome *outcome = w->check->outcome;
    w->check->shown.written = outcome->written;
    bool more = true;
    while (more) {
        outcome->begun = true;
        outcome->cut = false;
        int code = check_file(w->check, w->files->paths[outcome->next]);
        outcome->written = w->check->shown.written;
        if (tool_flush(0))
            return EXIT_TOOL;
        outcome->code = tool_worse_code(outcome->code, code);
        outcome->decided += !outcome->cut;
        outcome->begun = false;
        more = ++outcome->next < w->files->count && w->check->engine == ENGINE_SEARCH &&
               guard_next(&w->check->guard);
    }
    return 0;
}

/* A result for FILE in which every answer is unknown, with the limit that was reached. */
static int report_limit(struct check *check, const char *file, enum guard_end end)
{
    const struct ck_program none = {.name = ""};
    struct ck_verdict v = {0};
    guard_explain(&check->guard, end, &v.limit);
    if (end == GUARD_BROKEN)
        return tool_report(&v.limit);
    if (end != GUARD_INTERRUPTED || check->outcome->begun) /* the others are counted */
        print_verdict(check, &none, &v, file, NULL);
    cJSON_AddItemToArray(check->tests, to_json(check, &none, &v, file));
    return EXIT_UNKNOWN;
}

/* Decides the current test and others that follow it. */
static int check_guarded(struct check *check, const struct litmus_files *files)
{
    struct files_work w = {check, files};
    int code = EXIT_TOOL;
    check->outcome->begun = check->outcome->cut = false;
    size_t first = check->outcome->next;
    enum guard_end end = guard_run(&check->guard, files_work, &w, check->tests, &code);
    if (end == GUARD_DONE) {
        check->outcome->next += check->outcome->next == first; /* its results could not be written */
        return code;
    }
    /* the process may also end where no test is begun: before the first one, or after one that it decided */
    check->outcome->next += check->outcome->begun || check->outcome->next == first;
    return report_limit(check, files->paths[check->outcome->next - 1], end);
}

/* Decides every test below PATHS; writes the JSON if it is asked for. */
static int check_paths(struct check *check, const char *model_path, int count, char **paths)
{
    FILE *json_out = check->json ? tool_open_output(check->json) : NULL;
    if (check->json && !json_out)
        return EXIT_USAGE;
    check->text = json_out == stdout ? fopen("/dev/null", "w") : stdout;
    if (!check->text)
        return tool_error(EXIT_TOOL, "cannot open /dev/null");
    verdict_use_model(check->cat);
    cJSON *root = check->json || check->html ? verdict_json_root(model_path) : NULL;
    if (root)
        verdict_add_model(root, check->cat);
    check->tests = root ? cJSON_AddArrayToObject(root, "tests") : NULL;
    struct litmus_files files = {0};
    int code = 0;
    for (int i = 0; i < count; i++)
        code = tool_worse_code(code, litmus_files_add(&files, paths[i]));
    while (check->outcome->next < files.count)
        code = tool_worse_code(code, check_guarded(check, &files));
    code = tool_worse_code(code, check->outcome->code);
    char meaning[80];
    snprintf(meaning, sizeof meaning, "tests that were decided: %zu of %zu; the others are unknown",
             check->outcome->decided, files.count);
    verdict_print_model(check->cat, check->text);
    litmus_files_clear(&files);
    if (root && check->html)
        code = tool_worse_code(code, tool_write_verdict_page(root, check->html));
    if (root && json_out)
        code = tool_worse_code(code, json_write(root, json_out, check->json));
    else
        cJSON_Delete(root);
    if (check->text != stdout)
        fclose(check->text);
    return tool_interrupt_end(code, meaning);
}

struct model_work {
    struct check *check;
    const char *path;
};

static int load_model(void *context)
{
    struct model_work *w = context;
    struct mm_error err = {0};
    return mm_cat_load(w->path, w->check->switches.items, &w->check->cat, &err) == MM_OK ? 0
                                                                                         : tool_report(&err);
}

/* A child process reads the test first, so that reading is bounded by the time and memory limits of a
 * test. */
static int load_guarded(struct check *check, const char *path)
{
    struct model_work w = {check, path};
    struct mm_error err = {0};
    int code = EXIT_TOOL;
    enum guard_end end = guard_run(&check->guard, load_model, &w, NULL, &code);
    if (end == GUARD_DONE)
        return code ? code : load_model(&w);
    guard_explain(&check->guard, end, &err);
    return tool_interrupt_end(
        tool_error(end == GUARD_BROKEN ? EXIT_TOOL : EXIT_UNKNOWN, "%s: %s", path, err.message),
        "no test was decided");
}

static int litmus_check_main(int argc, char **argv)
{
    struct check check = {.model = "opencl.cat",
                          .options = {.timeout_ms = 60000},
                          .guard = {.mebibytes = GUARD_DEFAULT_MEBIBYTES}};
    int code = 0;
    int first = tool_options(&cmd_litmus_check, argc, argv, false, &check, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no litmus test given");
    char model_path[PATH_MAX];
    code = tool_find_model(check.model, model_path);
    if (code)
        return code;
    check.options.explain = check.explain;
    check.options.executions = check.html || check.shown.folder || check.shown.text;
    /* advice has as much time again */
    check.guard.seconds =
        check.options.timeout_ms * 1e-3 * (1 + (check.engine == ENGINE_BOTH) + check.explain);
    check.options.memory_limit = guard_soft_memory(&check.guard);
    check.options.interrupted = &tool_interrupted;
    tool_interrupt_catch();
    code = load_guarded(&check, model_path);
    if (code)
        return code;
    check.outcome = guard_share(sizeof *check.outcome);
    code = check.outcome ? check_paths(&check, model_path, argc - first, argv + first)
                         : tool_error(EXIT_TOOL, "out of memory");
    mm_cat_destroy(check.cat);
    if (check.outcome && check.outcome->wrong)
        code = tool_worse_code(code, EXIT_FINDINGS);
    if (check.outcome && check.outcome->unknown)
        code = tool_worse_code(code, EXIT_UNKNOWN);
    guard_unshare(check.outcome, sizeof *check.outcome);
    return code;
}

const struct tool_command cmd_litmus_check = {
    "litmus check", "FILE|FOLDER...",
    "decide litmus tests under a memory model: allowed states, condition, races", options, litmus_check_main};
