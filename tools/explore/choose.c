/* Launches of kernels that no option describes: sizes and symbolic arguments (tools/launch/choose.c). */
#include "memmodel/base/arena.h"
#include "tools/explore/command.h"
#include "tools/explore/image/image.h"
#include "tools/explore/module/module.h"
#include "tools/launch/signature.h"

#include <string.h>

/* The kernel that is asked for, or the only one that hosts launch; NULL: lowering says what is wrong. */
static const struct in_kernel_info *chosen_kernel(const struct explore *e, const struct in_module *module)
{
    const struct in_kernel_info *found = NULL;
    for (size_t i = 0; i < in_module_kernel_count(module); i++) {
        const struct in_kernel_info *info = in_module_kernel(module, i);
        if (info->use != IN_FOR_HOST || (e->kernel && strcmp(info->name, e->kernel) != 0))
            continue;
        if (found)
            return NULL;
        found = info;
    }
    return found;
}

static void take_choice(struct explore *e, struct ex *ex, const struct launch_choice *choice,
                        const char **arguments)
{
    char text[80];
    struct ex_launch *l = &ex->config.launch;
    for (int i = 0; i < 3; i++) {
        l->global[i] = (uint32_t)choice->global[i];
        l->local[i] = (uint32_t)choice->local[i];
    }
    fprintf(e->text, "chosen: -g %s", launch_sizes(choice->global, choice->dimensions, text, sizeof text));
    fprintf(e->text, " -l %s", launch_sizes(choice->local, choice->dimensions, text, sizeof text));
    for (size_t i = 0; i < choice->argument_count; i++)
        if (arguments[i])
            fprintf(e->text, " -a %s", arguments[i]);
    fputc('\n', e->text);
    for (size_t i = 0; i < choice->argument_count; i++)
        if (arguments[i])
            arguments[ex->config.argument_count++] = arguments[i];
    ex->config.arguments = arguments;
}

/* ---- images ------------------------------------------------------------------------------------- */

/* The image whose texels INST reads or writes; 0: it does neither. */
static uint32_t accessed_image(const struct ex *ex, const struct in_inst *inst)
{
    bool sampled = inst->opcode == SpvOpImageSampleExplicitLod;
    if (!sampled && inst->opcode != SpvOpImageRead && inst->opcode != SpvOpImageWrite)
        return 0;
    const struct in_inst *of = sampled ? ex_definition(ex, inst->operands[0]) : NULL;
    return of && of->opcode == SpvOpSampledImage ? of->operands[0] : inst->operands[0];
}

/* The format that suits INST, an access: the type of its texels, and their sign where it has one. */
static const char *format_of(const struct ex *ex, const struct in_inst *inst)
{
    bool write = inst->opcode == SpvOpImageWrite;
    uint32_t at = write ? 3 : 2, mask = inst->operand_count > at ? inst->operands[at] : 0;
    const struct in_inst *texel = write ? ex_definition(ex, inst->operands[2]) : inst;
    const struct in_inst *type = texel ? ex_definition(ex, texel->type) : NULL;
    if (type && type->opcode == SpvOpTypeVector)
        type = ex_definition(ex, type->operands[0]);
    if (type && type->opcode == SpvOpTypeFloat)
        return "rgba32f";
    return mask & SpvImageOperandsZeroExtendMask ? "rgba32ui" : "rgba32i";
}

enum { MAX_CALLS = 8 };

/* Whether VALUE is ID, or a parameter of a function that is called with it; DEPTH: of calls. */
static bool is_passed(const struct ex *ex, uint32_t id, uint32_t value, unsigned depth)
{
    const struct in_inst *parameter = ex_definition(ex, value), *call = ex->module.insts;
    if (value == id || !parameter || parameter->opcode != SpvOpFunctionParameter || depth > MAX_CALLS)
        return value == id;
    const struct in_inst *function = parameter;
    while (function->opcode == SpvOpFunctionParameter)
        function--;
    uint32_t operand = (uint32_t)(parameter - function); /* after that of the function */
    for (const struct in_inst *end = call + ex->module.inst_count; call < end; call++)
        if (call->opcode == SpvOpFunctionCall && call->operands[0] == function->result &&
            operand < call->operand_count && is_passed(ex, id, call->operands[operand], depth + 1))
            return true;
    return false;
}

/* The format of the image that is parameter ID: by its accesses, else by all of the module. */
static const char *image_format(const struct ex *ex, uint32_t id)
{
    const char *format = "rgba32f";
    for (uint32_t i = ex->module.inst_count; i-- > 0;) {
        uint32_t image = accessed_image(ex, &ex->module.insts[i]);
        if (image && is_passed(ex, id, image, 0))
            return format_of(ex, &ex->module.insts[i]);
        format = image ? format_of(ex, &ex->module.insts[i]) : format;
    }
    return format;
}

/* The id of parameter INDEX of the kernel NAME, before types and functions are declared; 0: there is none. */
static uint32_t parameter_id(const struct ex *ex, const char *name, uint32_t index)
{
    const struct in_entry *e;
    uint32_t function = 0;
    for (size_t i = 0; (e = in_spirv_entry(ex->module.decoded, i)) != NULL; i++)
        function = strcmp(e->name, name) == 0 ? e->function : function;
    for (const struct in_inst *inst = ex_definition(ex, function); inst; inst++) {
        if (inst->opcode == SpvOpFunctionParameter && index-- == 0)
            return inst->result;
        if (inst->opcode == SpvOpLabel || inst->opcode == SpvOpFunctionEnd)
            break;
    }
    return 0;
}

/* Few texels of any value; "": exploring has no images of this kind. */
static void choose_image(const struct ex *ex, const struct in_kernel_info *kernel, uint32_t argument,
                         char *text, size_t size)
{
    static const char *const kinds[IN_IMAGE_KINDS] = {[IN_IMAGE_1D] = "1d:16",
                                                      [IN_IMAGE_1D_ARRAY] = "1d_array:8x4",
                                                      [IN_IMAGE_2D] = "2d:8x8",
                                                      [IN_IMAGE_2D_ARRAY] = "2d_array:4x4x4",
                                                      [IN_IMAGE_3D] = "3d:4x4x4"};
    const uint32_t kind = kernel->arguments[argument].image_kind;
    const uint32_t id = parameter_id(ex, kernel->name, argument);
    *text = 0;
    if (id && kind < IN_IMAGE_KINDS && kinds[kind])
        snprintf(text, size, "image:%s:%s:any", kinds[kind], image_format(ex, id));
}

/* ---- launches ----------------------------------------------------------------------------------- */

/* "NAME=SPEC"; NULL: nothing is chosen for arguments that lowering does not take, whose use it reports. */
static bool put_argument(struct ex *ex, const struct in_argument_info *a, const char *spec, const char **text)
{
    bool known = a->kind == IN_ARG_GLOBAL || a->kind == IN_ARG_CONSTANT || a->kind == IN_ARG_LOCAL ||
                 a->kind == IN_ARG_VALUE || a->kind == IN_ARG_IMAGE || a->kind == IN_ARG_SAMPLER;
    char *out = mm_arena_alloc(ex->arena, strlen(a->name) + strlen(spec) + 2);
    if (out)
        sprintf(out, "%s%s%s", a->name, *a->name ? "=" : "", spec);
    *text = *spec && (known || !*a->name) ? out : NULL;
    return out;
}

enum mm_class explore_choose(struct explore *e, struct ex *ex, struct mm_error *err)
{
    struct in_module *module = NULL;
    struct launch_choice choice = {0};
    const struct in_module_options options = {.name = ex->module.file};
    size_t count;
    const uint32_t *words = in_spirv_words(ex->module.decoded, &count);
    enum mm_class r = in_module_create(words, count * sizeof *words, &options, &module, NULL, err);
    const struct in_kernel_info *info = r ? NULL : chosen_kernel(e, module);
    if (info && launch_choose_symbolic(module, info, &choice)) {
        const char **arguments = mm_arena_alloc(ex->arena, (choice.argument_count + 1) * sizeof *arguments);
        for (uint32_t i = 0; arguments && !r && i < choice.argument_count; i++) {
            char image[60];
            const char *spec = choice.arguments[i];
            if (info->arguments[i].kind == IN_ARG_IMAGE) {
                choose_image(ex, info, i, image, sizeof image);
                spec = image;
            }
            if (!put_argument(ex, &info->arguments[i], spec, &arguments[i]))
                r = mm_out_of_memory(err);
        }
        r = arguments ? r : mm_out_of_memory(err);
        if (!r)
            take_choice(e, ex, &choice, arguments);
    }
    launch_choice_clear(&choice);
    if (module)
        in_module_release(module);
    return r;
}
