/* Accesses: each is checked against the shadow cells of its bytes and then recorded in them
 * [CL 3.3.6 G4, G17, H19].
 *
 * An access is removed from a cell once a later one subsumes it: every access that would race with the
 * removed one also races with the one that is kept.  A plain write subsumes everything ordered before it, a
 * plain read plain reads, an atomic the atomics of the same scope instance that write no more than it does.
 * See docs/detector.md#shadow-cells and docs/detector.md#soundness. */
#include "checker/race/access.h"

#include <string.h>

/* True if the narrower of the two scopes includes both agents [CL 3.3.5 O101]. */
static bool in_narrower_scope(const struct access *x, const struct ck_atomics *a, uint64_t agent)
{
    enum ck_slot slot = (enum ck_slot)(a->slot < x->slot ? a->slot : x->slot);
    return slot < CK_SLOTS && ck_scope_instance(x->d, agent, slot, x->memory) ==
                                  ck_scope_instance(x->d, x->record.agent, slot, x->memory);
}

/* True if the atomic access X and one of A by AGENT are of the same bytes and have inclusive scopes. */
static bool is_inclusive(const struct access *x, const struct ck_atomics *a, uint64_t agent)
{
    return a->slot != CK_SLOT_NONE && x->slot != CK_SLOT_NONE && a->size == x->event->size &&
           in_narrower_scope(x, a, agent);
}

void ck_access_check_nodes(const struct access *x, const struct ck_node *node,
                           const struct ck_atomics *scoped)
{
    for (; node; node = node->next) {
        if (node->count > 1 && is_node_ordered(x, node))
            continue;
        for (uint32_t i = 0; i < node->count; i++) {
            struct ck_access_record earlier = node_member(node, i);
            if (!scoped || !is_inclusive(x, scoped, earlier.agent))
                access_check(x, &earlier);
        }
    }
}

/* True if X subsumes the accesses of NODE, which are ordered before X.  Where scopes may differ, inclusion
 * also depends on the sub-groups of the agents: a later access may race with an access of NODE and not with
 * X. */
static bool access_subsumes(const struct access *x, const struct ck_node *node)
{
    return !mm_revision_wider_scopes(x->d->options.revision) || x->slot == CK_SLOT_NONE ||
           (node->count == 1 && node->first.agent == x->record.agent);
}

/* Adds this access to LIST after removing the leading runs that it subsumes. */
static void access_enter(const struct access *x, struct ck_node **list)
{
    while (*list && access_subsumes(x, *list) && is_node_ordered(x, *list))
        ck_node_pop(x->d, list);
    ck_node_add(x->d, list, &x->record);
}

/* ---- atomic ------------------------------------------------------------------------------- */

static struct ck_atomics *atomics_of(const struct access *x, struct ck_extra *extra)
{
    struct ck_atomics *a = extra->atomics;
    while (a && (a->key != x->key || a->slot != x->slot || a->size != x->event->size))
        a = a->next;
    if (!a && (a = ck_pool_take_zero(&x->d->shadow.atomics, &x->d->budget, sizeof *a))) {
        a->key = x->key;
        a->slot = x->slot;
        a->size = x->event->size;
        a->next = extra->atomics;
        extra->atomics = a;
    }
    return a;
}

/* Checks the cell's atomic accesses.  Atomic operations on overlapping, unequal sets of bytes are on
 * different objects [CL 3.3.6 G5, A6]. */
static void check_atomics(const struct access *x, const struct ck_extra *extra, bool writes)
{
    for (struct ck_atomics *a = extra->atomics; a; a = a->next) {
        bool inclusive = a->key == x->key && a->slot == x->slot && x->slot != CK_SLOT_NONE;
        if (inclusive && a->size == x->event->size)
            continue;
        const struct ck_atomics *scoped = mm_revision_wider_scopes(x->d->options.revision) ? a : NULL;
        ck_access_check_nodes(x, a->writes, scoped);
        if (writes)
            ck_access_check_nodes(x, a->reads, scoped);
    }
}

static void atomic_access(const struct access *x, struct ck_cell *cell)
{
    bool writes = x->meta & CK_META_WRITE;
    struct ck_extra *extra = ck_cell_extra(x->d, cell);
    if (!extra)
        return;
    access_check(x, &cell->write);
    if (writes) {
        access_check(x, &cell->read);
        ck_access_check_nodes(x, extra->reads, NULL);
    }
    check_atomics(x, extra, writes);
    struct ck_atomics *own = atomics_of(x, extra);
    if (!own)
        return;
    bool first = writes ? !own->writes : !own->reads;
    if (writes) {
        while (own->reads && access_subsumes(x, own->reads) && is_node_ordered(x, own->reads))
            ck_node_pop(x->d, &own->reads);
        access_enter(x, &own->writes);
    } else {
        access_enter(x, &own->reads);
    }
    if (first && extra->atomics->next)
        ck_atomics_pop_preceding(x->d, extra, x->record.agent, (enum ck_slot)x->slot, x->memory, writes);
}

/* ---- all cells of an access ---------------------------------------------------------------- */

static bool event_writes(const struct mm_event *event)
{
    return event->kind != MM_READ;
}

static bool was_written(const struct ck_cell *cell)
{
    if (cell->write.time)
        return true;
    const struct ck_atomics *a = cell->extra ? cell->extra->atomics : NULL;
    while (a && !a->writes)
        a = a->next;
    return a != NULL;
}

static void cell_check(struct access *x, struct ck_cell *cell)
{
    if (x->region == CK_REGION_IMAGE && !(x->meta & CK_META_WRITE))
        x->unfenced =
            x->unfenced || (cell->write.agent == x->record.agent && cell->write.time >= x->image_fenced);
    if (x->fresh && was_written(cell))
        x->fresh = false;
    if (x->meta & CK_META_ATOMIC)
        atomic_access(x, cell);
    else if (x->meta & CK_META_WRITE)
        ck_plain_write(x, cell);
    else
        ck_plain_read(x, cell);
}

/* A plain write ends a release sequence, unless the head of the sequence is of the same agent. */
static void cell_release(struct access *x, struct ck_cell *cell)
{
    bool atomic = x->meta & CK_META_ATOMIC;
    if (!atomic && (!cell->extra || !cell->extra->sync))
        return;
    struct ck_extra *extra = ck_cell_extra(x->d, cell);
    if (!extra)
        return;
    if (!extra->sync) {
        extra->sync = ck_budget_alloc(&x->d->budget, sizeof *extra->sync);
        if (!extra->sync)
            return;
        extra->sync->id = ++x->d->next_sync;
    }
    if (!x->d->options.weak) {
        x->released |=
            ck_sync_release(x->d, x->event, x->record.agent, x->item, x->memory, extra->sync, x->at);
        return;
    }
    struct ck_sync *made = ck_weak_begin(x->d, x->event, &extra->sync);
    if (!made)
        return;
    x->released |= ck_sync_release(x->d, x->event, x->record.agent, x->item, x->memory, made, x->at);
    ck_weak_end(x->d, &extra->sync, made);
}

static void cell_acquire(struct access *x, struct ck_cell *cell)
{
    const struct ck_sync *sync = cell->extra ? cell->extra->sync : NULL;
    if (sync && x->d->options.weak)
        sync = ck_weak_read(x->d, sync);
    if (sync)
        ck_sync_acquire(x->d, x->event, x->item, x->memory, sync);
}

/* A migration to a device carries what commands of other devices wrote, so it conflicts with their unordered
 * writes; commands of the same device use the copy that is already there. */
static void cell_check_migration(struct access *x, struct ck_cell *cell)
{
    uint64_t writer = cell->write.agent;
    if (!cell->write.time || ck_is_host(writer) || is_ordered(x, &cell->write))
        return;
    const struct ck_command *a = ck_command_of(x->d, (uint32_t)(writer >> 32));
    const struct ck_command *b = ck_command_of(x->d, x->event->agent.command);
    if (a && b && a->info.device != b->info.device)
        access_report_race(x, &cell->write);
}

/* Checks an access to a buffer against EARLIER, an access to an image created from it, or vice versa.  What a
 * work-item wrote through one view may be read through the other only once the command is complete: no
 * synchronization within a launch suffices, not even program order [CL 5.3.1 R24].  Accesses that are not a
 * write followed by a read must be ordered in the region of one of the views [CL 5.3.1 R23]. */
static void view_check(struct access *x, const struct ck_access_record *earlier)
{
    const struct ck_signature *signature = &x->d->shadow.signatures[earlier->signature];
    bool read_back = earlier->signature && signature->meta & CK_META_WRITE && x->meta & CK_META_READ;
    bool item = !ck_is_host(earlier->agent) && (uint32_t)earlier->agent != MM_INDEX_RUNTIME;
    if (!earlier->time || ck_clock_get(x->clock, earlier->agent) >= (item ? CK_ALWAYS : earlier->time))
        return;
    if (earlier->agent == x->record.agent)
        x->other_view = x->other_view || (item && read_back);
    else if (read_back || ck_clock_get(x->other_clock, earlier->agent) < earlier->time)
        access_report_race(x, earlier);
}

static void view_check_nodes(struct access *x, const struct ck_node *node)
{
    for (; node; node = node->next)
        for (uint32_t i = 0; i < node->count; i++) {
            struct ck_access_record earlier = node_member(node, i);
            view_check(x, &earlier);
        }
}

static void cell_check_view(struct access *x, struct ck_cell *cell)
{
    const struct ck_extra *extra = cell->extra;
    bool writes = x->meta & CK_META_WRITE;
    view_check(x, &cell->write);
    if (writes)
        view_check(x, &cell->read);
    if (writes && extra)
        view_check_nodes(x, extra->reads);
    for (const struct ck_atomics *a = extra ? extra->atomics : NULL; a; a = a->next) {
        view_check_nodes(x, a->writes);
        if (writes)
            view_check_nodes(x, a->reads);
    }
}

/* Fine-grained SVM: if a work-item that enqueued this command or one of its ancestors accessed the cell
 * before the enqueue, that work-item's clock at the enqueue happens before this access [CL 3.3.6 H1]. */
static void cell_inherit(struct access *x, struct ck_cell *cell)
{
    const struct ck_command *command = ck_command_of(x->d, x->event->agent.command);
    for (; command && command->enqueuer; command = ck_command_parent(x->d, command)) {
        const struct ck_snapshot *of = command->enqueuer;
        if (ck_cell_precedes(cell, of))
            ck_clock_join(&x->d->clocks, &x->item->clock[CK_REGION_GLOBAL], of->clock[CK_REGION_GLOBAL]);
    }
}

/* Calls VISIT for each cell of the access in SPACE; cells are split at its ends.  False: out of memory. */
static bool visit_cells(struct access *x, struct ck_space *space,
                        void (*visit)(struct access *x, struct ck_cell *cell))
{
    uint64_t offset = x->offset, end = offset + x->event->size;
    while (offset < end) {
        uint64_t number = offset >> CK_PAGE_LOG, base = number << CK_PAGE_LOG;
        uint32_t first = (uint32_t)(offset - base);
        uint32_t last = end - base < CK_PAGE ? (uint32_t)(end - base) : CK_PAGE;
        uint32_t granule = (uint32_t)__builtin_ctz(first | last | CK_PAGE);
        struct ck_page *page = ck_page_of(x->d, space, number, granule);
        if (!page || (page->granule_log > granule && !ck_page_split(x->d, page, granule)))
            return false;
        x->cell_bytes = 1u << page->granule_log;
        for (uint32_t i = first >> page->granule_log; i < last >> page->granule_log; i++) {
            x->at = base + ((uint64_t)i << page->granule_log);
            visit(x, &page->cells[i]);
        }
        offset = base + last;
    }
    return true;
}

static bool is_shared(const struct ck_memory *memory)
{
    return memory->object && memory->object->device_copies > 1;
}

/* True for a migration of an object between devices: the program does not access the object, but an unordered
 * write of another device may be lost [CL 3.3.6 H25, CL A.1]. */
static bool is_migration(const struct ck_memory *memory, const struct mm_event *event)
{
    return is_shared(memory) && event->agent.index == MM_INDEX_RUNTIME && event->semantics == MM_TRANSFER;
}

/* The shadow space of an access; the copies of a memory object on several devices share one. */
static struct ck_space *space_of(struct ck_detector *d, struct ck_memory *memory,
                                 const struct mm_event *event)
{
    struct ck_memory *object = memory->object;
    if (memory->region == CK_REGION_LOCAL)
        return ck_local_space(d, memory, event->agent);
    if (!is_shared(memory))
        return &memory->space;
    if (!object->whole.pages)
        ck_space_size(d, &object->whole, object->info.size);
    return &object->whole;
}

/* The shadow space of accesses through images that were created from LOCATION. */
static struct ck_space *view_of(struct ck_memory *memory)
{
    return is_shared(memory) ? &memory->object->view : &memory->view;
}

static bool is_mapped(const struct ck_memory *memory)
{
    return memory->mappings || (memory->object && memory->object->mappings);
}

/* True if the access is by a command that a work-item enqueued. */
static bool is_enqueued(struct ck_detector *d, const struct mm_event *event)
{
    const struct ck_command *command = event->agent.command ? ck_command_of(d, event->agent.command) : NULL;
    return command && command->enqueuer;
}

/* The allocation that the event accesses; NULL: unknown. */
static struct ck_memory *memory_of(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_memory *memory = d->last.memory;
    if (!memory || memory->info.id != event->allocation)
        memory = mm_map_pointer(&d->maps.memory, event->allocation);
    if (memory)
        d->last.memory = memory;
    return memory;
}

/* Finds the memory and the shadow memory of the access; false: the access is not checked. */
static bool find_memory(struct access *x)
{
    const struct mm_event *event = x->event;
    struct ck_memory *memory = memory_of(x->d, event);
    if (!memory || !memory->checked || !event->size ||
        (event->kind == MM_WRITE && is_migration(memory, event)))
        return false;
    x->offset = event->offset + (memory->parent ? memory->parent_offset : 0);
    x->memory = memory = memory->parent ? memory->parent : memory;
    bool through_image = mm_is_through_image(event) && memory->region == CK_REGION_GLOBAL;
    struct ck_space *buffer = space_of(x->d, memory, event), *view = view_of(memory);
    x->through_image = through_image;
    x->region = through_image ? CK_REGION_IMAGE : (enum ck_region)memory->region;
    x->space = through_image ? view : buffer;
    x->other = through_image ? buffer : view;
    return x->space != NULL;
}

/* The agent's state, and its state in the current asynchronous copy (NULL: it is in none).  Where the access
 * only reads the state, FRESH is that of an agent without one.  NULL: out of memory. */
static const struct ck_item *find_agent(struct access *x, bool inherits, struct ck_copy **copy,
                                        struct ck_item *fresh)
{
    struct ck_detector *d = x->d;
    bool atomic = x->event->attributes & MM_ATOMIC;
    bool only_reads = !atomic && !inherits && !(event_writes(x->event) && d->next_sync);
    *copy = mm_is_copy(x->event) ? ck_copy_of(d, x->event) : NULL;
    if (*copy) {
        (*copy)->accesses[x->region] = true;
        x->item = &(*copy)->item;
    } else if (only_reads)
        return ck_item_peek(d, x->event->agent, fresh);
    else
        x->item = ck_item_of(d, x->event->agent);
    return x->item;
}

/* Whether ck_plain_access() may check the accesses to MEMORY, until the next command or record. */
static bool is_plain(struct ck_memory *memory)
{
    return memory->region != CK_REGION_IMAGE && !memory->parent && !memory->fine && !is_shared(memory) &&
           !is_mapped(memory) && !memory->released.time && !view_of(memory)->pages;
}

/* Checks the write-back of a migration against writes of commands of other devices, in both views. */
static void check_migration(struct access *x, const struct ck_item *agent)
{
    visit_cells(x, x->space, cell_check_migration);
    x->clock = agent->clock[CK_REGION_IMAGE];
    if (view_of(x->memory)->pages)
        visit_cells(x, view_of(x->memory), cell_check_migration);
}

/* Checks the access against earlier ones of both views; false: out of memory. */
static bool check_cells(struct access *x)
{
    bool simple =
        !(x->meta & CK_META_ATOMIC) && !x->fresh && x->region != CK_REGION_IMAGE && ck_plain_touch(x);
    if (!simple && !visit_cells(x, x->space, cell_check))
        return false;
    return !x->other->pages || x->memory->region != CK_REGION_GLOBAL ||
           visit_cells(x, x->other, cell_check_view);
}

/* What the shadow cells keep of the access by AGENT. */
static void describe_access(struct access *x, const struct ck_item *agent, const struct ck_copy *copy)
{
    const struct mm_event *event = x->event;
    x->image_fenced = agent->image_fenced;
    x->record = (struct ck_access_record){copy ? copy->key : ck_agent_key(event->agent),
                                          agent->time[x->region], ck_signature_of(x->d, event, &x->meta)};
}

/* Finds the scope instance of an atomic access; one that reads acquires.  False: out of memory. */
static bool acquire_cells(struct access *x)
{
    x->slot = (uint8_t)ck_slot_reduced(ck_slot_of(x->event), x->memory);
    x->key = ck_scope_instance(x->d, x->record.agent, (enum ck_slot)x->slot, x->memory);
    return x->event->kind == MM_WRITE || visit_cells(x, x->space, cell_acquire);
}

static void check_mapping(const struct access *x)
{
    const struct mm_event *event = x->event;
    if (is_mapped(x->memory) && event->agent.command && event->semantics != MM_TRANSFER &&
        event->semantics != MM_RELEASED)
        ck_map_check(x->d, x->memory, event, x->clock);
}

/* Reports reads of memory that was not written, and of what the same work-item wrote without an image fence
 * or through the other view. */
static void report_reads(const struct access *x)
{
    const struct mm_event *event = x->event;
    if (x->fresh)
        ck_finding_uninitialized(x->d, event);
    if ((x->unfenced || x->other_view) && x->d->options.memory && event->agent.command &&
        event->agent.index != MM_INDEX_RUNTIME)
        ck_finding_own_write(x->d, event, x->unfenced, x->other_view);
}

/* Publishes the agent's clock in release sequences, which only buffers have. */
static void release_cells(struct access *x)
{
    struct ck_space *buffer = x->through_image ? x->other : x->space;
    if (x->item && event_writes(x->event) && buffer->pages)
        visit_cells(x, buffer, cell_release);
    if (x->released)
        ck_item_advance(x->item, x->record.agent, (enum ck_region)x->memory->region);
}

/* An access visits its cells up to five times: it inherits the clocks of enqueuers, acquires, is checked and
 * recorded, is checked against the other view, and releases, in this order. */
void ck_race_access(struct ck_detector *d, const struct mm_event *event)
{
    struct access x; /* not zeroed as a whole, which takes a third of this function's time */
    x.d = d;
    x.event = event;
    x.item = NULL;
    x.unfenced = x.other_view = x.released = false;
    struct ck_item fresh;
    struct ck_copy *copy;
    if (!find_memory(&x))
        return;
    bool inherits = x.memory->fine && !x.through_image && is_enqueued(d, event);
    const struct ck_item *agent = find_agent(&x, inherits, &copy, &fresh);
    if (!agent)
        return;
    describe_access(&x, agent, copy);
    if (inherits && !visit_cells(&x, x.space, cell_inherit))
        return;
    if (event->attributes & MM_ATOMIC && !acquire_cells(&x))
        return;
    x.clock = agent->clock[x.region];
    if (copy && !(agent = ck_item_of(d, event->agent))) /* a copy has no clock for images: use its caller's */
        return;
    x.other_clock = agent->clock[x.through_image ? CK_REGION_GLOBAL : CK_REGION_IMAGE];
    check_mapping(&x);
    if (x.memory->released.time || (event->kind == MM_WRITE && event->semantics == MM_RELEASED))
        ck_release_check(d, x.memory, event, &x.record, x.clock);
    if (is_migration(x.memory, event)) {
        check_migration(&x, agent);
        return;
    }
    if (x.through_image)
        ck_plain_forget(d);
    else if (is_plain(x.memory))
        d->last.plain[event->allocation % CK_PLAIN] = x.memory;
    x.fresh = x.memory->region == CK_REGION_LOCAL && event->kind != MM_WRITE && d->options.uninitialized;
    if (!check_cells(&x))
        return;
    report_reads(&x);
    release_cells(&x);
}
