/* Since when and how often drivers show a state, and the confidence that a driver never shows it.
 *
 * Counts and instances of all runs of a driver are added up.  A driver that showed the state has the rate
 * count / instances, with Wilson's 95 % interval.  For one that did not, the rule of three: if the rate were
 * R, n instances would all miss it with a probability of (1 - R)^n, so with 95 % confidence R < 3/n, and any
 * R is excluded with the confidence 1 - (1 - R)^n.  README.md has the assumptions. */
#include "tools/store/query.h"

#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ASKED = 1024, VALUES = 1024 };

/* The states of a test whose history is printed: one state, or all that satisfy the test's condition. */
struct sought {
    int64_t states[MOST_ASKED]; /* numbers within the test */
    size_t count;
    char text[512];
};

/* ---- the state ---- */

/* Copies the value of NAME in TEXT, such as "x=1; 1:r0=0"; false: TEXT lacks NAME. */
static bool value_in(const char *text, const char *name, char *value, size_t size)
{
    size_t length = strlen(name);
    while (*text) {
        text += strspn(text, " ;");
        size_t word = strcspn(text, " ;");
        if (word > length && strncmp(text, name, length) == 0 && text[length] == '=') {
            snprintf(value, size, "%.*s", (int)(word - length - 1), text + length + 1);
            return *value && strspn(value, "-0123456789") == strlen(value);
        }
        text += word;
    }
    return false;
}

static int words_in(const char *text)
{
    int count = 0;
    for (text += strspn(text, " ;"); *text; text += strspn(text, " ;"), count++)
        text += strcspn(text, " ;");
    return count;
}

/* Converts TEXT to the form in the store, "[1,0]"; false unless TEXT has a value for each of OBSERVED and
 * nothing else. */
static bool values_of(const char *observed, const char *text, char *values, size_t size)
{
    cJSON *names = cJSON_Parse(observed);
    const cJSON *name;
    size_t used = (size_t)snprintf(values, size, "[");
    bool good = cJSON_GetArraySize(names) > 0 && cJSON_GetArraySize(names) == words_in(text);
    cJSON_ArrayForEach(name, names)
    {
        char value[32];
        good = good && cJSON_IsString(name) && value_in(text, name->valuestring, value, sizeof value) &&
               used + strlen(value) + 3 < size;
        if (good)
            used += (size_t)snprintf(values + used, size - used, "%s%s", used > 1 ? "," : "", value);
    }
    snprintf(values + used, size - used, "]");
    cJSON_Delete(names);
    return good;
}

static enum mm_class find_states(struct store *s, int64_t test, const char *observed, const char *text,
                                 struct sought *sought, struct mm_error *err)
{
    char values[VALUES];
    sqlite3_stmt *q;
    sought->count = 0;
    snprintf(sought->text, sizeof sought->text, "%s", text ? text : "what the test asks about");
    if (!text) {
        q = store_statement(s, "select number from state where test = ? and asked", "i", test);
    } else if (values_of(observed, text, values, sizeof values)) {
        q = store_statement(s, "select number from state where test = ? and vals = ?", "it", test, values);
        store_state_text(observed, values, sought->text, sizeof sought->text);
    } else {
        return mm_fail(err, MM_INVALID, "store.state", "'%s' is no state of the test, which observes %s",
                       text, observed);
    }
    while (sought->count < MOST_ASKED && store_row(s, q))
        sought->states[sought->count++] = sqlite3_column_int64(q, 0);
    if (sought->count == MOST_ASKED)
        return mm_fail(err, MM_LIMIT, "store.state", "the test asks about %d states or more: name one state",
                       MOST_ASKED);
    return store_check(s, err);
}

static uint64_t count_in(const struct sought *sought, const unsigned char *blob, size_t size)
{
    struct store_count pair;
    uint64_t sum = 0;
    for (size_t at = 0; store_decode(blob, size, &at, &pair);)
        for (size_t i = 0; i < sought->count; i++)
            sum += pair.state == (uint64_t)sought->states[i] ? pair.count : 0;
    return sum;
}

/* ---- one driver ---- */

struct history {
    uint64_t count, instances, instances_before;
    int runs, runs_showing, unsteady;
    int runs_before; /* before the first run that shows the state */
    int64_t first_run;
    char first[STORE_DATE], last[STORE_DATE]; /* days of the first and the last run that show the state */
    char until[STORE_DATE];                   /* day of the last run */
};

static void read_runs(struct store *s, int64_t device, int64_t test, const struct sought *sought,
                      struct history *h)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select run.id, date, instances, counts, stationary from result join run on run.id = run"
        " where test = ? and device = ? and " STORE_RAN("status = 'done'") " order by date, run.id",
        "ii", test, device);
    while (store_row(s, q)) {
        uint64_t instances = (uint64_t)sqlite3_column_int64(q, 2),
                 count = count_in(sought, sqlite3_column_blob(q, 3), (size_t)sqlite3_column_bytes(q, 3));
        if (count && !h->count) {
            h->first_run = sqlite3_column_int64(q, 0);
            h->runs_before = h->runs;
            h->instances_before = h->instances;
            snprintf(h->first, sizeof h->first, "%s", store_text(q, 1));
        }
        if (count)
            snprintf(h->last, sizeof h->last, "%s", store_text(q, 1));
        snprintf(h->until, sizeof h->until, "%s", store_text(q, 1));
        h->runs++;
        h->runs_showing += count > 0;
        h->unsteady += !sqlite3_column_int(q, 4);
        h->count += count;
        h->instances += instances;
    }
}

static cJSON *history_json(const struct history *h, double rate)
{
    cJSON *row = cJSON_CreateObject();
    struct lt_rate r = lt_rate_of(h->count, h->instances);
    cJSON_AddNumberToObject(row, "runs", h->runs);
    cJSON_AddNumberToObject(row, "instances", (double)h->instances);
    cJSON_AddNumberToObject(row, "count", (double)h->count);
    cJSON_AddNumberToObject(row, "rate", r.rate);
    cJSON_AddNumberToObject(row, "rate_low", r.low);
    cJSON_AddNumberToObject(row, "rate_high", h->instances ? r.high : 1);
    cJSON_AddNumberToObject(row, "runs_with_a_trend", h->unsteady);
    cJSON_AddStringToObject(row, "until", h->until);
    if (h->count) {
        cJSON_AddStringToObject(row, "first", h->first);
        cJSON_AddNumberToObject(row, "first_run", (double)h->first_run);
        cJSON_AddStringToObject(row, "last", h->last);
        cJSON_AddNumberToObject(row, "runs_showing", h->runs_showing);
        cJSON_AddNumberToObject(row, "runs_before", h->runs_before);
        cJSON_AddNumberToObject(row, "instances_before", (double)h->instances_before);
    } else if (rate > 0) {
        cJSON_AddNumberToObject(row, "confidence", -expm1((double)h->instances * log1p(-rate)));
    }
    return row;
}

static void print_history(const char *label, const struct history *h, double rate, FILE *out)
{
    struct lt_rate r = lt_rate_of(h->count, h->instances);
    mm_print(out, "%s\n", label);
    if (h->count) {
        mm_print(
            out,
            "  since %s (run %d), last %s; %llu of %.3g instances in %d of %d runs, rate %.3g (%.3g to %.3g)\n",
            h->first, (int)h->first_run, h->last, (unsigned long long)h->count, (double)h->instances,
            h->runs_showing, h->runs, r.rate, r.low, r.high);
        if (h->runs_before)
            fprintf(out, "  not in the %d runs with %.3g instances before\n", h->runs_before,
                    (double)h->instances_before);
    } else if (h->instances) {
        fprintf(out,
                "  not in %d runs with %.3g instances until %s: with 95 %% confidence a rate below %.3g\n",
                h->runs, (double)h->instances, h->until, r.high);
        if (rate > 0)
            fprintf(out, "  a rate below %.3g with a confidence of %.4g %%\n", rate,
                    -100 * expm1((double)h->instances * log1p(-rate)));
    } else {
        fputs("  no instance\n", out);
    }
    if (h->unsteady)
        fprintf(
            out,
            "  in %d runs rates have a trend: instances are not alike, and the intervals are too narrow\n",
            h->unsteady);
}

/* ---- all drivers ---- */

/* Adds the history of each driver to ROWS, and prints it unless the answer is JSON. */
static enum mm_class put_histories(struct store *s, const struct store_history_query *history,
                                   const struct store_query *query, cJSON *rows, struct mm_error *err)
{
    enum mm_class cls = MM_OK;
    sqlite3_stmt *q = store_statement(
        s,
        "select test.id, observed, mapping, device.id, platform, device.name, version, driver from test"
        " join total on total.test = test.id join device on device.id = device where test.name = ?1"
        " and (?2 is null or instr(" STORE_DEVICE_TEXT
        ", ?2)) and " STORE_RAN("done") " order by device.id, test.id",
        "tt", history->test, query->selector);
    while (cls == MM_OK && store_row(s, q)) {
        struct sought sought;
        struct history h = {0};
        char device[512], label[1280];
        const char *mapping = store_text(q, 2);
        store_device_text(q, 4, device, sizeof device);
        cls = find_states(s, sqlite3_column_int64(q, 0), store_text(q, 1), history->state, &sought, err);
        if (cls != MM_OK)
            break;
        read_runs(s, sqlite3_column_int64(q, 3), sqlite3_column_int64(q, 0), &sought, &h);
        snprintf(label, sizeof label, "%s%s%s: %s, on %s", history->test, *mapping ? ", mapping " : "",
                 mapping, sought.text, device);
        cJSON *row = history_json(&h, history->rate);
        cJSON_AddStringToObject(row, "device", device);
        cJSON_AddStringToObject(row, "mapping", mapping);
        cJSON_AddStringToObject(row, "state", sought.text);
        cJSON_AddItemToArray(rows, row);
        if (!query->json)
            print_history(label, &h, history->rate, query->out);
    }
    return cls == MM_OK ? store_check(s, err) : cls;
}

enum mm_class store_history(struct store *s, const struct store_history_query *history,
                            const struct store_query *query, struct mm_error *err)
{
    const char *selector = query->selector;
    cJSON *root = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(root, "drivers");
    cJSON_AddStringToObject(root, "test", history->test);
    enum mm_class cls = store_begin(s, err);
    if (cls == MM_OK)
        cls = store_end(s, put_histories(s, history, query, rows, err), err);
    if (cls == MM_OK && !cJSON_GetArraySize(rows))
        cls = mm_fail(err, MM_INVALID, "store.test", "no result of a test named '%s'%s%s", history->test,
                      selector ? " on a device that matches " : "", selector ? selector : "");
    if (cls == MM_OK && query->json)
        cls = store_print(root, query->out, err);
    cJSON_Delete(root);
    return cls;
}
