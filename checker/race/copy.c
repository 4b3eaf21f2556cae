/* Asynchronous copies [CLC 6.15.11]: agents of their own.
 *
 * Any work-item of the group may carry out any part of a copy, and nothing is synchronised before it: a copy
 * comes after what comes before the call in every work-item that makes it.  It comes before what follows a
 * wait for its event, in whoever waits.  Barriers, and what the work-items do in between, do not order it.
 *
 * The clocks of a work-group know a copy by a place that the group has for it; the place is given to another
 * copy that comes after all that had it before. */
#include "checker/race/race.h"

#include <string.h>

static const enum ck_system systems[] = {CK_SYS_GLOBAL, CK_SYS_LOCAL};
enum { REGIONS = sizeof systems / sizeof *systems };

/* Their keys count down from the runtime's. */
static uint64_t place_key(uint32_t command, uint32_t place)
{
    return (uint64_t)command << 32 | (MM_INDEX_RUNTIME - 1 - place);
}

bool ck_is_copy(const struct ck_detector *d, uint64_t agent)
{
    uint32_t back = MM_INDEX_RUNTIME - (uint32_t)agent;
    const struct ck_command *command =
        back && !ck_is_host(agent) ? ck_map_get(&d->commands, agent >> 32) : NULL;
    return command && back <= command->place_count;
}

uint64_t ck_home_of(const struct ck_detector *d, uint64_t agent)
{
    if (!ck_is_copy(d, agent))
        return agent;
    const struct ck_command *command = ck_map_get(&d->commands, agent >> 32);
    return (agent & ~(uint64_t)UINT32_MAX) | command->places[MM_INDEX_RUNTIME - 1 - (uint32_t)agent];
}

/* ---- the copies of a group ----------------------------------------------------------------- */

static struct ck_copy *find(const struct ck_group *group, uint32_t number)
{
    struct ck_copy *copy = group->copies;
    while (copy && copy->number != number)
        copy = copy->next;
    return copy;
}

static void drop(struct ck_detector *d, struct ck_copy *copy)
{
    for (int s = 0; s < CK_SYSTEMS; s++) {
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
        drop(d, copy);
    }
    while (group->places) {
        struct ck_place *place = group->places;
        group->places = place->next;
        ck_budget_free(&d->budget, place, sizeof *place);
    }
}

static struct ck_group *group_of(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    return command ? ck_group_of(d, command, event->agent.index) : NULL;
}

/* ---- start ------------------------------------------------------------------------------------ */

/* What comes before the call in ITEM as in those that have made it.  Work-items that know the same know of
 * each other what counts; what an only one did is added at the start. */
static void meet(struct ck_detector *d, struct ck_copy *copy, const struct ck_item *item, uint64_t agent,
                 enum ck_system s)
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

static void call(struct ck_detector *d, struct ck_group *group, const struct mm_event *event)
{
    struct ck_item *item = ck_item_of(d, event->agent);
    struct ck_copy *copy = find(group, event->instance);
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
    for (int r = 0; r < REGIONS; r++) {
        meet(d, copy, item, ck_agent_key(event->agent), systems[r]);
        item->time[systems[r]]++; /* what follows the call does not come before the copy */
    }
    copy->callers++;
}

/* COPY comes after all that had PLACE. */
static bool follows(const struct ck_copy *copy, const struct ck_place *place)
{
    bool all = true;
    for (int r = 0; r < REGIONS; r++)
        all &= ck_clock_get(copy->item.clock[systems[r]], place->key) >= place->time;
    return all;
}

static struct ck_place *new_place(struct ck_detector *d, struct ck_command *command, struct ck_group *group,
                                  uint32_t index)
{
    if (command->place_count == command->place_capacity) {
        uint32_t capacity = command->place_capacity ? command->place_capacity * 2 : 16;
        uint32_t *places = ck_budget_alloc(&d->budget, capacity * sizeof *places);
        if (!places)
            return NULL;
        if (command->place_count)
            memcpy(places, command->places, command->place_count * sizeof *places);
        ck_budget_free(&d->budget, command->places, command->place_capacity * sizeof *places);
        command->places = places;
        command->place_capacity = capacity;
    }
    struct ck_place *place = ck_budget_alloc(&d->budget, sizeof *place);
    if (!place)
        return NULL;
    command->places[command->place_count] = index;
    place->key = place_key(command->info.id, command->place_count++);
    place->next = group->places;
    group->places = place;
    return place;
}

/* Of its accesses, INDEX is said to be the work-item. */
static void start(struct ck_detector *d, struct ck_command *command, struct ck_group *group,
                  struct ck_copy *copy, uint32_t index)
{
    copy->started = true;
    for (int r = 0; r < REGIONS && copy->callers == 1; r++)
        ck_clock_raise(&d->clocks, &copy->item.clock[systems[r]], copy->first, copy->first,
                       copy->first_time[systems[r]]);
    struct ck_place *place = group->places;
    while (place && !follows(copy, place))
        place = place->next;
    if (!place)
        place = new_place(d, command, group, index);
    if (!place)
        return;
    place->time++;
    copy->key = place->key;
    for (int s = 0; s < CK_SYSTEMS; s++)
        copy->item.time[s] = place->time;
}

struct ck_copy *ck_copy_of(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_command *command = ck_command_of(d, event->agent.command);
    struct ck_group *group = group_of(d, event);
    struct ck_copy *copy = group ? find(group, event->instance) : NULL;
    if (copy && !copy->started)
        start(d, command, group, copy, event->agent.index);
    return copy && copy->key ? copy : NULL;
}

/* ---- end --------------------------------------------------------------------------------------- */

/* Those who know the same before know the same afterwards. */
static void know(struct ck_detector *d, struct ck_copy *copy, struct ck_item *item, enum ck_system s)
{
    if (!copy->waited_to[s] || copy->waited_from[s] != item->clock[s]) {
        ck_clock_drop(&d->clocks, copy->waited_from[s]);
        ck_clock_drop(&d->clocks, copy->waited_to[s]);
        copy->waited_from[s] = ck_clock_ref(item->clock[s]);
        copy->waited_to[s] = ck_clock_ref(item->clock[s]);
        ck_clock_raise(&d->clocks, &copy->waited_to[s], copy->key, copy->key, copy->item.time[s]);
    }
    ck_clock_drop(&d->clocks, item->clock[s]);
    item->clock[s] = ck_clock_ref(copy->waited_to[s]);
}

static void wait(struct ck_detector *d, struct ck_group *group, const struct mm_event *event)
{
    struct ck_item *item = ck_item_of(d, event->agent);
    struct ck_copy *copy = find(group, event->instance);
    if (!item || !copy)
        return;
    for (int r = 0; r < REGIONS && copy->key; r++)
        know(d, copy, item, systems[r]);
    if (++copy->waiters < copy->callers)
        return;
    struct ck_copy **link = &group->copies;
    while (*link != copy)
        link = &(*link)->next;
    *link = copy->next;
    drop(d, copy);
}

static bool is_at(struct ck_detector *d, uint32_t source, uint32_t wanted)
{
    const struct ck_source *a = ck_source_of(d, source), *b = ck_source_of(d, wanted);
    return source == wanted || (a && b && a->place == b->place);
}

void ck_copies_as_changed(struct ck_detector *d, const struct mm_event *event)
{
    const struct ck_change *change = d->supposed;
    if (!is_at(d, event->source, change->source[1]) || mm_is_copy(event))
        return;
    struct ck_group *group = event->agent.index != MM_INDEX_RUNTIME ? group_of(d, event) : NULL;
    struct ck_item *item = group ? ck_item_of(d, event->agent) : NULL;
    for (struct ck_copy *copy = item ? group->copies : NULL; copy; copy = copy->next)
        for (int r = 0; r < REGIONS && copy->key && is_at(d, copy->source, change->source[0]); r++)
            know(d, copy, item, systems[r]);
}

void ck_race_copy(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_group *group = event->agent.index != MM_INDEX_RUNTIME ? group_of(d, event) : NULL;
    if (!group || ck_is_host(ck_agent_key(event->agent)))
        return;
    if (event->kind == MM_COPY_START)
        call(d, group, event);
    else
        wait(d, group, event);
}
