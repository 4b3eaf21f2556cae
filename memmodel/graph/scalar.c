/* Scalars of OpenCL C: names and values. */
#include "memmodel/memmodel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mm_scalar mm_scalar_named(const char *name)
{
    static const struct {
        const char *name;
        struct mm_scalar scalar;
    } scalars[] = {{"char", {1, MM_SCALAR_SIGNED}},        {"uchar", {1, MM_SCALAR_UNSIGNED}},
                   {"short", {2, MM_SCALAR_SIGNED}},       {"ushort", {2, MM_SCALAR_UNSIGNED}},
                   {"int", {4, MM_SCALAR_SIGNED}},         {"uint", {4, MM_SCALAR_UNSIGNED}},
                   {"long", {8, MM_SCALAR_SIGNED}},        {"ulong", {8, MM_SCALAR_UNSIGNED}},
                   {"half", {2, MM_SCALAR_FLOAT}},         {"float", {4, MM_SCALAR_FLOAT}},
                   {"double", {8, MM_SCALAR_FLOAT}},       {"size_t", {8, MM_SCALAR_UNSIGNED}},
                   {"ptrdiff_t", {8, MM_SCALAR_SIGNED}},   {"bool", {1, MM_SCALAR_UNSIGNED}},
                   {"atomic_int", {4, MM_SCALAR_SIGNED}},  {"atomic_uint", {4, MM_SCALAR_UNSIGNED}},
                   {"atomic_long", {8, MM_SCALAR_SIGNED}}, {"atomic_ulong", {8, MM_SCALAR_UNSIGNED}},
                   {"atomic_float", {4, MM_SCALAR_FLOAT}}, {"atomic_double", {8, MM_SCALAR_FLOAT}},
                   {"atomic_half", {2, MM_SCALAR_FLOAT}}};
    size_t length = strcspn(name, "0123456789* ");
    const char *rest = name + length;
    rest += strspn(rest, "0123456789");
    rest += strspn(rest, " ");
    rest += *rest == '*';
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars && !*rest; i++)
        if (strlen(scalars[i].name) == length && memcmp(scalars[i].name, name, length) == 0)
            return scalars[i].scalar;
    return (struct mm_scalar){0};
}

static double half_value(uint64_t bits)
{
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                       : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                      : ldexp(fraction, -24);
    return bits >> 15 & 1 ? -magnitude : magnitude;
}

double mm_scalar_real(uint64_t bits, unsigned size)
{
    uint32_t low = (uint32_t)bits;
    float f;
    double d;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return size == 2 ? half_value(bits) : size == 4 ? (double)f : d;
}

static int put_real(char *text, size_t size, uint64_t bits, unsigned bytes)
{
    static const int least[] = {[2] = 3, [4] = 6, [8] = 15}, most[] = {[2] = 5, [4] = 9, [8] = 17};
    double value = mm_scalar_real(bits, bytes);
    int length = 0;
    for (int digits = least[bytes]; digits <= most[bytes]; digits++) {
        length = snprintf(text, size, "%.*g", digits, value);
        double again = strtod(text, NULL);
        if ((bytes == 4 ? (double)(float)again : again) == value)
            break;
    }
    return length;
}

static int put_scalar(char *text, size_t size, uint64_t bits, struct mm_scalar scalar)
{
    unsigned shift = 64 - 8 * scalar.size;
    if (scalar.kind == MM_SCALAR_FLOAT)
        return put_real(text, size, bits, scalar.size);
    if (scalar.kind == MM_SCALAR_SIGNED)
        return snprintf(text, size, "%" PRId64, (int64_t)(bits << shift) >> shift);
    return snprintf(text, size, "%" PRIu64, bits << shift >> shift);
}

void mm_scalar_text(struct mm_scalar scalar, uint64_t bits, unsigned bytes, char text[MM_SCALAR_TEXT])
{
    size_t used = 0;
    bool known = scalar.size && scalar.kind && bytes && bytes % scalar.size == 0 && bytes <= sizeof bits;
    if (!known)
        snprintf(text, MM_SCALAR_TEXT, "%" PRIu64, bits);
    for (unsigned at = 0; known && at < bytes; at += scalar.size) {
        used += (size_t)snprintf(text + used, MM_SCALAR_TEXT - used, "%s", at ? ", " : "");
        used += (size_t)put_scalar(text + used, MM_SCALAR_TEXT - used, bits >> 8 * at, scalar);
    }
}
