/* Builds and runs a kernel with the library that is named, without a loader that would read the environment:
 * for set-user-id copies of this program.
 *
 *     privileged LIBRARY
 *
 * Prints AT_SECURE, the platform's name and what the kernel computed. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static void check(cl_int code, const char *call)
{
    if (code != CL_SUCCESS) {
        printf("%s: error %d\n", call, code);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void *symbol = library ? dlsym(library, "clGetPlatformIDs") : NULL;
    cl_int(CL_API_CALL * get_platforms)(cl_uint, cl_platform_id *, cl_uint *);
    if (!symbol) {
        printf("no library: %s\n", argc == 2 ? dlerror() : "usage: privileged LIBRARY");
        return 2;
    }
    memcpy(&get_platforms, &symbol, sizeof get_platforms);
    cl_platform_id platform;
    check(get_platforms(1, &platform, NULL), "clGetPlatformIDs");
    cl_icd_dispatch *cl = *(cl_icd_dispatch **)platform;

    char name[200] = "";
    check(cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
    printf("AT_SECURE %lu\nplatform %s\n", getauxval(AT_SECURE), name);

    cl_int code, result = 0;
    cl_device_id device;
    check(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = cl->clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");
    const char *text = "kernel void k(global int *a) { *a = 42; }";
    cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(cl->clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = cl->clCreateKernel(program, "k", &code);
    check(code, "clCreateKernel");
    cl_mem buffer = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, &code);
    check(code, "clCreateBuffer");
    check(cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    size_t one = 1;
    check(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf("result %d\n", result);
    return 0;
}
