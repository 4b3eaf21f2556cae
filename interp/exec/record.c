/* Events of a launch, in batches. [CL 3.3.4 - 3.3.6] */
#include "exec.h"
#include <string.h>

void in_record_flush(struct in_run *run)
{
    if (run->event_count > 0)
        mm_recorder_events(run->launch.recorder, run->events, run->event_count);
    run->event_count = 0;
}

/* Source ids are given out when an instruction is first recorded. */
uint32_t in_record_source(struct in_run *run, const struct in_insn *pc)
{
    uint32_t index = run->code->source_of[pc - run->insns];
    if (run->source_ids[index] == 0) {
        const struct in_source *s = &run->code->sources[index];
        uint32_t id = mm_recorder_new_source(run->launch.recorder);
        struct mm_record record = {.type = MM_RECORD_SOURCE};
        record.source = (struct mm_source){id, s->line, s->column, s->file, s->function, s->opcode};
        in_record_flush(run);
        mm_recorder_record(run->launch.recorder, &record);
        run->source_ids[index] = id;
    }
    return run->source_ids[index];
}

static struct mm_event *next_event(struct in_run *run, struct in_item *item, const struct in_insn *pc)
{
    uint32_t source = in_record_source(run, pc);
    if (run->event_count == IN_EVENT_BATCH)
        in_record_flush(run);
    struct mm_event *e = &run->events[run->event_count++];
    memset(e, 0, sizeof *e);
    e->agent = (struct mm_agent){run->launch.command, item->agent};
    e->source = source;
    return e;
}

void in_record_access(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_object *object, uint64_t address, uint32_t size, enum mm_kind kind,
                      const void *read, const void *written, uint32_t attributes)
{
    struct mm_event *e = next_event(run, item, pc);
    e->kind = (uint8_t)kind;
    e->allocation = object->id;
    e->offset = address - object->address + object->offset;
    e->size = size;
    e->scope = e->effective_scope = (uint8_t)(attributes >> 8 & 15);
    e->attributes = (uint8_t)(attributes | (size > 8 ? MM_NO_VALUE : 0));
    if (read != NULL)
        memcpy(&e->value_read, read, size < 8 ? size : 8);
    if (written != NULL)
        memcpy(&e->value_written, written, size < 8 ? size : 8);
}

/* [CL 3.3.5]: local memory reaches no further than the work-group; only memory that other devices and the
 * host share atomically goes beyond the device. */
static enum mm_scope effective(const struct in_object *o, enum mm_scope scope)
{
    if (o->region == MM_LOCAL && scope > MM_SCOPE_WORK_GROUP)
        return MM_SCOPE_WORK_GROUP;
    bool shared = o->origin == MM_ORIGIN_FINE_SVM_ATOMICS || o->origin == MM_ORIGIN_SYSTEM_SVM;
    return scope == MM_SCOPE_ALL_SVM_DEVICES && !shared ? MM_SCOPE_DEVICE : scope;
}

void in_record_atomic(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_object *object, uint64_t address, uint32_t size, enum mm_kind kind,
                      uint64_t read, uint64_t written, enum mm_order order, enum mm_scope scope,
                      uint32_t attributes)
{
    struct mm_event *e = next_event(run, item, pc);
    e->kind = (uint8_t)kind;
    e->allocation = object->id;
    e->offset = address - object->address + object->offset;
    e->size = size;
    e->value_read = read;
    e->value_written = written;
    e->order = (uint8_t)order;
    e->scope = (uint8_t)scope;
    e->effective_scope = (uint8_t)effective(object, scope);
    e->attributes = (uint8_t)(attributes | MM_ATOMIC);
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

void in_record_fence(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum mm_kind kind,
                     uint32_t semantics, uint32_t scope, uint32_t site, uint32_t instance)
{
    const uint32_t global = SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask;
    struct mm_event *e = next_event(run, item, pc);
    e->kind = (uint8_t)kind;
    e->order = (uint8_t)in_order_of(semantics);
    e->scope = e->effective_scope = (uint8_t)in_scope_of(scope);
    e->fence_flags = (uint8_t)((semantics & SpvMemorySemanticsWorkgroupMemoryMask ? MM_FENCE_LOCAL : 0) |
                               (semantics & global ? MM_FENCE_GLOBAL : 0) |
                               (semantics & SpvMemorySemanticsImageMemoryMask ? MM_FENCE_IMAGE : 0));
    e->semantics = (uint16_t)semantics;
    e->site = site;
    e->instance = instance;
}
