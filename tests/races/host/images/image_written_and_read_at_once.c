// expect: data-race
// at: draw:11 write, look:22 read, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// One kernel writes an image while another one reads it.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem image = picture();
    launch(q, kernel("draw", image, NULL, NULL), N, NULL);
    launch(q, kernel("look", image, buffer(), NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
