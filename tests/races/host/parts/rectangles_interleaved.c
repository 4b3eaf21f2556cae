// expect: clean
// Two rectangles side by side share rows, but no bytes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer(), b = buffer();
    size_t zero[3] = {0, 0, 0}, right[3] = {8, 0, 0}, region[3] = {8, 8, 1};
    OK(clEnqueueCopyBufferRect(q, a, b, zero, zero, region, 16, 0, 16, 0, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(q, a, b, zero, right, region, 16, 0, 16, 0, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
