/* The cat language: parts that options enable and disable, orders that a model enumerates, and messages about
 * invalid models. */
#include "memmodel/cat/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/memmodel/cat_test.h"

static void errors(void **state)
{
    static const char *const cases[][2] = {
        {"if \"deps\" empty po end", "m.cat:1:11: expected 'then'"},
        {"if \"deps\" then empty po", "m.cat:1:24: expected 'end'"},
        {"if po then empty po end", "m.cat:1:4: only options"},
        {"if \"a b\" then empty po end", "m.cat:1:4: the name of an option is one word"},
        {"let a = if \"deps\" then po", "m.cat:1:26: expected 'else'"},
        {"let a = if \"x\" then nothing else po\nlet b = if \"x\" then po else nothing",
         "m.cat:2:29: unknown name 'nothing'"},
        {"if not \"x\" then empty nothing end", "m.cat:1:23: unknown name 'nothing'"},
        {"if \"x\" && then empty po end", "m.cat:1:11: only options"},
        {"with S from linearisations(SC)", "m.cat:1:13: linearisations takes a set and a relation"},
        {"with S from linearisations(po, po)", "m.cat:1:32: orders are made of one set"},
        {"with S from linearisations(SC, po)\nwith T from linearisations(W, po)",
         "m.cat:2:1: a model enumerates one order of a set"},
        {"with S from linearisations(SC, po)\nlet x = S; po\nflag ~empty x",
         "m.cat:3:1: a flag cannot depend"},
        {"let S0 = linearisations(SC, nothing)\nwith S from S0", "m.cat:1:29: unknown name 'nothing'"},
        {"let f(x) = let rec r = x | r; r in r", "m.cat:1:16: a recursive definition within a function"},
        {"let m = let rec r = po | s; r and s = r in s\nempty r", "m.cat:2:7: unknown name 'r'"},
        {"let p = (po, rf)", "m.cat:1:12: values of several parts"},
        {"let s = {po}", "m.cat:1:10: sets of single events"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(cases[i][0], cases[i][1]);
}

/* Under SWITCHES, the last let of TEXT has the meaning of the name WANTED. */
static void expect_name(const char *text, const char *const *switches, const char *wanted)
{
    struct mm_cat_model *model = NULL;
    struct mm_error err;
    const struct mm_cat_expr *e;

    if (mm_cat_parse(text, "m.cat", switches, &model, &err) != MM_OK)
        fail_msg("'%s': %u:%u: %s", text, err.line, err.column, err.message);
    e = model->lets[model->let_count - 1].body;
    assert_int_equal(e->op, MM_CAT_NAME);
    assert_string_equal(mm_cat_bases[e->base].name, wanted);
    mm_cat_destroy(model);
}

static void options(void **state)
{
    static const char *const a[] = {"a=on", NULL}, *const b[] = {"b=on", NULL},
                             *const both[] = {"a=on", "b=on", NULL};
    static const char expression[] =
        "let x = if \"a\" && not \"b\" then rf else if \"b\" || \"a\" then co else po";
    static const char statement[] =
        "let x = po\nif \"a\" then\n  let x = if \"b\" then rf else nothing(po, S)\n"
        "  if \"b\" then let x = co end\nelse let x = let y = loc in y end\n"
        "if \"b\" then include \"nowhere.cat\" else let z = id end\nlet x = id";

    (void)state;
    expect_name(expression, NULL, "po");
    expect_name(expression, a, "rf");
    expect_name(expression, b, "co");
    expect_name(expression, both, "co");
    expect_name(statement, NULL, "id");
    expect_name("if \"a\" then let x = rf else let x = co end", NULL, "co");
    expect_name("if \"a\" then let x = rf else let x = co end", a, "rf");
    expect_name("procedure p() = if \"a\" then let x = nothing end let y = if \"a\" then nothing else po "
                "end\ncall p()\n"
                "let z = loc",
                NULL, "loc");
    expect_name("let rec r = if \"a\" then nothing else po | r; r\nlet z = ext", NULL, "ext");
}

/* A switch that the model does not use is not an option. */
static void unknown_options(void **state)
{
    static const char *const c[] = {"c=on", NULL};
    struct mm_cat_model *model = NULL;
    struct mm_error err;

    (void)state;
    assert_int_equal(mm_cat_parse("let x = if \"a\" then po else rf", "m.cat", c, &model, &err), MM_INVALID);
    assert_string_equal(err.rule, "cat.switch");
}

enum { EVENTS = 4 };

/* Four fences, two in each thread. */
static void make_events(struct mm_cat_event *events)
{
    for (uint32_t i = 0; i < EVENTS; i++)
        events[i] = (struct mm_cat_event){.thread = i / 2,
                                          .location = UINT32_MAX,
                                          .rmw_partner = UINT32_MAX,
                                          .barrier = UINT32_MAX,
                                          .fence = true,
                                          .order = i == 3 ? MM_RELAXED : MM_SEQ_CST};
}

/* Whether TEXT allows them; otherwise the edges for which the first check fails, with blanks between. */
static bool judge(const char *text, char edges[64])
{
    struct mm_cat_step steps[EVENTS];
    struct mm_cat_event events[EVENTS];
    struct mm_cat_events all = {.events = events, .count = EVENTS};
    uint64_t none[EVENTS] = {0};
    struct mm_cat_model *model = NULL;
    struct mm_cat_eval *eval;
    struct mm_error err;
    bool forbidden;

    make_events(events);
    if (mm_cat_parse(text, "m.cat", NULL, &model, &err) != MM_OK)
        fail_msg("'%s': %u:%u: %s", text, err.line, err.column, err.message);
    eval = mm_cat_eval_create(model, &err);
    assert_non_null(eval);
    assert_int_equal(mm_cat_eval_begin(eval, &all, &err), MM_OK);
    mm_cat_eval_rf(eval, none, NULL);
    mm_cat_eval_co(eval, none, NULL);
    forbidden = mm_cat_eval_forbidden(eval, NULL);
    assert_false(mm_cat_eval_limited(eval));
    for (uint32_t i = 0, n = forbidden && edges ? mm_cat_eval_explain(eval, 0, steps, EVENTS) : 0; i < n; i++)
        snprintf(edges + strlen(edges), 64 - strlen(edges), "%s ", steps[i].edge);
    mm_cat_eval_destroy(eval);
    mm_cat_destroy(model);
    return !forbidden;
}

static bool allowed(const char *text)
{
    return judge(text, NULL);
}

/* A cycle of a recursive definition is printed by its terms, one of an order by its components. */
static void explanations(void **state)
{
    char recursive[64] = "", order[64] = "";

    (void)state;
    assert_false(judge("let rec ob = po | ob; ob | po^-1\nirreflexive ob as x", recursive));
    assert_string_equal(recursive, "po po^-1 ");
    assert_false(judge("with S from linearisations(SC, 0)\nirreflexive S; po^-1\nirreflexive S; po", order));
    assert_string_equal(order, "S po^-1 ");
}

/* Events 0, 1 (one thread) and 2 are seq_cst, 3 is not. */
static void orders(void **state)
{
    (void)state;
    assert_true(allowed("let plus = let rec r = po | r; s and s = r in r\nempty plus \\ po as local"));
    assert_false(allowed("let plus = let rec r = po | r; s and s = r in r\nempty plus as local"));
    assert_true(allowed("with S from linearisations(SC, 0)\nacyclic S as total"));
    assert_true(allowed("with S from linearisations(SC, po)\nempty S & po^-1 as agrees"));
    assert_false(allowed("with S from linearisations(SC, 0)\nempty S as nothing"));
    assert_false(allowed("with S from linearisations(SC, po | po^-1)\nacyclic S as cyclic"));
    /* not of events outside of the set, and total within it */
    assert_true(
        allowed("with S from linearisations(SC, _ * _ & (RLX * SC))\nempty S & (RLX * _) as outside"));
    assert_false(
        allowed("with S from linearisations(SC, 0)\nempty (((SC * SC) \\ id) & ext) \\ S as oneway"));
    assert_true(
        allowed("with S from linearisations(SC, 0)\nempty (((SC * SC) \\ id) & ext) \\ (S | S^-1) as total"));
    /* the order has to serve all checks at once: event 2 is between the others, or last */
    assert_true(allowed("with S from linearisations(SC, po)\n~empty (S & ext); (S & ext) as between"));
    assert_true(allowed("with S from linearisations(SC, po)\n"
                        "empty S & ((SC & domain(po & (_ * RLX))) * _) as last"));
    assert_false(allowed("with S from linearisations(SC, po)\n~empty (S & ext); (S & ext) as between\n"
                         "empty S & ((SC & domain(po & (_ * RLX))) * _) as last"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors), cmocka_unit_test(options),
                                       cmocka_unit_test(unknown_options), cmocka_unit_test(orders),
                                       cmocka_unit_test(explanations)};

    return cmocka_run_group_tests_name("parts of cat models", tests, NULL, NULL);
}
