/* Mutation of a model: each definition and check is emptied, and each operand that it can do without is left
 * out, one at a time; some test must then have another verdict than the one that it states.  What changes
 * nothing is listed in a file, with the reason.  A test that is not decided in time kills nothing; mutants of
 * which tests are undecided and none is killed are counted apart. */
#ifndef TESTS_MODELS_MUTATE_H
#define TESTS_MODELS_MUTATE_H

#include "memmodel/base/hash.h"
#include "memmodel/cat/node.h"
#include "tests/models/verdicts.h"

enum { MAX_EQUIVALENT = 256, MAX_LINE = 800, TEST_MS = 5000, UNMUTATED_MS = 60000, MAX_UNDECIDED = 4 };

struct mutation_run {
    const char *path;             /* the model's */
    const char *base;             /* NULL, or a model whose definitions are not mutated */
    const char *stated;           /* NULL, or the setting under which tests state this model's verdicts */
    const char *equivalents_path; /* mutants that nothing can kill */
    struct suite suite;
    char (*expected)[3]; /* by test: stated for the current setting, '?' where the test states nothing */
    size_t *order;       /* tests, those that distinguished recent mutants first */
    struct mm_cat_model *model;
    const char *setting;
    bool thorough; /* operands too, not only whole definitions and checks */
    /* one in SHARE mutants of operands is judged; if above 1, no definitions by default */
    unsigned share;
    char equivalent[MAX_EQUIVALENT][MAX_LINE];
    bool used[MAX_EQUIVALENT];
    unsigned equivalents, mutants, survivors, undecided, left_out;
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

enum fate { KILLED, SURVIVES, UNDECIDED };

/* Whether the verdict of some test differs from the stated one under the mutated model.  VACUOUS: of the
 * tests without executions, by Z3: search executes barriers event by event, so that barriers in crossed order
 * block whatever the model says; to Z3 they are events like others. */
static enum fate fate_of(struct mutation_run *run, bool vacuous, unsigned ms)
{
    unsigned undecided = 0;

    for (size_t k = 0; k < run->suite.count && undecided < MAX_UNDECIDED; k++) {
        size_t i = run->order[k];
        const char *want = run->expected[i];
        bool differs = false, open = false;
        char now[3];

        if ((want[0] == '?' && want[1] == '?') || (vacuous && want[0] != 'u'))
            continue;
        suite_decide_within(ms, vacuous ? ck_z3 : ck_search, &run->suite.tests[i], run->model, now);
        for (int p = 0; p < 2; p++) {
            differs = differs || (want[p] != '?' && now[p] != 't' && now[p] != want[p]);
            open = open || (want[p] != '?' && now[p] == 't');
        }
        undecided += open;
        if (!differs)
            continue;
        memmove(run->order + 1, run->order, k * sizeof *run->order);
        run->order[0] = i;
        return KILLED;
    }
    return undecided ? UNDECIDED : SURVIVES;
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

/* Whether the mutant is judged: with a share above 1, operands' mutants are by their text, definitions' only
 * under a setting (tests/models/test_mutate.c judges the others). */
static bool is_chosen(const struct mutation_run *run, const char *text, bool operand)
{
    if (run->share <= 1)
        return true;
    return operand ? (mm_fnv1a(MM_FNV1A, text, strlen(text)) >> 20) % run->share == 0 : run->setting != NULL;
}

static void replace(struct mutation_run *run, struct mm_cat_expr **place, struct mm_cat_expr *with)
{
    struct mm_error err = {0};

    *place = with;
    assert_int_equal(cat_flatten(run->model, &err), MM_OK);
}

/* Judges the model with *PLACE replaced by WITH. */
static void judge_mutant(struct mutation_run *run, const char *owner, struct mm_cat_expr **place,
                         struct mm_cat_expr *with)
{
    struct mm_cat_expr *original = *place;
    bool operand = with->op != MM_CAT_EMPTY || with->child_count;
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
    if (!is_chosen(run, text, operand)) {
        run->left_out++;
        free(text);
        return;
    }
    replace(run, place, with);
    enum fate fate = fate_of(run, false, TEST_MS);
    enum fate vacuous = fate == KILLED ? KILLED : fate_of(run, true, TEST_MS);
    if (fate == SURVIVES || vacuous == KILLED)
        fate = vacuous;
    if (fate != KILLED && !is_equivalent(run, text)) {
        *(fate == SURVIVES ? &run->survivors : &run->undecided) += 1;
        fprintf(stderr, "# %s: %s\n", fate == SURVIVES ? "survives" : "undecided", text);
    }
    replace(run, place, original);
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

    if ((*place)->op == MM_CAT_EMPTY) /* a rule of another revision: nothing to delete */
        return;
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

/* The verdict that the line "Under" of T states for SETTING; false: none. */
static bool stated_under(const struct suite_test *t, const char *setting, char out[3])
{
    const char *property = lt_test_property(t->test, "Under");
    char line[MAX_LINE], *save = NULL, *want = NULL;

    snprintf(line, sizeof line, "%s", property ? property : "");
    for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *comma = strchr(w, ',');

        if (comma)
            *comma = '\0';
        if (want && strcmp(w, setting) == 0) {
            memcpy(out, want, 2);
            return true;
        }
        want = comma ? NULL : want ? want : w;
    }
    return false;
}

/* What tests state of themselves: by default in "Expect" and "Race", under a setting in "Variants", or
 * "Under"; tests that have neither say nothing of settings. */
static void expect(struct mutation_run *run)
{
    const char *setting = run->setting ? run->setting : run->stated;

    for (size_t i = 0; i < run->suite.count; i++) {
        const struct suite_test *t = &run->suite.tests[i];

        strcpy(run->expected[i], "??");
        if (setting) {
            if (!stated_under(t, setting, run->expected[i]) && lt_test_property(t->test, "Variants"))
                suite_stated(t, setting, run->expected[i]);
            continue;
        }
        if (lt_test_property(t->test, "Expect") && lt_test_property(t->test, "Race"))
            suite_expected(t, run->expected[i]);
    }
}

static void read_equivalents(struct mutation_run *run)
{
    FILE *f = run->equivalents_path ? fopen(run->equivalents_path, "r") : NULL;

    while (f && run->equivalents < MAX_EQUIVALENT && fgets(run->equivalent[run->equivalents], MAX_LINE, f)) {
        if (run->equivalent[run->equivalents][0] != '#' && strstr(run->equivalent[run->equivalents], " -- "))
            run->equivalents++;
    }
    if (f)
        fclose(f);
}

static struct mm_cat_model *load(const char *path, const char *setting)
{
    const char *switches[] = {setting, NULL};
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};

    if (mm_cat_load(path, switches, &model, &err) != MM_OK)
        fail_msg("%s", err.message);
    return model;
}

/* Mutates what SETTING adds to the model; NULL: the model by default. */
static void mutate_setting(struct mutation_run *run, const char *setting)
{
    const char *other = setting ? run->path : run->base;
    struct mm_cat_model *plain = other ? load(other, NULL) : NULL;
    enum fate fate;

    run->setting = setting;
    run->model = load(run->path, setting);
    expect(run);
    if ((fate = fate_of(run, false, UNMUTATED_MS)) != SURVIVES)
        fail_msg("%s %s: %s", run->path, setting ? setting : "",
                 fate == KILLED ? run->suite.tests[run->order[0]].path : "undecided tests");
    mutate_model(run, plain);
    mm_cat_destroy(run->model);
    mm_cat_destroy(plain);
}

static void mutation_begin(struct mutation_run *run, const char *const *folders)
{
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
    fprintf(stderr, "# %s: %u mutants, %u of them not judged, %u survive, %u undecided\n", run->path,
            run->mutants, run->left_out, run->survivors, run->undecided);
}

/* Every mutant that is listed as equivalent must be one that nothing killed. */
static inline void equivalents_needed(struct mutation_run *run)
{
    for (unsigned i = 0; i < run->equivalents; i++) {
        if (!run->used[i])
            fprintf(stderr, "# not needed in %s: %s", run->equivalents_path, run->equivalent[i]);
        run->survivors += !run->used[i];
    }
}

#endif
