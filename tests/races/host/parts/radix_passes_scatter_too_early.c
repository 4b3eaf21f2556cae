// expect: data-race
// at: scatter:9 write, scatter:9 write, same group
// at: scan:6 read, scatter:9 write, different kernels
// at: scan:6 write, scatter:9 write, different kernels
// at: counts:4 write, scan:6 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The scatter waits for the counts, not for their scan.
#include "radix_passes.h"
int main(void)
{
    return sort(false);
}
