/* An execution under event-by-event construction by all threads (search/step.c), and its consistency checks
 * (search/asked.c, search/order.c, search/stuck.c). */
#ifndef CHECKER_SEARCH_STEP_H
#define CHECKER_SEARCH_STEP_H

#include "checker/search/exec.h"
#include "checker/search/walker.h"

/* RUNS: runnable.  BLOCKED: its read is blocked until a later write revisits it.  AT_BARRIER: other
 * participants of the barrier have not arrived.  STOPPED: it is never scheduled again. */
enum step_status { STEP_RUNS, STEP_BLOCKED, STEP_AT_BARRIER, STEP_STOPPED, STEP_ENDED };

/* The source of a read: a packed thread and event, or one of these.  GUESSED: a later write. */
#define STEP_INITIAL UINT64_MAX
#define STEP_GUESSED (UINT64_MAX - 1)

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

struct stepper {
    struct sx *sx;
    uint32_t count; /* of threads */
    struct sx_walker *walkers;
    struct step_thread *threads;
    struct sx_thread *out;
    struct sx_trace *traces; /* by thread: its prefix */
    const struct sx_trace **chosen;
    size_t stride;                   /* events of a thread in SOURCES */
    uint64_t *sources;               /* by thread and event */
    uint64_t *order;                 /* the writes to ordered locations, in the order of each */
    uint64_t *initial;               /* by location */
    const struct sx_event **waiting; /* by thread: its current barrier, or NULL */
    uint8_t *is_initial;             /* by location: its unconstrained initial value is chosen */
    uint8_t *ordered;                /* by object: coherence of its locations is chosen during construction */
    struct sx_plan *plans;           /* by thread: statically known accesses (search/plan.c) */
    uint64_t **reach;                /* by thread: relation over instructions: reachable from, reflexive */
    uint32_t order_count, guesses;
    struct step_pending pending;
    struct sx_orders *orders;   /* cache of coherence checks */
    const uint32_t *not_before; /* by thread: the one whose reads its own may not precede, UINT32_MAX: none */
    struct sx_static *impossible; /* reads-from edges that no execution has; NULL: unknown */
    struct sx_stuck *stuck;       /* cache of checks of cycles of blocked threads */
    bool hangs;                   /* this pass explores executions with a loop that never terminates */
    bool waits;                   /* some loop may never terminate */
    bool unchecked;               /* events or edges were added since the last evaluation */
    bool restart, failed;         /* the pass restarts; construction does not apply */
    bool too_long;                /* FAILED: the limit of evaluations was reached */
    uint64_t evaluations, max_evaluations;
    uint64_t visits;   /* number of steps, while an outcome is explained */
    bool values_known; /* the values of the locations are complete */
};

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
    return s->is_initial[location] ? s->initial[location] : s->sx->locations[location].initial;
}

/* Explores all executions that extend the current prefix (search/step.c). */
void sx_explore(struct stepper *s);
/* Whether the write belongs to the repeated iteration of a loop that never terminates; such writes are
 * removed. */
bool sx_is_removed_write(const struct stepper *s, uint64_t write);
/* Whether the model may allow an execution that extends the current prefix (search/asked.c). */
bool sx_may_extend(struct stepper *s);
/* Judges the execution, which is complete. */
void sx_judge_execution(struct stepper *s);

bool sx_plan_threads(struct stepper *s);
/* The planned events of THREAD, which are its first; true: these are all. */
bool sx_planned_trace(struct stepper *s, uint32_t thread, struct sx_trace *trace);
uint32_t sx_planned_count(const struct stepper *s, uint32_t thread);
/* The first instruction of THREAD from FROM on that it may still execute and that may then write what the current
 * read of READER, of LOCATION, may return; UINT32_MAX: none. */
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

/* Whether the coherence order permits the write at position AT (search/order.c). */
bool sx_orders_create(struct stepper *s);
bool sx_may_be_placed(struct stepper *s, uint32_t at);

/* Whether THREAD, if its current access reads VALUE, does more than repeat its loop. */
bool sx_progresses_with(struct stepper *s, uint32_t thread, uint64_t value);

/* Cycles of blocked threads (search/stuck.c). */
bool sx_stuck_create(struct stepper *s);
/* Whether a thread other than THREAD may still write to LOCATION. */
bool sx_others_may_write(const struct stepper *s, uint32_t thread, uint32_t location);
/* Whether a write to LOCATION may follow the current read of it by THREAD. */
bool sx_may_be_written_later(struct stepper *s, uint32_t thread, uint32_t location);
/* No thread is runnable and some reads are blocked.  Whether some execution may extend the prefix, in which a
 * read returns a value that follows from it. */
bool sx_may_unblock(struct stepper *s);

#endif
