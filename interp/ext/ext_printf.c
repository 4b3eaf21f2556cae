/* printf's format language [CLC 6.15.14]: C's, less * and n, plus vectors (v2 .. v16) and the length modifier
 * hl. */
#include "ext_printf.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"

/* One conversion specification, taken apart. */
struct directive {
    char flags[6];        /* each of "-+ #0" at most once */
    int width, precision; /* -1: none */
    uint32_t vector;      /* elements, 1 for a scalar */
    uint32_t length;      /* bytes that the length modifier says, 0: none */
    bool hl;
    char conversion;
};

struct output {
    char *text;
    size_t size, length;
};

static void put_text(struct output *out, const char *text, size_t length)
{
    if (out->length < out->size) {
        size_t room = out->size - out->length;
        memcpy(out->text + out->length, text, length < room ? length : room);
    }
    out->length += length;
}

static void put_repeated(struct output *out, char c, size_t count)
{
    while (count-- > 0)
        put_text(out, &c, 1);
}

/* ---- reading a specification ------------------------------------------------------------------------ */

struct cursor {
    const char *p, *end;
};

static char peek_char(const struct cursor *c)
{
    return c->p < c->end ? *c->p : '\0';
}

static bool accept_text(struct cursor *c, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, text, n) != 0)
        return false;
    c->p += n;
    return true;
}

/* WIDEST: characters of one conversion that every C implementation supports; LARGEST adds the digits of the
 * largest double. */
enum { WIDEST = 4095, LARGEST = WIDEST + 512 };

/* A decimal number, -1 if it exceeds WIDEST; 0 if there are no digits. */
static int parse_number(struct cursor *c)
{
    int n = 0;
    for (; peek_char(c) >= '0' && peek_char(c) <= '9'; c->p++)
        if (n >= 0)
            n = n * 10 + (*c->p - '0') > WIDEST ? -1 : n * 10 + (*c->p - '0');
    return n;
}

static void read_flags(struct cursor *c, struct directive *d)
{
    size_t n = 0;
    for (; peek_char(c) && strchr("-+ #0", peek_char(c)); c->p++)
        if (!memchr(d->flags, *c->p, n))
            d->flags[n++] = *c->p;
    d->flags[n] = '\0';
}

static const char *read_length(struct cursor *c, struct directive *d)
{
    if (accept_text(c, "hh")) {
        d->length = 1;
    } else if (accept_text(c, "hl")) {
        d->length = 4;
        d->hl = true;
    } else if (accept_text(c, "h")) {
        d->length = 2;
    } else if (accept_text(c, "l") || accept_text(c, "z") || accept_text(c, "t")) {
        d->length = 8; /* size_t and ptrdiff_t of 64-bit devices */
    }
    if (peek_char(c) && strchr("lLqjzt", peek_char(c)))
        return "length modifier that OpenCL C does not have";
    if (d->hl && d->vector == 1)
        return "length modifier hl without a vector specifier";
    return NULL;
}

static const char *read_directive(struct cursor *c, struct directive *d)
{
    *d = (struct directive){.width = -1, .precision = -1, .vector = 1};
    read_flags(c, d);
    if (peek_char(c) == '*')
        return "field width *, which OpenCL C does not have";
    if (peek_char(c) >= '1' && peek_char(c) <= '9' && (d->width = parse_number(c)) < 0)
        return "field width too large";
    if (accept_text(c, ".")) {
        if (peek_char(c) == '*')
            return "precision *, which OpenCL C does not have";
        if ((d->precision = parse_number(c)) < 0)
            return "precision too large";
    }
    if (accept_text(c, "v")) {
        int n = parse_number(c);
        if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16)
            return "vector specifier other than v2, v3, v4, v8, v16";
        d->vector = (uint32_t)n;
    }
    const char *problem = read_length(c, d);
    if (problem)
        return problem;
    d->conversion = peek_char(c);
    if (!d->conversion || !strchr("diouxXfFeEgGaAcsp", d->conversion))
        return "unknown conversion specifier";
    c->p++;
    if (strchr("csp", d->conversion) && (d->vector != 1 || d->length != 0))
        return "vector specifier or length modifier with c, s or p";
    return NULL;
}

/* ---- writing a value --------------------------------------------------------------------------------- */

/* Rebuilds the specification for the host's printf.  FORMAT holds 32 bytes. */
static void host_format(const struct directive *d, const char *modifier, char *format)
{
    int n = sprintf(format, "%%%s", d->flags);
    if (d->width >= 0)
        n += sprintf(format + n, "%d", d->width);
    if (d->precision >= 0)
        n += sprintf(format + n, ".%d", d->precision);
    sprintf(format + n, "%s%c", modifier, d->conversion);
}

static double float_value(const unsigned char *data, uint32_t size)
{
    uint16_t half;
    float single;
    double value;
    switch (size) {
    case 2:
        memcpy(&half, data, sizeof half);
        return in_half_to_f64(half);
    case 4:
        memcpy(&single, data, sizeof single);
        return (double)single;
    default:
        memcpy(&value, data, sizeof value);
        return value;
    }
}

/* Formats a number in the C locale, independent of the application's. */
static void put_float(struct output *out, const struct directive *d, double value)
{
    char format[32], text[LARGEST];
    host_format(d, "", format);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    int n = snprintf(text, sizeof text, format, value);
    if (c) {
        uselocale(before);
        freelocale(c);
    }
    if (n > 0)
        put_text(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* DATA is as wide as it was passed; it is truncated to the width of the length modifier, or to int without
 * one. */
static void put_integer(struct output *out, const struct directive *d, const unsigned char *data,
                        uint32_t size)
{
    char format[32], text[LARGEST];
    uint64_t bits = 0;
    memcpy(&bits, data, size);
    uint32_t cut = d->length ? d->length : d->vector > 1 ? size : 4;
    bool is_signed = d->conversion == 'd' || d->conversion == 'i';
    unsigned unused = 64 - 8 * size;
    if (is_signed)
        bits = (uint64_t)((int64_t)(bits << unused) >> unused);
    unused = 64 - 8 * cut;
    bits = is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits << unused >> unused;
    host_format(d, "ll", format);
    int n = snprintf(text, sizeof text, format, (unsigned long long)bits);
    if (n > 0)
        put_text(out, text, (size_t)n);
}

static void put_padded(struct output *out, const struct directive *d, const char *text, size_t length)
{
    size_t width = d->width > 0 ? (size_t)d->width : 0;
    size_t padding = width > length ? width - length : 0;
    bool left = strchr(d->flags, '-') != NULL;
    if (!left)
        put_repeated(out, ' ', padding);
    put_text(out, text, length);
    if (left)
        put_repeated(out, ' ', padding);
}

static uint64_t address_of(const struct in_printf_value *v)
{
    uint64_t address = 0;
    memcpy(&address, v->data, v->element_size);
    return address;
}

static const char *put_string(struct output *out, const struct directive *d, const struct in_printf_value *v,
                              const struct in_printf *call)
{
    uint64_t address = address_of(v);
    size_t length = 6;
    const char *text = address == 0   ? "(null)"
                       : call->string ? call->string(call->context, address, &length)
                                      : NULL;
    if (!text)
        return "argument of %s is not a readable string";
    if (d->precision >= 0 && length > (size_t)d->precision)
        length = (size_t)d->precision;
    put_padded(out, d, text, length);
    return NULL;
}

static void put_pointer(struct output *out, const struct directive *d, const struct in_printf_value *v)
{
    char text[32];
    int n = sprintf(text, "0x%llx", (unsigned long long)address_of(v));
    put_padded(out, d, text, (size_t)n);
}

static const char *type_mismatch(const struct directive *d, const struct in_printf_value *v)
{
    bool wants_float = strchr("fFeEgGaA", d->conversion) != NULL;
    uint32_t size = v->element_size;
    if (v->is_float != wants_float)
        return wants_float ? "floating-point conversion of another type"
                           : "floating-point value for an integer conversion";
    if (strchr("sp", d->conversion) && size != 8)
        return "argument of s or p is not a pointer";
    if (v->count != d->vector)
        return d->vector > 1 ? "vector specifier does not match the argument"
                             : "vector without a vector specifier";
    if (size != 8 && size != 4 && size != 2 && (size != 1 || wants_float))
        return "argument size is not supported by printf";
    if (d->vector > 1 && d->length != 0 && d->length != size)
        return "length modifier does not match the vector's elements";
    return NULL;
}

static const char *put_value(struct output *out, const struct directive *d, const struct in_printf_value *v,
                             const struct in_printf *call)
{
    const char *problem = type_mismatch(d, v);
    if (problem)
        return problem;
    if (d->conversion == 's')
        return put_string(out, d, v, call);
    if (d->conversion == 'p') {
        put_pointer(out, d, v);
        return NULL;
    }
    if (d->conversion == 'c') {
        put_padded(out, d, v->data, 1);
        return NULL;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const unsigned char *element = (const unsigned char *)v->data + (size_t)i * v->element_size;
        if (i > 0)
            put_text(out, ",", 1);
        if (v->is_float)
            put_float(out, d, float_value(element, v->element_size));
        else
            put_integer(out, d, element, v->element_size);
    }
    return NULL;
}

size_t in_printf_format(const struct in_printf *call, char *out, size_t size, const char **problem)
{
    struct output output = {out, size, 0};
    struct cursor c = {call->format, call->format + call->length};
    size_t used = 0;
    *problem = NULL;
    while (c.p < c.end && !*problem) {
        const char *percent = memchr(c.p, '%', (size_t)(c.end - c.p));
        const char *stop = percent ? percent : c.end;
        put_text(&output, c.p, (size_t)(stop - c.p));
        c.p = stop;
        if (!percent)
            break;
        c.p++;
        if (accept_text(&c, "%")) {
            put_text(&output, "%", 1);
            continue;
        }
        struct directive d;
        *problem = read_directive(&c, &d);
        if (!*problem)
            *problem = used < call->count ? put_value(&output, &d, &call->values[used++], call)
                                          : "fewer arguments than conversion specifiers";
    }
    return output.length;
}
