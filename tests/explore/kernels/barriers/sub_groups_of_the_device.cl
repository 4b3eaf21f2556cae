// Options: -g 34 -l 34 --arg buf:4 --assert 'out[0] == 32 and out[1] == 2 and out[2] == 2 and out[3] == 7'
// Expect: condition holds, race none, divergence none, termination always
/* Without --subgroup, sub-groups have the device's size: the last one has two work-items. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global int *out)
{
    local int a[34];
    int i = get_local_id(0);
    a[i] = 7;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 33) {
        out[0] = get_max_sub_group_size();
        out[1] = get_num_sub_groups();
        out[2] = get_sub_group_size();
        out[3] = a[32];
    }
}
