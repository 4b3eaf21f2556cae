/* The version of OpenCL that the platform and its devices have: REFCL_VERSION. */
#include "ref-runtime/device.h"
#include "ref-runtime/setting.h"

#include <stdio.h>

static struct mm_once once = MM_ONCE;
static cl_version version;
static char text[64], c_text[32];

static void initialize_version(void)
{
    static const char *const words[] = {"2.0", "2.1", "2.2", "3.0"};
    unsigned major = 3, minor = 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rt_setting_is(RT_SET_VERSION, 0, words[i])) {
            major = (unsigned)(words[i][0] - '0');
            minor = (unsigned)(words[i][2] - '0');
        }
    version = CL_MAKE_VERSION(major, minor, 0);
    snprintf(text, sizeof text, "OpenCL %u.%u refcl " REFCL_VERSION, major, minor);
    snprintf(c_text, sizeof c_text, "OpenCL C %u.%u ", major, major < 3 ? 0 : minor);
}

cl_version rt_version(void)
{
    mm_once(&once, initialize_version);
    return version;
}

const char *rt_version_text(void)
{
    mm_once(&once, initialize_version);
    return text;
}

const char *rt_c_version_text(void)
{
    mm_once(&once, initialize_version);
    return c_text;
}

cl_version rt_c_version(void)
{
    return rt_version() < RT_3_0 ? CL_MAKE_VERSION(2, 0, 0) : rt_version();
}

/* Queries that a version introduced and that no extension has under another name, and those of extensions
 * that depend on a version [CL 4.1, 4.2, 5.1, 5.4.2, 5.5.5, 5.7.2, 5.8.9]. */
static const struct {
    cl_uint param; /* values of queries of different objects differ */
    cl_version since;
} introduced[] = {
    {CL_PLATFORM_HOST_TIMER_RESOLUTION, CL_MAKE_VERSION(2, 1, 0)},
    {CL_QUEUE_DEVICE_DEFAULT, CL_MAKE_VERSION(2, 1, 0)},
    {CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_MAKE_VERSION(2, 2, 0)},
    {CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, CL_MAKE_VERSION(2, 2, 0)},
    {CL_QUEUE_PROPERTIES_ARRAY, RT_3_0},
    {CL_MEM_PROPERTIES, RT_3_0},
    {CL_PIPE_PROPERTIES, RT_3_0},
    {CL_SAMPLER_PROPERTIES, RT_3_0},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, CL_MAKE_VERSION(2, 1, 0)},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_MAKE_VERSION(2, 1, 0)},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, RT_3_0},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, RT_3_0},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, RT_3_0},
    {CL_DEVICE_OPENCL_C_ALL_VERSIONS, RT_3_0},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, RT_3_0},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, RT_3_0},
    {CL_DEVICE_OPENCL_C_FEATURES, RT_3_0},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, RT_3_0},
    {CL_DEVICE_PIPE_SUPPORT, RT_3_0},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, RT_3_0},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, RT_3_0},
    {CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, RT_3_0},
    {CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, RT_3_0},
    {CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR, RT_3_0},
};

bool rt_version_has_query(cl_uint param)
{
    for (size_t i = 0; i < sizeof introduced / sizeof *introduced; i++)
        if (introduced[i].param == param)
            return rt_version() >= introduced[i].since;
    return true;
}
