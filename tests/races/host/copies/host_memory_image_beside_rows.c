// expect: clean
// An image is read into the middle of a host array and a part of a buffer into the rows after it; then both
// are copied out.
#include "../host.h"

int main(void)
{
    static int h[4 * N];
    const size_t origin[3] = {0, 0, 0}, at[3] = {0, 11, 0}, whole[3] = {8, 8, 1}, rows[3] = {32, 4, 1};
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = picture(), b = buffer();
    OK(clEnqueueReadImage(q, a, CL_FALSE, origin, whole, 32, 0, h + 24, 0, NULL, NULL));
    OK(clEnqueueReadBufferRect(r, b, CL_TRUE, origin, at, rows, 32, 0, 32, 0, h, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clEnqueueWriteBuffer(r, b, CL_FALSE, 0, BYTES, h + 64, 0, NULL, NULL));
    OK(clFinish(r));
    return 0;
}
