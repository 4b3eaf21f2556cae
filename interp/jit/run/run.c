/* Launches of compiled kernels: work-groups over the host's cores. */
#include "interp/jit/run/run.h"
#include "interp/ext/ext.h"
#include "interp/jit/instrument/guard.h"
#include "interp/jit/instrument/launch.h"
#include "interp/jit/run/background.h"
#include "interp/jit/run/fibers.h"
#include "interp/jit/run/pool.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

/* Where the kernel cannot observe its work-groups: a size that divides the launch in the first dimension, suits vectors, and
 * leaves some groups for each thread. */
static uint32_t flat_size(const struct in_jit_frame *frame)
{
    uint64_t local = frame->local_size[0], global = frame->global_size[0];
    uint64_t most = global * frame->global_size[1] * frame->global_size[2] / frame->local_size[1] /
                    frame->local_size[2] / 16;
    for (uint64_t size = 1024; size >= 256; size /= 2)
        if (most >= size && global % size == 0)
            return (uint32_t)size;
    most = (most < 2048 ? most : 2048) / local;
    for (uint64_t count = most < 128 ? most : 128; count > 1; count--)
        if (global % (local * count) == 0)
            return (uint32_t)(local * count);
    return (uint32_t)local;
}

/* The work-groups that compiled code takes. */
static void divide(struct in_jit_run *run)
{
    const struct in_jit_kernel *kernel = run->kernel;
    bool any = kernel->options.flags & IN_JIT_ANY_SIZE;
    run->groups = 1;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t size = any ? (uint32_t)run->frame.local_size[k] : kernel->shape.group_size[k];
        if (any && k == 0 && kernel->shape.flat && run->launch->first_item == 0)
            size = flat_size(&run->frame);
        run->local_size[k] = size;
        run->frame.group_size[k] = size;
        run->group_count[k] = (run->frame.global_size[k] + size - 1) / size;
        run->groups *= run->group_count[k];
    }
}

/* Instructions of RUN, roughly: loops have an unknown number of iterations. */
static double estimated_work(const struct in_jit_run *run, const struct in_code *code)
{
    const uint64_t *n = run->frame.global_size;
    return (double)n[0] * (double)n[1] * (double)n[2] * code->count * (code->loops ? 16 : 1);
}

static uint64_t sampler_word(const struct in_sampler *s)
{
    return UINT32_C(1) << 31 | (uint32_t)s->addressing << 2 | (uint32_t)s->normalized << 1 |
           (uint32_t)s->filter;
}

/* Queues are the environment's, images, samplers and pipes the launch's handles. */
static uint64_t word_of(const struct in_run *launch, uint32_t k)
{
    switch (launch->info->arguments[k].kind) {
    case IN_ARG_GLOBAL:
    case IN_ARG_CONSTANT:
        return launch->arguments[k].address;
    case IN_ARG_SAMPLER: /* as a literal one (bitcode/image.c) */
        if (launch->handles[k].has_sampler)
            return sampler_word(&launch->handles[k].sampler);
        return (uint64_t)(uintptr_t)&launch->handles[k];
    case IN_ARG_QUEUE:
        return (uint64_t)(uintptr_t)launch->arguments[k].queue;
    default:
        return (uint64_t)(uintptr_t)&launch->handles[k];
    }
}

static bool place_arguments(struct in_jit_run *run, const struct in_kernel_info *info)
{
    const struct in_jit_layout *layout = &run->kernel->layout;
    uint8_t *place = run->few_arguments;
    if (layout->argument_bytes + 64 > sizeof run->few_arguments)
        place = run->arguments = mm_alloc_zero(1, layout->argument_bytes + 64);
    if (place == NULL)
        return false;
    uint8_t *base = (uint8_t *)(((uintptr_t)place + 63) & ~(uintptr_t)63);
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
    in_jit_launch_leave(run);
    in_fibers_destroy(run);
    in_instrument_destroy(run);
    in_module_release(run->module);
    mm_free(run->arguments);
    mm_free(run);
}

/* Bits that suffice for global ids, one of few values: with the fewer bits the more checks are decided when compiling. */
static uint32_t id_bits(const struct in_jit_frame *f)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < 3; k++)
        most =
            f->global_offset[k] + f->global_size[k] > most ? f->global_offset[k] + f->global_size[k] : most;
    return most <= 1u << 16 ? 16 : most <= 1u << 20 ? 20 : most <= 1u << 24 ? 24 : 31;
}

static uint32_t flags_of(const struct in_jit_run *run, const struct in_launch *l)
{
    uint32_t flags = (l->step_limit != 0 ? IN_JIT_COUNTS : 0) | (l->exact ? IN_JIT_EXACT : 0);
    if (l->recorder != NULL || l->checks)
        flags |= IN_JIT_INSTRUMENTED | (l->checks ? IN_JIT_CHECKS : 0) |
                 (run->frame.global_size[1] * run->frame.global_size[2] == 1 ? IN_JIT_ONE_ROW : 0) |
                 id_bits(&run->frame) << IN_JIT_ID_BITS;
    return flags;
}

/* What compiling depends on, from RUN's geometry. */
static struct in_jit_options options_of(const struct in_jit_run *run, const struct in_launch *l)
{
    const uint64_t *local = run->frame.local_size;
    return (struct in_jit_options){{(uint32_t)local[0], (uint32_t)local[1], (uint32_t)local[2]},
                                   flat_size(&run->frame),
                                   flags_of(run, l)};
}

/* The memory that argument K leads to; NULL: none, or unknown. */
static const struct in_object *object_of(const struct in_run *launch, uint32_t k)
{
    enum in_argument_kind kind = launch->info->arguments[k].kind;
    return kind == IN_ARG_GLOBAL || kind == IN_ARG_CONSTANT ? launch->arguments[k].object
           : kind == IN_ARG_IMAGE                           ? launch->handles[k].object
                                                            : NULL;
}

/* Whether two arguments lead to the same memory. */
static bool are_aliased(const struct in_run *launch)
{
    for (uint32_t i = 0; i < launch->info->argument_count; i++) {
        const struct in_object *a = object_of(launch, i);
        if (a == NULL && launch->arguments[i].address != 0)
            return true;
        for (uint32_t k = 0; a != NULL && k < i; k++) {
            const struct in_object *b = object_of(launch, k);
            if (b != NULL && a->address < b->address + b->size && b->address < a->address + a->size)
                return true;
        }
    }
    return false;
}

/* Work-items may wait for one another through memory that two arguments lead to: code that expects it. */
static void compile_for_aliases(struct in_jit_run *run, struct in_kernel *kernel,
                                struct in_jit_options *options, bool edge)
{
    const struct in_jit_kernel *k = run->kernel;
    if (k == NULL || !k->covered || k->shape.waits || !k->shape.waits_if_aliased || !are_aliased(run->launch))
        return;
    options->flags |= IN_JIT_ALIASED;
    run->kernel = in_jit_compile(run->module, kernel, options, edge);
}

/* An instrumented launch in which work-items may wait: code that leaves the launch to the interpreter if they do. */
static void compile_with_clocks(struct in_jit_run *run, struct in_kernel *kernel,
                                struct in_jit_options *options, bool edge)
{
    const struct in_jit_kernel *k = run->kernel;
    if (k == NULL || k->covered || !k->shape.waits || k->shape.barriers || k->calls.any ||
        !(options->flags & IN_JIT_INSTRUMENTED))
        return;
    options->flags |= IN_JIT_CLOCKS;
    run->kernel = in_jit_compile(run->module, kernel, options, edge);
}

static int64_t budget(const struct in_run *launch)
{
    uint64_t limit = launch->launch.step_limit;
    return limit == 0 || limit > INT64_MAX ? INT64_MAX : (int64_t)(limit - launch->executed);
}

/* The first work-group is the launch's next; false: it begins inside one of those that compiled code takes. */
static bool skip_to(struct in_jit_run *run, uint64_t group)
{
    const struct in_run *launch = run->launch;
    uint64_t row = group / launch->group_count[0];
    uint64_t item = group % launch->group_count[0] * launch->launch.local_size[0];
    atomic_store(&run->next, row * run->group_count[0] + item / run->local_size[0]);
    return item % run->local_size[0] == 0;
}

/* Whether work-items of a group can be executed while others of it have begun elsewhere: none waits for another, and they
 * share no local memory. */
static bool may_split(const struct in_jit_kernel *kernel)
{
    return !kernel->shape.waits && !kernel->shape.barriers && !kernel->calls.any &&
           kernel->layout.local_bytes == 0;
}

static enum in_jit_begin ready(struct in_jit_run *run, char *why, size_t why_size)
{
    const struct in_launch *l = &run->launch->launch;
    struct in_module *m = run->module;
    struct in_kernel *kernel = &m->kernels[l->kernel];
    bool edge;
    if (!geometry(run, l, &edge)) {
        snprintf(why, why_size, "ids beyond 32 bits");
        return IN_JIT_DECLINES;
    }
    struct in_jit_options options = options_of(run, l);
    if (run->launch->first_item > 0)
        options = in_jit_any_size(&options);
    else
        in_jit_choose_size(kernel, &options, edge, estimated_work(run, kernel->code));
    run->frame.budget = budget(run->launch);
    run->kernel = in_jit_compile(m, kernel, &options, edge);
    compile_for_aliases(run, kernel, &options, edge);
    compile_with_clocks(run, kernel, &options, edge);
    if (run->kernel == NULL || !run->kernel->covered) {
        snprintf(why, why_size, "%s",
                 run->kernel != NULL ? run->kernel->why : "out of memory, or the process ends");
        return IN_JIT_DECLINES;
    }
    divide(run);
    if (run->launch->first_item > 0 && !may_split(run->kernel)) {
        snprintf(why, why_size, "work-items that depend on others of their work-group");
        return IN_JIT_DECLINES;
    }
    run->frame.first_item = run->launch->first_item;
    if (!skip_to(run, run->launch->next_group))
        return IN_JIT_NOT_HERE;
    const uint64_t *local = run->frame.local_size;
    uint64_t items = local[0] * local[1] * local[2];
    run->frame.work_dim = l->dimensions;
    run->frame.sub_group_size = l->sub_group_size;
    run->frame.enqueued_sub_groups = (items + l->sub_group_size - 1) / l->sub_group_size;
    run->frame.program = l->instance->base;
    if (!place_arguments(run, &kernel->info)) {
        snprintf(why, why_size, "out of memory");
        return IN_JIT_DECLINES;
    }
    if (run->launch->first_item > 0)
        run->groups = atomic_load(&run->next) + 1;
    bool ready_to_run = !(options.flags & IN_JIT_INSTRUMENTED) || in_instrument_begin(run, why, why_size);
    return ready_to_run ? IN_JIT_BEGINS : IN_JIT_DECLINES;
}

static enum in_jit_begin create(struct in_run *launch, struct in_jit_run **out, char *why, size_t why_size)
{
    struct in_jit_run *run = mm_alloc_zero(1, sizeof *run);
    if (run == NULL)
        return IN_JIT_DECLINES;
    run->launch = launch;
    run->module = launch->module;
    in_module_retain(run->module);
    enum in_jit_begin result = ready(run, why, why_size);
    if (result != IN_JIT_BEGINS) {
        destroy(run);
        return result;
    }
    in_jit_launch_enter(run);
    *out = run;
    return IN_JIT_BEGINS;
}

static void prepare(const struct in_run *launch)
{
    struct in_jit_run run = {.frame = {.budget = 0}};
    bool edge;
    if (!geometry(&run, &launch->launch, &edge))
        return;
    struct in_jit_options options = options_of(&run, &launch->launch);
    struct in_kernel *kernel = &launch->module->kernels[launch->launch.kernel];
    in_jit_choose_size(kernel, &options, edge, estimated_work(&run, kernel->code));
    in_background_compile(launch->module, kernel, &options, edge);
}

/* ---- execution --------------------------------------------------------------------------- */

enum { PROBES = 512 }; /* a part in so many of a launch is executed to measure contention */

struct in_jit_callout *in_jit_callout_acquire(struct in_jit_run *run, bool *fits)
{
    const struct in_jit_calls *calls = &run->kernel->calls;
    struct in_jit_callout *o =
        calls->any && run->instrumented == NULL ? in_callout_create(run->launch, calls) : NULL;
    if (o != NULL)
        o->stop = &run->frame.stop;
    *fits = o != NULL || !calls->any || run->instrumented != NULL;
    return o;
}

void in_jit_callout_release(struct in_jit_run *run, struct in_jit_callout *o)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (o == NULL)
        return;
    pthread_mutex_lock(&lock);
    run->launch->findings += o->run.findings;
    run->launch->stopped |= o->run.stopped;
    run->launch->limit |= o->run.limit;
    pthread_mutex_unlock(&lock);
    in_callout_destroy(o);
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
    if (!whole || run->kernel->row == NULL) {
        run->kernel->edges(&run->frame, local, context, id[0], id[1], id[2], size[0], size[1], size[2]);
        return 1;
    }
    uint64_t row = run->frame.global_size[0] / run->local_size[0] - id[0];
    uint32_t count = (uint32_t)(row < most ? row : most);
    run->kernel->row(&run->frame, local, context, id[0], id[1], id[2], count);
    return count;
}

/* One thread of a launch: its local memory is used by one group after the other. */
struct worker {
    struct in_jit_run *run;
    uint8_t *memory, *local, *context;
    struct in_jit_callout *outside;
};

/* Most launches need little memory: the last worker leaves it to the next one. */
enum { SPARE = 1 << 16 };
static _Atomic(uint8_t *) spare;

static uint8_t *take_memory(size_t local_bytes, size_t context_bytes)
{
    size_t pages = (local_bytes + 4095) & ~(size_t)4095;
    if (pages + context_bytes > SPARE)
        return mm_alloc_zero(1, pages + context_bytes + 8192);
    uint8_t *memory = atomic_exchange(&spare, NULL);
    if (memory == NULL)
        return mm_alloc_zero(1, SPARE + 8192);
    uint8_t *local = (uint8_t *)(((uintptr_t)memory + 4095) & ~(uintptr_t)4095);
    memset(local, 0, local_bytes);
    memset(local + pages, 0, context_bytes);
    return memory;
}

/* Guards are around each part. */
static bool place_memory(struct worker *w)
{
    const struct in_jit_run *run = w->run;
    uint64_t local_bytes = (run->local_bytes + 4095) & ~UINT64_C(4095);
    if (mm_guard_on()) {
        w->local = mm_guarded_alloc(run->local_bytes, 128);
        w->context = mm_guarded_alloc(run->kernel->shape.context_bytes, 4096);
        return w->local != NULL && w->context != NULL;
    }
    w->memory = take_memory(run->local_bytes, run->kernel->shape.context_bytes);
    if (w->memory == NULL)
        return false;
    w->local = (uint8_t *)(((uintptr_t)w->memory + 4095) & ~(uintptr_t)4095);
    w->context = w->local + local_bytes;
    return true;
}

static void free_memory(struct worker *w)
{
    size_t bytes = (size_t)(w->context - w->local) + w->run->kernel->shape.context_bytes;
    if (w->memory == NULL) {
        mm_guarded_free(w->local);
        mm_guarded_free(w->context);
    } else {
        mm_free(bytes <= SPARE ? atomic_exchange(&spare, w->memory) : w->memory);
    }
}

static bool halted(const struct worker *w)
{
    return in_jit_stops(w->run) || (w->outside != NULL && w->outside->run.stopped);
}

/* Reports to the progress display that DONE of the run's work-groups are over, in those of the launch. */
static void tell_groups(const struct in_jit_run *run, uint64_t done)
{
    uint64_t *groups = run->launch->launch.groups, all = 1;
    for (uint32_t k = 0; groups != NULL && k < 3; k++)
        all *= run->frame.num_groups[k];
    if (groups != NULL)
        __atomic_store_n(groups, (uint64_t)((double)done / (double)run->groups * (double)all),
                         __ATOMIC_RELAXED);
}

/* As run_groups; kernels with callouts that print are informed of the end of every group. */
static uint64_t few_groups(const struct worker *w, uint64_t from, uint64_t most)
{
    bool one = w->outside != NULL && !w->run->kernel->calls.quiet;
    if (w->run->instrumented != NULL)
        most = in_instrument_groups(w->run, from, most);
    const struct in_launch *launch = &w->run->launch->launch;
    uint8_t pattern = w->outside != NULL || launch->zero_local ? 0 : launch->local_pattern;
    if ((pattern != 0 || launch->zero_local) && w->run->local_bytes > 0) {
        memset(w->local, pattern, w->run->local_bytes);
        if (w->outside != NULL)
            in_callout_local(w->outside, w->local, w->run->local_bytes);
        most = 1;
    }
    uint64_t n = run_groups(w->run, from, one ? 1 : most, w->local, w->context);
    if (one)
        in_callout_end(w->outside, from);
    if (w->run->instrumented != NULL)
        tell_groups(w->run, from + n);
    return n;
}

/* Of this thread, nanoseconds. */
static double cpu_time(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? 1e9 * (double)t.tv_sec + (double)t.tv_nsec : 0;
}

/* Whether a thread that took NANOSECONDS for a work-group executes no more of them: all threads together are slower than
 * one alone, because they contend for cache lines.  One thread remains. */
static bool retires(struct in_jit_run *run, double nanoseconds)
{
    unsigned threads = atomic_load(&run->threads);
    while (run->alone > 0 && threads > 1 && nanoseconds > run->alone * threads)
        if (atomic_compare_exchange_weak(&run->threads, &threads, threads - 1))
            return true;
    return false;
}

/* Takes runs of work-groups until none is left.  The first are short where it is measured whether threads contend. */
static void take_groups(void *argument)
{
    const struct worker *w = argument;
    struct in_jit_run *run = w->run;
    uint64_t chunk = run->groups / (run->kernel->shape.shares ? PROBES : 64) + 1;
    if (w->outside != NULL) {
        in_callout_local(w->outside, w->local, run->local_bytes);
        in_callout_private(w->outside, w->context, run->kernel->shape.context_bytes,
                           __builtin_frame_address(0));
    }
    while (atomic_load(&run->next) < run->until) {
        uint64_t from = atomic_fetch_add(&run->next, chunk), first = from;
        if (from >= run->groups || halted(w))
            break;
        uint64_t to = from + chunk < run->groups ? from + chunk : run->groups;
        double begin = run->alone > 0 ? cpu_time() : 0;
        while (from < to && !halted(w))
            from += few_groups(w, from, to - from);
        if (run->alone > 0 && retires(run, (cpu_time() - begin) / (double)(to - first)))
            break;
        chunk = run->groups / 64 + 1;
    }
}

void in_jit_faulted(struct in_jit_run *run, const struct in_jit_fault *fault)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&run->faulted))
        run->fault = *fault;
    atomic_store(&run->faulted, true);
    atomic_store(&run->frame.stop, 1);
    pthread_mutex_unlock(&lock);
}

/* Guarded: on a separate stack. */
static bool take_groups_guarded(struct worker *w)
{
    struct in_guard guard;
    bool called = in_guard_call(&guard, take_groups, w);
    if (called && guard.faulted) {
        guard.fault.local = (uint64_t)(uintptr_t)w->local;
        guard.fault.local_size = w->run->local_bytes;
        in_jit_faulted(w->run, &guard.fault);
    }
    return called;
}

static void work(void *argument)
{
    struct worker w = {.run = argument};
    struct in_fp_state state;
    bool placed = place_memory(&w);
    if (placed)
        w.outside = in_jit_callout_acquire(w.run, &placed);
    in_fp_enter(&state);
    if (placed && !mm_guard_on())
        take_groups(&w);
    else if (placed)
        placed = take_groups_guarded(&w);
    in_fp_leave(&state);
    if (w.outside != NULL)
        in_jit_callout_release(w.run, w.outside);
    if (!placed)
        atomic_store(&w.run->out_of_memory, true);
    free_memory(&w);
}

static bool take_turns(struct in_jit_run *run)
{
    struct in_fp_state state;
    bool over = true;
    in_fp_enter(&state);
    atomic_store(&run->out_of_memory, !in_fibers_step(run, &over));
    in_fp_leave(&state);
    return over;
}

/* The first work-groups in one thread, so that threads learn whether they contend. */
static void measure_alone(struct in_jit_run *run)
{
    uint64_t first = atomic_load(&run->next), few = run->groups / PROBES + 1;
    if (run->groups - first < 16 * few)
        return;
    double begin = cpu_time();
    run->until = first + few;
    work(run);
    run->until = run->groups;
    run->alone = (cpu_time() - begin) / (double)few;
    atomic_store(&run->threads, in_pool_cores());
}

/* In one thread where instructions are counted. */
static void do_groups(struct in_jit_run *run)
{
    uint64_t items = (uint64_t)run->local_size[0] * run->local_size[1] * run->local_size[2] * run->groups;
    bool alone =
        !run->kernel->calls.quiet || (run->kernel->options.flags & (IN_JIT_COUNTS | IN_JIT_INSTRUMENTED));
    run->until = run->groups;
    if (run->groups < 2 || items < 4096 || alone) {
        work(run);
    } else {
        if (run->kernel->shape.shares && in_pool_cores() > 1)
            measure_alone(run);
        in_pool_run(work, run);
    }
    if (atomic_load(&run->next) >= run->groups)
        atomic_store(&run->out_of_memory, false);
}

static enum in_jit_end step(struct in_jit_run *run, struct in_jit_fault *fault)
{
    bool over = true;
    if (run->kernel->turns != NULL)
        over = take_turns(run);
    else
        do_groups(run);
    *fault = run->fault;
    if (run->instrumented != NULL && over && !atomic_load(&run->frame.stop) && in_instrument_end(run))
        return IN_JIT_SUSPICIOUS;
    return atomic_load(&run->faulted)         ? IN_JIT_FAULT
           : run->launch->stopped             ? IN_JIT_OVER
           : atomic_load(&run->frame.stop)    ? IN_JIT_STOPPED
           : run->frame.budget < 0            ? IN_JIT_STEP_LIMIT
           : atomic_load(&run->out_of_memory) ? IN_JIT_OUT_OF_MEMORY
           : over                             ? IN_JIT_OVER
                                              : IN_JIT_WAITS;
}

static void stop_all(void)
{
    in_jit_stop_launches(true);
}

static void stop_compiling(void)
{
    in_jit_stop_compiling(true);
}

/* The caller has just been loaded: what was stopped before belonged to a library that is unloaded. */
__attribute__((visibility("default"))) const struct in_jit_api *in_jit_interface(void);
const struct in_jit_api *in_jit_interface(void)
{
    static const struct in_jit_api api = {.version = IN_JIT_VERSION,
                                          .create = create,
                                          .prepare = prepare,
                                          .step = step,
                                          .destroy = destroy,
                                          .forget = in_jit_forget,
                                          .stop_launches = in_jit_stop_some,
                                          .stop_all = stop_all,
                                          .stop_compiling = stop_compiling};
    in_jit_stop_launches(false);
    in_jit_stop_compiling(false);
    in_native_use(&api);
    return &api;
}
