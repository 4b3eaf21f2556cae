/* Integer functions against 128-bit arithmetic: all pairs of bytes, boundary and random values of the other
 * widths [CLC 6.15.3]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "interp/ext/ext.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct operands {
    int width;
    wide x, y, z;     /* as signed or unsigned integers, whichever the function takes */
    uint64_t a, b, c; /* their bits */
};

static wide low(const struct operands *o, bool is_signed)
{
    return is_signed ? -((wide)1 << (o->width - 1)) : 0;
}

static wide high(const struct operands *o, bool is_signed)
{
    return ((wide)1 << (o->width - is_signed)) - 1;
}

static wide clamp(wide v, wide least, wide most)
{
    return v < least ? least : v > most ? most : v;
}

/* Floor division by a power of two. */
static wide shifted(wide v, int by)
{
    wide d = (wide)1 << by;
    return v >= 0 ? v / d : -((-v + d - 1) / d);
}

/* x*y*.. of 64-bit unsigned values does not fit a signed 128-bit integer: the product by halves. */
static uint64_t unsigned_high(const struct operands *o)
{
    return (uint64_t)((uwide)o->a * o->b >> o->width);
}

static wide ref_abs(const struct operands *o)
{
    return o->x < 0 ? -o->x : o->x;
}
static wide ref_abs_diff(const struct operands *o)
{
    return o->x > o->y ? o->x - o->y : o->y - o->x;
}
static wide ref_s_add_sat(const struct operands *o)
{
    return clamp(o->x + o->y, low(o, true), high(o, true));
}
static wide ref_u_add_sat(const struct operands *o)
{
    return clamp(o->x + o->y, 0, high(o, false));
}
static wide ref_s_sub_sat(const struct operands *o)
{
    return clamp(o->x - o->y, low(o, true), high(o, true));
}
static wide ref_u_sub_sat(const struct operands *o)
{
    return clamp(o->x - o->y, 0, high(o, false));
}
static wide ref_hadd(const struct operands *o)
{
    return shifted(o->x + o->y, 1);
}
static wide ref_rhadd(const struct operands *o)
{
    return shifted(o->x + o->y + 1, 1);
}
static wide ref_max(const struct operands *o)
{
    return o->x < o->y ? o->y : o->x;
}
static wide ref_min(const struct operands *o)
{
    return o->y < o->x ? o->y : o->x;
}
static wide ref_clamp(const struct operands *o)
{
    wide m = o->x > o->y ? o->x : o->y;
    return m < o->z ? m : o->z;
}
static wide ref_s_mul_hi(const struct operands *o)
{
    return shifted(o->x * o->y, o->width);
}
static wide ref_u_mul_hi(const struct operands *o)
{
    return unsigned_high(o);
}
static wide ref_s_mad_hi(const struct operands *o)
{
    return shifted(o->x * o->y, o->width) + o->z;
}
static wide ref_u_mad_hi(const struct operands *o)
{
    return (wide)unsigned_high(o) + o->z;
}
static wide ref_s_mad_sat(const struct operands *o)
{
    return clamp(o->x * o->y + o->z, low(o, true), high(o, true));
}
static wide ref_u_mad_sat(const struct operands *o)
{
    uwide v = (uwide)o->a * o->b + o->c;
    return v > (uwide)high(o, false) ? high(o, false) : (wide)v;
}
static wide ref_clz(const struct operands *o)
{
    int n = 0;
    while (n < o->width && !(o->a >> (o->width - 1 - n) & 1))
        n++;
    return n;
}
static wide ref_ctz(const struct operands *o)
{
    int n = 0;
    while (n < o->width && !(o->a >> n & 1))
        n++;
    return n;
}
static wide ref_popcount(const struct operands *o)
{
    int n = 0;
    for (int i = 0; i < o->width; i++)
        n += o->a >> i & 1;
    return n;
}
static wide ref_rotate(const struct operands *o)
{
    uint64_t v = o->a, mask = UINT64_MAX >> (64 - o->width);
    for (uint64_t i = 0; i < o->b % (unsigned)o->width; i++)
        v = (v << 1 | v >> (o->width - 1)) & mask;
    return v;
}
static wide ref_upsample(const struct operands *o)
{
    return (wide)o->a * ((wide)1 << o->width) + (wide)o->b;
}
static wide ref_bitselect(const struct operands *o)
{
    uint64_t v = 0;
    for (int i = 0; i < o->width; i++)
        v |= ((o->c >> i & 1 ? o->b : o->a) >> i & 1) << i;
    return v;
}
static wide ref_select(const struct operands *o)
{
    return o->c >> (o->width - 1) ? o->b : o->a;
}
static wide low_24(uint64_t v, bool is_signed)
{
    wide low_bits = v % (1 << 24);
    return is_signed && low_bits >= 1 << 23 ? low_bits - (1 << 24) : low_bits;
}
static wide ref_s_mul24(const struct operands *o)
{
    return low_24(o->a, true) * low_24(o->b, true);
}
static wide ref_u_mul24(const struct operands *o)
{
    return low_24(o->a, false) * low_24(o->b, false);
}
static wide ref_s_mad24(const struct operands *o)
{
    return ref_s_mul24(o) + o->z;
}
static wide ref_u_mad24(const struct operands *o)
{
    return ref_u_mul24(o) + o->z;
}

static const struct integer_reference {
    uint32_t opcode;
    int operands;
    bool is_signed;
    wide (*function)(const struct operands *o);
} references[] = {
    {141, 1, true, ref_abs},        {142, 2, true, ref_abs_diff},   {143, 2, true, ref_s_add_sat},
    {144, 2, false, ref_u_add_sat}, {145, 2, true, ref_hadd},       {146, 2, false, ref_hadd},
    {147, 2, true, ref_rhadd},      {148, 2, false, ref_rhadd},     {149, 3, true, ref_clamp},
    {150, 3, false, ref_clamp},     {151, 1, false, ref_clz},       {152, 1, false, ref_ctz},
    {153, 3, true, ref_s_mad_hi},   {154, 3, false, ref_u_mad_sat}, {155, 3, true, ref_s_mad_sat},
    {156, 2, true, ref_max},        {157, 2, false, ref_max},       {158, 2, true, ref_min},
    {159, 2, false, ref_min},       {160, 2, true, ref_s_mul_hi},   {161, 2, false, ref_rotate},
    {162, 2, true, ref_s_sub_sat},  {163, 2, false, ref_u_sub_sat}, {164, 2, false, ref_upsample},
    {165, 2, true, ref_upsample},   {166, 1, false, ref_popcount},  {167, 3, true, ref_s_mad24},
    {168, 3, false, ref_u_mad24},   {169, 2, true, ref_s_mul24},    {170, 2, false, ref_u_mul24},
    {186, 3, false, ref_bitselect}, {187, 3, false, ref_select},    {201, 1, false, ref_abs},
    {202, 2, false, ref_abs_diff},  {203, 2, false, ref_u_mul_hi},  {204, 3, false, ref_u_mad_hi},
};
enum { REFERENCE_COUNT = sizeof references / sizeof *references };

static wide as_wide(uint64_t bits, int width, bool is_signed)
{
    return is_signed && bits >> (width - 1) & 1 ? (wide)bits - ((wide)1 << width) : (wide)bits;
}

static void check(const struct integer_reference *ref, int width, uint64_t a, uint64_t b, uint64_t c)
{
    const struct in_ext_fn *fn = in_ext_find(ref->opcode);
    enum in_ext_type type = width == 8    ? IN_EXT_W8
                            : width == 16 ? IN_EXT_W16
                            : width == 32 ? IN_EXT_W32
                                          : IN_EXT_W64;
    if (!fn->kernel[type])
        return;
    uint64_t mask = UINT64_MAX >> (64 - width), got = 0;
    a &= mask, b &= mask, c &= mask;
    struct operands o = {width,
                         as_wide(a, width, ref->is_signed),
                         as_wide(b, width, ref->is_signed),
                         as_wide(c, width, ref->is_signed),
                         a,
                         b,
                         c};
    fn->kernel[type](&got, NULL, &a, &b, &c);
    uint64_t want = (uint64_t)ref->function(&o);
    if (fn->result != IN_EXT_WIDE_T)
        want &= mask;
    else if (width < 32)
        want &= UINT64_MAX >> (64 - 2 * width);
    if (got != want)
        fail_msg("%s, %d bits: (0x%llx, 0x%llx, 0x%llx) gave 0x%llx, not 0x%llx", fn->name, width,
                 (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, (unsigned long long)got,
                 (unsigned long long)want);
}

static uint64_t next_random(void)
{
    static uint64_t state = 3;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t boundary(int width, unsigned i)
{
    uint64_t top = UINT64_C(1) << (width - 1);
    const uint64_t values[] = {0,       1,       2,        3,        UINT64_MAX, UINT64_MAX - 1, top,
                               top - 1, top + 1, top >> 1, 0x800000, 0x7fffff,   0xffffff};
    return values[i % 13];
}

static void test_function(void **state)
{
    const struct integer_reference *ref = *state;
    for (int width = 8; width <= 64; width *= 2) {
        for (unsigned i = 0; i < 13 * 13 * 13; i++)
            check(ref, width, boundary(width, i), boundary(width, i / 13), boundary(width, i / 169));
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t shift = next_random();
            check(ref, width, next_random() >> shift % 64, next_random() >> (shift >> 8) % 64,
                  next_random() >> (shift >> 16) % 64);
            check(ref, width, next_random(), next_random(), next_random());
        }
    }
    for (uint64_t pair = 0; pair < 65536; pair++)
        check(ref, 8, pair, pair >> 8, next_random());
}

int main(void)
{
    static struct CMUnitTest tests[REFERENCE_COUNT];
    for (unsigned i = 0; i < REFERENCE_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = in_ext_find(references[i].opcode)->name,
                                       .test_func = test_function,
                                       .initial_state = (void *)&references[i]};
    return _cmocka_run_group_tests("integer", tests, REFERENCE_COUNT, NULL, NULL);
}
