/* librefcl-host: interposers of thread creation, exit and join, whose order the host language defines
 * (edges of kind host). */
#include "tools/hostlib/hostlib.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unwind.h>

static void *find_symbol(const char *name, const char *version)
{
    void *symbol = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return symbol ? symbol : dlsym(RTLD_NEXT, name);
}

/* Functions that refcl calls with locks held, and those that signal handlers may call, are looked up when
 * this library is loaded.  A look-up acquires the loader's lock, which a thread that initializes another
 * library holds while its interposed calls acquire refcl's locks: a later look-up would be a deadlock. */
static struct {
    const char *name, *version;
    void *symbol;
} found_early[] = {
    {"pthread_mutex_lock", NULL, NULL},
    {"pthread_mutex_trylock", NULL, NULL},
    {"pthread_mutex_unlock", NULL, NULL},
    {"pthread_once", NULL, NULL},
    {"pthread_cond_wait", HOST_CONDITIONS_VERSION, NULL},
    {"pthread_cond_timedwait", HOST_CONDITIONS_VERSION, NULL},
    {"pthread_cond_signal", HOST_CONDITIONS_VERSION, NULL},
    {"pthread_cond_broadcast", HOST_CONDITIONS_VERSION, NULL},
    {"sigaction", NULL, NULL},
    {"siglongjmp", NULL, NULL},
    {"longjmp", NULL, NULL},
    {"_longjmp", NULL, NULL},
    {"__longjmp_chk", NULL, NULL},
    {"sem_post", NULL, NULL},
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

/* The library that has the runtime's functions, whatever its name. */
static const struct link_map *runtime_map;
static bool on_driver;

/* Libraries whose synchronization is not the program's: refcl's own, of which the JIT is loaded late, those
 * that these call, and the loader. */
static const char *const own_libraries[] = {"/librefcl", "/libOpenCL", "/libLLVM", "/libSPIRV-Tools",
                                            "/libgcc_s"};

/* Acquires no lock: a thread that holds the loader's lock may wait for one of refcl's. */
static const struct link_map *map_of(const void *place)
{
    struct dl_find_object found;
    return _dl_find_object((void *)(uintptr_t)place, &found) == 0 ? found.dlfo_link_map : NULL;
}

/* Libraries that are loaded after the program and this library, and are not instrumented, count as parts of a
 * driver. */
enum { MOST_FIRST_LIBRARIES = 512 };
static const struct link_map *first_libraries[MOST_FIRST_LIBRARIES];
static size_t first_library_count;

__attribute__((constructor)) static void find_first_libraries(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    for (const struct link_map *map = program; map && first_library_count < MOST_FIRST_LIBRARIES;
         map = map->l_next)
        first_libraries[first_library_count++] = map;
    if (program)
        dlclose(program);
}

static bool is_instrumented(const struct link_map *map)
{
    const char *names = NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            names = (const char *)entry->d_un.d_ptr;
    for (const ElfW(Dyn) *entry = map->l_ld; names && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strstr(names + entry->d_un.d_val, "librefcl-host"))
            return true;
    return false;
}

static bool is_of_driver(const struct link_map *map)
{
    for (size_t i = 0; i < first_library_count; i++)
        if (first_libraries[i] == map)
            return false;
    return !is_instrumented(map);
}

/* The C and C++ libraries and interposers: their calls are attributed to their caller. */
static const char *const shared_libraries[] = {"/librefcl-host", "/libstdc++", "/libc++", "/libc."};

void host_find_runtime(const struct refcl_host_runtime *runtime)
{
    const void *function;
    memcpy(&function, &runtime->access, sizeof function);
    runtime_map = map_of(function);
    on_driver = runtime->on_driver;
}

static bool is_one_of(const struct link_map *map, const char *const *libraries, size_t count)
{
    const char *name = strrchr(map->l_name, '/');
    for (size_t i = 0; name && i < count; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}

static bool is_shared(const struct link_map *map)
{
    return is_one_of(map, shared_libraries, sizeof shared_libraries / sizeof *shared_libraries);
}

/* Stores in *CALLER the library of the first frame outside of the shared libraries, and stops there. */
static _Unwind_Reason_Code find_caller(struct _Unwind_Context *frame, void *caller)
{
    const struct link_map *map = map_of((const void *)_Unwind_GetIP(frame));
    if (map && is_shared(map))
        return _URC_NO_REASON;
    *(const struct link_map **)caller = map;
    return _URC_END_OF_STACK;
}

bool host_is_runtime(const void *place)
{
    const struct link_map *map = map_of(place);
    if (map && map != runtime_map && is_shared(map)) {
        map = NULL;
        _Unwind_Backtrace(find_caller, &map);
    }
    return map && (map == runtime_map || (on_driver && is_of_driver(map)) ||
                   is_one_of(map, own_libraries, sizeof own_libraries / sizeof *own_libraries));
}

/* ---- creation and join ------------------------------------------------------------------------ */

struct start {
    void *(*function)(void *); /* of pthread_create(); NULL: THRD_FUNCTION is set */
    int (*thrd_function)(void *);
    void *argument;
    uint64_t created; /* point of the creating thread */
    pthread_t self;
    struct start *next; /* in ENDED */
    uint64_t ended;     /* last point of the thread */
};

static bool locked;
static struct start *ended; /* threads that ended and were not joined yet; under LOCKED */

/* A forked child records nothing: threads of the parent may have held locks of the recorder. */
static void detach_child(void)
{
    __atomic_store_n(&host_runtime, NULL, __ATOMIC_RELEASE);
    host_unlock(&locked);
}

__attribute__((constructor)) static void detach_children(void)
{
    pthread_atfork(NULL, NULL, detach_child);
}

/* Called at the end of a thread: return, pthread_exit(), or cancellation. */
static void end_thread(void *context)
{
    struct start *start = context;
    start->self = pthread_self();
    start->ended = host_point();
    host_lock(&locked);
    start->next = ended;
    ended = start;
    host_unlock(&locked);
}

static void *run_thread(void *context)
{
    struct start *start = context;
    void *result = NULL;
    host_after(start->created);
    pthread_cleanup_push(end_thread, start);
    if (start->function)
        result = start->function(start->argument);
    else
        result = (void *)(intptr_t)start->thrd_function(start->argument);
    pthread_cleanup_pop(1);
    return result;
}

static int run_thrd(void *context)
{
    return (int)(intptr_t)run_thread(context);
}

/* NULL: a thread of the runtime or a driver.  Threads that start before the recording have one, too: their
 * ends may be recorded. */
static struct start *new_start(const void *place)
{
    struct start *start = host_is_runtime(place) ? NULL : calloc(1, sizeof *start);
    if (start)
        start->created = host_point();
    return start;
}

static void thread_joined(pthread_t thread)
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
    struct start *start = new_start(HERE);
    if (!start)
        return next(thread, attributes, function, argument);
    start->function = function;
    start->argument = argument;
    int code = next(thread, attributes, run_thread, start);
    if (code)
        free(start);
    return code;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    int (*next)(thrd_t *, thrd_start_t, void *);
    host_find_next("thrd_create", NULL, &next);
    struct start *start = new_start(HERE);
    if (!start)
        return next(thread, function, argument);
    start->thrd_function = function;
    start->argument = argument;
    int code = next(thread, run_thrd, start);
    if (code != thrd_success)
        free(start);
    return code;
}

/* Defines the interposer NAME, which joins THREAD if it returns 0. */
#define JOIN(name, arguments, ...)                                                                           \
    EXPORT int name arguments                                                                                \
    {                                                                                                        \
        int(*next) arguments;                                                                                \
        host_find_next(#name, NULL, &next);                                                                  \
        int code = next(__VA_ARGS__);                                                                        \
        if (code == 0)                                                                                       \
            thread_joined(thread);                                                                           \
        return code;                                                                                         \
    }
JOIN(pthread_join, (pthread_t thread, void **result), thread, result)
JOIN(pthread_tryjoin_np, (pthread_t thread, void **result), thread, result)
JOIN(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *until), thread, result,
     until)
JOIN(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
     thread, result, clock, until)
JOIN(thrd_join, (thrd_t thread, int *result), thread, result)
