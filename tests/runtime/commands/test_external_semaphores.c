/* Semaphores that are shared with others, and memory that another process uses between them
 * [cl_khr_external_semaphore]. */
#include "tests/runtime/memory/external_test.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

static const cl_semaphore_properties_khr opaque[] = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                     CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                     0},
                                         fences[] = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                     CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                     0};

static cl_semaphore_khr create(const cl_semaphore_properties_khr *properties)
{
    cl_semaphore_khr s = p_clCreateSemaphoreWithPropertiesKHR(context, properties, &err);
    OK(err);
    return s;
}

static cl_semaphore_khr imported(cl_external_semaphore_handle_type_khr type, int fd)
{
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                      type, (cl_semaphore_properties_khr)fd, 0};
    return create(properties);
}

static int exported(cl_semaphore_khr s, cl_external_semaphore_handle_type_khr type)
{
    int fd = -1;
    size_t size = 0;
    OK(p_clGetSemaphoreHandleForTypeKHR(s, device, type, sizeof fd, &fd, &size));
    assert_int_equal(size, sizeof fd);
    return fd;
}

static cl_ulong payload_of(cl_semaphore_khr s)
{
    cl_ulong payload = 77;
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
    return payload;
}

static void enqueue_signal(cl_command_queue q, cl_semaphore_khr s, cl_uint count, const cl_event *list)
{
    OK(p_clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, count, list, NULL));
}

static void enqueue_wait(cl_command_queue q, cl_semaphore_khr s, cl_event *event)
{
    OK(p_clEnqueueWaitSemaphoresKHR(q, 1, &s, NULL, 0, NULL, event));
}

/* Semaphores with one payload behave as one semaphore: each signal is consumed by one wait, whichever
 * semaphore they name. */
static void reference(void **unused)
{
    (void)unused;
    /* [CL 5.13.4 R101, CL 5.13.5 R101, CL 5.13.5.1 R101, R103] */
    cl_semaphore_khr s[2] = {create(opaque), NULL};
    s[1] = imported(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, exported(s[0], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR));
    for (int i = 0; i < 4; i++) {
        cl_semaphore_khr from = s[i & 1], to = s[i < 2];
        cl_event gate = clCreateUserEvent(context, &err), waited;
        if (i == 3)
            enqueue_wait(unordered, to, &waited);
        enqueue_signal(queue, from, 1, &gate);
        if (i != 3)
            enqueue_wait(unordered, to, &waited);
        OK(clFlush(queue));
        OK(clFlush(unordered));
        assert_true(status_of(waited) > CL_COMPLETE);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &waited));
        assert_int_equal(payload_of(from), 0);
        enqueue_signal(queue, from, 0, NULL);
        OK(clFinish(queue));
        assert_int_equal(payload_of(s[0]), 1);
        assert_int_equal(payload_of(s[1]), 1);
        enqueue_wait(queue, to, NULL);
        OK(clFinish(queue));
        assert_int_equal(payload_of(from), 0);
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(waited));
    }
    OK(p_clReleaseSemaphoreKHR(s[0]));
    enqueue_signal(queue, s[1], 0, NULL); /* the payload lives as long as a semaphore */
    enqueue_wait(queue, s[1], NULL);
    OK(clFinish(queue));
    OK(p_clReleaseSemaphoreKHR(s[1]));
}

/* A fence is a copy of the payload: exporting consumes the signal, and waits for the copy do not affect
 * others. */
static void copies(void **unused)
{
    (void)unused;
    /* [CL 5.13.4 R102, CL 5.13.5.1 R102, CL 5.13.3 R101] */
    cl_semaphore_khr s = create(fences);
    cl_event gate = clCreateUserEvent(context, &err), waited;
    enqueue_signal(queue, s, 1, &gate);
    int fd = exported(s, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR), second = dup(fd);
    struct pollfd signaled = {.fd = second, .events = POLLIN};
    assert_int_equal(poll(&signaled, 1, 0), 0);
    cl_semaphore_khr copy = imported(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd);
    enqueue_wait(unordered, copy, &waited);
    OK(clFlush(unordered));
    assert_true(status_of(waited) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &waited));
    assert_int_equal(poll(&signaled, 1, -1), 1);
    OK(clFinish(queue));
    assert_int_equal(payload_of(s), 0);
    assert_int_equal(payload_of(copy), 0);
    OK(clReleaseEvent(waited));
    /* Again into the same semaphore: a fence that has signaled, and the descriptor that means one. */
    for (int i = 0; i < 2; i++) {
        OK(p_clReImportSemaphoreSyncFdKHR(copy, NULL, i ? -1 : second));
        assert_int_equal(payload_of(copy), 1);
        enqueue_wait(queue, copy, NULL);
        OK(clFinish(queue));
        assert_int_equal(payload_of(copy), 0);
    }
    /* Afterwards it is an ordinary semaphore. */
    enqueue_signal(queue, copy, 0, NULL);
    enqueue_wait(queue, copy, NULL);
    enqueue_signal(queue, s, 0, NULL);
    OK(clFinish(queue));
    fd = exported(s, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
    signaled.fd = fd;
    assert_int_equal(poll(&signaled, 1, 0), 1);
    assert_int_equal(payload_of(s), 0);
    close(fd);
    OK(clReleaseEvent(gate));
    OK(p_clReleaseSemaphoreKHR(copy));
    OK(p_clReleaseSemaphoreKHR(s));
}

static void semaphore_queries(void **unused)
{
    (void)unused;
    /* [CL 4.1 R122, CL 4.2 R122, CL 5.13.2 R121, CL 5.13.8 R121] */
    const cl_external_semaphore_handle_type_khr both[] = {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                          CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};
    const cl_platform_info of_platform[] = {CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                                            CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
    const cl_device_info of_device[] = {CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                                        CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
    cl_external_semaphore_handle_type_khr types[4];
    size_t size;
    for (int i = 0; i < 2; i++) {
        OK(clGetPlatformInfo(platform, of_platform[i], sizeof types, types, &size));
        assert_int_equal(size, sizeof both);
        assert_memory_equal(types, both, size);
        memset(types, 0, sizeof types);
        OK(clGetDeviceInfo(device, of_device[i], sizeof types, types, &size));
        assert_int_equal(size, sizeof both);
        assert_memory_equal(types, both, size);
    }
    const cl_semaphore_properties_khr plain[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr s[3] = {create(plain), create(opaque), create(fences)};
    const cl_external_semaphore_handle_type_khr expected[] = {0, both[0], both[1]};
    cl_bool exportable;
    for (int i = 0; i < 3; i++) {
        OK(p_clGetSemaphoreInfoKHR(s[i], CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, sizeof types, types, &size));
        assert_int_equal(size, i ? sizeof *types : 0);
        if (i)
            assert_int_equal(types[0], expected[i]);
        OK(p_clGetSemaphoreInfoKHR(s[i], CL_SEMAPHORE_EXPORTABLE_KHR, sizeof exportable, &exportable, NULL));
        assert_int_equal(exportable, i == 1); /* a fence is that of a signal */
    }
    enqueue_signal(queue, s[2], 0, NULL);
    OK(p_clGetSemaphoreInfoKHR(s[2], CL_SEMAPHORE_EXPORTABLE_KHR, sizeof exportable, &exportable, NULL));
    assert_int_equal(exportable, CL_TRUE);
    OK(clFinish(queue));
    /* A query of the size exports nothing. */
    OK(p_clGetSemaphoreHandleForTypeKHR(s[2], device, both[1], 0, NULL, &size));
    assert_int_equal(size, sizeof(int));
    assert_int_equal(payload_of(s[2]), 1);
    for (int i = 0; i < 3; i++)
        OK(p_clReleaseSemaphoreKHR(s[i]));
}

static void semaphore_errors(void **unused)
{
    (void)unused;
    const cl_semaphore_properties_khr type = CL_SEMAPHORE_TYPE_KHR, binary = CL_SEMAPHORE_TYPE_BINARY_KHR,
                                      fd_type = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                      sync = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                      exports = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
    int fd = eventfd(0, 0), memory_fd = memfd_create("none", 0);
    const cl_semaphore_properties_khr good = (cl_semaphore_properties_khr)fd;
    const cl_semaphore_properties_khr two_types[] = {type, binary, exports, fd_type, sync, 0, 0},
                                      unknown[] = {type, binary, exports, 77, 0, 0},
                                      both[] = {type, binary, fd_type, good, exports, fd_type, 0, 0},
                                      two[] = {type, binary, fd_type, good, sync, good, 0},
                                      closed[] = {type, binary, fd_type, 9999, 0},
                                      other[] = {type, binary, fd_type,
                                                 (cl_semaphore_properties_khr)memory_fd, 0},
                                      minus[] = {type, binary, fd_type, (cl_semaphore_properties_khr)-1, 0},
                                      closed_fence[] = {type, binary, sync, 9999, 0},
                                      wide[] = {type, binary, fd_type, good | (UINT64_C(1) << 32), 0},
                                      wide_fence[] = {type, binary, sync, good | (UINT64_C(1) << 32), 0};
    /* [CL 5.13.2 E122] */
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateSemaphoreWithPropertiesKHR(context, two_types, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, unknown, &err));
    EXPECT_NULL(CL_INVALID_OPERATION, p_clCreateSemaphoreWithPropertiesKHR(context, both, &err));
    /* [CL 5.13.2 E124] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, two, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, closed, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, other, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, minus, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, closed_fence, &err));
    /* Not a descriptor, although its lower half is one: [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, wide, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, wide_fence, &err));
    cl_semaphore_khr s = create(opaque), fence = create(fences),
                     from_fence = imported(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, -1);
    int out;
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(NULL, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof out, &out, NULL),
                     CL_INVALID_SEMAPHORE_KHR);
    /* [CL 5.13.3 E102] */
    assert_int_equal(
        p_clGetSemaphoreHandleForTypeKHR(s, NULL, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof out, &out, NULL),
        CL_INVALID_DEVICE);
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    cl_uint count;
    OK(clCreateSubDevices(device, halves, 64, parts, &count));
    /* [CL 5.13.3 E103] */
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(s, parts[0], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof out, &out, NULL),
                     CL_INVALID_DEVICE);
    for (cl_uint i = 0; i < count; i++)
        OK(clReleaseDevice(parts[i]));
    /* [CL 5.13.3 E104] */
    assert_int_equal(
        p_clGetSemaphoreHandleForTypeKHR(s, device, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, sizeof out, &out, NULL),
        CL_INVALID_VALUE);
    /* [CL 5.13.3 E105] */
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(s, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof out - 1, &out, NULL),
                     CL_INVALID_VALUE);
    /* There is no signal for the fence: an error that the specification does not name. */
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(fence, device, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                      sizeof out, &out, NULL),
                     CL_INVALID_OPERATION);
    /* [CL 5.13.5.1 E101] */
    assert_int_equal(p_clReImportSemaphoreSyncFdKHR(NULL, NULL, -1), CL_INVALID_SEMAPHORE_KHR);
    /* [CL 5.13.5.1 E102] */
    assert_int_equal(p_clReImportSemaphoreSyncFdKHR(s, NULL, -1), CL_INVALID_SEMAPHORE_KHR);
    assert_int_equal(p_clReImportSemaphoreSyncFdKHR(from_fence, NULL, 9999), CL_INVALID_VALUE);
    OK(p_clReleaseSemaphoreKHR(s));
    OK(p_clReleaseSemaphoreKHR(fence));
    OK(p_clReleaseSemaphoreKHR(from_fence));
    close(fd);
    close(memory_fd);
}

/* Waits of a terminated context end without consuming a signal, and its semaphores accept no descriptor. */
static void terminated(void **unused)
{
    (void)unused;
    const cl_context_properties can_end[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    cl_context doomed = clCreateContext(can_end, 1, &device, NULL, NULL, &err);
    cl_command_queue q = clCreateCommandQueueWithProperties(doomed, device, NULL, &err);
    cl_semaphore_khr s = create(opaque);
    int fd = exported(s, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      (cl_semaphore_properties_khr)fd, 0};
    const cl_semaphore_properties_khr of_fence[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                    CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                    (cl_semaphore_properties_khr)-1, 0};
    cl_semaphore_khr there = p_clCreateSemaphoreWithPropertiesKHR(doomed, properties, &err);
    OK(err);
    cl_semaphore_khr fence = p_clCreateSemaphoreWithPropertiesKHR(doomed, of_fence, &err);
    OK(err);
    cl_event waited;
    enqueue_wait(q, there, &waited);
    OK(clFlush(q));
    OK(p_clTerminateContextKHR(doomed));
    int refused = eventfd(0, 0);
    assert_int_equal(p_clReImportSemaphoreSyncFdKHR(fence, NULL, refused), CL_CONTEXT_TERMINATED_KHR);
    assert_int_equal(close(refused), 0); /* it is still the application's */
    OK(p_clReleaseSemaphoreKHR(fence));
    assert_int_equal(clWaitForEvents(1, &waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    enqueue_signal(queue, s, 0, NULL);
    enqueue_wait(queue, s, NULL);
    OK(clFinish(queue));
    OK(clReleaseEvent(waited));
    OK(p_clReleaseSemaphoreKHR(there));
    OK(p_clReleaseSemaphoreKHR(s));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(doomed));
}

/* ---- another process ---- */

/* Doubles the words when the first semaphore is signaled, then signals the second; ends with its parent. */
static int double_in_child(char **descriptors)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || open_all(NULL))
        return 1;
    cl_mem m = import(context, atoi(descriptors[0]), 0);
    cl_semaphore_khr begin = imported(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, atoi(descriptors[1])),
                     end = imported(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, atoi(descriptors[2]));
    enqueue_wait(queue, begin, NULL);
    acquire(queue, m);
    double_words(queue, twice, m);
    release(queue, m);
    enqueue_signal(queue, end, 0, NULL);
    OK(clFinish(queue));
    return clReleaseMemObject(m) || p_clReleaseSemaphoreKHR(begin) || p_clReleaseSemaphoreKHR(end) ||
           close_all(NULL);
}

static int inheritable(int fd)
{
    assert_int_equal(fcntl(fd, F_SETFD, 0), 0);
    return fd;
}

static void another_process(void **unused)
{
    (void)unused;
    cl_semaphore_khr begin = create(opaque), end = create(opaque);
    int fds[3] = {words_file(), inheritable(exported(begin, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)),
                  inheritable(exported(end, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR))};
    char text[3][16];
    char *arguments[] = {"test_external_semaphores", text[0], text[1], text[2], NULL};
    for (int i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%d", fds[i]);
    pid_t child;
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    cl_mem m = import(context, fds[0], 0);
    acquire(queue, m);
    double_words(queue, twice, m);
    release(queue, m);
    enqueue_signal(queue, begin, 0, NULL);
    enqueue_wait(queue, end, NULL);
    acquire(queue, m);
    double_words(queue, twice, m);
    release(queue, m);
    OK(clFlush(queue));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    OK(clFinish(queue));
    assert_words(fds[0], 8);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    OK(clReleaseMemObject(m));
    OK(p_clReleaseSemaphoreKHR(begin));
    OK(p_clReleaseSemaphoreKHR(end));
}

/* In a forked child the waits of its parent fail, and the signals remain the parent's. */
static void forked(void **unused)
{
    (void)unused;
    cl_semaphore_khr s = create(opaque);
    cl_event waited;
    enqueue_wait(queue, s, &waited);
    OK(clFlush(queue));
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        cl_int code = clWaitForEvents(1, &waited);
        _exit(code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(status_of(waited) > CL_COMPLETE);
    enqueue_signal(unordered, s, 0, NULL);
    OK(clFlush(unordered));
    OK(clWaitForEvents(1, &waited));
    OK(clFinish(unordered));
    OK(clReleaseEvent(waited));
    OK(p_clReleaseSemaphoreKHR(s));
}

static void CL_CALLBACK note_call(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    atomic_store((atomic_bool *)data, true);
}

/* In a forked child, commands enqueued by the parent do not affect memory and signals that processes
 * share. */
static void forked_before_commands(void **unused)
{
    (void)unused;
    int words = words_file();
    cl_mem m = import(context, words, 0);
    cl_semaphore_khr s = create(opaque), of_fence = create(fences);
    cl_event gate = clCreateUserEvent(context, &err), changed, signaled, fenced;
    const size_t count = WORDS;
    OK(clSetKernelArg(twice, 0, sizeof m, &m));
    OK(p_clEnqueueAcquireExternalMemObjectsKHR(unordered, 1, &m, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(unordered, twice, 1, NULL, &count, NULL, 1, &gate, &changed));
    OK(p_clEnqueueSignalSemaphoresKHR(unordered, 1, &s, NULL, 1, &gate, &signaled));
    OK(p_clEnqueueSignalSemaphoresKHR(unordered, 1, &of_fence, NULL, 1, &gate, &fenced));
    int fence = exported(of_fence, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
    struct pollfd fence_signal = {.fd = fence, .events = POLLIN};
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool good = clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS;
        clWaitForEvents(1, &changed);
        clWaitForEvents(1, &signaled);
        clWaitForEvents(1, &fenced);
        atomic_bool called = false; /* behind the callback that signals the fence */
        good &= clSetEventCallback(fenced, CL_COMPLETE, note_call, &called) == CL_SUCCESS;
        while (good && !atomic_load(&called))
            sched_yield();
        _exit(good && status_of(changed) < 0 && status_of(signaled) < 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_words(words, 1);
    assert_int_equal(payload_of(s), 0);
    assert_int_equal(poll(&fence_signal, 1, 0), 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &changed));
    OK(clWaitForEvents(1, &signaled));
    OK(clWaitForEvents(1, &fenced));
    assert_words(words, 2);
    assert_int_equal(payload_of(s), 1);
    assert_int_equal(poll(&fence_signal, 1, -1), 1);
    release(unordered, m);
    OK(clFinish(unordered));
    cl_event events[] = {gate, changed, signaled, fenced};
    for (int i = 0; i < 4; i++)
        OK(clReleaseEvent(events[i]));
    OK(p_clReleaseSemaphoreKHR(s));
    OK(p_clReleaseSemaphoreKHR(of_fence));
    OK(clReleaseMemObject(m));
    close(fence);
    close(words);
}

/* The same for a command buffer, whose commands begin in both processes after the fork. */
static void forked_before_command_buffer(void **unused)
{
    (void)unused;
    int words = words_file();
    cl_mem m = import(context, words, 0);
    cl_event gate = clCreateUserEvent(context, &err), ran;
    const size_t count = WORDS;
    cl_command_buffer_khr buffer = p_clCreateCommandBufferKHR(1, &queue, NULL, &err);
    OK(err);
    OK(clSetKernelArg(twice, 0, sizeof m, &m));
    OK(p_clCommandNDRangeKernelKHR(buffer, NULL, NULL, twice, 1, NULL, &count, NULL, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(buffer));
    acquire(queue, m);
    OK(p_clEnqueueCommandBufferKHR(0, NULL, buffer, 1, &gate, &ran));
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool good = clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS;
        clWaitForEvents(1, &ran);
        _exit(good && status_of(ran) < 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_words(words, 1);
    assert_int_equal(status, 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &ran));
    assert_words(words, 2);
    release(queue, m);
    OK(clFinish(queue));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(ran));
    OK(p_clReleaseCommandBufferKHR(buffer));
    OK(clReleaseMemObject(m));
    close(words);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reference),
                                       cmocka_unit_test(copies),
                                       cmocka_unit_test(semaphore_queries),
                                       cmocka_unit_test(semaphore_errors),
                                       cmocka_unit_test(terminated),
                                       cmocka_unit_test(another_process),
                                       cmocka_unit_test(forked),
                                       cmocka_unit_test(forked_before_commands),
                                       cmocka_unit_test(forked_before_command_buffer)};
    return argc == 4 ? double_in_child(argv + 1) : cmocka_run_group_tests(tests, open_all, close_all);
}
