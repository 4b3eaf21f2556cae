// expect: clean
// As view_as_image_written.c, with an event.
#include "image_view.h"
int main(void)
{
    return draw_into_view(true);
}
