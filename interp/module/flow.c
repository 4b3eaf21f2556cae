/* See flow.h. */
#include "flow.h"

#include "memmodel/base/array.h"
#include "memmodel/base/memory.h"

#include <string.h>

bool in_flow_create(struct in_flow *flow, uint32_t count)
{
    *flow = (struct in_flow){.count = count,
                             .last = mm_alloc(count * sizeof(uint32_t)),
                             .order = mm_alloc(count * sizeof(uint32_t)),
                             .position = mm_alloc(count * sizeof(uint32_t))};
    if (!flow->last || !flow->order || !flow->position)
        return false;
    memset(flow->last, 0xff, count * sizeof *flow->last);
    return true;
}

bool in_flow_add_edge(struct in_flow *flow, uint32_t from, uint32_t to)
{
    struct in_flow_edge edge = {.to = to, .before = flow->last[from]};

    if (!mm_append(&flow->edges, &flow->edge_count, &edge))
        return false;
    flow->last[from] = flow->edge_count - 1;
    return true;
}

/* Depth first from the entry, the last edge of a node first. */
bool in_flow_sort(struct in_flow *flow)
{
    uint32_t *stack = mm_alloc(flow->count * sizeof *stack);
    uint32_t *next = mm_alloc(flow->count * sizeof *next); /* per node: the edge to follow next */
    uint32_t depth = 0, place = flow->count;

    if (stack && next) {
        memcpy(next, flow->last, flow->count * sizeof *next);
        memset(flow->position, 0xff, flow->count * sizeof *flow->position);
        flow->position[0] = 0; /* until the end: the node was seen */
        stack[depth++] = 0;
    }
    while (depth > 0) {
        uint32_t node = stack[depth - 1], edge = next[node];

        if (edge == IN_FLOW_NONE) {
            flow->order[--place] = node;
            depth--;
            continue;
        }
        next[node] = flow->edges[edge].before;
        if (flow->position[flow->edges[edge].to] == IN_FLOW_NONE) {
            flow->position[flow->edges[edge].to] = 0;
            stack[depth++] = flow->edges[edge].to;
        }
    }
    flow->order_count = flow->count - place;
    memmove(flow->order, flow->order + place, flow->order_count * sizeof *flow->order);
    for (uint32_t i = 0; i < flow->order_count; i++)
        flow->position[flow->order[i]] = i;
    mm_free(stack);
    mm_free(next);
    return flow->order_count > 0;
}

static uint32_t common_dominator(const struct in_flow *flow, const uint32_t *dominator, uint32_t a,
                                 uint32_t b)
{
    while (a != b) {
        while (flow->position[a] > flow->position[b])
            a = dominator[a];
        while (flow->position[b] > flow->position[a])
            b = dominator[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm". */
void in_flow_dominators(const struct in_flow *flow, uint32_t *dominator)
{
    memset(dominator, 0xff, flow->count * sizeof *dominator);
    dominator[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < flow->order_count; i++) {
            uint32_t from = flow->order[i];

            for (uint32_t e = flow->last[from]; e != IN_FLOW_NONE; e = flow->edges[e].before) {
                uint32_t to = flow->edges[e].to, old = dominator[to];

                if (to == 0)
                    continue;
                dominator[to] = old == IN_FLOW_NONE ? from : common_dominator(flow, dominator, old, from);
                changed |= dominator[to] != old;
            }
        }
    }
}

void in_flow_destroy(struct in_flow *flow)
{
    mm_free(flow->last);
    mm_free(flow->edges);
    mm_free(flow->order);
    mm_free(flow->position);
}
