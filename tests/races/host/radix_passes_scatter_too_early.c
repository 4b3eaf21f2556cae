// expect: data-race
// The scatter waits for the counts, not for their scan.
#include "radix_passes.h"
int main(void)
{
    return sort(false);
}
