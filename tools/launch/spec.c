/* The parser of kernel arguments. */
#include "tools/launch/spec.h"
#include "memmodel/base/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at, *wrong; /* WRONG: the error is there instead */
    unsigned depth;
    char *message;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->message, r->size, format, arguments);
    va_end(arguments);
    return false;
}

/* The word of LENGTH bytes at AT is none of WORDS, which end with NULL: names the nearest one after WHAT is
 * possible. */
static bool wrong_word(struct reader *r, const char *at, size_t length, const char *what,
                       const char *const *words)
{
    char word[MM_NEAREST_LONGEST];
    size_t count = 0;
    while (words[count])
        count++;
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    const char *nearest = mm_nearest(word, words, count);
    r->wrong = at;
    return wrong(r, "'%s' is %s%s%s%s", word, what, nearest ? "; did you mean " : "", nearest ? nearest : "",
                 nearest ? "?" : "");
}

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_space(r);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* ---- values --------------------------------------------------------------------------------------- */

static bool read_scalar(struct reader *r, struct spec_value *value)
{
    char *whole_end, *real_end;
    skip_space(r);
    const char *digits = r->at + (*r->at == '-' || *r->at == '+');
    bool negative = *r->at == '-', hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (!isdigit((unsigned char)*digits) && *digits != '.' && strncmp(digits, "inf", 3) != 0 &&
        strncmp(digits, "nan", 3) != 0)
        return wrong(r, "a number is expected at '%.20s'", *r->at ? r->at : "the end");
    double real = strtod(r->at, &real_end);
    uint64_t whole = strtoull(digits, &whole_end, 0);
    bool is_real = real_end > whole_end && !hexadecimal;
    *value = (struct spec_value){.form = is_real ? SPEC_REAL : hexadecimal ? SPEC_HEXADECIMAL : SPEC_DECIMAL};
    value->whole = negative ? 0 - whole : whole;
    value->real = real;
    r->at = is_real ? real_end : whole_end;
    r->at += strspn(r->at, is_real ? "fF" : "uUlL");
    return true;
}

static bool read_value(struct reader *r, struct spec_value *value);

static bool add_item(struct reader *r, struct spec_value *list)
{
    if (list->count == SPEC_ITEMS)
        return wrong(r, "more than %d values", SPEC_ITEMS);
    if ((list->count & (list->count - 1)) == 0) {
        struct spec_value *bigger =
            realloc(list->items, (list->count ? 2 * (size_t)list->count : 1) * sizeof *bigger);
        if (!bigger)
            return wrong(r, "out of memory");
        list->items = bigger;
    }
    list->items[list->count] = (struct spec_value){0};
    return read_value(r, &list->items[list->count++]);
}

static bool read_value(struct reader *r, struct spec_value *value)
{
    if (!accept_word(r, "{"))
        return read_scalar(r, value);
    *value = (struct spec_value){.form = SPEC_LIST};
    if (++r->depth > SPEC_DEPTH)
        return wrong(r, "braces nested deeper than %d", SPEC_DEPTH);
    while (!accept_word(r, "}")) {
        if (!add_item(r, value))
            return false;
        skip_space(r);
        if (!accept_word(r, ",") && *r->at != '}')
            return wrong(r, "',' or '}' is expected at '%.20s'", *r->at ? r->at : "the end");
    }
    r->depth--;
    return true;
}

/* A value, or several with commas in between: a vector. */
static bool read_values(struct reader *r, struct spec_value *value)
{
    if (!read_value(r, value))
        return false;
    skip_space(r);
    if (*r->at != ',')
        return true;
    struct spec_value first = *value;
    *value = (struct spec_value){.form = SPEC_LIST, .count = 1, .items = malloc(sizeof first)};
    if (!value->items) {
        *value = first;
        return wrong(r, "out of memory");
    }
    value->items[0] = first;
    while (accept_word(r, ","))
        if (!add_item(r, value))
            return false;
    return true;
}

static void clear_value(struct spec_value *value)
{
    for (uint32_t i = 0; i < value->count; i++)
        clear_value(&value->items[i]);
    free(value->items);
    *value = (struct spec_value){0};
}

int64_t spec_whole(const struct spec_value *value)
{
    return value->form == SPEC_REAL ? (int64_t)value->real : (int64_t)value->whole;
}

double spec_real(const struct spec_value *value)
{
    return value->form == SPEC_REAL ? value->real : (double)(int64_t)value->whole;
}

static bool number_fits(const struct spec_value *value, const struct spec_scalar *scalar)
{
    unsigned bits = 8 * scalar->bytes;
    if (scalar->kind == 'f' || (bits >= 64 && value->form != SPEC_REAL))
        return true;
    double half = bits >= 64 ? 0x1p63 : (double)(UINT64_C(1) << (bits - 1));
    double number = value->form == SPEC_HEXADECIMAL ? (double)value->whole : spec_real(value);
    return number >= -half && number < 2 * half &&
           (value->form != SPEC_REAL || (double)(int64_t)number == number);
}

bool spec_fits(const struct spec_value *value, const struct spec_scalar *scalar, char *number, size_t size)
{
    bool fits = value->form == SPEC_LIST || number_fits(value, scalar);
    for (uint32_t i = 0; i < value->count && fits; i++)
        if (!spec_fits(&value->items[i], scalar, number, size))
            return false;
    if (!fits && value->form == SPEC_REAL)
        snprintf(number, size, "%.17g", value->real);
    else if (!fits)
        snprintf(number, size, value->form == SPEC_HEXADECIMAL ? "0x%" PRIx64 : "%" PRId64, value->whole);
    return fits;
}

/* ---- memory --------------------------------------------------------------------------------------- */

static bool read_number(struct reader *r, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)*r->at))
        return wrong(r, "a number is expected at '%.20s'", *r->at ? r->at : "the end");
    *number = strtoull(r->at, &end, 0);
    r->at = end;
    return true;
}

/* Reads a word up to the next ':' or the end. */
static bool read_word(struct reader *r, char *word, size_t size)
{
    size_t n = strcspn(r->at, ":");
    if (n == 0 || n >= size)
        return wrong(r, "a word is expected at '%.20s'", *r->at ? r->at : "the end");
    memcpy(word, r->at, n);
    word[n] = 0;
    r->at += n;
    return true;
}

static bool is_signed_at(const char *at)
{
    return isdigit((unsigned char)at[*at == '-' || *at == '+']);
}

static bool read_signed(struct reader *r, int64_t *number)
{
    const char *at = r->at;
    char *end;
    if (!is_signed_at(at))
        return wrong(r, "a number is expected at '%.20s'", *at ? at : "the end");
    errno = 0;
    *number = strtoll(at, &end, 0);
    r->at = end;
    return !errno || wrong(r, "a number with a sign has at most 63 bits: '%.20s'", at);
}

/* "any" or "any:LOW..HIGH"; false without a message: neither. */
static bool read_any(struct reader *r, struct spec *spec)
{
    size_t n = strncmp(r->at, "any", 3) == 0 ? 3 : 0;
    if (!n || (r->at[n] && r->at[n] != ':'))
        return false;
    r->at += n;
    spec->fill = SPEC_ANY;
    if (*r->at != ':' || !(is_signed_at(r->at + 1) || r->at[1] == '-' || r->at[1] == '+'))
        return true;
    r->at++;
    spec->is_ranged = true;
    if (!read_signed(r, &spec->low))
        return false;
    if (!accept_word(r, "..") || !is_signed_at(r->at))
        return wrong(r, "a range is LOW..HIGH, not '%.20s'", *r->at ? r->at : "the end");
    if (!read_signed(r, &spec->high))
        return false;
    return spec->low <= spec->high || wrong(r, "a range whose lower limit is above the upper one");
}

static bool read_contents(struct reader *r, struct spec *spec)
{
    if (read_any(r, spec))
        return true;
    if (*r->message)
        return false;
    if (accept_word(r, "fill=")) {
        spec->fill = SPEC_FILL;
        return read_values(r, &spec->value);
    }
    if (accept_word(r, "rand=")) {
        spec->fill = SPEC_RANDOM;
        return read_number(r, &spec->number);
    }
    if (accept_word(r, "below=") || accept_word(r, "indices=")) {
        spec->fill = r->at[-2] == 'w' ? SPEC_BELOW : SPEC_INDICES;
        return read_number(r, &spec->number) && (spec->number || wrong(r, "there is no number below 0"));
    }
    if (accept_word(r, "file=")) {
        spec->fill = SPEC_FILE;
        return read_word(r, spec->file, sizeof spec->file);
    }
    if (accept_word(r, "read_only") || accept_word(r, "write_only")) {
        spec->access = r->at[-6] == 'd' ? SPEC_READ_ONLY : SPEC_WRITE_ONLY;
        return true;
    }
    if (accept_word(r, "out="))
        return read_word(r, spec->output, sizeof spec->output);
    if (accept_word(r, "as="))
        return spec->kind == SPEC_BUFFER || spec->kind == SPEC_SVM
                   ? read_word(r, spec->as, sizeof spec->as)
                   : wrong(r, "as=TYPE is for buffers and SVM");
    if (accept_word(r, "changing=")) {
        spec->fill = SPEC_CHANGING;
        spec->has_last = true;
        return read_signed(r, &spec->last);
    }
    static const struct {
        const char *word;
        enum spec_fill fill;
    } words[] = {{"zero", SPEC_ZERO}, {"iota", SPEC_IOTA}, {"changing", SPEC_CHANGING}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (accept_word(r, words[i].word)) {
            spec->fill = words[i].fill;
            return true;
        }
    static const char *const all[] = {"zero",   "iota",     "any", "fill",      "rand",
                                      "below",  "file",     "out", "read_only", "write_only",
                                      "levels", "changing", "as",  NULL};
    return wrong_word(
        r, r->at, strcspn(r->at, ":="),
        "no initial value: zero, iota, fill=V, rand=SEED, below=LIMIT, file=PATH, any, out=PATH, read_only, "
        "write_only and as=TYPE are possible",
        all);
}

static bool read_all_contents(struct reader *r, struct spec *spec)
{
    while (*r->at == ':') {
        r->at++;
        if (!read_contents(r, spec))
            return false;
    }
    return true;
}

static bool read_buffer(struct reader *r, struct spec *spec)
{
    if (strncmp(r->at, "file=", 5) == 0)
        return read_contents(r, spec) && read_all_contents(r, spec);
    if (!isdigit((unsigned char)*r->at))
        return wrong(r, "a buffer argument is buf:N[:INIT], not: %.30s", r->at);
    if (!read_number(r, &spec->count))
        return false;
    if (spec->count == 0)
        return wrong(r, "a buffer argument has at least one element");
    return read_all_contents(r, spec);
}

/* "64x32" */
static bool read_extent(struct reader *r, struct spec *spec)
{
    for (int i = 0; i < 3; i++) {
        if (!read_number(r, &spec->size[i]))
            return false;
        if (spec->size[i] == 0)
            return wrong(r, "an image has no side of 0");
        if (*r->at != 'x')
            return true;
        r->at++;
    }
    return wrong(r, "an image has at most three sides");
}

/* "levels=3" */
static bool read_levels(struct reader *r, struct spec *spec)
{
    static const char name[] = ":levels=";
    if (strncmp(r->at, name, sizeof name - 1) != 0)
        return true;
    r->at += sizeof name - 1;
    return read_number(r, &spec->levels) &&
           ((spec->levels > 0 && spec->levels <= 32) || wrong(r, "an image has from 1 to 32 levels"));
}

static const char *const orders[SPEC_ORDERS] = {"rgba", "bgra", "rg", "r"};
static const char *const channels[SPEC_CHANNELS] = {"8",  "16",  "8s",  "16s", "32",   "32f", "16f",
                                                    "8i", "16i", "32i", "8ui", "16ui", "32ui"};

bool spec_format_find(const char *text, enum spec_order *order, enum spec_channel *channel)
{
    for (unsigned i = 0; i < SPEC_ORDERS; i++) {
        size_t n = strlen(orders[i]);
        for (unsigned k = 0; k < SPEC_CHANNELS && strncmp(text, orders[i], n) == 0; k++)
            if (strcmp(text + n, channels[k]) == 0) {
                *order = i;
                *channel = k;
                return true;
            }
    }
    return false;
}

static bool read_format(struct reader *r, struct spec *spec)
{
    char names[SPEC_ORDERS * SPEC_CHANNELS][12];
    const char *words[SPEC_ORDERS * SPEC_CHANNELS + 1] = {NULL}, *at = r->at;
    enum spec_order order;
    enum spec_channel channel;
    if (!read_word(r, spec->format, sizeof spec->format))
        return false;
    if (spec_format_find(spec->format, &order, &channel))
        return true;
    for (unsigned i = 0; i < SPEC_ORDERS * SPEC_CHANNELS; i++) {
        snprintf(names[i], sizeof names[i], "%s%s", orders[i / SPEC_CHANNELS], channels[i % SPEC_CHANNELS]);
        words[i] = names[i];
    }
    return wrong_word(
        r, at, strlen(spec->format),
        "no format of images: r, rg, rgba or bgra with 8, 16 or 32 bits and f, i, ui, s or nothing, such "
        "as rgba8 or r32f, are possible",
        words);
}

/* KIND:EXTENT[:FORMAT][:levels=N][:CONTENTS]... */
static bool read_image(struct reader *r, struct spec *spec)
{
    static const char *const kinds[] = {"1d", "1d_array", "2d", "2d_array", "3d", NULL};
    const char *kind = r->at;
    bool known = false;
    snprintf(spec->format, sizeof spec->format, "rgba8");
    if (!read_word(r, spec->image_kind, sizeof spec->image_kind))
        return false;
    for (size_t i = 0; kinds[i]; i++)
        known |= strcmp(spec->image_kind, kinds[i]) == 0;
    if (!known)
        return wrong_word(r, kind, strlen(spec->image_kind),
                          "no kind of image: 1d, 1d_array, 2d, 2d_array and 3d are possible", kinds);
    if (*r->at == ':' && isdigit((unsigned char)r->at[1])) {
        r->at++;
        if (!read_extent(r, spec))
            return false;
    }
    const char *rest = r->at + (*r->at == ':');
    size_t n = strcspn(rest, ":=");
    if (*r->at == ':' && rest[n] != '=' && strncmp(rest, "zero", 4) != 0 && strncmp(rest, "iota", 4) != 0 &&
        strncmp(rest, "changing", 8) != 0) {
        r->at++;
        if (!read_format(r, spec))
            return false;
    }
    if (!read_levels(r, spec) || !read_all_contents(r, spec))
        return false;
    return spec->size[0] || *spec->file ||
           wrong(r, "an image needs its size, as in image:2d:64x64, or a file");
}

static bool read_sampler(struct reader *r, struct spec *spec)
{
    enum { MODES = 5, NORMALIZED = MODES, LINEAR };
    static const char *const words[] = {"none",       "clamp",  "edge",    "repeat", "mirror",
                                        "normalized", "linear", "nearest", NULL};
    snprintf(spec->addressing, sizeof spec->addressing, "edge");
    while (*r->at == ':') {
        char word[24];
        unsigned i = 0;
        const char *at = ++r->at;
        if (!read_word(r, word, sizeof word))
            return false;
        while (words[i] && strcmp(word, words[i]) != 0)
            i++;
        if (!words[i])
            return wrong_word(
                r, at, strlen(word),
                "no word of a sampler: none, clamp, edge, repeat or mirror, normalized, nearest "
                "and linear are possible",
                words);
        if (i < MODES)
            snprintf(spec->addressing, sizeof spec->addressing, "%s", word);
        spec->normalized |= i == NORMALIZED;
        spec->linear |= i == LINEAR;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

size_t spec_name_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n && n < SPEC_NAME && text[n] == '=' && !isdigit((unsigned char)*text) ? n : 0;
}

/* The value of a further launch, behind WORD if that is there. */
static bool read_further(struct reader *r, const char *word, bool *has, int64_t *value)
{
    *has = accept_word(r, word);
    return !*has ||
           (is_signed_at(r->at) ? read_signed(r, value)
                                : wrong(r, "an integer is expected at '%.20s'", *r->at ? r->at : "the end"));
}

static bool read_spec(struct reader *r, struct spec *spec)
{
    static const struct {
        const char *word;
        enum spec_kind kind;
        bool (*read)(struct reader *, struct spec *);
    } memories[] = {{"buf:", SPEC_BUFFER, read_buffer},
                    {"svm:", SPEC_SVM, read_buffer},
                    {"image:", SPEC_IMAGE, read_image}};
    static const char *const kinds[] = {"buf",     "svm",  "image", "local", "pipe",
                                        "sampler", "null", "any",   NULL};
    size_t n = spec_name_length(r->at);
    memcpy(spec->name, r->at, n);
    r->at += n ? n + 1 : 0;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        if (accept_word(r, memories[i].word)) {
            spec->kind = memories[i].kind;
            return memories[i].read(r, spec);
        }
    if (accept_word(r, "local:")) {
        spec->kind = SPEC_LOCAL;
        return read_number(r, &spec->count) &&
               (spec->count || wrong(r, "a local argument has at least one byte"));
    }
    if (accept_word(r, "pipe:")) {
        spec->kind = SPEC_PIPE;
        return read_number(r, &spec->count) && ((spec->count && spec->count <= UINT32_MAX) ||
                                                wrong(r, "a pipe has 1 to %u packets", UINT32_MAX));
    }
    if (accept_word(r, "sampler")) {
        spec->kind = SPEC_SAMPLER;
        return read_sampler(r, spec);
    }
    if (*r->at == '@') {
        spec->kind = SPEC_CAPTURED;
        spec->rest = r->at + 1;
        r->at += strlen(r->at);
        return true;
    }
    if (accept_word(r, "null")) {
        spec->kind = SPEC_NULL;
        return true;
    }
    if (isalpha((unsigned char)*r->at) && strncmp(r->at, "any", 3) != 0 && r->at[strcspn(r->at, ":,")] == ':')
        return wrong_word(
            r, r->at, strcspn(r->at, ":"),
            "no kind of argument: buf:N, svm:N, local:BYTES, image:KIND:SIZE, sampler, pipe:PACKETS, null and "
            "values are possible",
            kinds);
    spec->kind = SPEC_VALUE;
    if (read_any(r, spec))
        return true;
    if (*r->message || !read_values(r, &spec->value))
        return false;
    return spec->value.form != SPEC_DECIMAL || (read_further(r, ":other=", &spec->has_other, &spec->other) &&
                                                read_further(r, ":tail=", &spec->has_tail, &spec->tail));
}

bool spec_read(const char *text, struct spec *spec, char *message, size_t size)
{
    struct reader r = {.at = text, .message = message, .size = size};
    *spec = (struct spec){0};
    *message = 0;
    bool good = read_spec(&r, spec);
    if (good)
        skip_space(&r);
    if (good && *r.at)
        good = wrong(&r, "the end of the argument is expected at '%.20s'", r.at);
    spec->wrong_at = good ? 0 : (size_t)((r.wrong ? r.wrong : r.at) - text);
    return good;
}

void spec_clear(struct spec *spec)
{
    clear_value(&spec->value);
}

/* ---- random contents --------------------------------------------------------------------------------- */

uint64_t spec_random_state(uint64_t seed)
{
    return seed * 2 + 0x9E3779B97F4A7C15u;
}

int64_t spec_random(uint64_t *state, uint64_t limit, double *real)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    int64_t whole = (int64_t)((*state >> 33) % (limit ? limit : UINT64_MAX));
    *real = limit ? (double)whole : (double)(*state >> 11) * 0x1p-53;
    return whole;
}

unsigned spec_inputs(const struct spec *spec)
{
    bool changes = spec->fill == SPEC_CHANGING || spec->fill == SPEC_INDICES;
    return (changes ? (1u << SPEC_INPUT_LAST) - 1 : 1) | (unsigned)spec->has_last << SPEC_INPUT_LAST |
           (unsigned)spec->has_other << SPEC_INPUT_OTHER | (unsigned)spec->has_tail << SPEC_INPUT_TAIL;
}

const char *spec_input_name(unsigned input)
{
    static const char *const names[] = {"zeros",
                                        "iota",
                                        "ones",
                                        "random numbers",
                                        "small random numbers",
                                        "a number that the kernel compares with"};
    return input < sizeof names / sizeof *names ? names[input] : "";
}
