/* Allocations that fail, one after the other, in the calls of extensions: each returns the code that its
 * section names, and leaves no object behind [CL 5.5, 5.13, 5.17]. */
#include "ref-runtime/enqueue/mutable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/runtime/starve.h"

#define NONE 0, NULL, NULL

static void semaphores(void **state)
{
    (void)state;
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr s = NULL;
    /* [CL 5.13.2 E112] */
    STARVE(CL_OUT_OF_HOST_MEMORY, (s = rt_clCreateSemaphoreWithPropertiesKHR(context, binary, &err), err),
           (void)0);
    /* [CL 5.13.6 E109] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueSignalSemaphoresKHR(queue, 1, &s, NULL, NONE), finish());
    /* [CL 5.13.6 E109] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueWaitSemaphoresKHR(queue, 1, &s, NULL, NONE), finish());
    OK(rt_clReleaseSemaphoreKHR(s));
}

/* A wait that could not be enqueued leaves the signal to the next one. */
static void shared_semaphores(void **state)
{
    (void)state;
    const cl_semaphore_properties_khr opaque[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                  CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                  CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                  CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                  0};
    cl_semaphore_khr s = rt_clCreateSemaphoreWithPropertiesKHR(context, opaque, &err);
    OK(err);
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueSignalSemaphoresKHR(queue, 1, &s, NULL, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueWaitSemaphoresKHR(queue, 1, &s, NULL, NONE), finish());
    OK(rt_clReleaseSemaphoreKHR(s));
    const cl_semaphore_properties_khr fence[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                 CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                 (cl_semaphore_properties_khr)-1, 0};
    cl_semaphore_khr two[2];
    for (int i = 0; i < 2; i++) {
        two[i] = rt_clCreateSemaphoreWithPropertiesKHR(context, fence, &err);
        OK(err);
    }
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueWaitSemaphoresKHR(queue, 2, two, NULL, NONE), finish());
    for (int i = 0; i < 2; i++)
        OK(rt_clReleaseSemaphoreKHR(two[i]));
}

static void external_memory(void **state)
{
    (void)state;
    int fd = memfd_create("memory", 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd,
                                            0};
    cl_mem m = NULL;
    STARVE_BOTH(CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                (m = rt_clCreateBufferWithProperties(context, properties, 0, 64, NULL, &err), err), (void)0);
    /* [CL 5.5.1.1 E109] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueAcquireExternalMemObjectsKHR(queue, 1, &m, NONE), finish());
    /* [CL 5.5.1.1 E109] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueReleaseExternalMemObjectsKHR(queue, 1, &m, NONE), finish());
    OK(rt_clReleaseMemObject(m));
}

static void precursors(void **state)
{
    (void)state;
    const cl_device_partition_property_ext by_one[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0};
    cl_device_id parts[64];
    cl_uint made = 0;
    cl_mem m = rt_clCreateBuffer(context, 0, 64, NULL, &err);
    /* [CL 4.3 E108] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clCreateSubDevicesEXT(device, by_one, 64, parts, &made), (void)0);
    for (cl_uint i = 0; i < made; i++)
        OK(rt_clReleaseDeviceEXT(parts[i]));
    /* [CL 5.5.4 E107] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueMigrateMemObjectEXT(queue, 1, &m, 0, NONE), finish());
    OK(rt_clReleaseMemObject(m));
}

static void command_buffers(void **state)
{
    (void)state;
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                           CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_command_buffer_khr b = NULL;
    cl_mem m = rt_clCreateBuffer(context, 0, 64, NULL, &err);
    const cl_int zero = 0;
    /* [CL 5.17.3 E122] */
    STARVE(CL_OUT_OF_HOST_MEMORY, (b = rt_clCreateCommandBufferKHR(1, &queue, properties, &err), err),
           (void)0);
    /* [CL 5.17.5 E122] */
    STARVE(CL_OUT_OF_HOST_MEMORY,
           rt_clCommandFillBufferKHR(b, NULL, NULL, m, &zero, sizeof zero, 0, 64, 0, NULL, NULL, NULL),
           (void)0);
    /* [CL 5.17.5 E122] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clCommandBarrierWithWaitListKHR(b, NULL, NULL, 0, NULL, NULL, NULL),
           (void)0);
    OK(rt_clFinalizeCommandBufferKHR(b));
    /* [CL 5.17.4 E122] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueCommandBufferKHR(0, NULL, b, NONE), finish());
    OK(rt_clReleaseCommandBufferKHR(b));
    OK(rt_clReleaseMemObject(m));
}

/* The entry point by its core name. */
static cl_int suggest(cl_kernel k)
{
    const size_t four = 4;
    size_t local;
    return rt_clGetKernelSuggestedLocalWorkSizeKHR(queue, k, 1, NULL, &four, &local);
}

static void mutable_commands(void **state)
{
    (void)state;
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                           CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    const char *text = "kernel void k(int n) {}";
    const size_t four = 4, two = 2;
    const cl_uint type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
    const cl_int n = 1;
    cl_mutable_command_khr handle = NULL;
    cl_program p = rt_clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(rt_clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = rt_clCreateKernel(p, "k", &err);
    OK(rt_clSetKernelArg(k, 0, sizeof n, &n));
    /* [CL 5.9.4 E177] */
    STARVE(CL_OUT_OF_HOST_MEMORY, suggest(k), (void)0);
    cl_command_buffer_khr b = rt_clCreateCommandBufferKHR(1, &queue, properties, &err);
    /* [CL 5.17.5 E122] */
    STARVE(CL_OUT_OF_HOST_MEMORY,
           rt_clCommandNDRangeKernelKHR(b, NULL, NULL, k, 1, NULL, &four, NULL, 0, NULL, NULL, &handle),
           (void)0);
    OK(rt_clFinalizeCommandBufferKHR(b));
    const struct rt_mutable_config config = {.command = handle, .work_dim = 1, .global_work_size = &two};
    const void *configs[] = {&config};
    /* [CL 5.17.7 E122] */
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clUpdateMutableCommandsKHR(b, 1, &type, configs), (void)0);
    OK(rt_clReleaseCommandBufferKHR(b));
    OK(rt_clReleaseKernel(k));
    OK(rt_clReleaseProgram(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(semaphores),      cmocka_unit_test(shared_semaphores),
                                       cmocka_unit_test(external_memory), cmocka_unit_test(precursors),
                                       cmocka_unit_test(command_buffers), cmocka_unit_test(mutable_commands)};
    return cmocka_run_group_tests(tests, open_starved, close_starved);
}
