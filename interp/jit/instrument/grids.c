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
        known &= are_known(run, &grid->counters[k].step) && are_known(run, &grid->counters[k].limit.sum);
    for (unsigned k = 0; k < grid->count; k++)
        known &= are_known(run, &plan->grid_accesses[grid->first + k].fixed);
    for (unsigned k = 0; k < grid->guard_count; k++)
        for (unsigned d = 0; d < DIMENSIONS; d++)
            known &= are_known(run, &grid->guards[k][d].sum);
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

/* Below which global ids of that dimension are where the access executes.  A comparison of 32 bits, or of 64,
 * whose right side is negative or large may be signed or not: it bounds nothing. */
static int64_t limit_of(const struct in_grid_limit *limit, const struct in_jit_run *run, int64_t end)
{
    int64_t value = limit->exists ? grid_number(&limit->sum, limit->wide, run) : -1;
    int64_t bound = value >= 0 ? value + limit->or_equal : end;
    return bound < end ? bound : end;
}

/* How many global ids of DIMENSION any access of GRID is executed for, less those before the launch's
 * offset. */
static int64_t count_ids(const struct in_shadow_grid *grid, const struct in_jit_run *run, unsigned dimension)
{
    int64_t offset = (int64_t)run->frame.global_offset[dimension], most = offset;
    int64_t end = offset + (int64_t)run->frame.global_size[dimension];
    for (unsigned k = 0; k < grid->guard_count; k++) {
        int64_t limit = limit_of(&grid->guards[k][dimension], run, end);
        most = limit > most ? limit : most;
    }
    return most - offset;
}

/* How many iterations make accesses; -1: not known.  If the limit and one more step are below 2^31, no value
 * wraps around, and signed and unsigned comparisons agree. */
static int64_t count_iterations(const struct in_grid_counter *c, const struct in_jit_run *run)
{
    int64_t step = grid_number(&c->step, c->wide, run), limit = limit_of(&c->limit, run, INT32_MAX);
    int64_t span = limit > c->start ? limit - c->start : 0;
    return step <= 0 || limit + step > INT32_MAX ? -1 : (span + step - 1) / step;
}

/* A dimension in which subscripts depend on the global id alone is one variable; else work-group and local id
 * are two. */
static void lay_out_ids(const struct in_shadow_grid *grid, const struct in_jit_run *run, struct layout *l)
{
    for (unsigned k = 0; k < DIMENSIONS; k++) {
        int64_t global = sign_extend(sum_of(&grid->strides[IN_GRID_GLOBAL + k], run));
        int64_t size = (int64_t)run->frame.local_size[k], only = grid->only[k];
        struct variable *v = &l->variables[2 * k];
        l->first += sign_extend((uint64_t)global * run->frame.global_offset[k]);
        v[0] = (struct variable){global, count_ids(grid, run, k)};
        v[1] = (struct variable){0, 1};
        if (grid->strides[IN_GRID_GROUP + k].count + grid->strides[IN_GRID_LOCAL + k].count == 0 && only < 0)
            continue;
        uint64_t group = sum_of(&grid->strides[IN_GRID_GROUP + k], run) + (uint64_t)(global * size);
        int64_t local = sign_extend(sum_of(&grid->strides[IN_GRID_LOCAL + k], run) + (uint64_t)global);
        v[0] = (struct variable){sign_extend(group), (int64_t)run->frame.num_groups[k]};
        v[1] = (struct variable){local, only < 0 ? size : 1};
        l->first += only < 0 ? 0 : sign_extend((uint64_t)(local * only));
    }
}

static int compare_parts(const void *a, const void *b)
{
    int64_t x = ((const struct part *)a)->low, y = ((const struct part *)b)->low;
    return (x > y) - (x < y);
}

/* False: the number of a loop's iterations is not known. */
static bool lay_out(const struct in_shadow_plan *plan, const struct in_shadow_grid *grid,
                    const struct in_jit_run *run, struct layout *l)
{
    l->first = 0;
    l->count = grid->count;
    lay_out_ids(grid, run, l);
    for (unsigned k = 0; k < IN_GRID_COUNTERS; k++) {
        const struct in_grid_sum *stride = &grid->strides[IN_GRID_COUNTER + k];
        struct variable *v = &l->variables[2 * DIMENSIONS + k];
        *v = (struct variable){sign_extend(sum_of(stride, run)),
                               stride->count == 0 ? 1 : count_iterations(&grid->counters[k], run)};
        if (v->count < 0)
            return false;
    }
    for (unsigned k = 0; k < grid->count; k++) {
        const struct in_grid_access *a = &plan->grid_accesses[grid->first + k];
        int64_t at = sign_extend(sum_of(&a->fixed, run));
        l->parts[k] = (struct part){at, at + a->size};
    }
    qsort(l->parts, l->count, sizeof l->parts[0], compare_parts);
    return true;
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

bool in_grids_hold(const struct in_shadow_plan *plan, const struct in_jit_run *run)
{
    for (unsigned k = 0; k < plan->grid_count; k++) {
        struct layout l;
        const struct in_object *o = run->launch->arguments[plan->grids[k].argument].object;
        if (!is_grid_known(plan, run, &plan->grids[k]) || !lay_out(plan, &plan->grids[k], run, &l) ||
            !is_disjoint(&l) || (o && o->size > INT32_MAX))
            return false;
    }
    return true;
}

const struct in_shadow_grid *in_grid_of(const struct in_shadow_plan *plan, uint32_t argument)
{
    for (unsigned k = 0; k < plan->grid_count; k++)
        if (plan->grids[k].argument == argument)
            return &plan->grids[k];
    return NULL;
}

/* Offsets are those of the layout modulo 2^32, and the argument has less than 2^31 bytes: an interval within
 * [-2^31, 2^32] leads to the argument nowhere else. */
static void grid_range(const struct in_shadow_plan *plan, const struct in_shadow_grid *grid,
                       const struct in_jit_run *run, uint64_t *from, uint64_t *to)
{
    struct layout l;
    int64_t total;
    if (!lay_out(plan, grid, run, &l))
        return;
    widest_cluster(&l, 0, 0, &total);
    int64_t low = l.first + l.parts[0].low, high = low + total;
    for (unsigned k = 0; k < VARIABLES; k++)
        if (l.variables[k].count > 1)
            *(l.variables[k].stride < 0 ? &low : &high) += l.variables[k].stride * (l.variables[k].count - 1);
    if (low < INT32_MIN || high > WRAP)
        return;
    *from = low < 0 ? 0 : (uint64_t)low < *to ? (uint64_t)low : *to;
    *to = high < (int64_t)*from ? *from : (uint64_t)high < *to ? (uint64_t)high : *to;
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
    const struct in_shadow_grid *grid = in_grid_of(plan, argument);
    if (grid)
        grid_range(plan, grid, run, from, to);
    else
        part_range(run, &plan->parts[argument], from, to);
}
