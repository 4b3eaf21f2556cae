/* In vectors, compiled code calls these for all lanes: lanes that need no slow path keep Y. */
#include "interp/jit/run/slow_vectors.h"
#include "interp/ext/slow_path.h"
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

/* Whether a lane of X is slow, and the definition for one instruction set. */
#define ANY_2(x) _mm_movemask_pd(_mm_cmpge_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), x), _mm_set1_pd(IN_SLOW_FROM)))
#define ANY_4(x)                                                                                             \
    _mm256_movemask_pd(                                                                                      \
        _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x), _mm256_set1_pd(IN_SLOW_FROM), _CMP_GE_OQ))
#define ANY_8(x) _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(IN_SLOW_FROM), _CMP_GE_OQ)
#define DEFINE(name, lanes, type, isa)                                                                       \
    __attribute__((target(isa))) static type name##_##lanes(type x, type y)                                  \
    {                                                                                                        \
        if (__builtin_expect(ANY_##lanes(x) != 0, 0))                                                        \
            for (int k = 0; k < lanes; k++)                                                                  \
                y[k] = name(x[k], y[k]);                                                                     \
        return y;                                                                                            \
    }
#define DEFINE_ALL(name)                                                                                     \
    DEFINE(name, 2, __m128d, "sse2")                                                                         \
    DEFINE(name, 4, __m256d, "avx2")                                                                         \
    DEFINE(name, 8, __m512d, "avx512f")
DEFINE_ALL(in_slow_sin)
DEFINE_ALL(in_slow_cos)
DEFINE_ALL(in_slow_tan)

#define ROWS(name)                                                                                           \
    {#name ".2", (uintptr_t)&name##_2}, {#name ".4", (uintptr_t)&name##_4},                                  \
    {                                                                                                        \
#name ".8", (uintptr_t)&name##_8                                                                     \
    }
static const struct {
    const char *name;
    uintptr_t address;
} vectors[] = {ROWS(in_slow_sin), ROWS(in_slow_cos), ROWS(in_slow_tan)};

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
