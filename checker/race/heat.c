/* Counts of the instances of a finding by work-group and block of elements, in bounded memory. */
#include "checker/race/heat.h"
#include "checker/race/agents.h"
#include "checker/race/words.h"

#include <string.h>

enum { FIRST_LOG = 4, LAST_LOG = 62, FIRST_CAPACITY = 8 };

void ck_heat_begin(struct ck_finding *finding, const struct mm_argument *argument)
{
    uint32_t of_memory = finding->allocation ? finding->allocation->element.size : 0;
    uint32_t size = argument ? argument->element_size : of_memory;
    finding->heat = (struct ck_heat){
        .element_size = size ? size : 1, .log = FIRST_LOG, .base = argument ? argument->offset : 0};
}

/* The block of ELEMENT, rounded down: elements before the first one have negative numbers. */
static int64_t block_of(int64_t element, uint32_t log)
{
    return element < 0 ? ~(~element >> log) : element >> log;
}

static bool is_same_group(const uint64_t a[3], const uint64_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Open addressing: the slot in TABLE with the key GROUP, and BLOCK unless it is NULL; or the free slot where
 * it would be.  The search ends because half of the slots are free. */
static uint8_t *find_slot(const struct ck_heat *heat, uint8_t *table, const uint64_t group[3],
                          const int64_t *block)
{
    uint64_t hash = group[0] ^ group[1] << 20 ^ group[2] << 40 ^ (block ? (uint64_t)*block << 10 : 0);
    hash *= 0x9e3779b97f4a7c15u;
    for (uint32_t i = (uint32_t)(hash >> 57);; i = (i + 1) % CK_HEAT_SLOTS) {
        const struct ck_heat_cell *cell = table[i] ? &heat->cells[table[i] - 1] : NULL;
        if (!cell || (is_same_group(cell->group, group) && (!block || cell->block == *block)))
            return &table[i];
    }
}

static struct ck_heat_cell *find_cell(struct ck_heat *heat, const uint64_t group[3], int64_t block)
{
    uint8_t slot = *find_slot(heat, heat->by_cell, group, &block);
    return slot ? &heat->cells[slot - 1] : NULL;
}

/* Adds the cell of GROUP and BLOCK, which is missing; there is room for one more cell. */
static struct ck_heat_cell *add_cell(struct ck_heat *heat, const uint64_t group[3], int64_t block)
{
    struct ck_heat_cell *cell = &heat->cells[heat->cell_count];
    *cell = (struct ck_heat_cell){{group[0], group[1], group[2]}, block, 0};
    uint8_t *of_group = find_slot(heat, heat->by_group, group, NULL), number = (uint8_t)++heat->cell_count;
    *find_slot(heat, heat->by_cell, group, &block) = number;
    if (!*of_group) {
        *of_group = number;
        heat->group_count++;
    }
    return cell;
}

/* True if doubling the block size makes room for GROUP: some work-group has two cells, or GROUP has one. */
static bool can_double(struct ck_heat *heat, const uint64_t group[3])
{
    return heat->log < LAST_LOG &&
           (heat->group_count < heat->cell_count || *find_slot(heat, heat->by_group, group, NULL));
}

static void double_blocks(struct ck_heat *heat)
{
    uint32_t count = heat->cell_count;
    heat->log++;
    heat->cell_count = heat->group_count = 0;
    memset(heat->by_cell, 0, sizeof heat->by_cell);
    memset(heat->by_group, 0, sizeof heat->by_group);
    for (uint32_t i = 0; i < count; i++) { /* in place: the cells written so far never outnumber those read */
        struct ck_heat_cell cell = heat->cells[i], *same;
        cell.block = block_of(cell.block, 1);
        same = find_cell(heat, cell.group, cell.block);
        if (!same)
            same = add_cell(heat, cell.group, cell.block);
        same->count += cell.count;
    }
}

/* Makes room for one more cell; false at the limit, or without memory. */
static bool reserve_cell(struct ck_detector *d, struct ck_heat *heat)
{
    if (heat->cell_count < heat->capacity)
        return true;
    uint32_t capacity = heat->capacity ? heat->capacity * 2 : FIRST_CAPACITY;
    struct ck_heat_cell *cells =
        capacity > CK_HEAT_CELLS ? NULL : mm_arena_alloc(d->arena, capacity * sizeof *cells);
    if (!cells)
        return false;
    if (heat->cell_count)
        memcpy(cells, heat->cells, heat->cell_count * sizeof *cells);
    heat->cells = cells;
    heat->capacity = capacity;
    return true;
}

/* Counts COUNT instances of GROUP at ELEMENT. */
static void count_at(struct ck_detector *d, struct ck_heat *heat, const uint64_t group[3], int64_t element,
                     uint64_t count)
{
    struct ck_heat_cell *cell = find_cell(heat, group, block_of(element, heat->log));
    while (!cell && !reserve_cell(d, heat) && can_double(heat, group)) {
        double_blocks(heat);
        cell = find_cell(heat, group, block_of(element, heat->log));
    }
    if (!cell && heat->cell_count < heat->capacity)
        cell = add_cell(heat, group, block_of(element, heat->log));
    if (cell)
        cell->count += count;
    else
        heat->left_out += count;
}

/* The group id of AGENT, a work-item, valid until the next call with another agent of the same slot; NULL for
 * others. */
static const uint64_t *group_of(struct ck_detector *d, struct mm_agent agent)
{
    const struct ck_command *command = agent.command ? ck_command_known(d, agent.command) : NULL;
    if (!command || !command->known || agent.index == MM_INDEX_RUNTIME)
        return NULL;
    uint32_t linear = agent.index / command->group_size;
    struct ck_group_id *known = &d->last.group_ids[(linear + agent.command * 5u) % CK_GROUP_IDS];
    if (known->command != agent.command || known->linear != linear) {
        uint64_t global_id[3], local_id[3];
        mm_agent_coordinates(&command->info, agent, global_id, known->group, local_id);
        known->command = agent.command;
        known->linear = linear;
    }
    return known->group;
}

void ck_heat_add(struct ck_detector *d, struct ck_finding *finding, const struct mm_agent *agents,
                 size_t count, uint64_t offset)
{
    struct ck_heat *heat = &finding->heat;
    if (!heat->element_size || !finding->allocation)
        return;
    uint64_t byte = offset - heat->base;
    int64_t element = byte <= UINT32_MAX ? (uint32_t)byte / heat->element_size /* 32-bit division is faster */
                                         : ck_words_element((int64_t)byte, heat->element_size);
    uint64_t first[3];
    const uint64_t *group = group_of(d, agents[0]), *other;
    if (group) {
        memcpy(first, group, sizeof first);
        count_at(d, heat, first, element, 1);
    }
    other = count > 1 ? group_of(d, agents[1]) : NULL;
    if (other && !(group && is_same_group(first, other)))
        count_at(d, heat, other, element, 1);
}

void ck_heat_merge(struct ck_detector *d, struct ck_heat *into, const struct ck_heat *from)
{
    while (into->log < from->log && into->element_size == from->element_size)
        double_blocks(into);
    for (uint32_t i = 0; i < from->cell_count; i++) {
        const struct ck_heat_cell *cell = &from->cells[i];
        if (into->element_size == from->element_size)
            count_at(d, into, cell->group, cell->block * ((int64_t)1 << from->log), cell->count);
        else
            into->left_out += cell->count;
    }
    into->left_out += from->left_out;
}
