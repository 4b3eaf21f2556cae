/* A thread under execution: for all its traces (search/trace.c), or along one execution (search/step.c,
 * search/walk.c). */
#ifndef CHECKER_SEARCH_WALKER_H
#define CHECKER_SEARCH_WALKER_H

#include "checker/search/internal.h"

/* A back edge. */
struct sx_edge {
    uint32_t pc;                /* of the jump */
    uint32_t *live, live_count; /* registers that its target may read */
};

/* The state of a thread.  What rollback restores is in one block. */
struct sx_walker {
    struct sx *sx;
    const struct ck_thread *thread;
    struct sx_thread *out;
    struct sx_event *events;
    uint32_t event_capacity;           /* SX_TRACE_EVENTS at most */
    uint32_t event_count, last_effect; /* last event that is more than a read, plus 1 */
    uint32_t edge_count;
    struct sx_edge *edges;
    uint32_t most_live; /* registers of an edge */
    uint64_t *block;    /* registers; by back edge sx_loop_counts() */
    uint64_t *depends;  /* near the end of the block: for each register the reads that it is computed from */
    uint64_t *control_depends; /* and at its end those that the path condition depends on */
    uint64_t *unset; /* before DEPENDS: the set of registers whose values are assumed to be unused */
    size_t block_words;
    uint8_t *is_header; /* by instruction: a back edge leads there */
    uint8_t *racing;    /* by instruction: an atomic access may race (enum racing) */
    struct sx_barrier_flags {
        bool known; /* all barriers of its work-group have the same, by which models order */
        uint8_t flags;
    } barriers;
    /* configuration */
    bool follows_one; /* one execution: redundant iterations are removed, and end no trace */
    bool stepwise;    /* event-by-event construction: of a trace only its end is kept */
    /* state */
    bool failed;
    bool took_back_edge;  /* the last instruction was a jump backwards */
    bool ended_redundant; /* FOLLOWS_ONE: a redundant iteration has ended; the caller resets it */
    bool finished;        /* a trace has ended, as follows; the caller resets it */
    enum sx_end end;
    uint32_t wait_from;
    const struct ck_instr *beyond; /* SX_BOUND: the back edge that was not taken again */
};

/* An access under execution: the locations that it covers, by address. */
struct sx_access {
    const struct ck_instr *instr;
    uint32_t pc, object, start;
    unsigned count; /* of locations; 0: none could be found */
    uint32_t locations[SX_PIECES];
    bool fault;
    uint64_t depends; /* reads that the address is computed from */
};

/* Orders of an interleaving: happens-before of each region; and the order in which barriers of any flags let
 * threads pass.  Vector clocks (search/clocks.c): for each order and thread the last event of each thread
 * that comes before. */
enum sx_order { SX_GLOBAL, SX_LOCAL, SX_IMAGE, SX_PASSED, SX_ORDERS, SX_REGIONS = SX_PASSED };
struct sx_clocks {
    uint32_t count;  /* of threads */
    uint32_t *ticks; /* by thread: number of its last event */
    uint32_t *known; /* sx_clock() */
};
bool sx_clocks_create(struct sx_clocks *c, struct mm_arena *arena, uint32_t count);
/* By thread: the number of its last event that comes before T by ORDER. */
uint32_t *sx_clock(const struct sx_clocks *c, enum sx_order order, uint32_t t);
/* Whether the event of FROM with number TICK comes before what T executes now. */
bool sx_is_before(const struct sx_clocks *c, enum sx_order order, uint32_t from, uint32_t tick, uint32_t t);
void sx_clock_join(const struct sx_clocks *c, uint32_t *into, const uint32_t *from);
/* OUT: what comes before the next event of T, its own events included. */
void sx_clock_copy(const struct sx_clocks *c, enum sx_order order, uint32_t t, uint32_t *out);
enum sx_order sx_region_of(const struct ck_program *p, uint32_t object);
/* Whether a fence or barrier with these flags takes part in ORDER. */
bool sx_flags_order(uint8_t fence_flags, enum sx_order order);
/* All participants of the barrier of T have arrived: what comes before it comes before what follows it, for
 * those whose barriers take part in the order.  WAITING: by thread its barrier.  False: out of memory. */
bool sx_pass_barrier(const struct sx_clocks *c, const struct ck_program *p,
                     const struct sx_event *const *waiting, uint32_t t);

/* The most events of a trace of THREAD. */
uint32_t sx_event_capacity(const struct ck_thread *thread);
/* Sets up W (sx, thread and out are filled in) before the first instruction; false: out of memory. */
bool sx_walker_begin(struct sx_walker *w);
/* Before the instruction at PC: notes where iterations of loops begin. */
void sx_walker_enter(struct sx_walker *w, uint32_t pc);
/* Executes one instruction other than an access; false: the trace ends here. */
bool sx_walker_step(struct sx_walker *w, uint32_t *pc);
/* The next event, of KIND and by INSTR; NULL: there are too many. */
struct sx_event *sx_push(struct sx_walker *w, enum sx_kind kind, const struct ck_instr *instr);
/* All traces from the instruction at PC on. */
void sx_walker_run(struct sx_walker *w, uint32_t pc);

/* Iterations of loops (search/iterations.c).  Finds the back edges of W and what the functions below need;
 * false: out of memory. */
bool sx_find_loops(struct sx_walker *w);
/* By back edge, in the block: iterations of its loop with events and, in the upper half, without; how many
 * starts of iterations follow, the current one first: SX_STARTS at most. */
enum { SX_ITERATIONS, SX_KNOWN_STARTS, SX_LOOP_COUNTS, SX_STARTS = 4 };
uint64_t *sx_loop_counts(const struct sx_walker *w, uint32_t edge);
size_t sx_loop_words(const struct sx_walker *w); /* of an edge */
/* Whether the current iteration of the loop of EDGE has events. */
bool sx_has_events(const struct sx_walker *w, uint32_t edge);
/* An iteration of the loops whose header is PC begins; IS_FIRST: no back edge was taken. */
void sx_begin_iteration(struct sx_walker *w, uint32_t pc, bool is_first);
/* Whether the iterations of the loop of EDGE that end here repeat others: they began in the same state, and
 * changed none.  Returns their number, or 0; *FIRST: their first event. */
uint32_t sx_find_redundant_iterations(const struct sx_walker *w, uint32_t edge, uint32_t *first);
/* Whether what a store by I to LOCATION writes is lost: no other work-item accesses the location, and neither
 * an instruction nor the final state reads it. */
bool sx_is_lost_store(const struct sx_walker *w, const struct ck_instr *i, uint32_t location);
/* The last COUNT iterations of EDGE were removed. */
void sx_forget_iterations(struct sx_walker *w, uint32_t edge, uint32_t count);

/* Whether the value of EXPR depends on one that is assumed to be unused (search/unknown.c). */
bool sx_is_unset(const struct sx_walker *w, uint32_t expr);
/* Notes whether register REG, which is written, has such a value. */
void sx_set_unset(struct sx_walker *w, uint32_t reg, bool unset);
/* Such a value is used: the search is over. */
void sx_note_use(struct sx *sx);

/* Accesses (search/access.c).  What the instruction at PC accesses: count is 0 where the trace ends here. */
struct sx_access sx_begin_access(struct sx_walker *w, uint32_t pc);
/* The next event reads VALUE from piece K of A, or writes it there.  Reads of all pieces come before
 * writes. */
void sx_push_piece(struct sx_walker *w, enum sx_kind kind, const struct sx_access *a, unsigned k,
                   uint64_t value, uint64_t depends);
/* Piece K of VALUE, which is of the whole access; where in it the piece begins, in bits. */
uint64_t sx_piece(const struct sx *sx, const struct sx_access *a, unsigned k, uint64_t value);
unsigned sx_piece_shift(const struct sx *sx, const struct sx_access *a, unsigned k);
/* The bits of the reads of A, which are the last events; the reads that writes of A depend on. */
uint64_t sx_read_bits(const struct sx_walker *w, const struct sx_access *a);
uint64_t sx_written_depends(const struct sx_walker *w, const struct sx_access *a, uint64_t read);
/* The next events write VALUE to all pieces of A. */
void sx_write_pieces(struct sx_walker *w, const struct sx_access *a, uint64_t value, uint64_t depends);
/* The last events read all pieces of A, a compare-exchange that fails. */
void sx_fail_exchange(struct sx_walker *w, const struct sx_access *a);
/* Sets the registers of A, which read VALUE and wrote or not. */
void sx_walker_result(struct sx_walker *w, const struct sx_access *a, uint64_t value, uint64_t depends,
                      bool writes);
/* Executes a store; for others, explores all traces from the instruction at PC on.  False: the trace ends
 * here. */
bool sx_walker_access(struct sx_walker *w, uint32_t pc);

/* Keeps the trace as it is now. */
void sx_walker_finish(struct sx_walker *w, enum sx_end end);

#endif
