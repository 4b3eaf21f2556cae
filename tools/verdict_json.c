/* Verdicts of the checker as JSON. */
#include "tools/verdict_json.h"
#include "memmodel/base/escape.h"
#include "tools/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

cJSON *verdict_advice_json(const struct ck_program *program, const struct ck_advice *advice)
{
    cJSON *array = cJSON_CreateArray();
    for (uint32_t i = 0; i < advice->count; i++) {
        const struct ck_edit *edit = &advice->edits[i];
        cJSON *json = cJSON_CreateObject();
        char text[240];
        cJSON_AddStringToObject(json, "thread", program->threads[edit->thread].name);
        cJSON_AddNumberToObject(json, "line", verdict_edit_line(program, edit));
        verdict_lack_text(program, edit, text, sizeof text);
        cJSON_AddStringToObject(json, "falls_short", text);
        verdict_change_text(program, edit, text, sizeof text);
        cJSON_AddStringToObject(json, "change", text);
        cJSON_AddItemToArray(array, json);
    }
    return array;
}

static cJSON *steps_json(const struct ck_program *program, const struct ck_step *steps, size_t count)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        const struct ck_step *s = &steps[i];
        cJSON *step = cJSON_CreateObject();
        char text[200];
        verdict_step_text(program, s, text, sizeof text);
        cJSON_AddStringToObject(step, "event", text);
        cJSON_AddStringToObject(step, "kind", mm_kind_name((enum mm_kind)s->info.kind));
        if (s->thread < program->thread_count)
            cJSON_AddStringToObject(step, "thread", program->threads[s->thread].name);
        if (s->object < program->object_count)
            cJSON_AddStringToObject(step, "location", program->objects[s->object].name);
        if (s->line)
            cJSON_AddNumberToObject(step, "line", s->line);
        if (s->edge) {
            char clause[80];
            cJSON_AddStringToObject(step, "edge", s->edge);
            if (*verdict_edge_clause(s->edge, clause, sizeof clause))
                cJSON_AddStringToObject(step, "clause", clause);
        }
        cJSON_AddItemToArray(array, step);
    }
    return array;
}

static cJSON *violation_json(const struct ck_program *program, const struct ck_violation *v)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "axiom", v->axiom);
    cJSON_AddStringToObject(json, "clause", v->clause ? v->clause : "");
    cJSON_AddItemToObject(json, "steps", steps_json(program, v->steps, v->step_count));
    return json;
}

static void add_states(cJSON *json, const struct ck_program *program, const struct ck_verdict *verdict)
{
    cJSON *states = cJSON_AddArrayToObject(json, "states");
    for (size_t i = 0; i < verdict->state_count; i++) {
        cJSON *state = cJSON_CreateObject();
        cJSON *values = cJSON_AddObjectToObject(state, "values");
        for (uint32_t j = 0; j < program->observed_count; j++) {
            char name[80], value[MM_SCALAR_TEXT];
            verdict_term_name(program, &program->observed[j], name, sizeof name);
            verdict_term_text(program, &program->observed[j], verdict->states[i].values[j], value);
            if (strspn(value, "-0123456789.e+") == strlen(value))
                cJSON_AddRawToObject(values, name, value);
            else
                cJSON_AddStringToObject(values, name, value); /* not a number, or infinite */
        }
        cJSON_AddBoolToObject(state, "satisfies", verdict->states[i].satisfies);
        cJSON_AddBoolToObject(state, "racy", verdict->states[i].racy);
        cJSON_AddItemToArray(states, state);
    }
}

cJSON *verdict_json_root(const char *model)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "version", 1);
    cJSON *tool = cJSON_AddObjectToObject(root, "tool");
    cJSON_AddStringToObject(tool, "name", "refcl");
    cJSON_AddStringToObject(tool, "version", REFCL_VERSION);
    const char *slash = strrchr(model, '/');
    cJSON_AddStringToObject(root, "model", slash ? slash + 1 : model);
    return root;
}

void verdict_add_model(cJSON *object, const struct mm_cat_model *model)
{
    cJSON_AddStringToObject(object, "model_path", model->name);
    cJSON_AddStringToObject(object, "model_sha256", model->sha256);
}

void verdict_print_model(const struct mm_cat_model *model, FILE *out)
{
    mm_print(out, "model: %s, sha256 %s\n", model->name, model->sha256);
}

cJSON *verdict_to_json(const struct ck_program *program, const struct ck_verdict *verdict, const char *file)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "file", file);
    cJSON_AddStringToObject(json, "name", program->name ? program->name : "");
    cJSON_AddStringToObject(json, "condition", verdict_condition_name(verdict->condition));
    cJSON_AddStringToObject(json, "race", verdict_race_name(verdict->race));
    cJSON_AddStringToObject(json, "usage", verdict_race_name(verdict->usage));
    cJSON_AddNumberToObject(json, "allowed_states", (double)verdict->state_count);
    cJSON_AddBoolToObject(json, "states_complete", verdict->states_complete);
    cJSON_AddNumberToObject(json, "time_ms", verdict->time_ms);
    cJSON *clauses = cJSON_AddArrayToObject(json, "clauses");
    for (size_t i = 0; i < verdict->violation_count; i++) {
        const struct ck_violation *v = &verdict->violations[i];
        cJSON_AddItemToArray(clauses, cJSON_CreateString(v->clause && *v->clause ? v->clause : v->axiom));
    }
    cJSON *flags = cJSON_AddArrayToObject(json, "flags");
    for (size_t i = 0; i < verdict->flag_count; i++)
        cJSON_AddItemToArray(flags, cJSON_CreateString(verdict->flags[i]));
    if (verdict->limit.cls)
        cJSON_AddStringToObject(json, "limit", verdict->limit.message);
    add_states(json, program, verdict);
    if (verdict->witness_count)
        cJSON_AddItemToObject(json, "witness", steps_json(program, verdict->witness, verdict->witness_count));
    if (verdict->violation_count) {
        cJSON *violations = cJSON_AddArrayToObject(json, "violations");
        for (size_t i = 0; i < verdict->violation_count; i++)
            cJSON_AddItemToArray(violations, violation_json(program, &verdict->violations[i]));
    }
    if (verdict->race_witness.axiom)
        cJSON_AddItemToObject(json, "race_witness", violation_json(program, &verdict->race_witness));
    return json;
}

int json_write(cJSON *root, FILE *out, const char *name)
{
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (!text)
        return tool_error(EXIT_TOOL, "out of memory while writing '%s'", name);
    mm_put_json(text, false, out);
    fputc('\n', out);
    cJSON_free(text);
    return tool_close_output(out, name);
}
