/* Linking programs [CL 5.8.5, 5.8.7]. */
#include "ref-runtime/program/program_build.h"

#include <string.h>

/* The arguments of a call to clLinkProgram. */
struct link {
    struct rt_context *context;
    cl_uint device_count;
    struct rt_device *devices[RT_MAX_DEVICES];
    cl_uint input_count;
    struct rt_program **inputs;
    struct rt_options options;
    const char *option_text;
};

static cl_int collect_devices(struct link *link, cl_uint count, const cl_device_id *list)
{
    if (!list != !count)
        return CL_INVALID_VALUE;
    if (count > RT_MAX_DEVICES)
        return CL_INVALID_DEVICE;
    link->device_count = list ? count : link->context->device_count;
    for (cl_uint i = 0; i < link->device_count; i++) {
        link->devices[i] = list ? rt_device(list[i]) : link->context->devices[i];
        if (!link->devices[i] || !rt_context_has_device(link->context, link->devices[i]))
            return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

static cl_int collect_inputs(struct link *link, cl_uint count, const cl_program *programs)
{
    if (!count || !programs)
        return CL_INVALID_VALUE;
    link->inputs = mm_alloc_zero(count, sizeof *link->inputs);
    if (!link->inputs)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++) {
        struct rt_program *program = rt_program(programs[i]);
        if (!program)
            return CL_INVALID_PROGRAM;
        if (program->context != link->context)
            return rt_foreign(CL_INVALID_PROGRAM);
        rt_object_retain(program);
        link->inputs[link->input_count++] = program;
    }
    return CL_SUCCESS;
}

static void release_inputs(struct link *link)
{
    for (cl_uint i = 0; i < link->input_count; i++)
        rt_object_release(link->inputs[i]);
    mm_free(link->inputs);
    rt_options_free(&link->options);
}

static bool is_linkable(const struct rt_build *build)
{
    return build->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
           build->type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
}

/* The build of INPUT for DEVICE that can be linked, NULL if there is none.  Under INPUT's lock. */
static struct rt_build *linkable_build(struct rt_program *input, const struct rt_device *device)
{
    int index = rt_program_build_index(input, device, is_linkable);
    return index < 0 ? NULL : &input->state->builds[index];
}

/* Copies of what the inputs have for DEVICE.  *COUNT is 0 if none has anything; CL_INVALID_OPERATION if
 * some have and some have not, or one is being built. */
static cl_int collect_modules(const struct link *link, const struct rt_device *device,
                              struct rt_binary *modules, cl_uint *count, struct rt_build *made)
{
    cl_int code = CL_SUCCESS;
    *count = 0;
    for (cl_uint i = 0; i < link->input_count; i++) {
        struct rt_program_state *state = link->inputs[i]->state;
        mm_mutex_lock(&state->lock);
        struct rt_build *build = linkable_build(link->inputs[i], device);
        if (state->building) {
            code = CL_INVALID_OPERATION;
        } else if (build) {
            if (!rt_binary_copy(build->spirv.data, build->spirv.size, &modules[*count]))
                code = CL_OUT_OF_HOST_MEMORY;
            ++*count;
            made->from_source = build->from_source && (*count == 1 || made->from_source);
            made->argument_info = build->argument_info && (*count == 1 || made->argument_info);
            made->uniform_groups |= build->uniform_groups;
        }
        mm_mutex_unlock(&state->lock);
    }
    return !code && *count && *count != link->input_count ? CL_INVALID_OPERATION : code;
}

/* Copies the texts of the inputs to PROGRAM. */
static bool inherit_texts(struct rt_program *program, const struct link *link)
{
    for (cl_uint i = 0; i < link->input_count; i++) {
        const struct rt_program_state *from = link->inputs[i]->state;
        for (size_t t = 0; t < from->text_count; t++)
            if (!rt_program_add_text(program, from->texts[t].file, from->texts[t].text))
                return false;
    }
    return true;
}

static void link_modules(struct rt_program *program, const struct link *link, const struct rt_binary *modules,
                         cl_uint count, struct rt_outcome *outcome)
{
    struct mm_error err = {0};
    struct rt_build *build = &outcome->build;
    bool library = link->options.create_library;
    build->type = library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    enum mm_class cls = rt_link(modules, count, library, &build->spirv, &build->log, &err);
    outcome->code = rt_build_error_code(cls, &err, CL_LINK_PROGRAM_FAILURE, CL_LINKER_NOT_AVAILABLE);
    if (!outcome->code && !library)
        rt_build_make_module(program, outcome, CL_LINK_PROGRAM_FAILURE);
}

/* Links for each device; one that no input has an object for gets no executable. [CL 5.8.5 E14] *BEGAN is
 * false if the link could not begin. */
static cl_int link_devices(struct rt_program *program, const struct link *link, bool *began)
{
    struct rt_binary *modules = mm_alloc_zero(link->input_count, sizeof *modules);
    cl_int code = modules ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, result = CL_SUCCESS;
    for (cl_uint d = 0; !code && d < link->device_count; d++) {
        struct rt_outcome outcome = {0};
        cl_uint count;
        code = collect_modules(link, link->devices[d], modules, &count, &outcome.build);
        if (!code && count) {
            code = rt_build_begin(program, 1u << d);
            link_modules(program, link, modules, count, &outcome);
            rt_build_end(program, 1u << d, &outcome, link->option_text);
            if (outcome.code)
                result = outcome.code;
        }
        for (cl_uint i = 0; i < count; i++)
            mm_free(modules[i].data);
    }
    mm_free(modules);
    *began = !code;
    return code ? code : result;
}

static cl_int prepare_link(struct link *link, cl_uint num_devices, const cl_device_id *device_list,
                           cl_uint num_inputs, const cl_program *inputs)
{
    cl_int code = collect_devices(link, num_devices, device_list);
    if (!code)
        code = collect_inputs(link, num_inputs, inputs);
    if (code)
        return code;
    struct mm_error err;
    enum mm_class cls = rt_options_parse(link->option_text, RT_OPTIONS_LINK, &link->options, &err);
    if (cls)
        return cls == MM_LIMIT ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_LINKER_OPTIONS;
    return CL_SUCCESS;
}

cl_program CL_API_CALL rt_clLinkProgram(cl_context handle, cl_uint num_devices,
                                        const cl_device_id *device_list, const char *options,
                                        cl_uint num_inputs, const cl_program *inputs, rt_build_notify notify,
                                        void *user_data, cl_int *errcode_ret)
{
    struct link link = {.context = rt_context(handle), .option_text = options};
    if (rt_context_error(link.context))
        return rt_null(errcode_ret, rt_context_error(link.context));
    if (!notify && user_data)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    struct rt_program *program = NULL;
    bool began = false;
    cl_int code = prepare_link(&link, num_devices, device_list, num_inputs, inputs);
    if (!code) {
        program = rt_program_new(link.context, RT_FROM_LINK, link.device_count, link.devices);
        code = program && inherit_texts(program, &link) ? link_devices(program, &link, &began)
                                                        : CL_OUT_OF_HOST_MEMORY;
    }
    release_inputs(&link);
    if (program && !began) {
        rt_api_release(program, RT_PROGRAM);
        program = NULL;
    }
    if (program)
        rt_build_report(program, notify, user_data);
    rt_null(errcode_ret, code);
    return (cl_program)program;
}
