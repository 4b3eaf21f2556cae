/* The executor: the thread that executes commands whose dependencies are met, and its idle loop. */
#include "memmodel/trace/process.h"
#include "ref-runtime/callback.h"
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/device.h"
#include "ref-runtime/enqueue/semaphore.h"
#include "ref-runtime/sched/state.h"
#include "ref-runtime/setting.h"

#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* wait_idle(): the executor checks after THREADS_NS whether the application has threads left, flushes
 * commands after IDLE_FLUSH_NS while a host waits, and writes the recording to its file after
 * IDLE_WRITE_NS. */
enum { THREADS_NS = 500 * 1000 * 1000, IDLE_FLUSH_NS = 10 * 1000 * 1000, IDLE_WRITE_NS = 50 * 1000 * 1000 };
enum { DEFAULT_PATIENCE = 2 }; /* seconds */
/* wait_shortly(): SHORT_WAITS at most before the executor blocks, each twice as long as the one before while
 * hosts are active.  Longer ones mean fewer wake-ups, and later starts of the commands of a host that
 * polls. */
enum { SHORT_WAITS = 32, FIRST_SHORT_WAIT_NS = 50 * 1000, LONGEST_SHORT_WAIT_NS = 1000 * 1000 };

/* ---- the idle loop (under rt_lock) ---- */

/* True if no signal came within NANOSECONDS. */
static bool wait_quietly(uint64_t nanoseconds)
{
    return rt_sched_wait_at_most(&rt_sched.work, nanoseconds) == ETIMEDOUT;
}

/* A short timed sleep before the executor blocks on the condition variable, so that callers need no system
 * call to wake it.  A wake-up takes up to 50 microseconds of CPU time on virtual machines: as few as possible
 * while hosts execute their commands. */
static void wait_shortly(int *short_waits, long *length)
{
    rt_sched.deferral.hosts_active = false;
    *short_waits -= *short_waits > 0;
    wait_quietly((uint64_t)*length);
    if (rt_deferral_wait_ended(&rt_sched.deferral, (uint64_t)*length,
                               rt_sched_have_work() && !rt_sched.step.busy)) {
        *short_waits = SHORT_WAITS;
        *length = LONGEST_SHORT_WAIT_NS;
    } else if (rt_sched.deferral.hosts_active && *length * 2 < LONGEST_SHORT_WAIT_NS) {
        *length *= 2;
    }
}

/* Whether nothing can enqueue commands any more: there are no threads, callbacks, or semaphores of other
 * processes. */
static bool application_has_ended(void)
{
    return !rt_callback_pending() && !rt_watch_pending() && mm_application_has_ended(in_own_threads);
}

/* A wait of the idle executor, which flushes commands or the recording, or ends the process, if no signal
 * comes in time. */
static void wait_idle(void)
{
    if (rt_sched.ready.unflushed > 0 ||
        (rt_sched.seeded && rt_sched.ready.count + rt_sched.active.count > 0)) {
        uint64_t patience = rt_sched.patience;
        rt_sched.host.unattended = wait_quietly(rt_sched.host.waiters > 0 ? IDLE_FLUSH_NS : patience);
        uint64_t now = rt_now();
        rt_sched_flush_ready(rt_sched.host.unattended ? UINT64_MAX : now > patience ? now - patience : 0);
    } else if (rt_sched.executor.unwritten && rt_recorder()) {
        if (wait_quietly(IDLE_WRITE_NS)) {
            mm_recorder_flush(rt_recorder());
            rt_sched.executor.unwritten = false;
        }
    } else if (wait_quietly(THREADS_NS) && application_has_ended()) {
        rt_sched.executor.ends_process = rt_sched.executor.stopping = true;
    }
}

/* Whether the executor takes the next step: there is work, and no other thread takes a step, forks, or is
 * left the work. */
static bool may_step(void)
{
    return !rt_sched.step.busy && !rt_sched.fork.forking && rt_sched_have_work() &&
           !rt_sched_leaves_to_host();
}

/* Waits until a step may be taken; false: stop.  The executor blocks (idle) after SHORT_WAITS sleeps, but not
 * while hosts take the steps. */
static bool wait_for_work(void)
{
    int short_waits = rt_sched.seeded || rt_recorder() ? 0 : SHORT_WAITS;
    long length = FIRST_SHORT_WAIT_NS;
    while (!rt_sched.executor.stopping && !may_step()) {
        bool has_work = rt_sched_have_work(), defers = has_work && rt_sched_leaves_to_host();
        rt_sched.deferral.in_a_row = has_work ? rt_sched.deferral.in_a_row + defers : 0;
        rt_sched.executor.idle = short_waits == 0 && !defers && rt_sched.deferral.host_steps == 0;
        if (rt_sched.executor.idle)
            wait_idle();
        else
            wait_shortly(&short_waits, &length);
        rt_deferral_begin_steps(&rt_sched.deferral);
    }
    rt_sched.executor.idle = false;
    rt_sched.executor.unwritten = true;
    return !rt_sched.executor.stopping;
}

/* ---- the thread ---- */

static void step_finished(void)
{
    rt_sched.host.futile_polls = 0;
    rt_sched.host.granted_steps =
        rt_sched.host.granted_steps > 0 && rt_sched_may_continue() ? rt_sched.host.granted_steps - 1 : 0;
    pthread_cond_broadcast(&rt_sched.stepped);
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
        rt_sched_step();
        rt_deferral_count_step(&rt_sched.deferral);
        if (rt_sched.seeded)
            step_finished();
        else if (rt_sched.fork.forking)
            pthread_cond_broadcast(&rt_sched.stepped);
    }
    mm_mutex_unlock(&rt_lock);
    if (rt_sched.executor.ends_process)
        exit(0); /* as after the last thread of a process without this one */
    return NULL;
}

static void start_executor(void)
{
    rt_sched_handle_forks();
    const bool seeded = rt_setting_given(RT_SET_QUEUE_SEED);
    const uint64_t patience = rt_setting_number(RT_SET_QUEUE_PATIENCE, 0, DEFAULT_PATIENCE) * 1000000000;
    const uint64_t seed = rt_setting_number(RT_SET_QUEUE_SEED, 0, 0);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    mm_mutex_lock(&rt_lock); /* other threads may wait for user events already */
    rt_sched.fork.count = mm_fork_count();
    rt_sched.seeded = seeded;
    rt_sched.patience = patience;
    rt_sched.step.random_state = seed;
    if (pthread_create(&rt_sched.executor.thread, NULL, executor_thread, NULL) == 0)
        rt_sched.executor.process = getpid();
    else
        fprintf(stderr, "refcl: error: no thread to run commands can be created (ulimit -u)\n");
    mm_mutex_unlock(&rt_lock);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool rt_sched_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_executor);
    in_start();
    return rt_sched.executor.process != 0;
}

bool rt_sched_is_executor(void)
{
    return is_executor;
}

/* At exit: stops the executor after its slice, then closes the recording. */
__attribute__((destructor)) static void stop_executor(void)
{
    if (rt_sched.executor.process == getpid() && !is_executor) {
        mm_mutex_lock(&rt_lock);
        rt_sched.executor.stopping = true;
        pthread_cond_signal(&rt_sched.work);
        mm_mutex_unlock(&rt_lock);
        in_stop_all();
        pthread_join(rt_sched.executor.thread, NULL);
        rt_api_note_leaks();
        rt_record_close();
    } else if (rt_sched.executor.process == 0 || rt_sched.executor.ends_process) {
        rt_api_note_leaks();
        rt_record_close();
    }
}
