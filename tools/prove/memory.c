/* Memory: pointers are objects with offsets; private variables are cells of the state; accesses of other
 * memory are collected with their conditions and byte ranges. */
#include "tools/prove/internal.h"

#include <string.h>

static bool object_of(struct pv *pv, struct pv_leaf pointer, uint32_t *object)
{
    uint64_t n;
    if (!pointer.object)
        pv_stop(pv, pv->ex->current, "an address that is no pointer");
    bool known = pv_is_number(pv, pointer.object, &n) && n < pv->objects.count;
    *object = known ? (uint32_t)n : 0;
    return known;
}

/* Regions that a pointer of type TYPE may point into. */
static unsigned regions_of(struct pv *pv, const struct in_inst *inst, const struct in_ty *type)
{
    switch (type->storage) {
    case SpvStorageClassWorkgroup:
        return 1U << PV_LOCAL;
    case SpvStorageClassUniformConstant:
    case SpvStorageClassPushConstant:
        return 1U << PV_CONSTANT;
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
        return 1U << PV_GLOBAL;
    default:
        pv_stop(pv, inst, "an access through a pointer whose object is not known");
    }
}

static const struct in_ty *type_of(struct pv_run *run, uint32_t id)
{
    return pv_get(run, id).type;
}

/* ---- accesses ------------------------------------------------------------------------------------- */

static void note_stored(struct pv_run *run, uint32_t object)
{
    struct pv *pv = run->pv;
    run->state.stored[object] = true;
    if (!pv->objects.list[object].written)
        pv->candidates.changed = pv->objects.list[object].written = true;
    for (uint32_t l = pv->graph.blocks[run->block].loop; l != PV_NONE; l = pv->graph.loops[l].outer)
        if (!pv->graph.loops[l].stored[object])
            pv->candidates.changed = pv->graph.loops[l].stored[object] = true;
}

void pv_add_access(struct pv_run *run, struct pv_access access)
{
    struct pv *pv = run->pv;
    access.condition = run->condition[run->block];
    if (pv->ex->module.vulkan)
        pv_vulkan_access(pv, &access);
    run->accesses = ex_grow(pv->ex, run->accesses, run->access_count, sizeof *run->accesses);
    run->accesses[run->access_count++] = access;
}

/* Adds ACCESS, whose kind, scope, instruction and size are set, at POINTER, which is computed from the
 * pointer POINTER_ID. */
static void add_pointer_access(struct pv_run *run, struct pv_access access, uint32_t pointer_id,
                               struct pv_leaf pointer)
{
    struct pv *pv = run->pv;
    uint32_t object;
    bool known = object_of(pv, pointer, &object);
    access.regions =
        known ? 1U << pv->objects.list[object].region : regions_of(pv, access.inst, type_of(run, pointer_id));
    access.object = pointer.object;
    access.offset = pv->narrow ? pv_resize(pv, pv_low(pv, pointer.bits, 32), 64, false) : pointer.bits;
    pv_add_access(run, access);
    if (access.kind == PV_READ)
        return;
    for (uint32_t o = 1; o < pv->objects.count; o++)
        if (known ? o == object : (access.regions >> pv->objects.list[o].region & 1) != 0)
            note_stored(run, o);
}

/* ---- loads ---------------------------------------------------------------------------------------- */

static struct pv_leaf read_shared(struct pv_run *run, uint32_t object, Z3_ast offset,
                                  const struct in_ty *scalar)
{
    struct pv *pv = run->pv;
    const struct pv_object *o = &pv->objects.list[object];
    uint32_t interval = !o->written ? PV_INITIAL : run->state.interval[o->region == PV_GLOBAL];
    struct pv_leaf value = pv_fresh_leaf(pv, scalar);
    if (value.object || scalar->kind == IN_TY_BOOL ||
        (o->written ? interval == PV_NONE || run->state.stored[object] : o->region == PV_LOCAL))
        return value;
    unsigned size = ex_scalar_size(scalar);
    for (uint32_t i = 0; i < pv->reads.count && !o->written; i++)
        if (pv->reads.list[i].object == object && pv->reads.list[i].offset == offset &&
            pv->reads.list[i].size == size && pv->reads.list[i].interval == interval)
            return (struct pv_leaf){pv->reads.list[i].value, NULL};
    pv->reads.list = ex_grow(pv->ex, pv->reads.list, pv->reads.count, sizeof *pv->reads.list);
    pv->reads.list[pv->reads.count++] = (struct pv_read){
        object, interval, run->source, run->thread, offset, value.bits, run->condition[run->block], size};
    return value;
}

static uint32_t cell_at(const struct pv *pv, const struct pv_object *o, uint64_t offset, unsigned size)
{
    for (uint32_t c = o->first_cell; c < o->first_cell + o->cell_count; c++)
        if (pv->cells.list[c].offset == offset && pv->cells.list[c].size == size)
            return c;
    return PV_NONE;
}

static struct pv_leaf read_private(struct pv_run *run, const struct pv_object *o, Z3_ast offset,
                                   const struct ex_scalar *s)
{
    uint64_t n;
    struct pv *pv = run->pv;
    uint32_t cell = pv_is_number(pv, offset, &n) ? cell_at(pv, o, n, s->size) : PV_NONE;
    struct pv_leaf fresh = pv_fresh_leaf(pv, s->type);
    if (cell == PV_NONE)
        return fresh;
    struct pv_leaf value = run->state.cells[cell];
    bool fits = pv_width(pv, value.bits) == pv_width(pv, fresh.bits) && !value.object == !fresh.object;
    return fits ? value : fresh;
}

struct pv_value pv_load(struct pv_run *run, const struct in_inst *inst, uint32_t pointer_id,
                        struct pv_leaf pointer, const struct in_ty *type)
{
    struct pv *pv = run->pv;
    uint32_t object;
    struct pv_value v = pv_new_value(pv, type);
    const struct ex_shape *shape = pv_shape(pv, type);
    bool known = object_of(pv, pointer, &object);
    const struct pv_object *o = &pv->objects.list[object];
    add_pointer_access(run, (struct pv_access){.kind = PV_READ, .inst = inst, .size = type->access},
                       pointer_id, pointer);
    for (uint32_t i = 0; i < v.count; i++) {
        Z3_ast at = pv_add(pv, pointer.bits, pv_number(pv, shape->scalars[i].offset, 64));
        v.leaves[i] = !known || o->region == PV_NO_OBJECT ? pv_fresh_leaf(pv, shape->scalars[i].type)
                      : o->region == PV_PRIVATE           ? read_private(run, o, at, &shape->scalars[i])
                                                : read_shared(run, object, at, shape->scalars[i].type);
    }
    return v;
}

static bool load_builtin(struct pv_run *run, const struct in_inst *inst, struct pv_leaf pointer,
                         const struct in_ty *type)
{
    struct pv *pv = run->pv;
    uint32_t object;
    uint64_t offset;
    if (!object_of(pv, pointer, &object) || pv->objects.list[object].region != PV_BUILTIN)
        return false;
    const struct in_id *id = ex_id(pv->ex, pv->objects.list[object].id);
    const struct in_ty *whole = ex_pointed(pv->ex, id->ty);
    if (id->builtin < 0)
        pv_stop(pv, inst, "an input variable that is no built-in");
    struct pv_value v = pv_builtin(run, (uint32_t)id->builtin, whole);
    if (type != whole) {
        bool is_part = pv_is_number(pv, pointer.bits, &offset) && whole->kind == IN_TY_VECTOR &&
                       offset / whole->stride < v.count;
        v = is_part ? (struct pv_value){type, 1, v.leaves + offset / whole->stride}
                    : pv_fresh_value(pv, type);
    }
    pv_set(run, inst, v);
    return true;
}

/* ---- stores --------------------------------------------------------------------------------------- */

/* Cells that an access of SIZE bytes at OFFSET may change, of which FIRST + i becomes VALUE's scalar i. */
static void write_private(struct pv_run *run, const struct pv_object *o, Z3_ast offset,
                          const struct ex_shape *shape, const struct pv_value *value, uint64_t size)
{
    struct pv *pv = run->pv;
    uint64_t n;
    bool known = pv_is_number(pv, offset, &n);
    for (uint32_t c = o->first_cell; c < o->first_cell + o->cell_count; c++) {
        const struct pv_cell *cell = &pv->cells.list[c];
        struct pv_leaf now = pv_fresh_leaf(pv, cell->type);
        if (known && (cell->offset + cell->size <= n || n + size <= cell->offset))
            continue;
        for (uint32_t i = 0; known && value && i < value->count; i++) {
            struct pv_leaf given = value->leaves[i];
            if (n + shape->scalars[i].offset == cell->offset && shape->scalars[i].size == cell->size &&
                pv_width(pv, given.bits) == pv_width(pv, now.bits) && !given.object == !now.object)
                now = given;
        }
        pv_set_cells(run, c, &(struct pv_value){cell->type, 1, &now});
    }
}

void pv_store(struct pv_run *run, const struct in_inst *inst, uint32_t pointer_id, struct pv_leaf pointer,
              const struct pv_value *value)
{
    struct pv *pv = run->pv;
    uint32_t object;
    bool known = object_of(pv, pointer, &object);
    add_pointer_access(run, (struct pv_access){.kind = PV_WRITE, .inst = inst, .size = value->type->access},
                       pointer_id, pointer);
    if (known && pv->objects.list[object].region == PV_PRIVATE)
        write_private(run, &pv->objects.list[object], pointer.bits, pv_shape(pv, value->type), value,
                      value->type->access);
}

void pv_forget(struct pv_run *run, const struct in_inst *inst, uint32_t pointer_id, struct pv_leaf pointer,
               uint64_t size, Z3_ast bytes)
{
    uint32_t object;
    add_pointer_access(run, (struct pv_access){.kind = PV_WRITE, .inst = inst, .size = size, .bytes = bytes},
                       pointer_id, pointer);
    if (!object_of(run->pv, pointer, &object) || run->pv->objects.list[object].region != PV_PRIVATE)
        return;
    Z3_ast at = size ? pointer.bits : pv_fresh(run->pv, "offset", 64);
    write_private(run, &run->pv->objects.list[object], at, NULL, NULL, size);
}

/* A copy between private variables keeps their scalars. */
static void copy_between(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    struct pv_leaf to = pv_get_scalar(run, inst->operands[0]), from = pv_get_scalar(run, inst->operands[1]);
    uint64_t size = 0, a, b;
    Z3_ast bytes = NULL;
    uint32_t x, y;
    if (inst->opcode == SpvOpCopyMemory) {
        size = ex_pointed(pv->ex, type_of(run, inst->operands[0]))->size;
    } else {
        bytes = pv_resize(pv, pv_get_scalar(run, inst->operands[2]).bits, 64, false);
        if (pv_is_number(pv, bytes, &size))
            bytes = NULL;
    }
    add_pointer_access(run, (struct pv_access){.kind = PV_READ, .inst = inst, .size = size, .bytes = bytes},
                       inst->operands[1], from);
    bool is_private = object_of(pv, to, &x) && pv->objects.list[x].region == PV_PRIVATE &&
                      object_of(pv, from, &y) && pv->objects.list[y].region == PV_PRIVATE && size &&
                      pv_is_number(pv, to.bits, &a) && pv_is_number(pv, from.bits, &b);
    struct pv_leaf *old = pv_alloc(pv, pv->cells.count, sizeof *old);
    memcpy(old, run->state.cells, pv->cells.count * sizeof *old);
    pv_forget(run, inst, inst->operands[0], to, size, bytes);
    for (uint32_t i = 0; is_private && i < pv->objects.list[x].cell_count; i++) {
        const struct pv_cell *cell = &pv->cells.list[pv->objects.list[x].first_cell + i];
        if (cell->offset < a || cell->offset + cell->size > a + size)
            continue;
        uint32_t source = cell_at(pv, &pv->objects.list[y], cell->offset - a + b, cell->size);
        struct pv_leaf now = source == PV_NONE ? (struct pv_leaf){NULL, NULL} : old[source];
        if (now.bits &&
            pv_width(pv, now.bits) ==
                pv_width(pv, run->state.cells[pv->objects.list[x].first_cell + i].bits) &&
            !now.object == !run->state.cells[pv->objects.list[x].first_cell + i].object)
            pv_set_cells(run, pv->objects.list[x].first_cell + i, &(struct pv_value){cell->type, 1, &now});
    }
}

static void execute_variable(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    struct pv_leaf pointer = pv_get_scalar(run, inst->result);
    uint32_t object;
    object_of(pv, pointer, &object);
    if (pv->objects.list[object].region != PV_PRIVATE)
        return;
    struct pv_value value = inst->operand_count > 1
                                ? pv_get(run, inst->operands[1])
                                : pv_fresh_value(pv, ex_pointed(pv->ex, ex_type(pv->ex, inst->type)));
    pv_set_cells(run, pv->objects.list[object].first_cell, &value);
}

/* ---- address arithmetic --------------------------------------------------------------------------- */

/* Index of elements of STRIDE bytes. */
static Z3_ast index_of(struct pv_run *run, uint32_t id, bool in_bounds, uint64_t stride)
{
    struct pv *pv = run->pv;
    uint64_t n;
    Z3_ast index = pv_resize(pv, pv_get_scalar(run, id).bits, 64, true);
    if (!in_bounds || pv_is_number(pv, index, &n))
        return index;
    uint64_t limit = UINT64_C(1) << (pv->narrow ? 32 : 40), most = (limit - 1) / (stride ? stride : 1) + 1;
    Z3_ast moved = Z3_mk_bvadd(pv->c, index, pv_number(pv, most, 64));
    Z3_ast small = Z3_mk_bvult(pv->c, moved, pv_number(pv, 2 * most, 64));
    pv_fact(pv, pv_implies(pv, pv_and(pv, pv->assumed.in_bounds, run->condition[run->block]), small));
    return index;
}

/* OFFSET + INDEX * STRIDE. */
static Z3_ast add_index(struct pv *pv, Z3_ast offset, Z3_ast index, uint64_t stride)
{
    return pv_add(pv, offset, pv_multiply(pv, index, pv_number(pv, stride, 64), false, pv->no, 0));
}

static void access_chain(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    bool element = inst->opcode == SpvOpPtrAccessChain || inst->opcode == SpvOpInBoundsPtrAccessChain;
    bool in_bounds = inst->opcode == SpvOpInBoundsAccessChain || inst->opcode == SpvOpInBoundsPtrAccessChain;
    const struct in_ty *pointer = type_of(run, inst->operands[0]), *t = ex_pointed(pv->ex, pointer);
    struct pv_value out = pv_new_value(pv, ex_type(pv->ex, inst->type));
    struct pv_leaf at = pv_get_scalar(run, inst->operands[0]);
    uint32_t i = 1;
    if (element && inst->operand_count > 1) {
        uint64_t stride = pointer->stride ? pointer->stride : ex_element_size(t);
        at.bits = add_index(pv, at.bits, index_of(run, inst->operands[i++], in_bounds, stride), stride);
    }
    for (; i < inst->operand_count; i++) {
        uint64_t member;
        Z3_ast index = index_of(run, inst->operands[i], in_bounds, t->kind == IN_TY_STRUCT ? 1 : t->stride);
        if (t->kind == IN_TY_STRUCT && pv_is_number(pv, index, &member) && member < t->count) {
            at.bits = pv_add(pv, at.bits, pv_number(pv, t->offsets[member], 64));
            t = t->members[member];
        } else if (t->kind == IN_TY_VECTOR || t->kind == IN_TY_ARRAY) {
            at.bits = add_index(pv, at.bits, index, t->stride);
            t = t->element;
        } else {
            pv_stop(pv, inst, "an index into a value without elements");
        }
    }
    out.leaves[0] = at;
    pv_set(run, inst, out);
}

/* ---- atomics -------------------------------------------------------------------------------------- */

static bool execute_atomic(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    bool is_store = inst->opcode == SpvOpAtomicStore || inst->opcode == SpvOpAtomicFlagClear;
    uint64_t scope = SpvScopeInvocation;
    if (!in_is_atomic(inst->opcode))
        return false;
    if (pv->ex->module.vulkan)
        pv_stop(pv, inst, "atomic operations of Vulkan modules are not supported by --prove");
    pv->verdict->has_atomics = true;
    struct pv_leaf pointer = pv_get_scalar(run, inst->operands[0]);
    const struct in_ty *pointee = ex_pointed(pv->ex, type_of(run, inst->operands[0]));
    bool wide = ex_constant(pv->ex, inst->operands[1], 0, &scope) &&
                (scope == SpvScopeDevice || scope == SpvScopeCrossDevice || scope == SpvScopeQueueFamily);
    bool enough = wide || scope == SpvScopeWorkgroup;
    uint32_t object;
    enum pv_access_kind kind = enough ? PV_ATOMIC : inst->opcode == SpvOpAtomicLoad ? PV_READ : PV_WRITE;
    add_pointer_access(
        run, (struct pv_access){.kind = kind, .wide_scope = wide, .inst = inst, .size = pointee->access},
        inst->operands[0], pointer);
    if (object_of(pv, pointer, &object) && pv->objects.list[object].region == PV_PRIVATE &&
        inst->opcode != SpvOpAtomicLoad)
        write_private(run, &pv->objects.list[object], pointer.bits, NULL, NULL, pointee->access);
    if (inst->result && !is_store)
        pv_set(run, inst, pv_fresh_value(pv, ex_type(pv->ex, inst->type)));
    return true;
}

bool pv_memory(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    switch (inst->opcode) {
    case SpvOpVariable:
        execute_variable(run, inst);
        return true;
    case SpvOpLoad: {
        const struct in_ty *type = ex_type(pv->ex, inst->type);
        struct pv_leaf pointer = pv_get_scalar(run, inst->operands[0]);
        if (!load_builtin(run, inst, pointer, type))
            pv_set(run, inst, pv_load(run, inst, inst->operands[0], pointer, type));
        return true;
    }
    case SpvOpStore: {
        struct pv_value value = pv_get(run, inst->operands[1]);
        pv_store(run, inst, inst->operands[0], pv_get_scalar(run, inst->operands[0]), &value);
        return true;
    }
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        copy_between(run, inst);
        return true;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        access_chain(run, inst);
        return true;
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr: {
        struct pv_value out = pv_new_value(pv, ex_type(pv->ex, inst->type));
        out.leaves[0] = pv_get_scalar(run, inst->operands[0]);
        pv_set(run, inst, out);
        return true;
    }
    default:
        return execute_atomic(run, inst);
    }
}
