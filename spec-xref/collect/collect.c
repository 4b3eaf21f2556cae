/* The collector: citations in code, tests, litmus tests and documents. */
#include "memmodel/base/array.h"
#include "memmodel/base/input.h"
#include "spec-xref/collect/internal.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_MAX = 4096, DEPTH_MAX = 12 };

const char *xr_role_name(enum xr_role role)
{
    static const char *const names[] = {"implements", "checks", "generated", "reports", "mentions"};
    return (unsigned)role < XR_ROLE_COUNT ? names[role] : "?";
}

/* ---- one citation ------------------------------------------------------------------------- */

static enum mm_class add_citation(void *context, const char *document, const char *section, const char *label)
{
    struct xr_collector *c = context;
    struct xr_citations *out = c->out;
    char id[256];
    struct xr_citation item = {.document = document,
                               .section = mm_arena_strdup(out->arena, section),
                               .label = mm_arena_strdup(out->arena, label),
                               .file = c->file,
                               .line = c->line,
                               .role = c->role};
    if (!item.section || !item.label) {
        c->failed = true;
        return MM_LIMIT;
    }
    /* Instructions are cited by name: they are sections of the chapter of instructions. */
    item.known_section =
        xr_database_section(c->db, document, strncmp(section, "Op", 2) == 0 ? "3.49" : section);
    if (*label) {
        snprintf(id, sizeof id, "%s %s %s", document, section, label);
        item.clause = xr_database_clause(c->db, id);
    }
    c->failed = !mm_append(&out->citations, &out->citation_count, &item);
    return c->failed ? MM_LIMIT : MM_OK;
}

size_t xr_collect_text(struct xr_collector *c, const char *text, size_t length, unsigned line,
                       enum xr_role role)
{
    char copy[TEXT_MAX];
    size_t before = c->out->citation_count, n = length < sizeof copy - 1 ? length : sizeof copy - 1;
    memcpy(copy, text, n);
    copy[n] = 0;
    c->line = line;
    c->role = role;
    xr_cite_parse(c->db, copy, add_citation, c);
    return c->out->citation_count - before;
}

/* ---- C, OpenCL C, scripts: [CL 3.3.6 G9] and "CL 3.3.6 G17" ------------------------------- */

static bool starts_document(const char *p)
{
    static const char *const names[] = {"CL ", "CLC ", "SPIRV ", "VKMM "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(p, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static size_t length_until(const char *p, const char *end, char stop, bool lines)
{
    const char *q = p;
    while (q < end && *q != stop && (lines || *q != '\n') && q - p < TEXT_MAX)
        q++;
    return q < end && *q == stop ? (size_t)(q - p) : 0;
}

/* In strings the id ends at the first character that is not part of a citation: a message may follow. */
static bool is_rule_string(const char *p, size_t n)
{
    const char *digit = memchr(p, ' ', n);
    bool upper_only = n < 64;
    for (size_t i = 0; i < n; i++)
        upper_only = upper_only && p[i] != '%' && p[i] != '\\';
    return upper_only && digit && (isalnum((unsigned char)digit[1]));
}

/* An unknown rule id is kept as a citation of no clause. */
static void rule_string(struct xr_collector *c, const char *text, size_t length, unsigned line,
                        enum xr_role role)
{
    char section[64];
    if (xr_collect_text(c, text, length, line, role))
        return;
    snprintf(section, sizeof section, "%.*s", (int)length, text);
    add_citation(c, "?", section, "");
}

/* ---- comments of the memory model: "G4, G17" at their start, "(O10)" within -------------- */

static bool is_bare_label(const char *p, const char *end)
{
    const char *q = p + 1;
    if (p >= end || !strchr("COGAFWBH", *p))
        return false;
    while (q < end && isdigit((unsigned char)*q))
        q++;
    return q > p + 1 && q < end && q - p <= 3 && strchr(",-:*) ", *q) && (*q != ' ' || q[1] == '*');
}

static bool speaks_of_memory_model(const char *file)
{
    static const char *const folders[] = {"memmodel/",           "checker/",           "litmus/",
                                          "tests/unit/checker/", "tests/unit/litmus/", "tests/hunt/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(file, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static void bare_labels(struct xr_collector *c, const char *p, size_t n, unsigned line, enum xr_role role)
{
    char text[512];
    snprintf(text, sizeof text, "CL %.*s", (int)(n < 500 ? n : 500), p);
    xr_collect_text(c, text, strlen(text), line, role);
}

/* The comment that starts at P. */
static void scan_comment(struct xr_collector *c, const char *p, const char *end, unsigned line,
                         enum xr_role role)
{
    const char *stop = memmem(p, (size_t)(end - p), "*/", 2);
    if (!stop)
        return;
    if (is_bare_label(p + 3, stop + 1)) {
        bare_labels(c, p + 3, (size_t)(stop - p) - 3, line, role);
        return;
    }
    for (const char *q = p; q < stop; q++) {
        line += *q == '\n';
        const char *close =
            *q == '(' && is_bare_label(q + 1, stop) ? memchr(q, ')', (size_t)(stop - q)) : NULL;
        if (close)
            bare_labels(c, q + 1, (size_t)(close - q) - 1, line, role);
    }
}

bool xr_ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static bool has_prefix(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* Length of the header comment of a test program or script, whose citations assert nothing.  Kernels
 * have their citations there: the whole file is one test. */
static size_t header_length(const char *file, const char *bytes, size_t length)
{
    const char *p = bytes, *end = bytes + length, *stop = NULL;
    if (xr_ends_with(file, ".c") || xr_ends_with(file, ".h")) {
        stop = has_prefix(p, "/*") ? memmem(p, length, "*/", 2) : NULL;
    } else if (xr_ends_with(file, ".py") || xr_ends_with(file, ".sh")) {
        while (p < end && *p == '#') {
            const char *line_end = memchr(p, '\n', (size_t)(end - p));
            p = line_end ? line_end + 1 : end;
        }
        stop = has_prefix(p, "\"\"\"") ? memmem(p + 3, (size_t)(end - p) - 3, "\"\"\"", 3) : p;
    }
    return stop ? (size_t)(stop - bytes) : 0;
}

static void scan_code(struct xr_collector *c, const char *bytes, size_t length, enum xr_role role)
{
    const char *end = bytes + length;
    const char *body = bytes + (role == XR_CHECKS ? header_length(c->file, bytes, length) : 0);
    const enum xr_role body_role = role;
    unsigned line = 1;
    bool memory_model = speaks_of_memory_model(c->file) && role != XR_MENTIONS;
    for (const char *p = bytes; p < end; p++) {
        size_t n = 0;
        line += *p == '\n';
        role = p < body ? XR_MENTIONS : body_role;
        if (memory_model && strncmp(p, "/* ", 3) == 0)
            scan_comment(c, p, end, line, role);
        if (*p == '[' && starts_document(p + 1)) {
            n = length_until(p + 1, end, ']', true);
            if (n)
                xr_collect_text(c, p + 1, n, line, role);
        } else if (*p == '"' && starts_document(p + 1) && role != XR_MENTIONS) {
            n = length_until(p + 1, end, '"', false);
            if (n && is_rule_string(p + 1, n))
                rule_string(c, p + 1, n, line, role == XR_IMPLEMENTS ? XR_REPORTS : role);
        }
        for (size_t i = 0; i < n; i++)
            line += p[i + 1] == '\n';
        p += n;
    }
}

/* ---- litmus tests: "Clauses: CL 3.3.6 W2, W7 *)", after "Verdicts: generated" if so --------- */

static void scan_litmus(struct xr_collector *c, const char *bytes, size_t length)
{
    static const char head[] = "Clauses:", generated[] = "Verdicts: generated";
    const char *p = memmem(bytes, length, head, sizeof head - 1), *end = bytes + length;
    if (!p)
        return;
    unsigned line = 1;
    for (const char *q = bytes; q < p; q++)
        line += *q == '\n';
    const char *stop = memmem(p, (size_t)(end - p), "*)", 2);
    xr_collect_text(c, p + sizeof head - 1, (size_t)((stop ? stop : end) - p) - (sizeof head - 1), line,
                    memmem(bytes, (size_t)(p - bytes), generated, sizeof generated - 1) ? XR_GENERATED
                                                                                        : XR_CHECKS);
}

/* ---- files -------------------------------------------------------------------------------- */

static enum xr_role role_of(const char *file)
{
    if (xr_ends_with(file, ".md") || xr_ends_with(file, ".1"))
        return XR_MENTIONS;
    return has_prefix(file, "tests/") || has_prefix(file, "litmus/suite/") ? XR_CHECKS : XR_IMPLEMENTS;
}

static bool is_source(const char *name)
{
    static const char *const kinds[] = {".c",   ".h",      ".cpp", ".def", ".cl",
                                        ".cat", ".litmus", ".py",  ".sh",  ".md"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (xr_ends_with(name, kinds[i]))
            return true;
    return false;
}

enum mm_class xr_collect_file(const char *path, const char *bytes, size_t length,
                              const struct xr_database *db, struct xr_citations *out, struct mm_error *err)
{
    if (!out->arena && !(out->arena = mm_arena_create()))
        return mm_out_of_memory(err);
    struct xr_collector c = {.db = db, .out = out, .file = mm_arena_strdup(out->arena, path)};
    if (!c.file)
        return mm_out_of_memory(err);
    enum xr_role role = role_of(path);
    out->file_count++;
    if (xr_ends_with(path, ".litmus"))
        scan_litmus(&c, bytes, length);
    else if (xr_ends_with(path, ".cat"))
        xr_collect_model(&c, bytes, length);
    else
        scan_code(&c, bytes, length, role);
    if (has_prefix(path, "tests/") && (xr_ends_with(path, ".c") || xr_ends_with(path, ".h") ||
                                       xr_ends_with(path, ".def") || xr_ends_with(path, ".py")))
        xr_collect_error_tests(&c, bytes, length);
    return c.failed ? mm_out_of_memory(err) : MM_OK;
}

struct walk {
    const char *root;
    const struct xr_database *db;
    struct xr_citations *out;
    struct mm_error *err;
};

static enum mm_class walk_file(struct walk *w, const char *path, const char *relative)
{
    char *bytes;
    size_t length;
    enum mm_class c = mm_input_read(MM_INPUT_SOURCE, path, &bytes, &length, w->err);
    if (c == MM_OK) {
        c = xr_collect_file(relative, bytes, length, w->db, w->out, w->err);
        mm_free(bytes);
    }
    return c;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum mm_class walk_folder(struct walk *w, const char *relative, int depth)
{
    char path[8200], below[4096];
    struct dirent **names;
    enum mm_class c = MM_OK;
    snprintf(path, sizeof path, "%s/%s", w->root, relative);
    int n = depth < DEPTH_MAX ? scandir(path, &names, NULL, by_name) : -1;
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        struct stat info;
        snprintf(below, sizeof below, "%s/%s", relative, name);
        snprintf(path, sizeof path, "%s/%s", w->root, below);
        /* The tests of this part make up clauses; fuzzing corpora cite nothing. */
        bool skipped =
            *name == '.' || strcmp(below, "tests/xref") == 0 || strcmp(below, "tests/fuzz/corpus") == 0;
        if (c == MM_OK && !skipped && lstat(path, &info) == 0) {
            if (S_ISDIR(info.st_mode))
                c = walk_folder(w, below, depth + 1);
            else if (S_ISREG(info.st_mode) && is_source(name))
                c = walk_file(w, path, below);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return c;
}

enum mm_class xr_collect(const char *root, const struct xr_database *db, struct xr_citations *out,
                         struct mm_error *err)
{
    static const char *const folders[] = {"memmodel",    "checker", "interp", "litmus",
                                          "ref-runtime", "tests",   "tools"};
    struct walk w = {root, db, out, err};
    *out = (struct xr_citations){.arena = mm_arena_create()};
    if (!out->arena)
        return mm_out_of_memory(err);
    enum mm_class c = MM_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && c == MM_OK; i++)
        c = walk_folder(&w, folders[i], 0);
    if (c == MM_OK && !out->file_count)
        c = mm_fail_at(err, MM_INVALID, "xref.file", root, 0, 0, "no source folders here");
    if (c != MM_OK)
        xr_citations_free(out);
    return c;
}

void xr_citations_free(struct xr_citations *citations)
{
    mm_free(citations->citations);
    mm_free(citations->error_tests);
    mm_free(citations->axioms);
    if (citations->arena)
        mm_arena_destroy(citations->arena);
    *citations = (struct xr_citations){0};
}
