/* Parsing of a test from text or a file; queries on the parsed test. */
#include "litmus/parse/ast.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/input.h"
#include "memmodel/base/sha256.h"

#include <stdio.h>
#include <string.h>

struct lt_thread *lt_find_thread(const struct lt_test *test, uint32_t number, uint32_t *index)
{
    uint32_t i = 0;
    for (struct lt_thread *t = test->threads; t; t = t->next, i++)
        if (t->number == number) {
            if (index)
                *index = i;
            return t;
        }
    return NULL;
}

const struct lt_param *lt_find_any_param(const struct lt_thread *thread, const char *name)
{
    const struct lt_param *found;
    uint64_t key = mm_fnv1a(MM_FNV1A, name, strlen(name));
    size_t at = 0;
    while ((found = (const struct lt_param *)(uintptr_t)mm_map_next(&thread->params_by_name, key, &at)))
        if (strcmp(found->name, name) == 0)
            break;
    return found;
}

const struct lt_param *lt_find_param(const struct lt_thread *thread, const char *name)
{
    const struct lt_param *found = lt_find_any_param(thread, name);
    return found && found->type.is_pointer ? found : NULL;
}

bool lt_add_param(struct lt_thread *thread, const struct lt_param *param)
{
    uint64_t key = mm_fnv1a(MM_FNV1A, param->name, strlen(param->name));
    return mm_map_add(&thread->params_by_name, key, (uintptr_t)param);
}

static void digest_tokens(const struct lt_lexer *lexer)
{
    struct mm_sha256 hash;
    char digits[65];
    struct lt_test *test = lexer->test;
    mm_sha256_begin(&hash);
    mm_sha256_add(&hash, test->dialect == LT_OPENCL ? "O" : "V", 1);
    mm_sha256_add(&hash, test->name, strlen(test->name) + 1);
    for (size_t i = 0; i < lexer->count; i++)
        mm_sha256_add(&hash, lexer->tokens[i].text, strlen(lexer->tokens[i].text) + 1);
    mm_sha256_end(&hash, digits);
    snprintf(test->digest, sizeof test->digest, "%.*s", LT_DIGEST_SIZE - 1, digits);
}

enum mm_class lt_parse(const char *text, size_t size, const char *file, struct lt_test **test,
                       struct mm_error *err)
{
    struct mm_error scratch;
    err = err ? err : &scratch;
    *err = (struct mm_error){0};
    *test = NULL;
    if (mm_input_check(MM_INPUT_LITMUS, 0, size, file, err) != MM_OK)
        return MM_LIMIT;
    struct mm_arena *arena = mm_arena_create();
    struct lt_test *t = arena ? mm_arena_alloc(arena, sizeof *t) : NULL;
    if (!t) {
        mm_arena_destroy(arena);
        return mm_out_of_memory(err);
    }
    t->arena = arena;
    t->file = mm_arena_strdup(arena, file ? file : "");
    struct lt_lexer lexer = {.test = t, .err = err};
    char *copy = mm_arena_alloc(arena, size + 1);
    if (copy && size)
        memcpy(copy, text, size);
    t->text = copy;
    lexer.failed = !t->file || !copy;
    if (!lexer.failed && lt_lex(&lexer, text, size) == MM_OK) {
        digest_tokens(&lexer);
        if (t->dialect == LT_OPENCL)
            lt_parse_opencl(&lexer);
        else
            lt_parse_vulkan(&lexer);
        if (!lexer.failed)
            lt_parse_final(&lexer);
    }
    if (lexer.failed) {
        lt_test_destroy(t);
        return err->cls == MM_OK ? mm_out_of_memory(err) : err->cls;
    }
    *test = t;
    return MM_OK;
}

enum mm_class lt_parse_file(const char *path, struct lt_test **test, struct mm_error *err)
{
    char *text;
    size_t size;
    *test = NULL;
    enum mm_class cls = mm_input_read(MM_INPUT_LITMUS, path, &text, &size, err);
    if (cls != MM_OK)
        return cls;
    cls = lt_parse(text, size, path, test, err);
    mm_free(text);
    return cls;
}

void lt_test_destroy(struct lt_test *test)
{
    if (!test)
        return;
    for (struct lt_thread *t = test->threads; t; t = t->next)
        mm_map_clear(&t->params_by_name);
    mm_arena_destroy(test->arena);
}

const char *lt_test_name(const struct lt_test *test)
{
    return test->name;
}

const char *lt_test_digest(const struct lt_test *test)
{
    return test->digest;
}

enum lt_dialect lt_test_dialect(const struct lt_test *test)
{
    return test->dialect;
}

const char *lt_test_property(const struct lt_test *test, const char *key)
{
    for (const struct lt_property *p = test->properties; p; p = p->next)
        if (strcmp(p->key, key) == 0)
            return p->value;
    return NULL;
}
