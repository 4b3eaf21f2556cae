/* Contexts [CL 4.4]. */
#include "ref-runtime/callback.h"
#include "ref-runtime/device.h"
#include "ref-runtime/sched/command.h"

#include <string.h>

cl_int rt_context_error(const struct rt_context *context)
{
    return !context ? CL_INVALID_CONTEXT : context->terminated ? CL_CONTEXT_TERMINATED_KHR : CL_SUCCESS;
}

cl_int rt_foreign(cl_int before)
{
    return rt_version() >= RT_3_1 ? CL_INVALID_CONTEXT : before;
}

bool rt_context_has_device(const struct rt_context *context, const struct rt_device *device)
{
    return rt_context_device_index(context, device) >= 0;
}

int rt_context_device_index(const struct rt_context *context, const struct rt_device *device)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return (int)i;
    return -1;
}

struct notice {
    struct rt_context *context;
    char text[];
};

static void deliver_notification(void *data)
{
    struct notice *notice = data;
    struct rt_context *context = notice->context;
    context->notify(notice->text, NULL, 0, context->notify_data);
    rt_object_release(context);
    mm_free(notice);
}

/* Runs on the callback thread, since errors occur where the application's code must not run. */
void rt_context_notify(struct rt_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    struct notice *notice = context->notify ? mm_alloc(sizeof *notice + size) : NULL;
    if (!notice)
        return;
    notice->context = context;
    memcpy(notice->text, text, size);
    rt_object_retain(context);
    if (!rt_callback_post(deliver_notification, notice)) {
        rt_object_release_deferred(context);
        mm_free(notice);
    }
}

/* The properties given when a context is created. */
struct creation {
    const cl_context_properties *properties;
    size_t count; /* of elements, the terminating zero included */
    cl_context_properties initialized;
    bool can_terminate;
};

/* Properties are (name, value) pairs up to a zero: the platform, whether the user synchronizes, which memory
 * begins as zeros, whether the context can be terminated; each at most once. */
static cl_int parse_properties(const cl_context_properties *properties, struct creation *c)
{
    static const cl_context_properties memory =
        CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
    size_t n = 0;
    for (; properties && properties[n]; n += 2) {
        cl_context_properties value = properties[n + 1];
        switch (properties[n]) {
        case CL_CONTEXT_PLATFORM:
            if (!rt_platform((cl_platform_id)value))
                return CL_INVALID_PLATFORM;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (value != CL_TRUE && value != CL_FALSE)
                return CL_INVALID_PROPERTY;
            break;
        case CL_CONTEXT_MEMORY_INITIALIZE_KHR:
            if (value & ~memory)
                return CL_INVALID_PROPERTY;
            c->initialized = value;
            break;
        case CL_CONTEXT_TERMINATE_KHR:
            if (value != CL_TRUE && value != CL_FALSE)
                return CL_INVALID_PROPERTY;
            c->can_terminate = value;
            break;
        default:
            return CL_INVALID_PROPERTY;
        }
        for (size_t k = 0; k < n; k += 2)
            if (properties[k] == properties[n])
                return CL_INVALID_PROPERTY;
    }
    c->properties = properties;
    c->count = properties ? n + 1 : 0;
    return CL_SUCCESS;
}

static cl_context create_context(const struct creation *c, struct rt_device *const *devices,
                                 cl_uint device_count,
                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                 void *data, cl_int *errcode_ret)
{
    struct rt_context *context = rt_object_create(RT_CONTEXT, sizeof *context);
    if (!context)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    if (c->count) {
        context->properties = mm_alloc(c->count * sizeof *c->properties);
        if (!context->properties) {
            rt_object_release(context);
            return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(context->properties, c->properties, c->count * sizeof *c->properties);
        context->property_count = c->count;
    }
    context->zero_local = c->initialized & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR;
    context->zero_private = c->initialized & CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
    context->can_terminate = c->can_terminate;
    for (cl_uint i = 0; i < device_count; i++) {
        if (!rt_context_has_device(context, devices[i])) {
            rt_object_retain(devices[i]);
            context->devices[context->device_count++] = devices[i];
        }
    }
    context->notify = notify;
    context->notify_data = data;
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_context)context;
}

cl_context CL_API_CALL rt_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                          const cl_device_id *devices,
                                          void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t,
                                                                        void *),
                                          void *user_data, cl_int *errcode_ret)
{
    struct creation c = {.count = 0};
    rt_the_platform();
    cl_int error = parse_properties(properties, &c);
    if (error)
        return rt_null(errcode_ret, error);
    if (!devices || num_devices == 0 || (!pfn_notify && user_data))
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    struct rt_device *list[RT_MAX_DEVICES];
    cl_uint count = 0;
    for (cl_uint i = 0; i < num_devices; i++) {
        struct rt_device *device = rt_device(devices[i]);
        if (!device)
            return rt_null(errcode_ret, CL_INVALID_DEVICE);
        bool seen = false;
        for (cl_uint k = 0; k < count; k++)
            seen = seen || list[k] == device;
        if (rt_device_lost(device))
            return rt_null(errcode_ret, CL_DEVICE_NOT_AVAILABLE);
        if (!seen && count == RT_MAX_DEVICES)
            return rt_null(errcode_ret, CL_OUT_OF_RESOURCES);
        if (!seen)
            list[count++] = device;
    }
    return create_context(&c, list, count, pfn_notify, user_data, errcode_ret);
}

cl_context CL_API_CALL rt_clCreateContextFromType(const cl_context_properties *properties,
                                                  cl_device_type device_type,
                                                  void(CL_CALLBACK *pfn_notify)(const char *, const void *,
                                                                                size_t, void *),
                                                  void *user_data, cl_int *errcode_ret)
{
    struct creation c = {.count = 0};
    rt_the_platform();
    cl_int error = parse_properties(properties, &c);
    if (error)
        return rt_null(errcode_ret, error);
    if (!pfn_notify && user_data)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    if (!rt_device_type_valid(device_type))
        return rt_null(errcode_ret, CL_INVALID_DEVICE_TYPE);
    struct rt_device *list[RT_MAX_DEVICES];
    cl_uint count = rt_devices_of_type(device_type, list);
    if (count == 0)
        return rt_null(errcode_ret, CL_DEVICE_NOT_FOUND);
    cl_uint available = 0;
    for (cl_uint i = 0; i < count; i++)
        if (!rt_device_lost(list[i]))
            list[available++] = list[i];
    if (available == 0)
        return rt_null(errcode_ret, CL_DEVICE_NOT_AVAILABLE);
    return create_context(&c, list, available, pfn_notify, user_data, errcode_ret);
}

void rt_context_destroy(struct rt_context *context)
{
    while (context->destructors) {
        struct rt_callback *callback = context->destructors;
        context->destructors = callback->next;
        callback->context_function((cl_context)context, callback->data);
        mm_free(callback);
    }
    rt_svm_free_all(context);
    for (cl_uint i = 0; i < context->device_count; i++)
        rt_object_release(context->devices[i]);
    mm_free(context->properties);
}

cl_int CL_API_CALL rt_clTerminateContextKHR(cl_context handle)
{
    struct rt_context *context = rt_context(handle);
    if (!context)
        return CL_INVALID_CONTEXT;
    if (!context->can_terminate)
        return CL_INVALID_OPERATION;
    if (atomic_exchange(&context->terminated, 1))
        return CL_CONTEXT_TERMINATED_KHR;
    rt_sched_terminate(context);
    rt_context_notify(context, "the context is terminated");
    return CL_SUCCESS;
}

RT_REFERENCE_CALLS(Context, cl_context, RT_CONTEXT, CL_INVALID_CONTEXT)

cl_int CL_API_CALL rt_clSetContextDestructorCallback(cl_context handle,
                                                     void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                                     void *user_data)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context))
        return rt_context_error(context);
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return rt_callback_add(&context->destructors,
                           &(struct rt_callback){.context_function = pfn_notify, .data = user_data});
}

RT_ANSWER_LIST(get_devices, struct rt_context, devices, device_count)

RT_ANSWER_LIST(get_properties, struct rt_context, properties, property_count)

static const struct rt_info_row context_rows[] = {
    RT_INFO_GET(CL_CONTEXT_REFERENCE_COUNT, rt_info_references),
    RT_INFO_FIELD(CL_CONTEXT_NUM_DEVICES, struct rt_context, device_count),
    RT_INFO_GET(CL_CONTEXT_DEVICES, get_devices),
    RT_INFO_GET(CL_CONTEXT_PROPERTIES, get_properties),
};

RT_INFO_CALL(ContextInfo, cl_context, cl_context_info, rt_context(handle), CL_INVALID_CONTEXT, context_rows)
