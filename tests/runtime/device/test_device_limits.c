/* Requirements of the tables of device and platform queries on the answers: minima, and answers that follow
 * from others, from the version or from the device type [CL 4.1, 4.2]. */
#include <stdbool.h>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

static unsigned major, minor; /* of the device */
static bool has_images;

static cl_ulong number(cl_device_info param, size_t size)
{
    cl_ulong value = 0;
    OK(clGetDeviceInfo(device, param, size, &value, NULL));
    return value;
}

#define ASK(type, param) ((type)number(param, sizeof(type)))

static bool at_least(unsigned version)
{
    return major * 10 + minor >= version;
}

static bool is_2_x(void)
{
    return major == 2;
}

static void text_of(cl_device_info param, char text[8192])
{
    text[0] = ' ';
    OK(clGetDeviceInfo(device, param, 8190, text + 1, NULL));
    strcat(text, " ");
}

static bool has_extension(const char *name)
{
    char text[8192], word[80];
    text_of(CL_DEVICE_EXTENSIONS, text);
    snprintf(word, sizeof word, " %s ", name);
    return strstr(text, word);
}

static int setup(void **state)
{
    char text[8192];
    if (open_device(state))
        return -1;
    text_of(CL_DEVICE_VERSION, text);
    has_images = ASK(cl_bool, CL_DEVICE_IMAGE_SUPPORT);
    return sscanf(text, " OpenCL %u.%u", &major, &minor) == 2 ? 0 : -1;
}

/* ---- minima ---- */

enum needs { ALWAYS, IMAGES, PIPES, VARIABLES, DEVICE_QUEUES, SUB_GROUPS };

/* Whether the device has the feature: as queries report, or as versions before 3.0 require. [CL 4.2 R133] */
static bool has_feature(enum needs feature)
{
    static const struct {
        cl_device_info param;
        size_t size;
    } queries[] = {[PIPES] = {CL_DEVICE_PIPE_SUPPORT, sizeof(cl_bool)},
                   [VARIABLES] = {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t)},
                   [DEVICE_QUEUES] = {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(cl_bitfield)},
                   [SUB_GROUPS] = {CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(cl_uint)}};
    if (feature == ALWAYS)
        return true;
    if (feature == IMAGES)
        return has_images;
    if (feature == SUB_GROUPS && !at_least(21))
        return false;
    if (is_2_x() || (feature == SUB_GROUPS && at_least(31)))
        return true;
    return number(queries[feature].param, queries[feature].size) != 0;
}

/* A limit of an unsupported feature is 0. [CL 5.3.2 R4] */
static void minima(void **unused)
{
    static const struct {
        const char *clause, *name;
        cl_device_info param;
        size_t size;
        cl_ulong least;
        enum needs needs;
    } rows[] = {
#define LEAST(clause, param, type, least, needs) {clause, #param, param, sizeof(type), least, needs},
#include "tests/runtime/device/device_limits.def"
    };
    unsigned wrong = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].needs == SUB_GROUPS && !at_least(21))
            continue; /* no query */
        cl_ulong answer = number(rows[i].param, rows[i].size);
        if (has_feature(rows[i].needs) ? answer < rows[i].least : answer != 0) {
            print_message("# %s: %s is %llu\n", rows[i].clause, rows[i].name, (unsigned long long)answer);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* A quarter of global memory, of which 1 GiB is enough. [CL 4.2 R14] */
static void largest_allocation(void **unused)
{
    cl_ulong quarter = ASK(cl_ulong, CL_DEVICE_GLOBAL_MEM_SIZE) / 4, enough = (cl_ulong)1 << 30;
    (void)unused;
    assert_true(ASK(cl_ulong, CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= (quarter < enough ? quarter : enough));
}

/* [CL 4.2 R8] */
static void work_group_sizes(void **unused)
{
    size_t sizes[8] = {0}, size;
    cl_uint dimensions = ASK(cl_uint, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
    (void)unused;
    const cl_device_info params[] = {CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_MAX_WORK_GROUP_SIZES};
    for (int i = 0; i < 2; i++) {
        OK(clGetDeviceInfo(device, params[i], sizeof sizes, sizes, &size));
        assert_int_equal(size, dimensions * sizeof *sizes);
        for (cl_uint k = 0; k < dimensions; k++)
            assert_true(sizes[k] >= 1 && sizes[k] <= ASK(size_t, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    }
}

/* ---- floating point ---- */

/* Widths of types that the device does not have are 0, those of others at least 1. */
static void vector_widths(void **unused)
{
    bool doubles = ASK(cl_bitfield, CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
         halves = ASK(cl_bitfield, CL_DEVICE_HALF_FP_CONFIG) != 0;
    (void)unused;
    assert_int_equal(has_extension("cl_khr_fp64"), doubles);
    assert_int_equal(has_extension("cl_khr_fp16"), halves);
    assert_int_equal(ASK(cl_uint, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) != 0, doubles); /* [CL 4.2 R9] */
    assert_int_equal(ASK(cl_uint, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF) != 0, halves);    /* [CL 4.2 R10] */
    assert_int_equal(ASK(cl_uint, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) != 0, doubles);    /* [CL 4.2 R11] */
    assert_int_equal(ASK(cl_uint, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) != 0, halves);       /* [CL 4.2 R12] */
}

/* [CL 4.2 R29] */
static void precision(void **unused)
{
    const cl_device_fp_config single = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN,
                              twice = single | CL_FP_FMA | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
                                      CL_FP_DENORM;
    cl_device_fp_config doubles = ASK(cl_device_fp_config, CL_DEVICE_DOUBLE_FP_CONFIG),
                        halves = ASK(cl_device_fp_config, CL_DEVICE_HALF_FP_CONFIG);
    (void)unused;
    assert_true((ASK(cl_device_fp_config, CL_DEVICE_SINGLE_FP_CONFIG) & single) == single);
    assert_true(doubles == 0 || (doubles & twice) == twice);
    assert_true(halves == 0 || (halves & CL_FP_INF_NAN));
    assert_true(halves == 0 || (halves & (CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO)));
}

/* Whether arithmetic has the rounding mode or not. [CL 4.2 R52] */
static void conversions_round(void **unused)
{
    static const char source[] = "kernel void k(global int *i, global float *f, float x, int n) {\n"
                                 "    i[0] = convert_int_rte(x);\n    i[1] = convert_int_rtz(x);\n"
                                 "    i[2] = convert_int_rtp(x);\n    i[3] = convert_int_rtn(x);\n"
                                 "    i[4] = convert_int_rte(-x);\n    i[5] = convert_int_rtz(-x);\n"
                                 "    i[6] = convert_int_rtp(-x);\n    i[7] = convert_int_rtn(-x);\n"
                                 "    f[0] = convert_float_rte(n);\n    f[1] = convert_float_rtz(n);\n"
                                 "    f[2] = convert_float_rtp(n);\n    f[3] = convert_float_rtn(n);\n}\n";
    static const cl_int wanted[8] = {4, 3, 4, 3, -4, -3, -3, -4};
    /* 2^24 + 3 lies between 2^24 + 2 and 2^24 + 4, of which the latter has an even significand. */
    static const cl_float wanted_floats[4] = {16777220, 16777218, 16777220, 16777218};
    const cl_float x = 3.5f;
    const cl_int n = 16777219;
    const size_t one = 1;
    cl_int integers[8];
    cl_float floats[4];
    (void)unused;
    cl_program program = build_source(source, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem i = clCreateBuffer(context, 0, sizeof integers, NULL, &err),
           f = clCreateBuffer(context, 0, sizeof floats, NULL, &err);
    OK(clSetKernelArg(kernel, 0, sizeof i, &i));
    OK(clSetKernelArg(kernel, 1, sizeof f, &f));
    OK(clSetKernelArg(kernel, 2, sizeof x, &x));
    OK(clSetKernelArg(kernel, 3, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, i, CL_TRUE, 0, sizeof integers, integers, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, f, CL_TRUE, 0, sizeof floats, floats, 0, NULL, NULL));
    assert_memory_equal(integers, wanted, sizeof wanted);
    assert_memory_equal(floats, wanted_floats, sizeof wanted_floats);
    OK(clReleaseMemObject(i));
    OK(clReleaseMemObject(f));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* ---- images of buffers ---- */

/* A power of two, or 0 without images [CL 4.2 R22, R23], which suits every format [CL 4.2 R134] */
static void image_alignments(void **unused)
{
    cl_uint pitch = ASK(cl_uint, CL_DEVICE_IMAGE_PITCH_ALIGNMENT),
            base = ASK(cl_uint, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT);
    cl_image_format formats[256];
    cl_uint count = 0;
    const size_t largest = 16; /* four channels of 32 bits */
    (void)unused;
    assert_int_equal(pitch != 0, has_images);
    assert_int_equal(base != 0, has_images);
    assert_true((pitch & (pitch - 1)) == 0 && (base & (base - 1)) == 0);
    clGetImageRequirementsInfoEXT_fn requirements =
        (clGetImageRequirementsInfoEXT_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
            platform, "clGetImageRequirementsInfoEXT");
    if (!requirements)
        return;
    OK(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 256, formats, &count));
    assert_true(count > 0 && count <= 256);
    for (cl_uint i = 0; i < count; i++) {
        size_t row = 0, address = 0;
        OK(requirements(context, NULL, 0, &formats[i], NULL, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
                        sizeof row, &row, NULL));
        OK(requirements(context, NULL, 0, &formats[i], NULL, CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
                        sizeof address, &address, NULL));
        assert_true(pitch * largest >= row && base * largest >= address);
    }
}

/* ---- features by version ---- */

/* [CL 4.2 R138] [CL 4.2 R41] */
static void extensions_of_versions(void **unused)
{
    static const char *const since_1_1[] = {
        "cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics"};
    static const char *const of_images[] = {"cl_khr_3d_image_writes", "cl_khr_depth_images",
                                            "cl_khr_image2d_from_buffer"};
    static const char *const since_3_1[] = {
        "cl_khr_device_uuid",      "cl_khr_extended_bit_ops",          "cl_khr_integer_dot_product",
        "cl_khr_spirv_queries",    "cl_khr_subgroup_extended_types",   "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative", "cl_khr_suggested_local_work_size"};
    (void)unused;
    for (size_t i = 0; i < sizeof since_1_1 / sizeof *since_1_1; i++)
        assert_true(has_extension(since_1_1[i]));
    for (size_t i = 0; i < sizeof of_images / sizeof *of_images; i++)
        assert_int_equal(has_extension(of_images[i]), has_images);
    for (size_t i = 0; i < sizeof since_3_1 / sizeof *since_3_1; i++)
        assert_true(!at_least(31) || has_extension(since_3_1[i]));
}

/* SPIR-V where 2.1 and later ask for it, and which versions. [CL 4.2 R17] [CL 3.4.1 R5, R7]
 * [CL 3.4.2 R103] */
static void intermediate_languages(void **unused)
{
    char text[8192];
    (void)unused;
    text_of(CL_DEVICE_IL_VERSION, text);
    assert_non_null(strstr(text, " SPIR-V_1.0 "));
    assert_non_null(strstr(text, " SPIR-V_1.2 "));
    for (int i = 0; i <= 4; i++) {
        char word[16];
        snprintf(word, sizeof word, " SPIR-V_1.%d ", i);
        assert_true(!at_least(31) || strstr(text, word));
    }
}

/* [CL 4.2 R40] [CL 3.4.1 R1, R2] [CL 3.4.2 R103]: the version is named, and programs of it are built. */
static void languages(void **unused)
{
    static const struct {
        unsigned since;
        const char *option;
    } rows[] = {{10, "-cl-std=CL1.0"}, {11, "-cl-std=CL1.1"}, {12, "-cl-std=CL1.2"},
                {20, "-cl-std=CL2.0"}, {30, "-cl-std=CL3.0"}, {31, "-cl-std=CL3.1"}};
    char text[8192], wanted[32];
    (void)unused;
    text_of(CL_DEVICE_OPENCL_C_VERSION, text);
    snprintf(wanted, sizeof wanted, " OpenCL C %u.%u ", major, is_2_x() ? 0 : minor);
    assert_memory_equal(text, wanted, strlen(wanted));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!at_least(rows[i].since))
            continue;
        cl_program program = build_source("kernel void k(global int *p) { *p = 1; }", rows[i].option);
        OK(clReleaseProgram(program));
    }
}

/* A compiler and a linker in the full profile [CL 3.1 R2] [CL 4.2 R53] [CL 4.2 R35], coarse-grained SVM
 * [CL 4.2 R45] [CL 3.3.3 R2], addresses of one size [CL 5.6.1 R6]; sub-groups progress independently where
 * the extension is there [CL 4.2 R49] */
static void required(void **unused)
{
    (void)unused;
    assert_true(ASK(cl_bool, CL_DEVICE_COMPILER_AVAILABLE));
    assert_true(ASK(cl_bool, CL_DEVICE_LINKER_AVAILABLE));
    cl_device_svm_capabilities svm = ASK(cl_device_svm_capabilities, CL_DEVICE_SVM_CAPABILITIES);
    assert_true(!is_2_x() || (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER));
    assert_int_equal(ASK(cl_uint, CL_DEVICE_ADDRESS_BITS), 8 * sizeof(void *));
    if (at_least(21) && has_extension("cl_khr_subgroups"))
        assert_true(ASK(cl_bool, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS));
}

/* Timers of device and host are read together where 2.1 and 2.2 require it. [CL 4.1 R133] */
static void timers(void **unused)
{
    cl_ulong resolution = 0, of_device = 0, of_host = 0;
    (void)unused;
    cl_int code =
        clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution, &resolution, NULL);
    assert_int_equal(code, at_least(21) ? CL_SUCCESS : CL_INVALID_VALUE);
    if (!at_least(21))
        return;
    assert_true(resolution > 0);
    OK(clGetDeviceAndHostTimer(device, &of_device, &of_host));
    assert_true(of_device > 0 && of_host > 0);
}

/* ---- lists ---- */

/* [CL 4.2 R135] */
static void built_in_kernels(void **unused)
{
    char text[8192];
    cl_name_version list[64];
    size_t size = 0, names = 0;
    (void)unused;
    OK(clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS, sizeof text, text, NULL));
    if (clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, sizeof list, list, &size))
        size = 0;
    for (char *name = strtok(text, ";"); name; name = strtok(NULL, ";"), names++)
        assert_true(names < size / sizeof *list && strcmp(name, list[names].name) == 0);
    assert_int_equal(names, size / sizeof *list);
}

/* The platform's list has exactly what every device has. [CL 4.1 R5] */
static void extensions_of_platform(void **unused)
{
    char all[8192] = " ", own[8192];
    cl_device_id devices[16];
    cl_uint count;
    (void)unused;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof all - 2, all + 1, NULL));
    strcat(all, " ");
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count));
    assert_int_equal(count, 1); /* which has all that each has */
    text_of(CL_DEVICE_EXTENSIONS, own);
    assert_string_equal(all, own);
}

/* ---- identity ---- */

static void uuid_of(cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, CL_UUID_SIZE_KHR, uuid, NULL));
}

/* Runs this program in a separate process with another environment; returns its output. */
static int again(const char *mode, const char *variable, const char *value)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (variable)
            setenv(variable, value, 1);
        execl(self, self, mode, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static cl_uchar checksum(const cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    cl_uchar sum = 1;
    for (int i = 0; i < CL_UUID_SIZE_KHR; i++)
        sum = (cl_uchar)(sum * 31 + uuid[i]);
    return sum;
}

/* Another process has the same answers [CL 4.2 R136]; a node mask has one bit if there is a LUID
 * [CL 4.2 R137]. */
static void identity(void **unused)
{
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    cl_uint mask = ASK(cl_uint, CL_DEVICE_NODE_MASK_KHR);
    (void)unused;
    uuid_of(uuid);
    assert_int_equal(again("uuid", NULL, NULL), checksum(uuid));
    cl_uchar luid[CL_LUID_SIZE_KHR];
    /* [CL 4.2 R142] */
    OK(clGetDeviceInfo(device, CL_DEVICE_LUID_KHR, sizeof luid, luid, NULL));
    assert_true(!ASK(cl_bool, CL_DEVICE_LUID_VALID_KHR) || (mask && (mask & (mask - 1)) == 0));
}

/* ---- types of devices ---- */

static cl_uint count_of(cl_device_type type)
{
    cl_uint count = 0;
    cl_int code = clGetDeviceIDs(platform, type, 0, NULL, &count);
    assert_int_equal(code, count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND);
    return count;
}

/* One type each [CL 4.2 R132], the first device is the default [CL 4.2 R131]; devices of the other types may
 * be asked for [CL 4.2 R141]. */
static void types(void **unused)
{
    cl_device_type type = ASK(cl_device_type, CL_DEVICE_TYPE);
    cl_device_id found;
    static const cl_device_type all[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                         CL_DEVICE_TYPE_CUSTOM};
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(count_of(all[i]), all[i] == type);
    assert_int_equal(count_of(CL_DEVICE_TYPE_ALL), 1);
    assert_true(type && (type & (type - 1)) == 0 && type != CL_DEVICE_TYPE_DEFAULT);
    assert_int_equal(count_of(CL_DEVICE_TYPE_DEFAULT), 1);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &found, NULL));
    assert_ptr_equal(found, device);
}

/* A custom device: one of all, and the default where there is no other, since 3.0; before neither [CL 4.2 R2]
 * [CL 4.2 R131]. */
static int custom_device(void)
{
    char text[64];
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL))
        return 1;
    cl_uint wanted = strncmp(text, "OpenCL 2", 8) != 0;
    bool good = count_of(CL_DEVICE_TYPE_CUSTOM) == 1 && count_of(CL_DEVICE_TYPE_CPU) == 0 &&
                count_of(CL_DEVICE_TYPE_ALL) == wanted && count_of(CL_DEVICE_TYPE_DEFAULT) == wanted;
    return good ? 42 : 1;
}

static void custom_devices(void **unused)
{
    (void)unused;
    assert_int_equal(again("custom", "REFCL_DEVICE_TYPE", "custom"), 42);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minima),
        cmocka_unit_test(largest_allocation),
        cmocka_unit_test(work_group_sizes),
        cmocka_unit_test(vector_widths),
        cmocka_unit_test(precision),
        cmocka_unit_test(conversions_round),
        cmocka_unit_test(image_alignments),
        cmocka_unit_test(extensions_of_versions),
        cmocka_unit_test(intermediate_languages),
        cmocka_unit_test(languages),
        cmocka_unit_test(required),
        cmocka_unit_test(timers),
        cmocka_unit_test(built_in_kernels),
        cmocka_unit_test(extensions_of_platform),
        cmocka_unit_test(identity),
        cmocka_unit_test(types),
        cmocka_unit_test(custom_devices),
    };
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    if (argc == 2 && strcmp(argv[1], "custom") == 0)
        return custom_device();
    if (argc == 2 && strcmp(argv[1], "uuid") == 0) {
        if (open_device(NULL))
            return 1;
        uuid_of(uuid);
        return checksum(uuid);
    }
    return cmocka_run_group_tests_name("device-limits", tests, setup, close_device);
}
