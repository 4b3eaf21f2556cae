// expect: different-arguments
// at: 10
// clause: CLC 6.15.20
// run: -g 64 -l 64 -a buf:64
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
// The active work-items of the last sub-group broadcast from different ones.
kernel void k(global int *data) {
    int i = get_local_id(0);
    if (i & 1)
        data[i] = sub_group_non_uniform_broadcast(i, i == 61 ? 3 : 1);
}
