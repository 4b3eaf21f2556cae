// expect: clean
// The same with an event.
#include "image_view.h"
int main(void)
{
    return draw_into_view(true);
}
