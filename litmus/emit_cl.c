/* From a test to an OpenCL C kernel that runs many instances of it at once.
 *
 * Each launched work-group plays one work-group of the test, each work-item one thread; which one is a
 * permutation that the runner chooses.  An instance has its own copy of the locations.  Statements between
 * barriers become phases, so that all work-items of a work-group meet at the same barrier call
 * [CLC 6.15.8], whatever thread they play. */
#include "litmus/ast.h"
#include "litmus/lower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct emitter {
    struct lt_test *test;
    const struct ck_program *program;
    struct lt_kernel *kernel;
    FILE *out;
    bool failed; /* out of memory */
};

static const char *type_name(uint8_t size, bool is_signed)
{
    switch (size) {
    case 1:
        return is_signed ? "char" : "uchar";
    case 2:
        return is_signed ? "short" : "ushort";
    case 8:
        return is_signed ? "long" : "ulong";
    default:
        return is_signed ? "int" : "uint";
    }
}

bool lt_observed_stored(const struct ck_program *program, uint32_t i)
{
    const struct ck_term *term = &program->observed[i];
    return term->kind == CK_TERM_REG || program->objects[term->object].region == MM_LOCAL;
}

void lt_observed_name(const struct ck_program *program, uint32_t i, char *buf, size_t size)
{
    const struct ck_term *term = &program->observed[i];
    if (term->kind == CK_TERM_REG) {
        const struct ck_thread *thread = &program->threads[term->thread];
        snprintf(buf, size, "%s:%s", thread->name + (*thread->name == 'P'), thread->reg_names[term->reg]);
        return;
    }
    const struct ck_object *object = &program->objects[term->object];
    if (object->size > object->element_size)
        snprintf(buf, size, "%s[%u]", object->name, term->offset / object->element_size);
    else
        snprintf(buf, size, "%s", object->name);
}

static void cannot(struct emitter *e, const char *reason)
{
    if (!e->kernel->reason)
        e->kernel->reason = reason;
}

/* ---- making statements fit --------------------------------------------------------------------------- */

static bool is_barrier(const struct lt_stmt *s)
{
    return s->kind == LT_EVAL && s->value->kind == LT_CALL &&
           (s->value->function->kind == LT_F_BARRIER || s->value->function->kind == LT_F_SUB_GROUP_BARRIER);
}

static void note_expr(struct emitter *e, const struct lt_expr *x)
{
    if (!x)
        return;
    if (x->kind == LT_CALL) {
        uint8_t order = x->order ? x->order : x->function->order,
                scope = x->scope ? x->scope : MM_SCOPE_DEVICE;
        bool barrier = x->function->kind == LT_F_BARRIER || x->function->kind == LT_F_SUB_GROUP_BARRIER;
        if (!barrier || x->scope) {
            e->kernel->orders |= 1u << order | 1u << x->order_fail;
            e->kernel->scopes |= 1u << scope;
        }
        e->kernel->sub_groups |= x->function->kind == LT_F_SUB_GROUP_BARRIER;
    }
    note_expr(e, x->a);
    note_expr(e, x->b);
    note_expr(e, x->c);
}

static const struct lt_param *pointer_param(const struct lt_thread *thread, const char *name)
{
    for (const struct lt_param *p = thread->params; p; p = p->next)
        if (p->type.is_pointer && strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static struct lt_expr *new_node(struct emitter *e, enum lt_expr_kind kind, const char *name,
                                struct lt_expr *a)
{
    struct lt_expr *x = mm_arena_alloc(e->test->arena, sizeof *x);
    if (!x) {
        e->failed = true;
        return NULL;
    }
    *x = (struct lt_expr){.kind = kind, .name = name, .a = a, .depth = 1};
    return x;
}

/* Registers are declared once, before all phases: declarations become assignments.  A store written
 * "x = 1" becomes "*x = 1". */
static void hoist(struct emitter *e, const struct lt_thread *thread, struct lt_stmt *s, bool top)
{
    for (; s && !e->failed; s = s->next) {
        note_expr(e, s->value);
        note_expr(e, s->target);
        if (!top && is_barrier(s))
            cannot(e, "a barrier under control flow");
        if (s->kind == LT_RETURN)
            cannot(e, "a return statement");
        if (s->kind == LT_DECLARE) {
            if (s->type.is_pointer)
                cannot(e, "a pointer in a register");
            s->kind = s->value ? LT_ASSIGN : LT_EMPTY;
            s->target = new_node(e, LT_NAME, s->name, NULL);
        } else if (s->kind == LT_ASSIGN && s->target->kind == LT_NAME &&
                   pointer_param(thread, s->target->name)) {
            s->target = new_node(e, LT_DEREF, NULL, s->target);
        }
        if (!is_barrier(s))
            s->label = NULL;
        hoist(e, thread, s->init, false);
        hoist(e, thread, s->step, false);
        hoist(e, thread, s->body, false);
        hoist(e, thread, s->other, false);
    }
}

/* ---- groups and members ---------------------------------------------------------------------------------
 */

/* The thread that member MEMBER of work-group GROUP plays, NULL if there is none. */
static const struct lt_thread *member_thread(const struct lt_test *test, uint32_t group, uint32_t member,
                                             uint32_t *index)
{
    *index = 0;
    for (const struct lt_thread *t = test->threads; t; t = t->next, (*index)++)
        if (lt_dense_group(test, t) == group && member-- == 0)
            return t;
    return NULL;
}

static void count_groups(struct emitter *e)
{
    struct lt_kernel *k = e->kernel;
    for (const struct lt_thread *t = e->test->threads; t; t = t->next) {
        uint32_t group = lt_dense_group(e->test, t), members = 0, index;
        if (group + 1 > k->group_count)
            k->group_count = group + 1;
        if (t->device + 1 > k->device_count)
            k->device_count = t->device + 1;
        while (member_thread(e->test, group, members, &index))
            members++;
        if (members > k->member_count)
            k->member_count = members;
        k->sub_groups |= t->has_sub_group;
    }
}

static const struct lt_stmt *next_barrier(const struct lt_stmt *s)
{
    while (s && !is_barrier(s))
        s = s->next;
    return s;
}

static bool same_barrier(const struct lt_stmt *a, const struct lt_stmt *b)
{
    if (!a || !b)
        return !a && !b;
    bool labels = (!a->label && !b->label) || (a->label && b->label && strcmp(a->label, b->label) == 0);
    const struct lt_expr *x = a->value, *y = b->value;
    return labels && x->function == y->function && x->flags == y->flags && x->scope == y->scope;
}

/* All threads of a work-group must execute the same barriers, or the kernel could not meet at them. */
static void check_barriers(struct emitter *e, uint32_t group)
{
    uint32_t index;
    const struct lt_thread *first = member_thread(e->test, group, 0, &index);
    for (uint32_t m = 1; m < e->kernel->member_count; m++) {
        const struct lt_thread *t = member_thread(e->test, group, m, &index);
        const struct lt_stmt *a = next_barrier(first->body), *b = t ? next_barrier(t->body) : a;
        if (!t)
            break;
        while (a && b && same_barrier(a, b)) {
            a = next_barrier(a->next);
            b = next_barrier(b->next);
        }
        if (!same_barrier(a, b))
            cannot(e, "threads of a work-group that do not execute the same barriers");
    }
}

/* ---- the kernel
 * --------------------------------------------------------------------------------------------- */

static void emit_params(struct emitter *e)
{
    const char *out = e->kernel->wide ? "long" : "int";
    fprintf(e->out,
            "kernel void refcl_litmus(global %s *refcl_out, uint refcl_n, uint refcl_slots, uint4 refcl_map, "
            "uint2 refcl_spread",
            out);
    for (uint32_t i = 0; i < e->program->object_count; i++)
        if (e->program->objects[i].region != MM_LOCAL)
            fprintf(e->out, ",\n                         global %s *refcl_m%u",
                    type_name(e->program->objects[i].element_size, true), i);
    fputs(")\n{\n", e->out);
}

static uint32_t elements(const struct ck_object *object)
{
    return (uint32_t)(object->size / object->element_size);
}

static void emit_locals(struct emitter *e)
{
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        if (o->region == MM_LOCAL)
            fprintf(e->out, "    local %s refcl_m%u[REFCL_SLOTS * %u];\n", type_name(o->element_size, true),
                    i, elements(o));
    }
}

static void emit_place(struct emitter *e)
{
    fprintf(
        e->out,
        "    uint refcl_g = ((uint)get_group_id(0) * refcl_map.x + refcl_map.y) %% (uint)get_num_groups(0);\n"
        "    uint refcl_l = ((uint)get_local_id(0) * refcl_map.z + refcl_map.w) %% (uint)get_local_size(0);\n"
        "    uint refcl_slot = refcl_l / %uu, refcl_member = refcl_l %% %uu;\n"
        "    uint refcl_role = refcl_g %% %uu;\n"
        "    uint refcl_i = refcl_g / %uu * refcl_slots + refcl_slot;\n"
        "    bool refcl_on = refcl_slot < refcl_slots && refcl_i < refcl_n;\n",
        e->kernel->member_count, e->kernel->member_count, e->kernel->group_count, e->kernel->group_count);
}

/* One variable per register name, whatever the thread: a work-item plays one thread only. */
static void emit_registers(struct emitter *e)
{
    for (uint32_t t = 0; t < e->program->thread_count; t++)
        for (uint32_t r = 0; r < e->program->threads[t].reg_count; r++) {
            const struct ck_thread *thread = &e->program->threads[t];
            const char *name = thread->reg_names[r];
            bool seen = false;
            for (uint32_t u = 0; name && u < t; u++) {
                uint32_t other = lt_find_reg(e->program, u, name);
                if (other == CK_NO_REG)
                    continue;
                seen = true;
                if (e->program->threads[u].reg_sizes[other] != thread->reg_sizes[r] ||
                    e->program->threads[u].reg_signed[other] != thread->reg_signed[r])
                    cannot(e, "registers of one name with two types");
            }
            if (name && !seen)
                fprintf(e->out, "    %s %s = 0;\n", type_name(thread->reg_sizes[r], thread->reg_signed[r]),
                        name);
        }
}

static void emit_local_init(struct emitter *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        if (o->region != MM_LOCAL)
            continue;
        any = true;
        for (uint32_t n = 0; n < elements(o); n++)
            fprintf(e->out,
                    "    if (refcl_slot < refcl_slots && refcl_member == 0)\n"
                    "        refcl_m%u[refcl_slot * %uu + %uu] = (%s)%" PRId64 "l;\n",
                    i, elements(o), n, type_name(o->element_size, true), (int64_t)o->initial[n]);
    }
    if (any)
        fputs("    barrier(CLK_LOCAL_MEM_FENCE);\n", e->out);
}

static void emit_pointers(struct emitter *e, const struct lt_thread *t)
{
    for (const struct lt_param *p = t->params; p; p = p->next) {
        uint32_t i = p->type.is_pointer ? lt_find_object(e->program, p->name) : UINT32_MAX;
        if (i == UINT32_MAX)
            continue;
        const struct ck_object *o = &e->program->objects[i];
        const char *region = o->region == MM_LOCAL ? "local" : "global";
        const char *qualifier = p->type.is_volatile ? "volatile " : "";
        fprintf(e->out, "            %s%s %s *%s = (%s%s %s *)(refcl_m%u + ", qualifier, region,
                p->type.base->name, p->name, qualifier, region, p->type.base->name, i);
        if (o->region == MM_LOCAL)
            fprintf(e->out, "refcl_slot * %uu);\n", elements(o));
        else
            fprintf(e->out, "(refcl_i * refcl_spread.x + %uu * refcl_spread.y) * %uu);\n", i, elements(o));
    }
}

/* Statements of thread T from *S up to its next barrier. */
static void emit_phase(struct emitter *e, const struct lt_thread *t, uint32_t member, const struct lt_stmt *s)
{
    fprintf(e->out, "        if (refcl_on && refcl_member == %uu) {\n", member);
    emit_pointers(e, t);
    for (; s && !is_barrier(s); s = s->next)
        lt_print_stmt(s, 12, e->out);
    fputs("        }\n", e->out);
}

/* Statements of thread T from the start of phase PHASE (0: before its first barrier) on; NULL also if it has
 * no such phase. */
static const struct lt_stmt *phase_of(const struct lt_thread *t, uint32_t phase, bool *exists)
{
    const struct lt_stmt *s = t->body;
    *exists = true;
    for (; phase; phase--) {
        const struct lt_stmt *barrier = next_barrier(s);
        *exists = barrier != NULL;
        if (!barrier)
            return NULL;
        s = barrier->next;
    }
    return s;
}

static void emit_barrier(struct emitter *e, const struct lt_stmt *barrier, unsigned indent)
{
    struct lt_stmt plain = *barrier;
    plain.label = NULL;
    lt_print_stmt(&plain, indent, e->out);
}

/* The barrier that ends phase PHASE of work-group GROUP, NULL if it has none. */
static const struct lt_stmt *phase_end(const struct emitter *e, uint32_t group, uint32_t phase)
{
    uint32_t index;
    bool exists;
    const struct lt_stmt *s = phase_of(member_thread(e->test, group, 0, &index), phase, &exists);
    return exists ? next_barrier(s) : NULL;
}

/* One barrier for all work-groups where they agree: those that are through with their statements lose
 * nothing by it, and a barrier outside of all conditions is what compilers do best. */
static bool emit_phase_end(struct emitter *e, uint32_t phase)
{
    const struct lt_stmt *first = NULL;
    bool agree = true;
    for (uint32_t g = 0; g < e->kernel->group_count; g++) {
        const struct lt_stmt *barrier = phase_end(e, g, phase);
        if (!first)
            first = barrier;
        if (!barrier || barrier == first)
            continue;
        struct lt_stmt a = *first, b = *barrier;
        a.label = b.label = NULL;
        agree &= same_barrier(&a, &b);
    }
    if (first && agree)
        emit_barrier(e, first, 4);
    for (uint32_t g = 0; first && !agree && g < e->kernel->group_count; g++)
        if (phase_end(e, g, phase)) {
            fprintf(e->out, "    if (refcl_role == %uu)\n", g);
            emit_barrier(e, phase_end(e, g, phase), 8);
        }
    return first != NULL;
}

static void emit_phases(struct emitter *e)
{
    uint32_t phase = 0, index;
    const struct lt_thread *t;
    bool exists;
    do {
        for (uint32_t g = 0; g < e->kernel->group_count; g++) {
            fprintf(e->out, "    if (refcl_role == %uu) {\n", g);
            for (uint32_t m = 0; (t = member_thread(e->test, g, m, &index)); m++) {
                const struct lt_stmt *s = phase_of(t, phase, &exists);
                if (exists)
                    emit_phase(e, t, m, s);
            }
            fputs("    }\n", e->out);
        }
    } while (emit_phase_end(e, phase++));
}

static void emit_store(struct emitter *e, uint32_t group, uint32_t member, uint32_t column, const char *value)
{
    fprintf(e->out,
            "    if (refcl_on && refcl_role == %uu && refcl_member == %uu)\n"
            "        refcl_out[%uu * refcl_n + refcl_i] = %s;\n",
            group, member, column, value);
}

static void emit_register_results(struct emitter *e)
{
    uint32_t column = 0;
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        const struct ck_term *term = &e->program->observed[i];
        if (!lt_observed_stored(e->program, i))
            continue;
        uint32_t group = 0, member = 0, index;
        for (; group < e->kernel->group_count; group++) {
            for (member = 0; member_thread(e->test, group, member, &index); member++)
                if (term->kind == CK_TERM_REG && index == term->thread)
                    break;
            if (term->kind == CK_TERM_REG && member_thread(e->test, group, member, &index))
                break;
        }
        char value[160];
        if (term->kind == CK_TERM_REG) {
            snprintf(value, sizeof value, "%.100s", e->program->threads[term->thread].reg_names[term->reg]);
            emit_store(e, group, member, column, value);
        } else {
            const struct ck_object *o = &e->program->objects[term->object];
            snprintf(value, sizeof value, "refcl_m%u[refcl_slot * %uu + %uu]", term->object, elements(o),
                     term->offset / o->element_size);
            emit_store(e, (uint32_t)o->work_group, 0, column, value);
        }
        column++;
    }
    e->kernel->columns = column;
}

/* Where the work-items of an instance were, so that the runner can tell whether the sub-groups are right. */
static void emit_sub_groups(struct emitter *e)
{
    uint32_t index;
    for (uint32_t group = 0; group < e->kernel->group_count; group++)
        for (uint32_t m = 0; member_thread(e->test, group, m, &index); m++)
            emit_store(e, group, m, e->kernel->columns + index, "(int)get_sub_group_id()");
    e->kernel->columns += e->program->thread_count;
}

static void check_objects(struct emitter *e)
{
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        if (o->region == MM_LOCAL && o->work_group < 0)
            cannot(e, "local memory that several work-groups share");
        if (o->region == MM_CONSTANT || o->region == MM_PRIVATE)
            cannot(e, "a location in constant or private memory");
        e->kernel->uses_long |= o->element_size == 8;
    }
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        const struct ck_term *t = &e->program->observed[i];
        uint8_t size = t->kind == CK_TERM_REG ? e->program->threads[t->thread].reg_sizes[t->reg]
                                              : e->program->objects[t->object].element_size;
        e->kernel->wide |= size == 8 && lt_observed_stored(e->program, i);
    }
}

static void emit_all(struct emitter *e)
{
    emit_params(e);
    emit_locals(e);
    emit_place(e);
    emit_registers(e);
    emit_local_init(e);
    emit_phases(e);
    bool local = false;
    for (uint32_t i = 0; i < e->program->object_count; i++)
        local |= e->program->objects[i].region == MM_LOCAL;
    if (local)
        fputs("    barrier(CLK_LOCAL_MEM_FENCE);\n", e->out);
    emit_register_results(e);
    if (e->kernel->sub_groups)
        emit_sub_groups(e);
    fputs("}\n", e->out);
}

enum mm_class lt_emit_kernel(struct lt_test *test, const struct ck_program *program, struct lt_kernel *kernel,
                             struct mm_error *err)
{
    *kernel = (struct lt_kernel){0};
    struct emitter e = {.test = test, .program = program, .kernel = kernel};
    count_groups(&e);
    for (struct lt_thread *t = test->threads; t; t = t->next)
        hoist(&e, t, t->body, true);
    for (uint32_t g = 0; g < kernel->group_count; g++)
        check_barriers(&e, g);
    check_objects(&e);
    if (test->filter)
        cannot(&e, "a filter on executions");
    if (kernel->device_count > 1)
        cannot(&e, "two devices that share fine-grained memory");
    if (e.failed)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    if (kernel->reason)
        return MM_OK;
    size_t size = 0;
    e.out = open_memstream(&kernel->source, &size);
    if (!e.out)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    emit_all(&e);
    if (fclose(e.out) != 0)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    kernel->uses_long |= kernel->wide;
    return MM_OK;
}
