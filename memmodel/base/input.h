/* Resource limits of parsers, in proportion to the size of their input, so that a small file cannot cost
 * gigabytes or minutes.  REFCL_INPUT_LIMITS, which every command sets by --input-limits, multiplies all of
 * them. */
#ifndef MEMMODEL_BASE_INPUT_H
#define MEMMODEL_BASE_INPUT_H

#include "memmodel/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum mm_input {
#define INPUT(name, base, per_byte, what) MM_INPUT_##name,
#include "memmodel/base/input.def"
#undef INPUT
    MM_INPUT_COUNT
};
enum { MM_INPUT_MOST_TIMES = 1 << 20 };

/* MM_LIMIT, with an error that names limit and option, where AMOUNT is above the limit of an input of SIZE
 * bytes. PATH may be NULL. */
enum mm_class mm_input_check(enum mm_input kind, uint64_t size, uint64_t amount, const char *path,
                             struct mm_error *err);
/* The whole file PATH (pipes too), with a zero byte behind it; freed with mm_free.  It ends early where
 * MM_INPUT_INTERRUPTED, which may be NULL, returns true. */
extern bool (*mm_input_interrupted)(void);
enum mm_class mm_input_read(enum mm_input kind, const char *path, char **text, size_t *size,
                            struct mm_error *err);
/* Checks a JSON text before it is parsed: MM_LIMIT for too many values, as their parsed form is larger than
 * the text; MM_INVALID, with line and column, for an object with a key twice (RFC 8259, 4), upper and lower
 * case being the same. */
enum mm_class mm_input_check_json(const char *text, const char *path, struct mm_error *err);

#endif
