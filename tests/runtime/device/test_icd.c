/* Dispatch by the loader: tags, addresses of entry points, data in every object [cl_khr_icd 2.0]. */
#include <stdbool.h>

#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>

static void *(CL_API_CALL *address_of)(cl_platform_id, const char *);
static cl_int(CL_API_CALL *set_data)(cl_platform_id, void *);

struct icd_object {
    const cl_icd_dispatch *dispatch;
    void *data;
};

static void *data_of(const void *handle)
{
    assert_non_null(handle);
    return ((const struct icd_object *)handle)->data;
}

static bool stayed; /* after dlclose(), before the loader has opened the library */

static int setup(void **state)
{
    const char *path = getenv("OCL_ICD_FILENAMES");
    if (!path)
        return -1;
    void *once = dlopen(path, RTLD_NOW);
    stayed = once && dlclose(once) == 0 && dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL;
    void *library = dlopen(path, RTLD_NOW);
    void *get = library ? dlsym(library, "clIcdGetFunctionAddressForPlatformKHR") : NULL;
    void *set = library ? dlsym(library, "clIcdSetPlatformDispatchDataKHR") : NULL;
    if (!get || !set)
        return -1;
    memcpy(&address_of, &get, sizeof get);
    memcpy(&set_data, &set, sizeof set);
    return open_device(state);
}

static void tags(void **state)
{
    (void)state;
    const cl_icd_dispatch *table = ((const struct icd_object *)(const void *)platform)->dispatch;
    assert_true((intptr_t)table->clGetPlatformIDs == CL_ICD2_TAG_KHR);
    assert_true((intptr_t)table->clUnloadCompiler == CL_ICD2_TAG_KHR);
    assert_true((intptr_t)table->clGetPlatformInfo != CL_ICD2_TAG_KHR);
    cl_name_version versions[256];
    size_t size;
    bool found = false;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &size));
    for (size_t i = 0; i < size / sizeof *versions; i++)
        if (strcmp(versions[i].name, "cl_khr_icd") == 0)
            found = versions[i].version == CL_MAKE_VERSION(2, 0, 1);
    assert_true(found);
}

static void addresses(void **state)
{
    (void)state;
    const cl_icd_dispatch *table = ((const struct icd_object *)(const void *)platform)->dispatch;
    static const char *const names[] = {"clGetPlatformIDs",
                                        "clUnloadCompiler",
                                        "clGetDeviceIDs",
                                        "clSetContextDestructorCallback",
                                        "clGetKernelSuggestedLocalWorkSize",
                                        "clGetKernelSuggestedLocalWorkSizeKHR",
                                        "clCreateSemaphoreWithPropertiesKHR",
                                        "clIcdGetPlatformIDsKHR",
                                        "clIcdSetPlatformDispatchDataKHR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!address_of(platform, names[i]))
            fail_msg("%s has no address", names[i]);
    void *create = address_of(platform, "clCreateContext");
    assert_memory_equal(&create, &table->clCreateContext, sizeof create);
    cl_int(CL_API_CALL * ids)(cl_uint, cl_platform_id *, cl_uint *);
    void *found = address_of(platform, "clGetPlatformIDs");
    memcpy(&ids, &found, sizeof ids);
    cl_platform_id same = NULL;
    OK(ids(1, &same, NULL));
    assert_ptr_equal(same, platform);
    found = address_of(platform, "clIcdGetPlatformIDsKHR");
    memcpy(&ids, &found, sizeof ids);
    same = NULL;
    /* [CL 4.1 R131] */
    assert_int_equal(ids(1, &same, NULL), CL_SUCCESS);
    assert_ptr_equal(same, platform);
    /* [CL 4.1 E131] */
    assert_int_equal(ids(0, &same, NULL), CL_INVALID_VALUE);
    /* [CL 4.1 E131] */
    assert_int_equal(ids(0, NULL, NULL), CL_INVALID_VALUE);
    /* [CL 4.1 E133] */
    assert_int_equal(set_data((cl_platform_id)device, NULL), CL_INVALID_PLATFORM);
    found = clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetFunctionAddressForPlatformKHR");
    assert_memory_equal(&found, &address_of, sizeof found);
    found = clGetExtensionFunctionAddressForPlatform(platform, "clIcdSetPlatformDispatchDataKHR");
    assert_memory_equal(&found, &set_data, sizeof found);
    assert_null(address_of(platform, "clCreateContexts"));
    assert_null(address_of(platform, NULL));
    assert_null(address_of(NULL, "clCreateContext"));
    assert_null(address_of((cl_platform_id)device, "clCreateContext"));
}

/* The core name and that of the extension are one function. */
static void core_name(void **state)
{
    (void)state;
    cl_program program = build_source("kernel void k() {}", NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    size_t global = 96, local[2] = {0, 0};
    const char *names[] = {"clGetKernelSuggestedLocalWorkSize", "clGetKernelSuggestedLocalWorkSizeKHR"};
    for (int i = 0; i < 2; i++) {
        cl_int(CL_API_CALL * suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                                      size_t *);
        void *found = clGetExtensionFunctionAddressForPlatform(platform, names[i]);
        assert_non_null(found);
        memcpy(&suggest, &found, sizeof suggest);
        OK(suggest(queue, kernel, 1, NULL, &global, &local[i]));
        assert_true(local[i] > 0 && global % local[i] == 0);
        assert_int_equal(suggest(queue, kernel, 4, NULL, &global, &local[i]), CL_INVALID_WORK_DIMENSION);
    }
    assert_int_equal(local[0], local[1]);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* The driver's own function: a loader dispatches by the data. */
static void *driver_function(const char *name)
{
    void *found = address_of(platform, name);
    assert_non_null(found);
    return found;
}
#define DRIVER(name) ((__typeof__(&name))driver_function(#name))

/* Existing and later objects have the platform's data, which is the loader's if that has some. */
static void data(void **state)
{
    (void)state;
    static int mark, other;
    const char *source = "kernel void k() {}";
    void *first = data_of(platform);
    assert_int_equal(set_data((cl_platform_id)device, &mark), CL_INVALID_PLATFORM);
    assert_int_equal(set_data(NULL, &mark), CL_INVALID_PLATFORM);
    assert_ptr_equal(data_of(context), first);
    /* [CL 4.1 R132] */
    assert_int_equal(set_data(platform, &mark), CL_SUCCESS);
    cl_program program = DRIVER(clCreateProgramWithSource)(context, 1, &source, NULL, &err);
    OK(DRIVER(clBuildProgram)(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = DRIVER(clCreateKernel)(program, "k", &err);
    cl_mem mem = DRIVER(clCreateBuffer)(context, 0, 16, NULL, &err);
    cl_event event = DRIVER(clCreateUserEvent)(context, &err);
    cl_sampler sampler =
        DRIVER(clCreateSampler)(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    const void *objects[] = {platform, device, context, queue, unordered,
                             program,  kernel, mem,     event, sampler};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        assert_ptr_equal(data_of(objects[i]), &mark);
    OK(set_data(platform, &other));
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        assert_ptr_equal(data_of(objects[i]), &other);
    OK(set_data(platform, first));
    OK(clReleaseSampler(sampler));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* The runtime's threads execute its code until the process ends. */
static void stays_loaded(void **state)
{
    (void)state;
    assert_true(stayed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tags), cmocka_unit_test(addresses),
                                       cmocka_unit_test(core_name), cmocka_unit_test(data),
                                       cmocka_unit_test(stays_loaded)};
    return cmocka_run_group_tests(tests, setup, close_device);
}
