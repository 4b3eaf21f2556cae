/* Host threads that do everything concurrently: build programs, enqueue to in-order and out-of-order queues,
 * use user events, callbacks, event queries and profiling, while one forks.  All results are right.  `make
 * tsan` finds races of the library with it: it runs interpreted, compiled, with a seed, and recorded with
 * checks, each in a separate process. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/runtime_test.h"

/* In gcc 12 ThreadSanitizer's allocator does not support fork(): a child deadlocks on a lock that another
 * thread held. */
#ifdef __SANITIZE_THREAD__
enum { FORKS = 0 };
#else
enum { FORKS = 3 };
#endif
enum { THREADS = 4, ROUNDS = 12, WORDS = 64, FORK_PAUSE = 20000, CALLBACK_PAUSE = 1000 };
static const char source[] = "kernel void add(global int *a) { a[get_global_id(0)] += NUMBER; }\n";
static const char *self;
static atomic_int called, failed;
static pthread_barrier_t start;

#define GOOD(call) atomic_fetch_add(&failed, (call) != CL_SUCCESS)

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    atomic_fetch_add(&called, status == CL_COMPLETE);
}

/* The kernel waits for a user event; two callbacks, and WORDS sums, are expected of it. */
static void launch(cl_kernel kernel, cl_command_queue on, cl_mem sums, int number)
{
    cl_int code, status, results[WORDS];
    cl_event gate = clCreateUserEvent(context, &code), event, marker;
    cl_ulong ended;
    const size_t words = WORDS;
    GOOD(code);
    GOOD(clSetKernelArg(kernel, 0, sizeof sums, &sums));
    GOOD(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &words, NULL, 1, &gate, &event));
    GOOD(clSetEventCallback(event, CL_COMPLETE, on_complete, NULL));
    GOOD(clEnqueueMarkerWithWaitList(on, 1, &event, &marker));
    GOOD(clSetEventCallback(marker, CL_COMPLETE, on_complete, NULL));
    GOOD(clFlush(on));
    GOOD(clSetUserEventStatus(gate, CL_COMPLETE));
    GOOD(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    GOOD(clWaitForEvents(1, &marker));
    GOOD(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL));
    GOOD(clEnqueueReadBuffer(on, sums, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    for (int i = 0; i < WORDS; i++)
        atomic_fetch_add(&failed, results[i] != i + number);
    GOOD(clReleaseEvent(gate));
    GOOD(clReleaseEvent(event));
    GOOD(clReleaseEvent(marker));
}

static void build_and_launch(int number)
{
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const char *text = source;
    char options[32];
    cl_int code, initial[WORDS];
    for (int i = 0; i < WORDS; i++)
        initial[i] = i;
    if (number % 2)
        properties[1] |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    snprintf(options, sizeof options, "-DNUMBER=%d", number);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    GOOD(code);
    GOOD(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    GOOD(code);
    cl_mem sums = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof initial, initial, &code);
    GOOD(code);
    cl_command_queue on = clCreateCommandQueueWithProperties(context, device, properties, &code);
    GOOD(code);
    if (!atomic_load(&failed))
        launch(kernel, on, sums, number);
    GOOD(clReleaseCommandQueue(on));
    GOOD(clReleaseMemObject(sums));
    GOOD(clReleaseKernel(kernel));
    GOOD(clReleaseProgram(program));
}

static void *host_thread(void *number)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS && !atomic_load(&failed); i++)
        build_and_launch((int)(intptr_t)number + i % 3);
    return NULL;
}

static void *poll_event(void *event)
{
    cl_int status = CL_SUBMITTED, code = CL_SUCCESS;
    while (status > CL_COMPLETE && code == CL_SUCCESS)
        code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    GOOD(code);
    return NULL;
}

/* The scheduler starts with the first command, while another thread polls a user event. */
static void enqueue_first_command(void)
{
    cl_int code;
    pthread_t poller;
    cl_event gate = clCreateUserEvent(context, &code);
    GOOD(code);
    GOOD(pthread_create(&poller, NULL, poll_event, gate));
    usleep(CALLBACK_PAUSE);
    GOOD(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    GOOD(clSetUserEventStatus(gate, CL_COMPLETE));
    GOOD(pthread_join(poller, NULL));
    GOOD(clReleaseEvent(gate));
}

/* The child uses an object of its parent. */
static void fork_once(void)
{
    cl_int code;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        cl_mem own = clCreateBuffer(context, 0, 4, NULL, &code);
        _exit(code || clReleaseMemObject(own));
    }
    if (waitpid(child, &status, 0) != child)
        status = -1;
    GOOD(status);
}

static int run_threads(void)
{
    pthread_t threads[THREADS];
    void *state = NULL;
    if (open_device(&state) || pthread_barrier_init(&start, NULL, THREADS))
        return 3;
    enqueue_first_command();
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, host_thread, (void *)(10 * i)))
            return 4;
    for (int i = 0; i < FORKS; i++) {
        fork_once();
        usleep(FORK_PAUSE);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    while (!atomic_load(&failed) && atomic_load(&called) < 2 * THREADS * ROUNDS)
        usleep(CALLBACK_PAUSE); /* a callback may come after clWaitForEvents() has returned */
    return failed || close_device(&state) || called != 2 * THREADS * ROUNDS ? 5 : 0;
}

/* With the environment variables NAME=VALUE, ... of STATE. */
static void process_of_threads(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (const char *const *variable = *state; variable[0]; variable += 2)
            setenv(variable[0], variable[1], 1);
        execl(self, self, "threads", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    static const char *const interpreted[] = {"REFCL_ENGINE", "interp", NULL},
                             *const compiled[] = {"REFCL_ENGINE", "jit", NULL},
                             *const seeded[] = {"REFCL_QUEUE_SEED", "7", NULL},
                             *const recorded[] = {"REFCL_ENGINE", "interp",     "REFCL_TRACE", "/dev/null",
                                                  "REFCL_CHECK",  "memory,api", NULL};
    self = argv[0];
    if (argc > 1)
        return run_threads();
    const struct CMUnitTest tests[] = {
        {"interpreted", process_of_threads, NULL, NULL, (void *)(uintptr_t)interpreted},
        {"compiled", process_of_threads, NULL, NULL, (void *)(uintptr_t)compiled},
        {"seeded", process_of_threads, NULL, NULL, (void *)(uintptr_t)seeded},
        {"recorded and checked", process_of_threads, NULL, NULL, (void *)(uintptr_t)recorded},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
