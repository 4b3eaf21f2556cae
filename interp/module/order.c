/* Sorts the blocks of each function so that a block follows its dominators [SPIRV 2.16.1], which some
 * optimizing producers violate: reverse post-order of the control-flow graph, unreachable blocks last. */
#include "flow.h"
#include "memmodel/base/array.h"
#include "module.h"

#include <string.h>

struct block {
    uint32_t begin, end, last; /* words; LAST is where the block's last instruction begins */
};

struct order {
    struct in_module *m;
    uint32_t *number; /* per id: one more than the block that it labels, 0: none */
    struct block *blocks;
    uint32_t count, capacity;
};

/* Adds the branches at the end of BLOCK; false: out of memory. */
static bool add_branches(const struct order *o, struct in_flow *flow, uint32_t block)
{
    const struct in_module *m = o->m;
    const uint32_t last = o->blocks[block].last;
    bool good = true;
    for (uint32_t k = last + 1; k < last + (m->words[last] >> 16) && good; k++) {
        uint32_t id = m->words[k], target = m->is_id[k] && id < m->bound ? o->number[id] - 1 : UINT32_MAX;
        if (target < o->count)
            good = in_flow_add_edge(flow, block, target);
    }
    return good;
}

/* Writes the blocks in SEQUENCE; false: out of memory. */
static bool rewrite_blocks(const struct order *o, const uint32_t *sequence)
{
    struct in_module *m = o->m;
    const uint32_t first = o->blocks[0].begin, words = o->blocks[o->count - 1].end - first;
    uint32_t *copy = mm_alloc(words * sizeof *copy);
    uint8_t *is_id = mm_alloc(words);
    if (copy && is_id) {
        memcpy(copy, m->words + first, words * sizeof *copy);
        memcpy(is_id, m->is_id + first, words);
        for (uint32_t k = 0, to = first; k < o->count; k++) {
            const struct block *b = &o->blocks[sequence[k]];
            memcpy(m->words + to, copy + (b->begin - first), (b->end - b->begin) * sizeof *copy);
            memcpy(m->is_id + to, is_id + (b->begin - first), b->end - b->begin);
            to += b->end - b->begin;
        }
    }
    bool done = copy && is_id;
    mm_free(copy);
    mm_free(is_id);
    return done;
}

static bool sort_blocks(const struct order *o)
{
    struct in_flow flow;
    bool good = in_flow_create(&flow, o->count);
    for (uint32_t k = 0; k < o->count && good; k++)
        good = add_branches(o, &flow, k);
    good = good && in_flow_sort(&flow);
    for (uint32_t k = 0, n = flow.order_count; k < o->count && good; k++)
        if (flow.position[k] == IN_FLOW_NONE)
            flow.order[n++] = k;
    good = good && rewrite_blocks(o, flow.order);
    in_flow_destroy(&flow);
    return good;
}

/* Collects the blocks of the function at *AT and advances *AT to its end; false: malformed blocks, or out of
 * memory. */
static bool find_blocks(struct order *o, struct in_inst *at)
{
    const struct in_module *m = o->m;
    bool open = false, good = true;
    o->count = 0;
    for (uint32_t end = at->word; in_spirv_next(m, at) && at->opcode != SpvOpFunctionEnd;) {
        if (at->opcode == SpvOpLabel) {
            good &= !open && at->result < m->bound &&
                    mm_reserve(&o->blocks, &o->capacity, o->count + UINT64_C(1));
            if (!good)
                continue;
            o->blocks[o->count].begin = o->count > 0 ? end : at->word;
            o->number[at->result] = ++o->count;
            open = true;
        } else if (in_is_terminator(at->opcode) && good && open) {
            end = at->word + at->count;
            o->blocks[o->count - 1].last = at->word;
            o->blocks[o->count - 1].end = end;
            open = false;
        }
    }
    return good && !open && o->count > 1;
}

void in_order_blocks(struct in_module *m)
{
    struct order o = {.m = m, .number = mm_alloc_zero(m->bound + 1, sizeof *o.number)};
    bool good = o.number != NULL;
    for (struct in_inst i = {0}; good && in_spirv_next(m, &i);)
        if (i.opcode == SpvOpFunction && find_blocks(&o, &i))
            good = sort_blocks(&o);
    mm_free(o.number);
    mm_free(o.blocks);
}
