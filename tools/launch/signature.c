/* Reads a file of kernels; prints their signatures. */
#include "tools/launch/signature.h"
#include "interp/spirv.h"
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "tools/compile_cl.h"
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

enum mm_class launch_open(const char *path, const char *build_options, struct launch_file *file,
                          struct mm_error *err)
{
    char *data;
    size_t size;
    bool is_module = tool_has_suffix(path, ".spv");
    *file = (struct launch_file){.path = path};
    enum mm_class cls = mm_input_read(is_module ? MM_INPUT_MODULE : MM_INPUT_SOURCE, path, &data, &size, err);
    if (cls == MM_OK && !is_module) {
        struct rt_binary binary = {0};
        cls = tool_compile_cl(path, data, size, build_options ? build_options : TOOL_BUILD_STANDARD, &binary,
                              err);
        mm_free(data);
        data = binary.data;
        size = binary.size;
    }
    const struct in_module_options options = {.name = path,
                                              .any_environment = getenv("REFCL_ANY_SPIRV") != NULL};
    if (cls == MM_OK)
        cls = in_module_create(data, size, &options, &file->module, NULL, err);
    mm_free(data);
    return cls;
}

void launch_close(struct launch_file *file)
{
    if (file->module)
        in_module_release(file->module);
    file->module = NULL;
}

static void put_argument(const struct in_argument_info *a, size_t index, FILE *out)
{
    static const char *const spaces[] = {[IN_ARG_GLOBAL] = "global ",
                                         [IN_ARG_CONSTANT] = "constant ",
                                         [IN_ARG_LOCAL] = "local ",
                                         [IN_ARG_QUEUE] = ""};
    static const char *const access[] = {"", "read_only ", "write_only ", "read_write "};
    bool is_pointer = a->kind == IN_ARG_GLOBAL || a->kind == IN_ARG_CONSTANT || a->kind == IN_ARG_LOCAL;
    const char *type = *a->type_name ? a->type_name : is_pointer ? "char*" : "opaque";
    size_t length = strcspn(type, "*");
    fputs(is_pointer                                          ? spaces[a->kind]
          : a->kind == IN_ARG_IMAGE || a->kind == IN_ARG_PIPE ? access[a->access]
                                                              : "",
          out);
    if (is_pointer && a->kind != IN_ARG_CONSTANT && a->qualifiers & IN_QUAL_CONST)
        fputs("const ", out);
    if (a->qualifiers & IN_QUAL_VOLATILE)
        fputs("volatile ", out);
    mm_print(out, "%s%.*s %s%s", a->kind == IN_ARG_PIPE ? "pipe " : "", (int)length, type, type + length,
             a->qualifiers & IN_QUAL_RESTRICT ? "restrict " : "");
    if (*a->name)
        mm_print(out, "%s", a->name);
    else
        fprintf(out, "argument%zu", index);
}

void launch_put_signature(const struct in_kernel_info *kernel, FILE *out)
{
    const uint32_t *n = kernel->required_local_size;
    if (n[0])
        fprintf(out, "__attribute__((reqd_work_group_size(%u, %u, %u))) ", n[0], n[1], n[2]);
    mm_print(out, "kernel void %s(", kernel->name);
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        fputs(i ? ", " : "", out);
        put_argument(&kernel->arguments[i], i, out);
    }
    fputs(")\n", out);
}
