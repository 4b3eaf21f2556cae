// expect: clean
// Each work-item writes the first texel of a different level.
#include "levels_of_image.h"
int main(void)
{
    return draw_levels("kernel void turn(write_only image2d_t image) {\n"
                       "int i = (int)get_global_id(0);\n"
                       "write_imagei(image, (int2)(0, 0), i, (int4)(i)); }\n");
}
