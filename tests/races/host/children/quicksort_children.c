// expect: clean
// A quicksort whose halves are child kernels, which wait for the kernel that enqueues them.
#include "quicksort.h"
int main(void)
{
    return quicksort("-DFLAGS=CLK_ENQUEUE_FLAGS_WAIT_KERNEL");
}
