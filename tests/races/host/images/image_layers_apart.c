// expect: clean
// Two queues fill different layers of an array of images.
#include "layers.h"
int main(void)
{
    return fill_layers(1, 2);
}
