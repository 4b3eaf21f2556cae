/* Verdicts of the checker in words, and executions as edges. */
#include "tools/verdict_text.h"
#include "memmodel/base/escape.h"

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

void verdict_value_text(const struct ck_object *object, uint64_t offset, uint64_t value, unsigned size,
                        char text[MM_SCALAR_TEXT])
{
    struct mm_designator place = mm_layout_find(object->layout, offset, size);
    struct mm_scalar scalar = {size, object->is_signed ? MM_SCALAR_SIGNED : MM_SCALAR_UNSIGNED};
    if (place.composite && place.scalar.size)
        scalar = place.scalar;
    else if (object->is_float)
        scalar = (struct mm_scalar){object->element_size, MM_SCALAR_FLOAT};
    mm_scalar_text(scalar, value, size, text);
}

void verdict_element(const struct ck_object *object, uint64_t offset, unsigned bytes, char *buf, size_t size)
{
    struct mm_designator place = mm_layout_find(object->layout, offset, bytes);
    if (place.composite)
        snprintf(buf, size, "%s%s", object->name, place.text);
    else if (object->size > object->element_size)
        snprintf(buf, size, "%s[%" PRIu64 "]", object->name, offset / object->element_size);
    else
        snprintf(buf, size, "%s", object->name);
}

void verdict_term_name(const struct ck_program *program, const struct ck_term *term, char *buf, size_t size)
{
    if (term->kind == CK_TERM_REG) {
        const char *name = program->threads[term->thread].reg_names[term->reg];
        snprintf(buf, size, "%u:%s", term->thread, name ? name : "?");
        return;
    }
    verdict_element(&program->objects[term->object], term->offset, ck_term_size(program, term), buf, size);
}

void verdict_term_text(const struct ck_program *program, const struct ck_term *term, uint64_t value,
                       char text[MM_SCALAR_TEXT])
{
    const struct ck_thread *thread = term->kind == CK_TERM_REG ? &program->threads[term->thread] : NULL;
    if (thread)
        mm_scalar_text((struct mm_scalar){thread->reg_sizes[term->reg], thread->reg_signed[term->reg]
                                                                            ? MM_SCALAR_SIGNED
                                                                            : MM_SCALAR_UNSIGNED},
                       value, thread->reg_sizes[term->reg], text);
    else
        verdict_value_text(&program->objects[term->object], term->offset, value, ck_term_size(program, term),
                           text);
}

void verdict_state_text(const struct ck_program *program, const uint64_t *values, char *buf, size_t size)
{
    size_t at = 0;
    *buf = '\0';
    for (uint32_t j = 0; j < program->observed_count && at < size; j++) {
        char name[80], value[MM_SCALAR_TEXT];
        verdict_term_name(program, &program->observed[j], name, sizeof name);
        verdict_term_text(program, &program->observed[j], values[j], value);
        at += (size_t)snprintf(buf + at, size - at, " %s=%s", name, value);
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

void verdict_step_text(const struct ck_program *program, const struct ck_step *step, char *buf, size_t size)
{
    const struct mm_event *e = &step->info;
    const char *thread = step->thread < program->thread_count ? program->threads[step->thread].name : "init";
    const struct ck_object *object =
        step->object < program->object_count ? &program->objects[step->object] : NULL;
    char element[120] = "";
    if (object)
        verdict_element(object, e->offset, e->size, element, sizeof element);
    int n =
        snprintf(buf, size, "%s: %s%s%s%s%s", thread, e->order ? mm_order_name((enum mm_order)e->order) : "",
                 e->order ? " " : "", mm_kind_name((enum mm_kind)e->kind), *element ? " " : "", element);
    bool writes = e->kind == MM_WRITE || e->kind == MM_INIT || e->kind == MM_RMW;
    if (object && n > 0 && (size_t)n < size) {
        char value[MM_SCALAR_TEXT];
        verdict_value_text(object, e->offset, writes ? e->value_written : e->value_read, e->size, value);
        n += snprintf(buf + n, size - (size_t)n, " = %s", value);
    }
    if (step->line && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, " (line %u)", step->line);
}

/* ---- executions ---- */

void verdict_event_text(const struct ck_program *program, const struct ck_event *h, char text[VERDICT_TEXT])
{
    char element[120] = "", value[MM_SCALAR_TEXT] = "";
    if (h->object < program->object_count) {
        const struct ck_object *o = &program->objects[h->object];
        verdict_element(o, h->offset, h->size, element, sizeof element);
        verdict_value_text(o, h->offset, h->value, h->size, value);
    }
    snprintf(text, VERDICT_TEXT, "%s%s%s%s%s%s%s%s", mm_kind_name((enum mm_kind)h->kind), *element ? " " : "",
             element, *value ? " = " : "", value, h->order ? " (" : "",
             h->order ? mm_order_name((enum mm_order)h->order) : "", h->order ? ")" : "");
}

static bool is_before(const struct mm_rel *co, size_t i, size_t j)
{
    return co->bits[i * co->words + j / 64] >> (j % 64) & 1;
}

/* Whether J comes next after I in coherence order. */
static bool is_next(const struct ck_execution *x, size_t i, size_t j)
{
    bool next = is_before(&x->co, i, j);
    for (size_t k = 0; k < x->count && next; k++)
        next = !is_before(&x->co, i, k) || !is_before(&x->co, k, j);
    return next;
}

void verdict_each_edge(const struct ck_execution *x,
                       void (*visit)(void *context, const struct verdict_edge *edge), void *context)
{
    for (size_t i = 0; i < x->count; i++) {
        const struct ck_event *h = &x->events[i];
        if (h->source != CK_NO_EVENT)
            visit(context, &(struct verdict_edge){"rf", h->source, i});
        if (h->partner != CK_NO_EVENT && h->kind == MM_READ)
            visit(context, &(struct verdict_edge){"rmw", i, h->partner});
        for (size_t k = 0; k < x->count; k++) {
            if (is_next(x, i, k))
                visit(context, &(struct verdict_edge){"co", i, k});
            if (h->source != CK_NO_EVENT && k != h->partner && is_next(x, h->source, k))
                visit(context, &(struct verdict_edge){"fr", i, k});
        }
    }
    size_t a = x->between[0], b = x->between[x->between[1] != CK_NO_EVENT];
    if (a != CK_NO_EVENT)
        visit(context, &(struct verdict_edge){x->flag, a, b});
}

/* ---- clauses of edges ---- */

static const struct mm_cat_model *edge_model;

void verdict_use_model(const struct mm_cat_model *model)
{
    edge_model = model;
}

const char *verdict_edge_clause(const char *edge, char *buf, size_t size)
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
        verdict_step_text(program, &steps[i], text, sizeof text);
        char clause[80];
        if (!steps[i].edge) {
            mm_print(out, "        %s\n", text);
            continue;
        }
        verdict_edge_clause(steps[i].edge, clause, sizeof clause);
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
        mm_print(out, "    witness of the condition:\n");
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

/* The instruction that EDIT changes; for an added one the instruction behind it, or the last one at the
 * end. */
static const struct ck_instr *edited_instruction(const struct ck_program *program, const struct ck_edit *edit)
{
    return &program->threads[edit->thread]
                .instrs[edit->instr - (edit->instr > 0 && is_at_end(program, edit))];
}

uint32_t verdict_edit_line(const struct ck_program *program, const struct ck_edit *edit)
{
    return edited_instruction(program, edit)->line;
}

/* The object that becomes atomic. */
static const char *object_name(const struct ck_program *program, const struct ck_edit *edit)
{
    uint32_t object = ck_program_base(program, edited_instruction(program, edit)->address);
    return object < program->object_count ? program->objects[object].name : "it";
}

static const char *flag_names(unsigned flags)
{
    static const char *const names[] = {"no flag", "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE",
                                        "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"};
    return names[flags & 3];
}

/* "P1, line 7"; in a kernel all work-items have the line. */
static const char *edit_place(const struct ck_program *program, const struct ck_edit *edit,
                              const char *before, char *buf, size_t size)
{
    const struct ck_instr *i = edited_instruction(program, edit);
    if (program->kernel)
        snprintf(buf, size, "%sline %u", before, i->line);
    else
        snprintf(buf, size, "%s, %sline %u", program->threads[edit->thread].name, before, i->line);
    return buf;
}

void verdict_lack_text(const struct ck_program *program, const struct ck_edit *edit, char *buf, size_t size)
{
    static const char *const kinds[] = {[CK_LOAD] = "load",
                                        [CK_STORE] = "store",
                                        [CK_RMW] = "read-modify-write",
                                        [CK_CAS] = "compare-exchange",
                                        [CK_FENCE] = "fence",
                                        [CK_BARRIER] = "barrier"};
    const struct ck_instr *i = edited_instruction(program, edit);
    char place[80];
    edit_place(program, edit, "", place, sizeof place);
    if (edit->insert)
        snprintf(buf, size, "%s: there is no %s", place, edit->barrier ? "barrier" : "fence");
    else if (edit->atomic && edit->order)
        snprintf(buf, size, "%s: the %s of %s is not atomic", place, kinds[i->op],
                 object_name(program, edit));
    else if (edit->order)
        snprintf(buf, size, "%s: the order of the %s is %s", place, kinds[i->op],
                 mm_order_name((enum mm_order)i->order));
    else if (edit->scope)
        snprintf(buf, size, "%s: the scope of the %s is %s", place, kinds[i->op],
                 mm_scope_name((enum mm_scope)i->scope));
    else if (edit->remove && !edit->fence_flags)
        snprintf(buf, size, "%s: there is a %s", place, kinds[i->op]);
    else
        snprintf(buf, size, "%s: the %s has %s", place, kinds[i->op], flag_names(i->fence_flags));
}

void verdict_change_text(const struct ck_program *program, const struct ck_edit *edit, char *buf, size_t size)
{
    bool behind = edit->barrier && is_at_end(program, edit);
    char place[80];
    edit_place(program, edit, behind ? "after " : edit->insert ? "before " : "", place, sizeof place);
    if (edit->barrier)
        snprintf(buf, size, "%s: work_group_barrier(%s)", place, flag_names(edit->fence_flags));
    else if (edit->atomic && !edit->order)
        snprintf(buf, size, "%s: memory_scope_%s everywhere", object_name(program, edit),
                 mm_scope_name((enum mm_scope)edit->scope));
    else if (edit->atomic)
        snprintf(buf, size,
                 "%s: an atomic type, accessed with memory_order_%s and memory_scope_%s everywhere",
                 object_name(program, edit), mm_order_name((enum mm_order)edit->order),
                 mm_scope_name((enum mm_scope)edit->scope));
    else if (edit->insert)
        snprintf(buf, size, "%s: atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s)", place,
                 flag_names(edit->fence_flags), mm_order_name((enum mm_order)edit->order),
                 mm_scope_name((enum mm_scope)edit->scope));
    else if (edit->order)
        snprintf(buf, size, "%s: memory_order_%s", place, mm_order_name((enum mm_order)edit->order));
    else if (edit->scope)
        snprintf(buf, size, "%s: memory_scope_%s", place, mm_scope_name((enum mm_scope)edit->scope));
    else if (edit->remove && !edit->fence_flags)
        snprintf(buf, size, "%s: remove it", place);
    else if (edit->remove)
        snprintf(buf, size, "%s: without %s", place, flag_names(edit->fence_flags));
    else
        snprintf(buf, size, "%s: %s too", place, flag_names(edit->fence_flags));
}

void verdict_print_advice(const struct ck_program *program, const struct ck_advice *advice, FILE *out)
{
    char text[240];
    for (uint32_t i = 0; i < advice->count; i++) {
        verdict_lack_text(program, &advice->edits[i], text, sizeof text);
        mm_print(out, "    falls short: %s\n", text);
    }
    for (uint32_t i = 0; i < advice->count; i++) {
        verdict_change_text(program, &advice->edits[i], text, sizeof text);
        mm_print(out, "    %s %s\n", i ? "    and" : "change:", text);
    }
    mm_print(out, advice->count ? "    checked: with this there is no race\n"
                                : "    no change of at most two places is known to help\n");
}
