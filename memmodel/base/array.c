/* See array.h. */
#include "memmodel/base/array.h"

#include "memmodel/base/arena.h"
#include "memmodel/base/memory.h"
#include <string.h>

/* Gives the array of COUNT items, in ARENA unless that is NULL, room for CAPACITY items. */
static char *resize_items(struct mm_arena *arena, void *items, size_t count, size_t capacity, size_t size)
{
    void *old, *resized = NULL;

    memcpy(&old, items, sizeof old);
    if (capacity <= SIZE_MAX / size)
        resized = arena ? mm_arena_alloc(arena, capacity * size) : mm_realloc(old, capacity * size);
    if (resized && arena && count)
        memcpy(resized, old, count * size);
    if (resized)
        memcpy(items, &resized, sizeof resized);
    return resized;
}

void *mm_arena_add_size(struct mm_arena *arena, void *items, size_t *count, size_t size)
{
    bool full = (*count & (*count - 1)) == 0;
    size_t capacity = *count ? 2 * *count : 1;
    char *array;

    if (full && (*count > SIZE_MAX / 2 || !resize_items(arena, items, *count, capacity, size)))
        return NULL;
    memcpy(&array, items, sizeof array);
    return memset(array + (*count)++ * size, 0, size);
}

void *mm_arena_add_u32(struct mm_arena *arena, void *items, uint32_t *count, size_t size)
{
    size_t wide = *count;
    void *item = wide == UINT32_MAX ? NULL : mm_arena_add_size(arena, items, &wide, size);

    *count = (uint32_t)wide;
    return item;
}

void *mm_add_size(void *items, size_t *count, size_t size)
{
    return mm_arena_add_size(NULL, items, count, size);
}

void *mm_add_u32(void *items, uint32_t *count, size_t size)
{
    return mm_arena_add_u32(NULL, items, count, size);
}

bool mm_arena_reserve_size(struct mm_arena *arena, void *items, size_t count, size_t *capacity, size_t needed,
                           size_t size)
{
    size_t wanted = *capacity > SIZE_MAX / 2 ? needed : 2 * *capacity;

    if (needed <= *capacity)
        return true;
    wanted = wanted < needed ? needed : wanted;
    if (!resize_items(arena, items, count, wanted, size))
        return false;
    *capacity = wanted;
    return true;
}

bool mm_arena_reserve_u32(struct mm_arena *arena, void *items, size_t count, uint32_t *capacity,
                          size_t needed, size_t size)
{
    size_t wide = *capacity;

    if (needed > UINT32_MAX / 2 || !mm_arena_reserve_size(arena, items, count, &wide, needed, size))
        return false;
    *capacity = (uint32_t)wide;
    return true;
}

bool mm_reserve_size(void *items, size_t *capacity, size_t needed, size_t size)
{
    return mm_arena_reserve_size(NULL, items, *capacity, capacity, needed, size);
}

bool mm_reserve_u32(void *items, uint32_t *capacity, size_t needed, size_t size)
{
    return mm_arena_reserve_u32(NULL, items, *capacity, capacity, needed, size);
}
