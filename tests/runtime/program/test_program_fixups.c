/* Constructs that the compiler rewrites before translation behave as OpenCL C requires: computed orders,
 * scopes and flags, compare-exchange on floating-point values, plain inline functions, no contraction. */
#include "tests/runtime/runtime_test.h"

static const char source[] =
    "kernel void dynamic(global atomic_int *a, global int *o, int order, int scope, int flags, local int "
    "*l)\n"
    "{\n"
    "    int i = get_local_id(0);\n"
    "    o[i] = atomic_fetch_add_explicit(a, 1, (memory_order)order, (memory_scope)scope);\n"
    "    l[i] = 2 * i;\n"
    "    barrier((cl_mem_fence_flags)flags);\n"
    "    o[i + 8] = l[7 - i];\n"
    "    atomic_work_item_fence((cl_mem_fence_flags)flags, (memory_order)order, (memory_scope)scope);\n"
    "    work_group_barrier((cl_mem_fence_flags)flags, (memory_scope)scope);\n"
    "    l[i] = 3 * i;\n"
    "    work_group_barrier((cl_mem_fence_flags)flags);\n"
    "    o[i + 16] = l[(i + 1) & 7];\n"
    "    mem_fence((cl_mem_fence_flags)flags);\n"
    "    read_mem_fence((cl_mem_fence_flags)flags);\n"
    "    write_mem_fence((cl_mem_fence_flags)flags);\n"
    "}\n"
    "kernel void exchange(global atomic_float *f, global atomic_double *d, global float *o)\n"
    "{\n"
    "    float e = 2.0f;\n"
    "    double w = 8.0;\n"
    "    o[0] = atomic_compare_exchange_strong(f, &e, 3.0f);\n"
    "    o[1] = e;\n"
    "    o[2] = atomic_compare_exchange_strong(f, &e, 3.0f);\n"
    "    o[3] = atomic_load(f);\n"
    "    o[4] = atomic_compare_exchange_strong_explicit(d, &w, 9.0, memory_order_acq_rel, "
    "memory_order_relaxed,\n"
    "                                                   memory_scope_device);\n"
    "    o[5] = (float)atomic_load(d);\n"
    "}\n"
    "kernel void choose(global float *o, global int *n)\n"
    "{\n"
    "    float3 low = vload3(0, o), high = (float3)(7.0f, 8.0f, 9.0f);\n"
    "    char16 c = (char16)(1), d = (char16)(2);\n"
    "    double2 e = n[0] > 3 ? (double2)(1, 2) : (double2)(3, 4);\n"
    "    vstore3(n[0] > 3 ? low : high, 1, o);\n"
    "    vstore3(n[1] > 3 ? low : high, 2, o);\n"
    "    o[9] = (n[1] > 3 ? c : d).sf + e.y;\n"
    "}\n"
    "typedef struct { float w[8]; int n; } weights;\n"
    "kernel void initial(global float *o, int n)\n"
    "{\n"
    "    weights s = {{1, 2, 3, 4, 5, 6, 7, 8}, n};\n"
    "    s.w[n] = 20;\n"
    "    weights t = {{1, 2, 3, 4, 5, 6, 7, 8}, n + 1};\n"
    "    char text[6] = \"hello\";\n"
    "    int m[3][4] = {{1}, {2, 3}};\n"
    "    double16 d[2] = {(double16)(0)};\n"
    "    o[2] = text[n] + m[1][1] + m[2][n] + d[1].s3;\n"
    "    o[0] = s.w[0] + s.w[7] + s.n;\n"
    "    o[1] = s.w[n] + t.w[n] + t.n;\n"
    "}\n"
    "inline float twice(float x) { return x + x; }\n"
    "kernel void plain(global float *a) { a[0] = twice(a[0]); a[1] = a[2] * a[3] + a[4]; }\n";

static const char options[] = "-cl-std=CL3.0";
#include "tests/runtime/program/program_test.h"

static cl_mem buffer(size_t size, void *data)
{
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, data, &err);
    OK(err);
    return mem;
}

static void run_dynamic(int order, int scope, int flags)
{
    cl_kernel kernel = clCreateKernel(program, "dynamic", &err);
    OK(err);
    int counter = 0, o[24] = {0}, seen = 0;
    size_t eight = 8;
    cl_mem a = buffer(sizeof counter, &counter), out = buffer(sizeof o, o);
    OK(clSetKernelArg(kernel, 0, sizeof a, &a));
    OK(clSetKernelArg(kernel, 1, sizeof out, &out));
    OK(clSetKernelArg(kernel, 2, sizeof order, &order));
    OK(clSetKernelArg(kernel, 3, sizeof scope, &scope));
    OK(clSetKernelArg(kernel, 4, sizeof flags, &flags));
    OK(clSetKernelArg(kernel, 5, 32, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &eight, &eight, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof o, o, 0, NULL, NULL));
    for (int i = 0; i < 8; i++) {
        seen |= 1 << o[i];
        assert_int_equal(o[i + 8], 2 * (7 - i));
        assert_int_equal(o[i + 16], 3 * ((i + 1) & 7));
    }
    assert_int_equal(seen, 255);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

/* memory_order: relaxed 0, acquire 2, release 3, acq_rel 4, seq_cst 5; memory_scope: work_group 1, device 2,
 * all_svm_devices 3; flags: local 1, global 2. */
static void test_computed_orders(void **state)
{
    (void)state;
    static const int orders[] = {0, 2, 3, 4, 5};
    for (size_t i = 0; i < 5; i++)
        for (int scope = 1; scope <= 3; scope++)
            for (int flags = 1; flags <= 3; flags += 2)
                run_dynamic(orders[i], scope, flags);
}

static void test_float_exchange(void **state)
{
    (void)state;
    cl_kernel kernel = clCreateKernel(program, "exchange", &err);
    OK(err);
    float f = 1, o[6] = {0};
    double d = 8;
    size_t one = 1;
    cl_mem fm = buffer(sizeof f, &f), dm = buffer(sizeof d, &d), out = buffer(sizeof o, o);
    OK(clSetKernelArg(kernel, 0, sizeof fm, &fm));
    OK(clSetKernelArg(kernel, 1, sizeof dm, &dm));
    OK(clSetKernelArg(kernel, 2, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof o, o, 0, NULL, NULL));
    const float expected[6] = {0, 1, 1, 3, 1, 9};
    assert_memory_equal(o, expected, sizeof expected);
    OK(clReleaseMemObject(fm));
    OK(clReleaseMemObject(dm));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

static void test_plain(void **state)
{
    (void)state;
    cl_kernel kernel = clCreateKernel(program, "plain", &err);
    OK(err);
    /* The product 1 - 2^-26 rounds to 1; fused, the sum would keep -2^-26. */
    float a[5] = {1.5f, 0, 1.0f + 0x1p-13f, 1.0f - 0x1p-13f, -1.0f};
    size_t one = 1;
    cl_mem mem = buffer(sizeof a, a);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    assert_true(a[0] == 3.0f);
    assert_true(a[1] == 0.0f);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* One condition chooses between vectors [CLC 6.3.9]. */
static void test_choose(void **state)
{
    (void)state;
    cl_kernel kernel = clCreateKernel(program, "choose", &err);
    OK(err);
    float o[10] = {1, 2, 3};
    cl_int n[2] = {4, 3};
    size_t one = 1;
    cl_mem out = buffer(sizeof o, o), in = buffer(sizeof n, n);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clSetKernelArg(kernel, 1, sizeof in, &in));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof o, o, 0, NULL, NULL));
    const float expected[10] = {1, 2, 3, 1, 2, 3, 7, 8, 9, 2 + 2};
    for (int i = 0; i < 10; i++)
        assert_true(o[i] == expected[i]);
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(in));
    OK(clReleaseKernel(kernel));
}

/* A structure of constant members and one that is not (C99 initialization). */
static void test_initial(void **state)
{
    (void)state;
    cl_kernel kernel = clCreateKernel(program, "initial", &err);
    OK(err);
    float o[3] = {0};
    cl_int n = 3;
    size_t one = 1;
    cl_mem out = buffer(sizeof o, o);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clSetKernelArg(kernel, 1, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof o, o, 0, NULL, NULL));
    assert_true(o[0] == 1 + 8 + 3);
    assert_true(o[1] == 20 + 4 + 4);
    assert_true(o[2] == 'l' + 3);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_computed_orders), cmocka_unit_test(test_float_exchange),
        cmocka_unit_test(test_plain),           cmocka_unit_test(test_choose),
        cmocka_unit_test(test_initial),
    };
    return cmocka_run_group_tests(tests, open_program, close_program);
}
