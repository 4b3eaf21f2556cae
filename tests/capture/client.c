/* Launches kernels with every kind of argument and prints their results: captured launches must have the same
 * results. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "struct pair { int a; float b; };\n"
    "kernel void mix(global int *out, global const int *in, struct pair p, local int *scratch, constant int "
    "*c)\n"
    "{\n"
    "    int l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);\n"
    "    scratch[l] = in[g % 4] + c[1];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[g - get_global_offset(0)] += scratch[n - 1 - l] * p.a + (int)p.b;\n"
    "}\n"
    "kernel void picture(read_only image2d_t image, sampler_t s, global int *out)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    uint4 t = read_imageui(image, s, (int2)(x + 1, y));\n"
    "    out[y * 4 + x] = t.x + 10 * t.w;\n"
    "}\n"
    "struct node { global struct node *next; long value; };\n"
    "kernel void list(global struct node *head, global int *out)\n"
    "{\n"
    "    long sum = 0;\n"
    "    for (global struct node *n = head; n; n = n->next)\n"
    "        sum = sum * 10 + n->value;\n"
    "    out[0] = (int)sum;\n"
    "}\n"
    "kernel void race(global int *out) { out[0] = get_global_id(0); out[1] = out[0] >= 0; }\n";

struct node {
    struct node *next;
    cl_long value;
};
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem out;

static void check(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, code);
        exit(1);
    }
}

static cl_kernel kernel(const char *name)
{
    cl_int code;
    cl_kernel k = clCreateKernel(program, name, &code);
    check(code, name);
    return k;
}

static void launch(cl_kernel k, cl_uint dimensions, const size_t *offset, const size_t *global,
                   const size_t *local)
{
    cl_int zero = 5, data[16];
    check(clEnqueueFillBuffer(queue, out, &zero, 4, 0, 64, 0, NULL, NULL), "fill");
    check(clEnqueueNDRangeKernel(queue, k, dimensions, offset, global, local, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 64, data, 0, NULL, NULL), "read");
    for (int i = 0; i < 16; i++)
        printf(" %d", (int)data[i]);
    putchar('\n');
    clReleaseKernel(k);
}

static void mix(void)
{
    cl_int numbers[64], code;
    struct {
        cl_int a;
        cl_float b;
    } pair = {3, 2.5f};
    for (int i = 0; i < 64; i++)
        numbers[i] = i * i;
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 256, numbers, &code);
    cl_buffer_region region = {128, 64};
    cl_mem part = clCreateSubBuffer(in, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check(code, "sub-buffer");
    cl_kernel k = kernel("mix");
    clSetKernelArg(k, 0, sizeof out, &out);
    clSetKernelArg(k, 1, sizeof part, &part);
    clSetKernelArg(k, 2, sizeof pair, &pair);
    clSetKernelArg(k, 3, 16, NULL);
    clSetKernelArg(k, 4, sizeof in, &in);
    launch(k, 1, (const size_t[]){3}, (const size_t[]){12}, (const size_t[]){4});
    clReleaseMemObject(part);
    clReleaseMemObject(in);
}

static void picture(void)
{
    unsigned char texels[3 * 6 * 4];
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 6, .image_height = 3};
    cl_int code;
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (unsigned char)i;
    cl_mem image =
        clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &description, texels, &code);
    check(code, "image");
    cl_sampler sampler = clCreateSamplerWithProperties(
        context,
        (const cl_sampler_properties[]){CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
                                        CL_ADDRESS_CLAMP_TO_EDGE, CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST,
                                        0},
        &code);
    check(code, "sampler");
    cl_kernel k = kernel("picture");
    clSetKernelArg(k, 0, sizeof image, &image);
    clSetKernelArg(k, 1, sizeof sampler, &sampler);
    clSetKernelArg(k, 2, sizeof out, &out);
    launch(k, 2, NULL, (const size_t[]){4, 3}, NULL);
    clReleaseSampler(sampler);
    clReleaseMemObject(image);
}

static void list(void)
{
    struct node *nodes[3];
    for (int i = 2; i >= 0; i--) {
        nodes[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof **nodes, 0);
        struct node n = {i < 2 ? nodes[i + 1] : NULL, i + 1};
        check(clEnqueueSVMMemcpy(queue, CL_TRUE, nodes[i], &n, sizeof n, 0, NULL, NULL), "copy");
    }
    cl_kernel k = kernel("list");
    clSetKernelArgSVMPointer(k, 0, nodes[0]);
    clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 2 * sizeof *nodes, nodes + 1);
    clSetKernelArg(k, 1, sizeof out, &out);
    launch(k, 1, NULL, (const size_t[]){1}, NULL);
    for (int i = 0; i < 3; i++)
        clSVMFree(context, nodes[i]);
}

static void race(void)
{
    cl_kernel k = kernel("race");
    clSetKernelArg(k, 0, sizeof out, &out);
    launch(k, 1, NULL, (const size_t[]){2}, (const size_t[]){1});
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    const char *text = source;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(clBuildProgram(program, 1, &device, "-cl-std=CL3.0 -g -cl-kernel-arg-info", NULL, NULL), "build");
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &code);
    check(code, "buffer");
    mix();
    picture();
    list();
    race();
    clReleaseMemObject(out);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
