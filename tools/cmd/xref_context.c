/* refcl xref: finds the repository and loads its clauses, citations and matrix. */
#include "tools/cmd/xref.h"

#include <libgen.h>
#include <string.h>
#include <unistd.h>

static bool is_root(const char *path)
{
    char clauses[PATH_MAX + 32];
    snprintf(clauses, sizeof clauses, "%s/spec-xref/clauses", path);
    return access(clauses, R_OK) == 0;
}

/* PATH or the nearest folder above it. */
static bool climb_to_root(char *path)
{
    while (*path && !is_root(path)) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return *path != 0;
}

/* The repository: given, above the working folder, or above the executable. */
static int find_root(const char *given, char root[PATH_MAX])
{
    if (given) {
        if (!is_root(given))
            return tool_error(EXIT_USAGE, "--root: '%s' has no spec-xref/clauses", given);
        snprintf(root, PATH_MAX, "%s", given);
        return 0;
    }
    if (getcwd(root, PATH_MAX) && climb_to_root(root))
        return 0;
    ssize_t n = readlink("/proc/self/exe", root, PATH_MAX - 1);
    root[n > 0 ? n : 0] = 0;
    if (n > 0 && climb_to_root(root))
        return 0;
    return tool_error(EXIT_USAGE, "no spec-xref/clauses here; name the repository with --root");
}

int xref_load_database(const char *given_root, struct xref_context *context)
{
    char folder[PATH_MAX + 32];
    struct mm_error err = {0};
    *context = (struct xref_context){0};
    int code = find_root(given_root, context->root);
    if (code)
        return code;
    snprintf(folder, sizeof folder, "%s/spec-xref/clauses", context->root);
    return xr_database_load(folder, &context->db, &err) == MM_OK ? 0 : tool_report(&err);
}

int xref_load(const char *given_root, const struct tool_texts *judgements, struct xref_context *context)
{
    struct mm_error err = {0};
    if (judgements->count > XREF_DRIVERS_MAX)
        return tool_error(EXIT_USAGE, "--judgement: more than %d drivers", XREF_DRIVERS_MAX);
    int code = xref_load_database(given_root, context);
    if (code)
        return code;
    enum mm_class c = xr_collect(context->root, &context->db, &context->citations, &err);
    if (c == MM_OK)
        c = xr_matrix_build(&context->db, &context->citations, context->root, &context->matrix, &err);
    for (size_t i = 0; i < judgements->count && c == MM_OK; i++)
        c = xr_driver_load(judgements->items[i], context->matrix.arena,
                           &context->drivers[context->driver_count++], &err);
    if (c == MM_OK)
        return 0;
    xref_free(context);
    return tool_report(&err);
}

void xref_free(struct xref_context *context)
{
    xr_matrix_free(&context->matrix);
    xr_citations_free(&context->citations);
    xr_database_free(&context->db);
}

int xref_write(const char *name, char *text)
{
    if (!text)
        return tool_error(EXIT_TOOL, "out of memory");
    FILE *out = tool_open_output(name);
    int code = EXIT_USAGE;
    if (out) {
        fputs(text, out);
        fputc('\n', out);
        code = tool_close_output(out, name);
    }
    mm_free(text);
    return code;
}
