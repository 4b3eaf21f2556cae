/* Environment variables: reading them, and reporting once the values that are invalid. */
#include "ref-runtime/setting.h"
#include "memmodel/base/input.h"
#include "memmodel/base/privilege.h"
#include "ref-runtime/check/api_check.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, WORD, WORDS, NUMBER, DEVICE_WORD, DEVICE_NUMBER, FAILURES };

static const struct setting {
    const char *variable;
    enum kind kind;
    const char *words;
    uint64_t least, most;
} settings[RT_SETTINGS] = {
#define RT_SETTING(id, variable, kind, words, least, most, readers)                                          \
    [RT_SET_##id] = {variable, kind, words, least, most},
#include "ref-runtime/setting.def"
#undef RT_SETTING
};

/* ---- lists: entries with a separator between them ---- */

/* The entry at *LIST, SIZE bytes; moves *LIST behind it.  NULL: no more. */
static const char *next_entry(const char **list, char separator, size_t *size)
{
    const char *at = *list, separators[] = {separator, 0};
    if (!at)
        return NULL;
    *size = strcspn(at, separators);
    *list = at[*size] ? at + *size + 1 : NULL;
    return at;
}

static bool list_contains(const char *list, char separator, const char *word, size_t length)
{
    size_t size;
    for (const char *entry; (entry = next_entry(&list, separator, &size));)
        if (size == length && memcmp(entry, word, size) == 0)
            return true;
    return false;
}

/* Parses a number in SIZE bytes, optionally with the suffix K, M or G. */
static bool parse_number(const char *text, size_t size, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    bool fits = errno == 0 && *value <= UINT64_MAX >> shift;
    *value <<= shift;
    return fits && end + (shift != 0) == text + size;
}

/* ---- reading ---- */

const char *rt_setting_text(enum rt_setting setting, const char *otherwise)
{
    const char *value = mm_getenv(settings[setting].variable);
    return value && *value ? value : otherwise;
}

bool rt_setting_given(enum rt_setting setting)
{
    return rt_setting_text(setting, NULL) != NULL;
}

bool rt_setting_has(enum rt_setting setting, const char *word)
{
    char separator = settings[setting].kind == WORDS ? ',' : 0;
    return list_contains(rt_setting_text(setting, NULL), separator, word, strlen(word));
}

static const char *of_device(enum rt_setting setting, int device, size_t *size)
{
    const char *list = rt_setting_text(setting, NULL), *entry = next_entry(&list, ',', size);
    while (list && device-- > 0)
        entry = next_entry(&list, ',', size);
    return entry;
}

bool rt_setting_is(enum rt_setting setting, int device, const char *word)
{
    size_t size;
    const char *entry = of_device(setting, device, &size);
    return entry && strlen(word) == size && memcmp(entry, word, size) == 0;
}

uint64_t rt_setting_number(enum rt_setting setting, int device, uint64_t otherwise)
{
    const struct setting *s = &settings[setting];
    size_t size;
    uint64_t value;
    const char *entry = of_device(setting, device, &size);
    if (!entry || !parse_number(entry, size, &value))
        return otherwise;
    return value < s->least ? s->least : value > s->most ? s->most : value;
}

/* ---- reporting ---- */

static bool means_something(const struct setting *s, const char *entry, size_t size)
{
    uint64_t value;
    switch (s->kind) {
    case WORD:
    case WORDS:
    case DEVICE_WORD:
        return list_contains(s->words, ' ', entry, size);
    case NUMBER:
    case DEVICE_NUMBER:
        return parse_number(entry, size, &value) && value >= s->least && value <= s->most;
    case FAILURES:
        return rt_api_fail_means_something(entry, size);
    case TEXT:
        break;
    }
    return true;
}

static void report_invalid(const struct setting *s, const char *entry, size_t size)
{
    fprintf(stderr, "refcl: %s: '%.*s' is ", s->variable, (int)size, entry);
    if (s->words) {
        fprintf(stderr, "none of: %s\n", s->words);
    } else if (s->kind == FAILURES) {
        fprintf(stderr, "no CALL:CODE or CALL:CODE@N\n");
    } else {
        fprintf(stderr, "no number from %llu to %llu\n", (unsigned long long)s->least,
                (unsigned long long)s->most);
    }
}

void rt_settings_check(void)
{
    for (enum rt_setting i = 0; i < RT_SETTINGS; i++) {
        const struct setting *s = &settings[i];
        const char *list = rt_setting_text(i, NULL);
        bool is_list =
            s->kind == WORDS || s->kind == DEVICE_WORD || s->kind == DEVICE_NUMBER || s->kind == FAILURES;
        size_t size;
        for (const char *entry; (entry = next_entry(&list, is_list ? ',' : 0, &size));)
            if (size > 0 && !means_something(s, entry, size))
                report_invalid(s, entry, size);
    }
}
