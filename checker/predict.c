/* Prediction: collects the events of each launch, and what memory held before them, and asks about each pair
 * of places whose accesses conflict [CL 3.3.6 G4, G17].  Launches without atomic operations have one
 * happens-before only, which the detector has judged. */
#include "checker/predict.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 4000, EVENTS = 48, QUESTIONS = 40, TIMEOUT = 3000, TRIES = 3, SEEN_MOST = 4096 };

/* ---- what memory holds ------------------------------------------------------------------------ */

static uint64_t key_of(uint32_t allocation, uint32_t group, uint64_t offset)
{
    uint64_t z = ((uint64_t)allocation << 40) ^ ((uint64_t)group << 20) ^ offset;
    z = (z ^ z >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return (z ^ z >> 29) | 1;
}

static struct ck_predict_value *find_value(struct ck_predictor *p, uint64_t key)
{
    size_t at = key & (p->value_capacity - 1);
    while (p->values[at].key && p->values[at].key != key)
        at = (at + 1) & (p->value_capacity - 1);
    return &p->values[at];
}

static bool grow_values(struct ck_predictor *p)
{
    if ((p->value_count + 1) * 2 <= p->value_capacity)
        return true;
    struct ck_predict_value *old = p->values;
    size_t capacity = p->value_capacity;
    if (capacity >= (size_t)1 << 22) { /* forget all */
        memset(old, 0, capacity * sizeof *old);
        p->value_count = 0;
        return true;
    }
    p->values = mm_alloc_zero(capacity ? capacity * 2 : 1024, sizeof *old);
    if (!p->values) {
        p->values = old;
        return false;
    }
    p->value_capacity = capacity ? capacity * 2 : 1024;
    for (size_t i = 0; i < capacity; i++)
        if (old[i].key)
            *find_value(p, old[i].key) = old[i];
    mm_free(old);
    return true;
}

static void set_byte(struct ck_predictor *p, uint64_t key, uint64_t value, bool known)
{
    if (!grow_values(p))
        return;
    struct ck_predict_value *v = find_value(p, key);
    p->value_count += v->key == 0;
    *v = (struct ck_predict_value){key, value & 0xff, known};
}

static uint32_t group_of(const struct ck_predictor *p, const struct mm_command *c, const struct mm_event *e)
{
    const struct mm_allocation *a =
        e->allocation < p->allocation_count ? &p->allocations[e->allocation] : NULL;
    uint32_t size = 1;
    for (int i = 0; c && i < 3; i++)
        size *= c->local_size[i] ? c->local_size[i] : 1;
    return a && a->region == MM_LOCAL ? e->agent.index / size + 1 : 0;
}

/* What was at the place of E; false: that is not known. */
static bool value_before(struct ck_predictor *p, const struct mm_event *e, uint32_t group, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < e->size && i < 8; i++) {
        const struct ck_predict_value *v =
            p->value_capacity ? find_value(p, key_of(e->allocation, group, e->offset + i)) : NULL;
        if (!v || !v->key || !v->known)
            return false;
        *value |= v->value << (8 * i);
    }
    return true;
}

static void apply(struct ck_predictor *p, const struct mm_event *e, uint32_t group)
{
    bool writes = e->kind == MM_WRITE || e->kind == MM_RMW;
    uint64_t value = writes ? e->value_written : e->value_read;
    uint32_t most = e->size < 4096 ? e->size : 4096;
    for (uint32_t i = 0; i < most; i++) {
        bool known = i < 8 && !(e->attributes & MM_NO_VALUE);
        if (writes || known)
            set_byte(p, key_of(e->allocation, group, e->offset + i), i < 8 ? value >> (8 * i) : 0, known);
    }
}

/* ---- windows ---------------------------------------------------------------------------------- */

static void clear_window(struct ck_predict_window *w)
{
    for (uint32_t i = 0; w->items && i < w->item_count; i++)
        mm_free(w->items[i].events);
    mm_free(w->items);
    mm_free(w->places);
    w->items = NULL;
    w->places = NULL;
    w->item_count = w->place_count = w->count = 0;
    w->atomics = false;
    w->atomic_item = UINT32_MAX;
}

static struct ck_predict_window *window_of(struct ck_predictor *p, uint32_t command)
{
    struct ck_predict_window *w = p->windows;
    while (w && w->command.id != command)
        w = w->next;
    if (w || command >= p->command_count || !p->commands[command].dimensions)
        return w;
    w = mm_alloc_zero(1, sizeof *w);
    if (w) {
        w->command = p->commands[command];
        w->atomic_item = UINT32_MAX;
        w->next = p->windows;
        p->windows = w;
    }
    return w;
}

static bool is_access(const struct mm_event *e)
{
    return e->kind == MM_READ || e->kind == MM_WRITE || e->kind == MM_RMW;
}

static bool writes(const struct mm_event *e)
{
    return e->kind == MM_WRITE || e->kind == MM_RMW;
}

static int by_item(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Numbers the work-items and gives each its events. */
static bool make_items(struct ck_predict_window *w)
{
    uint32_t *indices = mm_alloc((w->count + 1) * sizeof *indices), n = 0, size = 1;
    if (!indices)
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        indices[i] = w->events[i].event.agent.index;
    qsort(indices, w->count, sizeof *indices, by_item);
    for (uint32_t i = 0; i < w->count; i++)
        if (n == 0 || indices[n - 1] != indices[i])
            indices[n++] = indices[i];
    for (int i = 0; i < 3; i++)
        size *= w->command.local_size[i] ? w->command.local_size[i] : 1;
    w->items = mm_alloc_zero(n + 1, sizeof *w->items);
    w->item_count = w->items ? n : 0;
    for (uint32_t i = 0; i < w->item_count; i++)
        w->items[i] = (struct ck_predict_item){.index = indices[i], .group = indices[i] / size};
    for (uint32_t i = 0; i < w->count && w->items; i++) {
        uint32_t *at = bsearch(&w->events[i].event.agent.index, indices, n, sizeof *indices, by_item);
        w->events[i].item = (uint32_t)(at - indices);
        w->items[w->events[i].item].count++;
    }
    mm_free(indices);
    for (uint32_t i = 0; i < w->item_count; i++) {
        w->items[i].events = mm_alloc((w->items[i].count + 1) * sizeof(uint32_t));
        w->items[i].count = 0;
        if (!w->items[i].events)
            return false;
    }
    for (uint32_t i = 0; i < w->count && w->items; i++) {
        struct ck_predict_item *item = &w->items[w->events[i].item];
        item->events[item->count++] = i;
    }
    return w->items != NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct ck_predict_place *x = a, *y = b;
    if (x->allocation != y->allocation)
        return x->allocation < y->allocation ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static uint32_t find_place(const struct ck_predict_window *w, uint32_t allocation, uint32_t group,
                           uint64_t offset)
{
    uint32_t low = 0, high = w->place_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct ck_predict_place *x = &w->places[middle];
        struct ck_predict_place y = {.allocation = allocation, .group = group, .from = offset};
        if (by_place(x, &y) > 0)
            high = middle;
        else if (x->allocation == allocation && x->group == group && offset < x->to)
            return middle;
        else
            low = middle + 1;
    }
    return UINT32_MAX;
}

/* Overlapping accesses have one place; marks those that two work-items share. */
static bool make_places(const struct ck_predictor *p, struct ck_predict_window *w)
{
    struct ck_predict_place *all = mm_alloc_zero(w->count + 1, sizeof *all);
    uint32_t n = 0, kept = 0;
    if (!all)
        return false;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct mm_event *e = &w->events[i].event;
        if (is_access(e))
            all[n++] = (struct ck_predict_place){e->allocation, group_of(p, &w->command, e), e->offset,
                                                 e->offset + e->size, false};
    }
    qsort(all, n, sizeof *all, by_place);
    for (uint32_t i = 0; i < n; i++) {
        struct ck_predict_place *last = kept ? &all[kept - 1] : NULL;
        if (last && last->allocation == all[i].allocation && last->group == all[i].group &&
            all[i].from < last->to)
            last->to = all[i].to > last->to ? all[i].to : last->to;
        else
            all[kept++] = all[i];
    }
    w->places = all;
    w->place_count = kept;
    uint32_t *owner = mm_alloc((kept + 1) * sizeof *owner);
    for (uint32_t i = 0; owner && i < kept; i++)
        owner[i] = UINT32_MAX;
    for (int pass = 0; owner && pass < 2; pass++)
        for (uint32_t i = 0; i < w->count; i++) {
            struct ck_predict_event *e = &w->events[i];
            e->place = UINT32_MAX;
            if (!is_access(&e->event))
                continue;
            e->place =
                find_place(w, e->event.allocation, group_of(p, &w->command, &e->event), e->event.offset);
            if (pass == 0 && writes(&e->event))
                owner[e->place] = e->item;
            else if (pass == 1 && owner[e->place] != UINT32_MAX && owner[e->place] != e->item)
                all[e->place].shared = true;
        }
    mm_free(owner);
    return owner != NULL;
}

/* Which write each read has read, by record order. */
static void make_writers(struct ck_predict_window *w)
{
    uint32_t *last = mm_alloc((w->place_count + 1) * sizeof *last);
    for (uint32_t i = 0; last && i < w->place_count; i++)
        last[i] = UINT32_MAX;
    for (uint32_t i = 0; i < w->count; i++) {
        struct ck_predict_event *e = &w->events[i];
        e->writer = UINT32_MAX;
        if (!last || e->place == UINT32_MAX)
            continue;
        if (e->event.kind != MM_WRITE)
            e->writer = last[e->place];
        if (writes(&e->event))
            last[e->place] = i;
    }
    mm_free(last);
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool may_ask(struct ck_predictor *p, const struct mm_event *a, const struct mm_event *b)
{
    uint32_t first = a->source < b->source ? a->source : b->source;
    uint32_t second = a->source < b->source ? b->source : a->source;
    for (size_t i = 0; i < p->seen_count; i++)
        if (p->seen[i].first == first && p->seen[i].second == second)
            return p->seen[i].tries++ < TRIES;
    if (p->seen_count == SEEN_MOST)
        return false;
    p->seen[p->seen_count++] = (struct ck_predict_seen){first, second, 1};
    return true;
}

static void never_again(struct ck_predictor *p, const struct mm_event *a, const struct mm_event *b)
{
    for (size_t i = 0; i < p->seen_count; i++)
        if ((p->seen[i].first == a->source && p->seen[i].second == b->source) ||
            (p->seen[i].first == b->source && p->seen[i].second == a->source))
            p->seen[i].tries = TRIES;
}

static bool is_race(const struct ck_verdict *v)
{
    for (size_t i = 0; i < v->flag_count; i++)
        if (strcmp(v->flags[i], "data_race") == 0 || strcmp(v->flags[i], "scope_race") == 0)
            return v->race == CK_YES;
    return false;
}

static char *describe(const struct ck_predictor *p, const struct ck_predict_window *w, const uint32_t *order,
                      uint32_t count)
{
    char *text = mm_alloc((size_t)count * 120 + 1), *at = text;
    for (uint32_t i = 0; text && i < count; i++) {
        const struct mm_event *e = &w->events[order[i]].event;
        const char *name = e->allocation < p->allocation_count ? p->allocations[e->allocation].name : NULL;
        uint64_t global[3], group[3], local[3];
        mm_agent_coordinates(&w->command, e->agent, global, group, local);
        at +=
            snprintf(at, 119, "%s(%llu,%llu,%llu) %s", i ? "; " : "", (unsigned long long)global[0],
                     (unsigned long long)global[1], (unsigned long long)global[2],
                     e->kind == MM_BARRIER_ENTRY ? "reaches a barrier" : mm_kind_name((enum mm_kind)e->kind));
        if (is_access(e))
            at += snprintf(at, 60, " %.20s+%llu%s%lld", name ? name : "", (unsigned long long)e->offset,
                           writes(e) ? " := " : " = ",
                           (long long)(writes(e) ? e->value_written : e->value_read));
    }
    return text;
}

static void keep(struct ck_predictor *p, const struct ck_predict_window *w,
                 const struct ck_predict_pair *pair)
{
    struct ck_prediction *found = mm_realloc(p->found, (p->found_count + 1) * sizeof *found);
    uint32_t *order = mm_alloc((w->count + 1) * sizeof *order);
    if (found)
        p->found = found;
    if (found && order) {
        uint32_t n = ck_predict_order(p, w, pair, order);
        found[p->found_count++] = (struct ck_prediction){w->events[pair->b].event, w->events[pair->a].event,
                                                         n ? describe(p, w, order, n) : NULL};
    }
    mm_free(order);
}

static void ask(struct ck_predictor *p, const struct ck_predict_window *w, struct ck_predict_pair *pair)
{
    const struct mm_event *a = &w->events[pair->a].event, *b = &w->events[pair->b].event;
    struct ck_options options = {.timeout_ms = p->options.timeout_ms, .max_states = 1};
    struct ck_verdict verdict = {0};
    struct mm_error err = {0};
    if (!ck_predict_close(w, pair))
        return;
    struct ck_program *program = ck_predict_program(p, w, pair);
    p->questions++;
    if (!program || ck_z3(program, p->model, &options, &verdict, &err) != MM_OK || verdict.race == CK_UNKNOWN)
        p->unknown++;
    else if (is_race(&verdict)) {
        never_again(p, a, b);
        keep(p, w, pair);
    }
    ck_verdict_clear(&verdict);
    ck_program_destroy(program);
}

static bool conflict(const struct ck_predict_event *x, const struct ck_predict_event *y)
{
    const struct mm_event *a = &x->event, *b = &y->event;
    bool both_atomic = a->attributes & b->attributes & MM_ATOMIC;
    return x->place == y->place && x->item != y->item && (writes(a) || writes(b)) && !both_atomic &&
           a->offset < b->offset + b->size && b->offset < a->offset + a->size && a->size <= 8 &&
           b->size <= 8 && a->source && b->source;
}

static void ask_all(struct ck_predictor *p, struct ck_predict_window *w)
{
    struct ck_predict_pair pair = {.cut = mm_alloc_zero(w->item_count + 1, sizeof *pair.cut)};
    size_t limit = p->questions + p->options.questions;
    for (uint32_t j = 0; pair.cut && j < w->count && p->questions < limit; j++) {
        const struct ck_predict_event *y = &w->events[j];
        if (y->place == UINT32_MAX || !w->places[y->place].shared)
            continue;
        for (uint32_t i = j; i-- > 0 && p->questions < limit;) {
            if (!conflict(&w->events[i], y) || !may_ask(p, &w->events[i].event, &y->event))
                continue;
            pair.a = i;
            pair.b = j;
            ask(p, w, &pair);
        }
    }
    mm_free(pair.cut);
}

static void analyse(struct ck_predictor *p, struct ck_predict_window *w)
{
    if (w->atomics && make_items(w) && make_places(p, w)) {
        make_writers(w);
        ask_all(p, w);
    }
    clear_window(w);
}

/* ---- records ---------------------------------------------------------------------------------- */

static void close_window(struct ck_predictor *p, uint32_t command)
{
    for (struct ck_predict_window **link = &p->windows; *link; link = &(*link)->next) {
        struct ck_predict_window *w = *link;
        if (w->command.id != command)
            continue;
        analyse(p, w);
        *link = w->next;
        mm_free(w->events);
        mm_free(w);
        return;
    }
}

static void add_event(struct ck_predictor *p, struct ck_predict_window *w, const struct mm_event *e,
                      uint32_t group)
{
    if (w->count == p->options.window)
        analyse(p, w);
    if (w->count == w->capacity) {
        uint32_t capacity = w->capacity ? w->capacity * 2 : 64;
        struct ck_predict_event *events = mm_realloc(w->events, capacity * sizeof *events);
        if (!events)
            return;
        w->events = events;
        w->capacity = capacity;
    }
    struct ck_predict_event *to = &w->events[w->count++];
    *to = (struct ck_predict_event){.event = *e};
    if (is_access(e))
        to->known = value_before(p, e, group, &to->before);
    if (!is_access(e) || !(e->attributes & MM_ATOMIC))
        return;
    w->atomics |= w->atomic_item != UINT32_MAX && w->atomic_item != e->agent.index;
    w->atomic_item = e->agent.index;
}

static void one_event(struct ck_predictor *p, const struct mm_event *e)
{
    bool interesting =
        is_access(e) || e->kind == MM_FENCE || e->kind == MM_BARRIER_ENTRY || e->kind == MM_BARRIER_EXIT;
    if (e->kind == MM_COMMAND_END)
        close_window(p, e->agent.command);
    if (!interesting)
        return;
    bool item = e->agent.command && e->agent.index != MM_INDEX_RUNTIME;
    struct ck_predict_window *w = item ? window_of(p, e->agent.command) : NULL;
    uint32_t group = w ? group_of(p, &w->command, e) : 0;
    if (w)
        add_event(p, w, e, group);
    if (is_access(e))
        apply(p, e, group);
}

static enum mm_class take_events(void *context, const struct mm_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        one_event(context, &events[i]);
    return MM_OK;
}

/* Makes room for entry ID of an array by id. */
static bool make_room(void **array, uint32_t *count, uint32_t id, size_t size)
{
    if (id < *count)
        return true;
    uint32_t wanted = id + id / 2 + 16;
    char *grown = id < UINT32_MAX / 2 ? mm_realloc(*array, wanted * size) : NULL;
    if (!grown)
        return false;
    memset(grown + *count * size, 0, (wanted - *count) * size);
    *array = grown;
    *count = wanted;
    return true;
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    struct ck_predictor *p = context;
    if (record->type == MM_RECORD_EVENT)
        one_event(p, &record->event);
    if (record->type == MM_RECORD_COMMAND &&
        make_room((void **)&p->commands, &p->command_count, record->command.id, sizeof *p->commands)) {
        p->commands[record->command.id] = record->command;
        p->commands[record->command.id].kind = p->commands[record->command.id].kernel = "";
    }
    if (record->type == MM_RECORD_ALLOCATION && make_room((void **)&p->allocations, &p->allocation_count,
                                                          record->allocation.id, sizeof *p->allocations)) {
        struct mm_allocation *a = &p->allocations[record->allocation.id];
        mm_free((void *)(uintptr_t)a->name);
        *a = record->allocation;
        a->name = mm_strdup(record->allocation.name ? record->allocation.name : "");
    }
    return MM_OK;
}

/* ---- life ------------------------------------------------------------------------------------- */

struct ck_predictor *ck_predictor_create(const struct mm_cat_model *model,
                                         const struct ck_predict_options *options)
{
    struct ck_predictor *p = mm_alloc_zero(1, sizeof *p);
    if (p)
        p->seen = mm_alloc_zero(SEEN_MOST, sizeof *p->seen);
    if (!p || !p->seen) {
        mm_free(p);
        return NULL;
    }
    p->model = model;
    p->options = *options;
    p->options.window = options->window ? options->window : WINDOW;
    p->options.events = options->events ? options->events : EVENTS;
    p->options.questions = options->questions ? options->questions : QUESTIONS;
    p->options.timeout_ms = options->timeout_ms ? options->timeout_ms : TIMEOUT;
    return p;
}

void ck_predictor_sink(struct ck_predictor *predictor, struct mm_sink *sink)
{
    *sink = (struct mm_sink){.context = predictor, .record = take_record, .events = take_events};
}

void ck_predictor_finish(struct ck_predictor *p, struct ck_detector *detector)
{
    while (p->windows)
        close_window(p, p->windows->command.id);
    for (size_t i = 0; i < p->found_count; i++)
        ck_finding_predicted(detector, &p->found[i]);
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
    while (p->windows) {
        struct ck_predict_window *w = p->windows;
        p->windows = w->next;
        clear_window(w);
        mm_free(w->events);
        mm_free(w);
    }
    for (uint32_t i = 0; i < p->allocation_count; i++)
        mm_free((void *)(uintptr_t)p->allocations[i].name);
    for (size_t i = 0; i < p->found_count; i++)
        mm_free(p->found[i].execution);
    mm_free(p->allocations);
    mm_free(p->commands);
    mm_free(p->values);
    mm_free(p->seen);
    mm_free(p->found);
    mm_free(p);
}
