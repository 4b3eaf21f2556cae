/* The reason of a race: the closest synchronization between the two accesses and what it lacks
 * (docs/detector.md#reasons-and-fixes). */
#include "checker/race/race.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *format_location(struct ck_detector *d, uint32_t source, char *buf, size_t size)
{
    const struct ck_source *known = ck_source_of(d, source);
    const struct mm_source *s = known ? &known->info : NULL;
    if (s && *s->file)
        snprintf(buf, size, "%s:%" PRIu32, s->file, s->line);
    else if (s && s->line)
        snprintf(buf, size, "line %" PRIu32, s->line);
    else
        snprintf(buf, size, "an unknown place");
    return buf;
}

static const char *region_name(enum ck_region region)
{
    static const char *const names[CK_REGIONS] = {"global", "local", "image"};
    return names[region];
}

static const char *scope_of(unsigned scope)
{
    return scope ? mm_scope_name((enum mm_scope)scope) : "device";
}

/* Why two work-items share no instance of SCOPE. */
static const char *apart(unsigned scope)
{
    switch (scope) {
    case MM_SCOPE_SUB_GROUP:
        return "the work-items are in different sub-groups";
    case MM_SCOPE_WORK_GROUP:
        return "the work-items are in different work-groups";
    case MM_SCOPE_WORK_ITEM:
        return "it includes no other work-item";
    default:
        return "on this memory it includes only one kernel and its children";
    }
}

/* ---- reason under construction --------------------------------------------------------------------- */

/* A reason, and the smallest change that removes it where there is one. */
struct reason {
    struct ck_detector *d;
    enum ck_region region;
    uint64_t later;
    uint32_t later_source, allocation;
    const struct ck_access_record *earlier;
    char text[600], fix[600];
    struct ck_change change;
    bool copies
        [2]; /* the later, the earlier access is by an asynchronous copy; its agent is then a caller of the copy */
};

static const struct ck_signature *earlier_signature(const struct reason *r)
{
    return &r->d->signatures[r->earlier->signature];
}

static bool same_device(struct ck_detector *d, uint64_t a, uint64_t b)
{
    const struct ck_command *x = mm_map_pointer(&d->commands, a >> 32),
                            *y = mm_map_pointer(&d->commands, b >> 32);
    return a >> 32 && b >> 32 && x && y && x->info.device == y->info.device;
}

/* The narrowest of work-group, device and all_svm_devices that includes both agents. */
static enum mm_scope common_scope(const struct reason *r)
{
    struct ck_command *c = mm_map_pointer(&r->d->commands, r->later >> 32);
    if (c && r->later >> 32 == r->earlier->agent >> 32 &&
        ck_group_first(c, (uint32_t)r->later) == ck_group_first(c, (uint32_t)r->earlier->agent))
        return MM_SCOPE_WORK_GROUP;
    return same_device(r->d, r->later, r->earlier->agent) ? MM_SCOPE_DEVICE : MM_SCOPE_ALL_SVM_DEVICES;
}

static void advise_wider_scope(struct reason *r, uint32_t first, uint32_t second, const char *where,
                               const char *where_too)
{
    enum mm_scope scope = common_scope(r);
    r->change = (struct ck_change){.source = {first, second}, .scope = (uint8_t)scope};
    if (strcmp(where, where_too) == 0)
        snprintf(r->fix, sizeof r->fix, "give the atomic at %s memory_scope_%s", where, mm_scope_name(scope));
    else
        snprintf(r->fix, sizeof r->fix, "give the atomics at %s and %s memory_scope_%s", where, where_too,
                 mm_scope_name(scope));
}

/* ---- atomics that do not synchronize ------------------------------------------------- */

static bool store_relaxed(struct reason *r, const struct ck_shortfall *s, const char *write, const char *read)
{
    snprintf(r->text, sizeof r->text,
             "the atomic write at %s is relaxed and follows no release fence, so reading it at %s does not "
             "synchronize",
             write, read);
    bool both = s->read_order == MM_RELAXED || s->read_order == MM_RELEASE;
    r->change = (struct ck_change){.source = {s->write_source, both ? s->read_source : 0},
                                   .order = {MM_RELEASE, MM_ACQUIRE}};
    if (both && s->write_source == s->read_source)
        r->change.order[0] = r->change.order[1] = MM_ACQ_REL;
    if (both && s->write_source == s->read_source)
        snprintf(r->fix, sizeof r->fix, "give the atomic at %s memory_order_acq_rel", write);
    else if (both)
        snprintf(r->fix, sizeof r->fix,
                 "give the atomic write at %s memory_order_release and the read at %s memory_order_acquire",
                 write, read);
    else
        snprintf(r->fix, sizeof r->fix, "give the atomic write at %s memory_order_release", write);
    return true;
}

static bool load_relaxed(struct reason *r, const struct ck_shortfall *s, const char *write, const char *read)
{
    bool releases = s->read_order == MM_RELEASE;
    snprintf(
        r->text, sizeof r->text,
        "the %s at %s %s and no acquire fence follows, so it does not synchronize with the release at %s",
        releases ? "read-modify-write" : "load", read,
        releases ? "has memory_order_release, which does not acquire," : "is relaxed", write);
    r->change = (struct ck_change){.source = {s->read_source}, .order = {MM_ACQUIRE}};
    snprintf(r->fix, sizeof r->fix, "give the %s at %s memory_order_%s", releases ? "atomic" : "load", read,
             releases ? "acq_rel" : "acquire");
    return true;
}

static bool describe_shortfall(struct reason *r, const struct ck_shortfall *s)
{
    char write[160], read[160];
    format_location(r->d, s->write_source, write, sizeof write);
    format_location(r->d, s->read_source, read, sizeof read);
    switch (s->kind) {
    case CK_SHORT_STORE_RELAXED:
        return store_relaxed(r, s, write, read);
    case CK_SHORT_LOAD_RELAXED:
        return load_relaxed(r, s, write, read);
    case CK_SHORT_SCOPE_INSTANCE:
        snprintf(r->text, sizeof r->text, "the release at %s has scope %s, but %s", write,
                 scope_of(s->write_scope), apart(s->write_scope));
        advise_wider_scope(r, s->write_source, s->read_source, write, read);
        return true;
    case CK_SHORT_SCOPE_DIFFERS:
        snprintf(r->text, sizeof r->text,
                 "the release at %s has scope %s and the acquire at %s has scope %s: not inclusive scopes",
                 write, scope_of(s->write_scope), read, scope_of(s->read_scope));
        advise_wider_scope(r, s->write_source, s->read_source, write, read);
        return true;
    default:
        if (s->region == r->region)
            return false;
        snprintf(
            r->text, sizeof r->text,
            "the release at %s and the acquire at %s order %s memory only, the accesses are to %s memory",
            write, read, region_name((enum ck_region)s->region), region_name(r->region));
        return true;
    }
}

static bool is_of_earlier(const struct reason *r, const struct ck_shortfall *s)
{
    return s->writer == r->earlier->agent && s->writer_time[r->region] >= r->earlier->time;
}

/* True if synchronizing at this read would have ordered the earlier access.  Not for a read that is the racing
 * access itself: its own order does not order the earlier access before it. */
static bool concerns(const struct reason *r, const struct ck_shortfall *s)
{
    const struct ck_access_record *earlier = r->earlier;
    return s->read_source != r->later_source && s->reader == r->later &&
           (is_of_earlier(r, s) ||
            (s->region == r->region && ck_clock_get(s->offered, earlier->agent) >= earlier->time));
}

static const struct ck_shortfall *shortfall(const struct reason *r, uint32_t back)
{
    return &r->d->shortfalls[(r->d->shortfall_count - back) % CK_SHORTFALLS];
}

/* True if a chain of reads and writes by other agents leads from the earlier access to shortfall BACK. */
static bool follows_earlier(const struct reason *r, uint32_t back, uint32_t count)
{
    uint64_t agent = shortfall(r, back)->writer;
    for (uint32_t i = back + 1; i <= count; i++) {
        const struct ck_shortfall *s = shortfall(r, i);
        if (s->reader != agent)
            continue;
        if (is_of_earlier(r, s))
            return true;
        agent = s->writer;
    }
    return false;
}

static bool from_atomics(struct reason *r)
{
    uint32_t count = r->d->shortfall_count < CK_SHORTFALLS ? r->d->shortfall_count : CK_SHORTFALLS;
    if (r->copies[0] || r->copies[1])
        return false;
    for (uint32_t i = 1; i <= count; i++)
        if (concerns(r, shortfall(r, i)) && describe_shortfall(r, shortfall(r, i)))
            return true;
    for (uint32_t i = 1; i <= count; i++) {
        const struct ck_shortfall *s = shortfall(r, i);
        if (s->reader == r->later && s->read_source != r->later_source && follows_earlier(r, i, count) &&
            describe_shortfall(r, s))
            return true;
    }
    return false;
}

/* ---- barriers without the region's flag -------------------------------------------------------------- */

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

static bool barrier_covers(const struct ck_past_barrier *b, uint64_t agent)
{
    uint32_t index = (uint32_t)agent;
    return index >= b->first && index - b->first < b->expected;
}

static const char *flag_of(enum ck_region region)
{
    static const char *const flags[CK_REGIONS] = {"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE",
                                                  "CLK_IMAGE_MEM_FENCE"};
    return flags[region];
}

static bool from_barriers(struct reason *r)
{
    static const uint8_t flags[CK_REGIONS] = {MM_FENCE_GLOBAL, MM_FENCE_LOCAL, MM_FENCE_IMAGE};
    struct ck_detector *d = r->d;
    enum ck_region region = r->region;
    uint64_t later = r->later;
    const struct ck_access_record *earlier = r->earlier;
    struct mm_agent agent = {(uint32_t)(later >> 32), (uint32_t)later};
    struct ck_command *command = mm_map_pointer(&d->commands, agent.command);
    if (!agent.command || earlier->agent >> 32 != agent.command || !command || r->copies[1])
        return false;
    const struct ck_group *group = ck_group_of(d, command, agent.index);
    const struct ck_item *item = ck_item_of(d, agent);
    uint32_t count = group && item ? group->past_count : 0;
    for (uint32_t i = 1; i <= (count < CK_PAST_BARRIERS ? count : CK_PAST_BARRIERS); i++) {
        const struct ck_past_barrier *b = &group->past[(count - i) % CK_PAST_BARRIERS];
        if (ck_fence_in(b->flags, region) || b->time[region] < earlier->time ||
            item->time[region] <= b->time[region] || !barrier_covers(b, later) ||
            !barrier_covers(b, earlier->agent))
            continue;
        char where[160];
        format_location(d, b->source, where, sizeof where);
        snprintf(r->text, sizeof r->text, "the barrier at %s fences %s, the accesses are to %s memory", where,
                 flags_words(b->flags), region_name(region));
        snprintf(r->fix, sizeof r->fix, "add %s to the flags of the barrier at %s", flag_of(region), where);
        r->change = (struct ck_change){.source = {b->source}, .fence_flags = flags[region]};
        return true;
    }
    return false;
}

/* ---- agents -------------------------------------------------------------------------------- */

static bool is_below(const struct ck_detector *d, uint32_t command, uint32_t ancestor)
{
    const struct ck_command *c = mm_map_pointer(&d->commands, command);
    while (c && c->info.id != ancestor)
        c = ck_command_parent(d, c);
    return c != NULL;
}

/* A kernel and its descendant by device-side enqueue [CL 3.3.6 H1, H13]. */
static bool from_parent(struct reason *r, uint32_t earlier, uint32_t later)
{
    uint32_t child = is_below(r->d, later, earlier) ? later : earlier,
             parent = child == later ? earlier : later;
    if (!is_below(r->d, child, parent))
        return false;
    snprintf(r->text, sizeof r->text,
             "command %" PRIu32 " enqueues command %" PRIu32
             ", which is ordered after what precedes command %" PRIu32 " and, of the enqueuing work-item's "
             "accesses before its call, after those to fine-grained SVM only",
             parent, child, parent);
    snprintf(r->fix, sizeof r->fix,
             "enqueue command %" PRIu32
             " with CLK_ENQUEUE_FLAGS_WAIT_KERNEL, so that it starts when command %" PRIu32 " has ended",
             child, parent);
    return true;
}

/* Commands are ordered by the rules for commands alone [CL 3.3.6 H15, H25]. */
static bool from_agents(struct reason *r)
{
    uint32_t commands[2] = {(uint32_t)(r->earlier->agent >> 32), (uint32_t)(r->later >> 32)};
    if (commands[0] == commands[1])
        return false;
    if (commands[0] && commands[1] && from_parent(r, commands[0], commands[1]))
        return true;
    if (commands[0] && commands[1]) {
        bool forward = commands[0] < commands[1]; /* the command enqueued first cannot wait for the other */
        uint32_t first = commands[!forward], second = commands[forward];
        snprintf(r->text, sizeof r->text,
                 "no event, wait list, in-order queue, marker or barrier orders commands %" PRIu32
                 " and %" PRIu32,
                 commands[0], commands[1]);
        snprintf(r->fix, sizeof r->fix,
                 "put the event of command %" PRIu32 " into the wait list of command %" PRIu32, first,
                 second);
        r->change.commands = (struct ck_order){.first = first, .second = second};
    } else {
        uint32_t command = commands[0] ? commands[0] : commands[1];
        snprintf(r->text, sizeof r->text,
                 "the host access and command %" PRIu32
                 " are not ordered: the host neither waits for it nor enqueues it afterwards",
                 command);
        snprintf(r->fix, sizeof r->fix,
                 "wait for command %" PRIu32 " (clWaitForEvents, clFinish) before the host access%s", command,
                 commands[0] ? "" : ", or enqueue it after that");
        r->change.commands =
            (struct ck_order){.first = command,
                              .host = (uint32_t)(commands[0] ? r->later : r->earlier->agent),
                              .source = commands[0] ? r->later_source : earlier_signature(r)->source,
                              .allocation = r->allocation};
    }
    return true;
}

bool ck_same_group(struct ck_detector *d, uint64_t a, uint64_t b)
{
    struct ck_command *command = mm_map_pointer(&d->commands, a >> 32);
    return a >> 32 == b >> 32 && command &&
           ck_group_first(command, (uint32_t)ck_issuer_of(d, a)) ==
               ck_group_first(command, (uint32_t)ck_issuer_of(d, b));
}

static void between_atomics(struct reason *r, const struct mm_event *event)
{
    unsigned scope = earlier_signature(r)->meta >> CK_META_SCOPE_SHIFT & 7;
    char where[160], where_too[160];
    if (scope_of(scope) != scope_of(event->scope))
        snprintf(r->text, sizeof r->text,
                 "the atomics have scopes %s and %s, which are not inclusive of each other", scope_of(scope),
                 scope_of(event->scope));
    else
        snprintf(r->text, sizeof r->text, "both atomics have scope %s, but %s", scope_of(scope),
                 apart(scope));
    format_location(r->d, event->source, where, sizeof where);
    format_location(r->d, earlier_signature(r)->source, where_too, sizeof where_too);
    advise_wider_scope(r, event->source, earlier_signature(r)->source, where, where_too);
}

static void between_objects(struct reason *r, const struct mm_event *event)
{
    snprintf(r->text, sizeof r->text,
             "the atomic operations are on %" PRIu32 " and on %" PRIu32
             " bytes: on different atomic objects that "
             "overlap, which are not indivisible for each other",
             earlier_signature(r)->size, event->size);
}

/* A barrier of the group that fences the memory stands between the lines. */
static bool barrier_between(const struct reason *r, const struct mm_source *a, const struct mm_source *b)
{
    struct ck_detector *d = r->d;
    struct ck_command *command = mm_map_pointer(&d->commands, r->later >> 32);
    const struct ck_group *group = command ? ck_group_of(d, command, (uint32_t)r->later) : NULL;
    uint32_t from = a->line < b->line ? a->line : b->line, to = a->line + b->line - from;
    for (uint32_t i = 0; group && i < group->past_count && i < CK_PAST_BARRIERS; i++) {
        const struct ck_past_barrier *past = &group->past[i];
        const struct ck_source *at = ck_source_of(d, past->source);
        if (at && ck_fence_in(past->flags, r->region) && barrier_covers(past, r->later) &&
            barrier_covers(past, r->earlier->agent) && strstr(at->info.opcode, "Barrier") &&
            strcmp(at->info.file, a->file) == 0 && at->info.line >= from && at->info.line <= to)
            return true;
    }
    return false;
}

/* Both accesses are in one function: advises a barrier between the two lines or, where one is already there or
 * the lines are equal, after them, before the next loop iteration.  Not for kernels that order by atomics. */
static void advise_barrier(struct reason *r)
{
    const struct ck_source *later = ck_source_of(r->d, r->later_source);
    const struct ck_source *earlier = ck_source_of(r->d, earlier_signature(r)->source);
    const struct ck_command *command = mm_map_pointer(&r->d->commands, r->later >> 32);
    if (!later || !earlier || !command || command->synchronizes || !later->info.line || !earlier->info.line ||
        strcmp(later->info.file, earlier->info.file) != 0 ||
        strcmp(later->info.function, earlier->info.function) != 0)
        return;
    bool forward = later->info.line > earlier->info.line;
    uint32_t first = (forward ? earlier : later)->info.line, second = (forward ? later : earlier)->info.line;
    bool round = first == second || barrier_between(r, &later->info, &earlier->info);
    r->change.barrier.after = round ? second : first;
    r->change.barrier.before = round ? first : second;
    r->change.barrier.round = round;
    r->change.barrier.flag = flag_of(r->region);
    if (first == second)
        return; /* a position is only found by re-executing with trial barriers */
    if (round)
        snprintf(r->fix, sizeof r->fix,
                 "put barrier(%s) between line %" PRIu32 " and line %" PRIu32
                 " of the next iteration, at a point that every work-item of the group reaches",
                 flag_of(r->region), second, first);
    else
        snprintf(r->fix, sizeof r->fix,
                 "put barrier(%s) between lines %" PRIu32 " and %" PRIu32
                 ", at a point that every work-item of the group reaches",
                 flag_of(r->region), first, second);
}

/* A copy of the group is in progress until a wait for its event; order before its call needs a barrier
 * [CLC 6.15.11]. */
static bool from_copies(struct reason *r)
{
    char copy[160], where[160];
    if (!(r->copies[0] || r->copies[1]) || !ck_same_group(r->d, r->later, r->earlier->agent))
        return false;
    format_location(r->d, earlier_signature(r)->source, copy, sizeof copy);
    format_location(r->d, r->later_source, where, sizeof where);
    if (!r->copies[1] && r->d->options.weak) { /* the scheduler may delay copies past later accesses */
        snprintf(
            r->text, sizeof r->text,
            "no barrier stands between the access at %s and the asynchronous copy at %s, or no wait for the copy "
            "precedes the access",
            copy, where);
        return true;
    }
    if (!r->copies[1]) {
        snprintf(
            r->text, sizeof r->text,
            "no barrier stands between the access at %s and the asynchronous copy at %s, which any work-item "
            "of the group may perform",
            copy, where);
        advise_barrier(r);
        return true;
    }
    snprintf(
        r->text, sizeof r->text,
        "the asynchronous copy at %s is in progress until a wait for its event, and no wait precedes the %s "
        "at %s; barriers do not order it",
        copy, r->copies[0] ? "copy" : "access", where);
    snprintf(r->fix, sizeof r->fix, "wait_group_events for the copy at %s before the %s at %s", copy,
             r->copies[0] ? "copy" : "access", where);
    r->change = (struct ck_change){.source = {earlier_signature(r)->source, r->later_source}, .wait = true};
    return true;
}

/* True for updates such as += and ++: a read and a write at one source location, of a size that atomics have
 * [CLC 6.15.12]. */
static bool is_update(const struct reason *r, const struct mm_event *event)
{
    const struct ck_signature *signature = earlier_signature(r);
    const struct ck_source *later = ck_source_of(r->d, event->source);
    const struct ck_source *earlier = ck_source_of(r->d, signature->source);
    bool read_and_write = event->kind == MM_READ ? signature->meta & CK_META_WRITE
                                                 : event->kind == MM_WRITE && signature->meta & CK_META_READ;
    return read_and_write && !(event->attributes & MM_ATOMIC) && !(signature->meta & CK_META_ATOMIC) &&
           event->size == signature->size && (event->size == 4 || event->size == 8) && later && earlier &&
           later->info.line && later->info.line == earlier->info.line &&
           later->info.column == earlier->info.column && strcmp(later->info.file, earlier->info.file) == 0;
}

static void advise_atomic(struct reason *r)
{
    char where[160];
    enum mm_scope scope = r->region == CK_REGION_LOCAL ? MM_SCOPE_WORK_GROUP : MM_SCOPE_DEVICE;
    format_location(r->d, r->later_source, where, sizeof where);
    snprintf(r->fix, sizeof r->fix,
             "if work-items are meant to share it, make the update at %s one atomic operation, as "
             "atomic_fetch_add_explicit() is, with memory_scope_%s",
             where, mm_scope_name(scope));
    r->change = (struct ck_change){
        .source = {r->later_source, earlier_signature(r)->source}, .scope = (uint8_t)scope, .atomic = true};
}

static void without_a_hint(struct reason *r, const struct mm_event *event)
{
    bool within = ck_same_group(r->d, r->later, r->earlier->agent);
    snprintf(r->text, sizeof r->text, "no synchronization orders the two accesses%s",
             within || !(r->earlier->agent >> 32)
                 ? ""
                 : "; the work-items are in different work-groups, which no barrier joins");
    if (r->later >> 32 && r->earlier->agent >> 32 && is_update(r, event))
        advise_atomic(r);
    else if (within && r->region != CK_REGION_IMAGE && earlier_signature(r)->source != 0)
        advise_barrier(r);
}

const char *ck_race_reason(struct ck_detector *d, const struct ck_location *location,
                           const struct mm_event *event, const struct ck_access_record *earlier,
                           bool scope_race, struct ck_change *change, const char **fix)
{
    struct reason r = {.d = d,
                       .copies = {mm_is_copy(event), ck_is_copy(d, earlier->agent)},
                       .region = (enum ck_region)location->region,
                       .later = ck_agent_key(event->agent),
                       .later_source = event->source,
                       .allocation = event->allocation,
                       .earlier = earlier};
    if (scope_race)
        between_atomics(&r, event);
    else if (ck_both_atomic(d, event, earlier))
        between_objects(&r, event);
    else if (!from_barriers(&r) && !from_atomics(&r) && !from_agents(&r) && !from_copies(&r))
        without_a_hint(&r, event);
    *change = r.change;
    *fix = *r.fix ? mm_arena_strdup(d->arena, r.fix) : NULL;
    return mm_arena_strdup(d->arena, r.text);
}
