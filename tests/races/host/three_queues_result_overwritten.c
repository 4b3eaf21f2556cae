// expect: data-race
// The computation does not wait for the download of two rounds before.
#include "three_queues.h"
int main(void)
{
    return stream(true, false);
}
