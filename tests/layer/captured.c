/* Launches with every kind of argument that the layer captures, prints what two of the kernels compute. */
#define CL_TARGET_OPENCL_VERSION 200
#include "samples/sample.h"

enum { N = 64, PART = 1 << 17 }; /* more than one block of the file */

/* Launches LAUNCH in a callback, which must not wait; then LAUNCHED is complete. */
static cl_command_queue from_callback;
static cl_kernel launch;
static cl_event launched;

static void CL_CALLBACK launch_again(cl_event event, cl_int status, void *data)
{
    const size_t one = 1;
    (void)event;
    (void)status;
    (void)data;
    OK(clEnqueueNDRangeKernel(from_callback, launch, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clSetUserEventStatus(launched, CL_COMPLETE));
}

static const char *const text =
    "struct pair { int a; int b; };\n"
    "kernel void combine(global int *out, global const int *in, struct pair p, local int *scratch, global int *none) {\n"
    "  size_t l = get_local_id(0), g = get_global_id(0) - get_global_offset(0);\n"
    "  scratch[l] = in[g] * p.a + p.b;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[g] += scratch[get_local_size(0) - 1 - l] + FACTOR * (int)get_global_offset(0) + (none ? 1000 : 0); }\n"
    "kernel void last(global int *out) { out[0] = (int)get_global_id(0); }\n"
    "struct link { global int *to; };\n"
    "kernel void picture(global int *out, read_only image2d_t from, sampler_t s, global struct link *svm) {\n"
    "  int x = (int)get_global_id(0);\n"
    "  float2 at = (float2)((x % 8 + 9.5f) / 8, (x / 8 + 0.5f) / 8);\n" /* repeated, by the sampler's addressing mode */
    "  out[x] = read_imagei(from, s, at).x + svm->to[x]; }\n";

static void print(const cl_int *values)
{
    for (int i = 0; i < N; i++)
        printf("%d%s", values[i], i + 1 < N ? " " : "\n");
    fflush(stdout);
}

int main(void)
{
    static cl_int in[N], out[N];
    const cl_int pair[2] = {3, 5};
    const size_t items = N, local = 16, offset = 7;
    cl_int code;
    open_device();
    cl_command_queue q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, 1, &device, "-DFACTOR=2", NULL, NULL));
    cl_kernel combine = clCreateKernel(program, "combine", NULL),
              last = clCreateKernel(program, "last", NULL),
              picture = clCreateKernel(program, "picture", NULL);
    cl_mem whole = buffer(2 * PART), result = buffer(sizeof out);
    const cl_buffer_region region = {PART, PART};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    OK(code);
    for (int i = 0; i < N; i++) {
        in[i] = i * i;
        out[i] = 100 * i;
    }
    cl_event written[2], combined, reset;
    OK(clEnqueueWriteBuffer(q, part, CL_FALSE, 0, sizeof in, in, 0, NULL, &written[0]));
    OK(clEnqueueWriteBuffer(q, result, CL_FALSE, 0, sizeof out, out, 0, NULL, &written[1]));
    arg(combine, 0, result);
    arg(combine, 1, part);
    OK(clSetKernelArg(combine, 2, sizeof pair, pair));
    OK(clSetKernelArg(combine, 3, local * sizeof(cl_int), NULL));
    OK(clSetKernelArg(combine, 4, sizeof(cl_mem), NULL));
    OK(clEnqueueNDRangeKernel(q, combine, 1, &offset, &items, &local, 2, written, &combined));
    OK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, sizeof out, out, 1, &combined, NULL));
    print(out);
    arg(last, 0, result);
    OK(clEnqueueNDRangeKernel(q, last, 1, NULL, &items, NULL, 0, NULL, NULL));
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    arg(picture, 0, result);
    arg(picture, 1,
        clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, in, &code));
    OK(code);
    cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &code);
    OK(code);
    OK(clSetKernelArg(picture, 2, sizeof sampler, &sampler));
    cl_int **link = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof *link, 0);
    cl_int *far = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof in, 0);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, link, sizeof *link, 0, NULL, NULL));
    *link = far;
    OK(clEnqueueSVMUnmap(q, link, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(q, CL_TRUE, far, in, sizeof in, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clSetKernelArgSVMPointer(picture, 3, link));
    OK(clSetKernelExecInfo(picture, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof far, &far));
    OK(clEnqueueNDRangeKernel(q, picture, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    print(out);
    cl_event gate = clCreateUserEvent(context, &code);
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &reset));
    OK(clEnqueueNDRangeKernel(q, last, 1, NULL, &items, NULL, 1, &reset, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    cl_event marked;
    launched = clCreateUserEvent(context, &code);
    launch = last;
    from_callback = q;
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marked));
    OK(clSetEventCallback(marked, CL_COMPLETE, launch_again, NULL));
    OK(clFlush(q));
    OK(clWaitForEvents(1, &launched));
    OK(clFinish(q));
    return 0;
}
