/* The ICD: the dispatch table that every object begins with, and what the shared object exports
 * [cl_khr_icd]. */
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/enqueue/command_buffer.h"

#include <string.h>

#define RT_EXPORT __attribute__((visibility("default")))

const cl_icd_dispatch rt_dispatch = {
#define RT_API(name) .name = rt_##name,
#include "ref-runtime/check/api.def"
#undef RT_API
};

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                       cl_uint *num_platforms);

RT_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                    cl_uint *num_platforms)
{
    return rt_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

RT_EXPORT cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                                              cl_uint *num_platforms)
{
    return rt_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

RT_EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                                               size_t param_value_size, void *param_value,
                                               size_t *param_value_size_ret)
{
    return rt_clGetPlatformInfo(platform, param_name, param_value_size, param_value, param_value_size_ret);
}

/* Extension functions have this one way to be found [CL 6.2]. */
void *CL_API_CALL rt_clGetExtensionFunctionAddress(const char *name)
{
    const cl_icd_dispatch *core = rt_api_dispatch();
    const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
        {"clIcdGetPlatformIDsKHR", (void (*)(void))clIcdGetPlatformIDsKHR},
        {"clCreateCommandQueueWithPropertiesKHR", (void (*)(void))core->clCreateCommandQueueWithProperties},
        {"clCreateProgramWithILKHR", (void (*)(void))core->clCreateProgramWithIL},
        {"clGetKernelSubGroupInfoKHR", (void (*)(void))core->clGetKernelSubGroupInfoKHR},
    };
    union {
        void (*function)(void);
        void *pointer;
    } as = {name ? rt_api_extension(name) : NULL};
    for (size_t i = 0; name && !as.function && i < sizeof(functions) / sizeof(*functions); i++)
        as.function = strcmp(name, functions[i].name) == 0 ? functions[i].function : NULL;
    return as.function ? as.pointer : NULL;
}

void *CL_API_CALL rt_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return rt_platform(platform) ? rt_clGetExtensionFunctionAddress(name) : NULL;
}

RT_EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return rt_clGetExtensionFunctionAddress(name);
}
