/* Conversion instructions. [SPIRV 3.49.11], [CLC 6.4.3] */
#include "conversion.h"

const struct in_conversion *in_conversion_of(uint32_t opcode)
{
    static const struct in_conversion conversions[] = {
        {SpvOpConvertFToU, true, false, false, false, false},
        {SpvOpConvertFToS, true, false, false, true, false},
        {SpvOpConvertSToF, false, true, true, false, false},
        {SpvOpConvertUToF, false, true, false, false, false},
        {SpvOpUConvert, false, false, false, false, false},
        {SpvOpSConvert, false, false, true, true, false},
        {SpvOpFConvert, true, true, false, false, false},
        {SpvOpSatConvertSToU, false, false, true, false, true},
        {SpvOpSatConvertUToS, false, false, false, true, true},
    };
    const struct in_conversion *c = conversions;
    while (c->opcode != opcode)
        c++;
    return c;
}

enum in_type in_conversion_type(const struct in_ty *scalar, bool sign)
{
    int n = scalar->width == 8 ? 0 : scalar->width == 16 ? 1 : scalar->width == 32 ? 2 : 3;
    return scalar->kind == IN_TY_FLOAT ? (enum in_type)(IN_F16 + n - 1)
                                       : (enum in_type)((sign ? IN_S8 : IN_U8) + n);
}

enum in_rounding in_conversion_rounding(const struct in_conversion *conversion, const struct in_id *id)
{
    return id->rounding >= 0                                 ? (enum in_rounding)id->rounding
           : conversion->from_float && !conversion->to_float ? IN_RTZ
                                                             : IN_RTE;
}
