/* Internal to collective operations: the participating work-items and their operands. */
#ifndef INTERP_EXEC_COLLECTIVE_H
#define INTERP_EXEC_COLLECTIVE_H

#include "exec.h"

struct in_gathering {
    struct in_run *run;
    struct in_item **members;
    uint32_t count;
    const struct in_wait *w;
};

/* Operand K as MEMBER has it. */
static inline uint8_t *in_gathered(const struct in_gathering *g, uint32_t member, uint32_t k)
{
    return g->members[member]->frame + g->w->operand[k];
}

/* An integer of type TY. */
static inline uint64_t in_number(const uint8_t *p, const struct in_ty *ty)
{
    uint64_t v = 0;
    memcpy(&v, p, ty->size < 8 ? ty->size : 8);
    return v;
}

#endif
