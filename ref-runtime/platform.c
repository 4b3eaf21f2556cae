/* The platform and its devices: creation, lists, platform queries [CL 4.1, 4.2]. */
#include "ref-runtime/device.h"
#include "ref-runtime/setting.h"

#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct rt_platform *platform;
static struct rt_device *devices[RT_MAX_DEVICES];
static cl_uint device_count;

static cl_device_type device_type(void)
{
    static const struct {
        const char *name;
        cl_device_type type;
    } types[] = {{"cpu", CL_DEVICE_TYPE_CPU},
                 {"gpu", CL_DEVICE_TYPE_GPU},
                 {"accelerator", CL_DEVICE_TYPE_ACCELERATOR},
                 {"custom", CL_DEVICE_TYPE_CUSTOM}};
    const char *wanted = rt_setting_text(RT_SET_DEVICE_TYPE, "cpu");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(wanted, types[i].name) == 0)
            return types[i].type;
    return CL_DEVICE_TYPE_CPU;
}

static struct rt_device *create_device(int index, int count)
{
    struct rt_device *device = rt_object_create(RT_DEVICE, sizeof *device);
    if (!device)
        return NULL;
    device->index = index;
    device->type = device_type();
    rt_limits_read(&device->limits, index);
    const char *name = rt_setting_text(RT_SET_DEVICE_NAME, "refcl");
    if (count > 1)
        snprintf(device->name, sizeof device->name, "%s %d", name, index);
    else
        snprintf(device->name, sizeof device->name, "%s", name);
    snprintf(device->vendor, sizeof device->vendor, "%s", rt_setting_text(RT_SET_DEVICE_VENDOR, "refcl"));
    return device;
}

static void initialize_platform(void)
{
    platform = rt_object_create(RT_PLATFORM, sizeof *platform);
    int count = (int)rt_setting_number(RT_SET_DEVICES, 0, 1);
    rt_settings_check();
    for (int i = 0; platform && i < count; i++) {
        struct rt_device *device = create_device(i, count);
        if (device)
            devices[device_count++] = device;
    }
}

struct rt_platform *rt_the_platform(void)
{
    pthread_once(&once, initialize_platform);
    return platform;
}

cl_int CL_API_CALL rt_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((num_entries == 0 && platforms) || (!num_platforms && !platforms))
        return CL_INVALID_VALUE;
    struct rt_platform *the = rt_the_platform();
    if (!the || device_count == 0)
        return CL_OUT_OF_HOST_MEMORY;
    if (platforms)
        platforms[0] = (cl_platform_id)the;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

RT_ANSWER(get_name, string, void, unused, rt_setting_text(RT_SET_PLATFORM_NAME, "refcl"))
RT_ANSWER(get_vendor, string, void, unused, rt_setting_text(RT_SET_DEVICE_VENDOR, "refcl"))
RT_ANSWER(get_version, string, void, unused, rt_version_text())
RT_ANSWER(get_numeric_version, uint, void, unused, rt_version())
RT_ANSWER(get_profile, string, void, unused, "FULL_PROFILE")
RT_ANSWER(get_timer_resolution, ulong, void, unused, 1)
RT_ANSWER(get_semaphore_types, uint, void, unused, CL_SEMAPHORE_TYPE_BINARY_KHR)
RT_ANSWER(get_memory_handles, uint, void, unused, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)
RT_ANSWER(get_icd_suffix, string, void, unused, "REFCL")

/* True if every device has images. */
static bool all_have_images(void)
{
    bool all = true;
    for (cl_uint i = 0; i < device_count; i++)
        all = all && devices[i]->limits.images;
    return all;
}

static cl_int get_extensions(const void *object, const struct rt_info_out *out)
{
    (void)object;
    return rt_put_extensions(out, all_have_images());
}

static cl_int get_extensions_with_version(const void *object, const struct rt_info_out *out)
{
    (void)object;
    return rt_put_extensions_with_version(out, all_have_images());
}

RT_ANSWER(get_buffer_capabilities, ulong, void, unused, CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR)

/* [CL 4.1 R101, R102] */
static const struct rt_info_row platform_rows[] = {
    RT_INFO_GET(CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR, get_buffer_capabilities),
    RT_INFO_GET(CL_PLATFORM_PROFILE, get_profile),
    RT_INFO_GET(CL_PLATFORM_VERSION, get_version),
    RT_INFO_GET(CL_PLATFORM_NUMERIC_VERSION, get_numeric_version),
    RT_INFO_GET(CL_PLATFORM_NAME, get_name),
    RT_INFO_GET(CL_PLATFORM_VENDOR, get_vendor),
    RT_INFO_GET(CL_PLATFORM_EXTENSIONS, get_extensions),
    RT_INFO_GET(CL_PLATFORM_EXTENSIONS_WITH_VERSION, get_extensions_with_version),
    RT_INFO_GET(CL_PLATFORM_HOST_TIMER_RESOLUTION, get_timer_resolution),
    RT_INFO_GET(CL_PLATFORM_ICD_SUFFIX_KHR, get_icd_suffix),
    RT_INFO_GET(CL_PLATFORM_SEMAPHORE_TYPES_KHR, get_semaphore_types),
    RT_INFO_GET(CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, rt_put_semaphore_handles),
    RT_INFO_GET(CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, rt_put_semaphore_handles),
    RT_INFO_GET(CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, get_memory_handles),
};

/* A null platform means this one (implementation-defined). */
cl_int CL_API_CALL rt_clGetPlatformInfo(cl_platform_id handle, cl_platform_info param_name, size_t size,
                                        void *value, size_t *size_ret)
{
    struct rt_platform *the = rt_the_platform();
    if (handle && !rt_platform(handle))
        return CL_INVALID_PLATFORM;
    return RT_INFO_QUERY(platform_rows, the, param_name, size, value, size_ret);
}

/* A device answers to its own type, to ALL, and the first one to DEFAULT.  Before OpenCL 3.0 a custom device
 * answers to CUSTOM alone [CL 4.2 R2, R131]. */
static bool has_type(const struct rt_device *device, cl_device_type type)
{
    bool common = !(device->type & CL_DEVICE_TYPE_CUSTOM) || rt_version() >= RT_3_0;
    if (type == CL_DEVICE_TYPE_ALL)
        return common;
    return (device->type & type) != 0 || ((type & CL_DEVICE_TYPE_DEFAULT) && device->index == 0 && common);
}

cl_uint rt_devices_of_type(cl_device_type type, struct rt_device *found[RT_MAX_DEVICES])
{
    cl_uint count = 0;
    if (!rt_the_platform())
        return 0;
    for (cl_uint i = 0; i < device_count; i++)
        if (has_type(devices[i], type))
            found[count++] = devices[i];
    return count;
}

bool rt_device_type_valid(cl_device_type type)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    return type == CL_DEVICE_TYPE_ALL || (type != 0 && (type & ~known) == 0);
}

cl_int CL_API_CALL rt_clGetDeviceIDs(cl_platform_id handle, cl_device_type device_type_wanted,
                                     cl_uint num_entries, cl_device_id *out, cl_uint *num_devices)
{
    if (!rt_the_platform() || (handle && !rt_platform(handle)))
        return CL_INVALID_PLATFORM;
    if (!rt_device_type_valid(device_type_wanted))
        return CL_INVALID_DEVICE_TYPE;
    if ((num_entries == 0 && out) || (!num_devices && !out))
        return CL_INVALID_VALUE;
    struct rt_device *found[RT_MAX_DEVICES];
    cl_uint count = rt_devices_of_type(device_type_wanted, found);
    if (num_devices)
        *num_devices = count;
    for (cl_uint i = 0; out && i < count && i < num_entries; i++)
        out[i] = (cl_device_id)found[i];
    return count > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}
