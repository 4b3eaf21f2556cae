/* librefcl-host: atomics.  An atomic on SVM and its record are one step, which no step of a kernel interrupts, so that the record has
 * atomics on an object in coherence order. */
#include "tools/hostlib/hostlib.h"

/* Instrumented code passes C11 order numbers; the operations themselves are seq_cst, which is at least as strong. */
#define ORDER __ATOMIC_SEQ_CST

static void record_access(const struct refcl_host_runtime *runtime, const volatile void *address,
                          uint32_t size, uint8_t kind, int order, uint64_t read, uint64_t written,
                          const void *place)
{
    struct refcl_host_access access = {.address = (const void *)(uintptr_t)address,
                                       .size = size,
                                       .kind = kind,
                                       .atomic = true,
                                       .order = order,
                                       .place = place,
                                       .read = read,
                                       .written = written};
    runtime->access(&access);
}

/* Records an atomic outside of SVM, which only orders threads of the program, as an access that may conflict with commands. */
static void record_outside_svm(const void *address, uint32_t size, uint8_t kind, int order, const void *place)
{
    const struct refcl_host_runtime *runtime = host_shared(address);
    struct refcl_host_access access = {
        .address = address, .size = size, .kind = kind, .atomic = true, .order = order, .place = place};
    if (!runtime || !runtime->on_driver || host_inside)
        return;
    host_inside = true;
    runtime->access(&access);
    host_inside = false;
}

/* Executes DO, an atomic access of KIND.  In SVM it is one step with RECORD, which records it; elsewhere it is atomic with respect to
 * accesses between other calls of host_atomic_begin() and host_atomic_end(). */
#define ATOMIC_ACCESS(address, DO, KIND, order, RECORD)                                                      \
    const void *where = (const void *)(uintptr_t)(address);                                                  \
    const struct refcl_host_runtime *runtime = host_leaves_out(NULL, 0) ? NULL : host_svm(where);            \
    bool outside_svm = !runtime && !host_handlers && host_recording();                                       \
    if (runtime) {                                                                                           \
        host_inside = true;                                                                                  \
        runtime->lock();                                                                                     \
    }                                                                                                        \
    if (outside_svm)                                                                                         \
        host_atomic_begin(where);                                                                            \
    DO;                                                                                                      \
    if (outside_svm) {                                                                                       \
        host_atomic_end(where, KIND, order);                                                                 \
        record_outside_svm(where, sizeof *(address), KIND, order, HERE);                                     \
    }                                                                                                        \
    if (runtime) {                                                                                           \
        RECORD;                                                                                              \
        runtime->unlock();                                                                                   \
        host_inside = false;                                                                                 \
    }

#define LOAD_STORE(bits, type)                                                                               \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order);                               \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order)                                \
    {                                                                                                        \
        type v;                                                                                              \
        ATOMIC_ACCESS(a, v = __atomic_load_n(a, ORDER), REFCL_HOST_READ, order,                              \
                      record_access(runtime, a, sizeof v, REFCL_HOST_READ, order, (uint64_t)v, 0, HERE))     \
        return v;                                                                                            \
    }                                                                                                        \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order);                            \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order)                             \
    {                                                                                                        \
        ATOMIC_ACCESS(a, __atomic_store_n(a, v, ORDER), REFCL_HOST_WRITE, order,                             \
                      record_access(runtime, a, sizeof v, REFCL_HOST_WRITE, order, 0, (uint64_t)v, HERE))    \
    }

#define UPDATE(bits, type, name, operation, result)                                                          \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order);                           \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order)                            \
    {                                                                                                        \
        type old;                                                                                            \
        ATOMIC_ACCESS(a, old = operation(a, v, ORDER), REFCL_HOST_RMW, order,                                \
                      record_access(runtime, a, sizeof v, REFCL_HOST_RMW, order, (uint64_t)old,              \
                                    (uint64_t)(type)(result), HERE))                                         \
        return old;                                                                                          \
    }

#define EXCHANGE(bits, type, name)                                                                           \
    EXPORT int __tsan_atomic##bits##_##name(volatile type *a, type *expected, type v, int order, int fail);  \
    EXPORT int __tsan_atomic##bits##_##name(volatile type *a, type *expected, type v, int order, int fail)   \
    {                                                                                                        \
        bool done;                                                                                           \
        ATOMIC_ACCESS(a, done = __atomic_compare_exchange_n(a, expected, v, 0, ORDER, ORDER),                \
                      done ? REFCL_HOST_RMW : REFCL_HOST_READ, done ? order : fail,                          \
                      record_access(runtime, a, sizeof v, done ? REFCL_HOST_RMW : REFCL_HOST_READ,           \
                                    done ? order : fail, (uint64_t)*expected, (uint64_t)v, HERE))            \
        return done;                                                                                         \
    }

#define ALL(bits, type)                                                                                      \
    LOAD_STORE(bits, type)                                                                                   \
    UPDATE(bits, type, exchange, __atomic_exchange_n, v)                                                     \
    UPDATE(bits, type, fetch_add, __atomic_fetch_add, old + v)                                               \
    UPDATE(bits, type, fetch_sub, __atomic_fetch_sub, old - v)                                               \
    UPDATE(bits, type, fetch_and, __atomic_fetch_and, old &v)                                                \
    UPDATE(bits, type, fetch_or, __atomic_fetch_or, old | v)                                                 \
    UPDATE(bits, type, fetch_xor, __atomic_fetch_xor, old ^ v)                                               \
    UPDATE(bits, type, fetch_nand, __atomic_fetch_nand, ~(old & v))                                          \
    EXCHANGE(bits, type, compare_exchange_strong)                                                            \
    EXCHANGE(bits, type, compare_exchange_weak)                                                              \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type v,          \
                                                           int order, int fail);                             \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type v,          \
                                                           int order, int fail)                              \
    {                                                                                                        \
        __tsan_atomic##bits##_compare_exchange_strong(a, &expected, v, order, fail);                         \
        return expected;                                                                                     \
    }
ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
    const struct refcl_host_runtime *runtime = host_recording();
    __atomic_thread_fence(ORDER);
    if (!runtime || host_leaves_out(NULL, 0))
        return;
    host_atomic_fence(order);
    struct refcl_host_access access = {
        .kind = REFCL_HOST_FENCE, .atomic = true, .order = order, .place = HERE};
    host_inside = true;
    runtime->lock();
    runtime->access(&access);
    runtime->unlock();
    host_inside = false;
}
EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(ORDER);
}
