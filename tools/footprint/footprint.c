/* A filter of the layer's traces before a detector: accesses of launches are inserted, so that events get new
 * numbers. */
#include "tools/footprint/footprint.h"
#include "memmodel/base/array.h"
#include "memmodel/base/map.h"
#include "tools/footprint/evaluate.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_ID = 1 << 30 }; /* of sources and allocations that the analysis adds */

struct variable { /* of a program on a device */
    uint32_t program, base, allocation;
};
struct place {
    const struct fp_module *module;
    uint32_t line, column, source;
};
struct footprint {
    const struct mm_sink *to;
    mm_event_id next;
    uint64_t inserted; /* number of inserted events */
    /* By 1 + the number in the trace of an event from which edges may start: 1 + its number as passed on. */
    struct mm_map numbers;
    struct mm_map programs; /* by id: struct fp_module */
    struct variable *variables;
    size_t variable_count;
    struct place *places;
    size_t place_count;
    char not_checked[1024];
    bool possible, partial, prints, host;
    enum mm_class result;
};

static bool has_magic(const void *bytes, size_t size, uint32_t magic)
{
    uint32_t found = 0;
    if (size >= sizeof found)
        memcpy(&found, bytes, sizeof found);
    return found == magic;
}

static bool is_program(const struct mm_record *record)
{
    return record->type == MM_RECORD_PROGRAM &&
           has_magic(record->program.bytes, record->program.size, LY_PROGRAM_MAGIC);
}

static bool is_launch(const struct mm_record *record)
{
    return record->type == MM_RECORD_REPLAY &&
           has_magic(record->replay.bytes, record->replay.size, LY_LAUNCH_MAGIC);
}

bool footprint_is_layer(const struct mm_record *record)
{
    return is_program(record) || is_launch(record);
}

/* Notes WHAT once; false if it was noted before. */
static bool note_not_checked(struct footprint *f, const char *what)
{
    const char *separator = *f->not_checked ? ", " : "";
    size_t used = strlen(f->not_checked), size = strlen(what);
    for (const char *at = f->not_checked; (at = strstr(at, what)); at += size)
        if ((at == f->not_checked || at[-1] == ' ') && (at[size] == ',' || !at[size]))
            return false;
    if (used + strlen(separator) + size < sizeof f->not_checked)
        memcpy(mempcpy(f->not_checked + used, separator, strlen(separator)), what, size + 1);
    return true;
}

static void pass_record(struct footprint *f, const struct mm_record *record)
{
    enum mm_class c = f->to->record(f->to->context, record);
    f->result = c ? c : f->result;
}

/* Notes what was not checked of a launch, and passes the note on beside the launch's accesses. */
static void pass_not_checked(struct footprint *f, const char *what)
{
    const struct mm_record record = {.type = MM_RECORD_TEXT, .text = {LY_NOT_CHECKED, what}};
    if (note_not_checked(f, what))
        pass_record(f, &record);
}

static void pass_events(struct footprint *f, const struct mm_event *events, size_t count)
{
    enum mm_class c = mm_sink_events(f->to, events, count);
    f->result = c ? c : f->result;
}

static mm_event_id number_of(const struct footprint *f, mm_event_id was)
{
    uint64_t is = mm_map_get(&f->numbers, was + 1);
    return is ? is - 1 : was;
}

/* Layers record all edges from events other than accesses. */
static void note_number(struct footprint *f, const struct mm_event *event, mm_event_id was)
{
    bool access = event->kind == MM_READ || event->kind == MM_WRITE || event->kind == MM_RMW;
    if (f->inserted && !access && !mm_map_put(&f->numbers, was + 1, was + f->inserted + 1))
        f->result = MM_LIMIT;
}

/* ---- programs and launches ------------------------------------------------------------------------ */

static void take_program(struct footprint *f, const struct mm_program *program)
{
    struct fp_module *m = fp_module_find(program->bytes, program->size);
    struct ly_program_head head = {0};
    mm_map_remove(&f->programs, program->id, mm_map_get(&f->programs, program->id));
    if (!m || !mm_map_put(&f->programs, program->id, (uintptr_t)m))
        return;
    memcpy(&head, m->bytes, sizeof head);
    if (head.kind != LY_PROGRAM_SOURCE)
        return;
    char file[32];
    const char *options = (const char *)m->bytes + sizeof head;
    snprintf(file, sizeof file, "program%u.cl", (unsigned)m->number);
    struct mm_record text = {.type = MM_RECORD_TEXT, .text = {file, options + strlen(options) + 1}};
    if (m->size > sizeof head + strlen(options) + 1)
        pass_record(f, &text);
}

static uint32_t source_of(struct footprint *f, const struct fp_module *m, const struct fp_access *access)
{
    for (size_t i = 0; i < f->place_count; i++)
        if (f->places[i].module == m && f->places[i].line == access->line &&
            f->places[i].column == access->column)
            return f->places[i].source;
    struct place added = {m, access->line, access->column, FIRST_ID + (uint32_t)f->place_count};
    char file[32];
    snprintf(file, sizeof file, "program%u.cl", (unsigned)m->number);
    struct mm_record record = {.type = MM_RECORD_SOURCE,
                               .source = {.id = added.source,
                                          .line = access->line,
                                          .column = access->column,
                                          .file = file,
                                          .function = "",
                                          .opcode = ""}};
    if (!mm_append(&f->places, &f->place_count, &added))
        return 0;
    pass_record(f, &record);
    return added.source;
}

static uint32_t variable_of(struct footprint *f, const struct fp_module *m, uint32_t program, uint32_t base)
{
    for (size_t i = 0; i < f->variable_count; i++)
        if (f->variables[i].program == program && f->variables[i].base == base)
            return f->variables[i].allocation;
    struct variable added = {program, base, FIRST_ID + (uint32_t)f->variable_count};
    const struct in_id *id = in_spirv_id(m->module, base - FP_VARIABLE);
    struct mm_record record = {.type = MM_RECORD_ALLOCATION,
                               .allocation = {.id = added.allocation,
                                              .region = MM_PROGRAM_SCOPE,
                                              .origin = MM_ORIGIN_BUFFER,
                                              .device = -1,
                                              .size = id->ty->element->size,
                                              .name = id->name ? id->name : "variable"}};
    if (!mm_append(&f->variables, &f->variable_count, &added))
        return 0;
    pass_record(f, &record);
    return added.allocation;
}

static bool event_of(struct footprint *f, const struct fp_module *m, const struct mm_replay *replay,
                     const struct fp_access *access, struct mm_event *event)
{
    const struct ly_argument *arguments =
        (const void *)((const char *)replay->bytes + sizeof(struct ly_launch_head));
    struct ly_argument argument = {0};
    if (access->base >= FP_VARIABLE)
        argument.allocation = variable_of(f, m, replay->program, access->base);
    else
        memcpy(&argument, &arguments[access->base], sizeof argument);
    *event = (struct mm_event){.kind = access->kind,
                               .agent = {replay->command, MM_INDEX_RUNTIME},
                               .allocation = argument.allocation,
                               .offset = argument.offset + access->offset,
                               .size = (uint32_t)access->size,
                               .source = source_of(f, m, access),
                               .order = access->order,
                               .scope = access->scope,
                               .effective_scope = access->scope,
                               .attributes = access->attributes | MM_NO_VALUE};
    return argument.allocation && access->size <= UINT32_MAX;
}

/* Passes on possible accesses: to each argument with unknown accesses; LAUNCH NULL: to every argument. */
static void pass_possible(struct footprint *f, const struct mm_replay *replay, const struct fp_launch *launch)
{
    struct ly_launch_head head;
    if (replay->size < sizeof head)
        return;
    memcpy(&head, replay->bytes, sizeof head);
    f->partial |= !launch || launch->may_touch_others;
    for (uint32_t i = 0;
         i < head.arguments && sizeof head + (i + 1) * sizeof(struct ly_argument) <= replay->size; i++) {
        struct ly_argument argument;
        memcpy(&argument, (const char *)replay->bytes + sizeof head + i * sizeof argument, sizeof argument);
        bool memory = argument.kind == LY_ARGUMENT_MEMORY || argument.kind == LY_ARGUMENT_IMAGE;
        bool reads = !launch || launch->may_read & fp_argument_bit(i);
        bool writes = !launch || launch->may_write & fp_argument_bit(i);
        if (!memory || !argument.allocation || !(reads || writes))
            continue;
        struct mm_event event = {.kind = writes ? MM_WRITE : MM_READ,
                                 .agent = {replay->command, MM_INDEX_RUNTIME},
                                 .allocation = argument.allocation,
                                 .offset = argument.offset,
                                 .size = argument.size < UINT32_MAX ? (uint32_t)argument.size : UINT32_MAX,
                                 .attributes = MM_NO_VALUE | MM_POSSIBLE};
        pass_events(f, &event, 1);
        f->inserted++;
    }
}

static void take_launch(struct footprint *f, const struct mm_replay *replay)
{
    struct fp_module *m = mm_map_pointer(&f->programs, replay->program);
    fp_lock();
    const struct fp_launch *launch = fp_evaluate(m, replay->bytes, replay->size);
    if (!launch)
        pass_not_checked(f, "what launches of programs that cannot be analyzed touch");
    if (launch && launch->has_children)
        pass_not_checked(f, "what kernels that kernels enqueue touch");
    for (size_t i = 0; launch && i < launch->count; i++) {
        struct mm_event event;
        if (!event_of(f, m, replay, &launch->accesses[i], &event))
            continue;
        pass_events(f, &event, 1);
        f->inserted++;
    }
    if (f->possible)
        pass_possible(f, replay, launch);
    f->prints |= m && m->prints;
    fp_unlock();
}

/* ---- the sink ------------------------------------------------------------------------------------ */

static enum mm_class footprint_events(void *context, const struct mm_event *events, size_t count)
{
    struct footprint *f = context;
    for (size_t i = 0; i < count; i++)
        note_number(f, &events[i], f->next++);
    pass_events(f, events, count);
    return f->result;
}

static enum mm_class footprint_record(void *context, const struct mm_record *record)
{
    struct footprint *f = context;
    struct mm_record copy = *record;
    if (record->type == MM_RECORD_EVENT)
        return footprint_events(f, &record->event, 1);
    if (is_program(record)) {
        take_program(f, &record->program);
    } else if (is_launch(record)) {
        take_launch(f, &record->replay);
    } else {
        if (record->type == MM_RECORD_TEXT && strcmp(record->text.file, LY_NOT_CHECKED) == 0)
            note_not_checked(f, record->text.text);
        f->host |= record->type == MM_RECORD_TEXT && strcmp(record->text.file, LY_HOST) == 0;
        if (record->type == MM_RECORD_EDGE) {
            copy.edge.from = number_of(f, record->edge.from);
            copy.edge.to = record->edge.to + f->inserted; /* the next event */
        }
        pass_record(f, &copy);
    }
    return f->result;
}

static void footprint_retire(void *context, mm_event_id id)
{
    struct footprint *f = context;
    if (f->to->retire)
        f->to->retire(f->to->context, number_of(f, id));
    mm_map_remove(&f->numbers, id + 1, mm_map_get(&f->numbers, id + 1));
}

struct footprint *footprint_create(const struct mm_sink *to, bool possible)
{
    struct footprint *f = mm_alloc_zero(1, sizeof *f);
    if (f)
        *f = (struct footprint){.to = to, .possible = possible};
    return f;
}

void footprint_sink(struct footprint *f, struct mm_sink *sink)
{
    *sink = (struct mm_sink){
        .context = f, .record = footprint_record, .events = footprint_events, .retire = footprint_retire};
}

void footprint_destroy(struct footprint *f)
{
    if (!f)
        return;
    mm_map_clear(&f->numbers);
    mm_map_clear(&f->programs);
    mm_free(f->variables);
    mm_free(f->places);
    mm_free(f);
}

const char *footprint_not_checked(const struct footprint *f)
{
    return f->not_checked;
}

bool footprint_has_host(const struct footprint *f)
{
    return f->host;
}

enum mm_class footprint_read(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                             struct mm_error *err)
{
    struct footprint *f = footprint_create(sink, false);
    struct mm_sink own;
    if (!f)
        return mm_out_of_memory(err);
    footprint_sink(f, &own);
    enum mm_class c = mm_trace_read(fd, name, &own, complete, err);
    footprint_destroy(f);
    return c;
}

bool footprint_read_possible(int fd, const struct mm_sink *sink, bool *prints)
{
    struct footprint *f = footprint_create(sink, true);
    struct mm_sink own;
    bool complete = false;
    if (!f)
        return false;
    footprint_sink(f, &own);
    bool known =
        mm_trace_read(fd, "trace", &own, &complete, NULL) == MM_OK && !f->partial && !*f->not_checked;
    if (prints)
        *prints = f->prints;
    footprint_destroy(f);
    return known;
}
