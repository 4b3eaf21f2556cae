// expect: data-race
// A kernel writes through an image that shows a buffer, while another queue copies the buffer.
#include "image_view.h"
int main(void)
{
    return draw_into_view(false);
}
