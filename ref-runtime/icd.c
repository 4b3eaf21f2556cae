/* The ICD: the dispatch table that every object begins with, and what the shared object exports
 * [cl_khr_icd 2.0.1]. */
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/device.h"

#include <string.h>

#define RT_EXPORT __attribute__((visibility("default")))

const cl_icd_dispatch rt_dispatch = {
#define RT_API(name)        .name = rt_##name,
#define RT_API_TAGGED(name) .name = (__typeof__(&rt_##name))CL_ICD2_TAG_KHR,
#include "ref-runtime/check/api.def"
#undef RT_API
};

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                       cl_uint *num_platforms);
CL_API_ENTRY void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                                     const char *func_name);
CL_API_ENTRY cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data);

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

/* The only lookup of extension functions [CL 6.2].  Khronos' loader looks up here what the library exports as
 * well. */
void *CL_API_CALL rt_clGetExtensionFunctionAddress(const char *name)
{
    const cl_icd_dispatch *core = rt_api_dispatch();
    const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
        {"clIcdGetPlatformIDsKHR", (void (*)(void))clIcdGetPlatformIDsKHR},
        {"clIcdGetFunctionAddressForPlatformKHR", (void (*)(void))clIcdGetFunctionAddressForPlatformKHR},
        {"clIcdSetPlatformDispatchDataKHR", (void (*)(void))clIcdSetPlatformDispatchDataKHR},
        {"clCreateCommandQueueWithPropertiesKHR", (void (*)(void))core->clCreateCommandQueueWithProperties},
        {"clCreateProgramWithILKHR", (void (*)(void))core->clCreateProgramWithIL},
        {"clGetKernelSubGroupInfoKHR", (void (*)(void))core->clGetKernelSubGroupInfoKHR},
        {"clCreateSubDevicesEXT", (void (*)(void))core->clCreateSubDevicesEXT},
        {"clRetainDeviceEXT", (void (*)(void))core->clRetainDeviceEXT},
        {"clReleaseDeviceEXT", (void (*)(void))core->clReleaseDeviceEXT},
    };
    /* Core since 3.1, but absent from the table of older loaders: applications find it only here. */
    bool suggested = name && strcmp(name, "clGetKernelSuggestedLocalWorkSize") == 0 && rt_version() >= RT_3_1;
    union {
        void (*function)(void);
        void *pointer;
    } as = {suggested ? rt_api_extension("clGetKernelSuggestedLocalWorkSizeKHR")
            : name    ? rt_api_extension(name)
                      : NULL};
    for (size_t i = 0; name && !as.function && i < sizeof functions / sizeof *functions; i++)
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

/* ---- dispatch that the loader manages ---- */

/* Every entry point of the platform, those of core included. */
RT_EXPORT void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                                  const char *func_name)
{
    const cl_icd_dispatch *core = rt_api_dispatch();
    const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
#define RT_API(name)        {#name, (void (*)(void))core->name},
#define RT_API_TAGGED(name) {#name, (void (*)(void))rt_##name},
#include "ref-runtime/check/api.def"
#undef RT_API
    };
    union {
        void (*function)(void);
        void *pointer;
    } as;
    if (!rt_platform(platform) || !func_name)
        return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        as.function = functions[i].function;
        if (strcmp(func_name, functions[i].name) == 0)
            return as.pointer;
    }
    return rt_clGetExtensionFunctionAddress(func_name);
}

RT_EXPORT cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data)
{
    if (!rt_platform(platform))
        return CL_INVALID_PLATFORM;
    rt_object_set_dispatch_data(dispatch_data);
    return CL_SUCCESS;
}
