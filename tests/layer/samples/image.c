// expect: data-race
// title: An image that is read while it is drawn
// A copy out of the rows of an image on one queue, while a kernel of another queue draws into them.
#include "sample.h"

enum { WIDTH = 64, HEIGHT = 48 };

int main(void)
{
    static float pixels[HEIGHT][WIDTH];
    open_device();
    cl_command_queue draws = queue(0), reads = queue(0);
    cl_kernel draw = kernel("kernel void draw(write_only image2d_t to) {\n"
                            "  int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));\n"
                            "  write_imagef(to, at, (float4)(1)); }",
                            "draw");
    cl_image_format format = {CL_R, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int code;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    OK(code);
    cl_event drawn;
    size_t items[2] = {WIDTH, HEIGHT}, origin[3] = {0, HEIGHT / 2, 0}, region[3] = {WIDTH, HEIGHT / 2, 1};
    arg(draw, 0, image);
    OK(clEnqueueNDRangeKernel(draws, draw, 2, NULL, items, NULL, 0, NULL, &drawn));
    OK(clFlush(draws));
#ifdef FIXED
    OK(clEnqueueReadImage(reads, image, CL_TRUE, origin, region, 0, 0, pixels, 1, &drawn, NULL));
#else
    OK(clEnqueueReadImage(reads, image, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
#endif
    OK(clFinish(draws));
    printf("%g\n", (double)pixels[0][0]);
    return 0;
}
