/* Command-queues, events, callbacks, markers, barriers, profiling [CL 5.1, 5.11-5.15]. */
#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>

static void queue_creation(void **state)
{
    (void)state;
    const cl_queue_properties unknown[] = {0x7777, 1, 0};
    const cl_queue_properties bad_flags[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0};
    const cl_queue_properties sized[] = {CL_QUEUE_SIZE, 64, 0};
    EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, unknown, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, bad_flags, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, sized, &err));
    EXPECT_NULL(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(context, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_DEVICE,
                clCreateCommandQueueWithProperties(context, (cl_device_id)context, NULL, &err));
    cl_command_queue q = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    OK(err);
    cl_command_queue_properties flags;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_uint refs;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    assert_int_equal(refs, 1);
    size_t size = 9;
    /* [CL 5.1 R111] */
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    assert_int_equal(size, 3 * sizeof(cl_queue_properties));
    cl_uint queue_size;
    assert_int_equal(clGetCommandQueueInfo(q, CL_QUEUE_SIZE, sizeof(queue_size), &queue_size, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    OK(clReleaseCommandQueue(q));
    assert_int_equal(clFinish(q), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clFlush((cl_command_queue)context), CL_INVALID_COMMAND_QUEUE);
}

/* [cl_khr_priority_hints] [cl_khr_throttle_hints] */
static void hints(void **state)
{
    (void)state;
    const cl_queue_properties names[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR}, values[] = {1, 2, 4};
    const cl_queue_properties wrong[] = {0, 3, 8};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 3; i++) {
            const cl_queue_properties good[] = {names[k], values[i], CL_QUEUE_PROPERTIES,
                                                CL_QUEUE_PROFILING_ENABLE, 0};
            const cl_queue_properties bad[] = {names[k], wrong[i], 0},
                                      twice[] = {names[k], 1, names[k], 1, 0};
            const cl_queue_properties on_device[] = {
                names[k], values[i], CL_QUEUE_PROPERTIES,
                CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
            cl_queue_properties given[8];
            size_t size;
            cl_command_queue q = clCreateCommandQueueWithProperties(context, device, good, &err);
            OK(err);
            /* [CL 5.1 R111] */
            OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof given, given, &size));
            assert_int_equal(size, sizeof good);
            assert_memory_equal(given, good, size);
            OK(clReleaseCommandQueue(q));
            EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, bad, &err));
            EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, twice, &err));
            EXPECT_NULL(CL_INVALID_QUEUE_PROPERTIES,
                        clCreateCommandQueueWithProperties(context, device, on_device, &err));
        }
    }
}

static void user_events(void **state)
{
    (void)state;
    cl_event user = clCreateUserEvent(context, &err);
    OK(err);
    assert_int_equal(status_of(user), CL_SUBMITTED);
    cl_command_type type;
    OK(clGetEventInfo(user, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_USER);
    cl_command_queue of = queue;
    OK(clGetEventInfo(user, CL_EVENT_COMMAND_QUEUE, sizeof(of), &of, NULL));
    assert_null(of);
    cl_event marker;
    OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &marker));
    pause_ms(20);
    assert_true(status_of(marker) > CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(user, CL_SUBMITTED), CL_INVALID_VALUE);
    assert_int_equal(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    assert_int_equal(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    OK(clWaitForEvents(1, &marker));
    assert_int_equal(status_of(marker), CL_COMPLETE);
    OK(clReleaseEvent(marker));
    OK(clReleaseEvent(user));
    assert_int_equal(clReleaseEvent(user), CL_INVALID_EVENT);
    EXPECT_NULL(CL_INVALID_CONTEXT, clCreateUserEvent((cl_context)queue, &err));
}

/* A failed event fails the commands that wait for it, across queues, and no others. */
static void failures_propagate(void **state)
{
    (void)state;
    cl_event user = clCreateUserEvent(context, &err), first, second, third;
    OK(clEnqueueMarkerWithWaitList(unordered, 1, &user, &first));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &first, &second));
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &third));
    OK(clSetUserEventStatus(user, -42));
    cl_event both[] = {first, second};
    assert_int_equal(clWaitForEvents(2, both), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(user), -42);
    assert_int_equal(status_of(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clWaitForEvents(1, &third));
    char byte = 0;
    cl_mem buffer = clCreateBuffer(context, 0, 1, NULL, &err);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 1, &user, NULL),
                     CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
    OK(clReleaseEvent(third));
    OK(clReleaseEvent(user));
}

static void wait_list_errors(void **state)
{
    (void)state;
    cl_event e = clCreateUserEvent(context, &err), bogus = (cl_event)queue, out;
    OK(clSetUserEventStatus(e, CL_COMPLETE));
    assert_int_equal(clEnqueueMarkerWithWaitList(queue, 1, NULL, &out), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, &e, &out), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueBarrierWithWaitList(queue, 1, &bogus, &out), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    assert_int_equal(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    assert_int_equal(clWaitForEvents(0, &e), CL_INVALID_VALUE);
    /* The loader answers these itself; layers and other loaders call the functions below it. */
    const struct _cl_icd_dispatch *behind = *(const struct _cl_icd_dispatch **)e;
    assert_int_equal(behind->clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    assert_int_equal(behind->clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    assert_int_equal(behind->clWaitForEvents(0, &e), CL_INVALID_VALUE);
    cl_event list[] = {e, bogus};
    assert_int_equal(clWaitForEvents(2, list), CL_INVALID_EVENT);
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_event foreign = clCreateUserEvent(other, &err);
    assert_int_equal(clEnqueueMarkerWithWaitList(queue, 1, &foreign, &out), CL_INVALID_CONTEXT);
    cl_event mixed[] = {e, foreign};
    assert_int_equal(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
    OK(clReleaseEvent(foreign));
    OK(clReleaseContext(other));
    OK(clReleaseEvent(e));
}

/* A barrier in an out-of-order queue delays later commands; a marker does not. */
static void barriers_and_markers(void **state)
{
    (void)state;
    cl_event user = clCreateUserEvent(context, &err), held, marker, free_one, barrier, after;
    OK(clEnqueueMarkerWithWaitList(unordered, 1, &user, &held));
    OK(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &marker));
    cl_event done = clCreateUserEvent(context, &err);
    OK(clSetUserEventStatus(done, CL_COMPLETE));
    OK(clEnqueueMarkerWithWaitList(unordered, 1, &done, &free_one));
    OK(clWaitForEvents(1, &free_one));
    assert_true(status_of(marker) > CL_COMPLETE);
    OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, &barrier));
    OK(clEnqueueMarkerWithWaitList(unordered, 1, &done, &after));
    let_ready_run();
    assert_true(status_of(barrier) > CL_COMPLETE);
    assert_true(status_of(after) > CL_COMPLETE);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clFinish(unordered));
    cl_event all[] = {held, marker, free_one, barrier, after, user, done};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(status_of(all[i]), CL_COMPLETE);
        OK(clReleaseEvent(all[i]));
    }
    assert_int_equal(clEnqueueMarker(queue, NULL), CL_INVALID_VALUE);
    OK(clEnqueueBarrier(queue));
    assert_int_equal(clEnqueueWaitForEvents(queue, 0, NULL), CL_INVALID_VALUE);
    OK(clFinish(queue));
}

/* Markers and barriers without a list complete after every earlier command, whichever of them ends last.
 * [CL 5.12, 3.3.6 H6, H7] */
static void after_all_earlier(void **state)
{
    (void)state;
    enum { GATES = 3 };
    for (int kind = 0; kind < 4; kind++) {
        for (int latest = 0; latest < GATES; latest++) {
            cl_event gates[GATES], held[GATES], after;
            for (int i = 0; i < GATES; i++) {
                gates[i] = clCreateUserEvent(context, &err);
                OK(clEnqueueMarkerWithWaitList(unordered, 1, &gates[i], &held[i]));
            }
            if (kind == 0) {
                OK(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &after));
            } else if (kind == 1) {
                OK(clEnqueueMarker(unordered, &after));
            } else if (kind == 2) {
                OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, &after));
            } else { /* seen by what it holds back */
                OK(clEnqueueBarrier(unordered));
                cl_event done = clCreateUserEvent(context, &err);
                OK(clSetUserEventStatus(done, CL_COMPLETE));
                OK(clEnqueueMarkerWithWaitList(unordered, 1, &done, &after));
                OK(clReleaseEvent(done));
            }
            OK(clFlush(unordered));
            for (int i = 0; i < GATES; i++) {
                if (i != latest) {
                    OK(clSetUserEventStatus(gates[i], CL_COMPLETE));
                }
            }
            let_ready_run();
            assert_true(status_of(after) > CL_COMPLETE);
            OK(clSetUserEventStatus(gates[latest], CL_COMPLETE));
            OK(clWaitForEvents(1, &after));
            for (int i = 0; i < GATES; i++) {
                assert_int_equal(status_of(held[i]), CL_COMPLETE);
                OK(clReleaseEvent(held[i]));
                OK(clReleaseEvent(gates[i]));
            }
            OK(clReleaseEvent(after));
        }
    }
}

/* Every event of a list counts, at any position, for commands and for the host. [CL 5.10, 5.11] */
static void every_event_of_a_list(void **state)
{
    (void)state;
    enum { EVENTS = 4 };
    cl_mem m = clCreateBuffer(context, 0, 16, NULL, &err);
    OK(err);
    for (int latest = 0; latest < EVENTS; latest++) {
        cl_event list[EVENTS], marker, barrier, fill;
        for (int i = 0; i < EVENTS; i++) {
            list[i] = clCreateUserEvent(context, &err);
        }
        const int nine = 9;
        OK(clEnqueueFillBuffer(unordered, m, &nine, 4, 0, 16, EVENTS, list, &fill));
        OK(clEnqueueMarkerWithWaitList(unordered, EVENTS, list, &marker));
        OK(clEnqueueBarrierWithWaitList(unordered, EVENTS, list, &barrier));
        OK(clFlush(unordered));
        for (int i = 0; i < EVENTS; i++) {
            if (i != latest) {
                OK(clSetUserEventStatus(list[i], CL_COMPLETE));
            }
        }
        let_ready_run();
        assert_true(status_of(fill) > CL_COMPLETE);
        assert_true(status_of(marker) > CL_COMPLETE);
        assert_true(status_of(barrier) > CL_COMPLETE);
        OK(clSetUserEventStatus(list[latest], CL_COMPLETE));
        cl_event made[] = {fill, marker, barrier};
        OK(clWaitForEvents(3, made));
        for (int i = 0; i < 3; i++) {
            assert_int_equal(status_of(made[i]), CL_COMPLETE);
            OK(clReleaseEvent(made[i]));
        }
        for (int i = 0; i < EVENTS; i++) {
            OK(clReleaseEvent(list[i]));
        }
    }
    OK(clReleaseMemObject(m));
}

/* clEnqueueWaitForEvents delays later commands of the queue for each of its events, and no earlier ones.
 * [CL 5.12] */
static void waiting_in_the_queue(void **state)
{
    (void)state;
    for (int latest = 0; latest < 2; latest++) {
        cl_event gates[2] = {clCreateUserEvent(context, &err), clCreateUserEvent(context, &err)}, before,
                 after, done = clCreateUserEvent(context, &err);
        OK(clSetUserEventStatus(done, CL_COMPLETE));
        OK(clEnqueueMarkerWithWaitList(unordered, 1, &done, &before));
        OK(clEnqueueWaitForEvents(unordered, 2, gates));
        OK(clEnqueueMarkerWithWaitList(unordered, 1, &done, &after));
        OK(clFlush(unordered));
        OK(clSetUserEventStatus(gates[!latest], CL_COMPLETE));
        let_ready_run();
        assert_int_equal(status_of(before), CL_COMPLETE);
        assert_true(status_of(after) > CL_COMPLETE);
        OK(clSetUserEventStatus(gates[latest], CL_COMPLETE));
        OK(clWaitForEvents(1, &after));
        cl_event all[] = {gates[0], gates[1], before, after, done};
        for (int i = 0; i < 5; i++) {
            OK(clReleaseEvent(all[i]));
        }
    }
}

static volatile int reached[3], last_status;
static void CL_CALLBACK note(cl_event event, cl_int status, void *data)
{
    (void)event;
    last_status = status;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_ACQ_REL);
}

static void callbacks(void **state)
{
    (void)state;
    cl_event user = clCreateUserEvent(context, &err), marker;
    OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &marker));
    assert_int_equal(clSetEventCallback(marker, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetEventCallback(marker, CL_QUEUED, note, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetEventCallback((cl_event)queue, CL_COMPLETE, note, NULL), CL_INVALID_EVENT);
    OK(clSetEventCallback(marker, CL_COMPLETE, note, (void *)&reached[2]));
    OK(clSetEventCallback(marker, CL_SUBMITTED, note, (void *)&reached[0]));
    OK(clFlush(queue));
    await(&reached[0], 1);
    assert_int_equal(reached[2], 0);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    await(&reached[2], 1);
    OK(clSetEventCallback(marker, CL_RUNNING, note, (void *)&reached[1])); /* already past */
    await(&reached[1], 1);
    assert_int_equal(last_status, CL_RUNNING);
    cl_event failing = clCreateUserEvent(context, &err);
    OK(clSetEventCallback(failing, CL_COMPLETE, note, (void *)&reached[2]));
    OK(clSetUserEventStatus(failing, -7));
    await(&reached[2], 2);
    assert_int_equal(last_status, -7);
    OK(clReleaseEvent(failing));
    OK(clReleaseEvent(marker));
    OK(clReleaseEvent(user));
}

static volatile int inner_done;
static void CL_CALLBACK api_in_callback(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    char out[4] = {0};
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, "abc", &err);
    cl_int code = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 0, NULL, NULL);
    code |= clFinish(queue);
    code |= clSetUserEventStatus(*(cl_event *)data, CL_COMPLETE);
    code |= clReleaseMemObject(buffer);
    __atomic_store_n(&inner_done, code == 0 && strcmp(out, "abc") == 0 ? 1 : -1, __ATOMIC_RELEASE);
}

/* A callback that calls the API, including blocking calls, does not deadlock. */
static void callback_calls_api(void **state)
{
    (void)state;
    cl_event first = clCreateUserEvent(context, &err), second = clCreateUserEvent(context, &err);
    OK(clSetEventCallback(first, CL_COMPLETE, api_in_callback, &second));
    OK(clSetUserEventStatus(first, CL_COMPLETE));
    OK(clWaitForEvents(1, &second));
    await(&inner_done, 1);
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
}

static void profiling(void **state)
{
    (void)state;
    cl_event e;
    cl_ulong t[5], now;
    cl_mem buffer = clCreateBuffer(context, 0, 1 << 16, NULL, &err);
    int pattern = 5;
    OK(clEnqueueFillBuffer(queue, buffer, &pattern, 4, 0, 1 << 16, 0, NULL, &e));
    OK(clWaitForEvents(1, &e));
    static const cl_profiling_info what[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                             CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                             CL_PROFILING_COMMAND_COMPLETE};
    for (int i = 0; i < 5; i++) {
        OK(clGetEventProfilingInfo(e, what[i], sizeof(t[i]), &t[i], NULL));
        assert_true(t[i] > 0);
        assert_true(i == 0 || t[i] >= t[i - 1]);
    }
    OK(clGetHostTimer(device, &now));
    assert_true(now >= t[4]);
    assert_int_equal(clGetEventProfilingInfo(e, 0x7777, sizeof(now), &now, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetEventProfilingInfo(e, what[0], 4, &now, NULL), CL_INVALID_VALUE);
    OK(clReleaseEvent(e));
    cl_command_queue plain = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    OK(clEnqueueMarkerWithWaitList(plain, 0, NULL, &e));
    OK(clFinish(plain));
    assert_int_equal(clGetEventProfilingInfo(e, what[0], sizeof(now), &now, NULL),
                     CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clReleaseEvent(e));
    OK(clReleaseCommandQueue(plain));
    cl_event user = clCreateUserEvent(context, &err);
    assert_int_equal(clGetEventProfilingInfo(user, what[0], sizeof(now), &now, NULL),
                     CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clReleaseEvent(user));
    OK(clReleaseMemObject(buffer));
}

/* Handles of released objects, of objects of other types, and invalid ones. */
static void stale_handles(void **state)
{
    (void)state;
    cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, &err);
    int x = 0;
    OK(clReleaseMemObject(buffer));
    assert_int_equal(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clRetainMemObject(buffer), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &x, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clRetainMemObject((cl_mem)queue), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clRetainEvent((cl_event)context), CL_INVALID_EVENT);
    assert_int_equal(clRetainKernel((cl_kernel)context), CL_INVALID_KERNEL);
    assert_int_equal(clRetainProgram((cl_program)context), CL_INVALID_PROGRAM);
    assert_int_equal(clRetainSampler((cl_sampler)context), CL_INVALID_SAMPLER);
    assert_int_equal(clRetainCommandQueue((cl_command_queue)context), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clRetainContext((cl_context)queue), CL_INVALID_CONTEXT);
    assert_int_equal(clGetDeviceInfo((cl_device_id)queue, CL_DEVICE_NAME, 0, NULL, NULL), CL_INVALID_DEVICE);
    assert_int_equal(clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
}

enum { THREADS = 8, ROUNDS = 200 };
static cl_mem shared;
static void *worker(void *data)
{
    size_t slot = (size_t)(uintptr_t)data;
    cl_command_queue q = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    uintptr_t bad = 0;
    /* A separate program for each thread, so that several are launched for the first time at once. */
    const char *text = "kernel void k(global uint *o, uint i) { o[i] = i; }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    bad |= clBuildProgram(program, 0, NULL, NULL, NULL, NULL) != 0;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    const size_t one = 1;
    const cl_uint index = (cl_uint)slot;
    bad |= clSetKernelArg(kernel, 0, sizeof shared, &shared) != 0;
    bad |= clSetKernelArg(kernel, 1, sizeof index, &index) != 0;
    bad |= clEnqueueNDRangeKernel(q, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) != 0;
    bad |= clFinish(q) != 0;
    bad |= clReleaseKernel(kernel) != 0 || clReleaseProgram(program) != 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        cl_event w;
        unsigned in = (unsigned)(slot * 1000 + i), out = 0;
        bad |= clEnqueueWriteBuffer(slot % 2 ? q : unordered, shared, CL_FALSE, slot * 4, 4, &in, 0, NULL,
                                    &w) != 0;
        bad |= clEnqueueReadBuffer(q, shared, CL_TRUE, slot * 4, 4, &out, 1, &w, NULL) != 0;
        bad |= out != in;
        bad |= clReleaseEvent(w) != 0;
    }
    bad |= clReleaseCommandQueue(q) != 0;
    return (void *)bad;
}

static void threads(void **state)
{
    (void)state;
    pthread_t t[THREADS];
    shared = clCreateBuffer(context, 0, THREADS * 4, NULL, &err);
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&t[i], NULL, worker, (void *)i), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *bad = NULL;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
    OK(clReleaseMemObject(shared));
}

static void CL_CALLBACK note_completion(cl_event event, cl_int status, void *flag)
{
    (void)event;
    (void)status;
    atomic_store((atomic_int *)flag, 1);
}

static uint64_t microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* The executor leaves short commands to a host that alternately enqueues and waits; if the host enqueues
 * without a pause and never waits, the executor executes them nevertheless. */
static void host_that_never_waits(void **state)
{
    (void)state;
    enum { IN_TURNS = 200000, BATCH = 100, MOST = 4000000, PAUSE = 5 };
    atomic_int completed = 0;
    cl_event first;
    for (int k = 1; k <= IN_TURNS; k++) {
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
        if (k % BATCH == 0)
            OK(clFinish(queue));
    }
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &first));
    OK(clSetEventCallback(first, CL_COMPLETE, note_completion, &completed));
    for (uint64_t at = microseconds(), end = at + MOST; !completed && at < end;) {
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
        for (uint64_t next = at + PAUSE; at < next;)
            at = microseconds();
    }
    assert_int_equal(completed, 1);
    OK(clFinish(queue));
    OK(clReleaseEvent(first));
}

/* A released queue completes its commands. */
static void released_queue_finishes(void **state)
{
    (void)state;
    cl_command_queue q = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_event user = clCreateUserEvent(context, &err), marker;
    OK(clEnqueueMarkerWithWaitList(q, 1, &user, &marker));
    OK(clReleaseCommandQueue(q));
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clWaitForEvents(1, &marker));
    OK(clReleaseEvent(marker));
    OK(clReleaseEvent(user));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_creation),
        cmocka_unit_test(hints),
        cmocka_unit_test(user_events),
        cmocka_unit_test(failures_propagate),
        cmocka_unit_test(wait_list_errors),
        cmocka_unit_test(barriers_and_markers),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(after_all_earlier),
        cmocka_unit_test(every_event_of_a_list),
        cmocka_unit_test(waiting_in_the_queue),
        cmocka_unit_test(callback_calls_api),
        cmocka_unit_test(profiling),
        cmocka_unit_test(stale_handles),
        cmocka_unit_test(threads),
        cmocka_unit_test(released_queue_finishes),
        cmocka_unit_test(host_that_never_waits),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
