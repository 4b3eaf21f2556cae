/* Extensions and optional features: one small kernel for each that the device reports. */
#include <stdbool.h>

#include "tests/runtime/runtime_test.h"

static bool named(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static char extensions[8192];

static int open_named(void **state)
{
    return open_device(state) ||
           clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
}

/* Kernel "k" writes 32 ints, one per work-item of one group; the expectation for item I is WANTED(I). */
static int index_of(int i)
{
    return i;
}
static int one(int i)
{
    (void)i;
    return 1;
}
static int fp16(int i)
{
    return 3 * i + 1;
}
static int swapped(int i)
{
    return i ^ 1;
}
static int next_up(int i)
{
    return i < 31 ? i + 1 : 31;
}
static int prefix(int i)
{
    return i * (i + 1) / 2;
}
static int even_count(int i)
{
    return i % 2 ? 0 : 16;
}
static int cluster(int i)
{
    int base = i / 4 * 4;
    return 4 * base + 6;
}
static int turned(int i)
{
    return (i + 5) % 32;
}
static int bits(int i)
{
    return (i << 4 | 5) + (i & 7);
}
static int dot(int i)
{
    return i * 10 - 3 * i;
}
static int product(int i)
{
    (void)i;
    return 1 << 10;
}
static int copied(int i)
{
    return i / 8 * 100 + i % 8;
}

static const struct feature {
    const char *extension, *source;
    int (*wanted)(int i);
} features[] = {
    {"cl_khr_fp16",
     "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
     "kernel void k(global int *o) { int i = get_global_id(0); half h = i; half4 v = (half4)(h);\n"
     "  o[i] = convert_int(fma(h, 3.0h, 1.0h)) + (int)(v.x - v.w); }",
     fp16},
    {"cl_khr_subgroup_extended_types",
     "kernel void k(global int *o) { int i = get_global_id(0); char2 c = (char2)(i, 1);\n"
     "  o[i] = i - sub_group_broadcast(c, 0).x; }",
     index_of},
    {"cl_khr_subgroup_non_uniform_vote",
     "kernel void k(global int *o) { int i = get_global_id(0), r;\n"
     "  if (i & 1) r = sub_group_non_uniform_all(i & 1); else r = !sub_group_non_uniform_any(i & 1);\n"
     "  o[i] = r; }",
     one},
    {"cl_khr_subgroup_ballot",
     "kernel void k(global int *o) { int i = get_global_id(0); uint4 b = sub_group_ballot(!(i & 1));\n"
     "  o[i] = i & 1 ? 0 : (int)sub_group_ballot_bit_count(b); }",
     even_count},
    {"cl_khr_subgroup_non_uniform_arithmetic",
     "kernel void k(global int *o) { int i = get_global_id(0), r = 0;\n"
     "  if (!(i & 1)) r = sub_group_non_uniform_reduce_add(1);\n"
     "  o[i] = r; }",
     even_count},
    {"cl_khr_subgroup_shuffle",
     "kernel void k(global int *o) { int i = get_global_id(0); o[i] = sub_group_shuffle_xor(i, 1u); }",
     swapped},
    {"cl_khr_subgroup_shuffle_relative",
     "kernel void k(global int *o) { int i = get_global_id(0), v = sub_group_shuffle_down(i, 1u);\n"
     "  o[i] = i < 31 ? v : 31; }",
     next_up},
    {"cl_khr_subgroup_clustered_reduce",
     "kernel void k(global int *o) { int i = get_global_id(0);\n"
     "  o[i] = sub_group_clustered_reduce_add(i, 4u); }",
     cluster},
    {"cl_khr_subgroup_rotate",
     "kernel void k(global int *o) { int i = get_global_id(0); o[i] = sub_group_rotate(i, 5); }", turned},
    {"cl_khr_subgroups",
     "kernel void k(global int *o) { int i = get_global_id(0); o[i] = sub_group_scan_inclusive_add(i); }",
     prefix},
    {"cl_khr_extended_bit_ops",
     "kernel void k(global int *o) { int i = get_global_id(0);\n"
     "  o[i] = bitfield_insert(5, i, 4u, 8u) + (int)bitfield_extract_unsigned((uint)i, 0u, 3u); }",
     bits},
    {"cl_khr_integer_dot_product",
     "kernel void k(global int *o) { int i = get_global_id(0);\n"
     "  o[i] = dot((char4)(i, 0, 0, -i), (char4)(10, 1, 1, 3)); }",
     dot},
    {"cl_khr_expect_assume",
     "kernel void k(global int *o) { int i = get_global_id(0); __builtin_assume(i >= 0);\n"
     "  if (__builtin_expect(i == 3, 0)) o[i] = 3; else o[i] = i; }",
     index_of},
    {"cl_khr_work_group_uniform_arithmetic",
     "kernel void k(global int *o) { int i = get_global_id(0);\n"
     "  o[i] = work_group_reduce_mul(i < 10 ? 2 : 1); }",
     product},
    {"cl_khr_extended_async_copies",
     "kernel void k(global int *o) { local int l[32]; global int *g = o + 32; int i = get_global_id(0);\n"
     "  g[i] = i / 8 * 100 + i % 8; barrier(CLK_GLOBAL_MEM_FENCE);\n"
     "  event_t e = async_work_group_copy_2D2D(l, 0, g, 0, 4, 8, 4, 8, 8, 0);\n"
     "  wait_group_events(1, &e); o[i] = l[i]; }",
     copied},
    {"cl_khr_async_work_group_copy_fence",
     "kernel void k(global int *o) { local int l[32]; global int *g = o + 32; int i = get_global_id(0);\n"
     "  g[i] = i; barrier(CLK_GLOBAL_MEM_FENCE); event_t e = async_work_group_copy(l, g, 32, 0);\n"
     "  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE); e = async_work_group_copy(o, l, 32, e);\n"
     "  wait_group_events(1, &e); }",
     index_of},
};

static void extension(void **state)
{
    const struct feature *f = *state;
    assert_true(named(extensions, f->extension));
    cl_program program = build_source(f->source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * 4, NULL, &err);
    OK(err);
    const size_t items = 32;
    int out[32];
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], f->wanted(i));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    enum { COUNT = sizeof features / sizeof *features };
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){features[i].extension, extension, NULL, NULL,
                                       (void *)(uintptr_t)&features[i]};
    return cmocka_run_group_tests(tests, open_named, close_device);
}
