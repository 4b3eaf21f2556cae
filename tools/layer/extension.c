/* Functions of extensions: semaphores, memory of other interfaces, unified shared memory
 * [cl_khr_semaphore, cl_khr_external_memory, cl_khr_gl_sharing, cl_intel_unified_shared_memory]. */
#include "tools/layer/layer.h"

#define NEXT(name) ((__typeof__(&layer_##name))next_##name)

/* ---- semaphores ----------------------------------------------------------------------------------- */

struct semaphore {
    struct ly_object object;
    struct ly_point *point; /* of the signal that the next wait follows; NULL: none */
    bool external, awaited; /* AWAITED: POINT is that of a wait that was enqueued before its signal */
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

/* A wait that was enqueued earlier is resolved by the completion of COMMAND. */
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

static void signal_semaphores(struct ly_command *command, cl_uint count, const cl_semaphore_khr *list)
{
    for (cl_uint i = 0; i < count; i++)
        signal_semaphore(command, list[i]);
}

static void wait_for_semaphores(struct ly_command *command, cl_uint count, const cl_semaphore_khr *list)
{
    for (cl_uint i = 0; i < count; i++)
        check_origin(list[i]);
    for (cl_uint i = 0; i < count; i++)
        wait_for_semaphore(command, list[i]);
}

/* A command of an extension (LY_COMMAND). */
#define COMMAND(function, is_blocking, parameters, arguments, accesses)                                      \
    static ly_function *next_##function;                                                                     \
    LY_COMMAND(function, NEXT(function), is_blocking, parameters, arguments, accesses)                       \
    LY_EXTEND(function)

COMMAND(clEnqueueSignalSemaphoresKHR, false,
        (cl_uint semaphores, const cl_semaphore_khr *list_of_semaphores,
         const cl_semaphore_payload_khr *payloads, ),
        (semaphores, list_of_semaphores, payloads, ),
        signal_semaphores(command, semaphores, list_of_semaphores))
COMMAND(clEnqueueWaitSemaphoresKHR, false,
        (cl_uint semaphores, const cl_semaphore_khr *list_of_semaphores,
         const cl_semaphore_payload_khr *payloads, ),
        (semaphores, list_of_semaphores, payloads, ),
        wait_for_semaphores(command, semaphores, list_of_semaphores))

/* ---- memory of other interfaces ------------------------------------------------------------------- */

/* Commands that acquire or release memory of another interface order other commands; the accesses of the
 * other interface are not recorded. */
#define NOTE_SHARED ly_not_checked("what other interfaces do with shared memory")
#define SHARED(name)                                                                                         \
    LY_COMMAND(name, ly_next.name, false, (cl_uint mems, const cl_mem *list_of_mems, ),                      \
               (mems, list_of_mems, ), NOTE_SHARED)                                                          \
    LY_EXPORT(name)
#define SHARED_EXTENSION(name)                                                                               \
    COMMAND(name, false, (cl_uint mems, const cl_mem *list_of_mems, ), (mems, list_of_mems, ), NOTE_SHARED)

SHARED(clEnqueueAcquireGLObjects)
SHARED(clEnqueueReleaseGLObjects)
SHARED(clEnqueueAcquireEGLObjectsKHR)
SHARED(clEnqueueReleaseEGLObjectsKHR)
SHARED_EXTENSION(clEnqueueAcquireExternalMemObjectsKHR)
SHARED_EXTENSION(clEnqueueReleaseExternalMemObjectsKHR)

COMMAND(clEnqueueMigrateMemObjectEXT, false,
        (cl_uint mems, const cl_mem *list_of_mems, cl_mem_migration_flags_ext flags, ),
        (mems, list_of_mems, flags, ), ly_migrate(command, mems, list_of_mems, flags))

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

static void copy_memory(struct ly_command *command, void *to, const void *from, size_t size)
{
    ly_host_access(command, MM_READ, from, size);
    ly_host_access(command, MM_WRITE, to, size);
}

COMMAND(clEnqueueMemcpyINTEL, blocking, (cl_bool blocking, void *to, const void *from, size_t size, ),
        (blocking, to, from, size, ), copy_memory(command, to, from, size))
COMMAND(clEnqueueMemFillINTEL, false, (void *to, const void *pattern, size_t pattern_size, size_t size, ),
        (to, pattern, pattern_size, size, ), ly_host_access(command, MM_WRITE, to, size))
COMMAND(clEnqueueMigrateMemINTEL, false, (const void *pointer, size_t size, cl_mem_migration_flags flags, ),
        (pointer, size, flags, ), (void)0 /* migration is no access */)
COMMAND(clEnqueueMemAdviseINTEL, false, (const void *pointer, size_t size, cl_uint advice, ),
        (pointer, size, advice, ), (void)0)

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
