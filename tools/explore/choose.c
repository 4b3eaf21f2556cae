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

static void take_choice(struct explore *e, struct ex *ex, const struct in_kernel_info *info,
                        const struct launch_choice *choice, const char **arguments)
{
    char text[80];
    struct ex_launch *l = &ex->config.launch;
    for (int i = 0; i < 3; i++) {
        l->global[i] = (uint32_t)choice->global[i];
        l->local[i] = (uint32_t)choice->local[i];
    }
    l->sub_group = e->launch.sub_group ? e->launch.sub_group : l->local[0] * l->local[1] * l->local[2];
    fprintf(e->text, "chosen: -g %s", launch_sizes(choice->global, choice->dimensions, text, sizeof text));
    fprintf(e->text, " -l %s", launch_sizes(choice->local, choice->dimensions, text, sizeof text));
    for (size_t i = 0; i < choice->argument_count; i++)
        fprintf(e->text, " -a %s%s%s", info->arguments[i].name, *info->arguments[i].name ? "=" : "",
                arguments[i]);
    fputc('\n', e->text);
    ex->config.arguments = arguments;
    ex->config.argument_count = (uint32_t)choice->argument_count;
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
            arguments[i] = mm_arena_strdup(ex->arena, choice.arguments[i]);
            r = arguments[i] ? r : mm_fail(err, MM_LIMIT, "memory", "out of memory");
        }
        r = arguments ? r : mm_fail(err, MM_LIMIT, "memory", "out of memory");
        if (!r)
            take_choice(e, ex, info, &choice, arguments);
    }
    launch_choice_clear(&choice);
    if (module)
        in_module_release(module);
    return r;
}
