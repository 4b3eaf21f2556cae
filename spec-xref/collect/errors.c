/* The collector: tests that expect a code of an API call, be it an error or CL_SUCCESS.
 *
 * A statement that names a code and a call pairs them: EXPECT(CL_INVALID_VALUE, clFlush(NULL)).  A code alone
 * belongs to the call of the statement before: err = clFlush(NULL); assert_int_equal(err, CL_...).  OK(call)
 * expects CL_SUCCESS, OK(err) of the statement before.
 *
 * The clauses that a string or a comment of the statement cites ("CL 5.2.1 E3", [CL 5.2.1 E3]) are those that
 * it tests.  Macro names state how the code is produced: see marker_of(). */
#include "spec-xref/collect/internal.h"

#include "memmodel/base/array.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MAX_BYTES = 80, CALLS_MAX = 8 };

struct statement {
    char calls[CALLS_MAX][NAME_MAX_BYTES], codes[CALLS_MAX][NAME_MAX_BYTES];
    size_t call_count, code_count;
    unsigned line; /* of the first code */
    enum xr_evidence evidence;
    const struct xr_clause *clauses[XR_TEST_CLAUSES];
    size_t clause_count;
};

/* The evidence that a statement with the macro NAME gives. */
static enum xr_evidence marker_of(const char *name)
{
    static const struct {
        const char *start;
        enum xr_evidence evidence;
    } markers[] = {{"STARVE", XR_INJECTED},
                   {"LOST_", XR_INJECTED},
                   {"ANSWERED", XR_ANSWERED},
                   {"REFUSED", XR_ANSWERED},
                   {"UNFED", XR_NEEDLESS}};
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (strncmp(name, markers[i].start, strlen(markers[i].start)) == 0)
            return markers[i].evidence;
    return XR_TRIGGERED;
}

static bool is_identifier(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_code(const char *name)
{
    static const char *const starts[] = {"CL_SUCCESS",
                                         "CL_INVALID_",
                                         "CL_OUT_OF_",
                                         "CL_MISALIGNED_",
                                         "CL_MAP_FAILURE",
                                         "CL_COMPILE_",
                                         "CL_CONTEXT_TERMINATED",
                                         "CL_BUILD_PROGRAM_F",
                                         "CL_LINK_",
                                         "CL_LINKER_NOT",
                                         "CL_COMPILER_NOT",
                                         "CL_DEVICE_NOT_",
                                         "CL_DEVICE_PARTITION_FAILED",
                                         "CL_IMAGE_FORMAT_",
                                         "CL_MEM_COPY_OVERLAP",
                                         "CL_MEM_OBJECT_ALLOC",
                                         "CL_KERNEL_ARG_INFO_NOT",
                                         "CL_PROFILING_INFO_",
                                         "CL_EXEC_STATUS_ERROR",
                                         "CL_MAX_SIZE_RESTRICTION"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* The evidence for CODE: none for exhausted resources if a test has neither a marker nor a citation. */
static enum xr_evidence evidence_of(const struct statement *s, const char *code)
{
    bool claims = s->evidence == XR_TRIGGERED && s->clause_count == 0;
    return claims && strncmp(code, "CL_OUT_OF_", 10) == 0 ? XR_UNTESTED : s->evidence;
}

static void add_expectation(struct xr_collector *c, const struct statement *s, const char *call,
                            const char *code)
{
    struct xr_citations *out = c->out;
    struct xr_error_test item = {.entry = mm_arena_strdup(out->arena, call),
                                 .code = mm_arena_strdup(out->arena, code),
                                 .file = c->file,
                                 .line = s->line,
                                 .evidence = evidence_of(s, code),
                                 .clause_count = s->clause_count};
    memcpy(item.clauses, s->clauses, sizeof item.clauses);
    if (!item.entry || !item.code || !mm_append(&out->error_tests, &out->error_test_count, &item))
        c->failed = true;
}

static bool has_code(const struct statement *s, const char *code)
{
    for (size_t i = 0; i < s->code_count; i++)
        if (strcmp(s->codes[i], code) == 0)
            return true;
    return false;
}

/* Without a call the calls of the cited clauses are tested; without a code their code is expected. */
static void add_clauses(struct xr_collector *c, struct statement *s, const char *call)
{
    struct statement one = *s;
    one.clause_count = 1;
    for (size_t i = 0; i < s->clause_count; i++) {
        const struct xr_clause *clause = one.clauses[0] = s->clauses[i];
        if (!*clause->code || (s->code_count && !has_code(s, clause->code)))
            continue;
        for (size_t k = 0; k < (call ? 1 : clause->entry_count); k++)
            add_expectation(c, &one, call ? call : clause->entries[k], clause->code);
    }
}

/* Ends a statement: the first call is the one that is tested, its arguments may call others. */
static void finish_statement(struct xr_collector *c, struct statement *s, char *previous, bool row)
{
    const char *call = s->call_count ? s->calls[0] : previous;
    if (s->evidence == XR_NEEDLESS && s->call_count)
        add_expectation(c, s, call, "");
    else if (s->code_count && s->clause_count && !s->call_count)
        add_clauses(c, s, NULL);
    else if (row && s->call_count && !s->code_count)
        add_clauses(c, s, call);
    else
        for (size_t i = 0; i < s->code_count && *call && s->evidence != XR_NEEDLESS; i++)
            add_expectation(c, s, call, s->codes[i]);
    if (s->call_count)
        memcpy(previous, s->calls[0], NAME_MAX_BYTES);
    *s = (struct statement){.evidence = XR_TRIGGERED};
}

struct citing {
    const struct xr_collector *c;
    struct statement *s;
    unsigned line;
};

static enum mm_class cite_clause(void *context, const char *document, const char *section, const char *label)
{
    struct citing *citing = context;
    struct statement *s = citing->s;
    char id[256];
    snprintf(id, sizeof id, "%s %s %s", document, section, label);
    const struct xr_clause *clause = xr_database_clause(citing->c->db, id);
    if (clause && s->clause_count < XR_TEST_CLAUSES && !s->line)
        s->line = citing->line;
    if (clause && s->clause_count < XR_TEST_CLAUSES)
        s->clauses[s->clause_count++] = clause;
    return MM_OK;
}

/* Adds the clauses cited from P, after the opening of the citation, up to STOP. */
static void take_citation(const struct xr_collector *c, struct statement *s, const char *p, const char *end,
                          char stop, unsigned line)
{
    char text[256];
    const char *close = memchr(p, stop, (size_t)(end - p));
    if (strncmp(p, "CL ", 3) != 0 || !close || close - p >= (ptrdiff_t)sizeof text)
        return;
    memcpy(text, p, (size_t)(close - p));
    text[close - p] = 0;
    xr_cite_parse(c->db, text, cite_clause, &(struct citing){c, s, line});
}

static void read_identifier(struct statement *s, const char *p, size_t n, char after, unsigned line)
{
    char name[NAME_MAX_BYTES];
    if (n >= sizeof name)
        return;
    memcpy(name, p, n);
    name[n] = 0;
    /* Under test directly, or found as an entry point of an extension. */
    const char *entry = name + (strncmp(name, "rt_cl", 5) == 0 ? 3 : strncmp(name, "p_cl", 4) == 0 ? 2 : 0);
    bool call =
        strncmp(entry, "cl", 2) == 0 && isupper((unsigned char)entry[2]) && (after == '(' || after == ',');
    if (call && s->call_count < CALLS_MAX)
        memcpy(s->calls[s->call_count++], entry, strlen(entry) + 1);
    enum xr_evidence evidence = after == '(' ? marker_of(name) : XR_TRIGGERED;
    s->evidence = evidence < s->evidence ? evidence : s->evidence;
    if (strcmp(name, "OK") == 0 && after == '(')
        memcpy(name, "CL_SUCCESS", sizeof "CL_SUCCESS");
    if (is_code(name) && s->code_count < CALLS_MAX) {
        if (!s->code_count)
            s->line = line;
        memcpy(s->codes[s->code_count++], name, strlen(name) + 1);
    }
}

void xr_collect_error_tests(struct xr_collector *c, const char *bytes, size_t length)
{
    struct statement s = {.evidence = XR_TRIGGERED};
    bool rows = strcmp(c->file + strlen(c->file) - 4, ".def") == 0; /* a statement each */
    char previous[NAME_MAX_BYTES] = "";
    const char *end = bytes + length;
    unsigned line = 1;
    bool in_string = false, in_comment = false;
    for (const char *p = bytes; p < end;) {
        line += *p == '\n';
        if (in_comment) {
            in_comment = strncmp(p, "*/", 2) != 0;
            if (*p == '[')
                take_citation(c, &s, p + 1, end, ']', line);
        } else if (in_string) {
            in_string = *p != '"' && *p != '\n';
            p += *p == '\\' && p + 1 < end;
        } else if (*p == '"') {
            in_string = true;
            take_citation(c, &s, p + 1, end, '"', line);
        } else if (strncmp(p, "/*", 2) == 0) {
            in_comment = true;
        } else if (*p == ';' || *p == '{' || *p == '}' || (rows && *p == '\n')) {
            finish_statement(c, &s, previous, rows);
            if (*p == '}' && p > bytes && p[-1] == '\n')
                *previous = 0;
        } else if (is_identifier(*p)) {
            const char *start = p;
            while (p < end && is_identifier(*p))
                p++;
            read_identifier(&s, start, (size_t)(p - start), p < end ? *p : 0, line);
            continue;
        }
        p++;
    }
    finish_statement(c, &s, previous, rows);
}
