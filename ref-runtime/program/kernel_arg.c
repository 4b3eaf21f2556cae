/* Setting kernel arguments and execution information [CL 5.9.2, 5.9.3]. */
#include "ref-runtime/program/kernel.h"

#include <string.h>

#include "ref-runtime/device.h"

/* ---- what each kind of argument takes ------------------------------------------------------------ */

/* Checks an argument of one kind, and fills TO from SIZE bytes at VALUE. */
typedef cl_int (*take_argument)(const struct rt_kernel *kernel, const struct in_argument_info *info,
                                size_t size, const void *value, struct rt_set_argument *to);

static cl_int take_value(const struct rt_kernel *kernel, const struct in_argument_info *info, size_t size,
                         const void *value, struct rt_set_argument *to)
{
    (void)kernel;
    if (!value)
        return CL_INVALID_ARG_VALUE;
    if (size != info->size)
        return CL_INVALID_ARG_SIZE;
    to->value = mm_alloc(size ? size : 1);
    if (!to->value)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(to->value, value, size);
    return CL_SUCCESS;
}

static cl_int take_local(const struct rt_kernel *kernel, const struct in_argument_info *info, size_t size,
                         const void *value, struct rt_set_argument *to)
{
    (void)kernel;
    if (value)
        return CL_INVALID_ARG_VALUE;
    if (!size && rt_version() < CL_MAKE_VERSION(3, 1, 0))
        return CL_INVALID_ARG_SIZE;
    if (info->most_bytes && size > info->most_bytes)
        return CL_MAX_SIZE_RESTRICTION_EXCEEDED;
    to->local_size = size;
    return CL_SUCCESS;
}

/* Reads the handle at VALUE; an error if SIZE is not that of a handle. */
static cl_int take_handle(size_t size, const void *value, const void **handle)
{
    *handle = NULL;
    if (size != sizeof *handle)
        return CL_INVALID_ARG_SIZE;
    if (value)
        memcpy(handle, value, sizeof *handle);
    return CL_SUCCESS;
}

static cl_int take_mem(const struct rt_kernel *kernel, size_t size, const void *value, struct rt_mem **mem)
{
    const void *handle;
    cl_int code = take_handle(size, value, &handle);
    *mem = code || !handle ? NULL : rt_object_check(handle, RT_MEM);
    if (!code && handle && !*mem)
        code = CL_INVALID_MEM_OBJECT;
    if (!code && *mem && (*mem)->context != kernel->context)
        code = rt_foreign(CL_INVALID_MEM_OBJECT);
    return code;
}

static void bind_object(struct rt_set_argument *to, const void *object)
{
    to->object = object;
    to->number = object ? ((const struct rt_object *)object)->number : 0;
}

static cl_int take_pointer(const struct rt_kernel *kernel, const struct in_argument_info *info, size_t size,
                           const void *value, struct rt_set_argument *to)
{
    struct rt_mem *mem;
    cl_int code = take_mem(kernel, size, value, &mem);
    if (!code && mem && mem->mem_type != CL_MEM_OBJECT_BUFFER)
        code = CL_INVALID_MEM_OBJECT;
    if (!code && mem && info->most_bytes && mem->size > info->most_bytes)
        code = CL_MAX_SIZE_RESTRICTION_EXCEEDED;
    if (!code)
        bind_object(to, mem);
    return code;
}

/* Depth images are 2D images and arrays of them too. [CL 5.9.2] */
static bool image_fits(const struct in_argument_info *info, const struct rt_mem *mem)
{
    return mem->image && mem->image->shape.kind == info->image_kind &&
           (!info->depth_image || mem->image->shape.order == IN_ORDER_DEPTH);
}

static cl_int take_image(const struct rt_kernel *kernel, const struct in_argument_info *info, size_t size,
                         const void *value, struct rt_set_argument *to)
{
    struct rt_mem *mem;
    cl_int code = take_mem(kernel, size, value, &mem);
    if (code)
        return code;
    if (!mem || !image_fits(info, mem))
        return CL_INVALID_MEM_OBJECT;
    bool reads = info->access == IN_READ_ONLY || info->access == IN_READ_WRITE;
    bool writes = info->access == IN_WRITE_ONLY || info->access == IN_READ_WRITE;
    if ((reads && (mem->flags & CL_MEM_WRITE_ONLY)) || (writes && (mem->flags & RT_MEM_CONSTANT)))
        return CL_INVALID_ARG_VALUE;
    bind_object(to, mem);
    return CL_SUCCESS;
}

static cl_int take_pipe(const struct rt_kernel *kernel, const struct in_argument_info *info, size_t size,
                        const void *value, struct rt_set_argument *to)
{
    struct rt_mem *mem;
    (void)info;
    cl_int code = take_mem(kernel, size, value, &mem);
    if (!code && (!mem || mem->mem_type != CL_MEM_OBJECT_PIPE))
        code = CL_INVALID_MEM_OBJECT;
    if (!code)
        bind_object(to, mem);
    return code;
}

/* Reads an object of TYPE that is no memory object; INVALID is the error code. */
static cl_int take_object(size_t size, const void *value, enum rt_type type, cl_int invalid, void **object)
{
    const void *handle;
    cl_int code = take_handle(size, value, &handle);
    if (code)
        return code;
    *object = handle ? rt_object_check(handle, type) : NULL;
    return *object ? CL_SUCCESS : invalid;
}

static cl_int take_sampler(const struct rt_kernel *kernel, const struct in_argument_info *info, size_t size,
                           const void *value, struct rt_set_argument *to)
{
    void *object = NULL;
    (void)info;
    cl_int code = take_object(size, value, RT_SAMPLER, CL_INVALID_SAMPLER, &object);
    if (!code && ((struct rt_sampler *)object)->context != kernel->context)
        code = rt_foreign(CL_INVALID_SAMPLER);
    if (!code)
        bind_object(to, object);
    return code;
}

static cl_int take_queue(const struct rt_kernel *kernel, const struct in_argument_info *info, size_t size,
                         const void *value, struct rt_set_argument *to)
{
    void *object = NULL;
    (void)info;
    cl_int code = take_object(size, value, RT_QUEUE, CL_INVALID_DEVICE_QUEUE, &object);
    const struct rt_queue *queue = object;
    if (!code && !(queue->flags & CL_QUEUE_ON_DEVICE))
        code = CL_INVALID_DEVICE_QUEUE;
    if (!code && queue->context != kernel->context)
        code = rt_foreign(CL_INVALID_DEVICE_QUEUE);
    if (!code)
        bind_object(to, object);
    return code;
}

static const take_argument takers[] = {
    [IN_ARG_VALUE] = take_value, [IN_ARG_GLOBAL] = take_pointer, [IN_ARG_CONSTANT] = take_pointer,
    [IN_ARG_LOCAL] = take_local, [IN_ARG_IMAGE] = take_image,    [IN_ARG_SAMPLER] = take_sampler,
    [IN_ARG_PIPE] = take_pipe,   [IN_ARG_QUEUE] = take_queue,
};

/* ---- entry points -------------------------------------------------------------------------------- */

static void replace_argument(struct rt_kernel_state *state, cl_uint index,
                             const struct rt_set_argument *argument)
{
    mm_mutex_lock(&state->lock);
    mm_free(state->arguments[index].value);
    state->arguments[index] = *argument;
    mm_mutex_unlock(&state->lock);
}

cl_int CL_API_CALL rt_clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void *value)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    const struct in_kernel_info *kernel_info = kernel->state->info;
    if (index >= kernel_info->argument_count)
        return CL_INVALID_ARG_INDEX;
    const struct in_argument_info *info = &kernel_info->arguments[index];
    struct rt_set_argument argument = {.set = true};
    cl_int code = takers[info->kind](kernel, info, size, value, &argument);
    if (!code)
        replace_argument(kernel->state, index, &argument);
    return code;
}

cl_int CL_API_CALL rt_clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index, const void *pointer)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    const struct in_kernel_info *kernel_info = kernel->state->info;
    if (index >= kernel_info->argument_count)
        return CL_INVALID_ARG_INDEX;
    enum in_argument_kind kind = kernel_info->arguments[index].kind;
    if (kind != IN_ARG_GLOBAL && kind != IN_ARG_CONSTANT)
        return CL_INVALID_ARG_VALUE;
    if (rt_context_svm(kernel->context, false) == 0)
        return CL_INVALID_OPERATION;
    bool system = rt_context_svm(kernel->context, false) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    if (pointer && !system && !rt_svm_find(kernel->context, pointer))
        return CL_INVALID_ARG_VALUE;
    struct rt_set_argument argument = {.set = true, .svm = pointer};
    replace_argument(kernel->state, index, &argument);
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clSetKernelArgDevicePointerEXT(cl_kernel handle, cl_uint index, cl_ulong pointer)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    const struct in_kernel_info *kernel_info = kernel->state->info;
    if (index >= kernel_info->argument_count || kernel_info->arguments[index].kind != IN_ARG_GLOBAL)
        return CL_INVALID_ARG_INDEX;
    struct rt_set_argument argument = {
        .set = true, .svm = (const void *)(uintptr_t)pointer, .device_pointer = pointer != 0};
    replace_argument(kernel->state, index, &argument);
    return CL_SUCCESS;
}

/* Reads a list of pointers; size 0 and NULL are the empty list [CL 5.9.2] (as of OpenCL 3.0.17). */
static cl_int take_pointers(size_t size, const void *value, void **pointers)
{
    if (!size != !value || size % sizeof(cl_ulong))
        return CL_INVALID_VALUE;
    *pointers = size ? mm_alloc(size) : NULL;
    if (size && !*pointers)
        return CL_OUT_OF_HOST_MEMORY;
    if (size)
        memcpy(*pointers, value, size);
    return CL_SUCCESS;
}

static cl_int set_svm_pointers(struct rt_kernel *kernel, size_t size, const void *value)
{
    void *pointers;
    if (rt_context_svm(kernel->context, false) == 0)
        return CL_INVALID_OPERATION;
    cl_int code = take_pointers(size, value, &pointers);
    if (code)
        return code;
    mm_mutex_lock(&kernel->state->lock);
    mm_free(kernel->state->svm_pointers);
    kernel->state->svm_pointers = pointers;
    kernel->state->svm_pointer_count = size / sizeof(void *);
    mm_mutex_unlock(&kernel->state->lock);
    return CL_SUCCESS;
}

static cl_int set_device_pointers(struct rt_kernel *kernel, size_t size, const void *value)
{
    void *pointers;
    cl_int code = take_pointers(size, value, &pointers);
    if (code)
        return code;
    mm_mutex_lock(&kernel->state->lock);
    mm_free(kernel->state->device_pointers);
    kernel->state->device_pointers = pointers;
    kernel->state->device_pointer_count = size / sizeof(cl_ulong);
    mm_mutex_unlock(&kernel->state->lock);
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clSetKernelExecInfo(cl_kernel handle, cl_kernel_exec_info name, size_t size,
                                          const void *value)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS)
        return set_svm_pointers(kernel, size, value);
    if (name == CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT && rt_version() >= RT_3_0)
        return set_device_pointers(kernel, size, value);
    if (name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)
        return CL_INVALID_VALUE;
    cl_bool wanted;
    if (!value || size != sizeof wanted)
        return CL_INVALID_VALUE;
    memcpy(&wanted, value, sizeof wanted);
    if (wanted && !(rt_context_svm(kernel->context, false) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM))
        return CL_INVALID_OPERATION;
    kernel->state->fine_grain_system = wanted;
    return CL_SUCCESS;
}
