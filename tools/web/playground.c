/* The playground's checker: parses the test, or reads the program of a kernel, searches, and writes the
 * verdict with its executions as JSON. */
#include "tools/web/playground.h"
#include "checker/program/file.h"
#include "litmus/litmus.h"
#include "memmodel/base/memory.h"
#include "tools/final_order.h"
#include "tools/verdict_text.h"
#include "tools/web/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 16, MAX_WORDS = 64, MAX_TEXT = 4096, KERNEL_UNROLL = 4 };

/* ---- model files ----------------------------------------------------------------------------------- */

static struct file {
    char *name, *text;
} files[MAX_FILES];

static const char *find_file(const char *name)
{
    for (size_t i = 0; i < MAX_FILES && files[i].name; i++)
        if (strcmp(files[i].name, name) == 0)
            return files[i].text;
    return NULL;
}

int playground_set_file(const char *name, const char *text)
{
    char *own_name = mm_strdup(name), *own_text = mm_strdup(text);
    size_t i = 0;
    while (i < MAX_FILES && files[i].name && strcmp(files[i].name, name) != 0)
        i++;
    if (!own_name || !own_text || i == MAX_FILES) {
        mm_free(own_name);
        mm_free(own_text);
        return 0;
    }
    mm_free(files[i].name);
    mm_free(files[i].text);
    files[i] = (struct file){own_name, own_text};
    return 1;
}

/* ---- what is decided ------------------------------------------------------------------------------- */

struct play {
    struct json json;
    char words[2][MAX_TEXT]; /* switches, relations; their words end with zeros */
    const char *switches[MAX_WORDS + 1], *relations[MAX_WORDS + 1];
    struct mm_cat_model *model, *kernel_model; /* KERNEL_MODEL: with the order of final values */
    struct lt_test *test;
    struct ck_program *program;
    struct ck_options options;
    struct ck_verdict verdict, listed; /* LISTED: has the forbidden states of a kernel */
    struct ck_advice advice;
    bool advised;
};

static enum mm_class split_words(const char *text, char words[MAX_TEXT], const char *out[MAX_WORDS + 1],
                                 struct mm_error *err)
{
    size_t count = 0, size = strlen(text);
    if (size >= MAX_TEXT)
        return mm_fail(err, MM_INVALID, "playground", "more than %d characters of switches or relations",
                       MAX_TEXT - 1);
    memcpy(words, text, size + 1);
    for (char *at = words + strspn(words, " \n"); *at; at += strspn(at, " \n")) {
        if (count == MAX_WORDS)
            return mm_fail(err, MM_INVALID, "playground", "more than %d switches or relations", MAX_WORDS);
        out[count++] = at;
        at += strcspn(at, " \n");
        if (*at)
            *at++ = '\0';
    }
    out[count] = NULL;
    return MM_OK;
}

static enum mm_class read_kernel(struct play *p, const char *program, const char *model_text,
                                 struct mm_error *err)
{
    char *text = tool_with_final_order(p->model, model_text, false);
    if (!text)
        return mm_out_of_memory(err);
    enum mm_class r = mm_cat_parse(text, p->model->name, p->switches, &p->kernel_model, err);
    mm_free(text);
    return r ? r : ck_program_read(program, strlen(program), "kernel", &p->program, err);
}

static enum mm_class read_input(struct play *p, const char *test, const char *model, const char *switches,
                                const char *relations, struct mm_error *err)
{
    const char *text = find_file(model);
    mm_cat_set_files(find_file);
    if (!text)
        return mm_fail(err, MM_INVALID, "playground", "there is no model '%s'", model);
    enum mm_class r = split_words(switches, p->words[0], p->switches, err);
    r = r ? r : split_words(relations, p->words[1], p->relations, err);
    r = r ? r : mm_cat_parse(text, model, p->switches, &p->model, err);
    if (!r && strncmp(test, CK_PROGRAM_MAGIC, strlen(CK_PROGRAM_MAGIC)) == 0)
        return read_kernel(p, test, text, err);
    r = r ? r : lt_parse(test, strlen(test), "test.litmus", &p->test, err);
    return r ? r : lt_lower(p->test, &p->program, err);
}

static const struct mm_cat_model *searched_model(const struct play *p)
{
    return p->kernel_model ? p->kernel_model : p->model;
}

/* Forbidden states of a kernel: those that the model does not allow without the order of final values, with
 * which search lists none.  Of these the ones are shown that it does not allow with that order either. */
static enum mm_class list_forbidden(struct play *p, unsigned timeout_ms, struct mm_error *err)
{
    struct ck_options options = p->options;
    options.timeout_ms = timeout_ms;
    return ck_search(p->program, p->model, &options, &p->listed, err);
}

static enum mm_class decide_program(struct play *p, unsigned flags, unsigned timeout_ms, struct mm_error *err)
{
    p->options = (struct ck_options){.timeout_ms = timeout_ms,
                                     .executions = true,
                                     .explain = true,
                                     .unroll = p->kernel_model ? KERNEL_UNROLL : 0,
                                     .forbidden = flags & PLAYGROUND_FORBIDDEN,
                                     .relations = p->relations};
    enum mm_class r = ck_search(p->program, searched_model(p), &p->options, &p->verdict, err);
    if (!r && p->kernel_model && p->options.forbidden && p->verdict.states_complete)
        r = list_forbidden(p, timeout_ms, err);
    p->advised = !r && (flags & PLAYGROUND_ADVICE) && p->verdict.race == CK_YES;
    if (p->advised) {
        struct ck_options plain = {.timeout_ms = timeout_ms, .unroll = p->options.unroll};
        r = ck_advise(p->program, searched_model(p), &plain, &p->advice, err);
    }
    return r;
}

/* ---- executions ------------------------------------------------------------------------------------ */

static void put_event(struct play *p, const struct ck_event *h)
{
    char text[VERDICT_TEXT];
    struct json *j = &p->json;
    json_open(j, NULL, '{');
    if (h->thread < p->program->thread_count)
        json_number(j, "thread", h->thread);
    verdict_event_text(p->program, h, text);
    json_text(j, "text", text);
    json_text(j, "kind", mm_kind_name((enum mm_kind)h->kind));
    if (h->order)
        json_text(j, "order", mm_order_name((enum mm_order)h->order));
    if (h->scope)
        json_text(j, "scope", mm_scope_name((enum mm_scope)h->scope));
    json_number(j, "step", h->step);
    json_bool(j, "hidden", h->hidden);
    if (h->line)
        json_number(j, "line", h->line);
    json_close(j, '}');
}

static void put_pair(struct json *j, const char *relation, size_t from, size_t to)
{
    json_open(j, NULL, '[');
    json_text(j, NULL, relation);
    json_number(j, NULL, from);
    json_number(j, NULL, to);
    json_close(j, ']');
}

static void put_edge(void *context, const struct verdict_edge *edge)
{
    struct play *p = context;
    put_pair(&p->json, edge->name, edge->from, edge->to);
}

static void put_relation(struct json *j, const char *name, const struct mm_rel *r)
{
    for (uint32_t a = 0; a < r->n; a++)
        for (uint32_t b = 0; b < r->n; b++)
            if (r->bits[a * r->words + b / 64] >> (b % 64) & 1)
                put_pair(j, name, a, b);
}

static void put_execution(struct play *p, const char *key, const struct ck_execution *x)
{
    static const char *const ends[] = {
        [CK_ENDS] = "ends", [CK_FAULTS] = "out_of_bounds", [CK_WAITS] = "waits", [CK_IS_LEFT] = "left"};
    struct json *j = &p->json;
    json_open(j, key, '{');
    json_open(j, "events", '[');
    for (size_t i = 0; i < x->count; i++)
        put_event(p, &x->events[i]);
    json_close(j, ']');
    json_open(j, "edges", '[');
    verdict_each_edge(x, put_edge, p);
    for (size_t i = 0; x->relations && p->relations[i]; i++)
        put_relation(j, p->relations[i], &x->relations[i]);
    json_close(j, ']');
    json_open(j, "ends", '[');
    for (uint32_t t = 0; t < p->program->thread_count; t++)
        json_text(j, NULL, ends[x->ends[t]]);
    json_close(j, ']');
    json_close(j, '}');
}

/* ---- violations ------------------------------------------------------------------------------------ */

/* NUMBERED: steps are events of the execution beside it. */
static void put_violation(struct play *p, const char *key, const struct ck_violation *v, bool numbered)
{
    struct json *j = &p->json;
    json_open(j, key, '{');
    json_text(j, "axiom", v->axiom);
    json_text(j, "clause", v->clause ? v->clause : "");
    json_open(j, "steps", '[');
    for (size_t i = 0; i < v->step_count; i++) {
        char text[VERDICT_TEXT], clause[80];
        verdict_step_text(p->program, &v->steps[i], text, sizeof text);
        json_open(j, NULL, '{');
        json_text(j, "text", text);
        if (numbered)
            json_number(j, "event", v->steps[i].event);
        if (v->steps[i].line)
            json_number(j, "line", v->steps[i].line);
        if (v->steps[i].edge) {
            json_text(j, "edge", v->steps[i].edge);
            json_text(j, "clause", verdict_edge_clause(v->steps[i].edge, clause, sizeof clause));
        }
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void put_values(struct play *p, const uint64_t *values)
{
    json_open(&p->json, "values", '[');
    for (uint32_t i = 0; i < p->program->observed_count; i++) {
        char text[MM_SCALAR_TEXT];
        verdict_term_text(p->program, &p->program->observed[i], values[i], text);
        json_text(&p->json, NULL, text); /* a number may be too large for readers */
    }
    json_close(&p->json, ']');
}

static void put_states(struct play *p)
{
    const struct ck_verdict *v = &p->verdict;
    struct json *j = &p->json;
    json_open(j, "states", '[');
    for (size_t i = 0; i < v->state_count; i++) {
        json_open(j, NULL, '{');
        put_values(p, v->states[i].values);
        json_bool(j, "satisfies", v->states[i].satisfies);
        json_bool(j, "racy", v->states[i].racy);
        for (size_t k = 0; k < v->shown_count; k++)
            if (v->shown[k].shows == CK_SHOWS_STATE && v->shown[k].values == v->states[i].values)
                put_execution(p, "execution", &v->shown[k]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static bool is_allowed(const struct play *p, const uint64_t *values)
{
    size_t bytes = p->program->observed_count * sizeof *values;
    for (size_t i = 0; i < p->verdict.state_count; i++)
        if (memcmp(p->verdict.states[i].values, values, bytes) == 0)
            return true;
    return false;
}

static void put_forbidden(struct play *p)
{
    const struct ck_verdict *v = p->kernel_model ? &p->listed : &p->verdict;
    struct json *j = &p->json;
    json_bool(j, "forbidden_complete", v->forbidden_complete);
    json_open(j, "forbidden", '[');
    for (size_t i = 0; i < v->forbidden_count; i++) {
        const struct ck_forbidden *f = &v->forbidden[i];
        if (is_allowed(p, f->values))
            continue;
        json_open(j, NULL, '{');
        put_values(p, f->values);
        json_bool(j, "satisfies", f->satisfies);
        json_open(j, "violations", '[');
        for (size_t k = 0; k < f->violation_count; k++)
            put_violation(p, NULL, &f->violations[k], true);
        json_close(j, ']');
        if (f->candidate.events)
            put_execution(p, "execution", &f->candidate);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_findings(struct play *p)
{
    static const char *const kinds[] = {[CK_SHOWS_STATE] = "",
                                        [CK_SHOWS_FLAG] = "",
                                        [CK_SHOWS_OUT_OF_BOUNDS] = "out_of_bounds",
                                        [CK_SHOWS_DIVERGENCE] = "divergence",
                                        [CK_SHOWS_HANG] = "non-termination"};
    const struct ck_verdict *v = &p->verdict;
    struct json *j = &p->json;
    json_open(j, "findings", '[');
    for (size_t i = 0; i < v->shown_count; i++) {
        if (v->shown[i].shows == CK_SHOWS_STATE)
            continue;
        json_open(j, NULL, '{');
        json_text(j, "name",
                  v->shown[i].shows == CK_SHOWS_FLAG ? v->shown[i].flag : kinds[v->shown[i].shows]);
        put_execution(p, "execution", &v->shown[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
    if (v->race_witness.axiom)
        put_violation(p, "race_witness", &v->race_witness, false);
}

static void put_advice(struct play *p)
{
    struct json *j = &p->json;
    json_open(j, "advice", '[');
    for (uint32_t i = 0; i < p->advice.count; i++) {
        char lack[240], change[240];
        verdict_lack_text(p->program, &p->advice.edits[i], lack, sizeof lack);
        verdict_change_text(p->program, &p->advice.edits[i], change, sizeof change);
        json_open(j, NULL, '{');
        json_text(j, "falls_short", lack);
        json_text(j, "change", change);
        json_number(j, "line", verdict_edit_line(p->program, &p->advice.edits[i]));
        json_close(j, '}');
    }
    json_close(j, ']');
    json_bool(j, "racy", p->advice.racy);
}

static void put_program(struct play *p)
{
    static const char *const quantifiers[] = {
        [CK_EXISTS] = "exists", [CK_NOT_EXISTS] = "~exists", [CK_FORALL] = "forall"};
    const struct ck_program *program = p->program;
    struct json *j = &p->json;
    json_text(j, "name", program->name ? program->name : "");
    json_text(j, "dialect", program->vulkan ? "vulkan" : "opencl");
    json_text(j, "model", p->model->name);
    json_text(j, "model_sha256", p->model->sha256);
    json_text(j, "quantifier", quantifiers[program->quantifier]);
    json_open(j, "threads", '[');
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const struct ck_thread *thread = &program->threads[t];
        json_open(j, NULL, '{');
        json_text(j, "name", thread->name);
        json_bool(j, "host", thread->host);
        json_number(j, "device", thread->device);
        json_number(j, "work_group", thread->work_group);
        json_number(j, "sub_group", thread->sub_group);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "terms", '[');
    for (uint32_t i = 0; i < program->observed_count; i++) {
        char name[80];
        verdict_term_name(program, &program->observed[i], name, sizeof name);
        json_text(j, NULL, name);
    }
    json_close(j, ']');
}

static void put_verdict(struct play *p)
{
    static const char *const terminations[] = {
        [CK_UNKNOWN] = "unknown", [CK_YES] = "always", [CK_NO] = "not-always"};
    const struct ck_verdict *v = &p->verdict;
    struct json *j = &p->json;
    verdict_use_model(p->model);
    put_program(p);
    json_text(j, "condition", verdict_condition_name(v->condition));
    json_text(j, "race", verdict_race_name(v->race));
    json_text(j, "usage", verdict_race_name(v->usage));
    if (p->kernel_model) {
        json_text(j, "divergence", verdict_race_name(v->divergence));
        json_text(j, "termination", terminations[v->termination]);
    }
    json_bool(j, "states_complete", v->states_complete);
    json_number(j, "executions", v->execution_count);
    json_number(j, "microseconds", (uint64_t)(v->time_ms * 1000));
    if (v->limit.cls)
        json_text(j, "limit", v->limit.message);
    json_open(j, "flags", '[');
    for (size_t i = 0; i < v->flag_count; i++)
        json_text(j, NULL, v->flags[i]);
    json_close(j, ']');
    put_states(p);
    if (p->options.forbidden)
        put_forbidden(p);
    put_findings(p);
    if (p->advised)
        put_advice(p);
    verdict_use_model(NULL);
}

static void put_error(struct json *j, const struct mm_error *err)
{
    static const char *const classes[] = {[MM_OK] = "",
                                          [MM_INVALID] = "invalid",
                                          [MM_UNDEFINED] = "undefined",
                                          [MM_LIMIT] = "limit",
                                          [MM_BUG] = "bug"};
    json_open(j, "error", '{');
    json_text(j, "class", classes[err->cls]);
    json_text(j, "rule", err->rule);
    json_text(j, "file", err->file);
    json_number(j, "line", err->line);
    json_number(j, "column", err->column);
    json_text(j, "message", err->message);
    json_close(j, '}');
}

static uint64_t read_real(const char *text, char **end, unsigned size)
{
    double real = strtod(text, end);
    float single = (float)real;
    uint64_t bits = 0;
    memcpy(&bits, size == sizeof single ? (void *)&single : (void *)&real,
           size == sizeof single ? size : sizeof real);
    return bits;
}

/* The observed values of a final state, as put_values wrote them. */
static enum mm_class read_state(struct play *p, const char *text, uint64_t **state, struct mm_error *err)
{
    uint32_t n = p->program->observed_count, i = 0;
    uint64_t *values = *state = mm_alloc_zero(n + 1, sizeof *values);
    if (!values)
        return mm_out_of_memory(err);
    for (char *end; i < n; i++, text = end) {
        const struct ck_term *term = &p->program->observed[i];
        unsigned size = term->kind == CK_TERM_REG ? p->program->threads[term->thread].reg_sizes[term->reg]
                                                  : ck_term_size(p->program, term);
        bool is_float = term->kind == CK_TERM_MEMORY && p->program->objects[term->object].is_float;
        uint64_t value = is_float ? read_real(text, &end, size) : (uint64_t)strtoll(text, &end, 10);
        if (end == text)
            break;
        values[i] = size < 8 ? value & ((UINT64_C(1) << (8 * size)) - 1) : value;
    }
    return i == n ? MM_OK : mm_fail(err, MM_INVALID, "playground", "a state has %u values", n);
}

/* The parts of a request. */
struct question {
    const char *test, *model, *switches, *relations, *state;
    unsigned flags, timeout_ms;
};

static enum mm_class advise_state(struct play *p, const struct question *q, struct mm_error *err)
{
    struct ck_options options = {.timeout_ms = q->timeout_ms, .unroll = p->kernel_model ? KERNEL_UNROLL : 0};
    uint64_t *state = NULL;
    enum mm_class r = read_state(p, q->state, &state, err);
    r = r ? r
          : ck_advise_state(p->program, searched_model(p), &options, state, q->flags & PLAYGROUND_ALLOW,
                            &p->advice, err);
    mm_free(state);
    return r;
}

static char *answer_question(const struct question *q)
{
    struct play *p = mm_alloc(sizeof *p);
    struct mm_error err = {0};
    char *text = NULL;
    size_t size = 0;
    if (!p)
        return NULL;
    *p = (struct play){.json.out = open_memstream(&text, &size)};
    if (p->json.out) {
        enum mm_class r = read_input(p, q->test, q->model, q->switches, q->relations, &err);
        r = r ? r : q->state ? advise_state(p, q, &err) : decide_program(p, q->flags, q->timeout_ms, &err);
        json_open(&p->json, NULL, '{');
        if (r)
            put_error(&p->json, &err);
        else if (q->state)
            put_advice(p);
        else
            put_verdict(p);
        json_close(&p->json, '}');
        if (fclose(p->json.out) != 0) {
            free(text);
            text = NULL;
        }
    }
    ck_verdict_clear(&p->verdict);
    ck_verdict_clear(&p->listed);
    ck_program_destroy(p->program);
    lt_test_destroy(p->test);
    mm_cat_destroy(p->model);
    mm_cat_destroy(p->kernel_model);
    mm_free(p);
    return text;
}

char *playground_check(const char *test, const char *model, const char *switches, const char *relations,
                       unsigned flags, unsigned timeout_ms)
{
    return answer_question(&(struct question){.test = test,
                                              .model = model,
                                              .switches = switches,
                                              .relations = relations,
                                              .flags = flags,
                                              .timeout_ms = timeout_ms});
}

char *playground_advise(const char *test, const char *model, const char *switches, const char *state,
                        unsigned flags, unsigned timeout_ms)
{
    return answer_question(&(struct question){.test = test,
                                              .model = model,
                                              .switches = switches,
                                              .relations = "",
                                              .state = state,
                                              .flags = flags,
                                              .timeout_ms = timeout_ms});
}

void playground_free(char *json)
{
    free(json);
}
