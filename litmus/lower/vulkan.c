/* Lowering of VULKAN litmus tests.  Locations are 4 bytes.  A location that aliases another one is a separate
 * object in the same memory, and accesses through it have its reference. */
#include "litmus/lower/lower.h"

#include <stdio.h>
#include <string.h>

static struct lt_type int_type(void)
{
    return (struct lt_type){.base = lt_find_type("int")};
}

static uint32_t add_location(struct lt_lower *lower, const char *name, const struct lt_init *init)
{
    uint32_t found = ck_program_find_object(lower->program, name);
    if (lower->failed || found != CK_NO_OBJECT)
        return found;
    return lt_add_object(
        lower, name, init,
        (struct ck_object){
            .element_size = 4, .origin = MM_ORIGIN_BUFFER, .is_signed = true, .work_group = -1});
}

static void add_locations(struct lt_lower *lower)
{
    for (const struct lt_init *i = lower->test->inits; i; i = i->next)
        if (i->thread < 0 && add_location(lower, i->name, i) == CK_NOT_ADDED)
            return;
    for (const struct lt_init *i = lower->test->inits; i; i = i->next) {
        if (!i->alias)
            continue;
        uint32_t self = ck_program_find_object(lower->program, i->name),
                 other = ck_program_find_object(lower->program, i->alias);
        struct ck_object *objects = lower->program->objects;
        if (other == CK_NO_OBJECT || self == other || objects[other].alias_of != other) {
            lt_lower_fail(lower, i->pos, "litmus.name",
                          "'%s' aliases '%s', which is itself an alias or not a location", i->name, i->alias);
            return;
        }
        objects[self].alias_of = other;
    }
}

static uint32_t find_or_add_reg(struct lt_lower *lower, const char *name)
{
    uint32_t reg = ck_program_find_reg(lower->program, lower->thread, name);
    struct lt_type type = int_type();
    return reg != CK_NO_REG ? reg : lt_add_reg(lower, name, &type);
}

static uint32_t operand_expr(struct lt_lower *lower, const struct lt_operand *o)
{
    if (o->is_const)
        return lt_const(lower, o->value, 4);
    uint32_t reg = find_or_add_reg(lower, o->name);
    return lower->failed ? CK_NO_EXPR : lt_reg_expr(lower, reg, 4);
}

static struct lt_value value_of_expr(uint32_t expr)
{
    return (struct lt_value){.expr = expr, .size = 4, .is_signed = true};
}

/* The order of an atomic access without one is relaxed; plain accesses have none. */
static struct ck_instr base_instr(const struct lt_vulkan *v, enum ck_op op)
{
    return (struct ck_instr){.op = op,
                             .size = v->size,
                             .order = v->order                    ? v->order
                                      : v->attributes & MM_ATOMIC ? MM_RELAXED
                                                                  : MM_ORDER_NONE,
                             .scope = v->scope,
                             .attributes = v->attributes,
                             .semantics = v->semantics,
                             .storage_class = v->storage_class,
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .value = CK_NO_EXPR};
}

/* The point numbers by which edges refer to the accesses of an object's memory, and to the operation that
 * frees it. */
static uint32_t point_of(uint32_t object)
{
    return 2 * object + 1;
}

static uint32_t free_point(uint32_t object)
{
    return 2 * object + 2;
}

static void set_address(struct lt_lower *lower, struct lt_pos pos, struct ck_instr *instr,
                        const struct lt_operand *o)
{
    uint32_t object = add_location(lower, o->name, NULL);
    if (lower->failed)
        return;
    if (o->offset + (uint64_t)instr->size > lower->program->objects[object].size)
        lt_lower_fail(lower, pos, "litmus.syntax", "the access does not lie within '%s'", o->name);
    instr->address = lt_const(lower, CK_OBJECT_BASE(object) + o->offset, 8);
    instr->point = point_of(lower->program->objects[object].alias_of);
    instr->reference = lower->program->objects[object].alias_of == object ? 0 : object + 1;
}

/* Value operands have 4 bytes; narrower accesses store and compare the lower part. */
static uint32_t narrow_operand(struct lt_lower *lower, const struct lt_vulkan *v, unsigned n)
{
    return lt_convert(lower, value_of_expr(operand_expr(lower, &v->operands[n])), v->size, false).expr;
}

static void lower_access(struct lt_lower *lower, const struct lt_vulkan *v)
{
    static const enum ck_op ops[] = {[LT_V_LOAD] = CK_LOAD, [LT_V_STORE] = CK_STORE, [LT_V_RMW] = CK_RMW};
    struct ck_instr i = base_instr(v, v->is_cas ? CK_CAS : ops[v->op]);
    bool loads = v->op != LT_V_STORE;
    uint32_t reg = CK_NO_REG;
    set_address(lower, v->pos, &i, &v->operands[loads ? 1 : 0]);
    if (v->op == LT_V_STORE)
        i.value = narrow_operand(lower, v, 1);
    if (v->op == LT_V_RMW && !v->is_cas && v->operands[3].present)
        lt_lower_fail(lower, v->pos, "litmus.syntax", "'%s' has one operand too many", v->mnemonic);
    if (v->op == LT_V_RMW)
        i.value = narrow_operand(lower, v, v->is_cas ? 3 : 2);
    if (v->is_cas) {
        i.expected = narrow_operand(lower, v, 2);
        i.order_fail = i.order == MM_ACQ_REL ? MM_ACQUIRE : i.order == MM_RELEASE ? MM_RELAXED : i.order;
        i.reg2 = lt_temp_reg(lower, 4, true);
    }
    if (loads)
        reg = find_or_add_reg(lower, v->operands[0].name);
    i.reg = loads && v->size < 4 ? lt_temp_reg(lower, v->size, false) : reg;
    i.rmw = v->rmw;
    lt_emit(lower, v->pos, i);
    if (lower->failed || i.reg == reg)
        return;
    uint32_t wide = lt_convert(lower, lt_read_reg(lower, i.reg), 4, true).expr;
    lt_emit(lower, v->pos, (struct ck_instr){.op = CK_ASSIGN, .size = 4, .reg = reg, .value = wide});
}

/* Accesses of a location's memory carry the number that the operation that frees it is given after. */
static void lower_free(struct lt_lower *lower, const struct lt_vulkan *v)
{
    struct ck_instr i = {.op = CK_POINT, .tags = MM_POINT_FREE};
    uint32_t object = add_location(lower, v->operands[0].name, NULL);
    if (lower->failed)
        return;
    if (!lower->ast->host)
        lt_lower_fail(lower, v->pos, "VKMM deallocation", "memory is freed by host threads");
    i.point = free_point(lower->program->objects[object].alias_of);
    lt_emit(lower, v->pos, i);
}

/* Named barriers: instance, name, number of threads that must arrive. */
static void lower_barrier(struct lt_lower *lower, const struct lt_vulkan *v)
{
    struct ck_instr i = base_instr(v, CK_BARRIER);
    i.site = 1;
    i.value = operand_expr(lower, &v->operands[0]);
    for (int n = 1; n < 3; n++) {
        const struct lt_operand *o = &v->operands[n];
        if (!o->present)
            continue;
        if (!o->is_const || o->value > UINT32_MAX)
            lt_lower_fail(lower, v->pos, "litmus.syntax",
                          "the name and the size of a barrier must be numbers");
        *(n == 1 ? &i.barrier_name : &i.quorum) = (uint32_t)o->value;
    }
    lt_emit(lower, v->pos, i);
}

static void lower_local(struct lt_lower *lower, const struct lt_vulkan *v)
{
    uint32_t reg = find_or_add_reg(lower, v->operands[0].name);
    uint32_t value = operand_expr(lower, &v->operands[1]);
    if (v->arithmetic != CK_CONST) {
        static const enum lt_operator ops[] = {
            [CK_ADD] = LT_OP_ADD, [CK_SUB] = LT_OP_SUB, [CK_MUL] = LT_OP_MUL, [CK_SDIV] = LT_OP_DIV,
            [CK_AND] = LT_OP_AND, [CK_OR] = LT_OP_OR,   [CK_XOR] = LT_OP_XOR};
        uint32_t right = operand_expr(lower, &v->operands[2]);
        value = lt_binary(lower, v->pos, ops[v->arithmetic], value_of_expr(value), value_of_expr(right)).expr;
    }
    lt_emit(lower, v->pos, (struct ck_instr){.op = CK_ASSIGN, .size = 4, .reg = reg, .value = value});
}

/* Branches if the comparison is true: CK_BRANCH jumps if its value is 0. */
static void lower_branch(struct lt_lower *lower, const struct lt_vulkan *v)
{
    static const enum lt_operator negated[] = {
        [LT_OP_EQ] = LT_OP_NE, [LT_OP_NE] = LT_OP_EQ, [LT_OP_LT] = LT_OP_GE,
        [LT_OP_GE] = LT_OP_LT, [LT_OP_GT] = LT_OP_LE, [LT_OP_LE] = LT_OP_GT};
    struct lt_value a = value_of_expr(operand_expr(lower, &v->operands[0])),
                    b = value_of_expr(operand_expr(lower, &v->operands[1]));
    struct lt_value stay = lt_binary(lower, v->pos, negated[v->compare], a, b);
    lt_emit(lower, v->pos, (struct ck_instr){.op = CK_BRANCH, .value = stay.expr});
}

static void lower_instruction(struct lt_lower *lower, const struct lt_vulkan *v)
{
    switch (v->op) {
    case LT_V_LOAD:
    case LT_V_STORE:
    case LT_V_RMW:
        lower_access(lower, v);
        break;
    case LT_V_FENCE:
        lt_emit(lower, v->pos, base_instr(v, CK_FENCE));
        break;
    case LT_V_BARRIER:
        lower_barrier(lower, v);
        break;
    case LT_V_AVAILABILITY:
        lt_emit(lower, v->pos, base_instr(v, CK_AVAILABILITY));
        break;
    case LT_V_VISIBILITY:
        lt_emit(lower, v->pos, base_instr(v, CK_VISIBILITY));
        break;
    case LT_V_LABEL:
        break;
    case LT_V_GOTO:
        lt_emit(lower, v->pos, (struct ck_instr){.op = CK_JUMP});
        break;
    case LT_V_BRANCH:
        lower_branch(lower, v);
        break;
    case LT_V_LOCAL:
        lower_local(lower, v);
        break;
    case LT_V_FREE:
        lower_free(lower, v);
        break;
    }
}

static bool has_point(const struct ck_program *p, uint32_t thread, uint32_t point)
{
    for (uint32_t i = 0; i < p->threads[thread].instr_count; i++)
        if (p->threads[thread].instrs[i].point == point)
            return true;
    return false;
}

/* Relates every access of a freed object to the operation that frees it. */
static void relate_frees(struct lt_lower *lower)
{
    const struct ck_program *p = lower->program;
    for (uint32_t o = 0; o < p->object_count && !lower->failed; o++)
        for (uint32_t t = 0; t < p->thread_count * p->thread_count; t++) {
            struct ck_edge edge = {.relation = "frees",
                                   .from_thread = t / p->thread_count,
                                   .to_thread = t % p->thread_count,
                                   .from_point = point_of(o),
                                   .to_point = free_point(o)};
            if (has_point(p, edge.from_thread, edge.from_point) &&
                has_point(p, edge.to_thread, edge.to_point) &&
                ck_program_add_edge(lower->program, &edge) == CK_NOT_ADDED)
                lt_out_of_memory(lower);
        }
}

/* Jumps are emitted before the labels are resolved. */
static void resolve_labels(struct lt_lower *lower, const uint32_t *first)
{
    struct ck_thread *thread = &lower->program->threads[lower->thread];
    uint32_t n = 0;
    for (const struct lt_vulkan *v = lower->ast->vulkan; v && !lower->failed; v = v->next, n++) {
        if (v->op != LT_V_GOTO && v->op != LT_V_BRANCH)
            continue;
        uint32_t m = 0, target = CK_NO_INSTR;
        for (const struct lt_vulkan *l = lower->ast->vulkan; l; l = l->next, m++)
            if (l->op == LT_V_LABEL && strcmp(l->label, v->label) == 0)
                target = first[m];
        if (target == CK_NO_INSTR)
            lt_lower_fail(lower, v->pos, "litmus.name", "unknown label '%s' in P%u", v->label,
                          lower->ast->number);
        else
            thread->instrs[first[n]].target = target;
    }
}

static void lower_body(struct lt_lower *lower)
{
    uint32_t count = 0, n = 0;
    for (const struct lt_vulkan *v = lower->ast->vulkan; v; v = v->next)
        count++;
    uint32_t *first = mm_arena_alloc(lower->program->arena, (count + 1) * sizeof *first);
    if (!first) {
        lt_out_of_memory(lower);
        return;
    }
    for (const struct lt_vulkan *v = lower->ast->vulkan; v && !lower->failed; v = v->next) {
        first[n++] = lower->program->threads[lower->thread].instr_count;
        lower_instruction(lower, v);
    }
    lt_end_thread(lower, lower->ast->pos);
    resolve_labels(lower, first);
}

static void lower_thread(struct lt_lower *lower, const struct lt_thread *t)
{
    char name[16];
    struct ck_thread thread = {.device = t->device,
                               .work_group = lt_dense_group(lower->test, t),
                               .sub_group = t->sub_group,
                               .queue_family = t->queue_family,
                               .host = t->host};
    if (!lt_begin_thread(lower, lt_thread_name(t, name), thread))
        return;
    lower->ast = t;
    for (const struct lt_init *i = lower->test->inits; i && !lower->failed; i = i->next) {
        if (i->thread != (int32_t)t->number)
            continue;
        uint32_t reg = find_or_add_reg(lower, i->name);
        uint32_t value = lt_const(lower, i->value_count ? i->values[0] : 0, 4);
        lt_emit(lower, i->pos, (struct ck_instr){.op = CK_ASSIGN, .size = 4, .reg = reg, .value = value});
    }
    if (!lower->failed)
        lower_body(lower);
}

enum mm_class lt_lower_vulkan(const struct lt_test *test, struct ck_program *program, struct mm_error *err)
{
    struct lt_lower lower = {.test = test, .program = program, .err = err};
    add_locations(&lower);
    for (const struct lt_thread *t = test->threads; t && !lower.failed; t = t->next)
        lower_thread(&lower, t);
    if (!lower.failed)
        relate_frees(&lower);
    for (const struct lt_edge *e = test->edges; e && !lower.failed; e = e->next) {
        struct ck_edge edge = {.relation = "ssw"};
        lt_find_thread(test, e->from, &edge.from_thread);
        lt_find_thread(test, e->to, &edge.to_thread);
        if (ck_program_add_edge(program, &edge) == CK_NOT_ADDED)
            return mm_out_of_memory(err);
    }
    return lower.failed ? err->cls : MM_OK;
}
