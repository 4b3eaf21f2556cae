/* Callbacks of events: how often, with which status, and when they are called, also while commands complete in
 * quick succession, and what they may call [CL 5.11 clSetEventCallback]. */
#include "tests/runtime/runtime_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROW = 600 };

static void add(int *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL);
}

/* ---- rows of commands ---- */

static const cl_int types[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};

/* What the callbacks of one command saw. */
struct seen {
    cl_event event;
    const int *word; /* that the command copies */
    int calls[3], wrong;
};

static struct seen row[ROW];
static int copied[ROW], all_calls;
static cl_int expected_error; /* 0: the commands complete */

static void note(cl_event event, cl_int status, struct seen *seen, int type)
{
    bool reached = status_of(event) <= types[type];
    bool written = type < 2 || expected_error || __atomic_load_n(seen->word, __ATOMIC_ACQUIRE) == 7;
    /* A command that ends abnormally may do so before or after it has been submitted. */
    bool status_is_right = status == types[type] || (expected_error && status == expected_error);
    if (!reached || !written || !status_is_right || event != seen->event)
        add(&seen->wrong);
    add(&seen->calls[type]);
    add(&all_calls);
}

static void CL_CALLBACK submitted(cl_event event, cl_int status, void *data)
{
    note(event, status, data, 0);
}

static void CL_CALLBACK begun(cl_event event, cl_int status, void *data)
{
    note(event, status, data, 1);
}

static void CL_CALLBACK complete(cl_event event, cl_int status, void *data)
{
    note(event, status, data, 2);
}

static void(CL_CALLBACK *const functions[])(cl_event, cl_int, void *) = {submitted, begun, complete};

static void expect_row(void)
{
    await(&all_calls, 3 * ROW);
    pause_ms(5); /* a second call of a callback would come meanwhile */
    assert_int_equal(all_calls, 3 * ROW);
    for (size_t i = 0; i < ROW; i++) {
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(row[i].calls[k], 1);
        assert_int_equal(row[i].wrong, 0);
        OK(clReleaseEvent(row[i].event));
    }
}

/* Reads that wait for GATE, with callbacks of all types. */
static void enqueue_row(cl_command_queue to, cl_mem sevens, cl_event gate)
{
    memset(row, 0, sizeof row);
    memset(copied, 0, sizeof copied);
    all_calls = 0;
    for (size_t i = 0; i < ROW; i++) {
        row[i].word = &copied[i];
        OK(clEnqueueReadBuffer(to, sevens, CL_FALSE, 0, sizeof(int), &copied[i], 1, &gate, &row[i].event));
        for (size_t k = 0; k < 3; k++)
            OK(clSetEventCallback(row[i].event, types[(i + k) % 3], functions[(i + k) % 3], &row[i]));
    }
    OK(clFlush(to));
}

static void rows_of_commands(void **state)
{
    (void)state;
    const int seven = 7;
    cl_mem sevens = clCreateBuffer(context, 0, 64, NULL, &err);
    OK(err);
    OK(clEnqueueFillBuffer(queue, sevens, &seven, sizeof seven, 0, 64, 0, NULL, NULL));
    OK(clFinish(queue));
    for (int fails = 0; fails < 2; fails++) {
        for (int q = 0; q < 2; q++) {
            cl_event gate = clCreateUserEvent(context, &err);
            OK(err);
            expected_error = fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : 0;
            enqueue_row(q ? unordered : queue, sevens, gate);
            for (size_t i = 0; i < ROW; i++)
                assert_int_equal(row[i].calls[2], 0);
            OK(clSetUserEventStatus(gate, fails ? -9 : CL_COMPLETE));
            expect_row();
            OK(clFinish(q ? unordered : queue));
            OK(clReleaseEvent(gate));
        }
    }
    OK(clReleaseMemObject(sevens));
}

/* ---- callbacks that call the API ---- */

static int steps, failures;

static void CL_CALLBACK next_step(cl_event event, cl_int status, void *data);

/* A marker with a callback that enqueues the next, until LEFT is 0; half of the markers are complete before
 * they have the callback. */
static cl_int enqueue_step(intptr_t left)
{
    cl_event marker;
    cl_int code = clEnqueueMarkerWithWaitList(left % 3 ? queue : unordered, 0, NULL, &marker);
    if (!code && left % 2)
        code = clWaitForEvents(1, &marker);
    if (!code)
        code = clSetEventCallback(marker, CL_COMPLETE, next_step, (void *)left);
    code = code ? code : clFlush(left % 3 ? queue : unordered);
    return code ? code : clReleaseEvent(marker);
}

static void CL_CALLBACK next_step(cl_event event, cl_int status, void *data)
{
    (void)event;
    intptr_t left = (intptr_t)data;
    if (status != CL_COMPLETE || (left > 0 && enqueue_step(left - 1)))
        add(&failures);
    add(&steps);
}

/* Chains of commands of which each is enqueued by the callback of the one before. */
static void chains(void **state)
{
    (void)state;
    enum { CHAINS = 20, STEPS = 60 };
    for (int i = 0; i < CHAINS; i++)
        OK(enqueue_step(STEPS - 1));
    await(&steps, CHAINS * STEPS);
    pause_ms(5);
    assert_int_equal(steps, CHAINS * STEPS);
    assert_int_equal(failures, 0);
}

/* ---- threads ---- */

enum { THREADS = 4, EACH = 400 };

static cl_event shared_gate;
static int thread_calls, thread_failures;

static void CL_CALLBACK count(cl_event event, cl_int status, void *data)
{
    (void)event;
    if (status != CL_COMPLETE)
        add(&thread_failures);
    add(data);
}

static void *set_callbacks(void *unused)
{
    (void)unused;
    for (int i = 0; i < EACH; i++)
        if (clSetEventCallback(shared_gate, CL_COMPLETE, count, &thread_calls))
            add(&thread_failures);
    return NULL;
}

/* Threads set callbacks of one event while it completes: each is called once. */
static void threads(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        pthread_t all[THREADS];
        thread_calls = thread_failures = 0;
        shared_gate = clCreateUserEvent(context, &err);
        OK(err);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&all[i], NULL, set_callbacks, NULL), 0);
        OK(clSetUserEventStatus(shared_gate, CL_COMPLETE));
        for (int i = 0; i < THREADS; i++)
            pthread_join(all[i], NULL);
        await(&thread_calls, THREADS * EACH);
        assert_int_equal(thread_failures, 0);
        OK(clReleaseEvent(shared_gate));
    }
    pause_ms(5);
    assert_int_equal(thread_calls, THREADS * EACH);
}

/* ---- idle times ---- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A callback comes although no other command and no call of the API follows, however long the thread that
 * calls it has been idle: less, about as long, and more than it waits without sleeping. */
static void idle_times(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    int called = 0;
    double slow = 0;
    for (int i = 0; i < COUNT; i++) {
        const struct timespec idle = {0, (i % 30) * 5000};
        cl_event marker;
        nanosleep(&idle, NULL);
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
        OK(clSetEventCallback(marker, CL_COMPLETE, count, &called));
        OK(clFlush(queue));
        double begin = seconds_now();
        while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) <= i)
            if (seconds_now() - begin > 20)
                fail_msg("callback %d is not called", i);
        slow += seconds_now() - begin > 1;
        OK(clReleaseEvent(marker));
    }
    assert_true(slow < COUNT / 10); /* a busy machine delays some */
}

/* ---- fork() in a callback ---- */

struct shared_counts {
    int parent, child;
};
static struct shared_counts *counts;
static pid_t parent_id, child_id;

static void CL_CALLBACK count_process(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
    add(getpid() == parent_id ? &counts->parent : &counts->child);
}

static void CL_CALLBACK fork_process(cl_event event, cl_int status, void *data)
{
    count_process(event, status, data);
    child_id = fork();
    if (child_id == 0)
        alarm(1); /* ends the child, whose only thread returns from this callback */
}

/* The callbacks that follow in the same row are called once, in the parent. */
static void fork_in_callback(void **state)
{
    (void)state;
    enum { CALLBACKS = 20 };
    cl_event gate = clCreateUserEvent(context, &err);
    OK(err);
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(counts != MAP_FAILED);
    parent_id = getpid();
    for (int i = 0; i < CALLBACKS; i++)
        OK(clSetEventCallback(gate, CL_COMPLETE, i == CALLBACKS / 2 ? fork_process : count_process, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    await(&counts->parent, CALLBACKS);
    assert_int_equal(waitpid(child_id, NULL, 0), child_id);
    assert_int_equal(counts->parent, CALLBACKS);
    assert_int_equal(counts->child, 0);
    munmap(counts, sizeof *counts);
    OK(clReleaseEvent(gate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_commands), cmocka_unit_test(chains),
        cmocka_unit_test(threads),          cmocka_unit_test(idle_times),
#ifndef __SANITIZE_THREAD__ /* which allows no threads in a child of a process with threads */
        cmocka_unit_test(fork_in_callback),
#endif
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
