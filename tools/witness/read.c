/* Reads witnesses (tools/schema/witness.schema.json). The input is untrusted: every number is validated
 * before use, and an error message names its place in the file. */
#include "memmodel/base/input.h"
#include "tools/tool.h"
#include "tools/witness/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 4096, MOST_OBJECTS = 65536, MOST_EVENTS = 1 << 20, MOST_BYTES = 1 << 26 };

static const char *kind_name(int i)
{
    return mm_kind_name((enum mm_kind)i);
}
static const char *order_name(int i)
{
    return mm_order_name((enum mm_order)i);
}
static const char *region_name(int i)
{
    return mm_region_name((enum mm_region)i);
}
static const char *end_name(int i)
{
    return witness_ends[i];
}
static const char *shows_name(int i)
{
    return witness_kinds[i];
}

/* ---- the program ---------------------------------------------------------------------------------- */

static bool take_object(struct witness_reader *r, const cJSON *json)
{
    struct ck_object o = {.name = witness_text(r, json, "name"),
                          .size = witness_number(r, json, "size", 0, MOST_BYTES),
                          .element_size = (uint8_t)witness_number(r, json, "element_size", 1, 8),
                          .region = witness_name(r, json, "region", region_name, MM_REGION_COUNT),
                          .origin = witness_flag(json, "svm") ? MM_ORIGIN_FINE_SVM_ATOMICS : MM_ORIGIN_BUFFER,
                          .is_signed = witness_flag(json, "signed"),
                          .is_float = witness_flag(json, "float"),
                          .layout = witness_optional_text(r, json, "layout"),
                          .hidden = witness_flag(json, "hidden"),
                          .alias_of = r->program->object_count};
    o.work_group = (int32_t)witness_optional(r, json, "work_group", MOST_ITEMS, UINT32_MAX);
    const cJSON *values = witness_part(r, json, "initial", cJSON_IsArray), *item;
    size_t i = 0, count = (size_t)cJSON_GetArraySize(values);
    uint64_t *initial = witness_memory(r, count, sizeof *initial);
    if (witness_good(r) && (o.size % o.element_size || (count && count != o.size / o.element_size)))
        return witness_wrong(r, "initial", "has %zu values of %u bytes where there are %llu bytes", count,
                             o.element_size, (unsigned long long)o.size);
    uint64_t most = o.element_size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * o.element_size) - 1;
    cJSON_ArrayForEach(item, values)
    {
        if (initial)
            initial[i++] = witness_value(r, item, "initial", 0, most);
    }
    o.initial = count ? initial : NULL;
    r->bytes += o.size;
    if (r->bytes > MOST_BYTES)
        return witness_wrong(r, "size", "makes it more than %d bytes of memory", MOST_BYTES);
    return witness_good(r) && ck_program_add_object(r->program, &o) != CK_NOT_ADDED;
}

static bool take_objects(struct witness_reader *r, const cJSON *root)
{
    const cJSON *objects = witness_part(r, root, "objects", cJSON_IsArray), *item;
    size_t i = 0;
    witness_count(r, objects, "objects", MOST_OBJECTS);
    cJSON_ArrayForEach(item, objects)
    {
        witness_enter(r, "objects[%zu]", i++);
        if (!take_object(r, item))
            return false;
    }
    witness_enter(r, "%s", "");
    return witness_good(r);
}

static bool take_work_items(struct witness_reader *r, const cJSON *root)
{
    const cJSON *items = witness_part(r, root, "work_items", cJSON_IsArray), *item;
    size_t i = 0, count = witness_count(r, items, "work_items", MOST_ITEMS);
    struct ck_execution *x = r->execution;
    x->ends = witness_memory(r, count, sizeof *x->ends);
    x->wait_from = witness_memory(r, count, sizeof *x->wait_from);
    r->threads = (uint32_t)count;
    if (witness_good(r) && count < r->items)
        witness_wrong(r, "work_items", "has %zu elements, the launch has %u", count, r->items);
    cJSON_ArrayForEach(item, items)
    {
        if (!witness_good(r))
            break;
        witness_enter(r, "work_items[%zu]", i);
        struct ck_thread thread = {.name = witness_text(r, item, "name"),
                                   .agent = witness_flag(item, "copy"),
                                   .work_group =
                                       (uint32_t)witness_optional(r, item, "work_group", MOST_ITEMS, 0),
                                   .device = (uint32_t)witness_optional(r, item, "device", MOST_ITEMS, 0)};
        if (witness_good(r) && thread.agent != (i >= r->items))
            witness_wrong(r, "copy", "must be true after the %u work-items of the launch", r->items);
        x->ends[i] = (enum ck_end)witness_name(r, item, "ends", end_name, CK_IS_LEFT + 1);
        x->wait_from[i++] = (uint32_t)witness_optional(r, item, "waits_from", MOST_EVENTS, 0);
        if (ck_program_add_thread(r->program, &thread) == CK_NOT_ADDED)
            return witness_wrong(r, "", "cannot be kept: out of memory");
    }
    witness_enter(r, "%s", "");
    return witness_good(r);
}

/* Reads the place of an access: SIZE bytes, at most 8, at OFFSET of an object. */
static void take_place(struct witness_reader *r, const cJSON *json, uint32_t *object, uint32_t *offset,
                       uint32_t *size)
{
    uint32_t count = r->program->object_count;
    *object = (uint32_t)witness_number(r, json, "object", 0, count ? count - 1 : 0);
    if (count == 0)
        witness_wrong(r, "object", "is of no object");
    uint64_t bytes = witness_good(r) ? r->program->objects[*object].size : 0;
    *size = (uint32_t)witness_number(r, json, "size", 1, bytes < 8 ? bytes : 8);
    *offset = (uint32_t)witness_number(r, json, "offset", 0, bytes - *size);
}

static bool take_state(struct witness_reader *r, const cJSON *root)
{
    const cJSON *state = witness_part(r, root, "state", cJSON_IsArray), *item;
    size_t i = 0, count = witness_count(r, state, "state", MOST_OBJECTS);
    uint64_t *values = witness_memory(r, count, sizeof *values);
    r->execution->values = values;
    cJSON_ArrayForEach(item, state)
    {
        struct ck_term term = {.kind = CK_TERM_MEMORY};
        uint32_t size;
        if (!witness_good(r))
            break;
        witness_enter(r, "state[%zu]", i);
        take_place(r, item, &term.object, &term.offset, &size);
        term.size = (uint8_t)size;
        values[i++] = witness_number(r, item, "value", 0, UINT64_MAX);
        if (witness_good(r) && ck_program_add_observed(r->program, &term) == CK_NOT_ADDED)
            return witness_wrong(r, "", "cannot be kept: out of memory");
    }
    witness_enter(r, "%s", "");
    return witness_good(r);
}

/* ---- events --------------------------------------------------------------------------------------- */

static bool is_access(const struct ck_event *h)
{
    return h->kind == MM_READ || h->kind == MM_WRITE || h->kind == MM_INIT;
}

static bool is_event_kind(uint8_t kind)
{
    static const uint8_t kinds[] = {MM_INIT,          MM_READ,         MM_WRITE,      MM_FENCE,
                                    MM_BARRIER_ENTRY, MM_AVAILABILITY, MM_VISIBILITY, MM_API_CALL};
    return memchr(kinds, kind, sizeof kinds);
}

static void take_event(struct witness_reader *r, const cJSON *json, size_t number, size_t count,
                       struct ck_event *h)
{
    *h = (struct ck_event){.kind = witness_name(r, json, "kind", kind_name, MM_KIND_COUNT),
                           .thread =
                               (uint32_t)witness_optional(r, json, "work_item", r->threads - 1, CK_NO_THREAD),
                           .line = (uint32_t)witness_optional(r, json, "line", UINT32_MAX, 0),
                           .column = (uint32_t)witness_optional(r, json, "column", UINT32_MAX, 0),
                           .source = (uint32_t)witness_optional(r, json, "from", count - 1, CK_NO_EVENT),
                           .last = witness_flag(json, "stays"),
                           .hidden = witness_flag(json, "hidden"),
                           .step = (uint32_t)witness_number(r, json, "event", number, number),
                           .object = CK_NO_OBJECT};
    if (cJSON_GetObjectItemCaseSensitive(json, "order"))
        h->order = witness_name(r, json, "order", order_name, MM_ORDER_COUNT);
    if (witness_good(r) && !is_event_kind(h->kind))
        witness_wrong(r, "kind", "is '%s', which no kernel does", mm_kind_name((enum mm_kind)h->kind));
    if (witness_good(r) && (h->kind == MM_INIT) != (h->thread == CK_NO_THREAD))
        witness_wrong(r, "work_item", "is there for an initial value, or is missing");
    if (witness_good(r) && is_access(h)) {
        take_place(r, json, &h->object, &h->offset, &h->size);
        h->value = witness_number(r, json, "value", 0, UINT64_MAX);
    }
}

/* Checks that each read returns the value of a write to the same bytes. */
static void check_source(struct witness_reader *r, const struct ck_event *events, size_t i)
{
    const struct ck_event *h = &events[i], *from = h->source == CK_NO_EVENT ? NULL : &events[h->source];
    witness_enter(r, "events[%zu]", i);
    if (from && (h->kind != MM_READ || (from->kind != MM_WRITE && from->kind != MM_INIT)))
        witness_wrong(r, "from", "is not a write that the read can read from");
    else if (from && from->object != h->object)
        witness_wrong(r, "from", "is of another object");
}

static uint32_t place_of(const struct ck_event *h)
{
    return h->thread == CK_NO_THREAD ? 0 : h->thread + 1;
}

/* Initial values, then each work-item's events: the order in memory. */
static void arrange_events(struct witness_reader *r, const struct ck_event *events, size_t count,
                           uint32_t *to)
{
    struct ck_execution *x = r->execution;
    uint32_t *next = witness_memory(r, r->threads + 1, sizeof *next);
    if (!next)
        return;
    for (size_t i = 0; i < count; i++)
        next[place_of(&events[i]) + 1]++;
    for (uint32_t t = 1; t <= r->threads; t++)
        next[t] += next[t - 1];
    for (size_t i = 0; i < count; i++)
        to[i] = next[place_of(&events[i])]++;
    for (size_t i = 0; i < count; i++) {
        struct ck_event *h = &x->events[to[i]];
        *h = events[i];
        h->source = h->source == CK_NO_EVENT ? CK_NO_EVENT : to[h->source];
    }
    x->count = count;
}

static bool take_events(struct witness_reader *r, const cJSON *root)
{
    const cJSON *array = witness_part(r, root, "events", cJSON_IsArray), *item;
    size_t i = 0, count = witness_count(r, array, "events", MOST_EVENTS);
    struct ck_event *events = witness_memory(r, count, sizeof *events);
    uint32_t *to = witness_memory(r, count, sizeof *to);
    r->execution->events = witness_memory(r, count, sizeof *events);
    cJSON_ArrayForEach(item, array)
    {
        if (!witness_good(r))
            return false;
        witness_enter(r, "events[%zu]", i);
        take_event(r, item, i, count, &events[i]);
        i++;
    }
    for (i = 0; i < count && witness_good(r); i++)
        check_source(r, events, i);
    witness_enter(r, "%s", "");
    if (witness_good(r))
        arrange_events(r, events, count, to);
    return witness_good(r);
}

/* ---- the launch ----------------------------------------------------------------------------------- */

static void take_sizes(struct witness_reader *r, const cJSON *json, const char *name, uint32_t out[3])
{
    const cJSON *array = witness_part(r, json, name, cJSON_IsArray);
    if (witness_good(r) && cJSON_GetArraySize(array) != 3)
        witness_wrong(r, name, "is not three numbers");
    for (int k = 0; k < 3; k++)
        out[k] = (uint32_t)witness_value(r, cJSON_GetArrayItem(array, k), name, 1, MOST_ITEMS);
}

/* Work-groups are uniform here, so the numbers of work-items are those of the interpreter. */
static bool take_launch(struct witness_reader *r, const cJSON *root)
{
    const cJSON *launch = witness_part(r, root, "launch", cJSON_IsObject);
    witness_enter(r, "launch");
    take_sizes(r, launch, "global", r->w->global);
    take_sizes(r, launch, "local", r->w->local);
    r->w->sub_group = (uint32_t)witness_number(r, launch, "sub_group", 1, MOST_ITEMS);
    uint64_t items = 1;
    for (int k = 0; k < 3 && witness_good(r); k++) {
        items *= r->w->global[k];
        if (items > MOST_ITEMS)
            witness_wrong(r, "global", "has more than %d work-items", MOST_ITEMS);
        else if (r->w->global[k] % r->w->local[k])
            witness_wrong(r, "local", "does not divide the global size");
    }
    r->items = (uint32_t)items;
    witness_enter(r, "%s", "");
    return witness_good(r);
}

/* The name of the kernel; "entry_point" has its bytes if "name" cannot represent them. */
static const char *take_kernel_name(struct witness_reader *r, const cJSON *kernel)
{
    const char *name = witness_text(r, kernel, "name");
    size_t size;
    if (!cJSON_GetObjectItemCaseSensitive(kernel, "entry_point"))
        return name;
    const void *bytes = witness_bytes(r, kernel, "entry_point", &size);
    char *text = witness_memory(r, size + 1, 1);
    if (!witness_good(r))
        return name;
    memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

static bool take_kernel(struct witness_reader *r, const cJSON *root)
{
    const cJSON *kernel = witness_part(r, root, "kernel", cJSON_IsObject), *item;
    const cJSON *constants = witness_part(r, kernel, "constants", cJSON_IsArray);
    size_t size = 0, count = witness_count(r, constants, "constants", MOST_OBJECTS), i = 0;
    struct in_spec_constant *values = witness_memory(r, count, sizeof *values);
    witness_enter(r, "kernel");
    r->program->name = take_kernel_name(r, kernel);
    r->w->file = witness_text(r, kernel, "file");
    r->w->source = witness_optional_text(r, kernel, "source");
    r->w->build_options = witness_optional_text(r, kernel, "build_options");
    r->w->vulkan = strcmp(witness_text(r, kernel, "environment"), "vulkan") == 0;
    r->w->words = witness_bytes(r, kernel, "spirv", &size);
    r->w->word_count = size / sizeof *r->w->words;
    if (witness_good(r) && size % sizeof *r->w->words)
        witness_wrong(r, "spirv", "is not a whole number of words");
    r->w->options.constants = values;
    cJSON_ArrayForEach(item, constants)
    {
        if (!witness_good(r))
            break;
        witness_enter(r, "kernel.constants[%zu]", i);
        values[i++] = (struct in_spec_constant){(uint32_t)witness_number(r, item, "id", 0, UINT32_MAX),
                                                (uint32_t)witness_number(r, item, "size", 1, 8),
                                                witness_number(r, item, "value", 0, UINT64_MAX)};
    }
    r->w->options.constant_count = i;
    witness_enter(r, "%s", "");
    return witness_good(r);
}

static bool take_module(struct witness_reader *r)
{
    struct mm_error err = {0};
    enum mm_class cls = witness_load(r->w, &err);
    if (cls == MM_INVALID)
        return witness_wrong(r, "kernel.spirv", "cannot be executed: %s", err.message);
    if (cls != MM_OK)
        *r->err = err;
    return cls == MM_OK;
}

static void take_argument(struct witness_reader *r, const cJSON *json, const struct in_argument_info *info,
                          struct witness_argument *a)
{
    uint32_t count = r->program->object_count;
    uint64_t object = witness_optional(r, json, "object", count ? count - 1 : 0, CK_NO_OBJECT);
    *a = (struct witness_argument){.object = count ? (uint32_t)object : CK_NO_OBJECT,
                                   .constant = witness_flag(json, "constant")};
    if (info->kind == IN_ARG_VALUE) {
        size_t size = 0;
        a->object = CK_NO_OBJECT;
        a->bytes = witness_bytes(r, json, "bytes", &size);
        a->size = size;
        if (witness_good(r) && size < info->size)
            witness_wrong(r, "bytes", "are %zu, not %u", size, info->size);
    } else if (info->kind > IN_ARG_LOCAL) {
        const char *why = witness_good(r) ? witness_image_read(r->w->arena, r->program, info, json, a) : NULL;
        if (why)
            witness_wrong(r, "", "%s", why);
    } else if (a->object != CK_NO_OBJECT) {
        a->size = r->program->objects[a->object].size;
    } else {
        a->size = witness_number(r, json, "size", 0, MOST_BYTES);
    }
}

static bool take_arguments(struct witness_reader *r, const cJSON *root)
{
    const cJSON *launch = cJSON_GetObjectItemCaseSensitive(root, "launch"), *item;
    const cJSON *arguments = witness_part(r, launch, "arguments", cJSON_IsArray);
    uint32_t i = 0, count = r->w->info->argument_count;
    if (witness_good(r) && cJSON_GetArraySize(arguments) != (int)count)
        witness_wrong(r, "launch.arguments", "are %d, the kernel has %u", cJSON_GetArraySize(arguments),
                      count);
    cJSON_ArrayForEach(item, arguments)
    {
        if (!witness_good(r))
            break;
        witness_enter(r, "launch.arguments[%u]", i);
        take_argument(r, item, &r->w->info->arguments[i], &r->w->arguments[i]);
        i++;
    }
    witness_enter(r, "%s", "");
    return witness_good(r);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool take_question(struct witness_reader *r, const cJSON *root)
{
    witness_number(r, root, "version", 1, 1);
    r->w->model = witness_text(r, root, "model");
    r->w->switches = witness_texts(r, root, "switches", &r->w->switch_count);
    r->w->conditions = witness_texts(r, root, "conditions", &r->w->condition_count);
    r->execution->shows = (enum ck_shows)witness_name(r, root, "shows", shows_name, CK_SHOWS_HANG + 1);
    r->execution->flag = witness_text(r, root, "what");
    r->w->satisfies = witness_flag(root, "satisfies");
    return witness_good(r);
}

static bool take_all(struct witness_reader *r, const cJSON *root)
{
    if (!take_question(r, root) || !take_launch(r, root) || !take_kernel(r, root) || !take_objects(r, root) ||
        !take_work_items(r, root) || !take_state(r, root) || !take_events(r, root))
        return false;
    return take_module(r) && take_arguments(r, root);
}

static cJSON *parse_json(const char *text, const char *path, struct mm_error *err)
{
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithOpts(text, &end, true);
    unsigned line = 1, column = 1;
    for (const char *p = text; !root && p < end; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    if (root && cJSON_IsObject(root))
        return root;
    mm_fail_at(err, MM_INVALID, "witness", path, root ? 0 : line, root ? 0 : column, "this is no JSON%s",
               root ? " object" : "");
    cJSON_Delete(root);
    return NULL;
}

int witness_read(struct witness *w, const char *path)
{
    struct mm_error err = {0};
    char *text;
    size_t size;
    *w = (struct witness){0};
    if (mm_input_read(MM_INPUT_JSON, path, &text, &size, &err) != MM_OK ||
        mm_input_check_json(text, path, &err) != MM_OK) {
        mm_free(text);
        return tool_report(&err);
    }
    cJSON *root = parse_json(text, path, &err);
    mm_free(text);
    w->arena = mm_arena_create();
    w->program = w->own_program = ck_program_create();
    struct witness_reader r = {.w = w, .program = w->own_program, .err = &err, .path = path};
    r.execution = w->arena ? mm_arena_alloc(w->arena, sizeof *r.execution) : NULL;
    w->execution = r.execution;
    if (root && (!r.execution || !r.program))
        mm_fail(&err, MM_LIMIT, "memory", "no memory for the witness '%s'", path);
    else if (root && !take_all(&r, root) && witness_good(&r))
        mm_fail(&err, MM_LIMIT, "memory", "no memory for the witness '%s'", path);
    cJSON_Delete(root);
    if (err.cls == MM_OK)
        return 0;
    witness_close(w);
    return tool_report(&err);
}
