// expect: image-unfenced-read
// at: trace:20
// A work-item reads its own write to an image without a fence [CL 3.3.5 O8].
#include "../host.h"

int main(void)
{
    begin("memory_scope_work_item");
    cl_command_queue q = in_order();
    launch(q, kernel("trace", picture(), buffer(), NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
