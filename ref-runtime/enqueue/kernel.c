/* Kernels in queues: NDRange and task launches, native kernels [CL 5.10]. */
#include "ref-runtime/program/kernel.h"
#include "ref-runtime/check/fault.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/device.h"
#include "ref-runtime/enqueue/mutable.h"
#include "ref-runtime/memory/image.h"
#include "ref-runtime/record/capture.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/record/replay.h"
#include "ref-runtime/sched/environment.h"
#include "ref-runtime/setting.h"

#include <string.h>

/* ---- settings of launches ---- */

static struct {
    bool checks, uninitialized, weak;
    enum in_detail detail;
    enum in_schedule schedule;
    uint64_t seed, step_limit;
    uint32_t max_findings;
} settings;

static void read_settings(void)
{
    settings.uninitialized = rt_setting_has(RT_SET_CHECK, "uninitialized");
    settings.checks = settings.uninitialized || rt_setting_has(RT_SET_CHECK, "memory");
    settings.weak = rt_setting_has(RT_SET_MEMORY, "weak");
    settings.detail = rt_setting_number(RT_SET_TRACE_TERMS, 0, 0)   ? IN_TERMS
                      : rt_setting_number(RT_SET_TRACE_PARTS, 0, 0) ? IN_WRITE_PARTS
                                                                    : IN_NO_DETAIL;
    const char *schedule = rt_setting_text(RT_SET_SCHEDULE, settings.weak ? "random" : "sequential");
    settings.schedule = strcmp(schedule, "random") == 0 ? IN_RANDOM
                        : strcmp(schedule, "fair") == 0 ? IN_FAIR
                                                        : IN_SEQUENTIAL;
    settings.seed = rt_setting_number(RT_SET_SEED, 0, 0);
    settings.step_limit = rt_setting_number(RT_SET_STEP_LIMIT, 0, 0);
    settings.max_findings = (uint32_t)rt_setting_number(RT_SET_MAX_FINDINGS, 0, 0);
}

/* The initial value of every byte of local memory in checked or recorded launches: not 0, with which most
 * kernels that fail to initialize it work, and the same for all work-groups, so that they behave alike. */
static uint8_t local_pattern(void)
{
    bool looked_at = settings.checks || rt_launch_recorder();
    return looked_at ? (uint8_t)(1 + ((settings.seed + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % 255) : 0;
}

/* ---- execution ---- */

static bool is_empty(const struct rt_kernel_command *k)
{
    return k->global_size[0] == 0 || k->global_size[1] == 0 || k->global_size[2] == 0;
}

/* The name of a typedef does not say that the elements are floating-point numbers. */
static const char *recorded_type(const struct in_argument_info *info)
{
    static const char *const reals[] = {[2] = "half*", [4] = "float*", [8] = "double*"};
    const char *real = info->is_real && info->number_size <= 8 ? reals[info->number_size] : NULL;
    bool known = !real || strcmp(info->type_name, real) == 0 || mm_scalar_named(info->type_name).size;
    return known ? info->type_name : real;
}

static void record_argument(const struct rt_command *command, uint32_t index,
                            const struct rt_launch_argument *a, const struct in_argument *bound)
{
    struct mm_record record = {
        .type = MM_RECORD_ARGUMENT,
        .argument = {.command = command->record.id,
                     .index = index,
                     .allocation = bound->object ? bound->object->id : 0,
                     .offset =
                         bound->object ? bound->address - bound->object->address + bound->object->offset : 0,
                     .element_size = a->info->element_size,
                     .name = a->info->name,
                     .type_name = recorded_type(a->info),
                     .layout = a->info->layout}};
    mm_recorder_record(rt_recorder(), &record);
}

static bool read_only(const struct rt_launch_argument *a)
{
    return a->info->kind == IN_ARG_CONSTANT ||
           (a->info->kind == IN_ARG_IMAGE && a->info->access == IN_READ_ONLY) ||
           (a->mem && (a->mem->flags & RT_MEM_CONSTANT));
}

/* Binds a memory object: the address of its bytes, and the description of an image.  A pipe has one ring for
 * all devices. */
static bool bind_mem(const struct rt_command *command, const struct rt_launch_argument *a,
                     struct in_argument *bound, struct in_image *image)
{
    struct rt_mem *mem = a->mem;
    if (mem->pipe) {
        bound->pipe = mem->pipe;
        bool there = rt_storage(mem, 0) != NULL;
        mem->pipe->object = &mem->copies[0].object;
        bound->object = mem->pipe->object;
        return there;
    }
    if (!rt_enqueue_bytes(command, mem, 0, mem->size) ||
        !rt_mem_on_device(mem, command->queue->device, !read_only(a), &bound->address, &bound->object))
        return false;
    if (mem->image) {
        *image = mem->image->shape;
        image->data = (void *)(uintptr_t)bound->address;
        bound->image = image;
    }
    return true;
}

static bool has_images(const struct rt_launch *launch)
{
    for (size_t i = 0; i < launch->argument_count; i++)
        if (launch->arguments[i].mem && launch->arguments[i].mem->image)
            return true;
    return false;
}

/* Brings memory that the kernel may access by addresses up to date; writable memory is latest on the device
 * then. */
static bool bind_addressed(const struct rt_command *command, const struct rt_launch *launch)
{
    bool ok = true;
    for (size_t i = 0; ok && i < launch->addressed_count; i++) {
        struct rt_mem *mem = launch->addressed[i];
        uint64_t address;
        const struct in_object *object;
        ok =
            rt_enqueue_bytes(command, mem, 0, mem->size) &&
            rt_mem_on_device(mem, command->queue->device, !(mem->flags & RT_MEM_CONSTANT), &address, &object);
    }
    return ok;
}

/* Binds each argument to its place on the command's device. */
static bool bind_arguments(const struct rt_command *command, struct rt_kernel_command *k)
{
    const struct rt_launch *launch = k->launch;
    k->arguments = mm_alloc_zero(launch->argument_count + 1, sizeof *k->arguments);
    k->images = has_images(launch) ? mm_alloc_zero(launch->argument_count, sizeof *k->images) : NULL;
    if (!k->arguments || (has_images(launch) && !k->images) || !bind_addressed(command, launch))
        return false;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct rt_launch_argument *a = &launch->arguments[i];
        struct in_argument *bound = &k->arguments[i];
        bound->value = a->value;
        if (i == 0 && k->block) {
            bound->address = k->block_object.address;
            bound->object = &k->block_object;
        }
        bound->local_size = a->local_size;
        if (a->mem) {
            if (!bind_mem(command, a, bound, k->images ? &k->images[i] : NULL))
                return false;
        } else if (a->svm) {
            bound->address = (uint64_t)(uintptr_t)a->svm;
            bound->object = k->launch_is_shared ? rt_index_find(bound->address) : a->svm_object;
        }
        bound->sampler = a->sampler ? &a->sampler->shape : NULL;
        bound->queue = a->queue;
        if (rt_launch_recorder())
            record_argument(command, (uint32_t)i, a, bound);
    }
    return true;
}

static cl_int failure_code(enum mm_class class, const struct mm_error *error)
{
    bool is_reported = rt_launch_recorder() && strcmp(error->rule, "step-limit") == 0; /* as a finding */
    if (class != MM_UNDEFINED && error->message[0] && !is_reported) {
        char text[768];
        mm_error_format(error, text, sizeof text);
        fprintf(stderr, "refcl: %s\n", text);
    }
    return CL_OUT_OF_RESOURCES;
}

/* Captures a launch that will be recorded; memory is as it was before the launch. */
static void capture_recorded(const struct rt_command *command, const struct rt_kernel_command *k)
{
    if (rt_launch_recorder() && !in_run_is_compiled(k->run))
        rt_capture_recorded(command, k);
}

/* The launch whose kernel enqueued COMMAND, NULL if none did: the parent may be a command buffer.  A command
 * is complete after its children, and its launch ends then. */
static const struct in_run *parent_run(const struct rt_command *command)
{
    const struct rt_command *parent = command->family.parent;
    bool is_kernel = parent && parent->operation == &rt_kernel_operation;
    return is_kernel ? ((const struct rt_kernel_command *)(const void *)parent->payload)->run : NULL;
}

static cl_int start_kernel(struct rt_command *command)
{
    struct rt_kernel_command *k = (void *)command->payload;
    if (is_empty(k))
        return CL_SUCCESS;
    if (!bind_arguments(command, k))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    rt_capture(command, k);
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0))
        rt_fault_kernel_start(k);
    k->instrumented = k->instrumented && rt_may_instrument_still(command, k->launch);
    struct in_launch launch = {.instance = k->launch->instance,
                               .kernel = k->launch->kernel_index,
                               .arguments = k->arguments,
                               .dimensions = k->dimensions,
                               .sub_group_size = rt_kernel_sub_group_size(k->launch->info),
                               .schedule = settings.schedule,
                               .seed = settings.seed ? settings.seed + command->record.id : 0,
                               .local_pattern = local_pattern(),
                               .zero_local = command->queue->context->zero_local,
                               .step_limit = settings.step_limit,
                               .max_findings = settings.max_findings,
                               .checks = settings.checks,
                               .uninitialized = settings.uninitialized,
                               .weak = settings.weak,
                               .stop = &command->queue->context->terminated,
                               .wider_scopes = rt_version() >= CL_MAKE_VERSION(3, 1, 0),
                               .detail = settings.detail,
                               .instrumented = k->instrumented,
                               .follows_svm = k->instrumented && rt_launch_uses_svm(k->launch),
                               .exact = k->instrumented && rt_replay_on(),
                               .start = command->events.began,
                               .recorder = rt_launch_recorder(),
                               .groups = rt_record_progress(command->record.id),
                               .parent = parent_run(command),
                               .command = command->record.id,
                               .device = (uint32_t)command->queue->device->index};
    memcpy(launch.global_size, k->global_size, sizeof launch.global_size);
    memcpy(launch.global_offset, k->global_offset, sizeof launch.global_offset);
    memcpy(launch.local_size, k->local_size, sizeof launch.local_size);
    struct mm_error error;
    error.message[0] = 0;
    rt_environment_enter(command);
    enum mm_class class = in_run_create(&launch, &k->run, &error);
    rt_environment_enter(NULL);
    if (class == MM_OK) {
        rt_replay_begin(command, k);
        capture_recorded(command, k);
    }
    return class == MM_OK ? CL_SUCCESS : failure_code(class, &error);
}

static bool uses_external(const struct rt_launch *launch)
{
    bool uses = false;
    for (size_t i = 0; i < launch->argument_count; i++)
        uses |= launch->arguments[i].mem && rt_mem_root(launch->arguments[i].mem)->external;
    for (size_t i = 0; i < launch->addressed_count; i++)
        uses |= rt_mem_root(launch->addressed[i])->external != NULL;
    return uses;
}

static cl_int step_kernel(struct rt_command *command, uint64_t quantum, bool *done)
{
    struct rt_kernel_command *k = (void *)command->payload;
    if (rt_command_inherited(command) && uses_external(k->launch))
        return CL_OUT_OF_RESOURCES;
    if (!k->run) {
        *done = true;
        return CL_SUCCESS;
    }
    struct mm_error error;
    error.message[0] = 0;
    bool compiled = in_run_is_compiled(k->run);
    rt_environment_enter(command);
    rt_host_step_begin();
    enum mm_class class = in_run_step(k->run, quantum, done, &error);
    rt_host_step_end();
    if (compiled && !*done)
        capture_recorded(command, k);
    rt_environment_enter(NULL);
    if (*done && in_run_is_compiled(k->run))
        rt_instrumented_over(command);
    if (*done)
        rt_replay_end(command, k, class == MM_OK);
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0) && *done)
        rt_fault_kernel_end(k);
    return class == MM_OK ? CL_SUCCESS : failure_code(class, &error);
}

static void destroy_kernel(struct rt_command *command)
{
    struct rt_kernel_command *k = (void *)command->payload;
    if (k->run) {
        rt_replay_end(command, k, false);
        in_run_destroy(k->run);
    }
    mm_free(k->arguments);
    mm_free(k->images);
    if (k->block) {
        rt_record_free(k->block_object.id, k->block_object.size);
        mm_aligned_free(k->block);
    }
    if (k->launch && !k->launch_is_shared)
        rt_launch_destroy(k->launch);
}

const struct rt_operation rt_kernel_operation = {
    .start = start_kernel, .step = step_kernel, .destroy = destroy_kernel};

/* ---- sizes ---- */

/* The global range fits in the address bits, offset included.  It may be empty since version 2.1. */
static cl_int check_global(cl_uint dimensions, const size_t *offset, const size_t *global,
                           struct rt_kernel_command *k)
{
    for (cl_uint d = 0; d < 3; d++) {
        k->global_size[d] = d < dimensions ? (global ? global[d] : 0) : 1;
        k->global_offset[d] = d < dimensions && offset ? offset[d] : 0;
        if (k->global_size[d] == 0 && rt_version() < CL_MAKE_VERSION(2, 1, 0))
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (k->global_offset[d] > SIZE_MAX - k->global_size[d])
            return CL_INVALID_GLOBAL_OFFSET;
    }
    return CL_SUCCESS;
}

/* As many sub-groups as the kernel requires [SPIRV 3.6 SubgroupsPerWorkgroup]. */
static bool sub_groups_fit(const struct in_kernel_info *info, uint64_t items)
{
    uint32_t width = rt_kernel_sub_group_size(info);
    return !info->required_sub_groups || (items + width - 1) / width == info->required_sub_groups;
}

static cl_int check_local(cl_uint dimensions, const size_t *local, struct rt_kernel_command *k)
{
    const struct in_kernel_info *info = k->launch->info;
    const uint32_t *required = info->required_local_size;
    uint64_t total = 1;
    for (cl_uint d = 0; d < 3; d++) {
        size_t size = d >= dimensions ? 1 : local ? local[d] : required[0] ? required[d] : 0;
        if (local && size == 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        if (size > rt_max_work_group())
            return CL_INVALID_WORK_ITEM_SIZE;
        if (required[0] && size != (required[d] ? required[d] : 1))
            return CL_INVALID_WORK_GROUP_SIZE;
        k->local_size[d] = (uint32_t)size;
        total *= size ? size : 1;
    }
    if (total > rt_max_work_group() || ((local || required[0]) && !sub_groups_fit(info, total)))
        return CL_INVALID_WORK_GROUP_SIZE;
    if (!local && !required[0])
        rt_kernel_suggest_local_size(info, dimensions, k->global_size, k->local_size);
    for (cl_uint d = 0; d < 3; d++)
        if (k->launch->uniform_groups && k->global_size[d] % k->local_size[d])
            return CL_INVALID_WORK_GROUP_SIZE;
    return CL_SUCCESS;
}

/* Pointers to the host's own memory need fine-grained system SVM. */
static bool svm_usable(const struct rt_launch *launch, const void *pointer)
{
    cl_device_svm_capabilities svm = launch->device->limits.svm;
    return (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) || (svm && rt_svm_find(launch->kernel->context, pointer));
}

/* Whether the kernel has no more images of each access, and no more samplers, than devices offer.
 * [CL 5.10 R12-R14] */
static bool within_image_limits(const struct in_kernel_info *info)
{
    uint32_t images[] = {[IN_ACCESS_NONE] = 0, [IN_READ_ONLY] = 0, [IN_WRITE_ONLY] = 0, [IN_READ_WRITE] = 0};
    uint32_t samplers = 0;
    for (uint32_t i = 0; i < info->argument_count; i++) {
        images[info->arguments[i].access] += info->arguments[i].kind == IN_ARG_IMAGE;
        samplers += info->arguments[i].kind == IN_ARG_SAMPLER;
    }
    return images[IN_READ_ONLY] <= RT_IMAGE_READ_ARGS && images[IN_WRITE_ONLY] <= RT_IMAGE_WRITE_ARGS &&
           images[IN_READ_WRITE] <= RT_IMAGE_WRITE_ARGS && samplers <= RT_MAX_SAMPLERS;
}

cl_int rt_launch_check_arguments(const struct rt_launch *launch)
{
    bool system = launch->device->limits.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    cl_int error = launch->fine_grain_system && !system ? CL_INVALID_OPERATION : CL_SUCCESS;
    error = error || within_image_limits(launch->info) ? error : CL_OUT_OF_RESOURCES;
    for (size_t i = 0; !error && i < launch->argument_count; i++) {
        const void *pointer = launch->arguments[i].svm;
        const struct rt_mem *mem = launch->arguments[i].mem;
        if (pointer && !launch->arguments[i].device_pointer && !svm_usable(launch, pointer)) {
            error = CL_INVALID_OPERATION;
        } else if (mem) {
            error = mem->image ? rt_check_image_support(mem, launch->device)
                               : rt_check_alignment(mem, launch->device);
        }
    }
    return error;
}

cl_int rt_kernel_check_sizes(cl_uint dimensions, const size_t *offset, const size_t *global,
                             const size_t *local, struct rt_kernel_command *k)
{
    if (dimensions < 1 || dimensions > 3)
        return CL_INVALID_WORK_DIMENSION;
    cl_int error = check_global(dimensions, offset, global, k);
    error = error ? error : check_local(dimensions, local, k);
    return !error && rt_launch_local_bytes(k->launch) > k->launch->device->limits.local_memory
               ? CL_OUT_OF_RESOURCES
               : error;
}

void rt_kernel_describe(struct rt_command *command)
{
    const struct rt_kernel_command *k = (void *)command->payload;
    command->record.dimensions = k->dimensions;
    command->record.sub_group_size = rt_kernel_sub_group_size(k->launch->info);
    command->record.kernel = k->launch->info->name;
    memcpy(command->record.global_size, k->global_size, sizeof k->global_size);
    memcpy(command->record.global_offset, k->global_offset, sizeof k->global_offset);
    memcpy(command->record.local_size, k->local_size, sizeof k->local_size);
}

/* ---- calls ---- */

cl_int rt_kernel_command(const struct rt_kernel_call *call, struct rt_command **made)
{
    static struct mm_once once = MM_ONCE;
    mm_once(&once, read_settings);
    struct rt_command *command = rt_command_create(call->queue, call->type, call->name, &rt_kernel_operation,
                                                   sizeof(struct rt_kernel_command));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct rt_kernel_command *k = (void *)command->payload;
    k->dimensions = call->dimensions;
    cl_int error = rt_kernel_prepare_launch(call->kernel, call->queue->device, call->partial, &k->launch);
    error = error ? error : rt_launch_check_arguments(k->launch);
    error = error
                ? error
                : rt_kernel_check_sizes(call->dimensions, call->sizes[0], call->sizes[1], call->sizes[2], k);
    if (error) {
        rt_command_discard(command);
        return error;
    }
    k->instrumented = rt_may_instrument(command, k->launch);
    if (command->starts_lazily) /* accesses of the host before the start are unordered with the launch */
        rt_guard_again();
    rt_kernel_describe(command);
    *made = command;
    return CL_SUCCESS;
}

static cl_int launch_kernel(const struct rt_submission *s, cl_command_type type, cl_kernel handle,
                            cl_uint dimensions, const size_t *offset, const size_t *global,
                            const size_t *local)
{
    struct rt_kernel *kernel = rt_kernel(handle);
    struct rt_command *command;
    if (!kernel)
        return CL_INVALID_KERNEL;
    if (kernel->context != s->queue->context)
        return CL_INVALID_CONTEXT;
    const struct rt_kernel_call call = {s->queue,
                                        type,
                                        s->name,
                                        kernel,
                                        s->partial,
                                        dimensions,
                                        (const size_t *const[3]){offset, global, local}};
    cl_int error = rt_kernel_command(&call, &command);
    return error ? error : rt_submit(s, command);
}

cl_int CL_API_CALL rt_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                             const size_t *offset, const size_t *global, const size_t *local,
                                             cl_uint count, const cl_event *list, cl_event *event)
{
    struct rt_submission s = {.name = "clEnqueueNDRangeKernel", .count = count, .list = list, .event = event};
    cl_int error = rt_submission_begin(&s, queue);
    return error ? error
                 : launch_kernel(&s, CL_COMMAND_NDRANGE_KERNEL, kernel, dimensions, offset, global, local);
}

cl_int CL_API_CALL rt_clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                const cl_properties *properties, cl_kernel kernel,
                                                cl_uint dimensions, const size_t *offset,
                                                const size_t *global, const size_t *local, cl_uint count,
                                                const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                                cl_mutable_command_khr *mutable_handle)
{
    struct rt_submission s = {
        .name = "clCommandNDRangeKernelKHR", .count = count, .points = points, .point = point};
    cl_int error = rt_recording_begin(&s, buffer, queue, NULL, NULL);
    error = error ? error : rt_mutable_begin(&s, properties, local, kernel, mutable_handle != NULL);
    error = error ? error
                  : launch_kernel(&s, CL_COMMAND_NDRANGE_KERNEL, kernel, dimensions, offset, global, local);
    const size_t *const sizes[3] = {offset, global, local};
    return rt_mutable_end(&s, error, dimensions, sizes, mutable_handle);
}

cl_int CL_API_CALL rt_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                    const cl_event *list, cl_event *event)
{
    const size_t one = 1;
    struct rt_submission s = {.name = "clEnqueueTask", .count = count, .list = list, .event = event};
    cl_int error = rt_submission_begin(&s, queue);
    return error ? error : launch_kernel(&s, CL_COMMAND_TASK, kernel, 1, NULL, &one, &one);
}

/* ---- native kernels ---- */

struct native {
    void(CL_CALLBACK *function)(void *);
    void *args;
    size_t size;
    cl_uint count;
    struct native_mem {
        struct rt_mem *mem;
        size_t at; /* in the copied arguments, where the pointer goes */
    } mems[];
};

static cl_int run_native(struct rt_command *command)
{
    const struct native *n = (void *)command->payload;
    for (cl_uint i = 0; i < n->count; i++) {
        struct rt_mem *mem = n->mems[i].mem;
        void *data = mem ? rt_enqueue_bytes(command, mem, 0, mem->size) : NULL;
        if (mem && (!data || !rt_enqueue_written(command, mem, 0, mem->size)))
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        memcpy((char *)n->args + n->mems[i].at, &data, sizeof data);
    }
    rt_record_function(command);
    n->function(n->args);
    rt_record_returned(command);
    return CL_SUCCESS;
}

static void destroy_native(struct rt_command *command)
{
    const struct native *n = (void *)command->payload;
    for (cl_uint i = 0; i < n->count; i++)
        rt_object_release_deferred(n->mems[i].mem);
    mm_free(n->args);
}

static cl_int check_native(const struct rt_queue *queue, cl_uint mem_count, const cl_mem *mems, void *args,
                           size_t args_size, const void **locations)
{
    if ((!args && (args_size > 0 || mem_count > 0)) || (args && args_size == 0) ||
        (mem_count > 0 && (!mems || !locations)) || (mem_count == 0 && (mems || locations)))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < mem_count; i++) {
        const struct rt_mem *mem = rt_mem(mems[i]);
        if (mems[i] && (!mem || mem->mem_type != CL_MEM_OBJECT_BUFFER))
            return CL_INVALID_MEM_OBJECT;
        if (mem && mem->context != queue->context)
            return CL_INVALID_CONTEXT;
        size_t at = (size_t)((const char *)locations[i] - (const char *)args);
        if ((const char *)locations[i] < (const char *)args || args_size < sizeof(void *) ||
            at > args_size - sizeof(void *))
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clEnqueueNativeKernel(cl_command_queue handle, void(CL_CALLBACK *function)(void *),
                                            void *args, size_t args_size, cl_uint mem_count,
                                            const cl_mem *mems, const void **locations, cl_uint count,
                                            const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = run_native, .destroy = destroy_native};
    struct rt_queue *queue;
    cl_int error = rt_enqueue_begin(handle, count, list, &queue);
    if (error)
        return error;
    if (!queue->device->limits.native_kernels)
        return CL_INVALID_OPERATION;
    error = !function ? CL_INVALID_VALUE : check_native(queue, mem_count, mems, args, args_size, locations);
    if (error)
        return error;
    struct rt_command *command =
        rt_command_create(queue, CL_COMMAND_NATIVE_KERNEL, "clEnqueueNativeKernel", &operation,
                          sizeof(struct native) + mem_count * sizeof(struct native_mem));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct native *n = (void *)command->payload;
    n->function = function;
    n->args = args_size ? mm_alloc(args_size) : NULL;
    if (args_size && !n->args) {
        rt_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (args_size)
        memcpy(n->args, args, args_size);
    for (; n->count < mem_count; n->count++) {
        struct rt_mem *mem = rt_mem(mems[n->count]);
        if (mem)
            rt_object_retain(mem);
        n->mems[n->count] =
            (struct native_mem){mem, (size_t)((const char *)locations[n->count] - (const char *)args)};
    }
    return rt_command_enqueue(command, count, list, event, false);
}
