/* Memory with a bound. */
#include "checker/race/budget.h"
#include "memmodel/base/memory.h"

void *ck_budget_alloc(struct ck_budget *budget, size_t size)
{
    if (budget->exceeded || size > budget->limit - budget->used) {
        budget->exceeded = true;
        return NULL;
    }
    void *p = mm_alloc_zero(1, size);
    if (!p)
        budget->exceeded = true;
    else
        budget->used += size;
    return p;
}

void ck_budget_free(struct ck_budget *budget, void *p, size_t size)
{
    if (!p)
        return;
    mm_free(p);
    budget->used -= size;
}

bool ck_budget_reserve(struct ck_budget *budget, void *items, size_t *capacity, size_t needed, size_t size)
{
    size_t wanted = 2 * *capacity > needed ? 2 * *capacity : needed + 16;
    void *old, *bigger;
    if (needed <= *capacity)
        return true;
    bigger = ck_budget_alloc(budget, wanted * size);
    if (!bigger)
        return false;
    memcpy(&old, items, sizeof old);
    if (old)
        memcpy(bigger, old, *capacity * size);
    ck_budget_free(budget, old, *capacity * size);
    memcpy(items, &bigger, sizeof bigger);
    *capacity = wanted;
    return true;
}

static bool map_enter(struct mm_map *map, struct ck_budget *budget, uint64_t key, const void *value,
                      bool (*enter)(struct mm_map *, uint64_t, uint64_t))
{
    size_t before = mm_map_bytes(map, 0), more = mm_map_bytes(map, 1) - before;
    bool room = !more || (!budget->exceeded && more <= budget->limit - budget->used);
    if (!room || !enter(map, key, (uintptr_t)value)) {
        budget->exceeded = true;
        return false;
    }
    budget->used += mm_map_bytes(map, 0) - before;
    return true;
}

bool ck_map_add(struct mm_map *map, struct ck_budget *budget, uint64_t key, const void *value)
{
    return map_enter(map, budget, key, value, mm_map_add);
}

bool ck_map_put(struct mm_map *map, struct ck_budget *budget, uint64_t key, const void *value)
{
    return map_enter(map, budget, key, value, mm_map_put);
}

void ck_map_clear(struct mm_map *map, struct ck_budget *budget)
{
    budget->used -= mm_map_bytes(map, 0);
    mm_map_clear(map);
}

enum { BLOCK_ITEMS = 256 };

bool ck_pool_grow(struct ck_pool *pool, struct ck_budget *budget, size_t item_size)
{
    char *block = ck_budget_alloc(budget, sizeof pool->blocks + BLOCK_ITEMS * item_size);
    if (!block)
        return false;
    memcpy(block, &pool->blocks, sizeof pool->blocks);
    pool->blocks = block;
    for (size_t i = BLOCK_ITEMS; i-- > 0;)
        ck_pool_give(pool, block + sizeof pool->blocks + i * item_size);
    return true;
}

void ck_pool_clear(struct ck_pool *pool, struct ck_budget *budget, size_t item_size)
{
    for (void *block = pool->blocks, *next; block; block = next) {
        memcpy(&next, block, sizeof next);
        ck_budget_free(budget, block, sizeof pool->blocks + BLOCK_ITEMS * item_size);
    }
    *pool = (struct ck_pool){0};
}
