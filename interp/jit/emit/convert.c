/* Conversions and bitcasts. [SPIRV 3.49.11], [CLC 6.4].  Adjacent magnitudes of a float or half are adjacent
 * integers: what LLVM rounds to nearest is at most 1 from the result of another rounding mode. */
#include "interp/jit/emit/emit.h"
#include "interp/module/conversion.h"

static LLVMValueRef as_bits(struct in_emit *e, LLVMValueRef x, const struct in_ty *shape, uint32_t width)
{
    LLVMTypeRef element = width == 16 ? e->i16 : width == 32 ? e->i32 : e->i64;
    return LLVMBuildBitCast(e->b, x, in_type_like(e, element, shape), "");
}

static LLVMValueRef magnitude_of(struct in_emit *e, LLVMValueRef x)
{
    return in_intrinsic(e, "llvm.fabs", LLVMTypeOf(x), &x, 1);
}

static LLVMValueRef extend_flag(struct in_emit *e, LLVMValueRef flag, LLVMValueRef as)
{
    return LLVMBuildZExt(e->b, flag, LLVMTypeOf(as), "");
}

/* Whether ROUNDING goes away from zero, where NEGATIVE has the signs. */
static LLVMValueRef is_away(struct in_emit *e, LLVMValueRef negative, enum in_rounding rounding)
{
    return rounding == IN_RTP   ? LLVMBuildNot(e->b, negative, "")
           : rounding == IN_RTN ? negative
                                : LLVMConstNull(LLVMTypeOf(negative));
}

/* BITS, which are EXACT rounded to nearest, rounded as ROUNDING says; ROUNDED is the same number in EXACT's
 * type.  NaNs are neither larger nor smaller, and so remain. */
static LLVMValueRef round_bits(struct in_emit *e, LLVMValueRef bits, LLVMValueRef rounded, LLVMValueRef exact,
                               enum in_rounding rounding)
{
    LLVMValueRef r = magnitude_of(e, rounded), x = magnitude_of(e, exact);
    LLVMValueRef above = LLVMBuildFCmp(e->b, LLVMRealOGT, r, x, ""),
                 below = LLVMBuildFCmp(e->b, LLVMRealOLT, r, x, "");
    LLVMValueRef negative = LLVMBuildFCmp(e->b, LLVMRealOLT, exact, LLVMConstNull(LLVMTypeOf(exact)), "");
    LLVMValueRef away = is_away(e, negative, rounding);
    above = LLVMBuildAnd(e->b, above, LLVMBuildNot(e->b, away, ""), "");
    below = LLVMBuildAnd(e->b, below, away, "");
    bits = LLVMBuildAdd(e->b, bits, extend_flag(e, below, bits), "");
    return LLVMBuildSub(e->b, bits, extend_flag(e, above, bits), "");
}

/* A double as a float that rounds to a half as the double does: truncated, with the last bit set if that is
 * inexact. */
static LLVMValueRef round_to_odd(struct in_emit *e, LLVMValueRef x, const struct in_ty *shape)
{
    LLVMTypeRef single = in_type_like(e, e->f32, shape);
    LLVMValueRef r = LLVMBuildFPTrunc(e->b, x, single, "");
    LLVMValueRef back = LLVMBuildFPExt(e->b, r, LLVMTypeOf(x), "");
    LLVMValueRef bits = round_bits(e, as_bits(e, r, shape, 32), back, x, IN_RTZ);
    LLVMValueRef inexact = LLVMBuildFCmp(e->b, LLVMRealONE, back, x, "");
    return LLVMBuildBitCast(e->b, LLVMBuildOr(e->b, bits, extend_flag(e, inexact, bits), ""), single, "");
}

static LLVMValueRef float_to_half(struct in_emit *e, LLVMValueRef x, enum in_rounding rounding)
{
    LLVMValueRef r = in_half_in(e, x);
    return rounding == IN_RTE ? r : round_bits(e, r, in_half_out(e, r), x, rounding);
}

LLVMValueRef in_convert_half(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                             const struct in_ty *to, enum in_rounding rounding)
{
    const struct in_ty *s = in_element(from), *t = in_element(to);
    if (s->width == 16 && t->width == 32)
        return in_half_out(e, x);
    if (s->width == 16 && t->width == 64)
        return LLVMBuildFPExt(e->b, in_half_out(e, x), in_type(e, to), "");
    return float_to_half(e, s->width == 64 ? round_to_odd(e, x, to) : x, rounding);
}

static LLVMValueRef double_to_float(struct in_emit *e, LLVMValueRef x, const struct in_ty *to,
                                    enum in_rounding rounding)
{
    LLVMValueRef r = LLVMBuildFPTrunc(e->b, x, in_type(e, to), "");
    if (rounding == IN_RTE)
        return r;
    LLVMValueRef back = LLVMBuildFPExt(e->b, r, LLVMTypeOf(x), "");
    LLVMValueRef bits = round_bits(e, as_bits(e, r, to, 32), back, x, rounding);
    return LLVMBuildBitCast(e->b, bits, LLVMTypeOf(r), "");
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
    return double_to_float(e, x, to, rounding);
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

/* An integer of 64 bits.  Its magnitude, truncated to the precision of the result, is converted without an
 * error.  ODD: the last bit is set if truncation was inexact. */
static LLVMValueRef truncate_to_float(struct in_emit *e, LLVMValueRef x, const struct in_ty *shape,
                                      uint32_t width, bool sign, enum in_rounding rounding, bool odd)
{
    LLVMTypeRef type = LLVMTypeOf(x), flag = in_type_like(e, e->i1, shape);
    uint32_t precision = width == 64 ? 53 : 24;
    LLVMValueRef zero = LLVMConstNull(type), one = in_int(e, type, 1);
    LLVMValueRef negative = sign ? LLVMBuildICmp(e->b, LLVMIntSLT, x, zero, "") : LLVMConstNull(flag);
    x = LLVMBuildSelect(e->b, negative, LLVMBuildNeg(e->b, x, ""), x, "");
    LLVMValueRef count[2] = {LLVMBuildOr(e->b, x, one, ""), LLVMConstNull(e->i1)};
    LLVMValueRef zeros = in_intrinsic(e, "llvm.ctlz", type, count, 2);
    LLVMValueRef kept = LLVMBuildLShr(e->b, in_int(e, type, UINT64_MAX << (64 - precision)), zeros, "");
    LLVMValueRef truncated = LLVMBuildAnd(e->b, x, kept, "");
    LLVMValueRef inexact = LLVMBuildICmp(e->b, LLVMIntNE, truncated, x, "");
    LLVMTypeRef real = in_type_like(e, width == 64 ? e->f64 : e->f32, shape);
    LLVMValueRef bits = as_bits(e, LLVMBuildUIToFP(e->b, truncated, real, ""), shape, width);
    LLVMValueRef away = LLVMBuildAnd(e->b, inexact, is_away(e, negative, rounding), "");
    bits = odd ? LLVMBuildOr(e->b, bits, extend_flag(e, inexact, bits), "")
               : LLVMBuildAdd(e->b, bits, extend_flag(e, away, bits), "");
    LLVMValueRef top =
        LLVMBuildShl(e->b, extend_flag(e, negative, bits), in_int(e, LLVMTypeOf(bits), width - 1), "");
    return LLVMBuildBitCast(e->b, LLVMBuildOr(e->b, bits, top, ""), real, "");
}

static LLVMValueRef convert_integer(struct in_emit *e, LLVMValueRef x, LLVMTypeRef to, bool sign)
{
    return sign ? LLVMBuildSIToFP(e->b, x, to, "") : LLVMBuildUIToFP(e->b, x, to, "");
}

static LLVMValueRef int_to_float(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                                 const struct in_ty *to, bool sign, enum in_rounding rounding)
{
    uint32_t s = in_element(from)->width, t = in_element(to)->width;
    LLVMTypeRef single = in_type_like(e, e->f32, to), wide = in_type_like(e, e->f64, to);
    if (t == 16)
        return float_to_half(e,
                             s == 64   ? truncate_to_float(e, x, to, 32, sign, rounding, true)
                             : s == 32 ? round_to_odd(e, convert_integer(e, x, wide, sign), to)
                                       : convert_integer(e, x, single, sign),
                             rounding);
    if (s == 64 && rounding != IN_RTE)
        return truncate_to_float(e, x, to, t, sign, rounding, false);
    if (s == 32 && t == 32 && rounding != IN_RTE)
        return double_to_float(e, convert_integer(e, x, wide, sign), to, rounding);
    return convert_integer(e, x, in_type(e, to), sign);
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
