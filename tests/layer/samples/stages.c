// expect: data-race
// title: Stages of a pipeline that one function enqueues
// All commands are enqueued at one line, in a function that others call. With `--backtrace` the report names the calls that led there.
// options: --backtrace
#include "sample.h"

enum { N = 1 << 12 };

static cl_event enqueue(cl_command_queue on, cl_kernel what, cl_mem in, cl_mem out, cl_event after)
{
    size_t items = N;
    cl_event done;
    arg(what, 0, in);
    arg(what, 1, out);
    OK(clEnqueueNDRangeKernel(on, what, 1, NULL, &items, NULL, after != NULL, after ? &after : NULL, &done));
    OK(clFlush(on));
    return done;
}

static cl_event blur(cl_command_queue on, cl_kernel what, cl_mem in, cl_mem out)
{
    return enqueue(on, what, in, out, NULL);
}

static cl_event sharpen(cl_command_queue on, cl_kernel what, cl_mem in, cl_mem out, cl_event after)
{
    return enqueue(on, what, in, out, after);
}

int main(void)
{
    open_device();
    cl_command_queue first = queue(0), second = queue(0);
    cl_kernel copy = kernel("kernel void copy(global const int *in, global int *out) {\n"
                            "  out[get_global_id(0)] = in[get_global_id(0)]; }",
                            "copy");
    cl_mem image = buffer(N * sizeof(cl_int)), blurred = buffer(N * sizeof(cl_int)),
           sharp = buffer(N * sizeof(cl_int));
    cl_event done = blur(first, copy, image, blurred);
#ifdef FIXED
    sharpen(second, copy, blurred, sharp, done);
#else
    (void)done;
    sharpen(second, copy, blurred, sharp, NULL);
#endif
    OK(clFinish(first));
    OK(clFinish(second));
    return 0;
}
