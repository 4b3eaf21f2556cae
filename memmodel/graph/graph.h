/* Event graphs: declarations shared by graph.c and the dumps. */
#ifndef MEMMODEL_GRAPH_GRAPH_H
#define MEMMODEL_GRAPH_GRAPH_H

#include "memmodel/base/map.h"
#include "memmodel/memmodel.h"

struct mm_graph {
    struct mm_arena *arena; /* records that are not events or edges, and all strings */
    size_t max_events;
    struct mm_event *events;
    struct mm_edge *edges;
    const struct mm_finding **findings;
    const struct mm_argument **arguments;
    size_t event_count, event_capacity, edge_count, finding_count, argument_count;
    struct mm_map sources, allocations, commands; /* by id */
};

/* Each writes at most SIZE bytes, as text. */
void mm_describe_agent(const struct mm_graph *graph, struct mm_agent agent, char *buf, size_t size);
/* The origin of EVENT: its agent, or an asynchronous copy of the work-group. */
void mm_describe_event_agent(const struct mm_graph *graph, const struct mm_event *event, char *buf,
                             size_t size);
void mm_describe_location(const struct mm_graph *graph, const struct mm_event *event, char *buf, size_t size);
void mm_describe_source(const struct mm_graph *graph, uint32_t source, char *buf, size_t size);
/* What the event does, without its agent: "read 4 bytes of argument 'out'[17] = 3". */
void mm_describe_event(const struct mm_graph *graph, const struct mm_event *event, char *buf, size_t size);
/* True if the event writes or initializes a location. */
bool mm_event_writes(const struct mm_event *event);
/* The last event before READ that wrote BYTE of its location, MM_NO_EVENT if none: reads-from where no
 * RF edge says otherwise. */
mm_event_id mm_graph_last_write(const struct mm_graph *graph, mm_event_id read, uint32_t byte);

#endif
