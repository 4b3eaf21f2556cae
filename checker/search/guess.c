/* Unconstrained initial values that decide addresses: for example an uninitialized counter in local memory
 * that numbers the elements of an array.
 *
 * Where the value of one location is only moved, added to and used as an index, each access stays in its
 * object for an interval of values.  Two values in the same intervals have the same executions, up to the
 * index in the array, so one value between any two adjacent bounds suffices.  Objects with other accesses, or
 * with unequal elements, distinguish indices: there each value of the interval is tried.  The accesses are
 * those of the traces under each value tried, until a fixpoint.  docs/search.md#unconstrained-memory */
#include "checker/search/internal.h"

#include <string.h>

enum { MOST_GUESSES = 128 };

/* How a value depends on the unknown one: as a multiple by a constant factor (0: not at all), in another way
 * (OTHER), or not determined yet (UNSET). */
static const uint64_t UNSET = UINT64_MAX, OTHER = UINT64_MAX - 1, MOST_FACTOR = UINT64_C(1) << 24;

struct sx_guess {
    uint32_t object; /* whose value is unknown; values of other objects decide nothing */
    uint64_t *objects, **regs, **addresses; /* factors: by object; by thread, then by register, instruction */
    uint64_t values[MOST_GUESSES];
    uint32_t count, first, end; /* values to try now: from FIRST up to END */
    bool collecting, changed, failed;
};

/* ---- dependence on the unknown value -------------------------------------------------------------- */

static uint64_t scale_factor(uint64_t factor, unsigned size, uint64_t by)
{
    if (factor == 0 || factor >= OTHER || by == 1)
        return factor;
    return size == 8 && by != 0 && by < MOST_FACTOR && factor * by < MOST_FACTOR ? factor * by : OTHER;
}

static uint64_t factor_of(const struct ck_program *p, uint32_t expr, const uint64_t *regs)
{
    const struct ck_expr *e = &p->exprs[expr];
    const unsigned operands = ck_expr_operands(e->op);
    uint64_t a, b = 0, c = 0, known;

    if (e->op == CK_CONST)
        return 0;
    if (e->op == CK_REG)
        return regs[e->imm];
    a = factor_of(p, e->a, regs);
    if (operands > 1)
        b = factor_of(p, e->b, regs);
    if (operands > 2)
        c = factor_of(p, e->c, regs);
    if (a == UNSET || b == UNSET || c == UNSET)
        return UNSET;
    if (a == 0 && b == 0 && c == 0)
        return 0;
    known = operands > 1 ? p->exprs[e->b].imm : 0;
    switch (e->op) {
    case CK_ADD:
        return a == 0 ? b : b == 0 ? a : OTHER;
    case CK_SUB:
        return b == 0 ? a : OTHER;
    case CK_MUL:
        if (p->exprs[e->a].op == CK_CONST)
            return scale_factor(b, e->size, p->exprs[e->a].imm);
        return p->exprs[e->b].op == CK_CONST ? scale_factor(a, e->size, known) : OTHER;
    case CK_SHL:
        return p->exprs[e->b].op == CK_CONST && known < 24 ? scale_factor(a, e->size, UINT64_C(1) << known)
                                                           : OTHER;
    case CK_ZEXT:
    case CK_SEXT:
        return a == 1 ? 1 : OTHER;
    default:
        return OTHER;
    }
}

static void factor_join(struct sx_guess *g, uint64_t *what, uint64_t factor)
{
    uint64_t before = *what;

    if (factor == UNSET || before == factor)
        return;
    *what = before == UNSET ? factor : OTHER;
    g->changed = g->changed || *what != before;
}

/* The factor of what an access reads: CK_NO_OBJECT represents any object. */
static uint64_t factor_held(const struct sx_guess *g, const struct ck_program *p, uint32_t object)
{
    uint64_t factor = object == CK_NO_OBJECT ? 0 : g->objects[object];

    for (uint32_t o = 0; o < p->object_count && object == CK_NO_OBJECT; o++)
        factor = g->objects[o] != 0 ? OTHER : factor;
    return factor;
}

static void factor_store(struct sx_guess *g, const struct ck_program *p, uint32_t object, uint64_t factor)
{
    for (uint32_t o = 0; o < p->object_count; o++) {
        if (o == object || object == CK_NO_OBJECT)
            factor_join(g, &g->objects[o], factor);
    }
}

static void follow_access(struct sx_guess *g, const struct ck_program *p, uint32_t thread,
                          const struct ck_instr *i, uint64_t *at)
{
    uint64_t *regs = g->regs[thread], address = factor_of(p, i->address, regs);
    uint32_t object = ck_program_base(p, i->address);
    uint64_t read = factor_held(g, p, object), operand = 0;

    if (address != UNSET)
        *at = address;
    if (i->op != CK_LOAD)
        operand = factor_of(p, i->value, regs);
    if (i->op == CK_CAS && (read != 0 || factor_of(p, i->expected, regs) != 0))
        g->failed = true;
    if (i->op != CK_STORE && i->reg != CK_NO_REG)
        factor_join(g, &regs[i->reg], read);
    if (i->op == CK_CAS && i->reg2 != CK_NO_REG)
        factor_join(g, &regs[i->reg2], 0);
    if (i->op == CK_RMW && i->rmw != CK_RMW_XCHG && (read != 0 || operand != 0)) {
        bool sums = operand == 0 && (i->rmw == CK_RMW_ADD || i->rmw == CK_RMW_SUB);

        operand = operand == UNSET ? UNSET : sums ? read : OTHER;
    }
    if (i->op != CK_LOAD)
        factor_store(g, p, object, operand);
}

static void follow_instr(struct sx_guess *g, const struct ck_program *p, uint32_t thread, uint32_t at)
{
    const struct ck_instr *i = &p->threads[thread].instrs[at];
    uint64_t *regs = g->regs[thread], factor;

    switch (i->op) {
    case CK_ASSIGN:
        factor_join(g, &regs[i->reg], factor_of(p, i->value, regs));
        break;
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        follow_access(g, p, thread, i, &g->addresses[thread][at]);
        break;
    case CK_BRANCH:
    case CK_ASSUME:
    case CK_ASSERT:
    case CK_BARRIER:
        factor = i->value == CK_NO_EXPR ? 0 : factor_of(p, i->value, regs);
        g->failed = g->failed || (factor != 0 && factor != UNSET);
        break;
    default:
        break;
    }
}

static struct sx_guess *guess_allocate(struct sx *sx, uint32_t object)
{
    const struct ck_program *p = sx->program;
    struct sx_guess *g = mm_arena_alloc(sx->arena, sizeof *g);

    if (!g)
        return NULL;
    *g = (struct sx_guess){.object = object, .changed = true};
    g->objects = mm_arena_alloc(sx->arena, (p->object_count + 1) * sizeof *g->objects);
    g->regs = mm_arena_alloc(sx->arena, (p->thread_count + 1) * sizeof *g->regs);
    g->addresses = mm_arena_alloc(sx->arena, (p->thread_count + 1) * sizeof *g->addresses);
    if (!g->objects || !g->regs || !g->addresses)
        return NULL;
    for (uint32_t o = 0; o < p->object_count; o++)
        g->objects[o] = o == object ? 1 : p->objects[o].uninitialized ? OTHER : 0;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct ck_thread *thread = &p->threads[t];

        g->regs[t] = mm_arena_alloc(sx->arena, (thread->reg_count + 1) * sizeof(uint64_t));
        g->addresses[t] = mm_arena_alloc(sx->arena, (thread->instr_count + 1) * sizeof(uint64_t));
        if (!g->regs[t] || !g->addresses[t])
            return NULL;
        memset(g->regs[t], 0xFF, (thread->reg_count + 1) * sizeof(uint64_t));
    }
    return g;
}

/* Whether every address that depends on the unknown value does so by a factor, within a known object, and the
 * value decides nothing else. */
static bool is_guess_applicable(const struct sx_guess *g, const struct ck_program *p)
{
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            uint64_t factor = g->addresses[t][i];

            if (factor == OTHER ||
                (factor != 0 && ck_program_base(p, p->threads[t].instrs[i].address) == CK_NO_OBJECT))
                return false;
        }
    }
    return !g->failed;
}

static bool has_aliases(const struct ck_program *p)
{
    for (uint32_t o = 0; o < p->object_count; o++) {
        if (p->objects[o].alias_of != o)
            return true;
    }
    return false;
}

bool sx_find_guess(struct sx *sx)
{
    const struct ck_program *p = sx->program;

    for (uint32_t o = 0; o < p->object_count && !sx->guess; o++) {
        struct sx_guess *g;

        if (!p->kernel || !sx->unknown.controls || !p->objects[o].uninitialized || has_aliases(p))
            continue;
        g = guess_allocate(sx, o);
        if (!g)
            return false;
        while (g->changed) {
            g->changed = false;
            for (uint32_t t = 0; t < p->thread_count; t++) {
                for (uint32_t i = 0; i < p->threads[t].instr_count; i++)
                    follow_instr(g, p, t, i);
            }
        }
        if (is_guess_applicable(g, p))
            sx->guess = g;
    }
    return true;
}

/* ---- values to try ------------------------------------------------------------------------------- */

bool sx_is_guess(const struct sx *sx, const struct sx_location *l, uint64_t value)
{
    const struct sx_guess *g = sx->guess;

    for (uint32_t i = g->first; i < g->end && l->object == g->object; i++) {
        if ((g->values[i] & sx_mask(l->size)) == value)
            return true;
    }
    return l->object != g->object && (value == 0 || (value == 1 && sx->unknown.observed));
}

bool sx_add_guesses(struct sx *sx, struct sx_location *l)
{
    const struct sx_guess *g = sx->guess;
    bool ok = true;

    for (uint32_t i = g->first; i < g->end && l->object == g->object && ok; i++)
        ok = sx_add_value(sx, l, g->values[i] & sx_mask(l->size));
    for (uint64_t value = 0; value <= sx->unknown.observed && l->object != g->object && ok; value++)
        ok = sx_add_value(sx, l, value);
    return ok;
}

/* Values count modulo 2^32: the unknown location has four bytes (one_location). */
static void add_guess(struct sx_guess *g, uint64_t value)
{
    value &= UINT32_MAX;
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->values[i] == value)
            return;
    }
    if (g->count == MOST_GUESSES)
        g->failed = true;
    else
        g->values[g->count++] = value;
}

static bool is_uniform(const struct ck_object *o)
{
    for (uint64_t i = 1; o->initial && i < o->size / o->element_size; i++) {
        if (o->initial[i] != o->initial[0])
            return false;
    }
    return true;
}

/* Whether accesses with FACTOR cannot distinguish the elements of object O. */
static bool is_even(const struct sx *sx, uint32_t o, uint64_t factor)
{
    const struct ck_program *p = sx->program;

    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (p->observed[i].kind == CK_TERM_MEMORY && p->observed[i].object == o)
            return false;
    }
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            const struct ck_instr *instr = &p->threads[t].instrs[i];
            bool access = ck_instr_is_access(instr);
            uint32_t base = access ? ck_program_base(p, instr->address) : 0;

            if (access && (base == o || base == CK_NO_OBJECT) && sx->guess->addresses[t][i] != factor)
                return false;
        }
    }
    return is_uniform(&p->objects[o]);
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

void sx_note_address(struct sx *sx, uint32_t thread, uint32_t pc, uint64_t address)
{
    const struct ck_instr *i = &sx->program->threads[thread].instrs[pc];
    struct sx_guess *g = sx->guess;
    int64_t factor = (int64_t)g->addresses[thread][pc], here, first, last;
    uint32_t o = factor ? ck_program_base(sx->program, i->address) : 0;

    if (factor == 0 || !g->collecting || sx->program->objects[o].size < i->size)
        return;
    here = (int64_t)g->values[g->first];
    first = here - floor_quotient((int64_t)(address - CK_OBJECT_BASE(o)), factor);
    last =
        here + floor_quotient((int64_t)(CK_OBJECT_BASE(o) + sx->program->objects[o].size - i->size - address),
                              factor);
    add_guess(g, (uint64_t)(first - 1));
    add_guess(g, (uint64_t)first);
    add_guess(g, (uint64_t)last);
    add_guess(g, (uint64_t)(last + 1));
    for (int64_t v = first; v < last && !g->failed && !is_even(sx, o, (uint64_t)factor); v++)
        add_guess(g, (uint64_t)v);
}

/* ---- the passes ---------------------------------------------------------------------------------- */

/* One location of the object is used, as a whole, and narrower than addresses. */
static bool one_location(const struct sx *sx)
{
    uint32_t count = 0;

    for (uint32_t l = 0; l < sx->values.location_count; l++) {
        bool unknown = sx->values.locations[l].object == sx->guess->object;

        count += unknown;
        if (unknown && sx->values.locations[l].size != sizeof(uint32_t))
            return false;
    }
    return count == 1 && sx->values.cut_count == 0;
}

bool sx_settle_guess(struct sx *sx, bool (*find_traces)(struct sx *sx))
{
    struct sx_guess *g = sx->guess;

    g->collecting = true;
    add_guess(g, 0);
    for (uint32_t i = 0; i < g->count && !g->failed; i++) {
        g->first = i;
        g->end = i + 1;
        if (!find_traces(sx))
            return false;
        g->failed = g->failed || !one_location(sx);
    }
    g->collecting = false;
    g->first = 0;
    g->end = g->count;
    if (g->failed)
        sx->guess = NULL;
    else
        sx->unknown.computed = false;
    return true;
}
