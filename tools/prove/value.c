/* Values of instructions: scalars of a type, constants, private cells. */
#include "tools/prove/internal.h"

#include <string.h>

const struct ex_shape *pv_shape(struct pv *pv, const struct in_ty *type)
{
    const struct ex_shape *shape = ex_shape(pv->ex, type);
    if (!shape->count)
        pv_stop(pv, pv->ex->current, "limit reached: a value or private variable of more than 65536 scalars");
    return shape;
}

static unsigned bits_of(struct pv *pv, const struct in_ty *scalar)
{
    if (scalar->kind == IN_TY_BOOL)
        return 0;
    if (scalar->kind == IN_TY_POINTER || scalar->kind == IN_TY_OPAQUE)
        return 64;
    if (scalar->width > 64)
        pv_stop(pv, pv->ex->current, "numbers of more than 64 bits are not supported by --prove");
    return scalar->width;
}

struct pv_leaf pv_fresh_leaf(struct pv *pv, const struct in_ty *scalar)
{
    Z3_ast bits = pv_fresh(pv, "value", bits_of(pv, scalar));
    return (struct pv_leaf){bits, scalar->kind == IN_TY_POINTER ? pv_fresh(pv, "object", 16) : NULL};
}

struct pv_value pv_new_value(struct pv *pv, const struct in_ty *type)
{
    const struct ex_shape *shape = pv_shape(pv, type);
    return (struct pv_value){type, shape->count, pv_alloc(pv, shape->count, sizeof(struct pv_leaf))};
}

struct pv_value pv_fresh_value(struct pv *pv, const struct in_ty *type)
{
    struct pv_value v = pv_new_value(pv, type);
    for (uint32_t i = 0; i < v.count; i++)
        v.leaves[i] = pv_fresh_leaf(pv, pv_shape(pv, type)->scalars[i].type);
    return v;
}

static struct pv_leaf constant_leaf(struct pv *pv, uint32_t id, uint32_t i, const struct in_ty *scalar)
{
    uint64_t value;
    Z3_ast given = scalar->kind == IN_TY_POINTER ? NULL : pv_specialized(pv, id, i, bits_of(pv, scalar));
    if (given)
        return (struct pv_leaf){given, NULL};
    if (!ex_constant(pv->ex, id, i, &value) || ex_id(pv->ex, id)->builtin >= 0)
        return pv_fresh_leaf(pv, scalar);
    if (scalar->kind == IN_TY_POINTER)
        return value ? pv_fresh_leaf(pv, scalar)
                     : (struct pv_leaf){pv_number(pv, 0, 64), pv_number(pv, 0, 16)};
    return (struct pv_leaf){pv_number(pv, value, bits_of(pv, scalar)), NULL};
}

static struct pv_value variable_value(struct pv *pv, uint32_t id, uint32_t frame, const struct in_ty *type)
{
    uint32_t o = 1;
    while (o < pv->objects.count && !(pv->objects.list[o].id == id && (pv->objects.list[o].frame == frame ||
                                                                       pv->objects.list[o].frame == PV_NONE)))
        o++;
    if (o == pv->objects.count)
        pv_stop(pv, pv->ex->current, "a variable of another function");
    struct pv_value v = pv_new_value(pv, type);
    v.leaves[0] = (struct pv_leaf){pv_number(pv, 0, 64), pv_number(pv, o, 16)};
    return v;
}

struct pv_value pv_get(struct pv_run *run, uint32_t id)
{
    struct pv *pv = run->pv;
    const struct in_id *known = ex_id(pv->ex, id);
    const struct in_inst *definition = ex_definition(pv->ex, id);
    uint32_t frame = pv->graph.blocks[run->block].frame;
    const struct in_ty *type = known->kind == IN_ID_CONSTANT || known->kind == IN_ID_GLOBAL ? known->ty
                               : definition && definition->type ? ex_type(pv->ex, definition->type)
                                                                : NULL;
    if (!type || type->kind == IN_TY_VOID)
        pv_stop(pv, pv->ex->current, "an operand that is no value");
    if (definition && definition->opcode == SpvOpVariable)
        return variable_value(pv, id, frame, type);
    if (known->kind == IN_ID_CONSTANT) {
        struct pv_value v = pv_new_value(pv, type);
        for (uint32_t i = 0; i < v.count; i++)
            v.leaves[i] = constant_leaf(pv, id, i, pv_shape(pv, type)->scalars[i].type);
        return v;
    }
    if (run->valid[id] == run->block + 1)
        return run->values[id];
    uint32_t cell = pv->cells.of_id[pv->graph.frames[frame].base + id];
    if (cell == PV_NONE)
        pv_stop(pv, pv->ex->current, "%s is not supported as an operand by --prove",
                definition ? in_opcode_name(definition->opcode) : "a function");
    return (struct pv_value){type, pv_shape(pv, type)->count, run->state.cells + cell};
}

struct pv_leaf pv_get_scalar(struct pv_run *run, uint32_t id)
{
    return pv_get(run, id).leaves[0];
}

/* Loops around the current block change CELL. */
static void note_modified(struct pv_run *run, uint32_t cell)
{
    struct pv *pv = run->pv;
    for (uint32_t l = pv->graph.blocks[run->block].loop; l != PV_NONE; l = pv->graph.loops[l].outer)
        if (!pv->graph.loops[l].modified[cell])
            pv->candidates.changed = pv->graph.loops[l].modified[cell] = true;
}

void pv_set_cells(struct pv_run *run, uint32_t cell, const struct pv_value *value)
{
    for (uint32_t i = 0; i < value->count; i++) {
        note_modified(run, cell + i);
        run->state.cells[cell + i] = value->leaves[i];
    }
}

void pv_set(struct pv_run *run, const struct in_inst *inst, struct pv_value value)
{
    struct pv *pv = run->pv;
    uint32_t cell = pv->cells.of_id[pv->graph.frames[pv->graph.blocks[run->block].frame].base + inst->result];
    run->values[inst->result] = value;
    run->valid[inst->result] = run->block + 1;
    if (cell != PV_NONE)
        pv_set_cells(run, cell, &value);
}

struct pv_leaf pv_merge_leaf(struct pv *pv, Z3_ast condition, struct pv_leaf a, struct pv_leaf b)
{
    struct pv_leaf m = {pv_if(pv, condition, a.bits, b.bits), NULL};
    if (a.object && b.object)
        m.object = pv_if(pv, condition, a.object, b.object);
    return m;
}

/* ---- instructions --------------------------------------------------------------------------------- */

static struct pv_value part_of(struct pv_run *run, struct pv_value whole, const uint32_t *indices,
                               uint32_t count)
{
    const struct in_ty *type = whole.type;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++)
        at += ex_leaf_index(run->pv->ex, type, indices[i], &type);
    return (struct pv_value){type, pv_shape(run->pv, type)->count, whole.leaves + at};
}

static struct pv_value copy_of(struct pv *pv, struct pv_value value)
{
    struct pv_value v = pv_new_value(pv, value.type);
    memcpy(v.leaves, value.leaves, v.count * sizeof *v.leaves);
    return v;
}

static void execute_insert(struct pv_run *run, const struct in_inst *inst)
{
    struct pv_value part = pv_get(run, inst->operands[0]),
                    whole = copy_of(run->pv, pv_get(run, inst->operands[1]));
    struct pv_value target = part_of(run, whole, inst->operands + 2, inst->operand_count - 2);
    memcpy(target.leaves, part.leaves, part.count * sizeof *part.leaves);
    pv_set(run, inst, whole);
}

static void execute_construct(struct pv_run *run, const struct in_inst *inst, struct pv_value out)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct pv_value part = pv_get(run, inst->operands[i]);
        for (uint32_t k = 0; k < part.count && at < out.count; k++)
            out.leaves[at++] = part.leaves[k];
    }
    pv_set(run, inst, out);
}

static void execute_shuffle(struct pv_run *run, const struct in_inst *inst, struct pv_value out)
{
    struct pv_value a = pv_get(run, inst->operands[0]), b = pv_get(run, inst->operands[1]);
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t n = inst->operands[2 + i];
        out.leaves[i] = n < a.count             ? a.leaves[n]
                        : n - a.count < b.count ? b.leaves[n - a.count]
                                                : pv_fresh_leaf(run->pv, in_scalar(out.type));
    }
    pv_set(run, inst, out);
}

static void execute_select(struct pv_run *run, const struct in_inst *inst, struct pv_value out)
{
    struct pv_value c = pv_get(run, inst->operands[0]), a = pv_get(run, inst->operands[1]),
                    b = pv_get(run, inst->operands[2]);
    for (uint32_t i = 0; i < out.count; i++)
        out.leaves[i] =
            pv_merge_leaf(run->pv, c.leaves[c.count == out.count ? i : 0].bits, a.leaves[i], b.leaves[i]);
    pv_set(run, inst, out);
}

static bool is_silent(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpNop:
    case SpvOpLabel:
    case SpvOpPhi: /* their cells are set on edges */
    case SpvOpFunctionParameter:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpMemoryBarrier:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
    case SpvOpFunctionCall: /* the end of a block */
    case SpvOpAssumeTrueKHR:
        return true;
    default:
        return in_is_terminator(opcode);
    }
}

void pv_execute(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    pv->ex->current = inst;
    if (is_silent(inst->opcode) || pv_memory(run, inst) || pv_arithmetic(run, inst) ||
        pv_extended(run, inst) || pv_image(run, inst))
        return;
    const struct in_ty *type = inst->type ? ex_type(pv->ex, inst->type) : NULL;
    switch (inst->opcode) {
    case SpvOpUndef:
        pv_set(run, inst, pv_fresh_value(pv, type));
        return;
    case SpvOpCopyObject:
    case SpvOpExpectKHR:
        pv_set(run, inst, pv_get(run, inst->operands[0]));
        return;
    case SpvOpCompositeExtract:
        pv_set(run, inst,
               copy_of(pv, part_of(run, pv_get(run, inst->operands[0]), inst->operands + 1,
                                   inst->operand_count - 1)));
        return;
    case SpvOpCompositeInsert:
        execute_insert(run, inst);
        return;
    case SpvOpCompositeConstruct:
        execute_construct(run, inst, pv_fresh_value(pv, type));
        return;
    case SpvOpVectorShuffle:
        execute_shuffle(run, inst, pv_new_value(pv, type));
        return;
    case SpvOpSelect:
        execute_select(run, inst, pv_new_value(pv, type));
        return;
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        pv_set(run, inst, pv_fresh_value(pv, type));
        return;
    default:
        pv_stop(pv, inst, "%s is not supported by --prove", in_opcode_name(inst->opcode));
    }
}
