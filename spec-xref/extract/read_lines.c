/* Specifications in lines: plain text, and asciidoc, also as a page that shows it line by line with the
 * dates of the changes between bars. */
#include "spec-xref/extract/internal.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, SLUG_MAX = 80, BARS_PER_BLANK = 5 };

struct lines {
    struct xr_reader *r;
    const char *p, *end;
    unsigned line, bars;
    bool listing; /* within a ---- block */
    char slug[SLUG_MAX];
    char text[LINE_MAX_BYTES];
};

static bool next_line(struct lines *l)
{
    if (l->p >= l->end)
        return false;
    const char *stop = memchr(l->p, '\n', (size_t)(l->end - l->p));
    size_t n = (size_t)((stop ? stop : l->end) - l->p);
    size_t kept = n < sizeof l->text - 1 ? n : sizeof l->text - 1;
    memcpy(l->text, l->p, kept);
    while (kept && isspace((unsigned char)l->text[kept - 1]))
        kept--;
    l->text[kept] = 0;
    l->p += n + (stop != NULL);
    l->line++;
    return true;
}

static void put_line(struct lines *l, const char *s)
{
    for (; *s; s++)
        xr_reader_put(l->r, *s, l->line);
    xr_reader_put(l->r, ' ', l->line);
}

/* ---- plain text --------------------------------------------------------------------------- */

/* "5.2.1. Creating Buffer Objects", "Appendix A: ..." */
static bool is_numbered(const char *s)
{
    if (strncmp(s, "Appendix ", 9) == 0)
        return isupper((unsigned char)s[9]) && s[10] == ':';
    size_t n = 0;
    while (isdigit((unsigned char)s[n]) || (n && s[n] == '.'))
        n++;
    return n > 1 && s[n - 1] == '.' && s[n] == ' ' && isupper((unsigned char)s[n + 1]);
}

void xr_read_plain(struct xr_reader *r, const char *bytes, size_t length)
{
    struct lines l = {.r = r, .p = bytes, .end = bytes + length};
    while (next_line(&l) && !r->failed) {
        if (!*l.text) {
            if (r->length && r->block[0] != 'c' && strstr(r->block, ",") &&
                memchr(r->block, '(', r->length) && r->block[r->length - 2] == ')' &&
                strncmp(r->block, "cl_", 3) == 0)
                xr_reader_code(r);
            xr_reader_paragraph(r);
            continue;
        }
        bool heading = is_numbered(l.text) && !r->length;
        put_line(&l, l.text);
        if (heading)
            xr_reader_heading(r, NULL);
        else if (strncmp(r->block, "cl_", 3) == 0 && r->block[r->length - 2] == ')')
            xr_reader_code(r);
    }
    xr_reader_paragraph(r);
}

/* ---- asciidoc ----------------------------------------------------------------------------- */

/* "2018-09-08 22:52:13 +00:00" */
static bool is_date(const char *s)
{
    static const char shape[] = "dddd-dd-dd dd:dd:dd";
    for (size_t i = 0; shape[i]; i++)
        if (shape[i] == 'd' ? !isdigit((unsigned char)s[i]) : s[i] != shape[i])
            return false;
    return true;
}

/* Drops markup that is no word: macros such as code:, <<link,text>>, [[anchor]]. */
static void put_asciidoc(struct lines *l, const char *s)
{
    static const char *const macros[] = {"code:", "ename:", "flink:", "fname:", "slink:", "sname:", "pname:"};
    while (*s) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
            if (strncmp(s, macros[i], strlen(macros[i])) == 0)
                skip = strlen(macros[i]);
        if (strncmp(s, "[[", 2) == 0 && strstr(s, "]]"))
            skip = (size_t)(strstr(s, "]]") + 2 - s);
        if (strncmp(s, "<<", 2) == 0) {
            const char *comma = strchr(s, ',');
            skip = comma ? (size_t)(comma + 1 - s) : strlen(s);
        }
        if (strncmp(s, ">>", 2) == 0)
            skip = 2;
        if (!skip) {
            xr_reader_put(l->r, *s, l->line);
            skip = 1;
        }
        s += skip;
    }
    xr_reader_put(l->r, ' ', l->line);
}

static void end_paragraph(struct lines *l)
{
    xr_reader_paragraph(l->r);
    l->r->depth = 0;
}

/* A line that opens a separate block: anchor, heading, list item, note, delimiter. */
static bool opens_block(struct lines *l)
{
    char *s = l->text;
    struct xr_reader *r = l->r;
    size_t equals = strspn(s, "="), stars = strspn(s, "*");
    if (strncmp(s, "[[", 2) == 0 && s[strlen(s) - 1] == ']') {
        end_paragraph(l);
        s[strlen(s) - 2] = 0;
        const char *name = strncmp(s + 2, "memory-model-", 13) == 0 ? s + 15 : s + 2;
        snprintf(l->slug, sizeof l->slug, "%.*s", SLUG_MAX - 1, name);
        return true;
    }
    if (equals && s[equals] == ' ') {
        end_paragraph(l);
        put_asciidoc(l, s + equals + 1);
        xr_reader_heading(r, *l->slug ? l->slug : NULL);
        *l->slug = 0;
        return true;
    }
    if (stars && stars <= XR_LIST_MAX && s[stars] == ' ') {
        xr_reader_paragraph(r);
        r->depth = (int)stars;
        put_asciidoc(l, s + stars + 1);
        return true;
    }
    if (strncmp(s, "NOTE:", 5) == 0) {
        end_paragraph(l);
        put_asciidoc(l, s);
        return true;
    }
    return *s == '[' || strncmp(s, "//", 2) == 0 || strncmp(s, "ifdef", 5) == 0 ||
           strncmp(s, "endif", 5) == 0;
}

void xr_read_asciidoc(struct xr_reader *r, const char *bytes, size_t length)
{
    struct lines l = {.r = r, .p = bytes, .end = bytes + length};
    while (next_line(&l) && !r->failed) {
        if (strcmp(l.text, "|") == 0) {
            if (++l.bars == BARS_PER_BLANK)
                end_paragraph(&l);
            continue;
        }
        if (is_date(l.text))
            continue;
        l.bars = 0;
        if (!*l.text)
            end_paragraph(&l);
        else if (strncmp(l.text, "----", 4) == 0)
            l.listing = !l.listing;
        else if (!l.listing && !opens_block(&l))
            put_asciidoc(&l, l.text);
    }
    end_paragraph(&l);
}
