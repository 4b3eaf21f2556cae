/* Replays witnesses in the interpreter: an oracle schedules the work-items and gives each read its value,
 * and every access must match the execution. [CL 3.3.6; SPIRV 2.2]  An out-of-bounds access ends the
 * launch; other work-items with such an access are checked in further launches that step them first. As
 * the values of reads are given, no work-item depends on the others. */
#include "tools/witness/oracle.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LAUNCHES = 1000, MAX_STEPS = 20000000 };

static void discard_output(void *context, const char *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

/* ---- launches ------------------------------------------------------------------------------------- */

static bool make_argument(struct replay *r, uint32_t k)
{
    const struct witness_argument *from = &r->witness->arguments[k];
    const struct in_argument_info *info = &r->witness->info->arguments[k];
    const struct ck_object *object =
        from->object < r->program->object_count ? &r->program->objects[from->object] : NULL;
    struct in_argument *a = &r->arguments[k];
    a->value = from->bytes;
    a->local_size = from->size;
    if (info->kind == IN_ARG_SAMPLER) {
        struct in_sampler *sampler = mm_arena_alloc(r->arena, sizeof *sampler);
        if (sampler)
            witness_sampler(from->sampler, sampler);
        a->sampler = sampler;
        return sampler != NULL;
    }
    if (info->kind == IN_ARG_VALUE || info->kind == IN_ARG_LOCAL || from->size == 0)
        return true;
    uint8_t *memory = mm_arena_alloc(r->arena, from->size + 128), *at = memory + (-(uintptr_t)memory & 127);
    if (!memory)
        return false;
    for (uint64_t i = 0; object && object->initial && i < from->size; i++)
        at[i] = (uint8_t)(object->initial[i / object->element_size] >> (8 * (i % object->element_size)));
    a->address = (uint64_t)(uintptr_t)at;
    r->objects[k] = (struct in_object){.address = a->address,
                                       .size = from->size,
                                       .id = k + 1,
                                       .region = from->image      ? MM_IMAGE
                                                 : from->constant ? MM_CONSTANT
                                                                  : MM_GLOBAL,
                                       .origin = object ? object->origin : MM_ORIGIN_BUFFER,
                                       .name = object ? object->name : info->name};
    a->object = &r->objects[k];
    if (!from->image)
        return true;
    struct in_image *image = mm_arena_alloc(r->arena, sizeof *image);
    if (image) {
        *image = *from->image;
        image->data = at;
        witness_image_layout(image);
    }
    a->image = image;
    return image != NULL;
}

static enum mm_class create_instance(struct replay *r, const struct in_environment *environment,
                                     struct mm_error *err)
{
    uint32_t count = r->witness->info->argument_count;
    struct mm_recorder *recorder = r->listener ? r->listener->recorder : NULL;
    r->arguments = mm_arena_alloc(r->arena, (count + 1) * sizeof *r->arguments);
    r->objects = mm_arena_alloc(r->arena, (count + 1) * sizeof *r->objects);
    bool good = r->arguments && r->objects;
    for (uint32_t k = 0; good && k < count; k++)
        good = make_argument(r, k);
    if (!good)
        return mm_out_of_memory(err);
    return in_instance_create(r->witness->module, environment, recorder, &r->instance, err);
}

/* SEED 0: the launch follows the order of the execution, and is recorded; other seeds schedule at random. */
static enum mm_class launch_replay(struct replay *r, uint64_t seed, struct mm_error *err)
{
    struct in_oracle oracle = replay_oracle(r);
    struct in_launch l = {.instance = r->instance,
                          .kernel = r->witness->kernel,
                          .arguments = r->arguments,
                          .dimensions = 3,
                          .sub_group_size = r->witness->sub_group,
                          .schedule = IN_RANDOM,
                          .seed = seed,
                          .step_limit = MAX_STEPS - r->steps,
                          .max_findings = UINT32_MAX,
                          .checks = true,
                          .weak = true,
                          .recorder = r->listener ? r->listener->recorder : NULL,
                          .oracle = &oracle};
    struct in_run *run = NULL;
    bool done = false;
    if (seed)
        oracle.rank = NULL;
    for (int i = 0; i < 3; i++) {
        l.global_size[i] = r->witness->global[i];
        l.local_size[i] = r->witness->local[i];
    }
    memset(r->addresses, 0, r->program->object_count * sizeof *r->addresses);
    memset(r->copied, 0, r->execution->count);
    for (uint32_t k = 0; k < r->witness->info->argument_count; k++)
        if (r->arguments[k].object && r->witness->arguments[k].object != CK_NO_OBJECT)
            r->addresses[r->witness->arguments[k].object] = r->arguments[k].address;
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        r->parts[t].at = r->parts[t].rounds = 0;
    if (l.recorder)
        l.start = replay_record_begin(l.recorder, r->witness, r->objects, &l.command);
    enum mm_class result = in_run_create(&l, &run, err);
    while (result == MM_OK && !done)
        result = in_run_step(run, 0, &done, err);
    r->steps += run ? in_run_instruction_count(run) : 0;
    in_run_destroy(run);
    if (l.recorder)
        replay_record_end(l.recorder);
    replay_note_ends(r);
    return result == MM_UNDEFINED ? MM_OK : result; /* the finding was checked */
}

/* ---- the final state ------------------------------------------------------------------------------ */

/* Adds to *VALUE the bytes of H, or of an initial value, that lie in SIZE bytes at OFFSET. */
static void overlay_bytes(uint64_t *value, uint64_t offset, unsigned size, uint64_t from, unsigned from_size,
                          uint64_t bytes)
{
    for (unsigned k = 0; k < from_size; k++) {
        if (from + k < offset || from + k >= offset + size)
            continue;
        unsigned shift = 8 * (unsigned)(from + k - offset);
        *value = (*value & ~(UINT64_C(0xFF) << shift)) | (bytes >> (8 * k) & 0xFF) << shift;
    }
}

uint64_t replay_final_value(const struct witness *w, uint32_t object, uint64_t offset, unsigned size)
{
    const struct ck_object *o = &w->program->objects[object];
    uint64_t value = 0;
    for (uint64_t i = 0; o->initial && i < o->size / o->element_size; i++)
        overlay_bytes(&value, offset, size, i * o->element_size, o->element_size, o->initial[i]);
    for (size_t i = 0; i < w->execution->count; i++) {
        const struct ck_event *h = &w->execution->events[i];
        if (h->last && h->object == object)
            overlay_bytes(&value, offset, size, h->offset, h->size, h->value);
    }
    return value;
}

static bool same_state(struct replay *r)
{
    for (uint32_t i = 0; i < r->program->observed_count; i++) {
        const struct ck_term *t = &r->program->observed[i];
        if (t->kind == CK_TERM_MEMORY &&
            replay_final_value(r->witness, t->object, t->offset, ck_term_size(r->program, t)) !=
                r->execution->values[i]) {
            snprintf(r->why, WITNESS_TEXT, "%s ends with another value", r->program->objects[t->object].name);
            return false;
        }
    }
    return true;
}

/* ---- the verdict ----------------------------------------------------------------------------------- */

static bool allocate_state(struct replay *r)
{
    size_t count = r->execution->count;
    r->parts = mm_arena_alloc(r->arena, (r->program->thread_count + 1) * sizeof *r->parts);
    r->addresses = mm_arena_alloc(r->arena, (r->program->object_count + 1) * sizeof *r->addresses);
    r->events = mm_arena_alloc(r->arena, (count + 1) * sizeof *r->events);
    r->copied = mm_arena_alloc(r->arena, count + 1);
    if (!r->parts || !r->addresses || !r->events || !r->copied)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t t = r->execution->events[i].thread;
        r->events[i] = MM_NO_EVENT;
        if (t == CK_NO_THREAD)
            continue;
        if (r->parts[t].count++ == 0)
            r->parts[t].first = (uint32_t)i;
    }
    return true;
}

/* Whether a work-item uses an undefined value that happens not to be 0. */
static bool uses_undefined(const struct ck_program *program, const struct ck_execution *execution)
{
    for (size_t i = 0; i < execution->count; i++) {
        const struct ck_event *h = &execution->events[i];
        if (h->kind == MM_READ && h->value && program->objects[h->object].region == MM_PRIVATE)
            return true;
    }
    return false;
}

static bool all_shown(const struct replay *r)
{
    return r->execution->shows == CK_SHOWS_DIVERGENCE ? r->diverged : replay_saw_all(r);
}

/* Whether the launches match the execution in everything that can be observed. */
static bool run_launches(struct replay *r)
{
    struct in_environment environment = {.context = r, .print = discard_output, .finding = replay_on_finding};
    struct mm_error err = {.message = "out of memory"};
    enum mm_class result = allocate_state(r) ? create_instance(r, &environment, &err) : MM_LIMIT;
    for (uint64_t seed = 0; seed < MAX_LAUNCHES && !result && !r->failed && r->steps < MAX_STEPS; seed++) {
        result = launch_replay(r, seed, &err);
        r->listener = NULL;
        if (all_shown(r))
            break;
    }
    if (result)
        snprintf(r->why, WITNESS_TEXT, "%s", err.message);
    else if (!r->failed && !all_shown(r))
        snprintf(r->why, WITNESS_TEXT,
                 r->execution->shows == CK_SHOWS_DIVERGENCE ? "no work-item blocks forever at a barrier"
                                                            : "not all work-items were seen");
    in_instance_destroy(r->instance);
    return !result && !r->failed && all_shown(r);
}

enum replay_result replay_witness(const struct witness *witness, const struct replay_listener *listener,
                                  char why[WITNESS_TEXT])
{
    struct replay r = {.witness = witness,
                       .program = witness->program,
                       .execution = witness->execution,
                       .listener = listener,
                       .why = why,
                       .arena = mm_arena_create()};
    if (!r.arena)
        snprintf(why, WITNESS_TEXT, "out of memory");
    bool good = r.arena && run_launches(&r) && (r.execution->shows != CK_SHOWS_STATE || same_state(&r));
    mm_arena_destroy(r.arena);
    if (good)
        return REPLAY_SAME;
    return uses_undefined(r.program, r.execution) ? REPLAY_UNDEFINED : REPLAY_DIFFERS;
}
