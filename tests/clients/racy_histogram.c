/* A small, ordinary OpenCL program: a histogram of digits, with a data race in its kernel.
 *
 *     racy_histogram KERNEL.cl */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4096, GROUPS = 4, ITEMS = 16 };

static void check(cl_int code, const char *call)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", call, code);
        exit(1);
    }
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 65536);
    if (!file || !text || !fread(text, 1, 65535, file)) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    unsigned char digits[COUNT];
    cl_uint expected[10] = {0}, total[10] = {0}, count = COUNT;
    if (argc != 2) {
        fprintf(stderr, "usage: racy_histogram KERNEL.cl\n");
        return 2;
    }
    for (int i = 0; i < COUNT; i++)
        expected[digits[i] = (unsigned char)(i * 7 % 10)]++;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");

    char *text = read_text(argv[1]);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "histogram", &code);
    check(code, "clCreateKernel");

    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, COUNT, digits, &code);
    check(code, "clCreateBuffer");
    cl_mem out =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof total, total, &code);
    check(code, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof count, &count), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(kernel, 3, 10 * sizeof(cl_uint), NULL), "clSetKernelArg");

    size_t global = GROUPS * ITEMS, local = ITEMS;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof total, total, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf("digit:");
    for (int i = 0; i < 10; i++)
        printf(" %d=%u%s", i, total[i], total[i] == expected[i] ? "" : "(!)");
    printf("\n");

    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(text);
    return 0;
}
