/* Random kernels with locks, flags and barriers: search with what checker/search/docs/search.md assumes of
 * the models of refcl (visible writes, barriers that order) must agree with search without it, and with Z3.
 * Also: which work-items search exchanges where it does not know the values of locations.
 *
 * HUNT_COUNT programs (default: some), from seed HUNT_SEED on. */
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

enum { DEFAULT_COUNT = 80, Z3_EVERY = 40, OBSERVED = 2 };
/* A lock and data, in local or in global memory; DATA has an element for OTHER, too.  SCRATCH: stored to by
 * loops that wait. */
enum { LOCK, DATA, SCRATCH, OBJECTS };
enum { R_SEEN, R_VALUE, R_COUNT };

/* ---- programs ----------------------------------------------------------------------------------- */

static struct ck_instr instr(enum ck_op op)
{
    return (struct ck_instr){.op = op,
                             .size = 4,
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .value = CK_NO_EXPR,
                             .expected = CK_NO_EXPR};
}

static uint32_t emit(struct maker *m, struct ck_instr i)
{
    return ck_program_add_instr(m->p, m->thread, &i);
}

static uint32_t address(struct maker *m, uint32_t object, uint32_t element)
{
    return number(m, CK_OBJECT_BASE(object) + 4 * (uint64_t)element, 8);
}

static struct ck_instr atomic(struct maker *m, enum ck_op op, uint8_t order, uint32_t element)
{
    struct ck_instr i = instr(op);
    i.order = order;
    i.order_fail = MM_RELAXED;
    i.scope = m->group ? MM_SCOPE_DEVICE : MM_SCOPE_WORK_GROUP;
    i.attributes = MM_ATOMIC;
    i.address = address(m, LOCK, element);
    return i;
}

static void plain(struct maker *m, enum ck_op op, uint32_t object, uint32_t element, uint32_t value)
{
    struct ck_instr i = instr(op);
    i.address = address(m, object, element);
    i.value = value;
    if (op == CK_LOAD)
        i.reg = R_VALUE;
    emit(m, i);
}

static void jump_back(struct maker *m, uint32_t target)
{
    struct ck_instr i = instr(CK_JUMP);
    i.target = target;
    emit(m, i);
}

static bool stores_in_loops; /* all programs have loops that store */

/* Leaves the loop that starts at START if SEEN is WANTED, otherwise repeats it. */
static void repeat_unless(struct maker *m, uint32_t start, uint32_t wanted)
{
    struct ck_instr branch = instr(CK_BRANCH);
    branch.value = expr(m, CK_NE, 1, reg(m, R_SEEN), number(m, wanted, 4), 0);
    uint32_t at = emit(m, branch);
    if (stores_in_loops && below(m, 4)) {
        uint32_t element = below(m, 2) ? m->thread : 1;
        if (below(m, 6) == 0)
            plain(m, CK_LOAD, SCRATCH, element, CK_NO_EXPR);
        plain(m, CK_STORE, SCRATCH, element, below(m, 2) ? reg(m, R_SEEN) : number(m, 1, 4));
    }
    jump_back(m, start);
    m->p->threads[m->thread].instrs[at].target = m->p->threads[m->thread].instr_count;
}

/* Takes the lock, by one of the usual loops. */
static void take_lock(struct maker *m, uint8_t acquire, uint32_t kind)
{
    uint32_t start = m->p->threads[m->thread].instr_count;
    struct ck_instr i = atomic(m, kind == 0 ? CK_RMW : CK_CAS, acquire, 0);
    i.reg = R_SEEN;
    i.value = number(m, 1, 4);
    i.rmw = CK_RMW_XCHG;
    if (kind) {
        i.expected = number(m, 0, 4);
        i.weak = kind == 2;
    }
    emit(m, i);
    repeat_unless(m, start, 0);
}

static void give_lock(struct maker *m, uint8_t release)
{
    struct ck_instr i = atomic(m, CK_STORE, release, 0);
    i.value = number(m, 0, 4);
    emit(m, i);
}

/* Waits until the flag is set. */
static void await_flag(struct maker *m, uint8_t acquire)
{
    uint32_t start = m->p->threads[m->thread].instr_count;
    struct ck_instr i = atomic(m, CK_LOAD, acquire, 1);
    i.reg = R_SEEN;
    emit(m, i);
    repeat_unless(m, start, 1);
}

static void set_flag(struct maker *m, uint8_t release)
{
    struct ck_instr i = atomic(m, CK_STORE, release, 1);
    i.value = number(m, 1, 4);
    emit(m, i);
}

static void update_data(struct maker *m, uint32_t element)
{
    plain(m, CK_LOAD, DATA, element, CK_NO_EXPR);
    plain(m, CK_STORE, DATA, element, expr(m, CK_ADD, 4, reg(m, R_VALUE), number(m, 1, 4), 0));
}

static void barrier(struct maker *m, uint32_t site, uint8_t flags)
{
    struct ck_instr i = instr(CK_BARRIER);
    i.site = site;
    i.fence_flags = flags;
    emit(m, i);
}

static void fence(struct maker *m, uint8_t order, uint8_t flags)
{
    struct ck_instr i = instr(CK_FENCE);
    i.order = order;
    i.scope = m->group ? MM_SCOPE_DEVICE : MM_SCOPE_WORK_GROUP;
    i.fence_flags = flags;
    emit(m, i);
}

/* Properties that the work-items of a program share. */
struct shape {
    uint32_t kind, threads;
    bool initializes, barrier, second_barrier, uses_flag, fences, local[OBJECTS];
    bool held; /* by the first work-item, from the start */
    uint8_t acquire, release, flags, fence_flags;
};

static void add_work_item(struct maker *m, const struct shape *s, uint32_t t)
{
    m->thread =
        ck_program_add_thread(m->p, &(struct ck_thread){.name = "P", .work_group = m->group ? t % 2 : 0});
    for (uint32_t r = 0; r < R_COUNT; r++)
        ck_program_add_reg(m->p, m->thread, "", 4, false);
    if (t == 0 && s->initializes) {
        plain(m, CK_STORE, LOCK, 0, number(m, s->held, 4));
        plain(m, CK_STORE, DATA, 0, number(m, 0, 4));
    }
    if (s->barrier)
        barrier(m, 1, s->flags);
    if (t == 0 && s->held) {
        if (below(m, 2)) /* races with those that find the lock taken, and with no other access */
            plain(m, CK_STORE, LOCK, 0, number(m, 1, 4));
        update_data(m, 0);
        give_lock(m, s->release);
    } else if (s->uses_flag && t == 0) {
        update_data(m, 1);
        set_flag(m, s->release);
    } else if (s->uses_flag && below(m, 2)) {
        await_flag(m, s->acquire);
        update_data(m, 1);
    } else {
        take_lock(m, s->acquire, s->kind);
        if (s->fences)
            fence(m, MM_ACQUIRE, s->fence_flags);
        update_data(m, 0);
        if (s->fences)
            fence(m, MM_RELEASE, s->fence_flags);
        give_lock(m, s->release);
    }
    if (stores_in_loops && t == 0 && below(m, 2)) /* races with loops of others alone */
        plain(m, CK_STORE, SCRATCH, 1, number(m, 1, 4));
    if (s->second_barrier)
        barrier(m, 2, s->flags);
    if (s->second_barrier && t == 0)
        plain(m, CK_LOAD, DATA, 0, CK_NO_EXPR);
    emit(m, instr(CK_END));
}

static void add_objects(struct maker *m, const struct shape *s)
{
    static const char *const names[] = {"lock", "data", "scratch"};
    static const uint64_t zeros[3];
    for (uint32_t o = 0; o < OBJECTS; o++)
        ck_program_add_object(m->p,
                              &(struct ck_object){.name = names[o],
                                                  .size = o == SCRATCH ? 12 : 8,
                                                  .element_size = 4,
                                                  .region = s->local[o] ? MM_LOCAL : MM_GLOBAL,
                                                  .origin = s->local[o] ? MM_ORIGIN_NONE : MM_ORIGIN_BUFFER,
                                                  .non_atomic = o != LOCK,
                                                  .uninitialized = s->initializes && below(m, 2),
                                                  .work_group = s->local[o] ? 0 : -1,
                                                  .alias_of = m->p->object_count,
                                                  .initial = zeros});
}

static struct ck_program *make(uint64_t seed)
{
    struct maker m = {.random = (seed + 1) * 0x9E3779B97F4A7C15U, .p = ck_program_create()};
    enum { BOTH = MM_FENCE_LOCAL | MM_FENCE_GLOBAL };
    static const uint8_t flags[] = {BOTH, BOTH, BOTH, MM_FENCE_LOCAL, MM_FENCE_GLOBAL};
    static const uint8_t acquires[] = {MM_ACQUIRE, MM_ACQUIRE, MM_ACQUIRE,
                                       MM_RELAXED, MM_ACQ_REL, MM_SEQ_CST},
                         releases[] = {MM_RELEASE, MM_RELEASE, MM_RELEASE,
                                       MM_RELEASE, MM_RELAXED, MM_SEQ_CST};
    struct shape s = {.kind = below(&m, 3),
                      .threads = 2 + (below(&m, 48) == 0),
                      .initializes = below(&m, 2),
                      .barrier = below(&m, 6) != 0,
                      .second_barrier = below(&m, 2),
                      .uses_flag = below(&m, 3) == 0,
                      .fences = below(&m, 3) == 0,
                      .acquire = acquires[below(&m, 6)],
                      .release = releases[below(&m, 6)],
                      .flags = flags[below(&m, 5)],
                      .fence_flags = flags[below(&m, 5)]};
    m.p->name = "locks";
    m.p->kernel = true;
    m.group = below(&m, 4) == 0; /* two work-groups, which share no local memory */
    s.local[LOCK] = !m.group && below(&m, 2);
    s.local[DATA] = below(&m, 8) ? s.local[LOCK] : !m.group && below(&m, 2);
    s.held = s.initializes && s.barrier && below(&m, 3) == 0;
    if ((s.kind || s.uses_flag) && s.acquire == MM_ACQ_REL)
        s.acquire = MM_ACQUIRE;
    add_objects(&m, &s);
    for (uint32_t t = 0; t < s.threads; t++)
        add_work_item(&m, &s, t);
    for (uint32_t i = 0; i < OBSERVED; i++)
        ck_program_add_observed(m.p,
                                &(struct ck_term){.kind = CK_TERM_MEMORY, .object = DATA, .offset = 4 * i});
    m.p->condition = ck_program_add_prop(m.p, &(struct ck_prop){.op = CK_PROP_TRUE});
    return m.p;
}

/* ---- comparison --------------------------------------------------------------------------------- */

static struct ck_verdict decide(const struct ck_program *p, const struct mm_cat_model *model, bool z3,
                                bool assumes)
{
    struct ck_options options = {
        .bound = 2, .no_walk = true, .drf = assumes, .accept_vacuous = true, .timeout_ms = 60000};
    struct ck_verdict v;
    struct mm_error err = {0};
    if (z3 ? ck_z3(p, model, &options, &v, &err) : ck_search(p, model, &options, &v, &err))
        fail_msg("%s", err.message);
    return v;
}

/* Whether no answer that both decide differs.  The other answers for a racy program are arbitrary.  In
 * nonterminating executions search looks for no race; a loop that stores is nonterminating only with
 * assumptions, otherwise it reaches the bound. */
static bool agree(const struct ck_program *p, const struct ck_verdict *a, const struct ck_verdict *b)
{
    if (stores_in_loops && a->termination == CK_UNKNOWN && b->termination == CK_NO)
        return true;
    if (differ(a->race, b->race) || differ(a->divergence, b->divergence))
        return false;
    if (a->race == CK_YES)
        return true;
    return !differ(a->termination, b->termination) &&
           (!a->states_complete || !b->states_complete || have_same_states(p, a, b));
}

static void print(const char *name, const struct ck_verdict *v)
{
    fprintf(stderr, "#  %s: race %d, divergence %d, termination %d, %zu states, %s\n", name, v->race,
            v->divergence, v->termination, v->state_count, v->limit.message);
}

/* By the answers of search without assumptions. */
struct tally {
    unsigned racy, clean, endless, open, z3;
    unsigned decided; /* of the open ones, with assumptions */
    uint64_t executions[2];
};

static bool is_consistent(uint64_t seed, const struct mm_cat_model *model, struct tally *tally)
{
    static const char *const names[] = {"search", "search with assumptions", "Z3"};
    struct ck_program *p = make(seed);
    unsigned count = seed % Z3_EVERY ? 2 : 3;
    bool same = true;
    struct ck_verdict v[3];
    for (unsigned i = 0; i < count; i++)
        v[i] = decide(p, model, i == 2, i == 1);
    for (unsigned i = 1; i < count; i++)
        same = same && agree(p, &v[0], &v[i]);
    for (unsigned i = 0; i < count && !same; i++)
        print(names[i], &v[i]);
    tally->racy += v[0].race == CK_YES;
    tally->endless += v[0].termination == CK_NO;
    tally->clean += v[0].race == CK_NO;
    tally->open += v[0].race == CK_UNKNOWN;
    tally->decided += v[0].race == CK_UNKNOWN && v[1].race != CK_UNKNOWN;
    tally->z3 += count > 2 && v[2].race != CK_UNKNOWN;
    for (unsigned i = 0; i < 2; i++)
        tally->executions[i] += v[0].race == CK_NO ? v[i].candidate_count : 0;
    for (unsigned i = 0; i < count; i++)
        ck_verdict_clear(&v[i]);
    ck_program_destroy(p);
    return same;
}

static uint64_t compare_programs(struct tally *tally)
{
    uint64_t count = setting("HUNT_COUNT", DEFAULT_COUNT), first = setting("HUNT_SEED", 0);
    struct mm_cat_model *model;
    struct mm_error err = {0};
    unsigned found = 0;
    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err))
        fail_msg("%s", err.message);
    for (uint64_t seed = first; seed < first + count && found < 3; seed++) {
        if (is_consistent(seed, model, tally))
            continue;
        fprintf(stderr, "# seed %llu differs\n", (unsigned long long)seed);
        found++;
    }
    mm_cat_destroy(model);
    fprintf(
        stderr,
        "# %u racy, %u clean, %u without end, %u open, %u by Z3; %llu candidates of the clean ones, %llu with assumptions\n",
        tally->racy, tally->clean, tally->endless, tally->open, tally->z3,
        (unsigned long long)tally->executions[0], (unsigned long long)tally->executions[1]);
    assert_int_equal(found, 0);
    return count;
}

static void assumptions_change_no_answer(void **state)
{
    struct tally tally = {0};
    uint64_t count = compare_programs(&tally);
    (void)state;
    assert_true(tally.racy * 5 >= count && tally.clean * 5 >= count && tally.open * 10 <= count &&
                tally.z3 > 0);
    assert_true(tally.executions[1] * 3 < tally.executions[0] * 2);
}

/* Search without assumptions leaves race-free programs open if it reaches the bound of a loop that stores. */
static void assumptions_hide_no_race_of_loops_that_store(void **state)
{
    struct tally tally = {0};
    (void)state;
    stores_in_loops = true;
    uint64_t count = compare_programs(&tally);
    stores_in_loops = false;
    assert_true(tally.racy * 5 >= count && tally.decided * 20 >= count);
}

/* ---- symmetry where the values of locations are not known ----------------------------------------- */

/* A work-item reads element 1; if it reads WANTED it counts in element 0, and the second one to do so writes
 * DATA. */
static void add_counting_work_item(struct maker *m, uint32_t wanted)
{
    m->thread = ck_program_add_thread(m->p, &(struct ck_thread){.name = "P"});
    for (uint32_t r = 0; r < R_COUNT; r++)
        ck_program_add_reg(m->p, m->thread, "", 4, false);
    struct ck_instr load = atomic(m, CK_LOAD, MM_RELAXED, 1), add = atomic(m, CK_RMW, MM_RELAXED, 0);
    struct ck_instr leave = instr(CK_BRANCH);
    load.reg = add.reg = R_SEEN;
    add.rmw = CK_RMW_ADD;
    add.value = number(m, 1, 4);
    leave.target = 5;
    emit(m, load);
    leave.value = expr(m, CK_EQ, 1, reg(m, R_SEEN), number(m, wanted, 4), 0);
    emit(m, leave);
    emit(m, add);
    leave.value = expr(m, CK_EQ, 1, reg(m, R_SEEN), number(m, 1, 4), 0);
    emit(m, leave);
    plain(m, CK_STORE, DATA, 0, number(m, 1, 4));
    emit(m, instr(CK_END));
}

/* One work-item sets element 1 and writes DATA; WANTED: of the others. */
static struct ck_verdict count_in_turn(const uint32_t *wanted, uint32_t count)
{
    struct maker m = {.random = 1, .p = ck_program_create()};
    struct mm_cat_model *model;
    struct mm_error err = {0};
    struct ck_options options = {.no_walk = true, .drf = true, .no_values = true};
    struct ck_verdict v = {0};
    m.p->name = "counting";
    m.p->kernel = true;
    add_objects(&m, &(struct shape){0});
    m.thread = ck_program_add_thread(m.p, &(struct ck_thread){.name = "P"});
    for (uint32_t r = 0; r < R_COUNT; r++)
        ck_program_add_reg(m.p, m.thread, "", 4, false);
    set_flag(&m, MM_RELAXED);
    plain(&m, CK_STORE, DATA, 0, number(&m, 2, 4));
    emit(&m, instr(CK_END));
    for (uint32_t i = 0; i < count; i++)
        add_counting_work_item(&m, wanted[i]);
    m.p->condition = ck_program_add_prop(m.p, &(struct ck_prop){.op = CK_PROP_TRUE});
    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err) ||
        ck_search(m.p, model, &options, &v, &err))
        fail_msg("%s", err.message);
    mm_cat_destroy(model);
    ck_program_destroy(m.p);
    return v;
}

/* The race needs one work-item that reads 0 and one that reads 1. */
static void work_items_that_differ_in_a_constant_are_not_exchanged(void **state)
{
    static const uint32_t orders[][2] = {{0, 1}, {1, 0}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct ck_verdict v = count_in_turn(orders[i], 2);
        assert_int_equal(v.race, CK_YES);
        ck_verdict_clear(&v);
    }
}

static void work_items_of_equal_code_are_exchanged(void **state)
{
    static const uint32_t never[] = {5, 5, 5, 5, 5}, differ[] = {5, 6, 7, 8, 9};
    struct ck_verdict same = count_in_turn(never, 5), other = count_in_turn(differ, 5);
    (void)state;
    assert_int_equal(same.race, CK_NO);
    assert_int_equal(other.race, CK_NO);
    /* each reads 0 or 1: how many of them read 1, or which ones */
    assert_int_equal(same.candidate_count, 6);
    assert_int_equal(other.candidate_count, 32);
    ck_verdict_clear(&same);
    ck_verdict_clear(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assumptions_change_no_answer),
        cmocka_unit_test(assumptions_hide_no_race_of_loops_that_store),
        cmocka_unit_test(work_items_that_differ_in_a_constant_are_not_exchanged),
        cmocka_unit_test(work_items_of_equal_code_are_exchanged),
    };
    cmocka_set_test_filter(getenv("HUNT_TEST"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
