/* Results of a run, and the sums over the runs of each device, which are updated with them: queries about
 * devices read sums instead of millions of results. */
#include "tools/store/store.h"

#include "memmodel/base/memory.h"

#include <string.h>

/* Adds a run's counts of a test's states to the device's sums; SIGN -1 subtracts them. */
static void add_counts(struct store *s, const struct store_result *r, int64_t sign)
{
    struct store_count pair;
    for (size_t at = 0; store_decode(r->blob, r->size, &at, &pair);) {
        int64_t state = store_number(s, "select id from state where test = ? and number = ?", "ii", r->test,
                                     (int64_t)pair.state);
        store_execute(
            s,
            "insert into seen(device, state, runs, count, first, last) values(?1, ?2, ?3, ?3 * ?4, ?5, ?5)"
            " on conflict do update set runs = runs + ?3, count = count + ?3 * ?4, first = min(first, ?5),"
            " last = max(last, ?5)",
            "iiiit", r->device, state, sign, (int64_t)pair.count, r->date);
        if (sign < 0)
            store_execute(s, "delete from seen where device = ? and state = ? and runs = 0", "ii", r->device,
                          state);
    }
}

static void add_total(struct store *s, const struct store_result *r, int64_t sign)
{
    store_execute(
        s,
        "insert into total(device, test, runs, done, instances, discarded, first, last)"
        " values(?1, ?2, ?3, ?3 * ?4, ?3 * ?5, ?3 * ?6, ?7, ?7)"
        " on conflict do update set runs = runs + ?3, done = done + ?3 * ?4, instances = instances + ?3 * ?5,"
        " discarded = discarded + ?3 * ?6, first = min(first, ?7), last = max(last, ?7)",
        "iiiiiit", r->device, r->test, sign, (int64_t)(strcmp(r->status, "done") == 0), r->instances,
        r->discarded, r->date);
    if (sign < 0)
        store_execute(s, "delete from total where device = ? and test = ? and runs = 0", "ii", r->device,
                      r->test);
    add_counts(s, r, sign);
}

static int64_t reason_row(struct store *s, const char *text)
{
    store_execute(s, "insert or ignore into reason(text) values(?)", "t", text);
    return store_number(s, "select id from reason where text = ?", "t", text);
}

static void insert_result(struct store *s, const struct store_result *r)
{
    int64_t reason = *r->reason ? reason_row(s, r->reason) : 0;
    store_execute(s, "insert into result values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "iitiiiidib", r->test, r->run,
                  r->status, reason, r->instances, r->discarded, r->batches, r->time_ms,
                  (int64_t)r->stationary, (const void *)r->blob, (int)r->size);
    add_total(s, r, 1);
}

/* Adds the counts in BLOB to the PAIRS counts in SUM, which has room for more; returns the new number of
 * states. */
static size_t sum_counts(struct store_count *sum, size_t pairs, const unsigned char *blob, size_t size)
{
    struct store_count pair;
    for (size_t at = 0; store_decode(blob, size, &at, &pair);) {
        size_t i = 0;
        while (i < pairs && sum[i].state != pair.state)
            i++;
        if (i == pairs)
            sum[pairs++] = (struct store_count){.state = pair.state};
        sum[i].count += pair.count;
    }
    return pairs;
}

/* Replaces Q, the row of the same test and run, by its sum with R: done if one of both is. */
static enum mm_class add_to_row(struct store *s, const struct store_result *r, sqlite3_stmt *q,
                                struct mm_error *err)
{
    struct store_result old = {.test = r->test,
                               .run = r->run,
                               .device = r->device,
                               .date = r->date,
                               .status = store_text(q, 0),
                               .instances = sqlite3_column_int64(q, 1),
                               .discarded = sqlite3_column_int64(q, 2),
                               .blob = sqlite3_column_blob(q, 3),
                               .size = (size_t)sqlite3_column_bytes(q, 3)},
                        sum = *r;
    size_t most = (old.size + r->size) / 2; /* a pair has two bytes at least */
    struct store_count *counts = mm_alloc_zero(most + 1, sizeof *counts);
    unsigned char *blob = mm_alloc((most + 1) * STORE_PAIR);
    if (counts && blob) {
        if (strcmp(old.status, "done") == 0) {
            sum.status = old.status;
            sum.reason = "";
        }
        size_t pairs = sum_counts(counts, 0, old.blob, old.size);
        pairs = sum_counts(counts, pairs, r->blob, r->size);
        sum.blob = blob;
        for (size_t i = sum.size = 0; i < pairs; i++)
            sum.size = store_encode(blob, sum.size, counts[i]);
        sum.instances += old.instances;
        sum.discarded += old.discarded;
        sum.batches += sqlite3_column_int64(q, 4);
        sum.time_ms += sqlite3_column_double(q, 5);
        sum.stationary &= sqlite3_column_int(q, 6) != 0;
        add_total(s, &old, -1);
        store_execute(s, "delete from result where test = ? and run = ?", "ii", r->test, r->run);
        insert_result(s, &sum);
    }
    enum mm_class cls = counts && blob ? MM_OK : mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    mm_free(counts);
    mm_free(blob);
    return cls;
}

enum mm_class store_put_result(struct store *s, const struct store_result *r, struct mm_error *err)
{
    enum mm_class cls = MM_OK;
    sqlite3_stmt *q = store_statement(
        s,
        "select status, instances, discarded, counts, batches, time_ms, stationary from result where test = ? and run = ?",
        "ii", r->test, r->run);
    if (store_row(s, q)) {
        cls = add_to_row(s, r, q, err);
        sqlite3_reset(q);
    } else {
        insert_result(s, r);
    }
    return cls;
}

/* Removes a run from the sums.  First and last days stay: the state that replaces it has at least the same
 * states. */
void store_remove_run(struct store *s, int64_t run)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select test, device, status, instances, discarded, date, counts"
        " from run cross join test cross join result on test = test.id and run = run.id where run.id = ?",
        "i", run);
    while (store_row(s, q)) {
        struct store_result r = {.test = sqlite3_column_int64(q, 0),
                                 .device = sqlite3_column_int64(q, 1),
                                 .status = store_text(q, 2),
                                 .instances = sqlite3_column_int64(q, 3),
                                 .discarded = sqlite3_column_int64(q, 4),
                                 .date = store_text(q, 5),
                                 .blob = sqlite3_column_blob(q, 6),
                                 .size = (size_t)sqlite3_column_bytes(q, 6)};
        add_total(s, &r, -1);
    }
    store_execute(s, "delete from result where run = ?1 and test in (select id from test)", "i", run);
    store_execute(s, "delete from part where run = ?", "i", run);
    store_execute(s, "delete from run where id = ?", "i", run);
}
