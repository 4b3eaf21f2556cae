/* Tables of benchmarks, as tests/bench prints them, and times of kernels over runs.
 *
 * A table begins with a line whose first word is "kernel" and that names the columns; a row has a kernel's
 * name and a number or "-" for each column.  Other lines, such as means, are ignored, and so are columns
 * computed from others: "faster", "times", "speedup", "ratio".  All others are times: less is better.  Tables
 * with different heads are kept apart. */
#include "tools/store/query.h"

#include "litmus/files.h"
#include "memmodel/base/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 24, WORD = 64 };

struct words {
    char text[COLUMNS][WORD];
    int count;
};

struct table {
    struct words head;
    char columns[COLUMNS * (WORD + 1)]; /* the head as one text, which identifies the table */
};

static void split_words(const char *line, size_t length, struct words *words)
{
    words->count = 0;
    for (size_t at = 0; at < length && words->count < COLUMNS;) {
        size_t word = strcspn(line + at, " \t\r\n");
        if (word > length - at)
            word = length - at;
        if (word && word < WORD && !(word == 1 && line[at] == '|'))
            snprintf(words->text[words->count++], WORD, "%.*s", (int)word, line + at);
        at += word ? word : 1;
    }
}

static bool is_derived(const char *column)
{
    static const char *const names[] = {"faster", "times", "speedup", "ratio"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(column, names[i]) == 0)
            return true;
    return false;
}

static bool is_time(const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end != word && !*end && isfinite(*value) && *value > 0;
}

static bool is_row(const struct table *t, const struct words *row)
{
    double ignored;
    if (!t->head.count || row->count != t->head.count)
        return false;
    for (int i = 1; i < row->count; i++)
        if (strcmp(row->text[i], "-") != 0 && !is_time(row->text[i], &ignored) &&
            strcmp(row->text[i], "0") != 0)
            return false;
    return true;
}

static void begin_table(struct table *t, const struct words *head)
{
    size_t used = 0;
    t->head = *head;
    for (int i = 1; i < head->count; i++)
        used += (size_t)snprintf(t->columns + used, sizeof t->columns - used, "%s%s", used ? " " : "",
                                 head->text[i]);
}

/* Enters a value; false if the run has one already. */
static bool put_value(struct store *s, const struct table *t, const char *kernel, const char *column,
                      double value, int64_t run)
{
    store_execute(s, "insert or ignore into benchmark(columns, name, measure) values(?, ?, ?)", "ttt",
                  t->columns, kernel, column);
    int64_t id = store_number(s, "select id from benchmark where columns = ? and name = ? and measure = ?",
                              "ttt", t->columns, kernel, column);
    if (store_number(s, "select count(*) from measured where benchmark = ? and run = ?", "ii", id, run))
        return false;
    store_execute(s, "insert into measured values(?, ?, ?)", "iid", id, run, value);
    return true;
}

bool store_is_benchmark(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "kernel", 6) == 0 && (line[6] == ' ' || line[6] == '\t'))
            return true;
    }
    return false;
}

enum mm_class store_add_benchmark(struct store *s, const struct store_file *file, struct mm_error *err)
{
    struct table t = {0};
    size_t values = 0;
    unsigned number = 1;
    for (const char *line = file->text; *line; number++) {
        struct words words;
        size_t length = strcspn(line, "\n");
        split_words(line, length, &words);
        if (words.count > 1 && strcmp(words.text[0], "kernel") == 0) {
            begin_table(&t, &words);
        } else if (is_row(&t, &words)) {
            for (int i = 1; i < words.count; i++) {
                double value;
                if (is_derived(t.head.text[i]) || !is_time(words.text[i], &value))
                    continue;
                if (!put_value(s, &t, words.text[0], t.head.text[i], value, file->run))
                    return mm_fail_at(err, MM_INVALID, "store.benchmark", file->path, number, 0,
                                      "'%s' of kernel '%s' is there twice", t.head.text[i], words.text[0]);
                values++;
            }
        }
        line += length + (line[length] == '\n');
    }
    return values ? MM_OK
                  : mm_fail_at(err, MM_INVALID, "store.benchmark", file->path, 0, 0,
                               "no row of a table of benchmarks with a time");
}

/* ---- queries ---- */

/* Times of a kernel over the runs of each device: the first, the last, and the median. */
void store_benchmark_times(struct store *s, const char *name, const char *selector, cJSON *rows)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select measure, platform, device.name, version, driver, count(*), min(date), max(date), min(value), max(value),"
        " (select value from measured m join run r on r.id = m.run where m.benchmark = benchmark.id and r.device = device.id"
        "  order by r.date, r.id limit 1),"
        " (select value from measured m join run r on r.id = m.run where m.benchmark = benchmark.id and r.device = device.id"
        "  order by r.date desc, r.id desc limit 1)"
        " from benchmark join measured on benchmark = benchmark.id join run on run.id = run join device on device.id = device"
        " where benchmark.name = ?1 and (?2 is null or instr(" STORE_DEVICE_TEXT ", ?2))"
        " group by benchmark.id, device.id order by benchmark.id, device.id",
        "tt", name, selector);
    while (store_row(s, q)) {
        static const char *const numbers[] = {"least", "most", "first_time", "last_time"};
        char device[512];
        cJSON *row = cJSON_CreateObject();
        store_device_text(q, 1, device, sizeof device);
        cJSON_AddStringToObject(row, "kernel", name);
        cJSON_AddStringToObject(row, "measure", store_text(q, 0));
        cJSON_AddStringToObject(row, "device", device);
        cJSON_AddNumberToObject(row, "runs", sqlite3_column_double(q, 5));
        cJSON_AddStringToObject(row, "first", store_text(q, 6));
        cJSON_AddStringToObject(row, "last", store_text(q, 7));
        for (int i = 0; i < 4; i++)
            cJSON_AddNumberToObject(row, numbers[i], sqlite3_column_double(q, 8 + i));
        cJSON_AddItemToArray(rows, row);
    }
}

void store_print_times(const cJSON *row, FILE *out)
{
    mm_print(out, "%s, %s on %s\n  %.4g first, %.4g last (%.3g times), %.4g to %.4g in %.0f runs, %s to %s\n",
             lt_json_text(row, "kernel"), lt_json_text(row, "measure"), lt_json_text(row, "device"),
             lt_number_of(row, "first_time"), lt_number_of(row, "last_time"),
             lt_number_of(row, "last_time") / lt_number_of(row, "first_time"), lt_number_of(row, "least"),
             lt_number_of(row, "most"), lt_number_of(row, "runs"), lt_json_text(row, "first"),
             lt_json_text(row, "last"));
}

enum mm_class store_fill_times(struct store *s, int64_t side, int64_t run, int64_t device,
                               const char *selector, struct mm_error *err)
{
    static const char tables[] =
        "create temp table if not exists times(side integer, benchmark integer, least real, middle real, most real,"
        " primary key(side, benchmark)) without rowid";
    if (sqlite3_exec(s->db, tables, NULL, NULL, NULL) != SQLITE_OK)
        return mm_fail(err, MM_LIMIT, "store.temporary", "%s", sqlite3_errmsg(s->db));
    store_execute(s, "delete from times where side = ?", "i", side);
    store_execute(
        s,
        "insert into times select ?1, benchmark, min(value), avg(case when place in ((n + 1) / 2, (n + 2) / 2) then value end), max(value)"
        " from (select benchmark, value, row_number() over (partition by benchmark order by value) place,"
        "  count(*) over (partition by benchmark) n from measured join run on run.id = run join device on device.id = device"
        "  where (?2 and run.id = ?2) or (not ?2 and (device.id = ?3 or instr(" STORE_DEVICE_TEXT
        ", ?4)))) group by benchmark",
        "iiit", side, run, device, selector);
    return store_check(s, err);
}

void store_add_times(struct store *s, bool slower_alone, cJSON *rows)
{
    sqlite3_stmt *q = store_statement(
        s,
        "select name, measure, a.middle, b.middle, b.least > a.most and b.middle > 1.1 * a.middle from times a join times b"
        " on b.benchmark = a.benchmark and b.side = 1 join benchmark on benchmark.id = a.benchmark where a.side = 0 order by name, measure",
        "");
    while (store_row(s, q)) {
        bool slower = sqlite3_column_int(q, 4);
        if (slower_alone && !slower)
            continue;
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "kernel", store_text(q, 0));
        cJSON_AddStringToObject(row, "measure", store_text(q, 1));
        cJSON_AddNumberToObject(row, "a", sqlite3_column_double(q, 2));
        cJSON_AddNumberToObject(row, "b", sqlite3_column_double(q, 3));
        cJSON_AddNumberToObject(row, "ratio", sqlite3_column_double(q, 3) / sqlite3_column_double(q, 2));
        cJSON_AddBoolToObject(row, "slower", slower);
        cJSON_AddItemToArray(rows, row);
    }
}

void store_print_ratios(const cJSON *rows, FILE *out)
{
    const cJSON *row;
    double sum = 0;
    cJSON_ArrayForEach(row, rows)
    {
        sum += log(lt_number_of(row, "ratio"));
        mm_print(out, "A and B: %s, %s: times %.4g and %.4g, ratio %.3g%s\n", lt_json_text(row, "kernel"),
                 lt_json_text(row, "measure"), lt_number_of(row, "a"), lt_number_of(row, "b"),
                 lt_number_of(row, "ratio"),
                 cJSON_IsTrue(cJSON_GetObjectItem(row, "slower")) ? ": slower" : "");
    }
    if (cJSON_GetArraySize(rows))
        fprintf(out, "geometric mean of the ratios: %.3g over %d times\n",
                exp(sum / cJSON_GetArraySize(rows)), cJSON_GetArraySize(rows));
}
