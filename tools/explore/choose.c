/* Launches of kernels that no option describes: sizes and symbolic arguments (tools/launch/choose.c). */
#include "memmodel/base/arena.h"
#include "tools/explore/command.h"
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

/* "NAME=SPEC"; NULL: nothing is chosen for arguments that lowering does not take, whose use it reports. */
static bool put_argument(struct ex *ex, const struct in_argument_info *a, const char *spec, const char **text)
{
    bool known = a->kind == IN_ARG_GLOBAL || a->kind == IN_ARG_CONSTANT || a->kind == IN_ARG_LOCAL ||
                 a->kind == IN_ARG_VALUE;
    char *out = mm_arena_alloc(ex->arena, strlen(a->name) + strlen(spec) + 2);
    if (out)
        sprintf(out, "%s%s%s", a->name, *a->name ? "=" : "", spec);
    *text = known || !*a->name ? out : NULL;
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
        for (size_t i = 0; arguments && !r && i < choice.argument_count; i++) {
            if (!put_argument(ex, &info->arguments[i], choice.arguments[i], &arguments[i]))
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
