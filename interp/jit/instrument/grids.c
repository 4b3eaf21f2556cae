/* Matrices of a launch: are the parts of work-items disjoint?  docs/instrumentation.md#matrices */
#include "interp/jit/instrument/grids.h"
#include "interp/jit/run/run.h"
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 3, VARIABLES = 2 * DIMENSIONS + IN_GRID_COUNTERS };
static const int64_t WRAP = INT64_C(1) << 32;

/* One id: values from 0 on below COUNT, by which the offset grows with STRIDE. */
struct variable {
    int64_t stride;
    int64_t count;
};
/* The bytes of an access beside the offset of its work-item. */
struct part {
    int64_t low, high;
    bool written;
};
/* Offsets of all work-items: FIRST + sum(variables), and PARTS beside it.  Modulo 2^32. */
struct layout {
    struct variable variables[VARIABLES];
    int64_t first;
    struct part parts[IN_GRID_ACCESSES];
    unsigned count;
};

/* Those that are no values are offsets in local memory, or handles, which are not known yet. */
static bool has_value(const struct in_jit_run *run, uint32_t k, size_t bytes)
{
    const struct in_argument_info *info = &run->launch->info->arguments[k];
    return info->kind == IN_ARG_VALUE && info->size >= bytes && run->launch->arguments[k].value;
}

static uint64_t argument_of(const struct in_jit_run *run, uint32_t k, size_t bytes)
{
    uint64_t value = 0;
    if (has_value(run, k, bytes))
        memcpy(&value, run->launch->arguments[k].value, bytes);
    return value;
}

static uint64_t value_of(const struct in_jit_run *run, unsigned code)
{
    return code == IN_GRID_ONE             ? 1
           : code < IN_GRID_ARGUMENT       ? run->frame.global_size[code - IN_GRID_SIZE]
           : code < IN_GRID_LARGE_ARGUMENT ? argument_of(run, code - IN_GRID_ARGUMENT, 4)
                                           : argument_of(run, code - IN_GRID_LARGE_ARGUMENT, 8);
}

static bool is_known(const struct in_jit_run *run, unsigned code)
{
    return code < IN_GRID_ARGUMENT         ? true
           : code < IN_GRID_LARGE_ARGUMENT ? has_value(run, code - IN_GRID_ARGUMENT, 4)
                                           : has_value(run, code - IN_GRID_LARGE_ARGUMENT, 8);
}

static bool are_known(const struct in_jit_run *run, const struct in_grid_sum *s)
{
    for (unsigned k = 0; k < s->count; k++)
        if (!is_known(run, s->terms[k].a) || !is_known(run, s->terms[k].b))
            return false;
    return true;
}

/* Whether all values in GRID are known when the launch begins. */
static bool is_grid_known(const struct in_shadow_plan *plan, const struct in_jit_run *run,
                          const struct in_shadow_grid *grid)
{
    bool known = true;
    for (unsigned k = 0; k < IN_GRID_IDS; k++)
        known &= are_known(run, &grid->strides[k]);
    for (unsigned k = 0; k < IN_GRID_COUNTERS; k++)
        for (unsigned j = 0; j < IN_GRID_LOOPS; j++)
            known &=
                are_known(run, &grid->counters[k][j].step) && are_known(run, &grid->counters[k][j].limit.sum);
    for (unsigned k = 0; k < grid->count; k++)
        known &= are_known(run, &plan->grid_accesses[grid->first + k].fixed);
    for (unsigned k = 0; k < grid->guard_count; k++)
        for (unsigned id = 0; id < IN_GRID_COUNTER; id++)
            known &= are_known(run, &grid->guards[k][id].from.sum) &&
                     are_known(run, &grid->guards[k][id].below.sum);
    return known;
}

void in_set_argument_sizes(struct in_jit_run *run)
{
    for (uint32_t k = 0; k < run->launch->info->argument_count && k < IN_SHADOW_ARGUMENTS; k++) {
        const struct in_argument *a = &run->launch->arguments[k];
        const struct in_object *o = a->object;
        enum in_argument_kind kind = run->launch->info->arguments[k].kind;
        bool global = kind == IN_ARG_GLOBAL || kind == IN_ARG_CONSTANT;
        bool within = global && o && a->address >= o->address && a->address - o->address < o->size;
        run->frame.shadow.arguments[k].size = kind == IN_ARG_LOCAL ? a->local_size
                                              : within             ? o->size - (a->address - o->address)
                                                                   : 0;
    }
}

/* Modulo 2^64; modulo 2^32 the signs of arguments do not matter. */
static uint64_t sum_of(const struct in_grid_sum *s, const struct in_jit_run *run)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < s->count; k++)
        sum +=
            (uint64_t)(int64_t)s->terms[k].by * value_of(run, s->terms[k].a) * value_of(run, s->terms[k].b);
    return sum;
}

static int64_t sign_extend(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

/* Whether casts of the values in S keep them. */
static bool is_small(const struct in_grid_sum *s, const struct in_jit_run *run)
{
    for (unsigned k = 0; k < s->count; k++)
        if (value_of(run, s->terms[k].a) > INT32_MAX || value_of(run, s->terms[k].b) > INT32_MAX)
            return false;
    return true;
}

/* SUM as computed in 64 bits, if WIDE, or in 32; -1: a cast may have changed a value, or the result is
 * negative or large. */
static int64_t grid_number(const struct in_grid_sum *sum, bool wide, const struct in_jit_run *run)
{
    uint64_t value = wide ? sum_of(sum, run) : (uint32_t)sum_of(sum, run);
    return is_small(sum, run) && value <= INT32_MAX ? (int64_t)value : -1;
}

/* What is less than LIMIT is less than the result, which is at most END.  A comparison of 32 bits, or of 64,
 * whose right side is negative or large may be signed or not: it bounds nothing. */
static int64_t limit_of(const struct in_grid_limit *limit, const struct in_jit_run *run, int64_t end)
{
    int64_t value = limit->exists ? grid_number(&limit->sum, limit->wide, run) : -1;
    int64_t bound = value >= 0 ? value + limit->or_equal : end;
    return bound < end ? bound : end;
}

/* What is greater than LIMIT is at least the result, which is at least START. */
static int64_t start_of(const struct in_grid_limit *limit, const struct in_jit_run *run, int64_t start)
{
    int64_t value = limit->exists ? grid_number(&limit->sum, limit->wide, run) : -1;
    int64_t bound = value >= 0 ? value + !limit->or_equal : start;
    return bound > start ? bound : start;
}

/* Numbers from LOW on below HIGH. */
struct span {
    int64_t low, high;
};
/* Guards of a grid: those of the accesses that are laid out. */
struct guards {
    unsigned first, end;
};

/* The values of ID, which are within ALL, for which any access behind GUARDS is executed. */
static struct span values_of(const struct in_shadow_grid *grid, struct guards guards,
                             const struct in_jit_run *run, unsigned id, struct span all)
{
    struct span values = {all.high, all.low};
    for (unsigned k = guards.first; k < guards.end; k++) {
        const struct in_grid_bounds *b = &grid->guards[k][id];
        int64_t low = start_of(&b->from, run, all.low), high = limit_of(&b->below, run, all.high);
        values.low = low < values.low ? low : values.low;
        values.high = high > values.high ? high : values.high;
    }
    return values;
}

static int64_t count_of(struct span s)
{
    return s.high > s.low ? s.high - s.low : 0;
}

/* Whether all accesses are behind comparisons of ID. */
static bool is_bounded(const struct in_shadow_grid *grid, struct guards guards, unsigned id)
{
    bool bounded = true;
    for (unsigned k = guards.first; k < guards.end; k++)
        bounded &= grid->guards[k][id].from.exists || grid->guards[k][id].below.exists;
    return bounded;
}

/* How many iterations make accesses; -1: not known.  If the limit and one more step are below 2^31, no value
 * wraps around, and signed and unsigned comparisons agree. */
static int64_t count_iterations(const struct in_grid_counter *c, const struct in_jit_run *run)
{
    int64_t step = grid_number(&c->step, c->wide, run), limit = limit_of(&c->limit, run, INT32_MAX);
    int64_t span = limit > c->start ? limit - c->start : 0;
    return step <= 0 || limit + step > INT32_MAX ? -1 : (span + step - 1) / step;
}

/* A dimension in which subscripts and guards depend on the global id alone is one variable; else work-group
 * and local id are two. */
static void lay_out_ids(const struct in_shadow_grid *grid, struct guards guards, const struct in_jit_run *run,
                        struct layout *l)
{
    for (unsigned k = 0; k < DIMENSIONS; k++) {
        const unsigned group_id = IN_GRID_GROUP + k, local_id = IN_GRID_LOCAL + k;
        const int64_t global = sign_extend(sum_of(&grid->strides[IN_GRID_GLOBAL + k], run));
        const int64_t size = (int64_t)run->frame.local_size[k], offset = (int64_t)run->frame.global_offset[k];
        struct span ids = {offset, offset + (int64_t)run->frame.global_size[k]},
                    groups = {0, (int64_t)run->frame.num_groups[k]}, locals = {0, size};
        struct variable *v = &l->variables[2 * k];
        ids = values_of(grid, guards, run, IN_GRID_GLOBAL + k, ids);
        if (grid->strides[group_id].count + grid->strides[local_id].count == 0 &&
            !is_bounded(grid, guards, group_id) && !is_bounded(grid, guards, local_id)) {
            v[0] = (struct variable){global, count_of(ids)};
            v[1] = (struct variable){0, 1};
            l->first += sign_extend((uint64_t)(global * ids.low));
            continue;
        }
        groups = values_of(grid, guards, run, group_id, groups);
        locals = values_of(grid, guards, run, local_id, locals);
        int64_t first = (ids.low - offset) / size, end = (ids.high - offset + size - 1) / size;
        groups.low = groups.low > first ? groups.low : first;
        groups.high = groups.high < end ? groups.high : end;
        int64_t group = sign_extend(sum_of(&grid->strides[group_id], run) + (uint64_t)(global * size));
        int64_t local = sign_extend(sum_of(&grid->strides[local_id], run) + (uint64_t)global);
        v[0] = (struct variable){group, count_of(groups)};
        v[1] = (struct variable){local, count_of(locals)};
        l->first += sign_extend((uint64_t)(global * offset)) + sign_extend((uint64_t)(group * groups.low)) +
                    sign_extend((uint64_t)(local * locals.low));
    }
}

static int compare_parts(const void *a, const void *b)
{
    int64_t x = ((const struct part *)a)->low, y = ((const struct part *)b)->low;
    return (x > y) - (x < y);
}

/* The most iterations of loops that are one counter; -1: not known. */
static int64_t count_most_iterations(const struct in_grid_counter *loops, const struct in_jit_run *run)
{
    int64_t most = 0;
    for (unsigned k = 0; k < IN_GRID_LOOPS && most >= 0 && loops[k].limit.exists; k++) {
        int64_t count = count_iterations(&loops[k], run);
        most = count < 0 || count > most ? count : most;
    }
    return most;
}

/* The accesses of GRID that are behind GUARDS.  False: the number of a loop's iterations is not known. */
static bool lay_out(const struct in_shadow_plan *plan, const struct in_shadow_grid *grid,
                    struct guards guards, const struct in_jit_run *run, struct layout *l)
{
    l->first = 0;
    l->count = 0;
    lay_out_ids(grid, guards, run, l);
    for (unsigned k = 0; k < IN_GRID_COUNTERS; k++) {
        const struct in_grid_sum *stride = &grid->strides[IN_GRID_COUNTER + k];
        struct variable *v = &l->variables[2 * DIMENSIONS + k];
        *v = (struct variable){sign_extend(sum_of(stride, run)),
                               stride->count == 0 ? 1 : count_most_iterations(grid->counters[k], run)};
        if (v->count < 0)
            return false;
    }
    for (unsigned k = 0; k < grid->count; k++) {
        const struct in_grid_access *a = &plan->grid_accesses[grid->first + k];
        int64_t at = sign_extend(sum_of(&a->fixed, run));
        if (guards.first <= a->guard && a->guard < guards.end)
            l->parts[l->count++] = (struct part){at, at + a->size, a->written};
    }
    qsort(l->parts, l->count, sizeof l->parts[0], compare_parts);
    return true;
}

static bool lay_out_all(const struct in_shadow_plan *plan, const struct in_shadow_grid *grid,
                        const struct in_jit_run *run, struct layout *l)
{
    return lay_out(plan, grid, (struct guards){0, grid->guard_count}, run, l);
}

static int64_t magnitude_of(int64_t n)
{
    return n < 0 ? -n : n;
}

/* The variable of the smallest stride, of those that are not DONE and have more than one value; VARIABLES:
 * none. */
static unsigned next_variable(const struct layout *l, const bool *done)
{
    unsigned best = VARIABLES;
    for (unsigned k = 0; k < VARIABLES; k++)
        if (!done[k] && l->variables[k].count > 1 &&
            (best == VARIABLES ||
             magnitude_of(l->variables[k].stride) < magnitude_of(l->variables[best].stride)))
            best = k;
    return best;
}

/* The width of the widest cluster of parts, each of which extends GROWN bytes further.  Parts of different
 * clusters are APART bytes or more from each other.  TOTAL: the width of all parts together. */
static int64_t widest_cluster(const struct layout *l, int64_t grown, int64_t apart, int64_t *total)
{
    int64_t low = l->parts[0].low, high = l->parts[0].high + grown, width = high - low;
    for (unsigned k = 1; k < l->count; k++) {
        const struct part *p = &l->parts[k];
        if (p->low - high >= apart)
            low = p->low;
        high = p->high + grown > high ? p->high + grown : high;
        width = high - low > width ? high - low : width;
    }
    *total = high - l->parts[0].low;
    return width;
}

/* By increasing strides, from that of an id on: each must be at least the width of a cluster of parts, which
 * extend over the variables before.  Clusters are apart by what the variable adds to offsets.  Iterations of
 * one work-item may overlap.  All must be within WRAP. */
static bool is_disjoint(const struct layout *l)
{
    bool done[VARIABLES] = {false}, ids = false;
    int64_t grown = 0, total;
    for (unsigned k; (k = next_variable(l, done)) != VARIABLES; done[k] = true) {
        int64_t stride = magnitude_of(l->variables[k].stride), steps = l->variables[k].count - 1;
        ids |= k < 2 * DIMENSIONS;
        if ((stride == 0 && ids) || (stride != 0 && steps > (WRAP - grown) / stride) ||
            (ids && widest_cluster(l, grown, stride * steps, &total) > stride))
            return false;
        grown += stride * steps;
    }
    widest_cluster(l, grown, 0, &total);
    return total <= WRAP;
}

/* Whether no work-item makes an access.  Loops without iterations may have accesses beside them. */
static bool is_empty(const struct layout *l)
{
    bool empty = false;
    for (unsigned k = 0; k < 2 * DIMENSIONS; k++)
        empty |= l->variables[k].count == 0;
    return empty;
}

/* The bytes of all accesses of PART, for which place_part() was true.  With a MODULUS other than 0, variables
 * whose strides are multiples of it are left out. */
static struct span bytes_of(const struct layout *l, const struct part *part, int64_t modulus)
{
    struct span s = {l->first + part->low, l->first + part->high};
    for (unsigned k = 0; k < VARIABLES; k++) {
        const struct variable *v = &l->variables[k];
        if (v->count > 1 && (modulus == 0 || v->stride % modulus != 0))
            *(v->stride < 0 ? &s.low : &s.high) += v->stride * (v->count - 1);
    }
    return s;
}

/* Adds a multiple of 2^32 to offsets, so that those of PART begin in [-2^31, 2^31).  False: they end beyond
 * 2^32, or are too many. */
static bool place_part(struct layout *l, const struct part *part)
{
    for (unsigned k = 0; k < VARIABLES; k++)
        if (l->variables[k].count > 1 && l->variables[k].stride != 0 &&
            l->variables[k].count - 1 > WRAP / magnitude_of(l->variables[k].stride))
            return false;
    struct span s = bytes_of(l, part, 0);
    l->first += sign_extend((uint64_t)s.low) - s.low;
    return bytes_of(l, part, 0).high <= WRAP;
}

/* Whether the remainders of X and Y, divided by MODULUS, are apart. */
static bool are_apart_modulo(struct span x, struct span y, int64_t modulus)
{
    int64_t distance = (y.low - x.low) % modulus;
    distance += distance < 0 ? modulus : 0;
    return distance >= x.high - x.low && distance + (y.high - y.low) <= modulus;
}

/* Whether parts P of X and Q of Y have no byte in common: all bytes of one are before those of the other, as
 * in rows above a matrix, or before them in each row, as in columns beside it. */
static bool are_parts_apart(struct layout *x, const struct part *p, struct layout *y, const struct part *q)
{
    if (!place_part(x, p) || !place_part(y, q))
        return false;
    struct span a = bytes_of(x, p, 0), b = bytes_of(y, q, 0);
    bool apart = a.high <= b.low || b.high <= a.low;
    for (unsigned k = 0; k < 2 * VARIABLES && !apart; k++) {
        const struct variable *v = &(k < VARIABLES ? x : y)->variables[k % VARIABLES];
        int64_t modulus = magnitude_of(v->stride);
        apart = v->count > 1 && modulus != 0 &&
                are_apart_modulo(bytes_of(x, p, modulus), bytes_of(y, q, modulus), modulus);
    }
    return apart;
}

/* Whether no byte that is written by accesses of one layout is accessed by those of the other. */
static bool are_apart(struct layout *x, struct layout *y)
{
    enum { MOST_PAIRS = 4096 };
    bool apart = x->count * y->count <= MOST_PAIRS;
    if (is_empty(x) || is_empty(y))
        return true;
    for (unsigned k = 0; k < x->count && apart; k++)
        for (unsigned j = 0; j < y->count && apart; j++)
            apart = (!x->parts[k].written && !y->parts[j].written) ||
                    are_parts_apart(x, &x->parts[k], y, &y->parts[j]);
    return apart;
}

/* Whether the same holds of two grids. */
static bool are_grids_apart(const struct in_shadow_plan *plan, const struct in_shadow_grid *g,
                            const struct in_shadow_grid *h, const struct in_jit_run *run)
{
    struct layout x, y;
    bool apart = true;
    for (unsigned k = 0; k < g->guard_count && apart; k++)
        for (unsigned j = 0; j < h->guard_count && apart; j++)
            apart = lay_out(plan, g, (struct guards){k, k + 1}, run, &x) &&
                    lay_out(plan, h, (struct guards){j, j + 1}, run, &y) && are_apart(&x, &y);
    return apart;
}

/* Whether what work-items access in grid NUMBER is disjoint, among them and from grids before. */
static bool does_grid_hold(const struct in_shadow_plan *plan, const struct in_jit_run *run, unsigned number)
{
    const struct in_shadow_grid *g = &plan->grids[number];
    const struct in_object *o = run->launch->arguments[g->argument].object;
    struct layout l;
    if (!is_grid_known(plan, run, g) || !lay_out_all(plan, g, run, &l) || (g->written && !is_disjoint(&l)) ||
        (o && o->size > INT32_MAX))
        return false;
    for (unsigned k = 0; k < number; k++)
        if (plan->grids[k].argument == g->argument && (g->written || plan->grids[k].written) &&
            !are_grids_apart(plan, g, &plan->grids[k], run))
            return false;
    return true;
}

bool in_grids_hold(const struct in_shadow_plan *plan, const struct in_jit_run *run)
{
    for (unsigned k = 0; k < plan->grid_count; k++)
        if (!does_grid_hold(plan, run, k))
            return false;
    return true;
}

bool in_has_grid(const struct in_shadow_plan *plan, uint32_t argument)
{
    bool has = false;
    for (unsigned k = 0; k < plan->grid_count; k++)
        has |= plan->grids[k].argument == argument;
    return has;
}

/* Offsets are those of the layout modulo 2^32, and the argument has less than 2^31 bytes: an interval within
 * [-2^31, 2^32] leads to the argument nowhere else.  False: of all bytes. */
static bool grid_range(const struct in_shadow_plan *plan, const struct in_shadow_grid *grid,
                       const struct in_jit_run *run, struct span *range)
{
    struct layout l;
    if (!lay_out_all(plan, grid, run, &l))
        return false;
    for (unsigned k = 0; k < l.count && !is_empty(&l); k++) {
        if (!l.parts[k].written)
            continue;
        if (!place_part(&l, &l.parts[k]))
            return false;
        struct span s = bytes_of(&l, &l.parts[k], 0);
        range->low = s.low < range->low ? s.low : range->low;
        range->high = s.high > range->high ? s.high : range->high;
    }
    return true;
}

/* What all grids of ARGUMENT write. */
static void grids_range(const struct in_shadow_plan *plan, const struct in_jit_run *run, uint32_t argument,
                        uint64_t *from, uint64_t *to)
{
    struct span range = {(int64_t)*to, 0};
    for (unsigned k = 0; k < plan->grid_count; k++)
        if (plan->grids[k].argument == argument && !grid_range(plan, &plan->grids[k], run, &range))
            return;
    *from = range.low < 0 ? 0 : (uint64_t)range.low < *to ? (uint64_t)range.low : *to;
    *to = range.high < (int64_t)*from ? *from : (uint64_t)range.high < *to ? (uint64_t)range.high : *to;
}

/* Of an argument with parts of one stride.  Offsets are computed modulo 2^32 at least: those below 2^32
 * that are in an argument of less than 2^31 bytes have not wrapped around. */
static void part_range(const struct in_jit_run *run, const struct in_shadow_part *part, uint64_t *from,
                       uint64_t *to)
{
    const struct in_jit_frame *f = &run->frame;
    int64_t width = (int64_t)f->global_size[0];
    int64_t first = (int64_t)f->global_offset[0] + width * (int64_t)f->global_offset[1];
    int64_t last = first + width * (int64_t)f->global_size[1] - 1;
    int64_t low = first * part->stride + part->low, high = last * part->stride + part->high;
    *from = low < 0 ? 0 : (uint64_t)low < *to ? (uint64_t)low : *to;
    *to = high < (int64_t)*from ? *from : (uint64_t)high < *to ? (uint64_t)high : *to;
}

void in_parts_range(const struct in_jit_run *run, uint32_t argument, uint64_t *from, uint64_t *to)
{
    const struct in_shadow_plan *plan = &run->kernel->shape.shadow_plan;
    if (in_has_grid(plan, argument))
        grids_range(plan, run, argument, from, to);
    else
        part_range(run, &plan->parts[argument], from, to);
}
