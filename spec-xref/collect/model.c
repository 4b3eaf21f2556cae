/* The collector: cat models.  The comment directly before a statement cites the clauses that it
 * implements. */
#include "spec-xref/collect/internal.h"

#include "memmodel/base/array.h"

#include <ctype.h>
#include <string.h>

struct model {
    struct xr_collector *c;
    const char *p, *end;
    unsigned line;
    size_t cited;     /* by the comment before the next statement */
    size_t let_cited; /* by the comment before the latest definition */
    bool required;    /* the model is one of a specification */
};

static void advance_bytes(struct model *m, size_t n)
{
    for (; n && m->p < m->end; n--, m->p++)
        m->line += *m->p == '\n';
}

static void read_comment(struct model *m)
{
    const char *stop = memmem(m->p + 2, (size_t)(m->end - m->p - 2), "*)", 2);
    size_t n = stop ? (size_t)(stop - m->p) + 2 : (size_t)(m->end - m->p);
    m->let_cited = 0;
    m->cited = xr_collect_text(m->c, m->p + 2, n > 4 ? n - 4 : 0, m->line, XR_IMPLEMENTS);
    advance_bytes(m, n);
}

static bool word_at(const struct model *m, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(m->end - m->p) > n && strncmp(m->p, word, n) == 0 && isspace((unsigned char)m->p[n]);
}

/* The name after "as" in a check that starts at P. */
static void check_name(const struct model *m, char *name, size_t size)
{
    const char *p = m->p;
    size_t n = 0;
    for (; p + 4 < m->end && strncmp(p, " as ", 4) != 0 && strncmp(p, "\nas ", 4) != 0; p++)
        ;
    for (p += 4; p < m->end && !isspace((unsigned char)*p) && n + 1 < size; p++)
        name[n++] = *p;
    name[n] = 0;
}

static void read_axiom(struct model *m)
{
    struct xr_citations *out = m->c->out;
    char name[80];
    check_name(m, name, sizeof name);
    struct xr_axiom item = {.name = mm_arena_strdup(out->arena, name),
                            .file = m->c->file,
                            .line = m->line,
                            .citation_count = m->cited ? m->cited : m->let_cited,
                            .required = m->required};
    if (!item.name || !mm_append(&out->axioms, &out->axiom_count, &item))
        m->c->failed = true;
}

/* True if the model cites a clause, as models of a specification do. */
static bool cites_clause(const char *bytes, size_t length)
{
    return memmem(bytes, length, "(* CL ", 6) || memmem(bytes, length, "(* VKMM ", 8);
}

void xr_collect_model(struct xr_collector *c, const char *bytes, size_t length)
{
    static const char *const checks[] = {"acyclic", "irreflexive", "empty", "flag"};
    struct model m = {
        .c = c, .p = bytes, .end = bytes + length, .line = 1, .required = cites_clause(bytes, length)};
    bool line_start = true;
    while (m.p < m.end) {
        if (m.p + 1 < m.end && m.p[0] == '(' && m.p[1] == '*') {
            read_comment(&m);
            continue;
        }
        bool check = false;
        for (size_t i = 0; line_start && i < sizeof checks / sizeof *checks; i++)
            check = check || word_at(&m, checks[i]);
        if (check)
            read_axiom(&m);
        if (line_start && word_at(&m, "let"))
            m.let_cited = m.cited;
        if (line_start && (check || word_at(&m, "let")))
            m.cited = 0;
        line_start = *m.p == '\n';
        advance_bytes(&m, 1);
    }
}
