/* Temporary tables that the pages of a site read.  Each is filled once; queries of each page over the store's own
 * tables would read the same results for every driver, family and test. */
#include "tools/store/site.h"

/* The folder that a test's file is in, as an SQL expression: the rule family. */
#define FAMILY                                                                                                                    \
    "case when instr(file, '/') then replace(rtrim(rtrim(file, replace(file, '/', '')), '/'),"                                    \
    " rtrim(rtrim(rtrim(file, replace(file, '/', '')), '/'), replace(rtrim(rtrim(file, replace(file, '/', '')), '/'), '/', ''))," \
    " '') else '' end"

/* For each test on a device the worst verdict of its states, "not run" if it has no states. */
static const char worst[] =
    "create temp table if not exists worst(device integer, test integer, family text, verdict text, never integer,"
    " primary key(device, test)) without rowid;"
    "delete from worst;"
    "insert into worst select total.device, test.id, " FAMILY ","
    " case when not done and not exists (select 1 from state cross join seen on seen.state = state.id where state.test = test.id and"
    "  seen.device = total.device) then 'not run' else ifnull((select"
    "  case max(case ifnull(verdict, 'unjudged') when 'forbidden' then 4 when 'racy' then 3 when 'unknown' then 2 when 'unjudged'"
    "   then 1 else 0 end) when 4 then 'forbidden' when 3 then 'racy' when 2 then 'unknown' when 1 then 'unjudged' else 'allowed' end"
    "  from state cross join seen on seen.state = state.id left join verdict on verdict.state = state.id and model = " STORE_MODEL_OF(
        "device.variant") "  where state.test = test.id and seen.device = total.device having count(*)), 'not observed') end,"
                          " done and exists (select 1 from asked where asked.test = test.id and asked.verdict = 'allowed' and model = " STORE_MODEL_OF(
                              "device.variant") ")"
                                                " and not exists (select 1 from state cross join seen on seen.state = state.id where state.test = test.id and asked and"
                                                "  seen.device = device.id)"
                                                " from total join test on test.id = total.test join device on device.id = total.device";

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
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (sqlite3_exec(s->db, tables[i], NULL, NULL, NULL) != SQLITE_OK)
            return mm_fail(err, MM_LIMIT, "store.temporary", "%s", sqlite3_errmsg(s->db));
    return MM_OK;
}
