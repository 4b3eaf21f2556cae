/* Host part of OPENCL tests: queues, events, and calls of the API, by host threads [CL 5] and, where they
 * enqueue, by work-items [CLC 6.15.18].  Names are resolved after the whole test is parsed. */
#include "litmus/parse/ast.h"

#include <string.h>

static const struct lt_api_function functions[] = {
    /* name, kind, parameters, SVM, of work-items */
    {"clEnqueueNDRangeKernel", LT_API_KERNEL, "qk", false, false},
    {"clEnqueueNativeKernel", LT_API_NATIVE, "qh", false, false},
    {"clEnqueueReadBuffer", LT_API_READ, "qsbt", false, false},
    {"clEnqueueWriteBuffer", LT_API_WRITE, "qtbs", false, false},
    {"clEnqueueCopyBuffer", LT_API_COPY, "qst", false, false},
    {"clEnqueueFillBuffer", LT_API_FILL, "qtv", false, false},
    {"clEnqueueMapBuffer", LT_API_MAP, "qsbm", false, false},
    {"clEnqueueUnmapMemObject", LT_API_UNMAP, "qs", false, false},
    {"clEnqueueMigrateMemObjects", LT_API_MIGRATE, "qs", false, false},
    {"clEnqueueSVMMap", LT_API_MAP, "qbms", true, false},
    {"clEnqueueSVMUnmap", LT_API_UNMAP, "qs", true, false},
    {"clEnqueueSVMMemcpy", LT_API_COPY, "qbts", true, false},
    {"clEnqueueSVMMemFill", LT_API_FILL, "qtv", true, false},
    {"clEnqueueSVMMigrateMem", LT_API_MIGRATE, "qs", true, false},
    {"clEnqueueSignalSemaphoresKHR", LT_API_SIGNALS, "qz", false, false},
    {"clEnqueueWaitSemaphoresKHR", LT_API_WAITS, "qz", false, false},
    {"clEnqueueMarkerWithWaitList", LT_API_MARKER, "q", false, false},
    {"clEnqueueBarrierWithWaitList", LT_API_BARRIER, "q", false, false},
    {"clFinish", LT_API_FINISH, "q", false, false},
    {"clFlush", LT_API_FLUSH, "q", false, false},
    {"clWaitForEvents", LT_API_WAIT, "l", false, false},
    {"clGetEventInfo", LT_API_QUERY, "ex", false, false},
    {"clSetUserEventStatus", LT_API_SIGNAL, "ec", false, false},
    {"clSetEventCallback", LT_API_CALLBACK, "ech", false, false},
    {"enqueue_kernel", LT_API_KERNEL, "qfk", false, true},
    {"enqueue_marker", LT_API_MARKER, "q", false, true},
    {"set_user_event_status", LT_API_SIGNAL, "ec", false, true},
};
static const char *const enqueue_flags[] = {[LT_NO_WAIT] = "CLK_ENQUEUE_FLAGS_NO_WAIT",
                                            [LT_WAIT_KERNEL] = "CLK_ENQUEUE_FLAGS_WAIT_KERNEL",
                                            [LT_WAIT_WORK_GROUP] = "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP"};
/* By value; an event reaches them in descending order [CL 5.11]. */
static const char *const statuses[] = {"CL_COMPLETE", "CL_RUNNING", "CL_SUBMITTED", "CL_QUEUED"};
#define COUNT(a) (sizeof(a) / sizeof *(a))

const struct lt_api_function *lt_find_api(const char *name)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

bool lt_api_enqueues(const struct lt_api *api)
{
    return api->function->kind <= LT_API_BARRIER;
}

/* ---- declarations ------------------------------------------------------------------------------- */

/* queue = "queue" name [ "@" "dev" number ] { "," ( "out_of_order" | "on_device" ) } */
static void parse_queue(struct lt_lexer *lexer)
{
    struct lt_queue *queue = lt_new(lexer, sizeof *queue), **tail = &lexer->test->queues;
    uint64_t device = 0;
    if (!queue)
        return;
    lt_take(lexer);
    queue->pos = lt_peek(lexer, 0)->pos;
    queue->name = lt_expect_name(lexer, "the name of a queue");
    if (lt_accept(lexer, "@") && lt_expect(lexer, "dev"))
        lt_expect_number(lexer, "a device number", 65535, &device);
    queue->device = (uint32_t)device;
    while (!lexer->failed && lt_accept(lexer, ",")) {
        if (lt_accept(lexer, "on_device"))
            queue->on_device = true;
        else if (!lt_accept(lexer, "out_of_order"))
            lt_unexpected(lexer, "'out_of_order' or 'on_device'");
        queue->out_of_order = true;
    }
    for (; *tail && !lexer->failed; tail = &(*tail)->next, queue->number++)
        if (strcmp((*tail)->name, queue->name) == 0)
            lt_fail_at(lexer, queue->pos, "queue '%s' is declared twice", queue->name);
    *tail = queue;
}

/* The event NAME, which must not be there yet. */
static struct lt_event *add_event(struct lt_lexer *lexer, struct lt_pos pos, const char *name)
{
    struct lt_event *event = lt_new(lexer, sizeof *event), **tail = &lexer->test->events;
    if (!event)
        return NULL;
    event->pos = pos;
    event->name = name;
    for (; *tail; tail = &(*tail)->next, event->number++)
        if (strcmp((*tail)->name, name) == 0) {
            lt_fail_at(lexer, pos, "event '%s' is declared twice", name);
            return NULL;
        }
    *tail = event;
    return event;
}

/* user-event = ( "user_event" | "semaphore" ) name */
static void parse_user_event(struct lt_lexer *lexer)
{
    bool semaphore = lt_is(lexer, "semaphore");
    lt_take(lexer);
    struct lt_pos pos = lt_peek(lexer, 0)->pos;
    const char *name = lt_expect_name(lexer, "the name of an event");
    struct lt_event *event = lexer->failed ? NULL : add_event(lexer, pos, name);
    if (event) {
        event->user = !semaphore;
        event->semaphore = semaphore;
    }
}

/* declaration = queue | user-event */
bool lt_parse_declaration(struct lt_lexer *lexer)
{
    bool queue = lt_is(lexer, "queue"), user = lt_is(lexer, "user_event") || lt_is(lexer, "semaphore");
    if (lexer->test->dialect != LT_OPENCL || (!queue && !user) || lt_peek(lexer, 1)->kind != LT_T_NAME)
        return false;
    if (queue)
        parse_queue(lexer);
    else
        parse_user_event(lexer);
    return true;
}

/* ---- calls -------------------------------------------------------------------------------------- */

bool lt_starts_api(const struct lt_lexer *lexer)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    return t->kind == LT_T_NAME && lt_find_api(t->text) && strcmp(lt_peek(lexer, 1)->text, "(") == 0;
}

/* place = name [ "[" number "]" ] */
static void parse_place(struct lt_lexer *lexer, struct lt_place *place)
{
    uint64_t index = 0;
    place->pos = lt_peek(lexer, 0)->pos;
    place->name = lt_expect_name(lexer, "a location");
    place->has_index = lt_accept(lexer, "[");
    if (!place->has_index)
        return;
    lt_expect_number(lexer, "an index", LT_MAX_ELEMENTS - 1, &index);
    lt_expect(lexer, "]");
    place->index = (uint32_t)index;
}

/* bool = "CL_TRUE" | "CL_BLOCKING" | "CL_FALSE" | "CL_NON_BLOCKING" */
static bool parse_bool(struct lt_lexer *lexer)
{
    if (lt_accept(lexer, "CL_TRUE") || lt_accept(lexer, "CL_BLOCKING"))
        return true;
    if (!lt_accept(lexer, "CL_FALSE") && !lt_accept(lexer, "CL_NON_BLOCKING"))
        lt_unexpected(lexer, "CL_TRUE or CL_FALSE");
    return false;
}

/* map-flags = ( "CL_MAP_READ" | "CL_MAP_WRITE" ) { "|" map-flags } */
static uint8_t parse_map_flags(struct lt_lexer *lexer)
{
    uint8_t flags = 0;
    do {
        if (lt_accept(lexer, "CL_MAP_READ"))
            flags |= LT_MAP_READ;
        else if (lt_accept(lexer, "CL_MAP_WRITE"))
            flags |= LT_MAP_WRITE;
        else
            lt_unexpected(lexer, "CL_MAP_READ or CL_MAP_WRITE");
    } while (lt_accept(lexer, "|"));
    return flags;
}

/* enqueue-flags = "CLK_ENQUEUE_FLAGS_NO_WAIT" | "CLK_ENQUEUE_FLAGS_WAIT_KERNEL" | "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP" */
static enum lt_enqueue_flags parse_enqueue_flags(struct lt_lexer *lexer)
{
    for (unsigned i = 0; i < COUNT(enqueue_flags); i++)
        if (lt_accept(lexer, enqueue_flags[i]))
            return (enum lt_enqueue_flags)i;
    lt_unexpected(lexer, "CLK_ENQUEUE_FLAGS_NO_WAIT, _WAIT_KERNEL or _WAIT_WORK_GROUP");
    return LT_NO_WAIT;
}

/* status = "CL_COMPLETE" | "CL_RUNNING" | "CL_SUBMITTED" | "CL_QUEUED" */
static uint64_t parse_status(struct lt_lexer *lexer)
{
    for (unsigned i = 0; i < COUNT(statuses); i++)
        if (lt_accept(lexer, statuses[i]))
            return i;
    lt_unexpected(lexer, "CL_COMPLETE, CL_RUNNING, CL_SUBMITTED or CL_QUEUED");
    return 0;
}

/* event = name */
static struct lt_event_use **parse_event(struct lt_lexer *lexer, struct lt_event_use **tail)
{
    struct lt_event_use *use = lt_new(lexer, sizeof *use);
    if (!use)
        return tail;
    use->pos = lt_peek(lexer, 0)->pos;
    use->name = lt_expect_name(lexer, "the name of an event");
    *tail = use;
    return &use->next;
}

/* events = "{" event { "," event } "}" */
static void parse_events(struct lt_lexer *lexer, struct lt_event_use **tail)
{
    lt_expect(lexer, "{");
    do
        tail = parse_event(lexer, tail);
    while (!lexer->failed && lt_accept(lexer, ","));
    lt_expect(lexer, "}");
}

/* host-thread = thread-number    (one that begins with H) */
static void parse_host_thread(struct lt_lexer *lexer, struct lt_api *api)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    if (t->kind == LT_T_NAME && lt_thread_number(t, &api->thread_number) &&
        api->thread_number >= LT_HOST_NUMBER)
        lt_take(lexer);
    else
        lt_unexpected(lexer, "a host thread (H1)");
}

/* parameter = name | number | host-thread | bool | map-flags | enqueue-flags | place | constant | events
 *           | status | "CL_COMPLETE"    (which one: struct lt_api_function) */
static void parse_parameter(struct lt_lexer *lexer, struct lt_api *api, char parameter)
{
    uint64_t number = 0;
    switch (parameter) {
    case 'q':
        api->queue_name = lt_expect_name(lexer, "the name of a queue");
        break;
    case 'k':
        lt_expect_number(lexer, "the number of a kernel", 65535, &number);
        api->kernel = (uint32_t)number;
        break;
    case 'h':
        parse_host_thread(lexer, api);
        break;
    case 'b':
        api->blocking = parse_bool(lexer);
        break;
    case 'm':
        api->map_flags = parse_map_flags(lexer);
        break;
    case 'f':
        api->flags = parse_enqueue_flags(lexer);
        break;
    case 't':
        parse_place(lexer, &api->target);
        break;
    case 's':
        parse_place(lexer, &api->source);
        break;
    case 'v':
        lt_parse_constant(lexer, &api->value);
        break;
    case 'l':
        parse_events(lexer, &api->waits);
        break;
    case 'e':
        parse_event(lexer, &api->waits);
        break;
    case 'x':
        api->value = parse_status(lexer);
        break;
    case 'z':
        parse_event(lexer, &api->semaphore);
        break;
    default:
        lt_expect(lexer, "CL_COMPLETE");
    }
}

/* wait-list = [ "," events ] [ "," "&" name ] */
static void parse_wait_list(struct lt_lexer *lexer, struct lt_api *api)
{
    if (lt_is(lexer, ",") && strcmp(lt_peek(lexer, 1)->text, "{") == 0) {
        lt_take(lexer);
        parse_events(lexer, &api->waits);
    }
    if (lt_is(lexer, ",") && strcmp(lt_peek(lexer, 1)->text, "&") == 0) {
        lt_take(lexer);
        lt_take(lexer);
        struct lt_pos pos = lt_peek(lexer, 0)->pos;
        api->event_name = lt_expect_name(lexer, "the name of an event");
        api->event = lexer->failed ? NULL : add_event(lexer, pos, api->event_name);
        if (api->event)
            api->event->source = api;
    }
}

/* api-call = name "(" parameter { "," parameter } [ wait-list ] ")"    (wait-list: calls that enqueue) */
struct lt_api *lt_parse_api(struct lt_lexer *lexer)
{
    struct lt_api *api = lt_new(lexer, sizeof *api), **tail = &lexer->test->calls;
    if (!api)
        return NULL;
    api->pos = lt_peek(lexer, 0)->pos;
    api->function = lt_find_api(lt_take(lexer)->text);
    api->caller = lexer->thread;
    lt_expect(lexer, "(");
    for (const char *p = api->function->parameters; *p && !lexer->failed; p++) {
        if (p != api->function->parameters)
            lt_expect(lexer, ",");
        if (!lexer->failed)
            parse_parameter(lexer, api, *p);
    }
    if (lt_api_enqueues(api)) {
        parse_wait_list(lexer, api);
        api->command = lexer->test->command_count++;
    }
    lt_expect(lexer, ")");
    for (; *tail; tail = &(*tail)->next)
        api->number++;
    *tail = api;
    return api;
}

/* ---- names -------------------------------------------------------------------------------------- */

static void resolve_queue(struct lt_lexer *lexer, struct lt_api *api)
{
    struct lt_queue *queue = lexer->test->queues;
    while (queue && strcmp(queue->name, api->queue_name) != 0)
        queue = queue->next;
    api->queue = queue;
    if (!queue)
        lt_fail_at(lexer, api->pos, "unknown queue '%s'", api->queue_name);
    else if (queue->on_device != api->function->device)
        lt_fail_at(lexer, api->pos, "queue '%s' accepts no commands from %s", queue->name,
                   api->function->device ? "work-items" : "the host");
}

static void resolve_use(struct lt_lexer *lexer, struct lt_event_use *use, bool semaphore)
{
    struct lt_event *event = lexer->test->events;
    while (event && (strcmp(event->name, use->name) != 0 || event->semaphore != semaphore))
        event = event->next;
    use->event = event;
    if (!event)
        lt_fail_at(lexer, use->pos, "unknown %s '%s'", semaphore ? "semaphore" : "event", use->name);
}

/* A semaphore is signaled once, and waited for once. */
static void resolve_semaphore(struct lt_lexer *lexer, struct lt_api *api)
{
    resolve_use(lexer, api->semaphore, true);
    if (lexer->failed)
        return;
    struct lt_event *s = api->semaphore->event;
    bool signals = api->function->kind == LT_API_SIGNALS;
    const struct lt_api **role = signals ? &s->source : &s->waiter;
    if (*role)
        lt_fail_at(lexer, api->pos, "semaphore '%s' is %s twice: write another one", s->name,
                   signals ? "signaled" : "waited for");
    *role = api;
}

static void resolve_events(struct lt_lexer *lexer, struct lt_api *api)
{
    for (struct lt_event_use *use = api->waits; use && !lexer->failed; use = use->next)
        resolve_use(lexer, use, false);
    if (api->semaphore && !lexer->failed)
        resolve_semaphore(lexer, api);
    struct lt_event *event = api->waits ? api->waits->event : NULL;
    if (lexer->failed || api->function->kind != LT_API_SIGNAL)
        return;
    if (!event->user)
        lt_fail_at(lexer, api->pos, "'%s' is not a user event", event->name);
    else if (event->source)
        lt_fail_at(lexer, api->pos, "the status of '%s' is set twice", event->name);
    event->source = api;
}

/* A kernel-instance is launched once, on the device of its work-items. */
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

/* The last map of the same object in the text that no earlier unmap ends. */
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
        resolve_queue(lexer, api);
    resolve_events(lexer, api);
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

/* No kernel is its own descendant. */
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
    for (struct lt_api *api = lexer->test->calls; api && !lexer->failed; api = api->next)
        resolve_call(lexer, api);
    for (struct lt_api *api = lexer->test->calls; api && !lexer->failed; api = api->next)
        check_descent(lexer, api);
    for (const struct lt_thread *t = lexer->test->threads; lexer->test->calls && t; t = t->next)
        if (!t->host && !is_launched(lexer->test, t->kernel))
            lt_fail_at(lexer, t->pos, "nothing enqueues kernel %u, which thread P%u belongs to", t->kernel,
                       t->number);
}

/* ---- printing ----------------------------------------------------------------------------------- */

void lt_print_declarations(const struct lt_test *test, FILE *out)
{
    for (const struct lt_queue *q = test->queues; q; q = q->next)
        fprintf(out, "  queue %s @ dev %u%s;\n", q->name, q->device,
                q->on_device      ? ", on_device"
                : q->out_of_order ? ", out_of_order"
                                  : "");
    for (const struct lt_event *e = test->events; e; e = e->next)
        if (e->user || e->semaphore)
            fprintf(out, "  %s %s;\n", e->user ? "user_event" : "semaphore", e->name);
}

static void print_place(const struct lt_place *place, FILE *out)
{
    fputs(place->name, out);
    if (place->has_index)
        fprintf(out, "[%u]", place->index);
}

static void print_events(const struct lt_event_use *use, FILE *out)
{
    fputc('{', out);
    for (; use; use = use->next)
        fprintf(out, "%s%s", use->name, use->next ? ", " : "");
    fputc('}', out);
}

static void print_parameter(const struct lt_api *api, char parameter, FILE *out)
{
    static const char *const map_flags[] = {"", "CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_READ | CL_MAP_WRITE"};
    switch (parameter) {
    case 'q':
        fputs(api->queue_name, out);
        break;
    case 'k':
        fprintf(out, "%u", api->kernel);
        break;
    case 'h':
        fprintf(out, "H%u", api->thread_number - LT_HOST_NUMBER);
        break;
    case 'b':
        fputs(api->blocking ? "CL_TRUE" : "CL_FALSE", out);
        break;
    case 'm':
        fputs(map_flags[api->map_flags], out);
        break;
    case 'f':
        fputs(enqueue_flags[api->flags], out);
        break;
    case 't':
    case 's':
        print_place(parameter == 't' ? &api->target : &api->source, out);
        break;
    case 'v':
        fprintf(out, "%lld", (long long)api->value);
        break;
    case 'l':
        print_events(api->waits, out);
        break;
    case 'e':
        fputs(api->waits->name, out);
        break;
    case 'x':
        fputs(statuses[api->value], out);
        break;
    case 'z':
        fputs(api->semaphore->name, out);
        break;
    default:
        fputs("CL_COMPLETE", out);
    }
}

void lt_print_api(const struct lt_api *api, FILE *out)
{
    fprintf(out, "%s(", api->function->name);
    for (const char *p = api->function->parameters; *p; p++) {
        if (p != api->function->parameters)
            fputs(", ", out);
        print_parameter(api, *p, out);
    }
    if (lt_api_enqueues(api) && api->waits) {
        fputs(", ", out);
        print_events(api->waits, out);
    }
    if (api->event_name)
        fprintf(out, ", &%s", api->event_name);
    fputc(')', out);
}
