/* Vector clocks of the race detector. */
#ifndef CHECKER_RACE_CLOCK_H
#define CHECKER_RACE_CLOCK_H

#include "checker/race/budget.h"

/* A vector clock: an immutable, reference-counted map from agents to times.  The events of an agent up to
 * its time happen before the owner of the clock.  The map is piecewise constant over agent keys (command
 * << 32 | index), so that a work-group or a whole command is one piece.  NULL is the zero clock. */
struct ck_piece {
    uint64_t start; /* the piece ends where the next one starts */
    uint64_t time;
};
struct ck_clock {
    uint32_t references, count;
    struct ck_piece pieces[];
};
#define CK_ALWAYS UINT32_MAX /* the time of an agent that has ended */

enum { CK_POOLED = 16 }; /* clocks of at most this many pieces are allocated from blocks */
struct ck_clock_block;
struct free_clock;
struct ck_clock_memo {            /* a cached lookup: a piece of CLOCK, the agents FIRST to FIRST + LENGTH */
    const struct ck_clock *clock; /* NULL: none */
    uint64_t first, length, time;
};
enum { CK_CLOCK_MEMOS = 8 };
struct ck_clocks { /* the allocator of clocks, and caches of their operations */
    struct ck_budget *budget;
    struct ck_clock_block *blocks; /* ROOM bytes at the beginning of the first block are free */
    size_t room;
    struct free_clock *free[CK_POOLED + 1];     /* dropped clocks in the blocks, by their number of pieces */
    struct ck_clock_memo memos[CK_CLOCK_MEMOS]; /* by command modulo CK_CLOCK_MEMOS */
    struct ck_piece *scratch;
    size_t scratch_capacity;
};
struct ck_clock *ck_clock_ref(struct ck_clock *clock);
void ck_clock_drop(struct ck_clocks *clocks, struct ck_clock *clock);
/* *INTO becomes FROM: clocks are immutable, so that only the reference counts change. */
void ck_clock_set(struct ck_clocks *clocks, struct ck_clock **into, struct ck_clock *from);
/* N references to FROM become references to TO. */
void ck_clock_move(struct ck_clocks *clocks, struct ck_clock *from, struct ck_clock *to, uint32_t n);
uint64_t ck_clock_get(const struct ck_clock *clock, uint64_t agent);
/* *MEMO becomes the piece of CLOCK that has AGENT. */
void ck_clock_find(const struct ck_clock *clock, uint64_t agent, struct ck_clock_memo *memo);
/* ck_clock_get() with a cache. */
static inline uint64_t ck_clock_lookup(struct ck_clocks *clocks, const struct ck_clock *clock, uint64_t agent)
{
    struct ck_clock_memo *memo = &clocks->memos[(agent >> 32) % CK_CLOCK_MEMOS];
    if (!clock)
        return 0;
    if (memo->clock != clock || agent - memo->first > memo->length)
        ck_clock_find(clock, agent, memo);
    return memo->time;
}
/* Whether one piece of the clock gives the agents FIRST to LAST at least TIME. */
bool ck_clock_covers(const struct ck_clock *clock, uint64_t first, uint64_t last, uint64_t time);
/* *INTO becomes the pointwise maximum with FROM, which is another clock. */
void ck_clock_join_other(struct ck_clocks *clocks, struct ck_clock **into, const struct ck_clock *from);
static inline void ck_clock_join(struct ck_clocks *clocks, struct ck_clock **into,
                                 const struct ck_clock *from)
{
    if (from && from != *into)
        ck_clock_join_other(clocks, into, from);
}
/* *INTO is raised to TIME for the agents FIRST to LAST. */
void ck_clock_raise(struct ck_clocks *clocks, struct ck_clock **into, uint64_t first, uint64_t last,
                    uint64_t time);
/* *INTO becomes the pointwise maximum with the times that FROM, a clock of global memory, has for host
 * threads, the runtime and complete commands: their order in global memory also orders images
 * [CL 3.3.6 H0]. */
void ck_clock_join_points(struct ck_clocks *clocks, struct ck_clock **into, const struct ck_clock *from);
/* *INTO becomes the pointwise minimum with OTHER. */
void ck_clock_meet(struct ck_clocks *clocks, struct ck_clock **into, const struct ck_clock *other);
/* Frees all clocks; no reference to any may exist. */
void ck_clocks_clear(struct ck_clocks *clocks);

#endif
