/* refcl xref: clauses of the specification with the axioms, code and tests linked to them. */
#include "tools/cmd/xref.h"
#include "memmodel/base/escape.h"
#include "tools/cmd/commands.h"

#include <string.h>

struct show {
    const char *root, *json;
    struct tool_texts judgements;
};
static const struct tool_option options[] = {
    XREF_ROOT_OPTION(struct show),
    {"json", 'j', "OUT", "REFCL_JSON", "write the clauses as JSON, - for stdout", TOOL_TO(struct show, json)},
    XREF_JUDGEMENT_OPTION(struct show),
    TOOL_OPTION_END};

/* ---- as text --------------------------------------------------------------------------------- */

static void print_places(const struct xr_links *links, enum xr_role role, const char *title)
{
    bool any = false;
    for (size_t i = 0; i < links->citation_count; i++) {
        const struct xr_citation *c = links->citations[i];
        if (c->role != role || !c->clause)
            continue;
        if (!any)
            mm_print(stdout, "  %s:\n", title);
        any = true;
        mm_print(stdout, "    %s:%u\n", c->file, c->line);
    }
}

static void print_section_code(const struct xr_links *links)
{
    const char *last = "";
    for (size_t i = 0; i < links->citation_count; i++) {
        const struct xr_citation *c = links->citations[i];
        if (c->clause || (c->role != XR_IMPLEMENTS && c->role != XR_REPORTS) || strcmp(c->file, last) == 0)
            continue;
        if (!*last)
            printf("  its section is cited by:\n");
        last = c->file;
        mm_print(stdout, "    %s:%u\n", c->file, c->line);
    }
}

static void print_errors(const struct xref_context *x, const struct xr_clause *clause,
                         const struct xr_links *links)
{
    if (!*clause->code)
        return;
    mm_print(stdout, "  %s: %s\n", clause->code, xr_evidence_name(links->evidence));
    for (size_t i = 0; i < x->citations.error_test_count; i++) {
        const struct xr_error_test *t = &x->citations.error_tests[i];
        for (size_t k = 0; k < clause->entry_count; k++)
            if (xr_test_is_of(&x->db, t, clause, clause->entries[k]))
                mm_print(stdout, "    %s:%u %s\n", t->file, t->line, t->entry);
    }
}

static void print_drivers(const struct xref_context *x, const struct xr_links *links)
{
    for (size_t d = 0; d < x->driver_count; d++) {
        mm_print(stdout, "  on %s:\n", x->drivers[d].name);
        for (size_t i = 0; i < links->citation_count; i++) {
            const struct xr_citation *c = links->citations[i];
            const char *verdict = c->clause ? xr_driver_verdict(&x->drivers[d], c->file) : NULL;
            if (verdict)
                mm_print(stdout, "    %-10s %s\n", verdict, c->file);
        }
    }
}

static void print_clause(const struct xref_context *x, const struct xr_clause *c)
{
    const struct xr_links *links = &x->matrix.links[c - x->db.clauses];
    const struct xr_known_section *section = xr_database_section(&x->db, c->document, c->section);
    mm_print(stdout, "%s  (%s; %s)\n  %s%s%s\n", c->id, c->kind, section ? section->title : c->section,
             c->code, *c->code ? ": " : "", c->text);
    if (*c->note)
        mm_print(stdout, "  note: %s\n", c->note);
    if (*c->versions)
        mm_print(stdout, "  versions: %s\n", c->versions);
    if (*c->untested)
        mm_print(stdout, "  no test: %s\n", c->untested);
    for (size_t i = 0; i < c->error_count; i++) {
        const struct xr_clause *e = xr_database_clause(&x->db, c->errors[i]);
        mm_print(stdout, "  violated: %s %s (%s)\n", e->id, e->code,
                 xr_evidence_name(x->matrix.links[e - x->db.clauses].evidence));
    }
    print_places(links, XR_IMPLEMENTS, "implemented by");
    print_places(links, XR_REPORTS, "reported by");
    print_section_code(links);
    print_places(links, XR_CHECKS, "checked by");
    print_places(links, XR_GENERATED, "checked by generated tests");
    print_errors(x, c, links);
    print_drivers(x, links);
    for (size_t i = 0; i < x->db.ambiguity_count; i++)
        for (size_t k = 0; k < x->db.ambiguities[i].clause_count; k++)
            if (strcmp(x->db.ambiguities[i].clauses[k], c->id) == 0)
                mm_print(stdout, "  open: %s %s\n", x->db.ambiguities[i].id, x->db.ambiguities[i].topic);
}

/* ---- which clauses ------------------------------------------------------------------------ */

struct wanted {
    const struct xref_context *x;
    const char **ids;
    size_t count, capacity;
    bool unknown;
};

static void add_wanted(struct wanted *w, const struct xr_clause *c)
{
    if (w->count < w->capacity)
        w->ids[w->count++] = c->id;
}

static enum mm_class on_reference(void *context, const char *document, const char *section, const char *label)
{
    struct wanted *w = context;
    char name[256];
    size_t before = w->count;
    for (size_t i = 0; i < w->x->db.clause_count; i++) {
        const struct xr_clause *c = &w->x->db.clauses[i];
        if (strcmp(c->document, document) == 0 && strcmp(c->section, section) == 0 &&
            (!*label || strcmp(c->label, label) == 0))
            add_wanted(w, c);
    }
    if (w->count == before) {
        snprintf(name, sizeof name, "%s %s%s%s", document, section, *label ? " " : "", label);
        tool_error(EXIT_USAGE, "no clause '%s'", name);
        w->unknown = true;
    }
    return MM_OK;
}

/* Prints the clauses of one citation, which all arguments together form: refcl xref CL 3.3.6 G7-G9. */
static int show_citation(struct show *s, int argc, char **argv, struct xref_context *x)
{
    char text[1024] = "";
    size_t used = 0;
    for (int i = 0; i < argc && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", argv[i]);
    struct wanted w = {.x = x, .capacity = 4 * x->db.clause_count + 1};
    w.ids = mm_alloc(w.capacity * sizeof *w.ids);
    if (!w.ids)
        return tool_error(EXIT_TOOL, "out of memory");
    xr_cite_parse(&x->db, text, on_reference, &w);
    int code = w.unknown ? EXIT_USAGE : 0;
    if (!w.count && !w.unknown)
        code = tool_error(EXIT_USAGE, "'%s' names no clause, such as CL 3.3.6 G17", text);
    if (s->json && !code)
        code = xref_write(s->json, xr_json(&x->matrix, x->drivers, x->driver_count, w.ids, w.count));
    for (size_t i = 0; i < w.count && !s->json; i++)
        print_clause(x, xr_database_clause(&x->db, w.ids[i]));
    mm_free(w.ids);
    return code;
}

static int print_summary(const struct show *s, const struct xref_context *x)
{
    if (s->json)
        return xref_write(s->json, xr_json(&x->matrix, x->drivers, x->driver_count, NULL, 0));
    printf("%zu clauses, %zu citations in %zu files, %zu tests of error codes, %zu axioms, %zu ambiguities\n"
           "`refcl xref CLAUSE...` shows one; `refcl xref --help` lists the subcommands.\n",
           x->db.clause_count, x->citations.citation_count, x->citations.file_count,
           x->citations.error_test_count, x->citations.axiom_count, x->db.ambiguity_count);
    return 0;
}

static int xref_main(int argc, char **argv)
{
    struct show s = {0};
    struct xref_context x;
    int code = 0, first = tool_options(&cmd_xref, argc, argv, false, &s, &code);
    if (first < 0)
        return code;
    code = xref_load(s.root, &s.judgements, &x);
    if (code)
        return code;
    code = first == argc ? print_summary(&s, &x) : show_citation(&s, argc - first, argv + first, &x);
    xref_free(&x);
    return code;
}

const struct tool_command cmd_xref = {
    "xref", "[CLAUSE...]", "show clauses of the specification with the axioms, code and tests linked to them",
    options, xref_main};
