/* Decisions about threads: the launch's own thread begins alone and calls others when the rest will take
 * longer than a wake-up; threads that contend for cache lines retire. */
#include "interp/jit/run/pace.h"
#include "interp/jit/run/pool.h"
#include "memmodel/base/clock.h"

/* A launch is taken in PORTIONS; to measure contention, in PROBES.  Of few work-groups nothing is
 * measured. */
enum { PORTIONS = 64, PROBES = 512, FEW_GROUPS = 16 };
/* A wake-up costs its caller 4 microseconds, and as much until the thread runs. */
enum { WORTH_NS = 20000 };
/* Portions from which CPU time is measured: reading it is a system call, but excludes the time of other
 * processes. */
enum { LONG_NS = 50000 };
/* Portions in a row that are too slow before a thread retires: the time of one may include another
 * process's. */
enum { SLOW_PORTIONS = 2 };
/* Threads that together are less than 4/3 times as fast as one do not pay for the wake-up. */
static const double LEAST_GAIN = 4.0 / 3.0;
/* Shorter measurements consist of the clock's own time, and would find contention where there is none, or
 * none where there is. */
enum { LEAST_MEASURED_NS = 1000 };
/* Portions that are shorter consist of taking them, which costs 30 nanoseconds, to a large part. */
enum { LEAST_PORTION_NS = 1000, LEAST_PORTIONS = 4 };
/* Launches in one thread after one whose threads contended. */
enum { LAUNCHES_ALONE = 32 };
/* Launches up to this time are compared as wholes: measuring portions of them takes too much of it. */
enum { COMPARED_NS = 10 * WORTH_NS };
/* Launches whose work-groups take times that differ by more than this factor have different data, and are not
 * compared. */
static const double MOST_UNEQUAL = 4;

void in_pace_divide(struct in_jit_run *run, unsigned cores)
{
    uint64_t first = atomic_load(&run->next), left = run->groups - first;
    run->cores = left < 2 ? 1 : cores;
    run->part_count = run->cores < IN_JIT_PARTS ? run->cores : IN_JIT_PARTS;
    for (unsigned k = 0; k < run->part_count; k++) {
        atomic_store(&run->parts[k].next, first + left * k / run->part_count);
        run->parts[k].end = first + left * (k + 1) / run->part_count;
    }
}

uint64_t in_pace_left(struct in_jit_run *run)
{
    uint64_t left = 0;
    for (unsigned k = 0; k < run->part_count; k++) {
        uint64_t next = atomic_load(&run->parts[k].next);
        left += next < run->parts[k].end ? run->parts[k].end - next : 0;
    }
    return left;
}

static bool may_contend(const struct in_jit_run *run)
{
    return run->kernel->shape.shares && run->groups >= FEW_GROUPS;
}

/* For work of NANOSECONDS in one thread.  What others read is set before. */
static void call_others(struct in_jit_run *run, double nanoseconds)
{
    double useful = nanoseconds / WORTH_NS;
    run->offered = true;
    if (!in_pool_offer(run->help, run, useful < run->cores ? (unsigned)useful : run->cores)) {
        run->offered = false;
        run->cores = 1;
    }
}

/* Before anything is measured: what the kernel's latest launch suggests. */
static void expect_pace(struct in_jit_pace *pace, struct in_jit_run *run)
{
    double group_ns = atomic_load(&run->kernel->group_ns), all = group_ns * (double)run->groups;
    bool unknown = group_ns == 0 && run->groups < FEW_GROUPS;
    if (!may_contend(run)) {
        if (unknown || all >= WORTH_NS)
            call_others(run, unknown ? (double)WORTH_NS * run->cores : all);
    } else {
        unsigned more = atomic_load(&run->kernel->contended);
        double alone = atomic_load(&run->kernel->alone_ns);
        pace->expects_short = alone > 0 && alone * (double)run->groups < WORTH_NS;
        run->cores = more > 0 ? 1 : run->cores;
        if (more > 0) /* unless another launch has changed it */
            atomic_compare_exchange_strong(&run->kernel->contended, &more, more - 1);
    }
}

static void measure_from_here(struct in_jit_pace *pace, const struct in_jit_run *run)
{
    double portion_ns = run->alone * (double)(run->groups / PORTIONS);
    pace->clock = portion_ns >= LONG_NS ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    pace->begin = (double)mm_clock_ns(pace->clock);
    pace->measured = 0;
}

void in_pace_begin(struct in_jit_pace *pace, struct in_jit_run *run)
{
    double group_ns = atomic_load(&run->kernel->group_ns);
    atomic_fetch_add(&run->threads, 1);
    pace->least = group_ns > 0 ? (uint64_t)(LEAST_PORTION_NS / group_ns) : 0;
    pace->first = run->cores > 1 || group_ns == 0 ? (double)mm_clock_ns(CLOCK_MONOTONIC) : 0;
    if (run->cores < 2)
        return;
    pace->next_look = 1;
    if (pace->thread == 0)
        expect_pace(pace, run);
    measure_from_here(pace, run);
}

bool in_pace_take(const struct in_jit_pace *pace, struct in_jit_run *run, uint64_t *from, uint64_t *to)
{
    bool probe =
        run->cores > 1 && may_contend(run) && !pace->expects_short && pace->portions <= 2 * SLOW_PORTIONS;
    uint64_t portion = run->groups / (probe ? PROBES : PORTIONS) + 1, most = run->groups / LEAST_PORTIONS + 1;
    if (!may_contend(run) && !run->offered && portion < pace->least)
        portion = pace->least < most ? pace->least : most;
    for (unsigned k = 0; k < run->part_count; k++) {
        struct in_jit_part *part = &run->parts[(pace->thread + k) % run->part_count];
        if (atomic_load(&part->next) >= part->end ||
            (*from = atomic_fetch_add(&part->next, portion)) >= part->end)
            continue;
        *to = part->end - *from < portion ? part->end : *from + portion;
        return true;
    }
    return false;
}

/* Whether the time of a work-group no longer falls, as it does while caches are filled. */
static bool is_steady(struct in_jit_pace *pace, double alone)
{
    bool steady = pace->latest > 0 && alone > 0.75 * pace->latest;
    pace->latest = alone;
    return steady || (double)mm_clock_ns(CLOCK_MONOTONIC) - pace->first >= WORTH_NS;
}

/* The leader, alone so far. */
static void measure_pace(struct in_jit_pace *pace, struct in_jit_run *run)
{
    uint64_t left = in_pace_left(run);
    double took = (double)mm_clock_ns(pace->clock) - pace->begin, alone = took / (double)pace->measured;
    pace->next_look = 2 * pace->groups;
    if (pace->expects_short && took < WORTH_NS)
        return;
    pace->expects_short = false;
    if (took < LEAST_MEASURED_NS && pace->portions > 1)
        return;
    if (alone * (double)left >= WORTH_NS && (!may_contend(run) || is_steady(pace, alone))) {
        run->alone = alone;
        call_others(run, alone * (double)left);
    }
    measure_from_here(pace, run);
}

/* Whether this thread is the one to retire, where portions take too long for the number of threads. */
static bool retires_thread(struct in_jit_pace *pace, struct in_jit_run *run)
{
    unsigned threads = atomic_load(&run->threads);
    if (threads < 2) { /* nothing to measure */
        pace->begin = 0;
        return false;
    }
    if (pace->begin == 0) {
        measure_from_here(pace, run);
        return false;
    }
    double at = (double)mm_clock_ns(pace->clock), took = at - pace->begin,
           group_ns = took / (double)pace->measured;
    if (took < LEAST_MEASURED_NS)
        return false;
    pace->begin = at;
    pace->measured = 0;
    pace->slow = group_ns * LEAST_GAIN > run->alone * threads ? pace->slow + 1 : 0;
    while (pace->slow >= SLOW_PORTIONS && threads > 1 && group_ns * LEAST_GAIN > run->alone * threads)
        if (atomic_compare_exchange_weak(&run->threads, &threads, threads - 1)) {
            atomic_store(&run->kernel->contended, LAUNCHES_ALONE);
            return true;
        }
    return false;
}

bool in_pace_continue(struct in_jit_pace *pace, struct in_jit_run *run, uint64_t groups)
{
    pace->groups += groups;
    pace->measured += groups;
    pace->portions++;
    if (run->cores < 2)
        return true;
    if (run->offered)
        return run->alone == 0 || !may_contend(run) || !retires_thread(pace, run);
    if (pace->groups >= pace->next_look)
        measure_pace(pace, run);
    return true;
}

/* Compares a launch in several threads, of which a work-group took GROUP_NS, with the latest in one thread;
 * without one, the next launch is in one thread. */
static void compare_pace(const struct in_jit_run *run, double group_ns)
{
    struct in_jit_kernel *kernel = run->kernel;
    double alone = atomic_load(&kernel->alone_ns);
    if (!run->offered)
        atomic_store(&kernel->alone_ns, group_ns);
    else if (alone == 0)
        atomic_store(&kernel->contended, 1);
    else if (group_ns > alone && group_ns < MOST_UNEQUAL * alone)
        atomic_store(&kernel->contended, LAUNCHES_ALONE);
}

void in_pace_end(const struct in_jit_pace *pace, struct in_jit_run *run)
{
    if (pace->thread != 0 || pace->first == 0 || pace->groups == 0)
        return;
    double took = (double)mm_clock_ns(CLOCK_MONOTONIC) - pace->first;
    atomic_store(&run->kernel->group_ns, took / (double)pace->groups);
    if (may_contend(run) && took < COMPARED_NS && in_pace_left(run) == 0)
        compare_pace(run, took / (double)run->groups);
}
