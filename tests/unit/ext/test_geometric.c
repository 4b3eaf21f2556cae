/* length, distance, normalize and cross of random vectors, from the tiniest to the largest, against MPFR
 * within the errors that the full profile allows [CLC 7.4]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/ulp/math_reference.h"

enum { CROSS = 104, DISTANCE = 105, LENGTH = 106, NORMALIZE = 107, VECTORS = 3000 };

struct vector {
    double v[4];
};

/* Elements with magnitudes close to a random one; sometimes zeros and much smaller elements. */
static struct vector random_vector(int type, uint32_t n)
{
    struct vector r = {{0}};
    const struct float_format *f = &formats[type];
    int span = f->max_exponent - f->min_exponent + f->precision;
    int exponent = f->min_exponent - f->precision + 1 + (int)(random_bits() % (unsigned)span);
    for (uint32_t i = 0; i < n; i++) {
        double unit = (double)(int64_t)random_bits() * 0x1p-63;
        int lower = random_bits() % 4 ? (int)(random_bits() % 3) : (int)(random_bits() % 60);
        r.v[i] = random_bits() % 16 ? to_double(type, from_double(type, ldexp(unit, exponent - lower))) : 0;
    }
    return r;
}

static void call(uint32_t opcode, int type, const struct vector *a, const struct vector *b, uint32_t n,
                 double result[4])
{
    uint32_t size = formats[type].size;
    unsigned char x[32] = {0}, y[32] = {0}, r[32] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t p = from_double(type, a->v[i]), q = from_double(type, b->v[i]);
        memcpy(x + i * size, &p, size);
        memcpy(y + i * size, &q, size);
    }
    in_ext_find(opcode)->geometric[type](r, x, y, n);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t bits = 0;
        memcpy(&bits, r + i * size, size);
        result[i] = to_double(type, bits);
    }
}

/* R = |a - b|. */
static void exact_distance(mpfr_t r, const struct vector *a, const struct vector *b, uint32_t n)
{
    mpfr_t d, e;
    mpfr_init2(d, 2300);
    mpfr_init2(e, 4600);
    mpfr_set_zero(r, 1);
    for (uint32_t i = 0; i < n; i++) {
        mpfr_set_d(d, a->v[i], MPFR_RNDN);
        mpfr_sub_d(d, d, b->v[i], MPFR_RNDN);
        mpfr_sqr(e, d, MPFR_RNDN);
        mpfr_add(r, r, e, MPFR_RNDN);
    }
    mpfr_sqrt(r, r, MPFR_RNDN);
    mpfr_clears(d, e, (mpfr_ptr)NULL);
}

static void check(const char *what, int type, uint32_t n, const struct vector *a, double got, mpfr_t exact,
                  double bound)
{
    double error = ulp_error(type, got, exact);
    if (error > bound)
        fail_msg("%s of %s%u: %g ulp for (%a, %a, %a, %a): %a", what, formats[type].name, n, error, a->v[0],
                 a->v[1], a->v[2], a->v[3], got);
}

static void test_lengths(void **state)
{
    (void)state;
    const struct vector zero = {{0}};
    mpfr_t r;
    mpfr_init2(r, 400);
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < VECTORS; i++) {
            uint32_t n = 1 + (uint32_t)(i % 4);
            struct vector a = random_vector(type, n), b = random_vector(type, n);
            double got[4];
            call(LENGTH, type, &a, &zero, n, got);
            exact_distance(r, &a, &zero, n);
            check("length", type, n, &a, got[0], r, 2.75 + 0.5 * n);
            if (i % 2)
                for (uint32_t k = 0; k < n; k++)
                    b.v[k] = to_double(type, from_double(type, a.v[k] * (1 + 0.01 * k)));
            call(DISTANCE, type, &a, &b, n, got);
            exact_distance(r, &a, &b, n);
            check("distance", type, n, &a, got[0], r, 2.5 + 2 * n);
        }
    mpfr_clear(r);
}

static void test_normalize(void **state)
{
    (void)state;
    const struct vector zero = {{0}};
    mpfr_t r, e;
    mpfr_inits2(400, r, e, (mpfr_ptr)NULL);
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < VECTORS; i++) {
            uint32_t n = 1 + (uint32_t)(i % 4);
            struct vector a = random_vector(type, n);
            double got[4];
            call(NORMALIZE, type, &a, &zero, n, got);
            exact_distance(r, &a, &zero, n);
            for (uint32_t k = 0; k < n; k++) {
                mpfr_set_d(e, a.v[k], MPFR_RNDN);
                if (!mpfr_zero_p(r))
                    mpfr_div(e, e, r, MPFR_RNDN);
                check("normalize", type, n, &a, got[k], e, 2 + n);
            }
        }
    mpfr_clears(r, e, (mpfr_ptr)NULL);
}

/* The error of cross has an absolute bound, by the largest product; refcl's is within the ulp of the
 * result. */
static void test_cross(void **state)
{
    (void)state;
    mpfr_t r, e;
    mpfr_inits2(4600, r, e, (mpfr_ptr)NULL);
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < VECTORS; i++) {
            struct vector a = random_vector(type, 3), b = random_vector(type, 3);
            double got[4], limit = ldexp(1, formats[type].max_exponent / 2);
            for (int k = 0; k < 3; k++)
                if (fabs(a.v[k]) > limit || fabs(b.v[k]) > limit ||
                    (a.v[k] != 0 && fabs(a.v[k]) < 1 / limit) || (b.v[k] != 0 && fabs(b.v[k]) < 1 / limit))
                    a.v[k] = b.v[k] = 1;
            call(CROSS, type, &a, &b, 3, got);
            for (int k = 0; k < 3; k++) {
                int j = (k + 1) % 3, l = (k + 2) % 3;
                mpfr_set_d(r, a.v[j], MPFR_RNDN);
                mpfr_mul_d(r, r, b.v[l], MPFR_RNDN);
                mpfr_set_d(e, a.v[l], MPFR_RNDN);
                mpfr_mul_d(e, e, b.v[j], MPFR_RNDN);
                mpfr_sub(r, r, e, MPFR_RNDN);
                if (mpfr_zero_p(r))
                    assert_true(got[k] == 0);
                else
                    check("cross", type, 3, &a, got[k], r, 2);
            }
        }
    mpfr_clears(r, e, (mpfr_ptr)NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_normalize),
        cmocka_unit_test(test_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
