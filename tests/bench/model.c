/* CPU time of evaluating opencl.cat on one execution: threads that store with release and load with acquire,
 * each load from the last store of a thread before. */
#include "memmodel/cat/eval.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST = 1000, LOCATIONS = 8 };

static struct mm_cat_event events[MOST];
static uint64_t rf[MOST * (MOST / 64 + 1)], co[MOST * (MOST / 64 + 1)];

static struct mm_cat_event access(uint32_t thread, uint32_t location, bool write)
{
    return (struct mm_cat_event){.thread = thread,
                                 .agent.work_group = thread / 4,
                                 .agent.sub_group = thread,
                                 .location = location,
                                 .memory.reference = location,
                                 .memory.object = location,
                                 .rmw_partner = UINT32_MAX,
                                 .barrier = UINT32_MAX,
                                 .read = !write,
                                 .write = write,
                                 .init = thread == UINT32_MAX,
                                 .order = thread == UINT32_MAX ? MM_ORDER_NONE
                                          : write              ? MM_RELEASE
                                                               : MM_ACQUIRE,
                                 .scope = thread == UINT32_MAX ? MM_SCOPE_NONE : MM_SCOPE_DEVICE,
                                 .attributes = thread == UINT32_MAX ? 0 : MM_ATOMIC,
                                 .memory.region = MM_GLOBAL,
                                 .memory.origin = MM_ORIGIN_BUFFER};
}

/* Loads from the last write of the location; writes in the order of their numbers. */
static void build(uint32_t n)
{
    memset(rf, 0, sizeof rf);
    memset(co, 0, sizeof co);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t last = UINT32_MAX;

        events[i] = access(i < LOCATIONS ? UINT32_MAX : (i - LOCATIONS) / 8, i % LOCATIONS,
                           i < LOCATIONS || (i / LOCATIONS + i) % 2);
        for (uint32_t k = 0; k < i; k++) {
            if (!events[k].write || events[k].location != events[i].location)
                continue;
            last = k;
            if (events[i].write)
                mm_rel_add(n, co, k, i);
        }
        if (events[i].read)
            mm_rel_add(n, rf, last, i);
    }
}

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void measure(struct mm_cat_eval *eval, const struct mm_cat_model *model, uint32_t n, unsigned rounds)
{
    const struct mm_cat_events all = {.events = events, .count = n};
    struct mm_error err = {0};
    unsigned failed = 0;
    double start;

    build(n);
    start = cpu_ms();
    for (unsigned r = 0; r < rounds; r++) {
        if (mm_cat_eval_begin(eval, &all, &err)) {
            printf("%s\n", err.message);
            return;
        }
        mm_cat_eval_rf(eval, rf, NULL);
        mm_cat_eval_co(eval, co, NULL);
        failed = 0;
        for (uint32_t i = 0; i < model->check_count; i++)
            failed += mm_cat_eval_fails(eval, i) != model->checks[i].flag;
    }
    printf("opencl.cat, %4u events %10.3f ms CPU  (all %u checks; %u of them say no)\n", n,
           (cpu_ms() - start) / rounds, model->check_count, failed);
}

int main(void)
{
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};
    struct mm_cat_eval *eval;

    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err) ||
        !(eval = mm_cat_eval_create(model, &err))) {
        fprintf(stderr, "%s\n", err.message);
        mm_cat_destroy(model);
        return 1;
    }
    measure(eval, model, 64, 200);
    measure(eval, model, 1000, 3);
    mm_cat_eval_destroy(eval);
    mm_cat_destroy(model);
    return 0;
}
