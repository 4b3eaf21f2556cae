/* Scheduling: ready commands, steps, and host threads that wait or poll.
 *
 * A scheduling step (rt_sched_step) starts a ready command or executes one slice of a running kernel, so that
 * kernels of several queues and devices make progress together.  By default commands start in the order in
 * which they became ready, running kernels continue in cyclic order, and a host thread that waits executes
 * steps itself if the executor (executor.c) is idle.
 *  README.md describes the schedule with REFCL_QUEUE_SEED=N. */
#include "memmodel/base/hash.h"
#include "ref-runtime/callback.h"
#include "ref-runtime/check/fault.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/device.h"
#include "ref-runtime/enqueue/semaphore.h"
#include "ref-runtime/event.h"
#include "ref-runtime/sched/rounding.h"
#include "ref-runtime/sched/state.h"

#include <time.h>

/* Quanta: instructions of one kernel that the interpreter executes in a step.  With a seed they are random up
 * to the constant: short ones let kernels interleave often, and the shorter ones of runs with an injected
 * fault let more of these show it. */
enum { ALONE_QUANTUM = 1 << 18, SHARED_QUANTUM = 1 << 14, SEEDED_QUANTUM = 1 << 10, FAULTY_QUANTUM = 1 << 5 };
enum { PATIENT_POLLS = 100 }; /* polls of an event until unflushed commands are flushed */

struct mm_mutex rt_lock = MM_MUTEX_WITH_CONDITIONS;

struct rt_sched rt_sched = {.work = PTHREAD_COND_INITIALIZER,
                            .completed = PTHREAD_COND_INITIALIZER,
                            .stepped = PTHREAD_COND_INITIALIZER,
                            .ready.last = &rt_sched.ready.first};

/* ---- ready commands (under rt_lock, as all below) ---- */

static void submit_command(struct rt_command *command)
{
    command->flushed = true;
    rt_sched.ready.lazy -= command->starts_lazily;
    rt_event_stamp(command->event, RT_SUBMIT);
    rt_event_set_status(command->event, CL_SUBMITTED);
}

static void push_ready(struct rt_command *command)
{
    command->next_ready = NULL;
    *rt_sched.ready.last = command;
    rt_sched.ready.last = &command->next_ready;
    rt_sched.ready.count++;
    if (!command->flushed && rt_sched.ready.unflushed++ == 0)
        rt_sched.ready.unflushed_since = rt_now();
    if (rt_sched.executor.idle)
        pthread_cond_signal(&rt_sched.work);
}

/* Removes all dependencies of COMMAND. */
static void resolve_all(struct rt_command *command)
{
    rt_command_forget(command);
    command->dependencies.unresolved = 0;
}

/* Makes COMMAND ready.  Commands that kernels enqueue need no flush. */
void rt_sched_ready(struct rt_command *command)
{
    rt_sched_notice_clone();
    if (rt_sched.fork.alone)
        rt_record_forked();
    if (rt_command_terminated(command))
        resolve_all(command);
    rt_sched.deferral.hosts_active = true;
    rt_sched.host.unattended &= command->family.parent != NULL;
    rt_sched.ready.lazy += command->starts_lazily;
    if (!command->flushed && ((!rt_sched.seeded && !command->starts_lazily) || command->family.parent))
        submit_command(command);
    if (command->dependencies.unresolved == 0)
        push_ready(command);
}

void rt_sched_flush(struct rt_queue *queue)
{
    if (!rt_sched.seeded && rt_sched.ready.lazy == 0)
        return;
    for (struct rt_command *command = queue->first; command; command = command->next) {
        if (!command->flushed) {
            submit_command(command);
            rt_sched.ready.unflushed -= command->dependencies.unresolved == 0 ? 1 : 0;
        }
    }
    pthread_cond_signal(&rt_sched.work);
}

/* For rt_object_each(): makes the commands of a queue of the context DATA ready, whatever they depend on. */
static void release_queue(const struct rt_object *object, void *data)
{
    struct rt_queue *queue = (struct rt_queue *)(uintptr_t)object;
    if (object->type != RT_QUEUE || queue->context != data)
        return;
    rt_sched_flush(queue);
    for (struct rt_command *command = queue->first; command; command = command->next) {
        if (command->dependencies.unresolved > 0) {
            resolve_all(command);
            push_ready(command);
        }
    }
}

/* Running commands end with their current step, which compiled code ends at once, except native kernels,
 * which run to their end [cl_khr_terminate_context 1.0.0]. */
void rt_sched_terminate(struct rt_context *context)
{
    mm_mutex_lock(&rt_lock);
    rt_object_each(release_queue, context);
    rt_watch_wake();
    mm_mutex_unlock(&rt_lock);
    in_stop_launches(&context->terminated);
}

void rt_sched_flush_ready(uint64_t before)
{
    while (rt_sched.ready.unflushed > 0 && rt_sched.ready.unflushed_since <= before) {
        struct rt_command *command = rt_sched.ready.first;
        while (command->flushed)
            command = command->next_ready;
        rt_sched_flush(command->queue);
    }
}

bool rt_sched_may_continue(void)
{
    return rt_sched.ready.count != rt_sched.ready.unflushed || rt_sched.active.count > 0;
}

bool rt_sched_have_work(void)
{
    return rt_sched_may_continue() && (!rt_sched.seeded || rt_sched.host.waiters > 0 ||
                                       rt_sched.host.granted_steps > 0 || rt_sched.host.unattended);
}

/* While recording, checks, seeds or faults depend on the order or the thread. */
bool rt_sched_left_to_executor(void)
{
    return !rt_sched.fork.alone &&
           (rt_sched.seeded || rt_recorder() || rt_guard_svm_on() || in_fault_now != IN_NO_FAULT);
}

bool rt_sched_leaves_to_host(void)
{
    return rt_sched.host.waiters == 0 && !rt_sched_left_to_executor() &&
           rt_deferral_applies(&rt_sched.deferral);
}

/* A waiting thread takes a scheduling step itself when the executor is idle: most commands are shorter than a
 * context switch. */
static bool help_workers(void)
{
    if (rt_sched.step.busy || rt_sched.executor.stopping || rt_sched.fork.forking ||
        rt_sched_left_to_executor() || !rt_sched_have_work())
        return false;
    struct rt_rounding rounding;
    rt_rounding_enter(&rounding);
    rt_sched_step();
    rt_sched.deferral.host_steps++;
    pthread_cond_broadcast(&rt_sched.stepped);
    rt_rounding_leave(&rounding);
    return true;
}

/* A step for the calling thread, which waits or, in a forked child, polls; false: it cannot take one. */
static bool take_step(void)
{
    if (rt_sched.fork.alone)
        rt_watch_forked();
    if (!rt_sched.fork.lost_command)
        return help_workers();
    rt_sched_fail_lost_command();
    return true;
}

void rt_sched_wait(struct rt_event *event)
{
    rt_sched_notice_clone();
    rt_sched.deferral.hosts_wait = true;
    if (!take_step()) {
        rt_sched.host.waiters++;
        rt_sched.host.queue = event->queue;
        event->awaited = true;
        rt_sched.host.unattended = false;
        if (rt_sched.seeded)
            pthread_cond_signal(&rt_sched.work);
        pthread_cond_wait(&rt_sched.completed, &rt_lock.mutex);
    }
}

bool rt_sched_host_waits(const struct rt_queue *queue)
{
    return rt_sched.host.waiters > 0 && rt_sched.host.queue == queue;
}

int rt_sched_wait_at_most(pthread_cond_t *condition, uint64_t nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    nanoseconds += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    return pthread_cond_timedwait(condition, &rt_lock.mutex, &until);
}

/* The host leaves its commands to the executor. */
static void poll_executor(void)
{
    rt_sched_flush_ready(UINT64_MAX);
    if (rt_sched.deferral.hosts_wait) {
        rt_sched.deferral.hosts_wait = false;
        rt_sched_wake();
    }
}

/* A host that polls an event instead of waiting grants one step per poll.  It waits for the step for at most
 * PATIENCE: a native kernel in the step may wait for this thread. */
void rt_sched_poll(void)
{
    rt_sched_notice_clone();
    if (rt_sched.fork.alone)
        take_step();
    if (!rt_sched.seeded)
        poll_executor();
    if (!rt_sched.seeded || rt_sched_is_executor())
        return;
    rt_sched.host.unattended = false;
    if (!rt_sched.step.busy && !rt_sched_may_continue() && ++rt_sched.host.futile_polls >= PATIENT_POLLS)
        rt_sched_flush_ready(UINT64_MAX);
    int result = 0;
    for (rt_sched.host.granted_steps++;
         rt_sched.host.granted_steps > 0 && (rt_sched.step.busy || rt_sched_may_continue()) && result == 0;) {
        pthread_cond_signal(&rt_sched.work);
        result = rt_sched_wait_at_most(&rt_sched.stepped, rt_sched.patience);
    }
    rt_sched.host.granted_steps = 0;
}

void rt_sched_wake(void)
{
    bool in_short_wait =
        !rt_sched.executor.idle && rt_sched_leaves_to_host(); /* which a signal would only repeat */
    if (!rt_sched.step.busy && rt_sched_have_work() && !in_short_wait)
        pthread_cond_signal(&rt_sched.work);
}

/* Notes that COMMAND no longer waits for EVENT. */
static void resolve_one(struct rt_command *command, const struct rt_event *event)
{
    for (size_t k = 0; event->status < 0 && k < command->dependencies.count; k++) {
        command->dependencies.failed |= command->dependencies.list[k].event == event &&
                                        command->dependencies.list[k].kind == MM_EDGE_WAIT;
    }
    if (--command->dependencies.unresolved == 0)
        push_ready(command);
}

void rt_sched_resolve(struct rt_event *event)
{
    if (event->first_waiting)
        resolve_one(event->first_waiting, event);
    for (size_t i = 0; i < event->waiting_count; i++)
        resolve_one(event->waiting[i], event);
    event->first_waiting = NULL;
    event->waiting_count = 0;
    if (rt_sched.host.waiters > 0 && (event->awaited || rt_sched.seeded || rt_sched.fork.alone)) {
        rt_sched.host.waiters = 0;
        pthread_cond_broadcast(&rt_sched.completed);
    }
}

/* Removes the N-th ready and flushed command from the list and returns it. */
static struct rt_command *take_ready(size_t n)
{
    for (struct rt_command **at = &rt_sched.ready.first; *at; at = &(*at)->next_ready) {
        struct rt_command *command = *at;
        if (!command->flushed || n-- > 0)
            continue;
        *at = command->next_ready;
        if (rt_sched.ready.last == &command->next_ready)
            rt_sched.ready.last = at;
        rt_sched.ready.count--;
        return command;
    }
    return NULL;
}

/* ---- steps ---- */

/* Stamps and publishes the start of COMMAND.  Under rt_lock. */
static void note_start(const struct rt_command *command)
{
    rt_event_stamp(command->event, RT_START);
    if (!command->dependencies.failed)
        rt_event_set_status(command->event, CL_RUNNING);
}

static void step_command(size_t i, uint64_t quantum)
{
    struct rt_command *command = rt_sched.active.commands[i];
    bool done = false;
    cl_int status = rt_command_terminated(command) ? CL_CONTEXT_TERMINATED_KHR
                    : rt_device_lost(command->queue->device)
                        ? CL_OUT_OF_RESOURCES
                        : command->operation->step(command, quantum, &done);
    if (rt_command_terminated(command) && !done)
        status = CL_CONTEXT_TERMINATED_KHR;
    if (done || status != CL_SUCCESS) {
        rt_sched.active.commands[i] = rt_sched.active.commands[--rt_sched.active.count];
        rt_sched_complete(command, status);
    }
}

void rt_sched_step(void)
{
    rt_sched.step.busy = true;
    rt_sched.step.thread = pthread_self();
    size_t startable =
        rt_sched.active.count < RT_MOST_ACTIVE ? rt_sched.ready.count - rt_sched.ready.unflushed : 0;
    struct rt_command *command = NULL;
    size_t running = 0;
    uint64_t quantum = rt_sched.active.count > 1 ? SHARED_QUANTUM : ALONE_QUANTUM;
    if (rt_sched.seeded) {
        size_t choice =
            (size_t)(mm_random_next(&rt_sched.step.random_state) % (startable + rt_sched.active.count));
        quantum = 1 + mm_random_next(&rt_sched.step.random_state) %
                          (in_fault_now != IN_NO_FAULT ? FAULTY_QUANTUM : SEEDED_QUANTUM);
        command = choice < startable ? take_ready(choice) : NULL;
        running = choice - startable;
    } else if (startable > 0) {
        command = take_ready(0);
    } else {
        running = rt_sched.active.next++ % rt_sched.active.count;
    }
    rt_sched.step.command = command ? command : rt_sched.active.commands[running];
    if (command)
        note_start(command);
    mm_mutex_unlock(&rt_lock);
    rt_callback_throttle();
    bool started = command && rt_command_start(command);
    if (started)
        rt_sched.active.commands[running = rt_sched.active.count++] = command;
    if (!command || (started && !rt_sched.seeded && startable == 1 && running == 0)) /* there is no other */
        step_command(running, quantum);
    mm_mutex_lock(&rt_lock);
    rt_sched.step.busy = false;
    if (!rt_sched_may_continue())
        rt_callback_wake();
}
