/* Evaluating a model over candidate executions.
 *
 * A model is flattened once into a graph of shared nodes.  For a fixed set of events, nodes that depend on
 * neither rf nor co are computed once; the others once per candidate.  A candidate may be partial: rf and
 * co are then given as bounds, and every node has bounds, so that a check that fails for the bounds fails
 * for every completion, whatever the model says. */
#ifndef MEMMODEL_CAT_EVAL_H
#define MEMMODEL_CAT_EVAL_H

#include "memmodel/cat/cat.h"
#include "memmodel/cat/relation.h"

/* No thread (initial writes), no location (events that access no memory), no event, no dynamic barrier. */
#define MM_CAT_NO_THREAD   UINT32_MAX
#define MM_CAT_NO_LOCATION UINT32_MAX
#define MM_CAT_NO_EVENT    UINT32_MAX
#define MM_CAT_NO_BARRIER  UINT32_MAX

/* An event, as base names see it.  Groups are numbered so that equal numbers mean the same group. */
struct mm_cat_event {
    uint32_t thread; /* initial writes: MM_CAT_NO_THREAD */
    bool init, read, write, fence, entry, exit;
    bool late; /* named barrier: arrived after the barrier was complete, which did not wait for it */
    uint8_t order, scope, fence_flags, attributes;
    uint16_t semantics;
    uint16_t tags;        /* MM_POINT_* */
    uint32_t location;    /* equal for accesses of the same bytes, or MM_CAT_NO_LOCATION */
    uint32_t rmw_partner; /* index of the other half of a read-modify-write, or MM_CAT_NO_EVENT */
    uint32_t barrier;     /* dynamic barrier instance, or MM_CAT_NO_BARRIER */
    uint32_t point;       /* number that edges refer to, 0: none */
    struct {              /* the agent that executes the event */
        uint32_t device, work_group, sub_group, queue_family, kernel;
        bool host;
    } agent;
    struct {                /* the memory of an access */
        uint32_t object;    /* contains LOCATION */
        uint32_t start;     /* of the whole access, in OBJECT; initial writes: of the location */
        uint32_t reference; /* Vulkan: the reference (variable) through which it is accessed */
        uint32_t access;    /* equal for the pieces of one access; 0: it is in one piece */
        uint8_t bytes;      /* of the whole access */
        uint8_t region, origin, storage_class;
        bool non_atomic; /* the location's type is not atomic */
    } memory;
    /* Dependencies of the value, the address and the control flow: one bit for each of the thread's first
     * 64 reads, except reads of the same operation. */
    struct {
        uint32_t number; /* of a read: its index among the thread's reads, from 0 */
        uint64_t data, addr, ctrl;
    } depends;
};
struct mm_cat_edge {
    uint32_t from_thread, to_thread;
    const char *relation;
    uint32_t from_point, to_point; /* 0: all events of the thread */
};
struct mm_cat_events {
    const struct mm_cat_event *events; /* those of a thread in program order */
    uint32_t count;
    bool vulkan;
    const struct mm_cat_edge *edges;
    uint32_t edge_count;
    const uint64_t *const *bases; /* NULL, or the values by base, instead of EVENTS and EDGES */
};
/* Fills OUT with base BASE (one that depends on neither rf nor co). */
void mm_cat_base_fill(const struct mm_cat_events *events, uint32_t base, uint64_t *out);
uint32_t mm_cat_base_find(const char *name); /* MM_CAT_NO_BASE if unknown */

/* Complete candidates of a model that enumerates an order: whether orders were omitted because of a limit of
 * time or memory. */
struct mm_cat_eval;
bool mm_cat_eval_limited(const struct mm_cat_eval *eval);
struct mm_cat_eval *mm_cat_eval_create(const struct mm_cat_model *model, struct mm_error *err);
void mm_cat_eval_destroy(struct mm_cat_eval *eval);
/* Whether the model mentions base NAME. */
bool mm_cat_eval_uses(const struct mm_cat_eval *eval, const char *name);

/* Declares that later candidates have only some events of an execution: a check fails only if it fails for
 * every completion by further events.  Candidates must then have upper bounds of rf and co, over the
 * present events. */
void mm_cat_eval_open(struct mm_cat_eval *eval);

/* Begins a set of events, which must stay in place.  MM_LIMIT when out of memory. */
enum mm_class mm_cat_eval_begin(struct mm_cat_eval *eval, const struct mm_cat_events *events,
                                struct mm_error *err);
/* Sets the candidate: relations over the events.  UPPER bounds NULL: the candidate is complete. */
void mm_cat_eval_rf(struct mm_cat_eval *eval, const uint64_t *lower, const uint64_t *upper);
void mm_cat_eval_co(struct mm_cat_eval *eval, const uint64_t *lower, const uint64_t *upper);
/* Whether check I of the model fails for the candidate, or for all its completions. */
bool mm_cat_eval_fails(struct mm_cat_eval *eval, uint32_t i);
/* Whether any check that forbids fails; *WHICH (may be NULL) is its index. */
bool mm_cat_eval_forbidden(struct mm_cat_eval *eval, uint32_t *which);

/* Whether check I passes for the candidate, or for all its completions. */
bool mm_cat_eval_passes(struct mm_cat_eval *eval, uint32_t i);
/* The relation (or set) of check I, for a complete candidate; valid until the candidate changes. */
const uint64_t *mm_cat_eval_value(struct mm_cat_eval *eval, uint32_t i);
/* The relation that the model defines as NAME, for a complete candidate; valid until the candidate changes.
 * NULL: no definition without parameters has the name, it is a set, or it depends on an order that the model
 * enumerates. */
const uint64_t *mm_cat_eval_named(struct mm_cat_eval *eval, const char *name);

/* Why check I fails (a flag: is raised) for a complete candidate: for acyclic and irreflexive a closed walk,
 * for empty one pair or event.  Steps lead from event to event with a name; the last leads back to the first
 * (of a pair: has no name).  Returns the number of steps, at most MAX. */
struct mm_cat_step {
    uint32_t event;
    const char *edge;
};
uint32_t mm_cat_eval_explain(struct mm_cat_eval *eval, uint32_t i, struct mm_cat_step *steps, uint32_t max);

#endif
