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

/* Notes the entry of N work-items from INDEX on, most often together with those before them. */
static bool note_entry(struct ck_detector *d, struct ck_barrier *b, uint32_t index, uint8_t flags,
                       const struct ck_item *item, uint32_t n)
{
    struct ck_barrier_entry *last = b->entry_count ? &b->entries[b->entry_count - 1] : NULL;
    if (last && last->index + last->count == index && last->flags == flags &&
        memcmp(last->time, item->time, sizeof last->time) == 0) {
        last->count += n;
        return true;
    }
    if (b->entry_count == b->capacity && !ck_budget_reserve(&d->budget, &b->entries, &b->capacity,
                                                            b->entry_count + UINT64_C(1), sizeof *b->entries))
        return false;
    struct ck_barrier_entry *entry = &b->entries[b->entry_count++];
    *entry = (struct ck_barrier_entry){.index = index, .count = n, .flags = flags};
    memcpy(entry->time, item->time, sizeof entry->time);
    return true;
}

/* True if the barrier's fences must be processed: they also synchronize through atomics.  Within the
 * barrier's group the barrier itself gives all of this order, so the fences matter for wider scopes only. */
static bool fences_matter(const struct mm_event *event, const struct ck_item *item)
{
    enum ck_slot slot = ck_slot_of(event);
    enum ck_slot own = is_sub_group(event) ? CK_SLOT_SUB_GROUP : CK_SLOT_WORK_GROUP;
    return item->fences || (slot != CK_SLOT_NONE && slot > own);
}

/* N work-items with the state of ITEM, the first one, enter. */
static void barrier_enter(struct ck_detector *d, struct ck_barrier *b, const struct mm_event *event,
                          struct ck_item *item, uint32_t n)
{
    if (!note_entry(d, b, event->agent.index, event->fence_flags, item, n))
        return;
    b->entered += n;
    for (int s = 0; s < CK_REGIONS; s++) {
        if (b->max_time[s] < item->time[s])
            b->max_time[s] = item->time[s];
        if (!ck_fence_in(event->fence_flags, (enum ck_region)s))
            continue;
        b->entered_with[s] += n;
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
        for (size_t i = 0; b->entered_with[s] && i < b->entry_count; i++) {
            const struct ck_barrier_entry *entry = &b->entries[i];
            uint64_t first = base | entry->index;
            if (ck_fence_in(entry->flags, (enum ck_region)s))
                ck_clock_raise(&d->clocks, &b->joined[s], first, first + entry->count - 1, entry->time[s]);
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

/* The N - 1 work-items after ITEM, which had the state BEFORE, have that of ITEM from now on. */
static void share_state(struct ck_detector *d, struct ck_item *item, const struct ck_item *before, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++)
        item[k] = *item;
    for (int s = 0; s < CK_REGIONS; s++)
        ck_clock_move(&d->clocks, before->clock[s], item->clock[s], n - 1);
}

/* N work-items with the state of ITEM, the first one, leave; true if they are the last ones. */
static bool barrier_leave(struct ck_detector *d, struct ck_group *group, struct ck_barrier *b,
                          const struct mm_event *event, struct ck_item *item, uint32_t n)
{
    const struct ck_item before = *item;
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
    if (n > 1)
        share_state(d, item, &before, n);
    b->exited += n;
    return b->exited >= b->entered;
}

static void remove_barrier(struct ck_detector *d, struct ck_group *group, struct ck_barrier *b)
{
    struct ck_barrier **link = &group->barriers;
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    free_barrier(d, b);
}

/* How many of the MOST work-items from ITEM on, that of EVENT, are in one state and have no fences, of which
 * each has its own. */
static uint32_t count_alike(const struct mm_event *event, const struct ck_item *item, uint32_t most)
{
    uint32_t in_chunk = CK_ITEM_CHUNK - event->agent.index % CK_ITEM_CHUNK, n = 1;
    if (most == 1 || fences_matter(event, item))
        return 1;
    while (n < most && n < in_chunk && memcmp(&item[n], item, sizeof *item) == 0)
        n++;
    return n;
}

/* Processes EVENT and those of the next work-items, COUNT in all, as far as they take part in the same
 * barrier; returns how many.  EVENT becomes that of the work-item after them. */
static uint32_t pass_barrier(struct ck_detector *d, struct mm_event *event, uint32_t count)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    struct ck_group *group = command && event->agent.index != MM_INDEX_RUNTIME
                                 ? ck_group_of(d, command, event->agent.index)
                                 : NULL;
    uint32_t first = group ? barrier_first(command, group, event) : 0, passed = 0;
    struct ck_barrier *b = group ? find_barrier(group, event, first) : NULL;
    if (group && !b && event->kind == MM_BARRIER_ENTRY)
        b = new_barrier(d, command, group, event, first);
    do {
        struct ck_item *item = b ? ck_item_of(d, event->agent) : NULL;
        uint32_t left = b ? b->expected - (event->agent.index - first) : 1;
        uint32_t n = item ? count_alike(event, item, left < count - passed ? left : count - passed) : 1;
        if (item && event->kind == MM_BARRIER_ENTRY) {
            barrier_enter(d, b, event, item, n);
        } else if (item && barrier_leave(d, group, b, event, item, n)) {
            remove_barrier(d, group, b);
            b = NULL;
        }
        event->agent.index += n;
        passed += n;
        d->next_event += passed < count ? n : n - 1;
    } while (b && passed < count && event->agent.index - first < b->expected);
    return passed;
}

void ck_race_barrier(struct ck_detector *d, const struct mm_event *first, uint32_t count)
{
    struct mm_event event = *first;
    for (uint32_t passed = 0; passed < count;)
        passed += pass_barrier(d, &event, count - passed);
}
