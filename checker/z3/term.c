/* Formulas and values: a layer over Z3 that folds constants. */
#include "checker/z3/internal.h"

#include <stdarg.h>
#include <stdio.h>

void zx_stop(struct zx *z, enum mm_class cls, const char *rule, const char *format, ...)
{
    char text[sizeof z->failure.err->message];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    z->failure.cls = mm_fail(z->failure.err, cls, rule, "%s", text);
    longjmp(z->failure.stop, 1);
}

void zx_require(struct zx *z, bool memory)
{
    if (!memory)
        zx_stop(z, MM_LIMIT, "memory", "out of memory");
}

void *zx_alloc(struct zx *z, size_t count, size_t size)
{
    void *p = NULL;

    if (size == 0 || count < SIZE_MAX / 2 / size)
        p = mm_arena_alloc(z->arena, count * size + 1);
    zx_require(z, p);
    return p;
}

/* ---- formulas --------------------------------------------------------------------------------- */

Z3_ast zx_keep(struct zx *z, Z3_ast a)
{
    if (!a)
        zx_stop(z, MM_LIMIT, "z3", "Z3 has run out of memory or failed: %s",
                Z3_get_error_msg(z->c, Z3_get_error_code(z->c)));
    if (z->limits.budget-- == 0)
        zx_stop(z, MM_LIMIT, "z3", "the encoding has too many formulas");
    if ((z->limits.budget & 1023) == 0 && !zx_in_time(z)) {
        struct mm_error why = zx_time_limit(z);
        zx_stop(z, MM_LIMIT, why.rule, "%s", why.message);
    }
    return a;
}

Z3_ast zx_not(struct zx *z, Z3_ast a)
{
    if (a == z->yes)
        return z->no;
    if (a == z->no)
        return z->yes;
    return zx_keep(z, Z3_mk_not(z->c, a));
}

Z3_ast zx_and(struct zx *z, Z3_ast a, Z3_ast b)
{
    if (a == z->no || b == z->no)
        return z->no;
    if (a == z->yes || a == b)
        return b;
    if (b == z->yes)
        return a;
    return zx_keep(z, Z3_mk_and(z->c, 2, (Z3_ast[]){a, b}));
}

Z3_ast zx_or(struct zx *z, Z3_ast a, Z3_ast b)
{
    if (a == z->yes || b == z->yes)
        return z->yes;
    if (a == z->no || a == b)
        return b;
    if (b == z->no)
        return a;
    return zx_keep(z, Z3_mk_or(z->c, 2, (Z3_ast[]){a, b}));
}

/* Drops UNIT; returns how many terms are left, or ZX_NONE where ZERO is among them. */
static uint32_t compact_terms(uint32_t count, Z3_ast *terms, Z3_ast unit, Z3_ast zero)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (terms[i] == zero)
            return ZX_NONE;
        if (terms[i] != unit)
            terms[kept++] = terms[i];
    }
    return kept;
}

Z3_ast zx_and_n(struct zx *z, uint32_t count, Z3_ast *terms)
{
    uint32_t kept = compact_terms(count, terms, z->yes, z->no);

    if (kept == ZX_NONE)
        return z->no;
    if (kept == 0)
        return z->yes;
    return kept == 1 ? terms[0] : zx_keep(z, Z3_mk_and(z->c, kept, terms));
}

Z3_ast zx_or_n(struct zx *z, uint32_t count, Z3_ast *terms)
{
    uint32_t kept = compact_terms(count, terms, z->no, z->yes);

    if (kept == ZX_NONE)
        return z->yes;
    if (kept == 0)
        return z->no;
    return kept == 1 ? terms[0] : zx_keep(z, Z3_mk_or(z->c, kept, terms));
}

Z3_ast zx_implies(struct zx *z, Z3_ast a, Z3_ast b)
{
    return zx_or(z, zx_not(z, a), b);
}

Z3_ast zx_iff(struct zx *z, Z3_ast a, Z3_ast b)
{
    if (a == z->yes)
        return b;
    if (b == z->yes)
        return a;
    if (a == z->no)
        return zx_not(z, b);
    if (b == z->no)
        return zx_not(z, a);
    return zx_keep(z, Z3_mk_iff(z->c, a, b));
}

Z3_ast zx_fresh_bool(struct zx *z, const char *name)
{
    return zx_keep(z, Z3_mk_fresh_const(z->c, name, z->bool_sort));
}

void zx_assert(struct zx *z, Z3_ast a)
{
    if (a == z->yes)
        return;
    zx_append(z, &z->hard.list, &z->hard.count, &a);
}

/* ---- values ------------------------------------------------------------------------------------ */

static uint64_t size_mask(uint8_t size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

static int64_t as_signed(uint64_t k, uint8_t size)
{
    uint64_t sign = UINT64_C(1) << (8 * size - 1);

    return (int64_t)((k ^ sign) - sign);
}

struct zx_val zx_number(uint64_t k, uint8_t size)
{
    return (struct zx_val){.t = NULL, .k = k & size_mask(size), .size = size};
}

static struct zx_val sized_term(struct zx *z, Z3_ast t, uint8_t size)
{
    return (struct zx_val){.t = zx_keep(z, t), .size = size};
}

struct zx_val zx_fresh(struct zx *z, const char *name, uint8_t size)
{
    return sized_term(z, Z3_mk_fresh_const(z->c, name, z->sorts[size]), size);
}

Z3_ast zx_bits(struct zx *z, struct zx_val v)
{
    return v.t ? v.t : zx_keep(z, Z3_mk_unsigned_int64(z->c, v.k, z->sorts[v.size]));
}

static bool same_terms(struct zx_val a, struct zx_val b)
{
    return a.t == b.t && (a.t || a.k == b.k);
}

Z3_ast zx_equal(struct zx *z, struct zx_val a, struct zx_val b)
{
    if (same_terms(a, b))
        return z->yes;
    if (!a.t && !b.t)
        return z->no;
    if (a.truth && !b.t)
        return b.k == 0 ? zx_not(z, a.truth) : b.k == 1 ? a.truth : z->no;
    if (b.truth && !a.t)
        return zx_equal(z, b, a);
    return zx_keep(z, Z3_mk_eq(z->c, zx_bits(z, a), zx_bits(z, b)));
}

Z3_ast zx_nonzero(struct zx *z, struct zx_val a)
{
    return zx_not(z, zx_equal(z, a, zx_number(0, a.size)));
}

Z3_ast zx_less(struct zx *z, struct zx_val a, struct zx_val b, bool is_signed, bool or_equal)
{
    Z3_ast x, y;

    if (same_terms(a, b))
        return or_equal ? z->yes : z->no;
    if (!a.t && !b.t) {
        bool less = is_signed ? as_signed(a.k, a.size) < as_signed(b.k, b.size) : a.k < b.k;
        return less ? z->yes : z->no;
    }
    x = zx_bits(z, a);
    y = zx_bits(z, b);
    if (is_signed)
        return zx_keep(z, or_equal ? Z3_mk_bvsle(z->c, x, y) : Z3_mk_bvslt(z->c, x, y));
    return zx_keep(z, or_equal ? Z3_mk_bvule(z->c, x, y) : Z3_mk_bvult(z->c, x, y));
}

struct zx_val zx_ite(struct zx *z, Z3_ast c, struct zx_val a, struct zx_val b)
{
    if (c == z->yes || same_terms(a, b))
        return a;
    if (c == z->no)
        return b;
    return sized_term(z, Z3_mk_ite(z->c, c, zx_bits(z, a), zx_bits(z, b)), a.size);
}

struct zx_val zx_from_bool(struct zx *z, Z3_ast a, uint8_t size)
{
    struct zx_val v = zx_ite(z, a, zx_number(1, size), zx_number(0, size));

    if (v.t)
        v.truth = a;
    return v;
}

struct zx_val zx_resize(struct zx *z, struct zx_val a, uint8_t size, bool is_signed)
{
    if (a.size == size)
        return a;
    if (!a.t)
        return zx_number(is_signed && size > a.size ? (uint64_t)as_signed(a.k, a.size) : a.k, size);
    if (a.truth && (!is_signed || size < a.size))
        return zx_from_bool(z, a.truth, size);
    if (size < a.size)
        return sized_term(z, Z3_mk_extract(z->c, 8U * size - 1, 0, a.t), size);
    return sized_term(z,
                      is_signed ? Z3_mk_sign_ext(z->c, 8U * (size - a.size), a.t)
                                : Z3_mk_zero_ext(z->c, 8U * (size - a.size), a.t),
                      size);
}

typedef Z3_ast binary_fn(Z3_context, Z3_ast, Z3_ast);

static binary_fn *const binary_functions[] = {
    [CK_ADD] = Z3_mk_bvadd,   [CK_SUB] = Z3_mk_bvsub,   [CK_MUL] = Z3_mk_bvmul,   [CK_UDIV] = Z3_mk_bvudiv,
    [CK_SDIV] = Z3_mk_bvsdiv, [CK_UREM] = Z3_mk_bvurem, [CK_SREM] = Z3_mk_bvsrem, [CK_AND] = Z3_mk_bvand,
    [CK_OR] = Z3_mk_bvor,     [CK_XOR] = Z3_mk_bvxor,   [CK_SHL] = Z3_mk_bvshl,   [CK_LSHR] = Z3_mk_bvlshr,
    [CK_ASHR] = Z3_mk_bvashr,
};

struct zx_val zx_binary(struct zx *z, enum ck_expr_op op, struct zx_val a, struct zx_val b)
{
    if (op >= CK_SHL && op <= CK_ASHR && b.size != a.size) {
        /* A count that does not fit the operand's size is at least its width: saturate. */
        if (b.size > a.size) {
            Z3_ast fits = zx_less(z, b, zx_number(8U * a.size, b.size), false, false);
            b = zx_ite(z, fits, zx_resize(z, b, a.size, false), zx_number(8U * a.size, a.size));
        } else {
            b = zx_resize(z, b, a.size, false);
        }
    }
    if (!a.t && !b.t)
        return zx_number(ck_evaluate(op, a.k, b.k, a.size), a.size);
    if (!b.t && b.k == 0 && (op == CK_ADD || op == CK_SUB || op == CK_OR || op == CK_XOR))
        return a;
    if (!a.t && a.k == 0 && (op == CK_ADD || op == CK_OR || op == CK_XOR))
        return b;
    if (((!a.t && a.k == 0) || (!b.t && b.k == 0)) && (op == CK_MUL || op == CK_AND))
        return zx_number(0, a.size);
    if (!b.t && b.k == 1 && op == CK_MUL)
        return a;
    if (a.t == b.t && (op == CK_SUB || op == CK_XOR))
        return zx_number(0, a.size);
    return sized_term(z, binary_functions[op](z->c, zx_bits(z, a), zx_bits(z, b)), a.size);
}

static struct zx_val comparison_term(struct zx *z, const struct ck_expr *e, struct zx_val a, struct zx_val b)
{
    Z3_ast r;

    if (e->op == CK_EQ || e->op == CK_NE)
        r = zx_equal(z, a, b);
    else
        r = zx_less(z, a, b, e->op == CK_SLT || e->op == CK_SLE, e->op == CK_ULE || e->op == CK_SLE);
    return zx_from_bool(z, e->op == CK_NE ? zx_not(z, r) : r, e->size);
}

struct zx_val zx_eval_expr(struct zx *z, uint32_t expr, const struct zx_val *regs)
{
    const struct ck_expr *e = &z->p->exprs[expr];
    struct zx_val a;

    if (e->op == CK_CONST)
        return zx_number(e->imm, e->size);
    if (e->op == CK_REG)
        return regs[e->imm];
    a = zx_eval_expr(z, e->a, regs);
    switch (e->op) {
    case CK_NOT:
        return a.t ? sized_term(z, Z3_mk_bvnot(z->c, a.t), a.size) : zx_number(~a.k, a.size);
    case CK_NEG:
        return a.t ? sized_term(z, Z3_mk_bvneg(z->c, a.t), a.size) : zx_number(0 - a.k, a.size);
    case CK_LNOT:
        return zx_from_bool(z, zx_equal(z, a, zx_number(0, a.size)), e->size);
    case CK_ZEXT:
    case CK_TRUNC:
        return zx_resize(z, a, e->size, false);
    case CK_SEXT:
        return zx_resize(z, a, e->size, true);
    case CK_APPLY1:
    case CK_APPLY2:
    case CK_APPLY3: {
        struct zx_val arguments[3] = {a};

        if (ck_expr_operands(e->op) > 1)
            arguments[1] = zx_eval_expr(z, e->b, regs);
        if (ck_expr_operands(e->op) > 2)
            arguments[2] = zx_eval_expr(z, e->c, regs);
        return zx_apply(z, (uint32_t)e->imm, ck_expr_operands(e->op), arguments, e->size);
    }
    case CK_SELECT:
        return zx_ite(z, zx_nonzero(z, a), zx_eval_expr(z, e->b, regs), zx_eval_expr(z, e->c, regs));
    default:
        break;
    }
    if (e->op >= CK_EQ && e->op <= CK_SLE)
        return comparison_term(z, e, a, zx_eval_expr(z, e->b, regs));
    return zx_binary(z, e->op, a, zx_eval_expr(z, e->b, regs));
}
