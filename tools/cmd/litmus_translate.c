/* refcl litmus translate: prints the Vulkan tests that OpenCL tests become. */
#include "tools/cmd/commands.h"
#include "tools/cmd/litmus_files.h"

#include <string.h>

enum { OPT_TO, OPT_MAPPING, OPT_OUTPUT };
static const struct tool_option options[] = {
    {"to", 0, "NAME", NULL, "what to translate to: vulkan (default)"},
    {"mapping", 0, "NAME", "REFCL_MAPPING", "how OpenCL is translated: plain (default), clspv or families"},
    {"output", 'o', "FILE", NULL, "output file (default stdout)"},
    TOOL_OPTION_END};

struct translate {
    enum lt_mapping mapping;
    const char *output;
};

static int litmus_translate_option(void *context, size_t index, const char *value)
{
    struct translate *t = context;
    if (index == OPT_MAPPING)
        return litmus_mapping(value, &t->mapping);
    if (index == OPT_OUTPUT)
        t->output = value;
    else if (strcmp(value, "vulkan") != 0)
        return tool_error(EXIT_USAGE, "tests are translated to vulkan only, not to '%s'", value);
    return 0;
}

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
        fprintf(stderr, "%s: no translation: needs %s\n", path, reason);
    return 0;
}

static int translate_files(const struct translate *t, const struct litmus_files *files)
{
    struct lt_test **tests = mm_alloc_zero(files->count + 1, sizeof(struct lt_test *));
    if (!tests)
        return tool_error(EXIT_TOOL, "out of memory");
    int code = litmus_files_parse(files, tests);
    if (!code) {
        FILE *out = tool_open_output(t->output);
        code = out ? 0 : EXIT_USAGE;
        for (size_t i = 0; i < files->count; i++) {
            if (!code)
                code = translate_test(t, tests[i], files->paths[i], out);
            lt_test_destroy(tests[i]);
        }
        if (out) {
            int closed = tool_close_output(out, t->output);
            code = code ? code : closed;
        }
    }
    mm_free(tests);
    return code;
}

static int litmus_translate_main(int argc, char **argv)
{
    struct translate t = {.output = "-"};
    struct litmus_files files = {0};
    int code = 0;
    int first = tool_options(&cmd_litmus_translate, argc, argv, false, litmus_translate_option, &t, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no litmus test given");
    for (int i = first; i < argc && !code; i++)
        code = litmus_files_add(&files, argv[i]);
    if (!code)
        code = translate_files(&t, &files);
    litmus_files_clear(&files);
    return code;
}

const struct tool_command cmd_litmus_translate = {"litmus translate", "FILE|FOLDER...",
                                                  "print the Vulkan tests that OpenCL tests become", options,
                                                  litmus_translate_main};
