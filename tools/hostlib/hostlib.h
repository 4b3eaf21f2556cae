/* Declarations shared by the files of librefcl-host. */
#ifndef TOOLS_HOSTLIB_HOSTLIB_H
#define TOOLS_HOSTLIB_HOSTLIB_H

#include "ref-runtime/record/host_access.h"

#include <sched.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))
#define HERE   __builtin_return_address(0)

extern const struct refcl_host_runtime *host_runtime; /* NULL while nothing is recorded */

/* Finds the library that contains RUNTIME's functions. */
void host_find_runtime(const struct refcl_host_runtime *runtime);
/* Whether the code at PLACE belongs to this library or a driver: their threads and locks are not recorded. */
bool host_is_runtime(const void *place);

static inline const struct refcl_host_runtime *host_recording(void)
{
    return __atomic_load_n(&host_runtime, __ATOMIC_ACQUIRE);
}

extern __thread bool host_inside; /* the thread is in the recorder, whose locks are not recorded */

/* Number of nested signal handlers in the thread; on a driver, nothing is recorded in them. */
extern __thread unsigned host_handlers;

/* Whether the access at ADDRESS is not recorded because a signal handler executes it.  NULL: a
 * synchronization, which ends the recording. */
static inline bool host_leaves_out(const void *address, uint32_t size)
{
    const struct refcl_host_runtime *runtime = host_handlers ? host_recording() : NULL;
    if (!runtime || !runtime->in_handler)
        return false;
    runtime->in_handler(address, size);
    return true;
}

/* Whether a call from PLACE is recorded: it is the program's. */
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

/* The runtime if ADDRESS is in SVM, else NULL: other atomics only order threads of the program. */
static inline const struct refcl_host_runtime *host_svm(const void *address)
{
    const struct refcl_host_runtime *runtime = host_shared(address);
    host_inside = true;
    bool found = runtime && runtime->is_svm(address);
    host_inside = false;
    return found ? runtime : NULL;
}

/* Records a plain access by the code at PLACE, if the memory may be shared with kernels. */
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

/* Records an event of this thread, from which edges may start; UINT64_MAX while nothing is recorded. */
uint64_t host_point(void);
/* Orders this thread's later events after POINT. */
void host_after(uint64_t point);

/* Synchronization objects, identified by their address; each has a set of points.  host_acquire() orders the
 * thread after all of them. */
void host_release(const void *object); /* replaces the set by a new point of this thread */
void host_add(const void *object);     /* adds a new point of this thread to the set */
void host_acquire(const void *object);

/* Enclose an atomic on memory outside of SVM: no other atomic on OBJECT executes between the two calls.  The
 * second one records it as a synchronization [C11 5.1.2.4]. */
void host_atomic_begin(const void *object);
void host_atomic_end(const void *object, enum refcl_host_kind kind, int order);
void host_atomic_fence(int order);

/* The C library keeps conditions of an older layout under the same names. */
#define HOST_CONDITIONS_VERSION "GLIBC_2.3.2"

/* Stores in *FUNCTION, a function pointer, the next definition of the interposed function NAME; VERSION: its
 * symbol version, NULL: the default one. */
void host_find_next(const char *name, const char *version, void *function);

#endif
