/* The oracle of a replay: schedules the work-items in the order of the execution, gives each read its
 * value, and compares each access with the execution. */
#include "tools/witness/oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ENOUGH_ROUNDS = 3, MAX_ROUNDS = 1000 };

MM_PRINTF(3, 4) static bool differs(struct replay *r, uint32_t item, const char *format, ...)
{
    va_list list;
    if (!r->failed) {
        int n = snprintf(r->why, WITNESS_TEXT, "%s: ", r->program->threads[item].name);
        va_start(list, format);
        vsnprintf(r->why + n, WITNESS_TEXT - (size_t)n, format, list);
        va_end(list);
    }
    r->failed = true;
    return false;
}

/* ---- where a work-item is ------------------------------------------------------------------------ */

/* False for events that the interpreter does not make: undefined values are not in its memory. */
static bool is_met(const struct replay *r, const struct ck_event *h)
{
    if (h->hidden)
        return false;
    if (h->kind == MM_READ || h->kind == MM_WRITE)
        return r->program->objects[h->object].region != MM_PRIVATE;
    return h->kind == MM_FENCE || h->kind == MM_BARRIER_ENTRY;
}

static const struct ck_event *current_event(const struct replay *r, const struct part *p)
{
    return p->at < p->count ? &r->execution->events[p->first + p->at] : NULL;
}

static const struct ck_event *coming_event(const struct replay *r, struct part *p)
{
    while (current_event(r, p) && !is_met(r, current_event(r, p)))
        p->at++;
    return current_event(r, p);
}

/* Whether the work-item has only a barrier left, at which it blocks forever (divergence). */
static bool is_blocked(const struct replay *r, uint32_t item)
{
    struct part p = r->parts[item];
    const struct ck_event *h = coming_event(r, &p);
    return h && h->kind == MM_BARRIER_ENTRY && p.at + 1 == p.count && r->execution->ends[item] == CK_IS_LEFT;
}

/* Whether the work-item has reached the point where the execution leaves it. */
static bool is_left(const struct replay *r, uint32_t item)
{
    struct part p = r->parts[item];
    return r->execution->ends[item] == CK_IS_LEFT && !coming_event(r, &p);
}

void replay_note_ends(struct replay *r)
{
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        r->parts[t].seen_to_end = r->parts[t].seen_to_end || is_blocked(r, t) || is_left(r, t);
}

/* True if all events were observed; copies without a wait may be missing. */
bool replay_saw_all(const struct replay *r)
{
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        if (!r->program->threads[t].agent && !r->parts[t].seen_to_end && !is_blocked(r, t) && !is_left(r, t))
            return false;
    return true;
}

/* The schedule: the next event of the execution; then non-terminating work-items, least recently stepped
 * first; an event that ends the launch is last. */
static uint64_t on_rank(void *context, uint32_t item)
{
    struct replay *r = context;
    struct part *p = &r->parts[item];
    const struct ck_event *h = coming_event(r, p);
    enum ck_end end = r->execution->ends[item];
    uint64_t after = r->execution->count;
    if (h && p->rounds == 0)
        return h->step;
    return end == CK_ENDS ? after : end == CK_WAITS ? after + 1 + p->rounds : after + 2 + MAX_ROUNDS;
}

/* ---- listening ----------------------------------------------------------------------------------- */

static void describe_step(const struct replay *r, uint32_t index, bool again)
{
    if (r->listener && r->listener->step)
        r->listener->step(r->listener->context, index, again);
}

static size_t on_sources(void *context, struct mm_edge *edges, size_t most)
{
    const struct replay *r = context;
    size_t count = 0;
    for (uint32_t i = r->read.first; i < r->read.end && count < most; i++) {
        const struct ck_event *h = &r->execution->events[i];
        if (h->kind != MM_READ)
            continue;
        edges[count++] =
            (struct mm_edge){.from = h->source == CK_NO_EVENT ? MM_NO_EVENT : r->events[h->source],
                             .first_byte = (uint32_t)(r->addresses[h->object] + h->offset - r->read.address),
                             .byte_count = h->size};
    }
    return count;
}

static void on_recorded(void *context, mm_event_id event)
{
    struct replay *r = context;
    for (uint32_t i = r->write.first; i < r->write.end; i++)
        r->events[i] = event;
    r->read = r->write = (struct range){0};
}

/* The next event of the work-item; NULL: the launch ends, or the work-item has no further event in the
 * execution. */
static const struct ck_event *expect_event(struct replay *r, uint32_t item, const char *what)
{
    struct part *p = &r->parts[item];
    const struct ck_event *h = coming_event(r, p);
    if (h)
        return h;
    switch (r->execution->ends[item]) {
    case CK_WAITS:
        p->rounds++;
        p->at = r->execution->wait_from[item];
        p->seen_to_end = p->seen_to_end || p->rounds >= ENOUGH_ROUNDS;
        if ((p->seen_to_end && replay_saw_all(r)) || p->rounds > MAX_ROUNDS || p->at >= p->count)
            return NULL;
        return coming_event(r, p);
    case CK_IS_LEFT:
        p->seen_to_end = true;
        return NULL;
    default:
        if (r->execution->ends[item] != CK_FAULTS || !p->seen_to_end)
            differs(r, item, "continues with a %s", what);
        return NULL;
    }
}

/* ---- the oracle ----------------------------------------------------------------------------------- */

/* Whether OBJECT of the interpreter is the object of H.  The objects of arguments are known; another one is
 * identified at its first access. */
static bool is_object(struct replay *r, const struct ck_event *h, const struct in_object *object)
{
    const struct ck_object *wanted = &r->program->objects[h->object];
    uint64_t *known = &r->addresses[h->object];
    for (uint32_t o = 0; o < r->program->object_count && *known == 0; o++) {
        bool together = wanted->work_group < 0 || r->program->objects[o].work_group < 0 ||
                        r->program->objects[o].work_group == wanted->work_group;
        if (r->addresses[o] == object->address && together)
            return false;
    }
    if (*known == 0 && object->size >= wanted->size)
        *known = object->address;
    return *known == object->address;
}

static bool lies_in(struct replay *r, const struct ck_event *h, const struct in_object *object,
                    uint64_t address, uint32_t size)
{
    if (!is_object(r, h, object))
        return false;
    uint64_t at = object->address + h->offset;
    return at >= address && at + h->size <= address + size;
}

/* Reads the bytes of H within those at ADDRESS into BYTES, or compares them; false if they differ. */
static bool take_bytes(const struct ck_event *h, const struct in_object *object, uint64_t address,
                       uint8_t *bytes, bool compare)
{
    uint64_t at = object->address + h->offset - address;
    for (uint32_t k = 0; k < h->size; k++) {
        uint8_t byte = (uint8_t)(h->value >> (8 * k));
        if (compare && bytes[at + k] != byte)
            return false;
        bytes[at + k] = byte;
    }
    return true;
}

static bool is_address_known(const struct replay *r, const struct ck_event *h)
{
    return r->addresses[h->object] != 0;
}

/* Whether this access is the next event of ITEM. */
static bool is_own(struct replay *r, uint32_t item, enum mm_kind kind, const struct in_object *object,
                   uint64_t address, uint32_t size)
{
    const struct ck_event *h = coming_event(r, &r->parts[item]);
    return h && h->kind == kind && is_address_known(r, h) && lies_in(r, h, object, address, size);
}

/* Performs the next access of copy COPY to these bytes; false: it has none left.  A copy reads everything,
 * then writes. */
static bool perform_copy(struct replay *r, uint32_t copy, enum mm_kind kind, const struct in_object *object,
                         uint64_t address, uint32_t size, uint8_t *bytes)
{
    const struct part *p = &r->parts[copy];
    struct range range = {.address = address};
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const struct ck_event *h = &r->execution->events[i];
        if (r->copied[i] || h->kind != kind || !is_met(r, h) || !lies_in(r, h, object, address, size))
            continue;
        if (!take_bytes(h, object, address, bytes, kind == MM_WRITE)) {
            differs(r, copy, "line %u: another value is copied to %s", h->line,
                    r->program->objects[h->object].name);
            return true;
        }
        describe_step(r, i, false);
        r->copied[i] = 1;
        range.first = range.end ? range.first : i;
        range.end = i + 1;
    }
    if (range.end)
        *(kind == MM_READ ? &r->read : &r->write) = range;
    return range.end != 0;
}

/* The interpreter attributes the asynchronous copies of a work-group to one of its work-items. */
static bool is_copied(struct replay *r, uint32_t item, enum mm_kind kind, const struct in_object *object,
                      uint64_t address, uint32_t size, uint8_t *bytes)
{
    const struct ck_thread *own = &r->program->threads[item];
    if (is_own(r, item, kind, object, address, size))
        return false;
    for (uint32_t t = item + 1; t < r->program->thread_count; t++) {
        const struct ck_thread *thread = &r->program->threads[t];
        if (thread->agent && thread->work_group == own->work_group && thread->device == own->device &&
            perform_copy(r, t, kind, object, address, size, bytes))
            return true;
    }
    return false;
}

/* Matches an access of the interpreter with one event of the execution, or with one for each scalar in it, at
 * ascending addresses. */
static bool perform_access(struct replay *r, uint32_t item, enum mm_kind kind, const struct in_object *object,
                           uint64_t address, uint32_t size, uint8_t *bytes)
{
    const char *what = kind == MM_READ ? "read" : "write";
    struct part *p = &r->parts[item];
    if (is_copied(r, item, kind, object, address, size, bytes))
        return !r->failed;
    const struct ck_event *h = expect_event(r, item, what);
    uint32_t first = p->at;
    uint64_t done = 0;
    if (!h)
        return false;
    while (h && h->kind == kind && lies_in(r, h, object, address, size) &&
           (done == 0 || object->address + h->offset >= done)) {
        if (!take_bytes(h, object, address, bytes, kind == MM_WRITE))
            return differs(r, item, "line %u: another value is written to %s", h->line,
                           r->program->objects[h->object].name);
        describe_step(r, p->first + p->at, p->rounds > 0);
        done = object->address + h->offset + h->size;
        p->at++;
        h = done < address + size ? coming_event(r, p) : NULL;
    }
    *(kind == MM_READ ? &r->read : &r->write) = (struct range){p->first + first, p->first + p->at, address};
    /* the writes of a repeating loop iteration change nothing, and are left out */
    bool repeats =
        kind == MM_WRITE && r->execution->ends[item] == CK_WAITS && p->at >= r->execution->wait_from[item];
    if (done || repeats)
        return true;
    return differs(r, item, "a %s of %s where line %u has a %s of %s", what, object->name ? object->name : "",
                   h ? h->line : 0, h ? mm_kind_name((enum mm_kind)h->kind) : "",
                   h && h->object < r->program->object_count ? r->program->objects[h->object].name : "");
}

/* Callback before a read.  Constant memory has no events. */
static bool on_read(void *context, uint32_t item, const struct in_object *object, uint64_t address,
                    uint32_t size, void *bytes)
{
    struct replay *r = context;
    const struct ck_event *h = coming_event(r, &r->parts[item]);
    if (object->region == MM_CONSTANT && !(h && h->kind == MM_READ && lies_in(r, h, object, address, size)))
        return true;
    return perform_access(r, item, MM_READ, object, address, size, bytes);
}

static bool on_write(void *context, uint32_t item, const struct in_object *object, uint64_t address,
                     uint32_t size, const void *bytes)
{
    struct replay *r = context;
    uint8_t *copy = mm_alloc(size + 1);
    if (!copy)
        return differs(r, item, "out of memory");
    memcpy(copy, bytes, size);
    bool same = perform_access(r, item, MM_WRITE, object, address, size, copy);
    mm_free(copy);
    return same;
}

/* Callback at a fence.  Fences that order nothing are no events of the execution. */
static bool on_fence(void *context, uint32_t item, bool barrier, enum mm_order order, enum mm_scope scope)
{
    struct replay *r = context;
    struct part *p = &r->parts[item];
    const struct ck_event *h = coming_event(r, p);
    uint8_t kind = barrier ? MM_BARRIER_ENTRY : MM_FENCE;
    (void)scope;
    if (!barrier && (order == MM_RELAXED || order == MM_ORDER_NONE) && (!h || h->kind != MM_FENCE))
        return true;
    h = expect_event(r, item, mm_kind_name((enum mm_kind)kind));
    if (!h)
        return false;
    if (h->kind != kind)
        return differs(r, item, "a %s where line %u has a %s", mm_kind_name((enum mm_kind)kind), h->line,
                       mm_kind_name((enum mm_kind)h->kind));
    describe_step(r, p->first + p->at, p->rounds > 0);
    p->at++;
    return true;
}

static bool on_end(void *context, uint32_t item)
{
    struct replay *r = context;
    const struct ck_event *h = coming_event(r, &r->parts[item]);
    if (h)
        return differs(r, item, "ends before the %s in line %u", mm_kind_name((enum mm_kind)h->kind),
                       h->line);
    bool faulted = r->execution->ends[item] == CK_FAULTS && r->parts[item].seen_to_end;
    if (r->execution->ends[item] == CK_WAITS || (r->execution->ends[item] == CK_FAULTS && !faulted))
        return differs(r, item, "comes to its end");
    r->parts[item].seen_to_end = true;
    return true;
}

/* Whether exploration also continues after finding F, with some result of the operation or at the end of the
 * work-item. */
static bool is_no_fault(const struct in_finding *f)
{
    static const char *const kinds[] = {"bad-shift", "float-to-integer", "signed-overflow",
                                        "unsigned-overflow", "unreachable"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(f->kind, kinds[i]) == 0)
            return true;
    return false;
}

/* Notes the fault of an asynchronous copy, which all members of ITEM's work-group have called. */
static void note_faults(struct replay *r, uint32_t item)
{
    const struct ck_thread *own = &r->program->threads[item];
    for (uint32_t t = 0; t < r->program->thread_count; t++) {
        const struct ck_thread *other = &r->program->threads[t];
        bool member = !other->agent && other->work_group == own->work_group && other->device == own->device;
        if (member && !coming_event(r, &r->parts[t]))
            r->parts[t].seen_to_end = true;
    }
}

void replay_on_finding(void *context, const struct in_finding *f)
{
    struct replay *r = context;
    uint32_t item = f->work_item;
    bool at_end = r->execution->ends[item] == CK_FAULTS || r->execution->ends[item] == CK_IS_LEFT;
    if (strcmp(f->kind, "barrier-divergence") == 0)
        r->diverged = true;
    else if (f->of_copy && at_end && !coming_event(r, &r->parts[item]))
        note_faults(r, item);
    else if (at_end && !coming_event(r, &r->parts[item]))
        r->parts[item].seen_to_end = true;
    else if (!is_no_fault(f))
        differs(r, item, "%s", f->message);
}

struct in_oracle replay_oracle(struct replay *r)
{
    return (struct in_oracle){.context = r,
                              .read = on_read,
                              .write = on_write,
                              .fence = on_fence,
                              .ended = on_end,
                              .rank = on_rank,
                              .sources = on_sources,
                              .recorded = on_recorded};
}
