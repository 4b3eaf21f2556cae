/* Members of the JSON of a witness file, validated: an error message names the place in the file. */
#include "tools/witness/fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool witness_wrong(struct witness_reader *r, const char *name, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (r->err->cls == MM_OK)
        mm_fail_at(r->err, MM_INVALID, "witness", r->path, 0, 0, "%s%s%s %s", r->where,
                   *r->where && *name ? "." : "", name, text);
    return false;
}

void witness_enter(struct witness_reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->where, sizeof r->where, format, list);
    va_end(list);
}

bool witness_good(const struct witness_reader *r)
{
    return r->err->cls == MM_OK;
}

void *witness_memory(struct witness_reader *r, size_t count, size_t size)
{
    void *memory = mm_arena_alloc(r->w->arena, (count + 1) * size);
    if (!memory && witness_good(r))
        mm_fail(r->err, MM_LIMIT, "memory", "no memory for the witness '%s'", r->path);
    return memory;
}

/* ---- values --------------------------------------------------------------------------------------- */

uint64_t witness_value(struct witness_reader *r, const cJSON *json, const char *name, uint64_t least,
                       uint64_t most)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    const char *text = cJSON_IsString(json) ? json->valuestring : NULL;
    uint64_t value = 0;
    char *end = NULL;
    bool is_number = cJSON_IsNumber(json) && json->valuedouble >= 0 && json->valuedouble <= exact &&
                     json->valuedouble == floor(json->valuedouble);
    if (is_number)
        value = (uint64_t)json->valuedouble;
    else if (text && *text >= '0' && *text <= '9')
        value = strtoull(text, &end, 10);
    if (!is_number && (!end || *end))
        witness_wrong(r, name, "is not a number");
    else if (value < least || value > most)
        witness_wrong(r, name, "is %llu, not one of %llu to %llu", (unsigned long long)value,
                      (unsigned long long)least, (unsigned long long)most);
    return witness_good(r) ? value : least;
}

uint64_t witness_number(struct witness_reader *r, const cJSON *json, const char *name, uint64_t least,
                        uint64_t most)
{
    return witness_value(r, cJSON_GetObjectItemCaseSensitive(json, name), name, least, most);
}

uint64_t witness_optional(struct witness_reader *r, const cJSON *json, const char *name, uint64_t most,
                          uint64_t otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    return item ? witness_value(r, item, name, 0, most) : otherwise;
}

bool witness_flag(const cJSON *json, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static const char *copy_text(struct witness_reader *r, const cJSON *json, const char *name)
{
    if (!cJSON_IsString(json)) {
        witness_wrong(r, name, "is not a string");
        return "";
    }
    size_t length = strlen(json->valuestring);
    char *copy = witness_memory(r, length, 1);
    return copy ? memcpy(copy, json->valuestring, length) : "";
}

const char *witness_text(struct witness_reader *r, const cJSON *json, const char *name)
{
    return copy_text(r, cJSON_GetObjectItemCaseSensitive(json, name), name);
}

const char *witness_optional_text(struct witness_reader *r, const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    return item ? copy_text(r, item, name) : NULL;
}

const cJSON *witness_part(struct witness_reader *r, const cJSON *json, const char *name,
                          cJSON_bool (*is)(const cJSON *))
{
    static const cJSON empty;
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(json, name);
    if (is(part))
        return part;
    witness_wrong(r, name, "is not %s", is == cJSON_IsArray ? "an array" : "an object");
    return &empty;
}

size_t witness_count(struct witness_reader *r, const cJSON *array, const char *name, size_t most)
{
    size_t count = (size_t)cJSON_GetArraySize(array);
    if (count > most)
        witness_wrong(r, name, "has %zu elements, more than %zu", count, most);
    return witness_good(r) ? count : 0;
}

uint8_t witness_name(struct witness_reader *r, const cJSON *json, const char *name,
                     const char *(*name_of)(int), int count)
{
    const char *text = witness_text(r, json, name);
    for (int i = 0; i < count; i++)
        if (strcmp(name_of(i), text) == 0)
            return (uint8_t)i;
    witness_wrong(r, name, "is '%.40s', which is unknown", text);
    return 0;
}

const void *witness_bytes(struct witness_reader *r, const cJSON *json, const char *name, size_t *size)
{
    const char *text = witness_text(r, json, name);
    void *decoded = mm_base64_decode(text, size);
    uint8_t *bytes = decoded ? witness_memory(r, *size, 1) : NULL;
    if (!decoded)
        witness_wrong(r, name, "is not base64");
    if (bytes && *size)
        memcpy(bytes, decoded, *size);
    mm_free(decoded);
    return bytes;
}

const char *const *witness_texts(struct witness_reader *r, const cJSON *json, const char *name, size_t *count)
{
    const cJSON *array = witness_part(r, json, name, cJSON_IsArray), *item;
    const char **texts = witness_memory(r, (size_t)cJSON_GetArraySize(array), sizeof *texts);
    *count = 0;
    cJSON_ArrayForEach(item, array)
    {
        if (texts)
            texts[(*count)++] = copy_text(r, item, name);
    }
    return texts;
}
