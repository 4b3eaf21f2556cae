/* OpenCL C to SPIR-V for commands, with all that refcl's own device has. */
#include "tools/compile_cl.h"

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
        .extensions = "cl_khr_global_int32_base_atomics cl_khr_local_int32_base_atomics cl_khr_subgroups",
        .features = "__opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst "
                    "__opencl_c_atomic_scope_device __opencl_c_atomic_scope_all_devices "
                    "__opencl_c_generic_address_space __opencl_c_program_scope_global_variables "
                    "__opencl_c_device_enqueue __opencl_c_subgroups __opencl_c_int64"};
    char *log = NULL;
    enum mm_class cls = rt_compile(&request, binary, &log, err);
    if (cls != MM_OK && log && *log)
        fputs(log, stderr);
    mm_free(log);
    return cls;
}
