/* Data and functions that the files of the exhaustive search share (docs/search.md). */
#ifndef CHECKER_SEARCH_INTERNAL_H
#define CHECKER_SEARCH_INTERNAL_H

#include "checker/checker.h"
#include "memmodel/cat/eval.h"

enum sx_kind { SX_READ, SX_WRITE, SX_FENCE, SX_BARRIER, SX_AVAILABILITY, SX_VISIBILITY, SX_POINT };

#define SX_NO_POSITION UINT32_MAX /* in place of a position in the coherence order */

struct sx_event {
    uint8_t kind;
    uint8_t order;
    bool rmw_read, rmw_write; /* the read and the write of one read-modify-write: adjacent events */
    uint32_t location;        /* index in sx.values.locations, MM_CAT_NO_LOCATION if none */
    uint32_t object;          /* as addressed, before aliases */
    uint32_t access;          /* equal for the pieces of one access, which are adjacent; 0: one piece */
    uint32_t start;           /* of the whole access: offset in the underlying object */
    uint64_t value;           /* read or written */
    uint64_t barrier;         /* identifies the dynamic instance, with OCCURRENCE */
    uint32_t occurrence;
    bool late; /* barrier with a quorum: enough others had arrived */
    /* dependencies: sets of reads of the same thread (SX_MANY) */
    uint64_t data_depends;    /* writes: reads that the value is computed from */
    uint64_t own_reads;       /* writes: those of them by the same read-modify-write */
    uint64_t address_depends; /* reads that the address is computed from */
    uint64_t control_depends; /* reads that the path condition depends on */
    uint64_t stamp;           /* number of the event in the order of their creation */
    const struct ck_instr *instr;
};

/* Bounds, which the limits of the verdict name (checker/README.md).  The time of an evaluation of the model
 * grows with the cube of the number of events. */
enum {
    SX_TRACE_EVENTS = 1024, /* events of a trace */
    SX_MAX_EVENTS = 1024,   /* events of an execution */
    SX_MAX_LOCATIONS = 1024,
    SX_MAX_VALUES = 1024,  /* values to try of a location */
    SX_MAX_RESTARTS = 1100 /* each with another cut or shared location: more than there are locations */
};

/* A set of reads of a thread: a bit for each, one for all from number SX_MANY on. */
enum { SX_MANY = 63 };

/* How a trace ends: complete; at the loop bound; at a fault; at a failed assertion; in a loop that never
 * terminates; in a state that no execution has, except one with a barrier before it that not all reach. */
enum sx_end { SX_DONE, SX_BOUND, SX_FAULT, SX_ASSERT, SX_WAIT, SX_LEFT };
struct sx_trace {
    enum sx_end end;
    uint32_t wait_from;            /* SX_WAIT: first event of the iteration that repeats */
    const struct ck_instr *beyond; /* SX_BOUND: the back edge that was not taken again */
    bool stopped;                  /* a prefix of a trace: its work-item is never scheduled again */
    uint32_t event_count;
    struct sx_event *events;
    uint64_t *regs;
    uint64_t *depends; /* by register: the reads that its value is computed from */
};
struct sx_thread {
    struct sx_trace *traces;
    uint32_t trace_count, trace_capacity;
};

struct sx_location {
    uint32_t object, offset; /* the underlying object */
    uint8_t size;
    uint64_t initial;
    uint64_t *values; /* the possible values of a read, sorted */
    uint32_t value_count, value_capacity;
    uint8_t *stored;  /* for each value: some trace of this iteration of the fixpoint stores it */
    uint32_t *costs;  /* for each value: least number of writes to this location that lead to it */
    struct sx_fresh { /* stored in this iteration, not among the values */
        uint64_t value;
        uint32_t cost;
    } * fresh;
    uint32_t fresh_count;
    uint32_t trace_writes, thread_writes; /* writes of the current trace; maximum over the thread's traces */
    uint32_t writes;                      /* upper bound for an execution */
    uint32_t owner;                       /* thread that accesses it, plus 1; 0: none so far */
    bool shared;                          /* more than one thread does */
    bool unconstrained;                   /* its initial value is */
};

/* Inputs without a value: an access to one ends the search, which is repeated for each value
 * (search/inputs.c). */
struct sx_inputs {
    const uint32_t *first; /* by object: its first input, CK_NO_INPUT: none */
    const bool *open;      /* by input: it has no value */
    uint32_t wanted;       /* the input that was accessed, CK_NO_INPUT: none */
};

/* How an execution ends. */
enum sx_ending {
    SX_COMPLETE, /* each thread at its end */
    SX_PARTIAL,  /* some thread before its end */
    SX_DIVERGE,  /* work-items of a group at different barriers */
    SX_HANG      /* some thread in a loop that never terminates */
};

/* What the relations that the model uses imply for events. */
struct sx_features {
    bool split_barriers;      /* BEN or BEX: barriers have entry and exit events */
    bool models_overlap;      /* extent or piece: atomic accesses may overlap in part */
    bool tracks_dependencies; /* data, addr or ctrl */
};

struct sx_limits {
    uint64_t deadline_us;      /* CPU time, 0: none */
    uint64_t wall_deadline_us; /* of the monotonic clock, where there is a deadline */
    uint64_t steps;            /* instructions executed */
    uint64_t step_bound;       /* on STEPS, while the values of locations are found; 0: none */
    bool step_bound_exceeded;
    bool exhausted; /* time, memory or an interrupt ended the search */
    uint32_t ticks; /* choices of the exploration: limits are checked at some of them */
};

/* Memory with unconstrained initial values: only some of these values are tried. */
struct sx_unknown {
    bool present;  /* there is such memory */
    bool computed; /* the program computes with such a value: untried values may matter */
    bool controls; /* a branch or an address may depend on one */
    bool observed; /* the final state may depend on one */
    bool assumed;  /* no work-item uses one of private memory: it is 0 */
    bool used;     /* a work-item did */
};

/* One iteration of the fixpoint over the values to try and the addresses that divide locations. */
struct sx_iteration {
    bool cuts_changed;    /* a cut was added: locations and traces have to be found again */
    bool costs_changed;   /* this iteration found a lower cost of a value */
    bool sharing_changed; /* this iteration found another shared location */
    bool computed;        /* some store writes a value that depends on what its thread read */
    bool ungrounded;      /* values that no chain of stores grounds are tried */
};
/* What some consistent execution has. */
struct sx_seen {
    /* a final state that depends on an unconstrained initial value: others were not tried */
    bool unconstrained_state;
    bool thin_air;          /* an out-of-thin-air value: others were not tried */
    bool diverges, hangs;   /* barrier divergence; a loop that never terminates */
    bool raised[SX_ASSERT]; /* by enum sx_end, less 1: such an end */
    uint8_t *flags;         /* by check of the model: raised */
};
/* Locations, and the values to try there. */
struct sx_values {
    struct sx_location *locations;
    uint32_t location_count, location_capacity;
    uint64_t *constants; /* of the program's expressions and condition */
    uint32_t constant_count;
    uint64_t *feeds; /* relation over locations: (i, j): the values of j depend on i; NULL: unknown */
    uint32_t feeds_count;
    uint64_t *cuts; /* addresses (in underlying objects) that divide locations */
    uint32_t cut_count, cut_capacity;
};
/* A pass that explains constructs inconsistent candidates too.  It finds the candidate with the outcome of
 * the condition that violates the fewest axioms, or all final states of candidates. */
enum sx_explains { SX_EXPLAINS_NOTHING, SX_EXPLAINS_OUTCOME, SX_EXPLAINS_STATES };
/* One search.  search.c sets the configuration; location.c and values.c find the locations and the values to
 * try, trace.c the traces of the threads.  step.c constructs executions event by event (struct stepper, which
 * refers to this); exec.c completes each of them (EXEC) and adds to the results.  In a process that split.c
 * has forked the results are those since the fork; sx_join() adds them to those of the process that forked
 * it. */
struct sx {
    /* configuration */
    const struct ck_program *program;
    const struct mm_cat_model *model;
    struct ck_options options;
    struct sx_features features;
    uint32_t final_check;   /* check of the model named final-order, MM_CAT_NO_CHECK: none */
    bool *never_read;       /* by object: no instruction reads it, and the final state does not contain it */
    struct sx_split *split; /* processes that share the search, NULL: no others */

    /* resources */
    struct mm_error *err;
    struct mm_arena *arena;        /* lives as long as the search */
    struct mm_arena *trace_arena;  /* reset when traces are found again, and when the exploration restarts */
    struct mm_cat_eval *eval;      /* of executions */
    struct mm_cat_eval *open_eval; /* of partial executions (docs/search.md#bounds), NULL until used */
    struct sx_limits limits;

    /* locations, the values to try there, and the traces under these values */
    struct sx_inputs *inputs; /* NULL: all have values */
    struct sx_values values;
    struct sx_iteration iteration;
    struct sx_unknown unknown;
    struct sx_guess *guess; /* one unconstrained value that decides addresses alone; NULL: none */
    struct sx_thread *threads;
    uint8_t *exchanges; /* kernels: sx_find_symmetry(); NULL: unknown */

    /* the exploration, and its current execution */
    enum sx_explains explains;
    uint64_t events_created;
    struct sx_exec *exec;
    bool stop; /* the exploration is over */

    /* results */
    struct ck_verdict *verdict;
    struct sx_seen seen;
    bool explored_all; /* executions that terminate: loops that never terminate are examined after them */
    bool limited;      /* a limit was reached: verdict->limit names it */
};

uint64_t sx_mask(unsigned size); /* of SIZE bytes */
uint64_t sx_rmw_value(const struct ck_program *program, const struct ck_instr *instr, uint64_t old,
                      uint64_t operand);

/* Microseconds of the monotonic clock, and of processor time of this process. */
uint64_t sx_now_us(void);
uint64_t sx_processor_us(void);
/* Records the limit that makes the answer incomplete (the first one is kept). */
void sx_limit(struct sx *sx, const char *rule, const char *message);
/* Records that an allocation failed; returns false.  The second function also ends the exploration. */
bool sx_out_of_memory(struct sx *sx);
bool sx_stop_without_memory(struct sx *sx);
/* False when time or memory is used up. */
bool sx_in_bounds(struct sx *sx);

/* Whether EXPR reads a register. */
bool sx_has_register(const struct ck_program *program, uint32_t expr);
/* Finds SX->never_read (search/iterations.c); false: out of memory. */
bool sx_find_never_read(struct sx *sx);

/* The locations that an access covers, in order of their addresses: more than one where accesses of other
 * sizes overlap it.  0: outside every object (*FAULT), a limit was reached, or a cut was added. */
enum { SX_PIECES = 8 };
unsigned sx_locate(struct sx *sx, uint64_t address, unsigned size, uint32_t *object, bool *fault,
                   uint32_t locations[SX_PIECES]);
/* Whether ADDRESS, where I accesses memory, has left the object that I addresses. */
bool sx_strays(const struct sx *sx, const struct ck_instr *i, uint64_t address);
/* Finds the locations that the final state consists of; false as above. */
bool sx_add_observed(struct sx *sx);
bool sx_add_value(struct sx *sx, struct sx_location *location, uint64_t value);

/* Data dependencies of values (search/depend.c).
 *
 * Whether values out of thin air are possible: data, address and control dependencies of threads make a cycle
 * of objects, one of them accessed by atomic operations.  A cycle through one location is forbidden by
 * coherence, and one without atomic accesses is a race or has its reads ordered after its writes.
 * docs/search.md#values */
bool sx_may_have_thin_air(struct sx *sx);
/* The reads that EXPR depends on; DEPENDS: for each register those that its value depends on. */
uint64_t sx_depends(const struct ck_program *program, uint32_t expr, const uint64_t *depends);
/* The bit of the read that is about to become event COUNT. */
uint64_t sx_read_bit(const struct sx_event *events, uint32_t count);
/* Least number of writes to LOCATION, this one included, that lead to a value written there after the COUNT
 * events and computed from the reads DEPENDS. */
uint32_t sx_cost(const struct sx *sx, const struct sx_event *events, uint32_t count, uint32_t location,
                 uint64_t depends);

/* Whether it may be assumed that no work-item uses unconstrained values of private memory
 * (search/unknown.c). */
bool sx_may_assume_unused(const struct ck_program *program);
/* Whether OBJECT is private, and unconstrained values of it are assumed to be unused. */
bool sx_is_assumed_unused(const struct sx *sx, uint32_t object);
bool sx_find_unconstrained(struct sx *sx);
/* Whether the initial value of OBJECT may decide a branch, an address or the final state. */
bool sx_is_decisive(struct sx *sx, uint32_t object);
/* The constants of the program's expressions and condition; false: out of memory (search/values.c). */
bool sx_collect_constants(struct sx *sx);

/* Decides SX->program, which has no inputs or SX->inputs; fills SX->verdict, whose arena exists
 * (search/search.c). */
enum mm_class sx_search(struct sx *sx);
/* The same for a program with inputs, by values of those that an execution accesses (search/inputs.c). */
enum mm_class sx_search_inputs(struct sx *sx);
bool sx_is_candidate(const struct sx *sx, const struct sx_location *location, uint64_t value);
bool sx_add_candidates(struct sx *sx, struct sx_location *location);

/* Unconstrained values that decide addresses (search/guess.c). */
bool sx_find_guess(struct sx *sx);
bool sx_is_guess(const struct sx *sx, const struct sx_location *location, uint64_t value);
bool sx_add_guesses(struct sx *sx, struct sx_location *location);
/* Finds all values to try; FIND_TRACES lists the traces under those so far.  False: it failed. */
bool sx_settle_guess(struct sx *sx, bool (*find_traces)(struct sx *sx));
/* Notes that instruction PC of THREAD accesses ADDRESS, inside its object or not. */
void sx_note_address(struct sx *sx, uint32_t thread, uint32_t pc, uint64_t address);

/* Fills the threads' traces; false when a resource ran out. */
bool sx_find_traces(struct sx *sx);
/* One iteration of the fixpoint: all traces of all threads under the present values. */
bool sx_run_threads(struct sx *sx);
bool sx_note_store(struct sx *sx, uint32_t location, uint64_t value, uint32_t cost);

/* By two threads: 0, or the level of the units that change places in an exchange of the two, plus 1
 * (search/symmetry.c).  HAS_TRACES: all traces of the threads are known.  NULL: out of memory. */
uint8_t *sx_find_symmetry(struct sx *sx, bool has_traces);
/* Whether threads A and B are in one unit of LEVEL. */
enum sx_level { SX_WORK_ITEM, SX_SUB_GROUP, SX_WORK_GROUP, SX_DEVICE };
bool sx_same_unit(const struct ck_program *program, uint32_t a, uint32_t b, enum sx_level level);
/* Whether threads A and B take part in the same barriers, of the sub-group or of the work-group. */
bool sx_share_barriers(const struct ck_program *program, uint32_t a, uint32_t b, bool sub_group);
/* Whether the progress model schedules every runnable work-item (search/hang.c). */
bool sx_is_fair(const struct sx *sx);
/* Whether in the execution of the traces CHOSEN some loop waits, and every work-item that the progress model
 * obliges to run has ended or waits. */
bool sx_may_hang(struct sx *sx, const struct sx_trace *const *chosen);
/* Whether some flag of the model has not been raised yet. */
bool sx_flags_open(const struct sx *sx);

/* Creates SX->open_eval; false: out of memory (search/consistency.c). */
bool sx_create_open_eval(struct sx *sx);
/* Whether the events of x->all, with the chosen reads-from edges and some coherence order, may be part of an
 * execution. */
bool sx_has_some_order(struct sx *sx);

enum mm_class sx_exec_create(struct sx *sx);
void sx_exec_destroy(struct sx *sx);
/* Sources that are no event: the initial write; one of the writes of the same value that existed when the
 * read was executed. */
#define SX_INITIAL UINT64_MAX
#define SX_OPEN    (UINT64_MAX - 2)
/* A given execution: the source of each read, and the coherence order of each location, complete or empty
 * (then it is chosen). */
struct sx_given {
    /* By thread and event: the thread and event of the write, or a value of the next lines. */
    const uint64_t *sources;
    size_t stride;         /* events of a thread in SOURCES */
    const uint64_t *order; /* the writes: their threads and events */
    uint32_t order_count;
    const uint64_t *initial;   /* by location: initial value */
    const uint8_t *is_initial; /* by location: INITIAL is set, else any value; NULL: all are */
};
/* Judges the executions of CHOSEN, a trace per thread, that GIVEN leaves open (search/exec.c). */
void sx_execute(struct sx *sx, const struct sx_trace *const *chosen, enum sx_ending ending,
                const struct sx_given *given);
/* Whether all participants of the barrier of T have reached it; WAITING: by thread its current barrier, or
 * NULL. */
bool sx_all_wait(const struct ck_program *program, const struct sx_event *const *waiting, uint32_t t);
/* Event-by-event construction of all executions (search/step.c).  VALUES_KNOWN: the values of each location
 * are complete.  False: the values have to be known; findings remain valid. */
bool sx_step_through(struct sx *sx, bool values_known);
/* Programs without atomic operations, by one execution (search/drf.c).  True: the verdict is complete. */
bool sx_decide_drf(struct sx *sx);
/* Random executions (search/walk.c). */
void sx_walk(struct sx *sx);
/* Whether a flag of the model was raised that denotes a race (search/consistency.c). */
bool sx_has_race(const struct sx *sx);
/* Adds STATE, found by another process; the first COUNT states are kept.  False: out of memory
 * (search/executions.c). */
bool sx_add_state(struct sx *sx, const struct ck_state *state);
bool sx_cut_states(struct sx *sx, size_t count);

/* Processor time between two forks of a process; 0: it forks wherever it can (for tests). */
extern unsigned sx_split_interval_us;
/* Several processes (search/split.c).  What they share, which VERDICT owns; NULL: there is none. */
struct sx_split *sx_split_create(const struct ck_options *options, struct ck_verdict *verdict);
/* Bytes in memory of all of them. */
size_t sx_split_memory(struct sx_split *split);
/* Whether one of them was interrupted. */
bool sx_split_is_interrupted(const struct sx_split *split);
/* Whether the results of another process make what this one explores irrelevant. */
bool sx_split_is_over(const struct sx *sx);
/* After a search.  EARLY: it has to be repeated, with forks later in each pass; FAILED: by one process;
 * BROKEN: a process ended without a result. */
enum sx_joined { SX_JOINED, SX_JOIN_EARLY, SX_JOIN_FAILED, SX_JOIN_BROKEN };
enum sx_joined sx_split_end(struct sx *sx);

/* Copies the witness and the limit of FROM to V where V has none. */
void sx_adopt_evidence(struct ck_verdict *v, const struct ck_verdict *from);
/* Sorts the states and completes the verdict. */
void sx_conclude(struct sx *sx);

bool sx_holds(const struct ck_program *program, uint32_t prop, const uint64_t *const *regs,
              const uint64_t *memory); /* MEMORY: by index in observed */

#endif
