/* The judge's report: a log in herd's format with the verdict added to each test, and JSON. */
#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include "litmus/files.h"

#include <inttypes.h>
#include <string.h>

static const char *const outcome_names[] = {
    [LT_ALLOWED] = "allowed", [LT_FORBIDDEN] = "forbidden",       [LT_RACY] = "racy",
    [LT_UNKNOWN] = "unknown", [LT_NOT_OBSERVED] = "not-observed", [LT_NOT_RUN] = "not-run"};

const char *lt_outcome_name(enum lt_outcome outcome)
{
    return outcome_names[outcome];
}

const char *lt_seen_name(const struct lt_judged *j, const struct lt_seen *s)
{
    return s->filtered ? "filtered" : lt_outcome_name(j->outcome == LT_RACY ? LT_RACY : s->verdict);
}

static int64_t shown_value(const struct lt_judged *j, uint32_t i, uint64_t value)
{
    return lt_term_value(j->program, &j->program->observed[i], value);
}

void lt_judge_state(const struct lt_judged *j, const uint64_t *values, FILE *out)
{
    for (uint32_t i = 0; i < j->program->observed_count; i++) {
        char name[256];
        lt_observed_name(j->program, i, name, sizeof name);
        mm_print(out, "%s%s=%" PRId64 ";", i ? " " : "", name, shown_value(j, i, values[i]));
    }
}

static uint64_t seen_instances(const struct lt_judged *j)
{
    return j->positive + j->negative;
}

/* True if the observations validate the condition; without any instance not even a negative condition is
 * validated. */
static bool is_validated(const struct lt_judged *j)
{
    if (!seen_instances(j))
        return false;
    switch (j->program->quantifier) {
    case CK_EXISTS:
        return j->positive > 0;
    case CK_NOT_EXISTS:
        return j->positive == 0;
    default:
        return j->negative == 0;
    }
}

static void print_condition(const struct lt_judged *j, FILE *out)
{
    mm_print(out, "Condition %s ", lt_quantifier_text(j->program->quantifier));
    if (j->test->condition)
        lt_print_prop(j->test->condition, out);
    else
        fputs("true", out);
    mm_print(out, " is %svalidated\n", is_validated(j) ? "" : "NOT ");
}

static void print_statistics(const struct lt_judged *j, FILE *out)
{
    struct lt_rate r = lt_rate_of(j->positive, seen_instances(j));
    if (j->positive)
        mm_print(out, "Rate %.3g (95 %% between %.3g and %.3g), seen again with probability %.4g\n", r.rate,
                 r.low, r.high, r.again);
    else if (seen_instances(j))
        mm_print(out, "Rate below %.3g with 95 %% confidence\n", r.high);
    if (!lt_stationary(j->json))
        fputs("Not stationary: the rate of a state changed in the course of the campaign\n", out);
}

static void print_violations(const struct lt_seen *s, FILE *out)
{
    for (size_t v = 0; s->why && v < s->why->violation_count; v++) {
        const struct ck_violation *violation = &s->why->violations[v];
        mm_print(out, "    forbidden by %s%s%s%s\n", violation->axiom ? violation->axiom : "the model",
                 violation->clause && *violation->clause ? " (" : "",
                 violation->clause ? violation->clause : "",
                 violation->clause && *violation->clause ? ")" : "");
    }
}

static void print_verdict(const struct lt_judged *j, FILE *out)
{
    switch (j->outcome) {
    case LT_RACY:
        if (ck_verdict_undefined(&j->verdict) != CK_YES) {
            fputs(
                "Verdict none: an execution that the filter excludes has a race, so the model says nothing about "
                "the test's states\n",
                out);
            return;
        }
        fputs(j->verdict.race == CK_YES
                  ? "Verdict none: the test has a race, so the model says nothing about "
                    "its states [CL 3.3.6 G17]\n"
                  : "Verdict none: the test does what is not allowed, so the model says "
                    "nothing about its states\n",
              out);
        return;
    case LT_UNKNOWN:
        mm_print(out, "Verdict unknown: %s\n",
                 *j->reason                         ? j->reason
                 : j->verdict.limit.cls == MM_LIMIT ? j->verdict.limit.message
                                                    : "a bound of the search was reached");
        return;
    case LT_NOT_OBSERVED:
        fputs(j->filtered ? "Verdict none: not observed, no instance satisfies the filter\n"
                          : "Verdict none: not observed, every instance was discarded\n",
              out);
        return;
    case LT_FORBIDDEN:
        fputs("Verdict FORBIDDEN: the device reached a state that the model forbids\n", out);
        break;
    default:
        mm_print(out, "Verdict allowed: %zu of the model's %zu states seen\n", j->allowed_seen,
                 j->verdict.state_count);
        return;
    }
    for (size_t i = 0; i < j->seen_count; i++)
        if (j->seen[i].verdict == LT_FORBIDDEN) {
            fputs("  ", out);
            lt_judge_state(j, j->seen[i].values, out);
            mm_print(out, "  seen %" PRIu64 " times\n", j->seen[i].count);
            print_violations(&j->seen[i], out);
        }
}

void lt_judge_print(const struct lt_judged *j, struct lt_judge_report *report)
{
    static const char *const kinds[] = {
        [CK_EXISTS] = "Allowed", [CK_NOT_EXISTS] = "Forbidden", [CK_FORALL] = "Required"};
    FILE *out = report->text;
    if (!out)
        return;
    mm_print(out, "Test %s %s\n", j->name, kinds[j->program->quantifier]);
    if (!j->judged) {
        mm_print(out, "Not judged: %s%s%s\n\n", j->status, *j->reason ? ": " : "", j->reason);
        return;
    }
    mm_print(out, "States %zu\n", j->seen_count);
    for (size_t i = 0; i < j->seen_count; i++) {
        mm_print(out, "%-8" PRIu64 "%c>", j->seen[i].count,
                 j->seen[i].filtered    ? '-'
                 : j->seen[i].satisfies ? '*'
                                        : ':');
        lt_judge_state(j, j->seen[i].values, out);
        fputc('\n', out);
    }
    const cJSON *ms = cJSON_GetObjectItem(j->json, "time_ms");
    const char *often = !j->positive ? "Never" : !j->negative ? "Always" : "Sometimes";
    if (j->filtered)
        mm_print(out, "Filtered: %" PRIu64 "\n", j->filtered);
    mm_print(out, "%s\nWitnesses\nPositive: %" PRIu64 ", Negative: %" PRIu64 "\n",
             is_validated(j) ? "Ok" : "No", j->positive, j->negative);
    print_condition(j, out);
    mm_print(out, "Observation %s %s %" PRIu64 " %" PRIu64 "\n", j->name, often, j->positive, j->negative);
    mm_print(out, "Time %s %.2f\n", j->name, cJSON_IsNumber(ms) ? ms->valuedouble / 1e3 : 0.0);
    print_statistics(j, out);
    print_verdict(j, out);
    fputc('\n', out);
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static cJSON *violations_json(const struct lt_seen *s)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t v = 0; s->why && v < s->why->violation_count; v++) {
        const struct ck_violation *violation = &s->why->violations[v];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "axiom", violation->axiom ? violation->axiom : "");
        cJSON_AddStringToObject(item, "clause", violation->clause ? violation->clause : "");
        cJSON_AddItemToArray(array, item);
    }
    return array;
}

static cJSON *state_json(const struct lt_judged *j, const struct lt_seen *s)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *values = cJSON_AddArrayToObject(json, "values");
    for (uint32_t i = 0; i < j->program->observed_count; i++)
        cJSON_AddItemToArray(values, lt_value_json(shown_value(j, i, s->values[i])));
    cJSON_AddNumberToObject(json, "count", (double)s->count);
    cJSON_AddStringToObject(json, "verdict", lt_seen_name(j, s));
    if (s->filtered)
        return json;
    cJSON_AddBoolToObject(json, "asked", s->asked);
    struct lt_rate r = lt_rate_of(s->count, seen_instances(j));
    cJSON_AddNumberToObject(json, "rate", r.rate);
    cJSON_AddNumberToObject(json, "rate_low", r.low);
    cJSON_AddNumberToObject(json, "rate_high", r.high);
    cJSON_AddNumberToObject(json, "reproducibility", r.again);
    if (j->outcome != LT_RACY && s->verdict == LT_FORBIDDEN)
        cJSON_AddItemToObject(json, "violations", violations_json(s));
    return json;
}

void lt_judge_json(const struct lt_judged *j, struct lt_judge_report *report)
{
    cJSON *json = cJSON_CreateObject();
    static const char *const copied[] = {"name",      "file",      "status",  "reason",
                                         "instances", "discarded", "observed"};
    lt_copy_members(json, j->json, copied, sizeof copied / sizeof *copied);
    cJSON_AddStringToObject(json, "verdict", outcome_names[j->outcome]);
    if (j->judged) {
        cJSON_AddStringToObject(json, "asked", outcome_names[j->asked]);
        cJSON_AddNumberToObject(json, "positive", (double)j->positive);
        cJSON_AddNumberToObject(json, "negative", (double)j->negative);
        if (j->program->filter != CK_NO_EXPR)
            cJSON_AddNumberToObject(json, "filtered", (double)j->filtered);
        cJSON_AddNumberToObject(json, "model_states", (double)j->verdict.state_count);
        cJSON_AddNumberToObject(json, "model_states_seen", (double)j->allowed_seen);
        cJSON_AddNumberToObject(json, "unseen_rate_below", lt_rate_of(0, seen_instances(j)).high);
        cJSON_AddBoolToObject(json, "stationary", lt_stationary(j->json));
        cJSON *states = cJSON_AddArrayToObject(json, "states");
        for (size_t i = 0; i < j->seen_count; i++)
            cJSON_AddItemToArray(states, state_json(j, &j->seen[i]));
    }
    cJSON_AddItemToArray(report->tests, json);
}

/* Counts REASON, up to the end of its first line, in NOT_RUN. */
static void count_reason(cJSON *not_run, const char *status, const char *reason)
{
    char text[200];
    cJSON *item;
    snprintf(text, sizeof text, "%s%s%.*s", status, *reason ? ": " : "", (int)strcspn(reason, "\n"), reason);
    cJSON_ArrayForEach(item, not_run)
    {
        cJSON *count = cJSON_GetObjectItem(item, "count");
        if (strcmp(lt_json_text(item, "reason"), text) == 0) {
            cJSON_SetNumberValue(count, count->valuedouble + 1);
            return;
        }
    }
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "reason", text);
    cJSON_AddNumberToObject(item, "count", 1);
    cJSON_AddItemToArray(not_run, item);
}

/* Prints the reasons why tests did not run on this device. */
static cJSON *not_run_json(const cJSON *tests, FILE *out)
{
    cJSON *not_run = cJSON_CreateArray();
    const cJSON *test, *item;
    cJSON_ArrayForEach(test, tests)
    {
        if (strcmp(lt_json_text(test, "verdict"), outcome_names[LT_NOT_RUN]) == 0)
            count_reason(not_run, lt_json_text(test, "status"), lt_json_text(test, "reason"));
    }
    cJSON_ArrayForEach(item, not_run)
    {
        if (out)
            mm_print(out, "Not run %3.0f  %s\n", cJSON_GetObjectItem(item, "count")->valuedouble,
                     lt_json_text(item, "reason"));
    }
    return not_run;
}

cJSON *lt_judge_finish(struct lt_judge_report *report, const cJSON *results, const struct mm_cat_model *model)
{
    cJSON *not_run = not_run_json(report->tests, report->text);
    if (report->text)
        mm_print(report->text,
                 "%zu allowed, %zu forbidden, %zu racy, %zu unknown, %zu not observed, %zu not run\n",
                 report->counts[LT_ALLOWED], report->counts[LT_FORBIDDEN], report->counts[LT_RACY],
                 report->counts[LT_UNKNOWN], report->counts[LT_NOT_OBSERVED], report->counts[LT_NOT_RUN]);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", "refcl-litmus-judgement");
    cJSON_AddNumberToObject(json, "version", 1);
    const cJSON *device = cJSON_GetObjectItem(results, "device");
    if (device)
        cJSON_AddItemToObject(json, "device", cJSON_Duplicate(device, true));
    cJSON_AddStringToObject(json, "model_path", model->name);
    cJSON_AddStringToObject(json, "model_sha256", model->sha256);
    if (report->text)
        mm_print(report->text, "model: %s, sha256 %s\n", model->name, model->sha256);
    cJSON *summary = cJSON_AddObjectToObject(json, "summary");
    for (size_t i = 0; i < LT_OUTCOME_COUNT; i++)
        cJSON_AddNumberToObject(summary, outcome_names[i], (double)report->counts[i]);
    cJSON_AddItemToObject(json, "not_run", not_run);
    cJSON_AddItemToObject(json, "tests", report->tests);
    report->tests = NULL;
    return json;
}
