/* Random kernels without atomic operations: search by one execution, judged by the model or by its clocks
 * alone, must agree with the enumeration of all executions, and so must Z3.
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

enum { DEFAULT_COUNT = 300, Z3_EVERY = 16 };
enum { ELEMENTS = 4, OBSERVED = 2, MOST_THREADS = 4 };
/* Objects: global memory, and local memory of each work-group. */
enum { OUT, TILE };
enum { R_READ, R_OTHER, R_K, R_COUNT };

/* ---- programs ----------------------------------------------------------------------------------- */

static uint32_t emit(struct maker *m, struct ck_instr i)
{
    return ck_program_add_instr(m->p, m->thread, &i);
}

static struct ck_instr instr(enum ck_op op)
{
    return (struct ck_instr){.op = op,
                             .size = 4,
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .value = CK_NO_EXPR,
                             .expected = CK_NO_EXPR};
}

static void assign(struct maker *m, uint32_t r, uint32_t value)
{
    struct ck_instr i = instr(CK_ASSIGN);
    i.reg = r;
    i.value = value;
    emit(m, i);
}

/* An element of global or local memory: mostly the work-item's own; else a constant one, or one that depends
 * on a read. */
static uint32_t place(struct maker *m)
{
    uint32_t object = below(m, 2) ? OUT : TILE + m->group, kind = below(m, 8);
    uint64_t base = CK_OBJECT_BASE(object);
    if (kind < 6)
        return number(m,
                      base + 4 * (uint64_t)(kind < 3    ? m->thread
                                            : kind == 3 ? below(m, ELEMENTS)
                                                        : (m->thread ^ 1)),
                      8);
    uint32_t index = expr(m, CK_AND, 4, reg(m, below(m, R_COUNT)), number(m, ELEMENTS - 1, 4), 0);
    uint32_t scaled = expr(m, CK_MUL, 8, expr(m, CK_ZEXT, 8, index, 0, 0), number(m, 4, 8), 0);
    return expr(m, CK_ADD, 8, number(m, base, 8), scaled, 0);
}

static void access(struct maker *m)
{
    bool loads = below(m, 2);
    struct ck_instr i = instr(loads ? CK_LOAD : CK_STORE);
    i.address = place(m);
    if (loads)
        i.reg = below(m, 2) ? R_READ : R_OTHER;
    else
        i.value = below(m, 3) ? expr(m, CK_ADD, 4, reg(m, below(m, R_COUNT)), number(m, below(m, 3), 4), 0)
                              : number(m, 1 + below(m, 3), 4);
    emit(m, i);
}

/* The code after FROM is executed if a register is less than a constant. */
static uint32_t branch(struct maker *m, uint32_t r)
{
    struct ck_instr i = instr(CK_BRANCH);
    i.value = expr(m, CK_ULT, 1, reg(m, r), number(m, 1 + below(m, 2), 4), 0);
    return emit(m, i);
}

static void end_branch(struct maker *m, uint32_t at)
{
    m->p->threads[m->thread].instrs[at].target = m->p->threads[m->thread].instr_count;
}

static void statement(struct maker *m)
{
    uint32_t at;
    switch (below(m, 8)) {
    case 0:
        at = branch(m, below(m, 2) ? R_READ : R_OTHER);
        access(m);
        end_branch(m, at);
        return;
    case 1:
        assign(m, R_K, number(m, 0, 4));
        at = branch(m, R_K);
        access(m);
        assign(m, R_K, expr(m, CK_ADD, 4, reg(m, R_K), number(m, 1, 4), 0));
        struct ck_instr jump = instr(CK_JUMP);
        jump.target = at;
        emit(m, jump);
        end_branch(m, at);
        return;
    default:
        access(m);
    }
}

static void barrier(struct maker *m, uint32_t site, uint8_t flags, bool sub_group)
{
    struct ck_instr i = instr(CK_BARRIER);
    uint32_t at = below(m, 16) ? UINT32_MAX : branch(m, R_READ);
    if (below(m, 24) == 0)
        return; /* the others diverge */
    i.site = site;
    i.fence_flags = flags;
    i.sub_group = sub_group;
    emit(m, i);
    if (at != UINT32_MAX)
        end_branch(m, at);
}

static void add_object(struct maker *m, const char *name, bool local, int32_t group, bool any)
{
    static const uint64_t zeros[ELEMENTS];
    ck_program_add_object(m->p, &(struct ck_object){.name = name,
                                                    .size = 4 * ELEMENTS,
                                                    .element_size = 4,
                                                    .region = local ? MM_LOCAL : MM_GLOBAL,
                                                    .origin = local ? MM_ORIGIN_NONE : MM_ORIGIN_BUFFER,
                                                    .non_atomic = true,
                                                    .uninitialized = any,
                                                    .work_group = group,
                                                    .alias_of = m->p->object_count,
                                                    .initial = zeros});
}

static void condition(struct maker *m, bool observed)
{
    struct ck_prop prop = {.op = CK_PROP_TRUE};
    if (observed)
        prop = (struct ck_prop){.op = CK_PROP_COMPARE,
                                .compare = CK_EQ,
                                .left = {.kind = CK_TERM_MEMORY, .object = OUT},
                                .right = {.kind = CK_TERM_CONST, .value = below(m, 3)}};
    for (uint32_t i = 0; i < OBSERVED && observed; i++)
        ck_program_add_observed(m->p,
                                &(struct ck_term){.kind = CK_TERM_MEMORY, .object = OUT, .offset = 4 * i});
    m->p->quantifier = observed ? (enum ck_quantifier)below(m, 3) : CK_EXISTS;
    m->p->condition = ck_program_add_prop(m->p, &prop);
}

static struct ck_program *make(uint64_t seed)
{
    struct maker m = {.random = (seed + 1) * 0x9E3779B97F4A7C15U, .p = ck_program_create()};
    uint32_t threads = 2 + (below(&m, 4) == 0), phases = 1 + below(&m, threads > 2 ? 2 : 3),
             split = below(&m, 3) == 0;
    uint8_t flags[3];
    bool sub_group[3];
    m.p->name = "plain";
    m.p->kernel = true;
    add_object(&m, "out", false, -1, false);
    for (int32_t group = 0; group < 2; group++)
        add_object(&m, "tile", true, group, below(&m, 3) == 0);
    for (uint32_t i = 0; i < 3; i++) {
        flags[i] = (uint8_t)(below(&m, 2) ? MM_FENCE_GLOBAL | MM_FENCE_LOCAL : 1 + below(&m, 2));
        sub_group[i] = below(&m, 6) == 0;
    }
    for (uint32_t t = 0; t < threads; t++) {
        m.group = split ? t % 2 : 0;
        m.thread = ck_program_add_thread(
            m.p, &(struct ck_thread){.name = "P", .work_group = m.group, .sub_group = t % 2 && below(&m, 2)});
        for (uint32_t r = 0; r < R_COUNT; r++)
            ck_program_add_reg(m.p, m.thread, "", 4, false);
        for (uint32_t i = 0; i < phases; i++) {
            for (uint32_t n = 1 + (threads == 2 && below(&m, 2)); n > 0; n--)
                statement(&m);
            if (i + 1 < phases)
                barrier(&m, i + 1, flags[i], sub_group[i]);
        }
        emit(&m, instr(CK_END));
    }
    condition(&m, below(&m, 2));
    return m.p;
}

/* ---- comparison --------------------------------------------------------------------------------- */

static struct ck_verdict decide(const struct ck_program *p, const struct mm_cat_model *model, bool z3,
                                struct ck_options options)
{
    struct ck_verdict v;
    struct mm_error err = {0};
    options.unroll = z3 ? 0 : 6;
    options.bound = 6;
    options.accept_vacuous = true;
    if (z3 ? ck_z3(p, model, &options, &v, &err) : ck_search(p, model, &options, &v, &err))
        fail_msg("%s", err.message);
    return v;
}

/* Whether no answer that both decide differs.  The other answers for a racy program are arbitrary. */
static bool agree(const struct ck_program *p, const struct ck_verdict *a, const struct ck_verdict *b)
{
    if (differ(a->race, b->race) || differ(a->divergence, b->divergence))
        return false;
    if (a->race == CK_YES)
        return true;
    return !differ(a->condition, b->condition) && !differ(a->termination, b->termination) &&
           (!a->states_complete || !b->states_complete || have_same_states(p, a, b));
}

static void print(const char *name, const struct ck_verdict *v)
{
    fprintf(stderr, "#  %s: condition %d, race %d, divergence %d, termination %d, %zu states, %s\n", name,
            v->condition, v->race, v->divergence, v->termination, v->state_count, v->limit.message);
}

/* Numbers of programs by the enumeration's answers, and how often one execution decided. */
struct tally {
    unsigned racy, clean, diverging, open, by_one[2];
};

static bool is_consistent(uint64_t seed, const struct mm_cat_model *model, struct tally *tally)
{
    static const char *const names[] = {"enumeration", "judged by the model", "judged by clocks", "Z3"};
    struct ck_program *p = make(seed);
    unsigned count = seed % Z3_EVERY ? 3 : 4;
    bool same = true;
    struct ck_verdict v[4] = {decide(p, model, false, (struct ck_options){.no_walk = true}),
                              decide(p, model, false, (struct ck_options){.drf = true}),
                              decide(p, model, false, (struct ck_options){.drf = true, .by_clocks = true})};
    if (count > 3)
        v[3] = decide(p, model, true, (struct ck_options){0});
    for (unsigned i = 1; i < count; i++)
        same = same && agree(p, &v[0], &v[i]);
    for (unsigned i = 0; i < count && !same; i++)
        print(names[i], &v[i]);
    tally->racy += v[0].race == CK_YES;
    tally->diverging += v[0].divergence == CK_YES;
    tally->clean += v[0].race == CK_NO && v[0].divergence == CK_NO;
    tally->open += v[0].race == CK_UNKNOWN;
    for (unsigned i = 0; i < 2; i++)
        tally->by_one[i] += v[1 + i].race == CK_NO && v[1 + i].candidate_count <= 1;
    for (unsigned i = 0; i < count; i++)
        ck_verdict_clear(&v[i]);
    ck_program_destroy(p);
    return same;
}

static void one_execution_decides(void **state)
{
    uint64_t count = setting("HUNT_COUNT", DEFAULT_COUNT), first = setting("HUNT_SEED", 0);
    struct mm_cat_model *model;
    struct mm_error err = {0};
    struct tally tally = {0};
    unsigned found = 0;
    (void)state;
    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err))
        fail_msg("%s", err.message);
    for (uint64_t seed = first; seed < first + count && found < 3; seed++) {
        if (is_consistent(seed, model, &tally))
            continue;
        fprintf(stderr, "# seed %llu differs\n", (unsigned long long)seed);
        found++;
    }
    mm_cat_destroy(model);
    fprintf(stderr, "# %u racy, %u clean, %u diverging, %u open; one execution decided %u, by clocks %u\n",
            tally.racy, tally.clean, tally.diverging, tally.open, tally.by_one[0], tally.by_one[1]);
    assert_int_equal(found, 0);
    assert_true(tally.racy * 5 >= count && tally.clean * 5 >= count && tally.diverging > 0);
    assert_true(tally.by_one[0] * 6 >= count && tally.by_one[1] * 12 >= count && tally.open * 10 <= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_execution_decides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
