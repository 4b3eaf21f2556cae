/* Internal: the happens-before graph of commands and host calls in a trace. */
#ifndef TOOLS_HINTS_GRAPH_H
#define TOOLS_HINTS_GRAPH_H

#include "memmodel/base/map.h"
#include "memmodel/memmodel.h"

enum hints_kind {
    HINTS_LIST,    /* an event in the wait list of a command */
    HINTS_BARRIER, /* a barrier or marker command */
    HINTS_HOST     /* clFinish or clWaitForEvents */
};
/* The waits of one call site, which are removed or kept together. */
struct hints_group {
    enum hints_kind kind;
    uint32_t site, producer; /* sources; PRODUCER: LIST: of the call that enqueued the awaited command */
    uint32_t calls, last;    /* number of calls, and the node of the last one */
    bool needed;             /* a callback depends on its order */
    bool removed;
};
struct hints_edge {
    uint32_t from;  /* node */
    uint32_t group; /* 1 + its index; 0: the edge is never removed */
    uint8_t kind;
};
struct hints_node { /* an event other than an access, in the order of the trace */
    uint64_t agent;
    mm_event_id was, is; /* its number in the trace, and in the last judgement */
    uint32_t previous;   /* 1 + the last node of the same agent; 0: none */
    uint32_t first_edge, edge_count;
    uint32_t site; /* of calls */
    uint8_t kind;
    bool host_knows, followed; /* visited by the search for uses, and for needed edges */
    uint32_t stamp;            /* of the latest traversal that visited it */
};
struct hints_command {
    uint32_t site, queue, start; /* START: 1 + node; 0: it has not started */
    bool visible;                /* it accesses memory that the host may access */
    bool barrier;
    bool joins; /* a barrier or marker */
    bool has_list;
    bool extension; /* of an extension: its waits are not removed */
};
/* The host is ordered after COMMAND at NODE, and may rely on it from there on. */
struct hints_use {
    uint32_t node, command;
};
struct hints_graph {
    struct hints_node *nodes;
    size_t node_count;
    struct hints_edge *edges;
    size_t edge_count;
    struct hints_group *groups;
    size_t group_count;
    struct hints_command *commands; /* by id */
    size_t command_count;
    struct hints_use *uses; /* in the order of nodes */
    size_t use_count;
    struct mm_map sites;         /* by hash of a place and the call there: the first source of it */
    struct mm_map site_of;       /* by source: that first source */
    struct mm_map waits;         /* by first source: whether it is a clFinish or clWaitForEvents */
    struct mm_map visible;       /* allocations that the host may use outside of commands */
    struct mm_map last_of_agent; /* 1 + node */
    struct mm_map callbacks;     /* indices of host threads that are callbacks */
    struct mm_map group_index;   /* 1 + index, by hash */
    struct mm_edge *pending;     /* into the event to come */
    size_t pending_count;
    mm_event_id next;
    uint32_t stamp; /* the latest */
    bool profiled;
    const char *why; /* why there are no hints; NULL: there may be */
};

/* A sink that builds G, which is zero-initialized, from a trace with the possible accesses of launches. */
void hints_graph_sink(struct hints_graph *g, struct mm_sink *sink);
/* Computes the uses after the last event.  False: out of memory. */
bool hints_graph_finish(struct hints_graph *g);
void hints_graph_clear(struct hints_graph *g);

/* Calls FUNCTION for each edge into NODE in the graph without the removed groups.  A removed barrier, marker
 * or clFinish does not exist; commands after it are ordered as the queue orders them without it.  False: out
 * of memory. */
typedef void hints_edge_function(void *context, uint32_t from, uint8_t kind);
bool hints_graph_edges(struct hints_graph *g, uint32_t node, hints_edge_function *function, void *context);
/* Restores the groups on a path with the fewest removed edges that orders NODE after COMMAND.  Returns the
 * number of these edges; -1: there is no path. */
int hints_graph_restore(struct hints_graph *g, uint32_t node, uint32_t command);

#endif
