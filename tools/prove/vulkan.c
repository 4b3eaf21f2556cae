/* Modules of the Vulkan memory model: which barriers order which memory, and which modules are not supported
 * (docs/prove.md, "Vulkan modules"). */
#include "tools/prove/internal.h"

static bool is_specialized(const struct pv *pv, uint32_t id)
{
    const struct in_inst *i = ex_definition(pv->ex, id);
    return i && i->opcode >= SpvOpSpecConstantTrue && i->opcode <= SpvOpSpecConstantOp;
}

/* Whether TYPE is an array whose length is a specialization constant. */
static bool has_open_length(const struct pv *pv, uint32_t type)
{
    const struct in_inst *i = ex_definition(pv->ex, type);
    return i && i->opcode == SpvOpTypeArray && is_specialized(pv, i->operands[1]);
}

bool pv_has_open_size(const struct pv *pv, const struct in_inst *variable)
{
    const struct in_inst *pointer = ex_definition(pv->ex, variable->type);
    uint32_t storage = pointer->operands[0];
    return storage == SpvStorageClassStorageBuffer || storage == SpvStorageClassUniform ||
           storage == SpvStorageClassPushConstant || has_open_length(pv, pointer->operands[1]);
}

Z3_ast pv_specialized(struct pv *pv, uint32_t id, uint32_t i, unsigned width)
{
    if (!pv->ex->module.vulkan || !is_specialized(pv, id))
        return NULL;
    if (ex_id(pv->ex, id)->builtin == SpvBuiltInWorkgroupSize && i < 3)
        return pv_low(pv, pv->launch.local[i], width);
    for (uint32_t k = 0; k < pv->specialized.count; k++)
        if (pv->specialized.list[k].id == id && pv->specialized.list[k].leaf == i)
            return pv->specialized.list[k].value;
    struct pv_specialized *list = pv->specialized.list;
    list = ex_grow(pv->ex, list, pv->specialized.count, sizeof *list);
    list[pv->specialized.count++] = (struct pv_specialized){id, i, pv_fresh(pv, "specialized", width)};
    pv->specialized.list = list;
    return list[pv->specialized.count - 1].value;
}

/* ---- modules that are not supported --------------------------------------------------------------- */

static void check_variable(struct pv *pv, const struct in_inst *variable)
{
    const struct in_id *id = ex_id(pv->ex, variable->result);
    const struct in_inst *pointer = ex_definition(pv->ex, variable->type);
    if (has_open_length(pv, pointer->operands[1]) && pointer->operands[0] != SpvStorageClassWorkgroup)
        pv_stop(pv, variable, "a private array of specialized length is not supported by --prove");
    for (uint32_t i = 0; i < pv->ex->module.inst_count; i++) {
        const struct in_inst *other = &pv->ex->module.insts[i];
        const struct in_id *known =
            other->opcode == SpvOpVariable && other != variable ? ex_id(pv->ex, other->result) : NULL;
        if (known && id->binding != IN_UNDECORATED && known->set == id->set && known->binding == id->binding)
            pv_stop(pv, variable, "several variables of one descriptor are not supported by --prove");
    }
}

static void check_instruction(struct pv *pv, const struct in_inst *i)
{
    switch (i->opcode) {
    case SpvOpVariable:
        check_variable(pv, i);
        break;
    case SpvOpCapability:
        if (i->operands[0] == SpvCapabilityWorkgroupMemoryExplicitLayoutKHR)
            pv_stop(pv, i, "local variables that overlap are not supported by --prove");
        break;
    case SpvOpDecorate:
        if (i->operands[1] == SpvDecorationAliased || i->operands[1] == SpvDecorationAliasedPointer)
            pv_stop(pv, i, "aliased variables are not supported by --prove");
        break;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        if (has_open_length(pv, i->operands[0]))
            pv_stop(pv, i, "an element type of specialized size is not supported by --prove");
        break;
    case SpvOpTypeStruct:
        for (uint32_t k = 0; k < i->operand_count; k++)
            if (has_open_length(pv, i->operands[k]))
                pv_stop(pv, i, "a member of specialized size is not supported by --prove");
        break;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        pv_stop(pv, i, "copies of memory are not supported by --prove in Vulkan modules");
    case SpvOpLoad:
        if (has_open_length(pv, i->type))
            pv_stop(pv, i, "an array of specialized length as a value is not supported by --prove");
        break;
    default:
        break;
    }
}

/* ---- accesses that barriers order ----------------------------------------------------------------- */

/* The scope is constant and contains the work-group. */
static bool is_wide(const struct pv *pv, uint32_t id)
{
    uint64_t scope;
    return !is_specialized(pv, id) && ex_constant(pv->ex, id, 0, &scope) &&
           (scope == SpvScopeWorkgroup || scope == SpvScopeQueueFamily || scope == SpvScopeDevice);
}

void pv_vulkan_access(const struct pv *pv, struct pv_access *access)
{
    const struct in_inst *inst = access->inst;
    bool is_store = inst->opcode == SpvOpStore;
    uint32_t at = is_store ? 2 : 1, makes = is_store ? SpvMemoryAccessMakePointerAvailableMask
                                                     : SpvMemoryAccessMakePointerVisibleMask;
    if ((!is_store && inst->opcode != SpvOpLoad) || inst->operand_count <= at)
        return;
    uint32_t mask = inst->operands[at++];
    at += (mask & SpvMemoryAccessAlignedMask) != 0;
    access->is_nonprivate = mask & SpvMemoryAccessNonPrivatePointerMask;
    access->is_transferred = mask & makes && at < inst->operand_count && is_wide(pv, inst->operands[at]);
}

void pv_check_vulkan(struct pv *pv)
{
    const struct in_inst *i = pv->ex->module.insts, *end = i + pv->ex->module.inst_count;
    if (in_spirv_memory_model(pv->ex->module.decoded) != SpvMemoryModelVulkan)
        pv_stop(pv, NULL,
                "modules of other memory models than OpenCL's and Vulkan's are not supported by --prove");
    for (; i < end; i++)
        check_instruction(pv, i);
}

void pv_vulkan_barrier(struct pv *pv, struct pv_block *b, const struct in_inst *inst, uint64_t semantics)
{
    bool happens_before = is_wide(pv, inst->operands[1]) && semantics & SpvMemorySemanticsAcquireReleaseMask;
    b->orders_local = happens_before && semantics & SpvMemorySemanticsWorkgroupMemoryMask;
    b->orders_global = happens_before && semantics & SpvMemorySemanticsUniformMemoryMask;
    pv->vulkan.lacks_available |= !(semantics & SpvMemorySemanticsMakeAvailableMask);
    pv->vulkan.lacks_visible |= !(semantics & SpvMemorySemanticsMakeVisibleMask);
}

bool pv_vulkan_orders(const struct pv *pv, const struct pv_access *a, const struct pv_access *b)
{
    const struct pv_access *both[] = {a, b};
    if (!a->is_nonprivate || !b->is_nonprivate)
        return false;
    for (int i = 0; i < 2; i++)
        if (!both[i]->is_transferred &&
            (both[i]->kind == PV_READ ? pv->vulkan.lacks_visible : pv->vulkan.lacks_available))
            return false;
    return true;
}
