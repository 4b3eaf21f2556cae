/* refcl litmus plan: tests become plan.json, which refcl-litmus-run executes on any machine. */
#include "tools/assemble_spirv.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/litmus_files.h"
#include "tools/compile_cl.h"

#include <string.h>

struct plan {
    struct lt_plan_options options;
    const char *output;
};

static enum mm_class compile_source(void *context, const char *file, const char *source,
                                    const char *build_options, void **words, size_t *size,
                                    struct mm_error *err)
{
    struct rt_binary binary = {0};
    enum mm_class cls = tool_compile_cl(file, source, strlen(source), build_options, &binary, err);
    (void)context;
    *words = binary.data;
    *size = binary.size;
    return cls;
}

static int compile_to_il(void *options, const struct tool_option *option, const char *value)
{
    (void)option;
    (void)value;
    ((struct lt_plan_options *)options)->compile = compile_source;
    return 0;
}

int litmus_read_mapping(void *mapping, const struct tool_option *option, const char *value)
{
    size_t index;
    int code = tool_word(option->name, value, "plain clspv families", &index);
    return code || lt_find_mapping(value, mapping) ? code : EXIT_USAGE;
}

const struct tool_option litmus_mapping_options[] = {
    {"mapping", 0, "NAME", "REFCL_MAPPING",
     "how OpenCL is translated: plain, clspv or families (default plain)",
     TOOL_READ(struct lt_plan_options, mapping, litmus_read_mapping)},
    {"wide", 0, NULL, NULL, "Vulkan: locations and registers of 64 bits instead of 32",
     TOOL_TO(struct lt_plan_options, wide)},
    {"pointers", 0, NULL, NULL, "Vulkan: access buffers through physical addresses",
     TOOL_TO(struct lt_plan_options, pointers)},
    TOOL_OPTION_END};

static const struct tool_option options[] = {
    {"output", 'o', "OUT", "REFCL_PLAN", "output file (default stdout)", TOOL_TO(struct plan, output)},
    {"iterations", 'n', "N", "REFCL_ITERATIONS", "number of instances of each test",
     TOOL_NUMBER(struct plan, options.iterations, 1, UINT64_MAX >> 12)},
    {"seed", 's', "N", "REFCL_SEED", "seed of the placement of threads and locations",
     TOOL_NUMBER(struct plan, options.seed, 0, UINT64_MAX)},
    {"cl-std", 0, "NAME", "REFCL_CL_STD", "OpenCL C version of the kernels (default: the device's)",
     TOOL_CHOICE(struct plan, options.cl_std, LITMUS_CL_STD)},
    {"il", 0, NULL, "REFCL_PLAN_IL", "also emit kernels as SPIR-V, for devices without a compiler",
     TOOL_READ(struct plan, options, compile_to_il)},
    {"vulkan", 0, NULL, "REFCL_VULKAN", "plan for a Vulkan device; OpenCL tests are translated",
     TOOL_TO(struct plan, options.vulkan)},
    TOOL_INCLUDE(struct plan, options, litmus_mapping_options),
    TOOL_OPTION_END};

int litmus_write_plan(const struct litmus_files *files, const struct lt_plan_options *given,
                      const char *output)
{
    struct mm_error err = {0};
    struct lt_plan_options with_assembler = *given;
    with_assembler.assemble = tool_assemble_vulkan;
    FILE *out = tool_open_output(output);
    if (!out)
        return EXIT_USAGE;
    int code = 0, closed;
    if (lt_plan(files->tests, files->count, &with_assembler, out, &err) != MM_OK)
        code = tool_report(&err);
    closed = tool_close_output(out, output);
    return code ? code : closed;
}

static int litmus_plan_main(int argc, char **argv)
{
    struct plan plan = {.output = "-"};
    struct litmus_files files = {0};
    int code = 0;
    int first = tool_options(&cmd_litmus_plan, argc, argv, false, &plan, &code);
    if (first < 0)
        return code;
    code = litmus_files_load(&files, argc, argv, first);
    if (!code)
        code = litmus_write_plan(&files, &plan.options, plan.output);
    litmus_files_clear(&files);
    return code;
}

const struct tool_command cmd_litmus_plan = {"litmus plan", "FILE|FOLDER...",
                                             "turn litmus tests into a plan for refcl-litmus-run", options,
                                             litmus_plan_main};
