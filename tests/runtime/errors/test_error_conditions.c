/* Error conditions, one call each, from the table that the matrix of clauses reads [CL 4, 5]. */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/runtime/errors/condition_test.h"

#include "ref-runtime/registry.h"
#include "tests/lib/skip.h"

#define ALIEN  1, &alien, NULL
#define FAILED 1, &failed, NULL

static cl_context other;
static cl_command_queue other_queue;
static cl_mem buffer, buffer2, other_buffer, no_buffer, host_reads, host_writes, host_nothing, write_only,
    read_only, mapped;
static cl_mem image, image2, image3d, image_host_nothing, image_write_only, image_mapped, image_of_buffer,
    pipe;
static cl_event alien, failed, no_event;
static cl_sampler sampler;
static cl_program source, program, binary, linked, compiled;
static cl_kernel kernel, image_kernel, sized_kernel, uniform_kernel, binary_kernel;
static void *svm, *mapping;
static cl_device_id no_device;
static char text[4096];
static size_t pitch;
static const size_t origin[3], far_origin[3] = {60, 60, 60}, cube[3] = {4, 4, 4}, flat[3] = {4, 0, 4},
                               pixel[3] = {1, 1, 1}, corner[3] = {3, 3, 0}, square_region[3] = {4, 4, 1};
static cl_image_desc box = {
    .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4};

static const char *const program_text =
    "kernel void k(global int *p, int n) { p[get_global_id(0)] = n; }\n"
    "kernel void with_image(read_only image2d_t i, global uint4 *p) { *p = read_imageui(i, (int2)(0, 0)); }\n"
    "__attribute__((reqd_work_group_size(2, 1, 1))) kernel void sized(global int *p) { *p = 1; }\n";

static cl_program built(const char *options)
{
    cl_program p = clCreateProgramWithSource(context, 1, (const char **)&program_text, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, options, NULL, NULL));
    return p;
}

static cl_kernel kernel_of(cl_program p, const char *name)
{
    cl_kernel k = clCreateKernel(p, name, &err);
    OK(err);
    return k;
}

static cl_mem buffer_of(cl_context c, cl_mem_flags flags)
{
    cl_mem m = clCreateBuffer(c, flags, 256, NULL, &err);
    OK(err);
    return m;
}

static cl_mem image_of(cl_mem_flags flags, const cl_image_desc *desc)
{
    cl_mem m = clCreateImage(context, flags, &rgba, desc, NULL, &err);
    OK(err);
    return m;
}

static void make_memory(void)
{
    buffer = buffer_of(context, 0);
    buffer2 = buffer_of(context, 0);
    other_buffer = buffer_of(other, 0);
    host_reads = buffer_of(context, CL_MEM_HOST_READ_ONLY);
    host_writes = buffer_of(context, CL_MEM_HOST_WRITE_ONLY);
    host_nothing = buffer_of(context, CL_MEM_HOST_NO_ACCESS);
    write_only = buffer_of(context, CL_MEM_WRITE_ONLY);
    read_only = buffer_of(context, CL_MEM_READ_ONLY);
    mapped = buffer_of(context, 0);
    mapping = clEnqueueMapBuffer(queue, mapped, CL_TRUE, CL_MAP_WRITE, 0, 16, NONE, &err);
    OK(err);
    image = image_of(0, &square);
    image2 = image_of(0, &square);
    image3d = image_of(0, &box);
    image_host_nothing = image_of(CL_MEM_HOST_NO_ACCESS, &square);
    image_write_only = image_of(CL_MEM_WRITE_ONLY, &square);
    image_mapped = image_of(0, &square);
    clEnqueueMapImage(queue, image_mapped, CL_TRUE, CL_MAP_WRITE, origin, pixel, &pitch, NULL, NONE, &err);
    OK(err);
    const cl_image_desc line = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = buffer};
    image_of_buffer = image_of(0, &line);
    pipe = clCreatePipe(context, 0, 4, 4, NULL, &err);
    OK(err);
    svm = clSVMAlloc(context, 0, 64, 0);
    assert_non_null(svm);
}

static void make_programs(void)
{
    size_t size;
    source = clCreateProgramWithSource(context, 1, (const char **)&program_text, NULL, &err);
    OK(err);
    program = built("");
    kernel = kernel_of(program, "k");
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, 4, text));
    image_kernel = kernel_of(program, "with_image");
    sized_kernel = kernel_of(program, "sized");
    OK(clSetKernelArg(sized_kernel, 0, sizeof buffer, &buffer));
    compiled = clCreateProgramWithSource(context, 1, (const char **)&program_text, NULL, &err);
    OK(clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(context, 0, NULL, "", 1, &compiled, NULL, NULL, &err);
    OK(err);
    cl_program uniform = built("-cl-std=CL2.0 -cl-uniform-work-group-size");
    uniform_kernel = kernel_of(uniform, "k");
    OK(clSetKernelArg(uniform_kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(uniform_kernel, 1, 4, text));
    OK(clReleaseProgram(uniform));
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    binary =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, NULL, &err);
    OK(err);
    OK(clBuildProgram(binary, 0, NULL, NULL, NULL, NULL));
    binary_kernel = kernel_of(binary, "k");
    free(bytes);
}

static int setup(void **state)
{
    if (open_device(state))
        return -1;
    const cl_sampler_properties nearest[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    other_queue = clCreateCommandQueueWithProperties(other, device, NULL, &err);
    OK(err);
    alien = clCreateUserEvent(other, &err);
    OK(clSetUserEventStatus(alien, CL_COMPLETE));
    failed = clCreateUserEvent(context, &err);
    OK(clSetUserEventStatus(failed, -7));
    sampler = clCreateSamplerWithProperties(context, nearest, &err);
    OK(err);
    make_memory();
    make_programs();
    return 0;
}

static int teardown(void **state)
{
    cl_mem objects[] = {mapped,
                        buffer,
                        buffer2,
                        other_buffer,
                        host_reads,
                        host_writes,
                        host_nothing,
                        write_only,
                        read_only,
                        image,
                        image2,
                        image3d,
                        image_host_nothing,
                        image_write_only,
                        image_mapped,
                        image_of_buffer,
                        pipe};
    cl_kernel kernels[] = {kernel, image_kernel, sized_kernel, uniform_kernel, binary_kernel};
    cl_program programs[] = {source, program, binary, linked, compiled};
    OK(clFinish(queue));
    clSVMFree(context, svm);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        OK(clReleaseKernel(kernels[i]));
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        OK(clReleaseProgram(programs[i]));
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        OK(clReleaseMemObject(objects[i]));
    OK(clReleaseSampler(sampler));
    OK(clReleaseEvent(alien));
    OK(clReleaseEvent(failed));
    OK(clReleaseCommandQueue(other_queue));
    OK(clReleaseContext(other));
    return close_device(state);
}

static void conditions(void **state)
{
    (void)state;
    cl_uint count = 0;
    cl_ulong time1 = 0, time2 = 0;
    const size_t two = 2, three = 3, four = 4;
    size_t most[3] = {1, 1, 1};
    cl_device_id parts[1];
    const void *places[] = {text};
    const cl_mem no_object = (cl_mem)queue;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof most, most, NULL));
    const char *names[] = {"a.h"};
    const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_partition_property too_many[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1 << 20,
                                                     CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    const cl_device_partition_property unknown_partition[] = {0x7777, 1, 0};
    const cl_device_partition_property less_than_none[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0};
    const cl_context_properties wrong_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)context, 0};
    const cl_context_properties unknown_property[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                                      0x7777, 1, 0};
    const cl_pipe_properties pipe_properties[] = {0x7777, 1, 0};
    const cl_mem_properties mem_properties[] = {0x7777, 1, 0};
    cl_image_format listed_format;
    const cl_image_format not_offered = {CL_sRGB, CL_UNORM_INT8};
    cl_image_desc huge = square;
    huge.image_width = (size_t)1 << 30;
    cl_image_desc over = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4};
    cl_image_desc over_buffer = over, over_write_only = over, over_host_writes = over;
    over_buffer.mem_object = buffer;
    over_write_only.mem_object = write_only;
    over_host_writes.mem_object = host_writes;
    const cl_buffer_region start = {0, 64}, past_end = {128, 256};
    const cl_image_format no_pair = {CL_RGB, CL_UNSIGNED_INT8}, not_alike = {CL_R, CL_FLOAT};
    const cl_image_desc odd_pitch = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                     .image_width = 4,
                                     .image_height = 4,
                                     .image_row_pitch = 17,
                                     .buffer = buffer};
    cl_image_desc over_image = square;
    over_image.mem_object = image;
    const void *svms[] = {svm};
    const size_t too_long = 1 << 20;
    const unsigned char *texts[] = {(const unsigned char *)text}, *no_texts[] = {NULL};
    const cl_program compiled_or_not[] = {compiled, source};
    const cl_queue_properties on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const cl_queue_properties prior_on_device[] = {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_PRIORITY_KHR,
                                                   CL_QUEUE_PRIORITY_HIGH_KHR, 0},
                              throttled_on_device[] = {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_THROTTLE_KHR,
                                                       CL_QUEUE_THROTTLE_LOW_KHR, 0};
    const char *foreign_text = "kernel void k() {}";
    cl_program foreign = clCreateProgramWithSource(other, 1, &foreign_text, NULL, &err);
    wrong = 0;
#define CALL(clause, code, call) compare(clause, #call, code, call);
#define CREATE(clause, code, call)                                                                           \
    {                                                                                                        \
        err = 12345;                                                                                         \
        if (call)                                                                                            \
            err = 54321;                                                                                     \
        compare(clause, #call, code, err);                                                                   \
    }
#include "tests/runtime/errors/error_conditions.def"
#undef CALL
#undef CREATE
    OK(clReleaseProgram(foreign));
    assert_int_equal(wrong, 0);
}

/* Two devices, a program built for only the first one. */
static void not_built_for_the_device(void **state)
{
    (void)state;
    const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    cl_uint count = 0;
    if (clCreateSubDevices(device, by_one, 64, parts, &count) || count < 2) {
        skip_for("one compute unit");
        return;
    }
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    OK(err);
    cl_command_queue second = clCreateCommandQueueWithProperties(both, parts[1], NULL, &err);
    OK(err);
    cl_program p = clCreateProgramWithSource(both, 1, (const char **)&program_text, NULL, &err);
    OK(clBuildProgram(p, 1, parts, "", NULL, NULL));
    cl_kernel k = kernel_of(p, "sized");
    cl_mem m = clCreateBuffer(both, 0, 64, NULL, &err);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    assert_int_equal(clEnqueueNDRangeKernel(second, k, 1, NULL, one, NULL, NONE),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clEnqueueTask(second, k, NONE), CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(second));
    OK(clReleaseContext(both));
    for (cl_uint i = 0; i < count; i++)
        OK(clReleaseDevice(parts[i]));
}

/* Retained references keep objects alive through one release. */
static void references(void **state)
{
    (void)state;
    cl_uint count = 0;
    OK(clRetainCommandQueue(queue));
    OK(clReleaseCommandQueue(queue));
    OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clRetainMemObject(buffer));
    OK(clReleaseMemObject(buffer));
    OK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clRetainKernel(kernel));
    OK(clReleaseKernel(kernel));
    OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clRetainEvent(failed));
    OK(clReleaseEvent(failed));
    OK(clGetEventInfo(failed, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions), cmocka_unit_test(references),
                                       cmocka_unit_test(not_built_for_the_device)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
