/* Mutation of opencl.cat: each definition and check is emptied, and each operand that it can do without is
 * left out, one at a time; some test must then fail.  What changes nothing is in equivalent.txt, with the
 * reason. */
#ifndef TESTS_MODELS_MUTATE_H
#define TESTS_MODELS_MUTATE_H

#include "tests/models/verdicts.h"

enum { MAX_EQUIVALENT = 256, MAX_LINE = 640 };

struct mutation_run {
    struct suite suite;
    char (*expected)[3]; /* by test: of the setting at hand, '?' where the test says nothing */
    size_t *order;       /* tests, those that told mutants apart lately first */
    struct mm_cat_model *model;
    const char *setting;
    bool thorough; /* operands too, not only whole definitions and checks */
    char equivalent[MAX_EQUIVALENT][MAX_LINE];
    bool used[MAX_EQUIVALENT];
    unsigned equivalents, mutants, survivors;
};

/* ---- expressions as text ------------------------------------------------------------------------ */

static const char *name_of(const struct mm_cat_model *m, const struct mm_cat_expr *e)
{
    return e->base != UINT32_MAX ? mm_cat_bases[e->base].name : m->lets[e->let].name;
}

static void print_expr(const struct mm_cat_model *m, const struct mm_cat_expr *e, FILE *out)
{
    static const char *const infix[] = {[MM_CAT_UNION] = " | ",
                                        [MM_CAT_INTER] = " & ",
                                        [MM_CAT_DIFF] = " \\ ",
                                        [MM_CAT_SEQ] = "; ",
                                        [MM_CAT_PRODUCT] = " * "};
    static const char *const suffix[] = {
        [MM_CAT_INVERSE] = "^-1", [MM_CAT_PLUS] = "+", [MM_CAT_STAR] = "*", [MM_CAT_OPTIONAL] = "?"};

    switch (e->op) {
    case MM_CAT_NAME:
        fputs(name_of(m, e), out);
        return;
    case MM_CAT_PARAMETER:
        fprintf(out, "$%u", e->parameter + 1);
        return;
    case MM_CAT_UNIVERSE:
    case MM_CAT_EMPTY:
        fputs(e->op == MM_CAT_EMPTY ? "{}" : "_", out);
        return;
    case MM_CAT_UNION:
    case MM_CAT_INTER:
    case MM_CAT_DIFF:
    case MM_CAT_SEQ:
    case MM_CAT_PRODUCT:
        fputc('(', out);
        print_expr(m, e->child[0], out);
        fputs(infix[e->op], out);
        print_expr(m, e->child[1], out);
        fputc(')', out);
        return;
    case MM_CAT_INVERSE:
    case MM_CAT_PLUS:
    case MM_CAT_STAR:
    case MM_CAT_OPTIONAL:
        print_expr(m, e->child[0], out);
        fputs(suffix[e->op], out);
        return;
    default:
        break;
    }
    fputs(e->op == MM_CAT_IDENTITY     ? "["
          : e->op == MM_CAT_COMPLEMENT ? "~("
          : e->op == MM_CAT_DOMAIN     ? "domain("
          : e->op == MM_CAT_RANGE      ? "range("
                                       : name_of(m, e),
          out);
    if (e->op == MM_CAT_CALL)
        fputc('(', out);
    for (uint32_t i = 0; i < e->child_count; i++) {
        fputs(i ? ", " : "", out);
        print_expr(m, e->child[i], out);
    }
    fputc(e->op == MM_CAT_IDENTITY ? ']' : ')', out);
}

/* ---- verdicts ------------------------------------------------------------------------------------ */

/* Whether some test tells the model, as it is now, from the original. */
static bool killed(struct mutation_run *run)
{
    for (size_t k = 0; k < run->suite.count; k++) {
        size_t i = run->order[k];
        char now[3];

        suite_decide(ck_search, &run->suite.tests[i], run->model, now);
        if ((run->expected[i][0] == '?' || run->expected[i][0] == now[0]) &&
            (run->expected[i][1] == '?' || run->expected[i][1] == now[1]))
            continue;
        memmove(run->order + 1, run->order, k * sizeof *run->order);
        run->order[0] = i;
        return true;
    }
    return false;
}

static bool is_equivalent(struct mutation_run *run, const char *text)
{
    for (unsigned i = 0; i < run->equivalents; i++) {
        size_t length = strlen(text);

        if (strncmp(run->equivalent[i], text, length) == 0 &&
            strncmp(run->equivalent[i] + length, " -- ", 4) == 0) {
            run->used[i] = true;
            return true;
        }
    }
    return false;
}

/* Judges the model with *PLACE replaced by WITH. */
static void judge_mutant(struct mutation_run *run, const char *owner, struct mm_cat_expr **place,
                         struct mm_cat_expr *with)
{
    struct mm_cat_expr *original = *place;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, "%s%s%s: ", run->setting ? run->setting : "", run->setting ? " " : "", owner);
    print_expr(run->model, original, out);
    fputs(" => ", out);
    print_expr(run->model, with, out);
    fclose(out);
    run->mutants++;
    *place = with;
    if (!killed(run) && !is_equivalent(run, text)) {
        run->survivors++;
        fprintf(stderr, "# survives: %s\n", text);
    }
    *place = original;
    free(text);
}

/* ---- mutants ------------------------------------------------------------------------------------- */

static void mutate_operands(struct mutation_run *run, const char *owner, struct mm_cat_expr **place)
{
    struct mm_cat_expr *e = *place;
    bool restricts[2] = {false, false};

    for (uint32_t i = 0; i < e->child_count; i++)
        mutate_operands(run, owner, &e->child[i]);
    for (uint32_t i = 0; i < 2 && i < e->child_count; i++)
        restricts[i] = e->child[i]->op == MM_CAT_IDENTITY || e->child[i]->op == MM_CAT_OPTIONAL;
    switch (e->op) {
    case MM_CAT_UNION:
    case MM_CAT_INTER:
        judge_mutant(run, owner, place, e->child[0]);
        judge_mutant(run, owner, place, e->child[1]);
        break;
    case MM_CAT_DIFF:
    case MM_CAT_PLUS:
    case MM_CAT_OPTIONAL:
        judge_mutant(run, owner, place, e->child[0]);
        break;
    case MM_CAT_SEQ:
        for (int i = 0; i < 2; i++) {
            if (restricts[i])
                judge_mutant(run, owner, place, e->child[1 - i]);
        }
        break;
    default:
        break;
    }
}

static void mutate_expr(struct mutation_run *run, const char *owner, struct mm_cat_expr **place)
{
    struct mm_cat_expr nothing = **place;

    nothing.op = MM_CAT_EMPTY;
    nothing.child_count = 0;
    judge_mutant(run, owner, place, &nothing);
    if (run->thorough)
        mutate_operands(run, owner, place);
}

static bool has_let(const struct mm_cat_model *m, const struct mm_cat_let *let)
{
    for (uint32_t i = 0; m && i < m->let_count; i++) {
        if (strcmp(m->lets[i].name, let->name) == 0 && m->lets[i].line == let->line)
            return true;
    }
    return false;
}

static bool has_check(const struct mm_cat_model *m, const struct mm_cat_check *check)
{
    for (uint32_t i = 0; m && i < m->check_count; i++) {
        if (strcmp(m->checks[i].name, check->name) == 0 && m->checks[i].line == check->line)
            return true;
    }
    return false;
}

/* Every definition and check that OTHER, if there is one, does not have. */
static void mutate_model(struct mutation_run *run, const struct mm_cat_model *other)
{
    for (uint32_t i = 0; i < run->model->let_count; i++) {
        struct mm_cat_let *let = &run->model->lets[i];

        if (!has_let(other, let))
            mutate_expr(run, let->name, &let->body);
    }
    for (uint32_t i = 0; i < run->model->check_count; i++) {
        struct mm_cat_check *check = &run->model->checks[i];

        if (!has_check(other, check))
            mutate_expr(run, check->name, &check->expr);
    }
}

/* ---- expectations -------------------------------------------------------------------------------- */

static char letter(const char *property, const char *yes, const char *no, char if_yes, char if_no)
{
    return !property ? '?' : strcmp(property, yes) == 0 ? if_yes : strcmp(property, no) == 0 ? if_no : 'u';
}

/* What the tests say of themselves; under a setting, what the matrix holds of them. */
static void expect(struct mutation_run *run)
{
    for (size_t i = 0; i < run->suite.count; i++) {
        const struct suite_test *t = &run->suite.tests[i];

        if (run->setting) {
            suite_decide(ck_search, t, run->model, run->expected[i]);
            continue;
        }
        run->expected[i][0] = letter(lt_test_property(t->test, "Expect"), "holds", "fails", 'h', 'f');
        run->expected[i][1] = letter(lt_test_property(t->test, "Race"), "found", "none", 'r', '-');
    }
}

static void read_equivalents(struct mutation_run *run)
{
    FILE *f = fopen("tests/models/equivalent.txt", "r");

    while (f && run->equivalents < MAX_EQUIVALENT && fgets(run->equivalent[run->equivalents], MAX_LINE, f)) {
        if (run->equivalent[run->equivalents][0] != '#' && strstr(run->equivalent[run->equivalents], " -- "))
            run->equivalents++;
    }
    if (f)
        fclose(f);
}

static struct mm_cat_model *load(const char *setting)
{
    const char *switches[] = {setting, NULL};
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};

    if (mm_cat_load("memmodel/models/opencl.cat", switches, &model, &err) != MM_OK)
        fail_msg("%s", err.message);
    return model;
}

/* Mutates what SETTING adds to the model; NULL: the model by default. */
static void mutate_setting(struct mutation_run *run, const char *setting)
{
    struct mm_cat_model *plain = load(NULL);

    run->setting = setting;
    run->model = load(setting);
    expect(run);
    mutate_model(run, setting ? plain : NULL);
    mm_cat_destroy(run->model);
    mm_cat_destroy(plain);
}

static void mutation_begin(struct mutation_run *run, const char *const *folders)
{
    memset(run, 0, sizeof *run);
    for (; *folders; folders++)
        suite_walk(&run->suite, *folders);
    run->expected = calloc(run->suite.count, sizeof *run->expected);
    run->order = calloc(run->suite.count, sizeof *run->order);
    assert_true(run->expected && run->order);
    for (size_t i = 0; i < run->suite.count; i++)
        run->order[i] = i;
    read_equivalents(run);
}

static void mutation_end(struct mutation_run *run)
{
    suite_clear(&run->suite);
    free(run->expected);
    free(run->order);
    fprintf(stderr, "# %u mutants, %u survive\n", run->mutants, run->survivors);
}

#endif
