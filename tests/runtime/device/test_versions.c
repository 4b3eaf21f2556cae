/* REFCL_VERSION: answers of platform and device, and behavior that differs between versions, in a process for
 * each version. */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const versions[] = {"2.0", "2.1", "2.2", "3.0", "3.1"};
static unsigned given; /* 20 for 2.0, 0: in no process of a version */

static cl_int query(cl_device_info param)
{
    char answer[8192];
    return clGetDeviceInfo(device, param, sizeof answer, answer, NULL);
}

static void reports(void **state) /* [CL 4.1 R1] [CL 4.2 R1] */
{
    (void)state;
    char text[64], wanted[64];
    cl_version number, wanted_number = CL_MAKE_VERSION(given / 10, given % 10, 0);
    snprintf(wanted, sizeof wanted, "OpenCL %u.%u ", given / 10, given % 10);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
    assert_memory_equal(text, wanted, strlen(wanted));
    OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL));
    assert_memory_equal(text, wanted, strlen(wanted));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof number, &number, NULL));
    assert_int_equal(number, wanted_number);
    OK(clGetDeviceInfo(device, CL_DEVICE_NUMERIC_VERSION, sizeof number, &number, NULL));
    assert_int_equal(number, wanted_number);
    snprintf(wanted, sizeof wanted, "OpenCL C %u.%u ", given / 10, given < 30 ? 0 : given % 10);
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof text, text, NULL));
    assert_string_equal(text, wanted);
}

/* Queries of objects by the version that introduced them. [CL 5.1 E19] [CL 5.5.5 E1] [CL 5.7.2 E1]
 * [CL 5.8.9 E1] */
static void queries_of_objects(void)
{
    size_t size;
    cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, &err),
           pipe = clCreatePipe(context, 0, 4, 4, NULL, &err);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    OK(err);
    cl_program program = build_source("kernel void k() {}", NULL);
    cl_int since_3_0 = given >= 30 ? CL_SUCCESS : CL_INVALID_VALUE;
    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size), since_3_0);
    assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, 0, NULL, &size), since_3_0);
    assert_int_equal(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size), since_3_0);
    assert_int_equal(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size), since_3_0);
    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, 0, NULL, &size),
                     given >= 21 ? CL_SUCCESS : CL_INVALID_VALUE);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, 0, NULL, &size),
                     given >= 22 ? CL_SUCCESS : CL_INVALID_VALUE);
    assert_int_equal(clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, 0, NULL, &size),
                     given >= 21 ? CL_SUCCESS : CL_INVALID_VALUE);
    OK(clReleaseProgram(program));
    OK(clReleaseSampler(sampler));
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(buffer));
}

static void queries(void **state)
{
    (void)state;
    static const struct {
        cl_device_info param;
        unsigned since;
    } rows[] = {{CL_DEVICE_MAX_NUM_SUB_GROUPS, 21},
                {CL_DEVICE_OPENCL_C_ALL_VERSIONS, 30},
                {CL_DEVICE_OPENCL_C_FEATURES, 30},
                {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 30},
                {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, 30},
                {CL_DEVICE_MAX_WORK_GROUP_SIZES, 20}, /* that of the maximal sizes before */
                {CL_DEVICE_UUID, 20},                 /* as extensions, in all versions */
                {CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, 30},
                {CL_DEVICE_SPIRV_CAPABILITIES, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(query(rows[i].param), given >= rows[i].since ? CL_SUCCESS : CL_INVALID_VALUE);
    queries_of_objects();
    if (given < 30)
        return;
    cl_name_version all[16];
    size_t size, count;
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof all, all, &size));
    count = size / sizeof *all;
    bool newest = false, seen_1_2 = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(all[i].version <= CL_MAKE_VERSION(given / 10, given % 10, 0));
        newest |= all[i].version == CL_MAKE_VERSION(given / 10, given % 10, 0);
        seen_1_2 |= all[i].version == CL_MAKE_VERSION(1, 2, 0);
    }
    assert_true(newest && seen_1_2);
}

static cl_int build(const char *text, const char *options)
{
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(err);
    cl_int code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    OK(clReleaseProgram(program));
    return code;
}

static void languages(void **state) /* [CLC 6.12] [CL 3.4.2 R102] */
{
    (void)state;
    char text[300];
    snprintf(text, sizeof text,
             "#if __OPENCL_VERSION__ != %u0 || __OPENCL_C_VERSION__ != 120\n#error\n#endif\n", given);
    OK(build(text, NULL));
    OK(build("kernel void k() {}", "-cl-std=CL2.0"));
    static const char plain[] = "kernel void k() {}";
    assert_int_equal(build(plain, "-cl-std=CL3.0"), given >= 30 ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(build(plain, "-cl-std=CL3.1"), given >= 31 ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(build(plain, "-cl-std=CL3.2"), CL_INVALID_BUILD_OPTIONS);
    if (given >= 31)
        OK(build(
            "#if __OPENCL_C_VERSION__ != 310 || CL_VERSION_3_1 != 310 || !defined(__opencl_c_subgroups) || \\\n"
            "    !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)\n#error\n#endif\n"
            "kernel void k(global uint *x) {\n"
            "    x[0] = dot_4x8packed_uu_uint(x[1], x[2]) + bit_reverse(x[3]);\n"
            "    x[1] = sub_group_shuffle(x[0], 0) + sub_group_rotate(x[0], 1) + sub_group_shuffle_up(x[0], 1);\n"
            "    printf(\"%zu %td\\n\", get_global_id(0), x - x);\n"
            "}\n",
            "-cl-std=CL3.1 -Werror"));
}

/* Objects of another context have a different error from 3.1 on. */
static void foreign_arguments(void **state)
{
    (void)state;
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_mem buffer = clCreateBuffer(foreign, 0, 4, NULL, &err);
    OK(err);
    cl_sampler sampler = clCreateSampler(foreign, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    OK(err);
    cl_command_queue device_queue = clCreateCommandQueueWithProperties(foreign, device, on_device, &err);
    OK(err);
    cl_program program =
        build_source("kernel void k(global int *x, sampler_t s, queue_t q) { *x = 7; }", "-cl-std=CL2.0");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    /* [CL 5.9.2 E102] */
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof buffer, &buffer),
                     given >= 31 ? CL_INVALID_CONTEXT : CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof sampler, &sampler),
                     given >= 31 ? CL_INVALID_CONTEXT : CL_INVALID_SAMPLER);
    assert_int_equal(clSetKernelArg(kernel, 2, sizeof device_queue, &device_queue),
                     given >= 31 ? CL_INVALID_CONTEXT : CL_INVALID_DEVICE_QUEUE);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(device_queue));
    OK(clReleaseSampler(sampler));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseContext(foreign));
}

static void local_arguments(void **state) /* [CL 5.9.2 E12]: no error from 3.1 on [CL 5.9.2 R121] */
{
    (void)state;
    cl_program program = build_source("kernel void k(local int *l, global int *x) { *x = 7; }", NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &err);
    size_t one = 1;
    cl_int value = 0;
    assert_int_equal(clSetKernelArg(kernel, 0, 0, NULL), given >= 31 ? CL_SUCCESS : CL_INVALID_ARG_SIZE);
    if (given < 31)
        OK(clSetKernelArg(kernel, 0, 4, NULL));
    OK(clSetKernelArg(kernel, 1, sizeof x, &x));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, x, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    assert_int_equal(value, 7);
    OK(clReleaseMemObject(x));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* A kernel of no work-items is a marker from 2.1 on. */
static void empty_ranges(void **state)
{
    (void)state;
    cl_program program = build_source("kernel void k() {}", NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    const size_t sizes[2] = {4, 0};
    cl_int empty = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, sizes, NULL, 0, NULL, NULL);
    assert_int_equal(empty, given >= 21 ? CL_SUCCESS : CL_INVALID_GLOBAL_WORK_SIZE);
    /* [CL 5.10 E121] */
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, NULL, NULL, 0, NULL, NULL),
                     given >= 21 ? CL_SUCCESS : CL_INVALID_GLOBAL_WORK_SIZE);
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* Programs of another context: a separate error from 3.1 on. */
static void foreign_programs(void **state)
{
    (void)state;
    const char *text = "kernel void k() {}", *name = "header.h";
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_program there = clCreateProgramWithSource(foreign, 1, &text, NULL, &err),
               here = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(clCompileProgram(there, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(clCompileProgram(here, 0, NULL, NULL, 1, &there, &name, NULL, NULL),
                     given >= 31 ? CL_INVALID_CONTEXT : CL_SUCCESS);
    EXPECT_NULL(given >= 31 ? CL_INVALID_CONTEXT : CL_INVALID_PROGRAM,
                clLinkProgram(context, 0, NULL, NULL, 1, &there, NULL, NULL, &err));
    OK(clReleaseProgram(there));
    OK(clReleaseProgram(here));
    OK(clReleaseContext(foreign));
}

static int released;

static void CL_CALLBACK on_release(cl_program program, void *data)
{
    (void)program;
    released = released * 10 + *(int *)data;
}

/* Destructors of program-scope variables exist in 2.2: registered callbacks are called, last first.
 * [CL 5.8.2 R4] [CL 5.8.2 E121] */
static void release_callbacks(void **state)
{
    (void)state;
    int one = 1, two = 2;
    cl_program program = build_source("kernel void k() {}", NULL);
    if (given == 22) {
        OK(clSetProgramReleaseCallback(program, on_release, &one));
        OK(clSetProgramReleaseCallback(program, on_release, &two));
    } else {
        assert_int_equal(clSetProgramReleaseCallback(program, on_release, &one), CL_INVALID_OPERATION);
    }
    assert_int_equal(released, 0);
    OK(clReleaseProgram(program));
    assert_int_equal(released, given == 22 ? 21 : 0);
}

/* The event of clEnqueueSVMMigrateMem has a separate command type since 3.0. [CL 5.11 R143] */
static void migrations(void **state)
{
    (void)state;
    cl_event event;
    cl_command_type type = 0;
    const void *svm = clSVMAlloc(context, 0, 16, 0);
    assert_non_null(svm);
    OK(clEnqueueSVMMigrateMem(queue, 1, &svm, NULL, 0, 0, NULL, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, given >= 30 ? CL_COMMAND_SVM_MIGRATE_MEM : CL_COMMAND_MIGRATE_MEM_OBJECTS);
    OK(clFinish(queue));
    OK(clReleaseEvent(event));
    clSVMFree(context, (void *)(uintptr_t)svm);
}

/* The name of an entry point that 3.1 made core, beside that of the extension. */
static void core_names(void **state)
{
    (void)state;
    assert_int_equal(
        clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSize") != NULL,
        given >= 31);
    assert_non_null(
        clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
}

/* Extensions that depend on OpenCL 3.0 [CL 4.1 R101]; others of the same kind do not. */
static void extensions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *call;
        unsigned since;
    } rows[] = {{"cl_khr_external_memory", "clEnqueueAcquireExternalMemObjectsKHR", 30},
                {"cl_khr_external_memory_opaque_fd", NULL, 30},
                {"cl_ext_buffer_device_address", "clSetKernelArgDevicePointerEXT", 30},
                {"cl_ext_image_requirements_info", "clGetImageRequirementsInfoEXT", 30},
                {"cl_ext_image_from_buffer", NULL, 30},
                {"cl_khr_external_semaphore", "clGetSemaphoreHandleForTypeKHR", 20}};
    char names[8192];
    cl_uint types;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names - 1, names + 1, NULL));
    names[0] = ' ';
    strcat(names, " ");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char word[64];
        snprintf(word, sizeof word, " %s ", rows[i].name);
        assert_int_equal(strstr(names, word) != NULL, given >= rows[i].since);
        if (rows[i].call)
            assert_int_equal(clGetExtensionFunctionAddressForPlatform(platform, rows[i].call) != NULL,
                             given >= rows[i].since);
    }
    const cl_mem_properties with_address[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    cl_mem buffer = clCreateBufferWithProperties(context, with_address, 0, 16, NULL, &err);
    assert_int_equal(err, given >= 30 ? CL_SUCCESS : CL_INVALID_PROPERTY);
    if (buffer)
        OK(clReleaseMemObject(buffer));
    buffer = clCreateBuffer(context, 0, 64, NULL, &err);
    OK(err);
    cl_ulong address;
    assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, NULL),
                     given >= 30 ? CL_INVALID_OPERATION : CL_INVALID_VALUE);
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    cl_image_desc of_buffer = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 16, .buffer = buffer};
    cl_mem image = clCreateImage(context, 0, &format, &of_buffer, NULL, &err);
    assert_int_equal(err, given >= 30 ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR);
    if (image)
        OK(clReleaseMemObject(image));
    of_buffer.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    image = clCreateImage(context, 0, &format, &of_buffer, NULL, &err);
    OK(err);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
    cl_program program = build_source("kernel void k() {}", NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    assert_int_equal(
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof(cl_ulong), &(cl_ulong){0}),
        given >= 30 ? CL_SUCCESS : CL_INVALID_VALUE);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    assert_int_equal(clGetPlatformInfo(platform, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                                       sizeof types, &types, NULL),
                     given >= 30 ? CL_SUCCESS : CL_INVALID_VALUE);
}

static void each_version(void **state)
{
    (void)state;
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            setenv("REFCL_VERSION", versions[i], 1);
            setenv("CMOCKA_MESSAGE_OUTPUT", "STDOUT", 1);
            dup2(STDERR_FILENO, STDOUT_FILENO);
            execl(self, self, versions[i], (char *)NULL);
            _exit(127);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("tests under REFCL_VERSION=%s fail", versions[i]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest one[] = {
        cmocka_unit_test(reports),         cmocka_unit_test(queries),           cmocka_unit_test(languages),
        cmocka_unit_test(local_arguments), cmocka_unit_test(foreign_arguments), cmocka_unit_test(core_names),
        cmocka_unit_test(empty_ranges),    cmocka_unit_test(foreign_programs),  cmocka_unit_test(extensions),
        cmocka_unit_test(migrations),      cmocka_unit_test(release_callbacks)};
    const struct CMUnitTest all[] = {cmocka_unit_test(each_version)};
    if (argc < 2)
        return cmocka_run_group_tests(all, NULL, NULL);
    given = (unsigned)(argv[1][0] - '0') * 10 + (unsigned)(argv[1][2] - '0');
    return cmocka_run_group_tests(one, open_device, close_device);
}
