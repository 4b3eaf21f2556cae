/* Device-side enqueue: ND-ranges, commands, device events, queries about blocks. [SPIRV 3.49.23],
 * [CLC 6.15.19].  Queues and events are the environment's handles. */
#include "interp/fault.h"
#include "interp/lower/lower.h"
#include <string.h>

#define IN_ENQUEUE_FAILURE (-101) /* CLK_ENQUEUE_FAILURE */

static uint64_t enqueue_operand(const struct in_item *item, const struct in_call *c, uint32_t k)
{
    uint64_t v = 0, size = c->types[k]->size;
    memcpy(&v, item->frame + c->operand[k], size < 8 ? size : 8);
    return v;
}

/* CLK_NULL_EVENT and CLK_NULL_QUEUE have all bits set. */
static void *handle_from(uint64_t bits)
{
    return bits == UINT64_MAX ? NULL : (void *)(uintptr_t)bits;
}

static struct in_fat *pointer_of(const struct in_item *item, const struct in_call *c, uint32_t k)
{
    return (struct in_fat *)(void *)(item->frame + c->operand[k]);
}

static void *handle_of(const struct in_item *item, const struct in_call *c, uint32_t k)
{
    return handle_from(enqueue_operand(item, c, k));
}

static void enqueue_result(const struct in_item *item, const struct in_call *c, uint64_t value)
{
    memcpy(item->frame + c->result, &value, c->ty->size < 8 ? c->ty->size : 8);
}

/* ---- ND-ranges: { dimensions, offset[3], global size[3], local size[3] } --------------------- */

struct ndrange {
    uint32_t dimensions;
    uint64_t part[3][3]; /* offset, global, local */
};

static bool is_ndrange(const struct in_ty *ty)
{
    if (ty->kind != IN_TY_STRUCT || ty->count != 4 || ty->members[0]->kind != IN_TY_INT)
        return false;
    for (uint32_t k = 1; k < 4; k++)
        if (ty->members[k]->kind != IN_TY_ARRAY || ty->members[k]->count != 3 ||
            ty->members[k]->element->kind != IN_TY_INT)
            return false;
    return true;
}

/* Operands of OpBuildNDRange: global size, local size, offset; scalars or arrays of two or three. */
static bool run_build(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_call *c)
{
    static const uint32_t member[3] = {2, 3, 1};
    const struct in_ty *first = c->types[0];
    uint32_t n = first->kind == IN_TY_ARRAY || first->kind == IN_TY_VECTOR ? first->count : 1;
    uint8_t *to = item->frame + c->result;
    (void)run;
    (void)pc;
    memset(to, 0, c->ty->size);
    memcpy(to, &n, 4);
    for (uint32_t k = 0; k < 3; k++) {
        const struct in_ty *ty = c->types[k], *whole = c->ty->members[member[k]];
        uint64_t each = ty->kind == IN_TY_INT ? ty->size : ty->element->size, to_each = whole->element->size;
        uint32_t count = ty->kind == IN_TY_INT ? 1 : ty->count;
        for (uint32_t d = 0; d < 3 && d < n; d++) {
            uint64_t v = member[k] == 2;
            if (d < count)
                memcpy(&v, item->frame + c->operand[k] + d * each, each);
            memcpy(to + c->ty->offsets[member[k]] + d * to_each, &v, to_each);
        }
    }
    return true;
}

static bool read_ndrange(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                         const struct in_call *c, uint32_t k, struct ndrange *range)
{
    const struct in_ty *ty = c->types[k];
    const uint8_t *from = item->frame + c->operand[k];
    if (ty->kind == IN_TY_POINTER) {
        struct in_fat *p = pointer_of(item, c, k);
        ty = ty->element;
        from = in_touch(run, item, pc, p, (struct in_reference){p->address, ty->size, 0, false});
        if (!from)
            return false;
    }
    memset(range, 0, sizeof *range);
    memcpy(&range->dimensions, from, 4);
    for (uint32_t m = 0; m < 3; m++)
        for (uint32_t d = 0; d < 3; d++) {
            uint64_t each = ty->members[m + 1]->element->size;
            range->part[m][d] = m == 1;
            if (d < range->dimensions)
                memcpy(&range->part[m][d], from + ty->offsets[m + 1] + d * each, each);
        }
    if (range->dimensions >= 1 && range->dimensions <= 3)
        return true;
    in_raise(run, item, pc, "invalid-ndrange", "CLC 6.15.19", "an ndrange of %u dimensions",
             range->dimensions);
    run->outcome.stopped = true;
    return false;
}

/* ---- enqueueing ---------------------------------------------------------------------------- */

static mm_event_id record_enqueue(struct in_run *run, struct in_item *item, const struct in_insn *pc)
{
    if (!run->full || !run->launch.recorder)
        return MM_NO_EVENT;
    struct mm_event event = {.agent = {run->launch.command, item->agent},
                             .kind = MM_DEVICE_ENQUEUE,
                             .source = in_record_source(run, item, pc)};
    in_record_flush(run);
    return mm_recorder_event(run->launch.recorder, &event, NULL, 0);
}

/* COUNT events in kernel memory; NULL also when there are none. */
static void **wait_list(struct in_run *run, struct in_item *item, const struct in_insn *pc, struct in_fat *p,
                        uint64_t count)
{
    if (count == 0)
        return NULL;
    const uint8_t *m = in_touch(run, item, pc, p, (struct in_reference){p->address, count * 8, 7, false});
    void **list = m ? mm_alloc(count * sizeof *list) : NULL;
    if (list)
        memcpy(list, m, count * sizeof *list);
    return list;
}

/* Address for the new event: *PLACE, NULL if none is requested. */
static bool event_place(struct in_run *run, struct in_item *item, const struct in_insn *pc, struct in_fat *p,
                        uint8_t **place)
{
    *place =
        p->address != 0 ? in_touch(run, item, pc, p, (struct in_reference){p->address, 8, 7, true}) : NULL;
    return p->address == 0 || *place;
}

static bool fill_enqueue(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                         const struct in_call *c, struct in_enqueue *e)
{
    struct ndrange range;
    if (!read_ndrange(run, item, pc, c, 2, &range))
        return false;
    e->dimensions = range.dimensions;
    for (int d = 0; d < 3; d++) {
        e->global_offset[d] = range.part[0][d];
        e->global_size[d] = range.part[1][d];
        e->local_size[d] = range.part[2][d] > UINT32_MAX ? UINT32_MAX : (uint32_t)range.part[2][d];
    }
    e->block_size = (uint32_t)enqueue_operand(item, c, 7);
    struct in_fat *block = pointer_of(item, c, 6);
    if (e->block_size == 0)
        return true;
    e->block = in_touch(run, item, pc, block, (struct in_reference){block->address, e->block_size, 0, false});
    return e->block != NULL;
}

/* Sizes of local arguments: values, or pointers to them as the translator has it. */
static bool local_sizes(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                        const struct in_call *c, uint64_t *sizes)
{
    for (uint32_t k = 9; k < c->operand_count; k++) {
        const struct in_ty *ty = c->types[k];
        sizes[k - 9] = ty->kind == IN_TY_POINTER ? 0 : enqueue_operand(item, c, k);
        if (ty->kind != IN_TY_POINTER)
            continue;
        struct in_fat *p = pointer_of(item, c, k);
        uint64_t size = ty->element && ty->element->size <= 8 ? ty->element->size : 8;
        const uint8_t *m = in_touch(run, item, pc, p, (struct in_reference){p->address, size, 0, false});
        if (!m)
            return false;
        memcpy(&sizes[k - 9], m, size);
    }
    return true;
}

static bool run_enqueue(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                        const struct in_call *c)
{
    const struct in_environment *env = &run->instance->environment_copy;
    uint64_t few[8], *sizes = few, count = enqueue_operand(item, c, 3);
    uint8_t *place = NULL;
    void *event = NULL;
    struct in_enqueue e = {.queue = handle_of(item, c, 0),
                           .kernel = c->literal,
                           .flags = (uint32_t)enqueue_operand(item, c, 1),
                           .local_count = c->operand_count - 9,
                           .wait_count = (uint32_t)count,
                           .work_item = item->agent,
                           .work_group = item->group->linear,
                           .event = MM_NO_EVENT};
    int result = IN_ENQUEUE_FAILURE;
    if (e.local_count > sizeof few / sizeof *few)
        sizes = mm_alloc(e.local_count * sizeof *sizes);
    e.local_sizes = sizes;
    if (sizes && fill_enqueue(run, item, pc, c, &e) && local_sizes(run, item, pc, c, sizes) &&
        event_place(run, item, pc, pointer_of(item, c, 5), &place) && env->enqueue_kernel) {
        void **list = wait_list(run, item, pc, pointer_of(item, c, 4), count);
        e.wait_list = list;
        e.wants_event = place != NULL;
        e.event = record_enqueue(run, item, pc);
        if (count == 0 || list)
            result = env->enqueue_kernel(env->context, &e, place ? &event : NULL);
        if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0)) { /* the child may be first */
            run->switch_budget = 0;
            run->executed += 1 << 20;
        }
        mm_free(list);
    }
    if (sizes != few)
        mm_free(sizes);
    if (place)
        memcpy(place, &event, sizeof event);
    enqueue_result(item, c, (uint64_t)(int64_t)result);
    return !run->outcome.stopped;
}

static bool run_marker(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    const struct in_environment *env = &run->instance->environment_copy;
    uint64_t count = enqueue_operand(item, c, 1);
    uint8_t *place = NULL;
    void *event = NULL;
    int result = IN_ENQUEUE_FAILURE;
    if (event_place(run, item, pc, pointer_of(item, c, 3), &place) && env->enqueue_marker) {
        void **list = wait_list(run, item, pc, pointer_of(item, c, 2), count);
        if (count == 0 || list)
            result = env->enqueue_marker(env->context, handle_of(item, c, 0), list, (uint32_t)count,
                                         place ? &event : NULL);
        mm_free(list);
    }
    if (place)
        memcpy(place, &event, sizeof event);
    enqueue_result(item, c, (uint64_t)(int64_t)result);
    return !run->outcome.stopped;
}

/* ---- events and queues ---------------------------------------------------------------------- */

static bool capture_arguments(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                              const struct in_call *c)
{
    const struct in_environment *env = &run->instance->environment_copy;
    struct in_fat *p = pointer_of(item, c, 2);
    uint8_t *m = in_touch(run, item, pc, p, (struct in_reference){p->address, 16, 7, true}); /* two times */
    if (m && env->capture_profiling)
        env->capture_profiling(env->context, handle_of(item, c, 0), (int)enqueue_operand(item, c, 1), m);
    return !run->outcome.stopped;
}

static bool valid_event(struct in_run *run, struct in_item *item, const struct in_call *c)
{
    const struct in_environment *env = &run->instance->environment_copy;
    void *event = handle_of(item, c, 0);
    return event && env->is_valid_event && env->is_valid_event(env->context, event);
}

static bool run_event(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_call *c)
{
    const struct in_environment *env = &run->instance->environment_copy;
    if (c->opcode == SpvOpCreateUserEvent) {
        void *made = env->create_user_event ? env->create_user_event(env->context) : NULL;
        enqueue_result(item, c, (uint64_t)(uintptr_t)made);
        return true;
    }
    bool valid = valid_event(run, item, c);
    if (c->opcode == SpvOpIsValidEvent) {
        enqueue_result(item, c, valid);
        return true;
    }
    void *event = handle_of(item, c, 0);
    if (!valid) {
        if (run->launch.checks)
            in_raise(run, item, pc, "invalid-event", "CLC 6.15.19", "the event is not a device event");
        return !run->outcome.stopped;
    }
    switch (c->opcode) {
    case SpvOpRetainEvent:
        env->retain_event(env->context, event);
        break;
    case SpvOpReleaseEvent:
        env->release_event(env->context, event);
        break;
    case SpvOpSetUserEventStatus:
        env->set_user_event_status(env->context, event, (int)(int32_t)enqueue_operand(item, c, 1));
        break;
    default:
        return capture_arguments(run, item, pc, c);
    }
    return !run->outcome.stopped;
}

static bool run_default_queue(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                              const struct in_call *c)
{
    const struct in_environment *env = &run->instance->environment_copy;
    (void)pc;
    enqueue_result(item, c,
                   (uint64_t)(uintptr_t)(env->default_queue ? env->default_queue(env->context) : NULL));
    return true;
}

/* ---- queries about blocks --------------------------------------------------------------------- */

static bool run_kernel_query(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                             const struct in_call *c)
{
    uint64_t most = run->instance->environment_copy.max_work_group_size, sub = run->launch.sub_group_size;
    uint64_t value = sub;
    struct ndrange range;
    most = most == 0 ? 1024 : most;
    switch (c->opcode) {
    case SpvOpGetKernelWorkGroupSize:
        value = most;
        break;
    case SpvOpGetKernelMaxNumSubgroups:
        value = most / sub;
        break;
    case SpvOpGetKernelLocalSizeForSubgroupCount:
        value = enqueue_operand(item, c, 0);
        value = value == 0 || value > most / sub ? 0 : value * sub;
        break;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize: {
        uint64_t items = 1;
        if (!read_ndrange(run, item, pc, c, 0, &range))
            return !run->outcome.stopped;
        for (uint32_t d = 0; d < range.dimensions; d++) {
            uint64_t size = range.part[2][0] != 0 ? range.part[2][d] : range.part[1][d];
            items = size > most || items * size > most ? most : items * size;
        }
        value = c->opcode == SpvOpGetKernelNDrangeSubGroupCount ? (items + sub - 1) / sub
                : items < sub                                   ? items
                                                                : sub;
        break;
    }
    default:
        break;
    }
    enqueue_result(item, c, value);
    return !run->outcome.stopped;
}

/* ---- lowering ---------------------------------------------------------------------------- */

/* A call with the block's invoke function left out: its kernel's index is the literal. */
static struct in_call *block_call(struct in_lower *l, const struct in_inst *i, in_call_fn fn)
{
    struct in_call *c = in_make_call(l, i);
    if (!c)
        return NULL;
    bool found = false;
    for (uint32_t k = 0; k < i->operand_count; k++) {
        uint32_t id = i->operands[k];
        if (id < l->m->bound && l->m->ids[id].kind == IN_ID_FUNCTION) {
            c->literal = in_kernel_of(l->m, l->m->ids[id].index);
            found = c->literal < l->m->kernel_count;
            continue;
        }
        c->types[c->operand_count] = in_ty_of(l, id);
        c->operand[c->operand_count++] = in_slot(l, id);
    }
    c->fn = fn;
    c->result = in_dest(l, i);
    return found ? c : NULL;
}

static enum mm_class emit_device_call(struct in_lower *l, const struct in_inst *i, struct in_call *c,
                                      uint32_t range)
{
    const struct in_ty *ty = c && range < c->operand_count ? c->types[range] : NULL;
    if (ty && ty->kind == IN_TY_POINTER)
        ty = ty->element;
    if (!c || (range != UINT32_MAX && (!ty || !is_ndrange(ty))))
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.23", "%s: operands do not match",
                      in_opcode_name(i->opcode));
    in_emit(l, IN_CALLC, 0, 0, 0, 0)->p = c;
    return l->result;
}

enum mm_class in_lower_enqueue(struct in_lower *l, const struct in_inst *i)
{
    struct in_call *c = block_call(l, i, run_enqueue);
    bool fits = c && c->operand_count >= 9;
    for (uint32_t k = 4; k < 7 && fits; k++)
        fits = c->types[k]->kind == IN_TY_POINTER;
    return emit_device_call(l, i, fits ? c : NULL, 2);
}

enum mm_class in_lower_enqueue_marker(struct in_lower *l, const struct in_inst *i)
{
    if (!in_is_pointer(l, i, 2) || !in_is_pointer(l, i, 3))
        return emit_device_call(l, i, NULL, UINT32_MAX);
    return in_call_c(l, i, run_marker);
}

enum mm_class in_lower_kernel_query(struct in_lower *l, const struct in_inst *i)
{
    bool ranged =
        i->opcode == SpvOpGetKernelNDrangeSubGroupCount || i->opcode == SpvOpGetKernelNDrangeMaxSubGroupSize;
    return emit_device_call(l, i, block_call(l, i, run_kernel_query), ranged ? 0 : UINT32_MAX);
}

enum mm_class in_lower_device_event(struct in_lower *l, const struct in_inst *i)
{
    if (i->opcode == SpvOpCaptureEventProfilingInfo && !in_is_pointer(l, i, 2))
        return emit_device_call(l, i, NULL, UINT32_MAX);
    return in_call_c(l, i, run_event);
}

enum mm_class in_lower_default_queue(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_default_queue);
}

enum mm_class in_lower_build_ndrange(struct in_lower *l, const struct in_inst *i)
{
    bool fits = is_ndrange(in_ty_of(l, i->result));
    for (uint32_t k = 0; k < 3 && fits; k++) {
        const struct in_ty *ty = in_ty_of(l, i->operands[k]);
        fits = ty->kind == IN_TY_INT || ((ty->kind == IN_TY_ARRAY || ty->kind == IN_TY_VECTOR) &&
                                         ty->count <= 3 && ty->element->kind == IN_TY_INT);
    }
    if (!fits)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.23", "not an ndrange structure");
    return in_call_c(l, i, run_build);
}
