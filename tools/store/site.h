/* Parts of the pages of `refcl results site`. */
#ifndef TOOLS_STORE_SITE_H
#define TOOLS_STORE_SITE_H

#include "tools/store/query.h"

struct site {
    struct store *store;
    int folder; /* descriptor */
    const char *path;
    const struct store_site_options *options;
    struct mm_error *err;
};

/* Fills the temporary tables that the pages read:
 *   worst(device, test, family, verdict, never)   worst verdict of a test's states on a device; never: an
 *   allowed outcome was not shown
 *   skipped(device, family, why)                  a row for each test of `worst` that did not run
 *   recent(run, device, place, done, instances)   the last SITE_RUNS runs of each device; place: 1 is the
 *   last */
enum mm_class site_fill_tables(struct store *store, struct mm_error *err);
enum { SITE_RUNS = 50 };

FILE *site_begin(struct site *site, const char *name, const char *title);
enum mm_class site_end(const struct site *site, const char *name, FILE *out);
/* A table that scrolls within its box, by keys too; LABEL is its caption. */
void site_begin_table(FILE *out, const char *label, const char *const *heads);
void site_end_table(FILE *out);
/* A cell up to its contents; CLASS: NULL, "n" (a number) or a verdict. */
void site_begin_cell(FILE *out, const char *class);
/* A cell with TEXT in it, as HTML. */
void site_put_cell(FILE *out, const char *class, const char *text);
/* How often a state was shown: "1.2e-3 (1e-3 to 1.4e-3)", or "never in 2e+09: below 1.5e-09". */
void site_rate_text(int64_t count, int64_t instances, char *text, size_t size);

/* The cell of the tests of a rule family on a device, by worst verdict. */
void site_put_counts(struct store *store, const char *family, int64_t device, FILE *out);

/* ---- plots (plot.c): rates by row, with a letter for each driver, on a logarithmic axis ---- */

struct site_point {
    int row, letter;
    int64_t count, instances;
};
struct site_plot {
    const char *title, *description; /* for screen readers */
    const char *const *rows;
    int row_count;
    const struct site_point *points;
    int point_count;
};
void site_put_plot(FILE *out, const struct site_plot *plot);
/* The start of an SVG that is as wide as the page, up to what its name for screen readers needs. */
void site_begin_plot(FILE *out, const char *title, const char *description, int height);
/* "A", ..., "Z", "AA", ... */
void site_letter(int number, char *text, size_t size);

/* ---- pages ---- */

enum mm_class site_put_devices(struct site *site);
enum mm_class site_put_tests(struct site *site);
/* benchmarks.html: times of kernels as ratios to the first run of each device; nothing in a store without. */
enum mm_class site_put_benchmarks(struct site *site);
bool site_has_benchmarks(struct store *store);
/* Rates of weak behaviors by shape: plot and table; of all drivers. */
enum mm_class site_put_shapes(struct site *site, FILE *out);
/* Links to the playground with TEST in the address, and to the clause that CLAUSE, of a verdict, begins with;
 * nothing where the site has no such page. */
void site_link_playground(const struct site *site, const char *test, const char *variant, FILE *out);
void site_link_clause(const struct site *site, const char *clause, FILE *out);

#endif
