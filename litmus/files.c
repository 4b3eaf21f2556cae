/* Reads the JSON of results and judgements. */
#include "litmus/files.h"
#include "memmodel/base/input.h"

#include <errno.h>
#include <string.h>

static bool is_kind(const cJSON *format, const struct lt_json_kind *kind)
{
    return cJSON_IsString(format) &&
           (strcmp(format->valuestring, kind->format) == 0 ||
            (kind->other_format && strcmp(format->valuestring, kind->other_format) == 0));
}

cJSON *lt_file_json(const char *path, const struct lt_json_kind *kind, struct mm_error *err)
{
    char *text;
    size_t size;
    if (mm_input_read(MM_INPUT_JSON, path, &text, &size, err) != MM_OK)
        return NULL;
    if (mm_input_check_json(text, path, err) != MM_OK) {
        mm_free(text);
        return NULL;
    }
    cJSON *json = cJSON_Parse(text);
    mm_free(text);
    const cJSON *format = cJSON_GetObjectItem(json, "format"),
                *version = cJSON_GetObjectItem(json, "version");
    if (!json)
        mm_fail_at(err, MM_INVALID, kind->rule, path, 0, 0, "not %s: no JSON, or the end of it is missing",
                   kind->what);
    else if (!is_kind(format, kind) || !cJSON_IsArray(cJSON_GetObjectItem(json, "tests")) ||
             !cJSON_IsNumber(version))
        mm_fail_at(err, MM_INVALID, kind->rule, path, 0, 0, "not %s", kind->what);
    else if (version->valuedouble != kind->version)
        mm_fail_at(err, MM_INVALID, kind->rule, path, 0, 0,
                   "%s of version %g, but this refcl reads version %d", kind->what, version->valuedouble,
                   kind->version);
    else if (mm_input_check(MM_INPUT_JSON_TESTS, 0,
                            (uint64_t)cJSON_GetArraySize(cJSON_GetObjectItem(json, "tests")), path,
                            err) == MM_OK)
        return json;
    cJSON_Delete(json);
    return NULL;
}

enum mm_class lt_cannot_write(const char *path, struct mm_error *err)
{
    return mm_fail_at(err, MM_INVALID, "litmus.file", path, 0, 0, "cannot write: %s", strerror(errno));
}

double lt_number_of(const cJSON *object, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, key));
}

void lt_copy_members(cJSON *to, const cJSON *from, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cJSON_HasObjectItem(from, keys[i]))
            cJSON_AddItemToObject(to, keys[i], cJSON_Duplicate(cJSON_GetObjectItem(from, keys[i]), true));
}
