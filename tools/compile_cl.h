/* OpenCL C to SPIR-V for commands. */
#ifndef TOOLS_COMPILE_CL_H
#define TOOLS_COMPILE_CL_H

#include "ref-runtime/compiler/compiler.h"

/* The build log of a failed compilation goes to stderr. */
enum mm_class tool_compile_cl(const char *path, const char *source, size_t size, const char *build_options,
                              struct rt_binary *binary, struct mm_error *err);

#endif
