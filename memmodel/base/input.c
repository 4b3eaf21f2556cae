/* Limits of readers, reading of whole files within them, and checks of JSON before cJSON parses it. */
#include "memmodel/base/input.h"
#include "memmodel/base/array.h"
#include "memmodel/base/memory.h"
#include "memmodel/base/privilege.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#ifndef __EMSCRIPTEN__
#include <poll.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    uint64_t base, per_byte;
    const char *what;
} limits[] = {
#define INPUT(name, base, per_byte, what) {base, per_byte, what},
#include "memmodel/base/input.def"
#undef INPUT
};

static uint64_t limit_factor(void)
{
    const char *given = mm_getenv("REFCL_INPUT_LIMITS");
    uint64_t n = given ? strtoull(given, NULL, 10) : 0;
    return n == 0 ? 1 : n > MM_INPUT_MOST_TIMES ? MM_INPUT_MOST_TIMES : n;
}

/* The limit without REFCL_INPUT_LIMITS.  Sizes of files are too small for an overflow. */
static uint64_t plain_limit(enum mm_input kind, uint64_t size)
{
    return limits[kind].base + limits[kind].per_byte * size;
}

static uint64_t input_limit(enum mm_input kind, uint64_t size)
{
    return limit_factor() * plain_limit(kind, size);
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

/* ---- whole files ---- */

bool (*mm_input_interrupted)(void);

enum { LOOK_MS = 100 }; /* between two checks of MM_INPUT_INTERRUPTED */

/* read(2) that also ends, with -1 and EINTR, once MM_INPUT_INTERRUPTED returns true: read(2) itself is
 * resumed after signals whose handlers only set a flag. */
static ssize_t read_some(int fd, char *to, size_t size)
{
#ifndef __EMSCRIPTEN__ /* a web page reads no pipes */
    struct pollfd data = {.fd = fd, .events = POLLIN};
    while (poll(&data, 1, LOOK_MS) <= 0) {
        if (mm_input_interrupted && mm_input_interrupted()) {
            errno = EINTR;
            return -1;
        }
    }
#endif
    return read(fd, to, size);
}

/* Reads at most MOST + 1 bytes, so that the caller sees an excess.  False with errno. */
static bool read_up_to(int fd, uint64_t most, char **text, size_t *size)
{
    size_t capacity = 1 << 16;
    ssize_t got = 1;
    *size = 0;
    *text = mm_alloc(capacity);
    while (*text && *size <= most) {
        size_t wanted = capacity - *size - 1;
        if (most + 1 - *size < wanted)
            wanted = (size_t)(most + 1 - *size);
        got = read_some(fd, *text + *size, wanted);
        if (got < 0 && errno == EAGAIN) /* another process has read the data meanwhile */
            continue;
        if (got <= 0)
            break;
        *size += (size_t)got;
        if (*size + 1 < capacity)
            continue;
        char *more = mm_realloc(*text, 2 * capacity);
        if (!more)
            mm_free(*text);
        *text = more;
        capacity *= 2;
    }
    if (*text)
        (*text)[*size] = '\0';
    else
        errno = ENOMEM;
    return *text && got >= 0;
}

enum mm_class mm_input_read(enum mm_input kind, const char *path, char **text, size_t *size,
                            struct mm_error *err)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *text = NULL;
    *size = 0;
    if (fd < 0)
        return mm_fail_at(err, MM_INVALID, "input.file", path, 0, 0, "cannot open the file: %s",
                          strerror(errno));
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    enum mm_class cls = regular ? mm_input_check(kind, 0, (uint64_t)status.st_size, path, err) : MM_OK;
    if (cls == MM_OK && !read_up_to(fd, input_limit(kind, 0), text, size))
        cls = errno == ENOMEM
                  ? mm_fail_at(err, MM_LIMIT, "input.memory", path, 0, 0, "no memory for the file")
                  : mm_fail_at(err, MM_INVALID, "input.file", path, 0, 0, "cannot read the file: %s",
                               strerror(errno));
    if (cls == MM_OK)
        cls = mm_input_check(kind, 0, *size, path, err);
    close(fd);
    if (cls != MM_OK) {
        mm_free(*text);
        *text = NULL;
    }
    return cls;
}

/* ---- JSON: cJSON reads the first of two members with one key, other parsers the last, and it has no
 * positions ---- */

/* A key of an object: the text between its quotes. */
struct key {
    const char *begin, *end;
};
struct scan {
    struct key *keys; /* of all objects that are open */
    size_t *open;     /* for each open object or array: the count of keys before it */
    size_t key_count, depth;
    struct key repeated; /* the first in the text; NULL: none */
};

/* The character of a key at *P as cJSON_GetObjectItem compares it: escapes decoded, ASCII letters in lower
 * case. Pairs of surrogates remain apart from the same character in UTF-8: no reader looks such a key up. */
static unsigned key_character(const char **p)
{
    static const char escapes[] = "b\bf\fn\nr\rt\t";
    const unsigned char *s = (const unsigned char *)*p;
    *p += s[0] == '\\' ? 2 : 1;
    if (s[0] != '\\')
        return (unsigned)tolower(s[0]);
    if (s[1] == 'u') {
        if (!isxdigit(s[2]) || !isxdigit(s[3]) || !isxdigit(s[4]) || !isxdigit(s[5]))
            return 0; /* cJSON reads other digits as zeros */
        const char digits[] = {(char)s[2], (char)s[3], (char)s[4], (char)s[5], '\0'};
        unsigned code = (unsigned)strtoul(digits, NULL, 16);
        *p += 4;
        return code < 0x80 ? (unsigned)tolower((int)code) : code + 0x100;
    }
    for (const char *e = escapes; *e; e += 2)
        if (s[1] == (unsigned char)*e)
            return (unsigned)e[1];
    return s[1];
}

/* The next character of KEY from *P on; 0 at its end, which for cJSON is \u0000, too. */
static unsigned next_character(const struct key *key, const char **p)
{
    return *p < key->end ? key_character(p) : 0;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    const char *p = x->begin, *q = y->begin;
    unsigned c, d;
    do {
        c = next_character(x, &p);
        d = next_character(y, &q);
    } while (c == d && c);
    return (c > d) - (c < d);
}

static int compare_keys_and_places(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = compare_keys(a, b);
    return order != 0 ? order : x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void close_object(struct scan *s)
{
    size_t first = s->open[--s->depth];
    if (s->key_count > first)
        qsort(s->keys + first, s->key_count - first, sizeof *s->keys, compare_keys_and_places);
    for (size_t i = first + 1; i < s->key_count; i++) {
        bool earliest = !s->repeated.begin || s->keys[i].begin < s->repeated.begin;
        if (earliest && compare_keys(&s->keys[i - 1], &s->keys[i]) == 0)
            s->repeated = s->keys[i];
    }
    s->key_count = first;
}

/* Brackets that do not match are left to the parser.  False: out of memory. */
static bool scan_keys(struct scan *s, const char *text)
{
    struct key last = {0};
    for (const char *p = text; *p; p++) {
        if (*p == '"') {
            last.begin = p + 1;
            for (p++; *p && *p != '"'; p++)
                p += *p == '\\' && p[1];
            last.end = p;
            if (!*p)
                break;
        } else if (*p == ':' && s->depth && last.begin) {
            if (!mm_append(&s->keys, &s->key_count, &last))
                return false;
        } else if (*p == '{' || *p == '[') {
            if (!mm_append(&s->open, &s->depth, &s->key_count))
                return false;
        } else if ((*p == '}' || *p == ']') && s->depth) {
            close_object(s);
        }
    }
    return true;
}

static enum mm_class check_keys(const char *text, const char *path, struct mm_error *err)
{
    struct scan s = {0};
    enum mm_class cls = scan_keys(&s, text) ? MM_OK : mm_out_of_memory(err);
    if (cls == MM_OK && s.repeated.begin) {
        unsigned line = 1, column = 0;
        for (const char *p = text; p < s.repeated.begin; p++) {
            column = *p == '\n' ? 0 : column + 1;
            line += *p == '\n';
        }
        cls =
            mm_fail_at(err, MM_INVALID, "input.key", path, line, column,
                       "the object has the key \"%.*s\" twice (upper and lower case are the same)",
                       (int)(s.repeated.end - s.repeated.begin < 60 ? s.repeated.end - s.repeated.begin : 60),
                       s.repeated.begin);
    }
    mm_free(s.keys);
    mm_free(s.open);
    return cls;
}

static uint64_t count_values(const char *text)
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
    return values;
}

enum mm_class mm_input_check_json(const char *text, const char *path, struct mm_error *err)
{
    enum mm_class cls = mm_input_check(MM_INPUT_JSON_VALUES, 0, count_values(text), path, err);
    return cls == MM_OK ? check_keys(text, path, err) : cls;
}
