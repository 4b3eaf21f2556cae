/* Live registers at loop headers.  Dead registers may differ between iterations that count as repetitions of
 * each other.  docs/search.md#redundant-iterations */
#include "checker/search/internal.h"

#include <string.h>

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
            ck_instr_live(sx->program, instr, live);
            changed = changed || memcmp(in + (size_t)i * words, live, words * sizeof *live) != 0;
            memcpy(in + (size_t)i * words, live, words * sizeof *live);
        }
    }
    for (uint32_t e = 0; e < edge_count; e++)
        memcpy(out + (size_t)e * words, in + (size_t)t->instrs[edges[e]].target * words, words * sizeof *out);
    mm_free(in);
    return out;
}
