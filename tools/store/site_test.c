/* The page of a test: its text, the results of each driver, the last runs. */
#include "tools/store/site.h"

#include "litmus/files.h"
#include "memmodel/base/escape.h"

#include <string.h>

static void put_state_rows(const struct site *site, const cJSON *result, FILE *out)
{
    const cJSON *state;
    cJSON_ArrayForEach(state, cJSON_GetObjectItem(result, "states"))
    {
        const char *verdict = lt_json_text(state, "verdict"), *clause = lt_json_text(state, "clause");
        fputs("<tr><th scope=\"row\"><code>", out);
        mm_put_html(lt_json_text(state, "state"), out);
        fputs("</code></th>", out);
        site_begin_cell(out, verdict);
        mm_put_html(verdict, out);
        if (*clause) {
            fputs("<br>", out);
            if (strcmp(verdict, "forbidden") == 0)
                site_link_clause(site, clause, out);
            else
                mm_put_html(clause, out);
        }
        fprintf(out, "</td><td class=\"n\">%.0f</td><td class=\"n\">%.3g to %.3g</td>",
                lt_number_of(state, "count"), lt_number_of(state, "rate_low"),
                lt_number_of(state, "rate_high"));
        site_put_cell(out, "n", lt_json_text(state, "first"));
        site_put_cell(out, "n", lt_json_text(state, "last"));
        fputs("</tr>\n", out);
    }
}

static void put_result(const struct site *site, const cJSON *result, FILE *out)
{
    const char *mapping = lt_json_text(result, "mapping");
    fputs("<h2>", out);
    mm_put_html(lt_json_text(result, "device"), out);
    fputs("</h2>\n<p>", out);
    if (*mapping) {
        fputs("Mapping ", out);
        mm_put_html(mapping, out);
        fputs(". ", out);
    }
    fprintf(out, "%.0f of %.0f runs done, ", lt_number_of(result, "runs_done"), lt_number_of(result, "runs"));
    mm_put_html(lt_json_text(result, "first"), out);
    fputs(" to ", out);
    mm_put_html(lt_json_text(result, "last"), out);
    fprintf(out, "; %.3g instances.", lt_number_of(result, "instances"));
    if (lt_number_of(result, "unseen_rate_below") < 1)
        fprintf(out, " Any state that is not listed has a rate below %.3g (95 %%).",
                lt_number_of(result, "unseen_rate_below"));
    fputs("</p>\n", out);
    if (!cJSON_GetArraySize(cJSON_GetObjectItem(result, "states")))
        return;
    static const char *const heads[] = {"final state", "verdict", "count", "rate (95 %)",
                                        "first",       "last",    NULL};
    site_begin_table(out, "Final states", heads);
    put_state_rows(site, result, out);
    site_end_table(out);
}

/* Writes how often each driver's last runs showed the outcome that the test asks about. */
static void put_history(struct site *site, const char *name, FILE *out)
{
    static const char *const heads[] = {
        "driver", "day", "run", "status", "instances", "of them as asked about", NULL};
    struct store *s = site->store;
    sqlite3_stmt *q = store_statement(
        s,
        "select platform, device.name, version, driver, date, run.id, status, result.instances, counts, test.id"
        " from test cross join recent cross join result on result.test = test.id and result.run = recent.run"
        " join run on run.id = recent.run join device on device.id = recent.device where test.name = ? and place <= 20"
        " order by platform, device.name, version, driver, place, test.id",
        "t", name);
    bool any = false;
    while (store_row(s, q)) {
        char device[512], number[32];
        int64_t asked = 0;
        struct store_count pair;
        const unsigned char *blob = sqlite3_column_blob(q, 8);
        for (size_t at = 0; store_decode(blob, (size_t)sqlite3_column_bytes(q, 8), &at, &pair);)
            if (store_number(s, "select asked from state where test = ? and number = ?", "ii",
                             sqlite3_column_int64(q, 9), (int64_t)pair.state))
                asked += (int64_t)pair.count;
        if (!any) {
            fputs("<h2>History</h2>\n", out);
            site_begin_table(out, "What the last 20 runs of each driver did in this test", heads);
        }
        any = true;
        store_device_text(q, 0, device, sizeof device);
        fputs("<tr><th scope=\"row\">", out);
        mm_put_html(device, out);
        fputs("</th>", out);
        for (int i = 4; i <= 6; i++)
            site_put_cell(out, i == 4 ? "n" : NULL, store_text(q, i));
        snprintf(number, sizeof number, "%.3g", sqlite3_column_double(q, 7));
        site_put_cell(out, "n", number);
        snprintf(number, sizeof number, "%.3g", (double)asked);
        site_put_cell(out, "n", number);
        fputs("</tr>\n", out);
    }
    if (any)
        site_end_table(out);
}

/* Writes the text of the test with a link to the playground; of texts that differ by mapping, the first
 * one. */
static void put_source(struct site *site, const char *name, FILE *out)
{
    sqlite3_stmt *q = store_statement(
        site->store,
        "select source, variant from test join total on total.test = test.id join device on device.id = device"
        " where test.name = ? and source is not null order by mapping, variant limit 1",
        "t", name);
    if (!store_row(site->store, q))
        return;
    fputs("<details><summary>the test</summary><pre tabindex=\"0\">", out);
    mm_put_html(store_text(q, 0), out);
    fputs("</pre></details>\n", out);
    site_link_playground(site, store_text(q, 0), store_text(q, 1), out);
    sqlite3_reset(q);
}

static enum mm_class put_test(struct site *site, int64_t id, const char *name)
{
    char file[64];
    const cJSON *result;
    cJSON *results = cJSON_CreateArray();
    snprintf(file, sizeof file, "test-%lld.html", (long long)id);
    enum mm_class cls = store_test_results(site->store, name, NULL, results, site->err);
    FILE *out = cls == MM_OK ? site_begin(site, file, name) : NULL;
    if (out) {
        put_source(site, name, out);
        cJSON_ArrayForEach(result, results) put_result(site, result, out);
        put_history(site, name, out);
        cls = site_end(site, file, out);
    } else if (cls == MM_OK) {
        cls = site->err->cls;
    }
    cJSON_Delete(results);
    return cls;
}

enum mm_class site_put_tests(struct site *site)
{
    struct store *s = site->store;
    enum mm_class cls = MM_OK;
    sqlite3_stmt *q = store_statement(s, "select min(id), name from test group by name order by name", "");
    while (cls == MM_OK && store_row(s, q))
        cls = put_test(site, sqlite3_column_int64(q, 0), store_text(q, 1));
    return cls;
}
