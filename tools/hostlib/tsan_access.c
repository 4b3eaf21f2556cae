/* librefcl-host: functions that gcc's and clang's -fsanitize=thread instrumentation calls for plain accesses.
 * An access outside of memory shared with kernels costs two comparisons. */
#include "tools/hostlib/hostlib.h"

#include <stdatomic.h>

const struct refcl_host_runtime *host_runtime;

EXPORT refcl_host_attach_function refcl_host_attach;
EXPORT void refcl_host_attach(const struct refcl_host_runtime *runtime)
{
    if (runtime)
        host_find_runtime(runtime);
    if (!runtime || runtime->version == REFCL_HOST_VERSION)
        __atomic_store_n(&host_runtime, runtime, __ATOMIC_RELEASE);
}

void host_plain(const void *address, uint32_t size, uint8_t kind, const void *place)
{
    const struct refcl_host_runtime *runtime = host_shared(address);
    if (!runtime || host_leaves_out(address, size))
        return;
    struct refcl_host_access access = {.address = address, .size = size, .kind = kind, .place = place};
    host_inside = true;
    runtime->access(&access);
    host_inside = false;
}

#define PLAIN(name, size, kind)                                                                              \
    EXPORT void __tsan_##name(void *address);                                                                \
    EXPORT void __tsan_##name(void *address)                                                                 \
    {                                                                                                        \
        host_plain(address, size, kind, HERE);                                                               \
    }
#define BOTH(name, size)                                                                                     \
    EXPORT void __tsan_##name(void *address);                                                                \
    EXPORT void __tsan_##name(void *address)                                                                 \
    {                                                                                                        \
        host_plain(address, size, REFCL_HOST_READ, HERE);                                                    \
        host_plain(address, size, REFCL_HOST_WRITE, HERE);                                                   \
    }
#define SIZES(size)                                                                                          \
    PLAIN(read##size, size, REFCL_HOST_READ)                                                                 \
    PLAIN(write##size, size, REFCL_HOST_WRITE)                                                               \
    PLAIN(unaligned_read##size, size, REFCL_HOST_READ)                                                       \
    PLAIN(unaligned_write##size, size, REFCL_HOST_WRITE)                                                     \
    PLAIN(volatile_read##size, size, REFCL_HOST_READ)                                                        \
    PLAIN(volatile_write##size, size, REFCL_HOST_WRITE)                                                      \
    PLAIN(unaligned_volatile_read##size, size, REFCL_HOST_READ)                                              \
    PLAIN(unaligned_volatile_write##size, size, REFCL_HOST_WRITE)                                            \
    BOTH(read_write##size, size)                                                                             \
    BOTH(unaligned_read_write##size, size)
SIZES(1)
SIZES(2)
SIZES(4)
SIZES(8)
SIZES(16)

#define RANGE(name, kind)                                                                                    \
    EXPORT void __tsan_##name(void *address, unsigned long size);                                            \
    EXPORT void __tsan_##name(void *address, unsigned long size)                                             \
    {                                                                                                        \
        host_plain(address, (uint32_t)size, kind, HERE);                                                     \
    }
RANGE(read_range, REFCL_HOST_READ)
RANGE(write_range, REFCL_HOST_WRITE)

/* Virtual table pointers are never in memory that kernels share. */
EXPORT void __tsan_vptr_update(void **at, void *value);
EXPORT void __tsan_vptr_update(void **at, void *value)
{
    (void)at;
    (void)value;
}
EXPORT void __tsan_vptr_read(void **at);
EXPORT void __tsan_vptr_read(void **at)
{
    (void)at;
}
static atomic_bool instrumented;
EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
    atomic_store_explicit(&instrumented, true, memory_order_relaxed);
}
EXPORT refcl_host_is_instrumented_function refcl_host_is_instrumented;
EXPORT bool refcl_host_is_instrumented(void)
{
    return atomic_load_explicit(&instrumented, memory_order_relaxed);
}
EXPORT void __tsan_func_entry(void *place);
EXPORT void __tsan_func_entry(void *place)
{
    (void)place;
}
EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_func_exit(void) {}
