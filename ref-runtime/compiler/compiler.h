/* The OpenCL C front end as the runtime sees it: compile, link and disassemble requests that are carried
 * out by the refcl-compiler helper process, which forks for each, so that a crash of the compiler is a
 * failed build with a log.  No LLVM or Clang type crosses this header. */
#ifndef REF_RUNTIME_COMPILER_COMPILER_H
#define REF_RUNTIME_COMPILER_COMPILER_H

#include "memmodel/memmodel.h"

struct rt_compile_header {
    const char *name; /* as in #include "name" */
    const char *text;
    size_t size;
};
struct rt_compile_request {
    const char *source; /* OpenCL C or C++ for OpenCL */
    size_t source_size;
    const char *file;    /* name of the source in source lines and in the log */
    const char *options; /* as given to clBuildProgram, may be NULL */
    const struct rt_compile_header *headers;
    size_t header_count;
    /* Language extensions and features of the device: space-separated; each is predefined as a macro. */
    const char *extensions, *features;
    unsigned version; /* of the device, as __OPENCL_VERSION__ has it; 0: 310 */
    bool library;     /* compile only: keep everything, external functions stay imports */
};
struct rt_binary {
    void *data; /* SPIR-V words, freed with mm_free */
    size_t size;
};
/* Compiles to SPIR-V.  MM_OK; MM_INVALID when the program does not compile (or the compiler crashed);
 * MM_LIMIT when the helper cannot be started.  *LOG (freed with mm_free) is the build log in every case,
 * never NULL on MM_OK and MM_INVALID.  An unknown or malformed option is MM_INVALID with err->rule
 * "options". */
enum mm_class rt_compile(const struct rt_compile_request *request, struct rt_binary *binary, char **log,
                         struct mm_error *err);
/* Links SPIR-V modules (imports and exports by name) into one; LIBRARY keeps the exports. */
enum mm_class rt_link(const struct rt_binary *modules, size_t count, bool library, struct rt_binary *binary,
                      char **log, struct mm_error *err);

#endif
