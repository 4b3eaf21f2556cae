/* A kernel on one queue, and a command of another queue, unordered, that fills or reads the second half of
 * its output.
 *
 * possible KERNEL fill|read */
#include "samples/sample.h"

enum { N = 256 };

static const char *const text =
    "__attribute__((noinline)) void put(global int *to, int at) { to[at] = 1; }\n"
    "kernel void branch(global const int *in, global int *out, global int *other) {\n"
    "  if (in[get_global_id(0)]) out[get_global_id(0) + 128] = 1; }\n"
    "kernel void called(global const int *in, global int *out, global int *other) { put(out, in[get_global_id(0)]); }\n"
    "kernel void chosen(global const int *in, global int *out, global int *other) {\n"
    "  (in[0] ? out : other)[get_global_id(0) + 128] = 1; }\n"
    "kernel void held(global const int *in, global int *out, global int *other) {\n"
    "  global int *both[2] = {other, out}; both[in[0] & 1][get_global_id(0) + 128] = 1; }\n"
    "kernel void vectors(global const int *in, global int *out, global int *other) { vstore4((int4)(1), in[0], out); }\n"
    "kernel void atomics(global const int *in, global int *out, global int *other) { atomic_inc(&out[in[0]]); }\n"
    "kernel void reads(global const int *in, global int *out, global int *other) {\n"
    "  other[get_global_id(0)] = out[in[get_global_id(0)]]; }\n"
    "__attribute__((noinline)) void count(private int *n) { for (volatile int i = 0; i < 100000; i++) *n += 1; }\n"
    "kernel void counted(global const int *in, global int *out, global int *other) {\n"
    "  int n = 0; count(&n); out[n < 100000 ? 200 : 0] = 1; }\n"
    "kernel void elsewhere(global const int *in, global int *out, global int *other) {\n"
    "  out[get_global_id(0)] = 1; other[in[get_global_id(0)]] = 1; }\n";

int main(int argc, char **argv)
{
    static cl_int result[N];
    if (argc != 3)
        return 2;
    open_device();
    cl_command_queue first = queue(0), second = queue(0);
    cl_mem in = buffer(sizeof result), out = buffer(sizeof result), other = buffer(sizeof result);
    cl_kernel k = kernel(text, argv[1]);
    cl_int zero = 0;
    size_t items = N / 2, half = sizeof result / 2;
    OK(clEnqueueFillBuffer(first, in, &zero, sizeof zero, 0, sizeof result, 0, NULL, NULL));
    OK(clFinish(first));
    arg(k, 0, in);
    arg(k, 1, out);
    arg(k, 2, other);
    OK(clEnqueueNDRangeKernel(first, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    if (strcmp(argv[2], "fill") == 0)
        OK(clEnqueueFillBuffer(second, out, &zero, sizeof zero, half, half, 0, NULL, NULL));
    else
        OK(clEnqueueReadBuffer(second, out, CL_TRUE, half, half, result, 0, NULL, NULL));
    OK(clFinish(first));
    OK(clFinish(second));
    return 0;
}
