// expect: data-race
// at: layers.h:21 write, layers.h:22 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two queues fill the same layer.
#include "layers.h"
int main(void)
{
    return fill_layers(1, 1);
}
