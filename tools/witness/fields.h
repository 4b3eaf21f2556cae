/* Members of the JSON of a witness file, validated.  After the first error every function returns a value in
 * range. */
#ifndef TOOLS_WITNESS_FIELDS_H
#define TOOLS_WITNESS_FIELDS_H

#include "tools/witness/witness.h"

struct witness_reader {
    struct witness *w;
    struct ck_program *program;
    struct ck_execution *execution;
    struct mm_error *err;
    const char *path;
    char where[64];          /* the current element: "events[3]"; "" at the top */
    uint64_t bytes;          /* size of all objects so far */
    uint32_t items, threads; /* of the launch; with copies */
};

/* "PLACE.NAME FORMAT...", unless there was an error before; returns false. */
MM_PRINTF(3, 4) bool witness_wrong(struct witness_reader *r, const char *name, const char *format, ...);
/* Sets the place that errors name. */
MM_PRINTF(2, 3) void witness_enter(struct witness_reader *r, const char *format, ...);
/* Whether there was no error. */
bool witness_good(const struct witness_reader *r);
/* Allocates zeroed memory for one more than COUNT items of SIZE bytes each, with the lifetime of the
 * witness. */
void *witness_memory(struct witness_reader *r, size_t count, size_t size);

/* The number JSON, which is called NAME: as a number, or as decimal digits in a string. */
uint64_t witness_value(struct witness_reader *r, const cJSON *json, const char *name, uint64_t least,
                       uint64_t most);
/* The member NAME of the object JSON; OTHERWISE if there is none. */
uint64_t witness_number(struct witness_reader *r, const cJSON *json, const char *name, uint64_t least,
                        uint64_t most);
uint64_t witness_optional(struct witness_reader *r, const cJSON *json, const char *name, uint64_t most,
                          uint64_t otherwise);
bool witness_flag(const cJSON *json, const char *name);
const char *witness_text(struct witness_reader *r, const cJSON *json, const char *name);
/* NULL where there is none. */
const char *witness_optional_text(struct witness_reader *r, const cJSON *json, const char *name);
const char *const *witness_texts(struct witness_reader *r, const cJSON *json, const char *name,
                                 size_t *count);
/* The bytes of a base64 string. */
const void *witness_bytes(struct witness_reader *r, const cJSON *json, const char *name, size_t *size);
/* The index, below COUNT, for which NAME_OF gives the string. */
uint8_t witness_name(struct witness_reader *r, const cJSON *json, const char *name,
                     const char *(*name_of)(int), int count);
/* The member NAME if the predicate IS (array or object) holds for it, else an empty one. */
const cJSON *witness_part(struct witness_reader *r, const cJSON *json, const char *name,
                          cJSON_bool (*is)(const cJSON *));
/* The length of ARRAY, which is called NAME; 0 after an error. */
size_t witness_count(struct witness_reader *r, const cJSON *array, const char *name, size_t most);

#endif
