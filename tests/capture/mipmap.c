/* Launches a kernel that samples levels of a mipmapped array with a sampler with level properties, and prints
 * the result: the captured launch must have the same. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "kernel void levels(read_only image2d_array_t m, sampler_t s, global int *out) {\n"
    "  int i = get_global_id(0);\n"
    "  float4 at = (float4)(0.3f, 0.6f, i & 1, 0);\n"
    "  out[i] = (int)(8 * read_imagef(m, s, at, i * 0.25f).x) + get_image_num_mip_levels(m);\n"
    "}\n";
enum { LEVELS = 3, W = 5, H = 6, LAYERS = 2, ITEMS = 12 };

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    exit(2);
}

static cl_mem make_image(cl_context context, cl_command_queue queue)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                .image_width = W,
                                .image_height = H,
                                .image_array_size = LAYERS,
                                .num_mip_levels = LEVELS};
    cl_int code;
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
    check(code, "clCreateImage");
    for (size_t level = 0; level < LEVELS; level++) {
        const size_t origin[4] = {0, 0, 0, level}, region[3] = {W >> level, H >> level, LAYERS};
        float texels[W * H * LAYERS];
        for (size_t i = 0; i < W * H * LAYERS; i++)
            texels[i] = (float)(100 * (level + 1) + i);
        check(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL),
              "write");
    }
    return image;
}

static cl_sampler make_sampler(cl_context context)
{
    const float limits[2] = {0.125f, 1.625f};
    cl_uint bits[2];
    memcpy(bits, limits, sizeof bits);
    const cl_sampler_properties properties[] = {CL_SAMPLER_MIP_FILTER_MODE,
                                                CL_FILTER_LINEAR,
                                                CL_SAMPLER_LOD_MIN,
                                                bits[0],
                                                CL_SAMPLER_LOD_MAX,
                                                bits[1],
                                                0};
    cl_int code;
    cl_sampler sampler = clCreateSamplerWithProperties(context, properties, &code);
    check(code, "clCreateSamplerWithProperties");
    return sampler;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code, out[ITEMS];
    const char *text = source;
    const size_t items = ITEMS;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(clBuildProgram(program, 1, &device, "-cl-std=CL3.0 -cl-kernel-arg-info", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "levels", &code);
    cl_mem image = make_image(context, queue), buffer = clCreateBuffer(context, 0, sizeof out, NULL, &code);
    cl_sampler sampler = make_sampler(context);
    check(clSetKernelArg(kernel, 0, sizeof image, &image), "image");
    check(clSetKernelArg(kernel, 1, sizeof sampler, &sampler), "sampler");
    check(clSetKernelArg(kernel, 2, sizeof buffer, &buffer), "buffer");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    for (int i = 0; i < ITEMS; i++)
        printf(" %d", out[i]);
    printf("\n");
    clReleaseSampler(sampler);
    clReleaseMemObject(image);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
