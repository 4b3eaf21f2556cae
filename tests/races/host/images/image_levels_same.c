// expect: data-race
// at: levels_of_image.h:26 write, levels_of_image.h:27 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two queues fill the same level.
#include "levels_of_image.h"
int main(void)
{
    return fill_levels(1, 1);
}
