/* Base relations of the cat language as formulas [CL 3.3.4-3.3.6; Vulkan memory model appendix]; their
 * conventions are in memmodel/cat/names.c.  A relation is encoded when it is first used
 * (docs/encoding.md#relations). */
#include "checker/z3/internal.h"

#include <string.h>

static bool same_thread(const struct zx *z, uint32_t a, uint32_t b)
{
    return a == b || (z->events[a].thread == z->events[b].thread && z->events[a].thread != ZX_NONE);
}

/* The order in which a thread's events are added agrees with every path. */
static bool program_order(const struct zx *z, uint32_t a, uint32_t b)
{
    return a < b && same_thread(z, a, b);
}

enum level { DEVICE, KERNEL, QUEUE_FAMILY, WORK_GROUP, SUB_GROUP };

static bool same_level(const struct zx *z, uint32_t a, uint32_t b, enum level level)
{
    const struct ck_thread *x, *y;

    if (zx_is_init(&z->events[a]) || zx_is_init(&z->events[b]))
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

/* Barriers are identified by the program's barrier id or, without one, by the call site. */
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

/* A late arrival at a barrier with a quorum does not synchronize with the others. */
static Z3_ast same_barrier(struct zx *z, uint32_t a, uint32_t b)
{
    Z3_ast same = same_instance(z, a, b);

    return a == b || same == z->no ? same : zx_and(z, same, zx_not(z, z->events[a].late));
}

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

/* THREAD executes the same occurrence of the same barrier as event A. */
static Z3_ast arrives_at(struct zx *z, uint32_t thread, uint32_t a)
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

Z3_ast zx_all_arrive(struct zx *z, uint32_t a)
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
        all = zx_and(z, all, arrives_at(z, i, a));
    }
    return all;
}

Z3_ast zx_barriers_meet(struct zx *z)
{
    Z3_ast all = z->yes;

    for (uint32_t a = 0; (!z->p->vulkan || z->p->kernel) && a < z->n; a++) {
        const struct zx_event *e = &z->events[a];

        if (e->kind == ZX_BARRIER && e->part < 2)
            all = zx_and(z, all, zx_implies(z, e->exec, zx_all_arrive(z, a)));
    }
    return all;
}

static Z3_ast same_reference(struct zx *z, uint32_t a, uint32_t b)
{
    const struct zx_event *x = &z->events[a], *y = &z->events[b];

    if (!zx_is_init(x) && !zx_is_init(y) &&
        (x->in->reference != y->in->reference || x->addressed != y->addressed))
        return z->no;
    return zx_same_location(z, a, b);
}

/* Whether the accesses that A and B are pieces of cover the same bytes. */
static Z3_ast same_extent(struct zx *z, uint32_t a, uint32_t b)
{
    const struct zx_event *x = &z->events[a], *y = &z->events[b];

    if (!zx_is_access(x) || !zx_is_access(y) || x->whole_size != y->whole_size)
        return z->no;
    return a == b ? z->yes : zx_equal(z, x->start, y->start);
}

static bool is_end(const struct zx_event *e, uint32_t thread, uint32_t point)
{
    if (zx_is_init(e) || e->thread != thread)
        return false;
    return point == 0 || e->in->point == point;
}

/* Relations given by the program's edges. */
static bool is_given(const char *name)
{
    static const char *const names[] = {
        "ssw",     "asw",   "enqueue",   "completes", "instance",  "waitlist",  "apiwait",
        "frees",   "unseq", "qo",        "signal",    "callback",  "parent",    "child",
        "mapping", "query", "semaphore", "batch",     "syncpoint", "recording", "rerun"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
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

static Z3_ast events_related(struct zx *z, uint32_t a, uint32_t b, const char *name)
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
    if (strcmp(name, "extent") == 0)
        return same_extent(z, a, b);
    if (strcmp(name, "piece") == 0)
        return a != b && e->access && e->access == z->events[b].access ? z->yes : z->no;
    if (strcmp(name, "data") == 0)
        return zx_depends_on(z, b, a, z->events[b].data_deps);
    if (strcmp(name, "addr") == 0)
        return zx_depends_on(z, b, a, z->events[b].addr_deps);
    if (strcmp(name, "ctrl") == 0)
        return zx_depends_on(z, b, a, z->events[b].ctrl_deps);
    if (is_given(name))
        return given_edge(z, a, b, name);
    zx_stop(z, MM_LIMIT, "z3", "the Z3 engine does not support relation %s", name);
}

/* rfe, rfi and so on: the restriction to pairs of different threads, or of one. */
static struct zx_rel *restricted_relation(struct zx *z, const char *whole, bool external)
{
    struct zx_rel *r = zx_rel_new(z, false), *all = zx_base(z, whole);

    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t j = 0; j < z->n; j++)
            if (same_thread(z, i, j) != external)
                zx_rel_set(z, r, i, j, zx_rel_get(z, all, i, j));
    }
    return r;
}

static struct zx_rel *base_relation(struct zx *z, const char *name)
{
    static const char *const wholes[] = {"rf", "co", "fr"};
    struct zx_rel *r;

    for (unsigned i = 0; i < 3; i++)
        if (strlen(name) == 3 && strncmp(name, wholes[i], 2) == 0 && (name[2] == 'e' || name[2] == 'i'))
            return restricted_relation(z, wholes[i], name[2] == 'e');
    r = zx_rel_new(z, false);
    for (uint32_t i = 0; i < z->n; i++)
        for (uint32_t j = 0; j < z->n; j++)
            zx_rel_set(z, r, i, j, events_related(z, i, j, name));
    return r;
}

struct zx_rel *zx_base(struct zx *z, const char *name)
{
    for (uint32_t i = 0; i < mm_cat_base_count; i++) {
        if (strcmp(mm_cat_bases[i].name, name) != 0)
            continue;
        if (!z->cache.base[i])
            z->cache.base[i] =
                mm_cat_bases[i].type == MM_CAT_SET ? zx_base_set(z, name) : base_relation(z, name);
        return z->cache.base[i];
    }
    zx_stop(z, MM_BUG, "z3", "unknown base name %s", name);
}
