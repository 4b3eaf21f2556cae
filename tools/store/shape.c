/* Shapes of litmus tests: how often each driver shows the outcome that a shape's tests ask about, and where
 * drivers differ.
 *
 * The shape of a test is the first part of its name and the following parts without a small letter: MP of
 * "MP+rel+acq", W+RWC of "W+RWC+rlx.dev-...".  Drivers are compared test by test: the tests of a shape differ
 * in memory orders, scopes and locations. */
#include "tools/store/query.h"

#include "litmus/files.h"
#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include <string.h>

/* The length of the shape within a test's name; the SQL function shape(name) uses it. */
static size_t shape_length(const char *name)
{
    size_t length = strcspn(name, "+");
    while (name[length] == '+') {
        size_t part = 1 + strcspn(name + length + 1, "+");
        for (size_t i = 1; i < part; i++)
            if (name[length + i] >= 'a' && name[length + i] <= 'z')
                return length;
        length += part;
    }
    return length;
}

static void shape_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *name = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    if (name)
        sqlite3_result_text(context, name, (int)shape_length(name), SQLITE_TRANSIENT);
}

int store_add_shape_function(sqlite3 *db)
{
    return sqlite3_create_function(db, "shape", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, shape_function,
                                   NULL, NULL);
}

/* How often a driver showed the outcome that a test asks about. */
struct showing {
    int64_t count, instances;
    struct lt_rate rate; /* of an outcome that was never shown: HIGH is the upper bound */
};

static cJSON *driver_json(sqlite3_stmt *q, const struct showing *w)
{
    char device[512];
    cJSON *row = cJSON_CreateObject();
    store_device_text(q, 5, device, sizeof device);
    cJSON_AddStringToObject(row, "device", device);
    cJSON_AddStringToObject(row, "verdict", *store_text(q, 2) ? store_text(q, 2) : "unjudged");
    cJSON_AddNumberToObject(row, "count", (double)w->count);
    cJSON_AddNumberToObject(row, "instances", (double)w->instances);
    cJSON_AddNumberToObject(row, "rate", w->rate.rate);
    cJSON_AddNumberToObject(row, "rate_low", w->rate.low);
    cJSON_AddNumberToObject(row, "rate_high", w->rate.high);
    return row;
}

/* Completes a test's row.  Drivers differ if the highest lower end of their intervals is above the lowest
 * upper one. */
static void finish_test(cJSON *test, double low, double high)
{
    if (test)
        cJSON_AddBoolToObject(test, "differ", low > high);
}

static void add_tests(struct store *s, const char *shape, const char *selector, cJSON *tests)
{
    int64_t here = 0;
    cJSON *test = NULL;
    double low = 0, high = 1;
    sqlite3_stmt *q = store_statement(
        s,
        "select test.id, test.name, (select verdict from asked where test = test.id and model = " STORE_DEVICE_MODEL
        "), instances, (select sum(count) from " STORE_SHOWN " and asked),"
        " platform, device.name, version, driver, mapping from test cross join total on total.test = test.id"
        " join device on device.id = total.device where shape(test.name) = ?1 and instances"
        " and (?2 is null or instr(" STORE_DEVICE_TEXT
        ", ?2)) order by test.name, mapping, test.id, device.id",
        "tt", shape, selector);
    while (store_row(s, q)) {
        struct showing w = {.instances = sqlite3_column_int64(q, 3), .count = sqlite3_column_int64(q, 4)};
        w.rate = lt_rate_of((uint64_t)w.count, (uint64_t)w.instances);
        if (sqlite3_column_int64(q, 0) != here) {
            finish_test(test, low, high);
            low = 0, high = 1;
            here = sqlite3_column_int64(q, 0);
            test = cJSON_CreateObject();
            cJSON_AddStringToObject(test, "test", store_text(q, 1));
            cJSON_AddStringToObject(test, "mapping", store_text(q, 9));
            cJSON_AddArrayToObject(test, "drivers");
            cJSON_AddItemToArray(tests, test);
        }
        low = w.rate.low > low ? w.rate.low : low;
        high = w.rate.high < high ? w.rate.high : high;
        cJSON_AddItemToArray(cJSON_GetObjectItem(test, "drivers"), driver_json(q, &w));
    }
    finish_test(test, low, high);
}

static void print_tests(const cJSON *answer, FILE *out)
{
    const cJSON *test, *driver, *tests = cJSON_GetObjectItem(answer, "tests");
    int differ = 0;
    cJSON_ArrayForEach(test, tests)
    {
        bool differs = cJSON_IsTrue(cJSON_GetObjectItem(test, "differ"));
        differ += differs;
        store_print_name(test, out);
        fputs(differs ? ": drivers differ\n" : "\n", out);
        cJSON_ArrayForEach(driver, cJSON_GetObjectItem(test, "drivers"))
        {
            if (lt_number_of(driver, "count") > 0)
                fprintf(out, "  %.3g (%.3g to %.3g)", lt_number_of(driver, "rate"),
                        lt_number_of(driver, "rate_low"), lt_number_of(driver, "rate_high"));
            else
                fprintf(out, "  never, below %.3g", lt_number_of(driver, "rate_high"));
            mm_print(out, ", %s: %s\n", lt_json_text(driver, "verdict"), lt_json_text(driver, "device"));
        }
    }
    fprintf(out, "%d tests; in %d of them drivers differ\n", cJSON_GetArraySize(tests), differ);
}

enum mm_class store_shape(struct store *s, const char *shape, const struct store_query *query,
                          struct mm_error *err)
{
    cJSON *root = cJSON_CreateObject(), *tests = cJSON_AddArrayToObject(root, "tests");
    cJSON_AddStringToObject(root, "shape", shape);
    add_tests(s, shape, query->selector, tests);
    enum mm_class cls = store_check(s, err);
    if (cls == MM_OK && !cJSON_GetArraySize(tests))
        cls = mm_fail(err, MM_INVALID, "store.shape", "no instance of a test with the shape '%s'", shape);
    return store_answer(query, root, cls, print_tests, err);
}
