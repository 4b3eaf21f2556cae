/* Rules of the OpenCL environment that the validator, which checks modules of any environment, omits: image
 * types, the memory model, scopes of execution, built-in variables [CL env 2.9 R2; CL env 4]. */
#include "interp/module/module.h"

static enum mm_class check_image_type(struct in_module *m, const struct in_inst *i, struct mm_error *err)
{
    const uint32_t *o = i->operands, dim = o[1];
    const struct in_ty *sampled = o[0] < m->bound ? m->ids[o[0]].ty : NULL;
    const char *problem = !sampled || sampled->kind != IN_TY_VOID ? "its sampled type is not void"
                          : o[3] == 1 && dim != SpvDim1D && dim != SpvDim2D
                              ? "an array of such a dimensionality"
                          : o[5] != 0                     ? "a sampled usage known at compile time"
                          : o[6] != SpvImageFormatUnknown ? "an image format"
                          : i->operand_count < 8          ? "no access qualifier"
                                                          : NULL;
    /* [CL env 4 R5] */
    return !problem ? MM_OK : in_bad(m, i->word, err, "CL env 4 R5", "image type: %s", problem);
}

/* Whether the first operand is the scope at which work-items execute the instruction together. */
static bool has_execution_scope(uint32_t opcode)
{
    return (opcode >= SpvOpGroupAsyncCopy && opcode <= SpvOpGroupSMax) ||
           (opcode >= SpvOpGroupReserveReadPipePackets && opcode <= SpvOpGroupCommitWritePipe) ||
           (opcode >= SpvOpGroupNonUniformElect && opcode <= SpvOpGroupNonUniformQuadSwap) ||
           (opcode >= SpvOpGroupIMulKHR && opcode <= SpvOpGroupLogicalXorKHR) ||
           opcode == SpvOpGroupNonUniformRotateKHR || opcode == SpvOpControlBarrier;
}

/* Scopes that are no constants are checked where they are used. */
static enum mm_class check_scope(struct in_module *m, const struct in_inst *i, struct mm_error *err)
{
    const bool copy = i->opcode == SpvOpGroupAsyncCopy || i->opcode == SpvOpGroupWaitEvents;
    uint64_t scope;
    if (!has_execution_scope(i->opcode) || i->operand_count == 0 ||
        !in_constant_u64(m, i->operands[0], &scope) || scope == SpvScopeWorkgroup)
        return MM_OK;
    if (copy) /* [CL env 4 R9] */
        return in_bad(m, i->word, err, "CL env 4 R9", "%s needs the scope of a work-group, not %llu",
                      in_opcode_name(i->opcode), (unsigned long long)scope);
    if (scope == SpvScopeSubgroup)
        return MM_OK;
    /* [CL env 4 R10, R11] */
    return in_bad(m, i->word, err, i->opcode == SpvOpControlBarrier ? "CL env 4 R11" : "CL env 4 R10",
                  "%s needs the scope of a work-group or sub-group, not %llu", in_opcode_name(i->opcode),
                  (unsigned long long)scope);
}

/* Reductions and scans name no clusters [CL env 5.2.17 R2]. */
static enum mm_class check_clusters(struct in_module *m, const struct in_inst *i, struct mm_error *err)
{
    if (i->opcode < SpvOpGroupNonUniformIAdd || i->opcode > SpvOpGroupNonUniformLogicalXor ||
        i->operand_count < 4 || i->operands[1] > SpvGroupOperationExclusiveScan)
        return MM_OK;
    return in_bad(m, i->word, err, "CL env 5.2.17 R2", "a cluster size for %s", in_opcode_name(i->opcode));
}

/* 3: a vector of sizes, 1: a size, 0: another type, which lowering checks. */
static uint32_t size_components(int32_t builtin)
{
    switch (builtin) {
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInGlobalOffset:
        return 3;
    case SpvBuiltInGlobalLinearId:
    case SpvBuiltInLocalInvocationIndex:
        return 1;
    default:
        return 0;
    }
}

/* [CL env 2.9 R2] */
static enum mm_class check_built_ins(struct in_module *m, struct mm_error *err)
{
    for (uint32_t k = 0; k < m->global_count; k++) {
        const struct in_global *g = &m->globals[k];
        const uint32_t count = size_components(m->ids[g->id].builtin);
        const struct in_ty *scalar = in_scalar(g->ty);
        if (count != 0 && (in_count(g->ty) != count || scalar->kind != IN_TY_INT || scalar->width != 64))
            return in_bad(m, m->ids[g->id].word, err, "CL env 2.9 R2",
                          "built-in variable %d needs %u integers of 64 bits", m->ids[g->id].builtin, count);
    }
    return MM_OK;
}

enum mm_class in_check_environment(struct in_module *m, struct mm_error *err)
{
    if (m->decoding.options->any_environment)
        return MM_OK;
    enum mm_class result = check_built_ins(m, err);
    for (struct in_inst i = {0}; result == MM_OK && in_spirv_next(m, &i);) {
        if (i.opcode == SpvOpTypeImage && i.operand_count >= 7)
            result = check_image_type(m, &i, err);
        else if (i.opcode == SpvOpMemoryModel && i.operands[1] != SpvMemoryModelOpenCL) /* [CL env 4 R3] */
            result = in_bad(m, i.word, err, "CL env 4 R3", "memory model %u is not OpenCL's", i.operands[1]);
        else if (has_execution_scope(i.opcode))
            result = check_scope(m, &i, err);
        if (result == MM_OK)
            result = check_clusters(m, &i, err);
    }
    return result;
}
