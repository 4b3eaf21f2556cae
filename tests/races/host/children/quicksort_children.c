// expect: clean
// A quicksort whose halves are kernels of their own, which wait for the one that enqueues them.
#include "quicksort.h"
int main(void)
{
    return quicksort("-DFLAGS=CLK_ENQUEUE_FLAGS_WAIT_KERNEL");
}
