// expect: mapped-access
// at: draw:11
// A kernel writes an image that the host has mapped [CL 5.5.3 R2].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem image = picture();
    cl_int code;
    const size_t origin[3] = {0, 0, 0}, region[3] = {8, 4, 1};
    size_t pitch;
    void *p = clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_WRITE, origin, region, &pitch, NULL, 0, NULL, NULL,
                                &code);
    OK(code);
    launch(r, kernel("draw", image, NULL, NULL), 64, NULL);
    OK(clFinish(r));
    OK(clEnqueueUnmapMemObject(q, image, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
