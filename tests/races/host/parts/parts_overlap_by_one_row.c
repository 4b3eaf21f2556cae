// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two kernels in an out-of-order queue use parts of a buffer that overlap by some bytes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_uint align;
    OK(clGetDeviceInfo(devices[0], CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL));
    size_t step = align / 8;
    cl_int code;
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * step, NULL, &code);
    OK(code);
    OK(clEnqueueFillBuffer(q, whole, &code, sizeof code, 0, 4 * step, 0, NULL, NULL));
    OK(clFinish(q));
    launch(q, kernel("add", part(whole, 0, step + 4), NULL, NULL), step / 4 + 1, NULL);
    launch(q, kernel("add", part(whole, step, step), NULL, NULL), step / 4, NULL);
    OK(clFinish(q));
    return 0;
}
