/* Lowering of the filter and the condition: propositions over final registers and memory, and the
 * observed terms of a final state. */
#include "litmus/lower/lower.h"
#include "litmus/parse/ast.h"

#include <string.h>

struct final {
    const struct lt_test *test;
    struct ck_program *program;
    struct mm_error *err;
    bool failed;
};

uint8_t lt_term_size(const struct ck_program *program, const struct ck_term *term)
{
    return term->kind == CK_TERM_REG ? program->threads[term->thread].reg_sizes[term->reg]
                                     : program->objects[term->object].element_size;
}

bool lt_term_is_signed(const struct ck_program *program, const struct ck_term *term)
{
    return term->kind == CK_TERM_REG ? program->threads[term->thread].reg_signed[term->reg]
                                     : program->objects[term->object].is_signed;
}

bool lt_same_term(const struct ck_term *a, const struct ck_term *b)
{
    return a->kind == b->kind && (a->kind == CK_TERM_REG ? a->thread == b->thread && a->reg == b->reg
                                                         : a->object == b->object && a->offset == b->offset);
}

static void final_fail(struct final *f, const struct lt_term *term, const char *what)
{
    if (!f->failed)
        mm_fail_at(f->err, MM_INVALID, "litmus.name", f->test->file, term->pos.line, term->pos.column,
                   "the condition names %s '%s', which the test does not have", what, term->name);
    f->failed = true;
}

static struct ck_term lower_term(struct final *f, const struct lt_term *term)
{
    struct ck_term t = {.kind = CK_TERM_CONST, .value = term->value};
    if (term->kind == LT_TERM_REG) {
        t.kind = CK_TERM_REG;
        if (!lt_find_thread(f->test, term->thread, &t.thread)) {
            final_fail(f, term, "a register of another thread");
            return t;
        }
        t.reg = ck_program_find_reg(f->program, t.thread, term->name);
        if (t.reg == CK_NO_REG)
            final_fail(f, term, "register");
    } else if (term->kind == LT_TERM_LOCATION) {
        t.kind = CK_TERM_MEMORY;
        t.object = ck_program_find_object(f->program, term->name);
        if (t.object == CK_NO_OBJECT) {
            final_fail(f, term, "location");
            return t;
        }
        const struct ck_object *object = &f->program->objects[t.object];
        t.offset = term->index * object->element_size;
        if (t.offset >= object->size)
            final_fail(f, term, "an element outside of");
    }
    return t;
}

static void observe_term(struct final *f, const struct ck_term *term)
{
    if (f->failed || term->kind == CK_TERM_CONST)
        return;
    if (ck_program_add_observed(f->program, term) == CK_NOT_ADDED)
        f->failed = true;
}

static uint32_t add_prop(struct final *f, struct ck_prop prop)
{
    uint32_t i = f->failed ? CK_NO_EXPR : ck_program_add_prop(f->program, &prop);
    f->failed |= i == CK_NOT_ADDED;
    return i;
}

/* Truncates a constant to the size of the value that it is compared with, if it fits as signed or unsigned
 * number:
 * -1 and 0xFFFFFFFF denote the same int and the same uint. */
static void fit_constant(const struct final *f, struct ck_term *constant, const struct ck_term *other)
{
    if (constant->kind != CK_TERM_CONST || other->kind == CK_TERM_CONST || f->failed)
        return;
    uint8_t size = lt_term_size(f->program, other);
    bool is_signed = lt_term_is_signed(f->program, other);
    uint64_t mask = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX, value = constant->value & mask;
    bool fits = value == constant->value || (uint64_t)ck_sign_extend(value, size) == constant->value;
    if (fits)
        constant->value = is_signed ? (uint64_t)ck_sign_extend(value, size) : value;
}

static uint32_t lower_compare(struct final *f, const struct lt_prop *p, bool observed)
{
    static const struct {
        enum ck_expr_op op;
        bool swap;
    } table[] = {[LT_OP_EQ] = {CK_EQ, false},  [LT_OP_NE] = {CK_NE, false}, [LT_OP_LT] = {CK_SLT, false},
                 [LT_OP_LE] = {CK_SLE, false}, [LT_OP_GT] = {CK_SLT, true}, [LT_OP_GE] = {CK_SLE, true}};
    struct ck_term left = lower_term(f, &p->left), right = lower_term(f, &p->right);
    if (p->op == LT_OP_EQ || p->op == LT_OP_NE) {
        fit_constant(f, &left, &right);
        fit_constant(f, &right, &left);
    }
    if (observed) {
        observe_term(f, &left);
        observe_term(f, &right);
    }
    bool swap = table[p->op].swap;
    return add_prop(f, (struct ck_prop){.op = CK_PROP_COMPARE,
                                        .compare = table[p->op].op,
                                        .left = swap ? right : left,
                                        .right = swap ? left : right});
}

static uint32_t lower_prop(struct final *f, const struct lt_prop *p, bool observed)
{
    if (f->failed)
        return CK_NO_EXPR;
    uint32_t a, b;
    switch (p->kind) {
    case LT_PROP_TRUE:
        return add_prop(f, (struct ck_prop){.op = CK_PROP_TRUE});
    case LT_PROP_FALSE:
        a = add_prop(f, (struct ck_prop){.op = CK_PROP_TRUE});
        return add_prop(f, (struct ck_prop){.op = CK_PROP_NOT, .a = a});
    case LT_PROP_NOT:
        a = lower_prop(f, p->a, observed);
        return add_prop(f, (struct ck_prop){.op = CK_PROP_NOT, .a = a});
    case LT_PROP_COMPARE:
        return lower_compare(f, p, observed);
    default:
        a = lower_prop(f, p->a, observed);
        b = lower_prop(f, p->b, observed);
        return add_prop(
            f, (struct ck_prop){.op = p->kind == LT_PROP_AND ? CK_PROP_AND : CK_PROP_OR, .a = a, .b = b});
    }
}

static void observe_prop(struct final *f, uint32_t prop)
{
    const struct ck_prop *p = &f->program->props[prop];
    if (p->op == CK_PROP_COMPARE) {
        const struct ck_term left = p->left, right = p->right;
        observe_term(f, &left);
        observe_term(f, &right);
    } else if (p->op != CK_PROP_TRUE) {
        const uint32_t a = p->a, b = p->b;
        bool pair = p->op == CK_PROP_AND || p->op == CK_PROP_OR;
        observe_prop(f, a);
        if (pair)
            observe_prop(f, b);
    }
}

bool lt_observe_filter(struct ck_program *program)
{
    struct final f = {.program = program};
    if (program->filter != CK_NO_EXPR)
        observe_prop(&f, program->filter);
    return !f.failed;
}

enum mm_class lt_lower_final(const struct lt_test *test, struct ck_program *program, struct mm_error *err)
{
    struct final f = {test, program, err, false};
    program->filter = test->filter ? lower_prop(&f, test->filter, false) : CK_NO_EXPR;
    /* A test with only a filter asks about races: its condition is true. */
    program->quantifier = test->condition ? test->quantifier : CK_FORALL;
    program->condition = test->condition ? lower_prop(&f, test->condition, true)
                                         : add_prop(&f, (struct ck_prop){.op = CK_PROP_TRUE});
    for (const struct lt_observed *o = test->observed; o && !f.failed; o = o->next) {
        struct ck_term term = lower_term(&f, &o->term);
        observe_term(&f, &term);
    }
    if (f.failed && err->cls == MM_OK)
        mm_out_of_memory(err);
    return f.failed ? err->cls : MM_OK;
}
