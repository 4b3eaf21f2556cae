/* Which launches may be watched instead of recorded [interp/jit/README.md]: those whose accesses cannot be
 * part of a finding together with what other commands or the host do, whatever they are. */
#include "ref-runtime/program/kernel.h"
#include "ref-runtime/record/replay.h"
#include "ref-runtime/sched/command.h"
#include "ref-runtime/setting.h"

/* The launches that were watched in a context: the first host thread has waited for them, or not yet. */
enum rt_watched { RT_NONE_WATCHED, RT_SETTLED, RT_UNSETTLED };

/* One in-order queue is all that a context ever had, one thread all that called: its commands come one after
 * the other [CL 3.3.6 H5], and all that the host does with buffers is a command. */
static bool is_ordered(const struct rt_queue *queue)
{
    return queue->in_order && atomic_load(&queue->context->queue_count) == 1 && rt_record_host_threads() == 1;
}

static bool is_mapped(struct rt_mem *mem)
{
    pthread_mutex_lock(&rt_lock);
    bool mapped = rt_mem_root(mem)->mappings != NULL;
    pthread_mutex_unlock(&rt_lock);
    return mapped;
}

/* True if no finding and no other use of the trace depends on the contents of the kernel's arguments. */
static bool arguments_allow(const struct rt_launch *launch)
{
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct rt_launch_argument *a = &launch->arguments[i];
        if (a->svm || (a->mem && (rt_mem_root(a->mem)->uses_svm || is_mapped(a->mem)))) {
            return false;
        }
    }
    return true;
}

bool rt_may_watch(const struct rt_queue *queue, const struct rt_launch *launch)
{
    if (!rt_recorder()) {
        return true;
    }
    bool wanted = rt_setting_given(RT_SET_TRACE_FINDINGS) || (rt_replay_on() && rt_replay_allows(launch));
    bool may = wanted && is_ordered(queue) && arguments_allow(launch);
    if (may) {
        atomic_store(&queue->context->watched, RT_UNSETTLED);
    }
    return may;
}

bool rt_may_watch_still(const struct rt_queue *queue)
{
    return !rt_recorder() || is_ordered(queue);
}

static bool is_first_thread(void)
{
    return mm_recorder_host_thread(rt_recorder()) == 0;
}

void rt_watch_settled(const struct rt_queue *queue)
{
    int expected = RT_UNSETTLED;
    if (rt_recorder() && queue && queue->is_first && is_first_thread()) {
        if (atomic_compare_exchange_strong(&queue->context->watched, &expected, RT_SETTLED)) {
            atomic_store(&queue->context->untold, false);
        }
    }
}

static void question(struct mm_agent agent, uint16_t semantics)
{
    struct mm_event event = {.kind = MM_API_CALL, .agent = agent, .semantics = semantics};
    mm_recorder_event(rt_recorder(), &event, NULL, 0);
}

/* Either this or what is submitted to another queue comes second, and sees the other. */
void rt_watch_untold(const struct rt_command *command)
{
    struct rt_context *context = command->queue->context;
    atomic_store(&context->untold, true);
    if (atomic_load(&context->questioned)) {
        question((struct mm_agent){command->record.id, MM_INDEX_RUNTIME}, MM_UNRECORDED);
    }
}

/* What another queue's commands race with would have to be recorded. */
void rt_watch_submitted(const struct rt_queue *queue)
{
    int watched = atomic_load(&queue->context->watched);
    if (queue->is_first || watched == RT_NONE_WATCHED || (watched == RT_SETTLED && is_first_thread())) {
        return;
    }
    atomic_store(&queue->context->questioned, true);
    bool told = !atomic_load(&queue->context->untold);
    question((struct mm_agent){0, mm_recorder_host_thread(rt_recorder())},
             told ? MM_UNRECORDED | MM_REPLAYED : MM_UNRECORDED);
    atomic_store(&queue->context->watched, RT_NONE_WATCHED);
}
