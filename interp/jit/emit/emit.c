/* Emitting a kernel: everything it calls, then the function `item` that reads the arguments of the launch. */
#include "interp/jit/instrument/emit_checks.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 100000 };

bool in_emit_fail(struct in_emit *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!e->failure.failed)
        vsnprintf(e->failure.why, e->failure.size, format, list);
    va_end(list);
    e->failure.failed = true;
    return false;
}

LLVMValueRef in_param(const struct in_emit *e, uint32_t index)
{
    return LLVMGetParam(e->function, index);
}

/* ---- helpers of the bitcode -------------------------------------------------------------- */

static LLVMValueRef declare_helper(struct in_emit *e, const char *name)
{
    LLVMValueRef fn = LLVMGetNamedFunction(e->module, name);
    if (fn)
        return fn;
    LLVMValueRef model = LLVMGetNamedFunction(e->builtins, name);
    if (!model) {
        in_emit_fail(e, "no function %s", name);
        return NULL;
    }
    return LLVMAddFunction(e->module, name, LLVMGlobalGetValueType(model));
}

/* Narrow integers are passed zero-extended: all of the helpers' are unsigned. */
LLVMValueRef in_helper_call(struct in_emit *e, const char *name, LLVMValueRef *arguments, unsigned count)
{
    LLVMValueRef fn = declare_helper(e, name);
    if (!fn)
        return LLVMGetUndef(e->i32);
    LLVMValueRef call = LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, arguments, count, "");
    unsigned kind = LLVMGetEnumAttributeKindForName("zeroext", 7);
    for (unsigned k = 0; k < count; k++) {
        LLVMTypeRef type = LLVMTypeOf(arguments[k]);
        if (type == e->i8 || type == e->i16)
            LLVMAddCallSiteAttribute(call, k + 1, LLVMCreateEnumAttribute(e->c, kind, 0));
    }
    return call;
}

LLVMValueRef in_intrinsic(struct in_emit *e, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                          unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->c, id, &type, 1), fn, arguments, count, "");
}

/* ---- functions --------------------------------------------------------------------------- */

void in_parameter_attribute(struct in_emit *e, LLVMValueRef fn, LLVMAttributeIndex at, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(e->c, kind, 0));
}

void in_function_attribute(struct in_emit *e, LLVMValueRef fn, const char *name)
{
    in_parameter_attribute(e, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name);
}

static void common_parameters(struct in_emit *e, LLVMTypeRef *types)
{
    types[IN_P_FRAME] = types[IN_P_LOCAL] = e->ptr;
    for (uint32_t k = IN_P_GROUP; k < IN_P_COUNT; k++)
        types[k] = e->i32;
}

static LLVMValueRef add_function(struct in_emit *e, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMAddFunction(e->module, name, type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    in_function_attribute(e, fn, "alwaysinline");
    in_function_attribute(e, fn, "nounwind");
    return fn;
}

static void declare_function(struct in_emit *e, uint32_t index)
{
    const struct in_function *f = &e->m->functions[index];
    LLVMTypeRef types[IN_P_COUNT + IN_MOST_PARAMETERS];
    if (f->param_count > IN_MOST_PARAMETERS) {
        in_emit_fail(e, "a function of %u parameters", f->param_count);
        return;
    }
    common_parameters(e, types);
    for (uint32_t k = 0; k < f->param_count; k++)
        types[IN_P_COUNT + k] = in_type(e, in_emit_ty(e, f->params[k]));
    const struct in_ty *result = f->ty->element;
    LLVMTypeRef type =
        LLVMFunctionType(result ? in_type(e, result) : e->nothing, types, IN_P_COUNT + f->param_count, 0);
    char name[32];
    snprintf(name, sizeof name, "function.%u", index);
    e->functions[index] = add_function(e, name, type);
}

static void make_blocks(struct in_emit *e)
{
    struct in_inst i;
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->c, e->function, "entry"), first = NULL;
    for (uint32_t at = e->fn->word; at < e->fn->end; at += i.count) {
        in_inst_at(e->m, at, &i);
        if (i.opcode != SpvOpLabel)
            continue;
        e->blocks[i.result] = LLVMAppendBasicBlockInContext(e->c, e->function, "");
        first = !first ? e->blocks[i.result] : first;
    }
    LLVMPositionBuilderAtEnd(e->b, entry);
    if (first)
        LLVMBuildBr(e->b, first);
}

static void complete_phis(struct in_emit *e)
{
    struct in_inst i;
    for (uint32_t at = e->fn->word; at < e->fn->end && !e->failure.failed; at += i.count) {
        in_inst_at(e->m, at, &i);
        if (i.opcode != SpvOpPhi)
            continue;
        for (uint32_t k = 0; k + 1 < i.operand_count; k += 2) {
            LLVMBasicBlockRef from = e->blocks[i.operands[k + 1]];
            LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(from));
            LLVMValueRef v = in_value(e, i.operands[k]);
            LLVMAddIncoming(e->values[i.result], &v, &from, 1);
        }
    }
}

static void emit_function(struct in_emit *e, uint32_t index)
{
    struct in_inst i;
    e->fn = &e->m->functions[index];
    e->function = e->functions[index];
    for (uint32_t k = 0; k < e->fn->param_count; k++)
        e->values[e->fn->params[k]] = LLVMGetParam(e->function, IN_P_COUNT + k);
    make_blocks(e);
    for (uint32_t at = e->fn->word; at < e->fn->end && !e->failure.failed; at += i.count) {
        in_inst_at(e->m, at, &i);
        e->inst = &i;
        if (i.opcode == SpvOpFunction || i.opcode == SpvOpFunctionParameter || i.opcode == SpvOpFunctionEnd)
            continue;
        in_check_instruction(e, &i);
        if (!in_emit_callout(e, &i))
            in_emit_entry(i.opcode)(e, &i);
    }
    e->inst = NULL;
    if (!e->failure.failed)
        complete_phis(e);
}

/* ---- the kernel -------------------------------------------------------------------------- */

void in_emit_lay_out(struct in_emit *e)
{
    const struct in_code *code = e->kernel->code;
    const struct in_kernel_info *info = &e->kernel->info;
    bool apart = e->calls->any || (e->options->flags & IN_JIT_INSTRUMENTED); /* no variable begins at 0 */
    uint64_t at = apart ? IN_JIT_CALLOUT_BYTES : 0;
    for (uint32_t k = 0; k < code->locals.count; k++) {
        const struct in_global *g = &e->m->globals[code->locals.list[k]];
        uint64_t align = g->align > 128 ? g->align : 128;
        at = (at + align - 1) / align * align;
        e->local_offsets[code->locals.list[k]] = at;
        at += g->ty->size;
    }
    e->layout->local_bytes = at;
    at = 0;
    for (uint32_t k = 0; k < info->argument_count; k++) {
        e->layout->argument_offsets[k] = at;
        at += (info->arguments[k].kind == IN_ARG_VALUE ? info->arguments[k].size + UINT64_C(15) : 16) &
              ~UINT64_C(15);
    }
    e->layout->argument_bytes = at;
}

/* The value of argument K in the work-item function. */
static LLVMValueRef argument_value(struct in_emit *e, uint32_t k, LLVMValueRef base)
{
    const struct in_function *f = &e->m->functions[e->kernel->function];
    const struct in_ty *ty = in_emit_ty(e, f->params[k]);
    const struct in_argument_info *info = &e->kernel->info.arguments[k];
    LLVMValueRef at = in_offset(e, base, e->layout->argument_offsets[k]);
    if (info->kind == IN_ARG_VALUE && ty->kind == IN_TY_POINTER && ty->element) {
        LLVMValueRef copy = in_alloca(e, ty->element->size, ty->element->align);
        LLVMBuildMemCpy(e->b, copy, (unsigned)ty->element->align, at, 16,
                        LLVMConstInt(e->i64, info->size, 0));
        return copy;
    }
    if (info->kind == IN_ARG_VALUE &&
        (ty->kind == IN_TY_STRUCT || ty->kind == IN_TY_ARRAY || ty->kind == IN_TY_BOOL))
        return in_load(e, ty, at, 16, SpvStorageClassFunction, false);
    if (info->kind == IN_ARG_VALUE)
        return in_constant_load(e, in_type(e, ty), at, 16);
    uint16_t format = k < IN_JIT_FORMATS ? e->options->formats[k] : 0;
    if (info->kind == IN_ARG_SAMPLER && format != 0)
        return LLVMConstInt(in_type(e, ty), IN_JIT_LITERAL_SAMPLER | (format - 1u), 0);
    if (info->kind != IN_ARG_LOCAL) {
        LLVMValueRef loaded = in_constant_load(e, in_type(e, ty), at, 16);
        if (info->kind == IN_ARG_IMAGE && format != 0)
            in_mark_image_format(e, loaded, format);
        return loaded;
    }
    LLVMValueRef word = in_constant_load(e, e->i64, at, 16);
    return LLVMBuildGEP2(e->b, e->i8, in_param(e, IN_P_LOCAL), &word, 1, "");
}

static void emit_item(struct in_emit *e)
{
    LLVMTypeRef types[IN_P_COUNT];
    const struct in_function *f = &e->m->functions[e->kernel->function];
    LLVMValueRef arguments[IN_P_COUNT + IN_MOST_PARAMETERS];
    common_parameters(e, types);
    e->function = add_function(e, "item", LLVMFunctionType(e->nothing, types, IN_P_COUNT, 0));
    LLVMSetLinkage(e->function, LLVMExternalLinkage); /* until the loops around it are made */
    in_parameter_attribute(e, e->function, IN_P_FRAME + 1, "noalias");
    in_parameter_attribute(e, e->function, IN_P_LOCAL + 1, "noalias");
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->c, e->function, "entry"));
    for (uint32_t k = 0; k < IN_P_COUNT; k++)
        arguments[k] = in_param(e, k);
    LLVMValueRef base =
        in_frame_pointer(e, offsetof(struct in_jit_frame, arguments), e->layout->argument_bytes);
    for (uint32_t k = 0; k < f->param_count && !e->failure.failed; k++)
        arguments[IN_P_COUNT + k] = argument_value(e, k, base);
    LLVMValueRef fn = e->functions[e->kernel->function];
    LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, arguments, IN_P_COUNT + f->param_count, "");
    in_emit_end(e);
    LLVMBuildRetVoid(e->b);
}

static void basic_types(struct in_emit *e)
{
    e->i1 = LLVMInt1TypeInContext(e->c);
    e->i8 = LLVMInt8TypeInContext(e->c);
    e->i16 = LLVMInt16TypeInContext(e->c);
    e->i32 = LLVMInt32TypeInContext(e->c);
    e->i64 = LLVMInt64TypeInContext(e->c);
    e->f32 = LLVMFloatTypeInContext(e->c);
    e->f64 = LLVMDoubleTypeInContext(e->c);
    e->ptr = LLVMPointerTypeInContext(e->c, 0);
    e->nothing = LLVMVoidTypeInContext(e->c);
}

bool in_emit_kernel(struct in_emit *e)
{
    basic_types(e);
    if (e->calls->instructions > MOST_INSTRUCTIONS)
        in_emit_fail(e, "%llu instructions once calls are inlined",
                     (unsigned long long)e->calls->instructions);
    for (uint32_t k = 0; k < e->m->function_count && !e->failure.failed; k++)
        if (e->calls->reached[k])
            declare_function(e, k);
    if (!e->failure.failed &&
        e->kernel->info.argument_count != e->m->functions[e->kernel->function].param_count)
        in_emit_fail(e, "parameters and arguments differ");
    for (uint32_t k = 0; k < e->m->function_count && !e->failure.failed; k++)
        if (e->functions[k])
            emit_function(e, k);
    if (!e->failure.failed)
        emit_item(e);
    return !e->failure.failed;
}
