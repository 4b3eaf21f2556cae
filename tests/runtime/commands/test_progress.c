/* Progress of commands: they start after clFlush though the application calls nothing more, and kernels that
 * wait for the host or for kernels of other queues end; all of it after many brief commands, which the
 * runtime leaves to threads that wait. */
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "tests/runtime/runtime_test.h"

static const char source[] =
    "kernel void brief(global int *a) { a[get_global_id(0)]++; }\n"
    "kernel void wait(global atomic_int *flags) {\n"
    "  atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_all_svm_devices);\n"
    "  while (atomic_load_explicit(&flags[1], memory_order_acquire, memory_scope_all_svm_devices) == 0) ;\n"
    "  atomic_store_explicit(&flags[2], 1, memory_order_release, memory_scope_all_svm_devices);\n"
    "}\n"
    "kernel void release(global atomic_int *flags) {\n"
    "  atomic_store_explicit(&flags[1], 1, memory_order_release, memory_scope_all_svm_devices);\n"
    "}\n";
static cl_kernel brief, waits, releases;
static cl_mem words;
static atomic_int *flags;

/* Hosts that enqueue and wait in turns get their commands to execute. */
static void take_turns(void)
{
    enum { TURNS = 2000, BATCH = 20 };
    const size_t size = 16;
    for (int k = 1; k <= TURNS; k++) {
        OK(clEnqueueNDRangeKernel(queue, brief, 1, NULL, &size, NULL, 0, NULL, NULL));
        if (k % BATCH == 0)
            OK(clFinish(queue));
    }
}

static bool becomes_set(atomic_int *flag)
{
    enum { MOST_MS = 20000 };
    for (int k = 0; k < MOST_MS && atomic_load(flag) == 0; k++)
        usleep(1000);
    return atomic_load(flag) != 0;
}

static void enqueue(cl_command_queue on, cl_kernel kernel)
{
    const size_t one = 1;
    OK(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
}

static void clear_flags(void)
{
    for (int i = 0; i < 3; i++)
        atomic_store(&flags[i], 0);
}

static void CL_CALLBACK note_completion(cl_event event, cl_int status, void *flag)
{
    (void)event;
    (void)status;
    atomic_store((atomic_int *)flag, 1);
}

static void flushed_commands_start(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        atomic_int completed = 0;
        cl_event last;
        const size_t size = 16;
        take_turns();
        OK(clEnqueueNDRangeKernel(queue, brief, 1, NULL, &size, NULL, 0, NULL, &last));
        OK(clSetEventCallback(last, CL_COMPLETE, note_completion, &completed));
        OK(clFlush(queue));
        assert_true(becomes_set(&completed));
        OK(clReleaseEvent(last));
    }
}

/* The host writes what the kernel waits for, and makes no call before. */
static void kernel_waits_for_host(void **state)
{
    (void)state;
    for (int k = 0; flags && k < 3; k++) {
        clear_flags();
        take_turns();
        enqueue(queue, waits);
        OK(clFlush(queue));
        assert_true(becomes_set(&flags[0]));
        atomic_store(&flags[1], 1);
        assert_true(becomes_set(&flags[2]));
        OK(clFinish(queue));
    }
}

/* Whichever queue the host waits for, and whichever was flushed first. */
static void kernel_waits_for_queue(void **state)
{
    (void)state;
    for (int k = 0; flags && k < 4; k++) {
        cl_command_queue first = k & 1 ? queue : unordered, second = k & 1 ? unordered : queue;
        clear_flags();
        take_turns();
        enqueue(first, waits);
        OK(clFlush(first));
        enqueue(second, releases);
        OK(clFlush(second));
        OK(clFinish(k & 2 ? first : second));
        OK(clFinish(k & 2 ? second : first));
        assert_int_equal(flags[2], 1);
    }
}

/* A marker without a wait list waits for all earlier commands: those before a barrier too, if that has waited
 * for others alone. */
static void markers_after_barriers(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        cl_event gate = clCreateUserEvent(context, &err), done = clCreateUserEvent(context, &err), held,
                 after;
        OK(clSetUserEventStatus(done, CL_COMPLETE));
        if (k == 1) {
            OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
        }
        OK(clEnqueueMarkerWithWaitList(unordered, 1, &gate, &held));
        if (k == 2) {
            OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
        }
        OK(clEnqueueBarrierWithWaitList(unordered, 1, &done, NULL));
        OK(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &after));
        OK(clFlush(unordered));
        usleep(20000);
        assert_true(status_of(after) > CL_COMPLETE);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &after));
        assert_int_equal(status_of(held), CL_COMPLETE);
        OK(clFinish(unordered));
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(done));
        OK(clReleaseEvent(held));
        OK(clReleaseEvent(after));
    }
}

static int open_kernels(void **state)
{
    const char *text = source;
    if (open_device(state))
        return -1;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    if (err || clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL))
        return -1;
    brief = clCreateKernel(program, "brief", &err);
    waits = clCreateKernel(program, "wait", &err);
    releases = clCreateKernel(program, "release", &err);
    words = clCreateBuffer(context, CL_MEM_READ_WRITE, 16 * sizeof(cl_int), NULL, &err);
    flags = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                       3 * sizeof *flags, 0);
    return clReleaseProgram(program) || clSetKernelArg(brief, 0, sizeof words, &words) ||
           (flags &&
            (clSetKernelArgSVMPointer(waits, 0, flags) || clSetKernelArgSVMPointer(releases, 0, flags)));
}

static int close_kernels(void **state)
{
    clSVMFree(context, flags);
    return clReleaseMemObject(words) || clReleaseKernel(brief) || clReleaseKernel(waits) ||
           clReleaseKernel(releases) || close_device(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flushed_commands_start),
        cmocka_unit_test(kernel_waits_for_host),
        cmocka_unit_test(kernel_waits_for_queue),
        cmocka_unit_test(markers_after_barriers),
    };
    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
