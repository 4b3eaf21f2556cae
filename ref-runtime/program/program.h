/* Program objects among themselves: what program*.c and kernel*.c share. */
#ifndef REF_RUNTIME_PROGRAM_PROGRAM_H
#define REF_RUNTIME_PROGRAM_PROGRAM_H

#include "ref-runtime/compiler/compiler.h"
#include "ref-runtime/runtime.h"

/* What the latest build, compile or link made for one device [CL 5.8.9]. */
struct rt_build {
    cl_build_status status;
    char *options, *log; /* NULL: empty */
    cl_program_binary_type type;
    struct rt_binary spirv;
    struct in_module *module;     /* executables */
    struct in_instance *instance; /* made by the first launch */
    bool uniform_groups;
    /* OpenCL C given to clCreateProgramWithSource, all of what was linked; with -cl-kernel-arg-info
     * [CL 5.9.4 E19] */
    bool from_source, argument_info;
};
void rt_build_clear(struct rt_build *build);

/* Program text with the name that source lines carry. */
struct rt_program_text {
    char *file, *text;
};
enum rt_program_origin { RT_FROM_SOURCE, RT_FROM_IL, RT_FROM_BINARY, RT_FROM_LINK };
struct rt_program_state {
    struct mm_mutex lock;
    enum rt_program_origin origin;
    bool building;
    cl_uint kernel_count; /* kernel objects attached */
    char *source;         /* RT_FROM_SOURCE */
    char *file;
    void *il; /* RT_FROM_IL */
    size_t il_size;
    struct in_spec_constant *constants; /* as set by the application */
    size_t constant_count;
    struct rt_program_text *texts;
    size_t text_count;
    cl_uint device_count;
    struct rt_device *devices[RT_MAX_DEVICES];
    struct rt_build builds[RT_MAX_DEVICES];
    struct rt_callback *destructors;
};

/* A program of CONTEXT for COUNT devices (NULL: all of the context).  NULL: no memory. */
struct rt_program *rt_program_new(struct rt_context *context, enum rt_program_origin origin, cl_uint count,
                                  struct rt_device *const *devices);
/* How many kernels of MODULE the host can launch (kernel.c). */
size_t rt_module_kernels(const struct in_module *module);
bool rt_program_add_text(struct rt_program *program, const char *file, const char *text);
/* Index of DEVICE in the program's list, -1 if it is not in it. */
int rt_program_device_index(const struct rt_program *program, const struct rt_device *device);
/* Index of the build that DEVICE uses: its own, or where that does not satisfy HAS the nearest parent's that
 * does [CL 5.8.2].  -1: there is none. */
int rt_program_build_index(const struct rt_program *program, const struct rt_device *device,
                           bool (*has)(const struct rt_build *build));
bool rt_build_is_executable(const struct rt_build *build);
/* How modules of PROGRAM are made (program_build.c). */
void rt_build_module_options(const struct rt_program *program, struct in_module_options *options);
/* The first build with an executable, NULL if there is none.  Under the program's lock. */
struct rt_build *rt_program_executable(struct rt_program *program);
/* The module of the executable, held; NULL if there is none.  Takes the lock. */
struct in_module *rt_program_held_module(struct rt_program *program);
/* The instance for DEVICE, made where it is not yet; NULL with *CODE set on failure. */
struct in_instance *rt_program_instance(struct rt_program *program, int device, cl_int *code);

/* program_source.c: the name for a program's text in source lines.  NULL: no memory. */
char *rt_program_find_file(const char *text, uint32_t number);

/* program_binary.c: refcl's own binaries. */
cl_int rt_binary_write(const struct rt_program *program, const struct rt_build *build, struct rt_binary *out);
/* MM_INVALID if DATA is no intact binary of this version. */
enum mm_class rt_binary_read(const void *data, size_t size, struct rt_program *program,
                             struct rt_build *build);
size_t rt_binary_size(const struct rt_program *program, const struct rt_build *build);
/* Sets *TO to a copy of SIZE bytes; false: no memory. */
bool rt_binary_copy(const void *data, size_t size, struct rt_binary *to);

#endif
