/* Building and compiling programs [CL 5.8.4, 5.8.5].  Builds run in the calling thread; with a
 * notification function, that is called from the callback thread afterwards. */
#include "ref-runtime/program/program_build.h"
#include "interp/spirv.h"
#include "ref-runtime/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- shared steps -------------------------------------------------------------------------------- */

/* Which devices of PROGRAM a call means: bit per index. */
static cl_int select_devices(const struct rt_program *program, cl_uint count, const cl_device_id *list,
                             uint32_t *mask)
{
    const struct rt_program_state *state = program->state;
    if (!list != !count)
        return CL_INVALID_VALUE;
    *mask = list ? 0 : (uint32_t)((1u << state->device_count) - 1);
    for (cl_uint i = 0; list && i < count; i++) {
        struct rt_device *device = rt_device(list[i]);
        int index = device ? rt_program_device_index(program, device) : -1;
        if (index < 0)
            return CL_INVALID_DEVICE;
        *mask |= 1u << index;
    }
    return CL_SUCCESS;
}

cl_int rt_build_begin(struct rt_program *program, uint32_t mask)
{
    struct rt_program_state *state = program->state;
    mm_mutex_lock(&state->lock);
    cl_int code = state->building || state->kernel_count ? CL_INVALID_OPERATION : CL_SUCCESS;
    for (cl_uint i = 0; !code && i < state->device_count; i++)
        if (mask >> i & 1)
            state->builds[i].status = CL_BUILD_IN_PROGRESS;
    if (!code)
        state->building = true;
    mm_mutex_unlock(&state->lock);
    return code;
}

/* A copy of FROM that shares its module. */
static bool copy_build(const struct rt_build *from, const char *options, struct rt_build *to)
{
    *to = *from;
    to->instance = NULL;
    to->options = mm_strdup(options ? options : "");
    to->log = mm_strdup(from->log ? from->log : "");
    bool copied = !from->spirv.data || rt_binary_copy(from->spirv.data, from->spirv.size, &to->spirv);
    if (to->module)
        in_module_retain(to->module);
    return to->options && to->log && copied;
}

void rt_build_end(struct rt_program *program, uint32_t mask, struct rt_outcome *outcome, const char *options)
{
    struct rt_program_state *state = program->state;
    bool good = outcome->code == CL_SUCCESS;
    outcome->build.status = good ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (!good && state->origin != RT_FROM_BINARY)
        outcome->build.type = CL_PROGRAM_BINARY_TYPE_NONE;
    for (size_t i = 0; good && i < state->text_count; i++)
        rt_record_text(state->texts[i].file, state->texts[i].text);
    mm_mutex_lock(&state->lock);
    for (cl_uint i = 0; i < state->device_count; i++) {
        struct rt_build made;
        if (!(mask >> i & 1))
            continue;
        if (!copy_build(&outcome->build, options, &made)) {
            rt_build_clear(&made);
            made.status = CL_BUILD_ERROR;
            outcome->code = CL_OUT_OF_HOST_MEMORY;
        }
        rt_build_clear(&state->builds[i]);
        state->builds[i] = made;
    }
    state->building = false;
    mm_mutex_unlock(&state->lock);
    rt_build_clear(&outcome->build);
}

struct notification {
    struct rt_program *program;
    rt_build_notify notify;
    void *user_data;
};

static void deliver_notification(void *data)
{
    struct notification *n = data;
    n->notify((cl_program)n->program, n->user_data);
    rt_object_release(n->program);
    mm_free(n);
}

void rt_build_report(struct rt_program *program, rt_build_notify notify, void *user_data)
{
    if (!notify)
        return;
    struct notification *n = mm_alloc(sizeof *n);
    if (!n) {
        notify((cl_program)program, user_data);
        return;
    }
    *n = (struct notification){program, notify, user_data};
    rt_object_retain(program);
    if (!rt_callback_post(deliver_notification, n))
        deliver_notification(n);
}

static bool append_to_log(char **log, const char *text)
{
    size_t old = *log ? strlen(*log) : 0, size = strlen(text);
    char *grown = mm_realloc(*log, old + size + 2);
    if (!grown)
        return false;
    memcpy(grown + old, text, size);
    if (size && text[size - 1] != '\n')
        grown[old + size++] = '\n';
    grown[old + size] = 0;
    *log = grown;
    return true;
}

cl_int rt_build_error_code(enum mm_class cls, const struct mm_error *err, cl_int failure, cl_int unavailable)
{
    if (cls != MM_LIMIT)
        return cls == MM_OK ? CL_SUCCESS : failure;
    return !strcmp(err->rule, "compiler") ? unavailable : CL_OUT_OF_HOST_MEMORY;
}

/* Programs in OpenCL C 1.x and those that promise it have work-groups of one size [CL 5.8.6]. */
static bool needs_uniform_groups(const struct rt_program *program, const struct rt_options *options)
{
    return options->uniform_groups ||
           (program->state->origin == RT_FROM_SOURCE && !strncmp(options->standard, "CL1.", 4));
}

void rt_build_module_options(const struct rt_program *program, struct in_module_options *options)
{
    const struct rt_program_state *state = program->state;
    *options = (struct in_module_options){
        .strict = rt_setting_number(RT_SET_STRICT_SPIRV, 0, 0) != 0,
        .any_environment = rt_setting_number(RT_SET_ANY_SPIRV, 0, 0) != 0,
        .subscripts = state->origin == RT_FROM_SOURCE,
        .literal_legacy_atomics =
            state->origin == RT_FROM_SOURCE || rt_setting_has(RT_SET_LEGACY_ATOMICS, "literal"),
        .zero_private = program->context->zero_private,
        .name = state->file ? state->file : "program",
    };
}

void rt_build_make_module(struct rt_program *program, struct rt_outcome *outcome, cl_int failure)
{
    struct rt_program_state *state = program->state;
    struct rt_build *build = &outcome->build;
    struct in_module_options options;
    struct mm_error err = {0};
    rt_build_module_options(program, &options);
    char *warnings = NULL;
    enum mm_class cls =
        in_module_create(build->spirv.data, build->spirv.size, &options, &build->module, &warnings, &err);
    if (warnings && state->origin == RT_FROM_IL)
        append_to_log(&build->log, warnings);
    mm_free(warnings);
    const char *undefined = cls == MM_OK ? in_module_undefined(build->module) : NULL;
    char message[sizeof err + 64];
    if (undefined) {
        snprintf(message, sizeof message, "error: undefined reference to '%s'", undefined);
        append_to_log(&build->log, message);
        in_module_release(build->module);
        build->module = NULL;
        outcome->code = failure;
    }
    if (cls == MM_OK)
        return;
    build->module = NULL;
    mm_error_format(&err, message, sizeof message);
    append_to_log(&build->log, "error: the SPIR-V module is not accepted:");
    append_to_log(&build->log, message);
    outcome->code = rt_build_error_code(cls, &err, failure, failure);
}

/* Whether all devices in MASK have images. */
static bool have_images(const struct rt_program *program, uint32_t mask)
{
    bool all = true;
    for (cl_uint i = 0; i < program->state->device_count; i++)
        all = all && (!(mask >> i & 1) || program->context->devices[i]->limits.images);
    return all;
}

/* Compiles the program's source into outcome->build.spirv.  CODE in the outcome is FAILURE if it does not
 * compile. */
static void compile_source(struct rt_program *program, uint32_t mask, struct rt_compile_request *request,
                           cl_int failure, struct rt_outcome *outcome)
{
    const struct rt_program_state *state = program->state;
    struct mm_error err = {0};
    request->source = state->source;
    request->source_size = strlen(state->source);
    request->file = state->file;
    bool images = have_images(program, mask);
    request->extensions = rt_extension_names(images);
    request->features = rt_feature_names(images);
    request->version = CL_VERSION_MAJOR(rt_version()) * 100 + CL_VERSION_MINOR(rt_version()) * 10;
    enum mm_class cls = rt_compile(request, &outcome->build.spirv, &outcome->build.log, &err);
    outcome->code = rt_build_error_code(cls, &err, failure, CL_COMPILER_NOT_AVAILABLE);
}

/* ---- clBuildProgram ------------------------------------------------------------------------------ */

/* A copy of the binary that was loaded for device INDEX. */
static void load_binary(struct rt_program *program, cl_uint index, struct rt_outcome *outcome)
{
    const struct rt_build *loaded = &program->state->builds[index];
    outcome->build.uniform_groups = loaded->uniform_groups;
    if (!rt_binary_copy(loaded->spirv.data, loaded->spirv.size, &outcome->build.spirv))
        outcome->code = CL_OUT_OF_HOST_MEMORY;
}

/* With the constants as they are now: other threads may keep setting them. */
static void load_il(struct rt_program *program, struct rt_outcome *outcome)
{
    struct rt_program_state *state = program->state;
    if (!rt_binary_copy(state->il, state->il_size, &outcome->build.spirv)) {
        outcome->code = CL_OUT_OF_HOST_MEMORY;
        return;
    }
    mm_mutex_lock(&state->lock);
    struct mm_error err = {0}; /* the validator rejects malformed modules */
    if (state->constant_count > 0 &&
        in_spirv_specialize(outcome->build.spirv.data, state->il_size, state->constants,
                            state->constant_count, &err) == MM_LIMIT)
        outcome->code = CL_OUT_OF_HOST_MEMORY;
    mm_mutex_unlock(&state->lock);
}

/* Whether every device in MASK has an executable binary loaded. */
static bool binaries_loaded(const struct rt_program *program, uint32_t mask)
{
    const struct rt_program_state *state = program->state;
    for (cl_uint i = 0; i < state->device_count; i++)
        if ((mask >> i & 1) && state->builds[i].type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            return false;
    return true;
}

/* Programs from binaries are built device by device: each has its own. */
static cl_int build_binaries(struct rt_program *program, uint32_t mask, const char *options)
{
    struct rt_program_state *state = program->state;
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < state->device_count; i++) {
        if (!(mask >> i & 1))
            continue;
        struct rt_outcome outcome = {.build.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
        load_binary(program, i, &outcome);
        if (!outcome.code)
            rt_build_make_module(program, &outcome, CL_BUILD_PROGRAM_FAILURE);
        char *kept = mm_strdup(options ? options : state->builds[i].options ? state->builds[i].options : "");
        rt_build_end(program, 1u << i, &outcome, kept);
        mm_free(kept);
        if (outcome.code)
            code = outcome.code;
    }
    return code;
}

static cl_int build_program(struct rt_program *program, uint32_t mask, const char *options,
                            const struct rt_options *parsed)
{
    if (program->state->origin == RT_FROM_BINARY)
        return build_binaries(program, mask, options);
    struct rt_outcome outcome = {.build.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
    outcome.build.uniform_groups = needs_uniform_groups(program, parsed);
    if (program->state->origin == RT_FROM_SOURCE) {
        struct rt_compile_request request = {.options = options};
        outcome.build.from_source = true;
        outcome.build.argument_info = parsed->argument_info;
        compile_source(program, mask, &request, CL_BUILD_PROGRAM_FAILURE, &outcome);
    } else {
        load_il(program, &outcome);
    }
    if (!outcome.code)
        rt_build_make_module(program, &outcome, CL_BUILD_PROGRAM_FAILURE);
    rt_build_end(program, mask, &outcome, options);
    return outcome.code;
}

cl_int CL_API_CALL rt_clBuildProgram(cl_program handle, cl_uint num_devices, const cl_device_id *device_list,
                                     const char *options, rt_build_notify notify, void *user_data)
{
    struct rt_program *program = rt_program(handle);
    uint32_t mask;
    if (!program)
        return CL_INVALID_PROGRAM;
    if (!notify && user_data)
        return CL_INVALID_VALUE;
    cl_int code = select_devices(program, num_devices, device_list, &mask);
    if (code)
        return code;
    if (program->state->origin == RT_FROM_LINK)
        return CL_INVALID_OPERATION;
    struct rt_options parsed;
    struct mm_error err;
    enum mm_class cls = rt_options_parse(options, RT_OPTIONS_BUILD, &parsed, &err);
    if (cls) {
        rt_options_free(&parsed);
        return cls == MM_LIMIT ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_BUILD_OPTIONS;
    }
    if (program->state->origin == RT_FROM_BINARY && !binaries_loaded(program, mask))
        code = CL_INVALID_BINARY;
    if (!code)
        code = rt_build_begin(program, mask);
    if (!code) {
        rt_object_retain(program);
        code = build_program(program, mask, options, &parsed);
        rt_build_report(program, notify, user_data);
        rt_object_release(program);
    }
    rt_options_free(&parsed);
    return code;
}

/* ---- clCompileProgram ---------------------------------------------------------------------------- */

/* The header programs as the compiler takes them; of equal names the first one counts.  *HEADERS is freed
 * with mm_free. */
static cl_int collect_headers(struct rt_program *program, cl_uint count, const cl_program *programs,
                              const char **names, struct rt_compile_request *request)
{
    if (!count)
        return CL_SUCCESS;
    struct rt_compile_header *headers = mm_alloc_zero(count, sizeof *headers);
    if (!headers)
        return CL_OUT_OF_HOST_MEMORY;
    request->headers = headers;
    for (cl_uint i = 0; i < count; i++) {
        struct rt_program *header = rt_program(programs[i]);
        if (!header)
            return CL_INVALID_PROGRAM;
        if (header->context != program->context && rt_foreign(CL_SUCCESS))
            return rt_foreign(CL_SUCCESS);
        if (!names[i])
            return CL_INVALID_VALUE;
        if (header->state->origin != RT_FROM_SOURCE)
            return CL_INVALID_OPERATION;
        bool repeated = false;
        for (size_t k = 0; k < request->header_count; k++)
            repeated |= !strcmp(headers[k].name, names[i]);
        if (repeated)
            continue;
        headers[request->header_count++] =
            (struct rt_compile_header){names[i], header->state->source, strlen(header->state->source)};
        if (!rt_program_add_text(program, names[i], header->state->source))
            return CL_OUT_OF_HOST_MEMORY;
    }
    return CL_SUCCESS;
}

static cl_int compile_program(struct rt_program *program, uint32_t mask, struct rt_compile_request *request,
                              const struct rt_options *parsed)
{
    struct rt_outcome outcome = {.build.type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT};
    outcome.build.uniform_groups = needs_uniform_groups(program, parsed);
    outcome.build.from_source = program->state->origin == RT_FROM_SOURCE;
    outcome.build.argument_info = outcome.build.from_source && parsed->argument_info;
    if (program->state->origin == RT_FROM_SOURCE)
        compile_source(program, mask, request, CL_COMPILE_PROGRAM_FAILURE, &outcome);
    else
        load_il(program, &outcome);
    rt_build_end(program, mask, &outcome, request->options);
    return outcome.code;
}

cl_int CL_API_CALL rt_clCompileProgram(cl_program handle, cl_uint num_devices,
                                       const cl_device_id *device_list, const char *options,
                                       cl_uint num_headers, const cl_program *headers, const char **names,
                                       rt_build_notify notify, void *user_data)
{
    struct rt_program *program = rt_program(handle);
    uint32_t mask;
    if (!program)
        return CL_INVALID_PROGRAM;
    if ((!notify && user_data) || !num_headers != !headers || !num_headers != !names)
        return CL_INVALID_VALUE;
    cl_int code = select_devices(program, num_devices, device_list, &mask);
    if (code)
        return code;
    if (program->state->origin != RT_FROM_SOURCE && program->state->origin != RT_FROM_IL)
        return CL_INVALID_OPERATION;
    struct rt_options parsed;
    struct mm_error err;
    struct rt_compile_request request = {.options = options, .library = true};
    enum mm_class cls = rt_options_parse(options, RT_OPTIONS_COMPILE, &parsed, &err);
    if (cls)
        code = cls == MM_LIMIT ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_COMPILER_OPTIONS;
    if (!code && program->state->origin == RT_FROM_SOURCE)
        code = collect_headers(program, num_headers, headers, names, &request);
    if (!code)
        code = rt_build_begin(program, mask);
    if (!code) {
        rt_object_retain(program);
        code = compile_program(program, mask, &request, &parsed);
        rt_build_report(program, notify, user_data);
        rt_object_release(program);
    }
    mm_free((void *)(uintptr_t)request.headers);
    rt_options_free(&parsed);
    return code;
}
