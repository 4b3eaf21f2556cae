/* A launch as a program: the objects that work-items share, and one thread for each work-item.
 * [CL 3.2.1 execution model; SPIRV 3.7 storage classes; SPIRV 2.3 entry points] */
#include "tools/explore/explore.h"

#include <stdio.h>
#include <string.h>

enum { MAX_THREADS = 256, MAX_OBJECT = 1 << 20, UNKNOWN_ELEMENTS = 4096 };

/* ---- initial values ----------------------------------------------------------------------------- */

static void put(struct ex *ex, uint8_t *bytes, uint64_t size, uint64_t offset, uint64_t value, unsigned n)
{
    if (offset + n > size)
        ex_fail(ex, MM_INVALID, "explore.header", "more values than the object has room for");
    for (unsigned i = 0; i < n; i++)
        bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

static void fill(struct ex *ex, uint32_t type, const struct ex_init *init, uint8_t *bytes, uint64_t size,
                 uint64_t offset)
{
    const struct ex_type *t = ex_type(ex, type);
    unsigned scalar = ex_scalar_size(t);
    if (scalar) {
        const struct ex_init *leaf = init;
        while (leaf->is_list && leaf->count == 1)
            leaf = leaf->items;
        if (leaf->is_list)
            ex_fail(ex, MM_INVALID, "explore.header", "a list of values for a number");
        put(ex, bytes, size, offset, ex_init_bits(ex, t, leaf), scalar);
        return;
    }
    if (!init->is_list) {
        struct ex_init one = *init;
        fill(ex, t->kind == EX_STRUCT ? t->members[0] : t->element, &one, bytes, size, offset);
        return;
    }
    for (uint32_t i = 0; i < init->count; i++) {
        if (t->kind != EX_RUNTIME_ARRAY && i >= t->count)
            ex_fail(ex, MM_INVALID, "explore.header", "more values than the object has members");
        bool is_struct = t->kind == EX_STRUCT;
        fill(ex, is_struct ? t->members[i] : t->element, &init->items[i], bytes, size,
             offset + (is_struct ? t->offsets[i] : i * t->stride));
    }
}

/* Bytes that a value of TYPE takes when it is given as INIT (runtime arrays get their length from it). */
static uint64_t size_with(struct ex *ex, uint32_t type, const struct ex_init *init)
{
    const struct ex_type *t = ex_type(ex, type);
    if (t->kind == EX_RUNTIME_ARRAY)
        return t->stride * (init && init->is_list ? init->count : init ? 1 : UNKNOWN_ELEMENTS);
    if (t->kind == EX_STRUCT && t->count) {
        uint32_t last = t->count - 1;
        const struct ex_init *item = init && init->is_list && init->count > last ? &init->items[last] : NULL;
        uint64_t end = t->offsets[last] + size_with(ex, t->members[last], item);
        return end > t->size ? end : t->size;
    }
    return t->size;
}

/* ---- objects ------------------------------------------------------------------------------------ */

static const struct ex_input *input_for(const struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->input_count; i++)
        if (ex->inputs[i].id == id && ex->inputs[i].given)
            return &ex->inputs[i];
    return NULL;
}

static const struct ex_type *first_leaf(struct ex *ex, uint32_t type, unsigned *smallest)
{
    const struct ex_type *t = ex_type(ex, type), *first = NULL;
    if (ex_scalar_size(t)) {
        *smallest = ex_scalar_size(t) < *smallest ? ex_scalar_size(t) : *smallest;
        return t;
    }
    for (uint32_t i = 0; i < (t->kind == EX_STRUCT ? t->count : 1); i++) {
        const struct ex_type *leaf =
            first_leaf(ex, t->kind == EX_STRUCT ? t->members[i] : t->element, smallest);
        first = first ? first : leaf;
    }
    return first;
}

static const char *display_name(struct ex *ex, uint32_t id)
{
    char text[32];
    for (uint32_t i = 0; i < ex->input_count; i++)
        if (ex->inputs[i].id == id)
            return ex->inputs[i].name;
    if (ex->ids[id].name && *ex->ids[id].name)
        return ex->ids[id].name;
    snprintf(text, sizeof text, "%%%u", id);
    return mm_arena_strdup(ex->arena, text);
}

static void add_place(struct ex *ex, const struct ex_place *place)
{
    struct ex_build *b = ex->build;
    if (b->place_count == b->place_capacity) {
        uint32_t capacity = b->place_capacity ? b->place_capacity * 2 : 32;
        struct ex_place *bigger = ex_alloc(ex, capacity * sizeof *bigger);
        if (b->place_count)
            memcpy(bigger, b->places, b->place_count * sizeof *bigger);
        b->places = bigger;
        b->place_capacity = capacity;
    }
    b->places[b->place_count++] = *place;
}

static uint8_t region_of(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassWorkgroup:
        return MM_LOCAL;
    case SpvStorageClassUniformConstant:
        return MM_CONSTANT;
    default:
        return MM_GLOBAL;
    }
}

/* Adds the object for PLACE, of SIZE bytes; BYTES NULL: uninitialised, as where only some bytes are known. */
static void add_object(struct ex *ex, struct ex_place place, uint64_t size, const uint8_t *bytes)
{
    unsigned element = 8;
    const struct ex_type *leaf = first_leaf(ex, place.pointee, &element);
    bool local = place.storage == SpvStorageClassWorkgroup;
    while (element & (element - 1) || size % element)
        element = 1;
    if (size == 0)
        ex_fail(ex, MM_INVALID, "explore.arguments", "the size of %s is not known: give its initial values",
                display_name(ex, place.id));
    if (size > MAX_OBJECT)
        ex_fail(ex, MM_LIMIT, "explore.size", "%s is larger than %d bytes", display_name(ex, place.id),
                MAX_OBJECT);
    uint64_t *values = ex_alloc(ex, size / element * sizeof *values);
    for (uint64_t i = 0; i < size && bytes; i++)
        values[i / element] |= (uint64_t)bytes[i] << (8 * (i % element));
    struct ck_object object = {.name = display_name(ex, place.id),
                               .size = size,
                               .element_size = (uint8_t)element,
                               .region = region_of(place.storage),
                               .origin = MM_ORIGIN_BUFFER,
                               .uninitialised = !bytes || place.known,
                               .is_signed = leaf && leaf->is_signed,
                               .work_group = local ? (int32_t)place.work_group : -1,
                               .alias_of = ex->program->object_count,
                               .initial = values};
    place.object = ck_program_add_object(ex->program, &object);
    if (place.object == UINT32_MAX)
        ex_fail(ex, MM_LIMIT, "memory", "out of memory");
    add_place(ex, &place);
}

/* Adds to BYTES, which hold INIT where that gives any, what launch and arguments give; PLACE->known: which
 * bytes are given, NULL if the launch gives none.  True: all are. */
static bool add_launch_bytes(struct ex *ex, struct ex_place *place, const struct ex_init *init,
                             uint8_t *bytes, uint64_t size)
{
    uint8_t *known = ex_alloc(ex, size), *launch = ex_alloc(ex, size), *other = ex_alloc(ex, size);
    const struct ex_type *t = ex_type(ex, place->pointee);
    uint64_t by_launch = 0;
    bool all = true;
    ex_reflected_bytes(ex, place->id, place->pointee, launch, known, size);
    /* INIT gives the bytes that it makes the same whatever they were */
    memset(other, 0xff, size);
    if (init)
        fill(ex, place->pointee, init, other, size, 0);
    for (uint64_t i = 0; i < size; i++) {
        bool given = init && bytes[i] == other[i];
        by_launch += known[i];
        bytes[i] = !given && known[i] ? launch[i] : bytes[i];
        known[i] |= given;
    }
    for (uint32_t k = 0; k < t->leaf_count; k++) /* what lies between them is never read */
        for (uint64_t i = 0; i < ex_scalar_size(ex_type(ex, t->leaves[k].type)); i++)
            all = all && known[t->leaves[k].offset + i];
    if (by_launch || place->storage == SpvStorageClassPushConstant)
        place->known = known;
    return all && t->leaf_count > 0;
}

static void make_object(struct ex *ex, struct ex_place place, const struct ex_inst *variable)
{
    const struct ex_input *input = input_for(ex, place.id);
    const struct ex_init *init = input ? &input->init : NULL;
    const struct ex_type *t = ex_type(ex, place.pointee);
    uint64_t element = t->align ? (t->size + t->align - 1) / t->align * t->align : t->size;
    if (input && input->bytes) {
        add_object(ex, place, input->bytes, NULL);
        return;
    }
    uint64_t size = place.is_array ? element * (init && init->is_list ? init->count
                                                : init                ? 1
                                                                      : UNKNOWN_ELEMENTS)
                                   : size_with(ex, place.pointee, init);
    /* the length of a local argument is a specialization constant that the launch sets */
    const struct ex_inst *length = t->kind == EX_ARRAY && ex->ids[place.pointee].inst
                                       ? ex->ids[ex->ids[place.pointee].inst->words[1]].inst
                                       : NULL;
    if (!init && place.storage == SpvStorageClassWorkgroup && length && length->opcode == SpvOpSpecConstant &&
        !input_for(ex, length->result))
        size = t->stride * UNKNOWN_ELEMENTS;
    bool pushed = place.storage == SpvStorageClassPushConstant;
    if (size > MAX_OBJECT)
        ex_fail(ex, MM_LIMIT, "explore.size", "%s is larger than %d bytes", display_name(ex, place.id),
                MAX_OBJECT);
    uint8_t *bytes = ex_alloc(ex, size);
    if (init && place.is_array && init->is_list)
        for (uint32_t i = 0; i < init->count; i++)
            fill(ex, place.pointee, &init->items[i], bytes, size, i * element);
    else if (init)
        fill(ex, place.pointee, init, bytes, size, 0);
    if (!init && variable && variable->count > 1 && ex->ids[variable->words[1]].constant)
        for (uint32_t i = 0; i < t->leaf_count; i++)
            put(ex, bytes, size, t->leaves[i].offset, ex->ids[variable->words[1]].constant[i],
                ex_scalar_size(ex_type(ex, t->leaves[i].type)));
    bool known = init || (variable && variable->count > 1);
    if (ex->vulkan && variable)
        known = add_launch_bytes(ex, &place, init, bytes, size) || (known && !pushed);
    if (known)
        place.known = NULL;
    add_object(ex, place, size, known || place.known ? bytes : NULL);
}

static uint32_t group_count(const struct ex *ex)
{
    uint32_t n = 1;
    for (int i = 0; i < 3; i++)
        n *= ex->launch.global[i] / ex->launch.local[i];
    return n;
}

static bool is_private_storage(uint32_t storage)
{
    return storage == SpvStorageClassPrivate || storage == SpvStorageClassFunction ||
           storage == SpvStorageClassInput;
}

static void make_objects(struct ex *ex, struct ex_place place, const struct ex_inst *variable)
{
    uint32_t instances = place.storage == SpvStorageClassWorkgroup ? group_count(ex) : 1;
    for (place.work_group = 0; place.work_group < instances; place.work_group++)
        make_object(ex, place, variable);
}

static void module_objects(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->inst_count; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        ex->current = inst;
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode != SpvOpVariable || is_private_storage(inst->words[0]) ||
            ex->ids[inst->result].builtin >= 0)
            continue;
        make_objects(ex,
                     (struct ex_place){.id = inst->result,
                                       .pointee = ex_type(ex, inst->type)->element,
                                       .storage = inst->words[0]},
                     inst);
    }
    ex->current = NULL;
}

static void argument_objects(struct ex *ex, const struct ex_function *f)
{
    uint32_t argument = ex->vulkan ? ex->argument_count : 0;
    for (uint32_t i = f->first; i < f->end && ex->insts[i].opcode != SpvOpLabel; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        if (inst->opcode != SpvOpFunctionParameter)
            continue;
        const struct ex_type *t = ex_type(ex, inst->type);
        ex->current = inst;
        if (argument < ex->argument_count)
            ex_argument(ex, inst->result, ex->arguments[argument++]);
        if (t->kind == EX_POINTER && !is_private_storage(t->storage))
            make_objects(
                ex,
                (struct ex_place){
                    .id = inst->result, .pointee = t->element, .storage = t->storage, .is_array = true},
                NULL);
    }
    if (argument < ex->argument_count)
        ex_fail(ex, MM_INVALID, "explore.arguments", "the kernel has only %u arguments", argument);
    ex->current = NULL;
}

/* ---- one work-item ------------------------------------------------------------------------------ */

static uint32_t object_for(struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->build->place_count; i++) {
        const struct ex_place *p = &ex->build->places[i];
        bool local = p->storage == SpvStorageClassWorkgroup;
        if (p->id == id && (!local || p->work_group == ex->build->work_group))
            return p->object;
    }
    ex_fail(ex, MM_BUG, "explore", "a variable without an object");
}

static struct ex_value pointer_to_object(struct ex *ex, uint32_t id, uint32_t type)
{
    struct ex_value v = ex_new_value(ex, type);
    v.leaves[0] = ex_const(ex, CK_OBJECT_BASE(object_for(ex, id)), 8);
    return v;
}

/* Scalar LEAF of the argument ID that has no value: any, but the same for all work-items. */
static uint32_t any_argument(struct ex *ex, uint32_t id, uint32_t leaf, unsigned size)
{
    for (uint32_t i = 0; i < ex->build->place_count; i++) {
        const struct ex_place *p = &ex->build->places[i];
        if (p->id == id && p->storage == SpvStorageClassFunction && p->work_group == leaf)
            return ex_read_arbitrary(ex, p->object, size);
    }
    struct ex_place place = {
        .id = id, .work_group = leaf, .object = ex_arbitrary_object(ex), .storage = SpvStorageClassFunction};
    add_place(ex, &place);
    return ex_read_arbitrary(ex, place.object, size);
}

/* INIT NULL: what argument ID holds is not known. */
static struct ex_value given_value(struct ex *ex, uint32_t id, uint32_t type, const struct ex_init *init)
{
    struct ex_value v = ex_new_value(ex, type);
    const struct ex_type *t = ex_type(ex, type);
    uint8_t *bytes = ex_alloc(ex, t->size + 8);
    if (init)
        fill(ex, type, init, bytes, t->size, 0);
    for (uint32_t i = 0; i < v.count; i++) {
        unsigned size = ex_scalar_size(ex_type(ex, t->leaves[i].type));
        uint64_t value = 0;
        for (unsigned k = 0; k < size; k++)
            value |= (uint64_t)bytes[t->leaves[i].offset + k] << (8 * k);
        v.leaves[i] = init ? ex_const(ex, value, size) : any_argument(ex, id, i, size);
    }
    return v;
}

/* Module-scope variables of the work-item's own: built-ins and the Private storage class. */
static void own_variable(struct ex *ex, const struct ex_inst *inst)
{
    const struct ex_id *id = &ex->ids[inst->result];
    const struct ex_input *input = input_for(ex, inst->result);
    uint32_t pointee = ex_type(ex, inst->type)->element;
    struct ex_value value = {0}, pointer = ex_new_value(ex, inst->type);
    const struct ex_value *initial = NULL;
    if (id->builtin >= 0)
        value = ex_builtin_value(ex, (uint32_t)id->builtin, pointee);
    else if (input)
        value = given_value(ex, inst->result, pointee, &input->init);
    if (value.leaves)
        initial = &value;
    else if (inst->count > 1)
        initial = ex_get(ex, inst->words[1]);
    pointer.leaves[0] = ex_const(ex, ex_new_variable(ex, pointee, initial), 8);
    ex_set(ex, inst->result, pointer);
}

static void bind_globals(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->inst_count && ex->insts[i].opcode != SpvOpFunction; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        ex->current = inst;
        if (inst->opcode != SpvOpVariable)
            continue;
        if (is_private_storage(inst->words[0]) || ex->ids[inst->result].builtin >= 0)
            own_variable(ex, inst);
        else
            ex_set(ex, inst->result, pointer_to_object(ex, inst->result, inst->type));
    }
}

static void run_entry(struct ex *ex, const struct ex_function *f)
{
    struct ex_value arguments[256];
    uint32_t count = 0;
    for (uint32_t i = f->first; i < f->end && ex->insts[i].opcode != SpvOpLabel; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        if (inst->opcode != SpvOpFunctionParameter)
            continue;
        if (count == 256)
            ex_fail(ex, MM_LIMIT, "explore.arguments", "a kernel with more than 256 arguments");
        const struct ex_type *t = ex_type(ex, inst->type);
        const struct ex_input *input = input_for(ex, inst->result);
        uint32_t type = t->kind == EX_POINTER && is_private_storage(t->storage) ? t->element : inst->type;
        if (t->kind == EX_POINTER && !is_private_storage(t->storage)) {
            arguments[count++] = pointer_to_object(ex, inst->result, inst->type);
            continue;
        }
        struct ex_value value = given_value(ex, inst->result, type, input ? &input->init : NULL);
        if (type != inst->type) { /* a structure passed by reference */
            struct ex_value pointer = ex_new_value(ex, inst->type);
            pointer.leaves[0] = ex_const(ex, ex_new_variable(ex, type, &value), 8);
            value = pointer;
        }
        arguments[count++] = value;
    }
    ex_inline(ex, f, arguments, count, NULL);
}

static void place_thread(struct ex *ex, uint32_t group, uint32_t item)
{
    struct ex_build *b = ex->build;
    const struct ex_launch *l = &ex->launch;
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

static void add_thread(struct ex *ex, const struct ex_function *f, uint32_t group, uint32_t item)
{
    struct ex_build *b = ex->build;
    char name[32];
    snprintf(name, sizeof name, "P%u", ex->program->thread_count);
    place_thread(ex, group, item);
    struct ck_thread thread = {.name = name, .work_group = group, .sub_group = b->sub_group};
    b->thread = ck_program_add_thread(ex->program, &thread);
    if (b->thread == UINT32_MAX)
        ex_fail(ex, MM_LIMIT, "memory", "out of memory");
    b->frame = NULL;
    b->variable_count = b->label_count = b->site = 0;
    memset(b->globals, 0, ex->bound * sizeof *b->globals);
    bind_globals(ex);
    run_entry(ex, f);
    ex->current = NULL;
    ex_prepend_counters(ex);
    ex_resolve_labels(ex);
    ex_fold(ex);
}

/* ---- the launch --------------------------------------------------------------------------------- */

static const struct ex_function *entry_point(struct ex *ex)
{
    const struct ex_entry *found = NULL;
    for (uint32_t i = 0; i < ex->entry_count; i++) {
        if (ex->kernel && strcmp(ex->entries[i].name, ex->kernel) != 0)
            continue;
        if (found && !ex->kernel)
            ex_fail(ex, MM_INVALID, "explore.kernel", "the module has more than one kernel: name one");
        found = &ex->entries[i];
    }
    if (!found)
        ex_fail(ex, MM_INVALID, "explore.kernel", "no kernel%s%s", ex->kernel ? " " : "",
                ex->kernel ? ex->kernel : "");
    if (found->function >= ex->bound || !ex->ids[found->function].function)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "the entry point is no function");
    return &ex->functions[ex->ids[found->function].function - 1];
}

/* Locations that no atomic touches are non-atomic.  An atomic whose address is computed may touch any. */
static void mark_atomic_objects(struct ex *ex)
{
    struct ck_program *p = ex->program;
    for (uint32_t o = 0; o < p->object_count; o++)
        p->objects[o].non_atomic = true;
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            const struct ck_instr *instr = &p->threads[t].instrs[i];
            if (instr->op < CK_LOAD || instr->op > CK_CAS || !(instr->attributes & MM_ATOMIC))
                continue;
            uint64_t root = ex_root(ex, instr->address);
            for (uint32_t o = 0; o < p->object_count; o++)
                if (!root || root >> 32 == CK_OBJECT_BASE(o) >> 32)
                    p->objects[o].non_atomic = p->objects[o].region == MM_PRIVATE;
        }
}

static void check_launch(struct ex *ex)
{
    const struct ex_launch *l = &ex->launch;
    uint64_t total = 1;
    for (int i = 0; i < 3; i++) {
        if (l->global[i] == 0 || l->local[i] == 0 || l->global[i] % l->local[i])
            ex_fail(ex, MM_INVALID, "CL 5.8", "the global size must be a multiple of the work-group size");
        total *= l->global[i];
        if (total > MAX_THREADS)
            ex_fail(ex, MM_LIMIT, "explore.launch", "more than %d work-items", MAX_THREADS);
    }
    if (l->sub_group == 0)
        ex_fail(ex, MM_INVALID, "explore.launch", "a sub-group has at least one work-item");
}

static void lower(struct ex *ex)
{
    check_launch(ex);
    ex->program = ck_program_create();
    ex->build = ex_alloc(ex, sizeof *ex->build);
    if (!ex->program)
        ex_fail(ex, MM_LIMIT, "memory", "out of memory");
    ex->program->vulkan = ex->vulkan;
    ex->program->kernel = true;
    const struct ex_function *f = ex->entry = entry_point(ex);
    if (ex->vulkan)
        ex_reflect_constants(ex);
    ex_declare(ex);
    if (ex->vulkan)
        ex_reflect_arguments(ex);
    ex->program->name = ex->kernel ? ex->kernel : ex->entry_count ? ex->entries[0].name : "";
    ex->program->file = ex->file;
    ex->build->globals = ex_alloc(ex, ex->bound * sizeof *ex->build->globals);
    module_objects(ex);
    argument_objects(ex, f);
    uint32_t items = ex->launch.local[0] * ex->launch.local[1] * ex->launch.local[2];
    for (uint32_t group = 0; group < group_count(ex); group++)
        for (uint32_t item = 0; item < items; item++)
            add_thread(ex, f, group, item);
    ex_settle(ex);
    mark_atomic_objects(ex);
    ex_conditions(ex);
}

static void any_bytes(struct ex *ex, const struct ex_place *place, uint32_t type,
                      const struct ck_execution *execution, uint8_t *bytes, uint64_t size)
{
    const struct ex_leaf *leaf = &ex_type(ex, type)->leaves[place->work_group];
    for (size_t i = 0; i < execution->count; i++)
        if (execution->happenings[i].kind == MM_INIT && execution->happenings[i].object == place->object)
            put(ex, bytes, size, leaf->offset, execution->happenings[i].value,
                ex_scalar_size(ex_type(ex, leaf->type)));
}

bool ex_argument_bytes(struct ex *ex, uint32_t id, const struct ck_execution *execution, uint8_t *bytes,
                       uint64_t size)
{
    if (setjmp(ex->failed))
        return false;
    const struct ex_input *input = input_for(ex, id);
    uint32_t type = ex->ids[id].type_id;
    if (ex_type(ex, type)->kind == EX_POINTER)
        type = ex_type(ex, type)->element;
    if (ex_type(ex, type)->size > size)
        return false;
    if (input)
        fill(ex, type, &input->init, bytes, size, 0);
    for (uint32_t i = 0; i < ex->build->place_count; i++)
        if (ex->build->places[i].id == id && ex->build->places[i].storage == SpvStorageClassFunction)
            any_bytes(ex, &ex->build->places[i], type, execution, bytes, size);
    return true;
}

enum mm_class ex_lower(struct ex *ex, struct ck_program **program, struct mm_error *err)
{
    ex->err = err;
    *program = NULL;
    if (setjmp(ex->failed))
        return err->cls;
    lower(ex);
    *program = ex->program;
    return MM_OK;
}
