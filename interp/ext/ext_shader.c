/* Instructions of GLSL.std.450: those that OpenCL.std has too, and its other integer functions.
 * [GLSL.std.450] */
#include "ext.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

/* The number of the highest bit of X that is 1; -1 if there is none. */
static int highest_bit(uint64_t x)
{
    return x ? 63 - __builtin_clzll(x) : -1;
}

static int lowest_bit(uint64_t x)
{
    return x ? __builtin_ctzll(x) : -1;
}

/* The highest bit that differs from the sign. */
static int highest_bit_of_signed(int64_t x)
{
    return highest_bit((uint64_t)(x < 0 ? ~x : x));
}

static int sign_of(int64_t x)
{
    return (x > 0) - (x < 0);
}

#define KERNEL(name, type)                                                                                   \
    static void kernel_##name##_##type(void *result, void *second, const void *a, const void *b,             \
                                       const void *c)                                                        \
    {                                                                                                        \
        (void)second, (void)b, (void)c;                                                                      \
        type##_t x;                                                                                          \
        memcpy(&x, a, sizeof x);                                                                             \
        x = (type##_t)name(x);                                                                               \
        memcpy(result, &x, sizeof x);                                                                        \
    }
#define KERNELS(name, u)                                                                                     \
    KERNEL(name, u##int8)                                                                                    \
    KERNEL(name, u##int16)                                                                                   \
    KERNEL(name, u##int32)                                                                                   \
    KERNEL(name, u##int64)                                                                                   \
    static const in_ext_kernel kernels_##name[IN_EXT_TYPES] = {0,                                            \
                                                               0,                                            \
                                                               0,                                            \
                                                               kernel_##name##_##u##int8,                    \
                                                               kernel_##name##_##u##int16,                   \
                                                               kernel_##name##_##u##int32,                   \
                                                               kernel_##name##_##u##int64};
KERNELS(lowest_bit, u)
KERNELS(highest_bit, u)
KERNELS(highest_bit_of_signed, )
KERNELS(sign_of, )

#define OWN(number, text, function)                                                                          \
    {                                                                                                        \
        .opcode = number, .name = text, .shape = IN_EXT_ELEMENTWISE, .result = IN_EXT_T,                     \
        .operand = {IN_EXT_T}, .kernel = kernels_##function, .scalar_kernel = kernels_##function             \
    }

static const struct in_ext_fn own[] = {OWN(GLSLstd450SSign, "SSign", sign_of),
                                       OWN(GLSLstd450FindILsb, "FindILsb", lowest_bit),
                                       OWN(GLSLstd450FindSMsb, "FindSMsb", highest_bit_of_signed),
                                       OWN(GLSLstd450FindUMsb, "FindUMsb", highest_bit)};

const struct in_ext_fn *in_ext_find_shader(uint32_t number)
{
    static const uint16_t same[][2] = {
        {GLSLstd450RoundEven, OpenCLstd_Rint},   {GLSLstd450Trunc, OpenCLstd_Trunc},
        {GLSLstd450FAbs, OpenCLstd_Fabs},        {GLSLstd450SAbs, OpenCLstd_SAbs},
        {GLSLstd450Floor, OpenCLstd_Floor},      {GLSLstd450Ceil, OpenCLstd_Ceil},
        {GLSLstd450Sin, OpenCLstd_Sin},          {GLSLstd450Cos, OpenCLstd_Cos},
        {GLSLstd450Tan, OpenCLstd_Tan},          {GLSLstd450Pow, OpenCLstd_Pow},
        {GLSLstd450Exp, OpenCLstd_Exp},          {GLSLstd450Log, OpenCLstd_Log},
        {GLSLstd450Exp2, OpenCLstd_Exp2},        {GLSLstd450Log2, OpenCLstd_Log2},
        {GLSLstd450Sqrt, OpenCLstd_Sqrt},        {GLSLstd450InverseSqrt, OpenCLstd_Rsqrt},
        {GLSLstd450FMin, OpenCLstd_FMin_common}, {GLSLstd450UMin, OpenCLstd_UMin},
        {GLSLstd450SMin, OpenCLstd_SMin},        {GLSLstd450FMax, OpenCLstd_FMax_common},
        {GLSLstd450UMax, OpenCLstd_UMax},        {GLSLstd450SMax, OpenCLstd_SMax},
        {GLSLstd450FClamp, OpenCLstd_FClamp},    {GLSLstd450UClamp, OpenCLstd_UClamp},
        {GLSLstd450SClamp, OpenCLstd_SClamp},    {GLSLstd450Fma, OpenCLstd_Fma},
        {GLSLstd450NMin, OpenCLstd_Fmin},        {GLSLstd450NMax, OpenCLstd_Fmax}};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (own[k].opcode == number)
            return &own[k];
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if (same[k][0] == number)
            return in_ext_find(same[k][1]);
    return NULL;
}
