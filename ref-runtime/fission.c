/* The calls that sub-devices had before OpenCL 1.2 [cl_ext_device_fission]: those of [CL 4.3] with other
 * names.  Names of compute units, which no text describes, and affinity domains divide no device. */
#include "ref-runtime/device.h"

enum { MOST = RT_MAX_COMPUTE_UNITS + 4 };

/* {name of the extension, name of core} */
static const cl_ulong names[][2] = {
    {CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_EQUALLY},
    {CL_DEVICE_PARTITION_BY_COUNTS_EXT, CL_DEVICE_PARTITION_BY_COUNTS},
};

/* The name at column TO of the row that has NAME at the other one; 0 if there is none. */
static cl_ulong other_name(cl_ulong name, int to)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i][!to] == name)
            return names[i][to];
    return 0;
}

cl_int CL_API_CALL rt_clCreateSubDevicesEXT(cl_device_id device,
                                            const cl_device_partition_property_ext *properties,
                                            cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
{
    cl_device_partition_property core[MOST] = {0};
    if (properties) {
        core[0] = (cl_device_partition_property)other_name(properties[0], 1);
        for (size_t i = 1; core[0] && i < MOST - 1 && properties[i]; i++)
            core[i] = (cl_device_partition_property)properties[i];
    }
    cl_int code = rt_clCreateSubDevices(device, properties ? core : NULL, num_entries, devices, num_devices);
    return code == CL_DEVICE_PARTITION_FAILED          ? CL_DEVICE_PARTITION_FAILED_EXT
           : code == CL_INVALID_DEVICE_PARTITION_COUNT ? CL_INVALID_PARTITION_COUNT_EXT
                                                       : code;
}

cl_int CL_API_CALL rt_clRetainDeviceEXT(cl_device_id device)
{
    return rt_clRetainDevice(device);
}

cl_int CL_API_CALL rt_clReleaseDeviceEXT(cl_device_id device)
{
    return rt_clReleaseDevice(device);
}

cl_int rt_put_partition_types_ext(const void *object, const struct rt_info_out *out)
{
    static const cl_device_partition_property_ext none[] = {CL_PROPERTIES_LIST_END_EXT},
                                                  ways[] = {CL_DEVICE_PARTITION_EQUALLY_EXT,
                                                            CL_DEVICE_PARTITION_BY_COUNTS_EXT};
    const struct rt_device *device = object;
    return device->limits.compute_units > 1 ? rt_info_put(out, ways, sizeof ways)
                                            : rt_info_put(out, none, sizeof none);
}

cl_int rt_put_partition_style_ext(const void *object, const struct rt_info_out *out)
{
    const struct rt_device *device = object;
    cl_device_partition_property_ext style[MOST] = {0};
    for (size_t i = 0; i < device->partition_count; i++)
        style[i] = (cl_device_partition_property_ext)device->partition[i];
    style[0] = other_name(style[0], 0);
    return rt_info_put(out, style, device->partition_count * sizeof *style);
}
