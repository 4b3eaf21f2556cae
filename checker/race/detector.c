/* The streaming race detector: a sink that processes an execution event by event under the OpenCL 2.2 memory
 * model and collects findings.  Its memory is bounded; where the bound is reached the verdict is "unknown"
 * (docs/detector.md#bounds-and-unknown). */
#include "checker/race/access.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"

#include <inttypes.h>
#include <string.h>

#define DEFAULT_LIMIT ((size_t)4 << 30)

void ck_detector_stop(struct ck_detector *d, const char *what)
{
    if (!d->stopped)
        mm_fail(&d->limit, MM_LIMIT, "checker.limit", "%s: races after event %" PRIu64 " are not checked",
                what, d->next_event);
    d->stopped = true;
}

void ck_detector_unknown(struct ck_detector *d, const struct mm_error *limit)
{
    if (d->limit.cls == MM_OK)
        d->limit = *limit;
}

struct ck_detector *ck_detector_create(const struct ck_detector_options *options)
{
    struct ck_detector *d = mm_alloc_zero(1, sizeof *d);
    if (!d)
        return NULL;
    d->options = *options;
    d->budget.limit = options->memory_limit ? options->memory_limit : DEFAULT_LIMIT;
    d->clocks.budget = &d->budget;
    d->arena = mm_arena_create();
    if (!d->arena) {
        mm_free(d);
        return NULL;
    }
    return d;
}

void ck_detector_destroy(struct ck_detector *d)
{
    if (!d)
        return;
    ck_detector_finish(d);
    for (size_t i = 0; i < d->maps.commands.capacity; i++)
        if (mm_map_at(&d->maps.commands, i))
            ck_command_forget(d, mm_map_at(&d->maps.commands, i));
    ck_map_clear(&d->maps.commands, &d->budget);
    ck_map_clear(&d->maps.memory, &d->budget);
    ck_map_clear(&d->maps.objects, &d->budget);
    ck_map_clear(&d->maps.sources, &d->budget);
    ck_map_clear(&d->maps.texts, &d->budget);
    ck_map_clear(&d->maps.seen, &d->budget);
    mm_free(d->report.findings);
    mm_free(d->layouts.list);
    mm_arena_destroy(d->arena);
    mm_free(d);
}

void ck_detector_suppose(struct ck_detector *d, const struct ck_change *change)
{
    d->supposed = change->wait ? change : NULL;
}

/* ---- events ------------------------------------------------------------------------------- */

static void detector_step(struct ck_detector *d, const struct mm_event *event)
{
    if (d->edges.count)
        ck_race_edges(d, event);
    if (d->supposed)
        ck_copies_apply_change(d, event);
    switch (event->kind) {
    case MM_READ:
    case MM_WRITE:
        if (!ck_plain_access(d, event))
            ck_race_access(d, event);
        break;
    case MM_RMW:
        ck_race_access(d, event);
        break;
    case MM_INIT: /* before everything else */
        break;
    case MM_FENCE:
        ck_race_fence(d, event);
        break;
    case MM_BARRIER_ENTRY:
    case MM_BARRIER_EXIT:
        ck_race_barrier(d, event, 1);
        break;
    case MM_COPY_START:
    case MM_COPY_WAIT:
    case MM_COPY_FENCE:
        ck_race_copy(d, event);
        break;
    default:
        ck_race_command(d, event, d->next_event);
        ck_plain_forget(d);
    }
}

static enum mm_class detector_events(void *context, const struct mm_event *events, size_t count)
{
    struct ck_detector *d = context;
    mm_event_id next = d->next_event + count;
    size_t checked = d->finished || !d->options.races ? 0 : count;
    for (size_t i = 0; i < checked && !d->stopped; i++, d->next_event++) {
        detector_step(d, &events[i]);
        if (d->weak.flowed || d->weak.placed)
            ck_weak_next(d);
        if (d->budget.exceeded)
            ck_detector_stop(d, "limit reached: memory for shadow state");
    }
    d->next_event = next;
    return MM_OK;
}

static enum mm_class detector_row(void *context, const struct mm_event *first, uint32_t count)
{
    struct ck_detector *d = context;
    bool barrier = first->kind == MM_BARRIER_ENTRY || first->kind == MM_BARRIER_EXIT;
    bool alone = d->edges.count == 0 && !d->supposed && !d->weak.flowed && !d->weak.placed;
    struct mm_event event = *first;
    if (barrier && alone && d->options.races && !d->finished && !d->stopped) {
        ck_race_barrier(d, first, count);
        d->next_event++;
        if (d->budget.exceeded)
            ck_detector_stop(d, "limit reached: memory for shadow state");
        return MM_OK;
    }
    for (uint32_t i = 0; i < count; i++, event.agent.index++)
        detector_events(d, &event, 1);
    return MM_OK;
}

/* ---- everything else ----------------------------------------------------------------------- */

static const char *detector_strdup(struct ck_detector *d, const char *s)
{
    const char *copy = mm_arena_strdup(d->arena, s ? s : "");
    return copy ? copy : "";
}

/* Returns the stored copy of LAYOUT: launches repeat the few layouts of a program. */
static const char *kept_layout(struct ck_detector *d, const char *layout)
{
    enum { MOST_LAYOUTS = 256 };
    for (size_t i = 0; layout && i < d->layouts.count; i++)
        if (strcmp(d->layouts.list[i], layout) == 0)
            return d->layouts.list[i];
    const char **place = layout && *layout && d->layouts.count < MOST_LAYOUTS
                             ? mm_add(&d->layouts.list, &d->layouts.count)
                             : NULL;
    return place ? (*place = detector_strdup(d, layout)) : "";
}

static bool is_svm(const struct mm_allocation *a)
{
    return a->origin == MM_ORIGIN_COARSE_SVM || a->origin == MM_ORIGIN_FINE_SVM ||
           a->origin == MM_ORIGIN_FINE_SVM_ATOMICS;
}

/* A sub-buffer is part of its buffer's memory; a buffer made from an SVM pointer is that SVM. */
bool ck_allocation_lies_in(const struct mm_allocation *a, const struct mm_allocation *o)
{
    bool part = a->origin == MM_ORIGIN_SUB_BUFFER || (a->origin == MM_ORIGIN_BUFFER && is_svm(o));
    return part && a->address && o->address && o->device == a->device && a->address >= o->address &&
           a->size <= o->size && a->address - o->address <= o->size - a->size;
}

static bool is_parent(const struct ck_memory *memory, const struct ck_memory *other)
{
    return other != memory && !other->parent && other->region == memory->region && !other->freed &&
           ck_allocation_lies_in(&memory->info, &other->info);
}

/* The allocation that contains MEMORY, or NULL.  A buffer may only lie in SVM: a search through all memory
 * would make the cost of creating buffers quadratic. */
static struct ck_memory *find_parent(const struct ck_detector *d, const struct ck_memory *memory)
{
    for (size_t i = 0; memory->info.origin == MM_ORIGIN_SUB_BUFFER && i < d->maps.memory.capacity; i++) {
        struct ck_memory *other = mm_map_at(&d->maps.memory, i);
        if (other && is_parent(memory, other))
            return other;
    }
    struct ck_memory *svm = memory->info.origin == MM_ORIGIN_BUFFER ? d->svm : NULL;
    while (svm && !is_parent(memory, svm))
        svm = svm->next_svm;
    return svm;
}

static void memory_classify(struct ck_memory *memory)
{
    const struct mm_allocation *a = &memory->info;
    memory->region = a->region == MM_LOCAL   ? CK_REGION_LOCAL
                     : a->region == MM_IMAGE ? CK_REGION_IMAGE
                                             : CK_REGION_GLOBAL;
    memory->checked = a->region != MM_PRIVATE && a->region != MM_PIPE && a->region != MM_REGION_NONE;
    memory->fine = a->origin == MM_ORIGIN_FINE_SVM || a->origin == MM_ORIGIN_FINE_SVM_ATOMICS ||
                   a->origin == MM_ORIGIN_SYSTEM_SVM;
    memory->demotes = a->origin != MM_ORIGIN_FINE_SVM_ATOMICS && a->origin != MM_ORIGIN_SYSTEM_SVM;
    memory->is_buffer =
        (a->origin == MM_ORIGIN_BUFFER || a->origin == MM_ORIGIN_SUB_BUFFER) && a->region != MM_PROGRAM_SCOPE;
}

/* Links the device copies of one memory object. */
static void join_object(struct ck_detector *d, struct ck_memory *memory)
{
    const struct mm_allocation *a = &memory->info;
    if (!a->object || memory->region == CK_REGION_LOCAL || !memory->checked)
        return;
    struct ck_memory *first = mm_map_pointer(&d->maps.objects, a->object);
    if (!first || first->freed) {
        first = memory;
        ck_map_put(&d->maps.objects, &d->budget, a->object, first);
    }
    memory->object = first;
    first->device_copies += a->device >= 0;
}

static void detector_add_allocation(struct ck_detector *d, const struct mm_allocation *record)
{
    struct ck_memory *memory = mm_map_pointer(&d->maps.memory, record->id);
    if (memory && memory->region == CK_REGION_LOCAL)
        return; /* the same variable, recorded again */
    bool is_new = !memory;
    if (is_new)
        memory = mm_arena_alloc(d->arena, sizeof *memory);
    if (!memory)
        return;
    if (is_new && is_svm(record)) {
        memory->next_svm = d->svm;
        d->svm = memory;
    }
    ck_mappings_free(d, memory);
    ck_space_clear(d, &memory->space);
    ck_space_clear(d, &memory->whole);
    ck_space_clear(d, &memory->view);
    memory->object = NULL;
    memory->device_copies = 0;
    memory->info = *record;
    memory->info.name = detector_strdup(d, record->name);
    memory->info.layout = kept_layout(d, record->layout);
    memory->space.allocation = record->id;
    memory->parent = NULL;
    memory->parent_offset = 0;
    memory->freed = false;
    memory->released.time = 0;
    memory_classify(memory);
    memory->parent = find_parent(d, memory);
    if (memory->parent)
        memory->parent_offset = memory->info.address - memory->parent->info.address;
    if (!ck_map_put(&d->maps.memory, &d->budget, record->id, memory))
        return;
    if (memory->checked && !memory->parent && memory->region != CK_REGION_LOCAL)
        ck_space_size(d, &memory->space, record->size);
    join_object(d, memory);
}

static uint64_t text_key(const char *file)
{
    return mm_fnv1a(MM_FNV1A, file, strlen(file));
}

struct text { /* the source text of a program */
    const char *file, *content;
};

static struct text *find_text(const struct ck_detector *d, const char *file)
{
    uint64_t key = text_key(file), found;
    size_t at = 0;
    while ((found = mm_map_next(&d->maps.texts, key, &at))) {
        struct text *text = (struct text *)(uintptr_t)found;
        if (strcmp(text->file, file) == 0)
            return text;
    }
    return NULL;
}

/* Records a file's text, which replaces an earlier one with the same name. */
static void detector_add_text(struct ck_detector *d, const struct mm_text *record)
{
    if (!record->file || !record->text)
        return;
    struct text *text = find_text(d, record->file);
    if (!text) {
        text = mm_arena_alloc(d->arena, sizeof *text);
        if (!text)
            return;
        text->file = detector_strdup(d, record->file);
        ck_map_add(&d->maps.texts, &d->budget, text_key(text->file), text);
    }
    text->content = detector_strdup(d, record->text);
}

static void fill_source(struct ck_detector *d, struct ck_source *source, const struct mm_source *from)
{
    source->info = *from;
    source->info.file = detector_strdup(d, from->file);
    source->info.function = detector_strdup(d, from->function);
    source->info.opcode = detector_strdup(d, from->opcode);
    source->location_key =
        from->line ? text_key(source->info.file) ^ (uint64_t)from->line << 20 ^ from->column : from->id;
}

static void detector_add_source(struct ck_detector *d, const struct mm_source *record)
{
    struct ck_source *source = mm_arena_alloc(d->arena, sizeof *source);
    if (!source)
        return;
    fill_source(d, source, record);
    ck_map_put(&d->maps.sources, &d->budget, record->id, source);
}

const struct ck_source *ck_source_of(struct ck_detector *d, uint32_t id)
{
    struct ck_source *source = id ? mm_map_pointer(&d->maps.sources, id) : NULL;
    if (!source || source->located || !d->options.locate)
        return source;
    struct mm_source found = source->info;
    struct mm_text text = {NULL, NULL};
    source->located = true;
    if (found.line && ck_detector_text(d, found.file))
        return source;
    d->options.locate(d->options.locate_context, &found, &text);
    fill_source(d, source, &found);
    if (text.file && text.text)
        detector_add_text(d, &text);
    return source;
}

void ck_detector_source(struct ck_detector *d, uint32_t id, struct mm_source *source)
{
    const struct ck_source *known = ck_source_of(d, id);
    *source = known ? known->info : (struct mm_source){.id = id};
}

/* Returns a copy of a name; successive commands often have the same one, which is stored once. */
static const char *copy_repeated(struct ck_detector *d, const char *last, const char *name)
{
    return last && name && strcmp(last, name) == 0 ? last : detector_strdup(d, name);
}

static void detector_add_command(struct ck_detector *d, const struct mm_command *record)
{
    struct ck_command *command = ck_command_of(d, record->id);
    if (!command || command->known)
        return;
    ck_command_describe(command, record);
    command->info.kind = d->last.kind = copy_repeated(d, d->last.kind, record->kind);
    command->info.kernel = d->last.kernel = copy_repeated(d, d->last.kernel, record->kernel);
    const struct ck_command *parent =
        record->parent ? mm_map_pointer(&d->maps.commands, record->parent) : NULL;
    command->root = parent ? parent->root : record->parent ? record->parent : record->id;
}

static void detector_add_argument(struct ck_detector *d, const struct mm_argument *record)
{
    struct ck_command *command = ck_command_of(d, record->command);
    struct ck_argument *argument = command ? ck_budget_alloc(&d->budget, sizeof *argument) : NULL;
    if (!argument)
        return;
    argument->info = *record;
    argument->info.name = detector_strdup(d, record->name);
    argument->info.type_name = detector_strdup(d, record->type_name);
    argument->info.layout = kept_layout(d, record->layout);
    argument->next = command->arguments;
    command->arguments = argument;
}

const char *ck_detector_text(const struct ck_detector *d, const char *file)
{
    const struct text *text = find_text(d, file);
    return text ? text->content : NULL;
}

static enum mm_class detector_record(void *context, const struct mm_record *record)
{
    struct ck_detector *d = context;
    if (d->finished)
        return MM_OK;
    if (record->type != MM_RECORD_EVENT)
        ck_plain_forget(d);
    switch (record->type) {
    case MM_RECORD_EVENT:
        return detector_events(d, &record->event, 1);
    case MM_RECORD_EDGE:
        if (!d->stopped && d->options.races)
            ck_race_edge(d, &record->edge);
        break;
    case MM_RECORD_ALLOCATION:
        ck_race_forget_known(d);
        detector_add_allocation(d, &record->allocation);
        break;
    case MM_RECORD_SOURCE:
        ck_race_forget_known(d);
        detector_add_source(d, &record->source);
        break;
    case MM_RECORD_COMMAND:
        detector_add_command(d, &record->command);
        break;
    case MM_RECORD_ARGUMENT:
        detector_add_argument(d, &record->argument);
        break;
    case MM_RECORD_TEXT:
        detector_add_text(d, &record->text);
        break;
    case MM_RECORD_FINDING:
        if (d->options.memory)
            ck_finding_recorded(d, &record->finding);
        break;
    case MM_RECORD_CONTENT:
    case MM_RECORD_PROGRAM:
    case MM_RECORD_REPLAY: /* an instrumented launch without findings */
    case MM_RECORD_TERM:
    case MM_RECORD_RETIRED:
        break;
    }
    return MM_OK;
}

void ck_detector_sink(struct ck_detector *d, struct mm_sink *sink)
{
    *sink = (struct mm_sink){
        .context = d, .record = detector_record, .events = detector_events, .row = detector_row};
}

/* ---- results ------------------------------------------------------------------------------- */

size_t ck_detector_finding_count(const struct ck_detector *d)
{
    return d->report.finding_count;
}

const struct ck_finding *ck_detector_finding(const struct ck_detector *d, size_t i)
{
    return i < d->report.finding_count ? d->report.findings[i] : NULL;
}

size_t ck_detector_dropped(const struct ck_detector *d)
{
    return d->report.dropped;
}

size_t ck_detector_suppressed(const struct ck_detector *d)
{
    size_t sum = 0;
    for (int i = 0; i < CK_FILTER_COUNT; i++)
        sum += d->report.hidden[i];
    return sum;
}

size_t ck_detector_hidden(const struct ck_detector *d, enum ck_filter filter)
{
    return filter < CK_FILTER_COUNT ? d->report.hidden[filter] : 0;
}

enum mm_class ck_detector_status(const struct ck_detector *d, struct mm_error *err)
{
    if (d->limit.cls != MM_OK && err)
        *err = d->limit;
    return d->limit.cls;
}
