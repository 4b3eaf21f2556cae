/* One question: what must have happened for two accesses to be reached, or for everybody to be at the end,
 * and which events matter to it.
 *
 * The agents of the two stop there; others come as far as values that were read, barriers, and the order of
 * commands demand.  Other reads return what they returned, so that everybody comes the same way; but for
 * those from which no way follows (MM_FREE_VALUE), nor a write that has to be what it was. */
#include "checker/predict.h"

#include <string.h>

struct closing {
    const struct ck_predict_window *w;
    struct ck_predict_pair *pair;
    bool changed;
};

/* EVENT happens.  False: its agent stops before that. */
static bool demand(struct closing *c, uint32_t event)
{
    const struct ck_predict_window *w = c->w;
    uint32_t item = w->events[event].item, at = ck_predict_position(w, event);
    if (c->pair->cut[item] > at)
        return true;
    if (item == w->events[c->pair->a].item || item == w->events[c->pair->b].item)
        return false;
    c->pair->cut[item] = at + 1;
    c->changed = true;
    return true;
}

static bool same_barrier(const struct mm_event *x, const struct mm_event *y)
{
    return x->instance == y->instance && x->effective_scope == y->effective_scope;
}

/* Who leaves a barrier has met all others there. */
static bool demand_barrier(struct closing *c, const struct ck_predict_event *exit)
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
            if (e->kind == MM_BARRIER_ENTRY && same_barrier(e, &exit->event) && !demand(c, other->events[k]))
                return false;
        }
    }
    return true;
}

/* What commands are ordered after: edges, their own start, the end of their work-items. */
static bool demand_order(struct closing *c, uint32_t index)
{
    const struct ck_predict_window *w = c->w;
    const struct ck_predict_event *e = &w->events[index];
    const struct ck_predict_slot *slot = &w->slots[w->items[e->item].slot];
    uint32_t first, n = ck_predict_edges(w, index, &first);
    for (uint32_t k = 0; k < n; k++)
        if (!demand(c, w->edges[first + k].from))
            return false;
    if (slot->start != UINT32_MAX && slot->start != index && e->event.agent.index != MM_INDEX_RUNTIME &&
        !demand(c, slot->start))
        return false;
    for (uint32_t i = slot->first_item;
         e->event.kind == MM_COMMAND_END && i < slot->first_item + slot->item_count; i++)
        if (i != e->item && !demand(c, w->items[i].events[w->items[i].count - 1]))
            return false;
    return true;
}

static bool demand_all(struct closing *c, uint32_t item)
{
    const struct ck_predict_window *w = c->w;
    for (uint32_t k = 0; k < c->pair->cut[item]; k++) {
        uint32_t index = w->items[item].events[k];
        const struct ck_predict_event *e = &w->events[index];
        if (e->event.kind == MM_BARRIER_EXIT && !demand_barrier(c, e))
            return false;
        if (!demand_order(c, index))
            return false;
        if (e->writer != UINT32_MAX && index != c->pair->a && index != c->pair->b && !c->pair->free[index])
            demand(c, e->writer);
    }
    return true;
}

/* ---- reads that may return something else ------------------------------------------------------ */

/* Those of ITEM, from the last on: none of which a later write follows whose place is FIXED, nor, of a
 * read-modify-write, its own. */
static bool free_of_item(const struct ck_predict_window *w, const struct ck_predict_pair *pair, uint32_t item,
                         bool *fixed)
{
    bool later = false, changed = false;
    for (uint32_t k = pair->cut[item]; k-- > 0;) {
        uint32_t index = w->items[item].events[k], place = w->events[index].place;
        const struct mm_event *e = &w->events[index].event;
        pair->free[index] = CK_PREDICT_SAME;
        if (place == UINT32_MAX || index == pair->a || index == pair->b)
            continue;
        bool is_free = e->attributes & MM_FREE_VALUE && !(e->attributes & MM_NO_VALUE);
        bool is_fixed = ck_predict_writes(e) && fixed[place];
        later |= is_fixed && !is_free;
        if (!ck_predict_reads(e))
            continue;
        pair->free[index] = is_free && !later && !is_fixed ? CK_PREDICT_FREE : CK_PREDICT_SAME;
        changed |= !pair->free[index] && !fixed[place];
        fixed[place] |= !pair->free[index];
    }
    return changed;
}

/* A place is fixed where somebody has to read what he read: those who write there write what they wrote.  For
 * an assertion about memory in the end all are. */
static bool find_free(const struct ck_predict_window *w, const struct ck_predict_pair *pair)
{
    bool *fixed = mm_alloc_zero(w->place_count + 1, sizeof *fixed), changed = fixed != NULL;
    if (fixed && pair->assertion)
        memset(fixed, true, w->place_count);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < w->item_count; i++)
            changed |= free_of_item(w, pair, i, fixed);
    }
    mm_free(fixed);
    return fixed != NULL;
}

bool ck_predict_close(const struct ck_predict_window *w, struct ck_predict_pair *pair)
{
    struct closing c = {w, pair, true};
    for (uint32_t i = 0; i < w->item_count; i++)
        pair->cut[i] = pair->assertion ? w->items[i].count : 0;
    if (pair->assertion)
        return find_free(w, pair);
    pair->cut[w->events[pair->a].item] = ck_predict_position(w, pair->a) + 1;
    pair->cut[w->events[pair->b].item] = ck_predict_position(w, pair->b) + 1;
    while (c.changed) {
        c.changed = false;
        if (!find_free(w, pair))
            return false;
        for (uint32_t i = 0; i < w->item_count; i++)
            if (!demand_all(&c, i))
                return false;
    }
    return true;
}

/* ---- what matters ----------------------------------------------------------------------------- */

/* EVENT does not happen before the two race. */
static bool is_cut(const struct ck_predict_window *w, const struct ck_predict_pair *pair, uint32_t event)
{
    return event != UINT32_MAX && ck_predict_position(w, event) >= pair->cut[w->events[event].item];
}

/* Places that two of those who take part use, one of them writing, or where somebody has read what then is
 * not written: the question's answer is no, unless others write the same. */
static void mark_places(const struct ck_predict_window *w, const struct ck_predict_pair *pair,
                        uint32_t *owner, bool *used)
{
    for (uint32_t i = 0; i < w->place_count; i++)
        owner[i] = UINT32_MAX;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < w->item_count; i++)
            for (uint32_t k = 0; k < pair->cut[i]; k++) {
                const struct ck_predict_event *e = &w->events[w->items[i].events[k]];
                if (e->place == UINT32_MAX)
                    continue;
                if (pass == 0 && e->event.kind != MM_WRITE && is_cut(w, pair, e->writer) &&
                    !pair->free[w->items[i].events[k]])
                    used[e->place] = true;
                if (pass == 0 && ck_predict_writes(&e->event))
                    owner[e->place] = i;
                else if (pass == 1 && owner[e->place] != UINT32_MAX && owner[e->place] != i)
                    used[e->place] = true;
            }
}

static uint32_t keep_item(const struct ck_predict_window *w, const struct ck_predict_item *item, uint32_t cut,
                          const bool *used, bool *kept)
{
    uint32_t count = 0;
    bool active = false;
    for (uint32_t k = 0; k < cut; k++) {
        const struct ck_predict_event *e = &w->events[item->events[k]];
        active |= e->place != UINT32_MAX && used[e->place];
    }
    for (uint32_t k = 0; active && k < cut; k++) {
        const struct ck_predict_event *e = &w->events[item->events[k]];
        bool keep = e->place == UINT32_MAX ? ck_predict_is_fence(&e->event) : used[e->place];
        kept[item->events[k]] = keep;
        count += keep;
    }
    return count;
}

uint32_t ck_predict_select(const struct ck_predict_window *w, const struct ck_predict_pair *pair, bool *kept)
{
    uint32_t *owner = mm_alloc((w->place_count + 1) * sizeof *owner), count = 0;
    bool *used = mm_alloc_zero(w->place_count + 1, sizeof *used);
    memset(kept, 0, w->count * sizeof *kept);
    if (owner && used)
        mark_places(w, pair, owner, used);
    for (uint32_t i = 0; owner && used && i < w->item_count; i++)
        count += keep_item(w, &w->items[i], pair->cut[i], used, kept);
    mm_free(owner);
    mm_free(used);
    return count;
}

void ck_predict_initial(const struct ck_predict_window *w, uint32_t place, uint8_t *bytes)
{
    const struct ck_predict_place *p = &w->places[place];
    uint64_t size = p->to - p->from;
    memset(bytes, 0xa5, size);
    for (uint32_t i = w->count; i-- > 0;) { /* the first that touches a byte is the last to say */
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
