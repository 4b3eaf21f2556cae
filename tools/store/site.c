/* Static pages of a store: drivers beside rule families, a page for each driver and for each test.  No script, no request to
 * anything but these files. */
#include "tools/store/query.h"

#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:75rem;padding:1rem;color:#1b1b1b;background:#fff}"
    "h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;font-size:.9rem}"
    ".wide{overflow-x:auto}th,td{border:1px solid #bbb;padding:.25rem .5rem;text-align:left;vertical-align:top}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}a{color:#0645ad}code{font-size:.95em;overflow-wrap:anywhere}"
    ".forbidden{background:#fbd5d0;font-weight:bold}.racy,.unknown,.unjudged{background:#fdf1c9}.none{color:#666}"
    "caption{text-align:left;padding:.3rem 0}a:focus-visible{outline:3px solid #0645ad}"
    "@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}a{color:#9cc2ff}th,td{border-color:#555}"
    ".forbidden{background:#6b1f17}.racy,.unknown,.unjudged{background:#54450d}.none{color:#aaa}}";

struct site {
    struct store *store;
    int folder; /* descriptor */
    const char *path;
    struct mm_error *err;
};

static enum mm_class cannot_write(const struct site *site, const char *name)
{
    return mm_fail_at(site->err, MM_LIMIT, "store.site", site->path, 0, 0, "cannot write '%s': %s", name,
                      strerror(errno));
}

static FILE *begin_page(struct site *site, const char *name, const char *title)
{
    int fd = openat(site->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        cannot_write(site, name);
        return NULL;
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>",
          out);
    mm_put_html(title, out);
    fprintf(out, "</title><style>%s</style></head><body>\n", style);
    if (strcmp(name, "index.html") != 0)
        fputs("<nav><a href=\"index.html\">all drivers</a></nav>\n", out);
    fputs("<main><h1>", out);
    mm_put_html(title, out);
    fputs("</h1>\n", out);
    return out;
}

static enum mm_class end_page(const struct site *site, const char *name, FILE *out)
{
    fputs("</main></body></html>\n", out);
    return fclose(out) == 0 ? MM_OK : cannot_write(site, name);
}

/* ---- index ---- */

/* The folder that a test's file is in, as an SQL expression: the rule family. */
#define FAMILY                                                                                                                    \
    "case when instr(file, '/') then replace(rtrim(rtrim(file, replace(file, '/', '')), '/'),"                                    \
    " rtrim(rtrim(rtrim(file, replace(file, '/', '')), '/'), replace(rtrim(rtrim(file, replace(file, '/', '')), '/'), '/', ''))," \
    " '') else '' end"

/* A test on a device: the worst verdict of its states; "not run" without any. */
static const char worst[] =
    "create temp table if not exists worst(device integer, test integer, family text, verdict text,"
    " primary key(device, test)) without rowid;"
    "delete from worst;"
    "insert into worst select total.device, test.id, " FAMILY ","
    " case when not done and not exists (select 1 from state join seen on seen.state = state.id where state.test = test.id and"
    "  seen.device = total.device) then 'not run' else ifnull((select"
    "  case max(case ifnull(verdict, 'unjudged') when 'forbidden' then 4 when 'racy' then 3 when 'unknown' then 2 when 'unjudged'"
    "   then 1 else 0 end) when 4 then 'forbidden' when 3 then 'racy' when 2 then 'unknown' when 1 then 'unjudged' else 'allowed' end"
    "  from state join seen on seen.state = state.id left join verdict on verdict.state = state.id and model = " STORE_MODEL_OF(
        "device.variant") "  where state.test = test.id and seen.device = total.device having count(*)), 'not observed') end"
                          " from total join test on test.id = total.test join device on device.id = total.device";

static void put_cell(FILE *out, const char *verdict, int64_t count)
{
    if (!count)
        return;
    fprintf(out, "<div class=\"%s\">%lld %s</div>", strcmp(verdict, "not run") == 0 ? "none" : verdict,
            (long long)count, verdict);
}

static void put_counts(struct store *s, const char *family, int64_t device, FILE *out)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select verdict, count(*) from worst where family = ? and device = ? group by verdict order by verdict",
        "ti", family, device);
    fputs("<td>", out);
    while (store_row(s, q))
        put_cell(out, store_text(q, 0), sqlite3_column_int64(q, 1));
    fputs("</td>", out);
}

static int put_device_heads(struct store *s, int64_t *devices, int most, FILE *out)
{
    int count = 0;
    sqlite3_stmt *q = store_statement(
        s, "select id, platform, name, version, driver from device order by platform, name, version, driver",
        "");
    fputs("<tr><th scope=\"col\">rule family</th>", out);
    while (store_row(s, q)) {
        char text[512];
        if (count == most)
            continue;
        devices[count++] = sqlite3_column_int64(q, 0);
        store_device_text(q, 1, text, sizeof text);
        fprintf(out, "<th scope=\"col\"><a href=\"device-%lld.html\">", (long long)devices[count - 1]);
        mm_put_html(text, out);
        fputs("</a></th>", out);
    }
    fputs("</tr>\n", out);
    return count;
}

static enum mm_class put_index(struct site *site)
{
    enum { MOST_DEVICES = 200 };
    int64_t devices[MOST_DEVICES];
    struct store *s = site->store;
    FILE *out = begin_page(site, "index.html", "Drivers and the memory model");
    if (!out)
        return site->err->cls;
    fprintf(
        out,
        "<p>%lld runs, %lld tests, %lld drivers. A test counts by the worst verdict of the states that a driver showed.</p>\n"
        "<div class=\"wide\"><table><thead>",
        (long long)store_number(s, "select count(*) from run", ""),
        (long long)store_number(s, "select count(*) from test", ""),
        (long long)store_number(s, "select count(*) from device", ""));
    int count = put_device_heads(s, devices, MOST_DEVICES, out);
    fputs("</thead><tbody>\n", out);
    sqlite3_stmt *q = store_statement(s, "select distinct family from worst order by family", "");
    while (store_row(s, q)) {
        fputs("<tr><th scope=\"row\">", out);
        mm_put_html(*store_text(q, 0) ? store_text(q, 0) : "other", out);
        fputs("</th>", out);
        for (int i = 0; i < count; i++)
            put_counts(s, store_text(q, 0), devices[i], out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    return end_page(site, "index.html", out);
}

/* ---- a driver ---- */

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
        fputs("</a></th><td>", out);
        mm_put_html(store_text(q, 1), out);
        fputs("</td><td>", out);
        mm_put_html(store_text(q, 2), out);
        fprintf(
            out,
            "</td><td class=\"%s\">%s</td><td class=\"n\">%lld of %lld</td><td class=\"n\">%.3g</td><td>%s</td><td>%s</td></tr>\n",
            strcmp(verdict, "not run") == 0 ? "none" : verdict, verdict,
            (long long)sqlite3_column_int64(q, 5), (long long)sqlite3_column_int64(q, 4),
            sqlite3_column_double(q, 6), store_text(q, 7), store_text(q, 8));
    }
}

/* Why tests did not run, most frequent first. */
static void put_reasons(struct store *s, int64_t device, FILE *out)
{
    bool any = false;
    sqlite3_stmt *q = store_statement(
        s,
        "select text, count(distinct result.test) n from run join test join result on result.test = test.id and result.run = run.id"
        " join reason on reason.id = reason where device = ? and status <> 'done' group by reason.id order by n desc, text",
        "i", device);
    while (store_row(s, q)) {
        fputs(any ? "" : "<h2>Why tests did not run</h2><ul>\n", out);
        any = true;
        fprintf(out, "<li>%lld: ", (long long)sqlite3_column_int64(q, 1));
        mm_put_html(store_text(q, 0), out);
        fputs("</li>\n", out);
    }
    fputs(any ? "</ul>\n" : "", out);
}

static enum mm_class put_device(struct site *site, int64_t device, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "device-%lld.html", (long long)device);
    FILE *out = begin_page(site, name, text);
    if (!out)
        return site->err->cls;
    put_reasons(site->store, device, out);
    fputs("<h2>Tests</h2><div class=\"wide\"><table><thead><tr>", out);
    static const char *const heads[] = {"test",      "mapping",   "rule family", "worst verdict",
                                        "runs done", "instances", "first",       "last"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        fprintf(out, "<th scope=\"col\">%s</th>", heads[i]);
    fputs("</tr></thead><tbody>\n", out);
    put_test_rows(site->store, device, out);
    fputs("</tbody></table></div>\n", out);
    return end_page(site, name, out);
}

static enum mm_class put_devices(struct site *site)
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

/* ---- a test ---- */

static void put_state_rows(const cJSON *result, FILE *out)
{
    const cJSON *state;
    cJSON_ArrayForEach(state, cJSON_GetObjectItem(result, "states"))
    {
        const char *verdict = cJSON_GetStringValue(cJSON_GetObjectItem(state, "verdict")),
                   *clause = cJSON_GetStringValue(cJSON_GetObjectItem(state, "clause"));
        fputs("<tr><th scope=\"row\"><code>", out);
        mm_put_html(cJSON_GetStringValue(cJSON_GetObjectItem(state, "state")), out);
        fprintf(out, "</code></th><td class=\"%s\">%s", verdict, verdict);
        if (clause) {
            fputs("<br>", out);
            mm_put_html(clause, out);
        }
        fprintf(
            out,
            "</td><td class=\"n\">%.0f</td><td class=\"n\">%.3g to %.3g</td><td>%s</td><td>%s</td></tr>\n",
            cJSON_GetNumberValue(cJSON_GetObjectItem(state, "count")),
            cJSON_GetNumberValue(cJSON_GetObjectItem(state, "rate_low")),
            cJSON_GetNumberValue(cJSON_GetObjectItem(state, "rate_high")),
            cJSON_GetStringValue(cJSON_GetObjectItem(state, "first")),
            cJSON_GetStringValue(cJSON_GetObjectItem(state, "last")));
    }
}

static double value_of(const cJSON *object, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, key));
}

static void put_result(const cJSON *result, FILE *out)
{
    const char *mapping = cJSON_GetStringValue(cJSON_GetObjectItem(result, "mapping"));
    fputs("<h2>", out);
    mm_put_html(cJSON_GetStringValue(cJSON_GetObjectItem(result, "device")), out);
    fputs("</h2>\n<p>", out);
    if (*mapping) {
        fputs("Mapping ", out);
        mm_put_html(mapping, out);
        fputs(". ", out);
    }
    fprintf(out, "%.0f of %.0f runs done, %s to %s; %.3g instances.", value_of(result, "runs_done"),
            value_of(result, "runs"), cJSON_GetStringValue(cJSON_GetObjectItem(result, "first")),
            cJSON_GetStringValue(cJSON_GetObjectItem(result, "last")), value_of(result, "instances"));
    if (value_of(result, "unseen_rate_below") < 1)
        fprintf(out, " Any state that is not listed has a rate below %.3g (95 %%).",
                value_of(result, "unseen_rate_below"));
    fputs("</p>\n", out);
    if (!cJSON_GetArraySize(cJSON_GetObjectItem(result, "states")))
        return;
    fputs(
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">final state</th><th scope=\"col\">verdict</th>"
        "<th scope=\"col\">count</th><th scope=\"col\">rate (95 %)</th><th scope=\"col\">first</th><th scope=\"col\">last</th>"
        "</tr></thead><tbody>\n",
        out);
    put_state_rows(result, out);
    fputs("</tbody></table></div>\n", out);
}

static enum mm_class put_test(struct site *site, int64_t id, const char *name)
{
    char file[64];
    const cJSON *result;
    cJSON *results = cJSON_CreateArray();
    snprintf(file, sizeof file, "test-%lld.html", (long long)id);
    enum mm_class cls = store_test_results(site->store, name, NULL, results, site->err);
    FILE *out = cls == MM_OK ? begin_page(site, file, name) : NULL;
    if (out) {
        sqlite3_stmt *q = store_statement(
            site->store,
            "select source from test where name = ? and source is not null order by mapping limit 1", "t",
            name);
        if (store_row(site->store, q)) {
            fputs("<details><summary>the test</summary><pre>", out);
            mm_put_html(store_text(q, 0), out);
            fputs("</pre></details>\n", out);
            sqlite3_reset(q);
        }
        cJSON_ArrayForEach(result, results) put_result(result, out);
        cls = end_page(site, file, out);
    } else if (cls == MM_OK) {
        cls = site->err->cls;
    }
    cJSON_Delete(results);
    return cls;
}

static enum mm_class put_tests(struct site *site)
{
    struct store *s = site->store;
    enum mm_class cls = MM_OK;
    sqlite3_stmt *q = store_statement(s, "select min(id), name from test group by name order by name", "");
    while (cls == MM_OK && store_row(s, q))
        cls = put_test(site, sqlite3_column_int64(q, 0), store_text(q, 1));
    return cls;
}

enum mm_class store_site(struct store *s, const char *path, struct mm_error *err)
{
    struct site site = {.store = s, .path = path, .err = err};
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return mm_fail_at(err, MM_LIMIT, "store.site", path, 0, 0, "cannot create: %s", strerror(errno));
    site.folder = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (site.folder < 0)
        return mm_fail_at(err, MM_LIMIT, "store.site", path, 0, 0, "cannot open: %s", strerror(errno));
    enum mm_class cls = store_begin(s, err);
    if (cls == MM_OK && sqlite3_exec(s->db, worst, NULL, NULL, NULL) != SQLITE_OK)
        cls = mm_fail(err, MM_LIMIT, "store.temporary", "%s", sqlite3_errmsg(s->db));
    if (cls == MM_OK)
        cls = put_index(&site);
    if (cls == MM_OK)
        cls = put_devices(&site);
    if (cls == MM_OK)
        cls = put_tests(&site);
    close(site.folder);
    return store_end(s, cls, err);
}
