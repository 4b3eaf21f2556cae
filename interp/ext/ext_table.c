/* The table of OpenCL.std instructions, and wrappers that take operands through pointers. */
#include "ext.h"

#include <string.h>

#include "ext_functions.h"

/* ---- wrappers ---------------------------------------------------------------------------------- */

#define LOAD(type, variable, from)                                                                           \
    type variable;                                                                                           \
    memcpy(&variable, from, sizeof variable)
#define TAIL(type, value)                                                                                    \
    type r = value;                                                                                          \
    memcpy(result, &r, sizeof r);                                                                            \
    }
#define BEGIN(name, t, type)                                                                                 \
    static void kernel_##name##_##t(void *result, void *second, const void *a, const void *b, const void *c) \
    {                                                                                                        \
        (void)second, (void)b, (void)c;                                                                      \
        LOAD(type, x, a);
#define END_SECOND                                                                                           \
    memcpy(result, &r, sizeof r);                                                                            \
    memcpy(second, &s, sizeof s);                                                                            \
    }

#define WRAP_1(name, t)     BEGIN(name, t, in_##t) TAIL(in_##t, in_ext_##name##_##t(x))
#define WRAP_1_INT(name, t) BEGIN(name, t, in_##t) TAIL(int32_t, in_ext_##name##_##t(x))
#define WRAP_NAN(name, t)   BEGIN(name, t, IN_BITS_##t) TAIL(in_##t, in_ext_##name##_##t(x))
#define WRAP_2(name, t)                                                                                      \
    BEGIN(name, t, in_##t) LOAD(in_##t, y, b);                                                               \
    TAIL(in_##t, in_ext_##name##_##t(x, y))
#define WRAP_2_INT(name, t)                                                                                  \
    BEGIN(name, t, in_##t) LOAD(int32_t, n, b);                                                              \
    TAIL(in_##t, in_ext_##name##_##t(x, n))
#define WRAP_WIDE(name, t)                                                                                   \
    BEGIN(name, t, in_##t) LOAD(in_##t, y, b);                                                               \
    TAIL(IN_WIDE_##t, in_ext_##name##_##t(x, y))
#define WRAP_3(name, t)                                                                                      \
    BEGIN(name, t, in_##t) LOAD(in_##t, y, b);                                                               \
    LOAD(in_##t, z, c);                                                                                      \
    TAIL(in_##t, in_ext_##name##_##t(x, y, z))
#define WRAP_SELECT_AS(name, t)                                                                              \
    BEGIN(name, t, in_##t) LOAD(in_##t, y, b);                                                               \
    LOAD(IN_BITS_##t, z, c);                                                                                 \
    TAIL(in_##t, in_ext_##name##_##t(x, y, z))
#define WRAP_SELECT(name, t) WRAP_SELECT_AS(name, t) WRAP_SELECT_AS(name##_scalar, t)
#define WRAP_1_PTR(name, t)                                                                                  \
    BEGIN(name, t, in_##t) in_##t s, r = in_ext_##name##_##t(x, &s);                                         \
    END_SECOND
#define WRAP_1_INT_PTR(name, t)                                                                              \
    BEGIN(name, t, in_##t) int32_t s;                                                                        \
    in_##t r = in_ext_##name##_##t(x, &s);                                                                   \
    END_SECOND
#define WRAP_2_INT_PTR(name, t)                                                                              \
    BEGIN(name, t, in_##t) LOAD(in_##t, y, b);                                                               \
    int32_t s;                                                                                               \
    in_##t r = in_ext_##name##_##t(x, y, &s);                                                                \
    END_SECOND

#define FLOATS(name)                                                                                         \
    {                                                                                                        \
        kernel_##name##_f16, kernel_##name##_f32, kernel_##name##_f64, 0, 0, 0, 0                            \
    }
#define INTEGERS(name)                                                                                       \
    {                                                                                                        \
        0, 0, 0, kernel_##name##_w8, kernel_##name##_w16, kernel_##name##_w32, kernel_##name##_w64           \
    }
#define NARROWS(name)                                                                                        \
    {                                                                                                        \
        0, 0, 0, kernel_##name##_w8, kernel_##name##_w16, kernel_##name##_w32, 0                             \
    }
#define ONLY_32(name)                                                                                        \
    {                                                                                                        \
        0, 0, 0, 0, 0, kernel_##name##_w32, 0                                                                \
    }
#define ALL(name)                                                                                            \
    {                                                                                                        \
        kernel_##name##_f16, kernel_##name##_f32, kernel_##name##_f64, kernel_##name##_w8,                   \
            kernel_##name##_w16, kernel_##name##_w32, kernel_##name##_w64                                    \
    }
#define KERNELS(name) static const in_ext_kernel kernels_##name[IN_EXT_TYPES]
#define GEOMETRIC(name)                                                                                      \
    static const in_ext_geometric geometric_##name[] = {in_ext_##name##_f16, in_ext_##name##_f32,            \
                                                        in_ext_##name##_f64};

#define F1(opcode, name)         IN_EACH_FLOAT(WRAP_1, name) KERNELS(name) = FLOATS(name);
#define F2(opcode, name)         IN_EACH_FLOAT(WRAP_2, name) KERNELS(name) = FLOATS(name);
#define F3(opcode, name)         IN_EACH_FLOAT(WRAP_3, name) KERNELS(name) = FLOATS(name);
#define T1(opcode, name)         IN_EACH_FLOAT(WRAP_1, name) KERNELS(name) = FLOATS(name);
#define T2(opcode, name)         IN_EACH_FLOAT(WRAP_2, name) KERNELS(name) = FLOATS(name);
#define T3(opcode, name)         IN_EACH_FLOAT(WRAP_3, name) KERNELS(name) = FLOATS(name);
#define F1_INT(opcode, name)     IN_EACH_FLOAT(WRAP_1_INT, name) KERNELS(name) = FLOATS(name);
#define T2_INT(opcode, name)     IN_EACH_FLOAT(WRAP_2_INT, name) KERNELS(name) = FLOATS(name);
#define F1_PTR(opcode, name)     IN_EACH_FLOAT(WRAP_1_PTR, name) KERNELS(name) = FLOATS(name);
#define T1_PTR(opcode, name)     IN_EACH_FLOAT(WRAP_1_PTR, name) KERNELS(name) = FLOATS(name);
#define F1_INT_PTR(opcode, name) IN_EACH_FLOAT(WRAP_1_INT_PTR, name) KERNELS(name) = FLOATS(name);
#define F2_INT_PTR(opcode, name) IN_EACH_FLOAT(WRAP_2_INT_PTR, name) KERNELS(name) = FLOATS(name);
#define NAN_OF(opcode, name)     IN_EACH_FLOAT(WRAP_NAN, name) KERNELS(name) = FLOATS(name);
#define I1(opcode, name)         IN_EACH_INTEGER(WRAP_1, name) KERNELS(name) = INTEGERS(name);
#define I2(opcode, name)         IN_EACH_INTEGER(WRAP_2, name) KERNELS(name) = INTEGERS(name);
#define I3(opcode, name)         IN_EACH_INTEGER(WRAP_3, name) KERNELS(name) = INTEGERS(name);
#define I2_32(opcode, name)      WRAP_2(name, w32) KERNELS(name) = ONLY_32(name);
#define I3_32(opcode, name)      WRAP_3(name, w32) KERNELS(name) = ONLY_32(name);
#define I2_WIDE(opcode, name)    IN_EACH_NARROW(WRAP_WIDE, name) KERNELS(name) = NARROWS(name);
#define BITS3(opcode, name)      IN_EACH_TYPE(WRAP_3, name) KERNELS(name) = ALL(name);
#define SELECT3(opcode, name)                                                                                \
    IN_EACH_TYPE(WRAP_SELECT, name) KERNELS(name) = ALL(name);                                               \
    KERNELS(name##_scalar) = ALL(name##_scalar);
#define GEOMETRIC1(opcode, name)   GEOMETRIC(name)
#define GEOMETRIC1_T(opcode, name) GEOMETRIC(name)
#define GEOMETRIC2(opcode, name)   GEOMETRIC(name)
#define GEOMETRIC2_T(opcode, name) GEOMETRIC(name)
#include "ext.def"

/* ---- the table --------------------------------------------------------------------------------- */

#define T     IN_EXT_T
#define INT32 IN_EXT_INT32
#define ELEMENTWISE(opc, nam, res, pointer, ...)                                                             \
    [opc] = {.opcode = opc,                                                                                  \
             .name = #nam,                                                                                   \
             .shape = IN_EXT_ELEMENTWISE,                                                                    \
             .result = res,                                                                                  \
             .operand = {__VA_ARGS__},                                                                       \
             .pointee = pointer,                                                                             \
             .kernel = kernels_##nam,                                                                        \
             .scalar_kernel = kernels_##nam},
#define WHOLE(opc, nam, res, ...)                                                                            \
    [opc] = {.opcode = opc,                                                                                  \
             .name = #nam,                                                                                   \
             .shape = IN_EXT_GEOMETRIC,                                                                      \
             .result = res,                                                                                  \
             .operand = {__VA_ARGS__},                                                                       \
             .geometric = geometric_##nam},

#define F1(opcode, name)         ELEMENTWISE(opcode, name, T, IN_EXT_NONE, T)
#define F2(opcode, name)         ELEMENTWISE(opcode, name, T, IN_EXT_NONE, T, T)
#define F3(opcode, name)         ELEMENTWISE(opcode, name, T, IN_EXT_NONE, T, T, T)
#define T1(opcode, name)         F1(opcode, name)
#define T2(opcode, name)         F2(opcode, name)
#define T3(opcode, name)         F3(opcode, name)
#define F1_INT(opcode, name)     ELEMENTWISE(opcode, name, INT32, IN_EXT_NONE, T)
#define T2_INT(opcode, name)     ELEMENTWISE(opcode, name, T, IN_EXT_NONE, T, INT32)
#define F1_PTR(opcode, name)     ELEMENTWISE(opcode, name, T, T, T)
#define T1_PTR(opcode, name)     F1_PTR(opcode, name)
#define F1_INT_PTR(opcode, name) ELEMENTWISE(opcode, name, T, INT32, T)
#define F2_INT_PTR(opcode, name) ELEMENTWISE(opcode, name, T, INT32, T, T)
#define NAN_OF(opcode, name)     ELEMENTWISE(opcode, name, T, IN_EXT_NONE, IN_EXT_INT_T)
#define I1(opcode, name)         F1(opcode, name)
#define I2(opcode, name)         F2(opcode, name)
#define I3(opcode, name)         F3(opcode, name)
#define I2_32(opcode, name)      F2(opcode, name)
#define I3_32(opcode, name)      F3(opcode, name)
#define I2_WIDE(opcode, name)    ELEMENTWISE(opcode, name, IN_EXT_WIDE_T, IN_EXT_NONE, T, T)
#define BITS3(opcode, name)      F3(opcode, name)
#define SELECT3(opc, nam)                                                                                    \
    [opc] = {.opcode = opc,                                                                                  \
             .name = #nam,                                                                                   \
             .shape = IN_EXT_ELEMENTWISE,                                                                    \
             .result = T,                                                                                    \
             .operand = {T, T, IN_EXT_INT_T},                                                                \
             .kernel = kernels_##nam,                                                                        \
             .scalar_kernel = kernels_##nam##_scalar},
#define GEOMETRIC1(opcode, name)   WHOLE(opcode, name, T, T)
#define GEOMETRIC1_T(opcode, name) WHOLE(opcode, name, IN_EXT_SCALAR, T)
#define GEOMETRIC2(opcode, name)   WHOLE(opcode, name, T, T, T)
#define GEOMETRIC2_T(opcode, name) WHOLE(opcode, name, IN_EXT_SCALAR, T, T)
#define OTHER(opc, nam, sha, fla)  [opc] = {.opcode = opc, .name = #nam, .shape = sha, .flags = fla},

static const struct in_ext_fn table[IN_EXT_OPCODE_LIMIT] = {
#include "ext.def"
};

const struct in_ext_fn *in_ext_find(uint32_t opcode)
{
    return opcode < IN_EXT_OPCODE_LIMIT && table[opcode].name ? &table[opcode] : NULL;
}
