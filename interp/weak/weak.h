/* Weak memory: reads return any value that the memory model allows, chosen from the seed.
 *
 * Each eight bytes of shared memory that a launch writes have a history: the writes in modification order, of
 * which memory holds the last.  A work-item has a view per region, global and local: how far in each history
 * happens-before (of that region) has taken it [CL 3.3.6 G9, G10].  A read takes a write that its view does
 * not forbid, a write goes to any place after its view.  Commands begin and end with memory as it is: what
 * other commands and the host change meanwhile is seen in memory and synchronises. */
#ifndef INTERP_WEAK_WEAK_H
#define INTERP_WEAK_WEAK_H

#include "interp/exec/exec.h"

struct in_weak;
/* False: out of memory. */
bool in_weak_create(struct in_run *run);
void in_weak_destroy(struct in_run *run);

/* A work-group is about to use GROUP's local memory; a work-item has ended. */
void in_weak_group(struct in_run *run, struct in_group *group);
void in_weak_done(struct in_run *run, struct in_item *item);

/* A plain read of SIZE bytes at ADDRESS in OBJECT: where the bytes are that it returns, valid until the next.
 */
const uint8_t *in_weak_read(struct in_run *run, struct in_item *item, const struct in_object *object,
                            uint64_t address, uint64_t size);
/* Before and after a plain write to memory. */
void in_weak_write_begin(struct in_run *run, struct in_item *item, const struct in_object *object,
                         uint64_t address, uint64_t size);
void in_weak_write_end(struct in_run *run, struct in_item *item, const struct in_object *object,
                       uint64_t address, uint64_t size);

/* An atomic operation.  RESULT says what OLD becomes and whether it is written at all; NULL: a load. */
struct in_weak_atomic {
    const struct in_object *object;
    uint64_t address;
    uint32_t size;
    bool store;                        /* does not look at what it replaces */
    enum mm_order order, order_failed; /* ORDER_FAILED: of a compare-exchange that writes nothing */
    enum mm_scope scope;
    uint64_t (*result)(void *context, uint64_t old, bool *writes);
    void *context;
    uint64_t old, written; /* what it read and wrote */
    bool wrote;
    bool failed; /* out of memory: nothing was done */
};
void in_weak_atomic(struct in_run *run, struct in_item *item, struct in_weak_atomic *a);

/* Whether the work-item goes on without the atomic operation at PC, which it will catch up on. */
bool in_weak_postpones(struct in_run *run, struct in_item *item, const struct in_insn *pc);
/* False: the work-item cannot go on. */
bool in_weak_catch_up(struct in_run *run, struct in_item *item);
void in_weak_fence(struct in_run *run, struct in_item *item, uint32_t semantics, enum mm_scope scope);
/* All of MEMBERS meet at a barrier with these semantics. */
void in_weak_barrier(struct in_run *run, struct in_item **members, uint32_t count, uint32_t semantics,
                     enum mm_scope scope);
/* The first of MEMBERS made asynchronous copies, which all of them now see [CLC 6.15.11]. */
void in_weak_copies(struct in_run *run, struct in_item **members, uint32_t count);
/* Whether a copy is made as late as may be, when it is waited for. */
bool in_weak_is_late(struct in_run *run);

/* The same where an oracle says what is read (oracle.c). */
const uint8_t *in_oracle_read(struct in_run *run, struct in_item *item, const struct in_object *object,
                              uint64_t address, uint64_t size);
void in_oracle_wrote(struct in_run *run, struct in_item *item, const struct in_object *object,
                     uint64_t address, uint64_t size, const void *bytes);
void in_oracle_atomic(struct in_run *run, struct in_item *item, struct in_weak_atomic *a);
void in_oracle_fence(struct in_run *run, struct in_item *item, bool barrier, uint32_t semantics,
                     enum mm_scope scope);
void in_oracle_ended(struct in_run *run, struct in_item *item);
void in_oracle_recorded(struct in_run *run);

/* Recording: the event that was recorded last is the access that was made last; tells where its value came
 * from and where in modification order it is, if record order does not say so. */
void in_weak_recorded(struct in_run *run);
/* It is recorded with EDGES into it, whose source is the start of the command where they have none. */
mm_event_id in_weak_record(struct in_run *run, struct mm_edge *edges, size_t count);

#endif
