/* The end of commands: status, recording, and release of the objects that they held.  Runs without
 * rt_lock. */
#include "memmodel/base/array.h"
#include "ref-runtime/check/fault.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/device.h"
#include "ref-runtime/event.h"
#include "ref-runtime/sched/command.h"
#include "ref-runtime/sched/state.h"

/* The command itself is over: commands that wait for that may start. */
static void end_command(struct rt_command *command, cl_int status)
{
    command->family.ended = true;
    command->family.status = status;
    if (rt_guard_svm_on())
        rt_guard_end(NULL);
    struct mm_edge returned = {.from = command->events.returned, .kind = MM_EDGE_HOST};
    command->events.end =
        rt_record_command_event(command, MM_COMMAND_END, &returned, command->events.returned != MM_NO_EVENT);
    rt_event_stamp(command->event, RT_END);
    rt_device_open_gates(command, RT_ALL_GROUPS);
}

static void complete_command(struct rt_command *command);

/* Notes the end of a child, whose failure is also its parent's [CL 3.2.3]. */
static void child_completed(struct rt_command *parent, cl_int status, struct rt_point *completion)
{
    if (status < 0 && parent->family.status >= 0)
        parent->family.status = status;
    if (completion) {
        struct rt_point **added =
            mm_add(&parent->events.child_completions, &parent->events.child_completion_count);
        if (added)
            *added = rt_point_hold(completion);
    }
    if (--parent->family.children == 0 && parent->family.ends_with_children)
        rt_sched_complete(parent, CL_SUCCESS);
    else if (parent->family.children == 0 && parent->family.ended)
        complete_command(parent);
}

void rt_sched_complete(struct rt_command *command, cl_int status)
{
    cl_int failed = command->family.status; /* the failure of a child that ended earlier */
    end_command(command, status < 0 ? status : failed < 0 ? failed : status);
    if (command->family.children == 0) {
        complete_command(command);
    } else if (IN_FAULTY(PARENT_EARLY)) {
        mm_mutex_lock(&rt_lock);
        rt_event_set_status(command->event, CL_COMPLETE);
        mm_mutex_unlock(&rt_lock);
    }
}

/* Under rt_lock.  A child that is forked before the end of the step has lost only the end of the command's
 * parent. */
static void unlink_command(struct rt_command *command)
{
    struct rt_queue *queue = command->queue;
    queue->used -= command->family.room;
    command->event->command = NULL;
    if (rt_sched.step.command == command)
        rt_sched.step.command = command->family.parent;
    *(command->previous ? &command->previous->next : &queue->first) = command->next;
    *(command->next ? &command->next->previous : &queue->last) = command->previous;
}

/* Completes COMMAND.  The objects that it held are released before its status becomes visible. */
static void complete_command(struct rt_command *command)
{
    struct rt_event *event = command->event;
    struct rt_command *parent = command->family.parent;
    cl_int status = command->family.status;
    struct rt_point *completion = rt_point_create(rt_sched_record_completion(command));
    rt_record_command_over(command);
    if (command->operation->destroy)
        command->operation->destroy(command);
    for (size_t i = 0; i < RT_COMMAND_HOLDS; i++)
        rt_object_release_deferred(command->held[i]);
    mm_mutex_lock(&rt_lock);
    rt_event_stamp(event, RT_COMPLETED);
    event->completion = rt_point_hold(completion);
    rt_sched_note_completion(command->queue, command, completion);
    unlink_command(command);
    struct rt_waiting *waiting = rt_sched_count_down(command);
    rt_event_write_captures(event);
    struct rt_capture *captures = event->captures;
    event->captures = NULL;
    rt_event_set_status(event, status);
    mm_mutex_unlock(&rt_lock);
    rt_captures_free(captures);
    rt_command_drop_dependencies(command);
    rt_sched_call(waiting);
    for (size_t i = 0; i < command->events.child_completion_count; i++)
        rt_point_drop(command->events.child_completions[i]);
    mm_free(command->events.child_completions);
    mm_free(command);
    rt_object_release_deferred(event);
    if (parent)
        child_completed(parent, status, completion);
    rt_point_drop(completion);
}

/* Releases nothing, as the step may have released a part of what COMMAND holds. */
void rt_sched_abandon(struct rt_command *command)
{
    unlink_command(command);
    struct rt_waiting *waiting = rt_sched_count_down(command);
    rt_event_set_status(command->event, CL_OUT_OF_RESOURCES);
    mm_mutex_unlock(&rt_lock);
    rt_sched_call(waiting);
    mm_mutex_lock(&rt_lock);
}
