/* Lowering of calls: atomic functions and fences [CLC 6.15.12]. */
#include "litmus/lower/lower.h"

static const struct lt_value no_value = {.expr = CK_NO_EXPR};

static uint8_t call_order(const struct lt_expr *e)
{
    return e->order ? e->order : e->function->order;
}

/* The default scope is device. */
static uint8_t call_scope(const struct lt_expr *e)
{
    return e->scope ? e->scope : MM_SCOPE_DEVICE;
}

static void check_order(struct lt_lower *lower, const struct lt_expr *e)
{
    uint8_t order = call_order(e);
    enum lt_function_kind kind = e->function->kind;
    bool load_only = kind == LT_F_LOAD, store_only = kind == LT_F_STORE || kind == LT_F_FLAG_CLEAR;
    if (load_only && (order == MM_RELEASE || order == MM_ACQ_REL))
        lt_lower_fail(lower, e->pos, "CLC 6.15.12.7.2", "an atomic load cannot have %s",
                      lt_order_text(order));
    if (store_only && (order == MM_ACQUIRE || order == MM_ACQ_REL))
        lt_lower_fail(lower, e->pos, "CLC 6.15.12.7.1", "an atomic store cannot have %s",
                      lt_order_text(order));
    if (kind == LT_F_CAS && (e->order_fail == MM_RELEASE || e->order_fail == MM_ACQ_REL))
        lt_lower_fail(lower, e->pos, "CLC 6.15.12.7.4", "a failing compare-exchange cannot have %s",
                      lt_order_text(e->order_fail));
}

static struct ck_instr access_of(const struct lt_expr *e, enum ck_op op, const struct lt_value *pointer)
{
    return (struct ck_instr){.op = op,
                             .size = pointer->pointee.base->size,
                             .order = call_order(e),
                             .scope = call_scope(e),
                             .attributes = (uint8_t)(MM_ATOMIC | lt_plain_attributes(&pointer->pointee)),
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .address = pointer->expr};
}

/* The expected value of a compare-exchange: in a location, or in a register whose address is taken. */
struct expected {
    bool is_reg;
    uint32_t reg;
    struct lt_value pointer;
};

static struct lt_value lower_expected(struct lt_lower *lower, const struct lt_expr *e,
                                      struct expected *expected)
{
    expected->is_reg = false;
    if (e->kind == LT_ADDRESS && e->a->kind == LT_NAME) {
        expected->reg = ck_program_find_reg(lower->program, lower->thread, e->a->name);
        expected->is_reg = expected->reg != CK_NO_REG;
    }
    if (expected->is_reg)
        return lt_read_reg(lower, expected->reg);
    expected->pointer = lt_lower_pointer(lower, e);
    return lt_plain_load(lower, e->pos, expected->pointer);
}

/* A compare-exchange of what EXPECTED is with the call's value. */
static struct ck_instr lower_exchange(struct lt_lower *lower, const struct lt_expr *e,
                                      struct lt_value pointer, struct lt_value expected)
{
    const struct lt_base_type *base = pointer.pointee.base;
    struct lt_value desired = lt_lower_expr(lower, e->c);
    struct ck_instr cas = access_of(e, CK_CAS, &pointer);
    if (lower->failed)
        return cas;
    cas.order_fail = e->order_fail;
    if (!cas.order_fail)
        cas.order_fail = cas.order == MM_ACQ_REL   ? MM_ACQUIRE
                         : cas.order == MM_RELEASE ? MM_RELAXED
                                                   : cas.order;
    cas.weak = e->function->weak;
    cas.reg = lt_temp_reg(lower, base->size, base->is_signed);
    cas.reg2 = lt_temp_reg(lower, 4, true);
    cas.expected = lt_convert_to(lower, expected, base).expr;
    cas.value = lt_convert_to(lower, desired, base).expr;
    lt_emit(lower, e->pos, cas);
    return cas;
}

/* Reads *expected, exchanges, and on failure writes the read value to *expected [CLC 6.15.12.7.4]. */
static struct lt_value lower_cas(struct lt_lower *lower, const struct lt_expr *e, struct lt_value pointer)
{
    const struct lt_base_type *base = pointer.pointee.base;
    struct expected where;
    struct lt_value expected = lower_expected(lower, e->b, &where);
    struct ck_instr cas = lower_exchange(lower, e, pointer, expected);
    if (lower->failed)
        return no_value;
    uint32_t failed =
        lt_add_expr(lower, (struct ck_expr){.op = CK_LNOT, .size = 4, .a = lt_reg_expr(lower, cas.reg2, 4)});
    uint32_t branch = lt_emit(lower, e->pos, (struct ck_instr){.op = CK_BRANCH, .value = failed});
    struct lt_value found = lt_value_of(lower, cas.reg, base);
    if (where.is_reg) {
        struct lt_value old = lt_read_reg(lower, where.reg);
        lt_assign_temp(lower, e->pos, where.reg, lt_convert(lower, found, old.size, old.is_signed));
    } else {
        lt_plain_store(lower, e->b->pos, where.pointer, found);
    }
    lt_patch(lower, branch);
    return lower->failed ? no_value : lt_read_reg(lower, cas.reg2);
}

static struct lt_value lower_rmw(struct lt_lower *lower, const struct lt_expr *e, struct lt_value pointer)
{
    const struct lt_base_type *base = pointer.pointee.base;
    bool flag = e->function->kind == LT_F_FLAG_TEST_AND_SET;
    struct lt_value operand = lt_int_value(lower, 1);
    if (!flag)
        operand = lt_lower_expr(lower, e->c);
    if (lower->failed)
        return no_value;
    operand = lt_convert(lower, operand, base->size, base->is_signed);
    struct ck_instr rmw = access_of(e, CK_RMW, &pointer);
    rmw.rmw = e->function->rmw;
    if (!base->is_signed && (rmw.rmw == CK_RMW_SMIN || rmw.rmw == CK_RMW_SMAX))
        rmw.rmw = rmw.rmw == CK_RMW_SMIN ? CK_RMW_UMIN : CK_RMW_UMAX;
    rmw.reg = lt_temp_reg(lower, base->size, base->is_signed);
    rmw.value = operand.expr;
    lt_emit(lower, e->pos, rmw);
    struct lt_value old = lt_value_of(lower, rmw.reg, base);
    return flag ? lt_truth(lower, old) : old;
}

static void lower_store(struct lt_lower *lower, const struct lt_expr *e, struct lt_value pointer)
{
    struct lt_value value = lt_int_value(lower, 0);
    if (e->function->kind != LT_F_FLAG_CLEAR)
        value = lt_lower_expr(lower, e->c);
    if (lower->failed)
        return;
    if (e->function->kind == LT_F_INIT) {
        lt_plain_store(lower, e->pos, pointer, value);
        return;
    }
    const struct lt_base_type *base = pointer.pointee.base;
    struct ck_instr store = access_of(e, CK_STORE, &pointer);
    store.value = lt_convert(lower, value, base->size, base->is_signed).expr;
    lt_emit(lower, e->pos, store);
}

static struct lt_value lower_access(struct lt_lower *lower, const struct lt_expr *e)
{
    check_order(lower, e);
    struct lt_value pointer = lt_lower_pointer(lower, e->a);
    if (lower->failed)
        return no_value;
    switch (e->function->kind) {
    case LT_F_LOAD: {
        struct ck_instr load = access_of(e, CK_LOAD, &pointer);
        load.reg = lt_temp_reg(lower, load.size, pointer.pointee.base->is_signed);
        lt_emit(lower, e->pos, load);
        return lt_value_of(lower, load.reg, pointer.pointee.base);
    }
    case LT_F_CAS:
        return lower_cas(lower, e, pointer);
    case LT_F_CMPXCHG: {
        struct ck_instr cas = lower_exchange(lower, e, pointer, lt_lower_expr(lower, e->b));
        return lower->failed ? no_value : lt_value_of(lower, cas.reg, pointer.pointee.base);
    }
    case LT_F_RMW:
    case LT_F_FLAG_TEST_AND_SET:
        return lower_rmw(lower, e, pointer);
    default:
        lower_store(lower, e, pointer);
        return lt_int_value(lower, 0);
    }
}

struct lt_value lt_lower_atomic(struct lt_lower *lower, const struct lt_expr *e)
{
    enum lt_function_kind kind = e->function->kind;
    if (kind == LT_F_BARRIER || kind == LT_F_SUB_GROUP_BARRIER) {
        lt_lower_fail(lower, e->pos, "CLC 6.15.8", "a barrier must be a separate statement");
        return no_value;
    }
    if (kind != LT_F_FENCE)
        return lower_access(lower, e);
    bool legacy = !e->order;
    lt_emit(lower, e->pos,
            (struct ck_instr){.op = CK_FENCE,
                              .order = call_order(e),
                              .scope = legacy && !e->scope ? MM_SCOPE_WORK_GROUP : call_scope(e),
                              .fence_flags = e->flags,
                              .reg = CK_NO_REG});
    return lt_int_value(lower, 0);
}
