/* Eight host threads, four queues on two devices, 100,000 commands: results are right, every event completes,
 * memory does not grow after the first tenth. */
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "tests/runtime/runtime_test.h"

enum { THREADS = 8, QUEUES = 4, ROUNDS = 1250, PER_ROUND = 10, WORDS = 64 };
enum { LATER = THREADS * ROUNDS * PER_ROUND * 9 / 10 }; /* commands after the first tenth */

static cl_device_id devices[2];
static cl_command_queue queues[QUEUES];
static cl_program program;
static volatile int callbacks, rounds_done;
static int failures[THREADS];

static const char source[] = "kernel void step(global uint *x, uint k) {\n"
                             "  uint i = get_global_id(0); x[i] = x[i] * 3 + k + i; }\n";

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    __atomic_fetch_add(&callbacks, status == CL_COMPLETE, __ATOMIC_RELAXED);
}

/* Resident pages. */
static long resident(void)
{
    long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

struct worker {
    int number;
    uint64_t random;
    cl_kernel kernel;
    cl_mem a, b;
    uint32_t expected[WORDS], scratch[WORDS];
    cl_event last;
    bool ok;
};

static uint32_t next(struct worker *w)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->random >> 33);
}

/* COMMAND is ordered after the worker's last one; EVENT becomes the last one. */
static void after(struct worker *w, cl_int code, cl_event event)
{
    w->ok &= code == CL_SUCCESS;
    if (w->last)
        clReleaseEvent(w->last);
    w->last = event;
}

static void one_round(struct worker *w)
{
    const size_t items = WORDS;
    for (int c = 0; c < PER_ROUND; c++) {
        cl_command_queue q = queues[next(w) % QUEUES];
        cl_uint count = w->last ? 1 : 0, value = next(w);
        const cl_event *list = w->last ? &w->last : NULL;
        cl_event event = NULL;
        size_t at = next(w) % WORDS;
        cl_int code = CL_SUCCESS;
        switch (c == PER_ROUND - 1 ? 9 : next(w) % 5) {
        case 0:
            code = clSetKernelArg(w->kernel, 1, sizeof value, &value);
            code |= clEnqueueNDRangeKernel(q, w->kernel, 1, NULL, &items, NULL, count, list, &event);
            for (cl_uint i = 0; i < WORDS; i++)
                w->expected[i] = w->expected[i] * 3 + value + i;
            break;
        case 1:
            code = clEnqueueFillBuffer(q, w->a, &value, 4, at * 4, 4, count, list, &event);
            w->expected[at] = value;
            break;
        case 2:
            code = clEnqueueCopyBuffer(q, w->a, w->b, 0, 0, WORDS * 4, count, list, &event);
            break;
        case 3:
            w->expected[at] = value;
            code = clEnqueueWriteBuffer(q, w->a, CL_TRUE, at * 4, 4, &value, count, list, &event);
            break;
        case 4:
            code = clEnqueueBarrierWithWaitList(q, count, list, &event);
            break;
        default:
            code = clEnqueueReadBuffer(q, w->a, CL_FALSE, 0, WORDS * 4, w->scratch, count, list, &event);
        }
        if (!code && c % 3 == 0)
            code = clSetEventCallback(event, CL_COMPLETE, on_complete, NULL);
        after(w, code, event);
    }
    w->ok &= clWaitForEvents(1, &w->last) == CL_SUCCESS && status_of(w->last) == CL_COMPLETE;
    w->ok &= !memcmp(w->scratch, w->expected, sizeof w->expected);
    __atomic_fetch_add(&rounds_done, 1, __ATOMIC_RELAXED);
}

static void *work(void *data)
{
    struct worker *w = data;
    cl_int code;
    w->ok = true;
    w->random = (uint64_t)w->number * 977 + 1;
    w->kernel = clCreateKernel(program, "step", &code);
    w->a = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, WORDS * 4, w->expected, &code);
    w->b = clCreateBuffer(context, CL_MEM_READ_WRITE, WORDS * 4, NULL, &code);
    w->ok &= clSetKernelArg(w->kernel, 0, sizeof w->a, &w->a) == CL_SUCCESS;
    for (int r = 0; r < ROUNDS && w->ok; r++)
        one_round(w);
    clReleaseEvent(w->last);
    clReleaseMemObject(w->a);
    clReleaseMemObject(w->b);
    clReleaseKernel(w->kernel);
    __atomic_store_n(&failures[w->number], !w->ok, __ATOMIC_RELAXED);
    return NULL;
}

static void hundred_thousand_commands(void **state)
{
    (void)state;
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];
    long early = 0;
    for (int t = 0; t < THREADS; t++) {
        workers[t].number = t;
        assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
    }
    while (__atomic_load_n(&rounds_done, __ATOMIC_RELAXED) < THREADS * ROUNDS / 10) {
        pause_ms(2);
        bool failed = false;
        for (int t = 0; t < THREADS; t++)
            failed |= __atomic_load_n(&failures[t], __ATOMIC_RELAXED) != 0;
        if (failed)
            break;
    }
    early = resident();
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    long late = resident();
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(failures[t], 0);
    await(&callbacks, THREADS * ROUNDS * 4);
    assert_int_equal(rounds_done, THREADS * ROUNDS);
    for (int q = 0; q < QUEUES; q++)
        OK(clFinish(queues[q]));
    print_message("# %ld KiB after a tenth, %ld KiB at the end\n", early, late);
    if (!getenv("SANITIZER"))
        assert_in_range(late, 0, early + LATER * 64 / 1024);
}

static int open_two(void **state)
{
    (void)state;
    cl_uint n = 0;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &n) || n < 2)
        return -1;
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
    for (int q = 0; q < QUEUES; q++) {
        const cl_queue_properties loose[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
        queues[q] = clCreateCommandQueueWithProperties(context, devices[q % 2], q < 2 ? NULL : loose, &err);
    }
    program = build_source(source, "");
    return 0;
}

static int close_two(void **state)
{
    (void)state;
    for (int q = 0; q < QUEUES; q++)
        clReleaseCommandQueue(queues[q]);
    return clReleaseProgram(program) || clReleaseContext(context);
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    setenv("REFCL_ENGINE", "interp", 0); /* the compiler, loaded once a kernel is hot, is no leak */
    const struct CMUnitTest tests[] = {cmocka_unit_test(hundred_thousand_commands)};
    return cmocka_run_group_tests(tests, open_two, close_two);
}
