// expect: data-race
// title: A pipeline with two buffers whose third upload comes too early
// Uploads on one queue, kernels on another, two buffers in turn. Each kernel waits for its upload, but no upload waits for the kernel that still reads its buffer.
#include "sample.h"

enum { N = 1 << 14, STEPS = 8 };

int main(void)
{
    static int input[STEPS][N];
    open_device();
    cl_command_queue upload = queue(0), compute = queue(0);
    cl_kernel sum = kernel("kernel void sum(global const int *in, global int *out, int n) {\n"
                           "  size_t i = get_global_id(0);\n"
                           "  if (i < n) out[i] += in[i]; }",
                           "sum");
    cl_mem in[2] = {buffer(sizeof *input), buffer(sizeof *input)}, out = buffer(sizeof *input);
    cl_event uploaded, computed[STEPS];
    cl_int n = N;
    size_t items = N;
    arg(sum, 1, out);
    OK(clSetKernelArg(sum, 2, sizeof n, &n));
    for (int step = 0; step < STEPS; step++) {
        cl_mem to = in[step % 2];
#ifdef FIXED
        cl_uint waits = step >= 2;
#else
        cl_uint waits = 0;
#endif
        OK(clEnqueueWriteBuffer(upload, to, CL_FALSE, 0, sizeof *input, input[step], waits,
                                waits ? &computed[step - 2] : NULL, &uploaded));
        OK(clFlush(upload));
        arg(sum, 0, to);
        OK(clEnqueueNDRangeKernel(compute, sum, 1, NULL, &items, NULL, 1, &uploaded, &computed[step]));
        OK(clFlush(compute));
    }
    OK(clFinish(compute));
    OK(clFinish(upload));
    return 0;
}
