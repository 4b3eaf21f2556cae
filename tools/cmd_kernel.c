/* refcl kernel: one kernel launch without a host program, checked. */
#include "tools/commands.h"
#include "tools/session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_KERNEL,
    OPT_GLOBAL,
    OPT_LOCAL,
    OPT_OFFSET,
    OPT_ARG,
    OPT_PRINT,
    OPT_BUILD,
    OPT_REPEAT,
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
    {"kernel", 'k', "NAME", "REFCL_KERNEL", "kernel to launch (default: the only one)"},
    {"global", 'g', "N[,N[,N]]", "REFCL_GLOBAL", "global size (default 1)"},
    {"local", 'l', "N[,N[,N]]", "REFCL_LOCAL", "work-group size (default: chosen by the runtime)"},
    {"offset", 0, "N[,N[,N]]", "REFCL_OFFSET", "global offset"},
    {"arg", 'a', "SPEC", NULL,
     "the next argument: buf:N[:zero|iota|fill=V|rand=SEED|file=PATH], svm:N[:...], local:BYTES, null or a "
     "value"},
    {"print", 'p', "I", NULL, "print argument I (a buffer) afterwards; may be repeated"},
    {"build-options", 0, "TEXT", "REFCL_BUILD_OPTIONS", "options for clBuildProgram (default -cl-std=CL3.0)"},
    {"repeat", 0, "N", "REFCL_REPEAT", "launch N times in a row"},
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

enum { MAX_WORDS = 600 };
struct kernel {
    struct session session;
    char *words[MAX_WORDS + 8]; /* command line of the helper, filled from 1 */
    size_t count;
};

/* Passes an option on to the helper as "--name", "value". */
static int pass(struct kernel *kernel, const char *name, const char *value)
{
    if (kernel->count + 2 > MAX_WORDS)
        return tool_error(EXIT_USAGE, "too many options");
    kernel->words[kernel->count++] = (char *)(uintptr_t)name;
    kernel->words[kernel->count++] = (char *)(uintptr_t)value;
    return 0;
}

static int handle(void *context, size_t index, const char *value)
{
    struct kernel *kernel = context;
    struct session *session = &kernel->session;
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
        session->seed = value;
        break;
    case OPT_SCHEDULE:
        session->schedule = value;
        break;
    case OPT_MAX_ERRORS: {
        uint64_t n = 0;
        int code = tool_number("max-errors", value, 1000000, &n);
        session->max_findings = (size_t)n;
        return code;
    }
    case OPT_SUPPRESS:
        session->suppress = value;
        break;
    case OPT_STEP_LIMIT:
        session->step_limit = value;
        break;
    case OPT_QUIET:
        session->quiet = true;
        break;
    default:
        return pass(kernel, options[index].name, value);
    }
    return 0;
}

static int run(int argc, char **argv)
{
    static char helper[PATH_MAX], line[PATH_MAX + 20];
    struct kernel kernel = {.session = {.races = true, .memory = true, .input_status = 2}, .count = 1};
    int code = 0;
    int first = tool_options(&cmd_kernel, argc, argv, false, handle, &kernel, &code);
    if (first < 0)
        return code;
    if (first + 1 != argc)
        return tool_error(EXIT_USAGE, "one kernel file (.cl, .spv) is needed");
    code = tool_find_helper("refcl-kernel-host", helper);
    if (code)
        return code;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", argv[first]);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, "%s", slash == folder ? "/" : slash ? "" : ".");
    setenv("REFCL_SOURCE_PATH", folder, 1);
    kernel.words[0] = helper;
    kernel.words[kernel.count] = argv[first];
    snprintf(line, sizeof line, "refcl kernel %s", argv[first]);
    kernel.session.command_line = line;
    return session_run(&kernel.session, kernel.words);
}

const struct tool_command cmd_kernel = {"kernel", "FILE.cl|FILE.spv",
                                        "launch one kernel with given arguments and report races and misuse",
                                        options, run};
