/* Functions of the C library that librefcl-host stands before: what they do, and what the program is told of
 * it. */
#ifndef TOOLS_HOSTLIB_INTERPOSE_H
#define TOOLS_HOSTLIB_INTERPOSE_H

#include "tools/hostlib/hostlib.h"

#define NEXT(name, version, arguments)                                                                       \
    static int(*next) arguments;                                                                             \
    if (!__atomic_load_n(&next, __ATOMIC_RELAXED)) {                                                         \
        int(*found) arguments;                                                                               \
        host_find_next(#name, version, &found);                                                              \
        __atomic_store_n(&next, found, __ATOMIC_RELAXED);                                                    \
    }

/* NAME acquires with AFTER where it returns what GOT says. */
#define TAKE(name, arguments, got, after, ...)                                                               \
    EXPORT int name arguments                                                                                \
    {                                                                                                        \
        NEXT(name, NULL, arguments)                                                                          \
        int code = next(__VA_ARGS__);                                                                        \
        if ((got) && host_is_told(HERE)) {                                                                   \
            after;                                                                                           \
        }                                                                                                    \
        return code;                                                                                         \
    }

/* NAME releases with BEFORE. */
#define GIVE(name, arguments, before, ...)                                                                   \
    EXPORT int name arguments                                                                                \
    {                                                                                                        \
        NEXT(name, NULL, arguments)                                                                          \
        if (host_is_told(HERE)) {                                                                            \
            before;                                                                                          \
        }                                                                                                    \
        return next(__VA_ARGS__);                                                                            \
    }

#endif
