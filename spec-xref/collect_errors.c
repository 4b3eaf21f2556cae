/* The collector: tests that expect a code of an API call, be it an error or CL_SUCCESS.
 *
 * A statement that names a code and a call pairs them: EXPECT(CL_INVALID_VALUE, clFlush(NULL)).  A code alone
 * belongs to the call of the statement before: err = clFlush(NULL); assert_int_equal(err, CL_...).  OK(call)
 * expects CL_SUCCESS, OK(err) of the statement before. */
#include "spec-xref/collect_internal.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MAX_BYTES = 80, CALLS_MAX = 8 };

struct statement {
    char calls[CALLS_MAX][NAME_MAX_BYTES], codes[CALLS_MAX][NAME_MAX_BYTES];
    size_t call_count, code_count;
    unsigned line; /* of the first code */
};

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

static void add(struct xr_collector *c, const char *call, const char *code, unsigned line)
{
    struct xr_citations *out = c->out;
    struct xr_error_test item = {.entry = mm_arena_strdup(out->arena, call),
                                 .code = mm_arena_strdup(out->arena, code),
                                 .file = c->file,
                                 .line = line};
    if (!item.entry || !item.code)
        c->failed = true;
    else if (xr_collect_room(c, (void **)&out->error_tests, out->error_test_count, &out->error_test_capacity,
                             sizeof item))
        out->error_tests[out->error_test_count++] = item;
}

/* Ends a statement: the first call is the one that is tested, its arguments may call others. */
static void finish(struct xr_collector *c, struct statement *s, char *previous)
{
    const char *call = s->call_count ? s->calls[0] : previous;
    for (size_t i = 0; i < s->code_count && *call; i++)
        add(c, call, s->codes[i], s->line);
    if (s->call_count)
        memcpy(previous, s->calls[0], NAME_MAX_BYTES);
    *s = (struct statement){0};
}

static void identifier(struct statement *s, const char *p, size_t n, char after, unsigned line)
{
    char name[NAME_MAX_BYTES];
    if (n >= sizeof name)
        return;
    memcpy(name, p, n);
    name[n] = 0;
    bool call =
        strncmp(name, "cl", 2) == 0 && isupper((unsigned char)name[2]) && (after == '(' || after == ',');
    if (call && s->call_count < CALLS_MAX)
        memcpy(s->calls[s->call_count++], name, n + 1);
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
    struct statement s = {0};
    char previous[NAME_MAX_BYTES] = "";
    const char *end = bytes + length;
    unsigned line = 1;
    bool in_string = false, in_comment = false;
    for (const char *p = bytes; p < end;) {
        line += *p == '\n';
        if (in_comment) {
            in_comment = strncmp(p, "*/", 2) != 0;
        } else if (in_string) {
            in_string = *p != '"' && *p != '\n';
            p += *p == '\\' && p + 1 < end;
        } else if (*p == '"') {
            in_string = true;
        } else if (strncmp(p, "/*", 2) == 0) {
            in_comment = true;
        } else if (*p == ';' || *p == '{' || *p == '}') {
            finish(c, &s, previous);
            if (*p == '}' && p > bytes && p[-1] == '\n')
                *previous = 0;
        } else if (is_identifier(*p)) {
            const char *start = p;
            while (p < end && is_identifier(*p))
                p++;
            identifier(&s, start, (size_t)(p - start), p < end ? *p : 0, line);
            continue;
        }
        p++;
    }
    finish(c, &s, previous);
}
