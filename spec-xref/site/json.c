/* JSON: clauses with their implementations and checks, the error matrix, sections, gaps, ambiguities. */
#include "spec-xref/xref.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* ---- helpers ------------------------------------------------------------------------------ */

static void json_put_string(cJSON *object, const char *name, const char *text)
{
    if (text && *text)
        cJSON_AddStringToObject(object, name, text);
}

static void put_all(cJSON *object, const char *name, const char *const *texts, size_t count)
{
    if (count)
        cJSON_AddItemToObject(object, name, cJSON_CreateStringArray(texts, (int)count));
}

static cJSON *place_json(const char *file, unsigned line)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "file", file);
    cJSON_AddNumberToObject(object, "line", line);
    return object;
}

char *xr_print_json(cJSON *object)
{
    char *printed = cJSON_Print(object), *text = printed ? mm_strdup(printed) : NULL;
    cJSON_free(printed);
    cJSON_Delete(object);
    return text;
}

/* ---- clauses ------------------------------------------------------------------------------ */

static void put_citations(cJSON *object, const struct xr_links *links, enum xr_role role)
{
    cJSON *array = NULL;
    for (size_t i = 0; i < links->citation_count; i++) {
        const struct xr_citation *c = links->citations[i];
        if (c->role != role || !c->clause)
            continue;
        if (!array)
            array = cJSON_AddArrayToObject(object, xr_role_name(role));
        cJSON_AddItemToArray(array, place_json(c->file, c->line));
    }
}

/* Code that cites the whole section, each file once. */
static void put_section_code(cJSON *object, const struct xr_links *links)
{
    cJSON *array = NULL;
    const char *last = "";
    for (size_t i = 0; i < links->citation_count; i++) {
        const struct xr_citation *c = links->citations[i];
        if (c->clause || (c->role != XR_IMPLEMENTS && c->role != XR_REPORTS) || strcmp(c->file, last) == 0)
            continue;
        if (!array)
            array = cJSON_AddArrayToObject(object, "section_code");
        cJSON_AddItemToArray(array, place_json(c->file, c->line));
        last = c->file;
    }
}

static void put_error_tests(cJSON *object, const struct xr_matrix *m, const struct xr_clause *clause)
{
    cJSON *array = NULL;
    for (size_t i = 0; i < m->citations->error_test_count; i++) {
        const struct xr_error_test *t = &m->citations->error_tests[i];
        bool mine = false;
        for (size_t k = 0; k < clause->entry_count; k++)
            mine = mine || xr_test_is_of(m->db, t, clause, clause->entries[k]);
        if (!mine)
            continue;
        if (!array)
            array = cJSON_AddArrayToObject(object, "error_tests");
        cJSON_AddItemToArray(array, place_json(t->file, t->line));
    }
}

/* Counts of verdicts on the clause's litmus tests, per driver. */
static void put_drivers(cJSON *object, const struct xr_links *links, const struct xr_driver *drivers,
                        size_t count)
{
    cJSON *array = count ? cJSON_AddArrayToObject(object, "drivers") : NULL;
    for (size_t d = 0; d < count; d++) {
        cJSON *verdicts = cJSON_CreateObject();
        for (size_t i = 0; i < links->citation_count; i++) {
            const struct xr_citation *c = links->citations[i];
            const char *verdict = c->clause && (c->role == XR_CHECKS || c->role == XR_GENERATED)
                                      ? xr_driver_verdict(&drivers[d], c->file)
                                      : NULL;
            if (!verdict)
                continue;
            cJSON *number = cJSON_GetObjectItemCaseSensitive(verdicts, verdict);
            if (number)
                cJSON_SetNumberValue(number, number->valuedouble + 1);
            else
                cJSON_AddNumberToObject(verdicts, verdict, 1);
        }
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "name", drivers[d].name);
        cJSON_AddItemToObject(entry, "verdicts", verdicts);
        cJSON_AddItemToArray(array, entry);
    }
}

static void put_ambiguity_ids(cJSON *object, const struct xr_database *db, const char *id)
{
    cJSON *array = NULL;
    for (size_t i = 0; i < db->ambiguity_count; i++)
        for (size_t k = 0; k < db->ambiguities[i].clause_count; k++)
            if (strcmp(db->ambiguities[i].clauses[k], id) == 0) {
                if (!array)
                    array = cJSON_AddArrayToObject(object, "ambiguities");
                cJSON_AddItemToArray(array, cJSON_CreateString(db->ambiguities[i].id));
            }
}

static cJSON *clause_json(const struct xr_matrix *m, size_t index, const struct xr_driver *drivers,
                          size_t count)
{
    const struct xr_clause *c = &m->db->clauses[index];
    const struct xr_links *links = &m->links[index];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "id", c->id);
    cJSON_AddStringToObject(object, "document", c->document);
    cJSON_AddStringToObject(object, "section", c->section);
    cJSON_AddStringToObject(object, "kind", c->kind);
    cJSON_AddStringToObject(object, "text", c->text);
    json_put_string(object, "note", c->note);
    json_put_string(object, "versions", c->versions);
    json_put_string(object, "untested", c->untested);
    json_put_string(object, "code", c->code);
    put_all(object, "entry", c->entries, c->entry_count);
    put_all(object, "errors", c->errors, c->error_count);
    put_citations(object, links, XR_IMPLEMENTS);
    put_citations(object, links, XR_CHECKS);
    put_citations(object, links, XR_GENERATED);
    put_citations(object, links, XR_REPORTS);
    put_section_code(object, links);
    if (*c->code) {
        put_error_tests(object, m, c);
        cJSON_AddStringToObject(object, "evidence", xr_evidence_name(links->evidence));
        json_put_string(object, "reason", xr_evidence_reason(c, links->evidence));
    }
    put_ambiguity_ids(object, m->db, c->id);
    put_drivers(object, links, drivers, links->checks + links->generated ? count : 0);
    return object;
}

static bool is_wanted(const struct xr_clause *c, const char *const *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(ids[i], c->id) == 0)
            return true;
    return !ids;
}

/* ---- sections, errors, gaps --------------------------------------------------------------- */

static cJSON *sections_json(const struct xr_matrix *m)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < m->db->section_count; i++) {
        const struct xr_known_section *s = &m->db->sections[i];
        size_t clauses = 0, implemented = 0, checked = 0;
        for (size_t k = 0; k < m->db->clause_count; k++) {
            const struct xr_clause *c = &m->db->clauses[k];
            const struct xr_links *links = &m->links[k];
            if (strcmp(c->section, s->number) != 0 || strcmp(c->document, s->document) != 0)
                continue;
            clauses++;
            implemented += links->implements || links->reports || links->section_code;
            checked += *c->code ? links->evidence >= XR_INJECTED : links->checks > 0;
        }
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "document", s->document);
        cJSON_AddStringToObject(object, "number", s->number);
        cJSON_AddStringToObject(object, "title", s->title);
        cJSON_AddNumberToObject(object, "clauses", (double)clauses);
        cJSON_AddNumberToObject(object, "implemented", (double)implemented);
        cJSON_AddNumberToObject(object, "checked", (double)checked);
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

/* The object for ENTRY and CODE among ROWS, made if it is not there. */
static cJSON *error_row(cJSON *rows, const char *entry, const char *code)
{
    cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(row, "entry")->valuestring, entry) == 0 &&
            strcmp(cJSON_GetObjectItemCaseSensitive(row, "code")->valuestring, code) == 0)
            return row;
    }
    row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "entry", entry);
    cJSON_AddStringToObject(row, "code", code);
    cJSON_AddArrayToObject(row, "conditions");
    cJSON_AddArrayToObject(row, "tests");
    cJSON_AddItemToArray(rows, row);
    return row;
}

static cJSON *errors_json(const struct xr_matrix *m)
{
    cJSON *rows = cJSON_CreateArray();
    for (size_t i = 0; i < m->db->clause_count; i++) {
        const struct xr_clause *c = &m->db->clauses[i];
        for (size_t k = 0; *c->code && k < c->entry_count; k++) {
            cJSON *row = error_row(rows, c->entries[k], c->code);
            cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(row, "conditions"),
                                 cJSON_CreateString(c->id));
            if (*c->untested && !cJSON_HasObjectItem(row, "untested"))
                cJSON_AddStringToObject(row, "untested", c->untested);
        }
    }
    for (size_t i = 0; i < m->citations->error_test_count; i++) {
        const struct xr_error_test *t = &m->citations->error_tests[i];
        if (!*t->code)
            continue;
        cJSON *row = error_row(rows, t->entry, t->code);
        cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(row, "tests"), place_json(t->file, t->line));
    }
    return rows;
}

static cJSON *gaps_json(const struct xr_matrix *m)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < m->gap_count; i++) {
        const struct xr_gap *g = &m->gaps[i];
        cJSON *object = *g->file ? place_json(g->file, g->line) : cJSON_CreateObject();
        cJSON_AddStringToObject(object, "kind", xr_gap_name(g->kind));
        cJSON_AddStringToObject(object, "subject", g->subject);
        cJSON_AddBoolToObject(object, "error", xr_gap_is_error(g->kind));
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static cJSON *ambiguities_json(const struct xr_database *db)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < db->ambiguity_count; i++) {
        const struct xr_ambiguity *a = &db->ambiguities[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "id", a->id);
        cJSON_AddStringToObject(object, "topic", a->topic);
        cJSON_AddStringToObject(object, "text", a->text);
        json_put_string(object, "reading", a->reading);
        json_put_string(object, "switch", a->switch_name);
        put_all(object, "clauses", a->clauses, a->clause_count);
        put_all(object, "tests", a->tests, a->test_count);
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static cJSON *json_head(const char *format)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", format);
    cJSON_AddNumberToObject(root, "version", 1);
    return root;
}

char *xr_json(const struct xr_matrix *matrix, const struct xr_driver *drivers, size_t driver_count,
              const char *const *ids, size_t id_count)
{
    cJSON *root = json_head("refcl-xref"), *clauses = cJSON_AddArrayToObject(root, "clauses");
    for (size_t i = 0; i < matrix->db->clause_count; i++)
        if (is_wanted(&matrix->db->clauses[i], ids, id_count))
            cJSON_AddItemToArray(clauses, clause_json(matrix, i, drivers, driver_count));
    if (!ids) {
        cJSON_AddItemToObject(root, "sections", sections_json(matrix));
        cJSON_AddItemToObject(root, "errors", errors_json(matrix));
        cJSON_AddItemToObject(root, "gaps", gaps_json(matrix));
        cJSON_AddItemToObject(root, "ambiguities", ambiguities_json(matrix->db));
    }
    return xr_print_json(root);
}

char *xr_json_ambiguities(const struct xr_database *db)
{
    cJSON *root = json_head("refcl-xref-ambiguities");
    cJSON_AddItemToObject(root, "ambiguities", ambiguities_json(db));
    return xr_print_json(root);
}
