/* OpenCL C to SPIR-V for commands. */
#ifndef TOOLS_COMPILE_CL_H
#define TOOLS_COMPILE_CL_H

#include "ref-runtime/compiler/compiler.h"

/* The options of a command that compiles OpenCL C: TOOL_BUILD_OPTIONS in its table, in this order. */
enum { TOOL_BUILD_TEXT, TOOL_BUILD_DEFINE, TOOL_BUILD_INCLUDE, TOOL_BUILD_OPTION_COUNT };
#define TOOL_BUILD_OPTIONS                                                                                   \
    {"build-options", 0, "TEXT", "REFCL_BUILD_OPTIONS", "options for OpenCL C (default -cl-std=CL3.0)"},     \
        {"define", 'D', "NAME[=VALUE]", NULL, "define a macro for OpenCL C, besides --build-options"},       \
    {                                                                                                        \
        "include", 'I', "FOLDER", NULL, "search this folder for files that OpenCL C includes, too"           \
    }
struct tool_build {
    const char *given;   /* NULL: none */
    char *added, *all;   /* -D and -I; behind what is given */
    const char *options; /* of tool_build_end(); NULL: none are given */
};
/* Takes option INDEX of TOOL_BUILD_OPTIONS.  Returns 0 or an exit code. */
int tool_build_option(struct tool_build *build, size_t index, const char *value);
/* After the last option: sets build->options, where STANDARD is in place of --build-options if that is not given. */
void tool_build_end(struct tool_build *build, const char *standard);
void tool_build_clear(struct tool_build *build);
#define TOOL_BUILD_STANDARD "-cl-std=CL3.0"

/* The build log of a failed compilation goes to stderr. */
enum mm_class tool_compile_cl(const char *path, const char *source, size_t size, const char *build_options,
                              struct rt_binary *binary, struct mm_error *err);

#endif
