/* Control flow unrolled to the bound, for the Z3 engine (docs/encoding.md#unrolling).
 *
 * The unrolled graph has one node per (instruction, iteration counts of the loops around it), so that paths
 * that leave a loop after different numbers of iterations join again.  A loop is the range of instructions
 * between the target and the source of a backward jump. */
#include "checker/z3/unroll.h"

#include <string.h>

/* ---- loops and liveness ------------------------------------------------------------------------ */

void zx_find_loops(struct zx_run *r)
{
    for (uint32_t i = 0; i < r->t->instr_count; i++) {
        const struct ck_instr *in = &r->t->instrs[i];

        if (!ck_instr_is_jump(in) || in->target > i)
            continue;
        if (r->loop_count == ZX_MAX_LOOPS)
            zx_stop(r->z, MM_LIMIT, "z3.unroll", "thread %s has more than %u loops", r->t->name,
                    ZX_MAX_LOOPS);
        r->loops[r->loop_count++] = (struct zx_loop){.source = i, .target = in->target};
    }
}

static bool is_inside(const struct zx_loop *l, uint32_t pc)
{
    return pc >= l->target && pc <= l->source;
}

static void add_to_set(uint64_t *set, uint64_t i)
{
    set[i / 64] |= UINT64_C(1) << (i % 64);
}

static void live_at_end(const struct zx_run *r, uint64_t *live)
{
    const struct ck_program *p = r->z->p;

    for (uint32_t i = 0; i < p->observed_count; i++)
        if (p->observed[i].kind == CK_TERM_REG && p->observed[i].thread == r->thread)
            add_to_set(live, p->observed[i].reg);
    for (uint32_t i = 0; i < p->prop_count; i++) {
        const struct ck_term *terms[] = {&p->props[i].left, &p->props[i].right};

        for (int k = 0; p->props[i].op == CK_PROP_COMPARE && k < 2; k++)
            if (terms[k]->kind == CK_TERM_REG && terms[k]->thread == r->thread)
                add_to_set(live, terms[k]->reg);
    }
}

/* Computes liveness before each instruction, by iteration to the fixpoint. */
void zx_find_live(struct zx_run *r)
{
    uint32_t words = r->reg_count / 64 + 1, n = r->t->instr_count;
    uint64_t *live = zx_alloc(r->z, (size_t)(n + 1) * words, sizeof *live), *in_set;
    uint64_t *now = zx_alloc(r->z, words, sizeof *now);

    live_at_end(r, &live[(size_t)n * words]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            const struct ck_instr *in = &r->t->instrs[i];
            uint32_t next = in->op == CK_JUMP ? in->target : in->op == CK_END ? n : i + 1;

            memcpy(now, &live[(size_t)next * words], words * sizeof *now);
            for (uint32_t w = 0; in->op == CK_BRANCH && w < words; w++)
                now[w] |= live[(size_t)in->target * words + w];
            ck_instr_live(r->z->p, in, now);
            in_set = &live[(size_t)i * words];
            if (memcmp(in_set, now, words * sizeof *now) != 0) {
                memcpy(in_set, now, words * sizeof *now);
                changed = true;
            }
        }
    }
    for (uint32_t l = 0; l < r->loop_count; l++)
        r->loops[l].live = &live[(size_t)r->loops[l].target * words];
}

/* ---- the unrolled graph -------------------------------------------------------------------------- */

static uint32_t hash_key(const struct zx_run *r, uint32_t pc, const uint16_t *count)
{
    uint32_t h = pc * 2654435761U;

    for (uint32_t i = 0; i < r->loop_count; i++)
        h = (h ^ count[i]) * 16777619U;
    return (h >> 7) % ZX_HASH_SIZE;
}

void zx_restrict_counts(const struct zx_run *r, uint32_t pc, uint16_t *count)
{
    for (uint32_t i = 0; i < r->loop_count; i++)
        if (!is_inside(&r->loops[i], pc))
            count[i] = 0;
}

uint32_t zx_find_node(const struct zx_run *r, uint32_t pc, const uint16_t *count)
{
    uint32_t i = r->buckets[hash_key(r, pc, count)];

    while (i != ZX_NONE &&
           (r->nodes[i]->pc != pc || memcmp(r->nodes[i]->count, count, r->loop_count * sizeof *count) != 0))
        i = r->nodes[i]->next_in_bucket;
    return i;
}

uint32_t zx_get_node(struct zx_run *r, uint32_t pc, const uint16_t *count)
{
    uint32_t i = zx_find_node(r, pc, count), bucket;
    struct zx_node *n;

    if (i != ZX_NONE)
        return i;
    if (r->node_count == ZX_MAX_NODES)
        zx_stop(r->z, MM_LIMIT, "z3.unroll", "thread %s unrolls to more than %u instructions", r->t->name,
                ZX_MAX_NODES);
    n = zx_alloc(r->z, 1, sizeof *n);
    bucket = hash_key(r, pc, count);
    *n = (struct zx_node){.pc = pc, .next_in_bucket = r->buckets[bucket], .guard = r->z->no};
    memcpy(n->count, count, r->loop_count * sizeof *count);
    zx_append(r->z, &r->nodes, &r->node_count, &n);
    r->buckets[bucket] = r->node_count - 1;
    return r->node_count - 1;
}

/* Connects node N to TARGET.  A back edge increments its loop's count and resets those of the loops
 * within. */
static void connect_node(struct zx_run *r, uint32_t n, int slot, uint32_t target)
{
    struct zx_node *node = r->nodes[n];
    uint16_t count[ZX_MAX_LOOPS];
    uint32_t taken = ZX_NONE;

    memcpy(count, node->count, sizeof count);
    for (uint32_t l = 0; target <= node->pc && l < r->loop_count; l++)
        if (r->loops[l].source == node->pc && r->loops[l].target == target)
            taken = l;
    node->back_loop[slot] = taken;
    node->successor[slot] = ZX_NONE;
    if (taken != ZX_NONE) {
        const struct zx_loop *outer = &r->loops[taken];

        if (count[taken] >= r->z->options.bound && count[taken] >= r->t->instrs[node->pc].trip_count)
            return;
        count[taken]++;
        for (uint32_t l = 0; l < r->loop_count; l++) {
            bool within = r->loops[l].target >= outer->target && r->loops[l].source <= outer->source;

            if (l != taken && within)
                count[l] = 0;
        }
    }
    zx_restrict_counts(r, target, count);
    node->successor[slot] = zx_get_node(r, target, count);
}

static void expand_node(struct zx_run *r, uint32_t n)
{
    struct zx_node *node = r->nodes[n];
    const struct ck_instr *in;

    node->successor[0] = node->successor[1] = ZX_NONE;
    node->back_loop[0] = node->back_loop[1] = ZX_NONE;
    if (node->pc >= r->t->instr_count)
        return;
    in = &r->t->instrs[node->pc];
    if (in->op == CK_END)
        connect_node(r, n, 0, r->t->instr_count);
    else if (in->op == CK_JUMP)
        connect_node(r, n, 0, in->target);
    else
        connect_node(r, n, 0, node->pc + 1);
    if (in->op == CK_BRANCH)
        connect_node(r, n, 1, in->target);
}

void zx_sort_nodes(struct zx_run *r)
{
    uint16_t zero[ZX_MAX_LOOPS] = {0};
    uint32_t *stack = zx_alloc(r->z, ZX_MAX_NODES + 1, sizeof *stack), depth = 0;

    r->order = zx_alloc(r->z, ZX_MAX_NODES, sizeof *r->order);
    r->order_count = ZX_MAX_NODES;
    stack[depth++] = zx_get_node(r, 0, zero);
    while (depth > 0) {
        uint32_t n = stack[depth - 1];
        struct zx_node *node = r->nodes[n];
        uint32_t next;

        if (node->state == 0)
            expand_node(r, n);
        if (node->state == 2) {
            r->order[--r->order_count] = n;
            node->state = 3;
            depth--;
            continue;
        }
        /* The branch target first, so that the code that falls through comes earlier in the order. */
        next = node->successor[1 - node->state++];
        if (next != ZX_NONE && r->nodes[next]->state == 0)
            stack[depth++] = next;
    }
}
