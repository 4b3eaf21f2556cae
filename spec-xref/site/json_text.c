/* JSON: a specification against the database, two versions of one. */
#include "spec-xref/xref.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

static cJSON *sentence_json(const struct xr_sentence *s, bool with_text)
{
    char hash[20];
    cJSON *object = cJSON_CreateObject();
    snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
    cJSON_AddStringToObject(object, "section", s->section);
    cJSON_AddNumberToObject(object, "line", s->line);
    cJSON_AddStringToObject(object, "hash", hash);
    cJSON_AddStringToObject(object, "marker", xr_marker_name(s->marker));
    if (*s->entry)
        cJSON_AddStringToObject(object, "entry", s->entry);
    if (*s->code)
        cJSON_AddStringToObject(object, "code", s->code);
    if (with_text)
        cJSON_AddStringToObject(object, "text", s->text);
    return object;
}

char *xr_json_extract(const struct xr_extract *extract, const struct xr_text *text, bool with_text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", "refcl-xref-extract");
    cJSON_AddNumberToObject(root, "version", 1);
    cJSON_AddStringToObject(root, "document", text->document);
    cJSON *chapters = cJSON_AddArrayToObject(root, "chapters");
    for (size_t i = 0; i < extract->chapter_count; i++) {
        const struct xr_chapter *c = &extract->chapters[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "chapter", c->name);
        cJSON_AddNumberToObject(object, "normative", (double)c->normative);
        cJSON_AddNumberToObject(object, "mapped", (double)c->mapped);
        cJSON *listed = cJSON_AddObjectToObject(object, "listed");
        for (int k = 0; k < XR_LISTING_COUNT; k++)
            cJSON_AddNumberToObject(listed, xr_listing_name((enum xr_listing)k), (double)c->listed[k]);
        cJSON_AddItemToArray(chapters, object);
    }
    cJSON *sentences = cJSON_AddArrayToObject(root, "sentences");
    for (size_t i = 0; i < extract->match_count; i++) {
        const struct xr_match *m = &extract->matches[i];
        cJSON *object = sentence_json(m->sentence, with_text);
        if (m->clause)
            cJSON_AddStringToObject(object, "clause", m->clause->id);
        if (m->listed) {
            cJSON_AddStringToObject(object, "listed", xr_listing_name(m->listed->listing));
            cJSON_AddStringToObject(object, "reason", m->listed->reason);
        }
        if (m->touches)
            cJSON_AddStringToObject(object, "touches", m->touches->id);
        cJSON_AddItemToArray(sentences, object);
    }
    cJSON *stale = cJSON_AddArrayToObject(root, "stale");
    for (size_t i = 0; i < extract->stale_count; i++)
        cJSON_AddItemToArray(stale, cJSON_CreateString(extract->stale[i]->id));
    return xr_print_json(root);
}

char *xr_json_diff(const struct xr_diff *diff, bool with_text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", "refcl-xref-diff");
    cJSON_AddNumberToObject(root, "version", 1);
    cJSON *changes = cJSON_AddArrayToObject(root, "changes");
    for (size_t i = 0; i < diff->change_count; i++) {
        const struct xr_change *c = &diff->changes[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "kind", xr_change_name(c->kind));
        if (c->clause)
            cJSON_AddStringToObject(object, "clause", c->clause->id);
        if (c->restated)
            cJSON_AddTrueToObject(object, "restated");
        if (c->before)
            cJSON_AddItemToObject(object, "before", sentence_json(c->before, with_text));
        if (c->after)
            cJSON_AddItemToObject(object, "after", sentence_json(c->after, with_text));
        cJSON_AddItemToArray(changes, object);
    }
    return xr_print_json(root);
}
