/* Detectors of several processes: releasing a detector's state after its execution, and merging findings. */
#include "checker/race/agents.h"

#include <string.h>

/* Frees all but what findings refer to: commands, arguments, sources and texts. */
void ck_detector_finish(struct ck_detector *d)
{
    for (size_t i = 0; i < d->maps.commands.capacity; i++)
        if (mm_map_at(&d->maps.commands, i))
            ck_command_release(d, mm_map_at(&d->maps.commands, i));
    for (size_t i = 0; i < d->maps.memory.capacity; i++) {
        struct ck_memory *memory = mm_map_at(&d->maps.memory, i);
        if (memory) {
            ck_mappings_free(d, memory);
            ck_space_clear(d, &memory->space);
            ck_space_clear(d, &memory->whole);
            ck_space_clear(d, &memory->view);
        }
    }
    ck_weak_clear(d);
    ck_shortfalls_free(d);
    ck_shadow_clear(d);
    ck_snapshots_free(d);
    ck_map_clear(&d->maps.groups, &d->budget);
    ck_clocks_clear(&d->clocks);
    d->last.group = NULL;
    d->last.memory = NULL;
    d->finished = true;
}

static bool same_place(const struct mm_source *a, const struct mm_source *b)
{
    return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

/* True if both detectors have the same text for FILE: unnamed programs have one file name in every
 * process. */
static bool same_text(const struct ck_detector *a, const struct ck_detector *b, const char *file)
{
    const char *x = ck_detector_text(a, file), *y = ck_detector_text(b, file);
    return x == y || (x && y && strcmp(x, y) == 0);
}

static const char *name_of(const struct ck_finding *f)
{
    return f->accesses[0].argument ? f->accesses[0].argument : f->allocation ? f->allocation->name : "";
}

/* True if both report the same defect: by source locations, without these by message. */
static bool same_finding(const struct ck_finding *a, const struct ck_detector *of_a,
                         const struct ck_finding *b, const struct ck_detector *of_b)
{
    if (strcmp(a->kind, b->kind) || a->access_count != b->access_count || strcmp(name_of(a), name_of(b)))
        return false;
    bool placed = a->access_count > 0;
    for (size_t i = 0; i < a->access_count; i++) {
        const struct mm_source *x = &a->accesses[i].source, *y = &b->accesses[i].source;
        if (!same_place(x, y) || !same_text(of_a, of_b, x->file))
            return false;
        placed = placed && x->line;
    }
    return placed || strcmp(a->message, b->message) == 0;
}

static struct ck_finding *find_same(const struct ck_detector *into, const struct ck_detector *from,
                                    const struct ck_finding *f)
{
    for (size_t i = 0; i < into->report.finding_count; i++) {
        struct ck_finding *g = into->report.findings[i];
        if (same_finding(g, g->detector ? g->detector : into, f, from))
            return g;
    }
    return NULL;
}

bool ck_detector_merge(struct ck_detector *into, struct ck_detector *from, uint32_t process)
{
    for (size_t i = 0; from == into && i < into->report.finding_count; i++)
        into->report.findings[i]->process = process;
    if (from == into)
        return true;
    for (size_t i = 0; i < from->report.finding_count; i++) {
        struct ck_finding *f = from->report.findings[i], *same = find_same(into, from, f);
        if (same) {
            same->count += f->count;
            ck_heat_merge(into, &same->heat, &f->heat);
            same->commands +=
                f->commands < UINT32_MAX - same->commands ? f->commands : UINT32_MAX - same->commands;
            same->pairs |= f->pairs;
            continue;
        }
        if (!f->detector)
            f->detector = from;
        f->process = process;
        if (!ck_finding_add(into, f))
            return false;
    }
    into->report.dropped += from->report.dropped;
    into->report.across |= from->report.across;
    for (int i = 0; i < CK_FILTER_COUNT; i++)
        into->report.hidden[i] += from->report.hidden[i];
    if (into->limit.cls == MM_OK)
        into->limit = from->limit;
    return true;
}

/* ---- hints ------------------------------------------------------------------------------------------- */

bool ck_finding_is_hint(const struct ck_finding *finding)
{
    return strcmp(finding->kind, CK_POSSIBLE_RACE) == 0 || strcmp(finding->kind, CK_NEEDLESS_WAIT) == 0 ||
           strcmp(finding->kind, CK_POSSIBLE_OUTSIDE) == 0;
}

size_t ck_detector_fault_count(const struct ck_detector *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->report.finding_count; i++)
        count += !ck_finding_is_hint(d->report.findings[i]);
    return count;
}

static uint32_t call_of(const struct ck_access *access)
{
    return access->call ? access->call->id : access->source.id;
}

/* True if D has a certain race between the same calls on the same memory as POSSIBLE, a race that is only
 * possible. */
static bool has_certain(const struct ck_detector *d, const struct ck_finding *possible)
{
    for (size_t i = 0; i < d->report.finding_count; i++) {
        const struct ck_finding *f = d->report.findings[i];
        if (f->access_count != 2 || !f->allocation || f->allocation->id != possible->allocation->id)
            continue;
        uint32_t a = call_of(&f->accesses[0]), b = call_of(&f->accesses[1]);
        uint32_t c = call_of(&possible->accesses[0]), e = call_of(&possible->accesses[1]);
        if ((a == c && b == e) || (a == e && b == c))
            return true;
    }
    return false;
}

bool ck_detector_add_possible(struct ck_detector *into, struct ck_detector *from)
{
    for (size_t i = 0; i < from->report.finding_count; i++) {
        struct ck_finding *f = from->report.findings[i];
        if (strcmp(f->kind, CK_POSSIBLE_RACE) != 0 || !f->allocation || has_certain(into, f))
            continue;
        f->detector = from;
        if (!ck_finding_add(into, f))
            return false;
    }
    return true;
}

bool ck_detector_add_hint(struct ck_detector *into, struct ck_detector *from, size_t i, const char *kind,
                          const char *depends)
{
    struct ck_finding *f = from->report.findings[i];
    f->detector = from;
    f->kind = kind;
    f->depends_on = mm_arena_strdup(into->arena, depends);
    for (size_t k = 0; k < f->access_count; k++)
        f->accesses[k].id = MM_NO_EVENT; /* its event is in another trace */
    return ck_finding_add(into, f);
}
