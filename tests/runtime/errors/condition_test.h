/* Shared by tests of tables of calls, each with the expected code. */
#ifndef TESTS_RUNTIME_ERRORS_CONDITION_TEST_H
#define TESTS_RUNTIME_ERRORS_CONDITION_TEST_H

#include "tests/runtime/runtime_test.h"

#define NONE 0, NULL, NULL

static unsigned wrong;

__attribute__((unused)) static void compare(const char *clause, const char *call, cl_int want, cl_int got)
{
    if (want == got)
        return;
    wrong++;
    print_message("# %s: %d instead of %d from %s\n", clause, got, want, call);
}

__attribute__((unused)) static const size_t zero[3], one[3] = {1, 1, 1};
__attribute__((unused)) static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
__attribute__((unused)) static const cl_image_desc square = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};

/* The two devices that the test has asked for. */
__attribute__((unused)) static int find_devices(cl_device_id devices[2])
{
    cl_uint n = 0;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &n) || n != 2)
        return -1;
    return 0;
}

/* ---- callbacks that do nothing ---- */

__attribute__((unused)) static void CL_CALLBACK on_destroy(cl_mem m, void *data)
{
    (void)m, (void)data;
}

__attribute__((unused)) static void CL_CALLBACK on_context(cl_context c, void *data)
{
    (void)c, (void)data;
}

__attribute__((unused)) static void CL_CALLBACK on_release(cl_program p, void *data)
{
    (void)p, (void)data;
}

__attribute__((unused)) static void CL_CALLBACK on_native(void *data)
{
    (void)data;
}

#endif
