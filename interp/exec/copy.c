/* Asynchronous copies between global and local memory [CLC 6.15.11, 6.15.11 R1, R4; CLC 6.15.11.1 R1].
 *
 * A copy is performed when all work-items of the work-group have requested it, and belongs to none of them:
 * the record has its accesses between the COPY_START and the COPY_WAIT of each work-item.  In weak memory it
 * may be performed as late as at the wait, and then before any copy that a fence orders after it. */
#include "collective.h"
#include "interp/check/check.h"
#include "interp/weak/weak.h"
#include "memmodel/base/array.h"
#include <string.h>

#define EVENT (UINT64_C(0x6576656e) << 32) /* the upper half of events */

static bool is_recorded(const struct in_run *run)
{
    return run->full && run->launch.recorder;
}

static void record_point(const struct in_gathering *g, const struct in_insn *pc, enum mm_kind kind,
                         uint32_t copy)
{
    for (uint32_t m = 0; is_recorded(g->run) && m < g->count; m++)
        in_record_copy(g->run, g->members[m], pc, kind, copy);
}

/* ---- copying ----------------------------------------------------------------------------------- */

static void record_copy(struct in_run *run, struct in_item *item, const struct in_copy *c,
                        struct in_range range, enum mm_kind kind, const void *value)
{
    if (!is_recorded(run))
        return;
    struct mm_event *e = in_record_access(run, item, c->pc, &range, kind, value, 0);
    e->semantics = MM_COPY;
    e->instance = c->number;
    if (run->weak)
        in_weak_recorded(run);
}

/* Copies SIZE bytes of C from address F to T. */
static void copy_piece(struct in_run *run, struct in_item *item, struct in_copy *c, uint64_t t, uint64_t f,
                       uint64_t size)
{
    const uint8_t *s = in_touch(run, item, c->pc, &c->from, (struct in_reference){f, size, 0, false});
    uint8_t *d = s ? in_touch(run, item, c->pc, &c->to, (struct in_reference){t, size, 0, true}) : NULL;
    if (!d)
        return;
    bool weak = run->weak != NULL;
    if (weak)
        s = in_weak_read(run, item, c->from.object, f, size);
    record_copy(run, item, c, (struct in_range){c->from.object, f, size}, MM_READ, s);
    if (weak)
        in_weak_write_begin(run, item, c->to.object, t, size);
    memmove(d, s, size);
    if (item->shadow)
        in_shadow_copy(run, item, &c->to, t, &c->from, f, size);
    if (weak)
        in_weak_write_end(run, item, c->to.object, t, size);
    record_copy(run, item, c, (struct in_range){c->to.object, t, size}, MM_WRITE, d);
}

/* Copies the elements of C: a run of consecutive elements as one piece, others one by one. */
static void perform_copy(struct in_run *run, struct in_item *item, struct in_copy *c)
{
    const struct in_ty *from = c->wait->from;
    uint64_t size = from->element ? from->element->size : 1;
    bool to_local = from->storage == SpvStorageClassWorkgroup;
    run->copying = true;
    for (uint64_t k = 0; k < (c->stride == 1 ? c->count > 0 : c->count) && !run->outcome.stopped; k++) {
        uint64_t t = c->to.address + k * size * (to_local ? 1 : c->stride);
        uint64_t f = c->from.address + k * size * (to_local ? c->stride : 1);
        copy_piece(run, item, c, t, f, c->stride == 1 ? size * c->count : size);
    }
    run->copying = false;
}

/* Performs C after the delayed copies that a fence, whatever its flags, precedes: fewer orders, never
 * more. */
static void make_in_order(struct in_run *run, struct in_item *item, struct in_copy *c)
{
    struct in_copies *copies = &item->group->copies;
    for (uint32_t k = 0; k < copies->count && !run->outcome.stopped; k++) {
        struct in_copy *earlier = &copies->list[k];
        if (earlier->late && earlier->fences < c->fences)
            perform_copy(run, item, earlier);
        earlier->late &= earlier->fences >= c->fences;
    }
    perform_copy(run, item, c);
    c->late = false;
}

/* ---- start ------------------------------------------------------------------------------------- */

/* Whether all work-items pass the same arguments, as the function requires. */
static bool same_arguments(const struct in_gathering *g)
{
    for (uint32_t k = 0; k < 4; k++) {
        const uint64_t size = k < 2 ? sizeof(uint64_t) : g->w->size_ty->size;
        for (uint32_t m = 1; m < g->count; m++) {
            if (memcmp(in_gathered(g, 0, k), in_gathered(g, m, k), size) == 0)
                continue;
            in_raise(
                g->run, g->members[m], g->members[m]->pc - 1, "different-arguments", "CLC 6.15.11",
                "an argument of the asynchronous copy of this work-item differs from that of work-item %u "
                "of its work-group",
                g->members[0]->agent);
            return false;
        }
    }
    return true;
}

/* Keeps a copy until its wait, if copies are recorded, checked or delayed. */
static void keep_copy(struct in_run *run, struct in_copies *copies, const struct in_copy *c)
{
    if (!run->launch.checks && !is_recorded(run) && !c->late)
        return;
    if (!mm_append(&copies->list, &copies->count, c))
        run->outcome.limit = true;
}

static void start_copies(const struct in_gathering *g)
{
    struct in_copies *copies = &g->members[0]->group->copies;
    struct in_copy c = {
        .pc = g->members[0]->pc - 1, .wait = g->w, .number = ++copies->made, .fences = copies->fences};
    if (g->run->launch.checks && !same_arguments(g) && g->run->outcome.stopped)
        return;
    memcpy(&c.to, in_gathered(g, 0, 0), sizeof c.to);
    memcpy(&c.from, in_gathered(g, 0, 1), sizeof c.from);
    c.count = in_number(in_gathered(g, 0, 2), g->w->size_ty);
    c.stride = in_number(in_gathered(g, 0, 3), g->w->size_ty);
    c.stride = c.stride == 0 ? 1 : c.stride;
    c.late = g->run->weak && in_weak_is_late(g->run);
    record_point(g, c.pc, MM_COPY_START, c.number);
    if (!c.late)
        make_in_order(g->run, g->members[0], &c);
    for (uint32_t m = g->count; m-- > 0;) {
        uint64_t event = in_number(in_gathered(g, m, 4), g->w->ty);
        c.event = event != 0 ? event : EVENT | c.number;
        memcpy(g->members[m]->frame + g->w->result, &c.event, sizeof c.event);
    }
    keep_copy(g->run, copies, &c);
}

/* ---- wait -------------------------------------------------------------------------------------- */

/* Element K of MEMBER's event list; NULL: unreadable. */
static const uint8_t *event_of(const struct in_gathering *g, uint32_t member, uint64_t k, uint64_t *address)
{
    struct in_fat list;
    memcpy(&list, in_gathered(g, member, 1), sizeof list);
    *address = list.address + k * sizeof *address;
    return in_touch(g->run, g->members[member], g->members[member]->pc - 1, &list,
                    (struct in_reference){*address, sizeof *address, 0, false});
}

static void check_event(const struct in_gathering *g, uint32_t member, uint64_t address, uint64_t value)
{
    struct in_item *item = g->members[member];
    const uint8_t *shadow = in_shadow(item, address, sizeof(uint64_t));
    uint64_t none = 0;
    if (shadow && memcmp(shadow, &none, sizeof none) != 0)
        in_raise_at(g->run, item, item->pc - 1, "uninitialized", "CLC 6.15.11",
                    (struct in_range){NULL, address, sizeof value},
                    "the work-group waits for an uninitialized event");
    else if (value >> 32 != EVENT >> 32)
        in_raise_at(g->run, item, item->pc - 1, "invalid-event", "CLC 6.15.11",
                    (struct in_range){NULL, address, sizeof value},
                    "the work-group waits for %s, which no asynchronous copy made",
                    value == 0 ? "the event 0" : "an event");
}

/* Marks the copies of the events in MEMBER's list; false if the list differs from FIRST, that of the first
 * member. */
static bool mark_waited_copies(const struct in_gathering *g, uint32_t member, uint64_t count, bool differs)
{
    struct in_copies *copies = &g->members[0]->group->copies;
    for (uint64_t k = 0; k < count && !g->run->outcome.stopped; k++) {
        uint64_t address, value, first = 0;
        const uint8_t *event = event_of(g, member, k, &address);
        if (!event)
            break;
        memcpy(&value, event, sizeof value);
        if (g->run->launch.checks)
            check_event(g, member, address, value);
        for (uint32_t c = 0; c < copies->count; c++)
            copies->list[c].met |= copies->list[c].event == value;
        event = differs || g->run->outcome.stopped ? NULL : event_of(g, 0, k, &address);
        if (event)
            memcpy(&first, event, sizeof first);
        differs |= event && first != value;
    }
    return !differs;
}

/* Checks that all work-items pass the same list, as the function requires. */
static void meet_all(const struct in_gathering *g)
{
    const struct in_ty *ty = g->w->from;
    uint64_t most = in_number(in_gathered(g, 0, 0), ty);
    for (uint32_t m = 0; m < g->count && !g->run->outcome.stopped; m++) {
        uint64_t count = in_number(in_gathered(g, m, 0), ty);
        if (!mark_waited_copies(g, m, count, count != most) && g->run->launch.checks &&
            !g->run->outcome.stopped) {
            in_raise(g->run, g->members[m], g->members[m]->pc - 1, "different-arguments", "CLC 6.15.11",
                     "the events that this work-item waits for differ from those of work-item %u of its "
                     "work-group",
                     g->members[0]->agent);
            return;
        }
    }
}

static void wait_for_copies(const struct in_gathering *g)
{
    struct in_copies *copies = &g->members[0]->group->copies;
    uint32_t kept = 0;
    if (!g->run->launch.checks && copies->count == 0)
        return;
    meet_all(g);
    for (uint32_t k = 0; k < copies->count; k++) {
        struct in_copy *c = &copies->list[k];
        if (!c->met) {
            copies->list[kept++] = *c;
            continue;
        }
        if (c->late)
            make_in_order(g->run, g->members[0], c);
        record_point(g, g->members[0]->pc - 1, MM_COPY_WAIT, c->number);
    }
    copies->count = kept;
}

/* ---- fence ------------------------------------------------------------------------------------- */

/* SPIR-V has no instruction for async_work_group_copy_fence(): a wait for IN_COPY_FENCE + flags events at the
 * null pointer represents it, which is undefined as a wait [CLC 6.15.11 R3]. */
bool in_is_copy_fence(const struct in_item *item, const struct in_wait *w)
{
    struct in_fat list;
    if (w->opcode != SpvOpGroupWaitEvents)
        return false;
    memcpy(&list, item->frame + w->operand[1], sizeof list);
    return list.address == 0 &&
           (in_number(item->frame + w->operand[0], w->from) & ~UINT64_C(0xff)) == IN_COPY_FENCE;
}

static void fence_copies(const struct in_gathering *g)
{
    struct in_copies *copies = &g->members[0]->group->copies;
    uint64_t flags = in_number(in_gathered(g, 0, 0), g->w->from);
    copies->fences++;
    for (uint32_t m = 0; m < g->count && !g->run->outcome.stopped; m++) {
        struct in_item *item = g->members[m];
        if (g->run->launch.checks &&
            (!in_is_copy_fence(item, g->w) || in_number(in_gathered(g, m, 0), g->w->from) != flags))
            in_raise(
                g->run, item, item->pc - 1, "different-arguments", "CLC 6.15.11",
                "the flags of this work-item's async_work_group_copy_fence() differ from those of work-item %u of "
                "its work-group",
                g->members[0]->agent);
        if (is_recorded(g->run))
            in_record_copy(g->run, item, item->pc - 1, MM_COPY_FENCE, copies->fences)->fence_flags =
                (uint8_t)((flags & 1 ? MM_FENCE_LOCAL : 0) | (flags & 2 ? MM_FENCE_GLOBAL : 0));
    }
}

void in_copy_collective(struct in_run *run, struct in_item **members, uint32_t count, const struct in_wait *w)
{
    const struct in_gathering g = {run, members, count, w};
    if (w->opcode == SpvOpGroupAsyncCopy)
        start_copies(&g);
    else if (in_is_copy_fence(members[0], w))
        fence_copies(&g);
    else {
        wait_for_copies(&g);
        if (run->weak)
            in_weak_copies(run, members, count);
    }
}

/* All copies have to be waited for before the kernel ends [CLC 6.15.11 R2]. */
void in_copies_end(struct in_run *run, struct in_item *item)
{
    struct in_copies *copies = &item->group->copies;
    for (uint32_t k = 0; k < copies->count && !run->outcome.stopped; k++) {
        struct in_copy *c = &copies->list[k];
        if (c->late)
            make_in_order(run, item, c);
        if (run->launch.checks && !run->outcome.stopped)
            in_raise(run, item, c->pc, "unwaited-copy", "CLC 6.15.11",
                     "the work-group ends without having waited for this asynchronous copy");
    }
    copies->count = 0;
}
