/* refcl litmus translate: prints the Vulkan tests that OpenCL tests become. */
#include "memmodel/base/escape.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/litmus_files.h"

#include <string.h>

struct translate {
    enum lt_mapping mapping;
    const char *to, *output;
};
static const struct tool_option options[] = {
    {"to", 0, "NAME", NULL, "what to translate to: vulkan (default)",
     TOOL_CHOICE(struct translate, to, "vulkan")},
    {"mapping", 0, "NAME", "REFCL_MAPPING",
     "how OpenCL is translated: plain, clspv or families (default plain)",
     TOOL_READ(struct translate, mapping, litmus_read_mapping)},
    {"output", 'o', "OUT", NULL, "output file (default stdout)", TOOL_TO(struct translate, output)},
    TOOL_OPTION_END};

/* Tests that have no translation are reported, and are no error. */
static int translate_test(const struct translate *t, const struct lt_test *test, const char *path, FILE *out)
{
    struct mm_error err = {0};
    const char *reason = NULL;
    if (lt_test_dialect(test) != LT_OPENCL)
        return tool_error(EXIT_USAGE, "%s: not an OpenCL test", path);
    if (lt_translate(test, t->mapping, out, &reason, &err) != MM_OK)
        return tool_report(&err);
    if (reason)
        mm_print(stderr, "%s: no translation: needs %s\n", path, reason);
    return 0;
}

static int translate_files(const struct translate *t, const struct litmus_files *files)
{
    FILE *out = tool_open_output(t->output);
    if (!out)
        return EXIT_USAGE;
    int code = 0, closed;
    for (size_t i = 0; i < files->count && !code; i++)
        code = translate_test(t, files->tests[i], files->paths[i], out);
    closed = tool_close_output(out, t->output);
    return code ? code : closed;
}

static int litmus_translate_main(int argc, char **argv)
{
    struct translate t = {.output = "-"};
    struct litmus_files files = {0};
    int code = 0;
    int first = tool_options(&cmd_litmus_translate, argc, argv, false, &t, &code);
    if (first < 0)
        return code;
    code = litmus_files_load(&files, argc, argv, first);
    if (!code)
        code = translate_files(&t, &files);
    litmus_files_clear(&files);
    return code;
}

const struct tool_command cmd_litmus_translate = {"litmus translate", "FILE|FOLDER...",
                                                  "print the Vulkan tests that OpenCL tests become", options,
                                                  litmus_translate_main};
