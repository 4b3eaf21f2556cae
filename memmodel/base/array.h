/* Growing arrays: items of one type in memory of mm_realloc, freed with mm_free; NULL is the empty array. */
#ifndef MEMMODEL_BASE_ARRAY_H
#define MEMMODEL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mm_arena;

/* Adds a zeroed item to *ITEMS, an array of *COUNT items (uint32_t or size_t) that only mm_add has grown, and
 * returns it, a void pointer; NULL: out of memory, nothing has changed.  The capacity is the next power of
 * two, so that none is kept; COUNT may be lowered. */
#define mm_add(items, count)                                                                                 \
    _Generic(*(count), uint32_t : mm_add_u32, size_t : mm_add_size)((items), (count), sizeof **(items))

/* mm_add for an array in ARENA's memory. */
#define mm_arena_add(arena, items, count)                                                                    \
    _Generic(*(count), uint32_t                                                                              \
             : mm_arena_add_u32, size_t                                                                      \
             : mm_arena_add_size)((arena), (items), (count), sizeof **(items))

/* Adds a copy of *ITEM; false: out of memory, nothing has changed. */
#define mm_append(items, count, item)                                                                        \
    mm_copy_item(mm_add((items), (count)), (1 ? (item) : *(items)), sizeof **(items))
#define mm_arena_append(arena, items, count, item)                                                           \
    mm_copy_item(mm_arena_add((arena), (items), (count)), (1 ? (item) : *(items)), sizeof **(items))

/* Makes room in *ITEMS, which has room for *CAPACITY items (uint32_t or size_t), for NEEDED items or more.
 * False: out of memory, nothing has changed. */
#define mm_reserve(items, capacity, needed)                                                                  \
    _Generic(*(capacity), uint32_t                                                                           \
             : mm_reserve_u32, size_t                                                                        \
             : mm_reserve_size)((items), (capacity), (needed), sizeof **(items))

/* mm_reserve for an array of COUNT items in ARENA's memory. */
#define mm_arena_reserve(arena, items, count, capacity, needed)                                              \
    _Generic(*(capacity), uint32_t                                                                           \
             : mm_arena_reserve_u32, size_t                                                                  \
             : mm_arena_reserve_size)((arena), (items), (count), (capacity), (needed), sizeof **(items))

/* Binary search: sets INDEX, an unsigned variable, to the number of the COUNT items that satisfy CONDITION,
 * an expression in INDEX that is true for the first items and false for all after them. */
#define mm_partition(index, count, condition)                                                                \
    do {                                                                                                     \
        __typeof__(index) mm_low = 0, mm_high = (count);                                                     \
        while (mm_low < mm_high) {                                                                           \
            (index) = mm_low + (mm_high - mm_low) / 2;                                                       \
            if (condition)                                                                                   \
                mm_low = (index) + 1;                                                                        \
            else                                                                                             \
                mm_high = (index);                                                                           \
        }                                                                                                    \
        (index) = mm_low;                                                                                    \
    } while (0)

/* Copies ITEM to PLACE; false if that is NULL. */
static inline bool mm_copy_item(void *place, const void *item, size_t size)
{
    if (place)
        memcpy(place, item, size);
    return place != NULL;
}

/* ITEMS points to a pointer to an object type. */
void *mm_add_u32(void *items, uint32_t *count, size_t size);
void *mm_add_size(void *items, size_t *count, size_t size);
void *mm_arena_add_u32(struct mm_arena *arena, void *items, uint32_t *count, size_t size);
void *mm_arena_add_size(struct mm_arena *arena, void *items, size_t *count, size_t size);
bool mm_reserve_u32(void *items, uint32_t *capacity, size_t needed, size_t size);
bool mm_reserve_size(void *items, size_t *capacity, size_t needed, size_t size);
bool mm_arena_reserve_u32(struct mm_arena *arena, void *items, size_t count, uint32_t *capacity,
                          size_t needed, size_t size);
bool mm_arena_reserve_size(struct mm_arena *arena, void *items, size_t count, size_t *capacity, size_t needed,
                           size_t size);

#endif
