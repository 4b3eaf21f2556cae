// expect: data-race
// at: __halves_block_invoke_kernel:4 read, sort:6 write, different kernels
// at: __halves_block_invoke_kernel:6 read, sort:6 write, different kernels
// at: __halves_block_invoke_kernel:6 write, sort:6 write, different kernels
// at: sort:6 write, __halves_block_invoke_kernel:7 write, different kernels
// at: __halves_block_invoke_2_kernel:4 read, sort:7 write, different kernels
// at: __halves_block_invoke_2_kernel:6 write, sort:6 read, different kernels
// at: __halves_block_invoke_2_kernel:6 read, sort:6 write, different kernels
// at: __halves_block_invoke_2_kernel:6 write, sort:6 write, different kernels
// at: __halves_block_invoke_2_kernel:7 read, sort:7 write, different kernels
// at: __halves_block_invoke_2_kernel:7 write, sort:7 write, different kernels
// at: __halves_block_invoke_kernel:6 write, __halves_block_invoke_kernel:7 read, different kernels
// at: __halves_block_invoke_kernel:6 write, __halves_block_invoke_kernel:7 write, different kernels
// reason: fine-grained SVM only
// The halves may start before the writes to them are visible: a buffer is not fine-grained.
#include "quicksort.h"
int main(void)
{
    return quicksort("-DFLAGS=CLK_ENQUEUE_FLAGS_NO_WAIT");
}
