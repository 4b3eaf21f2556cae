/* What the files of librefcl-host share. */
#ifndef TOOLS_HOSTLIB_H
#define TOOLS_HOSTLIB_H

#include "ref-runtime/host_access.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

extern const struct refcl_host_runtime *host_runtime; /* NULL while nothing is recorded */

/* True if PLACE is in the runtime itself, whose threads and locks are none of the program's. */
void host_find_runtime(const struct refcl_host_runtime *runtime);
bool host_is_runtime(const void *place);

static inline const struct refcl_host_runtime *host_recording(void)
{
    return __atomic_load_n(&host_runtime, __ATOMIC_ACQUIRE);
}

/* The runtime if ADDRESS may be shared with kernels, else NULL. */
static inline const struct refcl_host_runtime *host_shared(const void *address)
{
    const struct refcl_host_runtime *runtime = host_recording();
    uint64_t at = (uint64_t)(uintptr_t)address;
    return runtime && at >= *runtime->low && at < *runtime->high ? runtime : NULL;
}

#endif
