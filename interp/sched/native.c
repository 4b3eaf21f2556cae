/* Choice of the engine of a launch (tiered execution), and loading of librefcl-jit.so at its first use.
 *
 * REFCL_ENGINE=interp: always the interpreter.  jit: the JIT for every launch that it supports and that is
 * either neither recorded nor checked, or may be instrumented.  auto, the default: as jit, but a kernel
 * starts in the interpreter until compilation is expected to pay off (promotion_threshold()).  At half of
 * that instruction count the JIT begins to compile in a background thread; at the full count, a running
 * launch that is neither recorded nor checked continues in compiled code with its next work-group.  An
 * instrumented launch is compiled at once if its kernel has loops.  The decision depends on executed
 * instructions, not on time: with the same contents of the cache on disk (past_heat.h), the same program is
 * executed by the same engines again. */
#include "interp/jit/jit.h"
#include "memmodel/base/privilege.h"
#include "memmodel/trace/mutex.h"
#include "memmodel/trace/process.h"
#include "past_heat.h"
#include "sched.h"
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTERP, JIT, AUTO };

static struct {
    struct mm_mutex loading;
    atomic_bool loaded;
    atomic_bool ended;
    pid_t process;
    int engine;
    bool note;
    uint64_t hot; /* interpreted instructions after which a kernel is compiled, at the least: REFCL_PROMOTE */
    bool hot_given; /* exactly after HOT */
    const struct in_jit_api *api;
} native = {.loading = MM_MUTEX};

static bool has_debug_word(const char *word)
{
    const char *list = mm_getenv("REFCL_DEBUG");
    return list && strstr(list, word);
}

static void *open_beside(const char *relative)
{
    Dl_info info;
    char path[4096];
    static const char name[] = "librefcl-jit.so";
    if (dladdr(&native, &info) == 0 || !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = slash ? (int)(slash - info.dli_fname) + 1 : 0;
    int n = snprintf(path, sizeof path, "%.*s%s%s", length, info.dli_fname, relative, name);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void load_jit(void)
{
    const char *given = mm_getenv("REFCL_JIT");
    void *library = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : open_beside("");
    in_jit_interface_fn interface = NULL;
    if (!library && !given)
        library = open_beside("../lib/");
    if (!library && !given)
        library = open_beside("../lib/refcl/");
    if (library) {
        void *symbol = dlsym(library, IN_JIT_SYMBOL);
        memcpy(&interface, &symbol, sizeof interface);
    }
    if (interface && interface()->version == IN_JIT_VERSION)
        native.api = interface();
    else if (native.note)
        fprintf(stderr, "refcl: jit: %s\n",
                library ? "librefcl-jit.so is from another version of refcl" : dlerror());
}

/* NULL: not loaded. */
static const struct in_jit_api *loaded_api(void)
{
    mm_mutex_lock(&native.loading);
    const struct in_jit_api *api = native.api;
    mm_mutex_unlock(&native.loading);
    return api;
}

/* At exit or unloading: runs before the destruction of LLVM's static variables, and prevents later use of
 * LLVM. */
static void unload_native(void)
{
    if (getpid() != native.process)
        return; /* a forked child has no thread to finish a compilation */
    atomic_store(&native.ended, true);
    const struct in_jit_api *api = loaded_api();
    if (api)
        api->stop_compiling();
}

/* exit() destroys the calling thread's thread-local variables before it runs exit handlers, including those
 * that LLVM has registered, even if END is not yet registered after them. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void end_of_thread(void *unused)
{
    (void)unused;
    unload_native();
}

/* A forked child interprets: in the child the compiler's locks may remain held by threads of the parent. */
static void interpret_in_child(void)
{
    native.engine = INTERP;
    atomic_store(&native.ended, true);
}

void in_forked(void)
{
    interpret_in_child();
}

uint64_t in_own_threads(void)
{
    const struct in_jit_api *api = loaded_api();
    return mm_own_threads() + (api ? api->own_threads() : 0);
}

static void choose_engine(void)
{
    pthread_atfork(NULL, NULL, interpret_in_child);
    native.process = getpid();
    atomic_store(&native.ended, atexit(unload_native) != 0);
    const char *engine = mm_getenv("REFCL_ENGINE");
    native.engine = !engine                         ? AUTO
                    : strcmp(engine, "jit") == 0    ? JIT
                    : strcmp(engine, "interp") == 0 ? INTERP
                                                    : AUTO;
    native.note = has_debug_word("jit");
    const char *hot = mm_getenv("REFCL_PROMOTE");
    native.hot = hot ? strtoull(hot, NULL, 10) : 4000000;
    native.hot_given = hot != NULL;
}

/* Interpreted instructions that take no longer than compiling the kernel.  LLVM takes about 0.2 ms, or more,
 * for each of its instructions, in which the interpreter executes 100,000; less counts here, as compiled code
 * may be on disk or execute other launches. */
static uint64_t compile_cost(const struct in_code *code)
{
    const uint64_t each = 20000;
    bool least = native.hot_given || code->count * each < native.hot;
    return least ? native.hot : code->count * each;
}

/* Whether HEAT, with that of earlier processes, comes to what compiling costs: then it pays off, or has been
 * done. */
static bool has_paid(const struct in_run *run, double heat)
{
    uint64_t cost = compile_cost(run->code);
    return heat >= (double)cost || (cost > native.hot && heat + (double)in_past_heat(run) >= (double)cost);
}

/* Instructions of a work-item, from those that have ended; INFINITY: none has. */
static double item_work(const struct in_run *run)
{
    const struct in_progress *p = &run->progress;
    double done = (double)p->groups_done * (double)run->items_per_group;
    for (uint32_t k = 0; k < p->slot_count; k++)
        if (p->slots[k]->active && p->slots[k]->done < run->items_per_group)
            done += p->slots[k]->done;
    return done > 0 ? (double)run->executed / done : (double)INFINITY;
}

/* After how many interpreted instructions the kernel moves to compiled code: at once where the rest of the
 * launch takes longer than compiling, otherwise once the launches together have taken as long. */
static uint64_t promotion_threshold(const struct in_run *run)
{
    double items = (double)run->progress.groups_total * (double)run->items_per_group;
    bool paid = has_paid(run, (double)run->code->heat + item_work(run) * items);
    return paid ? native.hot : compile_cost(run->code);
}

/* Whether compilation pays off, given the instructions that the kernel has executed before: loops are assumed
 * to have 16 iterations. A recorded or checked launch cannot switch to compiled code later: its loops are
 * assumed to be long. */
static bool is_worth_compiling(const struct in_run *run, bool instrumented)
{
    const double rounds = instrumented && run->code->loops ? 1 << 20 : 1;
    double items = (double)run->progress.groups_total * (double)run->items_per_group;
    double once = items * run->code->count, heat = (double)run->code->heat;
    return once * rounds + heat >= (double)native.hot &&
           (instrumented || has_paid(run, once * (run->code->loops ? 16 : 1) + heat));
}

static bool is_jit_loaded(void)
{
    if (atomic_load(&native.ended))
        return false;
    if (atomic_load(&native.loaded))
        return native.api != NULL;
    mm_mutex_lock(&native.loading);
    if (!native.loaded && !atomic_load(&native.ended)) {
        load_jit();
        if (atexit(unload_native) !=
            0) /* again: handlers run in reverse order, and LLVM has registered its own after the first */
            native.api = NULL;
    }
    native.loaded = true;
    bool usable = native.api && !atomic_load(&native.ended);
    mm_mutex_unlock(&native.loading);
    return usable;
}

/* Executes the work-groups that have not begun in the JIT. */
static bool begin_compiled(struct in_run *run)
{
    char why[160] = "";
    enum in_jit_begin result = native.api->create(run, &run->native, why, sizeof why);
    if (result == IN_JIT_DECLINES && native.note)
        fprintf(stderr, "refcl: jit: kernel %s runs in the interpreter: %s\n", run->info->name, why);
    if (result == IN_JIT_BEGINS && native.note && run->progress.next_group > 0)
        fprintf(stderr, "refcl: jit: kernel %s continues in compiled code from work-group %llu\n",
                run->info->name, (unsigned long long)run->progress.next_group);
    if (result == IN_JIT_DECLINES)
        run->promotion.at = UINT64_MAX;
    run->promotion.prepared |= result == IN_JIT_BEGINS;
    return result == IN_JIT_BEGINS;
}

void in_start(void)
{
    static pthread_once_t chosen = PTHREAD_ONCE_INIT;
    static _Thread_local bool seen;
    if (seen)
        return;
    seen = true;
    pthread_once(&chosen, choose_engine);
    if (gettid() == getpid() && __cxa_thread_atexit_impl)
        __cxa_thread_atexit_impl(end_of_thread, NULL, &__dso_handle);
}

bool in_native_create(struct in_run *run)
{
    in_start();
    const struct in_launch *l = &run->launch;
    run->promotion.at = run->promotion.split_at = UINT64_MAX;
    bool plain = !l->recorder && !l->checks && !l->weak;
    bool instrumented = l->instrumented && !l->weak && !l->uninitialized && !run->code->noted.deoptimized;
    if (native.engine == INTERP || (!plain && !instrumented) || l->schedule != IN_SEQUENTIAL ||
        run->progress.groups_total == 0 || (native.engine == AUTO && run->code->noted.stray))
        return false;
    if (native.engine == AUTO && !is_worth_compiling(run, !plain)) {
        uint64_t heat = run->code->heat;
        run->promotion.at = !plain ? UINT64_MAX : heat < native.hot / 2 ? native.hot / 2 - heat : 0;
        if (plain && run->code->loops && !run->code->waits && run->code->locals.bytes == 0 &&
            l->step_limit == 0)
            run->promotion.split_at = heat < native.hot ? native.hot - heat : native.hot / 2;
        return false;
    }
    return is_jit_loaded() && begin_compiled(run);
}

/* Executes what create() has begun in compiled code; the work-items that have begun in the interpreter
 * follow. */
static bool run_part(struct in_run *run)
{
    in_native_step(run);
    if (!run->outcome.over || run->outcome.stopped || run->outcome.limit)
        return false;
    run->outcome.over = false;
    native.api->destroy(run->native);
    run->native = NULL;
    return true;
}

/* ONE: one work-group; otherwise all that have not begun. */
static enum in_jit_begin begin_part(struct in_run *run, bool one)
{
    char why[160] = "";
    run->promotion.part = true;
    run->promotion.one = one;
    enum in_jit_begin result = native.api->create(run, &run->native, why, sizeof why);
    run->promotion.part = run->promotion.one = false;
    run->promotion.prepared |= result == IN_JIT_BEGINS && !one;
    return result;
}

void in_native_leave_groups(struct in_run *run)
{
    struct in_progress *p = &run->progress;
    if (run->executed + run->code->heat < promotion_threshold(run))
        return;
    if (run->launch.step_limit != 0 || run->code->noted.stray || !is_jit_loaded()) {
        run->promotion.at = UINT64_MAX;
        return;
    }
    while (p->next_group < p->groups_total) {
        enum in_jit_begin result = begin_part(run, false);
        bool one = result == IN_JIT_NOT_HERE;
        if (one)
            result = begin_part(run, true);
        if (result != IN_JIT_BEGINS) {
            run->promotion.at = UINT64_MAX;
            return;
        }
        if (native.note)
            fprintf(stderr, "refcl: jit: kernel %s: work-group%s %llu in compiled code\n", run->info->name,
                    one ? "" : "s from", (unsigned long long)p->next_group);
        if (!run_part(run))
            return;
        uint64_t groups = one ? 1 : p->groups_total - p->next_group;
        p->groups_done += groups;
        p->next_group += groups;
    }
}

static void prepare_launch(struct in_run *run)
{
    if (!run->promotion.prepared)
        native.api->prepare(run);
    run->promotion.prepared = true;
}

bool in_native_take_over(struct in_run *run)
{
    if (run->progress.next_group >= run->progress.groups_total)
        return false;
    uint64_t heat = run->code->heat, threshold = promotion_threshold(run);
    if (run->executed + heat < threshold / 2) {
        run->promotion.at = threshold / 2 - heat;
        return false;
    }
    if (run->code->noted.stray || !is_jit_loaded()) {
        run->promotion.at = UINT64_MAX;
        return false;
    }
    if (run->executed + heat >= threshold) {
        if (run->progress.slot_count == 1)
            return begin_compiled(run);
        in_native_leave_groups(run);
        return run->native != NULL;
    }
    prepare_launch(run);
    run->promotion.at = threshold - heat;
    return false;
}

static bool has_local_arguments(const struct in_run *run)
{
    for (uint32_t k = 0; k < run->info->argument_count; k++)
        if (run->info->arguments[k].kind == IN_ARG_LOCAL)
            return true;
    return false;
}

/* The first of the work-items at the end of G that have not begun. */
static uint32_t first_of_rest(const struct in_group *g)
{
    uint32_t first = g->items_count;
    while (first > 0 && g->items[first - 1].state == IN_ITEM_NEW)
        first--;
    return first;
}

static void run_rest(struct in_run *run, struct in_group *g, uint32_t first)
{
    if (native.note)
        fprintf(stderr,
                "refcl: jit: kernel %s continues in compiled code from work-item %u of a work-group\n",
                run->info->name, first);
    if (!run_part(run))
        return;
    g->done += g->items_count - first;
    for (uint32_t k = first; k < g->items_count; k++)
        g->items[k].state = IN_ITEM_DONE;
}

/* Code for any local size executes the rest of one work-group, and the next ones need code for their size: it
 * must save the whole time of a compilation. */
void in_native_split(struct in_run *run, struct in_group *g)
{
    uint32_t first = first_of_rest(g);
    uint64_t next = run->progress.next_group;
    run->promotion.split_at = UINT64_MAX;
    if (first == 0 || first == g->items_count || run->progress.slot_count != 1 || run->code->noted.stray ||
        has_local_arguments(run))
        return;
    uint64_t heat = run->code->heat, threshold = promotion_threshold(run), cost = compile_cost(run->code);
    if (run->executed + heat < threshold) {
        run->promotion.split_at = threshold - heat;
        return;
    }
    if (!is_jit_loaded())
        return;
    if (!native.hot_given && item_work(run) * (g->items_count - first) < 5 * (double)cost) {
        if (next < run->progress.groups_total)
            prepare_launch(run);
        run->promotion.split_at = run->executed + cost;
        return;
    }
    run->progress.next_group = g->linear;
    run->promotion.first_item = first;
    bool begins = begin_part(run, true) == IN_JIT_BEGINS;
    run->progress.next_group = next;
    run->promotion.first_item = 0;
    if (begins)
        run_rest(run, g, first);
}

/* The object nearest to a faulting address: an argument's object or local memory; NULL: none. */
static const struct in_object *nearest_object(const struct in_run *run, const struct in_object *local,
                                              uint64_t address)
{
    enum { NEAR = 1 << 30 }; /* no more than the guards of mm_guarded_alloc */
    const struct in_object *best = NULL;
    uint64_t distance = NEAR;
    for (uint32_t k = 0; k <= run->info->argument_count; k++) {
        const struct in_object *o = k < run->info->argument_count ? run->arguments[k].object : local;
        if (!o || o->size == 0)
            continue;
        uint64_t end = o->address + o->size;
        uint64_t away = address < o->address ? o->address - address : address >= end ? address - end : 0;
        if (away < distance) {
            best = o;
            distance = away;
        }
    }
    return best;
}

/* A guard page stopped compiled code: the launch ends with the finding that the interpreter would report. */
static void report_fault(struct in_run *run, const struct in_jit_fault *f)
{
    struct in_object local = {
        .address = f->local, .size = f->local_size, .region = MM_LOCAL, .name = "local memory"};
    const struct in_object *o = nearest_object(run, &local, f->address);
    const char *verb = f->writes == 0 ? "read" : f->writes == 1 ? "write" : "use", *kernel = run->info->name;
    if (f->address < 4096)
        in_raise_at(run, NULL, NULL, "null-pointer", "CLC 6.7", (struct in_range){NULL, f->address, 1},
                    "%s through a null pointer, in kernel %s", verb, kernel);
    else if (o)
        in_raise_at(run, NULL, NULL, "out-of-bounds", "CLC 6.7", (struct in_range){o, f->address, 1},
                    "%s at offset %lld of %s object %s of %llu bytes, in kernel %s", verb,
                    (long long)(f->address - o->address), mm_region_name((enum mm_region)o->region), o->name,
                    (unsigned long long)o->size, kernel);
    else if (f->address == UINT64_MAX)
        in_raise_at(run, NULL, NULL, "out-of-bounds", "CLC 6.7", (struct in_range){NULL, f->address, 1},
                    "use of a non-canonical address, in kernel %s", kernel);
    else
        in_raise_at(run, NULL, NULL, "out-of-bounds", "CLC 6.7", (struct in_range){NULL, f->address, 1},
                    "%s at 0x%llx, which is in no object of kernel %s", verb, (unsigned long long)f->address,
                    kernel);
    run->outcome.stopped = true;
}

/* Deoptimizes: the interpreter re-executes the launch and reports the finding. */
static void deoptimize_launch(struct in_run *run)
{
    if (native.note)
        fprintf(stderr,
                "refcl: jit: a shadow check failed in kernel %s: the interpreter re-executes the launch\n",
                run->info->name);
    run->code->noted.deoptimized = true;
    native.api->destroy(run->native);
    run->native = NULL;
    run->outcome.limit |= !in_open_slots(run);
}

/* Compiles the kernel with lookups of pointers; the interpreter executes the launch if that fails, and in a
 * forked child, where the compiler's locks may remain held. */
static void begin_again(struct in_run *run)
{
    run->code->noted.lookups = true;
    native.api->destroy(run->native);
    run->native = NULL;
    if (atomic_load(&native.ended) || !begin_compiled(run))
        run->outcome.limit |= !in_open_slots(run);
}

void in_native_step(struct in_run *run)
{
    struct in_jit_fault where;
    enum in_jit_end end = native.api->step(run->native, &where);
    if (end == IN_JIT_UNEXPECTED) {
        begin_again(run);
        return;
    }
    if (end == IN_JIT_DEOPTIMIZED) {
        deoptimize_launch(run);
        return;
    }
    run->outcome.over = end != IN_JIT_WAITS && end != IN_JIT_STOPPED;
    run->outcome.limit |= end == IN_JIT_OUT_OF_MEMORY;
    if (end == IN_JIT_STEP_LIMIT)
        in_step_limit(run, NULL, NULL);
    if (end == IN_JIT_FAULT)
        report_fault(run, &where);
}

void in_stop_launches(const _Atomic uint32_t *stop)
{
    const struct in_jit_api *api = loaded_api();
    if (api)
        api->stop_launches(stop);
}

void in_stop_all(void)
{
    const struct in_jit_api *api = loaded_api();
    if (api)
        api->stop_all();
}

/* Only of kernels with much code: others are compiled after HOT instructions anyway. */
static void note_heat(const struct in_run *run)
{
    const struct in_launch *l = &run->launch;
    uint64_t cost = compile_cost(run->code), step = cost / 8 < native.hot / 2 ? native.hot / 2 : cost / 8;
    bool plain = !l->recorder && !l->checks && !l->weak;
    if (plain && native.engine == AUTO && cost > native.hot && run->code->heat >= native.hot / 2)
        in_past_heat_note(run, cost, step);
}

void in_native_destroy(struct in_run *run)
{
    if (run->code && run->promotion.prepared) {
        uint64_t rest =
            compile_cost(run->code) - native.hot; /* of code that exists, HOT instructions are enough */
        if (run->code->heat < rest)
            run->code->heat = rest;
    }
    if (run->code) {
        run->code->heat += run->executed;
        note_heat(run);
    }
    if (run->native)
        native.api->destroy(run->native);
}

void in_native_use(const struct in_jit_api *api)
{
    native.api = api;
}

void in_native_forget(struct in_code *code)
{
    if (code && code->native)
        native.api->forget(code->native);
}
