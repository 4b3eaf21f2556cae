/* refcl capture: an OpenCL program whose kernel launches become files for `refcl kernel`. */
#include "tools/cmd/commands.h"
#include "tools/session/session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_OUTPUT, OPT_KERNEL, OPT_MOST, OPT_ON_DRIVER, OPT_ICD };
static const struct tool_option options[] = {
    {"output", 'o', "PATTERN", "REFCL_CAPTURE",
     "file name pattern: %n is the launch number, %p the process (default refcl-%p-%n.cap)"},
    {"kernel", 'k', "NAME", "REFCL_CAPTURE_KERNEL", "capture only launches of the kernel NAME"},
    {"most", 'n', "N", "REFCL_CAPTURE_MOST", "capture at most N launches"},
    {"on-driver", 0, NULL, "REFCL_ON_DRIVER",
     "run on the installed driver under refcl's loader layer, which reads the buffers of each launch back"},
    {"icd", 0, "FILE", "REFCL_ICD",
     "with --on-driver: the driver's library or .icd file (default: all installed)"},
    TOOL_OPTION_END};

struct capture {
    bool on_driver;
    const char *icd;
};

static int capture_option(void *context, size_t index, const char *value)
{
    struct capture *capture = context;
    uint64_t n;
    if (index == OPT_ON_DRIVER || index == OPT_ICD) {
        capture->on_driver |= index == OPT_ON_DRIVER;
        capture->icd = index == OPT_ICD ? value : capture->icd;
        return 0;
    }
    if (index == OPT_MOST && tool_number("most", value, UINT32_MAX, &n))
        return EXIT_USAGE;
    setenv(options[index].environment, value, 1);
    return 0;
}

/* The layer keeps shadow objects only while it records: the record is discarded. */
static void set_layer(const struct capture *capture, const char *library)
{
    session_add_word("OPENCL_LAYERS", library);
    setenv("REFCL_LAYER_CAPTURE", getenv("REFCL_CAPTURE"), 1);
    unsetenv("REFCL_CAPTURE");
    setenv("REFCL_LAYER_TRACE", "/dev/null", 1);
    if (capture->icd)
        session_set_driver(capture->icd);
}

static int capture_main(int argc, char **argv)
{
    static char library[PATH_MAX];
    struct capture capture = {.icd = NULL};
    int code = 0;
    int first = tool_options(&cmd_capture, argc, argv, true, capture_option, &capture, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no command given: refcl capture [options] -- COMMAND...");
    if (capture.icd && !capture.on_driver)
        return tool_error(EXIT_USAGE, "--icd needs --on-driver");
    code = capture.on_driver ? tool_find_layer(library) : tool_find_library(library);
    if (code)
        return code;
    setenv("REFCL_CAPTURE", "refcl-%p-%n.cap", 0);
    if (capture.on_driver)
        set_layer(&capture, library);
    else
        session_set_driver(library);
    execvp(argv[first], argv + first);
    return tool_error(EXIT_USAGE, "cannot run '%s': %s", argv[first], strerror(errno));
}

const struct tool_command cmd_capture = {
    "capture", "-- COMMAND...", "write each kernel launch of a program to a file that refcl kernel replays",
    options, capture_main};
