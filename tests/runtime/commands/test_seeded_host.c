/* Under REFCL_QUEUE_SEED a host that polls events instead of waiting for them sees commands advance by one
 * step with each poll, the same with the same seed [CL 3.2.2, 5.11, 5.13, 5.14]. */
#include "tests/runtime/errors/condition_test.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMANDS = 6, MOST_QUESTIONS = 20000 };

/* Observations of one process: how often it polled until each command was complete, and which completed
 * first. */
struct sight {
    cl_int first, before_flush;
    int questions[COMMANDS], order[COMMANDS], complete;
};

static const char *const source =
    "kernel void k(global int *p) { for (int i = 0; i < 3000; i++) p[i % 8] += i; }";

static void note(struct sight *sight, const cl_event events[], bool by_times)
{
    cl_ulong time;
    for (int i = 0; i < COMMANDS; i++) {
        if (sight->order[i])
            continue;
        sight->questions[i]++;
        cl_int status = CL_COMPLETE;
        if (!by_times)
            OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        else if (clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof time, &time, NULL))
            continue;
        if (status == CL_COMPLETE)
            sight->order[i] = ++sight->complete;
    }
}

/* Kernels in two queues, one in order, one not. */
static void look(struct sight *sight, bool flushes, bool by_times)
{
    cl_event events[COMMANDS];
    OK(open_device(NULL));
    cl_program program = build_source(source, "");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem buffers[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) {
        buffers[i] = clCreateBuffer(context, 0, 64, NULL, &err);
        OK(err);
        OK(clSetKernelArg(kernel, 0, sizeof buffers[i], &buffers[i]));
        OK(clEnqueueNDRangeKernel(i % 2 ? queue : unordered, kernel, 1, NULL, one, NULL, 0, NULL,
                                  &events[i]));
    }
    sight->before_flush = status_of(events[0]);
    if (flushes) {
        OK(clFlush(queue));
        OK(clFlush(unordered));
        sight->first = status_of(events[0]);
    }
    for (int n = 0; sight->complete < COMMANDS && n < MOST_QUESTIONS; n++)
        note(sight, events, by_times);
    for (int i = 0; i < COMMANDS; i++) {
        OK(clReleaseEvent(events[i]));
        OK(clReleaseMemObject(buffers[i]));
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(close_device(NULL));
}

static struct sight in_a_process(const char *seed, bool flushes, bool by_times)
{
    struct sight sight = {0};
    int ends[2], status = 1;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("REFCL_QUEUE_SEED", seed, 1);
        setenv("REFCL_QUEUE_PATIENCE", "3000", 1); /* however long this process is stopped */
        look(&sight, flushes, by_times);
        ssize_t n = write(ends[1], &sight, sizeof sight);
        exit(n == (ssize_t)sizeof sight ? 0 : 1);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], &sight, sizeof sight);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(n, sizeof sight);
    assert_int_equal(status, 0);
    assert_int_equal(sight.complete, COMMANDS);
    return sight;
}

/* Two processes with the same seed have the same observations. */
static struct sight twice(const char *seed, bool flushes, bool by_times)
{
    struct sight first = in_a_process(seed, flushes, by_times),
                 second = in_a_process(seed, flushes, by_times);
    assert_int_equal(first.before_flush, CL_QUEUED);
    assert_memory_equal(&first, &second, sizeof first);
    return first;
}

static void flushed(void **state)
{
    (void)state;
    assert_int_equal(twice("1", true, false).first, CL_SUBMITTED);
}

static void by_profiling_times(void **state)
{
    (void)state;
    twice("2", true, true);
}

/* Without a flush: commands start when the host has polled often enough. */
static void not_flushed(void **state)
{
    (void)state;
    assert_true(twice("3", false, false).questions[0] > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flushed), cmocka_unit_test(by_profiling_times),
                                       cmocka_unit_test(not_flushed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
