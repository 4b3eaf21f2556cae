/* Prediction, inside: windows of a recorded execution and questions about them. */
#ifndef CHECKER_PREDICT_H
#define CHECKER_PREDICT_H

#include "checker/checker.h"
#include "checker/program/condition.h"
#include "checker/program/program.h"

enum { CK_PREDICT_SEEN = 4096 }; /* pairs of sources asked about, at most */
enum {
    CK_PREDICT_CONDITION = MM_KIND_COUNT
}; /* kind of what is no event: a term has to have a value, or others to come (INSTANCE) */
/* Stands for a value that is not known: nobody has read it. */
#define CK_PREDICT_UNKNOWN UINT64_C(0xa5a5a5a5a5a5a5a5)

/* Memory that events of a window touch: what overlaps is one object. */
struct ck_predict_place {
    uint32_t allocation, group; /* GROUP: of local memory, else 0 */
    uint64_t from, to;
    bool shared;  /* by two work-items at least, one of which writes */
    bool unknown; /* some of what it holds before the window is not known */
};
struct ck_predict_event {
    struct mm_event event;
    mm_event_id id;
    uint32_t item;   /* index in the window's agents */
    uint32_t writer; /* read: the event that it reads, UINT32_MAX: what was there before */
    uint64_t before; /* what was there before the window, if KNOWN */
    uint32_t place;  /* index, UINT32_MAX: left out */
    uint32_t named;  /* allocation that was accessed; the event's is the one that it lies in */
    uint32_t row;    /* what of other slots comes before it in any case */
    bool known;
    /* Terms, 0: none.  READ: what it reads; of conditions what has to be 0 or not, as VALUE_READ is, or that
     * (KEEPS).  WRITTEN: what it writes, of updates with what; COMPARED: where it reads that. */
    uint32_t read, written, compared;
    uint8_t update; /* enum mm_update, MM_UPDATE_COUNT: none, or not known */
    bool keeps;
};
/* How a value follows from others (struct mm_term). */
struct ck_predict_term {
    uint32_t id, a, b, c;
    uint32_t event;  /* READ: of the window, UINT32_MAX: before it */
    uint32_t window; /* the last one in which it follows from a read, 0: none */
    uint64_t value;
    uint32_t stamp, made, expr; /* of walks, of programs */
    uint16_t depth;
    uint8_t op, size; /* enum mm_term_op */
    bool opaque;      /* nobody knows how */
};
struct ck_predict_terms { /* of a command: those after BASE, which are forgotten */
    struct ck_predict_term *list;
    uint32_t count, capacity, base;
};
/* Terms of the agent's next access. */
struct ck_predict_pending {
    struct mm_agent agent;
    uint32_t read, written, compared;
    uint8_t update;
    bool known; /* BEFORE is what the memory held that it writes to */
    uint64_t before;
};
/* An agent: a work-item, a host thread, the runtime acting for a command. */
struct ck_predict_item {
    struct mm_agent agent;
    uint32_t slot, group, sub_group; /* GROUP: a number of its own for each work-group of each command */
    uint32_t count;                  /* of its events */
    uint32_t *events;                /* indices in the window */
};
/* What commands are ordered by: a command with its work-items, or a host thread. */
struct ck_predict_slot {
    uint32_t first_item, item_count;
    uint32_t start; /* event at which the command starts, UINT32_MAX: before the window, or no command */
};
struct ck_predict_edge {
    uint32_t from, to; /* events */
};
struct ck_predict_window {
    struct ck_predict_event *events;
    uint32_t count, capacity;
    struct ck_predict_edge *edges; /* sorted by TO */
    uint32_t edge_count, edge_capacity;
    bool atomics; /* at least two agents use atomic operations */
    struct mm_agent atomic_agent;
    /* made for the questions */
    struct ck_predict_item *items; /* those of a command together */
    uint32_t item_count;
    struct ck_predict_slot *slots;
    uint32_t slot_count;
    struct ck_predict_place *places;
    uint32_t place_count;
    uint32_t *rows; /* slot_count numbers each: events before that one of the slot come before */
    uint32_t row_count;
};
/* What a read returns: anything, as nothing follows from it; what conditions and other reads leave it; what
 * it returned. */
enum ck_predict_free { CK_PREDICT_FREE, CK_PREDICT_BOUND, CK_PREDICT_FIXED };
/* Two accesses, and how far each agent has come when they race; both UINT32_MAX: everybody is at the end. */
struct ck_predict_pair {
    uint32_t a, b;                        /* events */
    uint32_t *cut;                        /* per agent: events that happen */
    uint8_t *free;                        /* per event: enum ck_predict_free */
    bool *matters;                        /* per place: somebody's way follows from what it holds */
    uint64_t *read, *written;             /* per event: in the execution that was found */
    const struct ck_condition *assertion; /* what is to fail instead, NULL: the two are to race */
    bool beyond;                          /* the agents of the two may go on */
    bool stopped;                         /* somebody else might need that */
};

struct ck_predictor {
    const struct mm_cat_model *model;
    struct ck_predict_options options;
    struct ck_predict_window window;
    mm_event_id next_event;
    struct ck_predict_allocation {
        struct mm_allocation info;
        uint32_t root; /* the allocation that it lies in, or itself */
        uint64_t offset;
        bool freed;
    } * allocations; /* by id */
    uint32_t allocation_count;
    struct mm_command *commands; /* by id */
    uint32_t command_count;
    struct ck_predict_value {
        uint64_t key, value;
        bool known;
    } * values; /* what memory holds: a hash table by allocation and offset */
    size_t value_count, value_capacity;
    struct ck_predict_seen {
        uint32_t first, second, tries;
    } * seen; /* pairs of sources */
    size_t seen_count;
    struct ck_prediction *found;
    size_t found_count;
    size_t questions, unknown;
    struct mm_error limit;  /* why an assertion could not be judged */
    struct mm_arena *arena; /* of names and the following */
    struct ck_predict_argument {
        struct ck_predict_argument *next;
        struct mm_argument info;
    } * arguments; /* the last bound first */
    bool cut; /* there are windows with atomic operations before the last: assertions are not asked about them
               */
    struct ck_condition **assertions;
    size_t assertion_count;
    struct ck_predict_terms *terms; /* by command */
    uint32_t term_count, terms_kept;
    struct ck_predict_pending *pending;
    uint32_t pending_count, pending_capacity;
    uint32_t window_number, stamp; /* from 1 */
    bool lost;                     /* no memory for terms: nothing can be asked any more */
};
struct ck_prediction {
    struct mm_event later, earlier;
    const struct ck_condition *assertion; /* NULL: the two race */
    bool observed;                        /* it fails in the recorded execution */
    char *execution;                      /* the order of events; NULL: none that interleaves */
};

static inline bool ck_predict_is_access(const struct mm_event *e)
{
    return e->kind == MM_READ || e->kind == MM_WRITE || e->kind == MM_RMW;
}
static inline bool ck_predict_writes(const struct mm_event *e)
{
    return e->kind == MM_WRITE || e->kind == MM_RMW;
}
static inline bool ck_predict_reads(const struct mm_event *e)
{
    return e->kind == MM_READ || e->kind == MM_RMW;
}
/* What orders the memory accesses of its agent: fences and barriers. */
static inline bool ck_predict_is_fence(const struct mm_event *e)
{
    return e->kind == MM_FENCE || e->kind == MM_BARRIER_ENTRY || e->kind == MM_BARRIER_EXIT;
}
/* Calls, starts and ends: what the edges between commands start from and lead to. */
static inline bool ck_predict_is_point(const struct mm_event *e)
{
    return !ck_predict_is_access(e) && !ck_predict_is_fence(e) && e->kind != CK_PREDICT_CONDITION;
}

/* predict/window.c: finds the agents, places and orders of the events; false: no memory, or too many. */
bool ck_predict_prepare(const struct ck_predictor *p, struct ck_predict_window *window);
void ck_predict_clear(struct ck_predict_window *window);
uint32_t ck_predict_group_size(const struct ck_predictor *p, uint32_t command);
bool ck_predict_is_local(const struct ck_predictor *p, uint32_t allocation);
/* Where EVENT stands among those of its agent. */
uint32_t ck_predict_position(const struct ck_predict_window *window, uint32_t event);
/* The edges that lead to EVENT: from *FIRST on, as many as are returned. */
uint32_t ck_predict_edges(const struct ck_predict_window *window, uint32_t event, uint32_t *first);
/* The commands, and the host's waiting, order EARLIER before LATER in any execution that comes this way. */
bool ck_predict_ordered(const struct ck_predict_window *window, uint32_t earlier, uint32_t later);

/* EVENT is one of the two and the last of its agent: nothing follows from what it reads. */
static inline bool ck_predict_is_last(const struct ck_predict_window *w, const struct ck_predict_pair *pair,
                                      uint32_t event)
{
    return (event == pair->a || event == pair->b) &&
           pair->cut[w->events[event].item] == ck_predict_position(w, event) + 1;
}

/* predict/pair.c: who must have come how far; false if the two cannot both be reached. */
bool ck_predict_close(struct ck_predictor *p, const struct ck_predict_window *window,
                      struct ck_predict_pair *pair);
/* Its arrays; false: no memory. */
bool ck_predict_pair_create(const struct ck_predict_window *window, struct ck_predict_pair *pair);
void ck_predict_pair_destroy(struct ck_predict_pair *pair);
/* Marks the events that matter to the question; returns how many. */
uint32_t ck_predict_select(const struct ck_predictor *p, const struct ck_predict_window *window,
                           const struct ck_predict_pair *pair, bool *kept);
/* What PLACE holds before the window, byte by byte; a byte that is not known is unlike any that is read. */
void ck_predict_initial(const struct ck_predict_window *window, uint32_t place, uint8_t *bytes);
/* predict/program.c: the program of what happens up to the pair; NULL: too large, or no memory. */
struct ck_program *ck_predict_program(struct ck_predictor *p, const struct ck_predict_window *window,
                                      const struct ck_predict_pair *pair);
/* predict/term.c */
void ck_predict_take_term(struct ck_predictor *p, const struct mm_term *term);
/* EVENT, number INDEX of the window, gets the terms that stood before it. */
void ck_predict_attach(struct ck_predictor *p, struct ck_predict_event *event, uint32_t index);
/* The window ends: what was read in it is known from now on. */
void ck_predict_end_terms(struct ck_predictor *p, const struct ck_predict_window *window);
void ck_predict_destroy_terms(struct ck_predictor *p);
/* Term ID of COMMAND; one that is not known any more, or 0, is opaque and follows from nothing. */
struct ck_predict_term *ck_predict_term(const struct ck_predictor *p, uint32_t command, uint32_t id);
enum ck_expr_op ck_predict_expr_op(uint8_t op);
unsigned ck_predict_operand_size(const struct ck_predictor *p, uint32_t command,
                                 const struct ck_predict_term *term);
/* Its value where event I of the window reads READ[I]; for those that are not opaque. */
uint64_t ck_predict_value(const struct ck_predictor *p, uint32_t command, uint32_t id, const uint64_t *read);
/* Calls LEAF for each event of the window that it follows from. */
void ck_predict_leaves(struct ck_predictor *p, uint32_t command, uint32_t id, void (*leaf)(void *, uint32_t),
                       void *context);
/* predict.c: TERM is a condition, or a value that is kept; false: no memory. */
bool ck_predict_add_condition(struct ck_predictor *p, const struct mm_term *term);
/* predict/assert.c: whether it names memory at PLACE. */
bool ck_assertion_names(const struct ck_condition *assertion, const struct ck_predictor *p,
                        const struct ck_predict_place *place);
/* Conditions on what memory holds in the end. */
struct ck_condition *ck_assertion_parse(const char *text, struct mm_error *err);
/* Whether it holds for what memory holds now; LIMIT says of what that is not known. */
enum ck_answer ck_assertion_holds(const struct ck_condition *assertion, const struct ck_predictor *p,
                                  struct mm_error *limit);
/* The proposition that it fails, in a program whose OBJECTS are places of WINDOW; UINT32_MAX: it cannot be
 * said. */
uint32_t ck_assertion_lower(const struct ck_condition *assertion, const struct ck_predictor *p,
                            const struct ck_predict_window *window, const uint32_t *objects,
                            struct ck_program *program);
/* predict/ask.c: asks about every pair of places of a window, and about the assertions at the end. */
void ck_predict_ask(struct ck_predictor *p, struct ck_predict_window *window);
void ck_predict_ask_assertions(struct ck_predictor *p, struct ck_predict_window *window);

/* predict.c: what memory holds at OFFSET of allocation ROOT; false: that is not known. */
bool ck_predict_value_now(const struct ck_predictor *p, uint32_t root, uint64_t offset, uint32_t size,
                          uint64_t *value);

/* predict/order.c: an interleaving in which the two race, as events in order; 0: none was found. */
uint32_t ck_predict_order(const struct ck_predictor *p, const struct ck_predict_window *window,
                          struct ck_predict_pair *pair, uint32_t *order);
/* race/report.c: a finding of another execution. */
void ck_finding_predicted(struct ck_detector *d, const struct ck_prediction *prediction);

#endif
