/* Asynchronous copies [CLC 6.15.11]: each is a separate agent.
 *
 * Any work-item of the group may perform any part of a copy, and the call does not synchronize: what happens
 * before a copy is what happens before its call in every calling work-item (the meet of their clocks).  The
 * copy happens before what follows a wait for its event in the waiting work-item.  Barriers, and what the
 * work-items do between call and wait, do not order it.  A fence of copies orders those that the work-group
 * called before it before those called after it, in the memory of its flags, and neither with anything else:
 * a later copy that accesses none of this memory may be complete before the earlier ones are.
 *
 * In clocks a copy is named by one of the work-group's copy slots.  A slot is reused by a copy that happens
 * after all earlier copies of the slot.  See docs/detector.md#asynchronous-copies. */
#include "checker/race/agents.h"

#include <string.h>

static const enum ck_region copy_regions[] = {CK_REGION_GLOBAL, CK_REGION_LOCAL};
enum { COPY_REGIONS = sizeof copy_regions / sizeof *copy_regions };

/* Agent keys of copy slots count down from the runtime's key. */
static uint64_t slot_key(uint32_t command, uint32_t slot)
{
    return (uint64_t)command << 32 | (MM_INDEX_RUNTIME - 1 - slot);
}

bool ck_is_copy(const struct ck_detector *d, uint64_t agent)
{
    uint32_t back = MM_INDEX_RUNTIME - (uint32_t)agent;
    const struct ck_command *command =
        back && !ck_is_host(agent) ? ck_command_known(d, (uint32_t)(agent >> 32)) : NULL;
    return command && back <= command->copy_slot_count;
}

uint64_t ck_issuer_of(const struct ck_detector *d, uint64_t agent)
{
    if (!ck_is_copy(d, agent))
        return agent;
    const struct ck_command *command = ck_command_known(d, (uint32_t)(agent >> 32));
    return (agent & ~(uint64_t)UINT32_MAX) | command->copy_slots[MM_INDEX_RUNTIME - 1 - (uint32_t)agent];
}

/* ---- the copies of a group ----------------------------------------------------------------- */

static struct ck_copy *find_copy(const struct ck_group *group, uint32_t number)
{
    struct ck_copy *copy = group->copies;
    while (copy && copy->number != number)
        copy = copy->next;
    return copy;
}

static void free_copy(struct ck_detector *d, struct ck_copy *copy)
{
    for (int s = 0; s < CK_REGIONS; s++) {
        ck_clock_drop(&d->clocks, copy->item.clock[s]);
        ck_clock_drop(&d->clocks, copy->waited_from[s]);
        ck_clock_drop(&d->clocks, copy->waited_to[s]);
    }
    ck_budget_free(&d->budget, copy, sizeof *copy);
}

void ck_copies_free(struct ck_detector *d, struct ck_group *group)
{
    while (group->copies) {
        struct ck_copy *copy = group->copies;
        group->copies = copy->next;
        free_copy(d, copy);
    }
    while (group->copy_slots) {
        struct ck_copy_slot *slot = group->copy_slots;
        group->copy_slots = slot->next;
        ck_budget_free(&d->budget, slot, sizeof *slot);
    }
    for (int s = 0; s < CK_REGIONS; s++) {
        ck_clock_drop(&d->clocks, group->copy_fence[s]);
        group->copy_fence[s] = NULL;
    }
}

static struct ck_group *group_of_event(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    return command ? ck_group_of(d, command, event->agent.index) : NULL;
}

/* ---- start ------------------------------------------------------------------------------------ */

/* Meets the copy's clock with the clock of caller ITEM.  Callers that share one clock need no meet: that
 * clock holds no caller's latest accesses.  The accesses of an only caller are added at the start. */
static void copy_meet_caller(struct ck_detector *d, struct ck_copy *copy, const struct ck_item *item,
                             uint64_t agent, enum ck_region s)
{
    struct ck_clock **common = &copy->item.clock[s];
    if (!copy->callers) {
        *common = ck_clock_ref(item->clock[s]);
        copy->first_time[s] = item->time[s];
        return;
    }
    if (!copy->differ[s] && *common == item->clock[s])
        return;
    if (!copy->differ[s] && copy->callers == 1)
        ck_clock_raise(&d->clocks, common, copy->first, copy->first, copy->first_time[s]);
    copy->differ[s] = true;
    struct ck_clock *own = ck_clock_ref(item->clock[s]);
    ck_clock_raise(&d->clocks, &own, agent, agent, item->time[s]);
    ck_clock_meet(&d->clocks, common, own);
    ck_clock_drop(&d->clocks, own);
}

static void copy_issue(struct ck_detector *d, struct ck_group *group, const struct mm_event *event)
{
    struct ck_item *item = ck_item_of(d, event->agent);
    struct ck_copy *copy = find_copy(group, event->instance);
    if (!copy && item) {
        copy = ck_budget_alloc(&d->budget, sizeof *copy);
        if (!copy)
            return;
        copy->number = event->instance;
        copy->source = event->source;
        copy->first = ck_agent_key(event->agent);
        copy->next = group->copies;
        group->copies = copy;
    }
    if (!item || copy->started)
        return;
    for (int r = 0; r < COPY_REGIONS; r++) {
        copy_meet_caller(d, copy, item, ck_agent_key(event->agent), copy_regions[r]);
        item->time[copy_regions[r]]++; /* accesses after the call are not ordered before the copy */
    }
    copy->callers++;
}

/* True if COPY happens after all earlier copies of SLOT. */
static bool copy_follows(const struct ck_copy *copy, const struct ck_copy_slot *slot)
{
    bool all = true;
    for (int r = 0; r < COPY_REGIONS; r++)
        all &= ck_clock_get(copy->item.clock[copy_regions[r]], slot->key) >= slot->last[copy_regions[r]];
    return all;
}

static struct ck_copy_slot *new_copy_slot(struct ck_detector *d, struct ck_command *command,
                                          struct ck_group *group, uint32_t index)
{
    if (!ck_budget_reserve(&d->budget, &command->copy_slots, &command->copy_slot_capacity,
                           command->copy_slot_count + UINT64_C(1), sizeof *command->copy_slots))
        return NULL;
    struct ck_copy_slot *slot = ck_budget_alloc(&d->budget, sizeof *slot);
    if (!slot)
        return NULL;
    command->copy_slots[command->copy_slot_count] = index;
    slot->key = slot_key(command->info.id, command->copy_slot_count++);
    slot->next = group->copy_slots;
    group->copy_slots = slot;
    return slot;
}

/* Starts COPY in a slot; reports name work-item INDEX as the agent of its accesses. */
static void copy_start(struct ck_detector *d, struct ck_command *command, struct ck_group *group,
                       struct ck_copy *copy, uint32_t index)
{
    copy->started = true;
    for (int r = 0; r < COPY_REGIONS && copy->callers == 1; r++)
        ck_clock_raise(&d->clocks, &copy->item.clock[copy_regions[r]], copy->first, copy->first,
                       copy->first_time[copy_regions[r]]);
    for (int r = 0; r < COPY_REGIONS; r++) {
        ck_clock_join(&d->clocks, &copy->item.clock[copy_regions[r]], group->copy_fence[copy_regions[r]]);
        copy->fenced |= group->copy_fence[copy_regions[r]] != NULL;
    }
    struct ck_copy_slot *slot = group->copy_slots;
    while (slot && !copy_follows(copy, slot))
        slot = slot->next;
    if (!slot)
        slot = new_copy_slot(d, command, group, index);
    if (!slot)
        return;
    slot->time++;
    copy->slot = slot;
    copy->key = slot->key;
    memcpy(copy->slot_last, slot->last, sizeof slot->last);
    for (int s = 0; s < CK_REGIONS; s++)
        copy->item.time[s] = slot->last[s] = slot->time;
}

struct ck_copy *ck_copy_of(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    struct ck_group *group = group_of_event(d, event);
    struct ck_copy *copy = group ? find_copy(group, event->instance) : NULL;
    if (copy && !copy->started)
        copy_start(d, command, group, copy, event->agent.index);
    return copy && copy->key ? copy : NULL;
}

/* ---- fence ------------------------------------------------------------------------------------- */

/* Starts the copies called before the fence, so that their clocks precede the fence: the record may have
 * their accesses after the fence.  Events that happen before one of them happen before its calls, and so
 * before those of later copies. */
static void copy_fence(struct ck_detector *d, struct ck_group *group, const struct mm_event *event)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    for (struct ck_copy *copy = group->copies; copy; copy = copy->next)
        if (!copy->started)
            copy_start(d, command, group, copy, event->agent.index);
    for (struct ck_copy *copy = group->copies; copy; copy = copy->next)
        for (int r = 0; r < COPY_REGIONS && copy->key; r++) {
            enum ck_region s = copy_regions[r];
            if (!(event->fence_flags & (s == CK_REGION_LOCAL ? MM_FENCE_LOCAL : MM_FENCE_GLOBAL)))
                continue;
            ck_clock_raise(&d->clocks, &group->copy_fence[s], copy->key, copy->key, copy->item.time[s]);
        }
}

/* ---- end --------------------------------------------------------------------------------------- */

/* The copy is complete for ITEM, which orders nothing in a region that the copy does not access.  Memoized:
 * work-items with equal clocks before share one clock afterwards. */
static void copy_complete_for(struct ck_detector *d, struct ck_copy *copy, struct ck_item *item,
                              enum ck_region s)
{
    if (!copy->accesses[s])
        return;
    if (!copy->waited_to[s] || copy->waited_from[s] != item->clock[s]) {
        ck_clock_drop(&d->clocks, copy->waited_from[s]);
        ck_clock_drop(&d->clocks, copy->waited_to[s]);
        copy->waited_from[s] = ck_clock_ref(item->clock[s]);
        copy->waited_to[s] = ck_clock_ref(item->clock[s]);
        if (copy->fenced) /* also joins the copies that fences order before COPY */
            ck_clock_join(&d->clocks, &copy->waited_to[s], copy->item.clock[s]);
        ck_clock_raise(&d->clocks, &copy->waited_to[s], copy->key, copy->key, copy->item.time[s]);
    }
    ck_clock_drop(&d->clocks, item->clock[s]);
    item->clock[s] = ck_clock_ref(copy->waited_to[s]);
}

/* The copy is complete: later ones may use its slot without an order in the regions that it did not
 * access. */
static void copy_leave_slot(const struct ck_copy *copy)
{
    struct ck_copy_slot *slot = copy->slot;
    if (!slot || slot->time != copy->item.time[CK_REGION_GLOBAL])
        return;
    for (int s = 0; s < CK_REGIONS; s++)
        if (!copy->accesses[s])
            slot->last[s] = copy->slot_last[s];
}

static void copy_wait(struct ck_detector *d, struct ck_group *group, const struct mm_event *event)
{
    struct ck_item *item = ck_item_of(d, event->agent);
    struct ck_copy *copy = find_copy(group, event->instance);
    if (!item || !copy)
        return;
    for (int r = 0; r < COPY_REGIONS && copy->key; r++)
        copy_complete_for(d, copy, item, copy_regions[r]);
    if (++copy->waiters < copy->callers)
        return;
    copy_leave_slot(copy);
    struct ck_copy **link = &group->copies;
    while (*link != copy)
        link = &(*link)->next;
    *link = copy->next;
    free_copy(d, copy);
}

static bool is_same_location(struct ck_detector *d, uint32_t source, uint32_t wanted)
{
    const struct ck_source *a = ck_source_of(d, source), *b = ck_source_of(d, wanted);
    return source == wanted || (a && b && a->location_key == b->location_key);
}

void ck_copies_apply_change(struct ck_detector *d, const struct mm_event *event)
{
    const struct ck_change *change = d->supposed;
    if (!is_same_location(d, event->source, change->source[1]) || mm_is_copy(event))
        return;
    struct ck_group *group = event->agent.index != MM_INDEX_RUNTIME ? group_of_event(d, event) : NULL;
    struct ck_item *item = group ? ck_item_of(d, event->agent) : NULL;
    for (struct ck_copy *copy = item ? group->copies : NULL; copy; copy = copy->next)
        for (int r = 0; r < COPY_REGIONS && copy->key && is_same_location(d, copy->source, change->source[0]);
             r++)
            copy_complete_for(d, copy, item, copy_regions[r]);
}

void ck_race_copy(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_group *group = event->agent.index != MM_INDEX_RUNTIME ? group_of_event(d, event) : NULL;
    if (!group || ck_is_host(ck_agent_key(event->agent)))
        return;
    if (event->kind == MM_COPY_START)
        copy_issue(d, group, event);
    else if (event->kind == MM_COPY_FENCE)
        copy_fence(d, group, event);
    else
        copy_wait(d, group, event);
}
