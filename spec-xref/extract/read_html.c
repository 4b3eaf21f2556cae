/* HTML specifications: tags end blocks, headings open sections, <pre> holds prototypes. */
#include "spec-xref/extract/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct html {
    struct xr_reader *r;
    const char *p, *end;
    unsigned line;
    int pre, lists, cell;
    bool in_heading, in_caption, marks; /* marks: within <sup> */
    char mark[16];
    size_t mark_length;
};

struct entity {
    const char *name, *text;
};
static const struct entity entities[] = {{"lt", "<"},    {"gt", ">"},   {"amp", "&"},
                                         {"quot", "\""}, {"nbsp", " "}, {"#8217", "'"}};

static void put_text(struct html *h, const char *s)
{
    for (; *s; s++)
        xr_reader_put(h->r, *s, h->line);
}

/* Decodes the character reference at P; returns its length, 0 if it is none. */
static size_t put_entity(struct html *h)
{
    const char *stop = memchr(h->p, ';', (size_t)(h->end - h->p) < 12 ? (size_t)(h->end - h->p) : 12);
    if (!stop)
        return 0;
    size_t n = (size_t)(stop - h->p - 1);
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strlen(entities[i].name) == n && strncmp(h->p + 1, entities[i].name, n) == 0)
            put_text(h, entities[i].text);
    return n + 2;
}

static bool is_tag(const char *name, const char *tags)
{
    size_t n = strlen(name);
    for (const char *p = tags; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == n && strncmp(p, name, n) == 0)
            return true;
    return false;
}

/* The first cell of a row names what the row is about. */
static void end_cell(struct html *h)
{
    struct xr_reader *r = h->r;
    if (h->cell != 1)
        return;
    char subject[80];
    size_t n = r->length < sizeof subject - 1 ? r->length : sizeof subject - 1;
    memcpy(subject, r->block, n);
    subject[n] = 0;
    subject[strcspn(subject, " ")] = 0;
    if (*subject && !*r->subject)
        r->subject = mm_arena_strdup(r->text->arena, subject);
    if (!r->subject)
        r->subject = "";
}

static void flush_text(struct html *h)
{
    if (h->pre)
        xr_reader_code(h->r);
    else if (h->in_caption)
        h->r->length = 0;
    else
        xr_reader_paragraph(h->r);
}

static void end_mark(struct html *h)
{
    h->mark[h->mark_length] = 0;
    h->marks = false;
    bool digits = h->mark_length > 0;
    for (size_t i = 0; i < h->mark_length; i++)
        digits = digits && isdigit((unsigned char)h->mark[i]);
    if (!digits)
        put_text(h, h->mark);
}

static void block_tag(struct html *h, const char *name, bool closing)
{
    struct xr_reader *r = h->r;
    if (is_tag(name, "h1 h2 h3 h4 h5 h6")) {
        if (closing && h->in_heading)
            xr_reader_heading(r, NULL);
        else
            flush_text(h);
        h->in_heading = !closing;
        return;
    }
    if (h->cell && !h->pre && is_tag(name, "td th p"))
        end_cell(h);
    flush_text(h);
    if (is_tag(name, "pre"))
        h->pre = !closing;
    if (is_tag(name, "caption"))
        h->in_caption = !closing;
    if (is_tag(name, "ul ol")) {
        h->lists += closing ? -1 : 1;
        h->lists = h->lists < 0 ? 0 : h->lists > XR_LIST_MAX ? XR_LIST_MAX : h->lists;
        r->depth = h->lists;
        if (!closing)
            r->lead[r->depth] = XR_PLAIN;
    }
    if (is_tag(name, "tr table"))
        h->cell = 0, r->subject = "";
    if (is_tag(name, "td") && !closing)
        h->cell++;
}

/* The tag at P; moves behind it. */
static void read_tag(struct html *h)
{
    char name[16] = {0};
    const char *p = h->p + 1, *stop;
    bool closing = *p == '/';
    p += closing;
    for (size_t n = 0; p < h->end && isalnum((unsigned char)*p) && n + 1 < sizeof name; p++)
        name[n++] = (char)tolower((unsigned char)*p);
    stop = memchr(p, '>', (size_t)(h->end - p));
    stop = stop ? stop + 1 : h->end;
    if (!closing && (is_tag(name, "style") || is_tag(name, "script"))) {
        char last[20];
        snprintf(last, sizeof last, "</%s", name);
        const char *found = memmem(stop, (size_t)(h->end - stop), last, strlen(last));
        stop = found ? found : h->end;
    }
    if (is_tag(name, "sup"))
        if (closing)
            end_mark(h);
        else
            h->mark_length = 0, h->marks = true;
    else if (is_tag(name, "p div li ul ol dl dt dd td th tr table tbody caption pre h1 h2 h3 h4 h5 h6 body"))
        block_tag(h, name, closing);
    else if (is_tag(name, "br"))
        xr_reader_put(h->r, ' ', h->line);
    for (; h->p < stop; h->p++)
        h->line += *h->p == '\n';
}

void xr_read_html(struct xr_reader *r, const char *bytes, size_t length)
{
    struct html h = {.r = r, .p = bytes, .end = bytes + length, .line = 1};
    while (h.p < h.end && !r->failed) {
        if (*h.p == '<' && h.p + 1 < h.end &&
            (isalpha((unsigned char)h.p[1]) || h.p[1] == '/' || h.p[1] == '!')) {
            read_tag(&h);
            continue;
        }
        if (h.marks) {
            if (h.mark_length + 1 < sizeof h.mark)
                h.mark[h.mark_length++] = *h.p;
            h.p++;
            continue;
        }
        size_t n = *h.p == '&' ? put_entity(&h) : 0;
        if (!n) {
            xr_reader_put(r, *h.p, h.line);
            h.line += *h.p == '\n';
            n = 1;
        }
        h.p += n;
    }
    xr_reader_paragraph(r);
}
