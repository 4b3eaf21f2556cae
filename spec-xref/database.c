/* The clause database: JSON files in clauses/. */
#include "memmodel/base/array.h"
#include "memmodel/base/input.h"
#include "spec-xref/xref.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 64 };

struct loader {
    struct xr_database *db;
    struct mm_error *err;
    const char *path, *document, *revision;
};

static enum mm_class wrong_entry(struct loader *l, const char *what, const char *where)
{
    return mm_fail_at(l->err, MM_INVALID, "xref.database", l->path, 0, 0, "%s%s%s", what, *where ? ": " : "",
                      where);
}

/* The member NAME as a string in the arena; "" where it is absent, NULL on failure. */
static const char *text_of(struct loader *l, const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? mm_arena_strdup(l->db->arena, item->valuestring) : "";
}

static const char **texts_of(struct loader *l, const cJSON *object, const char *name, size_t *count)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, name), *item;
    size_t n = (size_t)cJSON_GetArraySize(array);
    const char **texts = mm_arena_alloc(l->db->arena, (n + 1) * sizeof *texts);
    *count = 0;
    if (!texts)
        return NULL;
    cJSON_ArrayForEach(item, array)
    {
        texts[*count] = mm_arena_strdup(l->db->arena, cJSON_IsString(item) ? item->valuestring : "");
        if (!texts[(*count)++])
            return NULL;
    }
    return texts;
}

static uint64_t *hashes_of(struct loader *l, const cJSON *object, size_t *count)
{
    size_t n;
    const char **texts = texts_of(l, object, "source", &n);
    uint64_t *hashes = texts ? mm_arena_alloc(l->db->arena, (n + 1) * sizeof *hashes) : NULL;
    if (!hashes)
        return NULL;
    for (size_t i = 0; i < n; i++)
        hashes[i] = strtoull(texts[i], NULL, 16);
    *count = n;
    return hashes;
}

/* Splits "CL 5.2.1 E3" and "CL env 2.1 R1" into document, section and label. */
static bool split_id(struct loader *l, struct xr_clause *c)
{
    const char *last = strrchr(c->id, ' ');
    const char *first = last ? memrchr(c->id, ' ', (size_t)(last - c->id)) : NULL;
    if (!first)
        return false;
    char *document = mm_arena_alloc(l->db->arena, (size_t)(first - c->id) + 1);
    if (!document)
        return false;
    memcpy(document, c->id, (size_t)(first - c->id));
    c->document = document;
    c->label = last + 1;
    size_t n = (size_t)(last - first - 1);
    return strlen(c->section) == n && strncmp(first + 1, c->section, n) == 0;
}

static enum mm_class load_clause(struct loader *l, const cJSON *object)
{
    struct xr_database *db = l->db;
    struct xr_clause c = {.id = text_of(l, object, "id"),
                          .section = text_of(l, object, "section"),
                          .kind = text_of(l, object, "kind"),
                          .text = text_of(l, object, "text"),
                          .note = text_of(l, object, "note"),
                          .versions = text_of(l, object, "versions"),
                          .untested = text_of(l, object, "untested"),
                          .code = text_of(l, object, "code")};
    c.entries = texts_of(l, object, "entry", &c.entry_count);
    c.errors = texts_of(l, object, "errors", &c.error_count);
    c.sources = hashes_of(l, object, &c.source_count);
    if (!c.id || !c.section || !c.kind || !c.text || !c.note || !c.versions || !c.untested || !c.code ||
        !c.entries || !c.errors || !c.sources)
        return mm_out_of_memory(l->err);
    if (!*c.id || !*c.kind || !*c.text || !split_id(l, &c))
        return wrong_entry(l, "a clause needs id (document, section, label), section, kind and text", c.id);
    return mm_append(&db->clauses, &db->clause_count, &c) ? MM_OK : mm_out_of_memory(l->err);
}

static enum mm_class load_section(struct loader *l, const cJSON *object)
{
    struct xr_database *db = l->db;
    struct xr_known_section s = {.document = l->document,
                                 .number = text_of(l, object, "number"),
                                 .title = text_of(l, object, "title")};
    if (!s.number || !s.title)
        return mm_out_of_memory(l->err);
    if (!*s.number)
        return wrong_entry(l, "a section needs a number", "");
    return mm_append(&db->sections, &db->section_count, &s) ? MM_OK : mm_out_of_memory(l->err);
}

static enum mm_class load_ambiguity(struct loader *l, const cJSON *object)
{
    struct xr_database *db = l->db;
    struct xr_ambiguity a = {.id = text_of(l, object, "id"),
                             .topic = text_of(l, object, "topic"),
                             .text = text_of(l, object, "text"),
                             .reading = text_of(l, object, "reading"),
                             .switch_name = text_of(l, object, "switch")};
    a.clauses = texts_of(l, object, "clauses", &a.clause_count);
    a.tests = texts_of(l, object, "tests", &a.test_count);
    if (!a.id || !a.topic || !a.text || !a.reading || !a.switch_name || !a.clauses || !a.tests)
        return mm_out_of_memory(l->err);
    if (!*a.id || !*a.text)
        return wrong_entry(l, "an ambiguity needs id and text", a.id);
    return mm_append(&db->ambiguities, &db->ambiguity_count, &a) ? MM_OK : mm_out_of_memory(l->err);
}

/* Splits "5.2.2 0123456789abcdef", in place. */
static bool split_sentence(const char *text, uint64_t *hash)
{
    char *blank = strchr(text, ' ');
    if (!blank)
        return false;
    *blank = 0;
    *hash = strtoull(blank + 1, NULL, 16);
    return *hash != 0;
}

/* {"clause": "CL 5.2.2 E7", "sentences": ["5.2.2 0123456789abcdef", ...]}: section and hash, in the file's
 * revision. */
static enum mm_class load_wording(struct loader *l, const cJSON *object)
{
    struct xr_database *db = l->db;
    size_t count;
    const char *clause = text_of(l, object, "clause"), **sentences = texts_of(l, object, "sentences", &count);
    if (!clause || !sentences)
        return mm_out_of_memory(l->err);
    for (size_t i = 0; i < count; i++) {
        struct xr_wording w = {l->revision, sentences[i], clause, 0};
        if (!*clause || !*l->revision || !split_sentence(sentences[i], &w.hash))
            return wrong_entry(l, "a wording needs a revision, a clause, and sentences (section, hash)",
                               clause);
        if (!mm_append(&db->wordings, &db->wording_count, &w))
            return mm_out_of_memory(l->err);
    }
    return MM_OK;
}

static const char *const listings[XR_LISTING_COUNT] = {
    [XR_DEFINITION] = "definition",     [XR_ADVICE] = "advice",
    [XR_REFERENCE] = "reference",       [XR_UNOBSERVABLE] = "unobservable",
    [XR_OTHER_DEVICE] = "other-device", [XR_NOT_OFFERED] = "not-offered",
};

const char *xr_listing_name(enum xr_listing listing)
{
    return listings[listing];
}

/* {"class": "advice", "reason": "to applications", "sentences": ["5.2.2 0123456789abcdef", ...]} */
static enum mm_class load_listed(struct loader *l, const cJSON *object)
{
    struct xr_database *db = l->db;
    size_t count, k = 0;
    const char **sentences = texts_of(l, object, "sentences", &count), *name = text_of(l, object, "class");
    struct xr_listed s = {.document = l->document, .reason = text_of(l, object, "reason")};
    if (!sentences || !name || !s.reason)
        return mm_out_of_memory(l->err);
    while (k < XR_LISTING_COUNT && strcmp(name, listings[k]) != 0)
        k++;
    if (k == XR_LISTING_COUNT || !*s.reason)
        return wrong_entry(l, "listed sentences need a reason, and a known class", name);
    s.listing = (enum xr_listing)k;
    for (size_t i = 0; i < count; i++) {
        s.section = sentences[i];
        if (!split_sentence(sentences[i], &s.hash))
            return wrong_entry(l, "a listed sentence needs section and hash", sentences[i]);
        if (!mm_append(&db->listed, &db->listed_count, &s))
            return mm_out_of_memory(l->err);
    }
    return MM_OK;
}

static enum mm_class load_each(struct loader *l, const cJSON *root, const char *name,
                               enum mm_class (*load)(struct loader *, const cJSON *))
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(root, name), *item;
    cJSON_ArrayForEach(item, array)
    {
        enum mm_class c = load(l, item);
        if (c != MM_OK)
            return c;
    }
    return MM_OK;
}

static enum mm_class load_file(struct loader *l)
{
    char *bytes;
    size_t length;
    enum mm_class c = mm_input_read(MM_INPUT_JSON, l->path, &bytes, &length, l->err);
    if (c == MM_OK)
        c = mm_input_check_json(bytes, l->path, l->err);
    if (c != MM_OK) {
        mm_free(bytes);
        return c;
    }
    cJSON *root = cJSON_ParseWithLength(bytes, length);
    mm_free(bytes);
    if (!cJSON_IsObject(root)) {
        cJSON_Delete(root);
        return wrong_entry(l, "not a JSON object", "");
    }
    l->document = text_of(l, root, "document");
    c = l->document ? load_each(l, root, "sections", load_section) : mm_out_of_memory(l->err);
    if (c == MM_OK)
        c = load_each(l, root, "clauses", load_clause);
    if (c == MM_OK)
        c = load_each(l, root, "ambiguities", load_ambiguity);
    if (c == MM_OK)
        c = load_each(l, root, "listed", load_listed);
    l->revision = text_of(l, root, "revision");
    if (c == MM_OK)
        c = l->revision ? load_each(l, root, "wordings", load_wording) : mm_out_of_memory(l->err);
    cJSON_Delete(root);
    return c;
}

/* ---- order -------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b, void *context)
{
    const struct xr_clause *clauses = context;
    return strcmp(clauses[*(const size_t *)a].id, clauses[*(const size_t *)b].id);
}

static enum mm_class index_clauses(struct xr_database *db, struct mm_error *err)
{
    db->by_id = mm_alloc((db->clause_count + 1) * sizeof *db->by_id);
    if (!db->by_id)
        return mm_out_of_memory(err);
    for (size_t i = 0; i < db->clause_count; i++)
        db->by_id[i] = i;
    qsort_r(db->by_id, db->clause_count, sizeof *db->by_id, by_id, db->clauses);
    for (size_t i = 1; i < db->clause_count; i++) {
        const char *id = db->clauses[db->by_id[i]].id;
        if (strcmp(id, db->clauses[db->by_id[i - 1]].id) == 0)
            return mm_fail(err, MM_INVALID, "xref.database", "clause '%s' is defined twice", id);
    }
    return MM_OK;
}

static bool share_call(const struct xr_clause *a, const struct xr_clause *b)
{
    for (size_t i = 0; i < a->entry_count; i++)
        for (size_t k = 0; k < b->entry_count; k++)
            if (strcmp(a->entries[i], b->entries[k]) == 0)
                return true;
    return !a->entry_count;
}

/* Checks that only rules of valid usage name error conditions, which exist and are of a call of the rule. */
static enum mm_class check_errors(const struct xr_database *db, struct mm_error *err)
{
    for (size_t i = 0; i < db->clause_count; i++) {
        const struct xr_clause *c = &db->clauses[i];
        for (size_t k = 0; k < c->error_count; k++) {
            const struct xr_clause *e = xr_database_clause(db, c->errors[k]);
            if (strcmp(c->kind, "usage") != 0 || !e || !*e->code || !share_call(c, e))
                return mm_fail(
                    err, MM_INVALID, "xref.database",
                    "clause '%s' names '%s' as the answer to its violation; that takes a rule of usage and "
                    "an error condition of one of its calls",
                    c->id, c->errors[k]);
        }
    }
    return MM_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_json(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

enum mm_class xr_database_load(const char *folder, struct xr_database *db, struct mm_error *err)
{
    char *names[FILES_MAX], path[4096];
    size_t n = 0;
    *db = (struct xr_database){.arena = mm_arena_create()};
    DIR *dir = opendir(folder);
    if (!db->arena || !dir) {
        if (dir)
            closedir(dir);
        xr_database_free(db);
        return mm_fail_at(err, MM_INVALID, "xref.database", folder, 0, 0,
                          "cannot open the folder of clauses");
    }
    for (struct dirent *e; n < FILES_MAX && (e = readdir(dir));)
        if (is_json(e->d_name) && (names[n] = mm_arena_strdup(db->arena, e->d_name)))
            n++;
    closedir(dir);
    qsort(names, n, sizeof *names, by_name);
    struct loader l = {.db = db, .err = err, .path = path};
    enum mm_class c = MM_OK;
    for (size_t i = 0; i < n && c == MM_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        c = load_file(&l);
    }
    if (c == MM_OK)
        c = index_clauses(db, err);
    if (c == MM_OK)
        c = check_errors(db, err);
    for (size_t i = 0; c == MM_OK && i < db->wording_count; i++)
        if (!xr_database_clause(db, db->wordings[i].clause))
            c = wrong_entry(&l, "a wording of an unknown clause", db->wordings[i].clause);
    if (c != MM_OK)
        xr_database_free(db);
    return c;
}

void xr_database_free(struct xr_database *db)
{
    mm_free(db->clauses);
    mm_free(db->sections);
    mm_free(db->ambiguities);
    mm_free(db->listed);
    mm_free(db->wordings);
    mm_free(db->by_id);
    if (db->arena)
        mm_arena_destroy(db->arena);
    *db = (struct xr_database){0};
}

/* ---- look-up ------------------------------------------------------------------------------ */

bool xr_clause_checkable(const struct xr_clause *clause)
{
    static const char *const kinds[] = {"edge", "value", "order", "undefined", "usage"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(clause->kind, kinds[i]) == 0)
            return true;
    return false;
}

const struct xr_clause *xr_database_clause(const struct xr_database *db, const char *id)
{
    size_t low = 0, high = db->clause_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct xr_clause *c = &db->clauses[db->by_id[middle]];
        int order = strcmp(id, c->id);
        if (!order)
            return c;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct xr_known_section *xr_database_section(const struct xr_database *db, const char *document,
                                                   const char *number)
{
    for (size_t i = 0; i < db->section_count; i++)
        if (strcmp(db->sections[i].document, document) == 0 && strcmp(db->sections[i].number, number) == 0)
            return &db->sections[i];
    return NULL;
}

static bool has_source(const struct xr_clause *c, uint64_t hash)
{
    for (size_t i = 0; i < c->source_count; i++)
        if (c->sources[i] == hash)
            return true;
    return false;
}

/* Whether CALL is one of the blank-separated CALLS, or one that does the same with more arguments and a
 * longer name. */
static bool is_among(const char *call, const char *calls)
{
    size_t length = strlen(call);
    for (const char *p = calls; (p = strstr(p, call)); p += length)
        if (strncmp(p + length, "From", 4) != 0) /* as in clGetDeviceIDsFromD3D10KHR */
            return true;
    return false;
}

/* Whether an error condition of C is one of a call that SENTENCE is about. */
static bool same_call(const struct xr_clause *c, const struct xr_sentence *sentence)
{
    if (!*c->code || !c->entry_count || !*sentence->entry)
        return true;
    for (size_t i = 0; i < c->entry_count; i++)
        if (is_among(c->entries[i], sentence->entry))
            return true;
    return false;
}

bool xr_clause_represents(const struct xr_clause *c, const char *document, const struct xr_sentence *sentence)
{
    return strcmp(c->section, sentence->section) == 0 && strcmp(c->document, document) == 0 &&
           has_source(c, sentence->hash) && same_call(c, sentence);
}

const struct xr_clause *xr_database_sentence(const struct xr_database *db, const char *document,
                                             const struct xr_sentence *sentence)
{
    for (size_t i = 0; i < db->clause_count; i++)
        if (xr_clause_represents(&db->clauses[i], document, sentence))
            return &db->clauses[i];
    for (size_t i = 0; i < db->wording_count; i++) {
        const struct xr_wording *w = &db->wordings[i];
        const struct xr_clause *c = NULL;
        if (w->hash == sentence->hash && strcmp(w->section, sentence->section) == 0)
            c = xr_database_clause(db, w->clause);
        if (c && strcmp(c->document, document) == 0 && same_call(c, sentence))
            return c;
    }
    return NULL;
}

const struct xr_clause *xr_database_hash(const struct xr_database *db, const char *document,
                                         const struct xr_sentence *sentence)
{
    for (size_t i = 0; i < db->clause_count; i++) {
        const struct xr_clause *c = &db->clauses[i];
        if (strcmp(c->document, document) == 0 && has_source(c, sentence->hash) && same_call(c, sentence))
            return c;
    }
    return NULL;
}

const struct xr_listed *xr_database_listed(const struct xr_database *db, const char *document,
                                           const struct xr_sentence *sentence)
{
    for (size_t i = 0; i < db->listed_count; i++) {
        const struct xr_listed *s = &db->listed[i];
        if (s->hash == sentence->hash && strcmp(s->section, sentence->section) == 0 &&
            strcmp(s->document, document) == 0)
            return s;
    }
    return NULL;
}
