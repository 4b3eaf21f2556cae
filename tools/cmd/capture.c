/* refcl capture: an OpenCL program whose kernel launches become files for `refcl kernel`. */
#include "tools/cmd/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_OUTPUT, OPT_KERNEL, OPT_MOST };
static const struct tool_option options[] = {
    {"output", 'o', "PATTERN", "REFCL_CAPTURE",
     "file name pattern: %n is the launch number, %p the process (default refcl-%p-%n.cap)"},
    {"kernel", 'k', "NAME", "REFCL_CAPTURE_KERNEL", "capture only launches of the kernel NAME"},
    {"most", 'n', "N", "REFCL_CAPTURE_MOST", "capture at most N launches"},
    TOOL_OPTION_END};

static int capture_option(void *context, size_t index, const char *value)
{
    uint64_t n;
    (void)context;
    if (index == OPT_MOST && tool_number("most", value, UINT32_MAX, &n))
        return EXIT_USAGE;
    setenv(options[index].environment, value, 1);
    return 0;
}

static int capture_main(int argc, char **argv)
{
    static char library[PATH_MAX];
    int code = 0;
    int first = tool_options(&cmd_capture, argc, argv, true, capture_option, NULL, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no command given: refcl capture [options] -- COMMAND...");
    code = tool_find_library(library);
    if (code)
        return code;
    setenv("REFCL_CAPTURE", "refcl-%p-%n.cap", 0);
    setenv("OCL_ICD_VENDORS", library, 1);
    setenv("OCL_ICD_FILENAMES", library, 1);
    execvp(argv[first], argv + first);
    return tool_error(EXIT_USAGE, "cannot run '%s': %s", argv[first], strerror(errno));
}

const struct tool_command cmd_capture = {
    "capture", "-- COMMAND...", "write each kernel launch of a program to a file that refcl kernel replays",
    options, capture_main};
