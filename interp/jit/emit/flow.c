/* Control flow, calls, barriers. [SPIRV 3.49.9, 3.49.17, 3.49.20] */
#include "interp/fault.h"
#include "interp/jit/instrument/emit_checks.h"
#include <string.h>

static LLVMBasicBlockRef block_of(struct in_emit *e, uint32_t label)
{
    return e->blocks[label];
}

void in_emit_label(struct in_emit *e, const struct in_inst *i)
{
    LLVMPositionBuilderAtEnd(e->b, block_of(e, i->result));
}

/* Incoming values are filled in when the function is complete. */
void in_emit_phi(struct in_emit *e, const struct in_inst *i)
{
    in_define(e, i, LLVMBuildPhi(e->b, in_type(e, in_emit_ty(e, i->result)), ""));
}

void in_emit_branch(struct in_emit *e, const struct in_inst *i)
{
    LLVMBuildBr(e->b, block_of(e, i->operands[0]));
}

void in_emit_branch_conditional(struct in_emit *e, const struct in_inst *i)
{
    LLVMBuildCondBr(e->b, in_value(e, i->operands[0]), block_of(e, i->operands[1]),
                    block_of(e, i->operands[2]));
}

void in_emit_switch(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *ty = in_emit_ty(e, i->operands[0]);
    uint32_t words = ty->width == 64 ? 2 : 1, n = (i->operand_count - 2) / (words + 1);
    LLVMValueRef s = LLVMBuildSwitch(e->b, in_value(e, i->operands[0]), block_of(e, i->operands[1]), n);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t *w = i->operands + 2 + k * (words + 1);
        uint64_t value = words == 2 ? (uint64_t)w[1] << 32 | w[0] : w[0];
        LLVMAddCase(s, LLVMConstInt(in_type(e, ty), value, 0), block_of(e, w[words]));
    }
}

void in_emit_return(struct in_emit *e, const struct in_inst *i)
{
    (void)i;
    LLVMBuildRetVoid(e->b);
}

void in_emit_return_value(struct in_emit *e, const struct in_inst *i)
{
    LLVMBuildRet(e->b, in_value(e, i->operands[0]));
}

/* Reaching this is undefined behavior; the work-item ends. */
void in_emit_unreachable(struct in_emit *e, const struct in_inst *i)
{
    (void)i;
    const struct in_ty *ty = e->fn->ty->element;
    if (!ty || ty->kind == IN_TY_VOID)
        LLVMBuildRetVoid(e->b);
    else
        LLVMBuildRet(e->b, LLVMConstNull(in_type(e, ty)));
}

void in_emit_call(struct in_emit *e, const struct in_inst *i)
{
    const struct in_id *id = &e->m->ids[i->operands[0]];
    const struct in_function *f = &e->m->functions[id->index];
    LLVMValueRef arguments[IN_P_COUNT + IN_MOST_PARAMETERS];
    if (id->kind != IN_ID_FUNCTION || !f->has_body || f->param_count > IN_MOST_PARAMETERS ||
        i->operand_count - 1 != f->param_count) {
        in_emit_fail(e, "a call of an undefined function");
        return;
    }
    for (uint32_t k = 0; k < IN_P_COUNT; k++)
        arguments[k] = in_param(e, k);
    for (uint32_t k = 0; k < f->param_count; k++)
        arguments[IN_P_COUNT + k] = in_value(e, i->operands[k + 1]);
    LLVMValueRef fn = e->functions[id->index];
    LLVMTypeRef type = LLVMGlobalGetValueType(fn);
    in_define(e, i, LLVMBuildCall2(e->b, type, fn, arguments, IN_P_COUNT + f->param_count, ""));
}

/* A barrier of the work-group is a call that the loops over work-items are cut at. */
void in_emit_exchange(struct in_emit *e, const char *name)
{
    LLVMTypeRef types[2] = {e->ptr, e->ptr}, type = LLVMFunctionType(e->nothing, types, 2, 0);
    LLVMValueRef fn = LLVMGetNamedFunction(e->module, name);
    if (!fn) {
        fn = LLVMAddFunction(e->module, name, type);
        in_function_attribute(e, fn, "convergent");
        in_function_attribute(e, fn, "nounwind");
        for (uint32_t k = 1; k <= 2; k++)
            in_parameter_attribute(e, fn, k, "nocapture");
    }
    LLVMValueRef arguments[2] = {in_param(e, IN_P_FRAME), in_param(e, IN_P_LOCAL)};
    LLVMBuildCall2(e->b, type, fn, arguments, 2, "");
}

void in_group_barrier(struct in_emit *e)
{
    e->barriers = true;
    in_emit_exchange(e, "in.barrier");
}

/* Others are calls (callout_lower.h). */
void in_emit_barrier(struct in_emit *e, const struct in_inst *i)
{
    in_check_barrier(e, i);
    if (!IN_FAULTY(JIT_BARRIER_DROPPED))
        in_group_barrier(e);
}

/* Between two barriers the first work-item copies with its arguments, as the interpreter does.
 * [CLC 6.15.11] */
void in_emit_async_copy(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *to = in_emit_ty(e, i->operands[1]), *from = in_emit_ty(e, i->operands[2]);
    const struct in_ty *count = in_emit_ty(e, i->operands[3]);
    LLVMValueRef bytes = LLVMConstInt(e->i64, from->element ? from->element->size : 1, 0);
    LLVMValueRef arguments[] = {in_value(e, i->operands[1]),
                                in_value(e, i->operands[2]),
                                in_widen(e, in_value(e, i->operands[3]), count, false),
                                in_widen(e, in_value(e, i->operands[4]), count, false),
                                bytes,
                                LLVMConstInt(e->i32, to->storage == SpvStorageClassWorkgroup, 0),
                                in_local_index(e)};
    if (e->options->flags & IN_JIT_INSTRUMENTED) {
        in_emit_fail(e, "an asynchronous copy in an instrumented launch");
        return;
    }
    in_group_barrier(e);
    in_helper_call(e, "in_jit_async_copy", arguments, sizeof arguments / sizeof *arguments);
    in_group_barrier(e);
    in_define(e, i, in_value(e, i->operands[5])); /* events are opaque; 0 is one, too */
}

/* Copies have been performed; other work-items may read the copied memory. */
void in_emit_wait_events(struct in_emit *e, const struct in_inst *i)
{
    (void)i;
    if (e->options->flags & IN_JIT_INSTRUMENTED)
        in_emit_fail(e, "an asynchronous copy in an instrumented launch");
    else
        in_group_barrier(e);
}

void in_emit_none(struct in_emit *e, const struct in_inst *i)
{
    (void)e;
    (void)i;
}

void in_emit_line(struct in_emit *e, const struct in_inst *i)
{
    in_emit_none(e, i);
}

void in_emit_no_line(struct in_emit *e, const struct in_inst *i)
{
    in_emit_none(e, i);
}

void in_emit_assume(struct in_emit *e, const struct in_inst *i)
{
    in_emit_none(e, i);
}

void in_emit_unsupported(struct in_emit *e, const struct in_inst *i)
{
    in_emit_fail(e, "%s", in_opcode_name(i->opcode));
}
