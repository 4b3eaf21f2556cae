/* Hunts for disagreement: random programs, decided by search, by Z3 and by a plain enumeration, under several
 * models.  A disagreement is made as small as possible and printed.
 *
 * HUNT_COUNT programs (default: 40; in a sample 20, as slow_hunt decides others), from seed HUNT_SEED on; HUNT_TEST
 * names one of the tests below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checker/search/internal.h"
#include "tests/hunt/compare.h"
#include "tests/hunt/enumerate.h"
#include "tests/hunt/generate.h"
#include "tests/hunt/setting.h"

#include <stdlib.h>
#include <time.h>

/* At most one in this many programs may be left open: by either engine; by search under models that allow
 * out-of-thin-air values. */
enum { MAY_BE_OPEN = 10, MAY_BE_THIN_AIR = 3 };

#ifndef HUNT_DEFAULT_COUNT
#define HUNT_DEFAULT_COUNT (setting("TEST_SHARE", 1) > 1 ? 20 : 40)
#define HUNT_DEFAULT_SEED  (40 - HUNT_DEFAULT_COUNT)
#endif

static bool has(const struct hunt_program *p, enum hunt_kind kind)
{
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            if (p->threads[t].ops[i].kind == kind)
                return true;
        }
    }
    return false;
}

/* Models that use every operator and base name; their meaning is arbitrary. */
static const struct {
    const char *name, *text;
    bool odd; /* more events may be allowed where fewer are not */
} models[] = {
    {"sc",
     "SC\nacyclic po | rf | co | fr as sc\nempty rmw & (fre; coe) as atomic\n"
     "flag ~empty ((W * M) | (M * W)) & loc & ext \\ (A * A) \\ ((IW * _) | (_ * IW)) as race\n",
     false},
    {"coherence", "C\nacyclic po-loc | rfe | rfi | coe | coi | fri | fre as coherence\n", false},
    {"anything goes", "N\nempty 0 as nothing\n", false},
    {"release acquire",
     "RA\n"
     "let Acq = (ACQ | SC) & (R | F)\nlet Rel = (REL | SC) & (W | F)\n"
     "let incl = (swg & (WG * WG)) | (sdv & (DV * DV)) | (ALL * ALL) | (ssg & (SG * SG))\n"
     "let rs_prime = (_ * RMW) | int\nlet rs = co & rs_prime & ~((co & ~rs_prime); co)\n"
     "let region(X) = [X & M] | [X & F]\n"
     "let sw(r) = ([Rel]; r; ([F]; po)?; [A & W]; rs?; rf; [A & R]; (po; [F])?; r; [Acq]) & incl & ext\n"
     "let bar(r) = r; (syncbar & ext); r\n"
     "let gsw = sw(region(GLOBAL)) | bar(region(GLOBAL)) | (SC * SC) & sw(region(LOCAL))\n"
     "let hb = (po | gsw | (IW * ~IW))+\n"
     "irreflexive hb as hb\nirreflexive rf; hb as future\nirreflexive (rf^-1)?; co; rf?; hb as "
     "coherence\nempty rmw & (fre; coe) as "
     "atomic\n"
     "let vis = (W * R) & hb & loc & ~((hb & loc); [W]; hb)\n"
     "empty rf; [NA] \\ vis as visible\n"
     "acyclic (SC * SC) & (fr | co | hb | rf) & incl as total\n"
     "let dr = (((W * W) | (W * R) | (R * W)) & loc & ~hb & ~hb^-1 & ext & ~(incl & (A * A))) \\ ((_ * IW) | "
     "(IW * _))\n"
     "flag ~empty dr as data_race\n",
     false},
    {"entry and exit",
     "BB\nlet bar = [BEN & GLOBAL]; (syncbar & ext); [BEX & GLOBAL]\nlet rec hb = bar | po | ((hb; rf) & _ * "
     "ACQ) | (hb; hb)\n"
     "irreflexive hb as hb\nirreflexive fr; hb as read\nacyclic co | po-loc | (rf & (RMW * _)) as coherence\n"
     "flag ~empty domain(fr & (_ * NAL)) \\ range(rmw^-1; hb) as odd\nflag acyclic rf | po as grounded\n",
     true},
    {"dependencies",
     "D\nlet dep = data | addr | ctrl; [W] | addr; po; [W]\nlet kept = dep | po & (_ * (REL | SC)) | po & "
     "((ACQ | SC) * _) "
     "| ctrl; [F]; po\n"
     "acyclic po-loc | rf | co | fr as coherence\nempty rmw & (fre; coe) as atomic\nacyclic kept | rfe | coe "
     "| fre as "
     "observed\nflag ~empty (ctrl; [R]) & (data^-1; data; ctrl | addr) as odd\n",
     true},
    {"enumerated",
     "E\nlet rs = [W & A]; (po-loc & (_ * W))?; (rf; rmw)*\nlet sw = [REL | SC]; ([F]; po)?; rs; rf; [R & "
     "A]; (po; [F])?; [ACQ | "
     "SC]\n"
     "let hb = (po | sw | (IW * ~IW))+\nirreflexive (rf^-1)?; co; rf?; hb as coherence\nirreflexive hb as "
     "hb\nirreflexive rf; hb as "
     "future\n"
     "empty rmw & (fre; coe) as atomic\nwith S from linearisations(SC, hb | co & (SC * SC))\n"
     "irreflexive S; (rf^-1; [SC]; co) as last\nirreflexive S; ([F]; po)?; fr; (po; [F])? as reads\n"
     "flag ~empty (W * M) & loc & ext & ~(A * A) & ~(hb | hb^-1) & ~(IW * _) as race\n",
     true},
    {"odd ones",
     "O\nlet f(x, y) = (x; y)* \\ id\nlet a = f(rf | fr, co^-1)\n"
     "~empty (a | po) as some\nirreflexive (a & FGA * FGA); (loc & RLX * _) as mixed\n"
     "empty (~(a | a^-1) & loc & LOCAL * LOCAL & ext & W * W & WI * WI & rf^-1; rf) as far\n"
     "flag ~acyclic po | rf as thin_air\nflag ~irreflexive po; (sdv & ACQ_REL * _); fr as back\n",
     true},
};

/* Programs are lowered as kernels without observed state: search then prunes executions without new flags,
 * and exchanges equal work-items. */
static bool as_kernels;

/* Search does not know the initial values of locations: it exchanges work-items with equal code. */
static bool without_values;

/* Search decides each program with additional fences that order nothing: it has hundreds of events. */
static bool padded;

/* Programs are lowered as kernels, with locks, and search makes the assumptions of
 * checker/search/docs/search.md about refcl's models. */
static bool assuming;

static struct ck_program *lower(const struct hunt_program *p)
{
    struct ck_program *program = hunt_lower(p);

    program->kernel = as_kernels || assuming;
    if (!as_kernels)
        return program;
    program->observed_count = 0;
    program->quantifier = CK_EXISTS;
    program->condition = ck_program_add_prop(program, &(struct ck_prop){.op = CK_PROP_TRUE});
    return program;
}

/* Accesses overlap in part, under models that define the meaning of that. */
static bool overlapping;

/* Values stay bounded if several work-items execute T's code. */
static void remove_additions(struct hunt_thread *t)
{
    for (uint32_t i = 0; i < t->op_count; i++) {
        if (t->ops[i].kind == RMW && t->ops[i].rmw == CK_RMW_ADD)
            t->ops[i].rmw = CK_RMW_UMIN;
    }
}

/* T, a copy of another work-item, differs from it in one number. */
static void change_number(const struct hunt_program *p, struct hunt_thread *t, uint64_t seed)
{
    struct hunt_op *op = t->op_count ? &t->ops[seed % t->op_count] : NULL;

    if (!op)
        return;
    if (seed / 16 % 3 == 0 && op->kind < FENCE)
        op->location = (op->location + 1) % p->location_count;
    else if (seed / 16 % 3 == 1)
        op->value = 3 - op->value;
    else
        op->guard_value = (op->guard_value + 1) % 3;
}

/* Only programs with images. */
static bool with_images;

/* Some work-items have the code of the one before, in the same groups. */
static void generate(uint64_t seed, struct hunt_program *p)
{
    hunt_generate(seed, p);
    if (overlapping)
        hunt_overlap(p);
    if (assuming)
        hunt_add_locks(p);
    for (uint32_t t = 1; t < p->thread_count && (as_kernels || assuming); t++) {
        if (!(seed >> t & 1))
            continue;
        remove_additions(&p->threads[t - 1]);
        p->threads[t] = p->threads[t - 1];
        if (without_values && seed >> (t + 4) & 1)
            change_number(p, &p->threads[t], seed >> 8);
    }
}

static void pad(struct ck_program *p)
{
    enum { FENCES = 260 };
    uint32_t t = ck_program_add_thread(p, &(struct ck_thread){.name = "F", .work_group = 1000});

    for (int i = 0; i < FENCES; i++)
        ck_program_add_instr(p, t,
                             &(struct ck_instr){.op = CK_FENCE,
                                                .order = MM_RELAXED,
                                                .scope = MM_SCOPE_DEVICE,
                                                .fence_flags = MM_FENCE_GLOBAL,
                                                .reg = CK_NO_REG,
                                                .reg2 = CK_NO_REG,
                                                .value = CK_NO_EXPR,
                                                .expected = CK_NO_EXPR});
}

struct sides {
    const char *name;
    bool known; /* all states */
    enum ck_answer condition, race, usage;
    uint32_t count;
    struct hunt_state *states;
};

static struct sides from_verdict(const char *name, const struct hunt_program *p, const struct ck_verdict *v)
{
    struct sides s = {.name = name,
                      .known = v->states_complete,
                      .condition = v->condition,
                      .race = v->race,
                      .usage = v->usage};
    uint32_t observed = hunt_observed_count(p);

    s.count = (uint32_t)v->state_count;
    s.states = calloc(s.count + 1, sizeof *s.states);
    for (uint32_t i = 0; i < s.count; i++) {
        s.states[i].racy = v->states[i].racy;
        s.states[i].satisfies = v->states[i].satisfies;
        for (uint32_t k = 0; k < observed; k++)
            s.states[i].values[k] =
                v->states[i].values[k] < UINT32_MAX ? (uint32_t)v->states[i].values[k] : UINT32_MAX;
    }
    return s;
}

static bool agree(const struct sides *a, const struct sides *b)
{
    if (!as_kernels && a->condition != CK_UNKNOWN && b->condition != CK_UNKNOWN &&
        a->condition != b->condition)
        return false;
    if (a->race != CK_UNKNOWN && b->race != CK_UNKNOWN && a->race != b->race)
        return false;
    if (a->usage != CK_UNKNOWN && b->usage != CK_UNKNOWN && a->usage != b->usage)
        return false;
    if (as_kernels || !a->known || !b->known)
        return true;
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (memcmp(a->states[i].values, b->states[i].values, sizeof a->states[i].values) != 0 ||
            a->states[i].racy != b->states[i].racy || a->states[i].satisfies != b->states[i].satisfies)
            return false;
    }
    return true;
}

static void print_side(const struct hunt_program *p, const struct sides *s)
{
    static const char *const answers[] = {"unknown", "yes", "no"};
    uint32_t observed = hunt_observed_count(p);

    fprintf(stderr, "#  %s: condition %s, race %s, usage %s, %u states%s:", s->name, answers[s->condition],
            answers[s->race], answers[s->usage], s->count, s->known ? "" : " and more");
    for (uint32_t i = 0; i < s->count && i < 40; i++) {
        fprintf(stderr, " ");
        for (uint32_t k = 0; k < observed; k++)
            fprintf(stderr, "%s%x", k ? "." : "", s->states[i].values[k]);
        fprintf(stderr, "%s%s", s->states[i].racy ? "r" : "", s->states[i].satisfies ? "*" : "");
    }
    fprintf(stderr, "\n");
}

static unsigned decided, skipped, without_comparison,
    unknown[2];         /* UNKNOWN: by Z3, by search, but for programs that never end */
static double spent[3]; /* ms: Z3, search, enumeration */

static unsigned jobs = 1, forked; /* FORKED: programs of several candidates */
static bool sharing;              /* search by one process and by several, no other engine */

typedef enum mm_class engine(const struct ck_program *, const struct mm_cat_model *,
                             const struct ck_options *, struct ck_verdict *, struct mm_error *);

/* Decides within a second of processor time.  The engine's limit also applies to wall-clock time, which other
 * processes may use up: a decision that ended for that reason, before its second, is repeated with a longer
 * limit. */
static enum mm_class decide(engine *run_engine, const struct ck_program *program,
                            const struct mm_cat_model *model, struct ck_verdict *verdict,
                            struct mm_error *err)
{
    enum { SECOND = 1000, LONGEST = 256 * SECOND };

    for (struct ck_options options = {.timeout_ms = SECOND,
                                     .jobs = jobs,
                                     .executions = sharing,
                                     .drf = assuming,
                                     .no_walk = assuming,
                                     .no_values = without_values};
         ; options.timeout_ms *= 4) {
        enum mm_class r = run_engine(program, model, &options, verdict, err);
        bool at_deadline = !r && strstr(verdict->limit.rule, "time");

        if (!at_deadline || verdict->time_ms > 0.9 * SECOND || options.timeout_ms == LONGEST)
            return r;
        ck_verdict_clear(verdict);
    }
}

/* Whether search by several processes, which fork at every opportunity (if the program is small), gives the
 * verdict of one process. */
static bool processes_agree(const struct hunt_program *p, const struct mm_cat_model *model)
{
    struct ck_program *program = lower(p);
    struct ck_verdict one = {0}, several = {0};
    struct mm_error err = {0};
    enum mm_class r = decide(ck_search, program, model, &one, &err);
    bool same = false;

    sx_split_interval_us = one.candidate_count > 300 ? 1000 : 0;
    jobs = 2 + (unsigned)(one.candidate_count % 3);
    if (!r)
        r = decide(ck_search, program, model, &several, &err);
    jobs = 1;
    if (r)
        fprintf(stderr, "# search: %s\n", err.message);
    else
        same = strstr(one.limit.rule, "time") || strstr(several.limit.rule, "time") ||
               have_same_results(program, &one, &several);
    decided++;
    forked += one.candidate_count > 1;
    ck_verdict_clear(&one);
    ck_verdict_clear(&several);
    ck_program_destroy(program);
    return same;
}

/* All three deciders on one program; prints disagreements if requested. */
static bool all_agree(const struct hunt_program *p, const struct mm_cat_model *model, bool print)
{
    struct ck_program *program = lower(p);
    struct ck_verdict by_search, by_z3;
    struct mm_error err = {0};
    struct hunt_result plain;
    struct sides s[3];
    clock_t start = clock();
    bool complete = hunt_enumerate(p, model, &plain), same;
    double enumeration_ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
    enum mm_class z = decide(ck_z3, program, model, &by_z3, &err);
    if (padded)
        pad(program);
    enum mm_class r = z ? z : decide(ck_search, program, model, &by_search, &err);

    if (r) {
        fprintf(stderr, "# %s: %s\n", z ? "z3" : "search", err.message);
        return false;
    }
    s[0] = from_verdict("z3", p, &by_z3);
    s[1] = from_verdict("search", p, &by_search);
    s[2] = (struct sides){"enumeration",
                          complete,
                          complete ? plain.condition : CK_UNKNOWN,
                          complete ? plain.race : CK_UNKNOWN,
                          complete ? plain.usage : CK_UNKNOWN,
                          plain.state_count,
                          plain.states};
    bool excluded = ((as_kernels || assuming) && by_search.divergence == CK_YES) ||
                    (assuming && by_search.termination != CK_YES);
    without_comparison += excluded;
    same = excluded || (agree(&s[0], &s[1]) && agree(&s[0], &s[2]) && agree(&s[1], &s[2]));
    decided++;
    spent[0] += by_z3.time_ms;
    spent[1] += by_search.time_ms;
    spent[2] += enumeration_ms;
    skipped += !complete;
    for (int i = 0; i < 2; i++)
        unknown[i] +=
            (s[i].count > 0 || !s[i].known) && (!s[i].known || !s[i].condition || !s[i].race || !s[i].usage);
    if (print) {
        for (int i = 0; i < 3; i++)
            print_side(p, &s[i]);
    }
    for (int i = 0; i < 3; i++)
        free(s[i].states);
    ck_verdict_clear(&by_search);
    ck_verdict_clear(&by_z3);
    ck_program_destroy(program);
    return same;
}

static bool used(const struct hunt_thread *t, uint32_t op)
{
    for (uint32_t i = op + 1; i < t->op_count; i++) {
        if (t->ops[i].guard == (int)op || t->ops[i].source == (int)op || t->ops[i].index == (int)op)
            return true;
    }
    return false;
}

/* Without operation OP of thread T. */
static struct hunt_program without(const struct hunt_program *p, uint32_t t, uint32_t op)
{
    struct hunt_program q = *p;
    struct hunt_thread *thread = &q.threads[t];

    memmove(&thread->ops[op], &thread->ops[op + 1], (thread->op_count - op - 1) * sizeof *thread->ops);
    thread->op_count--;
    for (uint32_t i = op; i < thread->op_count; i++) {
        thread->ops[i].guard -= thread->ops[i].guard > (int)op;
        thread->ops[i].source -= thread->ops[i].source > (int)op;
        thread->ops[i].index -= thread->ops[i].index > (int)op;
    }
    for (uint32_t i = q.atom_count; i-- > 0;) {
        struct hunt_atom *a = &q.atoms[i];

        if (!a->is_register || a->thread != t || a->index < op)
            continue;
        if (a->index > op)
            a->index--;
        else
            q.atoms[i] = q.atoms[--q.atom_count];
    }
    return q;
}

static void shrink(struct hunt_program *p, const struct mm_cat_model *model)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (uint32_t t = 0; t < p->thread_count && !smaller; t++) {
            for (uint32_t i = 0; i < p->threads[t].op_count && !smaller; i++) {
                struct hunt_program q;

                if (used(&p->threads[t], i))
                    continue;
                q = without(p, t, i);
                if (!(sharing ? processes_agree(&q, model) : all_agree(&q, model, false))) {
                    *p = q;
                    smaller = true;
                }
            }
        }
    }
}

static struct mm_cat_model *parse(const char *name, const char *text)
{
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};

    if (mm_cat_parse(text, name, NULL, &model, &err))
        fail_msg("%s:%u: %s", name, err.line, err.message);
    return model;
}

/* ODD: a loop that waits for one iteration does not represent loops that wait longer, as more events may be
 * allowed where fewer are not. */
static unsigned hunt(const struct mm_cat_model *model, const char *name, bool odd)
{
    uint64_t count = setting("HUNT_COUNT", HUNT_DEFAULT_COUNT),
             first = setting("HUNT_SEED", HUNT_DEFAULT_SEED);
    unsigned found = 0;

    for (uint64_t seed = first; count > 0 && found < 3; seed++) {
        struct hunt_program p;

        generate(seed, &p);
        if (with_images && !p.image)
            continue;
        count--;
        if (((odd || as_kernels) && has(&p, WAIT)) || (as_kernels && has(&p, STORE_REG)) ||
            (sharing ? processes_agree(&p, model) : all_agree(&p, model, false)))
            continue;
        found++;
        shrink(&p, model);
        fprintf(stderr, "# seed %llu, model %s:\n", (unsigned long long)seed, name);
        hunt_print(&p, stderr);
        all_agree(&p, model, true);
    }
    return found;
}

/* Counts since the last call: most programs are compared with all three deciders, and completely. */
static void compared(const char *name, unsigned search_bound)
{
    fprintf(
        stderr,
        "# %s: %u decided, %u of them without the enumeration, %u not compared, %u not by Z3, %u not by search\n",
        name, decided, skipped, without_comparison, unknown[0], unknown[1]);
    fprintf(stderr, "# ms: Z3 %.0f, search %.0f, enumeration %.0f\n", spent[0], spent[1], spent[2]);
    assert_true(skipped * 4 <= decided && without_comparison * 4 <= decided);
    assert_true(unknown[0] * MAY_BE_OPEN <= decided);
    assert_true(unknown[1] * search_bound <= decided);
    decided = skipped = without_comparison = unknown[0] = unknown[1] = 0;
    memset(spent, 0, sizeof spent);
}

static void engines_agree(void **state)
{
    unsigned found = 0;

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct mm_cat_model *model;

        if (as_kernels && models[i].odd)
            continue;
        model = parse(models[i].name, models[i].text);
        found += hunt(model, models[i].name, models[i].odd);
        mm_cat_destroy(model);
        compared(models[i].name, MAY_BE_THIN_AIR);
    }
    assert_int_equal(found, 0);
}

/* The same with model files: refcl's, and a public one if the corpus is available (which does not define
 * overlaps). */
static void engines_agree_on_model_files(void **state)
{
    static const char *const files[] = {"memmodel/models/opencl.cat", "memmodel/models/opencl-scoped-sc.cat",
                                        "memmodel/models/sc.cat", "../shared/corpus/opencl.dat3m.cat"};
    size_t count = sizeof files / sizeof *files - overlapping;
    unsigned found = 0, loaded = 0;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct mm_cat_model *model = NULL;
        struct mm_error err = {0};
        FILE *f = fopen(files[i], "r");

        if (!f)
            continue;
        fclose(f);
        if (mm_cat_load(files[i], NULL, &model, &err))
            fail_msg("%s:%u: %s", files[i], err.line, err.message);
        loaded++;
        found += hunt(model, files[i], false);
        mm_cat_destroy(model);
        compared(files[i], MAY_BE_OPEN);
    }
    assert_true(loaded > 0);
    assert_int_equal(found, 0);
}

static void engines_agree_on_overlaps(void **state)
{
    overlapping = true;
    engines_agree_on_model_files(state);
    overlapping = false;
}

static void engines_agree_on_images(void **state)
{
    with_images = true;
    engines_agree_on_model_files(state);
    with_images = false;
}

/* Excludes differences that kernels have by design: work-items that never end, or that wait at different
 * barriers, also race; search does not look for out-of-thin-air values; locations that only one work-item
 * accesses are coherent, whatever the model says. */
static void engines_agree_on_kernels(void **state)
{
    as_kernels = true;
    engines_agree(state);
    engines_agree_on_model_files(state);
    as_kernels = false;
}

static void engines_agree_on_many_events(void **state)
{
    padded = true;
    engines_agree_on_model_files(state);
    padded = false;
}

static void engines_agree_on_equal_code(void **state)
{
    without_values = true;
    engines_agree_on_kernels(state);
    without_values = false;
}

/* The enumeration does not make search's assumptions. */
static void engines_agree_on_assumptions(void **state)
{
    unsigned found = 0;

    (void)state;
    assuming = true;
    for (int i = 0; i < 2; i++) {
        static const char *const files[] = {"memmodel/models/opencl.cat",
                                            "memmodel/models/opencl-scoped-sc.cat"};
        struct mm_cat_model *model;
        struct mm_error err = {0};

        if (mm_cat_load(files[i], NULL, &model, &err))
            fail_msg("%s:%u: %s", files[i], err.line, err.message);
        found += hunt(model, files[i], false);
        mm_cat_destroy(model);
        compared(files[i], MAY_BE_OPEN);
    }
    assuming = false;
    assert_int_equal(found, 0);
}

static void several_processes_agree(void **state)
{
    struct mm_cat_model *model;
    struct mm_error err = {0};
    unsigned found = 0;

    (void)state;
    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err))
        fail_msg("%s:%u: %s", "opencl.cat", err.line, err.message);
    sharing = true;
    found += hunt(model, "opencl.cat", false);
    as_kernels = true;
    found += hunt(model, "opencl.cat, kernels", false);
    as_kernels = sharing = false;
    mm_cat_destroy(model);
    fprintf(stderr, "# %u of %u had several candidates\n", forked, decided);
    assert_true(forked * 3 >= decided);
    compared("several processes", MAY_BE_OPEN);
    assert_int_equal(found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(engines_agree_on_model_files),
        cmocka_unit_test(engines_agree_on_overlaps),
        cmocka_unit_test(engines_agree_on_images),
        cmocka_unit_test(engines_agree_on_kernels),
        cmocka_unit_test(engines_agree_on_equal_code),
        cmocka_unit_test(engines_agree_on_many_events),
        cmocka_unit_test(engines_agree_on_assumptions),
        cmocka_unit_test(several_processes_agree),
    };

    cmocka_set_test_filter(getenv("HUNT_TEST"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
