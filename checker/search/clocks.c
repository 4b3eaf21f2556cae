/* Vector clocks of the threads of an interleaving, by region. */
#include "checker/search/walker.h"

#include <string.h>

bool sx_clocks_create(struct sx_clocks *c, struct mm_arena *arena, uint32_t count)
{
    c->count = count;
    c->ticks = mm_arena_alloc(arena, count * sizeof *c->ticks);
    c->known = mm_arena_alloc(arena, SX_ORDERS * (size_t)count * count * sizeof *c->known);
    return c->ticks && c->known;
}

uint32_t *sx_clock(const struct sx_clocks *c, enum sx_order order, uint32_t t)
{
    return c->known + ((size_t)order * c->count + t) * c->count;
}

bool sx_is_before(const struct sx_clocks *c, enum sx_order order, uint32_t from, uint32_t tick, uint32_t t)
{
    return from == t || sx_clock(c, order, t)[from] >= tick;
}

void sx_clock_join(const struct sx_clocks *c, uint32_t *into, const uint32_t *from)
{
    for (uint32_t u = 0; u < c->count; u++)
        into[u] = from[u] > into[u] ? from[u] : into[u];
}

void sx_clock_copy(const struct sx_clocks *c, enum sx_order order, uint32_t t, uint32_t *out)
{
    memcpy(out, sx_clock(c, order, t), c->count * sizeof *out);
    out[t] = c->ticks[t];
}

enum sx_order sx_region_of(const struct ck_program *p, uint32_t object)
{
    return p->objects[object].region == MM_LOCAL   ? SX_LOCAL
           : p->objects[object].region == MM_IMAGE ? SX_IMAGE
                                                   : SX_GLOBAL;
}

bool sx_flags_order(uint8_t fence_flags, enum sx_order order)
{
    static const uint8_t flags[] = {
        [SX_GLOBAL] = MM_FENCE_GLOBAL, [SX_LOCAL] = MM_FENCE_LOCAL, [SX_IMAGE] = MM_FENCE_IMAGE};

    return order == SX_PASSED || (fence_flags & flags[order]);
}

bool sx_pass_barrier(const struct sx_clocks *c, const struct ck_program *p,
                     const struct sx_event *const *waiting, uint32_t t)
{
    bool sub_group = waiting[t]->instr->sub_group;
    uint32_t *all = mm_alloc(2 * c->count * sizeof *all), *own = all + c->count;

    for (enum sx_order order = 0; order < SX_ORDERS && all; order++) {
        memset(all, 0, c->count * sizeof *all);
        for (int learn = 0; learn < 2; learn++) {
            for (uint32_t u = 0; u < c->count; u++) {
                if ((u != t && !sx_share_barriers(p, t, u, sub_group)) ||
                    !sx_flags_order(waiting[u]->instr->fence_flags, order))
                    continue;
                sx_clock_copy(c, order, u, own);
                sx_clock_join(c, learn ? sx_clock(c, order, u) : all, learn ? all : own);
            }
        }
    }
    mm_free(all);
    return all != NULL;
}
