/* refcl explore: every execution of a small kernel launch, by a memory model. */
#include "checker/program/file.h"
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "tools/cmd/commands.h"
#include "tools/commands/record.h"
#include "tools/compile_cl.h"
#include "tools/explore/command.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/guard.h"
#include "tools/interrupt.h"
#include "tools/page.h"
#include "tools/prove/command.h"
#include "tools/verdict_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------ */

static bool is_source(const char *path)
{
    return tool_has_suffix(path, ".cl") || tool_has_suffix(path, ".clcpp");
}

int explore_read_file(enum mm_input kind, const char *path, char **data, size_t *size)
{
    struct mm_error err = {0};
    const char *name = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
    return mm_input_read(kind, name, data, size, &err) == MM_OK ? 0 : tool_report(&err);
}

/* OpenCL C becomes SPIR-V first; it is kept for witnesses. */
static int compile_source(struct explore *e, const char *path, char **data, size_t *size,
                          struct mm_error *err)
{
    struct rt_binary binary = {0};
    enum mm_class r = tool_compile_cl(
        path, *data, *size, e->build.options ? e->build.options : TOOL_BUILD_STANDARD, &binary, err);
    e->source = *data;
    *data = binary.data;
    *size = binary.size;
    return r == MM_OK ? 0 : tool_report(err);
}

/* Sizes of options come before those of the file; 0: open. */
static void choose_sizes(const struct explore *e, struct ex *ex)
{
    struct ex_launch *l = &ex->config.launch;
    if (e->has_global || e->has_local)
        l->sub_group = 0;
    if (e->has_global)
        memcpy(l->global, e->launch.global, sizeof l->global);
    if (e->has_global || e->has_local)
        memcpy(l->local, e->launch.local, sizeof l->local);
    if (e->launch.sub_group)
        l->sub_group = e->launch.sub_group;
}

static enum mm_class lower_kernel(struct explore *e, struct ex *ex, struct ck_program **program,
                                  struct mm_error *err)
{
    choose_sizes(e, ex);
    ex->config.kernel = e->kernel;
    ex->config.arguments = e->args.items;
    ex->config.argument_count = (uint32_t)e->args.count;
    ex->config.requirements = e->requirements.items;
    ex->config.requirement_count = e->requirements.count;
    bool described = e->has_global || e->has_local || e->args.count || e->inputs.count;
    enum mm_class r = !described && e->source ? explore_choose(e, ex, err) : MM_OK;
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

enum { MOST_FAILURES = 4, UNCOVERED_TEXT = 100 };

/* "condition holds, " where one was asked for. */
static void print_condition(const struct explore *e, const struct ck_program *program,
                            const struct ck_verdict *v)
{
    bool asked = program->props && program->props[program->condition].op != CK_PROP_TRUE;
    if (asked || e->asserts.count || v->condition != CK_YES)
        mm_print(e->text, "condition %s, ", verdict_condition_name(v->condition));
}

/* Final states that a failed condition fails in. */
static void print_failures(const struct ck_program *program, const struct ck_verdict *v, FILE *out)
{
    size_t count = 0;
    char text[4096];
    for (size_t i = 0; v->condition == CK_NO && i < v->state_count; i++) {
        if (v->states[i].satisfies != (program->quantifier == CK_NOT_EXISTS) || ++count > MOST_FAILURES)
            continue;
        verdict_state_text(program, v->states[i].values, text, sizeof text);
        mm_print(out, "    it fails with%s\n", text);
    }
    if (count > MOST_FAILURES)
        mm_print(out, "    it fails with %zu more (--states)\n", count - MOST_FAILURES);
}

/* What the answers do not cover, in TEXT, which is returned; NULL: nothing. */
static const char *name_uncovered(const struct ex *ex, char *text, size_t size)
{
    const struct in_inst *place = ex->printed ? ex_nearest_place(ex, ex->printed) : NULL;
    if (!ex->printed)
        return NULL;
    if (place && place->line)
        snprintf(text, size, "the output of printf (line %u)", place->line);
    else
        snprintf(text, size, "the output of printf");
    return text;
}

static void print_verdict(const struct explore *e, const struct ex *ex, const struct ck_verdict *v,
                          const char *file, const char *engine)
{
    const struct ck_program *program = ex->program;
    char text[UNCOVERED_TEXT];
    const char *uncovered = name_uncovered(ex, text, sizeof text);
    mm_print(e->text, "%s: ", file);
    print_condition(e, program, v);
    mm_print(e->text,
             "race %s, usage %s, divergence %s, termination %s, %zu state%s%s (%s, %.1f "
             "ms)\n",
             verdict_race_name(v->race), verdict_race_name(v->usage), verdict_race_name(v->divergence),
             termination_name(v->termination), v->state_count, v->state_count == 1 ? "" : "s",
             v->states_complete ? "" : " or more", engine, v->time_ms);
    if (ex->uses_sub_groups)
        mm_print(e->text, "    sub-group size: %u\n", ex->config.launch.sub_group);
    for (size_t i = 0; i < v->flag_count; i++)
        mm_print(e->text, "    found: %s\n", v->flags[i]);
    if (v->limit.cls)
        mm_print(e->text, "    limit: %s\n", v->limit.message);
    if (uncovered)
        mm_print(e->text, "    not covered: %s\n", uncovered);
    if (e->states)
        verdict_print_states(program, v, e->text);
    else
        print_failures(program, v, e->text);
    if (e->explain)
        verdict_print_explanation(program, v, e->text);
}

static bool has_unknown(const struct ck_verdict *v)
{
    return !v->condition || !v->race || !v->usage || !v->divergence || !v->termination;
}

static int exit_code(const struct ck_verdict *v)
{
    if (v->condition == CK_NO || ck_verdict_undefined(v) == CK_YES || v->flag_count > 0 ||
        v->divergence == CK_YES || v->termination == CK_NO)
        return EXIT_FINDINGS;
    return has_unknown(v) ? EXIT_UNKNOWN : EXIT_CLEAN;
}

static cJSON *to_json(const struct ex *ex, const struct ck_verdict *v, const char *file, const char *engine)
{
    cJSON *json = verdict_to_json(ex->program, v, file);
    char text[UNCOVERED_TEXT];
    const char *uncovered = name_uncovered(ex, text, sizeof text);
    if (uncovered)
        cJSON_AddStringToObject(json, "not_covered", uncovered);
    if (ex->uses_sub_groups)
        cJSON_AddNumberToObject(json, "sub_group_size", ex->config.launch.sub_group);
    cJSON_AddStringToObject(json, "divergence", verdict_race_name(v->divergence));
    cJSON_AddStringToObject(json, "termination", termination_name(v->termination));
    cJSON_AddStringToObject(json, "engine", engine);
    return json;
}

/* Returns an exit code after an error if both engines have an answer, and it differs. */
static int report_contradiction(const struct ck_verdict *a, const struct ck_verdict *b)
{
    if ((a->condition && b->condition && a->condition != b->condition) ||
        (a->race && b->race && a->race != b->race) || (a->usage && b->usage && a->usage != b->usage))
        return tool_error(EXIT_TOOL, "search and Z3 disagree");
    return 0;
}

static cJSON *show_verdict(struct explore *e, struct ex *ex, const struct ck_verdict *v, const char *file,
                           const char *engine)
{
    print_verdict(e, ex, v, file, engine);
    cJSON *json = e->tests ? to_json(ex, v, file, engine) : NULL;
    explore_show_inputs(e, ex, v, json);
    if (json && e->named)
        verdict_add_model(json, e->named);
    if (e->named)
        verdict_print_model(e->named, e->text);
    return json;
}

/* The result of search is kept if Z3 reaches a limit. */
static void keep_verdict(struct explore *e, struct ex *ex, const struct ck_verdict *v, const char *file)
{
    struct explore_kept *kept = e->kept;
    FILE *text = e->text;
    e->text = fmemopen(kept->text, sizeof kept->text - 1, "w");
    if (e->text) {
        cJSON *json = show_verdict(e, ex, v, file, "search");
        bool whole = fflush(e->text) == 0;
        fclose(e->text);
        whole = whole && (!json || cJSON_PrintPreallocated(json, kept->json, sizeof kept->json, true));
        cJSON_Delete(json);
        kept->code = exit_code(v);
        kept->whole = whole;
    }
    e->text = text;
}

static int present_verdict(struct explore *e, struct ex *ex, const struct ck_verdict *v, const char *file,
                           const char *engine)
{
    cJSON *json = show_verdict(e, ex, v, file, engine);
    int code = tool_worse_code(exit_code(v), explore_replay(e, ex, v, json));
    if (json)
        cJSON_AddItemToArray(e->tests, json);
    return code;
}

/* Whether the other engine may answer what V leaves unknown: not what the unroll bound or non-termination
 * leaves unknown, and not after an interruption. */
static bool is_open(const struct ck_verdict *v)
{
    bool settled = tool_interrupted || explore_exceeds_bound(v) ||
                   (v->limit.cls && strcmp(v->limit.rule, "vacuous") == 0);
    return !settled && has_unknown(v);
}

static int compare_values(const struct ck_program *program, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < program->observed_count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static bool shows_the_same(const struct ck_program *program, const struct ck_execution *a,
                           const struct ck_execution *b)
{
    if (a->shows != b->shows)
        return false;
    if (a->shows == CK_SHOWS_FLAG)
        return strcmp(a->flag, b->flag) == 0;
    return a->shows != CK_SHOWS_STATE || compare_values(program, a->values, b->values) == 0;
}

static bool is_shown(const struct ck_program *program, const struct ck_verdict *v, size_t count,
                     const struct ck_execution *x)
{
    for (size_t i = 0; i < count; i++)
        if (shows_the_same(program, &v->shown[i], x))
            return true;
    return false;
}

/* Adds the executions of Z3 that show what no execution of V shows. */
static void complete_shown(const struct ck_program *program, struct ck_verdict *v,
                           const struct ck_verdict *z3)
{
    size_t known = v->shown_count;
    for (size_t i = 0; i < z3->shown_count; i++) {
        const struct ck_execution *x = &z3->shown[i];
        struct ck_execution *added = is_shown(program, v, known, x) ? NULL : ck_verdict_show(v, 0, 0);
        if (added)
            *added = *x;
    }
}

/* Merges the final states of both, which are sorted lists. */
static void complete_states(const struct ck_program *program, struct ck_verdict *v,
                            const struct ck_verdict *z3)
{
    size_t count = 0, i = 0, k = 0;
    struct ck_state *all = mm_arena_alloc(v->arena, (v->state_count + z3->state_count + 1) * sizeof *all);
    if (!all)
        return;
    while (i < v->state_count || k < z3->state_count) {
        int order = i == v->state_count ? 1
                    : k == z3->state_count
                        ? -1
                        : compare_values(program, v->states[i].values, z3->states[k].values);
        all[count] = order <= 0 ? v->states[i] : z3->states[k];
        all[count++].racy |= order == 0 && z3->states[k].racy;
        i += order <= 0;
        k += order >= 0;
    }
    v->states = all;
    v->state_count = count;
    v->states_complete = z3->states_complete;
}

static void complete_flags(struct ck_verdict *v, const struct ck_verdict *z3)
{
    const char **all = mm_arena_alloc(v->arena, (v->flag_count + z3->flag_count + 1) * sizeof *all);
    size_t count = v->flag_count;
    if (!all)
        return;
    for (size_t i = 0; i < count; i++)
        all[i] = v->flags[i];
    for (size_t i = 0; i < z3->flag_count; i++)
        if (!ck_verdict_has_flag(v, z3->flags[i]))
            all[count++] = z3->flags[i];
    v->flags = all;
    v->flag_count = count;
}

/* Completes V, the verdict of search, by answers of Z3's verdict, which must live as long as V. */
static void merge_answers(const struct ck_program *program, struct ck_verdict *v, const struct ck_verdict *z3)
{
    complete_shown(program, v, z3);
    v->condition = v->condition ? v->condition : z3->condition;
    v->race = v->race ? v->race : z3->race;
    v->usage = v->usage ? v->usage : z3->usage;
    v->divergence = v->divergence ? v->divergence : z3->divergence;
    v->termination = v->termination ? v->termination : z3->termination;
    v->time_ms += z3->time_ms;
    if (!v->states_complete)
        complete_states(program, v, z3);
    complete_flags(v, z3);
    if (!is_open(v))
        v->limit.cls = MM_OK;
}

/* Asks search, for two thirds of the time, then Z3 if an answer is unknown: Z3 is rarely faster on programs
 * that take search longer. */
static int decide_auto(struct explore *e, struct ex *ex, const char *file)
{
    struct ck_verdict v = {0}, z3 = {0};
    unsigned first = e->options.timeout_ms - e->options.timeout_ms / 3;
    int code = explore_ask(e, ex->program, false, first ? first : e->options.timeout_ms, &v);
    bool both = !code && is_open(&v);
    if (both)
        keep_verdict(e, ex, &v, file);
    if (both)
        code = explore_ask(e, ex->program, true, e->options.timeout_ms - first, &z3);
    if (!code && both) {
        code = report_contradiction(&v, &z3);
        merge_answers(ex->program, &v, &z3);
    }
    if (!code)
        code = present_verdict(e, ex, &v, file, both ? "both" : "search");
    ck_verdict_clear(&v);
    ck_verdict_clear(&z3);
    return code;
}

static int decide_launch(struct explore *e, struct ex *ex, const char *file)
{
    struct ck_verdict v[2] = {0};
    int code = 0, failed = 0;
    if (e->engines == ENGINE_AUTO)
        return decide_auto(e, ex, file);
    for (int i = 0; i < 2 && !failed && code != EXIT_TOOL; i++) {
        if (!(e->engines & (i ? ENGINE_Z3 : ENGINE_SEARCH)))
            continue;
        failed = explore_ask(e, ex->program, i == 1, e->options.timeout_ms, &v[i]);
        code =
            tool_worse_code(code, failed ? failed : present_verdict(e, ex, &v[i], file, i ? "z3" : "search"));
    }
    if (e->engines == (ENGINE_SEARCH | ENGINE_Z3))
        code = tool_worse_code(code, report_contradiction(&v[0], &v[1]));
    ck_verdict_clear(&v[0]);
    ck_verdict_clear(&v[1]);
    return code;
}

static int report_input(const struct explore *e, struct mm_error *err)
{
    guard_name_limit(&e->guard, err);
    return tool_report(err);
}

static unsigned engine_count(const struct explore *e)
{
    return e->engines == (ENGINE_SEARCH | ENGINE_Z3) ? 2 : 1;
}

static void add_error(struct explore *e, const char *path, const char *message)
{
    cJSON *json = e->tests ? cJSON_CreateObject() : NULL;
    if (!json)
        return;
    cJSON_AddStringToObject(json, "file", path);
    cJSON_AddStringToObject(json, "error", message);
    cJSON_AddItemToArray(e->tests, json);
}

static int export_program(const struct explore *e, const struct ck_program *program)
{
    struct mm_error err = {0};
    FILE *out = tool_open_output(e->paths.export_to);
    if (!out)
        return EXIT_USAGE;
    enum mm_class r = ck_program_write(program, out, &err);
    int code = tool_close_output(out, e->paths.export_to);
    return r ? tool_report(&err) : code;
}

static int explore_file(struct explore *e, const char *path)
{
    char *data;
    size_t size;
    struct ex *ex = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    int code = explore_read_file(is_source(path) ? MM_INPUT_SOURCE : MM_INPUT_MODULE, path, &data, &size);
    e->until_ms = explore_now_ms(e) + (uint64_t)e->options.timeout_ms * engine_count(e);
    if (!code && is_source(path))
        code = compile_source(e, path, &data, &size, &err);
    if (!code && ex_read(data, size, path, &ex, &err) != MM_OK)
        code = report_input(e, &err);
    if (!code && !e->prove && lower_kernel(e, ex, &program, &err) != MM_OK)
        code = report_input(e, &err);
    if (!code && e->prove) {
        code = prove_file(e, ex, path);
    } else if (!code) {
        e->options.executions = e->replays || ex_has_inputs(ex);
        code = e->paths.export_to ? export_program(e, program) : decide_launch(e, ex, path);
    }
    if (!program && !e->prove)
        add_error(e, path, *err.message ? err.message : "the file cannot be read");
    ex_destroy(ex);
    mm_free(data);
    mm_free(e->source);
    e->source = NULL;
    return code;
}

struct file_work {
    struct explore *e;
    const char *path;
};

static int file_work(void *context)
{
    struct file_work *w = context;
    int code = explore_file(w->e, w->path);
    w->e->kept->written = w->e->written;
    return code;
}

/* Reports for PATH the limit that was reached, and the answers that search has found so far. */
static int report_limit(struct explore *e, const char *path, enum guard_end end)
{
    static const char *const engines[] = {"both", "search", "z3", "both"};
    struct ck_program none = {.name = ""};
    const struct ex open = {.program = &none};
    struct ck_verdict v = {0};
    guard_explain(&e->guard, end, &v.limit);
    if (end == GUARD_BROKEN) {
        add_error(e, path, v.limit.message);
        return tool_report(&v.limit);
    }
    if (e->prove)
        return prove_give_up(e, path, v.limit.message);
    if (e->kept->whole) {
        fputs(e->kept->text, e->text);
        mm_print(e->text, "    limit: %s\n", v.limit.message);
        if (e->tests)
            cJSON_AddItemToArray(e->tests, cJSON_CreateRaw(e->kept->json));
        return e->kept->code;
    }
    print_verdict(e, &open, &v, path, engines[e->engines]);
    if (e->tests)
        cJSON_AddItemToArray(e->tests, to_json(&open, &v, path, engines[e->engines]));
    return EXIT_UNKNOWN;
}

static int explore_guarded(struct explore *e, const char *path)
{
    struct file_work w = {e, path};
    int code = EXIT_TOOL;
    e->kept = guard_share(sizeof *e->kept);
    if (!e->kept)
        return tool_error(EXIT_TOOL, "out of memory");
    e->kept->written = e->written;
    enum guard_end end = guard_run(&e->guard, file_work, &w, e->tests, &code);
    e->written = e->kept->written;
    code = end == GUARD_DONE ? code : report_limit(e, path, end);
    guard_unshare(e->kept, sizeof *e->kept);
    return code;
}

/* Replays have as much time again.  Proofs count Z3's work instead, so that answers do not depend on the
 * machine. */
static void set_guard(struct explore *e)
{
    double seconds = e->prove ? 0 : e->options.timeout_ms * 1e-3;
    e->guard =
        (struct guard){seconds * (engine_count(e) + e->options.executions), e->memory, e->options.cpu_time};
}

/* The order of commands has no kernel, no condition and no witness.  PROGRAM: a program's commands, otherwise
 * a trace's; COUNT: arguments besides the options. */
static int check_command_options(const struct explore *e, bool program, int count)
{
    if (e->trace && count)
        return tool_error(EXIT_USAGE, "--trace: no kernel or program can be given, too");
    if (e->prove || e->paths.export_to || e->paths.html || e->replays || e->states || e->explain ||
        e->kernel || e->has_global || e->has_local || e->args.count || e->asserts.count || e->filters.count ||
        e->inputs.count || e->requirements.count)
        return tool_error(EXIT_USAGE,
                          "%s: only --commands, --model, --switch, --engine, --timeout, --memory-limit "
                          "and --json are supported with it",
                          program ? "a program" : "--trace");
    return 0;
}

static int check_options(const struct explore *e, bool program, int count)
{
    if (!count && !e->trace)
        return tool_error(EXIT_USAGE, "no kernel or program given");
    if (program || e->trace)
        return check_command_options(e, program, count);
    if (e->paths.export_to && count > 1)
        return tool_error(EXIT_USAGE, "--export: more than one kernel");
    if (e->prove &&
        (e->paths.export_to || e->replays || e->asserts.count || e->filters.count || e->inputs.count))
        return tool_error(EXIT_USAGE,
                          "--prove is about all launches: --export, --witness, --witnesses, --html, "
                          "--assert, --filter and --input are not supported with it");
    return 0;
}

/* Explores the commands of a program or trace, or each of the COUNT files of WORDS, and writes the
 * reports. */
static int explore_all(struct explore *e, bool program, char **words, int count)
{
    int code = 0;
    FILE *out = e->paths.json ? tool_open_output(e->paths.json) : NULL;
    if (e->paths.json && !out)
        return EXIT_USAGE;
    e->text = out == stdout ? fopen("/dev/null", "w") : stdout;
    if (!e->text)
        return tool_error(EXIT_TOOL, "cannot open /dev/null");
    cJSON *root = e->paths.json || e->paths.html ? verdict_json_root(e->model ? e->model : "") : NULL;
    e->tests = root ? cJSON_AddArrayToObject(root, "tests") : NULL;
    set_guard(e);
    tool_interrupt_catch();
    if (program || e->trace)
        code = commands_explore(e, words, e->trace);
    for (int i = 0; i < count && !program; i++)
        code = tool_worse_code(code, explore_guarded(e, words[i]));
    if (root && e->paths.html)
        code = tool_worse_code(code, tool_write_verdict_page(root, e->paths.html));
    if (root && out)
        code = tool_worse_code(code, json_write(root, out, e->paths.json));
    else
        cJSON_Delete(root);
    if (e->text != stdout)
        fclose(e->text);
    return tool_interrupt_end(code,
                              "what was found until then is in the report; what it calls unknown is open");
}

static int explore_main(int argc, char **argv)
{
    struct explore e = {.engines = ENGINE_AUTO,
                        .options = {.timeout_ms = 60000, .unroll = 4, .deepens = true},
                        .memory = GUARD_DEFAULT_MEBIBYTES,
                        .commands = 64};
    int code = 0;
    int first = explore_read_options(&cmd_explore, argc, argv, &e, &code);
    if (first < 0)
        return code;
    tool_build_end(&e.build, TOOL_BUILD_STANDARD);
    bool program = first < argc && strcmp(argv[first - 1], "--") == 0;
    code = check_options(&e, program, argc - first);
    if (!code)
        code = explore_all(&e, program, argv + first, argc - first);
    mm_cat_destroy(e.named);
    tool_build_clear(&e.build);
    return code;
}

const struct tool_command cmd_explore = {
    "explore", "FILE.cl|.spv|.spvasm... | -- COMMAND...",
    "decide every execution of a small kernel launch under a memory model", explore_options, explore_main};
