/* fork() of the application: the child has the forking thread alone, which then takes the executor's
 * steps. */
#include "memmodel/trace/process.h"
#include "ref-runtime/callback.h"
#include "ref-runtime/event.h"
#include "ref-runtime/sched/state.h"

enum { LONGEST_STEP_NS = 999 * 1000 * 1000 }; /* that a fork waits for */

/* Whether the calling thread forks in a native kernel. */
static bool is_in_step(void)
{
    return rt_sched.step.busy && pthread_equal(rt_sched.step.thread, pthread_self());
}

/* A fork waits for the end of the current step, so that the child can continue every command.  It waits for
 * at most LONGEST_STEP_NS: a native kernel in the step may wait for the thread that forks, which would be a
 * deadlock. */
static void before_fork(void)
{
    mm_mutex_lock(&rt_lock);
    rt_sched.fork.forking++;
    while (rt_sched.step.busy && !is_in_step() &&
           rt_sched_wait_at_most(&rt_sched.stepped, LONGEST_STEP_NS) == 0) {
    }
}

static void after_fork(void)
{
    rt_sched.fork.forking--;
    pthread_cond_broadcast(&rt_sched.work);
    mm_mutex_unlock(&rt_lock);
}

/* Sets up the state of a forked child, which has only this thread. */
static void become_child(void)
{
    const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    bool own_step = is_in_step();
    rt_sched.work = rt_sched.completed = rt_sched.stepped = fresh;
    rt_sched.fork.lost_command = rt_sched.step.busy && !own_step && rt_sched.step.command;
    rt_sched.step.busy = own_step;
    rt_sched_flush_ready(UINT64_MAX);
    rt_sched.seeded = false;
    rt_sched.executor.idle = false;
    rt_sched.deferral.host_steps = rt_sched.fork.forking = 0;
    rt_sched.host.waiters = rt_sched.host.granted_steps = 0;
    rt_sched.fork.alone = true;
    rt_sched.executor.process = -1;
    rt_sched.fork.count = mm_fork_count();
    rt_command_forked();
    rt_callback_forked();
}

static void after_fork_in_child(void)
{
    mm_mutex_inherit(&rt_lock);
    become_child();
    mm_mutex_unlock(&rt_lock);
}

void rt_sched_notice_clone(void)
{
    if (rt_sched.fork.count == mm_fork_count())
        return;
    become_child();
    in_forked();
}

void rt_sched_handle_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void rt_sched_fail_lost_command(void)
{
    rt_sched.fork.lost_command = false;
    fprintf(stderr,
            "refcl: error: fork() while a command ran: in the child it fails with CL_OUT_OF_RESOURCES\n");
    for (size_t i = 0; i < rt_sched.active.count; i++) {
        if (rt_sched.active.commands[i] == rt_sched.step.command) {
            rt_sched.active.commands[i] = rt_sched.active.commands[--rt_sched.active.count];
            break;
        }
    }
    while (rt_sched.step.command)
        rt_sched_abandon(rt_sched.step.command);
}
