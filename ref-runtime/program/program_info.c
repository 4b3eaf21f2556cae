/* clGetProgramInfo and clGetProgramBuildInfo [CL 5.8.9]. */
#include "ref-runtime/program/program.h"

#include <stddef.h>
#include <string.h>

/* ---- clGetProgramInfo ---------------------------------------------------------------------------- */

static struct rt_program *mutable_program(const void *object)
{
    return (struct rt_program *)(uintptr_t)object;
}

RT_ANSWER(get_device_count, uint, struct rt_program, program, program->state->device_count)

static cl_int get_devices(const void *object, const struct rt_info_out *out)
{
    const struct rt_program_state *state = ((const struct rt_program *)object)->state;
    return rt_info_put(out, state->devices, state->device_count * sizeof *state->devices);
}

static cl_int get_source(const void *object, const struct rt_info_out *out)
{
    const struct rt_program_state *state = ((const struct rt_program *)object)->state;
    return rt_info_string(out, state->source ? state->source : "");
}

static cl_int get_il(const void *object, const struct rt_info_out *out)
{
    const struct rt_program_state *state = ((const struct rt_program *)object)->state;
    return rt_info_put(out, state->il, state->il_size);
}

static cl_int get_binary_sizes(const void *object, const struct rt_info_out *out)
{
    struct rt_program *program = mutable_program(object);
    size_t sizes[RT_MAX_DEVICES];
    mm_mutex_lock(&program->state->lock);
    for (cl_uint i = 0; i < program->state->device_count; i++)
        sizes[i] = rt_binary_size(program, &program->state->builds[i]);
    mm_mutex_unlock(&program->state->lock);
    return rt_info_put(out, sizes, program->state->device_count * sizeof *sizes);
}

/* VALUE is an array of pointers to where the binaries go; null ones are passed over. */
static cl_int get_binaries(const void *object, const struct rt_info_out *out)
{
    struct rt_program *program = mutable_program(object);
    struct rt_program_state *state = program->state;
    size_t size = state->device_count * sizeof(unsigned char *);
    if (out->size_ret)
        *out->size_ret = size;
    if (!out->value)
        return CL_SUCCESS;
    if (out->size < size)
        return CL_INVALID_VALUE;
    cl_int code = CL_SUCCESS;
    mm_mutex_lock(&state->lock);
    for (cl_uint i = 0; !code && i < state->device_count; i++) {
        unsigned char *to = ((unsigned char **)out->value)[i];
        struct rt_binary binary;
        if (!to)
            continue;
        code = rt_binary_write(program, &state->builds[i], &binary);
        if (!code)
            memcpy(to, binary.data, binary.size);
        mm_free(binary.data);
    }
    mm_mutex_unlock(&state->lock);
    return code;
}

static cl_int get_kernel_count(const void *object, const struct rt_info_out *out)
{
    struct in_module *module = rt_program_held_module(mutable_program(object));
    if (!module)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int code = rt_info_size(out, rt_module_kernels(module));
    in_module_release(module);
    return code;
}

static cl_int get_kernel_names(const void *object, const struct rt_info_out *out)
{
    struct in_module *module = rt_program_held_module(mutable_program(object));
    if (!module)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    size_t count = in_module_kernel_count(module), size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(in_module_kernel(module, i)->name) + 1;
    char *names = mm_alloc(size);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    if (names) {
        char *end = names;
        *end = 0;
        for (size_t i = 0; i < count; i++) {
            const struct in_kernel_info *info = in_module_kernel(module, i);
            if (info->use != IN_FOR_HOST)
                continue;
            if (end != names)
                *end++ = ';';
            end = stpcpy(end, info->name);
        }
        code = rt_info_string(out, names);
    }
    mm_free(names);
    in_module_release(module);
    return code;
}

static cl_int put_present(const void *object, const struct rt_info_out *out, enum in_kernel_use use)
{
    struct in_module *module = rt_program_held_module(mutable_program(object));
    bool present = false;
    if (!module)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    for (size_t i = 0; i < in_module_kernel_count(module); i++)
        present |= in_module_kernel(module, i)->use == use;
    in_module_release(module);
    return rt_info_bool(out, present);
}

static cl_int get_constructors(const void *object, const struct rt_info_out *out)
{
    return put_present(object, out, IN_INITIALIZER);
}

static cl_int get_destructors(const void *object, const struct rt_info_out *out)
{
    return put_present(object, out, IN_FINALIZER);
}

static const struct rt_info_row program_rows[] = {
    RT_INFO_GET(CL_PROGRAM_REFERENCE_COUNT, rt_info_references),
    RT_INFO_FIELD(CL_PROGRAM_CONTEXT, struct rt_program, context),
    RT_INFO_GET(CL_PROGRAM_NUM_DEVICES, get_device_count),
    RT_INFO_GET(CL_PROGRAM_DEVICES, get_devices),
    RT_INFO_GET(CL_PROGRAM_SOURCE, get_source),
    RT_INFO_GET(CL_PROGRAM_IL, get_il),
    RT_INFO_GET(CL_PROGRAM_BINARY_SIZES, get_binary_sizes),
    RT_INFO_GET(CL_PROGRAM_BINARIES, get_binaries),
    RT_INFO_GET(CL_PROGRAM_NUM_KERNELS, get_kernel_count),
    RT_INFO_GET(CL_PROGRAM_KERNEL_NAMES, get_kernel_names),
    RT_INFO_GET(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, get_constructors),
    RT_INFO_GET(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, get_destructors),
};

cl_int CL_API_CALL rt_clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                                       size_t *size_ret)
{
    if (!rt_program(program))
        return CL_INVALID_PROGRAM;
    return RT_INFO_QUERY(program_rows, program, name, size, value, size_ret);
}

/* ---- clGetProgramBuildInfo ------------------------------------------------------------------------- */

RT_ANSWER(get_options, string, struct rt_build, build,
          build->options && build->status != CL_BUILD_NONE ? build->options : "")
RT_ANSWER(get_log, string, struct rt_build, build, build->log ? build->log : "")
RT_ANSWER(get_variable_size, size, struct rt_build, build,
          build->module ? (size_t)in_module_program_scope_bytes(build->module) : 0)

static const struct rt_info_row build_rows[] = {
    RT_INFO_FIELD(CL_PROGRAM_BUILD_STATUS, struct rt_build, status),
    RT_INFO_GET(CL_PROGRAM_BUILD_OPTIONS, get_options),
    RT_INFO_GET(CL_PROGRAM_BUILD_LOG, get_log),
    RT_INFO_FIELD(CL_PROGRAM_BINARY_TYPE, struct rt_build, type),
    RT_INFO_GET(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, get_variable_size),
};

cl_int CL_API_CALL rt_clGetProgramBuildInfo(cl_program handle, cl_device_id device_handle,
                                            cl_program_build_info name, size_t size, void *value,
                                            size_t *size_ret)
{
    struct rt_program *program = rt_program(handle);
    if (!program)
        return CL_INVALID_PROGRAM;
    struct rt_device *device = rt_device(device_handle);
    int index = device ? rt_program_device_index(program, device) : -1;
    if (index < 0)
        return CL_INVALID_DEVICE;
    mm_mutex_lock(&program->state->lock);
    cl_int code = RT_INFO_QUERY(build_rows, &program->state->builds[index], name, size, value, size_ret);
    mm_mutex_unlock(&program->state->lock);
    return code;
}
