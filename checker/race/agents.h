/* Commands, work-groups and agents of a detector; the last ones that were looked up are cached in ck_last. */
#ifndef CHECKER_RACE_AGENTS_H
#define CHECKER_RACE_AGENTS_H

#include "checker/race/race.h"

/* Creates the command if it is missing; NULL without memory. */
struct ck_command *ck_command_find(struct ck_detector *d, uint32_t id);
static inline struct ck_command *ck_command_of(struct ck_detector *d, uint32_t id)
{
    struct ck_command *last = d->last.command;
    return last && last->info.id == id ? last : ck_command_find(d, id);
}
struct ck_command *ck_command_known(const struct ck_detector *d, uint32_t id); /* NULL: there is none */
/* The state of AGENT where it is in the chunk of the last lookup and has started; NULL: otherwise. */
static inline struct ck_item *ck_item_of_last(const struct ck_detector *d, struct mm_agent agent)
{
    uint64_t at = ck_agent_key(agent) - d->last.chunk_key;
    return d->last.chunk && at < CK_ITEM_CHUNK && d->last.chunk[at].time[0] ? &d->last.chunk[at] : NULL;
}
/* The state of AGENT, which starts at its first event; NULL without memory. */
struct ck_item *ck_item_find(struct ck_detector *d, struct mm_agent agent);
static inline struct ck_item *ck_item_of(struct ck_detector *d, struct mm_agent agent)
{
    struct ck_item *last = ck_item_of_last(d, agent);
    return last ? last : ck_item_find(d, agent);
}
/* ck_item_of() for reading only: FRESH is initialized and returned if the agent has no item yet. */
const struct ck_item *ck_item_peek(struct ck_detector *d, struct mm_agent agent, struct ck_item *fresh);
/* Creates what is missing; NULL without memory. */
struct ck_fences *ck_fences_of(struct ck_detector *d, struct ck_item *item);
/* The group of AGENT where it is that of the last lookup; NULL: otherwise. */
static inline struct ck_group *ck_group_of_last(const struct ck_detector *d, uint64_t agent)
{
    const struct ck_last *last = &d->last;
    return last->group && agent >= last->group_key && agent < last->group_end ? last->group : NULL;
}
/* The work-group of the work-item with linear index INDEX; NULL without memory. */
struct ck_group *ck_group_find(struct ck_detector *d, struct ck_command *command, uint32_t index);
static inline struct ck_group *ck_group_of(struct ck_detector *d, struct ck_command *command, uint32_t index)
{
    struct ck_group *last = ck_group_of_last(d, (uint64_t)command->info.id << 32 | index);
    return last ? last : ck_group_find(d, command, index);
}
/* Shadow of the local memory L of AGENT's work-group; NULL without memory. */
struct ck_space *ck_local_space(struct ck_detector *d, const struct ck_memory *l, struct mm_agent agent);
/* The index of the first work-item of the group, or sub-group, of work-item INDEX. */
uint32_t ck_group_first(const struct ck_command *command, uint32_t index);
uint32_t ck_sub_group_first(const struct ck_command *command, uint32_t index);
/* Number of work-items of the group that starts at index FIRST; groups at the edge of the range have
 * fewer. */
uint32_t ck_group_items(const struct ck_command *command, uint32_t first);
/* Stores the record of the command, with group sizes. */
void ck_command_describe(struct ck_command *command, const struct mm_command *info);
/* The clock of RUNTIME, the state of the command's runtime agent, joins all work-items, whose states are
 * freed. */
void ck_command_end(struct ck_detector *d, struct ck_command *command, struct ck_item *runtime);
/* Frees all of the command but its record and arguments. */
void ck_command_release(struct ck_detector *d, struct ck_command *command);
/* Frees the command. */
void ck_command_forget(struct ck_detector *d, struct ck_command *command);
/* Joins into INTO the end of the work-group of MEMBER, as for commands enqueued to wait for that group
 * [CL 3.3.6 H14]. */
void ck_group_join(struct ck_detector *d, struct mm_agent member, struct ck_item *into);

#endif
