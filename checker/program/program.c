/* Programs: builders, base objects of addresses, and which accesses may race. */
#include "checker/program/program.h"

#include "memmodel/base/array.h"

#include <string.h>

const struct ck_comparison ck_comparisons[CK_COMPARISONS] = {{"==", CK_EQ, false},  {"!=", CK_NE, false},
                                                             {"<=", CK_SLE, false}, {">=", CK_SLE, true},
                                                             {"<", CK_SLT, false},  {">", CK_SLT, true}};

struct ck_program *ck_program_create(void)
{
    struct mm_arena *arena = mm_arena_create();
    struct ck_program *p = arena ? mm_arena_alloc(arena, sizeof *p) : NULL;

    if (p)
        p->names = ck_names_create(arena);
    if (!p || !p->names) {
        mm_arena_destroy(arena);
        return NULL;
    }
    p->arena = arena;
    p->filter = CK_NO_EXPR;
    p->name = p->file = "";
    return p;
}

void ck_program_destroy(struct ck_program *program)
{
    if (program) {
        ck_names_clear(program->names);
        mm_arena_destroy(program->arena);
    }
}

/* ---- builders --------------------------------------------------------------------------------- */

static uint32_t append_item(struct mm_arena *arena, void *array_slot, uint32_t *count, const void *item,
                            size_t size)
{
    return mm_copy_item(mm_arena_add_u32(arena, array_slot, count, size), item, size) ? *count - 1
                                                                                      : CK_NOT_ADDED;
}

/* Copies a string, NULL stays NULL; *OK becomes false when out of memory. */
static const char *copy_name(struct mm_arena *arena, const char *name, bool *ok)
{
    const char *copy = name ? mm_arena_strdup(arena, name) : NULL;

    if (name && !copy)
        *ok = false;
    return copy;
}

uint32_t ck_program_add_object(struct ck_program *program, const struct ck_object *object)
{
    struct ck_object o = *object;
    bool ok = true;

    o.name = copy_name(program->arena, object->name ? object->name : "", &ok);
    o.layout = copy_name(program->arena, object->layout, &ok);
    if (object->initial && object->element_size && object->size <= CK_LARGEST_OBJECT) {
        size_t bytes = (size_t)(object->size / object->element_size) * sizeof *object->initial;
        uint64_t *values = mm_arena_alloc(program->arena, bytes);

        if (values)
            memcpy(values, object->initial, bytes);
        else
            ok = false;
        o.initial = values;
    }
    if (!ok)
        return CK_NOT_ADDED;
    return append_item(program->arena, &program->objects, &program->object_count, &o, sizeof o);
}

uint32_t ck_program_add_thread(struct ck_program *program, const struct ck_thread *thread)
{
    struct ck_thread t = *thread;
    bool ok = true;

    t.name = copy_name(program->arena, thread->name ? thread->name : "", &ok);
    t.reg_count = t.instr_count = 0;
    t.reg_names = NULL;
    t.reg_sizes = NULL;
    t.reg_signed = NULL;
    t.instrs = NULL;
    if (!ok)
        return CK_NOT_ADDED;
    return append_item(program->arena, &program->threads, &program->thread_count, &t, sizeof t);
}

uint32_t ck_program_add_reg(struct ck_program *program, uint32_t thread, const char *name, uint8_t size,
                            bool is_signed)
{
    struct ck_thread *t = &program->threads[thread];
    uint32_t names = t->reg_count, sizes = t->reg_count, signs = t->reg_count;
    bool ok = true;
    const char *copy = copy_name(program->arena, name, &ok);

    if (!ok || append_item(program->arena, &t->reg_names, &names, &copy, sizeof copy) == CK_NOT_ADDED ||
        append_item(program->arena, &t->reg_sizes, &sizes, &size, sizeof size) == CK_NOT_ADDED ||
        append_item(program->arena, &t->reg_signed, &signs, &is_signed, sizeof is_signed) == CK_NOT_ADDED)
        return CK_NOT_ADDED;
    return t->reg_count++;
}

uint32_t ck_program_add_instr(struct ck_program *program, uint32_t thread, const struct ck_instr *instr)
{
    struct ck_thread *t = &program->threads[thread];

    return append_item(program->arena, &t->instrs, &t->instr_count, instr, sizeof *instr);
}

uint32_t ck_program_add_expr(struct ck_program *program, const struct ck_expr *expr)
{
    return append_item(program->arena, &program->exprs, &program->expr_count, expr, sizeof *expr);
}

uint32_t ck_program_add_prop(struct ck_program *program, const struct ck_prop *prop)
{
    return append_item(program->arena, &program->props, &program->prop_count, prop, sizeof *prop);
}

uint32_t ck_program_add_edge(struct ck_program *program, const struct ck_edge *edge)
{
    struct ck_edge e = *edge;
    bool ok = true;

    e.relation = copy_name(program->arena, edge->relation, &ok);
    if (!ok)
        return CK_NOT_ADDED;
    return append_item(program->arena, &program->edges, &program->edge_count, &e, sizeof e);
}

static bool same_term(const struct ck_term *a, const struct ck_term *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CK_TERM_CONST:
        return a->value == b->value;
    case CK_TERM_REG:
        return a->thread == b->thread && a->reg == b->reg;
    case CK_TERM_MEMORY:
        return a->object == b->object && a->offset == b->offset && a->size == b->size;
    }
    return false;
}

unsigned ck_term_size(const struct ck_program *program, const struct ck_term *term)
{
    return term->size ? term->size : program->objects[term->object].element_size;
}

/* A term that is observed already is not added again. */
uint32_t ck_program_add_observed(struct ck_program *program, const struct ck_term *term)
{
    for (uint32_t i = 0; i < program->observed_count; i++)
        if (same_term(&program->observed[i], term))
            return i;
    return append_item(program->arena, &program->observed, &program->observed_count, term, sizeof *term);
}

uint32_t ck_program_add_function(struct ck_program *program, const struct ck_function *function)
{
    struct ck_function f = *function;
    bool ok = true;

    f.name = copy_name(program->arena, function->name, &ok);
    if (!ok)
        return CK_NOT_ADDED;
    return append_item(program->arena, &program->functions, &program->function_count, &f, sizeof f);
}

/* ---- accesses -------------------------------------------------------------------------------------- */

uint32_t ck_program_base(const struct ck_program *p, uint32_t expr)
{
    const struct ck_expr *e = &p->exprs[expr];

    while (e->op == CK_ADD && e->size == 8) {
        const struct ck_expr *a = &p->exprs[e->a], *b = &p->exprs[e->b];
        bool pointer_a = a->op == CK_CONST ? ck_object_at(a->imm) != CK_NO_OBJECT : a->op == CK_ADD;
        bool pointer_b = b->op == CK_CONST ? ck_object_at(b->imm) != CK_NO_OBJECT : b->op == CK_ADD;

        if (pointer_a == pointer_b)
            return CK_NO_OBJECT;
        e = pointer_a ? a : b;
    }
    uint32_t object = e->op == CK_CONST && e->size == 8 ? ck_object_at(e->imm) : CK_NO_OBJECT;
    return object < p->object_count ? object : CK_NO_OBJECT;
}

static bool scope_holds(const struct ck_instr *i, const struct ck_thread *a, const struct ck_thread *b)
{
    bool device = a->device == b->device, group = device && a->work_group == b->work_group;

    switch ((enum mm_scope)i->scope) {
    case MM_SCOPE_SUB_GROUP:
        return group && a->sub_group == b->sub_group;
    case MM_SCOPE_WORK_GROUP:
        return group;
    case MM_SCOPE_QUEUE_FAMILY:
        return device && a->queue_family == b->queue_family;
    case MM_SCOPE_DEVICE:
        return device;
    default:
        return i->scope == MM_SCOPE_ALL_SVM_DEVICES;
    }
}

bool ck_program_next_race(const struct ck_program *program, uint32_t thread, const struct ck_instr *access,
                          uint32_t *t, uint32_t *i)
{
    const struct ck_thread *own = &program->threads[thread];
    uint32_t object = ck_program_base(program, access->address);

    for (; *t < program->thread_count; ++*t, *i = 0) {
        const struct ck_thread *other = &program->threads[*t];

        for (; *i < other->instr_count && *t != thread; ++*i) {
            const struct ck_instr *conflict = &other->instrs[*i];
            uint32_t target;

            if (!ck_instr_is_access(conflict) || (conflict->op == CK_LOAD && access->op != CK_RMW))
                continue;
            target = ck_program_base(program, conflict->address);
            if (object != CK_NO_OBJECT && target != CK_NO_OBJECT &&
                program->objects[object].alias_of != program->objects[target].alias_of)
                continue;
            if (!ck_instr_is_atomic(conflict) || conflict->size != access->size ||
                !scope_holds(conflict, own, other) || !scope_holds(access, own, other))
                return true;
        }
    }
    return false;
}

bool ck_program_may_race(const struct ck_program *program, uint32_t thread, const struct ck_instr *access)
{
    uint32_t t = 0, i = 0;

    return ck_program_next_race(program, thread, access, &t, &i);
}
