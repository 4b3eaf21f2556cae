/* The exhaustive search: classic tests with known counts, and random programs against a naive interleaver
 * under sequential consistency. */
#include "checker/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char FREE[] = "acyclic 0";
static const char COHERENT[] = "acyclic po-loc | rf | co | fr empty rmw & (fre;coe)";
static const char SC_MODEL[] = "acyclic po | rf | co | fr as sc empty rmw & (fre;coe) as atomic";

/* ---- building ----------------------------------------------------------------------------------- */

static struct ck_program *program;

static void begin(unsigned threads)
{
    static const char *const names[] = {"x", "y", "z"};

    program = ck_program_create();
    for (uint32_t i = 0; i < 3; i++)
        ck_program_add_object(program, &(struct ck_object){.name = names[i],
                                                           .size = 4,
                                                           .element_size = 4,
                                                           .region = MM_GLOBAL,
                                                           .origin = MM_ORIGIN_BUFFER,
                                                           .work_group = -1,
                                                           .alias_of = i});
    for (uint32_t t = 0; t < threads; t++)
        ck_program_add_thread(program, &(struct ck_thread){.name = "P", .work_group = t, .sub_group = t});
}

static uint32_t constant(uint64_t value, uint8_t size)
{
    return ck_program_add_expr(program, &(struct ck_expr){.op = CK_CONST, .size = size, .imm = value});
}

static uint32_t reg_value(uint32_t reg)
{
    return ck_program_add_expr(program, &(struct ck_expr){.op = CK_REG, .size = 4, .imm = reg});
}

static struct ck_instr access_instr(enum ck_op op, uint32_t object)
{
    return (struct ck_instr){.op = op,
                             .size = 4,
                             .order = MM_RELAXED,
                             .order_fail = MM_RELAXED,
                             .scope = MM_SCOPE_DEVICE,
                             .attributes = MM_ATOMIC,
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .address = constant(CK_OBJECT_BASE(object), 8),
                             .value = CK_NO_EXPR,
                             .expected = CK_NO_EXPR};
}

static void store_value(uint32_t thread, uint32_t object, uint32_t value)
{
    struct ck_instr i = access_instr(CK_STORE, object);

    i.value = value;
    ck_program_add_instr(program, thread, &i);
}

static void store(uint32_t thread, uint32_t object, uint64_t value)
{
    store_value(thread, object, constant(value, 4));
}

static void observe(uint32_t thread, uint32_t reg)
{
    ck_program_add_observed(program, &(struct ck_term){.kind = CK_TERM_REG, .thread = thread, .reg = reg});
}

static void observe_memory(uint32_t object)
{
    ck_program_add_observed(program, &(struct ck_term){.kind = CK_TERM_MEMORY, .object = object});
}

static uint32_t load(uint32_t thread, uint32_t object)
{
    struct ck_instr i = access_instr(CK_LOAD, object);

    i.reg = ck_program_add_reg(program, thread, "r", 4, true);
    ck_program_add_instr(program, thread, &i);
    observe(thread, i.reg);
    return i.reg;
}

static uint32_t rmw(uint32_t thread, uint32_t object, enum ck_rmw_op op, uint64_t value)
{
    struct ck_instr i = access_instr(CK_RMW, object);

    i.rmw = (uint8_t)op;
    i.value = constant(value, 4);
    i.reg = ck_program_add_reg(program, thread, "r", 4, true);
    ck_program_add_instr(program, thread, &i);
    observe(thread, i.reg);
    return i.reg;
}

static uint32_t exchange(uint32_t thread, uint32_t object, uint64_t expected, uint64_t value, bool weak)
{
    struct ck_instr i = access_instr(CK_CAS, object);

    i.weak = weak;
    i.value = constant(value, 4);
    i.expected = constant(expected, 4);
    i.reg = ck_program_add_reg(program, thread, "old", 4, true);
    i.reg2 = ck_program_add_reg(program, thread, "ok", 4, true);
    ck_program_add_instr(program, thread, &i);
    observe(thread, i.reg);
    observe(thread, i.reg2);
    return i.reg2;
}

static uint32_t cas(uint32_t thread, uint32_t object, uint64_t expected, uint64_t value)
{
    return exchange(thread, object, expected, value, false);
}

static void condition(const struct ck_term *term, uint64_t value)
{
    struct ck_prop p = {.op = term ? CK_PROP_COMPARE : CK_PROP_TRUE, .compare = CK_EQ};

    if (term) {
        p.left = *term;
        p.right = (struct ck_term){.kind = CK_TERM_CONST, .value = value};
    }
    program->condition = ck_program_add_prop(program, &p);
}

/* ---- judging ------------------------------------------------------------------------------------ */

static struct ck_verdict decide(const char *text, const struct ck_options *options)
{
    struct mm_cat_model *model;
    struct mm_error err = {0};
    struct ck_verdict v = {0};

    if (program->prop_count == 0)
        condition(NULL, 0);
    if (mm_cat_parse(text, "m.cat", NULL, &model, &err) || ck_search(program, model, options, &v, &err))
        fail_msg("%s", err.message);
    mm_cat_destroy(model);
    return v;
}

static void expect(const char *model, uint64_t executions, size_t states)
{
    struct ck_verdict v = decide(model, NULL);

    assert_int_equal(v.limit.cls, MM_OK);
    assert_true(v.states_complete);
    assert_int_equal(v.execution_count, executions);
    assert_int_equal(v.state_count, states);
    for (size_t i = 1; i < v.state_count; i++) {
        uint32_t k = 0;

        while (v.states[i].values[k] == v.states[i - 1].values[k])
            assert_true(++k < program->observed_count);
        assert_true(v.states[i - 1].values[k] < v.states[i].values[k]);
    }
    ck_verdict_clear(&v);
}

static void end(void)
{
    ck_program_destroy(program);
}

static void store_buffering(void **state)
{
    (void)state;
    begin(2);
    store(0, 0, 1), load(0, 1);
    store(1, 1, 1), load(1, 0);
    expect(FREE, 4, 4);
    expect(COHERENT, 4, 4);
    expect(SC_MODEL, 3, 3);
    end();
}

static void message_passing(void **state)
{
    (void)state;
    begin(2);
    store(0, 0, 1), store(0, 1, 1);
    load(1, 1), load(1, 0);
    expect(FREE, 4, 4);
    expect(SC_MODEL, 3, 3);
    end();
}

static void load_buffering(void **state)
{
    (void)state;
    begin(2);
    load(0, 0), store(0, 1, 1);
    load(1, 1), store(1, 0, 1);
    expect(FREE, 4, 4);
    expect("acyclic po | rf", 3, 3);
    expect(SC_MODEL, 3, 3);
    end();
}

static void iriw(void **state)
{
    (void)state;
    begin(4);
    store(0, 0, 1);
    store(1, 1, 1);
    load(2, 0), load(2, 1);
    load(3, 1), load(3, 0);
    expect(FREE, 16, 16);
    expect(SC_MODEL, 15, 15);
    end();
}

static void two_plus_two_writes(void **state)
{
    (void)state;
    begin(2);
    store(0, 0, 1), store(0, 1, 2);
    store(1, 1, 1), store(1, 0, 2);
    observe_memory(0), observe_memory(1);
    expect(FREE, 4, 4);
    expect(SC_MODEL, 3, 3);
    end();
}

static void coherence(void **state)
{
    (void)state;
    begin(2);
    store(0, 0, 1);
    load(1, 0), load(1, 0);
    expect(FREE, 4, 4);
    expect(COHERENT, 3, 3);
    end();
    /* Three writes: 3! orders; each may be last. */
    begin(3);
    store(0, 0, 1), store(1, 0, 2), store(2, 0, 3);
    observe_memory(0);
    expect(FREE, 6, 3);
    end();
    /* Two writes of one value: two sources for one value read. */
    begin(3);
    store(0, 0, 1), store(1, 0, 1), load(2, 0);
    expect(FREE, 6, 2);
    end();
}

static void read_modify_write(void **state)
{
    (void)state;
    begin(2);
    rmw(0, 0, CK_RMW_ADD, 1), rmw(1, 0, CK_RMW_ADD, 1);
    observe_memory(0);
    expect(COHERENT, 2, 2);
    expect(SC_MODEL, 2, 2);
    end();
    begin(2);
    cas(0, 0, 0, 1), cas(1, 0, 0, 2);
    observe_memory(0);
    expect(SC_MODEL, 2, 2);
    end();
    /* A failing compare-exchange reads and does not write. */
    begin(1);
    cas(0, 0, 5, 1);
    observe_memory(0);
    expect(FREE, 1, 1);
    end();
}

/* A weak compare-exchange may fail though it read the expected value [CLC 6.15.12]: then it is only a read,
 * and not part of its thread's next write. */
static void weak_compare_exchange(void **state)
{
    (void)state;
    begin(1);
    exchange(0, 0, 0, 1, true);
    observe_memory(0);
    expect(SC_MODEL, 2, 2);
    end();
    /* The addition first; between the two with and without success; last with and without success. */
    begin(2);
    exchange(0, 0, 0, 1, true), store(0, 0, 2);
    rmw(1, 0, CK_RMW_ADD, 4);
    observe_memory(0);
    expect(COHERENT, 5, 5);
    expect(SC_MODEL, 5, 5);
    end();
}

static void thin_air(void **state)
{
    struct ck_verdict v;

    (void)state;
    begin(2);
    store_value(0, 1, reg_value(load(0, 0)));
    store_value(1, 0, reg_value(load(1, 1)));
    condition(&(struct ck_term){.kind = CK_TERM_REG, .thread = 0, .reg = 0}, 42);
    v = decide(COHERENT, NULL);
    assert_int_equal(v.condition, CK_YES);
    assert_false(v.states_complete); /* all other values are equivalent to 42 */
    ck_verdict_clear(&v);
    v = decide("acyclic po | rf", NULL);
    assert_int_equal(v.condition, CK_NO);
    assert_true(v.states_complete);
    assert_int_equal(v.state_count, 1);
    ck_verdict_clear(&v);
    end();
}

/* A loop of five iterations, each with a store if it STORES. */
static void counting_loop(bool stores)
{
    uint32_t r;

    begin(1);
    r = ck_program_add_reg(program, 0, "i", 4, true);
    if (stores)
        store(0, 0, 1);
    ck_program_add_instr(
        program, 0,
        &(struct ck_instr){
            .op = CK_ASSIGN,
            .reg = r,
            .value = ck_program_add_expr(
                program,
                &(struct ck_expr){.op = CK_ADD, .size = 4, .a = reg_value(r), .b = constant(1, 4)})});
    ck_program_add_instr(
        program, 0,
        &(struct ck_instr){
            .op = CK_BRANCH,
            .line = 7,
            .value = ck_program_add_expr(
                program, &(struct ck_expr){.op = CK_EQ, .size = 4, .a = reg_value(r), .b = constant(5, 4)}),
            .target = 0});
    observe(0, r);
}

/* A thread that waits for a flag has one outcome; one that stores in each iteration reaches the bound, unless
 * the trip count is known; iterations without events need no bound. */
static void loops(void **state)
{
    struct ck_verdict v;
    uint32_t r;

    (void)state;
    begin(2);
    store(0, 0, 1), store(0, 1, 1);
    r = load(1, 1);
    ck_program_add_instr(program, 1, &(struct ck_instr){.op = CK_BRANCH, .value = reg_value(r), .target = 0});
    load(1, 0);
    expect(SC_MODEL, 2, 1);
    end();

    counting_loop(true);
    program->file = "loop.cl";
    v = decide(FREE, &(struct ck_options){.bound = 3});
    assert_int_equal(v.condition, CK_UNKNOWN);
    assert_int_equal(v.limit.cls, MM_LIMIT);
    assert_string_equal(v.limit.rule, "search.bound");
    assert_string_equal(v.limit.message,
                        "limit reached: iterations of the loop at loop.cl:7, complete up to bound 3 "
                        "(raise with --bound)");
    assert_false(v.states_complete);
    ck_verdict_clear(&v);
    for (int known = 0; known < 2; known++) {
        program->threads[0].instrs[2].trip_count = known ? 4 : 0;
        v = decide(FREE, &(struct ck_options){.bound = known ? 3 : 4});
        assert_int_equal(v.condition, CK_YES);
        assert_int_equal(v.states[0].values[0], 5);
        ck_verdict_clear(&v);
    }
    end();

    counting_loop(false);
    v = decide(FREE, &(struct ck_options){.bound = 3});
    assert_int_equal(v.condition, CK_YES);
    assert_int_equal(v.states[0].values[0], 5);
    ck_verdict_clear(&v);
    end();
}

static void limits(void **state)
{
    struct ck_verdict v;
    struct ck_instr i;
    struct mm_error err;
    struct mm_cat_model *model;

    (void)state;
    /* Half of x: unknown, not guessed. */
    begin(2);
    store(0, 0, 1);
    i = access_instr(CK_STORE, 0);
    i.size = 2;
    i.value = constant(1, 2);
    ck_program_add_instr(program, 1, &i);
    condition(&(struct ck_term){.kind = CK_TERM_MEMORY}, 7);
    v = decide(SC_MODEL, NULL);
    assert_int_equal(v.condition, CK_UNKNOWN);
    assert_string_equal(v.limit.rule, "search.overlap");
    ck_verdict_clear(&v);
    end();
    /* Past the end of every object. */
    begin(1);
    store(0, 9, 1);
    v = decide(SC_MODEL, NULL);
    assert_int_equal(v.state_count, 0);
    assert_int_equal(v.flag_count, 1);
    assert_string_equal(v.flags[0], "out_of_bounds");
    ck_verdict_clear(&v);
    end();
    /* An invalid program. */
    begin(1);
    i = access_instr(CK_LOAD, 0);
    i.reg = 3;
    ck_program_add_instr(program, 0, &i);
    condition(NULL, 0);
    assert_int_equal(mm_cat_parse(FREE, "m.cat", NULL, &model, &err), MM_OK);
    assert_int_equal(ck_search(program, model, NULL, &v, &err), MM_INVALID);
    mm_cat_destroy(model);
    end();
}

static void evidence(void **state)
{
    static const char racy[] =
        "(* why *) acyclic po | rf | co | fr as sc flag ~empty loc & ext & (W * R) \\ (IW * _) as race";
    struct ck_verdict v;

    (void)state;
    begin(2);
    store(0, 0, 1), load(0, 1);
    store(1, 1, 1), load(1, 0);
    condition(&(struct ck_term){.kind = CK_TERM_REG, .thread = 0, .reg = 0}, 1);
    v = decide(racy, &(struct ck_options){.explain = true});
    assert_int_equal(v.condition, CK_YES);
    assert_int_equal(v.race, CK_YES);
    assert_string_equal(v.flags[0], "race");
    assert_string_equal(v.race_witness.axiom, "race");
    assert_int_equal(v.witness_count, 6);
    assert_int_equal(v.witness_rf.n, 6);
    ck_verdict_clear(&v);
    end();

    begin(2);
    load(0, 0), store(0, 1, 1);
    load(1, 1), store(1, 0, 1);
    program->quantifier = CK_EXISTS;
    condition(&(struct ck_term){.kind = CK_TERM_REG, .thread = 0, .reg = 0}, 7);
    v = decide(racy, &(struct ck_options){.explain = true});
    assert_int_equal(v.condition, CK_NO);
    assert_int_equal(v.violation_count, 0);
    ck_verdict_clear(&v);
    end();

    begin(1);
    store(0, 0, 1), load(0, 0);
    condition(&(struct ck_term){.kind = CK_TERM_REG, .thread = 0, .reg = 0}, 0);
    v = decide(racy, &(struct ck_options){.explain = true});
    assert_int_equal(v.condition, CK_NO);
    assert_int_equal(v.violation_count, 1);
    assert_string_equal(v.violations[0].axiom, "sc");
    assert_string_equal(v.violations[0].clause, "why");
    assert_int_equal(v.violations[0].step_count, 2);
    ck_verdict_clear(&v);
    end();
}

/* ---- random programs ---------------------------------------------------------------------------- */

static uint64_t seed = 3;

static uint32_t random_below(uint32_t bound)
{
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(seed >> 33) % bound;
}

static void random_thread(uint32_t t, unsigned length)
{
    uint32_t last = UINT32_MAX;

    for (unsigned k = 0; k < length; k++) {
        uint32_t object = random_below(2);

        switch (random_below(8)) {
        case 0:
        case 1:
            last = load(t, object);
            break;
        case 2:
            last = rmw(t, object, random_below(2) ? CK_RMW_ADD : CK_RMW_XCHG, 1 + random_below(2));
            break;
        case 3:
            last = exchange(t, object, random_below(2), 2, random_below(2));
            break;
        case 4:
            if (last != UINT32_MAX) {
                store_value(t, object, reg_value(last));
                break;
            }
            store(t, object, 1 + random_below(2));
            break;
        case 5:
            if (last != UINT32_MAX) { /* skip the next instruction */
                ck_program_add_instr(program, t,
                                     &(struct ck_instr){.op = CK_BRANCH,
                                                        .value = reg_value(last),
                                                        .target = program->threads[t].instr_count + 2});
            }
            store(t, object, 1 + random_below(2));
            break;
        default:
            store(t, object, 1 + random_below(2));
        }
    }
}

/* Interleaving by brute force: one shared memory, one step at a time. */
struct machine {
    uint64_t memory[3], regs[3][32];
    uint32_t pc[3];
};
static uint64_t seen[4096][40];
static size_t seen_count;

static uint64_t value_of(const struct machine *m, uint32_t t, uint32_t expr)
{
    const struct ck_expr *e = &program->exprs[expr];

    return e->op == CK_CONST ? e->imm : m->regs[t][e->imm];
}

static void record(const struct machine *m)
{
    uint64_t s[40] = {0};

    for (uint32_t i = 0; i < program->observed_count; i++) {
        const struct ck_term *o = &program->observed[i];

        s[i] = o->kind == CK_TERM_REG ? m->regs[o->thread][o->reg] : m->memory[o->object];
    }
    for (size_t i = 0; i < seen_count; i++) {
        if (memcmp(seen[i], s, sizeof s) == 0)
            return;
    }
    assert_true(seen_count < 4096);
    memcpy(seen[seen_count++], s, sizeof s);
}

static void interleave(const struct machine *m)
{
    bool any = false;

    for (uint32_t t = 0; t < program->thread_count; t++) {
        struct machine n = *m;
        const struct ck_instr *i = &program->threads[t].instrs[m->pc[t]];
        uint64_t *at, old;

        if (m->pc[t] >= program->threads[t].instr_count)
            continue;
        any = true;
        n.pc[t]++;
        if (i->op == CK_BRANCH) {
            if (value_of(m, t, i->value) == 0)
                n.pc[t] = i->target;
            interleave(&n);
            continue;
        }
        at = &n.memory[(program->exprs[i->address].imm >> 32) - 1];
        old = *at;
        if (i->op == CK_STORE)
            *at = value_of(m, t, i->value);
        else
            n.regs[t][i->reg] = old;
        if (i->op == CK_RMW)
            *at = i->rmw == CK_RMW_ADD ? old + value_of(m, t, i->value) : value_of(m, t, i->value);
        if (i->op == CK_CAS) {
            if (i->weak)
                interleave(&n); /* fails in any case: ok stays 0 */
            n.regs[t][i->reg2] = old == value_of(m, t, i->expected);
            if (n.regs[t][i->reg2])
                *at = value_of(m, t, i->value);
        }
        interleave(&n);
    }
    if (!any)
        record(m);
}

static void random_programs(void **state)
{
    (void)state;
    for (int round = 0; round < 150; round++) {
        struct machine start = {0};
        struct ck_verdict v;
        unsigned threads = 2 + random_below(2);

        begin(threads);
        for (uint32_t t = 0; t < threads; t++)
            random_thread(t, threads == 2 ? 1 + random_below(4) : 1 + random_below(3));
        observe_memory(0), observe_memory(1);
        seen_count = 0;
        interleave(&start);
        v = decide(SC_MODEL, NULL);
        assert_int_equal(v.limit.cls, MM_OK);
        assert_int_equal(v.state_count, seen_count);
        for (size_t i = 0; i < v.state_count; i++) {
            bool found = false;

            for (size_t k = 0; k < seen_count; k++)
                found = found ||
                        memcmp(seen[k], v.states[i].values, program->observed_count * sizeof(uint64_t)) == 0;
            assert_true(found);
        }
        ck_verdict_clear(&v);
        end();
    }
}

static void out_of_memory(void **state)
{
    struct mm_cat_model *model;
    struct mm_error err;

    (void)state;
    begin(2);
    store(0, 0, 1), load(0, 1);
    store(1, 1, 1), load(1, 0);
    condition(NULL, 0);
    program->quantifier = CK_NOT_EXISTS;
    assert_int_equal(mm_cat_parse(SC_MODEL, "m.cat", NULL, &model, &err), MM_OK);
    for (size_t i = 1; i < 60; i++) {
        struct ck_verdict v;
        enum mm_class r;

        mm_alloc_fail_after(i);
        r = ck_search(program, model, &(struct ck_options){.explain = true}, &v, &err);
        mm_alloc_fail_after(0);
        /* Never a false "holds": some state exists, so the answer is no, unknown or an error. */
        if (r == MM_OK)
            assert_int_not_equal(v.condition, CK_YES);
        else
            assert_int_equal(r, MM_LIMIT);
        ck_verdict_clear(&v);
    }
    mm_cat_destroy(model);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(store_buffering),
                                       cmocka_unit_test(message_passing),
                                       cmocka_unit_test(load_buffering),
                                       cmocka_unit_test(iriw),
                                       cmocka_unit_test(two_plus_two_writes),
                                       cmocka_unit_test(coherence),
                                       cmocka_unit_test(read_modify_write),
                                       cmocka_unit_test(weak_compare_exchange),
                                       cmocka_unit_test(thin_air),
                                       cmocka_unit_test(loops),
                                       cmocka_unit_test(limits),
                                       cmocka_unit_test(evidence),
                                       cmocka_unit_test(random_programs),
                                       cmocka_unit_test(out_of_memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
