/* The Z3 engine's threads: control flow unrolled to the bound, executed once with symbolic values.
 *
 * The unrolled graph has one node per (instruction, iteration counts of the loops around it), so that paths
 * that leave a loop after different numbers of iterations meet again.  A loop is the range of instructions
 * between the target and the source of a backward jump.  Every node has the condition under which it is
 * reached and the registers as if-then-else over the ways to it.
 *
 * An iteration that changes no live register and has no effect but loads can be left out of any execution
 * without changing what it ends with.  The first may stay, since its loads may race; others of the kind are
 * excluded: a loop that merely waits does not exhaust the bound. */
#include "checker/z3_internal.h"

#include <string.h>

enum { MAX_NODES = 20000, HASH_SIZE = 4096, MAX_LOOPS = 64 };

struct loop {
    uint32_t source, target; /* instructions */
    uint64_t *live;          /* registers that matter at the target */
};

struct node {
    uint32_t pc, next_in_bucket;
    uint8_t count[MAX_LOOPS];
    uint32_t successor[2]; /* fall through or jump; branch target.  ZX_NONE: none */
    uint32_t back_loop[2]; /* the loop whose back edge the successor is, or ZX_NONE */
    uint8_t state;         /* depth-first search */
    Z3_ast guard;
    struct zx_val *regs, *entry; /* now, and before the instruction */
};

struct run {
    struct zx *z;
    const struct ck_thread *t;
    uint32_t thread, reg_count, effects_reg, first_event;
    struct loop loops[MAX_LOOPS];
    uint32_t loop_count;
    struct node **nodes;
    uint32_t node_count;
    uint32_t buckets[HASH_SIZE];
    uint32_t *order; /* of nodes, predecessors first */
    uint32_t order_count;
};

uint32_t zx_add_event(struct zx *z, const struct zx_event *event)
{
    if (z->n == z->capacity) {
        uint32_t capacity = z->capacity ? z->capacity * 2 : 64;
        struct zx_event *bigger = zx_alloc(z, capacity, sizeof *bigger);

        if (z->n)
            memcpy(bigger, z->events, z->n * sizeof *bigger);
        z->events = bigger;
        z->capacity = capacity;
    }
    z->events[z->n] = *event;
    return z->n++;
}

/* ---- loops and liveness ------------------------------------------------------------------------ */

static void find_loops(struct run *r)
{
    for (uint32_t i = 0; i < r->t->instr_count; i++) {
        const struct ck_instr *in = &r->t->instrs[i];

        if ((in->op != CK_JUMP && in->op != CK_BRANCH) || in->target > i)
            continue;
        if (r->loop_count == MAX_LOOPS)
            zx_stop(r->z, MM_LIMIT, "bound", "thread %s has more than %u loops", r->t->name, MAX_LOOPS);
        r->loops[r->loop_count++] = (struct loop){.source = i, .target = in->target};
    }
}

static bool inside(const struct loop *l, uint32_t pc)
{
    return pc >= l->target && pc <= l->source;
}

static void mark(uint64_t *set, uint64_t i)
{
    set[i / 64] |= UINT64_C(1) << (i % 64);
}

static void unmark(uint64_t *set, uint32_t i)
{
    if (i != CK_NO_REG)
        set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static void use_expr(const struct run *r, uint32_t expr, uint64_t *live)
{
    const struct ck_expr *e = &r->z->p->exprs[expr];

    if (e->op == CK_CONST)
        return;
    if (e->op == CK_REG) {
        mark(live, e->imm);
        return;
    }
    use_expr(r, e->a, live);
    if (e->op < CK_NOT || e->op == CK_SELECT)
        use_expr(r, e->b, live);
    if (e->op == CK_SELECT)
        use_expr(r, e->c, live);
}

static bool has_address(enum ck_op op)
{
    return op == CK_LOAD || op == CK_STORE || op == CK_RMW || op == CK_CAS;
}

static bool has_value(const struct ck_instr *in)
{
    switch (in->op) {
    case CK_ASSIGN:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
    case CK_BRANCH:
    case CK_ASSUME:
    case CK_ASSERT:
        return true;
    case CK_BARRIER:
        return in->value != CK_NO_EXPR;
    default:
        return false;
    }
}

static void transfer(const struct run *r, const struct ck_instr *in, uint64_t *live)
{
    if (in->op == CK_ASSIGN || in->op == CK_LOAD || in->op == CK_RMW || in->op == CK_CAS)
        unmark(live, in->reg);
    if (in->op == CK_CAS) {
        unmark(live, in->reg2);
        use_expr(r, in->expected, live);
    }
    if (has_address(in->op))
        use_expr(r, in->address, live);
    if (has_value(in))
        use_expr(r, in->value, live);
}

static void live_at_end(const struct run *r, uint64_t *live)
{
    const struct ck_program *p = r->z->p;

    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (p->observed[i].kind == CK_TERM_REG && p->observed[i].thread == r->thread)
            mark(live, p->observed[i].reg);
    }
    for (uint32_t i = 0; i < p->prop_count; i++) {
        const struct ck_term *terms[] = {&p->props[i].left, &p->props[i].right};

        for (int k = 0; p->props[i].op == CK_PROP_COMPARE && k < 2; k++) {
            if (terms[k]->kind == CK_TERM_REG && terms[k]->thread == r->thread)
                mark(live, terms[k]->reg);
        }
    }
}

/* Registers that matter before each instruction, by iteration to the fixpoint. */
static void find_live(struct run *r)
{
    uint32_t words = r->reg_count / 64 + 1, n = r->t->instr_count;
    uint64_t *live = zx_alloc(r->z, (size_t)(n + 1) * words, sizeof *live), *in_set;
    uint64_t *now = zx_alloc(r->z, words, sizeof *now);

    live_at_end(r, &live[(size_t)n * words]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            const struct ck_instr *in = &r->t->instrs[i];
            uint32_t next = in->op == CK_JUMP ? in->target : in->op == CK_END ? n : i + 1;

            memcpy(now, &live[(size_t)next * words], words * sizeof *now);
            for (uint32_t w = 0; in->op == CK_BRANCH && w < words; w++)
                now[w] |= live[(size_t)in->target * words + w];
            transfer(r, in, now);
            in_set = &live[(size_t)i * words];
            if (memcmp(in_set, now, words * sizeof *now) != 0) {
                memcpy(in_set, now, words * sizeof *now);
                changed = true;
            }
        }
    }
    for (uint32_t l = 0; l < r->loop_count; l++)
        r->loops[l].live = &live[(size_t)r->loops[l].target * words];
}

/* ---- the unrolled graph -------------------------------------------------------------------------- */

static uint32_t hash_key(const struct run *r, uint32_t pc, const uint8_t *count)
{
    uint32_t h = pc * 2654435761U;

    for (uint32_t i = 0; i < r->loop_count; i++)
        h = (h ^ count[i]) * 16777619U;
    return (h >> 7) % HASH_SIZE;
}

/* Counts matter only for loops around PC. */
static void restrict_counts(const struct run *r, uint32_t pc, uint8_t *count)
{
    for (uint32_t i = 0; i < r->loop_count; i++) {
        if (!inside(&r->loops[i], pc))
            count[i] = 0;
    }
}

static uint32_t find_node(const struct run *r, uint32_t pc, const uint8_t *count)
{
    uint32_t i = r->buckets[hash_key(r, pc, count)];

    while (i != ZX_NONE && (r->nodes[i]->pc != pc || memcmp(r->nodes[i]->count, count, r->loop_count) != 0))
        i = r->nodes[i]->next_in_bucket;
    return i;
}

static uint32_t get_node(struct run *r, uint32_t pc, const uint8_t *count)
{
    uint32_t i = find_node(r, pc, count), bucket;
    struct node *n;

    if (i != ZX_NONE)
        return i;
    if (r->node_count == MAX_NODES)
        zx_stop(r->z, MM_LIMIT, "bound", "thread %s unrolls to more than %u instructions", r->t->name,
                MAX_NODES);
    if ((r->node_count & (r->node_count - 1)) == 0) {
        struct node **bigger = zx_alloc(r->z, r->node_count ? r->node_count * 2 : 1, sizeof *bigger);

        if (r->node_count)
            memcpy(bigger, r->nodes, r->node_count * sizeof(*bigger));
        r->nodes = bigger;
    }
    n = zx_alloc(r->z, 1, sizeof *n);
    bucket = hash_key(r, pc, count);
    *n = (struct node){.pc = pc, .next_in_bucket = r->buckets[bucket], .guard = r->z->no};
    memcpy(n->count, count, r->loop_count);
    r->nodes[r->node_count] = n;
    r->buckets[bucket] = r->node_count;
    return r->node_count++;
}

/* Where control goes from node N to TARGET.  Taking a back edge counts an iteration and starts the loops
 * within afresh. */
static void connect(struct run *r, uint32_t n, int slot, uint32_t target)
{
    struct node *node = r->nodes[n];
    uint8_t count[MAX_LOOPS];
    uint32_t taken = ZX_NONE;

    memcpy(count, node->count, sizeof count);
    for (uint32_t l = 0; target <= node->pc && l < r->loop_count; l++) {
        if (r->loops[l].source == node->pc && r->loops[l].target == target)
            taken = l;
    }
    node->back_loop[slot] = taken;
    node->successor[slot] = ZX_NONE;
    if (taken != ZX_NONE) {
        const struct loop *outer = &r->loops[taken];

        if (count[taken] >= r->z->options.bound)
            return;
        count[taken]++;
        for (uint32_t l = 0; l < r->loop_count; l++) {
            bool within = r->loops[l].target >= outer->target && r->loops[l].source <= outer->source;

            if (l != taken && within)
                count[l] = 0;
        }
    }
    restrict_counts(r, target, count);
    node->successor[slot] = get_node(r, target, count);
}

static void expand(struct run *r, uint32_t n)
{
    struct node *node = r->nodes[n];
    const struct ck_instr *in;

    node->successor[0] = node->successor[1] = ZX_NONE;
    node->back_loop[0] = node->back_loop[1] = ZX_NONE;
    if (node->pc >= r->t->instr_count)
        return;
    in = &r->t->instrs[node->pc];
    if (in->op == CK_END)
        connect(r, n, 0, r->t->instr_count);
    else if (in->op == CK_JUMP)
        connect(r, n, 0, in->target);
    else
        connect(r, n, 0, node->pc + 1);
    if (in->op == CK_BRANCH)
        connect(r, n, 1, in->target);
}

/* Depth-first search with its own stack; ORDER is filled from the end. */
static void sort_nodes(struct run *r)
{
    uint8_t zero[MAX_LOOPS] = {0};
    uint32_t *stack = zx_alloc(r->z, MAX_NODES + 1, sizeof *stack), depth = 0;

    r->order = zx_alloc(r->z, MAX_NODES, sizeof *r->order);
    r->order_count = MAX_NODES;
    stack[depth++] = get_node(r, 0, zero);
    while (depth > 0) {
        uint32_t n = stack[depth - 1];
        struct node *node = r->nodes[n];
        uint32_t next;

        if (node->state == 0)
            expand(r, n);
        if (node->state == 2) {
            r->order[--r->order_count] = n;
            node->state = 3;
            depth--;
            continue;
        }
        /* The branch target first, so that the code that falls through comes earlier in the order. */
        next = node->successor[1 - node->state++];
        if (next != ZX_NONE && r->nodes[next]->state == 0)
            stack[depth++] = next;
    }
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

static Z3_ast argument(struct zx *z, Z3_ast a, unsigned i)
{
    return Z3_get_app_arg(z->c, Z3_to_app(z->c, a), i);
}

static bool complementary(struct zx *z, Z3_ast a, Z3_ast b)
{
    return (is_app(z, a, Z3_OP_NOT, 1) && argument(z, a, 0) == b) ||
           (is_app(z, b, Z3_OP_NOT, 1) && argument(z, b, 0) == a);
}

/* Either guard; where both sides of a branch meet again, the guard from before the branch. */
static Z3_ast merge_guards(struct zx *z, Z3_ast a, Z3_ast b)
{
    if (complementary(z, a, b))
        return z->yes;
    if (is_app(z, a, Z3_OP_AND, 2) && is_app(z, b, Z3_OP_AND, 2) && argument(z, a, 0) == argument(z, b, 0) &&
        complementary(z, argument(z, a, 1), argument(z, b, 1)))
        return argument(z, a, 0);
    return zx_or(z, a, b);
}

static void arrive(struct run *r, uint32_t n, Z3_ast guard, struct zx_val *regs)
{
    struct node *node = r->nodes[n];

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

/* The iteration that ends at NODE had no effect: the registers are as they were when it began. */
static Z3_ast idle(struct run *r, const struct node *node, uint32_t l)
{
    struct zx *z = r->z;
    uint8_t count[MAX_LOOPS];
    const struct node *begin;
    uint32_t found;
    Z3_ast all;

    memcpy(count, node->count, sizeof count);
    restrict_counts(r, r->loops[l].target, count);
    for (uint32_t k = 0; k < r->loop_count; k++) {
        bool within = r->loops[k].target >= r->loops[l].target && r->loops[k].source <= r->loops[l].source;

        if (k != l && within)
            count[k] = 0;
    }
    found = find_node(r, r->loops[l].target, count);
    if (found == ZX_NONE || !r->nodes[found]->entry)
        return z->no;
    begin = r->nodes[found];
    all = zx_and(z, begin->guard, zx_equal(z, begin->entry[r->effects_reg], node->regs[r->effects_reg]));
    for (uint32_t i = 0; all != z->no && i < r->t->reg_count; i++) {
        if (r->loops[l].live[i / 64] >> (i % 64) & 1)
            all = zx_and(z, all, zx_equal(z, begin->entry[i], node->regs[i]));
    }
    return all;
}

static void follow(struct run *r, struct node *node, int slot, Z3_ast guard)
{
    struct zx *z = r->z;

    if (guard == z->no)
        return;
    if (node->back_loop[slot] != ZX_NONE) {
        uint32_t l = node->back_loop[slot];
        Z3_ast waiting = node->count[l] ? idle(r, node, l) : z->no;

        zx_assert(z, zx_not(z, zx_and(z, guard, waiting)));
        guard = zx_and(z, guard, zx_not(z, waiting));
        if (node->successor[slot] == ZX_NONE)
            z->exceeded = zx_or(z, z->exceeded, guard);
    }
    if (node->successor[slot] != ZX_NONE)
        arrive(r, node->successor[slot], guard, node->regs);
}

static struct zx_val *own_regs(struct run *r, struct node *node)
{
    struct zx_val *copy = zx_alloc(r->z, r->reg_count, sizeof *copy);

    memcpy(copy, node->regs, r->reg_count * sizeof *copy);
    node->regs = copy;
    return copy;
}

static struct zx_event new_event(const struct run *r, const struct node *node, enum zx_kind kind)
{
    return (struct zx_event){.kind = kind,
                             .thread = r->thread,
                             .in = &r->t->instrs[node->pc],
                             .instr = node->pc,
                             .partner = ZX_NONE,
                             .cell = ZX_NONE,
                             .addressed = ZX_NONE,
                             .late = r->z->no,
                             .exec = node->guard,
                             .failed = r->z->no,
                             .size = r->t->instrs[node->pc].size};
}

/* Something happened that an idle iteration would not do. */
static void count_effect(struct run *r, struct zx_val *regs, Z3_ast when)
{
    struct zx_val *count = &regs[r->effects_reg];

    *count = zx_ite(r->z, when, zx_binary(r->z, CK_ADD, *count, zx_number(1, 4)), *count);
}

static struct zx_val rmw_result(struct zx *z, enum ck_rmw_op op, struct zx_val old, struct zx_val v)
{
    static const enum ck_expr_op arithmetic[] = {
        [CK_RMW_ADD] = CK_ADD, [CK_RMW_SUB] = CK_SUB, [CK_RMW_AND] = CK_AND,
        [CK_RMW_OR] = CK_OR,   [CK_RMW_XOR] = CK_XOR,
    };
    bool is_signed = op == CK_RMW_SMIN || op == CK_RMW_SMAX;

    switch (op) {
    case CK_RMW_XCHG:
        return v;
    case CK_RMW_SMIN:
    case CK_RMW_UMIN:
        return zx_ite(z, zx_less(z, old, v, is_signed, false), old, v);
    case CK_RMW_SMAX:
    case CK_RMW_UMAX:
        return zx_ite(z, zx_less(z, old, v, is_signed, false), v, old);
    default:
        return zx_binary(z, arithmetic[op], old, v);
    }
}

/* SIZE bytes at ADDRESS are within one object. */
static Z3_ast in_bounds(struct zx *z, struct zx_val address, uint8_t size)
{
    Z3_ast any = z->no;

    for (uint32_t i = 0; i < z->p->object_count; i++) {
        struct zx_val base = zx_number(CK_OBJECT_BASE(i), 8);
        uint64_t bytes = z->p->objects[i].size;

        if (bytes >= size)
            any = zx_or(
                z, any,
                zx_less(z, zx_binary(z, CK_SUB, address, base), zx_number(bytes - size, 8), false, true));
    }
    return any;
}

/* A thread that misses every object stops there. */
static void run_access(struct run *r, struct node *node, const struct ck_instr *in)
{
    struct zx *z = r->z;
    struct zx_val *regs = own_regs(r, node), value = {0}, old = {0};
    struct zx_val address = zx_eval_expr(z, in->address, regs);
    uint32_t read = ZX_NONE;
    Z3_ast writes = z->yes, inside = in_bounds(z, address, in->size);
    struct zx_event e;

    z->out_of_bounds = zx_or(z, z->out_of_bounds, zx_and(z, node->guard, zx_not(z, inside)));
    node->guard = zx_and(z, node->guard, inside);
    if (node->guard == z->no)
        return;
    e = new_event(r, node, ZX_READ);
    e.address = address;
    if (in->op != CK_LOAD)
        value = zx_eval_expr(z, in->value, regs);
    if (in->op != CK_STORE) {
        old = e.value = zx_fresh(z, "r", in->size);
        if (in->op == CK_CAS) {
            writes = zx_equal(z, old, zx_eval_expr(z, in->expected, regs));
            if (in->weak)
                writes = zx_and(z, writes, zx_fresh_bool(z, "w"));
            e.failed = zx_not(z, writes);
        }
        read = zx_add_event(z, &e);
    }
    if (in->op != CK_LOAD) {
        e.kind = ZX_WRITE;
        e.partner = read;
        e.failed = z->no;
        e.exec = zx_and(z, node->guard, writes);
        e.value = in->op == CK_RMW ? rmw_result(z, (enum ck_rmw_op)in->rmw, old, value) : value;
        if (read != ZX_NONE)
            z->events[read].partner = z->n;
        zx_add_event(z, &e);
        count_effect(r, regs, writes);
    }
    if (in->op != CK_STORE && in->reg != CK_NO_REG)
        regs[in->reg] = old;
    if (in->op == CK_CAS && in->reg2 != CK_NO_REG)
        regs[in->reg2] = zx_from_bool(z, writes, r->t->reg_sizes[in->reg2]);
}

/* The how-manieth time the thread comes to this barrier. */
static struct zx_val occurrence(struct run *r, const struct zx_event *e)
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

static void run_barrier(struct run *r, struct node *node, const struct ck_instr *in)
{
    struct zx_event e = new_event(r, node, ZX_BARRIER);
    struct zx_val *regs = own_regs(r, node);

    if (in->value != CK_NO_EXPR)
        e.value = zx_eval_expr(r->z, in->value, regs);
    e.address = occurrence(r, &e);
    if (in->quorum)
        e.late = zx_fresh_bool(r->z, "late");
    count_effect(r, regs, r->z->yes);
    e.part = r->z->split_barriers ? 1 : 0;
    zx_add_event(r->z, &e);
    if (e.part) {
        e.part = 2;
        zx_add_event(r->z, &e);
    }
}

static void run_node(struct run *r, uint32_t n)
{
    struct zx *z = r->z;
    struct node *node = r->nodes[n];
    const struct ck_instr *in;
    struct zx_event e;
    Z3_ast zero;

    if (!node->regs || node->pc >= r->t->instr_count)
        return;
    node->entry = node->regs;
    in = &r->t->instrs[node->pc];
    switch (in->op) {
    case CK_ASSIGN: {
        struct zx_val v = zx_eval_expr(z, in->value, node->regs);
        own_regs(r, node)[in->reg] = v;
        break;
    }
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        run_access(r, node, in);
        break;
    case CK_BARRIER:
        run_barrier(r, node, in);
        break;
    case CK_FENCE:
    case CK_AVAILABILITY:
    case CK_VISIBILITY:
        e = new_event(r, node,
                      in->op == CK_FENCE          ? ZX_FENCE
                      : in->op == CK_AVAILABILITY ? ZX_AVAILABILITY
                                                  : ZX_VISIBILITY);
        zx_add_event(z, &e);
        break;
    case CK_ASSUME:
        zx_assert(z, zx_implies(z, node->guard, zx_nonzero(z, zx_eval_expr(z, in->value, node->regs))));
        break;
    case CK_ASSERT:
        zero = zx_not(z, zx_nonzero(z, zx_eval_expr(z, in->value, node->regs)));
        z->assertion = zx_or(z, z->assertion, zx_and(z, node->guard, zero));
        node->guard = zx_and(z, node->guard, zx_not(z, zero));
        break;
    case CK_BRANCH:
        zero = zx_not(z, zx_nonzero(z, zx_eval_expr(z, in->value, node->regs)));
        follow(r, node, 0, zx_and(z, node->guard, zx_not(z, zero)));
        follow(r, node, 1, zx_and(z, node->guard, zero));
        return;
    case CK_JUMP:
    case CK_END:
        break;
    }
    follow(r, node, 0, node->guard);
}

static void run_thread(struct zx *z, uint32_t thread)
{
    struct run *r = zx_alloc(z, 1, sizeof *r);
    uint8_t zero[MAX_LOOPS] = {0};
    struct zx_val *regs;
    uint32_t end;

    r->z = z;
    r->t = &z->p->threads[thread];
    r->thread = thread;
    memset(r->buckets, 0xff, sizeof r->buckets);
    r->first_event = z->n;
    r->effects_reg = r->t->reg_count; /* hidden: the number of effects */
    r->reg_count = r->t->reg_count + 1;
    find_loops(r);
    find_live(r);
    sort_nodes(r);
    regs = zx_alloc(z, r->reg_count, sizeof *regs);
    for (uint32_t i = 0; i < r->reg_count; i++)
        regs[i] = zx_number(0, i < r->t->reg_count ? r->t->reg_sizes[i] : 4);
    arrive(r, get_node(r, 0, zero), z->yes, regs);
    for (uint32_t i = r->order_count; i < MAX_NODES; i++)
        run_node(r, r->order[i]);
    end = find_node(r, r->t->instr_count, zero);
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
    z->exceeded = z->out_of_bounds = z->assertion = z->unaligned = z->no;
    z->threads = zx_alloc(z, z->p->thread_count, sizeof *z->threads);
    for (uint32_t i = 0; i < z->p->thread_count; i++)
        run_thread(z, i);
}
