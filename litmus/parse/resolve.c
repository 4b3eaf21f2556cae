/* Resolves the names in the host part of an OPENCL test (queues, events, semaphores, sync-points, command
 * buffers, kernels and threads) after the whole test is parsed. */
#include "litmus/parse/ast.h"

#include <string.h>

/* ---- names -------------------------------------------------------------------------------------- */

static struct lt_queue *find_queue(struct lt_lexer *lexer, struct lt_pos pos, const char *name,
                                   bool on_device)
{
    struct lt_queue *queue = lexer->test->queues;
    while (queue && strcmp(queue->name, name) != 0)
        queue = queue->next;
    if (!queue)
        lt_fail_at(lexer, pos, "unknown queue '%s'", name);
    else if (queue->on_device != on_device)
        lt_fail_at(lexer, pos, "queue '%s' accepts no commands from %s", name,
                   on_device ? "work-items" : "the host");
    return queue;
}

/* Finds the event that USE names: a semaphore, a sync-point, or, for LT_EVENT_COMMAND, an event of either
 * kind. */
static void resolve_use(struct lt_lexer *lexer, struct lt_event_use *use, enum lt_event_kind kind)
{
    static const char *const words[] = {
        [LT_EVENT_COMMAND] = "event", [LT_SEMAPHORE] = "semaphore", [LT_SYNC_POINT] = "sync-point"};
    struct lt_event *event = lexer->test->events;
    while (event && (strcmp(event->name, use->name) != 0 ||
                     (event->kind == LT_EVENT_USER ? LT_EVENT_COMMAND : event->kind) != kind))
        event = event->next;
    use->event = event;
    if (!event)
        lt_fail_at(lexer, use->pos, "unknown %s '%s'", words[kind], use->name);
}

uint32_t lt_semaphore_turn(const struct lt_test *test, const struct lt_api *api,
                           const struct lt_event_use *use)
{
    uint32_t turn = 0;
    for (const struct lt_api *other = test->calls; other; other = other->next)
        for (const struct lt_event_use *u = other->semaphores; u; u = u->next)
            turn += strcmp(u->name, use->name) == 0 && other->function->kind == api->function->kind &&
                    other->number < api->number;
    return turn;
}

/* Whether other threads than API's use the semaphore of USE. */
static bool is_shared(const struct lt_test *test, const struct lt_api *api, const struct lt_event_use *use)
{
    for (const struct lt_api *other = test->calls; other; other = other->next)
        for (const struct lt_event_use *u = other->semaphores; u; u = u->next)
            if (strcmp(u->name, use->name) == 0 && other->caller != api->caller)
                return true;
    return false;
}

/* Rejects a semaphore that several threads use repeatedly: nothing would determine which signal a wait is
 * for. */
static void resolve_semaphores(struct lt_lexer *lexer, struct lt_api *api)
{
    for (struct lt_event_use *use = api->semaphores; use && !lexer->failed; use = use->next) {
        resolve_use(lexer, use, LT_SEMAPHORE);
        for (const struct lt_event_use *u = api->semaphores; u != use && !lexer->failed; u = u->next)
            if (u->event == use->event)
                lt_fail_at(lexer, use->pos, "semaphore '%s' is named twice", use->name);
        if (!lexer->failed && lt_semaphore_turn(lexer->test, api, use) > 0 &&
            is_shared(lexer->test, api, use))
            lt_fail_at(lexer, api->pos, "several host threads use semaphore '%s' more than once", use->name);
    }
}

static void resolve_events(struct lt_lexer *lexer, struct lt_api *api)
{
    bool records = lt_api_records(api);
    for (struct lt_event_use *use = api->waits; use && !lexer->failed; use = use->next) {
        resolve_use(lexer, use, records ? LT_SYNC_POINT : LT_EVENT_COMMAND);
        if (!lexer->failed && records &&
            (use->event->source->buffer != api->buffer || use->event->source->number >= api->number))
            lt_fail_at(lexer, use->pos, "sync-point '%s' is of no command recorded before into '%s'",
                       use->name, api->buffer_name);
    }
    struct lt_event *event = api->waits ? api->waits->event : NULL;
    if (lexer->failed || api->function->kind != LT_API_SIGNAL)
        return;
    if (event->kind != LT_EVENT_USER)
        lt_fail_at(lexer, api->pos, "'%s' is not a user event", event->name);
    else if (event->source)
        lt_fail_at(lexer, api->pos, "the status of '%s' is set twice", event->name);
    event->source = api;
}

/* ---- command buffers ---------------------------------------------------------------------------- */

static void find_buffer(struct lt_lexer *lexer, struct lt_api *api)
{
    struct lt_command_buffer *b = lexer->test->buffers;
    while (b && strcmp(b->name, api->buffer_name) != 0)
        b = b->next;
    api->buffer = b;
    if (!b)
        lt_fail_at(lexer, api->pos, "unknown command buffer '%s'", api->buffer_name);
    else if (lt_api_records(api))
        api->queue = b->queue;
    else if (api->queue && api->queue->device != b->queue->device)
        lt_fail_at(lexer, api->pos, "command buffer '%s' is for another device than queue '%s'", b->name,
                   api->queue_name);
}

/* Checks a command buffer: one thread records and then finalizes it; one thread enqueues it, after that if it
 * is the same thread. */
static void resolve_buffer(struct lt_lexer *lexer, struct lt_command_buffer *b)
{
    const struct lt_api *enqueues = NULL, *api;
    bool kernels = false;
    for (api = lexer->test->calls; api && !lexer->failed; api = api->next) {
        bool finalizes = api->function->kind == LT_API_FINALIZE;
        if (api->buffer != b)
            continue;
        if (lt_api_enqueues(api)) {
            if (enqueues && enqueues->caller != api->caller)
                lt_fail_at(lexer, api->pos, "two host threads enqueue command buffer '%s'", b->name);
            enqueues = api;
            b->run_count++;
        } else if (b->finalizes) {
            lt_fail_at(lexer, api->pos, "command buffer '%s' is finalized before", b->name);
        }
        kernels |= lt_api_records(api) && api->function->kind == LT_API_KERNEL;
        b->finalizes = finalizes ? api : b->finalizes;
    }
    for (api = lexer->test->calls; api && b->finalizes && !lexer->failed; api = api->next) {
        bool same = api->caller == b->finalizes->caller;
        if (api->buffer != b)
            continue;
        if (lt_api_records(api) && !same)
            lt_fail_at(lexer, api->pos, "two host threads record into command buffer '%s'", b->name);
        if (lt_api_enqueues(api) && same && api->number < b->finalizes->number)
            lt_fail_at(lexer, api->pos, "command buffer '%s' is not finalized before it is enqueued",
                       b->name);
    }
    if (!b->finalizes || !enqueues)
        lt_fail_at(lexer, b->pos, "nothing %s command buffer '%s'", b->finalizes ? "enqueues" : "finalizes",
                   b->name);
    else if (kernels && b->run_count > 1)
        lt_fail_at(lexer, enqueues->pos,
                   "command buffer '%s', which launches a kernel, is enqueued twice: write another one",
                   b->name);
}

/* ---- kernels, threads, maps --------------------------------------------------------------------- */

/* Checks that a kernel-instance is launched once, on the device of its work-items. */
static void resolve_kernel(struct lt_lexer *lexer, struct lt_api *api)
{
    bool found = false;
    for (const struct lt_thread *t = lexer->test->threads; t; t = t->next) {
        if (t->host || t->kernel != api->kernel)
            continue;
        found = true;
        if (t->device != api->queue->device)
            lt_fail_at(lexer, api->pos, "kernel %u has work-items on another device than queue '%s'",
                       api->kernel, api->queue->name);
    }
    if (!found)
        lt_fail_at(lexer, api->pos, "no thread belongs to kernel %u", api->kernel);
    for (const struct lt_api *other = lexer->test->calls; other != api; other = other->next)
        if (other->function->kind == LT_API_KERNEL && other->kernel == api->kernel)
            lt_fail_at(lexer, api->pos, "kernel %u is enqueued twice: write its threads twice", api->kernel);
}

static void resolve_thread(struct lt_lexer *lexer, struct lt_api *api)
{
    api->thread = lt_find_thread(lexer->test, api->thread_number, NULL);
    if (!api->thread)
        lt_fail_at(lexer, api->pos, "unknown thread H%u", api->thread_number - LT_HOST_NUMBER);
    else if (api->thread == api->caller)
        lt_fail_at(lexer, api->pos, "thread H%u starts itself", api->thread_number - LT_HOST_NUMBER);
    else if (api->thread->started_by)
        lt_fail_at(lexer, api->pos, "thread H%u is started twice", api->thread_number - LT_HOST_NUMBER);
    else
        api->thread->started_by = api;
}

/* Finds the map that an unmap ends: the last one of the same object in the text that no earlier unmap
 * ends. */
static void resolve_unmap(struct lt_lexer *lexer, struct lt_api *api)
{
    for (const struct lt_api *map = lexer->test->calls; map != api; map = map->next) {
        bool ended = false;
        if (map->function->kind != LT_API_MAP || strcmp(map->source.name, api->source.name) != 0 ||
            map->source.has_index != api->source.has_index || map->source.index != api->source.index)
            continue;
        for (const struct lt_api *other = map->next; other != api; other = other->next)
            ended |= other->unmaps == map;
        if (!ended)
            api->unmaps = map;
    }
    if (api->unmaps)
        api->map_flags = api->unmaps->map_flags;
    else
        lt_fail_at(lexer, api->pos, "'%s' is not mapped", api->source.name);
}

static void resolve_call(struct lt_lexer *lexer, struct lt_api *api)
{
    if (api->caller->host == api->function->device) {
        lt_fail_at(lexer, api->pos, "%s is for %s", api->function->name,
                   api->function->device ? "work-items" : "host threads");
        return;
    }
    if (api->queue_name)
        api->queue = find_queue(lexer, api->pos, api->queue_name, api->function->device);
    if (!lexer->failed && api->buffer_name)
        find_buffer(lexer, api);
    if (!lexer->failed)
        resolve_events(lexer, api);
    resolve_semaphores(lexer, api);
    if (lexer->failed)
        return;
    if (api->function->kind == LT_API_KERNEL)
        resolve_kernel(lexer, api);
    else if (api->function->kind == LT_API_NATIVE || api->function->kind == LT_API_CALLBACK)
        resolve_thread(lexer, api);
    else if (api->function->kind == LT_API_UNMAP)
        resolve_unmap(lexer, api);
}

static bool is_launched(const struct lt_test *test, uint32_t kernel)
{
    for (const struct lt_api *api = test->calls; api; api = api->next)
        if (api->function->kind == LT_API_KERNEL && api->kernel == kernel)
            return true;
    return false;
}

/* Checks that no kernel is its own descendant. */
static void check_descent(struct lt_lexer *lexer, const struct lt_api *api)
{
    uint32_t steps = 0;
    const struct lt_api *at = api;
    while (at && at->function->device && steps++ <= lexer->test->command_count) {
        const struct lt_api *parent = lexer->test->calls;
        while (parent && (parent->function->kind != LT_API_KERNEL || parent->kernel != at->caller->kernel))
            parent = parent->next;
        at = parent;
    }
    if (at && at->function->device)
        lt_fail_at(lexer, api->pos, "the kernel that calls %s descends from itself", api->function->name);
}

void lt_resolve_host(struct lt_lexer *lexer)
{
    for (struct lt_command_buffer *b = lexer->test->buffers; b && !lexer->failed; b = b->next)
        b->queue = find_queue(lexer, b->pos, b->queue_name, false);
    for (struct lt_api *api = lexer->test->calls; api && !lexer->failed; api = api->next)
        resolve_call(lexer, api);
    for (struct lt_command_buffer *b = lexer->test->buffers; b && !lexer->failed; b = b->next)
        resolve_buffer(lexer, b);
    for (struct lt_api *api = lexer->test->calls; api && !lexer->failed; api = api->next)
        check_descent(lexer, api);
    for (const struct lt_thread *t = lexer->test->threads; lexer->test->calls && t; t = t->next)
        if (!t->host && !is_launched(lexer->test, t->kernel))
            lt_fail_at(lexer, t->pos, "nothing enqueues kernel %u, which thread P%u belongs to", t->kernel,
                       t->number);
}
