// The race occurs only in executions that block at a barrier; it is explained nevertheless.
// Expect: race found, divergence found, termination not-always
// Options: --global 2 --local 2 --arg buf:1:zero --arg buf:1:zero --explain
__kernel void k(__global int *x, __global int *out)
{
    if (get_local_id(0) == 0) {
        *x = 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
    } else {
        *out = *x;
    }
}
