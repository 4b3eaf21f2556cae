/* See map.h: open addressing with linear probing, at most half full. */
#include "memmodel/base/map.h"

#include "memmodel/base/memory.h"

enum { FEWEST = 32 };

static size_t wanted_capacity(const struct mm_map *map, size_t more)
{
    size_t capacity = map->capacity ? map->capacity : FEWEST;

    return map->count + more > capacity / 2 ? 2 * capacity : map->count + more ? capacity : map->capacity;
}

size_t mm_map_bytes(const struct mm_map *map, size_t more)
{
    return wanted_capacity(map, more) * sizeof *map->entries;
}

static struct mm_map_entry *free_entry(const struct mm_map *map, uint64_t key)
{
    size_t slot = mm_map_slot(map, key);

    while (map->entries[slot].value)
        slot = (slot + 1) & (map->capacity - 1);
    return &map->entries[slot];
}

static bool make_room(struct mm_map *map)
{
    struct mm_map bigger = {.capacity = wanted_capacity(map, 1), .count = map->count};

    if (bigger.capacity == map->capacity)
        return true;
    bigger.entries = mm_alloc_zero(bigger.capacity, sizeof *bigger.entries);
    if (!bigger.entries)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value)
            *free_entry(&bigger, map->entries[i].key) = map->entries[i];
    mm_free(map->entries);
    *map = bigger;
    return true;
}

bool mm_map_add(struct mm_map *map, uint64_t key, uint64_t value)
{
    if (!make_room(map))
        return false;
    *free_entry(map, key) = (struct mm_map_entry){key, value};
    map->count++;
    return true;
}

bool mm_map_put(struct mm_map *map, uint64_t key, uint64_t value)
{
    size_t at = 0;

    if (!mm_map_next(map, key, &at))
        return mm_map_add(map, key, value);
    map->entries[(mm_map_slot(map, key) + at - 1) & (map->capacity - 1)].value = value;
    return true;
}

/* Closes the gap at HOLE: each later entry of the run moves there if its own slot is not behind the gap. */
static void close_gap(struct mm_map *map, size_t hole)
{
    size_t mask = map->capacity - 1;

    map->entries[hole].value = 0;
    for (size_t next = (hole + 1) & mask; map->entries[next].value; next = (next + 1) & mask) {
        size_t home = mm_map_slot(map, map->entries[next].key);

        if (((next - home) & mask) < ((next - hole) & mask))
            continue;
        map->entries[hole] = map->entries[next];
        map->entries[next].value = 0;
        hole = next;
    }
}

void mm_map_remove(struct mm_map *map, uint64_t key, uint64_t value)
{
    uint64_t found;
    size_t at = 0;

    while ((found = mm_map_next(map, key, &at)) && found != value) {
    }
    if (!found)
        return;
    map->count--;
    close_gap(map, (mm_map_slot(map, key) + at - 1) & (map->capacity - 1));
}

void mm_map_clear(struct mm_map *map)
{
    mm_free(map->entries);
    *map = (struct mm_map){0};
}
