/* Reference counts of shadow objects follow the driver's [CL 2.1]. */
#include "tools/layer/layer.h"

#define REFERENCES(name, type, shadow)                                                                       \
    LY_REFERENCE_CALLS(name, type, shadow, ly_next.clRetain##name, ly_next.clRelease##name)                  \
    LY_EXPORT(clRetain##name)                                                                                \
    LY_EXPORT(clRelease##name)

REFERENCES(Context, cl_context, LY_CONTEXT)
REFERENCES(CommandQueue, cl_command_queue, LY_QUEUE)
REFERENCES(MemObject, cl_mem, LY_MEM)
REFERENCES(Event, cl_event, LY_EVENT)
REFERENCES(Program, cl_program, LY_PROGRAM)
REFERENCES(Kernel, cl_kernel, LY_KERNEL)
REFERENCES(Sampler, cl_sampler, LY_SAMPLER)

static cl_context add_context(cl_context context)
{
    pthread_mutex_lock(&ly_lock);
    if (context)
        ly_object_add(LY_CONTEXT, context, sizeof(struct ly_object));
    pthread_mutex_unlock(&ly_lock);
    return context;
}

typedef void CL_CALLBACK context_function(const char *, const void *, size_t, void *);

static cl_context CL_API_CALL layer_clCreateContext(const cl_context_properties *properties, cl_uint count,
                                                    const cl_device_id *devices, context_function *notify,
                                                    void *data, cl_int *code)
{
    return add_context(ly_next.clCreateContext(properties, count, devices, notify, data, code));
}
LY_EXPORT(clCreateContext)

static cl_context CL_API_CALL layer_clCreateContextFromType(const cl_context_properties *properties,
                                                            cl_device_type type, context_function *notify,
                                                            void *data, cl_int *code)
{
    return add_context(ly_next.clCreateContextFromType(properties, type, notify, data, code));
}
LY_EXPORT(clCreateContextFromType)

static cl_sampler add_sampler(cl_sampler handle)
{
    struct ly_sampler_state state = {0};
    if (!handle)
        return handle;
    ly_next.clGetSamplerInfo(handle, CL_SAMPLER_NORMALIZED_COORDS, sizeof state.normalized, &state.normalized,
                             NULL);
    ly_next.clGetSamplerInfo(handle, CL_SAMPLER_ADDRESSING_MODE, sizeof state.addressing, &state.addressing,
                             NULL);
    ly_next.clGetSamplerInfo(handle, CL_SAMPLER_FILTER_MODE, sizeof state.filter, &state.filter, NULL);
    pthread_mutex_lock(&ly_lock);
    struct ly_sampler *sampler = ly_object_add(LY_SAMPLER, handle, sizeof *sampler);
    if (sampler)
        sampler->state = state;
    pthread_mutex_unlock(&ly_lock);
    return handle;
}

static cl_sampler CL_API_CALL layer_clCreateSampler(cl_context context, cl_bool normalized,
                                                    cl_addressing_mode addressing, cl_filter_mode filter,
                                                    cl_int *code)
{
    return add_sampler(ly_next.clCreateSampler(context, normalized, addressing, filter, code));
}
LY_EXPORT(clCreateSampler)

static cl_sampler CL_API_CALL layer_clCreateSamplerWithProperties(cl_context context,
                                                                  const cl_sampler_properties *properties,
                                                                  cl_int *code)
{
    return add_sampler(ly_next.clCreateSamplerWithProperties(context, properties, code));
}
LY_EXPORT(clCreateSamplerWithProperties)
