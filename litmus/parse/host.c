/* Host part of OPENCL tests: queues, events, and calls of the API, by host threads [CL 5] and, where they
 * enqueue, by work-items [CLC 6.15.19].  Names are resolved after the whole test is parsed (resolve.c). */
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
    {"clEnqueueCommandBufferKHR", LT_API_BUFFER, "qB", false, false},
    {"clEnqueueMarkerWithWaitList", LT_API_MARKER, "q", false, false},
    {"clEnqueueBarrierWithWaitList", LT_API_BARRIER, "q", false, false},
    {"clFinish", LT_API_FINISH, "q", false, false},
    {"clFlush", LT_API_FLUSH, "q", false, false},
    {"clFinalizeCommandBufferKHR", LT_API_FINALIZE, "B", false, false},
    {"clCommandNDRangeKernelKHR", LT_API_KERNEL, "Bk", false, false},
    {"clCommandCopyBufferKHR", LT_API_COPY, "Bst", false, false},
    {"clCommandFillBufferKHR", LT_API_FILL, "Btv", false, false},
    {"clCommandSVMMemcpyKHR", LT_API_COPY, "Bts", true, false},
    {"clCommandSVMMemFillKHR", LT_API_FILL, "Btv", true, false},
    {"clCommandBarrierWithWaitListKHR", LT_API_BARRIER, "B", false, false},
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
/* By value; an event has them in descending order [CL 5.11]. */
static const char *const statuses[] = {"CL_COMPLETE", "CL_RUNNING", "CL_SUBMITTED", "CL_QUEUED"};
#define COUNT(a) (sizeof(a) / sizeof *(a))

const char *lt_enqueue_flags_text(enum lt_enqueue_flags flags)
{
    return enqueue_flags[flags];
}

static const struct lt_api_function *find_api(const char *name)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

bool lt_api_enqueues(const struct lt_api *api)
{
    return api->function->kind <= LT_API_BARRIER && !lt_api_records(api);
}

bool lt_api_records(const struct lt_api *api)
{
    return api->function->kind <= LT_API_BARRIER && api->function->parameters[0] == 'B';
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
static struct lt_event *add_event(struct lt_lexer *lexer, struct lt_pos pos, const char *name,
                                  enum lt_event_kind kind)
{
    struct lt_event *event = lt_new(lexer, sizeof *event), **tail = &lexer->test->events;
    if (!event)
        return NULL;
    event->pos = pos;
    event->name = name;
    event->kind = kind;
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
    enum lt_event_kind kind = lt_is(lexer, "semaphore") ? LT_SEMAPHORE : LT_EVENT_USER;
    lt_take(lexer);
    struct lt_pos pos = lt_peek(lexer, 0)->pos;
    const char *name = lt_expect_name(lexer, "the name of an event");
    if (!lexer->failed)
        add_event(lexer, pos, name, kind);
}

/* command-buffer = "command_buffer" name "@" queue [ "," "simultaneous_use" ] */
static void parse_command_buffer(struct lt_lexer *lexer)
{
    struct lt_command_buffer *buffer = lt_new(lexer, sizeof *buffer), **tail = &lexer->test->buffers;
    if (!buffer)
        return;
    lt_take(lexer);
    buffer->pos = lt_peek(lexer, 0)->pos;
    buffer->name = lt_expect_name(lexer, "the name of a command buffer");
    if (lt_expect(lexer, "@"))
        buffer->queue_name = lt_expect_name(lexer, "the name of a queue");
    if (!lexer->failed && lt_accept(lexer, ","))
        buffer->simultaneous_use = lt_expect(lexer, "simultaneous_use");
    for (; *tail && !lexer->failed; tail = &(*tail)->next, buffer->number++)
        if (strcmp((*tail)->name, buffer->name) == 0)
            lt_fail_at(lexer, buffer->pos, "command buffer '%s' is declared twice", buffer->name);
    *tail = buffer;
}

/* declaration = queue | user-event | command-buffer */
bool lt_parse_declaration(struct lt_lexer *lexer)
{
    static const struct {
        const char *word;
        void (*parse)(struct lt_lexer *lexer);
    } kinds[] = {{"queue", parse_queue},
                 {"user_event", parse_user_event},
                 {"semaphore", parse_user_event},
                 {"command_buffer", parse_command_buffer}};
    for (size_t i = 0; lexer->test->dialect == LT_OPENCL && i < COUNT(kinds); i++)
        if (lt_is(lexer, kinds[i].word) && lt_peek(lexer, 1)->kind == LT_T_NAME) {
            kinds[i].parse(lexer);
            return true;
        }
    return false;
}

/* ---- calls -------------------------------------------------------------------------------------- */

bool lt_starts_api(const struct lt_lexer *lexer)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    return t->kind == LT_T_NAME && find_api(t->text) && strcmp(lt_peek(lexer, 1)->text, "(") == 0;
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

/* enqueue-flags = "CLK_ENQUEUE_FLAGS_NO_WAIT" | "CLK_ENQUEUE_FLAGS_WAIT_KERNEL"
 *               | "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP"
 * status = "CL_COMPLETE" | "CL_RUNNING" | "CL_SUBMITTED" | "CL_QUEUED"
 * Returns the index of the next token in NAMES. */
static unsigned parse_name_of(struct lt_lexer *lexer, const char *const *names, size_t count,
                              const char *what)
{
    for (unsigned i = 0; i < count; i++)
        if (lt_accept(lexer, names[i]))
            return i;
    lt_unexpected(lexer, what);
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
        api->flags = (enum lt_enqueue_flags)parse_name_of(
            lexer, enqueue_flags, COUNT(enqueue_flags),
            "CLK_ENQUEUE_FLAGS_NO_WAIT, _WAIT_KERNEL or _WAIT_WORK_GROUP");
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
        api->value = parse_name_of(lexer, statuses, COUNT(statuses),
                                   "CL_COMPLETE, CL_RUNNING, CL_SUBMITTED or CL_QUEUED");
        break;
    case 'z':
        if (lt_is(lexer, "{"))
            parse_events(lexer, &api->semaphores);
        else
            parse_event(lexer, &api->semaphores);
        break;
    case 'B':
        api->buffer_name = lt_expect_name(lexer, "the name of a command buffer");
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
        if (!lexer->failed)
            api->event = add_event(lexer, pos, api->event_name,
                                   lt_api_records(api) ? LT_SYNC_POINT : LT_EVENT_COMMAND);
        if (api->event)
            api->event->source = api;
    }
}

/* api-call = name "(" parameter { "," parameter } [ wait-list ] ")"    (wait-list: if it enqueues) */
struct lt_api *lt_parse_api(struct lt_lexer *lexer)
{
    struct lt_api *api = lt_new(lexer, sizeof *api), **tail = &lexer->test->calls;
    if (!api)
        return NULL;
    api->pos = lt_peek(lexer, 0)->pos;
    api->function = find_api(lt_take(lexer)->text);
    api->caller = lexer->thread;
    lt_expect(lexer, "(");
    for (const char *p = api->function->parameters; *p && !lexer->failed; p++) {
        if (p != api->function->parameters)
            lt_expect(lexer, ",");
        if (!lexer->failed)
            parse_parameter(lexer, api, *p);
    }
    if (lt_api_enqueues(api) || lt_api_records(api)) {
        parse_wait_list(lexer, api);
        api->command = lexer->test->command_count++;
    }
    lt_expect(lexer, ")");
    for (; *tail; tail = &(*tail)->next)
        api->number++;
    *tail = api;
    return api;
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
        if (e->kind == LT_EVENT_USER || e->kind == LT_SEMAPHORE)
            fprintf(out, "  %s %s;\n", e->kind == LT_EVENT_USER ? "user_event" : "semaphore", e->name);
    for (const struct lt_command_buffer *b = test->buffers; b; b = b->next)
        fprintf(out, "  command_buffer %s @ %s%s;\n", b->name, b->queue_name,
                b->simultaneous_use ? ", simultaneous_use" : "");
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
        if (api->semaphores->next)
            print_events(api->semaphores, out);
        else
            fputs(api->semaphores->name, out);
        break;
    case 'B':
        fputs(api->buffer_name, out);
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
    if ((lt_api_enqueues(api) || lt_api_records(api)) && api->waits) {
        fputs(", ", out);
        print_events(api->waits, out);
    }
    if (api->event_name)
        fprintf(out, ", &%s", api->event_name);
    fputc(')', out);
}
