/* Internal to sched: slots of resident work-groups, and the scheduler. */
#ifndef INTERP_SCHED_SCHED_H
#define INTERP_SCHED_SCHED_H

#include "interp/exec/exec.h"

enum {
    IN_SPIN_SLICE = 200000
}; /* instructions after which a work-item may be spinning: others may execute */

/* group.c */
struct in_group *in_group_create(struct in_run *run);
void in_group_destroy(struct in_run *run, struct in_group *group);
/* Makes the next work-group resident in GROUP; false if there is none left. */
bool in_group_next(struct in_run *run, struct in_group *group);
/* wait.c: called when ITEM stops at a WAIT instruction or ends; releases the work-items that this
 * unblocks. */
void in_item_waits(struct in_run *run, struct in_item *item);
void in_item_done(struct in_run *run, struct in_item *item);
/* wait.c: records that work-items reached barriers, at the end of a launch that releases them no more. */
void in_record_waiting(struct in_run *run);
/* schedule.c: executes about QUANTUM instructions. */
void in_schedule(struct in_run *run, uint64_t quantum);
bool in_add_slot(struct in_run *run);
/* Reports that the launch reached its step limit, and ends it. */
void in_step_limit(struct in_run *run, struct in_item *item, const struct in_insn *pc);

/* run.c: makes the first work-groups resident; false: out of memory. */
bool in_open_slots(struct in_run *run);

/* native.c: launches that the JIT executes. */
bool in_native_create(struct in_run *run);
void in_native_step(struct in_run *run); /* to the end, or until it blocks */
/* Called when a work-group has ended and run->promote_at is reached: true if the JIT executes the remaining
 * ones. */
bool in_native_take_over(struct in_run *run);
/* Called when all work-items of the resident work-groups have used up their slices: compiled code executes
 * the work-groups that have not begun, unless work-items wait for others. */
void in_native_leave_groups(struct in_run *run);
/* Called when run->split_at is reached: compiled code executes the work-items of GROUP that have not
 * begun, unless they communicate with the others. */
void in_native_split(struct in_run *run, struct in_group *group);
void in_native_destroy(struct in_run *run);
void in_native_forget(struct in_code *code);

#endif
