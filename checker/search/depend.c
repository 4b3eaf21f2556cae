/* Data dependencies of values, through registers and memory.  Control dependencies are not followed: search
 * tries constants wherever a store may write one. */
#include "checker/search/exec.h"

#include <string.h>

uint64_t sx_depends(const struct ck_program *p, uint32_t expr, const uint64_t *depends)
{
    const struct ck_expr *e = &p->exprs[expr];
    uint64_t set;

    if (e->op == CK_CONST)
        return 0;
    if (e->op == CK_REG)
        return depends[e->imm];
    set = sx_depends(p, e->a, depends);
    if (ck_expr_operands(e->op) > 1)
        set |= sx_depends(p, e->b, depends);
    if (ck_expr_operands(e->op) > 2)
        set |= sx_depends(p, e->c, depends);
    return set;
}

uint64_t sx_read_bit(const struct sx_event *events, uint32_t count)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < count && number < SX_MANY; i++)
        number += events[i].kind == SX_READ;
    return (uint64_t)1 << number;
}

uint32_t sx_cost(const struct sx *sx, const struct sx_event *events, uint32_t count, uint32_t location,
                 uint64_t depends)
{
    const struct sx_location *l = &sx->locations[location];
    uint32_t cost = 0, number = 0;

    for (uint32_t i = 0; i < count && number < SX_MANY && depends >> number; i++) {
        if (events[i].kind != SX_READ)
            continue;
        if ((depends >> number++ & 1) == 0 || events[i].location != location)
            continue;
        for (uint32_t v = 0; v < l->value_count; v++) {
            if (l->values[v] == events[i].value && l->costs[v] > cost)
                cost = l->costs[v];
        }
    }
    return cost + 1;
}

/* ---- executions --------------------------------------------------------------------------------- */

/* Adds to CAUSE an edge from each read to the writes that are computed from it. */
static void add_data(const struct sx_exec *x, uint64_t *cause)
{
    for (uint32_t w = 0; w < x->n; w++) {
        const struct sx_event *e = x->infos[w].event;
        uint32_t number = 0;

        if (!e || e->kind != SX_WRITE)
            continue;
        for (uint32_t r = 0; r < w; r++) {
            if (!x->events[r].read || x->events[r].thread != x->events[w].thread)
                continue;
            if (e->depends >> number & 1)
                mm_rel_add(x->n, cause, r, w);
            number += number < SX_MANY;
        }
    }
}

bool sx_has_thin_air(struct sx *sx)
{
    struct sx_exec *x = sx->exec;
    size_t words = mm_rel_size(x->n, MM_CAT_REL);
    uint64_t *cause = mm_alloc((words + mm_rel_words(x->n) + 1) * sizeof *cause);
    bool cyclic;

    if (!cause)
        return true;
    memcpy(cause, x->rf_lower, words * sizeof *cause);
    add_data(x, cause);
    cyclic = !mm_rel_acyclic(x->n, cause, cause + words);
    mm_free(cause);
    return cyclic;
}

static bool is_unconstrained(const struct sx *sx, uint32_t event)
{
    const struct mm_cat_event *e = &sx->exec->events[event];

    return e->init && sx->program->objects[sx->locations[e->location].object].uninitialized;
}

/* The events whose values depend on unconstrained initial ones. */
static bool find_tainted(const struct sx *sx, uint64_t *tainted)
{
    struct sx_exec *x = sx->exec;
    size_t words = mm_rel_size(x->n, MM_CAT_REL);
    uint64_t *from = mm_alloc((words + 1) * sizeof *from);

    if (!from)
        return false;
    memcpy(from, x->rf_lower, words * sizeof *from);
    add_data(x, from);
    mm_rel_plus(x->n, from, from);
    for (uint32_t e = 0; e < x->n; e++) {
        if (!is_unconstrained(sx, e))
            continue;
        mm_set_add(tainted, e);
        mm_bits_or(tainted, tainted, from + e * (size_t)mm_rel_words(x->n), mm_rel_words(x->n));
    }
    mm_free(from);
    return true;
}

static bool register_tainted(const struct sx *sx, const struct ck_term *term, const uint64_t *tainted)
{
    const struct sx_exec *x = sx->exec;
    uint64_t depends = x->chosen[term->thread]->depends[term->reg];
    uint32_t number = 0;

    for (uint32_t r = 0; r < x->n; r++) {
        if (!x->events[r].read || x->events[r].thread != term->thread)
            continue;
        if ((depends >> number & 1) && mm_set_has(tainted, r))
            return true;
        number += number < SX_MANY;
    }
    return false;
}

bool sx_ends_unconstrained(struct sx *sx)
{
    struct sx_exec *x = sx->exec;
    uint64_t *tainted = mm_alloc_zero(mm_rel_words(x->n) + 1, sizeof *tainted);
    bool found = !tainted || !find_tainted(sx, tainted);

    for (uint32_t i = 0; i < sx->program->observed_count && !found; i++) {
        const struct ck_term *t = &sx->program->observed[i];

        if (t->kind == CK_TERM_REG)
            found = register_tainted(sx, t, tainted);
        for (uint32_t l = 0; l < sx->location_count && t->kind == CK_TERM_MEMORY && !found; l++)
            found = x->init_of[l] != UINT32_MAX && sx_is_observed(sx, i, l) &&
                    mm_set_has(tainted, x->final_write[l]);
    }
    mm_free(tainted);
    return found;
}
