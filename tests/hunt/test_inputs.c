/* Random kernels with loops and symbolic inputs: search, Z3, and search of the program with each assignment
 * of values to the inputs must agree.
 *
 * HUNT_COUNT programs (default: a few), from seed HUNT_SEED on.  HUNT_PRINT=1 prints the answers for each.
 * HUNT_SMALL=1 makes programs of fewer statements and assignments, of which a minute decides several times as
 * many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/hunt/compare.h"
#include "tests/hunt/maker.h"
#include "tests/hunt/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HUNT_DEFAULT_COUNT
#define HUNT_DEFAULT_COUNT 20
#define HUNT_DEFAULT_SEED  0
#endif

/* At most one in this many programs may be left open by an engine: loops that for Z3 only a path condition
 * bounds. */
enum { MAY_BE_OPEN = 4 };
/* Number of programs per line of progress. */
enum { PROGRESS = 100 };
/* Largest trip count of a loop; Z3 unrolls as many iterations. */
enum { MOST_ITERATIONS = 3 };
enum { INPUTS = 3, OUTPUTS = 4, REGS = 8, MOST_STATES = 4096, OBSERVED = 2 };
/* Objects; registers. */
enum { OUT, FLAG, IN, N };
enum { R_N, R_OWN, R_OTHER, R_K, R_READ, R_COUNT };

/* ---- expressions -------------------------------------------------------------------------------- */

static uint32_t value(struct maker *m, unsigned depth)
{
    static const enum ck_expr_op ops[] = {CK_ADD, CK_SUB, CK_MUL, CK_AND, CK_XOR, CK_SHL, CK_UREM};
    if (depth == 0 || below(m, 3) == 0)
        return below(m, 3) ? reg(m, below(m, R_COUNT)) : number(m, below(m, 5), 4);
    enum ck_expr_op op = ops[below(m, sizeof ops / sizeof *ops)];
    uint32_t a = value(m, depth - 1);
    uint32_t b = op == CK_SHL    ? number(m, below(m, 3), 4)
                 : op == CK_UREM ? number(m, 1 + below(m, 4), 4)
                                 : value(m, depth - 1);
    return expr(m, op, 4, a, b, 0);
}

static uint32_t truth(struct maker *m)
{
    static const enum ck_expr_op ops[] = {CK_EQ, CK_NE, CK_ULT, CK_SLT, CK_SLE};
    uint32_t a = value(m, 1);
    return expr(m, ops[below(m, 5)], 4, a, value(m, 1), 0);
}

/* Element INDEX, of 4 bytes, modulo OUTPUTS, of object OUT. */
static uint32_t place(struct maker *m, uint32_t index)
{
    uint32_t masked = expr(m, CK_AND, 4, index, number(m, OUTPUTS - 1, 4), 0);
    uint32_t wide = expr(m, CK_ZEXT, 8, masked, 0, 0), scaled = expr(m, CK_MUL, 8, wide, number(m, 4, 8), 0);
    return expr(m, CK_ADD, 8, number(m, CK_OBJECT_BASE(OUT), 8), scaled, 0);
}

/* ---- instructions ------------------------------------------------------------------------------- */

static uint32_t emit(struct maker *m, struct ck_instr i)
{
    return ck_program_add_instr(m->p, m->thread, &i);
}

static struct ck_instr instr(enum ck_op op)
{
    return (struct ck_instr){
        .op = op, .reg = CK_NO_REG, .reg2 = CK_NO_REG, .value = CK_NO_EXPR, .expected = CK_NO_EXPR};
}

static void assign(struct maker *m, uint32_t r, uint32_t from)
{
    struct ck_instr i = instr(CK_ASSIGN);
    i.size = 4;
    i.reg = r;
    i.value = from;
    emit(m, i);
}

static void access(struct maker *m, enum ck_op op, uint32_t address, uint8_t size, uint32_t r,
                   uint32_t stored)
{
    struct ck_instr i = instr(op);
    i.size = size;
    i.address = address;
    i.reg = r;
    i.value = stored;
    emit(m, i);
}

static void atomic_add(struct maker *m)
{
    struct ck_instr i = instr(CK_RMW);
    i.size = 4;
    i.rmw = CK_RMW_ADD;
    i.reg = below(m, 2) ? R_READ : CK_NO_REG;
    i.address = number(m, CK_OBJECT_BASE(FLAG), 8);
    i.value = below(m, 2) ? number(m, 1, 4) : reg(m, R_OWN);
    i.order = below(m, 2) ? MM_RELAXED : MM_ACQ_REL;
    i.scope = MM_SCOPE_DEVICE;
    i.attributes = MM_ATOMIC;
    emit(m, i);
}

static void barrier(struct maker *m, uint32_t site)
{
    struct ck_instr i = instr(CK_BARRIER);
    i.site = site;
    i.fence_flags = MM_FENCE_GLOBAL;
    emit(m, i);
}

/* Loads SIZE bytes of the input at ADDRESS into register R of 4 bytes, through the register of that size. */
static void load_input(struct maker *m, uint64_t address, uint8_t size, uint32_t r)
{
    uint32_t narrow = ck_program_add_reg(m->p, m->thread, "", size, false);
    access(m, CK_LOAD, number(m, address, 8), size, narrow, CK_NO_EXPR);
    uint32_t loaded = expr(m, CK_REG, size, 0, 0, narrow);
    assign(m, r, size < 4 ? expr(m, below(m, 2) ? CK_ZEXT : CK_SEXT, 4, loaded, 0, 0) : loaded);
}

static void statement(struct maker *m)
{
    uint32_t index;
    switch (below(m, 5)) {
    case 0:
        atomic_add(m);
        break;
    case 1:
        index = value(m, 1);
        access(m, CK_LOAD, place(m, index), 4, R_READ, CK_NO_EXPR);
        break;
    case 2:
        assign(m, R_READ, value(m, 2));
        break;
    default:
        index = value(m, 1);
        access(m, CK_STORE, place(m, index), 4, CK_NO_REG, value(m, 1));
        break;
    }
}

/* Programs have single statements in place of one or two, and fewer input values. */
static bool small;

static void statements(struct maker *m, uint32_t most)
{
    for (uint32_t n = 1 + below(m, small ? 1 : most); n > 0; n--) {
        if (below(m, 2)) {
            statement(m);
            continue;
        }
        struct ck_instr branch = instr(CK_BRANCH);
        branch.value = truth(m);
        uint32_t at = emit(m, branch);
        statement(m);
        m->p->threads[m->thread].instrs[at].target = m->p->threads[m->thread].instr_count;
    }
}

/* for (k = 0; k < register LIMIT modulo 4; k++) */
static void loop(struct maker *m, uint32_t limit)
{
    assign(m, R_K, number(m, 0, 4));
    uint32_t head = m->p->threads[m->thread].instr_count;
    struct ck_instr branch = instr(CK_BRANCH), jump = instr(CK_JUMP);
    uint32_t count = expr(m, CK_AND, 4, reg(m, limit), number(m, MOST_ITERATIONS, 4), 0);
    branch.value = expr(m, CK_ULT, 4, reg(m, R_K), count, 0);
    uint32_t exit = emit(m, branch);
    statements(m, 2);
    assign(m, R_K, expr(m, CK_ADD, 4, reg(m, R_K), number(m, 1, 4), 0));
    jump.target = head;
    emit(m, jump);
    m->p->threads[m->thread].instrs[exit].target = m->p->threads[m->thread].instr_count;
}

/* ---- programs ----------------------------------------------------------------------------------- */

static void object(struct maker *m, const char *name, uint8_t size, uint32_t count, bool input)
{
    static const uint64_t zeros[OUTPUTS];
    ck_program_add_object(m->p, &(struct ck_object){.name = name,
                                                    .size = (uint64_t)size * count,
                                                    .element_size = size,
                                                    .region = MM_GLOBAL,
                                                    .origin = MM_ORIGIN_BUFFER,
                                                    .uninitialized = input,
                                                    .work_group = -1,
                                                    .alias_of = m->p->object_count,
                                                    .initial = zeros});
}

static void inputs(struct maker *m, uint32_t o, uint64_t low, uint64_t span)
{
    const struct ck_object *object = &m->p->objects[o];
    struct ck_input in = {.object = o, .size = object->element_size, .span = span};
    in.low = in.size < 8 ? low & ((UINT64_C(1) << (8 * in.size)) - 1) : low;
    for (; in.offset < object->size; in.offset += in.size)
        ck_program_add_input(m->p, &in);
}

static uint32_t extended_input(struct maker *m, uint32_t i)
{
    uint32_t r = expr(m, CK_REG, m->p->inputs[i].size, 0, 0, i);
    return expr(m, below(m, 2) ? CK_SEXT : CK_ZEXT, 8, r, 0, 0);
}

static void requirement(struct maker *m)
{
    static const enum ck_expr_op ops[] = {CK_EQ, CK_NE, CK_SLT, CK_SLE, CK_SLE};
    uint32_t a = extended_input(m, below(m, INPUTS)), b;
    b = below(m, 2) ? number(m, below(m, 4) - UINT64_C(1), 8) : extended_input(m, below(m, INPUTS));
    if (below(m, 2)) {
        uint32_t c = a;
        a = b;
        b = c;
    }
    if (below(m, 4) == 0)
        a = expr(m, CK_ADD, 8, a, number(m, 1, 8), 0);
    uint32_t compare = expr(m, ops[below(m, 5)], 1, a, b, 0);
    ck_program_add_requirement(m->p, below(m, 4) ? compare : expr(m, CK_LNOT, 1, compare, 0, 0));
}

static void thread(struct maker *m, uint8_t size, uint32_t group)
{
    m->thread = ck_program_add_thread(m->p, &(struct ck_thread){.name = "P", .work_group = group});
    for (uint32_t r = 0; r < REGS; r++)
        ck_program_add_reg(m->p, m->thread, "", 4, true);
    load_input(m, CK_OBJECT_BASE(N), size, R_N);
    load_input(m, CK_OBJECT_BASE(IN) + (m->thread & 1) * size, size, R_OWN);
    if (below(m, 2))
        load_input(m, CK_OBJECT_BASE(IN) + below(m, 2) * size, size, R_OTHER);
    else if (size > 1) /* a part of an element */
        load_input(m, CK_OBJECT_BASE(IN) + below(m, 2) * (size / 2U), size / 2, R_OTHER);
    statements(m, 2);
    if (m->barriers && below(m, 20))
        barrier(m, 1);
    loop(m, below(m, 3));
    emit(m, instr(CK_END));
}

static struct ck_program *make(uint64_t seed)
{
    struct maker m = {.random = (seed + 1) * 0x9E3779B97F4A7C15U, .p = ck_program_create()};
    uint8_t size = (uint8_t)(1U << below(&m, 3));
    m.p->name = "inputs";
    m.p->kernel = true;
    object(&m, "out", 4, OUTPUTS, false);
    object(&m, "flag", 4, 1, false);
    object(&m, "in", size, 2, true);
    object(&m, "n", size, 1, true);
    m.p->objects[OUT].non_atomic = m.p->objects[IN].non_atomic = m.p->objects[N].non_atomic = true;
    inputs(&m, IN, below(&m, 3) - UINT64_C(1), below(&m, small ? 2 : 4));
    inputs(&m, N, below(&m, 3) - UINT64_C(1), below(&m, 4));
    for (uint32_t i = below(&m, 5); i > 2; i--)
        requirement(&m);
    m.barriers = below(&m, 2);
    uint32_t threads = 2 + (below(&m, 6) == 0), split = below(&m, 4) == 0;
    for (uint32_t t = 0; t < threads; t++)
        thread(&m, size, split ? t : 0);
    for (uint32_t i = 0; i < OBSERVED; i++)
        ck_program_add_observed(m.p,
                                &(struct ck_term){.kind = CK_TERM_MEMORY, .object = OUT, .offset = 4 * i});
    m.p->quantifier = (enum ck_quantifier)below(&m, 3);
    struct ck_prop prop = {.op = CK_PROP_COMPARE,
                           .compare = below(&m, 2) ? CK_EQ : CK_SLE,
                           .left = {.kind = CK_TERM_MEMORY, .object = OUT},
                           .right = {.kind = CK_TERM_CONST, .value = below(&m, 3)}};
    m.p->condition = ck_program_add_prop(m.p, &prop);
    return m.p;
}

/* ---- comparison --------------------------------------------------------------------------------- */

struct side {
    const char *name;
    enum ck_answer condition, race, divergence, termination;
    bool complete, faults;
    uint32_t count;
    uint64_t states[MOST_STATES][OBSERVED];
    char limit[200];
};

static void add_state(struct side *s, const uint64_t *values)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (memcmp(s->states[i], values, sizeof s->states[i]) == 0)
            return;
    if (s->count == MOST_STATES)
        s->complete = false;
    else
        memcpy(s->states[s->count++], values, sizeof s->states[0]);
}

static enum ck_answer some(enum ck_answer a, enum ck_answer b)
{
    return a == CK_YES || b == CK_YES ? CK_YES : a && b ? CK_NO : CK_UNKNOWN;
}

static enum ck_answer every(enum ck_answer a, enum ck_answer b)
{
    return a == CK_NO || b == CK_NO ? CK_NO : a && b ? CK_YES : CK_UNKNOWN;
}

static void begin(struct side *s, const struct ck_program *p, const char *name)
{
    memset(s, 0, sizeof *s);
    s->name = name;
    s->condition = p->quantifier == CK_EXISTS ? CK_NO : CK_YES;
    s->race = s->divergence = CK_NO;
    s->termination = CK_YES;
    s->complete = true;
}

static void decide(struct side *s, const struct ck_program *p, const struct mm_cat_model *model, bool z3)
{
    struct ck_options options = {
        .unroll = z3 ? 0 : 6, .bound = z3 ? MOST_ITERATIONS : 6, .accept_vacuous = true};
    struct ck_verdict v;
    struct mm_error err = {0};
    enum mm_class r = z3 ? ck_z3(p, model, &options, &v, &err) : ck_search(p, model, &options, &v, &err);
    if (r)
        fail_msg("%s: %s", s->name, err.message);
    s->condition =
        p->quantifier == CK_EXISTS ? some(s->condition, v.condition) : every(s->condition, v.condition);
    s->race = some(s->race, v.race);
    s->divergence = some(s->divergence, v.divergence);
    s->termination = every(s->termination, v.termination);
    s->complete = s->complete && v.states_complete;
    for (size_t i = 0; i < v.state_count; i++)
        add_state(s, v.states[i].values);
    if (v.limit.cls && !s->limit[0])
        snprintf(s->limit, sizeof s->limit, "%.190s", v.limit.message);
    for (size_t i = 0; i < v.flag_count; i++)
        s->faults = s->faults || strcmp(v.flags[i], "out_of_bounds") == 0;
    ck_verdict_clear(&v);
}

/* The program with each assignment that satisfies the requirements. */
static uint32_t enumerate(struct side *s, const struct ck_program *p, const struct mm_cat_model *model)
{
    struct ck_program q = *p;
    struct ck_object objects[8];
    uint64_t initial[2][2], values[INPUTS], at[INPUTS] = {0};
    uint32_t tried = 0, i;
    memcpy(objects, p->objects, p->object_count * sizeof *objects);
    q.objects = objects;
    q.input_count = q.requirement_count = 0;
    for (uint32_t o = IN; o <= N; o++) {
        objects[o].uninitialized = false;
        objects[o].initial = initial[o - IN];
    }
    do {
        bool allowed = true;
        for (i = 0; i < INPUTS; i++) {
            const struct ck_input *in = &p->inputs[i];
            values[i] = (in->low + at[i]) & (in->size < 8 ? (UINT64_C(1) << (8 * in->size)) - 1 : UINT64_MAX);
            initial[in->object - IN][in->offset / in->size] = values[i];
        }
        for (i = 0; i < p->requirement_count; i++)
            allowed = allowed && ck_eval_expr(p, p->requirements[i], values) != 0;
        tried += allowed;
        if (allowed)
            decide(s, &q, model, false);
        for (i = 0; i < INPUTS && at[i] == p->inputs[i].span; i++)
            at[i] = 0;
        if (i < INPUTS)
            at[i]++;
    } while (i < INPUTS);
    return tried;
}

static bool same_states(const struct side *a, struct side *b)
{
    uint32_t count = b->count;
    for (uint32_t i = 0; i < a->count; i++)
        add_state(b, a->states[i]);
    bool same = count == b->count && a->count == b->count;
    b->count = count;
    return same;
}

static bool agree(const struct side *a, struct side *b)
{
    return !differ(a->condition, b->condition) && !differ(a->race, b->race) &&
           !differ(a->divergence, b->divergence) && !differ(a->termination, b->termination) &&
           (!a->complete || !b->complete || same_states(a, b));
}

static void print_side(uint64_t seed, const struct side *s)
{
    static const char *const answers[] = {"unknown", "yes", "no"};
    fprintf(stderr, "# seed %llu, %s: condition %s, race %s, divergence %s, termination %s, %u states%s%s:",
            (unsigned long long)seed, s->name, answers[s->condition], answers[s->race],
            answers[s->divergence], answers[s->termination], s->count, s->complete ? "" : " or more",
            s->faults ? ", faults" : "");
    for (uint32_t i = 0; i < s->count && i < 20; i++)
        fprintf(stderr, " %x.%x", (unsigned)s->states[i][0], (unsigned)s->states[i][1]);
    fprintf(stderr, " %s\n", s->limit);
}

static bool is_open(const struct side *s)
{
    return !s->condition || !s->race || !s->complete;
}

/* Programs so far; OPEN: by search, by Z3. */
struct tally {
    uint64_t programs, several, empty, races, open[2], disagree;
};

static void print_tally(const struct tally *t)
{
    fprintf(
        stderr,
        "# %llu programs, %llu with several assignments, %llu with none, %llu race; open: search %llu, Z3 %llu; disagreements: %llu\n",
        (unsigned long long)t->programs, (unsigned long long)t->several, (unsigned long long)t->empty,
        (unsigned long long)t->races, (unsigned long long)t->open[0], (unsigned long long)t->open[1],
        (unsigned long long)t->disagree);
}

static void compare(uint64_t seed, const struct mm_cat_model *model, struct tally *t)
{
    static struct side sides[3];
    struct ck_program *p = make(seed);
    begin(&sides[0], p, "enumeration");
    uint32_t tried = enumerate(&sides[0], p, model);
    t->programs++;
    t->empty += tried == 0;
    t->several += tried > 1;
    begin(&sides[1], p, "search");
    begin(&sides[2], p, "z3");
    if (tried) {
        decide(&sides[1], p, model, false);
        decide(&sides[2], p, model, true);
    }
    t->races += sides[0].race == CK_YES;
    for (int i = 0; i < 2; i++)
        t->open[i] += is_open(&sides[1 + i]);
    bool same = agree(&sides[0], &sides[1]) && agree(&sides[0], &sides[2]) && agree(&sides[1], &sides[2]);
    for (int i = 0; i < 3 && (!same || setting("HUNT_PRINT", 0)); i++)
        print_side(seed, &sides[i]);
    t->disagree += !same;
    ck_program_destroy(p);
}

static void engines_agree_on_inputs(void **state)
{
    uint64_t count = setting("HUNT_COUNT", HUNT_DEFAULT_COUNT),
             first = setting("HUNT_SEED", HUNT_DEFAULT_SEED);
    struct tally t = {0};
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};
    (void)state;
    small = setting("HUNT_SMALL", 0);
    assert_int_equal(mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err), MM_OK);
    while (t.programs < count && t.disagree < 3) {
        compare(first + t.programs, model, &t);
        if (t.programs % PROGRESS == 0)
            print_tally(&t);
    }
    print_tally(&t);
    mm_cat_destroy(model);
    assert_int_equal(t.disagree, 0);
    assert_true(t.several * 2 > count && t.races * 10 > count && t.races < count);
    assert_true(t.open[0] * MAY_BE_OPEN <= count && t.open[1] * MAY_BE_OPEN <= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_agree_on_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
