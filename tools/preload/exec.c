/* Functions that execute another program, interposed: a program that is executed with another environment
 * (env -i) is observed, too.
 *
 * The variables of `refcl run` are kept as they were when this process started.  Those that the given
 * environment lacks are added to it; those that it has, with any value, stay.  exec functions are called
 * between vfork() and the new program: they allocate on the stack only. */
#include "tools/preload/executed.h"

#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef char *const *strings; /* ends with NULL */

typedef int execve_function(const char *, strings, strings);
typedef int fexecve_function(int, strings, strings);
typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, strings, strings);
typedef long syscall_function(long, ...);

static struct {
    execve_function *execve, *execvpe;
    fexecve_function *fexecve;
    spawn_function *spawn, *spawnp;
    syscall_function *syscall;
} next;

/* ---- the variables --------------------------------------------------------------------------- */

enum { VARIABLES = 32 }; /* refcl run sets about twenty */
static char *kept[VARIABLES];
static size_t kept_count;

static bool is_ours(const char *variable)
{
    static const char *const prefixes[] = {
        "REFCL_", "LD_PRELOAD=", "OCL_ICD_VENDORS=", "OCL_ICD_FILENAMES=", "OPENCL_LAYERS=", "ASAN_OPTIONS="};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void find_next(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

__attribute__((constructor)) static void keep_variables(void)
{
    find_next("execve", &next.execve);
    find_next("execvpe", &next.execvpe);
    find_next("fexecve", &next.fexecve);
    find_next("posix_spawn", &next.spawn);
    find_next("posix_spawnp", &next.spawnp);
    find_next("syscall", &next.syscall);
    for (char **variable = environ; variable && *variable && kept_count < VARIABLES; variable++)
        if (is_ours(*variable) && (kept[kept_count] = strdup(*variable)))
            kept_count++;
}

static size_t count_strings(strings list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

static bool has_variable(strings environment, const char *variable)
{
    size_t length = strcspn(variable, "=") + 1;
    for (; environment && *environment; environment++)
        if (strncmp(*environment, variable, length) == 0)
            return true;
    return false;
}

/* Writes ENVIRONMENT and what it lacks to COMPLETED, which has ENVIRONMENT_SIZE(ENVIRONMENT) elements. */
static strings complete_environment(strings environment, char **completed)
{
    size_t count = count_strings(environment);
    if (count)
        memcpy(completed, environment, count * sizeof *completed);
    for (size_t i = 0; i < kept_count; i++)
        if (!has_variable(environment, kept[i]))
            completed[count++] = kept[i];
    completed[count] = NULL;
    return completed;
}

#define ENVIRONMENT_SIZE(environment) (count_strings(environment) + VARIABLES + 1)
/* On the stack of the caller. */
#define COMPLETE(environment)                                                                                \
    complete_environment(environment, alloca(ENVIRONMENT_SIZE(environment) * sizeof(char *)))

/* ---- the functions with an array of arguments ------------------------------------------------ */

EXPORT int execve(const char *path, strings arguments, strings environment)
{
    executed_report(path, false, getpid());
    return next.execve(path, arguments, COMPLETE(environment));
}

EXPORT int execvpe(const char *file, strings arguments, strings environment)
{
    executed_report(file, true, getpid());
    return next.execvpe(file, arguments, COMPLETE(environment));
}

EXPORT int execv(const char *path, strings arguments)
{
    return execve(path, arguments, environ);
}

EXPORT int execvp(const char *file, strings arguments)
{
    return execvpe(file, arguments, environ);
}

EXPORT int fexecve(int file, strings arguments, strings environment)
{
    executed_report_descriptor(file);
    return next.fexecve(file, arguments, COMPLETE(environment));
}

EXPORT int execveat(int folder, const char *path, strings arguments, strings environment, int flags)
{
    executed_report_at(folder, path, flags);
    return (int)next.syscall(SYS_execveat, folder, path, arguments, COMPLETE(environment), flags);
}

/* Six arguments, whatever NUMBER has: the C library's function passes on as many. */
EXPORT long syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!next.syscall) /* constructors of other libraries may be called first */
        find_next("syscall", &next.syscall);
    if (number == SYS_execve)
        return execve((const char *)a[0], (strings)a[1], (strings)a[2]);
    if (number == SYS_execveat)
        return execveat((int)a[0], (const char *)a[1], (strings)a[2], (strings)a[3], (int)a[4]);
    return next.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* RESULT of a function that started FILE as PROCESS. */
static int spawn_result(int result, const char *file, bool search, pid_t process, pid_t *pid)
{
    if (result == 0)
        executed_report(file, search, process);
    if (result == 0 && pid)
        *pid = process;
    return result;
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, strings arguments, strings environment)
{
    pid_t process = 0;
    int result = next.spawn(&process, path, actions, attributes, arguments, COMPLETE(environment));
    return spawn_result(result, path, false, process, pid);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, strings arguments, strings environment)
{
    pid_t process = 0;
    int result = next.spawnp(&process, file, actions, attributes, arguments, COMPLETE(environment));
    return spawn_result(result, file, true, process, pid);
}

/* ---- the functions with a list of arguments -------------------------------------------------- */

/* Without inlining: <unistd.h> declares FIRST as never null, but callers pass a list of no arguments. */
__attribute__((noinline)) static size_t count_list(const char *first, va_list list)
{
    size_t count = 0;
    for (const char *argument = first; argument; argument = va_arg(list, char *))
        count++;
    return count;
}

static void read_list(char **arguments, const char *first, size_t count, va_list list)
{
    memcpy(arguments, &first, sizeof first);
    for (size_t i = 1; i <= count; i++)
        arguments[i] = va_arg(list, char *);
}

/* Defines `char **arguments`, the arguments from FIRST, and `va_list list`, which follows them. */
#define READ_ARGUMENTS(first)                                                                                \
    va_list list;                                                                                            \
    va_start(list, first);                                                                                   \
    size_t count = count_list(first, list);                                                                  \
    va_end(list);                                                                                            \
    char **arguments = alloca((count + 1) * sizeof *arguments);                                              \
    va_start(list, first);                                                                                   \
    read_list(arguments, first, count, list)

EXPORT int execl(const char *path, const char *first, ...)
{
    READ_ARGUMENTS(first);
    va_end(list);
    return execv(path, arguments);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    READ_ARGUMENTS(first);
    va_end(list);
    return execvp(file, arguments);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    READ_ARGUMENTS(first);
    strings environment = va_arg(list, char **);
    va_end(list);
    return execve(path, arguments, environment);
}
