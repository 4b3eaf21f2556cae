/* Runs a kernel until its machine code is in use, and prints the process's mappings after it.
 *
 *     mappings */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cl_int code, const char *call)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", call, code);
        exit(1);
    }
}

int main(void)
{
    enum { COUNT = 256 };
    cl_platform_id platform;
    cl_device_id device;
    cl_int code, results[COUNT];
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");
    const char *text = "kernel void k(global int *a) { int i = get_global_id(0); a[i] = i * i; }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    check(code, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof results, NULL, &code);
    check(code, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    size_t count = COUNT;
    for (int i = 0; i < 3; i++)
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < COUNT; i++)
        if (results[i] != i * i)
            return 1;
    FILE *maps = fopen("/proc/self/maps", "r");
    for (int c; maps && (c = fgetc(maps)) != EOF;)
        putchar(c);
    return maps ? 0 : 1;
}
