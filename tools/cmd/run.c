/* refcl run: an ordinary OpenCL program on refcl, or on any driver under the layer, checked. */
#include "tools/cmd/commands.h"
#include "tools/session/options.h"

static const struct tool_option options[] = {
    TOOL_INCLUDE_ALL(session_options),
    {"on-driver", 0, NULL, "REFCL_ON_DRIVER",
     "run on the installed driver under refcl's loader layer, which checks commands against one another",
     TOOL_TO(struct session, on_driver)},
    {"icd", 0, "FILE", "REFCL_ICD",
     "with --on-driver: the driver's library or .icd file (default: all installed)",
     TOOL_TO(struct session, icd)},
    {"backtrace", 0, NULL, "REFCL_BACKTRACE",
     "with --on-driver: record the calls in the host's code that lead to each OpenCL call",
     TOOL_TO(struct session, backtrace)},
    TOOL_OPTION_END};

/* Rejects options that only refcl's own device supports. */
static int check_driver_options(const struct session *session)
{
    if (session->icd && !session->on_driver)
        return tool_error(EXIT_USAGE, "--icd needs --on-driver");
    if (session->backtrace && !session->on_driver)
        return tool_error(EXIT_USAGE, "--backtrace needs --on-driver");
    if (session->on_driver &&
        (session->check.predict || session->assertion_count || session->execution.has_seeds ||
         session->execution.seed || session->execution.schedule || session->execution.memory_mode))
        return tool_error(EXIT_USAGE,
                          "--on-driver: --seed, --seeds, --schedule, --memory, --predict and --assert are "
                          "for runs on refcl");
    return 0;
}

static int run_main(int argc, char **argv)
{
    struct session session = {.check.races = true, .check.memory = true};
    int code = 0;
    int first = tool_options(&cmd_run, argc, argv, true, &session, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no command given: refcl run [options] -- COMMAND...");
    if ((code = check_driver_options(&session)))
        return code;
    char *line = tool_command_line(&cmd_run, argc, argv);
    session.command.line = line;
    code = session_run(&session, argv + first);
    mm_free(line);
    return code;
}

const struct tool_command cmd_run = {"run", "-- COMMAND...",
                                     "run an OpenCL program on refcl and report races and undefined behavior",
                                     options, run_main};
