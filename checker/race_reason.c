/* Why two accesses are not ordered: the synchronisation between them that came nearest, and what it
 * lacks. */
#include "checker/race.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *place(struct ck_detector *d, uint32_t source, char *buf, size_t size)
{
    const struct mm_source *s = ck_map_get(&d->sources, source);
    if (s && *s->file)
        snprintf(buf, size, "%s:%" PRIu32, s->file, s->line);
    else if (s && s->line)
        snprintf(buf, size, "line %" PRIu32, s->line);
    else
        snprintf(buf, size, "an unknown place");
    return buf;
}

static const char *region_of(enum ck_system system)
{
    static const char *const names[CK_SYSTEMS] = {"global", "local", "image"};
    return names[system];
}

static const char *scope_of(unsigned scope)
{
    return scope ? mm_scope_name((enum mm_scope)scope) : "device";
}

/* How work-items that share no instance of SCOPE are apart. */
static const char *apart(unsigned scope)
{
    switch (scope) {
    case MM_SCOPE_SUB_GROUP:
        return "the work-items are in different sub-groups";
    case MM_SCOPE_WORK_GROUP:
        return "the work-items are in different work-groups";
    case MM_SCOPE_WORK_ITEM:
        return "that reaches no other work-item";
    default:
        return "on this memory that does not reach beyond one kernel and its children";
    }
}

/* ---- atomics that met but did not synchronise ------------------------------------------------- */

static bool describe_shortfall(struct ck_detector *d, const struct ck_shortfall *s, enum ck_system system,
                               char *buf, size_t size)
{
    char write[160], read[160];
    place(d, s->write_source, write, sizeof write);
    place(d, s->read_source, read, sizeof read);
    switch (s->kind) {
    case CK_SHORT_STORE_RELAXED:
        snprintf(
            buf, size,
            "the atomic write at %s is relaxed and follows no release fence, so reading it at %s does not "
            "synchronise",
            write, read);
        return true;
    case CK_SHORT_LOAD_RELAXED:
        snprintf(
            buf, size,
            "the load at %s is relaxed and no acquire fence follows, so it does not synchronise with the "
            "release at %s",
            read, write);
        return true;
    case CK_SHORT_SCOPE_INSTANCE:
        snprintf(buf, size, "the release at %s has scope %s, but %s", write, scope_of(s->write_scope),
                 apart(s->write_scope));
        return true;
    case CK_SHORT_SCOPE_DIFFERS:
        snprintf(buf, size,
                 "the release at %s has scope %s and the acquire at %s has scope %s: not inclusive scopes",
                 write, scope_of(s->write_scope), read, scope_of(s->read_scope));
        return true;
    default:
        if (s->system == system)
            return false;
        snprintf(
            buf, size,
            "the release at %s and the acquire at %s order %s memory only, the accesses are to %s memory",
            write, read, region_of((enum ck_system)s->system), region_of(system));
        return true;
    }
}

static bool from_atomics(struct ck_detector *d, enum ck_system system, uint64_t later,
                         const struct ck_access_record *earlier, char *buf, size_t size)
{
    uint32_t count = d->shortfall_count < CK_SHORTFALLS ? d->shortfall_count : CK_SHORTFALLS;
    for (uint32_t i = 1; i <= count; i++) {
        const struct ck_shortfall *s = &d->shortfalls[(d->shortfall_count - i) % CK_SHORTFALLS];
        if (s->reader == later && s->writer == earlier->agent && s->writer_time[system] >= earlier->time &&
            describe_shortfall(d, s, system, buf, size))
            return true;
    }
    return false;
}

/* ---- barriers of the wrong memory -------------------------------------------------------------- */

static const char *flags_words(unsigned flags)
{
    switch (flags & (MM_FENCE_GLOBAL | MM_FENCE_LOCAL | MM_FENCE_IMAGE)) {
    case 0:
        return "no memory";
    case MM_FENCE_LOCAL:
        return "local memory only";
    case MM_FENCE_GLOBAL:
        return "global memory only";
    case MM_FENCE_IMAGE:
        return "image memory only";
    default:
        return "other memory only";
    }
}

static bool covers(const struct ck_past_barrier *b, uint64_t agent)
{
    uint32_t index = (uint32_t)agent;
    return index >= b->first && index - b->first < b->expected;
}

static bool from_barriers(struct ck_detector *d, enum ck_system system, uint64_t later,
                          const struct ck_access_record *earlier, char *buf, size_t size)
{
    struct mm_agent agent = {(uint32_t)(later >> 32), (uint32_t)later};
    struct ck_command *command = ck_map_get(&d->commands, agent.command);
    if (!agent.command || earlier->agent >> 32 != agent.command || !command)
        return false;
    const struct ck_group *group = ck_group_of(d, command, agent.index);
    const struct ck_item *item = ck_item_of(d, agent);
    uint32_t count = group && item ? group->past_count : 0;
    for (uint32_t i = 1; i <= (count < CK_PAST_BARRIERS ? count : CK_PAST_BARRIERS); i++) {
        const struct ck_past_barrier *b = &group->past[(count - i) % CK_PAST_BARRIERS];
        if (ck_fence_in(b->flags, system) || b->time[system] < earlier->time ||
            item->time[system] <= b->time[system] || !covers(b, later) || !covers(b, earlier->agent))
            continue;
        char where[160];
        snprintf(buf, size, "the barrier at %s fences %s, the accesses are to %s memory",
                 place(d, b->source, where, sizeof where), flags_words(b->flags), region_of(system));
        return true;
    }
    return false;
}

/* ---- who they are -------------------------------------------------------------------------------- */

static bool from_agents(struct ck_detector *d, uint64_t later, uint64_t earlier, char *buf, size_t size)
{
    uint32_t commands[2] = {(uint32_t)(earlier >> 32), (uint32_t)(later >> 32)};
    if (commands[0] == commands[1])
        return false;
    if (commands[0] && commands[1])
        snprintf(buf, size,
                 "no event, wait list, in-order queue, marker or barrier orders commands %" PRIu32
                 " and %" PRIu32,
                 commands[0], commands[1]);
    else
        snprintf(buf, size,
                 "the host access and command %" PRIu32
                 " are not ordered: the host neither waits for it nor enqueues it afterwards",
                 commands[0] ? commands[0] : commands[1]);
    (void)d;
    return true;
}

static bool same_group(struct ck_detector *d, uint64_t a, uint64_t b)
{
    struct ck_command *command = ck_map_get(&d->commands, a >> 32);
    return a >> 32 == b >> 32 && command &&
           ck_group_first(command, (uint32_t)a) == ck_group_first(command, (uint32_t)b);
}

static void between_atomics(const struct mm_event *event, const struct ck_access_record *earlier, char *buf,
                            size_t size)
{
    unsigned scope = earlier->meta >> CK_META_SCOPE_SHIFT & 7;
    if (scope_of(scope) != scope_of(event->scope))
        snprintf(buf, size, "the atomics have scopes %s and %s, which are not inclusive of each other",
                 scope_of(scope), scope_of(event->scope));
    else
        snprintf(buf, size, "both atomics have scope %s, but %s", scope_of(scope), apart(scope));
}

const char *ck_race_reason(struct ck_detector *d, const struct ck_location *location,
                           const struct mm_event *event, const struct ck_access_record *earlier,
                           bool scope_race)
{
    char text[600] = "no synchronisation orders the two accesses";
    uint64_t later = ck_agent_key(event->agent);
    enum ck_system system = (enum ck_system)location->system;
    if (scope_race)
        between_atomics(event, earlier, text, sizeof text);
    else if (!from_barriers(d, system, later, earlier, text, sizeof text) &&
             !from_atomics(d, system, later, earlier, text, sizeof text) &&
             !from_agents(d, later, earlier->agent, text, sizeof text) && earlier->agent >> 32 &&
             !same_group(d, later, earlier->agent))
        snprintf(text, sizeof text,
                 "no synchronisation orders the two accesses; the work-items are in different "
                 "work-groups, which no barrier joins");
    return mm_arena_strdup(d->arena, text);
}
