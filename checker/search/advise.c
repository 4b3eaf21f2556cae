/* Advice: the smallest change of a program that removes its race, or that forbids or allows a final state.
 * Each candidate change is applied to a copy of the program and decided by search.  Candidates: a stronger
 * order, a wider scope or more fence flags of one operation; one added fence; an object whose accesses all
 * become atomic with a sufficient scope; pairs of these; an added barrier that two work-items reach.
 * docs/search.md#advice */
#include "checker/checker.h"
#include "memmodel/base/clock.h"

#include <string.h>

enum { MAX_SINGLES = 512, MAX_TRIES = 4000 }; /* changes of one operation; programs decided */

enum aim { AIM_NO_RACE, AIM_FORBID, AIM_ALLOW };
struct adviser {
    const struct ck_program *program;
    const struct mm_cat_model *model;
    struct ck_options options;
    struct ck_edit *singles;                          /* changes of operations, then added fences */
    uint32_t change_count, fence_count, single_count; /* ends of the changes, the fences, all */
    struct mm_arena *arena;                           /* of one attempt */
    unsigned tries, timeout_ms;                       /* TIMEOUT_MS: for all tries, 0: none */
    uint64_t start;
    enum aim aim;
    const uint64_t *state; /* FORBID, ALLOW */
    bool racy;             /* ALLOW: of the last try */
};

/* ---- trying ---------------------------------------------------------------------------------------- */

/* Leaves to the next try what is left of the time for all. */
static bool has_time(struct adviser *a)
{
    uint64_t spent = mm_clock_ms(CLOCK_MONOTONIC) - a->start;

    if (a->timeout_ms == 0)
        return true;
    a->options.timeout_ms = spent < a->timeout_ms ? a->timeout_ms - (unsigned)spent : 0;
    return a->options.timeout_ms > 0;
}

/* Whether V, of the program with edits, is what is wanted.  Of a kernel the condition holds too. */
static bool is_wanted(struct adviser *a, const struct ck_verdict *v)
{
    bool sound = ck_verdict_undefined(v) == CK_NO && v->divergence != CK_YES && v->state_count > 0;
    const struct ck_state *state = a->state ? ck_verdict_find_state(v, a->program, a->state) : NULL;

    if (a->aim == AIM_ALLOW) {
        a->racy = state && state->racy;
        return state != NULL;
    }
    if (a->aim == AIM_FORBID)
        return sound && v->states_complete && !state;
    return sound && (!a->program->kernel || v->condition != CK_NO);
}

static bool edits_help(struct adviser *a, const struct ck_edit *edits, uint32_t count)
{
    struct ck_program program;
    struct ck_verdict verdict;
    struct mm_error err;
    bool wanted;

    if (a->tries++ >= MAX_TRIES || !has_time(a))
        return false;
    mm_arena_reset(a->arena);
    if (!ck_program_edit(a->arena, a->program, edits, count, &program) ||
        ck_search(&program, a->model, &a->options, &verdict, &err) != MM_OK)
        return false;
    wanted = is_wanted(a, &verdict);
    ck_verdict_clear(&verdict);
    return wanted;
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

static bool is_stronger_order(enum mm_order order, enum mm_order than)
{
    if (than == MM_ACQUIRE || than == MM_RELEASE)
        return order > MM_RELEASE;
    return order > than;
}

/* In kernels work-items share instructions: whether no instruction before INDEX of THREAD is of its site. */
static bool is_first_of_site(const struct ck_program *p, uint32_t thread, uint32_t index)
{
    struct ck_edit edit = {.thread = thread, .instr = index};

    if (p->threads[thread].instrs[index].hidden)
        return false;
    for (uint32_t t = 0; p->kernel && t <= thread; t++) {
        for (uint32_t i = 0; i < (t < thread ? p->threads[t].instr_count : index); i++) {
            if (ck_edit_is_site(p, &edit, t, i))
                return false;
        }
    }
    return true;
}

/* Fence flags for all of the program's memory. */
static uint8_t all_flags(const struct ck_program *p)
{
    uint8_t flags = 0;

    for (uint32_t i = 0; i < p->object_count; i++)
        flags |= p->objects[i].region == MM_LOCAL   ? MM_FENCE_LOCAL
                 : p->objects[i].region == MM_IMAGE ? MM_FENCE_IMAGE
                                                    : MM_FENCE_GLOBAL;
    return flags;
}

/* Adds the orders, scopes and fence flags that are weaker than those of an instruction, and no fence or
 * barrier at all; or else those that are stronger. */
static void collect_edits(struct adviser *a, uint32_t thread, uint32_t index, bool weaker)
{
    const struct ck_instr *i = &a->program->threads[thread].instrs[index];
    bool fence = i->op == CK_FENCE, barrier = i->op == CK_BARRIER;
    bool atomic = ck_instr_is_access(i) && i->order != MM_ORDER_NONE;
    const struct ck_edit none = {.thread = thread, .instr = index};

    for (unsigned k = MM_RELAXED; k <= MM_SEQ_CST && (atomic || fence); k++) {
        enum mm_order order = (enum mm_order)(weaker ? MM_RELAXED + MM_SEQ_CST - k : k), old = i->order;
        struct ck_edit edit = none;

        edit.order = (uint8_t)order;
        if (can_have(i, order) && !(fence && order == MM_RELAXED) &&
            (weaker ? is_stronger_order(old, order) : is_stronger_order(order, old)))
            add_single(a, &edit);
    }
    for (unsigned k = MM_SCOPE_WORK_ITEM;
         k <= MM_SCOPE_ALL_SVM_DEVICES && (atomic || fence || (barrier && !weaker)); k++) {
        unsigned scope = weaker ? MM_SCOPE_WORK_ITEM + MM_SCOPE_ALL_SVM_DEVICES - k : k;
        struct ck_edit edit = none;

        edit.scope = (uint8_t)scope;
        if (scope != MM_SCOPE_QUEUE_FAMILY && (weaker ? scope < i->scope : scope > i->scope))
            add_single(a, &edit);
    }
    const unsigned image = barrier ? (weaker ? MM_FENCE_IMAGE : all_flags(a->program) & MM_FENCE_IMAGE) : 0;
    for (unsigned f = MM_FENCE_LOCAL; f <= (image | MM_FENCE_GLOBAL) && (fence || barrier); f <<= 1) {
        struct ck_edit edit = none;

        edit.fence_flags = (uint8_t)f;
        edit.remove = weaker;
        if (((i->fence_flags & f) != 0) == weaker)
            add_single(a, &edit);
    }
    if (weaker && (fence || (barrier && a->program->kernel)))
        add_single(a, &(struct ck_edit){.thread = thread, .instr = index, .remove = true});
}

/* A barrier of the work-group before an access of a kernel: all its work-items may reach it. */
static void collect_barriers(struct adviser *a)
{
    const struct ck_program *p = a->program;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            if (ck_instr_is_access(&p->threads[t].instrs[i]) && is_first_of_site(p, t, i))
                add_single(a, &(struct ck_edit){.thread = t,
                                                .instr = i,
                                                .insert = true,
                                                .barrier = true,
                                                .scope = MM_SCOPE_WORK_GROUP,
                                                .fence_flags = all_flags(p)});
        }
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

/* Whether all accesses of object O are of an atomic type's size, and by work-items. */
static bool can_be_atomic(const struct ck_program *p, uint32_t o)
{
    bool can = true;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
            const struct ck_instr *i = &p->threads[t].instrs[k];

            if (ck_instr_is_access(i) && ck_program_base(p, i->address) == o)
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

                if (!ck_instr_falls_short(p, i, o, edit.scope) ||
                    (some && (edit.order || !ck_instr_is_plain(i))))
                    continue;
                some = true;
                edit.order = ck_instr_is_plain(i) ? MM_RELAXED : MM_ORDER_NONE;
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

                if (op < CK_LOAD || op > CK_CAS || !is_first_of_site(p, t, i))
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
        if (edits_help(a, advice->edits, 1)) {
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
    advice->count = 2 * edits_help(a, advice->edits, 2);
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

            if (x->order == MM_RELEASE && y->order == MM_ACQUIRE &&
                (x->thread != y->thread || a->program->kernel) && try_these(a, x, y, advice))
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
    return i == t->instr_count || t->instrs[i].op == CK_END || (ck_instr_is_access(&t->instrs[i]));
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

static void find_edits(struct adviser *a)
{
    const struct ck_program *p = a->program;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            if (!is_first_of_site(p, t, i))
                continue;
            collect_edits(a, t, i, a->aim == AIM_ALLOW);
        }
    }
    a->change_count = a->single_count;
    if (!p->vulkan && a->aim != AIM_ALLOW) {
        if (p->kernel)
            collect_barriers(a);
        collect_fences(a);
    }
    a->fence_count = a->single_count;
    if (!p->vulkan && a->aim == AIM_NO_RACE)
        collect_atomics(a);
}

/* Changes that add synchronization come before those that make it unnecessary. */
static void try_all(struct adviser *a, struct ck_advice *advice)
{
    if (!try_one(a, 0, a->fence_count, advice) && !try_two(a, a->change_count, 0, a->change_count, advice) &&
        !try_two(a, a->change_count, a->change_count, a->fence_count, advice) &&
        !try_one(a, a->fence_count, a->single_count, advice) &&
        (a->program->vulkan || (!try_fences(a, advice) && !try_barriers(a, advice))))
        try_two(a, a->single_count, a->fence_count, a->single_count, advice);
}

static enum mm_class find_advice(struct adviser *a, const struct ck_options *options,
                                 struct ck_advice *advice, struct mm_error *err)
{
    *advice = (struct ck_advice){0};
    if (options)
        a->options = *options;
    a->options.explain = false;
    a->timeout_ms = a->options.timeout_ms;
    a->start = mm_clock_ms(CLOCK_MONOTONIC);
    a->arena = mm_arena_create();
    a->singles = mm_alloc_zero(MAX_SINGLES, sizeof *a->singles);
    if (a->arena && a->singles) {
        find_edits(a);
        try_all(a, advice);
        advice->racy = a->racy && advice->count > 0;
    }
    bool failed = !a->arena || !a->singles;
    mm_arena_destroy(a->arena);
    mm_free(a->singles);
    return failed ? mm_out_of_memory(err) : MM_OK;
}

enum mm_class ck_advise(const struct ck_program *program, const struct mm_cat_model *model,
                        const struct ck_options *options, struct ck_advice *advice, struct mm_error *err)
{
    return find_advice(&(struct adviser){.program = program, .model = model}, options, advice, err);
}

enum mm_class ck_advise_state(const struct ck_program *program, const struct mm_cat_model *model,
                              const struct ck_options *options, const uint64_t *state, bool allow,
                              struct ck_advice *advice, struct mm_error *err)
{
    return find_advice(
        &(struct adviser){
            .program = program, .model = model, .aim = allow ? AIM_ALLOW : AIM_FORBID, .state = state},
        options, advice, err);
}
