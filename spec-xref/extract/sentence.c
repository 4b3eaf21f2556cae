/* Sentences: where they end, their hash, whether they are normative. */
#include "spec-xref/extract/internal.h"

#include "memmodel/base/hash.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *xr_marker_name(enum xr_marker marker)
{
    static const char *const names[] = {"plain",      "must",           "forbidden", "undefined",
                                        "guaranteed", "implementation", "error",     "limit",
                                        "should",     "item",           "section"};
    return (unsigned)marker < XR_MARKER_COUNT ? names[marker] : "?";
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c & 0x80);
}

/* True if the underscore at P is inside a word: elsewhere underscores are markup. */
static bool is_inside(const char *text, const char *p)
{
    return *p == '_' && p > text && is_word(p[-1]) && is_word(p[1]);
}

uint64_t xr_hash(const char *text)
{
    uint64_t h = MM_FNV1A;
    bool gap = false, any = false;
    for (const char *p = text; *p; p++) {
        if (!is_word(*p) && !is_inside(text, p)) {
            gap = true;
            continue;
        }
        if (gap && any)
            h = mm_fnv1a(h, " ", 1);
        gap = false;
        any = true;
        char lower = (char)tolower((unsigned char)*p);
        h = mm_fnv1a(h, &lower, 1);
    }
    return h;
}

/* Abbreviations: a full stop after one of these does not end a sentence. */
static bool is_abbreviation(const char *start, const char *stop)
{
    static const char *const known[] = {"e.g", "i.e", "etc", "vs", "cf", "fig", "approx"};
    const char *word = stop;
    while (word > start && !isspace((unsigned char)word[-1]) && word[-1] != '(')
        word--;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((size_t)(stop - word) == strlen(known[i]) &&
            strncasecmp(word, known[i], (size_t)(stop - word)) == 0)
            return strcmp(known[i], "etc") != 0 || !isupper((unsigned char)stop[2]);
    return false;
}

size_t xr_sentence_length(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p != '.' && *p != '?')
            continue;
        const char *end = p + 1;
        while (*end == ')' || *end == '"' || *end == ']')
            end++;
        if (!*end)
            return (size_t)(end - text);
        if (*end == ' ' && p > text && !isspace((unsigned char)p[-1]) && !is_abbreviation(text, p))
            return (size_t)(end - text);
    }
    return strlen(text);
}

/* ---- markers ------------------------------------------------------------------------------ */

/* True if TEXT has WORD, which may hold blanks, as a whole word in any case. */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; *p; p++)
        if (strncasecmp(p, word, n) == 0 && (p == text || (!is_word(p[-1]) && p[-1] != '_')) &&
            !is_word(p[n]) && p[n] != '_')
            return true;
    return false;
}

struct marker_word {
    const char *word;
    enum xr_marker marker;
};
/* The first match decides. */
static const struct marker_word marker_words[] = {
    {"undefined", XR_UNDEFINED},
    {"implementation-defined", XR_IMPLEMENTATION},
    {"implementation defined", XR_IMPLEMENTATION},
    {"implementation dependent", XR_IMPLEMENTATION},
    {"implementation-dependent", XR_IMPLEMENTATION},
    {"guarantee", XR_GUARANTEED},
    {"guarantees", XR_GUARANTEED},
    {"guaranteed", XR_GUARANTEED},
    {"is an error", XR_ERROR},
    {"error is returned", XR_ERROR},
    {"returns an error", XR_ERROR},
    {"generates an error", XR_ERROR},
    {"minimum value", XR_LIMIT},
    {"must", XR_MUST},
    {"shall", XR_MUST},
    {"required", XR_MUST},
    {"cannot", XR_FORBIDDEN},
    {"can not", XR_FORBIDDEN},
    {"may not", XR_FORBIDDEN},
    {"not allowed", XR_FORBIDDEN},
    {"mutually exclusive", XR_FORBIDDEN},
    {"mandatory", XR_MUST},
    {"is illegal", XR_FORBIDDEN},
    {"should", XR_SHOULD},
};

/* True for names of error codes: names of queries, flags and states share the prefix. */
static bool is_error_code(const char *code, size_t n)
{
    static const char *const starts[] = {"CL_INVALID_",
                                         "CL_OUT_OF_",
                                         "CL_MAP_FAILURE",
                                         "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                         "CL_BUILD_PROGRAM_FAILURE",
                                         "CL_MEM_COPY_OVERLAP",
                                         "CL_MISALIGNED_",
                                         "CL_IMAGE_FORMAT_",
                                         "CL_DEVICE_NOT_",
                                         "CL_DEVICE_PARTITION_FAILED",
                                         "CL_COMPILER_NOT_",
                                         "CL_COMPILE_PROGRAM_FAILURE",
                                         "CL_LINKER_NOT_",
                                         "CL_LINK_PROGRAM_FAILURE",
                                         "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
                                         "CL_PROFILING_INFO_",
                                         "CL_EXEC_STATUS_ERROR",
                                         "CL_SUCCESS",
                                         "CL_MAX_SIZE_RESTRICTION_EXCEEDED"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t length = strlen(starts[i]);
        if (n >= length && strncmp(code, starts[i], length) == 0)
            return true;
    }
    return false;
}

static size_t identifier_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

void xr_sentence_code(const char *text, char *code, size_t size)
{
    *code = 0;
    bool returns = has_word(text, "return") || has_word(text, "returns") || has_word(text, "returned");
    for (const char *p = text; *p; p++) {
        if (strncmp(p, "CL_", 3) != 0 || (p > text && (is_word(p[-1]) || p[-1] == '_')))
            continue;
        size_t n = identifier_length(p);
        bool first = p == text;
        if (is_error_code(p, n) && n < size && (returns || first)) {
            memcpy(code, p, n);
            code[n] = 0;
            return;
        }
        p += n - 1;
    }
}

void xr_sentence_entries(const char *text, char *entries, size_t size)
{
    *entries = 0;
    const char *stop = strstr(text, " return");
    if (!stop)
        return;
    size_t used = 0;
    for (const char *p = text; p < stop; p++) {
        if (strncmp(p, "cl", 2) != 0 || !isupper((unsigned char)p[2]) || (p > text && is_word(p[-1])))
            continue;
        size_t n = identifier_length(p);
        if (used + n + 2 < size) {
            if (used)
                entries[used++] = ' ';
            memcpy(entries + used, p, n);
            used += n;
            entries[used] = 0;
        }
        p += n - 1;
    }
}

enum xr_marker xr_sentence_marker(const char *text)
{
    char code[64];
    xr_sentence_code(text, code, sizeof code);
    if (*code)
        return XR_ERROR;
    for (size_t i = 0; i < sizeof marker_words / sizeof *marker_words; i++)
        if (has_word(text, marker_words[i].word))
            return marker_words[i].marker;
    return XR_PLAIN;
}

bool xr_section_whole(const char *document, const char *section)
{
    if (strcmp(document, "VKMM") == 0)
        return true;
    return strcmp(section, "3.3.4") == 0 || strcmp(section, "3.3.5") == 0 || strcmp(section, "3.3.6") == 0;
}
