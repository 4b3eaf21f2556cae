// expect: out-of-bounds
// at: turn:3
// A work-item writes to a level that the image does not have.
#include "levels_of_image.h"
int main(void)
{
    return draw_levels("kernel void turn(write_only image2d_t image) {\n"
                       "int i = (int)get_global_id(0);\n"
                       "write_imagei(image, (int2)(0, 0), i + 1, (int4)(i)); }\n");
}
