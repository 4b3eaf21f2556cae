/* Non-termination of kernels (docs/encoding.md#forward-progress): executions in which every thread has ended,
 * spins in a loop iteration without effect, is blocked at a barrier [CL 3.3.6 W1, B1], or is not scheduled
 * again.
 *
 * A thread can spin if all reads of the iteration return the final values of their locations.  Which threads
 * the scheduler may starve depends on the forward-progress model of each level: the work-groups of the
 * device, the sub-groups of the work-group, the work-items of the sub-group. */
#include "checker/z3/solve.h"

#include <string.h>

void zx_add_iteration(struct zx *z, const struct zx_iteration *iteration)
{
    struct zx_thread *t = &z->threads[iteration->thread];

    zx_append(z, &z->iterations.list, &z->iterations.count, iteration);
    t->spins = zx_or(z, t->spins, iteration->when);
}

/* READ returns the final value of its location; IDLE: by write, whether it rewrites the value it has read. */
static Z3_ast reads_last(struct zx *z, const struct zx_rel *fr, const Z3_ast *idle, uint32_t read)
{
    Z3_ast *terms = zx_alloc(z, z->n, sizeof *terms);

    for (uint32_t w = 0; w < z->n; w++) {
        Z3_ast later = zx_and(z, z->events[w].exec, zx_rel_get(z, fr, read, w));

        terms[w] = zx_or(z, zx_not(z, later), idle[w]);
    }
    return zx_and_n(z, z->n, terms);
}

/* The writes in iterations that are repeated. */
static Z3_ast *find_idle_writes(struct zx *z)
{
    Z3_ast *idle = zx_alloc(z, z->n, sizeof *idle);

    for (uint32_t i = 0; i < z->n; i++)
        idle[i] = z->no;
    for (uint32_t i = 0; i < z->iterations.count; i++) {
        for (uint32_t e = z->iterations.list[i].first; e < z->iterations.list[i].end; e++)
            if (z->events[e].kind == ZX_WRITE)
                idle[e] = zx_or(z, idle[e], z->iterations.list[i].when);
    }
    return idle;
}

/* Constrains threads that spin and threads that are blocked at barriers. */
static void require_spinning(struct zx *z)
{
    const struct zx_rel *fr = zx_base(z, "fr");
    const Z3_ast *idle = find_idle_writes(z);

    for (uint32_t i = 0; i < z->iterations.count; i++) {
        const struct zx_iteration *iteration = &z->iterations.list[i];

        for (uint32_t e = iteration->first; e < iteration->end; e++) {
            if (z->events[e].kind == ZX_READ)
                zx_assert(z, zx_implies(z, zx_and(z, iteration->when, z->events[e].exec),
                                        reads_last(z, fr, idle, e)));
        }
    }
    for (uint32_t i = 0; i < z->n; i++) {
        const struct zx_event *e = &z->events[i];
        Z3_ast *blocked;

        if (e->kind != ZX_BARRIER || e->part == 2)
            continue;
        blocked = &z->threads[e->thread].blocked;
        zx_assert(z, zx_implies(z, e->exec, zx_iff(z, e->passed, zx_all_arrive(z, i))));
        *blocked = zx_or(z, *blocked, zx_and(z, e->exec, zx_not(z, e->passed)));
    }
}

/* ---- forward-progress guarantees --------------------------------------------------------------- */

enum { LEVELS = 3 };

/* Whether threads A and B are in the same part of the launch: 0 the device, 1 the work-group, 2 the
 * sub-group, 3 the work-item. */
static bool are_together(const struct ck_program *p, uint32_t a, uint32_t b, unsigned depth)
{
    const struct ck_thread *s = &p->threads[a], *t = &p->threads[b];

    return s->device == t->device && (depth < 1 || s->work_group == t->work_group) &&
           (depth < 2 || s->sub_group == t->sub_group) && (depth < 3 || a == b);
}

static Z3_ast has_begun(struct zx *z, uint32_t t)
{
    Z3_ast begun = zx_not(z, z->threads[t].stopped);

    for (uint32_t i = 0; i < z->n; i++)
        if (z->events[i].thread == t)
            begun = zx_or(z, begun, z->events[i].exec);
    return begun;
}

static Z3_ast can_step(struct zx *z, uint32_t t)
{
    return zx_or(z, z->threads[t].spins, z->threads[t].stopped);
}

/* Among the parts at DEPTH + 1 of T's part at DEPTH, a scheduler of KIND guarantees progress to that of T. */
static Z3_ast has_guarantee(struct zx *z, const Z3_ast *begun, uint32_t t, unsigned depth,
                            enum ck_progress_kind kind)
{
    Z3_ast running = z->no, own = z->no, later = z->no, first = z->yes, guarantee = z->no;

    for (uint32_t u = 0; u < z->p->thread_count; u++) {
        if (!are_together(z->p, t, u, depth))
            continue;
        running = zx_or(z, running, z->threads[u].spins);
        if (are_together(z->p, t, u, depth + 1))
            own = zx_or(z, own, begun[u]);
        else if (u < t)
            first = zx_and(z, first, zx_not(z, can_step(z, u)));
        else
            later = zx_or(z, later, begun[u]);
    }
    if (kind == CK_FAIR)
        guarantee = z->yes;
    else if (kind == CK_HSA)
        guarantee = first;
    else if (kind == CK_OBE)
        guarantee = own;
    else if (kind == CK_LOBE)
        guarantee = zx_or(z, own, zx_or(z, later, first));
    /* Even an unfair scheduler runs some thread. */
    return zx_or(z, guarantee, zx_not(z, running));
}

/* T executes no further event; BESIDE: other reasons than that it has ended or is blocked. */
static Z3_ast is_halted(struct zx *z, uint32_t t, Z3_ast beside)
{
    const struct zx_thread *thread = &z->threads[t];

    return zx_or(z, beside, zx_or(z, thread->ends, thread->blocked));
}

/* Livelock: some thread spins, and no thread with a progress guarantee is starved. */
static Z3_ast encode_livelock(struct zx *z)
{
    const struct ck_progress *p = &z->options.progress;
    const enum ck_progress_kind kinds[LEVELS] = {p->work_groups, p->sub_groups, p->work_items};
    Z3_ast *begun = zx_alloc(z, z->p->thread_count, sizeof *begun), some = z->no, all = z->yes;

    for (uint32_t t = 0; t < z->p->thread_count; t++)
        begun[t] = has_begun(z, t);
    for (uint32_t t = 0; t < z->p->thread_count; t++) {
        const struct zx_thread *thread = &z->threads[t];
        Z3_ast guaranteed = z->yes;

        for (unsigned depth = 0; thread->stopped != z->no && depth < LEVELS; depth++)
            guaranteed = zx_and(z, guaranteed, has_guarantee(z, begun, t, depth, kinds[depth]));
        some = zx_or(z, some, thread->spins);
        all = zx_and(
            z, all,
            is_halted(z, t, zx_or(z, thread->spins, zx_and(z, thread->stopped, zx_not(z, guaranteed)))));
    }
    return zx_and(z, some, all);
}

/* Barrier divergence [CL 3.3.6 W10, B10]: some threads are blocked at a barrier at which others never
 * arrive. */
static Z3_ast encode_divergence(struct zx *z)
{
    Z3_ast some = z->no, all = z->yes;

    for (uint32_t t = 0; t < z->p->thread_count; t++) {
        some = zx_or(z, some, z->threads[t].blocked);
        all = zx_and(z, all, is_halted(z, t, z->no));
    }
    return zx_and(z, some, all);
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool has_loop(const struct ck_thread *t)
{
    for (uint32_t i = 0; i < t->instr_count; i++) {
        const struct ck_instr *in = &t->instrs[i];

        if (ck_instr_is_jump(in) && in->target <= i)
            return true;
    }
    return false;
}

static bool has_loops(const struct ck_program *p)
{
    bool some = false;

    for (uint32_t i = 0; i < p->thread_count; i++)
        some = some || has_loop(&p->threads[i]);
    return some;
}

/* Findings of executions in which work-items are blocked at barriers or, if these may exist (ENDLESS), spin;
 * RACE, USAGE: the answers without them. */
static void find_flags(struct zx_solve *s, bool endless, enum ck_answer race, enum ck_answer usage)
{
    if (endless || s->meet != s->z->yes)
        zx_find_flags(s, &race, &usage);
    s->v->race = race;
    s->v->usage = usage;
}

/* Encodes the executions again, including those that do not terminate, and queries them. */
static void decide_progress(struct zx_solve *s, enum ck_answer race, enum ck_answer usage)
{
    struct zx *z = s->z;
    struct ck_verdict *v = s->v;
    Z3_ast hanging, diverging;
    enum ck_answer apart, endless, beyond;

    zx_encode_executions(z);
    require_spinning(z);
    zx_encode_axioms(s);
    zx_encode_flags(s);
    s->begun = z->yes;
    s->assertion = zx_literal(z, z->found.assertion, "assertion");
    s->out_of_bounds = zx_literal(z, z->found.out_of_bounds, "out_of_bounds");
    hanging = zx_literal(z, encode_livelock(z), "hangs");
    diverging = zx_literal(z, encode_divergence(z), "diverges");
    s->exceeded = zx_literal(z, zx_or(z, z->found.exceeded, z->found.unaligned), "exceeded");
    zx_open_solver(s, false);
    apart = zx_query(s, 1, &diverging);
    if (apart == CK_YES)
        zx_keep_execution(s, CK_SHOWS_DIVERGENCE, NULL, NULL);
    endless = apart == CK_YES ? CK_YES : zx_query(s, 1, &hanging);
    if (apart != CK_YES && endless == CK_YES)
        zx_keep_execution(s, CK_SHOWS_HANG, NULL, NULL);
    beyond = zx_query(s, 1, &s->exceeded);
    if (beyond == CK_YES)
        zx_note_beyond(s);
    find_flags(s, endless != CK_NO || beyond != CK_NO, race, usage);
    v->divergence = apart == CK_NO && beyond != CK_NO ? CK_UNKNOWN : apart;
    if (endless == CK_YES)
        v->termination = CK_NO;
    else if (endless == CK_NO && beyond == CK_NO)
        v->termination = CK_YES;
}

void zx_find_progress(struct zx_solve *s)
{
    const struct ck_progress *p = &s->z->options.progress;
    struct mm_error why = {.cls = MM_OK};
    struct zx_solve hanging = {.v = s->v, .meet = s->meet};
    enum ck_answer race = s->v->race, usage = s->v->usage;
    struct zx *z = zx_alloc(s->z, 1, sizeof *z);

    if (!has_loops(s->z->p) && s->meet == s->z->yes) {
        s->v->divergence = CK_NO;
        s->v->termination = CK_YES;
        return;
    }
    *z = (struct zx){
        .p = s->z->p,
        .model = s->z->model,
        .eval = s->z->eval,
        .options = s->z->options,
        .c = s->z->c,
        .yes = s->z->yes,
        .no = s->z->no,
        .bool_sort = s->z->bool_sort,
        .arena = s->z->arena,
        .scratch = s->z->scratch,
        .failure.err = &why,
        .limits = s->z->limits,
        .features = {.may_hang = true, .may_stop = p->work_groups || p->sub_groups || p->work_items}};
    memcpy(z->sorts, s->z->sorts, sizeof z->sorts);
    hanging.z = z;
    if (race == CK_NO)
        s->v->race = CK_UNKNOWN;
    if (usage == CK_NO)
        s->v->usage = CK_UNKNOWN;
    if (setjmp(z->failure.stop) == 0)
        decide_progress(&hanging, race, usage);
    if (z->s)
        Z3_solver_dec_ref(z->c, z->s);
    if (why.cls == MM_BUG)
        zx_stop(s->z, MM_BUG, why.rule, "%s", why.message);
    if (why.cls != MM_OK)
        zx_note_limit(s, why.rule, why.message);
}
