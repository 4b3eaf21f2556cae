/* Verdicts of the store's states.  A verdict depends on test, state and model alone, so that each is decided once,
 * however many campaigns show the state. */
#include "tools/store/query.h"
#include "tools/tool.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The states of one test that have no verdict yet. */
struct unjudged {
    int64_t test, states[256];
    int count;
    cJSON *results; /* the states as results of a campaign that shows each once */
};

static int64_t use_model(struct store *s, const char *variant, const char *switches,
                         const struct mm_cat_model *model)
{
    store_execute(s,
                  "insert into model(variant, path, sha256, switches, used)"
                  " values(?1, ?2, ?3, ?4, 1 + (select ifnull(max(used), 0) from model))"
                  " on conflict do update set used = 1 + (select max(used) from model), path = ?2",
                  "tttt", variant, model->name, model->sha256, switches);
    return store_number(s, "select " STORE_MODEL_OF("?1"), "t", variant);
}

/* ---- one test through the judge ---- */

static cJSON *results_of(sqlite3_stmt *test)
{
    static const char *const zeros[] = {"discarded", "batches", "time_ms"};
    cJSON *results = cJSON_CreateObject(), *row = cJSON_CreateObject();
    cJSON_AddStringToObject(results, "format", "refcl-litmus-results");
    cJSON_AddNumberToObject(results, "version", 1);
    cJSON_AddNumberToObject(results, "seed", 0);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(results, "tests"), row);
    cJSON_AddStringToObject(row, "name", store_text(test, 1));
    cJSON_AddStringToObject(row, "file", store_text(test, 2));
    cJSON_AddStringToObject(row, "source", store_text(test, 3));
    cJSON_AddStringToObject(row, "status", "done");
    cJSON_AddNumberToObject(row, "instances", 1);
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        cJSON_AddNumberToObject(row, zeros[i], 0);
    cJSON_AddItemToObject(row, "observed", cJSON_Parse(store_text(test, 4)));
    cJSON_AddArrayToObject(row, "states");
    return results;
}

static void add_state(struct unjudged *u, int64_t id, const char *values)
{
    cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(u->results, "tests"), 0),
          *state = cJSON_CreateObject();
    cJSON_AddItemToObject(state, "values", cJSON_Parse(values));
    cJSON_AddNumberToObject(state, "count", 1);
    cJSON_AddItemToArray(cJSON_GetObjectItem(row, "states"), state);
    u->states[u->count++] = id;
}

static enum mm_class judge_file(const char *path, const struct lt_judge_options *options, cJSON **judgement,
                                struct mm_error *err)
{
    char *text = NULL;
    size_t size = 0, findings, unknown;
    FILE *json = open_memstream(&text, &size), *log = fopen("/dev/null", "w");
    enum mm_class cls = json && log ? lt_judge(path, options, log, json, &findings, &unknown, err)
                                    : mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    if (log)
        fclose(log);
    if (json && fclose(json) != 0 && cls == MM_OK)
        cls = mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    *judgement = cls == MM_OK ? cJSON_Parse(text) : NULL;
    free(text);
    return cls;
}

static enum mm_class judge_unjudged(const struct unjudged *u, const char *path,
                                    const struct lt_judge_options *options, cJSON **judgement,
                                    struct mm_error *err)
{
    char *text = cJSON_PrintUnformatted(u->results);
    FILE *out = text ? fopen(path, "w") : NULL;
    bool ok = out && fputs(text, out) != EOF;
    if (out)
        ok = fclose(out) == 0 && ok;
    cJSON_free(text);
    if (!ok)
        return mm_fail_at(err, MM_LIMIT, "store.temporary", path, 0, 0, "cannot write");
    return judge_file(path, options, judgement, err);
}

/* Stores the judge's verdicts, which are in the order of the states.  If the judge cannot read or decide the test,
 * the states are stored as unknown, with the judge's message. */
static void put_verdicts(struct store *s, const struct unjudged *u, int64_t model, const cJSON *judgement,
                         const struct mm_error *why)
{
    const cJSON *test = cJSON_GetArrayItem(cJSON_GetObjectItem(judgement, "tests"), 0),
                *states = cJSON_GetObjectItem(test, "states"), *asked = cJSON_GetObjectItem(test, "asked");
    store_execute(s, "insert or replace into asked values(?, ?, ?)", "iit", u->test, model,
                  cJSON_IsString(asked) ? asked->valuestring : "unknown");
    for (int i = 0; i < u->count; i++) {
        const cJSON *state = cJSON_GetArrayItem(states, i), *verdict = cJSON_GetObjectItem(state, "verdict"),
                    *violation = cJSON_GetArrayItem(cJSON_GetObjectItem(state, "violations"), 0),
                    *clause = cJSON_GetObjectItem(violation, "clause");
        store_execute(s, "insert or replace into verdict values(?, ?, ?, ?)", "iitt", u->states[i], model,
                      cJSON_IsString(verdict) ? verdict->valuestring : "unknown",
                      cJSON_IsString(clause) ? clause->valuestring
                      : judgement            ? ""
                                             : why->message);
        store_execute(s, "update state set asked = ? where id = ? and asked <> ?1", "ii",
                      (int64_t)cJSON_IsTrue(cJSON_GetObjectItem(state, "asked")), u->states[i]);
    }
}

/* ---- all tests ---- */

/* SQL condition: a device of variant ?1 showed the state, and model ?2 has not judged the state. */
#define UNJUDGED                                                                                             \
    "not exists (select 1 from verdict where state = state.id and model = ?2) and exists"                    \
    " (select 1 from seen join device on device = device.id where state = state.id and variant = ?1)"

/* Collects the next test that has states without a verdict, with as many of them as fit; the next call returns the rest. */
static bool next_unjudged(struct store *s, const char *variant, int64_t model, struct unjudged *u)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select test.id, name, file, source, observed from test where source is not null and exists"
        " (select 1 from state where test = test.id and " UNJUDGED
        ") and test.id > ?3 order by test.id limit 1",
        "tii", variant, model, u->test);
    if (!store_row(s, q))
        return false;
    u->test = sqlite3_column_int64(q, 0);
    u->count = 0;
    u->results = results_of(q);
    sqlite3_reset(q);
    q = store_statement(s, "select id, vals from state where test = ?3 and " UNJUDGED " limit 256", "tii",
                        variant, model, u->test);
    while (store_row(s, q))
        add_state(u, sqlite3_column_int64(q, 0), store_text(q, 1));
    if (u->count == 256)
        u->test--;
    return true;
}

static enum mm_class judge_all(struct store *s, const char *variant, const char *switches,
                               const struct lt_judge_options *options, const char *path, size_t *judged,
                               struct mm_error *err)
{
    struct unjudged u = {0};
    int64_t model = use_model(s, variant, switches, options->model);
    while (next_unjudged(s, variant, model, &u)) {
        cJSON *judgement = NULL;
        struct mm_error why = {0};
        enum mm_class cls = judge_unjudged(&u, path, options, &judgement, &why);
        put_verdicts(s, &u, model, judgement, &why);
        *judged += (size_t)u.count;
        cJSON_Delete(judgement);
        cJSON_Delete(u.results);
        if (cls == MM_BUG || s->sql_error != SQLITE_OK) {
            *err = why;
            return cls;
        }
    }
    return MM_OK;
}

enum mm_class store_judge(struct store *s, const char *variant, const char *switches,
                          const struct lt_judge_options *options, size_t *judged, struct mm_error *err)
{
    char folder[PATH_MAX - 16], path[PATH_MAX];
    *judged = 0;
    if (tool_make_folder(folder, sizeof folder))
        return mm_fail(err, MM_LIMIT, "store.temporary", "no temporary folder");
    snprintf(path, sizeof path, "%s/states.json", folder);
    enum mm_class cls = store_begin(s, err);
    if (cls == MM_OK)
        cls = store_end(s, judge_all(s, variant, switches, options, path, judged, err), err);
    tool_remove_folder(folder);
    return cls;
}
