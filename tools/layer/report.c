/* Reports without `refcl run`: when the program exits, `refcl trace check` checks the trace that the layer
 * wrote. */
#include "memmodel/base/privilege.h"
#include "tools/layer/layer.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool ly_report_trace(char *path, size_t size)
{
    const char *report = mm_getenv("REFCL_LAYER_REPORT");
    return report && *report && snprintf(path, size, "%s.trace", report) < (int)size;
}

/* The command beside this library, as it is built or installed; else the one in PATH. */
static void find_command(char path[PATH_MAX])
{
    static const char *const places[] = {"", "../bin/"};
    Dl_info info;
    static const char here; /* in this library */
    bool known = dladdr(&here, &info) && info.dli_fname;
    const char *slash = known ? strrchr(info.dli_fname, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, PATH_MAX, "%.*s%srefcl", (int)(slash + 1 - info.dli_fname), info.dli_fname,
                         places[i]);
        if (n < PATH_MAX && access(path, X_OK) == 0)
            return;
    }
    snprintf(path, PATH_MAX, "refcl");
}

static const char *option_of(const char *report)
{
    const char *dot = strrchr(report, '.');
    return dot && strcmp(dot, ".sarif") == 0  ? "--sarif"
           : dot && strcmp(dot, ".xml") == 0  ? "--junit"
           : dot && strcmp(dot, ".html") == 0 ? "--html"
                                              : "--json";
}

void ly_report(void)
{
    char trace[PATH_MAX], command[PATH_MAX], report[PATH_MAX], option[16];
    if (!ly_report_trace(trace, sizeof trace))
        return;
    snprintf(report, sizeof report, "%s", mm_getenv("REFCL_LAYER_REPORT"));
    snprintf(option, sizeof option, "%s", option_of(report));
    find_command(command);
    unsetenv("OPENCL_LAYERS"); /* the command is no program to record */
    unsetenv("REFCL_LAYER_REPORT");
    char trace_word[] = "trace", check_word[] = "check";
    char *words[] = {command, trace_word, check_word, option, report, trace, NULL};
    pid_t child;
    /* Not a privileged program: there REFCL_LAYER_REPORT is ignored. */
    int status = 0, error = posix_spawnp(&child, command, NULL, NULL, words, environ);
    if (error) {
        fprintf(stderr,
                "refcl: error: the report '%s' is not written: cannot run '%s': %s; the trace is '%s'\n",
                report, command, strerror(error), trace);
        return;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        unlink(trace);
}
