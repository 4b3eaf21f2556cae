/* A specification against the database: which normative sentences have a clause, which do not, and which
 * clauses lost their sentence. */
#include "spec-xref/xref.h"

#include <string.h>

struct extractor {
    const struct xr_database *db;
    const struct xr_text *text;
    struct xr_extract *out;
};

/* "5" of "5.2.1", "A", "VKMM" */
static void chapter_name(const struct extractor *e, const char *section, char *name, size_t size)
{
    if (strcmp(e->text->document, "VKMM") == 0)
        section = "VKMM";
    snprintf(name, size, "%.*s", (int)strcspn(section, "."), section);
}

static struct xr_chapter *chapter_of(struct extractor *e, const char *section)
{
    struct xr_extract *out = e->out;
    char name[16];
    chapter_name(e, section, name, sizeof name);
    for (size_t i = 0; i < out->chapter_count; i++)
        if (strcmp(out->chapters[i].name, name) == 0)
            return &out->chapters[i];
    struct xr_chapter *c = &out->chapters[out->chapter_count];
    *c = (struct xr_chapter){.name = mm_arena_strdup(out->arena, name)};
    if (!c->name)
        return NULL;
    out->chapter_count++;
    return c;
}

/* True if the text contains the sentence with HASH, which clause C represents. */
static bool in_text(const struct extractor *e, const struct xr_clause *c, uint64_t hash)
{
    for (size_t i = 0; i < e->text->sentence_count; i++) {
        const struct xr_sentence *s = &e->text->sentences[i];
        if (s->hash == hash && xr_clause_represents(c, e->text->document, s))
            return true;
    }
    return false;
}

static bool is_stale(const struct extractor *e, const struct xr_clause *c)
{
    for (size_t i = 0; i < c->source_count; i++)
        if (!in_text(e, c, c->sources[i]))
            return true;
    return false;
}

/* Lists stale clauses: those of the text's sections that lack one of their sentences. */
static bool list_stale(struct extractor *e)
{
    struct xr_extract *out = e->out;
    out->stale = mm_arena_alloc(out->arena, (e->db->clause_count + 1) * sizeof *out->stale);
    for (size_t i = 0; out->stale && i < e->db->clause_count; i++) {
        const struct xr_clause *c = &e->db->clauses[i];
        bool there = false;
        for (size_t k = 0; k < e->text->section_count && !there; k++)
            there = strcmp(e->text->sections[k].number, c->section) == 0;
        if (there && strcmp(c->document, e->text->document) == 0 && is_stale(e, c))
            out->stale[out->stale_count++] = c;
    }
    return out->stale != NULL;
}

static bool is_taken(const struct xr_extract *out, const struct xr_clause *clause)
{
    for (size_t i = 0; i < out->match_count; i++)
        if (out->matches[i].touches == clause)
            return true;
    return false;
}

/* The first stale clause of the section, of the same code for error conditions, that no earlier sentence
 * seems to replace; clauses that 3.1 added come last, as an older text has none of their sentences. */
static const struct xr_clause *replaced_clause(const struct extractor *e, const struct xr_sentence *s)
{
    const struct xr_clause *last = NULL;
    for (size_t i = 0; i < e->out->stale_count; i++) {
        const struct xr_clause *c = e->out->stale[i];
        if (strcmp(c->section, s->section) != 0 || (strcmp(c->code, s->code) != 0 && *s->code) ||
            is_taken(e->out, c))
            continue;
        if (strncmp(c->versions, "3.1", 3) != 0)
            return c;
        last = last ? last : c;
    }
    return last;
}

static bool add_match(struct extractor *e, const struct xr_sentence *s)
{
    struct xr_extract *out = e->out;
    struct xr_chapter *chapter = chapter_of(e, s->section);
    struct xr_match m = {.sentence = s, .clause = xr_database_sentence(e->db, e->text->document, s)};
    if (!chapter)
        return false;
    chapter->normative++;
    if (m.clause)
        chapter->mapped++;
    else if ((m.listed = xr_database_listed(e->db, e->text->document, s)))
        chapter->listed[m.listed->listing]++;
    else
        m.touches = replaced_clause(e, s);
    out->matches[out->match_count++] = m;
    return true;
}

enum mm_class xr_extract_run(const struct xr_database *db, const struct xr_text *text, struct xr_extract *out,
                             struct mm_error *err)
{
    *out = (struct xr_extract){.arena = mm_arena_create()};
    struct extractor e = {db, text, out};
    bool ok = out->arena != NULL;
    if (ok) {
        out->matches = mm_arena_alloc(out->arena, (text->sentence_count + 1) * sizeof *out->matches);
        out->chapters = mm_arena_alloc(out->arena, (text->section_count + 1) * sizeof *out->chapters);
        ok = out->matches && out->chapters && list_stale(&e);
    }
    for (size_t i = 0; i < text->sentence_count && ok; i++)
        if (text->sentences[i].marker != XR_PLAIN)
            ok = add_match(&e, &text->sentences[i]);
    if (!ok) {
        xr_extract_free(out);
        return mm_out_of_memory(err);
    }
    return MM_OK;
}

void xr_extract_free(struct xr_extract *extract)
{
    if (extract->arena)
        mm_arena_destroy(extract->arena);
    *extract = (struct xr_extract){0};
}
