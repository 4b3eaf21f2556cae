/* Weak behaviors by shape: how often drivers show the outcomes that the tests of a shape ask about and the
 * model allows.  The tests of a shape differ in memory orders, scopes and locations, and drivers may have run
 * different tests of the shape; so a driver's mark is its highest rate in any test.  The rate of a shape that
 * a driver never showed is bounded by the instances of all tests of the shape. */
#include "tools/store/site.h"

#include "memmodel/base/escape.h"
#include "memmodel/base/memory.h"

#include <string.h>

enum { MOST_SHAPES = 60, MOST_POINTS = 1200 };

/* Generated tests, whose names begin with a capital letter or a digit; those of barriers (BRW, ...) ask about
 * outcomes that are not weak. */
static const char weak_tests[] =
    "create temp table if not exists weak(shape text, device integer, test integer, count integer, instances integer);"
    "delete from weak;"
    "insert into weak select shape(test.name), device.id, test.id, (select ifnull(sum(count), 0) from " STORE_SHOWN
    " and asked), instances"
    " from total join test on test.id = total.test join device on device.id = total.device join asked on asked.test = test.id"
    "  and asked.verdict = 'allowed' and model = " STORE_DEVICE_MODEL
    " where test.name glob '[A-Z0-9]*' and not test.name glob 'B[A-Z]*' and instances";

struct shapes {
    char *names[MOST_SHAPES];
    int count;
    struct site_point points[MOST_POINTS];
    int64_t tests[MOST_POINTS]; /* the test with the highest rate of each point */
    int point_count;
};

static int letter_of(struct store *s, int64_t device)
{
    return (int)store_number(
        s,
        "select count(*) from device d, device mine where mine.id = ? and"
        " (d.platform, d.name, d.version, d.driver) < (mine.platform, mine.name, mine.version, mine.driver)",
        "i", device);
}

/* False if there is no memory. */
static bool collect_shapes(struct store *s, struct shapes *all)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select shape, device, max(count * 1.0 / instances), count, instances, test, sum(instances) from weak"
        " group by shape, device order by shape, (select platform || name || version || driver from device where id = device)",
        "");
    while (store_row(s, q)) {
        const char *name = store_text(q, 0);
        if (all->point_count == MOST_POINTS)
            continue;
        if (!all->count || strcmp(all->names[all->count - 1], name) != 0) {
            if (all->count == MOST_SHAPES)
                continue;
            if (!(all->names[all->count] = mm_strdup(name)))
                return false;
            all->count++;
        }
        int64_t count = sqlite3_column_int64(q, 3);
        all->tests[all->point_count] = sqlite3_column_int64(q, 5);
        all->points[all->point_count++] =
            (struct site_point){.row = all->count - 1,
                                .letter = letter_of(s, sqlite3_column_int64(q, 1)),
                                .count = count,
                                .instances = sqlite3_column_int64(q, count ? 4 : 6)};
    }
    return true;
}

static void put_rows(struct store *s, const struct shapes *all, FILE *out)
{
    for (int i = 0; i < all->point_count; i++) {
        const struct site_point *p = &all->points[i];
        char letter[8], rate[128];
        site_letter(p->letter, letter, sizeof letter);
        site_rate_text(p->count, p->instances, rate, sizeof rate);
        fputs("<tr><th scope=\"row\">", out);
        mm_put_html(all->names[p->row], out);
        fprintf(out, "</th><td>%s</td>", letter);
        site_put_cell(out, "n", rate);
        if (!p->count) {
            fputs("<td></td></tr>\n", out);
            continue;
        }
        sqlite3_stmt *q = store_statement(
            s, "select (select min(t.id) from test t where t.name = test.name), name from test where id = ?",
            "i", all->tests[i]);
        if (store_row(s, q)) {
            fprintf(out, "<td><a href=\"test-%lld.html\">", (long long)sqlite3_column_int64(q, 0));
            mm_put_html(store_text(q, 1), out);
            fputs("</a></td></tr>\n", out);
            sqlite3_reset(q);
        }
    }
}

enum mm_class site_put_shapes(struct site *site, FILE *out)
{
    static const char *const heads[] = {"shape", "driver", "highest rate of a test (95 %)", "in the test",
                                        NULL};
    struct store *s = site->store;
    if (sqlite3_exec(s->db, weak_tests, NULL, NULL, NULL) != SQLITE_OK)
        return mm_fail(site->err, MM_LIMIT, "store.temporary", "%s", sqlite3_errmsg(s->db));
    struct shapes *all = mm_alloc_zero(1, sizeof *all);
    bool good = all && collect_shapes(s, all);
    if (good && all->point_count) {
        fputs(
            "<h2 id=\"shapes\">Weak behaviors by shape</h2>\n<p>The outcomes that tests ask about, where the model allows them. "
            "A mark is a driver's highest rate in one of the shape's tests. Filled: shown. Hollow, with an arrow: never shown; the "
            "rate is below the mark with 95 % confidence. The letters are those of the table of drivers; the same is in the table "
            "below.</p>\n",
            out);
        site_put_plot(
            out, &(struct site_plot){
                     .title = "Rates of weak behaviors by shape and driver",
                     .description = "Logarithmic axis from 1e-12 to 1; the table below has the same figures.",
                     .rows = (const char *const *)all->names,
                     .row_count = all->count,
                     .points = all->points,
                     .point_count = all->point_count});
        site_begin_table(out, "Rates of weak behaviors by shape and driver", heads);
        put_rows(s, all, out);
        site_end_table(out);
    }
    for (int i = 0; all && i < all->count; i++)
        mm_free(all->names[i]);
    mm_free(all);
    return good ? MM_OK : mm_out_of_memory(site->err);
}
