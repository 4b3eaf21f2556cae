/* Kernels of host tests: one for each launch by the host, which runs one instance; launches by work-items are
 * blocks inside [CLC 6.15.19].  Arguments: the results, the device queues, then all locations. */
#include "litmus/emit/emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The number of the thread's work-group, in text order within its kernel. */
static uint32_t group_of(const struct lt_test *test, const struct lt_thread *thread)
{
    uint32_t count = 0;
    for (const struct lt_thread *t = test->threads; t; t = t->next) {
        if (t->host || t->kernel != thread->kernel)
            continue;
        if (t->work_group == thread->work_group)
            return count;
        bool first = true;
        for (const struct lt_thread *u = test->threads; u != t; u = u->next)
            first &= u->host || u->kernel != t->kernel || u->work_group != t->work_group;
        count += first;
    }
    return count;
}

static const struct lt_thread *member_of(const struct lt_test *test, uint32_t kernel, uint32_t group,
                                         uint32_t member)
{
    for (const struct lt_thread *t = test->threads; t; t = t->next)
        if (!t->host && t->kernel == kernel && group_of(test, t) == group && member-- == 0)
            return t;
    return NULL;
}

void lt_host_kernel_size(const struct lt_test *test, uint32_t kernel, uint32_t *groups, uint32_t *members)
{
    for (*groups = 0; member_of(test, kernel, *groups, 0); ++*groups)
        ;
    *members = 0;
    for (uint32_t g = 0; g < *groups; g++)
        while (member_of(test, kernel, g, *members))
            ++*members;
}

static uint32_t program_thread(const struct emitter *e, const struct lt_thread *thread)
{
    char name[16];
    lt_thread_name(thread, name);
    for (uint32_t t = 0; t < e->program->thread_count; t++)
        if (strcmp(e->program->threads[t].name, name) == 0)
            return t;
    return CK_NO_THREAD;
}

static bool is_passed(const struct ck_object *o)
{
    return o->region != MM_LOCAL && o->origin != MM_ORIGIN_HOST;
}

/* ---- what a kernel declares ---------------------------------------------------------------------- */

static void declare_registers(struct emitter *e, uint32_t kernel)
{
    const char *seen[LT_MAX_THREADS * 8];
    uint32_t count = 0;
    for (const struct lt_thread *t = e->test->threads; t; t = t->next) {
        uint32_t index = t->host || t->kernel != kernel ? CK_NO_THREAD : program_thread(e, t);
        const struct ck_thread *thread = index == CK_NO_THREAD ? NULL : &e->program->threads[index];
        for (uint32_t r = 0; thread && r < thread->reg_count; r++) {
            bool known = !thread->reg_names[r] || count == LT_MAX_THREADS * 8;
            for (uint32_t k = 0; k < count && !known; k++)
                known = strcmp(seen[k], thread->reg_names[r]) == 0;
            if (known)
                continue;
            seen[count++] = thread->reg_names[r];
            fprintf(e->out, "    %s %s = 0;\n", lt_emit_type(thread->reg_sizes[r], thread->reg_signed[r]),
                    thread->reg_names[r]);
        }
    }
}

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

static void declare_events(struct emitter *e, uint32_t kernel)
{
    for (const struct lt_event *event = e->test->events; event; event = event->next) {
        unsigned users = 0;
        for (const struct lt_thread *t = e->test->threads; t; t = t->next)
            if (!t->host && uses_event(e->test, event, t)) {
                users++;
                if (t->kernel == kernel)
                    fprintf(e->out, "    clk_event_t %s;\n", event->name);
            }
        if (users > 1)
            lt_emit_cannot(e, "an event that several work-items use");
    }
}

static void declare_local(struct emitter *e, uint32_t kernel, bool block)
{
    bool any = false;
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        bool used = false;
        for (const struct lt_thread *t = e->test->threads; o->region == MM_LOCAL && t; t = t->next)
            for (const struct lt_param *p = t->params; p && t->kernel == kernel && !t->host; p = p->next)
                used |= strcmp(p->name, o->name) == 0;
        if (!used)
            continue;
        if (block)
            lt_emit_cannot(e, "local memory of an enqueued kernel");
        fprintf(e->out, "    local %s refcl_m%u[%u];\n", lt_emit_type(o->element_size, true), i,
                lt_emit_elements(o));
        for (uint32_t n = 0; n < lt_emit_elements(o); n++)
            fprintf(e->out, "    if (get_local_id(0) == 0)\n        refcl_m%u[%u] = %" PRId64 "l;\n", i, n,
                    (int64_t)o->initial[n]);
        any = true;
    }
    if (any)
        fputs("    barrier(CLK_LOCAL_MEM_FENCE);\n", e->out);
}

static void declare_pointers(struct emitter *e, const struct lt_thread *t)
{
    for (const struct lt_param *p = t->params; p; p = p->next) {
        uint32_t i = p->type.is_pointer ? ck_program_find_object(e->program, p->name) : CK_NO_OBJECT;
        char place[24];
        if (i == CK_NO_OBJECT)
            continue;
        snprintf(place, sizeof place, "refcl_m%u", i);
        lt_emit_pointer(e, p, i, place);
    }
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

static void emit_enqueue(struct emitter *e, const struct lt_api *api)
{
    static const char *const flags[] = {[LT_NO_WAIT] = "CLK_ENQUEUE_FLAGS_NO_WAIT",
                                        [LT_WAIT_KERNEL] = "CLK_ENQUEUE_FLAGS_WAIT_KERNEL",
                                        [LT_WAIT_WORK_GROUP] = "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP"};
    uint32_t groups, members, count = emit_wait_list(e, api);
    lt_host_kernel_size(e->test, api->kernel, &groups, &members);
    if (!api->event)
        fputs("            clk_event_t refcl_event;\n", e->out);
    fprintf(e->out, "            enqueue_kernel(%s, %s, ndrange_1D(%u, %u), %u, %s, &%s, ^{\n",
            api->queue_name, flags[api->flags], groups * members, members, count, count ? "refcl_list" : "0",
            api->event ? api->event->name : "refcl_event");
    emit_body(e, api->kernel, true);
    fputs("            });\n", e->out);
    if (!api->event)
        fputs("            release_event(refcl_event);\n", e->out);
}

static void emit_api(struct emitter *e, const struct lt_api *api)
{
    fputs("            {\n", e->out);
    if (api->function->kind == LT_API_KERNEL) {
        emit_enqueue(e, api);
    } else if (api->function->kind == LT_API_SIGNAL) {
        fprintf(e->out, "            set_user_event_status(%s, CL_COMPLETE);\n", api->waits->name);
    } else {
        uint32_t count = emit_wait_list(e, api);
        if (!api->event)
            fputs("            clk_event_t refcl_event;\n", e->out);
        fprintf(e->out, "            enqueue_marker(%s, %u, %s, &%s);\n", api->queue_name, count,
                count ? "refcl_list" : "0", api->event ? api->event->name : "refcl_event");
        if (!api->event)
            fputs("            release_event(refcl_event);\n", e->out);
    }
    fputs("            }\n", e->out);
}

/* ---- statements ---------------------------------------------------------------------------------- */

static void emit_user_events(struct emitter *e, const struct lt_thread *t)
{
    for (const struct lt_event *event = e->test->events; event; event = event->next)
        if (event->user && uses_event(e->test, event, t))
            fprintf(e->out, "            %s = create_user_event();\n", event->name);
}

static void emit_part(struct emitter *e, const struct lt_thread *t, uint32_t group, uint32_t member,
                      const struct lt_stmt *s, bool first)
{
    fprintf(e->out, "        if (refcl_g == %uu && refcl_l == %uu) {\n", group, member);
    declare_pointers(e, t);
    if (first)
        emit_user_events(e, t);
    for (; s && !lt_emit_is_barrier(s); s = s->next)
        if (s->kind == LT_API)
            emit_api(e, s->api);
        else
            lt_print_stmt(s, 12, e->out);
    fputs("        }\n", e->out);
}

/* The statements of thread T after its first PART barriers; *THERE: T has as many barriers. */
static const struct lt_stmt *part_of(const struct lt_thread *t, uint32_t part, bool *there)
{
    const struct lt_stmt *s = t->body;
    *there = true;
    for (; part && *there; part--) {
        const struct lt_stmt *barrier = lt_emit_next_barrier(s);
        *there = barrier != NULL;
        s = barrier ? barrier->next : NULL;
    }
    return s;
}

static bool emit_parts(struct emitter *e, uint32_t kernel, uint32_t part)
{
    const struct lt_thread *t;
    bool there, more = false;
    for (uint32_t g = 0; member_of(e->test, kernel, g, 0); g++)
        for (uint32_t m = 0; (t = member_of(e->test, kernel, g, m)); m++) {
            const struct lt_stmt *s = part_of(t, part, &there);
            if (there)
                emit_part(e, t, g, m, s, part == 0);
        }
    for (uint32_t g = 0; (t = member_of(e->test, kernel, g, 0)); g++) {
        const struct lt_stmt *barrier = lt_emit_next_barrier(part_of(t, part, &there));
        if (!there || !barrier)
            continue;
        fprintf(e->out, "    if (refcl_g == %uu)\n", g);
        lt_emit_barrier(e, barrier, 8);
        more = true;
    }
    return more;
}

static void emit_results(struct emitter *e, uint32_t kernel)
{
    uint32_t column = 0;
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        const struct ck_term *term = &e->program->observed[i];
        if (!lt_host_stored(e->program, i))
            continue;
        for (uint32_t g = 0; member_of(e->test, kernel, g, 0); g++)
            for (uint32_t m = 0; member_of(e->test, kernel, g, m); m++)
                if (program_thread(e, member_of(e->test, kernel, g, m)) == term->thread)
                    fprintf(e->out,
                            "    if (refcl_g == %uu && refcl_l == %uu)\n        refcl_out[%u] = %s;\n", g, m,
                            column, e->program->threads[term->thread].reg_names[term->reg]);
        column++;
    }
}

static void release_events(struct emitter *e, uint32_t kernel)
{
    for (uint32_t g = 0; member_of(e->test, kernel, g, 0); g++)
        for (uint32_t m = 0; member_of(e->test, kernel, g, m); m++)
            for (const struct lt_event *event = e->test->events; event; event = event->next)
                if (uses_event(e->test, event, member_of(e->test, kernel, g, m)))
                    fprintf(e->out, "    if (refcl_g == %uu && refcl_l == %uu)\n        release_event(%s);\n",
                            g, m, event->name);
}

static void emit_body(struct emitter *e, uint32_t kernel, bool block)
{
    uint32_t part = 0;
    fputs("    uint refcl_g = (uint)get_group_id(0), refcl_l = (uint)get_local_id(0);\n", e->out);
    declare_registers(e, kernel);
    declare_events(e, kernel);
    declare_local(e, kernel, block);
    while (emit_parts(e, kernel, part))
        part++;
    emit_results(e, kernel);
    release_events(e, kernel);
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
    for (const struct lt_thread *t = e->test->threads; t; t = t->next) {
        const struct lt_thread *first = t->host ? t : member_of(e->test, t->kernel, group_of(e->test, t), 0);
        const struct lt_stmt *a = lt_emit_next_barrier(first->body), *b = lt_emit_next_barrier(t->body);
        if (t->has_sub_group)
            lt_emit_cannot(e, "sub-groups beside host threads");
        for (; a && b && lt_emit_same_barrier(a, b); b = lt_emit_next_barrier(b->next))
            a = lt_emit_next_barrier(a->next);
        if (!lt_emit_same_barrier(a, b))
            lt_emit_cannot(e, "threads of a work-group that do not execute the same barriers");
    }
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
    struct emitter e = {.test = test, .program = program, .kernel = kernel};
    size_t size = 0;
    uint32_t number = 0;
    for (struct lt_thread *t = test->threads; t; t = t->next)
        if (!t->host)
            lt_emit_hoist(&e, t, t->body, true);
    check_supported(&e);
    e.out = e.failed ? NULL : open_memstream(&kernel->source, &size);
    if (!e.out)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    lt_emit_legacy(&e);
    if (kernel->generic)
        fputs("#define REFCL_GENERIC(type, place, other) (type)(place)\n", e.out);
    for (const struct lt_api *api = test->calls; api && !kernel->reason; api = api->next)
        if (api->function->kind == LT_API_KERNEL && !api->function->device)
            emit_kernel(&e, api->kernel, number++);
    for (uint32_t i = 0; i < program->observed_count; i++)
        kernel->columns += lt_host_stored(program, i);
    if (fclose(e.out) != 0)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    return MM_OK;
}
