/* Finds tests at the boundary of what the model forbids: the weakest forbidden cycles below a strong one, and
 * allowed cycles one weakening below these.  Search and Z3 must agree on each. */
#include "litmus/generate/cycle.h"
#include "litmus/generate/generate.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/map.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VISITED 200000

struct node {
    char *text;
    bool holds; /* forbidden, and no race */
};
struct lt_generator {
    const struct lt_generate_options *options;
    struct mm_error *err;
    struct node *visited;
    size_t visited_count;
    struct mm_map numbers; /* of the nodes, plus one, by the hash of the text */
    char **emitted;        /* names of the tests that were written */
    size_t emitted_count;
    struct lt_generate_counts counts;
    lt_generate_sink *sink;
    void *context;
};

/* Hash of a cycle's text.  It must not change, because the choice of weaker cycles depends on it. */
static uint64_t hash_text(const char *text)
{
    uint64_t h = mm_fnv1a(MM_FNV1A, text, strlen(text));
    return h ^ h >> 29;
}

/* The node of the cycle with this canonical text; NULL if it has not been visited. */
static const struct node *find_node(const struct lt_generator *g, const char *text)
{
    uint64_t key = hash_text(text), number;
    size_t at = 0;
    while ((number = mm_map_next(&g->numbers, key, &at)))
        if (strcmp(g->visited[number - 1].text, text) == 0)
            return &g->visited[number - 1];
    return NULL;
}

static bool add_node(struct lt_generator *g, const char *text, bool holds)
{
    struct node node = {mm_strdup(text), holds};
    if (node.text && mm_append(&g->visited, &g->visited_count, &node))
        return mm_map_add(&g->numbers, hash_text(text), g->visited_count);
    mm_free(node.text);
    return false;
}

/* ---- asking the engines -------------------------------------------------------------------------- */

struct answer {
    struct lt_test *test;
    struct ck_program *program;
    struct ck_verdict verdict;
};

static void answer_clear(struct answer *a)
{
    ck_verdict_clear(&a->verdict);
    ck_program_destroy(a->program);
    lt_test_destroy(a->test);
}

typedef enum mm_class engine(const struct ck_program *, const struct mm_cat_model *,
                             const struct ck_options *, struct ck_verdict *, struct mm_error *);

static enum mm_class ask_engine(struct lt_generator *g, const struct lt_cycle *c, engine *decide,
                                bool explain, struct answer *a)
{
    char *text = NULL;
    size_t size = 0;
    struct ck_options options = g->options->check;
    options.explain = explain;
    *a = (struct answer){0};
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return mm_out_of_memory(g->err);
    lt_cycle_emit(c, "generated", "", "", out);
    bool written = fclose(out) == 0;
    enum mm_class cls =
        written ? lt_parse(text, size, "generated", &a->test, g->err) : mm_out_of_memory(g->err);
    if (cls == MM_OK)
        cls = lt_lower(a->test, &a->program, g->err);
    if (cls == MM_OK)
        cls = decide(a->program, g->options->model, &options, &a->verdict, g->err);
    free(text);
    return cls;
}

static bool answers_agree(const struct answer *a, const struct answer *b)
{
    if (a->verdict.condition != b->verdict.condition || a->verdict.race != b->verdict.race ||
        a->verdict.usage != b->verdict.usage || !a->verdict.condition || !a->verdict.race ||
        !a->verdict.usage || !a->verdict.states_complete || !b->verdict.states_complete ||
        a->verdict.state_count != b->verdict.state_count)
        return false;
    for (size_t i = 0; i < a->verdict.state_count; i++)
        if (memcmp(a->verdict.states[i].values, b->verdict.states[i].values,
                   a->program->observed_count * sizeof(uint64_t)) != 0)
            return false;
    return true;
}

/* ---- writing tests ------------------------------------------------------------------------------- */

static bool first_time(struct lt_generator *g, const char *name)
{
    for (size_t i = 0; i < g->emitted_count; i++)
        if (strcmp(g->emitted[i], name) == 0)
            return false;
    char *copy = mm_strdup(name);
    if (copy && mm_append(&g->emitted, &g->emitted_count, &copy))
        return true;
    mm_free(copy);
    return false;
}

static size_t text_until(const char *text, char end)
{
    const char *p = strchr(text, end);
    return p ? (size_t)(p - text) : strlen(text);
}

/* "CL 3.3.6 A7, G11": of each violated axiom, the clause before its colon. */
static void clauses_of(const struct ck_verdict *v, char *buf, size_t size)
{
    *buf = '\0';
    for (size_t i = 0; i < v->violation_count; i++) {
        size_t used = strlen(buf), length = text_until(v->violations[i].clause, ':');
        char clause[128];
        snprintf(clause, sizeof clause, "%.*s", (int)length, v->violations[i].clause);
        if (*clause && !strstr(buf, clause))
            snprintf(buf + used, size - used, "%s%s", used ? ", " : "", clause);
    }
}

struct text {
    char clauses[200], why[400];
};

static enum mm_class emit_test(struct lt_generator *g, const struct lt_cycle *c, const struct text *text,
                               bool minimal)
{
    char name[LT_CYCLE_TEXT], properties[1200], states[40] = "";
    struct answer search = {0}, z3 = {0};
    lt_cycle_name(c, name, sizeof name);
    if (g->counts.files >= g->options->limit || !first_time(g, name))
        return MM_OK;
    enum mm_class cls = ask_engine(g, c, ck_search, false, &search);
    if (cls == MM_OK)
        cls = ask_engine(g, c, ck_z3, false, &z3);
    if (cls == MM_OK && !answers_agree(&search, &z3)) {
        g->counts.disagreements++;
    } else if (cls == MM_OK) {
        bool race = search.verdict.race == CK_YES, holds = search.verdict.condition == CK_YES;
        if (!race)
            snprintf(states, sizeof states, "   States: %zu\n", search.verdict.state_count);
        snprintf(properties, sizeof properties,
                 "   Why: %s\n   Verdicts: generated, by search and Z3\n   Expect: %s\n%s   Race: %s\n   "
                 "Clauses: %s\n",
                 text->why, holds ? "holds" : "fails", states, race ? "found" : "none", text->clauses);
        const char *title = minimal ? "Forbidden, and every part of it is needed."
                            : race  ? "Not enough: the test races."
                            : holds ? "Not enough: the outcome is allowed."
                                    : "Forbidden.";
        cls = g->sink(g->context, c, name, title, properties, g->err);
        g->counts.files += cls == MM_OK;
        g->counts.forbidden += cls == MM_OK && !holds && !race;
    }
    answer_clear(&search);
    answer_clear(&z3);
    return cls;
}

/* ---- the boundary ---------------------------------------------------------------------------- */

static enum mm_class decide_condition(struct lt_generator *g, const struct lt_cycle *c, bool *yes)
{
    char text[LT_CYCLE_TEXT];
    struct answer a;
    lt_cycle_print(c, text, sizeof text);
    const struct node *known = find_node(g, text);
    if (known) {
        *yes = known->holds;
        return MM_OK;
    }
    enum mm_class cls = ask_engine(g, c, ck_search, false, &a);
    if (cls == MM_OK) {
        *yes = a.verdict.condition == CK_NO && ck_verdict_undefined(&a.verdict) == CK_NO;
        g->counts.decided++;
        if (!add_node(g, text, *yes))
            cls = mm_out_of_memory(g->err);
    }
    answer_clear(&a);
    return cls;
}

/* Emits some of the cycles that are one step weaker than C, spread over all of them; TEXT has the clauses of
 * C. */
static enum mm_class emit_weaker(struct lt_generator *g, const struct lt_cycle *c, struct text *text)
{
    char name[LT_CYCLE_TEXT], what[160];
    struct lt_cycle weaker;
    unsigned count = 0;
    enum mm_class cls = MM_OK;
    lt_cycle_name(c, name, sizeof name);
    while (lt_cycle_weaken(c, count, &weaker, what, sizeof what))
        count++;
    unsigned wanted = g->options->weaker < count ? g->options->weaker : count;
    unsigned first = count ? (unsigned)(hash_text(name) % count) : 0;
    for (unsigned k = 0; k < wanted && cls == MM_OK; k++) {
        lt_cycle_weaken(c, (first + k * count / wanted) % count, &weaker, what, sizeof what);
        if (!lt_cycle_settle(&weaker))
            continue;
        snprintf(text->why, sizeof text->why, "%.150s, against %.200s.", what, name);
        cls = emit_test(g, &weaker, text, false);
    }
    return cls;
}

/* Emits C, of which every weaker cycle is allowed, and some of those. */
static enum mm_class emit_minimal(struct lt_generator *g, const struct lt_cycle *c)
{
    struct answer a;
    struct text text = {0};
    enum mm_class cls = ask_engine(g, c, ck_search, true, &a);
    if (cls == MM_OK) {
        clauses_of(&a.verdict, text.clauses, sizeof text.clauses);
        snprintf(text.why, sizeof text.why,
                 "%s excludes the cycle; any weaker order, scope or fence lets it in.",
                 a.verdict.violation_count ? a.verdict.violations[0].axiom : "the model");
        if (!*text.clauses)
            snprintf(text.clauses, sizeof text.clauses, "CL 3.3.6");
    }
    answer_clear(&a);
    if (cls != MM_OK || (g->options->clause && !strstr(text.clauses, g->options->clause)))
        return cls;
    cls = emit_test(g, c, &text, true);
    return cls == MM_OK ? emit_weaker(g, c, &text) : cls;
}

/* Descends from C, which is forbidden and has no race, while a weaker cycle is as well. */
static enum mm_class descend_to_weaker(struct lt_generator *g, const struct lt_cycle *c)
{
    bool minimal = true;
    struct lt_cycle weaker;
    char what[160];
    enum mm_class cls = MM_OK;
    for (unsigned i = 0; cls == MM_OK && lt_cycle_weaken(c, i, &weaker, what, sizeof what); i++) {
        bool known, yes = false;
        char text[LT_CYCLE_TEXT];
        if (!lt_cycle_settle(&weaker))
            continue;
        lt_cycle_print(&weaker, text, sizeof text);
        known = find_node(g, text) != NULL;
        cls = decide_condition(g, &weaker, &yes);
        minimal &= !yes;
        if (cls == MM_OK && yes && !known) {
            if (g->visited_count > MAX_VISITED)
                return mm_fail(g->err, MM_LIMIT, "litmus.cycle", "more than %d cycles below one",
                               MAX_VISITED);
            cls = descend_to_weaker(g, &weaker);
        }
    }
    return cls == MM_OK && minimal ? emit_minimal(g, c) : cls;
}

enum mm_class lt_generate(struct lt_generator *g, const struct lt_cycle *strongest)
{
    bool yes = false, known;
    char text[LT_CYCLE_TEXT];
    lt_cycle_print(strongest, text, sizeof text);
    known = find_node(g, text) != NULL;
    enum mm_class cls = decide_condition(g, strongest, &yes);
    if (cls != MM_OK || known)
        return cls;
    if (yes)
        return descend_to_weaker(g, strongest);
    struct text nothing = {
        .clauses = "CL 3.3.6",
        .why = "even the strongest orders at this scope and in these regions do not exclude it."};
    return g->options->allowed && !g->options->clause ? emit_test(g, strongest, &nothing, false) : MM_OK;
}

struct lt_generator *lt_generator_create(const struct lt_generate_options *options, lt_generate_sink *sink,
                                         void *context, struct mm_error *err)
{
    struct lt_generator *g = mm_alloc_zero(1, sizeof *g);
    if (!g) {
        mm_out_of_memory(err);
        return NULL;
    }
    g->options = options;
    g->err = err;
    g->sink = sink;
    g->context = context;
    return g;
}

const struct lt_generate_counts *lt_generator_counts(const struct lt_generator *g)
{
    return &g->counts;
}

void lt_generator_destroy(struct lt_generator *g)
{
    for (size_t i = 0; g && i < g->visited_count; i++)
        mm_free(g->visited[i].text);
    for (size_t i = 0; g && i < g->emitted_count; i++)
        mm_free(g->emitted[i]);
    if (g) {
        mm_free(g->visited);
        mm_map_clear(&g->numbers);
        mm_free(g->emitted);
    }
    mm_free(g);
}
