/* Loops of the flat control-flow graph, and the cut points at which both work-items meet. */
#include "interp/module/flow.h"
#include "tools/prove/internal.h"

#include <string.h>

bool pv_is_cut(const struct pv_block *block)
{
    return block->cut != PV_NO_CUT;
}

/* ---- order and dominators ------------------------------------------------------------------------- */

static bool add_edges(const struct pv *pv, struct in_flow *flow)
{
    bool good = in_flow_create(flow, pv->graph.block_count);
    for (uint32_t b = 0; b < pv->graph.block_count && good; b++)
        for (uint32_t i = 0; i < pv->graph.blocks[b].successor_count && good; i++)
            good = in_flow_add_edge(flow, b, pv->graph.blocks[b].successors[i]);
    return good;
}

/* Fills pv->order with the reachable blocks, and DOMINATOR; returns the number of reachable blocks. */
static uint32_t find_order(struct pv *pv, uint32_t *dominator)
{
    struct in_flow flow;
    pv->graph.order = pv_alloc(pv, pv->graph.block_count, sizeof *pv->graph.order);
    bool good = add_edges(pv, &flow) && in_flow_sort(&flow);
    if (good) {
        memcpy(pv->graph.order, flow.order, pv->graph.block_count * sizeof *pv->graph.order);
        for (uint32_t b = 0; b < pv->graph.block_count; b++)
            pv->graph.blocks[b].position = flow.position[b];
        in_flow_dominators(&flow, dominator);
    }
    in_flow_destroy(&flow);
    if (!good)
        ex_no_memory(pv->ex);
    return flow.order_count;
}

/* ---- natural loops -------------------------------------------------------------------------------- */

bool pv_is_back(const struct pv *pv, uint32_t from, uint32_t to)
{
    uint32_t loop = pv->graph.blocks[to].head_of;
    return loop != PV_NONE && pv->graph.loops[loop].blocks[from];
}

static struct pv_loop *loop_at(struct pv *pv, uint32_t head)
{
    if (pv->graph.blocks[head].head_of != PV_NONE)
        return &pv->graph.loops[pv->graph.blocks[head].head_of];
    pv->graph.loops = ex_grow(pv->ex, pv->graph.loops, pv->graph.loop_count, sizeof *pv->graph.loops);
    pv->graph.blocks[head].head_of = pv->graph.loop_count;
    pv->graph.loops[pv->graph.loop_count] = (struct pv_loop){
        .head = head,
        .outer = PV_NONE,
        .line = pv->graph.blocks[head].last->line,
        .blocks = pv_alloc(pv, pv->graph.block_count, sizeof(bool)),
        .modified = pv_alloc(pv, pv->cells.count + 1, sizeof(bool)),
        .moves_object = pv_alloc(pv, pv->cells.count + 1, sizeof(bool)),
        .stored = pv_alloc(pv, pv->objects.count + 1, sizeof(bool)),
    };
    return &pv->graph.loops[pv->graph.loop_count++];
}

static void add_body(struct pv *pv, struct pv_loop *loop, uint32_t from, uint32_t count)
{
    loop->blocks[loop->head] = true;
    loop->blocks[from] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = count; i-- > 0;) {
            uint32_t b = pv->graph.order[i];
            for (uint32_t k = 0; k < pv->graph.blocks[b].successor_count && !loop->blocks[b]; k++) {
                uint32_t to = pv->graph.blocks[b].successors[k];
                if (loop->blocks[to] && to != loop->head)
                    changed = loop->blocks[b] = true;
            }
        }
    }
}

static bool block_dominates(const uint32_t *dominator, uint32_t a, uint32_t b)
{
    while (b != a && dominator[b] != b)
        b = dominator[b];
    return a == b;
}

static void find_back_edges(struct pv *pv, uint32_t count, const uint32_t *dominator)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = pv->graph.order[i];
        for (uint32_t k = 0; k < pv->graph.blocks[from].successor_count; k++) {
            uint32_t to = pv->graph.blocks[from].successors[k];
            if (pv->graph.blocks[to].position > i)
                continue;
            if (!block_dominates(dominator, to, from))
                pv_stop(pv, pv->graph.blocks[from].last,
                        "irreducible control flow is not supported by --prove");
            add_body(pv, loop_at(pv, to), from, count);
        }
    }
}

static uint32_t size_of(const struct pv *pv, uint32_t loop)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < pv->graph.block_count; b++)
        n += pv->graph.loops[loop].blocks[b];
    return n;
}

static void nest_loops(struct pv *pv)
{
    for (uint32_t i = 0; i < pv->graph.loop_count; i++) {
        struct pv_loop *loop = &pv->graph.loops[i];
        uint32_t least = PV_NONE;
        for (uint32_t b = 0; b < pv->graph.block_count; b++)
            loop->has_barrier |= loop->blocks[b] && pv_is_cut(&pv->graph.blocks[b]);
        for (uint32_t k = 0; k < pv->graph.loop_count; k++) {
            uint32_t size = k != i && pv->graph.loops[k].blocks[loop->head] ? size_of(pv, k) : PV_NONE;
            if (size < least) {
                least = size;
                loop->outer = k;
            }
        }
    }
    for (uint32_t b = 0; b < pv->graph.block_count; b++) {
        uint32_t least = PV_NONE;
        for (uint32_t k = 0; k < pv->graph.loop_count; k++) {
            uint32_t size = pv->graph.loops[k].blocks[b] ? size_of(pv, k) : PV_NONE;
            if (size < least) {
                least = size;
                pv->graph.blocks[b].loop = k;
            }
        }
    }
}

/* ---- cut points ----------------------------------------------------------------------------------- */

/* Whether a path from block AT to HEAD within LOOP passes no cut. */
static bool reaches_uncut(const struct pv *pv, const struct pv_loop *loop, uint32_t at, bool *seen)
{
    const struct pv_block *b = &pv->graph.blocks[at];
    for (uint32_t k = 0; k < b->successor_count; k++) {
        uint32_t to = b->successors[k];
        if (to == loop->head)
            return true;
        if (!loop->blocks[to] || seen[to] || pv_is_cut(&pv->graph.blocks[to]))
            continue;
        seen[to] = true;
        if (reaches_uncut(pv, loop, to, seen))
            return true;
    }
    return false;
}

/* A loop with barriers but with a path around that has none: its head becomes a cut that orders nothing. */
static void add_soft_heads(struct pv *pv)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < pv->graph.loop_count; i++) {
            struct pv_loop *loop = &pv->graph.loops[i];
            bool *seen = pv_alloc(pv, pv->graph.block_count, sizeof *seen);
            if (!loop->has_barrier || pv_is_cut(&pv->graph.blocks[loop->head]) ||
                !reaches_uncut(pv, loop, loop->head, seen))
                continue;
            pv->graph.blocks[loop->head].cut = PV_SOFT_HEAD;
            changed = true;
        }
    }
}

void pv_find_loops(struct pv *pv)
{
    uint32_t *dominator = pv_alloc(pv, pv->graph.block_count, sizeof *dominator);
    uint32_t count = find_order(pv, dominator);
    for (uint32_t b = 0; b < pv->graph.block_count; b++)
        if (pv->graph.blocks[b].position == PV_NONE)
            pv->graph.blocks[b].cut = PV_NO_CUT;
    find_back_edges(pv, count, dominator);
    nest_loops(pv);
    add_soft_heads(pv);
}

void pv_find_sources(struct pv *pv)
{
    pv->sources.blocks = pv_alloc(pv, pv->graph.block_count + 1, sizeof *pv->sources.blocks);
    pv->sources.blocks[pv->sources.count++] = PV_NONE; /* the kernel's entry */
    for (uint32_t b = 0; b < pv->graph.block_count; b++)
        if (pv_is_cut(&pv->graph.blocks[b]))
            pv->sources.blocks[pv->sources.count++] = b;
}
