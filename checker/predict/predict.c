/* Prediction: collects the events of a recorded execution in windows, and the contents of memory before each
 * (docs/prediction.md#windows).
 *
 * A window has the accesses of work-items and instrumented host threads, fences, barriers and command events.
 * Bulk transfers of the runtime are applied to the contents; one that writes memory of the window ends it. */
#include "checker/predict/predict.h"
#include "checker/race/race.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Defaults of the options: events of a window; events of a query; queries of a window; milliseconds of a
 * query. */
enum { WINDOW = 4000, EVENTS = 48, QUESTIONS = 40, TIMEOUT = 3000 };

/* ---- contents of memory ----------------------------------------------------------------------- */

static uint64_t content_key(uint32_t allocation, uint64_t group, uint64_t offset)
{
    uint64_t z = allocation;
    z = mm_random_next(&z) ^ group;
    z = mm_random_next(&z) ^ offset;
    return mm_random_next(&z) | 1;
}

/* The table of memory contents holds 1 + the value of a byte, or UNKNOWN_VALUE. */
enum { UNKNOWN_VALUE = 257, MOST_VALUES = 1 << 21 };

static void set_byte(struct ck_predictor *p, uint64_t key, uint64_t value, bool known)
{
    if (p->values.count == MOST_VALUES) /* limit reached: all values become unknown */
        mm_map_clear(&p->values);
    mm_map_put(&p->values, key, known ? (value & 0xff) + 1 : UNKNOWN_VALUE);
}

/* A number of the work-group among those of all commands for local memory, 0 for other memory. */
static uint64_t group_of(const struct ck_predictor *p, const struct mm_event *e)
{
    if (!ck_predict_is_local(p, e->allocation))
        return 0;
    return ((uint64_t)e->agent.command << 32) + e->agent.index / ck_predict_group_size(p, e->agent.command) +
           1;
}

/* The value at the location of E before it; false: unknown. */
static bool known_value(const struct ck_predictor *p, const struct mm_event *e, uint64_t group,
                        uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < e->size && i < 8; i++) {
        uint64_t v = mm_map_get(&p->values, content_key(e->allocation, group, e->offset + i));
        if (!v || v == UNKNOWN_VALUE)
            return false;
        *value |= (v - 1) << (8 * i);
    }
    return true;
}

bool ck_predict_value_now(const struct ck_predictor *p, uint32_t root, uint64_t offset, uint32_t size,
                          uint64_t *value)
{
    return known_value(p, &(struct mm_event){.allocation = root, .offset = offset, .size = size}, 0, value);
}

static void update_contents(struct ck_predictor *p, const struct mm_event *e, uint64_t group)
{
    bool writes = mm_writes(e);
    uint64_t value = writes ? e->value_written : e->value_read;
    uint32_t most = e->size < 4096 ? e->size : 4096;
    for (uint32_t i = 0; i < most; i++) {
        bool known = i < 8 && !(e->attributes & MM_NO_VALUE);
        if (writes || known)
            set_byte(p, content_key(e->allocation, group, e->offset + i), i < 8 ? value >> (8 * i) : 0,
                     known);
    }
}

/* ---- the window ------------------------------------------------------------------------------- */

static void window_analyze(struct ck_predictor *p, bool last)
{
    struct ck_predict_window *w = &p->window;
    bool ready = p->model && w->atomics && !p->lost && ck_predict_prepare(p, w);
    if (ready) {
        ck_predict_query(p, w);
    } else if (p->model && w->atomics) {
        p->questions++;
        p->unknown++;
    }
    if (last)
        ck_predict_ask_assertions(p, w);
    p->cut |= w->atomic_agent.command != CK_PREDICT_NO_COMMAND;
    ck_predict_end_terms(p, w);
    ck_predict_clear(w);
}

static struct ck_predict_event *new_event(struct ck_predict_window *w)
{
    return mm_add(&w->events, &w->count);
}

bool ck_predict_add_condition(struct ck_predictor *p, const struct mm_term *t)
{
    bool meets = t->op == MM_TERM_MEET;
    if (!meets && ck_predict_term(p, t->agent.command, t->a)->window != p->window_number)
        return true; /* depends on no read of the window: constant */
    struct ck_predict_event *to = new_event(&p->window);
    if (!to)
        return false;
    *to = (struct ck_predict_event){.event = {.kind = CK_PREDICT_CONDITION,
                                              .agent = t->agent,
                                              .size = t->size,
                                              .instance = meets ? (uint32_t)t->value : 0,
                                              .value_read = t->value},
                                    .id = p->next_event,
                                    .read = t->a,
                                    .keeps = t->op == MM_TERM_KEEP};
    return true;
}

static void add_event(struct ck_predictor *p, const struct mm_event *e, uint32_t named, uint64_t group)
{
    struct ck_predict_window *w = &p->window;
    struct ck_predict_event *to = new_event(w);
    p->lost |= !to;
    if (!to)
        return;
    *to = (struct ck_predict_event){.event = *e, .id = p->next_event, .named = named};
    if (!mm_is_access(e))
        return;
    to->known = known_value(p, e, group, &to->before);
    ck_predict_attach(p, to, w->count - 1);
    if (!(e->attributes & MM_ATOMIC))
        return;
    struct mm_agent *first = &w->atomic_agent;
    w->atomics |= first->command != CK_PREDICT_NO_COMMAND &&
                  (first->command != e->agent.command || first->index != e->agent.index);
    *first = e->agent;
}

static bool overlaps_window(const struct ck_predict_window *w, const struct mm_event *e)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const struct mm_event *x = &w->events[i].event;
        if (mm_is_access(x) && x->allocation == e->allocation && x->offset < e->offset + e->size &&
            e->offset < x->offset + x->size)
            return true;
    }
    return false;
}

/* True for a bulk transfer of the runtime or of a host that is not instrumented: values of transfers are not
 * recorded. */
static bool is_bulk_transfer(const struct mm_event *e)
{
    bool work_item = e->agent.command && e->agent.index != MM_INDEX_RUNTIME;
    bool small = e->size <= 8 && (e->size & (e->size - 1)) == 0;
    bool unseen = e->attributes & MM_NO_VALUE && !e->source;
    return !work_item && (!small || unseen || e->semantics & MM_TRANSFER);
}

/* Completes a plain access of an instrumented host, which is recorded without values: a read returns the
 * known contents; a later read reveals the value of a write (predict/window.c). */
static void complete_host_value(const struct ck_predictor *p, struct mm_event *e, uint64_t group)
{
    uint64_t value;
    if (!(e->attributes & MM_NO_VALUE) || e->size > 8)
        return;
    if (e->kind == MM_READ && known_value(p, e, group, &value)) {
        e->value_read = value;
        e->attributes &= (uint8_t)~MM_NO_VALUE;
    }
    if (e->kind == MM_WRITE)
        e->value_written = CK_PREDICT_UNKNOWN;
}

static void add_access(struct ck_predictor *p, const struct mm_event *recorded)
{
    struct mm_event e = *recorded;
    if (e.allocation < p->allocation_count && p->allocations[e.allocation].root) {
        const struct ck_predict_allocation *a = &p->allocations[e.allocation];
        e.offset += a->offset;
        e.allocation = a->root;
    }
    uint64_t group = group_of(p, &e);
    complete_host_value(p, &e, group);
    if (!is_bulk_transfer(&e))
        add_event(p, &e, recorded->allocation, group);
    else if (mm_writes(&e) && overlaps_window(&p->window, &e))
        window_analyze(p, false);
    update_contents(p, &e, group);
}

/* An asynchronous copy is modeled as made by the first work-item that starts it, between two barriers.  That
 * over-approximates the order, so it predicts no false race. */
static void add_copy(struct ck_predictor *p, const struct mm_event *e)
{
    struct mm_event barrier = *e;
    barrier.instance |= e->kind == MM_COPY_START ? UINT32_C(1) << 30 : UINT32_C(1) << 31;
    barrier.order = MM_ACQ_REL;
    barrier.scope = barrier.effective_scope = MM_SCOPE_WORK_GROUP;
    barrier.fence_flags = MM_FENCE_GLOBAL | MM_FENCE_LOCAL;
    barrier.kind = MM_BARRIER_ENTRY;
    add_event(p, &barrier, 0, 0);
    barrier.kind = MM_BARRIER_EXIT;
    add_event(p, &barrier, 0, 0);
}

static void end_window_if_full(struct ck_predictor *p)
{
    if (p->window.count >= p->options.window)
        window_analyze(p, false);
}

static void handle_event(struct ck_predictor *p, const struct mm_event *e)
{
    end_window_if_full(p);
    if (mm_is_access(e))
        add_access(p, e);
    else if (e->kind == MM_COPY_START || e->kind == MM_COPY_WAIT)
        add_copy(p, e);
    /* copies are modeled in program order, so that their fences need no event */
    else if (e->kind != MM_INIT && e->kind != MM_COPY_FENCE)
        add_event(p, e, 0, 0);
    if (e->kind == MM_FREE && e->allocation < p->allocation_count)
        p->allocations[e->allocation].freed = true;
    p->next_event++;
}

static enum mm_class handle_events(void *context, const struct mm_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        handle_event(context, &events[i]);
    return MM_OK;
}

/* Index of the window's event with id ID.  A condition has the id of the event after it. */
static uint32_t index_of(const struct ck_predict_window *w, mm_event_id id)
{
    uint32_t i;
    mm_partition(i, w->count, w->events[i].id < id);
    while (i < w->count && w->events[i].id == id && w->events[i].event.kind == CK_PREDICT_CONDITION)
        i++;
    return i < w->count && w->events[i].id == id ? i : CK_NO_EVENT;
}

/* Collects an edge, which precedes its target event in the record.  Queries of an event's status are ignored:
 * they order nothing under the models that predict. */
static void handle_edge(struct ck_predictor *p, const struct mm_edge *edge)
{
    struct ck_predict_window *w = &p->window;
    end_window_if_full(p);
    uint32_t from = index_of(w, edge->from);
    bool orders = edge->kind != MM_EDGE_RF && edge->kind != MM_EDGE_CO && edge->kind != MM_EDGE_QUERY;
    if (!orders || edge->to != p->next_event || from == CK_NO_EVENT)
        return;
    struct ck_predict_edge *added = mm_add(&w->edges, &w->edge_count);
    if (added)
        *added = (struct ck_predict_edge){from, w->count};
}

/* Terms precede their event in the record and belong to its window. */
static void handle_term(struct ck_predictor *p, const struct mm_term *term)
{
    if (p->pending_count == 0)
        end_window_if_full(p);
    ck_predict_handle_term(p, term);
}

/* ---- records ---------------------------------------------------------------------------------- */

static const char *copy_string(struct ck_predictor *p, const char *s)
{
    const char *copy = mm_arena_strdup(p->arena, s ? s : "");
    return copy ? copy : "";
}

static void handle_allocation(struct ck_predictor *p, const struct mm_allocation *record)
{
    if (!ck_predict_reach(&p->allocations, &p->allocation_count, record->id, sizeof *p->allocations))
        return;
    struct ck_predict_allocation *a = &p->allocations[record->id];
    a->info = *record;
    a->info.name = copy_string(p, record->name);
    a->info.layout = copy_string(p, record->layout);
    a->root = record->id;
    a->offset = 0;
    for (uint32_t i = 1; i < p->allocation_count; i++) {
        const struct ck_predict_allocation *whole = &p->allocations[i];
        if (i == record->id || whole->root != i || whole->freed ||
            !ck_allocation_lies_in(&a->info, &whole->info))
            continue;
        a->root = i;
        a->offset = record->address - whole->info.address;
    }
}

static void handle_argument(struct ck_predictor *p, const struct mm_argument *record)
{
    struct ck_predict_argument *argument =
        p->assertion_count ? mm_arena_alloc(p->arena, sizeof *argument) : NULL;
    if (!argument)
        return;
    argument->info = *record;
    argument->info.name = copy_string(p, record->name);
    argument->info.type_name = copy_string(p, record->type_name);
    argument->info.layout = copy_string(p, record->layout);
    argument->next = p->arguments;
    p->arguments = argument;
}

static void handle_command(struct ck_predictor *p, const struct mm_command *record)
{
    if (!ck_predict_reach(&p->commands, &p->command_count, record->id, sizeof *p->commands))
        return;
    p->commands[record->id] = *record;
    p->commands[record->id].kind = copy_string(p, record->kind);
    p->commands[record->id].kernel = copy_string(p, record->kernel);
}

static enum mm_class handle_record(void *context, const struct mm_record *record)
{
    struct ck_predictor *p = context;
    if (record->type == MM_RECORD_EVENT)
        handle_event(p, &record->event);
    if (record->type == MM_RECORD_EDGE)
        handle_edge(p, &record->edge);
    if (record->type == MM_RECORD_COMMAND)
        handle_command(p, &record->command);
    if (record->type == MM_RECORD_ALLOCATION)
        handle_allocation(p, &record->allocation);
    if (record->type == MM_RECORD_ARGUMENT)
        handle_argument(p, &record->argument);
    if (record->type == MM_RECORD_TERM)
        handle_term(p, &record->term);
    return MM_OK;
}

/* ---- life ------------------------------------------------------------------------------------- */

struct ck_predictor *ck_predictor_create(const struct mm_cat_model *model,
                                         const struct ck_predict_options *options)
{
    struct ck_predictor *p = mm_alloc_zero(1, sizeof *p);
    if (!p)
        return NULL;
    p->seen = mm_alloc_zero(CK_PREDICT_SEEN, sizeof *p->seen);
    p->arena = mm_arena_create();
    if (!p->seen || !p->arena) {
        ck_predictor_destroy(p);
        return NULL;
    }
    p->model = model;
    p->window_number = 1;
    p->options = *options;
    p->options.window = options->window ? options->window : WINDOW;
    p->options.events = options->events ? options->events : EVENTS;
    p->options.questions = options->questions ? options->questions : QUESTIONS;
    p->options.timeout_ms = options->timeout_ms ? options->timeout_ms : TIMEOUT;
    ck_predict_clear(&p->window);
    return p;
}

enum mm_class ck_predictor_assert(struct ck_predictor *p, const char *text, struct mm_error *err)
{
    struct ck_condition *parsed = ck_assertion_parse(text, err), **place;
    if (!parsed)
        return err->cls;
    place = mm_add(&p->assertions, &p->assertion_count);
    if (!place) {
        ck_condition_destroy(parsed);
        return mm_out_of_memory(err);
    }
    *place = parsed;
    return MM_OK;
}

void ck_predictor_sink(struct ck_predictor *predictor, struct mm_sink *sink)
{
    *sink = (struct mm_sink){.context = predictor, .record = handle_record, .events = handle_events};
}

void ck_predictor_finish(struct ck_predictor *p, struct ck_detector *detector)
{
    window_analyze(p, true);
    for (size_t i = 0; i < p->found_count; i++)
        ck_finding_predicted(detector, &p->found[i]);
    if (p->limit.cls != MM_OK)
        ck_detector_unknown(detector, &p->limit);
}

void ck_predictor_count(const struct ck_predictor *predictor, size_t *questions, size_t *unknown)
{
    *questions = predictor->questions;
    *unknown = predictor->unknown;
}

void ck_predictor_destroy(struct ck_predictor *p)
{
    if (!p)
        return;
    ck_predict_clear(&p->window);
    ck_predict_destroy_terms(p);
    mm_free(p->window.events);
    mm_free(p->window.edges);
    for (size_t i = 0; i < p->found_count; i++)
        mm_free(p->found[i].execution);
    for (size_t i = 0; i < p->assertion_count; i++)
        ck_condition_destroy(p->assertions[i]);
    mm_free(p->assertions);
    mm_free(p->allocations);
    mm_free(p->commands);
    mm_map_clear(&p->values);
    mm_free(p->seen);
    mm_free(p->found);
    mm_arena_destroy(p->arena);
    mm_free(p);
}
