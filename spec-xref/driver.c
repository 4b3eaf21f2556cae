/* Judgements of drivers, from `refcl litmus judge --json`. */
#include "memmodel/base/input.h"
#include "spec-xref/xref.h"

#include <cjson/cJSON.h>
#include <string.h>

static const char *device_name(const cJSON *root)
{
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(root, "device");
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(device, "name");
    return cJSON_IsString(name) ? name->valuestring : NULL;
}

static bool read_tests(const cJSON *tests, struct mm_arena *arena, struct xr_driver *driver)
{
    const cJSON *test;
    driver->tests = mm_arena_alloc(arena, ((size_t)cJSON_GetArraySize(tests) + 1) * sizeof *driver->tests);
    if (!driver->tests)
        return false;
    cJSON_ArrayForEach(test, tests)
    {
        const cJSON *file = cJSON_GetObjectItemCaseSensitive(test, "file");
        const cJSON *verdict = cJSON_GetObjectItemCaseSensitive(test, "verdict");
        if (!cJSON_IsString(file) || !cJSON_IsString(verdict))
            continue;
        struct xr_driver_test *t = &driver->tests[driver->test_count++];
        t->file = mm_arena_strdup(arena, file->valuestring);
        t->verdict = mm_arena_strdup(arena, verdict->valuestring);
        if (!t->file || !t->verdict)
            return false;
    }
    return true;
}

enum mm_class xr_driver_load(const char *path, struct mm_arena *arena, struct xr_driver *driver,
                             struct mm_error *err)
{
    char *bytes;
    size_t length;
    *driver = (struct xr_driver){0};
    enum mm_class c = mm_input_read(MM_INPUT_JSON, path, &bytes, &length, err);
    if (c == MM_OK)
        c = mm_input_check_json(bytes, path, err);
    if (c != MM_OK) {
        mm_free(bytes);
        return c;
    }
    cJSON *root = cJSON_ParseWithLength(bytes, length);
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format");
    mm_free(bytes);
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "refcl-litmus-judgement") != 0) {
        cJSON_Delete(root);
        return mm_fail_at(err, MM_INVALID, "xref.judgement", path, 0, 0, "not a judgement of litmus results");
    }
    const char *name = device_name(root);
    driver->name = mm_arena_strdup(arena, name ? name : path);
    bool ok = driver->name && read_tests(cJSON_GetObjectItemCaseSensitive(root, "tests"), arena, driver);
    cJSON_Delete(root);
    return ok ? MM_OK : mm_out_of_memory(err);
}

/* File names in judgements are those of the command line, so only their ends are compared. */
const char *xr_driver_verdict(const struct xr_driver *driver, const char *file)
{
    size_t n = strlen(file);
    for (size_t i = 0; i < driver->test_count; i++) {
        const char *other = driver->tests[i].file;
        size_t m = strlen(other), common = n < m ? n : m;
        if (common && strcmp(file + n - common, other + m - common) == 0)
            return driver->tests[i].verdict;
    }
    return NULL;
}
