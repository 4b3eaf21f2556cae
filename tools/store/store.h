/* store: results of many campaigns, devices and driver versions in one SQLite file.  Prefix: store_.
 *
 * One row of `run` for each file that was added; README.md describes the schema.  All functions that can fail
 * take an error value and leave the store as it was before the call. */
#ifndef TOOLS_STORE_STORE_H
#define TOOLS_STORE_STORE_H

#include "litmus/litmus.h"

#include <cjson/cJSON.h>
#include <sqlite3.h>

enum { STORE_STATEMENTS = 64, STORE_DATE = 11 };

struct store {
    sqlite3 *db;
    const char *path;
    /* Cache of prepared statements, by the address of their SQL text; each statement has one user at a
     * time. */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } statements[STORE_STATEMENTS];
    size_t statement_count;
    int sql_error; /* first error of SQLite since the last call of store_begin or store_check, SQLITE_OK: none */
    char sql_message[160];
};

/* Opens PATH, which is created if CREATE; brings an older schema up to date.  MM_INVALID: no store, or one of
 * a newer refcl. */
enum mm_class store_open(const char *path, bool create, struct store *store, struct mm_error *err);
void store_close(struct store *store);

/* A statement with its parameters bound: TYPES has a letter for each, 'i' int64_t, 'd' double, 't' const char
 * * (NULL: null), 'b' const void * and int, the size.  Texts must live until the statement is reset by the
 * next call with this SQL. NULL after an error, which store_check reports. */
sqlite3_stmt *store_statement(struct store *store, const char *sql, const char *types, ...);
/* Steps to the next row of STATEMENT; false: there is none, or an error. */
bool store_row(struct store *store, sqlite3_stmt *statement);
/* Execute a statement: without result rows; with one row, of which the first column is returned. */
void store_execute(struct store *store, const char *sql, const char *types, ...);
int64_t store_number(struct store *store, const char *sql, const char *types, ...);
/* A text column, "" if null; valid until the next row. */
const char *store_text(sqlite3_stmt *statement, int column);
/* Returns the first error of SQLite since the last check as an error of refcl, or MM_OK. */
enum mm_class store_check(struct store *store, struct mm_error *err);
/* A transaction that waits for other writers; ended by store_end, which rolls back unless CLS is MM_OK. */
enum mm_class store_begin(struct store *store, struct mm_error *err);
enum mm_class store_end(struct store *store, enum mm_class cls, struct mm_error *err);

/* ---- counts of a test's states in one run, as a blob of pairs of varints ---- */

struct store_count {
    uint64_t state; /* number of the state within the test, from 0 */
    uint64_t count;
};
/* Appends to BLOB, which has room for STORE_PAIR bytes more; returns the new size. */
enum { STORE_PAIR = 20 };
size_t store_encode(unsigned char *blob, size_t size, struct store_count pair);
/* Reads the pair at *AT; false at the end, or where the blob is damaged. */
bool store_decode(const unsigned char *blob, size_t size, size_t *at, struct store_count *pair);
/* Whether BLOB has a pair of STATE: a state has one pair at most. */
bool store_has_count(const unsigned char *blob, size_t size, uint64_t state);

/* ---- adding ---- */

struct store_add_options {
    const char *date;            /* of files that have none; NULL: the day of their last change */
    const char *device, *driver; /* JUnit, benchmarks, reports: the device and driver under test */
    const char *tests;           /* folder of the tests that tables name; NULL: the current one */
};
enum store_added { STORE_ADDED, STORE_KNOWN, STORE_REPLACED };
/* Adds the results, table, judgement or JUnit file PATH in one transaction.  *ADDED: added; already in the
 * store, nothing done; or replaced an earlier state of the same run.  *RUN: its number. */
enum mm_class store_add(struct store *store, const char *path, const struct store_add_options *options,
                        enum store_added *added, int64_t *run, struct mm_error *err);
/* The row of a test, created if it is new.  DIGEST is "" where the file has none. */
struct store_test {
    const char *interface, *name, *digest, *mapping, *file;
    const char *source;   /* NULL: not known, so that no state is judged */
    const char *observed; /* names, a JSON array */
};
int64_t store_test(struct store *store, const struct store_test *test);
struct store_result {
    int64_t test, run, device;
    int64_t instances, discarded, batches;
    double time_ms;
    const char *status, *reason, *date;
    bool stationary;
    const unsigned char *blob;
    size_t size;
};
/* Adds a run's result for a test, and its part of the sums by device.  A second one for the same test (two
 * files of a suite that hold one test) is added to the first. */
enum mm_class store_put_result(struct store *store, const struct store_result *result, struct mm_error *err);
void store_remove_run(struct store *store, int64_t run);
/* A file whose results become those of a run. */
struct store_file {
    const char *path, *text; /* TEXT: SIZE bytes and a zero */
    size_t size;
    const cJSON *json; /* the parsed text; NULL: JUnit, a table of benchmarks */
    const char *date;  /* YYYY-MM-DD */
    int64_t run, device;
};
/* Add the tests of a JUnit file, a report of `refcl run`, the times of a table of benchmarks; called within
 * the transaction. */
enum mm_class store_add_junit(struct store *store, const struct store_file *file, struct mm_error *err);
enum mm_class store_add_report(struct store *store, const struct store_file *file, struct mm_error *err);
enum mm_class store_add_benchmark(struct store *store, const struct store_file *file, struct mm_error *err);
/* Whether TEXT has a table of benchmarks. */
bool store_is_benchmark(const char *text);

/* The number of a state within TEST, created if it is new. */
int64_t store_state_number(struct store *store, int64_t test, const char *values);

/* ---- verdicts ---- */

/* The variant of devices with chains of availability and visibility operations; that of others is their
 * interface, "OpenCL" or "Vulkan".  It sorts after the latter. */
#define STORE_CHAINS "Vulkan chains"
/* Programs under `refcl run`: no model judges them, but the findings of reports. */
#define STORE_CHECKS "checks"
/* Judges the states shown by devices of VARIANT that have no verdict under the model of OPTIONS, and makes it
 * the model whose verdicts are shown.  SWITCHES: the model's switches, for display.  *JUDGED: number of
 * states. */
enum mm_class store_judge(struct store *store, const char *variant, const char *switches,
                          const struct lt_judge_options *options, size_t *judged, struct mm_error *err);

/* ---- queries ---- */

/* The devices that a query is about, and how its answer is printed. */
struct store_query {
    const char *selector; /* a part of "platform, name, version, driver"; NULL: all devices */
    bool json;
    FILE *out;
};
/* Prints the runs; SELECTOR is ignored. */
enum mm_class store_list(struct store *store, const struct store_query *query, struct mm_error *err);
/* Prints the results of the test, or the times of the kernel, that is called NAME. */
enum mm_class store_show(struct store *store, const char *name, const struct store_query *query,
                         struct mm_error *err);
/* Prints the differences between A and B, each the number of a run, or a selector; SELECTOR is ignored. */
enum mm_class store_compare(struct store *store, const char *a, const char *b,
                            const struct store_query *query, struct mm_error *err);
/* Prints what updates of drivers broke; *FOUND: how many regressions there are. */
enum mm_class store_regressions(struct store *store, const struct store_query *query, size_t *found,
                                struct mm_error *err);
/* Prints all changes between versions of a driver, improvements included. */
enum mm_class store_updates(struct store *store, const struct store_query *query, struct mm_error *err);
struct store_history_query {
    const char *test, *state; /* STATE such as "x=1; 1:r0=0"; NULL: what the test asks about */
    double rate;              /* 0: not asked for */
};
/* Prints since when and how often each driver shows the state, and with what confidence its rate is below
 * RATE. */
enum mm_class store_history(struct store *store, const struct store_history_query *history,
                            const struct store_query *query, struct mm_error *err);
/* Prints how often each driver shows what the tests of SHAPE ask about, and in which of them drivers
 * differ. */
enum mm_class store_shape(struct store *store, const char *shape, const struct store_query *query,
                          struct mm_error *err);
/* Writes static pages into the folder PATH, which is created if it is missing. */
struct store_site_options {
    const char *xref, *playground; /* addresses of the pages that clauses and tests link to; NULL: no links */
};
enum mm_class store_site(struct store *store, const char *path, const struct store_site_options *options,
                         struct mm_error *err);
/* Writes the results of all drivers of JUDGEMENT's device (JSON of lt_judge) as a baseline for lt_gate. */
enum mm_class store_baseline(struct store *store, const char *judgement, FILE *out, struct mm_error *err);
enum mm_class store_export(struct store *store, FILE *out, struct mm_error *err);

#endif
