/* Conversion instructions: types and rounding mode of each. [SPIRV 3.49.11], [CLC 6.4.3] */
#ifndef INTERP_MODULE_CONVERSION_H
#define INTERP_MODULE_CONVERSION_H

#include "interp/ext/convert.h"
#include "interp/spirv.h"

struct in_conversion {
    uint16_t opcode;
    bool from_float, to_float, from_signed, to_signed, saturate;
};
/* The source and result types of the conversion instruction OPCODE. */
const struct in_conversion *in_conversion_of(uint32_t opcode);
/* The scalar type of a conversion; integers are treated as signed or unsigned. */
enum in_type in_conversion_type(const struct in_ty *scalar, bool sign);
/* As the result ID is decorated, or to zero for float to integer and to nearest else. */
enum in_rounding in_conversion_rounding(const struct in_conversion *conversion, const struct in_id *id);

#endif
