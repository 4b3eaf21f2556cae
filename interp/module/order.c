/* Sorts the blocks of each function so that a block follows its dominators [SPIRV 2.16.1], which some
 * optimizing producers violate: reverse post-order of the control-flow graph, unreachable blocks last. */
#include "module.h"
#include <string.h>

struct block {
    uint32_t begin, end, last; /* words; LAST is where the block's last instruction begins */
};

struct order {
    struct in_module *m;
    uint32_t *number; /* per id: one more than the block that it labels, 0: none */
    struct block *blocks;
    uint32_t *sequence, *stack, *position; /* per block; POSITION: the words of LAST not yet visited */
    uint8_t *seen;
    uint32_t count, capacity;
};

static bool grow_blocks(struct order *o)
{
    uint32_t capacity = o->capacity * 2 + 64;
    struct block *blocks = mm_realloc(o->blocks, capacity * sizeof *blocks);
    o->blocks = blocks != NULL ? blocks : o->blocks;
    uint32_t **lists[] = {&o->sequence, &o->stack, &o->position};
    bool good = blocks != NULL;
    for (int k = 0; k < 3 && good; k++) {
        uint32_t *list = mm_realloc(*lists[k], capacity * sizeof *list);
        *lists[k] = list != NULL ? list : *lists[k];
        good = list != NULL;
    }
    uint8_t *seen = good ? mm_realloc(o->seen, capacity) : NULL;
    o->seen = seen != NULL ? seen : o->seen;
    o->capacity = seen != NULL ? capacity : o->capacity;
    return seen != NULL;
}

static void visit(struct order *o, uint32_t *depth, uint32_t block)
{
    const uint32_t last = o->blocks[block].last;
    o->seen[block] = 1;
    o->stack[*depth] = block;
    o->position[(*depth)++] = last + (o->m->words[last] >> 16);
}

/* The next successor of BLOCK, from the last operand of its terminator on; UINT32_MAX: none. */
static uint32_t next_target(const struct order *o, uint32_t block, uint32_t *position)
{
    const struct in_module *m = o->m;
    while (--*position > o->blocks[block].last) {
        uint32_t id = m->words[*position];
        uint32_t target = m->is_id[*position] && id < m->bound ? o->number[id] - 1 : UINT32_MAX;
        if (target < o->count && !o->seen[target])
            return target;
    }
    return UINT32_MAX;
}

static void find_sequence(struct order *o)
{
    uint32_t depth = 0, place = o->count;
    memset(o->seen, 0, o->count);
    visit(o, &depth, 0);
    while (depth > 0) {
        uint32_t block = o->stack[depth - 1], target = next_target(o, block, &o->position[depth - 1]);
        if (target != UINT32_MAX) {
            visit(o, &depth, target);
        } else {
            o->sequence[--place] = block;
            depth--;
        }
    }
    uint32_t reached = o->count - place;
    memmove(o->sequence, o->sequence + place, reached * sizeof *o->sequence);
    for (uint32_t k = 0; k < o->count; k++)
        if (!o->seen[k])
            o->sequence[reached++] = k;
}

/* Writes the blocks in their sequence; false: no memory. */
static bool rewrite(const struct order *o)
{
    struct in_module *m = o->m;
    const uint32_t first = o->blocks[0].begin, words = o->blocks[o->count - 1].end - first;
    uint32_t *copy = mm_alloc(words * sizeof *copy);
    uint8_t *is_id = mm_alloc(words);
    if (copy != NULL && is_id != NULL) {
        memcpy(copy, m->words + first, words * sizeof *copy);
        memcpy(is_id, m->is_id + first, words);
        for (uint32_t k = 0, to = first; k < o->count; k++) {
            const struct block *b = &o->blocks[o->sequence[k]];
            memcpy(m->words + to, copy + (b->begin - first), (b->end - b->begin) * sizeof *copy);
            memcpy(m->is_id + to, is_id + (b->begin - first), b->end - b->begin);
            to += b->end - b->begin;
        }
    }
    bool done = copy != NULL && is_id != NULL;
    mm_free(copy);
    mm_free(is_id);
    return done;
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
            good &= !open && at->result < m->bound && (o->count < o->capacity || grow_blocks(o));
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
        if (i.opcode == SpvOpFunction && find_blocks(&o, &i)) {
            find_sequence(&o);
            good = rewrite(&o);
        }
    mm_free(o.number);
    mm_free(o.blocks);
    mm_free(o.sequence);
    mm_free(o.stack);
    mm_free(o.position);
    mm_free(o.seen);
}
