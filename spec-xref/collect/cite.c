/* Parser of citations: "CL 3.3.6 G8-G10, H1; CL 5.12", "CLC 6.15.2, 6.15.4", "VKMM scope 2". */
#include "spec-xref/xref.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 80, RANGE_MAX = 64 };

struct cite {
    const struct xr_database *db;
    xr_on_reference *on;
    void *context;
    const char *document; /* NULL before the first */
    char section[WORD_MAX], label[WORD_MAX];
    bool bare;    /* labels are given without a section */
    bool pending; /* a section was named, and no label in it so far */
    enum mm_class result;
};

static const char *const documents[] = {"CL env", "CLC", "CL", "SPIRV", "VKMM", "C11"};

/* The document whose name is the word at P; returns the word's length, 0 if it is no document's name. */
static size_t document_length(const char *p, const char **name)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        size_t n = strlen(documents[i]);
        if (strncmp(p, documents[i], n) == 0 && p[n] == ' ') {
            *name = documents[i];
            return n;
        }
    }
    return 0;
}

static void report_reference(struct cite *c, const char *section, const char *label)
{
    if (c->result == MM_OK)
        c->result = c->on(c->context, c->document, section, label);
}

static void end_section(struct cite *c)
{
    if (c->pending)
        report_reference(c, c->section, "");
    c->pending = false;
}

/* "G17": the letter of a clause's class, then its number.  The clauses of Vulkan's sections have numbers
 * alone. */
static bool is_label(const struct cite *c, const char *word)
{
    size_t n = 0;
    if (strcmp(c->document, "VKMM") == 0)
        return *word && strspn(word, "0123456789") == strlen(word) && strlen(word) < 3;
    if (!isupper((unsigned char)word[0]))
        return false;
    for (n = 1; isdigit((unsigned char)word[n]); n++)
        ;
    return n > 1 && n <= 4 && !word[n];
}

/* "3.3.6", "5", "A" (an appendix), or for Vulkan the anchor of a section. */
static bool is_section(const struct cite *c, const char *word)
{
    size_t n = 0;
    if (c->document && strcmp(c->document, "VKMM") == 0)
        return islower((unsigned char)word[0]) && xr_database_section(c->db, "VKMM", word);
    if (c->document && strcmp(c->document, "SPIRV") == 0 && strncmp(word, "Op", 2) == 0)
        return isupper((unsigned char)word[2]);
    if (isupper((unsigned char)word[0]))
        return !word[1] && c->document && xr_database_section(c->db, c->document, word);
    while (isdigit((unsigned char)word[n]) || (n && word[n] == '.' && isdigit((unsigned char)word[n + 1])))
        n++;
    return n && !word[n];
}

static void label_range(struct cite *c, const char *to)
{
    size_t letter = isdigit((unsigned char)to[0]) ? 0 : 1;
    unsigned long first = strtoul(c->label + letter, NULL, 10), last = strtoul(to + letter, NULL, 10);
    if ((letter && c->label[0] != to[0]) || last < first || last - first > RANGE_MAX) {
        report_reference(c, c->section, to);
        return;
    }
    for (unsigned long i = first + 1; i <= last; i++) {
        char label[WORD_MAX];
        snprintf(label, sizeof label, "%.*s%lu", (int)letter, to, i);
        report_reference(c, c->section, label);
    }
}

/* From c->section, which has been cited, to TO: they differ in their last number. */
static void section_range(struct cite *c, const char *to)
{
    const char *dot = strrchr(c->section, '.'), *to_dot = strrchr(to, '.');
    size_t prefix = dot ? (size_t)(dot - c->section) + 1 : 0;
    unsigned long first = strtoul(c->section + prefix, NULL, 10);
    unsigned long last = strtoul(to_dot ? to_dot + 1 : to, NULL, 10);
    bool same = isdigit((unsigned char)c->section[0]) && isdigit((unsigned char)*to) &&
                (dot != NULL) == (to_dot != NULL) && strncmp(c->section, to, prefix) == 0;
    end_section(c);
    if (!same || last < first || last - first > RANGE_MAX) {
        report_reference(c, to, "");
        return;
    }
    for (unsigned long i = first + 1; i <= last; i++) {
        char section[WORD_MAX + 24];
        snprintf(section, sizeof section, "%.*s%lu", (int)prefix, c->section, i);
        report_reference(c, section, "");
    }
}

/* Cites a label without a section, which is one of the memory model, whose labels are unique. */
static bool memory_model_label(struct cite *c, const char *word)
{
    static const char *const sections[] = {"3.3.4", "3.3.5", "3.3.6"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        char id[WORD_MAX + 16];
        snprintf(id, sizeof id, "CL %s %s", sections[i], word);
        if (xr_database_clause(c->db, id)) {
            snprintf(c->section, sizeof c->section, "%s", sections[i]);
            return true;
        }
    }
    return false;
}

/* "CL 3.0: ..." names a version; no section has such a number. */
static bool is_version(const struct cite *c, const char *word)
{
    static const char *const versions[] = {"1.0", "1.1", "1.2", "2.0",   "2.1",
                                           "2.2", "3.0", "3.1", "3.1.0", "3.1.1"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strcmp(word, versions[i]) == 0)
            return strncmp(c->document, "CL", 2) == 0 && strcmp(c->document, "CL env") != 0;
    return false;
}

/* Reads WORD as a reference; RANGE: it follows a dash.  False: it is none. */
static bool read_reference(struct cite *c, const char *word, bool range)
{
    if (!c->document)
        return false;
    if (is_version(c, word))
        return true;
    if (is_label(c, word) && (*c->section || memory_model_label(c, word))) {
        if (c->bare && !range)
            memory_model_label(c, word);
        if (range && *c->label)
            label_range(c, word);
        else
            report_reference(c, c->section, word);
        c->pending = false;
        snprintf(c->label, sizeof c->label, "%s", word);
        return true;
    }
    if (!is_section(c, word))
        return false;
    if (range && *c->section) {
        section_range(c, word);
    } else {
        end_section(c);
        c->pending = true;
    }
    snprintf(c->section, sizeof c->section, "%s", word);
    *c->label = 0;
    return true;
}

static bool is_word_byte(const char *p, const char *start)
{
    if (isalnum((unsigned char)*p) || *p == '_')
        return true;
    if (*p == '.' && isdigit((unsigned char)p[1]) && p > start)
        return true;
    /* A dash within a name, as in synchronizes-with. */
    return *p == '-' && p > start && islower((unsigned char)p[-1]) && islower((unsigned char)p[1]);
}

enum mm_class xr_cite_parse(const struct xr_database *db, const char *text, xr_on_reference *on,
                            void *context)
{
    struct cite c = {.db = db, .on = on, .context = context};
    if (strncmp(text, "CL ", 3) == 0)
        c.bare = isupper((unsigned char)text[3]) && isdigit((unsigned char)text[4]);
    bool open = true, range = false; /* open: a reference may follow */
    for (const char *p = text; *p && c.result == MM_OK;) {
        const char *name;
        size_t n = p == text || !isalnum((unsigned char)p[-1]) ? document_length(p, &name) : 0;
        if (n) {
            end_section(&c);
            c.document = name;
            *c.section = *c.label = 0;
            open = true;
            range = false;
            p += n;
            continue;
        }
        if (!is_word_byte(p, p)) {
            if (*p == ',' || *p == ';')
                open = true, range = false;
            if (*p == ':')
                open = false;
            if (*p == '-' && open)
                range = true;
            p++;
            continue;
        }
        char word[WORD_MAX];
        const char *start = p;
        while (*p && is_word_byte(p, start))
            p++;
        n = (size_t)(p - start) < sizeof word - 1 ? (size_t)(p - start) : sizeof word - 1;
        memcpy(word, start, n);
        word[n] = 0;
        bool joins = strcmp(word, "and") == 0 || strcmp(word, "or") == 0;
        bool to = strcmp(word, "to") == 0 && open;
        if (to)
            range = true;
        else if (!joins) {
            open = open && read_reference(&c, word, range);
            range = false;
        }
    }
    end_section(&c);
    return c.result;
}
