/* Reading the JSON of results and judgements. */
#ifndef LITMUS_FILES_H
#define LITMUS_FILES_H

#include "litmus/run/json.h"
#include "memmodel/memmodel.h"

struct lt_json_kind {
    const char *rule, *format,
        *what; /* rule of errors; the member "format" of the file; description in errors */
    int version;
    const char *other_format; /* also accepted, NULL if none */
};
/* The JSON of the file PATH, which the caller deletes; NULL if it is not of KIND, or has no "tests". */
cJSON *lt_file_json(const char *path, const struct lt_json_kind *kind, struct mm_error *err);
/* The error of a file that cannot be written, by errno. */
enum mm_class lt_cannot_write(const char *path, struct mm_error *err);
/* The number KEY of OBJECT; NaN if there is none. */
double lt_number_of(const cJSON *object, const char *key);
/* Copies those of the members KEYS that FROM has. */
void lt_copy_members(cJSON *to, const cJSON *from, const char *const *keys, size_t count);

#endif
