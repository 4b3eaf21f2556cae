// expect: data-race
// at: 11 write, 13 read, same group
// run: -k k --global 4 --local 4 --arg buf:4
/* A sub-group barrier orders nothing between sub-groups: a memory scope is not an execution scope. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__attribute__((intel_reqd_sub_group_size(2)))
kernel void k(global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    a[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    out[i] = a[3 - i];
}
