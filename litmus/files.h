/* Reading the JSON of results and judgements. */
#ifndef LITMUS_FILES_H
#define LITMUS_FILES_H

#include "litmus/run/json.h"
#include "memmodel/memmodel.h"

struct lt_json_kind {
    const char *rule, *format, *what; /* rule of errors; format name in the file; description */
    int version;
    const char *other_format; /* also accepted, NULL if none */
};
/* A file of that kind, which has "tests"; NULL if it is not. */
cJSON *lt_file_json(const char *path, const struct lt_json_kind *kind, struct mm_error *err);
/* The number KEY of OBJECT; NaN if there is none. */
double lt_number_of(const cJSON *object, const char *key);

#endif
