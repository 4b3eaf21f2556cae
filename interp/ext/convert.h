/* Conversions between the scalar types of OpenCL C, and half precision arithmetic's building blocks.
 * [CLC 6.4.3 conversions, 6.4.3.2 rounding modes, 6.4.3.3 out-of-range and saturation], [SPIRV 3.42.11].
 * Every conversion is exact up to its one rounding, whatever the rounding mode of the host thread. */
#ifndef INTERP_EXT_CONVERT_H
#define INTERP_EXT_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

enum in_type {
    IN_S8,
    IN_S16,
    IN_S32,
    IN_S64,
    IN_U8,
    IN_U16,
    IN_U32,
    IN_U64,
    IN_F16,
    IN_F32,
    IN_F64,
    IN_TYPE_COUNT
};

/* The numbers of SPIR-V's FPRoundingMode [SPIRV 3.16]. */
enum in_rounding { IN_RTE, IN_RTZ, IN_RTP, IN_RTN, IN_ROUNDING_COUNT };

/* Converts one scalar at IN to one at OUT; neither needs to be aligned, and they may be the same place. */
typedef void (*in_convert_fn)(const void *in, void *out);

/* The conversion FROM -> TO.  Rounding applies where TO is a float or FROM a float; integer to integer
 * conversions ignore it.  Instructions without a rounding decoration: RTZ for float to integer, RTE else.
 * Saturating (TO must be an integer, else the flag is ignored): out-of-range values clamp, NaN gives 0.
 * Not saturating: integers keep their low bits; a float out of range gives the low bits of the exact
 * rounded integer, NaN and infinities give 0 (the specification leaves these open).
 * NULL only if an argument is out of its enum's range. */
in_convert_fn in_convert_find(enum in_type from, enum in_type to, enum in_rounding rounding, bool saturate);

uint32_t in_type_size(enum in_type type); /* bytes */

/* Half precision values are carried as their bits.  +, -, *, / and sqrt on halves are correctly rounded when
 * computed in float and converted back with in_half_from_f32. */
float in_half_to_f32(uint16_t h);
double in_half_to_f64(uint16_t h);
uint16_t in_half_from_f32(float x);  /* to nearest, ties to even */
uint16_t in_half_from_f64(double x); /* likewise */

/* A float of WIDTH bits, 16, 32 or 64, given as its bits. */
double in_bits_to_f64(uint64_t bits, uint32_t width);
uint64_t in_bits_from_f64(double x, uint32_t width); /* to nearest, ties to even */

#endif
