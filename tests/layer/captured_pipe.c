/* Launches that write to a pipe and read from it. */
#define CL_TARGET_OPENCL_VERSION 200
#include "samples/sample.h"

int main(void)
{
    const char *text =
        "kernel void put(write_only pipe int p) { int x = 3; write_pipe(p, &x); }\n"
        "kernel void take(read_only pipe int p, global int *out) { int x = 0; if (!read_pipe(p, &x)) *out = x; }\n";
    const size_t one = 1;
    cl_int code, taken = 0;
    open_device();
    cl_command_queue q = queue(0);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL));
    cl_kernel put = clCreateKernel(program, "put", NULL), take = clCreateKernel(program, "take", NULL);
    cl_mem pipe = clCreatePipe(context, 0, sizeof(cl_int), 4, NULL, &code), out = buffer(sizeof(cl_int));
    OK(code);
    OK(clSetKernelArg(put, 0, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(take, 0, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(take, 1, sizeof(cl_mem), &out));
    OK(clEnqueueNDRangeKernel(q, put, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(q, take, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof taken, &taken, 0, NULL, NULL));
    printf("%d\n", taken);
    return 0;
}
