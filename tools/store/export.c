/* The sums of a store by device, as JSON, for `refcl results site` and other programs. */
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

/* Writes an array of the rows of SQL, one at a time: a store is larger than what a tree of JSON should
 * hold. */
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

/* The models whose verdicts are shown. */
#define SHOWN_MODELS "join model on model.id = model and model.id = " STORE_MODEL_OF("model.variant")

static const struct {
    const char *label, *sql, *names[8];
} arrays[] = {
    {"devices",
     "select id, interface, platform, name, version, driver, variant from device order by id",
     {"id", "interface", "platform", "name", "version", "driver", "variant"}},
    {"tests",
     "select id, interface, name, digest, mapping, file, observed from test order by id",
     {"id", "interface", "name", "digest", "mapping", "file", "observed"}},
    {"states", "select id, test, vals, asked from state order by id", {"id", "test", "values", "asked"}},
    {"verdicts",
     "select state, variant, verdict, clause, sha256, switches from verdict " SHOWN_MODELS
     " order by state, variant",
     {"state", "variant", "verdict", "clause", "model", "switches"}},
    {"asked",
     "select test, variant, verdict from asked " SHOWN_MODELS " order by test, variant",
     {"test", "variant", "verdict"}},
    {"totals",
     "select device, test, runs, done, instances, discarded, first, last from total order by device, test",
     {"device", "test", "runs", "done", "instances", "discarded", "first", "last"}},
    {"seen",
     "select device, state, runs, count, first, last from seen order by device, state",
     {"device", "state", "runs", "count", "first", "last"}},
};

enum mm_class store_export(struct store *s, FILE *out, struct mm_error *err)
{
    enum mm_class cls = store_begin(s, err);
    if (cls != MM_OK)
        return cls;
    fputs("{\"format\": \"refcl-results-store\", \"version\": 1", out);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        int count = 0;
        while (count < 8 && arrays[i].names[count])
            count++;
        put_rows(s, arrays[i].label, arrays[i].sql, arrays[i].names, count, out);
    }
    fputs("\n}\n", out);
    return store_end(s, MM_OK, err);
}
