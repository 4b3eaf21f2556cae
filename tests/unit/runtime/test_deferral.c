/* Deferral of brief commands to host threads (ref-runtime/sched/deferral.h), with a clock that only the test
 * advances. */
#include "ref-runtime/device.h"
#include "ref-runtime/sched/deferral.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { US = 1000, MS = 1000 * US };

static uint64_t now;
static unsigned readings;

/* Replaces the clock of ref-runtime/device.c. */
cl_ulong rt_now(void)
{
    readings++;
    return now;
}

/* A host thread enqueues, waits, and executes STEPS itself, while the executor waits for NANOSECONDS. */
static struct rt_deferral after_host_steps(unsigned steps, uint64_t nanoseconds)
{
    struct rt_deferral d = {.hosts_wait = true, .host_steps = steps};
    assert_true(rt_deferral_wait_ended(&d, nanoseconds, false));
    return d;
}

/* The executor executes STEPS of NANOSECONDS each. */
static void executor_steps(struct rt_deferral *d, unsigned steps, uint64_t nanoseconds)
{
    rt_deferral_begin_steps(d);
    for (unsigned i = 0; i < steps; i++) {
        now += nanoseconds;
        rt_deferral_count_step(d);
    }
}

/* Nothing is known about steps before the first measurement. */
static void nothing_measured(void **state)
{
    (void)state;
    struct rt_deferral d = {.hosts_active = true, .hosts_wait = true};
    assert_false(rt_deferral_wait_ended(&d, MS, false));
    assert_false(rt_deferral_applies(&d));
}

/* 100 steps in a millisecond take ten microseconds each at most, 99 may take longer. */
static void brief_host_steps(void **state)
{
    (void)state;
    struct rt_deferral d = after_host_steps(100, MS);
    assert_true(rt_deferral_applies(&d));
    d = after_host_steps(99, MS);
    assert_false(rt_deferral_applies(&d));
}

/* The steps of a wait count once: the next wait without steps measures nothing. */
static void wait_without_host_steps(void **state)
{
    (void)state;
    struct rt_deferral d = after_host_steps(100, MS);
    assert_false(rt_deferral_wait_ended(&d, 100 * MS, false));
    assert_true(rt_deferral_applies(&d));
}

static void executor_measures(void **state)
{
    (void)state;
    struct rt_deferral d = {.hosts_active = true, .hosts_wait = true};
    executor_steps(&d, 1, 9 * US);
    assert_true(rt_deferral_applies(&d));
    executor_steps(&d, 1, 10 * US);
    assert_false(rt_deferral_applies(&d));
    executor_steps(&d, 8, 9 * US);
    assert_true(rt_deferral_applies(&d));
}

/* Once at the start, and after 1, 2, 4, 8, 16, 32 and 64 of 100 steps. */
static void readings_of_the_clock(void **state)
{
    (void)state;
    struct rt_deferral d = {0};
    readings = 0;
    executor_steps(&d, 100, US);
    assert_int_equal(readings, 8);
}

/* At most eight deferrals in a row; a step of a host thread begins a new row. */
static void bounded(void **state)
{
    (void)state;
    struct rt_deferral d = after_host_steps(100, MS);
    d.in_a_row = 7;
    assert_true(rt_deferral_applies(&d));
    d.in_a_row++;
    assert_false(rt_deferral_applies(&d));
    d.host_steps = 100;
    assert_true(rt_deferral_wait_ended(&d, MS, true));
    assert_true(rt_deferral_applies(&d));
}

/* A host that has enqueued and then polls: the executor's wait ends with pending work and no activity of
 * hosts. */
static void host_that_polls(void **state)
{
    (void)state;
    struct rt_deferral d = after_host_steps(100, MS);
    d.hosts_active = false; /* as a short wait begins */
    assert_false(rt_deferral_wait_ended(&d, MS, true));
    d.hosts_active = true; /* it enqueues again, without waiting */
    assert_false(rt_deferral_applies(&d));
    d.hosts_wait = true;
    assert_true(rt_deferral_applies(&d));
}

/* A pause of the host without pending work, or with commands enqueued meanwhile, is no reason to stop. */
static void host_that_pauses(void **state)
{
    (void)state;
    struct rt_deferral d = after_host_steps(100, MS);
    d.hosts_active = false;
    assert_false(rt_deferral_wait_ended(&d, MS, false));
    assert_false(rt_deferral_applies(&d));
    d.hosts_active = true;
    assert_true(rt_deferral_applies(&d));
    assert_false(rt_deferral_wait_ended(&d, MS, true));
    assert_true(rt_deferral_applies(&d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_measured),        cmocka_unit_test(brief_host_steps),
        cmocka_unit_test(wait_without_host_steps), cmocka_unit_test(executor_measures),
        cmocka_unit_test(readings_of_the_clock),   cmocka_unit_test(bounded),
        cmocka_unit_test(host_that_polls),         cmocka_unit_test(host_that_pauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
