/* Plain accesses, which most events are: the cells of one page, and the whole of an access by a work-item to
 * memory that needs no other check. */
#include "checker/race/access.h"

#include <string.h>

static inline void read_cell(const struct access *x, struct ck_cell *cell)
{
    access_check(x, &cell->write);
    struct ck_extra *extra = cell->extra;
    for (struct ck_atomics *a = extra ? extra->atomics : NULL; a; a = a->next)
        ck_access_check_nodes(x, a->writes, NULL);
    if (cell->read.time && !is_ordered(x, &cell->read)) {
        extra = ck_cell_extra(x->d, cell);
        if (!extra)
            return;
        while (extra->reads && is_node_ordered(x, extra->reads))
            ck_node_pop(x->d, &extra->reads);
        ck_node_add(x->d, &extra->reads, &cell->read);
    }
    cell->read = x->record;
}

static inline void write_cell(const struct access *x, struct ck_cell *cell)
{
    access_check(x, &cell->write);
    struct ck_extra *extra = cell->extra;
    access_check(x, &cell->read);
    if (extra) {
        ck_access_check_nodes(x, extra->reads, NULL);
        for (struct ck_atomics *a = extra->atomics; a; a = a->next) {
            ck_access_check_nodes(x, a->writes, NULL);
            ck_access_check_nodes(x, a->reads, NULL);
        }
        ck_nodes_free(x->d, &extra->reads);
        ck_atomics_free(x->d, extra);
    }
    cell->read.time = 0;
    cell->write = x->record;
}

void ck_plain_read(const struct access *x, struct ck_cell *cell)
{
    read_cell(x, cell);
}

void ck_plain_write(const struct access *x, struct ck_cell *cell)
{
    write_cell(x, cell);
}

/* The cells of the access where one page has them and they are no larger than it; NULL: otherwise. */
static inline struct ck_cell *cells_of(const struct access *x, uint32_t *granule_log)
{
    struct ck_space *space = x->space;
    uint64_t number = x->offset >> CK_PAGE_LOG;
    uint32_t first = (uint32_t)(x->offset & (CK_PAGE - 1)), size = x->event->size;
    struct ck_page *page = space->last_page && space->last_page->number == number ? space->last_page
                           : number < space->directory_count                      ? space->directory[number]
                                                                                  : NULL;
    if (!page || size > CK_PAGE - first || (first | size) & ((1u << page->granule_log) - 1))
        return NULL;
    space->last_page = page;
    *granule_log = page->granule_log;
    return &page->cells[first >> page->granule_log];
}

static inline void touch_cells(struct access *x, struct ck_cell *cell, uint32_t granule_log)
{
    bool is_write = x->meta & CK_META_WRITE;
    x->cell_bytes = 1u << granule_log;
    x->at = x->offset;
    for (uint32_t left = x->event->size >> granule_log; left; left--, cell++, x->at += x->cell_bytes)
        if (is_write)
            write_cell(x, cell);
        else
            read_cell(x, cell);
}

bool ck_plain_touch(struct access *x)
{
    uint32_t granule_log;
    struct ck_cell *cell = cells_of(x, &granule_log);
    if (cell)
        touch_cells(x, cell, granule_log);
    return cell != NULL;
}

void ck_plain_forget(struct ck_detector *d)
{
    memset(d->last.plain, 0, sizeof d->last.plain);
}

/* The shadow memory of MEMORY for a work-item of the group of the last lookup; NULL: another group. */
static inline struct ck_space *space_of_last(const struct ck_detector *d, struct ck_memory *memory,
                                             uint64_t agent)
{
    const struct ck_last *last = &d->last;
    if (memory->region != CK_REGION_LOCAL)
        return &memory->space;
    bool is_last = last->group && agent >= last->group_key && agent < last->group_end;
    struct ck_space *space = is_last ? last->group->locals : NULL;
    while (space && space->allocation != memory->info.id)
        space = space->next;
    return space;
}

/* Clock and time of a work-item that has state in the last chunk, or none yet; false: neither. */
static inline bool find_time(const struct ck_detector *d, struct access *x)
{
    struct mm_agent agent = x->event->agent;
    uint64_t at = x->record.agent - d->last.chunk_key;
    const struct ck_command *command = d->last.command;
    if (d->last.chunk && at < CK_ITEM_CHUNK && d->last.chunk[at].time[0]) {
        x->clock = d->last.chunk[at].clock[x->region];
        x->record.time = d->last.chunk[at].time[x->region];
        return true;
    }
    size_t chunk = agent.index / CK_ITEM_CHUNK;
    if (!command || command->info.id != agent.command ||
        (chunk < command->chunk_count && command->chunks[chunk]))
        return false;
    x->clock = command->start[x->region];
    x->record.time = 1;
    return true;
}

/* Whether ck_race_access() has to handle the access: it also ends release sequences, and notes reads of local
 * memory that was not written. */
static inline bool needs_race_access(const struct access *x, const struct ck_cell *cell, uint32_t granule_log)
{
    const struct ck_detector *d = x->d;
    bool is_write = x->event->kind == MM_WRITE;
    for (uint32_t k = 0; is_write && d->next_sync && k < x->event->size >> granule_log; k++)
        if (cell[k].extra)
            return true;
    return !is_write && d->options.uninitialized && x->region == CK_REGION_LOCAL && !cell->write.time;
}

/* As ck_signature_of() for the plain EVENT, with a cache; sets META. */
static inline uint32_t signature_of(struct ck_detector *d, const struct mm_event *event, uint32_t *meta)
{
    const struct ck_shadow *shadow = &d->shadow;
    uint32_t last = shadow->last_signature[event->source % CK_LAST_SIGNATURES];
    const struct ck_signature *s = last ? &shadow->signatures[last] : NULL;
    *meta = event->kind == MM_READ ? CK_META_READ : CK_META_WRITE;
    bool same = s && s->source == event->source && s->size == event->size && s->meta == *meta;
    return same ? last : ck_signature_of(d, event, meta);
}

bool ck_plain_access(struct ck_detector *d, const struct mm_event *event)
{
    struct ck_memory *memory = d->last.plain[event->allocation % CK_PLAIN];
    if (!memory || memory->info.id != event->allocation || event->semantics != 0 ||
        event->attributes & (MM_ATOMIC | MM_POSSIBLE) || !event->agent.command ||
        event->agent.index == MM_INDEX_RUNTIME || !event->size)
        return false;
    struct access x;
    uint32_t granule_log;
    x.d = d;
    x.event = event;
    x.memory = memory;
    x.offset = event->offset;
    x.region = (enum ck_region)memory->region;
    x.record.agent = ck_agent_key(event->agent);
    x.space = space_of_last(d, memory, x.record.agent);
    if (!x.space || !find_time(d, &x))
        return false;
    struct ck_cell *cell = cells_of(&x, &granule_log);
    if (!cell || needs_race_access(&x, cell, granule_log))
        return false;
    x.record.signature = signature_of(d, event, &x.meta);
    touch_cells(&x, cell, granule_log);
    return true;
}
