// Half of the work-group reaches the barrier.
// Expect: divergence found
// Options: --global 4 --local 4 --arg buf:20:zero
__kernel void k(__global int *a)
{
    if (get_local_id(0) < 2)
        barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_global_id(0)] = 1;
}
