// expect: clean
// Two kernels on two disjoint sub-buffers.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    launch(q, kernel("add", part(a, 0, BYTES / 2), NULL, NULL), N / 2, NULL);
    launch(q, kernel("add", part(a, BYTES / 2, BYTES / 2), NULL, NULL), N / 2, NULL);
    OK(clFinish(q));
    return 0;
}
