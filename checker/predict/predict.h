/* Internals of prediction: windows of a recorded execution and queries about them (docs/prediction.md). */
#ifndef CHECKER_PREDICT_PREDICT_H
#define CHECKER_PREDICT_PREDICT_H

#include "checker/checker.h"
#include "checker/program/condition.h"
#include "checker/program/program.h"
#include "memmodel/base/map.h"

enum { CK_PREDICT_SEEN = 4096 }; /* limit of the pairs of source lines with queries */
/* Kind of a pseudo-event: a path condition, or the meeting point of a group function (INSTANCE). */
enum { CK_PREDICT_CONDITION = MM_KIND_COUNT };
/* Represents the unknown value of a write that no recorded read has read. */
#define CK_PREDICT_UNKNOWN UINT64_C(0xa5a5a5a5a5a5a5a5)

/* In place of an index of a place: none. */
#define CK_PREDICT_NO_PLACE UINT32_MAX
#define CK_PREDICT_NO_ITEM  UINT32_MAX
/* In place of the number of a command: none. */
#define CK_PREDICT_NO_COMMAND UINT32_MAX

/* A range of memory that events of a window access: the union of overlapping accesses. */
struct ck_predict_place {
    uint32_t allocation, group; /* GROUP: work-group of local memory, else 0 */
    uint64_t from, to;
    bool shared;  /* two work-items access it, and at least one writes */
    bool unknown; /* some byte has no known value before the window */
};
struct ck_predict_event {
    struct mm_event event;
    mm_event_id id;
    uint32_t item;   /* index in the window's agents */
    uint32_t writer; /* read: the recorded source, CK_NO_EVENT: the value before the window */
    uint64_t before; /* value of the location before the event, if KNOWN */
    uint32_t place;  /* index, CK_PREDICT_NO_PLACE: not a memory access */
    uint32_t named;  /* the accessed allocation; EVENT has the root allocation that contains it */
    uint32_t clock;  /* vector clock over slots of the fixed order before the event */
    bool known;
    /* Terms, 0: none.  READ: the value read; of conditions the term that must be zero or nonzero as
     * VALUE_READ is, or equal to it (KEEPS).  WRITTEN: the value written, or the operand of an update;
     * COMPARED: the expected value of a compare-exchange. */
    uint32_t read, written, compared;
    uint8_t update; /* enum mm_update, MM_UPDATE_COUNT: none or unknown */
    bool keeps;
};
/* A symbolic value: an operation on other terms (struct mm_term). */
struct ck_predict_term {
    uint32_t id, a, b, c;
    uint32_t event;  /* READ: index in the window, CK_NO_EVENT: before it */
    uint32_t window; /* the last window with a read that it depends on, 0: none */
    uint64_t value;
    uint32_t stamp, made, expr; /* last traversal; last program and its expression there */
    uint16_t depth;
    uint8_t op, size; /* enum mm_term_op */
    bool opaque;      /* computed by an operation that terms do not represent */
};
struct ck_predict_terms { /* terms of a command; those up to BASE have been discarded */
    struct ck_predict_term *list;
    uint32_t count, capacity, base;
};
/* Terms that precede the agent's next access in the record. */
struct ck_predict_pending {
    struct mm_agent agent;
    uint32_t read, written, compared;
    uint8_t update;
    bool known; /* BEFORE is the previous value of the location */
    uint64_t before;
};
/* An agent: a work-item, a host thread, the runtime acting for a command. */
struct ck_predict_item {
    struct mm_agent agent;
    uint32_t slot, group, sub_group; /* GROUP: a unique number of the work-group of the command */
    uint32_t count;                  /* of its events */
    uint32_t *events;                /* indices in the window */
};
/* A component of the fixed order: a command with its work-items, or a host thread. */
struct ck_predict_slot {
    uint32_t first_item, item_count;
    uint32_t start; /* event at which the command starts, CK_NO_EVENT: before the window, or no command */
};
struct ck_predict_edge {
    uint32_t from, to; /* events */
};
struct ck_predict_window {
    struct ck_predict_event *events;
    uint32_t count;
    struct ck_predict_edge *edges; /* sorted by TO */
    uint32_t edge_count;
    bool atomics; /* at least two agents of the window use atomic operations */
    struct mm_agent atomic_agent;
    /* built by ck_predict_prepare() */
    struct ck_predict_item *items; /* those of a command together */
    uint32_t item_count;
    struct ck_predict_slot *slots;
    uint32_t slot_count;
    struct ck_predict_place *places;
    uint32_t place_count;
    uint32_t *clocks; /* vector clocks, slot_count components each: events of the slot below it come before */
    uint32_t clock_count;
};
/* The value of a read: irrelevant to the query; constrained by path conditions and by relevant reads; the
 * recorded value. */
enum ck_predict_free { CK_PREDICT_FREE, CK_PREDICT_BOUND, CK_PREDICT_FIXED };
/* A query: two accesses that may race, and the cut of the window at which they do; both CK_NO_EVENT: an
 * assertion at the end of the window. */
struct ck_predict_pair {
    uint32_t a, b;                        /* events */
    uint32_t *cut;                        /* per agent: number of events that take part */
    uint8_t *free;                        /* per event: enum ck_predict_free */
    bool *matters;                        /* per place: a constrained read may read it */
    uint64_t *read, *written;             /* per event: values in the predicted execution */
    const struct ck_condition *assertion; /* the assertion to violate, NULL: race query */
    bool beyond;                          /* the cut may include events after the two accesses */
    bool stopped;                         /* another agent needs an event after the two accesses */
};

struct ck_predictor {
    /* configuration */
    const struct mm_cat_model *model;
    struct ck_predict_options options;
    struct ck_condition **assertions;
    size_t assertion_count;

    /* the recorded execution so far */
    mm_event_id next_event;
    struct ck_predict_allocation {
        struct mm_allocation info;
        uint32_t root; /* the allocation that contains it, or itself */
        uint64_t offset;
        bool freed;
    } * allocations; /* by id */
    uint32_t allocation_count;
    struct mm_command *commands; /* by id */
    uint32_t command_count;
    struct ck_predict_argument {
        struct ck_predict_argument *next;
        struct mm_argument info;
    } * arguments;          /* the last bound first */
    struct mm_map values;   /* contents of memory, by allocation and offset */
    struct mm_arena *arena; /* of names and arguments */

    /* symbolic values */
    struct ck_predict_terms *terms; /* by command */
    uint32_t term_count, terms_kept;
    struct ck_predict_pending *pending;
    uint32_t pending_count;
    bool lost; /* terms are missing (out of memory): no further queries */

    /* the current window and its queries */
    struct ck_predict_window window;
    uint32_t window_number, stamp; /* from 1; STAMP: of the latest program or traversal of terms */
    bool cut; /* an earlier window had atomic operations: assertions are not predicted across windows */
    struct ck_predict_seen {
        uint32_t first, second, tries;
    } * seen; /* pairs of sources */
    size_t seen_count;

    /* results */
    struct ck_prediction *found;
    size_t found_count;
    size_t questions, unknown; /* queries; those without an answer */
    struct mm_error limit;     /* why an assertion could not be evaluated */
};
struct ck_prediction {
    struct mm_event later, earlier;
    const struct ck_condition *assertion; /* NULL: the two race */
    bool observed;                        /* it fails in the recorded execution */
    char *execution;                      /* text of the interleaving, NULL: none was found */
};

/* Makes sure that entry ID exists in *ARRAY, an array by id of CAPACITY entries; new entries are zeroed. */
bool ck_predict_reach(void *array, uint32_t *capacity, uint32_t id, size_t size);

/* True for fences and barriers. */
static inline bool ck_predict_is_fence(const struct mm_event *e)
{
    return e->kind == MM_FENCE || e->kind == MM_BARRIER_ENTRY || e->kind == MM_BARRIER_EXIT;
}
/* True for command events (calls, starts, ends): the endpoints of edges between commands. */
static inline bool ck_predict_is_point(const struct mm_event *e)
{
    return !mm_is_access(e) && !ck_predict_is_fence(e) && e->kind != CK_PREDICT_CONDITION;
}

/* predict/window.c: computes agents, places, reads-from and the fixed order; false: out of memory, or a
 * limit. */
bool ck_predict_prepare(const struct ck_predictor *p, struct ck_predict_window *window);
void ck_predict_clear(struct ck_predict_window *window);
uint32_t ck_predict_group_size(const struct ck_predictor *p, uint32_t command);
bool ck_predict_is_local(const struct ck_predictor *p, uint32_t allocation);
/* Position of EVENT among those of its agent. */
uint32_t ck_predict_position(const struct ck_predict_window *window, uint32_t event);
/* The number of edges to EVENT, consecutive from *FIRST on. */
uint32_t ck_predict_edges(const struct ck_predict_window *window, uint32_t event, uint32_t *first);
/* True if the fixed order of commands and host synchronization has EARLIER before LATER. */
bool ck_predict_ordered(const struct ck_predict_window *window, uint32_t earlier, uint32_t later);

/* True if EVENT is one of the two accesses and the last event of its agent in the cut: its value is
 * unconstrained. */
static inline bool ck_predict_is_last(const struct ck_predict_window *w, const struct ck_predict_pair *pair,
                                      uint32_t event)
{
    return (event == pair->a || event == pair->b) &&
           pair->cut[w->events[event].item] == ck_predict_position(w, event) + 1;
}

/* predict/pair.c: computes the cut of the query; false if no cut contains both accesses. */
bool ck_predict_find_cut(struct ck_predictor *p, const struct ck_predict_window *window,
                         struct ck_predict_pair *pair);
/* Allocates the arrays of a query; false: out of memory. */
bool ck_predict_pair_create(const struct ck_predict_window *window, struct ck_predict_pair *pair);
void ck_predict_pair_destroy(struct ck_predict_pair *pair);
/* Marks the events that are relevant to the query; returns their number. */
uint32_t ck_predict_select(const struct ck_predictor *p, const struct ck_predict_window *window,
                           const struct ck_predict_pair *pair, bool *kept);
/* The bytes of PLACE before the window; unknown bytes are 0xa5. */
void ck_predict_initial(const struct ck_predict_window *window, uint32_t place, uint8_t *bytes);
/* predict/program.c: the program of the query; NULL: it exceeds a limit, or out of memory. */
struct ck_program *ck_predict_program(struct ck_predictor *p, const struct ck_predict_window *window,
                                      const struct ck_predict_pair *pair);
/* predict/term.c */
void ck_predict_handle_term(struct ck_predictor *p, const struct mm_term *term);
/* Attaches the pending terms to EVENT, number INDEX of the window. */
void ck_predict_attach(struct ck_predictor *p, struct ck_predict_event *event, uint32_t index);
/* Ends the window: the values of its reads become constants. */
void ck_predict_end_terms(struct ck_predictor *p, const struct ck_predict_window *window);
void ck_predict_destroy_terms(struct ck_predictor *p);
/* Term ID of COMMAND; a discarded term, or 0, is opaque and depends on no read. */
struct ck_predict_term *ck_predict_term(const struct ck_predictor *p, uint32_t command, uint32_t id);
enum ck_expr_op ck_predict_expr_op(uint8_t op);
/* The bytes of TERM's operands: a constant operand has the size of the other one. */
unsigned ck_predict_operand_size(const struct ck_predictor *p, uint32_t command,
                                 const struct ck_predict_term *term);
/* Evaluates a term that is not opaque with READ[I] as the value of event I of the window. */
uint64_t ck_predict_value(const struct ck_predictor *p, uint32_t command, uint32_t id, const uint64_t *read);
/* Calls LEAF for each event of the window that the term depends on. */
void ck_predict_leaves(struct ck_predictor *p, uint32_t command, uint32_t id, void (*leaf)(void *, uint32_t),
                       void *context);
/* predict.c: adds the path condition TERM to the window; false: out of memory. */
bool ck_predict_add_condition(struct ck_predictor *p, const struct mm_term *term);
/* predict/assert.c: whether the assertion reads PLACE. */
bool ck_assertion_names(const struct ck_condition *assertion, const struct ck_predictor *p,
                        const struct ck_predict_place *place);
/* Parses a condition on the final state of memory. */
struct ck_condition *ck_assertion_parse(const char *text, struct mm_error *err);
/* Whether it holds in the current memory; LIMIT names a value that is unknown. */
enum ck_answer ck_assertion_holds(const struct ck_condition *assertion, const struct ck_predictor *p,
                                  struct mm_error *limit);
/* The values of the memory that ASSERTION names, as "x[2] is 3, y is 1", in TEXT of SIZE bytes. */
void ck_assertion_values(const struct ck_condition *assertion, const struct ck_predictor *p, char *text,
                         size_t size);
/* Adds the negated assertion to a program with OBJECTS for the places of WINDOW; CK_NOT_ADDED: it cannot be
 * expressed. */
uint32_t ck_assertion_lower(const struct ck_condition *assertion, const struct ck_predictor *p,
                            const struct ck_predict_window *window, const uint32_t *objects,
                            struct ck_program *program);
/* predict/query.c: queries the conflicting pairs of a window, and the assertions at the end. */
void ck_predict_query(struct ck_predictor *p, struct ck_predict_window *window);
void ck_predict_ask_assertions(struct ck_predictor *p, struct ck_predict_window *window);

/* predict.c: the current value at OFFSET of allocation ROOT; false: unknown. */
bool ck_predict_value_now(const struct ck_predictor *p, uint32_t root, uint64_t offset, uint32_t size,
                          uint64_t *value);

/* predict/order.c: fills ORDER with an interleaving in which the two race; returns its length, 0: none
 * found. */
uint32_t ck_predict_order(const struct ck_predictor *p, const struct ck_predict_window *window,
                          struct ck_predict_pair *pair, uint32_t *order);
/* race/report.c: adds the finding of a predicted execution. */
void ck_finding_predicted(struct ck_detector *d, const struct ck_prediction *prediction);

#endif
