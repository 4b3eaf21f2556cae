/* Files and time. */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* Writes a new file beside the old one and renames it, so that a reader never sees half of it. */
bool lt_save_json(const cJSON *json, const char *name)
{
    char *text = cJSON_Print(json), path[4096];
    bool ok = text && snprintf(path, sizeof path, "%s.new", name) < (int)sizeof path;
    FILE *out = ok ? fopen(path, "wb") : NULL;
    ok = out && fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    if (out)
        ok = fclose(out) == 0 && ok;
    ok = ok && rename(path, name) == 0;
    free(text);
    if (!ok)
        fprintf(stderr, "cannot write %s: %s\n", name, strerror(errno));
    return ok;
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
