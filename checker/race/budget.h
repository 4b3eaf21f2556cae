/* Memory with a bound: allocation, hash tables and pools that are charged to a budget. */
#ifndef CHECKER_RACE_BUDGET_H
#define CHECKER_RACE_BUDGET_H

#include "memmodel/base/map.h"

#include <string.h>

struct ck_budget {
    size_t used, limit;
    bool exceeded; /* every later allocation fails */
};
void *ck_budget_alloc(struct ck_budget *budget, size_t size); /* returns zeroed memory */
void ck_budget_free(struct ck_budget *budget, void *p, size_t size);
/* Makes room for NEEDED items in *ITEMS, which has room for *CAPACITY; new items are zeroed. */
bool ck_budget_reserve(struct ck_budget *budget, void *items, size_t *capacity, size_t needed, size_t size);

/* Hash tables of pointers, whose memory is charged to the budget. */
bool ck_map_add(struct mm_map *map, struct ck_budget *budget, uint64_t key, const void *value);
bool ck_map_put(struct mm_map *map, struct ck_budget *budget, uint64_t key, const void *value);
void ck_map_clear(struct mm_map *map, struct ck_budget *budget);

/* Items of one size, at least that of a pointer, allocated in blocks and reused. */
struct ck_pool {
    void *free;   /* the free items, each with a pointer to the next one at its start */
    void *blocks; /* linked likewise */
};
bool ck_pool_grow(struct ck_pool *pool, struct ck_budget *budget, size_t item_size);
void ck_pool_clear(struct ck_pool *pool, struct ck_budget *budget, size_t item_size);

/* Returns an uninitialized item; NULL beyond the budget. */
static inline void *ck_pool_take(struct ck_pool *pool, struct ck_budget *budget, size_t item_size)
{
    if (!pool->free && !ck_pool_grow(pool, budget, item_size))
        return NULL;
    void *item = pool->free;
    memcpy(&pool->free, item, sizeof pool->free);
    return item;
}

/* The same, zeroed. */
static inline void *ck_pool_take_zero(struct ck_pool *pool, struct ck_budget *budget, size_t item_size)
{
    void *item = ck_pool_take(pool, budget, item_size);
    return item ? memset(item, 0, item_size) : NULL;
}

static inline void ck_pool_give(struct ck_pool *pool, void *item)
{
    memcpy(item, &pool->free, sizeof pool->free);
    pool->free = item;
}

#endif
