/* Exhausted resources in calls of extensions: commands of a lost device, and processes without free
 * descriptors [CL 5.5, 5.13, 5.17]. */
#include "tests/runtime/commands/command_test.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* CALL for a queue whose device has been lost. */
#define LOST_IS(code, call) assert_int_equal(call, code)

static cl_command_queue doomed;

static int setup(void **state)
{
    if (open_extensions(state))
        return -1;
    cl_device_id devices[2];
    cl_uint count;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count) || count != 2)
        return -1;
    cl_context both = clCreateContext(NULL, 1, &devices[1], NULL, NULL, &err);
    doomed = clCreateCommandQueueWithProperties(both, devices[1], NULL, &err);
    return err || clReleaseContext(both);
}

static int teardown(void **state)
{
    return clReleaseCommandQueue(doomed) || close_device(state);
}

/* The device runs one command. */
static void lose(void)
{
    cl_int last = CL_SUCCESS;
    for (int i = 0; i < 3 && !last; i++) {
        last = clEnqueueMarkerWithWaitList(doomed, 0, NULL, NULL);
        clFinish(doomed);
    }
    assert_int_equal(last, CL_OUT_OF_RESOURCES);
}

static void lost(void **unused)
{
    (void)unused;
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    int fd = memfd_create("memory", 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd,
                                            0};
    cl_context c;
    OK(clGetCommandQueueInfo(doomed, CL_QUEUE_CONTEXT, sizeof c, &c, NULL));
    cl_semaphore_khr s = p_clCreateSemaphoreWithPropertiesKHR(c, binary, &err);
    OK(err);
    cl_mem m = clCreateBufferWithProperties(c, properties, 0, 64, NULL, &err);
    OK(err);
    cl_command_buffer_khr b = p_clCreateCommandBufferKHR(1, &doomed, NULL, &err);
    OK(err);
    OK(p_clCommandBarrierWithWaitListKHR(b, NULL, NULL, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(b));
    lose();
    /* [CL 5.13.6 E108] */
    LOST_IS(CL_OUT_OF_RESOURCES, p_clEnqueueSignalSemaphoresKHR(doomed, 1, &s, NULL, 0, NULL, NULL));
    /* [CL 5.13.6 E108] */
    LOST_IS(CL_OUT_OF_RESOURCES, p_clEnqueueWaitSemaphoresKHR(doomed, 1, &s, NULL, 0, NULL, NULL));
    /* [CL 5.5.1.1 E108] */
    LOST_IS(CL_OUT_OF_RESOURCES, p_clEnqueueAcquireExternalMemObjectsKHR(doomed, 1, &m, 0, NULL, NULL));
    /* [CL 5.5.1.1 E108] */
    LOST_IS(CL_OUT_OF_RESOURCES, p_clEnqueueReleaseExternalMemObjectsKHR(doomed, 1, &m, 0, NULL, NULL));
    /* [CL 5.17.4 E121, E123] */
    LOST_IS(CL_OUT_OF_RESOURCES, p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
    OK(p_clReleaseSemaphoreKHR(s));
}

/* A process without free descriptors creates and exports no shared semaphores. */
static void descriptors(void **unused)
{
    (void)unused;
    const cl_semaphore_properties_khr opaque[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                  CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                  CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                  CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                  0};
    cl_semaphore_khr s = p_clCreateSemaphoreWithPropertiesKHR(context, opaque, &err);
    OK(err);
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    int fd = -1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    /* [CL 5.13.3 E106] */
    assert_int_equal(
        p_clGetSemaphoreHandleForTypeKHR(s, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd, NULL),
        CL_OUT_OF_RESOURCES);
    /* [CL 5.13.2 E111] */
    EXPECT_NULL(CL_OUT_OF_RESOURCES, p_clCreateSemaphoreWithPropertiesKHR(context, opaque, &err));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    OK(p_clGetSemaphoreHandleForTypeKHR(s, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd, NULL));
    assert_true(fd >= 0);
    close(fd);
    OK(p_clReleaseSemaphoreKHR(s));
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    setenv("REFCL_LOST_AFTER", ",1", 1);
    setenv("REFCL_QUIET", "1", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(lost), cmocka_unit_test(descriptors)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
