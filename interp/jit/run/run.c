/* Execution of launches of compiled kernels: work-groups over the host's cores. */
#include "interp/jit/run/run.h"
#include "interp/ext/ext.h"
#include "interp/jit/instrument/guard.h"
#include "interp/jit/instrument/launch.h"
#include "interp/jit/run/fibers.h"
#include "interp/jit/run/pace.h"
#include "interp/jit/run/pool.h"
#include "memmodel/trace/process.h"
#include <pthread.h>
#include <string.h>

/* Guards the outcome of a launch, which workers copy when they begin and add to when they end. */
static pthread_mutex_t outcome_lock = PTHREAD_MUTEX_INITIALIZER;

struct in_jit_callout *in_jit_callout_acquire(struct in_jit_run *run, bool *fits)
{
    const struct in_jit_calls *calls = &run->kernel->calls;
    bool needed = run->instrumented ? calls->gathers : calls->any;
    struct in_jit_callout *o = NULL;
    if (needed) {
        pthread_mutex_lock(&outcome_lock);
        o = in_callout_create(run->launch, calls);
        pthread_mutex_unlock(&outcome_lock);
    }
    if (o) {
        o->stop = &run->frame.stop;
        o->run.launch.checks &= !run->instrumented; /* compiled code has its own, which report nothing */
    }
    *fits = o != NULL || !needed;
    return o;
}

void in_jit_callout_release(struct in_jit_run *run, struct in_jit_callout *o)
{
    if (!o)
        return;
    pthread_mutex_lock(&outcome_lock);
    run->launch->outcome.findings += o->run.outcome.findings;
    run->launch->outcome.stopped |= o->run.outcome.stopped;
    run->launch->outcome.limit |= o->run.outcome.limit;
    pthread_mutex_unlock(&outcome_lock);
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
    if (!whole || !run->kernel->row) {
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
    struct in_jit_pace pace;
};

/* Most launches need little memory: workers leave theirs to later ones. */
enum { SPARE = 1 << 16, SPARES = 8 };
static _Atomic(uint8_t *) spares[SPARES];

static uint8_t *take_spare(void)
{
    uint8_t *memory = NULL;
    for (unsigned k = 0; !memory && k < SPARES; k++)
        if (atomic_load_explicit(&spares[k], memory_order_relaxed))
            memory = atomic_exchange(&spares[k], NULL);
    return memory;
}

static void keep_spare(uint8_t *memory)
{
    for (unsigned k = 0; memory && k < SPARES; k++) {
        uint8_t *none = NULL;
        if (atomic_compare_exchange_strong(&spares[k], &none, memory))
            return;
    }
    mm_free(memory);
}

static uint8_t *take_memory(size_t local_bytes, size_t context_bytes)
{
    size_t pages = (local_bytes + 4095) & ~(size_t)4095;
    if (pages + context_bytes > SPARE)
        return mm_alloc_zero(1, pages + context_bytes + 8192);
    uint8_t *memory = take_spare();
    if (!memory)
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
        return w->local && w->context;
    }
    w->memory = take_memory(run->local_bytes, run->kernel->shape.context_bytes);
    if (!w->memory)
        return false;
    w->local = (uint8_t *)(((uintptr_t)w->memory + 4095) & ~(uintptr_t)4095);
    w->context = w->local + local_bytes;
    return true;
}

static void free_memory(struct worker *w)
{
    size_t bytes = (size_t)(w->context - w->local) + w->run->kernel->shape.context_bytes;
    if (!w->memory) {
        mm_guarded_free(w->local);
        mm_guarded_free(w->context);
    } else if (bytes <= SPARE) {
        keep_spare(w->memory);
    } else {
        mm_free(w->memory);
    }
}

static bool is_halted(const struct worker *w)
{
    return in_jit_stops(w->run) || (w->outside && w->outside->run.outcome.stopped);
}

/* Stores, for the progress display, how many of the launch's work-groups are over once DONE of RUN's are. */
static void report_progress(const struct in_jit_run *run, uint64_t done)
{
    uint64_t *groups = run->launch->launch.groups, all = 1;
    for (uint32_t k = 0; groups && k < 3; k++)
        all *= run->frame.num_groups[k];
    if (groups)
        __atomic_store_n(groups, (uint64_t)((double)done / (double)run->groups * (double)all),
                         __ATOMIC_RELAXED);
}

/* Sets local memory to what it holds when a work-group begins; returns how many of MOST work-groups may
 * follow one another.  Instrumented code sets it itself for all but the first; few of them, for the progress
 * display. */
static uint64_t fill_local(const struct worker *w, uint64_t most)
{
    enum { FEW = 64 };
    const struct in_launch *launch = &w->run->launch->launch;
    const struct in_shadow *shadow = &w->run->frame.shadow;
    if (w->run->instrumented) {
        memset(w->local + IN_JIT_CALLOUT_BYTES, shadow->fill, shadow->fill_bytes);
        return most < FEW ? most : FEW;
    }
    uint8_t pattern = w->outside || launch->zero_local ? 0 : launch->local_pattern;
    if ((pattern == 0 && !launch->zero_local) || w->run->local_bytes == 0)
        return most;
    memset(w->local, pattern, w->run->local_bytes);
    if (w->outside)
        in_callout_local(w->outside, w->local, w->run->local_bytes);
    return 1;
}

/* As run_groups; kernels with callouts that print are informed of the end of every group. */
static uint64_t few_groups(const struct worker *w, uint64_t from, uint64_t most)
{
    bool instrumented = w->run->instrumented != NULL;
    bool one = w->outside && !instrumented && !w->run->kernel->calls.quiet;
    if (instrumented)
        most = in_instrument_groups(w->run, from, most);
    most = fill_local(w, most);
    uint64_t n = run_groups(w->run, from, one ? 1 : most, w->local, w->context);
    if (one)
        in_callout_end(w->outside, from);
    if (instrumented)
        report_progress(w->run, from + n);
    return n;
}

/* Takes portions of work-groups until none is left, or the thread retires. */
static void take_groups(void *argument)
{
    struct worker *w = argument;
    struct in_jit_run *run = w->run;
    if (w->outside) {
        in_callout_local(w->outside, w->local, run->local_bytes);
        in_callout_private(w->outside, w->context, run->kernel->shape.context_bytes,
                           __builtin_frame_address(0));
    }
    in_pace_begin(&w->pace, run);
    for (uint64_t from, to; !is_halted(w) && in_pace_take(&w->pace, run, &from, &to);) {
        const uint64_t groups = to - from;
        while (from < to && !is_halted(w))
            from += few_groups(w, from, to - from);
        if (!in_pace_continue(&w->pace, run, groups))
            break;
    }
    in_pace_end(&w->pace, run);
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

static void run_worker(struct in_jit_run *run, unsigned thread)
{
    struct worker w = {.run = run, .pace = {.thread = thread}};
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
    if (w.outside)
        in_jit_callout_release(w.run, w.outside);
    if (!placed)
        atomic_store(&w.run->out_of_memory, true);
    free_memory(&w);
}

static void help_run(void *run, unsigned thread)
{
    run_worker(run, thread);
}

static bool step_fibers(struct in_jit_run *run)
{
    struct in_fp_state state;
    bool over = true;
    in_fp_enter(&state);
    atomic_store(&run->out_of_memory, !in_fibers_step(run, &over));
    in_fp_leave(&state);
    return over;
}

/* In one thread where instructions are counted. */
static void do_groups(struct in_jit_run *run)
{
    bool alone =
        !run->kernel->calls.quiet || (run->kernel->options.flags & (IN_JIT_COUNTS | IN_JIT_INSTRUMENTED));
    struct in_jit_part parts[IN_JIT_PARTS];
    run->parts = parts;
    in_pace_divide(run, alone ? 1 : in_pool_cores());
    run->help = help_run;
    run_worker(run, 0);
    if (run->offered)
        in_pool_withdraw();
    if (in_pace_left(run) == 0)
        atomic_store(&run->out_of_memory, false);
    run->parts = NULL;
}

static enum in_jit_end step_run(struct in_jit_run *run, struct in_jit_fault *fault)
{
    bool over = true;
    if (run->kernel->turns)
        over = step_fibers(run);
    else
        do_groups(run);
    *fault = run->fault;
    if (run->instrumented && over && !atomic_load(&run->frame.stop) && in_instrument_end(run))
        return run->kernel->shape.shadow_plan.followed ? IN_JIT_UNEXPECTED : IN_JIT_DEOPTIMIZED;
    return atomic_load(&run->faulted)         ? IN_JIT_FAULT
           : run->launch->outcome.stopped     ? IN_JIT_OVER
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

/* The caller has just been loaded: what was stopped before belonged to a library that is unloaded.
 *
 * fork() waits for the end of the caller's step, which may be in this library.  Handlers that are registered
 * last run first: fork() would hold the mutexes of this library while it waits for a step that needs them. */
__attribute__((visibility("default"))) const struct in_jit_api *in_jit_interface(void);
const struct in_jit_api *in_jit_interface(void)
{
    static const struct in_jit_api api = {.version = IN_JIT_VERSION,
                                          .create = in_jit_run_create,
                                          .prepare = in_jit_run_prepare,
                                          .step = step_run,
                                          .destroy = in_jit_run_destroy,
                                          .forget = in_jit_forget,
                                          .stop_launches = in_jit_stop_some,
                                          .stop_all = stop_all,
                                          .stop_compiling = stop_compiling,
                                          .own_threads = mm_own_threads};
    mm_fork_without_locks();
    in_jit_stop_launches(false);
    in_jit_stop_compiling(false);
    in_native_use(&api);
    return &api;
}
