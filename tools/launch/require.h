/* Conditions on a launch, as `--requires` takes them: comparisons of integers, joined by and, or, not.
 *
 *     n <= 64 and a[i] < n and size(a) >= 4 * n and local_size(0) == 16
 *
 * size(NAME): bytes of the object that an argument points to.  NAME[INDEX]: an element of it; a name in INDEX
 * that is no argument ranges over every index. */
#ifndef TOOLS_LAUNCH_REQUIRE_H
#define TOOLS_LAUNCH_REQUIRE_H

#include "memmodel/memmodel.h"

enum require_op {
    REQUIRE_NUMBER,      /* value */
    REQUIRE_NAME,        /* name */
    REQUIRE_ELEMENT,     /* name, a: the index */
    REQUIRE_SIZE,        /* name */
    REQUIRE_GLOBAL_SIZE, /* value: the dimension */
    REQUIRE_LOCAL_SIZE,
    REQUIRE_NUM_GROUPS,
    REQUIRE_OFFSET,
    REQUIRE_NEGATIVE, /* a */
    REQUIRE_ADD,      /* a, b */
    REQUIRE_SUBTRACT,
    REQUIRE_MULTIPLY,
    REQUIRE_EQUAL, /* a, b: the first condition */
    REQUIRE_NOT_EQUAL,
    REQUIRE_LESS,
    REQUIRE_AT_MOST,
    REQUIRE_NOT, /* a */
    REQUIRE_AND, /* a, b */
    REQUIRE_OR
};
struct require {
    enum require_op op;
    int64_t value;
    const char *name;
    const char *at; /* where it begins in the text, for messages */
    const struct require *a, *b;
};

/* The condition that TEXT states, in ARENA; NULL: MESSAGE, of SIZE bytes, says what is wrong. */
const struct require *require_read(struct mm_arena *arena, const char *text, char *message, size_t size);

#endif
