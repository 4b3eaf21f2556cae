/* Records the context of a replayed launch: memory, the command, its start and its end. [CL 3.3.6 H1, H3] */
#include "tools/witness/replay.h"

#include <string.h>

enum { COMMAND = 1 };

static mm_event_id host_event(struct mm_recorder *recorder, enum mm_kind kind, uint32_t allocation,
                              uint64_t size)
{
    struct mm_event event = {.kind = (uint8_t)kind,
                             .agent = {0, mm_recorder_host_thread(recorder)},
                             .allocation = allocation,
                             .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                             .attributes = MM_NO_VALUE};
    return mm_recorder_event(recorder, &event, NULL, 0);
}

static mm_event_id command_event(struct mm_recorder *recorder, enum mm_kind kind, mm_event_id after,
                                 enum mm_edge_kind why)
{
    struct mm_event event = {.kind = (uint8_t)kind, .agent = {COMMAND, MM_INDEX_RUNTIME}};
    struct mm_edge edge = {.from = after, .kind = why};
    return mm_recorder_event(recorder, &event, &edge, after != MM_NO_EVENT);
}

static void record_memory(struct mm_recorder *recorder, struct in_object *object)
{
    struct mm_record record = {.type = MM_RECORD_ALLOCATION};
    object->id = mm_recorder_new_allocation(recorder);
    record.allocation = (struct mm_allocation){.id = object->id,
                                               .region = object->region,
                                               .origin = object->origin,
                                               .device = -1,
                                               .address = (uint64_t)object->id << 32,
                                               .size = object->size,
                                               .name = object->name};
    mm_recorder_record(recorder, &record);
    host_event(recorder, MM_ALLOC, object->id, object->size);
}

static void record_argument(struct mm_recorder *recorder, const struct witness *w, uint32_t index,
                            const struct in_object *object)
{
    const struct in_argument_info *info = &w->info->arguments[index];
    struct mm_record record = {.type = MM_RECORD_ARGUMENT};
    record.argument = (struct mm_argument){.command = COMMAND,
                                           .index = index,
                                           .allocation = object->size ? object->id : 0,
                                           .element_size = info->element_size,
                                           .name = info->name,
                                           .type_name = info->type_name,
                                           .layout = info->layout};
    mm_recorder_record(recorder, &record);
}

static void record_command(struct mm_recorder *recorder, const struct witness *w)
{
    struct mm_record record = {.type = MM_RECORD_COMMAND};
    record.command = (struct mm_command){.id = COMMAND,
                                         .queue = 1,
                                         .context = 1,
                                         .dimensions = 3,
                                         .sub_group_size = w->sub_group,
                                         .kind = "clEnqueueNDRangeKernel",
                                         .kernel = w->program->name};
    for (int k = 0; k < 3; k++) {
        record.command.global_size[k] = w->global[k];
        record.command.local_size[k] = w->local[k];
    }
    mm_recorder_record(recorder, &record);
}

mm_event_id replay_record_begin(struct mm_recorder *recorder, const struct witness *w,
                                struct in_object *objects, uint32_t *command)
{
    struct mm_record text = {.type = MM_RECORD_TEXT, .text = {w->file, w->source}};
    if (w->source)
        mm_recorder_record(recorder, &text);
    for (uint32_t k = 0; k < w->info->argument_count; k++)
        if (objects[k].size)
            record_memory(recorder, &objects[k]);
    record_command(recorder, w);
    for (uint32_t k = 0; k < w->info->argument_count; k++)
        record_argument(recorder, w, k, &objects[k]);
    *command = COMMAND;
    return command_event(recorder, MM_COMMAND_START, host_event(recorder, MM_API_CALL, 0, 0),
                         MM_EDGE_ENQUEUE);
}

void replay_record_end(struct mm_recorder *recorder)
{
    mm_event_id end = command_event(recorder, MM_COMMAND_END, MM_NO_EVENT, MM_EDGE_COMPLETE);
    command_event(recorder, MM_EVENT_COMPLETE, end, MM_EDGE_COMPLETE);
}
