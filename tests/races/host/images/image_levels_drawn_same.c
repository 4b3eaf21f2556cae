// expect: data-race
// at: turn:3 write, turn:3 write, same group
// reason: no synchronization orders the two accesses
// Two of three work-items write the first texel of level 1.
#include "levels_of_image.h"
int main(void)
{
    return draw_levels("kernel void turn(write_only image2d_t image) {\n"
                       "int i = (int)get_global_id(0);\n"
                       "write_imagei(image, (int2)(0, 0), (i + 1) / 2, (int4)(i)); }\n");
}
