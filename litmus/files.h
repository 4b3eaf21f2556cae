/* Reading the JSON of results and judgements. */
#ifndef LITMUS_FILES_H
#define LITMUS_FILES_H

#include "memmodel/memmodel.h"

#include <cjson/cJSON.h>

struct lt_json_kind {
    const char *rule, *format, *what; /* rule of errors; format name in the file; description */
    int version;
    const char *other_format; /* also accepted, NULL if none */
};
/* A file of that kind, which has "tests"; NULL if it is not. */
cJSON *lt_file_json(const char *path, const struct lt_json_kind *kind, struct mm_error *err);
/* The string KEY of OBJECT; "" if there is none. */
const char *lt_text_of(const cJSON *object, const char *key);
/* VALUE as an item that loses no digits, a string beyond 2^53; the value of such an item, 0 if it is none. */
cJSON *lt_exact_json(int64_t value);
int64_t lt_exact_value(const cJSON *item);
/* The number KEY of OBJECT; NaN if there is none. */
double lt_number_of(const cJSON *object, const char *key);

#endif
