/* The page of benchmarks: how the times of a device change over its runs, as ratios to the first run; newer
 * drivers and programs are runs of the same device.  Each table of benchmarks has a section for each device,
 * with a plot and two tables for each measure. */
#include "tools/store/site.h"

#include "memmodel/base/array.h"
#include "memmodel/base/escape.h"
#include "memmodel/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kernel_time {
    char kernel[64], driver[64], day[16];
    int64_t run;
    double value, ratio; /* to the first time of the kernel */
};

/* The times of one measure, by kernel and then by day. */
struct kernel_times {
    struct kernel_time *list;
    size_t count;
};

/* The ratios of the kernels in one run. */
struct run_ratio {
    const struct kernel_time *run;
    size_t kernels;
    double mean, least, most; /* logarithms, so that MEAN is the geometric mean */
};

bool site_has_benchmarks(struct store *s)
{
    return store_number(s, "select exists (select 1 from measured)", "");
}

static int by_run(const void *a, const void *b)
{
    const struct kernel_time *x = *(struct kernel_time *const *)a, *y = *(struct kernel_time *const *)b;
    int day = strcmp(x->day, y->day);
    return day ? day : (x->run > y->run) - (x->run < y->run);
}

/* Sums TIMES by run into RUNS, which has room for one run per time, in order of days; returns the number of
 * runs. */
static size_t sum_runs(const struct kernel_times *times, const struct kernel_time **sorted,
                       struct run_ratio *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < times->count; i++)
        sorted[i] = &times->list[i];
    qsort(sorted, times->count, sizeof *sorted, by_run);
    for (size_t i = 0; i < times->count; i++) {
        double ratio = log(sorted[i]->ratio);
        if (!count || runs[count - 1].run->run != sorted[i]->run)
            runs[count++] = (struct run_ratio){.run = sorted[i], .least = ratio, .most = ratio};
        struct run_ratio *run = &runs[count - 1];
        run->mean += (ratio - run->mean) / (double)++run->kernels;
        run->least = fmin(run->least, ratio);
        run->most = fmax(run->most, ratio);
    }
    return count;
}

enum { TOP = 20, MIDDLE = 80, LEFT = 12, ACROSS = 80 };

/* Plots each run as a mark at the mean with a line from the least to the greatest ratio; lines join the
 * means. */
static void put_plot(const char *title, const struct run_ratio *runs, size_t count, FILE *out)
{
    double range = 1; /* the axis shows ratios from 2^-RANGE to 2^RANGE */
    for (size_t i = 0; i < count; i++)
        range = fmax(range, ceil(fmax(runs[i].most, -runs[i].least) / log(2)));
    double scale = MIDDLE / (range * log(2)), step = ceil(range / 4);
    site_begin_plot(
        out, title,
        "Runs by day, from left to right; ratios on a logarithmic axis, less is faster; the table below has the same figures.",
        2 * (MIDDLE + TOP));
    for (double power = -step * floor(range / step); power <= range; power += step) {
        double y = TOP + MIDDLE - power * log(2) * scale;
        fprintf(
            out,
            "<line x1=\"%d%%\" y1=\"%.1f\" x2=\"100%%\" y2=\"%.1f\" class=\"grid\"/><text x=\"%d%%\" y=\"%.1f\" "
            "text-anchor=\"end\">%.3g</text>\n",
            LEFT - 3, y, y, LEFT - 4, y + 4, exp2(power));
    }
    double before_x = 0, before_y = 0;
    for (size_t i = 0; i < count; i++) {
        double x = LEFT + ACROSS * (count > 1 ? (double)i / (double)(count - 1) : 0.5);
        double y = TOP + MIDDLE - runs[i].mean * scale;
        if (i)
            fprintf(out, "<line x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\" class=\"line\"/>",
                    before_x, before_y, x, y);
        fprintf(out,
                "<line x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\" class=\"line\"/>"
                "<circle cx=\"%.2f%%\" cy=\"%.1f\" r=\"4\" class=\"seen\"/>\n",
                x, TOP + MIDDLE - runs[i].most * scale, x, TOP + MIDDLE - runs[i].least * scale, x, y);
        before_x = x;
        before_y = y;
    }
    fputs("</svg>\n", out);
}

static void put_number(FILE *out, double value)
{
    fprintf(out, "<td class=\"n\">%.3g</td>", value);
}

static void put_runs(const struct run_ratio *runs, size_t count, FILE *out)
{
    static const char *const heads[] = {"run",   "day",  "driver", "kernels", "geometric mean of the ratios",
                                        "least", "most", NULL};
    site_begin_table(out, "Ratios of the times to those of the first run", heads);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<tr><th scope=\"row\">%lld</th>", (long long)runs[i].run->run);
        site_put_cell(out, "n", runs[i].run->day);
        site_put_cell(out, NULL, runs[i].run->driver);
        fprintf(out, "<td class=\"n\">%zu</td>", runs[i].kernels);
        put_number(out, exp(runs[i].mean));
        put_number(out, exp(runs[i].least));
        put_number(out, exp(runs[i].most));
        fputs("</tr>\n", out);
    }
    site_end_table(out);
}

/* Writes a kernel's ratios as a polyline of 120 by 24 pixels; the ratio 1 is in the middle. */
static void put_line(const struct kernel_time *t, size_t count, FILE *out)
{
    double range = log(2);
    for (size_t i = 0; i < count; i++)
        range = fmax(range, fabs(log(t[i].ratio)));
    fputs("<td><svg width=\"120\" height=\"24\" role=\"img\"><title>ratios:", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, " %.3g", t[i].ratio);
    fputs(
        "</title><line x1=\"0\" y1=\"12\" x2=\"120\" y2=\"12\" class=\"grid\"/><polyline class=\"line\" points=\"",
        out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%.1f,%.1f ", 3 + 114 * (count > 1 ? (double)i / (double)(count - 1) : 0.5),
                12 - 10 * log(t[i].ratio) / range);
    fputs("\"/></svg></td>", out);
}

static void put_kernels(const struct kernel_times *times, FILE *out)
{
    static const char *const heads[] = {"kernel", "first", "last", "ratio", "over the runs", NULL};
    site_begin_table(out, "Times of the kernels", heads);
    for (size_t first = 0, next; first < times->count; first = next) {
        const struct kernel_time *t = &times->list[first];
        for (next = first + 1; next < times->count && strcmp(times->list[next].kernel, t->kernel) == 0;
             next++)
            continue;
        const struct kernel_time *last = &times->list[next - 1];
        fputs("<tr><th scope=\"row\">", out);
        mm_put_html(t->kernel, out);
        fputs("</th>", out);
        put_number(out, t->value);
        put_number(out, last->value);
        put_number(out, last->ratio);
        put_line(t, next - first, out);
        fputs("</tr>\n", out);
    }
    site_end_table(out);
}

/* Writes the part for one measure.  TITLE: device and table; MEASURE: a column of the table. */
static enum mm_class put_measure(const char *title, const char *measure, const struct kernel_times *times,
                                 FILE *out, struct mm_error *err)
{
    const struct kernel_time **sorted = mm_alloc_zero(times->count, sizeof *sorted);
    struct run_ratio *runs = mm_alloc_zero(times->count, sizeof *runs);
    if (sorted && runs) {
        size_t count = sum_runs(times, sorted, runs);
        char name[2200];
        snprintf(name, sizeof name, "Ratios over the runs: %s: %s", title, measure);
        fputs("<h3>", out);
        mm_put_html(measure, out);
        fputs("</h3>\n", out);
        put_plot(name, runs, count, out);
        put_runs(runs, count, out);
        put_kernels(times, out);
    }
    enum mm_class cls = sorted && runs ? MM_OK : mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    mm_free(sorted);
    mm_free(runs);
    return cls;
}

static bool add_time(struct kernel_times *times, sqlite3_stmt *q)
{
    struct kernel_time *t = mm_add(&times->list, &times->count);
    if (!t)
        return false;
    store_copy_text(t->kernel, sizeof t->kernel, store_text(q, 2));
    store_copy_text(t->driver, sizeof t->driver, store_text(q, 3));
    store_copy_text(t->day, sizeof t->day, store_text(q, 4));
    t->run = sqlite3_column_int64(q, 5);
    t->value = sqlite3_column_double(q, 6);
    t->ratio = t->value / sqlite3_column_double(q, 7);
    return true;
}

/* Writes a section for each device and table, with a part for each measure. */
static enum mm_class put_sections(struct store *s, FILE *out, struct mm_error *err)
{
    enum mm_class cls = MM_OK;
    struct kernel_times times = {0};
    char section[2048] = "", measure[64] = "";
    sqlite3_stmt *q = store_statement(
        s,
        "select platform || case when platform = '' then '' else ', ' end || device.name || ': ' || columns section, measure,"
        " benchmark.name, driver, date, run.id, value, first_value(value) over (partition by platform, device.name, benchmark.id"
        "  order by date, run.id) from measured join benchmark on benchmark.id = benchmark join run on run.id = run"
        " join device on device.id = device order by section, measure, benchmark.name, date, run.id",
        "");
    while (cls == MM_OK && store_row(s, q)) {
        bool new_section = strncmp(section, store_text(q, 0), sizeof section - 1) != 0;
        if (times.count && (new_section || strcmp(measure, store_text(q, 1)) != 0)) {
            cls = put_measure(section, measure, &times, out, err);
            times.count = 0;
        }
        if (new_section) {
            snprintf(section, sizeof section, "%s", store_text(q, 0));
            fputs("<h2>", out);
            mm_put_html(section, out);
            fputs("</h2>\n", out);
        }
        store_copy_text(measure, sizeof measure, store_text(q, 1));
        if (!add_time(&times, q))
            cls = mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    }
    if (cls == MM_OK && times.count)
        cls = put_measure(section, measure, &times, out, err);
    mm_free(times.list);
    return cls;
}

enum mm_class site_put_benchmarks(struct site *site)
{
    static const char name[] = "benchmarks.html";
    if (!site_has_benchmarks(site->store))
        return MM_OK;
    FILE *out = site_begin(site, name, "Times of benchmarks");
    if (!out)
        return site->err->cls;
    fputs(
        "<p>A ratio is the time of a kernel divided by its time in the first run on the device: below 1 is faster. A line "
        "through a mark reaches from the least to the most ratio of a kernel in the run.</p>\n",
        out);
    enum mm_class cls = put_sections(site->store, out, site->err), written = site_end(site, name, out);
    return cls == MM_OK ? written : cls;
}
