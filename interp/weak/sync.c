/* Synchronizes-with over views: release sequences, inclusive scopes, fences and barriers
 * (docs/weak-memory.md#synchronization). [CL 3.3.5 O9-O15]
 * [CL 3.3.6 G7, G8, A4, A5, A11, F1-F7, W7, W8, B7, B8] */
#include "history.h"
#include "interp/fault.h"

/* ---- scopes ----------------------------------------------------------------------------------- */

/* SLOTS for work-item scope, which synchronizes with nothing. */
static uint8_t scope_slot(enum mm_scope scope)
{
    switch (scope) {
    case MM_SCOPE_WORK_ITEM:
        return SLOTS;
    case MM_SCOPE_SUB_GROUP:
        return SLOT_SUB_GROUP;
    case MM_SCOPE_WORK_GROUP:
        return SLOT_WORK_GROUP;
    case MM_SCOPE_ALL_SVM_DEVICES:
        return SLOT_ALL;
    default:
        return SLOT_DEVICE;
    }
}

/* The effective scope on this memory [CL 3.3.5 O10, O11] */
static uint8_t effective_slot(uint8_t slot, const struct in_object *object)
{
    bool shared = object->origin == MM_ORIGIN_FINE_SVM_ATOMICS || object->origin == MM_ORIGIN_SYSTEM_SVM;
    if (slot == SLOTS)
        return slot;
    if (object->region == MM_LOCAL)
        return slot > SLOT_WORK_GROUP ? SLOT_WORK_GROUP : slot;
    return slot == SLOT_ALL && !shared ? SLOT_DEVICE : slot;
}

static uint64_t slot_key(const struct in_run *run, const struct in_item *item, uint8_t slot)
{
    uint64_t group = item->agent / run->items_per_group;
    if (slot == SLOT_WORK_GROUP)
        return group;
    if (slot == SLOT_SUB_GROUP)
        return group << 20 | item->local_linear / run->launch.sub_group_size;
    return 0;
}

/* ---- acquire ---------------------------------------------------------------------------------- */

struct acquire {
    struct in_run *run;
    const struct in_item *item;
    struct in_weak_item *state;
    const struct in_object *object;
    uint8_t slot; /* of the operation; SLOTS: it is no acquire */
};

/* True if an acquire synchronizes with a release.  If scopes may differ [CL 3.3.5 O101], they are
 * inclusive if the narrower one includes both work-items: releases are published at all narrower scopes, and
 * an acquire joins those of its scope and of narrower ones. */
static bool slot_takes(const struct in_run *run, uint8_t slot, uint8_t offered)
{
    return slot == offered || (run->launch.wider_scopes && slot != SLOTS && slot > offered);
}

static void join_offers(const struct acquire *a, const struct in_message *m)
{
    int region = in_region_of(a->object);
    struct in_weak *w = a->run->weak;
    for (const struct in_offer *o = m->offers; o; o = o->next) {
        if (o->key != ANY_KEY && o->key != slot_key(a->run, a->item, o->slot))
            continue;
        for (uint8_t slot = 0; slot < SLOTS; slot++) {
            if (!slot_takes(a->run, effective_slot(slot, a->object), o->slot))
                continue;
            in_view_join(w, &a->state->pending[region][slot], o->view);
            in_view_join(w, &a->state->pending_other[region][slot], o->other);
        }
        if (slot_takes(a->run, a->slot, o->slot))
            in_view_join(w, &a->state->view[region], o->view);
    }
}

/* Joins the views of all release sequences that contain the write at INDEX: from the head on there are only
 * writes of the head's work-item and read-modify-writes. */
void in_sync_acquire(struct in_run *run, struct in_item *item, const struct in_weak_atomic *atomic,
                     const struct in_cell *cell, uint32_t index, uint8_t mask)
{
    struct acquire a = {run, item, in_weak_item(run, item), atomic->object, SLOTS};
    enum mm_order order = atomic->wrote || !atomic->result ? atomic->order : atomic->order_failed;
    bool partial = (cell->messages[index].mask & mask) != mask; /* it read several writes: all are joined */
    uint32_t only = UINT32_MAX;
    if (!a.state)
        return;
    if (mm_acquires(order))
        a.slot = effective_slot(scope_slot(atomic->scope), atomic->object);
    for (uint32_t k = index + 1; k-- > 0;) {
        const struct in_message *m = &cell->messages[k];
        if (!(m->mask & mask))
            continue;
        if (partial || only == UINT32_MAX || m->agent == only)
            join_offers(&a, m);
        if ((m->rmw && !IN_FAULTY(RELEASE_SEQUENCE_CUT)) || partial)
            continue;
        if (only != UINT32_MAX && m->agent != only)
            return;
        only = m->agent;
    }
}

/* ---- release ---------------------------------------------------------------------------------- */

static void offer_view(struct in_run *run, struct in_item *item, struct in_message *m, uint8_t slot,
                       struct in_view *view, struct in_view *other)
{
    for (uint8_t s = run->launch.wider_scopes ? SLOT_SUB_GROUP : slot; s <= slot; s++)
        in_message_offer(run->weak, m, s, slot_key(run, item, s), view, other);
}

void in_sync_release(struct in_run *run, struct in_item *item, const struct in_weak_atomic *a,
                     struct in_message *m)
{
    struct in_weak_item *state = in_weak_item(run, item);
    int region = in_region_of(a->object);
    for (uint8_t s = 0; state && s < SLOTS; s++) {
        uint8_t slot = effective_slot(s, a->object);
        if (state->release[region][s] || state->both[!region][s])
            offer_view(run, item, m, slot, state->release[region][s], state->both[!region][s]);
    }
    uint8_t slot = effective_slot(scope_slot(a->scope), a->object);
    if (state && mm_releases(a->order) && slot != SLOTS)
        offer_view(run, item, m, slot, state->view[region], NULL);
}

/* ---- fences ----------------------------------------------------------------------------------- */

/* A decoded fence, after seeded faults. */
struct fence {
    enum mm_order order;
    uint8_t slot, flags; /* a bit per region */
};

static struct fence decode_fence(uint32_t semantics, enum mm_scope scope, bool barrier)
{
    const uint32_t global = SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask;
    enum mm_order order = in_order_of(semantics);
    uint32_t flags = (semantics & global ? MM_FENCE_GLOBAL : 0) |
                     (semantics & SpvMemorySemanticsWorkgroupMemoryMask ? MM_FENCE_LOCAL : 0);
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0) && barrier)
        in_fault_barrier(&flags);
    else if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0))
        in_fault_fence(&order, &scope, &flags);
    return (struct fence){order, scope_slot(scope),
                          (uint8_t)((flags & MM_FENCE_GLOBAL ? 1 << GLOBAL_REGION : 0) |
                                    (flags & MM_FENCE_LOCAL ? 1 << LOCAL_REGION : 0))};
}

static void view_assign(struct in_view **to, struct in_view *view)
{
    struct in_view *old = *to;
    *to = in_view_share(view);
    in_view_drop(old);
}

/* Snapshots the views for the release sequences of later atomic writes. */
static void release_fence(struct in_weak_item *state, uint8_t flags, uint8_t slot)
{
    for (int r = 0; r < REGIONS; r++) {
        if (!(flags & 1 << r))
            continue;
        view_assign(&state->release[r][slot], state->view[r]);
        if (flags == 3)
            view_assign(&state->both[r][slot], state->view[r]);
    }
}

static void acquire_fence(struct in_weak *w, struct in_weak_item *state, uint8_t flags, uint8_t slot)
{
    for (int r = 0; r < REGIONS; r++) {
        if (!(flags & 1 << r))
            continue;
        in_view_join(w, &state->view[r], state->pending[r][slot]);
        if (flags == 3)
            in_view_join(w, &state->view[r], state->pending_other[!r][slot]);
    }
}

/* A seq_cst fence: the earlier writes of the work-item precede it in S. [CL 3.3.6 A12-A15] */
static void order_fence(struct in_weak *w, struct in_weak_item *state)
{
    state->fenced = ++w->serial;
    for (uint32_t k = 0; k < state->write_count; k++) {
        struct in_cell *cell = in_cell_of_id(w, state->writes[k].cell);
        uint32_t at = cell ? in_cell_index(cell, state->writes[k].serial) : 0;
        if (cell && cell->messages[at].serial == state->writes[k].serial && cell->messages[at].fenced == 0)
            cell->messages[at].fenced = state->fenced;
    }
    state->write_count = 0;
}

static void apply_fence(struct in_run *run, struct in_item *item, struct fence f, bool acquire, bool release)
{
    struct in_weak_item *state = in_weak_item(run, item);
    if (!state)
        return;
    if (acquire && mm_acquires(f.order) && f.slot != SLOTS)
        acquire_fence(run->weak, state, f.flags, f.slot);
    if (f.order == MM_SEQ_CST)
        order_fence(run->weak, state);
    if (release && mm_releases(f.order) && f.slot != SLOTS)
        release_fence(state, f.flags, f.slot);
}

void in_weak_fence(struct in_run *run, struct in_item *item, uint32_t semantics, enum mm_scope scope)
{
    if (run->launch.oracle)
        in_oracle_fence(run, item, false, semantics, scope);
    else
        apply_fence(run, item, decode_fence(semantics, scope, false), true, true);
}

/* ---- barriers --------------------------------------------------------------------------------- */

static void join_member_views(struct in_run *run, struct in_item **members, uint32_t count, uint8_t flags)
{
    for (int r = 0; r < REGIONS; r++) {
        struct in_view *all = NULL;
        for (uint32_t k = 0; flags & 1 << r && k < count; k++) {
            struct in_weak_item *state = in_weak_item(run, members[k]);
            if (state)
                in_view_join(run->weak, &all, state->view[r]);
        }
        for (uint32_t k = 0; flags & 1 << r && k < count; k++) {
            struct in_weak_item *state = in_weak_item(run, members[k]);
            if (state)
                view_assign(&state->view[r], all);
        }
        in_view_drop(all);
    }
}

void in_weak_barrier(struct in_run *run, struct in_item **members, uint32_t count, uint32_t semantics,
                     enum mm_scope scope)
{
    struct fence f = decode_fence(semantics, scope, true);
    for (uint32_t k = 0; run->launch.oracle && k < count; k++)
        in_oracle_fence(run, members[k], true, semantics, scope);
    for (uint32_t k = 0; k < count; k++)
        apply_fence(run, members[k], f, false, true);
    join_member_views(run, members, count, f.flags);
    for (uint32_t k = 0; k < count; k++)
        apply_fence(run, members[k], f, true, false);
}

void in_weak_copies(struct in_run *run, struct in_item **members, uint32_t count)
{
    struct in_weak_item *first = in_weak_item(run, members[0]);
    for (uint32_t k = 1; first && k < count; k++) {
        struct in_weak_item *state = in_weak_item(run, members[k]);
        for (int r = 0; state && r < REGIONS; r++)
            in_view_join(run->weak, &state->view[r], first->view[r]);
    }
}

bool in_weak_is_late(struct in_run *run)
{
    return !run->launch.oracle && in_weak_random(run->weak) % 2 == 0;
}
