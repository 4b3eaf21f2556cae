/* The Z3 engine's meaning of the names that a model may use without defining them
 * [CL 3.3.4-3.3.6; Vulkan memory model appendix]; conventions in memmodel/cat_base.c. */
#include "checker/z3_internal.h"

#include <string.h>

/* ---- sets ------------------------------------------------------------------------------------------ */

static bool is_init(const struct zx_event *e)
{
    return e->thread == ZX_NONE;
}

static bool is_fence(const struct zx_event *e)
{
    return e->kind == ZX_FENCE || e->kind == ZX_BARRIER;
}

static bool is_atomic(const struct zx_event *e)
{
    return zx_is_access(e) && !is_init(e) &&
           ((e->in->attributes & MM_ATOMIC) || e->in->order != MM_ORDER_NONE);
}

/* The half of ORDER that a read or a write keeps. */
static enum mm_order half(enum zx_kind kind, enum mm_order order)
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

    if (is_init(e))
        return MM_ORDER_NONE;
    order = (enum mm_order)e->in->order;
    if (e->kind == ZX_BARRIER) {
        if (e->part)
            return e->part == 1 ? MM_RELEASE : MM_ACQUIRE;
        return z->p->vulkan ? order : MM_ACQ_REL;
    }
    return zx_is_access(e) ? half(e->kind, order) : order;
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

/* A compare-exchange that fails reads with an order of its own. */
static Z3_ast in_order(struct zx *z, const struct zx_event *e, const char *set)
{
    Z3_ast now = order_in(order_of(z, e), set) ? z->yes : z->no, failed;

    if (e->kind != ZX_READ || e->failed == z->no)
        return now;
    failed = order_in(half(ZX_READ, (enum mm_order)e->in->order_fail), set) ? z->yes : z->no;
    return zx_or(z, zx_and(z, e->failed, failed), zx_and(z, zx_not(z, e->failed), now));
}

static bool in_scope(const struct zx_event *e, enum mm_scope scope)
{
    if (is_init(e))
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

    for (uint32_t o = 0; zx_is_access(e) && o < z->p->object_count; o++) {
        if (test(&z->p->objects[o]))
            any = zx_or(z, any, zx_in_object(z, e->address, o));
    }
    return any;
}

static bool has_flag(const struct zx_event *e, unsigned flag)
{
    return is_fence(e) && (e->in->fence_flags & flag);
}

/* Atomics make available and visible without saying so. */
static bool reaches_domain(const struct zx_event *e, enum zx_kind kind, unsigned attribute)
{
    return e->kind == kind && !is_init(e) && (is_atomic(e) || (e->in->attributes & attribute));
}

static bool has_semantics(const struct zx_event *e, unsigned bit)
{
    return !is_init(e) && (e->in->semantics & bit);
}

static bool is_non_private(const struct zx_event *e)
{
    return zx_is_access(e) && !is_init(e) &&
           (is_atomic(e) || (e->in->attributes & (MM_NON_PRIVATE | MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE)));
}

static bool has_class(const struct zx_event *e, unsigned class)
{
    return zx_is_access(e) && !is_init(e) && (e->in->storage_class >> class & 1);
}

/* A memory domain operation: what is available to one domain becomes available to the other. */
static bool moves_domain(const struct zx_event *e)
{
    return (e->kind == ZX_AVAILABILITY && (e->in->attributes & MM_MAKE_VISIBLE)) ||
           (e->kind == ZX_VISIBILITY && (e->in->attributes & MM_MAKE_AVAILABLE));
}

/* Something that happens to a command, of the kind TAG. */
static bool is_tagged(const struct zx_event *e, unsigned tag)
{
    return e->kind == ZX_POINT && (e->in->tags & tag);
}

#define SETS(X)                                                                                              \
    X("R", e->kind == ZX_READ)                                                                               \
    X("W", e->kind == ZX_WRITE)                                                                              \
    X("M", zx_is_access(e))                                                                                  \
    X("F", is_fence(e))                                                                                      \
    X("IW", is_init(e))                                                                                      \
    X("A", is_atomic(e))                                                                                     \
    X("ATOM", is_atomic(e))                                                                                  \
    X("NA", zx_is_access(e) && !is_init(e) && !is_atomic(e))                                                 \
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
    X("HOST", !is_init(e) && z->p->threads[e->thread].host)                                                  \
    X("SC0", has_class(e, 0))                                                                                \
    X("SC1", has_class(e, 1))                                                                                \
    X("SC2", has_class(e, 2))                                                                                \
    X("SC3", has_class(e, 3))                                                                                \
    X("SEMSC0", has_semantics(e, 1))                                                                         \
    X("SEMSC1", has_semantics(e, 2))                                                                         \
    X("SEMSC2", has_semantics(e, 4))                                                                         \
    X("SEMSC3", has_semantics(e, 8))                                                                         \
    X("SEMAV", has_semantics(e, 0x100))                                                                      \
    X("SEMVIS", has_semantics(e, 0x200))                                                                     \
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
    X("MAP", !is_init(e) && (e->in->tags & MM_POINT_MAP))                                                    \
    X("MAPW", !is_init(e) && (e->in->tags & MM_POINT_MAP_WRITE))                                             \
    X("UNMAP", !is_init(e) && (e->in->tags & MM_POINT_UNMAP))

/* Sets that depend on values: of addresses, or of what a compare-exchange reads. */
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
    zx_stop(z, MM_BUG, "z3", "the Z3 engine does not know the set %s", name);
}

static struct zx_rel *base_set(struct zx *z, const char *name)
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

/* ---- relations ----------------------------------------------------------------------------------------- */

static bool same_thread(const struct zx *z, uint32_t a, uint32_t b)
{
    return a == b || (z->events[a].thread == z->events[b].thread && z->events[a].thread != ZX_NONE);
}

/* Events of one thread were added in an order that every path respects. */
static bool program_order(const struct zx *z, uint32_t a, uint32_t b)
{
    return a < b && same_thread(z, a, b);
}

enum level { DEVICE, KERNEL, QUEUE_FAMILY, WORK_GROUP, SUB_GROUP };

static bool same_level(const struct zx *z, uint32_t a, uint32_t b, enum level level)
{
    const struct ck_thread *x, *y;

    if (is_init(&z->events[a]) || is_init(&z->events[b]))
        return false;
    x = &z->p->threads[z->events[a].thread];
    y = &z->p->threads[z->events[b].thread];
    if (x->host || y->host || x->device != y->device)
        return false;
    if (level == QUEUE_FAMILY)
        return x->queue_family == y->queue_family;
    if (level == KERNEL)
        return x->kernel == y->kernel;
    if (level >= WORK_GROUP && x->work_group != y->work_group)
        return false;
    return level < SUB_GROUP || x->sub_group == y->sub_group;
}

/* What tells barriers apart: the number that the program gives, else the call site. */
Z3_ast zx_same_barrier_key(struct zx *z, const struct zx_event *a, const struct zx_event *b)
{
    uint8_t size = a->value.size > b->value.size ? a->value.size : b->value.size;

    if ((a->value.size == 0) != (b->value.size == 0) || a->in->barrier_name != b->in->barrier_name)
        return z->no;
    if (size == 0)
        return a->in->site == b->in->site ? z->yes : z->no;
    return zx_equal(z, zx_resize(z, a->value, size, false), zx_resize(z, b->value, size, false));
}

/* The same occurrence of the same barrier in a work-group or sub-group. */
static Z3_ast same_instance(struct zx *z, uint32_t a, uint32_t b)
{
    const struct zx_event *x = &z->events[a], *y = &z->events[b];

    if (x->kind != ZX_BARRIER || y->kind != ZX_BARRIER)
        return z->no;
    if (a == b)
        return z->yes;
    if (x->in->sub_group != y->in->sub_group ||
        !same_level(z, a, b, x->in->sub_group ? SUB_GROUP : WORK_GROUP))
        return z->no;
    return zx_and(z, zx_equal(z, x->address, y->address), zx_same_barrier_key(z, x, y));
}

/* Nobody waits for who comes when enough have come. */
static Z3_ast same_barrier(struct zx *z, uint32_t a, uint32_t b)
{
    Z3_ast same = same_instance(z, a, b);

    return a == b || same == z->no ? same : zx_and(z, same, zx_not(z, z->events[a].late));
}

/* As many come in time as the barrier asks for: with fewer it is never passed. */
void zx_require_quorums(struct zx *z)
{
    for (uint32_t a = 0; a < z->n; a++) {
        const struct zx_event *e = &z->events[a];
        struct zx_val early = zx_number(0, 4);

        if (e->kind != ZX_BARRIER || e->in->quorum == 0)
            continue;
        for (uint32_t b = 0; b < z->n; b++) {
            const struct zx_event *other = &z->events[b];
            Z3_ast counts = zx_and(z, same_instance(z, a, b), zx_and(z, other->exec, zx_not(z, other->late)));

            early = zx_binary(z, CK_ADD, early, zx_from_bool(z, counts, 4));
        }
        zx_assert(z, zx_implies(z, e->exec, zx_equal(z, early, zx_number(e->in->quorum, 4))));
    }
}

/* Some barrier of THREAD is the same occurrence of the same barrier as event A. */
static Z3_ast comes_to(struct zx *z, uint32_t thread, uint32_t a)
{
    const struct zx_event *x = &z->events[a];
    Z3_ast any = z->no;

    for (uint32_t i = 0; i < z->n; i++) {
        const struct zx_event *y = &z->events[i];

        if (y->thread == thread && y->kind == ZX_BARRIER && y->part < 2)
            any = zx_or(z, any,
                        zx_and(z, y->exec,
                               zx_and(z, zx_equal(z, x->address, y->address), zx_same_barrier_key(z, x, y))));
    }
    return any;
}

Z3_ast zx_all_come(struct zx *z, uint32_t a)
{
    const struct ck_program *p = z->p;
    const struct zx_event *e = &z->events[a];
    const struct ck_thread *s = &p->threads[e->thread];
    Z3_ast all = z->yes;

    for (uint32_t i = 0; ck_meets_others(s) && i < p->thread_count; i++) {
        const struct ck_thread *t = &p->threads[i];

        if (i == e->thread || !ck_meets_others(t) || s->device != t->device ||
            s->work_group != t->work_group || (e->in->sub_group && s->sub_group != t->sub_group))
            continue;
        all = zx_and(z, all, comes_to(z, i, a));
    }
    return all;
}

/* A barrier lets nobody through before all work-items of the group are there [CL 3.3.6 W1, B1]. */
Z3_ast zx_barriers_meet(struct zx *z)
{
    Z3_ast all = z->yes;

    for (uint32_t a = 0; (!z->p->vulkan || z->p->kernel) && a < z->n; a++) {
        const struct zx_event *e = &z->events[a];

        if (e->kind == ZX_BARRIER && e->part < 2)
            all = zx_and(z, all, zx_implies(z, e->exec, zx_all_come(z, a)));
    }
    return all;
}

static Z3_ast same_reference(struct zx *z, uint32_t a, uint32_t b)
{
    const struct zx_event *x = &z->events[a], *y = &z->events[b];

    if (!is_init(x) && !is_init(y) && (x->in->reference != y->in->reference || x->addressed != y->addressed))
        return z->no;
    return zx_same_location(z, a, b);
}

static bool is_end(const struct zx_event *e, uint32_t thread, uint32_t point)
{
    if (is_init(e) || e->thread != thread)
        return false;
    return point == 0 || e->in->point == point;
}

/* Relations that the program lists. */
static bool is_given(const char *name)
{
    static const char *const names[] = {"ssw",      "asw",      "enqueue", "completes", "instance",
                                        "waitlist", "apiwait",  "frees",   "unseq",     "qo",
                                        "signal",   "callback", "parent",  "child",     "mapping"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static Z3_ast given_edge(struct zx *z, uint32_t a, uint32_t b, const char *name)
{
    for (uint32_t i = 0; i < z->p->edge_count; i++) {
        const struct ck_edge *edge = &z->p->edges[i];

        if (is_end(&z->events[a], edge->from_thread, edge->from_point) &&
            is_end(&z->events[b], edge->to_thread, edge->to_point) && strcmp(edge->relation, name) == 0)
            return z->yes;
    }
    return z->no;
}

/* Whether A and B access one object, wherever in it. */
static Z3_ast same_object(struct zx *z, uint32_t a, uint32_t b)
{
    Z3_ast any = z->no;

    for (uint32_t o = 0; zx_is_access(&z->events[a]) && zx_is_access(&z->events[b]) && o < z->p->object_count;
         o++) {
        Z3_ast both =
            zx_and(z, zx_in_object(z, z->events[a].address, o), zx_in_object(z, z->events[b].address, o));

        any = zx_or(z, any, both);
    }
    return any;
}

/* rf^-1;co */
static Z3_ast from_read(struct zx *z, uint32_t read, uint32_t write)
{
    Z3_ast *terms = zx_alloc(z, z->n, sizeof *terms);

    for (uint32_t w = 0; w < z->n; w++)
        terms[w] = zx_and(z, z->rf[w * z->n + read], z->co[w * z->n + write]);
    return zx_or_n(z, z->n, terms);
}

static Z3_ast related(struct zx *z, uint32_t a, uint32_t b, const char *name)
{
    const struct zx_event *e = &z->events[a];
    uint32_t at = a * z->n + b;

    if (strcmp(name, "po") == 0)
        return program_order(z, a, b) ? z->yes : z->no;
    if (strcmp(name, "po-loc") == 0)
        return program_order(z, a, b) ? zx_same_location(z, a, b) : z->no;
    if (strcmp(name, "int") == 0)
        return same_thread(z, a, b) ? z->yes : z->no;
    if (strcmp(name, "ext") == 0)
        return same_thread(z, a, b) ? z->no : z->yes;
    if (strcmp(name, "id") == 0)
        return a == b ? z->yes : z->no;
    if (strcmp(name, "loc") == 0)
        return zx_same_location(z, a, b);
    if (strcmp(name, "rmw") == 0)
        return e->kind == ZX_READ && e->partner == b ? z->yes : z->no;
    if (strcmp(name, "rf") == 0)
        return z->rf[at];
    if (strcmp(name, "co") == 0)
        return z->co[at];
    if (strcmp(name, "fr") == 0)
        return e->kind == ZX_READ && z->events[b].kind == ZX_WRITE ? from_read(z, a, b) : z->no;
    if (strcmp(name, "ssg") == 0)
        return same_level(z, a, b, SUB_GROUP) ? z->yes : z->no;
    if (strcmp(name, "swg") == 0)
        return same_level(z, a, b, WORK_GROUP) ? z->yes : z->no;
    if (strcmp(name, "sqf") == 0)
        return same_level(z, a, b, QUEUE_FAMILY) ? z->yes : z->no;
    if (strcmp(name, "sdv") == 0)
        return same_level(z, a, b, DEVICE) ? z->yes : z->no;
    if (strcmp(name, "skernel") == 0)
        return same_level(z, a, b, KERNEL) ? z->yes : z->no;
    if (strcmp(name, "syncbar") == 0)
        return same_barrier(z, a, b);
    if (strcmp(name, "obj") == 0)
        return same_object(z, a, b);
    if (strcmp(name, "vloc") == 0)
        return same_reference(z, a, b);
    if (is_given(name))
        return given_edge(z, a, b, name);
    zx_stop(z, MM_BUG, "z3", "the Z3 engine does not know the relation %s", name);
}

/* rfe, rfi and so on: the part of the relation between threads, or within one. */
static struct zx_rel *restricted(struct zx *z, const char *whole, bool external)
{
    struct zx_rel *r = zx_rel_new(z, false), *all = zx_base(z, whole);

    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t j = 0; j < z->n; j++) {
            if (same_thread(z, i, j) != external)
                zx_rel_set(z, r, i, j, zx_rel_get(z, all, i, j));
        }
    }
    return r;
}

static struct zx_rel *base_relation(struct zx *z, const char *name)
{
    static const char *const wholes[] = {"rf", "co", "fr"};
    struct zx_rel *r;

    for (unsigned i = 0; i < 3; i++) {
        if (strlen(name) == 3 && strncmp(name, wholes[i], 2) == 0 && (name[2] == 'e' || name[2] == 'i'))
            return restricted(z, wholes[i], name[2] == 'e');
    }
    r = zx_rel_new(z, false);
    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t j = 0; j < z->n; j++)
            zx_rel_set(z, r, i, j, related(z, i, j, name));
    }
    return r;
}

struct zx_rel *zx_base(struct zx *z, const char *name)
{
    for (uint32_t i = 0; i < mm_cat_base_count; i++) {
        if (strcmp(mm_cat_bases[i].name, name) != 0)
            continue;
        if (!z->base_cache[i])
            z->base_cache[i] =
                mm_cat_bases[i].type == MM_CAT_SET ? base_set(z, name) : base_relation(z, name);
        return z->base_cache[i];
    }
    zx_stop(z, MM_BUG, "z3", "unknown base name %s", name);
}
