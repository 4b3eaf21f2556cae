/* Kernel objects: creation, cloning, references [CL 5.9.1]. */
#include "ref-runtime/program/kernel.h"

#include <string.h>

/* ---- life ---------------------------------------------------------------------------------------- */

static struct rt_kernel *kernel_new(struct rt_program *program, struct in_module *module, size_t index)
{
    struct rt_kernel *kernel = rt_object_create(RT_KERNEL, sizeof *kernel);
    if (!kernel)
        return NULL;
    rt_object_retain(program);
    kernel->program = program;
    kernel->context = program->context;
    mm_mutex_lock(&program->state->lock);
    program->state->kernel_count++;
    mm_mutex_unlock(&program->state->lock);

    struct rt_kernel_state *state = kernel->state = mm_alloc_zero(1, sizeof *state);
    if (state) {
        mm_mutex_init(&state->lock);
        in_module_retain(module);
        state->module = module;
        state->index = index;
        state->info = in_module_kernel(module, index);
        state->arguments = mm_alloc_zero(state->info->argument_count + 1u, sizeof *state->arguments);
    }
    if (!state || !state->arguments) {
        rt_api_release(kernel, RT_KERNEL);
        return NULL;
    }
    return kernel;
}

void rt_kernel_destroy(struct rt_kernel *kernel)
{
    struct rt_kernel_state *state = kernel->state;
    if (state) {
        for (uint32_t i = 0; state->arguments && i < state->info->argument_count; i++)
            mm_free(state->arguments[i].value);
        mm_free(state->arguments);
        mm_free(state->svm_pointers);
        mm_free(state->device_pointers);
        in_module_release(state->module);
        mm_mutex_destroy(&state->lock);
        mm_free(state);
    }
    mm_mutex_lock(&kernel->program->state->lock);
    kernel->program->state->kernel_count--;
    mm_mutex_unlock(&kernel->program->state->lock);
    rt_object_release(kernel->program);
}

/* ---- creation ------------------------------------------------------------------------------------ */

static bool same_arguments(const struct in_kernel_info *a, const struct in_kernel_info *b)
{
    if (a->argument_count != b->argument_count)
        return false;
    for (uint32_t i = 0; i < a->argument_count; i++)
        if (a->arguments[i].kind != b->arguments[i].kind || a->arguments[i].size != b->arguments[i].size)
            return false;
    return true;
}

size_t rt_module_kernels(const struct in_module *module)
{
    size_t count = 0;
    for (size_t i = 0; i < in_module_kernel_count(module); i++)
        count += in_module_kernel(module, i)->use == IN_FOR_HOST;
    return count;
}

/* Whether kernel INDEX of MODULE is defined alike for every device with an executable [CL 5.9.1]. */
static bool same_everywhere(struct rt_program *program, struct in_module *module, size_t index)
{
    struct rt_program_state *state = program->state;
    const struct in_kernel_info *info = in_module_kernel(module, index);
    bool same = info->use == IN_FOR_HOST;
    mm_mutex_lock(&state->lock);
    for (cl_uint i = 0; same && i < state->device_count; i++) {
        struct in_module *other = state->builds[i].module;
        if (!other || other == module)
            continue;
        size_t there = in_module_find_kernel(other, info->name);
        same = there != SIZE_MAX && same_arguments(info, in_module_kernel(other, there));
    }
    mm_mutex_unlock(&state->lock);
    return same;
}

cl_kernel CL_API_CALL rt_clCreateKernel(cl_program handle, const char *name, cl_int *errcode_ret)
{
    struct rt_program *program = rt_program(handle);
    if (!program)
        return rt_null(errcode_ret, CL_INVALID_PROGRAM);
    if (rt_context_error(program->context))
        return rt_null(errcode_ret, rt_context_error(program->context));
    if (!name)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    struct in_module *module = rt_program_held_module(program);
    if (!module)
        return rt_null(errcode_ret, CL_INVALID_PROGRAM_EXECUTABLE);
    struct rt_kernel *kernel = NULL;
    cl_int code = CL_SUCCESS;
    size_t index = in_module_find_kernel(module, name);
    if (index == SIZE_MAX || in_module_kernel(module, index)->use != IN_FOR_HOST)
        code = CL_INVALID_KERNEL_NAME;
    else if (!same_everywhere(program, module, index))
        code = CL_INVALID_KERNEL_DEFINITION;
    else if (!(kernel = kernel_new(program, module, index)))
        code = CL_OUT_OF_HOST_MEMORY;
    in_module_release(module);
    rt_null(errcode_ret, code);
    return (cl_kernel)kernel;
}

/* Creates up to CAPACITY kernels (KERNELS null: only counts). */
static cl_int create_all(struct rt_program *program, struct in_module *module, cl_uint capacity,
                         cl_kernel *kernels, cl_uint *count)
{
    size_t total = in_module_kernel_count(module);
    *count = 0;
    for (size_t i = 0; i < total; i++)
        *count += same_everywhere(program, module, i);
    if (!kernels)
        return CL_SUCCESS;
    if (capacity < *count)
        return CL_INVALID_VALUE;
    cl_uint made = 0;
    for (size_t i = 0; i < total; i++) {
        if (!same_everywhere(program, module, i))
            continue;
        kernels[made] = (cl_kernel)kernel_new(program, module, i);
        if (!kernels[made]) {
            while (made)
                rt_api_release(kernels[--made], RT_KERNEL);
            return CL_OUT_OF_HOST_MEMORY;
        }
        made++;
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clCreateKernelsInProgram(cl_program handle, cl_uint capacity, cl_kernel *kernels,
                                               cl_uint *count_ret)
{
    struct rt_program *program = rt_program(handle);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (rt_context_error(program->context))
        return rt_context_error(program->context);
    struct in_module *module = rt_program_held_module(program);
    if (!module)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_uint count;
    cl_int code = create_all(program, module, capacity, kernels, &count);
    in_module_release(module);
    if (!code && count_ret)
        *count_ret = count;
    return code;
}

/* ---- cloning ------------------------------------------------------------------------------------- */

static bool copy_arguments(const struct rt_kernel_state *from, struct rt_kernel_state *to)
{
    for (uint32_t i = 0; i < from->info->argument_count; i++) {
        to->arguments[i] = from->arguments[i];
        if (!from->arguments[i].value)
            continue;
        to->arguments[i].value = mm_alloc(from->info->arguments[i].size);
        if (!to->arguments[i].value)
            return false;
        memcpy(to->arguments[i].value, from->arguments[i].value, from->info->arguments[i].size);
    }
    to->fine_grain_system = from->fine_grain_system;
    if (from->svm_pointer_count) {
        to->svm_pointers = mm_alloc(from->svm_pointer_count * sizeof *to->svm_pointers);
        if (!to->svm_pointers)
            return false;
        memcpy(to->svm_pointers, from->svm_pointers, from->svm_pointer_count * sizeof *to->svm_pointers);
        to->svm_pointer_count = from->svm_pointer_count;
    }
    if (from->device_pointer_count) {
        to->device_pointers = mm_alloc(from->device_pointer_count * sizeof *to->device_pointers);
        if (!to->device_pointers)
            return false;
        memcpy(to->device_pointers, from->device_pointers,
               from->device_pointer_count * sizeof *to->device_pointers);
        to->device_pointer_count = from->device_pointer_count;
    }
    return true;
}

cl_kernel CL_API_CALL rt_clCloneKernel(cl_kernel handle, cl_int *errcode_ret)
{
    struct rt_kernel *source = rt_kernel(handle);
    if (!source)
        return rt_null(errcode_ret, CL_INVALID_KERNEL);
    if (rt_context_error(source->context))
        return rt_null(errcode_ret, rt_context_error(source->context));
    struct rt_kernel_state *from = source->state;
    struct rt_kernel *kernel =
        kernel_new(source->program, from->module, in_module_find_kernel(from->module, from->info->name));
    if (!kernel)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    mm_mutex_lock(&from->lock);
    bool copied = copy_arguments(from, kernel->state);
    mm_mutex_unlock(&from->lock);
    if (!copied) {
        rt_api_release(kernel, RT_KERNEL);
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_kernel)kernel;
}

/* ---- references ---------------------------------------------------------------------------------- */

RT_REFERENCE_CALLS(Kernel, cl_kernel, RT_KERNEL, CL_INVALID_KERNEL)
