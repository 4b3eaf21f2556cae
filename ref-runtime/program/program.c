/* Program objects: creation, references, specialization constants [CL 5.8.1, 5.8.2, 5.8.3, 5.8.8]. */
#include "ref-runtime/program/program.h"
#include "interp/spirv.h"
#include "ref-runtime/callback.h"

#include "memmodel/base/array.h"

#include <stdio.h>
#include <string.h>

#define SPIRV_HEADER_BYTES 20

/* ---- life ---------------------------------------------------------------------------------------- */

struct rt_program *rt_program_new(struct rt_context *context, enum rt_program_origin origin, cl_uint count,
                                  struct rt_device *const *devices)
{
    struct rt_program *program = rt_object_create(RT_PROGRAM, sizeof *program);
    if (!program)
        return NULL;
    rt_object_retain(context);
    program->context = context;
    struct rt_program_state *state = program->state = mm_alloc_zero(1, sizeof *state);
    if (!state) {
        rt_api_release(program, RT_PROGRAM);
        return NULL;
    }
    mm_mutex_init(&state->lock);
    state->origin = origin;
    state->device_count = devices ? count : context->device_count;
    for (cl_uint i = 0; i < state->device_count; i++) {
        state->devices[i] = devices ? devices[i] : context->devices[i];
        state->builds[i].status = CL_BUILD_NONE;
    }
    return program;
}

void rt_build_clear(struct rt_build *build)
{
    if (build->instance)
        in_instance_destroy(build->instance);
    if (build->module)
        in_module_release(build->module);
    mm_free(build->spirv.data);
    mm_free(build->options);
    mm_free(build->log);
    *build = (struct rt_build){.status = CL_BUILD_NONE};
}

void rt_program_destroy(struct rt_program *program)
{
    struct rt_program_state *state = program->state;
    if (state) {
        for (cl_uint i = 0; i < state->device_count; i++)
            rt_build_clear(&state->builds[i]); /* executes finalizers */
        while (state->destructors) {
            struct rt_callback *callback = state->destructors;
            state->destructors = callback->next;
            callback->program_function((cl_program)program, callback->data);
            mm_free(callback);
        }
        for (size_t i = 0; i < state->text_count; i++) {
            mm_free(state->texts[i].file);
            mm_free(state->texts[i].text);
        }
        mm_free(state->texts);
        mm_free(state->source);
        mm_free(state->file);
        mm_free(state->il);
        mm_free(state->constants);
        mm_mutex_destroy(&state->lock);
        mm_free(state);
    }
    rt_object_release(program->context);
}

bool rt_program_add_text(struct rt_program *program, const char *file, const char *text)
{
    struct rt_program_state *state = program->state;
    for (size_t i = 0; i < state->text_count; i++)
        if (!strcmp(state->texts[i].file, file))
            return true;
    struct rt_program_text entry = {mm_strdup(file), mm_strdup(text)};
    struct rt_program_text *added =
        entry.file && entry.text ? mm_add(&state->texts, &state->text_count) : NULL;
    if (!added) {
        mm_free(entry.file);
        mm_free(entry.text);
        return false;
    }
    *added = entry;
    return true;
}

int rt_program_device_index(const struct rt_program *program, const struct rt_device *device)
{
    for (cl_uint i = 0; i < program->state->device_count; i++)
        if (program->state->devices[i] == device)
            return (int)i;
    return -1;
}

int rt_program_build_index(const struct rt_program *program, const struct rt_device *device,
                           bool (*has)(const struct rt_build *build))
{
    for (; device; device = device->parent) {
        int index = rt_program_device_index(program, device);
        if (index >= 0 && has(&program->state->builds[index]))
            return index;
    }
    return -1;
}

bool rt_build_is_executable(const struct rt_build *build)
{
    return build->module != NULL;
}

struct rt_build *rt_program_executable(struct rt_program *program)
{
    struct rt_program_state *state = program->state;
    for (cl_uint i = 0; i < state->device_count; i++)
        if (state->builds[i].status == CL_BUILD_SUCCESS && state->builds[i].module)
            return &state->builds[i];
    return NULL;
}

struct in_module *rt_program_held_module(struct rt_program *program)
{
    mm_mutex_lock(&program->state->lock);
    struct rt_build *build = rt_program_executable(program);
    struct in_module *module = build ? build->module : NULL;
    if (module)
        in_module_retain(module);
    mm_mutex_unlock(&program->state->lock);
    return module;
}

static cl_int instantiate_build(struct rt_build *build)
{
    const struct in_environment environment = rt_environment();
    struct mm_error err;
    if (in_instance_create(build->module, &environment, rt_recorder(), &build->instance, &err) == MM_OK)
        return CL_SUCCESS;
    return err.cls == MM_LIMIT ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
}

struct in_instance *rt_program_instance(struct rt_program *program, int device, cl_int *code)
{
    struct rt_program_state *state = program->state;
    *code = CL_SUCCESS;
    mm_mutex_lock(&state->lock);
    struct rt_build *build = &state->builds[device];
    if (!build->module)
        *code = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (!build->instance)
        *code = instantiate_build(build);
    struct in_instance *instance = *code ? NULL : build->instance;
    mm_mutex_unlock(&state->lock);
    return instance;
}

/* ---- creation ------------------------------------------------------------------------------------ */

/* All strings in one, embedded nulls left out; NULL with *CODE set on failure. */
static char *concatenate_strings(cl_uint count, const char **strings, const size_t *lengths, cl_int *code)
{
    size_t total = 0;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i]) {
            *code = CL_INVALID_VALUE;
            return NULL;
        }
        total += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    }
    char *text = mm_alloc(total + 1), *end = text;
    *code = text ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; text && i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        for (size_t k = 0; k < length; k++)
            if (strings[i][k])
                *end++ = strings[i][k];
    }
    if (text)
        *end = 0;
    return text;
}

cl_program CL_API_CALL rt_clCreateProgramWithSource(cl_context handle, cl_uint count, const char **strings,
                                                    const size_t *lengths, cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    if (!count || !strings)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    cl_int code;
    char *text = concatenate_strings(count, strings, lengths, &code);
    if (!text)
        return rt_null(errcode_ret, code);
    struct rt_program *program = rt_program_new(context, RT_FROM_SOURCE, 0, NULL);
    if (!program) {
        mm_free(text);
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    program->state->source = text;
    program->state->file = rt_program_find_file(text, program->base.number);
    if (!program->state->file || !rt_program_add_text(program, program->state->file, text)) {
        rt_api_release(program, RT_PROGRAM);
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_program)program;
}

static bool looks_like_spirv(const void *il, size_t length)
{
    return length >= SPIRV_HEADER_BYTES && length % 4 == 0 && in_spirv_is(il, length);
}

cl_program CL_API_CALL rt_clCreateProgramWithIL(cl_context handle, const void *il, size_t length,
                                                cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    if (!il || !looks_like_spirv(il, length))
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    struct rt_program *program = rt_program_new(context, RT_FROM_IL, 0, NULL);
    if (!program)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    char name[32] = "program";
    struct rt_program_state *state = program->state;
    snprintf(name, sizeof name, "program%u.spv", program->base.number);
    state->file = mm_strdup(name);
    state->il = mm_alloc(length);
    if (!state->il || !state->file) {
        rt_api_release(program, RT_PROGRAM);
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    memcpy(state->il, il, length);
    state->il_size = length;
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_program)program;
}

/* The devices that HANDLES name, each of them in CONTEXT. */
static cl_int context_devices(const struct rt_context *context, cl_uint count, const cl_device_id *handles,
                              struct rt_device *devices[RT_MAX_DEVICES])
{
    if (!count || !handles)
        return CL_INVALID_VALUE;
    if (count > RT_MAX_DEVICES)
        return CL_INVALID_DEVICE;
    for (cl_uint i = 0; i < count; i++) {
        devices[i] = rt_device(handles[i]);
        if (!devices[i] || !rt_context_has_device(context, devices[i]))
            return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

static cl_int load_binaries(struct rt_program *program, cl_uint count, const size_t *lengths,
                            const unsigned char **binaries, cl_int *status)
{
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        enum mm_class cls = rt_binary_read(binaries[i], lengths[i], program, &program->state->builds[i]);
        if (cls == MM_LIMIT)
            return CL_OUT_OF_HOST_MEMORY;
        if (status)
            status[i] = cls ? CL_INVALID_BINARY : CL_SUCCESS;
        if (cls)
            code = CL_INVALID_BINARY;
    }
    return code;
}

cl_program CL_API_CALL rt_clCreateProgramWithBinary(cl_context handle, cl_uint count,
                                                    const cl_device_id *device_list, const size_t *lengths,
                                                    const unsigned char **binaries, cl_int *binary_status,
                                                    cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    struct rt_device *devices[RT_MAX_DEVICES];
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    cl_int code = context_devices(context, count, device_list, devices);
    if (code)
        return rt_null(errcode_ret, code);
    if (!lengths || !binaries)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        if (!lengths[i] || !binaries[i]) {
            if (binary_status)
                binary_status[i] = CL_INVALID_VALUE;
            return rt_null(errcode_ret, CL_INVALID_VALUE);
        }
    struct rt_program *program = rt_program_new(context, RT_FROM_BINARY, count, devices);
    if (!program)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    code = load_binaries(program, count, lengths, binaries, binary_status);
    if (code) {
        rt_api_release(program, RT_PROGRAM);
        return rt_null(errcode_ret, code);
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_program)program;
}

/* No device has built-in kernels, so that no name is one [CL 5.8.1]. */
cl_program CL_API_CALL rt_clCreateProgramWithBuiltInKernels(cl_context handle, cl_uint count,
                                                            const cl_device_id *device_list,
                                                            const char *kernel_names, cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    struct rt_device *devices[RT_MAX_DEVICES];
    (void)kernel_names;
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    cl_int code = context_devices(context, count, device_list, devices);
    return rt_null(errcode_ret, code ? code : CL_INVALID_VALUE);
}

/* ---- references ---------------------------------------------------------------------------------- */

RT_REFERENCE_CALLS(Program, cl_program, RT_PROGRAM, CL_INVALID_PROGRAM)

/* Devices of OpenCL 2.2 have destructors of program-scope variables; newer ones do not claim them, and 3.0
 * deprecates the call. [CL 5.8.2 R4] [CL 5.8.2 E121] */
cl_int CL_API_CALL rt_clSetProgramReleaseCallback(cl_program handle,
                                                  void(CL_CALLBACK *notify)(cl_program, void *),
                                                  void *user_data)
{
    struct rt_program *program = rt_program(handle);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (!notify)
        return CL_INVALID_VALUE;
    if (rt_version() != CL_MAKE_VERSION(2, 2, 0))
        return CL_INVALID_OPERATION;
    return rt_callback_add(&program->state->destructors,
                           &(struct rt_callback){.program_function = notify, .data = user_data});
}

cl_int CL_API_CALL rt_clUnloadPlatformCompiler(cl_platform_id platform)
{
    return rt_platform(platform) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL rt_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

/* ---- specialization constants -------------------------------------------------------------------- */

/* The size of constant ID in the module; CL_INVALID_SPEC_ID if it has none, CL_OUT_OF_HOST_MEMORY. */
static cl_int constant_size(const struct rt_program_state *state, uint32_t id, uint32_t *size)
{
    struct in_module_options options = {.name = state->file};
    struct in_module *module;
    struct mm_error err = {0};
    *size = 0;
    enum mm_class cls = in_module_create(state->il, state->il_size, &options, &module, NULL, &err);
    if (cls)
        return cls == MM_LIMIT ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_SPEC_ID;
    for (size_t i = 0; i < in_module_spec_constant_count(module); i++) {
        const struct in_spec_constant *c = in_module_spec_constant(module, i);
        if (c->id == id)
            *size = c->size;
    }
    in_module_release(module);
    return *size ? CL_SUCCESS : CL_INVALID_SPEC_ID;
}

static cl_int set_constant(struct rt_program_state *state, struct in_spec_constant constant)
{
    for (size_t i = 0; i < state->constant_count; i++)
        if (state->constants[i].id == constant.id) {
            state->constants[i] = constant;
            return CL_SUCCESS;
        }
    struct in_spec_constant *added = mm_add(&state->constants, &state->constant_count);
    if (!added)
        return CL_OUT_OF_HOST_MEMORY;
    *added = constant;
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clSetProgramSpecializationConstant(cl_program handle, cl_uint spec_id, size_t spec_size,
                                                         const void *spec_value)
{
    struct rt_program *program = rt_program(handle);
    if (!program || program->state->origin != RT_FROM_IL)
        return CL_INVALID_PROGRAM;
    uint32_t size;
    cl_int code = constant_size(program->state, spec_id, &size);
    if (code)
        return code;
    if (!spec_value || spec_size != size || size > sizeof(uint64_t))
        return CL_INVALID_VALUE;
    struct in_spec_constant constant = {.id = spec_id, .size = size};
    memcpy(&constant.value, spec_value, size);
    mm_mutex_lock(&program->state->lock);
    code = set_constant(program->state, constant);
    mm_mutex_unlock(&program->state->lock);
    return code;
}
