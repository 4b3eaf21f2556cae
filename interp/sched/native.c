/* Which engine executes a launch, and the way to librefcl-jit.so, which is loaded when it is first needed.
 *
 * REFCL_ENGINE=interp: the interpreter always; jit: the JIT for every launch that it covers and that is
 * neither recorded nor checked; auto, the default: the same, but kernels begin in the interpreter until
 * compiling pays. */
#include "interp/jit/jit.h"
#include "sched.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERP, JIT, AUTO };
#define HOT UINT64_C(4000000) /* interpreted instructions that take as long as compiling a kernel */

static struct {
    int engine;
    bool note;
    const struct in_jit_api *api;
} native;

static bool debug(const char *word)
{
    const char *list = getenv("REFCL_DEBUG");
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
    const char *given = getenv("REFCL_JIT");
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

static void choose(void)
{
    const char *engine = getenv("REFCL_ENGINE");
    native.engine = engine == NULL                  ? AUTO
                    : strcmp(engine, "jit") == 0    ? JIT
                    : strcmp(engine, "interp") == 0 ? INTERP
                                                    : AUTO;
    native.note = debug("jit");
}

/* Whether the launch, with what the kernel has executed before, is worth the compiler's time. */
static bool worth(const struct in_run *run)
{
    uint64_t items = run->groups_total > HOT ? HOT : run->groups_total * run->items_per_group;
    return items * run->code->count + run->code->heat >= HOT;
}

bool in_native_create(struct in_run *run)
{
    static pthread_once_t chosen = PTHREAD_ONCE_INIT, loaded = PTHREAD_ONCE_INIT;
    char why[160] = "";
    pthread_once(&chosen, choose);
    const struct in_launch *l = &run->launch;
    if (native.engine == INTERP || l->recorder != NULL || l->checks || l->weak ||
        l->schedule != IN_SEQUENTIAL || l->step_limit != 0 || run->groups_total == 0 ||
        (native.engine == AUTO && run->code->stray) || (native.engine == AUTO && !worth(run)))
        return false;
    pthread_once(&loaded, load);
    if (native.api == NULL)
        return false;
    if (native.api->create(run, &run->native, why, sizeof why) == MM_OK)
        return true;
    if (native.note)
        fprintf(stderr, "refcl: jit: kernel %s runs in the interpreter: %s\n", run->info->name, why);
    return false;
}

bool in_native_step(struct in_run *run)
{
    return native.api->step(run->native, &run->over);
}

void in_native_destroy(struct in_run *run)
{
    if (run->code != NULL && run->native == NULL)
        run->code->heat += run->executed;
    if (run->native != NULL)
        native.api->destroy(run->native);
}

void in_native_forget(struct in_code *code)
{
    if (code != NULL && code->native != NULL)
        native.api->forget(code->native);
}
