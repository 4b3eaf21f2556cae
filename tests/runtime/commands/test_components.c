/* Writes to components of vectors touch those components only. [CLC 6.3.7] */
#include "tests/runtime/runtime_test.h"

static const char source[] =
    "kernel void scalar(global int4 *v) { v[get_global_id(0)].z = 42; }\n"
    "kernel void several(global float4 *v) { v[0].zy = (float2)(7, 8); v[0].s3 = 9; v[1].wzyx = v[1]; }\n"
    "kernel void moved(global float4 *v) { v[0].y = v[0].z; v[1].xw = v[1].wx; }\n"
    "kernel void of_three(global short3 *v) { v[1].y = 5; v[2].xz = (short2)(1, 2); }\n"
    "kernel void wide(global char16 *v, int i) { v[0].sf = 3; v[0].odd = (char8)(1); ((global char *)v)[i] = "
    "9; }\n"
    "kernel void local_part(global int *o, local int2 *l) {\n"
    "    int i = get_local_id(0);\n"
    "    if (i == 0) l[0].x = 1; else l[0].y = 2;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    o[i] = l[0].x + 10 * l[0].y;\n"
    "}\n"
    "kernel void private_part(global float *o) { float4 p = (float4)(1, 2, 3, 4); p.y = p.w; p.xz = p.zx;\n"
    "    vstore4(p, 0, o); }\n";

static const char options[] = "-cl-std=CL3.0";
#include "tests/runtime/program/program_test.h"

static void run(const char *name, size_t items, void *data, size_t size, cl_mem_flags flags, size_t local,
                const cl_int *number)
{
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    cl_mem mem = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, size, data, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    if (local)
        OK(clSetKernelArg(kernel, 1, local, NULL));
    if (number)
        OK(clSetKernelArg(kernel, 1, sizeof *number, number));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, size, data, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

static void test_write_only(void **state)
{
    (void)state;
    cl_int v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const cl_int expected[8] = {1, 2, 42, 4, 5, 6, 42, 8};
    run("scalar", 2, v, sizeof v, CL_MEM_WRITE_ONLY, 0, NULL);
    assert_memory_equal(v, expected, sizeof v);
}

static void test_values(void **state)
{
    (void)state;
    cl_float v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[8] = {1, 2, 3, 4, 5, 6, 7, 8}, p[4];
    const cl_float several[8] = {1, 8, 7, 9, 8, 7, 6, 5}, moved[8] = {1, 3, 3, 4, 8, 6, 7, 5},
                   private_part[4] = {3, 4, 1, 4};
    run("several", 1, v, sizeof v, CL_MEM_READ_WRITE, 0, NULL);
    assert_memory_equal(v, several, sizeof v);
    run("moved", 1, w, sizeof w, CL_MEM_READ_WRITE, 0, NULL);
    assert_memory_equal(w, moved, sizeof w);
    run("private_part", 1, p, sizeof p, CL_MEM_READ_WRITE, 0, NULL);
    assert_memory_equal(p, private_part, sizeof p);
}

static void test_layouts(void **state)
{
    (void)state;
    cl_short v[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const cl_short expected[12] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 9, 2, 11};
    run("of_three", 1, v, sizeof v, CL_MEM_READ_WRITE, 0, NULL);
    assert_memory_equal(v, expected, sizeof v);
    cl_char c[16] = {0}, wide[16] = {9, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    cl_int zero = 0;
    run("wide", 1, c, sizeof c, CL_MEM_READ_WRITE, 0, &zero);
    assert_memory_equal(c, wide, sizeof c);
    cl_int o[2];
    run("local_part", 2, o, sizeof o, CL_MEM_READ_WRITE, 8, NULL);
    assert_int_equal(o[0], 21);
    assert_int_equal(o[1], 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_only),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_layouts),
    };
    return cmocka_run_group_tests(tests, open_program, close_program);
}
