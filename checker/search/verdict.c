/* The verdict: final states of consistent executions, the condition, flags. */
#include "checker/search/exec.h"

#include <string.h>

/* ---- propositions ------------------------------------------------------------------------------- */

struct operand {
    uint64_t value;
    unsigned size;
    bool is_signed, is_constant;
};

static bool same_term(const struct ck_term *a, const struct ck_term *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == CK_TERM_REG ? a->thread == b->thread && a->reg == b->reg
                                  : a->object == b->object && a->offset == b->offset && a->size == b->size;
}

static struct operand read_term(const struct ck_program *p, const struct ck_term *t,
                                const uint64_t *const *regs, const uint64_t *memory)
{
    struct operand o = {0};

    switch (t->kind) {
    case CK_TERM_CONST:
        return (struct operand){.value = t->value, .size = 8, .is_signed = true, .is_constant = true};
    case CK_TERM_REG:
        o.value = regs[t->thread][t->reg];
        o.size = p->threads[t->thread].reg_sizes[t->reg];
        o.is_signed = p->threads[t->thread].reg_signed[t->reg];
        break;
    case CK_TERM_MEMORY:
        for (uint32_t i = 0; i < p->observed_count; i++) {
            if (same_term(&p->observed[i], t))
                o.value = memory[i];
        }
        o.size = ck_term_size(p, t);
        o.is_signed = p->objects[t->object].is_signed;
        break;
    }
    return o;
}

static uint64_t extend_operand(const struct operand *o)
{
    uint64_t sign = (uint64_t)1 << (8 * o->size - 1);

    return o->is_signed && (o->value & sign) ? o->value | ~sx_mask(o->size) : o->value;
}

/* A constant takes the type of what it is compared with: -1 equals an unsigned register of all ones. */
static void convert_constant(struct operand *constant, const struct operand *other)
{
    uint64_t high = constant->value | sx_mask(other->size);

    if (!constant->is_constant || other->is_constant || other->is_signed || high != ~(uint64_t)0)
        return;
    constant->value &= sx_mask(other->size);
}

static bool compare_terms(const struct ck_program *p, const struct ck_prop *q, const uint64_t *const *regs,
                          const uint64_t *memory)
{
    struct operand left = read_term(p, &q->left, regs, memory), right = read_term(p, &q->right, regs, memory);
    uint64_t a, b;

    convert_constant(&left, &right);
    convert_constant(&right, &left);
    a = extend_operand(&left);
    b = extend_operand(&right);
    switch (q->compare) {
    case CK_EQ:
        return a == b;
    case CK_NE:
        return a != b;
    case CK_SLT:
        return (int64_t)a < (int64_t)b;
    default:
        return (int64_t)a <= (int64_t)b;
    }
}

bool sx_holds(const struct ck_program *program, uint32_t prop, const uint64_t *const *regs,
              const uint64_t *memory)
{
    const struct ck_prop *q = &program->props[prop];

    switch (q->op) {
    case CK_PROP_TRUE:
        return true;
    case CK_PROP_AND:
        return sx_holds(program, q->a, regs, memory) && sx_holds(program, q->b, regs, memory);
    case CK_PROP_OR:
        return sx_holds(program, q->a, regs, memory) || sx_holds(program, q->b, regs, memory);
    case CK_PROP_NOT:
        return !sx_holds(program, q->a, regs, memory);
    case CK_PROP_COMPARE:
        return compare_terms(program, q, regs, memory);
    }
    return false;
}

/* ---- states ------------------------------------------------------------------------------------- */

static uint64_t final_value(const struct sx *sx, uint32_t i)
{
    const struct sx_exec *x = sx->exec;
    const struct ck_term *t = &sx->program->observed[i];
    uint64_t value = 0;

    for (uint32_t l = 0; l < sx->values.location_count; l++) {
        const struct sx_location *location = &sx->values.locations[l];

        if (!sx_is_observed(sx, i, l))
            continue;
        if (location->offset >= t->offset)
            value |= x->infos[x->final_write[l]].value << (8 * (location->offset - t->offset));
        else
            value |= x->infos[x->final_write[l]].value >> (8 * (t->offset - location->offset));
    }
    return value & sx_mask(ck_term_size(sx->program, t));
}

/* The writes that coherence puts last. */
static void find_final_writes(struct sx *sx)
{
    struct sx_exec *x = sx->exec;

    for (uint32_t l = 0; l < sx->values.location_count; l++)
        x->final_write[l] = x->init_of[l];
    for (uint32_t w = 0; w < x->writes.count; w++)
        x->final_write[x->events[x->writes.event[w]].location] = x->writes.event[w];
}

static void fill_state(struct sx *sx)
{
    const struct ck_program *p = sx->program;

    for (uint32_t i = 0; i < p->observed_count; i++) {
        const struct ck_term *t = &p->observed[i];

        if (t->kind == CK_TERM_MEMORY)
            sx->exec->memory[i] = final_value(sx, i);
        else
            sx->exec->memory[i] = t->kind == CK_TERM_REG ? sx->exec->regs[t->thread][t->reg] : t->value;
    }
}

void sx_final_state(struct sx *sx)
{
    find_final_writes(sx);
    fill_state(sx);
}

/* The state in x->memory; NULL when out of memory. */
static struct ck_state *find_state(struct sx *sx)
{
    size_t known = sx->verdict->state_count;
    struct ck_state *s = sx_find_state(sx, sx->exec->memory);

    if (s && sx->verdict->state_count > known)
        s->satisfies = sx_holds(sx->program, sx->program->condition, sx->exec->regs, sx->exec->memory);
    return s;
}

/* ---- executions --------------------------------------------------------------------------------- */

/* Some execution exceeds the bound of the loop with the back edge BEYOND. */
static void note_bound(struct sx *sx, const struct ck_instr *beyond)
{
    char message[sizeof sx->verdict->limit.message];

    ck_bound_message(sx->program, &sx->options, beyond ? beyond->line : 0, message, sizeof message);
    sx_limit(sx, "search.bound", message);
}

static void record_early_ends(struct sx *sx)
{
    struct sx_exec *x = sx->exec;

    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        enum sx_end end = x->chosen[t]->end;

        if (end == SX_DONE || end == SX_WAIT || end == SX_LEFT)
            continue;
        if (end == SX_FAULT && !sx->seen.raised[end - 1])
            sx_keep_execution(sx, CK_SHOWS_OUT_OF_BOUNDS, NULL, NULL);
        sx->seen.raised[end - 1] = true;
        if (end == SX_BOUND)
            note_bound(sx, x->chosen[t]->beyond);
    }
}

static bool reads_uninitialized(struct sx *sx)
{
    struct sx_exec *x = sx->exec;

    for (uint32_t r = 0; r < x->reads.count; r++) {
        uint32_t w = x->reads.source[r];

        if (x->events[w].init && sx->values.locations[x->events[w].location].unconstrained)
            return true;
    }
    return false;
}

/* Keeps what raises flag I, of a race rather than of another flag. */
static void explain_flag(struct sx *sx, uint32_t i)
{
    const char *kept = sx->verdict->race_witness.axiom;

    if (sx->options.explain &&
        (!kept || (!ck_flag_is_race(kept) && ck_flag_is_race(sx->model->checks[i].name))))
        sx_keep_race(sx, i);
}

/* Evaluates the model's flags; true if there is a race. */
static bool raise_flags(struct sx *sx)
{
    bool race = false;

    for (uint32_t i = 0; i < sx->model->check_count; i++) {
        if (!sx->model->checks[i].flag || i == sx->final_check || mm_cat_eval_fails(sx->eval, i))
            continue;
        race = race || ck_flag_is_race(sx->model->checks[i].name);
        if (sx->seen.flags[i])
            continue;
        sx->seen.flags[i] = 1;
        sx_keep_execution(sx, CK_SHOWS_FLAG, NULL, sx->model->checks[i].name);
        explain_flag(sx, i);
    }
    return race;
}

bool sx_flags_open(const struct sx *sx)
{
    for (uint32_t i = 0; i < sx->model->check_count; i++) {
        if (sx->model->checks[i].flag && i != sx->final_check && !sx->seen.flags[i])
            return true;
    }
    return false;
}

/* Whether READ belongs to the repeated iteration of a loop that never terminates. */
static bool repeats_forever(const struct sx_exec *x, uint32_t read)
{
    const struct sx_trace *t = x->events[read].init ? NULL : x->chosen[x->events[read].thread];

    return t && t->end == SX_WAIT && !t->stopped && x->infos[read].event >= t->events + t->wait_from;
}

bool sx_may_repeat(const struct sx *sx, uint32_t chosen)
{
    const struct sx_exec *x = sx->exec;

    for (uint32_t r = 0; r < x->reads.count; r++) {
        if ((r >= chosen && x->reads.source_count[r] != 1) || !repeats_forever(x, x->reads.event[r]))
            continue;
        for (uint32_t w = 0; w < x->n; w++) {
            if (mm_rel_has(x->n, x->bounds.co_lower, x->reads.source[r], w))
                return false;
        }
    }
    return true;
}

/* One final state of the execution. */
static void accept_state(struct sx *sx, const bool *racy)
{
    struct sx_exec *x = sx->exec;
    size_t known = sx->verdict->state_count;
    struct ck_state *state;

    fill_state(sx);
    if (sx->program->filter != CK_NO_EXPR && !sx_holds(sx->program, sx->program->filter, x->regs, x->memory))
        return;
    if (sx->unknown.observed && !sx->seen.unconstrained_state)
        sx->seen.unconstrained_state = sx_ends_unconstrained(sx);
    if (sx->unknown.computed && reads_uninitialized(sx))
        sx_limit(sx, "search.uninitialized", "an execution reads uninitialized memory");
    if (sx->iteration.computed && sx->iteration.ungrounded && !sx->seen.thin_air)
        sx->seen.thin_air = sx_has_thin_air(sx);
    sx->verdict->execution_count++;
    state = find_state(sx);
    if (!state) {
        sx_stop_without_memory(sx);
        return;
    }
    if (sx->verdict->state_count > known)
        sx_keep_execution(sx, CK_SHOWS_STATE, state->values, NULL);
    if (state->satisfies && sx->options.explain && sx->verdict->witness_count == 0)
        sx_keep_witness(sx);
    if (racy ? *racy : (!state->racy || sx_flags_open(sx)) && raise_flags(sx))
        state->racy = true;
    x->states.known_racy = state->racy;
}

/* Final values where coherence leaves them open, from location L on: a write may be final if the model orders
 * no other one after it. */
static void list_states(struct sx *sx, uint32_t l, const uint64_t *order, const bool *racy)
{
    struct sx_exec *x = sx->exec;
    bool observed = false;

    for (; l < sx->values.location_count && !observed; l++) {
        for (uint32_t i = 0; i < sx->program->observed_count && x->init_of[l] != MM_CAT_NO_EVENT; i++)
            observed = observed || sx_is_observed(sx, i, l);
    }
    if (!observed) {
        accept_state(sx, racy);
        return;
    }
    l--;
    uint64_t seen[64];
    uint32_t seen_count = 0;

    for (uint32_t a = 0; a < x->n && !sx->stop; a++) {
        bool last = x->events[a].write && x->events[a].location == l;

        for (uint32_t b = 0; b < x->n && last; b++) {
            if (b != a && x->events[b].write && x->events[b].location == l &&
                (mm_rel_has(x->n, order, a, b) || mm_rel_has(x->n, x->bounds.co_lower, a, b)))
                last = false;
        }
        for (uint32_t k = 0; k < seen_count && last; k++)
            last = seen[k] != x->infos[a].value;
        if (!last)
            continue;
        if (seen_count < 64)
            seen[seen_count++] = x->infos[a].value;
        x->final_write[l] = a;
        list_states(sx, l + 1, order, racy);
    }
}

/* Whether executions with the same traces differ in nothing but the flags that they raise. */
static bool adds_one_state(const struct sx *sx)
{
    const struct ck_program *p = sx->program;
    bool one = p->kernel && !sx->unknown.present && sx->exec->ending <= SX_PARTIAL;

    for (uint32_t i = 0; i < p->observed_count && one; i++)
        one = p->observed[i].kind != CK_TERM_MEMORY;
    return one;
}

/* An execution with a loop that never terminates: its accesses may race, too. */
static void accept_hang(struct sx *sx)
{
    if (!sx_may_repeat(sx, sx->exec->reads.count))
        return;
    if (!sx->seen.hangs)
        sx_keep_execution(sx, CK_SHOWS_HANG, NULL, NULL);
    sx->seen.hangs = true;
    raise_flags(sx);
}

void sx_accept(struct sx *sx)
{
    struct sx_exec *x = sx->exec;
    const uint64_t *order;
    bool racy;

    find_final_writes(sx);
    if (x->ending == SX_DIVERGE && !sx->seen.diverges)
        sx_keep_execution(sx, CK_SHOWS_DIVERGENCE, NULL, NULL);
    if (x->ending == SX_DIVERGE)
        sx->seen.diverges = true;
    if (x->ending == SX_HANG) {
        accept_hang(sx);
        return;
    }
    x->states.known = adds_one_state(sx);
    if (x->ending != SX_COMPLETE) {
        if (x->ending == SX_PARTIAL)
            record_early_ends(sx);
        if (sx->program->kernel)
            x->states.known_racy = raise_flags(sx);
        return;
    }
    if (sx->final_check == MM_CAT_NO_CHECK) {
        accept_state(sx, NULL);
        return;
    }
    racy = raise_flags(sx);
    x->states.known_racy = racy;
    order = mm_cat_eval_value(sx->eval, sx->final_check);
    list_states(sx, 0, order, &racy);
}

bool sx_accept_terminated(struct sx *sx, bool racy)
{
    struct ck_state *state = find_state(sx);

    if (!state)
        return false;
    sx->verdict->execution_count++;
    state->racy = state->racy || racy;
    return true;
}

/* ---- the verdict -------------------------------------------------------------------------------- */

/* Whether PROP, or its opposite, can only be true by registers and memory that equal its constants: the
 * values that search considers where a value may come out of thin air. */
static bool pins_values(const struct ck_program *p, uint32_t prop, bool positive)
{
    const struct ck_prop *q = &p->props[prop];

    switch (q->op) {
    case CK_PROP_TRUE:
        return true;
    case CK_PROP_NOT:
        return pins_values(p, q->a, !positive);
    case CK_PROP_AND:
    case CK_PROP_OR:
        return pins_values(p, q->a, positive) && pins_values(p, q->b, positive);
    case CK_PROP_COMPARE:
        return q->compare == (positive ? CK_EQ : CK_NE);
    }
    return false;
}

/* What no state shows may still be reached by a value out of thin air that was not tried. */
static bool states_settle(const struct sx *sx)
{
    const struct ck_program *p = sx->program;

    if (!sx->explored_all || sx->seen.unconstrained_state)
        return false;
    return !sx->seen.thin_air || pins_values(p, p->condition, p->quantifier != CK_FORALL);
}

static void settle_condition(struct sx *sx)
{
    struct ck_verdict *v = sx->verdict;
    bool some = false, all = true, settled = states_settle(sx);

    if (sx->seen.unconstrained_state && !sx->limited)
        mm_fail(&v->limit, MM_LIMIT, "search.uninitialized",
                "the final state depends on unconstrained initial values");

    for (size_t i = 0; i < v->state_count; i++) {
        some = some || v->states[i].satisfies;
        all = all && v->states[i].satisfies;
    }
    switch (sx->program->quantifier) {
    case CK_EXISTS:
        v->condition = some ? CK_YES : settled ? CK_NO : CK_UNKNOWN;
        break;
    case CK_NOT_EXISTS:
        v->condition = some ? CK_NO : settled ? CK_YES : CK_UNKNOWN;
        break;
    case CK_FORALL:
        v->condition = !all ? CK_NO : settled ? CK_YES : CK_UNKNOWN;
        break;
    }
}

static void settle_flags(struct sx *sx)
{
    static const char *const ends[] = {NULL, "out_of_bounds", "assertion"};
    struct ck_verdict *v = sx->verdict;

    v->flags = mm_arena_alloc(v->arena, (sx->model->check_count + 3) * sizeof *v->flags);
    v->race = v->usage = sx->explored_all && !sx->limited ? CK_NO : CK_UNKNOWN;
    for (uint32_t i = 0; i < sx->model->check_count; i++) {
        const char *name = sx->model->checks[i].name;

        if (!sx->seen.flags[i])
            continue;
        *(ck_flag_is_race(name) ? &v->race : &v->usage) = CK_YES;
        if (v->flags)
            v->flags[v->flag_count++] = mm_arena_strdup(v->arena, name);
    }
    for (int e = 1; e < 3 && v->flags; e++) {
        if (sx->seen.raised[e])
            v->flags[v->flag_count++] = ends[e];
    }
}

static void settle_progress(struct sx *sx)
{
    struct ck_verdict *v = sx->verdict;

    if (!sx->program->kernel)
        return;
    v->divergence = sx->seen.diverges ? CK_YES : sx->explored_all ? CK_NO : CK_UNKNOWN;
    v->termination = sx->seen.hangs || sx->seen.diverges ? CK_NO : sx->limited ? CK_UNKNOWN : CK_YES;
}

void sx_adopt_evidence(struct ck_verdict *v, const struct ck_verdict *from)
{
    if (!v->witness_count) {
        v->witness = from->witness;
        v->witness_count = from->witness_count;
        v->witness_rf = from->witness_rf;
        v->witness_co = from->witness_co;
        v->witness_po = from->witness_po;
    }
    if (!v->limit.cls)
        v->limit = from->limit;
}

void sx_conclude(struct sx *sx)
{
    settle_progress(sx);
    ck_verdict_sort_states(sx->verdict, sx->program);
    settle_condition(sx);
    if (sx->verdict->condition == CK_UNKNOWN && !sx->limited && !sx->seen.unconstrained_state)
        mm_fail(&sx->verdict->limit, MM_LIMIT, "search.thin-air",
                "an out-of-thin-air value may be any value, and not all values were tried");
    settle_flags(sx);
    if (sx->explored_all && sx->verdict->state_count == 0 && !sx->options.accept_vacuous)
        ck_verdict_vacuous(sx->program, sx->verdict);
    sx->verdict->states_complete = sx->explored_all && !sx->seen.unconstrained_state && !sx->seen.thin_air;
}
