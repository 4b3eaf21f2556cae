/* Control-flow graphs: reverse post-order and dominators. */
#ifndef INTERP_MODULE_FLOW_H
#define INTERP_MODULE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#define IN_FLOW_NONE UINT32_MAX

/* Nodes are numbered from 0, the entry. */
struct in_flow {
    uint32_t count, edge_count, order_count;
    uint32_t *last; /* per node: its last edge, NONE */
    struct in_flow_edge {
        uint32_t to, before;
    } * edges;          /* BEFORE: the previous edge of the same node */
    uint32_t *order;    /* the nodes that the entry reaches, in reverse post-order */
    uint32_t *position; /* per node: its index in ORDER, NONE: unreachable */
};

/* A graph of COUNT nodes (one or more) without edges.  False, here and below: out of memory; the graph is
 * destroyed as after success. */
bool in_flow_create(struct in_flow *flow, uint32_t count);
bool in_flow_add_edge(struct in_flow *flow, uint32_t from, uint32_t to);
/* Fills ORDER and POSITION.  Of the successors of a node, the first that was added comes first where edges
 * permit. */
bool in_flow_sort(struct in_flow *flow);
/* Fills DOMINATOR, an array for the nodes of a sorted graph, with immediate dominators; the entry's is
 * itself, that of an unreachable node NONE. */
void in_flow_dominators(const struct in_flow *flow, uint32_t *dominator);
void in_flow_destroy(struct in_flow *flow);

#endif
