/* Baselines for `refcl gate`: the results of all drivers of a device, as a judgement. */
#include "tools/store/query.h"

#include "litmus/files.h"
#include "memmodel/base/input.h"
#include "memmodel/base/memory.h"

#include <string.h>

static cJSON *read_device(const char *path, struct mm_error *err)
{
    char *text;
    size_t size;
    if (mm_input_read(MM_INPUT_JSON, path, &text, &size, err) != MM_OK)
        return NULL;
    cJSON *json = mm_input_check_json(text, path, err) == MM_OK ? cJSON_Parse(text) : NULL;
    cJSON *device = cJSON_DetachItemFromObject(json, "device");
    if (!cJSON_IsObject(device) && err->cls == MM_OK)
        mm_fail_at(err, MM_INVALID, "litmus.judgement", path, 0, 0, "not a judgement that names its device");
    cJSON_Delete(json);
    mm_free(text);
    return device;
}

static void add_states(struct store *s, int64_t test, const cJSON *device, cJSON *row)
{
    cJSON *states = cJSON_AddArrayToObject(row, "states");
    bool forbidden = false;
    double instances = 0;
    sqlite3_stmt *q = store_statement(
        s,
        "select vals, sum(count), ifnull(verdict, 'unknown') from seen join device on device = device.id"
        " join state on state.id = seen.state left join verdict on verdict.state = state.id and model = " STORE_DEVICE_MODEL
        " where test = ?1 and platform = ?2 and name = ?3 group by state.id",
        "itt", test, lt_json_text(device, "platform"), lt_json_text(device, "name"));
    while (store_row(s, q)) {
        cJSON *state = cJSON_CreateObject();
        cJSON_AddItemToObject(state, "values", store_values(store_text(q, 0)));
        cJSON_AddNumberToObject(state, "count", sqlite3_column_double(q, 1));
        cJSON_AddStringToObject(state, "verdict", store_text(q, 2));
        cJSON_AddItemToArray(states, state);
        forbidden = forbidden || strcmp(store_text(q, 2), "forbidden") == 0;
        instances += sqlite3_column_double(q, 1);
    }
    cJSON_AddStringToObject(row, "verdict", forbidden ? "forbidden" : "allowed");
    cJSON_AddNumberToObject(row, "positive", 0);
    cJSON_AddNumberToObject(row, "negative", instances);
}

static cJSON *baseline_of(struct store *s, const cJSON *device)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", "refcl-litmus-judgement");
    cJSON_AddNumberToObject(json, "version", 1);
    cJSON *tests = cJSON_AddArrayToObject(json, "tests");
    sqlite3_stmt *q = store_statement(
        s,
        "select test.id, test.name from total join device on device = device.id join test on test.id = test"
        " where platform = ? and device.name = ? and done group by test.id order by test.id",
        "tt", lt_json_text(device, "platform"), lt_json_text(device, "name"));
    while (store_row(s, q)) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "name", store_text(q, 1));
        cJSON_AddStringToObject(row, "status", "done");
        add_states(s, sqlite3_column_int64(q, 0), device, row);
        cJSON_AddItemToArray(tests, row);
    }
    return json;
}

enum mm_class store_baseline(struct store *s, const char *judgement, FILE *out, struct mm_error *err)
{
    cJSON *device = read_device(judgement, err);
    if (!device)
        return err->cls;
    cJSON *baseline = baseline_of(s, device);
    bool any = cJSON_GetArraySize(cJSON_GetObjectItem(baseline, "tests")) > 0;
    enum mm_class cls = store_check(s, err);
    if (cls == MM_OK && !any)
        cls = mm_fail(err, MM_INVALID, "store.device", "no test of device '%s' is done in the store",
                      lt_json_text(device, "name"));
    if (cls == MM_OK)
        cls = store_print(baseline, out, err);
    cJSON_Delete(baseline);
    cJSON_Delete(device);
    return cls;
}
