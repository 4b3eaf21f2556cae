/* Compares two sides of a store: runs, or devices and drivers with the sums of their runs.
 *
 * Tests are the same if name, text and mapping are; a test whose text changed between two versions of a suite
 * is two tests. */
#include "tools/store/query.h"

#include "litmus/files.h"
#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include <stdlib.h>
#include <string.h>

/* Temporary tables: the tests that each side ran, and the states that it showed.  If one of the devices has
 * no chains (STORE_CHAINS), the model without chains judges. */
static const char sides[] =
    "create temp table if not exists ran(side integer, test integer, instances integer, variant text,"
    " primary key(side, test)) without rowid;"
    "create temp table if not exists showed(side integer, state integer, count integer,"
    " primary key(side, state)) without rowid;"
    "delete from ran; delete from showed";

struct side {
    char text[512]; /* the side's description */
    int64_t run;    /* 0: the devices that match SELECTOR */
    const char *selector;
    int64_t device; /* of store_regressions; 0: by selector */
};

/* ---- filling a side ---- */

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 18;
}

static void add_run(struct store *s, int64_t number, int64_t run)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select test, instances, counts, variant from run join device on device.id = device"
        " cross join test cross join result on test = test.id and run = run.id where run.id = ? and " STORE_RAN(
            "status = 'done'"),
        "i", run);
    while (store_row(s, q)) {
        int64_t test = sqlite3_column_int64(q, 0);
        const unsigned char *blob = sqlite3_column_blob(q, 2);
        size_t size = (size_t)sqlite3_column_bytes(q, 2);
        struct store_count pair;
        store_execute(s, "insert into ran values(?, ?, ?, ?)", "iiit", number, test,
                      sqlite3_column_int64(q, 1), store_text(q, 3));
        for (size_t at = 0; store_decode(blob, size, &at, &pair);)
            store_execute(s,
                          "insert into showed select ?1, id, ?4 from state where test = ?2 and number = ?3",
                          "iiii", number, test, (int64_t)pair.state, (int64_t)pair.count);
    }
}

static void add_devices(struct store *s, int64_t number, const struct side *side)
{
    store_execute(
        s,
        "insert into ran select ?1, test, sum(instances), min(variant) from device cross join total on device = device.id"
        " where " STORE_RAN("done") " and (device.id = ?3 or instr(" STORE_DEVICE_TEXT ", ?2)) group by test",
        "iti", number, side->selector, side->device);
    store_execute(
        s,
        "insert into showed select ?1, state, sum(count) from device cross join seen on device = device.id"
        " where device.id = ?3 or instr(" STORE_DEVICE_TEXT ", ?2) group by state",
        "iti", number, side->selector, side->device);
}

static enum mm_class find_side(struct store *s, const char *word, struct side *side, struct mm_error *err)
{
    sqlite3_stmt *q;
    size_t found = 0;
    if (is_number(word)) {
        side->run = strtoll(word, NULL, 10);
        q = store_statement(
            s,
            "select platform, name, version, driver from run join device on device = device.id where run.id = ?",
            "i", side->run);
    } else {
        side->selector = word;
        q = store_statement(
            s, "select platform, name, version, driver from device where instr(" STORE_DEVICE_TEXT ", ?)",
            "t", word);
    }
    for (; store_row(s, q); found++)
        store_device_text(q, 0, side->text, sizeof side->text);
    if (store_check(s, err) != MM_OK)
        return err->cls;
    if (!found)
        return mm_fail(err, MM_INVALID, "store.selector", "no %s in the store",
                       side->run ? "run of that number" : "device or driver that matches");
    if (found > 1)
        snprintf(side->text, sizeof side->text, "%zu devices and drivers that match '%s'", found, word);
    return MM_OK;
}

static enum mm_class fill_sides(struct store *s, const struct side *a, const struct side *b,
                                struct mm_error *err)
{
    const struct side *both[] = {a, b};
    enum mm_class cls = store_begin(s, err);
    if (cls == MM_OK && sqlite3_exec(s->db, sides, NULL, NULL, NULL) != SQLITE_OK)
        cls = mm_fail(err, MM_LIMIT, "store.temporary", "%s", sqlite3_errmsg(s->db));
    for (int64_t i = 0; i < 2 && cls == MM_OK; i++) {
        if (both[i]->run)
            add_run(s, i, both[i]->run);
        else
            add_devices(s, i, both[i]);
        cls = store_fill_times(s, i, both[i]->run, both[i]->device, both[i]->selector, err);
    }
    return store_end(s, cls, err);
}

/* ---- differences ---- */

/* States that side ?1 shows and the other, which ran the test, does not. */
static const char shown_by_one[] =
    "select test.name, mapping, observed, vals, mine.count, here.instances, there.instances, verdict, clause"
    " from showed mine join state on state.id = mine.state join test on test.id = state.test"
    " join ran here on here.side = ?1 and here.test = test.id join ran there on there.side = 1 - ?1 and there.test = test.id"
    " left join verdict on verdict.state = state.id and model = " STORE_MODEL_OF(
        "here.variant") " where mine.side = ?1 and not exists (select 1 from showed where side = 1 - ?1 and state = mine.state)"
                        " order by test.name, state.number";

static void add_shown(struct store *s, int64_t side, cJSON *rows)
{
    sqlite3_stmt *q = store_statement(s, shown_by_one, "i", side);
    while (store_row(s, q)) {
        char state[512];
        cJSON *row = cJSON_CreateObject();
        struct lt_rate rate =
            lt_rate_of((uint64_t)sqlite3_column_int64(q, 4), (uint64_t)sqlite3_column_int64(q, 5));
        store_state_text(store_text(q, 2), store_text(q, 3), state, sizeof state);
        cJSON_AddStringToObject(row, "test", store_text(q, 0));
        cJSON_AddStringToObject(row, "mapping", store_text(q, 1));
        cJSON_AddStringToObject(row, "state", state);
        cJSON_AddStringToObject(row, "shown_by", side ? "B" : "A");
        cJSON_AddNumberToObject(row, "count", sqlite3_column_double(q, 4));
        cJSON_AddNumberToObject(row, "instances", sqlite3_column_double(q, 5));
        cJSON_AddNumberToObject(row, "rate", rate.rate);
        cJSON_AddNumberToObject(row, "other_instances", sqlite3_column_double(q, 6));
        cJSON_AddNumberToObject(row, "other_rate_below", store_rate_below(sqlite3_column_double(q, 6)));
        cJSON_AddBoolToObject(row, "differs", rate.low > store_rate_below(sqlite3_column_double(q, 6)));
        store_add_verdict(row, store_text(q, 7), store_text(q, 8));
        cJSON_AddItemToArray(rows, row);
    }
}

/* Adds the states that both sides show at rates whose 95 % intervals are disjoint. */
static void add_rates(struct store *s, cJSON *rows)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select test.name, mapping, observed, vals, a.count, here.instances, b.count, there.instances"
        " from showed a join showed b on b.side = 1 and b.state = a.state join state on state.id = a.state"
        " join test on test.id = state.test join ran here on here.side = 0 and here.test = test.id"
        " join ran there on there.side = 1 and there.test = test.id where a.side = 0 order by test.name, state.number",
        "");
    while (store_row(s, q)) {
        char state[512];
        struct lt_rate a = lt_rate_of((uint64_t)sqlite3_column_int64(q, 4),
                                      (uint64_t)sqlite3_column_int64(q, 5)),
                       b = lt_rate_of((uint64_t)sqlite3_column_int64(q, 6),
                                      (uint64_t)sqlite3_column_int64(q, 7));
        if (a.low <= b.high && b.low <= a.high)
            continue;
        cJSON *row = cJSON_CreateObject();
        store_state_text(store_text(q, 2), store_text(q, 3), state, sizeof state);
        cJSON_AddStringToObject(row, "test", store_text(q, 0));
        cJSON_AddStringToObject(row, "mapping", store_text(q, 1));
        cJSON_AddStringToObject(row, "state", state);
        cJSON_AddNumberToObject(row, "rate_a", a.rate);
        cJSON_AddNumberToObject(row, "rate_b", b.rate);
        cJSON_AddItemToArray(rows, row);
    }
}

/* Adds the names of the tests that SIDE alone ran. */
static void add_lost(struct store *s, int64_t side, cJSON *names)
{
    sqlite3_stmt *q =
        store_statement(s,
                        "select name from ran join test on test.id = test where side = ?1 and not exists"
                        " (select 1 from ran r where r.side = 1 - ?1 and r.test = ran.test) order by name",
                        "i", side);
    while (store_row(s, q))
        cJSON_AddItemToArray(names, cJSON_CreateString(store_text(q, 0)));
}

static void print_shown(const cJSON *rows, FILE *out)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        mm_print(out, "%s: ", lt_json_text(row, "shown_by"));
        store_print_name(row, out);
        mm_print(out, ": %s, rate %.3g; the other: none of %.3g, a rate below %.3g%s; %s\n",
                 lt_json_text(row, "state"), lt_number_of(row, "rate"), lt_number_of(row, "other_instances"),
                 lt_number_of(row, "other_rate_below"),
                 cJSON_IsTrue(cJSON_GetObjectItem(row, "differs")) ? "" : ", which may be the same",
                 lt_json_text(row, "verdict"));
    }
}

static void print_rates(const cJSON *rows, FILE *out)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        fputs("A and B: ", out);
        store_print_name(row, out);
        mm_print(out, ": %s, rates %.3g and %.3g\n", lt_json_text(row, "state"), lt_number_of(row, "rate_a"),
                 lt_number_of(row, "rate_b"));
    }
}

/* "Tests that only A ran: N: a, b, c, ..." */
static void print_names(const char *label, const cJSON *names, FILE *out)
{
    enum { SHOWN = 8 };
    int count = cJSON_GetArraySize(names);
    if (!count)
        return;
    fprintf(out, "%s: %d:", label, count);
    for (int i = 0; i < count && i < SHOWN; i++)
        mm_print(out, "%s %s", i ? "," : "", cJSON_GetStringValue(cJSON_GetArrayItem(names, i)));
    fprintf(out, "%s\n", count > SHOWN ? ", ..." : "");
}

/* Adds the states, the rates, the times and the tests in which the sides differ. */
static void add_differences(struct store *s, cJSON *to)
{
    int64_t common = store_number(
        s, "select count(*) from ran x join ran y on x.test = y.test where x.side = 0 and y.side = 1", "");
    cJSON_AddNumberToObject(to, "common_tests", (double)common);
    cJSON *shown = cJSON_AddArrayToObject(to, "states"), *only_a = cJSON_AddArrayToObject(to, "only_a"),
          *only_b = cJSON_AddArrayToObject(to, "only_b");
    add_shown(s, 0, shown);
    add_shown(s, 1, shown);
    add_rates(s, cJSON_AddArrayToObject(to, "rates"));
    store_add_times(s, false, cJSON_AddArrayToObject(to, "times"));
    add_lost(s, 0, only_a);
    add_lost(s, 1, only_b);
}

static void print_differences(const cJSON *from, FILE *out)
{
    const cJSON *shown = cJSON_GetObjectItem(from, "states"), *rates = cJSON_GetObjectItem(from, "rates");
    print_shown(shown, out);
    print_rates(rates, out);
    store_print_ratios(cJSON_GetObjectItem(from, "times"), out);
    print_names("tests that only A ran", cJSON_GetObjectItem(from, "only_a"), out);
    print_names("tests that only B ran", cJSON_GetObjectItem(from, "only_b"), out);
    fprintf(out, "%d states that one side alone shows, %d at other rates, in %.0f common tests\n",
            cJSON_GetArraySize(shown), cJSON_GetArraySize(rates), lt_number_of(from, "common_tests"));
}

static void print_comparison(const cJSON *answer, FILE *out)
{
    mm_print(out, "A: %s\nB: %s\n", lt_json_text(answer, "a"), lt_json_text(answer, "b"));
    print_differences(answer, out);
}

enum mm_class store_compare(struct store *s, const char *a, const char *b, const struct store_query *query,
                            struct mm_error *err)
{
    struct side left = {0}, right = {0};
    enum mm_class cls = find_side(s, a, &left, err);
    if (cls == MM_OK)
        cls = find_side(s, b, &right, err);
    if (cls == MM_OK)
        cls = fill_sides(s, &left, &right, err);
    if (cls != MM_OK)
        return cls;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "a", left.text);
    cJSON_AddStringToObject(root, "b", right.text);
    add_differences(s, root);
    return store_answer(query, root, store_check(s, err), print_comparison, err);
}

/* ---- regressions ---- */

struct pair {
    int64_t older, newer;
    char older_text[512], newer_text[512];
};

/* Steps to the next pair of successive drivers of one device, ordered by the day of their first run. */
static bool next_pair(struct store *s, sqlite3_stmt *q, struct pair *p, char *name, size_t size)
{
    while (store_row(s, q)) {
        char here[256], text[512];
        snprintf(here, sizeof here, "%s, %s", store_text(q, 1), store_text(q, 2));
        store_device_text(q, 1, text, sizeof text);
        bool same = strcmp(here, name) == 0;
        snprintf(name, size, "%s", here);
        p->older = p->newer;
        memcpy(p->older_text, p->newer_text, sizeof p->older_text);
        p->newer = sqlite3_column_int64(q, 0);
        snprintf(p->newer_text, sizeof p->newer_text, "%s", text);
        if (same)
            return true;
    }
    return false;
}

static void keep_forbidden(cJSON *rows)
{
    for (int i = cJSON_GetArraySize(rows); i-- > 0;) {
        const char *verdict = lt_json_text(cJSON_GetArrayItem(rows, i), "verdict");
        if (strcmp(verdict, "forbidden") != 0)
            cJSON_DeleteItemFromArray(rows, i);
    }
}

/* Compares the drivers of P: all differences if ALL, otherwise the regressions. */
static enum mm_class add_update(struct store *s, const struct pair *p, bool all, cJSON *updates,
                                struct mm_error *err)
{
    struct side older = {.device = p->older}, newer = {.device = p->newer};
    enum mm_class cls = fill_sides(s, &older, &newer, err);
    if (cls != MM_OK)
        return cls;
    cJSON *update = cJSON_CreateObject();
    cJSON_AddStringToObject(update, "from", p->older_text);
    cJSON_AddStringToObject(update, "to", p->newer_text);
    cJSON_AddItemToArray(updates, update);
    if (all) {
        add_differences(s, update);
        return store_check(s, err);
    }
    cJSON *forbidden = cJSON_AddArrayToObject(update, "forbidden"),
          *lost = cJSON_AddArrayToObject(update, "lost"), *slower = cJSON_AddArrayToObject(update, "slower");
    add_shown(s, 1, forbidden);
    cJSON_AddNumberToObject(update, "new_states", cJSON_GetArraySize(forbidden));
    keep_forbidden(forbidden);
    add_lost(s, 0, lost);
    store_add_times(s, true, slower);
    return store_check(s, err);
}

/* Adds the comparisons of successive drivers to UPDATES. */
static enum mm_class add_updates(struct store *s, const char *selector, bool all, cJSON *updates,
                                 struct mm_error *err)
{
    struct pair p = {0};
    char name[256] = "";
    enum mm_class cls = MM_OK;
    sqlite3_stmt *q = store_statement(
        s,
        "select device.id, platform, device.name, version, driver, min(date) first from device join run on run.device = device.id"
        " where ?1 is null or instr(" STORE_DEVICE_TEXT
        ", ?1) group by device.id order by platform, device.name, first, device.id",
        "t", selector);
    while (cls == MM_OK && next_pair(s, q, &p, name, sizeof name))
        cls = add_update(s, &p, all, updates, err);
    return cls == MM_OK ? store_check(s, err) : cls;
}

static size_t count_regressions(const cJSON *updates)
{
    const cJSON *update;
    int count = 0;
    cJSON_ArrayForEach(update, updates)
    {
        count += cJSON_GetArraySize(cJSON_GetObjectItem(update, "forbidden")) +
                 cJSON_GetArraySize(cJSON_GetObjectItem(update, "lost")) +
                 cJSON_GetArraySize(cJSON_GetObjectItem(update, "slower"));
    }
    return (size_t)count;
}

static void print_drivers(const cJSON *update, FILE *out)
{
    mm_print(out, "A: %s\nB: %s\n", lt_json_text(update, "from"), lt_json_text(update, "to"));
}

static void print_updates(const cJSON *answer, FILE *out)
{
    const cJSON *update, *updates = cJSON_GetObjectItem(answer, "updates");
    cJSON_ArrayForEach(update, updates)
    {
        print_drivers(update, out);
        print_differences(update, out);
    }
    fprintf(out, "%d updates of drivers\n", cJSON_GetArraySize(updates));
}

static void print_regressions(const cJSON *answer, FILE *out)
{
    const cJSON *update, *updates = cJSON_GetObjectItem(answer, "updates");
    cJSON_ArrayForEach(update, updates)
    {
        print_drivers(update, out);
        print_shown(cJSON_GetObjectItem(update, "forbidden"), out);
        print_names("tests that only A ran", cJSON_GetObjectItem(update, "lost"), out);
        store_print_ratios(cJSON_GetObjectItem(update, "slower"), out);
        fprintf(out, "%.0f states that A did not show\n", lt_number_of(update, "new_states"));
    }
    fprintf(out, "%d updates of drivers; %zu findings\n", cJSON_GetArraySize(updates),
            count_regressions(updates));
}

enum mm_class store_regressions(struct store *s, const struct store_query *query, size_t *found,
                                struct mm_error *err)
{
    cJSON *root = cJSON_CreateObject(), *updates = cJSON_AddArrayToObject(root, "updates");
    enum mm_class cls = add_updates(s, query->selector, false, updates, err);
    *found = count_regressions(updates);
    return store_answer(query, root, cls, print_regressions, err);
}

enum mm_class store_updates(struct store *s, const struct store_query *query, struct mm_error *err)
{
    cJSON *root = cJSON_CreateObject(), *updates = cJSON_AddArrayToObject(root, "updates");
    enum mm_class cls = add_updates(s, query->selector, true, updates, err);
    return store_answer(query, root, cls, print_updates, err);
}
