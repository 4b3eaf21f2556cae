/* Kernels in queues: launches, errors, local memory, atomics, SVM pointers, printf, findings [CL 5.10]. */
#include "tests/runtime/runtime_test.h"

#include <fcntl.h>
#include <unistd.h>

static const char *const source =
    "kernel void add(global const int *a, global const int *b, global int *c)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
    "kernel void matmul(global const float *a, global const float *b, global float *c, int n, local float "
    "*ta,\n"
    "                   local float *tb)\n"
    "{ int x = get_local_id(0), y = get_local_id(1), t = get_local_size(0);\n"
    "  int col = get_global_id(0), row = get_global_id(1); float sum = 0;\n"
    "  for (int k = 0; k < n; k += t) {\n"
    "    ta[y * t + x] = a[row * n + k + x]; tb[y * t + x] = b[(k + y) * n + col];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = 0; i < t; i++) sum += ta[y * t + i] * tb[i * t + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  c[row * n + col] = sum; }\n"
    "kernel void reduce(global const int *in, global int *out)\n"
    "{ local int part[64]; int l = get_local_id(0); part[l] = in[get_global_id(0)];\n"
    "  for (int s = 32; s > 0; s >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < s) part[l] += part[l + s]; "
    "}\n"
    "  if (l == 0) out[get_group_id(0)] = part[0]; }\n"
    "kernel void histogram(global const uint *in, global uint *bins) { "
    "atomic_inc(&bins[in[get_global_id(0)]]); }\n"
    "kernel void spin(volatile global int *lock, global int *counter)\n"
    "{ for (int done = 0; !done;) if (atomic_cmpxchg(lock, 0, 1) == 0) {\n"
    "    counter[0] = counter[0] + 1; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(lock, 0); done = 1; } }\n"
    "kernel void ids(global uint *out)\n"
    "{ size_t i = get_global_id(0) - get_global_offset(0);\n"
    "  out[i] = (uint)(get_group_id(0) * 1000 + get_local_id(0) * 10 + get_local_size(0)); }\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(global int *a) { a[0] = 1; }\n"
    "kernel void hello(int n) { printf(\"hello %d\\n\", n); }\n"
    "kernel void many(int n) { printf(\"%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%v4d\\n\",\n"
    "    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, n, (int4)(n, 8, 7, 6)); }\n"
    "kernel void chase(global ulong *head, global int *sum)\n"
    "{ int s = 0; while (head) { s += (int)head[1]; head = (global ulong *)head[0]; } *sum = s; }\n"
    "kernel void wait_for(volatile global int *flag, global int *out)\n"
    "{ while (atomic_add(flag, 0) == 0) ; out[0] = 7; }\n"
    "kernel void signal(volatile global int *flag) { atomic_xchg(flag, 1); }\n"
    "kernel void past_end(global int *a, int n) { a[n] = 1; }\n";

static const char options[] = "";
#include "tests/runtime/program/program_test.h"

static cl_kernel kernel(const char *name)
{
    cl_kernel k = clCreateKernel(program, name, &err);
    OK(err);
    return k;
}

static cl_mem buffer(size_t size, const void *data)
{
    cl_mem m = clCreateBuffer(context, data ? CL_MEM_COPY_HOST_PTR : 0, size, (void *)(uintptr_t)data, &err);
    OK(err);
    return m;
}

static void set_mems(cl_kernel k, size_t n, const cl_mem *mems)
{
    for (size_t i = 0; i < n; i++) {
        OK(clSetKernelArg(k, (cl_uint)i, sizeof(cl_mem), &mems[i]));
    }
}

static void release(cl_kernel k, size_t n, const cl_mem *mems)
{
    for (size_t i = 0; i < n; i++) {
        OK(clReleaseMemObject(mems[i]));
    }
    OK(clReleaseKernel(k));
}

static void vector_add(void **state)
{
    (void)state;
    enum { N = 1000 };
    static int a[N], b[N], c[N];
    for (int i = 0; i < N; i++) {
        a[i] = i * 3;
        b[i] = 1000000 - i;
    }
    cl_kernel k = kernel("add");
    cl_mem mems[] = {buffer(sizeof(a), a), buffer(sizeof(b), b), buffer(sizeof(c), NULL)};
    set_mems(k, 3, mems);
    size_t global = N;
    cl_event e;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, &e));
    OK(clEnqueueReadBuffer(queue, mems[2], CL_TRUE, 0, sizeof(c), c, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        assert_int_equal(c[i], a[i] + b[i]);
    }
    cl_command_type type;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_NDRANGE_KERNEL);
    cl_ulong start, end;
    OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, 8, &start, NULL));
    OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 8, &end, NULL));
    assert_true(end > start);
    OK(clReleaseEvent(e));
    release(k, 3, mems);
}

static void tiled_matmul(void **state)
{
    (void)state;
    enum { N = 16, T = 4 };
    static float a[N * N], b[N * N], c[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    cl_kernel k = kernel("matmul");
    cl_mem mems[] = {buffer(sizeof(a), a), buffer(sizeof(b), b), buffer(sizeof(c), NULL)};
    set_mems(k, 3, mems);
    int n = N;
    OK(clSetKernelArg(k, 3, sizeof(n), &n));
    OK(clSetKernelArg(k, 4, T * T * sizeof(float), NULL));
    OK(clSetKernelArg(k, 5, T * T * sizeof(float), NULL));
    const size_t global[] = {N, N}, local[] = {T, T};
    OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mems[2], CL_TRUE, 0, sizeof(c), c, 0, NULL, NULL));
    for (int y = 0; y < N; y++) {
        for (int x = 0; x < N; x++) {
            float sum = 0;
            for (int i = 0; i < N; i++) {
                sum += a[y * N + i] * b[i * N + x];
            }
            assert_true(c[y * N + x] == sum);
        }
    }
    release(k, 3, mems);
}

static void reduction(void **state)
{
    (void)state;
    static int in[1024], out[16];
    for (int i = 0; i < 1024; i++) {
        in[i] = i;
    }
    cl_kernel k = kernel("reduce");
    cl_mem mems[] = {buffer(sizeof(in), in), buffer(sizeof(out), NULL)};
    set_mems(k, 2, mems);
    const size_t global = 1024, local = 64;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mems[1], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int g = 0; g < 16; g++) {
        assert_int_equal(out[g], 64 * (64 * g) + 63 * 64 / 2);
    }
    release(k, 2, mems);
}

static void atomics(void **state)
{
    (void)state;
    static unsigned in[512], bins[8], expected[8];
    for (unsigned i = 0; i < 512; i++) {
        in[i] = (i * i) % 8;
        expected[in[i]]++;
    }
    cl_kernel k = kernel("histogram");
    cl_mem mems[] = {buffer(sizeof(in), in), buffer(sizeof(bins), bins)};
    set_mems(k, 2, mems);
    const size_t global = 512;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mems[1], CL_TRUE, 0, sizeof(bins), bins, 0, NULL, NULL));
    assert_memory_equal(bins, expected, sizeof(bins));
    release(k, 2, mems);
    k = kernel("spin");
    int zero = 0, count = 0;
    cl_mem locks[] = {buffer(4, &zero), buffer(4, &zero)};
    set_mems(k, 2, locks);
    const size_t items = 32, four = 4;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, &four, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, locks[1], CL_TRUE, 0, 4, &count, 0, NULL, NULL));
    assert_int_equal(count, 32);
    release(k, 2, locks);
}

/* The last group is smaller when the local size does not divide the global size. */
static void non_uniform_groups(void **state)
{
    (void)state;
    cl_program p3 = build_source(source, "-cl-std=CL3.0");
    cl_kernel k = clCreateKernel(p3, "ids", &err), old = kernel("ids");
    cl_mem m = buffer(40, NULL);
    set_mems(k, 1, &m);
    set_mems(old, 1, &m);
    const size_t global = 10, local = 4, offset = 5;
    assert_int_equal(clEnqueueNDRangeKernel(queue, old, 1, NULL, &global, &local, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    OK(clEnqueueNDRangeKernel(queue, k, 1, &offset, &global, &local, 0, NULL, NULL));
    unsigned out[10];
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 40, out, 0, NULL, NULL));
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(out[i], i / 4 * 1000 + i % 4 * 10 + (i < 8 ? 4 : 2));
    }
    OK(clReleaseKernel(old));
    release(k, 1, &m);
    OK(clReleaseProgram(p3));
}

static void launch_errors(void **state)
{
    (void)state;
    cl_kernel k = kernel("required"), unset = kernel("add");
    cl_mem m = buffer(64, NULL);
    set_mems(k, 1, &m);
    const size_t g[] = {8, 4, 1}, good[] = {4, 2, 1}, wrong[] = {2, 4, 1}, zero[] = {0, 2, 1},
                 big[] = {4096, 1, 1}, huge[] = {SIZE_MAX, 1, 1};
#define LAUNCH(q, kern, dim, off, glob, loc)                                                                 \
    clEnqueueNDRangeKernel(q, kern, dim, off, glob, loc, 0, NULL, NULL)
    assert_int_equal(LAUNCH(NULL, k, 2, NULL, g, good), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(LAUNCH(queue, (cl_kernel)m, 2, NULL, g, good), CL_INVALID_KERNEL);
    assert_int_equal(LAUNCH(queue, unset, 1, NULL, g, NULL), CL_INVALID_KERNEL_ARGS);
    assert_int_equal(LAUNCH(queue, k, 0, NULL, g, good), CL_INVALID_WORK_DIMENSION);
    assert_int_equal(LAUNCH(queue, k, 4, NULL, g, good), CL_INVALID_WORK_DIMENSION);
    assert_int_equal(LAUNCH(queue, k, 2, NULL, g, wrong), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(LAUNCH(queue, k, 2, NULL, g, zero), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(LAUNCH(queue, k, 1, NULL, big, big), CL_INVALID_WORK_ITEM_SIZE);
    assert_int_equal(LAUNCH(queue, k, 2, huge, g, good), CL_INVALID_GLOBAL_OFFSET);
    assert_int_equal(clEnqueueNDRangeKernel(queue, k, 2, NULL, g, good, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue far = clCreateCommandQueueWithProperties(other, device, NULL, &err);
    assert_int_equal(LAUNCH(far, k, 2, NULL, g, good), CL_INVALID_CONTEXT);
    OK(clReleaseCommandQueue(far));
    OK(clReleaseContext(other));
    OK(LAUNCH(queue, k, 2, NULL, g, NULL));
    OK(LAUNCH(queue, k, 2, NULL, g, good));
    const size_t none[] = {0, 4};
    OK(LAUNCH(queue, k, 2, NULL, none, good)); /* nothing to do */
    OK(clFinish(queue));
#undef LAUNCH
    OK(clReleaseKernel(unset));
    release(k, 1, &m);
}

static void svm_pointers(void **state)
{
    (void)state;
    cl_ulong *nodes[8];
    for (int i = 7; i >= 0; i--) {
        nodes[i] = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 16, 0);
        nodes[i][0] = i < 7 ? (cl_ulong)(uintptr_t)nodes[i + 1] : 0;
        nodes[i][1] = (cl_ulong)(i + 1);
    }
    cl_kernel k = kernel("chase");
    cl_mem m = buffer(4, NULL);
    int sum = 0;
    OK(clSetKernelArgSVMPointer(k, 0, nodes[0]));
    OK(clSetKernelArg(k, 1, sizeof(m), &m));
    OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(nodes), nodes));
    OK(clEnqueueTask(queue, k, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    assert_int_equal(sum, 36);
    for (int i = 0; i < 8; i++) {
        clSVMFree(context, nodes[i]);
    }
    release(k, 1, &m);
}

/* A spinning kernel does not prevent a kernel of another queue from running. */
static void kernels_interleave(void **state)
{
    (void)state;
    cl_kernel waiting = kernel("wait_for"), signal_kernel = kernel("signal");
    int zero = 0, out = 0;
    cl_mem mems[] = {buffer(4, &zero), buffer(4, &zero)};
    set_mems(waiting, 2, mems);
    set_mems(signal_kernel, 1, mems);
    const size_t one = 1;
    OK(clEnqueueNDRangeKernel(unordered, waiting, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFlush(unordered));
    pause_ms(20);
    OK(clEnqueueNDRangeKernel(queue, signal_kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(unordered));
    OK(clFinish(queue));
    OK(clEnqueueReadBuffer(queue, mems[1], CL_TRUE, 0, 4, &out, 0, NULL, NULL));
    assert_int_equal(out, 7);
    OK(clReleaseKernel(signal_kernel));
    release(waiting, 2, mems);
}

static void sub_buffer_arguments(void **state)
{
    (void)state;
    int a[64], out[64];
    for (int i = 0; i < 64; i++) {
        a[i] = i;
    }
    cl_mem whole = buffer(sizeof(a), a);
    cl_buffer_region low = {0, 128}, high = {128, 128};
    cl_mem parts[] = {clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &err), NULL, NULL};
    parts[1] = parts[0];
    parts[2] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &err);
    cl_kernel k = kernel("add");
    set_mems(k, 3, parts);
    const size_t global = 32;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(parts[0]));
    OK(clReleaseMemObject(parts[2]));
    OK(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) {
        assert_int_equal(out[i], i < 32 ? i : 2 * (i - 32));
    }
    release(k, 1, &whole);
}

/* The output of kernel NAME is in standard output when its event is complete. */
static void assert_prints(const char *name, int n, const char *expected)
{
    char path[] = "/tmp/refcl_print_XXXXXX", text[64] = {0};
    int file = mkstemp(path), saved = dup(1);
    assert_true(file >= 0 && saved >= 0);
    fflush(stdout);
    dup2(file, 1);
    cl_kernel k = kernel(name);
    cl_int code = clSetKernelArg(k, 0, sizeof(n), &n);
    code |= clEnqueueTask(queue, k, 0, NULL, NULL);
    code |= clFinish(queue);
    ssize_t got = pread(file, text, sizeof(text) - 1, 0);
    dup2(saved, 1);
    close(saved);
    close(file);
    unlink(path);
    OK(code);
    assert_int_equal(got, strlen(expected));
    assert_string_equal(text, expected);
    OK(clReleaseKernel(k));
}

static void print_arrives(void **state)
{
    (void)state;
    assert_prints("hello", 42, "hello 42\n");
}

static void print_many_arguments(void **state)
{
    (void)state;
    assert_prints("many", 0, "0123456789012345678900,8,7,6\n");
}

static volatile int notified;
static void CL_CALLBACK notify(const char *text, const void *private_info, size_t size, void *data)
{
    (void)private_info;
    (void)size;
    __atomic_store_n((int *)data, strlen(text) > 0 ? 1 : -1, __ATOMIC_RELEASE);
}

/* The context's callback receives the errors of kernels. */
static void context_is_notified(void **state)
{
    (void)state;
    cl_context c = clCreateContext(NULL, 1, &device, notify, (void *)&notified, &err);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &err);
    const char *text = "kernel void past_end(global int *a) { a[4] = 1; }";
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    OK(clBuildProgram(p, 1, &device, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "past_end", &err);
    cl_mem m = clCreateBuffer(c, 0, 16, NULL, &err);
    set_mems(k, 1, &m);
    OK(clEnqueueTask(q, k, 0, NULL, NULL));
    OK(clFinish(q));
    await(&notified, 1);
    release(k, 1, &m);
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

/* With checks, an access past the end of a buffer ends the kernel, and its event has an error status. */
static void out_of_bounds(void **state)
{
    (void)state;
    cl_kernel k = kernel("past_end");
    cl_mem m = buffer(16, NULL);
    int n = 4;
    set_mems(k, 1, &m);
    OK(clSetKernelArg(k, 1, sizeof(n), &n));
    cl_event e;
    OK(clEnqueueTask(queue, k, 0, NULL, &e));
    assert_int_equal(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(e), CL_OUT_OF_RESOURCES);
    OK(clReleaseEvent(e));
    n = 3;
    OK(clSetKernelArg(k, 1, sizeof(n), &n));
    OK(clEnqueueTask(queue, k, 0, NULL, &e));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(e));
    release(k, 1, &m);
}

/* Queries of nonexistent dimensions have a default, with constant index or not [CLC 6.15.1]. */
static void far_dimensions(void **state)
{
    (void)state;
    static const char *text =
        "kernel void k(global ulong *o, uint n) {"
        "o[0] = get_global_id(3); o[1] = get_global_size(7); o[2] = get_local_id(3); o[3] = "
        "get_local_size(7);"
        "o[4] = get_enqueued_local_size(3); o[5] = get_group_id(7); o[6] = get_num_groups(3);"
        "o[7] = get_global_offset(7);"
        "o[8] = get_global_id(n); o[9] = get_global_size(n); o[10] = get_local_id(n);"
        "o[11] = get_local_size(n); o[12] = get_enqueued_local_size(n); o[13] = get_group_id(n);"
        "o[14] = get_num_groups(n); o[15] = get_global_offset(n); }";
    cl_program p = build_source(text, "-cl-std=CL2.0");
    cl_kernel k = clCreateKernel(p, "k", &err);
    cl_mem m = clCreateBuffer(context, 0, 16 * sizeof(cl_ulong), NULL, &err);
    const size_t one = 1, offset = 5;
    for (cl_uint n = 3; n < 9; n++) {
        cl_ulong out[16];
        OK(clSetKernelArg(k, 0, sizeof m, &m));
        OK(clSetKernelArg(k, 1, sizeof n, &n));
        OK(clEnqueueNDRangeKernel(queue, k, 1, &offset, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        static const cl_ulong want[8] = {0, 1, 0, 1, 1, 0, 1, 0};
        for (int i = 0; i < 16; i++)
            if (out[i] != want[i % 8])
                fail_msg("n %u: result %d is %u", n, i, (unsigned)out[i]);
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* As many arguments as fit CL_DEVICE_MAX_PARAMETER_SIZE [CL 4.2]. */
static void many_arguments(void **state)
{
    (void)state;
    size_t room = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof room, &room, NULL));
    cl_long count = (cl_long)(room / sizeof(cl_long)) - 1, sum = 0;
    char *text = malloc((size_t)count * 24 + 100), *at = text;
    at += sprintf(at, "kernel void k(global long *sum");
    for (cl_long i = 0; i < count; i++)
        at += sprintf(at, ", long a%d", (int)i);
    at += sprintf(at, ") { *sum = 0");
    for (cl_long i = 0; i < count; i++)
        at += sprintf(at, " + a%d", (int)i);
    sprintf(at, "; }");
    cl_program sum_program = build_source(text, "");
    cl_kernel kernel = clCreateKernel(sum_program, "k", &err);
    OK(err);
    cl_mem result = clCreateBuffer(context, 0, sizeof sum, NULL, &err);
    OK(clSetKernelArg(kernel, 0, sizeof result, &result));
    for (cl_long i = 0; i < count; i++)
        OK(clSetKernelArg(kernel, (cl_uint)i + 1, sizeof i, &i));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
    assert_int_equal(sum, count * (count - 1) / 2);
    OK(clReleaseMemObject(result));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(sum_program));
    free(text);
}

int main(void)
{
    setenv("REFCL_CHECK", "memory", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_add),
        cmocka_unit_test(tiled_matmul),
        cmocka_unit_test(reduction),
        cmocka_unit_test(atomics),
        cmocka_unit_test(non_uniform_groups),
        cmocka_unit_test(launch_errors),
        cmocka_unit_test(svm_pointers),
        cmocka_unit_test(kernels_interleave),
        cmocka_unit_test(sub_buffer_arguments),
        cmocka_unit_test(print_arrives),
        cmocka_unit_test(print_many_arguments),
        cmocka_unit_test(far_dimensions),
        cmocka_unit_test(out_of_bounds),
        cmocka_unit_test(context_is_notified),
        cmocka_unit_test(many_arguments),
    };
    return cmocka_run_group_tests(tests, open_program, close_program);
}
