/* Compiling in the background: one thread, started with the first request, and a queue.  A request keeps its
 * module; the thread lives as long as the process, and compile.c ends what it is compiling then. */
#include "interp/jit/run/background.h"
#include "interp/jit/run/pool.h"
#include <pthread.h>

struct request {
    struct request *next;
    struct in_module *module;
    struct in_kernel *kernel;
    struct in_jit_options options;
    bool edge;
};
static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct request *first, **last;
    bool started;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .last = &queue.first};

static void *run_compiler(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        struct request *r = queue.first;
        if (!r) {
            pthread_cond_wait(&queue.wake, &queue.lock);
            continue;
        }
        queue.first = r->next;
        if (!queue.first)
            queue.last = &queue.first;
        pthread_mutex_unlock(&queue.lock);
        in_jit_compile(r->module, r->kernel, &r->options, r->edge);
        in_module_release(r->module);
        mm_free(r);
        pthread_mutex_lock(&queue.lock);
    }
    return NULL;
}

void in_background_compile(struct in_module *module, struct in_kernel *kernel,
                           const struct in_jit_options *options, bool edge)
{
    struct request *r = in_pool_cores() > 1 ? mm_alloc_zero(1, sizeof *r) : NULL;
    if (!r)
        return;
    *r = (struct request){.module = module, .kernel = kernel, .options = *options, .edge = edge};
    pthread_mutex_lock(&queue.lock);
    queue.started = queue.started || in_pool_start_thread(run_compiler);
    if (queue.started) {
        in_module_retain(module);
        *queue.last = r;
        queue.last = &r->next;
        pthread_cond_signal(&queue.wake);
    } else {
        mm_free(r);
    }
    pthread_mutex_unlock(&queue.lock);
}
