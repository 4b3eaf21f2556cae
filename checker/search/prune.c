/* Combinations of traces that belong to no execution, detected while other threads have no trace yet.
 *
 * The model is evaluated on the events of some threads, with everything else open: what it forbids there is
 * forbidden in every execution.  A read whose value another thread may write stays open.
 * docs/search.md#trace-listing */
#include "checker/search/exec.h"

#include <string.h>

enum { MAX_TRIES = 40 };

struct pruner {
    struct sx *sx;
    struct sx_exec *x;
    const uint64_t *elsewhere; /* pairs that threads left out may write */
    uint32_t tries;
};

bool sx_prune_create(struct sx *sx)
{
    if (sx->open)
        return true;
    sx->open = mm_cat_eval_create(sx->model, sx->err);
    if (sx->open)
        mm_cat_eval_open(sx->open);
    return sx->open != NULL;
}

static bool is_forbidden(struct pruner *p)
{
    struct sx_exec *x = p->x;

    p->tries++;
    mm_cat_eval_rf(p->sx->open, x->rf_lower, x->rf_upper);
    mm_cat_eval_co(p->sx->open, x->co_lower, x->co_upper);
    return mm_cat_eval_forbidden(p->sx->open, NULL);
}

/* ---- what is open ------------------------------------------------------------------------------- */

/* Whether read R may read what none of the present events writes. */
static bool is_open(const struct pruner *p, uint32_t r)
{
    const struct sx_location *l = &p->sx->locations[p->x->events[r].location];
    uint64_t value = p->x->infos[r].value;
    uint32_t i;

    if (l->any && sx_is_candidate(p->sx, l, value))
        return true;
    i = sx_number_value(l, value);
    return i == UINT32_MAX || mm_set_has(p->elsewhere, l->first_pair + i);
}

/* False: some read has no source at all. */
static bool find_sources(struct pruner *p)
{
    struct sx_exec *x = p->x;
    uint32_t at = 0;

    x->read_count = 0;
    for (uint32_t r = 0; r < x->n; r++) {
        uint32_t first = at;

        if (!x->events[r].read)
            continue;
        at = sx_list_sources(x, r, at);
        if (is_open(p, r)) {
            at = first;
            continue;
        }
        if (at == first)
            return false;
        if (at - first == 1) {
            mm_rel_add(x->n, x->rf_lower, x->sources[first], r);
            continue;
        }
        x->reads[x->read_count] = r;
        x->first_source[x->read_count] = first;
        x->source_count[x->read_count++] = at - first;
    }
    return true;
}

/* ---- choosing ----------------------------------------------------------------------------------- */

static bool try_reads(struct pruner *p, uint32_t read, bool halves);

/* Whether some order of the writes from WRITE on is not forbidden. */
static bool try_writes(struct pruner *p, uint32_t write)
{
    struct sx_exec *x = p->x;
    uint32_t end = sx_end_of_location(x, write);
    bool found = false;

    if (p->tries > MAX_TRIES)
        return true;
    if (write == x->write_count)
        return try_reads(p, 0, false);
    if (end - write == 1)
        return try_writes(p, end);
    for (uint32_t k = write; k < end && !found; k++) {
        uint32_t chosen = x->writes[k];

        x->writes[k] = x->writes[write];
        x->writes[write] = chosen;
        sx_order_write(x, write, end, false);
        found = !is_forbidden(p) && try_writes(p, write + 1);
        sx_order_write(x, write, end, true);
        x->writes[write] = x->writes[k];
        x->writes[k] = chosen;
    }
    return found;
}

static bool try_sources(struct pruner *p, uint32_t read, bool halves)
{
    struct sx_exec *x = p->x;
    const uint32_t *sources = x->sources + x->first_source[read];
    uint32_t r = x->reads[read];
    bool found = false;

    for (uint32_t k = 0; k < x->source_count[read]; k++)
        mm_rel_remove(x->n, x->rf_upper, sources[k], r);
    for (uint32_t k = 0; k < x->source_count[read] && !found; k++) {
        mm_rel_add(x->n, x->rf_lower, sources[k], r);
        mm_rel_add(x->n, x->rf_upper, sources[k], r);
        found = !is_forbidden(p) && try_reads(p, read + 1, halves);
        mm_rel_remove(x->n, x->rf_lower, sources[k], r);
        mm_rel_remove(x->n, x->rf_upper, sources[k], r);
    }
    for (uint32_t k = 0; k < x->source_count[read]; k++)
        mm_rel_add(x->n, x->rf_upper, sources[k], r);
    return found;
}

/* The reads from READ on that are halves of a read-modify-write, or the others: the order of writes comes
 * between, since it rules out most. */
static bool try_reads(struct pruner *p, uint32_t read, bool halves)
{
    const struct sx_exec *x = p->x;

    if (p->tries > MAX_TRIES)
        return true;
    while (read < x->read_count && (x->events[x->reads[read]].rmw_partner != UINT32_MAX) != halves)
        read++;
    if (read == x->read_count)
        return !halves || try_writes(p, 0);
    return try_sources(p, read, halves);
}

bool sx_has_some_order(struct sx *sx)
{
    struct pruner p = {.sx = sx, .x = sx->exec};

    sx_find_writes(sx);
    sx->exec->read_count = 0;
    return mm_cat_eval_begin(sx->open, &p.x->all, sx->err) || (!is_forbidden(&p) && try_writes(&p, 0));
}

/* ---- the question ------------------------------------------------------------------------------- */

static uint64_t *find_elsewhere(struct sx *sx, const struct sx_trace *const *chosen)
{
    uint64_t *set = mm_alloc_zero(sx->pair_words + 1, sizeof *set);

    for (uint32_t t = 0; t < sx->program->thread_count && set; t++) {
        if (!chosen[t])
            mm_bits_or(set, set, sx->threads[t].may_write, sx->pair_words);
    }
    return set;
}

bool sx_may_combine(struct sx *sx, const struct sx_trace *const *chosen, const uint64_t *elsewhere)
{
    uint64_t *own = elsewhere ? NULL : find_elsewhere(sx, chosen);
    struct pruner p = {.sx = sx, .x = sx->exec, .elsewhere = elsewhere ? elsewhere : own};
    bool possible = true;

    if (p.elsewhere && sx_begin_events(sx, chosen)) {
        possible = find_sources(&p);
        sx_find_writes(sx);
        if (possible && !mm_cat_eval_begin(sx->open, &p.x->all, sx->err))
            possible = !is_forbidden(&p) && try_reads(&p, 0, true);
    }
    mm_free(own);
    return possible;
}
