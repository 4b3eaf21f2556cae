/* Witnesses of refcl explore: replayed, printed and written to files. */
#include "memmodel/base/escape.h"
#include "tools/explore/command.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/witness/replay.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static bool execution_satisfies(const struct ck_program *program, const struct ck_verdict *v,
                                const struct ck_execution *x)
{
    const struct ck_state *state =
        x->shows == CK_SHOWS_STATE ? ck_verdict_find_state(v, program, x->values) : NULL;
    return state && state->satisfies;
}

static int write_file(struct explore *e, struct witness *w, char path[PATH_MAX])
{
    e->written++;
    w->model = e->model ? e->model : w->vulkan ? "vulkan.cat" : "opencl.cat";
    w->switches = e->switches.items;
    w->switch_count = e->switches.count;
    w->build_options = e->build.options;
    w->source = e->source ? e->source : w->source;
    int code = witness_path(e->paths.witness, w->file, e->written, w->execution, "json", path);
    return code ? code : witness_write(w, path);
}

/* Execution I of V, of the launch that W is of. */
static int show_execution(struct explore *e, struct ex *ex, struct witness *w, const struct ck_verdict *v,
                          size_t i, cJSON *array)
{
    static const char *const results[] = {"replayed", "NOT replayed", "of undefined values"};
    char what[WITNESS_TEXT], why[WITNESS_TEXT] = "", path[PATH_MAX] = "";
    struct mm_error err = {0};
    enum replay_result result = REPLAY_DIFFERS;
    if (witness_take(w, ex, &v->shown[i], &err) == MM_OK)
        result = replay_witness(w, NULL, why);
    else
        snprintf(why, sizeof why, "%s", err.message);
    int code = result == REPLAY_DIFFERS ? EXIT_TOOL : EXIT_CLEAN;
    w->satisfies = execution_satisfies(ex->program, v, &v->shown[i]);
    int written = e->paths.witness && result == REPLAY_SAME ? write_file(e, w, path) : 0;
    witness_describe(ex->program, &v->shown[i], what);
    mm_print(e->text, "    witness %s (%zu events):%s%s%s%s%s%s\n", results[result], v->shown[i].count,
             *what == ' ' ? "" : " ", what, *why ? "; " : "", why, *path ? ", in " : "", path);
    if (array) {
        cJSON *json = witness_execution_json(ex->program, &v->shown[i]);
        cJSON_AddBoolToObject(json, "replayed", result == REPLAY_SAME);
        if (result != REPLAY_SAME)
            cJSON_AddStringToObject(json, "why", why);
        cJSON_AddItemToArray(array, json);
    }
    return written ? written : code;
}

int explore_replay(struct explore *e, struct ex *ex, const struct ck_verdict *v, cJSON *json)
{
    cJSON *array = e->replays && json ? cJSON_AddArrayToObject(json, "witnesses") : NULL;
    struct witness w;
    struct mm_error err = {0};
    int code = EXIT_CLEAN;
    if (v->shown_count == 0 || !e->replays)
        return code;
    if (witness_open(&w, ex, &err) != MM_OK)
        code = tool_report(&err);
    for (size_t i = 0; i < v->shown_count && !err.cls; i++) {
        int c = show_execution(e, ex, &w, v, i, array);
        code = c ? c : code;
    }
    witness_close(&w);
    return code;
}

/* ---- inputs ------------------------------------------------------------------------------------- */

struct values {
    cJSON *json;
    char text[1024];
    size_t length;
};

static void add_value(void *context, const char *name, int64_t value, bool is_unsigned)
{
    struct values *values = context;
    char number[32];
    snprintf(number, sizeof number, is_unsigned ? "%" PRIu64 : "%" PRId64, value);
    if (values->json)
        cJSON_AddRawToObject(values->json, name, number);
    if (values->length < sizeof values->text)
        values->length +=
            (size_t)snprintf(values->text + values->length, sizeof values->text - values->length, "%s%s = %s",
                             values->length ? ", " : "", name, number);
}

/* Whether X is a finding; of final states, one that decides the condition. */
static bool is_finding(const struct ck_program *program, const struct ck_verdict *v,
                       const struct ck_execution *x)
{
    bool wanted = program->quantifier != CK_FORALL;
    return x->shows != CK_SHOWS_STATE ||
           (program->observed_count && execution_satisfies(program, v, x) == wanted);
}

void explore_show_inputs(struct explore *e, struct ex *ex, const struct ck_verdict *v, cJSON *json)
{
    cJSON *array =
        json && v->shown_count && ex_has_inputs(ex) ? cJSON_AddArrayToObject(json, "inputs") : NULL;
    char what[WITNESS_TEXT];
    bool state_shown = false;
    for (size_t i = 0; i < v->shown_count && ex_has_inputs(ex); i++) {
        const struct ck_execution *x = &v->shown[i];
        bool state = x->shows == CK_SHOWS_STATE;
        if (!is_finding(ex->program, v, x) || (state && state_shown))
            continue;
        state_shown |= state;
        cJSON *item = array ? cJSON_CreateObject() : NULL;
        struct values values = {.json = item ? cJSON_CreateObject() : NULL};
        witness_describe(ex->program, x, what);
        ex_each_input(ex, x, add_value, &values);
        mm_print(e->text, "    inputs of %s: %s\n", what + (*what == ' '),
                 values.length ? values.text : "any");
        if (!item)
            continue;
        cJSON_AddStringToObject(item, "what", what + (*what == ' '));
        cJSON_AddItemToObject(item, "values", values.json);
        cJSON_AddItemToArray(array, item);
    }
}
