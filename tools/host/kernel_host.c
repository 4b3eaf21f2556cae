/* refcl-kernel-host: launches one kernel through the OpenCL API, as `refcl kernel` asks.
 *
 *     refcl-kernel-host (OPTION VALUE)... FILE
 *
 * OPTION: kernel, global, local, offset, arg, print, build-options, include, captured, repeat or input.
 * It is an ordinary OpenCL program; whatever ICD the environment selects runs the kernel. */
#include "tools/host/kernel_host.h"
#include "memmodel/base/escape.h"
#include "memmodel/base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_STREAM = 256 << 20 }; /* bytes of a pipe or device */

void host_fail(const char *what, const char *detail)
{
    fflush(stdout);
    mm_print(stderr, "refcl kernel: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
    exit(2);
}

void host_check(cl_int code, const char *call)
{
    char text[80];
    if (code == CL_SUCCESS)
        return;
    host_fail(call, spec_code_text(code, text, sizeof text));
}

void host_fail_file(const char *act, const char *path)
{
    char what[200];
    snprintf(what, sizeof what, "cannot %s (%s)", act, strerror(errno));
    host_fail(what, path);
}

char *host_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t capacity = 0;
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0)
        host_fail_file("read", path);
    bool endless = !S_ISREG(status.st_mode);
    for (*size = 0;;) {
        if (*size == capacity && !(text = realloc(text, (capacity = capacity * 2 + 4096) + 1)))
            host_fail("out of memory", NULL);
        size_t n = fread(text + *size, 1, capacity - *size, file);
        if (n == 0)
            break;
        *size += n;
        if (endless && *size > MAX_STREAM)
            host_fail("more than 256 MiB from a pipe or device", path);
    }
    if (ferror(file))
        host_fail_file("read", path);
    fclose(file);
    text[*size] = 0;
    return text;
}

/* "N[,N[,N]]" */
static cl_uint parse_sizes(const char *text, size_t sizes[3])
{
    cl_uint n = 0;
    const char *at = text;
    for (char *end; n < 3 && *at >= '0' && *at <= '9'; at = end + 1) {
        errno = 0;
        sizes[n] = strtoull(at, &end, 0);
        if (errno)
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

static void build_program(struct host *host, const char *path)
{
    size_t size, length = strlen(path);
    cl_int code;
    char *text = host_read_file(path, &size);
    bool il = length > 4 && strcmp(path + length - 4, ".spv") == 0;
    bool binary_file = length > 4 && strcmp(path + length - 4, ".bin") == 0;
    const char *source = text;
    const unsigned char *binary = (const unsigned char *)text;
    if (!il && !binary_file && memchr(text, 0, size))
        host_fail("a null character: not OpenCL C (SPIR-V is read from files .spv and .spvasm)", path);
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

enum { MAX_NAMES = 256 };

/* Cuts NAMES, which semicolons separate, into WORDS, and writes them with commas to TEXT; returns their
 * number and, in USED, bytes of TEXT. */
static size_t list_kernels(char *names, const char *words[MAX_NAMES], char *text, size_t size, size_t *used)
{
    size_t count = 0;
    *used = 0;
    for (char *rest = NULL, *word = strtok_r(names, ";", &rest); word && count < MAX_NAMES;
         word = strtok_r(NULL, ";", &rest)) {
        *used += (size_t)snprintf(text + *used, size - *used, "%s%s", count ? ", " : "", word);
        words[count++] = word;
    }
    return count;
}

_Noreturn static void no_such_kernel(const char *name, char *names)
{
    char what[200], all[8192];
    const char *words[MAX_NAMES], *nearest;
    size_t used, count = list_kernels(names, words, all, sizeof all, &used);
    nearest = mm_nearest(name, words, count);
    snprintf(all + used, sizeof all - used, "%s%s%s", nearest ? "; did you mean " : "",
             nearest ? nearest : "", nearest ? "?" : "");
    snprintf(what, sizeof what, "the program has no kernel '%.100s', but", name);
    host_fail(what, all);
}

_Noreturn static void several_kernels(char *names)
{
    char all[8192];
    const char *words[MAX_NAMES];
    size_t used, count = list_kernels(names, words, all, sizeof all, &used);
    if (count)
        snprintf(all + used, sizeof all - used, "; try -k %s", words[0]);
    host_fail("the program has several kernels, name one with -k", all);
}

static void find_kernel(struct host *host)
{
    cl_int code;
    size_t count = 0;
    char names[4096] = "";
    clGetProgramInfo(host->program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    clGetProgramInfo(host->program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    if (count == 0)
        host_fail("the program has no kernel", NULL);
    if (!host->name && count > 1)
        several_kernels(names);
    host->kernel = clCreateKernel(host->program, host->name ? host->name : names, &code);
    if (code == CL_INVALID_KERNEL_NAME)
        no_such_kernel(host->name, names);
    host_check(code, "clCreateKernel");
}

static void parse_arguments(struct host *host, int argc, char **argv)
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
        else if (strcmp(option, "input") == 0) {
            host->rounds = 1u << (strtoul(value, NULL, 10) % SPEC_INPUTS);
            host->has_round = true;
        } else if (strcmp(option, "repeat") == 0)
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

/* Reports impossible sizes more precisely than the runtime's error codes do. */
static void check_sizes(const struct host *host)
{
    for (cl_uint i = 0; i < host->dimensions; i++)
        if (host->global[i] == 0)
            host_fail("--global: a launch has at least one work-item", NULL);
    for (cl_uint i = 0; i < host->local_dimensions; i++)
        if (host->local[i] == 0)
            host_fail("--local: a work-group has at least one work-item", NULL);
}

static void launch_kernel(struct host *host)
{
    for (size_t i = 0; i < host->repeat; i++)
        host_check(clEnqueueNDRangeKernel(host->queue, host->kernel, host->dimensions, host->offset,
                                          host->global, host->local_dimensions ? host->local : NULL, 0, NULL,
                                          NULL),
                   "clEnqueueNDRangeKernel");
    host_check(clFinish(host->queue), "clFinish");
}

static void release_arguments(struct host *host)
{
    for (size_t i = 0; i < host->argument_count; i++) {
        struct argument *argument = &host->arguments[i];
        if (argument->buffer)
            clReleaseMemObject(argument->buffer);
        if (argument->image)
            clReleaseMemObject(argument->image);
        if (argument->sampler)
            clReleaseSampler(argument->sampler);
        if (argument->svm)
            clSVMFree(host->context, argument->svm);
        spec_clear(&argument->spec);
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
    if (argc % 2)
        host_fail("usage: refcl-kernel-host (OPTION VALUE)... FILE", NULL);
    parse_arguments(&host, argc, argv);
    check_sizes(&host);
    open_device(&host);
    build_program(&host, argv[argc - 1]);
    find_kernel(&host);
    host_check(clGetKernelInfo(host.kernel, CL_KERNEL_NUM_ARGS, sizeof host.argument_count,
                               &host.argument_count, NULL),
               "clGetKernelInfo");
    host_captured_memory(&host);
    host_read_arguments(&host);
    unsigned rounds = host.rounds ? host.rounds : 1;
    host.round = (unsigned)__builtin_ctz(rounds);
    host_set_arguments(&host);
    launch_kernel(&host);
    for (rounds &= rounds - 1; rounds; rounds &= rounds - 1) {
        host.round = (unsigned)__builtin_ctz(rounds);
        host_change_arguments(&host);
        launch_kernel(&host);
    }
    for (size_t i = 0; i < host.print_count; i++)
        host_print_argument(&host, host.prints[i]);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        mm_print(stderr, "refcl kernel: writing to the standard output failed: %s\n", strerror(errno));
        return 4;
    }
    host_save_arguments(&host);
    release_arguments(&host);
    return 0;
}
