/* The candidate writes of a read and the candidate positions of a write in modification order
 * (docs/weak-memory.md#reads-and-writes). [CL 3.3.6 G6, G16-G23, A7-A10, A12-A15, A17]
 *
 * The order in which seq_cst operations are executed is their total order S: it agrees with happens-before
 * and with modification order, because a seq_cst write is placed after the writes that precede it in S. */
#include "history.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include <string.h>

#define IN_NEWEST 2 /* one choice in two takes the newest candidate */

uint64_t in_weak_random(struct in_weak *w)
{
    return mm_random_next(&w->random);
}

struct access {
    struct in_run *run;
    struct in_weak *w;
    struct in_item *item;
    struct in_weak_item *state;
    struct in_cell *cell;
    uint8_t mask;
    int region;
    bool atomic;
};

static const struct in_group *group_of(const struct in_item *item, const struct in_object *object)
{
    return object->region == MM_LOCAL ? item->group : NULL;
}

static uint32_t cell_bound(const struct access *x)
{
    return in_cell_bound(x->cell, x->state->view[x->region], x->mask);
}

/* True if the write M, or a later fence of its writer, precedes the last seq_cst fence of this work-item in
 * S. */
static bool precedes_last_fence(const struct access *x, const struct in_message *m)
{
    uint64_t fenced = x->atomic ? x->state->fenced : 0;
    return fenced != 0 && ((m->seq_cst && m->serial <= fenced) || (m->fenced != 0 && m->fenced <= fenced));
}

/* Whether a read may return the write at INDEX, which its view permits. */
static bool may_read(const struct access *x, uint32_t index, bool seq_cst)
{
    const struct in_cell *c = x->cell;
    uint32_t from = in_cell_last(c, index, x->mask);
    for (uint32_t k = index + 1; k < c->count; k++) {
        const struct in_message *m = &c->messages[k];
        if (!(m->mask & x->mask))
            continue;
        if (precedes_last_fence(x, m) || (seq_cst && m->fenced != 0))
            return false;
        if (seq_cst && m->seq_cst && (c->messages[from].seq_cst || in_cell_index(c, m->seen) >= from))
            return false;
    }
    return true;
}

/* Whether a write may be inserted at INDEX, which is after its view. */
static bool may_write(const struct access *x, uint32_t index, bool seq_cst)
{
    const struct in_cell *c = x->cell;
    bool first = true;
    for (uint32_t k = index; k < c->count; k++) {
        const struct in_message *m = &c->messages[k];
        if (!(m->mask & x->mask))
            continue;
        if ((first && m->rmw) || (seq_cst && m->seq_cst))
            return false;
        if (x->atomic && x->state->fenced != 0 && m->fenced != 0 && m->fenced <= x->state->fenced)
            return false;
        first = false;
    }
    return true;
}

static void raise_view(const struct access *x, uint64_t serial)
{
    for (int half = 0; half < 2 && serial != 0; half++)
        if (x->mask & in_half_mask(half))
            in_view_set(&x->state->view[x->region], in_half_key(x->cell, half), serial);
}

/* Chooses one of the COUNT candidates, of which the last is the newest. */
static uint32_t choose_candidate(struct in_weak *w, const uint32_t *places, uint32_t count)
{
    if (count == 1 || in_weak_random(w) % IN_NEWEST == 0)
        return places[count - 1];
    return places[in_weak_random(w) % count];
}

/* ---- for the record --------------------------------------------------------------------------- */

static const struct in_message *last_recorded(const struct in_cell *c, uint8_t mask)
{
    const struct in_message *last = &c->messages[0];
    for (uint32_t k = 1; k < c->count; k++)
        if (c->messages[k].mask & mask && c->messages[k].serial > last->serial)
            last = &c->messages[k];
    return last;
}

static void note_read(const struct access *x, uint32_t from)
{
    const struct in_message *m = &x->cell->messages[from];
    x->w->last.flowed = m != last_recorded(x->cell, x->mask);
    x->w->last.from = m->event;
}

static void note_write(const struct access *x, uint32_t index)
{
    const struct in_cell *c = x->cell;
    x->w->last.wrote = true;
    x->w->last.cell = x->cell;
    x->w->last.serial = c->messages[index].serial;
    x->w->last.placed = in_cell_last(c, c->count - 1, x->mask) != index;
    x->w->last.after = c->messages[in_cell_last(c, index - 1, x->mask)].event;
}

/* ---- plain accesses --------------------------------------------------------------------------- */

static bool access_begin(struct access *x, struct in_run *run, struct in_item *item,
                         const struct in_object *object)
{
    *x = (struct access){.run = run, .w = run->weak, .item = item, .region = in_region_of(object)};
    x->state = in_weak_item(run, item);
    memset(&x->w->last, 0, sizeof x->w->last);
    return x->state && !x->w->failed;
}

/* Mask of the bytes of [address, address + size) in the cell at address CELL. */
static uint8_t bytes_in_cell(uint64_t cell, uint64_t address, uint64_t size)
{
    uint64_t from = address > cell ? address - cell : 0;
    uint64_t to = address + size - cell < 8 ? address + size - cell : 8;
    return (uint8_t)((0xff << from) & (0xff >> (8 - to)));
}

static uint64_t read_cell(struct access *x)
{
    uint32_t places[64], count = 0;
    in_cell_refresh(x->w, x->cell, x->mask);
    uint32_t low = cell_bound(x);
    for (uint32_t k = low; k < x->cell->count && count < 64; k++)
        if (k == low || x->cell->messages[k].mask & x->mask)
            places[count++] = k;
    uint32_t at = choose_candidate(x->w, places, count), from = in_cell_last(x->cell, at, x->mask);
    note_read(x, from);
    raise_view(x, x->cell->messages[from].serial);
    return in_cell_value(x->cell, at, x->mask);
}

bool in_weak_scratch(struct in_weak *w, uint64_t size)
{
    return mm_reserve(&w->scratch, &w->scratch_size, size);
}

const uint8_t *in_weak_read(struct in_run *run, struct in_item *item, const struct in_object *object,
                            uint64_t address, uint64_t size)
{
    struct access x;
    const uint8_t *memory = (const uint8_t *)(uintptr_t)address;
    uint64_t first = address & ~UINT64_C(7);
    bool any = false;
    if (run->launch.oracle)
        return in_oracle_read(run, item, object, address, size);
    if (!access_begin(&x, run, item, object) || !in_weak_scratch(x.w, size))
        return memory;
    for (uint64_t at = first; at < address + size; at += 8) {
        x.cell = in_cell_find(x.w, at);
        if (!x.cell)
            continue;
        if (!any)
            memcpy(x.w->scratch, memory, size);
        any = true;
        x.mask = bytes_in_cell(at, address, size);
        x.cell = in_cell_at(x.w, group_of(item, object), at, x.mask);
        uint64_t value = read_cell(&x);
        for (uint64_t b = 0; b < 8; b++)
            if (x.mask >> b & 1)
                x.w->scratch[at + b - address] = (uint8_t)(value >> (8 * b));
    }
    return any ? x.w->scratch : memory;
}

void in_weak_write_begin(struct in_run *run, struct in_item *item, const struct in_object *object,
                         uint64_t address, uint64_t size)
{
    struct in_weak *w = run->weak;
    if (run->launch.oracle)
        return;
    for (uint64_t at = address & ~UINT64_C(7); at < address + size && !w->failed; at += 8) {
        uint8_t mask = bytes_in_cell(at, address, size);
        struct in_cell *c = in_cell_at(w, group_of(item, object), at, mask);
        if (c)
            in_cell_refresh(w, c, mask);
    }
}

void in_weak_write_end(struct in_run *run, struct in_item *item, const struct in_object *object,
                       uint64_t address, uint64_t size)
{
    struct access x;
    if (run->launch.oracle) {
        in_oracle_wrote(run, item, object, address, size, (const void *)(uintptr_t)address);
        return;
    }
    if (!access_begin(&x, run, item, object))
        return;
    for (uint64_t at = address & ~UINT64_C(7); at < address + size; at += 8) {
        uint64_t value = 0;
        x.mask = bytes_in_cell(at, address, size);
        x.cell = in_cell_at(x.w, group_of(item, object), at, x.mask);
        if (!x.cell)
            return;
        for (int b = 0; b < 8; b++)
            if (x.mask >> b & 1)
                value |= (uint64_t) * (const uint8_t *)(uintptr_t)(at + (uint64_t)b) << (8 * b);
        uint64_t seen = x.cell->messages[in_cell_last(x.cell, cell_bound(&x), x.mask)].serial;
        uint32_t index = x.cell->count;
        struct in_message *m = in_cell_insert(x.w, x.cell, index, x.mask, value);
        if (!m)
            return;
        m->agent = item->agent;
        m->seen = seen;
        raise_view(&x, m->serial);
        note_write(&x, index);
    }
}

/* ---- atomic operations ------------------------------------------------------------------------ */

/* A candidate: read the write at PLACE, insert the own write at INDEX. */
struct candidate {
    uint32_t place, index;
    bool writes;
};

static bool is_seq_cst(const struct in_weak_atomic *a, bool writes)
{
    bool load = !a->result;
    return (writes || load ? a->order : a->order_failed) == MM_SEQ_CST;
}

static uint32_t read_candidates(const struct access *x, const struct in_weak_atomic *a,
                                struct candidate *candidates)
{
    uint32_t count = 0, low = cell_bound(x);
    for (uint32_t k = low; k < x->cell->count && count < 64; k++) {
        if (k != low && !(x->cell->messages[k].mask & x->mask))
            continue;
        bool writes = a->result != NULL;
        uint64_t shift = 8 * (a->address & 7), old = in_cell_value(x->cell, k, x->mask) >> shift;
        if (writes)
            a->result(a->context, old, &writes);
        bool seq_cst = is_seq_cst(a, writes);
        if (may_read(x, k, seq_cst) && (!writes || may_write(x, k + 1, seq_cst)))
            candidates[count++] = (struct candidate){k, k + 1, writes};
    }
    return count;
}

static uint32_t write_candidates(const struct access *x, const struct in_weak_atomic *a,
                                 struct candidate *candidates)
{
    uint32_t count = 0, low = cell_bound(x);
    for (uint32_t k = low; k < x->cell->count && count < 64; k++) {
        bool last = k + 1 == x->cell->count;
        if (!last && !(x->cell->messages[k + 1].mask & x->mask))
            continue;
        if (may_write(x, k + 1, a->order == MM_SEQ_CST))
            candidates[count++] = (struct candidate){k, k + 1, true};
    }
    return count;
}

static bool exchange_memory(uint64_t address, uint32_t size, uint64_t expected, uint64_t value)
{
    void *m = (void *)(uintptr_t)address;
    switch (size) {
    case 1:
        return __atomic_compare_exchange_n((uint8_t *)m, &(uint8_t){(uint8_t)expected}, (uint8_t)value, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    case 2:
        return __atomic_compare_exchange_n((uint16_t *)m, &(uint16_t){(uint16_t)expected}, (uint16_t)value,
                                           false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_compare_exchange_n((uint32_t *)m, &(uint32_t){(uint32_t)expected}, (uint32_t)value,
                                           false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    default:
        return __atomic_compare_exchange_n((uint64_t *)m, &expected, value, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST);
    }
}

/* Updates memory, which holds the last write to each byte. */
static bool store_last(const struct access *x, const struct in_weak_atomic *a, uint32_t index, uint64_t value)
{
    uint8_t mask = x->mask, shift = (uint8_t)(8 * (a->address & 7));
    for (uint32_t k = index; k < x->cell->count; k++)
        mask &= (uint8_t)~x->cell->messages[k].mask;
    if (mask == x->mask)
        return exchange_memory(a->address, a->size, in_cell_value(x->cell, x->cell->count - 1, mask) >> shift,
                               value);
    for (int b = 0; b < 8; b++)
        if (mask >> b & 1)
            *(uint8_t *)(uintptr_t)(x->cell->address + (uint64_t)b) = (uint8_t)(value << shift >> (8 * b));
    return true;
}

/* Remembers the write until the next seq_cst fence.  If the list is full, its oldest write counts as fenced,
 * which only removes outcomes. */
static void note_atomic_write(const struct access *x, struct in_message *m)
{
    struct in_weak_item *state = x->state;
    const uint32_t most = sizeof state->writes / sizeof *state->writes;
    if (state->write_count == most) {
        struct in_cell *cell = in_cell_of_id(x->w, state->writes[0].cell);
        uint32_t at = cell ? in_cell_index(cell, state->writes[0].serial) : 0;
        if (cell && cell->messages[at].serial == state->writes[0].serial)
            cell->messages[at].fenced = m->serial;
        memmove(state->writes, state->writes + 1, (most - 1) * sizeof *state->writes);
        state->write_count--;
    }
    state->writes[state->write_count++] = (struct in_write){x->cell->id, m->serial};
}

static void write_at(struct access *x, struct in_weak_atomic *a, const struct candidate *chosen)
{
    uint64_t seen = x->cell->messages[in_cell_last(x->cell, cell_bound(x), x->mask)].serial;
    struct in_message *m =
        in_cell_insert(x->w, x->cell, chosen->index, x->mask, a->written << (8 * (a->address & 7)));
    if (!m)
        return;
    m->agent = x->item->agent;
    m->seen = seen;
    m->atomic = true;
    m->seq_cst = a->order == MM_SEQ_CST;
    m->rmw = !a->store;
    raise_view(x, m->serial);
    note_write(x, chosen->index);
    note_atomic_write(x, m);
    in_sync_release(x->run, x->item, a, m);
}

static bool attempt_atomic(struct access *x, struct in_weak_atomic *a)
{
    struct candidate candidates[64];
    uint32_t places[64];
    in_cell_refresh(x->w, x->cell, x->mask);
    uint32_t count = a->store ? write_candidates(x, a, candidates) : read_candidates(x, a, candidates);
    for (uint32_t k = 0; k < count; k++)
        places[k] = k;
    const struct candidate *chosen = &candidates[count > 0 ? choose_candidate(x->w, places, count) : 0];
    if (count == 0)
        return false;
    uint64_t shift = 8 * (a->address & 7);
    a->old = in_cell_value(x->cell, chosen->place, x->mask) >> shift;
    a->written = a->old;
    a->wrote = chosen->writes;
    if (a->result)
        a->written = a->result(a->context, a->old, &a->wrote);
    if (chosen->writes && !store_last(x, a, chosen->index, a->written))
        return false; /* a host thread changed memory first: retry */
    if (!a->store) {
        uint32_t from = in_cell_last(x->cell, chosen->place, x->mask);
        note_read(x, from);
        raise_view(x, x->cell->messages[from].serial);
        in_sync_acquire(x->run, x->item, a, x->cell, from, x->mask);
    }
    if (chosen->writes)
        write_at(x, a, chosen);
    return true;
}

void in_weak_atomic(struct in_run *run, struct in_item *item, struct in_weak_atomic *a)
{
    struct access x;
    uint64_t at = a->address & ~UINT64_C(7);
    if (run->launch.oracle) {
        in_oracle_atomic(run, item, a);
        return;
    }
    bool ready = access_begin(&x, run, item, a->object);
    x.atomic = true;
    x.mask = bytes_in_cell(at, a->address, a->size);
    x.cell = ready ? in_cell_at(x.w, group_of(item, a->object), at, x.mask) : NULL;
    while (x.cell && !x.w->failed && !attempt_atomic(&x, a))
        ;
    a->failed = !x.cell || x.w->failed;
}

/* ---- recording -------------------------------------------------------------------------------- */

mm_event_id in_weak_record(struct in_run *run, struct mm_edge *edges, size_t count)
{
    struct mm_event event = run->recording.events[run->recording.event_count - 1];
    for (size_t k = 0; k < count; k++)
        if (edges[k].from == MM_NO_EVENT)
            edges[k].from = run->weak->start;
    run->recording.event_count--;
    in_record_flush(run);
    return mm_recorder_event(run->launch.recorder, &event, edges, count);
}

void in_weak_recorded(struct in_run *run)
{
    struct in_weak *w = run->weak;
    struct mm_edge edges[2];
    size_t count = 0;
    if (run->launch.oracle) {
        in_oracle_recorded(run);
        return;
    }
    if (w->last.flowed)
        edges[count++] =
            (struct mm_edge){.from = w->last.from,
                             .kind = MM_EDGE_RF,
                             .byte_count = run->recording.events[run->recording.event_count - 1].size};
    if (w->last.wrote && w->last.placed)
        edges[count++] = (struct mm_edge){.from = w->last.after, .kind = MM_EDGE_CO};
    mm_event_id id = in_weak_record(run, edges, count);
    if (!w->last.wrote || w->last.cell->id == 0)
        return;
    uint32_t at = in_cell_index(w->last.cell, w->last.serial);
    if (w->last.cell->messages[at].serial == w->last.serial)
        w->last.cell->messages[at].event = id;
}
