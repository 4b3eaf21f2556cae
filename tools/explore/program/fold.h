/* Constant propagation over a thread, by basic blocks: shared by folding (fold.c) and trip counts
 * (trips.c). */
#ifndef TOOLS_EXPLORE_PROGRAM_FOLD_H
#define TOOLS_EXPLORE_PROGRAM_FOLD_H

#include "tools/explore/explore.h"

enum state { UNSEEN, CONSTANT, VARYING };

struct trips;
struct fold {
    struct ex *ex;
    struct ck_thread *t;
    uint32_t regs;
    uint32_t *block_of; /* instruction -> block */
    uint32_t *first;    /* block -> instruction; one more than there are blocks */
    uint32_t block_count;
    uint8_t *states;  /* block * regs: on entry */
    uint64_t *values; /* block * regs */
    uint8_t *reached, *queued;
    uint8_t *now; /* while a block is walked */
    uint64_t *now_values;
    struct trips *trips; /* loops are iterated, for their trip counts; NULL: to a fixpoint */
    bool decided;        /* the condition of a branch was constant; set by ex_fold_walk() */
};

/* The state before the first block; ends with an error of EX when there is no memory. */
struct fold ex_fold_begin(struct ex *ex);
void ex_fold_end(struct fold *f);
/* Executes BLOCK from the state at its entry and propagates to its successors. */
void ex_fold_walk(struct fold *f, uint32_t block);
/* The least upper bound of the current state and another one, by register: UNSEEN, then one CONSTANT, then
 * VARYING.  It replaces the other one; FIRST: there is no other one yet.  True: the state changed. */
bool ex_fold_join(const struct fold *f, uint8_t *states, uint64_t *values, bool first);
/* The same with the state at the entry of BLOCK. */
bool ex_fold_merge(struct fold *f, uint32_t block);
/* trips.c: control reaches BLOCK in the current state. */
void ex_trips_flow(struct fold *f, uint32_t block);

#endif
