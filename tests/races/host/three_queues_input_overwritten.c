// expect: data-race
// The upload does not wait for the computation of two rounds before.
#include "three_queues.h"
int main(void)
{
    return stream(false, true);
}
