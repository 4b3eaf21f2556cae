// Options: -g 8 --arg buf:3 --assert 'out[0] == 4 and out[1] == 2 and out[2] == 2'
// Expect: condition holds, race none, divergence none, termination always, sub_group_size 2
/* The launch has the sizes that the kernel requires. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__attribute__((reqd_work_group_size(4, 1, 1), intel_reqd_sub_group_size(2)))
kernel void k(global int *out)
{
    if (get_global_id(0) == 0) {
        out[0] = get_local_size(0);
        out[1] = get_max_sub_group_size();
        out[2] = get_num_sub_groups();
    }
}
