/* Files and time. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

double lt_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

char *lt_read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    size_t used = 0, capacity = 65536;
    char *text = malloc(capacity);
    while (text) {
        used += fread(text + used, 1, capacity - used - 1, in);
        if (used < capacity - 1)
            break;
        char *more = realloc(text, 2 * capacity);
        if (!more)
            free(text);
        text = more;
        capacity *= 2;
    }
    int failed = ferror(in) ? errno : 0;
    fclose(in);
    if (text)
        text[used] = '\0';
    if (failed) {
        free(text);
        errno = failed;
    }
    return failed ? NULL : text;
}

/* A new file beside PATH, with the mode that the user gives to new files; its name cannot be known
 * beforehand. */
static FILE *open_draft(const char *path, char *draft, size_t size)
{
    mode_t mask = umask(0);
    umask(mask);
    if (snprintf(draft, size, "%s.XXXXXX", path) >= (int)size) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    int fd = mkostemp(draft, O_CLOEXEC);
    if (fd >= 0 && fchmod(fd, 0666 & ~mask) != 0) {
        close(fd);
        unlink(draft);
        return NULL;
    }
    return fd >= 0 ? fdopen(fd, "wb") : NULL;
}

/* Writes a new file beside the old one and renames it, so that a reader never sees half of it. */
bool lt_save_json(const cJSON *json, const char *name)
{
    char *text = cJSON_Print(json), draft[4096];
    FILE *out = text ? open_draft(name, draft, sizeof draft) : NULL;
    bool ok = out && fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    if (out) {
        ok = fclose(out) == 0 && ok;
        ok = ok && rename(draft, name) == 0;
    }
    free(text);
    if (!ok)
        fprintf(stderr, "cannot write %s: %s\n", name, strerror(errno));
    if (out && !ok)
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

/* A file that calls itself FORMAT; NULL, with a message: it is not WHAT. */
static cJSON *load(const char *path, const char *format, const char *what, int version)
{
    errno = 0;
    char *text = lt_read_file(path);
    if (!text) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno ? errno : ENOMEM));
        return NULL;
    }
    cJSON *json = cJSON_Parse(text);
    free(text);
    const cJSON *name = cJSON_GetObjectItem(json, "format"), *number = cJSON_GetObjectItem(json, "version");
    if (!json)
        fprintf(stderr, "%s: not %s: no JSON, or the end of it is missing\n", path, what);
    else if (!cJSON_IsString(name) || strcmp(name->valuestring, format) != 0 ||
             !cJSON_IsArray(cJSON_GetObjectItem(json, "tests")))
        fprintf(stderr, "%s: not %s\n", path, what);
    else if (lt_json_value(number) != version)
        fprintf(stderr, "%s: %s of version %lld, but this runner reads version %d\n", path, what,
                (long long)lt_json_value(number), version);
    else
        return json;
    cJSON_Delete(json);
    return NULL;
}

cJSON *lt_load_plan(const char *path)
{
    return load(path, "refcl-litmus-plan", "a litmus plan", LT_PLAN_VERSION);
}

cJSON *lt_load_results(const char *path)
{
    return load(path, "refcl-litmus-results", "results of litmus tests", LT_RESULTS_VERSION);
}
