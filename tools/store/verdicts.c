/* Verdicts of the store's states.  A verdict depends on test, state and model alone, so that each is decided
 * once, however many campaigns show the state. */
#include "tools/store/query.h"

#include "litmus/judge/judge.h"

/* The states of one test that have no verdict yet. */
enum { MOST_STATES = 256 }; /* judged at once */
struct unjudged {
    int64_t test, states[MOST_STATES];
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
    cJSON_AddItemToObject(state, "values", store_values(values));
    cJSON_AddNumberToObject(state, "count", 1);
    cJSON_AddItemToArray(cJSON_GetObjectItem(row, "states"), state);
    u->states[u->count++] = id;
}

/* Stores the judge's verdicts, which are in the order of the states.  If the judge cannot read or decide the
 * test, the states are stored as unknown, with the judge's message. */
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

/* Collects the next test that has states without a verdict, with as many of them as fit; the next call
 * returns the rest. */
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
    q = store_statement(s, "select id, vals from state where test = ?3 and " UNJUDGED " limit ?4", "tiii",
                        variant, model, u->test, (int64_t)MOST_STATES);
    while (store_row(s, q))
        add_state(u, sqlite3_column_int64(q, 0), store_text(q, 1));
    if (u->count == MOST_STATES)
        u->test--;
    return true;
}

static enum mm_class judge_all(struct store *s, const char *variant, const char *switches,
                               const struct lt_judge_options *options, size_t *judged, struct mm_error *err)
{
    struct unjudged u = {0};
    int64_t model = use_model(s, variant, switches, options->model);
    while (next_unjudged(s, variant, model, &u)) {
        struct lt_judge_report report = {.text = NULL};
        struct mm_error why = {0};
        cJSON *judgement = lt_judge_results(u.results, s->path, options, &report, &why);
        put_verdicts(s, &u, model, judgement, &why);
        *judged += (size_t)u.count;
        cJSON_Delete(judgement);
        cJSON_Delete(u.results);
        if (why.cls == MM_BUG) {
            *err = why;
            return MM_BUG;
        }
        if (s->sql_error != SQLITE_OK)
            break;
    }
    return store_check(s, err);
}

enum mm_class store_judge(struct store *s, const char *variant, const char *switches,
                          const struct lt_judge_options *options, size_t *judged, struct mm_error *err)
{
    *judged = 0;
    enum mm_class cls = store_begin(s, err);
    return cls == MM_OK ? store_end(s, judge_all(s, variant, switches, options, judged, err), err) : cls;
}
