// expect: clean
// Passes of a radix sort in an out-of-order queue: count, scan and scatter, ordered by events.
#include "radix_passes.h"
int main(void)
{
    return sort(true);
}
