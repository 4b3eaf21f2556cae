/* Queries about kernel objects, their arguments and work-groups [CL 5.9.4]. */
#include "ref-runtime/program/kernel.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ref-runtime/argument_layout.h"
#include "ref-runtime/device.h"
#include "ref-runtime/enqueue/enqueue.h"
#include "ref-runtime/enqueue/launch.h"

static const struct in_kernel_info *info_of(const void *kernel)
{
    return ((const struct rt_kernel *)kernel)->state->info;
}

/* ---- clGetKernelInfo ----------------------------------------------------------------------------- */

static cl_int get_name(const void *object, const struct rt_info_out *out)
{
    return rt_info_string(out, info_of(object)->name);
}

static cl_int get_argument_count(const void *object, const struct rt_info_out *out)
{
    return rt_info_uint(out, info_of(object)->argument_count);
}

/* Whether KERNEL's executable was built from source, and with information about arguments. */
static void executable_source(const struct rt_kernel *kernel, bool *from_source, bool *argument_info)
{
    mm_mutex_lock(&kernel->program->state->lock);
    const struct rt_build *build = rt_program_executable(kernel->program);
    *from_source = build && build->from_source;
    *argument_info = build && build->argument_info;
    mm_mutex_unlock(&kernel->program->state->lock);
}

/* The attributes in the source; empty for programs without source. */
static cl_int get_attributes(const void *object, const struct rt_info_out *out)
{
    bool from_source, argument_info;
    executable_source(object, &from_source, &argument_info);
    return rt_info_string(out, from_source ? info_of(object)->attributes : "");
}

static const struct rt_info_row kernel_rows[] = {
    RT_INFO_GET(CL_KERNEL_FUNCTION_NAME, get_name),
    RT_INFO_GET(CL_KERNEL_NUM_ARGS, get_argument_count),
    RT_INFO_GET(CL_KERNEL_REFERENCE_COUNT, rt_info_references),
    RT_INFO_FIELD(CL_KERNEL_CONTEXT, struct rt_kernel, context),
    RT_INFO_FIELD(CL_KERNEL_PROGRAM, struct rt_kernel, program),
    RT_INFO_GET(CL_KERNEL_ATTRIBUTES, get_attributes),
};

cl_int CL_API_CALL rt_clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                                      size_t *size_ret)
{
    if (!rt_kernel(kernel))
        return CL_INVALID_KERNEL;
    return RT_INFO_QUERY(kernel_rows, kernel, name, size, value, size_ret);
}

/* ---- clGetKernelArgInfo -------------------------------------------------------------------------- */

static cl_int get_address_qualifier(const void *object, const struct rt_info_out *out)
{
    static const cl_kernel_arg_address_qualifier qualifiers[] = {
        [IN_ARG_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,     [IN_ARG_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [IN_ARG_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT, [IN_ARG_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
        [IN_ARG_IMAGE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,      [IN_ARG_SAMPLER] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
        [IN_ARG_PIPE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,       [IN_ARG_QUEUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
    };
    return rt_info_uint(out, qualifiers[((const struct in_argument_info *)object)->kind]);
}

static cl_int get_access_qualifier(const void *object, const struct rt_info_out *out)
{
    static const cl_kernel_arg_access_qualifier qualifiers[] = {
        [IN_ACCESS_NONE] = CL_KERNEL_ARG_ACCESS_NONE,
        [IN_READ_ONLY] = CL_KERNEL_ARG_ACCESS_READ_ONLY,
        [IN_WRITE_ONLY] = CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        [IN_READ_WRITE] = CL_KERNEL_ARG_ACCESS_READ_WRITE,
    };
    return rt_info_uint(out, qualifiers[((const struct in_argument_info *)object)->access]);
}

RT_ANSWER(get_type_name, string, struct in_argument_info, argument, argument->type_name)

static cl_int get_type_qualifier(const void *object, const struct rt_info_out *out)
{
    const struct in_argument_info *argument = object;
    uint32_t given = argument->qualifiers;
    cl_kernel_arg_type_qualifier qualifier = CL_KERNEL_ARG_TYPE_NONE;
    if ((given & IN_QUAL_CONST) || argument->kind == IN_ARG_CONSTANT)
        qualifier |= CL_KERNEL_ARG_TYPE_CONST;
    if (given & IN_QUAL_RESTRICT)
        qualifier |= CL_KERNEL_ARG_TYPE_RESTRICT;
    if (given & IN_QUAL_VOLATILE)
        qualifier |= CL_KERNEL_ARG_TYPE_VOLATILE;
    if (given & IN_QUAL_PIPE || argument->kind == IN_ARG_PIPE)
        qualifier |= CL_KERNEL_ARG_TYPE_PIPE;
    if (argument->kind == IN_ARG_VALUE)
        qualifier = CL_KERNEL_ARG_TYPE_NONE;
    return rt_info_ulong(out, qualifier);
}

RT_ANSWER(get_argument_name, string, struct in_argument_info, argument, argument->name)

static cl_int get_layout(const void *object, const struct rt_info_out *out)
{
    const struct in_argument_info *argument = object;
    const struct refcl_argument_layout layout = {argument->element_size, argument->number_size,
                                                 argument->number_count, argument->is_real};
    return rt_info_put(out, &layout, sizeof layout);
}

static const struct rt_info_row argument_rows[] = {
    RT_INFO_GET(CL_KERNEL_ARG_ADDRESS_QUALIFIER, get_address_qualifier),
    RT_INFO_GET(CL_KERNEL_ARG_ACCESS_QUALIFIER, get_access_qualifier),
    RT_INFO_GET(CL_KERNEL_ARG_TYPE_NAME, get_type_name),
    RT_INFO_GET(CL_KERNEL_ARG_TYPE_QUALIFIER, get_type_qualifier),
    RT_INFO_GET(CL_KERNEL_ARG_NAME, get_argument_name),
    RT_INFO_GET(REFCL_KERNEL_ARG_LAYOUT, get_layout),
};

cl_int CL_API_CALL rt_clGetKernelArgInfo(cl_kernel handle, cl_uint index, cl_kernel_arg_info name,
                                         size_t size, void *value, size_t *size_ret)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    const struct in_kernel_info *info = kernel->state->info;
    if (index >= info->argument_count)
        return CL_INVALID_ARG_INDEX;
    bool from_source, argument_info, of_module = name - REFCL_KERNEL_ARG <= REFCL_KERNEL_ARG_MASK;
    executable_source(kernel, &from_source, &argument_info);
    if ((!argument_info && !of_module) || !*info->arguments[index].type_name)
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    if (of_module && name != REFCL_KERNEL_ARG_LAYOUT)
        name = CL_KERNEL_ARG_ADDRESS_QUALIFIER + (name & REFCL_KERNEL_ARG_MASK);
    return RT_INFO_QUERY(argument_rows, &info->arguments[index], name, size, value, size_ret);
}

/* ---- clGetKernelWorkGroupInfo -------------------------------------------------------------------- */

/* The device that HANDLE means; null means the only one. */
static cl_int find_device(const struct rt_kernel *kernel, cl_device_id handle)
{
    if (!handle)
        return kernel->program->state->device_count == 1 ? CL_SUCCESS : CL_INVALID_DEVICE;
    struct rt_device *device = rt_device(handle);
    return device && rt_program_device_index(kernel->program, device) >= 0 ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static size_t required_product(const struct in_kernel_info *info)
{
    return (size_t)info->required_local_size[0] * info->required_local_size[1] * info->required_local_size[2];
}

static size_t most_in_group(const struct in_kernel_info *info)
{
    size_t required = required_product(info);
    return required && required < rt_max_work_group() ? required : rt_max_work_group();
}

/* An error: only custom devices and built-in kernels have this property, and there are none. */
static cl_int get_global_size(const void *object, const struct rt_info_out *out)
{
    (void)object;
    (void)out;
    return CL_INVALID_VALUE;
}

static cl_int get_group_size(const void *object, const struct rt_info_out *out)
{
    return rt_info_size(out, most_in_group(info_of(object)));
}

static cl_int get_compile_group_size(const void *object, const struct rt_info_out *out)
{
    const uint32_t *required = info_of(object)->required_local_size;
    const size_t sizes[3] = {required[0], required[1], required[2]};
    return rt_info_put(out, sizes, sizeof sizes);
}

/* Local arguments count with the size that was set, or 0. */
static cl_int get_local_memory(const void *object, const struct rt_info_out *out)
{
    struct rt_kernel_state *state = ((const struct rt_kernel *)object)->state;
    uint64_t bytes = state->info->local_bytes;
    mm_mutex_lock(&state->lock);
    for (uint32_t i = 0; i < state->info->argument_count; i++)
        bytes += state->arguments[i].local_size;
    mm_mutex_unlock(&state->lock);
    return rt_info_ulong(out, bytes);
}

/* The sub-group size: work-groups of whole sub-groups have no idle lanes. */
static cl_int get_multiple(const void *object, const struct rt_info_out *out)
{
    uint32_t width = rt_kernel_sub_group_size(info_of(object));
    return rt_info_size(out, width < rt_max_work_group() ? width : rt_max_work_group());
}

static cl_int get_private_memory(const void *object, const struct rt_info_out *out)
{
    return rt_info_ulong(out, info_of(object)->private_bytes);
}

static const struct rt_info_row group_rows[] = {
    RT_INFO_GET(CL_KERNEL_GLOBAL_WORK_SIZE, get_global_size),
    RT_INFO_GET(CL_KERNEL_WORK_GROUP_SIZE, get_group_size),
    RT_INFO_GET(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, get_compile_group_size),
    RT_INFO_GET(CL_KERNEL_LOCAL_MEM_SIZE, get_local_memory),
    RT_INFO_GET(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, get_multiple),
    RT_INFO_GET(CL_KERNEL_PRIVATE_MEM_SIZE, get_private_memory),
};

cl_int CL_API_CALL rt_clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device,
                                               cl_kernel_work_group_info name, size_t size, void *value,
                                               size_t *size_ret)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    cl_int code = find_device(kernel, device);
    if (code)
        return code;
    return RT_INFO_QUERY(group_rows, kernel, name, size, value, size_ret);
}

/* ---- clGetKernelSubGroupInfo --------------------------------------------------------------------- */

uint32_t rt_kernel_sub_group_size(const struct in_kernel_info *info)
{
    return info->required_sub_group_size ? info->required_sub_group_size : rt_sub_group_size();
}

/* The product of the local sizes at VALUE, 0 if they are none. */
static size_t local_product(size_t size, const void *value)
{
    size_t sizes[3], product = 1;
    if (!value || !size || size % sizeof *sizes || size > sizeof sizes)
        return 0;
    memcpy(sizes, value, size);
    for (size_t i = 0; i < size / sizeof *sizes; i++)
        product = sizes[i] <= rt_max_work_group() ? product * sizes[i] : 0;
    return product;
}

static cl_int sub_group_for_range(const struct in_kernel_info *info, bool count, size_t input_size,
                                  const void *input, const struct rt_info_out *out)
{
    size_t items = local_product(input_size, input), width = rt_kernel_sub_group_size(info);
    if (!items)
        return CL_INVALID_VALUE;
    return rt_info_size(out, count ? (items + width - 1) / width : items < width ? items : width);
}

/* Whether work-groups may have one dimension, of COUNT full sub-groups. */
static bool takes_sub_groups(const struct in_kernel_info *info, size_t count)
{
    const uint32_t *required = info->required_local_size;
    uint32_t width = rt_kernel_sub_group_size(info);
    bool fits = count && count <= rt_max_work_group() / width;
    if (required_product(info))
        fits = fits && required[0] == count * width && required[1] == 1 && required[2] == 1;
    return fits && (!info->required_sub_groups || info->required_sub_groups == count);
}

/* One dimension of COUNT full sub-groups; zeros if there is no such group. */
static cl_int local_for_count(const struct in_kernel_info *info, size_t input_size, const void *input,
                              const struct rt_info_out *out)
{
    size_t count, sizes[3] = {0, 0, 0}, bytes = sizeof(size_t);
    if (!input || input_size != sizeof count)
        return CL_INVALID_VALUE;
    memcpy(&count, input, sizeof count);
    if (out->value) {
        if (out->size < bytes || out->size % bytes || out->size > sizeof sizes)
            return CL_INVALID_VALUE;
        bytes = out->size;
    }
    if (takes_sub_groups(info, count)) {
        sizes[0] = count * rt_kernel_sub_group_size(info);
        sizes[1] = sizes[2] = 1;
    }
    return rt_info_put(out, sizes, bytes);
}

cl_int CL_API_CALL rt_clGetKernelSubGroupInfo(cl_kernel handle, cl_device_id device,
                                              cl_kernel_sub_group_info name, size_t input_size,
                                              const void *input, size_t size, void *value, size_t *size_ret)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    cl_int code = find_device(kernel, device);
    if (code)
        return code;
    if (!RT_HAS_SUB_GROUPS)
        return CL_INVALID_OPERATION;
    const struct in_kernel_info *info = kernel->state->info;
    const struct rt_info_out out = {value, size, size_ret};
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return sub_group_for_range(info, false, input_size, input, &out);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return sub_group_for_range(info, true, input_size, input, &out);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        return local_for_count(info, input_size, input, &out);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return rt_info_size(&out, info->required_sub_groups
                                      ? info->required_sub_groups
                                      : (most_in_group(info) - 1) / rt_kernel_sub_group_size(info) + 1);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return rt_info_size(&out, info->required_sub_groups);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL rt_clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                                 cl_kernel_sub_group_info name, size_t input_size,
                                                 const void *input, size_t size, void *value,
                                                 size_t *size_ret)
{
    return rt_clGetKernelSubGroupInfo(kernel, device, name, input_size, input, size, value, size_ret);
}

/* ---- clGetKernelSuggestedLocalWorkSizeKHR -------------------------------------------------------- */

void rt_kernel_suggest_local_size(const struct in_kernel_info *info, cl_uint dimensions, const size_t *global,
                                  uint32_t local[3])
{
    uint32_t most = rt_max_work_group(), exactly = info->required_sub_groups * rt_kernel_sub_group_size(info);
    size_t left = most < RT_SUGGESTED_GROUP ? most : RT_SUGGESTED_GROUP;
    if (exactly && !info->required_local_size[0]) {
        local[0] = exactly < most ? exactly : most;
        local[1] = local[2] = 1;
        return;
    }
    for (cl_uint d = 0; d < 3; d++) {
        local[d] = info->required_local_size[d] ? info->required_local_size[d] : 1;
        if (info->required_local_size[0] || d >= dimensions)
            continue;
        /* The largest divisor, so that groups are uniform. */
        size_t size = global[d] < left ? global[d] : left;
        while (size > 1 && global[d] % size)
            size--;
        local[d] = size ? (uint32_t)size : 1;
        left /= local[d];
    }
}

cl_int CL_API_CALL rt_clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue_handle, cl_kernel handle,
                                                           cl_uint dimensions, const size_t *global_offset,
                                                           const size_t *global_size, size_t *suggested)
{
    struct rt_queue *queue = rt_host_queue(queue_handle);
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    if (!kernel)
        return CL_INVALID_KERNEL;
    if (queue->context != kernel->context)
        return CL_INVALID_CONTEXT;
    if (dimensions < 1 || dimensions > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (!global_size)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    if (!suggested)
        return CL_INVALID_VALUE;
    if (rt_program_build_index(kernel->program, queue->device, rt_build_is_executable) < 0)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    for (cl_uint d = 0; d < dimensions; d++)
        if (!global_size[d])
            return CL_INVALID_GLOBAL_WORK_SIZE;
    for (cl_uint d = 0; d < dimensions; d++)
        if (global_offset && global_offset[d] > SIZE_MAX - global_size[d])
            return CL_INVALID_GLOBAL_OFFSET;
    struct rt_launch *launch;
    cl_int code = rt_kernel_prepare_launch(kernel, queue->device, false, &launch);
    if (code)
        return code;
    code = rt_launch_check_arguments(launch);
    rt_launch_destroy(launch);
    if (code)
        return code;
    uint32_t local[3];
    rt_kernel_suggest_local_size(kernel->state->info, dimensions, global_size, local);
    for (cl_uint d = 0; d < dimensions; d++)
        suggested[d] = local[d];
    return CL_SUCCESS;
}
