// expect: data-race
// at: draw:2 write, image_view.h:21 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A kernel writes through an image created from a buffer, while another queue copies the buffer.
#include "image_view.h"
int main(void)
{
    return draw_into_view(false);
}
