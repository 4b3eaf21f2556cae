/* Conversions and bitcasts. [SPIRV 3.49.11], [CLC 6.4].  Common ones are LLVM's own instructions; the rest
 * call the interpreter's conversion functions by name. */
#include "interp/jit/emit/emit.h"
#include "interp/module/conversion.h"
#include <stdio.h>

/* The interpreter's function for one element, through memory: in_convert.FROM.TO.MODE. */
static LLVMValueRef call_convert(struct in_emit *e, LLVMValueRef x, LLVMTypeRef to, enum in_type from_type,
                                 enum in_type to_type, enum in_rounding rounding)
{
    char name[64];
    snprintf(name, sizeof name, "in_convert.%d.%d.%d", from_type, to_type, rounding);
    LLVMTypeRef parameters[2] = {e->ptr, e->ptr}, type = LLVMFunctionType(e->nothing, parameters, 2, 0);
    LLVMValueRef fn = LLVMGetNamedFunction(e->module, name);
    if (!fn)
        fn = LLVMAddFunction(e->module, name, type);
    LLVMValueRef memory[2] = {in_alloca(e, 8, 8), in_alloca(e, 8, 8)};
    LLVMBuildStore(e->b, x, memory[0]);
    LLVMBuildCall2(e->b, type, fn, memory, 2, "");
    return LLVMBuildLoad2(e->b, to, memory[1], "");
}

static LLVMValueRef each_convert(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                                 const struct in_ty *to, enum in_type from_type, enum in_type to_type,
                                 enum in_rounding rounding)
{
    LLVMValueRef r = LLVMGetUndef(in_type(e, to));
    for (uint32_t k = 0; k < in_elements(from); k++)
        r = in_put(
            e, r, to,
            call_convert(e, in_get(e, x, from, k), in_type(e, in_element(to)), from_type, to_type, rounding),
            k);
    return r;
}

LLVMValueRef in_convert_half(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                             const struct in_ty *to, enum in_rounding rounding)
{
    const struct in_ty *s = in_element(from), *t = in_element(to);
    if (s->width == 16 && t->width == 32)
        return in_half_out(e, x);
    if (s->width == 16 && t->width == 64)
        return LLVMBuildFPExt(e->b, in_half_out(e, x), in_type(e, to), "");
    if (s->width == 32 && rounding == IN_RTE)
        return in_half_in(e, x);
    return each_convert(e, x, from, to, in_conversion_type(s, false), IN_F16, rounding);
}

static LLVMValueRef float_to_float(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                                   const struct in_ty *to, enum in_rounding rounding)
{
    const struct in_ty *s = in_element(from), *t = in_element(to);
    if (s->width == t->width)
        return x;
    if (s->width == 16 || t->width == 16)
        return in_convert_half(e, x, from, to, rounding);
    if (s->width < t->width)
        return LLVMBuildFPExt(e->b, x, in_type(e, to), "");
    if (rounding == IN_RTE)
        return LLVMBuildFPTrunc(e->b, x, in_type(e, to), "");
    return each_convert(e, x, from, to, in_conversion_type(s, false), in_conversion_type(t, false), rounding);
}

static LLVMValueRef round_to(struct in_emit *e, LLVMValueRef x, enum in_rounding rounding)
{
    static const char *const names[] = {
        [IN_RTE] = "llvm.rint", [IN_RTZ] = "llvm.trunc", [IN_RTP] = "llvm.ceil", [IN_RTN] = "llvm.floor"};
    return in_intrinsic(e, names[rounding], LLVMTypeOf(x), &x, 1);
}

/* Brought to what the integers of TO hold, which are numbers of X's type; NaN is 0. [CLC 6.4.3.3] */
static LLVMValueRef clamp_to_type(struct in_emit *e, LLVMValueRef x, const struct in_ty *to, bool sign)
{
    uint32_t width = in_element(to)->width;
    double least = sign ? -(double)(1 << (width - 1)) : 0,
           most = (double)(1 << (sign ? width - 1 : width)) - 1;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef low = LLVMConstReal(type, least), high = LLVMConstReal(type, most),
                 none = LLVMConstReal(type, 0);
    x = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, x, x, ""), none, x, "");
    x = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, x, low, ""), low, x, "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, x, high, ""), high, x, "");
}

/* Out of range the result is any value, but one: it is frozen. */
static LLVMValueRef float_to_int(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                                 const struct in_ty *to, bool sign, enum in_rounding rounding, bool saturate)
{
    const struct in_ty *s = in_element(from), *t = in_element(to);
    LLVMTypeRef type = in_type(e, to);
    if (s->width == 16)
        x = in_half_out(e, x);
    if (rounding != IN_RTZ)
        x = round_to(e, x, rounding);
    if (saturate && t->width < 32) {
        x = clamp_to_type(e, x, to, sign);
    } else if (saturate) {
        const char *name = sign ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
        LLVMTypeRef types[2] = {type, LLVMTypeOf(x)}, in = LLVMTypeOf(x);
        unsigned id = LLVMLookupIntrinsicID(name, 15);
        LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
        return LLVMBuildCall2(e->b, LLVMFunctionType(type, &in, 1, 0), fn, &x, 1, "");
    }
    LLVMTypeRef wide = t->width < 32 ? in_type_like(e, e->i32, to) : type;
    LLVMValueRef r =
        sign || t->width < 32 ? LLVMBuildFPToSI(e->b, x, wide, "") : LLVMBuildFPToUI(e->b, x, wide, "");
    r = LLVMBuildFreeze(e->b, r, "");
    return t->width < 32 ? LLVMBuildTrunc(e->b, r, type, "") : r;
}

static LLVMValueRef int_to_float(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                                 const struct in_ty *to, bool sign, enum in_rounding rounding)
{
    const struct in_ty *s = in_element(from), *t = in_element(to);
    bool exact = s->width < (t->width == 64   ? 64
                             : t->width == 32 ? 32
                                              : 0) &&
                 s->width <= (t->width == 64 ? 32u : 16u);
    if (t->width == 16 || (rounding != IN_RTE && !exact))
        return each_convert(e, x, from, to, in_conversion_type(s, sign), in_conversion_type(t, false),
                            rounding);
    return sign ? LLVMBuildSIToFP(e->b, x, in_type(e, to), "") : LLVMBuildUIToFP(e->b, x, in_type(e, to), "");
}

static LLVMValueRef limit_value(struct in_emit *e, LLVMValueRef x, const char *name, int64_t limit)
{
    LLVMValueRef arguments[2] = {x, in_int(e, LLVMTypeOf(x), (uint64_t)limit)};
    return in_intrinsic(e, name, LLVMTypeOf(x), arguments, 2);
}

/* Clamped to the range of TO where FROM exceeds it. [CLC 6.4.3.3] */
static LLVMValueRef saturate_value(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                                   const struct in_ty *to, const struct in_conversion *c)
{
    uint32_t s = from->width, t = to->width;
    int64_t most = c->to_signed ? INT64_MAX >> (64 - t) : (int64_t)(UINT64_MAX >> (64 - t));
    if (!c->from_signed)
        return t < s || (t == s && c->to_signed) ? limit_value(e, x, "llvm.umin", most) : x;
    if (!c->to_signed || t < s)
        x = limit_value(e, x, "llvm.smax", c->to_signed ? INT64_MIN >> (64 - t) : 0);
    return t < s ? limit_value(e, x, "llvm.smin", most) : x;
}

static LLVMValueRef int_to_int(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                               const struct in_ty *to, const struct in_conversion *c, bool saturate)
{
    const struct in_ty *s = in_element(from), *t = in_element(to);
    if (saturate)
        x = saturate_value(e, x, s, t, c);
    return s->width == t->width ? x : LLVMBuildIntCast2(e->b, x, in_type(e, to), c->from_signed, "");
}

void in_emit_convert(struct in_emit *e, const struct in_inst *i)
{
    const struct in_conversion *c = in_conversion_of(i->opcode);
    const struct in_ty *from = in_emit_ty(e, i->operands[0]), *to = in_emit_ty(e, i->result);
    const struct in_id *id = &e->m->ids[i->result];
    bool saturate = c->saturate || id->saturated;
    enum in_rounding rounding = in_conversion_rounding(c, id);
    LLVMValueRef x = in_value(e, i->operands[0]), r;
    if (c->from_float)
        r = c->to_float ? float_to_float(e, x, from, to, rounding)
                        : float_to_int(e, x, from, to, c->to_signed, rounding, saturate);
    else
        r = c->to_float ? int_to_float(e, x, from, to, c->from_signed, rounding)
                        : int_to_int(e, x, from, to, c, saturate);
    in_define(e, i, r);
}

void in_emit_alias(struct in_emit *e, const struct in_inst *i)
{
    in_define(e, i, in_value(e, i->operands[0]));
}

void in_emit_ptr_to_int(struct in_emit *e, const struct in_inst *i)
{
    in_define(e, i,
              LLVMBuildPtrToInt(e->b, in_value(e, i->operands[0]), in_type(e, in_emit_ty(e, i->result)), ""));
}

void in_emit_int_to_ptr(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = in_value(e, i->operands[0]);
    if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind) {
        in_emit_fail(e, "a pointer from a vector");
        return;
    }
    in_define(e, i, LLVMBuildIntToPtr(e->b, x, e->ptr, ""));
}

void in_emit_bitcast(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *from = in_emit_ty(e, i->operands[0]), *to = in_emit_ty(e, i->result);
    if (from->kind == IN_TY_POINTER && to->kind == IN_TY_POINTER)
        in_emit_alias(e, i);
    else if (to->kind == IN_TY_POINTER)
        in_emit_int_to_ptr(e, i);
    else if (from->kind == IN_TY_POINTER)
        in_emit_ptr_to_int(e, i);
    else if (from->access != to->access)
        in_emit_fail(e, "a bitcast between different sizes");
    else
        in_define(e, i, LLVMBuildBitCast(e->b, in_value(e, i->operands[0]), in_type(e, to), ""));
}
