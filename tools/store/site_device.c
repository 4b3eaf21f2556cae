/* The page of a driver: rule families, why tests did not run, runs, tests. */
#include "tools/store/site.h"

#include "memmodel/base/escape.h"

#include <string.h>

static void put_test_rows(struct store *s, int64_t device, FILE *out)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select test.name, mapping, family, verdict, runs, done, instances, first, last,"
        " (select min(t.id) from test t where t.name = test.name) from worst join test on test.id = worst.test"
        " join total on total.test = test.id and total.device = worst.device where worst.device = ?"
        " order by verdict <> 'forbidden', family, test.name, mapping",
        "i", device);
    while (store_row(s, q)) {
        const char *verdict = store_text(q, 3);
        fprintf(out, "<tr><th scope=\"row\"><a href=\"test-%lld.html\">",
                (long long)sqlite3_column_int64(q, 9));
        mm_put_html(store_text(q, 0), out);
        fputs("</a></th>", out);
        site_put_cell(out, NULL, store_text(q, 1));
        site_put_cell(out, NULL, store_text(q, 2));
        site_put_cell(out, strcmp(verdict, "not run") == 0 ? "none" : verdict, verdict);
        fprintf(out, "<td class=\"n\">%lld of %lld</td><td class=\"n\">%.3g</td>",
                (long long)sqlite3_column_int64(q, 5), (long long)sqlite3_column_int64(q, 4),
                sqlite3_column_double(q, 6));
        site_put_cell(out, "n", store_text(q, 7));
        site_put_cell(out, "n", store_text(q, 8));
        fputs("</tr>\n", out);
    }
}

/* Writes why tests did not run, the most frequent reason first. */
static void put_reasons(struct store *s, int64_t device, FILE *out)
{
    bool any = false;
    sqlite3_stmt *q = store_statement(
        s, "select why, count(*) n from skipped where device = ? group by why order by n desc, why", "i",
        device);
    while (store_row(s, q)) {
        fputs(any ? "" : "<h2>Why tests did not run</h2><ul>\n", out);
        any = true;
        fprintf(out, "<li>%lld ", (long long)sqlite3_column_int64(q, 1));
        mm_put_html(store_text(q, 0), out);
        fputs("</li>\n", out);
    }
    fputs(any ? "</ul>\n" : "", out);
}

static void put_families(struct store *s, int64_t device, FILE *out)
{
    static const char *const heads[] = {"rule family", "tests by worst verdict", NULL};
    sqlite3_stmt *q =
        store_statement(s, "select distinct family from worst where device = ? order by family", "i", device);
    fputs("<h2>Rule families</h2>\n", out);
    site_begin_table(out, "Rule families", heads);
    while (store_row(s, q)) {
        fputs("<tr><th scope=\"row\">", out);
        mm_put_html(*store_text(q, 0) ? store_text(q, 0) : "other", out);
        fputs("</th>", out);
        site_put_counts(s, store_text(q, 0), device, out);
        fputs("</tr>\n", out);
    }
    site_end_table(out);
}

static void put_runs(struct store *s, int64_t device, FILE *out)
{
    static const char *const heads[] = {"run",       "day",   "kind",     "tests done",
                                        "instances", "suite", "settings", NULL};
    int64_t count = store_number(s, "select count(*) from run where device = ?", "i", device);
    sqlite3_stmt *q = store_statement(
        s,
        "select id, date, kind, done, instances, suite, settings from recent join run on run.id = recent.run where recent.device = ?"
        " order by place",
        "i", device);
    fprintf(out, "<h2>Runs</h2>\n<p>%lld in all", (long long)count);
    if (count > SITE_RUNS)
        fprintf(out, "; the last %d", SITE_RUNS);
    fputs(".</p>\n", out);
    site_begin_table(out, "Runs, the last first", heads);
    while (store_row(s, q)) {
        char instances[32];
        snprintf(instances, sizeof instances, "%.3g", sqlite3_column_double(q, 4));
        fprintf(out, "<tr><th scope=\"row\">%lld</th>", (long long)sqlite3_column_int64(q, 0));
        for (int i = 1; i <= 6; i++)
            site_put_cell(out, i == 1 || i == 3 || i == 4 ? "n" : NULL,
                          i == 4 ? instances : store_text(q, i));
        fputs("</tr>\n", out);
    }
    site_end_table(out);
}

static enum mm_class put_device(struct site *site, int64_t device, const char *text)
{
    static const char *const heads[] = {
        "test", "mapping", "rule family", "worst verdict", "runs done", "instances", "first", "last", NULL};
    char name[64];
    snprintf(name, sizeof name, "device-%lld.html", (long long)device);
    FILE *out = site_begin(site, name, text);
    if (!out)
        return site->err->cls;
    put_families(site->store, device, out);
    put_reasons(site->store, device, out);
    put_runs(site->store, device, out);
    fputs("<h2>Tests</h2>\n", out);
    site_begin_table(out, "Tests, those with forbidden states first", heads);
    put_test_rows(site->store, device, out);
    site_end_table(out);
    return site_end(site, name, out);
}

enum mm_class site_put_devices(struct site *site)
{
    struct store *s = site->store;
    enum mm_class cls = MM_OK;
    sqlite3_stmt *q =
        store_statement(s, "select id, platform, name, version, driver from device order by id desc", "");
    while (cls == MM_OK && store_row(s, q)) {
        char text[512];
        store_device_text(q, 1, text, sizeof text);
        cls = put_device(site, sqlite3_column_int64(q, 0), text);
    }
    return cls;
}
