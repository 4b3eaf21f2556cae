/* The store's file: schema, migrations, statements, transactions. */
#include "tools/store/query.h"

#include <stdarg.h>
#include <string.h>

enum { APPLICATION_ID = 0x7266636c, BUSY_MS = 120000 };

/* Step N brings a store of version N to version N + 1; a step that was released never changes. */
static const char *const steps[] = {
    "create table device(id integer primary key, interface text not null, platform text not null, name text not null,"
    "  version text not null, driver text not null, unique(platform, name, version, driver));"
    "create table run(id integer primary key, kind text not null, device integer not null references device(id),"
    "  date text not null, campaign text, shard text, identity text unique, content text not null unique,"
    "  file text not null, settings text not null, suite text not null, added text not null);"
    "create index run_device on run(device, date);"
    "create table part(identity text primary key, run integer not null references run(id)) without rowid;"
    "create table test(id integer primary key, interface text not null, name text not null, digest text not null, mapping text not null,"
    "  file text not null, source text, observed text not null, unique(name, digest, mapping));"
    "create table reason(id integer primary key, text text not null unique);"
    "create table state(id integer primary key, test integer not null references test(id), number integer not null,"
    "  vals text not null, unique(test, vals), unique(test, number));"
    "create table result(test integer not null, run integer not null, status text not null, reason integer,"
    "  instances integer not null, discarded integer not null, batches integer not null, time_ms real not null,"
    "  stationary integer not null, counts blob not null, primary key(test, run)) without rowid;"
    "create table total(device integer not null, test integer not null, runs integer not null, done integer not null,"
    "  instances integer not null, discarded integer not null, first text not null, last text not null,"
    "  primary key(device, test)) without rowid;"
    "create table seen(device integer not null, state integer not null, runs integer not null, count integer not null,"
    "  first text not null, last text not null, primary key(device, state)) without rowid;"
    "create index seen_state on seen(state);"
    "create table model(id integer primary key, interface text not null, path text not null, sha256 text not null unique,"
    "  used integer not null);"
    "create table verdict(state integer not null, model integer not null, verdict text not null, clause text not null,"
    "  primary key(state, model)) without rowid;",

    /* The variant names the model, with its switches, that judges the states of a device.  All states are
     * judged again, to fill the table of outcomes that tests ask about. */
    "alter table device add column variant text not null default '';"
    "update device set variant = interface;"
    "create table model_2(id integer primary key, variant text not null, path text not null, sha256 text not null,"
    "  switches text not null, used integer not null, unique(variant, sha256, switches));"
    "insert into model_2 select id, interface, path, sha256, '', used from model;"
    "drop table model;"
    "alter table model_2 rename to model;"
    "alter table state add column asked integer not null default 0;"
    "create table asked(test integer not null, model integer not null, verdict text not null, primary key(test, model))"
    "  without rowid;"
    "delete from verdict;",

    "create index test_digest on test(digest);"
    "create index total_test on total(test);",

    "create table benchmark(id integer primary key, columns text not null, name text not null, measure text not null,"
    "  unique(name, measure, columns));"
    "create table measured(benchmark integer not null, run integer not null, value real not null, primary key(benchmark, run))"
    "  without rowid;",

    /* Values beyond 2^53 were rounded before they were judged: these states are judged again. */
    "delete from verdict where state in (select id from state where substr(vals, 2, 1) <> '\"' and vals glob"
    "  '*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*');",
};
enum { VERSION = sizeof steps / sizeof *steps };

static enum mm_class class_of(int sql_error)
{
    switch (sql_error & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return MM_INVALID;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_IOERR:
    case SQLITE_TOOBIG:
        return MM_LIMIT;
    default:
        return MM_BUG;
    }
}

static void note_error(struct store *store, int result)
{
    bool good = result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE;
    if (good || store->sql_error != SQLITE_OK)
        return;
    store->sql_error = result;
    snprintf(store->sql_message, sizeof store->sql_message, "%s",
             store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(result));
}

enum mm_class store_check(struct store *store, struct mm_error *err)
{
    int result = store->sql_error;
    store->sql_error = SQLITE_OK;
    if (result == SQLITE_OK)
        return MM_OK;
    return mm_fail_at(err, class_of(result), "store.file", store->path, 0, 0, "%s", store->sql_message);
}

static sqlite3_stmt *find_statement(struct store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    for (size_t i = 0; i < store->statement_count; i++)
        if (store->statements[i].sql == sql)
            return store->statements[i].statement;
    note_error(store, sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    if (statement && store->statement_count == STORE_STATEMENTS) {
        sqlite3_finalize(statement);
        note_error(store, SQLITE_INTERNAL); /* STORE_STATEMENTS is too small */
        return NULL;
    }
    if (statement) {
        store->statements[store->statement_count].sql = sql;
        store->statements[store->statement_count++].statement = statement;
    }
    return statement;
}

static sqlite3_stmt *bind_all(struct store *store, const char *sql, const char *types, va_list values)
{
    sqlite3_stmt *s = store->sql_error == SQLITE_OK ? find_statement(store, sql) : NULL;
    if (!s)
        return NULL;
    sqlite3_reset(s);
    for (int i = 1; *types; i++, types++) {
        int result = SQLITE_OK;
        if (*types == 'i') {
            result = sqlite3_bind_int64(s, i, va_arg(values, int64_t));
        } else if (*types == 'd') {
            result = sqlite3_bind_double(s, i, va_arg(values, double));
        } else if (*types == 't') {
            result = sqlite3_bind_text(s, i, va_arg(values, const char *), -1, SQLITE_STATIC);
        } else {
            const void *data = va_arg(values, const void *);
            result = sqlite3_bind_blob(s, i, data, va_arg(values, int), SQLITE_STATIC);
        }
        note_error(store, result);
    }
    return store->sql_error == SQLITE_OK ? s : NULL;
}

sqlite3_stmt *store_statement(struct store *store, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *s = bind_all(store, sql, types, values);
    va_end(values);
    return s;
}

bool store_row(struct store *store, sqlite3_stmt *statement)
{
    int result = statement ? sqlite3_step(statement) : SQLITE_DONE;
    note_error(store, result);
    if (result != SQLITE_ROW && statement)
        sqlite3_reset(statement);
    return result == SQLITE_ROW;
}

void store_execute(struct store *store, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *s = bind_all(store, sql, types, values);
    va_end(values);
    while (store_row(store, s))
        continue;
}

int64_t store_number(struct store *store, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *s = bind_all(store, sql, types, values);
    va_end(values);
    int64_t number = store_row(store, s) ? sqlite3_column_int64(s, 0) : 0;
    if (s)
        sqlite3_reset(s);
    return number;
}

const char *store_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

enum mm_class store_begin(struct store *store, struct mm_error *err)
{
    store->sql_error = SQLITE_OK;
    store_execute(store, "begin immediate", "");
    return store_check(store, err);
}

enum mm_class store_end(struct store *store, enum mm_class cls, struct mm_error *err)
{
    if (cls == MM_OK)
        cls = store_check(store, err);
    if (cls == MM_OK) {
        store_execute(store, "commit", "");
        cls = store_check(store, err);
    }
    if (cls != MM_OK && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "rollback", NULL, NULL, NULL);
    store->sql_error = SQLITE_OK;
    return cls;
}

/* Brings the schema up to date; reads the version with the lock, as another process may have migrated
 * before. */
static enum mm_class migrate_schema(struct store *store, struct mm_error *err)
{
    enum mm_class cls = store_begin(store, err);
    if (cls != MM_OK)
        return cls;
    int64_t version = store_number(store, "pragma user_version", "");
    if (version >= VERSION)
        return store_end(store, MM_OK, err);
    for (; version < VERSION && store->sql_error == SQLITE_OK; version++)
        note_error(store, sqlite3_exec(store->db, steps[version], NULL, NULL, NULL));
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "pragma user_version = %d; pragma application_id = %d", (int)VERSION,
             (int)APPLICATION_ID);
    note_error(store, sqlite3_exec(store->db, pragmas, NULL, NULL, NULL));
    return store_end(store, MM_OK, err);
}

static enum mm_class check_version(struct store *store, bool create, struct mm_error *err)
{
    int64_t application = store_number(store, "pragma application_id", ""),
            version = store_number(store, "pragma user_version", ""),
            tables = store_number(store, "select count(*) from sqlite_schema", "");
    enum mm_class cls = store_check(store, err);
    if (cls != MM_OK)
        return cls;
    if (application != APPLICATION_ID && (tables || !create))
        return mm_fail_at(err, MM_INVALID, "store.file", store->path, 0, 0, "not a store of refcl results");
    if (version < 0 || version > VERSION)
        return mm_fail_at(err, MM_INVALID, "store.version", store->path, 0, 0,
                          "a store of version %d, but this refcl reads versions 0 to %d", (int)version,
                          (int)VERSION);
    return version < VERSION ? migrate_schema(store, err) : MM_OK;
}

enum mm_class store_open(const char *path, bool create, struct store *store, struct mm_error *err)
{
    *store = (struct store){.path = path};
    int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    note_error(store, sqlite3_open_v2(path, &store->db, flags, NULL));
    enum mm_class cls = store_check(store, err);
    if (cls == MM_OK) {
        sqlite3_busy_timeout(store->db, BUSY_MS);
        /* The file may come from an untrusted source: disable unsafe functions in its views and triggers. */
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        note_error(store, store_add_shape_function(store->db));
        note_error(store, sqlite3_exec(store->db, "pragma cache_size = -65536", NULL, NULL, NULL));
        cls = check_version(store, create, err);
    }
    if (cls != MM_OK)
        store_close(store);
    return cls;
}

void store_close(struct store *store)
{
    for (size_t i = 0; i < store->statement_count; i++)
        sqlite3_finalize(store->statements[i].statement);
    sqlite3_close(store->db);
    *store = (struct store){0};
}
