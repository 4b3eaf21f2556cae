/* CPU time of one kernel on the first device: bench FILE.cl KERNEL REPEATS [SCALE].  Prints a line with the
 * median CPU time of a launch in milliseconds and a sum over the result. */
#include "check.h"

#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct plan {
    const char *kernel;
    cl_uint dimensions;
    size_t global[2], local[2];
    int floats; /* 1: the inputs are in [0, 1), 0: words */
};
static const struct plan plans[] = {
    {"vector_add", 1, {1 << 20, 1}, {64, 1}, 1},
    {"saxpy_chain", 1, {1 << 20, 1}, {64, 1}, 1},
    {"matrix_naive", 2, {256, 256}, {16, 16}, 1},
    {"matrix_tiled", 2, {256, 256}, {16, 16}, 1},
    {"reduction", 1, {1 << 20, 1}, {256, 1}, 1},
    {"scan", 1, {1 << 18, 1}, {256, 1}, 1},
    {"stencil", 2, {1024, 1024}, {64, 4}, 1},
    {"histogram", 1, {1 << 20, 1}, {256, 1}, 1},
    {"n_body", 1, {2048, 1}, {64, 1}, 1},
    {"bitonic_sort", 1, {1 << 17, 1}, {256, 1}, 1},
    {"black_scholes", 1, {1 << 19, 1}, {64, 1}, 1},
    {"integer_hash", 1, {1 << 20, 1}, {64, 1}, 0},
    {"ticket_lock", 1, {4096, 1}, {64, 1}, 1},
    {"md_rounds", 1, {1 << 18, 1}, {64, 1}, 0},
    {"sparse_product", 1, {1 << 18, 1}, {64, 1}, 2},
    {"mandelbrot", 2, {256, 256}, {16, 4}, 1},
    {"box_filter", 2, {512, 512}, {32, 4}, 0},
    {"dense_layer", 1, {1 << 16, 1}, {64, 1}, 1},
    {"gemm", 2, {64, 128}, {8, 16}, 1},
    {"gemv", 1, {1024 * 64, 1}, {64, 1}, 1},
    {"axpy", 1, {1 << 14, 1}, {64, 1}, 1},
    {"fft", 1, {1 << 16, 1}, {64, 1}, 1},
    {"sha256", 1, {1 << 16, 1}, {64, 1}, 0},
    {"radix_count", 1, {1 << 16, 1}, {256, 1}, 0},
    {"sort_step", 1, {1 << 19, 1}, {128, 1}, 1},
    {"csr_product", 1, {1 << 17, 1}, {64, 1}, 2},
    {"floyd_warshall", 2, {512, 512}, {16, 16}, 0},
    {"hotspot", 2, {512, 512}, {16, 16}, 1},
    {"n_body_double", 1, {1024, 1}, {64, 1}, 1},
    {"perlin", 2, {512, 512}, {16, 16}, 1},
    {"grey", 2, {1024, 512}, {32, 8}, 0},
    {"resize", 2, {768, 768}, {16, 16}, 0},
    {"blur_row", 2, {1024, 512}, {128, 1}, 1},
    {"sobel", 2, {128, 1024}, {16, 8}, 0},
    {"transpose", 2, {512, 512}, {16, 16}, 1},
    {"kmeans", 1, {1 << 18, 1}, {64, 1}, 1},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (f == NULL || text == NULL || fread(text, 1, (1 << 16) - 1, f) == 0)
        exit(1);
    fclose(f);
    return text;
}

static void fill(uint32_t *words, size_t n, int floats)
{
    uint32_t x = 12345;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        float f = (float)(x >> 8) / 16777216.0f;
        words[i] = x;
        if (floats)
            memcpy(&words[i], &f, sizeof f);
    }
}

int main(int argc, char **argv)
{
    const struct plan *p = plans;
    if (argc < 4)
        return 2;
    while (p < plans + sizeof plans / sizeof *plans && strcmp(p->kernel, argv[2]) != 0)
        p++;
    if (p == plans + sizeof plans / sizeof *plans)
        return 2;
    int repeats = atoi(argv[3]), shift = argc > 4 ? atoi(argv[4]) : 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    if (code != CL_SUCCESS)
        queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    const char *source = read_file(argv[1]);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, p->kernel, &code);
    check(code, "clCreateKernel");
    size_t n = (size_t)4 << 20;
    uint32_t *words = calloc(n, 4);
    if (words == NULL)
        return 1;
    cl_mem memory[3];
    for (cl_uint k = 0; k < 3; k++) {
        fill(words, n, p->floats == 2 ? k == 0 : p->floats);
        if (k == 2 || strcmp(p->kernel, "ticket_lock") == 0)
            memset(words, 0, n * 4);
        memory[k] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * 4, words, &code);
        check(code, "clCreateBuffer");
        check(clSetKernelArg(kernel, k, sizeof memory[k], &memory[k]), "clSetKernelArg");
    }
    size_t global[2] = {p->global[0] >> shift, p->global[1]};
    if (global[0] < p->local[0])
        global[0] = p->local[0];
    double *times = calloc((size_t)repeats, sizeof *times);
    for (int k = -1; k < repeats && times != NULL; k++) {
        double start = now();
        check(clEnqueueNDRangeKernel(queue, kernel, p->dimensions, NULL, global, p->local, 0, NULL, NULL),
              "launch");
        check(clFinish(queue), "clFinish");
        if (k >= 0)
            times[k] = now() - start;
    }
    check(clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, n * 4, words, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    uint64_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum = sum * 31 + words[k];
    qsort(times, (size_t)repeats, sizeof *times, by_value);
    printf("%s %.3f %016llx\n", p->kernel, times[repeats / 2], (unsigned long long)sum);
    return 0;
}
