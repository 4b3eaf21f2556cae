/* Weak memory: a read returns any value that the memory model allows, chosen by the seed
 * (docs/weak-memory.md).
 *
 * Each eight bytes of shared memory that a launch writes have a history: the writes in modification order,
 * the last of which is in memory.  A work-item has one view per region, global and local: for each history,
 * the oldest write that happens-before (of that region) still lets it read [CL 3.3.6 G9, G10].  A read
 * returns a write that its view permits; a write is inserted at any position after its view.  A command
 * begins and ends with the contents of memory: changes by other commands and the host are detected in memory
 * and synchronize. */
#ifndef INTERP_WEAK_WEAK_H
#define INTERP_WEAK_WEAK_H

#include "interp/exec/exec.h"

struct in_weak;
/* False: out of memory. */
bool in_weak_create(struct in_run *run);
void in_weak_destroy(struct in_run *run);

/* Called when a work-group becomes resident in GROUP, and when a work-item ends. */
void in_weak_group(struct in_run *run, struct in_group *group);
void in_weak_done(struct in_run *run, struct in_item *item);

/* A plain read of SIZE bytes at ADDRESS in OBJECT: the address of the bytes read, valid until the next
 * call. */
const uint8_t *in_weak_read(struct in_run *run, struct in_item *item, const struct in_object *object,
                            uint64_t address, uint64_t size);
/* Before and after a plain write to memory. */
void in_weak_write_begin(struct in_run *run, struct in_item *item, const struct in_object *object,
                         uint64_t address, uint64_t size);
void in_weak_write_end(struct in_run *run, struct in_item *item, const struct in_object *object,
                       uint64_t address, uint64_t size);

/* An atomic operation.  RESULT computes the new value from OLD and whether it is written; NULL: a load. */
struct in_weak_atomic {
    const struct in_object *object;
    uint64_t address;
    uint32_t size;
    bool store;                        /* does not read the old value */
    enum mm_order order, order_failed; /* ORDER_FAILED: of a compare-exchange that writes nothing */
    enum mm_scope scope;
    uint64_t (*result)(void *context, uint64_t old, bool *writes);
    void *context;
    uint64_t old, written; /* values read and written */
    bool wrote;
    bool failed; /* out of memory: nothing was done */
};
void in_weak_atomic(struct in_run *run, struct in_item *item, struct in_weak_atomic *a);

/* Whether the atomic operation at PC is postponed: in_weak_catch_up performs it later. */
bool in_weak_postpones(struct in_run *run, struct in_item *item, const struct in_insn *pc);
/* Performs the postponed read.  False: the work-item cannot continue. */
bool in_weak_catch_up(struct in_run *run, struct in_item *item);
void in_weak_fence(struct in_run *run, struct in_item *item, uint32_t semantics, enum mm_scope scope);
/* All of MEMBERS synchronize at a barrier with these semantics. */
void in_weak_barrier(struct in_run *run, struct in_item **members, uint32_t count, uint32_t semantics,
                     enum mm_scope scope);
/* Makes the asynchronous copies performed by the first of MEMBERS visible to all of them [CLC 6.15.11]. */
void in_weak_copies(struct in_run *run, struct in_item **members, uint32_t count);
/* Whether an asynchronous copy is performed at its wait rather than where it is requested. */
bool in_weak_is_late(struct in_run *run);

/* The same operations under an oracle (oracle.c). */
const uint8_t *in_oracle_read(struct in_run *run, struct in_item *item, const struct in_object *object,
                              uint64_t address, uint64_t size);
void in_oracle_wrote(struct in_run *run, struct in_item *item, const struct in_object *object,
                     uint64_t address, uint64_t size, const void *bytes);
void in_oracle_atomic(struct in_run *run, struct in_item *item, struct in_weak_atomic *a);
void in_oracle_fence(struct in_run *run, struct in_item *item, bool barrier, uint32_t semantics,
                     enum mm_scope scope);
void in_oracle_ended(struct in_run *run, struct in_item *item);
void in_oracle_recorded(struct in_run *run);

/* Recording: adds reads-from and coherence edges to the event of the last access, where record order does not
 * imply them. */
void in_weak_recorded(struct in_run *run);
/* Records the last event again with EDGES into it; an edge without source starts at the command's start. */
mm_event_id in_weak_record(struct in_run *run, struct mm_edge *edges, size_t count);

#endif
