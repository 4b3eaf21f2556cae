/* The "host" part of a plan: queues, events, kernels, and the code of the host threads, made of their
 * lowered form.  The runner's side: litmus/run/host_plan.c. */
#include "litmus/emit/emit.h"
#include "litmus/emit/plan.h"

#include <stdlib.h>
#include <string.h>

/* Names of enum ck_expr_op and enum ck_op in the plan; NULL: not available to host threads. */
static const char *const expr_names[] = {
    [CK_CONST] = "const", [CK_REG] = "reg",     [CK_ADD] = "add",      [CK_SUB] = "sub",   [CK_MUL] = "mul",
    [CK_UDIV] = "udiv",   [CK_SDIV] = "sdiv",   [CK_UREM] = "urem",    [CK_SREM] = "srem", [CK_AND] = "and",
    [CK_OR] = "or",       [CK_XOR] = "xor",     [CK_SHL] = "shl",      [CK_LSHR] = "lshr", [CK_ASHR] = "ashr",
    [CK_EQ] = "eq",       [CK_NE] = "ne",       [CK_ULT] = "ult",      [CK_ULE] = "ule",   [CK_SLT] = "slt",
    [CK_SLE] = "sle",     [CK_NOT] = "not",     [CK_LNOT] = "lnot",    [CK_NEG] = "neg",   [CK_ZEXT] = "zext",
    [CK_SEXT] = "sext",   [CK_TRUNC] = "trunc", [CK_SELECT] = "select"};

static cJSON *start_row(const char *name)
{
    cJSON *json = cJSON_CreateArray();
    cJSON_AddItemToArray(json, cJSON_CreateString(name));
    return json;
}

#define NONE UINT32_MAX /* in place of an index, -1 in the plan: CK_NO_EXPR, CK_NO_REG and the like */

static void append_number(cJSON *array, uint32_t n)
{
    cJSON_AddItemToArray(array, cJSON_CreateNumber(n == NONE ? -1 : (double)n));
}

static void add_exprs(cJSON *host, const struct ck_program *program)
{
    cJSON *array = cJSON_AddArrayToObject(host, "exprs");
    for (uint32_t i = 0; i < program->expr_count; i++) {
        const struct ck_expr *x = &program->exprs[i];
        cJSON *json = start_row(expr_names[x->op]);
        append_number(json, x->size);
        append_number(json, ck_expr_operands(x->op) > 0 ? x->a : 0);
        append_number(json, ck_expr_operands(x->op) > 1 ? x->b : 0);
        append_number(json, ck_expr_operands(x->op) > 2 ? x->c : 0);
        cJSON_AddItemToArray(json, lt_value_json((int64_t)x->imm));
        cJSON_AddItemToArray(array, json);
    }
}

/* ---- queues, events, kernels --------------------------------------------------------------------- */

static void add_opencl_objects(cJSON *host, const struct lt_test *test, const struct lt_kernel *kernel)
{
    cJSON *queues = cJSON_AddArrayToObject(host, "queues"), *events = cJSON_AddArrayToObject(host, "events"),
          *kernels = cJSON_AddArrayToObject(host, "kernels");
    for (const struct lt_queue *q = test->queues; q; q = q->next) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddNumberToObject(json, "device", q->device);
        cJSON_AddBoolToObject(json, "out_of_order", q->out_of_order);
        cJSON_AddBoolToObject(json, "on_device", q->on_device);
        cJSON_AddItemToArray(queues, json);
    }
    for (const struct lt_event *event = test->events; event; event = event->next) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddBoolToObject(json, "user",
                              event->kind == LT_EVENT_USER &&
                                  !(event->source && event->source->function->device));
        if (event->kind == LT_SEMAPHORE)
            cJSON_AddBoolToObject(json, "semaphore", true);
        cJSON_AddItemToArray(events, json);
    }
    cJSON *buffers = test->buffers ? cJSON_AddArrayToObject(host, "command_buffers") : NULL;
    for (const struct lt_command_buffer *b = test->buffers; b; b = b->next) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddNumberToObject(json, "queue", b->queue->number);
        cJSON_AddBoolToObject(json, "simultaneous_use", b->simultaneous_use);
        cJSON_AddNumberToObject(json, "runs", b->run_count);
        cJSON_AddItemToArray(buffers, json);
    }
    for (const struct lt_api *api = test->calls; api; api = api->next) {
        uint32_t groups, members;
        if (api->function->kind != LT_API_KERNEL || api->function->device)
            continue;
        lt_emit_kernel_size(test, api->kernel, &groups, &members);
        cJSON *json = cJSON_CreateObject();
        cJSON_AddNumberToObject(json, "device", api->queue->device);
        cJSON_AddNumberToObject(json, "groups", groups);
        cJSON_AddNumberToObject(json, "members", members);
        cJSON_AddItemToArray(kernels, json);
    }
    cJSON_AddNumberToObject(host, "columns", kernel->columns);
}

/* ---- calls --------------------------------------------------------------------------------------- */

static void add_place(cJSON *json, const char *key, const struct ck_program *program,
                      const struct lt_place *p)
{
    if (!p->name)
        return;
    cJSON *place = cJSON_AddArrayToObject(json, key);
    append_number(place, ck_program_find_object(program, p->name));
    append_number(place, p->has_index ? p->index : UINT32_MAX);
}

/* The place of THREAD in the test, which is that in the program. */
static uint32_t place_of(const struct lt_test *test, const struct lt_thread *thread)
{
    uint32_t index = 0;
    lt_find_thread(test, thread->number, &index);
    return index;
}

static uint32_t kernel_number(const struct lt_test *test, const struct lt_api *launch)
{
    uint32_t n = 0;
    for (const struct lt_api *api = test->calls; api != launch; api = api->next)
        n += api->function->kind == LT_API_KERNEL && !api->function->device;
    return n;
}

static cJSON *call_json(const struct lt_test *test, const struct ck_program *program,
                        const struct lt_api *api)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "call", api->function->name);
    if (api->queue)
        cJSON_AddNumberToObject(json, "queue", api->queue->number);
    if (api->function->kind == LT_API_KERNEL)
        cJSON_AddNumberToObject(json, "kernel", kernel_number(test, api));
    if (api->thread)
        cJSON_AddNumberToObject(json, "thread", lt_plan_host_number(program, place_of(test, api->thread)));
    cJSON *semaphores = api->semaphores ? cJSON_AddArrayToObject(json, "semaphores") : NULL;
    for (const struct lt_event_use *use = api->semaphores; use; use = use->next)
        append_number(semaphores, use->event->number);
    if (api->buffer)
        cJSON_AddNumberToObject(json, "command_buffer", api->buffer->number);
    if (api->event)
        cJSON_AddNumberToObject(json, "event", api->event->number);
    add_place(json, "target", program, &api->target);
    add_place(json, "source", program, &api->source);
    cJSON_AddBoolToObject(json, "blocking", api->blocking);
    cJSON_AddNumberToObject(json, "map_flags", api->map_flags);
    cJSON_AddItemToObject(json, "value", lt_value_json((int64_t)api->value));
    cJSON *wait = cJSON_AddArrayToObject(json, "wait");
    for (const struct lt_event_use *use = api->waits; use; use = use->next)
        append_number(wait, use->event->number);
    return json;
}

/* ---- threads ------------------------------------------------------------------------------------- */

/* The call at the position of INSTR in THREAD. */
static const struct lt_api *call_at(const struct lt_test *test, const struct lt_thread *thread,
                                    const struct ck_instr *instr)
{
    for (const struct lt_api *api = test->calls; api; api = api->next)
        if (api->caller == thread && api->pos.line == instr->line && api->pos.column == instr->column)
            return api;
    return NULL;
}

static cJSON *access_json(const struct ck_instr *i)
{
    cJSON *json = start_row(i->op == CK_LOAD    ? "load"
                            : i->op == CK_STORE ? "store"
                            : i->op == CK_RMW   ? "rmw"
                                                : "cas");
    if (i->op != CK_STORE)
        append_number(json, i->reg);
    if (i->op == CK_CAS)
        append_number(json, i->reg2);
    append_number(json, i->address);
    if (i->op == CK_CAS)
        append_number(json, i->expected);
    if (i->op != CK_LOAD)
        append_number(json, i->value);
    append_number(json, i->size);
    if (i->op == CK_RMW)
        append_number(json, i->rmw);
    append_number(json, i->order);
    return json;
}

static cJSON *instr_json(const struct ck_instr *i)
{
    cJSON *json;
    switch (i->op) {
    case CK_ASSIGN:
        json = start_row("assign");
        append_number(json, i->reg);
        append_number(json, i->value);
        return json;
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        return access_json(i);
    case CK_JUMP:
        json = start_row("jump");
        append_number(json, i->target);
        return json;
    case CK_BRANCH:
        json = start_row("branch");
        append_number(json, i->value);
        append_number(json, i->target);
        return json;
    case CK_END:
        return start_row("end");
    default:
        /* a row also for points that are no calls, so that jump targets keep their numbers */
        return start_row("fence");
    }
}

static void add_code(cJSON *json, const struct lt_test *test, const struct lt_thread *thread,
                     const struct ck_program *program, const struct ck_thread *lowered)
{
    cJSON *code = cJSON_AddArrayToObject(json, "code");
    const struct lt_api *last = NULL;
    for (uint32_t k = 0; k < lowered->instr_count; k++) {
        const struct ck_instr *i = &lowered->instrs[k];
        const struct lt_api *api = call_at(test, thread, i);
        cJSON *line = api && api != last ? start_row("call") : api ? start_row("fence") : instr_json(i);
        if (api && api != last)
            cJSON_AddItemToArray(line, call_json(test, program, api));
        last = api ? api : last;
        cJSON_AddItemToArray(code, line);
    }
}

static void add_threads(cJSON *host, const struct lt_test *test, const struct ck_program *program)
{
    cJSON *array = cJSON_AddArrayToObject(host, "threads");
    for (const struct lt_thread *t = test->threads; t; t = t->next) {
        if (!t->host)
            continue;
        const struct ck_thread *lowered = &program->threads[place_of(test, t)];
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "name", lowered->name);
        cJSON_AddStringToObject(json, "start",
                                !t->started_by                                   ? "program"
                                : t->started_by->function->kind == LT_API_NATIVE ? "native"
                                                                                 : "callback");
        add_code(json, test, t, program, lowered);
        cJSON_AddItemToArray(array, json);
    }
}

/* ---- what is needed ----------------------------------------------------------------------------- */

static void add_host_needs(cJSON *json, const struct lt_test *test)
{
    bool out_of_order = false, on_device = false, devices = false, native = false, semaphores = false,
         simultaneous = false, svm = false, rerun = false, other_queue = false;
    for (const struct lt_queue *q = test->queues; q; q = q->next) {
        out_of_order |= q->out_of_order && !q->on_device;
        on_device |= q->on_device;
        devices |= q->device > 0;
    }
    for (const struct lt_api *api = test->calls; api; api = api->next) {
        native |= api->function->kind == LT_API_NATIVE;
        svm |= lt_api_records(api) && api->function->svm;
        other_queue |= api->function->kind == LT_API_BUFFER &&
                       api->queue->out_of_order != api->buffer->queue->out_of_order;
    }
    for (const struct lt_command_buffer *b = test->buffers; b; b = b->next) {
        simultaneous |= b->simultaneous_use;
        rerun |= b->run_count > 1;
    }
    for (const struct lt_event *event = test->events; event; event = event->next)
        semaphores |= event->kind == LT_SEMAPHORE;
    lt_plan_need(json, semaphores, "cl_khr_semaphore");
    lt_plan_need(json, test->buffers, "cl_khr_command_buffer");
    lt_plan_need(json, svm, "cl_khr_command_buffer_svm");
    lt_plan_need(json, rerun, "cl_khr_command_buffer_rerun");
    lt_plan_need(json, other_queue, "cl_khr_command_buffer_other_queue");
    lt_plan_need(json, simultaneous, "cl_khr_command_buffer_simultaneous_use");
    lt_plan_need(json, out_of_order, "out_of_order_queue");
    lt_plan_need(json, on_device, "device_queue");
    lt_plan_need(json, devices, "two_devices");
    lt_plan_need(json, native, "native_kernels");
}

enum mm_class lt_plan_host(struct lt_test *test, const struct ck_program *program,
                           const struct lt_plan_options *options, cJSON *json, struct mm_error *err)
{
    struct lt_kernel kernel;
    enum mm_class cls = lt_emit_host(test, program, &kernel, err);
    if (cls == MM_OK && kernel.reason) {
        lt_plan_skip(json, kernel.reason);
    } else if (cls == MM_OK) {
        cJSON_AddBoolToObject(json, "legacy", kernel.legacy);
        lt_plan_needs(json, &kernel, program);
        add_host_needs(json, test);
        lt_plan_locations(json, program);
        lt_plan_observed(json, program, lt_host_stored);
        cJSON *host = cJSON_AddObjectToObject(json, "host");
        add_opencl_objects(host, test, &kernel);
        add_exprs(host, program);
        add_threads(host, test, program);
        cJSON_AddStringToObject(json, "kernel", kernel.source);
        cls = lt_plan_il(json, options, test, kernel.source, 0, err);
    }
    free(kernel.source);
    return cls;
}
