/* Symbolic execution of the unrolled graph (docs/encoding.md#symbolic-execution).  Every node has a guard,
 * its path condition, and registers that are merged by if-then-else at joins.
 *
 * Removing a loop iteration that changes no live register and has no effect but loads does not change the
 * final state.  The first such iteration in a state is kept, as its loads may race; others are excluded, so
 * that a loop that merely waits does not exhaust the bound (docs/encoding.md#spin-loops). */
#include "checker/z3/unroll.h"

#include <string.h>

uint32_t zx_add_event(struct zx *z, const struct zx_event *event)
{
    zx_append(z, &z->events, &z->n, event);
    return z->n - 1;
}

/* ---- execution ------------------------------------------------------------------------------------- */

static bool is_app(struct zx *z, Z3_ast a, Z3_decl_kind kind, unsigned arity)
{
    Z3_app app;

    if (Z3_get_ast_kind(z->c, a) != Z3_APP_AST)
        return false;
    app = Z3_to_app(z->c, a);
    return Z3_get_app_num_args(z->c, app) == arity &&
           Z3_get_decl_kind(z->c, Z3_get_app_decl(z->c, app)) == kind;
}

static Z3_ast ast_argument(struct zx *z, Z3_ast a, unsigned i)
{
    return Z3_get_app_arg(z->c, Z3_to_app(z->c, a), i);
}

static bool are_complementary(struct zx *z, Z3_ast a, Z3_ast b)
{
    return (is_app(z, a, Z3_OP_NOT, 1) && ast_argument(z, a, 0) == b) ||
           (is_app(z, b, Z3_OP_NOT, 1) && ast_argument(z, b, 0) == a);
}

/* The disjunction of the guards; where the two sides of a branch join, the guard before the branch. */
static Z3_ast merge_guards(struct zx *z, Z3_ast a, Z3_ast b)
{
    if (are_complementary(z, a, b))
        return z->yes;
    if (is_app(z, a, Z3_OP_AND, 2) && is_app(z, b, Z3_OP_AND, 2) &&
        ast_argument(z, a, 0) == ast_argument(z, b, 0) &&
        are_complementary(z, ast_argument(z, a, 1), ast_argument(z, b, 1)))
        return ast_argument(z, a, 0);
    return zx_or(z, a, b);
}

static void arrive_at_node(struct zx_run *r, uint32_t n, Z3_ast guard, struct zx_val *regs)
{
    struct zx_node *node = r->nodes[n];

    if (guard == r->z->no)
        return;
    if (!node->regs) {
        node->guard = guard;
        node->regs = regs;
        return;
    }
    if (node->regs != regs) {
        struct zx_val *merged = zx_alloc(r->z, r->reg_count, sizeof *merged);

        for (uint32_t i = 0; i < r->reg_count; i++)
            merged[i] = zx_ite(r->z, guard, regs[i], node->regs[i]);
        node->regs = merged;
    }
    node->guard = merge_guards(r->z, node->guard, guard);
}

/* The node at which the iteration of loop L that ends at NODE began, or the iteration BACK iterations before
 * that one; NULL: there is none, or it is unreachable.  It has the iteration counts of NODE, less BACK for L,
 * and 0 for the loops within L. */
static const struct zx_node *iteration_begin(const struct zx_run *r, const struct zx_node *node, uint32_t l,
                                             uint16_t back)
{
    uint16_t count[ZX_MAX_LOOPS];
    uint32_t found;

    memcpy(count, node->count, sizeof count);
    if (count[l] < back)
        return NULL;
    count[l] = (uint16_t)(count[l] - back);
    zx_restrict_counts(r, r->loops[l].target, count);
    for (uint32_t k = 0; k < r->loop_count; k++) {
        bool within = r->loops[k].target >= r->loops[l].target && r->loops[k].source <= r->loops[l].source;

        if (k != l && within)
            count[k] = 0;
    }
    found = zx_find_node(r, r->loops[l].target, count);
    return found == ZX_NONE || !r->nodes[found]->entry ? NULL : r->nodes[found];
}

/* The iteration of loop L from BEGIN to the place with registers REGS has no effect and leaves the live
 * registers unchanged. */
static Z3_ast is_idle_iteration(struct zx_run *r, const struct zx_node *begin, const struct zx_val *regs,
                                uint32_t l)
{
    struct zx *z = r->z;
    Z3_ast all;

    if (!begin)
        return z->no;
    all = zx_and(z, begin->guard, zx_equal(z, begin->entry[r->effects_reg], regs[r->effects_reg]));
    for (uint32_t i = 0; all != z->no && i < r->t->reg_count; i++)
        if (r->loops[l].live[i / 64] >> (i % 64) & 1)
            all = zx_and(z, all, zx_equal(z, begin->entry[i], regs[i]));
    return all;
}

/* Iterations of loop L access memory by atomic loads alone that cannot race, so that even the first one
 * without effect can be excluded. */
static bool only_polls(const struct zx_run *r, uint32_t l)
{
    for (uint32_t i = r->loops[l].target; r->z->p->kernel && i <= r->loops[l].source; i++) {
        const struct ck_instr *in = &r->t->instrs[i];

        if (in->op == CK_RMW ||
            (ck_instr_is_access(in) && !(in->attributes & MM_ATOMIC) && in->order == MM_ORDER_NONE))
            return false;
        if ((in->op == CK_LOAD || in->op == CK_CAS) && ck_program_may_race(r->z->p, r->thread, in))
            return false;
    }
    return r->z->p->kernel;
}

/* Returns the condition under which loop L iterates again after NODE, whose guard is GUARD: not after an idle
 * iteration, which is excluded from all executions or, if may_hang, repeated forever: the thread hangs
 * there. */
static Z3_ast prune_idle_iteration(struct zx_run *r, const struct zx_node *node, uint32_t l, Z3_ast guard)
{
    struct zx *z = r->z;
    const struct zx_node *begin = iteration_begin(r, node, l, 0);
    Z3_ast idle = zx_and(z, guard, is_idle_iteration(r, begin, node->regs, l));

    /* its loads may race: without may_hang, an idle iteration is pruned only after another one in the same
     * state */
    if (!z->features.may_hang && !only_polls(r, l))
        idle = begin ? zx_and(z, idle, is_idle_iteration(r, iteration_begin(r, node, l, 1), begin->entry, l))
                     : z->no;
    if (idle == z->no)
        return guard;
    if (!z->features.may_hang)
        zx_assert(z, zx_not(z, idle));
    else
        zx_add_iteration(z, &(struct zx_iteration){idle, r->thread, begin->first_event, z->n});
    return zx_and(z, guard, zx_not(z, idle));
}

static void note_exceeded(struct zx_run *r, uint32_t loop, Z3_ast guard)
{
    struct zx_found *found = &r->z->found;
    unsigned line = r->t->instrs[r->loops[loop].source].line;

    if (guard == r->z->no)
        return;
    found->several = found->several || (found->exceeded != r->z->no && found->beyond != line);
    found->beyond = line;
    found->exceeded = zx_or(r->z, found->exceeded, guard);
}

static void follow_edge(struct zx_run *r, struct zx_node *node, int slot, Z3_ast guard)
{
    struct zx *z = r->z;

    if (guard == z->no)
        return;
    if (node->back_loop[slot] != ZX_NONE) {
        uint32_t l = node->back_loop[slot];

        guard = prune_idle_iteration(r, node, l, guard);
        if (node->successor[slot] == ZX_NONE)
            note_exceeded(r, l, guard);
    }
    if (node->successor[slot] != ZX_NONE)
        arrive_at_node(r, node->successor[slot], guard, node->regs);
}

struct zx_val *zx_own_regs(struct zx_run *r, struct zx_node *node)
{
    struct zx_val *copy = zx_alloc(r->z, r->reg_count, sizeof *copy);

    memcpy(copy, node->regs, r->reg_count * sizeof *copy);
    node->regs = copy;
    return copy;
}

struct zx_event zx_new_event(const struct zx_run *r, const struct zx_node *node, enum zx_kind kind)
{
    return (struct zx_event){.kind = kind,
                             .thread = r->thread,
                             .in = &r->t->instrs[node->pc],
                             .instr = node->pc,
                             .partner = ZX_NONE,
                             .addressed = ZX_NONE,
                             .late = r->z->no,
                             .exec = node->guard,
                             .failed = r->z->no,
                             .ctrl_deps = zx_depend_ctrl(r, node->regs),
                             .size = r->t->instrs[node->pc].size};
}

void zx_count_effect(struct zx_run *r, struct zx_val *regs, Z3_ast when)
{
    struct zx_val *count = &regs[r->effects_reg];

    *count = zx_ite(r->z, when, zx_binary(r->z, CK_ADD, *count, zx_number(1, 4)), *count);
}

/* How often the thread has arrived at this barrier before. */
static struct zx_val barrier_occurrence(struct zx_run *r, const struct zx_event *e)
{
    struct zx *z = r->z;
    struct zx_val count = zx_number(0, 4);

    for (uint32_t i = r->first_event; i < z->n; i++) {
        const struct zx_event *b = &z->events[i];

        if (b->kind == ZX_BARRIER && b->part < 2) {
            Z3_ast before = zx_and(z, b->exec, zx_same_barrier_key(z, b, e));

            count = zx_ite(z, before, zx_binary(z, CK_ADD, count, zx_number(1, 4)), count);
        }
    }
    return count;
}

static void run_barrier(struct zx_run *r, struct zx_node *node, const struct ck_instr *in)
{
    struct zx_event e = zx_new_event(r, node, ZX_BARRIER);
    struct zx_val *regs = zx_own_regs(r, node);

    if (in->value != CK_NO_EXPR)
        e.value = zx_eval_expr(r->z, in->value, regs);
    e.address = barrier_occurrence(r, &e);
    if (in->quorum)
        e.late = zx_fresh_bool(r->z, "late");
    if (r->z->features.may_hang)
        e.passed = zx_fresh_bool(r->z, "passed");
    zx_count_effect(r, regs, r->z->yes);
    e.part = r->z->features.split_barriers ? 1 : 0;
    zx_add_event(r->z, &e);
    if (e.passed)
        e.exec = node->guard = zx_and(r->z, node->guard, e.passed);
    if (e.part) {
        e.part = 2;
        zx_add_event(r->z, &e);
    }
}

/* An unfair scheduler may stop the thread before any event. */
static void may_stop(struct zx_run *r, struct zx_node *node, enum ck_op op)
{
    struct zx *z = r->z;
    const bool acts =
        (op >= CK_LOAD && op <= CK_BARRIER) || op == CK_AVAILABILITY || op == CK_VISIBILITY || op == CK_POINT;
    Z3_ast *stopped = &z->threads[r->thread].stopped, here;

    if (!z->features.may_stop || !acts)
        return;
    here = zx_fresh_bool(z, "stop");
    *stopped = zx_or(z, *stopped, zx_and(z, node->guard, here));
    node->guard = zx_and(z, node->guard, zx_not(z, here));
}

static void run_assignment(struct zx_run *r, struct zx_node *node, const struct ck_instr *in)
{
    struct zx_val v = zx_eval_expr(r->z, in->value, node->regs), set = zx_depends(r, in->value, node->regs);

    zx_own_regs(r, node)[in->reg] = v;
    zx_depend_set(r, node->regs, in->reg, set);
}

/* An event without address and value. */
static void run_event(struct zx_run *r, struct zx_node *node, enum zx_kind kind)
{
    struct zx_event e = zx_new_event(r, node, kind);

    zx_add_event(r->z, &e);
}

static Z3_ast condition_of(struct zx_run *r, const struct zx_node *node, const struct ck_instr *in)
{
    return zx_nonzero(r->z, zx_eval_expr(r->z, in->value, node->regs));
}

/* A thread stops where its assertion fails. */
static void run_assertion(struct zx_run *r, struct zx_node *node, const struct ck_instr *in)
{
    struct zx *z = r->z;
    Z3_ast fails = zx_not(z, condition_of(r, node, in));

    z->found.assertion = zx_or(z, z->found.assertion, zx_and(z, node->guard, fails));
    node->guard = zx_and(z, node->guard, zx_not(z, fails));
}

static void run_branch(struct zx_run *r, struct zx_node *node, const struct ck_instr *in)
{
    struct zx *z = r->z;
    Z3_ast zero;

    if (z->features.tracks_dependencies)
        zx_depend_branch(r, zx_own_regs(r, node), in->value);
    zero = zx_not(z, condition_of(r, node, in));
    follow_edge(r, node, 0, zx_and(z, node->guard, zx_not(z, zero)));
    follow_edge(r, node, 1, zx_and(z, node->guard, zero));
}

/* Runs the instruction of node N under the guard with which the nodes before it arrived. */
static void run_node(struct zx_run *r, uint32_t n)
{
    struct zx *z = r->z;
    struct zx_node *node = r->nodes[n];
    const struct ck_instr *in;

    if (!node->regs || node->pc >= r->t->instr_count)
        return;
    node->entry = node->regs;
    node->first_event = z->n;
    in = &r->t->instrs[node->pc];
    may_stop(r, node, in->op);
    switch (in->op) {
    case CK_ASSIGN:
        run_assignment(r, node, in);
        break;
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        zx_run_access(r, node, in);
        break;
    case CK_BARRIER:
        run_barrier(r, node, in);
        break;
    case CK_FENCE:
        run_event(r, node, ZX_FENCE);
        break;
    case CK_AVAILABILITY:
        run_event(r, node, ZX_AVAILABILITY);
        break;
    case CK_VISIBILITY:
        run_event(r, node, ZX_VISIBILITY);
        break;
    case CK_POINT:
        run_event(r, node, ZX_POINT);
        break;
    case CK_ASSUME:
        zx_assert(z, zx_implies(z, node->guard, condition_of(r, node, in)));
        break;
    case CK_ASSERT:
        run_assertion(r, node, in);
        break;
    case CK_BRANCH:
        run_branch(r, node, in);
        return;
    case CK_JUMP:
    case CK_END:
        break;
    }
    follow_edge(r, node, 0, node->guard);
}

static void run_thread(struct zx *z, uint32_t thread)
{
    struct zx_run *r = zx_alloc(z, 1, sizeof *r);
    uint16_t zero[ZX_MAX_LOOPS] = {0};
    struct zx_val *regs;
    uint32_t end;

    r->z = z;
    r->t = &z->p->threads[thread];
    r->thread = thread;
    memset(r->buckets, 0xff, sizeof r->buckets);
    r->first_event = z->n;
    r->effects_reg = r->t->reg_count; /* hidden register: the number of effects */
    r->reg_count = r->t->reg_count + 1;
    zx_depend_init(r);
    z->threads[thread].spins = z->threads[thread].blocked = z->threads[thread].stopped = z->no;
    z->threads[thread].faults = z->no;
    zx_find_loops(r);
    zx_find_live(r);
    zx_sort_nodes(r);
    regs = zx_alloc(z, r->reg_count, sizeof *regs);
    for (uint32_t i = 0; i < r->reg_count; i++)
        regs[i] = zx_number(0, i < r->t->reg_count ? r->t->reg_sizes[i] : i == r->effects_reg ? 4 : 8);
    arrive_at_node(r, zx_get_node(r, 0, zero), z->yes, regs);
    for (uint32_t i = r->order_count; i < ZX_MAX_NODES; i++)
        run_node(r, r->order[i]);
    end = zx_find_node(r, r->t->instr_count, zero);
    z->threads[thread].reg_count = r->t->reg_count;
    z->threads[thread].ends = z->no;
    z->threads[thread].final = regs;
    if (end != ZX_NONE && r->nodes[end]->regs) {
        z->threads[thread].ends = r->nodes[end]->guard;
        z->threads[thread].final = r->nodes[end]->regs;
    }
}

void zx_run_threads(struct zx *z)
{
    z->found = (struct zx_found){0};
    z->found.exceeded = z->found.out_of_bounds = z->found.assertion = z->found.unaligned = z->no;
    z->n = z->hard.count = z->iterations.count = z->calls.count = 0;
    z->threads = zx_alloc(z, z->p->thread_count, sizeof *z->threads);
    for (uint32_t i = 0; i < z->p->thread_count; i++)
        run_thread(z, i);
}
