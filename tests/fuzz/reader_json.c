/* The check of JSON before it is parsed: accepted input has no repeated key in an object, as cJSON compares
 * keys. */
#include "memmodel/base/input.h"
#include "memmodel/memmodel.h"
#include "tests/fuzz/reader.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static bool is_ascii(const char *key)
{
    while (*key > 0)
        key++;
    return *key == '\0';
}

/* Keys with other characters, which readers do not look up, may remain. */
static void check_members(const cJSON *json)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, json)
    {
        if (cJSON_IsObject(json) && is_ascii(member->string) &&
            cJSON_GetObjectItem(json, member->string) != member)
            abort();
        check_members(member);
    }
}

static bool read_json(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct mm_error err = {0};
    bool good = mm_input_check_json(text, "fuzz", &err) == MM_OK;
    cJSON *json = good ? cJSON_Parse(text) : NULL;
    check_members(json);
    good = json != NULL;
    cJSON_Delete(json);
    mm_free(text);
    return good;
}

const struct fuzz_reader fuzz_json = {"json", read_json, NULL};
