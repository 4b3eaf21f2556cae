/* Files, JSON input and time. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE, also where the runner is built without refcl's Makefile */
#endif
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

double lt_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- reading, within limits (as memmodel/base/input.h, which is not here) ---------------------------- */

enum { MOST_BYTES = 64 << 20, MOST_VALUES = 4 << 20, MOST_TESTS = 1 << 15 };

static uint64_t limit_times(void)
{
    const char *given = getenv("REFCL_INPUT_LIMITS");
    uint64_t times = given && *given ? strtoull(given, NULL, 10) : 1;
    return times == 0 ? 1 : times > LT_MOST_TIMES ? LT_MOST_TIMES : times;
}

static bool is_within(const char *path, uint64_t amount, uint64_t most, const char *what)
{
    uint64_t times = limit_times();
    if (amount <= most * times)
        return true;
    fprintf(
        stderr,
        "%s: more than %llu %s: raise the limit with --input-limits %llu (REFCL_INPUT_LIMITS), if the file "
        "can be trusted\n",
        path, (unsigned long long)(most * times), what,
        (unsigned long long)(amount / most + (amount % most != 0)));
    return false;
}

bool lt_iterations_allowed(const char *path, uint64_t iterations)
{
    return is_within(path, iterations, LT_MOST_ITERATIONS, "instances of a test (or choose --iterations)");
}

/* Reads MOST + 1 bytes at most, so that the caller sees whether the limit is exceeded.  NULL: see errno. */
static char *read_up_to(FILE *in, size_t most)
{
    size_t used = 0, capacity = 65536;
    char *text = malloc(capacity);
    while (text) {
        used += fread(text + used, 1, capacity - used - 1, in);
        if (used < capacity - 1 || used > most)
            break;
        char *more = realloc(text, 2 * capacity);
        if (!more)
            free(text);
        text = more;
        capacity *= 2;
    }
    if (text)
        text[used] = '\0';
    return text;
}

/* Parsed values take many times as much memory as their text. */
static uint64_t count_values(const char *text)
{
    uint64_t values = 1;
    bool quoted = false;
    for (const char *p = text; *p; p++) {
        if (quoted && *p == '\\' && p[1])
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (!quoted)
            values += *p == ',' || *p == '[' || *p == '{';
    }
    return values;
}

static int compare_keys(const void *a, const void *b)
{
    const cJSON *const *x = a, *const *y = b;
    return strcasecmp((*x)->string, (*y)->string);
}

/* The key that an object has twice as cJSON_GetObjectItem compares keys; NULL: none. */
static const char *repeated_key(const cJSON *object)
{
    const char *repeated = NULL;
    const cJSON *member, **members = calloc((size_t)cJSON_GetArraySize(object) + 1, sizeof *members);
    size_t count = 0;
    cJSON_ArrayForEach(member, object)
    {
        if (members)
            members[count++] = member;
    }
    if (count)
        qsort(members, count, sizeof *members, compare_keys);
    for (size_t i = 1; i < count && !repeated; i++)
        repeated = compare_keys(&members[i - 1], &members[i]) == 0 ? members[i]->string : NULL;
    free(members);
    return repeated;
}

/* Places are as in jq, as cJSON has no lines; nesting is as deep as cJSON reads it. */
struct key_place {
    char text[256];
    const char *key;
};
static bool find_repeated_key(const cJSON *json, struct key_place *place, size_t used)
{
    const cJSON *item;
    int index = 0;
    place->text[used] = '\0';
    place->key = cJSON_IsObject(json) ? repeated_key(json) : NULL;
    cJSON_ArrayForEach(item, json)
    {
        size_t room = sizeof place->text - used;
        int added = 0;
        if (place->key)
            break;
        if (item->child && cJSON_IsObject(json))
            added = snprintf(place->text + used, room, ".%s", item->string);
        else if (item->child)
            added = snprintf(place->text + used, room, "[%d]", index);
        if (item->child)
            find_repeated_key(item, place, used + ((size_t)added < room ? (size_t)added : room - 1));
        index++;
    }
    return place->key != NULL;
}

cJSON *lt_read_json(const char *path, bool *read)
{
    errno = 0;
    *read = false;
    FILE *in = fopen(path, "rb");
    char *text = in ? read_up_to(in, MOST_BYTES * limit_times()) : NULL;
    int failed = text && !ferror(in) ? 0 : errno ? errno : ENOMEM;
    cJSON *json = NULL;
    if (failed)
        fprintf(stderr, "%s: %s\n", path, strerror(failed));
    else if (is_within(path, strlen(text), MOST_BYTES, "bytes of JSON") &&
             is_within(path, count_values(text), MOST_VALUES, "values in JSON")) {
        struct key_place place = {0};
        json = cJSON_Parse(text);
        *read = !find_repeated_key(json, &place, 0);
        if (!*read) {
            char key[64];
            snprintf(key, sizeof key, "%s", place.key);
            fprintf(stderr,
                    "%s: the object '%s' has the key '%s' twice (upper and lower case are the same)\n", path,
                    *place.text ? lt_shown(place.text) : ".", lt_shown(key));
            cJSON_Delete(json);
            json = NULL;
        }
    }
    free(text);
    if (in)
        fclose(in);
    return json;
}

static int folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) + 1 : 0;
    return snprintf(folder, size, "%.*s.", n, path) < (int)size ? 0 : -1;
}

/* A new file in the folder of PATH, with the user's default mode.  DRAFT: "" where it has no name yet, so
 * that a killed process leaves none; else, on a file system without such files, an unpredictable one. */
static FILE *open_draft(const char *path, char *draft, size_t size)
{
    mode_t mask = umask(0);
    umask(mask);
    bool may_name = access("/proc/self/fd", X_OK) == 0 && folder_of(path, draft, size) == 0;
    int fd = !may_name ? -1 : open(draft, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *draft = '\0';
    if (fd >= 0)
        return fdopen(fd, "wb");
    if (snprintf(draft, size, "%s.XXXXXX", path) >= (int)size) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    fd = mkstemp(draft);
    if (fd >= 0 && (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fchmod(fd, 0666 & ~mask) != 0)) {
        close(fd);
        unlink(draft);
        return NULL;
    }
    return fd >= 0 ? fdopen(fd, "wb") : NULL;
}

/* Gives OUT the name DRAFT, which is chosen where there is none yet. */
static bool name_draft(FILE *out, const char *path, char *draft, size_t size)
{
    char self[40];
    if (*draft)
        return true;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(out));
    for (unsigned i = 0; i < 100; i++) {
        if (snprintf(draft, size, "%s.%06lx", path,
                     ((unsigned long)random() ^ (unsigned long)getpid()) & 0xffffff) >= (int)size)
            break;
        if (linkat(AT_FDCWD, self, AT_FDCWD, draft, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    *draft = '\0';
    return false;
}

bool lt_is_device(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* A FIFO without a reader is an error. */
static FILE *open_device(const char *path)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_WRONLY);
    return fd >= 0 ? fdopen(fd, "wb") : NULL;
}

/* Writes a new file beside the old one and renames it, so that a reader never sees half of it; /dev/null is
 * not replaced. */
bool lt_save_json(const cJSON *json, const char *name)
{
    bool device = lt_is_device(name);
    char *text = cJSON_Print(json), draft[4096] = "";
    FILE *out = !text ? NULL : device ? open_device(name) : open_draft(name, draft, sizeof draft);
    bool ok = out && fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0 &&
              (device || name_draft(out, name, draft, sizeof draft));
    if (out) {
        ok = fclose(out) == 0 && ok;
        ok = ok && (device || rename(draft, name) == 0);
    }
    free(text);
    if (!ok)
        fprintf(stderr, "cannot write %s: %s\n", name, strerror(errno));
    if (out && !ok && *draft)
        unlink(draft);
    return ok;
}

bool lt_temporary_folder(char *path, size_t size)
{
    const char *base = getenv("TMPDIR");
    if (snprintf(path, size, "%s/refcl-tune-XXXXXX", base && *base ? base : "/tmp") >= (int)size) {
        errno = ENAMETOOLONG;
        return false;
    }
    return mkdtemp(path) != NULL;
}

/* Reads a file of this FORMAT; NULL, with a message, if it is not WHAT. */
static cJSON *load_json(const char *path, const char *format, const char *what, int version)
{
    bool read;
    cJSON *json = lt_read_json(path, &read);
    if (!read)
        return NULL;
    const cJSON *name = cJSON_GetObjectItem(json, "format"), *number = cJSON_GetObjectItem(json, "version");
    if (!json)
        fprintf(stderr, "%s: not %s: no JSON, or the end of it is missing\n", path, what);
    else if (!cJSON_IsString(name) || strcmp(name->valuestring, format) != 0 ||
             !cJSON_IsArray(cJSON_GetObjectItem(json, "tests")))
        fprintf(stderr, "%s: not %s\n", path, what);
    else if (lt_json_value(number) != version)
        fprintf(stderr, "%s: %s of version %lld, but this runner reads version %d\n", path, what,
                (long long)lt_json_value(number), version);
    else if (is_within(path, (uint64_t)cJSON_GetArraySize(cJSON_GetObjectItem(json, "tests")), MOST_TESTS,
                       "tests"))
        return json;
    cJSON_Delete(json);
    return NULL;
}

cJSON *lt_load_plan(const char *path)
{
    return load_json(path, "refcl-litmus-plan", "a litmus plan", LT_PLAN_VERSION);
}

cJSON *lt_load_results(const char *path)
{
    return load_json(path, "refcl-litmus-results", "results of litmus tests", LT_RESULTS_VERSION);
}

/* ---- base64 ---------------------------------------------------------------------------------------- */

static int base64_digit(char c)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

size_t lt_base64(const char *text, unsigned char *bytes)
{
    size_t n = 0;
    uint32_t bits = 0;
    for (unsigned have = 0; base64_digit(*text) >= 0; text++) {
        bits = bits << 6 | (uint32_t)base64_digit(*text);
        have += 6;
        if (have >= 8)
            bytes[n++] = (unsigned char)(bits >> (have -= 8));
    }
    return n;
}

static bool same_text(const cJSON *a, const cJSON *b, const char *key)
{
    return strcmp(lt_json_text(a, key), lt_json_text(b, key)) == 0;
}

cJSON *lt_find_test(const cJSON *tests, const cJSON *wanted)
{
    cJSON *item;
    cJSON_ArrayForEach(item, tests)
    {
        if (same_text(item, wanted, "source") && same_text(item, wanted, "file"))
            return item;
    }
    return NULL;
}
