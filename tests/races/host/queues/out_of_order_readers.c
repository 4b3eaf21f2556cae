// expect: clean
// Two unordered kernels read the same buffer.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    launch(q, kernel("copy", a, buffer(), NULL), N, NULL);
    launch(q, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
