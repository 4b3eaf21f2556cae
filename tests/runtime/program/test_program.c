/* Program objects: creation, building, compiling, linking, binaries, queries and their errors [CL 5.8]. */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/runtime/program/own_kernels.h"
#include "tests/runtime/runtime_test.h"
#include "tests/runtime/specialized.h"

#include <sys/stat.h>
#include <unistd.h>

static const char source[] = "kernel void one(global int *a) { a[0] = 1; }\n"
                             "kernel void two(global int *a, int b) { a[0] = b; }\n";

static cl_program from_source(const char *text)
{
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    assert_non_null(program);
    assert_int_equal(err, CL_SUCCESS);
    return program;
}

static cl_program built(const char *text, const char *options)
{
    cl_program program = from_source(text);
    OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    return program;
}

/* A string query of the build; valid until the next call. */
static const char *build_string(cl_program program, cl_program_build_info name)
{
    static char text[20000];
    size_t size;
    OK(clGetProgramBuildInfo(program, device, name, sizeof text, text, &size));
    assert_int_equal(size, strlen(text) + 1);
    return text;
}

static cl_program_binary_type binary_type(cl_program program)
{
    cl_program_binary_type type = 99;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    return type;
}

static void test_creation_errors(void **state)
{
    (void)state;
    const char *text = source, *null = NULL;
    EXPECT_NULL(CL_INVALID_CONTEXT, clCreateProgramWithSource(NULL, 1, &text, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, &text, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, &null, NULL, &err));
    assert_null(clCreateProgramWithSource(context, 0, &text, NULL, NULL));
    const unsigned char junk[64] = {1, 2, 3}, *binary = junk;
    size_t size = sizeof junk, none = 0;
    cl_int status = 77;
    EXPECT_NULL(CL_INVALID_CONTEXT,
                clCreateProgramWithBinary(NULL, 1, &device, &size, &binary, &status, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateProgramWithBinary(context, 0, &device, &size, &binary, &status, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 1, NULL, &size, &binary, &status, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateProgramWithBinary(context, 1, &device, NULL, &binary, &status, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateProgramWithBinary(context, 1, &device, &none, &binary, &status, &err));
    EXPECT_NULL(CL_INVALID_BINARY,
                clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &err));
    assert_int_equal(status, CL_INVALID_BINARY);
    cl_device_id wrong = (cl_device_id)context;
    EXPECT_NULL(CL_INVALID_DEVICE, clCreateProgramWithBinary(context, 1, &wrong, &size, &binary, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithIL(context, NULL, 20, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithIL(context, junk, sizeof junk, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithIL(context, junk, 0, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, "k", &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, NULL, "k", &err));
    assert_int_equal(clRetainProgram(NULL), CL_INVALID_PROGRAM);
    assert_int_equal(clReleaseProgram((cl_program)context), CL_INVALID_PROGRAM);
    OK(clUnloadPlatformCompiler(platform));
    assert_int_equal(clUnloadPlatformCompiler((cl_platform_id)context), CL_INVALID_PLATFORM);
}

static void test_source_strings(void **state)
{
    (void)state;
    const char *parts[] = {"kernel void k(gl", "obal int *a)zzz", " { a[0] = 1; }\n"};
    const size_t lengths[] = {0, 12, 0};
    cl_program program = clCreateProgramWithSource(context, 3, parts, lengths, &err);
    OK(err);
    char text[200];
    size_t size;
    OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    assert_string_equal(text, "kernel void k(global int *a) { a[0] = 1; }\n");
    assert_int_equal(size, strlen(text) + 1);
    OK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(clReleaseProgram(program));
}

static void test_queries(void **state)
{
    (void)state;
    cl_program program = from_source(source);
    cl_uint count = 0;
    cl_context where = NULL;
    cl_device_id devices[16] = {NULL};
    size_t size = 0, kernels = 0;
    OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clRetainProgram(program));
    OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 2);
    OK(clReleaseProgram(program));
    OK(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof where, &where, NULL));
    assert_ptr_equal(where, context);
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &size));
    assert_int_equal(size, sizeof *devices);
    assert_ptr_equal(devices[0], device);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_DEVICES, 1, devices, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetProgramInfo(program, 0, sizeof devices, devices, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetProgramInfo(NULL, CL_PROGRAM_DEVICES, 8, devices, NULL), CL_INVALID_PROGRAM);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, 0, NULL, &size),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, 0, NULL, &size),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(status_of_build(program), CL_BUILD_NONE);
    assert_int_equal(binary_type(program), CL_PROGRAM_BINARY_TYPE_NONE);
    assert_string_equal(build_string(program, CL_PROGRAM_BUILD_OPTIONS), "");
    assert_string_equal(build_string(program, CL_PROGRAM_BUILD_LOG), "");

    OK(clBuildProgram(program, 1, &device, "-D X=1", NULL, NULL));
    assert_int_equal(status_of_build(program), CL_BUILD_SUCCESS);
    assert_int_equal(binary_type(program), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_string_equal(build_string(program, CL_PROGRAM_BUILD_OPTIONS), "-D X=1");
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    assert_int_equal(kernels, 2);
    char names[100];
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    assert_true(!strcmp(names, "one;two") || !strcmp(names, "two;one"));
    cl_bool present = CL_TRUE;
    OK(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof present, &present, NULL));
    assert_int_equal(present, CL_FALSE);
    OK(clReleaseProgram(program));
}

static void test_global_variables(void **state)
{
    (void)state;
    cl_program program = built("global int v[10]; kernel void k(void) { v[0]++; }", "-cl-std=CL3.0");
    size_t size = 0;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof size, &size,
                             NULL));
    assert_true(size >= 40);
    OK(clReleaseProgram(program));
}

static void test_build_errors(void **state)
{
    (void)state;
    cl_program program = from_source("kernel void k(global int *a)\n{\n  a[0] = nothing;\n}\n");
    assert_int_equal(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    assert_int_equal(clBuildProgram(program, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clBuildProgram(program, 0, &device, NULL, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, &program), CL_INVALID_VALUE);
    cl_device_id wrong = (cl_device_id)context;
    assert_int_equal(clBuildProgram(program, 1, &wrong, NULL, NULL, NULL), CL_INVALID_DEVICE);
    assert_int_equal(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL),
                     CL_INVALID_BUILD_OPTIONS);
    assert_int_equal(clBuildProgram(program, 0, NULL, "-create-library", NULL, NULL),
                     CL_INVALID_BUILD_OPTIONS);
    assert_int_equal(status_of_build(program), CL_BUILD_NONE);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(status_of_build(program), CL_BUILD_ERROR);
    assert_int_equal(binary_type(program), CL_PROGRAM_BINARY_TYPE_NONE);
    const char *log = build_string(program, CL_PROGRAM_BUILD_LOG);
    assert_non_null(strstr(log, ".cl:3:10: error:"));
    EXPECT_NULL(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "k", &err));
    assert_int_equal(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, 4, &(cl_int){0}, NULL),
                     CL_INVALID_DEVICE);
    assert_int_equal(clGetProgramBuildInfo(program, device, 0, 4, &(cl_int){0}, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetProgramReleaseCallback(program, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetProgramSpecializationConstant(program, 1, 4, &(cl_int){0}), CL_INVALID_PROGRAM);
    OK(clReleaseProgram(program));
}

static void CL_CALLBACK count_call(cl_program program, void *data)
{
    (void)program;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

static void test_callback(void **state)
{
    (void)state;
    int calls = 0;
    cl_program program = from_source(source);
    OK(clBuildProgram(program, 0, NULL, NULL, count_call, &calls));
    await(&calls, 1);
    assert_int_equal(calls, 1);
    assert_int_equal(status_of_build(program), CL_BUILD_SUCCESS);
    OK(clReleaseProgram(program));
}

/* No rebuild while kernels are attached. */
static void test_attached_kernels(void **state)
{
    (void)state;
    cl_program program = built(source, NULL);
    cl_kernel kernel = clCreateKernel(program, "one", &err);
    OK(err);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
                     CL_INVALID_OPERATION);
    OK(clReleaseKernel(kernel));
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(program));
}

static void test_compile_and_link(void **state)
{
    (void)state;
    cl_program main_program = from_source("#include \"sum.h\"\n#include <dir/other.h>\n"
                                          "kernel void k(global int *a) { a[0] = sum(a[1], OTHER); }\n");
    cl_program part = from_source("int sum(int a, int b) { return a + b; }\n");
    cl_program headers[] = {from_source("int sum(int, int);\n"), from_source("#define OTHER 3\n")};
    const char *names[] = {"sum.h", "dir/other.h"};
    assert_int_equal(clCompileProgram(main_program, 0, NULL, NULL, 2, headers, NULL, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clCompileProgram(main_program, 0, NULL, NULL, 0, headers, names, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clCompileProgram(main_program, 0, NULL, "-bogus", 2, headers, names, NULL, NULL),
                     CL_INVALID_COMPILER_OPTIONS);
    assert_int_equal(clCompileProgram(main_program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
                     CL_COMPILE_PROGRAM_FAILURE);
    /* [CL 5.8.5 E14] no program has an object for the device: no executable, no error */
    cl_program nothing = clLinkProgram(context, 0, NULL, NULL, 1, &main_program, NULL, NULL, &err);
    OK(err);
    assert_int_equal(status_of_build(nothing), CL_BUILD_NONE);
    assert_int_equal(binary_type(nothing), CL_PROGRAM_BINARY_TYPE_NONE);
    EXPECT_NULL(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(nothing, "k", &err));
    OK(clReleaseProgram(nothing));
    OK(clCompileProgram(main_program, 0, NULL, NULL, 2, headers, names, NULL, NULL));
    assert_int_equal(binary_type(main_program), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    EXPECT_NULL(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(main_program, "k", &err));

    cl_program inputs[] = {main_program, part};
    EXPECT_NULL(CL_INVALID_OPERATION, clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, &err));
    OK(clCompileProgram(part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    EXPECT_NULL(CL_INVALID_LINKER_OPTIONS,
                clLinkProgram(context, 0, NULL, "-g", 2, inputs, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clLinkProgram(context, 0, NULL, NULL, 0, NULL, NULL, NULL, &err));
    /* [CL 5.8.5 E15] */
    EXPECT_NULL(CL_INVALID_CONTEXT, clLinkProgram(NULL, 0, NULL, NULL, 2, inputs, NULL, NULL, &err));
    cl_program wrong = (cl_program)context;
    EXPECT_NULL(CL_INVALID_PROGRAM, clLinkProgram(context, 0, NULL, NULL, 1, &wrong, NULL, NULL, &err));

    cl_program failed = clLinkProgram(context, 0, NULL, NULL, 1, &main_program, NULL, NULL, &err);
    assert_int_equal(err, CL_LINK_PROGRAM_FAILURE);
    assert_non_null(failed);
    assert_int_equal(status_of_build(failed), CL_BUILD_ERROR);
    assert_non_null(strstr(build_string(failed, CL_PROGRAM_BUILD_LOG), "sum"));
    OK(clReleaseProgram(failed));

    cl_program linked = clLinkProgram(context, 1, &device, NULL, 2, inputs, NULL, NULL, &err);
    OK(err);
    assert_int_equal(binary_type(linked), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    cl_kernel kernel = clCreateKernel(linked, "k", &err);
    OK(err);
    OK(clReleaseKernel(kernel));
    assert_int_equal(clBuildProgram(linked, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);

    cl_program library = clLinkProgram(context, 0, NULL, "-create-library", 1, &part, NULL, NULL, &err);
    OK(err);
    assert_int_equal(binary_type(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program with_library[] = {main_program, library};
    cl_program again = clLinkProgram(context, 0, NULL, NULL, 2, with_library, NULL, NULL, &err);
    OK(err);
    cl_program all[] = {again, library, linked, part, main_program, headers[0], headers[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        OK(clReleaseProgram(all[i]));
}

/* The binary of PROGRAM; freed by the caller. */
static unsigned char *binary_of(cl_program program, size_t *size)
{
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
    assert_true(*size > 0);
    unsigned char *binary = malloc(*size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    return binary;
}

/* A program from the binary of FROM. */
static cl_program reloaded(cl_program from)
{
    size_t size;
    unsigned char *binary = binary_of(from, &size);
    const unsigned char *given = binary;
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &err);
    OK(err);
    free(binary);
    return program;
}

/* Queries that need the source work for programs created from source, and for programs linked from these.
 * [CL 5.9.4 R182] [CL 5.9.4 E19] */
static void test_attributes_of_binaries(void **state)
{
    (void)state;
    static const char text[] =
        "kernel __attribute__((reqd_work_group_size(2, 1, 1))) void k(global int *p) {}";
    static const char options[] = "-cl-kernel-arg-info";
    cl_program object = from_source(text), programs[4] = {built(text, options)};
    OK(clCompileProgram(object, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    programs[1] = clLinkProgram(context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
    OK(err);
    programs[2] = reloaded(programs[0]);
    OK(clBuildProgram(programs[2], 0, NULL, options, NULL, NULL));
    cl_program object_again = reloaded(object);
    programs[3] = clLinkProgram(context, 0, NULL, NULL, 1, &object_again, NULL, NULL, &err);
    OK(err);
    OK(clReleaseProgram(object_again));
    for (int i = 0; i < 4; i++) {
        char attributes[100] = "?";
        size_t sizes[3] = {0};
        cl_kernel kernel = clCreateKernel(programs[i], "k", &err);
        OK(err);
        OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
        assert_string_equal(attributes, i < 2 ? "reqd_work_group_size(2,1,1)" : "");
        char name[8] = "?";
        assert_int_equal(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL),
                         i < 2 ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        assert_string_equal(name, i < 2 ? "p" : "?");
        OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes,
                                    NULL));
        assert_int_equal(sizes[0], 2);
        OK(clReleaseKernel(kernel));
        OK(clReleaseProgram(programs[i]));
    }
    OK(clReleaseProgram(object));
}

static void test_binaries(void **state)
{
    (void)state;
    cl_program program = built(source, "-D X=2");
    size_t size, copied_size;
    unsigned char *binary = binary_of(program, &size), *null = NULL;
    const unsigned char *given = binary;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof null, &null, NULL)); /* passed over */
    OK(clReleaseProgram(program));

    cl_int status = 77;
    program = clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &err);
    OK(err);
    OK(status);
    assert_int_equal(binary_type(program), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_int_equal(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
                     CL_INVALID_OPERATION);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_string_equal(build_string(program, CL_PROGRAM_BUILD_OPTIONS), "-D X=2");
    cl_kernel kernel = clCreateKernel(program, "two", &err);
    OK(err);
    OK(clReleaseKernel(kernel));
    unsigned char *copied = binary_of(program, &copied_size);
    assert_int_equal(copied_size, size);
    assert_memory_equal(copied, binary, size);
    OK(clReleaseProgram(program));
    free(copied);

    /* Every flipped byte and every truncation is detected. */
    for (size_t i = 0; i < size; i += 1 + size / 200) {
        binary[i] ^= 0x10;
        EXPECT_NULL(CL_INVALID_BINARY,
                    clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &err));
        binary[i] ^= 0x10;
        size_t cut = i + 1 < size ? i + 1 : 1;
        EXPECT_NULL(CL_INVALID_BINARY,
                    clCreateProgramWithBinary(context, 1, &device, &cut, &given, NULL, &err));
    }
    free(binary);
}

static void test_object_binaries(void **state)
{
    (void)state;
    cl_program object = from_source("int f(int x) { return x; }\n");
    OK(clCompileProgram(object, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    size_t size;
    unsigned char *binary = binary_of(object, &size);
    const unsigned char *given = binary;
    cl_program loaded = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &err);
    OK(err);
    assert_int_equal(binary_type(loaded), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    assert_int_equal(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL), CL_INVALID_BINARY);
    cl_program main_program = from_source("int f(int); kernel void k(global int *a) { a[0] = f(1); }\n");
    OK(clCompileProgram(main_program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program inputs[] = {main_program, loaded};
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, &err);
    OK(err);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(main_program));
    OK(clReleaseProgram(loaded));
    OK(clReleaseProgram(object));
    free(binary);
}

static cl_uint run_built(cl_program il)
{
    cl_kernel kernel = clCreateKernel(il, "k", &err);
    OK(err);
    cl_uint result = 77;
    size_t one = 1;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    return result;
}

static cl_uint run_specialized(cl_program il)
{
    OK(clBuildProgram(il, 0, NULL, NULL, NULL, NULL));
    return run_built(il);
}

static void test_specialization_constants(void **state)
{
    (void)state;
    cl_program il = clCreateProgramWithIL(context, specialized, sizeof specialized, &err);
    OK(err);
    cl_uint value = 42, other = 43;
    cl_uchar no = 0, yes = 9;
    assert_int_equal(run_specialized(il), 11); /* the default [CL 5.8.3 R5] */
    assert_int_equal(clSetProgramSpecializationConstant(il, 6, sizeof value, &value), CL_INVALID_SPEC_ID);
    assert_int_equal(clSetProgramSpecializationConstant(il, 5, 8, &value), CL_INVALID_VALUE);
    assert_int_equal(clSetProgramSpecializationConstant(il, 5, sizeof value, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetProgramSpecializationConstant(il, 7, sizeof value, &value), CL_INVALID_VALUE);
    OK(clSetProgramSpecializationConstant(il, 5, sizeof value, &value));
    assert_int_equal(run_specialized(il), 42);
    OK(clSetProgramSpecializationConstant(il, 5, sizeof other, &other));
    assert_int_equal(run_specialized(il), 43); /* [CL 5.8.3 R4] */
    OK(clSetProgramSpecializationConstant(il, 7, sizeof no, &no));
    assert_int_equal(run_specialized(il), 0);
    OK(clSetProgramSpecializationConstant(il, 7, sizeof yes, &yes));
    assert_int_equal(run_specialized(il), 43);

    /* The binary contains the values. */
    size_t size;
    unsigned char *binary = binary_of(il, &size);
    const unsigned char *given = binary;
    cl_program loaded = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &err);
    OK(err);
    assert_int_equal(run_specialized(loaded), 43);
    OK(clReleaseProgram(loaded));
    free(binary);

    /* It also contains those of the build, whatever is set later. */
    OK(clSetProgramSpecializationConstant(il, 5, sizeof value, &value));
    binary = binary_of(il, &size);
    given = binary;
    loaded = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &err);
    assert_int_equal(run_specialized(loaded), 43);
    OK(clReleaseProgram(loaded));
    free(binary);

    /* A compiled program has the values at that time, and passes them to linked programs. */
    OK(clCompileProgram(il, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    OK(clSetProgramSpecializationConstant(il, 5, sizeof other, &other));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &il, NULL, NULL, &err);
    OK(err);
    assert_int_equal(run_built(linked), 42);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(il));
}

/* A call of an undefined function [CL 5.8.4]. */
static void test_undefined(void **state)
{
    (void)state;
    static const char text[] = "int nowhere(int); kernel void k(global int *a) { a[0] = nowhere(3); }\n";
    cl_program program = from_source(text);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_non_null(strstr(build_string(program, CL_PROGRAM_BUILD_LOG), "nowhere"));
    OK(clReleaseProgram(program));
    program = from_source(text);
    OK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &err);
    assert_int_equal(err, CL_LINK_PROGRAM_FAILURE);
    if (linked)
        OK(clReleaseProgram(linked));
    OK(clReleaseProgram(program));
    program = from_source("int nowhere(int); kernel void k(global int *a) { a[0] = 3; }\n");
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(program));
}

/* The compiler finds the user's own file name when the text is that of a file. */
static void test_own_file_names(void **state)
{
    (void)state;
    char directory[60], path[100];
    static const char text[] = "kernel void k(global int *a) { a[0] = missing; }\n";
    snprintf(directory, sizeof directory, "/tmp/refcl-test-program-%d", (int)getpid());
    assert_int_equal(mkdir(directory, 0700), 0);
    snprintf(path, sizeof path, "%s/mine.cl", directory);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    setenv("REFCL_SOURCE_PATH", directory, 1);
    cl_program program = from_source(text);
    unsetenv("REFCL_SOURCE_PATH");
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_non_null(strstr(build_string(program, CL_PROGRAM_BUILD_LOG), "mine.cl:1:39: error:"));
    OK(clReleaseProgram(program));
    unlink(path);
    rmdir(directory);
}

/* Initializers are executed once, before the first kernel, and finalizers at the program's end; neither can
 * be launched. [CL 3.2 R2, 5.8.7] */
static void test_own_kernels(void **state)
{
    (void)state;
    cl_program il = clCreateProgramWithIL(context, own_kernels, sizeof own_kernels, &err);
    OK(err);
    OK(clBuildProgram(il, 0, NULL, NULL, NULL, NULL));
    cl_bool makes = CL_FALSE, unmakes = CL_FALSE;
    OK(clGetProgramInfo(il, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof makes, &makes, NULL));
    OK(clGetProgramInfo(il, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof unmakes, &unmakes, NULL));
    assert_true(makes && unmakes);
    char names[16];
    OK(clGetProgramInfo(il, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    assert_string_equal(names, "k");
    EXPECT_NULL(CL_INVALID_KERNEL_NAME, clCreateKernel(il, "start", &err));
    cl_kernel kernel = clCreateKernel(il, "k", &err);
    OK(err);
    cl_mem buffer = clCreateBuffer(context, 0, sizeof(cl_uint), NULL, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    const size_t one = 1;
    cl_uint got = 0;
    for (int i = 0; i < 2; i++) {
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
        assert_int_equal(got, 42);
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(il));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    assert_int_equal(got, 99);
    OK(clReleaseMemObject(buffer));
    cl_program plain = built(source, NULL);
    OK(clGetProgramInfo(plain, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof makes, &makes, NULL));
    OK(clGetProgramInfo(plain, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof unmakes, &unmakes, NULL));
    assert_true(!makes && !unmakes);
    OK(clReleaseProgram(plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creation_errors),
        cmocka_unit_test(test_source_strings),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_global_variables),
        cmocka_unit_test(test_build_errors),
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_attached_kernels),
        cmocka_unit_test(test_compile_and_link),
        cmocka_unit_test(test_binaries),
        cmocka_unit_test(test_object_binaries),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_own_file_names),
        cmocka_unit_test(test_specialization_constants),
        cmocka_unit_test(test_own_kernels),
        cmocka_unit_test(test_attributes_of_binaries),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
