/* Clauses of the memory model that only a running kernel shows: shared memory at synchronization points,
 * available atomic types, group functions [CL 3.3.5 O3] [CL 3.3.6 A20-A22, W9, B9, H20-H22]. */
#include "tests/runtime/runtime_test.h"

#include <stdatomic.h>

static cl_kernel kernel_of(const char *text)
{
    cl_program p = build_source(text, "-cl-std=CL3.0");
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(err);
    OK(clReleaseProgram(p));
    return k;
}

static void run(cl_kernel k, size_t global, size_t local)
{
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clFinish(queue));
}

static void *fine(size_t size)
{
    void *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    assert_non_null(p);
    return p;
}

/* ---- fine-grained SVM at synchronization points ------------------------------------------- */

/* The kernel's writes are visible after the queue is finished, without map and unmap [CL 3.3.6 H20]. */
static void consistent_without_map(void **state)
{
    (void)state;
    cl_kernel k = kernel_of("kernel void k(global int *p) { p[get_global_id(0)] += 100; }");
    int *p = fine(16 * sizeof *p);
    for (int i = 0; i < 16; i++)
        p[i] = i;
    OK(clSetKernelArgSVMPointer(k, 0, p));
    run(k, 16, 4);
    for (int i = 0; i < 16; i++)
        assert_int_equal(p[i], i + 100);
    for (int i = 0; i < 16; i++)
        p[i] = 2 * i; /* the next kernel sees it without unmap [CL 3.3.6 H20] */
    run(k, 16, 4);
    for (int i = 0; i < 16; i++)
        assert_int_equal(p[i], 2 * i + 100);
    clSVMFree(context, p);
    OK(clReleaseKernel(k));
}

/* Only the kernel's bytes change: the host's bytes beside them are kept, even if it writes them while the
 * kernel runs [CL 3.3.6 H21]. */
static void only_written_values_change(void **state)
{
    (void)state;
    cl_kernel k = kernel_of("kernel void k(global uchar *p) { p[2 * get_global_id(0)] = 7; }");
    unsigned char *p = fine(512);
    memset(p, 1, 512);
    OK(clSetKernelArgSVMPointer(k, 0, p));
    const size_t global = 256;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    for (int i = 1; i < 512; i += 2)
        p[i] = (unsigned char)i; /* other bytes, at the same time [CL 3.3.6 H21, H19] */
    OK(clFinish(queue));
    for (int i = 0; i < 512; i++)
        assert_int_equal(p[i], i % 2 ? (unsigned char)i : 7);
    clSVMFree(context, p);
    OK(clReleaseKernel(k));
}

/* A store that is not executed, a loop without iterations and a masked store write nothing: the host's
 * concurrent writes there are kept [CL 3.3.6 H22]. */
static void no_invented_writes(void **state)
{
    (void)state;
    cl_kernel k = kernel_of("kernel void k(global int *p, int n) {\n"
                            "  int i = get_global_id(0);\n"
                            "  if (n > i) p[i] = -1;\n"
                            "  for (int j = 0; j < n - 8; j++) p[j] = -2;\n"
                            "  if (n == 77) vstore4((int4)(-3), i, p);\n"
                            "}");
    int *p = fine(64 * sizeof *p);
    const size_t global = 16;
    const int n = 4;
    for (int i = 0; i < 64; i++)
        p[i] = i;
    OK(clSetKernelArgSVMPointer(k, 0, p));
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    for (int i = 4; i < 64; i++)
        p[i] = 1000 + i; /* where no store is executed [CL 3.3.6 H22] */
    OK(clFinish(queue));
    for (int i = 0; i < 64; i++)
        assert_int_equal(p[i], i < 4 ? -1 : 1000 + i);
    clSVMFree(context, p);
    OK(clReleaseKernel(k));
}

/* The same for bytes within a word [CL 3.3.6 H22, H21]. */
static void bytes_within_words(void **state)
{
    (void)state;
    cl_kernel k =
        kernel_of("kernel void k(global uchar *p) { if (get_global_id(0) % 4 == 1) p[get_global_id(0)]++; }");
    unsigned char *p = fine(64);
    memset(p, 9, 64);
    OK(clSetKernelArgSVMPointer(k, 0, p));
    run(k, 64, 8);
    for (int i = 0; i < 64; i++)
        assert_int_equal(p[i], i % 4 == 1 ? 10 : 9);
    clSVMFree(context, p);
    OK(clReleaseKernel(k));
}

/* ---- atomic types ------------------------------------------------------------------------- */

/* Every atomic type of a full device [CL 3.3.5 O3]. */
static void atomic_types(void **state)
{
    (void)state;
    cl_kernel k =
        kernel_of("#define TRY(T, i) { global atomic_##T *a = (global atomic_##T *)(p + i);\\\n"
                  "  atomic_init(a, (T)i); atomic_fetch_add(a, (T)3); if (atomic_exchange(a, (T)1) == (T)(i "
                  "+ 3)) out[i] = 1; }\n"
                  "#define TRY_FLOAT(T, i) { global atomic_##T *a = (global atomic_##T *)(p + i);\\\n"
                  "  atomic_init(a, (T)i); if (atomic_exchange(a, (T)1) == (T)i && atomic_load(a) == (T)1) "
                  "out[i] = 1; }\n"
                  "kernel void k(global ulong *p, global int *out) {\n"
                  "  TRY(int, 0) TRY(uint, 1) TRY(long, 2) TRY(ulong, 3)\n"
                  "  TRY(intptr_t, 4) TRY(uintptr_t, 5) TRY(size_t, 6) TRY(ptrdiff_t, 7)\n"
                  "  TRY_FLOAT(float, 8) TRY_FLOAT(double, 9)\n"
                  "  global atomic_flag *f = (global atomic_flag *)(p + 10); *(global int *)f = 0;\n"
                  "  out[10] = !atomic_flag_test_and_set(f) && atomic_flag_test_and_set(f);\n"
                  "}");
    cl_mem memory = clCreateBuffer(context, 0, 16 * sizeof(cl_ulong), NULL, &err);
    int out[11] = {0};
    cl_mem result = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof out, out, &err);
    OK(clSetKernelArg(k, 0, sizeof memory, &memory));
    OK(clSetKernelArg(k, 1, sizeof result, &result));
    run(k, 1, 1);
    OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 11; i++)
        assert_int_equal(out[i], 1);
    OK(clReleaseMemObject(memory));
    OK(clReleaseMemObject(result));
    OK(clReleaseKernel(k));
}

/* An atomic type that needs an extension is refused without it [CL 3.3.5 O3]. */
static void no_other_atomic_types(void **state)
{
    (void)state;
    const char *text = "kernel void k(global atomic_char *p) { atomic_store(p, 1); }";
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(err);
    assert_int_equal(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    OK(clReleaseProgram(p));
}

/* Host atomics have the size of the device's and act on the same bytes [CL 3.3.6 A22]. */
static void host_atomics(void **state)
{
    (void)state;
    cl_kernel k = kernel_of(
        "kernel void k(global atomic_int *i, global atomic_ulong *u, global int *sizes) {\n"
        "  if (get_global_id(0) == 0) { sizes[0] = sizeof(atomic_int); sizes[1] = sizeof(atomic_ulong);\n"
        "    sizes[2] = sizeof(atomic_uint); sizes[3] = sizeof(atomic_long); sizes[4] = "
        "sizeof(atomic_uintptr_t); }\n"
        "  atomic_fetch_add_explicit(i, 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
        "  atomic_fetch_add_explicit(u, 1UL << 33, memory_order_relaxed, memory_scope_all_svm_devices);\n"
        "}");
    /* Requested at the allocation, and supported [CL 3.3.6 A20, A21]. */
    char *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0);
    assert_non_null(p);
    memset(p, 0, 64);
    _Atomic int *i = (_Atomic int *)p;
    _Atomic uint64_t *u = (_Atomic uint64_t *)(p + 8);
    int *sizes = (int *)(p + 16);
    const size_t global = 64;
    OK(clSetKernelArgSVMPointer(k, 0, p));
    OK(clSetKernelArgSVMPointer(k, 1, p + 8));
    OK(clSetKernelArgSVMPointer(k, 2, p + 16));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    for (int n = 0; n < 1000; n++) {
        atomic_fetch_add_explicit(i, 1, memory_order_relaxed); /* with the device, none lost [CL 3.3.6 A22] */
        atomic_fetch_add_explicit(u, 1, memory_order_relaxed);
    }
    OK(clFinish(queue));
    assert_int_equal(atomic_load(i), 1064);
    assert_true(atomic_load(u) == 1000 + (64ull << 33));
    assert_int_equal(sizes[0], sizeof(_Atomic int));
    assert_int_equal(sizes[1], sizeof(_Atomic uint64_t));
    assert_int_equal(sizes[2], sizeof(_Atomic unsigned));
    assert_int_equal(sizes[3], sizeof(_Atomic int64_t));
    assert_int_equal(sizes[4], sizeof(_Atomic uintptr_t));
    clSVMFree(context, p);
    OK(clReleaseKernel(k));
}

/* ---- group functions ---------------------------------------------------------------------- */

/* A work-item's value is computed before the call, and the result depends on all values; SIZE is the size of
 * the group. */
static void group_function(const char *text, size_t size)
{
    cl_kernel k = kernel_of(text);
    int out[16];
    cl_mem result = clCreateBuffer(context, 0, sizeof out, NULL, &err);
    OK(clSetKernelArg(k, 0, sizeof result, &result));
    run(k, 16, 8);
    OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (size_t i = 0; i < 16; i++) {
        size_t first = i / size * size, sum = 0;
        for (size_t n = first; n < first + size; n++)
            sum += n * n;
        assert_int_equal(out[i], sum);
    }
    OK(clReleaseMemObject(result));
    OK(clReleaseKernel(k));
}

static void work_group_functions(void **state) /* [CL 3.3.6 W9] */
{
    (void)state;
    group_function("kernel void k(global int *p) { int i = get_global_id(0); int v = 0;\n"
                   "  for (int n = 0; n < i; n++) v += i;\n"
                   "  p[i] = work_group_reduce_add(v); }",
                   8);
    group_function("kernel void k(global int *p) { int i = get_global_id(0); int s = 0;\n" /* [CL 3.3.6 W9] */
                   "  for (int n = 0; n < 8; n++) s += work_group_broadcast(i * i, n);\n"
                   "  p[i] = s; }",
                   8);
}

static void sub_group_functions(void **state) /* [CL 3.3.6 B9] */
{
    (void)state;
    cl_kernel k =
        kernel_of("kernel void k(global int *p) { p[get_global_id(0)] = get_max_sub_group_size(); }");
    int sizes[16];
    cl_mem result = clCreateBuffer(context, 0, sizeof sizes, NULL, &err);
    OK(clSetKernelArg(k, 0, sizeof result, &result));
    run(k, 16, 8);
    OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof sizes, sizes, 0, NULL, NULL));
    OK(clReleaseMemObject(result));
    OK(clReleaseKernel(k));
    size_t size = sizes[0] < 8 ? (size_t)sizes[0] : 8;
    group_function("kernel void k(global int *p) { int i = get_global_id(0); int v = 0;\n"
                   "  for (int n = 0; n < i; n++) v += i;\n"
                   "  p[i] = sub_group_reduce_add(v); }",
                   size);
    group_function("kernel void k(global int *p) { int i = get_global_id(0); int s = 0;\n" /* [CL 3.3.6 B9] */
                   "  for (uint n = 0; n < get_sub_group_size(); n++) s += sub_group_broadcast(i * i, n);\n"
                   "  p[i] = s; }",
                   size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consistent_without_map), cmocka_unit_test(only_written_values_change),
        cmocka_unit_test(no_invented_writes),     cmocka_unit_test(bytes_within_words),
        cmocka_unit_test(atomic_types),           cmocka_unit_test(no_other_atomic_types),
        cmocka_unit_test(host_atomics),           cmocka_unit_test(work_group_functions),
        cmocka_unit_test(sub_group_functions),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
