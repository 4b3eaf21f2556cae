/* Integer operations on known values [SPIRV 3.49.13-3.49.15]. */
#include "tools/footprint/evaluate.h"

uint64_t fp_extend(uint64_t n, uint32_t width)
{
    if (width == 0 || width >= 64)
        return n;
    uint64_t sign = UINT64_C(1) << (width - 1), mask = (sign << 1) - 1;
    return ((n & mask) ^ sign) - sign;
}

static uint64_t truncate_number(uint64_t n, uint32_t width)
{
    return width == 0 || width >= 64 ? n : n & ((UINT64_C(1) << width) - 1);
}

static bool divide_numbers(uint32_t opcode, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t x = (int64_t)fp_extend(a, width), y = (int64_t)fp_extend(b, width);
    if (b == 0 || (opcode != SpvOpUDiv && opcode != SpvOpUMod && y == -1))
        return false;
    switch (opcode) {
    case SpvOpUDiv:
        *result = a / b;
        return true;
    case SpvOpUMod:
        *result = a % b;
        return true;
    case SpvOpSDiv:
        *result = (uint64_t)(x / y);
        return true;
    case SpvOpSRem:
        *result = (uint64_t)(x % y);
        return true;
    default:
        *result = (uint64_t)(x % y != 0 && (x < 0) != (y < 0) ? x % y + y : x % y);
        return true;
    }
}

static bool compare_integers(uint32_t opcode, uint64_t a, uint64_t b, int64_t x, int64_t y, uint64_t *result)
{
    switch (opcode) {
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        *result = a == b;
        return true;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        *result = a != b;
        return true;
    case SpvOpUGreaterThan:
        *result = a > b;
        return true;
    case SpvOpUGreaterThanEqual:
        *result = a >= b;
        return true;
    case SpvOpULessThan:
        *result = a < b;
        return true;
    case SpvOpULessThanEqual:
        *result = a <= b;
        return true;
    case SpvOpSGreaterThan:
        *result = x > y;
        return true;
    case SpvOpSGreaterThanEqual:
        *result = x >= y;
        return true;
    case SpvOpSLessThan:
        *result = x < y;
        return true;
    case SpvOpSLessThanEqual:
        *result = x <= y;
        return true;
    default:
        return false;
    }
}

static bool bit_operation(uint32_t opcode, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (opcode) {
    case SpvOpShiftLeftLogical:
        *result = b < width ? a << b : 0;
        return b < width;
    case SpvOpShiftRightLogical:
        *result = b < width ? a >> b : 0;
        return b < width;
    case SpvOpShiftRightArithmetic:
        *result = b < width ? (uint64_t)((int64_t)fp_extend(a, width) >> b) : 0;
        return b < width;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *result = a & b;
        return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *result = a | b;
        return true;
    case SpvOpBitwiseXor:
        *result = a ^ b;
        return true;
    default:
        return false;
    }
}

static bool integer_operation(uint32_t opcode, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (opcode) {
    case SpvOpIAdd:
        *result = a + b;
        return true;
    case SpvOpISub:
        *result = a - b;
        return true;
    case SpvOpIMul:
        *result = a * b;
        return true;
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        return divide_numbers(opcode, width, a, b, result);
    default:
        return bit_operation(opcode, width, a, b, result) ||
               compare_integers(opcode, a, b, (int64_t)fp_extend(a, width), (int64_t)fp_extend(b, width),
                                result);
    }
}

bool fp_arithmetic(uint32_t opcode, uint32_t width, uint64_t a, uint64_t b, uint64_t *result)
{
    bool known =
        integer_operation(opcode, width, truncate_number(a, width), truncate_number(b, width), result);
    *result = truncate_number(*result, width);
    return known;
}
