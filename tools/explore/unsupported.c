/* Messages about instructions that exploring does not support: the function of OpenCL C, the instruction of
 * SPIR-V, the place in the source, and what to use instead. */
#include "tools/explore/explore.h"

#include <stdio.h>
#include <string.h>

/* ---- names of OpenCL C ---------------------------------------------------------------------------- */

static const struct word {
    uint32_t opcode;
    const char *name;
} words[] = {
    {SpvOpReadPipe, "read_pipe"},
    {SpvOpWritePipe, "write_pipe"},
    {SpvOpReservedReadPipe, "read_pipe"},
    {SpvOpReservedWritePipe, "write_pipe"},
    {SpvOpReserveReadPipePackets, "reserve_read_pipe"},
    {SpvOpReserveWritePipePackets, "reserve_write_pipe"},
    {SpvOpCommitReadPipe, "commit_read_pipe"},
    {SpvOpCommitWritePipe, "commit_write_pipe"},
    {SpvOpIsValidReserveId, "is_valid_reserve_id"},
    {SpvOpGetNumPipePackets, "get_pipe_num_packets"},
    {SpvOpGetMaxPipePackets, "get_pipe_max_packets"},
    {SpvOpGroupReserveReadPipePackets, "work_group_reserve_read_pipe or sub_group_reserve_read_pipe"},
    {SpvOpGroupReserveWritePipePackets, "work_group_reserve_write_pipe or sub_group_reserve_write_pipe"},
    {SpvOpGroupCommitReadPipe, "work_group_commit_read_pipe or sub_group_commit_read_pipe"},
    {SpvOpGroupCommitWritePipe, "work_group_commit_write_pipe or sub_group_commit_write_pipe"},
    {SpvOpEnqueueMarker, "enqueue_marker"},
    {SpvOpEnqueueKernel, "enqueue_kernel"},
    {SpvOpGetKernelNDrangeSubGroupCount, "get_kernel_sub_group_count_for_ndrange"},
    {SpvOpGetKernelNDrangeMaxSubGroupSize, "get_kernel_max_sub_group_size_for_ndrange"},
    {SpvOpGetKernelWorkGroupSize, "get_kernel_work_group_size"},
    {SpvOpGetKernelPreferredWorkGroupSizeMultiple, "get_kernel_preferred_work_group_size_multiple"},
    {SpvOpRetainEvent, "retain_event"},
    {SpvOpReleaseEvent, "release_event"},
    {SpvOpCreateUserEvent, "create_user_event"},
    {SpvOpIsValidEvent, "is_valid_event"},
    {SpvOpSetUserEventStatus, "set_user_event_status"},
    {SpvOpCaptureEventProfilingInfo, "capture_event_profiling_info"},
    {SpvOpGetDefaultQueue, "get_default_queue"},
    {SpvOpBuildNDRange, "ndrange_1D, ndrange_2D or ndrange_3D"},
    {SpvOpNamedBarrierInitialize, "named_barrier_init"},
    {SpvOpMemoryNamedBarrier, "work_group_named_barrier"},
    {SpvOpGroupNonUniformElect, "sub_group_elect"},
    {SpvOpGroupNonUniformAll, "sub_group_non_uniform_all"},
    {SpvOpGroupNonUniformAny, "sub_group_non_uniform_any"},
    {SpvOpGroupNonUniformAllEqual, "sub_group_non_uniform_all_equal"},
    {SpvOpGroupNonUniformBroadcast, "sub_group_non_uniform_broadcast"},
    {SpvOpGroupNonUniformBroadcastFirst, "sub_group_broadcast_first"},
    {SpvOpGroupNonUniformBallot, "sub_group_ballot"},
    {SpvOpGroupNonUniformShuffle, "sub_group_shuffle"},
    {SpvOpGroupNonUniformShuffleXor, "sub_group_shuffle_xor"},
    {SpvOpGroupNonUniformShuffleUp, "sub_group_shuffle_up"},
    {SpvOpGroupNonUniformShuffleDown, "sub_group_shuffle_down"},
    {SpvOpGroupNonUniformRotateKHR, "sub_group_rotate"},
    {SpvOpSubgroupShuffleINTEL, "intel_sub_group_shuffle"},
    {SpvOpSubgroupShuffleDownINTEL, "intel_sub_group_shuffle_down"},
    {SpvOpSubgroupShuffleUpINTEL, "intel_sub_group_shuffle_up"},
    {SpvOpSubgroupShuffleXorINTEL, "intel_sub_group_shuffle_xor"},
    {SpvOpSubgroupBlockReadINTEL, "intel_sub_group_block_read"},
    {SpvOpSubgroupBlockWriteINTEL, "intel_sub_group_block_write"},
    {SpvOpSubgroupImageBlockReadINTEL, "intel_sub_group_block_read"},
    {SpvOpSubgroupImageBlockWriteINTEL, "intel_sub_group_block_write"},
    {SpvOpImageWrite, "write_imagef, write_imagei or write_imageui"},
    {SpvOpImageRead, "read_imagef, read_imagei or read_imageui"},
    {SpvOpImageSampleExplicitLod, "read_imagef, read_imagei or read_imageui"},
    {SpvOpImageQuerySamples, "get_image_num_samples"},
};

/* sub_group_non_uniform_reduce_add and its like. */
static const char *reduction_name(const struct in_inst *inst, char *text, size_t size)
{
    static const char *const forms[] = {[SpvGroupOperationReduce] = "non_uniform_reduce",
                                        [SpvGroupOperationInclusiveScan] = "non_uniform_scan_inclusive",
                                        [SpvGroupOperationExclusiveScan] = "non_uniform_scan_exclusive",
                                        [SpvGroupOperationClusteredReduce] = "clustered_reduce"};
    static const char *const operations[] = {"add", "add",         "mul",        "mul",        "min", "min",
                                             "min", "max",         "max",        "max",        "and", "or",
                                             "xor", "logical_and", "logical_or", "logical_xor"};
    if (inst->opcode < SpvOpGroupNonUniformIAdd || inst->opcode > SpvOpGroupNonUniformLogicalXor ||
        inst->operand_count < 2 || inst->operands[1] > SpvGroupOperationClusteredReduce)
        return NULL;
    snprintf(text, size, "sub_group_%s_%s", forms[inst->operands[1]],
             operations[inst->opcode - SpvOpGroupNonUniformIAdd]);
    return text;
}

/* The function of OpenCL C and the instruction, such as "read_pipe (OpReadPipe, opcode 274)", in TEXT, which
 * is returned. */
static const char *instruction_name(const struct in_inst *inst, char *text, size_t size)
{
    char composed[80];
    const char *name = reduction_name(inst, composed, sizeof composed);
    for (size_t i = 0; !name && i < sizeof words / sizeof *words; i++)
        if (words[i].opcode == inst->opcode)
            name = words[i].name;
    snprintf(text, size, name ? "%s (Op%s, opcode %u)" : "%sOp%s (opcode %u)", name ? name : "",
             in_opcode_name(inst->opcode), inst->opcode);
    return text;
}

/* ---- advice --------------------------------------------------------------------------------------- */

/* What to do about an unsupported instruction. */
static const char *advice_for(uint32_t opcode)
{
#define OR_EXECUTE ", or check executions one by one with refcl kernel"
#define REACHED_BY_ALL                                                                                       \
    "call it where all work-items of the launch do, outside of loops and of branches that only some may take" OR_EXECUTE
    static const struct {
        uint32_t first, last;
        const char *text;
    } groups[] = {
        {SpvOpImageTexelPointer, SpvOpImageTexelPointer, "pass the pixels in a buffer"},
        {SpvOpSampledImage, SpvOpImageQuerySamples, "pass the pixels in a buffer"},
        {SpvOpImageSparseSampleImplicitLod, SpvOpImageSparseRead, "pass the pixels in a buffer"},
        {SpvOpReadPipe, SpvOpGroupCommitWritePipe, "pass the packets in a buffer" OR_EXECUTE},
        {SpvOpEnqueueMarker, SpvOpBuildNDRange, "explore the enqueued kernel alone" OR_EXECUTE},
        {SpvOpConstantPipeStorage, SpvOpCreatePipeFromPipeStorage, "pass the packets in a buffer"},
        {SpvOpGetKernelLocalSizeForSubgroupCount, SpvOpGetKernelMaxNumSubgroups,
         "pass the number as an argument" OR_EXECUTE},
        {SpvOpNamedBarrierInitialize, SpvOpMemoryNamedBarrier, "use work_group_barrier" OR_EXECUTE},
        {SpvOpMatrixTimesScalar, SpvOpOuterProduct, "use vectors"},
        {SpvOpGroupNonUniformElect, SpvOpGroupNonUniformLogicalXor, REACHED_BY_ALL},
        {SpvOpGroupNonUniformQuadBroadcast, SpvOpGroupNonUniformQuadSwap,
         "use sub_group_shuffle or sub_group_shuffle_xor"},
        {SpvOpSubgroupBallotKHR, SpvOpSubgroupBallotKHR, REACHED_BY_ALL},
        {SpvOpSubgroupFirstInvocationKHR, SpvOpSubgroupFirstInvocationKHR, "use sub_group_broadcast_first"},
        {SpvOpSubgroupAllKHR, SpvOpGroupNonUniformRotateKHR, REACHED_BY_ALL},
        {SpvOpSubgroupReadInvocationKHR, SpvOpSubgroupReadInvocationKHR, "use sub_group_shuffle"},
        {SpvOpSubgroupShuffleINTEL, SpvOpSubgroupShuffleXorINTEL,
         "use sub_group_shuffle, sub_group_shuffle_up, sub_group_shuffle_down or sub_group_shuffle_xor"},
        {SpvOpSubgroupBlockReadINTEL, SpvOpSubgroupBlockWriteINTEL,
         "let each work-item access its own elements"},
        {SpvOpSubgroupImageBlockReadINTEL, SpvOpSubgroupImageBlockWriteINTEL,
         "let each work-item access its own texels"}};
#undef REACHED_BY_ALL
#undef OR_EXECUTE
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (opcode >= groups[i].first && opcode <= groups[i].last)
            return groups[i].text;
    return "leave it out";
}

void ex_fail_unsupported(struct ex *ex, const struct in_inst *inst, const char *rule, const char *where,
                         const char *instead)
{
    char name[160];
    ex_fail(ex, MM_LIMIT, rule, "%s%s%s is not explored: %s", instruction_name(inst, name, sizeof name),
            *where ? " " : "", where, instead ? instead : advice_for(inst->opcode));
}

/* ---- places --------------------------------------------------------------------------------------- */

/* Whether INST uses VALUE as a pointer, an image or a stored value. */
static bool uses_value(const struct in_inst *inst, uint32_t value)
{
    bool is_store = inst->opcode == SpvOpStore && inst->operand_count > 1;
    return inst->opcode != SpvOpVariable && inst->opcode != SpvOpFunctionCall && inst->operand_count > 0 &&
           (inst->operands[0] == value || (is_store && inst->operands[1] == value));
}

/* The parameter that VALUE is of the function that INST calls; 0: none. */
static uint32_t called_parameter(const struct ex *ex, const struct in_inst *inst, uint32_t value)
{
    const struct in_function *callee =
        inst->opcode == SpvOpFunctionCall ? in_spirv_function(ex->module.decoded, inst->operands[0]) : NULL;
    for (uint32_t i = 0; callee && i < callee->param_count && i + 1 < inst->operand_count; i++)
        if (inst->operands[i + 1] == value)
            return callee->params[i];
    return 0;
}

/* The first instruction with a place that uses VALUE, or the parameter that VALUE is of a called function,
 * DEPTH calls deep; NULL: none. */
static const struct in_inst *first_use(const struct ex *ex, uint32_t value, unsigned depth)
{
    for (uint32_t i = 0; i < ex->module.inst_count; i++) {
        const struct in_inst *inst = &ex->module.insts[i];
        uint32_t inner = depth ? called_parameter(ex, inst, value) : 0;
        const struct in_inst *use = inner                     ? first_use(ex, inner, depth - 1)
                                    : uses_value(inst, value) ? inst
                                                              : NULL;
        if (use && use->line)
            return use;
    }
    return NULL;
}

const struct in_inst *ex_nearest_place(const struct ex *ex, const struct in_inst *inst)
{
    enum { DEPTH = 3 };
    const struct in_inst *first = ex->module.insts, *end = first + ex->module.inst_count, *i;
    if (!inst || inst->line || inst < first || inst >= end)
        return inst;
    const struct in_inst *use = inst->result ? first_use(ex, inst->result, DEPTH) : NULL;
    if (use)
        return use;
    for (i = inst; i < end && i->opcode != SpvOpFunctionEnd; i++)
        if (i->line)
            return i;
    for (i = inst; i > first && i->opcode != SpvOpFunction; i--)
        if (i->line)
            return i;
    return inst;
}
