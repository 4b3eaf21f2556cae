// expect: clean
// Two kernels read what the first one wrote; a copy that overwrites it waits for both.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer(), b = buffer(), c = buffer();
    cl_event top = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    cl_event sides[] = {launch(q, kernel("copy", a, b, NULL), N, top),
                        launch(q, kernel("copy", a, c, NULL), N, top)};
    OK(clEnqueueCopyBuffer(q, b, a, 0, 0, BYTES, 2, sides, NULL));
    OK(clFinish(q));
    return 0;
}
