// expect: clean
// Two queues fill different levels of a mipmapped image.
#include "levels_of_image.h"
int main(void)
{
    return fill_levels(1, 2);
}
