/* In vectors, compiled code calls these for all lanes: lanes that need no slow path keep Y. */
#include "interp/jit/run/slow_vectors.h"
#include "interp/ext/slow_path.h"
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

/* Whether a lane of X is not below Y, for one instruction set; NaNs are below nothing. */
#define ABS_2(x)     _mm_andnot_pd(_mm_set1_pd(-0.0), x)
#define ABS_4(x)     _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
#define ABS_8(x)     _mm512_abs_pd(x)
#define SOME_2(x, y) _mm_movemask_pd(_mm_cmpnlt_pd(x, y))
#define SOME_4(x, y) _mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_NLT_UQ))
#define SOME_8(x, y) _mm512_cmp_pd_mask(x, y, _CMP_NLT_UQ)
#define DEFINE_2(name, lanes, type, isa)                                                                     \
    __attribute__((target(isa))) static type name##_##lanes(type x, type y)                                  \
    {                                                                                                        \
        type limit = (type){0} + IN_SLOW_FROM;                                                               \
        if (__builtin_expect(SOME_##lanes(ABS_##lanes(x), limit) != 0, 0))                                   \
            for (int k = 0; k < lanes; k++)                                                                  \
                y[k] = name(x[k], y[k]);                                                                     \
        return y;                                                                                            \
    }
#define DEFINE_3(name, lanes, type, isa)                                                                     \
    __attribute__((target(isa))) static type name##_##lanes(type x, type y, type r)                          \
    {                                                                                                        \
        if (__builtin_expect(SOME_##lanes(ABS_##lanes(x), ABS_##lanes(y) * IN_SLOW_QUOTIENT) != 0, 0))       \
            for (int k = 0; k < lanes; k++)                                                                  \
                r[k] = name(x[k], y[k], r[k]);                                                               \
        return r;                                                                                            \
    }
#define DEFINE_ALL(define, name)                                                                             \
    define(name, 2, __m128d, "sse2") define(name, 4, __m256d, "avx2") define(name, 8, __m512d, "avx512f")
DEFINE_ALL(DEFINE_2, in_slow_sin)
DEFINE_ALL(DEFINE_2, in_slow_cos)
DEFINE_ALL(DEFINE_2, in_slow_tan)
DEFINE_ALL(DEFINE_2, in_slow_angle)
DEFINE_ALL(DEFINE_3, in_slow_fmod)
DEFINE_ALL(DEFINE_3, in_slow_remainder)
DEFINE_ALL(DEFINE_3, in_slow_quotient)

#define ROWS(name)                                                                                           \
    {#name ".2", (uintptr_t)&name##_2}, {#name ".4", (uintptr_t)&name##_4},                                  \
    {                                                                                                        \
#name ".8", (uintptr_t)&name##_8                                                                     \
    }
static const struct {
    const char *name;
    uintptr_t address;
} vectors[] = {ROWS(in_slow_sin),  ROWS(in_slow_cos),       ROWS(in_slow_tan),     ROWS(in_slow_angle),
               ROWS(in_slow_fmod), ROWS(in_slow_remainder), ROWS(in_slow_quotient)};

uintptr_t in_slow_vector(const char *name)
{
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (strcmp(name, vectors[k].name) == 0)
            return vectors[k].address;
    return 0;
}
#else
uintptr_t in_slow_vector(const char *name)
{
    (void)name;
    return 0;
}
#endif
