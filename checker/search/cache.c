/* A cache of answers of the model.  An answer replaces an older one whose key has the same hash. */
#include "checker/search/step.h"

#include <string.h>

enum { SLOTS = 1 << 14 };

struct sx_answer {
    struct sx_key key;
    bool allowed;
};

bool *sx_cache_find(struct sx *sx, struct sx_cache *cache, const struct sx_key *key, bool *known)
{
    uint64_t hash = 0;
    struct sx_answer **at;

    *known = false;
    if (!cache->slots)
        cache->slots = mm_arena_alloc(sx->arena, SLOTS * sizeof(struct sx_answer *));
    if (!cache->slots)
        return NULL;
    for (uint32_t i = 0; i < key->count; i++)
        hash = (hash ^ key->parts[i]) * 0x9E3779B97F4A7C15U + (hash >> 31);
    at = &cache->slots[(hash >> 20) % SLOTS];
    if (!*at)
        *at = mm_arena_alloc(sx->arena, sizeof **at);
    if (!*at)
        return NULL;
    *known = (*at)->key.count == key->count &&
             memcmp((*at)->key.parts, key->parts, key->count * sizeof *key->parts) == 0;
    if (!*known)
        (*at)->key = *key;
    return &(*at)->allowed;
}
