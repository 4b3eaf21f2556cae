// As shift_race.cl, with a barrier between the read and the write.
// Expect: race none, divergence none
// Options: --global 4 --local 4 --arg buf:20:zero
__kernel void k(__global int *a)
{
    int i = get_global_id(0), next = a[i + 1];

    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = next;
}
