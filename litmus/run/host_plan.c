/* Reads the host part of a test in the plan and checks every number that later code uses. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

static bool invalid_plan(struct lt_host *host, const char *what)
{
    if (!host->state.message[0])
        snprintf(host->state.message, sizeof host->state.message,
                 "the plan's description of the test is not valid: %s", what);
    return false;
}

/* Index of NAME among COUNT names, -1 if it is missing. */
static int find_name(const char *name, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

static unsigned array_length(const cJSON *array)
{
    return (unsigned)cJSON_GetArraySize(array);
}

static int array_integer(const cJSON *array, int index)
{
    const cJSON *item = cJSON_GetArrayItem(array, index);
    return cJSON_IsNumber(item) && item->valuedouble >= -1 && item->valuedouble < 1 << 30 ? item->valueint
                                                                                          : -1;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static bool read_object(struct lt_host *host, const cJSON *json)
{
    int kind = lt_memory_kind(json), size = lt_json_count(json, "element_size");
    const cJSON *initial = cJSON_GetObjectItem(json, "initial");
    if (strcmp(lt_json_text(json, "region"), "local") == 0) {
        host->objects[host->object_count++] = (struct lt_object){.kind = LT_IN_HOST, .element_size = 1};
        return true;
    }
    if (kind < 0 || (size != 1 && size != 2 && size != 4 && size != 8) || !array_length(initial))
        return invalid_plan(host, "a location");
    struct lt_object *o = &host->objects[host->object_count++];
    o->kind = (enum lt_memory_kind)kind;
    o->element_size = (unsigned)size;
    o->elements = array_length(initial);
    o->bytes = (size_t)o->element_size * o->elements;
    o->is_signed = cJSON_IsTrue(cJSON_GetObjectItem(json, "signed"));
    o->initial = lt_initial_bytes(initial, o->element_size);
    o->mapped = calloc(o->elements, sizeof *o->mapped);
    if (!o->initial || !o->mapped)
        return invalid_plan(host, "out of memory");
    return true;
}

static bool read_objects(struct lt_host *host)
{
    const cJSON *item, *array = cJSON_GetObjectItem(host->job->test, "locations");
    if (array_length(array) > LT_HOST_MOST)
        return invalid_plan(host, "too many locations");
    cJSON_ArrayForEach(item, array) if (!read_object(host, item)) return false;
    return true;
}

/* ---- queues, events, kernels --------------------------------------------------------------------------- */

static bool read_queue(struct lt_host *host, const cJSON *json)
{
    int device = lt_json_count(json, "device");
    if (device < 0 || device >= LT_HOST_DEVICES)
        return invalid_plan(host, "a queue");
    host->queues[host->queue_count++] =
        (struct lt_host_queue){.device = (unsigned)device,
                               .out_of_order = cJSON_IsTrue(cJSON_GetObjectItem(json, "out_of_order")),
                               .on_device = cJSON_IsTrue(cJSON_GetObjectItem(json, "on_device"))};
    return true;
}

static bool read_event(struct lt_host *host, const cJSON *json)
{
    host->is_semaphore[host->event_count] = cJSON_IsTrue(cJSON_GetObjectItem(json, "semaphore"));
    host->user_events[host->event_count++] = cJSON_IsTrue(cJSON_GetObjectItem(json, "user"));
    return true;
}

static bool read_command_buffer(struct lt_host *host, const cJSON *json)
{
    struct lt_host_buffer *b = &host->buffers[host->buffer_count++];
    int queue = lt_json_count(json, "queue"), runs = lt_json_count(json, "runs");
    if (queue < 0 || (unsigned)queue >= host->queue_count || runs < 1)
        return invalid_plan(host, "a command buffer");
    b->queue = (unsigned)queue;
    b->runs = (unsigned)runs;
    b->simultaneous_use = cJSON_IsTrue(cJSON_GetObjectItem(json, "simultaneous_use"));
    return true;
}

static bool read_kernel(struct lt_host *host, const cJSON *json)
{
    int groups = lt_json_count(json, "groups"), members = lt_json_count(json, "members"),
        device = lt_json_count(json, "device");
    if (groups < 1 || members < 1 || device < 0 || device >= LT_HOST_DEVICES)
        return invalid_plan(host, "a kernel");
    host->kernels[host->kernel_count++] = (struct lt_host_kernel){
        .device = (unsigned)device, .groups = (unsigned)groups, .members = (unsigned)members};
    return true;
}

static bool read_opencl_objects(struct lt_host *host, const cJSON *json)
{
    static const struct {
        const char *key;
        bool (*read)(struct lt_host *host, const cJSON *json);
    } lists[] = {{"queues", read_queue},
                 {"events", read_event},
                 {"command_buffers", read_command_buffer},
                 {"kernels", read_kernel}};
    const cJSON *item;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const cJSON *array = cJSON_GetObjectItem(json, lists[i].key);
        if (array_length(array) > LT_HOST_MOST)
            return invalid_plan(host, "too many queues, events, kernels or command buffers");
        cJSON_ArrayForEach(item, array) if (!lists[i].read(host, item)) return false;
    }
    int columns = lt_json_count(json, "columns");
    host->columns = columns > 0 ? (unsigned)columns : 0;
    return true;
}

/* ---- code ---------------------------------------------------------------------------------------------- */

/* [name, size, a, b, c, value] */
static bool read_expr(struct lt_host *host, const cJSON *json)
{
    static const char *const names[] = {
#define X(name) #name,
        LT_HOST_OPS(X)
#undef X
    };
    const cJSON *name = cJSON_GetArrayItem(json, 0);
    int op = cJSON_IsString(name) ? find_name(name->valuestring, names, LT_V_COUNT) : -1,
        size = array_integer(json, 1);
    if (op < 0 || size < 1 || size > 8)
        return invalid_plan(host, "an expression");
    struct lt_host_expr x = {.op = (enum lt_host_op)op,
                             .size = (unsigned)size,
                             .imm = (uint64_t)lt_json_value(cJSON_GetArrayItem(json, 5))};
    unsigned *operands[] = {&x.a, &x.b, &x.c};
    unsigned used = op < LT_V_add ? 0 : op < LT_V_not ? 2 : op < LT_V_select ? 1 : 3;
    for (unsigned k = 0; k < used; k++) {
        int operand = array_integer(json, 2 + (int)k);
        if (operand < 0 || (unsigned)operand >= host->expr_count)
            return invalid_plan(host, "an operand");
        *operands[k] = (unsigned)operand;
    }
    if (op == LT_V_reg && x.imm >= LT_HOST_REGISTERS)
        return invalid_plan(host, "a register");
    host->exprs[host->expr_count++] = x; /* operands precede their uses: no cycles */
    return true;
}

static bool read_place(struct lt_host *host, const cJSON *call, const char *key, struct lt_call_place *place)
{
    const cJSON *json = cJSON_GetObjectItem(call, key);
    *place = (struct lt_call_place){-1, -1};
    if (!json)
        return true;
    int object = array_integer(json, 0), element = array_integer(json, 1);
    if (object < 0 || (unsigned)object >= host->object_count || !host->objects[object].bytes ||
        element >= (int)host->objects[object].elements)
        return invalid_plan(host, "a place");
    *place = (struct lt_call_place){object, element};
    return true;
}

static int index_of(const cJSON *call, const char *key, unsigned count, bool *ok)
{
    int n = lt_json_count(call, key);
    if (cJSON_GetObjectItem(call, key) && (n < 0 || (unsigned)n >= count))
        *ok = false;
    return n;
}

/* Whether the call of function NAME has the operands that its code in host_calls.c uses. */
static bool has_operands(const struct lt_host *host, const struct lt_host_call *c, const char *name)
{
    bool queue = c->queue >= 0, target = c->target.object >= 0, source = c->source.object >= 0;
    if (strcmp(name, "clWaitForEvents") == 0 || strcmp(name, "clSetUserEventStatus") == 0 ||
        strcmp(name, "clGetEventInfo") == 0)
        return c->wait_count > 0;
    if (strstr(name, "Semaphores"))
        return queue && c->semaphore_count > 0;
    if (strstr(name, "CommandBufferKHR"))
        return c->buffer >= 0 && (queue || strstr(name, "Finalize"));
    if (lt_host_records(name)) {
        if (c->buffer < 0)
            return false;
        queue = true;
    }
    if (strcmp(name, "clSetEventCallback") == 0)
        return c->wait_count > 0 && c->thread >= 0 && !host->threads[c->thread].starts;
    if (strcmp(name, "clEnqueueNativeKernel") == 0)
        return queue && c->thread >= 0 && !host->threads[c->thread].starts;
    if (strstr(name, "NDRangeKernel"))
        return queue && c->kernel >= 0;
    if (strstr(name, "Read") || strstr(name, "Write") || strstr(name, "Copy") || strstr(name, "Memcpy"))
        return queue && target && source;
    if (strstr(name, "Fill"))
        return queue && target;
    if (strstr(name, "Map") || strstr(name, "Unmap") || strstr(name, "Migrate"))
        return queue && source;
    return queue;
}

/* Reads the numbers of events, or of semaphores, in ARRAY into LIST. */
static bool read_events(struct lt_host *host, const cJSON *array, bool semaphores,
                        unsigned list[LT_HOST_WAITS], unsigned *count)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        int event = cJSON_IsNumber(item) ? item->valueint : -1;
        if (event < 0 || (unsigned)event >= host->event_count || *count == LT_HOST_WAITS ||
            (semaphores && !host->is_semaphore[event]))
            return invalid_plan(host, semaphores ? "a list of semaphores" : "a wait list");
        list[(*count)++] = (unsigned)event;
    }
    return true;
}

static bool read_call(struct lt_host *host, const cJSON *json, struct lt_host_call *c)
{
    const char *name = lt_json_text(json, "call");
    bool ok = true;
    c->function = lt_host_function(name);
    c->queue = index_of(json, "queue", host->queue_count, &ok);
    c->kernel = index_of(json, "kernel", host->kernel_count, &ok);
    c->thread = index_of(json, "thread", host->thread_count, &ok);
    c->event = index_of(json, "event", host->event_count, &ok);
    c->buffer = index_of(json, "command_buffer", host->buffer_count, &ok);
    c->blocking = cJSON_IsTrue(cJSON_GetObjectItem(json, "blocking"));
    c->map_flags = lt_json_count(json, "map_flags") > 0 ? (unsigned)lt_json_count(json, "map_flags") : 0;
    c->value = lt_json_value(cJSON_GetObjectItem(json, "value"));
    if (!read_place(host, json, "target", &c->target) || !read_place(host, json, "source", &c->source))
        return false;
    if (!read_events(host, cJSON_GetObjectItem(json, "semaphores"), true, c->semaphores,
                     &c->semaphore_count) ||
        !read_events(host, cJSON_GetObjectItem(json, "wait"), false, c->waits, &c->wait_count))
        return false;
    if (!ok || c->function < 0 || !has_operands(host, c, name))
        return invalid_plan(host, "a call");
    return true;
}

/* Operands of each step after its name: r, R registers, a address, v value, x expected, s size, o order, m
 * operation, t target. */
static const char *const operands[] = {
    [LT_S_assign] = "rv",   [LT_S_load] = "raso", [LT_S_store] = "avso", [LT_S_rmw] = "ravsmo",
    [LT_S_cas] = "rRaxvso", [LT_S_fence] = "",    [LT_S_jump] = "t",     [LT_S_branch] = "vt",
    [LT_S_call] = "",       [LT_S_end] = ""};

static bool set_operand(struct lt_host *host, struct lt_host_instr *i, char kind, unsigned v, unsigned count)
{
    bool size_ok = v == 1 || v == 2 || v == 4 || v == 8;
    switch (kind) {
    case 'r':
        i->reg = v;
        return true;
    case 'R':
        i->reg2 = v;
        return true;
    case 'a':
        i->address = v;
        return v < host->expr_count;
    case 'v':
        i->value = v;
        return v < host->expr_count;
    case 'x':
        i->expected = v;
        return v < host->expr_count;
    case 's':
        i->size = v;
        return size_ok;
    case 'o':
        i->order = v;
        return v <= 5;
    case 'm':
        i->rmw = v;
        return v <= LT_R_UMAX;
    default:
        i->target = v;
        return v <= count;
    }
}

static bool read_instr(struct lt_host *host, const cJSON *json, struct lt_host_instr *i, unsigned count)
{
    static const char *const names[] = {
#define X(name) #name,
        LT_HOST_STEPS(X)
#undef X
    };
    const cJSON *name = cJSON_GetArrayItem(json, 0);
    int op = cJSON_IsString(name) ? find_name(name->valuestring, names, LT_S_COUNT) : -1, k = 1;
    if (op < 0)
        return invalid_plan(host, "a step");
    i->op = (enum lt_host_step)op;
    for (const char *p = operands[op]; *p; p++, k++) {
        int v = array_integer(json, k);
        bool none = v < 0 && (*p == 'r' || *p == 'R'); /* no result register */
        if (!set_operand(host, i, *p, none ? UINT32_MAX : (unsigned)v, count))
            return invalid_plan(host, "an operand of a step");
    }
    if (op != LT_S_call)
        return true;
    i->call = calloc(1, sizeof *i->call);
    return i->call ? read_call(host, cJSON_GetArrayItem(json, 1), i->call)
                   : invalid_plan(host, "out of memory");
}

static bool read_code(struct lt_host *host, const cJSON *json)
{
    const cJSON *item, *line, *exprs = cJSON_GetObjectItem(json, "exprs"),
                              *threads = cJSON_GetObjectItem(json, "threads");
    host->exprs = calloc(array_length(exprs) + 1u, sizeof *host->exprs);
    host->threads = calloc(array_length(threads) + 1u, sizeof *host->threads);
    if (!host->exprs || !host->threads || array_length(threads) > LT_HOST_MOST)
        return invalid_plan(host, "too much code");
    host->thread_count = array_length(threads);
    unsigned n = 0;
    cJSON_ArrayForEach(item, threads) host->threads[n++].starts =
        strcmp(lt_json_text(item, "start"), "program") == 0;
    cJSON_ArrayForEach(item, exprs) if (!read_expr(host, item)) return false;
    n = 0;
    cJSON_ArrayForEach(item, threads)
    {
        struct lt_host_thread *t = &host->threads[n];
        const cJSON *code = cJSON_GetObjectItem(item, "code");
        t->host = host;
        t->number = n++;
        t->code = calloc(array_length(code) + 1u, sizeof *t->code);
        if (!t->code)
            return invalid_plan(host, "out of memory");
        cJSON_ArrayForEach(line, code) if (!read_instr(host, line, &t->code[t->code_count++],
                                                       array_length(code))) return false;
    }
    return true;
}

/* ---- what is observed ---------------------------------------------------------------------------- */

static bool read_observed(struct lt_host *host)
{
    const cJSON *item, *array = cJSON_GetObjectItem(host->job->test, "observed");
    if (array_length(array) > LT_MAX_VALUES)
        return invalid_plan(host, "too many observed values");
    cJSON_ArrayForEach(item, array)
    {
        struct lt_host_observed o = {.column = lt_json_count(item, "column"),
                                     .thread = lt_json_count(item, "thread"),
                                     .reg = lt_json_count(item, "register"),
                                     .object = lt_json_count(item, "location"),
                                     .element = lt_json_count(item, "element"),
                                     .size = (unsigned)lt_json_count(item, "size"),
                                     .is_signed = cJSON_IsTrue(cJSON_GetObjectItem(item, "signed"))};
        bool column = o.column >= 0 && (unsigned)o.column < host->columns;
        bool thread = o.thread >= 0 && (unsigned)o.thread < host->thread_count && o.reg >= 0 &&
                      o.reg < LT_HOST_REGISTERS && o.size <= 8;
        bool memory = o.object >= 0 && (unsigned)o.object < host->object_count && o.element >= 0 &&
                      (unsigned)o.element < host->objects[o.object].elements;
        if (!column && !thread && !memory)
            return invalid_plan(host, "an observed value");
        host->observed[host->observed_count++] = o;
    }
    return true;
}

bool lt_host_read(struct lt_host *host)
{
    const cJSON *json = cJSON_GetObjectItem(host->job->test, "host");
    return read_objects(host) && read_opencl_objects(host, json) && read_code(host, json) &&
           read_observed(host);
}

void lt_host_forget(struct lt_host *host)
{
    for (unsigned i = 0; i < host->object_count; i++) {
        free(host->objects[i].initial);
        free(host->objects[i].mapped);
    }
    for (unsigned t = 0; host->threads && t < host->thread_count; t++) {
        for (unsigned i = 0; i < host->threads[t].code_count; i++)
            free(host->threads[t].code[i].call);
        free(host->threads[t].code);
    }
    free(host->threads);
    free(host->exprs);
}
