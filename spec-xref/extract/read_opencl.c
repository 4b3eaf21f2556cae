/* The asciidoc sources of OpenCL's specifications: files included, attributes such as {CL_COMPLETE},
 * emphasis, indented lists, tables.  Sections have the numbers that their headings get. */
#include "memmodel/base/array.h"
#include "memmodel/base/input.h"
#include "spec-xref/extract/internal.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- includes ------------------------------------------------------------------------------ */

static bool append_bytes(char **out, size_t *size, size_t *capacity, const char *bytes, size_t length)
{
    if (!mm_reserve(out, capacity, *size + length + 1))
        return false;
    memcpy(*out + *size, bytes, length);
    *size += length;
    (*out)[*size] = 0;
    return true;
}

/* The file that LINE includes, relative to the folder of PATH; false: it includes none that is there. */
static bool included_file(const char *path, const char *line, size_t length, char file[PATH_MAX])
{
    static const char start[] = "include::";
    const char *slash = strrchr(path, '/'), *end = memchr(line, '[', length);
    if (length < sizeof start || strncmp(line, start, sizeof start - 1) != 0 || !end ||
        memchr(line, '{', length))
        return false;
    line += sizeof start - 1;
    snprintf(file, PATH_MAX, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)(end - line), line);
    return access(file, R_OK) == 0;
}

enum mm_class xr_expand_includes(const char *path, char **bytes, size_t *length, struct mm_error *err)
{
    char *out = NULL, file[PATH_MAX];
    size_t size = 0, capacity = 0;
    enum mm_class c = MM_OK;
    for (const char *p = *bytes, *end = p + *length; p < end && c == MM_OK;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop + 1 : end) - p), read = n;
        char *text = NULL;
        if (included_file(path, p, n, file))
            c = mm_input_read(MM_INPUT_DOCUMENT, file, &text, &read, err);
        if (c == MM_OK)
            c = mm_input_check(MM_INPUT_DOCUMENT, 0, size + read, path, err);
        if (c == MM_OK && !append_bytes(&out, &size, &capacity, text ? text : p, read))
            c = mm_out_of_memory(err);
        mm_free(text);
        p += n;
    }
    if (c != MM_OK) {
        mm_free(out);
        return c;
    }
    mm_free(*bytes);
    *bytes = out;
    *length = size;
    return MM_OK;
}

/* ---- words --------------------------------------------------------------------------------- */

enum { LEVELS = 6, LINE_BYTES = 4096 };

struct opencl {
    struct xr_reader *r;
    unsigned line, numbers[LEVELS];
    char code[96];      /* the error code of the items that follow, "{CL_INVALID_VALUE}"; "": none */
    size_t whole_level; /* of the headings that the memory model's sections have */
    unsigned offset;    /* ":sectnumoffset:": what the number of the first chapter follows */
    bool listing;       /* between lines of dashes */
    bool titled;        /* chapters begin with "==": the title alone has "=" */
    bool lettered;      /* appendices: "A" */
    bool paragraph;     /* the line before is text: one that begins with "=" continues it */
};

/* {CL_COMPLETE}, {cl_mem_TYPE}, {CL_DEVICE_TYPE_anchor}: the name alone. */
static size_t put_attribute(struct opencl *o, const char *s)
{
    static const char *const suffixes[] = {"_anchor", "_TYPE", "_EXT"};
    const char *end = strchr(s, '}');
    if (!end)
        return 0;
    size_t n = (size_t)(end - s) - 1, kept = n;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && islower((unsigned char)s[1]) + islower((unsigned char)suffixes[i][1]) > 0 &&
            strncmp(s + 1 + n - length, suffixes[i], length) == 0)
            kept = n - length;
    }
    for (size_t i = 0; i < kept; i++)
        xr_reader_put(o->r, s[1 + i], o->line);
    return n + 2;
}

/* True if S is a mark of emphasis: it is at the edge of a word. */
static bool is_emphasis(const char *line, const char *s)
{
    if (*s != '_' && *s != '*' && *s != '`')
        return false;
    return *s != '_' || s == line || !isalnum((unsigned char)s[-1]) || !isalnum((unsigned char)s[1]);
}

/* The length of markup without words at S: anchors, footnotes, the targets of links. */
static size_t markup_length(const char *s)
{
    const char *end = NULL;
    if (strncmp(s, "[[", 2) == 0 && (end = strstr(s, "]]")))
        return (size_t)(end - s) + 2;
    if (strncmp(s, "footnote:[", 10) == 0 && (end = strchr(s, ']')))
        return (size_t)(end - s) + 1;
    if (strncmp(s, "<<", 2) == 0)
        return (end = strchr(s, ',')) ? (size_t)(end - s) + 1 : 2;
    return strncmp(s, ">>", 2) == 0 ? 2 : 0;
}

static void put_words(struct opencl *o, const char *line)
{
    for (const char *s = line; *s;) {
        size_t skip = *s == '{' ? put_attribute(o, s) : markup_length(s);
        if (!skip) {
            if (!is_emphasis(line, s))
                xr_reader_put(o->r, *s, o->line);
            skip = 1;
        }
        s += skip;
    }
    xr_reader_put(o->r, ' ', o->line);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static void end_block(struct opencl *o)
{
    xr_reader_paragraph(o->r);
    o->r->depth = 0;
}

/* True for sections of which, with their subsections, every sentence counts. */
static bool is_memory_model(const char *title)
{
    static const char *const titles[] = {"Memory Consistency Model for OpenCL 2.x",
                                         "Overview of Atomic and Fence Operations", "Memory Ordering Rules"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(title, titles[i]) == 0)
            return true;
    return false;
}

/* The chapters are introduction, glossary, architecture, ...: "3.3.7" */
static void put_heading(struct opencl *o, size_t level, const char *title)
{
    char number[80] = "";
    size_t used = 0;
    end_block(o);
    if (o->titled && !level)
        return;
    level -= o->titled;
    o->numbers[level]++;
    for (size_t i = level + 1; i < LEVELS; i++)
        o->numbers[i] = 0;
    for (size_t i = 0; i <= level; i++) {
        bool letter = !i && o->lettered && o->numbers[0] <= 26;
        used += (size_t)snprintf(number + used, sizeof number - used, letter ? "%s%c" : "%s%u", i ? "." : "",
                                 letter ? 'A' + o->numbers[i] - 1 : o->numbers[i]);
    }
    put_words(o, title);
    if (level <= o->whole_level)
        o->r->whole = is_memory_model(title);
    xr_reader_heading(o->r, number);
}

/* "include::{generated}/api/protos/clFinish.txt[]": what follows is about this call. */
static bool put_prototype(struct opencl *o, const char *line)
{
    static const char start[] = "include::{generated}/api/protos/";
    const char *end = strstr(line, ".txt");
    if (strncmp(line, start, sizeof start - 1) != 0 || !end)
        return false;
    end_block(o);
    for (const char *p = line + sizeof start - 1; p < end; p++)
        xr_reader_put(o->r, *p, o->line);
    xr_reader_put(o->r, '(', o->line);
    xr_reader_put(o->r, ')', o->line);
    xr_reader_code(o->r);
    return true;
}

/* True for lines that hold no text of the specification. */
static bool is_directive(const char *s)
{
    static const char *const starts[] = {"//", "include::", "ifdef::", "ifndef::", "endif::", "image::",
                                         ":",  "[",         "--",      "++++",     "====",    "****"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(s, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* An error code alone in an item is the code of the conditions in the items below it: each becomes "CODE if
 * ...", as where a list has one item for each. */
static void put_item(struct opencl *o, size_t depth, const char *text)
{
    size_t length = strlen(text);
    xr_reader_paragraph(o->r);
    o->r->depth = (int)depth;
    if (depth == 1)
        o->code[0] = 0;
    if (depth == 1 && strncmp(text, "{CL_", 4) == 0 && text[length - 1] == '}' && length < sizeof o->code) {
        memcpy(o->code, text, length + 1);
        return;
    }
    if (depth > 1 && *o->code && strncmp(text, "if ", 3) == 0) {
        o->r->depth = 1;
        put_words(o, o->code);
    }
    put_words(o, text);
}

/* True if LINE is an attribute that numbers the sections after it. */
static bool put_numbering(struct opencl *o, const char *line)
{
    static const char offset[] = ":sectnumoffset:", level[] = ":leveloffset:", letters[] = ":numbered!:";
    bool other = strcmp(o->r->text->document, "CL") != 0;
    if (strncmp(line, offset, sizeof offset - 1) == 0) {
        o->offset = other ? (unsigned)strtoul(line + sizeof offset - 1, NULL, 10) : 0;
    } else if (strncmp(line, level, sizeof level - 1) == 0) {
        memset(o->numbers, 0, sizeof o->numbers); /* what came before is the title */
        o->numbers[0] = o->lettered ? 0 : o->offset;
        o->titled = false;
    } else if (strncmp(line, letters, sizeof letters - 1) == 0) {
        o->lettered = other;
        if (other)
            memset(o->numbers, 0, sizeof o->numbers);
    } else {
        return false;
    }
    return true;
}

/* True if LINE is text. */
static bool put_line(struct opencl *o, const char *line)
{
    const char *s = line + strspn(line, " ");
    size_t equals = strspn(line, "="), marks = strspn(s, "*"), dots = strspn(s, ".");
    if (put_numbering(o, line)) {
        return false;
    } else if (strncmp(line, "----", 4) == 0) {
        o->listing = !o->listing;
        end_block(o);
    } else if (o->listing || put_prototype(o, line)) {
        return false;
    } else if (equals && equals <= LEVELS && line[equals] == ' ' && !o->paragraph) {
        put_heading(o, equals - 1, line + equals + 1);
    } else if (!*s || strcmp(s, "+") == 0 || is_directive(s)) {
        if (!*s || strcmp(s, "--") == 0)
            end_block(o);
    } else if (*s == '|') {
        end_block(o);
        put_words(o, s + strspn(s, "| ="));
        o->r->defines = strstr(s, "_anchor}") != NULL;
    } else if ((marks && marks <= XR_LIST_MAX && s[marks] == ' ') || (dots && s[dots] == ' ')) {
        put_item(o, marks ? marks : dots <= XR_LIST_MAX ? dots : XR_LIST_MAX, s + marks + dots + 1);
        return true;
    } else {
        put_words(o, line);
        return true;
    }
    return false;
}

void xr_read_opencl(struct xr_reader *r, const char *bytes, size_t length)
{
    struct opencl o = {.r = r, .whole_level = 2, .titled = strcmp(r->text->document, "CL") != 0};
    char line[LINE_BYTES];
    for (const char *p = bytes, *end = p + length; p < end && !r->failed;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p), kept = n < sizeof line - 1 ? n : sizeof line - 1;
        memcpy(line, p, kept);
        while (kept && isspace((unsigned char)line[kept - 1]))
            kept--;
        line[kept] = 0;
        o.line++;
        o.paragraph = put_line(&o, line);
        p += n + 1;
    }
    end_block(&o);
}
