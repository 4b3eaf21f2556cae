/* The executor: one thread that executes commands whose dependencies are met.
 *
 * A scheduling step (schedule_one) starts a ready command or executes one slice of a running kernel, so that kernels of several
 * queues and devices make progress together.  A step runs without rt_lock; STEP.BUSY excludes other steps.  By default
 * commands start in the order in which they became ready, running kernels continue in cyclic order, and a host thread
 * that waits executes steps itself if the executor is idle.  README.md describes the schedule with REFCL_QUEUE_SEED=N. */
#include "memmodel/base/hash.h"
#include "memmodel/trace/process.h"
#include "ref-runtime/callback.h"
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/check/fault.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/device.h"
#include "ref-runtime/enqueue/launch.h"
#include "ref-runtime/enqueue/semaphore.h"
#include "ref-runtime/event.h"
#include "ref-runtime/sched/command.h"
#include "ref-runtime/sched/deferral.h"
#include "ref-runtime/sched/rounding.h"
#include "ref-runtime/setting.h"

#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ACTIVE = 32 }; /* started commands: they are executed in turn, more would only take memory */
/* Quanta: instructions of one kernel that the interpreter executes in a step.  With a seed they are random up to the constant: short ones
 * let kernels interleave often, and the shorter ones of runs with an injected fault let more of these show it. */
enum { ALONE_QUANTUM = 1 << 18, SHARED_QUANTUM = 1 << 14, SEEDED_QUANTUM = 1 << 10, FAULTY_QUANTUM = 1 << 5 };
/* An idle executor checks after THREADS_NS whether the application has threads left, flushes commands after IDLE_FLUSH_NS while a host
 * waits, and writes the recording to its file after IDLE_WRITE_NS. */
enum { THREADS_NS = 500 * 1000 * 1000, IDLE_FLUSH_NS = 10 * 1000 * 1000, IDLE_WRITE_NS = 50 * 1000 * 1000 };
enum { DEFAULT_PATIENCE = 2 };                /* seconds */
enum { PATIENT_POLLS = 100 };                 /* polls of an event until unflushed commands are flushed */
enum { LONGEST_STEP_NS = 999 * 1000 * 1000 }; /* that a fork waits for */
/* wait_shortly(): SHORT_WAITS at most before the executor blocks, each twice as long as the one before while hosts are active.  Longer ones
 * mean fewer wake-ups, and later starts of the commands of a host that polls. */
enum { SHORT_WAITS = 32, FIRST_SHORT_WAIT_NS = 50 * 1000, LONGEST_SHORT_WAIT_NS = 1000 * 1000 };

struct mm_mutex rt_lock = MM_MUTEX_WITH_CONDITIONS;

/* The scheduler's state: under rt_lock, except SEEDED, and except ACTIVE and STEP.COMMAND within a step. */
static struct {
    atomic_bool seeded;
    uint64_t patience; /* seeded: nanoseconds of computing after which the host is UNATTENDED */

    pthread_cond_t work, completed, stepped; /* awaited by the executor; by hosts: events, steps */
    struct {
        struct rt_command *first, **last;
        size_t count, unflushed;
        uint64_t unflushed_since;
        size_t lazy; /* unflushed commands that start lazily, ready or not */
    } ready;
    struct {
        struct rt_command *commands[MOST_ACTIVE];
        atomic_size_t count, next; /* other threads read COUNT during a step */
    } active;
    struct {
        bool busy;                  /* a thread is within a scheduling step */
        struct rt_command *command; /* of this step, or of the last one */
        uint64_t random_state;
    } step;
    struct {
        pthread_t thread;
        pid_t process; /* 0: not started; -1: none, as in a forked child */
        bool stopping, idle, unwritten;
        bool ends_process; /* the application has no threads left */
    } executor;
    struct rt_deferral deferral;
    struct {
        size_t waiters;               /* threads in rt_sched_wait() that have not been woken */
        const struct rt_queue *queue; /* of the event that the last one waits for */
        bool unattended;       /* seeded: the host has computed for longer than PATIENCE without waiting */
        size_t granted_steps;  /* seeded: steps for threads that poll events */
        unsigned futile_polls; /* seeded: polls since the last step, with nothing to execute */
    } host;
    struct {
        unsigned forking;  /* threads that fork: no step begins meanwhile */
        bool alone;        /* a forked child: there is no executor; threads that wait take its steps */
        bool lost_command; /* a forked child: the parent was within a step, which ends only there */
        unsigned count;    /* mm_fork_count() of this state's process */
    } fork;
} sched = {.work = PTHREAD_COND_INITIALIZER,
           .completed = PTHREAD_COND_INITIALIZER,
           .stepped = PTHREAD_COND_INITIALIZER,
           .ready.last = &sched.ready.first};

/* ---- under rt_lock ---- */

static void submit_command(struct rt_command *command)
{
    command->flushed = true;
    sched.ready.lazy -= command->starts_lazily;
    rt_event_stamp(command->event, RT_SUBMIT);
    rt_event_set_status(command->event, CL_SUBMITTED);
}

static void push_ready(struct rt_command *command)
{
    command->next_ready = NULL;
    *sched.ready.last = command;
    sched.ready.last = &command->next_ready;
    sched.ready.count++;
    if (!command->flushed && sched.ready.unflushed++ == 0)
        sched.ready.unflushed_since = rt_now();
    if (sched.executor.idle)
        pthread_cond_signal(&sched.work);
}

/* Removes all dependencies of COMMAND. */
static void resolve_all(struct rt_command *command)
{
    rt_command_forget(command);
    command->dependencies.unresolved = 0;
}

static void notice_clone(void);

/* Makes COMMAND ready.  Commands that kernels enqueue need no flush. */
void rt_sched_ready(struct rt_command *command)
{
    notice_clone();
    if (sched.fork.alone)
        rt_record_forked();
    if (rt_command_terminated(command))
        resolve_all(command);
    sched.deferral.hosts_active = true;
    sched.host.unattended &= command->family.parent != NULL;
    sched.ready.lazy += command->starts_lazily;
    if (!command->flushed && ((!sched.seeded && !command->starts_lazily) || command->family.parent))
        submit_command(command);
    if (command->dependencies.unresolved == 0)
        push_ready(command);
}

void rt_sched_flush(struct rt_queue *queue)
{
    if (!sched.seeded && sched.ready.lazy == 0)
        return;
    for (struct rt_command *command = queue->first; command; command = command->next) {
        if (!command->flushed) {
            submit_command(command);
            sched.ready.unflushed -= command->dependencies.unresolved == 0 ? 1 : 0;
        }
    }
    pthread_cond_signal(&sched.work);
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

/* Running commands end with their current step, which compiled code ends at once, except native kernels, which run to their end
 * [cl_khr_terminate_context 1.0.0]. */
void rt_sched_terminate(struct rt_context *context)
{
    mm_mutex_lock(&rt_lock);
    rt_object_each(release_queue, context);
    rt_watch_wake();
    mm_mutex_unlock(&rt_lock);
    in_stop_launches(&context->terminated);
}

/* Flushes commands that have been ready but unflushed since BEFORE, so that every command makes progress. */
static void flush_ready(uint64_t before)
{
    while (sched.ready.unflushed > 0 && sched.ready.unflushed_since <= before) {
        struct rt_command *command = sched.ready.first;
        while (command->flushed)
            command = command->next_ready;
        rt_sched_flush(command->queue);
    }
}

static bool may_continue(void)
{
    return sched.ready.count != sched.ready.unflushed || sched.active.count > 0;
}

static bool have_work(void)
{
    return may_continue() &&
           (!sched.seeded || sched.host.waiters > 0 || sched.host.granted_steps > 0 || sched.host.unattended);
}

static void schedule_one(void);

/* While recording, checks, seeds or faults depend on the order or the thread. */
static bool left_to_executor(void)
{
    return !sched.fork.alone &&
           (sched.seeded || rt_recorder() || rt_guard_svm_on() || in_fault_now != IN_NO_FAULT);
}

/* A waiting thread takes a scheduling step itself when the executor is idle: most commands are shorter than a context
 * switch. */
static bool help_workers(void)
{
    if (sched.step.busy || sched.executor.stopping || sched.fork.forking || left_to_executor() ||
        !have_work())
        return false;
    struct rt_rounding rounding;
    rt_rounding_enter(&rounding);
    sched.step.busy = true;
    schedule_one();
    sched.step.busy = false;
    sched.deferral.host_steps++;
    pthread_cond_broadcast(&sched.stepped);
    rt_rounding_leave(&rounding);
    return true;
}

/* A command whose step was in progress when the process forked fails in the child. */
static void fail_current(void)
{
    sched.fork.lost_command = false;
    fprintf(stderr,
            "refcl: error: fork() while a command ran: in the child it fails with CL_OUT_OF_RESOURCES\n");
    for (size_t i = 0; i < sched.active.count; i++) {
        if (sched.active.commands[i] == sched.step.command) {
            sched.active.commands[i] = sched.active.commands[--sched.active.count];
            break;
        }
    }
    rt_event_set_status(sched.step.command->event, CL_OUT_OF_RESOURCES);
}

void rt_sched_wait(struct rt_event *event)
{
    notice_clone();
    if (sched.fork.alone)
        rt_watch_forked();
    sched.deferral.hosts_wait = true;
    if (sched.fork.lost_command) {
        fail_current();
    } else if (!help_workers()) {
        sched.host.waiters++;
        sched.host.queue = event->queue;
        event->awaited = true;
        sched.host.unattended = false;
        if (sched.seeded)
            pthread_cond_signal(&sched.work);
        pthread_cond_wait(&sched.completed, &rt_lock.mutex);
    }
}

bool rt_sched_host_waits(const struct rt_queue *queue)
{
    return sched.host.waiters > 0 && sched.host.queue == queue;
}

/* Waits on CONDITION for at most NANOSECONDS. */
static int wait_at_most(pthread_cond_t *condition, uint64_t nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    nanoseconds += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    return pthread_cond_timedwait(condition, &rt_lock.mutex, &until);
}

/* A host that polls an event instead of waiting grants one step per poll.  It waits for the step for at most PATIENCE: a native
 * kernel in the step may wait for this thread. */
void rt_sched_poll(void)
{
    notice_clone();
    if (!sched.seeded)
        flush_ready(UINT64_MAX);
    if (!sched.seeded || rt_sched_is_executor())
        return;
    sched.host.unattended = false;
    if (!sched.step.busy && !may_continue() && ++sched.host.futile_polls >= PATIENT_POLLS)
        flush_ready(UINT64_MAX);
    int result = 0;
    for (sched.host.granted_steps++;
         sched.host.granted_steps > 0 && (sched.step.busy || may_continue()) && result == 0;) {
        pthread_cond_signal(&sched.work);
        result = wait_at_most(&sched.stepped, sched.patience);
    }
    sched.host.granted_steps = 0;
}

void rt_sched_wake(void)
{
    if (!sched.step.busy && have_work())
        pthread_cond_signal(&sched.work);
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
    if (sched.host.waiters > 0 && (event->awaited || sched.seeded || sched.fork.alone)) {
        sched.host.waiters = 0;
        pthread_cond_broadcast(&sched.completed);
    }
}

/* Removes the N-th ready and flushed command from the list and returns it. */
static struct rt_command *take_ready(size_t n)
{
    for (struct rt_command **at = &sched.ready.first; *at; at = &(*at)->next_ready) {
        struct rt_command *command = *at;
        if (!command->flushed || n-- > 0)
            continue;
        *at = command->next_ready;
        if (sched.ready.last == &command->next_ready)
            sched.ready.last = at;
        sched.ready.count--;
        return command;
    }
    return NULL;
}

/* ---- steps and the executor ---- */

/* Stamps and publishes the start of COMMAND.  Under rt_lock. */
static void note_start(const struct rt_command *command)
{
    rt_event_stamp(command->event, RT_START);
    if (!command->dependencies.failed)
        rt_event_set_status(command->event, CL_RUNNING);
}

static void step_command(size_t i, uint64_t quantum)
{
    struct rt_command *command = sched.active.commands[i];
    bool done = false;
    cl_int status = rt_command_terminated(command) ? CL_CONTEXT_TERMINATED_KHR
                    : rt_device_lost(command->queue->device)
                        ? CL_OUT_OF_RESOURCES
                        : command->operation->step(command, quantum, &done);
    if (rt_command_terminated(command) && !done)
        status = CL_CONTEXT_TERMINATED_KHR;
    if (done || status != CL_SUCCESS) {
        sched.active.commands[i] = sched.active.commands[--sched.active.count];
        rt_sched_complete(command, status);
    }
}

/* True if no signal came within NANOSECONDS. */
static bool wait_quietly(uint64_t nanoseconds)
{
    return wait_at_most(&sched.work, nanoseconds) == ETIMEDOUT;
}

/* A short timed sleep before the executor blocks on the condition variable, so that callers need no system call to wake it.  A wake-up
 * takes up to 50 microseconds of CPU time on virtual machines: as few as possible while hosts execute their commands. */
static void wait_shortly(int *short_waits, long *length)
{
    sched.deferral.hosts_active = false;
    *short_waits -= *short_waits > 0;
    wait_quietly((uint64_t)*length);
    if (rt_deferral_wait_ended(&sched.deferral, (uint64_t)*length, have_work() && !sched.step.busy)) {
        *short_waits = SHORT_WAITS;
        *length = LONGEST_SHORT_WAIT_NS;
    } else if (sched.deferral.hosts_active && *length * 2 < LONGEST_SHORT_WAIT_NS) {
        *length *= 2;
    }
}

static bool leaves_to_host(void)
{
    return sched.host.waiters == 0 && !left_to_executor() && rt_deferral_applies(&sched.deferral);
}

/* Whether nothing can enqueue commands any more: there are no threads, callbacks, or semaphores of other processes. */
static bool application_has_ended(void)
{
    return !rt_callback_pending() && !rt_watch_pending() && mm_application_has_ended(in_own_threads);
}

/* Waits for work; false: stop.  Flushes the recording to its file when the executor becomes idle. */
static bool wait_for_work(void)
{
    int short_waits = sched.seeded || rt_recorder() ? 0 : SHORT_WAITS;
    long length = FIRST_SHORT_WAIT_NS;
    while (!sched.executor.stopping &&
           (sched.step.busy || sched.fork.forking || !have_work() || leaves_to_host())) {
        bool defers = have_work() && leaves_to_host();
        sched.deferral.in_a_row = have_work() ? sched.deferral.in_a_row + defers : 0;
        sched.executor.idle = short_waits == 0 && !defers && sched.deferral.host_steps == 0;
        if (!sched.executor.idle) {
            wait_shortly(&short_waits, &length);
        } else if (sched.ready.unflushed > 0 ||
                   (sched.seeded && sched.ready.count + sched.active.count > 0)) {
            sched.host.unattended = wait_quietly(sched.host.waiters > 0 ? IDLE_FLUSH_NS : sched.patience);
            uint64_t now = rt_now();
            flush_ready(sched.host.unattended ? UINT64_MAX : now > sched.patience ? now - sched.patience : 0);
        } else if (sched.executor.unwritten && rt_recorder()) {
            if (wait_quietly(IDLE_WRITE_NS)) {
                mm_recorder_flush(rt_recorder());
                sched.executor.unwritten = false;
            }
        } else if (wait_quietly(THREADS_NS) && application_has_ended()) {
            sched.executor.ends_process = sched.executor.stopping = true;
        }
        rt_deferral_begin_steps(&sched.deferral);
    }
    sched.executor.idle = false;
    sched.executor.unwritten = true;
    return !sched.executor.stopping;
}

/* One scheduling step: chooses among the ready commands and the running ones, and starts or continues it. */
static void schedule_one(void)
{
    size_t startable = sched.active.count < MOST_ACTIVE ? sched.ready.count - sched.ready.unflushed : 0;
    struct rt_command *command = NULL;
    size_t running = 0;
    uint64_t quantum = sched.active.count > 1 ? SHARED_QUANTUM : ALONE_QUANTUM;
    if (sched.seeded) {
        size_t choice = (size_t)(mm_random_next(&sched.step.random_state) % (startable + sched.active.count));
        quantum = 1 + mm_random_next(&sched.step.random_state) %
                          (in_fault_now != IN_NO_FAULT ? FAULTY_QUANTUM : SEEDED_QUANTUM);
        command = choice < startable ? take_ready(choice) : NULL;
        running = choice - startable;
    } else if (startable > 0) {
        command = take_ready(0);
    } else {
        running = sched.active.next++ % sched.active.count;
    }
    sched.step.command = command ? command : sched.active.commands[running];
    if (command)
        note_start(command);
    mm_mutex_unlock(&rt_lock);
    rt_callback_throttle();
    bool started = command && rt_command_start(command);
    if (started)
        sched.active.commands[running = sched.active.count++] = command;
    if (!command || (started && !sched.seeded && startable == 1 && running == 0)) /* there is no other */
        step_command(running, quantum);
    mm_mutex_lock(&rt_lock);
}

static void step_finished(void)
{
    sched.host.futile_polls = 0;
    sched.host.granted_steps =
        sched.host.granted_steps > 0 && may_continue() ? sched.host.granted_steps - 1 : 0;
    pthread_cond_broadcast(&sched.stepped);
}

static _Thread_local bool is_executor;

static void *executor_thread(void *unused)
{
    (void)unused;
    is_executor = true;
    fesetenv(FE_DFL_ENV);
    mm_own_thread_begin();
    mm_mutex_lock(&rt_lock);
    while (wait_for_work()) {
        sched.step.busy = true;
        schedule_one();
        sched.step.busy = false;
        rt_deferral_count_step(&sched.deferral);
        if (sched.seeded)
            step_finished();
        else if (sched.fork.forking)
            pthread_cond_broadcast(&sched.stepped);
    }
    mm_mutex_unlock(&rt_lock);
    if (sched.executor.ends_process)
        exit(0); /* as after the last thread of a process without this one */
    return NULL;
}

/* ---- fork ---- */

/* A fork waits for the end of the current step, so that the child can continue every command.  It waits for at most
 * LONGEST_STEP_NS: a native kernel in the step may wait for the thread that forks, which would be a deadlock. */
static void before_fork(void)
{
    mm_mutex_lock(&rt_lock);
    sched.fork.forking++;
    while (sched.step.busy && !rt_sched_is_executor() && wait_at_most(&sched.stepped, LONGEST_STEP_NS) == 0) {
    }
}

static void after_fork(void)
{
    sched.fork.forking--;
    pthread_cond_broadcast(&sched.work);
    mm_mutex_unlock(&rt_lock);
}

/* Sets up the state of a forked child, which has only this thread. */
static void become_child(void)
{
    const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    bool own_step = sched.step.busy && rt_sched_is_executor();
    sched.work = sched.completed = sched.stepped = fresh;
    sched.fork.lost_command = sched.step.busy && !own_step;
    sched.step.busy = own_step;
    flush_ready(UINT64_MAX);
    sched.seeded = false;
    sched.executor.idle = false;
    sched.deferral.host_steps = sched.fork.forking = 0;
    sched.host.waiters = sched.host.granted_steps = 0;
    sched.fork.alone = true;
    sched.executor.process = -1;
    sched.fork.count = mm_fork_count();
    rt_command_forked();
    rt_callback_forked();
}

static void after_fork_in_child(void)
{
    mm_mutex_inherit(&rt_lock);
    become_child();
    mm_mutex_unlock(&rt_lock);
}

/* Under rt_lock: in a child of clone(), or of its system call, no handler of a fork has run. */
static void notice_clone(void)
{
    if (sched.fork.count == mm_fork_count())
        return;
    become_child();
    in_forked();
}

static void start_executor(void)
{
    sched.fork.count = mm_fork_count();
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    sched.seeded = rt_setting_given(RT_SET_QUEUE_SEED);
    sched.patience = rt_setting_number(RT_SET_QUEUE_PATIENCE, 0, DEFAULT_PATIENCE) * 1000000000;
    sched.step.random_state = rt_setting_number(RT_SET_QUEUE_SEED, 0, 0);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&sched.executor.thread, NULL, executor_thread, NULL) == 0)
        sched.executor.process = getpid();
    else
        fprintf(stderr, "refcl: error: no thread to run commands can be created (ulimit -u)\n");
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool rt_sched_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_executor);
    in_start();
    return sched.executor.process != 0;
}

bool rt_sched_is_executor(void)
{
    return is_executor;
}

/* At exit: stops the executor after its slice, then closes the recording. */
__attribute__((destructor)) static void stop_executor(void)
{
    if (sched.executor.process == getpid() && !is_executor) {
        mm_mutex_lock(&rt_lock);
        sched.executor.stopping = true;
        pthread_cond_signal(&sched.work);
        mm_mutex_unlock(&rt_lock);
        in_stop_all();
        pthread_join(sched.executor.thread, NULL);
        rt_api_note_leaks();
        rt_record_close();
    } else if (sched.executor.process == 0 || sched.executor.ends_process) {
        rt_api_note_leaks();
        rt_record_close();
    }
}
