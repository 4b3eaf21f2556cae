/* The smallest change of a program after which it has no race: found by trying, each attempt decided by
 * search.  Tried are a stronger order, a wider scope or more fence flags of one operation; one added fence;
 * two operations changed; an added fence and one operation changed. */
#include "checker/checker.h"

#include <string.h>

enum { MAX_SINGLES = 512, MAX_TRIES = 4000 };

struct adviser {
    const struct ck_program *program;
    const struct mm_cat_model *model;
    struct ck_options options;
    struct ck_edit *singles; /* changes of operations, then added fences */
    uint32_t change_count, single_count;
    struct mm_arena *arena; /* of one attempt */
    unsigned tries;
};

/* ---- changed programs ------------------------------------------------------------------------------ */

static void apply(struct ck_thread *t, const struct ck_edit *edit)
{
    struct ck_instr *i = &t->instrs[edit->instr];

    if (edit->insert) {
        memmove(i + 1, i, (t->instr_count - edit->instr) * sizeof *i);
        t->instr_count++;
        *i = (struct ck_instr){.op = CK_FENCE,
                               .order = edit->order,
                               .scope = edit->scope,
                               .fence_flags = edit->fence_flags,
                               .reg = CK_NO_REG,
                               .reg2 = CK_NO_REG,
                               .address = CK_NO_EXPR,
                               .value = CK_NO_EXPR,
                               .expected = CK_NO_EXPR,
                               .line = i[1].line};
        for (uint32_t k = 0; k < t->instr_count; k++) {
            bool jumps = t->instrs[k].op == CK_JUMP || t->instrs[k].op == CK_BRANCH;

            t->instrs[k].target += jumps && t->instrs[k].target > edit->instr;
        }
        return;
    }
    if (edit->order)
        i->order = edit->order;
    if (edit->scope)
        i->scope = edit->scope;
    i->fence_flags |= edit->fence_flags;
}

/* The program with EDITS, those that insert last; lives in a->arena. */
static bool changed(struct adviser *a, const struct ck_edit *edits, uint32_t count, struct ck_program *out)
{
    uint32_t n = a->program->thread_count;

    mm_arena_reset(a->arena);
    *out = *a->program;
    out->threads = mm_arena_alloc(a->arena, (n + 1) * sizeof *out->threads);
    if (!out->threads)
        return false;
    for (uint32_t t = 0; t < n; t++) {
        struct ck_thread *thread = &out->threads[t];

        *thread = a->program->threads[t];
        thread->instrs = mm_arena_alloc(a->arena, (thread->instr_count + 2) * sizeof *thread->instrs);
        if (!thread->instrs)
            return false;
        memcpy(thread->instrs, a->program->threads[t].instrs, thread->instr_count * sizeof *thread->instrs);
    }
    for (uint32_t i = 0; i < count; i++)
        apply(&out->threads[edits[i].thread], &edits[i]);
    return true;
}

/* Whether EDITS make the program free of races. */
static bool helps(struct adviser *a, const struct ck_edit *edits, uint32_t count)
{
    struct ck_program program;
    struct ck_verdict verdict;
    struct mm_error err;
    bool clean;

    if (a->tries++ >= MAX_TRIES || !changed(a, edits, count, &program) ||
        ck_search(&program, a->model, &a->options, &verdict, &err) != MM_OK)
        return false;
    clean = verdict.race == CK_NO;
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

static void collect_fences(struct adviser *a)
{
    static const uint8_t orders[] = {MM_RELEASE, MM_ACQUIRE, MM_ACQ_REL, MM_SEQ_CST};
    const struct ck_program *p = a->program;
    uint8_t flags = 0;

    for (uint32_t i = 0; i < p->object_count; i++)
        flags |= p->objects[i].region == MM_LOCAL ? MM_FENCE_LOCAL : MM_FENCE_GLOBAL;
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

static bool try_two(struct adviser *a, uint32_t from, uint32_t to, struct ck_advice *advice)
{
    for (uint32_t i = 0; i < a->change_count && a->tries < MAX_TRIES; i++) {
        for (uint32_t k = from > i ? from : i + 1; k < to; k++) {
            advice->edits[0] = a->singles[i];
            advice->edits[1] = a->singles[k];
            if (!same_property(&advice->edits[0], &advice->edits[1]) && helps(a, advice->edits, 2)) {
                advice->count = 2;
                return true;
            }
        }
    }
    return false;
}

enum mm_class ck_advise(const struct ck_program *program, const struct mm_cat_model *model,
                        const struct ck_options *options, struct ck_advice *advice, struct mm_error *err)
{
    struct adviser a = {.program = program, .model = model, .arena = mm_arena_create()};

    *advice = (struct ck_advice){0};
    if (options)
        a.options = *options;
    a.options.explain = false;
    a.singles = mm_alloc_zero(MAX_SINGLES, sizeof *a.singles);
    if (!a.arena || !a.singles) {
        mm_arena_destroy(a.arena);
        mm_free(a.singles);
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    }
    for (uint32_t t = 0; t < program->thread_count; t++) {
        for (uint32_t i = 0; i < program->threads[t].instr_count; i++)
            collect_changes(&a, t, i);
    }
    a.change_count = a.single_count;
    if (!program->vulkan)
        collect_fences(&a);
    if (!try_one(&a, 0, a.change_count, advice) && !try_one(&a, a.change_count, a.single_count, advice) &&
        !try_two(&a, 0, a.change_count, advice))
        try_two(&a, a.change_count, a.single_count, advice);
    mm_arena_destroy(a.arena);
    mm_free(a.singles);
    return MM_OK;
}
