// expect: clean
// A queue that is created later uses other buffers.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    launch(q, kernel("add", buffer(), NULL, NULL), N, NULL);
    cl_command_queue r = later_than(q);
    launch(r, kernel("add", buffer(), NULL, NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
