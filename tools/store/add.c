/* Adds a file of results: a campaign's results or table, a judgement, or JUnit.
 *
 * A file is added in one transaction, and once: files are recognized by content, and campaigns by the
 * identities that the runner gives them, so that shards may come in any order and repeatedly.  A campaign
 * that was resumed replaces its earlier state (README.md, "Added once"). */
#include "tools/store/store.h"

#include "litmus/files.h"
#include "litmus/judge/judge.h"
#include "memmodel/base/input.h"
#include "memmodel/base/memory.h"
#include "memmodel/base/sha256.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum kind { CAMPAIGN, JUDGEMENT, REPORT, BENCHMARK, JUNIT };
static const char *const kind_names[] = {"campaign", "judgement", "report", "benchmark", "junit"};

struct addition {
    struct store *store;
    struct store_file file;
    char *text; /* owned, as is JSON: FILE points to both */
    cJSON *json;
    const struct store_add_options *options;
    char content[65], date[STORE_DATE]; /* CONTENT: its SHA-256 */
    const char *interface;
    enum kind kind;
};

static int64_t number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return value > 0 && value < 0x1p62 ? (int64_t)value : 0;
}

/* ---- the file ---- */

static bool is_date(const char *text)
{
    int year, month, day, end = 0;
    return sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 && end == 10 && !text[10] &&
           month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static enum mm_class find_date(struct addition *a, struct mm_error *err)
{
    const char *own = lt_json_text(a->json, "date"), *given = *own ? own : a->options->date;
    struct stat status;
    struct tm tm;
    if (given && !is_date(given))
        return mm_fail_at(err, MM_INVALID, "store.date", a->file.path, 0, 0, "'%s' is no date YYYY-MM-DD",
                          given);
    if (given)
        snprintf(a->date, sizeof a->date, "%s", given);
    else if (stat(a->file.path, &status) == 0 && gmtime_r(&status.st_mtime, &tm))
        strftime(a->date, sizeof a->date, "%Y-%m-%d", &tm);
    return MM_OK;
}

/* The kind of JSON file that its member "format" names. */
static bool find_kind(struct addition *a)
{
    static const struct {
        const char *format;
        enum kind kind;
    } formats[] = {{"refcl-litmus-results", CAMPAIGN},
                   {"refcl-litmus-table", CAMPAIGN},
                   {"refcl-litmus-judgement", JUDGEMENT},
                   {"refcl-report", REPORT}};
    const char *format = lt_json_text(a->json, "format");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(format, formats[i].format) == 0) {
            a->kind = formats[i].kind;
            return true;
        }
    return false;
}

static enum mm_class check_format(struct addition *a, struct mm_error *err)
{
    if (!find_kind(a))
        return mm_fail_at(
            err, MM_INVALID, "store.format", a->file.path, 0, 0,
            "neither results, a table or a judgement of litmus tests, a report, a table of benchmarks, nor JUnit");
    if (number_of(a->json, "version") != 1)
        return mm_fail_at(err, MM_INVALID, "store.format", a->file.path, 0, 0,
                          "version %d of the format is not supported", (int)number_of(a->json, "version"));
    if (a->kind == REPORT)
        return MM_OK;
    const cJSON *tests = cJSON_GetObjectItem(a->json, "tests"),
                *device = cJSON_GetObjectItem(a->json, "device");
    if (!cJSON_IsArray(tests) || !cJSON_IsObject(device))
        return mm_fail_at(err, MM_INVALID, "store.format", a->file.path, 0, 0, "'%s' is missing",
                          cJSON_IsArray(tests) ? "device" : "tests");
    return mm_input_check(MM_INPUT_JSON_TESTS, 0, (uint64_t)cJSON_GetArraySize(tests), a->file.path, err);
}

static enum mm_class read_file(struct addition *a, struct mm_error *err)
{
    struct mm_sha256 hash;
    enum mm_class cls = mm_input_read(MM_INPUT_JSON, a->file.path, &a->text, &a->file.size, err);
    if (cls != MM_OK)
        return cls;
    a->file.text = a->text;
    mm_sha256_begin(&hash);
    mm_sha256_add(&hash, a->text, a->file.size);
    mm_sha256_end(&hash, a->content);
    if (a->text[strspn(a->text, " \t\r\n\xef\xbb\xbf")] == '<') {
        a->kind = JUNIT;
        return find_date(a, err);
    }
    if (a->text[strspn(a->text, " \t\r\n")] != '{' && store_is_benchmark(a->text)) {
        a->kind = BENCHMARK;
        return find_date(a, err);
    }
    cls = mm_input_check_json(a->text, a->file.path, err);
    if (cls != MM_OK)
        return cls;
    a->file.json = a->json = cJSON_Parse(a->text);
    if (!a->json)
        return mm_fail_at(err, MM_INVALID, "store.format", a->file.path, 0, 0,
                          "no JSON, or the end of it is missing");
    cls = check_format(a, err);
    return cls == MM_OK ? find_date(a, err) : cls;
}

/* ---- rows that files share ---- */

struct device {
    const char *interface, *variant, *platform, *name, *version, *driver;
};

static int64_t device_row(struct store *s, const struct device *d)
{
    store_execute(
        s,
        "insert into device(interface, variant, platform, name, version, driver) values(?, ?, ?, ?, ?, ?)"
        " on conflict do update set variant = max(variant, excluded.variant)",
        "tttttt", d->interface, d->variant, d->platform, d->name, d->version, d->driver);
    return store_number(
        s, "select id from device where platform = ? and name = ? and version = ? and driver = ?", "tttt",
        d->platform, d->name, d->version, d->driver);
}

int64_t store_test(struct store *s, const struct store_test *t)
{
    int64_t id = store_number(s, "select id from test where name = ? and digest = ? and mapping = ?", "ttt",
                              t->name, t->digest, t->mapping);
    if (!id) {
        store_execute(s,
                      "insert into test(interface, name, digest, mapping, file, source, observed)"
                      " values(?, ?, ?, ?, ?, ?, ?)",
                      "ttttttt", t->interface, t->name, t->digest, t->mapping, t->file, t->source,
                      t->observed);
        return sqlite3_last_insert_rowid(s->db);
    }
    if (t->source)
        store_execute(s, "update test set source = ? where id = ? and source is null", "ti", t->source, id);
    store_execute(s, "update test set observed = ?1 where id = ?2 and observed = '[]' and ?1 <> '[]'", "ti",
                  t->observed, id);
    return id;
}

int64_t store_state_number(struct store *s, int64_t test, const char *values)
{
    sqlite3_stmt *q =
        store_statement(s, "select number from state where test = ? and vals = ?", "it", test, values);
    if (store_row(s, q)) {
        int64_t number = sqlite3_column_int64(q, 0);
        sqlite3_reset(q);
        return number;
    }
    int64_t number = store_number(s, "select count(*) from state where test = ?", "i", test);
    store_execute(s, "insert into state(test, number, vals) values(?, ?, ?)", "iit", test, number, values);
    return number;
}

/* ---- one test of a campaign ---- */

/* False unless ITEM is an integer of 64 bits, as a number or as text. */
static bool read_value(const cJSON *item, int64_t *value)
{
    char *end;
    *value = lt_json_value(item);
    if (cJSON_IsNumber(item))
        return (double)*value == item->valuedouble;
    if (!cJSON_IsString(item))
        return false;
    errno = 0;
    *value = strtoll(item->valuestring, &end, 10);
    return *item->valuestring && !*end && !errno;
}

/* Writes VALUES as normalized text: [1,"-7"] and ["1",-7] become [1,-7]. */
static bool values_text(const cJSON *values, char *text, size_t size)
{
    const cJSON *item;
    size_t used = 0;
    text[used++] = '[';
    cJSON_ArrayForEach(item, values)
    {
        int64_t value;
        if (!read_value(item, &value))
            return false;
        int length = snprintf(text + used, size - used, "%s%" PRId64, used > 1 ? "," : "", value);
        if (used + (size_t)length + 2 > size)
            return false;
        used += (size_t)length;
    }
    text[used] = ']';
    text[used + 1] = '\0';
    return true;
}

static enum mm_class bad_test(const struct addition *a, const cJSON *test, const char *what,
                              struct mm_error *err)
{
    return mm_fail_at(err, MM_INVALID, "store.format", a->file.path, 0, 0, "test '%s': %s",
                      lt_json_text(test, "name"), what);
}

static enum mm_class encode_states(struct addition *a, const cJSON *test, struct store_result *r,
                                   unsigned char *blob, struct mm_error *err)
{
    const cJSON *state;
    int width = cJSON_GetArraySize(cJSON_GetObjectItem(test, "observed"));
    cJSON_ArrayForEach(state, cJSON_GetObjectItem(test, "states"))
    {
        char values[1024];
        const cJSON *array = cJSON_GetObjectItem(state, "values");
        int64_t count = number_of(state, "count");
        if (cJSON_GetArraySize(array) != width || count < 1 || !values_text(array, values, sizeof values))
            return bad_test(a, test, "a state needs an integer for each observed name, and a count", err);
        struct store_count pair = {.state = (uint64_t)store_state_number(a->store, r->test, values),
                                   .count = (uint64_t)count};
        if (store_has_count(blob, r->size, pair.state))
            return bad_test(a, test, "a state is there twice", err);
        r->size = store_encode(blob, r->size, pair);
    }
    return MM_OK;
}

/* Finds digest and text of a test: in the results, or for a table in the test's file, if that is
 * unchanged. */
static enum mm_class identify_test(const struct addition *a, const cJSON *row, struct lt_test **test,
                                   const char **digest, struct mm_error *err)
{
    const char *source = lt_json_text(row, "source");
    *digest = lt_json_text(row, "digest");
    if (a->kind == JUDGEMENT)
        return MM_OK;
    if (*source) {
        enum mm_class cls = lt_parse(source, strlen(source), lt_json_text(row, "file"), test, err);
        *digest = cls == MM_OK ? lt_test_digest(*test) : "";
        return cls;
    }
    if (!**digest)
        return bad_test(a, row, "neither its text nor its digest is there", err);
    if (store_number(a->store, "select count(*) from test where digest = ? and source is not null", "t",
                     *digest))
        return MM_OK;
    if (lt_table_test(row, a->options->tests, test, NULL) != MM_OK)
        *test = NULL; /* without its text the test is not judged */
    return MM_OK;
}

static char *print_test(const struct lt_test *test)
{
    char *text = NULL;
    size_t size;
    FILE *out = test ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    lt_print(test, out);
    return fclose(out) == 0 ? text : NULL;
}

static enum mm_class add_result(struct addition *a, const cJSON *row, const struct lt_test *parsed,
                                const char *digest, struct mm_error *err)
{
    int states = cJSON_GetArraySize(cJSON_GetObjectItem(row, "states"));
    char *observed = cJSON_PrintUnformatted(cJSON_GetObjectItem(row, "observed"));
    char *text = *lt_json_text(row, "source") ? NULL : print_test(parsed);
    unsigned char *blob = mm_alloc((size_t)states * STORE_PAIR + 1);
    struct store_result r = {.run = a->file.run,
                             .device = a->file.device,
                             .instances = number_of(row, "instances"),
                             .discarded = number_of(row, "discarded"),
                             .batches = number_of(row, "batches"),
                             .time_ms = fmax(0, lt_number_of(row, "time_ms")),
                             .status = lt_json_text(row, "status"),
                             .reason = lt_json_text(row, "reason"),
                             .date = a->date,
                             .stationary = lt_stationary(row),
                             .blob = blob};
    enum mm_class cls = blob ? MM_OK : mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    if (cls == MM_OK) {
        struct store_test test = {.interface = a->interface,
                                  .name = lt_json_text(row, "name"),
                                  .digest = digest,
                                  .mapping = lt_json_text(row, "mapping"),
                                  .file = lt_json_text(row, "file"),
                                  .source = *lt_json_text(row, "source") ? lt_json_text(row, "source") : text,
                                  .observed = observed ? observed : "[]"};
        r.test = store_test(a->store, &test);
        if (store_number(
                a->store,
                "select count(*) from test where id = ?1 and '[]' not in (observed, ?2) and observed <> ?2",
                "it", r.test, test.observed))
            cls = bad_test(a, row, "it observes other names than in earlier results", err);
    }
    if (cls == MM_OK)
        cls = encode_states(a, row, &r, blob, err);
    if (cls == MM_OK)
        cls = store_put_result(a->store, &r, err);
    mm_free(blob);
    free(text);
    cJSON_free(observed);
    return cls;
}

static enum mm_class add_tests(struct addition *a, struct mm_error *err)
{
    const cJSON *row;
    enum mm_class cls = MM_OK;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(a->json, "tests"))
    {
        struct lt_test *test = NULL;
        const char *digest = "";
        if (!*lt_json_text(row, "name") || !*lt_json_text(row, "status"))
            cls = bad_test(a, row, "its name or its status is missing", err);
        if (cls == MM_OK)
            cls = identify_test(a, row, &test, &digest, err);
        if (cls == MM_OK)
            cls = add_result(a, row, test, digest, err);
        lt_test_destroy(test);
        if (cls != MM_OK || a->store->sql_error != SQLITE_OK)
            break;
    }
    return cls;
}

/* ---- identities ---- */

static bool identity_of(const cJSON *object, char *identity, size_t size)
{
    bool whole = *lt_json_text(object, "campaign") && *lt_json_text(object, "run");
    snprintf(identity, size, "%s/%s/%s", lt_json_text(object, "campaign"), lt_json_text(object, "shard"),
             lt_json_text(object, "run"));
    return whole && strlen(identity) + 1 < size;
}

static int64_t instances_of(const cJSON *json)
{
    const cJSON *row;
    int64_t sum = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "tests")) sum += number_of(row, "instances");
    return sum;
}

/* Replaces a campaign by a later state of it; no change if it is part of a sum, or the state is not later. */
static enum store_added supersede_run(struct addition *a, const char *identity)
{
    int64_t old = store_number(a->store, "select run from part where identity = ?", "t", identity);
    if (!old)
        return STORE_ADDED;
    bool alone = store_number(a->store, "select identity is not null from run where id = ?", "i", old);
    int64_t before = store_number(
        a->store, "select sum(instances) from test cross join result on test = id and run = ?", "i", old);
    if (!alone || instances_of(a->json) <= before)
        return STORE_KNOWN;
    store_remove_run(a->store, old);
    return STORE_REPLACED;
}

/* Merged results are known if the store has all parts, new if it has none; an error otherwise: sums do not
 * split. */
static enum mm_class check_parts(struct addition *a, enum store_added *added, struct mm_error *err)
{
    char identity[256];
    const cJSON *part, *parts = cJSON_GetObjectItem(a->json, "parts");
    int known = 0, count = cJSON_GetArraySize(parts);
    cJSON_ArrayForEach(part, parts)
    {
        if (!identity_of(part, identity, sizeof identity))
            return mm_fail_at(err, MM_INVALID, "store.format", a->file.path, 0, 0,
                              "a part has no campaign or run");
        known += store_number(a->store, "select count(*) from part where identity = ?", "t", identity) > 0;
    }
    if (known && known < count)
        return mm_fail_at(
            err, MM_INVALID, "store.parts", a->file.path, 0, 0,
            "%d of the %d campaigns that it adds up are in the store already: add the results that it was "
            "made from",
            known, count);
    *added = known ? STORE_KNOWN : STORE_ADDED;
    return MM_OK;
}

static void put_parts(struct addition *a)
{
    char identity[256];
    const cJSON *part, *parts = cJSON_GetObjectItem(a->json, "parts");
    if (!parts && identity_of(a->json, identity, sizeof identity))
        store_execute(a->store, "insert into part values(?, ?)", "ti", identity, a->file.run);
    cJSON_ArrayForEach(part, parts)
    {
        if (identity_of(part, identity, sizeof identity))
            store_execute(a->store, "insert or ignore into part values(?, ?)", "ti", identity, a->file.run);
    }
}

/* ---- the run ---- */

/* Writes an identity of the set of tests: campaigns of one version of a suite have the same. */
static void suite_of(const struct addition *a, char *suite, size_t size)
{
    struct mm_sha256 hash;
    char digits[65];
    sqlite3_stmt *q = store_statement(
        a->store,
        "select digest from test cross join result on test = id and run = ? order by name, digest, mapping",
        "i", a->file.run);
    int count = 0;
    mm_sha256_begin(&hash);
    for (; store_row(a->store, q); count++)
        mm_sha256_add(&hash, store_text(q, 0), strlen(store_text(q, 0)) + 1);
    mm_sha256_end(&hash, digits);
    snprintf(suite, size, "%d tests, %.8s", count, digits);
}

static enum mm_class put_run(struct addition *a, const char *identity, struct mm_error *err)
{
    char suite[64], today[STORE_DATE] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (gmtime_r(&now, &tm))
        strftime(today, sizeof today, "%Y-%m-%d", &tm);
    store_execute(
        a->store,
        "insert into run(kind, device, date, campaign, shard, identity, content, file, settings, suite, added)"
        " values(?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)",
        "tittttttt"
        "t",
        kind_names[a->kind], a->file.device, a->date, lt_json_text(a->json, "campaign"),
        lt_json_text(a->json, "shard"), identity, a->content, a->file.path, lt_json_text(a->json, "settings"),
        today);
    a->file.run = sqlite3_last_insert_rowid(a->store->db);
    if (store_check(a->store, err) != MM_OK)
        return err->cls;
    put_parts(a);
    enum mm_class cls = a->kind == REPORT      ? store_add_report(a->store, &a->file, err)
                        : a->kind == BENCHMARK ? store_add_benchmark(a->store, &a->file, err)
                        : a->kind == JUNIT     ? store_add_junit(a->store, &a->file, err)
                                               : add_tests(a, err);
    suite_of(a, suite, sizeof suite);
    store_execute(a->store, "update run set suite = ? where id = ?", "ti", suite, a->file.run);
    return cls;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

/* The device of a report is the checked program: the name from --device, the driver from --driver, the
 * version of refcl. */
static struct device report_device(const struct addition *a)
{
    const char *name = a->options->device;
    return (struct device){.interface = "OpenCL",
                           .variant = STORE_CHECKS,
                           .platform = "refcl run",
                           .name = name ? name : "programs",
                           .version = lt_json_text(cJSON_GetObjectItem(a->json, "tool"), "version"),
                           .driver = text_or_empty(a->options->driver)};
}

/* JUnit and benchmarks do not name the device: its name and driver come from --device and --driver. */
static struct device given_device(const struct addition *a)
{
    return (struct device){.interface = "OpenCL",
                           .variant = "OpenCL",
                           .platform = "",
                           .name = text_or_empty(a->options->device),
                           .version = "",
                           .driver = text_or_empty(a->options->driver)};
}

/* The device that results or a judgement name. */
static struct device campaign_device(const struct addition *a)
{
    const cJSON *json = cJSON_GetObjectItem(a->json, "device");
    const char *platform = lt_json_text(json, "platform");
    bool vulkan = strcmp(platform, "Vulkan") == 0;
    bool chains = vulkan && number_of(json, "availability_visibility_chains");
    return (struct device){.interface = vulkan ? "Vulkan" : "OpenCL",
                           .variant = chains   ? STORE_CHAINS
                                      : vulkan ? "Vulkan"
                                               : "OpenCL",
                           .platform = platform,
                           .name = lt_json_text(json, "name"),
                           .version = lt_json_text(json, "version"),
                           .driver = lt_json_text(json, "driver")};
}

static enum mm_class find_device(struct addition *a, struct mm_error *err)
{
    struct device device = a->kind == REPORT ? report_device(a)
                           : a->json         ? campaign_device(a)
                                             : given_device(a);
    if (!*device.name && a->kind != REPORT)
        return mm_fail_at(err, MM_INVALID, "store.device", a->file.path, 0, 0,
                          a->json ? "the device has no name"
                                  : "JUnit and benchmarks do not name the device: add --device and --driver");
    a->interface = device.interface;
    a->file.device = device_row(a->store, &device);
    return MM_OK;
}

static enum mm_class add_within(struct addition *a, enum store_added *added, struct mm_error *err)
{
    char identity[256];
    bool alone = !cJSON_HasObjectItem(a->json, "parts") && identity_of(a->json, identity, sizeof identity);
    a->file.run = store_number(a->store, "select id from run where content = ?", "t", a->content);
    if (a->file.run) {
        *added = STORE_KNOWN;
        return MM_OK;
    }
    *added = STORE_ADDED;
    enum mm_class cls = MM_OK;
    if (alone)
        *added = supersede_run(a, identity);
    else
        cls = check_parts(a, added, err);
    if (cls != MM_OK || *added == STORE_KNOWN)
        return cls;
    cls = find_device(a, err);
    return cls == MM_OK ? put_run(a, alone ? identity : NULL, err) : cls;
}

enum mm_class store_add(struct store *store, const char *path, const struct store_add_options *options,
                        enum store_added *added, int64_t *run, struct mm_error *err)
{
    struct addition a = {.store = store, .file.path = path, .options = options};
    a.file.date = a.date;
    enum mm_class cls = read_file(&a, err);
    if (cls == MM_OK)
        cls = store_begin(store, err);
    if (cls == MM_OK)
        cls = store_end(store, add_within(&a, added, err), err);
    *run = a.file.run;
    cJSON_Delete(a.json);
    mm_free(a.text);
    return cls;
}
