/* The reason of a race: the closest synchronization between the two accesses and what it lacks
 * (docs/detector.md#reasons-and-fixes). */
#include "checker/race/reason.h"
#include "checker/race/agents.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *ck_reason_location(struct ck_detector *d, uint32_t source, char *buf, size_t size)
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

const char *ck_reason_region(enum ck_region region)
{
    static const char *const names[CK_REGIONS] = {"global", "local", "image"};
    return names[region];
}

const char *ck_reason_scope(unsigned scope)
{
    return scope ? mm_scope_name((enum mm_scope)scope) : "device";
}

/* Why two work-items share no instance of SCOPE. */
const char *ck_reason_apart(unsigned scope)
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

const struct ck_signature *ck_reason_earlier(const struct ck_reason *r)
{
    return &r->d->shadow.signatures[r->earlier->signature];
}

static bool same_device(struct ck_detector *d, uint64_t a, uint64_t b)
{
    const struct ck_command *x = mm_map_pointer(&d->maps.commands, a >> 32),
                            *y = mm_map_pointer(&d->maps.commands, b >> 32);
    return a >> 32 && b >> 32 && x && y && x->info.device == y->info.device;
}

/* The narrowest of work-group, device and all_svm_devices that includes both agents. */
static enum mm_scope common_scope(const struct ck_reason *r)
{
    struct ck_command *c = mm_map_pointer(&r->d->maps.commands, r->later >> 32);
    if (c && r->later >> 32 == r->earlier->agent >> 32 &&
        ck_group_first(c, (uint32_t)r->later) == ck_group_first(c, (uint32_t)r->earlier->agent))
        return MM_SCOPE_WORK_GROUP;
    return same_device(r->d, r->later, r->earlier->agent) ? MM_SCOPE_DEVICE : MM_SCOPE_ALL_SVM_DEVICES;
}

void ck_reason_advise_scope(struct ck_reason *r, const char *what, uint32_t first, uint32_t second)
{
    enum mm_scope scope = common_scope(r);
    char where[160], where_too[160];
    ck_reason_location(r->d, first, where, sizeof where);
    ck_reason_location(r->d, second, where_too, sizeof where_too);
    r->change = (struct ck_change){.source = {first, second}, .scope = (uint8_t)scope};
    if (strcmp(where, where_too) == 0)
        snprintf(r->fix, sizeof r->fix, "give the %s at %s memory_scope_%s", what, where,
                 mm_scope_name(scope));
    else
        snprintf(r->fix, sizeof r->fix, "give the %ss at %s and %s memory_scope_%s", what, where, where_too,
                 mm_scope_name(scope));
}

/* ---- barriers without the region's flag -------------------------------------------------------------- */

const char *ck_reason_fenced(unsigned flags)
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

const char *ck_reason_flag(enum ck_region region)
{
    static const char *const flags[CK_REGIONS] = {"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE",
                                                  "CLK_IMAGE_MEM_FENCE"};
    return flags[region];
}

static bool from_barriers(struct ck_reason *r)
{
    struct ck_detector *d = r->d;
    enum ck_region region = r->region;
    uint64_t later = r->later;
    const struct ck_access_record *earlier = r->earlier;
    struct mm_agent agent = {(uint32_t)(later >> 32), (uint32_t)later};
    struct ck_command *command = mm_map_pointer(&d->maps.commands, agent.command);
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
        ck_reason_location(d, b->source, where, sizeof where);
        snprintf(r->text, sizeof r->text, "the barrier at %s fences %s, the accesses are to %s memory", where,
                 ck_reason_fenced(b->flags), ck_reason_region(region));
        snprintf(r->fix, sizeof r->fix, "add %s to the flags of the barrier at %s", ck_reason_flag(region),
                 where);
        r->change = (struct ck_change){.source = {b->source}, .fence_flags = ck_fence_flag(region)};
        return true;
    }
    return false;
}

/* ---- agents -------------------------------------------------------------------------------- */

static bool is_below(const struct ck_detector *d, uint32_t command, uint32_t ancestor)
{
    const struct ck_command *c = mm_map_pointer(&d->maps.commands, command);
    while (c && c->info.id != ancestor)
        c = ck_command_parent(d, c);
    return c != NULL;
}

/* A kernel and its descendant by device-side enqueue [CL 3.3.6 H1, H13]. */
static bool from_parent(struct ck_reason *r, uint32_t earlier, uint32_t later)
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

/* The run of a command buffer that COMMAND is part of, or 0. */
static uint32_t run_of(const struct ck_detector *d, uint32_t command)
{
    const struct ck_command *c = mm_map_pointer(&d->maps.commands, command);
    const struct ck_command *parent = c ? ck_command_parent(d, c) : NULL;
    bool is_run = parent && parent->known && strcmp(parent->info.kind, "clEnqueueCommandBufferKHR") == 0;
    return is_run ? parent->info.id : 0;
}

/* No event orders COMMANDS, or, of two commands of different runs, no event orders the runs. */
static void no_event(struct ck_reason *r, const uint32_t commands[2])
{
    uint32_t runs[2] = {run_of(r->d, commands[0]), run_of(r->d, commands[1])}, ends[2];
    bool in_run = runs[0] && runs[0] == runs[1];
    for (int i = 0; i < 2; i++)
        ends[i] = runs[i] && !in_run ? runs[i] : commands[i];
    bool forward = ends[0] < ends[1]; /* the command enqueued first cannot wait for the other */
    uint32_t first = ends[!forward], second = ends[forward];
    snprintf(r->text, sizeof r->text, "no %s orders commands %" PRIu32 " and %" PRIu32,
             in_run ? "sync-point, in-order queue or barrier"
                    : "event, wait list, in-order queue, marker or barrier",
             commands[0], commands[1]);
    snprintf(r->fix, sizeof r->fix,
             "put the %s of command %" PRIu32 " into the wait list of command %" PRIu32,
             in_run ? "sync-point" : "event", first, second);
    r->change.commands = (struct ck_order){.first = first, .second = second};
}

/* Commands are ordered by the rules for commands alone [CL 3.3.6 H15, H25]. */
static bool from_agents(struct ck_reason *r)
{
    uint32_t commands[2] = {(uint32_t)(r->earlier->agent >> 32), (uint32_t)(r->later >> 32)};
    if (commands[0] == commands[1])
        return false;
    if (commands[0] && commands[1] && from_parent(r, commands[0], commands[1]))
        return true;
    if (commands[0] && commands[1]) {
        no_event(r, commands);
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
                              .source = commands[0] ? r->later_source : ck_reason_earlier(r)->source,
                              .allocation = r->allocation};
    }
    return true;
}

bool ck_same_group(struct ck_detector *d, uint64_t a, uint64_t b)
{
    struct ck_command *command = mm_map_pointer(&d->maps.commands, a >> 32);
    return a >> 32 == b >> 32 && command &&
           ck_group_first(command, (uint32_t)ck_issuer_of(d, a)) ==
               ck_group_first(command, (uint32_t)ck_issuer_of(d, b));
}

static void between_atomics(struct ck_reason *r, const struct mm_event *event)
{
    unsigned scope = ck_reason_earlier(r)->meta >> CK_META_SCOPE_SHIFT & 7;
    if (ck_reason_scope(scope) != ck_reason_scope(event->scope))
        snprintf(r->text, sizeof r->text,
                 "the atomics have scopes %s and %s, which are not inclusive of each other",
                 ck_reason_scope(scope), ck_reason_scope(event->scope));
    else
        snprintf(r->text, sizeof r->text, "both atomics have scope %s, but %s", ck_reason_scope(scope),
                 ck_reason_apart(scope));
    ck_reason_advise_scope(r, "atomic", event->source, ck_reason_earlier(r)->source);
}

static void between_objects(struct ck_reason *r, const struct mm_event *event)
{
    snprintf(r->text, sizeof r->text,
             "the atomic operations are on %" PRIu32 " and on %" PRIu32
             " bytes: on different atomic objects that overlap, which are not indivisible for each other",
             ck_reason_earlier(r)->size, event->size);
}

/* True if both agents passed a barrier on a line between A and B whose fence flags include the region of the
 * access. */
static bool barrier_between(const struct ck_reason *r, const struct mm_source *a, const struct mm_source *b)
{
    struct ck_detector *d = r->d;
    struct ck_command *command = mm_map_pointer(&d->maps.commands, r->later >> 32);
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

/* Both accesses are in one function: advises a barrier between the two lines or, where one is already there
 * or the lines are equal, after them, before the next loop iteration.  Not for kernels that order by
 * atomics. */
static void advise_barrier(struct ck_reason *r)
{
    const struct ck_source *later = ck_source_of(r->d, r->later_source);
    const struct ck_source *earlier = ck_source_of(r->d, ck_reason_earlier(r)->source);
    const struct ck_command *command = mm_map_pointer(&r->d->maps.commands, r->later >> 32);
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
    r->change.barrier.flag = ck_reason_flag(r->region);
    if (first == second)
        return; /* a position is only found by re-executing with trial barriers */
    if (round)
        snprintf(r->fix, sizeof r->fix,
                 "put barrier(%s) between line %" PRIu32 " and line %" PRIu32
                 " of the next iteration, at a point that every work-item of the group reaches",
                 ck_reason_flag(r->region), second, first);
    else
        snprintf(r->fix, sizeof r->fix,
                 "put barrier(%s) between lines %" PRIu32 " and %" PRIu32
                 ", at a point that every work-item of the group reaches",
                 ck_reason_flag(r->region), first, second);
}

/* A copy of the group is in progress until a wait for its event; order before its call needs a barrier
 * [CLC 6.15.11]. */
static bool from_copies(struct ck_reason *r)
{
    char copy[160], where[160];
    if (!(r->copies[0] || r->copies[1]) || !ck_same_group(r->d, r->later, r->earlier->agent))
        return false;
    ck_reason_location(r->d, ck_reason_earlier(r)->source, copy, sizeof copy);
    ck_reason_location(r->d, r->later_source, where, sizeof where);
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
    r->change = (struct ck_change){.source = {ck_reason_earlier(r)->source, r->later_source}, .wait = true};
    return true;
}

/* True for updates such as += and ++: a read and a write at one source location, of a size that atomics have
 * [CLC 6.15.12]. */
static bool is_update(const struct ck_reason *r, const struct mm_event *event)
{
    const struct ck_signature *signature = ck_reason_earlier(r);
    const struct ck_source *later = ck_source_of(r->d, event->source);
    const struct ck_source *earlier = ck_source_of(r->d, signature->source);
    bool read_and_write = event->kind == MM_READ ? signature->meta & CK_META_WRITE
                                                 : event->kind == MM_WRITE && signature->meta & CK_META_READ;
    return read_and_write && !(event->attributes & MM_ATOMIC) && !(signature->meta & CK_META_ATOMIC) &&
           event->size == signature->size && (event->size == 4 || event->size == 8) && later && earlier &&
           later->info.line && later->info.line == earlier->info.line &&
           later->info.column == earlier->info.column && strcmp(later->info.file, earlier->info.file) == 0;
}

static void advise_atomic(struct ck_reason *r)
{
    char where[160];
    enum mm_scope scope = r->region == CK_REGION_LOCAL ? MM_SCOPE_WORK_GROUP : MM_SCOPE_DEVICE;
    ck_reason_location(r->d, r->later_source, where, sizeof where);
    snprintf(r->fix, sizeof r->fix,
             "if work-items are meant to share it, make the update at %s one atomic operation, as "
             "atomic_fetch_add_explicit() is, with memory_scope_%s",
             where, mm_scope_name(scope));
    r->change = (struct ck_change){
        .source = {r->later_source, ck_reason_earlier(r)->source}, .scope = (uint8_t)scope, .atomic = true};
}

static void without_a_hint(struct ck_reason *r, const struct mm_event *event)
{
    bool within = ck_same_group(r->d, r->later, r->earlier->agent);
    snprintf(r->text, sizeof r->text, "no synchronization orders the two accesses%s",
             within || !(r->earlier->agent >> 32)
                 ? ""
                 : "; the work-items are in different work-groups, which no barrier joins");
    if (r->later >> 32 && r->earlier->agent >> 32 && is_update(r, event))
        advise_atomic(r);
    else if (within && r->region != CK_REGION_IMAGE && ck_reason_earlier(r)->source != 0)
        advise_barrier(r);
}

static bool is_earlier_through_image(const struct ck_reason *r)
{
    return r->d->shadow.signatures[r->earlier->signature].meta & CK_META_THROUGH_IMAGE;
}

/* True if the launch writes memory through a buffer and reads it through an image made from the buffer, or
 * the reverse [CL 5.3.1 R24].  THROUGH: the later access is through the image. */
static bool is_read_through_other_view(const struct ck_reason *r, const struct mm_event *event, bool through)
{
    return through != is_earlier_through_image(r) && event->kind != MM_WRITE &&
           ck_reason_earlier(r)->meta & CK_META_WRITE && r->later >> 32 == r->earlier->agent >> 32 &&
           r->later >> 32;
}

const char *ck_race_reason(struct ck_detector *d, const struct ck_memory *memory,
                           const struct mm_event *event, const struct ck_access_record *earlier,
                           bool scope_race, struct ck_change *change, const char **fix)
{
    bool through = mm_is_through_image(event) && memory->region == CK_REGION_GLOBAL;
    struct ck_reason r = {.d = d,
                          .copies = {mm_is_copy(event), ck_is_copy(d, earlier->agent)},
                          .region = through ? CK_REGION_IMAGE : (enum ck_region)memory->region,
                          .later = ck_agent_key(event->agent),
                          .later_source = event->source,
                          .allocation = event->allocation,
                          .earlier = earlier};
    if (memory->region == CK_REGION_GLOBAL && is_earlier_through_image(&r) != through)
        r.region = through ? CK_REGION_GLOBAL : CK_REGION_IMAGE;
    if (is_read_through_other_view(&r, event, through))
        snprintf(
            r.text, sizeof r.text,
            "a launch writes through one and reads through the other of a buffer and an image made from it: "
            "no synchronization within the launch orders that");
    else if (scope_race)
        between_atomics(&r, event);
    else if (ck_both_atomic(d, event, earlier))
        between_objects(&r, event);
    else if (!from_barriers(&r) && !ck_reason_from_atomics(&r) && !from_agents(&r) && !from_copies(&r))
        without_a_hint(&r, event);
    *change = r.change;
    *fix = *r.fix ? mm_arena_strdup(d->arena, r.fix) : NULL;
    return mm_arena_strdup(d->arena, r.text);
}
