/* Executions that exploring found, carried out once more by the interpreter: it executes the module
 * literally, the work-items take turns as the execution says, and an oracle gives each read the value that
 * the execution says.  What the work-items then do must be what the execution says they do.
 * [CL 3.3.6; SPIRV 2.2]
 *
 * An access outside of memory ends the launch; other work-items that make one are looked at in further
 * launches, which begin with other work-items.  As reads are given, none of them depends on what the others
 * have done. */
#include "tools/replay.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LAUNCHES = 1000, ENOUGH_ROUNDS = 3, MAX_ROUNDS = 1000, MAX_STEPS = 20000000 };

struct part { /* of a work-item */
    uint32_t first, count, at, rounds;
    bool seen_to_end;
};
struct range { /* happenings FIRST .. END - 1, of an access at ADDRESS */
    uint32_t first, end;
    uint64_t address;
};
struct replay {
    const struct witness *witness;
    const struct ck_program *program;
    const struct ck_execution *execution;
    const struct replay_listener *listener; /* NULL: nobody listens, to this launch at least */
    struct part *parts;
    uint64_t *addresses;      /* by object: where this launch has it, 0: not met so far */
    mm_event_id *events;      /* by happening: writes that were recorded */
    uint8_t *copied;          /* by happening: of asynchronous copies, made */
    struct range read, write; /* of what will be recorded next */
    struct in_argument *arguments;
    struct in_object *objects;
    struct in_instance *instance;
    struct mm_arena *arena;
    uint64_t steps; /* instructions of all launches */
    bool diverged, failed;
    char *why;
};

MM_PRINTF(3, 4) static bool differs(struct replay *r, uint32_t item, const char *format, ...)
{
    va_list list;
    if (!r->failed) {
        int n = snprintf(r->why, WITNESS_TEXT, "%s: ", r->program->threads[item].name);
        va_start(list, format);
        vsnprintf(r->why + n, WITNESS_TEXT - (size_t)n, format, list);
        va_end(list);
    }
    r->failed = true;
    return false;
}

/* ---- where a work-item is ------------------------------------------------------------------------ */

/* Values that nobody defined are no memory for the interpreter, and what is no event of its own is not met.
 */
static bool is_met(const struct replay *r, const struct ck_happening *h)
{
    if (h->hidden)
        return false;
    if (h->kind == MM_READ || h->kind == MM_WRITE)
        return r->program->objects[h->object].region != MM_PRIVATE;
    return h->kind == MM_FENCE || h->kind == MM_BARRIER_ENTRY;
}

static const struct ck_happening *happening(const struct replay *r, const struct part *p)
{
    return p->at < p->count ? &r->execution->happenings[p->first + p->at] : NULL;
}

static const struct ck_happening *coming(const struct replay *r, struct part *p)
{
    while (happening(r, p) && !is_met(r, happening(r, p)))
        p->at++;
    return happening(r, p);
}

/* Whether all that is left of the work-item is a barrier that it waits at in vain. */
static bool is_blocked(const struct replay *r, uint32_t item)
{
    struct part p = r->parts[item];
    const struct ck_happening *h = coming(r, &p);
    return h && h->kind == MM_BARRIER_ENTRY && p.at + 1 == p.count && r->execution->ends[item] == CK_IS_LEFT;
}

/* Whether the work-item has come to where it is left. */
static bool is_left(const struct replay *r, uint32_t item)
{
    struct part p = r->parts[item];
    return r->execution->ends[item] == CK_IS_LEFT && !coming(r, &p);
}

/* Copies that nobody waits for may be missing. */
static bool all_seen(const struct replay *r)
{
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        if (!r->program->threads[t].agent && !r->parts[t].seen_to_end && !is_blocked(r, t) && !is_left(r, t))
            return false;
    return true;
}

/* What is next in the execution comes next; then those that wait for ever, the one that did so for the
 * shortest time first; and what ends the launch comes last. */
static uint64_t on_rank(void *context, uint32_t item)
{
    struct replay *r = context;
    struct part *p = &r->parts[item];
    const struct ck_happening *h = coming(r, p);
    enum ck_end end = r->execution->ends[item];
    uint64_t after = r->execution->count;
    if (h && p->rounds == 0)
        return h->step;
    return end == CK_ENDS ? after : end == CK_WAITS ? after + 1 + p->rounds : after + 2 + MAX_ROUNDS;
}

/* ---- listening ----------------------------------------------------------------------------------- */

static void tell(const struct replay *r, uint32_t index, bool again)
{
    if (r->listener && r->listener->step)
        r->listener->step(r->listener->context, index, again);
}

static size_t on_sources(void *context, struct mm_edge *edges, size_t most)
{
    const struct replay *r = context;
    size_t count = 0;
    for (uint32_t i = r->read.first; i < r->read.end && count < most; i++) {
        const struct ck_happening *h = &r->execution->happenings[i];
        if (h->kind != MM_READ)
            continue;
        edges[count++] =
            (struct mm_edge){.from = h->source == UINT32_MAX ? MM_NO_EVENT : r->events[h->source],
                             .first_byte = (uint32_t)(r->addresses[h->object] + h->offset - r->read.address),
                             .byte_count = h->size};
    }
    return count;
}

static void on_recorded(void *context, mm_event_id event)
{
    struct replay *r = context;
    for (uint32_t i = r->write.first; i < r->write.end; i++)
        r->events[i] = event;
    r->read = r->write = (struct range){0};
}

/* What the work-item does next; NULL: the launch ends, or the work-item does more than the execution says. */
static const struct ck_happening *expect(struct replay *r, uint32_t item, const char *what)
{
    struct part *p = &r->parts[item];
    const struct ck_happening *h = coming(r, p);
    if (h)
        return h;
    switch (r->execution->ends[item]) {
    case CK_WAITS:
        p->rounds++;
        p->at = r->execution->wait_from[item];
        p->seen_to_end = p->seen_to_end || p->rounds >= ENOUGH_ROUNDS;
        if ((p->seen_to_end && all_seen(r)) || p->rounds > MAX_ROUNDS || p->at >= p->count)
            return NULL;
        return coming(r, p);
    case CK_IS_LEFT:
        p->seen_to_end = true;
        return NULL;
    default:
        differs(r, item, "goes on with a %s", what);
        return NULL;
    }
}

/* ---- the oracle ----------------------------------------------------------------------------------- */

/* Whether OBJECT of the interpreter is the one that H is about: arguments are known, of others it shows when
 * they are met first. */
static bool is_object(struct replay *r, const struct ck_happening *h, const struct in_object *object)
{
    const struct ck_object *wanted = &r->program->objects[h->object];
    uint64_t *known = &r->addresses[h->object];
    for (uint32_t o = 0; o < r->program->object_count && *known == 0; o++) {
        bool together = wanted->work_group < 0 || r->program->objects[o].work_group < 0 ||
                        r->program->objects[o].work_group == wanted->work_group;
        if (r->addresses[o] == object->address && together)
            return false;
    }
    if (*known == 0 && object->size >= wanted->size)
        *known = object->address;
    return *known == object->address;
}

static bool lies_in(struct replay *r, const struct ck_happening *h, const struct in_object *object,
                    uint64_t address, uint32_t size)
{
    if (!is_object(r, h, object))
        return false;
    uint64_t at = object->address + h->offset;
    return at >= address && at + h->size <= address + size;
}

/* The bytes of H in those at ADDRESS: read into BYTES, or compared with them; false: they differ. */
static bool take(const struct ck_happening *h, const struct in_object *object, uint64_t address,
                 uint8_t *bytes, bool compare)
{
    uint64_t at = object->address + h->offset - address;
    for (uint32_t k = 0; k < h->size; k++) {
        uint8_t byte = (uint8_t)(h->value >> (8 * k));
        if (compare && bytes[at + k] != byte)
            return false;
        bytes[at + k] = byte;
    }
    return true;
}

static bool is_known(const struct replay *r, const struct ck_happening *h)
{
    return r->addresses[h->object] != 0;
}

/* Whether ITEM itself comes to this access now. */
static bool is_own(struct replay *r, uint32_t item, enum mm_kind kind, const struct in_object *object,
                   uint64_t address, uint32_t size)
{
    const struct ck_happening *h = coming(r, &r->parts[item]);
    return h && h->kind == kind && is_known(r, h) && lies_in(r, h, object, address, size);
}

/* What copy COPY does at these bytes and has not done so far: a copy reads all of it, then writes it. */
static bool copies(struct replay *r, uint32_t copy, enum mm_kind kind, const struct in_object *object,
                   uint64_t address, uint32_t size, uint8_t *bytes)
{
    const struct part *p = &r->parts[copy];
    struct range range = {.address = address};
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const struct ck_happening *h = &r->execution->happenings[i];
        if (r->copied[i] || h->kind != kind || !is_met(r, h) || !lies_in(r, h, object, address, size))
            continue;
        if (!take(h, object, address, bytes, kind == MM_WRITE)) {
            differs(r, copy, "line %u: another value is copied to %s", h->line,
                    r->program->objects[h->object].name);
            return true;
        }
        tell(r, i, false);
        r->copied[i] = 1;
        range.first = range.end ? range.first : i;
        range.end = i + 1;
    }
    if (range.end)
        *(kind == MM_READ ? &r->read : &r->write) = range;
    return range.end != 0;
}

/* The interpreter makes the asynchronous copies of a work-group in the name of one of its work-items. */
static bool is_copied(struct replay *r, uint32_t item, enum mm_kind kind, const struct in_object *object,
                      uint64_t address, uint32_t size, uint8_t *bytes)
{
    const struct ck_thread *own = &r->program->threads[item];
    if (is_own(r, item, kind, object, address, size))
        return false;
    for (uint32_t t = item + 1; t < r->program->thread_count; t++) {
        const struct ck_thread *thread = &r->program->threads[t];
        if (thread->agent && thread->work_group == own->work_group && thread->device == own->device &&
            copies(r, t, kind, object, address, size, bytes))
            return true;
    }
    return false;
}

/* An access of the interpreter is one event of the execution, or one for each scalar in it, upwards. */
static bool access(struct replay *r, uint32_t item, enum mm_kind kind, const struct in_object *object,
                   uint64_t address, uint32_t size, uint8_t *bytes)
{
    const char *what = kind == MM_READ ? "read" : "write";
    struct part *p = &r->parts[item];
    if (is_copied(r, item, kind, object, address, size, bytes))
        return !r->failed;
    const struct ck_happening *h = expect(r, item, what);
    uint32_t first = p->at;
    uint64_t done = 0;
    if (!h)
        return false;
    while (h && h->kind == kind && lies_in(r, h, object, address, size) &&
           (done == 0 || object->address + h->offset >= done)) {
        if (!take(h, object, address, bytes, kind == MM_WRITE))
            return differs(r, item, "line %u: another value is written to %s", h->line,
                           r->program->objects[h->object].name);
        tell(r, p->first + p->at, p->rounds > 0);
        done = object->address + h->offset + h->size;
        p->at++;
        h = done < address + size ? coming(r, p) : NULL;
    }
    *(kind == MM_READ ? &r->read : &r->write) = (struct range){p->first + first, p->first + p->at, address};
    /* the writes of a round that repeats change nothing, and are left out */
    bool repeats =
        kind == MM_WRITE && r->execution->ends[item] == CK_WAITS && p->at >= r->execution->wait_from[item];
    if (done || repeats)
        return true;
    return differs(r, item, "a %s of %s where line %u has a %s of %s", what, object->name ? object->name : "",
                   h ? h->line : 0, h ? mm_kind_name((enum mm_kind)h->kind) : "",
                   h && h->object < r->program->object_count ? r->program->objects[h->object].name : "");
}

/* Memory that stays as it is has no events. */
static bool on_read(void *context, uint32_t item, const struct in_object *object, uint64_t address,
                    uint32_t size, void *bytes)
{
    struct replay *r = context;
    const struct ck_happening *h = coming(r, &r->parts[item]);
    if (object->region == MM_CONSTANT && !(h && h->kind == MM_READ && lies_in(r, h, object, address, size)))
        return true;
    return access(r, item, MM_READ, object, address, size, bytes);
}

static bool on_write(void *context, uint32_t item, const struct in_object *object, uint64_t address,
                     uint32_t size, const void *bytes)
{
    struct replay *r = context;
    uint8_t *copy = mm_alloc(size + 1);
    if (!copy)
        return differs(r, item, "out of memory");
    memcpy(copy, bytes, size);
    bool same = access(r, item, MM_WRITE, object, address, size, copy);
    mm_free(copy);
    return same;
}

/* Fences that order nothing are no events of the execution. */
static bool on_fence(void *context, uint32_t item, bool barrier, enum mm_order order, enum mm_scope scope)
{
    struct replay *r = context;
    struct part *p = &r->parts[item];
    const struct ck_happening *h = coming(r, p);
    uint8_t kind = barrier ? MM_BARRIER_ENTRY : MM_FENCE;
    (void)scope;
    if (!barrier && (order == MM_RELAXED || order == MM_ORDER_NONE) && (!h || h->kind != MM_FENCE))
        return true;
    h = expect(r, item, mm_kind_name((enum mm_kind)kind));
    if (!h)
        return false;
    if (h->kind != kind)
        return differs(r, item, "a %s where line %u has a %s", mm_kind_name((enum mm_kind)kind), h->line,
                       mm_kind_name((enum mm_kind)h->kind));
    tell(r, p->first + p->at, p->rounds > 0);
    p->at++;
    return true;
}

static bool on_end(void *context, uint32_t item)
{
    struct replay *r = context;
    const struct ck_happening *h = coming(r, &r->parts[item]);
    if (h)
        return differs(r, item, "ends before the %s in line %u", mm_kind_name((enum mm_kind)h->kind),
                       h->line);
    if (r->execution->ends[item] == CK_FAULTS || r->execution->ends[item] == CK_WAITS)
        return differs(r, item, "comes to its end");
    r->parts[item].seen_to_end = true;
    return true;
}

static void on_finding(void *context, const struct in_finding *f)
{
    struct replay *r = context;
    uint32_t item = f->work_item;
    if (strcmp(f->kind, "barrier-divergence") == 0) {
        r->diverged = true;
        return;
    }
    bool at_end = r->execution->ends[item] == CK_FAULTS || r->execution->ends[item] == CK_IS_LEFT;
    if (at_end && !coming(r, &r->parts[item]))
        r->parts[item].seen_to_end = true;
    else
        differs(r, item, "%s", f->message);
}

static void on_print(void *context, const char *text, size_t size)
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
    if (info->kind == IN_ARG_VALUE || info->kind == IN_ARG_LOCAL)
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
                                       .region = from->constant ? MM_CONSTANT : MM_GLOBAL,
                                       .origin = MM_ORIGIN_FINE_SVM_ATOMICS,
                                       .name = object ? object->name : info->name};
    a->object = &r->objects[k];
    return true;
}

static enum mm_class set_up(struct replay *r, const struct in_environment *environment, struct mm_error *err)
{
    uint32_t count = r->witness->info->argument_count;
    struct mm_recorder *recorder = r->listener ? r->listener->recorder : NULL;
    r->arguments = mm_arena_alloc(r->arena, (count + 1) * sizeof *r->arguments);
    r->objects = mm_arena_alloc(r->arena, (count + 1) * sizeof *r->objects);
    bool good = r->arguments && r->objects;
    for (uint32_t k = 0; good && k < count; k++)
        good = make_argument(r, k);
    if (!good)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    return in_instance_create(r->witness->module, environment, recorder, &r->instance, err);
}

/* SEED: 0 is the launch in the order of the execution, the only one that is recorded; others are at random.
 */
static enum mm_class launch(struct replay *r, uint64_t seed, struct mm_error *err)
{
    struct in_oracle oracle = {.context = r,
                               .read = on_read,
                               .write = on_write,
                               .fence = on_fence,
                               .ended = on_end,
                               .rank = seed ? NULL : on_rank,
                               .sources = on_sources,
                               .recorded = on_recorded};
    struct in_launch l = {.instance = r->instance,
                          .kernel = r->witness->kernel,
                          .arguments = r->arguments,
                          .dimensions = 3,
                          .sub_group_size = r->witness->sub_group,
                          .schedule = IN_RANDOM,
                          .seed = seed,
                          .step_limit = MAX_STEPS - r->steps,
                          .checks = true,
                          .weak = true,
                          .recorder = r->listener ? r->listener->recorder : NULL,
                          .oracle = &oracle};
    struct in_run *run = NULL;
    bool done = false;
    for (int i = 0; i < 3; i++) {
        l.global_size[i] = r->witness->global[i];
        l.local_size[i] = r->witness->local[i];
    }
    memset(r->addresses, 0, r->program->object_count * sizeof *r->addresses);
    memset(r->copied, 0, r->execution->count);
    for (uint32_t k = 0; k < r->witness->info->argument_count; k++)
        if (r->arguments[k].object && r->witness->arguments[k].object != UINT32_MAX)
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
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        r->parts[t].seen_to_end = r->parts[t].seen_to_end || is_blocked(r, t) || is_left(r, t);
    return result == MM_UNDEFINED ? MM_OK : result; /* the finding was looked at */
}

/* ---- the final state ------------------------------------------------------------------------------ */

/* Adds to *VALUE the bytes of H, or of an initial value, that lie in SIZE bytes at OFFSET. */
static void overlay(uint64_t *value, uint64_t offset, unsigned size, uint64_t from, unsigned from_size,
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
        overlay(&value, offset, size, i * o->element_size, o->element_size, o->initial[i]);
    for (size_t i = 0; i < w->execution->count; i++) {
        const struct ck_happening *h = &w->execution->happenings[i];
        if (h->last && h->object == object)
            overlay(&value, offset, size, h->offset, h->size, h->value);
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

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool find_parts(struct replay *r)
{
    size_t count = r->execution->count;
    r->parts = mm_arena_alloc(r->arena, (r->program->thread_count + 1) * sizeof *r->parts);
    r->addresses = mm_arena_alloc(r->arena, (r->program->object_count + 1) * sizeof *r->addresses);
    r->events = mm_arena_alloc(r->arena, (count + 1) * sizeof *r->events);
    r->copied = mm_arena_alloc(r->arena, count + 1);
    if (!r->parts || !r->addresses || !r->events || !r->copied)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t t = r->execution->happenings[i].thread;
        r->events[i] = MM_NO_EVENT;
        if (t == UINT32_MAX)
            continue;
        if (r->parts[t].count++ == 0)
            r->parts[t].first = (uint32_t)i;
    }
    return true;
}

/* Whether a work-item uses a value that nobody defined, and that happens not to be 0. */
static bool uses_undefined(const struct ck_program *program, const struct ck_execution *execution)
{
    for (size_t i = 0; i < execution->count; i++) {
        const struct ck_happening *h = &execution->happenings[i];
        if (h->kind == MM_READ && h->value && program->objects[h->object].region == MM_PRIVATE)
            return true;
    }
    return false;
}

static bool all_shown(const struct replay *r)
{
    return r->execution->shows == CK_SHOWS_DIVERGENCE ? r->diverged : all_seen(r);
}

/* Whether the launches did what the execution says, as far as can be told from them. */
static bool carry_out(struct replay *r)
{
    struct in_environment environment = {.context = r, .print = on_print, .finding = on_finding};
    struct mm_error err = {.message = "out of memory"};
    enum mm_class result = find_parts(r) ? set_up(r, &environment, &err) : MM_LIMIT;
    for (uint64_t seed = 0; seed < MAX_LAUNCHES && !result && !r->failed && r->steps < MAX_STEPS; seed++) {
        result = launch(r, seed, &err);
        r->listener = NULL;
        if (all_shown(r))
            break;
    }
    if (result)
        snprintf(r->why, WITNESS_TEXT, "%s", err.message);
    else if (!r->failed && !all_shown(r))
        snprintf(r->why, WITNESS_TEXT,
                 r->execution->shows == CK_SHOWS_DIVERGENCE ? "no barrier is waited at in vain"
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
    bool good = r.arena && carry_out(&r) && (r.execution->shows != CK_SHOWS_STATE || same_state(&r));
    mm_arena_destroy(r.arena);
    if (good)
        return REPLAY_SAME;
    return uses_undefined(r.program, r.execution) ? REPLAY_UNDEFINED : REPLAY_DIFFERS;
}
