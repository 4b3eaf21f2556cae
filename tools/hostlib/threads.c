/* librefcl-host: threads and mutexes, whose order the host language defines (an edge of kind host). */
#include "tools/hostlib/hostlib.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void find_next(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

static uint64_t point(uint64_t after)
{
    const struct refcl_host_runtime *runtime = host_recording();
    return runtime ? runtime->point(after) : UINT64_MAX;
}

/* ---- the runtime's own code --------------------------------------------------------------------- */

static uintptr_t runtime_begin, runtime_end;

static int look_at_module(struct dl_phdr_info *info, size_t size, void *context)
{
    uintptr_t at = (uintptr_t) * (void **)context, begin = UINTPTR_MAX, end = 0;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t first = info->dlpi_addr + p->p_vaddr, last = first + p->p_memsz;
        begin = first < begin ? first : begin;
        end = last > end ? last : end;
    }
    if (at < begin || at >= end)
        return 0;
    runtime_begin = begin;
    runtime_end = end;
    return 1;
}

void host_find_runtime(const struct refcl_host_runtime *runtime)
{
    void *inside_of_it;
    memcpy(&inside_of_it, &runtime->access, sizeof inside_of_it);
    dl_iterate_phdr(look_at_module, &inside_of_it);
}

bool host_is_runtime(const void *place)
{
    return (uintptr_t)place >= runtime_begin && (uintptr_t)place < runtime_end;
}

/* ---- creation and join ------------------------------------------------------------------------ */

struct start {
    void *(*function)(void *);
    void *argument;
    uint64_t created;
    pthread_t self;
    struct start *next; /* of those that ended and were not joined yet */
    uint64_t ended;
};
static pthread_mutex_t ended_lock = PTHREAD_MUTEX_INITIALIZER;
static struct start *ended;
static int (*next_lock)(pthread_mutex_t *), (*next_unlock)(pthread_mutex_t *);

__attribute__((constructor)) static void find_all(void)
{
    find_next("pthread_mutex_lock", &next_lock);
    find_next("pthread_mutex_unlock", &next_unlock);
}

static void *run(void *context)
{
    struct start *start = context;
    point(start->created);
    void *result = start->function(start->argument);
    start->self = pthread_self();
    start->ended = point(UINT64_MAX);
    next_lock(&ended_lock);
    start->next = ended;
    ended = start;
    next_unlock(&ended_lock);
    return result;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    find_next("pthread_create", &next);
    struct start *start =
        host_recording() && !host_is_runtime(__builtin_return_address(0)) ? calloc(1, sizeof *start) : NULL;
    if (!start)
        return next(thread, attributes, function, argument);
    *start = (struct start){.function = function, .argument = argument, .created = point(UINT64_MAX)};
    int code = next(thread, attributes, run, start);
    if (code)
        free(start);
    return code;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    int (*next)(pthread_t, void **);
    find_next("pthread_join", &next);
    int code = next(thread, result);
    if (code)
        return code;
    next_lock(&ended_lock);
    struct start **link = &ended;
    while (*link && !pthread_equal((*link)->self, thread))
        link = &(*link)->next;
    struct start *found = *link;
    if (found)
        *link = found->next;
    next_unlock(&ended_lock);
    if (found)
        point(found->ended);
    free(found);
    return code;
}

/* ---- mutexes ---------------------------------------------------------------------------------- */

enum { MUTEXES = 1024 };
static struct {
    const pthread_mutex_t *mutex;
    uint64_t released;
} mutexes[MUTEXES];

/* Written by the holder of the mutex; two that share a slot lose order between them at worst in a report
 * that says too much, so a slot is taken for good by the first. */
static size_t slot_of(const pthread_mutex_t *mutex)
{
    size_t slot = ((uintptr_t)mutex >> 3) * 0x9e3779b1u % MUTEXES;
    for (size_t tries = 0; tries < MUTEXES; tries++, slot = (slot + 1) % MUTEXES) {
        const pthread_mutex_t *none = NULL;
        if (__atomic_load_n(&mutexes[slot].mutex, __ATOMIC_ACQUIRE) == mutex)
            return slot;
        if (__atomic_compare_exchange_n(&mutexes[slot].mutex, &none, mutex, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return slot;
        if (none == mutex)
            return slot;
    }
    return MUTEXES;
}

static __thread bool inside; /* recording takes locks of its own */

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!next_lock)
        find_all();
    int code = next_lock(mutex);
    if (code || inside || !host_recording() || host_is_runtime(__builtin_return_address(0)))
        return code;
    inside = true;
    size_t slot = slot_of(mutex);
    if (slot < MUTEXES && mutexes[slot].released)
        point(mutexes[slot].released - 1);
    inside = false;
    return code;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!next_unlock)
        find_all();
    if (!inside && host_recording() && !host_is_runtime(__builtin_return_address(0))) {
        inside = true;
        size_t slot = slot_of(mutex);
        uint64_t now = slot < MUTEXES ? point(UINT64_MAX) : UINT64_MAX;
        if (now != UINT64_MAX)
            mutexes[slot].released = now + 1;
        inside = false;
    }
    return next_unlock(mutex);
}
