/* The functions behind ext.h's table: in_ext_<name>_<type>, plain scalar C that the JIT uses as well. */
#ifndef INTERP_EXT_EXT_FUNCTIONS_H
#define INTERP_EXT_EXT_FUNCTIONS_H

#include <stdint.h>

typedef uint16_t in_f16; /* the bits of a half */
typedef float in_f32;
typedef double in_f64;
typedef uint8_t in_w8;
typedef uint16_t in_w16;
typedef uint32_t in_w32;
typedef uint64_t in_w64;

/* The integer type of each type's width, and of twice its width. */
#define IN_BITS_f16 uint16_t
#define IN_BITS_f32 uint32_t
#define IN_BITS_f64 uint64_t
#define IN_BITS_w8  uint8_t
#define IN_BITS_w16 uint16_t
#define IN_BITS_w32 uint32_t
#define IN_BITS_w64 uint64_t
#define IN_WIDE_w8  uint16_t
#define IN_WIDE_w16 uint32_t
#define IN_WIDE_w32 uint64_t

#define IN_EACH_FLOAT(X, name)   X(name, f16) X(name, f32) X(name, f64)
#define IN_EACH_INTEGER(X, name) X(name, w8) X(name, w16) X(name, w32) X(name, w64)
#define IN_EACH_NARROW(X, name)  X(name, w8) X(name, w16) X(name, w32)
#define IN_EACH_TYPE(X, name)    IN_EACH_FLOAT(X, name) IN_EACH_INTEGER(X, name)

#define DECLARE_1(name, t)         in_##t in_ext_##name##_##t(in_##t x);
#define DECLARE_2(name, t)         in_##t in_ext_##name##_##t(in_##t x, in_##t y);
#define DECLARE_3(name, t)         in_##t in_ext_##name##_##t(in_##t x, in_##t y, in_##t z);
#define DECLARE_1_INT(name, t)     int32_t in_ext_##name##_##t(in_##t x);
#define DECLARE_2_INT(name, t)     in_##t in_ext_##name##_##t(in_##t x, int32_t n);
#define DECLARE_1_PTR(name, t)     in_##t in_ext_##name##_##t(in_##t x, in_##t *p);
#define DECLARE_1_INT_PTR(name, t) in_##t in_ext_##name##_##t(in_##t x, int32_t *p);
#define DECLARE_2_INT_PTR(name, t) in_##t in_ext_##name##_##t(in_##t x, in_##t y, int32_t *p);
#define DECLARE_NAN(name, t)       in_##t in_ext_##name##_##t(IN_BITS_##t code);
#define DECLARE_WIDE(name, t)      IN_WIDE_##t in_ext_##name##_##t(in_##t hi, in_##t lo);
/* select on a vector's element tests the sign bit of C, on a scalar all of C. */
#define DECLARE_SELECT(name, t)                                                                              \
    in_##t in_ext_##name##_##t(in_##t a, in_##t b, IN_BITS_##t c);                                           \
    in_##t in_ext_##name##_scalar_##t(in_##t a, in_##t b, IN_BITS_##t c);
#define DECLARE_GEOMETRIC(name, t)                                                                           \
    void in_ext_##name##_##t(void *result, const void *a, const void *b, uint32_t n);

#define F1(opcode, name)           IN_EACH_FLOAT(DECLARE_1, name)
#define F2(opcode, name)           IN_EACH_FLOAT(DECLARE_2, name)
#define F3(opcode, name)           IN_EACH_FLOAT(DECLARE_3, name)
#define T1(opcode, name)           IN_EACH_FLOAT(DECLARE_1, name)
#define T2(opcode, name)           IN_EACH_FLOAT(DECLARE_2, name)
#define T3(opcode, name)           IN_EACH_FLOAT(DECLARE_3, name)
#define F1_INT(opcode, name)       IN_EACH_FLOAT(DECLARE_1_INT, name)
#define T2_INT(opcode, name)       IN_EACH_FLOAT(DECLARE_2_INT, name)
#define F1_PTR(opcode, name)       IN_EACH_FLOAT(DECLARE_1_PTR, name)
#define T1_PTR(opcode, name)       IN_EACH_FLOAT(DECLARE_1_PTR, name)
#define F1_INT_PTR(opcode, name)   IN_EACH_FLOAT(DECLARE_1_INT_PTR, name)
#define F2_INT_PTR(opcode, name)   IN_EACH_FLOAT(DECLARE_2_INT_PTR, name)
#define NAN_OF(opcode, name)       IN_EACH_FLOAT(DECLARE_NAN, name)
#define I1(opcode, name)           IN_EACH_INTEGER(DECLARE_1, name)
#define I2(opcode, name)           IN_EACH_INTEGER(DECLARE_2, name)
#define I3(opcode, name)           IN_EACH_INTEGER(DECLARE_3, name)
#define I2_32(opcode, name)        DECLARE_2(name, w32)
#define I3_32(opcode, name)        DECLARE_3(name, w32)
#define I2_WIDE(opcode, name)      IN_EACH_NARROW(DECLARE_WIDE, name)
#define BITS3(opcode, name)        IN_EACH_TYPE(DECLARE_3, name)
#define SELECT3(opcode, name)      IN_EACH_TYPE(DECLARE_SELECT, name)
#define GEOMETRIC1(opcode, name)   IN_EACH_FLOAT(DECLARE_GEOMETRIC, name)
#define GEOMETRIC1_T(opcode, name) IN_EACH_FLOAT(DECLARE_GEOMETRIC, name)
#define GEOMETRIC2(opcode, name)   IN_EACH_FLOAT(DECLARE_GEOMETRIC, name)
#define GEOMETRIC2_T(opcode, name) IN_EACH_FLOAT(DECLARE_GEOMETRIC, name)
#include "ext.def"

#undef DECLARE_1
#undef DECLARE_2
#undef DECLARE_3
#undef DECLARE_1_INT
#undef DECLARE_2_INT
#undef DECLARE_1_PTR
#undef DECLARE_1_INT_PTR
#undef DECLARE_2_INT_PTR
#undef DECLARE_NAN
#undef DECLARE_WIDE
#undef DECLARE_SELECT
#undef DECLARE_GEOMETRIC

/* Operands of each type as doubles, and results of each type (halves: convert.h). */
#define FROM_f16(x) in_half_to_f64(x)
#define FROM_f32(x) ((double)(x))
#define FROM_f64(x) (x)
#define TO_f16(x)   in_half_from_f64(x)
#define TO_f32(x)   ((float)(x))
#define TO_f64(x)   (x)

#endif
