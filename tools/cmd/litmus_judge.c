/* refcl litmus judge: compares the outcomes of a device with those that the model allows. */
#include "tools/cmd/commands.h"
#include "tools/cmd/litmus_files.h"

#include <limits.h>

struct judge {
    struct tool_texts switches;
    struct ck_options check;
    const char *model, *json, *html, *junit, *sarif, *table, *tests;
};
static const struct tool_option options[] = {
    {"model", 'm', "FILE.cat", "REFCL_MODEL",
     "memory model (default opencl.cat; vulkan.cat for a Vulkan device)", TOOL_TO(struct judge, model)},
    {"switch", 's', "NAME=VALUE", NULL, "select a variant of the model; may be repeated",
     TOOL_TO(struct judge, switches)},
    {"bound", 'b', "K", "REFCL_BOUND", "loop unroll bound (default 2)",
     TOOL_NUMBER(struct judge, check.bound, 0, 1000)},
    {"timeout", 't', "S", "REFCL_TIMEOUT", "time limit for each test in seconds (default 60)",
     TOOL_SECONDS(struct judge, check.timeout_ms)},
    {"json", 'j', "OUT", "REFCL_JSON", "write the verdicts as JSON, - for stdout",
     TOOL_TO(struct judge, json)},
    {"html", 0, "OUT", "REFCL_HTML",
     "write a self-contained HTML page with histograms, graphs and test sources",
     TOOL_TO(struct judge, html)},
    {"junit", 0, "OUT", "REFCL_JUNIT", "write the verdicts as a JUnit test suite",
     TOOL_TO(struct judge, junit)},
    {"sarif", 0, "OUT", "REFCL_SARIF", "write forbidden outcomes as SARIF 2.1.0",
     TOOL_TO(struct judge, sarif)},
    {"table", 0, "OUT", "REFCL_TABLE",
     "write the results as a compact table, which this command reads: without the texts of the tests",
     TOOL_TO(struct judge, table)},
    {"tests", 0, "DIR", "REFCL_TESTS",
     "folder that the files of a table are relative to (default: the current one)",
     TOOL_TO(struct judge, tests)},
    TOOL_OPTION_END};

static int judge_file(const struct judge *judge, const struct mm_cat_model *model, const char *results)
{
    struct lt_judge_options judge_options = {.model = model,
                                             .check = judge->check,
                                             .html = judge->html,
                                             .junit = judge->junit,
                                             .sarif = judge->sarif,
                                             .table = judge->table,
                                             .tests = judge->tests};
    struct mm_error err = {0};
    size_t findings = 0, unknown = 0;
    FILE *json = judge->json ? tool_open_output(judge->json) : NULL;
    if (judge->json && !json)
        return EXIT_USAGE;
    FILE *text = json == stdout ? stderr : stdout;
    int code = 0;
    if (lt_judge(results, &judge_options, text, json, &findings, &unknown, &err) != MM_OK)
        code = tool_report(&err);
    if (json) {
        int closed = tool_close_output(json, judge->json);
        code = code ? code : closed;
    }
    if (code)
        return code;
    return findings ? EXIT_FINDINGS : unknown ? EXIT_UNKNOWN : EXIT_CLEAN;
}

static int litmus_judge_main(int argc, char **argv)
{
    struct judge judge = {.check = {.timeout_ms = 60000}};
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};
    char path[PATH_MAX];
    int code = 0;
    int first = tool_options(&cmd_litmus_judge, argc, argv, false, &judge, &code);
    if (first < 0)
        return code;
    if (first + 1 != argc)
        return tool_error(EXIT_USAGE, "one results file is needed");
    enum lt_dialect dialect = LT_OPENCL;
    if (!judge.model && lt_results_dialect(argv[first], &dialect, &err) != MM_OK)
        return tool_report(&err);
    code = tool_find_model(judge.model            ? judge.model
                           : dialect == LT_VULKAN ? "vulkan.cat"
                                                  : "opencl.cat",
                           path);
    if (code)
        return code;
    if (mm_cat_load(path, judge.switches.items, &model, &err) != MM_OK)
        return tool_report(&err);
    code = judge_file(&judge, model, argv[first]);
    mm_cat_destroy(model);
    return code;
}

const struct tool_command cmd_litmus_judge = {
    "litmus judge", "RESULTS.json|TABLE.json",
    "compare the observed outcomes with those that the model allows", options, litmus_judge_main};
