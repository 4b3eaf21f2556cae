/* Executions that exploring found, carried out once more by the interpreter: it executes the module
 * literally, and an oracle gives each read the value that the execution says.  What the work-items then do
 * must be what the execution says they do.  [CL 3.3.6; SPIRV 2.2]
 *
 * A work-item that is left where it is ends the launch; the others are looked at in further launches, which
 * begin with other work-items.  As reads are given, none of them depends on what the others have done. */
#include "tools/replay.h"
#include "interp/interp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LAUNCHES = 1000, ENOUGH_ROUNDS = 3, MAX_ROUNDS = 1000, MAX_STEPS = 20000000 };

struct part { /* of a work-item */
    uint32_t first, count, at, rounds;
    bool seen_to_end;
};
struct replay {
    const struct ck_program *program;
    const struct ck_execution *execution;
    struct part *parts;
    uint64_t *addresses; /* by object: where this launch has it, 0: not met so far */
    bool diverged, failed;
    char *why;
};

MM_PRINTF(3, 4) static bool differs(struct replay *r, uint32_t item, const char *format, ...)
{
    va_list list;
    if (!r->failed) {
        int n = snprintf(r->why, REPLAY_TEXT, "%s: ", r->program->threads[item].name);
        va_start(list, format);
        vsnprintf(r->why + n, REPLAY_TEXT - (size_t)n, format, list);
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

static bool all_seen(const struct replay *r)
{
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        if (!r->parts[t].seen_to_end && !is_blocked(r, t))
            return false;
    return true;
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

/* Whether OBJECT of the interpreter is the one that H is about: that shows when it is met first. */
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

/* An access of the interpreter is one event of the execution, or one for each scalar in it, upwards. */
static bool access(struct replay *r, uint32_t item, enum mm_kind kind, const struct in_object *object,
                   uint64_t address, uint32_t size, uint8_t *bytes)
{
    const char *what = kind == MM_READ ? "read" : "write";
    struct part *p = &r->parts[item];
    const struct ck_happening *h = expect(r, item, what);
    uint64_t done = 0;
    if (!h)
        return false;
    while (h && h->kind == kind && lies_in(r, h, object, address, size) &&
           (done == 0 || object->address + h->offset >= done)) {
        if (!take(h, object, address, bytes, kind == MM_WRITE))
            return differs(r, item, "line %u: another value is written to %s", h->line,
                           r->program->objects[h->object].name);
        done = object->address + h->offset + h->size;
        p->at++;
        h = done < address + size ? coming(r, p) : NULL;
    }
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

struct stage { /* what the launches have in common */
    struct ex *ex;
    const struct ck_execution *execution;
    struct in_module *module;
    struct in_instance *instance;
    const struct in_kernel_info *info;
    size_t kernel;
    struct in_argument *arguments;
    struct in_object *objects;
    struct mm_arena *arena;
};

/* What the specialization constant ID is in the exploration: its value, or the length that an array in local
 * memory was given. */
static uint64_t constant_value(const struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->build->place_count; i++) {
        const struct ex_place *p = &ex->build->places[i];
        const struct ex_inst *type = ex->ids[p->pointee].inst;
        if (p->storage == SpvStorageClassWorkgroup && type && type->opcode == SpvOpTypeArray &&
            type->words[1] == id)
            return ex->program->objects[p->object].size / ex->ids[p->pointee].type->stride;
    }
    return *ex->ids[id].constant;
}

static enum mm_class load(struct stage *s, struct mm_error *err)
{
    const struct ex *ex = s->ex;
    struct in_spec_constant *constants = mm_arena_alloc(s->arena, (ex->inst_count + 1) * sizeof *constants);
    struct in_module_options options = {.constants = constants, .name = ex->file};
    if (!constants)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    for (uint32_t i = 0; i < ex->inst_count; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        bool constant = inst->opcode == SpvOpDecorate && inst->count > 2 &&
                        inst->words[1] == SpvDecorationSpecId && ex->ids[inst->words[0]].constant;
        const struct ex_id *id = &ex->ids[inst->words[0]];
        if (constant)
            constants[options.constant_count++] =
                (struct in_spec_constant){inst->words[2], ex_scalar_size(ex->ids[id->type_id].type),
                                          constant_value(ex, inst->words[0])};
    }
    enum mm_class r = MM_INVALID; /* most are for OpenCL; the others are taken as they come */
    for (int any = 0; any < 2 && r; any++) {
        options.any_environment = any == 1;
        r = in_module_create(ex->words, ex->word_count * sizeof *ex->words, &options, &s->module, NULL, err);
    }
    return r;
}

static const struct ex_place *place_of(const struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->build->place_count; i++)
        if (ex->build->places[i].id == id && ex->build->places[i].storage != SpvStorageClassFunction)
            return &ex->build->places[i];
    return NULL;
}

/* The id behind argument K: a parameter of the kernel, or a descriptor of a shader, in the module's order. */
static uint32_t id_of_argument(const struct ex *ex, uint32_t k)
{
    const struct ex_function *f = ex->entry;
    for (uint32_t i = ex->vulkan ? 0 : f->first; i < (ex->vulkan ? ex->functions[0].first : f->end); i++) {
        const struct ex_inst *inst = &ex->insts[i];
        bool descriptor = inst->opcode == SpvOpVariable && (inst->words[0] == SpvStorageClassStorageBuffer ||
                                                            inst->words[0] == SpvStorageClassUniform ||
                                                            inst->words[0] == SpvStorageClassPushConstant);
        if ((ex->vulkan ? descriptor : inst->opcode == SpvOpFunctionParameter) && k-- == 0)
            return inst->result;
    }
    return 0;
}

static bool make_argument(struct stage *s, uint32_t k)
{
    const struct in_argument_info *info = &s->info->arguments[k];
    const struct ex_place *place = place_of(s->ex, id_of_argument(s->ex, k));
    const struct ck_object *object = place ? &s->ex->program->objects[place->object] : NULL;
    bool constant = place && (place->storage == SpvStorageClassPushConstant ||
                              place->storage == SpvStorageClassUniformConstant);
    struct in_argument *a = &s->arguments[k];
    uint64_t size = object ? object->size : info->size;
    uint8_t *memory = mm_arena_alloc(s->arena, size + 128), *at = memory + (-(uintptr_t)memory & 127);
    if (!memory)
        return false;
    a->value = at;
    if (info->kind == IN_ARG_VALUE)
        return ex_argument_bytes(s->ex, id_of_argument(s->ex, k), s->execution, at, size);
    for (uint64_t i = 0; object && i < size; i++)
        at[i] = (uint8_t)(object->initial[i / object->element_size] >> (8 * (i % object->element_size)));
    a->local_size = size;
    a->address = (uint64_t)(uintptr_t)at;
    s->objects[k] = (struct in_object){.address = a->address,
                                       .size = size,
                                       .id = k + 1,
                                       .region = constant ? MM_CONSTANT : MM_GLOBAL,
                                       .origin = MM_ORIGIN_FINE_SVM_ATOMICS,
                                       .name = object ? object->name : info->name};
    a->object = &s->objects[k];
    return true;
}

static enum mm_class set_up(struct stage *s, const struct in_environment *environment, struct mm_error *err)
{
    enum mm_class r = load(s, err);
    if (r)
        return r;
    s->kernel = in_module_find_kernel(s->module, s->ex->program->name);
    if (s->kernel == SIZE_MAX)
        return mm_fail(err, MM_INVALID, "explore.kernel", "the interpreter does not know the kernel");
    s->info = in_module_kernel(s->module, s->kernel);
    r = in_instance_create(s->module, environment, NULL, &s->instance, err);
    s->arguments = mm_arena_alloc(s->arena, (s->info->argument_count + 1) * sizeof *s->arguments);
    s->objects = mm_arena_alloc(s->arena, (s->info->argument_count + 1) * sizeof *s->objects);
    for (uint32_t k = 0; !r && s->arguments && s->objects && k < s->info->argument_count; k++)
        if (!make_argument(s, k))
            r = mm_fail(err, MM_LIMIT, "memory", "no value for argument %u", k);
    return r || (s->arguments && s->objects) ? r : mm_fail(err, MM_LIMIT, "memory", "out of memory");
}

static enum mm_class launch(const struct stage *s, struct replay *r, uint64_t seed, struct mm_error *err)
{
    struct in_oracle oracle = {r, on_read, on_write, on_fence, on_end};
    struct in_launch l = {.instance = s->instance,
                          .kernel = s->kernel,
                          .arguments = s->arguments,
                          .dimensions = 3,
                          .sub_group_size = s->ex->launch.sub_group,
                          .schedule = seed ? IN_RANDOM : IN_SEQUENTIAL,
                          .seed = seed,
                          .step_limit = MAX_STEPS,
                          .checks = true,
                          .weak = true,
                          .oracle = &oracle};
    struct in_run *run = NULL;
    bool done = false;
    for (int i = 0; i < 3; i++) {
        l.global_size[i] = s->ex->launch.global[i];
        l.local_size[i] = s->ex->launch.local[i];
    }
    memset(r->addresses, 0, r->program->object_count * sizeof *r->addresses);
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        r->parts[t].at = r->parts[t].rounds = 0;
    enum mm_class result = in_run_create(&l, &run, err);
    while (result == MM_OK && !done)
        result = in_run_step(run, 0, &done, err);
    in_run_destroy(run);
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        r->parts[t].seen_to_end = r->parts[t].seen_to_end || is_blocked(r, t);
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

static uint64_t final_value(const struct replay *r, const struct ck_term *t)
{
    const struct ck_object *o = &r->program->objects[t->object];
    unsigned size = ck_term_size(r->program, t);
    uint64_t value = 0;
    for (uint64_t i = 0; i < o->size / o->element_size; i++)
        overlay(&value, t->offset, size, i * o->element_size, o->element_size,
                o->initial ? o->initial[i] : 0);
    for (size_t i = 0; i < r->execution->count; i++) {
        const struct ck_happening *h = &r->execution->happenings[i];
        if (h->last && h->object == t->object)
            overlay(&value, t->offset, size, h->offset, h->size, h->value);
    }
    return value;
}

static bool same_state(struct replay *r)
{
    for (uint32_t i = 0; i < r->program->observed_count; i++) {
        const struct ck_term *t = &r->program->observed[i];
        if (t->kind == CK_TERM_MEMORY && final_value(r, t) != r->execution->values[i]) {
            snprintf(r->why, REPLAY_TEXT, "%s ends with another value", r->program->objects[t->object].name);
            return false;
        }
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool find_parts(struct replay *r, struct mm_arena *arena)
{
    r->parts = mm_arena_alloc(arena, (r->program->thread_count + 1) * sizeof *r->parts);
    r->addresses = mm_arena_alloc(arena, (r->program->object_count + 1) * sizeof *r->addresses);
    for (size_t i = 0; i < r->execution->count && r->parts; i++) {
        uint32_t t = r->execution->happenings[i].thread;
        if (t == UINT32_MAX)
            continue;
        if (r->parts[t].count++ == 0)
            r->parts[t].first = (uint32_t)i;
    }
    return r->parts && r->addresses;
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

enum replay_result replay_execution(struct ex *ex, const struct ck_execution *execution,
                                    char why[REPLAY_TEXT])
{
    struct replay r = {.program = ex->program, .execution = execution, .why = why};
    struct stage s = {.ex = ex, .execution = execution, .arena = mm_arena_create()};
    struct in_environment environment = {.context = &r, .print = on_print, .finding = on_finding};
    struct mm_error err = {.message = "out of memory"};
    bool diverges = execution->shows == CK_SHOWS_DIVERGENCE;
    enum mm_class result = s.arena && find_parts(&r, s.arena) ? set_up(&s, &environment, &err) : MM_LIMIT;
    for (uint64_t seed = 0; seed < MAX_LAUNCHES && !result && !r.failed; seed++) {
        result = launch(&s, &r, seed, &err);
        if (diverges ? r.diverged : all_seen(&r))
            break;
    }
    if (result)
        snprintf(why, REPLAY_TEXT, "%s", err.message);
    else if (!r.failed && !(diverges ? r.diverged : all_seen(&r)))
        snprintf(why, REPLAY_TEXT,
                 diverges ? "no barrier is waited at in vain" : "not all work-items were seen");
    bool good = !result && !r.failed && (diverges ? r.diverged : all_seen(&r)) &&
                (execution->shows != CK_SHOWS_STATE || same_state(&r));
    in_instance_destroy(s.instance);
    if (s.module)
        in_module_release(s.module);
    mm_arena_destroy(s.arena);
    if (good)
        return REPLAY_SAME;
    return uses_undefined(ex->program, execution) ? REPLAY_UNDEFINED : REPLAY_DIFFERS;
}
