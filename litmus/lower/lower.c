/* Lowers a parsed OPENCL test to the program that search and Z3 decide.
 *
 * Conventions, as in public suites: a location or register that is not in the initial state is 0;
 * the region is the one that parameters declare; a location is non-atomic if any thread declares it so.
 * Local memory: an object belongs to one work-group [CL 3.3.1].  Public suites have tests in which threads
 * of several work-groups name one local location: there it is one shared object, and the test can
 * be decided but not run.  In the tests of suite/ each work-group names separate local locations. */
#include "litmus/lower/lower.h"

#include "memmodel/base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lt_lower_fail(struct lt_lower *lower, struct lt_pos pos, const char *rule, const char *format, ...)
{
    if (lower->failed)
        return;
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    lower->failed = true;
    mm_fail_at(lower->err, MM_INVALID, rule, lower->test->file, pos.line, pos.column, "%s", message);
}

void lt_out_of_memory(struct lt_lower *lower)
{
    if (!lower->failed)
        mm_out_of_memory(lower->err);
    lower->failed = true;
}

uint32_t lt_add_reg(struct lt_lower *lower, const char *name, const struct lt_type *type)
{
    if (lower->failed)
        return CK_NO_REG;
    uint8_t size = type->is_pointer ? 8 : type->base->size;
    uint32_t reg = ck_program_add_reg(lower->program, lower->thread, name, size,
                                      !type->is_pointer && type->base->is_signed);
    if (reg == CK_NOT_ADDED) {
        lt_out_of_memory(lower);
        return CK_NO_REG;
    }
    while (lower->reg_count <= reg) {
        if (!mm_arena_add(lower->program->arena, &lower->regs, &lower->reg_count)) {
            lt_out_of_memory(lower);
            return CK_NO_REG;
        }
    }
    lower->regs[reg] = (struct lt_reg){.type = *type};
    return reg;
}

uint32_t lt_temp_reg(struct lt_lower *lower, uint8_t size, bool is_signed)
{
    struct lt_base_type base = {.name = "", .size = size, .is_signed = is_signed};
    struct lt_type type = {.base = &base};
    uint32_t reg = lt_add_reg(lower, NULL, &type);
    if (reg != CK_NO_REG)
        lower->regs[reg].type.base = NULL;
    return reg;
}

uint32_t lt_emit(struct lt_lower *lower, struct lt_pos pos, struct ck_instr instr)
{
    if (lower->failed)
        return CK_NO_INSTR;
    /* Atomic operations of the host have the widest scope [CL 3.3.6 A23]. */
    if (instr.op <= CK_FENCE && instr.scope != MM_SCOPE_NONE && lower->program->threads[lower->thread].host)
        instr.scope = MM_SCOPE_ALL_SVM_DEVICES;
    instr.line = pos.line;
    instr.column = pos.column;
    uint32_t i = ck_program_add_instr(lower->program, lower->thread, &instr);
    if (i == CK_NOT_ADDED)
        lt_out_of_memory(lower);
    return i;
}

void lt_patch(struct lt_lower *lower, uint32_t instr)
{
    struct ck_thread *thread = &lower->program->threads[lower->thread];
    if (!lower->failed)
        thread->instrs[instr].target = thread->instr_count;
}

/* Jumps of one kind are chained through their targets until the target is known (backpatching). */
static void jump_later(struct lt_lower *lower, struct lt_pos pos, uint32_t *chain)
{
    uint32_t i = lt_emit(lower, pos, (struct ck_instr){.op = CK_JUMP, .target = *chain});
    if (!lower->failed)
        *chain = i;
}

static void patch_chain(struct lt_lower *lower, uint32_t chain)
{
    struct ck_thread *thread = &lower->program->threads[lower->thread];
    while (chain != CK_NO_INSTR && !lower->failed) {
        uint32_t next = thread->instrs[chain].target;
        thread->instrs[chain].target = thread->instr_count;
        chain = next;
    }
}

/* ---- objects ---------------------------------------------------------------------------------------- */

/* Scopes nest: threads of two devices, queue families or kernel-instances are in two work-groups, whatever
 * numbers these have. */
bool lt_same_work_group(const struct lt_thread *a, const struct lt_thread *b)
{
    return a->device == b->device && a->queue_family == b->queue_family && a->kernel == b->kernel &&
           a->work_group == b->work_group;
}

uint32_t lt_dense_group(const struct lt_test *test, const struct lt_thread *thread)
{
    uint32_t number = 0;
    for (const struct lt_thread *t = test->threads; t; t = t->next) {
        bool first = true;
        if (lt_same_work_group(t, thread))
            return number;
        for (const struct lt_thread *u = test->threads; u != t; u = u->next)
            first &= !lt_same_work_group(u, t);
        number += first;
    }
    return number;
}

/* The declarations of location NAME in the threads. */
struct declaration {
    const struct lt_base_type *base; /* widest, first among equals */
    uint8_t region, origin;
    bool non_atomic, shared;
    int32_t group; /* of the first thread that names it */
};

static struct declaration find_declaration(const struct lt_test *test, const char *name)
{
    struct declaration d = {.region = MM_REGION_NONE, .group = -1};
    for (const struct lt_thread *t = test->threads; t; t = t->next) {
        const struct lt_param *p = lt_find_param(t, name);
        if (!p)
            continue;
        int32_t group = (int32_t)lt_dense_group(test, t);
        if (d.group == -1)
            d.group = group;
        d.shared |= d.group != group;
        if (!d.base || p->type.base->size > d.base->size)
            d.base = p->type.base;
        if (d.region == MM_REGION_NONE)
            d.region = p->type.region;
        if (d.origin == MM_ORIGIN_NONE)
            d.origin = p->type.origin;
        d.non_atomic |= !p->type.base->is_atomic;
    }
    return d;
}

uint32_t lt_add_object(struct lt_lower *lower, const char *name, const struct lt_init *init,
                       struct ck_object object)
{
    struct ck_program *p = lower->program;
    uint32_t count = init ? init->count : 1, index = CK_NOT_ADDED;
    uint64_t *values = mm_arena_alloc(p->arena, count * sizeof *values);
    uint64_t mask = object.element_size < 8 ? (UINT64_C(1) << 8 * object.element_size) - 1 : UINT64_MAX;
    for (uint32_t i = 0; values && init && i < init->value_count; i++)
        values[i] = init->values[i] & mask;
    object.name = mm_arena_strdup(p->arena, name);
    object.size = (uint64_t)count * object.element_size;
    object.alias_of = p->object_count;
    object.initial = values;
    if (values && object.name)
        index = ck_program_add_object(p, &object);
    if (index == CK_NOT_ADDED)
        lt_out_of_memory(lower);
    return index;
}

static void add_object(struct lt_lower *lower, const char *name, const struct lt_init *init)
{
    if (lower->failed || ck_program_find_object(lower->program, name) != CK_NO_OBJECT)
        return;
    struct declaration d = find_declaration(lower->test, name);
    if (init && init->type.base && (!d.base || init->type.base->size >= d.base->size))
        d.base = init->type.base;
    if (init && init->type.region != MM_REGION_NONE && d.region == MM_REGION_NONE)
        d.region = init->type.region;
    if (init && d.origin == MM_ORIGIN_NONE)
        d.origin = init->type.origin;
    if (!d.base)
        d.base = lt_find_type("int");
    lt_add_object(lower, name, init,
                  (struct ck_object){.element_size = d.base->size,
                                     .region = d.region,
                                     .origin = d.origin != MM_ORIGIN_NONE ? d.origin : MM_ORIGIN_BUFFER,
                                     .non_atomic = d.non_atomic,
                                     .is_signed = d.base->is_signed,
                                     .work_group = d.region == MM_LOCAL && !d.shared ? d.group : -1});
}

uint32_t lt_elements(const struct ck_object *object)
{
    return (uint32_t)(object->size / object->element_size);
}

bool lt_uses_region(const struct ck_program *program, enum mm_region region)
{
    for (uint32_t i = 0; i < program->object_count; i++)
        if (program->objects[i].region == region)
            return true;
    return false;
}

static void add_objects(struct lt_lower *lower)
{
    for (const struct lt_init *init = lower->test->inits; init; init = init->next) {
        if (init->thread >= 0)
            continue;
        if (ck_program_find_object(lower->program, init->name) != CK_NO_OBJECT)
            lt_lower_fail(lower, init->pos, "litmus.name", "location '%s' is initialized twice", init->name);
        add_object(lower, init->name, init);
    }
    for (const struct lt_thread *t = lower->test->threads; t; t = t->next)
        for (const struct lt_param *p = t->params; p; p = p->next)
            if (p->type.is_pointer)
                add_object(lower, p->name, NULL);
}

/* ---- threads ----------------------------------------------------------------------------------------- */

bool lt_begin_thread(struct lt_lower *lower, const char *name, struct ck_thread thread)
{
    lower->thread = lower->program->thread_count;
    lower->regs = NULL;
    lower->reg_count = 0;
    thread.name = mm_arena_strdup(lower->program->arena, name);
    bool added = thread.name && ck_program_add_thread(lower->program, &thread) != CK_NOT_ADDED;
    if (!added)
        lt_out_of_memory(lower);
    return added;
}

void lt_end_thread(struct lt_lower *lower, struct lt_pos pos)
{
    lt_emit(lower, pos, (struct ck_instr){.op = CK_END, .reg = CK_NO_REG, .reg2 = CK_NO_REG});
}

/* ---- statements --------------------------------------------------------------------------------------- */

static void lower_stmts(struct lt_lower *lower, const struct lt_stmt *s);

static void assign_reg(struct lt_lower *lower, struct lt_pos pos, uint32_t reg, struct lt_value value)
{
    if (lower->failed)
        return;
    struct lt_value old = lt_read_reg(lower, reg);
    if (value.is_pointer != old.is_pointer && value.is_pointer) {
        lt_lower_fail(lower, pos, "litmus.type", "a pointer is assigned to an integer register");
        return;
    }
    const struct lt_type *type = &lower->regs[reg].type;
    value = type->base && !type->is_pointer ? lt_convert_to(lower, value, type->base)
                                            : lt_convert(lower, value, old.size, old.is_signed);
    lt_emit(lower, pos,
            (struct ck_instr){.op = CK_ASSIGN, .size = old.size, .reg = reg, .value = value.expr});
}

static bool same_type(const struct lt_type *a, const struct lt_type *b)
{
    return a->base == b->base && a->is_pointer == b->is_pointer;
}

static uint32_t declare_reg(struct lt_lower *lower, const struct lt_stmt *s)
{
    uint32_t reg = ck_program_find_reg(lower->program, lower->thread, s->name);
    if (reg == CK_NO_REG)
        reg = lt_add_reg(lower, s->name, &s->type);
    if (lower->failed)
        return reg;
    struct lt_reg *r = &lower->regs[reg];
    if (r->depth && r->depth != LT_CLOSED)
        lt_lower_fail(lower, s->pos, "litmus.name", "register '%s' is declared already", s->name);
    else if (!same_type(&r->type, &s->type))
        lt_lower_fail(lower, s->pos, "litmus.name", "register '%s' is declared with another type elsewhere",
                      s->name);
    r->depth = lower->depth;
    return reg;
}

static void close_block(struct lt_lower *lower)
{
    for (uint32_t i = 0; i < lower->program->threads[lower->thread].reg_count && !lower->failed; i++)
        if (lower->regs[i].depth == lower->depth)
            lower->regs[i].depth = LT_CLOSED;
    lower->depth--;
}

static void lower_declare(struct lt_lower *lower, const struct lt_stmt *s)
{
    if (lt_find_param(lower->ast, s->name))
        lt_lower_fail(lower, s->pos, "litmus.name", "register '%s' has the name of a parameter", s->name);
    struct lt_value value = {.expr = CK_NO_EXPR};
    if (s->value)
        value = lt_lower_expr(lower, s->value);
    if (lower->failed)
        return;
    uint32_t reg = declare_reg(lower, s);
    if (s->value)
        assign_reg(lower, s->pos, reg, value);
}

static void lower_assign(struct lt_lower *lower, const struct lt_stmt *s)
{
    const struct lt_expr *target = s->target;
    if (target->kind != LT_NAME) {
        lt_lower_assignment(lower, s->pos, target, s->op, s->value);
        return;
    }
    uint32_t reg = ck_program_find_reg(lower->program, lower->thread, target->name);
    bool location = reg == CK_NO_REG && lt_find_param(lower->ast, target->name);
    struct lt_value value = lt_lower_expr(lower, s->value);
    if (location) {
        /* herd writes a plain store to x as "x = 1". */
        if (s->op || value.is_pointer)
            lt_lower_fail(lower, s->pos, "litmus.type", "parameter '%s' cannot be changed", target->name);
        lt_plain_store(lower, s->pos, lt_lower_pointer(lower, target), value);
        return;
    }
    if (lower->failed)
        return;
    if (reg == CK_NO_REG) {
        struct lt_type type = {.base = lt_find_type("int")};
        if (value.is_pointer) {
            type = value.pointee;
            type.is_pointer = true;
        }
        reg = lt_add_reg(lower, target->name, &type);
    }
    if (s->op)
        value = lt_binary(lower, s->pos, s->op, lt_read_reg(lower, reg), value);
    assign_reg(lower, s->pos, reg, value);
}

static uint32_t barrier_site(struct lt_lower *lower, const char *label)
{
    char name[24];
    if (!label) {
        /* The n-th barrier without a label is the same call site in every thread. */
        snprintf(name, sizeof name, "#%u", lower->unlabeled_barriers++);
        label = mm_arena_strdup(lower->program->arena, name);
        if (!label) {
            lt_out_of_memory(lower);
            return 1;
        }
    }
    for (uint32_t i = 0; i < lower->label_count; i++)
        if (strcmp(lower->labels[i], label) == 0)
            return i + 1;
    const char **labels = mm_arena_alloc(lower->program->arena, (lower->label_count + 1) * sizeof *labels);
    if (!labels) {
        lt_out_of_memory(lower);
        return 1;
    }
    if (lower->label_count)
        memcpy(labels, lower->labels, lower->label_count * sizeof *labels);
    lower->labels = labels;
    labels[lower->label_count++] = label;
    return lower->label_count;
}

/* Default scope: the group that meets at the barrier [CLC 6.15.8]. */
static void lower_barrier(struct lt_lower *lower, const struct lt_stmt *s)
{
    const struct lt_expr *call = s->value;
    bool sub = call->function->kind == LT_F_SUB_GROUP_BARRIER;
    if (sub && !lower->ast->has_sub_group)
        lt_lower_fail(lower, s->pos, "CLC 6.15.8",
                      "sub_group_barrier in a thread without a sub-group (@sg n, ...)");
    uint8_t scope = call->scope ? call->scope : sub ? MM_SCOPE_SUB_GROUP : MM_SCOPE_WORK_GROUP;
    lt_emit(lower, s->pos,
            (struct ck_instr){.op = CK_BARRIER,
                              .order = MM_ACQ_REL,
                              .scope = scope,
                              .fence_flags = call->flags,
                              .reg = CK_NO_REG,
                              .value = CK_NO_EXPR,
                              .sub_group = sub,
                              .site = barrier_site(lower, s->label)});
}

static void lower_eval(struct lt_lower *lower, const struct lt_stmt *s)
{
    const struct lt_expr *e = s->value;
    bool barrier = e->kind == LT_CALL &&
                   (e->function->kind == LT_F_BARRIER || e->function->kind == LT_F_SUB_GROUP_BARRIER);
    if (barrier)
        lower_barrier(lower, s);
    else
        lt_lower_expr(lower, e);
}

static void lower_if(struct lt_lower *lower, const struct lt_stmt *s)
{
    struct lt_value condition = lt_lower_expr(lower, s->value);
    uint32_t to_other = lt_emit(lower, s->pos, (struct ck_instr){.op = CK_BRANCH, .value = condition.expr});
    lower_stmts(lower, s->body);
    if (s->other) {
        uint32_t to_end = lt_emit(lower, s->pos, (struct ck_instr){.op = CK_JUMP});
        lt_patch(lower, to_other);
        lower_stmts(lower, s->other);
        lt_patch(lower, to_end);
    } else {
        lt_patch(lower, to_other);
    }
}

static uint32_t instr_count(const struct lt_lower *lower)
{
    return lower->program->threads[lower->thread].instr_count;
}

/* Leaves a loop where the condition of S does not hold. */
static uint32_t lower_exit(struct lt_lower *lower, const struct lt_stmt *s)
{
    struct lt_value condition = lt_lower_expr(lower, s->value);
    return lt_emit(lower, s->pos, (struct ck_instr){.op = CK_BRANCH, .value = condition.expr});
}

static void lower_loop(struct lt_lower *lower, const struct lt_stmt *s)
{
    struct lt_loop loop = {CK_NO_INSTR, CK_NO_INSTR, lower->loop};
    struct lt_loop_code code = {.init = instr_count(lower), .branch = CK_NO_INSTR};
    lower->depth++;
    if (s->init)
        lower_stmts(lower, s->init);
    lower->loop = &loop;
    code.test = instr_count(lower);
    if (s->kind != LT_DO && s->value)
        code.branch = lower_exit(lower, s);
    lower_stmts(lower, s->body);
    patch_chain(lower, loop.first_continue);
    code.step = instr_count(lower);
    if (s->step)
        lower_stmts(lower, s->step);
    if (s->kind == LT_DO)
        code.branch = lower_exit(lower, s);
    code.back = lt_emit(lower, s->pos, (struct ck_instr){.op = CK_JUMP, .target = code.test});
    if (s->kind == LT_FOR && s->value)
        lt_set_trip_count(lower, &code);
    if (code.branch != CK_NO_INSTR)
        lt_patch(lower, code.branch);
    patch_chain(lower, loop.first_break);
    lower->loop = loop.outer;
    close_block(lower);
}

static void lower_jump(struct lt_lower *lower, const struct lt_stmt *s)
{
    if (s->kind == LT_RETURN)
        jump_later(lower, s->pos, &lower->first_return);
    else if (!lower->loop)
        lt_lower_fail(lower, s->pos, "litmus.syntax", "break or continue outside of a loop");
    else
        jump_later(lower, s->pos,
                   s->kind == LT_BREAK ? &lower->loop->first_break : &lower->loop->first_continue);
}

static void lower_stmt(struct lt_lower *lower, const struct lt_stmt *s)
{
    lower->access_count = 0;
    switch (s->kind) {
    case LT_EMPTY:
        break;
    case LT_DECLARE:
        lower_declare(lower, s);
        break;
    case LT_ASSIGN:
        lower_assign(lower, s);
        break;
    case LT_EVAL:
        lower_eval(lower, s);
        break;
    case LT_IF:
        lower_if(lower, s);
        break;
    case LT_WHILE:
    case LT_DO:
    case LT_FOR:
        lower_loop(lower, s);
        break;
    case LT_BLOCK:
        lower->depth++;
        lower_stmts(lower, s->body);
        close_block(lower);
        break;
    case LT_BREAK:
    case LT_CONTINUE:
    case LT_RETURN:
        lower_jump(lower, s);
        break;
    case LT_API:
        lt_lower_call(lower, s->api);
        break;
    }
}

static void lower_stmts(struct lt_lower *lower, const struct lt_stmt *s)
{
    for (; s && !lower->failed; s = s->next)
        lower_stmt(lower, s);
}

/* ---- threads ------------------------------------------------------------------------------------- */

static void lower_reg_inits(struct lt_lower *lower)
{
    struct lt_type type = {.base = lt_find_type("int")};
    for (const struct lt_param *p = lower->ast->params; p; p = p->next)
        if (!p->type.is_pointer)
            lt_add_reg(lower, p->name, &p->type);
    for (const struct lt_init *init = lower->test->inits; init; init = init->next) {
        if (init->thread != (int32_t)lower->ast->number || lower->failed)
            continue;
        uint32_t reg = ck_program_find_reg(lower->program, lower->thread, init->name);
        if (reg == CK_NO_REG)
            reg = lt_add_reg(lower, init->name, init->type.base ? &init->type : &type);
        uint64_t value = init->value_count ? init->values[0] : 0;
        assign_reg(lower, init->pos, reg,
                   (struct lt_value){.expr = lt_const(lower, value, 8), .size = 8, .is_signed = true});
    }
}

static void lower_thread(struct lt_lower *lower, const struct lt_thread *thread)
{
    char name[16];
    uint32_t index = lower->program->thread_count;
    lower->ast = thread;
    lower->depth = 1;
    lower->unlabeled_barriers = 0;
    lower->first_return = CK_NO_INSTR;
    lower->loop = NULL;
    /* Without a placement no two threads share a sub-group. */
    struct ck_thread t = {.device = thread->device,
                          .kernel = lt_kernel_root(lower->test, thread->kernel),
                          .host = thread->host,
                          .work_group = lt_group_of(lower->test, thread),
                          .sub_group = thread->has_sub_group ? thread->sub_group : 0x10000 + index};
    if (!lt_begin_thread(lower, lt_thread_name(thread, name), t))
        return;
    lower_reg_inits(lower);
    lower_stmts(lower, thread->body);
    patch_chain(lower, lower->first_return);
    lt_end_thread(lower, thread->pos);
}

static enum mm_class lower_opencl(const struct lt_test *test, struct ck_program *program,
                                  struct mm_error *err)
{
    struct lt_lower lower = {.test = test, .program = program, .err = err};
    add_objects(&lower);
    for (const struct lt_thread *t = test->threads; t && !lower.failed; t = t->next)
        lower_thread(&lower, t);
    if (!lower.failed)
        lt_lower_commands(&lower);
    return lower.failed ? err->cls : MM_OK;
}

static enum mm_class lower_all(const struct lt_test *test, struct ck_program *program, struct mm_error *err)
{
    program->name = mm_arena_strdup(program->arena, test->name);
    program->file = mm_arena_strdup(program->arena, test->file);
    program->vulkan = test->dialect == LT_VULKAN;
    if (!program->name || !program->file)
        return mm_out_of_memory(err);
    enum mm_class cls =
        test->dialect == LT_OPENCL ? lower_opencl(test, program, err) : lt_lower_vulkan(test, program, err);
    if (cls == MM_OK)
        cls = lt_lower_final(test, program, err);
    return cls == MM_OK ? ck_program_validate(program, err) : cls;
}

enum mm_class lt_lower(const struct lt_test *test, struct ck_program **program, struct mm_error *err)
{
    struct mm_error scratch;
    err = err ? err : &scratch;
    *err = (struct mm_error){0};
    *program = ck_program_create();
    if (!*program)
        return mm_out_of_memory(err);
    enum mm_class cls = lower_all(test, *program, err);
    if (cls != MM_OK) {
        ck_program_destroy(*program);
        *program = NULL;
    }
    return cls;
}
