/* The traceability matrix: implementations and checks of each clause, and gaps. */
#include "spec-xref/xref.h"

#include "memmodel/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *xr_gap_name(enum xr_gap_kind kind)
{
    static const char *const names[] = {
        "unknown-citation", "axiom-without-clause", "no-check",      "single-check",
        "no-rule",          "untested-error",       "check-not-run", "missing-test"};
    return (unsigned)kind < XR_GAP_COUNT ? names[kind] : "?";
}

bool xr_gap_is_error(enum xr_gap_kind kind)
{
    return kind == XR_GAP_UNKNOWN || kind == XR_GAP_AXIOM || kind == XR_GAP_NO_CHECK ||
           kind == XR_GAP_NOT_RUN || kind == XR_GAP_TEST_MISSING;
}

struct builder {
    struct xr_matrix *m;
    const char *root;
    bool failed;
};

static void add_gap(struct builder *b, enum xr_gap_kind kind, const char *subject, const char *file,
                    unsigned line)
{
    struct xr_matrix *m = b->m;
    const char *copy = mm_arena_strdup(m->arena, subject);
    struct xr_gap gap = {kind, copy, file, line};
    b->failed |= !copy || !mm_append(&m->gaps, &m->gap_count, &gap);
}

/* ---- links -------------------------------------------------------------------------------- */

static bool is_about(const struct xr_citation *c, const struct xr_clause *clause)
{
    if (c->clause)
        return c->clause == clause;
    return !*c->label && strcmp(c->section, clause->section) == 0 &&
           strcmp(c->document, clause->document) == 0;
}

static void count_citation(struct xr_links *links, const struct xr_citation *c)
{
    if (!c->clause)
        links->section_code += c->role == XR_IMPLEMENTS || c->role == XR_REPORTS;
    else if (c->role == XR_IMPLEMENTS)
        links->implements++;
    else if (c->role == XR_CHECKS)
        links->checks++;
    else if (c->role == XR_GENERATED)
        links->generated++;
    else if (c->role == XR_REPORTS)
        links->reports++;
}

static void link_clause(struct builder *b, size_t index)
{
    const struct xr_clause *clause = &b->m->db->clauses[index];
    const struct xr_citations *all = b->m->citations;
    struct xr_links *links = &b->m->links[index];
    size_t n = 0;
    for (size_t i = 0; i < all->citation_count; i++)
        n += is_about(&all->citations[i], clause);
    links->citations = mm_arena_alloc(b->m->arena, (n + 1) * sizeof *links->citations);
    if (!links->citations) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < all->citation_count; i++) {
        if (!is_about(&all->citations[i], clause))
            continue;
        links->citations[links->citation_count++] = &all->citations[i];
        count_citation(links, &all->citations[i]);
    }
}

/* ---- error conditions --------------------------------------------------------------------- */

const char *xr_evidence_name(enum xr_evidence evidence)
{
    static const char *const names[] = {"untested",       "not producible", "not producible",
                                        "not producible", "injected",       "triggered"};
    return (unsigned)evidence < XR_EVIDENCE_COUNT ? names[evidence] : "?";
}

const char *xr_evidence_reason(const struct xr_clause *clause, enum xr_evidence evidence)
{
    if (evidence == XR_NEEDLESS)
        return "the call allocates no memory";
    return evidence == XR_REASONED || evidence == XR_ANSWERED ? clause->untested : "";
}

static bool has_entry(const struct xr_clause *clause, const char *entry)
{
    for (size_t i = 0; i < clause->entry_count; i++)
        if (strcmp(clause->entries[i], entry) == 0)
            return true;
    return false;
}

static bool is_only_condition(const struct xr_database *db, const struct xr_clause *clause, const char *entry)
{
    for (size_t i = 0; i < db->clause_count; i++)
        if (&db->clauses[i] != clause && strcmp(db->clauses[i].code, clause->code) == 0 &&
            !*db->clauses[i].untested && has_entry(&db->clauses[i], entry))
            return false;
    return true;
}

bool xr_test_is_of(const struct xr_database *db, const struct xr_error_test *test,
                   const struct xr_clause *clause, const char *entry)
{
    if (strcmp(test->entry, entry) != 0 || (*test->code && strcmp(test->code, clause->code) != 0))
        return false;
    for (size_t i = 0; i < test->clause_count; i++)
        if (test->clauses[i] == clause)
            return true;
    return *test->code && (strcmp(test->code, "CL_SUCCESS") == 0 || is_only_condition(db, clause, entry));
}

static enum xr_evidence evidence_of(const struct builder *b, const struct xr_clause *clause,
                                    const char *entry)
{
    enum xr_evidence best = *clause->untested ? XR_REASONED : XR_UNTESTED;
    const struct xr_citations *all = b->m->citations;
    for (size_t i = 0; i < all->error_test_count; i++) {
        const struct xr_error_test *t = &all->error_tests[i];
        if (t->evidence > best && xr_test_is_of(b->m->db, t, clause, entry))
            best = t->evidence;
    }
    return best;
}

static void link_error(struct builder *b, size_t index)
{
    const struct xr_clause *clause = &b->m->db->clauses[index];
    enum xr_evidence least = clause->entry_count ? XR_TRIGGERED : XR_UNTESTED;
    for (size_t i = 0; *clause->code && i < clause->entry_count; i++) {
        enum xr_evidence evidence = evidence_of(b, clause, clause->entries[i]);
        least = evidence < least ? evidence : least;
    }
    b->m->links[index].evidence = least;
}

/* ---- gaps --------------------------------------------------------------------------------- */

static void unknown_citations(struct builder *b)
{
    const struct xr_citations *all = b->m->citations;
    for (size_t i = 0; i < all->citation_count; i++) {
        const struct xr_citation *c = &all->citations[i];
        char subject[256];
        bool known = *c->label ? c->clause != NULL : c->known_section != NULL;
        if (known)
            continue;
        snprintf(subject, sizeof subject, "%s %s%s%s", c->document, c->section, *c->label ? " " : "",
                 c->label);
        add_gap(b, XR_GAP_UNKNOWN, subject, c->file, c->line);
    }
}

static void link_axioms(struct builder *b)
{
    for (size_t i = 0; i < b->m->citations->axiom_count; i++) {
        const struct xr_axiom *a = &b->m->citations->axioms[i];
        if (a->required && !a->citation_count)
            add_gap(b, XR_GAP_AXIOM, a->name, a->file, a->line);
    }
}

static bool is_memory_model(const struct xr_clause *c)
{
    return strcmp(c->document, "CL") == 0 &&
           (strcmp(c->section, "3.3.4") == 0 || strcmp(c->section, "3.3.5") == 0 ||
            strcmp(c->section, "3.3.6") == 0);
}

static void memory_model(struct builder *b)
{
    for (size_t i = 0; i < b->m->db->clause_count; i++) {
        const struct xr_clause *c = &b->m->db->clauses[i];
        const struct xr_links *links = &b->m->links[i];
        if (!is_memory_model(c) || !xr_clause_checkable(c))
            continue;
        if (!links->checks)
            add_gap(b, XR_GAP_NO_CHECK, c->id, "", 0);
        else if (links->checks == 1)
            add_gap(b, XR_GAP_ONE_CHECK, c->id, "", 0);
        if (!links->implements && !links->reports)
            add_gap(b, XR_GAP_NO_RULE, c->id, "", 0);
    }
}

/* Clauses of the language and its environment name code and a test each. */
static void link_language(struct builder *b)
{
    for (size_t i = 0; i < b->m->db->clause_count; i++) {
        const struct xr_clause *c = &b->m->db->clauses[i];
        const struct xr_links *links = &b->m->links[i];
        if ((strcmp(c->document, "CLC") != 0 && strcmp(c->document, "CL env") != 0) || *c->untested)
            continue;
        if (!links->checks)
            add_gap(b, XR_GAP_NO_CHECK, c->id, "", 0);
        if (!links->implements && !links->reports)
            add_gap(b, XR_GAP_NO_RULE, c->id, "", 0);
    }
}

static void link_errors(struct builder *b)
{
    for (size_t i = 0; i < b->m->db->clause_count; i++) {
        const struct xr_clause *c = &b->m->db->clauses[i];
        enum xr_evidence evidence = b->m->links[i].evidence;
        if (*c->code && (evidence == XR_UNTESTED || (evidence == XR_ANSWERED && !*c->untested)))
            add_gap(b, XR_GAP_ERROR, c->id, "", 0);
    }
}

static bool has_prefix(const char *s, const char *start)
{
    return strncmp(s, start, strlen(start)) == 0;
}

/* `make test` runs test_* and slow_*, and through them the litmus tests and kernels in some folders. */
static bool is_run(const char *file)
{
    const char *name = strrchr(file, '/');
    name = name ? name + 1 : file;
    if (has_prefix(file, "litmus/suite/"))
        return xr_ends_with(name, ".litmus");
    return has_prefix(name, "test_") || has_prefix(name, "slow_") || xr_ends_with(name, ".h") ||
           xr_ends_with(name, ".def") || has_prefix(file, "tests/models/") ||
           has_prefix(file, "tests/clauses/") || has_prefix(file, "tests/races/") ||
           has_prefix(file, "tests/hunt/") || has_prefix(file, "tests/lib/") ||
           has_prefix(file, "tests/explore/");
}

static void not_run(struct builder *b)
{
    const struct xr_citations *all = b->m->citations;
    for (size_t i = 0; i < all->citation_count; i++) {
        const struct xr_citation *c = &all->citations[i];
        if ((c->role == XR_CHECKS || c->role == XR_GENERATED) && c->clause && !is_run(c->file))
            add_gap(b, XR_GAP_NOT_RUN, c->clause->id, c->file, c->line);
    }
}

static void link_ambiguities(struct builder *b)
{
    const struct xr_database *db = b->m->db;
    char path[4096];
    for (size_t i = 0; i < db->ambiguity_count; i++) {
        const struct xr_ambiguity *a = &db->ambiguities[i];
        for (size_t k = 0; k < a->clause_count; k++)
            if (!xr_database_clause(db, a->clauses[k]))
                add_gap(b, XR_GAP_UNKNOWN, a->clauses[k], "spec-xref/clauses/ambiguities.json", 0);
        for (size_t k = 0; k < a->test_count; k++) {
            snprintf(path, sizeof path, "%s/%s", b->root, a->tests[k]);
            if (access(path, R_OK) != 0)
                add_gap(b, XR_GAP_TEST_MISSING, a->tests[k], "spec-xref/clauses/ambiguities.json", 0);
        }
    }
}

static int by_kind(const void *a, const void *b)
{
    const struct xr_gap *x = a, *y = b;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    int order = strcmp(x->file, y->file);
    return order ? order : strverscmp(x->subject, y->subject);
}

enum mm_class xr_matrix_build(const struct xr_database *db, const struct xr_citations *citations,
                              const char *root, struct xr_matrix *matrix, struct mm_error *err)
{
    *matrix = (struct xr_matrix){.arena = mm_arena_create(), .db = db, .citations = citations};
    struct builder b = {.m = matrix, .root = root};
    if (matrix->arena)
        matrix->links = mm_arena_alloc(matrix->arena, (db->clause_count + 1) * sizeof *matrix->links);
    b.failed = !matrix->links;
    for (size_t i = 0; i < db->clause_count && !b.failed; i++) {
        link_clause(&b, i);
        link_error(&b, i);
    }
    if (!b.failed) {
        unknown_citations(&b);
        link_axioms(&b);
        memory_model(&b);
        link_language(&b);
        link_errors(&b);
        not_run(&b);
        link_ambiguities(&b);
    }
    if (b.failed) {
        xr_matrix_free(matrix);
        return mm_out_of_memory(err);
    }
    if (matrix->gap_count)
        qsort(matrix->gaps, matrix->gap_count, sizeof *matrix->gaps, by_kind);
    return MM_OK;
}

void xr_matrix_free(struct xr_matrix *matrix)
{
    mm_free(matrix->gaps);
    if (matrix->arena)
        mm_arena_destroy(matrix->arena);
    *matrix = (struct xr_matrix){0};
}
