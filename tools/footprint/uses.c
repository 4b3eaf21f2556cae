/* The arguments whose memory a kernel may read or write in any execution.
 *
 * A flow-insensitive analysis of the SPIR-V: each id has the set of arguments that a pointer, or an
 * integer made of one, may come from.  Sets grow through conversions, calls, and private variables that
 * hold pointers until nothing changes. Instructions that are not known count as reads and writes of all
 * pointers they are given. */
#include "tools/footprint/run.h"

#include <spirv/unified1/OpenCL.std.h>

enum { MOST_FUNCTIONS = 1024, LAST_ARGUMENT = 61, VARIABLES = 62, BEYOND = 63 };

struct uses {
    const struct fp_module *m;
    uint64_t *from;     /* by id: arguments that it may come from */
    uint64_t *content;  /* by id of a private variable: arguments that its value may come from */
    uint32_t *variable; /* by id: the private variable that it points into, 0: unknown */
    uint64_t stored;    /* the uses that memory other than private variables may hold */
    uint32_t bound;
    const struct in_function *functions[MOST_FUNCTIONS];
    size_t function_count;
    bool changed;
    struct fp_uses *result;
};

uint64_t fp_argument_bit(uint32_t index)
{
    return UINT64_C(1) << (index < LAST_ARGUMENT ? index : LAST_ARGUMENT);
}

static void uses_add(struct uses *u, uint64_t *set, uint64_t more)
{
    u->changed |= (*set | more) != *set;
    *set |= more;
}

static uint64_t from_of(const struct uses *u, uint32_t id)
{
    return id < u->bound ? u->from[id] : 0;
}

/* Literals among the operands may look like ids: the set is too large then. */
static uint64_t all_operands(const struct uses *u, const struct in_inst *inst, uint32_t first)
{
    uint64_t set = 0;
    for (uint32_t i = first; i < inst->operand_count; i++)
        set |= from_of(u, inst->operands[i]);
    return set;
}

static uint32_t variable_of(const struct uses *u, uint32_t pointer)
{
    return pointer < u->bound ? u->variable[pointer] : 0;
}

static uint64_t held_arguments(const struct uses *u, uint32_t pointer)
{
    uint32_t variable = variable_of(u, pointer);
    return u->stored | (variable ? u->content[variable] : 0);
}

/* A store of a value with the uses SET through POINTER. */
static void store_set(struct uses *u, uint32_t pointer, uint64_t set)
{
    uint32_t variable = variable_of(u, pointer);
    uses_add(u, variable ? &u->content[variable] : &u->stored, set);
}

/* The address of a private variable escapes the analysis. */
static void escape_pointer(struct uses *u, uint32_t pointer)
{
    uint32_t variable = variable_of(u, pointer);
    if (variable)
        uses_add(u, &u->stored, u->content[variable]);
}

static bool is_pointer(const struct uses *u, uint32_t id)
{
    const struct in_ty *ty = id && id < u->bound ? u->m->types[id] : NULL;
    return ty && ty->kind == IN_TY_POINTER;
}

static void use_unevaluated(struct uses *u, uint64_t reads, uint64_t writes)
{
    uses_add(u, &u->result->reads, reads);
    uses_add(u, &u->result->writes, writes);
    uses_add(u, &u->result->unevaluated, reads | writes);
}

static void function_call(struct uses *u, const struct in_inst *inst)
{
    const struct in_function *called = in_spirv_function(u->m->module, inst->operands[0]);
    if (!called || !called->has_body || u->function_count == MOST_FUNCTIONS) {
        use_unevaluated(u, all_operands(u, inst, 1), all_operands(u, inst, 1));
        return;
    }
    size_t known = 0;
    while (known < u->function_count && u->functions[known] != called)
        known++;
    if (known == u->function_count) {
        u->functions[u->function_count++] = called;
        u->changed = true;
    }
    for (uint32_t i = 0; i < called->param_count && i + 1 < inst->operand_count; i++) {
        uses_add(u, &u->from[called->params[i]], from_of(u, inst->operands[i + 1]));
        escape_pointer(u, inst->operands[i + 1]);
    }
    uses_add(u, &u->from[inst->result], from_of(u, called->id));
}

static void uses_load(struct uses *u, const struct in_inst *inst)
{
    uint32_t pointer = inst->operands[0];
    bool outside = !variable_of(u, pointer) && from_of(u, pointer) && is_pointer(u, inst->result);
    uses_add(u, &u->result->reads, from_of(u, pointer));
    uses_add(u, &u->from[inst->result], held_arguments(u, pointer) | (outside ? UINT64_C(1) << BEYOND : 0));
}

static void uses_store(struct uses *u, const struct in_inst *inst)
{
    uses_add(u, &u->result->writes, from_of(u, inst->operands[0]));
    escape_pointer(u, inst->operands[1]);
    store_set(u, inst->operands[0], from_of(u, inst->operands[1]));
}

static void use_extended(struct uses *u, const struct in_inst *inst)
{
    uint64_t set = all_operands(u, inst, 2);
    switch (inst->operands[1]) {
    case OpenCLstd_Vloadn:
        uses_add(u, &u->result->reads, set);
        break;
    case OpenCLstd_Vstoren:
        uses_add(u, &u->result->writes, set);
        break;
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn:
    case OpenCLstd_Printf:
        use_unevaluated(u, set, 0);
        break;
    case OpenCLstd_Prefetch:
        break;
    default:
        use_unevaluated(u, set, set);
    }
    uses_add(u, &u->from[inst->result], set);
}

static bool orders_or_jumps(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpLabel:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpReturn:
    case SpvOpUnreachable:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpGroupWaitEvents:
    case SpvOpNop:
        return true;
    default:
        return false;
    }
}

/* True if the instruction's result points to what its operands point to. */
static bool moves_pointers(uint32_t opcode)
{
    return (opcode >= SpvOpAccessChain && opcode <= SpvOpInBoundsPtrAccessChain) ||
           (opcode >= SpvOpConvertPtrToU && opcode <= SpvOpBitcast) || opcode == SpvOpCopyObject ||
           opcode == SpvOpSelect || opcode == SpvOpPhi || opcode == SpvOpSampledImage ||
           opcode == SpvOpImage || (opcode >= SpvOpVectorExtractDynamic && opcode <= SpvOpCopyObject) ||
           (opcode >= SpvOpImageQueryFormat && opcode <= SpvOpImageQuerySamples) || opcode == SpvOpPtrEqual ||
           opcode == SpvOpPtrNotEqual || (opcode >= SpvOpIEqual && opcode <= SpvOpSLessThanEqual);
}

static void use_image(struct uses *u, const struct in_inst *inst)
{
    uint64_t set = from_of(u, inst->operands[0]);
    if (inst->opcode == SpvOpImageWrite)
        uses_add(u, &u->result->writes, set);
    else if (inst->opcode == SpvOpImageRead)
        uses_add(u, &u->result->reads, set);
    else
        use_unevaluated(u, set, 0);
}

static void uses_atomic(struct uses *u, const struct in_inst *inst)
{
    bool stores = inst->opcode == SpvOpAtomicStore || inst->opcode == SpvOpAtomicFlagClear;
    uint64_t set = from_of(u, inst->operands[0]);
    uses_add(u, &u->result->reads, stores ? 0 : set);
    uses_add(u, &u->result->writes, inst->opcode == SpvOpAtomicLoad ? 0 : set);
    uses_add(u, &u->stored, all_operands(u, inst, 1));
}

static void use_instruction(struct uses *u, const struct in_function *function, const struct in_inst *inst)
{
    const uint32_t *o = inst->operands;
    uint64_t set;
    if (orders_or_jumps(inst->opcode))
        return;
    switch (inst->opcode) {
    case SpvOpVariable:
        u->variable[inst->result] = inst->result;
        uses_add(u, &u->content[inst->result], all_operands(u, inst, 1));
        return;
    case SpvOpLoad:
        uses_load(u, inst);
        return;
    case SpvOpStore:
        uses_store(u, inst);
        return;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        uses_add(u, &u->result->writes, from_of(u, o[0]));
        uses_add(u, &u->result->reads, from_of(u, o[1]));
        store_set(u, o[0], held_arguments(u, o[1]));
        return;
    case SpvOpFunctionCall:
        function_call(u, inst);
        return;
    case SpvOpReturnValue:
        uses_add(u, &u->from[function->id], from_of(u, o[0]));
        return;
    case SpvOpExtInst:
        use_extended(u, inst);
        return;
    case SpvOpGroupAsyncCopy:
        use_unevaluated(u, from_of(u, o[2]), from_of(u, o[1]));
        return;
    default:
        break;
    }
    if (inst->opcode >= SpvOpImageSampleImplicitLod && inst->opcode <= SpvOpImageWrite) {
        use_image(u, inst);
        return;
    }
    if (in_is_atomic(inst->opcode)) {
        uses_atomic(u, inst);
        return;
    }
    set = all_operands(u, inst, 0);
    if (!moves_pointers(inst->opcode))
        for (uint32_t i = 0; i < inst->operand_count; i++)
            if (is_pointer(u, o[i]))
                use_unevaluated(u, from_of(u, o[i]), from_of(u, o[i]));
    bool of_one = moves_pointers(inst->opcode) && inst->opcode != SpvOpSelect && inst->opcode != SpvOpPhi &&
                  inst->operand_count && variable_of(u, o[0]);
    for (uint32_t i = 0; !of_one && i < inst->operand_count; i++)
        escape_pointer(u, o[i]);
    if (!inst->result || inst->result >= u->bound)
        return;
    uses_add(u, &u->from[inst->result], set);
    if (of_one && !u->variable[inst->result]) {
        u->variable[inst->result] = variable_of(u, o[0]);
        u->changed = true;
    }
}

static void uses_pass(struct uses *u)
{
    for (size_t i = 0; i < u->function_count; i++) {
        const struct in_function *function = u->functions[i];
        for (uint32_t word = function->word; function->has_body && word < function->end;) {
            struct in_inst inst;
            in_inst_at(u->m->module, word, &inst);
            use_instruction(u, function, &inst);
            word += inst.count;
        }
    }
}

static void uses_start(struct uses *u, const struct in_function *kernel)
{
    u->functions[u->function_count++] = kernel;
    for (uint32_t i = 0; i < kernel->param_count; i++)
        u->from[kernel->params[i]] = fp_argument_bit(i);
    for (uint32_t i = 1; i < u->bound; i++) {
        const struct in_id *id = in_spirv_id(u->m->module, i);
        if (id && id->kind == IN_ID_GLOBAL && id->ty && id->ty->storage == SpvStorageClassCrossWorkgroup)
            u->from[i] = UINT64_C(1) << VARIABLES;
    }
}

bool fp_uses_find(const struct fp_module *m, const struct in_function *kernel, struct fp_uses *result)
{
    struct uses *u = mm_alloc_zero(1, sizeof *u);
    uint32_t bound = in_spirv_bound(m->module);
    *result = (struct fp_uses){0};
    if (!u)
        return false;
    *u = (struct uses){.m = m, .bound = bound, .result = result};
    u->from = mm_alloc_zero(bound, sizeof *u->from);
    u->content = mm_alloc_zero(bound, sizeof *u->content);
    u->variable = mm_alloc_zero(bound, sizeof *u->variable);
    bool possible = u->from && u->content && u->variable;
    if (possible)
        uses_start(u, kernel);
    for (u->changed = possible; u->changed;) {
        u->changed = false;
        uses_pass(u);
    }
    result->from = u->from;
    mm_free(u->content);
    mm_free(u->variable);
    mm_free(u);
    if (!possible) {
        mm_free(result->from);
        result->from = NULL;
    }
    return possible;
}
