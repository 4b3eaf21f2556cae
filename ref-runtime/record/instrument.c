/* Which launches may be instrumented instead of recorded (interp/jit/README.md): those whose accesses cannot
 * race with accesses of other commands or of the host. */
#include "ref-runtime/program/kernel.h"
#include "ref-runtime/record/replay.h"
#include "ref-runtime/sched/command.h"
#include "ref-runtime/setting.h"

/* Of the instrumented launches of a context: settled when the first host thread has waited for them. */
enum rt_instrumented_state { RT_NONE_INSTRUMENTED, RT_SETTLED, RT_UNSETTLED };

/* The context has only ever had one in-order queue, and one host thread has made calls: commands are executed in order
 * [CL 3.3.6 H5], and the host accesses buffers by commands only. */
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
    if (launch->addressed_count)
        return false;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct rt_launch_argument *a = &launch->arguments[i];
        if (a->svm || (a->mem && (rt_mem_root(a->mem)->shared || is_mapped(a->mem))))
            return false;
    }
    return true;
}

bool rt_may_instrument(const struct rt_queue *queue, const struct rt_launch *launch)
{
    if (!rt_launch_recorder())
        return true;
    bool wanted = rt_setting_given(RT_SET_TRACE_FINDINGS) || (rt_replay_on() && rt_replay_allows(launch));
    bool may = wanted && is_ordered(queue) && arguments_allow(launch);
    if (may)
        atomic_store(&queue->context->instrumented, RT_UNSETTLED);
    return may;
}

bool rt_may_instrument_still(const struct rt_queue *queue)
{
    return !rt_launch_recorder() || is_ordered(queue);
}

static bool is_first_thread(void)
{
    return mm_recorder_host_thread(rt_recorder()) == 0;
}

void rt_instrumented_settled(const struct rt_queue *queue)
{
    int expected = RT_UNSETTLED;
    if (rt_recorder() && queue && queue->is_first && is_first_thread()) {
        if (atomic_compare_exchange_strong(&queue->context->instrumented, &expected, RT_SETTLED))
            atomic_store(&queue->context->unrecorded, 0);
    }
}

static void question(struct mm_agent agent, uint16_t semantics, uint32_t launches)
{
    struct mm_event event = {.kind = MM_API_CALL, .agent = agent, .semantics = semantics, .size = launches};
    mm_recorder_event(rt_recorder(), &event, NULL, 0);
}

/* This call or the submission to another queue is the later one, and records the event: each launch is in one event. */
void rt_instrumented_lost(const struct rt_command *command)
{
    struct rt_context *context = command->queue->context;
    atomic_fetch_add(&context->unrecorded, 1);
    unsigned unrecorded = atomic_load(&context->questioned) ? atomic_exchange(&context->unrecorded, 0) : 0;
    if (unrecorded)
        question((struct mm_agent){command->record.id, MM_INDEX_RUNTIME}, MM_UNRECORDED, unrecorded);
}

/* Commands of another queue may race with instrumented launches, whose accesses are not recorded. */
void rt_instrumented_submitted(const struct rt_queue *queue)
{
    int state = atomic_load(&queue->context->instrumented);
    if (queue->is_first || state == RT_NONE_INSTRUMENTED || (state == RT_SETTLED && is_first_thread()))
        return;
    atomic_store(&queue->context->questioned, true);
    unsigned unrecorded = atomic_exchange(&queue->context->unrecorded, 0);
    question((struct mm_agent){0, mm_recorder_host_thread(rt_recorder())},
             unrecorded ? MM_UNRECORDED : MM_UNRECORDED | MM_REPLAYED, unrecorded);
    atomic_store(&queue->context->instrumented, RT_NONE_INSTRUMENTED);
}
