/* OpenCL C to SPIR-V for commands. */
#ifndef TOOLS_COMPILE_CL_H
#define TOOLS_COMPILE_CL_H

#include "ref-runtime/compiler/compiler.h"
#include "tools/tool.h"

/* The options of a command that compiles OpenCL C. */
struct tool_build {
    const char *given;   /* NULL: none */
    char *added, *all;   /* -D and -I; behind what is given */
    const char *options; /* of tool_build_end(); NULL: none are given */
};
extern const struct tool_option tool_build_options[]; /* for a struct tool_build */
/* After the last option: sets build->options, where STANDARD is in place of --build-options if that is not
 * given. */
void tool_build_end(struct tool_build *build, const char *standard);
void tool_build_clear(struct tool_build *build);
#define TOOL_BUILD_STANDARD "-cl-std=CL3.0"

/* The build log of a failed compilation goes to stderr. */
enum mm_class tool_compile_cl(const char *path, const char *source, size_t size, const char *build_options,
                              struct rt_binary *binary, struct mm_error *err);

#endif
