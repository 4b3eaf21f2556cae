/* A layer below refcl's that offers extensions of some drivers, by means of SVM, and a function that refcl
 * does not know. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <string.h>

static struct _cl_icd_dispatch own, next;

static void *CL_API_CALL allocate(cl_context context, cl_device_id device, const void *properties,
                                  size_t size, cl_uint alignment, cl_int *code)
{
    (void)device;
    (void)properties;
    void *memory = next.clSVMAlloc(context, CL_MEM_READ_WRITE, size, alignment);
    *code = memory ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    return memory;
}

static cl_int CL_API_CALL release(cl_context context, void *memory)
{
    next.clSVMFree(context, memory);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set(cl_kernel kernel, cl_uint index, const void *pointer)
{
    return next.clSetKernelArgSVMPointer(kernel, index, pointer);
}

static cl_int CL_API_CALL copy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                               size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    return next.clEnqueueSVMMemcpy(queue, blocking, to, from, size, count, list, event);
}

static cl_int CL_API_CALL mystery(cl_command_queue first, cl_command_queue second)
{
    cl_event event;
    cl_int code = next.clEnqueueMarkerWithWaitList(first, 0, NULL, &event);
    return code ? code : next.clEnqueueBarrierWithWaitList(second, 1, &event, NULL);
}

static void *CL_API_CALL find(cl_platform_id platform, const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {{"clSharedMemAllocINTEL", (void (*)(void))allocate},
                     {"clMemFreeINTEL", (void (*)(void))release},
                     {"clSetKernelArgMemPointerINTEL", (void (*)(void))set},
                     {"clEnqueueMemcpyINTEL", (void (*)(void))copy},
                     {"clEnqueueMysteryEXT", (void (*)(void))mystery}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0)
            return (void *)functions[i].function;
    return next.clGetExtensionFunctionAddressForPlatform(platform, name);
}

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = name == CL_LAYER_API_VERSION ? (const void *)&version : "shared memory";
    size_t n = name == CL_LAYER_API_VERSION ? sizeof version : sizeof "shared memory";
    if (value && size >= n)
        memcpy(value, from, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayer(cl_uint count, const struct _cl_icd_dispatch *target, cl_uint *count_ret,
                               const struct _cl_icd_dispatch **table)
{
    memcpy(&next, target, count * sizeof(void *) < sizeof next ? count * sizeof(void *) : sizeof next);
    own = next;
    own.clGetExtensionFunctionAddressForPlatform = find;
    *count_ret = count;
    *table = &own;
    return CL_SUCCESS;
}
