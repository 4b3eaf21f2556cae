/* Compiles OpenCL C to SPIR-V for commands, with all features of refcl's device. */
#include "tools/compile_cl.h"

#include "ref-runtime/runtime.h"
#include "tools/interrupt.h"

#include <stdio.h>
#include <string.h>

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
