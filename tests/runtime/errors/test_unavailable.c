/* Unavailable facilities: the compiler, the linker, a program that another thread is building
 * [CL 5.8.4, 5.8.5]. */
#include "tests/runtime/runtime_test.h"
#include "tests/runtime/specialized.h"

#include <pthread.h>
#include <stdbool.h>

static const char *const text = "kernel void k(global int *p) { *p = 1; }";

static cl_program from_source(void)
{
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    OK(err);
    return program;
}

static void no_compiler(void **state)
{
    (void)state;
    setenv("REFCL_COMPILER", "/nonexistent/compiler", 1);
    cl_program program = from_source();
    assert_int_equal(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    assert_int_equal(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
                     CL_COMPILER_NOT_AVAILABLE);
    OK(clReleaseProgram(program));
    cl_program parts[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = clCreateProgramWithIL(context, specialized, sizeof specialized, &err);
        OK(err);
        OK(clCompileProgram(parts[i], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    }
    program = clLinkProgram(context, 0, NULL, "", 2, parts, NULL, NULL, &err);
    assert_int_equal(err, CL_LINKER_NOT_AVAILABLE);
    if (program)
        OK(clReleaseProgram(program));
    OK(clReleaseProgram(parts[0]));
    OK(clReleaseProgram(parts[1]));
    unsetenv("REFCL_COMPILER");
}

static int ended;

static void *build(void *program)
{
    clBuildProgram(program, 0, NULL, "", NULL, NULL);
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Calls that are permitted during a build that takes SECONDS; false: it ended before that was observed. */
static bool seen_building(const char *seconds)
{
    pthread_t thread;
    cl_program program = from_source();
    ended = 0;
    setenv("REFCL_COMPILER_FAULT", "hang", 1);
    setenv("REFCL_COMPILE_TIMEOUT", seconds, 1);
    assert_int_equal(pthread_create(&thread, NULL, build, program), 0);
    while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE) && status_of_build(program) != CL_BUILD_IN_PROGRESS)
        pause_ms(1);
    cl_int builds = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    cl_int compiles = clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
    cl_int links = CL_SUCCESS;
    assert_null(clLinkProgram(context, 0, NULL, "", 1, &program, NULL, NULL, &links));
    bool seen = status_of_build(program) == CL_BUILD_IN_PROGRESS;
    pthread_join(thread, NULL);
    unsetenv("REFCL_COMPILER_FAULT");
    unsetenv("REFCL_COMPILE_TIMEOUT");
    if (seen) {
        /* [CL 5.8.4 E9] */
        assert_int_equal(builds, CL_INVALID_OPERATION);
        /* [CL 5.8.5 E7] */
        assert_int_equal(compiles, CL_INVALID_OPERATION);
        /* [CL 5.8.5 E22] */
        assert_int_equal(links, CL_INVALID_OPERATION);
        assert_int_equal(status_of_build(program), CL_BUILD_ERROR);
        OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    }
    OK(clReleaseProgram(program));
    return seen;
}

/* The helper hangs until its time limit. */
static void still_building(void **state)
{
    (void)state;
    assert_true(seen_building("2") || seen_building("20") || seen_building("200"));
}

/* No device has fine-grained system SVM unless REFCL_SVM says so. */
static void no_system_svm(void **state)
{
    (void)state;
    const cl_bool wanted = CL_TRUE;
    cl_program program = build_source(text, "");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    assert_int_equal(
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof wanted, &wanted),
        CL_INVALID_OPERATION);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    void *fine = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    assert_non_null(fine);
    clSVMFree(context, fine);
    /* SVM atomics are unavailable if they are not supported, or without fine-grained SVM. [CL 3.3.6 A21] */
    assert_null(clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0));
    assert_null(clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_compiler), cmocka_unit_test(still_building),
                                       cmocka_unit_test(no_system_svm)};
    setenv("REFCL_SVM", "fine", 1);
    return cmocka_run_group_tests(tests, open_device, close_device);
}
