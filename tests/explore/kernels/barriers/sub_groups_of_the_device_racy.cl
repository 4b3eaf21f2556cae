// Options: -g 34 -l 34 --arg buf:1
// Expect: race found, divergence none, termination always
/* Work-items 31 and 32 are in different sub-groups. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global int *out)
{
    local int a[34];
    int i = get_local_id(0);
    a[i] = 7;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 32)
        out[0] = a[31];
}
