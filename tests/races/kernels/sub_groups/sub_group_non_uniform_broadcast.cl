// expect: clean
// run: -g 64 -l 64 -a buf:64
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
// An inactive work-item of a sub-group names another one than those that broadcast.
kernel void k(global int *data) {
    int i = get_local_id(0), from = i == 60 ? 3 : 1 + 2 * (get_sub_group_id() & 1);
    if (i & 1)
        data[i] = sub_group_non_uniform_broadcast(i, from);
}
