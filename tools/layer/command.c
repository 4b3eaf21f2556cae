/* The records of a command (start, accesses, end), and points, on which other commands depend. */
#include "memmodel/base/array.h"
#include "tools/layer/layer.h"

static uint64_t ended_count;

uint64_t ly_commands_ended(void)
{
    return ended_count;
}

/* ---- points -------------------------------------------------------------------------------------- */

/* Free lists of points and commands; commands keep their arrays. */
enum { MOST_SPARE = 64, MOST_SPARE_ROOM = 16 };
static struct ly_point *spare_points;
static struct ly_command *spare_commands;
static size_t spare_point_count, spare_command_count;

struct ly_point *ly_point_create(void)
{
    struct ly_point *point = spare_points;
    if (point) {
        spare_points = point->next;
        spare_point_count--;
    } else {
        point = mm_alloc(sizeof *point);
    }
    if (point)
        *point = (struct ly_point){.uses = 1, .id = MM_NO_EVENT};
    return point;
}

struct ly_point *ly_point_use(struct ly_point *point)
{
    if (point)
        point->uses++;
    return point;
}

void ly_point_unuse(struct ly_point *point)
{
    if (!point || --point->uses)
        return;
    if (point->done)
        ly_retire(point->id);
    mm_free(point->waiting);
    if (spare_point_count == MOST_SPARE) {
        mm_free(point);
        return;
    }
    point->next = spare_points;
    spare_points = point;
    spare_point_count++;
}

/* ---- records ------------------------------------------------------------------------------------- */

static mm_event_id command_event(const struct ly_command *command, enum mm_kind kind, struct mm_edge *edges,
                                 size_t count)
{
    struct mm_event event = {.kind = (uint8_t)kind, .agent = {command->record.id, MM_INDEX_RUNTIME}};
    return mm_recorder_event(ly_recorder(), &event, edges, count);
}

static mm_event_id record_start(const struct ly_command *command)
{
    struct mm_edge few[8], *edges = few;
    size_t count = 0;
    if (command->dependency_count + 1 > sizeof few / sizeof *few)
        edges = mm_alloc_zero(command->dependency_count + 1, sizeof *edges);
    if (!edges)
        return MM_NO_EVENT;
    edges[count++] = (struct mm_edge){.from = command->call, .kind = MM_EDGE_ENQUEUE};
    for (size_t i = 0; i < command->dependency_count; i++)
        if (command->dependencies[i].point->id != MM_NO_EVENT)
            edges[count++] = (struct mm_edge){.from = command->dependencies[i].point->id,
                                              .kind = command->dependencies[i].kind};
    mm_event_id id = command_event(command, MM_COMMAND_START, edges, count);
    if (edges != few)
        mm_free(edges);
    return id;
}

static void record_access(const struct ly_command *command, const struct ly_access *access)
{
    const uint64_t most = UINT32_MAX & ~UINT64_C(7);
    uint64_t offset = access->offset;
    for (uint64_t left = access->size; left > 0;) {
        uint64_t part = left < most ? left : most;
        struct mm_event event = {.kind = access->kind,
                                 .agent = {command->record.id, MM_INDEX_RUNTIME},
                                 .allocation = access->allocation,
                                 .offset = offset,
                                 .size = (uint32_t)part,
                                 .site = access->site,
                                 .instance = access->instance,
                                 .semantics = access->semantics,
                                 .attributes = MM_NO_VALUE};
        mm_recorder_event(ly_recorder(), &event, NULL, 0);
        offset += part;
        left -= part;
    }
}

struct ly_command *ly_command_new(void)
{
    struct ly_command *command = spare_commands;
    if (!command)
        return mm_alloc_zero(1, sizeof *command);
    spare_commands = command->next;
    spare_command_count--;
    *command = (struct ly_command){.accesses = command->accesses,
                                   .access_room = command->access_room,
                                   .dependencies = command->dependencies,
                                   .dependency_room = command->dependency_room,
                                   .held = command->held,
                                   .held_room = command->held_room};
    return command;
}

void ly_command_free(struct ly_command *command)
{
    for (size_t i = 0; i < command->dependency_count; i++)
        ly_point_unuse(command->dependencies[i].point);
    for (size_t i = 0; i < command->held_count; i++)
        ly_object_unuse(command->held[i]);
    ly_object_unuse(command->queue);
    ly_point_unuse(command->point);
    mm_free(command->launch);
    if (spare_command_count < MOST_SPARE && command->access_room <= MOST_SPARE_ROOM &&
        command->dependency_room <= MOST_SPARE_ROOM && command->held_room <= MOST_SPARE_ROOM) {
        command->next = spare_commands;
        spare_commands = command;
        spare_command_count++;
        return;
    }
    mm_free(command->dependencies);
    mm_free(command->accesses);
    mm_free(command->held);
    mm_free(command);
}

void ly_command_end(struct ly_command *command)
{
    struct mm_edge returned = {.from = command->returned, .kind = MM_EDGE_HOST};
    struct mm_edge ended = {.kind = MM_EDGE_COMPLETE};
    ended.from = command_event(command, MM_COMMAND_END, &returned, command->returned != MM_NO_EVENT);
    mm_event_id id = command_event(command, MM_EVENT_COMPLETE, &ended, 1);
    ended_count++;
    const mm_event_id over[] = {command->call, command->began, command->returned, ended.from};
    mm_recorder_retire(ly_recorder(), over, sizeof over / sizeof *over);
    struct ly_point *point = ly_point_use(command->point);
    bool failed = command->failed;
    ly_command_free(command);
    ly_point_complete(point, id, failed);
    ly_point_unuse(point);
}

/* A command whose wait list has failed is not executed [CL 5.11]. */
void ly_command_record(struct ly_command *command)
{
    command->began = record_start(command);
    for (size_t i = 0; i < command->access_count && !command->failed; i++)
        record_access(command, &command->accesses[i]);
    if (command->launch && !command->failed) {
        struct mm_record record = {
            .type = MM_RECORD_REPLAY,
            .replay = {command->record.id, command->program, command->launch_size, command->launch}};
        mm_recorder_record(ly_recorder(), &record);
    }
    if (!command->calls_back || command->failed)
        ly_command_end(command);
}

/* Iterative, since chains of commands may be long: nested calls only append to READY. */
void ly_point_complete(struct ly_point *point, mm_event_id id, bool failed)
{
    static struct ly_command **ready;
    static size_t ready_count;
    static bool running;
    point->done = true;
    point->failed = failed;
    point->id = id;
    for (size_t i = 0; i < point->waiting_count; i++) {
        struct ly_command *command = point->waiting[i];
        for (size_t k = 0; failed && k < command->dependency_count; k++)
            command->failed |=
                command->dependencies[k].point == point && command->dependencies[k].kind == MM_EDGE_WAIT;
        if (--command->unresolved == 0)
            mm_append(&ready, &ready_count, &command);
    }
    mm_free(point->waiting);
    point->waiting = NULL;
    point->waiting_count = 0;
    if (running)
        return;
    running = true;
    for (size_t next = 0; next < ready_count; next++)
        ly_command_record(ready[next]);
    running = false;
    ready_count = 0;
}
