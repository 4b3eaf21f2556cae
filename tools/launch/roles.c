/* How a kernel uses its arguments: a flow-insensitive, context-insensitive taint analysis over SPIR-V ids,
 * iterated to a fixed point.
 *
 * A set of sources has bit I for argument I or the memory that it points to, a bit for each kind of work-item
 * id (local, group, global), and one for each component of such ids.  For each id, VALUE is the set of
 * sources that its value is computed from, and POINTER the set of arguments whose memory it may point into.
 * The sets of a variable are the unions over all stores to it.  While it propagates sets, the analysis
 * collects roles of arguments (signature.h): an argument that an id is compared with is a limit, one that
 * indexes memory is an index, and so on.
 *
 * The roles choose launches (choose.c), which are no verdicts: both false and missing roles are
 * acceptable. */
#include "interp/spirv.h"
#include "tools/launch/signature.h"

#include <string.h>

typedef uint64_t set;
#define COMPONENT(i) ((set)1 << (LAUNCH_ARGUMENTS + (i)))
#define LOCAL_ID     ((set)1 << 60)
#define GROUP_ID     ((set)1 << 61)
#define GLOBAL_ID    ((set)1 << 62)
#define IDS          (LOCAL_ID | GROUP_ID | GLOBAL_ID)
#define ARGUMENTS    (COMPONENT(0) - 1)

struct flow {
    struct in_module *module;
    struct launch_roles *roles;
    uint32_t bound, function;      /* FUNCTION: the one that contains the current instruction */
    set *value, *pointer, *loaded; /* LOADED: for results of loads, the sources that they read */
    set *held, *held_pointer;      /* of variables; HELD of functions: what they return */
    uint32_t *variable;            /* by id: the variable that it points into, 0: none */
    bool *reached;                 /* functions that the kernel calls */
    bool changed;                  /* in this pass */
    bool local, global,
        between; /* the kernel uses local ids; global ids; values that differ between work-groups */
};

/* Adds the sources MORE to the set TO. */
static void add_sources(struct flow *f, set *to, set more)
{
    f->changed |= (*to | more) != *to;
    *to |= more;
}

static const struct in_id *id_of(const struct flow *f, uint32_t id)
{
    return in_spirv_id(f->module, id);
}

static bool constant_of(const struct flow *f, uint32_t id, uint64_t *value)
{
    const struct in_id *c = id_of(f, id);
    *value = 0;
    if (!c || c->kind != IN_ID_CONSTANT || !c->ty || c->ty->kind != IN_TY_INT || !c->bytes)
        return false;
    memcpy(value, c->bytes, c->ty->width / 8);
    return true;
}

/* ---- roles and bounds ------------------------------------------------------------------------------ */

static void give_role(struct flow *f, set arguments, unsigned role)
{
    for (unsigned i = 0; i < LAUNCH_ARGUMENTS; i++)
        if (arguments >> i & 1)
            f->roles->roles[i] |= role;
}

/* Whether ID is a vector of work-item ids, which has three components. */
static bool is_id_vector(const struct flow *f, uint32_t id)
{
    const struct in_ty *ty = id_of(f, id) ? id_of(f, id)->ty : NULL;
    return f->value[id] & ~ARGUMENTS && ty && ty->kind == IN_TY_VECTOR && ty->count == 3 &&
           ty->element->kind == IN_TY_INT;
}

static void need_dimension(struct flow *f, uint64_t component)
{
    if (component < 3 && component + 1 > f->roles->dimensions)
        f->roles->dimensions = (unsigned)component + 1;
}

/* An upper bound on the work-items of a work-group; the smallest one applies. */
static void bound_items(struct flow *f, uint64_t items)
{
    if (items >= 2 && items <= 1024 && (!f->roles->local_items || items < f->roles->local_items))
        f->roles->local_items = items;
}

/* An upper bound on the work-group's size in one dimension. */
static void bound_side(struct flow *f, unsigned dimension, uint64_t items)
{
    uint64_t *side = &f->roles->sides[dimension];
    if (items >= 2 && items <= 32 && (!*side || items < *side))
        *side = items;
}

/* True if VALUE is computed from ids of this dimension alone. */
static bool has_dimension(set value, unsigned dimension)
{
    return (value & (COMPONENT(0) | COMPONENT(1) | COMPONENT(2))) == COMPONENT(dimension);
}

static set builtin_source(struct flow *f, const struct in_id *id)
{
    switch (id->builtin) {
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInLocalInvocationIndex:
        f->local = true;
        return LOCAL_ID;
    case SpvBuiltInWorkgroupId:
        f->between = true;
        return GROUP_ID;
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInGlobalLinearId:
        f->global = f->between = true;
        return GLOBAL_ID;
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInGlobalSize:
        f->between = true;
        return 0;
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInNumSubgroups:
        f->roles->sub_groups = true;
        return 0;
    default:
        return 0;
    }
}

/* An array in local memory that is indexed by local ids bounds the size of work-groups.  The indices, from
 * FIRST_INDEX on, select in the type that the base points to, which may be a row of the variable. */
static void index_local_array(struct flow *f, const struct in_inst *inst, uint32_t first_index)
{
    const struct in_id *base = id_of(f, inst->operands[0]);
    const struct in_ty *ty = base && base->ty ? base->ty->element : NULL;
    if (!ty || base->ty->storage != SpvStorageClassWorkgroup)
        return;
    for (uint32_t i = first_index; i < inst->operand_count && ty && ty->kind == IN_TY_ARRAY;
         i++, ty = ty->element) {
        const set value = f->value[inst->operands[i]];
        if (!(value & LOCAL_ID))
            continue;
        if (f->roles->dimensions < 2)
            bound_items(f, ty->count);
        for (unsigned k = 0; k < 3; k++)
            if (has_dimension(value, k))
                bound_side(f, k, ty->count);
        for (uint64_t side = 2; value & COMPONENT(0) && value & COMPONENT(1) && side <= 32; side++)
            if (side * side == ty->count) { /* a square by rows */
                bound_side(f, 0, side);
                bound_side(f, 1, side);
            }
    }
}

/* ---- instructions --------------------------------------------------------------------------------- */

static void access_chain(struct flow *f, const struct in_inst *inst, bool has_element)
{
    uint32_t from = inst->operands[0];
    const struct in_id *source = id_of(f, from);
    uint64_t component;
    add_sources(f, &f->pointer[inst->result], f->pointer[from]);
    if (!f->variable[inst->result])
        f->variable[inst->result] = f->variable[from];
    for (uint32_t i = 1; i < inst->operand_count; i++)
        give_role(f, f->value[inst->operands[i]] & ARGUMENTS, LAUNCH_INDICES);
    index_local_array(f, inst, has_element ? 2 : 1);
    if (source && source->builtin != IN_NO_BUILTIN && inst->operand_count > 1 &&
        constant_of(f, inst->operands[inst->operand_count - 1], &component)) {
        need_dimension(f, component);
        if (component < 3)
            add_sources(f, &f->value[inst->result], COMPONENT(component));
    }
}

static void flow_of_load(struct flow *f, const struct in_inst *inst)
{
    uint32_t from = inst->operands[0], variable = f->variable[from];
    const struct in_id *source = id_of(f, variable ? variable : from);
    add_sources(f, &f->value[inst->result], f->pointer[from]);
    add_sources(f, &f->loaded[inst->result], f->pointer[from]);
    if (source && source->builtin != IN_NO_BUILTIN)
        add_sources(f, &f->value[inst->result], f->value[from] | builtin_source(f, source));
    if (!variable)
        return;
    add_sources(f, &f->value[inst->result], f->held[variable]);
    add_sources(f, &f->pointer[inst->result], f->held_pointer[variable]);
}

static void flow_of_store(struct flow *f, uint32_t to, uint32_t what)
{
    uint32_t variable = f->variable[to];
    give_role(f, f->pointer[to] & ARGUMENTS, LAUNCH_WRITTEN);
    if (!variable)
        return;
    add_sources(f, &f->held[variable], f->value[what]);
    add_sources(f, &f->held_pointer[variable], f->pointer[what]);
}

static void flow_of_call(struct flow *f, const struct in_inst *inst)
{
    const struct in_function *callee = in_spirv_function(f->module, inst->operands[0]);
    if (!callee)
        return;
    f->changed |= !f->reached[callee->id];
    f->reached[callee->id] = true;
    for (uint32_t i = 0; i < callee->param_count && i + 1 < inst->operand_count; i++) {
        uint32_t from = inst->operands[i + 1], to = callee->params[i];
        add_sources(f, &f->value[to], f->value[from]);
        add_sources(f, &f->pointer[to], f->pointer[from]);
        if (!f->variable[to])
            f->variable[to] = f->variable[from];
    }
    add_sources(f, &f->value[inst->result], f->held[callee->id]);
}

/* The role of an argument that an id is multiplied by: the size of a group or tile for local and group ids,
 * the pitch of rows for others. */
static void flow_scale(struct flow *f, set id, set argument)
{
    bool is_tile = (id & IDS) == LOCAL_ID || (id & IDS) == GROUP_ID;
    if (id & IDS && !(argument & ~ARGUMENTS))
        give_role(f, argument, is_tile ? LAUNCH_TILE : LAUNCH_PITCH);
}

/* A constant that work-group ids are multiplied by is taken as the size of a work-group. */
static void flow_multiply(struct flow *f, const struct in_inst *inst)
{
    uint64_t factor;
    for (uint32_t i = 0; i < 2; i++) {
        const set id = f->value[inst->operands[i]];
        if (inst->opcode == SpvOpIMul)
            flow_scale(f, id, f->value[inst->operands[1 - i]]);
        if ((id & ~(COMPONENT(0) | COMPONENT(1) | COMPONENT(2))) != GROUP_ID ||
            !constant_of(f, inst->operands[1 - i], &factor))
            continue;
        if (inst->opcode != SpvOpIMul)
            factor = i == 0 && factor < 11 ? UINT64_C(1) << factor : 0;
        if (f->roles->dimensions < 2)
            bound_items(f, factor);
        for (unsigned k = 0; k < 3; k++)
            if (has_dimension(id, k))
                bound_side(f, k, factor);
    }
}

static void flow_compare(struct flow *f, const struct in_inst *inst)
{
    uint64_t constant;
    for (unsigned k = 0; k < 2; k++) {
        const struct in_id *c = id_of(f, inst->operands[1 - k]);
        give_role(f, f->loaded[inst->operands[k]] & f->value[inst->operands[1 - k]] & ARGUMENTS,
                  LAUNCH_FOREST);
        if (!constant_of(f, inst->operands[1 - k], &constant) || !constant)
            continue;
        unsigned shift = 64 - c->ty->width;
        for (unsigned i = 0; i < LAUNCH_ARGUMENTS; i++)
            if (f->value[inst->operands[k]] == (set)1 << i)
                f->roles->compared[i] = (int64_t)(constant << shift) >> shift;
    }
}

/* Whether an image has integer texels, and signed ones (operand SignExtend at MASK). */
static void flow_texel(struct flow *f, const struct in_inst *inst, uint32_t id, uint32_t mask)
{
    const struct in_ty *ty = id_of(f, id) ? id_of(f, id)->ty : NULL;
    if (!inst->operand_count || !ty || ty->kind != IN_TY_VECTOR || ty->element->kind != IN_TY_INT)
        return;
    bool is_signed = mask < inst->operand_count && inst->operands[mask] & SpvImageOperandsSignExtendMask;
    give_role(f, f->value[inst->operands[0]] & ARGUMENTS, LAUNCH_INTEGERS | (is_signed ? LAUNCH_SIGNED : 0));
}

/* An argument is an extent if an id is ordered against it, multiplied, masked or clamped by it, or if any
 * value is divided by it. */
static void find_extents(struct flow *f, const struct in_inst *inst)
{
    bool divides = inst->opcode >= SpvOpUDiv && inst->opcode <= SpvOpFMod;
    bool orders = inst->opcode >= SpvOpUGreaterThan && inst->opcode <= SpvOpSLessThanEqual;
    bool has_id = false;
    if (!divides && !orders && inst->opcode != SpvOpIMul && inst->opcode != SpvOpBitwiseAnd &&
        inst->opcode != SpvOpExtInst)
        return;
    for (uint32_t i = 0; i < inst->operand_count; i++)
        has_id |= inst->operands[i] < f->bound && f->value[inst->operands[i]] & ~ARGUMENTS;
    for (uint32_t i = divides ? 1 : 0; i < inst->operand_count && (has_id || divides); i++)
        if (inst->operands[i] < f->bound && !(f->value[inst->operands[i]] & ~ARGUMENTS))
            give_role(f, f->value[inst->operands[i]], LAUNCH_EXTENT);
    for (uint32_t i = 0; i < 2 && orders && inst->operand_count == 2; i++)
        if (f->value[inst->operands[i]] & (GLOBAL_ID | GROUP_ID) &&
            !(f->value[inst->operands[1 - i]] & ~ARGUMENTS))
            give_role(f, f->value[inst->operands[1 - i]], LAUNCH_LIMIT);
}

/* Arguments that are divided, shifted or masked may have to be multiples of other numbers, or powers of two
 * (LAUNCH_WHOLE). */
static void find_whole(struct flow *f, const struct in_inst *inst)
{
    bool divides = inst->opcode >= SpvOpUDiv && inst->opcode <= SpvOpFMod;
    bool has_bits = inst->opcode >= SpvOpShiftRightLogical && inst->opcode <= SpvOpNot;
    for (uint32_t i = 0; i < inst->operand_count && (divides || has_bits || inst->opcode == SpvOpExtInst);
         i++)
        if (inst->operands[i] < f->bound)
            give_role(f, f->value[inst->operands[i]] & ARGUMENTS, LAUNCH_WHOLE);
}

/* The default transfer function: the result has the sources of all operands. */
static void flow_of_operands(struct flow *f, const struct in_inst *inst)
{
    if (!inst->result)
        return;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        uint32_t from = inst->operands[i];
        if (from >= f->bound)
            continue;
        add_sources(f, &f->value[inst->result], f->value[from]);
        add_sources(f, &f->pointer[inst->result], f->pointer[from]);
        if (!f->variable[inst->result] && inst->opcode != SpvOpExtInst)
            f->variable[inst->result] = f->variable[from];
    }
}

static bool is_sub_group_operation(const struct flow *f, const struct in_inst *inst)
{
    uint64_t scope;
    bool grouped =
        (inst->opcode >= SpvOpGroupAll && inst->opcode <= SpvOpGroupSMax) ||
        (inst->opcode >= SpvOpGroupNonUniformElect && inst->opcode <= SpvOpGroupNonUniformQuadSwap) ||
        inst->opcode == SpvOpControlBarrier;
    return grouped && inst->operand_count && constant_of(f, inst->operands[0], &scope) &&
           scope == SpvScopeSubgroup;
}

static unsigned atomic_role(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpAtomicLoad:
    case SpvOpAtomicStore:
        return LAUNCH_ATOMIC;
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicISub:
        return LAUNCH_ATOMIC | LAUNCH_COUNTED_DOWN;
    case SpvOpAtomicSMin:
    case SpvOpAtomicUMin:
    case SpvOpAtomicFMinEXT:
        return LAUNCH_ATOMIC | LAUNCH_LOWERED;
    default:
        return LAUNCH_ATOMIC | LAUNCH_OTHER_ATOMIC;
    }
}

static void flow_atomic(struct flow *f, const struct in_inst *inst)
{
    uint32_t at = inst->operands[0];
    give_role(f, f->pointer[at] & ARGUMENTS, atomic_role(inst->opcode));
    if (inst->result) {
        add_sources(f, &f->value[inst->result], f->pointer[at]);
        add_sources(f, &f->value[inst->result], f->held[f->variable[at]]);
    }
    if (inst->opcode == SpvOpAtomicLoad)
        add_sources(f, &f->loaded[inst->result], f->pointer[at]);
    if (inst->opcode == SpvOpAtomicStore && inst->operand_count > 3)
        flow_of_store(f, at, inst->operands[3]);
}

static void note_instruction(struct flow *f, const struct in_inst *inst)
{
    uint64_t component;
    if (is_sub_group_operation(f, inst))
        f->roles->sub_groups = true;
    if (in_is_atomic(inst->opcode)) {
        flow_atomic(f, inst);
        return;
    }
    find_extents(f, inst);
    find_whole(f, inst);
    switch (inst->opcode) {
    case SpvOpVariable:
        f->variable[inst->result] = inst->result;
        return;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        access_chain(f, inst, inst->opcode >= SpvOpPtrAccessChain);
        return;
    case SpvOpLoad:
        flow_of_load(f, inst);
        return;
    case SpvOpStore:
        flow_of_store(f, inst->operands[0], inst->operands[1]);
        return;
    case SpvOpFunctionCall:
        flow_of_call(f, inst);
        return;
    case SpvOpReturnValue:
        add_sources(f, &f->held[f->function], f->value[inst->operands[0]]);
        return;
    case SpvOpCompositeExtract:
        if (is_id_vector(f, inst->operands[0]) && inst->operand_count == 2) {
            need_dimension(f, inst->operands[1]);
            if (inst->operands[1] < 3)
                add_sources(f, &f->value[inst->result], COMPONENT(inst->operands[1]));
        }
        add_sources(f, &f->value[inst->result], f->value[inst->operands[0]]);
        return;
    case SpvOpVectorExtractDynamic:
        if (is_id_vector(f, inst->operands[0]) && constant_of(f, inst->operands[1], &component))
            need_dimension(f, component);
        break;
    case SpvOpIMul:
    case SpvOpShiftLeftLogical:
        flow_multiply(f, inst);
        break;
    case SpvOpIEqual:
    case SpvOpINotEqual:
        flow_compare(f, inst);
        break;
    case SpvOpImageRead:
    case SpvOpImageSampleExplicitLod:
        flow_texel(f, inst, inst->result, 2);
        break;
    case SpvOpImageWrite:
        if (inst->operand_count > 2)
            flow_texel(f, inst, inst->operands[2], 3);
        return;
    default:
        break;
    }
    flow_of_operands(f, inst);
}

/* ---- the fixed point ------------------------------------------------------------------------------- */

static void propagate_function(struct flow *f, const struct in_function *function)
{
    struct in_inst inst = {.word = function->word};
    f->function = function->id;
    for (bool more = in_spirv_next(f->module, &inst); more && inst.word < function->end;
         more = in_spirv_next(f->module, &inst))
        if (inst.opcode != SpvOpFunction && inst.opcode != SpvOpFunctionParameter &&
            inst.opcode != SpvOpLabel && inst.operand_count)
            note_instruction(f, &inst);
}

static void flow_globals(struct flow *f)
{
    for (uint32_t id = 1; id < f->bound; id++)
        if (id_of(f, id)->kind == IN_ID_GLOBAL)
            f->variable[id] = id;
}

/* Computes the sets of the kernel and the functions that it calls, to a fixed point. */
static void solve_flow(struct flow *f, const struct in_function *kernel)
{
    flow_globals(f);
    f->reached[kernel->id] = true;
    for (uint32_t i = 0; i < kernel->param_count && i < LAUNCH_ARGUMENTS; i++) {
        const struct in_id *id = id_of(f, kernel->params[i]);
        bool is_pointer = id && id->ty && id->ty->kind == IN_TY_POINTER;
        (is_pointer ? f->pointer : f->value)[kernel->params[i]] = (set)1 << i;
    }
    for (unsigned pass = 0; pass < 16 && (pass == 0 || f->changed); pass++) {
        f->changed = false;
        for (uint32_t id = 1; id < f->bound; id++)
            if (f->reached[id])
                propagate_function(f, in_spirv_function(f->module, id));
    }
    f->roles->item_ids = f->local || f->global || f->roles->sub_groups;
    f->roles->one_group = f->local && !f->between;
    for (unsigned i = 0; i < LAUNCH_ARGUMENTS; i++) /* work-groups share atomic objects */
        f->roles->one_group &= !(f->roles->roles[i] & LAUNCH_ATOMIC);
}

void launch_find_roles(struct in_module *module, const char *kernel, struct launch_roles *roles)
{
    *roles = (struct launch_roles){.dimensions = 1};
    const struct in_function *function = NULL;
    for (size_t i = 0; in_spirv_entry(module, i); i++)
        if (strcmp(in_spirv_entry(module, i)->name, kernel) == 0)
            function = in_spirv_function(module, in_spirv_entry(module, i)->function);
    size_t bound = in_spirv_bound(module);
    struct flow f = {.module = module, .roles = roles, .bound = (uint32_t)bound};
    set *sets = function ? mm_alloc_zero(5 * bound, sizeof *sets) : NULL;
    f.variable = mm_alloc_zero(bound, sizeof *f.variable);
    f.reached = mm_alloc_zero(bound, sizeof *f.reached);
    if (sets && f.variable && f.reached) {
        f.value = sets;
        f.pointer = sets + bound;
        f.held = sets + 2 * bound;
        f.held_pointer = sets + 3 * bound;
        f.loaded = sets + 4 * bound;
        solve_flow(&f, function);
    }
    mm_free(sets);
    mm_free(f.variable);
    mm_free(f.reached);
}
