/* The cat language: accepted models, positions of errors, the meaning of expressions, and that bounds of
 * partial candidates enclose every completion. */
#include "memmodel/cat/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/memmodel/cat_test.h"

/* ---- errors ------------------------------------------------------------------------------------- */

static void errors(void **state)
{
    static const char *const cases[][2] = {
        {"let a = foo", "m.cat:1:9: unknown name 'foo'"},
        {"let a = po\nlet b = a ; R", "m.cat:2:11: ';' composes relations"},
        {"acyclic po | R", "m.cat:1:12: one operand is a set"},
        {"let a = (po", "m.cat:1:12: expected ')'"},
        {"let a = [po]", "m.cat:1:9: [ ] takes a set"},
        {"let a = R+", "m.cat:1:10: closures and inverses"},
        {"let a = po * R", "m.cat:1:9: '*' makes a relation of two sets"},
        {"let a = domain(R)", "m.cat:1:9: domain and range"},
        {"acyclic R as x", "m.cat:1:1: acyclic takes a relation"},
        {"let f(x) = x\nlet a = f", "m.cat:2:9: function 'f' without arguments"},
        {"let f(x) = x\nlet a = f(po, po)", "m.cat:2:9: wrong number of arguments for 'f'"},
        {"let f(x) = x;x\nlet a = f(R)", "m.cat:1:13: ';' composes relations"},
        {"let a = po(po)", "m.cat:1:9: 'po' is not a function"},
        {"let rec", "m.cat:1:8: expected a name to define"},
        {"let rec a = po and", "m.cat:1:19: expected a name to define"},
        {"let rec a = ~a", "m.cat:1:14: 'a' depends on its own complement"},
        {"let rec a = po \\ b and b = a", "m.cat:1:18: 'b' depends on its own complement"},
        {"let f(x) = x\nlet rec a = f(po | a)",
         "m.cat:2:20: 'a' is passed to a function in its own definition"},
        {"let rec a = R", "m.cat:1:13: a recursive definition must be a relation"},
        {"let a = po ++ po", "m.cat:1:12: '++' works on single events"},
        {"let a = po $ po", "m.cat:1:12: character that means nothing here"},
        {"let a = po (* open", "m.cat:1:12: comment without an end"},
        {"include \"nowhere.cat\"", "m.cat:1:9: cannot read included file 'nowhere.cat'"},
        {"title\nlet = po", "m.cat:2:5: expected a name to define"},
        {"flag po", "m.cat:1:6: expected acyclic, irreflexive or empty"},
        {"let a = po po", "m.cat:1:12: expected let, a check, include or show"},
        {"(* @if x=y *)\nlet a = po", "m.cat:2:1: @if names a switch that was not declared"},
        {"let a = tag2events('acq)", "m.cat:1:9: tags of scopes and events are sets here"},
        {"let a = 'acq", "m.cat:1:9: tags of scopes and events are sets here"},
        {"forall x in classes-loc(W) do empty x end", "m.cat:1:1: forall goes over single sets"},
        {"let f(s) = linearisations(s, po)\nempty f(W)", "m.cat:2:7: 'f' is about sets of orders"},
        {"with co from cross(g(po, classes-loc(W)))", "m.cat:1:20: 'g' makes no orders"},
        {"with co from cross(co_locs(po, W))",
         "m.cat:1:14: orders can be enumerated of the writes of each location"},
        {"with co from generate_cos(nothing)", "m.cat:1:27: unknown name 'nothing'"},
        {"procedure p(r) = empty r", "m.cat:1:25: procedure without 'end'"},
        {"call p(po)", "m.cat:1:6: 'p' is not a procedure"},
        {"procedure p(r) = empty r end\ncall p(po, po)", "m.cat:2:6: wrong number of arguments"},
        {"procedure p(r) =\nempty r;R end\ncall p(po)", "m.cat:2:8: ';' composes relations"},
        {"procedure p(r) = let x = r end\ncall p(po)\nempty x", "m.cat:3:7: unknown name 'x'"},
        {"procedure p(r) = call p(r) end\ncall p(po)", "m.cat:1:23: too many calls of procedures"},
        {"let a = let b = po in b\nempty b", "m.cat:2:7: unknown name 'b'"},
        {"let f(x) = let x = x in x", "m.cat:1:16: 'x' is a parameter of the function around it"},
        {"let rec a = let b = a in b", "m.cat:1:13: a local definition within a recursive one"},
        {"let a = try nothing with other", "m.cat:1:26: unknown name 'other'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(cases[i][0], cases[i][1]);
}

static void deep_nesting(void **state)
{
    size_t depth = 100000;
    char *text = malloc(depth + 16);

    (void)state;
    memcpy(text, "let a = ", 8);
    memset(text + 8, '(', depth);
    text[8 + depth] = '\0';
    expect_error(text, "m.cat:1:");
    memset(text + 8, '~', depth);
    expect_error(text, "m.cat:1:");
    free(text);
}

static void repeat(FILE *out, const char *text, size_t count)
{
    while (count-- > 0)
        fputs(text, out);
}

/* Options that are negated twice, each time 200,000 times, and 50,000 statements within one another. */
static void deep_conditions(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("let a = if ", out);
    repeat(out, "~!", 200000);
    fputs("\"x\" then po else rf\nif not \"x\" then acyclic a end", out);
    assert_int_equal(fclose(out), 0);
    struct mm_cat_model *model = NULL;
    struct mm_error err;
    assert_int_equal(mm_cat_parse(text, "m.cat", NULL, &model, &err), MM_OK);
    assert_int_equal(model->check_count, 1);
    mm_cat_destroy(model);
    free(text);
    out = open_memstream(&text, &size);
    assert_non_null(out);
    repeat(out, "if \"x\" then ", 50000);
    assert_int_equal(fclose(out), 0);
    expect_error(text, "m.cat:1:4804: condition nested too deeply");
    free(text);
}

/* HEAD, DEPTH times OPEN, CORE, as often CLOSE, TAIL: whether that is a model. */
static bool nests(const char *head, char open, size_t depth, const char *core, const char *close,
                  const char *tail)
{
    char text[1200];
    size_t at = (size_t)snprintf(text, sizeof text, "%s", head);
    struct mm_cat_model *model = NULL;
    struct mm_error err;
    memset(text + at, open, depth);
    at += depth;
    at += (size_t)snprintf(text + at, sizeof text - at, "%s", core);
    memset(text + at, *close, *close ? depth : 0);
    at += *close ? depth : 0;
    snprintf(text + at, sizeof text - at, "%s", tail);
    bool good = mm_cat_parse(text, "m.cat", NULL, &model, &err) == MM_OK;
    if (good)
        mm_cat_destroy(model);
    else
        assert_string_equal(err.rule, "cat.depth");
    return good;
}

/* 400 levels: one for the expression of a definition, one more before "if", one for each condition or
 * complement, two for each parenthesis. */
static void deepest_nesting(void **state)
{
    (void)state;
    assert_true(nests("let a = if ", '(', 397, "\"x\"", ")", " then po else rf"));
    assert_false(nests("let a = if ", '(', 398, "\"x\"", ")", " then po else rf"));
    assert_true(nests("let a = ", '~', 398, "po", "", ""));
    assert_false(nests("let a = ", '~', 399, "po", "", ""));
    assert_true(nests("let a = ", '(', 199, "po", ")", ""));
    assert_false(nests("let a = ", '(', 200, "po", ")", ""));
}

struct frame {
    const struct mm_cat_expr *call;
    const struct frame *outer;
};

/* E with all definitions expanded: a parameter is replaced by the argument in CALL. */
static void write_expr(const struct mm_cat_model *m, const struct mm_cat_expr *e, const struct frame *frame,
                       FILE *out)
{
    if (e->op == MM_CAT_PARAMETER) {
        write_expr(m, frame->call->child[e->parameter], frame->outer, out);
    } else if (e->op == MM_CAT_CALL) {
        struct frame inner = {e, frame};

        write_expr(m, m->lets[e->let].body, &inner, out);
    } else if (e->op == MM_CAT_NAME && e->base == UINT32_MAX) {
        write_expr(m, m->lets[e->let].body, NULL, out);
    } else {
        fprintf(out, "(%d %d", (int)e->op, e->op == MM_CAT_NAME ? (int)e->base : 0);
        for (uint32_t i = 0; i < e->child_count; i++)
            write_expr(m, e->child[i], frame, out);
        fputc(')', out);
    }
}

/* Syntax of other readers: accepted, and equal to its expansion. */
static void other_forms(void **state)
{
    static const char *const cases[][2] = {
        {"include \"filters.cat\"\nempty WW(po)", "empty po & (W * W)"},
        {"let WW r = r & (W * W)\nempty WW po", "empty po & (W * W)"},
        {"empty domain rf", "empty domain(rf)"},
        {"include \"stdlib.cat\"\nempty singlestep(po)", "empty po \\ (po; po)"},
        {"include \"fences.cat\"\nempty po & mfence", "empty po & 0"},
        {"include \"cos.cat\"\nempty co \\ co0", "empty co \\ (loc & (IW * (W \\ IW)))"},
        {"\"X\" withoutco include \"basic.cat\" include \"c11_los.cat\" empty lo | RM(po)",
         "empty 0 | (po & (R * M))"},
        {"procedure p(r, s) = empty r; s end\ncall p(rf, po)", "empty rf; po"},
        {"let x = po\nprocedure p(r) = let y = x; r empty y end\nlet x = rf\ncall p(co)", "empty po; co"},
        {"let f(r) = let s = r^-1 and t = r; r in s | t\nempty f(po)", "empty po^-1 | (po; po)"},
        {"empty try nothing & (0; po) with rf", "empty rf"},
        {"empty try rf with po", "empty rf"},
        {"empty try nothing & match W with {} -> po || x ++ xs -> x end with rf", "empty rf"},
        {"let f(s) = try match s with {} -> 0 || x ++ xs -> x end with 0\nempty po", "empty po"},
        {"empty begin po | rf end", "empty po | rf"},
        {"enum ops = 'a || 'b\ninstructions RMW[{'a, 'b}]\nshow nothing as n\nunshow other\nempty po^*; rf^?",
         "empty po*; rf?"},
        {"assert empty po as x", "flag ~empty po as x"},
        {"empty I & G & [wi]", ""},
        {"empty po & (wi; same_B)", "empty po & (int; syncbar)"},
        {"empty int | (_ * (R & W))", "empty int | (_ * RMW)\nempty rmw & ((rf^-1; co); co)"},
        {"let rec co_locs(r, s) = match s with {} -> {r} || x ++ xs -> let y = x in co_locs(r, xs) end\n"
         "let makeCo(s) = linearisations(s, po)\nwith co from cross(co_locs(loc & (IW * W), "
         "classes-loc(A)))\nempty co",
         "let c = co & (A * A)\nempty ((loc & (IW * W)) & (A * A)) \\ c\nempty c"},
        {"with mo from generate_orders(W, po)\nempty mo",
         "let c = co & (W * W)\nempty (po & (W * W)) \\ c\nempty c"},
        {"with co from generate_cos(po)\nempty co", "empty po \\ co\nempty co"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm_cat_model *models[2];
        struct mm_error err;
        char *texts[2] = {NULL, NULL};

        if (!*cases[i][1]) {
            expect_error(cases[i][0], "m.cat:1:15: [ ] takes a set");
            continue;
        }
        for (unsigned m = 0; m < 2; m++) {
            size_t size;
            FILE *out;

            if (mm_cat_parse(cases[i][m], "m.cat", NULL, &models[m], &err) != MM_OK)
                fail_msg("'%s': %s at %u:%u", cases[i][m], err.message, err.line, err.column);
            out = open_memstream(&texts[m], &size);
            for (uint32_t c = 0; c < models[m]->check_count; c++) {
                fprintf(out, "%d%d%d ", (int)models[m]->checks[c].kind, models[m]->checks[c].flag,
                        models[m]->checks[c].negated);
                write_expr(models[m], models[m]->checks[c].expr, NULL, out);
            }
            fclose(out);
            mm_cat_destroy(models[m]);
        }
        if (strcmp(texts[0], texts[1]) != 0)
            fail_msg("'%s' is %s, not %s", cases[i][0], texts[0], texts[1]);
        free(texts[0]);
        free(texts[1]);
    }
}

/* ---- meaning ------------------------------------------------------------------------------------ */

/* Two threads: W x; R y | W y; R x with initial writes.  Events: 0 IWx 1 IWy 2 Wx 3 Ry 4 Wy 5 Rx. */
static struct mm_cat_event events[6];
static struct mm_cat_events all = {.events = events, .count = 6};
static uint64_t rf[6], co[6];

static int set_up(void **state)
{
    static const uint32_t location[] = {0, 1, 0, 1, 1, 0};

    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        events[i] = (struct mm_cat_event){.thread = i < 2   ? UINT32_MAX
                                                    : i < 4 ? 0
                                                            : 1,
                                          .location = location[i],
                                          .rmw_partner = UINT32_MAX,
                                          .barrier = UINT32_MAX,
                                          .init = i < 2,
                                          .write = i < 2 || i == 2 || i == 4,
                                          .read = i == 3 || i == 5,
                                          .order = i < 2 ? MM_ORDER_NONE : MM_RELAXED,
                                          .attributes = i < 2 ? 0 : MM_ATOMIC,
                                          .memory.region = MM_GLOBAL};
    }
    memset(rf, 0, sizeof rf);
    memset(co, 0, sizeof co);
    mm_rel_add(6, rf, 1, 3);
    mm_rel_add(6, rf, 0, 5);
    mm_rel_add(6, co, 0, 2);
    mm_rel_add(6, co, 1, 4);
    return 0;
}

/* Whether the check in TEXT holds of the execution above. */
static bool holds(const char *text)
{
    struct mm_cat_model *model;
    struct mm_cat_eval *eval;
    struct mm_error err = {0};
    bool failed;

    if (mm_cat_parse(text, "m.cat", NULL, &model, &err))
        fail_msg("'%s': %u:%u %s", text, err.line, err.column, err.message);
    eval = mm_cat_eval_create(model, &err);
    assert_non_null(eval);
    assert_int_equal(mm_cat_eval_begin(eval, &all, &err), MM_OK);
    mm_cat_eval_rf(eval, rf, NULL);
    mm_cat_eval_co(eval, co, NULL);
    failed = mm_cat_eval_fails(eval, model->check_count - 1);
    mm_cat_eval_destroy(eval);
    mm_cat_destroy(model);
    return !failed;
}

/* Whether A and B are the same set or relation. */
static bool same(const char *prelude, const char *a, const char *b)
{
    char text[600];

    snprintf(text, sizeof text, "%s empty ((%s) \\ (%s)) | ((%s) \\ (%s))", prelude, a, b, b, a);
    return holds(text);
}

static void meaning(void **state)
{
    (void)state;
    assert_true(holds("acyclic po"));
    assert_true(holds("acyclic po | rf | co"));
    assert_false(holds("acyclic po | rf | co | fr"));
    assert_true(holds("~acyclic po | fr"));
    assert_true(holds("empty R & W"));
    assert_false(holds("empty po"));
    assert_true(holds("~empty po"));
    assert_false(holds("irreflexive id"));
    assert_true(same("", "M", "R | W"));
    assert_true(same("", "fr", "rf^-1;co"));
    assert_true(same("", "fre", "fr & ext"));
    assert_true(same("", "_ * _", "~0"));
    assert_true(same("", "W^2", "W * W"));
    assert_true(same("", "[domain(rf)]", "[W];[range(rf^-1)]"));
    assert_true(same("", "toid(R)", "[R]"));
    assert_true(same("", "po?", "po | id"));
    assert_true(same("", "po*", "po+ | id"));
    assert_true(same("", "int", "(po | po^-1 | id) "));
    assert_true(same("", "fencerel(W)", "po; [W]; po"));
    assert_true(same("", "{}", "R & W"));
    assert_true(same("", "!R", "~R"));
}

static void precedence(void **state)
{
    (void)state;
    /* | loosest, then ; then \ then & then the product, then complement, then postfix. */
    assert_true(same("", "po | rf ; co", "po | (rf ; co)"));
    assert_true(same("", "ext ; po \\ po", "ext ; (po \\ po)"));
    assert_false(same("", "ext ; po \\ po", "(ext ; po) \\ po"));
    assert_true(same("", "ext \\ loc & W * R", "ext \\ (loc & (W * R))"));
    assert_true(same("", "~W * R", "(~W) * R"));
    assert_true(same("", "~po^-1", "~(po^-1)"));
    assert_true(same("", "~po+", "~(po+)"));
    assert_true(same("", "ext \\ po \\ rf", "(ext \\ po) \\ rf"));
    assert_true(same("let r = po* let s = rf", "r;s", "po*;rf"));
}

static void definitions(void **state)
{
    (void)state;
    assert_true(same("let f(x, y) = x;y", "f(po, rf)", "po;rf"));
    assert_true(same("let f(x) = x | x", "[f(R)]; f(po)", "[R]; po"));
    assert_true(same("let W = R", "W", "R"));
    assert_true(same("let f(W) = ~W", "f(R)", "~R"));
    assert_true(same("let rec r = (po | rf) | r; r", "r", "(po | rf)+"));
    assert_true(same("let rec a = po | b;rf and b = a | co", "a | b", "(po | co); rf* | po | co"));
    assert_true(same("let rec a = (try po with rf) | b;rf and b = begin a | co end", "a | b",
                     "(po | co); rf* | po | co"));
    assert_true(same("let po-loc' = po & loc", "po-loc'", "po-loc"));
    assert_true(same("(* @switch s one two *) (* @if s=one *) let a = po (* @if s=two *) let a = nothing",
                     "a", "po"));
}

/* herd names and forms that must be read. */
static void forms(void **state)
{
    static const char text[] = "\"A title\"\n// line\n/* block */ (* nested (* twice *) *)\n"
                               "let a = po show a, rf as b\nunshow co\n"
                               "(* what it is for *)\nacyclic a as first\nflag ~empty a as second\n"
                               "undefined_unless empty a as third\n~empty a\n";
    struct mm_cat_model *model;
    struct mm_error err;

    (void)state;
    assert_int_equal(mm_cat_parse(text, "m.cat", NULL, &model, &err), MM_OK);
    assert_string_equal(model->title, "A title");
    assert_int_equal(model->check_count, 4);
    assert_string_equal(model->checks[0].name, "first");
    assert_string_equal(model->checks[0].clause, "what it is for");
    assert_int_equal(model->checks[0].line, 7);
    assert_true(model->checks[1].flag && model->checks[1].negated);
    assert_true(model->checks[2].flag && model->checks[2].negated);
    assert_true(!model->checks[3].flag && model->checks[3].negated);
    assert_null(model->checks[3].clause);
    mm_cat_destroy(model);
}

static void switches(void **state)
{
    static const char text[] = "(* @switch s one two *)\n(* always @if s=one *)\nacyclic po as first\n"
                               "(* @if s=two *)\nacyclic unknown-name as second\nacyclic po as last";
    const char *const one[] = {"s=one", NULL}, *const bad[] = {"s=three", NULL},
                      *const no[] = {"t=one", NULL};
    struct mm_cat_model *model;
    struct mm_error err;

    (void)state;
    assert_int_equal(mm_cat_parse(text, "m.cat", one, &model, &err), MM_OK);
    assert_int_equal(model->check_count, 2);
    assert_string_equal(model->checks[0].clause, "always");
    assert_string_equal(model->checks[1].name, "last");
    mm_cat_destroy(model);
    assert_int_equal(mm_cat_parse(text, "m.cat", bad, &model, &err), MM_INVALID);
    assert_int_equal(mm_cat_parse(text, "m.cat", no, &model, &err), MM_INVALID);
}

/* Whether the four steps by which the model TEXT, whose only check fails, explains this have EDGES. */
static void expect_explanation(const char *text, const char *const edges[4])
{
    struct mm_cat_model *model;
    struct mm_cat_eval *eval;
    struct mm_cat_step steps[8];
    struct mm_error err;

    assert_int_equal(mm_cat_parse(text, "m.cat", NULL, &model, &err), MM_OK);
    eval = mm_cat_eval_create(model, &err);
    assert_int_equal(mm_cat_eval_begin(eval, &all, &err), MM_OK);
    mm_cat_eval_rf(eval, rf, NULL);
    mm_cat_eval_co(eval, co, NULL);
    assert_true(mm_cat_eval_fails(eval, 0));
    assert_int_equal(mm_cat_eval_explain(eval, 0, steps, 8), 4);
    assert_int_equal(steps[0].event, 2);
    for (int i = 0; i < 4; i++)
        assert_string_equal(steps[i].edge, edges[i]);
    mm_cat_eval_destroy(eval);
    mm_cat_destroy(model);
}

static void explanation(void **state)
{
    static const char *const edges[] = {"sb", "fr", "sb", "fr"};

    (void)state;
    expect_explanation("let sb = po acyclic (sb | rf | co | fr)+ as sc", edges);
}

/* A recursive relation with a definition that contains another one 2^64 times: the explanation does not take
 * time for each. */
static void explanation_of_shared_definitions(void **state)
{
    static const char *const edges[] = {"po", "fr", "po", "fr"};
    char text[4096] = "let a0 = po | po\n";

    (void)state;
    for (unsigned i = 1; i <= 64; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "let a%u = a%u | a%u\n", i, i - 1, i - 1);
    strcat(text, "let rec r = po | fr | (a64 ; r) acyclic r");
    expect_explanation(text, edges);
}

/* ---- bounds ------------------------------------------------------------------------------------- */

/* Random expressions over po, rf, co, loc and sets. */
static uint64_t seed = 7;

static uint32_t random_below(uint32_t bound)
{
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(seed >> 33) % bound;
}

static void random_relation(char *out, size_t size, unsigned depth)
{
    static const char *const leaves[] = {"po", "rf", "co", "fr", "loc", "[W]", "(R * W)", "ext",
                                         /* each read's two candidate sources */
                                         "((IW * R) & loc)", "((W \\ IW) * R & loc)"};
    static const char *const shapes[] = {"(%s | %s)", "(%s & %s)", "(%s \\ %s)", "(%s ; %s)",
                                         "~(%s)",     "(%s)+",     "(%s)^-1",    "[domain(%s)]"};
    char a[2000], b[2000];
    unsigned shape = random_below(8);

    if (depth == 0 || random_below(6) == 0) {
        snprintf(out, size, "%s", leaves[random_below(10)]);
        return;
    }
    random_relation(a, sizeof a, depth - 1);
    random_relation(b, sizeof b, depth - 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    if (shape < 4)
        snprintf(out, size, shapes[shape], a, b);
    else
        snprintf(out, size, shapes[shape], a);
#pragma GCC diagnostic pop
}

/* If a check fails for the bounds, it fails for every rf and co within them. */
static void check_bounds(const char *text)
{
    static const uint32_t sources[2][2] = {{1, 4}, {0, 2}};
    static const uint32_t reads[2] = {3, 5};
    struct mm_cat_model *model;
    struct mm_cat_eval *eval;
    struct mm_error err;
    uint64_t lower[6], upper[6], exact[6];
    bool bound_fails[9], any_holds[9] = {false};

    assert_int_equal(mm_cat_parse(text, "m.cat", NULL, &model, &err), MM_OK);
    eval = mm_cat_eval_create(model, &err);
    assert_int_equal(mm_cat_eval_begin(eval, &all, &err), MM_OK);
    /* Partial choice of the sources of the two reads: 2 represents an open choice. */
    for (uint32_t p = 0; p < 9; p++) {
        uint32_t choice[2] = {p % 3, p / 3};

        memset(lower, 0, sizeof lower);
        memset(upper, 0, sizeof upper);
        for (uint32_t r = 0; r < 2; r++) {
            for (uint32_t s = 0; s < 2; s++) {
                if (choice[r] == s)
                    mm_rel_add(6, lower, sources[r][s], reads[r]);
                if (choice[r] == s || choice[r] == 2)
                    mm_rel_add(6, upper, sources[r][s], reads[r]);
            }
        }
        mm_cat_eval_rf(eval, lower, upper);
        mm_cat_eval_co(eval, co, co);
        bound_fails[p] = mm_cat_eval_fails(eval, 0);
    }
    for (uint32_t c = 0; c < 4; c++) {
        memset(exact, 0, sizeof exact);
        mm_rel_add(6, exact, sources[0][c & 1], reads[0]);
        mm_rel_add(6, exact, sources[1][c >> 1], reads[1]);
        mm_cat_eval_rf(eval, exact, NULL);
        mm_cat_eval_co(eval, co, NULL);
        for (uint32_t p = 0; p < 9; p++) {
            bool covers = (p % 3 == 2 || p % 3 == (c & 1)) && (p / 3 == 2 || p / 3 == c >> 1);

            if (covers && !mm_cat_eval_fails(eval, 0))
                any_holds[p] = true;
            if (p % 3 == (c & 1) && p / 3 == c >> 1)
                assert_int_equal(bound_fails[p], mm_cat_eval_fails(eval, 0));
        }
    }
    for (uint32_t p = 0; p < 9; p++) {
        if (bound_fails[p] && any_holds[p])
            fail_msg("bounds prune a completion of choice %u for: %s", p, text);
    }
    mm_cat_eval_destroy(eval);
    mm_cat_destroy(model);
}

static void bounds(void **state)
{
    static const char *const kinds[] = {"acyclic",  "irreflexive",  "empty",
                                        "~acyclic", "~irreflexive", "~empty"};

    (void)state;
    for (int i = 0; i < 5000; i++) {
        char relation[9000], text[9100];

        random_relation(relation, sizeof relation, 1 + random_below(4));
        snprintf(text, sizeof text, "%s %s as c", kinds[random_below(6)], relation);
        check_bounds(text);
    }
}

/* If a check passes while the order of three writes is open, it passes for every order; returns whether it
 * does. */
static bool check_orders(const char *text)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct mm_cat_event accesses[6] = {
        {.write = true, .thread = 0}, {.write = true, .thread = 1},
        {.write = true, .thread = 1}, {.read = true, .thread = 0},
        {.read = true, .thread = 1},  {.write = true, .thread = 2, .location = 1}};
    const struct mm_cat_events some = {.events = accesses, .count = 6};
    struct mm_cat_model *model;
    struct mm_cat_eval *eval;
    struct mm_error err;
    uint64_t from[6] = {0}, open[6] = {6, 5, 3}, known[6] = {0};

    for (uint32_t i = 0; i < 6; i++)
        accesses[i].rmw_partner = accesses[i].barrier = UINT32_MAX;
    bool passes;

    mm_rel_add(6, from, 1, 3);
    mm_rel_add(6, from, 0, 4);
    assert_int_equal(mm_cat_parse(text, "m.cat", NULL, &model, &err), MM_OK);
    eval = mm_cat_eval_create(model, &err);
    assert_int_equal(mm_cat_eval_begin(eval, &some, &err), MM_OK);
    mm_cat_eval_rf(eval, from, from);
    mm_cat_eval_co(eval, known, open);
    passes = mm_cat_eval_passes(eval, 0);
    for (int k = 0; k < 6 && passes; k++) {
        memset(known, 0, sizeof known);
        for (int a = 0; a < 3; a++) {
            for (int b = a + 1; b < 3; b++)
                mm_rel_add(6, known, orders[k][a], orders[k][b]);
        }
        mm_cat_eval_rf(eval, from, NULL);
        mm_cat_eval_co(eval, known, NULL);
        if (mm_cat_eval_fails(eval, 0))
            fail_msg("passes though it fails for order %d: %s", k, text);
    }
    mm_cat_eval_destroy(eval);
    mm_cat_destroy(model);
    return passes;
}

static void open_orders(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        char relation[9000], text[9100];

        random_relation(relation, sizeof relation, 1 + random_below(4));
        snprintf(text, sizeof text, "acyclic (co & ext) | (%s \\ co) | %s as c", relation,
                 i % 2 ? "[R]; rf; co" : "co \\ loc");
        check_orders(text);
    }
}

/* Open orders have no cycle among themselves, but may have one with other relations. */
static void cycles_of_orders(void **state)
{
    static const struct {
        const char *text;
        bool passes;
    } cases[] = {{"acyclic co as c", true},
                 {"acyclic co | (po & (W * R)) as c", true},
                 {"acyclic (co & ext) | po as c", false},
                 {"acyclic co | co^-1 as c", false},
                 {"acyclic co; co as c", false},
                 {"acyclic [W]; co; [W] | rf as c", true},
                 {"irreflexive co+ as c", false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (check_orders(cases[i].text) != cases[i].passes)
            fail_msg("%s", cases[i].text);
    }
}

static void out_of_memory(void **state)
{
    static const char text[] = "let f(x) = x;x let a = f(po | rf) let rec b = a | b;b acyclic b as c";

    (void)state;
    for (size_t i = 1; i < 40; i++) {
        struct mm_cat_model *model = NULL;
        struct mm_cat_eval *eval = NULL;
        struct mm_error err;

        mm_alloc_fail_after(i);
        if (mm_cat_parse(text, "m.cat", NULL, &model, &err) == MM_OK)
            eval = mm_cat_eval_create(model, &err);
        if (eval && mm_cat_eval_begin(eval, &all, &err) == MM_OK)
            assert_int_not_equal(i, 1);
        mm_alloc_fail_after(0);
        mm_cat_eval_destroy(eval);
        mm_cat_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors),
                                       cmocka_unit_test(deep_nesting),
                                       cmocka_unit_test(deep_conditions),
                                       cmocka_unit_test(deepest_nesting),
                                       cmocka_unit_test(other_forms),
                                       cmocka_unit_test(meaning),
                                       cmocka_unit_test(precedence),
                                       cmocka_unit_test(definitions),
                                       cmocka_unit_test(forms),
                                       cmocka_unit_test(switches),
                                       cmocka_unit_test(explanation),
                                       cmocka_unit_test(explanation_of_shared_definitions),
                                       cmocka_unit_test(bounds),
                                       cmocka_unit_test(open_orders),
                                       cmocka_unit_test(cycles_of_orders),
                                       cmocka_unit_test(out_of_memory)};

    return cmocka_run_group_tests(tests, set_up, NULL);
}
