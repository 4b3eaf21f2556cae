/* The scheduler: selection of the next work-item.  Sequential: in order, each until it blocks; a spinning
 * work-item yields to others of its group, and a group that only spins yields to further groups.  Random: a
 * seeded choice after every few shared memory operations.  Fair: all runnable work-items in turn, in small
 * slices.  An oracle overrides these. */
#include "interp/weak/weak.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "sched.h"

#define IN_FAIR_SLICE  50
#define IN_SPIN_MEMORY (UINT64_C(512) << 20)

bool in_add_slot(struct in_run *run)
{
    if (run->progress.next_group >= run->progress.groups_total ||
        (run->progress.slot_count > 0 && run->memory_used > IN_SPIN_MEMORY))
        return false;
    struct in_group *g = in_group_create(run);
    if (!g)
        return false;
    if (!mm_append(&run->progress.slots, &run->progress.slot_count, &g)) {
        in_group_destroy(run, g);
        return false;
    }
    return in_group_next(run, g);
}

/* The first runnable work-item from START on; NULL if there is none. */
static struct in_item *find_runnable(struct in_group *g, uint32_t start)
{
    for (uint32_t k = 0; k < g->items_count; k++) {
        uint32_t at = start + k < g->items_count ? start + k : start + k - g->items_count;
        if (g->items[at].state <= IN_ITEM_READY) {
            g->cursor = at;
            return &g->items[at];
        }
    }
    return NULL;
}

static void rotate_groups(struct in_run *run)
{
    for (uint32_t k = 0; k < run->progress.slot_count; k++) {
        run->progress.slot_cursor = (run->progress.slot_cursor + 1) % run->progress.slot_count;
        if (run->progress.slots[run->progress.slot_cursor]->active)
            return;
    }
}

/* Replaces the finished work-group of a slot by the next one. */
static void replace_group(struct in_run *run, struct in_group *g)
{
    const struct in_environment *env = &run->instance->environment_copy;
    if (env->group_ended)
        env->group_ended(env->context, g->linear);
    run->progress.groups_done++;
    run->progress.idle_rounds = 0;
    if (run->executed >= run->promotion.at && in_native_take_over(run))
        return;
    if (!in_group_next(run, g)) {
        run->outcome.over = run->progress.groups_done == run->progress.groups_total;
        rotate_groups(run);
    }
}

/* Called when the work-item has used up its slice. */
static void item_yielded(struct in_run *run, struct in_group *g)
{
    g->cursor = g->cursor + 1 < g->items_count ? g->cursor + 1 : 0;
    bool fair = run->launch.schedule == IN_FAIR;
    g->yields++;
    if (!fair && g->yields <= g->items_count - g->done - g->waiting)
        return;
    uint32_t before = run->progress.slot_cursor;
    rotate_groups(run);
    if (run->progress.slot_cursor > before)
        return;
    uint32_t patience = fair ? IN_SPIN_SLICE / IN_FAIR_SLICE : 0;
    if (run->progress.idle_rounds++ < patience)
        return;
    if (run->executed >= run->promotion.at)
        in_native_leave_groups(run);
    if (!run->native && in_add_slot(run))
        run->progress.idle_rounds = 0;
}

/* The runnable work-item with the lowest rank, which the oracle selects. */
static struct in_item *lowest_ranked(struct in_run *run)
{
    const struct in_oracle *o = run->launch.oracle;
    struct in_item *best = NULL;
    uint64_t best_rank = 0;
    for (uint32_t k = 0; k < run->progress.slot_count; k++) {
        struct in_group *g = run->progress.slots[k];
        for (uint32_t at = 0; g->active && at < g->items_count; at++) {
            if (g->items[at].state > IN_ITEM_READY)
                continue;
            uint64_t rank = o->rank(o->context, (uint32_t)(g->linear * run->items_per_group + at));
            if (best && rank >= best_rank)
                continue;
            best = &g->items[at];
            best_rank = rank;
            run->progress.slot_cursor = k;
        }
    }
    return best;
}

static bool is_ranked(const struct in_run *run)
{
    return run->launch.oracle && run->launch.oracle->rank;
}

static struct in_item *pick_item(struct in_run *run)
{
    struct in_group *g = run->progress.slots[run->progress.slot_cursor];
    if (is_ranked(run))
        return lowest_ranked(run);
    if (run->launch.schedule != IN_RANDOM)
        return find_runnable(g, g->cursor);
    run->progress.slot_cursor = (uint32_t)(mm_random_next(&run->progress.random) % run->progress.slot_count);
    if (!run->progress.slots[run->progress.slot_cursor]->active)
        rotate_groups(run);
    g = run->progress.slots[run->progress.slot_cursor];
    return find_runnable(g, (uint32_t)(mm_random_next(&run->progress.random) % g->items_count));
}

static int64_t slice_length(struct in_run *run)
{
    run->switch_budget = is_ranked(run) ? 1 : INT64_MAX;
    if (run->launch.schedule == IN_SEQUENTIAL || is_ranked(run))
        return IN_SPIN_SLICE;
    if (run->launch.schedule == IN_FAIR)
        return IN_FAIR_SLICE;
    uint64_t r = mm_random_next(&run->progress.random);
    run->switch_budget = 1 + (int64_t)(r % 4 == 0 ? r / 4 % 16 : r / 4 % 3);
    return 200 + (int64_t)(r >> 32) % 2000;
}

static void item_stopped(struct in_run *run, struct in_item *item, enum in_stop stop)
{
    struct in_group *g = item->group;
    switch (stop) {
    case IN_STOP_DONE:
        in_item_done(run, item);
        if (g->done == g->items_count)
            replace_group(run, g);
        else if (run->launch.schedule == IN_FAIR)
            item_yielded(run, g);
        break;
    case IN_STOP_WAIT:
        in_item_waits(run, item);
        if (g->waiting == 0 || run->launch.schedule == IN_FAIR)
            item_yielded(run, g);
        break;
    case IN_STOP_YIELD:
        if (run->launch.schedule == IN_RANDOM) {
            if (++run->progress.idle_rounds > 200000 && in_add_slot(run))
                run->progress.idle_rounds = 0;
        } else {
            item_yielded(run, g);
        }
        break;
    case IN_STOP_END:
        break;
    }
}

/* Leaves the work-items of the current work-group that have not begun to compiled code; the interpreter
 * completes those that have.  Otherwise one large work-group would be interpreted to its end. */
static void leave_to_native(struct in_run *run)
{
    struct in_group *g = run->progress.slots[run->progress.slot_cursor];
    if (!g->active || g->waiting > 0)
        return;
    in_native_split(run, g);
    if (!run->native && g->done == g->items_count)
        replace_group(run, g);
}

static bool execute_slice(struct in_run *run, struct in_item *item, int64_t budget)
{
    if (item->state == IN_ITEM_NEW) {
        struct in_group *g = run->progress.slots[run->progress.slot_cursor];
        if (!in_item_start(run, g, item, (uint32_t)(item - g->items))) {
            run->outcome.limit = true;
            return false;
        }
    }
    if (__builtin_expect(!!item->weak, 0) && !in_weak_catch_up(run, item))
        return false;
    run->budget = budget;
    enum in_stop stop = run->engine == IN_FAST        ? in_engine_fast(run, item, NULL)
                        : run->engine == IN_RECORDING ? in_engine_full(run, item, NULL)
                        : run->engine == IN_WEAK      ? in_engine_weak(run, item, NULL)
                                                      : in_engine_check(run, item, NULL);
    run->executed += (uint64_t)(budget - run->budget);
    run->progress.slice_left -= budget - run->budget;
    bool cut = stop == IN_STOP_YIELD && run->budget <= 0 && run->progress.slice_left > 0;
    run->progress.current =
        cut ? item : NULL; /* only the caller's quantum is used up: the same work-item resumes */
    if (cut)
        return true;
    item_stopped(run, item, stop);
    return true;
}

void in_step_limit(struct in_run *run, struct in_item *item, const struct in_insn *pc)
{
    in_raise(run, item, pc, "step-limit", "refcl", "the launch executed more than %llu instructions",
             (unsigned long long)run->launch.step_limit);
    run->outcome.stopped = run->outcome.limit = true;
}

void in_schedule(struct in_run *run, uint64_t quantum)
{
    uint64_t end = quantum == 0 ? UINT64_MAX : run->executed + quantum;
    while (!run->outcome.over && !run->outcome.stopped && !run->outcome.limit && run->executed < end &&
           !run->native) {
        struct in_item *item = run->progress.current ? run->progress.current : pick_item(run);
        if (!item) { /* all work-items of the group are blocked: next group */
            rotate_groups(run);
            continue;
        }
        if (!run->progress.current)
            run->progress.slice_left = slice_length(run);
        uint64_t left = end - run->executed;
        execute_slice(run, item,
                      (uint64_t)run->progress.slice_left > left ? (int64_t)left : run->progress.slice_left);
        if (__builtin_expect(run->executed >= run->promotion.split_at, 0) && !run->outcome.over)
            leave_to_native(run);
        if (run->launch.step_limit != 0 && run->executed > run->launch.step_limit)
            in_step_limit(run, item, item->frame && item->state == IN_ITEM_READY ? item->pc : NULL);
    }
}
