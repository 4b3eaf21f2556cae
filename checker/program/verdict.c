/* Verdicts of both engines: queries, witness executions, release. */
#include "checker/checker.h"

#include "memmodel/base/array.h"
#include "memmodel/cat/eval.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STEPS = 64 }; /* of the cycle that violates an axiom */

void ck_verdict_clear(struct ck_verdict *verdict)
{
    if (!verdict)
        return;
    mm_arena_destroy(verdict->arena);
    memset(verdict, 0, sizeof *verdict);
}

struct ck_state *ck_verdict_find_state(const struct ck_verdict *v, const struct ck_program *program,
                                       const uint64_t *values)
{
    size_t bytes = program->observed_count * sizeof *values;

    for (size_t i = 0; i < v->state_count; i++)
        if (bytes == 0 || memcmp(v->states[i].values, values, bytes) == 0)
            return &v->states[i];
    return NULL;
}

static bool is_less(const struct ck_program *program, const struct ck_state *a, const struct ck_state *b)
{
    uint32_t i = 0;

    while (i < program->observed_count && a->values[i] == b->values[i])
        i++;
    return i < program->observed_count && a->values[i] < b->values[i];
}

/* Shell sort: few states, and no context argument needed. */
void ck_verdict_sort_states(struct ck_verdict *v, const struct ck_program *program)
{
    for (size_t gap = v->state_count / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < v->state_count; i++) {
            struct ck_state s = v->states[i];
            size_t k = i;

            for (; k >= gap && is_less(program, &s, &v->states[k - gap]); k -= gap)
                v->states[k] = v->states[k - gap];
            v->states[k] = s;
        }
    }
}

bool ck_flag_is_race(const char *name)
{
    return strstr(name, "race") || strstr(name, "racy") || strchr(name, '@');
}

bool ck_verdict_has_flag(const struct ck_verdict *v, const char *name)
{
    for (size_t i = 0; i < v->flag_count; i++)
        if (strcmp(v->flags[i], name) == 0)
            return true;
    return false;
}

enum ck_answer ck_verdict_undefined(const struct ck_verdict *v)
{
    if (v->race == CK_YES || v->usage == CK_YES)
        return CK_YES;
    return v->race && v->usage ? CK_NO : CK_UNKNOWN;
}

void ck_verdict_vacuous(const struct ck_program *program, struct ck_verdict *v)
{
    v->condition = CK_UNKNOWN;
    if (v->flag_count == 0 && v->divergence != CK_YES && v->termination != CK_NO)
        v->race = v->usage = CK_UNKNOWN;
    if (v->limit.cls == MM_OK)
        mm_fail(&v->limit, MM_LIMIT, "vacuous",
                program->requirement_count      ? "no terminating execution satisfies the requirements"
                : program->filter == CK_NO_EXPR ? "no execution terminates"
                                                : "no terminating execution satisfies the filter");
}

bool ck_explain(struct mm_arena *arena, struct mm_cat_eval *eval, const struct mm_cat_model *model,
                uint32_t check, struct ck_step (*describe)(const void *execution, uint32_t event),
                const void *execution, struct ck_violation *out)
{
    const struct mm_cat_check *c = &model->checks[check];
    struct mm_cat_step steps[MAX_STEPS];
    uint32_t count = mm_cat_eval_explain(eval, check, steps, MAX_STEPS);

    out->axiom = mm_arena_strdup(arena, c->name);
    out->clause = mm_arena_strdup(arena, c->clause ? c->clause : "");
    out->steps = mm_arena_alloc(arena, (count + 1) * sizeof *out->steps);
    if (!out->axiom || !out->clause || !out->steps)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        out->steps[i] = describe(execution, steps[i].event);
        out->steps[i].edge = steps[i].edge ? mm_arena_strdup(arena, steps[i].edge) : NULL;
    }
    out->step_count = count;
    return true;
}

struct ck_execution *ck_verdict_show(struct ck_verdict *v, size_t count, uint32_t threads)
{
    struct ck_execution e = {.events = mm_arena_alloc(v->arena, (count + 1) * sizeof *e.events),
                             .ends = mm_arena_alloc(v->arena, (threads + 1) * sizeof *e.ends),
                             .wait_from = mm_arena_alloc(v->arena, (threads + 1) * sizeof *e.wait_from),
                             .co = {(uint32_t)count, (uint32_t)(count + 63) / 64, NULL},
                             .between = {CK_NO_EVENT, CK_NO_EVENT}};

    e.co.bits = mm_arena_alloc(v->arena, (count * e.co.words + 1) * sizeof *e.co.bits);
    if (!e.events || !e.ends || !e.wait_from || !e.co.bits)
        return NULL;
    return mm_arena_append(v->arena, &v->shown, &v->shown_count, &e) ? &v->shown[v->shown_count - 1] : NULL;
}

void ck_bound_message(const struct ck_program *program, const struct ck_options *options, unsigned line,
                      char *text, size_t size)
{
    const char *raise = options->deepens ? "--timeout" : "--bound";
    unsigned bound = options->unroll ? options->unroll : options->bound;
    const char *file = program->file ? program->file : "";
    const char *base = strrchr(file, '/');

    if (line && *file)
        snprintf(
            text, size,
            "limit reached: iterations of the loop at %.200s:%u, complete up to bound %u (raise with %s)",
            base ? base + 1 : file, line, bound, raise);
    else
        snprintf(text, size, "limit reached: loop iterations, complete up to bound %u (raise with %s)", bound,
                 raise);
}
