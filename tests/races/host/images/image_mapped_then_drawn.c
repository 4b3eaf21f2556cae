// expect: clean
// An image is mapped, unmapped, written by a kernel, and mapped again.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem image = picture();
    cl_int code;
    const size_t origin[3] = {0, 0, 0}, region[3] = {8, 8, 1};
    size_t pitch;
    for (int i = 0; i < 2; i++) {
        int *p = clEnqueueMapImage(q, image, CL_TRUE, i ? CL_MAP_READ : CL_MAP_WRITE, origin, region, &pitch,
                                   NULL, 0, NULL, NULL, &code);
        OK(code);
        if (i == 0)
            memset(p, 0, 8 * pitch);
        OK(clEnqueueUnmapMemObject(q, image, p, 0, NULL, NULL));
        if (i == 0)
            launch(q, kernel("draw", image, NULL, NULL), 64, NULL);
    }
    OK(clFinish(q));
    return 0;
}
