/* shuffle [CLC 6.15.13], strides of vload and vstore [CLC 6.15.7], and the floating-point environment
 * [CLC 7.2]. */
#include "ext.h"

#include <fenv.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

void in_ext_shuffle(void *result, const void *x, const void *y, uint32_t count, uint32_t size,
                    const struct in_ext_mask *mask)
{
    uint32_t choices = y ? 2 * count : count;
    for (uint32_t i = 0; i < mask->count; i++) {
        uint64_t chosen = 0;
        memcpy(&chosen, (const unsigned char *)mask->elements + (size_t)i * mask->size, mask->size);
        chosen %= choices;
        memcpy((unsigned char *)result + (size_t)i * size,
               (const unsigned char *)(chosen < count ? x : y) + chosen % count * size, size);
    }
}

uint32_t in_ext_vector_stride(const struct in_ext_fn *fn, uint32_t n)
{
    return n == 3 && (fn->flags & IN_EXT_ALIGNED) ? 4 : n;
}

/* x86-64 computes with SSE, whose control register also flushes denormals; elsewhere <fenv.h> has all there
 * is. */
#if defined(__x86_64__)
void in_fp_enter(struct in_fp_state *saved)
{
    saved->opaque[0] = _mm_getcsr();
    _mm_setcsr(0x1f80);
}

void in_fp_leave(const struct in_fp_state *saved)
{
    _mm_setcsr((unsigned)saved->opaque[0]);
}
#else
_Static_assert(sizeof(fenv_t) <= sizeof(struct in_fp_state), "in_fp_state holds an fenv_t");

void in_fp_enter(struct in_fp_state *saved)
{
    fenv_t environment;
    fegetenv(&environment);
    memcpy(saved, &environment, sizeof environment);
    fesetenv(FE_DFL_ENV);
}

void in_fp_leave(const struct in_fp_state *saved)
{
    fenv_t environment;
    memcpy(&environment, saved, sizeof environment);
    fesetenv(&environment);
}
#endif
