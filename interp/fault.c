/* REFCL_FAULT: selection of the fault, and its effect on atomic operations, fences and barriers. */
#include "interp/fault.h"
#include "memmodel/base/privilege.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum in_fault in_fault_now;

/* NULL if FAULT is out of range. */
static const char *fault_name(enum in_fault fault)
{
    static const char *const names[IN_FAULT_COUNT] = {
#define IN_FAULT(id, name, what) [IN_FAULT_##id] = name,
#include "interp/fault.def"
#undef IN_FAULT
    };
    return fault > IN_NO_FAULT && fault < IN_FAULT_COUNT ? names[fault] : NULL;
}

/* IN_NO_FAULT: no fault has that name. */
static enum in_fault find_fault(const char *name)
{
    for (enum in_fault f = IN_NO_FAULT + 1; f < IN_FAULT_COUNT; f++)
        if (strcmp(fault_name(f), name) == 0)
            return f;
    return IN_NO_FAULT;
}

__attribute__((constructor)) static void read_fault(void)
{
    const char *name = mm_getenv("REFCL_FAULT");
    if (!name || *name == '\0')
        return;
    in_fault_now = find_fault(name);
    if (in_fault_now != IN_NO_FAULT)
        return;
    fprintf(stderr, "refcl: REFCL_FAULT: '%s' is none of:", name);
    for (enum in_fault f = IN_NO_FAULT + 1; f < IN_FAULT_COUNT; f++)
        fprintf(stderr, " %s", fault_name(f));
    fprintf(stderr, "\n");
}

/* ORDER without its acquire half, or without its release half. */
static enum mm_order drop_half(enum mm_order order, bool acquire)
{
    enum mm_order kept = acquire ? MM_RELEASE : MM_ACQUIRE;
    if (order == (acquire ? MM_ACQUIRE : MM_RELEASE))
        return MM_RELAXED;
    return order >= MM_ACQ_REL ? kept : order;
}

/* Narrows the scope by one level [CLC 6.15.12.4]. */
static void narrow_scope(enum mm_scope *scope)
{
    if (*scope >= MM_SCOPE_DEVICE && in_fault_now == IN_FAULT_SCOPE_NARROWED)
        *scope = MM_SCOPE_WORK_GROUP;
    if (*scope == MM_SCOPE_ALL_SVM_DEVICES && in_fault_now == IN_FAULT_ALL_DEVICES_NARROWED)
        *scope = MM_SCOPE_WORK_GROUP;
    if (*scope == MM_SCOPE_WORK_GROUP && in_fault_now == IN_FAULT_SCOPE_SUB_GROUP)
        *scope = MM_SCOPE_SUB_GROUP;
}

void in_fault_atomic(bool rmw, enum mm_order *order, enum mm_scope *scope)
{
    switch (in_fault_now) {
    case IN_FAULT_RELEASE_DEMOTED:
        *order = drop_half(*order, false);
        break;
    case IN_FAULT_ACQUIRE_DEMOTED:
        *order = drop_half(*order, true);
        break;
    case IN_FAULT_SC_DEMOTED:
        *order = *order == MM_SEQ_CST ? MM_ACQ_REL : *order;
        break;
    case IN_FAULT_RMW_ORDER_DROPPED:
        *order = rmw ? MM_RELAXED : *order;
        break;
    default:
        narrow_scope(scope);
    }
}

void in_fault_fence(enum mm_order *order, enum mm_scope *scope, uint32_t *flags)
{
    switch (in_fault_now) {
    case IN_FAULT_FENCE_DROPPED:
        *order = MM_RELAXED;
        break;
    case IN_FAULT_FENCE_RELEASE_ONLY:
        *order = *order >= MM_ACQ_REL ? MM_RELEASE : *order;
        break;
    case IN_FAULT_FENCE_ACQUIRE_ONLY:
        *order = *order >= MM_ACQ_REL ? MM_ACQUIRE : *order;
        break;
    case IN_FAULT_FENCE_SC_DEMOTED:
        *order = *order == MM_SEQ_CST ? MM_ACQ_REL : *order;
        break;
    case IN_FAULT_FENCE_FLAG_GLOBAL:
        *flags &= ~(uint32_t)MM_FENCE_GLOBAL;
        break;
    case IN_FAULT_FENCE_FLAG_LOCAL:
        *flags &= ~(uint32_t)MM_FENCE_LOCAL;
        break;
    case IN_FAULT_FENCE_SCOPE_NARROWED:
        *scope = *scope >= MM_SCOPE_DEVICE       ? MM_SCOPE_WORK_GROUP
                 : *scope == MM_SCOPE_WORK_GROUP ? MM_SCOPE_SUB_GROUP
                                                 : *scope;
        break;
    default:
        break;
    }
}

void in_fault_barrier(uint32_t *flags)
{
    if (in_fault_now == IN_FAULT_BARRIER_FLAG_GLOBAL)
        *flags &= ~(uint32_t)MM_FENCE_GLOBAL;
    if (in_fault_now == IN_FAULT_BARRIER_FLAG_LOCAL)
        *flags &= ~(uint32_t)MM_FENCE_LOCAL;
}
