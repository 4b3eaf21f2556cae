/* Upper bounds on the trip counts of loops that constants, sizes of the launch or arguments determine.
 *
 * Constants are propagated through one loop iteration after the other, from the state in which the loop is
 * entered, until no path leads to the back edge.  Where that does not happen, because the exit depends on
 * what the thread reads, the loop is walked to a fixpoint and its trip count stays unknown.  Loops within are
 * iterated again in each iteration, so a trip count may depend on the iteration of the loop around: the bound
 * is the largest. */
#include "tools/explore/program/fold.h"
#include "tools/explore/program/passes.h"

#include <string.h>

enum { MAX_LOOPS = 64, MAX_TRIPS = 1 << 14, MAX_WALKS = 1 << 16 };

struct loop {
    uint32_t header, last; /* the first and the last of its blocks, which are contiguous */
    bool active, unknown;
    uint32_t trips;
    /* Entry states of the blocks from outside of the loop; NEXT: of the header, in the next iteration. */
    uint8_t *states, *reached, *next;
    uint64_t *values, *next_values;
    bool again; /* NEXT is reached */
};
struct trips {
    struct loop loops[MAX_LOOPS];
    uint32_t count, walks;
};

/* ---- loops ----------------------------------------------------------------------------------------- */

static struct loop *loop_at(struct trips *trips, uint32_t header)
{
    for (uint32_t l = 0; l < trips->count; l++)
        if (trips->loops[l].header == header)
            return &trips->loops[l];
    return NULL;
}

/* False: there are too many. */
static bool find_loops(struct fold *f)
{
    struct trips *trips = f->trips;
    for (uint32_t i = 0; i < f->t->instr_count; i++) {
        const struct ck_instr *instr = &f->t->instrs[i];
        if (!ck_instr_is_jump(instr) || instr->target > i)
            continue;
        struct loop *l = loop_at(trips, f->block_of[instr->target]);
        if (!l && trips->count == MAX_LOOPS)
            return false;
        if (!l)
            l = &trips->loops[trips->count++];
        *l = (struct loop){.header = f->block_of[instr->target], .last = f->block_of[i]};
    }
    /* ranges that overlap in part: the outer one, which begins first, contains the inner one */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < trips->count; a++)
            for (uint32_t b = 0; b < trips->count; b++) {
                struct loop *outer = &trips->loops[a], *inner = &trips->loops[b];
                if (outer->header < inner->header && inner->header <= outer->last &&
                    outer->last < inner->last) {
                    outer->last = inner->last;
                    changed = true;
                }
            }
    }
    return true;
}

static void allocate_states(struct fold *f, struct loop *l)
{
    uint32_t blocks = l->last - l->header + 1;
    l->states = ex_alloc(f->ex, (size_t)blocks * f->regs + 1);
    l->values = ex_alloc(f->ex, ((size_t)blocks * f->regs + 1) * sizeof *l->values);
    l->reached = ex_alloc(f->ex, blocks);
    l->next = ex_alloc(f->ex, f->regs + 1);
    l->next_values = ex_alloc(f->ex, (f->regs + 1) * sizeof *l->next_values);
}

/* ---- states ---------------------------------------------------------------------------------------- */

static void save_states(struct fold *f, struct loop *l)
{
    size_t blocks = l->last - l->header + 1, at = (size_t)l->header * f->regs;
    memcpy(l->states, f->states + at, blocks * f->regs);
    memcpy(l->values, f->values + at, blocks * f->regs * sizeof *l->values);
    memcpy(l->reached, f->reached + l->header, blocks);
}

static void restore_states(struct fold *f, const struct loop *l)
{
    size_t blocks = l->last - l->header + 1, at = (size_t)l->header * f->regs;
    memcpy(f->states + at, l->states, blocks * f->regs);
    memcpy(f->values + at, l->values, blocks * f->regs * sizeof *l->values);
    memcpy(f->reached + l->header, l->reached, blocks);
}

/* The header's state becomes that of the back edges; false: it did not change. */
static bool advance_header(struct fold *f, struct loop *l)
{
    uint8_t *states = l->states;
    uint64_t *values = l->values;
    bool same = true;
    for (uint32_t r = 0; r < f->regs && same; r++)
        same = states[r] == l->next[r] && (states[r] != CONSTANT || values[r] == l->next_values[r]);
    memcpy(states, l->next, f->regs);
    memcpy(values, l->next_values, f->regs * sizeof *values);
    l->reached[0] = 1;
    return !same;
}

void ex_trips_flow(struct fold *f, uint32_t block)
{
    struct loop *l = loop_at(f->trips, block);
    if (!l || !l->active) {
        ex_fold_merge(f, block);
        return;
    }
    ex_fold_join(f, l->next, l->next_values, !l->again);
    l->again = true;
}

/* ---- iterations ------------------------------------------------------------------------------------ */

static void walk_range(struct fold *f, uint32_t first, uint32_t last, const struct loop *within);

/* Walks one iteration; true if it may reach a back edge. */
static bool iterate_loop(struct fold *f, struct loop *l)
{
    restore_states(f, l);
    l->again = false;
    walk_range(f, l->header, l->last, l);
    return l->again;
}

/* Iterates to a fixpoint: the header's state is merged with that of all later iterations. */
static void approximate_loop(struct fold *f, struct loop *l)
{
    l->unknown = true;
    while (iterate_loop(f, l)) {
        memcpy(f->now, l->next, f->regs);
        memcpy(f->now_values, l->next_values, f->regs * sizeof *f->now_values);
        memcpy(l->next, l->states, f->regs);
        memcpy(l->next_values, l->values, f->regs * sizeof *l->values);
        ex_fold_join(f, l->next, l->next_values, false);
        if (!advance_header(f, l))
            break;
    }
}

/* Iterates until no path leads to the back edge.  False: an iteration decides none of its branches (those of
 * inner loops aside) or changes no state, or there are too many iterations. */
static bool is_counted(struct fold *f, struct loop *l)
{
    uint32_t trips = 0;
    for (;; trips++) {
        f->decided = false;
        if (!iterate_loop(f, l))
            break;
        if (!f->decided || trips == MAX_TRIPS || f->trips->walks > MAX_WALKS || !advance_header(f, l))
            return false;
    }
    l->trips = trips > l->trips ? trips : l->trips;
    return true;
}

static void walk_loop(struct fold *f, struct loop *l)
{
    if (!memchr(f->reached + l->header, 1, l->last - l->header + 1))
        return;
    l->active = true;
    save_states(f, l);
    if (l->unknown || !is_counted(f, l))
        approximate_loop(f, l);
    l->active = false;
}

/* Walks blocks in order: each follows its predecessors, back edges aside. */
static void walk_range(struct fold *f, uint32_t first, uint32_t last, const struct loop *within)
{
    for (uint32_t b = first; b <= last && b < f->block_count; b++) {
        struct loop *l = loop_at(f->trips, b);
        bool decided = f->decided;
        if (l && l != within) {
            walk_loop(f, l);
            f->decided = decided;
            b = l->last;
        } else if (f->reached[b]) {
            f->trips->walks++;
            ex_fold_walk(f, b);
        }
    }
}

/* The known trip count of the back edge at instruction I; 0: unknown, or never taken. */
static uint32_t trips_of(const struct fold *f, uint32_t i)
{
    const struct ck_instr *instr = &f->t->instrs[i];
    struct loop *l =
        ck_instr_is_jump(instr) && instr->target <= i ? loop_at(f->trips, f->block_of[instr->target]) : NULL;
    return l && !l->unknown ? l->trips : 0;
}

void ex_count_trips(struct ex *ex)
{
    struct fold f = ex_fold_begin(ex);
    f.trips = ex_alloc(ex, sizeof *f.trips);
    bool counted = find_loops(&f) && f.trips->count > 0;
    for (uint32_t l = 0; counted && l < f.trips->count; l++)
        allocate_states(&f, &f.trips->loops[l]);
    if (counted && f.block_count > 0) {
        f.reached[0] = 1;
        walk_range(&f, 0, f.block_count - 1, NULL);
    }
    for (uint32_t i = 0; counted && i < f.t->instr_count; i++)
        if (ck_instr_is_jump(&f.t->instrs[i]) && f.t->instrs[i].target <= i)
            f.t->instrs[i].trip_count = trips_of(&f, i);
    ex_fold_end(&f);
}
