/* Hash tables from 64-bit keys to 64-bit values other than 0: numbers, indices plus one, or pointers.
 *
 * Items with other keys, such as texts, are entered under a hash (mm_fnv1a) of their key: mm_map_next lists
 * all entries of a hash, and the caller compares. */
#ifndef MEMMODEL_BASE_MAP_H
#define MEMMODEL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mm_map_entry {
    uint64_t key, value; /* value 0: free */
};
struct mm_map { /* all zero: empty */
    struct mm_map_entry *entries;
    size_t capacity, count; /* capacity: a power of two, at least twice the count, or 0 */
};

static inline size_t mm_map_slot(const struct mm_map *map, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(hash ^ hash >> 29) & (map->capacity - 1);
}

/* The value of the next entry of KEY from *AT on, 0 if there are no more; *AT: 0 for the first, then as
 * left. */
static inline uint64_t mm_map_next(const struct mm_map *map, uint64_t key, size_t *at)
{
    size_t mask = map->capacity - 1, slot = mm_map_slot(map, key);

    for (size_t i = *at; map->capacity && map->entries[(slot + i) & mask].value; i++) {
        if (map->entries[(slot + i) & mask].key != key)
            continue;
        *at = i + 1;
        return map->entries[(slot + i) & mask].value;
    }
    return 0;
}

/* The value of KEY, or of one of its entries; 0 if there is none. */
static inline uint64_t mm_map_get(const struct mm_map *map, uint64_t key)
{
    size_t at = 0;

    return mm_map_next(map, key, &at);
}

/* Likewise, where values are pointers. */
static inline void *mm_map_pointer(const struct mm_map *map, uint64_t key)
{
    return (void *)(uintptr_t)mm_map_get(map, key);
}

/* The pointer in SLOT, below CAPACITY; NULL: the slot is free. */
static inline void *mm_map_at(const struct mm_map *map, size_t slot)
{
    return (void *)(uintptr_t)map->entries[slot].value;
}

/* The bytes that the table would take with one more entry. */
size_t mm_map_bytes(const struct mm_map *map, size_t more);
/* Adds an entry, even where KEY has one; sets the value of KEY's only entry, or adds it.  VALUE: not 0.
 * False: out of memory, nothing has changed. */
bool mm_map_add(struct mm_map *map, uint64_t key, uint64_t value);
bool mm_map_put(struct mm_map *map, uint64_t key, uint64_t value);
/* Removes the entry of KEY with VALUE, if there is one. */
void mm_map_remove(struct mm_map *map, uint64_t key, uint64_t value);
/* Empties the table and frees its memory. */
void mm_map_clear(struct mm_map *map);

#endif
