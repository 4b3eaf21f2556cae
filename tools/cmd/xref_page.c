/* refcl xref diff --html: the changes between two versions of a specification as a page. */
#include "tools/cmd/xref_page.h"
#include "memmodel/base/escape.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 8, MOST_WORDS = 400 };

/* ---- sentences ------------------------------------------------------------------------------- */

struct word {
    const char *text;
    size_t length;
    bool common; /* with the other sentence, in the same order */
};

static size_t split_words(const char *text, struct word *words)
{
    size_t n = 0;
    for (const char *p = text + strspn(text, " "); *p && n < MOST_WORDS; p += strspn(p, " ")) {
        words[n] = (struct word){p, strcspn(p, " "), false};
        p += words[n++].length;
    }
    return n;
}

static bool same_word(const struct word *a, const struct word *b)
{
    return a->length == b->length && strncmp(a->text, b->text, a->length) == 0;
}

/* Marks a longest common subsequence of the words. */
static void mark_common(struct word *a, size_t n, struct word *b, size_t m)
{
    static unsigned short longest[MOST_WORDS + 1]
                                 [MOST_WORDS + 1]; /* of what follows word i of A and word k of B */
    for (size_t i = n + 1; i-- > 0;)
        for (size_t k = m + 1; k-- > 0;)
            longest[i][k] =
                i == n || k == m ? 0
                : same_word(&a[i], &b[k])
                    ? (unsigned short)(longest[i + 1][k + 1] + 1)
                    : (longest[i + 1][k] > longest[i][k + 1] ? longest[i + 1][k] : longest[i][k + 1]);
    for (size_t i = 0, k = 0; i < n && k < m;) {
        if (same_word(&a[i], &b[k]))
            a[i++].common = b[k++].common = true;
        else if (longest[i + 1][k] >= longest[i][k + 1])
            i++;
        else
            k++;
    }
}

/* TEXT, in bold what OTHER lacks; OTHER NULL: plain. */
static void put_marked(const char *text, const char *other, FILE *out)
{
    struct word words[MOST_WORDS], others[MOST_WORDS];
    size_t n = split_words(text, words);
    char copy[2048];
    if (!other || n == MOST_WORDS) {
        mm_put_html(text, out);
        return;
    }
    mark_common(words, n, others, split_words(other, others));
    for (size_t i = 0; i < n; i++) {
        snprintf(copy, sizeof copy, "%s%.*s", i ? " " : "", (int)words[i].length, words[i].text);
        bool begins = !words[i].common && (!i || words[i - 1].common);
        bool ends = !words[i].common && (i + 1 == n || words[i + 1].common);
        if (begins)
            fputs(i ? " <b>" : "<b>", out);
        mm_put_html(copy + (begins && i), out);
        if (ends)
            fputs("</b>", out);
    }
}

static void put_sentence(const struct xr_sentence *s, const struct xr_sentence *other, const char *tag,
                         FILE *out)
{
    if (!s)
        return;
    fprintf(out, "<p><%s>", tag);
    put_marked(s->text, other ? other->text : NULL, out);
    fprintf(out, "</%s></p>\n", tag);
}

/* ---- clauses and changes --------------------------------------------------------------------- */

/* The files that cite a clause, each once. */
static void put_files(const struct xr_links *links, enum xr_role role, const char *title, FILE *out)
{
    size_t count = 0;
    for (size_t i = 0; i < links->citation_count; i++) {
        const struct xr_citation *c = links->citations[i];
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = links->citations[k]->role == role && strcmp(links->citations[k]->file, c->file) == 0;
        if (c->role != role || again)
            continue;
        if (count < MOST_FILES) {
            fprintf(out, "%s", count ? ", " : title);
            mm_put_html(c->file, out);
        }
        count++;
    }
    if (count > MOST_FILES)
        fprintf(out, " and %zu more", count - MOST_FILES);
    if (count)
        fputs("<br>", out);
}

static void put_clause(const struct xr_matrix *matrix, const struct xr_clause *clause, FILE *out)
{
    if (!clause)
        return;
    const struct xr_links *links = &matrix->links[clause - matrix->db->clauses];
    fputs("<b>", out);
    mm_put_html(clause->id, out);
    fputs("</b> ", out);
    mm_put_html(clause->text, out);
    fputs("<br><small>", out);
    put_files(links, XR_IMPLEMENTS, "implemented by ", out);
    put_files(links, XR_CHECKS, "checked by ", out);
    fputs("</small>", out);
}

/* An error condition that the other version does not have. */
static const char *condition_of(const struct xr_change *c)
{
    const char *before = c->before ? c->before->code : "", *after = c->after ? c->after->code : "";
    return strcmp(before, after) == 0 ? ""
           : !*before                 ? "new error condition"
           : !*after                  ? "lost error condition"
                                      : "";
}

static void put_change(const struct xr_matrix *matrix, const struct xr_change *c, FILE *out)
{
    const struct xr_sentence *s = c->after ? c->after : c->before;
    const char *condition = condition_of(c);
    fprintf(out, "<tr class=\"%s\"><td>%s<br>%s</td><td>", xr_change_name(c->kind), xr_change_name(c->kind),
            condition);
    mm_put_html(s->section, out);
    fputs(" ", out);
    mm_put_html(s->heading, out);
    fputs("<br>", out);
    mm_put_html(s->entry, out);
    fputs("</td><td>", out);
    put_sentence(c->before, c->kind == XR_MOVED ? NULL : c->after, c->kind == XR_MOVED ? "span" : "del", out);
    put_sentence(c->kind == XR_MOVED ? NULL : c->after, c->before, "ins", out);
    fputs("</td><td>", out);
    put_clause(matrix, c->clause, out);
    fputs("</td></tr>\n", out);
}

static void put_verdicts(const struct xref_verdicts *v, const char *revisions, FILE *out)
{
    const struct xref_verdict *smallest = xref_verdicts_smallest(v);
    fprintf(out, "<h2>Litmus tests whose verdict differs</h2>\n<p>%zu of %zu, and %zu undecided, under ",
            v->differing, v->compared, v->count - v->differing);
    mm_put_html(revisions, out);
    fputs(
        ": whether the condition h(olds), f(ails) or is u(nknown), and whether there is a race or an invalid use: "
        "r, -, u.</p>\n<table>\n",
        out);
    for (size_t i = 0; i < v->count; i++) {
        fprintf(out, "<tr><td>%s</td><td>%s</td><td>", v->tests[i].before, v->tests[i].after);
        mm_put_html(v->tests[i].file, out);
        fprintf(out, "</td><td>%s</td></tr>\n",
                v->tests[i].undecided      ? "undecided"
                : &v->tests[i] == smallest ? "the smallest"
                                           : "");
    }
    fputs("</table>\n", out);
}

/* Error conditions that one version alone has; RESTATED: those of a clause that the other version states in
 * other sentences, so that they may be split, joined or reworded. */
static void put_conditions(const struct xr_diff *d, bool restated, FILE *out)
{
    fprintf(out, "<h2>%s</h2>\n<table>\n",
            restated ? "Error conditions that are split, joined, or more or fewer of one clause"
                     : "New and lost error conditions");
    for (size_t i = 0; i < d->change_count; i++) {
        const struct xr_change *c = &d->changes[i];
        bool is_new = c->after && *c->after->code && !(c->before && *c->before->code);
        const struct xr_sentence *s = is_new ? c->after : c->before;
        if (!*condition_of(c) || c->restated != restated)
            continue;
        fprintf(out, "<tr><td>%s</td><td>", is_new ? "new" : "lost");
        mm_put_html(s->entry, out);
        fputs("</td><td>", out);
        put_sentence(s, NULL, is_new ? "ins" : "del", out);
        fputs("</td><td>", out);
        mm_put_html(c->clause ? c->clause->id : "", out);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void put_page(const struct xref_page *page, FILE *out)
{
    static const char style[] =
        "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}td{border:1px solid #bbb;padding:.3em "
        ".6em;vertical-align:top}del{background:#fdd;text-decoration:none}ins{background:#dfd;text-decoration:none}"
        "del b{background:#faa}ins b{background:#9e9}small{color:#555}";
    size_t counts[XR_MOVED + 1] = {0};
    const struct xr_diff *d = page->diff;
    for (size_t i = 0; i < d->change_count; i++)
        counts[d->changes[i].kind]++;
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Changes</title><style>%s"
            "</style></head><body>\n<h1>",
            style);
    mm_put_html(page->before, out);
    fputs(" to ", out);
    mm_put_html(page->after, out);
    fprintf(out, "</h1>\n<p>Normative sentences: %zu added, %zu removed, %zu changed, %zu moved.</p>\n",
            counts[XR_ADDED], counts[XR_REMOVED], counts[XR_CHANGED], counts[XR_MOVED]);
    if (page->revisions)
        put_verdicts(page->verdicts, page->revisions, out);
    put_conditions(d, false, out);
    put_conditions(d, true, out);
    fputs(
        "<h2>Changes</h2>\n<p>Of a changed sentence the words that the other version lacks are in bold.</p>\n<table>\n",
        out);
    for (size_t i = 0; i < d->change_count; i++)
        put_change(page->matrix, &d->changes[i], out);
    fputs("</table>\n</body></html>\n", out);
}

int xref_page_write(const char *path, const struct xref_page *page)
{
    FILE *out = tool_open_output(path);
    if (!out)
        return EXIT_USAGE;
    put_page(page, out);
    return tool_close_output(out, path);
}
