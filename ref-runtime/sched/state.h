/* The scheduler's state, and what its parts share: the ready queue and scheduling steps (sched.c), the
 * executor thread (executor.c), forks (fork.c). */
#ifndef REF_RUNTIME_SCHED_STATE_H
#define REF_RUNTIME_SCHED_STATE_H

#include "ref-runtime/sched/command.h"
#include "ref-runtime/sched/deferral.h"

enum { RT_MOST_ACTIVE = 32 }; /* started commands: they are executed in turn, more would only take memory */

/* The scheduler's state: under rt_lock, except SEEDED, and except ACTIVE and STEP.COMMAND within a step. */
struct rt_sched {
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
        struct rt_command *commands[RT_MOST_ACTIVE];
        atomic_size_t count, next; /* other threads read COUNT during a step */
    } active;
    struct {
        bool busy;                  /* a thread is within a scheduling step */
        pthread_t thread;           /* that thread */
        struct rt_command *command; /* of this step; once it is complete, its parent, if any */
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
};
extern struct rt_sched rt_sched;

/* All of these under rt_lock. */

/* ---- sched.c ---- */

/* Flushes commands that have been ready but unflushed since BEFORE, so that every command makes progress. */
void rt_sched_flush_ready(uint64_t before);
/* Whether a command can start or continue; whether a step of it is due now. */
bool rt_sched_may_continue(void);
bool rt_sched_have_work(void);
/* Whether host threads take no steps. */
bool rt_sched_left_to_executor(void);
/* Whether the executor leaves ready commands to host threads that wait. */
bool rt_sched_leaves_to_host(void);
/* One scheduling step: chooses among the ready commands and the running ones, and starts or continues it.
 * The step itself runs without rt_lock; STEP.BUSY excludes others. */
void rt_sched_step(void);
/* Waits on CONDITION for at most NANOSECONDS; ETIMEDOUT: no signal came. */
int rt_sched_wait_at_most(pthread_cond_t *condition, uint64_t nanoseconds);

/* ---- fork.c ---- */

/* Registers the handlers. */
void rt_sched_handle_forks(void);
/* Sets up the state of a child of clone(), or of its system call, in which no handler of a fork has run. */
void rt_sched_notice_clone(void);
/* A command whose step was in progress when the process forked fails in the child, and so do its parents. */
void rt_sched_fail_lost_command(void);

/* ---- complete.c ---- */

/* Completes COMMAND, whose step the parent of this process continues, with CL_OUT_OF_RESOURCES. */
void rt_sched_abandon(struct rt_command *command);

#endif
