/* refcl run: an ordinary OpenCL program on refcl, checked. */
#include "tools/cmd/commands.h"
#include "tools/session/options.h"

static const struct tool_option options[] = {SESSION_OPTIONS, TOOL_OPTION_END};

static int run_option(void *context, size_t index, const char *value)
{
    return session_option(context, index, value);
}

static int run_main(int argc, char **argv)
{
    struct session session = {.races = true, .memory = true};
    int code = 0;
    int first = tool_options(&cmd_run, argc, argv, true, run_option, &session, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no command given: refcl run [options] -- COMMAND...");
    char *line = tool_command_line(&cmd_run, argc, argv);
    session.command_line = line;
    code = session_run(&session, argv + first);
    mm_free(line);
    return code;
}

const struct tool_command cmd_run = {"run", "-- COMMAND...",
                                     "run an OpenCL program on refcl and report races and undefined behavior",
                                     options, run_main};
