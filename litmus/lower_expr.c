/* Lowering of expressions.  Memory accesses are emitted in C's order; what is left is an expression over
 * registers.  Arithmetic follows C: operands narrower than int are widened first, pointers step by the
 * size of what they point to. */
#include "litmus/lower.h"

#include <string.h>

static const struct lt_value no_value = {.expr = CK_NO_EXPR};

static uint32_t add_expr(struct lt_lower *lower, struct ck_expr expr)
{
    if (lower->failed)
        return CK_NO_EXPR;
    uint32_t i = ck_program_add_expr(lower->program, &expr);
    if (i == UINT32_MAX)
        lt_out_of_memory(lower);
    return i;
}

uint32_t lt_const(struct lt_lower *lower, uint64_t value, uint8_t size)
{
    if (size < 8)
        value &= (UINT64_C(1) << 8 * size) - 1;
    return add_expr(lower, (struct ck_expr){.op = CK_CONST, .size = size, .imm = value});
}

uint32_t lt_reg_expr(struct lt_lower *lower, uint32_t reg, uint8_t size)
{
    return add_expr(lower, (struct ck_expr){.op = CK_REG, .size = size, .imm = reg});
}

struct lt_value lt_convert(struct lt_lower *lower, struct lt_value value, uint8_t size, bool is_signed)
{
    if (value.size != size) {
        enum ck_expr_op op = size < value.size ? CK_TRUNC : value.is_signed ? CK_SEXT : CK_ZEXT;
        value.expr = add_expr(lower, (struct ck_expr){.op = op, .size = size, .a = value.expr});
    }
    value.size = size;
    value.is_signed = is_signed;
    value.is_pointer = false;
    return value;
}

struct lt_value lt_read_reg(struct lt_lower *lower, uint32_t reg)
{
    const struct ck_thread *thread = &lower->program->threads[lower->thread];
    struct lt_value v = {.expr = lt_reg_expr(lower, reg, thread->reg_sizes[reg]),
                         .size = thread->reg_sizes[reg],
                         .is_signed = thread->reg_signed[reg]};
    if (reg < lower->reg_capacity && lower->reg_types[reg].is_pointer) {
        v.is_pointer = true;
        v.pointee = lower->reg_types[reg];
        v.pointee.is_pointer = false;
    }
    return v;
}

/* Integer promotion: what is narrower than int becomes int. */
static struct lt_value promote(struct lt_lower *lower, struct lt_value v)
{
    return !v.is_pointer && v.size < 4 ? lt_convert(lower, v, 4, true) : v;
}

static struct lt_value object_pointer(struct lt_lower *lower, uint32_t object, const struct lt_type *type)
{
    struct lt_value v = {.expr = lt_const(lower, CK_OBJECT_BASE(object), 8), .size = 8, .is_pointer = true};
    v.pointee = *type;
    v.pointee.is_pointer = false;
    return v;
}

/* A register, else a parameter that points to a location, else a location, else a new register, which is 0.
 */
static struct lt_value lower_name(struct lt_lower *lower, const struct lt_expr *e)
{
    uint32_t reg = lt_find_reg(lower->program, lower->thread, e->name);
    if (reg != CK_NO_REG)
        return lt_read_reg(lower, reg);
    uint32_t object = lt_find_object(lower->program, e->name);
    const struct lt_param *p = object == UINT32_MAX ? NULL : lt_find_param(lower->ast, e->name);
    if (p)
        return object_pointer(lower, object, &p->type);
    if (object != UINT32_MAX) {
        char name[16];
        lt_lower_fail(lower, e->pos, "litmus.name", "location '%s' is not a parameter of %s", e->name,
                      lt_thread_name(lower->ast, name));
        return no_value;
    }
    struct lt_type type = {.base = lt_find_type("int")};
    reg = lt_add_reg(lower, e->name, &type);
    return lower->failed ? no_value : lt_read_reg(lower, reg);
}

struct lt_value lt_lower_pointer(struct lt_lower *lower, const struct lt_expr *expr)
{
    struct lt_value v = lt_lower_expr(lower, expr);
    if (!lower->failed && !v.is_pointer) {
        lt_lower_fail(lower, expr->pos, "litmus.type", "expected a pointer to a location");
        return no_value;
    }
    return v;
}

static uint8_t plain_attributes(const struct lt_type *type)
{
    return type->is_volatile ? MM_VOLATILE : 0;
}

static struct lt_value value_of(struct lt_lower *lower, uint32_t reg, const struct lt_base_type *base)
{
    return (struct lt_value){
        .expr = lt_reg_expr(lower, reg, base->size), .size = base->size, .is_signed = base->is_signed};
}

struct lt_value lt_plain_load(struct lt_lower *lower, struct lt_pos pos, struct lt_value pointer)
{
    if (lower->failed)
        return no_value;
    const struct lt_base_type *base = pointer.pointee.base;
    uint32_t reg = lt_temp_reg(lower, base->size, base->is_signed);
    lt_emit(lower, pos,
            (struct ck_instr){.op = CK_LOAD,
                              .size = base->size,
                              .attributes = plain_attributes(&pointer.pointee),
                              .reg = reg,
                              .address = pointer.expr});
    return value_of(lower, reg, base);
}

void lt_plain_store(struct lt_lower *lower, struct lt_pos pos, struct lt_value pointer, struct lt_value value)
{
    if (lower->failed)
        return;
    const struct lt_base_type *base = pointer.pointee.base;
    value = lt_convert(lower, value, base->size, base->is_signed);
    lt_emit(lower, pos,
            (struct ck_instr){.op = CK_STORE,
                              .size = base->size,
                              .attributes = plain_attributes(&pointer.pointee),
                              .reg = CK_NO_REG,
                              .address = pointer.expr,
                              .value = value.expr});
}

/* ---- operators ------------------------------------------------------------------------------------ */

static struct lt_value pointer_step(struct lt_lower *lower, struct lt_pos pos, enum lt_operator op,
                                    struct lt_value p, struct lt_value n)
{
    if (op != LT_OP_ADD && op != LT_OP_SUB) {
        lt_lower_fail(lower, pos, "litmus.type", "operator '%s' does not apply to a pointer",
                      lt_operator_text(op));
        return no_value;
    }
    struct lt_value wide = lt_convert(lower, n, 8, true);
    uint32_t size = lt_const(lower, p.pointee.base->size, 8);
    uint32_t bytes = add_expr(lower, (struct ck_expr){.op = CK_MUL, .size = 8, .a = wide.expr, .b = size});
    p.expr = add_expr(
        lower, (struct ck_expr){.op = op == LT_OP_ADD ? CK_ADD : CK_SUB, .size = 8, .a = p.expr, .b = bytes});
    return p;
}

static const struct {
    enum ck_expr_op signed_op, unsigned_op;
    bool swap, compare;
} binary_ops[] = {
    [LT_OP_ADD] = {CK_ADD, CK_ADD, false, false},   [LT_OP_SUB] = {CK_SUB, CK_SUB, false, false},
    [LT_OP_MUL] = {CK_MUL, CK_MUL, false, false},   [LT_OP_DIV] = {CK_SDIV, CK_UDIV, false, false},
    [LT_OP_REM] = {CK_SREM, CK_UREM, false, false}, [LT_OP_AND] = {CK_AND, CK_AND, false, false},
    [LT_OP_OR] = {CK_OR, CK_OR, false, false},      [LT_OP_XOR] = {CK_XOR, CK_XOR, false, false},
    [LT_OP_SHL] = {CK_SHL, CK_SHL, false, false},   [LT_OP_SHR] = {CK_ASHR, CK_LSHR, false, false},
    [LT_OP_EQ] = {CK_EQ, CK_EQ, false, true},       [LT_OP_NE] = {CK_NE, CK_NE, false, true},
    [LT_OP_LT] = {CK_SLT, CK_ULT, false, true},     [LT_OP_LE] = {CK_SLE, CK_ULE, false, true},
    [LT_OP_GT] = {CK_SLT, CK_ULT, true, true},      [LT_OP_GE] = {CK_SLE, CK_ULE, true, true},
};

static struct lt_value truth(struct lt_lower *lower, struct lt_value v)
{
    uint32_t zero = lt_const(lower, 0, v.size);
    return (struct lt_value){
        .expr = add_expr(lower, (struct ck_expr){.op = CK_NE, .size = 4, .a = v.expr, .b = zero}),
        .size = 4,
        .is_signed = true};
}

struct lt_value lt_binary(struct lt_lower *lower, struct lt_pos pos, enum lt_operator op, struct lt_value a,
                          struct lt_value b)
{
    if (lower->failed)
        return no_value;
    if (op == LT_OP_LAND || op == LT_OP_LOR) {
        a = truth(lower, a);
        b = truth(lower, b);
        op = op == LT_OP_LAND ? LT_OP_AND : LT_OP_OR;
    }
    bool compare = binary_ops[op].compare;
    if (a.is_pointer != b.is_pointer) {
        if (b.is_pointer && op != LT_OP_SUB)
            return pointer_step(lower, pos, op, b, a);
        return pointer_step(lower, pos, b.is_pointer ? LT_OP_NONE : op, a, b);
    }
    if (a.is_pointer && !compare) {
        lt_lower_fail(lower, pos, "litmus.type", "operator '%s' does not apply to two pointers",
                      lt_operator_text(op));
        return no_value;
    }
    bool shift = op == LT_OP_SHL || op == LT_OP_SHR;
    a = promote(lower, a);
    b = promote(lower, b);
    uint8_t size = shift || a.size >= b.size ? a.size : b.size;
    bool is_unsigned =
        shift ? !a.is_signed
              : (!a.is_signed && a.size == size) || (!b.is_signed && b.size == size) || a.is_pointer;
    a = lt_convert(lower, a, size, !is_unsigned);
    b = lt_convert(lower, b, size, !is_unsigned);
    enum ck_expr_op code = is_unsigned ? binary_ops[op].unsigned_op : binary_ops[op].signed_op;
    bool swap = binary_ops[op].swap;
    uint32_t expr = add_expr(lower, (struct ck_expr){.op = code,
                                                     .size = compare ? 4 : size,
                                                     .a = swap ? b.expr : a.expr,
                                                     .b = swap ? a.expr : b.expr});
    return (struct lt_value){.expr = expr, .size = compare ? 4 : size, .is_signed = compare || !is_unsigned};
}

static bool has_access(const struct lt_expr *e)
{
    if (!e)
        return false;
    if (e->kind == LT_CALL || e->kind == LT_DEREF || e->kind == LT_INDEX || e->kind == LT_ASSIGNMENT)
        return true;
    return has_access(e->a) || has_access(e->b) || has_access(e->c);
}

static void assign_temp(struct lt_lower *lower, struct lt_pos pos, uint32_t reg, struct lt_value v)
{
    lt_emit(lower, pos, (struct ck_instr){.op = CK_ASSIGN, .size = v.size, .reg = reg, .value = v.expr});
}

/* && and || whose right side reads memory: it is evaluated only if it matters. */
static struct lt_value short_circuit(struct lt_lower *lower, const struct lt_expr *e)
{
    uint32_t reg = lt_temp_reg(lower, 4, true);
    struct lt_value a = truth(lower, lt_lower_expr(lower, e->a));
    if (lower->failed)
        return no_value;
    assign_temp(lower, e->pos, reg, a);
    struct lt_value test = lt_read_reg(lower, reg);
    if (e->op == LT_OP_LOR)
        test.expr = add_expr(lower, (struct ck_expr){.op = CK_LNOT, .size = 4, .a = test.expr});
    uint32_t skip = lt_emit(lower, e->pos, (struct ck_instr){.op = CK_BRANCH, .value = test.expr});
    struct lt_value b = lt_lower_expr(lower, e->b);
    if (lower->failed)
        return no_value;
    assign_temp(lower, e->pos, reg, truth(lower, b));
    lt_patch(lower, skip);
    return lt_read_reg(lower, reg);
}

static struct lt_value lower_select(struct lt_lower *lower, const struct lt_expr *e)
{
    struct lt_value condition = truth(lower, lt_lower_expr(lower, e->a));
    if (lower->failed)
        return no_value;
    if (!has_access(e->b) && !has_access(e->c)) {
        struct lt_value b = promote(lower, lt_lower_expr(lower, e->b));
        struct lt_value c = promote(lower, lt_lower_expr(lower, e->c));
        if (lower->failed)
            return no_value;
        uint8_t size = b.size > c.size ? b.size : c.size;
        bool is_signed = (b.is_signed || b.size < size) && (c.is_signed || c.size < size);
        struct lt_value result = b;
        if (!b.is_pointer || !c.is_pointer) {
            b = result = lt_convert(lower, b, size, is_signed);
            c = lt_convert(lower, c, size, is_signed);
        }
        result.expr = add_expr(
            lower,
            (struct ck_expr){.op = CK_SELECT, .size = size, .a = condition.expr, .b = b.expr, .c = c.expr});
        return result;
    }
    uint32_t reg = lt_temp_reg(lower, 8, true);
    uint32_t to_other = lt_emit(lower, e->pos, (struct ck_instr){.op = CK_BRANCH, .value = condition.expr});
    struct lt_value b = lt_convert(lower, lt_lower_expr(lower, e->b), 8, true);
    assign_temp(lower, e->pos, reg, b);
    uint32_t to_end = lt_emit(lower, e->pos, (struct ck_instr){.op = CK_JUMP});
    lt_patch(lower, to_other);
    struct lt_value c = lt_convert(lower, lt_lower_expr(lower, e->c), 8, true);
    assign_temp(lower, e->pos, reg, c);
    lt_patch(lower, to_end);
    return lower->failed ? no_value : lt_read_reg(lower, reg);
}

static struct lt_value lower_unary(struct lt_lower *lower, const struct lt_expr *e)
{
    struct lt_value a = promote(lower, lt_lower_expr(lower, e->a));
    if (lower->failed)
        return no_value;
    if (e->op == LT_OP_LNOT) {
        a.expr = add_expr(lower, (struct ck_expr){.op = CK_LNOT, .size = 4, .a = a.expr});
        return (struct lt_value){.expr = a.expr, .size = 4, .is_signed = true};
    }
    if (a.is_pointer) {
        lt_lower_fail(lower, e->pos, "litmus.type", "operator '%s' does not apply to a pointer",
                      lt_operator_text(e->op));
        return no_value;
    }
    if (e->op != LT_OP_PLUS)
        a.expr = add_expr(
            lower, (struct ck_expr){.op = e->op == LT_OP_NEG ? CK_NEG : CK_NOT, .size = a.size, .a = a.expr});
    return a;
}

/* ---- atomic functions [CLC 6.15.12] --------------------------------------------------------------- */

static uint8_t call_order(const struct lt_expr *e)
{
    return e->order ? e->order : e->function->order;
}

/* Without a scope the device is meant. */
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
                             .attributes = (uint8_t)(MM_ATOMIC | plain_attributes(&pointer->pointee)),
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .address = pointer->expr};
}

/* Where a compare-exchange finds the expected value: a location, or a register whose address is taken. */
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
        expected->reg = lt_find_reg(lower->program, lower->thread, e->a->name);
        expected->is_reg = expected->reg != CK_NO_REG;
    }
    if (expected->is_reg)
        return lt_read_reg(lower, expected->reg);
    expected->pointer = lt_lower_pointer(lower, e);
    return lt_plain_load(lower, e->pos, expected->pointer);
}

/* Reads *expected, exchanges, and on failure writes the value found to *expected [CLC 6.15.12.7.4]. */
static struct lt_value lower_cas(struct lt_lower *lower, const struct lt_expr *e, struct lt_value pointer)
{
    const struct lt_base_type *base = pointer.pointee.base;
    struct expected where;
    struct lt_value expected = lower_expected(lower, e->b, &where);
    struct lt_value desired = lt_lower_expr(lower, e->c);
    if (lower->failed)
        return no_value;
    expected = lt_convert(lower, expected, base->size, base->is_signed);
    desired = lt_convert(lower, desired, base->size, base->is_signed);
    struct ck_instr cas = access_of(e, CK_CAS, &pointer);
    cas.order_fail = e->order_fail;
    if (!cas.order_fail)
        cas.order_fail = cas.order == MM_ACQ_REL   ? MM_ACQUIRE
                         : cas.order == MM_RELEASE ? MM_RELAXED
                                                   : cas.order;
    cas.weak = e->function->weak;
    cas.reg = lt_temp_reg(lower, base->size, base->is_signed);
    cas.reg2 = lt_temp_reg(lower, 4, true);
    cas.expected = expected.expr;
    cas.value = desired.expr;
    lt_emit(lower, e->pos, cas);
    uint32_t failed =
        add_expr(lower, (struct ck_expr){.op = CK_LNOT, .size = 4, .a = lt_reg_expr(lower, cas.reg2, 4)});
    uint32_t branch = lt_emit(lower, e->pos, (struct ck_instr){.op = CK_BRANCH, .value = failed});
    struct lt_value found = value_of(lower, cas.reg, base);
    if (where.is_reg) {
        struct lt_value old = lt_read_reg(lower, where.reg);
        assign_temp(lower, e->pos, where.reg, lt_convert(lower, found, old.size, old.is_signed));
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
    struct lt_value operand = {.expr = lt_const(lower, 1, 4), .size = 4, .is_signed = true};
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
    struct lt_value old = value_of(lower, rmw.reg, base);
    return flag ? truth(lower, old) : old;
}

static void lower_store(struct lt_lower *lower, const struct lt_expr *e, struct lt_value pointer)
{
    struct lt_value value = {.expr = lt_const(lower, 0, 4), .size = 4, .is_signed = true};
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
        return value_of(lower, load.reg, pointer.pointee.base);
    }
    case LT_F_CAS:
        return lower_cas(lower, e, pointer);
    case LT_F_RMW:
    case LT_F_FLAG_TEST_AND_SET:
        return lower_rmw(lower, e, pointer);
    default:
        lower_store(lower, e, pointer);
        return (struct lt_value){.expr = lt_const(lower, 0, 4), .size = 4, .is_signed = true};
    }
}

static struct lt_value lower_call(struct lt_lower *lower, const struct lt_expr *e)
{
    enum lt_function_kind kind = e->function->kind;
    if (kind == LT_F_BARRIER || kind == LT_F_SUB_GROUP_BARRIER) {
        lt_lower_fail(lower, e->pos, "CLC 6.15.8", "a barrier must be a statement of its own");
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
    return (struct lt_value){.expr = lt_const(lower, 0, 4), .size = 4, .is_signed = true};
}

static struct lt_value lower_const(struct lt_lower *lower, const struct lt_expr *e)
{
    uint64_t limit = e->is_unsigned ? UINT32_MAX : INT32_MAX;
    uint8_t size = e->is_long || e->value > limit ? 8 : 4;
    return (struct lt_value){
        .expr = lt_const(lower, e->value, size), .size = size, .is_signed = !e->is_unsigned};
}

static struct lt_value lower_cast(struct lt_lower *lower, const struct lt_expr *e)
{
    struct lt_value v = lt_lower_expr(lower, e->a);
    if (lower->failed)
        return no_value;
    if (!e->type.is_pointer)
        return lt_convert(lower, v, e->type.base->size, e->type.base->is_signed);
    v = lt_convert(lower, v, 8, false);
    v.is_pointer = true;
    v.pointee = e->type;
    v.pointee.is_pointer = false;
    return v;
}

/* a[b] and *(a + b) are the same. */
static struct lt_value element_pointer(struct lt_lower *lower, const struct lt_expr *e)
{
    struct lt_value base = lt_lower_pointer(lower, e->a);
    struct lt_value index = lt_lower_expr(lower, e->b);
    return lower->failed ? no_value : lt_binary(lower, e->pos, LT_OP_ADD, base, index);
}

static struct lt_value lower_address(struct lt_lower *lower, const struct lt_expr *e)
{
    if (e->a->kind == LT_DEREF)
        return lt_lower_pointer(lower, e->a->a);
    if (e->a->kind == LT_INDEX)
        return element_pointer(lower, e->a);
    /* &x for a parameter x is taken as the location, as x itself is. */
    if (e->a->kind == LT_NAME && lt_find_reg(lower->program, lower->thread, e->a->name) == CK_NO_REG)
        return lt_lower_pointer(lower, e->a);
    lt_lower_fail(lower, e->pos, "litmus.type", "registers have no address");
    return no_value;
}

static struct lt_value noted_load(struct lt_lower *lower, struct lt_pos pos, struct lt_value pointer)
{
    struct lt_value v = lt_plain_load(lower, pos, pointer);
    lt_note_access(lower);
    return v;
}

struct lt_value lt_lower_expr(struct lt_lower *lower, const struct lt_expr *e)
{
    if (lower->failed)
        return no_value;
    switch (e->kind) {
    case LT_CONST:
        return lower_const(lower, e);
    case LT_NAME:
        return lower_name(lower, e);
    case LT_UNARY:
        return lower_unary(lower, e);
    case LT_SELECT:
        return lower_select(lower, e);
    case LT_CAST:
        return lower_cast(lower, e);
    case LT_ADDRESS:
        return lower_address(lower, e);
    case LT_DEREF:
        return noted_load(lower, e->pos, lt_lower_pointer(lower, e->a));
    case LT_INDEX:
        return noted_load(lower, e->pos, element_pointer(lower, e));
    case LT_CALL:
        return lower_call(lower, e);
    case LT_ASSIGNMENT:
        return lt_lower_assignment(lower, e->pos, e->a, e->op, e->b);
    case LT_BINARY:
        break;
    }
    if ((e->op == LT_OP_LAND || e->op == LT_OP_LOR) && has_access(e->b))
        return short_circuit(lower, e);
    uint32_t first = lower->access_count;
    struct lt_value a = lt_lower_expr(lower, e->a);
    uint32_t middle = lower->access_count;
    struct lt_value b = lt_lower_expr(lower, e->b);
    lt_unsequenced(lower, e->pos, first, middle);
    return lt_binary(lower, e->pos, e->op, a, b);
}
