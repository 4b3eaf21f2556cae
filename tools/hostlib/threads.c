/* librefcl-host: interposers of thread creation, exit and join, whose order the host language defines
 * (edges of kind host). */
#include "tools/hostlib/hostlib.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static void *find_symbol(const char *name, const char *version)
{
    void *symbol = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return symbol ? symbol : dlsym(RTLD_NEXT, name);
}

/* Functions that refcl calls while it holds locks, found when this library is loaded.  Finding one takes the
 * loader's lock; a thread that initializes another library holds that lock, and its interposed calls take refcl's. */
#define CONDITIONS "GLIBC_2.3.2"
static struct {
    const char *name, *version;
    void *symbol;
} found_early[] = {
    {"pthread_mutex_lock", NULL, NULL},        {"pthread_mutex_trylock", NULL, NULL},
    {"pthread_mutex_unlock", NULL, NULL},      {"pthread_once", NULL, NULL},
    {"pthread_cond_wait", CONDITIONS, NULL},   {"pthread_cond_timedwait", CONDITIONS, NULL},
    {"pthread_cond_signal", CONDITIONS, NULL}, {"pthread_cond_broadcast", CONDITIONS, NULL},
};
enum { EARLY = sizeof found_early / sizeof *found_early };

__attribute__((constructor)) static void find_early(void)
{
    for (size_t i = 0; i < EARLY; i++)
        found_early[i].symbol = find_symbol(found_early[i].name, found_early[i].version);
}

void host_find_next(const char *name, const char *version, void *function)
{
    void *symbol = NULL;
    for (size_t i = 0; i < EARLY && !symbol; i++)
        if (strcmp(name, found_early[i].name) == 0)
            symbol = found_early[i].symbol;
    if (!symbol)
        symbol = find_symbol(name, version);
    memcpy(function, &symbol, sizeof symbol);
}

/* ---- the runtime's own code --------------------------------------------------------------------- */

/* Where the runtime and this library are loaded; END 0: not known yet. */
static struct range {
    uintptr_t at, begin, end;
} runtime_range, own_range;

static int look_at_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct range *range = context;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t first = info->dlpi_addr + p->p_vaddr, last = first + p->p_memsz;
        begin = first < begin ? first : begin;
        end = last > end ? last : end;
    }
    if (range->at < begin || range->at >= end)
        return 0;
    range->begin = begin;
    range->end = end;
    return 1;
}

static bool is_in(const struct range *range, const void *place)
{
    return (uintptr_t)place >= range->begin && (uintptr_t)place < range->end;
}

void host_find_runtime(const struct refcl_host_runtime *runtime)
{
    own_range.at = (uintptr_t)&own_range;
    memcpy(&runtime_range.at, &runtime->access, sizeof runtime_range.at);
    dl_iterate_phdr(look_at_module, &own_range);
    dl_iterate_phdr(look_at_module, &runtime_range);
}

/* Before it has said where it is, and for its parts that are loaded later. */
static bool is_named_like_runtime(const void *place)
{
    Dl_info info;
    const char *name = dladdr(place, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    return name && strncmp(name, "/librefcl", strlen("/librefcl")) == 0;
}

bool host_is_runtime(const void *place)
{
    if (!runtime_range.end)
        return is_named_like_runtime(place);
    return is_in(&runtime_range, place) || is_in(&own_range, place);
}

/* ---- creation and join ------------------------------------------------------------------------ */

struct start {
    void *(*function)(void *); /* NULL: it is INTEGER */
    int (*integer)(void *);
    void *argument;
    uint64_t created;
    pthread_t self;
    struct start *next; /* of those that ended and were not joined yet */
    uint64_t ended;
};

static bool locked;
static struct start *ended;

/* However a thread ends: by its function's return, by pthread_exit, canceled. */
static void end(void *context)
{
    struct start *start = context;
    start->self = pthread_self();
    start->ended = host_point();
    host_lock(&locked);
    start->next = ended;
    ended = start;
    host_unlock(&locked);
}

static void *run(void *context)
{
    struct start *start = context;
    void *result = NULL;
    host_after(start->created);
    pthread_cleanup_push(end, start);
    if (start->function)
        result = start->function(start->argument);
    else
        result = (void *)(intptr_t)start->integer(start->argument);
    pthread_cleanup_pop(1);
    return result;
}

static int run_integer(void *context)
{
    return (int)(intptr_t)run(context);
}

/* NULL for a thread of the runtime's own.  One that starts before anything is recorded is known when it ends.
 */
static struct start *begin(const void *place)
{
    struct start *start =
        host_is_runtime(place) || is_named_like_runtime(place) ? NULL : calloc(1, sizeof *start);
    if (start)
        start->created = host_point();
    return start;
}

static void joined(pthread_t thread)
{
    host_lock(&locked);
    struct start **link = &ended;
    while (*link && !pthread_equal((*link)->self, thread))
        link = &(*link)->next;
    struct start *found = *link;
    if (found)
        *link = found->next;
    host_unlock(&locked);
    if (found)
        host_after(found->ended);
    free(found);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    host_find_next("pthread_create", NULL, &next);
    struct start *start = begin(HERE);
    if (!start)
        return next(thread, attributes, function, argument);
    start->function = function;
    start->argument = argument;
    int code = next(thread, attributes, run, start);
    if (code)
        free(start);
    return code;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    int (*next)(thrd_t *, thrd_start_t, void *);
    host_find_next("thrd_create", NULL, &next);
    struct start *start = begin(HERE);
    if (!start)
        return next(thread, function, argument);
    start->integer = function;
    start->argument = argument;
    int code = next(thread, run_integer, start);
    if (code != thrd_success)
        free(start);
    return code;
}

/* NAME waits for THREAD; what it returns is 0 where it has. */
#define JOIN(name, arguments, ...)                                                                           \
    EXPORT int name arguments                                                                                \
    {                                                                                                        \
        int(*next) arguments;                                                                                \
        host_find_next(#name, NULL, &next);                                                                  \
        int code = next(__VA_ARGS__);                                                                        \
        if (code == 0)                                                                                       \
            joined(thread);                                                                                  \
        return code;                                                                                         \
    }
JOIN(pthread_join, (pthread_t thread, void **result), thread, result)
JOIN(pthread_tryjoin_np, (pthread_t thread, void **result), thread, result)
JOIN(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *until), thread, result,
     until)
JOIN(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
     thread, result, clock, until)
JOIN(thrd_join, (thrd_t thread, int *result), thread, result)
