/* Every query of devices and of the platform: the type of its answer, and answers that have to agree with
 * each other
 * [CL 4.1, 4.2]. */
#include <stdbool.h>

#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

enum kind { IS_ONE, IS_SOME, IS_LIST, IS_NONE };
static const struct query {
    const char *name;
    cl_uint param;
    enum kind kind;
    size_t element, count;
} queries[] = {
#define ONE(name, type)         {#name, name, IS_ONE, sizeof(type), 1},
#define SOME(name, type, count) {#name, name, IS_SOME, sizeof(type), count},
#define LIST(name, type)        {#name, name, IS_LIST, sizeof(type), 0},
#define NONE(name)              {#name, name, IS_NONE, 0, 0},
#include "tests/runtime/device/device_queries.def"
};

static cl_int ask(const struct query *q, size_t size, void *value, size_t *size_ret)
{
    return strncmp(q->name, "CL_PLATFORM_", 12) == 0
               ? clGetPlatformInfo(platform, q->param, size, value, size_ret)
               : clGetDeviceInfo(device, q->param, size, value, size_ret);
}

static bool answers_as_said(const struct query *q)
{
    size_t size = 77, again = 77;
    cl_int code = ask(q, 0, NULL, &size);
    if (q->kind == IS_NONE)
        return code == CL_INVALID_VALUE;
    if (code || (q->kind == IS_LIST ? size % q->element != 0 : size != q->element * q->count))
        return false;
    char *value = malloc(size + 1);
    bool good = ask(q, size, value, &again) == CL_SUCCESS && again == size &&
                (size == 0 || ask(q, size - 1, value, NULL) == CL_INVALID_VALUE);
    bool is_text = q->kind == IS_LIST && q->element == 1;
    good = good && (!is_text || (size > 0 && strnlen(value, size) == size - 1));
    free(value);
    return good;
}

/* [CL 4.1 R101, CL 4.2 R101] */
static void all_answer(void **unused)
{
    int wrong = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (!answers_as_said(&queries[i])) {
            print_message("# %s\n", queries[i].name);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

static void text_of(cl_device_info param, char text[256])
{
    OK(clGetDeviceInfo(device, param, 256, text, NULL));
}

/* Numbers and lists with versions have the same contents as the strings [CL 4.2 R102]. */
static void versions_agree(void **unused)
{
    char text[256], made[256] = "";
    unsigned major, minor;
    cl_uint number = 0;
    cl_name_version list[32];
    size_t size;
    (void)unused;
    text_of(CL_DEVICE_VERSION, text);
    assert_int_equal(sscanf(text, "OpenCL %u.%u ", &major, &minor), 2);
    OK(clGetDeviceInfo(device, CL_DEVICE_NUMERIC_VERSION, sizeof number, &number, NULL));
    assert_true(CL_VERSION_MAJOR(number) == major && CL_VERSION_MINOR(number) == minor);
    text_of(CL_DEVICE_OPENCL_C_VERSION, text);
    assert_int_equal(sscanf(text, "OpenCL C %u.%u ", &major, &minor), 2);
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, sizeof number, &number, NULL));
    assert_true(CL_VERSION_MAJOR(number) == major && CL_VERSION_MINOR(number) == minor);
    OK(clGetDeviceInfo(device, CL_DEVICE_ILS_WITH_VERSION, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        sprintf(made + strlen(made), "%s%s_%u.%u", i ? " " : "", list[i].name,
                (unsigned)CL_VERSION_MAJOR(list[i].version), (unsigned)CL_VERSION_MINOR(list[i].version));
    text_of(CL_DEVICE_IL_VERSION, text);
    assert_string_equal(text, made);
}

/* The same of the platform: its version, and its extensions, each once [CL 4.1 R102]. */
static void platform_agrees(void **unused)
{
    char text[8192], made[8192] = "";
    unsigned major, minor;
    cl_uint number = 0;
    cl_name_version list[256];
    size_t size;
    (void)unused;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
    assert_int_equal(sscanf(text, "OpenCL %u.%u ", &major, &minor), 2);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof number, &number, NULL));
    assert_true(CL_VERSION_MAJOR(number) == major && CL_VERSION_MINOR(number) == minor);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++) {
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(list[i].name, list[k].name);
        sprintf(made + strlen(made), "%s%s", i ? " " : "", list[i].name);
    }
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
    assert_string_equal(text, made);
}

/* The versions of OpenCL C: the device's own, and those that it is compatible with [CL 4.2 R103]. */
static void c_versions(void **unused)
{
    const cl_version wanted[] = {CL_MAKE_VERSION(3, 1, 0), CL_MAKE_VERSION(3, 0, 0), CL_MAKE_VERSION(1, 2, 0),
                                 CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 0, 0)};
    cl_name_version list[32];
    cl_uint own = 0;
    size_t size;
    (void)unused;
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, sizeof own, &own, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted + 1; i++) {
        cl_version version = i < sizeof wanted / sizeof *wanted ? wanted[i] : own;
        bool found = false;
        for (size_t k = 0; k < size / sizeof *list; k++) {
            assert_string_equal(list[k].name, "OpenCL C");
            found = found || list[k].version == version;
        }
        assert_true(found);
    }
}

static cl_ulong bits_of(cl_device_info param)
{
    cl_ulong answer = 0;
    OK(clGetDeviceInfo(device, param, sizeof answer, &answer, NULL));
    return answer;
}

static bool implies(cl_ulong bits, cl_ulong strong, cl_ulong weak)
{
    return (bits & strong) != strong || (bits & weak) == weak;
}

/* [CL 4.2 R106] */
static void capabilities_imply_others(void **unused)
{
    const cl_device_info atomics[] = {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
                                      CL_DEVICE_ATOMIC_FENCE_CAPABILITIES};
    (void)unused;
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        cl_ulong bits = bits_of(atomics[i]);
        assert_true(bits != 0);
        assert_true(implies(bits, CL_DEVICE_ATOMIC_ORDER_SEQ_CST, CL_DEVICE_ATOMIC_ORDER_ACQ_REL));
        assert_true(implies(bits, CL_DEVICE_ATOMIC_ORDER_ACQ_REL, CL_DEVICE_ATOMIC_ORDER_RELAXED));
        assert_true(implies(bits, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES, CL_DEVICE_ATOMIC_SCOPE_DEVICE));
        assert_true(implies(bits, CL_DEVICE_ATOMIC_SCOPE_DEVICE, CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP));
    }
    cl_ulong queues = bits_of(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES);
    assert_true(implies(queues, CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT, CL_DEVICE_QUEUE_SUPPORTED));
    if ((queues & CL_DEVICE_QUEUE_SUPPORTED) || bits_of(CL_DEVICE_PIPE_SUPPORT))
        assert_true(bits_of(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT) == CL_TRUE);
    const cl_ulong dots =
        CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED;
    assert_true((bits_of(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES) & dots) == dots);
}

/* [CL 4.2 R107] */
static void features_name_capabilities(void **unused)
{
    static const struct {
        cl_device_info param;
        cl_ulong bit;
        const char *feature;
    } pairs[] = {
        {CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
         "__opencl_c_integer_dot_product_input_4x8bit"},
        {CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED,
         "__opencl_c_integer_dot_product_input_4x8bit_packed"},
        {CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR,
         "__opencl_c_kernel_clock_scope_device"},
        {CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR,
         "__opencl_c_kernel_clock_scope_work_group"},
        {CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR,
         "__opencl_c_kernel_clock_scope_sub_group"},
    };
    cl_name_version list[128];
    size_t size;
    (void)unused;
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bool named = false;
        for (size_t k = 0; k < size / sizeof *list; k++)
            named = named || strcmp(list[k].name, pairs[i].feature) == 0;
        assert_int_equal(named, (bits_of(pairs[i].param) & pairs[i].bit) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capabilities_imply_others),
        cmocka_unit_test(features_name_capabilities),
        cmocka_unit_test(all_answer),
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(platform_agrees),
        cmocka_unit_test(c_versions),
    };
    return cmocka_run_group_tests_name("device-queries", tests, open_device, close_device);
}
