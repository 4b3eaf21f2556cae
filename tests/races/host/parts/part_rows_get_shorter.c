// expect: data-race
// at: rows:2 write, rows:2 write, different groups
// Launches of one kernel with one size; in the third, rows are one element shorter than the launch is wide.
#include "../host.h"

int main(void)
{
    begin_with("kernel void rows(global int *a, int w) { int x = get_global_id(0), y = get_global_id(1);\n"
               "  a[y * w + x] = x; }\n",
               NULL);
    cl_command_queue q = in_order();
    cl_mem matrix = buffer();
    size_t size[] = {4, 8}, local[] = {2, 2};
    cl_int code;
    cl_kernel k = clCreateKernel(program, "rows", &code);
    OK(code);
    OK(clSetKernelArg(k, 0, sizeof matrix, &matrix));
    for (cl_int width = 5; width >= 3; width--) {
        OK(clSetKernelArg(k, 1, sizeof width, &width));
        OK(clEnqueueNDRangeKernel(q, k, 2, NULL, size, local, 0, NULL, NULL));
        OK(clFinish(q));
    }
    return 0;
}
