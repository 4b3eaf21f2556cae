/* Findings: creation, deduplication and counting. */
#include "checker/predict/predict.h"
#include "checker/race/agents.h"
#include "memmodel/base/array.h"

#include "checker/race/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash_mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

bool ck_finding_add(struct ck_detector *d, struct ck_finding *finding)
{
    if (d->options.max_findings && d->report.finding_count >= d->options.max_findings) {
        d->report.dropped++;
        return true;
    }
    struct ck_finding **place = mm_add(&d->report.findings, &d->report.finding_count);
    if (!place)
        return false;
    *place = finding;
    return true;
}

/* Adds a finding unless a filter leaves it out. */
static void add_finding(struct ck_detector *d, struct ck_finding *finding)
{
    enum ck_filter filter = ck_filter_of(d, finding);
    if (filter != CK_FILTER_NONE)
        d->report.hidden[filter]++;
    else if (!ck_finding_add(d, finding))
        ck_detector_stop(d, "limit reached: memory for findings");
}

static uint64_t location_key(struct ck_detector *d, uint32_t source)
{
    const struct ck_source *s = ck_source_of(d, source);
    return s ? s->location_key : source;
}

/* The argument bound nearest below OFFSET through which a command reaches the allocation. */
static const struct mm_argument *argument_of(const struct ck_command *command, uint32_t allocation,
                                             uint64_t offset)
{
    const struct mm_argument *best = NULL;
    for (const struct ck_argument *a = command ? command->arguments : NULL; a; a = a->next)
        if (a->info.allocation == allocation && a->info.offset <= offset &&
            (!best || a->info.offset >= best->offset))
            best = &a->info;
    return best;
}

/* The place of SOURCE, or NULL if its file and line are unknown. */
static const struct mm_source *known_place(struct ck_detector *d, uint32_t source)
{
    const struct ck_source *s = ck_source_of(d, source);
    return s && s->info.line ? &s->info : NULL;
}

/* The calls that led to SOURCE, innermost first; those of the host's code have lines where it was compiled
 * with them. */
static uint32_t fill_stack(struct ck_detector *d, const struct mm_source *stack[CK_STACK],
                           const struct ck_source *source)
{
    uint32_t depth = 0;
    while (source && depth < CK_STACK && (source = ck_source_of(d, source->info.caller)))
        if (source->info.line || *source->info.function)
            stack[depth++] = &source->info;
    return depth;
}

static void fill_access(struct ck_detector *d, struct ck_access *access, const struct mm_event *event,
                        uint64_t first_byte)
{
    const struct ck_source *source = ck_source_of(d, event->source);
    access->depth = fill_stack(d, access->stack, source);
    const struct ck_command *command =
        event->agent.command ? mm_map_pointer(&d->maps.commands, event->agent.command) : NULL;
    access->source = source ? source->info : (struct mm_source){.file = "", .function = "", .opcode = ""};
    access->event = *event;
    access->id = MM_NO_EVENT;
    access->agent = event->agent;
    if (command && command->known)
        access->command = &command->info;
    access->call = command ? known_place(d, command->call) : NULL;
    access->caller = command ? command->caller : 0;
    access->call_depth = access->call ? fill_stack(d, access->call_stack, ck_source_of(d, command->call)) : 0;
    if (access->command && event->agent.index != MM_INDEX_RUNTIME)
        mm_agent_coordinates(access->command, event->agent, access->global_id, access->group_id,
                             access->local_id);
    const struct mm_argument *argument =
        event->allocation ? argument_of(command, event->allocation, first_byte) : NULL;
    if (argument) {
        access->argument = argument->name;
        int64_t from = (int64_t)(first_byte - argument->offset); /* may be before its first byte */
        access->element = (uint64_t)ck_words_element(from, argument->element_size);
        uint64_t left = event->offset + event->size - first_byte; /* where both are offsets in one object */
        left = left && left <= event->size ? left : 1;
        struct mm_designator place = mm_layout_find(from < 0 ? NULL : argument->layout, (uint64_t)from, left);
        access->designator = place.composite ? mm_arena_strdup(d->arena, place.text) : NULL;
    }
}

/* A finding about SIZE bytes of a memory object; LOCATION may be NULL. */
static struct ck_finding *new_finding(struct ck_detector *d, const char *kind, const char *clause,
                                      const struct ck_memory *memory, uint64_t offset, uint32_t size)
{
    struct ck_finding *finding = mm_arena_alloc(d->arena, sizeof *finding);
    if (!finding)
        return NULL;
    finding->kind = kind;
    finding->clause = clause;
    finding->allocation = memory ? &memory->info : NULL;
    finding->created = memory ? known_place(d, memory->created) : NULL;
    finding->offset = offset;
    finding->size = size;
    return finding;
}

/* Initializes the counts by work-group of FINDING, by elements of the argument that its message names. */
static void begin_heat(struct ck_detector *d, struct ck_finding *finding)
{
    const struct mm_argument *argument = NULL;
    for (size_t i = 0; i < finding->access_count && !argument && finding->allocation; i++)
        argument = argument_of(ck_command_known(d, finding->accesses[i].agent.command),
                               finding->accesses[i].event.allocation, finding->offset);
    ck_heat_begin(finding, argument);
}

static struct mm_event event_of(const struct ck_detector *d, const struct ck_access_record *record,
                                const struct mm_event *other, uint64_t offset)
{
    const struct ck_signature *signature = &d->shadow.signatures[record->signature];
    struct mm_event event = {.offset = offset, .allocation = other->allocation};
    event.agent =
        (struct mm_agent){(uint32_t)(record->agent >> 32), (uint32_t)ck_issuer_of(d, record->agent)};
    event.semantics = ck_is_copy(d, record->agent)              ? MM_COPY
                      : signature->meta & CK_META_THROUGH_IMAGE ? MM_THROUGH_IMAGE
                                                                : 0;
    event.size = signature->size;
    event.source = signature->source;
    bool reads = signature->meta & CK_META_READ, writes = signature->meta & CK_META_WRITE;
    event.kind = reads && writes ? MM_RMW : writes ? MM_WRITE : MM_READ;
    event.attributes = (uint8_t)(MM_NO_VALUE | (signature->meta & CK_META_POSSIBLE ? MM_POSSIBLE : 0));
    if (signature->meta & CK_META_ATOMIC) {
        event.attributes |= MM_ATOMIC;
        event.order = (uint8_t)(signature->meta >> CK_META_ORDER_SHIFT & 7);
        event.scope = (uint8_t)(signature->meta >> CK_META_SCOPE_SHIFT & 7);
    }
    return event;
}

static const char *race_message(struct ck_detector *d, const struct ck_finding *finding)
{
    char where[200], agents[2][200], text[900];
    ck_words_location(finding, where, sizeof where);
    for (int i = 0; i < 2; i++)
        ck_words_agent(&finding->accesses[i], finding->accesses[0].command != finding->accesses[1].command,
                       agents[i], sizeof agents[i]);
    snprintf(text, sizeof text, "%s on %s between %s by %s and %s by %s",
             strcmp(finding->kind, "scope-race") == 0       ? "scope race"
             : strcmp(finding->kind, "predicted-race") == 0 ? "in another execution: data race"
             : strcmp(finding->kind, CK_POSSIBLE_RACE) == 0 ? "a data race is possible"
                                                            : "data race",
             where, ck_words_access(&finding->accesses[0].event), agents[0],
             ck_words_access(&finding->accesses[1].event), agents[1]);
    return mm_arena_strdup(d->arena, text);
}

static struct ck_finding *new_race(struct ck_detector *d, const struct ck_memory *memory,
                                   const struct mm_event *event, const struct ck_access_record *earlier,
                                   uint64_t first_byte, uint32_t bytes, bool scope_race)
{
    const struct ck_memory *named = mm_map_pointer(&d->maps.memory, event->allocation);
    uint64_t offset = named ? first_byte - named->parent_offset : first_byte;
    struct mm_event first = event_of(d, earlier, event, offset);
    bool possible = (event->attributes | first.attributes) & MM_POSSIBLE;
    struct ck_finding *finding = new_finding(d,
                                             possible     ? "possible-race"
                                             : scope_race ? "scope-race"
                                                          : "data-race",
                                             "CL 3.3.6 G17", named, offset, bytes);
    if (!finding)
        return NULL;
    finding->access_count = 2;
    fill_access(d, &finding->accesses[0], event, offset);
    fill_access(d, &finding->accesses[1], &first, offset);
    begin_heat(d, finding);
    finding->accesses[0].id = d->next_event;
    finding->reason = ck_race_reason(d, memory, event, earlier, scope_race, &finding->change, &finding->fix);
    for (int i = 0; i < 2; i++)
        finding->changed[i] = known_place(d, finding->change.source[i]);
    finding->message = race_message(d, finding);
    add_finding(d, finding);
    return finding;
}

/* Identifies memory in keys of findings: local memory by its name, so that all launches share it; other
 * memory by its allocation. */
static uint64_t memory_key(struct ck_detector *d, uint32_t allocation)
{
    const struct ck_memory *memory = mm_map_pointer(&d->maps.memory, allocation);
    const char *name = memory && memory->region == CK_REGION_LOCAL ? memory->info.name : NULL;
    uint64_t key = name && *name ? 4 : allocation;
    for (const char *s = name; s && *s; s++)
        key = hash_mix(key, (unsigned char)*s);
    return key;
}

/* Races are equal if they are between the same two source locations on the same memory.  Copy commands have
 * no location: there the kinds of the accesses distinguish them. */
static uint64_t race_key(struct ck_detector *d, const uint32_t sources[2], const uint8_t kinds[2],
                         uint32_t allocation, bool scope_race)
{
    uint64_t places[2];
    for (int i = 0; i < 2; i++) {
        places[i] = location_key(d, sources[i]);
        places[i] = places[i] ? places[i] << 1 : (uint64_t)kinds[i] << 1 | 1;
    }
    bool swap = places[0] > places[1];
    return hash_mix(hash_mix(hash_mix(hash_mix(1, places[swap]), places[!swap]), memory_key(d, allocation)),
                    scope_race);
}

/* The key of a hidden finding: distinct from KEY, as launches that are not filtered may have the same
 * finding. */
static uint64_t key_of_hidden(uint64_t key)
{
    return hash_mix(3, key);
}

/* The known finding with *KEY, or NULL.  If FILTER hides the new finding and no other launch has it, *KEY
 * becomes key_of_hidden(). */
static struct ck_finding *finding_seen(struct ck_detector *d, uint64_t *key, enum ck_filter filter)
{
    struct ck_finding *finding = mm_map_pointer(&d->maps.seen, *key);
    if (finding || filter == CK_FILTER_NONE)
        return finding;
    *key = key_of_hidden(*key);
    return mm_map_pointer(&d->maps.seen, *key);
}

/* Enters FINDING, which is new; false without memory.  An equal hidden finding is no longer counted. */
static bool note_seen(struct ck_detector *d, uint64_t key, struct ck_finding *finding)
{
    const struct ck_finding *hidden = mm_map_pointer(&d->maps.seen, key_of_hidden(key));
    if (hidden)
        d->report.hidden[ck_filter_of(d, hidden)]--;
    return ck_map_put(&d->maps.seen, &d->budget, key, finding);
}

const struct ck_finding *ck_detector_race(struct ck_detector *d, const struct ck_finding *f)
{
    if (f->access_count < 2)
        return NULL;
    uint32_t sources[2] = {f->accesses[0].event.source, f->accesses[1].event.source};
    uint8_t kinds[2] = {f->accesses[0].event.kind, f->accesses[1].event.kind};
    bool scope_race = strcmp(f->kind, "scope-race") == 0;
    return mm_map_pointer(&d->maps.seen,
                          race_key(d, sources, kinds, f->accesses[0].event.allocation, scope_race));
}

void ck_detector_verified(struct ck_detector *d, size_t i, bool verified)
{
    if (i >= d->report.finding_count)
        return;
    d->report.findings[i]->verified = verified;
    if (!verified)
        d->report.findings[i]->fix = NULL;
}

void ck_detector_revisions(struct ck_detector *d, size_t i, const char *text)
{
    if (i < d->report.finding_count)
        d->report.findings[i]->revisions = mm_arena_strdup(d->arena, text);
}

void ck_detector_depends(struct ck_detector *d, size_t i, const char *text)
{
    if (i < d->report.finding_count)
        d->report.findings[i]->depends_on = mm_arena_strdup(d->arena, text);
}

bool ck_detector_races_across(const struct ck_detector *d)
{
    return d->report.across;
}

void ck_detector_mark_uniform(struct ck_detector *d, size_t i)
{
    if (i < d->report.finding_count)
        d->report.findings[i]->kind = CK_UNIFORM_WRITE;
}

/* Moves findings about uninitialized values behind those that may be their cause. */
static void finding_order(struct ck_detector *d)
{
    struct ck_finding **all = d->report.findings, **late = NULL;
    size_t count = 0, kept = 0, size = d->report.finding_count;
    late = size ? mm_alloc(size * sizeof *late) : NULL;
    for (size_t i = 0; late && i < size; i++)
        if (strncmp(all[i]->kind, "uninitialized", strlen("uninitialized")) == 0)
            late[count++] = all[i];
        else
            all[kept++] = all[i];
    if (count)
        memcpy(all + kept, late, count * sizeof *late);
    mm_free(late);
}

void ck_detector_filter(struct ck_detector *d, bool uniform)
{
    size_t kept = 0;
    d->report.has_kinds = true;
    for (size_t i = 0; i < d->report.finding_count; i++) {
        struct ck_finding *f = d->report.findings[i];
        enum ck_filter filter = ck_filter_of(d, f);
        if (!filter && !uniform && strcmp(f->kind, CK_UNIFORM_WRITE) == 0)
            filter = CK_FILTER_UNIFORM;
        if (filter == CK_FILTER_NONE)
            d->report.findings[kept++] = f;
        else
            d->report.hidden[filter]++;
    }
    d->report.finding_count = kept;
    finding_order(d);
}

void ck_detector_advise(struct ck_detector *d, size_t i, const char *fix)
{
    const char *copy = i < d->report.finding_count ? mm_arena_strdup(d->arena, fix) : NULL;
    if (!copy)
        return;
    d->report.findings[i]->fix = copy;
    d->report.findings[i]->verified = true;
}

bool ck_both_atomic(const struct ck_detector *d, const struct mm_event *event,
                    const struct ck_access_record *earlier)
{
    return (event->attributes & MM_ATOMIC) &&
           (d->shadow.signatures[earlier->signature].meta & CK_META_ATOMIC);
}

/* Counts an instance of a race at FIRST_BYTE of LOCATION, the object that contains the memory. */
static void count_race(struct ck_detector *d, struct ck_finding *finding, const struct ck_memory *memory,
                       const struct mm_event *later, const struct mm_event *earlier, uint64_t first_byte)
{
    const struct ck_memory *named =
        memory->info.id == later->allocation ? memory : mm_map_pointer(&d->maps.memory, later->allocation);
    const struct mm_agent agents[2] = {later->agent, earlier->agent};
    finding->count++;
    ck_heat_add(d, finding, agents, 2, named ? first_byte - named->parent_offset : first_byte);
}

void ck_race_forget_known(struct ck_detector *d)
{
    memset(d->report.known, 0, sizeof d->report.known);
}

static bool is_known_race(const struct ck_known_race *known, const struct ck_known_race *race)
{
    return known->finding && known->source == race->source && known->signature == race->signature &&
           known->allocation == race->allocation && known->kind == race->kind &&
           known->scope_race == race->scope_race;
}

void ck_race_found(struct ck_detector *d, const struct ck_memory *memory, const struct mm_event *event,
                   const struct ck_access_record *earlier, uint64_t first_byte, uint32_t bytes)
{
    if (d->budget.exceeded)
        return; /* without memory a clock may be incomplete: the race may be false */
    bool scope_race =
        ck_both_atomic(d, event, earlier) && d->shadow.signatures[earlier->signature].size == event->size;
    struct mm_event first = event_of(d, earlier, event, 0);
    const uint32_t sources[2] = {event->source, d->shadow.signatures[earlier->signature].source};
    const uint8_t kinds[2] = {event->kind, first.kind};
    enum ck_filter filter = ck_filter_of_pair(d, event->agent, first.agent);
    struct ck_known_race race = {event->source, earlier->signature, event->allocation,
                                 event->kind,   scope_race,         NULL};
    struct ck_known_race *known = &d->report.known[(race.source + race.signature) % CK_KNOWN_RACES];
    struct ck_finding *finding = !filter && is_known_race(known, &race) ? known->finding : NULL;
    uint64_t key = 0;
    if (!finding) {
        uint64_t shown = key = race_key(d, sources, kinds, event->allocation, scope_race);
        finding = finding_seen(d, &key, filter);
        if (finding && filter && key == shown)
            return;
    }
    if (finding && finding == d->report.last && d->report.last_event == d->next_event &&
        d->report.last_agent == earlier->agent)
        return; /* another byte of the same two accesses */
    if (!finding) {
        finding = new_race(d, memory, event, earlier, first_byte, bytes, scope_race);
        if (!finding || !note_seen(d, key, finding))
            return;
    }
    if (!filter) {
        *known = race;
        known->finding = finding;
    }
    count_race(d, finding, memory, event, &first, first_byte);
    if (event->agent.command != first.agent.command) {
        d->report.across = true;
        finding->commands = CK_ACROSS_COMMANDS;
    } else if (finding->commands != CK_ACROSS_COMMANDS && finding->last_command != event->agent.command) {
        finding->commands++;
    }
    finding->last_command = event->agent.command;
    finding->pairs |= ck_pair_bit(event, &first);
    if (finding->change.barrier.after && !ck_same_group(d, ck_agent_key(event->agent), earlier->agent)) {
        finding->change.barrier.after = 0;
        finding->fix = NULL;
    }
    d->report.last = finding;
    d->report.last_event = d->next_event;
    d->report.last_agent = earlier->agent;
}

/* Adds a failed assertion about the final memory, of this execution or of another. */
static void assertion_failed(struct ck_detector *d, const struct ck_prediction *prediction)
{
    bool here = prediction->observed;
    char text[400];
    struct ck_finding *finding =
        new_finding(d, here ? "assertion" : "predicted-assertion", "CL 3.3.6 G16", NULL, 0, 0);
    if (!finding)
        return;
    snprintf(text, sizeof text, "%sthe assertion '%.300s' fails",
             here ? "" : "in another execution: ", prediction->assertion->text);
    finding->count = 1;
    finding->message = mm_arena_strdup(d->arena, text);
    finding->reason = prediction->execution ? mm_arena_strdup(d->arena, prediction->execution) : NULL;
    add_finding(d, finding);
}

/* Adds a race of another execution, or a failed assertion of this or another execution. */
void ck_finding_predicted(struct ck_detector *d, const struct ck_prediction *prediction)
{
    if (prediction->assertion) {
        assertion_failed(d, prediction);
        return;
    }
    const struct mm_event *event = &prediction->later, *earlier = &prediction->earlier;
    const uint32_t sources[2] = {event->source, earlier->source};
    const uint8_t kinds[2] = {event->kind, earlier->kind};
    uint64_t key = race_key(d, sources, kinds, event->allocation, false);
    struct ck_memory *memory = mm_map_pointer(&d->maps.memory, event->allocation);
    if (!memory || mm_map_pointer(&d->maps.seen, key))
        return;
    struct ck_finding *finding =
        new_finding(d, "predicted-race", "CL 3.3.6 G17", memory, event->offset, event->size);
    if (!finding || !ck_map_put(&d->maps.seen, &d->budget, key, finding))
        return;
    finding->count = 1;
    finding->access_count = 2;
    fill_access(d, &finding->accesses[0], event, event->offset);
    fill_access(d, &finding->accesses[1], earlier, event->offset);
    finding->accesses[0].id = finding->accesses[1].id = MM_NO_EVENT;
    finding->message = race_message(d, finding);
    finding->reason = mm_arena_strdup(d->arena, prediction->execution);
    add_finding(d, finding);
}

static void count_recorded(struct ck_detector *d, struct ck_finding *finding, const struct mm_finding *record)
{
    finding->count++;
    ck_heat_add(d, finding, &record->agent, 1, record->offset);
}

void ck_finding_recorded(struct ck_detector *d, const struct mm_finding *record)
{
    uint64_t key = hash_mix(hash_mix(2, location_key(d, record->source)), memory_key(d, record->allocation));
    for (const char *s = record->kind; s && *s; s++)
        key = hash_mix(key, (unsigned char)*s);
    bool by_message = !record->source || (record->kind && strcmp(record->kind, CK_NEEDLESS_WAIT) == 0);
    for (const char *s = by_message ? record->message : ""; s && *s; s++)
        key = hash_mix(key, (unsigned char)*s);
    uint64_t shown = key;
    enum ck_filter filter = ck_filter_of_pair(d, record->agent, record->agent);
    struct ck_finding *finding = finding_seen(d, &key, filter);
    if (finding) {
        if (!filter || key != shown)
            count_recorded(d, finding, record);
        return;
    }
    finding = new_finding(d, mm_arena_strdup(d->arena, record->kind ? record->kind : ""),
                          mm_arena_strdup(d->arena, record->clause ? record->clause : ""),
                          mm_map_pointer(&d->maps.memory, record->allocation), record->offset, record->size);
    if (!finding || !finding->kind || !finding->clause) {
        d->budget.exceeded = true; /* the verdict becomes unknown */
        return;
    }
    finding->message = mm_arena_strdup(d->arena, record->message ? record->message : "");
    struct mm_event event = {.agent = record->agent,
                             .source = record->source,
                             .allocation = record->allocation,
                             .offset = record->offset,
                             .size = record->size,
                             .attributes = MM_NO_VALUE};
    event.kind = MM_KIND_COUNT; /* neither read nor write */
    finding->access_count = record->source || record->agent.command ? 1 : 0;
    fill_access(d, &finding->accesses[0], &event, record->offset);
    finding->accesses[0].id = d->next_event; /* it is recorded before its event */
    begin_heat(d, finding);
    count_recorded(d, finding, record);
    add_finding(d, finding);
    note_seen(d, key, finding);
}

void ck_finding_at(struct ck_detector *d, const struct mm_event *event, const char *kind, const char *clause,
                   const char *message)
{
    struct mm_finding finding = {.kind = kind,
                                 .clause = clause,
                                 .message = message,
                                 .agent = event->agent,
                                 .source = event->source,
                                 .allocation = event->allocation,
                                 .offset = event->offset,
                                 .size = event->size};
    ck_finding_recorded(d, &finding);
}

/* Local memory is uninitialized when a work-group starts [CLC 6.7.2].  A read that also covers initialized
 * bytes is not reported: the others may be padding. */
void ck_finding_uninitialized(struct ck_detector *d, const struct mm_event *event)
{
    ck_finding_at(d, event, "uninitialized-read", "CLC 6.7.2",
                  "local memory is read before anything was written to it");
}

/* Reports a read of what the same work-item wrote: from an image without a fence of image memory in between,
 * which alone makes the write visible [CL 3.3.5 O8]; or through the other view, which no fence allows
 * [CL 5.3.1 R24]. */
void ck_finding_own_write(struct ck_detector *d, const struct mm_event *event, bool unfenced, bool other_view)
{
    if (unfenced)
        ck_finding_at(d, event, "image-unfenced-read", "CL 3.3.5 O8",
                      "an image is read where the same work-item wrote, with no "
                      "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, ...) in between");
    if (other_view)
        ck_finding_at(d, event, "buffer-and-image", "CL 5.3.1 R24",
                      mm_is_through_image(event)
                          ? "an image made from a buffer is read where the same work-item wrote to the buffer"
                          : "a buffer is read where the same work-item wrote through an image made from it");
}
