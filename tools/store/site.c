/* Static pages of a store: drivers beside rule families, a page for each driver and for each test.  No
 * script, no request to anything but these files. */
#include "tools/store/site.h"

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
    ".wide{overflow-x:auto;max-width:100%}th,td{border:1px solid #bbb;padding:.25rem .5rem;text-align:left;vertical-align:top}"
    "td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}a{color:#0645ad}code{font-size:.95em;overflow-wrap:break-word}td div,summary{white-space:nowrap}"
    ".forbidden{background:#fbd5d0;font-weight:bold}.racy,.unknown,.unjudged{background:#fdf1c9}.none{color:#666}"
    "caption{text-align:left;padding:.3rem 0;max-width:calc(100vw - 2rem)}a:focus-visible,summary:focus-visible,.wide:focus-visible{outline:3px solid #0645ad}"
    "h1,h2,li,p{overflow-wrap:anywhere}pre{overflow-x:auto}svg{display:block;font:12px system-ui,sans-serif}svg text{fill:currentColor}"
    ".grid{stroke:currentColor;stroke-opacity:.25}circle.seen{fill:currentColor}.bound{fill:none;stroke:currentColor}"
    "svg text.letter{fill:#fff}svg text.row{font-weight:bold}svg.mark{overflow:visible}.line{stroke:currentColor;fill:none}"
    "details ul{margin:.2rem 0;padding-left:1.2rem;min-width:14rem}"
    ".skip{position:absolute;left:-99rem}.skip:focus{position:static}"
    "@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}a{color:#9cc2ff}th,td{border-color:#555}"
    ".forbidden{background:#6b1f17}svg text.letter{fill:#161616}.racy,.unknown,.unjudged{background:#54450d}.none{color:#aaa}}";

static enum mm_class cannot_write(const struct site *site, const char *name)
{
    return mm_fail_at(site->err, MM_LIMIT, "store.site", site->path, 0, 0, "cannot write '%s': %s", name,
                      strerror(errno));
}

FILE *site_begin(struct site *site, const char *name, const char *title)
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
    fprintf(out,
            "</title><style>%s</style></head><body>\n<a class=\"skip\" href=\"#main\">to the contents</a>\n",
            style);
    if (strcmp(name, "index.html") != 0)
        fputs("<nav aria-label=\"pages\"><a href=\"index.html\">all drivers</a></nav>\n", out);
    fputs("<main id=\"main\"><h1>", out);
    mm_put_html(title, out);
    fputs("</h1>\n", out);
    return out;
}

enum mm_class site_end(const struct site *site, const char *name, FILE *out)
{
    fputs("</main></body></html>\n", out);
    return fclose(out) == 0 ? MM_OK : cannot_write(site, name);
}

void site_begin_table(FILE *out, const char *label, const char *const *heads)
{
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    mm_put_html(label, out);
    fputs("\"><table><caption>", out);
    mm_put_html(label, out);
    fputs("</caption><thead><tr>", out);
    for (; *heads; heads++) {
        fputs("<th scope=\"col\">", out);
        mm_put_html(*heads, out);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
}

void site_end_table(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void site_begin_cell(FILE *out, const char *class)
{
    fputs(class ? "<td class=\"" : "<td", out);
    mm_put_html(class ? class : "", out);
    fputs(class ? "\">" : ">", out);
}

void site_put_cell(FILE *out, const char *class, const char *text)
{
    site_begin_cell(out, class);
    mm_put_html(text, out);
    fputs("</td>", out);
}

void site_rate_text(int64_t count, int64_t instances, char *text, size_t size)
{
    struct lt_rate rate = lt_rate_of((uint64_t)count, (uint64_t)instances);
    if (count)
        snprintf(text, size, "%.3g (%.3g to %.3g)", rate.rate, rate.low, rate.high);
    else if (instances > 0)
        snprintf(text, size, "never in %.3g: below %.3g", (double)instances, rate.high);
    else
        snprintf(text, size, "no instance");
}

/* ---- index ---- */

/* Writes why tests of a family did not run. */
static void put_skipped(struct store *s, const char *family, int64_t device, int64_t count, FILE *out)
{
    if (!count)
        return;
    fprintf(out, "<details class=\"none\"><summary>%lld not run</summary><ul>", (long long)count);
    sqlite3_stmt *q = store_statement(
        s,
        "select why, count(*) n from skipped where device = ?2 and family = ?1 group by why order by n desc, why",
        "ti", family, device);
    while (store_row(s, q)) {
        fprintf(out, "<li>%lld ", (long long)sqlite3_column_int64(q, 1));
        mm_put_html(store_text(q, 0), out);
        fputs("</li>", out);
    }
    fputs("</ul></details>", out);
}

void site_put_counts(struct store *s, const char *family, int64_t device, FILE *out)
{
    int64_t not_run = 0, never = 0;
    sqlite3_stmt *q = store_statement(
        s,
        "select verdict, count(*), sum(never) from worst where family = ? and device = ? group by verdict order by verdict",
        "ti", family, device);
    fputs("<td>", out);
    while (store_row(s, q)) {
        const char *verdict = store_text(q, 0);
        never += sqlite3_column_int64(q, 2);
        if (strcmp(verdict, "not run") == 0)
            not_run = sqlite3_column_int64(q, 1);
        else
            fprintf(out, "<div class=\"%s\">%lld %s</div>", verdict, (long long)sqlite3_column_int64(q, 1),
                    verdict);
    }
    if (never)
        fprintf(out, "<div class=\"none\">%lld never seen</div>", (long long)never);
    put_skipped(s, family, device, not_run, out);
    fputs("</td>", out);
}

/* Writes a column heading for each driver; returns how many there are. */
static int put_device_heads(struct store *s, int64_t *devices, int most, FILE *out)
{
    int count = 0;
    sqlite3_stmt *q = store_statement(
        s, "select id, name, driver from device order by platform, name, version, driver", "");
    fputs("<tr><th scope=\"col\">rule family</th>", out);
    while (store_row(s, q)) {
        char letter[8];
        if (count == most)
            continue;
        site_letter(count, letter, sizeof letter);
        devices[count++] = sqlite3_column_int64(q, 0);
        fprintf(out, "<th scope=\"col\">%s: ", letter);
        mm_put_html(store_text(q, 1), out);
        fputs(*store_text(q, 2) ? ", " : "", out);
        mm_put_html(store_text(q, 2), out);
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    return count;
}

static void put_drivers(struct store *s, FILE *out)
{
    static const char *const heads[] = {"letter",    "driver", "runs",  "last run", "tests", "allowed",
                                        "forbidden", "racy",   "other", "not run",  NULL};
    int number = 0;
    sqlite3_stmt *q = store_statement(
        s,
        "select device.id, platform, name, version, driver, (select count(*) from run where device = device.id),"
        " (select max(date) from run where device = device.id), count(test), sum(verdict = 'allowed'), sum(verdict = 'forbidden'),"
        " sum(verdict = 'racy'), sum(verdict not in ('allowed', 'forbidden', 'racy', 'not run')), sum(verdict = 'not run')"
        " from device left join worst on worst.device = device.id group by device.id order by platform, name, version, driver",
        "");
    site_begin_table(out, "Drivers, and how many tests have which worst verdict", heads);
    while (store_row(s, q)) {
        char letter[8], text[512];
        site_letter(number++, letter, sizeof letter);
        store_device_text(q, 1, text, sizeof text);
        fprintf(out, "<tr><td>%s</td><th scope=\"row\"><a href=\"device-%lld.html\">", letter,
                (long long)sqlite3_column_int64(q, 0));
        mm_put_html(text, out);
        fputs("</a></th>", out);
        for (int i = 5; i <= 12; i++)
            site_put_cell(out, i == 9 && sqlite3_column_int64(q, i) ? "n forbidden" : "n",
                          *store_text(q, i) ? store_text(q, i) : "0");
        fputs("</tr>\n", out);
    }
    site_end_table(out);
}

static void put_families(struct store *s, FILE *out)
{
    enum { MOST_DEVICES = 200 };
    int64_t devices[MOST_DEVICES];
    fputs(
        "<h2>Rule families</h2>\n<p>A test counts by the worst verdict of the states that a driver showed. <em>Never seen</em>: tests "
        "that ran and ask about an outcome that the model allows and the driver did not show. <em>Not run</em> opens to the reasons.</p>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Rule families by driver\"><table><caption>Rule families by "
        "driver</caption><thead>",
        out);
    int count = put_device_heads(s, devices, MOST_DEVICES, out);
    fputs("</thead><tbody>\n", out);
    sqlite3_stmt *q = store_statement(s, "select distinct family from worst order by family", "");
    while (store_row(s, q)) {
        fputs("<tr><th scope=\"row\">", out);
        mm_put_html(*store_text(q, 0) ? store_text(q, 0) : "other", out);
        fputs("</th>", out);
        for (int i = 0; i < count; i++)
            site_put_counts(s, store_text(q, 0), devices[i], out);
        fputs("</tr>\n", out);
    }
    site_end_table(out);
}

static enum mm_class put_index(struct site *site)
{
    struct store *s = site->store;
    FILE *out = site_begin(site, "index.html", "Drivers and the memory model");
    if (!out)
        return site->err->cls;
    fprintf(out, "<p>%lld runs, %lld tests, %lld drivers.</p>\n",
            (long long)store_number(s, "select count(*) from run", ""),
            (long long)store_number(s, "select count(*) from test", ""),
            (long long)store_number(s, "select count(*) from device", ""));
    if (site_has_benchmarks(s))
        fputs("<p><a href=\"benchmarks.html\">Times of benchmarks</a></p>\n", out);
    put_drivers(s, out);
    enum mm_class cls = site_put_shapes(site, out);
    put_families(s, out);
    enum mm_class written = site_end(site, "index.html", out);
    return cls == MM_OK ? written : cls;
}

enum mm_class store_site(struct store *s, const char *path, const struct store_site_options *options,
                         struct mm_error *err)
{
    struct site site = {.store = s, .path = path, .options = options, .err = err};
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return mm_fail_at(err, MM_LIMIT, "store.site", path, 0, 0, "cannot create: %s", strerror(errno));
    site.folder = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (site.folder < 0)
        return mm_fail_at(err, MM_LIMIT, "store.site", path, 0, 0, "cannot open: %s", strerror(errno));
    enum mm_class cls = store_begin(s, err);
    if (cls == MM_OK)
        cls = site_fill_tables(s, err);
    if (cls == MM_OK)
        cls = put_index(&site);
    if (cls == MM_OK)
        cls = site_put_devices(&site);
    if (cls == MM_OK)
        cls = site_put_benchmarks(&site);
    if (cls == MM_OK)
        cls = site_put_tests(&site);
    close(site.folder);
    return store_end(s, cls, err);
}
