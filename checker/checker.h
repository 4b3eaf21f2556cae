/* checker: decides programs and checks recorded executions under a memory model.  The public interface. */
#ifndef CHECKER_CHECKER_H
#define CHECKER_CHECKER_H

#include "checker/program/program.h"
#include "memmodel/cat/cat.h"
#include "memmodel/memmodel.h"

struct mm_cat_eval;

/* ---- deciding programs: search and Z3 answer the same question ------------------------------ */

enum ck_answer { CK_UNKNOWN, CK_YES, CK_NO };

/* Forward progress: which of the work-items that can step the scheduler guarantees to step.  FAIR: all; HSA:
 * the lowest-numbered one that has not ended; OBE: those that have begun; LOBE: both; UNFAIR: at least
 * one. */
enum ck_progress_kind { CK_FAIR, CK_HSA, CK_OBE, CK_LOBE, CK_UNFAIR };
struct ck_progress { /* among the members of each scope, outermost first */
    enum ck_progress_kind work_groups, sub_groups, work_items;
};

/* The rule of the limit that an interrupted engine reports; its verdict has the findings up to the
 * interruption. */
#define CK_INTERRUPTED "interrupted"

struct ck_options {
    unsigned bound;      /* loop iterations per back edge, 0 = default (2) */
    unsigned timeout_ms; /* of CPU time and, unless CPU_TIME, of wall-clock time; 0 = none */
    bool cpu_time;
    unsigned jobs;       /* search: processes that share the exploration, 0 or 1: no others are forked */
    size_t memory_limit; /* bytes; search: of all its processes together, 0 = none; Z3: of Z3, 0 = 4 GiB */
    bool explain;        /* also produce witness or contradiction */
    unsigned unroll;     /* when not 0, instead of BOUND: maximal number of executions of a loop body */
    struct ck_progress progress;
    size_t max_states; /* Z3: final states to list at most, 0 = default (4096) */
    bool executions;   /* keep an execution for each final state and each finding */
    bool no_walk;      /* search: neither random executions nor DRF before the exhaustive search */
    bool only_walk;    /* search: random executions alone, however long they take */
    /* search: does not compute the values of locations first, as if they were too many (for tests) */
    bool no_values;
    /* search: search/docs/search.md#programs-without-atomic-operations and #visible-writes hold for the
     * model */
    bool drf;
    bool by_clocks; /* with DRF: the model judges no execution that the clocks judge (for tests) */
    bool deepens;   /* the caller raises the loop bound until the time is used: messages name --timeout */
    bool accept_vacuous; /* decide programs without executions instead of "unknown" */
    bool forbidden;      /* search: also list final states of candidates alone, and why they are forbidden */
    const char *const
        *relations; /* search: definitions of the model, NULL-terminated, to keep with EXECUTIONS */
    /* a sig_atomic_t; not 0: ends with the limit CK_INTERRUPTED; NULL: never. */
    const volatile int *interrupted;
};

struct ck_state {
    uint64_t *values; /* program->observed_count values */
    bool racy;        /* reached by at least one execution with a race */
    bool satisfies;   /* the condition's proposition holds */
};

#define CK_NO_EVENT UINT32_MAX /* in place of the index of an event of an execution */
/* One event of a witness or a cycle. */
struct ck_step {
    uint32_t event;  /* index in the graph */
    uint32_t thread; /* CK_NO_THREAD: initial write */
    struct mm_event info;
    uint32_t object; /* CK_NO_OBJECT: none */
    uint32_t line, column;
    const char *edge; /* relation to the next step: "sb", "rf", "gsw", ...; NULL at the end */
};
/* A violated axiom, or a raised flag. */
struct ck_violation {
    const char *axiom;  /* name in the model */
    const char *clause; /* its clause text, "" if it has none */
    size_t step_count;  /* cycle: the last step has an edge to the first */
    struct ck_step *steps;
};

/* A witness execution, by thread. */
enum ck_shows { CK_SHOWS_STATE, CK_SHOWS_FLAG, CK_SHOWS_OUT_OF_BOUNDS, CK_SHOWS_DIVERGENCE, CK_SHOWS_HANG };
/* How a thread ends: it terminates; accesses memory outside of objects; spins, repeating its events from
 * WAIT_FROM on; or is blocked or not scheduled any more. */
enum ck_end { CK_ENDS, CK_FAULTS, CK_WAITS, CK_IS_LEFT };
struct ck_event {
    uint32_t thread; /* CK_NO_THREAD: initial write */
    uint8_t kind; /* enum mm_kind: INIT, READ, WRITE, FENCE, BARRIER_ENTRY, AVAILABILITY, VISIBILITY, ... */
    uint8_t order, scope;
    bool last;       /* writes: the last one in co, whose value is the final one */
    uint32_t object; /* CK_NO_OBJECT: none */
    uint32_t offset, size;
    uint64_t value;  /* read or written */
    uint32_t source; /* reads: the number of the write in the execution */
    uint32_t line, column;
    bool hidden;   /* added by the lowering: hidden objects, barriers inside of group functions */
    uint32_t step; /* position in a linearisation that respects program order and, if possible, reads-from */
    uint32_t partner; /* the other half of a read-modify-write, CK_NO_EVENT: none */
};
struct ck_execution {
    enum ck_shows shows;
    const uint64_t *values; /* STATE: of the observed terms */
    const char *flag;       /* FLAG: its name */
    size_t count;
    struct ck_event *events;  /* initial writes, then each thread's in program order */
    enum ck_end *ends;        /* by thread */
    uint32_t *wait_from;      /* by thread: counted within the thread's own */
    struct mm_rel co;         /* over events: coherence order; not in files */
    uint32_t between[2];      /* FLAG: the events that raise it, CK_NO_EVENT: unknown */
    struct mm_rel *relations; /* over events: as options.relations, N 0: not defined; or NULL */
};
/* A final state that no consistent execution has: the candidate with this state that violates the fewest
 * axioms. */
struct ck_forbidden {
    uint64_t *values;
    bool satisfies;
    size_t violation_count;
    struct ck_violation *violations; /* events of steps are events of CANDIDATE */
    struct ck_execution candidate;   /* with options.executions */
};

struct ck_verdict {
    struct mm_arena *arena;   /* owns everything below */
    enum ck_answer condition; /* YES: exists has a witness, or forall / ~exists is true of every execution */
    enum ck_answer race;      /* YES: a race in some consistent execution */
    enum ck_answer usage; /* YES: another flag of the model, an invalid use, in some consistent execution */
    size_t state_count;   /* allowed final states, sorted by value, no duplicates */
    struct ck_state *states;
    bool states_complete;
    uint64_t execution_count; /* consistent executions (search); 0 where not counted */
    uint64_t candidate_count;
    struct mm_error limit; /* cls MM_LIMIT: why something is unknown */
    size_t flag_count;     /* flags raised in some consistent execution, e.g. data_race */
    const char **flags;
    /* if no consistent execution satisfies the condition's proposition: the axioms that the closest candidate
     * violates */
    size_t violation_count;
    struct ck_violation *violations;
    struct ck_violation race_witness; /* axiom NULL if none: a race, its two accesses, or another flag */
    size_t witness_count;             /* events of an execution that satisfies the proposition */
    struct ck_step *witness;          /* in an order consistent with the model */
    struct mm_rel witness_rf, witness_co, witness_po; /* over witness[] indices */
    double time_ms;                                   /* CPU */
    /* kernels */
    enum ck_answer divergence;  /* YES: work-items of a group can be blocked at different barriers */
    enum ck_answer termination; /* YES: every execution ends */
    size_t shown_count;         /* with options.executions */
    struct ck_execution *shown;
    size_t forbidden_count; /* with options.forbidden */
    struct ck_forbidden *forbidden;
    bool forbidden_complete; /* all candidates were constructed: the list has every such state */
};

/* Decides PROGRAM under MODEL.  Returns MM_OK and fills VERDICT (free with ck_verdict_clear), also when the
 * answer is "unknown"; MM_INVALID if the program is not valid; MM_BUG if refcl contradicts itself. */
enum mm_class ck_search(const struct ck_program *program, const struct mm_cat_model *model,
                        const struct ck_options *options, struct ck_verdict *verdict, struct mm_error *err);
enum mm_class ck_z3(const struct ck_program *program, const struct mm_cat_model *model,
                    const struct ck_options *options, struct ck_verdict *verdict, struct mm_error *err);
void ck_verdict_clear(struct ck_verdict *verdict);
/* The state with VALUES, one for each observed term of PROGRAM; NULL: there is none. */
struct ck_state *ck_verdict_find_state(const struct ck_verdict *verdict, const struct ck_program *program,
                                       const uint64_t *values);
/* Sorts the states by their values. */
void ck_verdict_sort_states(struct ck_verdict *verdict, const struct ck_program *program);
/* The message of a limit: the loop at LINE (0: unknown) exceeds the bound of OPTIONS. */
void ck_bound_message(const struct ck_program *program, const struct ck_options *options, unsigned line,
                      char *text, size_t size);
/* Whether the name of a model's flag denotes a race: "data_race", "racy", or unnamed ("empty@12"); other
 * flags denote invalid uses. */
bool ck_flag_is_race(const char *name);
/* Whether VERDICT lists flag NAME. */
bool ck_verdict_has_flag(const struct ck_verdict *verdict, const char *name);
/* Whether some execution is undefined by a flag of the model, race or other. */
enum ck_answer ck_verdict_undefined(const struct ck_verdict *verdict);
/* Fills OUT, in ARENA, with the reason why check CHECK fails for the candidate of EVAL, which evaluates
 * MODEL; DESCRIBE converts an event into a step.  False: out of memory. */
bool ck_explain(struct mm_arena *arena, struct mm_cat_eval *eval, const struct mm_cat_model *model,
                uint32_t check, struct ck_step (*describe)(const void *execution, uint32_t event),
                const void *execution, struct ck_violation *out);
/* No execution of PROGRAM terminates: the condition becomes unknown and, without a finding that explains it,
 * so do races. */
void ck_verdict_vacuous(const struct ck_program *program, struct ck_verdict *verdict);
/* Adds a witness execution of THREADS threads to VERDICT, with room for COUNT events; NULL if out of
 * memory. */
struct ck_execution *ck_verdict_show(struct ck_verdict *verdict, size_t count, uint32_t threads);

/* One change of a program: set the fields of instruction INSTR of THREAD that are not 0; or insert a fence or
 * a barrier of the work-group before it (INSTR may be the number of instructions); or make all accesses to
 * the object of INSTR atomic: plain ones get ORDER (NONE: there are none), all at least SCOPE; or remove it,
 * a fence or a barrier.  In a kernel the change is made in the source: it concerns all instructions at the
 * same place of it. */
struct ck_edit {
    uint32_t thread, instr;
    bool insert;
    uint8_t order, scope, fence_flags; /* fence_flags: to add */
    bool barrier;                      /* with INSERT */
    bool atomic;
    bool remove; /* FENCE_FLAGS if there are any, else the instruction */
};
struct ck_advice {
    uint32_t count; /* 0: no fix with at most two edits was found */
    struct ck_edit edits[2];
    bool racy; /* of ck_advise_state: the state is then reached by an execution with a race */
};
/* Sets OUT to PROGRAM with EDITS.  Unchanged parts are shared with PROGRAM; changed parts are allocated in
 * ARENA.  False: out of memory. */
bool ck_program_edit(struct mm_arena *arena, const struct ck_program *program, const struct ck_edit *edits,
                     uint32_t count, struct ck_program *out);
/* Whether EDIT concerns instruction INDEX of THREAD too (INDEX may be the number of instructions). */
bool ck_edit_is_site(const struct ck_program *program, const struct ck_edit *edit, uint32_t thread,
                     uint32_t index);
/* An access of OBJECT that is plain, or atomic with a scope narrower than SCOPE. */
bool ck_instr_falls_short(const struct ck_program *program, const struct ck_instr *instr, uint32_t object,
                          unsigned scope);
/* Searches for the smallest change after which PROGRAM has no race under MODEL. */
enum mm_class ck_advise(const struct ck_program *program, const struct mm_cat_model *model,
                        const struct ck_options *options, struct ck_advice *advice, struct mm_error *err);
/* The same for a final state, its observed values: the smallest change after which no execution ends in it
 * and none has a race; or, with ALLOW, after which some execution ends in it. */
enum mm_class ck_advise_state(const struct ck_program *program, const struct mm_cat_model *model,
                              const struct ck_options *options, const uint64_t *state, bool allow,
                              struct ck_advice *advice, struct mm_error *err);

/* ---- judging a running program ---------------------------------------------------------------- */

/* A detector consumes an execution in record order and collects findings. */
struct ck_detector;
struct ck_detector_options {
    bool races;          /* data races and scope races */
    bool memory;         /* findings that the runtime records, and what the detector itself sees */
    size_t max_findings; /* 0 = no limit */
    /* Filters: words of kinds, "race", "memory" or "api"; shell patterns of kernels; numbers of commands.
     * NULL, 0: all. */
    const char *only, *kernels;
    uint64_t first_launch, last_launch;
    size_t memory_limit; /* bytes of shadow state, 0 = default (4 GiB); beyond it the verdict is unknown */
    bool uninitialized;  /* reads of local memory that holds nothing yet, even if the value is never used */
    bool weak;           /* edges may say that values do not flow in record order */
    bool least_order;    /* MM_EDGE_AMBIGUOUS orders nothing */
    enum mm_revision revision; /* the rules that order; MM_REVISION_3_0 finds all races that any has */
    /* Completes a source without a line, or whose text is not known, when a finding first names it; NULL:
     * they stay as they are.  TEXT may be filled in; strings need to live until the next call only. */
    void (*locate)(void *context, struct mm_source *source, struct mm_text *text);
    void *locate_context;
};
/* Whether PART is a sub-buffer of WHOLE, or a buffer made from its SVM. */
bool ck_allocation_lies_in(const struct mm_allocation *part, const struct mm_allocation *whole);
struct ck_detector *ck_detector_create(const struct ck_detector_options *options);
void ck_detector_destroy(struct ck_detector *detector);
/* Ends the execution: frees the state that only later events would use. */
void ck_detector_finish(struct ck_detector *detector);
/* States that no later edge starts at event ID; frees the vector clock stored for such edges. */
void ck_detector_retire(struct ck_detector *detector, mm_event_id id);
/* Adds the findings of FROM, which has to live as long as INTO; the same findings become one.  PROCESS goes
 * to the findings, also where FROM is INTO. */
bool ck_detector_merge(struct ck_detector *into, struct ck_detector *from, uint32_t process);
void ck_detector_sink(struct ck_detector *detector, struct mm_sink *sink);

enum { CK_STACK = 16 };
struct ck_access {
    struct mm_source source; /* strings owned by the detector; id 0 if unknown */
    struct mm_event event;
    struct mm_agent agent;
    const struct mm_command *command; /* NULL for host threads */
    uint64_t global_id[3], group_id[3], local_id[3];
    const char *argument; /* kernel argument it went through, NULL if unknown */
    uint64_t element;     /* index in the argument's elements */
    const char *
        designator; /* of the place in an argument of composite elements, such as "[3].y"; "" or NULL: the index */
    mm_event_id id;               /* of the event, MM_NO_EVENT if it is not known */
    const struct mm_source *call; /* the call that enqueued the command, NULL if unknown */
    uint32_t caller;              /* host thread that made it, if the command has no parent */
    /* The calls in the host's code that led to CALL, innermost first, where they were recorded. */
    const struct mm_source *call_stack[CK_STACK];
    uint32_t call_depth;
    /* The calls in the kernel that led to it, innermost first; deeper ones are left out. */
    const struct mm_source *stack[CK_STACK];
    uint32_t depth;
};
/* Command FIRST is complete before command SECOND starts or, where that is 0, before host thread HOST makes
 * its access at SOURCE to ALLOCATION. */
struct ck_order {
    uint32_t first, second, host, source, allocation;
};
/* A change of the program, in terms of its events; members that are 0 change nothing. */
struct ck_change {
    uint32_t source[2]; /* the events concerned, 0 = none */
    bool wait; /* instead: wait_group_events for the copies at source[0] before what is at source[1] */
    uint8_t fence_flags, scope; /* flags to add; scope to have */
    uint8_t order[2];           /* order to have at least, of each source */
    /* Instead: a barrier of the group somewhere behind line AFTER of the accesses' file, before line BEFORE
     * (or, where a barrier already stands there, before it in the next loop iteration); AFTER 0: none. */
    struct {
        uint32_t after, before;
        bool round;
        const char *flag; /* "CLK_LOCAL_MEM_FENCE" */
    } barrier;
    struct ck_order commands; /* instead, FIRST 0: none */
    bool atomic;              /* the events are atomic, relaxed in SCOPE */
};
/* Changes EVENT as CHANGE says. */
void ck_change_apply(const struct ck_change *change, struct mm_event *event);
/* The detector judges the execution as if CHANGE had added its waits; the caller applies the rest by
 * ck_change_apply().  CHANGE has to live until the last record. */
void ck_detector_suppose(struct ck_detector *detector, const struct ck_change *change);

#define CK_UNIFORM_WRITE "uniform-write"
#define CK_POSSIBLE_RACE "possible-race" /* one that an analysis cannot exclude: of events with MM_POSSIBLE */

/* An access that is out of bounds of smaller memory. */
#define CK_POSSIBLE_OUTSIDE "possible-out-of-bounds"

/* Synchronization without which the execution has no race either. */
#define CK_NEEDLESS_WAIT "needless-wait"

#define CK_ACROSS_COMMANDS UINT32_MAX /* in place of a number of commands */

/* How often the instances of a finding met each work-group and block of elements: an instance counts once for
 * each work-group that has an access in it, at its first byte.  Host threads and commands without work-items
 * count for no work-group. */
enum {
    CK_HEAT_CELLS = 64,
    CK_HEAT_SLOTS = 128
}; /* cells per finding; where they are full, blocks are doubled */
struct ck_heat_cell {
    uint64_t group[3]; /* group id */
    int64_t block;     /* elements [BLOCK << log, (BLOCK + 1) << log) */
    uint64_t count;
};
struct ck_heat {
    struct ck_heat_cell *cells;
    uint32_t cell_count, capacity;
    uint32_t group_count;  /* work-groups with a cell */
    uint32_t element_size; /* bytes */
    uint32_t log;          /* elements per block, as a power of two */
    uint64_t base;         /* byte of the memory object where element 0 begins */
    uint64_t left_out;     /* counts without a cell: there are more work-groups than cells, or no memory */
    uint8_t by_cell[CK_HEAT_SLOTS],
        by_group[CK_HEAT_SLOTS]; /* hash tables: 1 + cell, 1 + first cell of the group; 0: free */
};

struct ck_finding {
    const char *kind;    /* "data-race", "scope-race", "out-of-bounds", ... */
    const char *clause;  /* "CL 3.3.6 G17" */
    const char *message; /* one sentence */
    const char *reason;  /* which synchronization is missing or falls short, NULL if none is known */
    uint64_t count;      /* how often it was seen */
    struct ck_heat heat; /* the same by work-group and element */
    const struct mm_allocation *allocation; /* NULL if none */
    uint64_t offset;                        /* first byte concerned */
    uint32_t size;
    size_t access_count; /* 0 to 2; the later access first */
    struct ck_access accesses[2];
    uint32_t pairs;          /* races: which kinds of accesses met at these places, ck_pair_bit() of each */
    const char *fix;         /* the smallest change that is known to help, NULL if none is known */
    struct ck_change change; /* the same for ck_change_apply() */
    const struct mm_source *changed[2]; /* the places of CHANGE's sources, NULL: none, or unknown */
    uint32_t commands; /* races: number of commands with it, at least; CK_ACROSS_COMMANDS: also between two */
    uint32_t last_command; /* of those that were counted */
    bool verified;         /* with the change the same execution has no such race */
    const char *
        revisions; /* races: under which revisions of the specification it is none, and why; NULL: under all */
    /* the choices of the launch that the finding depends on, as text; NULL: none known */
    const char *depends_on;
    const struct mm_source *created;    /* the host call that created the memory object, NULL if unknown */
    const struct ck_detector *detector; /* that it was merged from, NULL: none */
    uint32_t process;                   /* the same as a number that the caller gave, 0: none */
};
size_t ck_detector_finding_count(const struct ck_detector *detector);
/* A possible race or access out of bounds, or a needless wait: it is no fault. */
bool ck_finding_is_hint(const struct ck_finding *finding);
size_t ck_detector_fault_count(const struct ck_detector *detector); /* findings that are no hints */
/* Adds the possible races of FROM, a detector over the same trace that has to live as long, but those between
 * calls and memory of which INTO has a race. */
bool ck_detector_add_possible(struct ck_detector *into, struct ck_detector *from);
const struct ck_finding *ck_detector_finding(const struct ck_detector *detector, size_t i);
/* Adds finding I of FROM, a detector of another launch that has to live as long, as a hint of KIND that
 * depends on what DEPENDS says. */
bool ck_detector_add_hint(struct ck_detector *into, struct ck_detector *from, size_t i, const char *kind,
                          const char *depends);
/* Whether it was created with options.weak. */
bool ck_detector_is_weak(const struct ck_detector *detector);
/* Distinct findings beyond max_findings, which are not kept. */
size_t ck_detector_dropped(const struct ck_detector *detector);
/* The race of DETECTOR at the same places and memory as FINDING of another detector over the same trace, NULL
 * if it has none. */
const struct ck_finding *ck_detector_race(struct ck_detector *detector, const struct ck_finding *finding);
/* Notes that a change was tried: VERIFIED if it helped; else the advice is withdrawn. */
void ck_detector_verified(struct ck_detector *detector, size_t i, bool verified);
/* Text for ck_finding.revisions. */
void ck_detector_revisions(struct ck_detector *detector, size_t i, const char *text);
/* Text for ck_finding.depends_on. */
void ck_detector_depends(struct ck_detector *detector, size_t i, const char *text);
/* Whether there was a race between commands or with the host, suppressed or not. */
bool ck_detector_races_across(const struct ck_detector *detector);
/* The data race I is between writes of the same value: its kind is uniform-write. */
void ck_detector_mark_uniform(struct ck_detector *detector, size_t i);
/* After the last mark: findings whose kind the filters leave out, or are uniform writes and UNIFORM is false,
 * count as suppressed. Findings about uninitialized values come last. */
void ck_detector_filter(struct ck_detector *detector, bool uniform);
/* Sets the advice of finding I, which was verified. */
void ck_detector_advise(struct ck_detector *detector, size_t i, const char *fix);
/* Leaves out findings that PATTERNS match: lines of "kind", "kind:FILE" or "kind:FILE:LINE", each part a
 * shell pattern, # comments.  MM_INVALID with the line that is none.  Call before the first record. */
enum mm_class ck_detector_suppress(struct ck_detector *detector, const char *patterns, const char *name,
                                   struct mm_error *err);
/* The filter that hides a finding, named like its option. */
enum ck_filter {
    CK_FILTER_NONE,
    CK_FILTER_ONLY,
    CK_FILTER_KERNELS,
    CK_FILTER_LAUNCHES,
    CK_FILTER_SUPPRESS,
    CK_FILTER_UNIFORM,
    CK_FILTER_COUNT
};
/* Whether KERNEL, or NULL, is one of PATTERNS: shell patterns, separated by commas. */
bool ck_is_of_kernels(const char *patterns, const char *kernel);
/* The number of distinct findings that FILTER hides; a race that is also reported for another launch does
 * not count. */
size_t ck_detector_hidden(const struct ck_detector *detector, enum ck_filter filter);
size_t ck_detector_suppressed(const struct ck_detector *detector); /* their sum */
/* Makes the verdict "unknown", because of LIMIT; the detector continues. */
void ck_detector_unknown(struct ck_detector *detector, const struct mm_error *limit);
/* MM_OK, or MM_LIMIT with the bound that was hit. */
enum mm_class ck_detector_status(const struct ck_detector *detector, struct mm_error *err);
/* The source with this id; file NULL if unknown. */
void ck_detector_source(struct ck_detector *detector, uint32_t id, struct mm_source *source);
/* Where line LINE (from 1) of TEXT begins; NULL if TEXT is NULL or shorter. */
const char *ck_source_line(const char *text, uint32_t line);
/* Program text by file name, for excerpts; NULL if unknown. */
const char *ck_detector_text(const struct ck_detector *detector, const char *file);

/* ---- prediction --------------------------------------------------------------------------------- */

/* Predicts races and failed assertions of other executions that MODEL allows, from windows of a recorded
 * execution whose trace has values.  Every agent keeps its control-flow path, and the order of commands and
 * of host synchronization stays.  Z3 decides; a matching interleaving is then searched for
 * (predict/docs/prediction.md). */
struct ck_predictor;
struct ck_predict_options {
    uint32_t window;     /* events of a window, 0 = default (4000) */
    uint32_t events;     /* most events of a query, 0 = default (48) */
    uint32_t questions;  /* most queries of a window, 0 = default (40) */
    unsigned timeout_ms; /* of one query, 0 = default (3000) */
};
/* MODEL NULL: no prediction; assertions are checked for the recorded execution alone. */
struct ck_predictor *ck_predictor_create(const struct mm_cat_model *model,
                                         const struct ck_predict_options *options);
void ck_predictor_sink(struct ck_predictor *predictor, struct mm_sink *sink);
/* Adds an assertion about the final state of memory, such as "out[0] == 2 and flag != 0": names are those of
 * kernel arguments or, in quotes, of memory objects.  It is checked for the recorded execution, too. */
enum mm_class ck_predictor_assert(struct ck_predictor *predictor, const char *text, struct mm_error *err);
/* After the last record: adds the predictions to the findings of DETECTOR, which has read the same trace. */
void ck_predictor_finish(struct ck_predictor *predictor, struct ck_detector *detector);
/* The number of queries, and of those without an answer. */
void ck_predictor_count(const struct ck_predictor *predictor, size_t *questions, size_t *unknown);
void ck_predictor_destroy(struct ck_predictor *predictor);

/* ---- reports ------------------------------------------------------------------------------------ */

#include <stdio.h>
/* How the observed program ended. */
struct ck_ending {
    const char *program; /* NULL: that is not known */
    int status, signal;  /* 0: none */
};
/* How much of the program was observed.  Unless it was all, the absence of findings proves nothing. */
enum ck_observation {
    CK_OBSERVED,
    CK_OBSERVED_NOTHING, /* no process of it used OpenCL through refcl */
    CK_OBSERVED_IN_PART, /* a trace ended before its process did */
    CK_OBSERVED_NOT_ALL  /* commands or memory that the checks do not see were used: see not_checked */
};
struct ck_report_options {
    bool color;
    enum ck_observation observation;
    const struct mm_cat_model *model; /* that predictions follow, NULL: there are none */
    const char *command_line;         /* may be NULL */
    struct ck_ending ending;
    const char *checked,
        *not_checked; /* names of checks: "race, memory", or parts of the program; NULL: that is not known */
    /* characters of NOT_CHECKED, names of checks that the option --check all makes, too */
    size_t more_checks;
};
/* Compiler-style diagnostics. */
void ck_report_text(const struct ck_detector *detector, const struct ck_report_options *options, FILE *out);
/* tools/schema/report.schema.json */
enum mm_class ck_report_json(const struct ck_detector *detector, const struct ck_report_options *options,
                             FILE *out);
enum mm_class ck_report_sarif(const struct ck_detector *detector, const struct ck_report_options *options,
                              FILE *out);
enum mm_class ck_report_junit(const struct ck_detector *detector, const struct ck_report_options *options,
                              FILE *out);

#endif
