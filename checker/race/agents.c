/* Agents: work-items, host threads and the runtime acting for commands, with their clocks.
 *
 * A work-item starts with the clock of its command's start [CL 3.3.6 H9], and the
 * command's end joins the accesses and clocks of all its work-items [CL 3.3.6 H10]. */
#include "checker/race/agents.h"

#include <string.h>

struct ck_command *ck_command_known(const struct ck_detector *d, uint32_t id)
{
    if (d->last.command && d->last.command->info.id == id)
        return d->last.command;
    return mm_map_pointer(&d->maps.commands, id);
}

struct ck_command *ck_command_find(struct ck_detector *d, uint32_t id)
{
    struct ck_command *command = ck_command_known(d, id);
    if (!command) {
        command = ck_budget_alloc(&d->budget, sizeof *command);
        if (!command)
            return NULL;
        command->info.id = id;
        command->root = id;
        command->group_size = command->sub_group_size = 1;
        if (!ck_map_put(&d->maps.commands, &d->budget, id, command)) {
            ck_budget_free(&d->budget, command, sizeof *command);
            return NULL;
        }
    }
    d->last.command = command;
    return command;
}

void ck_command_describe(struct ck_command *command, const struct mm_command *info)
{
    uint64_t size = 1;
    command->info = *info;
    command->known = true;
    for (uint32_t i = 0; i < info->dimensions && i < 3; i++)
        size *= info->local_size[i] ? info->local_size[i] : 1;
    command->group_size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    command->sub_group_size = info->sub_group_size && info->sub_group_size < command->group_size
                                  ? info->sub_group_size
                                  : command->group_size;
}

uint32_t ck_group_first(const struct ck_command *command, uint32_t index)
{
    return index - index % command->group_size;
}

uint32_t ck_sub_group_first(const struct ck_command *command, uint32_t index)
{
    uint32_t in_group = index % command->group_size;
    return index - in_group % command->sub_group_size;
}

uint32_t ck_group_items(const struct ck_command *command, uint32_t first)
{
    const struct mm_command *info = &command->info;
    uint64_t group = first / command->group_size, items = 1;
    for (uint32_t i = 0; i < info->dimensions && i < 3; i++) {
        uint64_t local = info->local_size[i] ? info->local_size[i] : 1, global = info->global_size[i];
        uint64_t count = global / local + (global % local != 0);
        uint64_t at = count ? group % count * local : 0;
        group = count ? group / count : 0;
        items *= at < global && global - at < local ? global - at : local;
    }
    return items < command->group_size ? (uint32_t)items : command->group_size;
}

static struct ck_item *chunk_item(struct ck_detector *d, struct ck_command *command, uint32_t index)
{
    size_t chunk = index / CK_ITEM_CHUNK;
    if (chunk >= command->chunk_count) {
        size_t count = chunk + 1 > command->chunk_count * 2 ? chunk + 1 : command->chunk_count * 2;
        struct ck_item **chunks = ck_budget_alloc(&d->budget, count * sizeof *chunks);
        if (!chunks)
            return NULL;
        if (command->chunk_count)
            memcpy(chunks, command->chunks, command->chunk_count * sizeof *chunks);
        ck_budget_free(&d->budget, command->chunks, command->chunk_count * sizeof *chunks);
        command->chunks = chunks;
        command->chunk_count = count;
    }
    if (!command->chunks[chunk])
        command->chunks[chunk] = ck_budget_alloc(&d->budget, CK_ITEM_CHUNK * sizeof(struct ck_item));
    return command->chunks[chunk] ? &command->chunks[chunk][index % CK_ITEM_CHUNK] : NULL;
}

struct ck_item *ck_item_find(struct ck_detector *d, struct mm_agent agent)
{
    struct ck_command *command = ck_command_of(d, agent.command);
    if (!command)
        return NULL;
    if (!command->known && agent.command && agent.command <= d->retired_to)
        ck_detector_stop(d, "an event of a command follows its completion");
    bool runtime = agent.index == MM_INDEX_RUNTIME;
    struct ck_item *item = runtime ? &command->runtime : chunk_item(d, command, agent.index);
    if (item && !runtime) {
        d->last.chunk = item - agent.index % CK_ITEM_CHUNK;
        d->last.chunk_key = ck_agent_key(agent) - agent.index % CK_ITEM_CHUNK;
    }
    if (item && !item->time[0]) {
        for (int s = 0; s < CK_REGIONS; s++) {
            item->time[s] = 1;
            item->clock[s] = ck_clock_ref(command->start[s]);
        }
    }
    return item;
}

const struct ck_item *ck_item_peek(struct ck_detector *d, struct mm_agent agent, struct ck_item *fresh)
{
    struct ck_item *last = ck_item_of_last(d, agent);
    if (last)
        return last;
    struct ck_command *command = ck_command_of(d, agent.command);
    if (!command)
        return NULL;
    size_t chunk = agent.index / CK_ITEM_CHUNK;
    if (agent.index == MM_INDEX_RUNTIME || (chunk < command->chunk_count && command->chunks[chunk]))
        return ck_item_find(d, agent);
    for (int s = 0; s < CK_REGIONS; s++) {
        fresh->clock[s] = command->start[s];
        fresh->time[s] = 1;
    }
    fresh->image_fenced = 0;
    return fresh;
}

struct ck_fences *ck_fences_of(struct ck_detector *d, struct ck_item *item)
{
    if (!item->fences)
        item->fences = ck_budget_alloc(&d->budget, sizeof *item->fences);
    return item->fences;
}

struct ck_group *ck_group_find(struct ck_detector *d, struct ck_command *command, uint32_t index)
{
    uint32_t first = ck_group_first(command, index);
    uint64_t key = (uint64_t)command->info.id << 32 | first;
    struct ck_group *group = mm_map_pointer(&d->maps.groups, key);
    if (!group) {
        group = ck_budget_alloc(&d->budget, sizeof *group);
        if (!group)
            return NULL;
        if (!ck_map_put(&d->maps.groups, &d->budget, key, group)) {
            ck_budget_free(&d->budget, group, sizeof *group);
            return NULL;
        }
        group->key = key;
        group->next = command->groups;
        command->groups = group;
    }
    d->last.group = group;
    d->last.group_key = key;
    d->last.group_end = key + command->group_size;
    return group;
}

struct ck_space *ck_local_space(struct ck_detector *d, const struct ck_memory *l, struct mm_agent agent)
{
    struct ck_group *group = ck_group_of_last(d, ck_agent_key(agent));
    struct ck_command *command = group ? NULL : ck_command_of(d, agent.command);
    if (command)
        group = ck_group_of(d, command, agent.index);
    if (!group)
        return NULL;
    struct ck_space *space = group->locals;
    while (space && space->allocation != l->info.id)
        space = space->next;
    if (!space && (space = ck_budget_alloc(&d->budget, sizeof *space))) {
        ck_space_size(d, space, l->info.size);
        space->allocation = l->info.id;
        space->next = group->locals;
        group->locals = space;
    }
    return space;
}

/* ---- ends --------------------------------------------------------------------------------- */

static void drop_item(struct ck_detector *d, struct ck_item *item)
{
    for (int s = 0; s < CK_REGIONS; s++)
        ck_clock_drop(&d->clocks, item->clock[s]);
    ck_fences_free(d, item->fences);
    memset(item, 0, sizeof *item);
}

static void drop_chunks(struct ck_detector *d, struct ck_command *command)
{
    for (size_t i = 0; i < command->chunk_count; i++) {
        for (size_t k = 0; command->chunks[i] && k < CK_ITEM_CHUNK; k++)
            if (command->chunks[i][k].time[0]) /* it has begun */
                drop_item(d, &command->chunks[i][k]);
        ck_budget_free(&d->budget, command->chunks[i], CK_ITEM_CHUNK * sizeof(struct ck_item));
    }
    ck_budget_free(&d->budget, command->chunks, command->chunk_count * sizeof *command->chunks);
    command->chunks = NULL;
    command->chunk_count = 0;
    d->last.chunk = NULL;
}

/* Empty groups stay in the map until the command is released. */
static void empty_groups(struct ck_detector *d, struct ck_command *command)
{
    for (struct ck_group *group = command->groups; group; group = group->next) {
        ck_barriers_free(d, group);
        ck_copies_free(d, group);
        while (group->locals) {
            struct ck_space *space = group->locals;
            group->locals = space->next;
            ck_space_clear(d, space);
            ck_budget_free(&d->budget, space, sizeof *space);
        }
    }
}

static void join_knowledge(struct ck_detector *d, struct ck_command *command, struct ck_item *into,
                           int region)
{
    const struct ck_clock *last = NULL;
    for (size_t i = 0; i < command->chunk_count; i++) {
        for (size_t k = 0; command->chunks[i] && k < CK_ITEM_CHUNK; k++) {
            struct ck_clock *clock = command->chunks[i][k].clock[region];
            if (clock && clock != last)
                ck_clock_join(&d->clocks, &into->clock[region], clock);
            last = clock;
        }
    }
}

void ck_command_end(struct ck_detector *d, struct ck_command *command, struct ck_item *runtime)
{
    uint64_t first = (uint64_t)command->info.id << 32;
    bool one =
        command->chunk_count == 0 && runtime->clock[CK_REGION_GLOBAL] == runtime->clock[CK_REGION_IMAGE];
    for (int s = 0; s < CK_REGIONS; s++) {
        if (s == CK_REGION_LOCAL)
            continue;
        if (s == CK_REGION_IMAGE && one) {
            ck_clock_set(&d->clocks, &runtime->clock[s], runtime->clock[CK_REGION_GLOBAL]);
            continue;
        }
        ck_clock_raise(&d->clocks, &runtime->clock[s], first, first | UINT32_MAX, CK_ALWAYS);
        join_knowledge(d, command, runtime, s);
    }
    if (!one)
        ck_clock_join_points(&d->clocks, &runtime->clock[CK_REGION_IMAGE], runtime->clock[CK_REGION_GLOBAL]);
    empty_groups(d, command);
    drop_chunks(d, command);
}

void ck_command_release(struct ck_detector *d, struct ck_command *command)
{
    empty_groups(d, command);
    drop_chunks(d, command);
    drop_item(d, &command->runtime);
    command->enqueuer = NULL;
    for (int s = 0; s < CK_REGIONS; s++) {
        ck_clock_drop(&d->clocks, command->start[s]);
        command->start[s] = NULL;
    }
    d->last.group = NULL;
    while (command->groups) {
        struct ck_group *group = command->groups;
        command->groups = group->next;
        mm_map_remove(&d->maps.groups, group->key, (uintptr_t)group);
        ck_budget_free(&d->budget, group, sizeof *group);
    }
}

void ck_command_forget(struct ck_detector *d, struct ck_command *command)
{
    ck_command_release(d, command);
    ck_budget_free(&d->budget, command->copy_slots,
                   command->copy_slot_capacity * sizeof *command->copy_slots);
    while (command->arguments) {
        struct ck_argument *argument = command->arguments;
        command->arguments = argument->next;
        ck_budget_free(&d->budget, argument, sizeof *argument);
    }
    ck_budget_free(&d->budget, command, sizeof *command);
}

void ck_group_join(struct ck_detector *d, struct mm_agent member, struct ck_item *into)
{
    struct ck_command *command = ck_command_of(d, member.command);
    if (!command)
        return;
    uint32_t first = ck_group_first(command, member.index), count = ck_group_items(command, first);
    for (uint32_t i = 0; i < count; i++) {
        size_t chunk = (first + i) / CK_ITEM_CHUNK;
        if (chunk >= command->chunk_count || !command->chunks[chunk])
            continue;
        const struct ck_item *item = &command->chunks[chunk][(first + i) % CK_ITEM_CHUNK];
        ck_clock_join(&d->clocks, &into->clock[CK_REGION_GLOBAL], item->clock[CK_REGION_GLOBAL]);
        ck_clock_join(&d->clocks, &into->clock[CK_REGION_IMAGE], item->clock[CK_REGION_IMAGE]);
    }
    uint64_t key = (uint64_t)member.command << 32 | first;
    ck_clock_raise(&d->clocks, &into->clock[CK_REGION_GLOBAL], key, key + count - 1, CK_ALWAYS);
    ck_clock_raise(&d->clocks, &into->clock[CK_REGION_IMAGE], key, key + count - 1, CK_ALWAYS);
    ck_clock_join_points(&d->clocks, &into->clock[CK_REGION_IMAGE], into->clock[CK_REGION_GLOBAL]);
}
