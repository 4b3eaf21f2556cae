// A barrier does not reach the other work-group.
// Expect: race found
// Options: --global 4 --local 2 --arg buf:20:zero
__kernel void k(__global int *a)
{
    int i = get_global_id(0), next = a[i + 1];

    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = next;
}
