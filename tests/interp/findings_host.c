/* Runs kernel k of a file on eight work-items in two work-groups, with two buffers of 64 bytes and, if it has
 * a third argument, an image of 4 x 4 texels.  The first buffer is filled with zeros. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    static char text[1 << 16];
    const char *source = text;
    FILE *file = fopen(argv[1], "r");
    if (argc < 2 || file == NULL || fread(text, 1, sizeof text - 1, file) == 0)
        return 1;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL))
        return 2;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);  /* IN */
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL); /* OUT */
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, NULL); /* IMAGE */
    cl_uint zero = 0;
    clEnqueueFillBuffer(queue, in, &zero, sizeof zero, 0, 64, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    clSetKernelArg(kernel, 2, sizeof image, &image);
    size_t global = 8, local = 4;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return clFinish(queue);
}
