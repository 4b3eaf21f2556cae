// expect: data-race
// at: copy:2 write, three_queues.h:25 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The computation does not wait for the download two iterations before.
#include "three_queues.h"
int main(void)
{
    return stream(true, false);
}
