/* What the samples share: one device of the first platform, short names.  Each sample has one bug, which -DFIXED removes. */
#ifndef TESTS_LAYER_SAMPLES_SAMPLE_H
#define TESTS_LAYER_SAMPLES_SAMPLE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_device_id device;
static cl_context context;

static inline void check(cl_int code, int line)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "line %d: error %d\n", line, code);
    exit(2);
}
#define OK(call) check((call), __LINE__)

static inline void open_device(void)
{
    cl_platform_id platform;
    cl_int code;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    OK(code);
}

static inline cl_command_queue queue(cl_command_queue_properties properties)
{
    cl_int code;
    cl_command_queue made = clCreateCommandQueue(context, device, properties, &code);
    OK(code);
    return made;
}

static inline cl_mem buffer(size_t bytes)
{
    cl_int code;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    OK(code);
    return made;
}

static inline cl_kernel kernel(const char *text, const char *name)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel made = clCreateKernel(program, name, &code);
    OK(code);
    return made;
}

static inline void arg(cl_kernel k, cl_uint index, cl_mem mem)
{
    OK(clSetKernelArg(k, index, sizeof mem, &mem));
}

#endif
