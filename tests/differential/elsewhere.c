/* Runs exported kernels on the first device here, on a machine that may have a C compiler and an OpenCL
 * loader alone: see elsewhere.py.  elsewhere FOLDER RESULTS [JOBS]
 *
 * FOLDER has `list` (a line for each kernel: its program and its name), the programs, and `inputs`, `texels`:
 * the kernels' first argument and the image's pixels.  RESULTS gets, for each kernel, a line "NAME STATUS"
 * and, if STATUS is 0, its output buffers.  A program that crashes or hangs the driver costs its
 * kernels alone. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 300, INPUTS = 256, TEXELS = 1024, NAME = 64, OUTPUTS = 4, COUNTERS = 2 };

static size_t sizes[OUTPUTS], global, local;

struct pair {
    char program[NAME], kernel[NAME];
};

static void *read_file(const char *folder, const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(4);
    }
    char *data = NULL;
    *size = 0;
    for (size_t n = 1; n > 0; *size += n) {
        data = realloc(data, *size + 65537);
        if (!data)
            exit(4);
        n = fread(data + *size, 1, 65536, f);
    }
    fclose(f);
    data[*size] = 0;
    return data;
}

static cl_int launch(cl_context context, cl_command_queue queue, cl_kernel kernel, void *inputs, void *texels,
                     void **outputs)
{
    cl_int e[OUTPUTS + 2];
    cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_mem m[OUTPUTS + 2];
    cl_int status = CL_SUCCESS;
    for (int i = 0; i < OUTPUTS; i++) {
        memset(outputs[i], 0, sizes[i]);
        if (i == COUNTERS)
            ((cl_int *)outputs[i])[1] = -1;
        m[i + 1] = clCreateBuffer(context, flags, sizes[i], outputs[i], &e[i + 1]);
    }
    m[0] = clCreateBuffer(context, flags, INPUTS, inputs, &e[0]);
    m[OUTPUTS + 1] = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape, texels,
                                   &e[OUTPUTS + 1]);
    for (int i = 0; i < OUTPUTS + 2 && !status; i++)
        status = e[i] ? e[i] : clSetKernelArg(kernel, (cl_uint)i, sizeof m[i], &m[i]);
    if (!status)
        status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    for (int i = 0; i < OUTPUTS && !status; i++)
        status = clEnqueueReadBuffer(queue, m[i + 1], CL_TRUE, 0, sizes[i], outputs[i], 0, NULL, NULL);
    for (int i = 0; i < OUTPUTS + 2; i++)
        if (!e[i])
            clReleaseMemObject(m[i]);
    return status;
}

/* The kernels of one program, in a separate process. */
static int run_program(const char *folder, const struct pair *pairs, size_t count, FILE *out)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status = clGetPlatformIDs(1, &platform, NULL);
    if (!status)
        status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = status ? NULL : clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue =
        status ? NULL : clCreateCommandQueueWithProperties(context, device, NULL, &status);
    if (status) {
        fprintf(stderr, "no device: %d\n", status);
        return 4;
    }
    size_t length, unused;
    const char *source = read_file(folder, pairs[0].program, &length);
    void *inputs = read_file(folder, "inputs", &unused), *texels = read_file(folder, "texels", &unused);
    void *outputs[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++)
        if (!(outputs[i] = malloc(sizes[i])))
            return 4;
    cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &status);
    cl_device_fp_config floats = 0;
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, NULL);
    const char *options = floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                              ? "-cl-std=CL3.0 -w -cl-fp32-correctly-rounded-divide-sqrt"
                              : "-cl-std=CL3.0 -w";
    if (!status)
        status = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (status) {
        static char log[100000];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s: %d\n%.2000s\n", pairs[0].program, status, log);
    }
    for (size_t k = 0; k < count; k++) {
        cl_int e = status;
        cl_kernel kernel = e ? NULL : clCreateKernel(program, pairs[k].kernel, &e);
        if (!e)
            e = launch(context, queue, kernel, inputs, texels, outputs);
        fprintf(out, "%s %d\n", pairs[k].kernel, e);
        for (int i = 0; i < OUTPUTS && !e; i++)
            fwrite(outputs[i], 1, sizes[i], out);
        fflush(out);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "elsewhere FOLDER RESULTS [JOBS]\n");
        return 2;
    }
    int jobs = argc > 3 ? atoi(argv[3]) : 1, running = 0, serial = 0;
    size_t length, count = 0;
    char *list = read_file(argv[1], "list", &length), *save;
    char *line = strtok_r(list, "\n", &save);
    struct pair *pairs = malloc((length / 4 + 1) * sizeof *pairs);
    if (!pairs || !line ||
        sscanf(line, "%zu %zu %zu %zu %zu %zu", &global, &local, &sizes[0], &sizes[1], &sizes[2],
               &sizes[3]) != 2 + OUTPUTS) {
        fprintf(stderr, "%s/list: no sizes in its first line\n", argv[1]);
        return 2;
    }
    while ((line = strtok_r(NULL, "\n", &save)))
        count += sscanf(line, "%63s %63s", pairs[count].program, pairs[count].kernel) == 2;
    for (size_t i = 0, n; i < count; i += n, serial++) {
        for (n = 1; i + n < count && !strcmp(pairs[i].program, pairs[i + n].program); n++)
            ;
        if (running >= jobs && wait(NULL) > 0)
            running--;
        if (fork() == 0) {
            char path[4096];
            snprintf(path, sizeof path, "%s.%d", argv[2], serial);
            FILE *out = fopen(path, "wb");
            alarm(SECONDS);
            _exit(out ? run_program(argv[1], pairs + i, n, out) : 4);
        }
        running++;
    }
    while (wait(NULL) > 0)
        ;
    return 0;
}
