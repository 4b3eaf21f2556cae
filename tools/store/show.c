/* Prints the contents of a store: its runs, one run, one test. */
#include "tools/store/query.h"

#include "litmus/files.h"
#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum mm_class store_print(const cJSON *json, FILE *out, struct mm_error *err)
{
    char *text = cJSON_Print(json);
    if (!text)
        return mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    mm_put_json(text, false, out);
    fputc('\n', out);
    cJSON_free(text);
    return MM_OK;
}

enum mm_class store_answer(const struct store_query *query, cJSON *answer, enum mm_class cls,
                           void (*print)(const cJSON *answer, FILE *out), struct mm_error *err)
{
    if (cls == MM_OK && query->json)
        cls = store_print(answer, query->out, err);
    else if (cls == MM_OK)
        print(answer, query->out);
    cJSON_Delete(answer);
    return cls;
}

void store_print_name(const cJSON *row, FILE *out)
{
    const char *mapping = lt_json_text(row, "mapping");
    mm_print(out, "%s%s%s", lt_json_text(row, "test"), *mapping ? ", mapping " : "", mapping);
}

void store_add_verdict(cJSON *row, const char *verdict, const char *clause)
{
    cJSON_AddStringToObject(row, "verdict", *verdict ? verdict : "unjudged");
    if (*clause)
        cJSON_AddStringToObject(row, "clause", clause);
}

cJSON *store_values(const char *values)
{
    if (strncmp(values, "[\"", 2) == 0)
        return cJSON_Parse(values);
    cJSON *array = cJSON_CreateArray();
    for (const char *at = values + (*values == '['); *at && *at != ']';) {
        char *end;
        cJSON_AddItemToArray(array, lt_value_json(strtoll(at, &end, 10)));
        at = end + strcspn(end, ",]");
        at += *at == ',';
    }
    return array;
}

void store_state_text(const char *observed, const char *values, char *text, size_t size)
{
    cJSON *names = cJSON_Parse(observed), *numbers = store_values(values);
    const cJSON *name;
    size_t used = 0;
    int i = 0;
    *text = '\0';
    cJSON_ArrayForEach(name, names)
    {
        const cJSON *value = cJSON_GetArrayItem(numbers, i++);
        char number[32];
        snprintf(number, sizeof number, "%.0f", cJSON_GetNumberValue(value));
        int n = snprintf(text + used, size - used, "%s%s=%s", used ? "; " : "",
                         cJSON_IsString(name) ? name->valuestring : "?",
                         cJSON_IsString(value) ? value->valuestring : number);
        used = n > 0 && used + (size_t)n < size ? used + (size_t)n : size - 1;
    }
    cJSON_Delete(names);
    cJSON_Delete(numbers);
}

void store_device_text(sqlite3_stmt *row, int column, char *text, size_t size)
{
    const char *platform = store_text(row, column), *driver = store_text(row, column + 3);
    snprintf(text, size, "%s%s%s, %s%s%s", platform, *platform ? ", " : "", store_text(row, column + 1),
             store_text(row, column + 2), *driver ? ", " : "", driver);
}

double store_rate_below(double instances)
{
    return instances > 0 ? lt_rate_of(0, (uint64_t)instances).high : 1;
}

/* ---- list ---- */

static cJSON *run_json(sqlite3_stmt *q)
{
    static const char *const names[] = {"run",    "kind",  "date",     "platform", "device", "version",
                                        "driver", "suite", "campaign", "shard",    "file",   "settings"};
    cJSON *run = cJSON_CreateObject();
    cJSON_AddNumberToObject(run, names[0], (double)sqlite3_column_int64(q, 0));
    for (int i = 1; i < (int)(sizeof names / sizeof *names); i++)
        cJSON_AddStringToObject(run, names[i], store_text(q, i));
    return run;
}

static void print_runs(const cJSON *answer, FILE *out)
{
    const cJSON *run, *runs = cJSON_GetObjectItem(answer, "runs");
    cJSON_ArrayForEach(run, runs)
    {
        const char *shard = lt_json_text(run, "shard");
        mm_print(out, "%5.0f  %s  %-9s  %s, %s %s, %s%s%s\n", lt_number_of(run, "run"),
                 lt_json_text(run, "date"), lt_json_text(run, "kind"), lt_json_text(run, "device"),
                 lt_json_text(run, "version"), lt_json_text(run, "driver"), lt_json_text(run, "suite"),
                 *shard ? ", shard " : "", shard);
    }
    fprintf(out, "%d runs\n", cJSON_GetArraySize(runs));
}

enum mm_class store_list(struct store *s, const struct store_query *query, struct mm_error *err)
{
    cJSON *root = cJSON_CreateObject(), *runs = cJSON_AddArrayToObject(root, "runs");
    sqlite3_stmt *q = store_statement(
        s,
        "select run.id, kind, date, platform, name, version, driver, suite, campaign, shard, file,"
        " settings from run join device on device = device.id order by date, run.id",
        "");
    while (store_row(s, q))
        cJSON_AddItemToArray(runs, run_json(q));
    return store_answer(query, root, store_check(s, err), print_runs, err);
}

/* ---- one test ---- */

static void add_states(struct store *s, int64_t test, int64_t device, const char *observed, double instances,
                       cJSON *row)
{
    cJSON *states = cJSON_AddArrayToObject(row, "states");
    sqlite3_stmt *q = store_statement(
        s,
        "select vals, count, runs, first, last, verdict, clause from state cross join seen on seen.state = state.id"
        " join device on device.id = device"
        " left join verdict on verdict.state = state.id and model = " STORE_DEVICE_MODEL
        " where test = ?1 and device = ?2 order by count desc",
        "ii", test, device);
    while (store_row(s, q)) {
        char text[512];
        cJSON *state = cJSON_CreateObject();
        uint64_t count = (uint64_t)sqlite3_column_int64(q, 1);
        struct lt_rate rate = lt_rate_of(count, (uint64_t)instances);
        store_state_text(observed, store_text(q, 0), text, sizeof text);
        cJSON_AddStringToObject(state, "state", text);
        cJSON_AddNumberToObject(state, "count", (double)count);
        cJSON_AddNumberToObject(state, "runs", sqlite3_column_double(q, 2));
        cJSON_AddNumberToObject(state, "rate", rate.rate);
        cJSON_AddNumberToObject(state, "rate_low", rate.low);
        cJSON_AddNumberToObject(state, "rate_high", rate.high);
        cJSON_AddStringToObject(state, "first", store_text(q, 3));
        cJSON_AddStringToObject(state, "last", store_text(q, 4));
        store_add_verdict(state, store_text(q, 5), store_text(q, 6));
        cJSON_AddItemToArray(states, state);
    }
}

static cJSON *test_json(struct store *s, sqlite3_stmt *q)
{
    char device[512];
    cJSON *row = cJSON_CreateObject();
    store_device_text(q, 6, device, sizeof device);
    cJSON_AddStringToObject(row, "test", store_text(q, 1));
    cJSON_AddStringToObject(row, "digest", store_text(q, 2));
    cJSON_AddStringToObject(row, "mapping", store_text(q, 3));
    cJSON_AddStringToObject(row, "device", device);
    cJSON_AddNumberToObject(row, "runs", sqlite3_column_double(q, 10));
    cJSON_AddNumberToObject(row, "runs_done", sqlite3_column_double(q, 11));
    cJSON_AddNumberToObject(row, "instances", sqlite3_column_double(q, 12));
    cJSON_AddNumberToObject(row, "discarded", sqlite3_column_double(q, 13));
    double judged = sqlite3_column_double(q, 12) - sqlite3_column_double(q, 13);
    cJSON_AddNumberToObject(row, "unseen_rate_below", store_rate_below(judged));
    cJSON_AddStringToObject(row, "first", store_text(q, 14));
    cJSON_AddStringToObject(row, "last", store_text(q, 15));
    add_states(s, sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 5), store_text(q, 4), judged, row);
    return row;
}

static void print_test(const cJSON *row, FILE *out)
{
    const cJSON *state, *states = cJSON_GetObjectItem(row, "states");
    store_print_name(row, out);
    mm_print(out, " on %s\n", lt_json_text(row, "device"));
    mm_print(out, "  %.0f of %.0f runs done, %s to %s; %.3g instances\n", lt_number_of(row, "runs_done"),
             lt_number_of(row, "runs"), lt_json_text(row, "first"), lt_json_text(row, "last"),
             lt_number_of(row, "instances"));
    cJSON_ArrayForEach(state, states)
    {
        mm_print(out, "  %-12.0f %-9.3g %-9s since %s  %s%s%s\n", lt_number_of(state, "count"),
                 lt_number_of(state, "rate"), lt_json_text(state, "verdict"), lt_json_text(state, "first"),
                 lt_json_text(state, "state"), *lt_json_text(state, "clause") ? "  " : "",
                 lt_json_text(state, "clause"));
    }
    if (cJSON_GetArraySize(states))
        fprintf(out, "  any other state: a rate below %.3g (95 %%)\n",
                lt_number_of(row, "unseen_rate_below"));
}

enum mm_class store_test_results(struct store *s, const char *name, const char *selector, cJSON *rows,
                                 struct mm_error *err)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select test.id, test.name, digest, mapping, observed, device.id, platform, device.name, version, driver, runs, done,"
        " instances, discarded, first, last from test join total on total.test = test.id join device on device.id = device"
        " where test.name = ?1 and (?2 is null or instr(" STORE_DEVICE_TEXT
        ", ?2)) order by device.id, test.id",
        "tt", name, selector);
    while (store_row(s, q))
        cJSON_AddItemToArray(rows, test_json(s, q));
    return store_check(s, err);
}

/* Prints results of a test, or times of a kernel. */
static void print_results(const cJSON *answer, FILE *out)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(answer, "results"))
    {
        if (cJSON_HasObjectItem(row, "kernel"))
            store_print_times(row, out);
        else
            print_test(row, out);
    }
}

enum mm_class store_show(struct store *s, const char *name, const struct store_query *query,
                         struct mm_error *err)
{
    const char *selector = query->selector;
    cJSON *root = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(root, "results");
    enum mm_class cls = store_test_results(s, name, selector, rows, err);
    if (cls == MM_OK && !cJSON_GetArraySize(rows)) {
        store_benchmark_times(s, name, selector, rows);
        cls = store_check(s, err);
    }
    if (cls == MM_OK && !cJSON_GetArraySize(rows))
        cls = mm_fail(err, MM_INVALID, "store.test", "no result of a test or kernel named '%s'%s%s", name,
                      selector ? " on a device that matches " : "", selector ? selector : "");
    return store_answer(query, root, cls, print_results, err);
}
