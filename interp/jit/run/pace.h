/* Inside jit: how many threads execute a launch, from the time that its work-groups take.  Results do not
 * depend on it: work-groups are unordered [CL 3.2.2]. */
#ifndef INTERP_JIT_RUN_PACE_H
#define INTERP_JIT_RUN_PACE_H

#include "interp/jit/run/run.h"
#include <time.h>

/* Of one thread of a launch. */
struct in_jit_pace {
    unsigned thread; /* its number; 0 is the launch's own thread, which calls others */
    clockid_t clock;
    double first, begin;       /* nanoseconds: when it began, 0: not measured; and when it began to measure */
    double latest;             /* nanoseconds of a work-group when the leader last looked */
    uint64_t groups, measured; /* executed; of them since BEGIN */
    uint64_t least;          /* work-groups of a portion, by the time that the latest measured launch took */
    uint64_t next_look;      /* of GROUPS, when the leader considers to call others */
    unsigned portions, slow; /* executed; of them the latest that contention slowed down */
    bool expects_short;      /* the launch, as the kernel's latest in one thread: not worth another thread */
};

/* The work-groups of RUN for at most CORES threads. */
void in_pace_divide(struct in_jit_run *run, unsigned cores);
/* How many of them are not taken. */
uint64_t in_pace_left(struct in_jit_run *run);
void in_pace_begin(struct in_jit_pace *pace, struct in_jit_run *run);
/* Takes the work-groups from *FROM until *TO; false: none is left. */
bool in_pace_take(const struct in_jit_pace *pace, struct in_jit_run *run, uint64_t *from, uint64_t *to);
/* After a portion of GROUPS: false when the thread is to retire, because all threads together are slower than
 * one alone. One thread remains. */
bool in_pace_continue(struct in_jit_pace *pace, struct in_jit_run *run, uint64_t groups);
void in_pace_end(const struct in_jit_pace *pace, struct in_jit_run *run);

#endif
