/* refcl xref diff --html: the changes between two versions of a specification as a page. */
#include "tools/cmd/xref_page.h"
#include "memmodel/base/escape.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 8 };

static void put_sentence(const struct xr_sentence *s, const char *tag, FILE *out)
{
    if (!s)
        return;
    fprintf(out, "<p><%s>", tag);
    mm_put_html(s->text, out);
    fprintf(out, "</%s></p>\n", tag);
}

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
    put_sentence(c->before, c->kind == XR_MOVED ? "span" : "del", out);
    put_sentence(c->kind == XR_MOVED ? NULL : c->after, "ins", out);
    fputs("</td><td>", out);
    put_clause(matrix, c->clause, out);
    fputs("</td></tr>\n", out);
}

static void put_verdicts(const struct xref_verdicts *v, const char *revisions, FILE *out)
{
    const struct xref_verdict *smallest = xref_verdicts_smallest(v);
    fprintf(out, "<h2>Litmus tests whose verdict differs</h2>\n<p>%zu of %zu under ", v->count, v->compared);
    mm_put_html(revisions, out);
    fputs(
        ": whether the condition h(olds), f(ails) or is u(nknown), and whether there is a race or an invalid use: "
        "r, -, u.</p>\n<table>\n",
        out);
    for (size_t i = 0; i < v->count; i++) {
        fprintf(out, "<tr><td>%s</td><td>%s</td><td>", v->tests[i].before, v->tests[i].after);
        mm_put_html(v->tests[i].file, out);
        fprintf(out, "</td><td>%s</td></tr>\n", &v->tests[i] == smallest ? "the smallest" : "");
    }
    fputs("</table>\n", out);
}

static void put_page(const struct xref_page *page, FILE *out)
{
    static const char style[] =
        "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}td{border:1px solid #bbb;padding:.3em "
        ".6em;vertical-align:top}del{background:#fdd}ins{background:#dfd;text-decoration:none}small{color:#555}";
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
    fputs("<h2>Changes</h2>\n<table>\n", out);
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
