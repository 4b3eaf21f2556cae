/* Compiles OpenCL C to SPIR-V for commands, with all features of refcl's device. */
#include "tools/compile_cl.h"

#include "ref-runtime/runtime.h"
#include "tools/interrupt.h"

#include <stdio.h>
#include <string.h>

/* ---- options -------------------------------------------------------------------------------------- */

/* " -D \"VALUE\"" behind TEXT, which is freed. */
static char *append_option(char *text, char letter, const char *value)
{
    size_t length = text ? strlen(text) : 0;
    char *all = mm_alloc(length + 2 * strlen(value) + 8), *at = all;
    if (all) {
        at += sprintf(at, "%s -%c \"", text ? text : "", letter);
        for (; *value; value++) {
            if (*value == '"' || *value == '\\')
                *at++ = '\\';
            *at++ = *value;
        }
        strcpy(at, "\"");
    }
    mm_free(text);
    return all;
}

/* NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE */
static bool is_macro(const char *text)
{
    bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_';
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return letter && (!text[n] || strchr("=(", text[n]));
}

static int add_option(struct tool_build *build, char letter, const char *value)
{
    build->added = append_option(build->added, letter, value);
    return build->added ? 0 : tool_error(EXIT_TOOL, "out of memory");
}

static int read_define(void *build, const struct tool_option *option, const char *value)
{
    return is_macro(value)
               ? add_option(build, option->letter, value)
               : tool_error(EXIT_USAGE, "--%s: '%s' is not NAME or NAME=VALUE", option->name, value);
}

static int read_include(void *build, const struct tool_option *option, const char *value)
{
    return *value ? add_option(build, option->letter, value)
                  : tool_error(EXIT_USAGE, "--%s: '%s' is no folder", option->name, value);
}

const struct tool_option tool_build_options[] = {
    {"build-options", 0, "TEXT", "REFCL_BUILD_OPTIONS", "options for OpenCL C (default -cl-std=CL3.0)",
     TOOL_TO(struct tool_build, given)},
    {"define", 'D', "NAME[=VALUE]", NULL, "define a macro for OpenCL C, besides --build-options",
     TOOL_CALL(read_define)},
    {"include", 'I', "FOLDER", NULL, "search this folder for files that OpenCL C includes, too",
     TOOL_CALL(read_include)},
    TOOL_OPTION_END};

void tool_build_end(struct tool_build *build, const char *standard)
{
    const char *given = build->given ? build->given : standard ? standard : "";
    build->options = build->given;
    if (!build->added)
        return;
    size_t size = strlen(given) + strlen(build->added) + 1;
    mm_free(build->all);
    build->all = mm_alloc(size);
    if (build->all)
        snprintf(build->all, size, "%s%s", given, build->added);
    build->options = build->all;
}

void tool_build_clear(struct tool_build *build)
{
    mm_free(build->added);
    mm_free(build->all);
    *build = (struct tool_build){0};
}

/* ---- compiling ------------------------------------------------------------------------------------- */

enum mm_class tool_compile_cl(const char *path, const char *source, size_t size, const char *build_options,
                              struct rt_binary *binary, struct mm_error *err)
{
    struct rt_compile_request request = {
        .source = source,
        .source_size = size,
        .file = path,
        .options = build_options,
        .extensions = rt_extension_names(true),
        .features = rt_feature_names(true),
    };
    char *log = NULL;
    if (memchr(source, 0, size))
        return mm_fail(err, MM_INVALID, "input.text",
                       "%s: a null character: this is no OpenCL C (SPIR-V is in files .spv or .spvasm)",
                       path);
    sigset_t before;
    tool_interrupt_hold(&before);
    enum mm_class cls = rt_compile(&request, binary, &log, err);
    tool_interrupt_release(&before);
    if (cls != MM_OK && log && *log)
        fputs(log, stderr);
    mm_free(log);
    return cls;
}
