/* Programs with inputs: one search for each assignment of values to the inputs that its executions access.
 *
 * An input gets a value when an execution under the present assignment first accesses it; inputs that decide
 * nothing get one value.  docs/search.md#inputs */
#include "checker/search/internal.h"

#include "memmodel/base/array.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DOMAIN = 4096 };      /* values of an input, if all are tried */
enum { MOST_SAMPLES = 32 };       /* values of other inputs that are tried */
enum { MOST_SEARCHES = 1 << 16 }; /* assignments */
enum { MOST_STEPS = 1 << 16 };    /* choices of values to satisfy the requirements of the rest */
enum { MOST_ROUNDS = 16 };        /* of narrowing domains by requirements */

/* The values to try: LOW + 0 up to LOW + SPAN, or, SAMPLED, some of them. */
struct domain {
    uint64_t low, span;
    bool sampled;
    uint32_t count;
    uint64_t samples[MOST_SAMPLES];
};
struct requirement {
    uint32_t expr, count, *inputs;
};
struct assignment {
    struct sx *sx; /* the question */
    const struct ck_program *p;
    struct ck_program program; /* with the present values */
    struct domain *domains;
    bool *chosen, *open; /* by input: it has a value for the present search; the search asks for one */
    uint64_t *values;
    struct requirement *requirements;
    struct sx_inputs inputs;
    uint64_t *constants;
    uint32_t constant_count;
    uint32_t searches, verdicts;
    uint64_t steps;
    bool stop, exhausted; /* the answers are incomplete; and nothing more is tried */
};

/* ---- domains ------------------------------------------------------------------------------------ */

static bool is_allowed(const struct ck_input *in, uint64_t value)
{
    return ((value - in->low) & sx_mask(in->size)) <= in->span;
}

/* The numbers that a term has in 64 bits, as long as the term is a constant or an extended input. */
struct interval {
    int64_t low, high;
    uint32_t input; /* CK_NO_INPUT: a constant */
    bool is_signed; /* extended by its sign */
};

static bool read_interval(const struct assignment *a, uint32_t expr, struct interval *v)
{
    const struct ck_expr *e = &a->p->exprs[expr], *reg = e;
    const struct domain *d;
    uint8_t size;

    *v = (struct interval){.low = (int64_t)e->imm, .high = (int64_t)e->imm, .input = CK_NO_INPUT};
    if (e->size != 8 || e->op == CK_CONST)
        return e->size == 8;
    if (e->op == CK_SEXT || e->op == CK_ZEXT)
        reg = &a->p->exprs[e->a];
    if (reg->op != CK_REG)
        return false;
    v->input = (uint32_t)reg->imm;
    v->is_signed = e->op != CK_ZEXT;
    size = a->p->inputs[v->input].size;
    d = &a->domains[v->input];
    if (d->span == sx_mask(size))
        v->low = v->is_signed ? ck_sign_extend(sx_mask(size) / 2 + 1, size) : 0;
    else
        v->low = v->is_signed ? ck_sign_extend(d->low, size) : (int64_t)d->low;
    if (__builtin_add_overflow(v->low, d->span, &v->high))
        return false;
    return v->is_signed ? v->high == ck_sign_extend((uint64_t)v->high & sx_mask(size), size)
                        : v->low >= 0 && (uint64_t)v->high <= sx_mask(size);
}

/* Reduces the domain of V's input to numbers from LEAST to MOST. */
static bool narrow_domain(struct assignment *a, const struct interval *v, int64_t least, int64_t most)
{
    int64_t low = least > v->low ? least : v->low, high = most < v->high ? most : v->high;
    struct domain *d = v->input == CK_NO_INPUT ? NULL : &a->domains[v->input];

    if (!d || low > high ||
        (low == v->low && high == v->high)) /* empty: the requirement rejects each value */
        return false;
    d->low = (uint64_t)low & sx_mask(a->p->inputs[v->input].size);
    d->span = (uint64_t)high - (uint64_t)low;
    return true;
}

/* Reduces domains by a requirement that compares two intervals; true if some domain has changed. */
static bool narrow_by(struct assignment *a, uint32_t expr)
{
    const struct ck_expr *e = &a->p->exprs[expr];
    struct interval x, y;
    int64_t strict = e->op == CK_SLT;
    bool changed;

    if ((e->op != CK_EQ && e->op != CK_SLT && e->op != CK_SLE) || !read_interval(a, e->a, &x) ||
        !read_interval(a, e->b, &y) || x.input == y.input)
        return false;
    if (e->op == CK_EQ) {
        changed = narrow_domain(a, &x, y.low, y.high);
        return narrow_domain(a, &y, x.low, x.high) || changed;
    }
    changed = y.high != INT64_MIN && narrow_domain(a, &x, INT64_MIN, y.high - strict);
    return (x.low != INT64_MAX && narrow_domain(a, &y, x.low + strict, INT64_MAX)) || changed;
}

static void add_sample(const struct ck_input *in, struct domain *d, uint64_t value)
{
    value &= sx_mask(in->size);
    for (uint32_t i = 0; i < d->count; i++)
        if (d->samples[i] == value)
            return;
    if (d->count < MOST_SAMPLES && is_allowed(in, value) && ((value - d->low) & sx_mask(in->size)) <= d->span)
        d->samples[d->count++] = value;
}

static void add_samples(const struct assignment *a, uint32_t i)
{
    const struct ck_input *in = &a->p->inputs[i];
    struct domain *d = &a->domains[i];

    d->sampled = d->span >= MOST_DOMAIN;
    for (uint64_t k = 0; k < 2 && d->sampled; k++) {
        add_sample(in, d, k);
        add_sample(in, d, d->low + k);
        add_sample(in, d, d->low + d->span - k);
    }
    for (uint32_t c = 0; c < a->constant_count && d->sampled; c++)
        for (uint64_t k = 0; k < 3; k++)
            add_sample(in, d, a->constants[c] + k - 1);
}

static void make_domains(struct assignment *a)
{
    bool changed = true;

    for (uint32_t i = 0; i < a->p->input_count; i++)
        a->domains[i] = (struct domain){.low = a->p->inputs[i].low, .span = a->p->inputs[i].span};
    for (unsigned round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t r = 0; r < a->p->requirement_count; r++)
            changed = narrow_by(a, a->p->requirements[r]) || changed;
    }
    for (uint32_t i = 0; i < a->p->input_count; i++)
        add_samples(a, i);
}

static uint64_t domain_size(const struct domain *d)
{
    return d->sampled ? d->count : d->span + 1;
}

static uint64_t domain_value(const struct assignment *a, uint32_t i, uint64_t k)
{
    const struct domain *d = &a->domains[i];

    return d->sampled ? d->samples[k] : (d->low + k) & sx_mask(a->p->inputs[i].size);
}

/* ---- requirements ------------------------------------------------------------------------------- */

static bool add_mentioned(struct assignment *a, struct requirement *r, uint32_t expr)
{
    const struct ck_expr *e = &a->p->exprs[expr];
    unsigned operands = ck_expr_operands(e->op);
    uint32_t input = (uint32_t)e->imm;

    for (uint32_t i = 0; e->op == CK_REG && i < r->count; i++)
        if (r->inputs[i] == input)
            return true;
    if (e->op == CK_REG)
        return mm_arena_append(a->sx->arena, &r->inputs, &r->count, &input);
    return (operands < 1 || add_mentioned(a, r, e->a)) && (operands < 2 || add_mentioned(a, r, e->b)) &&
           (operands < 3 || add_mentioned(a, r, e->c));
}

static uint32_t count_unassigned(const struct assignment *a, const struct requirement *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (!a->chosen[r->inputs[i]])
            return r->inputs[i];
    return CK_NO_INPUT;
}

static bool is_satisfied(const struct assignment *a, const struct requirement *r)
{
    return ck_eval_expr(a->p, r->expr, a->values) != 0;
}

static bool is_rejected(const struct assignment *a)
{
    for (uint32_t r = 0; r < a->p->requirement_count; r++)
        if (count_unassigned(a, &a->requirements[r]) == CK_NO_INPUT && !is_satisfied(a, &a->requirements[r]))
            return true;
    return false;
}

/* Gives values to inputs that requirements from number R on mention and that have none.  NO: there are none;
 * UNKNOWN: none was found. */
static enum ck_answer satisfy_requirements(struct assignment *a, uint32_t r)
{
    enum ck_answer found = CK_NO;
    uint32_t i;

    while (r < a->p->requirement_count && (i = count_unassigned(a, &a->requirements[r])) == CK_NO_INPUT &&
           is_satisfied(a, &a->requirements[r]))
        r++;
    if (r == a->p->requirement_count)
        return CK_YES;
    if (i == CK_NO_INPUT)
        return CK_NO;
    if (++a->steps > MOST_STEPS)
        return CK_UNKNOWN;
    a->chosen[i] = true;
    for (uint64_t k = 0; k < domain_size(&a->domains[i]) && found == CK_NO; k++) {
        a->values[i] = domain_value(a, i, k);
        found = satisfy_requirements(a, r);
    }
    if (found != CK_YES)
        a->chosen[i] = false;
    return found == CK_NO && a->domains[i].sampled ? CK_UNKNOWN : found;
}

/* ---- verdicts ----------------------------------------------------------------------------------- */

/* Of two sets of executions: whether some has a property; whether all have it. */
static enum ck_answer some_answer(enum ck_answer a, enum ck_answer b)
{
    return a == CK_YES || b == CK_YES ? CK_YES : a && b ? CK_NO : CK_UNKNOWN;
}

static enum ck_answer all_answer(enum ck_answer a, enum ck_answer b)
{
    return a == CK_NO || b == CK_NO ? CK_NO : a && b ? CK_YES : CK_UNKNOWN;
}

static bool shows_flag(const struct ck_verdict *v, const struct ck_execution *x)
{
    for (size_t i = 0; i < v->shown_count; i++) {
        const struct ck_execution *y = &v->shown[i];

        if (x->shows == y->shows && (x->shows != CK_SHOWS_FLAG || strcmp(x->flag, y->flag) == 0))
            return true;
    }
    return false;
}

static bool add_flags(struct ck_verdict *v, const struct ck_verdict *from)
{
    const char **flags = mm_arena_alloc(v->arena, (v->flag_count + from->flag_count + 1) * sizeof *v->flags);
    size_t count = v->flag_count;

    if (!flags)
        return false;
    if (count)
        memcpy(flags, v->flags, count * sizeof *flags);
    for (size_t i = 0; i < from->flag_count; i++) {
        bool known = false;

        for (size_t k = 0; k < v->flag_count; k++)
            known = known || strcmp(v->flags[k], from->flags[i]) == 0;
        if (!known)
            flags[count++] = from->flags[i];
    }
    v->flags = flags;
    v->flag_count = count;
    return true;
}

/* Executions first: they depend on the states known before. */
static bool add_findings(struct assignment *a, const struct ck_verdict *from)
{
    struct ck_verdict *v = a->sx->verdict;
    bool ok = true;

    for (size_t i = 0; i < from->shown_count && ok; i++) {
        const struct ck_execution *x = &from->shown[i];
        bool known =
            x->shows == CK_SHOWS_STATE ? ck_verdict_find_state(v, a->p, x->values) != NULL : shows_flag(v, x);

        ok = known || mm_arena_append(v->arena, &v->shown, &v->shown_count, x);
    }
    for (size_t i = 0; i < from->state_count && ok; i++) {
        struct ck_state *s = ck_verdict_find_state(v, a->p, from->states[i].values);

        if (s)
            s->racy = s->racy || from->states[i].racy;
        else
            ok = mm_arena_append(v->arena, &v->states, &v->state_count, &from->states[i]);
    }
    return ok && add_flags(v, from);
}

/* The first of each piece of evidence is kept. */
static void add_evidence(struct ck_verdict *v, const struct ck_verdict *from)
{
    v->execution_count += from->execution_count;
    v->candidate_count += from->candidate_count;
    if (!v->race_witness.axiom)
        v->race_witness = from->race_witness;
    if (!v->violation_count) {
        v->violations = from->violations;
        v->violation_count = from->violation_count;
    }
    sx_adopt_evidence(v, from);
    if (v->witness_count)
        v->violation_count = 0;
}

static bool merge_verdict(struct assignment *a, const struct ck_verdict *from)
{
    struct ck_verdict *v = a->sx->verdict;
    bool exists = a->p->quantifier == CK_EXISTS;

    a->verdicts++;
    v->condition =
        exists ? some_answer(v->condition, from->condition) : all_answer(v->condition, from->condition);
    v->race = some_answer(v->race, from->race);
    v->usage = some_answer(v->usage, from->usage);
    if (a->p->kernel) {
        v->divergence = some_answer(v->divergence, from->divergence);
        v->termination = all_answer(v->termination, from->termination);
    }
    v->states_complete = v->states_complete && from->states_complete;
    add_evidence(v, from);
    return add_findings(a, from);
}

static void begin_verdict(struct assignment *a)
{
    struct ck_verdict *v = a->sx->verdict;

    v->condition = a->p->quantifier == CK_EXISTS ? CK_NO : CK_YES;
    v->race = v->usage = CK_NO;
    v->divergence = a->p->kernel ? CK_NO : CK_UNKNOWN;
    v->termination = a->p->kernel ? CK_YES : CK_UNKNOWN;
    v->states_complete = true;
}

/* Answers that other assignments might change become unknown. */
static void weaken_answers(struct assignment *a)
{
    struct ck_verdict *v = a->sx->verdict;
    bool exists = a->p->quantifier == CK_EXISTS;

    v->condition = exists ? some_answer(v->condition, CK_UNKNOWN) : all_answer(v->condition, CK_UNKNOWN);
    v->race = some_answer(v->race, CK_UNKNOWN);
    v->usage = some_answer(v->usage, CK_UNKNOWN);
    v->divergence = some_answer(v->divergence, CK_UNKNOWN);
    v->termination = all_answer(v->termination, CK_UNKNOWN);
    v->states_complete = false;
}

static void end_verdict(struct assignment *a)
{
    struct ck_verdict *v = a->sx->verdict;

    ck_verdict_sort_states(v, a->p);
    if (a->stop)
        weaken_answers(a);
    else if (a->verdicts == 0 || (v->state_count == 0 && v->states_complete)) {
        if (a->verdicts == 0 && !v->limit.cls)
            mm_fail(&v->limit, MM_LIMIT, "vacuous", "no input satisfies the requirements");
        if (!a->sx->options.accept_vacuous)
            ck_verdict_vacuous(a->p, v);
    }
}

/* ---- assignments -------------------------------------------------------------------------------- */

/* The answers stay incomplete: the first reason is kept. */
static void give_up(struct assignment *a, const char *rule, const char *message)
{
    if (!a->sx->verdict->limit.cls)
        mm_fail(&a->sx->verdict->limit, MM_LIMIT, rule, "%s", message);
    a->stop = true;
}

/* Notes that not all values of input I are tried. */
static void note_sample(struct assignment *a, uint32_t i)
{
    char message[200];

    snprintf(message, sizeof message,
             "limit reached: %u values of an element of the input %.80s (give a range, or use --engine z3)",
             MOST_DOMAIN, a->p->objects[a->p->inputs[i].object].name);
    give_up(a, "search.inputs", message);
}

static void put_values(struct assignment *a)
{
    for (uint32_t i = 0; i < a->p->input_count; i++) {
        const struct ck_input *in = &a->p->inputs[i];
        uint64_t *initial = (uint64_t *)(uintptr_t)a->program.objects[in->object].initial;

        initial[in->offset / in->size] = a->chosen[i] ? a->values[i] : a->domains[i].low;
    }
}

static enum mm_class explore_assignments(struct assignment *a);

static enum mm_class explore_values(struct assignment *a, uint32_t i)
{
    enum mm_class r = MM_OK;

    if (a->domains[i].sampled)
        note_sample(a, i);
    a->chosen[i] = true;
    a->open[i] = false;
    for (uint64_t k = 0; k < domain_size(&a->domains[i]) && !r && !a->exhausted; k++) {
        a->values[i] = domain_value(a, i, k);
        r = explore_assignments(a);
    }
    a->chosen[i] = false;
    a->open[i] = true;
    return r;
}

/* One search under the present assignment, of an input that it wants in *WANTED. */
static enum mm_class search_once(struct assignment *a, uint32_t *wanted)
{
    struct ck_verdict v = {.arena = a->sx->verdict->arena};
    struct sx sx = {.program = &a->program,
                    .model = a->sx->model,
                    .options = a->sx->options,
                    .verdict = &v,
                    .err = a->sx->err,
                    .limits.deadline_us = a->sx->limits.deadline_us,
                    .limits.wall_deadline_us = a->sx->limits.wall_deadline_us,
                    .inputs = &a->inputs,
                    .split = a->sx->split};
    enum mm_class r;

    sx.options.accept_vacuous = true;
    a->inputs.wanted = CK_NO_INPUT;
    a->searches++;
    put_values(a);
    r = sx_search(&sx);
    *wanted = a->inputs.wanted;
    if (!r && *wanted == CK_NO_INPUT && !merge_verdict(a, &v))
        r = mm_out_of_memory(a->sx->err);
    return r;
}

/* All assignments that extend the present one. */
static enum mm_class explore_assignments(struct assignment *a)
{
    uint32_t n = a->p->input_count, wanted = CK_NO_INPUT;
    bool *chosen;
    enum ck_answer satisfiable;
    enum mm_class r = MM_OK;

    if (a->searches >= MOST_SEARCHES || !sx_in_bounds(a->sx)) {
        give_up(a, "search.inputs", "limit reached: 65536 assignments of values to inputs");
        a->exhausted = true;
        return MM_OK;
    }
    if (is_rejected(a))
        return MM_OK;
    chosen = mm_alloc(n + 1);
    if (!chosen)
        return mm_out_of_memory(a->sx->err);
    memcpy(chosen, a->chosen, n);
    a->steps = 0;
    satisfiable = satisfy_requirements(a, 0);
    if (satisfiable == CK_YES)
        r = search_once(a, &wanted);
    else if (satisfiable == CK_UNKNOWN)
        give_up(a, "search.inputs", "limit reached: no values were found that satisfy the requirements");
    memcpy(a->chosen, chosen, n);
    mm_free(chosen);
    return r || wanted == CK_NO_INPUT ? r : explore_values(a, wanted);
}

/* Objects with inputs hold their values. */
static bool copy_objects(struct assignment *a)
{
    const struct ck_program *p = a->p;

    a->program = *p;
    a->program.objects = mm_arena_alloc(a->sx->arena, p->object_count * sizeof *p->objects);
    if (!a->program.objects)
        return false;
    memcpy(a->program.objects, p->objects, p->object_count * sizeof *p->objects);
    for (uint32_t o = 0; o < p->object_count; o++) {
        struct ck_object *object = &a->program.objects[o];

        if (a->inputs.first[o] == CK_NO_INPUT)
            continue;
        object->uninitialized = false;
        object->initial =
            mm_arena_alloc(a->sx->arena, object->size / object->element_size * sizeof(uint64_t));
        if (!object->initial)
            return false;
    }
    return true;
}

static bool prepare_assignment(struct assignment *a)
{
    struct mm_arena *arena = a->sx->arena;
    const struct ck_program *p = a->p;
    uint32_t n = p->input_count, *first = mm_arena_alloc(arena, p->object_count * sizeof *first);

    a->domains = mm_arena_alloc(arena, n * sizeof *a->domains);
    a->chosen = mm_arena_alloc(arena, n);
    a->open = mm_arena_alloc(arena, n);
    a->values = mm_arena_alloc(arena, n * sizeof *a->values);
    a->requirements = mm_arena_alloc(arena, (p->requirement_count + 1) * sizeof *a->requirements);
    if (!first || !a->domains || !a->chosen || !a->open || !a->values || !a->requirements ||
        !sx_collect_constants(a->sx))
        return false;
    a->constants = a->sx->values.constants;
    a->constant_count = a->sx->values.constant_count;
    a->inputs = (struct sx_inputs){.first = first, .open = a->open};
    for (uint32_t r = 0; r < p->requirement_count; r++) {
        a->requirements[r].expr = p->requirements[r];
        if (!add_mentioned(a, &a->requirements[r], p->requirements[r]))
            return false;
    }
    for (uint32_t o = 0; o < p->object_count; o++) {
        bool decisive;

        first[o] = ck_program_first_input(p, o);
        decisive = first[o] != CK_NO_INPUT && (p->vulkan || sx_is_decisive(a->sx, o));
        for (uint32_t i = first[o]; i < n && p->inputs[i].object == o; i++)
            a->open[i] = decisive;
    }
    make_domains(a);
    return copy_objects(a);
}

enum mm_class sx_search_inputs(struct sx *sx)
{
    struct assignment a = {.sx = sx, .p = sx->program};
    enum mm_class r;

    sx->arena = mm_arena_create();
    if (sx->arena && prepare_assignment(&a)) {
        begin_verdict(&a);
        r = explore_assignments(&a);
        end_verdict(&a);
    } else {
        r = mm_out_of_memory(sx->err);
    }
    mm_arena_destroy(sx->arena);
    return r;
}
