/* The queries about a window: can two accesses race, can an assertion fail [CL 3.3.6 G4, G16, G17]?  In a
 * window in which at most one agent uses atomic operations, happens-before is the same in every execution,
 * and the detector has checked it (docs/prediction.md#windows). */
#include "checker/predict/predict.h"
#include "checker/race/words.h"
#include "memmodel/base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TRIES = 3, LINE = 240 }; /* queries of a pair of source lines; bytes of a line of an interleaving */

static bool count_try(struct ck_predictor *p, const struct mm_event *a, const struct mm_event *b)
{
    uint32_t first = a->source < b->source ? a->source : b->source;
    uint32_t second = a->source < b->source ? b->source : a->source;
    for (size_t i = 0; i < p->seen_count; i++)
        if (p->seen[i].first == first && p->seen[i].second == second)
            return p->seen[i].tries++ < TRIES;
    if (p->seen_count == CK_PREDICT_SEEN)
        return false;
    p->seen[p->seen_count++] = (struct ck_predict_seen){first, second, 1};
    return true;
}

static void exhaust_tries(struct ck_predictor *p, const struct mm_event *a, const struct mm_event *b)
{
    for (size_t i = 0; i < p->seen_count; i++)
        if ((p->seen[i].first == a->source && p->seen[i].second == b->source) ||
            (p->seen[i].first == b->source && p->seen[i].second == a->source))
            p->seen[i].tries = TRIES;
}

/* ---- predictions -------------------------------------------------------------------------------- */

static bool one_kernel(const struct ck_predict_window *w, const uint32_t *order, uint32_t count)
{
    bool one = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct mm_event *e = &w->events[order[i]].event;
        one &= ck_predict_is_point(e) || e->kind == CK_PREDICT_CONDITION ||
               (e->agent.command == w->events[order[count - 1]].event.agent.command &&
                e->agent.index != MM_INDEX_RUNTIME && e->agent.command);
    }
    return one;
}

static int print_agent(const struct ck_predictor *p, const struct mm_event *e, bool alone, char *at)
{
    struct ck_access access = {.agent = e->agent};
    char words[120];
    if (e->agent.command && e->agent.command < p->command_count)
        access.command = &p->commands[e->agent.command];
    if (access.command && e->agent.index != MM_INDEX_RUNTIME)
        mm_agent_coordinates(access.command, e->agent, access.global_id, access.group_id, access.local_id);
    if (alone)
        return snprintf(at, 80, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", access.global_id[0],
                        access.global_id[1], access.global_id[2]);
    ck_words_agent(&access, true, words, sizeof words);
    return snprintf(at, 120, "%s", words);
}

/* Prints the accesses, fences and barriers of an execution in order. */
static char *print_execution(const struct ck_predictor *p, const struct ck_predict_window *w,
                             const struct ck_predict_pair *pair, const uint32_t *order, uint32_t count)
{
    char *text = count ? mm_alloc((size_t)count * LINE + 1) : NULL, *at = text;
    bool alone = one_kernel(w, order, count);
    for (uint32_t i = 0; text && i < count; i++) {
        const struct mm_event *e = &w->events[order[i]].event;
        const char *name =
            e->allocation < p->allocation_count ? p->allocations[e->allocation].info.name : NULL;
        if (ck_predict_is_point(e) || e->kind == MM_BARRIER_EXIT || e->kind == CK_PREDICT_CONDITION)
            continue;
        at += snprintf(at, 3, "%s", at != text ? "; " : "");
        at += print_agent(p, e, alone, at);
        at +=
            snprintf(at, 30, " %s",
                     e->kind == MM_BARRIER_ENTRY ? "reaches a barrier" : mm_kind_name((enum mm_kind)e->kind));
        if (mm_is_access(e))
            at += snprintf(at, 50, " %.20s+%" PRIu64 "%s", name ? name : "", e->offset,
                           mm_writes(e) ? " := " : " = ");
        if (mm_is_access(e))
            at +=
                snprintf(at, 30, "%" PRId64, (int64_t)(mm_writes(e) ? pair->written : pair->read)[order[i]]);
    }
    return text;
}

static void add_prediction(struct ck_predictor *p, struct ck_prediction prediction)
{
    struct ck_prediction *added = mm_add(&p->found, &p->found_count);
    if (added)
        *added = prediction;
    else
        mm_free(prediction.execution);
}

/* The event with the allocation and offset of the record. */
static struct mm_event event_of_record(const struct ck_predictor *p, const struct ck_predict_event *e)
{
    struct mm_event event = e->event;
    event.allocation = e->named;
    event.offset -= p->allocations[e->named].offset;
    return event;
}

/* The order of events in Z3's witness execution. */
static uint32_t order_from_execution(const struct ck_predict_window *w, const struct ck_verdict *v,
                                     struct ck_predict_pair *pair, uint32_t *order)
{
    const struct ck_execution *x = NULL;
    uint32_t n = 0;
    for (size_t i = 0; i < v->shown_count && !x; i++)
        x = v->shown[i].shows == CK_SHOWS_FLAG && strstr(v->shown[i].flag, "_race") ? &v->shown[i] : NULL;
    for (uint32_t step = 0; x && step < x->count; step++)
        for (size_t i = 0; i < x->count; i++) {
            const struct ck_event *h = &x->events[i];
            uint32_t index = h->line - 1;
            if (h->step != step || h->thread == CK_NO_THREAD || index >= w->count)
                continue;
            if (h->kind == MM_READ)
                pair->read[index] = h->value;
            else
                pair->written[index] = h->value;
            if (n == 0 || order[n - 1] != index)
                order[n++] = index;
        }
    return n;
}

static void add_race(struct ck_predictor *p, const struct ck_predict_window *w, const struct ck_verdict *v,
                     struct ck_predict_pair *pair)
{
    uint32_t *order = mm_alloc((2 * (size_t)w->count + 1) * sizeof *order);
    uint32_t n = order ? ck_predict_order(p, w, pair, order) : 0;
    if (order && n == 0)
        n = order_from_execution(w, v, pair, order);
    add_prediction(p, (struct ck_prediction){.later = event_of_record(p, &w->events[pair->b]),
                                             .earlier = event_of_record(p, &w->events[pair->a]),
                                             .execution = print_execution(p, w, pair, order, n)});
    mm_free(order);
}

/* ---- races -------------------------------------------------------------------------------------- */

static bool events_conflict(const struct ck_predict_event *x, const struct ck_predict_event *y)
{
    const struct mm_event *a = &x->event, *b = &y->event;
    bool both_atomic = a->attributes & b->attributes & MM_ATOMIC;
    return x->place == y->place && x->item != y->item && (mm_writes(a) || mm_writes(b)) && !both_atomic &&
           a->offset < b->offset + b->size && b->offset < a->offset + a->size && a->size <= 8 &&
           b->size <= 8 && a->source && b->source;
}

static bool is_race(const struct ck_verdict *v)
{
    for (size_t i = 0; i < v->flag_count; i++)
        if (strcmp(v->flags[i], "data_race") == 0 || strcmp(v->flags[i], "scope_race") == 0)
            return v->race == CK_YES;
    return false;
}

/* Takes the racing pair of the witness: it may be another pair of the program than the queried one. */
static void pair_from_witness(const struct ck_predict_window *w, const struct ck_verdict *v,
                              struct ck_predict_pair *pair)
{
    const struct ck_violation *race = &v->race_witness;
    if (!race->axiom || !strstr(race->axiom, "_race") || race->step_count < 2)
        return;
    uint32_t x = race->steps[0].line - 1, y = race->steps[race->step_count - 1].line - 1;
    if (x >= w->count || y >= w->count || x == y)
        return;
    pair->a = x < y ? x : y;
    pair->b = x < y ? y : x;
}

/* Asks Z3 about PAIR; true if there is no race. */
static bool query_once(struct ck_predictor *p, const struct ck_predict_window *w,
                       struct ck_predict_pair *pair)
{
    struct ck_options options = {.timeout_ms = p->options.timeout_ms,
                                 .max_states = 1,
                                 .explain = true,
                                 .executions = true,
                                 .accept_vacuous = true};
    struct ck_verdict verdict = {0};
    struct mm_error err = {0};
    struct ck_program *program = ck_predict_program(p, w, pair);
    bool answered = program && ck_z3(program, p->model, &options, &verdict, &err) == MM_OK &&
                    verdict.race != CK_UNKNOWN,
         race = answered && is_race(&verdict);
    p->questions++;
    p->unknown += !answered;
    if (race) {
        pair_from_witness(w, &verdict, pair);
        exhaust_tries(p, &w->events[pair->a].event, &w->events[pair->b].event);
        if (ck_predict_find_cut(p, w, pair))
            add_race(p, w, &verdict, pair);
    }
    ck_verdict_clear(&verdict);
    ck_program_destroy(program);
    return answered && !race;
}

/* Without a race at the minimal cut, retries with a cut that extends past the two accesses, if another agent
 * needs a later write of one of their agents (docs/prediction.md#the-cut). */
static void query_pair(struct ck_predictor *p, const struct ck_predict_window *w,
                       struct ck_predict_pair *pair)
{
    pair->beyond = false;
    if (!ck_predict_find_cut(p, w, pair) || !query_once(p, w, pair) || !pair->stopped)
        return;
    pair->beyond = true;
    if (ck_predict_find_cut(p, w, pair))
        query_once(p, w, pair);
}

void ck_predict_query(struct ck_predictor *p, struct ck_predict_window *w)
{
    struct ck_predict_pair pair = {0};
    bool ready = ck_predict_pair_create(w, &pair);
    size_t limit = p->questions + p->options.questions;
    for (uint32_t j = 0; ready && j < w->count && p->questions < limit; j++) {
        const struct ck_predict_event *y = &w->events[j];
        if (y->place == CK_PREDICT_NO_PLACE || !w->places[y->place].shared)
            continue;
        for (uint32_t i = j; i-- > 0 && p->questions < limit;) {
            if (!events_conflict(&w->events[i], y) || ck_predict_ordered(w, i, j) ||
                !count_try(p, &w->events[i].event, &y->event))
                continue;
            pair.a = i;
            pair.b = j;
            query_pair(p, w, &pair);
        }
    }
    ck_predict_pair_destroy(&pair);
}

/* ---- assertions --------------------------------------------------------------------------------- */

static void add_failure(struct ck_predictor *p, const struct ck_predict_window *w, const struct ck_verdict *v,
                        struct ck_predict_pair *pair)
{
    uint32_t *order = mm_alloc((v->witness_count + 1) * sizeof *order), n = 0;
    for (size_t i = 0; order && i < v->witness_count; i++)
        if (v->witness[i].thread != CK_NO_THREAD && v->witness[i].line && v->witness[i].line <= w->count &&
            (n == 0 || order[n - 1] != v->witness[i].line - 1)) {
            uint32_t index = order[n++] = v->witness[i].line - 1;
            pair->read[index] = v->witness[i].info.value_read;
            pair->written[index] = v->witness[i].info.value_written;
        }
    add_prediction(p,
                   (struct ck_prediction){.assertion = pair->assertion,
                                          .execution = order ? print_execution(p, w, pair, order, n) : NULL});
    mm_free(order);
}

static void query_assertion(struct ck_predictor *p, const struct ck_predict_window *w,
                            const struct ck_condition *assertion)
{
    struct ck_predict_pair pair = {.a = CK_NO_EVENT, .b = CK_NO_EVENT, .assertion = assertion};
    struct ck_options options = {
        .timeout_ms = p->options.timeout_ms, .max_states = 1, .explain = true, .accept_vacuous = true};
    struct ck_verdict verdict = {0};
    struct mm_error err = {0};
    struct ck_program *program = NULL;
    if (ck_predict_pair_create(w, &pair) && ck_predict_find_cut(p, w, &pair))
        program = ck_predict_program(p, w, &pair);
    p->questions++;
    if (!program || ck_z3(program, p->model, &options, &verdict, &err) != MM_OK ||
        verdict.condition == CK_UNKNOWN)
        p->unknown++;
    else if (verdict.condition == CK_YES)
        add_failure(p, w, &verdict, &pair);
    ck_verdict_clear(&verdict);
    ck_program_destroy(program);
    ck_predict_pair_destroy(&pair);
}

static void assertion_failed(struct ck_predictor *p, const struct ck_condition *assertion)
{
    char values[600];
    ck_assertion_values(assertion, p, values, sizeof values);
    add_prediction(p, (struct ck_prediction){.assertion = assertion,
                                             .observed = true,
                                             .execution = *values ? mm_strdup(values) : NULL});
}

void ck_predict_ask_assertions(struct ck_predictor *p, struct ck_predict_window *w)
{
    for (size_t i = 0; i < p->assertion_count; i++) {
        enum ck_answer now = ck_assertion_holds(p->assertions[i], p, &p->limit);
        if (now == CK_NO)
            assertion_failed(p, p->assertions[i]);
        else if (now == CK_YES && p->model && w->atomics && w->items && !p->lost)
            query_assertion(p, w, p->assertions[i]);
        p->questions += now == CK_YES && p->model && p->cut;
        p->unknown += now == CK_YES && p->model && p->cut;
    }
}
