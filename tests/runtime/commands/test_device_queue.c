/* Queues on the device, commands that kernels enqueue, pipes [CL 3.2.3, 5.1, 5.4, CLC 6.15.19, 6.15.18]. */
#include "tests/runtime/runtime_test.h"

static cl_command_queue on_device;

static int open_all(void **state)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                  CL_QUEUE_PROFILING_ENABLE,
                                              CL_QUEUE_SIZE, 65536, 0};
    if (open_device(state))
        return -1;
    on_device = clCreateCommandQueueWithProperties(context, device, properties, &err);
    return on_device ? 0 : -1;
}

static int close_all(void **state)
{
    return clReleaseCommandQueue(on_device) || close_device(state);
}

/* Runs kernel "k" with one buffer of COUNT ints, initially zero; returns the status of its event. */
static cl_int run(const char *text, const char *options, size_t items, cl_int *data, size_t count)
{
    cl_program program = build_source(text, options);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    memset(data, 0, count * sizeof *data);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof *data, data, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    clWaitForEvents(1, &event);
    cl_int status = status_of(event);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof *data, data, 0, NULL, NULL);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    return status;
}

static void children_before_parent(void **state)
{
    (void)state;
    static const char text[] = "kernel void k(global int *out) {\n"
                               "  queue_t q = get_default_queue(); int me = get_global_id(0);\n"
                               "  int e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{\n"
                               "    out[8 + me * 4 + get_global_id(0)] = me * 10 + get_global_id(0); });\n"
                               "  out[me] = e; }\n";
    cl_int data[40];
    assert_int_equal(run(text, "-cl-std=CL3.0", 8, data, 40), CL_COMPLETE);
    for (int i = 0; i < 8; i++)
        assert_int_equal(data[i], 0);
    for (int i = 0; i < 32; i++)
        assert_int_equal(data[8 + i], i / 4 * 10 + i % 4);
}

static void waiting_for_the_parent(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global int *out) {\n"
        "  int me = get_global_id(0);\n"
        "  if (me == 0) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), "
        "^{\n"
        "    int sum = 0; for (int i = 1; i < 9; i++) sum += out[i]; out[0] = sum; });\n"
        "  out[1 + me] = me + 1; }\n";
    cl_int data[9];
    assert_int_equal(run(text, "-cl-std=CL2.0", 8, data, 9), CL_COMPLETE);
    assert_int_equal(data[0], 36);
}

static void generations(void **state)
{
    (void)state;
    static const char text[] =
        "void next(global int *out, int n) {\n"
        "  out[n] = n;\n"
        "  if (n < 9) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),\n"
        "                            ^{ out[n + 1] = n + 1; if (n + 1 < 9)\n"
        "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),\n"
        "                   ^{ out[n + 2] = out[n + 1] + 1; }); }); }\n"
        "kernel void k(global int *out) { next(out, 1); }\n";
    cl_int data[10];
    assert_int_equal(run(text, "-cl-std=CL3.0", 1, data, 10), CL_COMPLETE);
    assert_int_equal(data[1], 1);
    assert_int_equal(data[2], 2);
    assert_int_equal(data[3], 3);
}

static void many_local_arguments(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global int *out) {\n"
        "  out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),\n"
        "      ^(local void *a, local void *b, local void *c, local void *d, local void *e, local void *f,\n"
        "        local void *g, local void *h, local void *i, local void *j, local void *l, local void *m) {\n"
        "    local int *p[] = {a, b, c, d, e, f, g, h, i, j, l, m};\n"
        "    for (int x = 0; x < 12; x++) for (int y = 0; y <= x; y++) p[x][y] = x;\n"
        "    for (int x = 0; x < 12; x++) for (int y = 0; y <= x; y++) out[1 + x] += p[x][y] == x; },\n"
        "      4u, 8u, 12u, 16u, 20u, 24u, 28u, 32u, 36u, 40u, 44u, 48u); }\n";
    cl_int data[13];
    assert_int_equal(run(text, "-cl-std=CL3.0", 1, data, 13), CL_COMPLETE);
    assert_int_equal(data[0], 0);
    for (int i = 0; i < 12; i++)
        assert_int_equal(data[1 + i], i + 1);
}

static void events_order(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global int *out) {\n"
        "  queue_t q = get_default_queue(); clk_event_t user = create_user_event(), a, b, m;\n"
        "  int e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, &a, ^{ out[0] = 5; "
        "});\n"
        "  e |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &a, &b, ^{ out[1] = out[0] * "
        "2; });\n"
        "  e |= enqueue_marker(q, 1, &b, &m);\n"
        "  e |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &m, (clk_event_t *)0,\n"
        "                      ^{ out[2] = out[1] + 1; });\n"
        "  out[3] = e; out[4] = is_valid_event(a);\n"
        "  set_user_event_status(user, CL_COMPLETE);\n"
        "  release_event(user); release_event(a); release_event(b); release_event(m); }\n";
    cl_int data[5];
    assert_int_equal(run(text, "-cl-std=CL3.0", 1, data, 5), CL_COMPLETE);
    assert_int_equal(data[0], 5);
    assert_int_equal(data[1], 10);
    assert_int_equal(data[2], 11);
    assert_int_equal(data[3], 0);
    assert_int_equal(data[4], 1);
}

static void failure_spreads(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global int *out) {\n"
        "  clk_event_t user = create_user_event();\n"
        "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, 0,\n"
        "                 ^{ out[0] = 1; });\n"
        "  set_user_event_status(user, -7); release_event(user); }\n";
    cl_int data[1];
    assert_true(run(text, "-cl-std=CL3.0", 1, data, 1) < 0);
    assert_int_equal(data[0], 0);
}

static void local_arguments_and_codes(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global int *out) {\n"
        "  queue_t q = get_default_queue();\n"
        "  out[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(8, 8),\n"
        "    ^(local void *p) { local int *l = (local int *)p; int i = get_local_id(0); l[i] = i;\n"
        "      barrier(CLK_LOCAL_MEM_FENCE); out[4 + i] = l[7 - i]; }, 32u);\n"
        "  out[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4096, 4096), ^{ out[2] = 1; });\n"
        "  out[3] = get_kernel_work_group_size(^{ out[2] = 1; }); }\n";
    cl_int data[12];
    assert_int_equal(run(text, "-cl-std=CL3.0", 1, data, 12), CL_COMPLETE);
    assert_int_equal(data[0], 0);
    assert_int_equal(data[1], -101);
    assert_int_equal(data[2], 0);
    assert_true(data[3] >= 1);
    for (int i = 0; i < 8; i++)
        assert_int_equal(data[4 + i], 7 - i);
    assert_int_equal(run(text, "-cl-std=CL3.0 -g", 1, data, 12), CL_COMPLETE);
    assert_int_equal(data[1], -160);
}

/* A child that waits for its work-group starts while other work-groups of the parent still run; one that
 * waits for the kernel does not [CLC 6.15.19]. */
static void waits_for_its_group(void **state)
{
    (void)state;
    static const char text[] =
        "kernel __attribute__((reqd_work_group_size(2, 1, 1))) void k(global int *out) {\n"
        "  global atomic_int *flag = (global atomic_int *)out;\n"
        "  if (get_group_id(0) == 0) {\n"
        "    if (get_local_id(0) == 1)\n"
        "      out[2] = enqueue_kernel(get_default_queue(), FLAG, ndrange_1D(1), ^{ atomic_store(flag, 1); "
        "});\n"
        "    out[4 + get_local_id(0)] = 1;\n"
        "    return;\n"
        "  }\n"
        "  if (get_local_id(0) == 0) {\n"
        "    int i = 0, seen = 0;\n"
        "    while (i < MOST && !seen) { seen = atomic_load(flag); i++; }\n"
        "    out[1] = seen;\n"
        "  }\n"
        "}\n";
    cl_int data[8];
    assert_int_equal(
        run(text, "-cl-std=CL3.0 -DMOST=100000000 -DFLAG=CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", 4, data, 8),
        CL_COMPLETE);
    assert_int_equal(data[1], 1);
    assert_int_equal(
        run(text, "-cl-std=CL3.0 -DMOST=3000000 -DFLAG=CLK_ENQUEUE_FLAGS_WAIT_KERNEL", 4, data, 8),
        CL_COMPLETE);
    assert_int_equal(data[0], 1);
    assert_int_equal(data[1], 0);
}

static void full_queue(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global int *out) {\n"
        "  for (int i = 0; i < 10000; i++) {\n"
        "    int e = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),\n"
        "                           ^{ atomic_inc(out); });\n"
        "    if (e) { out[1] = e; out[2] = i; break; } } }\n";
    cl_int data[3];
    assert_int_equal(run(text, "-cl-std=CL3.0 -g", 1, data, 3), CL_COMPLETE);
    assert_int_equal(data[1], -161);
    assert_true(data[2] > 100);
    assert_int_equal(data[0], data[2]);
}

static void profiling(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global ulong *out) {\n"
        "  clk_event_t e; queue_t q = get_default_queue();\n"
        "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(100), 0, 0, &e, ^{ out[2] = 1; });\n"
        "  capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, out);\n"
        "  release_event(e); }\n";
    union {
        cl_int words[6];
        cl_ulong times[3];
    } data;
    assert_int_equal(run(text, "-cl-std=CL3.0", 1, data.words, 6), CL_COMPLETE);
    assert_true(data.times[0] > 0 && data.times[1] >= data.times[0]);
}

/* A program-scope variable is global memory too, a kernel that reads it later finds the times.
 * [CLC 6.15.19] */
static void profiling_into_the_program(void **state)
{
    (void)state;
    static const char text[] =
        "global ulong times[4] = {0, 7, 7, 0};\n"
        "kernel void k(global ulong *out) {\n"
        "  clk_event_t e; queue_t q = get_default_queue();\n"
        "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(100), 0, 0, &e, ^{ out[4] = 1; });\n"
        "  capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, times + 1);\n"
        "  clk_event_t after; enqueue_marker(q, 1, &e, &after);\n"
        "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &after, 0,\n"
        "                 ^{ for (int i = 0; i < 4; i++) out[i] = times[i]; });\n"
        "  release_event(after); release_event(e); }\n";
    union {
        cl_int words[10];
        cl_ulong times[5];
    } data;
    assert_int_equal(run(text, "-cl-std=CL3.0", 1, data.words, 10), CL_COMPLETE);
    assert_int_equal(data.times[4], 1);
    assert_true(data.times[1] != 7 && data.times[2] != 7 && data.times[2] >= data.times[1]);
    assert_true(data.times[0] == 0 && data.times[3] == 0);
}

static void queue_arguments(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(queue_t q, global int *out) {\n"
        "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *out = 3; }); }\n";
    cl_program program = build_source(text, "-cl-std=CL3.0");
    cl_uint kernels = 0;
    OK(clCreateKernelsInProgram(program, 0, NULL, &kernels));
    assert_int_equal(kernels, 1); /* blocks are none */
    char names[64];
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    assert_string_equal(names, "k");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    cl_int value = 0;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4, &value, &err);
    OK(err);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof queue, &queue), CL_INVALID_DEVICE_QUEUE);
    assert_int_equal(clSetKernelArg(kernel, 0, 4, &on_device), CL_INVALID_ARG_SIZE);
    OK(clSetKernelArg(kernel, 0, sizeof on_device, &on_device));
    OK(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    const size_t one = 1;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    assert_int_equal(value, 3);
    assert_int_equal(clEnqueueNDRangeKernel(on_device, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* A block, and a block within it, use the kernel's arguments: images, a sampler, a pipe. */
static void captured_objects(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void k(global int *out, read_only image2d_t a, write_only image2d_t b, sampler_t s,\n"
        "              read_only image1d_array_t rows, read_only pipe int p) {\n"
        "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{\n"
        "    out[0] = read_imagei(a, (int2)(1, 0)).x; out[1] = read_imagei(a, s, (int2)(9, 0)).x;\n"
        "    out[2] = get_image_width(a); write_imagei(b, (int2)(0, 0), (int4)(7));\n"
        "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{\n"
        "      out[3] = read_imagei(rows, (int2)(0, 1)).x; out[4] = get_pipe_max_packets(p); }); }); }\n";
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1},
                        array = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                 .image_width = 1,
                                 .image_array_size = 2};
    cl_int texels[2] = {4, 44}, out[5] = {0};
    const cl_mem_flags copy = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    cl_mem buffer = clCreateBuffer(context, copy, sizeof out, out, &err),
           a = clCreateImage(context, copy, &format, &flat, texels, &err),
           b = clCreateImage(context, copy, &format, &flat, texels, &err),
           rows = clCreateImage(context, copy, &format, &array, texels, &err),
           pipe = clCreatePipe(context, 0, sizeof(cl_int), 3, NULL, &err);
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
    cl_program program = build_source(text, "-cl-std=CL2.0");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    const cl_mem memory[] = {buffer, a, b, NULL, rows, pipe};
    for (cl_uint i = 0; i < 6; i++)
        OK(i == 3 ? clSetKernelArg(kernel, i, sizeof sampler, &sampler)
                  : clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, b, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){2, 1, 1}, 0, 0, texels, 0, NULL,
                          NULL));
    const cl_int wanted[5] = {44, 44, 2, 44, 3};
    assert_memory_equal(out, wanted, sizeof out);
    assert_int_equal(texels[0], 7);
    for (int i = 0; i < 6; i++)
        if (memory[i])
            OK(clReleaseMemObject(memory[i]));
    OK(clReleaseSampler(sampler));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void queues(void **state)
{
    (void)state;
    cl_command_queue same = NULL;
    cl_uint size = 0;
    OK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof same, &same, NULL));
    assert_ptr_equal(same, on_device);
    OK(clGetCommandQueueInfo(on_device, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    assert_int_equal(size, 65536);
    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof size, &size, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    const cl_command_queue_properties device_queue =
        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, device_queue | CL_QUEUE_ON_DEVICE_DEFAULT, 0, 0, 0};
    same = clCreateCommandQueueWithProperties(context, device, p, &err);
    OK(err);
    assert_ptr_equal(same, on_device); /* there is one already */
    OK(clReleaseCommandQueue(same));
    p[1] = device_queue;
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, p, &err);
    OK(err);
    assert_int_equal(clFinish(other), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clFlush(other), CL_INVALID_COMMAND_QUEUE);
    OK(clSetDefaultDeviceCommandQueue(context, device, other));
    OK(clGetCommandQueueInfo(on_device, CL_QUEUE_DEVICE_DEFAULT, sizeof same, &same, NULL));
    assert_ptr_equal(same, other);
    assert_int_equal(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clSetDefaultDeviceCommandQueue(context, device, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clSetDefaultDeviceCommandQueue(NULL, device, other), CL_INVALID_CONTEXT);
    assert_int_equal(clSetDefaultDeviceCommandQueue(context, NULL, other), CL_INVALID_DEVICE);
    OK(clSetDefaultDeviceCommandQueue(context, device, on_device));
    OK(clReleaseCommandQueue(other));
    p[1] = CL_QUEUE_ON_DEVICE;
    EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, p, &err));
    p[1] = CL_QUEUE_ON_DEVICE_DEFAULT;
    EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, p, &err));
    p[1] = device_queue;
    p[2] = CL_QUEUE_SIZE;
    p[3] = UINT32_MAX;
    /* [CL 5.1 E4] */
    EXPECT_NULL(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, p, &err));
    p[1] = 0;
    p[3] = 4096;
    EXPECT_NULL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, p, &err));
}

/* ---- pipes ---- */

static void pipes(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void put(write_only pipe int p, global int *n) {\n"
        "  int v = get_global_id(0) * 3; if (write_pipe(p, &v) == 0) atomic_inc(n); }\n"
        "kernel void take(read_only pipe int p, global int *out, global int *n) {\n"
        "  int v; if (read_pipe(p, &v) == 0) { out[v / 3] += v; atomic_inc(n); } }\n";
    cl_program program = build_source(text, "-cl-std=CL3.0");
    cl_kernel put = clCreateKernel(program, "put", &err), take = clCreateKernel(program, "take", &err);
    OK(err);
    cl_mem pipe = clCreatePipe(context, 0, 4, 10, NULL, &err);
    OK(err);
    cl_int zeros[17] = {0}, out[17];
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &err);
    cl_mem counts = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4, zeros, &err);
    OK(err);
    OK(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    OK(clSetKernelArg(put, 1, sizeof counts, &counts));
    OK(clSetKernelArg(take, 0, sizeof pipe, &pipe));
    OK(clSetKernelArg(take, 1, sizeof buffer, &buffer));
    OK(clSetKernelArg(take, 2, sizeof counts, &counts));
    assert_int_equal(clSetKernelArg(take, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
    const size_t items = 16;
    OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, counts, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    assert_int_equal(out[0], 10); /* no room for more */
    OK(clEnqueueNDRangeKernel(queue, take, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, counts, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    assert_int_equal(out[0], 20);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    int found = 0;
    for (int i = 0; i < 16; i++) {
        assert_true(out[i] == 0 || out[i] == 3 * i);
        found += out[i] == 3 * i && i > 0;
    }
    assert_in_range(found, 9, 10);
    cl_uint value = 0;
    OK(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof value, &value, NULL));
    assert_int_equal(value, 4);
    OK(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof value, &value, NULL));
    assert_int_equal(value, 10);
    assert_int_equal(clGetPipeInfo(buffer, CL_PIPE_MAX_PACKETS, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clGetPipeInfo(pipe, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_mem_object_type type = 0;
    OK(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_MEM_OBJECT_PIPE);
    EXPECT_NULL(CL_INVALID_CONTEXT, clCreatePipe(NULL, 0, 4, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_USE_HOST_PTR, 4, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 0, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 4, 0, NULL, &err));
    EXPECT_NULL(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 1 << 20, 4, NULL, &err));
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(counts));
    OK(clReleaseKernel(put));
    OK(clReleaseKernel(take));
    OK(clReleaseProgram(program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_before_parent),
        cmocka_unit_test(waiting_for_the_parent),
        cmocka_unit_test(generations),
        cmocka_unit_test(many_local_arguments),
        cmocka_unit_test(events_order),
        cmocka_unit_test(failure_spreads),
        cmocka_unit_test(local_arguments_and_codes),
        cmocka_unit_test(waits_for_its_group),
        cmocka_unit_test(full_queue),
        cmocka_unit_test(profiling),
        cmocka_unit_test(profiling_into_the_program),
        cmocka_unit_test(queue_arguments),
        cmocka_unit_test(queues),
        cmocka_unit_test(captured_objects),
        cmocka_unit_test(pipes),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
