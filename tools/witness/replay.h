/* Replays witnesses in the interpreter. */
#ifndef TOOLS_WITNESS_REPLAY_H
#define TOOLS_WITNESS_REPLAY_H

#include "tools/witness/witness.h"

struct replay_listener {
    void *context;
    /* A work-item reaches event INDEX of the execution; AGAIN: in a non-terminating loop. */
    void (*step)(void *context, uint32_t index, bool again);
    struct mm_recorder *recorder; /* NULL: nothing is recorded */
};
/* Runs the kernel in the interpreter with the values of reads that the execution has, and compares every
 * access, fence, barrier and written value, how each work-item ends, and the final state. LISTENER (may be
 * NULL) gets the events in the order of the execution. WHY: the difference; UNDEFINED: undefined values
 * are involved, for which the interpreter has its own. */
enum replay_result { REPLAY_SAME, REPLAY_DIFFERS, REPLAY_UNDEFINED };
enum replay_result replay_witness(const struct witness *witness, const struct replay_listener *listener,
                                  char why[WITNESS_TEXT]);

/* The final value of SIZE bytes at OFFSET of OBJECT: that of the last writes in coherence order. */
uint64_t replay_final_value(const struct witness *witness, uint32_t object, uint64_t offset, unsigned size);

/* witness/record.c: records allocations, whose ids OBJECTS (one for each argument) get, and the start of the
 * command, whose number is stored in *COMMAND; then its end. */
mm_event_id replay_record_begin(struct mm_recorder *recorder, const struct witness *witness,
                                struct in_object *objects, uint32_t *command);
void replay_record_end(struct mm_recorder *recorder);

/* `refcl kernel --replay PATH`: prints the steps of the witness on stdout, while SESSION checks its
 * events. */
struct session;
/* steps.c */
int replay_run(struct session *session, const char *path);

#endif
