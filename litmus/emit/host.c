/* Kernels of host tests: one for each launch by the host, which runs one instance; launches by work-items are
 * blocks inside [CLC 6.15.19].  Arguments: the results, the device queues, then all locations. */
#include "litmus/emit/emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_passed(const struct ck_object *o)
{
    return o->region != MM_LOCAL && o->origin != MM_ORIGIN_HOST;
}

/* ---- what a kernel declares ---------------------------------------------------------------------- */

static bool uses_event(const struct lt_test *test, const struct lt_event *event,
                       const struct lt_thread *thread)
{
    for (const struct lt_api *api = test->calls; api; api = api->next) {
        if (api->caller != thread)
            continue;
        if (api->event == event)
            return true;
        for (const struct lt_event_use *use = api->waits; use; use = use->next)
            if (use->event == event)
                return true;
    }
    return false;
}

static void declare_events(struct emitter *e)
{
    for (const struct lt_event *event = e->test->events; event; event = event->next) {
        unsigned users = 0;
        for (const struct lt_thread *t = e->test->threads; t; t = t->next)
            if (!t->host && uses_event(e->test, event, t)) {
                users++;
                if (t->kernel == e->number)
                    fprintf(e->out, "    clk_event_t %s;\n", event->name);
            }
        if (users > 1)
            lt_emit_cannot(e, "an event that several work-items use");
    }
}

static void declare_local(struct emitter *e, bool block)
{
    bool any = false;
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        bool used = false;
        for (const struct lt_thread *t = e->test->threads; o->region == MM_LOCAL && t; t = t->next)
            for (const struct lt_param *p = t->params; p && t->kernel == e->number && !t->host; p = p->next)
                used |= strcmp(p->name, o->name) == 0;
        if (!used)
            continue;
        if (block)
            lt_emit_cannot(e, "local memory of an enqueued kernel");
        fprintf(e->out, "    local %s refcl_m%u[%u];\n", lt_emit_type(o->element_size, true), i,
                lt_elements(o));
        for (uint32_t n = 0; n < lt_elements(o); n++)
            fprintf(e->out, "    if (get_local_id(0) == 0)\n        refcl_m%u[%u] = %" PRId64 "l;\n", i, n,
                    (int64_t)o->initial[n]);
        any = true;
    }
    if (any)
        fputs("    barrier(CLK_LOCAL_MEM_FENCE);\n", e->out);
}

/* ---- calls of work-items ------------------------------------------------------------------------- */

static void emit_body(struct emitter *e, uint32_t kernel, bool block);

static uint32_t emit_wait_list(struct emitter *e, const struct lt_api *api)
{
    uint32_t count = 0;
    if (!api->waits)
        return 0;
    fputs("            clk_event_t refcl_list[] = {", e->out);
    for (const struct lt_event_use *use = api->waits; use; use = use->next, count++)
        fprintf(e->out, "%s%s", count ? ", " : "", use->name);
    fputs("};\n", e->out);
    return count;
}

/* A command that a work-item enqueues: a kernel or a marker. */
static void emit_command(struct emitter *e, const struct lt_api *api)
{
    uint32_t groups, members, count = emit_wait_list(e, api);
    const char *list = count ? "refcl_list" : "0", *event = api->event ? api->event->name : "refcl_event";
    if (!api->event)
        fputs("            clk_event_t refcl_event;\n", e->out);
    if (api->function->kind == LT_API_KERNEL) {
        lt_emit_kernel_size(e->test, api->kernel, &groups, &members);
        fprintf(e->out, "            enqueue_kernel(%s, %s, ndrange_1D(%u, %u), %u, %s, &%s, ^{\n",
                api->queue_name, lt_enqueue_flags_text(api->flags), groups * members, members, count, list,
                event);
        emit_body(e, api->kernel, true);
        fputs("            });\n", e->out);
    } else {
        fprintf(e->out, "            enqueue_marker(%s, %u, %s, &%s);\n", api->queue_name, count, list,
                event);
    }
    if (!api->event)
        fputs("            release_event(refcl_event);\n", e->out);
}

static void emit_api(struct emitter *e, const struct lt_api *api)
{
    fputs("            {\n", e->out);
    if (api->function->kind == LT_API_SIGNAL)
        fprintf(e->out, "            set_user_event_status(%s, CL_COMPLETE);\n", api->waits->name);
    else
        emit_command(e, api);
    fputs("            }\n", e->out);
}

/* ---- statements ---------------------------------------------------------------------------------- */

static void emit_user_events(struct emitter *e, const struct lt_thread *t)
{
    for (const struct lt_event *event = e->test->events; event; event = event->next)
        if (event->kind == LT_EVENT_USER && uses_event(e->test, event, t))
            fprintf(e->out, "            %s = create_user_event();\n", event->name);
}

static void emit_phase(struct emitter *e, const struct lt_thread *t, uint32_t group, uint32_t member,
                       uint32_t phase)
{
    bool exists;
    const struct lt_stmt *s = lt_emit_phase_of(t, phase, &exists);
    if (!exists)
        return;
    fprintf(e->out, "        if (refcl_g == %uu && refcl_l == %uu) {\n", group, member);
    lt_emit_pointers(e, t);
    if (phase == 0)
        emit_user_events(e, t);
    for (; s && !lt_emit_is_barrier(s); s = s->next)
        if (s->kind == LT_API)
            emit_api(e, s->api);
        else
            lt_print_stmt(s, 12, e->out);
    fputs("        }\n", e->out);
}

/* Emits phase PHASE of all threads, and the barriers that end it; false: it is the last one. */
static bool emit_phases(struct emitter *e, uint32_t phase)
{
    const struct lt_thread *t;
    bool exists, more = false;
    for (uint32_t g = 0; lt_emit_member(e->test, e->number, g, 0, NULL); g++)
        for (uint32_t m = 0; (t = lt_emit_member(e->test, e->number, g, m, NULL)); m++)
            emit_phase(e, t, g, m, phase);
    for (uint32_t g = 0; (t = lt_emit_member(e->test, e->number, g, 0, NULL)); g++) {
        const struct lt_stmt *barrier = lt_emit_next_barrier(lt_emit_phase_of(t, phase, &exists));
        if (!exists || !barrier)
            continue;
        fprintf(e->out, "    if (refcl_g == %uu)\n", g);
        lt_emit_barrier(e, barrier, 8);
        more = true;
    }
    return more;
}

/* Stores the observed registers of the kernel's threads, and releases the events that they use. */
static void emit_results(struct emitter *e)
{
    const struct lt_thread *t;
    uint32_t column = 0, index;
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        const struct ck_term *term = &e->program->observed[i];
        if (!lt_host_stored(e->program, i))
            continue;
        for (uint32_t g = 0; lt_emit_member(e->test, e->number, g, 0, NULL); g++)
            for (uint32_t m = 0; lt_emit_member(e->test, e->number, g, m, &index); m++)
                if (index == term->thread)
                    fprintf(e->out,
                            "    if (refcl_g == %uu && refcl_l == %uu)\n        refcl_out[%u] = %s;\n", g, m,
                            column, e->program->threads[term->thread].reg_names[term->reg]);
        column++;
    }
    for (uint32_t g = 0; lt_emit_member(e->test, e->number, g, 0, NULL); g++)
        for (uint32_t m = 0; (t = lt_emit_member(e->test, e->number, g, m, NULL)); m++)
            for (const struct lt_event *event = e->test->events; event; event = event->next)
                if (uses_event(e->test, event, t))
                    fprintf(e->out, "    if (refcl_g == %uu && refcl_l == %uu)\n        release_event(%s);\n",
                            g, m, event->name);
}

/* The statements of KERNEL; BLOCK: within the kernel that enqueues it. */
static void emit_body(struct emitter *e, uint32_t kernel, bool block)
{
    uint32_t phase = 0, outer = e->number;
    e->number = kernel;
    fputs("    uint refcl_g = (uint)get_group_id(0), refcl_l = (uint)get_local_id(0);\n", e->out);
    lt_emit_registers(e);
    declare_events(e);
    declare_local(e, block);
    while (emit_phases(e, phase))
        phase++;
    emit_results(e);
    e->number = outer;
}

static void emit_kernel(struct emitter *e, uint32_t kernel, uint32_t number)
{
    fprintf(e->out, "kernel void refcl_k%u(global long *refcl_out", number);
    for (const struct lt_queue *q = e->test->queues; q; q = q->next)
        if (q->on_device)
            fprintf(e->out, ", queue_t %s", q->name);
    for (uint32_t i = 0; i < e->program->object_count; i++)
        if (is_passed(&e->program->objects[i]))
            fprintf(e->out, ",\n    global %s *refcl_m%u",
                    lt_emit_type(e->program->objects[i].element_size, true), i);
    fputs(")\n{\n", e->out);
    lt_emit_legacy_temporaries(e);
    emit_body(e, kernel, false);
    fputs("}\n", e->out);
}

/* ---- what cannot be ------------------------------------------------------------------------------ */

static void check_supported(struct emitter *e)
{
    for (const struct lt_thread *t = e->test->threads; t; t = t->next)
        if (t->has_sub_group)
            lt_emit_cannot(e, "sub-groups beside host threads");
    lt_emit_check_barriers(e);
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        if (o->region == MM_CONSTANT || o->region == MM_PRIVATE || o->region == MM_IMAGE)
            lt_emit_cannot(e, "a location in constant, private or image memory");
        e->kernel->uses_long |= o->element_size == 8;
        e->kernel->legacy &= o->element_size <= 4 && o->is_signed;
    }
    for (const struct lt_api *api = e->test->calls; api; api = api->next)
        e->kernel->legacy &= !api->function->device;
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        const struct ck_term *term = &e->program->observed[i];
        if (term->kind == CK_TERM_MEMORY && e->program->objects[term->object].region == MM_LOCAL)
            lt_emit_cannot(e, "the final contents of local memory beside host threads");
    }
}

bool lt_host_stored(const struct ck_program *program, uint32_t i)
{
    const struct ck_term *term = &program->observed[i];
    return term->kind == CK_TERM_REG && !program->threads[term->thread].host;
}

enum mm_class lt_emit_host(struct lt_test *test, const struct ck_program *program, struct lt_kernel *kernel,
                           struct mm_error *err)
{
    *kernel = (struct lt_kernel){.legacy = true};
    struct emitter e = {.test = test, .program = program, .kernel = kernel, .one_instance = true};
    size_t size = 0;
    uint32_t number = 0;
    for (struct lt_thread *t = test->threads; t; t = t->next)
        if (!t->host)
            lt_emit_prepare(&e, t, t->body, true);
    check_supported(&e);
    e.out = e.failed ? NULL : open_memstream(&kernel->source, &size);
    if (!e.out)
        return mm_out_of_memory(err);
    lt_emit_legacy(&e);
    if (kernel->generic)
        fputs("#define REFCL_GENERIC(type, place, other) (type)(place)\n", e.out);
    for (const struct lt_api *api = test->calls; api && !kernel->reason; api = api->next)
        if (api->function->kind == LT_API_KERNEL && !api->function->device)
            emit_kernel(&e, api->kernel, number++);
    for (uint32_t i = 0; i < program->observed_count; i++)
        kernel->columns += lt_host_stored(program, i);
    if (fclose(e.out) != 0)
        return mm_out_of_memory(err);
    return MM_OK;
}
