/* Symbolic inputs: arguments given as `any`, with ranges, and the conditions of --requires about them
 * (checker/program/inputs.c). Numbers in conditions have 64 bits; arguments are extended as their types
 * say. */
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/image/image.h"
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/launch/require.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 3, MOST_INSTANCES = 1 << 16 };

struct variable { /* an index, universally quantified */
    const char *name;
    uint64_t count, value;
};
struct requirement {
    struct ex *ex;
    const char *text;
    struct variable variables[MOST_VARIABLES];
    unsigned variable_count;
    uint64_t instances;
    bool outside; /* an index is out of bounds: the instance is not added */
};

static uint32_t build_condition(struct requirement *r, const struct require *e);

_Noreturn static void reject(struct requirement *r, const struct require *e, const char *what)
{
    ex_fail(r->ex, MM_INVALID, "explore.requires", "--requires '%.200s': %s at '%.30s'", r->text, what,
            e->at);
}

/* ---- inputs ------------------------------------------------------------------------------------- */

/* The kernel's parameter called NAME, 0: none. */
static uint32_t find_parameter(struct ex *ex, const char *name)
{
    const struct in_function *f = in_spirv_function(ex->module.decoded, ex->entry->function);
    for (uint32_t i = 0; i < f->param_count; i++)
        if (strcmp(ex_id(ex, f->params[i])->name, name) == 0)
            return f->params[i];
    return 0;
}

const struct ex_input *ex_input_of(const struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        if (ex->config.inputs[i].id == id && ex->config.inputs[i].given)
            return &ex->config.inputs[i];
    return NULL;
}

static bool is_argument(const struct ex *ex, const struct ex_place *p)
{
    return (p->is_array || p->storage == SpvStorageClassFunction) && p->storage != SpvStorageClassWorkgroup &&
           ex->program->objects[p->object].uninitialized;
}

/* The type of the numbers that P holds; NULL: they are of several types. */
static const struct in_ty *number_type(struct ex *ex, const struct ex_place *p)
{
    bool by_value = p->storage == SpvStorageClassFunction;
    const struct in_ty *t = by_value ? ex_type_of(ex, p->id) : p->pointee;
    const struct ex_shape *shape;
    t = by_value && t->kind == IN_TY_POINTER ? ex_pointed(ex, t) : t;
    shape = ex_shape(ex, t);
    if (by_value)
        return shape->scalars[p->scalar].type;
    for (uint32_t i = 1; i < shape->count; i++)
        if (shape->scalars[i].type != shape->scalars[0].type)
            return NULL;
    return shape->count ? shape->scalars[0].type : NULL;
}

/* SPIR-V types of kernels have no sign [SPIRV 2.16.1]. */
bool ex_is_unsigned(const struct ex *ex, uint32_t id)
{
    char type[EX_SOURCE_TYPE];
    const struct ex_input *input = ex_input_of(ex, id);
    if (input && input->image)
        return ex->build.images[input->image - 1].is_unsigned;
    return ex_source_type(ex, id, type) && (*type == 'u' || strncmp(type, "size_t", 6) == 0);
}

static void add_inputs(struct ex *ex, const struct ex_place *p, const struct ex_input *given)
{
    const struct ck_object *o = &ex->program->objects[p->object];
    const struct in_ty *t = number_type(ex, p);
    uint64_t mask = o->element_size < 8 ? (UINT64_C(1) << (8 * o->element_size)) - 1 : UINT64_MAX;
    struct ck_input input = {.object = p->object, .size = o->element_size, .span = mask};
    if (ck_program_first_input(ex->program, p->object) != CK_NO_INPUT)
        return;
    if (given && given->ranged) {
        bool fits =
            mask == UINT64_MAX || (given->high <= (int64_t)mask && given->low >= -(int64_t)(mask / 2) - 1);
        if (!t || t->kind != IN_TY_INT || t->size != o->element_size || !fits)
            ex_fail(ex, MM_INVALID, "explore.arguments",
                    "--arg: the range %" PRId64 "..%" PRId64 " does not fit %s", given->low, given->high,
                    !t || t->kind != IN_TY_INT ? "what is no integer" : o->name);
        input.low = (uint64_t)given->low & mask;
        input.span = (uint64_t)given->high - (uint64_t)given->low;
        input.span = input.span > mask ? mask : input.span;
    }
    for (; input.offset < o->size; input.offset += o->element_size)
        ex_check_added(ex, ck_program_add_input(ex->program, &input));
}

/* ---- terms -------------------------------------------------------------------------------------- */

static uint32_t constant_value(struct ex *ex, uint64_t value)
{
    return ex_const(ex, value, 8);
}

static uint32_t extend_value(struct requirement *r, uint32_t id, uint32_t expr)
{
    return ex_resize(r->ex, expr, 8, !ex_is_unsigned(r->ex, id));
}

/* Element INDEX of what P holds. */
static uint32_t element_of(struct requirement *r, const struct ex_place *p, uint64_t index)
{
    struct ex *ex = r->ex;
    const struct ck_object *o = &ex->program->objects[p->object];
    uint32_t first = ck_program_first_input(ex->program, p->object);
    if (!o->uninitialized)
        return extend_value(
            r, p->id,
            ex_const(ex, ex_initial_bytes(o, index * o->element_size, o->element_size), o->element_size));
    struct ck_expr e = {.op = CK_REG, .size = o->element_size, .imm = first + index};
    return extend_value(r, p->id, ex_check_added(ex, ck_program_add_expr(ex->program, &e)));
}

static const struct ex_place *place_of(struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->build.place_count; i++)
        if (ex->build.places[i].id == id && ex->build.places[i].storage != SpvStorageClassWorkgroup)
            return &ex->build.places[i];
    return NULL;
}

/* The memory, of integers, that the argument called NAME points to. */
static const struct ex_place *memory_of(struct requirement *r, const struct require *e)
{
    const struct ex_place *p = place_of(r->ex, find_parameter(r->ex, e->name));
    if (!p || !p->is_array)
        reject(r, e, "no pointer argument has this name");
    const struct in_ty *t = number_type(r->ex, p);
    if (!t || t->kind != IN_TY_INT || p->pointee != t)
        reject(r, e, "the argument does not point to integers");
    add_inputs(r->ex, p, ex_input_of(r->ex, p->id));
    return p;
}

static uint32_t value_argument(struct requirement *r, const struct require *e)
{
    struct ex *ex = r->ex;
    uint32_t id = find_parameter(ex, e->name);
    const struct in_ty *t = id ? ex_type_of(ex, id) : NULL;
    const struct ex_input *given = id ? ex_input_of(ex, id) : NULL;
    if (!t || t->kind != IN_TY_INT)
        reject(r, e, "no integer argument has this name");
    if (given && !given->any)
        return extend_value(r, id, ex_const(ex, ex_init_bits(ex, t, &given->init), (unsigned)t->size));
    add_inputs(ex, place_of(ex, id), given);
    return element_of(r, place_of(ex, id), 0);
}

static uint32_t build_term(struct requirement *r, const struct require *e);

static uint32_t element_value(struct requirement *r, const struct require *e)
{
    const struct ex_place *p = memory_of(r, e);
    const struct ck_object *o = &r->ex->program->objects[p->object];
    uint64_t index;
    if (!ex_is_const(r->ex, build_term(r, e->a), &index))
        reject(r, e->a, "an index that depends on an input is not supported");
    if (index < o->size / o->element_size)
        return element_of(r, p, index);
    r->outside = true;
    return constant_value(r->ex, 0);
}

static uint32_t value_of_name(struct requirement *r, const struct require *e)
{
    for (unsigned i = 0; i < r->variable_count; i++)
        if (strcmp(r->variables[i].name, e->name) == 0)
            return constant_value(r->ex, r->variables[i].value);
    return value_argument(r, e);
}

static uint32_t size_of(struct requirement *r, const struct require *e)
{
    const struct ex_place *p = place_of(r->ex, find_parameter(r->ex, e->name));
    if (!p || !p->is_array)
        reject(r, e, "no pointer argument has this name");
    return constant_value(r->ex, r->ex->program->objects[p->object].size);
}

static uint32_t build_term(struct requirement *r, const struct require *e)
{
    static const enum ck_expr_op ops[] = {
        [REQUIRE_ADD] = CK_ADD, [REQUIRE_SUBTRACT] = CK_SUB, [REQUIRE_MULTIPLY] = CK_MUL};
    const struct ex_launch *l = &r->ex->config.launch;
    switch (e->op) {
    case REQUIRE_NUMBER:
        return constant_value(r->ex, (uint64_t)e->value);
    case REQUIRE_NAME:
        return value_of_name(r, e);
    case REQUIRE_ELEMENT:
        return element_value(r, e);
    case REQUIRE_SIZE:
        return size_of(r, e);
    case REQUIRE_GLOBAL_SIZE:
        return constant_value(r->ex, l->global[e->value]);
    case REQUIRE_LOCAL_SIZE:
        return constant_value(r->ex, l->local[e->value]);
    case REQUIRE_NUM_GROUPS:
        return constant_value(r->ex, l->global[e->value] / l->local[e->value]);
    case REQUIRE_OFFSET:
        return constant_value(r->ex, 0);
    case REQUIRE_NEGATIVE:
        return ex_unary(r->ex, CK_NEG, build_term(r, e->a));
    default:
        return ex_binary(r->ex, ops[e->op], build_term(r, e->a), build_term(r, e->b));
    }
}

static uint32_t build_condition(struct requirement *r, const struct require *e)
{
    static const enum ck_expr_op ops[] = {
        [REQUIRE_EQUAL] = CK_EQ,    [REQUIRE_NOT_EQUAL] = CK_NE, [REQUIRE_LESS] = CK_SLT,
        [REQUIRE_AT_MOST] = CK_SLE, [REQUIRE_AND] = CK_AND,      [REQUIRE_OR] = CK_OR};
    if (e->op == REQUIRE_NOT)
        return ex_unary(r->ex, CK_LNOT, build_condition(r, e->a));
    if (e->op == REQUIRE_AND || e->op == REQUIRE_OR)
        return ex_binary(r->ex, ops[e->op], build_condition(r, e->a), build_condition(r, e->b));
    return ex_binary(r->ex, ops[e->op], build_term(r, e->a), build_term(r, e->b));
}

/* ---- requirements ------------------------------------------------------------------------------- */

/* Finds the variables of E; COUNT: elements of the memory that it indexes, 0: it is no index. */
static void find_variables(struct requirement *r, const struct require *e, uint64_t count)
{
    if (e->op == REQUIRE_NAME && count && !find_parameter(r->ex, e->name)) {
        unsigned i = 0;
        while (i < r->variable_count && strcmp(r->variables[i].name, e->name) != 0)
            i++;
        if (i == MOST_VARIABLES)
            reject(r, e, "too many names of indices");
        r->variable_count = i == r->variable_count ? i + 1 : r->variable_count;
        struct variable *v = &r->variables[i];
        v->name = e->name;
        v->count = count > v->count ? count : v->count;
    }
    if (e->op == REQUIRE_ELEMENT) {
        const struct ck_object *o = &r->ex->program->objects[memory_of(r, e)->object];
        count = o->size / o->element_size;
    }
    if (e->a)
        find_variables(r, e->a, count);
    if (e->b)
        find_variables(r, e->b, count);
}

static void add_instance(struct requirement *r, const struct require *e)
{
    uint64_t known;
    if (++r->instances > MOST_INSTANCES)
        ex_fail(r->ex, MM_LIMIT, "explore.requires", "--requires '%.200s' is about more than %d elements",
                r->text, MOST_INSTANCES);
    r->outside = false;
    uint32_t expr = build_condition(r, e);
    if (r->outside)
        return;
    if (!ex_is_const(r->ex, expr, &known))
        ex_check_added(r->ex, ck_program_add_requirement(r->ex->program, expr));
    else if (!known)
        reject(r, e, "the sizes and arguments given contradict the condition");
}

static void instantiate_variable(struct requirement *r, const struct require *e, unsigned variable)
{
    if (variable == r->variable_count) {
        add_instance(r, e);
        return;
    }
    struct variable *v = &r->variables[variable];
    for (v->value = 0; v->value < v->count; v->value++)
        instantiate_variable(r, e, variable + 1);
}

static void add_requirement(struct requirement *r, const struct require *e)
{
    if (e->op == REQUIRE_AND) {
        add_requirement(r, e->a);
        add_requirement(r, e->b);
        return;
    }
    memset(r->variables, 0, sizeof r->variables);
    r->variable_count = 0;
    find_variables(r, e, 0);
    instantiate_variable(r, e, 0);
}

void ex_add_inputs(struct ex *ex)
{
    char message[200];
    for (uint32_t i = 0; i < ex->build.place_count; i++) {
        const struct ex_place *p = &ex->build.places[i];
        const struct ex_input *given = ex_input_of(ex, p->id);
        if (given && given->ranged && is_argument(ex, p))
            add_inputs(ex, p, given);
    }
    for (size_t i = 0; i < ex->config.requirement_count; i++) {
        struct requirement r = {.ex = ex, .text = ex->config.requirements[i]};
        const struct require *e = require_read(ex->arena, r.text, message, sizeof message);
        if (!e)
            ex_fail(ex, MM_INVALID, "explore.requires", "--requires '%.200s': %s", r.text, message);
        add_requirement(&r, e);
    }
}

/* ---- values ------------------------------------------------------------------------------------- */

static bool is_read(const struct ck_execution *x, size_t write)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->events[i].source == write)
            return true;
    return false;
}

static const struct ex_place *input_place(const struct ex *ex, uint32_t object)
{
    for (uint32_t i = 0; i < ex->build.place_count; i++)
        if (ex->build.places[i].object == object && is_argument(ex, &ex->build.places[i]))
            return &ex->build.places[i];
    return NULL;
}

void ex_each_input(struct ex *ex, const struct ck_execution *x,
                   void (*take)(void *context, const char *name, int64_t value, bool is_unsigned),
                   void *context)
{
    char text[120];
    for (size_t i = 0; i < x->count; i++) {
        const struct ck_event *h = &x->events[i];
        const struct ex_place *p =
            h->kind == MM_INIT && h->object < ex->program->object_count && is_read(x, i)
                ? input_place(ex, h->object)
                : NULL;
        if (!p)
            continue;
        const struct ck_object *object = &ex->program->objects[h->object];
        const char *name = object->name;
        struct mm_designator place = mm_layout_find(object->layout, h->offset, h->size);
        bool no_sign = place.composite && place.scalar.size ? place.scalar.kind != MM_SCALAR_SIGNED
                                                            : ex_is_unsigned(ex, p->id);
        if (p->is_array && place.composite)
            snprintf(text, sizeof text, "%.80s%.30s", name, place.text);
        else if (p->is_array)
            snprintf(text, sizeof text, "%.80s[%u]", name, h->offset / object->element_size);
        else if (ex_shape(ex, ex_type_of(ex, p->id))->count > 1)
            snprintf(text, sizeof text, "%.80s.s%x", name, p->scalar);
        else
            snprintf(text, sizeof text, "%.80s", name);
        take(context, text, no_sign ? (int64_t)h->value : ck_sign_extend(h->value, h->size), no_sign);
    }
}

bool ex_has_inputs(const struct ex *ex)
{
    for (uint32_t i = 0; i < ex->build.place_count; i++)
        if (is_argument(ex, &ex->build.places[i]))
            return true;
    return false;
}
