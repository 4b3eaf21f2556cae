/* The OpenCL.std extended instruction set [OpenCL.std 100]: the signature of each instruction and the
 * functions that compute it, for the interpreter and the JIT.
 *
 * The functions behind the table are plain scalar C functions called in_ext_<name>_<type>, <type> one of f16
 * (carried as uint16_t) f32 f64 w8 w16 w32 w64: in_ext_sin_f32(float), in_ext_s_max_w16(uint16_t, uint16_t).
 * They are declared in ext_functions.h; the table adds wrappers that take operands through pointers. They
 * expect the default floating-point environment: see in_fp_enter. */
#ifndef INTERP_EXT_EXT_H
#define INTERP_EXT_EXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element types as SPIR-V sees them: integers have no sign, the instruction does. */
enum in_ext_type {
    IN_EXT_F16,
    IN_EXT_F32,
    IN_EXT_F64,
    IN_EXT_W8,
    IN_EXT_W16,
    IN_EXT_W32,
    IN_EXT_W64,
    IN_EXT_TYPES
};
static inline enum in_ext_type in_ext_type_of(bool is_float, unsigned width)
{
    unsigned n = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
    return is_float ? (enum in_ext_type)(IN_EXT_F16 + n - 1) : (enum in_ext_type)(IN_EXT_W8 + n);
}

enum in_ext_shape {
    IN_EXT_ELEMENTWISE, /* kernel[] for each element */
    IN_EXT_GEOMETRIC,   /* geometric[] on the whole vectors (a scalar is a vector of one) */
    IN_EXT_SHUFFLE,     /* in_ext_shuffle */
    IN_EXT_VLOAD,       /* operands: offset, p[, n literal]; memory is the caller's */
    IN_EXT_VSTORE,      /* operands: data, offset, p[, rounding mode literal] */
    IN_EXT_PRINTF,      /* in_printf_format, in ext_printf.h */
    IN_EXT_PREFETCH     /* no effect */
};

/* Types of operands and results, relative to the element type T that chooses the function.  T is the element
 * type of the result for `nan`, of the first operand for all others. */
enum in_ext_class {
    IN_EXT_NONE,
    IN_EXT_T,      /* T */
    IN_EXT_INT32,  /* 32-bit integer, as many as T's elements */
    IN_EXT_INT_T,  /* integer of T's width (= T where T is an integer) */
    IN_EXT_WIDE_T, /* integer of twice T's width */
    IN_EXT_SCALAR  /* one T, although the operands are vectors */
};

/* Computes one element.  SECOND receives what the instruction stores through its pointer operand
 * (fract, frexp, lgamma_r, modf, remquo, sincos); else it may be NULL.  B and C may be NULL beyond the
 * operands. No alignment is asked for; RESULT and SECOND may coincide with operands. */
typedef void (*in_ext_kernel)(void *result, void *second, const void *a, const void *b, const void *c);
/* Computes a vector of N elements, or one scalar. */
typedef void (*in_ext_geometric)(void *result, const void *a, const void *b, uint32_t n);

enum {
    IN_EXT_HALF = 1,    /* VLOAD, VSTORE: memory holds half, the value is float or double */
    IN_EXT_ALIGNED = 2, /* VLOAD, VSTORE: vectors of 3 occupy 4 elements and are aligned to their size */
    IN_EXT_ROUNDED = 4, /* VSTORE: the last operand is a rounding mode literal (enum in_rounding); else RTE */
    IN_EXT_VECTOR = 8   /* VLOAD: an n literal follows; else one scalar */
};

struct in_ext_fn {
    uint32_t opcode;
    const char *name; /* as in the grammar */
    enum in_ext_shape shape;
    uint32_t flags;
    enum in_ext_class result;
    enum in_ext_class operand[3]; /* value operands in order, IN_EXT_NONE past the last */
    enum in_ext_class pointee; /* what the pointer operand, which follows them, points to; NONE: no pointer */
    /* By enum in_ext_type; NULL where the instruction does not exist for T.  Where an operand is a scalar but
     * the result a vector, that scalar serves every element. */
    const in_ext_kernel *kernel;
    /* `select` on scalars differs from vectors; otherwise equal to kernel. */
    const in_ext_kernel *scalar_kernel;
    const in_ext_geometric *geometric; /* by IN_EXT_F16 .. IN_EXT_F64 */
};

/* NULL if the set has no such instruction. */
const struct in_ext_fn *in_ext_find(uint32_t opcode);
/* An instruction of GLSL.std.450; NULL: unsupported. */
const struct in_ext_fn *in_ext_find_shader(uint32_t number);
enum { IN_EXT_OPCODE_LIMIT = 205 }; /* all opcodes are below; there are gaps */

struct in_ext_mask {
    /* COUNT integers of SIZE bytes, taken modulo the number of elements to choose from. */
    const void *elements;
    uint32_t count, size;
};
/* shuffle, shuffle2 (Y NULL for shuffle): RESULT[i] = element MASK[i] of x, or of x followed by y.  X and Y
 * have COUNT elements of SIZE bytes each.  RESULT must not overlap the operands. */
void in_ext_shuffle(void *result, const void *x, const void *y, uint32_t count, uint32_t size,
                    const struct in_ext_mask *mask);

/* Elements between consecutive vectors of N for vload and vstore: N, or 4 for aligned vectors of 3. */
uint32_t in_ext_vector_stride(const struct in_ext_fn *fn, uint32_t n);

/* The host application may have changed rounding or denormal handling of its thread: around each stretch of
 * kernel execution, enter sets what OpenCL demands (round to nearest even, denormals kept, no traps), leave
 * puts the host's back. */
struct in_fp_state {
    uint64_t opaque[8];
};
void in_fp_enter(struct in_fp_state *saved);
void in_fp_leave(const struct in_fp_state *saved);

#endif
