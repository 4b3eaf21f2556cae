/* Validation of programs, on which every engine relies. */
#include "checker/program/program.h"

#include <string.h>

struct check {
    const struct ck_program *p;
    struct mm_error *err;
    const struct ck_thread *thread;
    const struct ck_instr *instr;
    uint8_t *seen; /* expressions already checked for this thread */
};

#define BAD(c, ...)                                                                                          \
    mm_fail_at((c)->err, MM_INVALID, "program", (c)->p->file, (c)->instr ? (c)->instr->line : 0,             \
               (c)->instr ? (c)->instr->column : 0, __VA_ARGS__)

static bool is_access_size(unsigned size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Number of operands; -1 for an unknown operation. */
static int operand_count(enum ck_expr_op op)
{
    return (int)op < CK_CONST || op > CK_APPLY3 ? -1 : (int)ck_expr_operands(op);
}

static bool sizes_agree(const struct ck_program *p, const struct ck_expr *e)
{
    const struct ck_expr *a = &p->exprs[e->a], *b = &p->exprs[e->b], *s = &p->exprs[e->c];

    switch (e->op) {
    case CK_CONST:
    case CK_REG:
    case CK_LNOT:
    case CK_APPLY1:
    case CK_APPLY2:
    case CK_APPLY3:
        return true;
    case CK_SHL:
    case CK_LSHR:
    case CK_ASHR:
    case CK_NOT:
    case CK_NEG:
        return a->size == e->size;
    case CK_EQ:
    case CK_NE:
    case CK_ULT:
    case CK_ULE:
    case CK_SLT:
    case CK_SLE:
        return a->size == b->size;
    case CK_ZEXT:
    case CK_SEXT:
        return e->size >= a->size;
    case CK_TRUNC:
        return e->size <= a->size;
    case CK_SELECT:
        return b->size == e->size && s->size == e->size;
    default:
        return a->size == e->size && b->size == e->size;
    }
}

/* Operands precede their uses, so the expression graph is acyclic. */
static enum mm_class check_exprs(struct check *c)
{
    for (uint32_t i = 0; i < c->p->expr_count; i++) {
        const struct ck_expr *e = &c->p->exprs[i];
        int n = operand_count(e->op);

        if (n < 0 || e->size < 1 || e->size > 8)
            return BAD(c, "expression %u has an unknown operation or a size outside 1 to 8", i);
        if ((n > 0 && e->a >= i) || (n > 1 && e->b >= i) || (n > 2 && e->c >= i))
            return BAD(c, "expression %u uses an operand that does not come before it", i);
        if (e->op >= CK_APPLY1 && e->imm >= c->p->function_count)
            return BAD(c, "expression %u applies a function that does not exist", i);
        if (n == 0)
            continue;
        if (!sizes_agree(c->p, &(struct ck_expr){.op = e->op,
                                                 .size = e->size,
                                                 .a = e->a,
                                                 .b = n > 1 ? e->b : e->a,
                                                 .c = n > 2 ? e->c : e->a}))
            return BAD(c, "operand sizes of expression %u do not fit its operation", i);
    }
    return MM_OK;
}

static enum mm_class check_regs(struct check *c, uint32_t root)
{
    /* Operands have smaller numbers, so one downward sweep visits all operands of ROOT.  It ends with the
     * last of them, so that the total time is not quadratic in the number of roots. */
    uint32_t pending = c->seen[root] == 0;
    c->seen[root] |= 1;
    for (uint32_t i = root + 1; pending > 0 && i-- > 0;) {
        const struct ck_expr *e = &c->p->exprs[i];
        int n = operand_count(e->op);

        if (c->seen[i] != 1)
            continue;
        c->seen[i] = 2;
        pending--;
        if (e->op == CK_REG && (e->imm >= c->thread->reg_count || c->thread->reg_sizes[e->imm] != e->size))
            return BAD(
                c,
                "expression %u names a register that thread %s does not have or declares with another size",
                i, c->thread->name);
        if (n > 0 && c->seen[e->a] == 0)
            pending += c->seen[e->a] = 1;
        if (n > 1 && c->seen[e->b] == 0)
            pending += c->seen[e->b] = 1;
        if (n > 2 && c->seen[e->c] == 0)
            pending += c->seen[e->c] = 1;
    }
    return MM_OK;
}

/* SIZE 0: any. */
static enum mm_class check_operand(struct check *c, uint32_t expr, unsigned size, const char *what)
{
    if (expr >= c->p->expr_count)
        return BAD(c, "instruction without a valid %s", what);
    if (size && c->p->exprs[expr].size != size)
        return BAD(c, "%s of %u bytes where %u are needed", what, c->p->exprs[expr].size, size);
    return c->seen[expr] ? MM_OK : check_regs(c, expr);
}

static enum mm_class check_reg(struct check *c, uint32_t reg, unsigned size, bool optional)
{
    if (reg == CK_NO_REG && optional)
        return MM_OK;
    if (reg >= c->thread->reg_count)
        return BAD(c, "instruction names register %u, thread %s has %u", reg, c->thread->name,
                   c->thread->reg_count);
    if (size && c->thread->reg_sizes[reg] != size)
        return BAD(c, "register of %u bytes where %u are needed", c->thread->reg_sizes[reg], size);
    return MM_OK;
}

static enum mm_class check_access(struct check *c)
{
    const struct ck_instr *i = c->instr;
    enum mm_class r = check_operand(c, i->address, 8, "address");

    if (r)
        return r;
    if (!is_access_size(i->size))
        return BAD(c, "access of %u bytes", i->size);
    if (i->op != CK_LOAD && (r = check_operand(c, i->value, i->size, "value")))
        return r;
    if (i->op == CK_CAS && (r = check_operand(c, i->expected, i->size, "expected value")))
        return r;
    if (i->op != CK_STORE && (r = check_reg(c, i->reg, i->size, i->op != CK_LOAD)))
        return r;
    if (i->op == CK_CAS && (r = check_reg(c, i->reg2, 0, true)))
        return r;
    if (i->op == CK_RMW &&
        (i->rmw > CK_RMW_APPLY || (i->rmw == CK_RMW_APPLY && i->function >= c->p->function_count)))
        return BAD(c, "unknown read-modify-write operation");
    return MM_OK;
}

static enum mm_class check_instr(struct check *c)
{
    const struct ck_instr *i = c->instr;

    if (i->order >= MM_ORDER_COUNT || i->order_fail >= MM_ORDER_COUNT || i->scope >= MM_SCOPE_COUNT)
        return BAD(c, "unknown memory order or scope");
    switch (i->op) {
    case CK_ASSIGN: {
        enum mm_class r = check_operand(c, i->value, 0, "value");

        return r ? r : check_reg(c, i->reg, c->p->exprs[i->value].size, false);
    }
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        return check_access(c);
    case CK_BARRIER:
        return i->value == CK_NO_EXPR ? MM_OK : check_operand(c, i->value, 0, "barrier id");
    case CK_JUMP:
        return i->target <= c->thread->instr_count ? MM_OK : BAD(c, "jump past the end of the thread");
    case CK_BRANCH:
        if (i->target > c->thread->instr_count)
            return BAD(c, "branch past the end of the thread");
        return check_operand(c, i->value, 0, "condition");
    case CK_ASSUME:
    case CK_ASSERT:
        return check_operand(c, i->value, 0, "condition");
    case CK_FENCE:
    case CK_AVAILABILITY:
    case CK_VISIBILITY:
    case CK_END:
    case CK_POINT:
        return MM_OK;
    }
    return BAD(c, "unknown instruction");
}

static enum mm_class check_objects(struct check *c)
{
    for (uint32_t i = 0; i < c->p->object_count; i++) {
        const struct ck_object *o = &c->p->objects[i];

        if (!is_access_size(o->element_size) || o->size == 0 || o->size > CK_LARGEST_OBJECT ||
            o->size % o->element_size)
            return BAD(c, "object %s: size %llu with elements of %u bytes", o->name,
                       (unsigned long long)o->size, o->element_size);
        if (o->region >= MM_REGION_COUNT || o->origin >= MM_ORIGIN_COUNT)
            return BAD(c, "object %s: unknown region or origin", o->name);
        if (o->alias_of >= c->p->object_count || c->p->objects[o->alias_of].alias_of != o->alias_of)
            return BAD(c, "object %s: alias of an object that is itself an alias, or of none", o->name);
        if (c->p->objects[o->alias_of].size < o->size)
            return BAD(c, "object %s: larger than the object it aliases", o->name);
    }
    return MM_OK;
}

static enum mm_class check_term(struct check *c, const struct ck_term *t)
{
    switch (t->kind) {
    case CK_TERM_CONST:
        return MM_OK;
    case CK_TERM_REG:
        if (t->thread < c->p->thread_count && t->reg < c->p->threads[t->thread].reg_count)
            return MM_OK;
        return BAD(c, "the condition names a register that does not exist");
    case CK_TERM_MEMORY:
        if (t->object < c->p->object_count && t->size <= 8 &&
            (uint64_t)t->offset + ck_term_size(c->p, t) <= c->p->objects[t->object].size)
            return MM_OK;
        return BAD(c, "the condition names a location that does not exist");
    }
    return BAD(c, "unknown kind of term");
}

static enum mm_class check_prop(struct check *c, uint32_t i)
{
    const struct ck_prop *q = &c->p->props[i];
    enum mm_class r;

    switch (q->op) {
    case CK_PROP_TRUE:
        return MM_OK;
    case CK_PROP_AND:
    case CK_PROP_OR:
        return q->a < i && q->b < i ? MM_OK : BAD(c, "proposition %u uses a later one", i);
    case CK_PROP_NOT:
        return q->a < i ? MM_OK : BAD(c, "proposition %u uses a later one", i);
    case CK_PROP_COMPARE:
        if (q->compare != CK_EQ && q->compare != CK_NE && q->compare != CK_SLT && q->compare != CK_SLE)
            return BAD(c, "proposition %u: unknown comparison", i);
        r = check_term(c, &q->left);
        return r ? r : check_term(c, &q->right);
    }
    return BAD(c, "proposition %u: unknown operation", i);
}

static enum mm_class check_condition(struct check *c)
{
    enum mm_class r;

    for (uint32_t i = 0; i < c->p->prop_count; i++)
        if ((r = check_prop(c, i)))
            return r;
    if (c->p->condition >= c->p->prop_count)
        return BAD(c, "the program has no condition");
    if (c->p->filter != CK_NO_EXPR && c->p->filter >= c->p->prop_count)
        return BAD(c, "the filter does not exist");
    for (uint32_t i = 0; i < c->p->observed_count; i++)
        if ((r = check_term(c, &c->p->observed[i])))
            return r;
    for (uint32_t i = 0; i < c->p->edge_count; i++) {
        const struct ck_edge *e = &c->p->edges[i];

        if (e->from_thread >= c->p->thread_count || e->to_thread >= c->p->thread_count || !e->relation)
            return BAD(c, "edge %u names a thread that does not exist", i);
    }
    return MM_OK;
}

static enum mm_class check_thread(struct check *c)
{
    const struct ck_thread *t = c->thread;

    for (uint32_t r = 0; r < t->reg_count; r++)
        if (t->reg_sizes[r] < 1 || t->reg_sizes[r] > 8)
            return BAD(c, "register %u of thread %s has a size outside 1 to 8", r, t->name);
    memset(c->seen, 0, c->p->expr_count);
    for (uint32_t i = 0; i < t->instr_count; i++) {
        enum mm_class r;

        c->instr = &t->instrs[i];
        if ((r = check_instr(c)))
            return r;
    }
    c->instr = NULL;
    return MM_OK;
}

static bool covers_object(const struct ck_program *p, uint32_t first)
{
    const struct ck_object *o = &p->objects[p->inputs[first].object];
    uint64_t count = o->size / o->element_size;
    uint64_t most = o->element_size < 8 ? (UINT64_C(1) << (8 * o->element_size)) - 1 : UINT64_MAX;

    for (uint64_t k = 0; k < count; k++) {
        const struct ck_input *in = &p->inputs[first + k];

        if (first + k >= p->input_count || in->object != p->inputs[first].object ||
            in->offset != k * o->element_size || in->size != o->element_size || (in->low | in->span) > most)
            return false;
    }
    return o->uninitialized && o->alias_of == p->inputs[first].object;
}

static enum mm_class check_inputs(struct check *c)
{
    const struct ck_program *p = c->p;
    struct ck_thread inputs = {.name = "of inputs", .reg_count = p->input_count};
    enum mm_class r = MM_OK;

    for (uint32_t i = 0; i < p->input_count;
         i += (uint32_t)(p->objects[p->inputs[i].object].size / p->inputs[i].size))
        if (p->inputs[i].object >= p->object_count || !covers_object(p, i) ||
            ck_program_first_input(p, p->inputs[i].object) != i)
            return BAD(c, "the inputs from number %u on are not the elements of an uninitialized object", i);
    inputs.reg_sizes = mm_alloc_zero(p->input_count + 1, 1);
    if (!inputs.reg_sizes)
        return mm_out_of_memory(c->err);
    for (uint32_t i = 0; i < p->input_count; i++)
        inputs.reg_sizes[i] = p->inputs[i].size;
    memset(c->seen, 0, p->expr_count);
    c->thread = &inputs;
    for (uint32_t i = 0; i < p->requirement_count && !r; i++)
        r = check_operand(c, p->requirements[i], 0, "requirement");
    mm_free(inputs.reg_sizes);
    return r;
}

enum mm_class ck_program_validate(const struct ck_program *program, struct mm_error *err)
{
    struct check c = {.p = program, .err = err};
    enum mm_class r;

    if ((r = check_objects(&c)) || (r = check_exprs(&c)))
        return r;
    c.seen = mm_alloc_zero(program->expr_count, 1);
    if (!c.seen)
        return mm_out_of_memory(err);
    for (uint32_t t = 0; t < program->thread_count && !r; t++) {
        c.thread = &program->threads[t];
        r = check_thread(&c);
    }
    c.instr = NULL;
    r = r ? r : check_inputs(&c);
    mm_free(c.seen);
    c.thread = NULL;
    return r ? r : check_condition(&c);
}
