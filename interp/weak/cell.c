/* Cells: the history of writes to eight bytes of memory, in modification order (docs/weak-memory.md#cells).
 * [CL 3.3.6 G5] */
#include "history.h"
#include "memmodel/base/array.h"
#include <string.h>

#define IN_CELLS_MOST    200000 /* cells; beyond it all histories are discarded */
#define IN_MESSAGES_MOST 1500000
#define IN_HISTORY_MOST  48 /* writes per history; beyond it the oldest half is discarded */

/* ---- table of cells --------------------------------------------------------------------------- */

struct in_cell *in_cell_find(struct in_weak *w, uint64_t address)
{
    uint64_t number = mm_map_get(&w->numbers, address);
    return number != 0 ? w->cells[number - 1] : NULL;
}

struct in_cell *in_cell_of_id(const struct in_weak *w, uint64_t id)
{
    uint32_t index = (uint32_t)id;
    return index <= w->cell_used && index > 0 && w->cells[index - 1]->id == id ? w->cells[index - 1] : NULL;
}

/* ---- creation and end ------------------------------------------------------------------------- */

static void drop_offers(struct in_message *m)
{
    while (m->offers) {
        struct in_offer *o = m->offers;
        m->offers = o->next;
        in_view_drop(o->view);
        in_view_drop(o->other);
        mm_free(o);
    }
}

static void free_cell(struct in_weak *w, uint32_t index)
{
    struct in_cell *c = w->cells[index];
    mm_map_remove(&w->numbers, c->address, index + 1);
    for (uint32_t k = 0; k < c->count; k++)
        drop_offers(&c->messages[k]);
    w->messages -= c->count;
    c->count = c->oldest = 0;
    c->id = 0;
    c->next_free = w->free_cells;
    w->free_cells = index + 1;
    w->cell_count--;
}

static bool reserve_cell(struct in_weak *w)
{
    if (w->free_cells != 0)
        return true;
    struct in_cell *c = mm_alloc_zero(1, sizeof *c);
    if (!c || !mm_append(&w->cells, &w->cell_used, &c)) {
        mm_free(c);
        return false;
    }
    c->next_free = w->free_cells;
    w->free_cells = w->cell_used;
    return true;
}

static bool make_room(struct in_cell *c)
{
    return mm_reserve(&c->messages, &c->capacity, c->count + UINT64_C(1));
}

static void note_local(struct in_weak *w, const struct in_group *group, uint32_t index)
{
    struct in_local_cells *l = w->locals, *end = w->locals + w->local_count;
    while (l < end && l->group != group)
        l++;
    if (l == end) {
        l = mm_add(&w->locals, &w->local_count);
        if (!l)
            return;
        l->group = group;
    }
    w->cells[index]->next_local = l->first;
    l->first = index + 1;
}

static void clear_cells(struct in_weak *w)
{
    for (uint32_t k = 0; k < w->cell_used; k++)
        if (w->cells[k]->id != 0)
            free_cell(w, k);
    w->local_count = 0;
    memset(&w->last, 0, sizeof w->last);
}

static struct in_cell *new_cell(struct in_weak *w, const struct in_group *group, uint64_t address)
{
    if (w->cell_count >= IN_CELLS_MOST || w->messages >= IN_MESSAGES_MOST)
        clear_cells(w);
    if (!reserve_cell(w))
        return NULL;
    uint32_t index = w->free_cells - 1;
    struct in_cell *c = w->cells[index];
    if (!make_room(c) || !mm_map_put(&w->numbers, address, index + 1))
        return NULL;
    w->free_cells = c->next_free;
    c->address = address;
    c->id = ++w->generation << 32 | (index + 1);
    c->known = 0;
    c->count = 1;
    c->oldest = 0;
    c->next_local = 0;
    c->messages[0] = (struct in_message){.mask = 0xff, .agent = UINT32_MAX, .event = MM_NO_EVENT};
    w->messages++;
    w->cell_count++;
    if (group)
        note_local(w, group, index);
    return c;
}

static uint8_t memory_byte(const struct in_cell *c, int byte)
{
    return __atomic_load_n((const uint8_t *)(uintptr_t)(c->address + (uint64_t)byte), __ATOMIC_RELAXED);
}

struct in_cell *in_cell_at(struct in_weak *w, const struct in_group *group, uint64_t address, uint8_t mask)
{
    struct in_cell *c = in_cell_find(w, address);
    if (!c)
        c = new_cell(w, group, address);
    if (!c) {
        w->failed = true;
        return NULL;
    }
    for (int b = 0; b < 8; b++)
        if (mask & ~c->known & 1 << b)
            c->messages[0].value |= (uint64_t)memory_byte(c, b) << (8 * b);
    c->known |= mask;
    return c;
}

void in_cells_forget(struct in_weak *w, const struct in_group *group)
{
    for (uint32_t k = 0; k < w->local_count; k++) {
        if (w->locals[k].group != group)
            continue;
        for (uint32_t i = w->locals[k].first, next; i != 0; i = next) {
            next = w->cells[i - 1]->next_local;
            free_cell(w, i - 1);
        }
        w->locals[k] = w->locals[--w->local_count];
        return;
    }
}

void in_cells_destroy(struct in_weak *w)
{
    clear_cells(w);
    for (uint32_t k = 0; k < w->cell_used; k++) {
        mm_free(w->cells[k]->messages);
        mm_free(w->cells[k]);
    }
    mm_free(w->cells);
    mm_map_clear(&w->numbers);
    mm_free(w->locals);
}

/* ---- contents --------------------------------------------------------------------------------- */

uint32_t in_cell_index(const struct in_cell *c, uint64_t serial)
{
    for (uint32_t k = c->count; k-- > 0;)
        if (c->messages[k].serial == serial)
            return k;
    return 0;
}

uint64_t in_cell_value(const struct in_cell *c, uint32_t index, uint8_t mask)
{
    uint64_t value = 0;
    for (uint32_t k = index + 1; k-- > 0 && mask != 0;) {
        const struct in_message *m = &c->messages[k];
        for (int b = 0; b < 8; b++)
            if (m->mask & mask & 1 << b)
                value |= m->value & UINT64_C(0xff) << (8 * b);
        mask &= (uint8_t)~m->mask;
    }
    return value;
}

uint32_t in_cell_last(const struct in_cell *c, uint32_t index, uint8_t mask)
{
    while (index > 0 && !(c->messages[index].mask & mask))
        index--;
    return index;
}

uint32_t in_cell_bound(const struct in_cell *c, const struct in_view *view, uint8_t mask)
{
    uint32_t bound = c->oldest;
    for (int half = 0; half < 2 && view; half++) {
        if (!(mask & in_half_mask(half)))
            continue;
        uint64_t serial = in_view_get(view, in_half_key(c, half));
        uint32_t at = serial != 0 ? in_cell_index(c, serial) : 0;
        bound = at > bound ? at : bound;
        for (uint32_t k = c->count; view->floor != 0 && k-- > bound + 1;)
            if (c->messages[k].serial <= view->floor && (c->messages[k].mask & mask))
                bound = k;
    }
    return bound;
}

void in_message_offer(struct in_weak *w, struct in_message *m, uint8_t slot, uint64_t key,
                      struct in_view *view, struct in_view *other)
{
    struct in_offer *o = m->offers;
    uint32_t count = 0;
    for (; o && (o->slot != slot || (o->key != key && o->key != ANY_KEY)); o = o->next)
        count++;
    if (!o && count >= 16) { /* merge two instances: more synchronization only removes outcomes */
        for (o = m->offers; o && o->slot != slot;)
            o = o->next;
        if (o)
            o->key = ANY_KEY;
    }
    if (!o) {
        o = mm_alloc_zero(1, sizeof *o);
        if (!o) {
            w->failed = true;
            return;
        }
        *o = (struct in_offer){.next = m->offers, .slot = slot, .key = key};
        m->offers = o;
    }
    in_view_join(w, &o->view, view);
    in_view_join(w, &o->other, other);
}

/* ---- shortening ------------------------------------------------------------------------------- */

/* Passes the synchronization of a discarded write to its successor in the release sequence. [CL 3.3.6 G7] */
static void pass_on_offers(struct in_weak *w, struct in_cell *c, uint32_t index)
{
    struct in_message *m = &c->messages[index];
    uint32_t next = index + 1;
    while (next < c->count && !(c->messages[next].mask & m->mask))
        next++;
    if (next == c->count || (!c->messages[next].rmw && c->messages[next].agent != m->agent))
        return;
    for (const struct in_offer *o = m->offers; o; o = o->next)
        in_message_offer(w, &c->messages[next], o->slot, o->key, o->view, o->other);
}

/* No read may return a write before CUT from now on.  Of those only the last write of each byte is kept. */
static void shorten_history(struct in_weak *w, struct in_cell *c, uint32_t cut)
{
    uint8_t covered = 0;
    bool keep[2 * IN_HISTORY_MOST + 16] = {false};
    for (uint32_t k = cut + 1; k-- > 0;) {
        keep[k] = (c->messages[k].mask & ~covered) != 0;
        covered |= c->messages[k].mask;
    }
    uint32_t to = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        if (k == cut)
            c->oldest = to;
        if (k <= cut && !keep[k] && k < cut) {
            pass_on_offers(w, c, k);
            drop_offers(&c->messages[k]);
            w->messages--;
            continue;
        }
        c->messages[to++] = c->messages[k];
    }
    c->count = to;
}

struct in_message *in_cell_insert(struct in_weak *w, struct in_cell *c, uint32_t index, uint8_t mask,
                                  uint64_t value)
{
    if (!make_room(c)) {
        w->failed = true;
        return NULL;
    }
    memmove(&c->messages[index + 1], &c->messages[index], (c->count - index) * sizeof *c->messages);
    c->messages[index] = (struct in_message){
        .value = value, .mask = mask, .serial = ++w->serial, .event = MM_NO_EVENT, .agent = UINT32_MAX};
    c->count++;
    w->messages++;
    return &c->messages[index];
}

/* ---- external writes -------------------------------------------------------------------------- */

void in_cell_refresh(struct in_weak *w, struct in_cell *c, uint8_t mask)
{
    uint64_t now = 0, have = in_cell_value(c, c->count - 1, mask);
    for (int b = 0; b < 8; b++)
        if (mask & 1 << b)
            now |= (uint64_t)memory_byte(c, b) << (8 * b);
    if (now != have) {
        struct in_view *all = in_view_of_all(w);
        struct in_message *m = in_cell_insert(w, c, c->count, mask, now);
        for (uint8_t slot = 0; m && slot < SLOTS; slot++)
            in_message_offer(w, m, slot, ANY_KEY, all, all);
        in_view_drop(all);
    }
    if (c->count > IN_HISTORY_MOST)
        shorten_history(w, c, c->count - IN_HISTORY_MOST / 2);
}
