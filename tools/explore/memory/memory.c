/* Loads, stores and pointers.  Pointers are numbers; those whose object is private to the work-item address
 * registers.  [SPIRV 3.42.8; SPIRV 3.26 memory operands] */
#include "tools/explore/memory/memory.h"
#include "interp/ext/convert.h"
#include "interp/ext/ext.h"
#include "tools/explore/memory/hidden.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <string.h>

enum { MAX_COPY = 4096 };

/* ---- one scalar --------------------------------------------------------------------------------- */

enum where { SHARED, PRIVATE, EITHER };

static enum where where_is(struct ex *ex, uint32_t address, uint32_t storage)
{
    uint64_t root = ex_root(ex, address);
    if (root)
        return root >= EX_PRIVATE_BASE ? PRIVATE : SHARED;
    switch (storage) {
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
    case SpvStorageClassInput:
        return PRIVATE;
    case SpvStorageClassGeneric:
        return ex->item.variable_count ? EITHER : SHARED;
    default:
        return SHARED;
    }
}

static void check_access_size(struct ex *ex, unsigned size)
{
    if (size != 1 && size != 2 && size != 4 && size != 8)
        ex_fail(ex, MM_LIMIT, "explore.type", "accesses of %u bytes are not supported", size);
}

static bool is_private(struct ex *ex, uint32_t address, uint32_t storage)
{
    return where_is(ex, address, storage) == PRIVATE;
}

static uint8_t storage_class_of(struct ex *ex, uint32_t address, uint32_t storage)
{
    uint64_t root = ex_root(ex, address);
    uint32_t object = root ? (uint32_t)(root >> 32) - 1 : CK_NO_OBJECT;
    for (uint32_t i = 0; i < ex->build.place_count; i++)
        if (ex->build.places[i].object == object)
            return ex_storage_class_mask(ex->build.places[i].storage);
    return ex_storage_class_mask(storage);
}

/* Constant memory always holds its initial value; reads of it never race. */
static bool constant_memory(struct ex *ex, uint32_t address, unsigned size, uint64_t *value)
{
    uint64_t at;
    const struct ck_object *o = NULL;
    const uint8_t *given = NULL;
    if (!ex_is_const(ex, address, &at))
        return false;
    for (uint32_t i = 0; i < ex->build.place_count; i++) {
        const struct ex_place *p = &ex->build.places[i];
        bool constant =
            p->storage == SpvStorageClassPushConstant || p->storage == SpvStorageClassUniformConstant;
        if (constant && CK_OBJECT_BASE(p->object) >> 32 == at >> 32) {
            o = &ex->program->objects[p->object];
            given = p->known;
        }
    }
    if (!o || (at & UINT32_MAX) + size > o->size)
        return false;
    for (unsigned i = 0; i < size && o->uninitialized; i++)
        if (!given || !given[(at & UINT32_MAX) + i])
            return false;
    *value = ex_initial_bytes(o, at & UINT32_MAX, size);
    return true;
}

void ex_emit_access(struct ex *ex, uint32_t storage, struct ck_instr access)
{
    enum where where = where_is(ex, access.address, storage);
    uint32_t end = 0, shared;
    if (where == PRIVATE) {
        ex_private_access(ex, &access);
        return;
    }
    if (where == EITHER) {
        end = ex_new_label(ex);
        shared = ex_new_label(ex);
        ex_branch_if_zero(ex, ex_binary(ex, CK_ULE, ex_const(ex, EX_PRIVATE_BASE, 8), access.address),
                          shared);
        ex_private_access(ex, &access);
        ex_jump(ex, end);
        ex_place_label(ex, shared);
    }
    access.storage_class = storage_class_of(ex, access.address, storage);
    ex_emit(ex, access);
    if (where == EITHER)
        ex_place_label(ex, end);
}

static uint32_t load_scalar(struct ex *ex, uint32_t address, uint32_t storage, unsigned size,
                            struct ck_instr access)
{
    uint64_t known;
    if (is_private(ex, address, storage))
        return ex_read_private(ex, address, size);
    check_access_size(ex, size);
    if (constant_memory(ex, address, size, &known))
        return ex_const(ex, known, size);
    access.op = CK_LOAD;
    access.size = (uint8_t)size;
    access.reg = ex_new_reg(ex, size);
    access.address = address;
    ex_emit_access(ex, storage, access);
    return ex_reg_expr(ex, access.reg);
}

static void store_scalar(struct ex *ex, uint32_t address, uint32_t storage, uint32_t value,
                         struct ck_instr access)
{
    if (is_private(ex, address, storage)) {
        ex_write_private(ex, address, value);
        return;
    }
    check_access_size(ex, ex_size(ex, value));
    access.op = CK_STORE;
    access.size = (uint8_t)ex_size(ex, value);
    access.value = value;
    access.address = address;
    ex_emit_access(ex, storage, access);
}

/* ---- instructions ------------------------------------------------------------------------------- */

static const struct ex_value *get_pointer(struct ex *ex, uint32_t id)
{
    const struct ex_value *pointer = ex_get(ex, id);
    if (pointer->type->kind != IN_TY_POINTER)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.8", "id %u is not a pointer", id);
    return pointer;
}

static uint32_t at_offset(struct ex *ex, uint32_t address, uint64_t offset)
{
    const struct ck_expr *e = &ex->program->exprs[address];
    uint64_t constant;
    /* the constant parts of an address stay together */
    if (e->op == CK_ADD && ex_is_const(ex, e->a, &constant)) {
        uint32_t rest = e->b;
        return ex_binary(ex, CK_ADD, ex_const(ex, constant + offset, 8), rest);
    }
    return ex_binary(ex, CK_ADD, address, ex_const(ex, offset, 8));
}

static struct ex_value load_value(struct ex *ex, uint32_t pointer, const struct in_ty *type,
                                  struct ck_instr access)
{
    uint32_t address = ex_scalar(ex, pointer), storage = get_pointer(ex, pointer)->storage;
    struct ex_value out = ex_new_value(ex, type);
    for (uint32_t i = 0; i < out.count; i++)
        out.leaves[i] = load_scalar(ex, at_offset(ex, address, out.scalars[i].offset), storage,
                                    out.scalars[i].size, access);
    return out;
}

static void store_value(struct ex *ex, uint32_t pointer, const struct ex_value *value, struct ck_instr access)
{
    uint32_t address = ex_scalar(ex, pointer), storage = get_pointer(ex, pointer)->storage;
    for (uint32_t i = 0; i < value->count; i++)
        store_scalar(ex, at_offset(ex, address, value->scalars[i].offset), storage, value->leaves[i], access);
}

static void lower_load(struct ex *ex, const struct in_inst *inst)
{
    struct ck_instr access = ex_instr(CK_LOAD);
    ex_memory_operands(ex, inst, 1, &access);
    access.attributes &= (uint8_t)~MM_MAKE_AVAILABLE;
    ex_set(ex, inst->result, load_value(ex, inst->operands[0], ex_type(ex, inst->type), access));
}

static void lower_store(struct ex *ex, const struct in_inst *inst)
{
    struct ck_instr access = ex_instr(CK_LOAD);
    ex_memory_operands(ex, inst, 2, &access);
    access.attributes &= (uint8_t)~MM_MAKE_VISIBLE;
    store_value(ex, inst->operands[0], ex_get(ex, inst->operands[1]), access);
}

/* The size of the scalar at ADDRESS: by the variable or object where the address is known, else by the type
 * of POINTER. */
static unsigned unit_at(struct ex *ex, uint32_t address, const struct in_ty *pointer)
{
    uint64_t at;
    const struct ex_shape *pointee = ex_shape(ex, ex_pointed(ex, pointer));
    unsigned size = pointee->count ? pointee->scalars[0].size : 8;
    if (!ex_is_const(ex, address, &at))
        return size;
    const struct ex_variable *v = ex_variable_at(ex, at);
    for (uint32_t i = 0; v && i < v->cell_count; i++)
        if (v->cells[i].offset == (at & UINT32_MAX))
            return v->cells[i].size;
    uint64_t object = (at >> 32) - 1;
    unsigned element = object < ex->program->object_count ? ex->program->objects[object].element_size : 0;
    return element && (at & UINT32_MAX) % element == 0 ? element : v ? 1 : size;
}

static void copy_memory(struct ex *ex, const struct in_inst *inst)
{
    struct ck_instr access = ex_instr(CK_LOAD);
    bool sized = inst->opcode == SpvOpCopyMemorySized;
    ex_memory_operands(ex, inst, sized ? 3 : 2, &access);
    if (!sized) {
        struct ex_value v = load_value(ex, inst->operands[1], ex_pointee(ex, inst->operands[1]), access);
        store_value(ex, inst->operands[0], &v, access);
        return;
    }
    uint64_t size;
    if (!ex_is_const(ex, ex_scalar(ex, inst->operands[2]), &size) || size > MAX_COPY)
        ex_fail(ex, MM_LIMIT, "explore.copy",
                "a copy of variable size, or of more than %d bytes, is not explored: copy element by element",
                MAX_COPY);
    const struct ex_value *to = get_pointer(ex, inst->operands[0]),
                          *from = get_pointer(ex, inst->operands[1]);
    uint32_t a = ex_scalar(ex, inst->operands[0]), b = ex_scalar(ex, inst->operands[1]);
    for (uint64_t i = 0; i < size;) {
        uint32_t target = at_offset(ex, a, i), source = at_offset(ex, b, i);
        unsigned x = unit_at(ex, target, to->type), y = unit_at(ex, source, from->type), step = x < y ? x : y;
        while (step > size - i)
            step /= 2;
        uint32_t value = load_scalar(ex, source, from->storage, step, access);
        store_scalar(ex, target, to->storage, value, access);
        i += step;
    }
}

/* Adds INDEX * STRIDE to ADDRESS. */
static uint32_t step_by(struct ex *ex, uint32_t address, uint32_t index, uint64_t stride)
{
    uint64_t constant;
    index = ex_resize(ex, index, 8, true);
    if (ex_is_const(ex, index, &constant))
        return at_offset(ex, address, constant * stride);
    uint32_t distance = ex_hold(ex, ex_binary(ex, CK_MUL, index, ex_const(ex, stride, 8)));
    const struct ck_expr *e = &ex->program->exprs[address];
    if (e->op == CK_ADD && ex_is_const(ex, e->a, &constant)) {
        uint32_t base = e->a;
        return ex_binary(ex, CK_ADD, base, ex_hold(ex, ex_binary(ex, CK_ADD, e->b, distance)));
    }
    return ex_binary(ex, CK_ADD, address, distance);
}

/* The address of the N elements that vloadn, vstoren and similar functions access: POINTER + OFFSET * N, or
 * OFFSET * 4 for vectors of three elements if FN is aligned [CLC 6.15.7]. */
static uint32_t vector_address(struct ex *ex, uint32_t pointer, uint32_t offset, const struct in_ext_fn *fn,
                               uint32_t count, unsigned size)
{
    return step_by(ex, ex_scalar(ex, pointer), ex_scalar(ex, offset),
                   (uint64_t)size * in_ext_vector_stride(fn, count));
}

static void vector_operands(struct ex *ex, const struct in_inst *inst, uint32_t count, const struct in_ty *t)
{
    if (inst->operand_count < count || (t->kind != IN_TY_VECTOR && !ex_scalar_size(t)))
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "a vector load or store lacks operands or has a wrong one");
}

void ex_vector_load(struct ex *ex, const struct in_inst *inst, const struct in_ext_fn *fn)
{
    struct ex_value out = ex_result(ex, inst);
    vector_operands(ex, inst, 4, out.type);
    uint32_t storage = get_pointer(ex, inst->operands[3])->storage;
    unsigned size = out.scalars[0].size;
    unsigned each = fn->flags & IN_EXT_HALF ? 2 : size;
    uint32_t address = vector_address(ex, inst->operands[3], inst->operands[2], fn, out.count, each);
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t element =
            load_scalar(ex, at_offset(ex, address, i * each), storage, each, ex_instr(CK_LOAD));
        out.leaves[i] = each == size ? element : ex_float_resize(ex, element, size, IN_RTE);
    }
    ex_set(ex, inst->result, out);
}

void ex_vector_store(struct ex *ex, const struct in_inst *inst, const struct in_ext_fn *fn)
{
    bool rounded = fn->flags & IN_EXT_ROUNDED;
    const struct ex_value *value = ex_get(ex, inst->operand_count > 2 ? inst->operands[2] : 0);
    vector_operands(ex, inst, rounded ? 6 : 5, value->type);
    uint32_t storage = get_pointer(ex, inst->operands[4])->storage;
    unsigned size = ex_size(ex, value->leaves[0]), each = fn->flags & IN_EXT_HALF ? 2 : size;
    uint32_t address = vector_address(ex, inst->operands[4], inst->operands[3], fn, value->count, each);
    uint32_t rounding = rounded && inst->operands[5] < IN_ROUNDING_COUNT ? inst->operands[5] : IN_RTE;
    for (uint32_t i = 0; i < value->count; i++) {
        uint32_t element = value->leaves[i];
        if (each != size)
            element = ex_float_resize(ex, element, each, rounding);
        store_scalar(ex, at_offset(ex, address, i * each), storage, element, ex_instr(CK_LOAD));
    }
}

const struct in_ty *ex_pointee(struct ex *ex, uint32_t pointer)
{
    return ex_pointed(ex, ex_get(ex, pointer)->type);
}

uint32_t ex_load_element(struct ex *ex, uint32_t pointer, uint64_t i, unsigned size)
{
    uint32_t address = at_offset(ex, ex_scalar(ex, pointer), i * size);
    return load_scalar(ex, address, get_pointer(ex, pointer)->storage, size, ex_instr(CK_LOAD));
}

void ex_store_value(struct ex *ex, uint32_t pointer, const struct ex_value *value)
{
    store_value(ex, pointer, value, ex_instr(CK_LOAD));
}

static void access_chain(struct ex *ex, const struct in_inst *inst)
{
    bool element = inst->opcode == SpvOpPtrAccessChain || inst->opcode == SpvOpInBoundsPtrAccessChain;
    const struct ex_value *pointer = get_pointer(ex, inst->operands[0]);
    const struct in_ty *t = ex_pointed(ex, pointer->type);
    uint32_t address = ex_scalar(ex, inst->operands[0]), at = 1;
    if (element && inst->operand_count > 1)
        address = step_by(ex, address, ex_scalar(ex, inst->operands[at++]),
                          pointer->type->stride ? pointer->type->stride : ex_element_size(t));
    for (; at < inst->operand_count; at++) {
        uint32_t index = ex_scalar(ex, inst->operands[at]);
        uint64_t member;
        if (t->kind == IN_TY_STRUCT) {
            if (!ex_is_const(ex, index, &member) || member >= t->count)
                ex_fail(ex, MM_INVALID, "SPIRV 3.42.8", "the index of a member must be one, and constant");
            address = at_offset(ex, address, t->offsets[member]);
            t = t->members[member];
        } else if (t->kind == IN_TY_VECTOR || t->kind == IN_TY_ARRAY) {
            address = step_by(ex, address, index, t->stride);
            t = t->element;
        } else {
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.8", "an index into a value without elements");
        }
    }
    struct ex_value out = ex_result(ex, inst);
    out.leaves[0] = address;
    ex_keep_storage(&out, pointer);
    ex_set(ex, inst->result, out);
}

/* ADDRESS if it is one of STORAGE, else null [SPIRV 3.42.11 OpGenericCastToPtrExplicit]. */
static uint32_t if_in_storage(struct ex *ex, uint32_t address, uint32_t storage)
{
    uint32_t here = ex_binary(ex, CK_ULE, ex_const(ex, EX_PRIVATE_BASE, 8), address);
    uint32_t number = ex_binary(ex, CK_LSHR, address, ex_const(ex, 32, 8));
    if (storage != SpvStorageClassFunction)
        here = ex_const(ex, 0, 1);
    for (uint32_t i = 0; i < ex->build.place_count && storage != SpvStorageClassFunction; i++) {
        const struct ex_place *p = &ex->build.places[i];
        uint32_t base = ex_const(ex, CK_OBJECT_BASE(p->object) >> 32, 8);
        if (p->storage == storage)
            here = ex_hold(ex, ex_binary(ex, CK_OR, here, ex_binary(ex, CK_EQ, number, base)));
    }
    return ex_hold(ex, ex_select(ex, here, address, ex_const(ex, 0, 8)));
}

static void cast_explicit(struct ex *ex, const struct in_inst *inst)
{
    ex_set_scalar(ex, inst,
                  if_in_storage(ex, ex_scalar(ex, inst->operands[0]), ex_type(ex, inst->type)->storage));
}

/* The memory semantics of a generic pointer; 0 for private memory [SPIRV 3.42.8 OpGenericPtrMemSemantics]. */
static void memory_semantics(struct ex *ex, const struct in_inst *inst)
{
    uint32_t address = ex_scalar(ex, inst->operands[0]), null = ex_const(ex, 0, 8);
    uint32_t local = ex_binary(ex, CK_NE, if_in_storage(ex, address, SpvStorageClassWorkgroup), null);
    uint32_t private = ex_binary(ex, CK_NE, if_in_storage(ex, address, SpvStorageClassFunction), null);
    uint32_t other = ex_select(ex, private, ex_const(ex, 0, 4),
                               ex_const(ex, SpvMemorySemanticsCrossWorkgroupMemoryMask, 4));
    ex_set_scalar(
        ex, inst,
        ex_hold(ex, ex_select(ex, local, ex_const(ex, SpvMemorySemanticsWorkgroupMemoryMask, 4), other)));
}

static void pointer_difference(struct ex *ex, const struct in_inst *inst)
{
    uint64_t size = ex_element_size(ex_pointee(ex, inst->operands[0]));
    uint32_t bytes =
        ex_binary(ex, CK_SUB, ex_scalar(ex, inst->operands[0]), ex_scalar(ex, inst->operands[1]));
    uint32_t count = ex_binary(ex, CK_SDIV, bytes, ex_const(ex, size ? size : 1, 8));
    ex_set_scalar(ex, inst, ex_hold(ex, ex_resize(ex, count, ex_scalar_size(ex_type(ex, inst->type)), true)));
}

static void lower_variable(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value pointer = ex_result(ex, inst);
    const struct ex_value *initial = inst->operand_count > 1 ? ex_get(ex, inst->operands[1]) : NULL;
    uint64_t base = ex_new_variable(ex, ex_pointed(ex, pointer.type), initial);
    pointer.leaves[0] = ex_const(ex, base, 8);
    ex_set(ex, inst->result, pointer);
}

bool ex_memory(struct ex *ex, const struct in_inst *inst)
{
    static const struct ex_handler handlers[] = {
        {SpvOpVariable, lower_variable},
        {SpvOpLoad, lower_load},
        {SpvOpStore, lower_store},
        {SpvOpGenericCastToPtrExplicit, cast_explicit},
        {SpvOpGenericPtrMemSemantics, memory_semantics},
        {SpvOpPtrDiff, pointer_difference},
        {SpvOpCopyMemory, copy_memory},
        {SpvOpCopyMemorySized, copy_memory},
        {SpvOpAccessChain, access_chain},
        {SpvOpInBoundsAccessChain, access_chain},
        {SpvOpPtrAccessChain, access_chain},
        {SpvOpInBoundsPtrAccessChain, access_chain},
    };
    return ex_handle(ex, inst, handlers, sizeof handlers / sizeof *handlers);
}
