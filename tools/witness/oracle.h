/* State of a replay, shared by its launcher (replay.c) and its oracle (oracle.c). */
#ifndef TOOLS_WITNESS_ORACLE_H
#define TOOLS_WITNESS_ORACLE_H

#include "tools/witness/replay.h"

struct part { /* progress of a work-item */
    uint32_t first, count, at, rounds;
    bool seen_to_end;
};
struct range { /* events FIRST .. END - 1, of an access at ADDRESS */
    uint32_t first, end;
    uint64_t address;
};
struct replay {
    const struct witness *witness;
    const struct ck_program *program;
    const struct ck_execution *execution;
    const struct replay_listener *listener; /* NULL: no listener for this launch */
    struct part *parts;
    uint64_t *addresses;      /* by object: its address in this launch, 0: not yet accessed */
    mm_event_id *events;      /* by event of the execution: writes that were recorded */
    uint8_t *copied;          /* by event of the execution: part of an asynchronous copy that was made */
    struct range read, write; /* the accesses that will be recorded next */
    struct in_argument *arguments;
    struct in_object *objects;
    struct in_instance *instance;
    struct mm_arena *arena;
    uint64_t steps; /* instructions of all launches */
    bool diverged, failed;
    char *why;
};

/* Callbacks of the interpreter: the value of a read, the next work-item to step, and each access. */
struct in_oracle replay_oracle(struct replay *replay);
void replay_on_finding(void *context, const struct in_finding *finding);
/* Whether all events of a work-item were observed, or cannot be; whether this holds for all work-items. */
void replay_note_ends(struct replay *replay);
bool replay_saw_all(const struct replay *replay);

#endif
