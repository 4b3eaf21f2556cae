// expect: clean
// A kernel writes level 1 of a mipmapped image while another queue fills level 0.
#include "levels_of_image.h"
int main(void)
{
    return draw_and_fill(0);
}
