/* refcl gate: fails on findings of a device that a baseline does not have. */
#include "tools/cmd/commands.h"

#include "litmus/litmus.h"

enum { OPT_BASELINE };
static const struct tool_option options[] = {
    {"baseline", 'b', "FILE", "REFCL_BASELINE", "judgement to compare with, from refcl litmus judge --json"},
    TOOL_OPTION_END};

static int gate_option(void *context, size_t index, const char *value)
{
    const char **baseline = context;
    if (index == OPT_BASELINE)
        *baseline = value;
    return 0;
}

static int gate_main(int argc, char **argv)
{
    const char *baseline = NULL;
    struct mm_error err = {0};
    size_t findings = 0;
    int code = 0;
    int first = tool_options(&cmd_gate, argc, argv, false, gate_option, &baseline, &code);
    if (first < 0)
        return code;
    if (!baseline || first + 1 != argc)
        return tool_error(EXIT_USAGE, "--baseline and one judgement are needed");
    if (lt_gate(baseline, argv[first], stdout, &findings, &err) != MM_OK)
        return tool_report(&err);
    return findings ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct tool_command cmd_gate = {
    "gate", "JUDGEMENT.json", "fail on new forbidden outcomes and on tests that are missing since a baseline",
    options, gate_main};
