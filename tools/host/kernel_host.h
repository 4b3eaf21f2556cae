/* refcl-kernel-host in two parts: launches as options describe them, and captured ones. */
#ifndef TOOLS_HOST_KERNEL_HOST_H
#define TOOLS_HOST_KERNEL_HOST_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_ARGS = 256 };

/* An element type by its OpenCL C name. */
struct scalar {
    const char *name;
    unsigned bytes;
    char kind; /* 'i' signed, 'u' unsigned, 'f' floating point */
};
struct type {
    struct scalar scalar;
    unsigned width; /* vector width */
};

struct argument {
    cl_mem buffer;
    void *svm;
    void *shown;         /* captured: memory of another argument's too, not freed with this one */
    size_t count, bytes; /* elements, bytes in all */
    struct type type;
};
struct host {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    const char *name, *build, *include, *specs[MAX_ARGS], *prints[MAX_ARGS];
    size_t spec_count, print_count, global[3], local[3], offset[3], repeat;
    cl_uint dimensions, local_dimensions;
    struct argument arguments[MAX_ARGS];
    const char *memory_specs[MAX_ARGS]; /* of captured launches */
    size_t memory_count;
    struct captured *captured;
    bool is_captured;
};

/* Ends the program: the input is bad. */
void host_fail(const char *what, const char *detail);
void host_check(cl_int code, const char *call);
/* The whole file, a zero after it, from malloc. */
char *host_read_file(const char *path, size_t *size);
struct type host_argument_type(struct host *host, cl_uint index);

/* captured.c: memory as --memory options describe it, and arguments "@..." that use it. */
void host_captured_memory(struct host *host);
void host_captured_argument(struct host *host, cl_uint index, const char *spec);
void host_captured_release(struct host *host);

#endif
