/* See json.h. */
#include "tools/web/json.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>

/* Writes the comma and the key before a value. */
static void begin_value(struct json *json, const char *key)
{
    if (json->follows)
        fputs(",", json->out);
    json->follows = true;
    if (key) {
        mm_put_json_string(key, false, json->out);
        fputc(':', json->out);
    }
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    json->follows = false;
}

void json_close(struct json *json, char bracket)
{
    fputc(bracket, json->out);
    json->follows = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin_value(json, key);
    mm_put_json_string(text, false, json->out);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}
