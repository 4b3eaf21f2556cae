/* Launches in which every element races, beside one without a race: racing MODE ITEMS.  Each has two
 * launches.  ordered: of two queues, the second one waits for the first; queues: it does not; write: nor do
 * launches wait for what writes their buffers; items: two work-items access each element; groups: so do two
 * of the same work-group, without a barrier. */
#include "check.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const text = "kernel void add(global const float *x, global float *y)\n"
                                "{\n"
                                "    size_t i = get_global_id(0);\n"
                                "    y[i] = 3.4f * x[i] + y[i];\n"
                                "}\n"
                                "kernel void half_of(global const float *x, global float *y)\n"
                                "{\n"
                                "    size_t i = get_global_id(0), n = get_global_size(0) / 2;\n"
                                "    y[i % n] = 3.4f * x[i] + y[i % n];\n"
                                "}\n"
                                "kernel void neighbor(global float *x, global float *y)\n"
                                "{\n"
                                "    size_t i = get_global_id(0);\n"
                                "    y[i] = x[i];\n"
                                "    x[i] = y[i ^ 1] + y[i];\n"
                                "}\n";
static cl_context context;
static cl_device_id device;

static cl_command_queue make_queue(void)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");
    return queue;
}

int main(int argc, char **argv)
{
    const char *mode = argc == 3 ? argv[1] : "";
    size_t items = argc == 3 ? strtoull(argv[2], NULL, 10) : 0, local = 64;
    int writes = strcmp(mode, "write") == 0, ordered = strcmp(mode, "ordered") == 0;
    const char *name = strcmp(mode, "items") == 0    ? "half_of"
                       : strcmp(mode, "groups") == 0 ? "neighbor"
                                                     : "add";
    cl_platform_id platform;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &code);
    check(code ? code : clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, name, &code);
    check(code, "clCreateKernel");
    float *values = malloc((items + 1) * sizeof *values);
    for (size_t k = 0; values && k < items; k++)
        values[k] = (float)k; /* so that racing writes differ */
    if (!values)
        return 1;
    cl_command_queue first = make_queue(), second = strcmp(name, "add") == 0 ? make_queue() : first;
    cl_mem memory[2];
    for (cl_uint k = 0; k < 2; k++) {
        memory[k] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, items * sizeof *values, values, &code);
        check(code ? code : clSetKernelArg(kernel, k, sizeof memory[k], &memory[k]), "clSetKernelArg");
        if (writes)
            check(clEnqueueWriteBuffer(second, memory[k], CL_FALSE, 0, items * sizeof *values, values, 0,
                                       NULL, NULL),
                  "clEnqueueWriteBuffer");
    }
    cl_event event;
    check(clEnqueueNDRangeKernel(first, kernel, 1, NULL, &items, &local, 0, NULL, &event), "launch");
    check(clFlush(first), "clFlush");
    check(clEnqueueNDRangeKernel(second, kernel, 1, NULL, &items, &local, (cl_uint)ordered,
                                 ordered ? &event : NULL, NULL),
          "launch");
    check(clFinish(second), "clFinish");
    check(clFinish(first), "clFinish");
    free(values);
    return 0;
}
