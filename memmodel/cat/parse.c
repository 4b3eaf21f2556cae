/* The cat language: model files and included files. */
#include "memmodel/base/input.h"
#include "memmodel/base/privilege.h"
#include "memmodel/base/sha256.h"
#include "memmodel/cat/node.h"
#include "memmodel/cat/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A model must not make its reader wait for a pipe or a terminal. */
static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Reads a file into the arena of the model; the size of a model with its included files is limited. */
static enum mm_class read_file(struct cat_reader *r, const char *path, char **text, size_t *size)
{
    char *read = NULL;
    enum mm_class cls =
        is_file(path) ? MM_OK
                      : mm_fail_at(r->err, MM_INVALID, "cat.file", path, 0, 0, "cannot read the model file");
    if (cls == MM_OK)
        cls = mm_input_read(MM_INPUT_CAT, path, &read, size, r->err);
    *text = NULL;
    if (cls == MM_OK)
        cls = mm_input_check(MM_INPUT_CAT, 0, r->bytes += *size, path, r->err);
    if (cls == MM_OK) {
        *text = mm_arena_alloc(r->model->arena, *size + 1);
        if (*text)
            memcpy(*text, read, *size);
        else
            cls = mm_out_of_memory(r->err);
    }
    mm_free(read);
    return cls;
}

/* model = { string | name } statements    (the title: the last string, else the first word; then declarations
 * such as "withco" of relations that other tools generate, which always exist here)
 * FILE: its path, beside which included files are looked up; LIBRARY: the name of a built-in text. */
static void parse_text(struct cat_reader *reader, const char *text, size_t size, const char *file, bool top,
                       bool library)
{
    struct cat_parser p = {.reader = reader, .arena = reader->model->arena, .file = file, .library = library};

    cat_lexer_init(&p.lexer, text, size, file);
    cat_next(&p);
    while (!p.failed && (p.token.kind == CAT_STRING || (p.token.kind == CAT_NAME && !cat_at_keyword(&p)))) {
        if (top && (p.token.kind == CAT_STRING || !reader->model->title))
            reader->model->title = cat_copy_text(&p, p.token.start, p.token.length);
        cat_next(&p);
    }
    cat_parse_statements(&p);
}

static const char *(*find_given)(const char *name);

void mm_cat_set_files(const char *(*find)(const char *name))
{
    find_given = find;
}

struct included {
    const char *text; /* NULL: no such file */
    size_t size;
    const char *file; /* its path; LIBRARY: its name */
    bool library;     /* a text that is built in */
};

/* Looks NAME up: by mm_cat_set_files(), then beside the including file, then in the folder $REFCL_MODELS,
 * then among the libraries of other tools (library.c). */
static struct included find_included(struct cat_parser *p, const char *name)
{
    const char *slash = strrchr(p->file, '/');
    char beside[512], path[1024];
    const char *folders[2] = {p->library ? NULL : beside, mm_getenv("REFCL_MODELS")};
    struct included found = {.text = find_given ? find_given(name) : NULL, .file = name};

    if (found.text) {
        found.size = strlen(found.text);
        cat_fail_status(
            p, mm_input_check(MM_INPUT_CAT, 0, p->reader->bytes += found.size, name, p->reader->err));
        return found;
    }
    snprintf(beside, sizeof beside, "%.*s", slash ? (int)(slash - p->file) : 1, slash ? p->file : ".");
    for (unsigned i = 0; i < 2; i++) {
        char *read = NULL;

        if (!folders[i] || snprintf(path, sizeof path, "%s/%s", folders[i], name) >= (int)sizeof path ||
            !is_file(path))
            continue;
        cat_fail_status(p, read_file(p->reader, path, &read, &found.size));
        found.text = read;
        found.file = mm_arena_strdup(p->arena, path);
        if (found.text && !found.file)
            cat_fail_memory(p);
        return found;
    }
    found.library = true;
    found.text = cat_library_text(name);
    found.size = found.text ? strlen(found.text) : 0;
    return found;
}

/* include = "include" string */
void cat_parse_include(struct cat_parser *p)
{
    struct included found;
    struct cat_token at;
    char *name;

    cat_next(p);
    at = p->token;
    if (at.kind != CAT_STRING) {
        cat_fail_token(p, &at, "cat.syntax", "include needs a file name in quotes");
        return;
    }
    name = cat_copy_text(p, at.start, at.length);
    cat_next(p);
    if (!p->failed && p->reader->include_depth == CAT_MAX_INCLUDES)
        cat_fail_token(p, &at, "cat.include", "includes nested too deeply");
    if (p->failed)
        return;
    found = find_included(p, name);
    if (!p->failed && !found.text)
        cat_fail_named(p, &at, "cat.include", "cannot read included file '%.*s'");
    if (p->failed)
        return;
    if (!found.library)
        mm_sha256_add(&p->reader->hash, found.text, found.size);
    p->reader->include_depth++;
    parse_text(p->reader, found.text, found.size, found.file, false, found.library);
    p->reader->include_depth--;
    p->failed = p->reader->status != MM_OK;
}

static enum mm_class check_switches(struct cat_reader *r)
{
    for (const char *const *given = r->switches; given && *given; given++) {
        const char *equals = strchr(*given, '=');
        bool known = false;

        for (unsigned i = 0; i < r->switch_count && equals; i++)
            known = known || (strncmp(*given, r->known[i].name, (size_t)(equals - *given)) == 0 &&
                              r->known[i].name[equals - *given] == '\0');
        if (!known) {
            char names[300] = "";
            for (size_t i = 0, n = 0; i < r->switch_count && n < sizeof names; i++)
                n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "; it has ",
                                      r->known[i].name);
            return mm_fail(r->err, MM_INVALID, "cat.switch",
                           "the model %s has no switch '%.80s' (NAME=VALUE)%s", r->model->name, *given,
                           names);
        }
    }
    return MM_OK;
}

/* Reads a model from TEXT, or from the file NAME if TEXT is NULL. */
static enum mm_class read_model(const char *text, const char *name, const char *const *switches,
                                struct mm_cat_model *m, struct mm_error *err)
{
    struct cat_reader reader = {.model = m, .err = err, .switches = switches};
    size_t size = text ? strlen(text) : 0;
    char *read;
    enum mm_class cls =
        text ? mm_input_check(MM_INPUT_CAT, 0, size, name, err) : read_file(&reader, name, &read, &size);

    if (cls != MM_OK)
        return cls;
    text = text ? text : read;
    m->name = mm_arena_strdup(m->arena, name);
    if (!m->name)
        return mm_out_of_memory(err);
    mm_sha256_begin(&reader.hash);
    mm_sha256_add(&reader.hash, text, size);
    parse_text(&reader, text, size, m->name, true, false);
    if (!reader.status && reader.one_event) {
        const char *atomic = cat_library_text(CAT_ONE_EVENT);

        parse_text(&reader, atomic, strlen(atomic), m->name, false, true);
    }
    mm_sha256_end(&reader.hash, m->sha256);
    cls = reader.status ? reader.status : check_switches(&reader);
    return cls ? cls : cat_flatten(m, err);
}

static struct mm_cat_model *new_model(struct mm_error *err)
{
    struct mm_arena *arena = mm_arena_create();
    struct mm_cat_model *m = arena ? mm_arena_alloc(arena, sizeof *m) : NULL;

    if (!m) {
        mm_arena_destroy(arena);
        mm_out_of_memory(err);
        return NULL;
    }
    m->arena = arena;
    m->order_let = MM_CAT_NO_LET;
    m->order_check = MM_CAT_NO_CHECK;
    return m;
}

enum mm_class mm_cat_parse(const char *text, const char *name, const char *const *switches,
                           struct mm_cat_model **model, struct mm_error *err)
{
    struct mm_cat_model *m = new_model(err);
    enum mm_class r = m ? read_model(text, name, switches, m, err) : MM_LIMIT;

    *model = r ? NULL : m;
    if (r)
        mm_cat_destroy(m);
    return r;
}

enum mm_class mm_cat_load(const char *path, const char *const *switches, struct mm_cat_model **model,
                          struct mm_error *err)
{
    return mm_cat_parse(NULL, path, switches, model, err);
}

void mm_cat_destroy(struct mm_cat_model *model)
{
    if (model)
        mm_arena_destroy(model->arena);
}
