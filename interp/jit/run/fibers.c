/* Execution of work-items on fibers.  A fiber executes work-items of its group one after the other; when one
 * waits, in a loop or at a barrier, another fiber is resumed.  A kernel pays for a context switch only where
 * a work-item waits, and every work-item that has begun makes progress (fair scheduling). */
#include "interp/jit/run/fibers.h"
#include "interp/jit/instrument/guard.h"
#include "interp/jit/run/run.h"
#include "interp/jit/run/stack_switch.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PATIENCE = 64, STACK = 256 << 10, MOST_FIBERS = 16384 };

struct fiber_queue {
    struct fiber *first, *last;
};
struct group {
    struct in_jit_fiber_group turns; /* first: compiled code knows it by its address */
    struct in_fiber_thread *thread;
    uint32_t id[3], size[3], items, arrived, generation, fibers;
    uint8_t *memory;
    struct in_jit_callout *outside;
    uint64_t number;            /* of the work-group in linear order */
    struct fiber_queue waiting; /* at a barrier or in a call */
    uint32_t calling;           /* of them, those in a call */
};
struct fiber {
    struct fiber *next, *next_of_all;
    struct in_stack_context context;
    struct group *group; /* NULL: spare */
    void *stack;
    uint32_t awaits;            /* generation of the group's barriers */
    const struct in_item *item; /* of a call that it waits in, NULL: of none */
    bool over, spins;           /* it waits in a loop, maybe for a work-group that has not begun */
};
struct in_fiber_thread {
    struct in_jit_run *run;
    struct in_stack_context context;
    bool plain; /* the contexts have no signal mask */
    struct fiber *running, *all, *spare;
    struct fiber_queue ready, spinning;
    struct group *open; /* has work-items that have not begun */
    uint32_t fibers;
    bool out_of_memory, groups_left, stopped;
    struct in_guard *guard; /* NULL: none */
};

/* ---- what compiled code calls ------------------------------------------------------------ */

static void switch_fiber(struct group *g)
{
    struct in_fiber_thread *t = g->thread;
    in_stack_switch(&t->running->context, &t->context);
}

static void yield_fiber(struct in_jit_fiber_group *turns)
{
    struct group *g = (struct group *)turns;
    turns->patience = PATIENCE;
    g->thread->running->awaits = g->generation;
    g->thread->running->spins = true;
    switch_fiber(g);
    g->thread->running->spins = false;
}

/* The last work-item to arrive resumes all others. */
static void fiber_barrier(struct in_jit_fiber_group *turns)
{
    struct group *g = (struct group *)turns;
    if (++g->arrived == g->items) {
        g->arrived = 0;
        g->generation++;
        return;
    }
    g->thread->running->awaits = g->generation + 1;
    switch_fiber(g);
}

/* Suspends the fiber of ITEM, which waits in a collective call. */
static void suspend_item(void *context, const struct in_item *item)
{
    struct group *g = context;
    g->thread->running->item = item;
    g->thread->running->awaits = g->generation;
    switch_fiber(g);
    g->thread->running->item = NULL;
}

/* ---- stacks: some are kept for the next launch ------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    void *kept[256];
    unsigned count;
} stacks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *new_stack(void)
{
    void *stack = NULL;
    pthread_mutex_lock(&stacks.lock);
    if (stacks.count > 0)
        stack = stacks.kept[--stacks.count];
    pthread_mutex_unlock(&stacks.lock);
    if (stack)
        return stack;
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                 -1, 0);
    if (stack != MAP_FAILED && mprotect(stack, 4096, PROT_NONE) == 0)
        return stack;
    if (stack != MAP_FAILED)
        munmap(stack, STACK);
    return NULL;
}

static void free_stack(void *stack)
{
    pthread_mutex_lock(&stacks.lock);
    bool keep = stacks.count < sizeof stacks.kept / sizeof *stacks.kept;
    if (keep)
        stacks.kept[stacks.count++] = stack;
    pthread_mutex_unlock(&stacks.lock);
    if (!keep)
        munmap(stack, STACK);
}

/* ---- fibers ------------------------------------------------------------------------------ */

/* The next work-group of the launch in G; false: none left. */
static bool open_group(struct in_fiber_thread *t, struct group *g)
{
    struct in_jit_run *run = t->run;
    uint64_t linear = atomic_fetch_add(&run->next, 1);
    if (g->outside && g->number != UINT64_MAX)
        in_callout_end(g->outside, g->number);
    g->number = linear < run->groups ? linear : UINT64_MAX;
    if (linear >= run->groups) {
        t->groups_left = false;
        return false;
    }
    g->turns = (struct in_jit_fiber_group){
        .patience = PATIENCE, .local = g->memory, .yield = yield_fiber, .barrier = fiber_barrier};
    g->items = 1;
    if (run->launch->launch.zero_local)
        memset(g->memory, 0, run->local_bytes);
    if (g->outside) {
        in_callout_local(g->outside, g->memory, run->local_bytes);
        in_callout_begin(g->outside);
    }
    for (uint32_t k = 0; k < 3; k++) {
        g->id[k] = (uint32_t)(linear % run->group_count[k]);
        linear /= run->group_count[k];
        uint64_t left = run->frame.global_size[k] - (uint64_t)g->id[k] * run->local_size[k];
        g->size[k] = left < run->local_size[k] ? (uint32_t)left : run->local_size[k];
        g->items *= g->size[k];
    }
    return true;
}

/* A fiber that is alone with its group continues with the next group. */
static void fiber_main(void *argument)
{
    struct in_fiber_thread *t = argument;
    for (;;) {
        struct fiber *f = t->running;
        struct group *g = f->group;
        do
            t->run->kernel->turns(&t->run->frame, (uint8_t *)&g->turns, NULL, g->id[0], g->id[1], g->id[2],
                                  g->size[0], g->size[1], g->size[2]);
        while (g->fibers == 1 && t->open == g && !in_jit_stops(t->run) && open_group(t, g));
        f->over = true;
        in_stack_switch(&f->context, &t->context);
    }
}

static struct fiber *new_fiber(struct in_fiber_thread *t)
{
    struct fiber *f = t->spare;
    if (f) {
        t->spare = f->next;
        return f;
    }
    f = mm_alloc_zero(1, sizeof *f);
    void *stack = f ? new_stack() : NULL;
    if (stack && in_stack_prepare(&f->context, t->plain, stack, STACK, fiber_main, t)) {
        f->stack = stack;
        f->next_of_all = t->all;
        t->all = f;
        return f;
    }
    if (stack)
        free_stack(stack);
    mm_free(f);
    return NULL;
}

static void append_fiber(struct fiber_queue *q, struct fiber *f)
{
    f->next = NULL;
    if (q->last)
        q->last->next = f;
    else
        q->first = f;
    q->last = f;
}

static struct fiber *take_fiber(struct fiber_queue *q)
{
    struct fiber *f = q->first;
    q->first = f ? f->next : NULL;
    if (!q->first)
        q->last = NULL;
    return f;
}

static bool is_ready(const struct fiber *f)
{
    return (int32_t)(f->group->generation - f->awaits) >= 0 &&
           (!f->item || f->item->state != IN_ITEM_WAITING);
}

/* A fiber of G ran: makes those ready whose barrier or call is complete by that. */
static void wake_fibers(struct in_fiber_thread *t, struct group *g)
{
    struct fiber_queue waiting = g->waiting;
    g->waiting = (struct fiber_queue){0};
    for (struct fiber *f; (f = take_fiber(&waiting));) {
        bool ready = is_ready(f);
        g->calling -= ready && f->item;
        append_fiber(ready ? &t->ready : &g->waiting, f);
    }
}

static void free_group(struct in_fiber_thread *t, struct group *g)
{
    if (!g)
        return;
    in_jit_callout_release(t->run, g->outside);
    mm_aligned_free(g->memory);
    mm_free(g);
}

static void close_group(struct in_fiber_thread *t, struct group *g)
{
    if (t->open == g)
        t->open = NULL;
    if (g->outside && g->number != UINT64_MAX)
        in_callout_end(g->outside, g->number);
    free_group(t, g);
}

/* Runs F until its work-item waits or its group has none left to begin. */
static void resume_fiber(struct in_fiber_thread *t, struct fiber *f)
{
    struct group *g = f->group;
    t->running = f;
    uint32_t generation = g->generation;
    if (g->outside)
        in_callout_private(g->outside, f->stack, 0, (uint8_t *)f->stack + STACK);
    if (t->guard)
        t->guard->home = t->context.saved;
    in_stack_switch(&t->context, &f->context);
    t->stopped |= g->outside && g->outside->run.outcome.stopped;
    if (t->guard)
        t->guard->home = NULL;
    if (t->guard && t->guard->faulted && !atomic_load(&t->run->faulted)) {
        t->guard->fault.local = (uint64_t)(uintptr_t)g->turns.local;
        t->guard->fault.local_size = t->run->local_bytes;
        in_jit_faulted(t->run, &t->guard->fault);
    }
    if (!f->over) {
        g->calling += f->item != NULL;
        append_fiber(f->spins ? &t->spinning : &g->waiting, f);
    }
    if (g->generation != generation || (g->calling > 0 && g->calling > g->outside->group.waiting))
        wake_fibers(t, g);
    if (!f->over)
        return;
    if (t->open == g)
        t->open = NULL;
    f->over = false;
    f->group = NULL;
    f->next = t->spare;
    t->spare = f;
    t->fibers--;
    if (--g->fibers == 0)
        close_group(t, g);
}

/* ---- work-groups ------------------------------------------------------------------------- */

static struct group *next_group(struct in_fiber_thread *t)
{
    struct group *g = mm_alloc_zero(1, sizeof *g);
    bool fits = false;
    if (g) {
        g->thread = t;
        g->number = UINT64_MAX;
        g->memory = mm_aligned_alloc(t->run->local_bytes, 128);
        g->outside = g->memory ? in_jit_callout_acquire(t->run, &fits) : NULL;
    }
    if (g && g->outside) {
        g->outside->suspend = suspend_item;
        g->outside->context = g;
    }
    t->out_of_memory = !fits;
    if (fits && open_group(t, g))
        return g;
    free_group(t, g);
    return NULL;
}

/* A fiber for work-items that have not begun, of the open group or the next; NULL: none, or no room. */
static struct fiber *begin_fiber(struct in_fiber_thread *t)
{
    if (t->fibers >= MOST_FIBERS || t->out_of_memory)
        return NULL;
    if (t->open && t->open->turns.begun >= t->open->items)
        t->open = NULL;
    if (!t->open && t->groups_left)
        t->open = next_group(t);
    if (!t->open)
        return NULL;
    struct fiber *f = new_fiber(t);
    if (!f) {
        t->out_of_memory = t->fibers == 0;
        return NULL;
    }
    f->group = t->open;
    f->awaits = 0;
    f->item = NULL;
    f->spins = false;
    t->open->fibers++;
    t->fibers++;
    return f;
}

/* Before the next work-group begins, those that have begun continue, so that few stacks are in use.  A
 * work-item that waits for another work-group spins, at the latest after PATIENCE iterations: it does not
 * prevent that one from beginning. */
static struct fiber *ready_before_next_group(struct in_fiber_thread *t)
{
    bool begun = !t->open || t->open->turns.begun >= t->open->items;
    return begun && t->groups_left ? take_fiber(&t->ready) : NULL;
}

/* Until all work-items are done or the launch stops, true, or all that are left wait for work-items
 * elsewhere: another kernel or the host. */
static bool step_thread(struct in_fiber_thread *t)
{
    for (uint32_t idle = 0; idle <= 4 * t->fibers;) {
        if (in_jit_stops(t->run))
            return true;
        uint32_t before = t->fibers;
        struct fiber *f = ready_before_next_group(t);
        if (!f)
            f = begin_fiber(t);
        idle = f ? 0 : idle + 1;
        if (!f)
            f = take_fiber(&t->ready);
        if (!f)
            f = take_fiber(&t->spinning);
        if (!f)
            return true;
        bool waited = f->item != NULL;
        resume_fiber(t, f);
        if (t->stopped)
            return true;
        if (t->fibers < before || waited)
            idle = 0;
    }
    return false;
}

static bool step_guarded(struct in_fiber_thread *t)
{
    struct in_guard guard;
    t->out_of_memory |= !in_guard_enter(&guard);
    if (t->out_of_memory)
        return true;
    t->guard = &guard;
    bool over = step_thread(t);
    t->guard = NULL;
    in_guard_leave(&guard);
    return over;
}

bool in_fibers_step(struct in_jit_run *run, bool *over)
{
    if (!run->turns) {
        run->turns = mm_alloc_zero(1, sizeof *run->turns);
        if (!run->turns)
            return false;
        *run->turns =
            (struct in_fiber_thread){.run = run, .groups_left = true, .plain = in_stack_can_switch_plain()};
        if (!in_stack_make_home(&run->turns->context, run->turns->plain))
            return false;
    }
    struct in_fiber_thread *t = run->turns;
    *over = mm_guard_on() ? step_guarded(t) : step_thread(t);
    bool fits = !t->out_of_memory;
    if (*over)
        in_fibers_destroy(run);
    return fits;
}

void in_fibers_destroy(struct in_jit_run *run)
{
    struct in_fiber_thread *t = run->turns;
    for (struct fiber *f; t && (f = t->all);) {
        t->all = f->next_of_all;
        if (f->group && --f->group->fibers == 0)
            free_group(t, f->group);
        in_stack_forget(&f->context);
        free_stack(f->stack);
        mm_free(f);
    }
    if (t)
        in_stack_forget(&t->context);
    mm_free(t);
    run->turns = NULL;
}
