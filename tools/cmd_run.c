/* refcl run: an ordinary OpenCL program on refcl, checked. */
#include "tools/commands.h"
#include "tools/session.h"

#include <string.h>

enum {
    OPT_CHECK,
    OPT_JSON,
    OPT_SARIF,
    OPT_JUNIT,
    OPT_HTML,
    OPT_RECORDER,
    OPT_TRACE,
    OPT_SEED,
    OPT_SCHEDULE,
    OPT_STEP_LIMIT,
    OPT_MAX_ERRORS,
    OPT_SUPPRESS,
    OPT_QUIET
};
static const struct tool_option options[] = {
    {"check", 'c', "LIST", "REFCL_RUN_CHECK",
     "race, memory, api, uninitialized, all or none (default race,memory)"},
    {"json", 'j', "OUT", "REFCL_JSON", "write the report as JSON, - for stdout"},
    {"sarif", 0, "OUT", "REFCL_SARIF", "write the report as SARIF 2.1.0"},
    {"junit", 0, "OUT", "REFCL_JUNIT", "write the report as JUnit XML"},
    {"html", 0, "OUT", "REFCL_HTML", "write a page that shows the events around each finding"},
    {"recorder", 0, "FILE.so[:TEXT]", "REFCL_RECORDER", "an own analysis, see memmodel/refcl_recorder.h"},
    {"trace", 't', "FILE", "REFCL_TRACE", "keep the trace (see refcl trace dump)"},
    {"seed", 's', "N", "REFCL_SEED", "decides everything the specification leaves open"},
    {"schedule", 0, "NAME", "REFCL_SCHEDULE", "sequential, random or fair (default sequential)"},
    {"step-limit", 0, "N", "REFCL_STEP_LIMIT",
     "instructions of one launch, 0 = no limit (default 100000000000)"},
    {"max-errors", 0, "N", "REFCL_MAX_ERRORS", "show the first N distinct findings, count the others"},
    {"suppress", 0, "FILE", "REFCL_SUPPRESS", "leave out findings: lines kind[:FILE[:LINE]], shell patterns"},
    {"quiet", 'q', NULL, "REFCL_QUIET", "no report on stderr"},
    TOOL_OPTION_END};

static int handle(void *context, size_t index, const char *value)
{
    struct session *session = context;
    uint64_t n = 0;
    int code = 0;
    switch (index) {
    case OPT_CHECK:
        return session_set_checks(session, value);
    case OPT_JSON:
        session->json = value;
        break;
    case OPT_SARIF:
        session->sarif = value;
        break;
    case OPT_JUNIT:
        session->junit = value;
        break;
    case OPT_HTML:
        session->html = value;
        break;
    case OPT_RECORDER:
        session->recorder = value;
        break;
    case OPT_TRACE:
        session->trace = value;
        break;
    case OPT_SEED:
        code = tool_number("seed", value, UINT64_MAX, &n);
        session->seed = value;
        break;
    case OPT_SCHEDULE:
        if (strcmp(value, "sequential") != 0 && strcmp(value, "random") != 0 && strcmp(value, "fair") != 0)
            return tool_error(EXIT_USAGE, "--schedule: '%s' is not sequential, random or fair", value);
        session->schedule = value;
        break;
    case OPT_STEP_LIMIT:
        code = tool_number("step-limit", value, UINT64_MAX, &n);
        session->step_limit = value;
        break;
    case OPT_MAX_ERRORS:
        code = tool_number("max-errors", value, 1000000, &n);
        session->max_findings = (size_t)n;
        break;
    case OPT_SUPPRESS:
        session->suppress = value;
        break;
    case OPT_QUIET:
        session->quiet = true;
        break;
    default:
        return tool_error(EXIT_TOOL, "option %zu has no handler", index);
    }
    return code;
}

static void join(char **argv, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = 0;
    for (; *argv && used < size; argv++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? " " : "", *argv);
}

static int run(int argc, char **argv)
{
    struct session session = {.races = true, .memory = true};
    int code = 0;
    int first = tool_options(&cmd_run, argc, argv, true, handle, &session, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no command given: refcl run [options] -- COMMAND...");
    char line[1024];
    join(argv + first, line, sizeof line);
    session.command_line = line;
    return session_run(&session, argv + first);
}

const struct tool_command cmd_run = {
    "run", "-- COMMAND...", "run an OpenCL program on refcl and report races and misuse", options, run};
