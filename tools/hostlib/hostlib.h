/* Declarations shared by the files of librefcl-host. */
#ifndef TOOLS_HOSTLIB_HOSTLIB_H
#define TOOLS_HOSTLIB_HOSTLIB_H

#include "ref-runtime/record/host_access.h"

#include <sched.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))
#define HERE   __builtin_return_address(0)

extern const struct refcl_host_runtime *host_runtime; /* NULL while nothing is recorded */

/* True if PLACE is in the runtime itself or a driver, whose threads and locks are none of the program's. */
void host_find_runtime(const struct refcl_host_runtime *runtime);
bool host_is_runtime(const void *place);

static inline const struct refcl_host_runtime *host_recording(void)
{
    return __atomic_load_n(&host_runtime, __ATOMIC_ACQUIRE);
}

extern __thread bool host_inside; /* the recorder is running: its locks are not recorded */

/* The handlers of signals that the thread executes, where nothing is recorded on a driver. */
extern __thread unsigned host_handlers;

/* Whether the access at ADDRESS is left out, as a signal handler makes it; NULL: what it synchronizes, after which recording ends. */
static inline bool host_leaves_out(const void *address, uint32_t size)
{
    const struct refcl_host_runtime *runtime = host_handlers ? host_recording() : NULL;
    if (!runtime || !runtime->in_handler)
        return false;
    runtime->in_handler(address, size);
    return true;
}

/* A call from PLACE is the program's, and is recorded. */
static inline bool host_is_recording(const void *place)
{
    return host_recording() && !host_inside && !host_is_runtime(place) && !host_leaves_out(NULL, 0);
}

/* The runtime if ADDRESS may be shared with kernels, else NULL. */
static inline const struct refcl_host_runtime *host_shared(const void *address)
{
    const struct refcl_host_runtime *runtime = host_recording();
    uint64_t at = (uint64_t)(uintptr_t)address;
    return runtime && at >= *runtime->low && at < *runtime->high ? runtime : NULL;
}

/* The same for atomics: those elsewhere order the program's own threads alone. */
static inline const struct refcl_host_runtime *host_svm(const void *address)
{
    const struct refcl_host_runtime *runtime = host_shared(address);
    host_inside = true;
    bool found = runtime && runtime->is_svm(address);
    host_inside = false;
    return found ? runtime : NULL;
}

/* A plain access of the code at PLACE. */
void host_plain(const void *address, uint32_t size, uint8_t kind, const void *place);

/* Private locks of this library, which are not interposed. */
static inline void host_lock(bool *locked)
{
    while (__atomic_test_and_set(locked, __ATOMIC_ACQUIRE))
        sched_yield();
}
static inline void host_unlock(bool *locked)
{
    __atomic_clear(locked, __ATOMIC_RELEASE);
}

/* A point of this thread's record, for edges from it; UINT64_MAX while nothing is recorded. */
uint64_t host_point(void);
/* Orders what follows in this thread after POINT. */
void host_after(uint64_t point);

/* Objects through which threads synchronize: an acquire is ordered after the points that the object holds. */
void host_release(const void *object); /* this thread's point instead of those that it held */
void host_add(const void *object);     /* this thread's point beside those of others */
void host_acquire(const void *object);

/* An atomic on private memory of the program: no other atomic on OBJECT executes between the two. */
void host_atomic_begin(const void *object);
void host_atomic_end(const void *object, enum refcl_host_kind kind, int order);
void host_atomic_fence(int order);

/* Stores in *FUNCTION the function NAME that this library interposes; VERSION where it has several versions
 * (NULL: it has one). */
void host_find_next(const char *name, const char *version, void *function);

#endif
