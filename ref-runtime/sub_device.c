/* Sub-devices [CL 4.3]: parts of a device's compute units.  Their memory is the device's. */
#include "ref-runtime/device.h"

#include <string.h>

enum { MOST_PROPERTIES = RT_MAX_COMPUTE_UNITS + 4 };

/* How a device is to be divided. */
struct plan {
    cl_uint count;
    cl_uint units[RT_MAX_COMPUTE_UNITS];
    cl_device_partition_property properties[MOST_PROPERTIES]; /* with the terminating zero */
    size_t property_count;
};

static cl_int plan_equally(const struct rt_device *device, const cl_device_partition_property *p,
                           struct plan *plan)
{
    if (p[1] <= 0 || p[2] != 0)
        return CL_INVALID_VALUE;
    /* a single part with all compute units is no partition */
    if ((uint64_t)p[1] >= device->limits.compute_units) {
        return (uint64_t)p[1] > device->limits.compute_units ? CL_INVALID_DEVICE_PARTITION_COUNT
                                                             : CL_DEVICE_PARTITION_FAILED;
    }
    plan->count = device->limits.compute_units / (cl_uint)p[1];
    for (cl_uint i = 0; i < plan->count; i++)
        plan->units[i] = (cl_uint)p[1];
    plan->property_count = 3;
    return CL_SUCCESS;
}

/* A list of counts up to a zero; the zero that ends the properties may follow. */
static cl_int plan_by_counts(const struct rt_device *device, const cl_device_partition_property *p,
                             struct plan *plan)
{
    cl_uint total = 0;
    for (p++; *p != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; p++) {
        if (*p < 0 || plan->count == device->limits.compute_units ||
            *p > (intptr_t)(device->limits.compute_units - total))
            return CL_INVALID_DEVICE_PARTITION_COUNT;
        plan->units[plan->count++] = (cl_uint)*p;
        total += (cl_uint)*p;
    }
    plan->property_count = plan->count + 3;
    return plan->count ? CL_SUCCESS : CL_INVALID_DEVICE_PARTITION_COUNT;
}

static cl_int make_plan(const struct rt_device *device, const cl_device_partition_property *properties,
                        struct plan *plan)
{
    if (!properties)
        return CL_INVALID_VALUE;
    cl_int error = CL_INVALID_VALUE; /* also for affinity domains: no device has any */
    if (properties[0] == CL_DEVICE_PARTITION_EQUALLY)
        error = plan_equally(device, properties, plan);
    else if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS)
        error = plan_by_counts(device, properties, plan);
    if (!error && device->limits.compute_units < 2)
        error = CL_DEVICE_PARTITION_FAILED;
    if (!error)
        memcpy(plan->properties, properties, (plan->property_count - 1) * sizeof *properties);
    return error;
}

static struct rt_device *create_part(struct rt_device *parent, const struct plan *plan, cl_uint i)
{
    struct rt_device *device = rt_object_create(RT_DEVICE, sizeof *device);
    size_t size = plan->property_count * sizeof *plan->properties;
    cl_device_partition_property *properties = device ? mm_alloc(size) : NULL;
    if (!properties) {
        if (device)
            rt_object_release(device);
        return NULL;
    }
    memcpy(properties, plan->properties, size);
    rt_object_retain(parent);
    device->parent = parent;
    device->index = parent->index;
    device->type = parent->type;
    device->limits = parent->limits;
    device->limits.compute_units = plan->units[i];
    device->partition = properties;
    device->partition_count = plan->property_count;
    memcpy(device->name, parent->name, sizeof device->name);
    memcpy(device->vendor, parent->vendor, sizeof device->vendor);
    return device;
}

void rt_device_destroy(struct rt_device *device)
{
    mm_free(device->partition);
    rt_object_release(device->parent);
}

cl_int CL_API_CALL rt_clCreateSubDevices(cl_device_id handle, const cl_device_partition_property *properties,
                                         cl_uint num_devices, cl_device_id *devices, cl_uint *num_devices_ret)
{
    struct rt_device *device = rt_device(handle);
    struct plan plan = {0};
    if (!device)
        return CL_INVALID_DEVICE;
    cl_int error = make_plan(device, properties, &plan);
    if (!error && devices && num_devices < plan.count)
        error = CL_INVALID_VALUE;
    if (error)
        return error;
    for (cl_uint i = 0; devices && i < plan.count; i++) {
        devices[i] = (cl_device_id)create_part(device, &plan, i);
        if (!devices[i]) {
            while (i > 0)
                rt_api_release(devices[--i], RT_DEVICE);
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (num_devices_ret)
        *num_devices_ret = plan.count;
    return CL_SUCCESS;
}

/* Root devices are not counted. */
cl_int CL_API_CALL rt_clRetainDevice(cl_device_id handle)
{
    const struct rt_device *device = rt_device(handle);
    if (device && !device->parent)
        return CL_SUCCESS;
    return rt_api_retain(handle, RT_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int CL_API_CALL rt_clReleaseDevice(cl_device_id handle)
{
    const struct rt_device *device = rt_device(handle);
    if (device && !device->parent)
        return CL_SUCCESS;
    return rt_api_release(handle, RT_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}
