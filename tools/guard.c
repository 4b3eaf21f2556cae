/* Runs work in a child process. The engines check their limits themselves and keep partial results; where
 * they cannot (in a library, in one long step), resource limits end the child. */
#include "tools/guard.h"
#include "checker/checker.h"
#include "memmodel/base/clock.h"
#include "tools/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The engines end first, and say more: this long after their own deadline the work is killed. */
#define GRACE_SECONDS 0.5
#define GRACE_SHARE   0.1
#define LOOK_SECONDS  0.01 /* between two checks of the memory in use */
#define LAST_SECONDS  3.0  /* from an interrupt of the work until it is killed */
/* An item of a series may use the memory limit divided by this, and be followed by another one in the same
 * process. */
#define SERIES_SHARE 16

static double guard_seconds(const struct guard *guard)
{
    return guard->seconds + fmax(GRACE_SECONDS, guard->seconds * GRACE_SHARE);
}

void *guard_share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void guard_unshare(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}

static void set_limit(unsigned resource, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= most)
        return;
    limit.rlim_cur = most;
    setrlimit(resource, &limit);
}

/* MiB in use by CHILD. */
static uint64_t memory_in_use(pid_t child)
{
    char path[64];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)child);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*u %llu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
}

size_t guard_soft_memory(const struct guard *guard)
{
    return (size_t)guard->mebibytes * 7 / 8 << 20;
}

/* ---- what the work adds to the report ---------------------------------------------------------- */

/* The items of TESTS from number FIRST on, each ended by a NUL. */
static bool write_items(int fd, const cJSON *tests, int first)
{
    bool good = true;
    for (int i = first; tests && i < cJSON_GetArraySize(tests) && good; i++) {
        char *text = cJSON_Print(cJSON_GetArrayItem(tests, i));
        size_t size = text ? strlen(text) + 1 : 0, done = 0;
        while (done < size) {
            ssize_t n = write(fd, text + done, size - done);
            if (n <= 0)
                break;
            done += (size_t)n;
        }
        good = text && done == size;
        cJSON_free(text);
    }
    return good;
}

static void read_items(int fd, cJSON *tests)
{
    off_t size = tests ? lseek(fd, 0, SEEK_END) : 0;
    char *text = size > 0 ? mm_alloc((size_t)size + 1) : NULL;
    ssize_t read = text ? pread(fd, text, (size_t)size, 0) : 0;
    size_t end = read > 0 ? (size_t)read : 0;
    for (char *at = text, *stop; at && (stop = memchr(at, 0, end - (size_t)(at - text))); at = stop + 1)
        cJSON_AddItemToArray(tests, cJSON_CreateRaw(at));
    mm_free(text);
}

/* ---- the child ---------------------------------------------------------------------------------- */

struct work {
    int (*call)(void *);
    void *context;
    cJSON *tests;
    int items;   /* file to which the items added to TESTS are written */
    int written; /* items of TESTS that are in it, or the caller had before */
    rlim_t given_seconds;
    atomic_uint *complete; /* number of complete items of a series, shared with the parent */
    pid_t parent;
};
static struct work *current; /* of this process, if it is a child */

static bool write_new_items(struct work *w)
{
    bool good = write_items(w->items, w->tests, w->written);
    w->written = w->tests ? cJSON_GetArraySize(w->tests) : 0;
    return good;
}

/* The process ends after the guard's seconds of processor time from now on, or once it reaches the limit that
 * it was started with. */
static void limit_time(const struct guard *guard, const struct work *w)
{
    struct rlimit limit = {0};
    if (guard->seconds <= 0 || getrlimit(RLIMIT_CPU, &limit) != 0)
        return;
    limit.rlim_cur = w->given_seconds;
    setrlimit(RLIMIT_CPU, &limit);
    set_limit(RLIMIT_CPU, (rlim_t)ceil(mm_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) + guard_seconds(guard)));
}

static _Noreturn void be_child(const struct guard *guard, struct work *w)
{
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    getrlimit(RLIMIT_CPU, &limit);
    w->given_seconds = limit.rlim_cur;
    w->written = w->tests ? cJSON_GetArraySize(w->tests) : 0;
    current = w;
    tool_die_with(w->parent);
    limit_time(guard, w);
    set_limit(RLIMIT_CORE, 0); /* of a process that ran into a limit */
    int code = w->call(w->context);
    exit(tool_flush(write_new_items(w) ? code : EXIT_TOOL));
}

/* True if this process has used so little memory that what is left of it does not matter to a limit. */
static bool has_used_little(const struct guard *guard)
{
    struct rusage used;
    uint64_t limit = guard->mebibytes ? guard->mebibytes : GUARD_DEFAULT_MEBIBYTES;
    return getrusage(RUSAGE_SELF, &used) == 0 && (uint64_t)used.ru_maxrss >> 10 < limit / SERIES_SHARE;
}

bool guard_next(const struct guard *guard)
{
    if (tool_interrupted || !has_used_little(guard) || !write_new_items(current) || fflush(NULL) != 0)
        return false;
    limit_time(guard, current);
    atomic_fetch_add(current->complete, 1);
    return true;
}

/* Waits until the other end of the pipe FD, which CHILD has, is closed, or a limit is reached. */
static enum guard_end await_end(const struct guard *guard, pid_t child, int fd, const atomic_uint *complete)
{
    double until = mm_clock_seconds(CLOCK_MONOTONIC) + guard_seconds(guard), last = 0;
    struct pollfd end = {.fd = fd};
    for (unsigned known = 0;;) {
        if (atomic_load(complete) != known) {
            known = atomic_load(complete);
            until = mm_clock_seconds(CLOCK_MONOTONIC) + guard_seconds(guard);
        }
        double left =
            guard->seconds > 0 && !guard->cpu_time ? until - mm_clock_seconds(CLOCK_MONOTONIC) : LOOK_SECONDS;
        if (tool_interrupted && last == 0) {
            kill(child, tool_interrupted);
            last = mm_clock_seconds(CLOCK_MONOTONIC) + LAST_SECONDS;
        }
        if (last > 0 && mm_clock_seconds(CLOCK_MONOTONIC) > last)
            return GUARD_INTERRUPTED;
        int n = poll(&end, 1, (int)ceil(fmax(0, fmin(left, LOOK_SECONDS)) * 1e3));
        if (n > 0 || (n < 0 && errno != EINTR))
            return GUARD_DONE;
        if (left <= 0)
            return GUARD_TIME;
        if (guard->mebibytes && memory_in_use(child) > guard->mebibytes)
            return GUARD_MEMORY;
    }
}

/* Waits for CHILD, which has the other end of the pipe END open until it ends. */
static enum guard_end await_child(const struct guard *guard, pid_t child, int end, const struct work *w,
                                  int *code)
{
    enum guard_end result = await_end(guard, child, end, w->complete);
    int status;
    if (result != GUARD_DONE)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return GUARD_BROKEN;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
        raise(SIGPIPE); /* refcl would have written to that pipe */
    if (!WIFEXITED(status) && tool_interrupted)
        return GUARD_INTERRUPTED;
    if (!WIFEXITED(status))
        return result != GUARD_DONE ? result : WTERMSIG(status) == SIGXCPU ? GUARD_TIME : GUARD_BROKEN;
    *code = WEXITSTATUS(status);
    return GUARD_DONE;
}

enum guard_end guard_run(const struct guard *guard, int (*work)(void *), void *context, cJSON *tests,
                         int *code)
{
    if (tool_interrupted)
        return GUARD_INTERRUPTED;
    struct work w = {.call = work,
                     .context = context,
                     .tests = tests,
                     .items = memfd_create("verdicts", MFD_CLOEXEC),
                     .complete = guard_share(sizeof *w.complete),
                     .parent = getpid()};
    int ends[2] = {-1, -1};
    enum guard_end result = GUARD_BROKEN;
    fflush(NULL);
    pid_t child = w.items >= 0 && w.complete && pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0) {
        close(ends[0]);
        be_child(guard, &w);
    }
    if (ends[1] >= 0)
        close(ends[1]);
    if (child > 0)
        result = await_child(guard, child, ends[0], &w, code);
    if (result == GUARD_DONE || (w.complete && atomic_load(w.complete)))
        read_items(w.items, tests);
    if (ends[0] >= 0)
        close(ends[0]);
    if (w.items >= 0)
        close(w.items);
    guard_unshare(w.complete, sizeof *w.complete);
    return result;
}

void guard_explain(const struct guard *guard, enum guard_end end, struct mm_error *err)
{
    if (end == GUARD_TIME)
        mm_fail(err, MM_LIMIT, "time", "limit reached: %g seconds (raise with --timeout)", guard->seconds);
    else if (end == GUARD_MEMORY)
        mm_fail(err, MM_LIMIT, "memory",
                "limit reached: %" PRIu64 " MiB of memory (raise with --memory-limit)", guard->mebibytes);
    else if (end == GUARD_INTERRUPTED)
        mm_fail(err, MM_LIMIT, CK_INTERRUPTED, "interrupted");
    else
        mm_fail(err, MM_BUG, "guard", "the process that decides ended unexpectedly");
}

void guard_name_limit(const struct guard *guard, struct mm_error *err)
{
    if (err->cls == MM_LIMIT && strcmp(err->rule, "memory") == 0 && guard->mebibytes)
        guard_explain(guard, GUARD_MEMORY, err);
}
