/* Atomic instructions of every width. [SPIRV 3.49.18], [CLC 6.15.12, 6.15.12.7.5 R1], [CL 3.3.5 O2, O3],
 * [CL 3.3.6 A6]. Implemented with sequentially consistent host atomics, so that kernels and host threads may
 * share fine-grained memory. */
#include "exec.h"
#include "interp/check/fault_memory.h"
#include "interp/ext/convert.h"
#include "interp/weak/weak.h"
#include <math.h>
#include <string.h>

struct step { /* a read-modify-write */
    const struct in_atomic *a;
    uint64_t value, comparator, mask;
    bool writes;
};

static int64_t sign_extend(uint64_t v, uint32_t size)
{
    return (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

static uint64_t float_result(const struct step *s, uint64_t old)
{
    uint32_t size = s->a->size;
    double x = in_bits_to_f64(old, 8 * size), y = in_bits_to_f64(s->value, 8 * size);
    switch (s->a->opcode) {
    case SpvOpAtomicFAddEXT:
        return in_bits_from_f64(x + y, 8 * size);
    case SpvOpAtomicFMinEXT:
        return in_bits_from_f64(fmin(x, y), 8 * size);
    default:
        return in_bits_from_f64(fmax(x, y), 8 * size);
    }
}

static uint64_t result_of(struct step *s, uint64_t old)
{
    uint64_t v = s->value;
    int64_t so = sign_extend(old, s->a->size), sv = sign_extend(v, s->a->size);
    switch (s->a->opcode) {
    case SpvOpAtomicExchange:
    case SpvOpAtomicStore:
        return v;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        s->writes = old == s->comparator;
        return s->writes ? v : old;
    case SpvOpAtomicIIncrement:
        return old + 1;
    case SpvOpAtomicIDecrement:
        return old - 1;
    case SpvOpAtomicIAdd:
        return old + v;
    case SpvOpAtomicISub:
        return old - v;
    case SpvOpAtomicSMin:
        return so < sv ? old : v;
    case SpvOpAtomicUMin:
        return old < v ? old : v;
    case SpvOpAtomicSMax:
        return so > sv ? old : v;
    case SpvOpAtomicUMax:
        return old > v ? old : v;
    case SpvOpAtomicAnd:
        return old & v;
    case SpvOpAtomicOr:
        return old | v;
    case SpvOpAtomicXor:
        return old ^ v;
    case SpvOpAtomicFlagTestAndSet:
        return 1;
    case SpvOpAtomicFlagClear:
        return 0;
    default:
        return float_result(s, old);
    }
}

static uint64_t load_sized(const uint8_t *m, uint32_t size)
{
    switch (size) {
    case 1:
        return __atomic_load_n(m, __ATOMIC_SEQ_CST);
    case 2:
        return __atomic_load_n((const uint16_t *)(const void *)m, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_load_n((const uint32_t *)(const void *)m, __ATOMIC_SEQ_CST);
    default:
        return __atomic_load_n((const uint64_t *)(const void *)m, __ATOMIC_SEQ_CST);
    }
}

#define EXCHANGE(T)                                                                                          \
    {                                                                                                        \
        T expected = (T)*old;                                                                                \
        bool done = __atomic_compare_exchange_n((T *)(void *)m, &expected, (T)value, false,                  \
                                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                         \
        *old = expected;                                                                                     \
        return done;                                                                                         \
    }
static bool exchange_memory(uint8_t *m, uint32_t size, uint64_t *old, uint64_t value)
{
    switch (size) {
    case 1:
        EXCHANGE(uint8_t)
    case 2:
        EXCHANGE(uint16_t)
    case 4:
        EXCHANGE(uint32_t)
    default:
        EXCHANGE(uint64_t)
    }
}

/* Executes the instruction; *WRITTEN is the new contents of memory. */
static uint64_t perform_aligned(struct step *s, uint8_t *m, uint64_t *written)
{
    uint64_t old = load_sized(m, s->a->size);
    *written = old;
    if (s->a->opcode == SpvOpAtomicLoad)
        return old;
    do {
        s->writes = true;
        *written = result_of(s, old) & s->mask;
    } while (s->writes && !exchange_memory(m, s->a->size, &old, *written));
    return old;
}

/* Misaligned addresses, which are a finding where alignment is checked: not atomic with respect to other host
 * threads. */
static uint64_t perform_step(struct step *s, uint8_t *m, uint64_t *written)
{
    uint64_t copy, old;
    if (((uintptr_t)m & (s->a->size - 1)) == 0)
        return perform_aligned(s, m, written);
    memcpy(&copy, m, s->a->size);
    old = perform_aligned(s, (uint8_t *)&copy, written);
    if (s->writes)
        memcpy(m, &copy, s->a->size);
    return old;
}

static bool is_compare(const struct in_atomic *a)
{
    return a->opcode == SpvOpAtomicCompareExchange || a->opcode == SpvOpAtomicCompareExchangeWeak;
}

/* Legacy atomics are translated with relaxed order and work-group scope and keep the named address space of
 * their pointer; C11 atomics use the generic one. [CLC 6.15.12.8: device scope] */
static enum mm_scope scope_of(const struct in_item *item, const struct in_atomic *a, const struct in_fat *p,
                              enum mm_order order)
{
    enum mm_scope scope = in_scope_of(in_get32(item, a->scope));
    bool legacy =
        a->legacy && order == MM_RELAXED && scope == MM_SCOPE_WORK_GROUP && p->object->region != MM_LOCAL;
    return legacy ? MM_SCOPE_DEVICE : scope;
}

/* ---- weak memory ------------------------------------------------------------------------------ */

static uint64_t weak_result(void *context, uint64_t old, bool *writes)
{
    struct step *s = context;
    s->writes = true;
    uint64_t result = result_of(s, old & s->mask) & s->mask;
    *writes = s->writes;
    return result;
}

/* Executes the instruction on weak memory; false: out of memory. */
static bool perform_weakly(struct in_run *run, struct in_item *item, struct step *s, const struct in_fat *p,
                           uint64_t *old, uint64_t *written)
{
    const struct in_atomic *a = s->a;
    enum mm_order order = in_order_of(in_get32(item, a->order));
    struct in_weak_atomic w = {.object = p->object,
                               .address = p->address,
                               .size = a->size,
                               .store = in_atomic_stores(a),
                               .order = order,
                               .order_failed = is_compare(a) ? in_order_of(in_get32(item, a->order2)) : order,
                               .scope = scope_of(item, a, p, order),
                               .result = a->opcode == SpvOpAtomicLoad ? NULL : weak_result,
                               .context = s};
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0)) {
        bool rmw = !w.store && w.result;
        in_fault_atomic(rmw, &w.order_failed, &(enum mm_scope){w.scope});
        in_fault_atomic(rmw, &w.order, &w.scope);
        if (a->generic && in_fault_now == IN_FAULT_GENERIC_RELAXED)
            w.order = w.order_failed = MM_RELAXED;
    }
    in_weak_atomic(run, item, &w);
    *old = w.old & s->mask;
    *written = w.written & s->mask;
    s->writes = w.wrote;
    return !w.failed;
}

/* Executes the instruction on memory directly; for weak memory, whose cells are aligned, a misaligned atomic
 * is an ordinary access. */
static uint64_t perform_in_memory(struct in_run *run, struct in_item *item, struct step *s,
                                  const struct in_fat *p, uint8_t *m, uint64_t *written)
{
    uint32_t size = s->a->size;
    bool weak = run->weak && p->object->region != MM_PRIVATE;
    if (!weak || ((uintptr_t)m & (size - 1)) == 0)
        return perform_step(s, m, written);
    in_weak_write_begin(run, item, p->object, p->address, size);
    uint64_t old = perform_step(s, m, written);
    in_weak_write_end(run, item, p->object, p->address, size);
    return old;
}

/* ---- instruction ------------------------------------------------------------------------------ */

static void record_atomic(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                          const struct step *s, const struct in_fat *p, uint64_t old, uint64_t written)
{
    const struct in_atomic *a = s->a;
    bool succeeds = s->writes || a->opcode == SpvOpAtomicLoad, store = in_atomic_stores(a);
    uint32_t semantics = in_get32(item, succeeds ? a->order : a->order2);
    enum mm_order order = in_order_of(semantics);
    enum mm_kind kind = store ? MM_WRITE : s->writes ? MM_RMW : MM_READ;
    bool vulkan = run->module->target.vulkan;
    struct mm_event *e = in_record_atomic(run, item, pc, p->object, p->address, scope_of(item, a, p, order));
    e->kind = (uint8_t)kind;
    e->size = a->size;
    e->value_read = store ? 0 : old;
    e->value_written = kind == MM_READ ? 0 : written;
    e->order = (uint8_t)order;
    e->attributes |= (is_compare(a) && !s->writes ? MM_FAILED_CAS : 0) | (vulkan ? MM_NON_PRIVATE : 0);
    e->semantics = vulkan ? (uint16_t)semantics : 0;
}

bool in_atomic_now(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                   const struct in_atomic *a)
{
    struct in_fat *p = (struct in_fat *)(void *)(item->frame + a->pointer);
    bool writes = a->opcode != SpvOpAtomicLoad;
    uint8_t *m = in_touch(run, item, pc, p, (struct in_reference){p->address, a->size, a->size - 1, writes});
    uint64_t old = 0, written = 0;
    bool flag = a->opcode == SpvOpAtomicFlagTestAndSet;
    if (m) {
        struct step s = {.a = a, .mask = a->size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * a->size)) - 1};
        if (a->value != 0)
            memcpy(&s.value, item->frame + a->value, a->size);
        if (a->comparator != 0)
            memcpy(&s.comparator, item->frame + a->comparator, a->size);
        if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0))
            in_fault_atomic_next(item);
        bool weak = run->weak && p->object->region != MM_PRIVATE;
        bool aligned = ((uintptr_t)m & (a->size - 1)) == 0;
        if (!weak || !aligned || !perform_weakly(run, item, &s, p, &old, &written))
            old = perform_in_memory(run, item, &s, p, m, &written);
        if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0))
            old = in_fault_atomic_done(item, a, m, old, written, s.writes, s.comparator);
        if (run->full && run->launch.recorder && p->object->region != MM_PRIVATE)
            record_atomic(run, item, pc, &s, p, old, written);
        if (weak && run->launch.recorder)
            in_weak_recorded(run);
    } else if (run->outcome.stopped) {
        return false;
    }
    if (a->result != 0) {
        old = flag ? old != 0 : old;
        memcpy(item->frame + a->result, &old, flag ? 1 : a->size);
    }
    return true;
}

bool in_atomic(struct in_run *run, struct in_item *item, const struct in_insn *pc, const struct in_atomic *a)
{
    if (__builtin_expect(!!run->weak, 0) && in_weak_postpones(run, item, pc))
        return true;
    return in_atomic_now(run, item, pc, a);
}
