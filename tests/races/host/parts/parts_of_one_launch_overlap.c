// expect: data-race
// at: copy:2 read, copy:2 write, different sub-groups
// reason: no synchronization orders the two accesses
// A kernel reads one sub-buffer and writes another that overlaps it.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_int code;
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * BYTES, NULL, &code);
    OK(code);
    launch(q, kernel("copy", part(whole, 0, BYTES), part(whole, BYTES / 2, BYTES), NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
