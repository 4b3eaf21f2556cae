/* Translates a test to an OpenCL C kernel that runs many instances of it concurrently.
 *
 * Each launched work-group runs one work-group of the test, each work-item one thread; the runner chooses the
 * permutation.  Each instance has a private copy of the locations.  Statements between
 * barriers become phases, so that all work-items of a work-group meet at the same barrier call
 * [CLC 6.15.8], whatever thread they run. */
#include "litmus/emit/emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *lt_emit_type(uint8_t size, bool is_signed)
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

void lt_emit_cannot(struct emitter *e, const char *reason)
{
    if (!e->kernel->reason)
        e->kernel->reason = reason;
}

/* ---- making statements fit --------------------------------------------------------------------------- */

bool lt_emit_is_barrier(const struct lt_stmt *s)
{
    return s->kind == LT_EVAL && s->value->kind == LT_CALL &&
           (s->value->function->kind == LT_F_BARRIER || s->value->function->kind == LT_F_SUB_GROUP_BARRIER);
}

static void note_expr(struct emitter *e, const struct lt_expr *x)
{
    if (!x)
        return;
    if (x->kind == LT_CALL) {
        bool barrier = x->function->kind == LT_F_BARRIER || x->function->kind == LT_F_SUB_GROUP_BARRIER;
        bool mem_fence = x->function->kind == LT_F_FENCE && !x->order;
        uint8_t order = x->order ? x->order : x->function->order, scope = x->scope    ? x->scope
                                                                          : mem_fence ? MM_SCOPE_WORK_GROUP
                                                                                      : MM_SCOPE_DEVICE;
        if ((!barrier && !mem_fence) || x->scope) {
            e->kernel->orders |= 1u << order | 1u << x->order_fail;
            e->kernel->scopes |= 1u << scope;
        }
        e->kernel->sub_groups |= x->function->kind == LT_F_SUB_GROUP_BARRIER;
        if (scope == MM_SCOPE_WORK_ITEM && !barrier && x->function->kind != LT_F_FENCE)
            lt_emit_cannot(e, "an atomic operation whose scope is the work-item, which is not valid");
        e->kernel->legacy &= lt_emit_fits_legacy(x, order, scope);
    }
    note_expr(e, x->a);
    note_expr(e, x->b);
    note_expr(e, x->c);
}

struct lt_expr *lt_emit_node(struct emitter *e, enum lt_expr_kind kind, const char *name, struct lt_expr *a)
{
    struct lt_expr *x = mm_arena_alloc(e->test->arena, sizeof *x);
    if (!x) {
        e->failed = true;
        return NULL;
    }
    *x = (struct lt_expr){.kind = kind, .name = name, .a = a, .depth = 1};
    return x;
}

static void note_parameters(struct emitter *e, const struct lt_thread *thread)
{
    for (const struct lt_param *p = thread->params; p; p = p->next)
        e->kernel->generic |= p->type.is_generic;
    e->kernel->legacy &= !e->kernel->generic;
}

/* Notes why a kernel cannot have S. */
static void check_statement(struct emitter *e, const struct lt_thread *thread, const struct lt_stmt *s,
                            bool top)
{
    if (!top && lt_emit_is_barrier(s))
        lt_emit_cannot(e, "a barrier under control flow");
    if (s->kind == LT_RETURN)
        lt_emit_cannot(e, "a return statement");
    if (s->kind == LT_DECLARE && s->type.is_pointer)
        lt_emit_cannot(e, "a pointer in a register");
    if (lt_emit_writes_image(e, thread, s->init) || lt_emit_writes_image(e, thread, s->step))
        lt_emit_cannot(e, "an image that the head of a loop writes");
}

/* Registers are declared once, before all phases: declarations become assignments.  A store written
 * "x = 1" becomes "*x = 1". */
static void make_assignment(struct emitter *e, const struct lt_thread *thread, struct lt_stmt *s)
{
    if (s->kind == LT_DECLARE) {
        s->kind = s->value ? LT_ASSIGN : LT_EMPTY;
        s->target = lt_emit_node(e, LT_NAME, s->name, NULL);
    } else if (s->kind == LT_ASSIGN && s->target->kind == LT_NAME && lt_find_param(thread, s->target->name)) {
        s->target = lt_emit_node(e, LT_DEREF, NULL, s->target);
    }
}

void lt_emit_prepare(struct emitter *e, const struct lt_thread *thread, struct lt_stmt *s, bool top)
{
    if (top)
        note_parameters(e, thread);
    for (; s && !e->failed; s = s->next) {
        note_expr(e, s->value);
        note_expr(e, s->target);
        e->kernel->waits |= s->kind == LT_WHILE || s->kind == LT_DO || s->kind == LT_FOR;
        check_statement(e, thread, s, top);
        make_assignment(e, thread, s);
        if (!lt_emit_is_barrier(s))
            s->label = NULL;
        lt_emit_image_access(e, thread, s);
        lt_emit_fit(e, thread, s->value);
        lt_emit_fit(e, thread, s->target);
        lt_emit_prepare(e, thread, s->init, false);
        lt_emit_prepare(e, thread, s->step, false);
        lt_emit_prepare(e, thread, s->body, false);
        lt_emit_prepare(e, thread, s->other, false);
    }
}

/* ---- groups and members -------------------------------------------------------------------------- */

/* The first work-item, in text order, of THREAD's work-group. */
static const struct lt_thread *leader_of(const struct lt_test *test, const struct lt_thread *thread)
{
    const struct lt_thread *leader = test->threads;
    while (leader->host || !lt_same_work_group(leader, thread))
        leader = leader->next;
    return leader;
}

const struct lt_thread *lt_emit_member(const struct lt_test *test, uint32_t kernel, uint32_t group,
                                       uint32_t member, uint32_t *index)
{
    const struct lt_thread *leader = NULL;
    uint32_t place = 0;
    for (const struct lt_thread *t = test->threads; t; t = t->next, place++) {
        if (t->host || t->kernel != kernel)
            continue;
        if (!leader && leader_of(test, t) == t && group-- == 0)
            leader = t;
        if (!leader || leader_of(test, t) != leader || member-- > 0)
            continue;
        if (index)
            *index = place;
        return t;
    }
    return NULL;
}

void lt_emit_kernel_size(const struct lt_test *test, uint32_t kernel, uint32_t *groups, uint32_t *members)
{
    *members = 0;
    for (*groups = 0; lt_emit_member(test, kernel, *groups, 0, NULL); ++*groups)
        while (lt_emit_member(test, kernel, *groups, *members, NULL))
            ++*members;
}

const struct lt_stmt *lt_emit_next_barrier(const struct lt_stmt *s)
{
    while (s && !lt_emit_is_barrier(s))
        s = s->next;
    return s;
}

bool lt_emit_same_barrier(const struct lt_stmt *a, const struct lt_stmt *b)
{
    if (!a || !b)
        return !a && !b;
    bool labels = (!a->label && !b->label) || (a->label && b->label && strcmp(a->label, b->label) == 0);
    const struct lt_expr *x = a->value, *y = b->value;
    return labels && x->function == y->function && x->flags == y->flags && x->scope == y->scope;
}

void lt_emit_check_barriers(struct emitter *e)
{
    for (const struct lt_thread *t = e->test->threads; t; t = t->next) {
        if (t->host)
            continue;
        const struct lt_stmt *a = lt_emit_next_barrier(leader_of(e->test, t)->body),
                             *b = lt_emit_next_barrier(t->body);
        for (; a && b && lt_emit_same_barrier(a, b); b = lt_emit_next_barrier(b->next))
            a = lt_emit_next_barrier(a->next);
        if (!lt_emit_same_barrier(a, b))
            lt_emit_cannot(e, "threads of a work-group that do not execute the same barriers");
    }
}

/* ---- the statements ----------------------------------------------------------------------------- */

/* Declares parameter P, which points to OBJECT at PLACE. */
static void emit_pointer(struct emitter *e, const struct lt_param *p, uint32_t object, const char *place)
{
    bool local = e->program->objects[object].region == MM_LOCAL;
    char type[64];
    snprintf(type, sizeof type, "%s%s%s *", p->type.is_volatile ? "volatile " : "",
             p->type.is_generic ? ""
             : local            ? "local "
                                : "global ",
             p->type.base->name);
    fprintf(e->out, "            %s%s = ", type, p->name);
    if (p->type.is_generic)
        fprintf(e->out, "REFCL_GENERIC(%s, %s, %s);\n", type, place, local ? "refcl_out" : "refcl_near");
    else
        fprintf(e->out, "(%s)(%s);\n", type, place);
}

void lt_emit_pointers(struct emitter *e, const struct lt_thread *t)
{
    for (const struct lt_param *p = t->params; p; p = p->next) {
        uint32_t i = p->type.is_pointer ? ck_program_find_object(e->program, p->name) : CK_NO_OBJECT;
        char place[80];
        if (i == CK_NO_OBJECT || e->program->objects[i].region == MM_IMAGE)
            continue;
        const struct ck_object *o = &e->program->objects[i];
        if (e->one_instance)
            snprintf(place, sizeof place, "refcl_m%u", i);
        else if (o->region == MM_LOCAL)
            snprintf(place, sizeof place, "refcl_m%u + refcl_slot * %uu", i, lt_elements(o));
        else
            snprintf(place, sizeof place, "refcl_m%u + REFCL_AT(refcl_i, %u) * %uu", i, i, lt_elements(o));
        emit_pointer(e, p, i, place);
    }
}

/* Statements of thread T from *S up to its next barrier. */
static void emit_phase(struct emitter *e, const struct lt_thread *t, uint32_t member, const struct lt_stmt *s)
{
    fprintf(e->out, "        if (refcl_on && refcl_member == %uu) {\n", member);
    lt_emit_pointers(e, t);
    for (; s && !lt_emit_is_barrier(s); s = s->next)
        lt_print_stmt(s, 12, e->out);
    fputs("        }\n", e->out);
}

const struct lt_stmt *lt_emit_phase_of(const struct lt_thread *t, uint32_t phase, bool *exists)
{
    const struct lt_stmt *s = t->body;
    *exists = true;
    for (; phase; phase--) {
        const struct lt_stmt *barrier = lt_emit_next_barrier(s);
        *exists = barrier != NULL;
        if (!barrier)
            return NULL;
        s = barrier->next;
    }
    return s;
}

void lt_emit_barrier(struct emitter *e, const struct lt_stmt *barrier, unsigned indent)
{
    struct lt_stmt plain = *barrier;
    plain.label = NULL;
    lt_print_stmt(&plain, indent, e->out);
}

/* The barrier that ends phase PHASE of work-group GROUP, NULL if it has none. */
static const struct lt_stmt *phase_end(const struct emitter *e, uint32_t group, uint32_t phase)
{
    bool exists;
    const struct lt_stmt *s =
        lt_emit_phase_of(lt_emit_member(e->test, e->number, group, 0, NULL), phase, &exists);
    return exists ? lt_emit_next_barrier(s) : NULL;
}

/* Emits one barrier for all work-groups if they agree on it: work-groups that have finished their statements
 * may execute it as well, and compilers handle barriers outside of conditions best. */
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
        agree &= lt_emit_same_barrier(&a, &b);
    }
    if (first && agree)
        lt_emit_barrier(e, first, 4);
    for (uint32_t g = 0; first && !agree && g < e->kernel->group_count; g++)
        if (phase_end(e, g, phase)) {
            fprintf(e->out, "    if (refcl_role == %uu)\n", g);
            lt_emit_barrier(e, phase_end(e, g, phase), 8);
        }
    return first != NULL;
}

static void emit_phases(struct emitter *e)
{
    uint32_t phase = 0;
    const struct lt_thread *t;
    bool exists;
    do {
        for (uint32_t g = 0; g < e->kernel->group_count; g++) {
            fprintf(e->out, "    if (refcl_role == %uu) {\n", g);
            for (uint32_t m = 0; (t = lt_emit_member(e->test, e->number, g, m, NULL)); m++) {
                const struct lt_stmt *s = lt_emit_phase_of(t, phase, &exists);
                if (exists)
                    emit_phase(e, t, m, s);
            }
            fputs("    }\n", e->out);
        }
    } while (emit_phase_end(e, phase++));
}

static void check_objects(struct emitter *e)
{
    for (const struct lt_thread *t = e->test->threads; t; t = t->next) {
        if (t->host || t->kernel != e->number)
            lt_emit_cannot(e, "host threads or several kernels");
        e->kernel->sub_groups |= t->has_sub_group;
    }
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        if (o->region == MM_LOCAL && o->work_group < 0)
            lt_emit_cannot(e, "local memory that several work-groups share");
        if (o->region == MM_CONSTANT || o->region == MM_PRIVATE)
            lt_emit_cannot(e, "a location in constant or private memory");
        if (o->region == MM_IMAGE && (o->element_size != 4 || o->origin == MM_ORIGIN_HOST))
            lt_emit_cannot(e, "an image of elements other than int and uint, or in memory of the host");
        if (o->origin == MM_ORIGIN_HOST)
            lt_emit_cannot(e, "memory of the host");
        e->kernel->uses_long |= o->element_size == 8;
        e->kernel->legacy &= o->is_signed && o->region != MM_IMAGE;
    }
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        uint8_t size = lt_term_size(e->program, &e->program->observed[i]);
        e->kernel->wide |= size == 8 && lt_observed_stored(e->program, i);
    }
}

static void emit_all(struct emitter *e)
{
    lt_emit_prologue(e);
    emit_phases(e);
    lt_emit_epilogue(e);
    lt_emit_collect(e);
}

enum mm_class lt_emit_kernel(struct lt_test *test, const struct ck_program *program, struct lt_kernel *kernel,
                             struct mm_error *err)
{
    *kernel = (struct lt_kernel){.legacy = true};
    struct emitter e = {.test = test, .program = program, .kernel = kernel, .number = test->threads->kernel};
    lt_emit_kernel_size(test, e.number, &kernel->group_count, &kernel->member_count);
    for (struct lt_thread *t = test->threads; t; t = t->next)
        lt_emit_prepare(&e, t, t->body, true);
    lt_emit_check_barriers(&e);
    check_objects(&e);
    for (const struct lt_thread *t = test->threads; t; t = t->next)
        if (t->device > 0)
            lt_emit_cannot(&e, "two devices that share fine-grained memory");
    if (e.failed)
        return mm_out_of_memory(err);
    if (kernel->reason)
        return MM_OK;
    size_t size = 0;
    e.out = open_memstream(&kernel->source, &size);
    if (!e.out)
        return mm_out_of_memory(err);
    emit_all(&e);
    if (fclose(e.out) != 0)
        return mm_out_of_memory(err);
    kernel->uses_long |= kernel->wide;
    kernel->legacy &= !kernel->uses_long && !kernel->sub_groups;
    return MM_OK;
}
