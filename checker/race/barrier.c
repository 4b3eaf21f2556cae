/* Barriers of work-groups and sub-groups: what happened before any entry happens before every exit, in
 * the memory that the flags name [CL 3.3.6 W1-W8, B1-B8].
 *
 * When a whole group takes part, as it must, its members leave with the same clock, in which the group is
 * one piece.  Every barrier increments the times, also of regions that it does not fence, so that a report
 * can name the barrier that lacks a flag.  See docs/detector.md#barriers. */
#include "checker/race/agents.h"

#include <string.h>

static bool is_sub_group(const struct mm_event *event)
{
    return event->effective_scope == MM_SCOPE_SUB_GROUP;
}

static uint32_t barrier_first(const struct ck_command *command, const struct ck_group *group,
                              const struct mm_event *event)
{
    return is_sub_group(event) ? ck_sub_group_first(command, event->agent.index) : (uint32_t)group->key;
}

static uint32_t barrier_items(const struct ck_command *command, const struct mm_event *event)
{
    uint32_t group = ck_group_first(command, event->agent.index), items = ck_group_items(command, group);
    if (!is_sub_group(event))
        return items;
    uint32_t before = ck_sub_group_first(command, event->agent.index) - group;
    uint32_t left = before < items ? items - before : 0;
    return left < command->sub_group_size ? left : command->sub_group_size;
}

static struct ck_barrier *find_barrier(const struct ck_group *group, const struct mm_event *event,
                                       uint32_t first)
{
    struct ck_barrier *b = group->barriers;
    while (b && (b->site != event->site || b->instance != event->instance || b->first != first ||
                 b->sub_group != is_sub_group(event)))
        b = b->next;
    return b;
}

static struct ck_barrier *new_barrier(struct ck_detector *d, const struct ck_command *command,
                                      struct ck_group *group, const struct mm_event *event, uint32_t first)
{
    struct ck_barrier *b = ck_budget_alloc(&d->budget, sizeof *b);
    if (!b)
        return NULL;
    b->site = event->site;
    b->instance = event->instance;
    b->first = first;
    b->sub_group = is_sub_group(event);
    b->expected = barrier_items(command, event);
    b->next = group->barriers;
    group->barriers = b;
    return b;
}

static void free_barrier(struct ck_detector *d, struct ck_barrier *b)
{
    for (int s = 0; s < CK_REGIONS; s++) {
        ck_clock_drop(&d->clocks, b->joined[s]);
        ck_clock_drop(&d->clocks, b->left_from[s]);
        ck_clock_drop(&d->clocks, b->left_to[s]);
    }
    ck_budget_free(&d->budget, b->entries, b->capacity * sizeof *b->entries);
    ck_budget_free(&d->budget, b, sizeof *b);
}

void ck_barriers_free(struct ck_detector *d, struct ck_group *group)
{
    while (group->barriers) {
        struct ck_barrier *b = group->barriers;
        group->barriers = b->next;
        free_barrier(d, b);
    }
}

static struct ck_barrier_entry *new_entry(struct ck_detector *d, struct ck_barrier *b)
{
    enum { MOST_AT_ONCE = 256 };
    uint64_t needed = b->entered + UINT64_C(1);
    if (!b->entries && needed < b->expected)
        needed = b->expected < MOST_AT_ONCE ? b->expected : MOST_AT_ONCE;
    if (b->entered == b->capacity &&
        !ck_budget_reserve(&d->budget, &b->entries, &b->capacity, needed, sizeof *b->entries))
        return NULL;
    return &b->entries[b->entered++];
}

/* True if the barrier's fences must be processed: they also synchronize through atomics.  Within the
 * barrier's group the barrier itself gives all of this order, so the fences matter for wider scopes only. */
static bool fences_matter(const struct mm_event *event, const struct ck_item *item)
{
    enum ck_slot slot = ck_slot_of(event);
    enum ck_slot own = is_sub_group(event) ? CK_SLOT_SUB_GROUP : CK_SLOT_WORK_GROUP;
    return item->fences || (slot != CK_SLOT_NONE && slot > own);
}

static void barrier_enter(struct ck_detector *d, struct ck_barrier *b, const struct mm_event *event,
                          struct ck_item *item)
{
    struct ck_barrier_entry *entry = new_entry(d, b);
    if (!entry)
        return;
    entry->index = event->agent.index;
    entry->flags = event->fence_flags;
    for (int s = 0; s < CK_REGIONS; s++) {
        entry->time[s] = item->time[s];
        if (b->max_time[s] < item->time[s])
            b->max_time[s] = item->time[s];
        if (!ck_fence_in(event->fence_flags, (enum ck_region)s))
            continue;
        b->entered_with[s]++;
        ck_clock_join(&d->clocks, &b->joined[s], item->clock[s]);
    }
    b->sealed = false;
    if (fences_matter(event, item))
        ck_fence_release(d, event, item);
}

/* Called when all participants have entered: adds their own accesses to the joined clock. */
static void barrier_seal(struct ck_detector *d, struct ck_barrier *b, uint32_t command)
{
    uint64_t base = (uint64_t)command << 32;
    b->sealed = true;
    for (int s = 0; s < CK_REGIONS; s++) {
        ck_clock_set(&d->clocks, &b->left_from[s], NULL);
        if (b->expected && b->entered_with[s] == b->expected) {
            uint64_t first = base | b->first;
            ck_clock_raise(&d->clocks, &b->joined[s], first, first + b->expected - 1, b->max_time[s]);
            continue;
        }
        for (uint32_t i = 0; b->entered_with[s] && i < b->entered; i++) {
            uint64_t agent = base | b->entries[i].index;
            if (ck_fence_in(b->entries[i].flags, (enum ck_region)s))
                ck_clock_raise(&d->clocks, &b->joined[s], agent, agent, b->entries[i].time[s]);
        }
    }
}

static void barrier_remember(struct ck_group *group, const struct ck_barrier *b, const struct mm_event *event)
{
    struct ck_past_barrier *past = &group->past[group->past_count++ % CK_PAST_BARRIERS];
    past->source = event->source;
    past->first = b->first;
    past->expected = b->expected;
    past->flags = event->fence_flags;
    memcpy(past->time, b->max_time, sizeof past->time);
}

/* The clock of ITEM joins that of the barrier.  Most work-items have entered with the same clock, so that the
 * result is that of the work-item before. */
static void join_barrier(struct ck_detector *d, struct ck_barrier *b, struct ck_item *item, int region)
{
    struct ck_clock **clock = &item->clock[region];
    if (*clock && *clock == b->left_from[region]) {
        ck_clock_set(&d->clocks, clock, b->left_to[region]);
        return;
    }
    ck_clock_set(&d->clocks, &b->left_from[region], *clock);
    ck_clock_join(&d->clocks, clock, b->joined[region]);
    ck_clock_set(&d->clocks, &b->left_to[region], *clock);
}

static void barrier_leave(struct ck_detector *d, struct ck_group *group, struct ck_barrier *b,
                          const struct mm_event *event, struct ck_item *item)
{
    if (!b->sealed) {
        barrier_seal(d, b, event->agent.command);
        if (b->entered == b->expected)
            barrier_remember(group, b, event);
    }
    for (int s = 0; s < CK_REGIONS; s++) {
        if (ck_fence_in(event->fence_flags, (enum ck_region)s))
            join_barrier(d, b, item, s);
        if (item->time[s] <= b->max_time[s])
            item->time[s] = b->max_time[s] + 1;
    }
    if (ck_fence_in(event->fence_flags, CK_REGION_IMAGE))
        item->image_fenced = item->time[CK_REGION_IMAGE];
    if (fences_matter(event, item))
        ck_fence_acquire(d, event, item);
    if (++b->exited < b->entered)
        return;
    struct ck_barrier **link = &group->barriers;
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    free_barrier(d, b);
}

void ck_race_barrier(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    struct ck_item *item = ck_item_of(d, event->agent);
    struct ck_group *group = command ? ck_group_of(d, command, event->agent.index) : NULL;
    if (!item || !group || event->agent.index == MM_INDEX_RUNTIME)
        return;
    uint32_t first = barrier_first(command, group, event);
    struct ck_barrier *b = find_barrier(group, event, first);
    if (event->kind == MM_BARRIER_ENTRY) {
        if (!b)
            b = new_barrier(d, command, group, event, first);
        if (b)
            barrier_enter(d, b, event, item);
    } else if (b) {
        barrier_leave(d, group, b, event, item);
    }
}
