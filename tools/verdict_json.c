/* Verdicts of the checker as text and as JSON. */
#include "tools/verdict_json.h"
#include "memmodel/base/escape.h"
#include "tools/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *verdict_condition_name(enum ck_answer answer)
{
    return answer == CK_YES ? "holds" : answer == CK_NO ? "fails" : "unknown";
}

const char *verdict_race_name(enum ck_answer answer)
{
    return answer == CK_YES ? "found" : answer == CK_NO ? "none" : "unknown";
}

/* "1:r0", "x", "x[2]" */
static void term_name(const struct ck_program *program, const struct ck_term *term, char *buf, size_t size)
{
    if (term->kind == CK_TERM_REG) {
        const char *name = program->threads[term->thread].reg_names[term->reg];
        snprintf(buf, size, "%u:%s", term->thread, name ? name : "?");
        return;
    }
    const struct ck_object *object = &program->objects[term->object];
    if (object->size > object->element_size)
        snprintf(buf, size, "%s[%u]", object->name, term->offset / object->element_size);
    else
        snprintf(buf, size, "%s", object->name);
}

static int64_t term_value(const struct ck_program *program, const struct ck_term *term, uint64_t value)
{
    unsigned bytes;
    bool is_signed;
    if (term->kind == CK_TERM_REG) {
        bytes = program->threads[term->thread].reg_sizes[term->reg];
        is_signed = program->threads[term->thread].reg_signed[term->reg];
    } else {
        bytes = program->objects[term->object].element_size;
        is_signed = program->objects[term->object].is_signed;
    }
    if (!is_signed || bytes >= 8)
        return (int64_t)value;
    unsigned shift = 64 - 8 * bytes;
    return (int64_t)(value << shift) >> shift;
}

void verdict_state_text(const struct ck_program *program, const uint64_t *values, char *buf, size_t size)
{
    size_t at = 0;
    *buf = '\0';
    for (uint32_t j = 0; j < program->observed_count && at < size; j++) {
        char name[80];
        term_name(program, &program->observed[j], name, sizeof name);
        at += (size_t)snprintf(buf + at, size - at, " %s=%" PRId64, name,
                               term_value(program, &program->observed[j], values[j]));
    }
}

void verdict_print_states(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out)
{
    for (size_t i = 0; i < verdict->state_count; i++) {
        char text[4096];
        verdict_state_text(program, verdict->states[i].values, text, sizeof text);
        mm_print(out, "    %c%s%s\n", verdict->states[i].satisfies ? '*' : ' ', text,
                 verdict->states[i].racy ? "   (race)" : "");
    }
}

/* "P1: acquire read y = 1 (line 12)" */
static void step_text(const struct ck_program *program, const struct ck_step *step, char *buf, size_t size)
{
    const struct mm_event *e = &step->info;
    const char *thread = step->thread < program->thread_count ? program->threads[step->thread].name : "init";
    const char *object = step->object < program->object_count ? program->objects[step->object].name : "";
    int n =
        snprintf(buf, size, "%s: %s%s%s%s%s", thread, e->order ? mm_order_name((enum mm_order)e->order) : "",
                 e->order ? " " : "", mm_kind_name((enum mm_kind)e->kind), *object ? " " : "", object);
    bool writes = e->kind == MM_WRITE || e->kind == MM_INIT || e->kind == MM_RMW;
    if (*object && n > 0 && (size_t)n < size)
        n += snprintf(buf + n, size - (size_t)n, " = %" PRId64,
                      (int64_t)(int32_t)(writes ? e->value_written : e->value_read));
    if (step->line && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, " (line %u)", step->line);
}

/* ---- clauses of edges ---- */

static const struct mm_cat_model *edge_model;

void verdict_use_model(const struct mm_cat_model *model)
{
    edge_model = model;
}

/* The clauses of the definition that an edge is named after ("mo", "rf^-1", "sw(...)"): what its comment
 * has before the colon.  Empty if there are none. */
static const char *edge_clause(const char *edge, char *buf, size_t size)
{
    static const struct {
        const char *name, *clause;
    } bases[] = {
        {"rf", "CL 3.3.6 G3"}, {"po", "CL 3.3.6 G2"}, {"co", "CL 3.3.6 G5"}, {"rmw", "CL 3.3.6 A17"}};
    size_t length = strcspn(edge, "^+?*(");
    const char *clause = "";
    buf[0] = '\0';
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (edge_model && strlen(bases[i].name) == length && strncmp(bases[i].name, edge, length) == 0)
            clause = bases[i].clause;
    for (uint32_t i = 0; edge_model && i < edge_model->let_count; i++) {
        const struct mm_cat_let *let = &edge_model->lets[i];
        if (let->clause && strlen(let->name) == length && strncmp(let->name, edge, length) == 0)
            clause = let->clause;
    }
    snprintf(buf, size, "%.*s", (int)strcspn(clause, ":;"), clause);
    return buf;
}

static void print_steps(const struct ck_program *program, const struct ck_step *steps, size_t count,
                        FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        char text[200];
        step_text(program, &steps[i], text, sizeof text);
        char clause[80];
        if (!steps[i].edge) {
            mm_print(out, "        %s\n", text);
            continue;
        }
        edge_clause(steps[i].edge, clause, sizeof clause);
        mm_print(out, "        %-44s --%s%s%s%s\n", text, steps[i].edge, *clause ? "  [" : "", clause,
                 *clause ? "]" : "");
    }
}

static void print_violation(const struct ck_program *program, const struct ck_violation *v, const char *what,
                            FILE *out)
{
    mm_print(out, "    %s %s%s%s\n", what, v->axiom, v->clause && *v->clause ? ": " : "",
             v->clause ? v->clause : "");
    print_steps(program, v->steps, v->step_count, out);
}

void verdict_print_explanation(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out)
{
    if (verdict->witness_count) {
        mm_print(out, "    witness:\n");
        print_steps(program, verdict->witness, verdict->witness_count, out);
    }
    for (size_t i = 0; i < verdict->violation_count; i++)
        print_violation(program, &verdict->violations[i], "forbidden by", out);
    if (verdict->race_witness.axiom)
        print_violation(program, &verdict->race_witness,
                        ck_flag_is_race(verdict->race_witness.axiom) ? "race:" : "usage:", out);
}

/* ---- advice ---- */

/* Whether something is added at the end of the thread. */
static bool is_at_end(const struct ck_program *program, const struct ck_edit *edit)
{
    const struct ck_thread *t = &program->threads[edit->thread];
    return edit->instr == t->instr_count || t->instrs[edit->instr].op == CK_END;
}

/* The instruction that EDIT is about; of what is added, the one behind it, or at the end the last. */
static const struct ck_instr *edited(const struct ck_program *program, const struct ck_edit *edit)
{
    return &program->threads[edit->thread]
                .instrs[edit->instr - (edit->instr > 0 && is_at_end(program, edit))];
}

/* The object that becomes atomic. */
static const char *object_name(const struct ck_program *program, const struct ck_edit *edit)
{
    uint32_t object = ck_program_base(program, edited(program, edit)->address);
    return object < program->object_count ? program->objects[object].name : "it";
}

static const char *flag_names(unsigned flags)
{
    static const char *const names[] = {"no flag", "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE",
                                        "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"};
    return names[flags & 3];
}

/* What there is, and what it lacks. */
static void lack_text(const struct ck_program *program, const struct ck_edit *edit, char *buf, size_t size)
{
    static const char *const kinds[] = {[CK_LOAD] = "load",
                                        [CK_STORE] = "store",
                                        [CK_RMW] = "read-modify-write",
                                        [CK_CAS] = "compare-exchange",
                                        [CK_FENCE] = "fence",
                                        [CK_BARRIER] = "barrier"};
    const struct ck_instr *i = edited(program, edit);
    const char *name = program->threads[edit->thread].name;
    if (edit->insert)
        snprintf(buf, size, "%s, line %u: there is no %s", name, i->line,
                 edit->barrier ? "barrier" : "fence");
    else if (edit->atomic && edit->order)
        snprintf(buf, size, "%s, line %u: the %s of %s is not atomic", name, i->line, kinds[i->op],
                 object_name(program, edit));
    else if (edit->order)
        snprintf(buf, size, "%s, line %u: the order of the %s is %s", name, i->line, kinds[i->op],
                 mm_order_name((enum mm_order)i->order));
    else if (edit->scope)
        snprintf(buf, size, "%s, line %u: the scope of the %s is %s", name, i->line, kinds[i->op],
                 mm_scope_name((enum mm_scope)i->scope));
    else
        snprintf(buf, size, "%s, line %u: the %s has %s", name, i->line, kinds[i->op],
                 flag_names(i->fence_flags));
}

static void change_text(const struct ck_program *program, const struct ck_edit *edit, char *buf, size_t size)
{
    const struct ck_instr *i = edited(program, edit);
    const char *name = program->threads[edit->thread].name;
    if (edit->barrier)
        snprintf(buf, size, "%s, %s line %u: work_group_barrier(%s)", name,
                 is_at_end(program, edit) ? "after" : "before", i->line, flag_names(edit->fence_flags));
    else if (edit->atomic && !edit->order)
        snprintf(buf, size, "%s: memory_scope_%s everywhere", object_name(program, edit),
                 mm_scope_name((enum mm_scope)edit->scope));
    else if (edit->atomic)
        snprintf(buf, size,
                 "%s: an atomic type, accessed with memory_order_%s and memory_scope_%s everywhere",
                 object_name(program, edit), mm_order_name((enum mm_order)edit->order),
                 mm_scope_name((enum mm_scope)edit->scope));
    else if (edit->insert)
        snprintf(buf, size,
                 "%s, before line %u: atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s)", name,
                 i->line, flag_names(edit->fence_flags), mm_order_name((enum mm_order)edit->order),
                 mm_scope_name((enum mm_scope)edit->scope));
    else if (edit->order)
        snprintf(buf, size, "%s, line %u: memory_order_%s", name, i->line,
                 mm_order_name((enum mm_order)edit->order));
    else if (edit->scope)
        snprintf(buf, size, "%s, line %u: memory_scope_%s", name, i->line,
                 mm_scope_name((enum mm_scope)edit->scope));
    else
        snprintf(buf, size, "%s, line %u: %s too", name, i->line, flag_names(edit->fence_flags));
}

void verdict_print_advice(const struct ck_program *program, const struct ck_advice *advice, FILE *out)
{
    char text[240];
    for (uint32_t i = 0; i < advice->count; i++) {
        lack_text(program, &advice->edits[i], text, sizeof text);
        mm_print(out, "    falls short: %s\n", text);
    }
    for (uint32_t i = 0; i < advice->count; i++) {
        change_text(program, &advice->edits[i], text, sizeof text);
        mm_print(out, "    %s %s\n", i ? "    and" : "change:", text);
    }
    mm_print(out, advice->count ? "    checked: with this there is no race\n"
                                : "    no change of at most two places is known to help\n");
}

cJSON *verdict_advice_json(const struct ck_program *program, const struct ck_advice *advice)
{
    cJSON *array = cJSON_CreateArray();
    for (uint32_t i = 0; i < advice->count; i++) {
        const struct ck_edit *edit = &advice->edits[i];
        cJSON *json = cJSON_CreateObject();
        char text[240];
        cJSON_AddStringToObject(json, "thread", program->threads[edit->thread].name);
        cJSON_AddNumberToObject(json, "line", edited(program, edit)->line);
        lack_text(program, edit, text, sizeof text);
        cJSON_AddStringToObject(json, "falls_short", text);
        change_text(program, edit, text, sizeof text);
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
        step_text(program, s, text, sizeof text);
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
            if (*edge_clause(s->edge, clause, sizeof clause))
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
            char name[80], number[32];
            term_name(program, &program->observed[j], name, sizeof name);
            snprintf(number, sizeof number, "%" PRId64,
                     term_value(program, &program->observed[j], verdict->states[i].values[j]));
            cJSON_AddRawToObject(values, name, number);
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
