/* The sums of a store by device, as JSON: what `refcl results site` and other programs read. */
#include "tools/store/query.h"

#include "memmodel/base/escape.h"

#include <string.h>

static cJSON *text_columns(sqlite3_stmt *q, const char *const *names, int count)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < count; i++) {
        if (sqlite3_column_type(q, i) == SQLITE_TEXT)
            cJSON_AddStringToObject(object, names[i], store_text(q, i));
        else
            cJSON_AddNumberToObject(object, names[i], sqlite3_column_double(q, i));
    }
    return object;
}

/* Writes an array of the rows of SQL, one at a time: a store is larger than what a tree of JSON should hold. */
static void put_rows(struct store *s, const char *label, const char *sql, const char *const *names, int count,
                     FILE *out)
{
    sqlite3_stmt *q = store_statement(s, sql, "");
    const char *separator = "";
    fprintf(out, ",\n\"%s\": [", label);
    while (store_row(s, q)) {
        cJSON *row = text_columns(q, names, count);
        char *text = cJSON_PrintUnformatted(row);
        fprintf(out, "%s\n", separator);
        mm_put_json(text ? text : "{}", false, out);
        separator = ",";
        cJSON_free(text);
        cJSON_Delete(row);
    }
    fputs("]", out);
}

enum mm_class store_export(struct store *s, FILE *out, struct mm_error *err)
{
    static const char *const devices[] = {"id", "interface", "platform", "name", "version", "driver"},
                             *const tests[] = {"id",      "interface", "name",    "digest",
                                               "mapping", "file",      "observed"},
                             *const states[] = {"id", "test", "values", "verdict", "clause", "model"},
                             *const totals[] = {"device",    "test",      "runs",  "done",
                                                "instances", "discarded", "first", "last"},
                             *const seen[] = {"device", "state", "runs", "count", "first", "last"};
    enum mm_class cls = store_begin(s, err);
    if (cls != MM_OK)
        return cls;
    fputs("{\"format\": \"refcl-results-store\", \"version\": 1", out);
    put_rows(s, "devices", "select id, interface, platform, name, version, driver from device order by id",
             devices, 6, out);
    put_rows(s, "tests", "select id, interface, name, digest, mapping, file, observed from test order by id",
             tests, 7, out);
    put_rows(
        s, "states",
        "select state.id, test, vals, ifnull(verdict, 'unjudged'), ifnull(clause, ''), ifnull(sha256, '')"
        " from state join test on test.id = test left join model on model.id = (select id from model m where"
        " m.interface = test.interface order by used desc limit 1) left join verdict on verdict.state = state.id and"
        " verdict.model = model.id order by state.id",
        states, 6, out);
    put_rows(
        s, "totals",
        "select device, test, runs, done, instances, discarded, first, last from total order by device, test",
        totals, 8, out);
    put_rows(s, "seen", "select device, state, runs, count, first, last from seen order by device, state",
             seen, 6, out);
    fputs("\n}\n", out);
    return store_end(s, MM_OK, err);
}
