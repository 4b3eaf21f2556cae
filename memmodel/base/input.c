/* Limits of readers, and reading of whole files within them. */
#include "memmodel/base/input.h"
#include "memmodel/base/memory.h"
#include "memmodel/base/privilege.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    uint64_t base, per_byte;
    const char *what;
} limits[] = {
#define INPUT(name, base, per_byte, what) {base, per_byte, what},
#include "memmodel/base/input.def"
#undef INPUT
};

static uint64_t times(void)
{
    const char *given = mm_getenv("REFCL_INPUT_LIMITS");
    uint64_t n = given ? strtoull(given, NULL, 10) : 0;
    return n == 0 ? 1 : n > MM_INPUT_MOST_TIMES ? MM_INPUT_MOST_TIMES : n;
}

/* Sizes of files are far from overflow. */
static uint64_t plain_limit(enum mm_input kind, uint64_t size)
{
    return limits[kind].base + limits[kind].per_byte * size;
}

static uint64_t input_limit(enum mm_input kind, uint64_t size)
{
    return times() * plain_limit(kind, size);
}

enum mm_class mm_input_check(enum mm_input kind, uint64_t size, uint64_t amount, const char *path,
                             struct mm_error *err)
{
    uint64_t most = input_limit(kind, size), plain = plain_limit(kind, size);
    if (amount <= most)
        return MM_OK;
    return mm_fail_at(err, MM_LIMIT, "input.limit", path, 0, 0,
                      "more than %" PRIu64 " %s: raise the limit with --input-limits %" PRIu64
                      " (REFCL_INPUT_LIMITS), if the file can be trusted",
                      most, limits[kind].what, amount / plain + (amount % plain != 0));
}

/* Stops one byte above the limit.  False: no memory. */
static bool read_up_to(FILE *in, uint64_t most, char **text, size_t *size)
{
    size_t capacity = 1 << 16;
    *size = 0;
    *text = mm_alloc(capacity);
    while (*text) {
        size_t wanted = capacity - *size - 1;
        if (most + 1 - *size < wanted)
            wanted = (size_t)(most + 1 - *size);
        size_t got = fread(*text + *size, 1, wanted, in);
        *size += got;
        if (got < wanted || *size > most)
            break;
        char *more = mm_realloc(*text, 2 * capacity);
        if (!more)
            mm_free(*text);
        *text = more;
        capacity *= 2;
    }
    if (*text)
        (*text)[*size] = '\0';
    return *text != NULL;
}

enum mm_class mm_input_read(enum mm_input kind, const char *path, char **text, size_t *size,
                            struct mm_error *err)
{
    struct stat status;
    FILE *in = fopen(path, "rb");
    *text = NULL;
    *size = 0;
    if (!in)
        return mm_fail_at(err, MM_INVALID, "input.file", path, 0, 0, "cannot open the file: %s",
                          strerror(errno));
    bool regular = fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode);
    enum mm_class cls = regular ? mm_input_check(kind, 0, (uint64_t)status.st_size, path, err) : MM_OK;
    if (cls == MM_OK && !read_up_to(in, input_limit(kind, 0), text, size))
        cls = mm_fail_at(err, MM_LIMIT, "input.memory", path, 0, 0, "no memory for the file");
    if (cls == MM_OK && ferror(in))
        cls = mm_fail_at(err, MM_INVALID, "input.file", path, 0, 0, "cannot read the file: %s",
                         strerror(errno));
    if (cls == MM_OK)
        cls = mm_input_check(kind, 0, *size, path, err);
    fclose(in);
    if (cls != MM_OK) {
        mm_free(*text);
        *text = NULL;
    }
    return cls;
}

enum mm_class mm_input_check_json(const char *text, const char *path, struct mm_error *err)
{
    uint64_t values = 1;
    bool quoted = false;
    for (const char *p = text; *p; p++)
        if (quoted && *p == '\\' && p[1])
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (!quoted)
            values += *p == ',' || *p == '[' || *p == '{';
    return mm_input_check(MM_INPUT_JSON_VALUES, 0, values, path, err);
}
