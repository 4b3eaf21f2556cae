// expect: data-race
// at: copy:2 read, 15 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The copy waits for one of the two readers only.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer(), b = buffer(), c = buffer();
    cl_event top = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    cl_event sides[] = {launch(q, kernel("copy", a, b, NULL), N, top),
                        launch(q, kernel("copy", a, c, NULL), N, top)};
    OK(clEnqueueCopyBuffer(q, b, a, 0, 0, BYTES, 1, sides, NULL));
    OK(clFinish(q));
    return 0;
}
