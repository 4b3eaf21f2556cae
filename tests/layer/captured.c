/* Launches with every kind of argument that the layer captures, and one with an image; prints what each kernel computes. */
#define CL_TARGET_OPENCL_VERSION 120
#include "samples/sample.h"

enum { N = 64, PART = 1 << 17 }; /* more than one block of the file */

/* Launches LAUNCH in a callback, which may wait for nothing; then LAUNCHED is complete. */
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
    "kernel void picture(write_only image2d_t to) { write_imagef(to, (int2)(0, 0), (float4)(1)); }\n";

int main(void)
{
    static cl_int in[N], out[N];
    const cl_int pair[2] = {3, 5};
    const size_t items = N, local = 16, offset = 7, one = 1;
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
    for (int i = 0; i < N; i++)
        printf("%d%s", out[i], i + 1 < N ? " " : "\n");
    fflush(stdout);
    arg(last, 0, result);
    OK(clEnqueueNDRangeKernel(q, last, 1, NULL, &items, NULL, 0, NULL, NULL));
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    arg(picture, 0, clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code));
    OK(code);
    OK(clEnqueueNDRangeKernel(q, picture, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(q));
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
