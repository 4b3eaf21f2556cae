// expect: data-race
// title: Sub-buffers that overlap
// Two halves of a buffer are computed on two queues. One of them is larger than a half.
#include "sample.h"

enum { N = 1 << 16, HALF = N / 2, OVERLAP = 256 };

static cl_mem part(cl_mem of, size_t first, size_t count)
{
    cl_int code;
    cl_buffer_region region = {first * 4, count * 4};
    cl_mem made = clCreateSubBuffer(of, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    OK(code);
    return made;
}

int main(void)
{
    open_device();
    cl_command_queue q = queue(0), r = queue(0);
    cl_kernel fill =
        kernel("kernel void fill(global int *x) { size_t i = get_global_id(0); x[i] = (int)i; }", "fill");
    cl_mem whole = buffer(N * 4);
#ifdef FIXED
    size_t first = HALF;
#else
    size_t first = HALF + OVERLAP;
#endif
    size_t second = HALF;
    cl_mem low = part(whole, 0, first), high = part(whole, HALF, HALF);
    arg(fill, 0, low);
    OK(clEnqueueNDRangeKernel(q, fill, 1, NULL, &first, NULL, 0, NULL, NULL));
    arg(fill, 0, high);
    OK(clEnqueueNDRangeKernel(r, fill, 1, NULL, &second, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
