/* Functions of extensions: semaphores, memory of other interfaces, unified shared memory
 * [cl_khr_semaphore, cl_khr_external_memory, cl_khr_gl_sharing, cl_intel_unified_shared_memory]. */
#include "tools/layer/layer.h"

#include <string.h>

#define NEXT(name) ((__typeof__(&layer_##name))next_##name)

/* ---- semaphores ----------------------------------------------------------------------------------- */

struct semaphore {
    struct ly_object object;
    struct ly_point *point; /* of the signal that the next wait takes; NULL: none */
    bool external, awaited; /* AWAITED: by a wait that was enqueued before its signal */
};

void ly_semaphore_destroy(void *object)
{
    ly_point_unuse(((struct semaphore *)object)->point);
}

static ly_function *next_clCreateSemaphoreWithPropertiesKHR;

static cl_semaphore_khr CL_API_CALL layer_clCreateSemaphoreWithPropertiesKHR(
    cl_context context, const cl_semaphore_properties_khr *properties, cl_int *code)
{
    const cl_semaphore_properties_khr device_list = 0x2053; /* CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR */
    cl_semaphore_khr handle = NEXT(clCreateSemaphoreWithPropertiesKHR)(context, properties, code);
    pthread_mutex_lock(&ly_lock);
    struct semaphore *semaphore = handle ? ly_object_add(LY_SEMAPHORE, handle, sizeof *semaphore) : NULL;
    for (const cl_semaphore_properties_khr *p = properties; semaphore && p && *p; p += 2) {
        semaphore->external |= *p != CL_SEMAPHORE_TYPE_KHR;
        if (*p == device_list)
            break; /* a list of unknown length follows: later properties cannot be found */
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}
LY_EXTEND(clCreateSemaphoreWithPropertiesKHR)

LY_EXTENSION_REFERENCES(SemaphoreKHR, cl_semaphore_khr, LY_SEMAPHORE)

/* An earlier wait is resolved by this command's completion. */
static void signal_semaphore(struct ly_command *command, cl_semaphore_khr handle)
{
    struct semaphore *semaphore = ly_object_find(LY_SEMAPHORE, handle);
    if (semaphore && semaphore->awaited && !command->point->waiting_count) {
        ly_point_unuse(command->point);
        command->point = semaphore->point;
        semaphore->point = NULL;
        semaphore->awaited = false;
    } else if (semaphore) {
        ly_point_unuse(semaphore->point);
        semaphore->point = ly_point_use(command->point);
    }
}

static void wait_for_semaphore(struct ly_command *command, cl_semaphore_khr handle)
{
    struct semaphore *semaphore = ly_object_find(LY_SEMAPHORE, handle);
    if (!semaphore || semaphore->external || semaphore->awaited)
        return;
    semaphore->awaited = !semaphore->point;
    if (semaphore->awaited)
        semaphore->point = ly_point_create();
    ly_command_depend(command, semaphore->point, MM_EDGE_WAIT);
    if (!semaphore->awaited) {
        ly_point_unuse(semaphore->point);
        semaphore->point = NULL;
    }
}

static void check_origin(cl_semaphore_khr handle)
{
    const struct semaphore *semaphore = ly_object_find(LY_SEMAPHORE, handle);
    if (semaphore && !semaphore->external)
        return;
    ly_not_checked("what comes before signals of external semaphores");
    ly_order_all();
}

static void use_semaphores(const struct ly_call *call, cl_uint semaphores, const cl_semaphore_khr *list,
                           bool signals)
{
    pthread_mutex_lock(&ly_lock);
    for (cl_uint i = 0; !signals && i < semaphores; i++)
        check_origin(list[i]);
    struct ly_command *command =
        ly_command_create(call->queue, call->name, call->place, call->count, call->list);
    for (cl_uint i = 0; command && i < semaphores; i++)
        if (signals)
            signal_semaphore(command, list[i]);
        else
            wait_for_semaphore(command, list[i]);
    if (command)
        ly_command_submit(command, call->event, false, call->place);
    pthread_mutex_unlock(&ly_lock);
}

#define SEMAPHORES(name, signals)                                                                            \
    static ly_function *next_##name;                                                                         \
    static cl_int CL_API_CALL layer_##name(                                                                  \
        cl_command_queue queue, cl_uint semaphores, const cl_semaphore_khr *list_of_semaphores,              \
        const cl_semaphore_payload_khr *payloads, cl_uint count, const cl_event *list, cl_event *event)      \
    {                                                                                                        \
        cl_int code = NEXT(name)(queue, semaphores, list_of_semaphores, payloads, count, list, event);       \
        if (code == CL_SUCCESS)                                                                              \
            use_semaphores(LY_CALL, semaphores, list_of_semaphores, signals);                                \
        return code;                                                                                         \
    }                                                                                                        \
    LY_EXTEND(name)
#define LY_CALL                                                                                              \
    &(struct ly_call)                                                                                        \
    {                                                                                                        \
        .name = __func__ + sizeof "layer", .place = LY_PLACE, .queue = queue, .count = count, .list = list,  \
        .event = event                                                                                       \
    }

SEMAPHORES(clEnqueueSignalSemaphoresKHR, true)
SEMAPHORES(clEnqueueWaitSemaphoresKHR, false)

/* ---- memory of other interfaces ------------------------------------------------------------------- */

static cl_int enqueue_plain(cl_int code, const struct ly_call *call)
{
    struct ly_command *command =
        code == CL_SUCCESS ? ly_call_begin(call, &(struct mm_command){.kernel = ""}) : NULL;
    if (command)
        ly_call_end(command, call);
    return code;
}

/* Commands that acquire or release memory of another interface: they order other commands; the other interface's
 * accesses are not recorded. */
static cl_int share_memory(cl_int code, const struct ly_call *call)
{
    pthread_mutex_lock(&ly_lock);
    ly_not_checked("what other interfaces do with shared memory");
    pthread_mutex_unlock(&ly_lock);
    return enqueue_plain(code, call);
}

#define SHARED_PARAMETERS                                                                                    \
    (cl_command_queue queue, cl_uint mems, const cl_mem *list_of_mems, cl_uint count, const cl_event *list,  \
     cl_event *event)
#define SHARED(name)                                                                                         \
    static cl_int CL_API_CALL layer_##name SHARED_PARAMETERS                                                 \
    {                                                                                                        \
        return share_memory(ly_next.name(queue, mems, list_of_mems, count, list, event), LY_CALL);           \
    }                                                                                                        \
    LY_EXPORT(name)
#define SHARED_EXTENSION(name)                                                                               \
    static ly_function *next_##name;                                                                         \
    static cl_int CL_API_CALL layer_##name SHARED_PARAMETERS                                                 \
    {                                                                                                        \
        return share_memory(NEXT(name)(queue, mems, list_of_mems, count, list, event), LY_CALL);             \
    }                                                                                                        \
    LY_EXTEND(name)

SHARED(clEnqueueAcquireGLObjects)
SHARED(clEnqueueReleaseGLObjects)
SHARED(clEnqueueAcquireEGLObjectsKHR)
SHARED(clEnqueueReleaseEGLObjectsKHR)
SHARED_EXTENSION(clEnqueueAcquireExternalMemObjectsKHR)
SHARED_EXTENSION(clEnqueueReleaseExternalMemObjectsKHR)

/* Migration moves memory and uses none of it. */
static ly_function *next_clEnqueueMigrateMemObjectEXT;
static cl_int CL_API_CALL layer_clEnqueueMigrateMemObjectEXT(cl_command_queue queue, cl_uint mems,
                                                             const cl_mem *list_of_mems,
                                                             cl_mem_migration_flags_ext flags, cl_uint count,
                                                             const cl_event *list, cl_event *event)
{
    return enqueue_plain(
        NEXT(clEnqueueMigrateMemObjectEXT)(queue, mems, list_of_mems, flags, count, list, event), LY_CALL);
}
LY_EXTEND(clEnqueueMigrateMemObjectEXT)

/* ---- unified shared memory ------------------------------------------------------------------------ */

static void *add_memory(void *memory, size_t size, const void *place)
{
    if (memory)
        ly_svm_add(memory, CL_MEM_SVM_FINE_GRAIN_BUFFER, size, place);
    return memory;
}

static ly_function *next_clHostMemAllocINTEL;
static void *CL_API_CALL layer_clHostMemAllocINTEL(cl_context context, const void *properties, size_t size,
                                                   cl_uint alignment, cl_int *code)
{
    return add_memory(NEXT(clHostMemAllocINTEL)(context, properties, size, alignment, code), size, LY_PLACE);
}
LY_EXTEND(clHostMemAllocINTEL)

#define ALLOCATION(name)                                                                                     \
    static ly_function *next_##name;                                                                         \
    static void *CL_API_CALL layer_##name(cl_context context, cl_device_id device, const void *properties,   \
                                          size_t size, cl_uint alignment, cl_int *code)                      \
    {                                                                                                        \
        return add_memory(NEXT(name)(context, device, properties, size, alignment, code), size, LY_PLACE);   \
    }                                                                                                        \
    LY_EXTEND(name)
ALLOCATION(clDeviceMemAllocINTEL)
ALLOCATION(clSharedMemAllocINTEL)

#define DEALLOCATION(name, waits)                                                                            \
    static ly_function *next_##name;                                                                         \
    static cl_int CL_API_CALL layer_##name(cl_context context, void *memory)                                 \
    {                                                                                                        \
        if (memory)                                                                                          \
            ly_svm_remove(memory, #name, waits, LY_PLACE);                                                   \
        return NEXT(name)(context, memory);                                                                  \
    }                                                                                                        \
    LY_EXTEND(name)
DEALLOCATION(clMemFreeINTEL, false)
DEALLOCATION(clMemBlockingFreeINTEL, true)

static ly_function *next_clSetKernelArgMemPointerINTEL;
static cl_int CL_API_CALL layer_clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint index,
                                                              const void *pointer)
{
    cl_int code = NEXT(clSetKernelArgMemPointerINTEL)(kernel, index, pointer);
    if (code == CL_SUCCESS)
        ly_kernel_set_svm(kernel, index, pointer);
    return code;
}
LY_EXTEND(clSetKernelArgMemPointerINTEL)

/* FROM may be NULL. */
static cl_int write_memory(cl_int code, const struct ly_call *call, const void *to, const void *from,
                           size_t size)
{
    struct ly_command *command =
        code == CL_SUCCESS ? ly_call_begin(call, &(struct mm_command){.kernel = ""}) : NULL;
    if (!command)
        return code;
    if (from)
        ly_host_access(command, MM_READ, from, size);
    ly_host_access(command, MM_WRITE, to, size);
    ly_call_end(command, call);
    return code;
}

static ly_function *next_clEnqueueMemcpyINTEL;
static cl_int CL_API_CALL layer_clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void *to,
                                                     const void *from, size_t size, cl_uint count,
                                                     const cl_event *list, cl_event *event)
{
    cl_int code = NEXT(clEnqueueMemcpyINTEL)(queue, blocking, to, from, size, count, list, event);
    struct ly_call call = *LY_CALL;
    call.blocking = blocking;
    return write_memory(code, &call, to, from, size);
}
LY_EXTEND(clEnqueueMemcpyINTEL)

static ly_function *next_clEnqueueMemFillINTEL;
static cl_int CL_API_CALL layer_clEnqueueMemFillINTEL(cl_command_queue queue, void *to, const void *pattern,
                                                      size_t pattern_size, size_t size, cl_uint count,
                                                      const cl_event *list, cl_event *event)
{
    return write_memory(
        NEXT(clEnqueueMemFillINTEL)(queue, to, pattern, pattern_size, size, count, list, event), LY_CALL, to,
        NULL, size);
}
LY_EXTEND(clEnqueueMemFillINTEL)

#define ADVICE(name, type)                                                                                   \
    static ly_function *next_##name;                                                                         \
    static cl_int CL_API_CALL layer_##name(cl_command_queue queue, const void *pointer, size_t size,         \
                                           type advice, cl_uint count, const cl_event *list,                 \
                                           cl_event *event)                                                  \
    {                                                                                                        \
        return enqueue_plain(NEXT(name)(queue, pointer, size, advice, count, list, event), LY_CALL);         \
    }                                                                                                        \
    LY_EXTEND(name)
ADVICE(clEnqueueMigrateMemINTEL, cl_mem_migration_flags)
ADVICE(clEnqueueMemAdviseINTEL, cl_uint)

/* ---- functions that became part of the interface --------------------------------------------------- */

static ly_function *next_clCreateProgramWithILKHR;
static cl_program CL_API_CALL layer_clCreateProgramWithILKHR(cl_context context, const void *il, size_t size,
                                                             cl_int *code)
{
    return ly_program_add_il(NEXT(clCreateProgramWithILKHR)(context, il, size, code), il, size);
}
LY_EXTEND(clCreateProgramWithILKHR)

static ly_function *next_clCreateCommandQueueWithPropertiesKHR;
static cl_command_queue CL_API_CALL layer_clCreateCommandQueueWithPropertiesKHR(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *code)
{
    cl_command_queue queue = NEXT(clCreateCommandQueueWithPropertiesKHR)(context, device, properties, code);
    ly_queue_add(queue, context, device, properties);
    return queue;
}
LY_EXTEND(clCreateCommandQueueWithPropertiesKHR)
