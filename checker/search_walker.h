/* A thread that is being executed: for all its traces (search_trace.c), or along one execution
 * (search_walk.c). */
#ifndef CHECKER_SEARCH_WALKER_H
#define CHECKER_SEARCH_WALKER_H

#include "checker/search_internal.h"

enum { SX_TRACE_EVENTS = 1024 };

/* The state of a thread; what branches of the exploration must not share is in one block to copy. */
struct sx_walker {
    struct sx *sx;
    const struct ck_thread *thread;
    struct sx_thread *out;
    struct sx_event *events;
    uint32_t event_count, last_effect; /* last event that is more than a read, plus 1 */
    uint32_t edge_count;
    uint32_t *edges; /* instruction of each back edge */
    uint64_t *block; /* registers; per back edge: times taken, effects and events when its loop was entered or
                        last begun anew, registers then */
    uint64_t *depends; /* at the end of the block: for each register the reads that it is computed from */
    uint64_t *live;    /* per back edge: set of the registers that its target may read */
    size_t block_words;
    uint8_t *is_header; /* by instruction: a back edge leads there */
    uint8_t *racing;    /* by instruction: an atomic read that may race; 0: not known yet, 1: no, 2: yes */
    bool came_back;
    bool failed;
    bool alone;  /* one execution is followed: rounds of a loop that only wait leave no trace */
    bool waited; /* such a round just ended */
};

/* Sets up W (sx, thread and out are filled in) before the first instruction; false: out of memory. */
bool sx_walker_begin(struct sx_walker *w);
/* Before the instruction at PC: notes where iterations of loops begin. */
void sx_walker_enter(struct sx_walker *w, uint32_t pc);
/* Executes one instruction other than an access; false: the trace ends here. */
bool sx_walker_step(struct sx_walker *w, uint32_t *pc);
void sx_push_access(struct sx_walker *w, enum sx_kind kind, const struct ck_instr *instr, uint32_t location,
                    uint32_t object, uint64_t value, uint64_t depends);
/* What writes of I depend on, READ being the bits of its own read. */
uint64_t sx_written_depends(const struct sx_walker *w, const struct ck_instr *i, uint64_t read);
/* Sets the registers of I, which read VALUE and wrote or not. */
void sx_walker_result(struct sx_walker *w, const struct ck_instr *i, uint64_t value, uint64_t depends,
                      bool writes);
/* Keeps the trace as it is now. */
void sx_walker_finish(struct sx_walker *w, enum sx_end end);

#endif
