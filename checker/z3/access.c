/* Symbolic execution of loads, stores and read-modify-writes (docs/encoding.md#symbolic-execution): the
 * events of their halves and pieces. */
#include "checker/z3/unroll.h"

static struct zx_val rmw_result(struct zx *z, const struct ck_instr *in, struct zx_val old, struct zx_val v)
{
    const enum ck_rmw_op op = (enum ck_rmw_op)in->rmw;
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
    case CK_RMW_APPLY:
        return zx_apply(z, in->function, 2, (struct zx_val[]){old, v}, in->size);
    default:
        return zx_binary(z, arithmetic[op], old, v);
    }
}

/* SIZE bytes at ADDRESS are within one object: the base of expression EXPR, if it has one, or any. */
static Z3_ast in_bounds(struct zx *z, uint32_t expr, struct zx_val address, uint8_t size)
{
    uint32_t only = ck_program_base(z->p, expr);
    Z3_ast any = z->no;

    for (uint32_t i = 0; i < z->p->object_count; i++) {
        struct zx_val base = zx_number(CK_OBJECT_BASE(i), 8);
        uint64_t bytes = z->p->objects[i].size;

        if (bytes >= size && (only == CK_NO_OBJECT || only == i))
            any = zx_or(
                z, any,
                zx_less(z, zx_binary(z, CK_SUB, address, base), zx_number(bytes - size, 8), false, true));
    }
    return any;
}

static uint8_t piece_end(const struct zx *z, const struct zx_event *access, uint8_t at)
{
    return zx_piece_end(z, access->address, ck_program_base(z->p, access->in->address), at, access->size);
}

/* Adds the piece of ACCESS that begins at byte AT and ends at byte NEXT. */
static void add_piece(struct zx *z, const struct zx_event *access, uint8_t at, uint8_t next,
                      struct zx_val value)
{
    struct zx_event e = *access;

    e.size = (uint8_t)(next - at);
    e.address = zx_binary(z, CK_ADD, access->address, zx_number(at, 8));
    e.value = value;
    zx_add_event(z, &e);
}

/* Adds the pieces of ACCESS, each a read; returns the value that they make up. */
static struct zx_val read_pieces(struct zx *z, const struct zx_event *access)
{
    struct zx_val whole = zx_number(0, access->size);

    for (uint8_t at = 0, next; at < access->size; at = next) {
        struct zx_val piece;

        next = piece_end(z, access, at);
        piece = zx_fresh(z, "r", (uint8_t)(next - at));
        whole = zx_with_piece(z, whole, at, piece);
        add_piece(z, access, at, next, piece);
    }
    return whole;
}

static void write_pieces(struct zx *z, const struct zx_event *access, struct zx_val whole)
{
    for (uint8_t at = 0, next; at < access->size; at = next) {
        next = piece_end(z, access, at);
        add_piece(z, access, at, next, zx_piece(z, whole, at, (uint8_t)(next - at)));
    }
}

/* The value that ACCESS reads, and whether it writes.  All read halves are added before the write halves; the
 * k-th read half is the partner of the k-th write half. */
static struct zx_val read_access(struct zx_run *r, const struct zx_event *access, const struct zx_val *regs,
                                 Z3_ast *writes)
{
    struct zx *z = r->z;
    uint32_t first = z->n, count;
    struct zx_val old = read_pieces(z, access);

    count = z->n - first;
    if (access->in->op == CK_CAS) {
        *writes = zx_equal(z, old, zx_eval_expr(z, access->in->expected, regs));
        if (access->in->weak)
            *writes = zx_and(z, *writes, zx_fresh_bool(z, "w"));
    }
    for (uint32_t i = first; i < z->n && access->in->op != CK_LOAD; i++) {
        z->events[i].failed = zx_not(z, *writes);
        z->events[i].partner = i + count;
    }
    return old;
}

/* The events from FIRST on are the write halves of as many read halves before them. */
static void pair_halves(struct zx *z, uint32_t first)
{
    for (uint32_t i = first; i < z->n; i++)
        z->events[i].partner = i - (z->n - first);
}

/* A thread stops at an access outside of every object: the guard of NODE becomes that of an access within
 * one. */
static void stop_outside(struct zx_run *r, struct zx_node *node, const struct ck_instr *in,
                         struct zx_val address)
{
    struct zx *z = r->z;
    Z3_ast inside = in_bounds(z, in->address, address, in->size);
    Z3_ast misses = zx_and(z, node->guard, zx_not(z, inside));

    z->threads[r->thread].faults = zx_or(z, z->threads[r->thread].faults, misses);
    z->found.out_of_bounds = zx_or(z, z->found.out_of_bounds, misses);
    node->guard = zx_and(z, node->guard, inside);
}

/* The access of NODE, from which its read and its write half are made. */
static struct zx_event new_access(struct zx_run *r, const struct zx_node *node, struct zx_val address)
{
    struct zx *z = r->z;
    struct zx_event e = zx_new_event(r, node, ZX_READ);
    bool pieces;

    e.address = e.start = address;
    e.addr_deps = zx_depends(r, e.in->address, node->regs);
    e.whole_size = e.in->size;
    pieces = piece_end(z, &e, 0) < e.in->size;
    e.access = pieces ? z->n + 1 : 0;
    if (pieces && !z->features.models_overlap && (ck_instr_is_atomic(e.in) || e.in->op >= CK_RMW))
        zx_stop(z, MM_LIMIT, "z3.mixed-size",
                "an atomic access overlaps one of another size, which the model does not define");
    return e;
}

/* Adds the write half of ACCESS, if WRITES: of VALUE, which a read-modify-write combines with OLD. */
static void write_access(struct zx_run *r, const struct zx_event *access, struct zx_val *regs,
                         struct zx_val value, struct zx_val old, Z3_ast writes)
{
    struct zx *z = r->z;
    const struct ck_instr *in = access->in;
    struct zx_event e = *access;
    uint32_t first = z->n;

    e.kind = ZX_WRITE;
    e.data_deps = zx_depends(r, in->value, regs);
    if (in->op == CK_CAS)
        e.ctrl_deps = zx_binary(z, CK_OR, e.ctrl_deps, zx_depends(r, in->expected, regs));
    e.access = access->access ? z->n + 1 : 0;
    e.exec = zx_and(z, access->exec, writes);
    if (in->op == CK_RMW)
        value = rmw_result(z, in, old, value);
    write_pieces(z, &e, value);
    if (in->op != CK_STORE)
        pair_halves(z, first);
    zx_count_effect(r, regs, in->op == CK_RMW ? zx_not(z, zx_equal(z, old, value)) : writes);
}

/* Sets the registers of a read: to OLD, which depends on READS; of a compare-and-swap also whether it
 * WRITES. */
static void set_results(struct zx_run *r, struct zx_val *regs, const struct ck_instr *in, struct zx_val old,
                        struct zx_val reads, Z3_ast writes)
{
    struct zx *z = r->z;

    if (in->op == CK_CAS)
        zx_depend_set(r, regs, in->reg2, zx_binary(z, CK_OR, reads, zx_depends(r, in->expected, regs)));
    zx_depend_set(r, regs, in->reg, reads);
    if (in->reg != CK_NO_REG)
        regs[in->reg] = old;
    if (in->op == CK_CAS && in->reg2 != CK_NO_REG)
        regs[in->reg2] = zx_from_bool(z, writes, r->t->reg_sizes[in->reg2]);
}

void zx_run_access(struct zx_run *r, struct zx_node *node, const struct ck_instr *in)
{
    struct zx *z = r->z;
    struct zx_val *regs = zx_own_regs(r, node), value = {0}, old = {0}, reads;
    struct zx_val address = zx_eval_expr(z, in->address, regs);
    Z3_ast writes = z->yes;
    struct zx_event e;
    uint32_t first;

    stop_outside(r, node, in, address);
    if (node->guard == z->no)
        return;
    e = new_access(r, node, address);
    if (in->op != CK_LOAD)
        value = zx_eval_expr(z, in->value, regs);
    first = z->n;
    if (in->op != CK_STORE)
        old = read_access(r, &e, regs, &writes);
    reads = zx_depend_reads(r, first);
    if (in->op != CK_LOAD)
        write_access(r, &e, regs, value, old, writes);
    if (in->op != CK_STORE)
        set_results(r, regs, in, old, reads, writes);
}
