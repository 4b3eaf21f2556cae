// expect: clean
// Passes of a radix sort: count, scan, scatter, out of order with the events that it takes.
#include "radix_passes.h"
int main(void)
{
    return sort(true);
}
