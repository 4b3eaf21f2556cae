/* refcl capture: an OpenCL program whose kernel launches become files for `refcl kernel`. */
#include "memmodel/base/draft.h"
#include "tools/cmd/commands.h"
#include "tools/interrupt.h"
#include "tools/session/session.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct capture {
    bool on_driver;
    const char *icd;
};

/* The program that is run reads the value from the environment. */
static int export_value(void *context, const struct tool_option *option, const char *value)
{
    (void)context;
    setenv(option->environment, value, 1);
    return 0;
}

static int export_number(void *context, const struct tool_option *option, const char *value)
{
    uint64_t n;
    int code = tool_number(option->name, value, UINT32_MAX, &n);
    return code ? code : export_value(context, option, value);
}

static const struct tool_option options[] = {
    {"output", 'o', "OUT", "REFCL_CAPTURE",
     "file name pattern: %n is the launch number, %p the process (default refcl-%p-%n.cap)",
     TOOL_CALL(export_value)},
    {"kernel", 'k', "NAME", "REFCL_CAPTURE_KERNEL", "capture only launches of the kernel NAME",
     TOOL_CALL(export_value)},
    {"most", 'n', "N", "REFCL_CAPTURE_MOST", "capture at most N launches", TOOL_CALL(export_number)},
    {"on-driver", 0, NULL, "REFCL_ON_DRIVER",
     "run on the installed driver under refcl's loader layer, which reads the buffers of each launch back",
     TOOL_TO(struct capture, on_driver)},
    {"icd", 0, "FILE", "REFCL_ICD",
     "with --on-driver: the driver's library or .icd file (default: all installed)",
     TOOL_TO(struct capture, icd)},
    TOOL_OPTION_END};

/* The layer keeps shadow objects only while it records: the record is discarded. */
static void set_layer(const struct capture *capture, const char *library, const char *name)
{
    session_add_word("OPENCL_LAYERS", library);
    setenv("REFCL_LAYER_CAPTURE", name, 1);
    unsetenv("REFCL_CAPTURE");
    setenv("REFCL_LAYER_TRACE", "/dev/null", 1);
    if (capture->icd)
        session_set_driver(capture->icd);
}

/* ---- the files --------------------------------------------------------------------------------- */

/* The shell pattern of all files that the file name pattern NAME may become. */
static void glob_of(const char *name, char *pattern, size_t size)
{
    size_t used = 0;
    for (const char *p = name; *p && used + 3 < size; p++) {
        bool number = p[0] == '%' && (p[1] == 'p' || p[1] == 'n');
        if (!number && strchr("*?[]\\", *p))
            pattern[used++] = '\\';
        pattern[used++] = number ? '*' : *p;
        p += number;
    }
    pattern[used] = 0;
}

static bool is_since(const char *path, const struct timespec *start)
{
    struct stat s;
    return stat(path, &s) == 0 && (s.st_mtim.tv_sec > start->tv_sec || (s.st_mtim.tv_sec == start->tv_sec &&
                                                                        s.st_mtim.tv_nsec >= start->tv_nsec));
}

/* Whether PATH is a file that was being written when its process was killed: mm_draft_open() named it. */
static bool is_draft(const char *path)
{
    size_t length = strlen(path);
    return length > MM_DRAFT_DIGITS &&
           strspn(path + length - MM_DRAFT_DIGITS, "0123456789abcdef") == MM_DRAFT_DIGITS;
}

/* The number of files of PATTERN that were written since START. */
static size_t count_files(const char *pattern, const struct timespec *start)
{
    glob_t files = {0};
    size_t count = 0;
    if (glob(pattern, GLOB_NOSORT, NULL, &files) == 0)
        for (size_t i = 0; i < files.gl_pathc; i++)
            count += is_since(files.gl_pathv[i], start) && !is_draft(files.gl_pathv[i]);
    globfree(&files);
    return count;
}

static void remove_drafts(const char *pattern, const struct timespec *start)
{
    char drafts[4 * PATH_MAX + 20];
    glob_t files = {0};
    snprintf(drafts, sizeof drafts, "%s????????????????", pattern);
    if (glob(drafts, GLOB_NOSORT, NULL, &files) == 0)
        for (size_t i = 0; i < files.gl_pathc; i++)
            if (is_draft(files.gl_pathv[i]) && is_since(files.gl_pathv[i], start))
                unlink(files.gl_pathv[i]);
    globfree(&files);
}

/* Makes the file name pattern in REFCL_CAPTURE absolute: the program may change its folder.  In a folder
 * whose own name has %n or %p, it stays relative. */
static const char *absolute_name(void)
{
    static char path[2 * PATH_MAX];
    char folder[PATH_MAX];
    const char *name = getenv("REFCL_CAPTURE");
    if (!name)
        name = "refcl-%p-%n.cap";
    bool is_relative =
        name[0] != '/' && getcwd(folder, sizeof folder) && !strstr(folder, "%n") && !strstr(folder, "%p");
    snprintf(path, sizeof path, "%s%s%s", is_relative ? folder : "", is_relative ? "/" : "", name);
    setenv("REFCL_CAPTURE", path, 1);
    return path;
}

/* Runs the program ARGV, whose launches become files named by NAME. */
static int capture_program(char **argv, const char *name)
{
    static char pattern[4 * PATH_MAX];
    struct timespec start;
    char meaning[80];
    clock_gettime(CLOCK_REALTIME_COARSE, &start); /* the clock of file times */
    glob_of(name, pattern, sizeof pattern);
    int status = tool_interrupt_run(argv, EXIT_USAGE);
    remove_drafts(pattern, &start);
    size_t count = count_files(pattern, &start);
    snprintf(meaning, sizeof meaning, "launches that were captured until then: %zu", count);
    if (!count && !tool_interrupted && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        fprintf(stderr, "refcl: note: no kernel launch was captured\n");
    return tool_interrupt_end(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), meaning);
}

/* ---- the command ------------------------------------------------------------------------------- */

static int capture_main(int argc, char **argv)
{
    static char library[PATH_MAX];
    struct capture capture = {.icd = NULL};
    int code = 0;
    int first = tool_options(&cmd_capture, argc, argv, true, &capture, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no command given: refcl capture [options] -- COMMAND...");
    if (capture.icd && !capture.on_driver)
        return tool_error(EXIT_USAGE, "--icd needs --on-driver");
    code = capture.on_driver ? tool_find_layer(library) : tool_find_library(library);
    if (code)
        return code;
    const char *name = absolute_name();
    if (capture.on_driver)
        set_layer(&capture, library, name);
    else
        session_set_driver(library);
    return capture_program(argv + first, name);
}

const struct tool_command cmd_capture = {
    "capture", "-- COMMAND...", "write each kernel launch of a program to a file that refcl kernel replays",
    options, capture_main};
