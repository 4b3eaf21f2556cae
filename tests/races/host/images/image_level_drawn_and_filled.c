// expect: data-race
// at: turn:3 write, levels_of_image.h:55 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A kernel writes level 1 of a mipmapped image while another queue fills it.
#include "levels_of_image.h"
int main(void)
{
    return draw_and_fill(1);
}
