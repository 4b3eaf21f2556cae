// expect: clean
// As parts_overlap_by_one_row.c without the overlap.
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
    launch(q, kernel("add", part(whole, 0, step), NULL, NULL), step / 4, NULL);
    launch(q, kernel("add", part(whole, step, step), NULL, NULL), step / 4, NULL);
    OK(clFinish(q));
    return 0;
}
