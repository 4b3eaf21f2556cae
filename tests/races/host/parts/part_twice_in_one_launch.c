// expect: clean
// One part of a buffer as two arguments: each work-item reads its own writes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_int code;
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * BYTES, NULL, &code);
    OK(code);
    launch(q, kernel("copy", part(whole, 0, BYTES), part(whole, 0, BYTES), NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
