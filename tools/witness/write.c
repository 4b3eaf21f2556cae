/* Writes witnesses as JSON (tools/schema/witness.schema.json).  Events are in the order of the replay, and
 * are numbered in it. */
#include "memmodel/base/escape.h"
#include "tools/tool.h"
#include "tools/verdict_json.h"
#include "tools/witness/witness.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Numbers of more than 53 bits are strings, as many JSON readers have only doubles. */
static cJSON *number_json(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return value <= UINT64_C(1) << 53 ? cJSON_CreateRaw(text) : cJSON_CreateString(text);
}

static void add_number(cJSON *json, const char *name, uint64_t value)
{
    cJSON_AddItemToObject(json, name, number_json(value));
}

static void add_texts(cJSON *json, const char *name, const char *const *texts, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(json, name);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(texts[i]));
}

static void add_sizes(cJSON *json, const char *name, const uint32_t n[3])
{
    cJSON *array = cJSON_AddArrayToObject(json, name);
    for (int k = 0; k < 3; k++)
        cJSON_AddItemToArray(array, number_json(n[k]));
}

static void add_bytes(cJSON *json, const char *name, const void *bytes, size_t size)
{
    char *text = mm_base64_encode(bytes, size);
    if (text)
        cJSON_AddStringToObject(json, name, text);
    mm_free(text);
}

/* ---- the launch ----------------------------------------------------------------------------------- */

static void add_kernel(cJSON *root, const struct witness *w)
{
    cJSON *json = cJSON_AddObjectToObject(root, "kernel");
    cJSON_AddStringToObject(json, "name", w->program->name);
    if (!mm_is_utf8(w->program->name))
        add_bytes(json, "entry_point", w->program->name, strlen(w->program->name));
    cJSON_AddStringToObject(json, "file", w->file);
    cJSON_AddStringToObject(json, "environment", w->vulkan ? "vulkan" : "opencl");
    if (w->build_options)
        cJSON_AddStringToObject(json, "build_options", w->build_options);
    if (w->source)
        cJSON_AddStringToObject(json, "source", w->source);
    cJSON *constants = cJSON_AddArrayToObject(json, "constants");
    for (size_t i = 0; i < w->options.constant_count; i++) {
        cJSON *c = cJSON_CreateObject();
        add_number(c, "id", w->options.constants[i].id);
        add_number(c, "size", w->options.constants[i].size);
        add_number(c, "value", w->options.constants[i].value);
        cJSON_AddItemToArray(constants, c);
    }
    add_bytes(json, "spirv", w->words, w->word_count * sizeof *w->words);
}

static void add_launch(cJSON *root, const struct witness *w)
{
    cJSON *json = cJSON_AddObjectToObject(root, "launch");
    add_sizes(json, "global", w->global);
    add_sizes(json, "local", w->local);
    add_number(json, "sub_group", w->sub_group);
    cJSON *arguments = cJSON_AddArrayToObject(json, "arguments");
    for (uint32_t k = 0; k < w->info->argument_count; k++) {
        const struct witness_argument *a = &w->arguments[k];
        cJSON *argument = cJSON_CreateObject();
        cJSON_AddStringToObject(argument, "name", w->info->arguments[k].name);
        if (a->bytes)
            add_bytes(argument, "bytes", a->bytes, a->size);
        else if (a->object < w->program->object_count)
            add_number(argument, "object", a->object);
        else
            add_number(argument, "size", a->size);
        if (a->constant)
            cJSON_AddTrueToObject(argument, "constant");
        if (a->image)
            cJSON_AddItemToObject(argument, "image", witness_image_json(a->image));
        if (a->sampler)
            add_number(argument, "sampler", a->sampler);
        cJSON_AddItemToArray(arguments, argument);
    }
}

static cJSON *object_json(const struct ck_object *o)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", o->name);
    cJSON_AddStringToObject(json, "region", mm_region_name((enum mm_region)o->region));
    add_number(json, "size", o->size);
    add_number(json, "element_size", o->element_size);
    if (o->is_signed)
        cJSON_AddTrueToObject(json, "signed");
    if (o->is_float)
        cJSON_AddTrueToObject(json, "float");
    if (o->layout)
        cJSON_AddStringToObject(json, "layout", o->layout);
    if (o->hidden)
        cJSON_AddTrueToObject(json, "hidden");
    if (o->origin == MM_ORIGIN_FINE_SVM_ATOMICS)
        cJSON_AddTrueToObject(json, "svm");
    if (o->work_group >= 0)
        add_number(json, "work_group", (uint64_t)o->work_group);
    cJSON *initial = cJSON_AddArrayToObject(json, "initial");
    for (uint64_t i = 0; o->initial && i < o->size / o->element_size; i++)
        cJSON_AddItemToArray(initial, number_json(o->initial[i]));
    return json;
}

/* ---- the execution -------------------------------------------------------------------------------- */

static void add_state(cJSON *root, const struct witness *w)
{
    cJSON *state = cJSON_AddArrayToObject(root, "state");
    for (uint32_t i = 0; w->execution->shows == CK_SHOWS_STATE && i < w->program->observed_count; i++) {
        const struct ck_term *t = &w->program->observed[i];
        cJSON *json = cJSON_CreateObject();
        add_number(json, "object", t->object);
        add_number(json, "offset", t->offset);
        add_number(json, "size", ck_term_size(w->program, t));
        add_number(json, "value", w->execution->values[i]);
        cJSON_AddItemToArray(state, json);
    }
}

static void add_work_items(cJSON *root, const struct witness *w)
{
    cJSON *array = cJSON_AddArrayToObject(root, "work_items");
    for (uint32_t t = 0; t < w->program->thread_count; t++) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "name", w->program->threads[t].name);
        cJSON_AddStringToObject(json, "ends", witness_ends[w->execution->ends[t]]);
        if (w->execution->ends[t] == CK_WAITS)
            add_number(json, "waits_from", w->execution->wait_from[t]);
        if (w->program->threads[t].agent)
            cJSON_AddTrueToObject(json, "copy");
        if (w->program->threads[t].work_group)
            add_number(json, "work_group", w->program->threads[t].work_group);
        if (w->program->threads[t].device)
            add_number(json, "device", w->program->threads[t].device);
        cJSON_AddItemToArray(array, json);
    }
}

static cJSON *event_json(const struct witness *w, const struct ck_event *h)
{
    cJSON *json = cJSON_CreateObject();
    add_number(json, "event", h->step);
    cJSON_AddStringToObject(json, "kind", mm_kind_name((enum mm_kind)h->kind));
    if (h->thread != CK_NO_THREAD)
        add_number(json, "work_item", h->thread);
    if (h->order)
        cJSON_AddStringToObject(json, "order", mm_order_name((enum mm_order)h->order));
    if (h->object < w->program->object_count) {
        add_number(json, "object", h->object);
        add_number(json, "offset", h->offset);
        add_number(json, "size", h->size);
        add_number(json, "value", h->value);
    }
    if (h->source != CK_NO_EVENT)
        add_number(json, "from", w->execution->events[h->source].step);
    if (h->last)
        cJSON_AddTrueToObject(json, "stays");
    if (h->hidden)
        cJSON_AddTrueToObject(json, "hidden");
    if (h->line)
        add_number(json, "line", h->line);
    if (h->column)
        add_number(json, "column", h->column);
    return json;
}

static bool add_events(cJSON *root, const struct witness *w)
{
    const struct ck_execution *x = w->execution;
    cJSON *array = cJSON_AddArrayToObject(root, "events");
    uint32_t *at = mm_alloc((x->count + 1) * sizeof *at);
    for (size_t i = 0; at && i < x->count; i++)
        at[x->events[i].step] = (uint32_t)i;
    for (size_t i = 0; at && i < x->count; i++)
        cJSON_AddItemToArray(array, event_json(w, &x->events[at[i]]));
    mm_free(at);
    return at;
}

int witness_path(const char *folder, const char *file, size_t number, const struct ck_execution *execution,
                 const char *suffix, char path[])
{
    const char *slash = strrchr(file, '/');
    if (mkdir(folder, 0777) && errno != EEXIST)
        return tool_error(EXIT_USAGE, "cannot make the folder '%s': %s", folder, strerror(errno));
    int n = snprintf(path, PATH_MAX, "%s/%s.%zu.%s.%s", folder, slash ? slash + 1 : file, number,
                     witness_kinds[execution->shows], suffix);
    return n < PATH_MAX ? 0 : tool_error(EXIT_USAGE, "the name of a witness in '%s' is too long", folder);
}

int witness_write(const struct witness *w, const char *path)
{
    char what[WITNESS_TEXT];
    FILE *out = tool_open_output(path);
    if (!out)
        return EXIT_USAGE;
    cJSON *root = verdict_json_root(w->model);
    add_texts(root, "switches", w->switches, w->switch_count);
    add_texts(root, "conditions", w->conditions, w->condition_count);
    witness_describe(w->program, w->execution, what);
    cJSON_AddStringToObject(root, "shows", witness_kinds[w->execution->shows]);
    cJSON_AddStringToObject(root, "what", what + (*what == ' '));
    add_state(root, w);
    if (w->execution->shows == CK_SHOWS_STATE)
        cJSON_AddBoolToObject(root, "satisfies", w->satisfies);
    cJSON *objects = cJSON_AddArrayToObject(root, "objects");
    for (uint32_t i = 0; i < w->program->object_count; i++)
        cJSON_AddItemToArray(objects, object_json(&w->program->objects[i]));
    add_work_items(root, w);
    bool good = add_events(root, w);
    add_launch(root, w);
    add_kernel(root, w);
    int code = json_write(root, out, path);
    return good ? code : tool_error(EXIT_TOOL, "out of memory");
}
