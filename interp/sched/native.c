/* Which engine executes a launch, and the way to librefcl-jit.so, which is loaded when it is first needed.
 *
 * REFCL_ENGINE=interp: the interpreter always; jit: the JIT for every launch that it covers and that is
 * neither recorded nor checked, or may be watched instead; auto, the default: the same, but kernels begin in
 * the interpreter until compiling pays.  Half way there the JIT begins to compile, in a thread of its own,
 * and when it is reached, a launch under way that is neither recorded nor checked goes on in compiled code
 * with its next work-group.  A launch that may be watched is compiled at once if it has loops.  All depend on
 * what was executed, not on time: the same program is executed by the same engines again. */
#include "interp/jit/jit.h"
#include "memmodel/base/privilege.h"
#include "sched.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTERP, JIT, AUTO };

static struct {
    pthread_mutex_t loading;
    bool loaded;
    atomic_bool ended;
    pid_t process;
    int engine;
    bool note;
    uint64_t hot; /* interpreted instructions that take as long as compiling a kernel: REFCL_PROMOTE */
    const struct in_jit_api *api;
} native = {.loading = PTHREAD_MUTEX_INITIALIZER};

static bool debug(const char *word)
{
    const char *list = mm_getenv("REFCL_DEBUG");
    return list != NULL && strstr(list, word) != NULL;
}

static void *open_beside(const char *relative)
{
    Dl_info info;
    char path[4096];
    static const char name[] = "librefcl-jit.so";
    if (dladdr(&native, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = slash != NULL ? (int)(slash - info.dli_fname) + 1 : 0;
    int n = snprintf(path, sizeof path, "%.*s%s%s", length, info.dli_fname, relative, name);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void load(void)
{
    const char *given = mm_getenv("REFCL_JIT");
    void *library = given != NULL ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : open_beside("");
    in_jit_interface_fn interface = NULL;
    if (library == NULL && given == NULL)
        library = open_beside("../lib/");
    if (library != NULL) {
        void *symbol = dlsym(library, IN_JIT_SYMBOL);
        memcpy(&interface, &symbol, sizeof interface);
    }
    if (interface != NULL && interface()->version == IN_JIT_VERSION)
        native.api = interface();
    else if (native.note)
        fprintf(stderr, "refcl: jit: %s\n",
                library != NULL ? "librefcl-jit.so is of another version" : dlerror());
}

/* At exit or unloading, before LLVM's variables go, and so that they do not come any more. */
static void end(void)
{
    if (getpid() != native.process)
        return; /* a child has no thread that could finish what it has begun */
    atomic_store(&native.ended, true);
    pthread_mutex_lock(&native.loading);
    const struct in_jit_api *api = native.api;
    pthread_mutex_unlock(&native.loading);
    if (api != NULL)
        api->stop_compiling();
}

/* exit() ends the variables of the thread that calls it, mostly the first, before it comes to handlers:
 * whatever LLVM has registered by then, also while END was not yet registered behind it. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void end_of_thread(void *unused)
{
    (void)unused;
    end();
}

/* A forked child interprets: threads of the parent may hold the compiler's locks for ever. */
static void interpret_in_child(void)
{
    native.engine = INTERP;
    atomic_store(&native.ended, true);
}

static void choose(void)
{
    pthread_atfork(NULL, NULL, interpret_in_child);
    native.process = getpid();
    atomic_store(&native.ended, atexit(end) != 0);
    const char *engine = mm_getenv("REFCL_ENGINE");
    native.engine = engine == NULL                  ? AUTO
                    : strcmp(engine, "jit") == 0    ? JIT
                    : strcmp(engine, "interp") == 0 ? INTERP
                                                    : AUTO;
    native.note = debug("jit");
    const char *hot = mm_getenv("REFCL_PROMOTE");
    native.hot = hot != NULL ? strtoull(hot, NULL, 10) : 4000000;
}

/* Whether the launch, with what the kernel has executed before, is worth the compiler's time.  One that is
 * recorded or checked cannot go on in compiled code: its loops are taken to be long. */
static bool worth(const struct in_run *run, bool watched)
{
    const double rounds = watched && run->code->loops ? 1 << 20 : 1;
    double items = (double)run->groups_total * (double)run->items_per_group;
    return items * run->code->count * rounds + (double)run->code->heat >= (double)native.hot;
}

static bool loaded(void)
{
    if (atomic_load(&native.ended))
        return false;
    pthread_mutex_lock(&native.loading);
    if (!native.loaded && !atomic_load(&native.ended)) {
        load();
        if (atexit(end) != 0) /* again: the last to come is asked first, and LLVM came after the first */
            native.api = NULL;
    }
    native.loaded = true;
    bool usable = native.api != NULL && !atomic_load(&native.ended);
    pthread_mutex_unlock(&native.loading);
    return usable;
}

/* The work-groups that have not begun, in the JIT. */
static bool begin(struct in_run *run)
{
    char why[160] = "";
    enum in_jit_begin result = native.api->create(run, &run->native, why, sizeof why);
    if (result == IN_JIT_DECLINES && native.note)
        fprintf(stderr, "refcl: jit: kernel %s runs in the interpreter: %s\n", run->info->name, why);
    if (result == IN_JIT_BEGINS && native.note && run->next_group > 0)
        fprintf(stderr, "refcl: jit: kernel %s goes on from work-group %llu\n", run->info->name,
                (unsigned long long)run->next_group);
    if (result == IN_JIT_DECLINES)
        run->promote_at = UINT64_MAX;
    return result == IN_JIT_BEGINS;
}

void in_start(void)
{
    static pthread_once_t chosen = PTHREAD_ONCE_INIT;
    static _Thread_local bool seen;
    if (seen)
        return;
    seen = true;
    pthread_once(&chosen, choose);
    if (gettid() == getpid() && __cxa_thread_atexit_impl != NULL)
        __cxa_thread_atexit_impl(end_of_thread, NULL, &__dso_handle);
}

bool in_native_create(struct in_run *run)
{
    in_start();
    const struct in_launch *l = &run->launch;
    run->promote_at = UINT64_MAX;
    bool plain = l->recorder == NULL && !l->checks && !l->weak;
    bool watched = l->watch && !l->weak && !l->uninitialized && !run->code->suspicious;
    if (native.engine == INTERP || (!plain && !watched) || l->schedule != IN_SEQUENTIAL ||
        run->groups_total == 0 || (native.engine == AUTO && run->code->stray))
        return false;
    if (native.engine == AUTO && !worth(run, !plain)) {
        uint64_t heat = run->code->heat;
        run->promote_at = !plain ? UINT64_MAX : heat < native.hot / 2 ? native.hot / 2 - heat : 0;
        return false;
    }
    return loaded() && begin(run);
}

bool in_native_take_over(struct in_run *run)
{
    if (run->next_group >= run->groups_total)
        return false;
    if (run->slot_count != 1 || run->code->stray || !loaded()) {
        run->promote_at = UINT64_MAX;
        return false;
    }
    uint64_t heat = run->code->heat;
    if (run->executed + heat >= native.hot)
        return begin(run);
    if (!run->prepared)
        native.api->prepare(run);
    run->prepared = true;
    run->promote_at = native.hot - heat;
    return false;
}

/* What a faulting address is nearest to: an argument's object or local memory; NULL: nothing. */
static const struct in_object *nearest(const struct in_run *run, const struct in_object *local,
                                       uint64_t address)
{
    enum { NEAR = 1 << 30 }; /* no more than the guards of mm_guarded_alloc */
    const struct in_object *best = NULL;
    uint64_t distance = NEAR;
    for (uint32_t k = 0; k <= run->info->argument_count; k++) {
        const struct in_object *o = k < run->info->argument_count ? run->arguments[k].object : local;
        if (o == NULL || o->size == 0)
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

/* A guard stopped compiled code: the launch ends as it does where the interpreter finds the same. */
static void fault(struct in_run *run, const struct in_jit_fault *f)
{
    struct in_object local = {
        .address = f->local, .size = f->local_size, .region = MM_LOCAL, .name = "local memory"};
    const struct in_object *o = nearest(run, &local, f->address);
    const char *verb = f->writes == 0 ? "read" : f->writes == 1 ? "write" : "use", *kernel = run->info->name;
    if (f->address < 4096)
        in_raise(run, NULL, NULL, "null-pointer", "CLC 6.7", NULL, f->address, 1,
                 "%s through a null pointer, in kernel %s", verb, kernel);
    else if (o != NULL)
        in_raise(run, NULL, NULL, "out-of-bounds", "CLC 6.7", o, f->address, 1,
                 "%s at offset %lld of %s object %s of %llu bytes, in kernel %s", verb,
                 (long long)(f->address - o->address), mm_region_name((enum mm_region)o->region), o->name,
                 (unsigned long long)o->size, kernel);
    else if (f->address == UINT64_MAX)
        in_raise(run, NULL, NULL, "out-of-bounds", "CLC 6.7", NULL, f->address, 1,
                 "use of an address that no memory can have, in kernel %s", kernel);
    else
        in_raise(run, NULL, NULL, "out-of-bounds", "CLC 6.7", NULL, f->address, 1,
                 "%s at 0x%llx, which is in no object of kernel %s", verb, (unsigned long long)f->address,
                 kernel);
    run->stopped = true;
}

/* The interpreter says what it was. */
static void suspicious(struct in_run *run)
{
    if (native.note)
        fprintf(stderr, "refcl: jit: kernel %s was suspicious: the interpreter executes it again\n",
                run->info->name);
    run->code->suspicious = true;
    native.api->destroy(run->native);
    run->native = NULL;
    run->limit |= !in_open_slots(run);
}

void in_native_step(struct in_run *run)
{
    struct in_jit_fault where;
    enum in_jit_end end = native.api->step(run->native, &where);
    if (end == IN_JIT_SUSPICIOUS) {
        suspicious(run);
        return;
    }
    run->over = end != IN_JIT_WAITS && end != IN_JIT_STOPPED;
    run->limit |= end == IN_JIT_OUT_OF_MEMORY;
    if (end == IN_JIT_STEP_LIMIT)
        in_step_limit(run, NULL, NULL);
    if (end == IN_JIT_FAULT)
        fault(run, &where);
}

void in_stop_all(void)
{
    if (native.api != NULL)
        native.api->stop_all();
}

void in_native_destroy(struct in_run *run)
{
    if (run->code != NULL)
        run->code->heat += run->executed;
    if (run->native != NULL)
        native.api->destroy(run->native);
}

void in_native_use(const struct in_jit_api *api)
{
    native.api = api;
}

void in_native_forget(struct in_code *code)
{
    if (code != NULL && code->native != NULL)
        native.api->forget(code->native);
}
