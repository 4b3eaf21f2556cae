/* Memory that parts of the program access: intervals of bytes, and the cells where several parts conflict
 * (README.md#footprints). */
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "tools/commands/record.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INTERVALS = 1 << 22, MAX_CELLS = 4096, RECENT = 8, MAX_ACTIVE = 4096 };

/* ---- memory objects ----------------------------------------------------------------------------- */

static const struct mm_allocation *allocation_at(const struct hc_record *record, uint32_t id)
{
    uint64_t index = mm_map_get(&record->reading.allocation_of, id);
    return index ? &record->allocations[index - 1] : NULL;
}

/* The allocation that A is a part of, or A. */
static const struct mm_allocation *find_container(const struct hc_record *record,
                                                  const struct mm_allocation *a)
{
    if (a->origin != MM_ORIGIN_SUB_BUFFER && a->origin != MM_ORIGIN_BUFFER)
        return a;
    for (uint32_t i = 0; i < record->allocation_count; i++) {
        const struct mm_allocation *other = &record->allocations[i];
        bool same = other->region == a->region && other->id != a->id && other->origin != MM_ORIGIN_SUB_BUFFER;
        if (same && ck_allocation_lies_in(a, other))
            return other;
    }
    return a;
}

/* The first copy of a memory object, of which there is one for each device. */
static const struct mm_allocation *first_copy(const struct hc_record *record, const struct mm_allocation *a)
{
    for (uint32_t i = 0; a->object && i < record->allocation_count; i++)
        if (record->allocations[i].object == a->object)
            return &record->allocations[i];
    return a;
}

/* The root object that contains allocation ID, as index of an allocation; adds the offset of ID in it to
 * *OFFSET. HC_NONE: memory that commands do not share. */
static uint32_t root_of(struct hc_record *record, uint32_t id, uint64_t *offset)
{
    const struct mm_allocation *a = allocation_at(record, id);
    if (!a || a->region == MM_LOCAL || a->region == MM_PRIVATE || a->region == MM_PIPE ||
        a->region == MM_REGION_NONE)
        return HC_NONE;
    const struct mm_allocation *whole = find_container(record, a);
    *offset += whole != a ? a->address - whole->address : 0;
    uint64_t known = mm_map_get(&record->reading.root_of, id);
    if (!known) {
        known = (uint64_t)(first_copy(record, whole) - record->allocations) + 1;
        mm_map_put(&record->reading.root_of, id, known);
    }
    return (uint32_t)known - 1;
}

/* ---- intervals ---------------------------------------------------------------------------------- */

static uint8_t kind_of(const struct mm_event *e)
{
    bool atomic = e->attributes & MM_ATOMIC;
    return (uint8_t)((mm_reads(e) ? (atomic ? HC_ATOMIC_READ : HC_READ) : 0) |
                     (mm_writes(e) ? (atomic ? HC_ATOMIC_WRITE : HC_WRITE) : 0));
}

static bool is_alike(const struct hc_interval *i, const struct hc_interval *added)
{
    return i->part == added->part && i->root == added->root && i->kind == added->kind &&
           i->scope == added->scope;
}

static bool merge_interval(struct hc_interval *i, const struct hc_interval *added)
{
    if (!is_alike(i, added) || added->from > i->to || added->to < i->from)
        return false;
    i->several |= added->from != i->from || added->to != i->to;
    i->from = added->from < i->from ? added->from : i->from;
    i->to = added->to > i->to ? added->to : i->to;
    return true;
}

void hc_footprint_add(struct hc_record *record, uint32_t part, const struct mm_event *e)
{
    uint64_t offset = e->offset;
    struct hc_part *p = &record->parts[part];
    struct hc_interval added = {.part = part, .kind = kind_of(e), .sample = *e};
    p->kinds |= added.kind;
    added.root = root_of(record, e->allocation, &offset);
    if (added.root == HC_NONE || e->size == 0)
        return;
    added.scope = added.kind & HC_ATOMICS ? e->scope : MM_SCOPE_NONE;
    added.from = offset;
    added.to = offset + e->size;
    for (unsigned i = 0; i < RECENT; i++)
        if (p->last[i] && merge_interval(&record->intervals[p->last[i] - 1], &added))
            return;
    if (record->interval_count == MAX_INTERVALS)
        hc_limit(record, "explore.footprint", "limit reached: 4194304 intervals of bytes that are accessed");
    else if (!mm_append(&record->intervals, &record->interval_count, &added))
        hc_limit(record, "memory", "out of memory");
    else
        p->last[p->next_last++ % RECENT] = record->interval_count;
}

static int compare_intervals(const void *x, const void *y)
{
    const struct hc_interval *a = x, *b = y;
    if (a->root != b->root)
        return a->root < b->root ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static bool is_kept(const struct hc_record *record, const struct hc_interval *i)
{
    uint32_t node = record->parts[i->part].node;
    return node != HC_NONE && !record->nodes[node].dropped;
}

static void merge_all(struct hc_record *record)
{
    uint32_t kept = 0;
    if (record->interval_count)
        qsort(record->intervals, record->interval_count, sizeof *record->intervals, compare_intervals);
    for (uint32_t i = 0; i < record->interval_count; i++) {
        const struct hc_interval next = record->intervals[i];
        if (is_kept(record, &next) && !(kept && merge_interval(&record->intervals[kept - 1], &next)))
            record->intervals[kept++] = next;
    }
    record->interval_count = kept;
}

/* ---- cells -------------------------------------------------------------------------------------- */

struct bound { /* the begin or the end of interval INDEX */
    uint32_t root, index;
    uint64_t at;
    bool begins;
};
struct sweep {
    struct hc_record *record;
    struct mm_map cells; /* by hash of the members: index plus 1 */
    uint32_t active[MAX_ACTIVE], count;
    struct hc_member members[MAX_ACTIVE];
};

static int compare_bounds(const void *x, const void *y)
{
    const struct bound *a = x, *b = y;
    if (a->root != b->root)
        return a->root < b->root ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (int)a->begins - (int)b->begins;
}

static int compare_members(const void *x, const void *y)
{
    const struct hc_member *a = x, *b = y;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

/* One member for each part and scope. */
static uint32_t gather_members(struct sweep *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct hc_interval *at = &s->record->intervals[s->active[i]];
        s->members[i] = (struct hc_member){at->part, s->active[i], at->kind, at->scope};
    }
    qsort(s->members, s->count, sizeof *s->members, compare_members);
    for (uint32_t i = 0; i < s->count; i++) {
        struct hc_member *last = count ? &s->members[count - 1] : NULL;
        if (last && last->part == s->members[i].part && last->scope == s->members[i].scope) {
            if (s->members[i].kind & HC_WRITES)
                last->interval = s->members[i].interval;
            last->kind |= s->members[i].kind;
        } else {
            s->members[count++] = s->members[i];
        }
    }
    return count;
}

static bool has_conflict(const struct hc_member *members, uint32_t count)
{
    uint8_t kinds = 0;
    for (uint32_t i = 0; i < count; i++)
        kinds |= members[i].kind;
    return count > 1 && members[0].part != members[count - 1].part && kinds & HC_WRITES;
}

static bool has_member(const struct hc_cell *cell, const struct hc_member *m)
{
    for (uint32_t i = 0; i < cell->count; i++)
        if (cell->members[i].part == m->part && cell->members[i].scope == m->scope)
            return (cell->members[i].kind & m->kind) == m->kind;
    return false;
}

/* True if CELL has every conflict between these members, in memory of the same origin. */
static bool cell_covers(const struct hc_record *record, const struct hc_cell *cell, uint32_t root,
                        const struct hc_member *members, uint32_t count)
{
    if (record->allocations[cell->root].origin != record->allocations[root].origin || count > cell->count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!has_member(cell, &members[i]))
            return false;
    return true;
}

static uint64_t hash_members(const struct hc_member *members, uint32_t count)
{
    uint64_t hash = MM_FNV1A;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = (uint64_t)members[i].part << 16 | (uint64_t)members[i].kind << 8 | members[i].scope;
        hash = mm_fnv1a(hash, &word, sizeof word);
    }
    return hash;
}

static void add_cell(struct sweep *s, uint32_t root, uint64_t from, uint64_t to)
{
    struct hc_record *record = s->record;
    uint32_t count = s->count > 1 ? gather_members(s) : 0;
    if (!has_conflict(s->members, count))
        return;
    uint64_t hash = hash_members(s->members, count), found;
    for (size_t at = 0; (found = mm_map_next(&s->cells, hash, &at)) != 0;)
        if (cell_covers(record, &record->cells[found - 1], root, s->members, count))
            return;
    struct hc_cell cell = {.root = root, .from = from, .to = to, .count = count};
    cell.members = mm_arena_alloc(record->arena, count * sizeof *cell.members);
    if (record->cell_count == MAX_CELLS) {
        hc_limit(record, "explore.cells", "limit reached: 4096 different sets of conflicting accesses");
        return;
    }
    if (!cell.members || !mm_arena_append(record->arena, &record->cells, &record->cell_count, &cell) ||
        !mm_map_add(&s->cells, hash, record->cell_count)) {
        hc_limit(record, "memory", "out of memory");
        return;
    }
    memcpy(cell.members, s->members, count * sizeof *cell.members);
}

static void change_active(struct sweep *s, const struct bound *b)
{
    uint32_t i = 0;
    while (i < s->count && s->active[i] != b->index)
        i++;
    if (!b->begins && i < s->count)
        s->active[i] = s->active[--s->count];
    else if (b->begins && s->count == MAX_ACTIVE)
        hc_limit(s->record, "explore.cells", "limit reached: 4096 parts that access the same byte");
    else if (b->begins)
        s->active[s->count++] = b->index;
}

/* Removes cells whose conflicts another cell has as well. */
static void remove_covered(struct hc_record *record)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record->cell_count; i++) {
        const struct hc_cell *cell = &record->cells[i];
        bool covered = false;
        for (uint32_t k = 0; k < record->cell_count && !covered; k++) {
            const struct hc_cell *other = &record->cells[k];
            bool larger = other->count > cell->count || (other->count == cell->count && k < kept);
            covered = k != i && (k < kept || k > i) && larger &&
                      cell_covers(record, other, cell->root, cell->members, cell->count);
        }
        if (!covered)
            record->cells[kept++] = *cell;
    }
    record->cell_count = kept;
}

void hc_footprint_cells(struct hc_record *record)
{
    struct sweep *s = mm_alloc_zero(1, sizeof *s);
    merge_all(record);
    uint32_t count = 2 * record->interval_count;
    struct bound *bounds = mm_alloc_zero(count + 1, sizeof *bounds);
    if (!s || !bounds) {
        hc_limit(record, "memory", "out of memory");
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct hc_interval *at = &record->intervals[i / 2];
        bounds[i] = (struct bound){at->root, i / 2, i % 2 ? at->to : at->from, i % 2 == 0};
    }
    if (count)
        qsort(bounds, count, sizeof *bounds, compare_bounds);
    for (uint32_t i = 0; i < count; i++) {
        s->record = record;
        change_active(s, &bounds[i]);
        bool last = i + 1 == count || bounds[i + 1].root != bounds[i].root;
        if (!last && bounds[i + 1].at != bounds[i].at)
            add_cell(s, bounds[i].root, bounds[i].at, bounds[i + 1].at);
    }
    remove_covered(record);
    if (s)
        mm_map_clear(&s->cells);
    mm_free(bounds);
    mm_free(s);
}
