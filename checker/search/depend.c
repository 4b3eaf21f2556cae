/* Dependencies of values on reads, through registers and memory, and the out-of-thin-air executions that they
 * exclude.
 *
 * Dependencies of a program include control dependencies.  Those of an execution do not: search tries
 * constants wherever a store may write one. */
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
    const struct sx_location *l = &sx->values.locations[location];
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

/* ---- programs ----------------------------------------------------------------------------------- */

/* Data flow between objects: some thread may write the second depending on what it read from the first. */
struct object_flow {
    const struct ck_program *program;
    uint32_t n;
    uint64_t *depends; /* by register of the thread: a set of reads */
    uint64_t *relation, *atomic;
};

static uint64_t depends_on(const struct object_flow *h, uint32_t expr)
{
    return expr == CK_NO_EXPR ? 0 : sx_depends(h->program, expr, h->depends);
}

/* Numbers the reads of thread T; the last number represents all further ones. */
static uint64_t number_of_read(const struct ck_thread *t, uint32_t i)
{
    uint32_t number = 0;

    for (uint32_t k = 0; k < i && number < SX_MANY; k++)
        number += ck_instr_reads(&t->instrs[k]);
    return (uint64_t)1 << number;
}

/* The reads that decide whether instruction I of T is executed. */
static uint64_t control_reads(const struct object_flow *h, const struct ck_thread *t, uint32_t i)
{
    uint64_t set = 0;

    for (uint32_t k = 0; k < t->instr_count; k++) {
        const struct ck_instr *branch = &t->instrs[k];
        bool earlier = k < i;

        if (branch->op != CK_BRANCH && branch->op != CK_ASSUME && branch->op != CK_ASSERT)
            continue;
        for (uint32_t back = k; back < t->instr_count && !earlier; back++) {
            bool jump = ck_instr_is_jump(&t->instrs[back]);

            earlier = jump && t->instrs[back].target <= i; /* a later iteration executes I */
        }
        if (earlier)
            set |= depends_on(h, branch->value);
    }
    return set;
}

/* The registers of T, in any order of its instructions. */
static void find_register_sources(struct object_flow *h, const struct ck_thread *t)
{
    bool changed = true;

    memset(h->depends, 0, (t->reg_count + 1) * sizeof *h->depends);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < t->instr_count; i++) {
            const struct ck_instr *instr = &t->instrs[i];
            uint32_t targets[2] = {instr->reg, instr->op == CK_CAS ? instr->reg2 : CK_NO_REG};
            uint64_t set;

            if (instr->op != CK_ASSIGN && !ck_instr_reads(instr))
                continue;
            set = instr->op == CK_ASSIGN ? depends_on(h, instr->value) | control_reads(h, t, i)
                                         : number_of_read(t, i) | depends_on(h, instr->address);
            if (instr->op == CK_CAS)
                set |= depends_on(h, instr->expected);
            for (int k = 0; k < 2; k++) {
                if (targets[k] == CK_NO_REG || (h->depends[targets[k]] | set) == h->depends[targets[k]])
                    continue;
                h->depends[targets[k]] |= set;
                changed = true;
            }
        }
    }
}

/* Adds the flow by instruction I of T, a write.  False: to or from an object that is not known. */
static bool add_object_flow(struct object_flow *h, const struct ck_thread *t, uint32_t i)
{
    const struct ck_program *p = h->program;
    const struct ck_instr *to = &t->instrs[i];
    uint32_t object = ck_program_base(p, to->address);
    uint64_t set = depends_on(h, to->value) | depends_on(h, to->address) | control_reads(h, t, i);

    if (to->op == CK_CAS)
        set |= depends_on(h, to->expected);
    for (uint32_t k = 0; k < t->instr_count && set; k++) {
        const struct ck_instr *from = &t->instrs[k];
        bool same_address = k == i || (from->address == to->address && !sx_has_register(p, to->address));
        uint32_t source;

        if (!ck_instr_reads(from) || !(set & number_of_read(t, k)) || same_address)
            continue;
        source = ck_program_base(p, from->address);
        if (source == CK_NO_OBJECT || object == CK_NO_OBJECT)
            return false;
        mm_rel_add(h->n, h->relation, p->objects[source].alias_of, p->objects[object].alias_of);
    }
    return true;
}

static bool find_object_flow(struct object_flow *h)
{
    const struct ck_program *p = h->program;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct ck_thread *thread = &p->threads[t];

        find_register_sources(h, thread);
        for (uint32_t i = 0; i < thread->instr_count; i++) {
            const struct ck_instr *instr = &thread->instrs[i];
            uint32_t object = ck_instr_is_access(instr) ? ck_program_base(p, instr->address) : CK_NO_OBJECT;

            if (object != CK_NO_OBJECT && instr->order != MM_ORDER_NONE)
                mm_set_add(h->atomic, p->objects[object].alias_of);
            if (ck_instr_writes(instr) && !add_object_flow(h, thread, i))
                return false;
        }
    }
    return true;
}

bool sx_may_have_thin_air(struct sx *sx)
{
    const struct ck_program *p = sx->program;
    struct object_flow h = {.program = p, .n = p->object_count};
    uint32_t registers = 0;
    bool found = false;

    for (uint32_t t = 0; t < p->thread_count; t++)
        registers = p->threads[t].reg_count > registers ? p->threads[t].reg_count : registers;
    h.depends = mm_alloc(((size_t)registers + 1) * sizeof *h.depends);
    h.relation = mm_alloc_zero(mm_rel_size(h.n, MM_CAT_REL) + 1, sizeof *h.relation);
    h.atomic = mm_alloc_zero(mm_rel_words(h.n) + 1, sizeof *h.atomic);
    if (!h.depends || !h.relation || !h.atomic || !find_object_flow(&h)) {
        found = true;
    } else {
        mm_rel_plus(h.n, h.relation, h.relation);
        for (uint32_t o = 0; o < h.n && !found; o++)
            found = mm_set_has(h.atomic, o) && mm_rel_has(h.n, h.relation, o, o);
    }
    mm_free(h.depends);
    mm_free(h.relation);
    mm_free(h.atomic);
    return found;
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
            if (e->data_depends >> number & 1)
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
    memcpy(cause, x->bounds.rf_lower, words * sizeof *cause);
    add_data(x, cause);
    cyclic = !mm_rel_acyclic(x->n, cause, cause + words);
    mm_free(cause);
    return cyclic;
}

static bool is_unconstrained(const struct sx *sx, uint32_t event)
{
    const struct mm_cat_event *e = &sx->exec->events[event];

    return e->init && sx->values.locations[e->location].unconstrained;
}

/* The events whose values depend on unconstrained initial ones. */
static bool find_tainted(const struct sx *sx, uint64_t *tainted)
{
    struct sx_exec *x = sx->exec;
    size_t words = mm_rel_size(x->n, MM_CAT_REL);
    uint64_t *from = mm_alloc((words + 1) * sizeof *from);

    if (!from)
        return false;
    memcpy(from, x->bounds.rf_lower, words * sizeof *from);
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
        for (uint32_t l = 0; l < sx->values.location_count && t->kind == CK_TERM_MEMORY && !found; l++)
            found = x->init_of[l] != MM_CAT_NO_EVENT && sx_is_observed(sx, i, l) &&
                    mm_set_has(tainted, x->final_write[l]);
    }
    mm_free(tainted);
    return found;
}
