/* Platform, device and context calls [CL 4.1-4.4]. */
#include "tests/runtime/runtime_test.h"

#include <stdbool.h>

static void platforms(void **state)
{
    (void)state;
    cl_uint n = 0;
    OK(clGetPlatformIDs(0, NULL, &n));
    assert_int_equal(n, 1);
    assert_int_equal(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetPlatformIDs(0, &platform, NULL), CL_INVALID_VALUE);
    char text[1024];
    size_t size = 0;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(text), text, &size));
    assert_string_equal(text, "refcl");
    assert_int_equal(size, 6);
    assert_int_equal(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 5, text, NULL), CL_INVALID_VALUE);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &size));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(text), text, NULL));
    assert_memory_equal(text, "OpenCL 3.1 ", 11);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_PROFILE, sizeof(text), text, NULL));
    assert_string_equal(text, "FULL_PROFILE");
    cl_version version;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof(version), &version, NULL));
    assert_int_equal(CL_VERSION_MAJOR(version), 3);
    assert_int_equal(clGetPlatformInfo(platform, 0x7777, sizeof(text), text, NULL), CL_INVALID_VALUE);
}

static int in_words(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = strstr(list, word); p; p = strstr(p + 1, word)) {
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0)) {
            return 1;
        }
    }
    return 0;
}

/* The vendor of the host's processor: refcl itself has no identifier. */
static void vendor(void **state)
{
    (void)state;
    cl_uint id = 1;
    OK(clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof id, &id, NULL));
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[4096];
    cl_uint expected = 0;
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        if ((found = strncmp(line, "vendor_id", 9) == 0))
            expected = strstr(line, "GenuineIntel") ? 0x8086 : strstr(line, "AuthenticAMD") ? 0x1022 : 0;
    if (file)
        fclose(file);
    /* [CL 4.2 R123] */
    assert_true(id <= 0xffff);
    if (expected)
        assert_int_equal(id, expected);
}

/* The string and the versioned array name the same extensions, once each [CL 4.2 R104]. */
static void extensions_agree(void **state)
{
    (void)state;
    char text[4096];
    cl_name_version list[96];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof(list), list, &size));
    size_t words = 1;
    for (const char *p = text; *p; p++) {
        words += *p == ' ';
    }
    assert_int_equal(words, size / sizeof(*list));
    for (size_t i = 0; i < size / sizeof(*list); i++) {
        assert_true(in_words(text, list[i].name));
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(list[i].name, list[k].name);
        }
    }
    static const char *const required[] = {
        "cl_khr_byte_addressable_store",        "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics",  "cl_khr_icd"};
    for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++) {
        assert_true(in_words(text, required[i]));
    }
}

static void extension_functions(void **state)
{
    (void)state;
    assert_non_null(clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR"));
    assert_non_null(
        clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
    assert_null(clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBuffer"));
}

static cl_uint uint_of(cl_device_info param)
{
    cl_uint v = 0;
    size_t size;
    OK(clGetDeviceInfo(device, param, sizeof(v), &v, &size));
    assert_int_equal(size, sizeof(v));
    return v;
}

static cl_ulong ulong_of(cl_device_info param)
{
    cl_ulong v = 0;
    size_t size;
    OK(clGetDeviceInfo(device, param, sizeof(v), &v, &size));
    assert_int_equal(size, sizeof(v));
    return v;
}

static int has_feature(const char *name)
{
    cl_name_version list[96];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(list), list, &size));
    for (size_t i = 0; i < size / sizeof(*list); i++) {
        if (strcmp(list[i].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Each feature macro exactly when its query says so. */
static void features_agree(void **state)
{
    (void)state;
    cl_ulong atomics = ulong_of(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
    assert_true(atomics & CL_DEVICE_ATOMIC_ORDER_RELAXED);
    assert_true(atomics & CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
    assert_int_equal(has_feature("__opencl_c_atomic_order_acq_rel"),
                     !!(atomics & CL_DEVICE_ATOMIC_ORDER_ACQ_REL));
    assert_int_equal(has_feature("__opencl_c_atomic_order_seq_cst"),
                     !!(atomics & CL_DEVICE_ATOMIC_ORDER_SEQ_CST));
    assert_int_equal(has_feature("__opencl_c_atomic_scope_device"),
                     !!(atomics & CL_DEVICE_ATOMIC_SCOPE_DEVICE));
    assert_int_equal(has_feature("__opencl_c_atomic_scope_all_devices"),
                     !!(atomics & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES));
    assert_true(ulong_of(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) & CL_DEVICE_ATOMIC_ORDER_ACQ_REL);
    assert_int_equal(has_feature("__opencl_c_images"), uint_of(CL_DEVICE_IMAGE_SUPPORT));
    assert_int_equal(has_feature("__opencl_c_pipes"), uint_of(CL_DEVICE_PIPE_SUPPORT));
    assert_int_equal(has_feature("__opencl_c_device_enqueue"),
                     ulong_of(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0);
    assert_int_equal(has_feature("__opencl_c_generic_address_space"),
                     uint_of(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT));
    assert_int_equal(has_feature("__opencl_c_subgroups"), uint_of(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0);
    assert_int_equal(has_feature("__opencl_c_work_group_collective_functions"),
                     uint_of(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT));
    assert_int_equal(has_feature("__opencl_c_fp64"), ulong_of(CL_DEVICE_DOUBLE_FP_CONFIG) != 0);
    assert_true(has_feature("__opencl_c_int64"));
    size_t variables;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(variables), &variables, NULL));
    assert_int_equal(has_feature("__opencl_c_program_scope_global_variables"), variables != 0);
}

/* The minima of the full profile. */
static void minima(void **state)
{
    (void)state;
    assert_true(uint_of(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) >= 3);
    assert_true(ulong_of(CL_DEVICE_LOCAL_MEM_SIZE) >= 32 * 1024);
    assert_true(ulong_of(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 64 * 1024);
    assert_true(uint_of(CL_DEVICE_MAX_CONSTANT_ARGS) >= 8);
    assert_true(uint_of(CL_DEVICE_MEM_BASE_ADDR_ALIGN) >= 1024);
    assert_true(ulong_of(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE);
    assert_true(ulong_of(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_INF_NAN);
    assert_true(ulong_of(CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= 128u << 20);
    size_t parameter;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(parameter), &parameter, NULL));
    assert_true(parameter >= 1024);
    char text[256];
    unsigned major, minor;
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof(text), text, NULL));
    assert_int_equal(sscanf(text, "OpenCL C %u.%u ", &major, &minor), 2);
    unsigned y, m, d, n;
    OK(clGetDeviceInfo(device, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, sizeof(text), text, NULL));
    assert_int_equal(sscanf(text, "v%4u-%2u-%2u-%2u", &y, &m, &d, &n), 4);
}

static void device_lists(void **state)
{
    (void)state;
    cl_device_id found;
    cl_uint n;
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &found, &n));
    assert_ptr_equal(found, device);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &found, &n), CL_DEVICE_NOT_FOUND);
    assert_int_equal(clGetDeviceIDs(platform, 1 << 20, 1, &found, &n), CL_INVALID_DEVICE_TYPE);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &found, &n), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL), CL_INVALID_VALUE);
    OK(clRetainDevice(device));
    OK(clReleaseDevice(device));
    assert_int_equal(uint_of(CL_DEVICE_REFERENCE_COUNT), 1);
    cl_ulong a, b;
    OK(clGetDeviceAndHostTimer(device, &a, &b));
    assert_true(a > 0 && b > 0);
    OK(clGetHostTimer(device, &a));
    assert_true(a >= b);
    assert_int_equal(clGetHostTimer(device, NULL), CL_INVALID_VALUE);
}

static cl_uint units_of(cl_device_id of)
{
    cl_uint units = 0;
    OK(clGetDeviceInfo(of, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return units;
}

/* Sub-devices: number, sizes, and that commands run on them [CL 4.3]. */
static void sub_devices(void **state)
{
    (void)state;
    cl_uint units = units_of(device), n = 0, n_parts;
    assert_true(units >= 2);
    cl_device_partition_property ways[4] = {0}, none[4] = {77};
    size_t size;
    /* [CL 4.3 R141] */
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &size));
    assert_int_equal(size, 2 * sizeof *ways);
    assert_true(ways[0] == CL_DEVICE_PARTITION_EQUALLY && ways[1] == CL_DEVICE_PARTITION_BY_COUNTS);
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[16];
    OK(clCreateSubDevices(device, equally, 0, NULL, &n));
    assert_int_equal(n, units);
    OK(clCreateSubDevices(device, equally, 16, parts, &n));
    for (cl_uint i = 0; i < n; i++) {
        cl_device_id parent = NULL;
        cl_device_partition_property type[3] = {0};
        OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        assert_ptr_equal(parent, device);
        OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_TYPE, sizeof type, type, NULL));
        assert_memory_equal(type, equally, sizeof type);
        assert_int_equal(units_of(parts[i]), 1);
        OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof n_parts, &n_parts, NULL));
        assert_int_equal(n_parts, 0); /* it cannot be divided [CL 4.2 R44] */
        OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_PROPERTIES, sizeof none, none, &size));
        assert_true(size == sizeof *none && none[0] == 0);
    }
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof n_parts, &n_parts, NULL));
    assert_int_equal(n_parts, units); /* [CL 4.2 R43] */
    assert_int_equal(clCreateSubDevices(parts[0], equally, 16, parts + 8, &n), CL_DEVICE_PARTITION_FAILED);
    const cl_device_partition_property in_twos[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    assert_int_equal(clCreateSubDevices(parts[0], in_twos, 16, parts + 8, &n),
                     CL_INVALID_DEVICE_PARTITION_COUNT);
    cl_context two = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    OK(err);
    cl_command_queue q = clCreateCommandQueueWithProperties(two, parts[1], NULL, &err);
    OK(err);
    EXPECT_NULL(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(two, device, NULL, &err));
    cl_mem buffer = clCreateBuffer(two, 0, 64, NULL, &err);
    const int seven = 7;
    int out = 0;
    OK(clEnqueueFillBuffer(q, buffer, &seven, 4, 0, 64, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, buffer, CL_TRUE, 60, 4, &out, 0, NULL, NULL));
    assert_int_equal(out, 7);
    for (cl_uint i = 0; i < units; i++) {
        OK(clReleaseDevice(parts[i]));
    }
    OK(clEnqueueFillBuffer(q, buffer, &seven, 4, 0, 64, 0, NULL, NULL)); /* the context holds its devices */
    OK(clReleaseMemObject(buffer));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(two));
    assert_int_equal(clReleaseDevice(parts[1]), CL_INVALID_DEVICE);

    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, units - 1, 0, 0};
    OK(clCreateSubDevices(device, counts, 2, parts, &n));
    assert_int_equal(n, 2);
    assert_int_equal(units_of(parts[1]), units - 1);
    OK(clRetainDevice(parts[0]));
    OK(clReleaseDevice(parts[0]));
    OK(clReleaseDevice(parts[0]));
    OK(clReleaseDevice(parts[1]));
    const cl_device_partition_property many[] = {CL_DEVICE_PARTITION_BY_COUNTS, units, 1, 0, 0},
                                       negative[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0},
                                       large[] = {CL_DEVICE_PARTITION_EQUALLY, units + 1, 0},
                                       whole[] = {CL_DEVICE_PARTITION_EQUALLY, units, 0},
                                       zero[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0},
                                       domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                   CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    /* [CL 4.3 R1, R2] */
    assert_int_equal(clCreateSubDevices(device, many, 16, parts, &n), CL_INVALID_DEVICE_PARTITION_COUNT);
    assert_int_equal(clCreateSubDevices(device, negative, 16, parts, &n), CL_INVALID_DEVICE_PARTITION_COUNT);
    assert_int_equal(clCreateSubDevices(device, large, 16, parts, &n), CL_INVALID_DEVICE_PARTITION_COUNT);
    assert_int_equal(clCreateSubDevices(device, whole, 16, parts, &n), CL_DEVICE_PARTITION_FAILED);
    assert_int_equal(clCreateSubDevices(device, zero, 16, parts, &n), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(device, domain, 16, parts, &n), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(device, NULL, 16, parts, &n), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(device, counts, 1, parts, &n), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(NULL, counts, 2, parts, &n), CL_INVALID_DEVICE);
}

static void contexts(void **state)
{
    (void)state;
    const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                           CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_context c = clCreateContext(good, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_uint refs, count;
    OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    assert_int_equal(refs, 1);
    OK(clRetainContext(c));
    OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    assert_int_equal(refs, 2);
    OK(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL));
    assert_int_equal(count, 1);
    cl_context_properties back[4];
    size_t size;
    OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof(back), back, &size));
    assert_int_equal(size, sizeof(good));
    assert_memory_equal(back, good, sizeof(good));
    OK(clReleaseContext(c));
    OK(clReleaseContext(c));
    assert_int_equal(clReleaseContext(c), CL_INVALID_CONTEXT);
    assert_int_equal(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL),
                     CL_INVALID_CONTEXT);
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &device, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateContext(good, 0, &device, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateContext(good, 1, NULL, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateContext(good, 1, &device, NULL, &err, &err));
    EXPECT_NULL(CL_DEVICE_NOT_FOUND, clCreateContextFromType(good, CL_DEVICE_TYPE_GPU, NULL, NULL, &err));
    c = clCreateContextFromType(good, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
    OK(err);
    OK(clReleaseContext(c));
}

static int order[4], calls;
static void CL_CALLBACK destroyed(cl_context c, void *data)
{
    (void)c;
    order[calls++] = *(int *)data;
}

static void context_destructors(void **state)
{
    (void)state;
    int one = 1, two = 2;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(clSetContextDestructorCallback(c, destroyed, &one));
    OK(clSetContextDestructorCallback(c, destroyed, &two));
    assert_int_equal(clSetContextDestructorCallback(c, NULL, &two), CL_INVALID_VALUE);
    cl_mem held = clCreateBuffer(c, 0, 4, NULL, &err);
    OK(clReleaseContext(c));
    assert_int_equal(calls, 0);
    OK(clReleaseMemObject(held));
    assert_int_equal(calls, 2);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 1);
}

/* Unsupported features return the error that the specification names. */
static void optional_features(void **state)
{
    (void)state;
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_uint n = 9;
    if (!uint_of(CL_DEVICE_IMAGE_SUPPORT)) {
        EXPECT_NULL(CL_INVALID_OPERATION, clCreateImage(context, 0, &format, &description, NULL, &err));
        EXPECT_NULL(CL_INVALID_OPERATION,
                    clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err));
        OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
        assert_int_equal(n, 0);
    }
    if (!uint_of(CL_DEVICE_PIPE_SUPPORT)) {
        EXPECT_NULL(CL_INVALID_OPERATION, clCreatePipe(context, 0, 4, 4, NULL, &err));
    }
    if (!uint_of(CL_DEVICE_MAX_ON_DEVICE_QUEUES)) {
        const cl_queue_properties on_device[] = {
            CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
        EXPECT_NULL(CL_INVALID_QUEUE_PROPERTIES,
                    clCreateCommandQueueWithProperties(context, device, on_device, &err));
        assert_int_equal(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_OPERATION);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platforms),         cmocka_unit_test(vendor),
        cmocka_unit_test(extensions_agree),  cmocka_unit_test(extension_functions),
        cmocka_unit_test(features_agree),    cmocka_unit_test(minima),
        cmocka_unit_test(device_lists),      cmocka_unit_test(sub_devices),
        cmocka_unit_test(contexts),          cmocka_unit_test(context_destructors),
        cmocka_unit_test(optional_features),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
