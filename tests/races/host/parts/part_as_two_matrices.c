// expect: data-race
// at: shift:2 write, shift:2 write, same group
// A kernel writes two matrices without common rows; both are the same buffer, one begins a column later.
#include "../host.h"

int main(void)
{
    begin_with(
        "kernel void shift(global int *a, global int *b, int w) { int x = get_global_id(0), y = get_global_id(1);\n"
        "  a[y * w + x] = x; b[y * w + x + 1] = y; }\n",
        NULL);
    cl_command_queue q = in_order();
    cl_mem whole = buffer();
    size_t size[] = {4, 8}, local[] = {2, 2};
    cl_int code, width = 5;
    cl_kernel k = clCreateKernel(program, "shift", &code);
    OK(code);
    OK(clSetKernelArg(k, 0, sizeof whole, &whole));
    OK(clSetKernelArg(k, 1, sizeof whole, &whole));
    OK(clSetKernelArg(k, 2, sizeof width, &width));
    OK(clEnqueueNDRangeKernel(q, k, 2, NULL, size, local, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
