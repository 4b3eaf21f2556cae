/* Maps: while an object is mapped by the host, commands must not write it, nor read it if it is mapped for
 * writing [CL 5.5.3 R2, R3; 5.6.1 R36, R37].  Commands that are not ordered with the map or with its unmap
 * race with the host's access, which the map and the unmap represent.
 * Freed memory: commands must not access SVM after it was freed [CL 5.6.1 R14]. */
#include "checker/race/access.h"

#include <stdio.h>

static struct ck_memory *object_of(struct ck_memory *memory)
{
    memory = memory->parent ? memory->parent : memory;
    return memory->object ? memory->object : memory;
}

static void mapping_add(struct ck_detector *d, struct ck_memory *memory, const struct mm_event *event,
                        const struct ck_item *item)
{
    struct ck_mapping *m = ck_budget_alloc(&d->budget, sizeof *m);
    if (!m)
        return;
    *m = (struct ck_mapping){.next = memory->mappings,
                             .agent = ck_agent_key(event->agent),
                             .time = item->time[memory->region],
                             .offset = event->offset,
                             .object = mm_mapped_object(event),
                             .semantics = (uint8_t)event->semantics,
                             .ended = event->kind == MM_UNMAP};
    memory->mappings = m;
}

/* Removes the oldest mapping of these bytes (ENDED: the oldest unmap recorded before its map). */
static bool mapping_remove(struct ck_detector *d, struct ck_memory *memory, uint64_t offset, bool ended)
{
    struct ck_mapping **link = NULL;
    for (struct ck_mapping **at = &memory->mappings; *at; at = &(*at)->next)
        if ((*at)->offset == offset && (*at)->ended == ended)
            link = at;
    if (!link)
        return false;
    struct ck_mapping *m = *link;
    *link = m->next;
    ck_budget_free(&d->budget, m, sizeof *m);
    return true;
}

/* Adds the host's access to mapped coarse-grained SVM, which the runtime maps without recording an access. */
static void host_access(struct ck_detector *d, const struct ck_memory *memory, const struct mm_event *event)
{
    struct mm_event access = *event;
    if (memory->info.origin != MM_ORIGIN_COARSE_SVM)
        return;
    access.kind = event->semantics & MM_MAP_WRITE ? MM_WRITE : MM_READ;
    access.semantics = 0;
    access.attributes = MM_NO_VALUE;
    ck_race_access(d, &access);
}

void ck_race_map(struct ck_detector *d, const struct mm_event *event, const struct ck_item *item)
{
    struct ck_memory *given = mm_map_pointer(&d->maps.memory, event->allocation);
    struct ck_memory *memory = given ? object_of(given) : NULL;
    struct ck_command *command = ck_command_of(d, event->agent.command);
    bool begins = event->kind == MM_MAP;
    if (!memory || !command)
        return;
    command->maps = true;
    if (!(event->semantics & (MM_MAP_READ | MM_MAP_WRITE)))
        return;
    if (!mapping_remove(d, memory, event->offset, begins))
        mapping_add(d, memory, event, item);
    host_access(d, memory, event);
}

/* True if EVENT accesses the mapped object, even outside of the mapped bytes.  A trace does not distinguish
 * sub-buffers, so bytes outside of the mapped object count as another sub-buffer. */
static bool mapping_overlaps(const struct ck_memory *given, const struct mm_event *event,
                             const struct ck_mapping *m)
{
    uint64_t first = (given->parent ? given->parent_offset : 0) + event->offset;
    return first < m->object.end && m->object.begin < first + event->size;
}

static void mapping_report(struct ck_detector *d, const struct ck_memory *memory,
                           const struct mm_event *event, const struct ck_mapping *m)
{
    const struct ck_command *command = mm_map_pointer(&d->maps.commands, m->agent >> 32);
    const struct ck_source *call = command ? ck_source_of(d, command->call) : NULL;
    bool writes = event->kind != MM_READ, for_writing = m->semantics & MM_MAP_WRITE;
    bool svm = memory->info.origin == MM_ORIGIN_COARSE_SVM;
    char text[400], at[200] = "";
    if (call && call->info.line)
        snprintf(at, sizeof at, " at %s:%u", call->info.file, (unsigned)call->info.line);
    snprintf(text, sizeof text, "%s is %s while the host has it mapped for %s%s (command %u)",
             memory->info.name, writes ? "written" : "read", for_writing ? "writing" : "reading", at,
             (unsigned)(m->agent >> 32));
    const char *clause =
        svm ? (for_writing ? "CL 5.6.1 R36" : "CL 5.6.1 R37") : (for_writing ? "CL 5.5.3 R2" : "CL 5.5.3 R3");
    ck_finding_at(d, event, "mapped-access", clause, text);
}

void ck_map_check(struct ck_detector *d, const struct ck_memory *memory, const struct mm_event *event,
                  const struct ck_clock *clock)
{
    const struct ck_memory *given = mm_map_pointer(&d->maps.memory, event->allocation);
    const struct ck_command *command = ck_command_of(d, event->agent.command);
    bool writes = event->kind != MM_READ;
    if (!command || command->maps)
        return;
    const struct ck_mapping *m = memory->object ? memory->object->mappings : memory->mappings;
    for (; given && m; m = m->next) {
        if (m->ended || !(writes || m->semantics & MM_MAP_WRITE) || !mapping_overlaps(given, event, m) ||
            ck_clock_get(clock, m->agent) < m->time)
            continue;
        mapping_report(d, memory, event, m);
        return;
    }
}

void ck_release_check(struct ck_detector *d, struct ck_memory *memory, const struct mm_event *event,
                      const struct ck_access_record *access, const struct ck_clock *clock)
{
    const struct ck_access_record *released = &memory->released;
    if (event->kind == MM_WRITE && event->semantics == MM_RELEASED) {
        memory->released = *access;
        memory->released_source = event->source;
        ck_plain_forget(d);
        return;
    }
    if (!event->agent.command || event->semantics == MM_TRANSFER || event->attributes & MM_POSSIBLE ||
        ck_clock_get(clock, released->agent) < released->time)
        return;
    uint32_t owner = (uint32_t)(released->agent >> 32);
    const struct ck_command *command = owner ? mm_map_pointer(&d->maps.commands, owner) : NULL;
    const struct ck_source *call = ck_source_of(d, command ? command->call : memory->released_source);
    char text[400], at[200] = "";
    if (call && call->info.line)
        snprintf(at, sizeof at, " at %s:%u", call->info.file, (unsigned)call->info.line);
    snprintf(text, sizeof text, "%s is %s after it was freed%s", memory->info.name,
             event->kind != MM_READ ? "written" : "read", at);
    ck_finding_at(d, event, "use-after-release", "CL 5.6.1 R14", text);
}

void ck_mappings_free(struct ck_detector *d, struct ck_memory *memory)
{
    while (memory->mappings) {
        struct ck_mapping *m = memory->mappings;
        memory->mappings = m->next;
        ck_budget_free(&d->budget, m, sizeof *m);
    }
}
