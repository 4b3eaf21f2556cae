/* Specification text: blocks become sentences with their section, API call, error code and marker. */
#include "memmodel/base/array.h"
#include "memmodel/base/input.h"
#include "spec-xref/extract/internal.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* ---- filling ------------------------------------------------------------------------------ */

static const char *reader_strdup(struct xr_reader *r, const char *s)
{
    const char *copy = mm_arena_strdup(r->text->arena, s);
    if (!copy)
        r->failed = true;
    return copy ? copy : "";
}

static void add_sentence(struct xr_reader *r, const struct xr_sentence *sentence)
{
    struct xr_text *t = r->text;
    if (!mm_append(&t->sentences, &t->sentence_count, sentence))
        r->failed = true;
}

static void add_section(struct xr_reader *r, const char *number, const char *title)
{
    struct xr_text *t = r->text;
    struct xr_section section = {reader_strdup(r, number), reader_strdup(r, title), r->line};
    if (!mm_append(&t->sections, &t->section_count, &section))
        r->failed = true;
}

void xr_reader_put(struct xr_reader *r, char c, unsigned line)
{
    bool blank = isspace((unsigned char)c);
    if (blank && (!r->length || r->block[r->length - 1] == ' '))
        return;
    if (r->length + 1 >= XR_BLOCK_MAX)
        return;
    if (!r->length)
        r->line = line;
    r->block[r->length++] = blank ? ' ' : c;
}

/* Closes the block as a string; false if it is empty. */
static bool close_block(struct xr_reader *r)
{
    while (r->length && r->block[r->length - 1] == ' ')
        r->length--;
    r->block[r->length] = 0;
    bool any = r->length > 0;
    r->length = 0;
    return any;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* True for a table cell or a lone label such as "CL_INVALID_VALUE", which is not a sentence. */
static bool is_label(const char *s)
{
    return !strchr(s, ' ');
}

static void finish_sentence(struct xr_reader *r, const char *s)
{
    char code[64], entries[512];
    enum xr_marker marker = xr_sentence_marker(s), lead = r->depth ? r->lead[r->depth - 1] : XR_PLAIN;
    xr_sentence_code(s, code, sizeof code);
    xr_sentence_entries(s, entries, sizeof entries);
    if (*entries && *code)
        r->list_entry = reader_strdup(r, entries);
    if (marker == XR_PLAIN && lead != XR_PLAIN)
        marker = XR_ITEM;
    if (marker == XR_PLAIN && (r->whole || xr_section_whole(r->text->document, r->section)))
        marker = XR_SECTION;
    size_t n = strlen(s);
    bool opens = s[n - 1] == ':' || (n > 3 && strcmp(s + n - 3, " if") == 0);
    r->lead[r->depth] = opens ? marker : XR_PLAIN;
    struct xr_sentence out = {.hash = xr_hash(s),
                              .section = r->section,
                              .heading = r->heading,
                              .entry = *r->list_entry ? r->list_entry : r->entry,
                              .code = reader_strdup(r, code),
                              .subject = r->subject,
                              .text = reader_strdup(r, s),
                              .line = r->line,
                              .marker = !is_label(s) ? marker
                                        : r->defines ? XR_ITEM
                                                     : XR_PLAIN};
    add_sentence(r, &out);
}

void xr_reader_paragraph(struct xr_reader *r)
{
    if (!close_block(r) || !*r->section)
        return;
    for (char *p = r->block; *p;) {
        while (*p == ' ')
            p++;
        size_t n = xr_sentence_length(p);
        if (!n)
            break;
        char after = p[n];
        p[n] = 0;
        finish_sentence(r, p);
        p[n] = after;
        p += n;
    }
    r->fresh_prototypes = r->defines = false;
}

/* The number at the start of a heading: "5.2.1. " or "Appendix A: "; *TITLE is what follows. */
static bool heading_number(const char *s, char *number, size_t size, const char **title)
{
    size_t n = 0;
    if (strncmp(s, "Appendix ", 9) == 0 && isupper((unsigned char)s[9]) && s[10] == ':') {
        snprintf(number, size, "%c", s[9]);
        *title = s + 11 + (s[11] == ' ');
        return true;
    }
    while (isdigit((unsigned char)s[n]) || (n && s[n] == '.'))
        n++;
    if (!n || n + 1 >= size || s[n] != ' ' || s[n - 1] != '.')
        return false;
    memcpy(number, s, n - 1);
    number[n - 1] = 0;
    *title = s + n + 1;
    return true;
}

void xr_reader_heading(struct xr_reader *r, const char *slug)
{
    char number[64];
    const char *title = r->block;
    if (!close_block(r))
        return;
    r->entry = r->list_entry = r->subject = "";
    r->depth = 0;
    memset(r->lead, 0, sizeof r->lead);
    if (slug || heading_number(r->block, number, sizeof number, &title)) {
        r->section = reader_strdup(r, slug ? slug : number);
        add_section(r, r->section, title);
    }
    r->heading = reader_strdup(r, title);
}

void xr_reader_code(struct xr_reader *r)
{
    char entries[512];
    size_t used = 0;
    if (!close_block(r))
        return;
    for (const char *p = r->block; *p; p++) {
        size_t n = 0;
        if (strncmp(p, "cl", 2) != 0 || !isupper((unsigned char)p[2]) ||
            (p > r->block && p[-1] != ' ' && p[-1] != '*'))
            continue;
        while (isalnum((unsigned char)p[n]))
            n++;
        if (p[n] == '(' || (p[n] == ' ' && p[n + 1] == '(')) {
            used +=
                (size_t)snprintf(entries + used, sizeof entries - used, "%s%.*s", used ? " " : "", (int)n, p);
            if (used >= sizeof entries)
                used = sizeof entries - 1;
        }
        p += n - 1;
    }
    if (!used)
        return;
    if (r->fresh_prototypes) {
        char both[1024];
        snprintf(both, sizeof both, "%s %s", r->entry, entries);
        r->entry = reader_strdup(r, both);
    } else {
        r->entry = reader_strdup(r, entries);
    }
    r->fresh_prototypes = true;
    r->list_entry = "";
}

/* ---- files -------------------------------------------------------------------------------- */

static bool starts_line(const char *bytes, size_t length, const char *start)
{
    size_t n = strlen(start);
    for (const char *p = bytes; p + n < bytes + length; p++) {
        if ((p == bytes || p[-1] == '\n') && strncmp(p, start, n) == 0)
            return true;
        p = memchr(p, '\n', (size_t)(bytes + length - p));
        if (!p)
            return false;
    }
    return false;
}

/* Which of OpenCL's specifications the asciidoc source is, by its title. */
static const char *opencl_document(const char *bytes, size_t length)
{
    if (starts_line(bytes, length, "= The OpenCL^(TM)^ C Specification"))
        return "CLC";
    return starts_line(bytes, length, "= The OpenCL^(TM)^ SPIR-V Environment Specification") ? "CL env"
                                                                                             : "CL";
}

enum mm_class xr_text_parse(const char *name, const char *bytes, size_t length, struct xr_text *text,
                            struct mm_error *err)
{
    *text = (struct xr_text){.arena = mm_arena_create(), .document = "CL"};
    struct xr_reader *r = mm_alloc_zero(1, sizeof *r);
    if (!text->arena || !r) {
        mm_free(r);
        xr_text_free(text);
        return mm_out_of_memory(err);
    }
    r->text = text;
    r->name = name;
    r->section = r->heading = r->subject = r->entry = r->list_entry = "";
    if (memmem(bytes, length, "<html", 5)) {
        xr_read_html(r, bytes, length);
    } else if (memmem(bytes, length, "{CL_", 4) && starts_line(bytes, length, "= ")) {
        text->document = opencl_document(bytes, length);
        xr_read_opencl(r, bytes, length);
    } else if (starts_line(bytes, length, "[[") && starts_line(bytes, length, "== ")) {
        text->document = "VKMM";
        xr_read_asciidoc(r, bytes, length);
    } else {
        xr_read_plain(r, bytes, length);
    }
    bool failed = r->failed;
    mm_free(r);
    if (failed) {
        xr_text_free(text);
        return mm_out_of_memory(err);
    }
    if (!text->section_count) {
        xr_text_free(text);
        return mm_fail_at(err, MM_INVALID, "xref.text", name, 0, 0,
                          "no numbered heading and no section anchor");
    }
    return MM_OK;
}

enum mm_class xr_text_read(const char *path, struct xr_text *text, struct mm_error *err)
{
    char *bytes;
    size_t length;
    enum mm_class c = mm_input_read(MM_INPUT_DOCUMENT, path, &bytes, &length, err);
    if (c != MM_OK)
        return c;
    if (memmem(bytes, length, "\ninclude::", 10))
        c = xr_expand_includes(path, &bytes, &length, err);
    if (c == MM_OK)
        c = xr_text_parse(path, bytes, length, text, err);
    mm_free(bytes);
    return c;
}

void xr_text_free(struct xr_text *text)
{
    mm_free(text->sentences);
    mm_free(text->sections);
    if (text->arena)
        mm_arena_destroy(text->arena);
    *text = (struct xr_text){0};
}
