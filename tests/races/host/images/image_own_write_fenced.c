// expect: clean
// A work-item reads its own write to an image after a fence [CL 3.3.5 O8].
#include "../host.h"

int main(void)
{
    begin("memory_scope_work_item -DFENCED");
    cl_command_queue q = in_order();
    launch(q, kernel("trace", picture(), buffer(), NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
