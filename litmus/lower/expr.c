/* Lowering of expressions.  Memory accesses are emitted in the order of C; the remainder is an expression
 * over registers.  Arithmetic follows C: operands narrower than int are widened first, pointers step by the
 * size of what they point to. */
#include "litmus/lower/lower.h"

#include <string.h>

static const struct lt_value no_value = {.expr = CK_NO_EXPR};

uint32_t lt_add_expr(struct lt_lower *lower, struct ck_expr expr)
{
    if (lower->failed)
        return CK_NO_EXPR;
    uint32_t i = ck_program_add_expr(lower->program, &expr);
    if (i == CK_NOT_ADDED)
        lt_out_of_memory(lower);
    return i;
}

uint32_t lt_const(struct lt_lower *lower, uint64_t value, uint8_t size)
{
    if (size < 8)
        value &= (UINT64_C(1) << 8 * size) - 1;
    return lt_add_expr(lower, (struct ck_expr){.op = CK_CONST, .size = size, .imm = value});
}

struct lt_value lt_int_value(struct lt_lower *lower, int32_t value)
{
    return (struct lt_value){.expr = lt_const(lower, (uint64_t)value, 4), .size = 4, .is_signed = true};
}

uint32_t lt_reg_expr(struct lt_lower *lower, uint32_t reg, uint8_t size)
{
    return lt_add_expr(lower, (struct ck_expr){.op = CK_REG, .size = size, .imm = reg});
}

struct lt_value lt_convert(struct lt_lower *lower, struct lt_value value, uint8_t size, bool is_signed)
{
    if (value.size != size) {
        enum ck_expr_op op = size < value.size ? CK_TRUNC : value.is_signed ? CK_SEXT : CK_ZEXT;
        value.expr = lt_add_expr(lower, (struct ck_expr){.op = op, .size = size, .a = value.expr});
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
    if (reg < lower->reg_count && lower->regs[reg].type.is_pointer) {
        v.is_pointer = true;
        v.pointee = lower->regs[reg].type;
        v.pointee.is_pointer = false;
    }
    return v;
}

/* Integer promotion: types narrower than int become int. */
static struct lt_value promote_integer(struct lt_lower *lower, struct lt_value v)
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

/* A register, else a parameter that points to a location, else a location, else a new register, which is
 * 0. */
static struct lt_value lower_name(struct lt_lower *lower, const struct lt_expr *e)
{
    uint32_t reg = ck_program_find_reg(lower->program, lower->thread, e->name);
    if (reg != CK_NO_REG && lower->regs[reg].depth == LT_CLOSED)
        lt_lower_fail(lower, e->pos, "litmus.name", "register '%s' is declared in a block that has ended",
                      e->name);
    if (reg != CK_NO_REG)
        return lt_read_reg(lower, reg);
    uint32_t object = ck_program_find_object(lower->program, e->name);
    const struct lt_param *p = object == CK_NO_OBJECT ? NULL : lt_find_param(lower->ast, e->name);
    if (p)
        return object_pointer(lower, object, &p->type);
    if (object != CK_NO_OBJECT) {
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

uint8_t lt_plain_attributes(const struct lt_type *type)
{
    return type->is_volatile ? MM_VOLATILE : 0;
}

struct lt_value lt_value_of(struct lt_lower *lower, uint32_t reg, const struct lt_base_type *base)
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
                              .attributes = lt_plain_attributes(&pointer.pointee),
                              .reg = reg,
                              .address = pointer.expr});
    return lt_value_of(lower, reg, base);
}

void lt_plain_store(struct lt_lower *lower, struct lt_pos pos, struct lt_value pointer, struct lt_value value)
{
    if (lower->failed)
        return;
    const struct lt_base_type *base = pointer.pointee.base;
    value = lt_convert_to(lower, value, base);
    lt_emit(lower, pos,
            (struct ck_instr){.op = CK_STORE,
                              .size = base->size,
                              .attributes = lt_plain_attributes(&pointer.pointee),
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
    uint32_t bytes = lt_add_expr(lower, (struct ck_expr){.op = CK_MUL, .size = 8, .a = wide.expr, .b = size});
    p.expr = lt_add_expr(
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

struct lt_value lt_truth(struct lt_lower *lower, struct lt_value v)
{
    uint32_t zero = lt_const(lower, 0, v.size);
    return (struct lt_value){
        .expr = lt_add_expr(lower, (struct ck_expr){.op = CK_NE, .size = 4, .a = v.expr, .b = zero}),
        .size = 4,
        .is_signed = true};
}

struct lt_value lt_convert_to(struct lt_lower *lower, struct lt_value value, const struct lt_base_type *base)
{
    if (base == lt_find_type("bool") && !lower->failed)
        value = lt_truth(lower, value);
    return lt_convert(lower, value, base->size, base->is_signed);
}

/* The usual arithmetic conversions of A and B [C11 6.3.1.8]; returns whether the common type is
 * unsigned. */
static bool balance_operands(struct lt_lower *lower, struct lt_value *a, struct lt_value *b)
{
    *a = promote_integer(lower, *a);
    *b = promote_integer(lower, *b);
    uint8_t size = a->size >= b->size ? a->size : b->size;
    bool is_unsigned = (!a->is_signed && a->size == size) || (!b->is_signed && b->size == size);
    *a = lt_convert(lower, *a, size, !is_unsigned);
    *b = lt_convert(lower, *b, size, !is_unsigned);
    return is_unsigned;
}

struct lt_value lt_binary(struct lt_lower *lower, struct lt_pos pos, enum lt_operator op, struct lt_value a,
                          struct lt_value b)
{
    if (lower->failed)
        return no_value;
    if (op == LT_OP_LAND || op == LT_OP_LOR) {
        a = lt_truth(lower, a);
        b = lt_truth(lower, b);
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
    bool is_unsigned;
    if (op == LT_OP_SHL || op == LT_OP_SHR) {
        /* Only the low bits of the right side count; the type is that of the left side [CLC 6.5]. */
        a = promote_integer(lower, a);
        b = lt_convert(lower, b, a.size, false);
        uint32_t mask = lt_const(lower, 8 * a.size - 1u, a.size);
        b.expr = lt_add_expr(lower, (struct ck_expr){.op = CK_AND, .size = a.size, .a = b.expr, .b = mask});
        is_unsigned = !a.is_signed;
    } else {
        is_unsigned = balance_operands(lower, &a, &b);
    }
    uint8_t size = a.size;
    enum ck_expr_op code = is_unsigned ? binary_ops[op].unsigned_op : binary_ops[op].signed_op;
    bool swap = binary_ops[op].swap;
    uint32_t expr = lt_add_expr(lower, (struct ck_expr){.op = code,
                                                        .size = compare ? 4 : size,
                                                        .a = swap ? b.expr : a.expr,
                                                        .b = swap ? a.expr : b.expr});
    return (struct lt_value){.expr = expr, .size = compare ? 4 : size, .is_signed = compare || !is_unsigned};
}

bool lt_has_access(const struct lt_expr *e)
{
    return e &&
           (e->kind == LT_CALL || e->kind == LT_DEREF || e->kind == LT_INDEX || e->kind == LT_ASSIGNMENT ||
            lt_has_access(e->a) || lt_has_access(e->b) || lt_has_access(e->c));
}

void lt_assign_temp(struct lt_lower *lower, struct lt_pos pos, uint32_t reg, struct lt_value v)
{
    lt_emit(lower, pos, (struct ck_instr){.op = CK_ASSIGN, .size = v.size, .reg = reg, .value = v.expr});
}

/* && and || with memory reads on the right side, which is evaluated only if the left side requires it. */
static struct lt_value short_circuit(struct lt_lower *lower, const struct lt_expr *e)
{
    uint32_t reg = lt_temp_reg(lower, 4, true);
    struct lt_value a = lt_truth(lower, lt_lower_expr(lower, e->a));
    if (lower->failed)
        return no_value;
    lt_assign_temp(lower, e->pos, reg, a);
    struct lt_value test = lt_read_reg(lower, reg);
    if (e->op == LT_OP_LOR)
        test.expr = lt_add_expr(lower, (struct ck_expr){.op = CK_LNOT, .size = 4, .a = test.expr});
    uint32_t skip = lt_emit(lower, e->pos, (struct ck_instr){.op = CK_BRANCH, .value = test.expr});
    struct lt_value b = lt_lower_expr(lower, e->b);
    if (lower->failed)
        return no_value;
    lt_assign_temp(lower, e->pos, reg, lt_truth(lower, b));
    lt_patch(lower, skip);
    return lt_read_reg(lower, reg);
}

/* One side of a selection, kept in a register as its accesses are under a branch. */
static struct lt_value keep_in_register(struct lt_lower *lower, const struct lt_expr *e)
{
    struct lt_value v = lt_lower_expr(lower, e);
    if (lower->failed)
        return no_value;
    uint32_t reg = lt_temp_reg(lower, v.size, v.is_signed);
    lt_assign_temp(lower, e->pos, reg, v);
    v.expr = lt_reg_expr(lower, reg, v.size);
    return v;
}

static struct lt_value lower_select(struct lt_lower *lower, const struct lt_expr *e)
{
    struct lt_value condition = lt_truth(lower, lt_lower_expr(lower, e->a)), b, c;
    if (lower->failed)
        return no_value;
    if (!lt_has_access(e->b) && !lt_has_access(e->c)) {
        b = lt_lower_expr(lower, e->b);
        c = lt_lower_expr(lower, e->c);
    } else {
        uint32_t reg = lt_temp_reg(lower, condition.size, true);
        lt_assign_temp(lower, e->pos, reg, condition);
        condition = lt_read_reg(lower, reg);
        uint32_t to_other =
            lt_emit(lower, e->pos, (struct ck_instr){.op = CK_BRANCH, .value = condition.expr});
        b = keep_in_register(lower, e->b);
        uint32_t to_end = lt_emit(lower, e->pos, (struct ck_instr){.op = CK_JUMP});
        lt_patch(lower, to_other);
        c = keep_in_register(lower, e->c);
        lt_patch(lower, to_end);
    }
    if (lower->failed)
        return no_value;
    struct lt_value result = b;
    if (!b.is_pointer || !c.is_pointer) {
        balance_operands(lower, &b, &c);
        result = b;
    }
    result.expr = lt_add_expr(
        lower, (struct ck_expr){
                   .op = CK_SELECT, .size = result.size, .a = condition.expr, .b = b.expr, .c = c.expr});
    return result;
}

static struct lt_value lower_unary(struct lt_lower *lower, const struct lt_expr *e)
{
    struct lt_value a = promote_integer(lower, lt_lower_expr(lower, e->a));
    if (lower->failed)
        return no_value;
    if (e->op == LT_OP_LNOT) {
        a.expr = lt_add_expr(lower, (struct ck_expr){.op = CK_LNOT, .size = 4, .a = a.expr});
        return (struct lt_value){.expr = a.expr, .size = 4, .is_signed = true};
    }
    if (a.is_pointer) {
        lt_lower_fail(lower, e->pos, "litmus.type", "operator '%s' does not apply to a pointer",
                      lt_operator_text(e->op));
        return no_value;
    }
    if (e->op != LT_OP_PLUS)
        a.expr = lt_add_expr(
            lower, (struct ck_expr){.op = e->op == LT_OP_NEG ? CK_NEG : CK_NOT, .size = a.size, .a = a.expr});
    return a;
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
        return lt_convert_to(lower, v, e->type.base);
    v = lt_convert(lower, v, 8, false);
    v.is_pointer = true;
    v.pointee = e->type;
    v.pointee.is_pointer = false;
    return v;
}

/* a[b] is *(a + b). */
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
    if (e->a->kind == LT_NAME && ck_program_find_reg(lower->program, lower->thread, e->a->name) == CK_NO_REG)
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
        return lt_lower_atomic(lower, e);
    case LT_ASSIGNMENT:
        return lt_lower_assignment(lower, e->pos, e->a, e->op, e->b);
    case LT_BINARY:
        break;
    }
    if ((e->op == LT_OP_LAND || e->op == LT_OP_LOR) && lt_has_access(e->b))
        return short_circuit(lower, e);
    uint32_t first = lower->access_count;
    struct lt_value a = lt_lower_expr(lower, e->a);
    uint32_t middle = lower->access_count;
    struct lt_value b = lt_lower_expr(lower, e->b);
    lt_unsequenced(lower, e->pos, first, middle);
    return lt_binary(lower, e->pos, e->op, a, b);
}
