/* Macros that define interposers of functions of the C library: each calls the original and records its
 * synchronization. */
#ifndef TOOLS_HOSTLIB_INTERPOSE_H
#define TOOLS_HOSTLIB_INTERPOSE_H

#include "tools/hostlib/hostlib.h"

#include <time.h>

typedef const struct timespec *moment; /* when a wait ends */

/* Declares NEXT, the interposed function, which is looked up in the first call. */
#define NEXT(name, version, arguments)                                                                       \
    static int(*next) arguments;                                                                             \
    if (!__atomic_load_n(&next, __ATOMIC_RELAXED)) {                                                         \
        int(*found) arguments;                                                                               \
        host_find_next(#name, version, &found);                                                              \
        __atomic_store_n(&next, found, __ATOMIC_RELAXED);                                                    \
    }

/* Defines the interposer NAME, which makes the call AFTER, an acquire, if GOT, a condition on the result
 * CODE, holds. */
#define TAKE(name, arguments, got, after, ...)                                                               \
    EXPORT int name arguments                                                                                \
    {                                                                                                        \
        NEXT(name, NULL, arguments)                                                                          \
        int code = next(__VA_ARGS__);                                                                        \
        if ((got) && host_is_recording(HERE)) {                                                              \
            after;                                                                                           \
        }                                                                                                    \
        return code;                                                                                         \
    }

/* Defines the interposer NAME, which makes the call BEFORE, a release. */
#define GIVE(name, arguments, before, ...)                                                                   \
    EXPORT int name arguments                                                                                \
    {                                                                                                        \
        NEXT(name, NULL, arguments)                                                                          \
        if (host_is_recording(HERE)) {                                                                       \
            before;                                                                                          \
        }                                                                                                    \
        return next(__VA_ARGS__);                                                                            \
    }

#endif
