/* Events of a launch, in batches. [CL 3.3.4 - 3.3.6] */
#include "interp/check/terms.h"
#include "interp/exec/exec.h"
#include <string.h>

void in_record_flush(struct in_run *run)
{
    if (run->recording.event_count > 0)
        mm_recorder_events(run->launch.recorder, run->recording.events, run->recording.event_count);
    run->recording.event_count = 0;
}

void in_record_row(struct in_run *run, uint32_t count)
{
    struct mm_event first = run->recording.events[--run->recording.event_count];
    in_record_flush(run);
    mm_recorder_row(run->launch.recorder, &first, count);
}

/* ---- sources ------------------------------------------------------------------------------ */

/* Source ids are call-sensitive: an instruction of a function has one id per call chain, which the return
 * addresses in the frames determine; there is no recursion [CLC 6.11]. */
struct in_calls {
    uint32_t count, capacity;
    struct in_called {
        uint64_t key; /* of call chain and source, 0: free */
        uint32_t id;
    } * table;
    struct in_called last[]; /* by source */
};
enum { MOST_CHAINS = 1 << 16, DEEPEST = 64 };

static uint32_t give_id(struct in_run *run, uint32_t index, uint32_t caller)
{
    const struct in_source *s = &run->code->sources.list[index];
    struct mm_record record = {.type = MM_RECORD_SOURCE};
    record.source = (struct mm_source){.id = mm_recorder_new_source(run->launch.recorder),
                                       .line = s->line,
                                       .column = s->column,
                                       .file = s->file,
                                       .function = s->function,
                                       .opcode = s->opcode,
                                       .caller = caller};
    in_record_flush(run);
    mm_recorder_record(run->launch.recorder, &record);
    return record.source.id;
}

/* The call instruction that entered the function of source INDEX, NULL in the kernel itself. */
static const struct in_insn *call_of(const struct in_run *run, const struct in_item *item, uint32_t index)
{
    const struct in_insn *back;
    int32_t slot = run->code->sources.return_slots[index];
    if (slot == 0 || !item->frame)
        return NULL;
    memcpy(&back, item->frame + slot, sizeof back);
    return back > run->insns && back <= run->insns + run->code->count ? back - 1 : NULL;
}

static uint64_t chain_key(const struct in_run *run, const struct in_item *item, uint32_t index)
{
    uint64_t key = index + UINT64_C(1);
    const struct in_insn *call = call_of(run, item, index);
    for (int depth = 0; call && depth < DEEPEST; depth++) {
        key = key * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(call - run->insns) + 1;
        key ^= key >> 29;
        call = call_of(run, item, run->code->sources.of_insn[call - run->insns]);
    }
    return key != 0 ? key : 1;
}

static struct in_called *find_chain(const struct in_calls *calls, uint64_t key)
{
    uint32_t at = (uint32_t)(key ^ key >> 32) & (calls->capacity - 1);
    while (calls->table[at].key != 0 && calls->table[at].key != key)
        at = (at + 1) & (calls->capacity - 1);
    return &calls->table[at];
}

static bool more_chains(struct in_calls *calls)
{
    struct in_calls bigger = {.capacity = calls->capacity != 0 ? calls->capacity * 2 : 64};
    bigger.table = mm_alloc_zero(bigger.capacity, sizeof *bigger.table);
    if (!bigger.table)
        return false;
    for (uint32_t k = 0; k < calls->capacity; k++)
        if (calls->table[k].key != 0)
            *find_chain(&bigger, calls->table[k].key) = calls->table[k];
    mm_free(calls->table);
    calls->table = bigger.table;
    calls->capacity = bigger.capacity;
    return true;
}

/* The source id of instruction source INDEX in the current call chain; 0: too many chains, or no memory. */
static uint32_t called_source(struct in_run *run, const struct in_item *item, uint32_t index)
{
    if (!run->recording.calls)
        run->recording.calls = mm_alloc_zero(
            1, sizeof *run->recording.calls + run->code->sources.count * sizeof *run->recording.calls->last);
    struct in_calls *calls = run->recording.calls;
    if (!calls)
        return 0;
    uint64_t key = chain_key(run, item, index);
    if (calls->last[index].key == key)
        return calls->last[index].id;
    if (calls->count >= MOST_CHAINS || (calls->count * 2 >= calls->capacity && !more_chains(calls)))
        return 0;
    struct in_called *called = find_chain(calls, key);
    if (called->key == 0) {
        uint32_t caller = in_record_source(run, item, call_of(run, item, index));
        called = find_chain(calls, key); /* the caller's entry may have moved the table */
        *called = (struct in_called){key, give_id(run, index, caller)};
        calls->count++;
    }
    calls->last[index] = *called;
    return called->id;
}

/* The source id of the instruction at PC, assigned when it is first recorded. */
uint32_t in_record_source(struct in_run *run, const struct in_item *item, const struct in_insn *pc)
{
    uint32_t index = run->code->sources.of_insn[pc - run->insns], id = 0;
    if (run->code->sources.return_slots[index] != 0 && item && call_of(run, item, index))
        id = called_source(run, item, index);
    if (id != 0)
        return id;
    if (run->recording.source_ids[index] == 0)
        run->recording.source_ids[index] = give_id(run, index, 0);
    return run->recording.source_ids[index];
}

void in_record_end(struct in_run *run)
{
    if (run->recording.calls)
        mm_free(run->recording.calls->table);
    mm_free(run->recording.calls);
    mm_free(run->recording.source_ids);
}

/* ---- events ------------------------------------------------------------------------------- */

static inline uint32_t source_of(struct in_run *run, const struct in_item *item, const struct in_insn *pc)
{
    uint32_t index = run->code->sources.of_insn[pc - run->insns], id = run->recording.source_ids[index];
    return id != 0 && run->code->sources.return_slots[index] == 0 ? id : in_record_source(run, item, pc);
}

/* The next event of the batch, for all of its fields to be written; SOURCE: of the instruction at PC. */
static inline struct mm_event *place_event(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                           uint32_t *source)
{
    *source = source_of(run, item, pc);
    if (item->terms)
        in_terms_access(run, item);
    if (run->recording.event_count == IN_EVENT_BATCH)
        in_record_flush(run);
    return &run->recording.events[run->recording.event_count++];
}

static struct mm_event *next_event(struct in_run *run, struct in_item *item, const struct in_insn *pc)
{
    uint32_t source;
    struct mm_event *e = place_event(run, item, pc, &source);
    *e = (struct mm_event){.agent = {run->launch.command, item->agent}, .source = source};
    return e;
}

/* The first 8 bytes of a value; a load of 8 bytes waits for a store of fewer. */
static inline uint64_t recorded_value(const void *value, uint32_t size)
{
    uint64_t v = 0;
    uint32_t four;
    if (size == 4)
        return memcpy(&four, value, 4), four;
    if (size >= 8)
        return memcpy(&v, value, 8), v;
    memcpy(&v, value, size);
    return v;
}

static inline struct mm_event *record_event(struct in_run *run, struct in_item *item,
                                            const struct in_insn *pc, const struct in_range *range,
                                            enum mm_kind kind, const void *value, uint32_t attributes)
{
    uint32_t source, size = (uint32_t)range->size;
    struct mm_event *e = place_event(run, item, pc, &source);
    uint64_t v = recorded_value(value, size);
    *e = (struct mm_event){.offset = range->address - range->object->address + range->object->offset,
                           .value_read = kind == MM_READ ? v : 0,
                           .value_written = kind == MM_READ ? 0 : v,
                           .agent = {run->launch.command, item->agent},
                           .allocation = range->object->id,
                           .size = size,
                           .source = source,
                           .kind = (uint8_t)kind,
                           .scope = (uint8_t)(attributes >> 8 & 15),
                           .effective_scope = (uint8_t)(attributes >> 8 & 15),
                           .attributes = (uint8_t)(attributes | (size > 8 ? MM_NO_VALUE : 0)),
                           .semantics = (uint16_t)(attributes >> 16)};
    return e;
}

struct mm_event *in_record_access(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                  const struct in_range *range, enum mm_kind kind, const void *value,
                                  uint32_t attributes)
{
    if (run->launch.detail != IN_WRITE_PARTS || kind != MM_WRITE || run->copying)
        return record_event(run, item, pc, range, kind, value, attributes);
    struct in_range part = *range;
    const uint8_t *bytes = value;
    for (; part.size > 8; part.address += 8, part.size -= 8, bytes += 8)
        record_event(run, item, pc, &(struct in_range){part.object, part.address, 8}, kind, bytes,
                     attributes);
    return record_event(run, item, pc, &part, kind, bytes, attributes);
}

/* [CL 3.3.5]: the scope on local memory is at most the work-group; only memory with atomics across devices
 * and host exceeds device scope. */
static enum mm_scope effective_scope(const struct in_object *o, enum mm_scope scope)
{
    if (o->region == MM_LOCAL && scope > MM_SCOPE_WORK_GROUP)
        return MM_SCOPE_WORK_GROUP;
    bool shared = o->origin == MM_ORIGIN_FINE_SVM_ATOMICS || o->origin == MM_ORIGIN_SYSTEM_SVM;
    return scope == MM_SCOPE_ALL_SVM_DEVICES && !shared ? MM_SCOPE_DEVICE : scope;
}

struct mm_event *in_record_atomic(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                  const struct in_object *object, uint64_t address, enum mm_scope scope)
{
    uint32_t source;
    struct mm_event *e = place_event(run, item, pc, &source);
    *e = (struct mm_event){.offset = address - object->address + object->offset,
                           .agent = {run->launch.command, item->agent},
                           .allocation = object->id,
                           .source = source,
                           .scope = (uint8_t)scope,
                           .effective_scope = (uint8_t)effective_scope(object, scope),
                           .attributes = MM_ATOMIC};
    return e;
}

enum mm_order in_order_of(uint32_t semantics)
{
    if (semantics & SpvMemorySemanticsSequentiallyConsistentMask)
        return MM_SEQ_CST;
    if (semantics & SpvMemorySemanticsAcquireReleaseMask)
        return MM_ACQ_REL;
    bool acquire = semantics & SpvMemorySemanticsAcquireMask,
         release = semantics & SpvMemorySemanticsReleaseMask;
    return acquire && release ? MM_ACQ_REL : acquire ? MM_ACQUIRE : release ? MM_RELEASE : MM_RELAXED;
}

enum mm_scope in_scope_of(uint32_t scope)
{
    static const enum mm_scope scopes[] = {
        [SpvScopeCrossDevice] = MM_SCOPE_ALL_SVM_DEVICES, [SpvScopeDevice] = MM_SCOPE_DEVICE,
        [SpvScopeWorkgroup] = MM_SCOPE_WORK_GROUP,        [SpvScopeSubgroup] = MM_SCOPE_SUB_GROUP,
        [SpvScopeInvocation] = MM_SCOPE_WORK_ITEM,        [SpvScopeQueueFamily] = MM_SCOPE_QUEUE_FAMILY};
    return scope < sizeof scopes / sizeof *scopes ? scopes[scope] : MM_SCOPE_NONE;
}

struct mm_event *in_record_fence(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                 enum mm_kind kind, uint32_t semantics, uint32_t scope)
{
    const uint32_t global = SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask;
    uint32_t source;
    struct mm_event *e = place_event(run, item, pc, &source);
    enum mm_scope of_memory = in_scope_of(scope);
    int flags = (semantics & SpvMemorySemanticsWorkgroupMemoryMask ? MM_FENCE_LOCAL : 0) |
                (semantics & global ? MM_FENCE_GLOBAL : 0) |
                (semantics & SpvMemorySemanticsImageMemoryMask ? MM_FENCE_IMAGE : 0);
    *e = (struct mm_event){.agent = {run->launch.command, item->agent},
                           .source = source,
                           .kind = (uint8_t)kind,
                           .order = (uint8_t)in_order_of(semantics),
                           .scope = (uint8_t)of_memory,
                           .effective_scope = (uint8_t)of_memory,
                           .fence_flags = (uint8_t)flags,
                           .semantics = (uint16_t)semantics};
    return e;
}

struct mm_event *in_record_copy(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                enum mm_kind kind, uint32_t number)
{
    struct mm_event *e = next_event(run, item, pc);
    e->kind = (uint8_t)kind;
    e->instance = number;
    return e;
}
