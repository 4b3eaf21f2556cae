/* The kernel with all calls inlined as one control-flow graph.  Blocks end at terminators, at calls of
 * functions, and before collective instructions. */
#include "tools/prove/internal.h"

#include <string.h>

/* Whether all work-items of a work-group execute INST together: a barrier or a group function. */
static bool is_collective(struct pv *pv, const struct in_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpControlBarrier:
    case SpvOpGroupAll:
    case SpvOpGroupAny:
    case SpvOpGroupBroadcast:
    case SpvOpGroupIAdd:
    case SpvOpGroupFAdd:
    case SpvOpGroupFMin:
    case SpvOpGroupUMin:
    case SpvOpGroupSMin:
    case SpvOpGroupFMax:
    case SpvOpGroupUMax:
    case SpvOpGroupSMax:
        break;
    default:
        return false;
    }
    uint64_t scope;
    if (inst->operand_count < 2 || !ex_constant(pv->ex, inst->operands[0], 0, &scope) ||
        scope != SpvScopeWorkgroup)
        pv_stop(pv, inst, "%s of another scope than a work-group is not supported by --prove",
                in_opcode_name(inst->opcode));
    return true;
}

static uint32_t new_block(struct pv *pv, uint32_t frame, uint32_t label)
{
    if (pv->graph.block_count == PV_BLOCKS)
        pv_stop(pv, NULL, "limit reached: %d blocks with calls inlined", PV_BLOCKS);
    pv->graph.blocks[pv->graph.block_count] =
        (struct pv_block){.frame = frame, .label = label, .loop = PV_NONE, .head_of = PV_NONE};
    return pv->graph.block_count++;
}

static void set_successors(struct pv *pv, struct pv_block *b, uint32_t count, const uint32_t *successors)
{
    b->successors = pv_alloc(pv, count + 1, sizeof *b->successors);
    b->successor_count = count;
    if (count)
        memcpy(b->successors, successors, count * sizeof *successors);
}

/* The flags decide, whatever the memory scope: the barrier joins its whole work-group [CL 3.3.6 W7, W8]. */
static void order_of_barrier(struct pv *pv, struct pv_block *b, const struct in_inst *inst)
{
    uint64_t semantics = 0;
    b->cut_inst = inst;
    b->cut = inst->opcode == SpvOpControlBarrier ? PV_BARRIER : PV_GROUP_OP;
    if (b->cut == PV_GROUP_OP)
        return;
    if (inst->operand_count < 3 || !ex_constant(pv->ex, inst->operands[2], 0, &semantics))
        pv_stop(pv, inst, "a barrier with variable memory semantics is not supported by --prove");
    if (pv->ex->module.vulkan) {
        pv_vulkan_barrier(pv, b, inst, semantics);
        return;
    }
    bool ordered =
        semantics & (SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask);
    b->orders_local = ordered && semantics & SpvMemorySemanticsWorkgroupMemoryMask;
    b->orders_global = ordered && semantics & SpvMemorySemanticsCrossWorkgroupMemoryMask;
    b->orders_image = ordered && semantics & SpvMemorySemanticsImageMemoryMask;
}

static uint32_t inline_function(struct pv *pv, const struct in_function *f, uint32_t frame);

static uint32_t new_frame(struct pv *pv, const struct in_function *f, uint32_t caller,
                          const struct in_inst *call, uint32_t return_to)
{
    if (pv->graph.frame_count == PV_FRAMES)
        pv_stop(pv, call, "limit reached: %d inlined calls", PV_FRAMES);
    uint32_t depth = caller == PV_NONE ? 0 : pv->graph.frames[caller].depth + 1;
    if (depth > 32)
        pv_stop(pv, call, "limit reached: calls nested 32 deep");
    pv->graph.frames[pv->graph.frame_count] =
        (struct pv_frame){f, pv->graph.frame_count * pv->ex->module.bound, call, caller, depth, return_to};
    return pv->graph.frame_count++;
}

/* Ends block AT before or with INST; returns the block where what follows it begins. */
static uint32_t end_block(struct pv *pv, uint32_t at, const struct in_inst *inst, uint32_t frame)
{
    uint32_t next = new_block(pv, frame, pv->graph.blocks[at].label);
    pv->graph.blocks[at].last = inst;
    pv->graph.blocks[next].first = inst + 1;
    if (inst->opcode != SpvOpFunctionCall) {
        pv->graph.blocks[at].end = PV_JUMP;
        set_successors(pv, &pv->graph.blocks[at], 1, &next);
        order_of_barrier(pv, &pv->graph.blocks[next], inst);
        return next;
    }
    const struct in_function *f = in_spirv_function(pv->ex->module.decoded, inst->operands[0]);
    uint32_t callee = inline_function(pv, f, new_frame(pv, f, frame, inst, next));
    pv->graph.blocks[at].end = PV_CALL;
    set_successors(pv, &pv->graph.blocks[at], 1, &callee);
    return next;
}

static bool has_body(struct pv *pv, const struct in_inst *inst)
{
    const struct in_function *f = in_spirv_function(pv->ex->module.decoded, inst->operands[0]);
    if (!f || !f->has_body)
        pv_stop(pv, inst, "call of a function without a body");
    return true;
}

static void resolve_labels(struct pv *pv, uint32_t block, const uint32_t *labels)
{
    struct pv_block *b = &pv->graph.blocks[block];
    const struct in_inst *t = b->last;
    uint32_t to[2];
    switch (t->opcode) {
    case SpvOpBranch:
        b->end = PV_JUMP;
        to[0] = labels[t->operands[0]];
        set_successors(pv, b, 1, to);
        return;
    case SpvOpBranchConditional:
        b->end = PV_BRANCH;
        to[0] = labels[t->operands[1]];
        to[1] = labels[t->operands[2]];
        set_successors(pv, b, to[0] == to[1] ? 1 : 2, to);
        b->end = to[0] == to[1] ? PV_JUMP : PV_BRANCH;
        return;
    case SpvOpReturn:
    case SpvOpReturnValue:
        b->end = pv->graph.frames[b->frame].return_to == PV_NONE ? PV_EXIT : PV_RETURN;
        set_successors(pv, b, b->end == PV_RETURN, &pv->graph.frames[b->frame].return_to);
        return;
    case SpvOpUnreachable:
        b->end = PV_UNREACHABLE;
        set_successors(pv, b, 0, NULL);
        return;
    case SpvOpSwitch:
        break;
    default:
        pv_stop(pv, t, "%s is not supported by --prove", in_opcode_name(t->opcode));
    }
    const struct in_ty *ty = ex_type_of(pv->ex, t->operands[0]);
    uint32_t words = ty->width > 32 ? 2 : 1, cases = (t->operand_count - 2) / (words + 1);
    b->end = PV_SWITCH;
    b->successors = pv_alloc(pv, cases + 1, sizeof *b->successors);
    b->literals = pv_alloc(pv, 2 * (cases + 1), sizeof *b->literals);
    b->successors[b->successor_count++] = labels[t->operands[1]];
    for (uint32_t i = 0; i < cases; i++) {
        const uint32_t *at = t->operands + 2 + i * (words + 1);
        b->literals[2 * i] = at[0];
        b->literals[2 * i + 1] = words == 2 ? at[1] : 0;
        b->successors[b->successor_count++] = labels[at[words]];
    }
}

static uint32_t inline_function(struct pv *pv, const struct in_function *f, uint32_t frame)
{
    uint32_t *labels = pv_alloc(pv, pv->ex->module.bound, sizeof *labels), at = PV_NONE, entry = PV_NONE;
    uint32_t *ends = NULL, end_count = 0;
    for (const struct in_inst *i = ex_first(pv->ex, f); i->word < f->end; i++) {
        if (i->opcode == SpvOpLabel) {
            at = new_block(pv, frame, i->result);
            labels[i->result] = at;
            entry = entry == PV_NONE ? at : entry;
            pv->graph.blocks[at].first = i + 1;
        } else if (at != PV_NONE && in_is_terminator(i->opcode)) {
            pv->graph.blocks[at].last = i;
            ends = ex_grow(pv->ex, ends, end_count, sizeof *ends);
            ends[end_count++] = at;
            at = PV_NONE;
        } else if (at != PV_NONE &&
                   ((i->opcode == SpvOpFunctionCall && has_body(pv, i)) || is_collective(pv, i))) {
            at = end_block(pv, at, i, frame);
        }
    }
    if (entry == PV_NONE)
        pv_stop(pv, NULL, "a function without blocks");
    for (uint32_t i = 0; i < end_count; i++)
        resolve_labels(pv, ends[i], labels);
    return entry;
}

/* ---- cells of values ------------------------------------------------------------------------------ */

static uint32_t new_cells(struct pv *pv, const struct in_ty *type, uint32_t object)
{
    const struct ex_shape *shape = pv_shape(pv, type);
    uint32_t first = pv->cells.count;
    if (shape->count + first > PV_CELLS)
        pv_stop(pv, pv->ex->current, "limit reached: %d scalars of private variables", PV_CELLS);
    for (uint32_t i = 0; i < shape->count; i++)
        pv->cells.list[pv->cells.count++] = (struct pv_cell){
            shape->scalars[i].type, object, shape->scalars[i].offset, shape->scalars[i].size};
    return first;
}

static void give_cell(struct pv *pv, uint32_t frame, const struct in_inst *inst)
{
    uint32_t *cell = &pv->cells.of_id[pv->graph.frames[frame].base + inst->result];
    const struct in_ty *type = inst->type ? ex_type(pv->ex, inst->type) : NULL;
    if (*cell == PV_NONE && type && type->kind != IN_TY_VOID)
        *cell = new_cells(pv, type, 0);
}

/* Values that are used in other blocks than their own, results of phis and calls, and parameters are private
 * state. */
static void find_cross_block_values(struct pv *pv)
{
    uint32_t *defined = pv_alloc(pv, (size_t)pv->graph.frame_count * pv->ex->module.bound, sizeof *defined);
    for (uint32_t b = 0; b < pv->graph.block_count; b++)
        for (const struct in_inst *i = pv->graph.blocks[b].first; i <= pv->graph.blocks[b].last; i++)
            if (i->result && i->type)
                defined[pv->graph.frames[pv->graph.blocks[b].frame].base + i->result] = b + 1;
    for (uint32_t b = 0; b < pv->graph.block_count; b++) {
        const struct pv_frame *frame = &pv->graph.frames[pv->graph.blocks[b].frame];
        if (pv->graph.blocks[b].cut_inst && pv->graph.blocks[b].cut_inst->result)
            give_cell(pv, pv->graph.blocks[b].frame, pv->graph.blocks[b].cut_inst);
        for (const struct in_inst *i = pv->graph.blocks[b].first; i <= pv->graph.blocks[b].last; i++) {
            pv->ex->current = i;
            if (i->opcode == SpvOpPhi || i->opcode == SpvOpFunctionCall)
                give_cell(pv, pv->graph.blocks[b].frame, i);
            for (uint32_t k = 0; k < i->operand_count; k++) {
                uint32_t id = i->operands[k];
                const struct in_inst *definition =
                    id < pv->ex->module.bound ? ex_definition(pv->ex, id) : NULL;
                if (definition && defined[frame->base + id] && defined[frame->base + id] != b + 1)
                    give_cell(pv, pv->graph.blocks[b].frame, definition);
            }
        }
    }
    for (uint32_t f = 0; f < pv->graph.frame_count; f++)
        for (uint32_t p = 0; p < pv->graph.frames[f].function->param_count; p++)
            give_cell(pv, f, ex_definition(pv->ex, pv->graph.frames[f].function->params[p]));
}

static struct pv_object *new_object(struct pv *pv, enum pv_region region, uint32_t id, uint32_t frame)
{
    if (pv->objects.count == PV_OBJECTS)
        pv_stop(pv, pv->ex->current, "limit reached: %d variables and arguments", PV_OBJECTS);
    const char *name = ex_id(pv->ex, id)->name;
    pv->objects.list[pv->objects.count] =
        (struct pv_object){.region = region, .name = *name ? name : "a variable", .id = id, .frame = frame};
    return &pv->objects.list[pv->objects.count++];
}

static enum pv_region region_of(struct pv *pv, uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
        return PV_GLOBAL;
    case SpvStorageClassUniformConstant:
    case SpvStorageClassPushConstant:
        return PV_CONSTANT;
    case SpvStorageClassWorkgroup:
        return PV_LOCAL;
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
        return PV_PRIVATE;
    case SpvStorageClassInput:
        return PV_BUILTIN;
    default:
        pv_stop(pv, pv->ex->current, "storage class %u is not supported by --prove", storage);
    }
}

static void add_variable(struct pv *pv, const struct in_inst *inst, uint32_t frame)
{
    const struct in_ty *pointer = ex_type(pv->ex, inst->type);
    pv->ex->current = inst;
    struct pv_object *o = new_object(pv, region_of(pv, pointer->storage), inst->result, frame);
    const struct in_ty *pointee = ex_pointed(pv->ex, pointer);
    if (o->region == PV_PRIVATE) {
        o->first_cell = new_cells(pv, pointee, pv->objects.count - 1);
        o->cell_count = pv->cells.count - o->first_cell;
    }
    if (pv->ex->module.vulkan && pv_has_open_size(pv, inst))
        return;
    if (pointee->size && !ex_is_runtime_array(pointee) && o->region != PV_BUILTIN)
        o->size = pv_number(pv, pointee->size, 64);
}

/* Objects of the kernel's arguments are made by pv_declare_launch. */
static void find_objects(struct pv *pv)
{
    pv->objects.count = 1; /* 0: null */
    for (const struct in_inst *i = pv->ex->module.insts; i < pv->ex->module.insts + pv->ex->module.inst_count;
         i++) {
        if (i->opcode == SpvOpFunction)
            break;
        if (i->opcode == SpvOpMemoryModel)
            pv->narrow = i->operands[0] == SpvAddressingModelPhysical32;
        if (i->opcode == SpvOpVariable)
            add_variable(pv, i, PV_NONE);
    }
    for (uint32_t b = 0; b < pv->graph.block_count; b++)
        for (const struct in_inst *i = pv->graph.blocks[b].first; i <= pv->graph.blocks[b].last; i++)
            if (i->opcode == SpvOpVariable)
                add_variable(pv, i, pv->graph.blocks[b].frame);
    const struct in_function *f = pv->graph.frames[0].function;
    for (uint32_t p = 0; p < f->param_count; p++) {
        const struct in_inst *inst = ex_definition(pv->ex, f->params[p]);
        const struct in_ty *type = ex_type(pv->ex, inst->type);
        pv->ex->current = inst;
        bool image = type->opcode == SpvOpTypeImage;
        if (type->kind != IN_TY_POINTER && !image)
            continue;
        struct pv_object *o =
            new_object(pv, image ? PV_IMAGE : region_of(pv, type->storage), inst->result, 0);
        o->is_argument = true;
        if (o->region == PV_PRIVATE) {
            o->first_cell = new_cells(pv, ex_pointed(pv->ex, type), pv->objects.count - 1);
            o->cell_count = pv->cells.count - o->first_cell;
        }
    }
}

void pv_build_graph(struct pv *pv)
{
    const struct in_function *f = in_spirv_function(pv->ex->module.decoded, pv->ex->entry->function);
    if (!f || !f->has_body)
        pv_stop(pv, NULL, "the kernel has no body");
    if (pv->ex->module.vulkan)
        pv_check_vulkan(pv);
    pv->graph.blocks = pv_alloc(pv, PV_BLOCKS, sizeof *pv->graph.blocks);
    pv->cells.list = pv_alloc(pv, PV_CELLS, sizeof *pv->cells.list);
    inline_function(pv, f, new_frame(pv, f, PV_NONE, NULL, PV_NONE));
    pv->graph.exit = pv->graph.block_count;
    size_t ids = (size_t)pv->graph.frame_count * pv->ex->module.bound;
    pv->cells.of_id = pv_alloc(pv, ids, sizeof *pv->cells.of_id);
    memset(pv->cells.of_id, 0xff, ids * sizeof *pv->cells.of_id);
    find_objects(pv);
    find_cross_block_values(pv);
}
