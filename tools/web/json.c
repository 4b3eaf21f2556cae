/* See json.h. */
#include "tools/web/json.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>

static void put_string(FILE *out, const char *s)
{
    fputc('"', out);
    while (*s) {
        uint32_t code;
        size_t n = mm_utf8(s, &code);
        if (!n)
            fputs("\\ufffd", out);
        else if (code < 0x20 || code == 0x7f)
            fprintf(out, "\\u%04" PRIx32, code);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

/* What comes before a value. */
static void begin(struct json *json, const char *key)
{
    if (json->follows)
        fputs(",", json->out);
    json->follows = true;
    if (key) {
        put_string(json->out, key);
        fputc(':', json->out);
    }
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin(json, key);
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
    begin(json, key);
    put_string(json->out, text);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
    begin(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}
