// An argument without a value: unconstrained, but equal for both work-items, which reach the same barriers.
// Expect: race none, divergence none, termination always
// Options: --global 2 --local 2 --arg buf:2:zero
__kernel void k(__global int *out, int n)
{
    if (n == 1)
        barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = n;
}
