/* The litmus tests whose verdict differs or is undecided under two revisions of the specification, as values
 * of the switch "version" of opencl.cat, decided by search. */
#include "tools/cmd/xref_verdicts.h"
#include "litmus/litmus.h"
#include "memmodel/base/array.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_FOLDERS = 16, BOTH = 2 };

static struct {
    char **files;
    size_t count;
    bool failed;
} found;

static int note_file(const char *path, const struct stat *status, int type, struct FTW *at)
{
    const char *dot = strrchr(path, '.');
    (void)status;
    (void)at;
    if (type != FTW_F || !dot || strcmp(dot, ".litmus") != 0 || strstr(path, "/generated"))
        return 0;
    char *copy = mm_strdup(path), **added = copy ? mm_add(&found.files, &found.count) : NULL;
    if (added)
        *added = copy;
    found.failed = !added;
    return found.failed;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int load_models(const char *path, const char *const revisions[BOTH], struct mm_cat_model *models[BOTH])
{
    for (size_t i = 0; i < BOTH; i++) {
        struct mm_error err = {0};
        char setting[64];
        const char *switches[] = {setting, NULL};
        snprintf(setting, sizeof setting, "version=%s", revisions[i]);
        if (mm_cat_load(path, switches, &models[i], &err) != MM_OK)
            return tool_report(&err);
    }
    return 0;
}

static char answer_letter(enum ck_answer a, char yes, char no)
{
    return a == CK_YES ? yes : a == CK_NO ? no : 'u';
}

static enum mm_class decide_program(const struct ck_program *program, const struct mm_cat_model *model,
                                    char text[3], struct mm_error *err)
{
    struct ck_verdict v = {0};
    enum mm_class c = ck_search(program, model, &(struct ck_options){.timeout_ms = 20000}, &v, err);
    if (c == MM_OK) {
        text[0] = answer_letter(v.condition, 'h', 'f');
        text[1] = answer_letter(ck_verdict_undefined(&v), 'r', '-');
        text[2] = 0;
    }
    ck_verdict_clear(&v);
    return c;
}

enum comparison { SAME, UNDECIDED, DIFFERENT };

static enum comparison compare_verdicts(const char a[3], const char b[3])
{
    enum comparison result = SAME;
    for (size_t i = 0; i < 2; i++) {
        bool unknown = a[i] == 'u' || b[i] == 'u';
        enum comparison letter = unknown ? UNDECIDED : a[i] != b[i] ? DIFFERENT : SAME;
        result = letter > result ? letter : result;
    }
    return result;
}

static int compare_file(const char *file, struct mm_cat_model *const models[BOTH], struct xref_verdicts *out)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    char texts[BOTH][3];
    enum mm_class c = lt_parse_file(file, &test, &err);
    bool opencl = c == MM_OK && lt_test_dialect(test) == LT_OPENCL;
    if (opencl)
        c = lt_lower(test, &program, &err);
    for (size_t i = 0; c == MM_OK && opencl && i < BOTH; i++)
        c = decide_program(program, models[i], texts[i], &err);
    struct xref_verdict *v = NULL;
    enum comparison result = c == MM_OK && opencl ? compare_verdicts(texts[0], texts[1]) : SAME;
    if (result != SAME) {
        v = mm_add(&out->tests, &out->count);
        if (!v)
            c = mm_out_of_memory(&err);
    }
    if (v) {
        *v = (struct xref_verdict){.file = mm_strdup(file), .undecided = result == UNDECIDED};
        memcpy(v->before, texts[0], sizeof v->before);
        memcpy(v->after, texts[1], sizeof v->after);
        for (uint32_t i = 0; i < program->thread_count; i++)
            v->size += program->threads[i].instr_count;
    }
    out->differing += result == DIFFERENT;
    out->compared += opencl;
    ck_program_destroy(program);
    lt_test_destroy(test);
    return c == MM_OK ? 0 : tool_report(&err);
}

int xref_verdicts(const char *root, const char *folder, const char *revisions, struct xref_verdicts *out)
{
    char model[PATH_MAX + 40], tests[PATH_MAX + 40], text[64];
    struct mm_cat_model *models[BOTH] = {NULL, NULL};
    *out = (struct xref_verdicts){0};
    snprintf(text, sizeof text, "%s", revisions);
    char *comma = strchr(text, ',');
    if (!comma || strlen(revisions) >= sizeof text)
        return tool_error(EXIT_USAGE,
                          "'%s': two revisions with a comma between them are needed, such as 3.0,3.1.1",
                          revisions);
    *comma = 0;
    snprintf(model, sizeof model, "%s/memmodel/models/opencl.cat", root);
    snprintf(tests, sizeof tests, "%s/litmus/suite", root);
    int code = load_models(model, (const char *const[]){text, comma + 1}, models);
    if (!code && (nftw(folder ? folder : tests, note_file, OPEN_FOLDERS, FTW_PHYS) != 0 || found.failed))
        code = tool_error(EXIT_USAGE, "'%s' cannot be read", folder ? folder : tests);
    if (found.count)
        qsort(found.files, found.count, sizeof *found.files, by_name);
    for (size_t i = 0; i < found.count; i++) {
        if (!code)
            code = compare_file(found.files[i], models, out);
        mm_free(found.files[i]);
    }
    mm_free(found.files);
    for (size_t i = 0; i < BOTH; i++)
        mm_cat_destroy(models[i]);
    return code;
}

const struct xref_verdict *xref_verdicts_smallest(const struct xref_verdicts *v)
{
    const struct xref_verdict *smallest = NULL;
    for (size_t i = 0; i < v->count; i++)
        if (!v->tests[i].undecided && (!smallest || v->tests[i].size < smallest->size))
            smallest = &v->tests[i];
    return smallest;
}

void xref_verdicts_free(struct xref_verdicts *v)
{
    for (size_t i = 0; i < v->count; i++)
        mm_free(v->tests[i].file);
    mm_free(v->tests);
    *v = (struct xref_verdicts){0};
}
