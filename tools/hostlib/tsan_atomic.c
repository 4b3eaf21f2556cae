/* librefcl-host: atomics.  An atomic on SVM and its record are one step, which no step of a kernel
 * interrupts, so that the record has atomics on an object in coherence order. */
#include "tools/hostlib/hostlib.h"

/* Instrumented code passes C11 order numbers; the operations themselves are seq_cst, which is at least as
 * strong. */
#define ORDER __ATOMIC_SEQ_CST

/* An atomic access, from begin_atomic() to end_atomic(). */
struct atomic_access {
    const void *address, *place;              /* PLACE: in the program's code */
    const struct refcl_host_runtime *runtime; /* of an address in SVM, with its lock held; else NULL */
    /* recorded as synchronization of threads, between host_atomic_begin() and host_atomic_end() */
    bool outside_svm;
};

static struct atomic_access begin_atomic(const volatile void *address, const void *place)
{
    struct atomic_access a = {.address = (const void *)(uintptr_t)address, .place = place};
    a.runtime = host_leaves_out(NULL, 0) ? NULL : host_svm(a.address);
    a.outside_svm = !a.runtime && !host_handlers && host_recording();
    if (a.runtime) {
        host_inside = true;
        a.runtime->lock();
    } else if (a.outside_svm) {
        host_atomic_begin(a.address);
    }
    return a;
}

/* Records an atomic outside of SVM, which only orders threads of the program, as an access that may conflict
 * with commands. */
static void record_outside_svm(const struct refcl_host_access *access)
{
    const struct refcl_host_runtime *runtime = host_shared(access->address);
    if (!runtime || !runtime->on_driver || host_inside)
        return;
    host_inside = true;
    runtime->access(access);
    host_inside = false;
}

/* Records the access, which read and wrote SIZE bytes with the values READ and WRITTEN: 0 where KIND does not
 * read or write. */
static void end_atomic(const struct atomic_access *a, uint32_t size, enum refcl_host_kind kind, int order,
                       uint64_t read, uint64_t written)
{
    struct refcl_host_access access = {.address = a->address,
                                       .size = size,
                                       .kind = (uint8_t)kind,
                                       .atomic = true,
                                       .order = order,
                                       .place = a->place};
    if (a->runtime) {
        access.read = read;
        access.written = written;
        a->runtime->access(&access);
        a->runtime->unlock();
        host_inside = false;
    } else if (a->outside_svm) {
        host_atomic_end(a->address, kind, order);
        record_outside_svm(&access);
    }
}

#define LOAD_STORE(bits, type)                                                                               \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order);                               \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order)                                \
    {                                                                                                        \
        struct atomic_access access = begin_atomic(a, HERE);                                                 \
        type v = __atomic_load_n(a, ORDER);                                                                  \
        end_atomic(&access, sizeof v, REFCL_HOST_READ, order, v, 0);                                         \
        return v;                                                                                            \
    }                                                                                                        \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order);                            \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order)                             \
    {                                                                                                        \
        struct atomic_access access = begin_atomic(a, HERE);                                                 \
        __atomic_store_n(a, v, ORDER);                                                                       \
        end_atomic(&access, sizeof v, REFCL_HOST_WRITE, order, 0, v);                                        \
    }

/* RESULT: what OPERATION has stored, as an expression in OLD and V. */
#define UPDATE(bits, type, name, operation, result)                                                          \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order);                           \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order)                            \
    {                                                                                                        \
        struct atomic_access access = begin_atomic(a, HERE);                                                 \
        type old = operation(a, v, ORDER);                                                                   \
        end_atomic(&access, sizeof v, REFCL_HOST_RMW, order, old, (type)(result));                           \
        return old;                                                                                          \
    }

/* A compare-exchange that fails is a read with the order FAIL. */
#define EXCHANGE(bits, type, name)                                                                           \
    EXPORT int __tsan_atomic##bits##_##name(volatile type *a, type *expected, type v, int order, int fail);  \
    EXPORT int __tsan_atomic##bits##_##name(volatile type *a, type *expected, type v, int order, int fail)   \
    {                                                                                                        \
        struct atomic_access access = begin_atomic(a, HERE);                                                 \
        bool done = __atomic_compare_exchange_n(a, expected, v, 0, ORDER, ORDER);                            \
        end_atomic(&access, sizeof v, done ? REFCL_HOST_RMW : REFCL_HOST_READ, done ? order : fail,          \
                   *expected, v);                                                                            \
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
