/* Snapshots of a kernel's arguments for a launch. */
#include "memmodel/base/array.h"
#include "ref-runtime/program/kernel.h"

#include <stddef.h>
#include <string.h>

/* OBJECT if it is still the live object that was set, with a reference; NULL otherwise. */
static void *retain_live(const struct rt_set_argument *set, enum rt_type type)
{
    struct rt_object *object = rt_object_check(set->object, type);
    if (!object || object->number != set->number)
        return NULL;
    rt_object_retain(object);
    return object;
}

static cl_int hold_object(const struct rt_set_argument *set, struct rt_launch_argument *to)
{
    if (!set->object)
        return CL_SUCCESS;
    switch (to->info->kind) {
    case IN_ARG_SAMPLER:
        to->sampler = retain_live(set, RT_SAMPLER);
        return to->sampler ? CL_SUCCESS : CL_INVALID_KERNEL_ARGS;
    case IN_ARG_QUEUE:
        to->queue = retain_live(set, RT_QUEUE);
        return to->queue ? CL_SUCCESS : CL_INVALID_KERNEL_ARGS;
    default:
        to->mem = retain_live(set, RT_MEM);
        return to->mem ? CL_SUCCESS : CL_INVALID_KERNEL_ARGS;
    }
}

/* Bytes of the launch's copy of an argument, in the allocation of the launch. */
static size_t value_bytes(const struct in_argument_info *info)
{
    const size_t alignment = _Alignof(max_align_t);
    return info->kind == IN_ARG_VALUE ? (info->size + alignment - 1) / alignment * alignment : 0;
}

/* VALUES: room for values, from which the argument's is taken. */
static cl_int copy_argument(const struct rt_set_argument *set, struct rt_launch_argument *to,
                            unsigned char **values)
{
    if (!set->set)
        return CL_INVALID_KERNEL_ARGS;
    to->local_size = set->local_size;
    to->svm = set->svm;
    to->device_pointer = set->device_pointer;
    to->svm_object = set->svm ? rt_index_find((uint64_t)(uintptr_t)set->svm) : NULL;
    if (set->value) {
        to->value = memcpy(*values, set->value, to->info->size);
        *values += value_bytes(to->info);
    }
    return hold_object(set, to);
}

/* The buffers behind device pointers; a pointer into none is legal while the kernel does not use it. */
static cl_int hold_addressed(const struct rt_kernel_state *state, struct rt_launch *launch)
{
    size_t most = launch->argument_count + state->device_pointer_count;
    for (size_t i = 0; i < most; i++) {
        bool argument = i < launch->argument_count;
        const struct rt_launch_argument *a = argument ? &launch->arguments[i] : NULL;
        if (a && !a->device_pointer)
            continue;
        uint64_t address =
            a ? (uint64_t)(uintptr_t)a->svm : state->device_pointers[i - launch->argument_count];
        struct rt_mem *mem = rt_address_find(launch->kernel->context, launch->device, address);
        struct rt_mem **added = mem ? mm_add(&launch->addressed, &launch->addressed_count) : NULL;
        if (mem && !added) {
            rt_object_release(mem);
            return CL_OUT_OF_HOST_MEMORY;
        }
        if (added)
            *added = mem;
    }
    return CL_SUCCESS;
}

static cl_int copy_arguments(struct rt_kernel_state *state, bool partial, struct rt_launch *launch,
                             unsigned char *values)
{
    cl_int code = CL_SUCCESS;
    mm_mutex_lock(&state->lock);
    launch->fine_grain_system = state->fine_grain_system;
    for (uint32_t i = 0; !code && i < state->info->argument_count; i++) {
        launch->arguments[i].info = &state->info->arguments[i];
        launch->argument_count = i + 1u;
        launch->incomplete |= !state->arguments[i].set;
        code = partial && !state->arguments[i].set
                   ? CL_SUCCESS
                   : copy_argument(&state->arguments[i], &launch->arguments[i], &values);
    }
    code = code ? code : hold_addressed(state, launch);
    mm_mutex_unlock(&state->lock);
    return code;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == 0 || at[length] == ' '))
            return true;
    return false;
}

/* Finds the kernel in what was built for DEVICE. */
static cl_int find_executable(struct rt_launch *launch, struct rt_device *device)
{
    struct rt_program *program = launch->kernel->program;
    int index = rt_program_build_index(program, device, rt_build_is_executable);
    if (index < 0)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int code;
    launch->instance = rt_program_instance(program, index, &code);
    if (code)
        return code;
    /* Builds do not change while the kernel is attached. */
    const struct rt_build *build = &program->state->builds[index];
    launch->uniform_groups = build->uniform_groups;
    const struct rt_kernel_state *state = launch->kernel->state;
    launch->kernel_index = build->module == state->module
                               ? state->index
                               : in_module_find_kernel(build->module, state->info->name);
    if (launch->kernel_index == SIZE_MAX)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    launch->module = build->module;
    launch->debug = build->options && has_word(build->options, "-g");
    launch->info = in_module_kernel(build->module, launch->kernel_index);
    return CL_SUCCESS;
}

cl_int rt_kernel_prepare_launch(struct rt_kernel *kernel, struct rt_device *device, bool partial,
                                struct rt_launch **launch)
{
    const struct in_kernel_info *info = kernel->state->info;
    size_t fixed = sizeof(struct rt_launch) + info->argument_count * sizeof(struct rt_launch_argument);
    const size_t alignment = _Alignof(max_align_t);
    size_t at = (fixed + alignment - 1) / alignment * alignment, bytes = at;
    for (uint32_t i = 0; i < info->argument_count; i++)
        bytes += value_bytes(&info->arguments[i]);
    struct rt_launch *made = *launch = mm_alloc_zero(1, bytes);
    if (!made)
        return CL_OUT_OF_HOST_MEMORY;
    rt_object_retain(kernel);
    made->kernel = kernel;
    made->device = device;
    cl_int code = find_executable(made, device);
    if (!code)
        code = copy_arguments(kernel->state, partial, made, (unsigned char *)made + at);
    if (code) {
        rt_launch_destroy(made);
        *launch = NULL;
    }
    return code;
}

void rt_launch_destroy(struct rt_launch *launch)
{
    for (size_t i = 0; i < launch->argument_count; i++) {
        struct rt_launch_argument *argument = &launch->arguments[i];
        if (argument->mem)
            rt_object_release_deferred(argument->mem);
        if (argument->sampler)
            rt_object_release_deferred(argument->sampler);
        if (argument->queue)
            rt_object_release_deferred(argument->queue);
    }
    for (size_t i = 0; i < launch->addressed_count; i++)
        rt_object_release_deferred(launch->addressed[i]);
    mm_free(launch->addressed);
    rt_object_release_deferred(launch->kernel);
    mm_free(launch);
}

/* Local arguments start at the largest alignment that an OpenCL type has. */
uint64_t rt_launch_local_bytes(const struct rt_launch *launch)
{
    uint64_t bytes = launch->info->local_bytes;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct rt_launch_argument *argument = &launch->arguments[i];
        if (argument->info->kind != IN_ARG_LOCAL)
            continue;
        uint64_t align = argument->info->align ? argument->info->align : 1;
        bytes = (bytes + align - 1) / align * align;
        if (argument->local_size > UINT64_MAX - bytes)
            return UINT64_MAX;
        bytes += argument->local_size;
    }
    return bytes;
}
