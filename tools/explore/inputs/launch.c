/* Sizes of the launch: what options and the module leave open is chosen as the runtime does for its own
 * device. */
#include "ref-runtime/device.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/module/module.h"

enum { MAX_THREADS = 256 };

/* What execution modes of the kernel require; 0: any size. [SPIRV 3.6] */
struct required {
    uint64_t local[3], sub_group, sub_groups;
};

static uint64_t mode_operand(struct ex *ex, const struct in_inst *inst, uint32_t at)
{
    uint32_t value = at < inst->operand_count ? inst->operands[at] : 0;
    if (inst->opcode != SpvOpExecutionModeId)
        return value;
    const struct in_inst *constant = ex_definition(ex, value);
    if (constant->opcode != SpvOpConstant || constant->operand_count != 1)
        ex_fail(ex, MM_LIMIT, "explore.launch", "a computed work-group size is not explored: give constants");
    return constant->operands[0];
}

static void read_mode(struct ex *ex, const struct in_inst *inst, struct required *required)
{
    switch (inst->operands[1]) {
    case SpvExecutionModeLocalSize:
    case SpvExecutionModeLocalSizeId:
        for (uint32_t i = 0; i < 3; i++)
            required->local[i] = mode_operand(ex, inst, 2 + i);
        break;
    case SpvExecutionModeSubgroupSize:
        required->sub_group = mode_operand(ex, inst, 2);
        break;
    case SpvExecutionModeSubgroupsPerWorkgroup:
    case SpvExecutionModeSubgroupsPerWorkgroupId:
        required->sub_groups = mode_operand(ex, inst, 2);
        break;
    default:
        break;
    }
}

/* Vulkan modules are launched with other sizes than those of their mode: it is the default of a
 * specialization constant. */
static struct required required_of(struct ex *ex)
{
    struct required required = {0};
    for (uint32_t i = 0; i < ex->module.inst_count && !ex->module.vulkan; i++) {
        const struct in_inst *inst = &ex->module.insts[i];
        bool is_mode = inst->opcode == SpvOpExecutionMode || inst->opcode == SpvOpExecutionModeId;
        if (is_mode && inst->operand_count >= 2 && inst->operands[0] == ex->entry->function)
            read_mode(ex, inst, &required);
    }
    return required;
}

static void choose_open(struct ex_launch *l, const struct required *required)
{
    for (int i = 0; i < 3; i++) {
        uint32_t otherwise = l->global[i] ? l->global[i] : 1;
        if (l->local[i] == 0)
            l->local[i] = required->local[i] ? (uint32_t)required->local[i] : otherwise;
        if (l->global[i] == 0)
            l->global[i] = l->local[i];
    }
    if (l->sub_group == 0)
        l->sub_group = required->sub_group ? (uint32_t)required->sub_group : rt_sub_group_size();
}

void ex_complete_launch(struct ex *ex)
{
    struct ex_launch *l = &ex->config.launch;
    const struct required required = required_of(ex);
    uint64_t items = 1, total = 1;
    choose_open(l, &required);
    for (int i = 0; i < 3; i++) {
        if (l->global[i] % l->local[i])
            ex_fail(
                ex, MM_LIMIT, "explore.launch",
                "work-groups of different sizes are not supported: make the global size a multiple of %u, "
                "or check executions one by one with refcl kernel",
                l->local[i]);
        if (required.local[i] && required.local[i] != l->local[i])
            ex_fail(ex, MM_INVALID, "CL 5.8", "the kernel requires work-groups of %u,%u,%u work-items",
                    (unsigned)required.local[0], (unsigned)required.local[1], (unsigned)required.local[2]);
        items *= l->local[i];
        total *= l->global[i];
        if (total > MAX_THREADS)
            ex_fail(
                ex, MM_LIMIT, "explore.launch",
                "a launch of more than %d work-items is not explored: make --global smaller, or use --prove",
                MAX_THREADS);
    }
    if (required.sub_group && required.sub_group != l->sub_group)
        ex_fail(ex, MM_INVALID, "SPIRV 3.6", "the kernel requires sub-groups of %u work-items",
                (unsigned)required.sub_group);
    if (required.sub_groups && (items + l->sub_group - 1) / l->sub_group != required.sub_groups)
        ex_fail(ex, MM_INVALID, "SPIRV 3.6", "the kernel requires %u sub-groups in each work-group",
                (unsigned)required.sub_groups);
}
