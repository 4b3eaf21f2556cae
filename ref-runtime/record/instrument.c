/* Which launches may be instrumented instead of recorded (interp/jit/README.md): those whose accesses cannot
 * race with accesses of other commands or of the host. */
#include "interp/fault.h"
#include "ref-runtime/program/kernel.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/record/replay.h"
#include "ref-runtime/sched/command.h"

/* State of the instrumented launches of a context: settled once the first host thread has waited for them. */
enum rt_instrumented_state { RT_NONE_INSTRUMENTED, RT_SETTLED, RT_UNSETTLED };

static atomic_uint host_uses; /* of SVM by the host, recorded ones and releases */
/* Instrumented ones that use SVM, without a conflicting unordered use by the host; whether there are some for
 * re-execution beside them. */
static atomic_uint svm_launches;
static atomic_bool svm_replayed;

static atomic_bool
    has_callbacks; /* on another thread, which may use SVM while the launch executes or after it */

/* The context has only ever had one in-order queue, and one host thread has made calls: commands are executed
 * in order [CL 3.3.6 H5], and the host accesses buffers by commands only. */
static bool is_ordered(const struct rt_queue *queue)
{
    return queue->in_order && atomic_load(&queue->context->queue_count) == 1 && rt_record_host_threads() == 1;
}

static bool host_waits(const struct rt_queue *queue)
{
    mm_mutex_lock(&rt_lock);
    bool waits = rt_sched_host_waits(queue);
    mm_mutex_unlock(&rt_lock);
    return waits;
}

static bool any_is_mapped(const struct rt_launch *launch)
{
    bool mapped = false;
    mm_mutex_lock(&rt_lock);
    for (size_t i = 0; i < launch->argument_count; i++)
        mapped |= launch->arguments[i].mem && rt_mem_root(launch->arguments[i].mem)->mappings;
    mm_mutex_unlock(&rt_lock);
    return mapped;
}

bool rt_launch_uses_svm(const struct rt_launch *launch)
{
    for (size_t i = 0; i < launch->argument_count; i++)
        if (launch->arguments[i].svm && !launch->arguments[i].device_pointer)
            return true;
    return false;
}

/* Coarse-grained SVM that is not mapped: the kernel may follow pointers to any of the context. */
static bool svm_allows(const struct rt_launch *launch)
{
    if (rt_host_is_attached() || in_fault_now != IN_NO_FAULT || rt_svm_is_mapped(launch->kernel->context))
        return false;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const void *pointer = launch->arguments[i].svm;
        const struct rt_svm *svm = pointer ? rt_svm_find(launch->kernel->context, pointer) : NULL;
        if (pointer && (!svm || &svm->object != launch->arguments[i].svm_object ||
                        svm->object.origin != MM_ORIGIN_COARSE_SVM))
            return false;
    }
    return true;
}

/* True if no finding and no other use of the trace depends on the contents of the kernel's arguments. */
static bool arguments_allow(const struct rt_launch *launch)
{
    if (launch->addressed_count || (rt_launch_uses_svm(launch) && !svm_allows(launch)))
        return false;
    for (size_t i = 0; i < launch->argument_count; i++) {
        struct rt_mem *mem = launch->arguments[i].mem;
        if (mem && (rt_mem_root(mem)->shared || (mem->image && !rt_mem_root(mem)->image)))
            return false;
    }
    return !any_is_mapped(launch);
}

bool rt_may_instrument(struct rt_command *command, const struct rt_launch *launch)
{
    const struct rt_queue *queue = command->queue;
    if (!rt_launch_recorder())
        return !rt_launch_uses_svm(launch) || svm_allows(launch);
    bool wanted = rt_findings_suffice() || (rt_replay_on() && rt_replay_allows(launch));
    bool may = wanted && is_ordered(queue) && arguments_allow(launch);
    if (may) {
        atomic_store(&queue->context->instrumented, RT_UNSETTLED);
        command->starts_lazily = rt_launch_uses_svm(launch);
        command->host_uses = atomic_load(&host_uses);
    }
    return may;
}

/* What the host does with SVM is recorded, if the processor or REFCL_CHECK=api shows it, but what an
 * instrumented launch does is not. Such a launch therefore begins only while the one host thread waits for it
 * or for a later command, and has not used SVM since it enqueued the launch: what that thread did before and
 * does later is ordered. interp/jit/instrument/docs/instrumentation.md#shared-virtual-memory */
bool rt_may_instrument_still(const struct rt_command *command, const struct rt_launch *launch)
{
    if (rt_launch_recorder() && !is_ordered(command->queue))
        return false;
    if (!rt_launch_uses_svm(launch))
        return true;
    if (!svm_allows(launch) || (rt_replay_on() && !rt_replay_allows(launch)))
        return false;
    return !rt_launch_recorder() ||
           (command->starts_lazily && !atomic_load(&has_callbacks) && host_waits(command->queue) &&
            command->host_uses == atomic_load(&host_uses));
}

void rt_instrumented_callback(void)
{
    atomic_store(&has_callbacks, true);
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

static void record_question(struct mm_agent agent, uint16_t semantics, uint32_t launches)
{
    struct mm_event event = {.kind = MM_API_CALL, .agent = agent, .semantics = semantics, .size = launches};
    mm_event_id id = mm_recorder_event(rt_recorder(), &event, NULL, 0);
    mm_recorder_retire(rt_recorder(), &id, 1);
}

static void question_svm(struct mm_agent agent)
{
    unsigned launches = atomic_exchange(&svm_launches, 0);
    bool replayed = atomic_exchange(&svm_replayed, false);
    if (launches || replayed)
        record_question(agent, launches ? MM_UNRECORDED : MM_UNRECORDED | MM_REPLAYED, launches);
}

void rt_instrumented_over(const struct rt_command *command)
{
    if (!rt_launch_recorder() || !command->starts_lazily)
        return;
    bool is_used = atomic_load(&host_uses) != command->host_uses;
    if (!is_used && rt_replay_covers(command))
        atomic_store(&svm_replayed, true);
    else
        atomic_fetch_add(&svm_launches, 1);
    if (is_used)
        question_svm((struct mm_agent){command->record.id, MM_INDEX_RUNTIME});
}

void rt_instrumented_host_use(bool recorded)
{
    atomic_fetch_add(&host_uses, 1);
    if (recorded && !is_first_thread())
        question_svm((struct mm_agent){0, mm_recorder_host_thread(rt_recorder())});
}

/* The later of this call and the submission to another queue records the event: each launch is in one
 * event. */
void rt_instrumented_lost(const struct rt_command *command)
{
    struct rt_context *context = command->queue->context;
    atomic_fetch_add(&context->unrecorded, 1);
    unsigned unrecorded = atomic_load(&context->questioned) ? atomic_exchange(&context->unrecorded, 0) : 0;
    if (unrecorded)
        record_question((struct mm_agent){command->record.id, MM_INDEX_RUNTIME}, MM_UNRECORDED, unrecorded);
}

/* Commands of another queue may race with instrumented launches, whose accesses are not recorded. */
void rt_instrumented_submitted(const struct rt_queue *queue)
{
    int state = atomic_load(&queue->context->instrumented);
    if (queue->is_first || state == RT_NONE_INSTRUMENTED || (state == RT_SETTLED && is_first_thread()))
        return;
    atomic_store(&queue->context->questioned, true);
    unsigned unrecorded = atomic_exchange(&queue->context->unrecorded, 0);
    record_question((struct mm_agent){0, mm_recorder_host_thread(rt_recorder())},
                    unrecorded ? MM_UNRECORDED : MM_UNRECORDED | MM_REPLAYED, unrecorded);
    atomic_store(&queue->context->instrumented, RT_NONE_INSTRUMENTED);
}
