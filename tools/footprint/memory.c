/* Memory of a work-item: accesses through pointers whose object is known, and private memory
 * [SPIRV 3.49.8]. */
#include "memmodel/base/array.h"
#include "tools/footprint/run.h"

#include <string.h>

enum { MOST_ACCESSES = 1 << 18 };

/* Notes that INST may access unknown memory through its pointer operands. */
static void note_unknown(struct fp_run *run, const struct in_inst *inst)
{
    bool extended = inst->opcode == SpvOpExtInst,
         copies = inst->opcode == SpvOpCopyMemory || inst->opcode == SpvOpCopyMemorySized;
    uint32_t bound = in_spirv_bound(run->module), first = extended ? 2 : 0;
    /* The operands from END on are literals. */
    uint32_t end = extended ? inst->operand_count : copies ? 2 : 1;
    for (uint32_t i = first; run->uses.from && i < end; i++)
        run->unknown |= inst->operands[i] < bound ? run->uses.from[inst->operands[i]] : 0;
}

void fp_access_add(struct fp_run *run, const struct in_inst *inst, const struct fp_value *pointer,
                   struct fp_access access)
{
    if (pointer->kind != FP_POINTER || run->access_count >= MOST_ACCESSES) {
        note_unknown(run, inst);
        return;
    }
    const struct fp_object *object = &run->objects[pointer->object];
    bool inside = pointer->n < object->size && access.size <= object->size - pointer->n;
    if ((object->kind != FP_ARGUMENT && object->kind != FP_GLOBAL && object->kind != FP_IMAGE) || !inside)
        return;
    access.base = object->base;
    access.word = inst->word;
    access.offset = pointer->n;
    access.line = inst->line;
    access.column = inst->column;
    access.after_sync = run->after_sync;
    if (!mm_append(&run->accesses, &run->access_count, &access))
        note_unknown(run, inst);
}

struct fp_value *fp_parts(struct fp_run *run, size_t count)
{
    if (run->pool_used + count > FP_POOL)
        return NULL;
    run->pool_used += count;
    memset(&run->pool[run->pool_used - count], 0, count * sizeof *run->pool);
    return &run->pool[run->pool_used - count];
}

struct fp_value fp_pointer_to(struct fp_run *run, struct fp_object object)
{
    if (run->object_count == FP_OBJECTS)
        return (struct fp_value){0};
    run->objects[run->object_count] = object;
    return (struct fp_value){.kind = FP_POINTER, .object = run->object_count++};
}

bool fp_takes_pointer(const struct fp_run *run, const struct in_inst *inst, uint32_t first)
{
    for (uint32_t i = first; i < inst->operand_count; i++) {
        const struct in_ty *ty = fp_type_of(run, inst->operands[i]);
        if (ty && ty->kind == IN_TY_POINTER)
            return true;
    }
    return false;
}

/* ---- private memory ------------------------------------------------------------------------------ */

void fp_forget(struct fp_run *run)
{
    run->cell_count = 0;
    for (uint32_t i = 0; i < run->object_count; i++)
        run->objects[i].bytes = NULL;
}

/* Removes the cells that overlap SIZE bytes from OFFSET of OBJECT.  The initial bytes are forgotten with a
 * cell that has other bytes, too. */
static void forget_bytes(struct fp_run *run, uint32_t object, uint64_t offset, uint64_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->cell_count; i++) {
        const struct fp_cell *c = &run->cells[i];
        if (c->object != object || c->offset >= offset + size || offset >= c->offset + c->size)
            run->cells[kept++] = *c;
        else if (c->offset < offset || c->offset + c->size > offset + size)
            run->objects[object].bytes = NULL;
    }
    run->cell_count = kept;
}

static void private_store(struct fp_run *run, const struct fp_value *pointer, const struct fp_value *value,
                          uint64_t size)
{
    forget_bytes(run, pointer->object, pointer->n, size);
    if (run->cell_count == FP_CELLS)
        fp_forget(run);
    run->cells[run->cell_count++] = (struct fp_cell){pointer->object, pointer->n, size, *value};
}

struct fp_value fp_from_bytes(struct fp_run *run, const unsigned char *bytes, const struct in_ty *ty)
{
    struct fp_value value = {0};
    if ((ty->kind == IN_TY_INT || ty->kind == IN_TY_BOOL) && ty->size <= 8) {
        value.kind = FP_INT;
        memcpy(&value.n, bytes, ty->size);
    } else if (ty->kind == IN_TY_VECTOR && (value.parts = fp_parts(run, ty->count))) {
        value.kind = FP_PARTS;
        value.count = (uint8_t)ty->count;
        for (uint32_t i = 0; i < ty->count; i++)
            value.parts[i] = fp_from_bytes(run, bytes + i * ty->element->size, ty->element);
    }
    return value;
}

static struct fp_value private_load(struct fp_run *run, const struct fp_value *pointer,
                                    const struct in_ty *ty)
{
    const struct fp_object *object = &run->objects[pointer->object];
    bool touched = false;
    for (size_t i = 0; i < run->cell_count; i++) {
        const struct fp_cell *c = &run->cells[i];
        if (c->object != pointer->object || c->offset >= pointer->n + ty->size ||
            pointer->n >= c->offset + c->size)
            continue;
        touched = true;
        if (c->offset == pointer->n && c->size == ty->size)
            return c->value;
        if (c->value.kind == FP_PARTS && c->size == ty->size * c->value.count &&
            (pointer->n - c->offset) % ty->size == 0)
            return c->value.parts[(pointer->n - c->offset) / ty->size];
    }
    if (!touched && object->bytes && pointer->n < object->size && ty->size <= object->size - pointer->n)
        return fp_from_bytes(run, object->bytes + pointer->n, ty);
    return (struct fp_value){0};
}

static struct fp_value load_value(struct fp_run *run, const struct in_inst *inst,
                                  const struct fp_value *pointer, const struct in_ty *ty)
{
    if (pointer->kind == FP_POINTER && run->objects[pointer->object].kind == FP_PRIVATE)
        return private_load(run, pointer, ty);
    fp_access_add(run, inst, pointer,
                  (struct fp_access){.size = ty->access ? ty->access : ty->size, .kind = MM_READ});
    return (struct fp_value){0};
}

/* A store through an unknown pointer may change all private memory whose address was taken. */
void fp_store(struct fp_run *run, const struct in_inst *inst, const struct fp_value *pointer,
              const struct fp_value *value, const struct in_ty *ty)
{
    if (pointer->kind != FP_POINTER) {
        note_unknown(run, inst);
        fp_forget(run);
    } else if (run->objects[pointer->object].kind == FP_PRIVATE) {
        private_store(run, pointer, value, ty->size);
    } else {
        fp_access_add(run, inst, pointer,
                      (struct fp_access){.size = ty->access ? ty->access : ty->size, .kind = MM_WRITE});
    }
}

/* ---- instructions -------------------------------------------------------------------------------- */

static uint8_t order_of(const struct fp_run *run, uint32_t id)
{
    const struct fp_value *v = &run->values[id];
    uint64_t bits = v->kind == FP_INT ? v->n : SpvMemorySemanticsSequentiallyConsistentMask;
    return bits & SpvMemorySemanticsSequentiallyConsistentMask ? MM_SEQ_CST
           : bits & SpvMemorySemanticsAcquireReleaseMask       ? MM_ACQ_REL
           : bits & SpvMemorySemanticsReleaseMask              ? MM_RELEASE
           : bits & SpvMemorySemanticsAcquireMask              ? MM_ACQUIRE
                                                               : MM_RELAXED;
}

static uint8_t scope_of(const struct fp_run *run, uint32_t id)
{
    const struct fp_value *v = &run->values[id];
    switch (v->kind == FP_INT ? v->n : SpvScopeCrossDevice) {
    case SpvScopeInvocation:
        return MM_SCOPE_WORK_ITEM;
    case SpvScopeSubgroup:
        return MM_SCOPE_SUB_GROUP;
    case SpvScopeWorkgroup:
        return MM_SCOPE_WORK_GROUP;
    case SpvScopeDevice:
        return MM_SCOPE_DEVICE;
    default:
        return MM_SCOPE_ALL_SVM_DEVICES;
    }
}

/* Accesses after an atomic that may acquire may be ordered after accesses of other agents [CL 3.3.6 A2]. */
static void evaluate_atomic(struct fp_run *run, const struct in_inst *inst)
{
    bool stores = inst->opcode == SpvOpAtomicStore || inst->opcode == SpvOpAtomicFlagClear;
    const uint32_t *o = inst->operands;
    const struct in_ty *pointer = fp_type_of(run, o[0]);
    uint64_t size = pointer && pointer->element ? pointer->element->size : 4;
    struct fp_access access = {.size = size,
                               .kind = stores                            ? MM_WRITE
                                       : inst->opcode == SpvOpAtomicLoad ? MM_READ
                                                                         : MM_RMW,
                               .attributes = MM_ATOMIC,
                               .order = order_of(run, o[2]),
                               .scope = scope_of(run, o[1])};
    fp_access_add(run, inst, &run->values[o[0]], access);
    run->after_sync |= !stores && access.order != MM_RELAXED && access.order != MM_RELEASE;
}

/* The level of a mipmapped image that INST names, in *LEVEL; false: it is not known. */
static bool named_level(const struct fp_run *run, const struct in_inst *inst, bool writes, uint64_t *level)
{
    uint32_t at = writes ? 3 : 2;
    *level = 0;
    if (inst->operand_count <= at + 1 || !(inst->operands[at] & SpvImageOperandsLodMask))
        return true;
    const struct fp_value *value = &run->values[inst->operands[at + 1]];
    *level = (uint32_t)value->n;
    return value->kind == FP_INT;
}

static uint64_t half_size(uint64_t size)
{
    return size > 1 ? size / 2 : 1;
}

/* Makes SHAPE that of LEVEL, and *BEGIN the bytes before it; false: there is no such level. */
static bool select_level(struct ly_image *shape, uint64_t level, uint64_t *begin)
{
    *begin = 0;
    if (level && level >= shape->levels)
        return false;
    for (uint64_t l = 0; l < level && l < 64; l++) {
        *begin += shape->slice_pitch * shape->depth;
        shape->width = half_size(shape->width);
        shape->height = shape->halved > 1 ? half_size(shape->height) : shape->height;
        shape->depth = shape->halved > 2 ? half_size(shape->depth) : shape->depth;
        shape->row_pitch = shape->width * shape->element;
        shape->slice_pitch = shape->row_pitch * shape->height;
    }
    return true;
}

/* Reads the coordinates in AT; false if they are unknown. */
static bool known_coordinates(const struct fp_value *at, uint64_t c[3])
{
    if (at->kind != FP_INT && at->kind != FP_PARTS)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        const struct fp_value *part = at->kind == FP_PARTS && i < at->count ? &at->parts[i] : NULL;
        if (at->kind == FP_INT && i == 0)
            part = at;
        if (part && part->kind != FP_INT)
            return false;
        c[i] = part ? (uint32_t)part->n : 0;
    }
    return true;
}

/* Evaluates an access to an image; false if the texel is unknown. */
static bool image_access(struct fp_run *run, const struct in_inst *inst, bool writes)
{
    const struct fp_value *image = &run->values[inst->operands[0]];
    struct ly_image shape;
    uint64_t c[3], level, begin;
    if (image->kind != FP_POINTER || run->objects[image->object].kind != FP_IMAGE ||
        !named_level(run, inst, writes, &level) || !known_coordinates(&run->values[inst->operands[1]], c))
        return false;
    memcpy(&shape, run->arguments[run->objects[image->object].base].value, sizeof shape);
    if (!select_level(&shape, level, &begin) || c[0] >= shape.width || c[1] >= shape.height ||
        c[2] >= shape.depth)
        return true;
    struct fp_value pointer = *image;
    pointer.n = begin + c[0] * shape.element + c[1] * shape.row_pitch + c[2] * shape.slice_pitch;
    fp_access_add(run, inst, &pointer,
                  (struct fp_access){.size = shape.element, .kind = writes ? MM_WRITE : MM_READ});
    return true;
}

bool fp_memory(struct fp_run *run, const struct in_inst *inst)
{
    const uint32_t *o = inst->operands;
    const struct in_ty *ty;
    switch (inst->opcode) {
    case SpvOpLoad:
        ty = fp_type_of(run, inst->result);
        if (ty)
            run->values[inst->result] = load_value(run, inst, &run->values[o[0]], ty);
        return true;
    case SpvOpStore:
        ty = fp_type_of(run, o[1]);
        if (ty)
            fp_store(run, inst, &run->values[o[0]], &run->values[o[1]], ty);
        return true;
    case SpvOpCopyMemorySized: {
        const struct fp_value *to = &run->values[o[0]], *from = &run->values[o[1]], *n = &run->values[o[2]];
        if (n->kind == FP_INT) {
            fp_access_add(run, inst, from, (struct fp_access){.size = n->n, .kind = MM_READ});
            fp_access_add(run, inst, to, (struct fp_access){.size = n->n, .kind = MM_WRITE});
        } else {
            note_unknown(run, inst);
        }
        if (to->kind != FP_POINTER || run->objects[to->object].kind == FP_PRIVATE)
            fp_forget(run);
        return true;
    }
    case SpvOpCopyMemory:
        note_unknown(run, inst);
        fp_forget(run);
        return true;
    case SpvOpImageRead:
    case SpvOpImageWrite:
        if (!image_access(run, inst, inst->opcode == SpvOpImageWrite))
            note_unknown(run, inst);
        if (inst->result)
            run->values[inst->result] = (struct fp_value){0};
        return true;
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier: /* another work-item, or this one, has read atomically before */
        run->after_sync |= run->m->has_atomics;
        return true;
    default:
        if (!in_is_atomic(inst->opcode))
            return false;
        evaluate_atomic(run, inst);
        if (inst->result)
            run->values[inst->result] = (struct fp_value){0};
        return true;
    }
}

/* ---- built-in variables -------------------------------------------------------------------------- */

static bool builtin_of(const struct fp_run *run, int32_t builtin, unsigned d, uint64_t *n)
{
    const struct ly_launch_head *h = &run->head;
    uint64_t local = h->local_size[d], group = local ? run->id[d] / local : 0, left;
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
        *n = run->id[d] + h->global_offset[d];
        return true;
    case SpvBuiltInGlobalSize:
        *n = h->global_size[d];
        return true;
    case SpvBuiltInGlobalOffset:
        *n = h->global_offset[d];
        return true;
    case SpvBuiltInLocalInvocationId:
        *n = local ? run->id[d] % local : 0;
        return local != 0;
    case SpvBuiltInWorkgroupId:
        *n = group;
        return local != 0;
    case SpvBuiltInEnqueuedWorkgroupSize:
        *n = local;
        return local != 0;
    case SpvBuiltInWorkgroupSize:
        left = h->global_size[d] - group * local;
        *n = left < local ? left : local;
        return local != 0;
    case SpvBuiltInNumWorkgroups:
        *n = local ? (h->global_size[d] + local - 1) / local : 0;
        return local != 0;
    default:
        return false;
    }
}

static bool scalar_builtin(const struct fp_run *run, int32_t builtin, uint64_t *n)
{
    const struct ly_launch_head *h = &run->head;
    uint64_t size[3], local[3];
    for (unsigned d = 0; d < 3; d++) {
        builtin_of(run, SpvBuiltInWorkgroupSize, d, &size[d]);
        builtin_of(run, SpvBuiltInLocalInvocationId, d, &local[d]);
    }
    switch (builtin) {
    case SpvBuiltInWorkDim:
        *n = h->dimensions;
        return true;
    case SpvBuiltInGlobalLinearId:
        *n = (run->id[2] * h->global_size[1] + run->id[1]) * h->global_size[0] + run->id[0];
        return true;
    case SpvBuiltInLocalInvocationIndex:
        *n = (local[2] * size[1] + local[1]) * size[0] + local[0];
        return h->local_size[0] != 0;
    default:
        return false;
    }
}

struct fp_value fp_builtin(struct fp_run *run, int32_t builtin, const struct in_ty *ty)
{
    struct fp_value value = {0};
    if (ty->kind == IN_TY_VECTOR && ty->count == 3 && (value.parts = fp_parts(run, 3))) {
        value.kind = FP_PARTS;
        value.count = 3;
        for (unsigned d = 0; d < 3; d++)
            value.parts[d].kind = builtin_of(run, builtin, d, &value.parts[d].n) ? FP_INT : FP_UNKNOWN;
    } else if (ty->kind == IN_TY_INT && scalar_builtin(run, builtin, &value.n)) {
        value.kind = FP_INT;
    }
    return value;
}
