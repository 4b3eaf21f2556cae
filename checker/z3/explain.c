/* Explains why an execution violates an axiom: the evaluator of the cat language finds the path of named
 * edges, given the base relations as this engine defines them. */
#include "checker/z3/internal.h"

#include "memmodel/cat/eval.h"

static const uint64_t *base_bits(struct zx *g, uint32_t base)
{
    const struct zx_rel *r = zx_base(g, mm_cat_bases[base].name);
    uint64_t *bits = zx_alloc(g, mm_rel_size(g->n, mm_cat_bases[base].type) + 1, sizeof *bits);

    for (uint32_t i = 0; i < g->n; i++) {
        for (uint32_t j = r->is_set ? i : 0; j < (r->is_set ? i + 1 : g->n); j++) {
            if (zx_rel_get(g, r, i, j) != g->yes)
                continue;
            if (r->is_set)
                mm_set_add(bits, i);
            else
                mm_rel_add(g->n, bits, i, j);
        }
    }
    return bits;
}

/* Gives the events of G to the evaluator. */
static void begin_execution(struct zx *g)
{
    struct mm_cat_events *events = zx_alloc(g, 1, sizeof *events);
    const uint64_t **bases = zx_alloc(g, mm_cat_base_count, sizeof *bases);
    struct mm_error err = {.cls = MM_OK};

    for (uint32_t i = 0; i < mm_cat_base_count; i++)
        if (mm_cat_eval_uses(g->eval, mm_cat_bases[i].name))
            bases[i] = base_bits(g, i);
    *events = (struct mm_cat_events){.count = g->n, .bases = bases};
    if (mm_cat_eval_begin(g->eval, events, &err))
        zx_stop(g, err.cls, err.rule, "%s", err.message);
    mm_cat_eval_rf(g->eval, base_bits(g, mm_cat_base_find("rf")), NULL);
    mm_cat_eval_co(g->eval, base_bits(g, mm_cat_base_find("co")), NULL);
}

static struct ck_step describe_step(const void *execution, uint32_t event)
{
    struct ck_step step;

    zx_fill_step(execution, event, &step);
    return step;
}

bool zx_explain(struct zx *g, uint32_t check, struct mm_arena *arena, struct ck_violation *out)
{
    bool flag = g->model->checks[check].flag;

    begin_execution(g);
    if (flag ? !mm_cat_eval_passes(g->eval, check) : !mm_cat_eval_fails(g->eval, check))
        return false;
    zx_require(g, ck_explain(arena, g->eval, g->model, check, describe_step, g, out));
    return true;
}
