/* Shadow memory: for each accessed byte, the accesses that later ones may race with.
 *
 * Bytes that were always accessed together share a cell.  The cells of a page are as large as its first
 * access allows; a finer access splits all of them.  The state is exact to the byte and small for a buffer
 * that is filled at once.  See docs/detector.md#shadow-cells. */
#include "checker/race/agents.h"

#include <string.h>

/* ---- signatures ------------------------------------------------------------------------------- */

static bool is_signature(const struct ck_signature *a, const struct ck_signature *b)
{
    return a->source == b->source && a->size == b->size && a->meta == b->meta;
}

static uint32_t meta_of(const struct mm_event *event)
{
    uint32_t meta = event->kind == MM_READ    ? CK_META_READ
                    : event->kind == MM_WRITE ? CK_META_WRITE
                                              : CK_META_READ | CK_META_WRITE;
    if (event->attributes & MM_POSSIBLE)
        meta |= CK_META_POSSIBLE;
    if (mm_is_through_image(event))
        meta |= CK_META_THROUGH_IMAGE;
    if (event->attributes & MM_ATOMIC)
        meta |= CK_META_ATOMIC | (uint32_t)event->order << CK_META_ORDER_SHIFT |
                (uint32_t)event->scope << CK_META_SCOPE_SHIFT;
    return meta;
}

uint32_t ck_signature_of(struct ck_detector *d, const struct mm_event *event, uint32_t *meta)
{
    const struct ck_signature signature = {event->source, event->size, meta_of(event)};
    uint32_t *last = &d->shadow.last_signature[event->source % CK_LAST_SIGNATURES];
    *meta = signature.meta;
    if (*last && is_signature(&d->shadow.signatures[*last], &signature))
        return *last;
    uint64_t key = ((uint64_t)event->source << 32 | event->size) * 0x9e3779b97f4a7c15u ^ signature.meta;
    uintptr_t found;
    while ((found = (uintptr_t)mm_map_get(&d->shadow.signature_index, key)) &&
           !is_signature(&d->shadow.signatures[found - 1], &signature))
        key++;
    if (!found) {
        uint32_t next = d->shadow.signature_count ? d->shadow.signature_count : 1;
        if (!ck_budget_reserve(&d->budget, &d->shadow.signatures, &d->shadow.signature_capacity,
                               next + UINT64_C(1), sizeof *d->shadow.signatures) ||
            !ck_map_put(&d->shadow.signature_index, &d->budget, key, (void *)(uintptr_t)(next + UINT64_C(1))))
            return 0;
        d->shadow.signatures[next] = signature;
        d->shadow.signature_count = next + 1;
        found = d->shadow.signature_count;
    }
    return *last = (uint32_t)(found - 1);
}

/* ---- nodes -------------------------------------------------------------------------------- */

void ck_node_pop(struct ck_detector *d, struct ck_node **list)
{
    struct ck_node *node = *list;
    *list = node->next;
    ck_pool_give(&d->shadow.nodes, node);
}

void ck_nodes_free(struct ck_detector *d, struct ck_node **list)
{
    while (*list)
        ck_node_pop(d, list);
}

static void atomics_pop(struct ck_detector *d, struct ck_atomics **list)
{
    struct ck_atomics *a = *list;
    *list = a->next;
    ck_nodes_free(d, &a->reads);
    ck_nodes_free(d, &a->writes);
    ck_pool_give(&d->shadow.atomics, a);
}

void ck_atomics_free(struct ck_detector *d, struct ck_extra *extra)
{
    while (extra->atomics)
        atomics_pop(d, &extra->atomics);
}

/* The kernel at the top of the tree of device-side enqueues that has all agents with which AGENT may have
 * inclusive scopes in an access of scope SLOT; NULL: other agents may have them, too. */
static const struct ck_command *scope_root(struct ck_detector *d, uint64_t agent, enum ck_slot slot,
                                           const struct ck_memory *memory)
{
    bool in_tree = slot < CK_SLOT_DEVICE || (slot == CK_SLOT_DEVICE && memory->is_buffer);
    if (!in_tree || ck_is_host(agent) || (uint32_t)agent == MM_INDEX_RUNTIME)
        return NULL;
    const struct ck_command *command = ck_command_of(d, (uint32_t)(agent >> 32));
    return command ? ck_command_known(d, command->root) : NULL;
}

/* True if the accesses of NODE are of a complete command or a host thread, and happen before the start of
 * KERNEL in both regions of global memory. */
static bool precedes_start(const struct ck_command *kernel, const struct ck_node *node)
{
    uint64_t first = node->first.agent, last = first + (uint64_t)node->stride * (node->count - 1);
    uint64_t time = ck_is_host(first) ? node->first.time : CK_ALWAYS;
    return ck_clock_covers(kernel->start[CK_REGION_GLOBAL], first, last, time) &&
           ck_clock_covers(kernel->start[CK_REGION_IMAGE], first, last, time);
}

static void pop_preceding(struct ck_detector *d, struct ck_node **link, const struct ck_command *kernel)
{
    while (*link)
        if (precedes_start(kernel, *link))
            ck_node_pop(d, link);
        else
            link = &(*link)->next;
}

void ck_atomics_pop_preceding(struct ck_detector *d, struct ck_extra *extra, uint64_t agent,
                              enum ck_slot slot, const struct ck_memory *memory, bool writes)
{
    const struct ck_command *kernel = scope_root(d, agent, slot, memory);
    for (struct ck_atomics **link = &extra->atomics; kernel && *link;) {
        pop_preceding(d, &(*link)->reads, kernel);
        if (writes)
            pop_preceding(d, &(*link)->writes, kernel);
        if ((*link)->reads || (*link)->writes)
            link = &(*link)->next;
        else
            atomics_pop(d, link);
    }
}

/* Extends a run by an access that differs in the agent only, at the run's stride. */
static bool node_extend(struct ck_node *node, const struct ck_access_record *access)
{
    const struct ck_access_record *first = &node->first;
    if (first->time != access->time || first->signature != access->signature ||
        first->agent >> 32 != access->agent >> 32 || access->agent <= first->agent)
        return false;
    uint64_t distance = access->agent - first->agent;
    if (node->count == 1) {
        node->stride = (uint32_t)distance;
        node->count = 2;
        return true;
    }
    if (distance != (uint64_t)node->stride * node->count)
        return false;
    node->count++;
    return true;
}

enum { PRUNE_AT = 64, RUN_MAX = 256 };

/* True if newer nodes have an access of every agent of this one; else adds its agents to SEEN.  Long runs are
 * kept: expanding them costs more than they do. */
static bool is_superseded(struct ck_detector *d, struct mm_map *seen, const struct ck_node *node)
{
    uint32_t known = 0;
    if (node->count > RUN_MAX)
        return false;
    for (uint32_t i = 0; i < node->count; i++)
        known += mm_map_pointer(seen, node->first.agent + (uint64_t)node->stride * i) != NULL;
    for (uint32_t i = 0; known < node->count && i < node->count; i++)
        if (!ck_map_put(seen, &d->budget, node->first.agent + (uint64_t)node->stride * i, d))
            return false;
    return known == node->count;
}

/* Removes accesses that a later one of the same agent subsumes, so that the length of a list is bounded
 * by the number of agents.  Newer nodes come first. */
static void nodes_prune(struct ck_detector *d, struct ck_node **list)
{
    struct mm_map seen = {0};
    uint32_t depth = 0;
    for (struct ck_node **link = list; *link;) {
        if (is_superseded(d, &seen, *link)) {
            ck_node_pop(d, link);
        } else {
            link = &(*link)->next;
            depth++;
        }
    }
    (*list)->depth = depth;
    (*list)->limit = 2 * depth + PRUNE_AT;
    ck_map_clear(&seen, &d->budget);
}

bool ck_node_add(struct ck_detector *d, struct ck_node **list, const struct ck_access_record *access)
{
    struct ck_node *head = *list;
    if (head && (memcmp(&head->first, access, sizeof *access) == 0 || node_extend(head, access)))
        return true;
    struct ck_node *node = ck_pool_take(&d->shadow.nodes, &d->budget, sizeof *node);
    if (!node)
        return false;
    *node = (struct ck_node){
        .next = head, .first = *access, .stride = 1, .count = 1, .depth = 1, .limit = PRUNE_AT};
    if (head) {
        node->depth = head->depth + 1;
        node->limit = head->limit;
    }
    *list = node;
    if (node->depth > node->limit)
        nodes_prune(d, list);
    return true;
}

static bool nodes_copy(struct ck_detector *d, struct ck_node **out, const struct ck_node *list)
{
    *out = NULL;
    for (; list; list = list->next) {
        struct ck_node *node = ck_pool_take(&d->shadow.nodes, &d->budget, sizeof *node);
        if (!node)
            return false;
        *node = *list;
        node->next = NULL;
        *out = node;
        out = &node->next;
    }
    return true;
}

/* ---- cells -------------------------------------------------------------------------------- */

struct ck_extra *ck_cell_extra(struct ck_detector *d, struct ck_cell *cell)
{
    if (!cell->extra)
        cell->extra = ck_pool_take_zero(&d->shadow.extras, &d->budget, sizeof *cell->extra);
    return cell->extra;
}

static void extra_free(struct ck_detector *d, struct ck_extra *extra)
{
    if (!extra)
        return;
    ck_nodes_free(d, &extra->reads);
    ck_atomics_free(d, extra);
    ck_sync_free(d, extra->sync);
    ck_pool_give(&d->shadow.extras, extra);
}

static bool atomics_copy(struct ck_detector *d, struct ck_atomics **out, const struct ck_atomics *list)
{
    for (; list; list = list->next) {
        struct ck_atomics *a = ck_pool_take(&d->shadow.atomics, &d->budget, sizeof *a);
        if (!a)
            return false;
        *a = (struct ck_atomics){.key = list->key, .size = list->size, .slot = list->slot};
        *out = a;
        out = &a->next;
        if (!nodes_copy(d, &a->writes, list->writes) || !nodes_copy(d, &a->reads, list->reads))
            return false;
    }
    return true;
}

static bool cell_copy(struct ck_detector *d, struct ck_cell *to, const struct ck_cell *from)
{
    *to = *from;
    to->extra = NULL;
    if (!from->extra)
        return true;
    struct ck_extra *extra = ck_cell_extra(d, to);
    if (!extra)
        return false;
    if (from->extra->sync && !(extra->sync = ck_sync_copy(d, from->extra->sync)))
        return false;
    return nodes_copy(d, &extra->reads, from->extra->reads) &&
           atomics_copy(d, &extra->atomics, from->extra->atomics);
}

/* ---- accesses before an enqueue ----------------------------------------------------------------- */

static bool record_precedes(const struct ck_access_record *record, const struct ck_snapshot *of)
{
    return record->time && record->agent == ck_agent_key(of->agent) &&
           ck_clock_get(of->clock[CK_REGION_GLOBAL], record->agent) >= record->time;
}

static bool nodes_precede(const struct ck_node *node, const struct ck_snapshot *of)
{
    for (; node; node = node->next) {
        for (uint32_t i = 0; i < node->count; i++) {
            struct ck_access_record record = node->first;
            record.agent += (uint64_t)node->stride * i;
            if (record_precedes(&record, of))
                return true;
        }
    }
    return false;
}

bool ck_cell_precedes(const struct ck_cell *cell, const struct ck_snapshot *of)
{
    if (record_precedes(&cell->write, of) || record_precedes(&cell->read, of))
        return true;
    const struct ck_extra *extra = cell->extra;
    if (extra && nodes_precede(extra->reads, of))
        return true;
    for (const struct ck_atomics *a = extra ? extra->atomics : NULL; a; a = a->next)
        if (nodes_precede(a->writes, of) || nodes_precede(a->reads, of))
            return true;
    return false;
}

/* ---- pages -------------------------------------------------------------------------------- */

static uint64_t page_key(const struct ck_space *space, uint64_t number)
{
    return (uint64_t)(uintptr_t)space >> 4 ^ number * 0xc2b2ae3d27d4eb4fu;
}

static struct ck_page *find_page(const struct ck_detector *d, const struct ck_space *space, uint64_t number)
{
    uint64_t key = page_key(space, number), found;
    size_t at = 0;
    while ((found = mm_map_next(&d->shadow.pages, key, &at))) {
        struct ck_page *page = (struct ck_page *)(uintptr_t)found;
        if (page->space == space && page->number == number)
            return page;
    }
    return NULL;
}

static size_t cells_bytes(uint32_t granule_log)
{
    return sizeof(struct ck_cell) << (CK_PAGE_LOG - granule_log);
}

static struct ck_page *new_page(struct ck_detector *d, struct ck_space *space, uint64_t number,
                                uint32_t granule_log)
{
    bool listed = number < space->directory_count;
    struct ck_page *page = ck_budget_alloc(&d->budget, sizeof *page);
    struct ck_cell *cells = page ? ck_budget_alloc(&d->budget, cells_bytes(granule_log)) : NULL;
    if (!cells || (!listed && !ck_map_add(&d->shadow.pages, &d->budget, page_key(space, number), page))) {
        ck_budget_free(&d->budget, cells, cells_bytes(granule_log));
        ck_budget_free(&d->budget, page, sizeof *page);
        return NULL;
    }
    *page = (struct ck_page){
        .space = space, .number = number, .granule_log = granule_log, .cells = cells, .next = space->pages};
    space->pages = page;
    if (listed)
        space->directory[number] = page;
    return page;
}

struct ck_page *ck_page_of(struct ck_detector *d, struct ck_space *space, uint64_t number,
                           uint32_t granule_log)
{
    struct ck_page *page = space->last_page;
    if (page && page->number == number)
        return page;
    page = number < space->directory_count ? space->directory[number] : find_page(d, space, number);
    if (!page)
        page = new_page(d, space, number, granule_log);
    space->last_page = page;
    return page;
}

enum { DIRECTORY_MAX = 1 << 22 }; /* pages: 4 GiB */

void ck_space_size(struct ck_detector *d, struct ck_space *space, uint64_t bytes)
{
    uint64_t count = (bytes >> CK_PAGE_LOG) + ((bytes & (CK_PAGE - 1)) != 0);
    if (space->pages || space->directory || !count || count > DIRECTORY_MAX)
        return;
    space->directory = ck_budget_alloc(&d->budget, count * sizeof *space->directory);
    space->directory_count = space->directory ? count : 0;
}

bool ck_page_split(struct ck_detector *d, struct ck_page *page, uint32_t granule_log)
{
    uint32_t shift = page->granule_log - granule_log;
    size_t old_count = (size_t)1 << (CK_PAGE_LOG - page->granule_log);
    struct ck_cell *cells = ck_budget_alloc(&d->budget, cells_bytes(granule_log));
    if (!cells)
        return false;
    bool ok = true;
    for (size_t i = 0; i < old_count << shift; i++) {
        const struct ck_cell *from = &page->cells[i >> shift];
        if (i & (((size_t)1 << shift) - 1))
            ok = cell_copy(d, &cells[i], from) && ok;
        else
            cells[i] = *from; /* the first part takes ownership */
    }
    ck_budget_free(&d->budget, page->cells, cells_bytes(page->granule_log));
    page->cells = cells;
    page->granule_log = granule_log;
    return ok;
}

static void page_free(struct ck_detector *d, struct ck_page *page)
{
    size_t count = (size_t)1 << (CK_PAGE_LOG - page->granule_log);
    for (size_t i = 0; i < count; i++)
        extra_free(d, page->cells[i].extra);
    ck_budget_free(&d->budget, page->cells, cells_bytes(page->granule_log));
    ck_budget_free(&d->budget, page, sizeof *page);
}

void ck_space_clear(struct ck_detector *d, struct ck_space *space)
{
    while (space->pages) {
        struct ck_page *page = space->pages;
        space->pages = page->next;
        if (page->number >= space->directory_count)
            mm_map_remove(&d->shadow.pages, page_key(space, page->number), (uintptr_t)page);
        page_free(d, page);
    }
    ck_budget_free(&d->budget, space->directory, space->directory_count * sizeof *space->directory);
    space->directory = NULL;
    space->directory_count = 0;
    space->last_page = NULL;
}

void ck_shadow_clear(struct ck_detector *d)
{
    ck_map_clear(&d->shadow.pages, &d->budget);
    ck_pool_clear(&d->shadow.nodes, &d->budget, sizeof(struct ck_node));
    ck_pool_clear(&d->shadow.extras, &d->budget, sizeof(struct ck_extra));
    ck_pool_clear(&d->shadow.atomics, &d->budget, sizeof(struct ck_atomics));
    ck_map_clear(&d->shadow.signature_index, &d->budget);
    ck_budget_free(&d->budget, d->shadow.signatures,
                   d->shadow.signature_capacity * sizeof *d->shadow.signatures);
    d->shadow.signatures = NULL;
    d->shadow.signature_count = 0;
    d->shadow.signature_capacity = 0;
    memset(d->shadow.last_signature, 0, sizeof d->shadow.last_signature);
}
