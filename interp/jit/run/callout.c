/* Call-outs: calls from compiled code to the interpreter's C functions, on a work-item of the interpreter's
 * layout with operands and result in a frame. */
#include "interp/jit/run/callout.h"
#include "interp/sched/sched.h"
#include <stdatomic.h>

/* With checks off, and in compiled code they are, accesses through pointers are not checked. */
static const struct in_object everything = {
    .address = 4096, .size = UINT64_MAX - 4096, .region = MM_GLOBAL, .name = "memory"};

/* ---- work-items --------------------------------------------------------------------------------- */

static void enter_group(struct in_jit_callout *o, uint32_t g0, uint32_t g1, uint32_t g2)
{
    struct in_group *g = &o->group;
    const struct in_launch *l = &o->run.launch;
    const uint32_t id[3] = {g0, g1, g2};
    if (g->active && g->id[0] == g0 && g->id[1] == g1 && g->id[2] == g2)
        return;
    g->active = true;
    g->items_count = 1;
    g->linear = 0;
    for (uint32_t k = 3; k-- > 0;) {
        uint64_t left = l->global_size[k] - (uint64_t)id[k] * l->local_size[k];
        g->id[k] = id[k];
        g->size[k] = left < l->local_size[k] ? (uint32_t)left : l->local_size[k];
        g->items_count *= g->size[k];
        g->linear = g->linear * o->run.group_count[k] + id[k];
    }
}

static uint32_t linear_id(const struct in_group *g, uint32_t l0, uint32_t l1, uint32_t l2)
{
    return (l2 * g->size[1] + l1) * g->size[0] + l0;
}

static void place_item(struct in_jit_callout *o, struct in_item *item, uint8_t *frame, uint32_t k,
                       uint32_t index)
{
    item->frame = frame;
    item->group = &o->group;
    item->local_linear = index;
    item->agent = (uint32_t)(o->group.linear * o->run.items_per_group + index);
    item->pc = o->run.insns + k + 1;
}

/* Stops the compiled code after a finding that ended the launch. */
static void propagate_stop(struct in_jit_callout *o)
{
    if (__builtin_expect(o->run.outcome.stopped, 0))
        atomic_store(o->stop, 1);
}

/* ---- what compiled code calls ------------------------------------------------------------ */

static void call_interpreter(struct in_jit_callout *o, uint32_t k, uint8_t *frame, IN_JIT_WORK_ITEM)
{
    const struct in_insn *pc = o->run.insns + k;
    const struct in_call *c = pc->p;
    if (o->run.outcome.stopped)
        return;
    enter_group(o, g0, g1, g2);
    place_item(o, &o->item, frame, k, linear_id(&o->group, l0, l1, l2));
    c->fn(&o->run, &o->item, pc, c);
    propagate_stop(o);
}

/* How many consecutive work-items execute W together. */
static uint32_t gathered_count(const struct in_jit_callout *o, const struct in_wait *w)
{
    bool sub_group =
        w->scope == 0 ? !w->work_group : in_get32(&o->group.items[0], w->scope) == SpvScopeSubgroup;
    return sub_group ? o->run.launch.sub_group_size : o->group.items_count;
}

static void gather_item(struct in_jit_callout *o, uint32_t k, IN_JIT_WORK_ITEM)
{
    const struct in_wait *w = o->run.insns[k].p;
    if (o->run.outcome.stopped || (l0 | l1 | l2) != 0)
        return;
    enter_group(o, g0, g1, g2);
    for (uint32_t m = 0; m < o->group.items_count; m++) {
        place_item(o, &o->group.items[m], o->frames + (uint64_t)m * o->calls->frame_bytes, k, m);
        o->run.members[m] = &o->group.items[m];
    }
    uint32_t items = o->group.items_count, each = gathered_count(o, w);
    for (uint32_t from = 0; from < items; from += each)
        in_collective(&o->run, o->run.members + from, items - from < each ? items - from : each, w);
    propagate_stop(o);
}

static void wait_at_barrier(struct in_jit_callout *o, uint32_t k, uint8_t *frame, IN_JIT_WORK_ITEM)
{
    enter_group(o, g0, g1, g2);
    uint32_t index = linear_id(&o->group, l0, l1, l2);
    struct in_item *item = &o->group.items[index];
    place_item(o, item, frame, k, index);
    in_item_waits(&o->run, item);
    propagate_stop(o);
    while (item->state == IN_ITEM_WAITING || o->run.outcome.stopped)
        o->suspend(o->context, item);
}

static void end_item(struct in_jit_callout *o, IN_JIT_WORK_ITEM)
{
    enter_group(o, g0, g1, g2);
    uint32_t index = linear_id(&o->group, l0, l1, l2);
    struct in_item *item = &o->group.items[index];
    item->frame = NULL;
    item->group = &o->group;
    item->local_linear = index;
    in_item_done(&o->run, item);
}

static uint32_t region_of(struct in_jit_callout *o, uint64_t address)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)address, *stack = __builtin_frame_address(0);
    bool is_private = (at >= o->private_begin && at < o->private_end) || (at >= stack && at < o->stack_end);
    return address < 4096                        ? MM_REGION_NONE
           : at >= o->local && at < o->local_end ? MM_LOCAL
           : is_private                          ? MM_PRIVATE
                                                 : MM_GLOBAL;
}

/* ---- creation ---------------------------------------------------------------------------- */

void in_callout_local(struct in_jit_callout *o, uint8_t *local, uint64_t size)
{
    memcpy(local, &o, sizeof o);
    o->local = local;
    o->local_end = local + size;
    o->objects[0] = (struct in_object){
        .address = (uint64_t)(uintptr_t)local, .size = size, .region = MM_LOCAL, .name = "local memory"};
}

void in_callout_private(struct in_jit_callout *o, const uint8_t *begin, uint64_t size, const void *stack_end)
{
    o->private_begin = begin;
    o->private_end = begin + size;
    o->stack_end = stack_end;
}

void in_callout_begin(struct in_jit_callout *o)
{
    struct in_group *g = &o->group;
    g->active = false;
    g->done = g->waiting = g->cursor = g->yields = 0;
    if (o->calls->gathers)
        memset(g->items, 0, o->run.items_per_group * sizeof *g->items);
}

void in_callout_end(struct in_jit_callout *o, uint64_t group)
{
    const struct in_environment *env = &o->run.instance->environment_copy;
    if (env->group_ended)
        env->group_ended(env->context, group);
}

static bool make_group(struct in_jit_callout *o)
{
    uint64_t items = o->run.items_per_group;
    o->objects = mm_alloc_zero(o->run.info->argument_count + 1, sizeof *o->objects);
    o->group.objects = o->objects;
    if (!o->calls->gathers)
        return o->objects != NULL;
    o->group.items = mm_alloc_zero(items, sizeof *o->group.items);
    o->run.members = mm_alloc_zero(items + 1, sizeof *o->run.members);
    o->memory = mm_alloc_zero(1, items * o->calls->frame_bytes + 128);
    o->frames = (uint8_t *)(((uintptr_t)o->memory + 127) & ~(uintptr_t)127);
    return o->objects && o->group.items && o->run.members && o->memory;
}

struct in_jit_callout *in_callout_create(const struct in_run *run, const struct in_jit_calls *calls)
{
    struct in_jit_callout *o = mm_alloc_zero(1, sizeof *o);
    if (!o)
        return NULL;
    o->call = call_interpreter;
    o->gather = gather_item;
    o->wait = wait_at_barrier;
    o->done = end_item;
    o->region = region_of;
    o->everything = &everything;
    o->calls = calls;
    o->run = *run;
    o->run.code = (struct in_code *)(uintptr_t)&calls->code;
    o->run.insns = calls->code.insns;
    o->run.members = NULL;
    o->run.outcome.findings = 0;
    o->run.outcome.raised = NULL;
    o->run.outcome.raised_count = 0;
    o->group.run = &o->run;
    memset(o->run.recent, 0, sizeof o->run.recent);
    if (make_group(o))
        return o;
    in_callout_destroy(o);
    return NULL;
}

void in_callout_destroy(struct in_jit_callout *o)
{
    if (!o)
        return;
    mm_free(o->objects);
    mm_free(o->group.items);
    mm_free(o->run.members);
    mm_free(o->run.outcome.raised);
    mm_free(o->memory);
    mm_free(o);
}
