/* An execution that is built event by event, by all threads together (search/step.c), and what is asked about
 * it (search/asked.c, search/stuck.c). */
#ifndef CHECKER_SEARCH_STEP_H
#define CHECKER_SEARCH_STEP_H

#include "checker/search/exec.h"
#include "checker/search/walker.h"

/* RUNS: it can go on.  AWAITS: its read returns what a write yields that is yet to come.  AT_BARRIER: others
 * of its group have not come yet. */
enum step_status { STEP_RUNS, STEP_AWAITS, STEP_AT_BARRIER, STEP_ENDED };

/* The source of a read: a thread and an event of it, or one of these.  GUESSED: a write that is yet to come.
 */
#define STEP_INITIAL UINT64_MAX
#define STEP_GUESSED (UINT64_MAX - 1)

struct step_thread {
    enum step_status status;
    uint32_t pc;
    struct sx_access access; /* under way, unless its count is 0: pieces before PIECE are read */
    unsigned piece;
    uint64_t value;    /* of the pieces read */
    uint32_t accesses; /* so many are done */
};

/* Writes that were just made: of THREAD, from EVENT to END.  PLACED: its order is chosen; the threads up to
 * READER and the guesses up to GUESS have been asked whether they read it. */
struct step_news {
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
    struct sx_trace *traces; /* by thread: as far as it is */
    const struct sx_trace **chosen;
    uint64_t *sources;               /* by thread and event */
    uint64_t *order;                 /* the writes to ordered locations, in the order of each */
    uint64_t *initial;               /* by location */
    const struct sx_event **waiting; /* by thread: the barrier it is at, or NULL */
    uint8_t *is_initial;             /* by location: its arbitrary initial value is chosen */
    uint8_t *ordered;                /* by object: the order of the writes to it is chosen as they come */
    struct sx_plan *plans;           /* by thread: what it accesses (search/plan.c) */
    uint64_t **reach; /* by thread: relation over instructions: can come later, or is the same */
    uint32_t order_count, guesses;
    struct step_news news;
    struct sx_orders *orders; /* what is known about orders of writes */
    struct sx_stuck *stuck;   /* what is known about cycles of threads that wait for each other */
    bool hangs;               /* executions with a loop that waits for ever are looked for */
    bool waits;               /* some loop may */
    bool unchecked;           /* something came since the model was asked */
    bool restart, failed;     /* all begins anew; it cannot be decided like this */
    bool too_long;            /* as the model was asked too often */
    uint64_t asked, most_asked;
    bool values_known; /* the locations' values are all that they may hold */
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
    return &s->sources[(size_t)thread * SX_TRACE_EVENTS + event];
}

/* The initial value of LOCATION, as far as it is known. */
static inline uint64_t sx_initial(const struct stepper *s, uint32_t location)
{
    return s->is_initial[location] ? s->initial[location] : s->sx->locations[location].initial;
}

/* All executions that go on from here (search/step.c). */
void sx_go_on(struct stepper *s);
/* Whether a loop that waits for ever made the write, which is left out. */
bool sx_is_forgotten(const struct stepper *s, uint64_t write);
/* Whether the model may allow an execution that goes on from here (search/asked.c). */
bool sx_may_go_on(struct stepper *s);
/* The execution is as long as it gets: what it shows. */
void sx_judge_steps(struct stepper *s);

bool sx_plan_threads(struct stepper *s);
/* The next instruction of THREAD from FROM on that it may still execute and that may write to LOCATION then;
 * UINT32_MAX: none. */
uint32_t sx_next_write(const struct stepper *s, uint32_t thread, uint32_t location, uint32_t from);

/* Whether every such write by instruction I comes after a barrier that THREAD has not come to yet. */
bool sx_writes_after_barrier(const struct stepper *s, uint32_t thread, uint32_t i, uint32_t location);

/* Whether the write at place AT of the order may stand there (search/order.c). */
bool sx_orders_create(struct stepper *s);
bool sx_may_be_placed(struct stepper *s, uint32_t at);

/* Whether THREAD, which reads VALUE now, then does more than to wait on. */
bool sx_goes_on_with(struct stepper *s, uint32_t thread, uint64_t value);

/* Threads that wait for each other (search/stuck.c). */
bool sx_stuck_create(struct stepper *s);
/* Whether a write to LOCATION may come after the read of it that THREAD is at. */
bool sx_may_come_later(struct stepper *s, uint32_t thread, uint32_t location);
/* Nobody runs, and some await a write.  Whether there may be an execution that goes on, in which a read
 * returns what follows from it. */
bool sx_may_be_unstuck(struct stepper *s);

#endif
