/* Rules of the runtime that only a run shows: argument values when a kernel runs, references of objects,
 * execution order, division into work-groups [CL 3.2, 3.3, 5.2, 5.3, 5.8.6, 5.9.2, 5.11, 5.15, 5.17]. */
#include "tests/runtime/commands/command_test.h"

enum { COUNT = 64 };

static cl_kernel kernel_of(const char *text, const char *options)
{
    cl_program program = build_source(text, options);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    OK(clReleaseProgram(program));
    return kernel;
}

static cl_mem bytes_of(size_t size)
{
    cl_mem made = clCreateBuffer(context, 0, size, NULL, &err);
    OK(err);
    return made;
}

static void run(cl_kernel kernel, size_t global, const size_t *local)
{
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local, 0, NULL, NULL));
}

static void read_all(cl_mem from, void *to, size_t size)
{
    OK(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

static cl_uint references(cl_mem of)
{
    cl_uint count = 0;
    OK(clGetMemObjectInfo(of, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

/* ---- arguments ---- */

/* The value is that of the call [CL 5.9.2 R2], and the object stays the application's alone
 * [CL 5.9.2 R15]. */
static void values_of_arguments(void **unused)
{
    (void)unused;
    cl_kernel kernel = kernel_of("kernel void k(global int *p, int n) { *p = n; }", NULL);
    cl_mem m = bytes_of(4);
    cl_int n = 5, out = 0;
    OK(clSetKernelArg(kernel, 0, sizeof m, &m));
    OK(clSetKernelArg(kernel, 1, sizeof n, &n));
    n = 6;
    assert_int_equal(references(m), 1);
    run(kernel, 1, NULL);
    read_all(m, &out, sizeof out);
    assert_int_equal(out, 5);
    OK(clReleaseKernel(kernel));
    assert_int_equal(references(m), 1);
    OK(clReleaseMemObject(m));
}

/* Local memory has the requested size, and is separate in each work-group. [CL 5.9.2 R12] */
static void local_memory(void **unused)
{
    (void)unused;
    cl_kernel kernel =
        kernel_of("kernel void k(local int *l, global int *p) {\n"
                  "    size_t i = get_local_id(0), n = get_local_size(0);\n"
                  "    for (int j = 0; j < 16; j++) l[j * n + i] = get_group_id(0) * 1000 + j * n + i;\n"
                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                  "    int wrong = 0;\n"
                  "    for (int j = 0; j < 16 * n; j++) wrong += l[j] != get_group_id(0) * 1000 + j;\n"
                  "    p[get_global_id(0)] = wrong;\n}\n",
                  NULL);
    cl_mem m = bytes_of(COUNT * sizeof(cl_int));
    const size_t four = 4;
    cl_int out[COUNT];
    OK(clSetKernelArg(kernel, 0, 16 * four * sizeof(cl_int), NULL));
    OK(clSetKernelArg(kernel, 1, sizeof m, &m));
    run(kernel, COUNT, &four);
    read_all(m, out, sizeof out);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(out[i], 0);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(m));
}

/* A pointer to SVM is the same number on host and device [CL 5.9.2 R17] [CL 5.6.1 R2], and what it points to
 * may have such pointers. */
static void pointers_to_svm(void **unused)
{
    (void)unused;
    cl_kernel kernel =
        kernel_of("kernel void k(global ulong *p) { p[0] = (ulong)p; *(global int *)p[1] += 3; }", NULL);
    cl_ulong *p = clSVMAlloc(context, 0, 16, 0);
    cl_int *inner = clSVMAlloc(context, 0, 4, 0);
    const void *reached[] = {inner};
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, p, 16, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, inner, 4, 0, NULL, NULL));
    p[1] = (cl_ulong)(uintptr_t)inner;
    *inner = 4;
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(queue, inner, 0, NULL, NULL));
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
    run(kernel, 1, NULL);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 16, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, inner, 4, 0, NULL, NULL));
    assert_true(p[0] == (cl_ulong)(uintptr_t)p);
    assert_int_equal(*inner, 7);
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(queue, inner, 0, NULL, NULL));
    OK(clFinish(queue));
    clSVMFree(context, p);
    clSVMFree(context, inner);
    OK(clReleaseKernel(kernel));
}

/* A program-scope variable keeps its address from launch to launch, and kernels may pass it to later ones.
 * [CL 3.3.5 R101] */
static void variables_of_programs(void **unused)
{
    (void)unused;
    cl_program program = build_source("global int v = 5;\n"
                                      "kernel void give(global ulong *p) { *p = (ulong)&v; v += 1; }\n"
                                      "kernel void take(global ulong *p, global int *out) {\n"
                                      "    out[0] = *(global int *)*p; out[1] = *p == (ulong)&v; }\n",
                                      "-cl-std=CL2.0");
    cl_kernel give = clCreateKernel(program, "give", &err), take = clCreateKernel(program, "take", &err);
    OK(err);
    cl_mem p = bytes_of(8), out = bytes_of(8);
    cl_int seen[2] = {0};
    OK(clSetKernelArg(give, 0, sizeof p, &p));
    OK(clSetKernelArg(take, 0, sizeof p, &p));
    OK(clSetKernelArg(take, 1, sizeof out, &out));
    run(give, 1, NULL);
    run(take, 1, NULL);
    read_all(out, seen, sizeof seen);
    assert_true(seen[0] == 6 && seen[1] == 1);
    OK(clReleaseKernel(give));
    OK(clReleaseKernel(take));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(p));
    OK(clReleaseMemObject(out));
}

/* ---- work-groups and sub-groups ---- */

/* Without a local size groups are uniform if the program requires it: a divisor, also of a prime.
 * [CL 5.10 R121] */
static void uniform_groups(void **unused)
{
    (void)unused;
    static const size_t globals[] = {1, 7, 60, 61, 64, 1000, 1021};
    cl_kernel kernel = kernel_of("kernel void k(global uint *p) { p[get_global_id(0)] = get_local_size(0); }",
                                 "-cl-std=CL2.0 -cl-uniform-work-group-size");
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        cl_mem m = bytes_of(globals[i] * sizeof(cl_uint));
        cl_uint *out = calloc(globals[i], sizeof *out);
        OK(clSetKernelArg(kernel, 0, sizeof m, &m));
        run(kernel, globals[i], NULL);
        read_all(m, out, globals[i] * sizeof *out);
        assert_true(out[0] > 0 && globals[i] % out[0] == 0);
        for (size_t k = 0; k < globals[i]; k++)
            assert_int_equal(out[k], out[0]);
        free(out);
        OK(clReleaseMemObject(m));
    }
    OK(clReleaseKernel(kernel));
}

/* A work-group has a sub-group at least [CL 3.2.1 R2]; all have one size but the last, which may be smaller
 * [CL 5.9.4 R9]. */
static void sizes_of_sub_groups(void **unused)
{
    (void)unused;
    static const size_t locals[] = {1, 3, 8, 13, 16, 40, 61};
    cl_kernel kernel = kernel_of("#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
                                 "kernel void k(global uint *p) { size_t i = 3 * get_global_id(0);\n"
                                 "    p[i] = get_num_sub_groups(); p[i + 1] = get_sub_group_id();\n"
                                 "    p[i + 2] = get_sub_group_size(); }\n",
                                 "-cl-std=CL2.0");
    for (size_t l = 0; l < sizeof locals / sizeof *locals; l++) {
        size_t local = locals[l], words = 3 * local;
        cl_mem m = bytes_of(words * sizeof(cl_uint));
        cl_uint *out = calloc(words, sizeof *out), members[128] = {0}, number, first = 0;
        OK(clSetKernelArg(kernel, 0, sizeof m, &m));
        run(kernel, local, &local);
        read_all(m, out, words * sizeof *out);
        number = out[0];
        assert_true(number >= 1 && number <= local);
        for (size_t i = 0; i < local; i++) {
            assert_int_equal(out[3 * i], number);
            assert_true(out[3 * i + 1] < number);
            members[out[3 * i + 1]]++;
            if (out[3 * i + 1] == 0)
                first = out[3 * i + 2];
        }
        for (size_t i = 0; i < local; i++) {
            cl_uint id = out[3 * i + 1], size = out[3 * i + 2];
            assert_int_equal(size, members[id]);
            assert_true(id + 1 < number ? size == first : size >= 1 && size <= first);
        }
        free(out);
        OK(clReleaseMemObject(m));
    }
    OK(clReleaseKernel(kernel));
}

/* ---- memory of the host, images ---- */

/* After a blocking transfer the application may use the memory, which has the data. [CL 3.3.2 R101] */
static void blocking_transfers(void **unused)
{
    (void)unused;
    cl_mem m = bytes_of(COUNT * sizeof(cl_int));
    cl_int data[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++)
        data[i] = i;
    OK(clEnqueueWriteBuffer(unordered, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    memset(data, 0xff, sizeof data);
    OK(clEnqueueReadBuffer(unordered, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(out[i], i);
    OK(clReleaseMemObject(m));
}

static void CL_CALLBACK add_one(void *data)
{
    cl_int **p = data;
    **p += 1;
}

/* Native kernels obey the queue's order like others. [CL 3.2.5 R4] */
static void native_kernels(void **unused)
{
    (void)unused;
    cl_kernel kernel = kernel_of("kernel void k(global int *p) { *p *= 10; }", NULL);
    cl_mem m = bytes_of(4);
    const cl_int zero = 0;
    cl_int out = 0;
    OK(clSetKernelArg(kernel, 0, sizeof m, &m));
    OK(clEnqueueFillBuffer(queue, m, &zero, 4, 0, 4, 0, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        cl_int *pointer = NULL;
        const void *place = &pointer;
        OK(clEnqueueNativeKernel(queue, add_one, &pointer, sizeof pointer, 1, &m, &place, 0, NULL, NULL));
        run(kernel, 1, NULL);
    }
    read_all(m, &out, sizeof out);
    assert_int_equal(out, 1110);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(m));
}

/* Images from 1 to the device's limit in each dimension. [CL 5.3.1 R10-R13] */
static void sizes_of_images(void **unused)
{
    (void)unused;
    static const struct {
        cl_mem_object_type type;
        cl_device_info limit;
        size_t field;
    } rows[] = {{CL_MEM_OBJECT_IMAGE1D, CL_DEVICE_IMAGE2D_MAX_WIDTH, offsetof(cl_image_desc, image_width)},
                {CL_MEM_OBJECT_IMAGE2D, CL_DEVICE_IMAGE2D_MAX_WIDTH, offsetof(cl_image_desc, image_width)},
                {CL_MEM_OBJECT_IMAGE2D, CL_DEVICE_IMAGE2D_MAX_HEIGHT, offsetof(cl_image_desc, image_height)},
                {CL_MEM_OBJECT_IMAGE3D, CL_DEVICE_IMAGE3D_MAX_WIDTH, offsetof(cl_image_desc, image_width)},
                {CL_MEM_OBJECT_IMAGE3D, CL_DEVICE_IMAGE3D_MAX_HEIGHT, offsetof(cl_image_desc, image_height)},
                {CL_MEM_OBJECT_IMAGE3D, CL_DEVICE_IMAGE3D_MAX_DEPTH, offsetof(cl_image_desc, image_depth)},
                {CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
                 offsetof(cl_image_desc, image_array_size)},
                {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
                 offsetof(cl_image_desc, image_array_size)}};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t most = 0;
        OK(clGetDeviceInfo(device, rows[i].limit, sizeof most, &most, NULL));
        const size_t sizes[] = {0, 1, most, most + 1};
        for (int k = 0; k < 4; k++) {
            cl_image_desc d = {.image_type = rows[i].type,
                               .image_width = 1,
                               .image_height = 1,
                               .image_depth = 1,
                               .image_array_size = 1};
            memcpy((char *)&d + rows[i].field, &sizes[k], sizeof *sizes);
            cl_mem made = clCreateImage(context, 0, &format, &d, NULL, &err);
            if (k == 1 || k == 2) {
                OK(err);
                OK(clReleaseMemObject(made));
            } else {
                assert_null(made);
                assert_true(err == CL_INVALID_IMAGE_SIZE || (k == 0 && err == CL_INVALID_IMAGE_DESCRIPTOR));
            }
        }
    }
}

static void expect_formats(cl_mem_flags flags, cl_channel_order order, const cl_channel_type *wanted,
                           size_t n)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE2D,
                                               CL_MEM_OBJECT_IMAGE3D,       CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER};
    cl_image_format list[512];
    cl_uint count;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        OK(clGetSupportedImageFormats(context, flags, types[t], 512, list, &count));
        for (size_t i = 0; i < n; i++) {
            bool found = false;
            for (cl_uint k = 0; k < count && k < 512; k++)
                found = found || (list[k].image_channel_order == order &&
                                  list[k].image_channel_data_type == wanted[i]);
            if (!found)
                fail_msg("image type %#x lacks order %#x type %#x", types[t], order, wanted[i]);
        }
    }
}

/* Formats that every device with images reads and writes [CL 5.3.2 R5], and those for both in one kernel
 * [CL 5.3.2 R6]. */
static void required_formats(void **unused)
{
    (void)unused;
    static const cl_channel_type all[] = {
        CL_UNORM_INT8,     CL_SIGNED_INT8,    CL_SIGNED_INT16, CL_SIGNED_INT32, CL_UNSIGNED_INT8,
        CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT,        CL_UNORM_INT16};
    const size_t n = sizeof all / sizeof *all;
    const cl_mem_flags separate[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE};
    for (int i = 0; i < 3; i++) {
        expect_formats(separate[i], CL_RGBA, all, n);
        expect_formats(separate[i], CL_BGRA, all, 1);
    }
    expect_formats(CL_MEM_KERNEL_READ_AND_WRITE, CL_R, all, n - 1);
    expect_formats(CL_MEM_KERNEL_READ_AND_WRITE, CL_RGBA, all, n - 1);
}

/* Texels keep the bits that were written, whatever the format that is supported. [CL 5.3.1 R7] */
static void precision(void **unused)
{
    (void)unused;
    cl_image_format list[512];
    cl_uint count;
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 2};
    const size_t origin[3] = {0}, region[3] = {8, 2, 1};
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 512, list, &count));
    assert_true(count > 10 && count <= 512);
    for (cl_uint i = 0; i < count; i++) {
        unsigned char data[16 * 16], out[16 * 16] = {0};
        size_t element = 0;
        cl_mem image = clCreateImage(context, 0, &list[i], &d, NULL, &err);
        OK(err);
        OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
        assert_true(element >= 1 && element <= 16);
        for (size_t k = 0; k < 16 * element; k++)
            data[k] = (unsigned char)(37 * k + 11);
        OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
        assert_memory_equal(data, out, 16 * element);
        OK(clReleaseMemObject(image));
    }
}

/* ---- compiler and linker ---- */

/* Options that every compiler and linker accepts. [CL 5.8.6 R1] [CL 5.8.7 R1] */
static void standard_options(void **unused)
{
    (void)unused;
    static const char *const compiler[] = {"-D NAME",
                                           "-DNAME=3",
                                           "-I .",
                                           "-cl-single-precision-constant",
                                           "-cl-denorms-are-zero",
                                           "-cl-fp32-correctly-rounded-divide-sqrt",
                                           "-cl-opt-disable",
                                           "-cl-uniform-work-group-size",
                                           "-cl-no-subgroup-ifp",
                                           "-cl-mad-enable",
                                           "-cl-no-signed-zeros",
                                           "-cl-unsafe-math-optimizations",
                                           "-cl-finite-math-only",
                                           "-cl-fast-relaxed-math",
                                           "-w",
                                           "-Werror",
                                           "-cl-std=CL1.2",
                                           "-cl-std=CL2.0",
                                           "-cl-kernel-arg-info",
                                           "-g"};
    static const char *const linker[] = {"",
                                         "-create-library",
                                         "-create-library -enable-link-options",
                                         "-cl-denorms-are-zero",
                                         "-cl-no-signed-zeros",
                                         "-cl-unsafe-math-optimizations",
                                         "-cl-finite-math-only",
                                         "-cl-fast-relaxed-math",
                                         "-cl-no-subgroup-ifp"};
    const char *text = "kernel void k(global float *p) { *p = *p * 2.0f + 1.0f; }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    for (size_t i = 0; i < sizeof compiler / sizeof *compiler; i++)
        if (clBuildProgram(program, 0, NULL, compiler[i], NULL, NULL))
            fail_msg("%s", compiler[i]);
    OK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    for (size_t i = 0; i < sizeof linker / sizeof *linker; i++) {
        cl_program linked = clLinkProgram(context, 0, NULL, linker[i], 1, &program, NULL, NULL, &err);
        if (err)
            fail_msg("%s", linker[i]);
        OK(clReleaseProgram(linked));
    }
    OK(clReleaseProgram(program));
}

/* ---- events, flushes, command buffers ---- */

static int called;

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
    cl_uint count = 0;
    (void)data;
    /* The event exists as long as a callback is registered. */
    if (status == CL_COMPLETE && !clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL))
        __atomic_fetch_add(&called, 1, __ATOMIC_RELEASE);
}

/* Each callback is called, whether it was registered before or after completion, even if the application has
 * released the event. [CL 5.11 R15] [CL 5.11 R16] */
static void callbacks(void **unused)
{
    (void)unused;
    cl_event gate = clCreateUserEvent(context, &err), done;
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &done));
    for (int i = 0; i < 50; i++)
        OK(clSetEventCallback(done, CL_COMPLETE, count_call, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    for (int i = 0; i < 50; i++)
        OK(clSetEventCallback(done, CL_COMPLETE, count_call, NULL));
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(gate));
    await(&called, 100);
    assert_int_equal(called, 100);
}

/* Flushed commands complete without another call that waits. [CL 5.15 R1] */
static void flushes(void **unused)
{
    (void)unused;
    cl_event done;
    cl_mem m = bytes_of(4);
    const cl_int seven = 7;
    OK(clEnqueueFillBuffer(queue, m, &seven, 4, 0, 4, 0, NULL, &done));
    OK(clFlush(queue));
    while (status_of(done) > CL_COMPLETE)
        pause_ms(1);
    assert_int_equal(status_of(done), CL_COMPLETE);
    OK(clReleaseEvent(done));
    OK(clReleaseMemObject(m));
}

static int destroyed;

static void CL_CALLBACK count_destroyed(cl_mem mem, void *data)
{
    (void)mem, (void)data;
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELEASE);
}

/* The objects of recorded commands exist as long as the buffer does. [CL 5.17 R108] */
static void objects_of_command_buffers(void **unused)
{
    (void)unused;
    cl_mem m = bytes_of(4);
    const cl_int seven = 7;
    OK(clSetMemObjectDestructorCallback(m, count_destroyed, NULL));
    cl_command_buffer_khr b = p_clCreateCommandBufferKHR(1, &queue, NULL, &err);
    OK(err);
    OK(p_clCommandFillBufferKHR(b, NULL, NULL, m, &seven, 4, 0, 4, 0, NULL, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(p_clFinalizeCommandBufferKHR(b));
    for (int i = 0; i < 2; i++) {
        OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
        OK(clFinish(queue));
        assert_int_equal(destroyed, 0);
    }
    OK(p_clReleaseCommandBufferKHR(b));
    await(&destroyed, 1);
    assert_int_equal(destroyed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_arguments),
        cmocka_unit_test(local_memory),
        cmocka_unit_test(pointers_to_svm),
        cmocka_unit_test(variables_of_programs),
        cmocka_unit_test(uniform_groups),
        cmocka_unit_test(sizes_of_sub_groups),
        cmocka_unit_test(blocking_transfers),
        cmocka_unit_test(native_kernels),
        cmocka_unit_test(sizes_of_images),
        cmocka_unit_test(required_formats),
        cmocka_unit_test(precision),
        cmocka_unit_test(standard_options),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(flushes),
        cmocka_unit_test(objects_of_command_buffers),
    };
    return cmocka_run_group_tests_name("runtime-rules", tests, open_extensions, close_device);
}
