/* Writing JSON where cJSON is not available: in WebAssembly. */
#ifndef TOOLS_WEB_JSON_H
#define TOOLS_WEB_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool follows; /* the object or array has an item already: a comma is due */
};
/* KEY NULL: in an array, or the outermost value. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_text(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);

#endif
