/* OpenCL C: compiled by the helper process; the resulting module is loaded and executed like any other. */
#include "ref-runtime/compiler/compiler.h"
#include "ref-runtime/runtime.h"
#include "tests/fuzz/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* The helper of the build that the test belongs to; the fuzzers name one. */
static void set_up(void)
{
    const char *build = getenv("BUILD");
    char path[400];
    snprintf(path, sizeof path, "%s/refcl-compiler", build != NULL ? build : "build");
    setenv("REFCL_COMPILER", path, 0);
    setenv("REFCL_COMPILE_TIMEOUT", "5", 0);
    setenv("REFCL_CACHE_SIZE", "0", 0);
}

static bool read_opencl(const uint8_t *data, size_t size)
{
    struct rt_compile_request request = {.source = (const char *)data,
                                         .source_size = size,
                                         .file = "fuzz.cl",
                                         .options = "-cl-std=CL3.0",
                                         .extensions = rt_extension_names(true),
                                         .features = rt_feature_names(true)};
    struct rt_binary binary = {0};
    struct mm_error err = {0};
    char *log = NULL;
    set_up();
    bool good = rt_compile(&request, &binary, &log, &err) == MM_OK;
    if (good)
        fuzz_spirv.read(binary.data, binary.size);
    mm_free(binary.data);
    mm_free(log);
    return good;
}

const struct fuzz_reader fuzz_opencl = {"opencl", read_opencl, NULL};
