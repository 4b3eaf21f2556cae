// expect: clean
// One kernel writes an image, the next one reads it.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem image = picture();
    launch(q, kernel("draw", image, NULL, NULL), N, NULL);
    launch(q, kernel("look", image, buffer(), NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
