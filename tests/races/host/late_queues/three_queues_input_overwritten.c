// expect: data-race
// at: copy:2 read, three_queues.h:19 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The upload does not wait for the computation two iterations before.
#include "three_queues.h"
int main(void)
{
    return stream(false, true);
}
