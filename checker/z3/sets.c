/* Base sets of the cat language as formulas [CL 3.3.4-3.3.6; Vulkan memory model appendix]; their conventions
 * are in memmodel/cat/names.c. */
#include "checker/z3/internal.h"

#include <string.h>

static bool is_fence(const struct zx_event *e)
{
    return e->kind == ZX_FENCE || e->kind == ZX_BARRIER;
}

static bool is_atomic(const struct zx_event *e)
{
    return zx_is_access(e) && !zx_is_init(e) && ck_instr_is_atomic(e->in);
}

/* The memory order of the read half or the write half of an operation with ORDER. */
static enum mm_order order_of_half(enum zx_kind kind, enum mm_order order)
{
    if (order == MM_ACQ_REL)
        order = kind == ZX_READ ? MM_ACQUIRE : MM_RELEASE;
    if ((kind == ZX_READ && order == MM_RELEASE) || (kind == ZX_WRITE && order == MM_ACQUIRE))
        order = MM_RELAXED;
    return order;
}

static enum mm_order order_of(const struct zx *z, const struct zx_event *e)
{
    enum mm_order order;

    if (zx_is_init(e))
        return MM_ORDER_NONE;
    order = (enum mm_order)e->in->order;
    if (e->kind == ZX_BARRIER) {
        if (e->part)
            return e->part == 1 ? MM_RELEASE : MM_ACQUIRE;
        return z->p->vulkan ? order : MM_ACQ_REL;
    }
    return zx_is_access(e) ? order_of_half(e->kind, order) : order;
}

static bool order_in(enum mm_order order, const char *set)
{
    if (strcmp(set, "ACQ") == 0)
        return order == MM_ACQUIRE || order == MM_ACQ_REL;
    if (strcmp(set, "REL") == 0)
        return order == MM_RELEASE || order == MM_ACQ_REL;
    if (strcmp(set, "ACQ_REL") == 0)
        return order == MM_ACQ_REL;
    if (strcmp(set, "SC") == 0)
        return order == MM_SEQ_CST;
    return order == MM_RELAXED;
}

/* A failed compare-exchange reads with its failure order. */
static Z3_ast in_order(struct zx *z, const struct zx_event *e, const char *set)
{
    Z3_ast now = order_in(order_of(z, e), set) ? z->yes : z->no, failed;

    if (e->kind != ZX_READ || e->failed == z->no)
        return now;
    failed = order_in(order_of_half(ZX_READ, (enum mm_order)e->in->order_fail), set) ? z->yes : z->no;
    return zx_or(z, zx_and(z, e->failed, failed), zx_and(z, zx_not(z, e->failed), now));
}

static bool in_scope(const struct zx_event *e, enum mm_scope scope)
{
    if (zx_is_init(e))
        return false;
    if (e->kind == ZX_WRITE && !is_atomic(e) && e->in->scope == MM_SCOPE_NONE)
        return scope == MM_SCOPE_WORK_ITEM;
    return e->in->scope == scope;
}

typedef bool object_test(const struct ck_object *);

static bool object_is_global(const struct ck_object *o)
{
    return o->region == MM_GLOBAL || o->region == MM_CONSTANT || o->region == MM_PROGRAM_SCOPE ||
           o->region == MM_IMAGE || o->region == MM_PIPE;
}

static bool object_is_local(const struct ck_object *o)
{
    return o->region == MM_LOCAL;
}

static bool object_is_non_atomic(const struct ck_object *o)
{
    return o->non_atomic;
}

static bool object_is_fine_grained(const struct ck_object *o)
{
    return o->origin == MM_ORIGIN_FINE_SVM_ATOMICS;
}

static bool object_is_buffer(const struct ck_object *o)
{
    return (o->region == MM_REGION_NONE || o->region == MM_GLOBAL || o->region == MM_CONSTANT) &&
           (o->origin == MM_ORIGIN_NONE || o->origin == MM_ORIGIN_BUFFER ||
            o->origin == MM_ORIGIN_SUB_BUFFER);
}

static bool object_is_coarse(const struct ck_object *o)
{
    return o->origin == MM_ORIGIN_COARSE_SVM;
}

static bool object_is_fine(const struct ck_object *o)
{
    return o->origin == MM_ORIGIN_FINE_SVM || o->origin == MM_ORIGIN_FINE_SVM_ATOMICS ||
           o->origin == MM_ORIGIN_SYSTEM_SVM;
}

static bool object_is_host(const struct ck_object *o)
{
    return o->origin == MM_ORIGIN_HOST;
}

static bool object_is_image(const struct ck_object *o)
{
    return o->region == MM_IMAGE;
}

Z3_ast zx_in_object(struct zx *z, struct zx_val address, uint32_t object)
{
    struct zx_val past = zx_binary(z, CK_SUB, address, zx_number(CK_OBJECT_BASE(object), 8));

    return zx_less(z, past, zx_number(z->p->objects[object].size, 8), false, false);
}

/* Accesses, initial writes included, of objects that pass TEST. */
static Z3_ast in_objects(struct zx *z, const struct zx_event *e, object_test *test)
{
    Z3_ast any = z->no;

    for (uint32_t o = 0; zx_is_access(e) && o < z->p->object_count; o++)
        if (test(&z->p->objects[o]))
            any = zx_or(z, any, zx_in_object(z, e->address, o));
    return any;
}

static bool has_flag(const struct zx_event *e, unsigned flag)
{
    return is_fence(e) && (e->in->fence_flags & flag);
}

/* Atomic accesses are implicitly available and visible. */
static bool reaches_domain(const struct zx_event *e, enum zx_kind kind, unsigned attribute)
{
    return e->kind == kind && !zx_is_init(e) && (is_atomic(e) || (e->in->attributes & attribute));
}

static bool has_semantics(const struct zx_event *e, unsigned bit)
{
    return !zx_is_init(e) && (e->in->semantics & bit);
}

static bool is_non_private(const struct zx_event *e)
{
    return zx_is_access(e) && !zx_is_init(e) &&
           (is_atomic(e) || (e->in->attributes & (MM_NON_PRIVATE | MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE)));
}

static bool has_class(const struct zx_event *e, unsigned class)
{
    return zx_is_access(e) && !zx_is_init(e) && (e->in->storage_class >> class & 1);
}

/* A memory domain operation: makes writes available in one domain available to the other. */
static bool moves_domain(const struct zx_event *e)
{
    return (e->kind == ZX_AVAILABILITY && (e->in->attributes & MM_MAKE_VISIBLE)) ||
           (e->kind == ZX_VISIBILITY && (e->in->attributes & MM_MAKE_AVAILABLE));
}

/* A command event of kind TAG. */
static bool is_tagged(const struct zx_event *e, unsigned tag)
{
    return e->kind == ZX_POINT && (e->in->tags & tag);
}

#define SETS(X)                                                                                              \
    X("R", e->kind == ZX_READ)                                                                               \
    X("W", e->kind == ZX_WRITE)                                                                              \
    X("M", zx_is_access(e))                                                                                  \
    X("F", is_fence(e))                                                                                      \
    X("IW", zx_is_init(e))                                                                                   \
    X("A", is_atomic(e))                                                                                     \
    X("ATOM", is_atomic(e))                                                                                  \
    X("NA", zx_is_access(e) && !zx_is_init(e) && !is_atomic(e))                                              \
    X("WI", in_scope(e, MM_SCOPE_WORK_ITEM))                                                                 \
    X("SG", in_scope(e, MM_SCOPE_SUB_GROUP))                                                                 \
    X("WG", in_scope(e, MM_SCOPE_WORK_GROUP))                                                                \
    X("QF", in_scope(e, MM_SCOPE_QUEUE_FAMILY))                                                              \
    X("DV", in_scope(e, MM_SCOPE_DEVICE))                                                                    \
    X("ALL", in_scope(e, MM_SCOPE_ALL_SVM_DEVICES))                                                          \
    X("IMAGE", has_flag(e, MM_FENCE_IMAGE))                                                                  \
    X("CBAR", e->kind == ZX_BARRIER)                                                                         \
    X("BEN", e->kind == ZX_BARRIER && e->part == 1)                                                          \
    X("BEX", e->kind == ZX_BARRIER && e->part == 2)                                                          \
    X("HOST", !zx_is_init(e) && z->p->threads[e->thread].host)                                               \
    X("SC0", has_class(e, 0))                                                                                \
    X("SC1", has_class(e, 1))                                                                                \
    X("SC2", has_class(e, 2))                                                                                \
    X("SC3", has_class(e, 3))                                                                                \
    X("SEMSC0", has_semantics(e, 1))                                                                         \
    X("SEMSC1", has_semantics(e, 2))                                                                         \
    X("SEMSC2", has_semantics(e, 4))                                                                         \
    X("SEMSC3", has_semantics(e, 8))                                                                         \
    X("SEMAV", has_semantics(e, CK_SEM_AVAILABLE))                                                           \
    X("SEMVIS", has_semantics(e, CK_SEM_VISIBLE))                                                            \
    X("AV", reaches_domain(e, ZX_WRITE, MM_MAKE_AVAILABLE))                                                  \
    X("VIS", reaches_domain(e, ZX_READ, MM_MAKE_VISIBLE))                                                    \
    X("AVDEVICE", e->kind == ZX_AVAILABILITY && !moves_domain(e) && !in_scope(e, MM_SCOPE_ALL_SVM_DEVICES))  \
    X("VISDEVICE", e->kind == ZX_VISIBILITY && !moves_domain(e) && !in_scope(e, MM_SCOPE_ALL_SVM_DEVICES))   \
    X("AVHOST", e->kind == ZX_AVAILABILITY && !moves_domain(e) && in_scope(e, MM_SCOPE_ALL_SVM_DEVICES))     \
    X("VISHOST", e->kind == ZX_VISIBILITY && !moves_domain(e) && in_scope(e, MM_SCOPE_ALL_SVM_DEVICES))      \
    X("DOMHOST", moves_domain(e) && in_scope(e, MM_SCOPE_ALL_SVM_DEVICES))                                   \
    X("DOMDEVICE", moves_domain(e) && !in_scope(e, MM_SCOPE_ALL_SVM_DEVICES))                                \
    X("NONPRIV", is_non_private(e))                                                                          \
    X("POINT", e->kind == ZX_POINT)                                                                          \
    X("API", is_tagged(e, MM_POINT_API))                                                                     \
    X("START", is_tagged(e, MM_POINT_START))                                                                 \
    X("END", is_tagged(e, MM_POINT_END))                                                                     \
    X("COMPLETE", is_tagged(e, MM_POINT_COMPLETE))                                                           \
    X("INORDER", is_tagged(e, MM_POINT_IN_ORDER))                                                            \
    X("MARKER", is_tagged(e, MM_POINT_MARKER))                                                               \
    X("CQBARRIER", is_tagged(e, MM_POINT_BARRIER))                                                           \
    X("NOLIST", is_tagged(e, MM_POINT_NO_LIST))                                                              \
    X("FINISH", is_tagged(e, MM_POINT_FINISH))                                                               \
    X("WAITK", is_tagged(e, MM_POINT_WAIT_KERNEL))                                                           \
    X("WAITG", is_tagged(e, MM_POINT_WAIT_GROUP))                                                            \
    X("MAP", !zx_is_init(e) && (e->in->tags & MM_POINT_MAP))                                                 \
    X("MAPW", !zx_is_init(e) && (e->in->tags & MM_POINT_MAP_WRITE))                                          \
    X("UNMAP", !zx_is_init(e) && (e->in->tags & MM_POINT_UNMAP))

/* Sets whose membership depends on values: on addresses, or on the result of a compare-exchange. */
static Z3_ast in_varying_set(struct zx *z, const struct zx_event *e, const char *name)
{
    if (strcmp(name, "RMW") == 0)
        return zx_is_access(e) && e->partner != ZX_NONE ? zx_not(z, e->failed) : z->no;
    if (strcmp(name, "GLOBAL") == 0)
        return has_flag(e, MM_FENCE_GLOBAL) ? z->yes : in_objects(z, e, object_is_global);
    if (strcmp(name, "LOCAL") == 0)
        return has_flag(e, MM_FENCE_LOCAL) ? z->yes : in_objects(z, e, object_is_local);
    if (strcmp(name, "NAL") == 0)
        return in_objects(z, e, object_is_non_atomic);
    if (strcmp(name, "FGA") == 0)
        return in_objects(z, e, object_is_fine_grained);
    if (strcmp(name, "CLMEM") == 0)
        return in_objects(z, e, object_is_buffer);
    if (strcmp(name, "IMG") == 0)
        return in_objects(z, e, object_is_image);
    if (strcmp(name, "COARSE") == 0)
        return in_objects(z, e, object_is_coarse);
    if (strcmp(name, "FINE") == 0)
        return in_objects(z, e, object_is_fine);
    if (strcmp(name, "HOSTMEM") == 0)
        return in_objects(z, e, object_is_host);
    if (strcmp(name, "ACQ") == 0 || strcmp(name, "REL") == 0 || strcmp(name, "ACQ_REL") == 0 ||
        strcmp(name, "SC") == 0 || strcmp(name, "RLX") == 0)
        return in_order(z, e, name);
    zx_stop(z, MM_LIMIT, "z3", "the Z3 engine does not support set %s", name);
}

struct zx_rel *zx_base_set(struct zx *z, const char *name)
{
    struct zx_rel *r = zx_rel_new(z, true);

    for (uint32_t i = 0; i < z->n; i++) {
        const struct zx_event *e = &z->events[i];
#define X(set, test)                                                                                         \
    if (strcmp(name, set) == 0) {                                                                            \
        zx_rel_set(z, r, i, 0, (test) ? z->yes : z->no);                                                     \
        continue;                                                                                            \
    }
        SETS(X)
#undef X
        zx_rel_set(z, r, i, 0, in_varying_set(z, e, name));
    }
    return r;
}
