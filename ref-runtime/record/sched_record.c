/* The recorded order of commands: the edges to the start of each command and to its completion
 * [CL 3.3.6]. */
#include "ref-runtime/sched/command.h"

#include "memmodel/base/array.h"

enum { FEW_EDGES = 4 };

/* Room for COUNT edges: FEW if that suffices; NULL: no memory. */
static struct mm_edge *edges_in(struct mm_edge few[FEW_EDGES], size_t count)
{
    return count <= FEW_EDGES ? few : mm_alloc_zero(count, sizeof *few);
}

/* H1, H2, H5-H7: everything that COMMAND comes after. */
void rt_sched_record_start(struct rt_command *command)
{
    if (!rt_recorder())
        return;
    struct mm_edge few[FEW_EDGES];
    struct mm_edge *edges = edges_in(few, command->dependencies.count + 1);
    if (!edges)
        return;
    size_t count = 0;
    if (command->events.call != MM_NO_EVENT)
        edges[count++] = (struct mm_edge){.from = command->events.call, .kind = MM_EDGE_ENQUEUE};
    for (size_t i = 0; i < command->dependencies.count; i++) {
        const struct rt_dependency *d = &command->dependencies.list[i];
        mm_event_id from = rt_point_event(d->event ? d->event->completion : d->completion);
        if (d->kind == MM_EDGE_PARENT_GROUP)
            from = command->events.call;
        if (from != MM_NO_EVENT)
            edges[count++] = (struct mm_edge){.from = from, .kind = (uint32_t)d->kind};
    }
    command->events.began = rt_record_command_event(command, MM_COMMAND_START, edges, count);
    if (edges != few)
        mm_free(edges);
}

/* H3, H10; a command with children is complete when they are. */
mm_event_id rt_sched_record_completion(const struct rt_command *command)
{
    struct mm_edge few[FEW_EDGES];
    struct mm_edge *edges = rt_recorder() ? edges_in(few, command->events.child_completion_count + 1) : NULL;
    if (!edges)
        return MM_NO_EVENT;
    edges[0] = (struct mm_edge){.from = command->events.end, .kind = MM_EDGE_COMPLETE};
    for (size_t i = 0; i < command->events.child_completion_count; i++)
        edges[i + 1] = (struct mm_edge){.from = rt_point_event(command->events.child_completions[i]),
                                        .kind = MM_EDGE_COMPLETE};
    mm_event_id completion = rt_record_command_event(command, MM_EVENT_COMPLETE, edges,
                                                     command->events.child_completion_count + 1);
    if (edges != few)
        mm_free(edges);
    return completion;
}

static void replace_point(struct rt_point **held, struct rt_point *point)
{
    rt_point_drop(*held);
    *held = rt_point_hold(point);
}

void rt_sched_note_completion(struct rt_queue *queue, const struct rt_command *command,
                              struct rt_point *completion)
{
    if (queue->last_event == command->event) {
        queue->last_event = NULL;
        replace_point(&queue->last_completion, completion);
    }
    if (queue->run_event == command->event) {
        queue->run_event = NULL;
        replace_point(&queue->run_completion, completion);
    }
    if (queue->barrier_event == command->event) {
        queue->barrier_event = NULL;
        replace_point(&queue->barrier_completion, completion);
    }
    if (!completion)
        return;
    bool comes_after_all = command->is_barrier && command->waits_for_all;
    if (comes_after_all || (queue->in_order && !queue->had_runs))
        rt_queue_drop_completed(queue);
    struct rt_point **added = mm_add(&queue->completed, &queue->completed_count);
    if (added)
        *added = rt_point_hold(completion);
}
