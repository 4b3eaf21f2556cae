#include "slow_path.h"

/* The host reduces arguments with an error that is small beside 1 and may not be beside R near a zero, as a
 * multiple of pi/2 may be closer to a double than 2^-60: long double has the bits that are missing
 * [CLC 7.4]. */
static bool is_near_zero(double r)
{
    return fabs(r) < 0x1p-30;
}

double in_slow_sin(double x, double y)
{
    double r = in_is_slow(x) ? sin(x) : y;
    return in_is_slow(x) && is_near_zero(r) ? (double)sinl(x) : r;
}

double in_slow_cos(double x, double y)
{
    double r = in_is_slow(x) ? cos(x) : y;
    return in_is_slow(x) && is_near_zero(r) ? (double)cosl(x) : r;
}

double in_slow_tan(double x, double y)
{
    double r = in_is_slow(x) ? tan(x) : y;
    return in_is_slow(x) && (is_near_zero(r) || is_near_zero(1 / r)) ? (double)tanl(x) : r;
}

double in_slow_angle(double x, double y)
{
    return in_is_slow(x) ? atan2(sin(x), cos(x)) : y;
}

double in_slow_fmod(double x, double y, double r)
{
    return in_is_slow_quotient(x, y) ? fmod(x, y) : r;
}

/* A zero remainder has the sign of x, which the host does not give for the smallest y. */
double in_slow_remainder(double x, double y, double r)
{
    double rest = in_is_slow_quotient(x, y) ? remainder(x, y) : r;
    return rest == 0 ? copysign(0.0, x) : rest;
}

/* Reducing by 256 |y| first keeps the quotient's low 8 bits. */
static double quotient_bits(double x, double y)
{
    double a = fabs(x), b = fabs(y), scale = b > 0x1p1000 ? 0x1p-100 : 1;
    if (isnan(x) || isnan(y) || isinf(x) || y == 0)
        return 0;
    b *= scale;
    a = fmod(a * scale, 256 * b);
    uint32_t q = 0;
    for (uint32_t step = 128; step > 0; step /= 2)
        if (a >= step * b) {
            a -= step * b;
            q += step;
        }
    double rest = b - a;
    q = (q + (a > rest || (a == rest && (q & 1)))) & 127;
    return signbit(x) != signbit(y) ? -(double)q : q;
}

double in_slow_quotient(double x, double y, double q)
{
    return in_is_slow_quotient(x, y) ? quotient_bits(x, y) : q;
}
