/* Two kernels on two queues; nothing makes the second wait for the first. */
#include <CL/cl.h>

int main(void)
{
    const char *source = "kernel void fill(global int *a) { a[get_global_id(0)] = 1; }\n"
                         "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n";
    cl_platform_id platform;
    cl_device_id device;
    size_t items = 64;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue first = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_command_queue second = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, items * sizeof(cl_int), NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel fill = clCreateKernel(program, "fill", NULL), twice = clCreateKernel(program, "twice", NULL);
    clSetKernelArg(fill, 0, sizeof a, &a);
    clSetKernelArg(twice, 0, sizeof a, &a);
    clEnqueueNDRangeKernel(first, fill, 1, NULL, &items, NULL, 0, NULL, NULL);
    clEnqueueNDRangeKernel(second, twice, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFinish(first);
    clFinish(second);
    clReleaseKernel(fill);
    clReleaseKernel(twice);
    clReleaseProgram(program);
    clReleaseMemObject(a);
    clReleaseCommandQueue(first);
    clReleaseCommandQueue(second);
    clReleaseContext(context);
    return 0;
}
