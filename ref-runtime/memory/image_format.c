/* Which image formats there are and which a use may have [CL 5.3.1.1, 5.3.2]. */
#include "ref-runtime/device.h"
#include "ref-runtime/memory/image.h"

/* True for channel orders that refcl offers although no device is required to support them. */
static bool offered_order(uint32_t order)
{
    switch (order) {
    case IN_ORDER_RX:
    case IN_ORDER_RGX:
    case IN_ORDER_RGBX:
    case IN_ORDER_SRGB:
    case IN_ORDER_SRGBX:
        return false;
    default:
        return true;
    }
}

static bool is_srgb(uint32_t order)
{
    return order == IN_ORDER_SRGBA || order == IN_ORDER_SBGRA;
}

bool rt_image_format_valid(const cl_image_format *format)
{
    return in_image_format_valid(format->image_channel_order - CL_R,
                                 format->image_channel_data_type - CL_SNORM_INT8);
}

size_t rt_image_element_size(const cl_image_format *format)
{
    return in_image_element_size(format->image_channel_order - CL_R,
                                 format->image_channel_data_type - CL_SNORM_INT8);
}

bool rt_image_format_required(const cl_image_format *format)
{
    uint32_t type = format->image_channel_data_type - CL_SNORM_INT8;
    switch (format->image_channel_order) {
    case CL_R:
    case CL_RG:
    case CL_RGBA:
        return type != IN_CHANNEL_SNORM_INT8 && type != IN_CHANNEL_SNORM_INT16 &&
               type < IN_CHANNEL_UNORM_INT_101010_2;
    case CL_BGRA:
    case CL_sRGBA:
        return type == IN_CHANNEL_UNORM_INT8;
    case CL_DEPTH:
        return true;
    default:
        return false;
    }
}

static bool some_device_has_all(const struct rt_context *context)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i]->limits.images && !context->devices[i]->limits.required_formats)
            return true;
    return false;
}

/* sRGB and depth images are read and written by no kernel at once, depth images have two dimensions. */
bool rt_image_format_offered(const struct rt_context *context, const cl_image_format *format,
                             cl_mem_flags flags, cl_mem_object_type type)
{
    uint32_t order = format->image_channel_order - CL_R;
    if (!rt_context_images(context) || !rt_image_format_valid(format) || !offered_order(order) ||
        (!rt_image_format_required(format) && !some_device_has_all(context)))
        return false;
    if (is_srgb(order) && (flags & CL_MEM_KERNEL_READ_AND_WRITE))
        return false;
    if (order == IN_ORDER_DEPTH) {
        return (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY) &&
               !(flags & CL_MEM_KERNEL_READ_AND_WRITE);
    }
    return true;
}

static cl_uint list_formats(const struct rt_context *context, cl_mem_flags flags, cl_mem_object_type type,
                            cl_uint capacity, cl_image_format *formats)
{
    cl_uint count = 0;
    for (cl_uint order = 0; order < IN_ORDER_COUNT; order++) {
        for (cl_uint channel = 0; channel < IN_CHANNEL_COUNT; channel++) {
            cl_image_format format = {CL_R + order, CL_SNORM_INT8 + channel};
            if (!rt_image_format_offered(context, &format, flags, type))
                continue;
            if (formats && count < capacity)
                formats[count] = format;
            count++;
        }
    }
    return count;
}

bool rt_image_flags_valid(cl_mem_flags flags)
{
    const cl_mem_flags both = CL_MEM_KERNEL_READ_AND_WRITE;
    return (flags & both) ? flags == both || flags == (both | CL_MEM_READ_WRITE) : rt_mem_flags_valid(flags);
}

cl_int CL_API_CALL rt_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                 cl_mem_object_type type, cl_uint num_entries,
                                                 cl_image_format *formats, cl_uint *num_formats)
{
    if (!rt_context(context))
        return CL_INVALID_CONTEXT;
    if (!rt_image_flags_valid(flags) || !rt_image_kind(type) || (num_entries == 0 && formats))
        return CL_INVALID_VALUE;
    cl_uint count = list_formats(
        rt_context(context),
        flags & (RT_MEM_CONSTANT | CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE),
        type, num_entries, formats);
    if (num_formats)
        *num_formats = count;
    return CL_SUCCESS;
}
