/* Two versions of a specification: sentences that were added, removed, changed or moved, and the clauses
 * that they touch.  Only normative sentences of either version count. */
#include "spec-xref/xref.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 512, SIMILAR_PERCENT = 55 };

const char *xr_change_name(enum xr_change_kind kind)
{
    static const char *const names[] = {"added", "removed", "changed", "moved"};
    return (unsigned)kind <= XR_MOVED ? names[kind] : "?";
}

struct differ {
    const struct xr_database *db;
    const struct xr_text *a, *b;
    bool *used_a, *used_b;                         /* matched sentences */
    const struct xr_clause **clause_a, **clause_b; /* the clause that each sentence states; NULL: none */
    struct xr_diff *out;
};

/* ---- likeness ----------------------------------------------------------------------------- */

/* Hashes of the words of TEXT, at most WORDS_MAX. */
static size_t words_of(const char *text, uint32_t *words)
{
    size_t n = 0;
    for (const char *p = text; *p && n < WORDS_MAX;) {
        uint32_t h = 2166136261u;
        size_t length = 0;
        for (; isalnum((unsigned char)p[length]) || p[length] == '_'; length++)
            h = (h ^ (unsigned char)tolower((unsigned char)p[length])) * 16777619u;
        if (length)
            words[n++] = h;
        p += length ? length : 1;
    }
    return n;
}

/* The number of common words, as a percentage of the longer sentence. */
static size_t sentence_likeness(const char *x, const char *y)
{
    uint32_t a[WORDS_MAX], b[WORDS_MAX];
    size_t n = words_of(x, a), m = words_of(y, b), common = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            if (a[i] == b[k]) {
                common++;
                b[k] = b[--m];
                break;
            }
    size_t longest = n > m + common ? n : m + common;
    return longest ? 100 * common / longest : 0;
}

/* ---- pairs -------------------------------------------------------------------------------- */

/* The clauses that the normative sentences of TEXT state. */
static const struct xr_clause **clauses_of(const struct differ *d, const struct xr_text *text)
{
    const struct xr_clause **clauses =
        mm_arena_alloc(d->out->arena, (text->sentence_count + 1) * sizeof *clauses);
    for (size_t i = 0; clauses && i < text->sentence_count; i++) {
        const struct xr_sentence *s = &text->sentences[i];
        clauses[i] = s->marker == XR_PLAIN ? NULL : xr_database_sentence(d->db, text->document, s);
    }
    return clauses;
}

static bool states_clause(const struct xr_clause **clauses, size_t count, const struct xr_clause *clause)
{
    for (size_t i = 0; clause && i < count; i++)
        if (clauses[i] == clause)
            return true;
    return false;
}

static void add_change(struct differ *d, enum xr_change_kind kind, const struct xr_sentence *before,
                       const struct xr_sentence *after)
{
    const struct xr_clause *clause = before ? d->clause_a[before - d->a->sentences] : NULL;
    if (before && !clause) /* sections have other numbers in other versions */
        clause = xr_database_hash(d->db, d->a->document, before);
    if (!clause && after)
        clause = d->clause_b[after - d->b->sentences];
    const struct xr_clause *condition = clause && *clause->code ? clause : NULL;
    bool restated = (!before && states_clause(d->clause_a, d->a->sentence_count, condition)) ||
                    (!after && states_clause(d->clause_b, d->b->sentence_count, condition));
    d->out->changes[d->out->change_count++] = (struct xr_change){kind, before, after, clause, restated};
}

/* Whether one of the blank-separated calls of S is one of T. */
static bool share_call(const struct xr_sentence *s, const struct xr_sentence *t)
{
    for (const char *p = s->entry; *p;) {
        size_t length = strcspn(p, " ");
        for (const char *q = t->entry; *q; q += strcspn(q, " "), q += strspn(q, " "))
            if (strcspn(q, " ") == length && strncmp(p, q, length) == 0)
                return true;
        p += length;
        p += strspn(p, " ");
    }
    return !*s->entry || !*t->entry;
}

/* Whether S may have become T: the condition of an error remains one of the same code and of the same
 * call. */
static bool may_become(const struct xr_sentence *s, const struct xr_sentence *t)
{
    bool codes_differ = *s->code && *t->code && strcmp(s->code, t->code) != 0;
    return (!*s->code && !*t->code) || (!codes_differ && share_call(s, t));
}

/* Similarity of two positions: same call in a section, same section, neither. */
enum nearness { SAME_CALL, SAME_SECTION, ANYWHERE };

static bool is_near(const struct xr_sentence *s, const struct xr_sentence *t, enum nearness nearness)
{
    return nearness == ANYWHERE || (strcmp(s->section, t->section) == 0 &&
                                    (nearness == SAME_SECTION || strcmp(s->entry, t->entry) == 0));
}

static void pair_same(struct differ *d, enum nearness nearness)
{
    for (size_t i = 0; i < d->a->sentence_count; i++) {
        const struct xr_sentence *s = &d->a->sentences[i];
        for (size_t k = 0; k < d->b->sentence_count && !d->used_a[i]; k++) {
            const struct xr_sentence *t = &d->b->sentences[k];
            if (d->used_b[k] || s->hash != t->hash || !is_near(s, t, nearness) || !may_become(s, t))
                continue;
            d->used_a[i] = d->used_b[k] = true;
            if (nearness == ANYWHERE && s->marker != XR_PLAIN)
                add_change(d, XR_MOVED, s, t);
        }
    }
}

/* The most similar unmatched sentence of the section. */
static void pair_similar(struct differ *d, size_t i)
{
    const struct xr_sentence *s = &d->a->sentences[i];
    size_t best = SIMILAR_PERCENT - 1, partner = d->b->sentence_count;
    for (size_t k = 0; k < d->b->sentence_count; k++) {
        const struct xr_sentence *t = &d->b->sentences[k];
        if (d->used_b[k] || strcmp(s->section, t->section) != 0 || !may_become(s, t))
            continue;
        size_t like = sentence_likeness(s->text, t->text);
        if (like > best) {
            best = like;
            partner = k;
        }
    }
    if (partner == d->b->sentence_count)
        return;
    d->used_a[i] = d->used_b[partner] = true;
    if (s->marker != XR_PLAIN || d->b->sentences[partner].marker != XR_PLAIN)
        add_change(d, XR_CHANGED, s, &d->b->sentences[partner]);
}

static void compare_texts(struct differ *d)
{
    pair_same(d, SAME_CALL);
    pair_same(d, SAME_SECTION);
    pair_same(d, ANYWHERE);
    for (size_t i = 0; i < d->a->sentence_count; i++)
        if (!d->used_a[i])
            pair_similar(d, i);
    for (size_t i = 0; i < d->a->sentence_count; i++)
        if (!d->used_a[i] && d->a->sentences[i].marker != XR_PLAIN)
            add_change(d, XR_REMOVED, &d->a->sentences[i], NULL);
    for (size_t k = 0; k < d->b->sentence_count; k++)
        if (!d->used_b[k] && d->b->sentences[k].marker != XR_PLAIN)
            add_change(d, XR_ADDED, NULL, &d->b->sentences[k]);
}

static unsigned change_place(const struct xr_change *c)
{
    return c->after ? c->after->line : c->before->line;
}

static int by_place(const void *a, const void *b)
{
    unsigned x = change_place(a), y = change_place(b);
    return (x > y) - (x < y);
}

enum mm_class xr_diff_run(const struct xr_database *db, const struct xr_text *before,
                          const struct xr_text *after, struct xr_diff *out, struct mm_error *err)
{
    *out = (struct xr_diff){.arena = mm_arena_create()};
    struct differ d = {.db = db, .a = before, .b = after, .out = out};
    if (out->arena) {
        size_t n = before->sentence_count + after->sentence_count + 1;
        d.used_a = mm_arena_alloc(out->arena, before->sentence_count + 1);
        d.used_b = mm_arena_alloc(out->arena, after->sentence_count + 1);
        out->changes = mm_arena_alloc(out->arena, n * sizeof *out->changes);
        d.clause_a = clauses_of(&d, before);
        d.clause_b = clauses_of(&d, after);
    }
    if (!out->arena || !d.used_a || !d.used_b || !out->changes || !d.clause_a || !d.clause_b) {
        xr_diff_free(out);
        return mm_out_of_memory(err);
    }
    compare_texts(&d);
    qsort(out->changes, out->change_count, sizeof *out->changes, by_place);
    return MM_OK;
}

void xr_diff_free(struct xr_diff *diff)
{
    if (diff->arena)
        mm_arena_destroy(diff->arena);
    *diff = (struct xr_diff){0};
}
