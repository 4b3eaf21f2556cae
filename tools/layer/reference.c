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
