/* refcl xref extract, refcl xref diff: specification files. */
#include "memmodel/base/escape.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/xref.h"
#include "tools/cmd/xref_page.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <string.h>

struct request {
    const char *root, *json, *revisions, *litmus, *html;
    bool text, all;
};
static const struct tool_option extract_options[] = {
    XREF_ROOT_OPTION(struct request),
    {"json", 'j', "OUT", "REFCL_JSON", "write every normative sentence with its clause as JSON",
     TOOL_TO(struct request, json)},
    {"text", 't', NULL, NULL, "print the sentences", TOOL_TO(struct request, text)},
    {"all", 'a', NULL, NULL, "also list sentences that have a clause", TOOL_TO(struct request, all)},
    TOOL_OPTION_END};
static const struct tool_option diff_options[] = {
    XREF_ROOT_OPTION(struct request),
    {"json", 'j', "OUT", "REFCL_JSON", "write the changes as JSON", TOOL_TO(struct request, json)},
    {"text", 't', NULL, NULL, "print the sentences", TOOL_TO(struct request, text)},
    {"revisions", 'R', "OLD,NEW", "REFCL_XREF_REVISIONS",
     "also list the litmus tests whose verdict differs or is undecided under these values of the model's switch 'version', such as "
     "3.0,3.1.1",
     TOOL_TO(struct request, revisions)},
    {"litmus", 'l', "DIR", "REFCL_XREF_LITMUS",
     "litmus tests to compare (default: those of the repository that are not generated)",
     TOOL_TO(struct request, litmus)},
    {"html", 'H', "OUT", "REFCL_HTML",
     "write a page with the changes, and the code and tests that they touch", TOOL_TO(struct request, html)},
    TOOL_OPTION_END};

static int read_text(const char *path, struct xr_text *text)
{
    struct mm_error err = {0};
    return xr_text_read(path, text, &err) == MM_OK ? 0 : tool_report(&err);
}

/* ---- extract ------------------------------------------------------------------------------ */

static void print_match(const struct xr_match *m, const char *document, bool text)
{
    const struct xr_sentence *s = m->sentence;
    mm_print(stdout, "%6u  %s %-10s %016" PRIx64 " %-14s", s->line, document, s->section, s->hash,
             xr_marker_name(s->marker));
    if (m->clause)
        mm_print(stdout, " %s", m->clause->id);
    else if (m->listed)
        mm_print(stdout, " %s: %s", xr_listing_name(m->listed->listing), m->listed->reason);
    else if (m->touches)
        printf(" no clause; touches %s", m->touches->id);
    else
        printf(" no clause");
    printf("\n");
    if (text)
        mm_print(stdout, "        %s\n", s->text);
}

static void print_chapters(const struct xr_extract *e)
{
    for (size_t i = 0; i < e->chapter_count; i++) {
        const struct xr_chapter *c = &e->chapters[i];
        size_t listed = 0;
        for (int k = 0; k < XR_LISTING_COUNT; k++)
            listed += c->listed[k];
        mm_print(stdout, "chapter %-3s %5zu normative sentences, %5zu with a clause (%.1f %%), %zu listed",
                 c->name, c->normative, c->mapped,
                 c->normative ? 100.0 * (double)c->mapped / (double)c->normative : 100.0, listed);
        for (int k = 0, before = 0; k < XR_LISTING_COUNT; k++)
            if (c->listed[k])
                mm_print(stdout, "%s%zu %s", before++ ? ", " : " (", c->listed[k],
                         xr_listing_name((enum xr_listing)k));
        printf(listed ? ")\n" : "\n");
    }
}

/* Whether the database has clauses for the sentence's chapter: the others are only counted. */
static bool is_covered(const struct xr_extract *e, const struct xr_sentence *s, const char *document)
{
    size_t n = strcmp(document, "VKMM") == 0 ? 0 : strcspn(s->section, ".");
    for (size_t i = 0; i < e->chapter_count; i++)
        if (e->chapters[i].mapped &&
            (!n || (strlen(e->chapters[i].name) == n && strncmp(e->chapters[i].name, s->section, n) == 0)))
            return true;
    return false;
}

static int print_extract(const struct request *r, const struct xr_extract *e, const struct xr_text *text)
{
    size_t without = 0;
    for (size_t i = 0; i < e->match_count; i++) {
        const struct xr_match *m = &e->matches[i];
        bool missing = !m->clause && !m->listed && is_covered(e, m->sentence, text->document);
        without += missing;
        if (r->all || missing || m->listed)
            print_match(m, text->document, r->text);
    }
    for (size_t i = 0; i < e->stale_count; i++)
        mm_print(stdout, "%s: a sentence that it represents was removed or changed\n", e->stale[i]->id);
    print_chapters(e);
    return without ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int run_extract(int argc, char **argv)
{
    struct request r = {0};
    struct xref_context x;
    struct xr_text text = {0};
    struct xr_extract e;
    struct mm_error err = {0};
    int code = 0, first = tool_options(&cmd_xref_extract, argc, argv, false, &r, &code);
    if (first < 0)
        return code;
    if (first + 1 != argc)
        return tool_error(EXIT_USAGE, "one specification is needed");
    code = xref_load_database(r.root, &x);
    if (!code)
        code = read_text(argv[first], &text);
    if (!code) {
        if (xr_extract_run(&x.db, &text, &e, &err) != MM_OK)
            code = tool_report(&err);
        else if (r.json)
            code = xref_write(r.json, xr_json_extract(&e, &text, r.text));
        else
            code = print_extract(&r, &e, &text);
        xr_extract_free(&e);
        xr_text_free(&text);
    }
    xref_free(&x);
    return code;
}

/* ---- diff --------------------------------------------------------------------------------- */

static void print_change(const struct xr_change *c, bool text)
{
    const struct xr_sentence *s = c->after ? c->after : c->before;
    mm_print(stdout, "%-8s %6u  %-10s %s%s", xr_change_name(c->kind), s->line, s->section,
             c->clause ? "touches " : "no clause", c->clause ? c->clause->id : "");
    if (c->kind == XR_MOVED)
        mm_print(stdout, " (from %s)", c->before->section);
    printf("\n");
    if (text && c->before && c->kind != XR_MOVED)
        mm_print(stdout, "    - %s\n", c->before->text);
    if (text && c->after && c->kind != XR_MOVED)
        mm_print(stdout, "    + %s\n", c->after->text);
}

static void print_verdicts(const struct xref_verdicts *v, const char *revisions)
{
    const struct xref_verdict *smallest = xref_verdicts_smallest(v);
    for (size_t i = 0; i < v->count; i++)
        mm_print(stdout, "%s  %s %s -> %s\n", v->tests[i].undecided ? "undecided" : "verdict",
                 v->tests[i].file, v->tests[i].before, v->tests[i].after);
    mm_print(stdout, "%zu of %zu litmus tests differ under %s", v->differing, v->compared, revisions);
    if (v->count > v->differing)
        mm_print(stdout, ", %zu are undecided", v->count - v->differing);
    if (smallest)
        mm_print(stdout, "; the smallest that differs is %s", smallest->file);
    printf("\n");
}

static char *diff_json(const struct request *r, const struct xr_diff *d, const struct xref_verdicts *v)
{
    char *text = xr_json_diff(d, r->text);
    cJSON *root = r->revisions && text ? cJSON_Parse(text) : NULL;
    if (!root)
        return text;
    const struct xref_verdict *smallest = xref_verdicts_smallest(v);
    cJSON *verdicts = cJSON_AddObjectToObject(root, "verdicts");
    cJSON_AddStringToObject(verdicts, "revisions", r->revisions);
    cJSON_AddNumberToObject(verdicts, "compared", (double)v->compared);
    if (smallest)
        cJSON_AddStringToObject(verdicts, "smallest", smallest->file);
    cJSON *tests = cJSON_AddArrayToObject(verdicts, "tests");
    cJSON *undecided = cJSON_AddArrayToObject(verdicts, "undecided");
    for (size_t i = 0; i < v->count; i++) {
        cJSON *test = cJSON_CreateObject();
        cJSON_AddStringToObject(test, "file", v->tests[i].file);
        cJSON_AddStringToObject(test, "before", v->tests[i].before);
        cJSON_AddStringToObject(test, "after", v->tests[i].after);
        cJSON_AddItemToArray(v->tests[i].undecided ? undecided : tests, test);
    }
    mm_free(text);
    char *printed = cJSON_Print(root);
    cJSON_Delete(root);
    text = printed ? mm_strdup(printed) : NULL;
    cJSON_free(printed);
    return text;
}

static int print_diff(const struct request *r, const struct xr_diff *d)
{
    size_t counts[XR_MOVED + 1] = {0};
    for (size_t i = 0; i < d->change_count; i++) {
        counts[d->changes[i].kind]++;
        print_change(&d->changes[i], r->text);
    }
    printf("%zu added, %zu removed, %zu changed, %zu moved\n", counts[XR_ADDED], counts[XR_REMOVED],
           counts[XR_CHANGED], counts[XR_MOVED]);
    return d->change_count ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int run_diff(int argc, char **argv)
{
    struct request r = {0};
    struct xref_context x;
    struct xr_text before = {0}, after = {0};
    struct xr_diff d = {0};
    struct xref_verdicts verdicts = {0};
    struct mm_error err = {0};
    int code = 0, first = tool_options(&cmd_xref_diff, argc, argv, false, &r, &code);
    if (first < 0)
        return code;
    if (first + 2 != argc)
        return tool_error(EXIT_USAGE, "two specifications are needed");
    code = r.html ? xref_load(r.root, &(struct tool_texts){.count = 0}, &x) : xref_load_database(r.root, &x);
    if (!code)
        code = read_text(argv[first], &before);
    if (!code)
        code = read_text(argv[first + 1], &after);
    if (!code && r.revisions)
        code = xref_verdicts(x.root, r.litmus, r.revisions, &verdicts);
    if (!code) {
        if (xr_diff_run(&x.db, &before, &after, &d, &err) != MM_OK)
            code = tool_report(&err);
        if (!code && r.html)
            code = xref_page_write(r.html, &(struct xref_page){argv[first], argv[first + 1], &x.matrix, &d,
                                                               &verdicts, r.revisions});
        if (!code && r.json)
            code = xref_write(r.json, diff_json(&r, &d, &verdicts));
        if (!code && !r.html && !r.json)
            code = print_diff(&r, &d);
        if (!r.json && !r.html && r.revisions)
            print_verdicts(&verdicts, r.revisions);
        xr_diff_free(&d);
    }
    xref_verdicts_free(&verdicts);
    xr_text_free(&before);
    xr_text_free(&after);
    xref_free(&x);
    return code;
}

const struct tool_command cmd_xref_extract = {
    "xref extract", "SPECIFICATION", "list normative sentences of a specification that have no clause",
    extract_options, run_extract};
const struct tool_command cmd_xref_diff = {
    "xref diff", "OLD NEW",
    "list the clauses affected by the changes between two versions of a specification", diff_options,
    run_diff};
