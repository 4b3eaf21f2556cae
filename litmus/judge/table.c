/* The compact table of a campaign (docs/campaigns.md#tables): results without the texts of the tests, which
 * are in files, and without the pieces of the campaign, of which only the answer to "is it stationary?" is
 * kept. */
#include "litmus/judge/judge.h"
#include "memmodel/base/error.h"
#include "memmodel/base/escape.h"

#include "litmus/files.h"
#include "litmus/litmus.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* False for paths outside of the root: a table must not make its reader open other files. */
static bool is_below_root(const char *path)
{
    if (!*path || *path == '/')
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return false;
    }
    return true;
}

static enum mm_class outside_root(const char *name, const char *file, struct mm_error *err)
{
    return mm_fail(err, MM_INVALID, "litmus.table",
                   "test '%s': a table names tests by paths below the current folder (or --tests), not '%s'",
                   name, file);
}

enum mm_class lt_table_add(const struct lt_judged *j, struct lt_judge_report *report, struct mm_error *err)
{
    static const char *const first[] = {"name", "file", "mapping"}, *const rest[] = {"status",    "reason",
                                                                                     "instances", "discarded",
                                                                                     "batches",   "time_ms",
                                                                                     "observed",  "states"};
    if (!is_below_root(lt_json_text(j->json, "file")))
        return outside_root(j->name, lt_json_text(j->json, "file"), err);
    cJSON *row = cJSON_CreateObject();
    lt_copy_members(row, j->json, first, sizeof first / sizeof *first);
    cJSON_AddStringToObject(row, "digest", lt_test_digest(j->test));
    lt_copy_members(row, j->json, rest, sizeof rest / sizeof *rest);
    cJSON_AddBoolToObject(row, "stationary", lt_stationary(j->json));
    cJSON_AddItemToArray(report->rows, row);
    return MM_OK;
}

/* Writes the JSON object TEXT without its closing brace, and frees it. */
static void put_unclosed(char *text, FILE *out)
{
    if (text && *text)
        text[strlen(text) - 1] = '\0';
    mm_put_json(text ? text : "{", false, out);
    cJSON_free(text);
}

enum mm_class lt_table_write(const char *path, const cJSON *results, const cJSON *rows, struct mm_error *err)
{
    static const char *const keys[] = {"seed",  "date", "settings", "campaign",
                                       "shard", "run",  "parts",    "device"};
    FILE *out = fopen(path, "w");
    if (!out)
        return lt_cannot_write(path, err);
    cJSON *head = cJSON_CreateObject();
    cJSON_AddStringToObject(head, "format", "refcl-litmus-table");
    cJSON_AddNumberToObject(head, "version", 1);
    lt_copy_members(head, results, keys, sizeof keys / sizeof *keys);
    put_unclosed(cJSON_PrintUnformatted(head), out);
    fputs(",\n\"tests\":[", out);
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        char *text = cJSON_PrintUnformatted(row);
        fputs(row == rows->child ? "\n" : ",\n", out);
        mm_put_json(text ? text : "", false, out);
        cJSON_free(text);
    }
    fputs("\n]}\n", out);
    cJSON_Delete(head);
    return fclose(out) == 0 ? MM_OK : lt_cannot_write(path, err);
}

/* For a test that ran on a Vulkan device: replaces the OpenCL test in *TEST by its translation. */
static enum mm_class translate_again(struct lt_test **test, const char *name, struct mm_error *err)
{
    enum lt_mapping mapping;
    const char *reason = NULL;
    char *text = NULL;
    size_t size = 0;
    if (!lt_find_mapping(name, &mapping))
        return mm_fail(err, MM_INVALID, "litmus.table", "test '%s': unknown mapping '%s'",
                       lt_test_name(*test), name);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return mm_out_of_memory(err);
    enum mm_class cls = lt_translate(*test, mapping, out, &reason, err);
    if (fclose(out) != 0 && cls == MM_OK)
        cls = mm_out_of_memory(err);
    if (cls == MM_OK && reason)
        cls = mm_fail(err, MM_INVALID, "litmus.table", "test '%s' has no translation to Vulkan: it needs %s",
                      lt_test_name(*test), reason);
    lt_test_destroy(*test);
    *test = NULL;
    if (cls == MM_OK)
        cls = lt_parse(text, size, "translation", test, err);
    free(text);
    return cls;
}

enum mm_class lt_table_test(const cJSON *row, const char *root, struct lt_test **test, struct mm_error *err)
{
    char path[PATH_MAX];
    const cJSON *name = cJSON_GetObjectItem(row, "name"), *digest = cJSON_GetObjectItem(row, "digest");
    const char *file = lt_json_text(row, "file"), *shown = cJSON_IsString(name) ? name->valuestring : "";
    if (!is_below_root(file))
        return outside_root(shown, file, err);
    if ((size_t)snprintf(path, sizeof path, "%s/%s", root ? root : ".", file) >= sizeof path)
        return mm_fail(err, MM_INVALID, "litmus.table", "test '%s': the path of its file is too long", shown);
    enum mm_class cls = lt_parse_file(path, test, err);
    const cJSON *mapping = cJSON_GetObjectItem(row, "mapping");
    if (cls == MM_OK && cJSON_IsString(mapping))
        cls = translate_again(test, mapping->valuestring, err);
    if (cls == MM_OK && (!cJSON_IsString(digest) || strcmp(digest->valuestring, lt_test_digest(*test)) != 0))
        cls = mm_fail_at(err, MM_INVALID, "litmus.table", path, 0, 0,
                         "test '%s' is not the one that ran: its digest is %s, that of the table %s", shown,
                         lt_test_digest(*test), cJSON_IsString(digest) ? digest->valuestring : "missing");
    if (cls != MM_OK) {
        lt_test_destroy(*test);
        *test = NULL;
    }
    return cls;
}
