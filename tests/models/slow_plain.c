/* Litmus tests by the hunt's enumeration, an independent oracle: those that it supports, of the suite under
 * the default model and of tests/models/variants under every setting, against their stated verdicts; and rows
 * of matrix.txt that search wrote.  The number of unsupported ones is part of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/hunt/enumerate.h"
#include "tests/models/settings.h"
#include "tests/models/verdicts.h"

enum { NO_OP = -1, MAX_REGS = 64 };

/* What register holds what while a thread is read: the result of an operation, or a constant. */
struct reading {
    const struct ck_program *c;
    struct hunt_thread *thread;
    struct {
        int op; /* NO_OP: a constant */
        uint64_t value;
        bool guarded; /* only if the operation's guard holds, else something else */
    } regs[MAX_REGS];
    int guard;
    uint32_t guard_value, guard_end;
};

static bool is_const(const struct reading *r, uint32_t expr, uint32_t *value)
{
    const struct ck_expr *e = &r->c->exprs[expr];
    uint64_t v = e->imm;

    if (e->op == CK_REG && e->imm < MAX_REGS && r->regs[e->imm].op == NO_OP)
        v = r->regs[e->imm].value;
    else if (e->op != CK_CONST)
        return false;
    *value = (uint32_t)v;
    return v < VALUES;
}

/* Numbers below 0 mark registers that nothing was read into. */
static bool read_assign(struct reading *r, const struct ck_instr *in)
{
    const struct ck_expr *e = &r->c->exprs[in->value];
    bool constant = e->op == CK_CONST || (e->op == CK_NEG && r->c->exprs[e->a].op == CK_CONST);

    if (in->reg >= MAX_REGS || (!constant && (e->op != CK_REG || e->imm >= MAX_REGS)))
        return false;
    if (constant) {
        r->regs[in->reg].op = NO_OP;
        r->regs[in->reg].value = e->op == CK_NEG ? UINT64_MAX : e->imm;
    } else {
        r->regs[in->reg] = r->regs[e->imm];
    }
    r->regs[in->reg].guarded = r->guard != NO_OP;
    return !constant || r->guard == NO_OP;
}

/* A branch over what runs only if an operation has read a value. */
static bool read_branch(struct reading *r, const struct ck_instr *in)
{
    const struct ck_expr *e = &r->c->exprs[in->value], *left, *right;

    if (e->op != CK_EQ || r->guard != NO_OP)
        return false;
    left = &r->c->exprs[e->a];
    right = &r->c->exprs[e->b];
    if (left->op != CK_REG || left->imm >= MAX_REGS || right->op != CK_CONST || right->imm >= VALUES)
        return false;
    r->guard = r->regs[left->imm].op;
    r->guard_value = (uint32_t)right->imm;
    r->guard_end = in->target;
    return r->guard != NO_OP && !r->regs[left->imm].guarded;
}

static bool read_location(const struct reading *r, const struct ck_instr *in, struct hunt_op *op)
{
    const struct ck_expr *address = &r->c->exprs[in->address];

    for (op->location = 0; op->location < r->c->object_count; op->location++) {
        if (address->op == CK_CONST && address->imm == CK_OBJECT_BASE(op->location))
            return in->size == 4;
    }
    return false;
}

static bool read_op(struct reading *r, const struct ck_instr *in)
{
    static const enum hunt_kind kinds[] = {
        [CK_LOAD] = LOAD, [CK_STORE] = STORE, [CK_RMW] = RMW, [CK_FENCE] = FENCE, [CK_BARRIER] = BARRIER};
    struct hunt_op op = {.kind = kinds[in->op],
                         .guard = r->guard,
                         .guard_value = r->guard_value,
                         .source = -1,
                         .index = -1,
                         .order = in->order,
                         .scope = in->scope,
                         .rmw = in->rmw,
                         .flags = in->fence_flags,
                         .site = in->sub_group ? SITES : in->site,
                         .sub_group = in->sub_group};
    bool rmw = in->op == CK_RMW && (in->rmw == CK_RMW_XCHG || in->rmw == CK_RMW_ADD ||
                                    in->rmw == CK_RMW_AND || in->rmw == CK_RMW_UMIN);

    if (r->thread->op_count == MAX_OPS || op.site > SITES || (op.site == SITES && !op.sub_group))
        return false;
    if (op.kind < FENCE && !read_location(r, in, &op))
        return false;
    if ((op.kind == STORE || op.kind == RMW) && !is_const(r, in->value, &op.value))
        return false;
    if ((op.kind == RMW && !rmw) || (in->reg != CK_NO_REG && in->reg >= MAX_REGS))
        return false;
    if (op.kind == LOAD || (op.kind == RMW && in->reg != CK_NO_REG)) {
        r->regs[in->reg].op = (int)r->thread->op_count;
        r->regs[in->reg].guarded = r->guard != NO_OP;
    }
    r->thread->ops[r->thread->op_count++] = op;
    return true;
}

static bool read_thread(struct reading *r, const struct ck_thread *t)
{
    for (uint32_t i = 0; i < MAX_REGS; i++)
        r->regs[i].op = NO_OP;
    r->guard = NO_OP;
    for (uint32_t i = 0; i < t->instr_count; i++) {
        const struct ck_instr *in = &t->instrs[i];
        bool read = false;

        if (r->guard != NO_OP && i == r->guard_end)
            r->guard = NO_OP;
        if (in->op == CK_END)
            return r->guard == NO_OP;
        if (in->op == CK_ASSIGN)
            read = read_assign(r, in);
        else if (in->op == CK_BRANCH)
            read = read_branch(r, in);
        else if (in->op == CK_LOAD || in->op == CK_STORE || in->op == CK_RMW || in->op == CK_FENCE ||
                 in->op == CK_BARRIER)
            read = read_op(r, in);
        if (!read)
            return false;
    }
    return true;
}

static bool read_objects(const struct ck_program *c, struct hunt_program *p)
{
    p->location_count = c->object_count;
    for (uint32_t i = 0; i < c->object_count && i < MAX_LOCATIONS; i++) {
        const struct ck_object *o = &c->objects[i];

        p->locations[i] = (struct hunt_location){.region = o->region,
                                                 .origin = o->origin,
                                                 .non_atomic = o->non_atomic,
                                                 .initial = (uint32_t)o->initial[0]};
        if (o->size != 4 || o->initial[0] >= VALUES || o->origin == MM_ORIGIN_SYSTEM_SVM)
            return false;
    }
    return c->object_count <= MAX_LOCATIONS;
}

/* A conjunction of equations. */
static bool read_condition(const struct ck_program *c, uint32_t prop, const struct reading *readings,
                           struct hunt_program *p)
{
    const struct ck_prop *at = &c->props[prop];
    struct hunt_atom *atom = &p->atoms[p->atom_count];

    if (at->op == CK_PROP_AND)
        return read_condition(c, at->a, readings, p) && read_condition(c, at->b, readings, p);
    if (at->op != CK_PROP_COMPARE || at->compare != CK_EQ || at->right.kind != CK_TERM_CONST ||
        at->right.value >= VALUES || p->atom_count == MAX_PAIRS)
        return false;
    *atom = (struct hunt_atom){.is_register = at->left.kind == CK_TERM_REG,
                               .thread = at->left.thread,
                               .index = at->left.object,
                               .value = (uint32_t)at->right.value};
    p->atom_count++;
    if (!atom->is_register)
        return at->left.kind == CK_TERM_MEMORY;
    if (at->left.reg >= MAX_REGS || readings[atom->thread].regs[at->left.reg].op == NO_OP)
        return false;
    atom->index = (uint32_t)readings[atom->thread].regs[at->left.reg].op;
    return true;
}

/* A register that is written under a guard means something else without it: the guard has to be part of the
 * condition. */
static bool guards_asked(const struct hunt_program *p)
{
    for (uint32_t i = 0; i < p->atom_count; i++) {
        const struct hunt_atom *a = &p->atoms[i];
        const struct hunt_op *op = &p->threads[a->thread].ops[a->index];
        bool asked = !a->is_register || op->guard < 0;

        for (uint32_t k = 0; k < p->atom_count && !asked; k++) {
            const struct hunt_atom *b = &p->atoms[k];

            asked = b->is_register && b->thread == a->thread && (int)b->index == op->guard &&
                    b->value == op->guard_value;
        }
        if (!asked)
            return false;
    }
    return true;
}

/* False if the enumeration's programs cannot say what C does. */
static bool convert(const struct ck_program *c, struct hunt_program *p)
{
    struct reading readings[MAX_THREADS];

    *p = (struct hunt_program){.thread_count = c->thread_count, .quantifier = c->quantifier};
    if (c->vulkan || c->edge_count || c->thread_count > MAX_THREADS || c->filter != CK_NO_EXPR ||
        !read_objects(c, p))
        return false;
    for (uint32_t t = 0; t < c->thread_count; t++) {
        const struct ck_thread *thread = &c->threads[t];

        p->threads[t] = (struct hunt_thread){.host = thread->host,
                                             .device = thread->device,
                                             .kernel = thread->kernel,
                                             .work_group = thread->work_group,
                                             .sub_group = thread->sub_group};
        readings[t] = (struct reading){.c = c, .thread = &p->threads[t]};
        if (!read_thread(&readings[t], thread))
            return false;
    }
    return read_condition(c, c->condition, readings, p) && guards_asked(p);
}

/* The place in hunt_state.values of what ATOM asks: results of operations, then memory. */
static uint32_t place_of(const struct hunt_program *p, const struct hunt_atom *atom)
{
    uint32_t place = 0;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            enum hunt_kind k = p->threads[t].ops[i].kind;

            if (atom->is_register && t == atom->thread && i == atom->index)
                return place;
            place += k <= WAIT || k == RMW || k == CAS;
        }
    }
    return place + atom->index;
}

/* How many different values the condition's registers and locations have in them. */
static unsigned count_states(const struct hunt_program *p, const struct hunt_result *result)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < result->state_count; i++) {
        bool first = true;

        for (uint32_t k = 0; k < i && first; k++) {
            first = false;
            for (uint32_t a = 0; a < p->atom_count; a++) {
                uint32_t place = place_of(p, &p->atoms[a]);

                first |= result->states[i].values[place] != result->states[k].values[place];
            }
        }
        count += first;
    }
    return count;
}

/* In the letters of suite_decide; false if the enumeration does not come to an end. */
static bool decide_plainly(const struct hunt_program *p, const struct mm_cat_model *model, char out[3],
                           unsigned *states)
{
    static const char conditions[] = {[CK_UNKNOWN] = 'u', [CK_YES] = 'h', [CK_NO] = 'f'};
    static const char races[] = {[CK_UNKNOWN] = 'u', [CK_YES] = 'r', [CK_NO] = '-'};
    struct hunt_result result;
    bool complete = hunt_enumerate(p, model, &result);

    *states = count_states(p, &result);

    out[0] = conditions[result.condition];
    out[1] = races[result.usage == CK_YES ? CK_YES : result.race];
    out[2] = '\0';
    free(result.states);
    return complete;
}

/* Compares the tests of FOLDER under SETTING; returns how many there was an answer for.  GENERATED: how many
 * of those whose verdicts the generator wrote there was none for. */
static unsigned compare(const char *folder, const struct setting *setting, unsigned *generated)
{
    const char *switches[] = {setting == opencl_settings ? NULL : setting->text, NULL};
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};
    struct suite suite = {0};
    unsigned compared = 0, differing = 0;

    if (mm_cat_load("memmodel/models/opencl.cat", switches, &model, &err) != MM_OK)
        fail_msg("%s: %s", setting->text, err.message);
    suite_walk(&suite, folder);
    for (size_t i = 0; i < suite.count; i++) {
        struct hunt_program p;
        char want[3], got[3];
        const char *stated = lt_test_property(suite.tests[i].test, "States");
        unsigned states;

        if (!lt_test_property(suite.tests[i].test, "Expect") || !convert(suite.tests[i].program, &p) ||
            !decide_plainly(&p, model, got, &states)) {
            *generated += lt_test_property(suite.tests[i].test, "Verdicts") != NULL;
            continue;
        }
        compared++;
        suite_stated(&suite.tests[i], setting->text, want);
        if (setting == opencl_settings && stated && strtoul(stated, NULL, 10) != states) {
            fprintf(stderr, "%s: %u states, stated: %s\n", suite.tests[i].path, states, stated);
            differing++;
        }
        if (strcmp(want, got) != 0) {
            fprintf(stderr, "%s: %s under %s, stated: %s\n", suite.tests[i].path, got, setting->text, want);
            differing++;
        }
    }
    fprintf(stderr, "# %s, %s: %u of %zu\n", folder, setting->text, compared, suite.count);
    suite_clear(&suite);
    mm_cat_destroy(model);
    assert_int_equal(differing, 0);
    return compared;
}

static void suite_of_tests(void **state)
{
    (void)state;
    unsigned generated = 0;

    assert_true(compare("litmus/suite", opencl_settings, &generated) >= 1012);
    assert_in_range(generated, 0, 4); /* six read-modify-writes in three threads are too many executions */
}

/* The next row of the matrix, in LINE; its cells. */
static char *next_row(FILE *matrix, char *line, size_t size, const char *name)
{
    char *cells = NULL;

    while (!cells && fgets(line, (int)size, matrix)) {
        if (strncmp(line, "search ", 7) == 0 || strncmp(line, "stated ", 7) == 0)
            cells = strchr(line + 7, ' ');
    }
    if (!cells || strncmp(line + 7, name, strlen(name)) != 0)
        fail_msg("%s has no row %s", GOLDEN, name);
    return cells + strspn(cells, " ");
}

#define HOST_TESTS "litmus/suite/host-" /* most have commands, which plain enumeration does not know */

/* Each row of opencl.cat that search wrote, under every setting. */
static void matrix_rows(void **state)
{
    static const char *const folders[] = MATRIX_FOLDERS;
    struct mm_cat_model *models[32];
    struct suite suite = {0};
    unsigned written = 0, judged = 0, differing = 0, without_commands = 0;
    FILE *matrix = fopen(GOLDEN, "r");
    char line[256], got[3];
    unsigned states;

    (void)state;
    assert_non_null(matrix);
    for (size_t i = 0; opencl_settings[i].text; i++) {
        const char *switches[] = {i ? opencl_settings[i].text : NULL, NULL};

        assert_int_equal(mm_cat_load("memmodel/models/opencl.cat", switches, &models[i], NULL), MM_OK);
    }
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        suite_walk(&suite, folders[f]);
    for (size_t i = 0; i < suite.count; i++) {
        const char *cells = next_row(matrix, line, sizeof line, suite.tests[i].name);
        struct hunt_program p;
        bool judge = strncmp(line, "search ", 7) == 0 && convert(suite.tests[i].program, &p),
             complete = judge;

        written += line[1] == 'e';
        for (size_t s = 0; complete && opencl_settings[s].text; s++) {
            complete = decide_plainly(&p, models[s], got, &states);
            if (complete && strncmp(got, cells + 3 * s, 2) != 0) {
                fprintf(stderr, "%s: %s under %s, %s says %.2s\n", suite.tests[i].path, got,
                        opencl_settings[s].text, GOLDEN, cells + 3 * s);
                differing++;
            }
        }
        judged += complete;
        if (line[1] == 'e' && !complete &&
            strncmp(suite.tests[i].path, HOST_TESTS, strlen(HOST_TESTS)) != 0) {
            without_commands++;
            fprintf(stderr, "# not judged: %s\n", suite.tests[i].path);
        }
    }
    for (size_t i = 0; opencl_settings[i].text; i++)
        mm_cat_destroy(models[i]);
    suite_clear(&suite);
    fclose(matrix);
    fprintf(stderr, "# %s: %u of %u rows by search judged\n", GOLDEN, judged, written);
    assert_int_equal(differing, 0);
    assert_in_range(judged, 80, written - 1);
    assert_in_range(without_commands, 1, 5);
}

static void variants(void **state)
{
    (void)state;
    unsigned generated = 0;

    for (const struct setting *s = opencl_settings; s->text; s++)
        assert_true(compare("tests/models/variants", s, &generated) >= 56);
    assert_int_equal(generated, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(suite_of_tests), cmocka_unit_test(variants),
                                       cmocka_unit_test(matrix_rows)};

    return cmocka_run_group_tests_name("plain enumeration", tests, NULL, NULL);
}
