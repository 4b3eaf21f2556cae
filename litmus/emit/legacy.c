/* OpenCL 1.2 atomics in place of C11 atomics, for devices without the latter or without the order or scope
 * that a test uses [CLC 1.2 6.12.9, 6.12.11].
 *
 * They are relaxed and have device scope.  mem_fence is an acquire-release fence of work-group scope
 * [CLC 6.15.12.6]: with a later relaxed write it is a release, with an earlier relaxed read an acquire
 * [CL 3.3.6 A4]. */
#include "litmus/emit/emit.h"

/* Bit 0 of an order: release; bit 1: acquire. */
static const char words[] =
    "#ifdef REFCL_LEGACY\n"
    "#define atomic_int volatile int\n"
    "#define atomic_uint volatile uint\n"
    "#define memory_order_relaxed 0\n"
    "#define memory_order_release 1\n"
    "#define memory_order_acquire 2\n"
    "#define memory_order_acq_rel 3\n"
    "#define memory_scope_device 0\n"
    "#define memory_scope_work_group 0\n"
    "#define memory_scope_sub_group 0\n"
    "#define REFCL_IF(bit) ((bit) ? mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE) : (void)0)\n"
    "#define REFCL_ATOMIC(call, o) (REFCL_IF((o) & 1), refcl_old = call, REFCL_IF((o) & 2), refcl_old)\n"
    "#define REFCL_CAS(p, e, v, o) (REFCL_IF((o) & 1), refcl_want = *(e), \\\n"
    "    *(e) = refcl_old = atomic_cmpxchg(p, refcl_want, v), REFCL_IF((o) & 2), refcl_old == refcl_want)\n"
    "#define atomic_load_explicit(p, o, s) REFCL_ATOMIC(atomic_add(p, 0), o)\n"
    "#define atomic_store_explicit(p, v, o, s) (void)REFCL_ATOMIC(atomic_xchg(p, v), o)\n"
    "#define atomic_exchange_explicit(p, v, o, s) REFCL_ATOMIC(atomic_xchg(p, v), o)\n"
    "#define atomic_fetch_add_explicit(p, v, o, s) REFCL_ATOMIC(atomic_add(p, v), o)\n"
    "#define atomic_fetch_sub_explicit(p, v, o, s) REFCL_ATOMIC(atomic_sub(p, v), o)\n"
    "#define atomic_fetch_or_explicit(p, v, o, s) REFCL_ATOMIC(atomic_or(p, v), o)\n"
    "#define atomic_fetch_and_explicit(p, v, o, s) REFCL_ATOMIC(atomic_and(p, v), o)\n"
    "#define atomic_fetch_xor_explicit(p, v, o, s) REFCL_ATOMIC(atomic_xor(p, v), o)\n"
    "#define atomic_fetch_min_explicit(p, v, o, s) REFCL_ATOMIC(atomic_min(p, v), o)\n"
    "#define atomic_fetch_max_explicit(p, v, o, s) REFCL_ATOMIC(atomic_max(p, v), o)\n"
    "#define atomic_compare_exchange_strong_explicit(p, e, v, o, f, s) REFCL_CAS(p, e, v, (o) | (f))\n"
    "#define atomic_compare_exchange_weak_explicit(p, e, v, o, f, s) REFCL_CAS(p, e, v, (o) | (f))\n"
    "#define atomic_work_item_fence(f, o, s) mem_fence(f)\n"
    "#define work_group_barrier(f, s) barrier(f)\n"
    "#endif\n";

void lt_emit_legacy(struct emitter *e)
{
    fputs(words, e->out);
}

void lt_emit_legacy_temporaries(struct emitter *e)
{
    fputs("#ifdef REFCL_LEGACY\n    int refcl_old = 0, refcl_want = 0;\n    (void)refcl_want;\n#endif\n",
          e->out);
}

/* An access in the call's value would be evaluated after the release fence that has to follow it. */
static bool fits_atomic(const struct lt_expr *call, uint8_t order, uint8_t scope)
{
    if (!call->order || scope == MM_SCOPE_ALL_SVM_DEVICES)
        return false;
    if (order == MM_RELAXED && call->order_fail <= MM_RELAXED)
        return true;
    return order != MM_SEQ_CST && call->order_fail != MM_SEQ_CST && scope <= MM_SCOPE_WORK_GROUP &&
           !lt_has_access(call->c);
}

bool lt_emit_fits_legacy(const struct lt_expr *call, uint8_t order, uint8_t scope)
{
    if (call->flags & MM_FENCE_IMAGE)
        return false;
    switch (call->function->kind) {
    case LT_F_LOAD:
    case LT_F_STORE:
    case LT_F_RMW:
    case LT_F_CAS:
        return fits_atomic(call, order, scope);
    case LT_F_CMPXCHG:
        return true;
    case LT_F_FENCE:
        return order <= MM_ACQ_REL && scope <= MM_SCOPE_WORK_GROUP;
    case LT_F_BARRIER:
        return scope <= MM_SCOPE_WORK_GROUP || !call->scope;
    default:
        return false;
    }
}
