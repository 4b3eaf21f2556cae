/* A platform whose only device exists but cannot be used [CL 4.2, 4.4]. */
#include "tests/runtime/runtime_test.h"

static void gone(void **state)
{
    (void)state;
    cl_bool available = CL_TRUE;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    assert_int_equal(available, CL_FALSE);
    EXPECT_NULL(CL_DEVICE_NOT_AVAILABLE, clCreateContext(NULL, 1, &device, NULL, NULL, &err));
    EXPECT_NULL(CL_DEVICE_NOT_AVAILABLE, clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err));
}

int main(void)
{
    setenv("REFCL_LOST_AFTER", "0", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(gone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
