/* REFCL_CHECK=api: host accesses to unmapped memory are reported, and take effect all the same
 * [CL 5.2.4, 5.6.1]. */
#include <stdbool.h>
#include <unistd.h>

#include "tests/runtime/runtime_test.h"

enum { SIZE = 3 * 4096 };
static FILE *log_file;
static int real_stderr;

/* Findings go to standard error: from begin() to told() they are caught. */
static void begin(void)
{
    fflush(stderr);
    log_file = tmpfile();
    assert_non_null(log_file);
    real_stderr = dup(2);
    dup2(fileno(log_file), 2);
}

static const char *told(void)
{
    static char text[16384];
    fflush(stderr);
    dup2(real_stderr, 2);
    close(real_stderr);
    rewind(log_file);
    size_t n = fread(text, 1, sizeof text - 1, log_file);
    text[n] = 0;
    fclose(log_file);
    return text;
}

static void expect(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("\"%s\" is not in \"%s\"", wanted, text);
}

static void expect_quiet(const char *text)
{
    assert_string_equal(text, "");
}

static cl_kernel kernel_k(cl_program *program)
{
    *program = build_source("kernel void k(global int *p) { p[get_global_id(0)]++; }", "");
    cl_kernel k = clCreateKernel(*program, "k", &err);
    OK(err);
    return k;
}

/* Accesses to mapped memory, and all commands, are not reported. */
static void right_use(void **unused)
{
    (void)unused;
    const size_t n = SIZE / sizeof(int);
    cl_program program;
    begin();
    int *p = clSVMAlloc(context, 0, SIZE, 0);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, p, SIZE, 0, NULL, NULL));
    memset(p, 0, SIZE);
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    cl_kernel k = kernel_k(&program);
    OK(clSetKernelArgSVMPointer(k, 0, p));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    int back[2];
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, p, sizeof back, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, SIZE, 0, NULL, NULL));
    assert_int_equal(p[0], 1);
    assert_int_equal(p[n - 1], 1);
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    cl_mem m = clCreateBuffer(context, 0, SIZE, NULL, &err);
    int *view =
        clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE, 0, NULL, NULL, &err);
    for (size_t i = 0; i < n; i++)
        view[i] = (int)i;
    OK(clEnqueueUnmapMemObject(queue, m, view, 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    view = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 4096, 4096, 0, NULL, NULL, &err);
    assert_int_equal(view[0], 1025);
    OK(clEnqueueUnmapMemObject(queue, m, view, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(program));
    clSVMFree(context, p);
    expect_quiet(told());
}

static void unmapped_svm(void **unused)
{
    (void)unused;
    begin();
    volatile int *p = clSVMAlloc(context, 0, SIZE, 0);
    p[2] = 5;
    const char *text = told();
    expect(text, "host-access: host writes byte 8 of svm ");
    expect(text, "(coarse-grained SVM), which is not mapped");
    expect(text, "[CL 5.6.1 R1]");
    begin();
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, (void *)p, SIZE, 0, NULL, NULL));
    assert_int_equal(p[2], 5); /* it happened */
    expect_quiet(told());
    begin();
    p[3] = 1;
    expect(told(), "host writes byte 12 of svm");
    OK(clEnqueueSVMUnmap(queue, (void *)p, 0, NULL, NULL));
    OK(clFinish(queue));
    begin();
    assert_int_equal(p[2], 5);
    expect(told(), "host reads byte 8 of svm");
    clSVMFree(context, (void *)p);
}

static void map_under_way(void **unused)
{
    (void)unused;
    cl_event gate = clCreateUserEvent(context, &err);
    volatile int *p = clSVMAlloc(context, 0, SIZE, 0);
    OK(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_WRITE, (void *)p, SIZE, 1, &gate, NULL));
    OK(clFlush(queue));
    begin();
    p[0] = 1;
    const char *text = told();
    expect(text, "whose map is not complete");
    expect(text, "[CL 5.6.1 R33]");
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(queue));
    begin();
    p[0] = 2;
    expect_quiet(told());
    OK(clEnqueueSVMUnmap(queue, (void *)p, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseEvent(gate));
    clSVMFree(context, (void *)p);
}

static void after_unmap(void **unused)
{
    (void)unused;
    cl_mem m = clCreateBuffer(context, 0, SIZE, NULL, &err);
    volatile char *view = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &err);
    view[1] = 4;
    OK(clEnqueueUnmapMemObject(queue, m, (void *)view, 0, NULL, NULL));
    OK(clFinish(queue));
    begin();
    view[1]++;
    const char *text = told();
    expect(text, "host-access: host ");
    expect(text, "byte 1 of buffer ");
    expect(text, "which is not mapped");
    expect(text, "[CL 5.2.4 R8]");
    char back = 0;
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 1, 1, &back, 0, NULL, NULL));
    assert_int_equal(back, 4); /* the device never saw it */
    OK(clReleaseMemObject(m));
}

/* Only the pages of the region are mapped for the host; and reading only for reading. */
static void outside_of_the_region(void **unused)
{
    (void)unused;
    cl_mem m = clCreateBuffer(context, 0, SIZE, NULL, &err);
    volatile char *view =
        clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4096, 64, 0, NULL, NULL, &err);
    begin();
    view[5] = 1;
    expect_quiet(told());
    begin();
    view[4096] = 1;
    expect(told(), "host writes byte 8192 of buffer");
    OK(clEnqueueUnmapMemObject(queue, m, (void *)view, 0, NULL, NULL));
    view = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    begin();
    view[0] = 1;
    expect(told(), "which is mapped for reading");
    OK(clEnqueueUnmapMemObject(queue, m, (void *)view, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(m));
}

/* Fine-grained SVM needs no map. */
static void fine_grained(void **unused)
{
    (void)unused;
    begin();
    int *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE, 0);
    p[0] = 1;
    clSVMFree(context, p);
    expect_quiet(told());
}

static void images(void **unused)
{
    (void)unused;
    const size_t origin[3] = {0}, region[3] = {4, 4, 1};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    size_t pitch;
    cl_mem i = clCreateImage(context, 0, &format, &desc, NULL, &err);
    begin();
    volatile char *view =
        clEnqueueMapImage(queue, i, CL_TRUE, CL_MAP_WRITE, origin, region, &pitch, NULL, 0, NULL, NULL, &err);
    view[3 * pitch] = 1;
    OK(clEnqueueUnmapMemObject(queue, i, (void *)view, 0, NULL, NULL));
    OK(clFinish(queue));
    expect_quiet(told());
    begin();
    view[0] = 1;
    expect(told(), "byte 0 of image ");
    OK(clReleaseMemObject(i));
}

static void left_svm(void **unused)
{
    (void)unused;
    begin();
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    assert_non_null(clSVMAlloc(own, 0, 100, 0));
    OK(clReleaseContext(own));
    const char *text = told();
    expect(text, "leak: svm ");
    expect(text, "100 bytes, is not freed before its context ends");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_use),
                                       cmocka_unit_test(unmapped_svm),
                                       cmocka_unit_test(map_under_way),
                                       cmocka_unit_test(after_unmap),
                                       cmocka_unit_test(outside_of_the_region),
                                       cmocka_unit_test(fine_grained),
                                       cmocka_unit_test(images),
                                       cmocka_unit_test(left_svm)};
    setenv("REFCL_CHECK", "api", 1);
    unsetenv("REFCL_QUIET");
    return cmocka_run_group_tests(tests, open_device, close_device);
}
