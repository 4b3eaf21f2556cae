// expect: data-race
// Two queues fill the same layer.
#include "layers.h"
int main(void)
{
    return fill_layers(1, 1);
}
