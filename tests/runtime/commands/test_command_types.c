/* The type that the event of each command reports [CL 5.11]. */
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include "tests/runtime/commands/command_test.h"

#define NONE 0, NULL

static cl_mem buffer, other, image, other_image;
static cl_kernel kernel;
static char host[256];
static void *svm, *svm_from;
static unsigned wrong;

static int setup(void **state)
{
    const char *text = "kernel void k() {}";
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc square = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    if (open_extensions(state))
        return -1;
    buffer = clCreateBuffer(context, 0, sizeof host, NULL, &err);
    other = clCreateBuffer(context, 0, sizeof host, NULL, &err);
    image = clCreateImage(context, 0, &format, &square, NULL, &err);
    other_image = clCreateImage(context, 0, &format, &square, NULL, &err);
    svm = clSVMAlloc(context, 0, 64, 0);
    svm_from = clSVMAlloc(context, 0, 64, 0);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    if (!svm || !svm_from || clBuildProgram(program, 0, NULL, NULL, NULL, NULL))
        return -1;
    kernel = clCreateKernel(program, "k", &err);
    clReleaseProgram(program);
    return err;
}

static int teardown(void **state)
{
    clSVMFree(context, svm);
    clSVMFree(context, svm_from);
    return clReleaseKernel(kernel) || clReleaseMemObject(buffer) || clReleaseMemObject(other) ||
           clReleaseMemObject(image) || clReleaseMemObject(other_image) || close_device(state);
}

static void expect_type(const char *name, cl_command_type wanted, cl_event event)
{
    cl_command_type type = 0;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    if (type != wanted) {
        print_message("# %s: %#x\n", name, type);
        wrong++;
    }
    OK(clReleaseEvent(event));
}

/* CALL enqueues a command whose event is &e. */
#define TYPE(type, call)                                                                                     \
    do {                                                                                                     \
        cl_event e = NULL;                                                                                   \
        OK(call);                                                                                            \
        expect_type(#type, type, e);                                                                         \
    } while (0)

static const size_t zero[3], one[3] = {1, 1, 1}, two[3] = {2, 2, 1};

static void CL_CALLBACK nothing(void *data)
{
    (void)data;
}

/* [CL 5.11 R142] */
static void buffers(void **unused)
{
    (void)unused;
    TYPE(CL_COMMAND_READ_BUFFER, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, host, NONE, &e));
    TYPE(CL_COMMAND_WRITE_BUFFER, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, host, NONE, &e));
    TYPE(CL_COMMAND_COPY_BUFFER, clEnqueueCopyBuffer(queue, buffer, other, 0, 0, 4, NONE, &e));
    TYPE(CL_COMMAND_FILL_BUFFER, clEnqueueFillBuffer(queue, buffer, host, 1, 0, 4, NONE, &e));
    TYPE(CL_COMMAND_READ_BUFFER_RECT,
         clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, two, 0, 0, 0, 0, host, NONE, &e));
    TYPE(CL_COMMAND_WRITE_BUFFER_RECT,
         clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, zero, zero, two, 0, 0, 0, 0, host, NONE, &e));
    TYPE(CL_COMMAND_COPY_BUFFER_RECT,
         clEnqueueCopyBufferRect(queue, buffer, other, zero, zero, two, 0, 0, 0, 0, NONE, &e));
    void *mapped = NULL;
    TYPE(CL_COMMAND_MAP_BUFFER,
         (mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, NONE, &e, &err), err));
    TYPE(CL_COMMAND_UNMAP_MEM_OBJECT, clEnqueueUnmapMemObject(queue, buffer, mapped, NONE, &e));
    /* [CL 5.5.4 R141] */
    TYPE(CL_COMMAND_MIGRATE_MEM_OBJECTS, clEnqueueMigrateMemObjects(queue, 1, &buffer, 0, NONE, &e));
    TYPE(CL_COMMAND_MIGRATE_MEM_OBJECTS,
         clEnqueueMigrateMemObjects(queue, 1, &buffer,
                                    CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                                    NONE, &e));
    assert_int_equal(wrong, 0);
}

/* [CL 5.11 R142] */
static void images(void **unused)
{
    (void)unused;
    size_t row;
    void *mapped = NULL;
    const cl_uint color[4] = {7};
    TYPE(CL_COMMAND_READ_IMAGE, clEnqueueReadImage(queue, image, CL_TRUE, zero, two, 0, 0, host, NONE, &e));
    TYPE(CL_COMMAND_WRITE_IMAGE, clEnqueueWriteImage(queue, image, CL_TRUE, zero, two, 0, 0, host, NONE, &e));
    TYPE(CL_COMMAND_COPY_IMAGE, clEnqueueCopyImage(queue, image, other_image, zero, zero, two, NONE, &e));
    TYPE(CL_COMMAND_FILL_IMAGE, clEnqueueFillImage(queue, image, color, zero, two, NONE, &e));
    TYPE(CL_COMMAND_COPY_BUFFER_TO_IMAGE,
         clEnqueueCopyBufferToImage(queue, buffer, image, 0, zero, two, NONE, &e));
    TYPE(CL_COMMAND_COPY_IMAGE_TO_BUFFER,
         clEnqueueCopyImageToBuffer(queue, image, buffer, zero, two, 0, NONE, &e));
    TYPE(CL_COMMAND_MAP_IMAGE, (mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, zero, two,
                                                           &row, NULL, NONE, &e, &err),
                                err));
    TYPE(CL_COMMAND_UNMAP_MEM_OBJECT, clEnqueueUnmapMemObject(queue, image, mapped, NONE, &e));
    assert_int_equal(wrong, 0);
}

/* [CL 5.11 R142] */
static void shared_memory(void **unused)
{
    (void)unused;
    void *given_up[] = {clSVMAlloc(context, 0, 64, 0)};
    TYPE(CL_COMMAND_SVM_MEMCPY, clEnqueueSVMMemcpy(queue, CL_TRUE, svm, svm_from, 8, NONE, &e));
    TYPE(CL_COMMAND_SVM_MEMFILL, clEnqueueSVMMemFill(queue, svm, host, 4, 8, NONE, &e));
    TYPE(CL_COMMAND_SVM_MAP, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, svm, 8, NONE, &e));
    TYPE(CL_COMMAND_SVM_UNMAP, clEnqueueSVMUnmap(queue, svm, NONE, &e));
    TYPE(CL_COMMAND_SVM_FREE, clEnqueueSVMFree(queue, 1, given_up, NULL, NULL, NONE, &e));
    OK(clFinish(queue));
    assert_int_equal(wrong, 0);
}

/* [CL 5.11 R142] */
static void shared_memory_moves(void **unused)
{
    (void)unused;
    const void *pointers[] = {svm};
    TYPE(CL_COMMAND_SVM_MIGRATE_MEM,
         clEnqueueSVMMigrateMem(queue, 1, pointers, NULL, CL_MIGRATE_MEM_OBJECT_HOST, NONE, &e));
    OK(clFinish(queue));
    assert_int_equal(wrong, 0);
}

/* [CL 5.11 R142] */
static void execution(void **unused)
{
    (void)unused;
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    TYPE(CL_COMMAND_NDRANGE_KERNEL, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, one, NULL, NONE, &e));
    TYPE(CL_COMMAND_TASK, clEnqueueTask(queue, kernel, NONE, &e));
    TYPE(CL_COMMAND_NATIVE_KERNEL, clEnqueueNativeKernel(queue, nothing, NULL, 0, 0, NULL, NULL, NONE, &e));
    TYPE(CL_COMMAND_MARKER, clEnqueueMarkerWithWaitList(queue, NONE, &e));
    TYPE(CL_COMMAND_MARKER, clEnqueueMarker(queue, &e));
    TYPE(CL_COMMAND_BARRIER, clEnqueueBarrierWithWaitList(queue, NONE, &e));
    TYPE(CL_COMMAND_USER, (e = clCreateUserEvent(context, &err), err));
    cl_semaphore_khr semaphore = p_clCreateSemaphoreWithPropertiesKHR(context, binary, &err);
    OK(err);
    TYPE(CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
         p_clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, NULL, NONE, &e));
    TYPE(CL_COMMAND_SEMAPHORE_WAIT_KHR, p_clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, NULL, NONE, &e));
    cl_command_buffer_khr commands = p_clCreateCommandBufferKHR(1, &queue, NULL, &err);
    OK(err);
    OK(p_clFinalizeCommandBufferKHR(commands));
    TYPE(CL_COMMAND_COMMAND_BUFFER_KHR, p_clEnqueueCommandBufferKHR(0, NULL, commands, NONE, &e));
    OK(clFinish(queue));
    OK(p_clReleaseCommandBufferKHR(commands));
    OK(p_clReleaseSemaphoreKHR(semaphore));
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers),
        cmocka_unit_test(images),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(execution),
        cmocka_unit_test(shared_memory_moves),
    };
    return cmocka_run_group_tests_name("command-types", tests, setup, teardown);
}
