/* Advice: the smallest change of a program that removes its race.  Each candidate change is applied to a copy
 * of the program and decided by search.  Candidates: a stronger order, a wider scope or more
 * fence flags of one operation; one added fence; an object whose accesses all become atomic with a
 * sufficient scope; pairs of these; an added barrier that two work-items reach.  docs/search.md#advice */
#include "checker/checker.h"

#include <string.h>
#include <time.h>

enum { MAX_SINGLES = 512, MAX_TRIES = 4000 };

struct adviser {
    const struct ck_program *program;
    const struct mm_cat_model *model;
    struct ck_options options;
    struct ck_edit *singles;                          /* changes of operations, then added fences */
    uint32_t change_count, fence_count, single_count; /* ends of the changes, the fences, all */
    struct mm_arena *arena;                           /* of one attempt */
    unsigned tries, timeout_ms;                       /* TIMEOUT_MS: for all tries, 0: none */
    uint64_t start;
};

/* ---- changed programs ------------------------------------------------------------------------------ */

static bool is_plain(const struct ck_instr *i)
{
    return (i->op == CK_LOAD || i->op == CK_STORE) && i->order == MM_ORDER_NONE &&
           !(i->attributes & MM_ATOMIC);
}

static void insert_instr(struct ck_thread *t, const struct ck_edit *edit)
{
    struct ck_instr *i = &t->instrs[edit->instr];

    memmove(i + 1, i, (t->instr_count - edit->instr) * sizeof *i);
    t->instr_count++;
    *i = (struct ck_instr){.op = edit->barrier ? CK_BARRIER : CK_FENCE,
                           .order = edit->order,
                           .scope = edit->scope,
                           .fence_flags = edit->fence_flags,
                           .site = edit->barrier ? UINT32_MAX : 0,
                           .reg = CK_NO_REG,
                           .reg2 = CK_NO_REG,
                           .address = CK_NO_EXPR,
                           .value = CK_NO_EXPR,
                           .expected = CK_NO_EXPR};
    for (uint32_t k = 0; k < t->instr_count; k++) {
        bool jumps = t->instrs[k].op == CK_JUMP || t->instrs[k].op == CK_BRANCH;

        t->instrs[k].target += jumps && t->instrs[k].target > edit->instr;
    }
}

/* An access of object O that is plain, or atomic with a scope narrower than SCOPE. */
static bool falls_short(const struct ck_program *p, const struct ck_instr *i, uint32_t o, unsigned scope)
{
    return i->op >= CK_LOAD && i->op <= CK_CAS && ck_program_base(p, i->address) == o &&
           (is_plain(i) || (i->order != MM_ORDER_NONE && i->scope < scope));
}

/* All accesses of object O become atomic, with a scope that reaches. */
static void make_atomic(struct ck_program *p, uint32_t o, const struct ck_edit *edit)
{
    p->objects[o].non_atomic = false;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
            struct ck_instr *i = &p->threads[t].instrs[k];

            if (!falls_short(p, i, o, edit->scope))
                continue;
            if (is_plain(i))
                i->order = edit->order;
            i->scope = edit->scope;
            i->attributes |= MM_ATOMIC;
        }
    }
}

static void apply_edit(struct ck_program *p, const struct ck_edit *edit)
{
    struct ck_thread *t = &p->threads[edit->thread];
    struct ck_instr *i = &t->instrs[edit->instr];

    if (edit->insert) {
        insert_instr(t, edit);
        return;
    }
    if (edit->atomic) {
        make_atomic(p, ck_program_base(p, i->address), edit);
        return;
    }
    if (edit->order)
        i->order = edit->order;
    if (edit->scope)
        i->scope = edit->scope;
    i->fence_flags |= edit->fence_flags;
}

/* All edits name instructions of the program as it was: what is changed is changed first, and an insertion
 * goes behind those before it. */
static void apply_edits(struct ck_program *p, const struct ck_edit *edits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!edits[i].insert)
            apply_edit(p, &edits[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct ck_edit edit = edits[i];

        for (uint32_t k = 0; k < i; k++)
            edit.instr +=
                edits[k].insert && edits[k].thread == edits[i].thread && edits[k].instr <= edits[i].instr;
        if (edit.insert)
            apply_edit(p, &edit);
    }
}

/* The program with EDITS; lives in a->arena. */
static bool apply_edits_to_copy(struct adviser *a, const struct ck_edit *edits, uint32_t count,
                                struct ck_program *out)
{
    uint32_t n = a->program->thread_count;

    mm_arena_reset(a->arena);
    *out = *a->program;
    out->threads = mm_arena_alloc(a->arena, (n + 1) * sizeof *out->threads);
    out->objects = mm_arena_alloc(a->arena, (out->object_count + 1) * sizeof *out->objects);
    if (!out->threads || !out->objects)
        return false;
    memcpy(out->objects, a->program->objects, out->object_count * sizeof *out->objects);
    for (uint32_t t = 0; t < n; t++) {
        struct ck_thread *thread = &out->threads[t];

        *thread = a->program->threads[t];
        thread->instrs = mm_arena_alloc(a->arena, (thread->instr_count + 2) * sizeof *thread->instrs);
        if (!thread->instrs)
            return false;
        memcpy(thread->instrs, a->program->threads[t].instrs, thread->instr_count * sizeof *thread->instrs);
    }
    apply_edits(out, edits, count);
    return true;
}

static uint64_t monotonic_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Leaves to the next try what is left of the time for all. */
static bool has_time(struct adviser *a)
{
    uint64_t spent = monotonic_ms() - a->start;

    if (a->timeout_ms == 0)
        return true;
    a->options.timeout_ms = spent < a->timeout_ms ? a->timeout_ms - (unsigned)spent : 0;
    return a->options.timeout_ms > 0;
}

/* Whether the program with EDITS has no race and still terminates. */
static bool helps(struct adviser *a, const struct ck_edit *edits, uint32_t count)
{
    struct ck_program program;
    struct ck_verdict verdict;
    struct mm_error err;
    bool clean;

    if (a->tries++ >= MAX_TRIES || !has_time(a) || !apply_edits_to_copy(a, edits, count, &program) ||
        ck_search(&program, a->model, &a->options, &verdict, &err) != MM_OK)
        return false;
    clean = ck_verdict_undefined(&verdict) == CK_NO && verdict.state_count > 0;
    ck_verdict_clear(&verdict);
    return clean;
}

/* ---- what can be changed --------------------------------------------------------------------------- */

static void add_single(struct adviser *a, const struct ck_edit *edit)
{
    if (a->single_count < MAX_SINGLES)
        a->singles[a->single_count++] = *edit;
}

static bool can_have(const struct ck_instr *i, enum mm_order order)
{
    bool acquires = order == MM_ACQUIRE || order == MM_ACQ_REL,
         releases = order == MM_RELEASE || order == MM_ACQ_REL;

    return !(i->op == CK_LOAD && releases) && !(i->op == CK_STORE && acquires);
}

static bool stronger(enum mm_order order, enum mm_order than)
{
    if (than == MM_ACQUIRE || than == MM_RELEASE)
        return order > MM_RELEASE;
    return order > than;
}

static void collect_changes(struct adviser *a, uint32_t thread, uint32_t index)
{
    const struct ck_instr *i = &a->program->threads[thread].instrs[index];
    bool fence = i->op == CK_FENCE, barrier = i->op == CK_BARRIER;
    bool atomic = i->op >= CK_LOAD && i->op <= CK_CAS && i->order != MM_ORDER_NONE;
    struct ck_edit none = {.thread = thread, .instr = index};

    for (unsigned o = MM_ACQUIRE; o <= MM_SEQ_CST && (atomic || fence); o++) {
        struct ck_edit edit = none;

        edit.order = (uint8_t)o;
        if (can_have(i, (enum mm_order)o) && stronger((enum mm_order)o, (enum mm_order)i->order))
            add_single(a, &edit);
    }
    for (unsigned s = i->scope + 1u; s <= MM_SCOPE_ALL_SVM_DEVICES && (atomic || fence || barrier); s++) {
        struct ck_edit edit = none;

        edit.scope = (uint8_t)s;
        if (s != MM_SCOPE_QUEUE_FAMILY)
            add_single(a, &edit);
    }
    for (unsigned f = MM_FENCE_LOCAL; f <= MM_FENCE_GLOBAL && (fence || barrier); f <<= 1) {
        struct ck_edit edit = none;

        edit.fence_flags = (uint8_t)f;
        if (!(i->fence_flags & f))
            add_single(a, &edit);
    }
}

/* The scope that most reaches, of those that the program uses; device if it uses none. */
static uint8_t widest_scope(const struct ck_program *p)
{
    uint8_t scope = MM_SCOPE_NONE;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            if (p->threads[t].instrs[i].scope > scope)
                scope = p->threads[t].instrs[i].scope;
        }
    }
    return scope ? scope : MM_SCOPE_DEVICE;
}

/* Fence flags for all of the program's memory. */
static uint8_t all_flags(const struct ck_program *p)
{
    uint8_t flags = 0;

    for (uint32_t i = 0; i < p->object_count; i++)
        flags |= p->objects[i].region == MM_LOCAL ? MM_FENCE_LOCAL : MM_FENCE_GLOBAL;
    return flags;
}

/* Whether all accesses of object O are of an atomic type's size, and by work-items. */
static bool can_be_atomic(const struct ck_program *p, uint32_t o)
{
    bool can = true;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
            const struct ck_instr *i = &p->threads[t].instrs[k];

            if (i->op >= CK_LOAD && i->op <= CK_CAS && ck_program_base(p, i->address) == o)
                can = can && !p->threads[t].host && (i->size == 4 || i->size == 8);
        }
    }
    return can;
}

/* The scope of all work-items of the program. */
static uint8_t scope_of_all(const struct ck_program *p)
{
    for (uint32_t t = 1; t < p->thread_count; t++) {
        if (p->threads[t].device != p->threads[0].device)
            return MM_SCOPE_ALL_SVM_DEVICES;
    }
    return MM_SCOPE_DEVICE;
}

static void collect_atomics(struct adviser *a)
{
    const struct ck_program *p = a->program;

    for (uint32_t o = 0; o < p->object_count; o++) {
        struct ck_edit edit = {.atomic = true, .scope = scope_of_all(p)};
        bool some = false;

        for (uint32_t t = 0; t < p->thread_count && can_be_atomic(p, o); t++) {
            for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
                const struct ck_instr *i = &p->threads[t].instrs[k];

                if (!falls_short(p, i, o, edit.scope) || (some && (edit.order || !is_plain(i))))
                    continue;
                some = true;
                edit.order = is_plain(i) ? MM_RELAXED : MM_ORDER_NONE;
                edit.thread = t;
                edit.instr = k;
            }
        }
        if (some)
            add_single(a, &edit);
    }
}

static void collect_fences(struct adviser *a)
{
    static const uint8_t orders[] = {MM_RELEASE, MM_ACQUIRE, MM_ACQ_REL, MM_SEQ_CST};
    const struct ck_program *p = a->program;
    uint8_t flags = all_flags(p);

    for (size_t o = 0; o < sizeof orders; o++) {
        for (uint32_t t = 0; t < p->thread_count; t++) {
            for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
                enum ck_op op = p->threads[t].instrs[i].op;

                if (op < CK_LOAD || op > CK_CAS)
                    continue;
                add_single(a, &(struct ck_edit){.thread = t,
                                                .instr = i,
                                                .insert = true,
                                                .order = orders[o],
                                                .scope = widest_scope(p),
                                                .fence_flags = flags});
            }
        }
    }
}

/* ---- trying ------------------------------------------------------------------------------------------ */

static bool same_property(const struct ck_edit *x, const struct ck_edit *y)
{
    return x->thread == y->thread && x->instr == y->instr && !x->order == !y->order && !x->scope == !y->scope;
}

static bool try_one(struct adviser *a, uint32_t from, uint32_t to, struct ck_advice *advice)
{
    for (uint32_t i = from; i < to; i++) {
        advice->edits[0] = a->singles[i];
        if (helps(a, advice->edits, 1)) {
            advice->count = 1;
            return true;
        }
    }
    return false;
}

static bool try_these(struct adviser *a, const struct ck_edit *x, const struct ck_edit *y,
                      struct ck_advice *advice)
{
    advice->edits[0] = *x;
    advice->edits[1] = *y;
    advice->count = 2 * helps(a, advice->edits, 2);
    return advice->count != 0;
}

/* One of the first COUNT changes, and a later one of those FROM to TO. */
static bool try_two(struct adviser *a, uint32_t count, uint32_t from, uint32_t to, struct ck_advice *advice)
{
    for (uint32_t i = 0; i < count && a->tries < MAX_TRIES; i++) {
        for (uint32_t k = from > i ? from : i + 1; k < to; k++) {
            const struct ck_edit *x = &a->singles[i], *y = &a->singles[k];

            if (!same_property(x, y) && try_these(a, x, y, advice))
                return true;
        }
    }
    return false;
}

/* A release fence in one thread and an acquire fence in another. */
static bool try_fences(struct adviser *a, struct ck_advice *advice)
{
    for (uint32_t i = a->change_count; i < a->fence_count && a->tries < MAX_TRIES; i++) {
        for (uint32_t k = a->change_count; k < a->fence_count; k++) {
            const struct ck_edit *x = &a->singles[i], *y = &a->singles[k];

            if (x->order == MM_RELEASE && y->order == MM_ACQUIRE && x->thread != y->thread &&
                try_these(a, x, y, advice))
                return true;
        }
    }
    return false;
}

/* Whether threads T and U are all of a work-group. */
static bool are_group(const struct ck_program *p, uint32_t t, uint32_t u)
{
    bool all = true;

    for (uint32_t i = 0; i < p->thread_count; i++) {
        bool same = !p->threads[i].host && p->threads[i].device == p->threads[t].device &&
                    p->threads[i].work_group == p->threads[t].work_group;

        all = all && same == (i == t || i == u);
    }
    return all;
}

/* A barrier may come before an access, and at the end. */
static bool may_insert_at(const struct ck_thread *t, uint32_t i)
{
    return i == t->instr_count || t->instrs[i].op == CK_END ||
           (t->instrs[i].op >= CK_LOAD && t->instrs[i].op <= CK_CAS);
}

static bool try_barrier(struct adviser *a, uint32_t t, uint32_t u, struct ck_advice *advice)
{
    const struct ck_program *p = a->program;
    struct ck_edit x = {.thread = t,
                        .insert = true,
                        .barrier = true,
                        .scope = MM_SCOPE_WORK_GROUP,
                        .fence_flags = all_flags(p)};
    struct ck_edit y = x;

    y.thread = u;
    for (x.instr = 0; x.instr <= p->threads[t].instr_count && a->tries < MAX_TRIES; x.instr++) {
        for (y.instr = 0; y.instr <= p->threads[u].instr_count; y.instr++) {
            if (may_insert_at(&p->threads[t], x.instr) && may_insert_at(&p->threads[u], y.instr) &&
                try_these(a, &x, &y, advice))
                return true;
        }
    }
    return false;
}

static bool try_barriers(struct adviser *a, struct ck_advice *advice)
{
    for (uint32_t t = 0; t < a->program->thread_count; t++) {
        for (uint32_t u = 0; u < t; u++) {
            if (are_group(a->program, u, t) && try_barrier(a, u, t, advice))
                return true;
        }
    }
    return false;
}

static void collect(struct adviser *a)
{
    const struct ck_program *p = a->program;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++)
            collect_changes(a, t, i);
    }
    a->change_count = a->single_count;
    if (!p->vulkan)
        collect_fences(a);
    a->fence_count = a->single_count;
    if (!p->vulkan)
        collect_atomics(a);
}

enum mm_class ck_advise(const struct ck_program *program, const struct mm_cat_model *model,
                        const struct ck_options *options, struct ck_advice *advice, struct mm_error *err)
{
    struct adviser a = {.program = program, .model = model, .arena = mm_arena_create()};

    *advice = (struct ck_advice){0};
    if (options)
        a.options = *options;
    a.options.explain = false;
    a.timeout_ms = a.options.timeout_ms;
    a.start = monotonic_ms();
    a.singles = mm_alloc_zero(MAX_SINGLES, sizeof *a.singles);
    if (!a.arena || !a.singles) {
        mm_arena_destroy(a.arena);
        mm_free(a.singles);
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    }
    collect(&a);
    /* Changes that add synchronization come before those that make it unnecessary. */
    if (!try_one(&a, 0, a.fence_count, advice) && !try_two(&a, a.change_count, 0, a.change_count, advice) &&
        !try_two(&a, a.change_count, a.change_count, a.fence_count, advice) &&
        !try_one(&a, a.fence_count, a.single_count, advice) &&
        (program->vulkan || (!try_fences(&a, advice) && !try_barriers(&a, advice))))
        try_two(&a, a.single_count, a.fence_count, a.single_count, advice);
    mm_arena_destroy(a.arena);
    mm_free(a.singles);
    return MM_OK;
}
