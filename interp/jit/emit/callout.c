/* Instructions that the interpreter's C functions execute (callout_lower.h): operands are stored to a frame,
 * the result is loaded from it.  Work-items that execute one together leave their operands, wait for one
 * another, and one of them has the results computed. */
#include "interp/jit/run/callout.h"
#include "interp/exec/reduction.h"
#include "interp/jit/emit/emit.h"
#include "interp/jit/instrument/emit_checks.h"
#include "interp/lower/entries.h"
#include "interp/lower/lower.h"

static const char unchecked[] = "calls of the interpreter's functions in an instrumented launch";

/* ---- frames ------------------------------------------------------------------------------ */

static LLVMValueRef callout_context(struct in_emit *e)
{
    return in_constant_load(e, e->ptr, in_param(e, IN_P_LOCAL), 8);
}

static LLVMValueRef load_field(struct in_emit *e, LLVMTypeRef type, uint64_t offset)
{
    return in_constant_load(e, type, in_offset(e, callout_context(e), offset), 8);
}

static void to_frame(struct in_emit *e, LLVMValueRef frame, const struct in_jit_slot *s)
{
    const struct in_ty *ty = in_emit_ty(e, s->id);
    LLVMValueRef at = in_offset(e, frame, (uint64_t)s->slot), v = in_value(e, s->id);
    if (ty->kind == IN_TY_POINTER) {
        LLVMValueRef object = load_field(e, e->ptr, offsetof(struct in_jit_callout, everything));
        LLVMBuildStore(e->b, object, in_offset(e, at, offsetof(struct in_fat, object)));
    }
    in_store(e, ty, v, at, ty->align < 8 ? ty->align : 8, SpvStorageClassFunction, false);
}

static void operands_to_frame(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call,
                              LLVMValueRef frame)
{
    for (uint32_t k = 0; k < call->count; k++) {
        const struct in_jit_slot *s = &e->calls->slots[call->first + k];
        if (s->id != i->result)
            to_frame(e, frame, s);
    }
}

static void result_from_frame(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call,
                              LLVMValueRef frame)
{
    const struct in_ty *ty = in_emit_ty(e, i->result);
    for (uint32_t k = 0; k < call->count && i->result != 0; k++) {
        const struct in_jit_slot *s = &e->calls->slots[call->first + k];
        if (s->id == i->result && ty->kind != IN_TY_VOID)
            in_define(e, i,
                      in_load(e, ty, in_offset(e, frame, (uint64_t)s->slot), ty->align < 8 ? ty->align : 8,
                              SpvStorageClassFunction, false));
    }
}

/* ---- calls ------------------------------------------------------------------------------- */

enum { WHO = 6, HEAD = 3 };

/* The callout frame, HEAD, and the ids of the work-item; returns how many. */
static uint32_t callout_arguments(struct in_emit *e, LLVMValueRef *head, uint32_t heads,
                                  LLVMValueRef arguments[HEAD + WHO])
{
    arguments[0] = callout_context(e);
    for (uint32_t k = 0; k < heads; k++)
        arguments[k + 1] = head[k];
    for (uint32_t k = 0; k < WHO; k++)
        arguments[heads + 1 + k] = in_param(e, k < 3 ? IN_P_GROUP + k : IN_P_ITEM + k - 3);
    return heads + 1 + WHO;
}

/* Calls the function at OFFSET of struct in_jit_callout with itself, HEAD, and the ids of the work-item. */
static LLVMValueRef call_out(struct in_emit *e, uint64_t offset, LLVMValueRef *head, uint32_t heads)
{
    LLVMValueRef arguments[HEAD + WHO];
    LLVMTypeRef types[HEAD + WHO];
    callout_arguments(e, head, heads, arguments);
    for (uint32_t k = 0; k < heads + 1 + WHO; k++)
        types[k] = LLVMTypeOf(arguments[k]);
    LLVMTypeRef type = LLVMFunctionType(e->nothing, types, heads + 1 + WHO, 0);
    return LLVMBuildCall2(e->b, type, load_field(e, e->ptr, offset), arguments, heads + 1 + WHO, "");
}

/* Other work-items can neither be seen through the call nor see it. */
static void mark_quiet(struct in_emit *e, LLVMValueRef call)
{
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateStringAttribute(e->c, "quiet", 5, "", 0));
}

static LLVMValueRef call_number(struct in_emit *e, const struct in_jit_call *call)
{
    return LLVMConstInt(e->i32, (uint64_t)(call - e->calls->calls), 0);
}

static void call_alone(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call,
                       bool is_quiet)
{
    LLVMValueRef frame = in_alloca(e, call->frame_bytes, 128), head[2] = {call_number(e, call), frame};
    operands_to_frame(e, i, call, frame);
    LLVMValueRef arguments[HEAD + WHO];
    uint32_t count = callout_arguments(e, head, 2, arguments);
    if (!in_inline_image_access(e, i, call, arguments, count)) {
        LLVMValueRef made = call_out(e, offsetof(struct in_jit_callout, call), head, 2);
        if (is_quiet)
            mark_quiet(e, made);
        result_from_frame(e, i, call, frame);
    }
}

/* That of work-item INDEX among the frames of its group. */
static LLVMValueRef frame_of(struct in_emit *e, LLVMValueRef index)
{
    LLVMValueRef size = LLVMConstInt(e->i64, e->calls->frame_bytes, 0);
    LLVMValueRef at = LLVMBuildMul(e->b, index, size, "");
    LLVMValueRef frames = load_field(e, e->ptr, offsetof(struct in_jit_callout, frames));
    return LLVMBuildGEP2(e->b, e->i8, frames, &at, 1, "");
}

static LLVMValueRef own_frame(struct in_emit *e)
{
    return frame_of(e, in_local_index(e));
}

/* The frames have the operands: compares the id to broadcast from with that of the first work-item of the
 * work-group or sub-group. */
static void check_first_id(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call)
{
    uint64_t scope = SpvScopeSubgroup;
    LLVMValueRef id = in_value(e, i->operands[2]), first = LLVMConstInt(e->i64, 0, 0);
    const struct in_ty *ty = in_emit_ty(e, i->operands[2]), count = {.kind = IN_TY_INT, .size = 4};
    if (LLVMIsConstant(id))
        return;
    if (!in_constant_u64(e->m, i->operands[0], &scope) || scope != SpvScopeWorkgroup) {
        LLVMValueRef own = in_builtin(e, &count, SpvBuiltInSubgroupLocalInvocationId);
        first = LLVMBuildSub(e->b, in_local_index(e), LLVMBuildZExt(e->b, own, e->i64, ""), "");
    }
    for (uint32_t k = 0; k < call->count; k++) {
        const struct in_jit_slot *s = &e->calls->slots[call->first + k];
        LLVMValueRef at =
            s->id == i->operands[2] ? in_offset(e, frame_of(e, first), (uint64_t)s->slot) : NULL;
        if (at)
            in_check_same_id(
                e, id, in_load(e, ty, at, ty->align < 8 ? ty->align : 8, SpvStorageClassFunction, false));
    }
}

static void call_waiting(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call)
{
    LLVMValueRef frame = own_frame(e), head[2] = {call_number(e, call), frame};
    operands_to_frame(e, i, call, frame);
    call_out(e, offsetof(struct in_jit_callout, wait), head, 2);
    in_emit_exchange(e, "in.exchange");
    result_from_frame(e, i, call, frame);
}

/* Between two barriers the first work-item has the results computed for all. */
static void call_together(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call)
{
    LLVMValueRef head[1] = {call_number(e, call)};
    operands_to_frame(e, i, call, own_frame(e));
    in_group_barrier(e);
    if (i->opcode == SpvOpGroupBroadcast && e->options->flags & IN_JIT_INSTRUMENTED)
        check_first_id(e, i, call);
    mark_quiet(e, call_out(e, offsetof(struct in_jit_callout, gather), head, 1));
    in_group_barrier(e);
    result_from_frame(e, i, call, own_frame(e));
}

/* Functions of work-groups and sub-groups read and write their frames alone, but those of pipes. */
static bool is_checkable(const struct in_emit *e, const struct in_inst *i)
{
    in_lower_fn family = in_lower_entry(i->opcode);
    bool reads_frames = i->opcode == SpvOpGroupAll || i->opcode == SpvOpGroupAny ||
                        i->opcode == SpvOpGroupBroadcast || in_reduction_find(i->opcode) ||
                        family == in_lower_non_uniform || family == in_lower_sub_group_legacy;
    return reads_frames && !e->calls->fibers;
}

static void call_checked(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call)
{
    if (in_checked_image_access(e, i))
        return;
    if (!is_checkable(e, i)) {
        in_emit_fail(e, unchecked);
        return;
    }
    in_check_broadcast(e, i);
    call_together(e, i, call);
}

bool in_emit_callout(struct in_emit *e, const struct in_inst *i)
{
    const struct in_jit_call *call = in_jit_call_at(e->calls, i->word);
    if (!call)
        return false;
    if (in_inline_image_query(e, i))
        return true;
    if (e->options->flags & IN_JIT_INSTRUMENTED) {
        call_checked(e, i, call);
        return true;
    }
    enum in_jit_call_kind sort = in_jit_call_kind(e->m, i);
    if (e->calls->code.insns[call - e->calls->calls].op != IN_WAIT)
        call_alone(e, i, call, sort == IN_JIT_UNORDERED);
    else if (e->calls->fibers)
        call_waiting(e, i, call);
    else if (in_lower_entry(i->opcode) == in_lower_barrier) /* of sub-groups */
        in_group_barrier(e);
    else
        call_together(e, i, call);
    return true;
}

/* Where others may wait for this work-item, its end counts. */
void in_emit_end(struct in_emit *e)
{
    if (e->calls->fibers)
        call_out(e, offsetof(struct in_jit_callout, done), NULL, 0);
}

/* ---- address spaces ---------------------------------------------------------------------- */

static LLVMValueRef is_region(struct in_emit *e, LLVMValueRef pointer, enum mm_region wanted)
{
    LLVMValueRef arguments[2] = {callout_context(e), LLVMBuildPtrToInt(e->b, pointer, e->i64, "")};
    LLVMTypeRef types[2] = {e->ptr, e->i64}, type = LLVMFunctionType(e->i32, types, 2, 0);
    LLVMValueRef fn = load_field(e, e->ptr, offsetof(struct in_jit_callout, region));
    if (e->options->flags & IN_JIT_INSTRUMENTED)
        in_emit_fail(e, unchecked);
    LLVMValueRef r = LLVMBuildCall2(e->b, type, fn, arguments, 2, "");
    mark_quiet(e, r);
    return LLVMBuildICmp(e->b, LLVMIntEQ, r, LLVMConstInt(e->i32, (uint64_t)wanted, 0), "");
}

/* to_global, to_local, to_private: null unless the pointer points there. [CLC 6.15.10] */
void in_emit_cast_explicit(struct in_emit *e, const struct in_inst *i)
{
    uint32_t storage = in_emit_ty(e, i->result)->storage;
    LLVMValueRef pointer = in_value(e, i->operands[0]);
    enum mm_region wanted = storage == SpvStorageClassWorkgroup  ? MM_LOCAL
                            : storage == SpvStorageClassFunction ? MM_PRIVATE
                                                                 : MM_GLOBAL;
    in_define(e, i, LLVMBuildSelect(e->b, is_region(e, pointer, wanted), pointer, LLVMConstNull(e->ptr), ""));
}

void in_emit_mem_semantics(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef pointer = in_value(e, i->operands[0]), none = LLVMConstInt(e->i32, 0, 0);
    LLVMValueRef local = LLVMConstInt(e->i32, SpvMemorySemanticsWorkgroupMemoryMask, 0);
    LLVMValueRef global = LLVMConstInt(e->i32, SpvMemorySemanticsCrossWorkgroupMemoryMask, 0);
    LLVMValueRef r = LLVMBuildSelect(e->b, is_region(e, pointer, MM_PRIVATE), none, global, "");
    in_define(e, i, LLVMBuildSelect(e->b, is_region(e, pointer, MM_LOCAL), local, r, ""));
}

/* An image and a sampler, the image in the lower half. */
void in_emit_sampled_image(struct in_emit *e, const struct in_inst *i)
{
    LLVMTypeRef type = in_type(e, in_emit_ty(e, i->result));
    LLVMValueRef image = LLVMBuildZExt(e->b, in_value(e, i->operands[0]), type, "");
    LLVMValueRef sampler = LLVMBuildZExt(e->b, in_value(e, i->operands[1]), type, "");
    sampler = LLVMBuildShl(e->b, sampler, LLVMConstInt(type, 64, 0), "");
    in_define(e, i, LLVMBuildOr(e->b, sampler, image, ""));
}
