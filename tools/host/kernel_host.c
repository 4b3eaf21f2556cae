/* refcl-kernel-host: launches one kernel through the OpenCL API, as `refcl kernel` asks.
 *
 *     refcl-kernel-host (kernel|global|local|offset|arg|print|build-options|include|captured|repeat VALUE)...
 * FILE
 *
 * It is an ordinary OpenCL program; whatever ICD the environment selects runs the kernel. */
#include "tools/host/kernel_host.h"
#include "memmodel/base/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct scalar scalars[] = {
    {"char", 1, 'i'},        {"uchar", 1, 'u'},        {"short", 2, 'i'},         {"ushort", 2, 'u'},
    {"int", 4, 'i'},         {"uint", 4, 'u'},         {"long", 8, 'i'},          {"ulong", 8, 'u'},
    {"float", 4, 'f'},       {"double", 8, 'f'},       {"half", 2, 'u'},          {"size_t", 8, 'u'},
    {"bool", 1, 'u'},        {"atomic_int", 4, 'i'},   {"atomic_uint", 4, 'u'},   {"atomic_float", 4, 'f'},
    {"atomic_long", 8, 'i'}, {"atomic_ulong", 8, 'u'}, {"atomic_double", 8, 'f'},
};

void host_fail(const char *what, const char *detail)
{
    fflush(stdout);
    mm_print(stderr, "refcl kernel: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
    exit(2);
}

void host_check(cl_int code, const char *call)
{
    char text[32];
    if (code == CL_SUCCESS)
        return;
    snprintf(text, sizeof text, "error %d", code);
    host_fail(call, text);
}

char *host_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t capacity = 0;
    if (!file)
        host_fail("cannot read", path);
    for (*size = 0;;) {
        if (*size == capacity && !(text = realloc(text, (capacity = capacity * 2 + 4096) + 1)))
            host_fail("out of memory", NULL);
        size_t n = fread(text + *size, 1, capacity - *size, file);
        if (n == 0)
            break;
        *size += n;
    }
    if (ferror(file))
        host_fail("cannot read", path);
    fclose(file);
    text[*size] = 0;
    return text;
}

/* "N[,N[,N]]" */
static cl_uint parse_sizes(const char *text, size_t sizes[3])
{
    cl_uint n = 0;
    for (char *end; n < 3; text = end + 1) {
        sizes[n] = strtoull(text, &end, 0);
        if (end == text)
            break;
        n++;
        if (*end == 0)
            return n;
        if (*end != ',')
            break;
    }
    host_fail("sizes are N, N,N or N,N,N, not", text);
    return 0;
}

/* "uint4*" -> uint, 4.  Unknown types count as bytes. */
static struct type parse_type(const char *text)
{
    struct type type = {{"uchar", 1, 'u'}, 1};
    size_t length = strcspn(text, "*0123456789 ");
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        if (strlen(scalars[i].name) == length && strncmp(scalars[i].name, text, length) == 0) {
            type.scalar = scalars[i];
            unsigned long width = strtoul(text + length, NULL, 10);
            type.width = width >= 2 && width <= 16 ? (unsigned)width : 1;
        }
    }
    return type;
}

static unsigned type_bytes(struct type type)
{
    return type.scalar.bytes * (type.width == 3 ? 4 : type.width);
}

struct type host_argument_type(struct host *host, cl_uint index)
{
    char name[128] = "";
    clGetKernelArgInfo(host->kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL);
    return parse_type(name);
}

static void put(void *at, struct scalar scalar, double real, int64_t integer)
{
    float f = (float)real;
    if (scalar.kind == 'f' && scalar.bytes == 4)
        memcpy(at, &f, 4);
    else if (scalar.kind == 'f')
        memcpy(at, &real, 8);
    else
        memcpy(at, &integer, scalar.bytes); /* little-endian */
}

static void put_text(void *at, struct scalar scalar, const char *text, char **end)
{
    int64_t integer = (int64_t)strtoull(text, end, 0);
    char *real_end;
    double real = strtod(text, &real_end);
    if (scalar.kind == 'f' || real_end > *end)
        *end = real_end;
    if (*end == text)
        host_fail("not a value", text);
    put(at, scalar, real, scalar.kind == 'f' ? 0 : integer);
    while (**end && strchr("fFuUlL", **end))
        ++*end;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void load(unsigned char *data, size_t bytes, const char *path)
{
    size_t size;
    char *text = host_read_file(path, &size);
    memcpy(data, text, size < bytes ? size : bytes);
    free(text);
}

/* Fills DATA as INIT says: zero, iota, fill=V, rand=SEED, file=PATH. */
static void initialize(unsigned char *data, const struct argument *argument, const char *init)
{
    size_t bytes = argument->type.scalar.bytes, count = argument->bytes / bytes;
    if (!init || strcmp(init, "zero") == 0)
        return;
    if (strncmp(init, "file=", 5) == 0) {
        load(data, argument->bytes, init + 5);
    } else if (strcmp(init, "iota") == 0) {
        for (size_t i = 0; i < count; i++)
            put(data + i * bytes, argument->type.scalar, (double)i, (int64_t)i);
    } else if (strncmp(init, "fill=", 5) == 0) {
        for (size_t i = 0; i < count; i++) {
            char *end;
            put_text(data + i * bytes, argument->type.scalar, init + 5, &end);
        }
    } else if (strncmp(init, "rand=", 5) == 0) {
        uint64_t state = strtoull(init + 5, NULL, 0) * 2 + 0x9E3779B97F4A7C15u;
        for (size_t i = 0; i < count; i++) {
            uint64_t r = next_random(&state);
            put(data + i * bytes, argument->type.scalar, (double)(r >> 11) * 0x1p-53, (int64_t)(r >> 33));
        }
    } else {
        host_fail("unknown initial value", init);
    }
}

/* buf:N[:INIT] and svm:N[:INIT] */
static void set_memory(struct host *host, cl_uint index, const char *spec, bool svm)
{
    struct argument *argument = &host->arguments[index];
    char *end;
    cl_int code;
    argument->type = host_argument_type(host, index);
    argument->count = strtoull(spec, &end, 0);
    if (end == spec || (*end && *end != ':') || argument->count == 0 ||
        argument->count > SIZE_MAX / type_bytes(argument->type))
        host_fail("a buffer argument is buf:N[:INIT], not", spec);
    argument->bytes = argument->count * type_bytes(argument->type);
    unsigned char *data = calloc(1, argument->bytes);
    if (!data)
        host_fail("out of memory for argument", spec);
    initialize(data, argument, *end ? end + 1 : NULL);
    if (svm) {
        argument->svm =
            clSVMAlloc(host->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                       argument->bytes, 0);
        if (!argument->svm)
            host_fail("clSVMAlloc failed for argument", spec);
        memcpy(argument->svm, data, argument->bytes);
        host_check(clSetKernelArgSVMPointer(host->kernel, index, argument->svm), "clSetKernelArgSVMPointer");
    } else {
        argument->buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                          argument->bytes, data, &code);
        host_check(code, "clCreateBuffer");
        host_check(clSetKernelArg(host->kernel, index, sizeof(cl_mem), &argument->buffer), "clSetKernelArg");
    }
    free(data);
}

static void set_value(struct host *host, cl_uint index, const char *spec)
{
    unsigned char value[128] = {0};
    struct type type = host_argument_type(host, index);
    const char *at = spec;
    for (unsigned i = 0; i < type.width; i++) {
        char *end;
        put_text(value + i * type.scalar.bytes, type.scalar, at, &end);
        if (*end == ',')
            at = end + 1;
        else if (*end == 0)
            at = i == 0 ? spec : at; /* one value for every component */
        else
            host_fail("not a value", spec);
    }
    host_check(clSetKernelArg(host->kernel, index, type_bytes(type), value), "clSetKernelArg");
}

static void set_argument(struct host *host, cl_uint index, const char *spec)
{
    if (strncmp(spec, "buf:", 4) == 0)
        set_memory(host, index, spec + 4, false);
    else if (strncmp(spec, "svm:", 4) == 0)
        set_memory(host, index, spec + 4, true);
    else if (strncmp(spec, "local:", 6) == 0)
        host_check(clSetKernelArg(host->kernel, index, strtoull(spec + 6, NULL, 0), NULL), "clSetKernelArg");
    else if (*spec == '@')
        host_captured_argument(host, index, spec + 1);
    else if (strcmp(spec, "null") == 0)
        host_check(clSetKernelArg(host->kernel, index, sizeof(cl_mem), NULL), "clSetKernelArg");
    else
        set_value(host, index, spec);
}

static void open_device(struct host *host)
{
    cl_platform_id platform;
    cl_int code;
    host_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    host_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &host->device, NULL), "clGetDeviceIDs");
    host->context = clCreateContext(NULL, 1, &host->device, NULL, NULL, &code);
    host_check(code, "clCreateContext");
    host->queue = clCreateCommandQueueWithProperties(host->context, host->device, NULL, &code);
    host_check(code, "clCreateCommandQueueWithProperties");
}

static void print_log(struct host *host)
{
    size_t size = 0;
    clGetProgramBuildInfo(host->program, host->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(1, size + 1);
    if (log && clGetProgramBuildInfo(host->program, host->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) ==
                   CL_SUCCESS)
        fputs(log, stderr);
    free(log);
}

static void build(struct host *host, const char *path)
{
    size_t size, length = strlen(path);
    cl_int code;
    char *text = host_read_file(path, &size);
    bool il = length > 4 && strcmp(path + length - 4, ".spv") == 0;
    bool binary_file = length > 4 && strcmp(path + length - 4, ".bin") == 0;
    const char *source = text;
    const unsigned char *binary = (const unsigned char *)text;
    host->program = il            ? clCreateProgramWithIL(host->context, text, size, &code)
                    : binary_file ? clCreateProgramWithBinary(host->context, 1, &host->device, &size, &binary,
                                                              NULL, &code)
                                  : clCreateProgramWithSource(host->context, 1, &source, &size, &code);
    host_check(code, il            ? "clCreateProgramWithIL"
                     : binary_file ? "clCreateProgramWithBinary"
                                   : "clCreateProgramWithSource");
    const char *include = host->include ? host->include : "";
    size_t size_of_options = strlen(host->build) + strlen(include) + 40;
    char *options = malloc(size_of_options);
    if (!options)
        host_fail("out of memory", NULL);
    snprintf(options, size_of_options,
             *include ? "%s -cl-kernel-arg-info -I \"%s\"" : "%s -cl-kernel-arg-info", host->build, include);
    code = clBuildProgram(host->program, 1, &host->device, binary_file ? NULL : options, NULL, NULL);
    free(options);
    if (code != CL_SUCCESS)
        print_log(host);
    host_check(code, "clBuildProgram");
    free(text);
}

static void find_kernel(struct host *host)
{
    cl_int code;
    size_t count = 0;
    char names[4096] = "", what[200];
    clGetProgramInfo(host->program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    clGetProgramInfo(host->program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    if (count == 0)
        host_fail("the program has no kernel", NULL);
    if (!host->name && count > 1)
        host_fail("the program has several kernels, name one with -k", names);
    host->kernel = clCreateKernel(host->program, host->name ? host->name : names, &code);
    snprintf(what, sizeof what, "the program has no kernel '%.100s', but", host->name);
    if (code == CL_INVALID_KERNEL_NAME)
        host_fail(what, names);
    host_check(code, "clCreateKernel");
}

static void print_element(const unsigned char *at, struct scalar scalar)
{
    int64_t integer = 0;
    float f;
    double d;
    if (scalar.kind == 'f') {
        memcpy(&f, at, 4);
        memcpy(&d, at, scalar.bytes == 8 ? 8 : 4);
        printf(" %.9g", scalar.bytes == 8 ? d : (double)f);
        return;
    }
    memcpy(&integer, at, scalar.bytes);
    unsigned shift = 64 - 8 * scalar.bytes;
    if (scalar.kind == 'i')
        printf(" %" PRId64, (int64_t)((uint64_t)integer << shift) >> shift);
    else
        printf(" %" PRIu64, (uint64_t)integer);
}

static void print_argument(struct host *host, const char *spec)
{
    unsigned long index = strtoul(spec, NULL, 10);
    struct argument *argument = index < host->spec_count ? &host->arguments[index] : NULL;
    void *svm = !argument ? NULL : argument->svm ? argument->svm : argument->shown;
    if (!argument || (!argument->buffer && !svm))
        host_fail("not a buffer argument", spec);
    unsigned char *data = malloc(argument->bytes);
    if (!data)
        host_fail("out of memory", NULL);
    if (svm)
        host_check(clEnqueueSVMMemcpy(host->queue, CL_TRUE, data, svm, argument->bytes, 0, NULL, NULL),
                   "clEnqueueSVMMemcpy");
    else
        host_check(clEnqueueReadBuffer(host->queue, argument->buffer, CL_TRUE, 0, argument->bytes, data, 0,
                                       NULL, NULL),
                   "clEnqueueReadBuffer");
    printf("%lu:", index);
    for (size_t i = 0; i < argument->bytes / argument->type.scalar.bytes; i++)
        print_element(data + i * argument->type.scalar.bytes, argument->type.scalar);
    putchar('\n');
    free(data);
}

static void parse(struct host *host, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *option = argv[i], *value = argv[i + 1];
        if (strcmp(option, "kernel") == 0)
            host->name = value;
        else if (strcmp(option, "global") == 0)
            host->dimensions = parse_sizes(value, host->global);
        else if (strcmp(option, "local") == 0)
            host->local_dimensions = parse_sizes(value, host->local);
        else if (strcmp(option, "offset") == 0)
            parse_sizes(value, host->offset);
        else if (strcmp(option, "build-options") == 0)
            host->build = value;
        else if (strcmp(option, "captured") == 0)
            host->is_captured = strcmp(value, "yes") == 0;
        else if (strcmp(option, "include") == 0)
            host->include = value;
        else if (strcmp(option, "repeat") == 0)
            host->repeat = strtoull(value, NULL, 10);
        else if (strcmp(option, "arg") == 0 && host->spec_count < MAX_ARGS)
            host->specs[host->spec_count++] = value;
        else if (strcmp(option, "memory") == 0 && host->memory_count < MAX_ARGS)
            host->memory_specs[host->memory_count++] = value;
        else if (strcmp(option, "print") == 0 && host->print_count < MAX_ARGS)
            host->prints[host->print_count++] = value;
        else
            host_fail("bad option", option);
    }
    if (host->local_dimensions && host->local_dimensions != host->dimensions)
        host_fail("--local and --global differ in dimensions", NULL);
}

static void launch(struct host *host)
{
    for (size_t i = 0; i < host->repeat; i++)
        host_check(clEnqueueNDRangeKernel(host->queue, host->kernel, host->dimensions, host->offset,
                                          host->global, host->local_dimensions ? host->local : NULL, 0, NULL,
                                          NULL),
                   "clEnqueueNDRangeKernel");
    host_check(clFinish(host->queue), "clFinish");
}

static void release(struct host *host)
{
    for (size_t i = 0; i < host->spec_count; i++) {
        if (host->arguments[i].buffer)
            clReleaseMemObject(host->arguments[i].buffer);
        if (host->arguments[i].svm)
            clSVMFree(host->context, host->arguments[i].svm);
    }
    host_captured_release(host);
    clReleaseKernel(host->kernel);
    clReleaseProgram(host->program);
    clReleaseCommandQueue(host->queue);
    clReleaseContext(host->context);
}

int main(int argc, char **argv)
{
    static struct host host = {.build = "-cl-std=CL3.0", .global = {1}, .dimensions = 1, .repeat = 1};
    cl_uint wanted = 0;
    if (argc % 2)
        host_fail("usage: refcl-kernel-host (OPTION VALUE)... FILE", NULL);
    parse(&host, argc, argv);
    open_device(&host);
    build(&host, argv[argc - 1]);
    find_kernel(&host);
    host_check(clGetKernelInfo(host.kernel, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, NULL),
               "clGetKernelInfo");
    if (wanted != host.spec_count) {
        fprintf(stderr, "refcl kernel: the kernel takes %u arguments, %zu given\n", wanted, host.spec_count);
        return 2;
    }
    host_captured_memory(&host);
    for (cl_uint i = 0; i < wanted; i++)
        set_argument(&host, i, host.specs[i]);
    launch(&host);
    for (size_t i = 0; i < host.print_count; i++)
        print_argument(&host, host.prints[i]);
    release(&host);
    return 0;
}
