/* See escape.h. */
#include "memmodel/base/escape.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the well-formed UTF-8 character at TEXT, 0 if there is none; *CODE is its code point. */
static size_t decode_utf8(const char *text, uint32_t *code)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    *code = n == 1 ? s[0] : n ? s[0] & (0x7fu >> n) : 0;
    for (size_t i = 1; i < n; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    return n && (*code < lowest[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) ? 0 : n;
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* True for invisible characters that reorder or hide other characters. */
static bool is_invisible(uint32_t code)
{
    return code == 0x61c || code == 0xfeff || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f);
}

/* ---- terminals --------------------------------------------------------------------------------- */

void mm_put_terminal(const char *s, size_t n, FILE *out)
{
    for (size_t i = 0; i < n;) {
        char next[5] = ""; /* zero-terminated, so that decoding stops at the N-th byte */
        uint32_t code;
        memcpy(next, s + i, n - i < 4 ? n - i : 4);
        size_t bytes = *next ? decode_utf8(next, &code) : 0;
        size_t taken = bytes ? bytes : 1;
        if (bytes == 0 || is_control(code))
            for (size_t k = 0; k < taken; k++)
                fprintf(out, "\\x%02x", (unsigned char)next[k]);
        else if (is_invisible(code))
            fprintf(out, "\\u{%x}", (unsigned)code);
        else
            fwrite(next, 1, bytes, out);
        i += taken;
    }
}

/* One conversion of a format, "%-8.3lu". */
struct conversion {
    char text[48]; /* with the numbers that stood for `*` */
    size_t used;
    int width, precision; /* -1: none */
    int longs; /* number of length modifiers l; z and t count as one, j as two, for types of the same size */
    char type;
};

static void append_char(struct conversion *c, const char *s)
{
    size_t n = strlen(s);
    if (c->used + n < sizeof c->text) {
        memcpy(c->text + c->used, s, n + 1);
        c->used += n;
    }
}

/* Reads a width or precision from the format, or for `*` from the arguments. */
static const char *take_number(struct conversion *c, const char *p, int *number, va_list *arguments)
{
    char digits[16];
    *number = 0;
    if (*p == '*') {
        *number = va_arg(*arguments, int);
        p++;
    } else {
        while (*p >= '0' && *p <= '9' && *number < 1000000)
            *number = *number * 10 + (*p++ - '0');
    }
    snprintf(digits, sizeof digits, "%d", *number);
    append_char(c, digits);
    return p;
}

static const char *take_conversion(struct conversion *c, const char *p, va_list *arguments)
{
    *c = (struct conversion){.text = "%", .used = 1, .width = -1, .precision = -1};
    for (; *p && strchr("-+ #0'", *p); p++)
        append_char(c, (char[]){*p, 0});
    if (*p == '*' || (*p >= '0' && *p <= '9'))
        p = take_number(c, p, &c->width, arguments);
    if (*p == '.') {
        append_char(c, ".");
        p = take_number(c, p + 1, &c->precision, arguments);
    }
    for (; *p && strchr("hlzjt", *p); p++) {
        c->longs += *p == 'j' ? 2 : *p != 'h';
        append_char(c, (char[]){*p, 0});
    }
    c->type = *p;
    append_char(c, (char[]){*p, 0});
    return *p ? p + 1 : p;
}

static void put_string(const struct conversion *c, const char *s, FILE *out)
{
    s = s ? s : "(null)";
    size_t n = c->precision < 0 ? strlen(s) : strnlen(s, (size_t)c->precision);
    bool left = strchr(c->text, '-') != NULL;
    int padding = c->width > 0 && (size_t)c->width > n ? c->width - (int)n : 0;
    fprintf(out, "%*s", left ? 0 : padding, "");
    mm_put_terminal(s, n, out);
    fprintf(out, "%*s", left ? padding : 0, "");
}

static void put_argument(const struct conversion *c, va_list *arguments, FILE *out)
{
    char character;
    switch (c->type) {
    case 's':
        put_string(c, va_arg(*arguments, const char *), out);
        break;
    case 'c':
        character = (char)va_arg(*arguments, int);
        mm_put_terminal(&character, 1, out);
        break;
    case 'd':
    case 'i':
        if (c->longs > 1)
            fprintf(out, c->text, va_arg(*arguments, long long));
        else if (c->longs)
            fprintf(out, c->text, va_arg(*arguments, long));
        else
            fprintf(out, c->text, va_arg(*arguments, int));
        break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        if (c->longs > 1)
            fprintf(out, c->text, va_arg(*arguments, unsigned long long));
        else if (c->longs)
            fprintf(out, c->text, va_arg(*arguments, unsigned long));
        else
            fprintf(out, c->text, va_arg(*arguments, unsigned));
        break;
    case 'p':
        fprintf(out, c->text, va_arg(*arguments, void *));
        break;
    case '%':
        fputc('%', out);
        break;
    default:
        fprintf(out, c->text, va_arg(*arguments, double));
    }
}

_Static_assert(sizeof(long) == sizeof(size_t) && sizeof(long) == sizeof(ptrdiff_t) &&
                   sizeof(long long) == sizeof(intmax_t),
               "arguments are as long as the conversions say");

void mm_vprint(FILE *out, const char *format, va_list given)
{
    va_list arguments;
    va_copy(arguments, given);
    while (*format) {
        size_t plain = strcspn(format, "%");
        struct conversion c;
        fwrite(format, 1, plain, out);
        format += plain;
        if (*format) {
            format = take_conversion(&c, format + 1, &arguments);
            put_argument(&c, &arguments, out);
        }
    }
    va_end(arguments);
}

void mm_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    mm_vprint(out, format, arguments);
    va_end(arguments);
}

/* ---- markup ------------------------------------------------------------------------------------ */

static const char *html_entity(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void put_markup(const char *s, bool html, FILE *out)
{
    while (s && *s) {
        uint32_t code;
        size_t bytes = decode_utf8(s, &code);
        bool space = code == '\n' || code == '\t' || code == '\r';
        if (!bytes || code == 0xfffe || code == 0xffff || (is_control(code) && !space))
            fputs(REPLACEMENT, out);
        else if (html_entity(code))
            fputs(html_entity(code), out);
        else if (space && !html) /* an attribute keeps them so */
            fprintf(out, "&#%u;", (unsigned)code);
        else if (html && is_invisible(code))
            fprintf(out, "\\u{%x}", (unsigned)code);
        else
            fwrite(s, 1, bytes, out);
        s += bytes ? bytes : 1;
    }
}

void mm_put_xml(const char *s, FILE *out)
{
    put_markup(s, false, out);
}

void mm_put_html(const char *s, FILE *out)
{
    put_markup(s, true, out);
}

bool mm_is_utf8(const char *s)
{
    uint32_t code;
    size_t bytes = 1;
    while (*s && bytes)
        s += bytes = decode_utf8(s, &code);
    return bytes;
}

void mm_put_json_string(const char *s, bool script, FILE *out)
{
    fputc('"', out);
    while (*s) {
        uint32_t code;
        size_t bytes = decode_utf8(s, &code);
        if (!bytes)
            fputs("\\ufffd", out);
        else if (code < 0x20 || code == 0x7f || (script && code == '<'))
            fprintf(out, "\\u%04x", (unsigned)code);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else
            fwrite(s, 1, bytes, out);
        s += bytes ? bytes : 1;
    }
    fputc('"', out);
}

void mm_put_json(const char *json, bool script, FILE *out)
{
    while (*json) {
        uint32_t code;
        size_t bytes = decode_utf8(json, &code);
        if (!bytes)
            fputs(REPLACEMENT, out);
        else if (script && code == '<')
            fputs("\\u003c", out);
        else
            fwrite(json, 1, bytes, out);
        json += bytes ? bytes : 1;
    }
}
