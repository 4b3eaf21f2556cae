/* refcl-kernel-host: launches as options describe them, and captured ones. */
#ifndef TOOLS_HOST_KERNEL_HOST_H
#define TOOLS_HOST_KERNEL_HOST_H

#define CL_TARGET_OPENCL_VERSION 300
#include "tools/launch/spec.h"

#include <CL/cl.h>
#include <inttypes.h>

enum { MAX_ARGS = 256 };

/* An image format by its name: channels, and the type of each. */
struct host_format {
    cl_image_format cl;
    unsigned channels;
    struct spec_scalar scalar;
};

struct argument {
    struct spec spec;
    cl_mem buffer, image;
    cl_sampler sampler;
    struct host_format format; /* of the image */
    size_t region[3];
    void *svm;
    void *shared_svm;    /* captured: memory that other arguments may have, too; not freed with this one */
    size_t count, bytes; /* elements, bytes in all */
    struct spec_type type;
};
struct host {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    const char *name, *build, *include, *specs[MAX_ARGS], *prints[MAX_ARGS];
    size_t spec_count, print_count, global[3], local[3], offset[3], repeat;
    cl_uint argument_count;
    unsigned round, rounds; /* of launches with changing contents: enum spec_input, and a set of them */
    bool has_round;         /* the launch with one of them is asked for */
    cl_uint dimensions, local_dimensions;
    struct argument arguments[MAX_ARGS];
    const char *memory_specs[MAX_ARGS]; /* of captured launches */
    size_t memory_count;
    struct captured *captured;
    bool is_captured;
};

/* Prints an error about the input and ends the program. */
_Noreturn void host_fail(const char *what, const char *detail);
/* The same about the file PATH: "cannot ACT (...): PATH", with the reason that errno has. */
_Noreturn void host_fail_file(const char *act, const char *path);
void host_check(cl_int code, const char *call);
/* The contents of the file, with a zero byte appended; to be freed with free(). */
char *host_read_file(const char *path, size_t *size);

/* contents.c */
/* Writes VALUE, or its leaves one after the other, to DATA as COUNT scalars; returns how many there were. */
size_t host_put_value(unsigned char *data, struct spec_scalar scalar, size_t count,
                      const struct spec_value *value);
/* Number of elements of type TYPE in the file that SPEC names. */
size_t host_file_count(const struct spec *spec, struct spec_type type);
/* The flag for the accesses that kernels make: CL_MEM_READ_ONLY and the like. */
cl_mem_flags host_access(const struct spec *spec);
/* Fills the BYTES at DATA with scalars as SPEC says, for launch ROUND. */
void host_fill(unsigned char *data, size_t bytes, struct spec_scalar scalar, const struct spec *spec,
               unsigned round);
/* Writes DATA to PATH as a NumPy array. */
void host_write_npy(const char *path, const unsigned char *data, struct spec_scalar scalar,
                    const size_t *shape, unsigned dimensions);
void host_print_element(const unsigned char *at, struct spec_scalar scalar);

/* image.c: makes the image that the argument's specification describes; its contents; and to a file. */
void host_make_image(struct host *host, struct argument *argument);
/* Origin and size of level LEVEL of an image with the description D. */
void host_image_level(const cl_image_desc *d, size_t level, size_t origin[4], size_t region[3]);
void host_fill_image(struct host *host, struct argument *argument);
void host_save_image(struct host *host, struct argument *argument);

/* arguments.c */
struct spec_type host_argument_type(struct host *host, cl_uint index);
/* Reads the specifications, each for its argument: by name, or the next one. */
void host_read_arguments(struct host *host);
void host_set_arguments(struct host *host);
/* Fills memory with changing contents for this launch. */
void host_change_arguments(struct host *host);
void host_print_argument(struct host *host, const char *name);
void host_save_arguments(struct host *host);

/* captured.c: memory as --memory options describe it, and arguments "@..." that use it. */
void host_captured_memory(struct host *host);
void host_captured_argument(struct host *host, cl_uint index, const char *spec);
void host_captured_release(struct host *host);

#endif
