/* The cut and the relevant events of a query (docs/prediction.md#the-cut, #free-and-fixed-reads).
 *
 * The agents of the two accesses stop there, unless BEYOND; other agents execute the events that relevant
 * reads, barriers and the fixed order require.  A read may return any value that satisfies the path
 * conditions (struct mm_term); one whose uses are unknown returns the recorded value. */
#include "checker/predict/predict.h"

#include <string.h>

struct cut_search {
    const struct ck_predict_window *w;
    struct ck_predict_pair *pair;
    bool changed;
};

/* Extends the cut to EVENT; false if its agent makes one of the two accesses and stops before EVENT. */
static bool require_event(struct cut_search *c, uint32_t event)
{
    const struct ck_predict_window *w = c->w;
    uint32_t item = w->events[event].item, at = ck_predict_position(w, event);
    if (c->pair->cut[item] > at)
        return true;
    bool racing = item == w->events[c->pair->a].item || item == w->events[c->pair->b].item;
    c->pair->stopped |= racing;
    if (racing && !c->pair->beyond)
        return false;
    c->pair->cut[item] = at + 1;
    c->changed = true;
    return true;
}

static bool same_barrier(const struct mm_event *x, const struct mm_event *y)
{
    return x->instance == y->instance && x->effective_scope == y->effective_scope;
}

/* Leaving a barrier requires the arrival of the whole group. */
static bool require_barrier(struct cut_search *c, const struct ck_predict_event *exit)
{
    const struct ck_predict_window *w = c->w;
    const struct ck_predict_item *me = &w->items[exit->item];
    const struct ck_predict_slot *slot = &w->slots[me->slot];
    for (uint32_t i = slot->first_item; i < slot->first_item + slot->item_count; i++) {
        const struct ck_predict_item *other = &w->items[i];
        if (other->group != me->group ||
            (exit->event.effective_scope == MM_SCOPE_SUB_GROUP && other->sub_group != me->sub_group))
            continue;
        for (uint32_t k = 0; k < other->count; k++) {
            const struct mm_event *e = &w->events[other->events[k]].event;
            if (e->kind == MM_BARRIER_ENTRY && same_barrier(e, &exit->event) &&
                !require_event(c, other->events[k]))
                return false;
        }
    }
    return true;
}

/* A group function requires the arrival of all participants. */
static bool require_meeting(struct cut_search *c, const struct ck_predict_event *e)
{
    const struct ck_predict_window *w = c->w;
    const struct ck_predict_slot *slot = &w->slots[w->items[e->item].slot];
    for (uint32_t i = slot->first_item; i < slot->first_item + slot->item_count; i++)
        for (uint32_t k = 0; k < w->items[i].count; k++) {
            const struct mm_event *other = &w->events[w->items[i].events[k]].event;
            if (other->kind == CK_PREDICT_CONDITION && other->instance == e->event.instance &&
                !require_event(c, w->items[i].events[k]))
                return false;
        }
    return true;
}

/* The fixed order requires the sources of edges, the start of the command, and for its end its work-items. */
static bool require_order(struct cut_search *c, uint32_t index)
{
    const struct ck_predict_window *w = c->w;
    const struct ck_predict_event *e = &w->events[index];
    const struct ck_predict_slot *slot = &w->slots[w->items[e->item].slot];
    uint32_t first, n = ck_predict_edges(w, index, &first);
    for (uint32_t k = 0; k < n; k++)
        if (!require_event(c, w->edges[first + k].from))
            return false;
    if (slot->start != CK_NO_EVENT && slot->start != index && e->event.agent.index != MM_INDEX_RUNTIME &&
        !require_event(c, slot->start))
        return false;
    for (uint32_t i = slot->first_item;
         e->event.kind == MM_COMMAND_END && i < slot->first_item + slot->item_count; i++)
        if (i != e->item && !require_event(c, w->items[i].events[w->items[i].count - 1]))
            return false;
    return true;
}

static bool require_item(struct cut_search *c, uint32_t item)
{
    const struct ck_predict_window *w = c->w;
    for (uint32_t k = 0; k < c->pair->cut[item]; k++) {
        uint32_t index = w->items[item].events[k];
        const struct ck_predict_event *e = &w->events[index];
        if (e->event.kind == MM_BARRIER_EXIT && !require_barrier(c, e))
            return false;
        if (e->event.kind == CK_PREDICT_CONDITION && e->event.instance && !require_meeting(c, e))
            return false;
        if (!require_order(c, index))
            return false;
        if (e->writer != CK_NO_EVENT && !ck_predict_is_last(w, c->pair, index) && c->pair->free[index])
            require_event(c, e->writer);
    }
    return true;
}

/* ---- free and fixed reads ---------------------------------------------------------------------- */

struct constraining {
    struct ck_predictor *p;
    const struct ck_predict_window *w;
    struct ck_predict_pair *pair;
    bool opaque;  /* the current term is opaque, so that the reads it depends on are fixed */
    bool changed; /* the fixpoint is not reached yet */
};

/* Raises the constraint on a read to at least HOW.  An unknown initial value never equals a read value, so
 * reads of places with unknown values are fixed. */
static void constrain_read(struct constraining *f, uint32_t event, enum ck_predict_free how)
{
    uint32_t place = f->w->events[event].place;
    if (place != CK_PREDICT_NO_PLACE && f->w->places[place].unknown)
        how = CK_PREDICT_FIXED;
    if (f->pair->free[event] >= how)
        return;
    f->pair->free[event] = (uint8_t)how;
    f->changed = true;
}

static void constrain_leaf(void *context, uint32_t event)
{
    struct constraining *f = context;
    constrain_read(f, event, f->opaque ? CK_PREDICT_FIXED : CK_PREDICT_BOUND);
}

/* Constrains the reads that TERM of E's agent depends on. */
static void constrain_term(struct constraining *f, const struct ck_predict_event *e, uint32_t term)
{
    uint32_t command = e->event.agent.command;
    f->opaque = ck_predict_term(f->p, command, term)->opaque;
    ck_predict_leaves(f->p, command, term, constrain_leaf, f);
}

static bool is_opaque(const struct constraining *f, const struct ck_predict_event *e, uint32_t term)
{
    return ck_predict_term(f->p, e->event.agent.command, term)->opaque;
}

/* Fixes a read without a term; constrains a compare-exchange, whose result decides whether it writes. */
static void constrain_own_read(struct constraining *f, uint32_t index)
{
    const struct ck_predict_event *e = &f->w->events[index];
    bool racing = ck_predict_is_last(f->w, f->pair, index);
    if (mm_reads(&e->event) && !racing && (!e->read || e->event.attributes & MM_NO_VALUE))
        constrain_read(f, index, CK_PREDICT_FIXED);
    if (e->update != MM_UPDATE_COMPARE)
        return;
    constrain_term(f, e, e->compared);
    constrain_read(f, index, is_opaque(f, e, e->compared) ? CK_PREDICT_FIXED : CK_PREDICT_BOUND);
}

/* Constrains the reads that the value written by event INDEX depends on. */
static void constrain_written(struct constraining *f, uint32_t index)
{
    const struct ck_predict_event *e = &f->w->events[index];
    bool replaces =
        e->event.kind == MM_WRITE || e->update == MM_UPDATE_EXCHANGE || e->update == MM_UPDATE_COMPARE;
    bool adds = e->update == MM_UPDATE_ADD || e->update == MM_UPDATE_SUB;
    constrain_term(f, e, e->written);
    if (!replaces)
        constrain_read(f, index, !adds && is_opaque(f, e, e->written) ? CK_PREDICT_FIXED : CK_PREDICT_BOUND);
}

/* Constrains the reads that decide event INDEX of the cut: a condition, or the value of a relevant access. */
static void constrain_event(struct constraining *f, uint32_t index)
{
    const struct ck_predict_event *e = &f->w->events[index];
    if (e->event.kind == CK_PREDICT_CONDITION && e->read)
        constrain_term(f, e, e->read);
    if (e->place == CK_PREDICT_NO_PLACE)
        return;
    constrain_own_read(f, index);
    if (mm_reads(&e->event) && f->pair->free[index] && !f->pair->matters[e->place]) {
        f->pair->matters[e->place] = true;
        f->changed = true;
    }
    if (mm_writes(&e->event) && f->pair->matters[e->place])
        constrain_written(f, index);
}

/* Fixpoint: reads are constrained if a condition depends on them, or a write to a place of such a read. */
static void find_constrained_reads(struct ck_predictor *p, const struct ck_predict_window *w,
                                   struct ck_predict_pair *pair)
{
    struct constraining f = {p, w, pair, false, true};
    memset(pair->free, CK_PREDICT_FREE, w->count * sizeof *pair->free);
    for (uint32_t i = 0; i < w->place_count; i++)
        pair->matters[i] = pair->assertion && ck_assertion_names(pair->assertion, p, &w->places[i]);
    while (f.changed) {
        f.changed = false;
        for (uint32_t i = 0; i < w->item_count; i++)
            for (uint32_t k = 0; k < pair->cut[i]; k++)
                constrain_event(&f, w->items[i].events[k]);
    }
}

bool ck_predict_pair_create(const struct ck_predict_window *w, struct ck_predict_pair *pair)
{
    pair->cut = mm_alloc_zero(w->item_count + 1, sizeof *pair->cut);
    pair->free = mm_alloc_zero(w->count + 1, sizeof *pair->free);
    pair->matters = mm_alloc_zero(w->place_count + 1, sizeof *pair->matters);
    pair->read = mm_alloc_zero(w->count + 1, sizeof *pair->read);
    pair->written = mm_alloc_zero(w->count + 1, sizeof *pair->written);
    for (uint32_t i = 0; i < w->count && pair->read && pair->written; i++) {
        pair->read[i] = w->events[i].event.value_read;
        pair->written[i] = w->events[i].event.value_written;
    }
    return pair->cut && pair->free && pair->matters && pair->read && pair->written;
}

void ck_predict_pair_destroy(struct ck_predict_pair *pair)
{
    mm_free(pair->cut);
    mm_free(pair->free);
    mm_free(pair->matters);
    mm_free(pair->read);
    mm_free(pair->written);
}

bool ck_predict_find_cut(struct ck_predictor *p, const struct ck_predict_window *w,
                         struct ck_predict_pair *pair)
{
    struct cut_search c = {w, pair, true};
    for (uint32_t i = 0; i < w->item_count; i++)
        pair->cut[i] = pair->assertion ? w->items[i].count : 0;
    find_constrained_reads(p, w, pair);
    if (pair->assertion)
        return true;
    pair->stopped = false;
    pair->cut[w->events[pair->a].item] = ck_predict_position(w, pair->a) + 1;
    pair->cut[w->events[pair->b].item] = ck_predict_position(w, pair->b) + 1;
    while (c.changed) {
        c.changed = false;
        find_constrained_reads(p, w, pair);
        for (uint32_t i = 0; i < w->item_count; i++)
            if (!require_item(&c, i))
                return false;
    }
    return true;
}

/* ---- relevant events -------------------------------------------------------------------------- */

/* True if EVENT is beyond the cut. */
static bool is_beyond_cut(const struct ck_predict_window *w, const struct ck_predict_pair *pair,
                          uint32_t event)
{
    return event != CK_NO_EVENT && ck_predict_position(w, event) >= pair->cut[w->events[event].item];
}

/* True if the value that E writes depends on a read of the window. */
static bool may_differ(const struct ck_predictor *p, const struct ck_predict_event *e)
{
    return mm_writes(&e->event) &&
           ck_predict_term(p, e->event.agent.command, e->written)->window == p->window_number;
}

/* Relevant places: those that two agents access within the cut, one of them writing; those with a constrained
 * read whose recorded source is beyond the cut; and those of constrained reads whose values may differ. */
static void mark_relevant_places(const struct ck_predictor *p, const struct ck_predict_window *w,
                                 const struct ck_predict_pair *pair, uint32_t *owner, bool *used)
{
    for (uint32_t i = 0; i < w->place_count; i++)
        owner[i] = CK_PREDICT_NO_ITEM;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < w->item_count; i++)
            for (uint32_t k = 0; k < pair->cut[i]; k++) {
                const struct ck_predict_event *e = &w->events[w->items[i].events[k]];
                if (e->place == CK_PREDICT_NO_PLACE)
                    continue;
                if (pass == 0 && mm_reads(&e->event) && is_beyond_cut(w, pair, e->writer) &&
                    pair->free[w->items[i].events[k]])
                    used[e->place] = true;
                if (pass == 0 && pair->matters[e->place] && may_differ(p, e))
                    used[e->place] = true;
                if (pass == 0 && mm_writes(&e->event))
                    owner[e->place] = i;
                else if (pass == 1 && owner[e->place] != CK_PREDICT_NO_ITEM && owner[e->place] != i)
                    used[e->place] = true;
            }
}

static uint32_t select_item(const struct ck_predict_window *w, const struct ck_predict_item *item,
                            uint32_t cut, const bool *used, bool *kept)
{
    uint32_t count = 0;
    bool active = false;
    for (uint32_t k = 0; k < cut; k++) {
        const struct ck_predict_event *e = &w->events[item->events[k]];
        active |= e->place != CK_PREDICT_NO_PLACE && used[e->place];
    }
    for (uint32_t k = 0; active && k < cut; k++) {
        const struct ck_predict_event *e = &w->events[item->events[k]];
        bool keep = e->place == CK_PREDICT_NO_PLACE ? ck_predict_is_fence(&e->event) : used[e->place];
        kept[item->events[k]] = keep;
        count += keep;
    }
    return count;
}

uint32_t ck_predict_select(const struct ck_predictor *p, const struct ck_predict_window *w,
                           const struct ck_predict_pair *pair, bool *kept)
{
    uint32_t *owner = mm_alloc((w->place_count + 1) * sizeof *owner), count = 0;
    bool *used = mm_alloc_zero(w->place_count + 1, sizeof *used);
    memset(kept, 0, w->count * sizeof *kept);
    if (owner && used)
        mark_relevant_places(p, w, pair, owner, used);
    for (uint32_t i = 0; owner && used && i < w->item_count; i++)
        count += select_item(w, &w->items[i], pair->cut[i], used, kept);
    mm_free(owner);
    mm_free(used);
    return count;
}

void ck_predict_initial(const struct ck_predict_window *w, uint32_t place, uint8_t *bytes)
{
    const struct ck_predict_place *p = &w->places[place];
    uint64_t size = p->to - p->from;
    memset(bytes, 0xa5, size);
    for (uint32_t i = w->count;
         i-- > 0;) { /* backwards, so that the first access to each byte is entered last and decides */
        const struct ck_predict_event *e = &w->events[i];
        bool reads = e->event.kind != MM_WRITE && !(e->event.attributes & MM_NO_VALUE);
        if (e->place != place)
            continue;
        uint64_t value = e->known ? e->before : e->event.value_read;
        for (uint32_t b = 0; b < e->event.size; b++)
            bytes[e->event.offset - p->from + b] =
                b < 8 && (e->known || reads) ? (uint8_t)(value >> (8 * b)) : 0xa5;
    }
}
