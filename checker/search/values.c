/* The possible values of each location, and the traces under them: a fixpoint.
 *
 * A value is possible if it is initial or some trace stores it, where loads return possible values.  The
 * least such sets lack values that only justify each other (load buffering over data or control
 * dependencies, out-of-thin-air values), which a model may allow.  The sets therefore start with what stores
 * could write: the constants of constant stores and, where the stored value is computed, all constants of
 * program and condition.  Then values that no trace stores are removed until a fixpoint.  A value that no
 * chain of stores grounds can be any value at all: the constants are those considered.
 * docs/search.md#values */
#include "checker/search/internal.h"

#include "memmodel/base/array.h"

#include <string.h>

enum { MAX_ROUNDS = 100 }; /* iterations of the fixpoint over the values of a kernel */

static uint32_t find_value(const struct sx_location *l, uint64_t value)
{
    uint32_t i;

    mm_partition(i, l->value_count, l->values[i] < value);
    return i;
}

bool sx_add_value(struct sx *sx, struct sx_location *l, uint64_t value)
{
    uint32_t at = find_value(l, value);

    if (at < l->value_count && l->values[at] == value)
        return true;
    if (l->value_count == SX_MAX_VALUES) {
        sx_limit(sx, "search.values", "limit reached: 1024 possible values of a location");
        return false;
    }
    if (l->value_count == l->value_capacity) {
        uint32_t capacity = l->value_capacity ? l->value_capacity * 2 : 8;
        uint64_t *values = mm_arena_alloc(sx->arena, capacity * sizeof *values);
        uint8_t *stored = mm_arena_alloc(sx->arena, capacity);
        uint32_t *costs = mm_arena_alloc(sx->arena, capacity * sizeof *costs);

        if (!values || !stored || !costs)
            return sx_out_of_memory(sx);
        if (l->value_count) {
            memcpy(values, l->values, l->value_count * sizeof *values);
            memcpy(stored, l->stored, l->value_count);
            memcpy(costs, l->costs, l->value_count * sizeof *costs);
        }
        l->costs = costs;
        l->values = values;
        l->stored = stored;
        l->value_capacity = capacity;
    }
    memmove(l->values + at + 1, l->values + at, (l->value_count - at) * sizeof *l->values);
    memmove(l->stored + at + 1, l->stored + at, l->value_count - at);
    memmove(l->costs + at + 1, l->costs + at, (l->value_count - at) * sizeof *l->costs);
    l->values[at] = value;
    l->stored[at] = 0;
    l->costs[at] = 0;
    l->value_count++;
    return true;
}

bool sx_note_store(struct sx *sx, uint32_t location, uint64_t value, uint32_t cost)
{
    struct sx_location *l = &sx->values.locations[location];
    const struct sx_fresh fresh = {.value = value, .cost = cost};
    uint32_t at = find_value(l, value);

    if (at < l->value_count && l->values[at] == value) {
        l->stored[at] = 1;
        if (cost < l->costs[at]) {
            l->costs[at] = cost;
            sx->iteration.costs_changed = true;
        }
        return true;
    }
    for (uint32_t i = 0; i < l->fresh_count; i++) {
        if (l->fresh[i].value != value)
            continue;
        if (cost < l->fresh[i].cost)
            l->fresh[i].cost = cost;
        return true;
    }
    if (l->fresh_count == SX_MAX_VALUES)
        return true; /* found again in the next iteration */
    return mm_arena_append(sx->arena, &l->fresh, &l->fresh_count, &fresh) || sx_out_of_memory(sx);
}

/* ---- initial sets ------------------------------------------------------------------------------- */

bool sx_has_register(const struct ck_program *p, uint32_t expr)
{
    const struct ck_expr *e = &p->exprs[expr];
    unsigned operands = ck_expr_operands(e->op);

    return e->op == CK_REG || (operands > 0 && sx_has_register(p, e->a)) ||
           (operands > 1 && sx_has_register(p, e->b)) || (operands > 2 && sx_has_register(p, e->c));
}

static void add_constant(struct sx *sx, uint64_t value)
{
    for (uint32_t i = 0; i < sx->values.constant_count; i++) {
        if (sx->values.constants[i] == value)
            return;
    }
    sx->values.constants[sx->values.constant_count++] = value;
}

/* Adds EXPR if it is a constant; of those of 8 bytes that may be addresses, only what values are COMPARED
 * with. */
static void add_expr_constant(struct sx *sx, const struct ck_expr *expr, bool compared)
{
    bool address = expr->size == 8 && expr->imm >= CK_OBJECT_BASE(0);

    if (expr->op == CK_CONST && (compared || !address))
        add_constant(sx, expr->imm & sx_mask(expr->size));
}

bool sx_collect_constants(struct sx *sx)
{
    const struct ck_program *p = sx->program;

    sx->values.constants =
        mm_arena_alloc(sx->arena, (p->expr_count + 2 * (size_t)p->prop_count + 1) * sizeof(uint64_t));
    if (!sx->values.constants)
        return false;
    for (uint32_t i = 0; i < p->expr_count; i++) {
        const struct ck_expr *e = &p->exprs[i];

        add_expr_constant(sx, e, false);
        if (e->op >= CK_EQ && e->op <= CK_SLE) {
            add_expr_constant(sx, &p->exprs[e->a], true);
            add_expr_constant(sx, &p->exprs[e->b], true);
        }
    }
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            if (p->threads[t].instrs[i].op == CK_CAS)
                add_expr_constant(sx, &p->exprs[p->threads[t].instrs[i].expected], true);
        }
    }
    for (uint32_t i = 0; i < p->prop_count; i++) {
        if (p->props[i].op != CK_PROP_COMPARE)
            continue;
        if (p->props[i].left.kind == CK_TERM_CONST)
            add_constant(sx, p->props[i].left.value);
        if (p->props[i].right.kind == CK_TERM_CONST)
            add_constant(sx, p->props[i].right.value);
    }
    return true;
}

/* Adds what instruction I, whose access begins BEFORE bytes before location L, may write there even if no
 * chain of stores leads to that value. */
static bool seed_location(struct sx *sx, struct sx_location *l, const struct ck_instr *i, unsigned before)
{
    const struct ck_program *p = sx->program;
    uint64_t mask = sx_mask(l->size);

    if ((i->op != CK_RMW || i->rmw == CK_RMW_XCHG) && !sx_has_register(p, i->value))
        return sx_add_value(sx, l, ck_eval_expr(p, i->value, NULL) >> 8 * before & mask);
    sx->iteration.computed = true;
    if (!sx->iteration.ungrounded || (p->kernel && i->order == MM_ORDER_NONE))
        return true;
    l->shared = true; /* a read in the thread that alone has reached it may read such a value */
    for (uint32_t c = 0; c < sx->values.constant_count; c++) {
        if (!sx_add_value(sx, l, sx->values.constants[c] >> 8 * before & mask))
            return false;
    }
    return true;
}

/* The same for an address that is not known: anywhere in the location's object. */
static bool seed_anywhere(struct sx *sx, struct sx_location *l, const struct ck_instr *i)
{
    for (unsigned before = 0; before + l->size <= i->size; before += l->size) {
        if (!seed_location(sx, l, i, before))
            return false;
    }
    return true;
}

static bool seed_instr(struct sx *sx, const struct ck_instr *i)
{
    const struct ck_program *p = sx->program;
    bool fault;
    uint32_t object, locations[SX_PIECES], base;
    unsigned count;

    if (!ck_instr_is_access(i))
        return true;
    base = ck_program_base(p, i->address);
    if (sx_has_register(p, i->address)) {
        /* The access may write to every known location of its object. */
        for (uint32_t l = 0; l < sx->values.location_count && i->op != CK_LOAD; l++) {
            if ((base == CK_NO_OBJECT || sx->values.locations[l].object == p->objects[base].alias_of) &&
                !seed_anywhere(sx, &sx->values.locations[l], i))
                return false;
        }
        return true;
    }
    count = sx_locate(sx, ck_eval_expr(p, i->address, NULL), i->size, &object, &fault, locations);
    if (count == 0)
        return fault;
    for (unsigned k = 0; k < count && i->op != CK_LOAD; k++) {
        struct sx_location *l = &sx->values.locations[locations[k]];

        if (!seed_location(sx, l, i, l->offset - sx->values.locations[locations[0]].offset))
            return false;
    }
    return true;
}

/* Constant addresses first, so that stores through computed ones find the locations. */
static bool seed_values(struct sx *sx)
{
    const struct ck_program *p = sx->program;

    for (int computed = 0; computed < 2; computed++) {
        for (uint32_t t = 0; t < p->thread_count; t++) {
            for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
                const struct ck_instr *instr = &p->threads[t].instrs[i];
                bool access = ck_instr_is_access(instr);

                if (access && sx_has_register(p, instr->address) == (computed == 1) && !seed_instr(sx, instr))
                    return false;
            }
        }
    }
    return true;
}

/* ---- dependencies between locations ------------------------------------------------------------- */

/* Whether instruction I of T is executed or not according to values read: some branch comes before it, or
 * a loop leads back over it. */
static bool is_conditional(const struct ck_thread *t, uint32_t i)
{
    for (uint32_t k = 0; k < t->instr_count; k++) {
        bool jump = ck_instr_is_jump(&t->instrs[k]);

        if (k < i && (jump || t->instrs[k].op == CK_ASSUME || t->instrs[k].op == CK_ASSERT))
            return true;
        if (k >= i && jump && t->instrs[k].target <= i)
            return true;
    }
    return false;
}

/* The values that a thread writes may depend on all that it reads; a read-modify-write by a constant that
 * is always executed depends on its own location alone. */
static void add_feeds(struct sx *sx, const struct ck_thread *t, const uint32_t *location)
{
    const struct ck_program *p = sx->program;
    uint32_t n = sx->values.feeds_count;

    for (uint32_t i = 0; i < t->instr_count; i++) {
        const struct ck_instr *to = &t->instrs[i];
        bool all;

        if (!ck_instr_is_access(to) || to->op == CK_LOAD || location[i] == MM_CAT_NO_LOCATION)
            continue;
        all = sx_has_register(p, to->value) || (to->op == CK_RMW && is_conditional(t, i));
        if (to->op == CK_RMW)
            mm_rel_add(n, sx->values.feeds, location[i], location[i]);
        for (uint32_t k = 0; all && k < t->instr_count; k++) {
            if (ck_instr_is_access(&t->instrs[k]) && t->instrs[k].op != CK_STORE &&
                location[k] != MM_CAT_NO_LOCATION)
                mm_rel_add(n, sx->values.feeds, location[k], location[i]);
        }
    }
}

/* Only where every address is a constant: then all locations are known before threads run. */
static bool find_feeds(struct sx *sx)
{
    const struct ck_program *p = sx->program;
    uint32_t longest = 0, n = sx->values.location_count;
    uint32_t *location;
    bool pieces = false;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct ck_thread *thread = &p->threads[t];

        longest = thread->instr_count > longest ? thread->instr_count : longest;
        for (uint32_t i = 0; i < thread->instr_count; i++) {
            if (ck_instr_is_access(&thread->instrs[i]) && sx_has_register(p, thread->instrs[i].address))
                return true;
        }
    }
    location = mm_arena_alloc(sx->arena, (longest + 1) * sizeof *location);
    sx->values.feeds = mm_arena_alloc(sx->arena, (mm_rel_size(n, MM_CAT_REL) + 1) * sizeof *sx->values.feeds);
    if (!location || !sx->values.feeds)
        return false;
    sx->values.feeds_count = n;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct ck_thread *thread = &p->threads[t];

        for (uint32_t i = 0; i < thread->instr_count; i++) {
            uint32_t object, locations[SX_PIECES];
            bool fault;
            unsigned count = 0;

            location[i] = MM_CAT_NO_LOCATION;
            if (ck_instr_is_access(&thread->instrs[i]))
                count = sx_locate(sx, ck_eval_expr(p, thread->instrs[i].address, NULL),
                                  thread->instrs[i].size, &object, &fault, locations);
            if (count == 1)
                location[i] = locations[0];
            else if (count > 1)
                pieces = true;
        }
        add_feeds(sx, thread, location);
    }
    if (pieces)
        sx->values.feeds = NULL;
    else
        mm_rel_star(n, sx->values.feeds, sx->values.feeds);
    return true;
}

/* A grounded value is the end of a chain of different stores, each to a location that feeds the next: the
 * maximum length of a chain to location L. */
static uint32_t longest_chain(const struct sx *sx, uint32_t l)
{
    uint32_t length = 0;

    for (uint32_t k = 0; k < sx->values.location_count; k++) {
        if (!sx->values.feeds || k >= sx->values.feeds_count || l >= sx->values.feeds_count ||
            mm_rel_has(sx->values.feeds_count, sx->values.feeds, k, l))
            length += sx->values.locations[k].writes;
    }
    return length;
}

/* ---- fixpoint ----------------------------------------------------------------------------------- */

/* All values of a kernel are grounded: a value that takes more writes to its location than an execution has
 * is unreachable. */
static bool add_fresh_value(struct sx *sx, struct sx_location *l, uint32_t i, bool *changed)
{
    uint64_t value = l->fresh[i].value;

    if (sx->program->kernel && l->fresh[i].cost > l->writes)
        return true;
    *changed = true;
    if (!sx_add_value(sx, l, value))
        return false;
    if (sx->program->kernel)
        l->costs[find_value(l, value)] = l->fresh[i].cost;
    return true;
}

static bool add_fresh(struct sx *sx, uint32_t round, bool *changed)
{
    *changed = sx->iteration.costs_changed;
    for (uint32_t l = 0; l < sx->values.location_count; l++) {
        struct sx_location *location = &sx->values.locations[l];

        if (!sx->program->kernel && round >= longest_chain(sx, l))
            continue;
        for (uint32_t i = 0; i < location->fresh_count; i++) {
            if (!add_fresh_value(sx, location, i, changed))
                return false;
        }
    }
    if (sx->program->kernel && *changed && round > MAX_ROUNDS) {
        sx_limit(sx, "search.values", "limit reached: 100 iterations of the value fixpoint");
        *changed = false;
    }
    return true;
}

static bool drop_unsupported(struct sx *sx)
{
    bool changed = false;

    for (uint32_t l = 0; l < sx->values.location_count; l++) {
        struct sx_location *location = &sx->values.locations[l];
        uint32_t kept = 0;

        for (uint32_t i = 0; i < location->value_count; i++) {
            if (location->stored[i] || location->values[i] == location->initial ||
                (location->unconstrained && sx_is_candidate(sx, location, location->values[i]))) {
                location->costs[kept] = location->costs[i];
                location->values[kept++] = location->values[i];
            }
        }
        changed = changed || kept != location->value_count;
        location->value_count = kept;
    }
    return changed;
}

static bool find_traces(struct sx *sx)
{
    bool changed = true;

    sx->values.location_count = 0;
    sx->values.feeds = NULL;
    sx->iteration.cuts_changed = false;
    if (!sx_add_observed(sx) || !seed_values(sx))
        return false;
    if (!find_feeds(sx))
        return sx_out_of_memory(sx);
    for (uint32_t round = 0; changed; round++) {
        uint32_t locations = sx->values.location_count;

        if (!sx_run_threads(sx) || !add_fresh(sx, round, &changed))
            return false;
        changed = changed || locations != sx->values.location_count || sx->iteration.sharing_changed;
    }
    while (drop_unsupported(sx) || sx->iteration.sharing_changed) {
        if (!sx_run_threads(sx))
            return false;
    }
    return true;
}

static bool find_all_traces(struct sx *sx)
{
    do {
        if (find_traces(sx))
            return true;
    } while (sx->iteration.cuts_changed && !sx->limited);
    return false;
}

bool sx_find_traces(struct sx *sx)
{
    sx->iteration.ungrounded = !sx->program->kernel || sx_may_have_thin_air(sx);
    if (!sx_collect_constants(sx) || !sx_find_unconstrained(sx) || !sx_find_guess(sx))
        return sx_out_of_memory(sx);
    return (!sx->guess || sx_settle_guess(sx, find_all_traces)) && find_all_traces(sx);
}
