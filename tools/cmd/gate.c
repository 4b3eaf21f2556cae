/* refcl gate: fails on findings of a device that a baseline does not have. */
#include "tools/cmd/commands.h"
#include "tools/store/store.h"

#include "litmus/litmus.h"

#include <limits.h>

struct gate {
    const char *baseline, *store;
};
static const struct tool_option options[] = {
    {"baseline", 'b', "FILE", "REFCL_BASELINE", "judgement to compare with, from refcl litmus judge --json",
     TOOL_TO(struct gate, baseline)},
    {"store", 'S', "FILE", NULL,
     "compare with all results of the device, whatever its driver, in a results store (refcl results)",
     TOOL_TO(struct gate, store)},
    TOOL_OPTION_END};

static int compare_with_baseline(const char *baseline, const char *judgement)
{
    struct mm_error err = {0};
    size_t findings = 0;
    if (lt_gate(baseline, judgement, stdout, &findings, &err) != MM_OK)
        return tool_report(&err);
    return findings ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int compare_with_store(const char *path, const char *judgement)
{
    char folder[PATH_MAX - 16], baseline[PATH_MAX];
    struct mm_error err = {0};
    struct store store;
    if (store_open(path, false, &store, &err) != MM_OK)
        return tool_report(&err);
    int code = tool_make_folder(folder, sizeof folder);
    snprintf(baseline, sizeof baseline, "%s/baseline.json", folder);
    FILE *out = code ? NULL : tool_open_output(baseline);
    if (out && store_baseline(&store, judgement, out, &err) != MM_OK)
        code = tool_report(&err);
    if (out) {
        int closed = tool_close_output(out, baseline);
        code = code ? code : closed ? closed : compare_with_baseline(baseline, judgement);
    } else if (!code) {
        code = EXIT_TOOL;
    }
    tool_remove_folder(folder);
    store_close(&store);
    return code;
}

static int gate_main(int argc, char **argv)
{
    struct gate gate = {0};
    int code = 0;
    int first = tool_options(&cmd_gate, argc, argv, false, &gate, &code);
    if (first < 0)
        return code;
    if (!gate.baseline == !gate.store || first + 1 != argc)
        return tool_error(EXIT_USAGE, "--baseline or --store, and one judgement, are needed");
    return gate.store ? compare_with_store(gate.store, argv[first])
                      : compare_with_baseline(gate.baseline, argv[first]);
}

const struct tool_command cmd_gate = {
    "gate", "JUDGEMENT.json", "fail on new forbidden outcomes and on tests that are missing since a baseline",
    options, gate_main};
