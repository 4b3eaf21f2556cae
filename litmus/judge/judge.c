/* Compares the outcomes of a device (results.json) with those that the model allows.
 *
 * A state that no consistent execution reaches is forbidden: a finding.  A test that has a race by the
 * model has undefined behavior [CL 3.3.6 G17]: no outcome is forbidden. */
#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include "litmus/files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t lt_term_value(const struct ck_program *program, const struct ck_term *term, uint64_t value)
{
    uint8_t size = lt_term_size(program, term);
    uint64_t sign = lt_term_is_signed(program, term) && size < 8 ? UINT64_C(1) << (8 * size - 1) : 0;
    return (int64_t)((value ^ sign) - sign);
}

static uint64_t truncate_to(uint64_t value, uint8_t size)
{
    return size < 8 ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

/* ---- the condition on a seen state -------------------------------------------------------------- */

static int64_t term_value(const struct lt_judged *j, const struct ck_term *term, const uint64_t *values)
{
    const struct ck_program *p = j->program;
    if (term->kind == CK_TERM_CONST)
        return (int64_t)term->value;
    for (uint32_t i = 0; i < p->observed_count; i++)
        if (lt_same_term(&p->observed[i], term))
            return lt_term_value(p, term, values[i]);
    return 0;
}

static bool satisfies_prop(const struct lt_judged *j, uint32_t prop, const uint64_t *values)
{
    const struct ck_prop *p = &j->program->props[prop];
    if (p->op == CK_PROP_TRUE)
        return true;
    if (p->op == CK_PROP_NOT)
        return !satisfies_prop(j, p->a, values);
    if (p->op == CK_PROP_AND)
        return satisfies_prop(j, p->a, values) && satisfies_prop(j, p->b, values);
    if (p->op == CK_PROP_OR)
        return satisfies_prop(j, p->a, values) || satisfies_prop(j, p->b, values);
    int64_t a = term_value(j, &p->left, values), b = term_value(j, &p->right, values);
    switch (p->compare) {
    case CK_EQ:
        return a == b;
    case CK_NE:
        return a != b;
    case CK_SLT:
        return a < b;
    default:
        return a <= b;
    }
}

/* Whether the test asks about the state: `exists` and `~exists` about those that satisfy the condition,
 * `forall` about the others. */
static bool asks_about(const struct lt_judged *j, const uint64_t *values)
{
    const struct ck_program *p = j->program;
    return (p->filter == CK_NO_EXPR || satisfies_prop(j, p->filter, values)) &&
           satisfies_prop(j, p->condition, values) != (p->quantifier == CK_FORALL);
}

/* ---- reading results ---------------------------------------------------------------------------- */

static enum mm_class bad_results(struct lt_judged *j, const char *what, struct mm_error *err)
{
    return mm_fail_at(err, MM_INVALID, "litmus.results", j->results_path, 0, 0, "test '%s': %s", j->name,
                      what);
}

/* The observed values must be those of the test's text. */
static enum mm_class check_observed(struct lt_judged *j, struct mm_error *err)
{
    const cJSON *observed = cJSON_GetObjectItem(j->json, "observed");
    if (cJSON_GetArraySize(observed) != (int)j->program->observed_count)
        return bad_results(j, "the observed values do not fit the test", err);
    for (uint32_t i = 0; i < j->program->observed_count; i++) {
        char name[256];
        const cJSON *item = cJSON_GetArrayItem(observed, (int)i);
        lt_observed_name(j->program, i, name, sizeof name);
        if (!cJSON_IsString(item) || strcmp(item->valuestring, name) != 0)
            return bad_results(j, "the observed values do not fit the test", err);
    }
    return MM_OK;
}

static enum mm_class read_states(struct lt_judged *j, struct mm_error *err)
{
    const cJSON *states = cJSON_GetObjectItem(j->json, "states"), *item;
    uint32_t width = j->program->observed_count;
    int count = cJSON_GetArraySize(states);
    j->seen = mm_arena_alloc(j->program->arena, ((size_t)count + 1) * sizeof *j->seen);
    if (!j->seen)
        return mm_out_of_memory(err);
    cJSON_ArrayForEach(item, states)
    {
        const cJSON *values = cJSON_GetObjectItem(item, "values");
        struct lt_seen *s = &j->seen[j->seen_count++];
        if (cJSON_GetArraySize(values) != (int)width)
            return bad_results(j, "a state does not have as many values as are observed", err);
        s->values = mm_arena_alloc(j->program->arena, (width + 1) * sizeof *s->values);
        if (!s->values)
            return mm_out_of_memory(err);
        for (uint32_t i = 0; i < width; i++) {
            uint8_t size = lt_term_size(j->program, &j->program->observed[i]);
            s->values[i] = truncate_to((uint64_t)lt_json_value(cJSON_GetArrayItem(values, (int)i)), size);
        }
        s->count = (uint64_t)lt_json_value(cJSON_GetObjectItem(item, "count"));
        s->filtered = j->program->filter != CK_NO_EXPR && !satisfies_prop(j, j->program->filter, s->values);
        s->satisfies = !s->filtered && satisfies_prop(j, j->program->condition, s->values);
        s->asked = asks_about(j, s->values);
        *(s->filtered ? &j->filtered : s->satisfies ? &j->positive : &j->negative) += s->count;
    }
    return MM_OK;
}

/* ---- judging ------------------------------------------------------------------------------------ */

static bool model_allows(const struct lt_judged *j, const struct lt_seen *s)
{
    for (size_t i = 0; i < j->verdict.state_count; i++)
        if (memcmp(j->verdict.states[i].values, s->values, j->program->observed_count * sizeof *s->values) ==
            0)
            return true;
    return false;
}

/* A condition that only state S satisfies. */
static bool ask_for(struct ck_program *program, const struct lt_seen *s)
{
    uint32_t all = ck_program_add_prop(program, &(struct ck_prop){.op = CK_PROP_TRUE});
    for (uint32_t i = 0; i < program->observed_count && all != CK_NOT_ADDED; i++) {
        const struct ck_term *term = &program->observed[i];
        struct ck_prop equal = {
            .op = CK_PROP_COMPARE,
            .compare = CK_EQ,
            .left = *term,
            .right = {.kind = CK_TERM_CONST, .value = (uint64_t)lt_term_value(program, term, s->values[i])}};
        uint32_t one = ck_program_add_prop(program, &equal);
        if (one == CK_NOT_ADDED)
            return false;
        all = ck_program_add_prop(program, &(struct ck_prop){.op = CK_PROP_AND, .a = all, .b = one});
    }
    program->condition = all;
    program->quantifier = CK_EXISTS;
    return all != CK_NOT_ADDED;
}

/* The axioms that forbid state S: search explains why no execution ends in it. */
static void explain_state(struct lt_judged *j, struct lt_seen *s, const struct lt_judge_options *options)
{
    struct ck_program *program = NULL;
    struct ck_options check = options->check;
    check.explain = true;
    s->why = mm_arena_alloc(j->program->arena, sizeof *s->why);
    if (s->why && lt_lower(j->test, &program, NULL) == MM_OK && lt_observe_filter(program) &&
        ask_for(program, s) && ck_search(program, options->model, &check, s->why, NULL) != MM_OK)
        s->why = NULL;
    ck_program_destroy(program);
}

static enum lt_outcome judge_asked(const struct lt_judged *j)
{
    bool allowed = false;
    if (j->undefined == CK_YES)
        return LT_RACY;
    for (size_t i = 0; i < j->verdict.state_count && !allowed; i++)
        allowed = asks_about(j, j->verdict.states[i].values);
    if (allowed)
        return j->undefined == CK_NO ? LT_ALLOWED : LT_UNKNOWN;
    return j->verdict.states_complete ? LT_FORBIDDEN : LT_UNKNOWN;
}

static void judge_states(struct lt_judged *j, const struct lt_judge_options *options)
{
    bool any_unknown = false, any_forbidden = false;
    for (size_t i = 0; i < j->seen_count; i++) {
        struct lt_seen *s = &j->seen[i];
        if (s->filtered)
            continue;
        if (model_allows(j, s)) {
            s->verdict = LT_ALLOWED;
            j->allowed_seen++;
        } else if (!j->verdict.states_complete) {
            s->verdict = LT_UNKNOWN;
            any_unknown = true;
        } else {
            s->verdict = LT_FORBIDDEN;
            any_forbidden = true;
            if (j->undefined == CK_NO)
                explain_state(j, s, options);
        }
    }
    j->asked = judge_asked(j);
    if (!j->positive && !j->negative)
        j->outcome = LT_NOT_OBSERVED;
    else if (j->undefined == CK_YES)
        j->outcome = LT_RACY;
    else if (any_forbidden && j->undefined == CK_NO)
        j->outcome = LT_FORBIDDEN;
    else if (any_unknown || j->undefined == CK_UNKNOWN)
        j->outcome = LT_UNKNOWN;
    else
        j->outcome = LT_ALLOWED;
}

/* A device runs the test without its filter: a race in an execution that the filter excludes makes every
 * outcome possible, too. */
static enum mm_class find_undefined(struct lt_judged *j, const struct lt_judge_options *options,
                                    struct mm_error *err)
{
    uint32_t filter = j->program->filter;
    struct ck_verdict all;
    j->undefined = ck_verdict_undefined(&j->verdict);
    if (filter == CK_NO_EXPR || j->undefined == CK_YES)
        return MM_OK;
    j->program->filter = CK_NO_EXPR;
    enum mm_class cls = ck_search(j->program, options->model, &options->check, &all, err);
    j->program->filter = filter;
    if (cls != MM_OK)
        return cls;
    if (ck_verdict_undefined(&all) != CK_NO)
        j->undefined = ck_verdict_undefined(&all);
    ck_verdict_clear(&all);
    return MM_OK;
}

static enum mm_class judge_test(struct lt_judged *j, const struct lt_judge_options *options,
                                struct mm_error *err)
{
    const char *source = lt_json_text(j->json, "source");
    enum mm_class cls = cJSON_HasObjectItem(j->json, "digest")
                            ? lt_table_test(j->json, options->tests, &j->test, err)
                            : lt_parse(source, strlen(source), lt_json_text(j->json, "file"), &j->test, err);
    if (cls == MM_OK)
        cls = lt_lower(j->test, &j->program, err);
    if (cls == MM_OK && !lt_observe_filter(j->program))
        cls = mm_out_of_memory(err);
    if (cls != MM_OK)
        return cls;
    bool ran = strcmp(j->status, "done") == 0 || strcmp(j->status, "running") == 0 ||
               cJSON_GetArraySize(cJSON_GetObjectItem(j->json, "states")) > 0;
    if (!ran) {
        j->outcome =
            strcmp(j->status, "skipped") == 0 || strcmp(j->status, "pending") == 0 ? LT_NOT_RUN : LT_UNKNOWN;
        return MM_OK;
    }
    cls = check_observed(j, err);
    if (cls == MM_OK)
        cls = read_states(j, err);
    if (cls == MM_OK)
        cls = ck_search(j->program, options->model, &options->check, &j->verdict, err);
    j->judged = cls == MM_OK;
    if (cls == MM_OK)
        cls = find_undefined(j, options, err);
    if (cls == MM_OK)
        judge_states(j, options);
    /* An incomplete test (crash, hang) is not clean, whatever it showed before. */
    bool cut = strcmp(j->status, "done") != 0 && strcmp(j->status, "running") != 0;
    if (cut && (j->outcome == LT_ALLOWED || j->outcome == LT_NOT_OBSERVED))
        j->outcome = LT_UNKNOWN;
    return cls;
}

static void clear_judged(struct lt_judged *j)
{
    for (size_t i = 0; i < j->seen_count; i++)
        if (j->seen[i].why)
            ck_verdict_clear(j->seen[i].why);
    if (j->judged)
        ck_verdict_clear(&j->verdict);
    ck_program_destroy(j->program);
    lt_test_destroy(j->test);
}

/* ---- the whole file ----------------------------------------------------------------------------- */

static enum mm_class judge_all(const cJSON *results, struct lt_judge_report *report,
                               const struct lt_judge_options *options, const char *path, struct mm_error *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(results, "tests"))
    {
        struct lt_judged j = {.json = item,
                              .results_path = path,
                              .name = lt_json_text(item, "name"),
                              .status = lt_json_text(item, "status"),
                              .reason = lt_json_text(item, "reason")};
        enum mm_class cls = judge_test(&j, options, err);
        if (cls == MM_OK) {
            report->counts[j.outcome]++;
            lt_judge_print(&j, report);
            lt_judge_json(&j, report);
            if (report->html)
                lt_html_test(&j, options, report);
            if (report->rows)
                cls = lt_table_add(&j, report, err);
        }
        clear_judged(&j);
        if (cls != MM_OK)
            return cls;
    }
    return MM_OK;
}

/* Writes the requested outputs besides the text. */
static enum mm_class write_reports(const struct lt_judge_options *options, const cJSON *judgement,
                                   FILE *json_out, struct mm_error *err)
{
    enum mm_class cls = MM_OK;
    if (json_out) {
        char *text = cJSON_Print(judgement);
        if (text) {
            mm_put_json(text, false, json_out);
            fputc('\n', json_out);
        } else
            cls = mm_out_of_memory(err);
        cJSON_free(text);
    }
    if (options->junit && cls == MM_OK)
        cls = lt_judge_junit(judgement, options->junit, err);
    if (options->sarif && cls == MM_OK)
        cls = lt_judge_sarif(judgement, options->sarif, err);
    return cls;
}

static const struct lt_json_kind results_kind = {"litmus.results", "refcl-litmus-results",
                                                 "results of litmus tests", 1, "refcl-litmus-table"};

enum mm_class lt_results_dialect(const char *path, enum lt_dialect *dialect, struct mm_error *err)
{
    cJSON *results = lt_file_json(path, &results_kind, err);
    if (!results)
        return err->cls;
    const char *platform = lt_json_text(cJSON_GetObjectItem(results, "device"), "platform");
    *dialect = strcmp(platform, "Vulkan") == 0 ? LT_VULKAN : LT_OPENCL;
    cJSON_Delete(results);
    return MM_OK;
}

cJSON *lt_judge_results(const cJSON *results, const char *path, const struct lt_judge_options *options,
                        struct lt_judge_report *report, struct mm_error *err)
{
    report->tests = cJSON_CreateArray();
    enum mm_class cls = judge_all(results, report, options, path, err);
    cJSON *judgement = lt_judge_finish(report, results, options->model);
    if (cls == MM_OK)
        return judgement;
    cJSON_Delete(judgement);
    return NULL;
}

enum mm_class lt_judge(const char *results_path, const struct lt_judge_options *options, FILE *text_out,
                       FILE *json_out, size_t *findings, size_t *unknown, struct mm_error *err)
{
    struct mm_error scratch = {0};
    err = err ? err : &scratch;
    cJSON *results = lt_file_json(results_path, &results_kind, err);
    if (!results)
        return err->cls;
    char *body = NULL;
    size_t size = 0;
    struct lt_judge_report report = {.text = text_out, .rows = options->table ? cJSON_CreateArray() : NULL};
    report.html = options->html ? open_memstream(&body, &size) : NULL;
    cJSON *judgement = lt_judge_results(results, results_path, options, &report, err);
    enum mm_class cls = judgement ? MM_OK : err->cls;
    if (report.html && fclose(report.html) != 0 && cls == MM_OK)
        cls = mm_out_of_memory(err);
    if (cls == MM_OK)
        cls = write_reports(options, judgement, json_out, err);
    if (cls == MM_OK && options->html)
        cls = lt_html_page(options->html, body, judgement, &report, err);
    if (cls == MM_OK && options->table)
        cls = lt_table_write(options->table, results, report.rows, err);
    cJSON_Delete(report.rows);
    free(body);
    cJSON_Delete(judgement);
    cJSON_Delete(results);
    *findings = report.counts[LT_FORBIDDEN];
    *unknown = report.counts[LT_UNKNOWN] + report.counts[LT_NOT_OBSERVED];
    return cls;
}
