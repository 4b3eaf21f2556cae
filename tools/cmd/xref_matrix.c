/* refcl xref check, site, errors, ambiguities: the matrix of clauses, code and tests. */
#include "tools/cmd/commands.h"
#include "tools/cmd/xref.h"

#include <string.h>

struct request {
    const char *root, *json, *output, *prefix;
    struct tool_texts judgements;
};
static const struct tool_option check_options[] = {
    XREF_ROOT_OPTION(struct request),
    {"json", 'j', "OUT", "REFCL_JSON", "write the whole matrix as JSON", TOOL_TO(struct request, json)},
    TOOL_OPTION_END};
static const struct tool_option site_options[] = {
    XREF_ROOT_OPTION(struct request),
    {"json", 'j', "OUT", "REFCL_JSON", "also write the data of the page as JSON",
     TOOL_TO(struct request, json)},
    {"output", 'o', "OUT", "REFCL_XREF_SITE", "output page (default xref.html)",
     TOOL_TO(struct request, output)},
    {"prefix", 'p', "PATH", "REFCL_XREF_PREFIX",
     "from the page to the repository, for links (default its path)", TOOL_TO(struct request, prefix)},
    XREF_JUDGEMENT_OPTION(struct request),
    TOOL_OPTION_END};

/* Parses the options of a command without arguments, and loads the database and the citations.  *DONE: no
 * more is to be done (--help, or an error); returns the exit code. */
static int parse_and_load(const struct tool_command *command, int argc, char **argv, struct request *r,
                          struct xref_context *x, bool *done)
{
    int code = 0, first = tool_options(command, argc, argv, false, r, &code);
    *done = first < 0;
    if (first < 0)
        return code;
    if (first != argc)
        return tool_error(EXIT_USAGE, "'%s' is one argument too many", argv[first]);
    return xref_load(r->root, &r->judgements, x);
}

/* ---- check -------------------------------------------------------------------------------- */

static void print_gap(const struct xr_gap *g)
{
    if (*g->file)
        printf("%s:%u: ", g->file, g->line);
    printf("%s: %s\n", xr_gap_name(g->kind), g->subject);
}

static int print_check(const struct xref_context *x)
{
    size_t counts[XR_GAP_COUNT] = {0}, errors = 0;
    for (size_t i = 0; i < x->matrix.gap_count; i++) {
        const struct xr_gap *g = &x->matrix.gaps[i];
        counts[g->kind]++;
        errors += xr_gap_is_error(g->kind);
        print_gap(g);
    }
    size_t roles[XR_ROLE_COUNT] = {0};
    for (size_t i = 0; i < x->citations.citation_count; i++)
        roles[x->citations.citations[i].role]++;
    printf("%zu clauses, %zu citations in %zu files, %zu tests of error codes, %zu axioms\n",
           x->db.clause_count, x->citations.citation_count, x->citations.file_count,
           x->citations.error_test_count, x->citations.axiom_count);
    printf("%zu checks, and %zu by generated tests\n", roles[XR_CHECKS], roles[XR_GENERATED]);
    for (int k = 0; k < XR_GAP_COUNT; k++)
        if (counts[k])
            printf("%s: %zu%s\n", xr_gap_name((enum xr_gap_kind)k), counts[k],
                   xr_gap_is_error((enum xr_gap_kind)k) ? " (error)" : "");
    return errors ? EXIT_FINDINGS : EXIT_CLEAN;
}

static bool any_error(const struct xr_matrix *m)
{
    for (size_t i = 0; i < m->gap_count; i++)
        if (xr_gap_is_error(m->gaps[i].kind))
            return true;
    return false;
}

static int run_check(int argc, char **argv)
{
    struct request r = {0};
    struct xref_context x;
    bool done;
    int code = parse_and_load(&cmd_xref_check, argc, argv, &r, &x, &done);
    if (code || done)
        return code;
    if (r.json) {
        code = xref_write(r.json, xr_json(&x.matrix, NULL, 0, NULL, 0));
        code = code ? code : any_error(&x.matrix) ? EXIT_FINDINGS : EXIT_CLEAN;
    } else {
        code = print_check(&x);
    }
    xref_free(&x);
    return code;
}

/* ---- site --------------------------------------------------------------------------------- */

static int write_site(const struct request *r, const struct xref_context *x)
{
    char template[PATH_MAX + 32], prefix[PATH_MAX + 2];
    struct mm_error err = {0};
    snprintf(template, sizeof template, "%s/spec-xref/site.html", x->root);
    snprintf(prefix, sizeof prefix, "%s/", r->prefix ? r->prefix : x->root);
    FILE *out = tool_open_output(r->output);
    if (!out)
        return EXIT_USAGE;
    enum mm_class c = xr_site_write(&x->matrix, x->drivers, x->driver_count, template, prefix, out, &err);
    int code = tool_close_output(out, r->output);
    return c != MM_OK ? tool_report(&err) : code;
}

static int run_site(int argc, char **argv)
{
    struct request r = {.output = "xref.html"};
    struct xref_context x;
    bool done;
    int code = parse_and_load(&cmd_xref_site, argc, argv, &r, &x, &done);
    if (code || done)
        return code;
    code = write_site(&r, &x);
    if (!code && r.json)
        code = xref_write(r.json, xr_json(&x.matrix, x.drivers, x.driver_count, NULL, 0));
    xref_free(&x);
    return code;
}

/* ---- codes -------------------------------------------------------------------------------- */

static void print_error(const struct xr_clause *c, enum xr_evidence evidence)
{
    const char *reason = xr_evidence_reason(c, evidence);
    printf("%-15s%-16s", xr_evidence_name(evidence), c->id);
    for (size_t k = 0; k < c->entry_count; k++)
        printf("%s%s", k ? "," : " ", c->entries[k]);
    printf(" %s: %s%s%s\n", c->code, c->text, *reason ? "; " : "", reason);
}

/* Successes are rows like errors, counted by themselves. */
static int print_errors(const struct xref_context *x)
{
    size_t counts[2][XR_EVIDENCE_COUNT] = {{0}};
    for (size_t i = 0; i < x->db.clause_count; i++) {
        const struct xr_clause *c = &x->db.clauses[i];
        if (!*c->code)
            continue;
        print_error(c, x->matrix.links[i].evidence);
        counts[strcmp(c->code, "CL_SUCCESS") == 0][x->matrix.links[i].evidence]++;
    }
    for (int s = 1; s >= 0; s--) {
        const size_t *n = counts[s], not_producible = n[XR_REASONED] + n[XR_ANSWERED] + n[XR_NEEDLESS];
        printf("%zu %s: %zu triggered, %zu injected, %zu not producible, %zu untested\n",
               n[XR_TRIGGERED] + n[XR_INJECTED] + not_producible + n[XR_UNTESTED],
               s ? "successes" : "error conditions", n[XR_TRIGGERED], n[XR_INJECTED], not_producible,
               n[XR_UNTESTED]);
    }
    return counts[0][XR_UNTESTED] + counts[1][XR_UNTESTED] > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int run_errors(int argc, char **argv)
{
    struct request r = {0};
    struct xref_context x;
    bool done;
    int code = parse_and_load(&cmd_xref_errors, argc, argv, &r, &x, &done);
    if (code || done)
        return code;
    code = r.json ? xref_write(r.json, xr_json(&x.matrix, NULL, 0, NULL, 0)) : print_errors(&x);
    xref_free(&x);
    return code;
}

/* ---- ambiguities -------------------------------------------------------------------------- */

static void print_ambiguity(const struct xr_ambiguity *a)
{
    printf("%s  %s\n  %s\n", a->id, a->topic, a->text);
    if (*a->reading)
        printf("  refcl: %s\n", a->reading);
    if (*a->switch_name)
        printf("  switch: %s\n", a->switch_name);
    for (size_t i = 0; i < a->clause_count; i++)
        printf("%s%s", i ? ", " : "  clauses: ", a->clauses[i]);
    printf("%s", a->clause_count ? "\n" : "");
    for (size_t i = 0; i < a->test_count; i++)
        printf("  turns the verdict of %s\n", a->tests[i]);
}

static int run_ambiguities(int argc, char **argv)
{
    struct request r = {0};
    struct xref_context x;
    int code = 0, first = tool_options(&cmd_xref_ambiguities, argc, argv, false, &r, &code);
    if (first < 0)
        return code;
    code = xref_load_database(r.root, &x);
    if (code)
        return code;
    if (r.json)
        code = xref_write(r.json, xr_json_ambiguities(&x.db));
    for (size_t i = 0; i < x.db.ambiguity_count && !r.json; i++)
        print_ambiguity(&x.db.ambiguities[i]);
    xref_free(&x);
    return code;
}

const struct tool_command cmd_xref_check = {
    "xref check", "", "report broken citations, axioms without a clause and untested clauses", check_options,
    run_check};
const struct tool_command cmd_xref_site = {
    "xref site", "", "write the matrix of clauses, code and tests as an HTML page", site_options, run_site};
const struct tool_command cmd_xref_errors = {"xref errors", "",
                                             "list the error conditions of each API call and their tests",
                                             check_options, run_errors};
const struct tool_command cmd_xref_ambiguities = {
    "xref ambiguities", "", "list ambiguities of the specification and the tests that depend on them",
    check_options, run_ambiguities};
