/* Launches of compiled kernels: work-groups over the host's cores. */
#include "run.h"
#include "interp/ext/ext.h"
#include "pool.h"
#include "turns.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- creation ---------------------------------------------------------------------------- */

/* Ids are computed in 32 bits; REFCL launches beyond that are left to the interpreter. */
static bool geometry(struct in_jit_run *run, const struct in_launch *l, bool *edge)
{
    uint64_t items = 1;
    *edge = false;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t global = k < l->dimensions ? l->global_size[k] : 1;
        uint64_t offset = k < l->dimensions ? l->global_offset[k] : 0;
        uint32_t local = k < l->dimensions ? l->local_size[k] : 1;
        if (local == 0 || global >= INT32_MAX - local || offset >= INT32_MAX - local - global)
            return false;
        items *= global;
        *edge |= global % local != 0;
        run->frame.global_size[k] = global;
        run->frame.global_offset[k] = offset;
        run->frame.num_groups[k] = (global + local - 1) / local;
        run->frame.local_size[k] = local;
    }
    return items > 0;
}

/* The work-groups that compiled code takes. */
static void divide(struct in_jit_run *run, const uint32_t *local_size)
{
    run->groups = 1;
    for (uint32_t k = 0; k < 3; k++) {
        run->local_size[k] = local_size[k];
        run->group_count[k] = (run->frame.global_size[k] + local_size[k] - 1) / local_size[k];
        run->groups *= run->group_count[k];
    }
}

/* Where nobody sees work-groups: a size that divides the launch in the first dimension, suits vectors, and
 * leaves some groups for each thread. */
static uint32_t flat_size(const struct in_jit_frame *frame)
{
    uint64_t local = frame->local_size[0], global = frame->global_size[0];
    uint64_t items = global * frame->global_size[1] * frame->global_size[2];
    for (uint64_t size = 256; size >= 128; size /= 2)
        if (global % size == 0 && items / frame->local_size[1] / frame->local_size[2] >= 16 * size)
            return (uint32_t)size;
    for (uint64_t count = local >= 2048 ? 1 : local < 16 ? 128 : 2048 / local; count > 1; count--)
        if (global % (local * count) == 0 &&
            items / frame->local_size[1] / frame->local_size[2] >= 16 * local * count)
            return (uint32_t)(local * count);
    return (uint32_t)local;
}

/* Queues are the environment's, images, samplers and pipes the launch's handles. */
static uint64_t word_of(const struct in_run *launch, uint32_t k)
{
    switch (launch->info->arguments[k].kind) {
    case IN_ARG_GLOBAL:
    case IN_ARG_CONSTANT:
        return launch->arguments[k].address;
    case IN_ARG_QUEUE:
        return (uint64_t)(uintptr_t)launch->arguments[k].queue;
    default:
        return (uint64_t)(uintptr_t)&launch->handles[k];
    }
}

static bool place_arguments(struct in_jit_run *run, const struct in_kernel_info *info)
{
    const struct in_jit_layout *layout = &run->kernel->layout;
    run->arguments = mm_alloc_zero(1, layout->argument_bytes + 64);
    if (run->arguments == NULL)
        return false;
    uint8_t *base = (uint8_t *)(((uintptr_t)run->arguments + 63) & ~(uintptr_t)63);
    run->frame.arguments = base;
    run->local_bytes = layout->local_bytes;
    for (uint32_t k = 0; k < info->argument_count; k++) {
        const struct in_argument *a = &run->launch->arguments[k];
        uint64_t word = word_of(run->launch, k);
        if (info->arguments[k].kind == IN_ARG_VALUE) {
            if (a->value == NULL)
                return false;
            memcpy(base + layout->argument_offsets[k], a->value, info->arguments[k].size);
            continue;
        }
        if (info->arguments[k].kind == IN_ARG_LOCAL) {
            word = run->local_bytes = (run->local_bytes + 127) & ~UINT64_C(127);
            run->local_bytes += a->local_size;
        }
        memcpy(base + layout->argument_offsets[k], &word, sizeof word);
    }
    return true;
}

static void destroy(struct in_jit_run *run)
{
    if (run == NULL)
        return;
    in_turns_destroy(run);
    in_module_release(run->module);
    mm_free(run->arguments);
    mm_free(run);
}

static bool prepare(struct in_jit_run *run, char *why, size_t why_size)
{
    const struct in_launch *l = &run->launch->launch;
    struct in_module *m = run->module;
    struct in_kernel *kernel = &m->kernels[l->kernel];
    bool edge;
    if (!geometry(run, l, &edge)) {
        snprintf(why, why_size, "ids beyond 32 bits");
        return false;
    }
    const uint64_t *local = run->frame.local_size;
    struct in_jit_options options = {{(uint32_t)local[0], (uint32_t)local[1], (uint32_t)local[2]},
                                     flat_size(&run->frame)};
    run->kernel = in_jit_compile(m, kernel, &options, edge);
    if (run->kernel == NULL || !run->kernel->covered) {
        snprintf(why, why_size, "%s", run->kernel != NULL ? run->kernel->why : "out of memory");
        return false;
    }
    divide(run, run->kernel->shape.group_size);
    uint64_t items = local[0] * local[1] * local[2];
    run->frame.work_dim = l->dimensions;
    run->frame.sub_group_size = l->sub_group_size;
    run->frame.enqueued_sub_groups = (items + l->sub_group_size - 1) / l->sub_group_size;
    run->frame.program = l->instance->base;
    if (place_arguments(run, &kernel->info))
        return true;
    snprintf(why, why_size, "out of memory");
    return false;
}

static enum mm_class create(struct in_run *launch, struct in_jit_run **out, char *why, size_t why_size)
{
    struct in_jit_run *run = mm_alloc_zero(1, sizeof *run);
    if (run == NULL)
        return MM_LIMIT;
    run->launch = launch;
    run->module = launch->module;
    in_module_retain(run->module);
    if (!prepare(run, why, why_size)) {
        destroy(run);
        return MM_LIMIT;
    }
    *out = run;
    return MM_OK;
}

/* ---- execution --------------------------------------------------------------------------- */

struct in_jit_outside *in_jit_outside_take(struct in_jit_run *run, bool *fits)
{
    const struct in_jit_calls *calls = &run->kernel->calls;
    struct in_jit_outside *o = calls->any ? in_outside_create(run->launch, calls) : NULL;
    *fits = o != NULL || !calls->any;
    return o;
}

void in_jit_outside_give(struct in_jit_run *run, struct in_jit_outside *o)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (o == NULL)
        return;
    pthread_mutex_lock(&lock);
    run->launch->findings += o->run.findings;
    run->launch->stopped |= o->run.stopped;
    run->launch->limit |= o->run.limit;
    pthread_mutex_unlock(&lock);
    in_outside_destroy(o);
}

/* Executes work-groups from LINEAR on, MOST at most, and gives how many: those of one row that are whole, or
 * one at an edge. */
static uint64_t run_groups(const struct in_jit_run *run, uint64_t linear, uint64_t most, uint8_t *local,
                           uint8_t *context)
{
    uint32_t id[3], size[3];
    bool whole = true;
    for (uint32_t k = 0; k < 3; k++) {
        id[k] = (uint32_t)(linear % run->group_count[k]);
        linear /= run->group_count[k];
        uint64_t left = run->frame.global_size[k] - (uint64_t)id[k] * run->local_size[k];
        size[k] = left < run->local_size[k] ? (uint32_t)left : run->local_size[k];
        whole &= size[k] == run->local_size[k];
    }
    if (!whole) {
        run->kernel->edges(&run->frame, local, context, id[0], id[1], id[2], size[0], size[1], size[2]);
        return 1;
    }
    uint64_t row = run->frame.global_size[0] / run->local_size[0] - id[0];
    uint32_t count = (uint32_t)(row < most ? row : most);
    run->kernel->row(&run->frame, local, context, id[0], id[1], id[2], count);
    return count;
}

/* The same; kernels that call out loudly want to know of every group's end. */
static uint64_t take_groups(const struct in_jit_run *run, struct in_jit_outside *outside, uint64_t from,
                            uint64_t most, uint8_t *local)
{
    bool one = outside != NULL && !run->kernel->calls.quiet;
    uint8_t *context = local + ((run->local_bytes + 4095) & ~UINT64_C(4095));
    uint64_t n = run_groups(run, from, one ? 1 : most, local, context);
    if (one)
        in_outside_end(outside, from);
    return n;
}

/* What one thread does: takes runs of work-groups until none is left.  Its local memory is used by one group
 * after the other. */
static void work(void *argument)
{
    struct in_jit_run *run = argument;
    struct in_fp_state state;
    uint64_t local_bytes = (run->local_bytes + 4095) & ~UINT64_C(4095);
    uint8_t *memory = mm_alloc_zero(1, local_bytes + run->kernel->shape.context_bytes + 8192);
    bool fits = false;
    struct in_jit_outside *outside = memory != NULL ? in_jit_outside_take(run, &fits) : NULL;
    if (!fits) {
        atomic_store(&run->out_of_memory, true);
        mm_free(memory);
        return;
    }
    uint8_t *local = (uint8_t *)(((uintptr_t)memory + 4095) & ~(uintptr_t)4095);
    uint64_t chunk = run->groups / 64 + 1;
    if (outside != NULL) {
        in_outside_local(outside, local, run->local_bytes);
        in_outside_private(outside, local + local_bytes, run->kernel->shape.context_bytes, &state + 1);
    }
    in_fp_enter(&state);
    for (;;) {
        uint64_t from = atomic_fetch_add(&run->next, chunk);
        if (from >= run->groups || (outside != NULL && outside->run.stopped))
            break;
        uint64_t to = from + chunk < run->groups ? from + chunk : run->groups;
        while (from < to && (outside == NULL || !outside->run.stopped))
            from += take_groups(run, outside, from, to - from, local);
    }
    in_fp_leave(&state);
    in_jit_outside_give(run, outside);
    mm_free(memory);
}

static bool step(struct in_jit_run *run, bool *over)
{
    struct in_fp_state state;
    uint64_t items = (uint64_t)run->local_size[0] * run->local_size[1] * run->local_size[2] * run->groups;
    *over = true;
    if (run->kernel->turns != NULL) {
        in_fp_enter(&state);
        bool fits = in_turns_step(run, over);
        in_fp_leave(&state);
        return fits;
    }
    if (run->groups < 2 || items < 4096 || !run->kernel->calls.quiet)
        work(run);
    else
        in_pool_run(work, run);
    return !atomic_load(&run->out_of_memory) || atomic_load(&run->next) >= run->groups;
}

__attribute__((visibility("default"))) const struct in_jit_api *in_jit_interface(void);
const struct in_jit_api *in_jit_interface(void)
{
    static const struct in_jit_api api = {.version = IN_JIT_VERSION,
                                          .create = create,
                                          .step = step,
                                          .destroy = destroy,
                                          .forget = in_jit_forget};
    return &api;
}
