/* Maps: while the host has an object mapped, commands must not write it, nor read it if the host may write
 * [CL 5.5.3 R2, R3; 5.6.1 R36, R37].  Commands that are not ordered with the map, or with its end, race with
 * what the host may do then. */
#include "checker/race/race.h"

#include <stdio.h>

static struct ck_location *object_of(struct ck_location *location)
{
    location = location->parent ? location->parent : location;
    return location->object ? location->object : location;
}

static void add(struct ck_detector *d, struct ck_location *location, const struct mm_event *event,
                const struct ck_item *item)
{
    struct ck_mapping *m = ck_budget_alloc(&d->budget, sizeof *m);
    if (!m)
        return;
    *m = (struct ck_mapping){.next = location->mappings,
                             .agent = ck_agent_key(event->agent),
                             .time = item->time[location->system],
                             .offset = event->offset,
                             .object = event->offset - event->site,
                             .object_end = event->offset + event->size + event->instance,
                             .semantics = (uint8_t)event->semantics,
                             .ended = event->kind == MM_UNMAP};
    location->mappings = m;
}

/* Takes the first map of these bytes out, or the end of one that comes before its begin in the record. */
static bool take(struct ck_detector *d, struct ck_location *location, uint64_t offset, bool ended)
{
    struct ck_mapping **link = NULL;
    for (struct ck_mapping **at = &location->mappings; *at; at = &(*at)->next)
        if ((*at)->offset == offset && (*at)->ended == ended)
            link = at;
    if (!link)
        return false;
    struct ck_mapping *m = *link;
    *link = m->next;
    ck_budget_free(&d->budget, m, sizeof *m);
    return true;
}

/* Coarse-grained SVM is mapped without an access of the runtime: what the host does is told here. */
static void host_access(struct ck_detector *d, const struct ck_location *location,
                        const struct mm_event *event)
{
    struct mm_event access = *event;
    if (location->info.origin != MM_ORIGIN_COARSE_SVM)
        return;
    access.kind = event->semantics & MM_MAP_WRITE ? MM_WRITE : MM_READ;
    access.semantics = 0;
    access.attributes = MM_NO_VALUE;
    ck_race_access(d, &access);
}

void ck_race_map(struct ck_detector *d, const struct mm_event *event, const struct ck_item *item)
{
    struct ck_location *given = ck_map_get(&d->locations, event->allocation);
    struct ck_location *location = given ? object_of(given) : NULL;
    struct ck_command *command = ck_command_of(d, event->agent.command);
    bool begins = event->kind == MM_MAP;
    if (!location || !command)
        return;
    command->maps = true;
    if (!(event->semantics & (MM_MAP_READ | MM_MAP_WRITE)))
        return;
    if (!take(d, location, event->offset, begins))
        add(d, location, event, item);
    host_access(d, location, event);
}

/* Whether EVENT is in the mapped object, be it beside the mapped bytes.  Through which object it comes is not
 * recorded, so that one outside counts as of another part of the same buffer. */
static bool overlaps(const struct ck_location *given, const struct mm_event *event,
                     const struct ck_mapping *m)
{
    uint64_t first = (given->parent ? given->parent_offset : 0) + event->offset;
    return first < m->object_end && m->object < first + event->size;
}

static void found(struct ck_detector *d, const struct ck_location *location, const struct mm_event *event,
                  const struct ck_mapping *m)
{
    const struct ck_command *command = ck_map_get(&d->commands, m->agent >> 32);
    const struct ck_source *call = command ? ck_source_of(d, command->call) : NULL;
    bool writes = event->kind != MM_READ, for_writing = m->semantics & MM_MAP_WRITE;
    bool svm = location->info.origin == MM_ORIGIN_COARSE_SVM;
    char text[400], at[200] = "";
    if (call && call->info.line)
        snprintf(at, sizeof at, " at %s:%u", call->info.file, (unsigned)call->info.line);
    snprintf(text, sizeof text, "%s is %s while the host has it mapped for %s%s (command %u)",
             location->info.name, writes ? "written" : "read", for_writing ? "writing" : "reading", at,
             (unsigned)(m->agent >> 32));
    const char *clause =
        svm ? (for_writing ? "CL 5.6.1 R36" : "CL 5.6.1 R37") : (for_writing ? "CL 5.5.3 R2" : "CL 5.5.3 R3");
    ck_finding_at(d, event, "mapped-access", clause, text);
}

/* An access by a command that comes after a map which has not ended. */
void ck_map_check(struct ck_detector *d, const struct ck_location *location, const struct mm_event *event,
                  const struct ck_clock *clock)
{
    const struct ck_location *given = ck_map_get(&d->locations, event->allocation);
    const struct ck_command *command = ck_command_of(d, event->agent.command);
    bool writes = event->kind != MM_READ;
    if (!command || command->maps)
        return;
    const struct ck_mapping *m = location->object ? location->object->mappings : location->mappings;
    for (; given && m; m = m->next) {
        if (m->ended || !(writes || m->semantics & MM_MAP_WRITE) || !overlaps(given, event, m) ||
            ck_clock_get(clock, m->agent) < m->time)
            continue;
        found(d, location, event, m);
        return;
    }
}

void ck_mappings_free(struct ck_detector *d, struct ck_location *location)
{
    while (location->mappings) {
        struct ck_mapping *m = location->mappings;
        location->mappings = m->next;
        ck_budget_free(&d->budget, m, sizeof *m);
    }
}
