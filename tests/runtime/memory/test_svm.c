/* Shared virtual memory [CL 5.6]. */
#include "tests/runtime/runtime_test.h"

static void allocation(void **state)
{
    (void)state;
    static const cl_svm_mem_flags kinds[] = {CL_MEM_READ_WRITE, CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                             CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                                             CL_MEM_READ_ONLY};
    for (size_t i = 0; i < 4; i++) {
        unsigned char *p = clSVMAlloc(context, kinds[i], 1000, 0);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 128, 0);
        if (kinds[i] & CL_MEM_SVM_FINE_GRAIN_BUFFER)
            memset(p, 1, 1000);
        /* [CL 5.2.1 E161] */
        EXPECT_NULL(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 1001, p, &err));
        /* [CL 5.2.1 E161] */
        EXPECT_NULL(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 1001, p, &err));
        /* [CL 5.2.1 E161] */
        EXPECT_NULL(CL_INVALID_BUFFER_SIZE,
                    clCreateBufferWithProperties(context, NULL, CL_MEM_COPY_HOST_PTR, 1001, p, &err));
        EXPECT_NULL(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 999, p + 2, &err));
        clSVMFree(context, p);
    }
    assert_null(clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 16, 0));
    assert_null(clSVMAlloc(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, 0));
    assert_null(clSVMAlloc(context, CL_MEM_USE_HOST_PTR, 16, 0));
    assert_null(clSVMAlloc(context, 0, 0, 0));
    assert_null(clSVMAlloc(context, 0, SIZE_MAX, 0));
    assert_null(clSVMAlloc(context, 0, 16, 3));
    assert_null(clSVMAlloc(context, 0, 16, 4096));
    assert_null(clSVMAlloc((cl_context)queue, 0, 16, 0));
    clSVMFree(context, NULL);
}

static void commands(void **state)
{
    (void)state;
    int *a = clSVMAlloc(context, 0, 256, 0), *b = clSVMAlloc(context, 0, 256, 0), three = 3, host[64];
    OK(clEnqueueSVMMemFill(queue, a, &three, 4, 256, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, 256, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, b, 256, 0, NULL, NULL));
    assert_int_equal(host[63], 3);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, b, 256, 0, NULL, NULL));
    assert_int_equal(b[1], 3);
    OK(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
    const void *list[] = {a, b};
    OK(clEnqueueSVMMigrateMem(queue, 2, list, NULL, 0, 0, NULL, NULL));
    cl_event e;
    cl_command_type type;
    void *both[] = {a, b};
    OK(clEnqueueSVMFree(queue, 2, both, NULL, NULL, 0, NULL, &e));
    OK(clWaitForEvents(1, &e));
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_SVM_FREE);
    OK(clReleaseEvent(e));
}

static void errors(void **state)
{
    (void)state;
    char *a = clSVMAlloc(context, 0, 256, 0), x[256] = {0};
    assert_int_equal(clEnqueueSVMMemcpy(queue, CL_TRUE, a, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemcpy(queue, CL_TRUE, a + 8, a, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueSVMMemcpy(queue, CL_TRUE, a + 200, x, 100, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemcpy(NULL, CL_TRUE, a, x, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clEnqueueSVMMemFill(queue, a, x, 3, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemFill(queue, a, x, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemFill(queue, a + 1, x, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemFill(queue, NULL, x, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMap(queue, CL_TRUE, 0, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    void *null = NULL;
    OK(clEnqueueSVMFree(queue, 1, &null, NULL, NULL, 0, NULL, NULL));
    assert_int_equal(clEnqueueSVMFree(queue, 0, &null, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    const void *outside = x;
    assert_int_equal(clEnqueueSVMMigrateMem(queue, 1, &outside, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMigrateMem(queue, 0, &outside, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    clSVMFree(context, a);
}

static volatile int freed;
static void CL_CALLBACK free_function(cl_command_queue q, cl_uint n, void *pointers[], void *data)
{
    (void)q;
    for (cl_uint i = 0; i < n; i++) {
        clSVMFree((cl_context)data, pointers[i]);
    }
    clFinish(unordered);
    __atomic_store_n(&freed, (int)n, __ATOMIC_RELEASE);
}

/* The command completes after the application's function returned. */
static void free_callback(void **state)
{
    (void)state;
    void *p[] = {clSVMAlloc(context, 0, 16, 0), clSVMAlloc(context, 0, 16, 0)};
    OK(clEnqueueSVMFree(queue, 2, p, free_function, context, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(freed, 2);
}

/* A buffer over SVM shares its storage. */
static void buffer_over_svm(void **state)
{
    (void)state;
    int *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 256, 0), nine = 9;
    cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 256, p, &err);
    cl_bool uses;
    OK(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof(uses), &uses, NULL));
    assert_true(uses);
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .buffer = m};
    cl_mem image = clCreateImage(context, 0, &format, &line, NULL, &err); /* is no buffer */
    OK(err);
    OK(clGetMemObjectInfo(image, CL_MEM_USES_SVM_POINTER, sizeof(uses), &uses, NULL));
    assert_false(uses);
    OK(clReleaseMemObject(image));
    OK(clEnqueueFillBuffer(queue, m, &nine, 4, 0, 256, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(p[63], 9);
    int *mapped = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 4, 8, 0, NULL, NULL, &err);
    assert_ptr_equal(mapped, p + 1);
    OK(clEnqueueUnmapMemObject(queue, m, mapped, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(m));
    clSVMFree(context, p);
}

/* A running kernel keeps memory that the application frees too early; a context frees remaining
 * allocations. */
static void freed_too_early(void **state)
{
    (void)state;
    const char *text = "kernel void k(global int *p, global int *out) {\n"
                       "  int sum = 0; for (int i = 0; i < 300000; i++) sum += p[i % 64]; *out = sum; }";
    cl_program program = build_source(text, "");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem out = clCreateBuffer(context, 0, 4, NULL, &err);
    const size_t one = 1;
    int sum = 0, *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 256, 0);
    for (int i = 0; i < 64; i++)
        p[i] = 1;
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    OK(clSetKernelArg(kernel, 1, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    clSVMFree(context, p);
    for (int i = 0; i < 50; i++)
        assert_non_null(memset(clSVMAlloc(context, 0, 256, 0), 0, 256));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    assert_int_equal(sum, 300000);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocation),      cmocka_unit_test(commands),
                                       cmocka_unit_test(errors),          cmocka_unit_test(free_callback),
                                       cmocka_unit_test(buffer_over_svm), cmocka_unit_test(freed_too_early)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
