/* Re-execution of launches from a trace (docs/reexecution.md#expansion). */
#include "interp/replay/expand_internal.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/privilege.h"
#include "memmodel/trace/trace.h"
#include <stdlib.h>

/* ---- decoding ------------------------------------------------------------------------------ */

struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static const void *take_bytes(struct reader *i, uint64_t size)
{
    const uint8_t *bytes = i->at;
    i->bad |= size > (uint64_t)(i->end - i->at);
    if (i->bad)
        return NULL;
    i->at += size;
    return bytes;
}

/* A number that fits in BYTES bytes. */
static uint64_t take_number(struct reader *i, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *next = take_bytes(i, 1);
        if (!next)
            return 0;
        i->bad |= shift == 63 && *next > 1;
        value |= (uint64_t)(*next & 0x7f) << shift;
        if (*next < 0x80)
            break;
    }
    i->bad |= bytes < sizeof value && value >> 8 * bytes != 0;
    return value;
}

/* Reads a string into ARENA; "" if malformed. */
static const char *take_string(struct reader *i, struct mm_arena *arena)
{
    uint64_t length = take_number(i, 4);
    const char *s = take_bytes(i, length);
    char *copy = s ? mm_arena_alloc(arena, length + 1) : NULL;
    i->bad |= !copy;
    if (copy)
        memcpy(copy, s, length);
    return copy ? copy : "";
}

static enum mm_class bad_launch(struct in_expander *e, uint32_t command, const char *what)
{
    return mm_fail(&e->error, MM_INVALID, "trace.replay",
                   "the launch of command %u cannot be re-executed: %s", command, what);
}

enum mm_class in_expand_no_memory(struct in_expander *e)
{
    return mm_fail(&e->error, MM_LIMIT, "trace.memory",
                   "out of memory while re-executing the launches of a trace");
}

/* ---- programs ------------------------------------------------------------------------------ */

static void keep_finding(void *expander, const struct in_finding *f)
{
    struct in_expander *e = expander;
    if (!e->found)
        e->finding = *f;
    e->found = true;
}

static void print_nothing(void *expander, const char *text, size_t size)
{
    (void)expander;
    (void)text;
    (void)size;
}

static const struct in_object *find_object(void *expander, uint64_t address)
{
    struct in_expander *e = expander;
    return e->follows ? in_mirror_find_svm(e, address) : NULL;
}

static struct in_expanded_program *find_program(const struct in_expander *e, uint32_t id)
{
    struct in_expanded_program *p = e->programs;
    while (p && p->id != id)
        p = p->next;
    return p;
}

const struct in_object *in_expand_find_variable(const struct in_expander *e, uint32_t allocation)
{
    uint64_t id = in_shift_id(&e->allocations, allocation);
    for (const struct in_expanded_program *p = e->programs; p; p = p->next)
        for (uint32_t k = 0; p->instance && k < p->module->global_count; k++)
            if (p->instance->objects[k].id == id &&
                p->module->globals[k].storage == SpvStorageClassCrossWorkgroup)
                return &p->instance->objects[k];
    return NULL;
}

static enum mm_class bad_program(struct in_expander *e, uint32_t id, const char *what, const char *more)
{
    return mm_fail(&e->error, MM_INVALID, "trace.program", "program %u of the trace cannot be used: %s%s", id,
                   what, more);
}

/* Maps the module's objects to allocations of the trace. */
static bool take_objects(struct in_expander *e, struct in_expanded_program *p, struct reader *i)
{
    uint64_t count = take_number(i, 4);
    if (count != p->module->global_count)
        return false;
    for (uint32_t k = 0; k < count; k++)
        p->instance->objects[k].id = (uint32_t)in_shift_id(&e->allocations, take_number(i, 4));
    return !i->bad;
}

static enum mm_class make_program(struct in_expander *e, struct in_expanded_program *p, struct reader *i,
                                  struct mm_arena *arena)
{
    const struct in_environment environment = {
        .context = e, .print = print_nothing, .finding = keep_finding, .find_object = find_object};
    uint64_t format = take_number(i, 4);
    const char *version = take_string(i, arena);
    if (i->bad || format != IN_REPLAY_FORMAT || strcmp(version, REFCL_VERSION) != 0)
        return bad_program(e, p->id, "this is refcl " REFCL_VERSION ", it was written by refcl ", version);
    uint64_t flags = take_number(i, 4);
    struct in_module_options options = {.subscripts = flags & IN_REPLAY_SUBSCRIPTS,
                                        .literal_legacy_atomics = flags & IN_REPLAY_LITERAL_LEGACY,
                                        .zero_private = flags & IN_REPLAY_ZERO_PRIVATE,
                                        .name = take_string(i, arena)};
    uint64_t size = take_number(i, 8), sum = take_number(i, 8);
    const void *words = take_bytes(i, size);
    if (i->bad || mm_checksum(words, size) != sum)
        return bad_program(e, p->id, "the checksum of its module does not match", "");
    enum mm_class cls = in_module_create(words, size, &options, &p->module, NULL, &e->error);
    if (cls == MM_OK)
        cls = in_instance_create(p->module, &environment, NULL, &p->instance, &e->error);
    if (cls != MM_OK)
        return cls;
    return take_objects(e, p, i) ? MM_OK : bad_program(e, p->id, "its variables do not match its module", "");
}

enum mm_class in_expand_program(struct in_expander *e, const struct mm_program *program)
{
    struct reader i = {program->bytes, (const uint8_t *)program->bytes + program->size, false};
    struct in_expanded_program *p = mm_alloc_zero(1, sizeof *p);
    struct mm_arena *arena = mm_arena_create();
    enum mm_class cls = MM_OK;
    if (!p || !arena) {
        mm_free(p);
        mm_arena_destroy(arena);
        return in_expand_no_memory(e);
    }
    bool twice = find_program(e, program->id) != NULL;
    p->id = program->id;
    p->next = e->programs;
    e->programs = p;
    cls = twice ? bad_program(e, p->id, "its number is not unique", "") : make_program(e, p, &i, arena);
    mm_arena_destroy(arena);
    return cls;
}

void in_expand_programs_destroy(struct in_expander *e)
{
    for (struct in_expanded_program *p = e->programs, *next; p; p = next) {
        next = p->next;
        in_instance_destroy(p->instance);
        if (p->module)
            in_module_release(p->module);
        mm_free(p);
    }
}

/* ---- arguments ----------------------------------------------------------------------------- */

static const char *take_pointer(struct in_expander *e, struct reader *i, struct mm_arena *arena,
                                struct in_argument *a)
{
    struct in_object *o = mm_arena_alloc(arena, sizeof *o);
    uint32_t id = (uint32_t)take_number(i, 4);
    const struct in_mirror *m = in_mirror_find(e, id);
    uint64_t at = take_number(i, 8), offset = take_number(i, 8), size = take_number(i, 8);
    uint8_t region = (uint8_t)take_number(i, 1), origin = (uint8_t)take_number(i, 1),
            access = (uint8_t)take_number(i, 1);
    const char *name = take_string(i, arena);
    if (!o)
        return "out of memory";
    if (i->bad || region >= MM_REGION_COUNT || origin >= MM_ORIGIN_COUNT)
        return "its record is truncated";
    if (!m || !m->bytes || m->known < m->size)
        return "the trace does not record the contents of its memory";
    if (offset > m->size || size > m->size - offset || at >= size)
        return "it uses memory outside of its allocation";
    *o = (struct in_object){.address = (uint64_t)(uintptr_t)(m->bytes + offset),
                            .size = size,
                            .id = (uint32_t)in_shift_id(&e->allocations, id),
                            .region = region,
                            .origin = origin,
                            .read_only = access & IN_REPLAY_READ_ONLY,
                            .write_only = access & IN_REPLAY_WRITE_ONLY,
                            .name = name,
                            .offset = offset};
    a->address = o->address + at;
    a->object = o;
    return NULL;
}

/* Whether all texels of I are within BYTES. */
static bool is_image_valid(const struct in_image *i, uint64_t bytes)
{
    uint64_t slices = (uint64_t)i->depth * i->array_size;
    if (i->kind >= IN_IMAGE_KINDS || !in_image_format_valid(i->order, i->type) || i->width == 0 ||
        i->height == 0 || slices == 0 || i->row_pitch > bytes || i->slice_pitch > bytes / slices)
        return false;
    uint64_t size = in_image_element_size(i->order, i->type);
    return i->row_pitch / size >= i->width && i->row_pitch % size == 0 &&
           i->slice_pitch / i->row_pitch >= i->height && i->slice_pitch % size == 0 &&
           i->levels <= in_image_most_levels(i->width, i->height, i->depth) && in_image_bytes(i) <= bytes;
}

static const char *take_image(struct in_expander *e, struct reader *i, struct mm_arena *arena,
                              struct in_argument *a)
{
    const char *wrong = take_pointer(e, i, arena, a);
    struct in_image *image = mm_arena_alloc(arena, sizeof *image);
    if (wrong || !image)
        return wrong ? wrong : "out of memory";
    *image = (struct in_image){.kind = (enum in_image_kind)take_number(i, 1),
                               .order = (enum in_channel_order)take_number(i, 1),
                               .type = (enum in_channel_type)take_number(i, 1)};
    image->width = (uint32_t)take_number(i, 4);
    image->height = (uint32_t)take_number(i, 4);
    image->depth = (uint32_t)take_number(i, 4);
    image->array_size = (uint32_t)take_number(i, 4);
    image->row_pitch = take_number(i, 8);
    image->slice_pitch = take_number(i, 8);
    image->levels = (uint32_t)take_number(i, 4);
    image->data = (void *)(uintptr_t)a->address;
    a->image = image;
    return i->bad || is_image_valid(image, a->object->size - (a->address - a->object->address))
               ? NULL
               : "it uses an image outside of its allocation";
}

static float take_float(struct reader *i)
{
    uint32_t bits = (uint32_t)take_number(i, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const char *take_sampler(struct reader *i, struct mm_arena *arena, struct in_argument *a)
{
    struct in_sampler *s = mm_arena_alloc(arena, sizeof *s);
    if (!s)
        return "out of memory";
    s->normalized = take_number(i, 1) != 0;
    s->addressing = (enum in_addressing)take_number(i, 1);
    s->filter = (enum in_filter)take_number(i, 1);
    s->has_mip = take_number(i, 1) != 0;
    s->mip_filter = (enum in_filter)take_number(i, 1);
    s->lod_min = take_float(i);
    s->lod_max = take_float(i);
    a->sampler = s;
    bool known = s->addressing <= IN_ADDRESS_MIRRORED_REPEAT && s->filter <= IN_FILTER_LINEAR &&
                 s->mip_filter <= IN_FILTER_LINEAR;
    return known ? NULL : "it has an unknown sampler";
}

static const char *take_argument(struct in_expander *e, struct reader *i, struct mm_arena *arena,
                                 const struct in_argument_info *info, struct in_argument *a)
{
    uint64_t kind = take_number(i, 1);
    bool pointer = info->kind == IN_ARG_GLOBAL || info->kind == IN_ARG_CONSTANT;
    bool fits = kind == IN_REPLAY_LOCAL     ? info->kind == IN_ARG_LOCAL
                : kind == IN_REPLAY_VALUE   ? info->kind == IN_ARG_VALUE
                : kind == IN_REPLAY_IMAGE   ? info->kind == IN_ARG_IMAGE
                : kind == IN_REPLAY_SAMPLER ? info->kind == IN_ARG_SAMPLER
                                            : kind <= IN_REPLAY_NULL && pointer;
    if (!fits)
        return "its arguments do not match its kernel";
    if (kind == IN_REPLAY_POINTER)
        return take_pointer(e, i, arena, a);
    const char *wrong = kind == IN_REPLAY_IMAGE     ? take_image(e, i, arena, a)
                        : kind == IN_REPLAY_SAMPLER ? take_sampler(i, arena, a)
                                                    : NULL;
    if (wrong)
        return wrong;
    if (kind == IN_REPLAY_LOCAL)
        a->local_size = take_number(i, 8);
    if (kind == IN_REPLAY_VALUE) {
        if (take_number(i, 4) != info->size)
            return "its arguments do not match its kernel";
        a->value = take_bytes(i, info->size);
    }
    return i->bad ? "its record is truncated" : NULL;
}

/* Decodes a launch; returns an error message or NULL.  *SAMPLE is the recorded checksum of final memory. */
static const char *take_launch(struct in_expander *e, struct reader *i, struct mm_arena *arena,
                               struct in_launch *l, uint64_t *sample)
{
    const struct in_module *module = l->instance->module;
    l->kernel = in_module_find_kernel(module, take_string(i, arena));
    l->dimensions = (uint32_t)take_number(i, 4);
    for (int k = 0; k < 3; k++) {
        l->global_size[k] = take_number(i, 8);
        l->global_offset[k] = take_number(i, 8);
        l->local_size[k] = (uint32_t)take_number(i, 4);
    }
    l->sub_group_size = (uint32_t)take_number(i, 4);
    l->device = (uint32_t)take_number(i, 4);
    uint64_t flags = take_number(i, 4);
    l->checks = flags & IN_REPLAY_CHECKS;
    l->zero_local = flags & IN_REPLAY_ZERO_LOCAL;
    e->follows = flags & IN_REPLAY_FOLLOWS;
    l->local_pattern = (uint8_t)take_number(i, 1);
    l->step_limit = take_number(i, 8);
    if (i->bad || l->kernel == SIZE_MAX)
        return "its program has no such kernel";
    const struct in_kernel_info *info = in_module_kernel(module, l->kernel);
    if (take_number(i, 4) != info->argument_count)
        return "its arguments do not match its kernel";
    struct in_argument *arguments = mm_arena_alloc(arena, (info->argument_count + 1) * sizeof *arguments);
    l->arguments = arguments;
    const char *wrong = !arguments ? "out of memory" : NULL;
    for (uint32_t k = 0; k < info->argument_count && !wrong; k++)
        wrong = take_argument(e, i, arena, &info->arguments[k], &arguments[k]);
    *sample = take_number(i, 8);
    return wrong ? wrong : i->bad || i->at != i->end ? "its record is truncated" : NULL;
}

/* ---- execution ----------------------------------------------------------------------------- */

/* Keeps the first difference. */
static void note_difference(struct in_expander *e, uint32_t command, const char *kernel, const char *how)
{
    if (e->error.cls == MM_OK)
        mm_fail(
            &e->error, MM_LIMIT, "trace.replay",
            "re-execution differs from the recorded launch: %s in the launch of kernel %s, command %u, as the "
            "interpreter executes it, but not when it was recorded; from there on values may be others",
            how, kernel, command);
}

static void note_unplaced(struct in_expander *e, uint32_t command)
{
    if (e->error.cls == MM_OK)
        mm_fail(
            &e->error, MM_LIMIT, "trace.replay",
            "the launch of command %u cannot be re-executed: its shared virtual memory holds pointers, and the "
            "addresses are in use in this process",
            command);
}

/* Estimated bytes of a work-group; 0 for a launch that in_run_create rejects. */
static uint64_t launch_memory(const struct in_launch *l, const struct in_kernel_info *info)
{
    enum { WORK_ITEM = 1024, MOST_ITEMS = 1 << 20 };
    const uint64_t much = UINT64_C(1) << 40;
    uint64_t items = 1, bytes = info->local_bytes < much ? info->local_bytes : much;
    for (uint32_t k = 0; k < l->dimensions && k < 3 && items <= MOST_ITEMS; k++)
        items *= l->local_size[k];
    for (uint32_t k = 0; k < info->argument_count; k++)
        if (info->arguments[k].kind == IN_ARG_LOCAL)
            bytes += l->arguments[k].local_size < much ? l->arguments[k].local_size : much;
    uint64_t each = WORK_ITEM + (info->private_bytes < UINT32_MAX ? info->private_bytes : UINT32_MAX);
    return items <= MOST_ITEMS ? bytes + items * each : 0;
}

static enum mm_class run_launch(struct in_expander *e, const struct in_launch *l, uint64_t sample)
{
    enum { SLICE = 1 << 22 };
    const struct in_kernel_info *info = in_module_kernel(l->instance->module, l->kernel);
    struct mm_error error = {0};
    struct in_run *run = NULL;
    bool done = false;
    e->found = false;
    if (in_expand_check(e, MM_INPUT_TRACE_MEMORY, e->mirrored + launch_memory(l, info)) != MM_OK)
        return MM_LIMIT;
    enum mm_class cls = in_run_create(l, &run, &error);
    if (cls != MM_OK) {
        e->error = error;
        return cls;
    }
    while (!done && cls == MM_OK && e->stopped == MM_OK) {
        cls = in_run_step(run, SLICE, &done, &error);
        e->stopped = in_expand_check(e, MM_INPUT_TRACE_STEPS, e->steps + in_run_instruction_count(run));
    }
    e->steps += in_run_instruction_count(run);
    in_run_destroy(run);
    mm_recorder_flush(e->recorder);
    if (e->stopped != MM_OK)
        return e->stopped;
    if (cls == MM_LIMIT && !e->found) {
        e->error = error;
        return cls;
    }
    if (e->found)
        note_difference(e, l->command, info->name, e->finding.kind);
    else if (in_replay_sample(l, info) != sample)
        note_difference(e, l->command, info->name, "final memory contents differ");
    return MM_OK;
}

/* Step limit of the re-execution, given the RECORDED one (0: none): the launch terminated, but the trace may
 * have been modified since. */
static uint64_t step_limit(uint64_t recorded)
{
    const uint64_t patience = UINT64_C(100000000000);
    const char *given = mm_getenv("REFCL_STEP_LIMIT");
    uint64_t limit = recorded != 0 ? recorded : patience, most = given ? strtoull(given, NULL, 10) : 0;
    return most != 0 && most < limit ? most : limit;
}

enum mm_class in_expand_launch(struct in_expander *e, const struct mm_replay *replay)
{
    const struct in_expanded_program *p = find_program(e, replay->program);
    struct reader i = {replay->bytes, (const uint8_t *)replay->bytes + replay->size, false};
    if (replay->size == 0)
        return bad_launch(e, replay->command, "recording it ran out of memory");
    if (!p)
        return bad_launch(e, replay->command, "its program is not in the trace");
    struct mm_arena *arena = mm_arena_create();
    if (!arena)
        return in_expand_no_memory(e);
    struct in_launch l = {.instance = p->instance,
                          .schedule = IN_SEQUENTIAL,
                          .max_findings = 1,
                          .recorder = e->recorder,
                          .command = replay->command};
    uint64_t sample = 0;
    const char *wrong = take_launch(e, &i, arena, &l, &sample);
    l.step_limit = step_limit(l.step_limit);
    mm_recorder_flush(e->recorder);
    mm_recorder_skip_ids(e->recorder, (uint32_t)e->sources.out, (uint32_t)e->allocations.out);
    enum mm_class cls = MM_OK;
    if (wrong)
        cls = bad_launch(e, replay->command, wrong);
    else if (e->follows && !in_mirrors_are_fixed(e))
        note_unplaced(e, replay->command);
    else
        cls = run_launch(e, &l, sample);
    mm_arena_destroy(arena);
    return cls;
}
