/* Atomics and fences: release sequences, inclusive scopes, synchronizes-with edges.
 *
 * A location stores the clocks of its release sequences by scope and scope instance.  A release operation
 * and each release fence before a write head a sequence [CL 3.3.6 G7, A4, A5, F1-F6].  An acquire of the
 * same scope in the same instance joins its clock [CL 3.3.5 O12-O15], at once or at the next acquire fence.
 * See docs/detector.md#atomics-and-fences. */
#include "checker/race/agents.h"

#include <string.h>

/* ---- scopes ------------------------------------------------------------------------------- */

static uint8_t scope_of_slot(enum ck_slot slot)
{
    static const uint8_t scopes[] = {[CK_SLOT_SUB_GROUP] = MM_SCOPE_SUB_GROUP,
                                     [CK_SLOT_WORK_GROUP] = MM_SCOPE_WORK_GROUP,
                                     [CK_SLOT_DEVICE] = MM_SCOPE_DEVICE,
                                     [CK_SLOT_ALL] = MM_SCOPE_ALL_SVM_DEVICES};
    return scopes[slot];
}

enum ck_slot ck_slot_reduced(enum ck_slot slot, const struct ck_memory *memory)
{
    if (slot == CK_SLOT_NONE)
        return slot;
    if (memory->region == CK_REGION_LOCAL)
        return slot > CK_SLOT_WORK_GROUP ? CK_SLOT_WORK_GROUP : slot;
    return slot == CK_SLOT_ALL && memory->demotes ? CK_SLOT_DEVICE : slot;
}

uint64_t ck_scope_instance(struct ck_detector *d, uint64_t agent, enum ck_slot slot,
                           const struct ck_memory *memory)
{
    uint32_t index = (uint32_t)agent;
    if (slot == CK_SLOT_ALL)
        return 0;
    if (ck_is_host(agent) || slot == CK_SLOT_NONE)
        return ~agent;
    struct ck_command *command = ck_command_of(d, (uint32_t)(agent >> 32));
    if (!command)
        return ~agent;
    if (slot == CK_SLOT_DEVICE)
        return memory->is_buffer ? command->root : command->info.device;
    if (index == MM_INDEX_RUNTIME) /* the agent is a launch as a whole: its work-item is not recorded */
        return ~agent;
    index = slot == CK_SLOT_WORK_GROUP ? ck_group_first(command, index) : ck_sub_group_first(command, index);
    return (uint64_t)command->info.id << 32 | index;
}

/* ---- shortfalls: for the reasons of races ---------------------------------------------------------- */

static void note_shortfall(struct ck_detector *d, const struct mm_event *read, const struct ck_memory *memory,
                           const struct ck_sync *sync, const struct ck_release *release,
                           enum ck_shortfall_kind kind)
{
    struct ck_shortfall *s = &d->shortfalls.list[d->shortfalls.count++ % CK_SHORTFALLS];
    ck_clock_drop(&d->clocks, s->offered);
    s->offered = release ? ck_clock_ref(release->main) : NULL;
    s->reader = ck_agent_key(read->agent);
    s->writer = sync->writer;
    memcpy(s->writer_time, sync->writer_time, sizeof s->writer_time);
    s->write_source = sync->source;
    s->read_source = read->source;
    s->release = release ? release->origin : (struct ck_origin){.source = 0};
    s->fence = sync->fence;
    s->event = d->next_event;
    s->kind = (uint8_t)kind;
    s->read_scope = read->scope;
    s->read_order = read->order;
    s->region = memory->region;
}

void ck_shortfalls_free(struct ck_detector *d)
{
    for (size_t i = 0; i < CK_SHORTFALLS; i++) {
        ck_clock_drop(&d->clocks, d->shortfalls.list[i].offered);
        d->shortfalls.list[i].offered = NULL;
    }
}

/* ---- release sequences of a location ---------------------------------------------------------------- */

enum { FEW_RELEASES = 8 };

static void clear_index(struct ck_detector *d, struct ck_sync *sync)
{
    for (int slot = 0; sync->index && slot < CK_SLOTS; slot++)
        ck_map_clear(&sync->index[slot], &d->budget);
    ck_budget_free(&d->budget, sync->index, CK_SLOTS * sizeof *sync->index);
    sync->index = NULL;
}

static void free_releases(struct ck_detector *d, struct ck_sync *sync)
{
    clear_index(d, sync);
    while (sync->releases) {
        struct ck_release *r = sync->releases;
        sync->releases = r->next;
        ck_clock_drop(&d->clocks, r->main);
        ck_clock_drop(&d->clocks, r->other);
        ck_budget_free(&d->budget, r, sizeof *r);
    }
}

static struct ck_release *find_release(const struct ck_sync *sync, uint8_t slot, uint64_t key, uint32_t size)
{
    if (sync->index)
        return mm_map_pointer(&sync->index[slot], key);
    struct ck_release *r = sync->releases;
    while (r && (r->slot != slot || r->key != key || r->size != size))
        r = r->next;
    return r;
}

/* Builds the index of releases.  Without memory for it, and for objects of several sizes, the list is
 * searched. */
static void index_releases(struct ck_detector *d, struct ck_sync *sync)
{
    struct ck_release *r = sync->releases, *end = sync->index ? r->next : NULL;
    if (r->number < FEW_RELEASES || sync->mixed)
        return;
    if (!sync->index)
        sync->index = ck_budget_alloc(&d->budget, CK_SLOTS * sizeof *sync->index);
    for (; sync->index && r != end; r = r->next)
        if (!ck_map_put(&sync->index[r->slot], &d->budget, r->key, r))
            clear_index(d, sync);
}

static void publish_release(struct ck_detector *d, struct ck_sync *sync, const struct ck_release *release)
{
    struct ck_release *r = find_release(sync, release->slot, release->key, release->size);
    if (!r) {
        r = ck_budget_alloc(&d->budget, sizeof *r);
        if (!r)
            return;
        r->slot = release->slot;
        r->key = release->key;
        r->offset = release->offset;
        r->size = release->size;
        r->number = sync->releases ? sync->releases->number + 1 : 0;
        r->next = sync->releases;
        sync->releases = r;
        index_releases(d, sync);
    }
    ck_clock_join(&d->clocks, &r->main, release->main);
    ck_clock_join(&d->clocks, &r->other, release->other);
    r->origin = release->origin;
}

/* ---- acquire ------------------------------------------------------------------------------ */

/* Whether an acquire of scope SLOT synchronizes with a release published for the acquire's instance of scope
 * PUBLISHED [CL 3.3.5 O12-O15, O101]: where scopes may differ, they include each other if the narrower one
 * includes both agents, so that releases are published for all narrower scopes, too. */
static bool is_inclusive(const struct ck_detector *d, enum ck_slot slot, uint8_t published)
{
    return slot == (enum ck_slot)published || (mm_revision_wider_scopes(d->options.revision) &&
                                               slot != CK_SLOT_NONE && slot > (enum ck_slot)published);
}

/* Adds RELEASE to the clocks that later acquire fences join, by their scope as written. */
static void keep_for_fences(struct ck_detector *d, struct ck_item *item, const struct ck_memory *memory,
                            const struct ck_release *release)
{
    struct ck_fences *fences = ck_fences_of(d, item);
    int region = memory->region == CK_REGION_LOCAL;
    for (int slot = 0; fences && slot < CK_SLOTS; slot++) {
        if (!is_inclusive(d, ck_slot_reduced((enum ck_slot)slot, memory), release->slot))
            continue;
        ck_clock_join(&d->clocks, &fences->clocks[region][slot].acquirable, release->main);
        ck_clock_join(&d->clocks, &fences->clocks[region][slot].acquirable_other, release->other);
    }
}

/* Notes that the command's work-items may be ordered by atomics. */
static void note_command_synchronizes(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_command *command = mm_acquires(event->order) || mm_releases(event->order)
                                     ? ck_command_of(d, event->agent.command)
                                     : NULL;
    if (command)
        command->synchronizes = true;
}

/* Copies the times of host threads and commands from a host thread's clock of global memory to that of
 * images [CL 3.3.6 H0]. */
static void share_points(struct ck_detector *d, uint64_t agent, struct ck_item *item)
{
    if (ck_is_host(agent))
        ck_clock_join_points(&d->clocks, &item->clock[CK_REGION_IMAGE], item->clock[CK_REGION_GLOBAL]);
}

/* Notes, for the reason of a race, why the read EVENT does not order what follows it after what precedes the
 * write that it read.  IN_INSTANCE: the oldest release for a scope instance of the reader; JOINED: one that
 * it acquired; NULL: none. */
static void note_acquire_shortfall(struct ck_detector *d, const struct mm_event *event,
                                   const struct ck_memory *memory, const struct ck_sync *sync,
                                   const struct ck_release *in_instance, const struct ck_release *joined)
{
    const struct ck_release of_work_item = {.origin = {sync->source, sync->scope, false}};
    if (joined)
        note_shortfall(d, event, memory, sync, joined, CK_SHORT_REGION);
    else if (!sync->releases && mm_releases(sync->order) && sync->scope == MM_SCOPE_WORK_ITEM)
        note_shortfall(d, event, memory, sync, &of_work_item, CK_SHORT_SCOPE_INSTANCE);
    else if (!sync->releases)
        note_shortfall(d, event, memory, sync, NULL, CK_SHORT_STORE_RELAXED);
    else if (!in_instance)
        note_shortfall(d, event, memory, sync, sync->releases, CK_SHORT_SCOPE_INSTANCE);
    else
        note_shortfall(d, event, memory, sync, in_instance,
                       mm_acquires(event->order) ? CK_SHORT_SCOPE_DIFFERS : CK_SHORT_LOAD_RELAXED);
}

void ck_sync_acquire(struct ck_detector *d, const struct mm_event *event, struct ck_item *item,
                     const struct ck_memory *memory, const struct ck_sync *sync)
{
    uint64_t agent = ck_agent_key(event->agent);
    enum ck_slot scope = ck_slot_reduced(ck_slot_of(event), memory);
    note_command_synchronizes(d, event);
    if (sync->size != event->size)
        return;
    const struct ck_release *in_instance = NULL, *joined = NULL;
    for (int slot = 0; sync->releases && slot < CK_SLOTS; slot++) {
        uint64_t key = ck_scope_instance(d, agent, (enum ck_slot)slot, memory);
        const struct ck_release *r = find_release(sync, (uint8_t)slot, key, event->size);
        if (!r)
            continue;
        if (!in_instance || r->number < in_instance->number)
            in_instance = r;
        keep_for_fences(d, item, memory, r);
        if (mm_acquires(event->order) && is_inclusive(d, scope, (uint8_t)slot)) {
            ck_clock_join(&d->clocks, &item->clock[memory->region], r->main);
            joined = r;
        }
    }
    if (joined)
        share_points(d, agent, item);
    if (sync->writer != agent)
        note_acquire_shortfall(d, event, memory, sync, in_instance, joined);
}

/* ---- release ------------------------------------------------------------------------------ */

void ck_sync_free(struct ck_detector *d, struct ck_sync *sync)
{
    if (!sync)
        return;
    free_releases(d, sync);
    ck_budget_free(&d->budget, sync, sizeof *sync);
}

struct ck_sync *ck_sync_copy(struct ck_detector *d, struct ck_sync *sync)
{
    struct ck_sync *copy = ck_budget_alloc(&d->budget, sizeof *copy);
    if (!copy)
        return NULL;
    sync->split = true;
    *copy = *sync;
    copy->index = NULL;
    struct ck_release **out = &copy->releases;
    *out = NULL;
    for (const struct ck_release *r = sync->releases; r; r = r->next) {
        struct ck_release *p = ck_budget_alloc(&d->budget, sizeof *p);
        if (!p) {
            ck_sync_free(d, copy);
            return NULL;
        }
        *p = *r;
        p->next = NULL;
        ck_clock_ref(p->main);
        ck_clock_ref(p->other);
        *out = p;
        out = &p->next;
    }
    return copy;
}

/* 1 + the event of the last store by an agent other than AGENT, which ended AGENT's release sequences; 0:
 * none. */
static mm_event_id last_store_of_others(const struct ck_sync *sync, uint64_t agent)
{
    return sync->storer == agent ? sync->store_of_other : sync->store;
}

static struct ck_release_head *find_head(const struct ck_fences *fences, const struct ck_sync *sync,
                                         const struct ck_release *release, mm_event_id ended)
{
    struct ck_release_head *h = fences->heads;
    while (h &&
           (h->location != sync->id || h->slot != release->slot || h->key != release->key ||
            h->size != release->size || h->offset != release->offset || (sync->split && h->since < ended)))
        h = h->next;
    return h;
}

static struct ck_release_head *head_of(struct ck_detector *d, uint64_t agent, struct ck_fences *fences,
                                       const struct ck_sync *sync, const struct ck_release *release)
{
    mm_event_id ended = last_store_of_others(sync, agent);
    struct ck_release_head *h = find_head(fences, sync, release, ended);
    if (!h) {
        h = ck_budget_alloc(&d->budget, sizeof *h);
        if (!h)
            return NULL;
        *h = (struct ck_release_head){.next = fences->heads,
                                      .location = sync->id,
                                      .key = release->key,
                                      .offset = release->offset,
                                      .size = release->size,
                                      .slot = release->slot,
                                      .since = d->next_event};
        fences->heads = h;
    } else if (h->since < ended) { /* a later write ended this sequence */
        ck_clock_drop(&d->clocks, h->main);
        ck_clock_drop(&d->clocks, h->other);
        h->main = h->other = NULL;
        h->since = d->next_event;
    }
    return h;
}

static void begin_sequence_at(struct ck_detector *d, uint64_t agent, struct ck_item *item,
                              struct ck_sync *sync, const struct ck_release *release)
{
    publish_release(d, sync, release);
    struct ck_fences *fences = ck_fences_of(d, item);
    struct ck_release_head *h = fences ? head_of(d, agent, fences, sync, release) : NULL;
    if (!h)
        return;
    ck_clock_join(&d->clocks, &h->main, release->main);
    ck_clock_join(&d->clocks, &h->other, release->other);
    h->origin = release->origin;
}

/* Adds a release sequence of this agent to the location, and its head to the agent, at the scope of RELEASE
 * and, where scopes may differ, at the narrower ones. */
static void begin_sequence(struct ck_detector *d, uint64_t agent, struct ck_item *item,
                           const struct ck_memory *memory, struct ck_sync *sync,
                           const struct ck_release *release)
{
    unsigned narrowest = mm_revision_wider_scopes(d->options.revision) ? CK_SLOT_SUB_GROUP : release->slot;
    for (unsigned slot = narrowest; slot <= release->slot; slot++) {
        struct ck_release one = *release;
        one.slot = (uint8_t)slot;
        one.key = ck_scope_instance(d, agent, (enum ck_slot)slot, memory);
        begin_sequence_at(d, agent, item, sync, &one);
    }
}

/* A write that is not a read-modify-write ends all release sequences but those that its agent heads, of
 * objects that the cell AT is a part of. */
static void end_sequences(struct ck_detector *d, uint64_t agent, const struct ck_item *item,
                          struct ck_sync *sync, uint64_t at)
{
    free_releases(d, sync);
    if (sync->storer != agent) {
        sync->store_of_other = sync->store;
        sync->storer = agent;
    }
    sync->store = d->next_event + 1;
    for (struct ck_release_head *h = item->fences ? item->fences->heads : NULL; h; h = h->next) {
        if (h->location != sync->id || at - h->offset >= h->size || h->since < sync->store_of_other)
            continue;
        struct ck_release again = {.key = h->key,
                                   .main = h->main,
                                   .other = h->other,
                                   .offset = h->offset,
                                   .size = h->size,
                                   .slot = h->slot,
                                   .origin = h->origin};
        publish_release(d, sync, &again);
    }
}

/* The first byte of the atomic object of SIZE bytes that contains byte AT: atomic objects are aligned. */
static uint64_t object_at(uint64_t at, uint32_t size)
{
    return at - at % size;
}

static void publish_fences(struct ck_detector *d, const struct mm_event *event, struct ck_item *item,
                           const struct ck_memory *memory, struct ck_sync *sync, uint64_t at)
{
    const struct ck_fences *fences = item->fences;
    int region = memory->region == CK_REGION_LOCAL;
    for (int slot = 0; fences && slot < CK_SLOTS; slot++) {
        const struct ck_fence_clocks *fence = &fences->clocks[region][slot];
        if (!fence->released)
            continue;
        enum ck_slot reduced = ck_slot_reduced((enum ck_slot)slot, memory);
        struct ck_release release = {.main = fence->released,
                                     .other = fences->clocks[!region][slot].released_by_both,
                                     .offset = object_at(at, event->size),
                                     .size = event->size,
                                     .slot = (uint8_t)reduced,
                                     .origin = {.source = fence->released_at,
                                                .scope = scope_of_slot((enum ck_slot)slot),
                                                .fence = true}};
        begin_sequence(d, ck_agent_key(event->agent), item, memory, sync, &release);
    }
}

static void note_write(struct ck_detector *d, const struct mm_event *event, uint64_t agent,
                       const struct ck_item *item, struct ck_sync *sync)
{
    if (sync->size && sync->size != event->size && !sync->mixed) {
        sync->mixed = true;
        clear_index(d, sync);
    }
    sync->size = event->size;
    sync->writer = agent;
    memcpy(sync->writer_time, item->time, sizeof item->time);
    sync->source = event->source;
    sync->order = event->order;
    sync->scope = event->scope;
    sync->fence = item->fences ? item->fences->last_release : (struct ck_last_fence){.source = 0};
}

bool ck_sync_release(struct ck_detector *d, const struct mm_event *event, uint64_t agent,
                     struct ck_item *item, const struct ck_memory *memory, struct ck_sync *sync, uint64_t at)
{
    note_command_synchronizes(d, event);
    note_write(d, event, agent, item, sync);
    if (event->kind != MM_RMW)
        end_sequences(d, agent, item, sync, at);
    if (!(event->attributes & MM_ATOMIC))
        return false;
    publish_fences(d, event, item, memory, sync, at);
    enum ck_slot slot = ck_slot_reduced(ck_slot_of(event), memory);
    if (!mm_releases(event->order) || slot == CK_SLOT_NONE)
        return false;
    struct ck_clock *snapshot = ck_clock_ref(item->clock[memory->region]);
    ck_clock_raise(&d->clocks, &snapshot, agent, agent, item->time[memory->region]);
    struct ck_release release = {.main = snapshot,
                                 .offset = object_at(at, event->size),
                                 .size = event->size,
                                 .slot = (uint8_t)slot,
                                 .origin = {.source = event->source, .scope = event->scope}};
    begin_sequence(d, agent, item, memory, sync, &release);
    ck_clock_drop(&d->clocks, snapshot);
    return true;
}

/* ---- fences ------------------------------------------------------------------------------- */

static void note_fence(struct ck_detector *d, const struct mm_event *event, const struct ck_item *item,
                       struct ck_last_fence *last)
{
    last->source = event->source;
    memcpy(last->time, item->time, sizeof last->time);
    last->event = d->next_event;
    last->scope = event->scope;
    last->flags = (uint8_t)event->fence_flags;
}

void ck_fence_release(struct ck_detector *d, const struct mm_event *event, struct ck_item *item)
{
    enum ck_slot slot = ck_slot_of(event);
    struct ck_fences *fences = ck_fences_of(d, item);
    uint64_t agent = ck_agent_key(event->agent);
    bool both =
        ck_fence_in(event->fence_flags, CK_REGION_GLOBAL) && ck_fence_in(event->fence_flags, CK_REGION_LOCAL);
    if (fences)
        note_fence(d, event, item, &fences->last_release);
    for (int s = 0; fences && slot != CK_SLOT_NONE && s < 2; s++) {
        if (!ck_fence_in(event->fence_flags, (enum ck_region)s))
            continue;
        struct ck_fence_clocks *fence = &fences->clocks[s][slot];
        struct ck_clock *snapshot = ck_clock_ref(item->clock[s]);
        ck_clock_raise(&d->clocks, &snapshot, agent, agent, item->time[s]);
        ck_item_advance(item, agent, (enum ck_region)s);
        ck_clock_set(&d->clocks, &fence->released, snapshot);
        fence->released_at = event->source;
        if (both)
            ck_clock_set(&d->clocks, &fence->released_by_both, snapshot);
        ck_clock_drop(&d->clocks, snapshot);
    }
}

void ck_fence_acquire(struct ck_detector *d, const struct mm_event *event, struct ck_item *item)
{
    enum ck_slot slot = ck_slot_of(event);
    struct ck_fences *fences = item->fences;
    if (fences)
        note_fence(d, event, item, &fences->last_acquire);
    if (slot == CK_SLOT_NONE || !fences)
        return;
    bool both =
        ck_fence_in(event->fence_flags, CK_REGION_GLOBAL) && ck_fence_in(event->fence_flags, CK_REGION_LOCAL);
    for (int s = 0; s < 2; s++) {
        if (!ck_fence_in(event->fence_flags, (enum ck_region)s))
            continue;
        ck_clock_join(&d->clocks, &item->clock[s], fences->clocks[s][slot].acquirable);
        if (both)
            ck_clock_join(&d->clocks, &item->clock[s], fences->clocks[!s][slot].acquirable_other);
    }
    share_points(d, ck_agent_key(event->agent), item);
}

void ck_race_fence(struct ck_detector *d, const struct mm_event *event)
{
    note_command_synchronizes(d, event);
    struct ck_item *item = ck_item_of(d, event->agent);
    if (!item)
        return;
    if (mm_acquires(event->order) && ck_fences_of(d, item))
        ck_fence_acquire(d, event, item);
    if (mm_releases(event->order))
        ck_fence_release(d, event, item);
    if (ck_fence_in(event->fence_flags, CK_REGION_IMAGE) && mm_acquires(event->order) &&
        mm_releases(event->order))
        item->image_fenced =
            ++item->time[CK_REGION_IMAGE]; /* writes before the fence are visible [CL 3.3.5 O6, O8] */
}

void ck_fences_free(struct ck_detector *d, struct ck_fences *fences)
{
    if (!fences)
        return;
    for (int s = 0; s < 2; s++) {
        for (int slot = 0; slot < CK_SLOTS; slot++) {
            struct ck_fence_clocks *fence = &fences->clocks[s][slot];
            ck_clock_drop(&d->clocks, fence->released);
            ck_clock_drop(&d->clocks, fence->released_by_both);
            ck_clock_drop(&d->clocks, fence->acquirable);
            ck_clock_drop(&d->clocks, fence->acquirable_other);
        }
    }
    while (fences->heads) {
        struct ck_release_head *h = fences->heads;
        fences->heads = h->next;
        ck_clock_drop(&d->clocks, h->main);
        ck_clock_drop(&d->clocks, h->other);
        ck_budget_free(&d->budget, h, sizeof *h);
    }
    ck_budget_free(&d->budget, fences, sizeof *fences);
}
