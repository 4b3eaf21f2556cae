// expect: data-race
// at: add:1 read, 15 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// An image is copied to a buffer that a kernel of another queue changes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem image = picture(), to = buffer();
    const size_t origin[3] = {0, 0, 0}, region[3] = {8, 8, 1};
    const int color[4] = {7};
    OK(clEnqueueFillImage(q, image, color, origin, region, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(q, image, to, origin, region, 0, 0, NULL, NULL));
    launch(r, kernel("add", to, NULL, NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
