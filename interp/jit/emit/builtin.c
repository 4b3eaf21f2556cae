/* Built-in variables. [CL env 2.9].  Ids have 32 bits (the launch was checked); the loops around
 * a work-item's code make them. */
#include "interp/jit/emit/emit.h"

static LLVMValueRef widen_id(struct in_emit *e, LLVMValueRef narrow)
{
    return LLVMBuildZExt(e->b, narrow, e->i64, "");
}

static LLVMValueRef load_dimension(struct in_emit *e, uint64_t offset, uint32_t k)
{
    return in_frame_word(e, offset + 8 * k);
}

static LLVMValueRef group_size(struct in_emit *e, uint32_t k)
{
    return widen_id(e, in_param(e, IN_P_SIZE + k));
}

static LLVMValueRef local_id(struct in_emit *e, uint32_t k)
{
    return widen_id(e, in_param(e, IN_P_ITEM + k));
}

static LLVMValueRef global_id(struct in_emit *e, uint32_t k)
{
    return widen_id(e, in_param(e, IN_P_GLOBAL + k));
}

LLVMValueRef in_local_index(struct in_emit *e)
{
    LLVMValueRef v = LLVMBuildNUWMul(e->b, local_id(e, 2), group_size(e, 1), "");
    v = LLVMBuildNUWMul(e->b, LLVMBuildNUWAdd(e->b, v, local_id(e, 1), ""), group_size(e, 0), "");
    return LLVMBuildNUWAdd(e->b, v, local_id(e, 0), "");
}

static LLVMValueRef global_linear_id(struct in_emit *e)
{
    LLVMValueRef v = NULL;
    for (uint32_t k = 3; k-- > 0;) {
        LLVMValueRef offset = load_dimension(e, offsetof(struct in_jit_frame, global_offset), k);
        LLVMValueRef id = LLVMBuildSub(e->b, global_id(e, k), offset, "");
        if (v)
            v = LLVMBuildMul(e->b, v, load_dimension(e, offsetof(struct in_jit_frame, global_size), k), "");
        v = v ? LLVMBuildAdd(e->b, v, id, "") : id;
    }
    return v;
}

static LLVMValueRef group_items(struct in_emit *e)
{
    LLVMValueRef v = LLVMBuildNUWMul(e->b, group_size(e, 0), group_size(e, 1), "");
    return LLVMBuildNUWMul(e->b, v, group_size(e, 2), "");
}

static LLVMValueRef sub_group(struct in_emit *e, int32_t builtin)
{
    LLVMValueRef most = in_frame_word(e, offsetof(struct in_jit_frame, sub_group_size));
    LLVMValueRef id = LLVMBuildUDiv(e->b, in_local_index(e), most, "");
    switch (builtin) {
    case SpvBuiltInSubgroupId:
        return id;
    case SpvBuiltInSubgroupLocalInvocationId:
        return LLVMBuildURem(e->b, in_local_index(e), most, "");
    case SpvBuiltInNumSubgroups: {
        LLVMValueRef up = LLVMBuildSub(e->b, most, LLVMConstInt(e->i64, 1, 0), "");
        return LLVMBuildUDiv(e->b, LLVMBuildAdd(e->b, group_items(e), up, ""), most, "");
    }
    default: {
        LLVMValueRef left = LLVMBuildSub(e->b, group_items(e), LLVMBuildMul(e->b, id, most, ""), "");
        return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, left, most, ""), left, most, "");
    }
    }
}

/* Component K of a built-in vector, or a built-in scalar; NULL if the JIT does not support it. */
static LLVMValueRef builtin_component(struct in_emit *e, int32_t builtin, uint32_t k)
{
    switch (builtin) {
    case SpvBuiltInNumWorkgroups:
        return load_dimension(e, offsetof(struct in_jit_frame, num_groups), k);
    case SpvBuiltInWorkgroupSize:
        return group_size(e, k);
    case SpvBuiltInWorkgroupId:
        return widen_id(e, in_param(e, IN_P_GROUP + k));
    case SpvBuiltInLocalInvocationId:
        return local_id(e, k);
    case SpvBuiltInGlobalInvocationId:
        return global_id(e, k);
    case SpvBuiltInGlobalSize:
        return load_dimension(e, offsetof(struct in_jit_frame, global_size), k);
    case SpvBuiltInGlobalOffset:
        return load_dimension(e, offsetof(struct in_jit_frame, global_offset), k);
    case SpvBuiltInEnqueuedWorkgroupSize:
        return e->options->flags & IN_JIT_ANY_SIZE
                   ? load_dimension(e, offsetof(struct in_jit_frame, local_size), k)
                   : LLVMConstInt(e->i64, e->options->local_size[k], 0);
    case SpvBuiltInWorkDim:
        return in_frame_word(e, offsetof(struct in_jit_frame, work_dim));
    case SpvBuiltInLocalInvocationIndex:
        return in_local_index(e);
    case SpvBuiltInGlobalLinearId:
        return global_linear_id(e);
    case SpvBuiltInSubgroupMaxSize:
        return in_frame_word(e, offsetof(struct in_jit_frame, sub_group_size));
    case SpvBuiltInNumEnqueuedSubgroups:
        return in_frame_word(e, offsetof(struct in_jit_frame, enqueued_sub_groups));
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupLocalInvocationId:
        return sub_group(e, builtin);
    default:
        return NULL;
    }
}

/* Which work-items of the sub-group a mask has, in 128 bits. [SPIRV 3.21] */
static LLVMValueRef sub_group_mask(struct in_emit *e, int32_t builtin)
{
    LLVMTypeRef wide_type = LLVMInt128TypeInContext(e->c);
    LLVMValueRef one = LLVMConstInt(wide_type, 1, 0), none = LLVMConstNull(wide_type);
    LLVMValueRef me = LLVMBuildZExt(e->b, sub_group(e, SpvBuiltInSubgroupLocalInvocationId), wide_type, "");
    LLVMValueRef size = LLVMBuildZExt(e->b, sub_group(e, SpvBuiltInSubgroupSize), wide_type, "");
    LLVMValueRef bits = LLVMConstInt(wide_type, 128, 0), self = LLVMBuildShl(e->b, one, me, "");
    LLVMValueRef below = LLVMBuildSub(e->b, self, one, "");
    LLVMValueRef above = LLVMBuildLShr(e->b, LLVMConstNot(none), LLVMBuildSub(e->b, bits, size, ""), "");
    above = LLVMBuildAnd(e->b, above, LLVMBuildNot(e->b, LLVMBuildOr(e->b, below, self, ""), ""), "");
    LLVMValueRef r = builtin == SpvBuiltInSubgroupGtMask || builtin == SpvBuiltInSubgroupGeMask   ? above
                     : builtin == SpvBuiltInSubgroupLtMask || builtin == SpvBuiltInSubgroupLeMask ? below
                                                                                                  : none;
    bool others = builtin == SpvBuiltInSubgroupGtMask || builtin == SpvBuiltInSubgroupLtMask;
    return others ? r : LLVMBuildOr(e->b, r, self, "");
}

static LLVMValueRef mask_word(struct in_emit *e, int32_t builtin, uint32_t k)
{
    LLVMValueRef v = sub_group_mask(e, builtin);
    v = LLVMBuildLShr(e->b, v, LLVMConstInt(LLVMTypeOf(v), 32 * k, 0), "");
    return LLVMBuildTrunc(e->b, v, e->i32, "");
}

LLVMValueRef in_builtin(struct in_emit *e, const struct in_ty *ty, int32_t builtin)
{
    LLVMTypeRef type = in_type(e, in_element(ty));
    LLVMValueRef r = LLVMGetUndef(in_type(e, ty));
    bool is_mask = builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask;
    if (in_element(ty)->kind != IN_TY_INT || in_elements(ty) > (is_mask ? 4 : 3)) {
        in_emit_fail(e, "built-in variable %d as no vector of integers", builtin);
        return r;
    }
    for (uint32_t k = 0; k < in_elements(ty); k++) {
        LLVMValueRef v = is_mask ? mask_word(e, builtin, k) : builtin_component(e, builtin, k);
        if (!v) {
            in_emit_fail(e, "built-in variable %d", builtin);
            return r;
        }
        r = in_put(e, r, ty, LLVMBuildIntCast2(e->b, v, type, 0, ""), k);
    }
    return r;
}
