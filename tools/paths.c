/* Where the files beside the command are: in the build folder, or below PREFIX once installed. */
#include "tools/tool.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int own_folder(char *path)
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (n <= 0)
        return tool_error(EXIT_TOOL, "cannot find own executable: %s", strerror(errno));
    path[n] = 0;
    *strrchr(path, '/') = 0;
    return 0;
}

static bool look_up(const char *folder, const char *const *places, const char *name, char *path)
{
    char candidate[2 * PATH_MAX];
    for (; *places; places++) {
        snprintf(candidate, sizeof candidate, "%s/%s/%s", folder, *places, name);
        if (access(candidate, R_OK) == 0 && realpath(candidate, path))
            return true;
    }
    return false;
}

/* Tries own folder + each of PLACES + NAME; MISSING is the exit code if it is nowhere. */
static int find_file(const char *name, const char *const *places, const char *environment, int missing,
                     char *path)
{
    const char *forced = environment ? getenv(environment) : NULL;
    if (forced && *forced) {
        snprintf(path, PATH_MAX, "%s", forced);
        return access(path, R_OK) == 0 ? 0
                                       : tool_error(EXIT_USAGE, "%s: cannot read '%s'", environment, path);
    }
    char folder[PATH_MAX];
    int code = own_folder(folder);
    if (code || look_up(folder, places, name, path))
        return code;
    return tool_error(missing, "cannot find %s near %s", name, folder);
}

static const char *const libraries[] = {".", "../lib", "../lib/refcl", NULL};

int tool_find_library(char *path)
{
    return find_file("librefcl.so", libraries, "REFCL_LIBRARY", EXIT_TOOL, path);
}

int tool_find_layer(char *path)
{
    return find_file("librefcl-layer.so", libraries, NULL, EXIT_TOOL, path);
}

int tool_find_preload(char *path)
{
    return find_file("librefcl-preload.so", libraries, NULL, EXIT_TOOL, path);
}

int tool_find_helper(const char *name, char *path)
{
    static const char *const places[] = {".", "../libexec/refcl", NULL};
    return find_file(name, places, NULL, EXIT_TOOL, path);
}

int tool_find_model(const char *name, char *path)
{
    static const char *const places[] = {"../memmodel/models", "../../memmodel/models",
                                         "../share/refcl/models", NULL};
    if (!strchr(name, '/')) {
        char folder[PATH_MAX];
        int code = own_folder(folder);
        if (code || look_up(folder, places, name, path))
            return code;
        if (access(name, R_OK) == 0)
            return tool_error(EXIT_USAGE, "there is no built-in model '%s'; the file in this folder is ./%s",
                              name, name);
        return tool_error(
            EXIT_USAGE,
            "there is no built-in model '%s', but opencl.cat, opencl-scoped-sc.cat, sc.cat and vulkan.cat",
            name);
    }
    if (access(name, R_OK) != 0)
        return tool_error(EXIT_USAGE, "cannot read model '%s': %s", name, strerror(errno));
    int n = snprintf(path, PATH_MAX, "%s", name);
    return n < PATH_MAX ? 0 : tool_error(EXIT_USAGE, "the name of the model is too long");
}

/* The signal is requested first: if the parent ended before that, getppid() has changed. */
void tool_die_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(127);
}

bool tool_has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n >= m && strcmp(path + n - m, suffix) == 0;
}
