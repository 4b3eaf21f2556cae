/* Merging results: shards of one plan, or several campaigns on one device. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static bool same_device(const cJSON *a, const cJSON *b)
{
    static const char *const keys[] = {"platform", "name", "version", "driver"};
    const cJSON *x = cJSON_GetObjectItem(a, "device"), *y = cJSON_GetObjectItem(b, "device");
    for (size_t i = 0; x && y && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(lt_json_text(x, keys[i]), lt_json_text(y, keys[i])) != 0)
            return false;
    return true;
}

/* The worse of two statuses of a test; a partial run counts as done where the other is missing. */
static int status_rank(const char *status)
{
    static const char *const order[] = {"pending", "skipped", "running", "done",
                                        "failed",  "timeout", "crashed"};
    for (int i = 0; i < 7; i++)
        if (strcmp(order[i], status) == 0)
            return i;
    return 0;
}

static void add_number(cJSON *to, const cJSON *from, const char *key)
{
    const cJSON *a = cJSON_GetObjectItem(to, key), *b = cJSON_GetObjectItem(from, key);
    double sum = (cJSON_IsNumber(a) ? a->valuedouble : 0) + (cJSON_IsNumber(b) ? b->valuedouble : 0);
    cJSON_DeleteItemFromObject(to, key);
    cJSON_AddNumberToObject(to, key, sum);
}

static void replace_member(cJSON *to, const cJSON *from, const char *key)
{
    cJSON_DeleteItemFromObject(to, key);
    if (cJSON_GetObjectItem(from, key))
        cJSON_AddItemToObject(to, key, cJSON_Duplicate(cJSON_GetObjectItem(from, key), true));
}

/* The pieces of both, one after the other; counts follow the states of the sum. */
static void add_slices(cJSON *to, const cJSON *from, const struct lt_histogram *before,
                       const struct lt_histogram *other, const struct lt_histogram *sum)
{
    static struct lt_slices a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    lt_slices_load(&a, cJSON_GetObjectItem(to, "slices"), before);
    lt_slices_load(&b, cJSON_GetObjectItem(from, "slices"), other);
    cJSON *all = lt_slices_json(&a, sum), *more = lt_slices_json(&b, sum), *item;
    while ((item = cJSON_DetachItemFromArray(more, 0)))
        cJSON_AddItemToArray(all, item);
    cJSON_Delete(more);
    cJSON_DeleteItemFromObject(to, "slices");
    cJSON_AddItemToObject(to, "slices", all);
}

static bool add_test(cJSON *to, const cJSON *from)
{
    static const char *const sums[] = {"instances", "discarded", "batches", "time_ms"};
    struct lt_histogram h = {.values = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItem(from, "observed"))};
    if (h.values > LT_MAX_VALUES)
        return false;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_number(to, from, sums[i]);
    struct lt_histogram before = {.values = h.values}, other = {.values = h.values};
    bool ok = lt_histogram_load(&before, cJSON_GetObjectItem(to, "states")) &&
              lt_histogram_load(&other, cJSON_GetObjectItem(from, "states")) &&
              lt_histogram_load(&h, cJSON_GetObjectItem(to, "states")) &&
              lt_histogram_load(&h, cJSON_GetObjectItem(from, "states"));
    cJSON_DeleteItemFromObject(to, "states");
    cJSON_AddItemToObject(to, "states", lt_histogram_json(&h));
    add_slices(to, from, &before, &other, &h);
    lt_histogram_clear(&before);
    lt_histogram_clear(&other);
    lt_histogram_clear(&h);
    if (status_rank(lt_json_text(from, "status")) > status_rank(lt_json_text(to, "status"))) {
        replace_member(to, from, "status");
        replace_member(to, from, "reason");
    }
    return ok;
}

/* SUM holds all of PARTS already: nothing is added, and the caller continues. */
static bool is_counted(const cJSON *all, const cJSON *parts, const char *path, bool *ok)
{
    int shared = lt_parts_shared(parts, all), count = cJSON_GetArraySize(parts);
    if (shared == 0)
        return false;
    *ok = shared == count;
    if (*ok)
        fprintf(stderr, "%s: ignored: what it holds is counted already\n", path);
    else
        fprintf(stderr,
                "%s: %d of the %d campaigns that it adds up are counted already, and cannot be taken out of "
                "the sum: merge the results that it was made from\n",
                path, shared, count);
    return true;
}

/* SUM becomes a merged file of several campaigns. */
static void add_parts(cJSON *sum, const cJSON *parts)
{
    cJSON *all = lt_parts(sum);
    const cJSON *part;
    cJSON_ArrayForEach(part, parts) cJSON_AddItemToArray(all, cJSON_Duplicate(part, true));
    cJSON_DeleteItemFromObject(sum, "campaign");
    cJSON_DeleteItemFromObject(sum, "shard");
    cJSON_DeleteItemFromObject(sum, "run");
    cJSON_DeleteItemFromObject(sum, "parts");
    cJSON_AddItemToObject(sum, "parts", all);
}

/* The first day; the settings of both, where they differ. */
static void add_description(cJSON *sum, const cJSON *from)
{
    const char *date = lt_json_text(from, "date"), *settings = lt_json_text(from, "settings");
    const char *first = lt_json_text(sum, "date"), *others = lt_json_text(sum, "settings");
    if (*date && (!*first || strcmp(date, first) < 0))
        replace_member(sum, from, "date");
    if (!*others)
        replace_member(sum, from, "settings");
    else if (*settings && !strstr(others, settings)) {
        char both[4096];
        snprintf(both, sizeof both, "%s; %s", others, settings);
        cJSON_ReplaceItemInObject(sum, "settings", cJSON_CreateString(both));
    }
}

static bool add_tests(cJSON *sum, const cJSON *from, const char *path)
{
    cJSON *tests = cJSON_GetObjectItem(sum, "tests");
    const cJSON *item;
    if (!same_device(sum, from)) {
        fprintf(stderr, "%s: results of another device or driver\n", path);
        return false;
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(from, "tests"))
    {
        cJSON *old = lt_find_test(tests, item);
        if (!old)
            cJSON_AddItemToArray(tests, cJSON_Duplicate(item, true));
        else if (!add_test(old, item))
            return false;
    }
    return true;
}

static bool add_results(cJSON *sum, const cJSON *from, const char *path)
{
    cJSON *all = lt_parts(sum), *parts = lt_parts(from);
    bool ok = true;
    if (!is_counted(all, parts, path, &ok)) {
        add_description(sum, from);
        add_parts(sum, parts); /* before the tests: results without identities are compared by content */
        ok = add_tests(sum, from, path);
    }
    cJSON_Delete(all);
    cJSON_Delete(parts);
    return ok;
}

int lt_merge(const struct lt_options *o)
{
    cJSON *sum = NULL;
    struct lt_writer writer;
    bool ok = o->files.input_count > 0;
    if (!ok)
        fprintf(stderr, "refcl-litmus-run: --merge needs results files\n");
    for (unsigned i = 0; i < o->files.input_count && ok; i++) {
        cJSON *next = lt_load_results(o->files.inputs[i]);
        ok = next != NULL;
        if (!sum) {
            sum = next;
            continue;
        }
        ok = ok && add_results(sum, next, o->files.inputs[i]);
        cJSON_Delete(next);
    }
    if (ok && (ok = lt_writer_lock(&writer, o->files.results))) {
        ok = lt_save_json(sum, o->files.results);
        lt_writer_unlock(&writer);
    }
    cJSON_Delete(sum);
    return ok ? 0 : 2;
}
