/* Which registers a loop may still read when it begins anew: the others need not be the same for an iteration
 * to count as a repetition. */
#include "checker/search_internal.h"

#include <string.h>

static void use(const struct ck_program *p, uint32_t expr, uint64_t *live)
{
    const struct ck_expr *e = &p->exprs[expr];

    if (e->op == CK_REG)
        live[e->imm / 64] |= (uint64_t)1 << (e->imm % 64);
    if (e->op <= CK_REG)
        return;
    use(p, e->a, live);
    if ((e->op >= CK_ADD && e->op <= CK_SLE) || e->op == CK_SELECT)
        use(p, e->b, live);
    if (e->op == CK_SELECT)
        use(p, e->c, live);
}

static void kill(uint64_t *live, uint32_t reg)
{
    if (reg != CK_NO_REG)
        live[reg / 64] &= ~((uint64_t)1 << (reg % 64));
}

static void back_over(const struct ck_program *p, const struct ck_instr *i, uint64_t *live)
{
    bool access = i->op >= CK_LOAD && i->op <= CK_CAS;

    if (i->op == CK_ASSIGN || (access && i->op != CK_STORE))
        kill(live, i->reg);
    if (i->op == CK_CAS)
        kill(live, i->reg2);
    if (access)
        use(p, i->address, live);
    if (i->op == CK_CAS)
        use(p, i->expected, live);
    if (((access && i->op != CK_LOAD) || i->op == CK_ASSIGN || i->op == CK_BRANCH || i->op == CK_ASSUME ||
         i->op == CK_ASSERT || i->op == CK_BARRIER) &&
        i->value != CK_NO_EXPR)
        use(p, i->value, live);
}

/* Registers that the condition names stay live to the end. */
static void observe(const struct ck_program *p, uint32_t thread, uint64_t *live)
{
    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (p->observed[i].kind == CK_TERM_REG && p->observed[i].thread == thread)
            live[p->observed[i].reg / 64] |= (uint64_t)1 << (p->observed[i].reg % 64);
    }
}

uint64_t *sx_loop_liveness(struct sx *sx, const struct ck_thread *t, const uint32_t *edges,
                           uint32_t edge_count)
{
    uint32_t n = t->instr_count, words = t->reg_count / 64 + 1;
    size_t size = ((size_t)n + 1) * words;
    uint64_t *out = mm_arena_alloc(sx->traces, ((size_t)edge_count + 1) * words * sizeof *out);
    uint64_t *in = edge_count ? mm_alloc_zero(size + words, sizeof *in) : NULL;
    bool changed = in != NULL;

    if (!out || (edge_count && !in)) {
        mm_free(in);
        return NULL;
    }
    if (in)
        observe(sx->program, (uint32_t)(t - sx->program->threads), in + (size_t)n * words);
    while (changed) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            const struct ck_instr *instr = &t->instrs[i];
            uint64_t *live = in + size;

            memcpy(live, in + (size_t)(instr->op == CK_END ? n : i + 1) * words, words * sizeof *live);
            if (instr->op == CK_JUMP)
                memset(live, 0, words * sizeof *live);
            for (uint32_t w = 0; w < words && (instr->op == CK_JUMP || instr->op == CK_BRANCH); w++)
                live[w] |= in[(size_t)instr->target * words + w];
            back_over(sx->program, instr, live);
            changed = changed || memcmp(in + (size_t)i * words, live, words * sizeof *live) != 0;
            memcpy(in + (size_t)i * words, live, words * sizeof *live);
        }
    }
    for (uint32_t e = 0; e < edge_count; e++)
        memcpy(out + (size_t)e * words, in + (size_t)t->instrs[edges[e]].target * words, words * sizeof *out);
    mm_free(in);
    return out;
}
