/* The SPIR-V versions that a device reports: the string and the array name the same, a module of each builds
 * and runs, and one of another version is refused [CL 4.2, 5.8.1]. */
#include "tests/runtime/runtime_test.h"
#include "tests/runtime/specialized.h"

enum { VERSIONS = 7 };

/* The version word of a module's header for the minor version MINOR. */
static cl_uint header_version(unsigned minor)
{
    return 0x10000 | minor << 8;
}

static void both_queries_agree(void **state)
{
    (void)state;
    char text[256];
    size_t size;
    cl_name_version list[16];
    OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof text, text, &size));
    assert_int_equal(size, strlen(text) + 1);
    OK(clGetDeviceInfo(device, CL_DEVICE_ILS_WITH_VERSION, sizeof list, list, &size));
    assert_int_equal(size, VERSIONS * sizeof *list);
    char joined[256] = "";
    for (size_t i = 0; i < VERSIONS; i++) {
        assert_int_equal(list[i].version, CL_MAKE_VERSION(1, i, 0));
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s_%u.%u", i ? " " : "",
                 list[i].name, CL_VERSION_MAJOR(list[i].version), CL_VERSION_MINOR(list[i].version));
    }
    assert_string_equal(joined, text);
}

/* [CL 4.2 R105] */
static void modules_run(void **state)
{
    (void)state;
    for (unsigned minor = 0; minor < VERSIONS; minor++) {
        cl_uint words[sizeof specialized / sizeof *specialized], result = 0;
        memcpy(words, specialized, sizeof words);
        words[1] = header_version(minor);
        cl_program program = clCreateProgramWithIL(context, words, sizeof words, &err);
        OK(err);
        OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        cl_kernel kernel = clCreateKernel(program, "k", &err);
        OK(err);
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, &err);
        OK(err);
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
        assert_int_equal(result, 11);
        OK(clReleaseMemObject(buffer));
        OK(clReleaseKernel(kernel));
        OK(clReleaseProgram(program));
    }
}

static void later_versions_are_refused(void **state)
{
    (void)state;
    static const cl_uint others[] = {0x10700, 0x20000, 0x99, 0};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cl_uint words[sizeof specialized / sizeof *specialized];
        memcpy(words, specialized, sizeof words);
        words[1] = others[i];
        cl_program program = clCreateProgramWithIL(context, words, sizeof words, &err);
        if (program) {
            assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
            OK(clReleaseProgram(program));
        } else {
            assert_int_equal(err, CL_INVALID_VALUE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_queries_agree),
        cmocka_unit_test(modules_run),
        cmocka_unit_test(later_versions_are_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
