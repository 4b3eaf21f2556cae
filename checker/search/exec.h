/* The candidate execution under construction: shared by its construction (search/exec.c) and its evaluation
 * (search/verdict.c, search/explain.c). */
#ifndef CHECKER_SEARCH_EXEC_H
#define CHECKER_SEARCH_EXEC_H

#include "checker/search/internal.h"

struct sx_info {
    const struct sx_event *event; /* NULL: initial write */
    uint64_t value;
};

struct sx_exec {
    const struct sx_trace *const *chosen;
    const struct sx_given *given; /* the given part of the execution */
    enum sx_ending ending;
    uint32_t n;
    struct mm_cat_event *events;
    struct sx_info *infos;
    struct mm_cat_events all;
    uint32_t *init_of; /* by location */

    uint32_t given_writes; /* writes whose order is given: these come first */
    struct sx_reads {
        uint32_t count;
        uint32_t *event, *first_source, *source_count, *source; /* by number of the read */
        uint32_t *sources;
    } reads;
    struct sx_writes {
        uint32_t count;
        uint32_t *event; /* by location, in the coherence order chosen so far */
        uint32_t *rank;
    } writes;
    struct sx_bounds { /* relations that are part of every completion, and that may be */
        uint64_t *rf_lower, *rf_upper, *co_lower, *co_upper;
    } bounds;
    struct sx_block { /* the memory of the arrays */
        char *bytes;
        size_t size;
    } block;

    const uint64_t **regs;
    uint64_t *memory;      /* final values, by observed term */
    uint32_t *final_write; /* by location: the final write, while states are listed */

    struct sx_states {
        uint32_t *table; /* hash table: index of a state + 1 */
        size_t table_size, capacity;
        bool known,
            known_racy; /* an execution of the combination was found and represents its state; with a race */
    } states;
    /* while a pass explains */
    uint32_t fewest;    /* axioms that the closest candidate so far violates */
    uint32_t explained; /* candidates compared */
};

/* The number in the graph of EVENT; x->n: it is not part of it. */
static inline uint32_t sx_graph_index(const struct sx_exec *x, const struct sx_event *event)
{
    uint32_t i = 0;

    while (i < x->n && x->infos[i].event != event)
        i++;
    return i;
}
/* Adds the pair (A, B) to a lower and an upper bound: every completion has it. */
static inline void sx_fix_pair(const struct sx_exec *x, uint64_t *lower, uint64_t *upper, uint32_t a,
                               uint32_t b)
{
    mm_rel_add(x->n, lower, a, b);
    mm_rel_add(x->n, upper, a, b);
}
static inline void sx_fix_rf(const struct sx_exec *x, uint32_t write, uint32_t read)
{
    sx_fix_pair(x, x->bounds.rf_lower, x->bounds.rf_upper, write, read);
}
static inline void sx_fix_co(const struct sx_exec *x, uint32_t before, uint32_t after)
{
    sx_fix_pair(x, x->bounds.co_lower, x->bounds.co_upper, before, after);
}
/* Evaluates the model on the bounds; true: it forbids every completion. */
static inline bool sx_is_forbidden(const struct sx_exec *x, struct mm_cat_eval *eval)
{
    mm_cat_eval_rf(eval, x->bounds.rf_lower, x->bounds.rf_upper);
    mm_cat_eval_co(eval, x->bounds.co_lower, x->bounds.co_upper);
    return mm_cat_eval_forbidden(eval, NULL);
}

/* Room for N events; the arrays of struct sx_exec are parts of one block (search/events.c).  False: out of
 * memory. */
bool sx_reserve(struct sx *sx, uint32_t n);
/* An upper bound for the number of events of CHOSEN; creates the events. */
uint32_t sx_count_events(struct sx *sx, const struct sx_trace *const *chosen);
void sx_build_events(struct sx *sx, const struct sx_trace *const *chosen);
/* Starts an execution of the threads that have a trace; false where there are too many events. */
bool sx_begin_events(struct sx *sx, const struct sx_trace *const *chosen);
/* Adds the writes to location L to x->writes; all writes, without order yet. */
void sx_find_writes_to(struct sx_exec *x, uint32_t l);
void sx_find_writes(struct sx *sx);
/* Whether read R, whose source is open, may read from W: a write of its value that existed when R was
 * executed, or the initial value unless it is unconstrained. */
bool sx_may_be_source(const struct sx *sx, uint32_t w, uint32_t r);
/* The end of the run of writes to the location of x->writes[WRITE]. */
uint32_t sx_end_of_location(const struct sx_exec *x, uint32_t write);
/* Makes the write at position FROM the next of its location, before those up to END; UNDO reverts that. */
void sx_order_write(struct sx_exec *x, uint32_t from, uint32_t end, bool undo);
/* Whether the final value of location L is part of observed term I. */
bool sx_is_observed(const struct sx *sx, uint32_t i, uint32_t l);
/* Whether a value may be out of thin air: reads-from and data dependencies together have a cycle. */
bool sx_has_thin_air(struct sx *sx);
/* Whether the final state depends on unconstrained initial values (x->final_write is known). */
bool sx_ends_unconstrained(struct sx *sx);
/* Fills x->memory with the values of the observed terms. */
void sx_final_state(struct sx *sx);
/* Whether every such read, of the first CHOSEN ones and those with one source, may return the final value of
 * its location: then its loop repeats. */
bool sx_may_repeat(const struct sx *sx, uint32_t chosen);
/* Records a consistent execution. */
void sx_accept(struct sx *sx);
/* Records an execution that terminates, of a program that observes nothing; false: out of memory. */
bool sx_accept_terminated(struct sx *sx, bool racy);
/* Compares a candidate execution, consistent or not, with the closest one so far. */
void sx_compare_candidate(struct sx *sx);
/* Puts the numbers of the events into ORDER so that program order, reads-from, coherence and from-reads go
 * forwards where they can; false: no memory. */
bool sx_order_events(const struct sx *sx, uint32_t *order);
/* Copies the execution to the verdict's witness. */
void sx_keep_witness(struct sx *sx);
void sx_keep_race(struct sx *sx, uint32_t check);
/* Copies the execution as the witness of the state VALUES, of FLAG, or of another finding
 * (search/executions.c); x->final_write is known.  Does nothing unless options.executions. */
void sx_keep_execution(struct sx *sx, enum ck_shows shows, const uint64_t *values, const char *flag);
/* The number in that witness of event EVENT of the search. */
uint32_t sx_witness_event(const struct sx *sx, uint32_t event);
/* The final state with VALUES, added where it is new; NULL when out of memory (search/executions.c). */
struct ck_state *sx_find_state(struct sx *sx, const uint64_t *values);
/* Whether an execution with the final state x->memory was found. */
bool sx_is_allowed(const struct sx *sx);
/* Notes the final state of a candidate execution, consistent or not, if it is a forbidden one. */
void sx_note_forbidden(struct sx *sx);

#endif
