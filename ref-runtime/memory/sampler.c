/* Samplers [CL 5.7]. */
#include "ref-runtime/device.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct request {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter, mip_filter;
    cl_float lod_min, lod_max;
};
static const struct request defaults = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, CL_FILTER_NEAREST,
                                        0,       FLT_MAX};

/* Repeating needs normalized coordinates. */
static bool is_valid(const struct request *r)
{
    bool repeats = r->addressing == CL_ADDRESS_REPEAT || r->addressing == CL_ADDRESS_MIRRORED_REPEAT;
    return (r->normalized == CL_TRUE || r->normalized == CL_FALSE) && r->addressing >= CL_ADDRESS_NONE &&
           r->addressing <= CL_ADDRESS_MIRRORED_REPEAT &&
           (r->filter == CL_FILTER_NEAREST || r->filter == CL_FILTER_LINEAR) && (r->normalized || !repeats) &&
           (r->mip_filter == CL_FILTER_NEAREST || r->mip_filter == CL_FILTER_LINEAR) && !isnan(r->lod_min) &&
           !isnan(r->lod_max);
}

static cl_sampler create_sampler(struct rt_context *context, const struct request *r,
                                 const cl_sampler_properties *properties, size_t count, cl_int *errcode_ret)
{
    if (!is_valid(r))
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    if (!rt_context_images(context))
        return rt_null(errcode_ret, CL_INVALID_OPERATION);
    struct rt_sampler *sampler = rt_object_create(RT_SAMPLER, sizeof *sampler);
    if (!sampler)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    rt_object_retain(context);
    sampler->context = context;
    sampler->normalized = r->normalized;
    sampler->addressing = r->addressing;
    sampler->filter = r->filter;
    sampler->mip_filter = r->mip_filter;
    sampler->lod_min = r->lod_min;
    sampler->lod_max = r->lod_max;
    sampler->shape =
        (struct in_sampler){.normalized = r->normalized == CL_TRUE,
                            .addressing = (enum in_addressing)(r->addressing - CL_ADDRESS_NONE),
                            .filter = (enum in_filter)(r->filter - CL_FILTER_NEAREST),
                            .has_mip = r->mip_filter != defaults.mip_filter ||
                                       r->lod_min != defaults.lod_min || r->lod_max != defaults.lod_max,
                            .mip_filter = (enum in_filter)(r->mip_filter - CL_FILTER_NEAREST),
                            .lod_min = r->lod_min,
                            .lod_max = r->lod_max};
    if (count) {
        sampler->properties = mm_alloc(count * sizeof *properties);
        if (!sampler->properties) {
            rt_object_release(sampler);
            return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(sampler->properties, properties, count * sizeof *properties);
        sampler->property_count = count;
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_sampler)sampler;
}

cl_sampler CL_API_CALL rt_clCreateSampler(cl_context handle, cl_bool normalized,
                                          cl_addressing_mode addressing, cl_filter_mode filter,
                                          cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    struct request request = defaults;
    request.normalized = normalized;
    request.addressing = addressing;
    request.filter = filter;
    cl_int error = rt_context_error(context);
    return error ? rt_null(errcode_ret, error) : create_sampler(context, &request, NULL, 0, errcode_ret);
}

/* Each property at most once.  Levels of detail are the bits of a float, as no text says how a property holds
 * one. */
static bool parse_properties(const cl_sampler_properties *properties, struct request *r, size_t *count)
{
    void *const fields[] = {&r->normalized, &r->addressing, &r->filter,
                            &r->mip_filter, &r->lod_min,    &r->lod_max};
    enum { NAMES = sizeof fields / sizeof *fields };
    bool seen[NAMES] = {false};
    size_t n = 0;
    for (; properties && properties[n]; n += 2) {
        cl_sampler_properties name = properties[n] - CL_SAMPLER_NORMALIZED_COORDS;
        cl_uint value = (cl_uint)properties[n + 1];
        if (name >= NAMES || seen[name] || value != properties[n + 1])
            return false;
        seen[name] = true;
        memcpy(fields[name], &value, sizeof value);
    }
    *count = properties ? n + 1 : 0;
    return true;
}

cl_sampler CL_API_CALL rt_clCreateSamplerWithProperties(cl_context handle,
                                                        const cl_sampler_properties *properties,
                                                        cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    struct request request = defaults;
    size_t count = 0;
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    if (!parse_properties(properties, &request, &count))
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    return create_sampler(context, &request, properties, count, errcode_ret);
}

void rt_sampler_destroy(struct rt_sampler *sampler)
{
    mm_free(sampler->properties);
    rt_object_release(sampler->context);
}

RT_REFERENCE_CALLS(Sampler, cl_sampler, RT_SAMPLER, CL_INVALID_SAMPLER)

RT_ANSWER_LIST(get_properties, struct rt_sampler, properties, property_count)

static const struct rt_info_row sampler_rows[] = {
    RT_INFO_GET(CL_SAMPLER_REFERENCE_COUNT, rt_info_references),
    RT_INFO_FIELD(CL_SAMPLER_CONTEXT, struct rt_sampler, context),
    RT_INFO_FIELD(CL_SAMPLER_NORMALIZED_COORDS, struct rt_sampler, normalized),
    RT_INFO_FIELD(CL_SAMPLER_ADDRESSING_MODE, struct rt_sampler, addressing),
    RT_INFO_FIELD(CL_SAMPLER_FILTER_MODE, struct rt_sampler, filter),
    RT_INFO_GET(CL_SAMPLER_PROPERTIES, get_properties),
    RT_INFO_FIELD(CL_SAMPLER_MIP_FILTER_MODE, struct rt_sampler, mip_filter),
    RT_INFO_FIELD(CL_SAMPLER_LOD_MIN, struct rt_sampler, lod_min),
    RT_INFO_FIELD(CL_SAMPLER_LOD_MAX, struct rt_sampler, lod_max),
};

RT_INFO_CALL(SamplerInfo, cl_sampler, cl_sampler_info, rt_sampler(handle), CL_INVALID_SAMPLER, sampler_rows)
