/* Judgements for CI: JUnit, SARIF 2.1.0, and the gate against a baseline. */
#include "litmus/judge/judge.h"

#include "litmus/files.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>
#include <string.h>

/* "x=1; 1:r0=0" */
static void state_text(const cJSON *test, const cJSON *state, char *buf, size_t size)
{
    const cJSON *value, *observed = cJSON_GetObjectItem(test, "observed");
    int i = 0;
    *buf = '\0';
    cJSON_ArrayForEach(value, cJSON_GetObjectItem(state, "values"))
    {
        const cJSON *name = cJSON_GetArrayItem(observed, i++);
        size_t used = strlen(buf);
        char number[32];
        snprintf(number, sizeof number, "%.0f", value->valuedouble);
        snprintf(buf + used, size - used, "%s%s=%s", used ? "; " : "",
                 cJSON_IsString(name) ? name->valuestring : "?",
                 cJSON_IsString(value) ? value->valuestring : number);
    }
}

static bool is_forbidden(const cJSON *state)
{
    return strcmp(lt_json_text(state, "verdict"), "forbidden") == 0;
}

/* True if the test ran and its verdict is inconclusive for the device. */
static bool is_undecided(const cJSON *test)
{
    const char *verdict = lt_json_text(test, "verdict");
    return strcmp(verdict, "unknown") == 0 || strcmp(verdict, "not-observed") == 0;
}

static const char *why_undecided(const cJSON *test)
{
    if (*lt_json_text(test, "reason"))
        return lt_json_text(test, "reason");
    return strcmp(lt_json_text(test, "status"), "done") == 0 ? lt_json_text(test, "verdict")
                                                             : lt_json_text(test, "status");
}

/* ---- JUnit -------------------------------------------------------------------------------------- */

static void junit_failure(const cJSON *test, FILE *out)
{
    const cJSON *state, *violation;
    fputs("<failure message=\"the device reached a state that the model forbids\">", out);
    cJSON_ArrayForEach(state, cJSON_GetObjectItem(test, "states"))
    {
        char text[512];
        if (!is_forbidden(state))
            continue;
        state_text(test, state, text, sizeof text);
        mm_put_xml(text, out);
        fprintf(out, " seen %.0f times", cJSON_GetObjectItem(state, "count")->valuedouble);
        cJSON_ArrayForEach(violation, cJSON_GetObjectItem(state, "violations"))
        {
            fputs("\n    ", out);
            mm_put_xml(lt_json_text(violation, "clause"), out);
        }
        fputc('\n', out);
    }
    fputs("</failure>", out);
}

static void junit_model(const cJSON *judgement, FILE *out)
{
    fputs("<properties><property name=\"model_path\" value=\"", out);
    mm_put_xml(lt_json_text(judgement, "model_path"), out);
    fprintf(out, "\"/><property name=\"model_sha256\" value=\"%s\"/></properties>\n",
            lt_json_text(judgement, "model_sha256"));
}

enum mm_class lt_judge_junit(const cJSON *judgement, const char *path, struct mm_error *err)
{
    const cJSON *test, *tests = cJSON_GetObjectItem(judgement, "tests");
    int failures = 0, skipped = 0, errors = 0;
    FILE *out = fopen(path, "w");
    if (!out)
        return lt_cannot_write(path, err);
    cJSON_ArrayForEach(test, tests)
    {
        failures += strcmp(lt_json_text(test, "verdict"), "forbidden") == 0;
        skipped += strcmp(lt_json_text(test, "verdict"), "not-run") == 0;
        errors += is_undecided(test);
    }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"litmus\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
            cJSON_GetArraySize(tests), failures, errors, skipped);
    junit_model(judgement, out);
    cJSON_ArrayForEach(test, tests)
    {
        const char *verdict = lt_json_text(test, "verdict");
        fputs("<testcase classname=\"litmus\" name=\"", out);
        mm_put_xml(lt_json_text(test, "name"), out);
        fputs("\" file=\"", out);
        mm_put_xml(lt_json_text(test, "file"), out);
        fputs("\">", out);
        if (strcmp(verdict, "forbidden") == 0) {
            junit_failure(test, out);
        } else if (strcmp(verdict, "not-run") == 0 || is_undecided(test)) {
            fputs(is_undecided(test) ? "<error message=\"" : "<skipped message=\"", out);
            mm_put_xml(why_undecided(test), out);
            fputs("\"/>", out);
        }
        fputs("</testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
    return fclose(out) == 0 ? MM_OK : lt_cannot_write(path, err);
}

/* ---- SARIF -------------------------------------------------------------------------------------- */

static cJSON *sarif_message(const char *text)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "text", text);
    return json;
}

static cJSON *sarif_location(const char *file)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *physical = cJSON_AddObjectToObject(json, "physicalLocation");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(physical, "artifactLocation"), "uri", file);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(physical, "region"), "startLine", 1);
    return json;
}

static cJSON *result_of(const cJSON *test, const cJSON *state)
{
    char values[512], text[1400];
    const cJSON *violation = cJSON_GetArrayItem(cJSON_GetObjectItem(state, "violations"), 0);
    state_text(test, state, values, sizeof values);
    snprintf(text, sizeof text, "%s: the device reached %s, %.0f times; forbidden by %s",
             lt_json_text(test, "name"), values, cJSON_GetObjectItem(state, "count")->valuedouble,
             violation ? lt_json_text(violation, "clause") : "the memory model");
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "ruleId", "forbidden-outcome");
    cJSON_AddStringToObject(result, "level", "error");
    cJSON_AddItemToObject(result, "message", sarif_message(text));
    cJSON *locations = cJSON_AddArrayToObject(result, "locations");
    cJSON_AddItemToArray(locations, sarif_location(lt_json_text(test, "file")));
    return result;
}

enum mm_class lt_judge_sarif(const cJSON *judgement, const char *path, struct mm_error *err)
{
    const cJSON *test, *state;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(root, "version", "2.1.0");
    cJSON *runs = cJSON_AddArrayToObject(root, "runs"), *sarif_run = cJSON_CreateObject();
    cJSON_AddItemToArray(runs, sarif_run);
    cJSON *properties = cJSON_AddObjectToObject(sarif_run, "properties");
    cJSON_AddStringToObject(properties, "model_path", lt_json_text(judgement, "model_path"));
    cJSON_AddStringToObject(properties, "model_sha256", lt_json_text(judgement, "model_sha256"));
    cJSON *driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(sarif_run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "refcl");
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules"), *rule = cJSON_CreateObject();
    cJSON_AddStringToObject(rule, "id", "forbidden-outcome");
    cJSON_AddItemToObject(
        rule, "shortDescription",
        sarif_message("A final state of a litmus test that the memory model does not allow"));
    cJSON_AddItemToArray(rules, rule);
    cJSON *results = cJSON_AddArrayToObject(sarif_run, "results");
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(judgement, "tests"))
    {
        cJSON_ArrayForEach(state, cJSON_GetObjectItem(test, "states"))
        {
            if (is_forbidden(state))
                cJSON_AddItemToArray(results, result_of(test, state));
        }
    }
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    FILE *out = text ? fopen(path, "w") : NULL;
    if (out)
        mm_put_json(text, false, out);
    bool ok = out && fputc('\n', out) != EOF;
    if (out)
        ok = fclose(out) == 0 && ok;
    cJSON_free(text);
    return ok ? MM_OK : lt_cannot_write(path, err);
}

/* ---- the gate ----------------------------------------------------------------------------------- */

static cJSON *load_judgement(const char *path, struct mm_error *err)
{
    static const struct lt_json_kind judgement = {"litmus.judgement", "refcl-litmus-judgement",
                                                  "a judgement of litmus results (refcl litmus judge --json)",
                                                  1, NULL};
    return lt_file_json(path, &judgement, err);
}

static const cJSON *find_test(const cJSON *judgement, const cJSON *wanted)
{
    const cJSON *test;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(judgement, "tests"))
    {
        if (strcmp(lt_json_text(test, "name"), lt_json_text(wanted, "name")) == 0)
            return test;
    }
    return NULL;
}

static bool has_forbidden(const cJSON *test, const cJSON *wanted)
{
    const cJSON *state, *values = cJSON_GetObjectItem(wanted, "values");
    cJSON_ArrayForEach(state, cJSON_GetObjectItem(test, "states"))
    {
        if (is_forbidden(state) && cJSON_Compare(cJSON_GetObjectItem(state, "values"), values, true))
            return true;
    }
    return false;
}

static size_t new_outcomes(const cJSON *baseline, const cJSON *judgement, FILE *out)
{
    const cJSON *test, *state;
    size_t found = 0;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(judgement, "tests"))
    {
        cJSON_ArrayForEach(state, cJSON_GetObjectItem(test, "states"))
        {
            char text[512];
            if (!is_forbidden(state) || has_forbidden(find_test(baseline, test), state))
                continue;
            state_text(test, state, text, sizeof text);
            mm_print(out, "new forbidden outcome: %s: %s\n", lt_json_text(test, "name"), text);
            found++;
        }
    }
    return found;
}

static bool any_instance(const cJSON *test)
{
    const cJSON *positive = cJSON_GetObjectItem(test, "positive");
    const cJSON *negative = cJSON_GetObjectItem(test, "negative");
    return (cJSON_IsNumber(positive) && positive->valuedouble > 0) ||
           (cJSON_IsNumber(negative) && negative->valuedouble > 0);
}

/* True if the test ran to its end and its observed states were judged. */
static bool did_run(const cJSON *test)
{
    return strcmp(lt_json_text(test, "status"), "done") == 0 && any_instance(test) && !is_undecided(test);
}

/* Tests that ran in the baseline and no longer run; *RAN: those that still do. */
static size_t lost_tests(const cJSON *baseline, const cJSON *judgement, size_t *ran, FILE *out)
{
    const cJSON *test;
    size_t lost = 0;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(baseline, "tests"))
    {
        const cJSON *now = find_test(judgement, test);
        if (!did_run(test))
            continue;
        *ran += now && did_run(now);
        if (now && did_run(now))
            continue;
        bool done = now && strcmp(lt_json_text(now, "status"), "done") == 0;
        mm_print(out, "lost test: %s%s%s%s%s\n", lt_json_text(test, "name"), now ? ": " : "",
                 now ? lt_json_text(now, done ? "verdict" : "status") : "",
                 now && *lt_json_text(now, "reason") ? ", " : "", now ? lt_json_text(now, "reason") : "");
        lost++;
    }
    return lost;
}

enum mm_class lt_gate(const char *baseline_path, const char *judgement_path, FILE *out, size_t *findings,
                      struct mm_error *err)
{
    size_t ran = 0;
    cJSON *baseline = load_judgement(baseline_path, err);
    cJSON *judgement = baseline ? load_judgement(judgement_path, err) : NULL;
    *findings = 0;
    if (judgement) {
        *findings = new_outcomes(baseline, judgement, out);
        *findings += lost_tests(baseline, judgement, &ran, out);
        if (!ran) {
            fprintf(out, "the device can no longer be tested: no test of the baseline ran\n");
            ++*findings;
        }
        fprintf(out, "%zu tests of the baseline ran; %zu findings\n", ran, *findings);
    }
    enum mm_class cls = judgement ? MM_OK : err->cls;
    cJSON_Delete(baseline);
    cJSON_Delete(judgement);
    return cls;
}
