/* Internal: declarations shared by the queries of a store. */
#ifndef TOOLS_STORE_QUERY_H
#define TOOLS_STORE_QUERY_H

#include "tools/store/store.h"

/* The text in which a selector is searched, as an SQL expression over a row of table device. */
#define STORE_DEVICE_TEXT "(platform || ', ' || device.name || ', ' || version || ', ' || driver)"

/* The model whose verdicts are shown for devices of a variant, an SQL expression. */
#define STORE_MODEL_OF(variant)                                                                              \
    "(select id from model m where m.variant = " variant " order by used desc limit 1)"
#define STORE_DEVICE_MODEL STORE_MODEL_OF("device.variant")

/* Whether a test ran: it ended, or an instance was evaluated, in a run (a row of table result, DONE is
 * "status = 'done'") or in any run of a device (a row of table total, DONE is "done").  An SQL expression;
 * `instances` does not include discarded ones. */
#define STORE_RAN(done) "(" done " or instances)"

/* The states of test.id that device.id showed, as the SQL text of a join and its condition. */
#define STORE_SHOWN                                                                                          \
    "state cross join seen on seen.state = state.id where state.test = test.id and seen.device = device.id"

/* The four columns platform, name, version and driver from COLUMN on, as STORE_DEVICE_TEXT. */
void store_device_text(sqlite3_stmt *row, int column, char *text, size_t size);
/* The values of a state, as text such as "[0,-1]" or "[\"fingerprint\"]", as JSON that keeps all 64 bits
 * (lt_value_json). */
cJSON *store_values(const char *values);
/* "x=1; 1:r0=0" of two JSON arrays. */
void store_state_text(const char *observed, const char *values, char *text, size_t size);
int store_add_shape_function(sqlite3 *db);
/* The upper bound, at 95 % confidence, on the rate of a state that none of INSTANCES showed. */
double store_rate_below(double instances);
/* Adds an object to ROWS for each device that matches SELECTOR (NULL: all) and ran the test NAME. */
enum mm_class store_test_results(struct store *store, const char *name, const char *selector, cJSON *rows,
                                 struct mm_error *err);
/* Adds an object to ROWS for each time of the kernel NAME and each device that matches SELECTOR; prints
 * one. */
void store_benchmark_times(struct store *store, const char *name, const char *selector, cJSON *rows);
void store_print_times(const cJSON *row, FILE *out);
/* Medians of a side's times: of RUN, or if 0 of DEVICE or of those that match SELECTOR. */
enum mm_class store_fill_times(struct store *store, int64_t side, int64_t run, int64_t device,
                               const char *selector, struct mm_error *err);
/* Times that both sides have.  Slower: side 1 takes more than 1.1 times as long, and its shortest time is
 * above the longest of side 0. */
void store_add_times(struct store *store, bool slower_alone, cJSON *rows);
void store_print_ratios(const cJSON *rows, FILE *out);
/* Cuts TEXT to SIZE bytes, at the start of a character. */
void store_copy_text(char *to, size_t size, const char *text);
/* Prints JSON. */
enum mm_class store_print(const cJSON *json, FILE *out, struct mm_error *err);
/* Prints ANSWER as the query asks for, as text by PRINT, unless CLS is an error; deletes ANSWER. */
enum mm_class store_answer(const struct store_query *query, cJSON *answer, enum mm_class cls,
                           void (*print)(const cJSON *answer, FILE *out), struct mm_error *err);
/* Prints "NAME, mapping MAPPING" of ROW, a test. */
void store_print_name(const cJSON *row, FILE *out);
/* Adds the clause of a verdict to ROW if there is one, and VERDICT, "unjudged" if empty. */
void store_add_verdict(cJSON *row, const char *verdict, const char *clause);

#endif
