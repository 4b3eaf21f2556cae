/* A launch as a program: the objects that work-items share, and one thread for each work-item.
 * [CL 3.2.1 execution model; SPIRV 3.7 storage classes; SPIRV 2.3 entry points] */
#include "memmodel/base/nearest.h"
#include "tools/explore/flow.h"
#include "tools/explore/image/image.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/program/passes.h"
#include "tools/explore/value/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_OBJECT = 1 << 20, MAX_ARGUMENTS = 256 };

/* ---- objects ------------------------------------------------------------------------------------ */

static unsigned smallest_leaf(struct ex *ex, const struct in_ty *t)
{
    unsigned smallest = ex_scalar_size(t) ? ex_scalar_size(t) : 8;
    for (uint32_t i = 0; !ex_scalar_size(t) && i < (t->kind == IN_TY_STRUCT ? t->count : 1); i++) {
        unsigned leaf = smallest_leaf(ex, ex_part_type(ex, t, i));
        smallest = leaf < smallest ? leaf : smallest;
    }
    return smallest;
}

/* The scalar type of PLACE, with the sign of its type in the source. */
static struct mm_scalar scalar_of(struct ex *ex, const struct ex_place *place)
{
    char source[EX_SOURCE_TYPE], name[256];
    bool parameter = ex_source_type(ex, place->id, source);
    snprintf(name, sizeof name, "%s%s%s", parameter ? ex->entry->name : "", parameter ? "." : "",
             ex_id(ex, place->id)->name);
    struct mm_scalar scalar = in_spirv_scalar(ex->module.decoded, name, place->pointee);
    struct mm_scalar named = parameter ? mm_scalar_named(source) : scalar;
    return named.size == scalar.size && named.kind == MM_SCALAR_SIGNED ? named : scalar;
}

static const char *display_name(struct ex *ex, uint32_t id)
{
    char text[32];
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        if (ex->config.inputs[i].id == id)
            return ex->config.inputs[i].name;
    if (*ex_id(ex, id)->name)
        return ex_id(ex, id)->name;
    snprintf(text, sizeof text, "%%%u", id);
    return mm_arena_strdup(ex->arena, text);
}

static void check_object_size(struct ex *ex, const struct ex_place *place, uint64_t size)
{
    if (size > MAX_OBJECT)
        ex_fail(ex, MM_LIMIT, "explore.size", "%s is larger than %d bytes: make it smaller",
                display_name(ex, place->id), MAX_OBJECT);
}

static void add_place(struct ex *ex, const struct ex_place *place)
{
    struct ex_build *b = &ex->build;
    b->places = ex_grow(ex, b->places, b->place_count, sizeof *b->places);
    b->places[b->place_count++] = *place;
}

static uint8_t region_of(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassWorkgroup:
        return MM_LOCAL;
    case SpvStorageClassUniformConstant:
        return MM_CONSTANT;
    case SpvStorageClassImage:
        return MM_IMAGE;
    default:
        return MM_GLOBAL;
    }
}

/* Adds the object for PLACE, of SIZE bytes; BYTES NULL: it is uninitialized. */
static void add_object(struct ex *ex, struct ex_place place, uint64_t size, const uint8_t *bytes)
{
    unsigned element = smallest_leaf(ex, place.pointee);
    struct mm_scalar scalar = scalar_of(ex, &place);
    while (element & (element - 1) || size % element)
        element = 1;
    if (size == 0)
        ex_fail(ex, MM_INVALID, "explore.arguments", "the size of %s is not known: give its initial values",
                display_name(ex, place.id));
    check_object_size(ex, &place, size);
    uint64_t *values = ex_alloc(ex, size / element * sizeof *values);
    for (uint64_t i = 0; i < size && bytes; i++)
        values[i / element] |= (uint64_t)bytes[i] << (8 * (i % element));
    const struct ex_input *input = ex_input_of(ex, place.id);
    struct ck_object object = {
        .name = display_name(ex, place.id),
        .size = size,
        .element_size = (uint8_t)element,
        .region = region_of(place.storage),
        .origin = input && input->svm ? MM_ORIGIN_FINE_SVM_ATOMICS : MM_ORIGIN_BUFFER,
        .uninitialized = !bytes || place.known,
        .is_signed = input && input->image ? !ex_is_unsigned(ex, place.id) : scalar.kind == MM_SCALAR_SIGNED,
        .is_float = scalar.kind == MM_SCALAR_FLOAT && scalar.size == element,
        .layout = ex_layout(ex, place.id),
        .work_group = place.storage == SpvStorageClassWorkgroup ? (int32_t)place.work_group : -1,
        .alias_of = ex->program->object_count,
        .initial = values};
    place.object = ex_check_added(ex, ck_program_add_object(ex->program, &object));
    if (object.region == MM_IMAGE)
        ex_image_object(ex, place.id, place.object);
    add_place(ex, &place);
}

static void make_object(struct ex *ex, struct ex_place place, const struct in_inst *variable)
{
    const struct ex_input *input = ex_input_of(ex, place.id);
    const struct ex_init *init = input ? &input->init : NULL;
    const struct in_ty *t = place.pointee;
    uint64_t element = ex_element_size(t);
    if (input && input->bytes) {
        add_object(ex, place, input->bytes, NULL);
        return;
    }
    uint64_t size = ex_init_size(place.is_array ? NULL : t, element, init);
    /* the length of a local argument is a specialization constant that the launch sets */
    const struct in_inst *length =
        t->opcode == SpvOpTypeArray ? ex_definition(ex, ex_definition(ex, t->id)->operands[1]) : NULL;
    if (!init && place.storage == SpvStorageClassWorkgroup && length && length->opcode == SpvOpSpecConstant &&
        !ex_input_of(ex, length->result))
        size = t->stride * EX_UNKNOWN_ELEMENTS;
    bool pushed = place.storage == SpvStorageClassPushConstant;
    check_object_size(ex, &place, size);
    uint8_t *bytes = ex_alloc(ex, size);
    if (init && place.is_array && init->form == EX_LIST)
        for (uint32_t i = 0; i < init->count; i++)
            ex_init_fill(ex, t, &init->items[i], bytes, size, i * element);
    else if (init)
        ex_init_fill(ex, t, init, bytes, size, 0);
    bool known = init || (variable && variable->operand_count > 1 &&
                          ex_init_from_constant(ex, t, variable->operands[1], bytes, size));
    if (ex->module.vulkan && variable)
        known = ex_init_add_launch(ex, &place, init, bytes, size) || (known && !pushed);
    if (known)
        place.known = NULL;
    add_object(ex, place, size, known || place.known ? bytes : NULL);
}

static uint32_t group_count(const struct ex *ex)
{
    uint32_t n = 1;
    for (int i = 0; i < 3; i++)
        n *= ex->config.launch.global[i] / ex->config.launch.local[i];
    return n;
}

static bool is_private_storage(uint32_t storage)
{
    return storage == SpvStorageClassPrivate || storage == SpvStorageClassFunction ||
           storage == SpvStorageClassInput;
}

static bool is_shared_pointer(const struct in_ty *t)
{
    return t->kind == IN_TY_POINTER && !is_private_storage(t->storage);
}

static void make_objects(struct ex *ex, struct ex_place place, const struct in_inst *variable)
{
    uint32_t instances = place.storage == SpvStorageClassWorkgroup ? group_count(ex) : 1;
    for (place.work_group = 0; place.work_group < instances; place.work_group++)
        make_object(ex, place, variable);
}

static void module_objects(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->module.inst_count; i++) {
        const struct in_inst *inst = &ex->module.insts[i];
        ex->current = inst;
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode != SpvOpVariable || is_private_storage(inst->operands[0]) ||
            ex_id(ex, inst->result)->builtin >= 0)
            continue;
        make_objects(ex,
                     (struct ex_place){.id = inst->result,
                                       .pointee = ex_pointed(ex, ex_type(ex, inst->type)),
                                       .storage = inst->operands[0]},
                     inst);
    }
    ex->current = NULL;
}

static bool may_be_null(const struct in_ty *t)
{
    return t->kind == IN_TY_POINTER &&
           (t->storage == SpvStorageClassCrossWorkgroup || t->storage == SpvStorageClassUniformConstant);
}

static void argument_objects(struct ex *ex, const struct in_function *f)
{
    uint32_t argument = ex->module.vulkan ? ex->config.argument_count : 0;
    for (uint32_t i = 0; i < f->param_count; i++) {
        const struct in_ty *t = ex_type_of(ex, f->params[i]);
        ex->current = ex_definition(ex, f->params[i]);
        const char *text =
            ex->module.vulkan ? NULL : ex_argument_text(ex, ex_id(ex, f->params[i])->name, &argument);
        if (text)
            ex_argument(ex, f->params[i], text);
        const struct ex_input *input = ex_input_of(ex, f->params[i]);
        if (input && input->null && !may_be_null(t))
            ex_fail(ex, MM_INVALID, "CL 5.9.2",
                    "%s is no pointer to global or constant memory: it cannot be null",
                    display_name(ex, f->params[i]));
        bool image = t->opcode == SpvOpTypeImage;
        if (image || (is_shared_pointer(t) && !(input && input->null)))
            make_objects(ex,
                         (struct ex_place){
                             .id = f->params[i],
                             .pointee = (image ? ex_image_channel : ex_argument_element)(ex, f->params[i]),
                             .storage = image ? SpvStorageClassImage : t->storage,
                             .is_array = true},
                         NULL);
    }
    if (!ex->module.vulkan)
        ex_argument_names(ex, f);
    if (ex_argument_text(ex, "", &argument))
        ex_fail(ex, MM_INVALID, "explore.arguments", "the kernel has only %u arguments", f->param_count);
    ex->current = NULL;
}

/* ---- one work-item ------------------------------------------------------------------------------ */

static uint32_t object_for(struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->build.place_count; i++) {
        const struct ex_place *p = &ex->build.places[i];
        bool local = p->storage == SpvStorageClassWorkgroup;
        if (p->id == id && (!local || p->work_group == ex->item.work_group))
            return p->object;
    }
    ex_fail(ex, MM_BUG, "explore", "a variable without an object");
}

static struct ex_value pointer_to_object(struct ex *ex, uint32_t id, const struct in_ty *type)
{
    struct ex_value v = ex_new_value(ex, type);
    v.leaves[0] = ex_const(ex, CK_OBJECT_BASE(object_for(ex, id)), 8);
    return v;
}

/* The scalar number SCALAR of the symbolic argument ID: unconstrained, but the same for all work-items. */
static uint32_t any_argument(struct ex *ex, uint32_t id, uint32_t scalar, unsigned size)
{
    for (uint32_t i = 0; i < ex->build.place_count; i++) {
        const struct ex_place *p = &ex->build.places[i];
        if (p->id == id && p->storage == SpvStorageClassFunction && p->scalar == scalar)
            return ex_read_arbitrary(ex, p->object, size);
    }
    struct ex_place place = {.id = id,
                             .scalar = scalar,
                             .object = ex_arbitrary_object(ex, display_name(ex, id), size),
                             .storage = SpvStorageClassFunction};
    add_place(ex, &place);
    return ex_read_arbitrary(ex, place.object, size);
}

/* The value of argument ID; INIT NULL: it is symbolic. */
static struct ex_value given_value(struct ex *ex, uint32_t id, const struct in_ty *t,
                                   const struct ex_init *init)
{
    struct ex_value v = ex_new_value(ex, t);
    uint8_t *bytes = ex_alloc(ex, t->size + 8);
    if (init)
        ex_init_fill(ex, t, init, bytes, t->size, 0);
    for (uint32_t i = 0; i < v.count; i++) {
        unsigned size = v.scalars[i].size;
        uint64_t value = 0;
        for (unsigned k = 0; k < size; k++)
            value |= (uint64_t)bytes[v.scalars[i].offset + k] << (8 * k);
        v.leaves[i] = init ? ex_const(ex, value, size) : any_argument(ex, id, i, size);
    }
    return v;
}

/* A module-scope variable of the current work-item: a built-in, or of storage class Private. */
static void lower_private_variable(struct ex *ex, const struct in_inst *inst)
{
    const struct in_id *id = ex_id(ex, inst->result);
    const struct ex_input *input = ex_input_of(ex, inst->result);
    const struct in_ty *pointee = ex_pointed(ex, ex_type(ex, inst->type));
    struct ex_value value = {0}, pointer = ex_result(ex, inst);
    const struct ex_value *initial = NULL;
    if (id->builtin >= 0)
        value = ex_builtin_value(ex, (uint32_t)id->builtin, pointee);
    else if (input)
        value = given_value(ex, inst->result, pointee, &input->init);
    if (value.leaves)
        initial = &value;
    else if (inst->operand_count > 1)
        initial = ex_get(ex, inst->operands[1]);
    pointer.leaves[0] = ex_const(ex, ex_new_variable(ex, pointee, initial), 8);
    ex_set(ex, inst->result, pointer);
}

static void bind_globals(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->module.inst_count && ex->module.insts[i].opcode != SpvOpFunction; i++) {
        const struct in_inst *inst = &ex->module.insts[i];
        ex->current = inst;
        if (inst->opcode != SpvOpVariable)
            continue;
        if (is_private_storage(inst->operands[0]) || ex_id(ex, inst->result)->builtin >= 0)
            lower_private_variable(ex, inst);
        else
            ex_set(ex, inst->result, pointer_to_object(ex, inst->result, ex_type(ex, inst->type)));
    }
}

static void run_entry(struct ex *ex, const struct in_function *f)
{
    struct ex_value arguments[MAX_ARGUMENTS];
    if (f->param_count > MAX_ARGUMENTS)
        ex_fail(ex, MM_LIMIT, "explore.arguments",
                "a kernel with more than %d arguments is not explored: pass a structure", MAX_ARGUMENTS);
    for (uint32_t i = 0; i < f->param_count; i++) {
        const uint32_t id = f->params[i];
        const struct in_ty *t = ex_type_of(ex, id);
        const struct ex_input *input = ex_input_of(ex, id);
        const struct ex_init *init = input && !input->any ? &input->init : NULL;
        if (input && input->null) {
            arguments[i] = ex_new_value(ex, t);
            arguments[i].leaves[0] = ex_const(ex, 0, 8);
        } else if (ex_is_image(t)) {
            arguments[i] = ex_image_value(ex, id, t);
        } else if (is_shared_pointer(t)) {
            arguments[i] = pointer_to_object(ex, id, t);
        } else if (t->kind == IN_TY_POINTER) { /* a structure passed by reference */
            const struct in_ty *pointee = ex_pointed(ex, t);
            const struct ex_value value = given_value(ex, id, pointee, init);
            arguments[i] = ex_new_value(ex, t);
            arguments[i].leaves[0] = ex_const(ex, ex_new_variable(ex, pointee, &value), 8);
        } else {
            arguments[i] = given_value(ex, id, t, init);
        }
    }
    ex_inline(ex, f, arguments, f->param_count, NULL);
}

static void set_work_item(struct ex *ex, uint32_t group, uint32_t item)
{
    struct ex_item *b = &ex->item;
    const struct ex_launch *l = &ex->config.launch;
    uint32_t rest_group = group, rest_item = item;
    for (int i = 0; i < 3; i++) {
        uint32_t groups = l->global[i] / l->local[i];
        b->group_id[i] = rest_group % groups;
        rest_group /= groups;
        b->local_id[i] = rest_item % l->local[i];
        rest_item /= l->local[i];
        b->global_id[i] = b->group_id[i] * l->local[i] + b->local_id[i];
    }
    b->work_group = group;
    b->sub_group = item / l->sub_group;
    b->sub_group_local_id = item % l->sub_group;
}

static void add_thread(struct ex *ex, const struct in_function *f, uint32_t group, uint32_t item)
{
    struct ex_item *b = &ex->item;
    char name[160];
    set_work_item(ex, group, item);
    snprintf(name, sizeof name,
             "work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ") group (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")",
             b->global_id[0], b->global_id[1], b->global_id[2], b->group_id[0], b->group_id[1],
             b->group_id[2]);
    struct ck_thread thread = {.name = name, .work_group = group, .sub_group = b->sub_group};
    b->thread = ex_check_added(ex, ck_program_add_thread(ex->program, &thread));
    b->frame = NULL;
    b->variable_count = b->label_count = b->site = 0;
    memset(b->globals, 0, ex->module.bound * sizeof *b->globals);
    bind_globals(ex);
    run_entry(ex, f);
    ex->current = NULL;
    ex_prepend_counters(ex);
    ex_resolve_labels(ex);
    ex_fold(ex);
}

/* ---- the launch --------------------------------------------------------------------------------- */

_Noreturn static void no_such_kernel(struct ex *ex)
{
    char names[300] = "";
    const char *words[64];
    size_t used = 0, count = 0;
    const struct in_entry *e;
    if (!ex->config.kernel || !in_spirv_entry(ex->module.decoded, 0))
        ex_fail(ex, MM_INVALID, "explore.kernel", "no kernel");
    for (size_t i = 0; (e = in_spirv_entry(ex->module.decoded, i)) && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", e->name);
    for (; count < 64 && (e = in_spirv_entry(ex->module.decoded, count)) != NULL; count++)
        words[count] = e->name;
    const char *nearest = mm_nearest(ex->config.kernel, words, count);
    ex_fail(ex, MM_INVALID, "explore.kernel", "no kernel '%.100s', but: %s%s%.100s%s", ex->config.kernel,
            names, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* Whether E is a block that a kernel enqueues: the invoke function, or one that calls it alone.
 * [CLC 6.15.19] */
static bool is_block(const struct ex *ex, const struct in_entry *e)
{
    enum { INVOKE = 6 };
    uint32_t callee = e->function;
    const struct in_inst *first = ex_definition(ex, e->function),
                         *end = ex->module.insts + ex->module.inst_count;
    for (const struct in_inst *i = first; i && i < end && i->opcode != SpvOpFunctionEnd; i++)
        if (i->opcode == SpvOpFunctionCall)
            callee = i->operands[0];
    for (const struct in_inst *i = ex->module.insts; i < end; i++)
        if (i->opcode == SpvOpEnqueueKernel && i->operand_count > INVOKE &&
            (i->operands[INVOKE] == callee || i->operands[INVOKE] == e->function))
            return true;
    return false;
}

static const struct in_entry *entry_point(struct ex *ex)
{
    const struct in_entry *found = NULL, *e;
    for (size_t i = 0; (e = in_spirv_entry(ex->module.decoded, i)); i++) {
        if (ex->config.kernel ? strcmp(e->name, ex->config.kernel) != 0 : is_block(ex, e))
            continue;
        if (found && !ex->config.kernel)
            ex_fail(ex, MM_INVALID, "explore.kernel",
                    "the module has more than one kernel: name one with --kernel");
        found = e;
    }
    if (!found)
        no_such_kernel(ex);
    return found;
}

/* Objects without atomic accesses are non-atomic.  An atomic with a computed address may access any
 * object. */
static void mark_atomic_objects(struct ex *ex)
{
    struct ck_program *p = ex->program;
    for (uint32_t o = 0; o < p->object_count; o++)
        p->objects[o].non_atomic = true;
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            const struct ck_instr *instr = &p->threads[t].instrs[i];
            if (!ck_instr_is_access(instr) || !(instr->attributes & MM_ATOMIC))
                continue;
            uint64_t root = ex_root(ex, instr->address);
            for (uint32_t o = 0; o < p->object_count; o++)
                if (!root || root >> 32 == CK_OBJECT_BASE(o) >> 32)
                    p->objects[o].non_atomic = p->objects[o].region == MM_PRIVATE;
        }
}

static void lower_kernel(struct ex *ex)
{
    ex->program = ck_program_create();
    if (!ex->program)
        ex_no_memory(ex);
    ex->program->vulkan = ex->module.vulkan;
    ex->program->kernel = true;
    ex->entry = entry_point(ex);
    ex_complete_launch(ex);
    if (ex->module.vulkan)
        ex_reflect_constants(ex);
    ex_declare(ex);
    const struct in_function *f = in_spirv_function(ex->module.decoded, ex->entry->function);
    if (!f)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "the entry point is no function");
    if (ex->module.vulkan)
        ex_reflect_arguments(ex);
    ex->program->name = ex->entry->name;
    ex->program->file = ex->module.file;
    ex->item.globals = ex_alloc(ex, ex->module.bound * sizeof *ex->item.globals);
    module_objects(ex);
    argument_objects(ex, f);
    uint32_t items = ex->config.launch.local[0] * ex->config.launch.local[1] * ex->config.launch.local[2];
    for (uint32_t group = 0; group < group_count(ex); group++)
        for (uint32_t item = 0; item < items; item++)
            add_thread(ex, f, group, item);
    ex_propagate(ex);
    mark_atomic_objects(ex);
    ex_add_inputs(ex);
    ex_conditions(ex);
}

enum mm_class ex_lower(struct ex *ex, struct ck_program **program, struct mm_error *err)
{
    ex->err = err;
    *program = NULL;
    if (setjmp(ex->failed))
        return err->cls;
    lower_kernel(ex);
    *program = ex->program;
    return MM_OK;
}
