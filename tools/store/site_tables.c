/* Temporary tables that the pages of a site read.  Each is filled once; queries of each page over the store's
 * own tables would read the same results for every driver, family and test. */
#include "tools/store/site.h"

#include <string.h>

/* The SQL function family(file): the name of the folder that a test's file is in, "" if there is none. */
static void family_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *file = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    file = file ? file : "";
    const char *slash = strrchr(file, '/'), *end = slash ? slash : file, *name = end;
    while (name > file && name[-1] != '/')
        name--;
    sqlite3_result_text(context, name, (int)(end - name), SQLITE_TRANSIENT);
}

/* clang-format off */
/* For each test on a device the worst verdict of its states, "not run" if the device did not run it
 * (STORE_RAN). */
static const char worst[] =
    "create temp table if not exists worst(device integer, test integer, family text, verdict text, never integer,"
    " primary key(device, test)) without rowid;"
    "delete from worst;"
    "insert into worst select device.id, test.id, family(file), case"
    "  when not " STORE_RAN("done") " then 'not run'"
    "  when not exists (select 1 from " STORE_SHOWN ") then 'not observed'"
    "  else (select case max(case ifnull((select verdict from verdict where state = state.id and model = " STORE_DEVICE_MODEL "), 'unjudged')"
    "      when 'forbidden' then 4 when 'racy' then 3 when 'unknown' then 2 when 'unjudged' then 1 else 0 end)"
    "    when 4 then 'forbidden' when 3 then 'racy' when 2 then 'unknown' when 1 then 'unjudged' else 'allowed' end"
    "    from " STORE_SHOWN ") end,"
    " " STORE_RAN("done") " and exists (select 1 from asked where test = test.id and verdict = 'allowed' and model = " STORE_DEVICE_MODEL ")"
    "   and not exists (select 1 from " STORE_SHOWN " and asked)"
    " from total join test on test.id = total.test join device on device.id = total.device";
/* clang-format on */

/* For each test that did not run the reason of the last run that had the test. */
static const char skipped[] =
    "create temp table if not exists skipped(device integer, family text, why text);"
    "delete from skipped;"
    "insert into skipped select device, family, ifnull((select status || ': ' || ifnull(text, '') from run cross join result"
    "  on result.test = worst.test and result.run = run.id left join reason on reason.id = reason where run.device = worst.device"
    "  order by run.date desc, run.id desc limit 1), '?') from worst where verdict = 'not run';"
    "create index if not exists temp.skipped_family on skipped(device, family);";

/* The last runs of each device, the last one first, with their sums. */
static const char recent[] =
    "create temp table if not exists recent(run integer primary key, device integer, place integer, done integer, instances integer);"
    "create index if not exists temp.recent_device on recent(device, place);"
    "delete from recent;"
    "insert into recent select id, device, place, 0, 0 from (select id, device, row_number() over"
    "  (partition by device order by date desc, id desc) place from run) where place <= 50;"
    "update recent set done = sums.done, instances = sums.instances from (select r.run, sum(status = 'done') done,"
    "  sum(result.instances) instances from test cross join recent r cross join result on result.test = test.id and result.run = r.run"
    "  group by r.run) sums where sums.run = recent.run;";

enum mm_class site_fill_tables(struct store *s, struct mm_error *err)
{
    static const char *const tables[] = {worst, skipped, recent};
    int result = sqlite3_create_function(s->db, "family", 1, SQLITE_UTF8, NULL, family_function, NULL, NULL);
    for (size_t i = 0; result == SQLITE_OK && i < sizeof tables / sizeof *tables; i++)
        result = sqlite3_exec(s->db, tables[i], NULL, NULL, NULL);
    return result == SQLITE_OK ? MM_OK
                               : mm_fail(err, MM_LIMIT, "store.temporary", "%s", sqlite3_errmsg(s->db));
}
