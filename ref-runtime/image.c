/* Images, samplers and pipes: what a device without them answers [CL 5.3, 5.4, 5.7 and OpenCL 3.0 appendix on
 * optional features]. */
#include "ref-runtime/device.h"

/* ---- images ---- */

static cl_mem no_image(cl_context context, const cl_image_format *format, cl_int *errcode_ret)
{
    if (!rt_context(context)) {
        return rt_null(errcode_ret, CL_INVALID_CONTEXT);
    }
    return rt_null(errcode_ret, format ? CL_INVALID_OPERATION : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

cl_mem CL_API_CALL rt_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                    const cl_image_desc *description, void *host_ptr, cl_int *errcode_ret)
{
    (void)flags;
    (void)description;
    (void)host_ptr;
    return no_image(context, format, errcode_ret);
}

cl_mem CL_API_CALL rt_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                  cl_mem_flags flags, const cl_image_format *format,
                                                  const cl_image_desc *description, void *host_ptr,
                                                  cl_int *errcode_ret)
{
    (void)properties;
    (void)flags;
    (void)description;
    (void)host_ptr;
    return no_image(context, format, errcode_ret);
}

cl_mem CL_API_CALL rt_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t row_pitch, void *host_ptr,
                                      cl_int *errcode_ret)
{
    (void)flags;
    (void)width;
    (void)height;
    (void)row_pitch;
    (void)host_ptr;
    return no_image(context, format, errcode_ret);
}

cl_mem CL_API_CALL rt_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t depth, size_t row_pitch,
                                      size_t slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    (void)flags;
    (void)width;
    (void)height;
    (void)depth;
    (void)row_pitch;
    (void)slice_pitch;
    (void)host_ptr;
    return no_image(context, format, errcode_ret);
}

/* Every image type gets an answer: the empty list. */
cl_int CL_API_CALL rt_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                 cl_mem_object_type type, cl_uint num_entries,
                                                 cl_image_format *formats, cl_uint *num_formats)
{
    (void)flags;
    if (!rt_context(context)) {
        return CL_INVALID_CONTEXT;
    }
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    case CL_MEM_OBJECT_IMAGE3D:
        break;
    default:
        return CL_INVALID_VALUE;
    }
    if (num_entries == 0 && formats) {
        return CL_INVALID_VALUE;
    }
    if (num_formats) {
        *num_formats = 0;
    }
    return CL_SUCCESS;
}

/* No image exists, so that no handle names one. */
cl_int CL_API_CALL rt_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t size, void *value,
                                     size_t *size_ret)
{
    (void)image;
    (void)param_name;
    (void)size;
    (void)value;
    (void)size_ret;
    return CL_INVALID_MEM_OBJECT;
}

static cl_int no_image_command(cl_command_queue queue, cl_mem image)
{
    if (!rt_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    (void)image;
    return CL_INVALID_MEM_OBJECT;
}

cl_int CL_API_CALL rt_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                         const size_t *origin, const size_t *region, size_t row_pitch,
                                         size_t slice_pitch, void *ptr, cl_uint count, const cl_event *list,
                                         cl_event *event)
{
    (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch;
    (void)ptr, (void)count, (void)list, (void)event;
    return no_image_command(queue, image);
}

cl_int CL_API_CALL rt_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                          const size_t *origin, const size_t *region, size_t row_pitch,
                                          size_t slice_pitch, const void *ptr, cl_uint count,
                                          const cl_event *list, cl_event *event)
{
    (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch;
    (void)ptr, (void)count, (void)list, (void)event;
    return no_image_command(queue, image);
}

cl_int CL_API_CALL rt_clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem target,
                                         const size_t *source_origin, const size_t *target_origin,
                                         const size_t *region, cl_uint count, const cl_event *list,
                                         cl_event *event)
{
    (void)target, (void)source_origin, (void)target_origin, (void)region, (void)count, (void)list,
        (void)event;
    return no_image_command(queue, source);
}

cl_int CL_API_CALL rt_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                                 const size_t *origin, const size_t *region, size_t offset,
                                                 cl_uint count, const cl_event *list, cl_event *event)
{
    (void)target, (void)origin, (void)region, (void)offset, (void)count, (void)list, (void)event;
    return no_image_command(queue, source);
}

cl_int CL_API_CALL rt_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem source, cl_mem target,
                                                 size_t offset, const size_t *origin, const size_t *region,
                                                 cl_uint count, const cl_event *list, cl_event *event)
{
    (void)source, (void)offset, (void)origin, (void)region, (void)count, (void)list, (void)event;
    return no_image_command(queue, target);
}

cl_int CL_API_CALL rt_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color,
                                         const size_t *origin, const size_t *region, cl_uint count,
                                         const cl_event *list, cl_event *event)
{
    (void)color, (void)origin, (void)region, (void)count, (void)list, (void)event;
    return no_image_command(queue, image);
}

void *CL_API_CALL rt_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                       cl_map_flags flags, const size_t *origin, const size_t *region,
                                       size_t *row_pitch, size_t *slice_pitch, cl_uint count,
                                       const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    (void)blocking, (void)flags, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch;
    (void)count, (void)list, (void)event;
    return rt_null(errcode_ret, no_image_command(queue, image));
}

/* ---- pipes ---- */

cl_mem CL_API_CALL rt_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                   cl_uint max_packets, const cl_pipe_properties *properties,
                                   cl_int *errcode_ret)
{
    (void)flags, (void)packet_size, (void)max_packets, (void)properties;
    return rt_null(errcode_ret, rt_context(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

cl_int CL_API_CALL rt_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t size, void *value,
                                    size_t *size_ret)
{
    (void)pipe, (void)param_name, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_MEM_OBJECT;
}

/* ---- samplers: nothing to sample, hence CL_INVALID_OPERATION ---- */

cl_sampler CL_API_CALL rt_clCreateSampler(cl_context context, cl_bool normalized,
                                          cl_addressing_mode addressing, cl_filter_mode filter,
                                          cl_int *errcode_ret)
{
    (void)normalized, (void)addressing, (void)filter;
    return rt_null(errcode_ret, rt_context(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

cl_sampler CL_API_CALL rt_clCreateSamplerWithProperties(cl_context context,
                                                        const cl_sampler_properties *properties,
                                                        cl_int *errcode_ret)
{
    (void)properties;
    return rt_null(errcode_ret, rt_context(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

void rt_sampler_destroy(struct rt_sampler *sampler)
{
    mm_free(sampler->properties);
    rt_object_release(sampler->context);
}

cl_int CL_API_CALL rt_clRetainSampler(cl_sampler handle)
{
    return rt_api_retain(handle, RT_SAMPLER) ? CL_SUCCESS : CL_INVALID_SAMPLER;
}

cl_int CL_API_CALL rt_clReleaseSampler(cl_sampler handle)
{
    return rt_api_release(handle, RT_SAMPLER) ? CL_SUCCESS : CL_INVALID_SAMPLER;
}

static const struct rt_info_row sampler_rows[] = {
    RT_INFO_GET(CL_SAMPLER_REFERENCE_COUNT, rt_info_references),
    RT_INFO_FIELD(CL_SAMPLER_CONTEXT, struct rt_sampler, context),
    RT_INFO_FIELD(CL_SAMPLER_NORMALIZED_COORDS, struct rt_sampler, normalized),
    RT_INFO_FIELD(CL_SAMPLER_ADDRESSING_MODE, struct rt_sampler, addressing),
    RT_INFO_FIELD(CL_SAMPLER_FILTER_MODE, struct rt_sampler, filter),
};

cl_int CL_API_CALL rt_clGetSamplerInfo(cl_sampler handle, cl_sampler_info param_name, size_t size,
                                       void *value, size_t *size_ret)
{
    struct rt_sampler *sampler = rt_sampler(handle);
    if (!sampler) {
        return CL_INVALID_SAMPLER;
    }
    return RT_INFO_QUERY(sampler_rows, sampler, param_name, size, value, size_ret);
}
