/* Selects the events of a trace that explain a finding: the last events of its agents, synchronization,
 * commands. */
#ifndef TOOLS_SESSION_EVENTS_H
#define TOOLS_SESSION_EVENTS_H

#include "tools/session/verify.h"

struct picked_event {
    mm_event_id id;
    struct mm_event event;
    mm_event_id read_from; /* the write that a read reads from, MM_NO_EVENT if none or unknown */
    int access;            /* 1: the later, 2: the earlier access of the finding, else 0 */
};
struct picked_edge {
    mm_event_id from, to;
    uint32_t kind; /* enum mm_edge_kind */
};
struct picked {
    struct picked_event *events; /* by id */
    struct picked_edge *edges;   /* between them */
    size_t event_count, edge_count;
};
/* Reads the trace.  Free with picked_clear. */
bool pick_events(const struct session_trace *trace, const struct ck_finding *finding, struct picked *picked);
void picked_clear(struct picked *picked);

#endif
