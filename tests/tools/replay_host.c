/* What test_replay.py records: launches of some kernels, with commands between them that change their memory. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "__constant float table[4] = {3, 1, 4, 1};\n"
    "kernel void scale(global float *out, global const float *in, float factor)\n"
    "{ size_t i = get_global_id(0); out[i] = sin(in[i]) * factor + i; }\n"
    "kernel void turn(global float *data, local float *tile)\n"
    "{ size_t l = get_local_id(0); tile[l] = data[get_global_id(0)] + table[l & 3];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] = tile[get_local_size(0) - 1 - l]; }\n"
    "kernel void half_turn(global float *data, local float *tile)\n"
    "{ size_t l = get_local_id(0); tile[l] = data[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] = tile[get_local_size(0) - 1 - l]; }\n"
    "kernel void count(global uint *bins, global const float *data)\n"
    "{ atomic_inc(&bins[(uint)fabs(data[get_global_id(0)]) & 7]); }\n"
    "struct cell { global float *at; };\n"
    "kernel void keep(global struct cell *cells, global float *data)\n"
    "{ size_t i = get_global_id(0); cells[i].at = 0; data[i] += cells[i].at == 0; }\n"
    "kernel void lies(global ulong *out, global const float *data) { out[get_global_id(0)] = (ulong)data >> "
    "60; }\n";

static cl_command_queue queue;
static cl_program program;

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    exit(1);
}

static void launch(const char *name, cl_mem a, size_t size, const void *second, size_t offset, size_t global,
                   const float *factor)
{
    size_t local = 8;
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    check(code, name);
    check(clSetKernelArg(kernel, 0, sizeof a, &a), "argument 0");
    check(clSetKernelArg(kernel, 1, size, second), "argument 1");
    if (factor)
        check(clSetKernelArg(kernel, 2, sizeof *factor, factor), "argument 2");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &global, &local, 0, NULL, NULL), "launch");
    check(clFinish(queue), "clFinish");
    clReleaseKernel(kernel);
}

int main(void)
{
    float data[128], sum = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");
    program = clCreateProgramWithSource(context, 1, (const char **)(size_t)&source, NULL, &code);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    for (int k = 0; k < 128; k++)
        data[k] = (float)k;
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 256, data, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    cl_mem c = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    cl_buffer_region region = {256, 256};
    cl_mem part = clCreateSubBuffer(c, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check(code, "clCreateSubBuffer");
    cl_mem bins = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    for (cl_uint step = 0; step < 3; step++) {
        const float factor = (float)step, half = 0.5f;
        launch("scale", b, sizeof a, &a, 0, 64, &factor);
        launch("turn", b, 32, NULL, 0, 64, NULL);
        launch("half_turn", b, 32, NULL, 0, 64, NULL);
        launch("keep", bins, sizeof b, &b, 0, 32, NULL);
        check(clEnqueueCopyBuffer(queue, b, part, 0, 0, 256, 0, NULL, NULL), "copy");
        check(clFinish(queue), "clFinish");
        launch("scale", part, sizeof b, &b, 4, 32, &half);
        check(clEnqueueFillBuffer(queue, bins, &step, 4, 0, 64, 0, NULL, NULL), "fill");
        check(clFinish(queue), "clFinish");
        launch("count", bins, sizeof c, &c, 0, 64, NULL);
        launch("lies", bins, sizeof a, &a, 0, 8, NULL);
        float *map = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE, 16, 64, 0, NULL, NULL, &code);
        check(code, "map");
        map[3] = (float)step;
        check(clEnqueueUnmapMemObject(queue, b, map, 0, NULL, NULL), "unmap");
        check(clFinish(queue), "clFinish");
        check(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), "read");
        for (int k = 0; k < 128; k++)
            sum += data[k];
    }
    printf("%f\n", (double)sum);
    return 0;
}
