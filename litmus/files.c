/* Files that litmus tests and what is known of them come in. */
#include "litmus/files.h"

#include <errno.h>
#include <string.h>

enum mm_class lt_file_text(const char *path, size_t most, char **text, size_t *size, struct mm_error *err)
{
    FILE *in = fopen(path, "rb");
    size_t capacity = 65536;
    *size = 0;
    *text = NULL;
    if (!in)
        return mm_fail_at(err, MM_INVALID, "litmus.file", path, 0, 0, "cannot open the file: %s",
                          strerror(errno));
    char *read = mm_alloc(capacity), *more = read;
    while (more) {
        *size += fread(read + *size, 1, capacity - *size - 1, in);
        if (*size < capacity - 1 || *size > most)
            break;
        more = mm_realloc(read, 2 * capacity);
        read = more ? more : read;
        capacity *= 2;
    }
    int failed = ferror(in) ? errno : 0;
    fclose(in);
    if (!more || failed) {
        mm_free(read);
        return failed ? mm_fail_at(err, MM_INVALID, "litmus.file", path, 0, 0, "cannot read the file: %s",
                                   strerror(failed))
                      : mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    }
    read[*size] = '\0';
    *text = read;
    return MM_OK;
}

cJSON *lt_file_json(const char *path, const struct lt_json_kind *kind, struct mm_error *err)
{
    char *text;
    size_t size;
    if (lt_file_text(path, SIZE_MAX, &text, &size, err) != MM_OK)
        return NULL;
    cJSON *json = cJSON_Parse(text);
    mm_free(text);
    const cJSON *format = cJSON_GetObjectItem(json, "format"),
                *version = cJSON_GetObjectItem(json, "version");
    if (!json)
        mm_fail_at(err, MM_INVALID, kind->rule, path, 0, 0, "not %s: no JSON, or the end of it is missing",
                   kind->what);
    else if (!cJSON_IsString(format) || strcmp(format->valuestring, kind->format) != 0 ||
             !cJSON_IsArray(cJSON_GetObjectItem(json, "tests")) || !cJSON_IsNumber(version))
        mm_fail_at(err, MM_INVALID, kind->rule, path, 0, 0, "not %s", kind->what);
    else if (version->valuedouble != kind->version)
        mm_fail_at(err, MM_INVALID, kind->rule, path, 0, 0,
                   "%s of version %g, but this refcl reads version %d", kind->what, version->valuedouble,
                   kind->version);
    else
        return json;
    cJSON_Delete(json);
    return NULL;
}
