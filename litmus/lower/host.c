/* Lowering of the host part: each command becomes a thread with a start, its accesses and an end; its
 * completion, and that of a user event, is another thread.  The rules of [CL 3.3.6] relate points of these
 * threads and of their callers; the program has these relations, and the model derives order from them. */
#include "litmus/lower/lower.h"

#include <stdio.h>
#include <string.h>

enum { MAX_MOVED = 64 }; /* elements that a command copies, fills or maps */

enum role { ROLE_API, ROLE_WAIT, ROLE_START, ROLE_END, ROLE_COUNT };

/* The threads of the commands and events of a test, by number of the command or event; a recorded command has
 * one of each for each run of its command buffer, STRIDE apart. */
struct commands {
    struct lt_lower *lower;
    uint32_t *threads, *events, stride;
};

/* ---- points ------------------------------------------------------------------------------------- */

static uint32_t point_of(const struct lt_api *api, enum role role)
{
    return 1 + api->number * ROLE_COUNT + (uint32_t)role;
}

/* The only point of the thread of an event. */
enum { COMPLETION = 1 };

static void emit_point(struct lt_lower *lower, struct lt_pos pos, uint32_t point, unsigned tags)
{
    lt_emit(lower, pos, (struct ck_instr){.op = CK_POINT, .point = point, .tags = (uint16_t)tags});
}

static bool stands_in(const struct lt_stmt *s, const struct lt_api *api)
{
    while (s && s->api != api)
        s = s->next;
    return s != NULL;
}

void lt_lower_call(struct lt_lower *lower, const struct lt_api *api)
{
    if (!stands_in(lower->ast->body, api) || lower->first_return != CK_NO_INSTR)
        lt_lower_fail(lower, api->pos, "litmus.host",
                      "%s must stand where its thread always comes to: not in a block, not after return",
                      api->function->name);
    if (api->function->kind == LT_API_FLUSH)
        return;
    emit_point(lower, api->pos, point_of(api, ROLE_API),
               api->function->kind == LT_API_FINISH ? MM_POINT_API | MM_POINT_FINISH : MM_POINT_API);
    if (api->blocking)
        emit_point(lower, api->pos, point_of(api, ROLE_WAIT), MM_POINT_API);
}

/* ---- what commands do to memory ----------------------------------------------------------------- */

struct range {
    uint32_t object, first, count; /* elements */
    uint8_t size;
    bool is_signed;
};

static bool is_svm(uint8_t origin)
{
    return origin >= MM_ORIGIN_COARSE_SVM && origin <= MM_ORIGIN_SYSTEM_SVM;
}

/* True if a function accepts memory of that origin for PARAMETER. */
static bool may_name(const struct lt_api *api, char parameter, uint8_t origin)
{
    enum lt_api_kind kind = api->function->kind;
    bool pointer = (kind == LT_API_READ && parameter == 't') || (kind == LT_API_WRITE && parameter == 's');
    if (pointer || (kind == LT_API_COPY && api->function->svm))
        return is_svm(origin) || origin == MM_ORIGIN_HOST;
    return api->function->svm ? is_svm(origin) : origin == MM_ORIGIN_BUFFER;
}

static struct range find_range(struct lt_lower *lower, const struct lt_api *api, char parameter)
{
    const struct lt_place *place = parameter == 't' ? &api->target : &api->source;
    struct range r = {.object = ck_program_find_object(lower->program, place->name)};
    if (r.object == CK_NO_OBJECT) {
        lt_lower_fail(lower, place->pos, "litmus.name", "unknown location '%s'", place->name);
        return r;
    }
    const struct ck_object *o = &lower->program->objects[r.object];
    r.size = o->element_size;
    r.is_signed = o->is_signed;
    r.count = lt_elements(o);
    if (o->region == MM_LOCAL || o->region == MM_PRIVATE || !may_name(api, parameter, o->origin))
        lt_lower_fail(lower, place->pos, "litmus.host", "'%s' is in memory that %s does not take here",
                      place->name, api->function->name);
    if (place->has_index && place->index >= r.count)
        lt_lower_fail(lower, place->pos, "litmus.host", "'%s' has %u elements", place->name, r.count);
    if (place->has_index) {
        r.first = place->index;
        r.count = 1;
    }
    if (r.count > MAX_MOVED)
        lt_lower_fail(lower, place->pos, "litmus.host", "a command moves at most %d elements", MAX_MOVED);
    return r;
}

static uint32_t address_of(struct lt_lower *lower, const struct range *r, uint32_t i)
{
    return lt_const(lower, CK_OBJECT_BASE(r->object) + (uint64_t)(r->first + i) * r->size, 8);
}

static uint32_t emit_load(struct lt_lower *lower, const struct lt_api *api, const struct range *r, uint32_t i,
                          unsigned tags)
{
    uint32_t reg = lt_temp_reg(lower, r->size, r->is_signed);
    lt_emit(lower, api->pos,
            (struct ck_instr){.op = CK_LOAD,
                              .size = r->size,
                              .reg = reg,
                              .address = address_of(lower, r, i),
                              .tags = (uint16_t)tags});
    return lt_reg_expr(lower, reg, r->size);
}

static void emit_store(struct lt_lower *lower, const struct lt_api *api, const struct range *r, uint32_t i,
                       uint32_t value, unsigned tags)
{
    lt_emit(lower, api->pos,
            (struct ck_instr){.op = CK_STORE,
                              .size = r->size,
                              .reg = CK_NO_REG,
                              .address = address_of(lower, r, i),
                              .value = value,
                              .tags = (uint16_t)tags});
}

static void emit_copy(struct lt_lower *lower, const struct lt_api *api)
{
    struct range from = find_range(lower, api, 's'), to = find_range(lower, api, 't');
    if (!lower->failed && (from.size != to.size || from.count != to.count))
        lt_lower_fail(lower, api->pos, "litmus.host", "'%s' and '%s' differ in size", api->source.name,
                      api->target.name);
    for (uint32_t i = 0; i < from.count && !lower->failed; i++)
        emit_store(lower, api, &to, i, emit_load(lower, api, &from, i, 0), 0);
}

static void emit_fill(struct lt_lower *lower, const struct lt_api *api)
{
    struct range to = find_range(lower, api, 't');
    for (uint32_t i = 0; i < to.count && !lower->failed; i++)
        emit_store(lower, api, &to, i, lt_const(lower, api->value, to.size), 0);
}

/* Mapping reads the region, unmapping what was mapped for writing writes it [CL 3.3.6 H24]; fine-grained SVM
 * needs neither [CL 3.3.6 H20]. */
static void emit_map(struct lt_lower *lower, const struct lt_api *api)
{
    struct range r = find_range(lower, api, 's');
    if (lower->failed)
        return;
    uint8_t origin = lower->program->objects[r.object].origin;
    bool map = api->function->kind == LT_API_MAP, write = (api->map_flags & LT_MAP_WRITE) != 0;
    if (origin != MM_ORIGIN_BUFFER && origin != MM_ORIGIN_COARSE_SVM)
        return;
    for (uint32_t i = 0; i < r.count; i++)
        if (map)
            emit_load(lower, api, &r, i, write ? MM_POINT_MAP | MM_POINT_MAP_WRITE : MM_POINT_MAP);
        else if (write)
            emit_store(lower, api, &r, i, emit_load(lower, api, &r, i, MM_POINT_UNMAP), MM_POINT_UNMAP);
}

/* A migration counts as a read of what it moves [CL 5.5.4 R3] [CL 5.6.1 R39]. */
static void emit_migration(struct lt_lower *lower, const struct lt_api *api)
{
    struct range r = find_range(lower, api, 's');
    for (uint32_t i = 0; i < r.count && !lower->failed; i++)
        emit_load(lower, api, &r, i, 0);
}

static void emit_work(struct lt_lower *lower, const struct lt_api *api)
{
    switch (api->function->kind) {
    case LT_API_READ:
    case LT_API_WRITE:
    case LT_API_COPY:
        emit_copy(lower, api);
        break;
    case LT_API_FILL:
        emit_fill(lower, api);
        break;
    case LT_API_MAP:
    case LT_API_UNMAP:
        emit_map(lower, api);
        break;
    case LT_API_MIGRATE:
        emit_migration(lower, api);
        break;
    default:
        break;
    }
}

/* ---- threads of commands and events -------------------------------------------------------------- */

/* These threads are in separate work-groups. */
static uint32_t begin_thread(struct lt_lower *lower, const char *name, uint32_t device)
{
    uint32_t index = lower->program->thread_count;
    lt_begin_thread(
        lower, name,
        (struct ck_thread){.device = device, .work_group = UINT32_MAX - index, .kernel = UINT32_MAX - index});
    return index;
}

static unsigned tags_of(const struct lt_api *api)
{
    unsigned tags = 0;
    if (!api->queue->out_of_order)
        tags |= MM_POINT_IN_ORDER;
    if (api->function->kind == LT_API_MARKER)
        tags |= MM_POINT_MARKER;
    if (api->function->kind == LT_API_BARRIER)
        tags |= MM_POINT_BARRIER;
    if (!api->waits)
        tags |= MM_POINT_NO_LIST;
    if (api->flags == LT_WAIT_KERNEL)
        tags |= MM_POINT_WAIT_KERNEL;
    if (api->flags == LT_WAIT_WORK_GROUP)
        tags |= MM_POINT_WAIT_GROUP;
    return tags;
}

static void add_completion(struct commands *c, struct lt_pos pos, const char *name, uint32_t *thread,
                           unsigned tags)
{
    *thread = begin_thread(c->lower, name, 0);
    emit_point(c->lower, pos, COMPLETION, MM_POINT_COMPLETE | tags);
    lt_end_thread(c->lower, pos);
}

/* Threads are named after the call or event that they represent: "C0 clEnqueueFillBuffer", "E0"; in the
 * second run of a command buffer "C0.1 clCommandFillBufferKHR", "E0.1". */
static void add_command(struct commands *c, const struct lt_api *api, uint32_t run)
{
    struct lt_lower *lower = c->lower;
    unsigned tags = tags_of(api);
    uint32_t slot = api->command + run * c->stride;
    char name[80], number[32];
    snprintf(number, sizeof number, run ? "%u.%u" : "%u", api->command, run);
    snprintf(name, sizeof name, "C%s %s", number, api->function->name);
    c->threads[slot] = begin_thread(lower, name, api->queue->device);
    emit_point(lower, api->pos, point_of(api, ROLE_START), MM_POINT_START | tags);
    emit_work(lower, api);
    emit_point(lower, api->pos, point_of(api, ROLE_END), MM_POINT_END | tags);
    lt_end_thread(lower, api->pos);
    snprintf(name, sizeof name, "E%s", number);
    add_completion(c, api->pos, name, &c->events[slot], tags);
}

/* ---- kernel-instances ---------------------------------------------------------------------------- */

static const struct lt_api *launch_of(const struct lt_test *test, uint32_t kernel)
{
    const struct lt_api *api = test->calls;
    while (api && (api->function->kind != LT_API_KERNEL || api->kernel != kernel))
        api = api->next;
    return api;
}

/* The kernel that the host launched, of which KERNEL is a descendant [CL 3.3.5 O14]. */
uint32_t lt_kernel_root(const struct lt_test *test, uint32_t kernel)
{
    const struct lt_api *api = launch_of(test, kernel);
    while (api && api->function->device) {
        kernel = api->caller->kernel;
        api = launch_of(test, kernel);
    }
    return kernel;
}

/* Work-groups of different kernel-instances are different. */
uint32_t lt_group_of(const struct lt_test *test, const struct lt_thread *thread)
{
    uint32_t number = 0;
    for (const struct lt_thread *t = test->threads; t && t->kernel != thread->kernel; t = t->next) {
        bool first = !t->host;
        for (const struct lt_thread *u = test->threads; u != t; u = u->next)
            first &= u->host || u->kernel != t->kernel;
        number += first;
    }
    return number << 16 | thread->work_group;
}

/* ---- relations ---------------------------------------------------------------------------------- */

struct end {
    uint32_t thread, point;
};

static void relate_ends(struct commands *c, const char *relation, struct end from, struct end to)
{
    struct ck_edge edge = {.relation = relation,
                           .from_thread = from.thread,
                           .from_point = from.point,
                           .to_thread = to.thread,
                           .to_point = to.point};
    if (!c->lower->failed && ck_program_add_edge(c->lower->program, &edge) == CK_NOT_ADDED)
        lt_out_of_memory(c->lower);
}

static struct end all_of(const struct commands *c, const struct lt_thread *thread)
{
    struct end e = {0, 0};
    lt_find_thread(c->lower->test, thread->number, &e.thread);
    return e;
}

static struct end call_point(const struct commands *c, const struct lt_api *api, enum role role)
{
    return (struct end){all_of(c, api->caller).thread, point_of(api, role)};
}

/* The start, the end and the completion of a command, in run RUN of its command buffer; RUN is 0 for enqueued
 * commands. */
static struct end start_of(const struct commands *c, const struct lt_api *api, uint32_t run)
{
    return (struct end){c->threads[api->command + run * c->stride], point_of(api, ROLE_START)};
}

static struct end end_of(const struct commands *c, const struct lt_api *api, uint32_t run)
{
    return (struct end){c->threads[api->command + run * c->stride], point_of(api, ROLE_END)};
}

static struct end completion_of(const struct commands *c, const struct lt_api *api, uint32_t run)
{
    return (struct end){c->events[api->command + run * c->stride], COMPLETION};
}

static struct end event_done(const struct commands *c, const struct lt_event *event)
{
    if (event->kind != LT_EVENT_USER)
        return completion_of(c, event->source, 0);
    return (struct end){c->events[c->lower->test->command_count + event->number], COMPLETION};
}

/* Relates a command to the work-items, or the host thread, that execute it. */
static void relate_instance(struct commands *c, const struct lt_api *api)
{
    for (const struct lt_thread *t = c->lower->test->threads; t; t = t->next) {
        bool kernel = api->function->kind == LT_API_KERNEL && !t->host && t->kernel == api->kernel;
        if (!kernel && (api->function->kind != LT_API_NATIVE || t != api->thread))
            continue;
        relate_ends(c, "instance", start_of(c, api, 0), all_of(c, t));
        relate_ends(c, "instance", end_of(c, api, 0), all_of(c, t));
    }
}

/* True if the position of API in its queue orders it. */
static bool place_matters(const struct lt_api *api)
{
    enum lt_api_kind kind = api->function->kind;
    return !api->queue->out_of_order || kind == LT_API_BARRIER || kind == LT_API_FINISH ||
           (kind == LT_API_MARKER && !api->waits);
}

/* Relates API to the previous commands in its queue, in text order: one thread uses the queue.  Of an
 * in-order queue only the last one is related: it comes after all others, and happens-before is
 * transitive. */
static void relate_queue(struct commands *c, const struct lt_api *api)
{
    struct end end = lt_api_enqueues(api) ? start_of(c, api, 0) : call_point(c, api, ROLE_API);
    const struct lt_api *last = NULL;
    for (const struct lt_api *before = c->lower->test->calls; before != api; before = before->next) {
        if (before->queue != api->queue || before->function->kind == LT_API_FLUSH || lt_api_records(before))
            continue;
        if (before->caller == api->caller && lt_api_enqueues(before)) {
            if (api->queue->out_of_order)
                relate_ends(c, "qo", completion_of(c, before, 0), end);
            last = before;
        }
        if (before->caller != api->caller && !api->queue->on_device &&
            (place_matters(before) || place_matters(api)))
            lt_lower_fail(c->lower, api->pos, "litmus.host",
                          "two host threads use queue '%s', where the order matters", api->queue->name);
    }
    if (last && !api->queue->out_of_order)
        relate_ends(c, "qo", completion_of(c, last, 0), end);
}

/* Commands that work-items enqueue are children of the work-items' kernel. */
static void relate_parent(struct commands *c, const struct lt_api *api)
{
    const struct lt_api *parent = launch_of(c->lower->test, api->caller->kernel);
    if (!parent)
        return;
    relate_ends(c, "parent", end_of(c, parent, 0), start_of(c, api, 0));
    relate_ends(c, "child", completion_of(c, api, 0), completion_of(c, parent, 0));
}

/* Relates the n-th wait for a semaphore to its n-th signal. */
static void relate_semaphores(struct commands *c, const struct lt_api *api)
{
    for (const struct lt_event_use *use = api->semaphores; use; use = use->next) {
        bool found = false;
        uint32_t turn = lt_semaphore_turn(c->lower->test, api, use);
        for (const struct lt_api *signal = c->lower->test->calls; signal; signal = signal->next)
            for (const struct lt_event_use *s = signal->semaphores; s; s = s->next)
                if (signal->function->kind == LT_API_SIGNALS && s->event == use->event &&
                    lt_semaphore_turn(c->lower->test, signal, s) == turn) {
                    found = true;
                    relate_ends(c, "semaphore", completion_of(c, signal, 0), start_of(c, api, 0));
                }
        if (!found)
            lt_lower_fail(c->lower, use->pos, "litmus.host", "nothing signals semaphore '%s' for this wait",
                          use->name);
    }
}

/* Relates a recorded command in one run of its command buffer to its sync-points and to the commands
 * recorded before it, as the model demands. */
static void relate_recorded(struct commands *c, const struct lt_api *api, uint32_t run)
{
    struct end start = start_of(c, api, run);
    relate_ends(c, "completes", end_of(c, api, run), completion_of(c, api, run));
    for (const struct lt_event_use *use = api->waits; use; use = use->next)
        relate_ends(c, "syncpoint", completion_of(c, use->event->source, run), start);
    for (const struct lt_api *before = c->lower->test->calls; before != api; before = before->next)
        if (lt_api_records(before) && before->buffer == api->buffer)
            relate_ends(c, "recording", completion_of(c, before, run), start);
    relate_instance(c, api);
}

/* Relates the start and the end of an enqueued command buffer to its recorded commands and to earlier
 * runs. */
static void relate_buffer(struct commands *c, const struct lt_api *api)
{
    uint32_t run = 0;
    for (const struct lt_api *before = c->lower->test->calls; before != api; before = before->next)
        if (lt_api_enqueues(before) && before->buffer == api->buffer) {
            if (!api->buffer->simultaneous_use)
                relate_ends(c, "rerun", completion_of(c, before, 0), start_of(c, api, 0));
            run++;
        }
    for (const struct lt_api *command = c->lower->test->calls; command; command = command->next)
        if (lt_api_records(command) && command->buffer == api->buffer) {
            relate_ends(c, "batch", start_of(c, api, 0), start_of(c, command, run));
            relate_ends(c, "batch", completion_of(c, command, run), end_of(c, api, 0));
            relate_recorded(c, command, run);
        }
}

static void relate_command(struct commands *c, const struct lt_api *api)
{
    relate_ends(c, "enqueue", call_point(c, api, ROLE_API), start_of(c, api, 0));
    relate_ends(c, "completes", end_of(c, api, 0), completion_of(c, api, 0));
    for (const struct lt_event_use *use = api->waits; use; use = use->next)
        relate_ends(c, "waitlist", event_done(c, use->event), start_of(c, api, 0));
    if (api->function->kind == LT_API_WAITS)
        relate_semaphores(c, api);
    if (api->blocking)
        relate_ends(c, "apiwait", completion_of(c, api, 0), call_point(c, api, ROLE_WAIT));
    relate_instance(c, api);
    relate_queue(c, api);
    if (api->buffer)
        relate_buffer(c, api);
    if (api->function->device)
        relate_parent(c, api);
    if (api->unmaps)
        relate_ends(c, "mapping", (struct end){c->threads[api->unmaps->command], 0}, start_of(c, api, 0));
}

static void relate_call(struct commands *c, const struct lt_api *api)
{
    switch (api->function->kind) {
    case LT_API_FINISH:
        relate_queue(c, api);
        break;
    case LT_API_WAIT:
        for (const struct lt_event_use *use = api->waits; use; use = use->next)
            relate_ends(c, "apiwait", event_done(c, use->event), call_point(c, api, ROLE_API));
        break;
    case LT_API_QUERY: /* an event that is not complete orders nothing */
        if (api->value == 0)
            relate_ends(c, "query", event_done(c, api->waits->event), call_point(c, api, ROLE_API));
        break;
    case LT_API_SIGNAL:
        relate_ends(c, "signal", call_point(c, api, ROLE_API), event_done(c, api->waits->event));
        break;
    case LT_API_CALLBACK:
        relate_ends(c, "callback", event_done(c, api->waits->event), all_of(c, api->thread));
        break;
    case LT_API_FLUSH:
    case LT_API_FINALIZE:
        break;
    default:
        if (!lt_api_records(api))
            relate_command(c, api);
    }
}

void lt_lower_commands(struct lt_lower *lower)
{
    const struct lt_test *test = lower->test;
    struct commands c = {.lower = lower};
    uint32_t events = test->command_count, runs = 1;
    for (const struct lt_event *e = test->events; e; e = e->next)
        events++;
    for (const struct lt_command_buffer *b = test->buffers; b; b = b->next)
        runs = b->run_count > runs ? b->run_count : runs;
    c.stride = events + 1;
    c.threads = mm_arena_alloc(lower->program->arena, (size_t)runs * c.stride * sizeof *c.threads);
    c.events = mm_arena_alloc(lower->program->arena, (size_t)runs * c.stride * sizeof *c.events);
    if (!c.threads || !c.events) {
        lt_out_of_memory(lower);
        return;
    }
    for (const struct lt_api *api = test->calls; api && !lower->failed; api = api->next) {
        uint32_t count = lt_api_records(api) ? api->buffer->run_count : lt_api_enqueues(api);
        for (uint32_t run = 0; run < count && !lower->failed; run++)
            add_command(&c, api, run);
    }
    for (const struct lt_event *e = test->events; e && !lower->failed; e = e->next)
        if (e->kind == LT_EVENT_USER)
            add_completion(&c, e->pos, e->name, &c.events[test->command_count + e->number], 0);
    for (const struct lt_api *api = test->calls; api && !lower->failed; api = api->next)
        relate_call(&c, api);
}
