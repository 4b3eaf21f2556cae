/* An execution under event-by-event construction by all threads (search/step.c), and its consistency checks
 * (search/consistency.c, search/order.c, search/blocked_cycles.c). */
#ifndef CHECKER_SEARCH_STEP_H
#define CHECKER_SEARCH_STEP_H

#include "checker/search/exec.h"
#include "checker/search/walker.h"

/* RUNS: runnable.  BLOCKED: its read is blocked until a later write revisits it.  AT_BARRIER: other
 * participants of the barrier have not arrived.  STOPPED: it is never scheduled again. */
enum step_status { STEP_RUNS, STEP_BLOCKED, STEP_AT_BARRIER, STEP_STOPPED, STEP_ENDED };

/* The source of a read: a packed thread and event, SX_INITIAL, SX_OPEN, or this: a later write. */
#define STEP_GUESSED (UINT64_MAX - 1)

/* A choice that a thread made at a read, when AT events had been created.  BLOCKED: of the writes created up
 * to UNTIL it took none before its source; else it took one of those that existed. */
struct step_choice {
    uint64_t at, until;
    bool blocked;
};

struct step_thread {
    enum step_status status;
    uint32_t pc;
    struct sx_access access; /* current, unless its count is 0: pieces before PIECE are read */
    unsigned piece;
    uint64_t value;    /* of the pieces read */
    bool continues;    /* the choice between its next event and a stop is made */
    uint32_t accesses; /* number completed */
};

/* Pending writes: of THREAD, from EVENT to END, not yet offered to all blocked reads.  PLACED: the coherence
 * position is chosen; the threads before READER and the guessed reads before GUESS have been offered the
 * write. */
struct step_pending {
    uint32_t thread, event, end, reader;
    uint64_t guess;
    bool placed;
};

/* What an answer of the model depends on: seven numbers for each of the eight links of a cycle at most. */
struct sx_key {
    uint32_t count;
    uint64_t parts[56];
};

/* Answers of the model, by hash of the key; NULL: none yet. */
struct sx_cache {
    struct sx_answer **slots;
};

struct stepper {
    struct sx *sx;
    /* the threads: by thread */
    uint32_t thread_count;
    struct sx_walker *walkers;
    struct step_thread *threads;
    struct sx_thread *out;           /* of the walkers, which add no traces to it */
    struct sx_trace *traces;         /* its prefix, */
    const struct sx_trace **chosen;  /* or NULL where it has no event */
    const struct sx_event **waiting; /* by thread: its current barrier, or NULL */

    /* the choices so far */
    size_t stride;               /* events of a thread in SOURCES */
    uint64_t *sources;           /* by thread and event */
    struct step_choice *choices; /* by thread and event: of reads that choose between sources */
    uint64_t *order;             /* the writes to ordered locations, in the order of each */
    uint32_t order_count, guesses;
    uint64_t *initial;   /* by location */
    uint8_t *is_initial; /* by location: its unconstrained initial value is chosen */
    struct step_pending pending;
    bool unchecked; /* events or edges were added since the last evaluation */

    /* what is known before the exploration */
    struct step_facts {
        uint8_t *ordered;         /* by object: coherence of its locations is chosen during construction */
        struct sx_plan *plans;    /* by thread: statically known accesses (search/plan.c) */
        uint64_t **reach;         /* by thread: relation over instructions: reachable from, reflexive */
        const uint8_t *exchanges; /* sx_find_symmetry(); NULL: not to be used */
        struct sx_static *impossible; /* reads-from edges that no execution has; NULL: unknown */
        bool waits;                   /* some loop may never terminate */
        bool values_known;            /* the values of the locations are complete */
    } facts;
    struct step_caches {
        struct sx_cache orders; /* of coherence checks */
        struct sx_cache cycles; /* of checks of cycles of blocked threads */
    } caches;

    /* the pass */
    /* This process explores what frames of sx_explore() from level OWNED_FROM on call; with UNWIND_TO, it
     * first returns to that level (search/split.c). */
    uint32_t depth, owned_from, unwind_to;
    uint64_t split_us;    /* not before this processor time does it fork, 0: not determined yet */
    bool explores_hangs;  /* it explores the executions of SX_HANG, otherwise the others */
    bool restart, failed; /* it restarts; construction does not apply */
    struct step_counts {
        uint64_t evaluations; /* since a race was found and a limit reached */
        uint64_t visits;      /* number of steps, while an outcome is explained */
    } counts;
};

static inline bool sx_is_exploration_over(const struct stepper *s)
{
    return s->failed || s->restart || s->sx->stop || s->depth < s->owned_from || s->depth > s->unwind_to;
}
static inline uint64_t sx_pack(uint32_t thread, uint32_t event)
{
    return (uint64_t)thread << 32 | event;
}
static inline const struct sx_event *sx_packed(const struct stepper *s, uint64_t packed)
{
    return &s->walkers[packed >> 32].events[(uint32_t)packed];
}
/* The source of event EVENT of THREAD. */
static inline uint64_t *sx_source(const struct stepper *s, uint32_t thread, uint32_t event)
{
    return &s->sources[(size_t)thread * s->stride + event];
}

/* The initial value of LOCATION, or its known bits. */
static inline uint64_t sx_initial(const struct stepper *s, uint32_t location)
{
    return s->is_initial[location] ? s->initial[location] : s->sx->values.locations[location].initial;
}

/* Whether the model is one whose visible writes and coherence search may assume
 * (docs/search.md#visible-writes). */
static inline bool sx_knows_order(const struct stepper *s)
{
    const struct ck_program *p = s->sx->program;

    return s->sx->options.drf && p->kernel && p->edge_count == 0 && !s->sx->explains;
}

/* Checkpoints: all state that a branch changes, except events, which rollback cuts off, and caches. */
struct sx_checkpoint {
    struct step_thread *threads;
    uint32_t (*counts)[2]; /* of each walker: event count, last effect */
    bool *took_back_edge;
    uint64_t *blocks, *order;
    uint32_t order_count, guesses;
    struct step_pending pending;
    bool unchecked;
};
bool sx_checkpoint_take(struct stepper *s, struct sx_checkpoint *m);
void sx_checkpoint_rollback(struct stepper *s, const struct sx_checkpoint *m);
void sx_checkpoint_free(struct sx_checkpoint *m);

/* Reads (search/read.c).  The current access of T reads VALUE in its next piece, from SOURCE. */
void sx_read_piece_from(struct stepper *s, uint32_t t, uint64_t source, uint64_t value);
/* Whether the access of T, which is read, writes unless it fails spuriously. */
bool sx_access_writes(const struct stepper *s, uint32_t t);
/* All pieces are read: executes the writes of the access, if it WRITES, and sets its result registers. */
void sx_complete_access(struct stepper *s, uint32_t t, bool writes);
/* A weak compare-exchange reads the value that it expects: it writes, or fails spuriously. */
void sx_branch_on_spurious_failure(struct stepper *s, uint32_t t);
/* Explores the executions in which the next piece is read from SOURCE. */
void sx_try_source(struct stepper *s, const struct sx_checkpoint *m, uint32_t t, uint64_t source,
                   uint64_t value);
/* Branches over the sources of the next piece, which is of location L. */
void sx_branch_on_read(struct stepper *s, uint32_t t, uint32_t l);
/* Whether the source of the current read of T is chosen at the end, of those with one value: it is not
 * atomic, so its source orders no other accesses. */
bool sx_may_leave_open(const struct stepper *s, uint32_t t);
/* Whether the sources of the current read of T are part of the prefix: it is not atomic, so it returns a
 * write that happens before it (docs/search.md#visible-writes). */
bool sx_reads_visible(const struct stepper *s, uint32_t t);
/* A location that no other thread accesses holds the last value that T wrote.  False: it is shared. */
bool sx_read_private_location(struct stepper *s, uint32_t t, uint32_t l);

/* Symmetry (search/symmetry.c).  T chooses a source for its current read, or BLOCKS. */
void sx_note_choice(struct stepper *s, uint32_t t, bool blocks);
/* Whether an exchange of A and B alone leaves the prefix, with their states, unchanged. */
bool sx_is_interchangeable(const struct stepper *s, uint32_t a, uint32_t b);
/* T, which is blocked, refuses the writes created up to UNTIL; returns the value of UNTIL before that. */
uint64_t sx_note_refusal(struct stepper *s, uint32_t t, uint64_t until);
/* Whether an exchange of work-items turns the executions in which T reads SOURCE, of VALUE, into others that
 * are explored.  BY_VALUE: choices are ordered by value. */
bool sx_is_exchanged(const struct stepper *s, uint32_t t, uint64_t source, uint64_t value, bool by_value);

/* Writes (search/write.c).  Processes the first pending write; false: the exploration branched. */
bool sx_process_pending_write(struct stepper *s);
/* Whether every loop that never terminates reads the last writes so far. */
bool sx_loops_read_final_values(const struct stepper *s);

/* Several processes (search/split.c).  Gives the deeper part of the branches that are left to another
 * process, if one more may run. */
void sx_split(struct stepper *s);
/* Waits for those that this process has forked, and merges their results.  Does not return in a forked
 * one. */
void sx_join(struct stepper *s);

/* Explores all executions that extend the current prefix (search/step.c). */
void sx_explore(struct stepper *s);
/* Whether the write belongs to the repeated iteration of a loop that never terminates; such writes are
 * removed. */
bool sx_is_removed_write(const struct stepper *s, uint64_t write);
/* Whether the model may allow an execution that extends the current prefix (search/consistency.c). */
bool sx_may_extend(struct stepper *s);
/* Under the models of docs/search.md#visible-writes: removes from SOURCES, of the next piece that T reads,
 * those that no execution which extends the prefix, that of M, has.  False: there is no such execution. */
bool sx_remove_hidden(struct stepper *s, const struct sx_checkpoint *m, uint32_t t, uint64_t *sources,
                      uint32_t *count);
/* The first position in the coherence order that WRITE, which has none yet, may have; SX_NO_POSITION:
 * none. */
uint32_t sx_first_position(struct stepper *s, uint64_t write);
/* Judges the execution, which is complete. */
void sx_judge_execution(struct stepper *s);

bool sx_plan_threads(struct stepper *s);
/* The planned events of THREAD, which are its first; true: these are all. */
bool sx_planned_trace(struct stepper *s, uint32_t thread, struct sx_trace *trace);
uint32_t sx_planned_count(const struct stepper *s, uint32_t thread);
/* The first instruction of THREAD from FROM on that it may still execute and that may then write what the
 * current read of READER, of LOCATION, may return; CK_NO_INSTR: none. */
uint32_t sx_next_write(const struct stepper *s, uint32_t thread, uint32_t location, uint32_t from,
                       uint32_t reader);
/* Whether every such write by instruction I comes after a barrier that THREAD has not reached. */
bool sx_writes_after_barrier(const struct stepper *s, uint32_t thread, uint32_t i, uint32_t location,
                             uint32_t reader);

/* Reads-from edges that no execution has (search/sources.c). */
void sx_find_impossible_sources(struct stepper *s);
/* Whether no execution has the edge from event WRITE of WRITER to event READ of READER. */
bool sx_is_impossible_source(const struct stepper *s, uint32_t reader, uint32_t read, uint32_t writer,
                             uint32_t write);
/* The same for the initial write of LOCATION. */
bool sx_is_initial_impossible(const struct stepper *s, uint32_t reader, uint32_t read, uint32_t location);

/* Where CACHE keeps the answer for KEY, with a nonzero number of parts; KNOWN: it is there, else the caller
 * fills it in.  NULL: out of memory (search/order.c). */
bool *sx_cache_find(struct sx *sx, struct sx_cache *cache, const struct sx_key *key, bool *known);

/* Whether the coherence order permits the write at position AT (search/order.c). */
bool sx_may_be_placed(struct stepper *s, uint32_t at);

/* Whether THREAD, if its current access reads VALUE, does more than repeat its loop. */
bool sx_progresses_with(struct stepper *s, uint32_t thread, uint64_t value);

/* Cycles of blocked threads (search/blocked_cycles.c). */
/* Whether a thread other than THREAD may still write to LOCATION. */
bool sx_others_may_write(const struct stepper *s, uint32_t thread, uint32_t location);
/* Whether a write to LOCATION may follow the current read of it by THREAD. */
bool sx_may_be_written_later(struct stepper *s, uint32_t thread, uint32_t location);
/* No thread is runnable and some reads are blocked: a thread whose read may return a value that follows from
 * it, in an execution that extends the prefix; CK_NO_THREAD: there is no such execution. */
uint32_t sx_may_unblock(struct stepper *s);

#endif
