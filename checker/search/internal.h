/* What the parts of the exhaustive search share.
 *
 * Search goes from the outside in: the values each location may hold (a fixpoint), the traces each thread
 * has under these values, the combinations of traces in which every value read is written, the ways to
 * choose reads-from and coherence, and for each the model's verdict. */
#ifndef CHECKER_SEARCH_INTERNAL_H
#define CHECKER_SEARCH_INTERNAL_H

#include "checker/checker.h"
#include "memmodel/cat/eval.h"

enum sx_kind { SX_READ, SX_WRITE, SX_FENCE, SX_BARRIER, SX_AVAILABILITY, SX_VISIBILITY, SX_POINT };

struct sx_event {
    uint8_t kind;
    uint8_t order;
    bool first_half, second_half; /* of a read-modify-write that wrote: the halves follow each other */
    uint32_t location;            /* index in sx.locations, UINT32_MAX if none */
    uint32_t object;              /* as addressed, before aliases */
    uint32_t access;              /* equal for the pieces of one access, neighbours; 0: it is in one piece */
    uint32_t start;               /* of the whole access, in the object whose memory it is */
    uint64_t value;               /* read or written */
    uint64_t barrier;             /* what tells its dynamic instance apart */
    uint32_t occurrence;
    uint64_t depends;    /* writes: reads of the thread that the value is computed from, see SX_MANY */
    uint64_t own;        /* writes: those of them that the same operation makes */
    uint64_t place, way; /* reads that the address, and the way here, depend on */
    const struct ck_instr *instr;
};

enum { SX_TRACE_EVENTS = 1024 }; /* at most, in a trace */

/* Whether EVENTS[I] belongs to the access of the event before it. */
static inline bool sx_continues(const struct sx_event *events, uint32_t i)
{
    return events[i].second_half || (i > 0 && events[i].access && events[i].access == events[i - 1].access);
}

/* A set of reads of a thread, by number; those from SX_MANY on share a bit. */
enum { SX_MANY = 63 };

/* LEFT: no execution goes on like this, but for barriers before that not all come to. */
enum sx_end { SX_DONE, SX_BOUND, SX_FAULT, SX_ASSERT, SX_WAIT, SX_LEFT };
struct sx_trace {
    enum sx_end end;
    uint32_t wait_from; /* SX_WAIT: first event of the iteration that repeats */
    bool stopped;       /* the beginning of a trace: its work-item is never scheduled again */
    uint32_t event_count;
    struct sx_event *events;
    uint64_t *regs;
    uint64_t *depends;        /* by register: the reads that its value is computed from */
    uint64_t *reads, *writes; /* sets of (location, value) pairs */
};
struct sx_thread {
    struct sx_trace *traces;
    uint32_t trace_count, trace_capacity;
    uint32_t done_count; /* complete traces, and those left, come first */
    uint64_t *may_write; /* pairs that some complete trace writes */
    /* For each pair a set of traces: those that read it and do not write it themselves, those that write
     * it.  NULL where that takes too much memory. */
    uint64_t *readers, *writers;
    uint32_t trace_words;
};

struct sx_location {
    uint32_t object, offset; /* the object whose memory it is */
    uint8_t size;
    uint64_t initial;
    uint64_t *values; /* sorted; what a read may return */
    uint32_t value_count, value_capacity;
    uint8_t *stored; /* for each value: some trace of this round stores it */
    uint32_t *costs; /* for each value: so many writes to this location it takes at least to get there */
    uint64_t *fresh; /* stored this round, not among the values */
    uint32_t *fresh_costs;
    uint32_t fresh_count, fresh_capacity;
    uint32_t trace_writes, thread_writes; /* writes of the trace at hand; most of any trace of the thread */
    uint32_t writes;                      /* most there can be in an execution */
    uint32_t first_pair;                  /* number of its first (location, value) pair */
    uint32_t owner;                       /* thread that accesses it, plus 1; 0: none so far */
    bool shared;                          /* more than one does */
    bool any;                             /* its initial value is arbitrary */
};

/* What combinations are looked for: those of complete traces, those where some end early, those where
 * work-items of a group wait at different barriers, those where some loop waits for ever. */
enum sx_mode { SX_COMPLETE, SX_PARTIAL, SX_DIVERGE, SX_HANG };

struct sx {
    const struct ck_program *program;
    const struct mm_cat_model *model;
    struct ck_options options;
    struct ck_verdict *verdict;
    struct mm_error *err;
    struct mm_cat_eval *eval, *open; /* OPEN: about parts of executions, NULL until wanted */
    struct mm_arena *arena;          /* lives as long as the search */
    struct mm_arena *traces;         /* emptied each round */
    bool split_barriers;             /* the model wants entry and exit fences */
    bool knows_overlap;              /* it tells accesses of other bytes apart */
    bool follows;                    /* it asks what depends on what */
    uint64_t deadline_us;            /* CPU time, 0: none */
    uint64_t wall_deadline_us;       /* of the monotonic clock, where there is a deadline */
    uint64_t steps;                  /* instructions executed */
    uint64_t enough;                 /* so many are too many to list traces, 0: no bound */
    bool too_many;                   /* there were */
    uint32_t ticks;

    struct sx_location *locations;
    uint32_t location_count, location_capacity;
    uint64_t *constants;
    uint32_t constant_count;
    uint64_t *feeds; /* relation over locations: (i, j): what j holds depends on i; NULL: not known */
    uint32_t feeds_count;
    struct sx_thread *threads;
    uint32_t pair_words;
    uint64_t *initial_pairs;

    uint64_t *cuts; /* addresses (of the object whose memory it is) where locations must not span */
    uint32_t cut_count, cut_capacity;
    bool costs_changed;     /* this round a value turned out to take fewer writes than known */
    bool sharing_changed;   /* this round a location turned out to be shared */
    bool again;             /* a cut was added: locations and traces are to be found once more */
    uint32_t final_check;   /* check of the model named final-order, UINT32_MAX: none */
    bool has_unknown;       /* some memory starts with arbitrary values */
    bool unknown_computed;  /* and it computes with it: the values tried are not all that matter */
    bool unknown_control;   /* a branch or an address may depend on one */
    bool unknown_observed;  /* the final state may */
    struct sx_guess *guess; /* the one arbitrary value decides addresses alone; NULL: not so */
    bool loose;             /* the values tried do not settle the condition */

    enum sx_mode mode;
    bool diverges, hangs;

    bool stop;       /* nothing more to find out */
    bool limited;    /* something is left out: verdict->limit says what */
    bool seen_all;   /* nothing was, before those that wait for ever were looked for */
    bool computed;   /* some store writes a value that depends on what its thread read */
    bool thin_air;   /* some execution has a value that justifies itself: others were not tried */
    bool explaining; /* second pass: looks for the candidate with the desired outcome that comes closest */
    bool raised[4];  /* by enum sx_end, less 1: an execution ends so */
    uint8_t *flags;  /* by check of the model: raised */
    struct sx_exec *exec;
};

uint64_t sx_mask(unsigned size); /* of SIZE bytes */
static inline uint64_t sx_eval_expr(const struct ck_program *program, uint32_t expr, const uint64_t *regs)
{
    return ck_eval_expr(program, expr, regs);
}
uint64_t sx_rmw_value(const struct ck_program *program, const struct ck_instr *instr, uint64_t old,
                      uint64_t operand);

/* Records why the answer is incomplete (the first reason counts). */
void sx_limit(struct sx *sx, const char *rule, const char *message);
/* False when time or memory is used up. */
bool sx_in_bounds(struct sx *sx);

bool sx_has_register(const struct ck_program *program, uint32_t expr);

/* The locations that an access covers, in order of their addresses: more than one where accesses of other
 * sizes overlap it.  0: outside every object (*FAULT), a limit was hit, or all must start again (sx->again).
 */
enum { SX_PIECES = 8 };
unsigned sx_locate(struct sx *sx, uint64_t address, unsigned size, uint32_t *object, bool *fault,
                   uint32_t locations[SX_PIECES]);
/* Whether ADDRESS, where I accesses memory, has left the object that I addresses. */
bool sx_strays(const struct sx *sx, const struct ck_instr *i, uint64_t address);
/* Finds the locations that the final state consists of; false as above. */
bool sx_add_observed(struct sx *sx);
/* Where VALUE is among the location's values, UINT32_MAX: nowhere. */
uint32_t sx_number_value(const struct sx_location *location, uint64_t value);
bool sx_add_value(struct sx *sx, struct sx_location *location, uint64_t value);

/* What values are computed from (search/depend.c).  DEPENDS: for each register a set of reads. */
uint64_t sx_depends(const struct ck_program *program, uint32_t expr, const uint64_t *depends);
/* The bit of the read that is about to become event COUNT. */
uint64_t sx_read_bit(const struct sx_event *events, uint32_t count);
/* At least so many writes to LOCATION lead to a value written there after the COUNT events, computed from the
 * reads DEPENDS, itself included. */
uint32_t sx_cost(const struct sx *sx, const struct sx_event *events, uint32_t count, uint32_t location,
                 uint64_t depends);

/* Memory with arbitrary initial values (search/unknown.c). */
bool sx_find_unknown(struct sx *sx);
bool sx_is_candidate(const struct sx *sx, const struct sx_location *location, uint64_t value);
bool sx_add_candidates(struct sx *sx, struct sx_location *location);

/* Arbitrary values that decide addresses (search/guess.c). */
bool sx_find_guess(struct sx *sx);
bool sx_is_guess(const struct sx *sx, const struct sx_location *location, uint64_t value);
bool sx_add_guesses(struct sx *sx, struct sx_location *location);
/* FIND_TRACES finds the traces under the guesses so far; false: it failed. */
bool sx_settle_guess(struct sx *sx, bool (*find_traces)(struct sx *sx));
/* Instruction PC of THREAD accesses ADDRESS, or would if that were in its object. */
void sx_note_address(struct sx *sx, uint32_t thread, uint32_t pc, uint64_t address);

/* For each back edge (an instruction of THREAD) the set of registers that its target may read; NULL: out of
 * memory (search/live.c). */
uint64_t *sx_loop_liveness(struct sx *sx, const struct ck_thread *thread, const uint32_t *edges,
                           uint32_t edge_count);

/* Fills the threads' traces; false when a resource ran out. */
bool sx_find_traces(struct sx *sx);
/* One round: all traces of all threads under the present values. */
bool sx_run_threads(struct sx *sx);
bool sx_note_store(struct sx *sx, uint32_t location, uint64_t value, uint32_t cost);

/* Drops traces whose reads the model forbids whatever the other threads do (search/static.c). */
void sx_settle(struct sx *sx);

/* Fills the sets of pairs that T reads and writes. */
bool sx_index_trace(struct sx *sx, struct sx_trace *t);
/* Visits every combination of traces whose reads can be satisfied. */
void sx_combine(struct sx *sx);
/* The same for the traces as they are now, in MODE. */
bool sx_visit(struct sx *sx, enum sx_mode mode);
/* For each thread another one, or UINT32_MAX: among combinations that differ in who takes which place there
 * is one in which its trace does not come before the other's (search/symmetry.c).  NULL: out of memory. */
uint32_t *sx_find_symmetry(struct sx *sx);
/* Whether threads A and B wait for each other at barriers, of the sub-group or of the work-group. */
bool sx_share_barriers(const struct ck_program *program, uint32_t a, uint32_t b, bool sub_group);
/* Kernels: whether work-items can wait at different barriers, or for ever (search/hang.c). */
void sx_find_divergence(struct sx *sx, const struct sx_trace *const *chosen);
void sx_find_hangs(struct sx *sx);
/* Whether every work-item that can go on does. */
bool sx_is_fair(const struct sx *sx);
bool sx_may_hang(struct sx *sx, const struct sx_trace *const *chosen);
/* Whether some flag of the model has not been raised yet. */
bool sx_flags_open(const struct sx *sx);

/* Sets up pruning; false: out of memory (search/prune.c). */
bool sx_prune_create(struct sx *sx);
/* Whether the traces of CHOSEN may be part of one execution; threads without one may have any that write no
 * other pairs than ELSEWHERE (NULL: any at all). */
bool sx_may_go_together(struct sx *sx, const struct sx_trace *const *chosen, const uint64_t *elsewhere);

/* The same for the events that x->all holds, whose reads-from is chosen: whether some order of the writes may
 * be part of an execution. */
bool sx_has_some_order(struct sx *sx);

/* Visits the executions of one combination (CHOSEN: a trace per thread, NULL: none). */
enum mm_class sx_exec_create(struct sx *sx);
void sx_exec_destroy(struct sx *sx);
void sx_execute(struct sx *sx, const struct sx_trace *const *chosen, bool partial);
/* An execution that is known: where each read reads from and how the writes came, of each location all of
 * them or, where that is left open, none. */
struct sx_given {
    const uint64_t *sources; /* by thread and event: the thread and event of the write, UINT64_MAX: initial */
    size_t stride;           /* events of a thread in SOURCES */
    const uint64_t *order;   /* the writes: their threads and events */
    uint32_t order_count;
    const uint64_t *initial;   /* by location: the value that it starts with */
    const uint8_t *is_initial; /* by location: INITIAL is; else it starts with any; NULL: all are */
};
void sx_execute_given(struct sx *sx, const struct sx_trace *const *chosen, bool partial,
                      const struct sx_given *given);
/* Whether all wait that the barrier is for which T waits at; WAITING: by thread the barrier that it is at, or
 * NULL. */
bool sx_all_wait(const struct ck_program *program, const struct sx_event *const *waiting, uint32_t t);
/* Finds all executions of a kernel without listing traces first (search/step.c).  VALUES_KNOWN: the values of
 * each location are all that it may hold; MOST_ASKED: so often the model is asked at most, 0: as often as it
 * takes.  BUT_HANGS: whether a loop may wait for ever is open.  What was found stands in any case. */
enum sx_stepped { SX_BY_STEPS, SX_BUT_HANGS, SX_TOO_LONG, SX_NOT_BY_STEPS };
enum sx_stepped sx_step_through(struct sx *sx, bool values_known, uint64_t most_asked);
/* Tries executions at random (search/walk.c). */
void sx_walk(struct sx *sx);
/* Sorts the states and settles the answers. */
void sx_conclude(struct sx *sx);

bool sx_holds(const struct ck_program *program, uint32_t prop, const uint64_t *const *regs,
              const uint64_t *memory); /* MEMORY: by index in observed */

#endif
